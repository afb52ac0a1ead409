"""Compute the smallest published results of each game again and compare them: ``python docs/results/reproduce.py``.

Prints one line per part, and what differs. The exit status is 1 if a result differs from the published one, or is
missing.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

from ringfen import Position, RingfenError, Tablebase, game, perft
from ringfen.tables.files import TableFile, TableInfo
from ringfen.tables.tablebase import Tables, position_text

RESULTS = Path(__file__).parent
ROOT = RESULTS.parents[1]
#: The largest count that is computed again.
MOST_LEAVES = 500_000_000


class Result(NamedTuple):
    """A published result, usually a row of a table, and the same as computed now."""

    page: str
    published: str
    computed: str


def rows(page: str, *heads: str) -> Iterator[list[str]]:
    """The rows of the tables of a page whose heads begin with these cells; backquotes are left out."""
    inside = False
    for line in (RESULTS / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
        if cells[: len(heads)] == list(heads):
            inside = True
        elif inside and not line.startswith("| -"):
            inside = line.startswith("|")
            if inside:
                yield cells


def row(cells: list[str] | tuple[str, ...]) -> str:
    """A row as text."""
    return " | ".join(cells)


def number(value: int) -> str:
    """A number of a table, where 0 plies are a dash."""
    return f"{value:,}" if value else "–"


def gyges_tables() -> Iterator[Result]:
    """All placements of up to three rings: the row and the checksum of each table."""
    published = {cells[0]: cells for cells in rows("gyges-tables.md", "class", "wins")}
    for info, tables in built("gyges"):
        stats, longest = info.statistics, position_text(info, info.statistics.longest_win_at) or ""
        mutual, _ = tables.zugzwangs(info) or (None, None)
        counts = [f"{count:,}" for count in (stats.wins, stats.draws, stats.losses)]
        distances = [number(stats.longest_win), number(stats.longest_loss)]
        board = longest.split()[1]
        computed = [info.name, *counts, *distances, f"{mutual.positions:,}" if mutual else "", board]
        yield Result("gyges-tables.md", row(published.get(info.name, ())), row(computed))
        yield checksum(info)


def siaius_tables() -> Iterator[Result]:
    """All endings with up to three stones on 8×8: the longest win and the checksum of each table."""
    published = {cells[0]: cells for cells in rows("siaius.md", "class", "win in")}
    for info, _ in built("siaius", 8):
        if info.statistics.longest_win:
            longest = position_text(info, info.statistics.longest_win_at) or ""
            computed = [info.name, str(info.statistics.longest_win), longest]
            yield Result("siaius.md", row(published.get(info.name, ())), row(computed))
        yield checksum(info)


def large_siaius_tables() -> Iterator[Result]:
    """All endings with up to three stones on 10×10: the row and the checksum of each table."""
    published = {cells[0]: cells for cells in rows("siaius.md", "class", "entries")}
    for info, _ in built("siaius"):
        stats = info.statistics
        counts = [f"{n:,}" for n in (info.entries, info.bytes, stats.wins, stats.draws, stats.losses)]
        distances = [number(stats.longest_win), number(stats.longest_loss)]
        longest = (position_text(info, stats.longest_win_at) or "").split()[1] if stats.longest_win else "–"
        computed = [info.name, *counts, *distances, longest]
        yield Result("siaius.md", row(published.get(info.name, ())), row(computed))
        yield checksum(info)


def built(game: str, size: int | None = None) -> Iterator[tuple[TableInfo, Tables]]:
    """Build all tables of up to three rings or stones; yield each."""
    with TemporaryDirectory() as directory, Tablebase(directory) as tables:
        infos = tables.build(game, stones=3, files=size, ranks=size).built
        opened = Tables(infos[0].board, directory)
        for info in infos:
            yield info, opened
        opened.close()


def checksum(info: TableInfo) -> Result:
    """The checksum of a table."""
    name = f"{info.board.folder}/{info.name}"
    computed = f"{TableFile(info.path).sha256()}  {name}"
    lines = (ROOT / "examples" / "tables.sha256").read_text(encoding="utf-8").splitlines()
    published = [line for line in lines if line.endswith(f"  {name}")]
    return Result("examples/tables.sha256", "".join(published), computed)


def swings() -> Iterator[Result]:
    """The endings of The King of Rings with the widest swings: swing, lead, margin and a best ply."""
    for swing, ahead, margin, best, fen in rows("king-of-rings.md", "swing", "lead"):
        plies = re.split(", | and ", best)
        published = [swing, ahead, margin, plies[0], fen]
        board, side, *_ = fen.split()
        south, north = (sum(map(int, "".join(re.findall(rf"{knight}\((\d+)\)", board)))) for knight in "Kk")
        before = south - north if side == "s" else north - south
        found: Any = Position(f"rings {fen}").solve()
        computed = [str(abs(found.value - before)), str(before), str(found.value), found.best[0], fen]
        yield Result("king-of-rings.md", row(published), row(computed))


def gran_endings() -> Iterator[Result]:
    """Endings of GRAN: the probabilities under both models, and the best attack and other ply."""
    script = runpy.run_path(str(ROOT / "benchmarks" / "gran_models.py"))
    for seed, *published in rows("gran.md", "seed", "maxn"):
        found = script["solved"](int(seed), script["ending"](int(seed)))
        computed = [found[name] for name in ("maxn", "lower", "upper", "attack", "other")]
        yield Result("gran.md", row([seed, *published]), row([seed, *computed]))


def counts() -> Iterator[Result]:
    """Perft counts from the usual starts."""
    starts = {
        "gyges": "gyges 321123/....../....../....../....../321123 s - 1+1",
        **{name: game(name).start() for name in ("rings", "siaius", "gran")},
    }
    depths: set[str] = set()
    for depth, *published in rows("counts.md", "plies", "Gygès"):
        if depth in depths:  # the table of different positions
            return
        depths.add(depth)
        for (name, start), leaves in zip(starts.items(), published, strict=True):
            if leaves and int(leaves.replace(",", "")) <= MOST_LEAVES:
                computed = f"{name}, {depth} plies: {perft(start, int(depth)):,}"
                yield Result("counts.md", f"{name}, {depth} plies: {leaves}", computed)


#: The parts with the number of results of each.
PARTS: tuple[tuple[str, int, Callable[[], Iterator[Result]]], ...] = (
    ("Gygès, tables with up to three rings", 38, gyges_tables),
    ("Siaius, tables with up to three stones on 8×8", 62, siaius_tables),
    ("Siaius, tables with up to three stones on 10×10", 64, large_siaius_tables),
    ("The King of Rings, widest swings", 7, swings),
    ("GRAN, endings under both models", 12, gran_endings),
    ("perft counts of all games", 21, counts),
)


def differences(part: Callable[[], Iterator[Any]], expected: int) -> list[str]:
    """What differs in a part with this number of results."""
    found, number = [], 0
    try:
        for page, published, computed in part():
            number += 1
            if published != computed:
                found.append(f"{page}\n    published: {published or 'nothing'}\n    computed:  {computed}")
    except (RingfenError, ValueError) as error:
        found.append(f"a row cannot be read: {error}")
    if number != expected:
        found.append(f"{number} results instead of {expected}")
    return found


def main() -> int:
    """Compare every part."""
    different = 0
    for name, expected, part in PARTS:
        started = process_time()
        found = differences(part, expected)
        state = f"{len(found)} different" if found else f"all {expected} equal"
        print(f"{name}: {state} ({process_time() - started:.1f} s of CPU)", flush=True)
        for difference in found:
            print(f"  {difference}", flush=True)
        different += len(found)
    print(f"{different} published results differ" if different else "all published results are equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(__doc__ if len(sys.argv) > 1 else main())
