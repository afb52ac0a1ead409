"""The games: a module or folder for each, with the text of its rules. Start with :func:`game` and ``base.py``."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ringfen.errors import PositionSyntaxError
from ringfen.rules.base import Context, Game, StartOption, TableRules, bad_start, core_games
from ringfen.text import require_str

__all__ = [
    "Context",
    "Game",
    "StartOption",
    "TableRules",
    "bad_start",
    "game",
    "game_by_id",
    "game_ids",
    "games",
    "games_with_tables",
    "table_rules",
]


def game_ids() -> tuple[str, ...]:
    """Return the ids of all games, in a fixed order."""
    return tuple(core_games())


def game_by_id(game_id: str) -> Game:
    """Return the game with this id.

    :raises TypeError: The id is not a text.
    :raises ringfen.PositionSyntaxError: There is no such game (reason ``unknown-game``).
    """
    return _game_by_id(require_str("the id of a game", game_id))


@cache
def _game_by_id(game_id: str) -> Game:
    if game_id not in core_games():
        shown = game_id if len(game_id) <= 24 else game_id[:24] + "…"
        message = f"no game with the id {shown!r}; the games are {', '.join(core_games())}"
        raise PositionSyntaxError(message, reason="unknown-game", text=game_id, length=len(game_id))
    found: Game = import_module(f"ringfen.rules.{game_id}").GAME
    return found


def games() -> tuple[Game, ...]:
    """Return all games, in a fixed order."""
    return tuple(map(game_by_id, game_ids()))


def game(game_id: str) -> Game:
    """Return the game with this id, such as ``"gyges"``.

    :raises TypeError: The id is not a text.
    :raises ringfen.PositionSyntaxError: There is no such game (reason ``unknown-game``).
    """
    if not isinstance(game_id, str):
        raise TypeError(f"a game's id must be a str, not {type(game_id).__name__}")
    return game_by_id(game_id)


def games_with_tables() -> tuple[str, ...]:
    """Return the ids of the games that have endgame tables."""
    return tuple(game_id for game_id in game_ids() if game_by_id(game_id).tables is not None)


def table_rules(game_id: str) -> TableRules:
    """Return the table rules of a game.

    :raises ValueError: The game has no tables.
    """
    rules = game_by_id(game_id).tables
    if rules is None:
        raise ValueError(f"{game_id} has no endgame tables")
    return rules
