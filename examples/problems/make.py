"""Make the collections in this folder: ``python examples/problems/make.py [GAME…]``.

Each contains 100 problems of one game from fixed seeds, without symmetric twins, sorted by effort (the tag ``Nodes``).
``ringfen prove --problem`` proves each of them. In GRAN it proves the best chance under the model ``paranoid``, so the
collection contains only problems with the same key and the same chance under both models.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ringfen import UnsoundProblem, prove
from ringfen.notation import Record, read_records, write_records
from ringfen.problems.stipulation import Stipulation

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
#: The number of problems in a collection, and in GRAN the number from which they are chosen.
SIZE, CANDIDATES = 100, 800
FOLDER = Path(__file__).parent


def is_proved(record: Record) -> bool:
    """Return whether a problem of GRAN has the same key and the same chance under the model ``paranoid``."""
    stipulation = Stipulation.parse(record.tags["Stipulation"])
    with TemporaryDirectory() as folder:
        try:
            proved = prove(record.tags["FEN"], Path(folder) / "problem.cert", problem=True, depth=stipulation.horizon)
        except UnsoundProblem:
            return False
    assert proved.problem is not None
    chance = f"best chance {stipulation.chance} paranoid {stipulation.horizon}"
    return (proved.problem.stipulation, proved.problem.key) == (chance, record.tags["Key"])


def make(game: str) -> None:
    """Write the collection of a game."""
    first = CANDIDATES if game == "gran" else SIZE
    command = [sys.executable, "-m", "ringfen", "problems", *ARGUMENTS[game], "--first", str(first)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    proved = [record for record in read_records(text=found) if game != "gran" or is_proved(record)]
    records = sorted(proved[:SIZE], key=lambda record: int(record.tags["Nodes"]))
    for number, record in enumerate(records, 1):
        record.tags["Round"] = str(number)
    with (FOLDER / f"{game}.rgn").open("w", encoding="utf-8") as file:
        write_records(records, file)


if __name__ == "__main__":
    for name in sys.argv[1:] or ARGUMENTS:
        make(name)
