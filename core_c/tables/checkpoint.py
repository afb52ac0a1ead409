"""Checkpoints of the build of a class, in a file next to its table, from which an interrupted build continues.

The file is replaced in one step. It names the build that it belongs to and ends with the SHA-256 of the bytes before.
If it is damaged, or belongs to another class, version or other tables below, it is renamed and never used.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ringfen._core import ffi, lib
from ringfen.inputs import NotRegularError, open_regular
from ringfen.outputs import Output
from ringfen.tables.files import HEADER_BYTES, Board
from ringfen.text import from_json
from ringfen.version import __version__

if TYPE_CHECKING:
    from ringfen._core import rf_tb_build, rf_tb_checkpoint

SUFFIX: Final = ".checkpoint"
REFUSED: Final = ".refused"

_FORMAT: Final = 1
_MAGIC: Final = b"RNGFCP\r\n"
_LENGTH: Final = struct.Struct("<I")
_MAX_HEAD_BYTES: Final = 4096
_DIGEST_BYTES: Final = 32
_SLICE: Final = 1 << 22
#: The state is large and compresses well, so the fastest level is best.
_LEVEL: Final = 1

#: Minimum seconds between two checkpoints.
_SECONDS_BETWEEN: Final = 60.0
#: The next checkpoint waits at least this many times as long as the last one took.
_WAIT_FACTOR: Final = 20


class _UnusableError(Exception):
    """A checkpoint cannot be used; the argument is the reason."""


class _Hashed:
    """A file that is written, and the SHA-256 of its content."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()

    def write(self, content: Any) -> int:
        """Write all of it."""
        self._sha256.update(content)
        self._file.write(content)
        return len(content)

    def digest(self) -> bytes:
        """Return the SHA-256 of the bytes written so far."""
        return self._sha256.digest()


