"""Values of games without margins and chance: a win, a loss or a draw for the side to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ringfen.position import Position

#: The value for the side to move, and the distance in plies (None for a draw).
WinValue = tuple[Literal["win", "loss", "draw"], int | None]

DRAW: WinValue = ("draw", None)


def value_after(position: Position, after: Position, value: WinValue) -> WinValue:
    """Return the value of a ply for the side to move in ``position``, from the value of the position after it."""
    kind, distance = value
    if kind == "draw" or distance is None:
        return DRAW
    same_side = after.player == position.player
    return "win" if (kind == "win") == same_side else "loss", distance + 1


def best_plies(position: Position, value_of: Callable[[Position], WinValue]) -> tuple[str, ...]:
    """Return the plies that keep the value of a position, and the distance of a win or loss, in byte order."""
    value = value_of(position)
    return tuple(ply for ply, after in position.successors() if value_after(position, after, value_of(after)) == value)


def plies_that_keep_the_value(position: Position, value_of: Callable[[Position], WinValue]) -> tuple[str, ...]:
    """Return the plies that keep the value of a position, with any distance, in byte order."""
    kind, _ = value_of(position)
    return tuple(
        ply for ply, after in position.successors() if value_after(position, after, value_of(after))[0] == kind
    )


def principal_line(position: Position, value_of: Callable[[Position], WinValue]) -> tuple[str, ...]:
    """Return a line of best play to the end of the game, or to the first repetition if play is endless."""
    line: list[str] = []
    seen = {position}
    while not position.is_over:
        ply = best_plies(position, value_of)[0]
        line.append(ply)
        position = position.apply(ply)
        if position in seen:
            break
        seen.add(position)
    return tuple(line)
