"""Builds the game tree of a record: the main line with its variations, comments and NAGs."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.notation.record import Line, Node, Record, tidy
from ringfen.notation.record_checker import RecordChecker
from ringfen.notation.splitting import RawRecord

if TYPE_CHECKING:
    from ringfen.notation.record_reader import RecordReader

#: Events that the C core returns at a time.
EVENTS: Final = 4096
#: An ``rf_event`` (``movetext.h``): unpacked as one tuple, it costs a fraction of reading its fields one at a time.
EVENT: Final = struct.Struct("5I?24s0I")
_PLY, _COMMENT, _NAG, _OPEN = lib.RF_EVENT_PLY, lib.RF_EVENT_COMMENT, lib.RF_EVENT_NAG, lib.RF_EVENT_OPEN
#: A skipped line, or a byte order mark at the start of a line.
_SKIPPED: Final = re.compile(r"(?:^|(?<=[\r\n]))(?:\ufeff?%[^\r\n]*|\ufeff)")
_SKIPPED_IN_COMMENT: Final = re.compile(r"(?<=[\r\n])(?:\ufeff?%[^\r\n]*|\ufeff)")
_COMMENT_BEFORE: Final = re.compile(r"\{([^}]*)\}|;([^\r\n]*)")

#: Errors after which the record is still read completely, so that a program can correct them.
_CORRECTABLE: Final = frozenset({"result-mismatch", "bad-result"})


class TreeBuilder(RecordChecker):
    """Checks a record and builds its game tree. If the record has errors, the tree ends before the first one."""

    report: Record

    def __init__(self, reader: RecordReader, raw: RawRecord, record: Record) -> None:
        super().__init__(reader, raw, record)
        #: The lines around the current one, outermost first.
        self._outer_lines: list[Line] = []
        self._line = record.main
        #: The variation that was closed last, if no ply came after it: comments now belong to its end.
        self._closed_variation: Line | None = None

    def check(self) -> None:
        """Fill the record with its diagnostics and its tree."""
        if self.reader.events == ffi.NULL:
            self.reader.events = ffi.new("rf_event[]", EVENTS)
        super().check()
        record = self.report
        record.first_number = self.reader.summary.first_number or 1
        if "FEN" in record.tags and record.start is not None:
            record.tags["FEN"] = record.start.fen
        record.is_complete = all(not found.is_error or found.code in _CORRECTABLE for found in record.diagnostics)

    def _scan(self) -> None:
        before = self.data[: self.tags.head(self.data).at]
        if self.report.start is not None and (b"{" in before or b";" in before):
            text = _SKIPPED.sub("", before.decode("utf-8", "replace"))
            comments = (match[1] or match[2] or "" for match in _COMMENT_BEFORE.finditer(text))
            self._line.comments.extend(map(tidy, comments))
        super()._scan()

    def _scan_more(self) -> int:
        events, summary = self.reader.events, self.reader.summary
        readable = summary.errors == 0 and self.report.start is not None
        step = int(lib.rf_scan(self.reader.scanner, events, EVENTS))
        if readable:
            self._add_events(EVENT.iter_unpack(ffi.buffer(events, summary.events * EVENT.size)))
        return step

    def _add_events(self, events: Iterator[tuple[int, int, int, int, int, bool, bytes]]) -> None:
        data = self.data
        for kind, at, length, number, _, opens, text in events:
            if kind == _PLY:
                ply = data[at : at + length].decode("ascii", "replace")
                short = text.partition(b"\0")[0].decode("ascii") if text[0] else ply
                Node(self._line, ply, short, number, opens)
                self._closed_variation = None
            elif kind == _COMMENT:
                self._add_comment(data[at : at + length])
            elif kind == _NAG:
                self._line.nodes[-1].nags.append(number)
            elif kind == _OPEN:
                node = self._line.nodes[-1]
                variation = Line(self.report, node.parent, node)
                node.variations.append(variation)
                self._outer_lines.append(self._line)
                self._line = variation
                self._closed_variation = None
            else:
                self._closed_variation = self._line
                self._line = self._outer_lines.pop()

    def _add_comment(self, raw: bytes) -> None:
        comment = comment_text(raw.decode("utf-8", "replace"))
        if self._closed_variation is not None:
            self._closed_variation.after.append(comment)
        elif self._line.nodes:
            self._line.nodes[-1].comments.append(comment)
        else:
            self._line.comments.append(comment)


def comment_text(text: str) -> str:
    """Return a comment as records contain it: without skipped lines, and tidied."""
    return tidy(_SKIPPED_IN_COMMENT.sub("", text) if "%" in text or "\ufeff" in text else text)
