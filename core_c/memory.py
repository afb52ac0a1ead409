"""Objects of the C core that Python owns."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ringfen._core import ffi, lib

if TYPE_CHECKING:
    from ringfen._core import CData, rf_table

C = TypeVar("C", bound="CData")

#: glibc's parameter for the size above which a block is returned to the system when it is freed, and its usual value.
_M_MMAP_THRESHOLD, _MMAP_THRESHOLD = -3, 128 << 10


def owned(pointer: C, free: Callable[[C], None]) -> C:
    """Return a pointer from a ``..._new`` function of the core; its object is freed with the Python object.

    :raises MemoryError: The pointer is ``NULL``.
    """
    if pointer == ffi.NULL:
        raise MemoryError
    return ffi.gc(pointer, free)


def new_table(hash_mb: int, grows: bool = False) -> rf_table:
    """Return a hash table of this many MiB that threads may share; ``NULL`` for 0 MiB.

    :param grows: Begin with a small table and allocate the rest if the entries need it.
    :raises MemoryError: There is not enough memory.
    """
    none: rf_table = ffi.NULL
    if hash_mb == 0:
        return none
    new = lib.rf_table_new_growing if grows else lib.rf_table_new
    return owned(new(hash_mb << 20), lib.rf_table_free)


def return_freed_memory() -> None:
    """Return large blocks to the system whenever they are freed, in the whole process.

    By default, glibc raises the size of such blocks up to 32 MiB, and each thread keeps what it frees.
    """
    if sys.platform == "linux":
        from ctypes import CDLL

        mallopt = getattr(CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD)
