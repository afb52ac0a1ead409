"""The squares, boards and moves of the Universal Gygès Interface, which other Gygès programs use (docs/ugi.md).

Squares are numbers from 0 (a1) to 35 (f6), as player one sees the board; 36 is player one's throne, 37 player two's. A
board has one digit per square: the ring's height or 0. The interface has no side to move: an engine plays player one.
So South's positions are written unchanged, and North's from North's side of the board (square i becomes 35 - i).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final

from ringfen.errors import ImpossiblePositionError, PlySyntaxError, PositionSyntaxError
from ringfen.rules.base import EngineNotation

_SQUARES: Final = 36
_OWN_THRONE, _OTHER_THRONE = 36, 37
_THRONES: Final = "SN"
#: What Beck-Bjella/Gyges writes in place of a move if its search finds only losing moves.
_NO_MOVE: Final = "100|100|100"
_FILES: Final = "abcdef"

_PLY = re.compile(r"(?P<from>[a-f][1-6])(?:-(?P<to>[a-f][1-6]|[SN])|x(?P<taken>[a-f][1-6])-(?P<drop>[a-f][1-6]))")
_MOVE = re.compile(r"[0-9]{1,2}\|[0-9]{1,2}(?:\|[0-9]{1,2})?", re.ASCII)


class UgiNotation(EngineNotation):
    """Positions and plies of Gygès in the Universal Gygès Interface."""

    id = "ugi"
    boards: ClassVar[Mapping[str, str]] = {
        "start": "321123" + "0" * 24 + "321123",
        "bench": "202110" + "000330" + "000000" + "000200" + "000100" + "030123",
        "test": "002130" + "300300" + "021100" + "002000" + "000200" + "030100",
    }

    def encode(self, fen: str) -> str:
        """Return 38 digits, from the side of the player to move."""
        _, ranks, side, throne, goals, *option = fen.split()
        problem = ("", "")
        if throne != "-":
            problem = "ugi-throne", "a board of the Universal Gygès Interface has no ring on a throne"
        elif goals != "1+1":
            problem = "ugi-goals", "the Universal Gygès Interface has one conquest to make for each side"
        elif _is_before_setup(ranks, side) and not option:
            problem = "ugi-setup", "the Universal Gygès Interface begins after the setup"
        if problem[0]:
            raise ImpossiblePositionError(problem[1], reason=problem[0], text=fen)
        digits = "".join(reversed(ranks.split("/"))).replace(".", "0")
        return (digits if side == "s" else digits[::-1]) + "00"

    def decode(self, text: str) -> str:
        """Return the position of 36 or 38 digits, or of a board's name; South is to move."""
        wrong = re.search(r"[^0-3/]", text)
        if wrong is not None and text not in self.boards:
            raise PositionSyntaxError(
                "a board string has digits 0 to 3", reason="ugi-digits", text=text, at=wrong.start(), length=1
            )
        digits = self.boards.get(text, text).replace("/", "")
        if len(digits) not in (_SQUARES, _SQUARES + 2):
            message = f"a board string has 36 or 38 digits, not {len(digits)}"
            raise PositionSyntaxError(message, reason="ugi-digits", text=text)
        if digits[_SQUARES:].strip("0"):
            raise ImpossiblePositionError("the game is over: a ring lies on a throne", reason="ugi-throne", text=text)
        if not digits.strip("0"):
            raise ImpossiblePositionError("the board has no rings", reason="ugi-setup", text=text)
        for height in "123":
            count = digits.count(height)
            if count > 4:
                message = f"there are {count} rings of height {height}, but a game has at most 4 of each height"
                raise ImpossiblePositionError(message, reason="too-many-rings", text=text)
        rows = [digits[start : start + 6].replace("0", ".") for start in range(0, _SQUARES, 6)]
        return f"gyges {'/'.join(reversed(rows))} s - 1+1"

    def move_of(self, fen: str, ply: str) -> str:
        """Return ``from|to`` or ``from|to|drop`` for a ply in short form."""
        match = _PLY.fullmatch(ply)
        if match is None:
            raise PlySyntaxError("the Universal Gygès Interface has no such move", reason="ugi-move", text=ply)
        turned = fen.split()[2] == "n"
        squares = (match["from"], match["to"] or match["taken"], match["drop"])
        return "|".join(str(number_of(square, turned=turned)) for square in squares if square is not None)

    def ply_of(self, fen: str, move: str) -> str:
        """Return the ply of ``from|to`` or ``from|to|drop``."""
        numbers = [int(number) for number in move.split("|")] if _MOVE.fullmatch(move) else []
        squares = [*numbers[:1], *numbers[2:]]
        if move == _NO_MOVE:
            message = "no move; Beck-Bjella/Gyges answers this if it finds that every move loses"
            raise PlySyntaxError(message, reason="ugi-move", text=move)
        if not numbers or max(squares) >= _SQUARES or numbers[1] > _OTHER_THRONE or numbers[1] == _OWN_THRONE:
            raise PlySyntaxError("a move is from|to or from|to|drop by numbers", reason="ugi-move", text=move)
        turned = fen.split()[2] == "n"
        names = [square_of(number, turned=turned) for number in numbers]
        return f"{names[0]}-{names[1]}" if len(names) == 2 else f"{names[0]}x{names[1]}-{names[2]}"


def _is_before_setup(ranks: str, side: str) -> bool:
    """Return whether a position without an option is one in which South or North sets up."""
    rings = sorted(ranks.replace("/", "").replace(".", ""))
    return not rings or (side == "n" and rings == list("112233") and ranks.startswith("....../" * 5))


def number_of(square: str, *, turned: bool = False) -> int:
    """Return the number of a square or throne.

    :param turned: whether North is player one, so that f6 is 0.
    """
    if square in _THRONES:
        return _OWN_THRONE + (_THRONES.index(square) ^ turned)
    number = 6 * (int(square[1]) - 1) + _FILES.index(square[0])
    return _SQUARES - 1 - number if turned else number


def square_of(number: int, *, turned: bool = False) -> str:
    """Return the name of a square or throne, of which the number is 0 to 37.

    :param turned: whether North is player one, so that f6 is 0.
    """
    if number >= _SQUARES:
        return _THRONES[(number - _OWN_THRONE) ^ turned]
    if turned:
        number = _SQUARES - 1 - number
    return f"{_FILES[number % 6]}{number // 6 + 1}"
