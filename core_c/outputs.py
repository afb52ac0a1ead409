"""Writing files that harm nothing: the one way in which Ringfen writes an output.

A regular file is replaced in one step: what was there, or nothing, is there until the new content is whole and on the
disk. Links are followed, a file keeps its mode, and what is not a regular file (a pipe, a device) is written directly.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

#: A path, or ``-`` for standard input.
Name = str | Path


class OutputRefusedError(OSError):
    """An output that would harm something: it is an input of the same command."""


class Output:
    """A place to write to. It is checked at once, so that no work is done for output that cannot be written.

    :param name: the file; ``-`` is a file of that name, not standard output.
    :param inputs: files that the same command reads.
    :raises OutputRefusedError: it is one of ``inputs``.
    :raises OSError: it is a directory, may not be written, or its directory is not there.
    """

    def __init__(self, name: Name, *, inputs: Iterable[Name] = ()) -> None:
        self._name = os.fspath(name)
        #: The file that is written, links followed.
        self.path = Path(self._name)
        if not self._name:
            raise self._refusal(errno.ENOENT)
        found = _status(self._name)
        if found is not None:
            if stat.S_ISDIR(found.st_mode):
                raise self._refusal(errno.EISDIR)
            _refuse_inputs(self._name, found, inputs)
        self._own_stream = found is not None and _is_standard_output(found)
        #: Whether the file can be replaced in one step; else it is written as the content comes.
        self.is_replaced = not self._own_stream and (found is None or stat.S_ISREG(found.st_mode))
        self._mode = None if found is None else stat.S_IMODE(found.st_mode)
        if self.is_replaced:
            self.path = Path(os.path.realpath(self._name))
            if not self.path.parent.is_dir():
                raise self._refusal(errno.ENOENT)
            if not os.access(self.path.parent, os.W_OK | os.X_OK):
                raise self._refusal(errno.EACCES)
        if found is not None and not self._own_stream and not os.access(self.path, os.W_OK):
            raise self._refusal(errno.EACCES)

    def _refusal(self, number: int) -> OSError:
        return OSError(number, os.strerror(number), self._name)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A file for the content. If the block raises, a regular file stays as it was.

        :raises OSError: the disk is full, for example; the error names the output.
        """
        try:
            with self._replacing() if self.is_replaced else self._direct() as file:
                yield file
        except BrokenPipeError:
            raise
        except OSError as error:
            if error.filename is None or str(error.filename).startswith(str(self.path.parent / _PREFIX)):
                error.filename = self._name
            raise

    def write(self, content: bytes) -> None:
        """Writes all of the content; raises as :meth:`open`."""
        with self.open() as file:
            file.write(content)

    @contextmanager
    def _direct(self) -> Iterator[BinaryIO]:
        if self._own_stream:
            sys.stdout.flush()
            descriptor = os.dup(sys.stdout.fileno())
        else:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "wb") as file:
            yield file

    @contextmanager
    def _replacing(self) -> Iterator[BinaryIO]:
        descriptor, beside = create_beside(self.path, self._mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
        sync_directory(self.path)


def write_output(name: Name, content: bytes, *, inputs: Iterable[Name] = ()) -> None:
    """Writes a whole output; see :class:`Output`."""
    Output(name, inputs=inputs).write(content)


_PREFIX = ".ringfen-"


def create_beside(path: Path, mode: int | None, flags: int = os.O_WRONLY) -> tuple[int, Path]:
    """A new file in the directory of ``path``, to be renamed to it: its descriptor and its name.

    :param mode: its mode; None: as of any new file.
    """
    while True:
        beside = path.with_name(f"{_PREFIX}{os.urandom(6).hex()}")
        try:
            descriptor = os.open(beside, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
        if mode is not None:
            with suppress(OSError):
                os.fchmod(descriptor, mode)
        return descriptor, beside


def sync_directory(path: Path) -> None:
    """Makes sure, where the file system can, that the entry of a new file survives a power failure."""
    with suppress(OSError):
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def refuse_endless(file: BinaryIO | IO[Any], name: str) -> None:
    """Refuses to read what never ends: a regular file that standard output is appended to, a device as ``/dev/zero``.

    :raises OSError: it is one of these.
    """
    own, device = False, False
    with suppress(OSError, ValueError, AttributeError):
        status = os.fstat(file.fileno())
        own = stat.S_ISREG(status.st_mode) and status.st_size > 0 and _is_standard_output(status)
        if stat.S_ISCHR(status.st_mode) and not os.isatty(file.fileno()):
            device = status.st_rdev != os.stat(os.devnull).st_rdev
    if own:
        raise OutputRefusedError(errno.EINVAL, "this input is standard output too", name)
    if device:
        raise OSError(errno.EINVAL, "this device is not a file of text", name)


def _status(name: str) -> os.stat_result | None:
    """What stands there, links followed; None: nothing, or a link to nothing."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _is_standard_output(found: os.stat_result) -> bool:
    try:
        return os.path.samestat(found, os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError, AttributeError):
        return False


def _refuse_inputs(name: str, found: os.stat_result, inputs: Iterable[Name]) -> None:
    if not stat.S_ISREG(found.st_mode):
        return
    for read in inputs:
        same = False
        with suppress(OSError, ValueError, AttributeError):
            other = os.fstat(sys.stdin.fileno()) if os.fspath(read) == "-" else os.stat(read)
            same = os.path.samestat(found, other)
        if same:
            raise OutputRefusedError(errno.EINVAL, "this output is an input too", name)
