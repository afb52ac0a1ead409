"""Deep perft counts as a batch: the different positions after some plies, each counted to the rest by a worker.

Equal positions are counted once, as often as plies lead to them. The answers of a file are lines of JSON like those of
``solve --out``, with the same promises (:mod:`ringfen.batch.run`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from ringfen._core import lib
from ringfen.batch import workers
from ringfen.batch.answers import COMMON_FIELDS, Answer, answer_in
from ringfen.batch.frontier import USUAL_MEMORY_MB, Frontier
from ringfen.batch.run import AnswerFile, Work, solve_all, what_counts
from ringfen.batch.workers import Failure, WorkerPool
from ringfen.control import MAX_HASH_MB, ProgressCallback, checked_int
from ringfen.counting import exact_perft
from ringfen.errors import BatchError, LimitReached
from ringfen.memory import new_table
from ringfen.position import Position
from ringfen.solving import SolveOptions

#: By default positions are merged once there are this many, or two plies before the end.
_ENOUGH_POSITIONS: Final = 1000
_FEWEST_PLIES_LEFT: Final = 2
#: Or once there are more than a few, if a ply later each would have less to count than about 0.1 s: a position costs up
#: to 5 ms to hand out.
_FEW_POSITIONS: Final = 64
_ENOUGH_SEQUENCES: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Count:
    """The count of one position; ``seconds`` is what it took."""

    fen: str
    nodes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the fields of its answer."""
        return {"fen": self.fen, "nodes": self.nodes, "seconds": round(self.seconds, 6)}


def count_one(depth: int, hash_mb: int, position: Position) -> Count | Failure:
    """Return the count of a position, or why there is none; what the workers run."""
    started = time.monotonic()
    try:
        nodes = exact_perft(position, depth, _table_of(position.game.id, repr(position.context.board), hash_mb))
    except MemoryError:
        return Failure("out of memory")
    except LimitReached as error:
        return Failure(error.message)
    except Exception as error:  # one bad position must not cost a night
        return Failure(f"{type(error).__name__}: {error}")
    return Count(position.fen, nodes, time.monotonic() - started)


@lru_cache(maxsize=1)
def _table_of(game: str, board: str, hash_mb: int) -> Any:
    """Return the table of this process, for one board at a time: counts of two boards must not meet."""
    return new_table(hash_mb)


@dataclass(slots=True)
class DeepCount:
    """A deep count: what is asked, and the positions that it comes down to.

    ``growth`` holds, for each number of plies from 1 to ``split``, the sequences and the different positions.
    """

    position: Position
    depth: int
    split: int
    growth: list[tuple[int, int]]
    work: Work = field(default_factory=Work)
    #: How many ways lead to the position of an input line.
    ways: dict[int, int] = field(default_factory=dict)

    @property
    def distinct(self) -> int:
        """How many different positions there are after ``split`` plies."""
        return self.growth[-1][1] if self.growth else 1

    def total(self, nodes_of: dict[int, int]) -> int:
        """Return the count, from those of all lines."""
        if self.split == self.depth:
            return self.growth[-1][0] if self.growth else 1
        return sum(ways * nodes_of[line] for line, ways in self.ways.items())


def split_up(
    position: Position | str,
    depth: int,
    split: int | None = None,
    *,
    memory_mb: int = USUAL_MEMORY_MB,
    directory: Path | None = None,
    progress: ProgressCallback | None = None,
) -> DeepCount:
    """List the different positions after some plies.

    :param depth: Plies to count, 0 to 255.
    :param split: After how many plies; None: as soon as there are enough to distribute. With ``split`` equal to
        ``depth`` nothing is left to count.
    :param memory_mb: MiB of memory for one step; what is above goes to temporary files.
    :param directory: Where those are made.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds.
    :raises MemoryError: Memory and files are not enough.
    """
    start = Position.of(position)
    checked_int("depth", depth, 0, int(lib.RF_MAX_PERFT))
    if split is not None:
        checked_int("split", split, 0, depth)
    frontier, growth = Frontier.start(start, directory), list[tuple[int, int]]()
    try:
        while _goes_on(frontier, depth, split, growth):
            following = frontier.next(memory_mb=memory_mb, directory=directory, progress=progress)
            frontier.close()
            frontier = following
            growth.append((frontier.sequences, len(frontier)))
        found = DeepCount(start, depth, frontier.plies, growth)
        if frontier.plies < depth:
            for line, (there, ways) in enumerate(frontier, 1):
                found.work.add(line, there)
                found.ways[line] = ways
    finally:
        frontier.close()
    return found


