"""The records of a source, read for one purpose: a report, the tree, some positions, some plies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from ringfen._core import ffi, lib
from ringfen.memory import owned
from ringfen.notation.bulk_check import BulkCheck, CheckedSplitting, CleanRecords
from ringfen.notation.splitting import RawRecord
from ringfen.position import Position

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen._core import Array, rf_event, rf_search_target
    from ringfen.notation.record import Record, Report
    from ringfen.notation.selecting import Pattern


class RecordReader:
    """Reads the records of one source, numbering them.

    :param source: what diagnostics call it.
    :param board_path: directories to search for boards.
    """

    def __init__(self, source: str, *, board_path: Sequence[Path] = ()) -> None:
        self.source = source
        # The rest is for the reading of one record, which RecordCheck and what is derived from it do.
        self.board_path = board_path
        self.scanner = owned(lib.rf_scanner_new(), lib.rf_scanner_free)
        self.job = ffi.new("rf_scan_job *")
        self.summary = lib.rf_scan_summary_of(self.scanner)
        self.events: Array[rf_event] = ffi.NULL
        self.default_starts: dict[tuple[str, int], Position] = {}
        self.bulk_check = BulkCheck(self.scanner)
        self._count = 0
        #: Threads that :meth:`bulk_checked` uses.
        self.jobs = 1
        self._sought: Array[rf_search_target] = ffi.NULL

    def bulk_checked(
        self,
        stream: BinaryIO,
        max_record: int,
        *,
        each: bool,
        keep: bool = False,
        last: bool = False,
        form: int | None = None,
    ) -> Iterator[RawRecord | CleanRecords]:
        """The records of a stream that :meth:`report` or :meth:`record` has to check, in their order, and between them
        those without diagnostics, many at a time.

        :param each: also yield one entry per record without diagnostics.
        :param keep: and keep its text.
        :param last: and keep its last position.
        :param form: write the records, see :class:`CheckedSplitting`.
        """
        options = {"each": each, "keep": keep, "last": last, "form": form}
        for found in self._checked(stream, max_record, options):
            if isinstance(found, CleanRecords):
                self._count += found.passed
            yield found

    def _checked(
        self, stream: BinaryIO, max_record: int, options: dict[str, Any]
    ) -> Iterator[RawRecord | CleanRecords]:
        if self.jobs == 1:
            return CheckedSplitting(stream, max_record, self.bulk_check, **options).checked()
        from ringfen.notation.parallel_check import ParallelCheck

        return ParallelCheck(stream, max_record, self.jobs, self._sought, **options).checked()

    def seek(self, positions: Sequence[Position], patterns: Sequence[Pattern] = ()) -> None:
        """Search the main lines of the records from now on for these positions, and for positions of these patterns."""
        self._sought_data = (
            [position.state for position in positions],
            [ffi.new("char[]", pattern.text.encode()) for pattern in patterns],
        )
        self._sought = ffi.new("rf_search_target[]", len(positions) + len(patterns))
        for sought, position in zip(self._sought, positions, strict=False):
            sought.game, sought.state = position.game.cdata, position.state
        for index, pattern in enumerate(patterns, len(positions)):
            self._sought[index].game = pattern.game.cdata
            self._sought[index].pattern = self._sought_data[1][index - len(positions)]
        lib.rf_scan_search_for(self.scanner, self._sought, len(self._sought))

    def line(self, raw: RawRecord, most: int) -> tuple[Report, list[str]]:
        """Checks one record and keeps the short forms of the first plies of its main line, ``most`` at most."""
        from ringfen.notation.record import Report
        from ringfen.notation.record_readings import LineReading

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        reading = LineReading(self, raw, report, most)
        reading.run()
        return report, reading.plies

    def report(self, raw: RawRecord) -> Report:
        """Checks one record."""
        from ringfen.notation.diagnosing import RecordCheck
        from ringfen.notation.record import Report

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        check = RecordCheck(self, raw, report)
        if raw.scanned is None:
            check.run()
        else:
            check.take(raw.scanned)
        return report

    def record(self, raw: RawRecord) -> Record:
        """Reads one record with its tree."""
        from ringfen.notation.located_check import shows_gap
        from ringfen.notation.record import Record
        from ringfen.notation.record_readings import TreeReading

        self._count += 1
        record = Record(self.source, self._count, raw.line, self.board_path)
        TreeReading(self, raw, record).run()
        if record.whole and any(one.code == "wrong-number" for one in record.diagnostics):
            record.whole = not shows_gap(self, raw, record.number)
        return record

    def positions(self, raw: RawRecord, wanted: PliesWanted, take: Callable[[int, bytes], object]) -> Report:
        """Check one record and pass on positions of its main line as text, each with the number of plies before it."""
        from ringfen.notation.record import Report
        from ringfen.notation.record_readings import PositionsReading

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        reading = PositionsReading(self, raw, report, wanted, take)
        if raw.scanned is not None and raw.scanned.last is not None and wanted.only_last:
            reading.take(raw.scanned)
        else:
            reading.run()
        return report


class PliesWanted:
    """The positions of a main line to return: after ``ply`` plies, each (``every``), the last (``last``).

    A position is the one that comments after the plies state, or else the one reached.
    """

    def __init__(self, ply: int | None = None, every: bool = False, last: bool = False) -> None:
        self.ply = ply
        self.every = every
        self.last = last

    @property
    def only_last(self) -> bool:
        """Whether only the last position is returned."""
        return self.last and self.ply is None and not self.every

    def next_after(self, plies: int) -> int | None:
        """The next count of plies, above ``plies``, where the scan has to pause."""
        if self.every:
            return plies + 1
        return self.ply if self.ply is not None and self.ply > plies else None
