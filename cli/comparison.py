"""Compare a move generator with another program and find the first difference."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import IO, Final

from ringfen.counting import divide
from ringfen.errors import ImpossiblePositionError, PlySyntaxError, RingfenError
from ringfen.position import Position

#: The maximum size of the output of a program, in bytes.
_MAX_OUTPUT: Final = 16 << 20
_COUNT: Final = re.compile(r"[0-9]{1,3}(?:[,_'][0-9]{3})+|[0-9]{1,100}", re.ASCII)

_EMPTY_LINE: Final = re.compile(rb"(?:^|\n)[ \t]*\r?\n")
#: The last line of an answer to ``go`` of the Universal Gygès Interface.
_BEST_MOVE: Final = re.compile(rb"^bestmove\b[ \t]*([^\s]*)[^\n]*\n", re.MULTILINE)

_PLACEHOLDERS: Final = r"\{(?:fen|depth|ugi)\}"

#: The counts below each ply of a position, in byte order of the plies.
Counts = Sequence[tuple[str, int]]


class ProgramError(RingfenError):
    """The other program gave no answer: it cannot be started, failed, took too long or printed no plies."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How the counts of two programs differ, found by :func:`compare`.

    ``path`` leads from the given position to ``at``. There, ``missing`` contains the plies that the other program
    lacks, ``extra`` the plies that only it has, and ``different`` both counts below plies that both have. If ``ok``,
    all are empty.
    """

    at: Position
    depth: int
    path: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    different: tuple[tuple[str, int, int], ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether the programs agree."""
        return not (self.missing or self.extra or self.different)


