"""Cutting a stream of bytes into records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeVar

from ringfen._core import ffi, lib

if TYPE_CHECKING:
    from typing import Protocol

    from ringfen.notation.bulk_check import Scanned

    class Readable(Protocol):
        """What records are read from, such as a ``BinaryIO``."""

        def read(self, size: int, /) -> bytes:
            """Return the next bytes, at most ``size``; none at the end."""


T = TypeVar("T")

#: Bytes read at a time.
CHUNK: Final = 1 << 18
_BOM: Final = b"\xef\xbb\xbf"
#: How much of a record that is too long is kept, to show where it begins.
_HEAD: Final = 512

#: The usual limit of a record's length, in bytes.
MAX_RECORD: Final = 64 << 20
#: No limit can be higher: the C core counts the bytes of a record in 32 bits.
HIGHEST_MAX_RECORD: Final = 2 << 30


class RawRecord(NamedTuple):
    """The bytes of one record; ``line`` and ``column`` say where it begins, from 1.

    A record that was JSON (``from_json``) comes as text made of it, with the round it begins in (``first_number``) and
    its start position (``start``), or with its error (``json_problem``). ``scanned`` has the results of the fast check
    if the movetext has no errors.
    """

    data: bytes
    line: int
    too_long: bool = False
    from_json: bool = False
    first_number: int = 0
    start: str | None = None
    json_problem: str = ""
    scanned: Scanned | None = None
    column: int = 1


def split_records(stream: BinaryIO, max_record: int = MAX_RECORD) -> Iterator[RawRecord]:
    """Yield the records of a stream, in memory bounded by the longest record.

    Only the head of a record longer than ``max_record`` bytes is kept; the limit is 1 to :data:`HIGHEST_MAX_RECORD`.
    """
    return Splitting(stream, max_record).records()


class Splitting:
    """A stream on its way to records; see :func:`split_records`."""

    def __init__(self, stream: Readable, max_record: int) -> None:
        self._stream = stream
        self._max = max_record
        self._splitter = ffi.new("rf_splitter *")
        #: The bytes that were read and not yet returned; its first byte is byte ``_base`` of the stream.
        self._buffer = bytearray()
        self._base = 0
        #: Where the current record begins in the buffer, and its line (from 0).
        self._start = 0
        self._line = 0
        #: Its column (from 0): records can follow each other without a line end.
        self._column = 0
        #: The beginning of the current record, once it is known to be too long.
        self._head: bytes | None = None

    def records(self) -> Iterator[RawRecord]:
        """Yield the records."""
        return self._chunk_by_chunk(self._complete, self._last)

    def _chunk_by_chunk(self, complete: Callable[[bytes], Iterator[T]], last: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Yield the results of ``complete`` for each chunk, and of ``last`` if a record ends with the stream."""
        yield from self._from_chunk(without_bom(self._stream), complete, last)

    def _from_chunk(
        self, chunk: bytes, complete: Callable[[bytes], Iterator[T]], last: Callable[[], Iterator[T]]
    ) -> Iterator[T]:
        """Do this for a chunk and the rest of the stream."""
        while chunk:
            yield from complete(chunk)
            self._tidy()
            chunk = self._stream.read(CHUNK)
        if self._splitter.content:
            yield from last()

    def _complete(self, chunk: bytes) -> Iterator[RawRecord]:
        """Add a chunk, and yield the records that end in it."""
        splitter, used = self._splitter, 0
        self._buffer += chunk
        data = ffi.from_buffer(chunk)
        while used < len(chunk):
            boundary = splitter.boundary
            used += lib.rf_split(splitter, data + used, len(chunk) - used)
            if splitter.boundary != boundary:
                end = splitter.boundary - self._base
                yield self._record(end)
                self._next(end, splitter.boundary_line, splitter.mid_line)

    def _last(self) -> Iterator[RawRecord]:
        """Yield the record at the end of the stream."""
        yield self._record(len(self._buffer))

    def _next(self, start: int, line: int, mid_line: bool) -> None:
        """The next record begins here; ``mid_line``: not at the start of a line."""
        column = 0
        if mid_line:
            begin = 1 + max(self._buffer.rfind(end, self._start, start) for end in (b"\n", b"\r"))
            column = 0 if begin else self._column
            column += len(self._buffer[begin or self._start : start].decode("utf-8", "replace"))
        self._start, self._line, self._column = start, line, column

    def _record(self, end: int) -> RawRecord:
        if self._head is None and end - self._start <= self._max:
            data = bytes(memoryview(self._buffer)[self._start : end])
            return RawRecord(data, self._line + 1, column=self._column + 1)
        head, self._head = self._head, None
        if head is None:
            head = bytes(self._buffer[self._start : self._start + _HEAD])
        return RawRecord(head, self._line + 1, True, column=self._column + 1)

    def _tidy(self) -> None:
        """Drop the bytes that are no longer needed."""
        if not self._splitter.content:
            # Only blank and skipped lines so far: they belong to nothing.
            self._start = max(self._start, self._splitter.keep - self._base)
            self._line = self._splitter.line
        if self._head is None and len(self._buffer) - self._start > self._max:
            self._head = bytes(self._buffer[self._start : self._start + _HEAD])
        if self._head is not None:
            self._start = max(self._start, self._splitter.keep - self._base)
        del self._buffer[: self._start]
        self._base += self._start
        self._start = 0


def without_bom(stream: Readable) -> bytes:
    """Return the first chunk, without a byte order mark."""
    chunk = stream.read(CHUNK)
    while len(chunk) <= len(_BOM) and _BOM.startswith(chunk):
        more = stream.read(CHUNK)
        if not more:
            break
        chunk += more
    return chunk.removeprefix(_BOM)
