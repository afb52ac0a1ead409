"""Records checked by several threads: each checks blocks of whole records, and the results come in the order of the
file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ringfen._core import ffi, lib
from ringfen.memory import owned
from ringfen.notation import splitting
from ringfen.notation.bulk_check import BulkCheck, CheckedSplitting, CleanRecords
from ringfen.notation.splitting import RawRecord
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Array, rf_search_target

#: Bytes of a block, apart from its last chunk.
_BLOCK: Final = 1 << 19

Found = Sequence[RawRecord | CleanRecords]


class ParallelCheck:
    """The threads that check the records of one stream, as :class:`CheckedSplitting` does in one.

    :param sought: the positions that the scanners search for.
    :param options: those of :class:`CheckedSplitting`.
    """

    def __init__(
        self, stream: BinaryIO, max_record: int, jobs: int, sought: Array[rf_search_target], **options: Any
    ) -> None:
        self._stream = stream
        self._max_record = max_record
        self._jobs = jobs
        self._options = options
        self._checks = [_new_check(sought) for _ in range(jobs)]
        #: The bytes that were read and are in no block yet, and the line that they begin in (from 0).
        self._buffer = bytearray()
        self._line = 0
        #: The error that ended the reading.
        self._error: OSError | None = None
        #: Whether the rest, with a record that is too long for a block, is read by one thread.
        self._has_rest = False

    def checked(self) -> Iterator[RawRecord | CleanRecords]:
        """Yield what :meth:`CheckedSplitting.checked` does."""
        with Threads[int, Found](self._jobs) as threads:
            done: dict[int, Found] = {}
            submitted = taken = 0
            blocks = self._blocks()
            is_over = False
            while not is_over or taken < submitted:
                while not is_over and submitted - taken < 2 * self._jobs:
                    block = next(blocks, None)
                    if block is None:
                        is_over = True
                    else:
                        threads.submit(submitted, partial(self._check, *block))
                        submitted += 1
                while taken < submitted and taken not in done:
                    done.update(threads.finished())
                if taken < submitted:
                    yield from done.pop(taken)
                    taken += 1
        if self._has_rest:
            yield from self._rest()
        if self._error is not None:
            raise self._error

    def _check(self, block: bytes, line: int) -> Found:
        """Check the records of a block; ``line``: the line that it begins in."""
        check = self._checks.pop()
        try:
            checked = CheckedSplitting(BytesIO(), self._max_record, check, **self._options)
            return list(checked.checked_block(block, line))
        finally:
            self._checks.append(check)

    def _blocks(self) -> Iterator[tuple[bytes, int]]:
        """Cut the stream before records, and yield each block with the line that it begins in."""
        splitter = ffi.new("rf_splitter *")
        place = ffi.new("uint64_t[]", 2)
        base = end = end_line = 0
        chunk = self._read(first=True)
        while chunk:
            self._buffer += chunk
            lib.rf_split_all(splitter, ffi.from_buffer(chunk), len(chunk), place)
            end, end_line = place[0], place[1]
            if end - base > _BLOCK:
                yield self._cut(end - base, end_line)
                base = end
            elif len(self._buffer) > self._max_record:
                self._has_rest = True
                return
            chunk = self._read()
        if self._error is not None:
            del self._buffer[end - base :]  # the last record is incomplete
        if self._buffer:
            yield self._cut(len(self._buffer), end_line)

    def _cut(self, length: int, next_line: int) -> tuple[bytes, int]:
        block = bytes(memoryview(self._buffer)[:length]), self._line
        del self._buffer[:length]
        self._line = next_line
        return block

    def _read(self, *, first: bool = False) -> bytes:
        try:
            return splitting.without_bom(self._stream) if first else self._stream.read(splitting.CHUNK)
        except OSError as error:
            self._error = error
            return b""

    def _rest(self) -> Iterator[RawRecord | CleanRecords]:
        checked = CheckedSplitting(self._stream, self._max_record, self._checks[0], **self._options)
        return checked.checked_rest(bytes(self._buffer), self._line)


def _new_check(sought: Array[rf_search_target]) -> BulkCheck:
    scanner = owned(lib.rf_scanner_new(), lib.rf_scanner_free)
    if sought != ffi.NULL:
        lib.rf_scan_search_for(scanner, sought, len(sought))
    return BulkCheck(scanner)