class Program:
    """Another program that prints, for a position and a depth, a line with a ply and a count for each ply.

    In each line, the first field, without one final colon, is the ply, and the second is the count. Lines whose second
    field is not a count are skipped, also those whose first field is a word ("Total 224").

    :param words: the command and its arguments, in which ``{fen}``, ``{depth}`` and ``{ugi}`` are replaced. Without
        any of them the program is started once, and reads lines ``DEPTH POSITION``; an empty line ends each answer.
    :param timeout: seconds for one run.
    :raises ValueError: there is no command.
    """

    def __init__(self, words: Sequence[str], timeout: float = 60.0) -> None:
        if not words:
            raise ValueError("there is no command")
        self._words = tuple(words)
        self._timeout = timeout
        self._engine = any("{ugi}" in word for word in words)
        #: The process of a program that is started once for all positions.
        self._session: _Session | None = None
        self._is_asked_by_line = not any(re.search(_PLACEHOLDERS, word) for word in words)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.end()
            self._session = None

    def best_move(self, settings: str, question: str) -> str:
        """Return the move that an engine of the Universal Gygès Interface answers. It is started once, and again after
        a failure.

        :param settings: the lines to send after its start.
        :param question: the lines to send, which end with ``go``.
        :raises ProgramError: It gives no answer.
        """
        question = question if self._session is not None else settings + question
        found = _BEST_MOVE.search(self._asked(question, time.monotonic() + self._timeout, _BEST_MOVE).encode())
        if found is None:
            raise self._failed(0, "before it answered")
        return found[1].decode()

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        """Return the plies that it prints, in their order, each with its count.

        :raises ProgramError: it gives no answer.
        :raises ringfen.ImpossiblePositionError: the position cannot be written as ``{ugi}``.
        :raises ringfen.RingfenError: the game has no such notation.
        """
        try:
            return self._divide(position, depth)
        except ProgramError as error:
            if error.reason == "cannot-start":
                raise
            raise ProgramError(f"{error}, at depth {depth} of {position.fen}", reason=error.reason) from error

    def _divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        until = time.monotonic() + self._timeout
        if self._is_asked_by_line:
            output = self._asked(f"{depth} {position.fen}\n", until)
        else:
            output = self._run_for(position, depth, until)
        found: list[tuple[str, int]] = []
        for line in output.splitlines():
            found += self._counts(position, line)
            if time.monotonic() > until:
                raise self._too_late()
        if not found and not position.is_over:
            words = f"{self._words[0]} printed no ply with a count, but {position.nth(0)[0]} is legal"
            raise ProgramError(words, reason="no-plies")
        return found

    def _run_for(self, position: Position, depth: int, until: float) -> str:
        """Return what the program prints for a position."""
        fills = {"{fen}": position.fen, "{depth}": str(depth)}
        if self._engine:
            fills["{ugi}"] = position.game.engine_notation.encode(position.fen)
        return self._run([re.sub(_PLACEHOLDERS, lambda m: fills[m[0]], word) for word in self._words], until)

    def _asked(self, question: str, until: float, end: re.Pattern[bytes] = _EMPTY_LINE) -> str:
        """Return the answer of a program that is started once: what it prints up to ``end``."""
        if self._session is None:
            self._session = _Session(self._started(self._words, subprocess.PIPE), end)
        try:
            return self._session.ask(question, until)
        except TimeoutError:
            error = self._too_late()
        except (EOFError, OSError):
            session, self._session = self._session, None
            status, rest = session.end(graceful=True), session.rest
            if status == 0:
                return rest  # it answers a single question
            raise self._failed(status, "before it answered") from None
        except OverflowError:
            error = self._too_much()
        self._session.end()
        self._session = None  # another position gets another process
        raise error

    def _counts(self, position: Position, line: str) -> Iterator[tuple[str, int]]:
        fields = line.split(maxsplit=2)
        if len(fields) >= 2 and _COUNT.fullmatch(fields[1]) is not None:
            ply = self._ply(position, fields[0].removesuffix(":"))
            if ply:
                yield ply, int(re.sub("[,_']", "", fields[1]))

    def _ply(self, position: Position, text: str) -> str:
        """Return the short form of a legal ply, or the printed text; empty if it is only a word."""
        has_digit = re.search("[0-9]", text) is not None
        try:
            if self._engine:
                text = position.game.engine_notation.ply_of(position.fen, text)
            return position.short(text)
        except PlySyntaxError:
            return text if has_digit else ""
        except RingfenError:
            return text

    def _run(self, words: Sequence[str], until: float) -> str:
        process = self._started(words, subprocess.DEVNULL)
        with _ended(process):
            assert process.stdout is not None
            with _end_of(process) as ended:
                output = self._read(process.stdout, ended, until)
            try:
                status = process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise self._too_late() from None
        if status != 0:
            raise self._failed(status)
        return output.decode("utf-8", "replace")

    def _read(self, stream: IO[bytes], ended: int, until: float) -> bytes:
        """Return what the program printed before it ended; processes that it started may keep the pipe open."""
        output = bytearray()
        os.set_blocking(stream.fileno(), False)
        with DefaultSelector() as selector:
            selector.register(stream, EVENT_READ)
            selector.register(ended, EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select(max(0.0, until - time.monotonic()))}
                if not ready or time.monotonic() > until:
                    raise self._too_late()
                try:
                    part = os.read(stream.fileno(), 1 << 16)
                except BlockingIOError:
                    if ended in ready:
                        return bytes(output)
                    continue
                if not part:
                    return bytes(output)
                output += part
                if len(output) > _MAX_OUTPUT:
                    raise self._too_much()

    @staticmethod
    def _started(words: Sequence[str], stdin: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                words, stdin=stdin, stdout=subprocess.PIPE, start_new_session=os.name == "posix", bufsize=0
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise ProgramError(f"{words[0]} cannot be started: {why}", reason="cannot-start") from error

    def _failed(self, status: int, more: str = "") -> ProgramError:
        how = f"exit status {status}" if status >= 0 else f"signal {-status}"
        return ProgramError(f"{self._words[0]} ended with {how} {more}".rstrip(), reason="failed")

    def _too_much(self) -> ProgramError:
        return ProgramError(f"{self._words[0]} printed more than {_MAX_OUTPUT} bytes", reason="too-much")

    def _too_late(self) -> ProgramError:
        words = f"{self._words[0]} gave no answer within {self._timeout:g} s"
        if self._is_asked_by_line:
            words += " (an empty line ends an answer; the program must flush its output)"
        return ProgramError(words, reason="timeout")


class _Session:
    """A process that answers questions one at a time.

    :param end: what ends an answer, in its output.
    """

    def __init__(self, process: subprocess.Popen[bytes], end: re.Pattern[bytes] = _EMPTY_LINE) -> None:
        self._process = process
        self._end = end
        self._output = bytearray()

    def ask(self, question: str, until: float) -> str:
        """Return the answer to a question.

        :raises TimeoutError: There is none in time.
        :raises EOFError: The process closed its output.
        :raises OverflowError: The answer is too long.
        :raises OSError: The process does not read.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        waiting = memoryview(question.encode())
        os.set_blocking(stdin.fileno(), False)
        with DefaultSelector() as selector:
            selector.register(stdout, EVENT_READ)
            selector.register(stdin, EVENT_WRITE)
            searched = 0
            while (end := self._end.search(self._output, searched)) is None:
                searched = max(0, self._output.rfind(b"\n", 0, -1))  # what ends an answer begins after a line end
                ready = {key.fd for key, _ in selector.select(max(0.0, until - time.monotonic()))}
                if not ready or time.monotonic() > until:
                    raise TimeoutError
                if stdin.fileno() in ready:
                    try:
                        waiting = waiting[os.write(stdin.fileno(), waiting) :]
                    except BrokenPipeError:
                        waiting = waiting[:0]  # it reads no more, but it may still answer
                    if not waiting:
                        selector.unregister(stdin)
                if stdout.fileno() in ready:
                    part = os.read(stdout.fileno(), 1 << 16)
                    if not part:
                        raise EOFError
                    self._output += part
                    if len(self._output) > _MAX_OUTPUT:
                        raise OverflowError
        answer = bytes(self._output[: end.end()])
        del self._output[: end.end()]
        return answer.decode("utf-8", "replace")

    @property
    def rest(self) -> str:
        """What the process printed since the last answer."""
        return self._output.decode("utf-8", "replace")

    def end(self, *, graceful: bool = False) -> int:
        """End the process, and return its exit status.

        :param graceful: Give it a second to end by itself.
        """
        process = self._process
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        if graceful:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
        with _ended(process):
            pass
        return process.wait()


@contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[int]:
    """Yield a descriptor that becomes readable when the process ends."""
    from threading import Thread

    ended, other = os.pipe()

    def watch() -> None:
        process.wait()
        os.close(other)

    Thread(target=watch, daemon=True).start()
    try:
        yield ended
    finally:
        os.close(ended)


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End the process, and what it has started, whatever happens."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        if process.stdout is not None:
            process.stdout.close()
        process.wait()


def compare(
    position: Position,
    depth: int,
    program: Program,
    *,
    count: Callable[[Position, int], Counts] = divide,
    on_path: Callable[[Sequence[str]], None] = lambda path: None,
) -> Difference:
    """Follow different counts down to the first position where the lists of plies differ.

    If several plies have different counts, the first in byte order is followed. If everything below agrees although the
    counts do not, the path ends above it.

    :param depth: plies, 1 or more.
    :param count: the counts to compare with.
    :param on_path: Called with the path before each run of the program.
    :raises ProgramError: the program gives no answer.
    :raises ringfen.ImpossiblePositionError: the program's notation has no such position.
    """
    found = _difference(position, depth, (), program, count, on_path)
    while not (found.ok or found.missing or found.extra) and found.depth > 1:
        below = _first_below(found, program, count, on_path)
        if below is None:
            break
        found = below
    return found


def _first_below(
    found: Difference,
    program: Program,
    count: Callable[[Position, int], Counts],
    on_path: Callable[[Sequence[str]], None],
) -> Difference | None:
    for ply, _, theirs in found.different:
        at, path = found.at.apply(ply), (*found.path, ply)
        try:
            below = _difference(at, found.depth - 1, path, program, count, on_path)
        except ImpossiblePositionError:
            continue  # the program's notation cannot write this position: a finished one
        except ProgramError as error:
            if error.reason != "no-plies" or theirs:
                raise
            below = Difference(at, found.depth - 1, path, missing=tuple(at.plies()))  # it has counted no ply here
        if not below.ok:
            return below
    return None


def _difference(
    at: Position,
    depth: int,
    path: tuple[str, ...],
    program: Program,
    count: Callable[[Position, int], Counts],
    on_path: Callable[[Sequence[str]], None],
) -> Difference:
    """Return the difference of the lists and counts of one position."""
    on_path(path)
    ours, theirs, extra = dict(count(at, depth)), dict[str, int](), list[str]()
    for ply, number in program.divide(at, depth):
        if ply in theirs or ply not in ours:
            extra.append(ply)
        else:
            theirs[ply] = number
    missing = tuple(ply for ply in ours if ply not in theirs)
    different = tuple((ply, ours[ply], theirs[ply]) for ply in ours if ply in theirs and ours[ply] != theirs[ply])
    return Difference(at, depth, path, missing, tuple(extra), different)
