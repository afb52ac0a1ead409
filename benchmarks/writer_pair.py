"""Compare how fast two versions write records: ``fmt`` and ``convert`` on the same files, in turn.

python benchmarks/writer_pair.py OLD NEW [--games N] [--rounds N]

OLD and NEW are the programs ``ringfen`` of two environments. In each round both programs run once on a file of random
games of each game. Prints the least CPU time of each, with start-up, and the ratio. If outputs differ, marks the row,
and the exit status is 1.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from tabulate import tabulate

from ringfen import game_ids

COMMANDS = (["fmt"], ["fmt", "--short"], ["fmt", "--check"], ["convert", "--to", "jsonl"], ["convert", "--to", "rgn"])
#: How often the random games are repeated in a file. A reader learns nothing from a repetition.
REPEATED = 40


def run(command: list[str]) -> tuple[float, bytes]:
    """Return the CPU seconds of a command and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def row(programs: tuple[str, str], command: list[str], path: Path, rounds: int) -> list[str]:
    """Return a row of the table."""
    times: list[list[float]] = [[], []]
    outputs = set()
    for _ in range(rounds):
        for program, seconds in zip(programs, times, strict=True):
            spent, output = run([program, *command, str(path)])
            seconds.append(spent)
            outputs.add(output)
    old, new = map(min, times)
    ratio = f"{old / new:.1f}"
    return [
        path.stem,
        " ".join(command),
        f"{old:.2f} s",
        f"{new:.2f} s",
        ratio,
        "" if len(outputs) == 1 else "DIFFERENT",
    ]


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--games", type=click.IntRange(1), default=200)
@click.option("--rounds", type=click.IntRange(1), default=3)
def main(old: str, new: str, games: int, rounds: int) -> None:
    rows = []
    with TemporaryDirectory() as folder:
        for game in game_ids():
            made = subprocess.run(
                [new, "random", game, "--games", str(games), "--seed", "1", "--max-plies", "200"],
                check=True,
                stdout=subprocess.PIPE,
            )
            path = Path(folder) / f"{game}.rgn"
            path.write_bytes(made.stdout * REPEATED)
            for command in COMMANDS:
                rows.append(row((old, new), command, path, rounds))
                click.echo("  ".join(rows[-1]), err=True)
    click.echo(tabulate(rows, ["game", "command", "old", "new", "ratio", "output"]))
    if any(one[-1] for one in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
