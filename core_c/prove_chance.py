"""Certificates of winning probabilities: the strategies that reach a lower and an upper bound."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from ringfen.advice import NotSolved
from ringfen.certificate import Claim, Part, write_file
from ringfen.certificate_board import board_name, board_text
from ringfen.certificate_chance import party_decides, walk
from ringfen.control import ProgressCallback
from ringfen.position import Position
from ringfen.prove import Proved
from ringfen.solving import SolveOptions, solve

_MOST = 2**32


def prove_chance(
    position: Position, path: Path, options: SolveOptions, memory_mb: int, progress: ProgressCallback | None
) -> Proved:
    """As :func:`ringfen.prove.prove`, for games of chance under the model ``paranoid``."""
    solution = solve(position, options, progress=progress)
    if solution.status not in ("exact", "bound") or solution.horizon is None:
        raise NotSolved(solution)
    player = options.player or position.player
    assert isinstance(player, int)
    return certify_chance(position, path, player, solution.horizon)


def certify_chance(position: Position, path: Path, player: int, horizon: int) -> Proved:
    """Writes a certificate of the bounds of a player's winning probability with so many plies to play."""
    parts = [_part(position, Claim(player, horizon=horizon, upper=upper)) for upper in (False, True)]
    board = board_text(position.context.board) if board_name(position.fen) else None
    size = write_file(path, position.fen, board, parts)
    lower, upper_bound = (part.claim.probability for part in parts)
    value = None
    if lower == upper_bound:
        value = [str(lower) if number == player else None for number in range(1, position.players + 1)]
    return Proved(position.fen, value, [part.claim for part in parts], sum(part.positions for part in parts), size)


def _part(position: Position, claim: Claim) -> Part:
    reckon = _Reckoner(claim)
    body = bytearray()

    def choose(_here: Position, left: int, successors: Sequence[tuple[str, Position]]) -> int:
        place = reckon.choice(left, successors)
        _append_number(body, place)
        return place

    probability, count = walk(position, claim, choose, _MOST)
    return Part(replace(claim, probability=probability), count, zlib.compress(bytes(body), 9))


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
