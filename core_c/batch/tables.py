"""Builds endgame tables on a Dask cluster. A task is one class; the classes of a stage do not need each other.

All machines share the directory of the tables. Every file is written under a temporary name and renamed when it is
complete. So after a kill the existing files are good, and the next call builds the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ringfen.batch.workers import Cluster, Failure, Result, cluster_at, result_of
from ringfen.control import Progress, ProgressCallback, stop_asked
from ringfen.errors import BatchError, TableError
from ringfen.tables.build import Built, Task, build_task, is_built, path_of, plan_for
from ringfen.tables.files import Board, TableInfo, read_info

_SECONDS_BETWEEN_POLLS: Final = 0.1
#: How long a new file may be invisible to other machines: network file systems cache that a file is missing.
_SECONDS_UNTIL_VISIBLE: Final = 60.0


class _CancelledError(Exception):
    """The scheduler has cancelled the task."""


@dataclass(frozen=True)
class ClassBuilder:
    """The task of a worker: building one class with ``memory`` bytes and ``threads`` threads."""

    folder: Path
    memory: int
    threads: int

    def __call__(self, task: Task) -> Result:
        """Build a class; return the messages for the user, or the error."""
        messages: list[str] = []
        try:
            self._build(task, messages.append)
        except _CancelledError:
            return Failure("the connection was lost")
        except (TableError, BatchError, MemoryError, OverflowError, OSError) as error:
            return error
        except Exception as error:  # the command must see every error
            return Failure(f"{type(error).__name__}: {error}")
        return messages

    def _build(self, task: Task, say: Callable[[str], None]) -> None:
        _wait_for(self.folder, task.board, task.below, "a worker")
        if not is_built(self.folder, task):  # a worker that Dask took for dead may have built it
            build_task(task, self.folder, self.memory, self.threads, _stop_if_asked, say)


def _stop_if_asked(progress: Progress) -> None:
    if stop_asked():
        raise _CancelledError


def _wait_for(folder: Path, board: Board, materials: Iterable[int], who: str) -> None:
    """Wait until the files of these classes are visible.

    :raises BatchError: They do not appear, so the directory is not shared.
    """
    until = time.monotonic() + _SECONDS_UNTIL_VISIBLE
    for path in (path_of(folder, board, material) for material in sorted(materials)):
        while not path.exists():
            if stop_asked():
                raise _CancelledError
            if time.monotonic() > until:
                raise BatchError(f"{who} does not see {path}; does the whole cluster share the directory?")
            time.sleep(_SECONDS_BETWEEN_POLLS)


def build_tables_on_dask(
    board: Board,
    stones: int,
    address: str,
    *,
    directory: Path | None = None,
    materials: Iterable[int] | None = None,
    memory: int = 2 << 30,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    say: Callable[[str], None] = lambda message: None,
) -> Built:
    """Build the missing tables on a Dask cluster, as :func:`ringfen.tables.build.build_tables` does.

    :param address: The address of the scheduler.
    :param directory: A directory that this machine and the workers share under the same path.
    :param memory: Bytes for one class. A worker builds as many classes at a time as it has Dask threads.
    :param threads: Number of threads for one class.
    :raises TableError: An existing file cannot be used.
    :raises MemoryError: A class needs more than ``memory``; the message names both.
    :raises BatchError: The cluster cannot be used, or a class cannot be built; the message gives the reason.
    """
    plan = plan_for(board, stones, directory, materials, memory)
    folder = plan.folder.absolute()
    build = ClassBuilder(folder, memory, threads)
    built: list[TableInfo] = []
    done = 0
    with cluster_at(address) as cluster:
        folder.mkdir(parents=True, exist_ok=True)
        for stage in plan.stages:
            running = {cluster.submit(build, task): task for task in stage}
            while running:
                finished, _ = wait(running, timeout=_SECONDS_BETWEEN_POLLS, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = running.pop(future)
                    messages, infos = _built(folder, task, cluster, future)
                    for message in messages:
                        say(message)
                    built += infos
                    done += task.entries
                if progress is not None:
                    progress(Progress(0, 0, done, plan.entries))
    return Built(tuple(built), plan.kept, done)


def _built(folder: Path, task: Task, cluster: Cluster, future: Future[Result]) -> tuple[list[str], list[TableInfo]]:
    """Return the messages of a worker, and the files that it built."""
    result = result_of(future, cluster.lost)
    if isinstance(result, Failure):
        raise BatchError(f"{task.name}: {result.message}", reason="no-answer")
    if isinstance(result, Exception):
        raise result
    _wait_for(folder, task.board, task.materials, "this machine")
    return result, [read_info(path_of(folder, task.board, material)) for material in task.materials]
