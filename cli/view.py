"""``view``: a page to look at records in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ringfen.cli.exit_status import OK, USAGE, complain, worst
from ringfen.cli.kinds import POSITIONS
from ringfen.cli.position_input import read_position, text_lines
from ringfen.cli.record_files import Reading
from ringfen.cli.shared_options import out_option, reading_options


@click.command()
@reading_options
@out_option("Write the page to FILE ('-': standard output).", metavar="FILE.html", required=True)
def view(files: Sequence[str], board_path: Sequence[Path], out: str) -> int:
    """Make a page for a browser to play through records.

    The page is one file that needs no network: a list with search, the board, the moves with comments and variations,
    the values that annotate wrote as a curve, and for an invalid record what is wrong with it and the position before
    the error. Files of positions become a sheet of diagrams. A page has at most 10,000 records or positions.

    Keys: ← → Home End step, ↓ ↑ choose another variation, n and p another record, f turns the board.

    \b
    Example:
      ringfen view games.rgn --out games.html
      ringfen annotate games.rgn | ringfen view - --out annotated.html
    """
    from ringfen.notation.viewing import Page, PageFullError, Sheet
    from ringfen.text import printable

    reading = Reading(files, board_path, also=[POSITIONS])
    output = reading.declared().output(out)
    title = ", ".join("records" if name == "-" else printable(Path(name).name) for name in files)
    page, sheet = Page(title), Sheet(title)
    malformed = OK
    try:
        for source in reading.sources():
            if source.kind == POSITIONS:
                for line in text_lines(source.stream, source.name):
                    position = read_position(line, board_path)
                    malformed = worst(malformed, OK if position is not None else USAGE)
                    if position is not None:
                        sheet.add(position, line.number)
                continue
            for raw in source.raw_records():
                record = source.reader.record(raw)
                source.count(record)
                page.add(record)
    except PageFullError as error:
        complain(str(error))
        return USAGE
    if reading.is_read and not reading.leaves_unwritten(None if out == "-" else out):
        if page and sheet:
            raise click.UsageError("Give files of records or files of positions, not both.")
        with output.open() as file:
            for part in (sheet if sheet else page).parts():
                file.write(part.encode("utf-8", "replace"))
    return worst(reading.status, malformed)
