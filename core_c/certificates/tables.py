"""The endgame tables that a certificate names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from ringfen.errors import CertificateError, TableError
from ringfen.position import Position
from ringfen.rules import TableRules
from ringfen.solving.tables import opened_tables
from ringfen.tables.files import SUFFIX, refused
from ringfen.tables.proof_leaves import TableLeaves
from ringfen.tables.tablebase import Tables, board_of, tables_directory

#: More tables than any board has.
_MAX_TABLES: Final = 4096
#: Of stones: a position with many can have lines that come down to few.
_ANY_NUMBER: Final = 1 << 16
#: Blocks of tables to keep in memory.
_BLOCKS: Final = 1 << 14
_CHECKSUM: Final = re.compile("[0-9a-f]{64}", re.ASCII)


def leaves_of(position: Position, named: Any, directory: str | Path | None) -> TableLeaves:
    """Return the leaves that the header of a certificate names, once every table is the one that was meant.

    :param named: Checksums of files by the names of the tables, as read.
    :raises ringfen.CertificateError: These are no names with checksums.
    :raises ringfen.TableError: A table is missing or differs.
    """
    board = board_of(position, max_stones=_ANY_NUMBER)
    if board is None:
        raise CertificateError("the header names endgame tables, but the game has none")
    _check_names(named, board.rules)
    tables = opened_tables(board, directory)
    if tables is None:
        raise _missing(tables_directory(directory) / board.folder / f"{min(named)}{SUFFIX}")
    for name, checksum in sorted(named.items()):
        _check_file(tables, name, checksum)
    leaves = TableLeaves(tables, position, named)
    leaves.keep(_BLOCKS)
    return leaves


def _check_names(named: Any, rules: TableRules) -> None:
    if not isinstance(named, dict) or not 1 <= len(named) <= _MAX_TABLES:
        raise CertificateError("the header has no list of endgame tables")
    for name, checksum in named.items():
        material = rules.class_of(name)
        if material is None or rules.name_of(material) != name:
            raise CertificateError("the header names an endgame table that cannot be")
        if not isinstance(checksum, str) or not _CHECKSUM.fullmatch(checksum):
            raise CertificateError("the header has no checksum of an endgame table")


def _check_file(tables: Tables, name: str, checksum: str) -> None:
    path = tables.folder / f"{name}{SUFFIX}"
    if name not in {info.name for info in tables.infos}:
        problem = next((problem for problem in tables.problems if Path(problem.text).name == path.name), None)
        raise problem or _missing(path)
    if tables.checksum(name) != checksum:
        raise refused(path, "other-table", "this is another table than the certificate names")


def _missing(path: Path) -> TableError:
    return refused(path, "missing-table", "the certificate relies on this table, which is not there")
