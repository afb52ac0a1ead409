"""Messages about files of endgame tables that were skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK, WRONG, complain

if TYPE_CHECKING:
    from ringfen.errors import TableError


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
                complain(f"{problem.reason}: {problem.message}; answers do not use this file")
                click.echo("remove that file and run 'ringfen tablebase build' to make it again", err=True)
