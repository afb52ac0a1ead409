"""``convert``: the same records in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import print_error
from ringfen.cli.output import CsvTable, print_data
from ringfen.cli.record_files import Reading, Source, infrequent_collections, release_record, show, text_with_gap
from ringfen.cli.shared_options import from_option, is_quiet, reading_options

if TYPE_CHECKING:
    from ringfen.notation.splitting import RawRecord


@click.command()
@reading_options
@from_option
@click.option("--to", "to", type=click.Choice(["rgn", "jsonl", "csv"]), required=True, help="The form to write.")
@infrequent_collections()
def convert(files: Sequence[str], board_path: Sequence[Path], form: str | None, to: str) -> int:
    """Print the same records as text, JSON lines or CSV.

    rgn and jsonl contain the whole record and can be read back; csv is for spreadsheets, and a warning counts the cells
    that a spreadsheet would run as formulas. An invalid record is reported and omitted; the exit status is then 1. A
    record whose move numbers show that plies may be missing is reported; only rgn contains it, unchanged.

    \b
    Example:
      ringfen convert games.rgn --to jsonl > games.jsonl
      ringfen convert games.jsonl --to rgn
    """
    reading = Reading(files, board_path, form)
    out = _Writer(to)
    for source in reading.sources():
        for raw in _records(source, to):
            if isinstance(raw, bytes):
                print_data(raw.decode())
                continue
            record = source.reader.record(raw)
            source.count(record)
            text = text_with_gap(source, raw, record)
            if text is not None and to == "rgn":
                print_data(text.decode())
            elif text is not None:
                print_error(f"record {record.number} is omitted: {to} has no place for move numbers that show a gap")
                reading.wrong()
            elif record.valid:
                out.write(record)
            else:
                show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
                reading.wrong()
            release_record(record)
    if reading.is_read:
        out.begin()
    if not is_quiet():
        out.table.warn()
    return reading.status


def _records(source: Source, to: str) -> Iterator[RawRecord | bytes]:
    """The records that Python has to read, and the text of the others in the form ``to``."""
    from ringfen.notation.bulk_check import JSON, TEXT

    if to == "csv":
        return source.raw_records()
    return source.written(JSON if to == "jsonl" else TEXT)


class _Writer:
    """Standard output for records in one of the forms."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._has_begun = False
        self.table = CsvTable()

    def begin(self) -> None:
        """Write the header of a table, if the form has one and it is not written yet."""
        if self._to == "csv" and not self._has_begun:
            from ringfen.notation.csv_form import COLUMNS

            print_data(self.table.line(COLUMNS))
        self._has_begun = True

    def write(self, record: Any) -> None:
        self.begin()
        if self._to == "csv":
            from ringfen.notation.csv_form import record_to_row

            print_data(self.table.line(record_to_row(record)))
        elif self._to == "jsonl":
            from ringfen.notation.json_form import json_line

            print_data(f"{json_line(record)}\n")
        else:
            from ringfen.notation.writing import write_record

            print_data(write_record(record))
