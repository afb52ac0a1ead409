"""The readings of one record: its tree, positions of its main line, its first plies."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.notation.diagnosing import RecordCheck
from ringfen.notation.record import Line, Node, Record, Report, tidy
from ringfen.notation.splitting import RawRecord

if TYPE_CHECKING:
    from ringfen._core import Chars
    from ringfen.notation.bulk_check import Scanned
    from ringfen.notation.record_reader import PliesWanted, RecordReader

#: Events that the C core returns at a time.
_EVENTS: Final = 4096
#: An ``rf_event`` (``movetext.h``): unpacked as one tuple, it costs a fraction of reading its fields one at a time.
_EVENT: Final = struct.Struct("5I?24s0I")
_PLY, _COMMENT, _NAG, _OPEN = lib.RF_EVENT_PLY, lib.RF_EVENT_COMMENT, lib.RF_EVENT_NAG, lib.RF_EVENT_OPEN
#: A skipped line, or a byte order mark at the start of a line.
_SKIPPED: Final = re.compile(r"(?:^|(?<=[\r\n]))(?:\ufeff?%[^\r\n]*|\ufeff)")
_SKIPPED_IN_COMMENT: Final = re.compile(r"(?<=[\r\n])(?:\ufeff?%[^\r\n]*|\ufeff)")
_COMMENT_BEFORE: Final = re.compile(r"\{([^}]*)\}|;([^\r\n]*)")

#: Errors after which the record is still read completely, so that a program can correct them.
_MENDABLE: Final = frozenset({"result-mismatch", "bad-result"})


class TreeReading(RecordCheck):
    """Reading that builds the tree of variations."""

    report: Record

    def __init__(self, reader: RecordReader, raw: RawRecord, record: Record) -> None:
        super().__init__(reader, raw, record)
        self._open: list[Line] = []
        self._line = record.main
        #: The variation that was just closed; comments now follow it.
        self._closed: Line | None = None

    def run(self) -> None:
        """Fill the record."""
        if self.reader.events == ffi.NULL:
            self.reader.events = ffi.new("rf_event[]", _EVENTS)
        super().run()
        record = self.report
        record.first_number = self.reader.summary.first_number or 1
        if "FEN" in record.tags and record.start is not None:
            record.tags["FEN"] = record.start.fen
        record.whole = all(not found.is_error or found.code in _MENDABLE for found in record.diagnostics)

    def _scan(self) -> None:
        before = self.data[: self.tags.head(self.data).at]
        if self.report.start is not None and (b"{" in before or b";" in before):
            text = _SKIPPED.sub("", before.decode("utf-8", "replace"))
            comments = (match[1] or match[2] or "" for match in _COMMENT_BEFORE.finditer(text))
            self._line.comments.extend(map(tidy, comments))
        super()._scan()

    def _next(self) -> int:
        events, summary = self.reader.events, self.reader.summary
        readable = summary.errors == 0 and self.report.start is not None
        step = int(lib.rf_scan(self.reader.scanner, events, _EVENTS))
        if readable:
            # If a record has errors, the tree contains the part before the first.
            self._take(_EVENT.iter_unpack(ffi.buffer(events, summary.events * _EVENT.size)))
        return step

    def _take(self, events: Iterator[tuple[int, int, int, int, int, bool, bytes]]) -> None:
        data = self.data
        for kind, at, length, number, _, opens, text in events:
            if kind == _PLY:
                ply = data[at : at + length].decode("ascii", "replace")
                short = text.partition(b"\0")[0].decode("ascii") if text[0] else ply
                Node(self._line, ply, short, number, opens)
                self._closed = None
            elif kind == _COMMENT:
                self._take_comment(data[at : at + length])
            elif kind == _NAG:
                self._line.nodes[-1].nags.append(number)
            elif kind == _OPEN:
                node = self._line.nodes[-1]
                variation = Line(self.report, node.parent, node)
                node.variations.append(variation)
                self._open.append(self._line)
                self._line = variation
                self._closed = None
            else:
                self._closed = self._line
                self._line = self._open.pop()

    def _take_comment(self, raw: bytes) -> None:
        comment = comment_text(raw.decode("utf-8", "replace"))
        if self._closed is not None:
            self._closed.after.append(comment)
        elif self._line.nodes:
            self._line.nodes[-1].comments.append(comment)
        else:
            self._line.comments.append(comment)


class PositionsReading(RecordCheck):
    """A reader that yields positions of the main line."""

    def __init__(
        self,
        reader: RecordReader,
        raw: RawRecord,
        report: Report,
        wanted: PliesWanted,
        take: Callable[[int, bytes], object],
    ) -> None:
        super().__init__(reader, raw, report)
        self._wanted = wanted
        self._take = take
        #: The number of plies before the last position that was yielded.
        self._taken = -1
        self._fen: Chars = ffi.NULL

    def _scan(self) -> None:
        self._begun = False
        super()._scan()
        if self._wanted.last and self.report.start is not None and self._taken != self.report.plies:
            self._keep()

    def take(self, scanned: Scanned) -> None:
        """Fill the report from the results of the fast check, and take the last position."""
        super().take(scanned)
        if scanned.last is not None:
            self._take(scanned.plies, scanned.last.fen.encode())

    def _next(self) -> int:
        if not self._begun:
            self._begun = True
            self._pause_after(-1)
        step = super()._next()
        if step == lib.RF_SCAN_PAUSE:
            self._keep()
            self._pause_after(self.reader.summary.plies)
        return step

    def _pause_after(self, plies: int) -> None:
        pause_at = self._wanted.next_after(plies)
        if pause_at is not None:
            lib.rf_scan_pause_at(self.reader.scanner, pause_at)

    def _keep(self) -> None:
        start = self.report.start
        if start is None:
            return
        if self._fen == ffi.NULL:
            self._fen = ffi.new("char[]", lib.rf_game_max_text(start.game.cdata))
        state = lib.rf_scan_state(self.reader.scanner)
        size = lib.rf_format(start.game.cdata, start.context.cdata, state, self._fen)
        self._taken = self.reader.summary.plies
        self._take(self._taken, ffi.unpack(self._fen, size))


class LineReading(RecordCheck):
    """Reading that keeps the first plies of the main line."""

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report, most: int) -> None:
        super().__init__(reader, raw, report)
        self._most = most
        self._depth = 0
        self.plies: list[str] = []

    def _next(self) -> int:
        if len(self.plies) >= self._most:
            return super()._next()
        reader = self.reader
        if reader.events == ffi.NULL:
            reader.events = ffi.new("rf_event[]", _EVENTS)
        step = int(lib.rf_scan(reader.scanner, reader.events, min(_EVENTS, self._most)))
        for kind, at, length, _, _, _, text in _EVENT.iter_unpack(
            ffi.buffer(reader.events, reader.summary.events * _EVENT.size)
        ):
            if kind == _OPEN:
                self._depth += 1
            elif kind == lib.RF_EVENT_CLOSE:
                self._depth -= 1
            elif kind == _PLY and not self._depth and len(self.plies) < self._most:
                short = text.partition(b"\0")[0] or self.data[at : at + length]
                self.plies.append(short.decode("ascii", "replace"))
        return step


def comment_text(text: str) -> str:
    """A comment as records keep it: without skipped lines, as :func:`tidy` leaves it."""
    return tidy(_SKIPPED_IN_COMMENT.sub("", text) if "%" in text or "\ufeff" in text else text)
