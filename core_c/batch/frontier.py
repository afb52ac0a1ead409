"""The different positions after some plies, each with the number of paths that lead to it.

If the positions do not fit in memory, they are divided into parts in temporary files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Progress, ProgressCallback, checked_int, limit_reached
from ringfen.position import Position

#: Number of records to read and write at a time.
_CHUNK: Final = 1 << 14
_PATHS_SIZE: Final = 16
_PARTS: Final = int(lib.RF_FRONTIER_PARTS)
#: The default memory for the positions of one step.
DEFAULT_MEMORY_MB: Final = 1024


def _temporary(directory: Path | None) -> IO[bytes]:
    """Return a file without a name, which is deleted as soon as it is closed."""
    return tempfile.TemporaryFile(dir=directory)


class Frontier:
    """The different positions after ``plies`` plies. Iterating yields each with the number of paths that lead to it.

    Their order depends only on the position and ``plies``.
    """

    def __init__(self, position: Position, plies: int, file: IO[bytes], count: int, sequences: int) -> None:
        self._position = position
        self._size = int(lib.rf_frontier_record_size(position.game.cdata))
        self._file = file
        self._count = count
        self.plies = plies
        #: The number of sequences of plies, which is the sum of all numbers of paths.
        self.sequences = sequences

    @classmethod
    def start(cls, position: Position, directory: Path | None = None) -> Frontier:
        """Return the frontier of the position itself, which one path reaches.

        :param directory: The directory of temporary files; None is the system's default.
        """
        file = _temporary(directory)
        state_size = int(lib.rf_game_state_size(position.game.cdata))
        file.write(bytes(ffi.buffer(position.state, state_size)) + (1).to_bytes(_PATHS_SIZE, "little"))
        return cls(position, 0, file, 1, 1)

    def __enter__(self) -> Frontier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[Position, int]]:
        state_size = self._size - _PATHS_SIZE
        for chunk in self._chunks():
            for at in range(0, len(chunk), self._size):
                state = ffi.new("rf_state *")
                ffi.memmove(state, chunk[at : at + state_size], state_size)
                paths = int.from_bytes(chunk[at + state_size : at + self._size], "little")
                yield Position.from_state(self._position.game, self._position.context, state), paths

    def _chunks(self) -> Iterator[bytes]:
        self._file.seek(0)
        while chunk := self._file.read(_CHUNK * self._size):
            yield chunk

    def next(
        self,
        *,
        memory_mb: int = DEFAULT_MEMORY_MB,
        directory: Path | None = None,
        progress: ProgressCallback | None = None,
    ) -> Frontier:
        """Return the positions one ply further.

        :param memory_mb: Memory in MiB; the rest goes to temporary files.
        :raises ringfen.LimitReached: The call was stopped.
        :raises MemoryError: Not even one part fits in memory.
        :raises OverflowError: A number of paths does not fit in 128 bits.
        :raises OSError: A temporary file cannot be written.
        """
        checked_int("memory_mb", memory_mb, 0, 1 << 24)
        with _Step(self, memory_mb << 20, directory, progress) as step:
            file, count, sequences = step.run()
        return Frontier(self._position, self.plies + 1, file, count, sequences)


class _Step:
    """The computation of the next frontier."""

    def __init__(
        self, source: Frontier, memory: int, directory: Path | None, progress: ProgressCallback | None
    ) -> None:
        self._source = source
        self._directory = directory
        self._progress = progress
        self._context = source._position.context
        self._size = source._size
        frontier = lib.rf_frontier_new(source._position.game.cdata, memory)
        if frontier == ffi.NULL:
            raise MemoryError
        self._core = ffi.gc(frontier, lib.rf_frontier_free)
        self._parts: list[IO[bytes]] = []
        self._stack = ExitStack()
        self._done = 0

    def __enter__(self) -> _Step:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self) -> tuple[IO[bytes], int, int]:
        """Return a file of the new records, their number, and the sum of their paths."""
        for chunk in self._source._chunks():
            self._fill(chunk, lambda *data: lib.rf_frontier_expand(self._core, self._context.cdata, *data))
        file = _temporary(self._directory)
        try:
            if not self._parts:
                count, sequences = self._write(file)
            else:
                self._spill()
                count, sequences = self._merge(file)
        except BaseException:
            file.close()
            raise
        return file, count, sequences

    def _fill(self, chunk: bytes, call: Any, *, may_spill: bool = True) -> None:
        """Pass the records of a chunk to the core. If the core runs out of memory, spill to files and continue."""
        data, count, at = ffi.from_buffer(chunk), len(chunk) // self._size, 0
        while at < count:
            control = Control(None, _shifted(self._progress, self._done, self._source))
            taken = int(call(data + at * self._size, count - at, control.cdata))
            control.finish()
            error = limit_reached(control)
            if error is not None:
                raise error
            at += taken
            self._done += taken
            if at < count:
                if not may_spill or lib.rf_frontier_count(self._core) == 0:
                    raise MemoryError
                self._spill()

    def _sorted(self) -> int:
        if not lib.rf_frontier_sort(self._core):
            raise MemoryError
        return int(lib.rf_frontier_count(self._core))

    def _records(self, first: int, end: int) -> Iterator[bytes]:
        while first < end:
            count = min(_CHUNK, end - first)
            out = ffi.new("unsigned char[]", count * self._size)
            lib.rf_frontier_read(self._core, first, count, out)
            yield bytes(ffi.buffer(out))
            first += count

    def _write(self, file: IO[bytes]) -> tuple[int, int]:
        """Write the records of the set, in order. Return their number and the sum of their paths."""
        count, sequences = self._sorted(), 0
        for records in self._records(0, count):
            file.write(records)
            for at in range(self._size, len(records) + 1, self._size):
                sequences += int.from_bytes(records[at - _PATHS_SIZE : at], "little")
        return count, sequences

    def _spill(self) -> None:
        """Move the records of the set to the files of their parts."""
        if not self._parts:
            self._parts = [self._stack.enter_context(_temporary(self._directory)) for _ in range(_PARTS)]
        self._sorted()
        for part, file in enumerate(self._parts):
            first, end = (int(lib.rf_frontier_part(self._core, number)) for number in (part, part + 1))
            for records in self._records(first, end):
                file.write(records)
        lib.rf_frontier_clear(self._core)

    def _merge(self, file: IO[bytes]) -> tuple[int, int]:
        """Merge equal positions in the file of each part and write them. Return the sums over all parts."""
        counts, sums = 0, 0
        for part in self._parts:
            part.seek(0)
            while chunk := part.read(_CHUNK * self._size):
                self._fill(chunk, lambda *data: lib.rf_frontier_add(self._core, *data), may_spill=False)
            count, sequences = self._write(file)
            counts, sums = counts + count, sums + sequences
            lib.rf_frontier_clear(self._core)
        return counts, sums


def _shifted(callback: ProgressCallback | None, before: int, source: Frontier) -> ProgressCallback | None:
    """Return a callback that counts from ``before`` positions of the source instead of 0."""
    if callback is None:
        return None
    plies, total = source.plies + 1, len(source)

    def report(progress: Progress) -> None:
        callback(Progress(before + progress.nodes, plies, min(total, before + progress.nodes), total))

    return report
