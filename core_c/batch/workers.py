"""The workers of a batch: a thread, processes, or any executor such as that of a Dask cluster.

What a crew does with a position is one function of it, which must not raise: its errors are results too. A crew never
touches a file, so its workers can be killed at any moment.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
    """Why a position has no answer. ``misuse``: it does not go with the options; otherwise something ran out."""

    message: str
    misuse: bool = False


#: A :class:`ringfen.Solution`, or the answer of another kind of batch, or a :class:`Failure`.
Result = Any
Task = Callable[[Position], Result]
Item = TypeVar("Item")

#: A position whose worker dies is tried this often.
_TRIES = 2
#: When this many workers die with nothing solved in between, the cause is not one position.
_DEATHS_IN_A_ROW = 10
#: How often a worker checks that its parent is still there, in seconds.
_ORPHAN_CHECK = 0.25
#: How often the size of a cluster is asked for, in seconds.
_BETWEEN_COUNTS = 5.0
#: Seconds that a Dask scheduler has to answer for the first time.
_TO_CONNECT = 5


class Crew(ABC):
    """Takes positions as long as there is :meth:`room`, and hands back each with its result."""

    @abstractmethod
    def room(self) -> int:
        """Return how many more positions it wants now."""

    @abstractmethod
    def give(self, position: Position) -> None:
        """Set it to work on a position."""

    @abstractmethod
    def take(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return what is finished, after waiting for something at most ``timeout`` seconds.

        :raises BatchError: The workers can give no more answers.
        """

    @abstractmethod
    def working_on(self) -> list[tuple[Position, float]]:
        """Return the running tasks, the oldest first, each with its seconds so far."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Whether results are still to come."""


# ---- executors ----


