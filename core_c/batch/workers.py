"""The workers of a batch: a thread, processes, or any executor such as that of a Dask cluster.

A pool calls one function for each position. The function must not raise: it returns a :class:`Failure` instead. A pool
never touches a file, so its workers can be killed at any moment.
"""

from __future__ import annotations

import errno
import os
import pickle
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from selectors import EVENT_READ, DefaultSelector
from typing import IO, Any, TypeVar

from ringfen import version
from ringfen.control import stop_when
from ringfen.errors import BatchError
from ringfen.position import Position


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a position has no answer. ``misuse``: the options do not apply to it; otherwise a resource ran out."""

    message: str
    misuse: bool = False


#: A :class:`ringfen.Solution`, or the answer of another kind of batch, or a :class:`Failure`.
Result = Any
Task = Callable[[Position], Result]
Item = TypeVar("Item")

#: The errors of a process that needs more than a limit of the system allows.
_RESOURCE_ERRORS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
#: How many times a position is tried if its worker dies.
_TRIES = 2
#: If this many workers die in a row without a result, the cause is not one position.
_DEATHS_IN_A_ROW = 10
#: Seconds between a worker's checks that its parent still exists.
_SECONDS_BETWEEN_ORPHAN_CHECKS = 0.25
#: Seconds between queries of the size of a cluster.
_SECONDS_BETWEEN_COUNTS = 5.0
#: Seconds to wait for the first reply of a Dask scheduler.
_CONNECT_TIMEOUT = 5


class WorkerPool(ABC):
    """Accepts positions while :meth:`free_slots` is above 0, and returns each with its result."""

    @abstractmethod
    def free_slots(self) -> int:
        """Return how many more positions can be submitted now."""

    @abstractmethod
    def submit(self, position: Position) -> None:
        """Start work on a position."""

    @abstractmethod
    def collect(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return the finished results. If there are none, wait for one for at most ``timeout`` seconds.

        :raises BatchError: The workers cannot continue.
        """

    @abstractmethod
    def running(self) -> list[tuple[Position, float]]:
        """Return the running tasks, the oldest first, each with its seconds so far."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Whether any submitted position has no result yet."""


# ---- executors ----


