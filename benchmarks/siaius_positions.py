"""Writes the sets of random positions of Siaius in benchmarks/data: ``python benchmarks/siaius_positions.py``.

Stones of random kinds and sides stand on random squares, either side is to move, and nothing is pending. Positions
that the rules exclude and finished ones are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from ringfen import Position, RingfenError

DATA: Final = Path(__file__).parent / "data"
#: By name: files, ranks, stones, positions, seed.
SETS: Final = {
    "siaius-8x8-5.txt": (8, 8, 5, 100, 1),
    "siaius-8x8-6.txt": (8, 8, 6, 50, 1),
    "siaius-8x8-7.txt": (8, 8, 7, 50, 1),
    "siaius-5x5-5.txt": (5, 5, 5, 500, 1),
}


def random_positions(files: int, ranks: int, stones: int, seed: int) -> Iterator[str]:
    """Endless; the same on every machine."""
    rnd = Random(seed)
    while True:
        rows = [["."] * files for _ in range(ranks)]
        for place in rnd.sample(range(files * ranks), stones):
            rows[place // files][place % files] = rnd.choice("SMTCsmtc")
        text = "/".join("".join(row) for row in reversed(rows))
        text = re.sub(r"\.+", lambda match: str(len(match[0])), text)
        fen = f"siaius {text} {rnd.choice('sn')} - - 0"
        try:
            position = Position(fen)
        except RingfenError:
            continue
        if not position.is_over:
            yield fen


def text_of(name: str) -> str:
    """What the file of a set holds."""
    files, ranks, stones, count, seed = SETS[name]
    positions = random_positions(files, ranks, stones, seed)
    head = f"# {count} random positions with {stones} stones on {files}x{ranks}, seed {seed}."
    return "\n".join([head, *(next(positions) for _ in range(count))]) + "\n"


def main() -> None:
    """Writes all sets."""
    for name in SETS:
        (DATA / name).write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
