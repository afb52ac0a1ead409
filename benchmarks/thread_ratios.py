"""How much faster several threads solve one position: the ratios of docs/lab/index.md.

python benchmarks/thread_ratios.py POSITIONS [--threads T] [--rounds N] [--hash MB] [--wdl]

POSITIONS is a file with one position per line. In each round a position is solved by one thread, by T threads, and by T
processes of one thread at once: these show how many cores are free, as T cores of a shared machine often are not.
Times are of the clock, of whole commands. If answers differ, they are printed, and the exit status is 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from statistics import median
from typing import Any, TextIO

import click
from tabulate import tabulate

#: What threads must not change.
FACTS = ("status", "value", "distance", "lower", "upper", "best", "best_complete", "endless", "pv")
#: Exit statuses of a command that gives an answer, a bound too.
SOLVED = (0, 3)


def start(position: str, threads: int, options: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ringfen", "solve", position, "--json", "-q", "--threads", str(threads), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def solve(position: str, threads: int, processes: int, options: list[str]) -> tuple[float, list[dict[str, Any]]]:
    """Seconds until as many processes have solved a position, and their answers."""
    started = time.perf_counter()
    running = [start(position, threads, options) for _ in range(processes)]
    printed = [process.communicate()[0] for process in running]
    seconds = time.perf_counter() - started
    if any(process.returncode not in SOLVED for process in running):
        raise click.ClickException(f"not solved: {position}")
    answers = [json.loads(text) for text in printed]
    return seconds, [{fact: answer[fact] for fact in FACTS} for answer in answers]


def measure(position: str, threads: int, rounds: int, options: list[str]) -> tuple[list[str], bool]:
    """A row of the table, and whether all answers are the same."""
    one: list[float] = []
    several: list[float] = []
    at_once: list[float] = []
    answers: list[dict[str, Any]] = []
    for _ in range(rounds):
        for times, how in ((one, (1, 1)), (several, (threads, 1)), (at_once, (1, threads))):
            seconds, found = solve(position, *how, options)
            times.append(seconds)
            answers += found
    ratios = sorted(a / b for a, b in zip(one, several, strict=True))
    row = [
        f"{median(one):.1f} s",
        f"{median(several):.1f} s",
        f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
        f"{threads * median(one) / median(at_once):.2f}",
    ]
    return row, all(answer == answers[0] for answer in answers)


@click.command()
@click.argument("positions", type=click.File(encoding="utf-8", errors="replace"))
@click.option("--threads", type=click.IntRange(2), default=2)
@click.option("--rounds", type=click.IntRange(1), default=3)
@click.option("--hash", "hash_mb", type=click.IntRange(1), default=256)
@click.option("--wdl", is_flag=True)
def main(positions: TextIO, threads: int, rounds: int, hash_mb: int, wdl: bool) -> None:
    options = ["--hash", str(hash_mb), *(["--wdl"] if wdl else [])]
    rows, same = [], True
    for line in positions:
        position = line.strip()
        if not position or position.startswith("#"):
            continue
        row, equal = measure(position, threads, rounds, options)
        rows.append([position, *row, "" if equal else "DIFFERENT"])
        same = same and equal
        click.echo("  ".join(rows[-1]), err=True)
    click.echo(tabulate(rows, ["position", "one thread", f"{threads} threads", "ratio", "free cores", "answers"]))
    if not same:
        sys.exit(1)


if __name__ == "__main__":
    main()
