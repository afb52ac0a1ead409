"""Reads the records of a source: checks them, builds their trees, or visits positions of their main lines."""

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
        # The rest is for the checkers of one record: RecordChecker and the classes derived from it.
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
        locate: bool = False,
        form: int | None = None,
    ) -> Iterator[RawRecord | CleanRecords]:
        """Yield the records of a stream that :meth:`check` or :meth:`read` has to check, in their order, and between
        them those without diagnostics, many at a time.

        :param each: ``CleanRecords`` has an entry for each record, with the codes of its warnings instead of their
            places.
        :param keep: ``CleanRecords`` has the text of the records.
        :param last: ``CleanRecords`` has their last positions.
        :param locate: also those whose only diagnostics are warnings that the C core can locate.
        :param form: write the records, see :class:`CheckedSplitting`.
        """
        options = {"each": each, "keep": keep, "last": last, "locate": locate, "form": form}
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

    def search_for(self, positions: Sequence[Position], patterns: Sequence[Pattern] = ()) -> None:
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

    def first_plies(self, raw: RawRecord, most: int) -> tuple[Report, list[str]]:
        """Check one record and return the short forms of at most ``most`` plies of its main line."""
        from ringfen.notation.main_line import FirstPlies
        from ringfen.notation.record import Report

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        checker = FirstPlies(self, raw, report, most)
        checker.check()
        return report, checker.plies

    def check(self, raw: RawRecord) -> Report:
        """Check one record."""
        from ringfen.notation.record import Report
        from ringfen.notation.record_checker import RecordChecker

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        checker = RecordChecker(self, raw, report)
        if raw.scanned is None:
            checker.check()
        else:
            checker.use_fast_check(raw.scanned)
        return report

    def read(self, raw: RawRecord) -> Record:
        """Read one record with its tree."""
        from ringfen.notation.located_check import shows_gap
        from ringfen.notation.record import Record
        from ringfen.notation.tree_builder import TreeBuilder

        self._count += 1
        record = Record(self.source, self._count, raw.line, self.board_path)
        TreeBuilder(self, raw, record).check()
        if record.is_complete and any(one.code == "wrong-number" for one in record.diagnostics):
            record.is_complete = not shows_gap(self, raw, record.number)
        return record

    def visit_positions(self, raw: RawRecord, selection: PlySelection, visit: Callable[[int, bytes], object]) -> Report:
        """Check one record and call ``visit`` for selected positions of its main line.

        :param visit: is called with the number of plies before the position and with its text.
        """
        from ringfen.notation.main_line import PositionVisitor
        from ringfen.notation.record import Report

        self._count += 1
        report = Report(self.source, self._count, raw.line)
        checker = PositionVisitor(self, raw, report, selection, visit)
        if raw.scanned is not None and raw.scanned.last is not None and selection.only_last:
            checker.use_fast_check(raw.scanned)
        else:
            checker.check()
        return report


class PlySelection:
    """The positions of a main line to visit: after ``ply`` plies, each (``every``), the last (``last``).

    A position is the one that comments after the plies state, or else the one reached.
    """

    def __init__(self, ply: int | None = None, every: bool = False, last: bool = False) -> None:
        self.ply = ply
        self.every = every
        self.last = last

    @property
    def only_last(self) -> bool:
        """Whether only the last position is visited."""
        return self.last and self.ply is None and not self.every

    def next_after(self, plies: int) -> int | None:
        """Return the next count of plies, above ``plies``, where the scan has to pause."""
        if self.every:
            return plies + 1
        return self.ply if self.ply is not None and self.ply > plies else None
