"""``view``: a page to look at records in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ringfen.cli.common import board_options, quiet_option, write_text
from ringfen.cli.record_files import Reading, encoding_option, files_argument, from_option, max_record_option


@click.command()
@files_argument
@board_options
@max_record_option
@encoding_option
@from_option
@click.option(
    "--out", "-o", metavar="F.html", type=click.Path(), required=True, help="The page ('-': standard output)."
)
@click.option("--title", metavar="TEXT", help="What the page is called.  [default: the names of the files]")
@quiet_option
def view(
    files: Sequence[str], board_path: Sequence[Path], max_record: int, form: str | None, out: str, title: str | None
) -> int:
    """Make a page for a browser to play through records.

    The page is one file that needs no network: a list with search, the board, the moves with comments and variations,
    the values that annotate wrote as a curve, and for an invalid record what is wrong with it and the position before
    the fault. Keys: ← → Home End step, ↓ ↑ choose another variation, n and p another record, f turns the board.

    \b
    Example:
      ringfen view games.rgn --out games.html
      ringfen annotate games.rgn | ringfen view - --out annotated.html
    """
    from ringfen.notation.viewing import Page
    from ringfen.text import printable

    reading = Reading(files, form, board_path, max_record)
    output = reading.declared().output(out)
    page = Page(title or ", ".join("records" if name == "-" else printable(Path(name).name) for name in files))
    for source in reading.sources():
        for raw in source.raw_records():
            record = source.reader.record(raw)
            source.count(record)
            page.add(record)
    if not reading.leaves_unwritten(None if out == "-" else out):
        write_text(output, page.html())
    return reading.status
