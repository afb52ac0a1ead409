"""Results on standard output and in files: JSON lines, CSV, tables and words."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import printing
from ringfen.text import to_json

if TYPE_CHECKING:
    from fractions import Fraction

    from ringfen.outputs import Files, Output
    from ringfen.solving import SolveOptions

#: The suffix of the file beside a file of answers that receives its corrupt lines.
DROPPED = ".dropped"


def json_text(fields: dict[str, Any]) -> str:
    """Return one JSON object as a line, with the line end."""
    return f"{to_json(fields)}\n"


def print_json(fields: dict[str, Any]) -> None:
    """Print one JSON object as a line."""
    print_data(json_text(fields))


def print_data(text: str) -> None:
    """Print text for other programs: UTF-8 whatever the encoding of the terminal, and ? for a lone surrogate."""
    with printing():
        click.echo(text.encode("utf-8", "replace"), nl=False)


def csv_line(cells: Sequence[str]) -> str:
    """Return a row of a CSV table, with the line end."""
    import csv
    from io import StringIO

    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def print_table(rows: Sequence[Sequence[Any]], headers: Sequence[str], align: Sequence[str] | None = None) -> None:
    """Print a table for people. Cells are printed unchanged, never treated as numbers."""
    from tabulate import tabulate

    click.echo(tabulate(rows, headers, tablefmt="simple", disable_numparse=True, colalign=align))


def named_file(out: str | None, as_json: bool) -> str | None:
    """Return the name of an output file; None, standard output, for ``-``.

    :raises click.UsageError: Standard output contains JSON.
    """
    if out == "-" and as_json:
        raise click.UsageError("--json and --out - both print to standard output: write to a file.")
    return None if out == "-" else out


def answers_output(name: str, files: Files) -> None:
    """Declare a file of answers, which is written line by line, and the file beside it."""
    output = files.output(name)
    if output.is_replaced:
        files.beside(f"{output.path}{DROPPED}")


def write_text(output: Output, text: str) -> None:
    """Write a text to an output."""
    output.write(text.encode("utf-8", "replace"))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and its noun, such as 1 record or 1,200 records; the plural is ``many``, or ``one`` and s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def on_terminal() -> bool:
    """Return whether standard error is a terminal that supports drawing."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def side_name(player: object) -> str:
    """Return a player for people: South, North, or player 3."""
    return {"s": "South", "n": "North"}.get(str(player), f"player {player}")


def outcome_words(outcome: object) -> str:
    """Return an outcome for people."""
    if outcome is None:
        return "not over"
    return "a draw" if outcome == "draw" else f"{side_name(outcome)} has won"


def is_answered(status: str, undecided: Fraction | str | None, options: SolveOptions) -> bool:
    """Return whether an answer is complete, and no limit was reached; ``undecided`` is its ``open``."""
    if status == "bound" and options.until is not None and undecided is not None:
        from fractions import Fraction

        return Fraction(undecided) <= options.until
    return status in ("exact", "horizon")


def note_unused(options: SolveOptions, kinds: Collection[str]) -> None:
    """Name on standard error the options that had no effect; ``kinds``: the kinds of the solved values."""
    from ringfen.options import unused_options

    for name in unused_options(options, kinds) if kinds else ():
        click.echo(f"note: --{name} has no effect in the games of these positions", err=True)
