"""Gygès moves with squares as numbers, as the Beck-Bjella programs write them: ``from|to`` and ``from|to|drop``.

Squares are counted from 0 (a1) to 35 (f6); 36 is South's throne, 37 North's.
"""

from __future__ import annotations

import re
from typing import Final

from ringfen.notation.formats.building import RecordBuilder
from ringfen.rules.gyges.ugi import number_of, square_of

_BAD_MOVE: Final = "a move is from|to or from|to|drop, with squares from 0 to 35 and the thrones 36 and 37"

_SQUARE: Final = "([0-9]|[12][0-9]|3[0-5])"
_MOVE: Final = re.compile(rf"{_SQUARE}\|(?:{_SQUARE}\|{_SQUARE}|([0-9]|[12][0-9]|3[0-7]))")


class NumberedMoves:
    """The moves of one game.

    Some programs count the squares of every move from South's side, others those of North's moves from North's side.
    North's first move shows which: if it is legal only in the second way, all are read in that way.
    """

    def __init__(self) -> None:
        self._turned: bool | None = None

    def play(self, builder: RecordBuilder, move: str, at: int) -> bool:
        """Play a move at the end of a record; an error is reported. Return whether there is none.

        :param at: the place of the move in the text.
        """
        ply = ply_of(move)
        if ply is None:
            builder.error("bad-ply", at, len(move), _BAD_MOVE, ply=len(builder.record.main.nodes) + 1)
            return False
        if builder.position.player == "n":
            other = ply_of(move, turned=True)
            if self._turned is None:
                self._turned = not builder.is_legal(ply) and other is not None and builder.is_legal(other)
            if self._turned and other is not None:
                ply = other
        return builder.play(ply, at, len(move))


def ply_of(move: str, *, turned: bool = False) -> str | None:
    """Return the ply that a move means, legal or not; None if it is not a move.

    :param turned: whether the squares are counted from North's side, f6 being 0.
    """
    match = _MOVE.fullmatch(move)
    if match is None:
        return None
    start, taken, drop, end = (number and square_of(int(number), turned=turned) for number in match.groups())
    return f"{start}-{end}" if drop is None else f"{start}x{taken}-{drop}"


def move_of(ply: str) -> str:
    """Return the move of a ply in short form."""
    squares = re.split("[-x]", ply)
    return "|".join(str(number_of(square)) for square in squares)
