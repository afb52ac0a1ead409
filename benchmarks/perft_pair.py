"""Compare how fast two versions count: perft of the same positions, in turn.

python benchmarks/perft_pair.py OLD NEW SET [--hash MB] [--rounds N] [--seed S]

OLD and NEW are the Python interpreters of two environments. The sets:

    rings    starts and positions of random games, by the number of free rings
    gyges    the scattered boards of the tests
    siaius   starts and positions of random games with a champion or a stone to be huffed
    gran     positions of random games with all stones on the board

One process of each version runs for the whole comparison. In each round both count a position once, and the least CPU
time of each is compared. Prints the ratios by group and the lowest of single positions. If counts differ, the exit
status is 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import click
from rings_positions import free_rings
from tabulate import tabulate

from ringfen import Position, game, perft

#: A depth is enough if it gives this many sequences.
SEQUENCES: Final = 2_000_000
MAX_DEPTH: Final = 12
SCATTERED: Final = Path(__file__).parent.parent / "tests" / "data" / "gyges_scattered.jsonl"

#: The program of both processes. It reads "DEPTH MB FEN", MB = -1 for the default, and prints "SECONDS COUNT".
COUNTER: Final = """
import sys, time
from ringfen import Position
try:
    from ringfen.counting import perft
except ImportError:
    from ringfen.perft import perft
for line in sys.stdin:
    depth, megabytes, fen = line.split(" ", 2)
    position = Position(fen.strip())
    options = {} if megabytes == "-1" else {"hash_mb": int(megabytes)}
    begun = time.process_time()
    count = perft(position, int(depth), **options)
    print(time.process_time() - begun, count, flush=True)
"""


class Row(NamedTuple):
    """A position to count."""

    group: str
    position: Position
    depth: int


def play(start: Position, random: Random, plies: int) -> Iterator[Position]:
    """Yield the positions of one random game, at most this many."""
    for _ in range(plies):
        if start.is_over:
            return
        yield start
        start = start.apply(random.choice(start.plies()))


def deep_enough(position: Position) -> int:
    """Return the first depth with enough sequences, or the deepest."""
    for depth in range(3, MAX_DEPTH):
        if perft(position, depth) >= SEQUENCES:
            return depth
    return MAX_DEPTH


def rings(seed: int) -> Iterator[Row]:
    for size in ("7x7", "5x7"):
        start = Position(game("rings").start(size=size))
        for depth in range(3, 7):
            yield Row(f"start {size}, depth {depth}", start, depth)
        random = Random(seed)
        for number in range(5):
            seen = set()
            for position in play(start, random, 400):
                free = free_rings(position)
                if free not in seen and free % 3 == number % 3 and free < 30:
                    seen.add(free)
                    depth = deep_enough(position)
                    yield Row(f"depth {depth:2}", position, depth)


def gyges(seed: int) -> Iterator[Row]:
    for line in SCATTERED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Row(row["fen"], Position(row["fen"]), row["depth"])


def siaius(seed: int) -> Iterator[Row]:
    for size in ("10x10", "8x8"):
        for huff in ("turn", "stone", "off"):
            start = Position(game("siaius").start(size=size, huff=huff))
            yield Row(f"start {size}", start, 4)
            random = Random(seed)
            for _ in range(2):
                for position in islice(play(start, random, 400), 60, None, 60):
                    champion = "c" in position.fen.split()[1].lower()
                    yield Row(f"{huff}, {'champion' if champion else 'no champion'}", position, 4)


def gran(seed: int) -> Iterator[Row]:
    random = Random(seed)
    for players in (3, 4, 6):
        start = Position(game("gran").start(players=players))
        for _ in range(3):
            positions = play(start, random, 2000)
            for position in islice((p for p in positions if len(p.fen.split()[3].split(",")) == 16), 0, 400, 80):
                yield Row(f"{players} players", position, 5)


SETS: Final[dict[str, Callable[[int], Iterator[Row]]]] = {
    "rings": rings,
    "gyges": gyges,
    "siaius": siaius,
    "gran": gran,
}


class Counter:
    """One version, running until the end of the comparison."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [program, "-c", COUNTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def count(self, row: Row, megabytes: int) -> tuple[float, int]:
        """Return the CPU seconds and the number of sequences."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(row.depth, megabytes, row.position.fen, file=self._process.stdin, flush=True)
        seconds, count = self._process.stdout.readline().split()
        return float(seconds), int(count)


def least_times(rows: list[Row], programs: list[str], megabytes: list[int], rounds: int) -> list[tuple[float, float]]:
    """Return the least CPU seconds of both versions for each row."""
    counters = [Counter(program) for program in programs]
    times = [(float("inf"), float("inf"))] * len(rows)
    for _ in range(rounds):
        for index, row in enumerate(rows):
            (old, first), (new, second) = (c.count(row, mb) for c, mb in zip(counters, megabytes, strict=True))
            if first != second:
                sys.exit(f"DIFFERENT: {row.position.fen} depth {row.depth}: {first} and {second}")
            times[index] = min(old, times[index][0]), min(new, times[index][1])
    return times


def ratios(groups: list[tuple[str, float, float]]) -> str:
    lines = [(name, f"{old * 1e3:.2f} ms", f"{new * 1e3:.2f} ms", f"{old / new:.2f}") for name, old, new in groups]
    return tabulate(lines, ["", "old", "new", "ratio"], colalign=("left", "right", "right", "right"))


@click.command()
@click.argument("old")
@click.argument("new")
@click.argument("name", metavar="SET", type=click.Choice(list(SETS)))
@click.option("--hash", "megabytes", type=int, default=-1, help="Table of the new version in MiB.")
@click.option("--old-hash", "old_megabytes", type=int, default=-1, help="Table of the old version in MiB.")
@click.option("--rounds", type=click.IntRange(1), default=20)
@click.option("--seed", type=int, default=1)
def main(old: str, new: str, name: str, megabytes: int, old_megabytes: int, rounds: int, seed: int) -> None:
    """Compare OLD and NEW on a SET."""
    rows = list(SETS[name](seed))
    times = least_times(rows, [old, new], [old_megabytes, megabytes], rounds)
    groups: dict[str, list[float]] = {}
    for row, pair in zip(rows, times, strict=True):
        sums = groups.setdefault(row.group, [0, 0])
        sums[0], sums[1] = sums[0] + pair[0], sums[1] + pair[1]
    groups["all positions of games"] = [
        sum(pair[i] for row, pair in zip(rows, times, strict=True) if not row.group.startswith("start")) for i in (0, 1)
    ]
    print(len(rows), "positions")
    print(ratios([(group, sums[0], sums[1]) for group, sums in sorted(groups.items())]))
    single = sorted(zip(rows, times, strict=True), key=lambda one: one[1][0] / one[1][1])
    print(ratios([(f"{row.position.fen} {row.depth}", *pair) for row, pair in single[:8]]))


if __name__ == "__main__":
    main()
