"""Print the CPU time of frequent commands, start-up included, against that of ``python -c 'import click'``.

python benchmarks/startup_ratio.py [DIR] [--rounds N]

DIR has the programs ``python`` and ``ringfen`` of an environment (default: the current one). Install Ringfen there
from a wheel: an editable installation makes Python itself start later. In each round every command runs once. Prints
the least CPU time of each and the ratio.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from tabulate import tabulate

COMMANDS = {
    "moves --json": ["moves", "rings", "--json"],
    "validate": ["validate"],
    "perft": ["perft", "rings", "--depth", "1"],
    "play": ["play", "rings", "a1-a2"],
    "moves": ["moves", "rings"],
}


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Return the CPU seconds of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime


@click.command()
@click.argument("folder", metavar="[DIR]", default=str(Path(sys.executable).parent))
@click.option("--rounds", type=click.IntRange(1), default=15)
def main(folder: str, rounds: int) -> None:
    python, ringfen = str(Path(folder) / "python"), str(Path(folder) / "ringfen")
    for program in (python, ringfen):
        if not os.access(program, os.X_OK):
            raise click.BadParameter(f"{program} is not a program.", param_hint="DIR")
    with TemporaryDirectory() as kept:
        records = Path(kept) / "records.rgn"
        records.write_bytes(subprocess.run([ringfen, "random", "rings"], check=True, stdout=subprocess.PIPE).stdout)
        commands = {"import click": [python, "-c", "import click"]}
        commands |= {name: [ringfen, *words] for name, words in COMMANDS.items()}
        commands["validate"].append(str(records))
        # Compiled modules are stored in a separate directory, so that the first round fills it.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": kept}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, command in commands.items():
                spent = seconds(command, environment)
                if number:
                    times[name].append(spent)
    base = min(times["import click"])
    rows = [[name, f"{1000 * min(found):.0f} ms", f"{min(found) / base:.2f}"] for name, found in times.items()]
    click.echo(tabulate(rows, ["command", "CPU time", "ratio"]))


if __name__ == "__main__":
    main()
