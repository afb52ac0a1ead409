"""``solve`` for many positions: workers, an answer file that survives a kill, and a summary."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from heapq import nlargest
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

import click

from ringfen.batch import workers
from ringfen.batch.answers import Answer
from ringfen.batch.run import AnswerFile, Work, solve_all, solve_one
from ringfen.batch.workers import Failure, WorkerPool
from ringfen.cli.exit_status import LIMIT, OK, USAGE, in_options, worst
from ringfen.cli.output import answers_output, is_answered, note_unused, print_json, tabulate
from ringfen.cli.position_input import Line, Positions, error_fields
from ringfen.cli.progress import ProgressBar
from ringfen.cli.table_problems import TableProblems
from ringfen.errors import BatchError, RingfenError
from ringfen.outputs import OF_WRITING, naming

if TYPE_CHECKING:
    from ringfen.position import Position
    from ringfen.solving import Solution, SolveOptions

_SHOWN_LINES = 4
_MAX_SLOW = 3
_SOLVED = ("exact", "horizon")
#: The name in the summary of answers of GRAN with a horizon within which no game ends.
_ALL_OPEN = "all open"
#: The names of the kinds of values in the summary.
_KINDS = ("win", "loss", "draw", "margin above 0", "margin 0", "margin below 0", "probabilities")

#: Shows a position with its solution; the number counts from 0.
Show = Callable[[int, Line, "Position", "Solution"], None]


def solve_batch(
    positions: Positions,
    options: SolveOptions,
    *,
    out: str | None,
    resume: bool,
    retry: Collection[str],
    jobs: int,
    dask: str | None,
    as_json: bool,
    show: Show,
) -> int:
    """Solve all positions; write the answers to ``out`` with a summary, or pass them to ``show`` in input order."""
    if out is not None:
        answers_output(out, positions.declared())
    work = Work()
    positions.deferred = []
    batch = _Batch(work, options, as_json=as_json and out is None)
    for line, position in positions:
        work.add(line.number, position)
        batch.lines[line.number] = line
    for line, error in positions.deferred:
        batch.lines[line.number] = line
        batch.errors[line.number] = error
    try:
        with interrupted_once():
            if out is None:
                with batch.pool(jobs, dask) as pool:
                    batch.show_all(pool, show)
            else:
                with naming(out, OF_WRITING):
                    file = AnswerFile(out, work, options, resume=resume, retry=retry, inputs=positions.inputs)
                with resumable(file, out, work.total, "answers", batch.bar), batch.pool(jobs, dask) as pool:
                    batch.write_all(pool, file)
    except BatchError as error:
        retry_words = "; --retry unknown,bound solves the open answers again" if error.reason == "other-limits" else ""
        raise click.ClickException(f"{error}{retry_words}") from error
    note_unused(options, {position.game.value_kind for position in work.positions.values()})
    if out is not None:
        batch.summarise(positions.malformed, as_json)
    return worst(batch.status, batch.problems.status, positions.status)


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Make the first Ctrl-C end the batch and the program, and ignore later ones."""
    interrupted = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal interrupted
        if not interrupted:
            interrupted = True
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if interrupted else before)


@contextmanager
def resumable(file: AnswerFile, name: str, total: int, noun: str, bar: ProgressBar) -> Iterator[None]:
    """Close an answer file at the end; after an error or Ctrl-C, print how to continue.

    :param name: The name of the file as the user wrote it.
    :param total: The number of entries of the complete file.
    :param noun: The name of the entries in messages.
    """
    try:
        if file.dropped:
            lines = "line" if file.dropped == 1 else "lines"
            bar.say(f"{file.dropped} incomplete or corrupt {lines} of {file.name} moved to {file.dropped_name}")
        with naming(name, OF_WRITING):
            yield
            file.close()
    except BaseException:
        if file.abandon():
            so_far = f"{len(file.answered)} of {total} {noun} are in {name}"
            bar.say(f"{so_far}; the same command with --resume continues from there")
        raise


def pool_for(
    options: SolveOptions, jobs: int, count: int, bar: ProgressBar, dask: str | None = None
) -> AbstractContextManager[WorkerPool]:
    """Return the workers that solve ``count`` positions, ``jobs`` at a time or on a Dask cluster."""
    return workers.pool_for(partial(solve_one, options), min(jobs, count), dask, bar.say)


