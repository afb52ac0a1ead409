"""Prints unseen positions of The King of Rings: ``python benchmarks/rings_positions.py FILES RINGS COUNT [SEED]``.

Each position is the first one with RINGS free rings of a random game on FILES files. Without SEED the script chooses a
seed and prints it, so that the set can be made again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random, SystemRandom

from ringfen import Position, game


def free_rings(position: Position) -> int:
    """The number of rings that no knight holds."""
    text = position.fen.split()[1]
    outside = "".join(part.partition(")")[2] if i else part for i, part in enumerate(text.split("(")))
    return sum(outside.count(kind) for kind in "135")


def positions(files: int, rings: int, seed: int) -> Iterator[Position]:
    """Endless; the same on every machine."""
    random = Random(seed)
    start = Position(game("rings").start(size=f"{files}x7"))
    while True:
        position = start
        while not position.is_over and free_rings(position) > rings:
            position = position.apply(random.choice(position.plies()))
        if not position.is_over:
            yield position


def main() -> None:
    """Prints one set."""
    files, rings, count, *given = map(int, sys.argv[1:])
    seed = given[0] if given else SystemRandom().randrange(10**9)
    print(f"# First positions with {rings} free rings of random games on {files} files, seed {seed}.")
    found = positions(files, rings, seed)
    for _ in range(count):
        print(next(found).fen)


if __name__ == "__main__":
    main()
