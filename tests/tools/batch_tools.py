"""What the tests of batches share: positions of several games, and the command line as a separate process."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import batch_stub
import psutil  # type: ignore[import-untyped, unused-ignore]

from ringfen import Position, game_ids

#: Seconds in which whatever must come does come, however busy the machine is.
PATIENCE: Final = 600


def some_positions(count: int, seed: int = 1, games: Sequence[str] = ()) -> list[Position]:
    """Different positions of random games, of all games in turn."""
    choose = random.Random(seed)
    starts = [Position(name) for name in games or game_ids()]
    current = list(starts)
    found: dict[str, Position] = {}
    turn = 0
    while len(found) < count:
        index = turn % len(starts)
        turn += 1
        found[current[index].fen] = current[index]
        plies = current[index].count()
        is_end = plies == 0 or choose.random() < 0.02
        current[index] = starts[index] if is_end else current[index].nth(choose.randrange(plies))[1]
    return list(found.values())


def write_positions(path: Path, positions: Sequence[Position]) -> Path:
    """A position file."""
    path.write_text("".join(f"{position}\n" for position in positions))
    return path


def answers_in(path: Path) -> list[dict[str, Any]]:
    """The answers in a file, without the time they took; each line must be whole."""
    content = path.read_text()
    assert content.endswith("\n") or content == ""
    answers = [json.loads(line) for line in content.splitlines()]
    return [{name: value for name, value in answer.items() if name != "seconds"} for answer in answers]


def by_line(path: Path) -> dict[int, dict[str, Any]]:
    """The answers in a file by input line; no line may occur twice."""
    answers = answers_in(path)
    found = {answer["line"]: answer for answer in answers}
    assert len(found) == len(answers)
    return found


SCRIPT: Final = "from ringfen.cli import main; main()"


class Run:
    """``ringfen ARGS`` as the leader of a process group, as a shell starts it.

    :param stub: solves in place of the real solver.
    :param script: Python that runs in place of the installed program.
    """

    def __init__(self, *args: str | Path, stub: str | None = None, script: str = SCRIPT, **popen: Any) -> None:
        program = ["-c", script] if stub is None else [batch_stub.__file__, stub]
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        self.process = subprocess.Popen([sys.executable, *program, *map(str, args)], start_new_session=True, **popen)
        self._leader = psutil.Process(self.process.pid)

    def workers(self) -> list[psutil.Process]:
        """The worker processes that exist now."""
        try:
            return list(self._leader.children(recursive=True))
        except psutil.NoSuchProcess:
            return []

    def interrupt(self) -> None:
        """Ctrl-C on the terminal: every process of the group gets it."""
        os.killpg(self.process.pid, signal.SIGINT)

    def finish(self) -> tuple[int, str, str]:
        """Exit status, standard output and error, once it has ended."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (out or b"").decode(), (err or b"").decode()

    def kill(self) -> None:
        """``kill -9`` of the program itself, if it still runs; its workers must then end of themselves."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._leader.suspend()  # so that the list of workers is complete
        workers = self.workers()
        self.process.kill()
        self.process.communicate()
        assert_gone(workers)


def assert_gone(processes: Sequence[psutil.Process]) -> None:
    """These processes end soon. (A zombie has ended; whether anybody asks for its status is another matter.)"""
    wait_until(lambda: not any(map(_is_running, processes)))


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@contextlib.contextmanager
def run(*args: str | Path, stub: str | None = None, script: str = SCRIPT, **popen: Any) -> Iterator[Run]:
    """A :class:`Run` that is over afterwards, whatever happens."""
    started = Run(*args, stub=stub, script=script, **popen)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.process.pid, signal.SIGKILL)
        started.process.communicate()


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for something that must come."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def read_terminal(descriptor: int, until: bytes | None = None) -> bytes:
    """Return the output of a terminal up to some words, or until no process has its other end open."""
    shown = bytearray()
    with contextlib.suppress(OSError):  # how a system says that the other end is closed
        while (until is None or until not in shown) and (piece := os.read(descriptor, 4096)):
            shown += piece
    return bytes(shown)
