"""Messages about files of endgame tables that were skipped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK, WRONG, print_error

if TYPE_CHECKING:
    from ringfen.errors import TableError


#: What to do about a file that cannot be used, by the reason of its error; any other file is damaged.
_ADVICE = {
    "foreign-table": "move or remove that file; {build} a table that is missing",
    "missing-table": "{build} it",
    "newer-table": "install a newer version of Ringfen to read that file",
    "unreadable-table": "make that file readable, or remove it and {build} it again",
}
_DAMAGED = "remove that file and {build} it again"


def advise(problem: TableError) -> None:
    """Print on standard error what to do about a file that cannot be used."""
    from ringfen.cli.tablebase.common import building
    from ringfen.tables.tablebase import board_of_folder, tables_directory

    path = Path(problem.text)
    board, place = board_of_folder(path.parent), path.parent.parent
    build = "run 'ringfen tablebase build' to build"
    if board is not None and problem.reason != "foreign-table":
        with suppress(ValueError):  # the file has another name
            name = board.rules.name_of(board.rules.class_of(path.stem))
            build = building(board, [name], None if place == tables_directory() else place)
    click.echo(_ADVICE.get(problem.reason, _DAMAGED).format(build=build), err=True)


class TableProblems:
    """The files of endgame tables that were skipped. Each is reported once."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    @property
    def status(self) -> int:
        """The exit status: 1 if a file was skipped."""
        return WRONG if self._reported else OK

    def report(self, problems: Sequence[TableError]) -> None:
        """Report the files that were skipped for a solution or a certificate."""
        for problem in problems:
            if problem.text not in self._reported:
                self._reported.add(problem.text)
                print_error(f"{problem.reason}: {problem.message}; answers do not use this file")
                advise(problem)
