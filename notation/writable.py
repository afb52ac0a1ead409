"""Whether a record that a program made has a written form, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from ringfen.errors import RecordError
from ringfen.notation.diagnostics import quoted
from ringfen.notation.record import Record
from ringfen.notation.results import is_result_for, result_of
from ringfen.position import Position
from ringfen.rules import Game

TAG_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
LINE_END: Final = re.compile(r"[\r\n]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def no_form(words: str, text: str) -> RecordError:
    """The error for a text that cannot be written."""
    return RecordError(words, reason="no-written-form", text=text, length=len(text))


def check_text(text: object, what: str) -> None:
    """Whether this is a text that UTF-8 can hold.

    :raises ringfen.RecordError: it is not.
    :raises TypeError: it is no text at all.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    if not text.isascii() and _SURROGATE.search(text):
        raise no_form(f"{what} holds half of a surrogate pair, which is not a character", text)


def check_comment(comment: str) -> None:
    """Whether a comment can be written.

    :raises ringfen.RecordError: it cannot.
    """
    check_text(comment, "a comment")
    if "}" in comment and LINE_END.search(comment):
        raise no_form("a comment with } stands on one line, and this one has a line end", comment)


def check_nag(nag: int) -> None:
    """Whether a NAG can be written.

    :raises ringfen.RecordError: it cannot.
    :raises TypeError: it is not a number.
    """
    if type(nag) is not int:
        raise TypeError(f"a NAG is an int, not {type(nag).__name__}")
    if not 0 <= nag <= 255:
        raise no_form(f"a NAG is a number from 0 to 255, not {quoted(str(nag))}", str(nag))


def check_tags(record: Record) -> None:
    """Whether the tags can be written, and read back as this game, start position and result.

    :raises ringfen.RecordError: they cannot.
    :raises TypeError: they are not a dict, or a name or a value is not a text.
    """
    if not isinstance(record.tags, Mapping):
        raise TypeError(f"tags are a dict of str, not {type(record.tags).__name__}")
    for name, value in record.tags.items():
        check_text(name, "the name of a tag")
        if not TAG_NAME.fullmatch(name):
            raise no_form(f"{quoted(name)} is not a name of a tag: letters, digits and _ are", name)
        check_text(value, f"the tag {name}")
        if LINE_END.search(value):
            raise no_form(f"the tag {name} has a line end in it", value)
    start, tags = record.begin, record.tags
    if "Game" not in tags and "FEN" not in tags:
        raise _mismatch("missing-game", "a Game tag, or a FEN tag, is needed", "")
    if tags.get("Game", start.game.id) != start.game.id:
        raise _mismatch("game-mismatch", f"the tag Game does not say {start.game.id}", tags["Game"])
    if "FEN" in tags:
        if tags["FEN"] != start.fen:
            raise _mismatch("start-mismatch", f"the tag FEN is not the start position, {start.fen}", tags["FEN"])
        if start.game.players[1] > 2 and _players(start.game, tags) > start.players:
            raise _mismatch("bad-players", f"the start position has {start.players} players", "")
    elif start_of(start.game, tags) != start:
        raise _mismatch("start-mismatch", "it does not begin as its game usually does, and has no tag FEN", start.fen)
    elif record.first_number != 1:
        raise _mismatch("bad-number", "without a tag FEN the first round is 1", str(record.first_number))
    if tags.get("Result", record.result) != record.result:
        raise _mismatch("result-mismatch", f"the tag Result is not {record.result}", tags["Result"])
    decided = None if record.outcome is None else result_of(start, record.outcome)
    if not is_result_for(record.result, start) or decided not in (None, record.result):
        raise _mismatch("result-mismatch", f"the game cannot have the result {record.result}", record.result)


def _mismatch(reason: str, words: str, text: str) -> RecordError:
    return RecordError(words, reason=reason, text=text, length=len(text))


def _players(game: Game, tags: Mapping[str, str]) -> int:
    """How many players the tags name.

    :raises ringfen.RecordError: there is a gap.
    """
    there = [number for number in range(1, 10) if f"Player{number}" in tags]
    if there != list(range(1, len(there) + 1)):
        raise _mismatch("bad-players", "the tags of the players have a gap", f"Player{there[-1]}")
    return len(there)


def start_of(game: Game, tags: Mapping[str, str]) -> Position:
    """The usual start, in GRAN for as many players as the tags name.

    :raises ringfen.RecordError: there is none for this number of players.
    """
    least, most = game.players
    players = _players(game, tags) if most > 2 else 0
    if players and not least <= players <= most:
        words = f"{game.name} has {least} to {most} players, not {players}"
        raise _mismatch("bad-players", words, f"Player{players}")
    return _usual_start(game, players)


@cache
def _usual_start(game: Game, players: int) -> Position:
    return Position(game.start(players=str(players)) if players else game.usual_start)
