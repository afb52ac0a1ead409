"""Writing certificates of solved values (docs/certificates.md). Checking them is :mod:`ringfen.certificate`'s part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ringfen._core import ffi, lib
from ringfen.certificate import CertificateError, Claim, new_walk, walk_fault, write_file
from ringfen.certificate_chance import party_decides, walk
from ringfen.control import Control, ProgressCallback
from ringfen.position import Position, limit_reached
from ringfen.solving import Solution, SolveOptions, solve

#: Tells the plies, best first, by which the player to move keeps what a claim promises.
Adviser = Callable[[Position], Sequence[str]]


class NotSolved(Exception):
    """A position whose value could not be proven within the limits; there is nothing to certify."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"the position is not solved: status {solution.status}")
        self.solution = solution


def prove(
    position: Position,
    path: Path,
    options: SolveOptions | None = None,
    *,
    most: int = 50_000_000,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Solves a position and writes a certificate of its value to ``path``.

    :param options: as for :func:`ringfen.solving.solve`; games of chance are solved as ``paranoid``.
    :param most: the most positions that a claim may need.
    :raises ringfen.prove.NotSolved: the value is not proven within the limits.
    :raises ringfen.certificate.CertificateError: the certificate would need more than ``most`` positions.
    """
    options = options or SolveOptions()
    if lib.rf_game_solver(position.game.cdata) == lib.RF_SOLVER_CHANCE:
        return _prove_chance(position, path, replace(options, model="paranoid"), most, progress)
    solution = solve(position, options, progress=progress)
    if solution.status != "exact":
        raise NotSolved(solution)
    parts = []
    for claim in _claims(position, solution):
        parts.append(_write_walk(position, claim, _solver_advice(options), most))
    write_file(path, position.fen, None, parts)
    return solution


def _claims(position: Position, solution: Solution) -> list[Claim]:
    """What is to be proven for a value; ``within`` is found by the walk."""
    mover = 1 if position.player == "s" else 2
    other = 3 - mover
    if solution.value == "win":
        return [Claim(mover, at_least=1)]
    if solution.value == "loss":
        return [Claim(other, at_least=1)]
    margin = 0 if solution.value == "draw" else solution.value
    assert isinstance(margin, int)
    return [Claim(mover, at_least=margin), Claim(other, at_least=-margin)]


def _solver_advice(options: SolveOptions) -> Adviser:
    def advise(position: Position) -> Sequence[str]:
        solution = solve(position, options)
        if solution.status != "exact":
            raise NotSolved(solution)
        return solution.best

    return advise


def _write_walk(position: Position, claim: Claim, advise: Adviser, most: int) -> tuple[Claim, bytes]:
    """The walk that proves a claim, with the claim completed.

    The first advice is followed where that forces an end. Positions from which the choices go round in circles are
    walked again with all advised plies, until it is clear which of them makes progress.
    """
    advice: dict[Position, Sequence[str]] = {}

    def first(here: Position) -> str:
        if here not in advice:
            advice[here] = advise(here)
        return advice[here][0]

    body = _walk_with(position, claim, first, most)
    if body is None:
        ranked = _ranked_choices(position, claim, advise, advice, most)
        body = _walk_with(position, claim, ranked.__getitem__, most)
    if body is None:
        raise CertificateError("the solver's plies do not force an end")
    return body


def _walk_with(
    position: Position, claim: Claim, choose: Callable[[Position], str], most: int
) -> tuple[Claim, bytes] | None:
    """The walk that follows ``choose``; None if it goes round in circles where an end is to be forced."""
    cdata = new_walk(position, claim, most, writing=True)
    control = Control()
    lib.rf_control_start(control.cdata)
    while True:
        state = ffi.new("rf_state *")
        due = lib.rf_walk_next(cdata, state, control.cdata)
        control.finish()
        error = limit_reached(control)
        if error is not None:
            raise error
        if due < 0:
            raise CertificateError(walk_fault(cdata))
        if due == 0:
            break
        here = Position.from_state(position.game, position.context, state)
        if not lib.rf_walk_choose(cdata, here.core_ply(choose(here))):
            raise CertificateError(walk_fault(cdata) or "the solver's ply is not legal")
    unranked = lib.rf_walk_rank(cdata)
    if unranked < 0:
        raise MemoryError
    if unranked > 0:
        return None
    if claim.at_least is not None and claim.at_least > 0:
        claim = replace(claim, within=int(lib.rf_walk_root_rank(cdata)))
    return claim, _written(cdata)


def _written(cdata: Any) -> bytes:
    out = ffi.new("unsigned char[]", 1 << 16)
    index = ffi.new("uint64_t *", 0)
    pieces = []
    while size := lib.rf_walk_write(cdata, index, out, len(out)):
        pieces.append(bytes(ffi.buffer(out, size)))
    return b"".join(pieces)


def _ranked_choices(
    position: Position, claim: Claim, advise: Adviser, advice: dict[Position, Sequence[str]], most: int
) -> dict[Position, str]:
    """By position of the player, an advised ply that makes progress: retrograde analysis over all advised plies."""
    decided_by = "sn"[claim.player - 1]
    successors: dict[Position, list[tuple[str, Position]]] = {}
    queue = [position]
    for here in queue:
        if here in successors:
            continue
        if len(successors) >= most:
            raise CertificateError("it needs more positions than allowed")
        following = here.successors()
        if here.player == decided_by:
            if here not in advice:
                advice[here] = advise(here)
            following = [(ply, child) for ply, child in following if ply in advice[here]]
        successors[here] = following
        queue.extend(child for _, child in following if not child.is_over)
    parents: dict[Position, list[tuple[str, Position]]] = {}
    missing: dict[Position, int] = {}
    chosen: dict[Position, str] = {}
    settled: list[Position] = []
    done: set[Position] = set()

    def settle(here: Position) -> None:
        if here not in done:
            done.add(here)
            settled.append(here)

    for here, following in successors.items():
        missing[here] = 0
        for ply, child in following:
            if not child.is_over:
                missing[here] += 1
                parents.setdefault(child, []).append((ply, here))
            elif here.player == decided_by and here not in chosen:
                chosen[here] = ply
        if here in chosen or missing[here] == 0:
            settle(here)
    for here in settled:
        for ply, parent in parents.get(here, ()):
            missing[parent] -= 1
            if parent.player == decided_by:
                if parent not in done:
                    chosen[parent] = ply
                    settle(parent)
            elif missing[parent] == 0:
                settle(parent)
    return chosen


def _prove_chance(
    position: Position, path: Path, options: SolveOptions, most: int, progress: ProgressCallback | None
) -> Solution:
    solution = solve(position, options, progress=progress)
    if solution.status not in ("exact", "bound"):
        raise NotSolved(solution)
    player = options.player or position.player
    assert isinstance(player, int)
    parts = []
    for upper in (False, True):
        claim = Claim(player, probability=Fraction(0), horizon=solution.horizon, upper=upper)
        reckon = _Reckoner(claim)
        body = bytearray()

        def choose(here: Position, left: int, successors: Sequence[tuple[str, Position]]) -> int:
            place = reckon.choice(left, successors)  # noqa: B023 - used within this round only
            _append_number(body, place)  # noqa: B023
            return place

        probability, _ = walk(position, claim, choose, most)
        parts.append((replace(claim, probability=probability), bytes(body)))
    board = getattr(position.context.board, "text", None)
    write_file(path, position.fen, board, parts)
    return solution


class _Reckoner:
    """Exact expectation with the best play of both parties, position by position; the plain way, with a memory."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._known: dict[tuple[Position, int], Fraction] = {}

    def choice(self, left: int, successors: Sequence[tuple[str, Position]]) -> int:
        """The place of the best successor for the party whose strategy is written."""
        values = [self.value(child, left - 1) for _, child in successors]
        return values.index(min(values) if self._claim.upper else max(values))

    def value(self, position: Position, left: int) -> Fraction:
        if position.is_over:
            return Fraction(int(position.outcome == self._claim.player))
        if left == 0:
            return Fraction(int(self._claim.upper))
        key = (position, left)
        if key not in self._known:
            self._known[key] = self._reckoned(position, left)
        return self._known[key]

    def _reckoned(self, position: Position, left: int) -> Fraction:
        successors = position.successors()
        values = [self.value(child, left - 1) for _, child in successors]
        if position.is_chance:
            weights = position.weights()
            shares = [weights[ply] for ply, _ in successors]
            return sum((w * v for w, v in zip(shares, values, strict=True)), Fraction(0)) / sum(shares)
        maximises = party_decides(position, self._claim) != self._claim.upper
        return max(values) if maximises else min(values)


def _append_number(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
