"""A record checked as its own text would be: written, and read back."""

from __future__ import annotations

from ringfen.errors import RecordError
from ringfen.notation.diagnostics import Diagnostic, quoted
from ringfen.notation.reading import parse_record
from ringfen.notation.record import Record
from ringfen.notation.writing import write_record


def check(record: Record) -> list[Diagnostic]:
    """See :meth:`ringfen.notation.Record.check`."""
    if not record.whole:
        return list(record.diagnostics)
    try:
        text = write_record(record)
    except (RecordError, TypeError) as error:
        subject, words = (quoted(error.text), error.message) if isinstance(error, RecordError) else ("", str(error))
        return [Diagnostic("no-written-form", record.line, 1, None, subject, words, record.source, record.number)]
    return parse_record(text, name=record.source, board_path=record.board_path).diagnostics
