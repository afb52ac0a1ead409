"""Solving many positions: every input line once, answers that survive being killed at any moment.

The work goes to any :class:`concurrent.futures.Executor`; how many processes or machines stand behind it changes
neither answers nor files. Only the calling process reads and writes files.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ringfen.position import Position
from ringfen.solving import SolveOptions, solve

#: An answer as it stands in the file: the fields of ``Solution.to_json`` and ``line``.
Answer = dict[str, Any]

_SECONDS_BETWEEN_SYNCS = 1.0
_SECONDS_BETWEEN_NEWS = 0.2


class BatchError(Exception):
    """A batch that cannot be run as asked; the message says why and what to do."""


@dataclass(slots=True)
class Work:
    """What is to be done: each different position with the numbers of the input lines that hold it, in their order."""

    lines_of: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, fen: str) -> None:
        """Takes up the position (canonical text) of an input line."""
        self.lines_of.setdefault(fen, []).append(line)

    @property
    def total(self) -> int:
        """The number of answers to be given."""
        return sum(len(lines) for lines in self.lines_of.values())


@dataclass(frozen=True, slots=True)
class News:
    """How a batch is doing. ``working_on`` holds the input lines in work, the oldest first; times in seconds."""

    done: int
    total: int
    seconds: float
    remaining: float | None
    working_on: Sequence[int]


def solve_fen(fen: str, options: SolveOptions, board_path: Sequence[Path] = ()) -> Answer:
    """The answer for one position; what workers run."""
    return solve(Position(fen, board_path=board_path), options).to_json()


class AnswerFile:
    """A file of answers, one JSON line each, appended as they come.

    A line is written whole and in one piece; what a crash leaves torn is dropped when the file is taken up again.
    Beside the file stands ``NAME.job`` while the batch is unfinished: the options, so that a file is not continued
    with others.
    """

    def __init__(self, path: Path, work: Work, job: Mapping[str, Any], *, resume: bool) -> None:
        self.path = path
        self._job_path = path.with_name(path.name + ".job")
        #: By position, an answer that the file already held.
        self.known: dict[str, Answer] = {}
        #: Input lines that the file answers.
        self.answered: set[int] = set()
        #: The answers that the file already held.
        self.taken_up: list[Answer] = []
        if resume:
            self._check_job(job)
            self._take_up(work)
        elif path.exists():
            raise BatchError(f"{path} exists; --resume goes on with it, or remove it first")
        _write_whole(self._job_path, (json.dumps(job, sort_keys=True) + "\n").encode())
        self._file: BinaryIO = path.open("ab", buffering=0)
        self._synced = time.monotonic()

    def _check_job(self, job: Mapping[str, Any]) -> None:
        try:
            before = json.loads(self._job_path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise BatchError(f"{self._job_path} cannot be read: {error}") from error
        if before != json.loads(json.dumps(job)):
            raise BatchError(
                f"{self.path} was begun with other options: then {json.dumps(before, sort_keys=True)}, "
                f"now {json.dumps(job, sort_keys=True)}"
            )

    def _take_up(self, work: Work) -> None:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return
        fen_of = {line: fen for fen, lines in work.lines_of.items() for line in lines}
        kept: list[bytes] = []
        for line in raw.splitlines(keepends=True):
            answer = _answer_in(line)
            if answer is None or answer["line"] in self.answered:
                continue
            if fen_of.get(answer["line"]) != answer["fen"]:
                raise BatchError(
                    f"{self.path} answers {answer['fen']!r} for line {answer['line']}, where the input has "
                    f"{fen_of.get(answer['line'])!r}: it belongs to another input"
                )
            self.answered.add(answer["line"])
            self.known[answer["fen"]] = answer
            self.taken_up.append(answer)
            kept.append(line)
        whole = b"".join(kept)
        if whole != raw:
            _write_whole(self.path, whole)

    def write(self, answer: Answer) -> None:
        """Appends an answer. A full disk raises :class:`OSError`; what is there stays good."""
        data = json.dumps(answer, ensure_ascii=False).encode() + b"\n"
        while data:
            data = data[self._file.write(data) :]
        self.answered.add(answer["line"])
        if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def close(self, *, finished: bool) -> None:
        """Puts everything on the disk; a finished batch needs its ``.job`` no more."""
        os.fsync(self._file.fileno())
        self._file.close()
        if finished:
            self._job_path.unlink(missing_ok=True)


def _answer_in(line: bytes) -> Answer | None:
    """The answer in a line of an answer file; None if the line is damaged."""
    if not line.endswith(b"\n"):
        return None
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    if not isinstance(answer, dict) or not isinstance(answer.get("line"), int) or "status" not in answer:
        return None
    return answer if isinstance(answer.get("fen"), str) else None


def _write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that at every moment the old or the new one is there whole."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def run(
    work: Work,
    options: SolveOptions,
    executor: Executor,
    *,
    in_flight: int,
    known: Mapping[str, Answer] | None = None,
    answered: Iterable[int] = (),
    board_path: Sequence[Path] = (),
    news: Callable[[News], None] | None = None,
) -> Iterator[Answer]:
    """The answers that are not there yet, as they come, each with its input line.

    :param in_flight: how many positions the executor is given at a time.
    :param known: answers by position that need no more solving.
    :param answered: input lines that have their answer.
    """
    known = known or {}
    have = set(answered)
    started = time.monotonic()
    before = len(have)
    done = before
    last_news = 0.0
    waiting = iter(work.lines_of)
    running: dict[Future[Answer], str] = {}

    def tell(*, now: bool = False) -> None:
        nonlocal last_news
        seconds = time.monotonic() - started
        if news is not None and (now or seconds - last_news >= _SECONDS_BETWEEN_NEWS):
            last_news = seconds
            fresh = done - before
            remaining = seconds / fresh * (work.total - done) if fresh else None
            news(News(done, work.total, seconds, remaining, [work.lines_of[fen][0] for fen in running.values()]))

    def answers(fen: str, answer: Answer) -> Iterator[Answer]:
        nonlocal done
        for line in work.lines_of[fen]:
            if line not in have:
                have.add(line)
                done += 1
                yield {"line": line, **{key: value for key, value in answer.items() if key != "line"}}

    exhausted = False
    try:
        while running or not exhausted:
            while len(running) < in_flight and not exhausted:
                fen = next(waiting, None)
                if fen is None:
                    exhausted = True
                elif fen in known:
                    yield from answers(fen, known[fen])
                elif not have.issuperset(work.lines_of[fen]):
                    running[executor.submit(solve_fen, fen, options, board_path)] = fen
            finished, _ = wait(running, timeout=_SECONDS_BETWEEN_NEWS, return_when=FIRST_COMPLETED)
            for future in finished:
                yield from answers(running.pop(future), future.result())
            tell()
        tell(now=True)
    finally:
        for future in running:
            future.cancel()


class InProcess(Executor):
    """An executor that solves at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs ``fn`` and gives its result as a finished future; Ctrl-C leaves as it comes."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def local_executor(jobs: int) -> Iterator[Executor]:
    """``jobs`` worker processes, or the calling thread for one job. Leaving by an exception stops the workers."""
    if jobs <= 1:
        yield InProcess()
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    method = multiprocessing.get_context("spawn")
    stop = method.Event()
    pool = ProcessPoolExecutor(jobs, mp_context=method, initializer=_begin_worker, initargs=(stop,))
    try:
        yield pool
    except BaseException:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def _begin_worker(stop: Any) -> None:
    """In a worker: Ctrl-C is the parent's affair, which sets ``stop``; polls of long calls look at it."""
    import signal

    from ringfen import control

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control.stop_all = stop.is_set


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """The workers of a Dask cluster and how many threads they have in all.

    :raises BatchError: ``ringfen[dask]`` is not installed, or nobody answers at the address.
    """
    try:
        from distributed import Client as connect
    except ImportError as error:
        raise BatchError("a Dask cluster needs the package distributed: pip install 'ringfen[dask]'") from error
    client: Any
    try:
        client = connect(address, set_as_default=False)  # type: ignore[no-untyped-call, unused-ignore]
    except OSError as error:
        raise BatchError(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        executor = client.get_executor(pure=False, retries=3)
        yield executor, max(1, sum(client.nthreads().values()))
    finally:
        client.close()
