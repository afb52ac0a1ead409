"""Results on standard output and in files: JSON lines, CSV, tables and words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import printing
from ringfen.text import player_name, to_json

if TYPE_CHECKING:
    from fractions import Fraction

    from ringfen.outputs import Files, Output
    from ringfen.solving import SolveOptions

_METADATA = "importlib.metadata"
#: The suffix of the file next to a file of answers that receives its corrupt lines.
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


class CsvTable:
    """Rows of a CSV table. Counts the cells that a spreadsheet would run as formulas."""

    def __init__(self) -> None:
        self.formulas = 0

    def line(self, cells: Sequence[str]) -> str:
        """Return a row with its line end."""
        import csv
        from io import StringIO

        self.formulas += sum(map(_is_formula, cells))
        line = StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        return line.getvalue()

    def warn(self) -> None:
        """Print how many cells a spreadsheet would run as formulas, if there are any."""
        if self.formulas:
            words = f"{counted(self.formulas, 'cell')} may run as a formula in a spreadsheet: import them as text"
            click.echo(f"warning: {words}", err=True)


def _is_formula(cell: str) -> bool:
    """Return whether a cell begins as a formula does and is not a number or a single sign."""
    if len(cell) < 2 or cell[0] not in "=+-@\t\r":
        return False
    return re.fullmatch(r"[+-][0-9]+(\.[0-9]+)?", cell) is None


def tabulate() -> Callable[..., str]:
    """Import and return ``tabulate.tabulate``.

    The package imports ``importlib.metadata`` only for its version, which takes as long as all of click; an empty
    module takes its place meanwhile.
    """
    unused = ModuleType(_METADATA)
    unused.version = lambda _: ""  # type: ignore[attr-defined]
    unused.PackageNotFoundError = ImportError  # type: ignore[attr-defined]
    is_used = sys.modules.setdefault(_METADATA, unused) is not unused
    try:
        return import_module("tabulate").tabulate  # type: ignore[no-any-return]
    finally:
        if not is_used:
            del sys.modules[_METADATA]


def print_table(rows: Sequence[Sequence[Any]], headers: Sequence[str], align: Sequence[str] | None = None) -> None:
    """Print a table for people. Cells are printed unchanged, never treated as numbers."""
    click.echo(tabulate()(rows, headers, tablefmt="simple", disable_numparse=True, colalign=align))


def named_file(out: str | None, as_json: bool) -> str | None:
    """Return the name of an output file; None, standard output, for ``-``.

    :raises click.UsageError: Standard output contains JSON.
    """
    if out == "-" and as_json:
        raise click.UsageError("--json and --out - both print to standard output: write to a file.")
    return None if out == "-" else out


def answers_output(name: str, files: Files) -> None:
    """Declare a file of answers, which is written line by line, and the file next to it."""
    output = files.output(name)
    if output.is_replaced:
        files.companion(f"{output.path}{DROPPED}")


def write_text(output: Output, text: str) -> None:
    """Write a text to an output."""
    output.write(text.encode("utf-8", "replace"))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and its noun, such as 1 record or 1,200 records; the plural is ``many``, or ``one`` and s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def on_terminal() -> bool:
    """Return whether standard error is a terminal that supports drawing."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def outcome_words(outcome: object) -> str:
    """Return an outcome for people."""
    if outcome is None:
        return "not over"
    return "a draw" if outcome == "draw" else f"{player_name(outcome)} has won"


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
        click.echo(f"note: --{name} has no effect on these positions", err=True)
