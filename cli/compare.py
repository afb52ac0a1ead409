"""``compare``: where does another program's move generator differ first?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK, USAGE, WRONG, worst
from ringfen.cli.output import print_table
from ringfen.cli.perft import Counter
from ringfen.cli.position_input import Line, Positions, print_answer, reject
from ringfen.cli.progress import ProgressBar
from ringfen.cli.shared_options import (
    POSITION,
    board_option,
    counting_depth_option,
    file_option,
    json_option,
    timeout_option,
)
from ringfen.errors import RingfenError
from ringfen.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.cli.comparison import Difference, Program
    from ringfen.position import Position

USUAL_TIMEOUT = 60.0
#: The words in braces that are replaced in a command.
_PLACEHOLDERS = ("fen", "depth", "ugi")


@click.command()
@click.argument("words", metavar="POSITION COMMAND", nargs=-1, type=POSITION)
@file_option
@board_option
@counting_depth_option(1)
@timeout_option
@json_option
def compare(
    words: Sequence[str],
    file: str | None,
    board_path: Sequence[Path],
    depth: int,
    timeout: float | None,
    as_json: bool,
) -> int:
    """Find where another program's plies or counts differ.

    COMMAND runs for each position, with {fen}, {depth} and {ugi} replaced, and prints one line per ply with its count.
    Without any of them, it is started once and reads lines 'DEPTH POSITION'; an empty line ends each answer.

    \b
    Example:
      ringfen compare rings --depth 3 './other divide {depth} "{fen}"'
      ringfen compare --file positions.txt --depth 2 ./other
    """
    count = 0 if file is not None else 1
    if len(words) < count + 1:
        raise click.UsageError("Missing argument: expected a POSITION (or --file FILE) and a COMMAND.")
    if len(words) > count + 1:
        raise click.UsageError("COMMAND is one argument: quote it.")
    positions = Positions(words[:count], file, board_path, as_json=as_json)
    status = OK
    with program_of(words[count], timeout) as program:
        for line, position in positions:
            try:
                found = _compared(position, depth, program)
            except RingfenError as error:
                reject(line, error, as_json, in_text=False)
                status = worst(status, USAGE)
                continue
            status = worst(status, OK if found.ok else WRONG)
            if as_json:
                _print_json(line, position, depth, found)
            else:
                _print(position, depth, found)
    return worst(status, positions.status)


def _check_placeholders(words: Sequence[str]) -> None:
    """Reject words in braces that are almost those that are replaced, such as ``{Depth}`` or ``{position}``.

    :raises ValueError: There is one.
    """
    from difflib import get_close_matches

    similar = (*_PLACEHOLDERS, "position")
    for name in re.findall(r"\{(\w+)\}", " ".join(words)):
        if name not in _PLACEHOLDERS and get_close_matches(name.lower(), similar, n=1, cutoff=0.75):
            raise ValueError(f"{{{name}}} is not replaced; {{fen}}, {{depth}} and {{ugi}} are")


@contextmanager
def program_of(command: str, timeout: float | None) -> Iterator[Program]:
    """Yield the other program, and end it.

    :raises click.UsageError: The command cannot be split.
    """
    from ringfen.cli.comparison import Program

    try:
        words = shlex.split(command)
        _check_placeholders(words)
        program = Program(words, timeout or USUAL_TIMEOUT)
    except ValueError as error:
        raise click.UsageError(f"COMMAND {command!r}: {error}.") from error
    with program:
        yield program


def _compared(position: Position, depth: int, program: Program) -> Difference:
    from ringfen.cli.comparison import compare

    with ProgressBar("comparing") as bar:

        def show_path(path: Sequence[str]) -> None:
            bar.show(len(path), depth, " ".join(path))

        return compare(position, depth, program, count=Counter().divide, on_path=show_path)


def _print_json(line: Line, position: Position, depth: int, found: Difference) -> None:
    print_answer(
        line,
        {
            "fen": position.fen,
            "depth": depth,
            "ok": found.ok,
            "path": found.path,
            "at": found.at.fen,
            "missing": found.missing,
            "extra": found.extra,
            "different": {ply: [ours, theirs] for ply, ours, theirs in found.different},
        },
    )


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
        print_table(rows, ("ply", "Ringfen", "program"), ("left", "right", "right"))
    if found.depth > 1 and not (found.missing or found.extra):
        ply = found.different[0][0]
        click.echo(f"no list of plies below differs, so the program seems to play {ply} wrong; the position after it:")
        click.echo(found.at.apply(ply).fen)
    click.echo()
