"""Opens the endgame tables that a certificate names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from ringfen.errors import CertificateError, TableError
from ringfen.position import Position
from ringfen.rules import TableRules
from ringfen.solving.tables import opened_tables
from ringfen.tables.files import SUFFIX, table_error
from ringfen.tables.proof_leaves import TableLeaves
from ringfen.tables.tablebase import Tables, board_of, tables_directory

#: An upper bound of the number of tables of a board.
_MAX_TABLES: Final = 4096
#: Any number of stones: lines from a position with many stones can reach the tables.
_ANY_NUMBER: Final = 1 << 16
#: The number of table blocks to cache.
_BLOCKS: Final = 1 << 14
_CHECKSUM: Final = re.compile("[0-9a-f]{64}", re.ASCII)


def leaves_of(position: Position, named: Any, directory: str | Path | None) -> TableLeaves:
    """Return the leaves for the tables that a header names, after checking the checksum of every table.

    :param named: The field of the header: the checksums of the files by the names of the tables.
    :raises ringfen.CertificateError: The field does not have this form.
    :raises ringfen.TableError: A table is missing or differs.
    """
    board = board_of(position, max_stones=_ANY_NUMBER)
    if board is None or not board.rules.max_search_stones:
        raise CertificateError("the header names endgame tables, but certificates of this game use none")
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
        if not _is_class_name(name, rules):
            raise CertificateError("the header names an impossible endgame table")
        if not isinstance(checksum, str) or not _CHECKSUM.fullmatch(checksum):
            raise CertificateError("the header has no checksum of an endgame table")


def _is_class_name(name: str, rules: TableRules) -> bool:
    try:
        return rules.name_of(rules.class_of(name)) == name
    except ValueError:
        return False


def _check_file(tables: Tables, name: str, checksum: str) -> None:
    path = tables.folder / f"{name}{SUFFIX}"
    if name not in {info.name for info in tables.infos}:
        problem = next((problem for problem in tables.problems if Path(problem.text).name == path.name), None)
        raise problem or _missing(path)
    if tables.checksum(name) != checksum:
        raise table_error(path, "other-table", "this table differs from the one that the certificate names")


def _missing(path: Path) -> TableError:
    return table_error(path, "missing-table", "the certificate needs this table, which does not exist")