class _Bounded:
    """Reads the next ``size`` bytes of a file and no more."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        content = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content


def checkpoint_path(folder: Path, name: str) -> Path:
    """Return the file for a class of this name."""
    return folder / (name + SUFFIX)


class Checkpoint:
    """The checkpoint of a build.

    :param name: The name of the class, such as ``SMvT``.
    :param below: The files of the classes below, which the build uses.
    :param say: Called with a message about a file that cannot be used.
    """

    def __init__(self, folder: Path, board: Board, name: str, below: list[Path], say: Callable[[str], None]) -> None:
        self.path = checkpoint_path(folder, name)
        self._board = board
        self._name = name
        self._below = below
        self._say = say
        self._next = time.monotonic() + _SECONDS_BETWEEN

    def _identity(self) -> dict[str, Any]:
        """Return the fields that must be equal in a usable checkpoint. A table is identified by its head, which
        contains the checksums of its blocks.
        """
        heads = hashlib.sha256()
        for path in self._below:
            with open_regular(path) as file:
                heads.update(file.read(HEADER_BYTES))
        return {
            "format": _FORMAT,
            "ringfen": __version__,
            "byteorder": sys.byteorder,
            "board": self._board.folder,
            "material": self._name,
            "below": heads.hexdigest(),
        }

    # ---- writing ----

    def save_if_due(self, build: rf_tb_build, done: int) -> None:
        """Save the build if enough time has passed since the last checkpoint; see :meth:`save`."""
        if time.monotonic() >= self._next:
            self.save(build, done)

    def save(self, build: rf_tb_build, done: int) -> None:
        """Save a build after ``done`` rows of the current step.

        :raises OSError: The file cannot be written, for example because the disk is full.
        """
        import zstandard

        started = time.monotonic()
        mark = ffi.new("rf_tb_checkpoint *")
        if not lib.rf_tb_build_checkpoint(build, done, mark):
            return
        head = json.dumps({**self._identity(), "mark": _numbers(mark)}).encode()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with Output(self.path).open() as file:
            hashed = _Hashed(file)
            hashed.write(_MAGIC + _LENGTH.pack(len(head)) + head)
            with zstandard.ZstdCompressor(level=_LEVEL).stream_writer(hashed, closefd=False) as stream:  # type: ignore[arg-type, unused-ignore]
                for piece in _pieces(build, mark):
                    stream.write(piece)
            file.write(hashed.digest())
        now = time.monotonic()
        self._next = now + max(_SECONDS_BETWEEN, _WAIT_FACTOR * (now - started))

    def save_last(self, build: rf_tb_build, done: int) -> None:
        """Save a build that is interrupted; report it if that is impossible. See :meth:`save`."""
        try:
            self.save(build, done)
        except OSError as error:
            lost = f"the work on {self._name} since its last checkpoint is lost"
            self._say(f"{self.path}: {error.strerror or error}; {lost}")

    def remove(self) -> None:
        """Remove the file, because the class is finished."""
        self.path.unlink(missing_ok=True)

    # ---- reading ----

    def resume(self, build: rf_tb_build) -> bool:
        """Restore the state of the file into a new build.

        :returns: False if the file cannot be used. Then the build must not be used either.
        :raises OSError: The file cannot be read.
        """
        try:
            with open_regular(self.path) as file:
                self._read(file, build)
        except (_UnusableError, OSError) as error:
            if isinstance(error, OSError) and not _is_misplaced(error):
                raise
            reason = error.strerror if isinstance(error, OSError) else str(error)
            renamed = self._rename()
            self._say(f"{self.path}: {reason}; renamed to {renamed.name}, and {self._name} starts again")
            return False
        return True

    def _rename(self) -> Path:
        """Rename the checkpoint, which may be a directory, and return its new path."""
        renamed, number = self.path.with_name(self.path.name + REFUSED), 1
        # A file cannot replace a directory, nor a directory a file.
        while renamed.is_dir() or (renamed.exists() and self.path.is_dir()):
            number += 1
            renamed = self.path.with_name(f"{self.path.name}{REFUSED}-{number}")
        os.replace(self.path, renamed)
        return renamed

    def _read(self, file: BinaryIO, build: rf_tb_build) -> None:
        import zstandard

        head = self._checked_head(file)
        mark = ffi.new("rf_tb_checkpoint *")
        try:
            mark.phase, mark.stone, mark.plies, mark.exit_longest, mark.longest, mark.done = head.pop("mark")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise _UnusableError("the checkpoint contradicts itself") from error
        for key, value in self._identity().items():
            if head.get(key) != value:
                raise _UnusableError(f"the checkpoint belongs to another build ({key})")
        if not lib.rf_tb_build_resume(build, mark):
            raise _UnusableError("the checkpoint contradicts itself")
        try:
            content = _Bounded(file, os.fstat(file.fileno()).st_size - file.tell() - _DIGEST_BYTES)
            with zstandard.ZstdDecompressor().stream_reader(content, closefd=False) as stream:  # type: ignore[arg-type, unused-ignore]
                for piece in _pieces(build, mark):
                    _fill(piece, stream)
                if stream.read(1):
                    raise _UnusableError("the checkpoint is too long")
        except zstandard.ZstdError as error:
            raise _UnusableError("the checkpoint cannot be decompressed") from error

    def _checked_head(self, file: BinaryIO) -> dict[str, Any]:
        """Check the checksum and return the head; the file position is then after the head."""
        start = file.read(len(_MAGIC) + _LENGTH.size)
        if not start.startswith(_MAGIC) or len(start) < len(_MAGIC) + _LENGTH.size:
            raise _UnusableError("this is not a checkpoint")
        left = os.fstat(file.fileno()).st_size - len(start) - _DIGEST_BYTES
        (length,) = _LENGTH.unpack(start[len(_MAGIC) :])
        if not length <= min(left, _MAX_HEAD_BYTES):
            raise _UnusableError("the checkpoint is damaged")
        sha256 = hashlib.sha256(start)
        while left > 0 and (piece := file.read(min(left, _SLICE))):
            sha256.update(piece)
            left -= len(piece)
        if file.read() != sha256.digest():
            raise _UnusableError("the checkpoint is damaged")
        file.seek(len(start))
        try:
            head = from_json(file.read(length))
        except ValueError as error:
            raise _UnusableError("the checkpoint is damaged") from error
        if not isinstance(head, dict):
            raise _UnusableError("the checkpoint is damaged")
        return head


def _is_misplaced(error: OSError) -> bool:
    """Return whether the path is not a file: a directory, a pipe, a dangling or circular link."""
    return isinstance(error, NotRegularError) or error.errno in (errno.ENOENT, errno.ELOOP)


def _numbers(mark: rf_tb_checkpoint) -> list[int]:
    return [mark.phase, mark.stone, mark.plies, mark.exit_longest, mark.longest, mark.done]


def _pieces(build: rf_tb_build, mark: rf_tb_checkpoint) -> Iterator[memoryview]:
    """Yield the memory that belongs to a mark in pieces."""
    size = ffi.new("uint64_t *")
    for part in range(lib.RF_TB_PARTS):
        at = lib.rf_tb_build_checkpoint_part(build, mark, part, size)
        if size[0]:
            view = memoryview(ffi.buffer(at, size[0]))
            for begin in range(0, len(view), _SLICE):
                yield view[begin : begin + _SLICE]


def _fill(piece: memoryview, stream: Any) -> None:
    while len(piece):
        count = stream.readinto(piece)
        if not count:
            raise _UnusableError("the checkpoint is too short")
        piece = piece[count:]
