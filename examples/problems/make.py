"""Make the collections in this folder: ``python examples/problems/make.py [GAME…]``.

Each contains 100 problems of one game from fixed seeds, without symmetric twins, sorted by the nodes of their proofs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ringfen.notation import read_records, write_records

#: The arguments of ``ringfen problems`` for each game.
ARGUMENTS = {
    "gyges": (
        *("--random", "gyges 321123/....../....../....../....../321123 s - 1+1", "--seed", "1"),
        *("--sound", "line", "--min-legal", "10"),
    ),
    "siaius": (
        *("--random", "siaius 6/6/s5/S5/6/6 s - - 0", "--material", "SMTvMT", "--seed", "1"),
        *("--sound", "line", "--min-legal", "10"),
    ),
    "rings": (
        *("--random", "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0", "--seed", "1"),
        *("--length", "2..5", "--gap", "2", "--min-legal", "10"),
    ),
    "gran": ("--random", "gran", "--seed", "1", "--min-legal", "10", "--sound", "line"),
}
FOLDER = Path(__file__).parent


def make(game: str) -> None:
    """Write the collection of a game."""
    command = [sys.executable, "-m", "ringfen", "problems", *ARGUMENTS[game], "--first", "100"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    records = sorted(read_records(text=found), key=lambda record: int(record.tags["Nodes"]))
    for number, record in enumerate(records, 1):
        record.tags["Round"] = str(number)
    with (FOLDER / f"{game}.rgn").open("w", encoding="utf-8") as file:
        write_records(records, file)


if __name__ == "__main__":
    for name in sys.argv[1:] or ARGUMENTS:
        make(name)