class _Batch:
    """One run: the positions, the progress and the counts of answers."""

    def __init__(self, work: Work, options: SolveOptions, *, as_json: bool) -> None:
        self.work = work
        #: The input lines by their numbers, and the errors of those without an answer.
        self.lines: dict[int, Line] = {}
        self.errors: dict[int, RingfenError] = {}
        self._as_json = as_json
        self.options = options
        self.status = OK
        self.tally = Tally()
        self.bar = ProgressBar("solving")
        self.problems = TableProblems()
        #: The numbers of answers that were retried and improved; empty without ``--retry``.
        self.retries: dict[str, int] = {}
        self.done = self.begun = 0

    def pool(self, jobs: int, dask: str | None) -> AbstractContextManager[WorkerPool]:
        """Return the workers."""
        return pool_for(self.options, jobs, len(self.work.positions), self.bar, dask)

    def show_all(self, pool: WorkerPool, show: Show) -> None:
        """Show the solutions in input order, each as soon as possible."""
        fen_of = {line: fen for fen, lines in self.work.lines_of.items() for line in lines}
        order = iter(sorted([*fen_of, *self.errors]))
        due = next(order, None)
        results: dict[str, Solution | None] = {}
        shown = 0
        for found in chain([None], self._results(self.work.positions.values(), pool)):
            if found is not None:
                results[found[0].fen] = found[1]
            while due is not None and (due in self.errors or fen_of[due] in results):
                solution = results.get(fen_of.get(due, ""))
                self.bar.clear()
                if solution is not None:
                    self._count(solution.to_json(), due)
                    show(shown, self.lines[due], self.work.positions[fen_of[due]], solution)
                    shown += 1
                elif self._as_json and self.lines[due].is_streamed:
                    print_json(error_fields(self.lines[due], self.errors[due]))
                due = next(order, None)

    def write_all(self, pool: WorkerPool, file: AnswerFile) -> None:
        """Write the missing answers to the file."""
        for answer in file.found:
            self._count(answer, answer["line"])
        self.done = self.begun = len(file.found)
        for _, solution in self._results(file.unsolved(), pool, file.sync):
            if solution is not None:
                for answer in file.add(solution):
                    self._count(answer, answer["line"])
        if file.is_retry:
            self.retries = {"retried": file.retried, "improved": file.improved}

    def _results(
        self, positions: Iterable[Position], pool: WorkerPool, sync: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Position, Solution | None]]:
        """Yield each position with its solution, or None after a message; call ``sync`` regularly."""

        def on_tick() -> None:
            sync()
            self._progress(pool)

        with self.bar:
            for position, result in solve_all(positions, pool, on_tick):
                lines = self.work.lines_of[position.fen]
                self.done += len(lines)
                if isinstance(result, Failure):
                    self.tally.failed += len(lines)
                    self.status = worst(self.status, USAGE if result.misuse else LIMIT)
                    self.bar.say(f"line {', '.join(map(str, lines))}: no answer: {result.message}")
                    error = RingfenError(result.message, reason="no-answer")
                    self.errors |= dict.fromkeys(lines, error)
                    yield position, None
                else:
                    self.bar.clear()
                    self.problems.report(result.table_problems)
                    yield position, in_options(result)

    def _count(self, answer: Answer, line: int) -> None:
        self.tally.add(answer, line)
        self.status = worst(
            self.status, OK if is_answered(answer["status"], answer.get("open"), self.options) else LIMIT
        )

    def _progress(self, pool: WorkerPool) -> None:
        if self.bar.is_due():
            rate = (self.done - self.begun) / max(self.bar.elapsed, 0.001)
            words = ", ".join(filter(None, (f"{rate:.1f}/s", self._running_lines(pool))))
            self.bar.show(self.done, self.work.total, words, begun=self.begun)

    def _running_lines(self, pool: WorkerPool) -> str:
        """Return the input lines that are being solved, with the time of those that take long."""
        running = pool.running()
        shown = [
            f"{self.work.lines_of[position.fen][0]}" + (f" ({seconds:.0f} s)" if seconds >= 1 else "")
            for position, seconds in running[:_SHOWN_LINES]
        ]
        more = ["…"] if len(running) > _SHOWN_LINES else []
        return f"line {', '.join(shown + more)}" if shown else ""

    def summarise(self, malformed: int, as_json: bool) -> None:
        """Print the summary."""
        counts = {"positions": self.work.total, "different": len(self.work.positions), **self.tally.counts()}
        counts |= self.retries
        counts["malformed"] = malformed
        print_tally(counts, self.tally, as_json)


def print_tally(counts: dict[str, int], tally: Tally, as_json: bool) -> None:
    """Print counts and the slowest answers."""
    if as_json:
        print_json({**counts, "slowest": [{"line": line, "seconds": s} for s, line in tally.slowest]})
        return
    rows = [(name, str(number)) for name, number in counts.items()]
    for rank, (seconds, line) in enumerate(tally.slowest):
        rows.append(("" if rank else "slowest", f"line {line}, {seconds:.2f} s"))
    click.echo(tabulate()(rows, tablefmt="plain", disable_numparse=True))


class Tally:
    """Counts answers, and keeps the slowest."""

    def __init__(self) -> None:
        self.failed = 0
        #: (seconds, line), the slowest first; one per position.
        self.slowest: list[tuple[float, int]] = []
        self._slow: dict[str, tuple[float, int]] = {}
        self._statuses: Counter[str] = Counter()
        self._values: Counter[str] = Counter()

    def add(self, answer: Answer, line: int) -> None:
        """Count the answer of an input line."""
        status = _ALL_OPEN if _is_all_open(answer) else answer["status"]
        self._statuses[status] += 1
        if status in _SOLVED:
            self._values[_kind_of_value(answer["value"])] += 1
        if answer["fen"] not in self._slow:
            self._slow[answer["fen"]] = (answer["seconds"], line)
            self._slow = dict(nlargest(_MAX_SLOW, self._slow.items(), key=itemgetter(1)))
            self.slowest = list(self._slow.values())

    def counts(self) -> dict[str, int]:
        """Return all counts, by their names in the summary."""
        solved = {"solved": sum(self._statuses[status] for status in _SOLVED)}
        by_value = {kind: self._values[kind] for kind in _KINDS if self._values[kind]}
        return {
            **solved,
            **by_value,
            "bounds": self._statuses["bound"],
            **({_ALL_OPEN: self._statuses[_ALL_OPEN]} if self._statuses[_ALL_OPEN] else {}),
            "unknown": self._statuses["unknown"],
            **({"failed": self.failed} if self.failed else {}),
        }


def _is_all_open(answer: Answer) -> bool:
    """Return whether no game is over within the horizon, so that the probabilities say nothing."""
    from fractions import Fraction

    return answer["status"] == "horizon" and answer.get("open") is not None and Fraction(answer["open"]) == 1


def _kind_of_value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return "margin above 0" if value > 0 else "margin below 0" if value < 0 else "margin 0"
    return "probabilities"
