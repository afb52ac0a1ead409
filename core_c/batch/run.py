"""Solves many positions and writes their answers to a file that survives a kill at any moment.

Equal positions are solved once. The kind of workers (:mod:`ringfen.batch.workers`) changes neither answers nor files.
Only the calling process reads and writes files.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringfen.batch.answers import OWN_FIELDS, Answer, answer_in, checksum, is_better
from ringfen.batch.workers import Failure, Result, WorkerPool
from ringfen.errors import BatchError, LimitReached
from ringfen.inputs import check_regular, is_packed
from ringfen.outputs import Output, create_locked, naming, sync_directory
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions, solve

#: The failure of a position that needs more memory than there is.
OUT_OF_MEMORY = "out of memory; use a smaller transposition table, fewer threads or fewer jobs"
_SECONDS_BETWEEN_SYNCS = 1.0
_SECONDS_BETWEEN_POLLS = 0.2
_FLAGS = os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
#: The first bytes of every line.
_BEGINNING = b'{"line": '


@dataclass(slots=True)
class Work:
    """The different positions to solve, each with the numbers of its input lines, in the order of the input."""

    positions: dict[str, Position] = field(default_factory=dict)
    lines_of: dict[str, list[int]] = field(default_factory=dict)
    #: The number of input lines.
    total: int = 0

    def add(self, line: int, position: Position) -> None:
        """Add the position of an input line."""
        self.positions.setdefault(position.fen, position)
        self.lines_of.setdefault(position.fen, []).append(line)
        self.total += 1


def solve_one(options: SolveOptions, position: Position) -> Result:
    """Return the solution of a position, or why it has none. The workers run this function."""
    try:
        return solve(position, options)
    except MemoryError:
        return Failure(OUT_OF_MEMORY)
    except LimitReached as error:
        return Failure(error.message)
    except ValueError as error:
        return Failure(str(error), misuse=True)
    except Exception as error:  # one bad position must not end a long batch
        return Failure(f"{type(error).__name__}: {error}")


def solve_all(
    positions: Iterable[Position], pool: WorkerPool, poll: Callable[[], None] = lambda: None
) -> Iterator[tuple[Position, Result]]:
    """Yield each position with its result, as soon as the result is available.

    :param poll: Called several times per second.
    """
    waiting = iter(positions)
    position = next(waiting, None)
    while True:
        while position is not None and pool.free_slots() > 0:
            pool.submit(position)
            position = next(waiting, None)
        if not pool.busy:
            return
        yield from pool.collect(_SECONDS_BETWEEN_POLLS)
        poll()


def relevant_options(options: SolveOptions, position: Position) -> dict[str, Any]:
    """Return the settings that an answer depends on: options that differ from their defaults, and a GRAN board."""
    defaults = SolveOptions()
    chosen: dict[str, Any] = {"nodes": options.limits.nodes, "seconds": options.limits.seconds}
    chosen |= {
        name: getattr(options, name)
        for name in ("depth", "model", "player", "until", "wdl", "each")
        if getattr(options, name) != getattr(defaults, name)
    }
    board = position.context.board
    if board is not None and board.name:
        chosen["board"] = f"{board.name} {zlib.crc32(repr(board).encode()):08x}"
    return {name: v if isinstance(v, int | float) else str(v) for name, v in chosen.items() if v is not None}


class AnswerFile:
    """An answer file: one line of JSON per answer, appended as soon as the answer is available.

    Each line has a checksum and is written in one call. On resume, incomplete and corrupt lines, which a crash can
    leave, are moved to :attr:`dropped_path`. If a complete line is not an answer, the file stays unchanged. Without
    ``resume``, ``path`` may be a pipe or a device.

    :param resume: Continue the file if it exists.
    :param retry: Solve answers with these statuses again; the limits may then differ. An old answer stays in the file
        until a better one replaces it.
    :param inputs: Files that the same command reads.
    :raises BatchError: The file exists already, or belongs to other positions or options.
    :raises OSError: The file cannot be opened, read or written, or is one of ``inputs``.
    """

    def __init__(
        self,
        path: str | Path,
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
        #: The name of the file as the caller gave it, for messages.
        self.name = output.name
        #: The path of the file, with symbolic links resolved.
        self.path = output.path
        #: The path of the file that receives dropped lines.
        self.dropped_path = self.path.with_name(f"{self.path.name}.dropped")
        #: The numbers of the input lines that the file answers.
        self.answered: set[int] = set()
        #: The answers that the file contained when it was opened.
        self.found: list[Answer] = []
        #: The number of dropped lines.
        self.dropped = 0
        #: Answers to try again, by input line.
        self._to_retry: dict[int, Answer] = {}
        self._retry = frozenset(retry)
        #: The numbers of answers that were tried again and that were improved.
        self.retried = self.improved = 0
        self._work = work
        self._options = options
        self._regular = output.is_replaced
        self._is_new = output.mode is None
        with naming(self.name, whatever=True):
            self._fd = os.open(self.path, _FLAGS | (os.O_RDWR if self._regular else os.O_WRONLY), 0o666)
        self._synced = time.monotonic()
        self._unsynced = False
        try:
            if self._regular:
                self._lock()
                self._load(resume)
        except BaseException:
            self.abandon()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_locked = os.path.samestat(os.fstat(self._fd), self.path.stat())
        except (BlockingIOError, FileNotFoundError):
            is_locked = False
        if not is_locked:
            self._is_new = False
            raise BatchError(f"another process is writing {self.name}")
        sync_directory(self.path)

    def _load(self, resume: bool) -> None:
        """Read the answers of an existing file and remove the lines that are not used."""
        # 1. Reject a file that cannot be continued.
        content = self._content()
        if content and is_packed(self.path):
            raise BatchError(f"{self.name} is compressed; unpack it to resume")
        if content and not resume:
            raise BatchError(f"{self.name} exists: continue it with resume=True, or remove it first")
        # 2. Keep the best answer to each input line.
        best, dropped = self._best_answers(content)
        self._check_limits([answer for answer, _ in best.values()])
        kept = b"".join(line for _, line in best.values())
        if not kept and not _BEGINNING.startswith(content.lstrip(b"\0")[: len(_BEGINNING)]):
            raise BatchError(f"{self.name} is not an answer file")
        # 3. Remove all other lines from the file.
        self.dropped = len(dropped)
        if kept != content:
            if b"".join(dropped).strip():
                self._save_dropped(b"".join(dropped))
            self._replace_content(kept, is_prefix=content.startswith(kept))
        # 4. Separate the answers that are tried again.
        for number, (answer, _) in best.items():
            if answer.get("status") in self._retry:
                self._to_retry[number] = answer
            else:
                self.answered.add(number)
                self.found.append(answer)
        # 5. Copy answers to other input lines that contain the same position.
        for answer in list(self.found):
            fields = {name: answer[name] for name in answer if name not in OWN_FIELDS}
            self.found += self._add(answer["fen"], fields, answer["options"])

    def _best_answers(self, content: bytes) -> tuple[dict[int, tuple[Answer, bytes]], list[bytes]]:
        """Return the best answer to each input line with its text, and all lines that are not among them.

        :raises BatchError: A line is complete but not an answer, or answers another question.
        """
        fen_of = {line: fen for fen, lines in self._work.lines_of.items() for line in lines}
        best: dict[int, tuple[Answer, bytes]] = {}
        dropped: list[bytes] = []
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            try:
                answer = self._read(line)
            except ValueError as error:
                raise BatchError(f"line {number} of {self.name} {error}; nothing was changed") from None
            if answer is None:
                dropped.append(line)
                continue
            self._check(answer, fen_of.get(answer["line"]))
            old = best.get(answer["line"])
            if old is None or self._is_better(answer, old[0]):
                best[answer["line"]] = answer, line
                if old is not None:
                    dropped.append(old[1])
            else:
                dropped.append(line)
        return best, dropped

    def _content(self) -> bytes:
        with open(self._fd, "rb", buffering=0, closefd=False) as file:
            file.seek(0)
            return file.read()

    def _read(self, line: bytes) -> Answer | None:
        """Return the answer in a line; None if the line is incomplete or corrupt.

        :raises ValueError: The line is complete but not an answer.
        """
        return answer_in(line)

    def _is_better(self, answer: Answer, other: Answer) -> bool:
        """Return whether an answer is better than another answer to the same input line."""
        return is_better(answer, other)

    def _relevant_options(self, position: Position) -> dict[str, Any]:
        """Return the settings that an answer depends on, apart from the position."""
        return relevant_options(self._options, position)

    def _check(self, answer: Answer, fen: str | None) -> None:
        """Reject an answer to another question."""
        if fen is None or fen != answer["fen"]:
            there = "no position there" if fen is None else repr(fen)
            raise BatchError(
                f"{self.name} belongs to another input: for line {answer['line']} it answers {answer['fen']!r}, "
                f"but the input has {there}"
            )
        now = self._relevant_options(self._work.positions[fen])
        if _without_limits(now) != _without_limits(answer["options"]):
            raise self._options_error(answer["options"], now)

    def _check_limits(self, answers: Sequence[Answer]) -> None:
        """Reject limits that differ from those of all answers, except with --retry."""
        if self._retry or not answers:
            return
        now = self._relevant_options(self._work.positions[answers[0]["fen"]])
        if all(_limits(answer["options"]) != _limits(now) for answer in answers):
            raise self._options_error(answers[0]["options"], now, "other-limits")

    def _options_error(
        self, then: Mapping[str, Any], now: Mapping[str, Any], reason: str = "other-options"
    ) -> BatchError:
        options = f"{_in_words(then)}; now {_in_words(now)}"
        message = f"{self.name} was started with other options ({options}); use those options, or choose another file"
        return BatchError(message, reason=reason)

    def _replace_content(self, content: bytes, *, is_prefix: bool) -> None:
        """Replace the content of the file in one step.

        :param is_prefix: The current content begins with the new content, so it is enough to truncate the file.
        """
        if is_prefix:
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

    def _save_dropped(self, lines: bytes) -> None:
        """Append lines to the file of dropped lines."""
        check_regular(self.dropped_path)
        fd = os.open(self.dropped_path, _FLAGS | os.O_WRONLY, 0o666)
        try:
            _write(fd, lines if lines.endswith(b"\n") else lines + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
        sync_directory(self.dropped_path)

    @property
    def dropped_name(self) -> str:
        """The name of the file of dropped lines, for messages: next to the name of the file, unless that is a link."""
        return str(self.dropped_path) if os.path.islink(self.name) else f"{self.name}.dropped"

    @property
    def is_retry(self) -> bool:
        """Whether some statuses are tried again."""
        return bool(self._retry)

    def unsolved(self) -> list[Position]:
        """Return the positions that still need an answer, in the order of the input."""
        return [
            position
            for fen, position in self._work.positions.items()
            if not self.answered.issuperset(self._work.lines_of[fen])
        ]

    def add(self, solution: Solution) -> list[Answer]:
        """Write the answers for all input lines with this position, and return them.

        :raises OSError: The disk is full, for example. Earlier answers stay intact.
        """
        return self._add(solution.fen, solution.to_json())

    def _add(self, fen: str, fields: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> list[Answer]:
        if options is None:
            options = self._relevant_options(self._work.positions[fen])
        answers = []
        for line in self._work.lines_of[fen]:
            if line in self.answered:
                continue
            answer = {"line": line, **fields, "options": options}
            answer["check"] = checksum(answer)
            old = self._to_retry.pop(line, None)
            self.retried += old is not None
            if old is not None and not self._is_better(answer, old):
                answer = old
            else:
                self._append(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
                self.improved += old is not None
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
            error.filename = self.name
            raise
        self._unsynced = True
        self.sync()

    def sync(self, *, now: bool = False) -> None:
        """Write everything to the disk, at most once per second.

        :param now: Do it even if the last time was less than a second ago.
        """
        if self._unsynced and (now or time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS):
            if self._regular:
                os.fsync(self._fd)
            self._synced = time.monotonic()
            self._unsynced = False

    def abandon(self) -> bool:
        """Close the file after an error, and return whether it has content that a run with ``resume`` continues.

        A file that this run created and that is empty is removed.
        """
        is_empty = False
        with suppress(OSError):
            is_empty = self._regular and os.fstat(self._fd).st_size == 0
            if is_empty and self._is_new:
                self.path.unlink()
        with suppress(OSError):
            self.close()
        return self._regular and not is_empty

    def close(self) -> None:
        """Write everything to the disk and close the file. If answers were improved, remove the old ones."""
        try:
            if self.improved:
                best, _ = self._best_answers(self._content())
                self._replace_content(b"".join(line for _, line in best.values()), is_prefix=False)
            self.sync(now=True)
        finally:
            os.close(self._fd)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


_LIMITS = ("nodes", "seconds")


def _limits(options: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(options.get(name) for name in _LIMITS)


def _without_limits(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _LIMITS}


def _in_words(options: Mapping[str, Any]) -> str:
    """Return settings as text: a switch is only its name."""
    words = {name.replace("_", "-"): value for name, value in options.items()}
    return ", ".join(name if value is True else f"{name} {value}" for name, value in words.items()) or "no limits"
