"""Reading files: compressed ones, and those whose names the user did not give, in a directory or beside another file.

A name that nobody gave may belong to anything. A named pipe would be waited for without end, and not even Ctrl-C would
help.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

#: The end of the name of a file that is compressed with gzip.
PACKED = ".gz"


class NotRegularError(OSError):
    """What should be a regular file, or a link to one, is something else."""


def open_regular(path: str | Path) -> BinaryIO:
    """A regular file, open for reading; never waits.

    :raises NotRegularError: it is a directory, a pipe, a device or a socket.
    :raises OSError: it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise _refusal(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refusal(path)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def check_regular(path: str | Path) -> None:
    """Makes sure that a file that is to be written is regular or not there.

    :raises NotRegularError: it is something else.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise _refusal(path)


def _refusal(path: str | Path) -> NotRegularError:
    return NotRegularError(errno.EINVAL, "this is not a regular file", os.fspath(path))


@contextmanager
def open_unpacked(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file, open for reading; unpacked if its name ends with ``.gz``.

    :raises OSError: it cannot be opened, or, while it is read, it is no whole gzip file.
    """
    if not os.fspath(path).endswith(PACKED):
        with open(path, "rb") as stream:
            yield stream
        return
    import gzip

    with gzip.open(path, "rb") as unpacked:
        yield _Unpacked(unpacked)


class _Unpacked:
    """A compressed file; one that is cut short or damaged is an error of the system."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.read = self._checked(stream.read)
        self.readline = self._checked(stream.readline)

    @staticmethod
    def _checked(read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        import zlib

        def checked(size: int = -1) -> bytes:
            try:
                return read(size)
            except (EOFError, zlib.error) as error:
                raise OSError(f"no whole gzip file: {error}") from error

        return checked

    def fileno(self) -> int:
        """The number of the compressed file."""
        return int(self._stream.fileno())

    def seekable(self) -> bool:
        """False: how much there is to read is not known."""
        return False
