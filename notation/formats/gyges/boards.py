"""Boards of Gygès as 36 or 38 digits from a1 to f6, as the Beck-Bjella programs write them."""

from __future__ import annotations

from typing import Final

from ringfen.errors import ImpossiblePositionError, PositionSyntaxError, RingfenError
from ringfen.notation.formats.building import RecordBuilder, cannot
from ringfen.position import Position
from ringfen.rules import game_by_id

_SETUP: Final = list("112233")
_EMPTY: Final = "......"


def start_from_board(builder: RecordBuilder, digits: str, at: int, side: str = "s", *, set_up: bool = False) -> bool:
    """Set the start of a record to a board; an error is reported. Return whether there is none.

    :param at: the place of the board in the text.
    :param side: the side to move.
    :param set_up: whether a board on which only the setups were made stands for the two setups.
    """
    try:
        _, ranks, *rest = game_by_id("gyges").engine_notation.decode(digits).split()
    except RingfenError as error:
        code = "bad-position" if isinstance(error, PositionSyntaxError) else "impossible-position"
        builder.error(code, at + error.at, error.length or len(digits), error.message)
        return False
    north, *middle, south = ranks.split("/")
    if set_up and set(middle) == {_EMPTY} and sorted(north) == sorted(south) == _SETUP:
        return (
            builder.start("gyges", at, len(digits))
            and builder.play(south, at, len(digits))
            and builder.play(north, at, len(digits))
        )
    is_like_setup = side == "n" and sorted(ranks.replace("/", "").replace(".", "")) == _SETUP == sorted(south)
    option = " setup=done" if is_like_setup else ""
    return builder.start("gyges", at, len(digits), fen=f"gyges {ranks} {side} {' '.join(rest[1:])}{option}")


def board_of(position: Position) -> str:
    """Return the 38 digits of a position, from South's side.

    :raises ringfen.RecordError: a board cannot express it.
    """
    notation = game_by_id("gyges").engine_notation
    try:
        digits = notation.encode(position.fen)
    except ImpossiblePositionError as error:
        raise cannot(error.message) from error
    return digits if position.player == "s" else digits[35::-1] + digits[36:]


def check_goals(position: Position, form: str) -> None:
    """Check that each player has one conquest to make.

    :raises ringfen.RecordError: another number is left.
    """
    if position.fen.split()[4] != "1+1":
        raise cannot(f"in {form} each player has one conquest to make")
