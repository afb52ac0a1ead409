"""Tags that are set in every record of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ringfen.errors import RingfenError
from ringfen.notation.reading import parse_record
from ringfen.notation.record import FIRST_TAGS, Record
from ringfen.notation.tag_errors import date_error, result_error
from ringfen.notation.writing import escaped, write_record
from ringfen.position import Position
from ringfen.rules import game_ids
from ringfen.text import printable

_NAME: Final = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
#: Tags that decide whether a record is valid, or whose place depends on the game.
_CHECKED: Final = re.compile(r"Game|FEN|Result|South|North|Player[1-9]", re.ASCII)
_KNOWN: Final = (*FIRST_TAGS, "South", "North", *(f"Player{number}" for number in range(1, 7)), "Result", "FEN")
_FIRST: Final = tuple(name.encode() for name in FIRST_TAGS)


class TagSetter:
    """Sets tags, and removes those with an empty value.

    :param texts: ``NAME=VALUE``; a later one replaces an earlier one of the same name.
    :param board_path: Where the boards of GRAN positions are.
    :raises ValueError: A text is not of this form, or its value is invalid in every record.
    """

    def __init__(self, texts: Sequence[str], board_path: Sequence[Path] = ()) -> None:
        self._board_path = board_path
        self._tags: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"expected NAME=VALUE, not {text[:40]!r}")
            if not _NAME.fullmatch(name):
                raise ValueError(f"the name of a tag has only letters from A to Z, digits and _, not {name[:40]!r}")
            known = next((one for one in _KNOWN if one.lower() == name.lower()), name)
            if name != known:
                raise ValueError(f"the tag is written {known}, not {name[:40]}")
            if _CONTROL.search(value):
                raise ValueError(f"the value of {name} contains a control character")
            reason = self._value_error(name, value) if value else None
            if reason is not None:
                raise ValueError(f"{name} {value[:40]!r}: {reason}")
            self._tags[name] = value
        #: Whether a record has to be checked again.
        self.needs_check = any(map(_CHECKED.fullmatch, self._tags))
        self._lines = {
            name.encode(): f'[{name} "{escaped(value)}"]'.encode() if value else b""
            for name, value in self._tags.items()
        }

    def in_text(self, text: bytes) -> bytes:
        """Return records in canonical form, as the C core writes them, with the tags set.

        There, a line without text ends the tags of a record, and one ends its movetext; no other line is empty.
        """
        if not self._tags:
            return text
        blocks = text.split(b"\n\n")
        blocks[:-1:2] = map(self._in_head, blocks[:-1:2])
        return b"\n\n".join(blocks)

    def _in_head(self, head: bytes) -> bytes:
        lines = {line[1 : line.index(b" ")]: line for line in head.split(b"\n")}
        for name, line in self._lines.items():
            if line:
                lines[name] = line
            else:
                lines.pop(name, None)
        first = [lines.pop(name) for name in _FIRST if name in lines]
        return b"\n".join([*first, *lines.values()])

    def in_record(self, record: Record, *, short: bool) -> str:
        """Return the canonical text of a record with the tags set.

        :raises ringfen.RingfenError: The tags make the record invalid.
        """
        try:
            text = self._rewritten(record, short)
        except RingfenError as error:
            where = f"{record.source}: record {record.number}"
            raise RingfenError(f"{where}: --set makes the record invalid: {error.message}") from None
        return text

    def _rewritten(self, record: Record, short: bool) -> str:
        for name, value in self._tags.items():
            if name == "Result" and value:
                record.result = value
            elif value:
                record.tags[name] = value
            else:
                record.tags.pop(name, None)
        text = write_record(record, short=short)
        if self.needs_check:
            again = parse_record(text, name=record.source, board_path=self._board_path)
            for diagnostic in again.diagnostics:
                if diagnostic.is_error:
                    raise RingfenError(diagnostic.message)
        return text

    def _value_error(self, name: str, value: str) -> str | None:
        """Return why no record can have this value of a tag; None if one can."""
        if name == "Game" and value not in game_ids():
            return f"the games are {', '.join(game_ids())}"
        if name == "FEN":
            if " " not in value:
                return "expected a whole position"
            try:
                Position(value, board_path=self._board_path)
            except RingfenError as error:
                return printable(error.message)
        found = date_error({"Date": value}) if name == "Date" else None
        if name == "Result":
            found = result_error(value, None, None)
        return None if found is None else found.reason
