"""Perft: the number of ply sequences, the standard check of a move generator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from itertools import islice, takewhile
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from ringfen._core import ffi, lib
from ringfen.arguments import check_progress
from ringfen.control import (
    MAX_HASH_MB,
    MAX_THREADS,
    Budget,
    Control,
    Limits,
    Progress,
    ProgressCallback,
    checked_int,
    limit_reached,
)
from ringfen.errors import LimitReached
from ringfen.memory import new_table
from ringfen.position import Position
from ringfen.rules import Game
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Array, rf_control, rf_table

#: If there are fewer root plies per thread than this, the second ply is split too.
_TASKS_PER_THREAD = 16
_SECONDS_BETWEEN_REPORTS = 0.1
#: The parts of a task in the progress of several threads.
_PARTS = 1000
#: The largest table that the program chooses, in MiB, and the least depth for which it uses one.
_DEFAULT_HASH_MB = 64
_TABLE_DEPTH = 4

T = TypeVar("T")


def perft(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> int:
    """Return the number of different sequences of ``depth`` plies from a position.

    A node of the limits is a position that the count visits. The last ply (in some games the last plies) is counted
    without visiting the positions after it, so there are far fewer nodes than sequences.

    :param position: A position or its text.
    :param depth: Number of plies, 0 to 255.
    :param threads: Number of threads. It does not change the count.
    :param hash_mb: Memory for a table of counts in MiB. None lets the program choose; 0 is no table.
    :param seconds: Wall-clock time, above 0; None is no limit.
    :param nodes: Positions to visit, 1 or more; None is no limit.
    :param limits: ``nodes`` and ``seconds`` as one object.
    :param progress: A function that is called about 20 times per second, and at the end.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds.
    :raises ringfen.LimitReached: A limit was reached.
    :raises OverflowError: The count does not fit in 64 bits.
    """
    limits = _limits(limits, nodes, seconds)
    start = _checked(position, depth, 0, threads, hash_mb, progress)
    if threads > 1 and depth >= 2:
        parts = divide(start, depth, threads=threads, hash_mb=hash_mb, limits=limits, progress=progress)
        total = sum(count for _, count in parts)
        if total >> 64:
            raise OverflowError("the count does not fit 64 bits")
        return total
    task = _Count(start, depth)
    count = task.run(_new_table(hash_mb, depth), limits, progress)
    if progress is not None:
        _report_end(progress, task.nodes, task.total)
    return count


def divide(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> list[tuple[str, int]]:
    """Return the count after each legal ply, in byte order of the plies.

    Arguments and errors are those of :func:`perft`; ``depth`` is at least 1.
    """
    limits = _limits(limits, nodes, seconds)
    start = _checked(position, depth, 1, threads, hash_mb, progress)
    table = _new_table(hash_mb, depth)
    successors = start.successors()
    split = threads > 1 and depth > 2 and len(successors) < threads * _TASKS_PER_THREAD
    plies_to: dict[Position, list[int]] = {}  # Equal positions are counted once, for all plies that lead to them.
    for index, (_, child) in enumerate(successors):
        for below in [grandchild for _, grandchild in child.successors()] if split else [child]:
            plies_to.setdefault(below, []).append(index)
    tasks = [_Count(below, depth - 2 if split else depth - 1) for below in plies_to]
    run = _one_by_one if threads == 1 else _in_threads
    counts = [0] * len(successors)
    found = run(tasks, table, threads, limits or Limits(), progress)
    for indexes, count in zip(plies_to.values(), found, strict=True):
        for index in indexes:
            counts[index] += count
    return [(ply, count) for (ply, _), count in zip(successors, counts, strict=True)]


def kinds_of_plies(game: Game) -> tuple[str, ...]:
    """Return the kinds of plies that :func:`count_kinds` distinguishes in a game, such as ``"captures"``."""
    names = (lib.rf_game_ply_kind(game.cdata, index) for index in range(lib.RF_MAX_PLY_KINDS))
    return tuple(ffi.string(name).decode("ascii") for name in takewhile(lambda name: name != ffi.NULL, names))


def count_kinds(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[int, dict[str, int]]:
    """Return the number of sequences of ``depth`` plies, and how many of them end with a ply of each kind.

    A ply can have several kinds (a capture that promotes) or none. Every sequence is played to its end, so this is
    slower than :func:`perft`. Arguments and errors are those of :func:`perft`; ``depth`` is at least 1.
    """
    limits = _limits(limits, None, None)
    start = _checked(position, depth, 1, threads, 0, progress)
    tasks = [_KindCount(start, depth)]
    if threads > 1 and depth > 1:
        tasks = [_KindCount(child, depth - 1) for _, child in start.successors()]
    run = _one_by_one if threads == 1 else _in_threads
    found = run(tasks, ffi.NULL, threads, limits or Limits(), progress)
    kinds = kinds_of_plies(start.game)
    sums = (sum(counts[index] for _, counts in found) for index in range(len(kinds)))
    return sum(nodes for nodes, _ in found), dict(zip(kinds, sums, strict=True))


def _limits(limits: Limits | None, nodes: int | None, seconds: float | None) -> Limits | None:
    """Return the limits of a call, given as one object or as keywords; None if there are none.

    :raises TypeError: ``limits`` is not a Limits, or both are given.
    :raises ValueError: A limit is out of bounds.
    """
    if limits is None:
        return None if nodes is None and seconds is None else Limits(nodes, seconds)
    if not isinstance(limits, Limits):
        raise TypeError(f"limits is a Limits or None, not {type(limits).__name__}")
    if Limits(nodes, seconds) != Limits():
        raise TypeError("give limits, or nodes and seconds, not both")
    return limits


def _new_table(hash_mb: int | None, depth: int) -> rf_table:
    """Return a table of counts. None: one that grows, if the depth is large enough for positions to recur."""
    if hash_mb is None:
        return new_table(_DEFAULT_HASH_MB if depth >= _TABLE_DEPTH else 0, grows=True)
    return new_table(hash_mb)


def _checked(
    position: Position | str,
    depth: int,
    minimum_depth: int,
    threads: int,
    hash_mb: int | None,
    progress: ProgressCallback | None,
) -> Position:
    """Check all arguments and return the position."""
    check_progress(progress)
    checked_int("depth", depth, minimum_depth, int(lib.RF_MAX_PERFT))
    checked_int("threads", threads, 1, MAX_THREADS)
    if hash_mb is not None:
        checked_int("hash_mb", hash_mb, 0, MAX_HASH_MB)
    return Position.of(position)


class _Task(ABC, Generic[T]):
    """The count from one position."""

    def __init__(self, position: Position, depth: int) -> None:
        self._position = position
        self._depth = depth
        self._control: Control | None = None

    @property
    def nodes(self) -> int:
        """Positions visited so far. Another thread may be counting."""
        return 0 if self._control is None else self._control.nodes

    @property
    def parts_done(self) -> int:
        """How many of :data:`_PARTS` parts are done. Another thread may be counting."""
        if self._control is None or not self._control.cdata.total:
            return 0
        share = _PARTS * int(self._control.cdata.done) // int(self._control.cdata.total)
        return min(_PARTS, share)

    @property
    def total(self) -> int:
        """The total of the last progress, at least 1."""
        return 1 if self._control is None else max(1, int(self._control.cdata.total))

    def run(
        self,
        table: rf_table,
        limits: Limits | None,
        progress: ProgressCallback | None = None,
        cancel: Array[int] = ffi.NULL,
    ) -> T:
        """Return the count; raise the errors of :func:`perft`."""
        control = self._control = Control(limits, progress, cancel)
        found = self._call(table, control.cdata)
        control.finish()
        error = limit_reached(control)
        if error is not None:
            raise error
        return found

    @abstractmethod
    def _call(self, table: rf_table, control: rf_control) -> T:
        """Call the core."""


class _Count(_Task[int]):
    """The number of sequences."""

    def _call(self, table: rf_table, control: rf_control) -> int:
        position = self._position
        return lib.rf_perft(position.game.cdata, position.context.cdata, position.state, self._depth, table, control)


class _KindCount(_Task[tuple[int, list[int]]]):
    """The number of sequences, and of those that end with a ply of each kind."""

    def _call(self, table: rf_table, control: rf_control) -> tuple[int, list[int]]:
        position = self._position
        counts = ffi.new("uint64_t[]", lib.RF_MAX_PLY_KINDS)
        total = lib.rf_perft_kinds(
            position.game.cdata, position.context.cdata, position.state, self._depth, counts, control
        )
        return total, list(counts)


def _visited(tasks: Sequence[_Task[T]]) -> int:
    return sum(task.nodes for task in tasks)


def _report_task(progress: ProgressCallback, nodes: int, index: int, tasks: int, report: Progress) -> None:
    """Report the progress of one of several tasks as that of all; ``nodes`` are those of the tasks before it."""
    progress(Progress(nodes + report.nodes, 0, index * report.total + report.done, tasks * report.total))


def _one_by_one(
    tasks: Sequence[_Task[T]], table: rf_table, threads: int, limits: Limits, progress: ProgressCallback | None
) -> list[T]:
    budget = Budget(limits)
    counts = []
    for index, task in enumerate(tasks):
        report = progress and partial(_report_task, progress, budget.used, index, len(tasks))
        try:
            counts.append(task.run(table, budget.left(), report))
        except LimitReached as error:
            error.nodes = _visited(tasks)
            raise
        budget.use(task.nodes)
    _report_end(progress, budget.used, sum(task.total for task in tasks[-1:]) * len(tasks))
    return counts


def _report_end(progress: ProgressCallback | None, nodes: int, total: int) -> None:
    """Report that everything is done."""
    if progress is not None:
        progress(Progress(nodes, 0, max(1, total), max(1, total)))


def _in_threads(
    tasks: Sequence[_Task[T]], table: rf_table, threads: int, limits: Limits, progress: ProgressCallback | None
) -> list[T]:
    """Return the counts of the tasks in their order. Ctrl-C in the main thread stops all threads."""
    from contextvars import copy_context

    budget = Budget(limits)
    cancel = ffi.new("int *", 0)
    waiting = iter(_interleaved(tasks, threads))
    counts: dict[_Task[T], T] = {}
    running: set[_Task[T]] = set()
    next_report = monotonic() + _SECONDS_BETWEEN_REPORTS
    with Threads[_Task[T], T](threads) as pool:
        try:
            while len(counts) < len(tasks):
                for task in islice(waiting, 2 * threads - len(running)):
                    running.add(task)
                    # The context contains the function that stops calls.
                    pool.submit(task, partial(copy_context().run, task.run, table, budget.left(), None, cancel))
                for task, count in pool.finished(_SECONDS_BETWEEN_REPORTS):
                    running.remove(task)
                    counts[task] = count
                    budget.use(task.nodes)
                if progress is not None and monotonic() >= next_report:
                    nodes = budget.used + sum(task.nodes for task in running)
                    done = _PARTS * len(counts) + sum(task.parts_done for task in running)
                    progress(Progress(nodes, 0, done, _PARTS * len(tasks)))
                    next_report = monotonic() + _SECONDS_BETWEEN_REPORTS
        except BaseException as error:
            cancel[0] = 1
            if isinstance(error, LimitReached):
                pool.close()
                error.nodes = _visited(tasks)
            raise
    _report_end(progress, budget.used, _PARTS * len(tasks))
    return [counts[task] for task in tasks]


def _interleaved(tasks: Sequence[T], threads: int) -> list[T]:
    """Return the tasks in an order in which the threads count distant tasks.

    Neighbouring tasks share positions. Two threads that count neighbours at the same time count these positions twice,
    because neither finds them in the table yet.
    """
    part = -(-len(tasks) // threads)
    return [tasks[index] for first in range(part) for index in range(first, len(tasks), part)]


def exact_perft(position: Position, depth: int, table: rf_table) -> int:
    """Return the count of :func:`perft`, of any size, with a table that several calls share.

    :param table: A table of :func:`ringfen.memory.new_table`, for positions of one board.
    """
    total = 0
    paths = {position: 1}  # For each position, the number of paths that lead to it.
    while paths:
        paths_below: dict[Position, int] = {}
        for parent, count in paths.items():
            try:
                total += count * _Count(parent, depth).run(table, None)
            except OverflowError:
                for _, child in parent.successors():
                    paths_below[child] = paths_below.get(child, 0) + count
        paths, depth = paths_below, depth - 1
    return total
