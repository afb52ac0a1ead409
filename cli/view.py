"""``view``: a page to look at records in a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ringfen.cli.exit_status import OK, USAGE, print_error, worst
from ringfen.cli.file_kinds import ANSWERS, PLAIN, POSITIONS, PROBLEMS, RECORDS, other_kind
from ringfen.cli.output import counted
from ringfen.cli.position_input import Line, read_position, text_lines
from ringfen.cli.record_files import InputRecords, unchanged_text
from ringfen.cli.shared_options import (
    adding,
    board_option,
    encoding_option,
    is_quiet,
    max_record_option,
    out_option,
    quiet_option,
)
from ringfen.cli.usage_hints import InputFile
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.batch.answers import Answer
    from ringfen.cli.record_files import Source
    from ringfen.notation.record import Record
    from ringfen.notation.splitting import RawRecord
    from ringfen.notation.viewing import Page
    from ringfen.position import Position

_T = TypeVar("_T")


@click.command()
@adding(
    click.argument("files", metavar="[FILE…]", nargs=-1, type=InputFile()),
    board_option,
    encoding_option,
    max_record_option,
    quiet_option,
)
@out_option("Write the page to FILE ('-': standard output).  [default: standard output]", metavar="FILE.html")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser; without --out it is a cache file.")
def view(files: Sequence[str], board_path: Sequence[Path], out: str | None, opens: bool) -> int:
    """Make a page for a browser to replay and enter games.

    The page is one file that needs no network. It replays records, with the values that annotate wrote as a curve;
    positions, answers of 'solve --out' and problems become a sheet of diagrams. Without files it is an empty board. A
    page has at most 10,000 records or positions.

    \b
    Example:
      ringfen view games.rgn --out games.html
      ringfen annotate games.rgn | ringfen view - --out annotated.html
      ringfen solve --file positions.txt --out answers.jsonl && ringfen view answers.jsonl --open
      ringfen view --open
    """
    if opens and out == "-":
        raise click.UsageError("--open needs a file: name it with --out, or omit --out.")
    from ringfen.notation.viewing import PageFullError

    inputs = InputRecords(files, board_path, also=[POSITIONS, ANSWERS, PROBLEMS], reports=False)
    target = out if out is not None else str(_cached_page()) if opens else "-"
    output = inputs.declared().output(target)
    contents = _Contents(board_path)
    try:
        for source in inputs.sources():
            with inputs.reported(source.name):
                contents.read(source)
    except PageFullError as error:
        print_error(str(error))
        return USAGE
    if (inputs.is_read or not files) and (inputs.status == OK or contents.records or contents.positions):
        title = ", ".join("records" if name == "-" else printable(Path(name).name) for name in files) or "Ringfen"
        page = contents.page(title)
        with output.open() as file:
            for part in page.parts():
                file.write(part.encode("utf-8", "replace"))
        if opens:
            _open_in_browser(target)
    return worst(inputs.status, contents.status)


class _Contents:
    """The records or positions of a page."""

    def __init__(self, board_path: Sequence[Path]) -> None:
        self._board_path = board_path
        self.records: list[tuple[Source, RawRecord] | Record] = []
        self.positions: list[tuple[Position, int, Answer | None]] = []
        #: The exit status: whether there were malformed problems, positions or answers.
        self.status = OK

    def read(self, source: Source) -> None:
        """Add the contents of a file.

        :raises PageFullError: The page is full.
        :raises OSError: The file is plain text.
        """
        if source.has_problems:
            for problem in _problems(source, self._board_path):
                self._add(self.records, "records", problem)
        elif source.kind in (POSITIONS, ANSWERS):
            for line, answer in _answers(source) if source.kind == ANSWERS else _positions(source):
                position = None if line is None else read_position(line, self._board_path)
                entry = None if line is None or position is None else (position, line.number, answer)
                self._add(self.positions, "positions", entry)
        else:
            self._read_records(source)

    def _read_records(self, source: Source) -> None:
        from ringfen.notation.tags import read_tags

        first = len(self.records)
        for raw in source.raw_records():
            self._add(self.records, "records", (source, raw))
        count = len(self.records) - first
        if count == 1 and not (tags := read_tags(raw.data)).values and not tags.problems:
            del self.records[first:]
            raise other_kind(source.name, PLAIN, RECORDS)
        if count == 0 and source.is_readable:
            click.echo(f"note: {printable(source.name)} contains no records", err=True)

    def _add(self, entries: list[_T], name: str, entry: _T | None) -> None:
        """Add an entry if the page is not full; None is a malformed one, which was reported."""
        from ringfen.notation.viewing import check_page_size

        if entry is None:
            self.status = worst(self.status, USAGE)
            return
        check_page_size(len(entries), name)
        entries.append(entry)

    def page(self, title: str) -> Page:
        """Return the page."""
        from ringfen.notation.viewing import Page

        if self.records and self.positions:
            raise click.UsageError("Give files of records or files of positions, not both.")
        page, invalid = Page(title), 0
        for found in self.records:
            if isinstance(found, tuple):
                source, raw = found
                record = source.reader.read(raw)
                page.add(record, unchanged_text(source, raw, record))
            else:
                record = found
                page.add(record)
            invalid += not record.valid
        if invalid and not is_quiet():
            words = f"{counted(invalid, 'record is', 'records are')} invalid; the page shows the errors"
            click.echo(f"note: {words}", err=True)
        for position, number, answer in self.positions:
            page.add_position(position, number, answer)
        return page


def _open_in_browser(target: str) -> None:
    import webbrowser

    address = Path(target).absolute().as_uri()
    if not webbrowser.open(address):
        click.echo(f"note: no browser was found; open {address}", err=True)


def _problems(source: Source, board_path: Sequence[Path]) -> Iterator[Record | None]:
    """Yield the records of JSON lines of problems; None, with a report, for a malformed line."""
    from ringfen.errors import RingfenError
    from ringfen.notation.problem_records import problem_fields, record_of_json
    from ringfen.position import Position

    for line in text_lines(source.stream, source.name, problems=True):
        source.records += 1
        try:
            fields = problem_fields(line.text)
            position = Position(fields["fen"], board_path=board_path)
            record = record_of_json(fields, position, number=source.records, board_path=board_path)
        except (RingfenError, ValueError) as error:
            print_error(f"{printable(source.name)}:{line.number}: {error}")
            yield None
        else:
            yield record


def _positions(source: Source) -> Iterator[tuple[Line, None]]:
    """Yield the lines of a file of positions."""
    for line in text_lines(source.stream, source.name):
        yield line, None


def _answers(source: Source) -> Iterator[tuple[Line | None, Answer | None]]:
    """Yield the answers of a file, each with the line of its position; None, with a report, for a line without one."""
    from ringfen.batch.answers import read_answers

    for number, found in read_answers(source.stream):
        if isinstance(found, str):
            print_error(f"line {number} of {printable(source.name)} {found}")
            yield None, None
        else:
            yield Line(source.name, number, found["fen"], 1), found


def _cached_page() -> Path:
    """Return the file in the user's cache directory for a page without a name."""
    from platformdirs import user_cache_path

    return user_cache_path("ringfen", ensure_exists=True) / "page.html"
