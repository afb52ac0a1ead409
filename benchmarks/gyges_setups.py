"""All setups of Gygès up to the mirror that swaps files a and f, South to move: the positions, or who wins them.

python benchmarks/gyges_setups.py > setups.txt
python benchmarks/gyges_setups.py PLIES ANSWERS [THREADS [COUNT SEED]]

The second asks of each setup whether a side forces a win within PLIES, as `ringfen solve --depth` does, but with one
table of 4 GB for all setups: 17 setups tried both ways took 0.6 times as many nodes with it. ANSWERS gets a line for
each, `FEN value plies`: `win` or `loss` and the distance, or `unknown` and the plies looked ahead. Setups of which it
says as much already are not asked again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import permutations
from pathlib import Path
from random import Random
from threading import Lock
from typing import TYPE_CHECKING

from ringfen import Position
from ringfen._core import ffi, lib
from ringfen.control import Control
from ringfen.memory import new_table, owned

if TYPE_CHECKING:
    from ringfen._core import Array, rf_table

TABLE_MB = 4096
VALUES = {1: "win", 0: "unknown", -1: "loss"}


def setups() -> list[str]:
    """The 90 ranks of two rings of each height."""
    return sorted({"".join(rank) for rank in permutations("112233")})


def positions() -> list[str]:
    """The first of each position and its mirror image, in byte order."""
    pairs = ((south, north) for south in setups() for north in setups())
    chosen = [(south, north) for south, north in pairs if (south, north) <= (south[::-1], north[::-1])]
    return [f"gyges {north}/....../....../....../....../{south} s - 1+1" for south, north in chosen]


def by_north(fens: list[str]) -> list[str]:
    """Grouped by North's rank: such setups most often reach the same positions after South's first ply."""
    return sorted(fens, key=lambda fen: (fen.split("/")[0], fen))


def is_answer(value: str, number: str, plies: int) -> bool:
    """Whether a line with these last words has the result of a search to this depth."""
    return value != "unknown" or int(number) >= plies


def ask(fens: Iterator[str], plies: int, table: rf_table, path: Path, lock: Lock, cancel: Array[int]) -> None:
    """One thread: writes the answers of those setups that no other thread takes."""
    game = Position("gyges").game.cdata
    context = Position("gyges").context
    search = owned(lib.rf_win_new(game, context.cdata, table), lib.rf_win_free)
    found = ffi.new("rf_win_result *")
    while cancel[0] == 0:
        with lock:
            fen = next(fens, None)
        if fen is None:
            return
        control = Control(cancel=cancel)
        lib.rf_control_start(control.cdata)
        going_on = lib.rf_win_solve(search, Position(fen).state, plies, found, control.cdata)
        control.finish()
        if not going_on:
            if control.stopped == lib.RF_STOPPED_MEMORY:
                raise MemoryError
            return
        with lock, path.open("a", encoding="utf-8") as answers:
            answers.write(f"{fen} {VALUES[found.value]} {found.distance if found.value else found.decided}\n")


def main(plies: int, path: Path, threads: int = 1, count: int = 0, seed: int = 0, *, table_mb: int = TABLE_MB) -> None:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    answers = [line.rsplit(" ", 2) for line in lines]
    known = {fen for fen, value, number in answers if is_answer(value, number, plies)}
    chosen = Random(seed).sample(positions(), count) if count else positions()
    left = iter(by_north([fen for fen in chosen if fen not in known]))
    table, lock = new_table(table_mb), Lock()
    cancel = ffi.new("int *", 0)
    with ThreadPoolExecutor(threads) as pool:
        asked = [pool.submit(ask, left, plies, table, path, lock, cancel) for _ in range(threads)]
        try:
            wait(asked, return_when=FIRST_EXCEPTION)
            for future in asked:
                future.result()
        finally:
            cancel[0] = 1


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sys.exit(__doc__)
    if len(sys.argv) == 1:
        print("\n".join(positions()))
    else:
        main(int(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:6]))
