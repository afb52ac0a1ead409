"""Builds endgame tables: chooses the classes and their order, and distributes the work to threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
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
from ringfen.tables.tablebase import check_location, new_core, tables_directory
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Bytes, rf_tablebase, rf_tb_build

_SECONDS_BETWEEN_POLLS: Final = 0.1
_ROWS_PER_PIECE: Final = 2048
_MAX_PIECES: Final = 256
#: The share of solving in the progress of a class. The rest is writing.
_SOLVING_SHARE: Final = 0.9

T = TypeVar("T")


class _CancelledError(Exception):
    """Another task failed, or the user stopped the build."""


@dataclass(frozen=True)
class Task:
    """A class and the same material with the other side to move, which are solved together."""

    board: Board
    material: int

    @property
    def materials(self) -> tuple[int, ...]:
        """The one or two classes."""
        other = int(lib.rf_material_swapped(self.board.cdata, self.material))
        return (self.material,) if other == self.material else (self.material, other)

    @property
    def stage(self) -> tuple[int, ...]:
        """The stage of the task. Tasks need only tasks of earlier stages."""
        return self.board.rules.stage(self.material)

    @property
    def below(self) -> set[int]:
        """The other classes that a turn can lead to."""
        return self.board.rules.below(self.material) - set(self.materials)

    @property
    def name(self) -> str:
        """The material in words."""
        return self.board.rules.name_of(self.material)

    @property
    def entries(self) -> int:
        """The number of entries of all classes of the task."""
        return sum(_entries(self.board, material) for material in self.materials)

    @property
    def memory(self) -> int:
        """The bytes that solving needs, including the classes below."""
        own = int(lib.rf_tb_build_memory(self.board.cdata, self.board.files, self.board.ranks, self.material))
        return own + 2 * self.entries + sum(_entries(self.board, material) for material in self.below)


def _entries(board: Board, material: int) -> int:
    """Return the number of entries in the table of a class.

    :raises MemoryError: There is not enough memory to count them.
    """
    entries = int(lib.rf_tablebase_entries(board.cdata, board.files, board.ranks, material))
    if not entries:
        raise MemoryError
    return entries


def tasks_for(board: Board, stones: int, materials: Iterable[int] | None = None) -> list[Task]:
    """Return the tasks for all endings with up to ``stones`` stones, or for some materials and the classes they
    need.
    """
    if materials is None:
        classes = board.rules.classes(stones)
    else:
        classes, new = set(), set(materials)
        while new:
            classes |= new
            new = {material for done in new for material in Task(board, done).below} - classes
    tasks: dict[int, Task] = {}
    for material in sorted(classes, reverse=True):
        task = Task(board, material)
        if not any(other in tasks for other in task.materials):
            tasks[material] = task
    return sorted(tasks.values(), key=lambda task: (task.stage, -task.entries, -task.material))


@dataclass(frozen=True)
class Built:
    """The result of :func:`build_tables`. ``entries`` counts only the new entries; ``kept`` counts existing classes."""

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
        """Solve a task and write its tables. The work runs in the pool, which all tasks share."""
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
            checkpoint.save_last(build, 0)
            raise
        checkpoint.remove()
        with self._lock:
            del self._shares[task]
            self.done += task.entries

    def _work(self, job: Callable[..., T], *arguments: Any) -> T:
        return self._pool.submit(job, *arguments).result()

    def _begin(self, tables: rf_tablebase, task: Task, checkpoint: Checkpoint) -> rf_tb_build:
        """Return a new build, or one that continues from a checkpoint."""
        build = owned(lib.rf_tb_build_new(tables, task.material), lib.rf_tb_build_free)
        if os.path.lexists(checkpoint.path):
            if checkpoint.resume(build):
                self.say(f"{task.name} continues from its checkpoint")
            else:
                del build  # frees memory for the new one
                build = owned(lib.rf_tb_build_new(tables, task.material), lib.rf_tb_build_free)
        return build

    def _solve(self, task: Task, build: rf_tb_build, checkpoint: Checkpoint) -> None:
        step = ffi.new("rf_tb_step *")
        while not self.cancel[0]:
            status = self._work(lib.rf_tb_build_next_step, build, step)
            if status == lib.RF_TB_TOO_LONG:
                raise OverflowError(f"{task.name}: a distance is too long")
            if status != lib.RF_TB_FOUND:
                raise RuntimeError(f"{task.name}: a class below it is missing")
            if step.rows == 0:
                return
            # There are more pieces than threads, because some take longer and checkpoints are saved between pieces.
            rows = step.rows - step.begin
            pieces = max(1, min(_MAX_PIECES, rows // _ROWS_PER_PIECE))
            bounds = [step.begin + rows * i // pieces for i in range(pieces + 1)]
            futures = [self._pool.submit(self._rows, build, begin, end) for begin, end in pairwise(bounds)]
            done = step.begin
            try:
                for end, future in zip(bounds[1:], futures, strict=True):
                    future.result()
                    done = end
                    span = (step.percent_after - step.percent) * done / step.rows
                    with self._lock:
                        self._shares[task] = (step.percent + span) / 100 * _SOLVING_SHARE
                    checkpoint.save_if_due(build, done)
            except _CancelledError:
                wait(futures)
                checkpoint.save_last(build, done)
                raise
        checkpoint.save_last(build, 0)
        raise _CancelledError

    def _rows(self, build: rf_tb_build, begin: int, end: int) -> None:
        control = Control(None, None, self.cancel)
        lib.rf_tb_build_rows(build, begin, end, control.cdata)
        control.finish()
        if control.stopped != lib.RF_DONE:
            raise _CancelledError

    def _add(self, tables: rf_tablebase, material: int) -> Bytes:
        file = TableFile(path_of(self.folder, self.board, material))
        values = file.values()
        if not lib.rf_tablebase_add_values(tables, material, file.info.width, values):
            raise MemoryError
        return values

    def _write(self, build: rf_tb_build, swapped: bool, material: int) -> None:
        width = 1 if lib.rf_tb_build_longest(build) < 0x80 else 2
        entries = _entries(self.board, material)
        values = ffi.new("unsigned char[]", max(1, entries * width))
        stats = ffi.new("rf_tb_statistics *")
        if not lib.rf_tb_build_write(build, swapped, width, values, stats):
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
        """Run the stages in order. In a stage, run as many tasks at a time as threads and memory allow."""
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
    """Build the missing tables. ``progress`` counts entries.

    If the call is interrupted, finished classes stay. The next call uses them and continues unfinished classes from
    their checkpoints.

    :param stones: The maximum number of stones.
    :param materials: Build only these classes and the classes they need.
    :param memory: The maximum number of bytes in use at a time.
    :param threads: Number of threads, shared by all classes; None is the number of processors.
    :param say: Called with messages about checkpoints.
    :raises TableError: An existing file cannot be used.
    :raises MemoryError: A class needs more than ``memory``, or has too many entries; the message states both numbers.
    """
    plan = plan_for(board, stones, directory, materials, memory)
    builder = _Builder(board, plan.folder, memory, threads or os.cpu_count() or 1, progress, say)
    builder.total = plan.entries
    builder.run_all(plan.stages)
    return Built(tuple(builder.built), plan.kept, builder.done)


@dataclass(frozen=True)
class Plan:
    """The tasks of a build by stages. ``kept`` is the number of existing classes."""

    folder: Path
    stages: tuple[tuple[Task, ...], ...]
    kept: int

    @property
    def entries(self) -> int:
        """The number of entries to build."""
        return sum(task.entries for stage in self.stages for task in stage)


def plan_for(board: Board, stones: int, directory: Path | None, materials: Iterable[int] | None, memory: int) -> Plan:
    """Return the plan for :func:`build_tables`; arguments and errors are the same."""
    folder = tables_directory(directory) / board.folder
    stages: dict[tuple[int, ...], list[Task]] = {}
    kept = 0
    for task in tasks_for(board, stones, materials):
        if is_built(folder, task):
            kept += len(task.materials)
            checkpoint = checkpoint_path(folder, task.name)
            if checkpoint.is_file():  # the build was killed before it could remove the file
                checkpoint.unlink()
            continue
        if task.entries > board.rules.max_entries:
            most = board.rules.max_entries
            raise MemoryError(f"{task.name} has {task.entries:,} entries; tables have at most {most:,}")
        if task.memory > memory:
            need = -(-task.memory >> 20)
            raise MemoryError(f"{task.name} needs {need} MB, but {memory >> 20} MB may be used")
        stages.setdefault(task.stage, []).append(task)
    return Plan(folder, tuple(map(tuple, stages.values())), kept)


def is_built(folder: Path, task: Task) -> bool:
    """Return whether all classes of a task have files.

    :raises TableError: A file cannot be used.
    """
    for material in task.materials:
        path = path_of(folder, task.board, material)
        if not path.exists():
            return False
        check_location(read_info(path), task.board)
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
    """Build the classes of one task. The folder contains the classes below.

    :raises TableError: A class below cannot be used.
    :raises OSError: A class below cannot be read, or a file cannot be written.
    """
    _Builder(task.board, folder, memory, threads, progress, say).run_all([[task]])
