"""Reading and checking records: one reader for checking, formatting and converting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from ringfen.arguments import check_board_path
from ringfen.control import checked_int
from ringfen.errors import RecordError
from ringfen.inputs import unpacked
from ringfen.notation.record import Record, Report
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.splitting import HIGHEST_MAX_RECORD, MAX_RECORD, RawRecord, split_records


def read_records(
    source: str | PathLike[str] | BinaryIO | TextIO | None = None,
    *,
    text: str | None = None,
    name: str | None = None,
    board_path: Sequence[Path] = (),
    max_record: int = MAX_RECORD,
) -> Iterator[Record]:
    """Yield the records of an ``.rgn`` file, valid or not (:attr:`Record.valid`).

    >>> from ringfen.notation import read_records
    >>> for record in read_records("examples/gyges-2001.rgn"):
    ...     print(record.result, len(record.main.nodes))
    0-1 12

    No content of a file raises an error; :attr:`Record.diagnostics` has the errors.

    :param source: a path (a gzip or Zstandard file is unpacked), or a binary or text stream.
    :param text: the text itself, in place of ``source``.
    :param name: what diagnostics call the source; the path by default.
    :param board_path: directories to search for boards that positions name (GRAN).
    :param max_record: the longest record in bytes; a longer one is the error ``too-long``.
    :raises TypeError: an argument has the wrong type.
    :raises ValueError: ``max_record`` is out of bounds.
    :raises OSError: the file cannot be opened or read; raised when the first or a later record is read,
        not by the call.
    """
    records = _Source(source, text, name, max_record)
    check_board_path(board_path)
    reader = RecordReader(records.name, board_path=tuple(board_path))
    return (reader.read(raw) for raw in records.split())


def check_records(
    source: str | PathLike[str] | BinaryIO | TextIO | None = None,
    *,
    text: str | None = None,
    name: str | None = None,
    board_path: Sequence[Path] = (),
    max_record: int = MAX_RECORD,
) -> Iterator[Report]:
    """As :func:`read_records`, but checks only and keeps no tree: many times faster.

    Takes the same arguments, and raises the same.
    """
    records = _Source(source, text, name, max_record)
    check_board_path(board_path)
    reader = RecordReader(records.name, board_path=tuple(board_path))
    return (reader.check(raw) for raw in records.split())


def parse_record(text: str, *, name: str = "<text>", board_path: Sequence[Path] = ()) -> Record:
    """Return the first record of a text.

    :raises ringfen.RecordError: the text contains no record.
    """
    for record in read_records(text=text, name=name, board_path=board_path):
        return record
    raise RecordError("the text contains no record", reason="no-record")


class _Source:
    """Where records come from, in any of the forms that :func:`read_records` takes."""

    def __init__(
        self,
        source: str | PathLike[str] | BinaryIO | TextIO | None,
        text: str | None,
        name: str | None,
        max_record: int,
    ) -> None:
        if (source is None) == (text is None):
            raise TypeError("either a source or a text is needed")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        if source is not None and not isinstance(source, str | PathLike) and not hasattr(source, "read"):
            raise TypeError(f"a source must be a path or a file, not {type(source).__name__}")
        checked_int("max_record", max_record, 1, HIGHEST_MAX_RECORD)
        self._source = source
        self._text = text
        self._max = max_record
        self.name = name or ("<text>" if source is None else _name_of(source))

    def split(self) -> Iterator[RawRecord]:
        """Yield the records, not yet read."""
        if self._text is not None:
            return split_records(BytesIO(self._text.encode("utf-8", "surrogatepass")), self._max)
        if isinstance(self._source, str | PathLike):
            return self._of_file(self._source)
        given: Any = self._source
        stream: Any = _Encoded(given) if isinstance(given.read(0), str) else given
        return split_records(stream, self._max)

    def _of_file(self, path: str | PathLike[str]) -> Iterator[RawRecord]:
        with open(path, "rb") as stream:
            yield from split_records(unpacked(stream, path), self._max)


class _Encoded:
    """A text stream as a binary one: as much of it as reading records needs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return the bytes of this many characters."""
        return self._stream.read(size).encode("utf-8", "surrogatepass")


def _name_of(source: Any) -> str:
    return str(source if isinstance(source, str | PathLike) else getattr(source, "name", "<stream>"))
