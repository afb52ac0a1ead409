"""Repairs of records that leave no doubt: the mistake has one reading, and what results is legal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ringfen._core import ffi
from ringfen.notation.diagnosing import RecordCheck
from ringfen.notation.diagnostics import Diagnostic, Places
from ringfen.notation.gaps import Number, is_slip, rest_of_line
from ringfen.notation.record import Report
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.results import is_result_for, result_of
from ringfen.notation.splitting import RawRecord
from ringfen.notation.suggesting import is_draw, plain
from ringfen.notation.tags import Place
from ringfen.position import Position
from ringfen.rules import game_ids

if TYPE_CHECKING:
    from ringfen._core import rf_diagnostic

#: How many bytes are read again and again at most: a long record with very many mistakes is left after them.
_MOST_READ: Final = 1 << 30
_EACH: Final = 1 << 14

_KNOWN_TAGS: Final = {
    name.lower(): name
    for name in (
        *("Game", "Event", "Site", "Date", "Round", "South", "North", "Result"),
        *(f"Player{number}" for number in range(1, 7)),
    )
} | {"fen": "FEN"}
_TAG_LINE: Final = re.compile(rb'^[ \t]*\[[ \t]*(\w+)[ \t]+"', re.MULTILINE)
#: White space (that of Unicode, as UTF-8) or a comment.
_ASIDE: Final = re.compile(
    rb"(?:[\s\x1c-\x1f]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
    rb"|\{[^}]*\}|;[^\r\n]*"
)
_PARTS: Final = re.compile(r"[a-z]\d+|[nNsS]\Z")
_SIGNS: Final = re.compile(r"[-x:]")
_BAD_NUMBER: Final = re.compile(rb"0*([1-9]\d{0,8})\.+")
#: A move number at the end, to be searched for in the few bytes before a place, and how dots after it are written.
#: Without a dot it is short: a setup of Gygès has digits alone too.
_NUMBER_BEFORE: Final = re.compile(rb"(?<![^\s(])0*([1-9]\d{0,8}(?=\.)|[1-9]\d{0,2}(?=[ \t]))\.*[ \t]+\Z")
_FEW: Final = 64
_DOTS: Final = {".": b".", "..": b"...", "...": b"...", "…": b"..."}
_COUNTED: Final = re.compile(r"[01](?:-[01])+")
#: A longer word is not repaired, only replaced by what the last position says: it may be as long as the record.
_LONGEST: Final = 1 << 16
#: More gaps between squares than any ply has.
_MOST_GAPS: Final = 8


class Repair(NamedTuple):
    """One change, and where it is made in the record as it was; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    code: str
    before: str
    after: str


class Repaired(NamedTuple):
    """A record after its repairs: its text, what was changed, and what is to be said about it now."""

    data: bytes
    repairs: list[Repair]
    report: Report


class _Edit(NamedTuple):
    at: int
    length: int
    code: str
    after: bytes


class _PlacedReading(RecordCheck):
    """Reading that keeps the place of each diagnostic."""

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report) -> None:
        super().__init__(reader, raw, report)
        self.found: list[tuple[Diagnostic, Place]] = []
        #: Wrong numbers: where they stand, what counting gives, and the position there.
        self.numbers: list[tuple[Place, Number, Position]] = []

    def _error(self, code: str, place: Place, *args: Any, **options: Any) -> None:
        super()._error(code, place, *args, **options)
        self.found.append((self.report.diagnostics[-1], place))

    def _from_core(self, found: rf_diagnostic) -> None:
        super()._from_core(found)
        position = self._standing()
        if ffi.string(found.code) == b"wrong-number" and position is not None:
            expected = Number.of(ffi.string(found.expected).decode("ascii"))
            self.numbers.append((Place(found.at, found.length), expected, position))


def repair(reader: RecordReader, raw: RawRecord, number: int) -> Repaired:
    """Repairs one record as far as there is no doubt; comments, variations and other tags stay.

    :param number: the number of the record in its file.
    """
    places = Places(raw.data, raw.line, raw.column)
    edits: list[_Edit] = []
    repairs: list[Repair] = []
    read = 0
    while True:
        report = Report(reader.source, number, raw.line)
        reading = _PlacedReading(reader, raw, report)
        reading.run()
        read += len(raw.data) + _EACH
        edit = None if raw.too_long or read > _MOST_READ else next(_edits(reading), None)
        if edit is None:
            return Repaired(raw.data, repairs, report)
        before = raw.data[edit.at : edit.at + edit.length]
        at = edit.at
        for earlier in reversed(edits):
            if at >= earlier.at + len(earlier.after):
                at -= len(earlier.after) - earlier.length
            elif at > earlier.at:
                at = earlier.at
        line, column = places.line_and_column(at)
        repairs.append(Repair(line, column, edit.code, before.decode("utf-8", "replace"), edit.after.decode().rstrip()))
        edits.append(edit)
        raw = raw._replace(data=raw.data[: edit.at] + edit.after + raw.data[edit.at + edit.length :])


