"""The tags at the head of a record."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

#: Tags as they are nearly always written, one a line and nothing to unescape, and a blank line after them.
_PLAIN_TAGS: Final = re.compile(rb'(?:\[\w+ "[^"\\\r\n]*"\]\n)+(?=\n)')
_PLAIN_TAG: Final = re.compile(rb'\[(\w+) "([^"\\\r\n]*)"\]\n')

#: What may stand before a tag, or before the movetext: blanks, line ends, lines with % in column 1.
_BETWEEN: Final = re.compile(rb"[ \t\r\n]*(?:(?:(?<=[\r\n])|\A)%[^\r\n]*[ \t\r\n]*)*")
_TAG: Final = re.compile(rb'\[[ \t]*(\w+)[ \t]*"((?:[^"\\\r\n]|\\["\\])*)"[ \t]*\]')
_ESCAPED: Final = re.compile(rb"\\(.)")

# What is wrong with a tag, from the most to the least that could be read of it.
_UNCLOSED_BRACKET: Final = re.compile(rb'\[[ \t]*\w+[ \t]*"(?:[^"\\\r\n]|\\["\\])*"')
_BAD_ESCAPE: Final = re.compile(rb'\[[ \t]*\w+[ \t]*"(?:[^"\\\r\n]|\\["\\])*\\')
_UNCLOSED_STRING: Final = re.compile(rb'\[[ \t]*\w+[ \t]*"')
_NAME_ONLY: Final = re.compile(rb"\[[ \t]*\w+")


class Place(NamedTuple):
    """A piece of a record: byte offset and length."""

    at: int
    length: int


@dataclass(slots=True)
class TagProblem:
    """A tag that is no tag, or that was given before."""

    code: str
    place: Place
    reason: str


@dataclass(slots=True)
class Tags:
    """The tags of a record, as bytes, and where the movetext begins."""

    values: dict[bytes, bytes]
    movetext: int
    problems: list[TagProblem] = field(default_factory=list)

    def place(self, data: bytes, name: str) -> Place:
        """Where the value of a tag stands in the record (the record's first byte if there is no such tag)."""
        for match in _matches(data, self.movetext):
            if match[1] == name.encode():
                return Place(match.start(2), max(1, len(match[2])))
        return self.head(data)

    def head(self, data: bytes) -> Place:
        """The first tag of the record, or whatever it begins with."""
        between = _BETWEEN.match(data)
        at = between.end() if between else 0
        match = _TAG.match(data, at)
        return Place(at, match.end() - at if match else 1)


def read_tags(data: bytes) -> Tags:
    """The tags that a record begins with."""
    plain = _PLAIN_TAGS.match(data)
    if plain:
        pairs = _PLAIN_TAG.findall(data, 0, plain.end())
        values = dict(pairs)
        if len(values) == len(pairs):
            return Tags(values, plain.end())
    return _read_any(data)


def _read_any(data: bytes) -> Tags:
    tags = Tags({}, 0)
    at = _past_blanks(data, 0)
    while data[at : at + 1] == b"[":
        match = _TAG.match(data, at)
        if match is None:
            at = _bad_tag(data, at, tags)
        else:
            name, value = match[1], _ESCAPED.sub(rb"\1", match[2])
            if name in tags.values:
                reason = f"the tag {name.decode()} was given before; each stands once"
                tags.problems.append(TagProblem("duplicate-tag", Place(at, match.end() - at), reason))
            tags.values.setdefault(name, value)
            at = match.end()
        tags.movetext = at
        at = _past_blanks(data, at)
    return tags


def _matches(data: bytes, end: int) -> list[re.Match[bytes]]:
    return list(_TAG.finditer(data, 0, end))


def _past_blanks(data: bytes, at: int) -> int:
    between = _BETWEEN.match(data, at)
    return between.end() if between else at


def _bad_tag(data: bytes, at: int, tags: Tags) -> int:
    """Notes what is wrong with the tag that should begin at ``at``; the end of its line."""
    ends = [end for end in (data.find(b"\n", at), data.find(b"\r", at)) if end >= 0]
    line_end = min(ends, default=len(data))
    if _UNCLOSED_BRACKET.match(data, at, line_end):
        reason = 'the bracket is not closed; a tag reads [Name "value"]'
    elif _BAD_ESCAPE.match(data, at, line_end):
        reason = 'a backslash in a value stands before " or \\ only'
    elif _UNCLOSED_STRING.match(data, at, line_end):
        reason = "the value has no closing quote on this line"
    elif _NAME_ONLY.match(data, at, line_end):
        reason = 'a value in double quotes is expected after the name; a tag reads [Name "value"]'
    else:
        reason = 'a name of letters, digits and _ is expected; a tag reads [Name "value"]'
    tags.problems.append(TagProblem("bad-tag", Place(at, line_end - at), reason))
    return line_end
