"""Visits the main line of a record without building its tree: its positions, or its first plies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ringfen._core import ffi, lib
from ringfen.notation.record import Report
from ringfen.notation.record_checker import RecordChecker
from ringfen.notation.splitting import RawRecord
from ringfen.notation.tree_builder import EVENT, EVENTS

if TYPE_CHECKING:
    from ringfen._core import Chars
    from ringfen.notation.bulk_check import Scanned
    from ringfen.notation.record_reader import PlySelection, RecordReader


class PositionVisitor(RecordChecker):
    """Checks a record and calls a function for selected positions of its main line.

    :param selection: the positions to visit.
    :param visit: is called with the number of plies before the position and with its text.
    """

    def __init__(
        self,
        reader: RecordReader,
        raw: RawRecord,
        report: Report,
        selection: PlySelection,
        visit: Callable[[int, bytes], object],
    ) -> None:
        super().__init__(reader, raw, report)
        self._selection = selection
        self._visit = visit
        #: The number of plies before the last position that was visited.
        self._visited = -1
        self._text_buffer: Chars = ffi.NULL

    def _scan(self) -> None:
        self._has_begun = False
        super()._scan()
        if self._selection.last and self.report.start is not None and self._visited != self.report.plies:
            self._visit_position()

    def use_fast_check(self, scanned: Scanned) -> None:
        """Fill the report from the results of the fast check, and visit the last position."""
        super().use_fast_check(scanned)
        if scanned.last is not None:
            self._visit(scanned.plies, scanned.last.fen.encode())

    def _scan_more(self) -> int:
        if not self._has_begun:
            self._has_begun = True
            self._pause_after(-1)
        step = super()._scan_more()
        if step == lib.RF_SCAN_PAUSE:
            self._visit_position()
            self._pause_after(self.reader.summary.plies)
        return step

    def _pause_after(self, plies: int) -> None:
        pause_at = self._selection.next_after(plies)
        if pause_at is not None:
            lib.rf_scan_pause_at(self.reader.scanner, pause_at)

    def _visit_position(self) -> None:
        start = self.report.start
        if start is None:
            return
        if self._text_buffer == ffi.NULL:
            self._text_buffer = ffi.new("char[]", lib.rf_game_max_text(start.game.cdata))
        state = lib.rf_scan_state(self.reader.scanner)
        size = lib.rf_format(start.game.cdata, start.context.cdata, state, self._text_buffer)
        self._visited = self.reader.summary.plies
        self._visit(self._visited, ffi.unpack(self._text_buffer, size))


class FirstPlies(RecordChecker):
    """Checks a record and keeps the short forms of the first plies of its main line.

    :param most: the maximum number of plies.
    """

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report, most: int) -> None:
        super().__init__(reader, raw, report)
        self._most = most
        #: The number of open variations.
        self._depth = 0
        self.plies: list[str] = []

    def _scan_more(self) -> int:
        if len(self.plies) >= self._most:
            return super()._scan_more()
        reader = self.reader
        if reader.events == ffi.NULL:
            reader.events = ffi.new("rf_event[]", EVENTS)
        step = int(lib.rf_scan(reader.scanner, reader.events, min(EVENTS, self._most)))
        for kind, at, length, _, _, _, text in EVENT.iter_unpack(
            ffi.buffer(reader.events, reader.summary.events * EVENT.size)
        ):
            if kind == lib.RF_EVENT_OPEN:
                self._depth += 1
            elif kind == lib.RF_EVENT_CLOSE:
                self._depth -= 1
            elif kind == lib.RF_EVENT_PLY and not self._depth and len(self.plies) < self._most:
                short = text.partition(b"\0")[0] or self.data[at : at + length]
                self.plies.append(short.decode("ascii", "replace"))
        return step
