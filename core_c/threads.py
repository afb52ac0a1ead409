"""Threads that do the jobs of one call, while the calling thread may be interrupted anywhere.

A signal handler that raises an exception, such as that of Ctrl-C, runs in the main thread between any two bytecodes.
With :mod:`concurrent.futures`, this can leave the lock of a future taken. The thread that finishes this future then
waits forever, and the main thread waits forever for that thread. Here, all waiting is done by
:class:`queue.SimpleQueue`, which is written in C: a handler runs before or after its calls, never while it has a
lock.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Final, Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")

#: How often a thread that waits for the end of the others checks this, in seconds.
_SECONDS_BETWEEN_CHECKS: Final = 0.1


class Threads(Generic[K, T]):
    """A pool of threads for one calling thread.

    Leaving the block drops the jobs that have not begun, and waits for the others.

    :param count: The maximum number of threads.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: SimpleQueue[tuple[K, Callable[[], T]] | None] = SimpleQueue()
        self._results: SimpleQueue[tuple[K, T] | BaseException] = SimpleQueue()
        self._wake: SimpleQueue[None] = SimpleQueue()
        #: The threads that were started, and those of them that have ended.
        self._started: list[int] = []
        self._ended: list[int] = []
        self._is_closing = False
        #: The number of jobs that were submitted and that :meth:`finished` has not returned.
        self.pending = 0

    def __enter__(self) -> Threads[K, T]:
        return self

    def __exit__(
        self, exception: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, key: K, job: Callable[[], T]) -> None:
        """Let a thread call ``job``.

        :param key: :meth:`finished` returns it with the result.
        :raises RuntimeError: The system cannot start a thread.
        """
        self._jobs.put((key, job))
        self.pending += 1
        if len(self._started) < min(self._count, self.pending):
            # One call in C: no handler runs between the start of the thread and its entry in the list.
            self._started.extend(map(_thread.start_new_thread, (self._work,), ((),)))

    def finished(self, timeout: float | None = None) -> list[tuple[K, T]]:
        """Return the jobs that have ended since the last call, with their results.

        :param timeout: Seconds to wait if none has ended yet; None waits until one ends.
        :raises BaseException: A job raised it.
        """
        found: list[tuple[K, T]] = []
        with suppress(Empty):
            result = self._results.get(timeout=timeout)
            while True:
                self.pending -= 1
                if isinstance(result, BaseException):
                    raise result
                found.append(result)
                result = self._results.get_nowait()
        return found

    def close(self) -> None:
        """Drop the jobs that have not begun, and wait until all threads have ended, even if the wait is interrupted."""
        interruption: BaseException | None = None
        self._is_closing = True
        while len(self._ended) < len(self._started):
            try:
                for _ in self._started:
                    self._jobs.put(None)
                while len(self._ended) < len(self._started):
                    with suppress(Empty):
                        self._wake.get(timeout=_SECONDS_BETWEEN_CHECKS)
            except BaseException as error:
                interruption = error
        if interruption is not None:
            raise interruption

    def _work(self) -> None:
        """Do jobs in one thread until the pool is closed."""
        while (entry := self._jobs.get()) is not None and not self._is_closing:
            key, job = entry
            try:
                self._results.put((key, job()))
            except BaseException as error:
                self._results.put(error)
            del entry, job  # A waiting thread keeps nothing alive.
        self._ended.append(_thread.get_ident())
        self._wake.put(None)
