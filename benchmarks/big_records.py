"""Prints what each command that reads records takes for very large files: processor time and peak memory.

``python benchmarks/big_records.py DIR [MB]`` makes the files in DIR (which needs room for twice MB megabytes, 1000 by
default) and runs ``ringfen`` on them. It is no test: it takes minutes. docs/lab/index.md shows its figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tabulate import tabulate

RINGFEN = [sys.executable, "-m", "ringfen"]
START = "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0"
SHUTTLE = "rings ......k/......./......./...5.../......./......./K...... s 0+0 0"
COMMANDS = {
    "validate": ["validate", "--errors-only"],
    "stats": ["stats"],
    "filter --player": ["filter", "--player", "nobody"],
    "filter --position": ["filter", "--position", START],
    "filter --dedupe": ["filter", "--dedupe"],
    "positions --last": ["positions", "--last"],
    "positions --every": ["positions", "--every"],
    "positions --every --unique": ["positions", "--every", "--unique"],
    "fix": ["fix"],
    "fmt": ["fmt"],
    "convert --to jsonl": ["convert", "--to", "jsonl"],
    "convert --to csv": ["convert", "--to", "csv"],
}


def many_records(folder: Path, megabytes: int) -> Path:
    """Random games of all four games, again and again."""
    games = b""
    for game in ("rings", "gyges", "siaius", "gran"):
        words = ["random", game, "--games", "400", "--seed", "5", "--max-plies", "120"]
        games += subprocess.run([*RINGFEN, *words], capture_output=True, check=True).stdout
    path = folder / "many.rgn"
    with path.open("wb") as file:
        for _ in range(max(1, megabytes * 1_000_000 // len(games))):
            file.write(games)
    return path


def odd_records(folder: Path) -> Iterator[Path]:
    """One record each: a million plies, 100,000 nested variations, a comment of 50 MB in one line."""
    plies = "a1-a2 g7-g6 a2-a1 g6-g7 " * 4
    start = '[Game "rings"]\n'
    contents: dict[str, list[tuple[str, int]]] = {
        "plies": [(f'{start}[FEN "{SHUTTLE}"]\n\n', 1), (f"{plies}\n", 62_500), ("*\n", 1)],
        "nested": [(f"{start}\na1-a2\n", 1), ("(a1-a2\n", 100_000), (")", 100_000), (" *\n", 1)],
        "line": [(f"{start}\n1. a1-a2 {{", 1), ("word " * 1000, 10_000), ("} a7-a6 *\n", 1)],
    }
    for name, parts in contents.items():
        path = folder / f"{name}.rgn"
        with path.open("w", encoding="utf-8") as file:
            # Never whole in memory: what this process holds would count for those that it starts.
            for text, times in parts:
                for _ in range(times):
                    file.write(text)
        yield path


def cost(command: list[str], path: Path) -> str:
    """Seconds of processor time and megabytes at most of one run."""
    process = subprocess.Popen(
        [*RINGFEN, *command, "-q", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        return f"status {process.returncode}"
    return f"{usage.ru_utime + usage.ru_stime:.2f} s, {usage.ru_maxrss // 1000} MB"


def main(folder: Path, megabytes: int) -> None:
    """Makes the files, runs the commands, prints the table."""
    files = [many_records(folder, megabytes // 10).rename(folder / "tenth.rgn"), many_records(folder, megabytes)]
    files += odd_records(folder)
    rows = [[name, *(cost(command, file) for file in files)] for name, command in COMMANDS.items()]
    print(tabulate(rows, ["command", *(file.stem for file in files)], tablefmt="github"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