def _goes_on(frontier: Frontier, depth: int, split: int | None, growth: Sequence[tuple[int, int]]) -> bool:
    if split is not None:
        return frontier.plies < split
    left = depth - frontier.plies
    if left <= _FEWEST_PLIES_LEFT or len(frontier) >= _ENOUGH_POSITIONS:
        return False
    if len(frontier) < _FEW_POSITIONS:
        return True
    before = growth[-2][0] if len(growth) > 1 else 1
    return (frontier.sequences / before) ** (left - 1) >= _ENOUGH_SEQUENCES


class CountFile(AnswerFile):
    """A file of the counts of a :class:`DeepCount`; see :class:`ringfen.batch.run.AnswerFile`.

    Each line holds ``line``, ``fen``, ``nodes``, ``seconds``, ``ways`` (how many ways lead there; the count is the sum
    of ``ways`` times ``nodes``), ``options`` and ``check``.
    """

    def __init__(self, path: Path, deep: DeepCount, *, resume: bool, inputs: Iterable[str | Path] = ()) -> None:
        self._deep = deep
        super().__init__(path, deep.work, SolveOptions(), resume=resume, inputs=inputs)

    def _read(self, line: bytes) -> Answer | None:
        return answer_in(line, _FIELDS, self._odd)

    def _is_better(self, answer: Answer, other: Answer) -> bool:
        return False

    def _odd(self, answer: Answer) -> str:
        right = self._deep.ways.get(answer["line"], answer["ways"])
        return "" if answer["ways"] == right else "ways"

    def _what_counts(self, position: Position) -> dict[str, Any]:
        deep = self._deep
        return {"perft": deep.position.fen, "depth": deep.depth, "split": deep.split} | what_counts(
            SolveOptions(), position
        )

    def add_count(self, count: Count) -> list[Answer]:
        """Write a count; returns the answer. Raises as :meth:`ringfen.batch.run.AnswerFile.add`."""
        (line,) = self._deep.work.lines_of[count.fen]
        return self._add(count.fen, count.to_json() | {"ways": self._deep.ways[line]})


_FIELDS = {**COMMON_FIELDS, "ways": lambda value: type(value) is int and value > 0}


def pool_for(
    deep: DeepCount, jobs: int, dask: str | None, hash_mb: int, say: Callable[[str], None] = lambda message: None
) -> AbstractContextManager[WorkerPool]:
    """Return who counts: a Dask cluster, processes, or a thread of this one."""
    task = partial(count_one, deep.depth - deep.split, hash_mb)
    if dask is not None:
        return workers.dask(dask, task)
    if jobs > 1 and len(deep.work.positions) > 1:
        return workers.processes(jobs, task, say)
    return workers.thread(task)


def counts_of(
    positions: Iterable[Position], pool: WorkerPool, news: Callable[[], None] = lambda: None
) -> Iterator[tuple[Position, Count | Failure]]:
    """Return the counts of all positions, as they come; see :func:`ringfen.batch.run.solve_all`."""
    for position, result in solve_all(positions, pool, news):
        assert isinstance(result, Count | Failure)
        yield position, result


def deep_perft(
    position: Position | str,
    depth: int,
    *,
    split: int | None = None,
    jobs: int = 1,
    dask: str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    hash_mb: int = 0,
    memory_mb: int = USUAL_MEMORY_MB,
) -> int:
    """Return the number of sequences of ``depth`` plies, of any size, counted by several workers.

    :param split: After how many plies equal positions are merged; None: chosen.
    :param jobs: Worker processes.
    :param dask: The address of a Dask scheduler instead.
    :param out: A file to which every position's count is appended.
    :param resume: Continue ``out`` if it exists.
    :param hash_mb: A table of counts for each worker, in MiB.
    :param memory_mb: MiB for merging; what is above goes to temporary files.
    :raises ringfen.BatchError: The workers or the file cannot be used, or a position has no count.

    Otherwise raises as :func:`split_up`.
    """
    checked_int("jobs", jobs, 1, 1024)
    checked_int("hash_mb", hash_mb, 0, MAX_HASH_MB)
    if resume and out is None:
        raise ValueError("resume goes with out")
    path = None if out is None else Path(out)
    deep = split_up(position, depth, split, memory_mb=memory_mb, directory=None if path is None else path.parent)
    file = None if path is None else CountFile(path, deep, resume=resume)
    try:
        nodes = {answer["line"]: answer["nodes"] for answer in (file.found if file is not None else [])}
        left = list(deep.work.positions.values()) if file is None else file.unsolved()
        with pool_for(deep, jobs, dask, hash_mb) as pool:
            for place, result in counts_of(left, pool, (lambda: None) if file is None else file.sync):
                if isinstance(result, Failure):
                    raise BatchError(f"{place.fen}: {result.message}", reason="no-answer")
                nodes[deep.work.lines_of[result.fen][0]] = result.nodes
                if file is not None:
                    file.add_count(result)
    finally:
        if file is not None:
            file.close()
    return deep.total(nodes)
