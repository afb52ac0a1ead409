"""``perft --against``: where does another program's move generator differ first?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ringfen.cli.common import OK, USAGE, WRONG, Positions, complain, print_json, print_table, worst
from ringfen.cli.counter import Counter
from ringfen.cli.progress import Meter
from ringfen.errors import RingfenError
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.cli.comparison import Difference, Program
    from ringfen.position import Position


def compare_all(positions: Positions, depth: int, command: str, timeout: float, counter: Counter, as_json: bool) -> int:
    """Compares each position; 1 if the programs differ, 2 if the other one gave no answer."""
    from ringfen.cli.comparison import Program

    try:
        program = Program(shlex.split(command), timeout)
    except ValueError as error:
        raise click.UsageError(f"--against {command!r}: {error}.") from error
    status = OK
    for _, position in positions:
        try:
            found = _compared(position, depth, program, counter)
        except RingfenError as error:
            complain(f"{error.reason}: {error.message}")
            status = worst(status, USAGE)
            continue
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
        status = worst(status, OK if found.ok else WRONG)
        if as_json:
            print_json(
                {
                    "fen": position.fen,
                    "depth": depth,
                    "ok": found.ok,
                    "path": found.path,
                    "at": found.at.fen,
                    "missing": found.missing,
                    "extra": found.extra,
                    "different": {ply: [ours, theirs] for ply, ours, theirs in found.different},
                }
            )
        else:
            _print(position, depth, found)
    return worst(status, positions.status)


def _compared(position: Position, depth: int, program: Program, counter: Counter) -> Difference:
    from ringfen.cli.comparison import compare

    with Meter("comparing") as meter:

        def news(path: Sequence[str]) -> None:
            meter.show(len(path), depth, " ".join(path))

        return compare(position, depth, program, count=counter.divide, news=news)


def _print(position: Position, depth: int, found: Difference) -> None:
    click.echo(position.fen)
    if found.ok:
        click.echo(f"perft {depth}: no difference\n")
        return
    click.echo(f"perft {depth}: {click.style('DIFFERENT', fg='red')}")
    if found.path:
        click.echo(f"path     {' '.join(found.path)}")
        click.echo(f"at       {found.at.fen}")
    click.echo(found.at.draw())
    for name, plies in (("missing", found.missing), ("extra", found.extra)):
        if plies:
            click.echo(f"{name:<8} {printable(' '.join(plies))}")
    if found.different:
        rows = [(ply, f"{ours:,}", f"{theirs:,}") for ply, ours, theirs in found.different]
        print_table(rows, ("ply", "ours", "theirs"), ("left", "right", "right"))
    click.echo()
