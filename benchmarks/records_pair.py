"""Compare how fast two versions check and write records: the same commands on the same files, in turn.

python benchmarks/records_pair.py OLD NEW [--games N] [--rounds N] [--only COMMAND] [--jobs N]

OLD and NEW are the programs ``ringfen`` of two environments. In each round both programs run once on each file: random
games of each game from its usual start, of Gygès from a set-up (a third have warnings), and of The King of Rings on
5x7. ``--jobs N`` runs NEW with N threads. Prints the least CPU time of each, with start-up, and the ratio. If outputs
differ, marks the row, and the exit status is 1.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from tabulate import tabulate

COMMANDS = (
    ["validate"],
    ["stats"],
    ["positions"],
    ["fix"],
    ["fmt"],
    ["fmt", "--short"],
    ["fmt", "--check"],
    ["convert", "--to", "jsonl"],
    ["convert", "--to", "rgn"],
)
#: The start positions of the files.
STARTS = {
    "gyges": "gyges",
    "gyges-setup": "gyges 312213/....../....../....../....../321123 s - 1+1",
    "rings": "rings",
    "rings-5x7": "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0",
    "gran": "gran",
    "siaius": "siaius",
}
SEED = "1"
#: How often the random games are repeated in a file. A reader learns nothing from a repetition.
REPEATED = 40


def run(command: list[str]) -> tuple[float, bytes]:
    """Return the CPU seconds of a command and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def row(name: str, commands: tuple[list[str], list[str]], shown: str, rounds: int) -> list[str]:
    """Return a row of the table."""
    times: list[list[float]] = [[], []]
    outputs = set()
    for _ in range(rounds):
        for command, seconds in zip(commands, times, strict=True):
            spent, output = run(command)
            seconds.append(spent)
            outputs.add(output)
    old, new = map(min, times)
    same = "" if len(outputs) == 1 else "DIFFERENT"
    return [name, shown, f"{old:.2f} s", f"{new:.2f} s", f"{old / new:.2f}", same]


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--games", type=click.IntRange(1), default=200)
@click.option("--rounds", type=click.IntRange(1), default=3)
@click.option("--only", help="Measure only this command, such as validate.")
@click.option("--jobs", type=click.IntRange(1), default=1)
def main(old: str, new: str, games: int, rounds: int, only: str | None, jobs: int) -> None:
    rows = []
    more = ["--jobs", str(jobs)] if jobs > 1 else []
    with TemporaryDirectory() as folder:
        for name, start in STARTS.items():
            made = subprocess.run(
                [new, "random", start, "--games", str(games), "--seed", SEED, "--max-plies", "200"],
                check=True,
                stdout=subprocess.PIPE,
            )
            path = Path(folder) / f"{name}.rgn"
            path.write_bytes(made.stdout * REPEATED)
            for command in COMMANDS:
                if only in (None, command[0]):
                    both = [old, *command, str(path)], [new, *command, *more, str(path)]
                    rows.append(row(name, both, " ".join([*command, *more]), rounds))
                    click.echo("  ".join(rows[-1]), err=True)
    click.echo(tabulate(rows, ["file", "command", "old", "new", "ratio", "output"]))
    if any(one[-1] for one in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
