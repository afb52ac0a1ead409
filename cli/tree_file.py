"""``solve --tree --out``: trees as JSON lines that ``--resume`` continues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.batch.run import AnswerFile, Work
from ringfen.cli.batch import interrupted_once, resumable
from ringfen.cli.exit_status import LIMIT, OK, in_options, worst
from ringfen.cli.output import answers_output, is_answered, note_unused
from ringfen.cli.progress import ProgressBar
from ringfen.cli.solution_tree import TreeOptions, answer_with_tree
from ringfen.cli.table_problems import TableProblems
from ringfen.errors import BatchError
from ringfen.outputs import OF_WRITING, naming

if TYPE_CHECKING:
    from ringfen.cli.position_input import Positions
    from ringfen.position import Position
    from ringfen.solving import SolveOptions


def write_trees(positions: Positions, options: SolveOptions, asked: TreeOptions, out: str, *, resume: bool) -> int:
    """Write the trees of all positions to a file; return the exit status."""
    answers_output(out, positions.declared())
    work, bar, problems = Work(), ProgressBar("solving"), TableProblems()
    for line, position in positions:
        work.add(line.number, position)
    try:
        with interrupted_once():
            with naming(out, OF_WRITING):
                file = _TreeFile(out, work, options, asked, resume=resume, inputs=positions.inputs)
            status = worst(OK, *(_status(answer, options) for answer in file.found))
            with resumable(file, out, work.total, "trees", bar), bar:
                for position in file.unsolved():
                    solution = in_options(position.solve(options, progress=bar))
                    problems.report(solution.table_problems)
                    fields = answer_with_tree(position, solution, options, asked)
                    file.add_fields(fields)
                    status = worst(status, _status(fields, options))
    except BatchError as error:
        raise click.ClickException(str(error)) from error
    note_unused(options, {position.game.value_kind for position in work.positions.values()})
    return worst(status, problems.status, positions.status)


def _status(fields: Mapping[str, Any], options: SolveOptions) -> int:
    is_complete = fields["tree_complete"] and is_answered(fields["status"], fields["open"], options)
    return OK if is_complete else LIMIT


class _TreeFile(AnswerFile):
    """An answer file whose answers have trees."""

    def __init__(
        self,
        path: str | Path,
        work: Work,
        options: SolveOptions,
        asked: TreeOptions,
        *,
        resume: bool,
        inputs: Iterable[str | Path],
    ) -> None:
        self._asked = asked
        super().__init__(path, work, options, resume=resume, inputs=inputs)

    def add_fields(self, fields: Mapping[str, Any]) -> None:
        """Write an answer for all input lines with its position."""
        self._add(fields["fen"], fields)

    def _relevant_options(self, position: Position) -> dict[str, Any]:
        asked = self._asked
        chosen = {"tree": True, "tree_full": asked.full, "tries": asked.tries, "tree_depth": asked.depth}
        return super()._relevant_options(position) | {name: value for name, value in chosen.items() if value}
