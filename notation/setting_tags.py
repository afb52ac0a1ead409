"""Tags that are set in every record of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ringfen.errors import RingfenError
from ringfen.notation.reading import parse_record
from ringfen.notation.record import FIRST_TAGS, Record
from ringfen.notation.writing import escaped, write_record

_NAME: Final = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
#: Tags that decide whether a record is valid, or whose place depends on the game.
_CHECKED: Final = re.compile(r"Game|FEN|Result|South|North|Player[1-9]", re.ASCII)
_KNOWN: Final = (*FIRST_TAGS, "South", "North", *(f"Player{number}" for number in range(1, 7)), "Result", "FEN")
_FIRST: Final = tuple(name.encode() for name in FIRST_TAGS)


class TagSetter:
    """Sets tags, and removes those with an empty value.

    :param texts: ``NAME=VALUE``; a later one replaces an earlier one of the same name.
    :raises ValueError: A text is not of this form.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._tags: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals or not _NAME.fullmatch(name):
                raise ValueError(f"NAME=VALUE is expected, not {text[:40]!r}")
            known = next((one for one in _KNOWN if one.lower() == name.lower()), name)
            if name != known:
                raise ValueError(f"the tag is written {known}, not {name[:40]}")
            if _CONTROL.search(value):
                raise ValueError(f"the value of {name} contains a control character")
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
        for name, value in self._tags.items():
            if name == "Result" and value:
                record.result = value
            elif value:
                record.tags[name] = value
            else:
                record.tags.pop(name, None)
        text = write_record(record, short=short)
        if self.needs_check:
            again = parse_record(text, name=record.source)
            for diagnostic in again.diagnostics:
                if diagnostic.is_error:
                    raise RingfenError(f"the tags make record {record.number} invalid: {diagnostic.message}")
        return text
