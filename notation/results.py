"""Results of games, as tags and movetext give them."""

from __future__ import annotations

import re
from typing import Final

from ringfen.position import Outcome, Position

_RESULT: Final = re.compile(r"\*|[01]-[01](-[01])*|1/2-1/2")
#: The results of games for two, by outcome.
_OF_TWO: Final = {"s": "1-0", "n": "0-1", "draw": "1/2-1/2"}


def is_result(text: str) -> bool:
    """Return whether this can be a result of any game."""
    return _RESULT.fullmatch(text) is not None


def result_of(position: Position, outcome: Outcome) -> str:
    """Return the result that a finished game has.

    :raises ValueError: it is not over.
    """
    if outcome is None:
        raise ValueError("a game that is not over has no result")
    if isinstance(outcome, int):
        return "-".join("1" if player == outcome else "0" for player in range(1, position.players + 1))
    return _OF_TWO[outcome]


def is_result_for(result: str, start: Position) -> bool:
    """Return whether this can be the result of a game from this start."""
    if result == "*":
        return True
    if start.game.players[1] <= 2:
        return result in _OF_TWO.values()
    numbers = result.split("-")
    return len(numbers) == start.players and sorted(numbers) == ["0"] * (start.players - 1) + ["1"]


def results_for(start: Position) -> str:
    """Return the results that a game from this start can have, in words."""
    if start.game.players[1] <= 2:
        return "1-0, 0-1, 1/2-1/2 or *"
    example = "-".join(["1"] + ["0"] * (start.players - 1))
    return f"* or {start.players} numbers, a single 1 and otherwise 0, such as {example}"
