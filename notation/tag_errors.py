"""What is wrong with tags that say something about the game: one answer for records that are read and that are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ringfen.notation.dates import has_form, is_date
from ringfen.notation.results import is_result, is_result_for, results_for
from ringfen.position import Position
from ringfen.rules import Game

NO_GAME: Final = 'a Game tag is needed, such as [Game "gyges"], or a FEN tag'


class TagError(NamedTuple):
    """A code of ``diagnostics.CODES``, the tag that it concerns, and the reason in words."""

    code: str
    tag: str
    reason: str


def game_error(tags: Mapping[str, str], game: Game) -> TagError | None:
    """Whether the tags give the game of the start position."""
    if "Game" not in tags and "FEN" not in tags:
        return TagError("missing-game", "Game", NO_GAME)
    if tags.get("Game", game.id) != game.id:
        where = "the FEN tag has" if "FEN" in tags else "the record begins with"
        return TagError("game-mismatch", "Game", f"{where} a position of {game.id}")
    return None


def players_of(tags: Mapping[str, str], game: Game) -> int:
    """Return the highest number of a player's tag in games for more than two; else 0."""
    return max(_numbers(tags), default=0) if game.players[1] > 2 else 0


def players_error(tags: Mapping[str, str], game: Game, start: Position | None = None) -> TagError | None:
    """Whether the numbers of the players have a gap, or are not as many as can play.

    :param start: the position of the FEN tag; None: the game starts as usual.
    """
    least, most = game.players
    if most <= 2:
        return None
    there = _numbers(tags)
    for expected, number in enumerate(there, 1):
        if number != expected:
            return TagError("bad-players", f"Player{number}", f"there is no tag Player{expected}")
    players = len(there)
    if start is not None:
        if players > start.players:
            reason = f"the position has {start.players} players"
            return TagError("bad-players", f"Player{start.players + 1}", reason)
    elif players and not least <= players <= most:
        return TagError("bad-players", f"Player{players}", f"{game.name} has {least} to {most} players, not {players}")
    return None


def _numbers(tags: Mapping[str, str]) -> list[int]:
    return [number for number in range(1, 10) if f"Player{number}" in tags]


def date_error(tags: Mapping[str, str]) -> TagError | None:
    """Whether the date has another form than dates of records have, or is no day of the calendar."""
    date = tags.get("Date", "")
    if is_date(date):
        return None
    form = "a date is YYYY.MM.DD, such as 1998.03.12, with ? for each unknown digit"
    return TagError("bad-date", "Date", "the calendar has no such day" if has_form(date) else form)


def result_error(result: str, start: Position | None, decided: str | None) -> TagError | None:
    """Whether a result fits the game, and how it ended.

    :param start: the start position; None: it is not known.
    :param decided: the result of a game that is over.
    """
    if start is not None and not is_result_for(result, start):
        return TagError("bad-result", "Result", f"a result here is {results_for(start)}")
    if start is None and not is_result(result):
        return TagError("bad-result", "Result", "it is not a result of any game")
    if decided not in (None, result):
        return TagError("result-mismatch", "Result", f"the last position says {decided}")
    return None
