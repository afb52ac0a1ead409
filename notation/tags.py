"""The tags at the head of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ringfen._core import ffi, lib
from ringfen.notation.bulk_check import MAX_REPORTED
from ringfen.notation.diagnostics import quoted

#: Tags in their usual form: one per line, nothing to unescape, and a blank line after them.
_PLAIN_TAGS: Final = re.compile(rb'(?:\[\w+ "[^"\\\r\n]*"\]\n)+(?=\n)')
_PLAIN_TAG: Final = re.compile(rb'\[(\w+) "([^"\\\r\n]*)"\]\n')
_PLAIN_LINE: Final = re.compile(r'^\[(\w+) "([^"\\\r\n]*)"\]\n', re.ASCII | re.MULTILINE)

#: The most bytes that the list of plain tags is made of.
_FEW: Final = 1 << 16

_FORM: Final = 'a tag reads [Name "value"]'
TAG_REASONS: Final[Mapping[str, str]] = {
    "unclosed-tag": f'expected a closing bracket after the value; {_FORM}, with \\" for a quote in the value',
    "bad-escape": 'a backslash in a value may only precede " or \\',
    "unclosed-value": "the value has no closing quote on this line",
    "no-value": f"expected a value in double quotes after the name, which has letters a to z, digits and _; {_FORM}",
    "no-name": f"expected a name of letters a to z, digits and _; {_FORM}",
}


class Place(NamedTuple):
    """A piece of a record: byte offset and length."""

    at: int
    length: int


@dataclass(slots=True)
class TagProblem:
    """A malformed tag, or one that was given before."""

    code: str
    place: Place
    reason: str


@dataclass(slots=True)
class Tags:
    """The tags of a record, as bytes, and where the movetext begins.

    ``cut`` says that too much was wrong with them: the rest of the record was not read.
    """

    values: dict[bytes, bytes]
    movetext: int
    problems: list[TagProblem] = field(default_factory=list)
    cut: bool = False

    def place(self, data: bytes, name: str) -> Place:
        """Return the place of the value of a tag in the record (of the first tag if none has this name)."""
        for tag in _tags(data):
            if tag.at >= self.movetext:
                break
            if tag.problem == ffi.NULL and _name(data, tag) == name.encode():
                return Place(tag.value_at, max(1, tag.value_length))
        return self.head(data)

    def head(self, data: bytes) -> Place:
        """Return the place of the first tag of the record; of its first line if there is none."""
        tag = ffi.new("rf_tag *")
        lib.rf_read_tag(data, len(data), 0, tag)
        return Place(tag.at, max(1, tag.length))


def read_tags(data: bytes, most: int = MAX_REPORTED) -> Tags:
    """Return the tags that a record begins with; after ``most`` problems, the rest is not read."""
    plain = _PLAIN_TAGS.match(data, 0, _FEW)
    if plain:
        pairs = _PLAIN_TAG.findall(data, 0, plain.end())
        values = dict(pairs)
        if len(values) == len(pairs):
            return Tags(values, plain.end())
    return _read_any(data, most)


def texts_of_tags(data: bytes) -> dict[str, str]:
    """Return the tags of a record without errors in its tags, as texts."""
    head = data[: data.find(b"\n\n") + 1].decode("utf-8", "replace")
    pairs = _PLAIN_LINE.findall(head)
    if pairs and len(pairs) == head.count("\n"):  # all lines are plain tags
        return dict(pairs)
    values = read_tags(data).values
    return {name.decode("utf-8", "replace"): value.decode("utf-8", "replace") for name, value in values.items()}


def _read_any(data: bytes, most: int) -> Tags:
    tags = Tags({}, 0)
    for tag in _tags(data):
        tags.movetext = tag.at + tag.length
        place = Place(tag.at, tag.length)
        if tag.problem != ffi.NULL:
            tags.problems.append(TagProblem("bad-tag", place, TAG_REASONS[ffi.string(tag.problem).decode()]))
        elif (name := _name(data, tag)) in tags.values:
            reason = f"the tag {quoted(name.decode())} was given before; each may occur once"
            tags.problems.append(TagProblem("duplicate-tag", place, reason))
        else:
            tags.values[name] = _value(data, tag)
        if len(tags.problems) == most:
            # Whatever else there is would only be more of the same.
            tags.movetext = len(data)
            tags.cut = True
            break
    return tags


def _tags(data: bytes) -> Iterator[Any]:
    """Yield the tags, all in the same ``rf_tag``."""
    tag, at = ffi.new("rf_tag *"), 0
    text = ffi.from_buffer(data)
    while lib.rf_read_tag(text, len(data), at, tag):
        yield tag
        at = tag.at + tag.length


def _name(data: bytes, tag: Any) -> bytes:
    return data[tag.name_at : tag.name_at + tag.name_length]


def _value(data: bytes, tag: Any) -> bytes:
    value = data[tag.value_at : tag.value_at + tag.value_length]
    if not tag.escapes:
        return value
    return b"\\".join(part.replace(b'\\"', b'"') for part in value.split(b"\\\\"))
