"""Solving many positions: every input line once, answers that survive being killed at any moment.

Who solves them (:mod:`ringfen.batch.workers`) changes neither answers nor files. Only the calling process reads and
writes files.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringfen.batch.answers import OWN_FIELDS, Answer, answer_in, checksum, is_better
from ringfen.batch.workers import Failure, Result, WorkerPool
from ringfen.errors import BatchError, LimitReached
from ringfen.inputs import check_regular, is_packed
from ringfen.outputs import Output, create_locked, sync_directory
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions, solve

_SECONDS_BETWEEN_SYNCS = 1.0
_SECONDS_BETWEEN_NEWS = 0.2
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
#: What a line begins with, even one that is torn.
_BEGINNING = b'{"line": '


@dataclass(slots=True)
class Work:
    """What is to be done: each different position, with the numbers of the input lines that hold it, in their order."""

    positions: dict[str, Position] = field(default_factory=dict)
    lines_of: dict[str, list[int]] = field(default_factory=dict)
    #: The number of answers to be given.
    total: int = 0

    def add(self, line: int, position: Position) -> None:
        """Take up the position of an input line."""
        self.positions.setdefault(position.fen, position)
        self.lines_of.setdefault(position.fen, []).append(line)
        self.total += 1


def solve_one(options: SolveOptions, position: Position) -> Result:
    """Return the solution of a position, or why there is none; what the workers run."""
    try:
        return solve(position, options)
    except MemoryError:
        return Failure("out of memory")
    except LimitReached as error:
        return Failure(error.message)
    except ValueError as error:
        return Failure(str(error), misuse=True)
    except Exception as error:  # one bad position must not cost a night
        return Failure(f"{type(error).__name__}: {error}")


def solve_all(
    positions: Iterable[Position], pool: WorkerPool, news: Callable[[], None] = lambda: None
) -> Iterator[tuple[Position, Result]]:
    """Return the results of all positions, as they come.

    :param news: Called several times a second.
    """
    waiting = iter(positions)
    position = next(waiting, None)
    while True:
        while position is not None and pool.free_slots() > 0:
            pool.submit(position)
            position = next(waiting, None)
        if not pool.busy:
            return
        yield from pool.collect(_SECONDS_BETWEEN_NEWS)
        news()


def what_counts(options: SolveOptions, position: Position) -> dict[str, Any]:
    """Return the settings that an answer depends on besides the position: options that are not the usual ones, the
    board.
    """
    usual = SolveOptions()
    chosen: dict[str, Any] = {"nodes": options.limits.nodes, "seconds": options.limits.seconds}
    chosen |= {
        name: getattr(options, name)
        for name in ("depth", "model", "player", "until", "wdl", "each")
        if getattr(options, name) != getattr(usual, name)
    }
    board = position.context.board
    if board is not None and board.name:
        chosen["board"] = f"{board.name} {zlib.crc32(repr(board).encode()):08x}"
    return {name: v if isinstance(v, int | float) else str(v) for name, v in chosen.items() if v is not None}


class AnswerFile:
    """A file of answers, one JSON line each, appended as they come.

    Each line is written in one piece and holds a checksum. What a crash leaves torn or spoilt goes to another file,
    :attr:`dropped_path`, when the file is taken up again; a line that is whole and no answer is a reason to leave all
        as it is. ``path`` may be something else than a file, such as a pipe, if there is no ``resume``.

    :param resume: Continue the file if it exists.
    :param retry: Answers of these statuses count as not given, and the limits may be others than before. An old answer
        stays in the file until there is a better one.
    :param inputs: Files that the same command reads.
    :raises BatchError: There is a file already, or it does not go with this work and these options.
    :raises OSError: It cannot be opened, read or written, or is one of ``inputs``.
    """

    def __init__(
        self,
        path: Path,
        work: Work,
        options: SolveOptions,
        *,
        resume: bool,
        retry: Collection[str] = (),
        inputs: Iterable[str | Path] = (),
    ) -> None:
        output = Output(path, inputs=inputs)
        if output.name.endswith((".gz", ".zst")):
            raise BatchError(f"{output.name}: answers are not written compressed; give a name without .gz or .zst")
        #: The file, links followed.
        self.path = output.path
        #: Where lines go that are dropped.
        self.dropped_path = self.path.with_name(f"{self.path.name}.dropped")
        #: Input lines that the file answers.
        self.answered: set[int] = set()
        #: The answers that it held at the beginning.
        self.found: list[Answer] = []
        #: How many spoilt lines were dropped.
        self.dropped = 0
        #: Answers that are to be improved, by input line.
        self._to_retry: dict[int, Answer] = {}
        self._retry = frozenset(retry)
        #: How many answers were to be improved and have been tried again, and how many have been improved.
        self.retried = self.improved = 0
        self._work = work
        self._options = options
        self._regular = output.is_replaced
        self._fd = os.open(self.path, _FLAGS | (os.O_RDWR if self._regular else os.O_WRONLY), 0o666)
        self._synced = time.monotonic()
        self._unsynced = False
        try:
            if self._regular:
                self._lock()
                self._take_up(resume)
        except BaseException:
            os.close(self._fd)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = os.path.samestat(os.fstat(self._fd), self.path.stat())
        except (BlockingIOError, FileNotFoundError):
            mine = False
        if not mine:
            raise BatchError(f"{self.path} is being written by another run")
        sync_directory(self.path)

    def _take_up(self, resume: bool) -> None:
        raw = self._content()
        if self._regular and raw and is_packed(self.path):
            raise BatchError(f"{self.path} is compressed; unpack it to resume")
        if raw and not resume:
            raise BatchError(f"{self.path} exists: continue it with --resume, or remove it first")
        fen_of = {line: fen for fen, lines in self._work.lines_of.items() for line in lines}
        whole: dict[int, tuple[Answer, bytes]] = {}
        dropped = bytearray()
        for number, line in enumerate(raw.splitlines(keepends=True), 1):
            try:
                answer = self._read(line)
            except ValueError as error:
                raise BatchError(f"line {number} of {self.path} {error}; nothing was changed") from None
            if answer is None:
                dropped += self._dropping(line)
                continue
            self._check(answer, fen_of.get(answer["line"]))
            before = whole.get(answer["line"])
            if before is None or self._is_better(answer, before[0]):
                whole[answer["line"]] = answer, line
                line = b"" if before is None else before[1]
            if before is not None:
                dropped += self._dropping(line)
        self._check_limits([answer for answer, _ in whole.values()])
        kept = b"".join(line for _, line in whole.values())
        if not kept and not _BEGINNING.startswith(raw.lstrip(b"\0")[: len(_BEGINNING)]):
            raise BatchError(f"{self.path} is not a file of answers")
        if kept != raw:
            if dropped.strip():
                self._set_aside(bytes(dropped))
            self._keep(kept, is_beginning=raw.startswith(kept))
        for number, (answer, _) in whole.items():
            if answer.get("status") in self._retry:
                self._to_retry[number] = answer
            else:
                self.answered.add(number)
                self.found.append(answer)
        for answer in list(self.found):
            fields = {name: answer[name] for name in answer if name not in OWN_FIELDS}
            self.found += self._add(answer["fen"], fields, answer["options"])

    def _dropping(self, line: bytes) -> bytes:
        self.dropped += 1
        return line

    def _content(self) -> bytes:
        with open(self._fd, "rb", buffering=0, closefd=False) as file:
            file.seek(0)
            return file.read()

    def _read(self, line: bytes) -> Answer | None:
        """Return the answer in a line; None if it is incomplete or corrupt. :raises ValueError: It is no answer."""
        return answer_in(line)

    def _is_better(self, answer: Answer, other: Answer) -> bool:
        """Return whether an answer to the same line says more than another."""
        return is_better(answer, other)

    def _what_counts(self, position: Position) -> dict[str, Any]:
        """Return the settings that an answer depends on besides the position."""
        return what_counts(self._options, position)

    def _check(self, answer: Answer, fen: str | None) -> None:
        """Reject an answer to another question."""
        if fen is None or fen != answer["fen"]:
            there = "has no position there" if fen is None else f"has {fen!r}"
            raise BatchError(
                f"{self.path} belongs to another input: for line {answer['line']} it answers {answer['fen']!r}, "
                f"but the input {there}"
            )
        now = self._what_counts(self._work.positions[fen])
        if _without_limits(now) != _without_limits(answer["options"]):
            raise self._other_options(answer["options"], now)

    def _check_limits(self, answers: Sequence[Answer]) -> None:
        """Reject limits that differ from those of the file, except with --retry."""
        if self._retry or not answers:
            return
        now = self._what_counts(self._work.positions[answers[0]["fen"]])
        limits = _limits(now)
        if all(_limits(answer["options"]) != limits for answer in answers):
            raise self._other_options(
                answers[0]["options"],
                now,
                "go on with those, improve what they left open (--retry unknown,bound), or take another file",
            )

    def _other_options(
        self, then: Mapping[str, Any], now: Mapping[str, Any], advice: str = "go on with those, or take another file"
    ) -> BatchError:
        return BatchError(
            f"{self.path} was begun with other options ({_in_words(then)}; now {_in_words(now)}); {advice}"
        )

    def _keep(self, content: bytes, *, is_beginning: bool) -> None:
        """Remove corrupt lines. The file always has either its old or its new content in full."""
        if is_beginning:
            os.ftruncate(self._fd, len(content))
            return
        fd, new = create_locked(self.path, stat.S_IMODE(os.fstat(self._fd).st_mode), os.O_RDWR | os.O_APPEND)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write(fd, content)
            os.fsync(fd)
            new.replace(self.path)
        except BaseException:
            os.close(fd)
            new.unlink(missing_ok=True)
            raise
        sync_directory(self.path)
        os.close(self._fd)
        self._fd = fd

    def _set_aside(self, lines: bytes) -> None:
        """Append removed lines to the file of dropped lines."""
        check_regular(self.dropped_path)
        fd = os.open(self.dropped_path, _FLAGS | os.O_WRONLY, 0o666)
        try:
            _write(fd, lines if lines.endswith(b"\n") else lines + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
        sync_directory(self.dropped_path)

    @property
    def is_retry(self) -> bool:
        """Whether answers are to be improved."""
        return bool(self._retry)

    def unsolved(self) -> list[Position]:
        """Return the positions that still need an answer, in the order of the input."""
        return [
            position
            for fen, position in self._work.positions.items()
            if not self.answered.issuperset(self._work.lines_of[fen])
        ]

    def add(self, solution: Solution) -> list[Answer]:
        """Write the answers for all lines that hold this position; returns them.

        :raises OSError: The disk is full, for example. Earlier answers stay intact.
        """
        return self._add(solution.fen, solution.to_json())

    def _add(self, fen: str, fields: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> list[Answer]:
        if options is None:
            options = self._what_counts(self._work.positions[fen])
        answers = []
        for line in self._work.lines_of[fen]:
            if line in self.answered:
                continue
            answer = {"line": line, **fields, "options": options}
            answer["check"] = checksum(answer)
            before = self._to_retry.pop(line, None)
            self.retried += before is not None
            if before is not None and not self._is_better(answer, before):
                answer = before
            else:
                self._append(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
                self.improved += before is not None
            self.answered.add(line)
            answers.append(answer)
        return answers

    def _append(self, line: bytes) -> None:
        size = os.fstat(self._fd).st_size
        try:
            _write(self._fd, line)
        except OSError as error:
            if self._regular:
                os.ftruncate(self._fd, size)
            error.filename = str(self.path)
            raise
        self._unsynced = True
        self.sync()

    def sync(self, *, now: bool = False) -> None:
        """Put everything on the disk, unless that was done within the last second; to be called now and then."""
        if self._unsynced and (now or time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS):
            if self._regular:
                os.fsync(self._fd)
            self._synced = time.monotonic()
            self._unsynced = False

    def close(self) -> None:
        """Put everything on the disk, each input line answered once."""
        try:
            if self.improved:  # the answers before are still there
                self._keep_the_best()
            self.sync(now=True)
        finally:
            os.close(self._fd)

    def _keep_the_best(self) -> None:
        best: dict[int, tuple[Answer, bytes]] = {}
        for line in self._content().splitlines(keepends=True):
            answer = self._read(line)
            if answer is not None and (answer["line"] not in best or self._is_better(answer, best[answer["line"]][0])):
                best[answer["line"]] = answer, line
        self._keep(b"".join(line for _, line in best.values()), is_beginning=False)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


_LIMITS = ("nodes", "seconds")


def _limits(options: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(options.get(name) for name in _LIMITS)


def _without_limits(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _LIMITS}


def _in_words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items()) or "no limits"
