"""Building endgame tables: which classes, in what order, in how much memory, on how many cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ringfen._core import ffi, lib
from ringfen.control import Control, Progress, ProgressCallback
from ringfen.memory import owned
from ringfen.tables.checkpoint import Checkpoint, checkpoint_path
from ringfen.tables.files import (
    SUFFIX,
    Board,
    Statistics,
    TableFile,
    TableInfo,
    read_info,
    write_table,
)
from ringfen.tables.tablebase import check_place, new_core, tables_directory
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Bytes, si_tables, si_tb_build

_SECONDS_BETWEEN_POLLS: Final = 0.1
_ROWS_A_PIECE: Final = 2048
_PIECES: Final = 256
#: Solving's share of the time; the rest is writing.
_SOLVING: Final = 0.9

T = TypeVar("T")


class _CancelledError(Exception):
    """Another task failed, or the user stopped all."""


@dataclass(frozen=True)
class Task:
    """A material and the same with the other side to move, which are solved together."""

    board: Board
    material: int

    @property
    def materials(self) -> tuple[int, ...]:
        """The one or two classes."""
        other = int(lib.si_material_swapped(self.material))
        return (self.material,) if other == self.material else (self.material, other)

    @property
    def stage(self) -> tuple[int, int]:
        """Tasks of one stage do not need each other, only those of stages before."""
        return self.board.rules.stage(self.material)

    @property
    def below(self) -> set[int]:
        """The classes that a turn can lead to and that are not of this task."""
        rules = self.board.rules
        own, enemy = rules.stones_of(self.material)
        after = rules.after_turn(own, enemy) | rules.after_turn(enemy, own)
        return {rules.material_of(mover, other) for mover, other in after} - set(self.materials)

    @property
    def name(self) -> str:
        """The material in words."""
        return self.board.rules.name_of(self.material)

    @property
    def entries(self) -> int:
        """Entries of the classes together."""
        return sum(_entries(self.board, material) for material in self.materials)

    @property
    def memory(self) -> int:
        """Bytes that solving takes, the classes below included."""
        own = int(lib.si_tb_build_memory(self.board.files, self.board.ranks, self.material))
        return own + 2 * self.entries + sum(_entries(self.board, material) for material in self.below)


def _entries(board: Board, material: int) -> int:
    """Return how many entries the table of a class has.

    :raises MemoryError: There is not enough memory to find out.
    """
    entries = int(lib.si_tables_entries(board.files, board.ranks, material))
    if not entries:
        raise MemoryError
    return entries


def tasks_for(board: Board, stones: int, materials: Iterable[int] | None = None) -> list[Task]:
    """Return what is to be done for all endings with up to ``stones`` stones, or for some materials and what they
    need.
    """
    if materials is None:
        rules = board.rules
        wanted = {
            rules.material_of("".join(own), "".join(enemy))
            for total in range(2, stones + 1)
            for count in range(1, total)
            for own in combinations_with_replacement(rules.kinds, count)
            for enemy in combinations_with_replacement(rules.kinds, total - count)
        }
    else:
        wanted, new = set(), set(materials)
        while new:
            wanted |= new
            new = {material for done in new for material in Task(board, done).below} - wanted
    tasks: dict[int, Task] = {}
    for material in sorted(wanted, reverse=True):
        task = Task(board, material)
        if not any(other in tasks for other in task.materials):
            tasks[material] = task
    return sorted(tasks.values(), key=lambda task: (task.stage, -task.entries, -task.material))


@dataclass(frozen=True)
class Built:
    """What :func:`build_tables` did. ``entries`` counts those that it made, not those that were there."""

    built: tuple[TableInfo, ...]
    kept: int
    entries: int


class _Builder:
    def __init__(
        self,
        board: Board,
        folder: Path,
        memory: int,
        threads: int,
        progress: ProgressCallback | None,
        say: Callable[[str], None],
    ) -> None:
        self.say = say
        self.board = board
        self.folder = folder
        self.memory = memory
        self.threads = threads
        self.progress = progress
        self.cancel = ffi.new("int *", 0)
        self.done = 0
        self.total = 0
        self.built: list[TableInfo] = []
        self._shares: dict[Task, float] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(threads)

    # ---- one task ----

    def run(self, task: Task) -> None:
        """Solve and writes a task. The work is done by the pool, which other tasks share."""
        tables = new_core(self.board)
        kept = [self._work(self._add, tables, material) for material in sorted(task.below)]
        below = [path_of(self.folder, self.board, material) for material in sorted(task.below)]
        checkpoint = Checkpoint(self.folder, self.board, task.name, below, self.say)
        build = self._work(self._begin, tables, task, checkpoint)
        self._solve(task, build, checkpoint)
        del kept
        try:
            for swapped, material in enumerate(task.materials):
                self._work(self._write, build, bool(swapped), material)
        except _CancelledError:
            checkpoint.save(build, 0)
            raise
        checkpoint.remove()
        with self._lock:
            del self._shares[task]
            self.done += task.entries

    def _work(self, job: Callable[..., T], *arguments: Any) -> T:
        return self._pool.submit(job, *arguments).result()

    def _begin(self, tables: si_tables, task: Task, checkpoint: Checkpoint) -> si_tb_build:
        """Return a new build, or one that continues from a checkpoint."""
        build = owned(lib.si_tb_build_new(tables, task.material), lib.si_tb_build_free)
        if os.path.lexists(checkpoint.path):
            if checkpoint.resume(build):
                self.say(f"{task.name} goes on from its checkpoint")
            else:
                del build  # so that there is memory for the other
                build = owned(lib.si_tb_build_new(tables, task.material), lib.si_tb_build_free)
        return build

    def _solve(self, task: Task, build: si_tb_build, checkpoint: Checkpoint) -> None:
        step = ffi.new("si_tb_step *")
        while not self.cancel[0]:
            status = self._work(lib.si_tb_build_next, build, step)
            if status == lib.SI_TB_TOO_LONG:
                raise OverflowError(f"{task.name}: a distance is too long")
            if status != lib.SI_TB_FOUND:
                raise RuntimeError(f"{task.name}: a class below it is missing")
            if step.rows == 0:
                return
            # More pieces than threads, for some take longer than others; and checkpoints come between them.
            rows = step.rows - step.begin
            pieces = max(1, min(_PIECES, rows // _ROWS_A_PIECE))
            bounds = [step.begin + rows * i // pieces for i in range(pieces + 1)]
            futures = [self._pool.submit(self._rows, build, begin, end) for begin, end in pairwise(bounds)]
            done = step.begin
            try:
                for end, future in zip(bounds[1:], futures, strict=True):
                    future.result()
                    done = end
                    span = (step.percent_after - step.percent) * done / step.rows
                    with self._lock:
                        self._shares[task] = (step.percent + span) / 100 * _SOLVING
                    checkpoint.save_if_due(build, done)
            except _CancelledError:
                wait(futures)
                checkpoint.save(build, done)
                raise
        checkpoint.save(build, 0)
        raise _CancelledError

    def _rows(self, build: si_tb_build, begin: int, end: int) -> None:
        control = Control(None, None, self.cancel)
        lib.si_tb_build_do(build, begin, end, control.cdata)
        control.finish()
        if control.stopped != lib.RF_DONE:
            raise _CancelledError

    def _add(self, tables: si_tables, material: int) -> Bytes:
        file = TableFile(path_of(self.folder, self.board, material))
        values = file.values()
        if not lib.si_tables_add_values(tables, material, file.info.width, values):
            raise MemoryError
        return values

    def _write(self, build: si_tb_build, swapped: bool, material: int) -> None:
        width = 1 if lib.si_tb_build_longest(build) < 0x80 else 2
        entries = _entries(self.board, material)
        values = ffi.new("unsigned char[]", max(1, entries * width))
        stats = ffi.new("si_tb_statistics *")
        if not lib.si_tb_build_write(build, swapped, width, values, stats):
            raise MemoryError
        statistics = Statistics(
            *(stats.wins, stats.draws, stats.losses, stats.longest_win, stats.longest_loss),
            *(stats.longest_win_at, stats.longest_loss_at),
        )
        buffer = ffi.buffer(values, entries * width)
        path = write_table(self.folder, self.board, material, width, buffer, statistics, lambda: bool(self.cancel[0]))
        if path is None:
            raise _CancelledError
        with self._lock:
            self.built.append(read_info(path))

    # ---- all of them ----

    def run_all(self, stages: Sequence[Sequence[Task]]) -> None:
        """Return one stage after the other; in a stage as many tasks at a time as there are threads and memory for."""
        with self._pool, Threads[Task, None](self.threads) as waiting:
            try:
                for stage in stages:
                    self._run_stage(waiting, stage)
            except BaseException:
                self.cancel[0] = 1
                raise

    def _run_stage(self, pool: Threads[Task, None], tasks: Sequence[Task]) -> None:
        left = list(tasks)
        running: dict[Task, int] = {}
        while left or running:
            used = sum(running.values())
            for task in left[:]:
                if len(running) < self.threads and used + task.memory <= self.memory:
                    left.remove(task)
                    running[task] = task.memory
                    pool.submit(task, partial(self.run, task))
                    used += task.memory
            for task, _ in pool.finished(_SECONDS_BETWEEN_POLLS):
                del running[task]
            if self.progress is not None:
                with self._lock:
                    begun = sum(task.entries * share for task, share in self._shares.items())
                self.progress(Progress(0, 0, self.done + int(begun), self.total))


def build_tables(
    board: Board,
    stones: int,
    *,
    directory: Path | None = None,
    materials: Iterable[int] | None = None,
    memory: int = 2 << 30,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    say: Callable[[str], None] = lambda message: None,
) -> Built:
    """Build the missing tables.

    If this is interrupted, finished classes stay, and the next call continues from them and from the checkpoints of
    those that were in work. ``progress`` counts entries.

    :param stones: Up to how many stones.
    :param materials: Instead of all, these and what they need.
    :param memory: Bytes that may be used at a time.
    :param threads: Number of threads, shared by all classes; None is the number of processors.
    :param say: Called with messages about checkpoints.
    :raises TableError: An existing file cannot be used.
    :raises MemoryError: A class needs more than ``memory``; the message names both.
    """
    plan = plan_for(board, stones, directory, materials, memory)
    builder = _Builder(board, plan.folder, memory, threads or os.cpu_count() or 1, progress, say)
    builder.total = plan.entries
    builder.run_all(plan.stages)
    return Built(tuple(builder.built), plan.kept, builder.done)


@dataclass(frozen=True)
class Plan:
    """What is to be built, in order: the tasks of a stage do not need each other. ``kept``: classes that are there."""

    folder: Path
    stages: tuple[tuple[Task, ...], ...]
    kept: int

    @property
    def entries(self) -> int:
        """Entries to be made."""
        return sum(task.entries for stage in self.stages for task in stage)


def plan_for(board: Board, stones: int, directory: Path | None, materials: Iterable[int] | None, memory: int) -> Plan:
    """Return the plan for :func:`build_tables`; arguments and errors are the same."""
    folder = tables_directory(directory) / board.folder
    stages: dict[tuple[int, int], list[Task]] = {}
    kept = 0
    for task in tasks_for(board, stones, materials):
        if is_built(folder, task):
            kept += len(task.materials)
            left = checkpoint_path(folder, task.name)
            if left.is_file():  # of a build that was killed at its very end
                left.unlink()
            continue
        if task.memory > memory:
            need = -(-task.memory >> 20)
            raise MemoryError(f"{task.name} needs {need} MB, but {memory >> 20} MB may be used")
        stages.setdefault(task.stage, []).append(task)
    return Plan(folder, tuple(map(tuple, stages.values())), kept)


def is_built(folder: Path, task: Task) -> bool:
    """Return whether the classes of a task have good files.

    :raises TableError: One has a bad file.
    """
    return all(_is_there(folder, task.board, material) for material in task.materials)


def _is_there(folder: Path, board: Board, material: int) -> bool:
    path = path_of(folder, board, material)
    if not path.exists():
        return False
    check_place(read_info(path), board)
    return True


def path_of(folder: Path, board: Board, material: int) -> Path:
    """Return the file of a class."""
    return folder / (board.rules.name_of(material) + SUFFIX)


def build_task(
    task: Task,
    folder: Path,
    memory: int,
    threads: int,
    progress: ProgressCallback | None = None,
    say: Callable[[str], None] = lambda message: None,
) -> None:
    """Build the classes of one task; those below are in the folder.

    :raises TableError: One of those cannot be used.
    :raises OSError: One of those cannot be read, or a file not written.
    """
    _Builder(task.board, folder, memory, threads, progress, say).run_all([[task]])
