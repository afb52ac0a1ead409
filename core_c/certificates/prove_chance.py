"""Writes certificates of winning probabilities: strategies that reach a lower and an upper bound."""

from __future__ import annotations

import zlib
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from ringfen._core import ffi, lib
from ringfen.certificates.boards import names_board
from ringfen.certificates.chance import Layers
from ringfen.certificates.claims import DEFAULT_MEMORY_MB, Claim, Part, Proved
from ringfen.certificates.file import write_file
from ringfen.certificates.strategy import chance_strategy
from ringfen.control import Budget, Progress, ProgressCallback
from ringfen.errors import CertificateError, NotSolved
from ringfen.position import Position
from ringfen.solving import SolveOptions, solve


class ChanceStrategy(Protocol):
    """Computes the winning probability of one player against all others.

    An unfinished game counts 0, or 1 if ``upper``.
    """

    def value(self, position: Position, plies: int, player: int, upper: bool) -> Fraction:
        """Return the probability with ``plies`` plies to play."""

    def values_after(self, position: Position, plies: int, player: int, upper: bool) -> list[Fraction]:
        """Return the probability after each ply of a position, in byte order, with ``plies`` plies to play then."""

    def first_reaching(
        self, position: Position, plies: int, player: int, upper: bool, limit: Fraction, at_most: bool
    ) -> int | None:
        """Return the index of the first ply, in byte order, after which the probability is at least ``limit``.

        If ``at_most``, it is at most ``limit``. Return None if there is no such ply.

        :param plies: The number of plies to play after that ply.
        """


def prove_chance(
    position: Position, path: Path, options: SolveOptions, memory_mb: int, progress: ProgressCallback | None
) -> Proved:
    """Do the work of :func:`ringfen.certificates.prove.prove` for games of chance, with the model ``paranoid``."""
    player, horizon, strategy = solved_chances(position, options, Budget(options.limits), progress)
    return certify_chance(position, path, player, horizon, strategy, memory_mb=memory_mb, progress=progress)


def solved_chances(
    position: Position, options: SolveOptions, budget: Budget, progress: ProgressCallback | None
) -> tuple[int, int, ChanceStrategy]:
    """Solve a position with the model ``paranoid``, and return the player, the horizon and the strategy.

    :raises ringfen.NotSolved: A limit was reached.
    """
    solution = solve(position, options, progress=progress)
    if solution.horizon is None or not (solution.status == "exact" or solution.is_bounded(options)):
        raise NotSolved(solution)
    player = options.player or position.player
    assert isinstance(player, int)
    budget.use(solution.nodes)
    return player, solution.horizon, chance_strategy(position, options, budget)


def certify_chance(
    position: Position,
    path: Path,
    player: int,
    horizon: int,
    strategy: ChanceStrategy,
    *,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
) -> Proved:
    """Write a certificate of the bounds of a player's winning probability with ``horizon`` plies to play."""
    parts = []
    for upper in (False, True):
        probability = strategy.value(position, horizon, player, upper)
        claim = Claim(player, probability=probability, horizon=horizon, upper=upper)
        parts.append(chance_part(position, claim, strategy, memory_mb, progress))
    size = write_file(path, position.fen, board_text(position), parts)
    lower, upper_bound = (part.claim.probability for part in parts)
    value = None
    if lower == upper_bound:
        value = [str(lower) if number == player else None for number in range(1, position.players + 1)]
    return Proved(position.fen, value, [part.claim for part in parts], sum(part.positions for part in parts), size)


def board_text(position: Position) -> str | None:
    """Return the text of the board file for a certificate, or None if the position names no board."""
    return position.context.board.text if names_board(position.fen) else None


def chance_part(
    position: Position, claim: Claim, strategy: ChanceStrategy, memory_mb: int, progress: ProgressCallback | None
) -> Part:
    """Return a complete claim with its proof."""
    return _Writer(position, claim, strategy, memory_mb, progress).part()


class _Writer:
    """Writes the strategy of one claim.

    Each position has a probability that the strategy must reach there. If an unfinished game already gives that
    probability, the proof ends at this position.
    """

    def __init__(
        self,
        position: Position,
        claim: Claim,
        strategy: ChanceStrategy,
        memory_mb: int,
        progress: ProgressCallback | None,
    ) -> None:
        assert claim.probability is not None
        assert claim.horizon is not None
        self._horizon = claim.horizon
        self._root = position
        self._claim = claim
        self._strategy = strategy
        self._progress = progress
        self._open = Fraction(int(claim.upper))
        self._layers = Layers(position, claim, memory_mb)
        self._needs: dict[int, Fraction] = {0: claim.probability}
        self._pack = zlib.compressobj(9)
        self._packed: list[bytes] = []
        self._count = 0

    def part(self) -> Part:
        """Return the claim with its proof."""
        for left in range(self._horizon, 0, -1):
            self._write_layer(left)
            if not self._layers.descend():
                break
        if self._layers.probability(self._claim) != self._claim.probability:
            raise CertificateError("the strategy's plies do not reach its probability")
        return Part(self._claim, self._count, b"".join([*self._packed, self._pack.flush()]))

    def _write_layer(self, left: int) -> None:
        core = self._layers.cdata
        size = self._layers.size()
        next_needs: dict[int, Fraction] = {}
        while (index := int(lib.rf_layers_next_unexpanded(core))) < size:
            number, needs = self._choice(index, left)
            if not lib.rf_layers_expand(core, number):
                raise self._layers.too_little()
            first, edges = lib.rf_layers_first_edges(core), lib.rf_layers_edges(core)
            for edge, need in zip(range(first[index], first[index + 1]), needs, strict=True):
                successor = edges[edge]
                other = next_needs.get(successor, need)
                next_needs[successor] = need if other is need else self._stricter(other, need)
            self._packed.append(self._pack.compress(_leb128(number)))
            self._count += 1
            if self._progress is not None:
                self._progress(Progress(self._count, self._horizon - left + 1, 0, 0))
        self._needs = next_needs

    def _choice(self, index: int, left: int) -> tuple[int, list[Fraction]]:
        """Return the number to write for a position, and the probabilities that its successors must reach."""
        need = self._needs[index]
        if need == self._open:
            return 0, []
        here, player = self._position(index), self._claim.player
        counts_as_won = self._claim.upper and not self._claim.ended
        if here.is_chance:
            return 1, self._strategy.values_after(here, left - 1, player, counts_as_won)
        if not lib.rf_layers_party_decides(self._layers.cdata, index):
            excluded = left == self._horizon and self._claim.excluded is not None
            return 1, [need] * (here.count() - excluded)
        chosen = self._strategy.first_reaching(here, left - 1, player, counts_as_won, need, self._claim.upper)
        if chosen is None:
            raise CertificateError("the strategy's probabilities contradict each other")
        return chosen + 1, [need]

    def _stricter(self, one: Fraction, other: Fraction) -> Fraction:
        return min(one, other) if self._claim.upper else max(one, other)

    def _position(self, index: int) -> Position:
        state = ffi.new("rf_state *")
        lib.rf_layers_state(self._layers.cdata, index, state)
        return Position.from_state(self._root.game, self._root.context, state)


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
