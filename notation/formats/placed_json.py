"""JSON from other programs, with the place of each text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ringfen.text import NotJsonError, from_json

#: The maximum nesting depth. Deeper nesting is never valid input.
_MAX_DEPTH: Final = 100
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_TEXT: Final = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_WORD: Final = re.compile(r"[-+.0-9A-Za-z]+")
_MAX_WORD: Final = 40


class PlacedText(str):
    """A text of JSON. It begins at ``begin`` with a quote and has ``length`` characters with its quotes."""

    __slots__ = ("begin", "length")
    begin: int
    length: int


class JsonError(ValueError):
    """The text is not JSON; ``at`` is the place."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def placed_json(text: str) -> Any:
    """Return the value of JSON, with :class:`PlacedText` for its texts.

    :raises JsonError: it is not JSON, or is nested too deeply.
    """
    return _Reader(text).value()


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _Reader:
    """Reads one value without recursion."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self) -> Any:
        """Return the only value of the text."""
        #: The open arrays and objects, each with the name of the member that is read.
        around: list[tuple[Any, str | None]] = []
        while True:
            value: Any = self._scalar(len(around))
            if isinstance(value, list | dict):
                around.append((value, None))
                if self._take("]" if isinstance(value, list) else "}"):
                    around.pop()
                else:
                    self._member(around)
                    continue
            while around:
                outer, name = around[-1]
                if isinstance(outer, list):
                    outer.append(value)
                else:
                    outer[name] = value
                if self._take(","):
                    self._member(around)
                    break
                self._expect("]" if isinstance(outer, list) else "}")
                value = around.pop()[0]
            else:
                self._skip()
                if self._at < len(self._text):
                    raise JsonError("text follows the value", self._at)
                return value

    def _member(self, around: list[tuple[Any, str | None]]) -> None:
        """Read the name of a member if the innermost value is an object."""
        outer, _ = around[-1]
        if isinstance(outer, dict):
            self._skip()
            at = self._at
            name = self._string()
            if name in outer:
                raise JsonError("the name is given twice", at)
            self._expect(":")
            around[-1] = outer, name

    def _scalar(self, depth: int) -> Any:
        """Read a scalar, or the bracket that opens an array or object."""
        if self._take("["):
            return self._opened([], depth)
        if self._take("{"):
            return self._opened({}, depth)
        at = self._at
        if self._text.startswith('"', at):
            return self._string()
        word = _WORD.match(self._text, at)
        try:
            if word is not None and len(word[0]) <= _MAX_WORD:
                value = json.loads(word[0], parse_constant=_refuse)
                self._at = word.end()
                return value
        except ValueError:
            pass
        raise JsonError("expected a value", at)

    def _opened(self, value: Any, depth: int) -> Any:
        if depth >= _MAX_DEPTH:
            raise JsonError(f"brackets are nested more than {_MAX_DEPTH} deep", self._at - 1)
        return value

    def _string(self) -> PlacedText:
        found = _TEXT.match(self._text, self._at)
        if found is None:
            raise JsonError("expected a text in quotes", self._at)
        try:
            value = PlacedText(from_json(found[0]))
        except NotJsonError:
            raise JsonError("the text cannot be read: an escape is invalid", self._at) from None
        except ValueError as error:
            raise JsonError(f"the text cannot be read: {error}", self._at) from None
        value.begin, value.length = found.start(), len(found[0])
        self._at = found.end()
        return value

    def _take(self, mark: str) -> bool:
        """Return whether a mark is next, and pass it."""
        self._skip()
        if not self._text.startswith(mark, self._at):
            return False
        self._at += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise JsonError(f"expected {mark}", self._at)

    def _skip(self) -> None:
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
