"""Checks before a record is written: comments, tags and start position must have a written form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ringfen.errors import RecordError
from ringfen.notation.bulk_check import default_start
from ringfen.notation.diagnostics import quoted
from ringfen.notation.record import Record
from ringfen.notation.results import result_of
from ringfen.notation.tag_errors import TagError, game_error, players_error, players_of, result_error
from ringfen.position import Position
from ringfen.rules import Game

TAG_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
LINE_END: Final = re.compile(r"[\r\n]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def no_form(words: str, text: str) -> RecordError:
    """Return the error for a text that cannot be written."""
    return RecordError(words, reason="no-written-form", text=text, length=len(text))


def check_text(text: object, what: str) -> None:
    """Check that UTF-8 can encode a text.

    :raises ringfen.RecordError: it is not.
    :raises TypeError: it is no text at all.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if not text.isascii() and _SURROGATE.search(text):
        raise no_form(f"{what} contains half of a surrogate pair, which is not a character", text)


def check_comment(comment: str) -> None:
    """Check that a comment can be written.

    :raises ringfen.RecordError: it cannot.
    """
    check_text(comment, "a comment")
    if "}" in comment and LINE_END.search(comment):
        raise no_form("a comment with } must be on one line, but this one has a line end", comment)


def check_tags(record: Record) -> None:
    """Check that the tags can be written, and read back as this game, start position and result.

    :raises ringfen.RecordError: they cannot.
    :raises TypeError: they are not a dict, or a name or a value is not a text.
    """
    if not isinstance(record.tags, Mapping):
        raise TypeError(f"tags must be a dict of str, not {type(record.tags).__name__}")
    for name, value in record.tags.items():
        check_text(name, "the name of a tag")
        if not TAG_NAME.fullmatch(name):
            raise no_form(f"{quoted(name)} is not a name of a tag: letters, digits and _ are", name)
        check_text(value, f"the tag {name}")
        if LINE_END.search(value):
            raise no_form(f"the tag {name} has a line end in it", value)
    start, tags = record.begin, record.tags
    _raise_if(game_error(tags, start.game), tags)
    if "FEN" in tags:
        if tags["FEN"] != start.fen:
            raise _mismatch("start-mismatch", f"the tag FEN is not the start position, {start.fen}", tags["FEN"])
        _raise_if(players_error(tags, start.game, start), tags)
    elif start_of(start.game, tags) != start:
        raise _mismatch("start-mismatch", "it does not begin from the usual start, and has no tag FEN", start.fen)
    elif record.first_number != 1:
        raise _mismatch("bad-number", "without a tag FEN the first round is 1", str(record.first_number))
    if tags.get("Result", record.result) != record.result:
        raise _mismatch("result-mismatch", f"the tag Result is not {record.result}", tags["Result"])
    decided = None if record.outcome is None else result_of(start, record.outcome)
    _raise_if(result_error(record.result, start, decided), {"Result": record.result})


def _raise_if(error: TagError | None, tags: Mapping[str, str]) -> None:
    """Raise the error, if there is one."""
    if error is not None:
        text = tags.get(error.tag, "")
        words = f"{error.tag} {quoted(text)}: {error.reason}" if text else error.reason
        raise _mismatch(error.code, words, text)


def _mismatch(reason: str, words: str, text: str) -> RecordError:
    return RecordError(words, reason=reason, text=text, length=len(text))


def start_of(game: Game, tags: Mapping[str, str]) -> Position:
    """Return the usual start, in GRAN for as many players as the tags name.

    :raises ringfen.RecordError: there is none for these players.
    """
    _raise_if(players_error(tags, game), tags)
    return default_start(game, players_of(tags, game))
