"""``view``: a page to look at records in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK, USAGE, print_error, worst
from ringfen.cli.kinds import POSITIONS
from ringfen.cli.position_input import read_position, text_lines
from ringfen.cli.record_files import Reading, unchanged_text
from ringfen.cli.shared_options import adding, board_option, encoding_option, out_option, quiet_option
from ringfen.cli.usage_hints import InputFile

if TYPE_CHECKING:
    from ringfen.cli.record_files import Source
    from ringfen.notation.splitting import RawRecord
    from ringfen.position import Position


@click.command()
@adding(
    click.argument("files", metavar="[FILE…]", nargs=-1, type=InputFile()), board_option, encoding_option, quiet_option
)
@out_option("Write the page to FILE ('-': standard output).  [default: standard output]", metavar="FILE.html")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser; without --out it is a cache file.")
def view(files: Sequence[str], board_path: Sequence[Path], out: str | None, opens: bool) -> int:
    """Make a page for a browser to replay and enter games.

    The page is one file that needs no network. It shows a list of the records, the board, the moves, the values that
    annotate wrote as a curve, and the errors of invalid records. Click a piece and then its target to enter a ply.
    Without files the page is an empty board; files of positions become a sheet of diagrams. A page has
    at most 10,000 records or positions.

    Keys: ← → Home End step, ↓ ↑ choose another variation, n and p another record, f turns the board.

    \b
    Example:
      ringfen view games.rgn --out games.html
      ringfen annotate games.rgn | ringfen view - --out annotated.html
      ringfen view --open
    """
    if opens and out == "-":
        raise click.UsageError("--open needs a file: name it with --out, or omit --out.")
    from ringfen.notation.viewing import Page, PageFullError, Sheet, check_room
    from ringfen.text import printable

    reading = Reading(files, board_path, also=[POSITIONS])
    target = out if out is not None else str(_cached_page()) if opens else "-"
    output = reading.declared().output(target)
    title = ", ".join("records" if name == "-" else printable(Path(name).name) for name in files) or "Ringfen"
    records: list[tuple[Source, RawRecord]] = []
    positions: list[tuple[Position, int]] = []
    malformed = OK
    try:
        for source in reading.sources():
            if source.kind == POSITIONS:
                for line in text_lines(source.stream, source.name):
                    position = read_position(line, board_path)
                    malformed = worst(malformed, OK if position is not None else USAGE)
                    if position is not None:
                        check_room(len(positions), "positions")
                        positions.append((position, line.number))
                continue
            for raw in source.raw_records():
                check_room(len(records), "records")
                records.append((source, raw))
    except PageFullError as error:
        print_error(str(error))
        return USAGE
    if (reading.is_read or not files) and (reading.status == OK or records or positions):
        if records and positions:
            raise click.UsageError("Give files of records or files of positions, not both.")
        page, sheet = Page(title), Sheet(title)
        for source, raw in records:
            record = source.reader.record(raw)
            page.add(record, unchanged_text(source, raw, record))
        for position, number in positions:
            sheet.add(position, number)
        with output.open() as file:
            for part in (sheet if sheet else page).parts():
                file.write(part.encode("utf-8", "replace"))
        if opens:
            import webbrowser

            webbrowser.open(Path(target).absolute().as_uri())
    return worst(reading.status, malformed)


def _cached_page() -> Path:
    """Return the file in the user's cache directory for a page without a name."""
    from platformdirs import user_cache_path

    return user_cache_path("ringfen", ensure_exists=True) / "page.html"
