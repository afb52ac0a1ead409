"""Probes endgame tables for the positions at which the lines of a certificate end."""

from __future__ import annotations

from collections.abc import Collection

from ringfen._core import lib
from ringfen.errors import TableError
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.tables.tablebase import Tables


class TableLeaves:
    """The positions that tables cover, as the leaves of a proof. They depend only on the names of the tables.

    :param names: Use only the tables with these names, such as ``SMvT``; None is all.
    :raises MemoryError: There is not enough memory.
    """

    def __init__(self, tables: Tables, position: Position, names: Collection[str] | None = None) -> None:
        self._tables = tables
        self._core, self._reader, self._context = tables.parts(names)
        leaves = lib.si_leaves_new(lib.si_tables_of(self._core), self._reader, position.game.cdata)
        #: The object of the C core. It is valid as long as this object exists.
        self.cdata = owned(leaves, lib.si_leaves_free)

    def keep(self, blocks: int) -> None:
        """Cache about this number of blocks of 1,024 bytes in memory.

        :raises MemoryError: There is not enough memory.
        """
        if not lib.rf_tb_reader_resize(self._reader, blocks):
            raise MemoryError

    def used(self) -> dict[str, str]:
        """Return the names of the tables that were probed, with the SHA-256 of their files."""
        infos = [info for info in self._tables.infos if lib.si_leaves_used(self.cdata, info.material)]
        return {info.name: self._tables.checksum(info.name) for info in infos}

    def damaged(self) -> TableError:
        """Return the error for a value that cannot be read."""
        return self._tables.damaged(self._reader)
