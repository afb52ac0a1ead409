"""``convert``: the same records in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import print_error
from ringfen.cli.games import GAME
from ringfen.cli.output import CsvTable, counted, print_data
from ringfen.cli.record_files import InputRecords, Source, infrequent_collections, release_record, show, text_with_gap
from ringfen.cli.shared_options import from_option_of, is_quiet, reading_options
from ringfen.errors import RecordError
from ringfen.notation.formats import READABLE, WRITABLE, games_of
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.record import Record
    from ringfen.notation.splitting import RawRecord
    from ringfen.rules import Game

#: The codes of records that may be in the format of another program.
_FOREIGN = ("missing-game", "bad-json")
#: The maximum number of omitted tags that a warning names.
_MAX_TAGS = 8


@click.command()
@reading_options
@from_option_of(*READABLE)
@click.option(
    "--to", "to", type=click.Choice(["rgn", "jsonl", "csv", *WRITABLE]), required=True, help="Format of the output."
)
@click.option("--game", type=GAME, help="Game of the files, for a format of several games.")
@infrequent_collections()
def convert(files: Sequence[str], board_path: Sequence[Path], form: str | None, to: str, game: Game | None) -> int:
    """Print the same records in another format.

    rgn and jsonl contain the whole record; csv has one row per record, for spreadsheets; the others are formats of
    other programs. A record that is invalid, or that the format cannot express, is reported and omitted, and the exit
    status is 1. A record in which plies may be missing is reported; only rgn contains it, unchanged.

    \b
    Example:
      ringfen convert games.rgn --to jsonl > games.jsonl
      ringfen convert games.jsonl --to rgn
      ringfen convert games.txt --from ugi --to rgn
      ringfen convert mail.txt --from plain --game siaius --to rgn
    """
    game_id = None if game is None else game.id
    _check_game(form, game_id)
    inputs = InputRecords(files, board_path, form)
    out = _Writer(to)
    for source in inputs.sources():
        if form in READABLE:
            for record in source.other_records(form, game_id):
                if record.valid and not is_quiet():
                    show(record.diagnostics, err=True)
                _write(record, out, inputs)
        for raw in () if form in READABLE else _records(source, to):
            if isinstance(raw, bytes):
                print_data(raw.decode())
                continue
            record = source.reader.read(raw)
            source.count(record)
            text = text_with_gap(source, raw, record)
            if text is not None and to == "rgn":
                print_data(text.decode())
            elif text is not None:
                _omit(record, f"{to} has no place for move numbers that show a gap", inputs)
                out.is_unfit = True
            else:
                _write(record, out, inputs)
        if source.is_readable and not source.records:
            click.echo(f"note: {printable(source.name)} contains no records", err=True)
    if inputs.is_read:
        out.begin()
    if not is_quiet():
        out.warn()
        if out.is_foreign and form is None:
            formats = ", ".join(READABLE)
            click.echo(f"note: if another program wrote the file, choose its format with --from: {formats}", err=True)
    return inputs.status


def _check_game(form: str | None, game: str | None) -> None:
    """Check that ``--game`` fits the format.

    :raises click.UsageError: it does not.
    """
    if form not in READABLE:
        if game is not None:
            raise click.UsageError("--game is only for the formats of other programs; a record names its game itself.")
        return
    games = games_of(form)
    if game is None and len(games) > 1:
        raise click.UsageError(f"--from {form} requires --game: {', '.join(games)}.")
    if game is not None and game not in games:
        raise click.UsageError(f"{form} is a format of {', '.join(games)}, not of {game}.")


def _records(source: Source, to: str) -> Iterator[RawRecord | bytes]:
    """Yield the records that Python has to read, and the text of the others in the format ``to``."""
    from ringfen.notation.bulk_check import JSON, TEXT

    if to in ("rgn", "jsonl"):
        return source.written(JSON if to == "jsonl" else TEXT)
    return source.raw_records()


def _write(record: Record, out: _Writer, inputs: InputRecords) -> None:
    """Write a record, or report why it is omitted."""
    if not record.valid:
        show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
        _omit(record, "it is invalid", inputs)
        out.is_foreign |= any(diagnostic.code in _FOREIGN for diagnostic in record.diagnostics)
    else:
        try:
            out.write(record)
        except RecordError as error:
            if not out.is_other:
                raise
            _omit(record, str(error), inputs)
            out.is_unfit = True
    release_record(record)


def _omit(record: Record, reason: str, inputs: InputRecords) -> None:
    """Report that a record is omitted."""
    print_error(f"{record.source}:{record.line}: record {record.number} is omitted: {reason}")
    inputs.wrong()


class _Writer:
    """Standard output for records in one of the formats."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._has_begun = False
        self._table = CsvTable()
        #: Whether the format is that of another program.
        self.is_other = to in WRITABLE
        #: Whether a valid record was omitted, because the format cannot express it.
        self.is_unfit = False
        #: Whether an invalid record may be in the format of another program.
        self.is_foreign = False
        #: For each kind of contents that the format cannot express, the number of records with it.
        self._omitted: Counter[str] = Counter()
        #: The names of the first omitted tags; one more than a warning names.
        self._tags: dict[str, None] = {}

    def begin(self) -> None:
        """Write the header of a table, if the format has one and it is not written yet."""
        if self._to == "csv" and not self._has_begun:
            from ringfen.notation.csv_form import COLUMNS

            print_data(self._table.line(COLUMNS))
        self._has_begun = True

    def write(self, record: Any) -> None:
        """Write a record.

        :raises RecordError: the format cannot express it.
        """
        self.begin()
        if self._to == "csv":
            from ringfen.notation.csv_form import record_to_row

            print_data(self._table.line(record_to_row(record)))
        elif self._to == "jsonl":
            from ringfen.notation.json_form import json_line

            print_data(f"{json_line(record)}\n")
        elif self.is_other:
            from ringfen.notation.formats import write_format

            written = write_format(self._to, record)
            print_data(written.text)
            self._omitted.update(written.omitted)
            if len(self._tags) <= _MAX_TAGS:
                self._tags.update(dict.fromkeys(written.tags[: _MAX_TAGS + 1]))
        else:
            from ringfen.notation.writing import write_record

            print_data(write_record(record))

    def warn(self) -> None:
        """Print what the output lacks or what is dangerous about it."""
        self._table.warn()
        if self._omitted:
            shown = ", ".join(map(printable, islice(self._tags, _MAX_TAGS)))
            names = {"tags": f"tags {shown}{' and others' if len(self._tags) > _MAX_TAGS else ''}"}
            parts = (f"{names.get(kind, kind)} ({counted(number, 'record')})" for kind, number in self._omitted.items())
            click.echo(f"warning: {self._to} has no place for these: {', '.join(parts)}; they are omitted", err=True)
        if self.is_unfit:
            click.echo("note: --to rgn writes every valid record", err=True)
