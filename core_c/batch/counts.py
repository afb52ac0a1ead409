"""Counts deep perft with several workers: lists the different positions after some plies and distributes them.

The count of each position is multiplied by the number of paths that lead to it. The answers of a file are lines of JSON
like those of ``solve --out``, with the same guarantees (:mod:`ringfen.batch.run`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from ringfen._core import lib
from ringfen.batch import workers
from ringfen.batch.answers import COMMON_FIELDS, Answer, answer_in
from ringfen.batch.frontier import DEFAULT_MEMORY_MB, Frontier
from ringfen.batch.run import OUT_OF_MEMORY, AnswerFile, Work, relevant_options
from ringfen.batch.workers import Failure, WorkerPool
from ringfen.control import ProgressCallback, checked_int
from ringfen.counting import exact_perft
from ringfen.errors import LimitReached
from ringfen.memory import new_table
from ringfen.position import Position
from ringfen.solving import SolveOptions

#: By default, positions are distributed if there are this many, or this many plies before the end.
_ENOUGH_POSITIONS: Final = 1000
_MIN_PLIES_LEFT: Final = 2
#: They are also distributed if there are this many and, one ply later, each would have fewer sequences than this to
#: count (about 0.1 s). To distribute a position takes up to 5 ms.
_MIN_POSITIONS: Final = 64
_ENOUGH_SEQUENCES: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Count:
    """The count of one position, and the seconds that it took."""

    fen: str
    nodes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the fields of its answer."""
        return {"fen": self.fen, "nodes": self.nodes, "seconds": round(self.seconds, 6)}


def count_one(depth: int, hash_mb: int, position: Position) -> Count | Failure:
    """Return the count of a position, or why it has none. The workers run this function."""
    started = time.monotonic()
    try:
        nodes = exact_perft(position, depth, _table_of(position.game.id, repr(position.context.board), hash_mb))
    except MemoryError:
        return Failure(OUT_OF_MEMORY)
    except LimitReached as error:
        return Failure(error.message)
    except Exception as error:  # one bad position must not end a long batch
        return Failure(f"{type(error).__name__}: {error}")
    return Count(position.fen, nodes, time.monotonic() - started)


@lru_cache(maxsize=1)
def _table_of(game: str, board: str, hash_mb: int) -> Any:
    """Return the hash table of this process. It is for one board at a time: counts of two boards must not mix."""
    return new_table(hash_mb)


@dataclass(slots=True)
class DeepCount:
    """A deep count, split into the counts of the positions after ``split`` plies.

    ``growth`` contains, for each number of plies from 1 to ``split``, the numbers of sequences and of different
    positions.
    """

    position: Position
    depth: int
    split: int
    growth: list[tuple[int, int]]
    work: Work = field(default_factory=Work)
    #: The number of paths that lead to each position, by its line in ``work``.
    paths: dict[int, int] = field(default_factory=dict)

    @property
    def distinct(self) -> int:
        """The number of different positions after ``split`` plies."""
        return self.growth[-1][1] if self.growth else 1

    def total(self, nodes_of: dict[int, int]) -> int:
        """Return the count of sequences, given the counts of all lines."""
        if self.split == self.depth:
            return self.growth[-1][0] if self.growth else 1
        return sum(paths * nodes_of[line] for line, paths in self.paths.items())


def split_up(
    position: Position | str,
    depth: int,
    split: int | None = None,
    *,
    memory_mb: int = DEFAULT_MEMORY_MB,
    directory: Path | None = None,
    progress: ProgressCallback | None = None,
) -> DeepCount:
    """List the different positions after some plies.

    :param depth: Plies to count, 0 to 255.
    :param split: The number of plies; None chooses the first that gives enough positions. If it equals ``depth``,
        nothing is left to count.
    :param memory_mb: MiB of memory for one step; the rest goes to temporary files.
    :param directory: The directory of the temporary files.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds.
    :raises MemoryError: Memory and temporary files are not enough.
    """
    start = Position.of(position)
    checked_int("depth", depth, 0, int(lib.RF_MAX_PERFT))
    if split is not None:
        checked_int("split", split, 0, depth)
    frontier, growth = Frontier.start(start, directory), list[tuple[int, int]]()
    try:
        while _is_expanded(frontier, depth, split, growth):
            successor = frontier.next(memory_mb=memory_mb, directory=directory, progress=progress)
            frontier.close()
            frontier = successor
            growth.append((frontier.sequences, len(frontier)))
        found = DeepCount(start, depth, frontier.plies, growth)
        if frontier.plies < depth:
            for line, (reached, paths) in enumerate(frontier, 1):
                found.work.add(line, reached)
                found.paths[line] = paths
    finally:
        frontier.close()
    return found


def _is_expanded(frontier: Frontier, depth: int, split: int | None, growth: Sequence[tuple[int, int]]) -> bool:
    """Return whether to go one ply further before the positions are distributed."""
    if split is not None:
        return frontier.plies < split
    left = depth - frontier.plies
    if left <= _MIN_PLIES_LEFT or len(frontier) >= _ENOUGH_POSITIONS:
        return False
    if len(frontier) < _MIN_POSITIONS:
        return True
    before = growth[-2][0] if len(growth) > 1 else 1
    return (frontier.sequences / before) ** (left - 1) >= _ENOUGH_SEQUENCES


class CountFile(AnswerFile):
    """A file of the counts of a :class:`DeepCount`; see :class:`ringfen.batch.run.AnswerFile`.

    Each line contains ``line``, ``fen``, ``nodes``, ``seconds``, ``ways`` (the number of paths that lead to the
    position; the count is the sum of ``ways`` times ``nodes``), ``options`` and ``check``.
    """

    def __init__(self, path: str | Path, deep: DeepCount, *, resume: bool, inputs: Iterable[str | Path] = ()) -> None:
        self._deep = deep
        super().__init__(path, deep.work, SolveOptions(), resume=resume, inputs=inputs)

    def _read(self, line: bytes) -> Answer | None:
        return answer_in(line, _FIELDS, self._invalid_field)

    def _is_better(self, answer: Answer, other: Answer) -> bool:
        return False

    def _invalid_field(self, answer: Answer) -> str:
        expected = self._deep.paths.get(answer["line"], answer["ways"])
        return "" if answer["ways"] == expected else "ways"

    def _relevant_options(self, position: Position) -> dict[str, Any]:
        deep = self._deep
        perft = {"perft": deep.position.fen, "depth": deep.depth, "split": deep.split}
        return perft | relevant_options(SolveOptions(), position)

    def add_count(self, count: Count) -> None:
        """Write a count.

        :raises OSError: As :meth:`ringfen.batch.run.AnswerFile.add`.
        """
        (line,) = self._deep.work.lines_of[count.fen]
        self._add(count.fen, count.to_json() | {"ways": self._deep.paths[line]})


_FIELDS = {**COMMON_FIELDS, "ways": lambda value: type(value) is int and value > 0}


def pool_for(
    deep: DeepCount, jobs: int, dask: str | None, hash_mb: int, say: Callable[[str], None] = lambda message: None
) -> AbstractContextManager[WorkerPool]:
    """Return the workers that count the positions of a deep count."""
    task = partial(count_one, deep.depth - deep.split, hash_mb)
    return workers.pool_for(task, min(jobs, len(deep.work.positions)), dask, say)
