"""How much faster several threads solve one position: the ratios of docs/solving.md.

python benchmarks/thread_ratios.py POSITIONS [--threads T] [--rounds N] [--hash MB] [--wdl]

POSITIONS is a file with a position a line. In each round a position is solved by one thread, by T threads, and by T
processes of one thread at once: these tell how many cores are free, as T cores of a shared machine often are not.
Times are of the clock, of whole commands. Answers that differ are told, and the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from tabulate import tabulate

#: What threads must not change.
FACTS = ("status", "value", "distance", "lower", "upper", "best", "best_complete", "endless", "pv")


def start(position: str, threads: int, options: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ringfen", "solve", position, "--json", "-q", "--threads", str(threads), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def solve(position: str, threads: int, processes: int, options: list[str]) -> tuple[float, dict[str, Any]]:
    """Seconds until as many processes have solved a position, and the answer of the first."""
    started = time.perf_counter()
    running = [start(position, threads, options) for _ in range(processes)]
    answers = [process.communicate()[0] for process in running]
    seconds = time.perf_counter() - started
    answer = json.loads(answers[0])
    return seconds, {fact: answer[fact] for fact in FACTS}


def measure(position: str, threads: int, rounds: int, options: list[str]) -> tuple[list[str], bool]:
    """A row of the table, and whether all answers are the same."""
    one: list[float] = []
    several: list[float] = []
    at_once: list[float] = []
    answers = []
    for _ in range(rounds):
        for times, how in ((one, (1, 1)), (several, (threads, 1)), (at_once, (1, threads))):
            seconds, answer = solve(position, *how, options)
            times.append(seconds)
            answers.append(answer)
    ratios = sorted(a / b for a, b in zip(one, several, strict=True))
    row = [
        f"{median(one):.1f} s",
        f"{median(several):.1f} s",
        f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
        f"{threads * median(one) / median(at_once):.2f}",
    ]
    return row, all(answer == answers[0] for answer in answers)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("positions", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hash", default="256")
    parser.add_argument("--wdl", action="store_true")
    chosen = parser.parse_args()
    options = ["--hash", chosen.hash, *(["--wdl"] if chosen.wdl else [])]
    rows, same = [], True
    for line in chosen.positions.read_text(encoding="ascii").splitlines():
        if not line or line.startswith("#"):
            continue
        row, equal = measure(line, chosen.threads, chosen.rounds, options)
        rows.append([line, *row, "" if equal else "DIFFERENT"])
        same = same and equal
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print(tabulate(rows, ["position", "one thread", f"{chosen.threads}", "ratio", "free cores", "answers"]))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
