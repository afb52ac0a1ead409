"""Objects of the C core that Python owns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ringfen._core import ffi, lib

if TYPE_CHECKING:
    from ringfen._core import CData, rf_table

C = TypeVar("C", bound="CData")


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
