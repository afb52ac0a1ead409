"""Compute the smallest published results of each game again and compare them: ``python docs/results/reproduce.py``.

Prints one line per part. The exit status is 1 if a result differs from the published one, or is missing.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from ringfen import Tablebase, game, perft, solve
from ringfen.tables.files import TableFile

RESULTS = Path(__file__).parent
ROOT = RESULTS.parents[1]
#: The largest count that is computed again.
MOST_LEAVES = 500_000_000


def rows(page: str, pattern: str) -> list[tuple[str, ...]]:
    """Return the groups of each line of a page that matches."""
    return re.findall(pattern, (RESULTS / page).read_text(encoding="utf-8"), re.MULTILINE)


def gyges_tables() -> Iterator[bool]:
    """All placements of up to three rings: the checksum of each table."""
    return are_published("gyges")


def siaius_tables() -> Iterator[bool]:
    """All endings with up to three stones on 8×8: the checksum of each table."""
    return are_published("siaius", files=8, ranks=8)


def are_published(game: str, **size: int) -> Iterator[bool]:
    """Build all tables of up to three stones; yield for each whether its checksum is the published one."""
    published = (ROOT / "examples" / "tables.sha256").read_text(encoding="utf-8").splitlines()
    with TemporaryDirectory() as directory, Tablebase(directory) as tables:
        for info in tables.build(game, stones=3, **size).built:
            yield f"{TableFile(info.path).sha256()}  {info.board.folder}/{info.name}" in published


def swings() -> Iterator[bool]:
    """The endings of The King of Rings with the widest swings: the margin of each."""
    for margin, position in rows("king-of-rings.md", r"^\| \d+ \| -?\d+ \| (-?\d+) \| [^|]* \| `([^`]*)` \|$"):
        yield solve(f"rings {position}").value == int(margin)


def gran_endings() -> Iterator[bool]:
    """Endings of GRAN: the probabilities under both models, and the best attack and other ply."""
    script = runpy.run_path(str(ROOT / "benchmarks" / "gran_models.py"))
    for seed, *published in rows("gran.md", r"^\| (\d+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$"):
        found = script["solved"](int(seed), script["ending"](int(seed)))
        yield published == [found[name] for name in ("maxn", "lower", "upper", "attack", "other")]


def counts() -> Iterator[bool]:
    """Perft counts from the start positions."""
    starts = {
        "gyges": "gyges 321123/....../....../....../....../321123 s - 1+1",
        **{name: game(name).start() for name in ("rings", "siaius", "gran")},
    }
    for depth, *published in rows("counts.md", r"^\| (\d) \| ?([\d,]*) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$")[:9]:
        for start, leaves in zip(starts.values(), published, strict=True):
            if leaves and int(leaves.replace(",", "")) <= MOST_LEAVES:
                yield perft(start, int(depth)) == int(leaves.replace(",", ""))


#: The parts with the number of results of each.
PARTS: tuple[tuple[str, int, Callable[[], Iterator[bool]]], ...] = (
    ("Gygès, tables with up to three rings", 19, gyges_tables),
    ("Siaius, tables with up to three stones on 8×8", 32, siaius_tables),
    ("The King of Rings, widest swings", 7, swings),
    ("GRAN, endings under both models", 12, gran_endings),
    ("perft counts of all games", 21, counts),
)


def main() -> int:
    """Compare every part."""
    different = 0
    for name, number, part in PARTS:
        started = process_time()
        found = list(part())
        different += found != [True] * number
        print(f"{name}: {found.count(True)} of {number} equal ({process_time() - started:.1f} s of CPU)", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
