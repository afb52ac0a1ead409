"""Reading files whose names the user did not give: those that stand in a directory, or beside another file.

Such a name may belong to anything. A named pipe would be waited for without end, and not even Ctrl-C would help.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


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