class ExecutorCrew(Crew):
    """Works through an executor.

    :param size: How many positions the executor works on at a time; it is given one more for each, lest it waits.
    :param lost: What a future raises if the workers of one position died again and again.
    """

    def __init__(
        self, executor: Executor, task: Task, size: Callable[[], int], lost: tuple[type[BaseException], ...] = ()
    ) -> None:
        self._executor = executor
        self._task = task
        self._size = size
        self._lost = lost
        self._given: dict[Future[Result], tuple[Position, float]] = {}
        self._finished: SimpleQueue[Future[Result]] = SimpleQueue()

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._given)

    def room(self) -> int:
        """Return how many more positions it wants now."""
        return 2 * self._size() - len(self._given)

    def give(self, position: Position) -> None:
        """Set it to work on a position."""
        future = self._executor.submit(self._task, position)
        self._given[future] = position, time.monotonic()
        future.add_done_callback(self._finished.put)

    def take(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return what is finished; see :meth:`Crew.take`."""
        results = []
        with suppress(Empty):
            future = self._finished.get(timeout=timeout)
            while True:
                results.append((self._given.pop(future)[0], result_of(future, self._lost)))
                future = self._finished.get_nowait()
        return results

    def working_on(self) -> list[tuple[Position, float]]:
        """Return the running tasks; see :meth:`Crew.working_on`."""
        now = time.monotonic()
        oldest = list(self._given.values())[: self._size()]
        return [(position, now - since) for position, since in oldest]


def result_of(future: Future[Result], lost: tuple[type[BaseException], ...] = ()) -> Result:
    """Return the result of a task that does not raise.

    :param lost: What the future raises if the workers died again and again, which is a :class:`Failure`.
    :raises BatchError: The workers can give no more answers.
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
        raise BatchError(f"the workers cannot do it; is the same Ringfen installed there? {why}") from error


@contextmanager
def thread(task: Task) -> Iterator[Crew]:
    """Return one thread of this process. Leaving stops the running task at its next poll."""
    stop = threading.Event()
    executor = ThreadPoolExecutor(1)
    try:
        yield ExecutorCrew(executor, partial(_until, stop.is_set, task), lambda: 1)
    finally:
        stop.set()
        executor.shutdown(wait=True, cancel_futures=True)


def _until(asked: Callable[[], bool], task: Callable[[Item], Result], item: Item) -> Result:
    """Return the task, which ends early when ``asked()`` is true."""
    with stop_when(asked):
        return task(item)


@dataclass(frozen=True)
class Cluster:
    """A connection to a Dask cluster."""

    executor: Executor
    #: How many threads its workers have now.
    threads: Callable[[], int]
    #: What a future raises if the workers of one task died again and again.
    lost: tuple[type[BaseException], ...]

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Has a worker do the task, which must not raise and which ends early by :func:`ringfen.control.stop_asked`
        when the connection does. :func:`result_of` gives its result.
        """
        return self.executor.submit(on_dask(task), item)


@contextmanager
def dask(address: str, task: Task) -> Iterator[Crew]:
    """Return the workers of a Dask cluster, whatever their number is or becomes.

    :raises BatchError: ``ringfen[dask]`` is not installed, or nobody answers at the address.
    """
    with cluster_at(address) as cluster:
        yield ExecutorCrew(cluster.executor, on_dask(task), cluster.threads, cluster.lost)


@contextmanager
def cluster_at(address: str) -> Iterator[Cluster]:
    """Return a Dask cluster. Leaving ends what its workers do for this connection.

    :raises BatchError: ``ringfen[dask]`` is not installed, or nobody answers at the address.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise BatchError("a Dask cluster needs the package distributed: pip install 'ringfen[dask]'") from error
    client: Any
    try:
        _greet(address)
        client = Client(address, timeout=_TO_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call, unused-ignore]
    except Exception as error:
        raise BatchError(f"no Dask scheduler answers at {address}: {str(error) or type(error).__name__}") from error
    try:
        executor = client.get_executor(pure=False)
        size = _Sometimes(lambda: max(1, sum(client.nthreads().values())))
        yield Cluster(executor, size, (KilledWorker,))
    finally:
        executor.shutdown(wait=False)
        client.close()


def _greet(address: str) -> None:
    """Fail within seconds if no scheduler answers. (Dask's client, unable to connect, clears up slowly and loudly.)

    :raises Exception: The error of Dask or the system for the address.
    """
    import asyncio

    from distributed import rpc

    async def ask() -> None:
        async with rpc(address, timeout=_TO_CONNECT) as scheduler:  # type: ignore[no-untyped-call, unused-ignore]
            await asyncio.wait_for(scheduler.identity(), _TO_CONNECT)

    asyncio.run(ask())


class _Sometimes:
    """A number that is costly to ask for, and so is not asked for every time."""

    def __init__(self, ask: Callable[[], int]) -> None:
        self._ask = ask
        self._answer = 0
        self._due = 0.0

    def __call__(self) -> int:
        if time.monotonic() >= self._due:
            self._answer = self._ask()
            self._due = time.monotonic() + _BETWEEN_COUNTS
        return self._answer


def on_dask(task: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Return what a Dask worker is to run: the task, until the scheduler wants it no more."""
    return partial(_on_dask, task, version.__version__)


def _on_dask(task: Callable[[Item], Result], asked_for: str, item: Item) -> Result:
    if asked_for != version.__version__:
        raise BatchError(f"the Dask workers have Ringfen {version.__version__}, this is {asked_for}")
    return _until(_given_up, task, item)


def _given_up() -> bool:
    """Return whether this thread's Dask task was cancelled or its client has gone."""
    from distributed import get_worker

    try:
        worker = get_worker()
        state = worker.state.tasks.get(worker.get_current_task())
    except ValueError:
        return False
    return state is None or state.state in ("cancelled", "released", "forgotten")


# ---- processes ----

# The first line keeps files of the current directory from being imported. (Python 3.10 has no -P, and -I would ignore
# PYTHONPATH and the packages of the user.)
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
    """Defer Ctrl-C. Processes started inside have it blocked permanently, from their start."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Worker:
    """The parent's end of a worker process. It gets one position at a time, so none waits behind a hard one."""

    def __init__(self, task: Task) -> None:
        import subprocess

        self.process = subprocess.Popen([sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.position: Position | None = None
        self.since = 0.0
        with suppress(BrokenPipeError):
            self._send([place for place in sys.path if place])
            self._send((os.getpid(), task))

    @property
    def replies(self) -> IO[bytes]:
        """Where its results come from."""
        assert self.process.stdout is not None
        return self.process.stdout

    def _send(self, what: Any) -> None:
        assert self.process.stdin is not None
        pickle.dump(what, self.process.stdin)
        self.process.stdin.flush()

    def begin(self, position: Position) -> None:
        """Return it a position. If it is dead, its replies end."""
        self.position = position
        self.since = time.monotonic()
        with suppress(BrokenPipeError):
            self._send(position)

    def result(self) -> Result | None:
        """Its result for the position in work; None if the process is dead."""
        try:
            result: Result = pickle.load(self.replies)
        except (EOFError, pickle.UnpicklingError, OSError):
            return None
        return result

    def end(self) -> int:
        """Kill the process; how it ended, as in ``Popen.returncode``."""
        self.process.kill()
        self.replies.close()
        with suppress(BrokenPipeError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        return self.process.wait()


class ProcessCrew(Crew):
    """Worker processes of this machine. One that dies is replaced, and its position tried once more.

    :param say: Called with messages for the user.
    """

    def __init__(self, jobs: int, task: Task, say: Callable[[str], None] = lambda message: None) -> None:
        self._jobs = jobs
        self._task = task
        self._say = say
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._again: list[Position] = []
        self._deaths: dict[Position, int] = {}
        self._deaths_in_a_row = 0
        self._selector = DefaultSelector()

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._again) or len(self._idle) < len(self._workers)

    def room(self) -> int:
        """Return how many more positions it wants now."""
        return self._jobs - (len(self._workers) - len(self._idle)) - len(self._again)

    def give(self, position: Position) -> None:
        """Set it to work on a position."""
        if self._idle:
            worker = self._idle.pop()
        else:
            with _no_ctrl_c():
                worker = _Worker(self._task)
                self._workers.append(worker)
                self._selector.register(worker.replies, EVENT_READ, worker)
        worker.begin(position)

    def take(self, timeout: float) -> list[tuple[Position, Result]]:
        """Return what is finished; see :meth:`Crew.take`."""
        results: list[tuple[Position, Result]] = []
        for key, _ in self._selector.select(timeout):
            worker: _Worker = key.data
            position, result = worker.position, worker.result()
            worker.position = None
            if result is None:
                result = self._bury(worker, position)
            else:
                self._idle.append(worker)
                self._deaths_in_a_row = 0
            if position is not None and result is not None:
                results.append((position, result))
        while self._again and len(self._workers) - len(self._idle) < self._jobs:
            self.give(self._again.pop())
        return results

    def _bury(self, worker: _Worker, position: Position | None) -> Failure | None:
        """Does away with a dead worker. Its position is to be tried again, or (returned) has failed for good."""
        self._selector.unregister(worker.replies)
        self._workers.remove(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        how = _how_ended(worker.end())
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= _DEATHS_IN_A_ROW:
            raise BatchError(f"the worker processes die one after the other, the last {how}")
        if position is None:
            return None
        deaths = self._deaths[position] = self._deaths.get(position, 0) + 1
        if deaths >= _TRIES:
            return Failure(f"the worker process died {deaths} times, the last time {how}")
        self._say(f"the worker process for {position} died {how}; trying once more")
        self._again.append(position)
        return None

    def working_on(self) -> list[tuple[Position, float]]:
        """Return the running tasks; see :meth:`Crew.working_on`."""
        now = time.monotonic()
        busy = sorted((worker for worker in self._workers if worker.position), key=lambda worker: worker.since)
        return [(worker.position, now - worker.since) for worker in busy if worker.position is not None]

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._idle.clear()
        self._selector.close()


def _how_ended(code: int) -> str:
    if code >= 0:
        return f"with exit status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"of {name}" + (" (is there enough memory?)" if -code == signal.SIGKILL else "")


@contextmanager
def processes(jobs: int, task: Task, say: Callable[[str], None]) -> Iterator[Crew]:
    """``jobs`` worker processes. Leaving kills them."""
    crew = ProcessCrew(jobs, task, say)
    try:
        yield crew
    finally:
        crew.close()


def serve() -> None:
    """Return what a worker process does: positions come on standard input, results go to standard output."""
    positions = sys.stdin.buffer
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed may get among the results
    with suppress(EOFError, BrokenPipeError):
        parent, task = pickle.load(positions)
        threading.Thread(target=_die_with, args=(parent,), daemon=True).start()
        while True:
            pickle.dump(task(pickle.load(positions)), results)
            results.flush()


def _die_with(parent: int) -> None:
    """End the process as soon as its parent is another one, so that a killed batch leaves nothing running."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_CHECK)
    os._exit(1)