def _edits(reading: _PlacedReading) -> Iterator[_Edit]:
    """The next repairs, the one to make first."""
    if not reading.found:
        return
    if reading.raw.column > 1 and not reading.data.startswith(b"\n"):
        yield _Edit(0, 0, "missing-line-end", b"\n\n")
    yield from _tag_names(reading)
    yield from _split_numbers(reading)
    for found, place in sorted(reading.found, key=lambda one: one[1].at):
        word = reading.data[place.at : place.at + place.length] if place.length <= _LONGEST else b""
        text = word.decode("utf-8", "replace")
        after = _instead(reading, found, place, text)
        if after is not None and after != text:
            yield _Edit(place.at, place.length, found.code, after.encode())
    # The plies come first: the plies after a number show whether it is only a slip.
    for place, expected, position in reading.numbers:
        end = place.at + place.length
        number = Number.of(reading.data[place.at : end].decode())
        if is_slip(position, expected, number, rest_of_line(reading.data, end)):
            yield _Edit(place.at, place.length, "wrong-number", expected.text().encode())
    report = reading.report
    if report.start is not None and report.game is not None and b"Game" not in reading.tags.values:
        yield _Edit(reading.tags.head(reading.data).at, 0, "missing-game", f'[Game "{report.game.id}"]\n'.encode())


def _tag_names(reading: _PlacedReading) -> Iterator[_Edit]:
    """Tags whose name is one of the usual ones but for its case."""
    values = reading.tags.values
    for match in _TAG_LINE.finditer(reading.data, 0, reading.tags.movetext):
        name = match[1].decode("ascii", "replace")
        right = _KNOWN_TAGS.get(name.lower(), name)
        if right != name and right.encode() not in values and match[1] in values:
            code = "missing-game" if right == "Game" else "missing-tag"
            yield _Edit(match.start(1), len(match[1]), code, right.encode())


def _split_numbers(reading: _PlacedReading) -> Iterator[_Edit]:
    """Move numbers that a space divides, as in ``2. ... c6-c5``."""
    for found, place in reading.found:
        if found.code != "bad-ply" or place.length > 3:
            continue
        dots = _DOTS.get(reading.data[place.at : place.at + place.length].decode("utf-8", "replace"))
        begin = max(reading.tags.movetext, place.at - _FEW)
        number = _NUMBER_BEFORE.search(reading.data[begin : place.at])
        if dots is not None and number is not None:
            at = begin + number.start()
            yield _Edit(at, place.at + place.length - at, found.code, number[1] + dots)


def _instead(reading: _PlacedReading, found: Diagnostic, place: Place, text: str) -> str | None:
    """What has to stand there, if that is sure."""
    report = reading.report
    if found.code == "bad-number":
        number = _BAD_NUMBER.fullmatch(text.encode())
        return f"{number[1].decode()}." if number else None
    if found.code == "unknown-game":
        meant = text.casefold().replace("è", "e")
        return meant if meant in game_ids() else None
    if found.code in ("bad-result", "result-mismatch"):
        if report.start is None:
            return None
        if report.complete and report.outcome is not None:
            return result_of(report.start, report.outcome)
        return _result(report.start, text) if found.code == "bad-result" else None
    if found.code not in ("bad-ply", "illegal-ply", "ply-after-end") or report.start is None:
        return None
    if found.code != "illegal-ply" and _ends_here(reading, place):
        result = _result(found.position or report.start, text)
        if result is not None:
            return result
    if found.position is None or found.code == "ply-after-end":
        return None
    return sure_ply(found.position, text)


def _ends_here(reading: _PlacedReading, place: Place) -> bool:
    at = place.at + place.length
    while at < len(reading.data):
        aside = _ASIDE.match(reading.data, at)
        if aside is None:
            return False
        at = aside.end()
    return True


def _result(position: Position, text: str) -> str | None:
    """A result that is written in another way."""
    word = plain(text)
    if is_draw(word):
        meant = "1/2-1/2"
    else:
        meant = word.replace(":", "-")
        if not _COUNTED.fullmatch(meant):
            return None
    return meant if is_result_for(meant, position) else None


def sure_ply(position: Position, text: str) -> str | None:
    """The only legal ply that a misspelt word can be read as; None if there is none, or more than one.

    Look-alike characters and capitals are read as what they look like; then signs may be missing or exchanged.
    """
    meant = plain(text)
    readings = dict.fromkeys((meant, meant.replace(":", "x")))
    legal = [reading for reading in readings if reading != text and position.is_legal(reading)]
    if not legal:
        legal = [reading for reading in _with_signs(meant) if reading != text and position.is_legal(reading)]
    return legal[0] if len(legal) == 1 else None


def _with_signs(text: str) -> Sequence[str]:
    """The squares of a word with each choice of signs between them."""
    parts = _PARTS.findall(text)
    gaps = len(parts) - 1
    if not 0 < gaps <= _MOST_GAPS or "".join(parts) != _SIGNS.sub("", text):
        return ()
    if parts[-1] in "nNsS":
        parts[-1] = parts[-1].upper()
    return [
        parts[0] + "".join(sign + part for sign, part in zip(signs, parts[1:], strict=True))
        for signs in product("-x", repeat=gaps)
    ]
