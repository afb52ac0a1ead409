"""``annotate``: write the solver's values into records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import LIMIT, OK, USAGE, WRONG, in_options, print_error, printing, worst
from ringfen.cli.output import DROPPED, counted, named_file, print_json
from ringfen.cli.progress import ProgressBar
from ringfen.cli.record_files import InputRecords, Source, show, text_with_gap
from ringfen.cli.shared_options import (
    is_quiet,
    jobs_option,
    json_option,
    out_option,
    reading_options,
    resume_option,
    solver_options,
)
from ringfen.cli.solve import solve_options
from ringfen.cli.table_problems import TableProblems
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.batch.run import AnswerFile, Work
    from ringfen.notation.annotating import Judgement
    from ringfen.notation.record import Record
    from ringfen.notation.splitting import RawRecord
    from ringfen.outputs import Files, Output
    from ringfen.solving import Solution, SolveOptions

#: The default limit; it does not depend on the machine.
_USUAL_NODES = 1_000_000
#: The suffix of the file of answers, which is next to the output.
_ANSWERS = ".answers.jsonl"
#: The maximum number of better plies that a message names.
_MAX_NAMED = 3


@click.command()
@reading_options
@solver_options("1e6 without --seconds")
@click.option("--variations", is_flag=True, help="Add the best line after each marked ply.")
@click.option(
    "--problems",
    metavar="FILE",
    type=click.Path(),
    help="Also write to FILE the problems among the positions in which a player gave a win or a lead away.",
)
@jobs_option()
@out_option()
@resume_option
@json_option
def annotate(
    files: Sequence[str],
    board_path: Sequence[Path],
    variations: bool,
    problems: str | None,
    jobs: int,
    out: str | None,
    resume: bool,
    as_json: bool,
    **limits: Any,
) -> int:
    """Write the solver's values into records and mark the mistakes.

    Comments show the proven value after each ply of the main line: [%value s 5] means that South wins in 5 plies. A ply
    that provably lost value gets the NAG $2, one that turned a win into a loss $4. Another run replaces the values.
    Records in which plies may be missing stay unchanged. Invalid records also do, and the exit status is 1.

    --resume continues an interrupted run with --out from FILE.answers.jsonl.

    \b
    Example:
      ringfen annotate examples/gyges-2001.rgn --nodes 20k
      ringfen annotate games.rgn --seconds 10 --jobs 2 --variations --out annotated.rgn
    """
    from ringfen.cli.batch import interrupted_once
    from ringfen.errors import BatchError

    out = named_file(out, as_json)
    if resume and out is None:
        raise click.UsageError("--resume requires --out FILE.")
    if problems == "-":
        raise click.UsageError("--problems requires a file.")
    run = _Run(_options(**limits), variations, as_json)
    inputs = InputRecords(files, board_path)
    declared = inputs.declared()
    output = None if out is None else _declared(out, declared)
    problem_output = None if problems is None else declared.output(problems)
    for source in inputs.sources():
        run.read(source)
    status = worst(inputs.status, WRONG if run.invalid else OK)
    if inputs.has_failed:
        return status
    try:
        with interrupted_once(), _opened(output) as file, _opened(problem_output) as problem_file:
            if problem_file is not None:
                run.missed = MissedWins(problem_file, run.options, board_path)
            run.solve(file, out, resume, jobs)
    except BatchError as error:
        raise click.ClickException(str(error)) from error
    return worst(status, run.status, run.table_problems.status)


def _options(*, nodes: int | None, seconds: float | None, **rest: Any) -> SolveOptions:
    if nodes is None and seconds is None:
        nodes = _USUAL_NODES
    return solve_options(nodes=nodes, seconds=seconds, **rest)


def _declared(out: str, files: Files) -> Output:
    """Return the output file, and declare the files next to it."""
    output = files.output(out)
    files.companion(f"{out}{_ANSWERS}")
    files.companion(f"{out}{_ANSWERS}{DROPPED}")
    return output


@contextmanager
def _opened(output: Output | None) -> Iterator[IO[bytes] | None]:
    """Open the output file; it appears when all records are written."""
    if output is None:
        yield None
        return
    with output.open_packing() as file:
        yield file


class MissedWins:
    """Writes the positions in which a player gave a win away as problems, if they are sound, each position once.

    :param options: Limits and tables for the proof that no other ply wins as soon.
    """

    def __init__(self, file: IO[bytes], options: SolveOptions, board_path: Sequence[Path]) -> None:
        from ringfen.problems.mining import ProblemOptions, Twins
        from ringfen.problems.stipulation import MAX_MOVES

        self._file = file
        self._board_path = board_path
        self._options = ProblemOptions(length=(0, MAX_MOVES), limits=options.limits, tables=options.tables)
        self._twins = Twins(keep_mirrored=False)
        self._count = 0

    def add(self, record: Record, judgement: Judgement) -> bool:
        """Write the position before a ply if it is a problem that the ply does not solve; return whether it is."""
        from ringfen.notation.problem_records import problem_record
        from ringfen.notation.writing import write_record
        from ringfen.problems.mining import examine

        position = judgement.node.before
        if not self._twins.is_new(position):
            return False
        problem = examine(position, self._options).problem
        if problem is None or problem.key == judgement.node.short:
            return False
        self._count += 1
        source = f"{record.source}, record {record.number}, ply {judgement.ply}"
        found = problem_record(problem, source, position, number=self._count, board_path=self._board_path)
        self._file.write(write_record(found).encode())
        return True


class _Task:
    """One record of the input: its source, its text, and the positions that are not solved yet."""

    def __init__(self, source: str, raw: RawRecord, record: Record) -> None:
        self.source = source
        self.raw = raw
        self.record: Record | None = record
        #: The text that stays unchanged because its move numbers show that plies may be missing.
        self.unchanged: bytes | None = None
        #: The positions without an answer.
        self.missing: set[str] = set()


class _Run:
    """One run over all files: the positions to solve, their solutions, and the records to write."""

    def __init__(self, options: SolveOptions, variations: bool, as_json: bool) -> None:
        from ringfen.batch.run import Work

        self.options = options
        self.status = OK
        self.invalid = 0
        #: The number of records that cannot be written.
        self.skipped = 0
        #: The number of valid records whose move numbers show a gap.
        self.unchanged = 0
        self._variations = variations
        self._as_json = as_json
        self._work: Work = Work()
        self._tasks: list[_Task] = []
        self._waiting: dict[str, list[_Task]] = {}
        self._solutions: dict[str, Solution] = {}
        self._written = 0
        self._file: IO[bytes] | None = None
        self.table_problems = TableProblems()
        #: Collects the positions in which a player gave a win away; None without --problems.
        self.missed: MissedWins | None = None
        self._counts: Counter[str] = Counter()

    def read(self, source: Source) -> None:
        """Read the records of a file and collect the positions to solve."""
        from ringfen.notation.annotating import positions_to_solve

        for raw in source.raw_records():
            record = source.reader.read(raw)
            source.count(record)
            task = _Task(source.name, raw, record)
            self._tasks.append(task)
            if not record.valid:
                show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
                self.invalid += 1
                if raw.too_long or raw.json_problem:
                    reason = source.too_long if raw.too_long else "could not be read"
                    print_error(f"{source.name}: record {record.number} {reason} and was skipped")
                    self.skipped += 1
                    self.status = worst(self.status, USAGE)
                continue
            task.unchanged = text_with_gap(source, raw, record)
            if task.unchanged is not None:
                self.unchanged += 1
                continue
            for position in positions_to_solve(record):
                if position.fen not in task.missing:
                    self._work.add(self._work.total + 1, position)
                    task.missing.add(position.fen)
                    self._waiting.setdefault(position.fen, []).append(task)

    def solve(self, file: IO[bytes] | None, out: str | None, resume: bool, jobs: int) -> None:
        """Solve all positions from the end of each game, and write each record when its values are known."""
        from ringfen.batch.run import solve_all
        from ringfen.batch.workers import Failure
        from ringfen.cli.batch import pool_for

        self._file = file
        with ExitStack() as stack:
            bar = stack.enter_context(ProgressBar("annotating"))
            answers = None
            if out is not None:
                answers = stack.enter_context(self._answers(Path(f"{out}{_ANSWERS}"), resume, bar))
            positions = list(self._work.positions.values()) if answers is None else self._unsolved(answers)
            self._write_ready()
            total = len(self._work.positions)
            begun = done = total - len(positions)
            pool = stack.enter_context(pool_for(self.options, jobs, len(positions), bar))

            def show_progress() -> None:
                if answers is not None:
                    answers.sync()
                bar.show(done, total, "positions", begun=begun)

            for position, result in solve_all(positions, pool, show_progress):
                done += 1
                if isinstance(result, Failure):
                    bar.clear()
                    print_error(f"{position.fen}: no answer: {result.message}")
                    self.status = worst(self.status, LIMIT)
                    self._settle(position.fen)
                else:
                    bar.clear()
                    self.table_problems.report(result.table_problems)
                    if answers is not None:
                        answers.add(in_options(result))
                    self._add(result)
                bar.clear()
                self._write_ready()
        self._report()

    @contextmanager
    def _answers(self, path: Path, resume: bool, bar: ProgressBar) -> Iterator[AnswerFile]:
        """Open the file of answers; remove it when all records are written."""
        from ringfen.batch.run import AnswerFile
        from ringfen.cli.batch import resumable
        from ringfen.outputs import OF_WRITING, naming

        with naming(path, OF_WRITING):
            file = AnswerFile(path, self._work, self.options, resume=resume)
        with resumable(file, str(path), self._work.total, "answers", bar):
            yield file
        path.unlink()

    def _unsolved(self, answers: AnswerFile) -> Any:
        from ringfen.solving import Solution

        for answer in answers.found:
            self._add(Solution.from_json(answer))
        return answers.unsolved()

    def _add(self, solution: Solution) -> None:
        self._solutions[solution.fen] = solution
        self._settle(solution.fen)

    def _settle(self, fen: str) -> None:
        for task in self._waiting.get(fen, ()):
            task.missing.discard(fen)

    def _write_ready(self) -> None:
        """Write the next records in input order, as far as all their positions have an answer or a failure."""
        while self._written < len(self._tasks) and not self._tasks[self._written].missing:
            task = self._tasks[self._written]
            self._written += 1
            self._write(task)
            task.record = None  # a tree takes many times the memory of its text

    def _write(self, task: _Task) -> None:
        from ringfen.notation.annotating import annotate_record, contradiction
        from ringfen.notation.writing import write_record

        record = task.record
        assert record is not None
        if not record.valid:
            if not (task.raw.too_long or task.raw.json_problem):
                self._put(task.raw.data.rstrip(b"\r\n \t") + b"\n\n")
            return
        if task.unchanged is not None:
            self._put(task.unchanged)
            return
        judgements = annotate_record(record, self._solutions, variations=self._variations)
        self._put(write_record(record).encode())
        for judgement in judgements:
            self._counts["plies"] += 1
            self._counts["proven"] += judgement.value is not None and not judgement.is_bounded
            self._counts["bounded"] += judgement.is_bounded
            self._counts["marks"] += judgement.mark is not None
            if self._as_json:
                print_json(_fields(record, judgement))
            elif judgement.mark is not None:
                click.echo(_words(record, judgement), err=True)
            if self.missed is not None and judgement.missed:
                self._counts["problems"] += self.missed.add(record, judgement)
        self._counts["records"] += 1
        if judgements and (words := contradiction(record, judgements[-1])) is not None:
            click.echo(f"{printable(record.source)}: record {record.number}: {words}", err=True)

    def _put(self, text: bytes) -> None:
        if self._file is not None:
            self._file.write(text)
        elif not self._as_json:
            with printing():
                click.echo(text, nl=False)

    def _report(self) -> None:
        if is_quiet():
            return
        counts = self._counts
        parts = [
            counted(counts["records"], "record"),
            counted(counts["plies"], "ply", "plies"),
            f"{counts['proven']:,} with a proven value",
            *([f"{counts['bounded']:,} with bounds"] if counts["bounded"] else []),
            f"{counts['marks']:,} marked",
            *([counted(counts["problems"], "problem")] if self.missed is not None else []),
        ]
        kept = self.invalid - self.skipped
        if kept:
            parts.append(f"{counted(kept, 'invalid record')} left unchanged")
        if self.unchanged:
            parts.append(f"{counted(self.unchanged, 'record')} in which plies may be missing left unchanged")
        if self.skipped:
            parts.append(f"{counted(self.skipped, 'record')} skipped")
        click.echo(", ".join(parts), err=True)


def _fields(record: Record, judgement: Judgement) -> dict[str, Any]:
    found = {} if judgement.solution is None else judgement.solution.to_json()
    return {
        "file": record.source,
        "record": record.number,
        "ply": judgement.ply,
        "text": judgement.node.ply,
        "status": found.get("status", "unknown"),
        "value": found.get("value"),
        "best": found.get("best", []),
        "mark": judgement.mark,
    }


def _words(record: Record, judgement: Judgement) -> str:
    """Return one line about a ply that lost value."""
    kind = "a mistake" if judgement.mark == 2 else "a blunder"
    value = f", value now {judgement.value}" if judgement.value is not None else ""
    better = f"; better: {_named(judgement.better)}" if judgement.better else ""
    place = f"{printable(record.source)}: record {record.number}, ply {judgement.ply}"
    return f"{place}: {judgement.node.ply}: {kind}{value}{better}"


def _named(plies: Sequence[str]) -> str:
    """Return the first plies and the number of the others."""
    if len(plies) <= _MAX_NAMED:
        return ", ".join(plies)
    return f"{', '.join(plies[: _MAX_NAMED - 1])} and {len(plies) - _MAX_NAMED + 1:,} more"
