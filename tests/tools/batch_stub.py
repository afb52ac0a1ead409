"""Solvers for tests of batches, whose answers and times depend only on the position.

``python batch_stub.py KIND solve …`` is the command line with one of them instead of the real solver.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import zlib
from functools import partial
from unittest import mock

from ringfen import Position, Solution, SolveOptions, control, solve
from ringfen.batch.run import solve_one
from ringfen.batch.workers import Result


def number_of(position: Position) -> int:
    """A number that looks random but is always the same."""
    return zlib.crc32(position.fen.encode())


def answer(position: Position) -> Result:
    """Some value, at once."""
    number = number_of(position)
    value = ("win", "loss", "draw")[number % 3]
    plies = tuple(position.plies()[:3])
    return Solution(
        position.fen, position.game.id, "exact", value, number % 9, plies, True, plies[:1], nodes=number, seconds=0.001
    )


def mixed(position: Position) -> Result:
    """Most at once, some after a while."""
    time.sleep(0.03 if number_of(position) % 8 == 0 else 0.001)
    return answer(position)


def endless(position: Position) -> Result:
    """Every fourth at once, the others never; as a call of the core does it, looking now and then whether to stop."""
    if number_of(position) % 4 == 0:
        return answer(position)
    _say_begun(position)
    while not control.stop_asked():
        time.sleep(0.02)
    return Solution(position.fen, position.game.id, "unknown")


def real(position: Position) -> Result:
    """The real solver."""
    return solve(position, SolveOptions(hash_mb=16), progress=lambda _: _say_begun(position))


def _say_begun(position: Position) -> None:
    """If ``BATCH_STUB`` names a directory, create a file in it that shows that the position is in progress."""
    if "BATCH_STUB" in os.environ:
        open(os.path.join(os.environ["BATCH_STUB"], str(number_of(position))), "wb").close()


def exhausting(position: Position) -> Result:
    """A third is too much for memory, a third does not go with the options."""
    number = number_of(position)
    if number % 3 == 0:
        raise MemoryError
    if number % 3 == 1:
        raise ValueError("there is no player 6")
    return answer(position)


def deadly(position: Position) -> Result:
    """Every fifth kills the process that works on it."""
    if number_of(position) % 5 == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(position)


def deadly_once(position: Position) -> Result:
    """Some kill the process, each but the first time; ``BATCH_STUB`` names the directory that remembers."""
    number = number_of(position)
    mark = os.path.join(os.environ["BATCH_STUB"], str(number))
    if number % 5 == 0 and not os.path.exists(mark):
        open(mark, "wb").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return answer(position)


def fatal(position: Position) -> Result:
    """Nothing can be solved here."""
    os._exit(7)


def talkative(position: Position) -> Result:
    """Prints something."""
    print("hello", flush=True)
    return answer(position)


KINDS = {
    function.__name__: function
    for function in (answer, mixed, endless, real, exhausting, deadly, deadly_once, fatal, talkative)
}


def solve_stub(kind: str, options: SolveOptions, position: Position) -> Result:
    """Return the result of ``ringfen.batch.run.solve_one`` with a solver of the kind."""
    with mock.patch("ringfen.batch.run.solve", lambda position, options: KINDS[kind](position)):
        return solve_one(options, position)


if __name__ == "__main__":
    import batch_stub

    from ringfen.cli import main

    with mock.patch("ringfen.cli.batch.solve_one", partial(batch_stub.solve_stub, sys.argv.pop(1))):
        main()
