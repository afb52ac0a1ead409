"""Positions of endgame tables as the leaves of a proof."""

from __future__ import annotations

from collections.abc import Collection

from ringfen._core import lib
from ringfen.errors import TableError
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.tables.tablebase import Tables


class TableLeaves:
    """The positions that some tables tell the value of; which those are depends on the names of the tables alone.

    :param names: Names of existing tables, such as ``SMvT``; None is all.
    :raises MemoryError: There is not enough memory.
    """

    def __init__(self, tables: Tables, position: Position, names: Collection[str] | None = None) -> None:
        self._tables = tables
        self._core, self._reader, self._context = tables.parts(names)
        leaves = lib.si_leaves_new(self._core, self._reader, position.game.cdata)
        #: For the C core. Only good as long as this object is.
        self.cdata = owned(leaves, lib.si_leaves_free)

    def keep(self, blocks: int) -> None:
        """Keep about this number of blocks of 1,024 bytes in memory.

        :raises MemoryError: There is not enough.
        """
        if not lib.si_tb_reader_keep(self._reader, blocks):
            raise MemoryError

    def used(self) -> dict[str, str]:
        """Return the tables that were looked at, with the SHA-256 of their files."""
        infos = [info for info in self._tables.infos if lib.si_leaves_used(self.cdata, info.material)]
        return {info.name: self._tables.checksum(info.name) for info in infos}

    def damaged(self) -> TableError:
        """Return the error for a value that cannot be read."""
        return self._tables.damaged(self._reader)