class ExecutorPool(WorkerPool):
    """Runs the task in an executor.

    :param size: Returns how many tasks the executor runs at a time. Twice as many are submitted, so that none waits.
    :param lost: What a future raises if the workers of one position died repeatedly.
    """

    def __init__(
        self, executor: Executor, task: Task, size: Callable[[], int], lost: tuple[type[BaseException], ...] = ()
    ) -> None:
        self._executor = executor
        self._task = task
        self._size = size
        self._lost = lost
        self._submitted: dict[Future[Result], tuple[Position, float]] = {}
        self._finished: SimpleQueue[Future[Result]] = SimpleQueue()

    @property
    def busy(self) -> bool:
        """Whether any submitted position has no result yet."""
        return bool(self._submitted)

    def free_slots(self) -> int:
        """Return how many more positions can be submitted now."""
        return 2 * self._size() - len(self._submitted)

    def submit(self, position: Position) -> None:
        """Start work on a position."""
        future = self._executor.submit(self._task, position)
        self._submitted[future] = position, time.monotonic()
        future.add_done_callback(self._finished.put)

    def collect(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return the finished results; see :meth:`WorkerPool.collect`."""
        results = []
        with suppress(Empty):
            future = self._finished.get(timeout=timeout)
            while True:
                results.append((self._submitted.pop(future)[0], result_of(future, self._lost)))
                future = self._finished.get_nowait()
        return results

    def running(self) -> list[tuple[Position, float]]:
        """Return the running tasks; see :meth:`WorkerPool.running`."""
        now = time.monotonic()
        oldest = list(self._submitted.values())[: self._size()]
        return [(position, now - started) for position, started in oldest]


def result_of(future: Future[Result], lost: tuple[type[BaseException], ...] = ()) -> Result:
    """Return the result of a task that does not raise.

    :param lost: What the future raises if the workers died repeatedly. The result then is a :class:`Failure`.
    :raises BatchError: The workers cannot continue.
    """
    try:
        return future.result()
    except lost as error:
        return Failure(str(error))
    except CancelledError as error:
        raise BatchError("the connection to the workers was lost") from error
    except BatchError:
        raise
    except Exception as error:  # the task does not raise, so it never ran
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BatchError(f"the workers cannot run the task; is the same Ringfen installed there? {why}") from error


@contextmanager
def thread(task: Task) -> Iterator[WorkerPool]:
    """Use one thread of this process. Leaving the block stops the running task at its next poll."""
    stop = threading.Event()
    executor = ThreadPoolExecutor(1)
    try:
        yield ExecutorPool(executor, partial(_until, stop.is_set, task), lambda: 1)
    finally:
        stop.set()
        executor.shutdown(wait=True, cancel_futures=True)


def _until(stopped: Callable[[], bool], task: Callable[[Item], Result], item: Item) -> Result:
    """Return the result of the task, which ends early when ``stopped()`` is true."""
    with stop_when(stopped):
        return task(item)


@dataclass(frozen=True)
class Cluster:
    """A connection to a Dask cluster."""

    executor: Executor
    #: How many threads its workers have now.
    threads: Callable[[], int]
    #: What a future raises if the workers of one task died repeatedly.
    lost: tuple[type[BaseException], ...]

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Run a task on a worker, and return its future for :func:`result_of`.

        The task must not raise. If the connection ends, :func:`ringfen.control.stop_asked` ends the task early.
        """
        return self.executor.submit(on_dask(task), item)


@contextmanager
def dask(address: str, task: Task) -> Iterator[WorkerPool]:
    """Use the workers of a Dask cluster. Their number may change.

    :raises BatchError: As for :func:`cluster_at`.
    """
    with cluster_at(address) as cluster:
        yield ExecutorPool(cluster.executor, on_dask(task), cluster.threads, cluster.lost)


@contextmanager
def cluster_at(address: str) -> Iterator[Cluster]:
    """Connect to a Dask cluster. Leaving the block ends the tasks of this connection.

    :raises BatchError: ``ringfen[dask]`` is not installed, no scheduler answers at the address, or a worker has another
        version of Ringfen.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise BatchError("a Dask cluster needs the package distributed: pip install 'ringfen[dask]'") from error
    client: Any
    try:
        _greet(address)
        client = Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)  # type: ignore[no-untyped-call, unused-ignore]
    except Exception as error:
        raise BatchError(f"no Dask scheduler answers at {address}: {str(error) or type(error).__name__}") from error
    try:
        _check_versions(client)
        executor = client.get_executor(pure=False)
        try:
            size = _Cached(lambda: max(1, sum(client.nthreads().values())))
            yield Cluster(executor, size, (KilledWorker,))
        finally:
            executor.shutdown(wait=False)
    finally:
        client.close()


def _check_versions(client: Any) -> None:
    """Check that every worker has this version of Ringfen. A worker that joins later is checked by its first task.

    :raises BatchError: A worker has another version or no Ringfen.
    """
    from pkgutil import resolve_name

    # This function of the standard library is also on a worker that has no Ringfen.
    answers = client.run(resolve_name, f"{version.__name__}:__version__", on_error="return")
    others: dict[str, list[str]] = {}
    for worker, answer in answers.items():
        if isinstance(answer, ImportError):
            others.setdefault("no Ringfen", []).append(worker)
        elif isinstance(answer, str) and answer != version.__version__:
            others.setdefault(f"Ringfen {answer}", []).append(worker)
    if others:
        raise BatchError(_other_versions(others, version.__version__))


def _other_versions(others: Mapping[str, Sequence[str]], ours: str) -> str:
    """Return the message about workers that cannot be used.

    :param others: The workers of each other version, or of none.
    :param ours: The version that they should have.
    """
    found = [
        f"{words} ({workers[0]}{f' and {len(workers) - 1} more' if workers[1:] else ''})"
        for words, workers in sorted(others.items())
    ]
    return f"the Dask workers have {', '.join(found)}, this is {ours}; install Ringfen {ours} on every worker"


def _greet(address: str) -> None:
    """Fail within seconds if no scheduler answers: Dask's client takes long to fail and logs errors.

    :raises Exception: The error of Dask or the system for the address.
    """
    import asyncio

    from distributed import rpc

    async def ask() -> None:
        async with rpc(address, timeout=_CONNECT_TIMEOUT) as scheduler:  # type: ignore[no-untyped-call, unused-ignore]
            await asyncio.wait_for(scheduler.identity(), _CONNECT_TIMEOUT)

    asyncio.run(ask())


class _Cached:
    """A number that is slow to compute and is cached for a few seconds."""

    def __init__(self, compute: Callable[[], int]) -> None:
        self._compute = compute
        self._number = 0
        self._due = 0.0

    def __call__(self) -> int:
        if time.monotonic() >= self._due:
            self._number = self._compute()
            self._due = time.monotonic() + _SECONDS_BETWEEN_COUNTS
        return self._number


def on_dask(task: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Return a function for a Dask worker: the task, which ends early if the scheduler cancels it."""
    return partial(_on_dask, task, version.__version__)


def _on_dask(task: Callable[[Item], Result], needed: str, item: Item) -> Result:
    if needed != version.__version__:
        raise BatchError(_other_versions({f"Ringfen {version.__version__}": ["a new worker"]}, needed))
    return _until(_is_cancelled, task, item)


def _is_cancelled() -> bool:
    """Return whether this thread's Dask task was cancelled or its client has gone."""
    from distributed import get_worker

    try:
        worker = get_worker()
        state = worker.state.tasks.get(worker.get_current_task())
    except ValueError:
        return False
    return state is None or state.state in ("cancelled", "released", "forgotten")


# ---- processes ----

# The first line prevents imports from the current directory. (Python 3.10 has no -P, and -I would ignore PYTHONPATH and
# the packages of the user.)
_WORKER = """\
import sys; sys.path[:1] = filter(None, sys.path[:1])
import pickle
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from ringfen.batch.workers import serve
serve()
"""


@contextmanager
def _no_ctrl_c() -> Iterator[None]:
    """Defer Ctrl-C. Processes started inside the block ignore it permanently."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Worker:
    """A worker process. It gets one position at a time, so that no position waits for a hard one."""

    def __init__(self, task: Task) -> None:
        import subprocess

        self.process = subprocess.Popen([sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.position: Position | None = None
        self.started = 0.0
        with suppress(BrokenPipeError):
            self._send([folder for folder in sys.path if folder])
            self._send((os.getpid(), task))

    @property
    def replies(self) -> IO[bytes]:
        """The pipe with its results."""
        assert self.process.stdout is not None
        return self.process.stdout

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        pickle.dump(message, self.process.stdin)
        self.process.stdin.flush()

    def begin(self, position: Position) -> None:
        """Send it a position. If the process is dead, its replies end."""
        self.position = position
        self.started = time.monotonic()
        with suppress(BrokenPipeError):
            self._send(position)

    def result(self) -> Result | None:
        """Return its result for the current position; None if the process is dead."""
        try:
            result: Result = pickle.load(self.replies)
        except (EOFError, pickle.UnpicklingError, OSError):
            return None
        return result

    def end(self) -> int:
        """Kill the process and return its exit status, as in ``Popen.returncode``."""
        self.process.kill()
        self.replies.close()
        with suppress(BrokenPipeError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        return self.process.wait()


class ProcessPool(WorkerPool):
    """Worker processes on this machine. If one dies, it is replaced and its position is tried again.

    :param say: Called with messages for the user.
    """

    def __init__(self, jobs: int, task: Task, say: Callable[[str], None] = lambda message: None) -> None:
        self._jobs = jobs
        self._task = task
        self._say = say
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._retries: list[Position] = []
        self._deaths: dict[Position, int] = {}
        self._deaths_in_a_row = 0
        self._selector = DefaultSelector()

    @property
    def busy(self) -> bool:
        """Whether any submitted position has no result yet."""
        return bool(self._retries) or len(self._idle) < len(self._workers)

    def free_slots(self) -> int:
        """Return how many more positions can be submitted now."""
        return self._jobs - (len(self._workers) - len(self._idle)) - len(self._retries)

    def submit(self, position: Position) -> None:
        """Start work on a position."""
        if self._idle:
            worker = self._idle.pop()
        else:
            with _no_ctrl_c():
                try:
                    worker = _Worker(self._task)
                except OSError as error:
                    words = f"cannot start worker process {len(self._workers) + 1} of {self._jobs}: {error.strerror}"
                    if error.errno in _RESOURCE_ERRORS:
                        words += (
                            "; use fewer jobs, or raise the limits of processes and open files (ulimit -u, ulimit -n)"
                        )
                    raise BatchError(words) from error
                self._workers.append(worker)
                self._selector.register(worker.replies, EVENT_READ, worker)
        worker.begin(position)

    def collect(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return the finished results; see :meth:`WorkerPool.collect`."""
        results: list[tuple[Position, Result]] = []
        for key, _ in self._selector.select(timeout):
            worker: _Worker = key.data
            position, result = worker.position, worker.result()
            worker.position = None
            if result is None:
                result = self._remove(worker, position)
            else:
                self._idle.append(worker)
                self._deaths_in_a_row = 0
            if position is not None and result is not None:
                results.append((position, result))
        while self._retries and len(self._workers) - len(self._idle) < self._jobs:
            self.submit(self._retries.pop())
        return results

    def _remove(self, worker: _Worker, position: Position | None) -> Failure | None:
        """Remove a dead worker. Schedule its position again, or return a failure after the last try.

        :raises BatchError: Too many workers died in a row.
        """
        self._selector.unregister(worker.replies)
        self._workers.remove(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        how = _exit_reason(worker.end())
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= _DEATHS_IN_A_ROW:
            raise BatchError(f"{_DEATHS_IN_A_ROW} worker processes in a row died, the last {how}")
        if position is None:
            return None
        deaths = self._deaths[position] = self._deaths.get(position, 0) + 1
        if deaths >= _TRIES:
            return Failure(f"the worker process died {deaths} times, the last time {how}")
        self._say(f"the worker process for {position} died {how}; trying again")
        self._retries.append(position)
        return None

    def running(self) -> list[tuple[Position, float]]:
        """Return the running tasks; see :meth:`WorkerPool.running`."""
        now = time.monotonic()
        busy = sorted((worker for worker in self._workers if worker.position), key=lambda worker: worker.started)
        return [(worker.position, now - worker.started) for worker in busy if worker.position is not None]

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._idle.clear()
        self._selector.close()


def _exit_reason(code: int) -> str:
    if code >= 0:
        return f"with exit status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"of {name}" + (" (is there enough memory?)" if -code == signal.SIGKILL else "")


@contextmanager
def processes(jobs: int, task: Task, say: Callable[[str], None]) -> Iterator[WorkerPool]:
    """Use ``jobs`` worker processes. Leaving the block kills them."""
    pool = ProcessPool(jobs, task, say)
    try:
        yield pool
    finally:
        pool.close()


def pool_for(
    task: Task, jobs: int, dask_address: str | None, say: Callable[[str], None] = lambda message: None
) -> AbstractContextManager[WorkerPool]:
    """Return the workers of a Dask cluster if there is an address; otherwise ``jobs`` processes, or a thread for one
    job.

    :param say: Called with messages for the user.
    """
    if dask_address is not None:
        return dask(dask_address, task)
    return processes(jobs, task, say) if jobs > 1 else thread(task)


def serve() -> None:
    """Run a worker process: read positions from standard input, write results to standard output."""
    positions = sys.stdin.buffer
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text goes to standard error, not between the results
    with suppress(EOFError, BrokenPipeError):
        parent, task = pickle.load(positions)
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
        while True:
            pickle.dump(task(pickle.load(positions)), results)
            results.flush()


def _exit_with_parent(parent: int) -> None:
    """End the process when its parent process ends, so that a killed batch leaves no process running."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_ORPHAN_CHECKS)
    os._exit(1)
