"""perft: counts of ply sequences, the standard check of a move generator."""

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
    MOST_HASH_MB,
    MOST_THREADS,
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

if TYPE_CHECKING:
    from ringfen._core import Array, rf_control, rf_table

#: With fewer root plies for each thread than this, the second ply is split too.
_TASKS_PER_THREAD = 16
_SECONDS_BETWEEN_NEWS = 0.1

T = TypeVar("T")


def perft(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> int:
    """Return the number of different sequences of ``depth`` plies from ``position``.

    A node of ``limits`` is a position that the count goes through. The last ply, and where a game can the last plies,
    are counted without going through the positions after them, so that there are far fewer nodes than sequences.

    :param threads: How many threads count; the count does not depend on it.
    :param hash_mb: Size of a table of counts, in MiB; 0 uses none.
    :raises TypeError: An argument is of a wrong type.
    :raises ValueError: ``depth`` is not 0 to 255, or another argument is out of bounds.
    :raises ringfen.LimitReached: A limit was reached.
    :raises OverflowError: The count does not fit 64 bits.
    """
    start = _checked(position, depth, 0, threads, hash_mb, limits, progress)
    if threads > 1 and depth >= 2:
        parts = divide(start, depth, threads=threads, hash_mb=hash_mb, limits=limits, progress=progress)
        total = sum(count for _, count in parts)
        if total >> 64:
            raise OverflowError("the count does not fit 64 bits")
        return total
    return _Count(start, depth).run(new_table(hash_mb), limits, progress)


def divide(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> list[tuple[str, int]]:
    """Return the count below each legal ply, in byte order of the plies. Raises as :func:`perft`; ``depth`` is at
    least 1.
    """
    start = _checked(position, depth, 1, threads, hash_mb, limits, progress)
    table = new_table(hash_mb)
    successors = start.successors()
    split = threads > 1 and depth > 2 and len(successors) < threads * _TASKS_PER_THREAD
    above: dict[Position, list[int]] = {}  # equal positions are counted once, for all plies above them
    for index, (_, child) in enumerate(successors):
        for place in [grandchild for _, grandchild in child.successors()] if split else [child]:
            above.setdefault(place, []).append(index)
    tasks = [_Count(place, depth - 2 if split else depth - 1) for place in above]
    run = _in_turn if threads == 1 else _in_threads
    counts = [0] * len(successors)
    found = run(tasks, table, threads, limits or Limits(), progress)
    for indexes, count in zip(above.values(), found, strict=True):
        for index in indexes:
            counts[index] += count
    return [(ply, count) for (ply, _), count in zip(successors, counts, strict=True)]


def kinds_of_plies(game: Game) -> tuple[str, ...]:
    """Return the kinds of plies that :func:`count_kinds` tells apart in a game, such as ``"captures"``."""
    names = (lib.rf_game_ply_kind(game.cdata, index) for index in range(lib.RF_MOST_PLY_KINDS))
    return tuple(ffi.string(name).decode("ascii") for name in takewhile(lambda name: name != ffi.NULL, names))


def count_kinds(
    position: Position | str,
    depth: int,
    *,
    threads: int = 1,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[int, dict[str, int]]:
    """Return the number of different sequences of ``depth`` plies, and how many end with a ply of each kind.

    A ply can be of several kinds (a capture that promotes) or of none. Every sequence is played out, so this is slower
    than :func:`perft`. Raises as that does; ``depth`` is at least 1.
    """
    start = _checked(position, depth, 1, threads, 0, limits, progress)
    tasks = [_KindCount(start, depth)]
    if threads > 1 and depth > 1:
        tasks = [_KindCount(child, depth - 1) for _, child in start.successors()]
    run = _in_turn if threads == 1 else _in_threads
    found = run(tasks, ffi.NULL, threads, limits or Limits(), progress)
    kinds = kinds_of_plies(start.game)
    sums = (sum(counts[index] for _, counts in found) for index in range(len(kinds)))
    return sum(nodes for nodes, _ in found), dict(zip(kinds, sums, strict=True))


def _checked(
    position: Position | str,
    depth: int,
    least: int,
    threads: int,
    hash_mb: int,
    limits: Limits | None,
    progress: ProgressCallback | None,
) -> Position:
    """Return the position, once all arguments are checked."""
    if not isinstance(limits, Limits | None):
        raise TypeError(f"limits is a Limits or None, not {type(limits).__name__}")
    check_progress(progress)
    checked_int("depth", depth, least, int(lib.RF_MAX_PERFT))
    checked_int("threads", threads, 1, MOST_THREADS)
    checked_int("hash_mb", hash_mb, 0, MOST_HASH_MB)
    return Position.of(position)


class _Task(ABC, Generic[T]):
    """One position to count from."""

    def __init__(self, position: Position, depth: int) -> None:
        self._position = position
        self._depth = depth
        self._control: Control | None = None

    @property
    def nodes(self) -> int:
        """Positions visited so far; another thread may be counting."""
        return 0 if self._control is None else self._control.nodes

    def run(
        self,
        table: rf_table,
        limits: Limits | None,
        progress: ProgressCallback | None = None,
        cancel: Array[int] = ffi.NULL,
    ) -> T:
        """Return the count. Raises as :func:`perft`."""
        control = self._control = Control(limits, progress, cancel)
        found = self._call(table, control.cdata)
        control.finish()
        error = limit_reached(control)
        if error is not None:
            raise error
        return found

    @abstractmethod
    def _call(self, table: rf_table, control: rf_control) -> T:
        """Ask the core."""


class _Count(_Task[int]):
    """How many sequences there are."""

    def _call(self, table: rf_table, control: rf_control) -> int:
        position = self._position
        return lib.rf_perft(position.game.cdata, position.context.cdata, position.state, self._depth, table, control)


class _KindCount(_Task[tuple[int, list[int]]]):
    """How many sequences there are, and how many of them end with a ply of each kind."""

    def _call(self, table: rf_table, control: rf_control) -> tuple[int, list[int]]:
        position = self._position
        counts = ffi.new("uint64_t[]", lib.RF_MOST_PLY_KINDS)
        total = lib.rf_perft_kinds(
            position.game.cdata, position.context.cdata, position.state, self._depth, counts, control
        )
        return total, list(counts)


def _visited(tasks: Sequence[_Task[T]]) -> int:
    return sum(task.nodes for task in tasks)


def _in_turn(
    tasks: Sequence[_Task[T]], table: rf_table, threads: int, limits: Limits, progress: ProgressCallback | None
) -> list[T]:
    budget = Budget(limits)
    counts = []
    for task in tasks:
        try:
            counts.append(task.run(table, budget.left(), progress))
        except LimitReached as error:
            error.nodes = _visited(tasks)
            raise
        budget.use(task.nodes)
    return counts


def _in_threads(
    tasks: Sequence[_Task[T]], table: rf_table, threads: int, limits: Limits, progress: ProgressCallback | None
) -> list[T]:
    """Return the counts of the tasks, in their order. Ctrl-C in the main thread cancels the threads."""
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
    from contextvars import copy_context

    budget = Budget(limits)
    cancel = ffi.new("int *", 0)
    waiting = iter(_far_apart(tasks, threads))
    counts: dict[_Task[T], T] = {}
    futures: dict[Future[T], _Task[T]] = {}
    news = monotonic() + _SECONDS_BETWEEN_NEWS
    with ThreadPoolExecutor(threads) as pool:
        try:
            while len(counts) < len(tasks):
                for task in islice(waiting, 2 * threads - len(futures)):
                    # In a context like this thread's, which says when to stop.
                    run = partial(copy_context().run, task.run, table, budget.left(), None, cancel)
                    futures[pool.submit(run)] = task
                finished, _ = wait(futures, timeout=_SECONDS_BETWEEN_NEWS, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = futures.pop(future)
                    counts[task] = future.result()
                    budget.use(task.nodes)
                if progress is not None and monotonic() >= news:
                    nodes = budget.used + sum(task.nodes for task in futures.values())
                    progress(Progress(nodes, 0, len(counts), len(tasks)))
                    news = monotonic() + _SECONDS_BETWEEN_NEWS
        except BaseException as error:
            cancel[0] = 1
            if isinstance(error, LimitReached):
                wait(futures)
                error.nodes = _visited(tasks)
            raise
    return [counts[task] for task in tasks]


def _far_apart(tasks: Sequence[T], threads: int) -> list[T]:
    """Return the tasks in an order that keeps those counted at once far apart.

    Neighbours have positions in common; two threads that are below them at the same time count these twice, as neither
    finds them in the table yet.
    """
    part = -(-len(tasks) // threads)
    return [tasks[index] for first in range(part) for index in range(first, len(tasks), part)]


def exact_perft(position: Position, depth: int, table: rf_table) -> int:
    """As :func:`perft`, with a table that calls have in common, and right also where the count does not fit 64 bits.

    :param table: Of :func:`ringfen.memory.new_table`, for positions of one board.
    """
    total, todo = 0, {position: 1}
    while todo:
        following: dict[Position, int] = {}
        for place, ways in todo.items():
            try:
                total += ways * _Count(place, depth).run(table, None)
            except OverflowError:
                for _, child in place.successors():
                    following[child] = following.get(child, 0) + ways
        todo, depth = following, depth - 1
    return total
