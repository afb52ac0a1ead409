"""Records checked by several threads: each checks blocks of whole records, and the results come in the order of the
file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ringfen._core import ffi, lib
from ringfen.memory import owned
from ringfen.notation import splitting
from ringfen.notation.bulk_check import BulkCheck, CheckedSplitting, CleanRecords
from ringfen.notation.splitting import RawRecord
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Array, rf_search_target

#: Bytes that are read at a time. A block is that long, or longer if no record begins in them.
_BLOCK: Final = 1 << 19
#: A blank line before a tag. A record ends there, even in a comment, if a tag precedes it in the stream.
_BEGIN: Final = rb'(?:\n\r?\n|\r\r)(?=\[\w{1,100} ")'
_FIRST_BEGIN: Final = re.compile(_BEGIN)
_LAST_BEGIN: Final = re.compile(rb"(?s:.*)" + _BEGIN)
#: No text that matches :data:`_BEGIN`, with the tag's quote, is longer.
_LOOKED_BACK: Final = 200

#: The records of a block, with lines from its begin, and the number of its lines.
Found = tuple[Sequence[RawRecord | CleanRecords], int]


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
        self._checks = [CheckedSplitting(self, max_record, _new_check(sought), **options) for _ in range(jobs)]
        #: The bytes that were read and are in no block yet.
        self._buffer = bytearray()
        #: The error that ended the reading.
        self._error: OSError | None = None

    def checked(self) -> Iterator[RawRecord | CleanRecords]:
        """Yield what :meth:`CheckedSplitting.checked` does."""
        with Threads[int, Found](self._jobs) as threads:
            done: dict[int, Found] = {}
            submitted = taken = line = 0
            blocks = self._blocks()
            is_over = False
            while not is_over or taken < submitted:
                while not is_over and submitted - taken < 2 * self._jobs:
                    block = next(blocks, None)
                    if block is None:
                        is_over = True
                    else:
                        threads.submit(submitted, partial(self._check, block))
                        submitted += 1
                while taken < submitted and taken not in done:
                    done.update(threads.finished())
                if taken < submitted:
                    records, lines = done.pop(taken)
                    for one in records:
                        yield one._replace(line=line + one.line)
                    line += lines
                    taken += 1
        yield from self._checks[0].checked_rest(bytes(self._buffer), line)

    def read(self, size: int) -> bytes:
        """Read the stream after the blocks."""
        if self._error is not None:
            raise self._error
        return self._stream.read(size)

    def _check(self, block: bytearray) -> Found:
        """Check the records of a block."""
        check = self._checks.pop()
        try:
            return list(check.checked_block(block)), check.lines
        finally:
            self._checks.append(check)

    def _blocks(self) -> Iterator[bytearray]:
        """Cut the stream before records, and yield each block.

        The rest stays in the buffer: the last record, or the beginning of one that is too long for a block.
        """
        chunk = splitting.without_bom(self._stream)
        has_tag = False
        at = 0
        while chunk:
            self._buffer += chunk
            if not has_tag and (first := _FIRST_BEGIN.search(self._buffer, at)):
                has_tag = True
                at = first.end()
            if has_tag and (last := _LAST_BEGIN.match(self._buffer, at)):
                block, at = self._buffer, 0
                self._buffer = block[last.end() :]
                del block[last.end() :]
                yield block
            elif len(self._buffer) > self._max_record:
                return
            else:
                at = max(at, len(self._buffer) - _LOOKED_BACK)
            try:
                chunk = self._stream.read(_BLOCK)
            except OSError as error:
                self._error = error
                return


def _new_check(sought: Array[rf_search_target]) -> BulkCheck:
    scanner = owned(lib.rf_scanner_new(), lib.rf_scanner_free)
    if sought != ffi.NULL:
        lib.rf_scan_search_for(scanner, sought, len(sought))
    return BulkCheck(scanner)
