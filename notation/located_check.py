"""Checks a record and keeps the place of each diagnostic, and what its move numbers show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringfen._core import ffi
from ringfen.notation.bulk_check import MAX_REPORTED
from ringfen.notation.diagnostics import Diagnostic
from ringfen.notation.missing_plies import MoveNumber, is_again, is_number_slip, rest_of_line
from ringfen.notation.record import Report
from ringfen.notation.record_checker import RecordChecker
from ringfen.notation.splitting import RawRecord
from ringfen.notation.tags import Place
from ringfen.position import Position

if TYPE_CHECKING:
    from ringfen._core import rf_diagnostic
    from ringfen.notation.record_reader import RecordReader


class LocatedCheck(RecordChecker):
    """A check that keeps the place of each diagnostic. It suggests nothing, since it is repeated after each repair."""

    _suggests = False

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report) -> None:
        super().__init__(reader, raw, report)
        self.found: list[tuple[Diagnostic, Place]] = []
        #: Where the text of each diagnostic begins and ends, with its code.
        self.begins: set[tuple[str, int]] = set()
        self.ends: set[tuple[str, int]] = set()
        #: The position at the end of the main line, if the result is wrong or more than comments follows it.
        self.last: Position | None = None
        #: Wrong numbers: where they stand, what counting gives, and the position there.
        self.numbers: list[tuple[Place, MoveNumber, Position]] = []
        #: The positions at numbers that are no move numbers, and at results in variations, by their places.
        self.at_numbers: dict[int, Position] = {}

    def _error(self, code: str, place: Place, *args: Any, **options: Any) -> None:
        super()._error(code, place, *args, **options)
        self.found.append((self.report.diagnostics[-1], place))
        if code in ("text-after-result", "bad-result"):
            self.last = self._current_position()
        self.begins.add((code, place.at))
        self.ends.add((code, place.at + place.length))

    def _add_core_diagnostic(self, found: rf_diagnostic) -> None:
        super()._add_core_diagnostic(found)
        position = self._current_position()
        code = ffi.string(found.code)
        if code in (b"bad-number", b"misplaced-result") and position is not None:
            self.at_numbers[found.at] = position
        if code == b"wrong-number" and position is not None:
            expected = MoveNumber.of(ffi.string(found.expected).decode("ascii"))
            self.numbers.append((Place(found.at, found.length), expected, position))


def end_before(data: bytes, at: int) -> int:
    """Return where the text before a place ends, without white space."""
    while at and data[at - 1 : at].isspace():
        at -= 1
    return at


def shows_gap(reader: RecordReader, raw: RawRecord, number: int) -> bool:
    """Return whether a wrong move number of a record shows that plies before it may be missing.

    Renumbering such a record would hide the gap.

    :param number: the number of the record in its file.
    """
    checked = check_with_places(reader, raw, number)
    return any(not is_number_slip_at(checked, *wrong) for wrong in checked.numbers)


def is_number_slip_at(checked: LocatedCheck, place: Place, expected: MoveNumber, position: Position) -> bool:
    """Return whether a wrong number can be corrected without hiding a gap."""
    end = place.at + place.length
    number = MoveNumber.of(checked.data[place.at : end].decode())
    if number.is_after(expected) and ("stray-number", end_before(checked.data, place.at)) in checked.ends:
        return False  # Plies are missing between the two numbers.
    if not number.is_after(expected) and is_again(checked.data, place.at, end, position):
        return False  # It is the trace of plies that are written twice.
    return is_number_slip(position, expected, number, rest_of_line(checked.data, end))


def check_with_places(reader: RecordReader, raw: RawRecord, number: int, most: int = MAX_REPORTED) -> LocatedCheck:
    """Check one record and keep the places of its diagnostics.

    :param number: the number of the record in its file.
    :param most: the most errors, and the most warnings, of the movetext that are reported.
    """
    checked = LocatedCheck(reader, raw, Report(reader.source, number, raw.line))
    checked._most = most
    checked.check()
    return checked
