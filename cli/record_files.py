"""Files of game records: what the commands that read them share."""

from __future__ import annotations

import errno
import gc
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from io import BufferedReader
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from ringfen.cli.exit_status import OK, USAGE, WRONG, print_os_error, worst
from ringfen.cli.file_kinds import PROBLEMS, RECORDS, UTF_16, UTF_32, begin_of, kind_of, reject_others
from ringfen.cli.position_input import board_files
from ringfen.cli.progress import ProgressBar, short
from ringfen.cli.shared_options import given_encoding, given_jobs, given_max_record
from ringfen.inputs import check_regular, decoded, is_packed, reject_endless, unpacked
from ringfen.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.diagnostics import Diagnostic
    from ringfen.notation.record import Record, Report
    from ringfen.notation.record_reader import RecordReader
    from ringfen.notation.selecting import Batch
    from ringfen.notation.splitting import RawRecord
    from ringfen.outputs import Files, Output

T = TypeVar("T")

_MEGABYTE = 1 << 20
#: How JSON lines begin: with an object whose first member, if the text reaches it, has a name. A single brace can also
#: begin a comment.
_OBJECT = rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:"[^"\n]*(?:"\s*(?::|\Z)|\Z)|\Z)'
#: How a line of JSON begins that is not an object, or not a whole one.
_JSON = rb'(?:\xef\xbb\xbf)?\s*(?:[{\["]|-?[0-9]+\s*$|null\b|true\b|false\b)'
_MARK = b"\xef\xbb\xbf"
#: Records between two readings of the clock.
_RECORDS_BETWEEN_REPORTS = 64
#: The maximum number of shared facts to keep.
_MOST_SHARED = 1 << 14


class Source:
    """One file of records, open for reading.

    :param name: the path, or ``-`` for standard input.
    :param failed: is called with an error of the system during reading, which then ends the records; without it,
        the error is raised.
    """

    def __init__(
        self,
        name: str,
        stream: BinaryIO,
        form: str | None,
        board_path: Sequence[Path],
        failed: Callable[[OSError], None] | None = None,
    ) -> None:
        from ringfen.notation.record_reader import RecordReader

        #: What diagnostics call it; people see it through :func:`~ringfen.text.printable`.
        self.name = "<stdin>" if name == "-" else name
        if name == "-" and form is None and not hasattr(stream, "peek"):
            stream = BufferedReader(stream)  # type: ignore[type-var, unused-ignore]
        self._stream = stream
        self._json = form == "jsonl" or (form is None and _looks_like_json(name, stream))
        self._max_record = given_max_record() * _MEGABYTE
        #: The byte order mark at the beginning of the file, or nothing.
        self.mark = _MARK if _begin(stream, len(_MARK)) == _MARK else b""
        self._size = _size(stream)
        self.reader: RecordReader = RecordReader(self.name, board_path=board_path)
        self.reader.jobs = given_jobs()
        self._failed = failed
        #: False after an error of the system while it was read.
        self.is_readable = True
        self.records = 0
        self.plies = 0
        self.invalid = 0
        self.errors = 0
        self.warnings = 0

    @property
    def too_long(self) -> str:
        """What messages say about a record that is too long."""
        return f"is longer than {self._max_record // _MEGABYTE} MB"

    @property
    def stream(self) -> BinaryIO:
        """The file."""
        return self._stream

    @property
    def kind(self) -> str | None:
        """The kind of file, as far as its beginning shows it."""
        return kind_of(begin_of(self._stream))

    @property
    def has_problems(self) -> bool:
        """Whether its lines are problems in JSON, for a command that reads these and records."""
        kind = self.kind
        is_json = self._json or re.match(_JSON, begin_of(self._stream)) is not None
        return kind == PROBLEMS or (kind is None and is_json)

    def raw_records(self) -> Iterator[RawRecord]:
        """Yield the records, still to be read, with progress on standard error."""
        from ringfen.notation.json_form import json_records
        from ringfen.notation.splitting import split_records

        return self._with_progress((json_records if self._json else split_records)(self._stream, self._max_record))

    def bulk_checked(
        self, *, each: bool, last: bool = False, locate: bool = False
    ) -> Iterator[RawRecord | CleanRecords]:
        """Yield the records, still to be read; those without diagnostics are checked already, many in one
        ``CleanRecords``.

        :param each: ``CleanRecords`` has an entry for each record, with the codes of its warnings instead of their
            places.
        :param last: ``CleanRecords`` has their last positions.
        :param locate: also those whose only diagnostics are warnings, as far as the C core can locate these.
        """
        if self._json:
            return self.raw_records()
        options = {"each": each, "last": last, "locate": locate}
        return self._with_progress(self.reader.bulk_checked(self._stream, self._max_record, **options))

    def written(self, form: int) -> Iterator[RawRecord | bytes]:
        """Yield the records still to be read, and between them the text of others, many at a time.

        The others have no errors, and no warnings that concern how they are written.

        :param form: the form of the text, see :mod:`ringfen.notation.bulk_check`.
        """
        from ringfen.notation.bulk_check import CleanRecords

        if self._json:
            yield from self.raw_records()
            return
        bulk = self.reader.bulk_checked(self._stream, self._max_record, each=False, form=form)
        for found in self._with_progress(bulk):
            if isinstance(found, CleanRecords):
                self.records += found.passed
                self.plies += found.plies
                yield found.text
            else:
                yield found

    def other_records(self, form: str, game: str | None) -> Iterator[Record]:
        """Yield the records of a file in the format of another program.

        :param form: the name of the format, see :mod:`ringfen.notation.formats`.
        :param game: the id of the game, None if the format has only one.
        """
        from ringfen.notation.formats import read_format

        source = form, self._stream, self.name, game, self._max_record, self.reader.board_path
        for record in self._with_progress(read_format(*source)):
            self.count(record)
            yield record

    def batches(self, plies: int = 0, *, text: bool, tags: bool) -> Iterator[Batch]:
        """Yield the results for all records, counted in :attr:`records` as they are read.

        :param plies: the number of plies of each main line to return.
        :param text: also return the text of the records.
        :param tags: each record has its own facts, with its tags.
        """
        from ringfen.notation.bulk_check import CleanRecords
        from ringfen.notation.selecting import Batch, Facts, SharedFacts

        reader, shared = self.reader, SharedFacts()
        if self._json or plies:
            records: Iterator[RawRecord | CleanRecords] = self.raw_records()
        else:
            bulk = reader.bulk_checked(self._stream, self._max_record, each=True, keep=text or tags, locate=True)
            records = self._with_progress(bulk)
        for found in records:
            number = self.records + 1
            if isinstance(found, CleanRecords):
                self.records += found.passed
                self.plies += found.plies
                if len(shared) > _MOST_SHARED:
                    shared.clear()
                each = map(Facts, found.texts(), found.records) if tags else map(shared.__getitem__, found.records)
                facts = list(each)
                yield Batch(number, facts, found.text, found.ends)
                continue
            report, line = reader.first_plies(found, plies) if plies else (reader.check(found), [])
            self.count(report)
            one = Facts(found.data, report, line, is_truncated=found.too_long)
            yield Batch(number, [one], found.data, [len(found.data)])

    def _with_progress(self, records: Iterator[T]) -> Iterator[T]:
        next_report = _RECORDS_BETWEEN_REPORTS
        with ProgressBar(printable(self.name)) as bar:
            for record in self._until_error(records, bar):
                yield record
                if self.records >= next_report:
                    next_report = self.records + _RECORDS_BETWEEN_REPORTS
                    if bar.is_due():
                        bar.show(*self._progress(), f"{short(self.records)} records, {short(self.plies)} plies")

    def _until_error(self, records: Iterator[T], bar: ProgressBar) -> Iterator[T]:
        """Yield the records. An error of reading is reported and ends them."""
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except OSError as error:
                self.is_readable = False
                if self._failed is None:
                    raise
                bar.clear()
                self._failed(error)
                return
            yield record

    def _progress(self) -> tuple[int, int]:
        """Return the megabytes read, and the megabytes in total."""
        if not self._size:
            return 0, 0
        return self._stream.tell() // _MEGABYTE, max(1, self._size // _MEGABYTE)

    def count(self, report: Report, *, strict: bool = False) -> bool:
        """Add a record to the sums. Return whether it is valid; ``strict``: warnings make it invalid."""
        self.records += 1
        self.plies += report.plies
        if not report.diagnostics:
            return True
        errors = sum(diagnostic.is_error for diagnostic in report.diagnostics)
        self.errors += errors
        self.warnings += len(report.diagnostics) - errors
        valid = errors == 0 and not strict
        self.invalid += not valid
        return valid


def _size(stream: BinaryIO) -> int:
    """Return the length of a file if it is known, otherwise 0."""
    try:
        return os.fstat(stream.fileno()).st_size if stream.seekable() else 0
    except (OSError, AttributeError):
        return 0


def _begin(stream: BinaryIO, size: int) -> bytes:
    """Return the first bytes of a stream, which stay unread; nothing if that is impossible."""
    if hasattr(stream, "peek"):
        return bytes(stream.peek(size)[:size])
    if not getattr(stream, "seekable", lambda: True)():
        return b""
    begin = stream.read(size)
    stream.seek(-len(begin), os.SEEK_CUR)
    return begin


def _looks_like_json(name: str, stream: BinaryIO) -> bool:
    if name != "-":
        return name.removesuffix(".gz").removesuffix(".zst").endswith((".jsonl", ".json"))
    begin: bytes = stream.peek(4096)  # type: ignore[attr-defined]
    return re.match(_OBJECT, begin) is not None


def reject_json(name: str, stream: Any) -> None:
    """Reject JSON lines, for commands that read only the form ``.rgn``.

    :param stream: the file. Nothing is consumed; the beginning of standard input is peeked at.
    :raises OSError: these are JSON lines.
    """
    if name == "-" and not hasattr(stream, "peek"):
        stream.seek(0)
        begin = stream.read(4096)
        stream.seek(0)
        found = re.match(_OBJECT, begin) is not None
    else:
        found = _looks_like_json(name, stream)
    if found:
        raise OSError(
            errno.EINVAL, "JSON lines are not read here; 'ringfen convert --to rgn' makes records of them", name
        )


#: How files of records in directories are called, in any case.
_ENDINGS = (".rgn", ".rgn.gz", ".rgn.zst")
#: How archives and compressed files are called that are not read.
_OTHER_ENDINGS = (".zip", ".bz2", ".xz", ".lzma", ".7z", ".rar", ".lz4", ".tar", ".tgz", ".tar.gz", ".tar.zst")
#: The maximum number of skipped files that a message names.
_MAX_SKIPPED = 4


def _records_in(directory: str, failed: Callable[[OSError], object]) -> list[str]:
    """Return the files of records in a directory and below, sorted. Links to directories are not followed.

    Names compressed files that are skipped on standard error.
    """
    found: list[str] = []
    skipped: list[str] = []
    for folder, _, names in os.walk(directory, onerror=failed):
        for name in names:
            if name.lower().endswith(_ENDINGS):
                found.append(os.path.join(folder, name))
            elif name.lower().endswith(_OTHER_ENDINGS):
                skipped.append(printable(os.path.join(folder, name)))
    if skipped:
        more = f" and {len(skipped) - _MAX_SKIPPED:,} more" if len(skipped) > _MAX_SKIPPED else ""
        names_ = f"{', '.join(sorted(skipped)[:_MAX_SKIPPED])}{more}"
        click.echo(f"note: skipped {names_}: unpack archives, or compress records as .rgn.gz or .rgn.zst", err=True)
    return sorted(found)


class InputRecords:
    """The files of a command in turn. One that cannot be read is reported, and ``status`` is 2.

    :param also: other kinds of files that the command reads (:mod:`ringfen.cli.file_kinds`).
    :param text_only: the command reads only the form ``.rgn``, and has no option for the form.
    :param reports: the command prints the diagnostics of records, which say how text in UTF-16 is read.
    """

    def __init__(
        self,
        files: Sequence[str],
        board_path: Sequence[Path],
        form: str | None = None,
        *,
        text_only: bool = False,
        also: Sequence[str] = (),
        reports: bool = True,
    ) -> None:
        self.status = OK
        #: The files, those of directories one by one.
        self.files: list[str] = []
        #: The directories that were given.
        self.directories = [name for name in files if name != "-" and os.path.isdir(name)]
        self._found: set[str] = set()
        for name in files:
            if name in self.directories:
                found = _records_in(name, lambda error: self._report(error.filename, error))
                if not found:
                    click.echo(f"note: {printable(name)} contains no files {', '.join(_ENDINGS)}", err=True)
                self._found.update(found)
                self.files += found
            else:
                self.files.append(name)
        #: The encoding of the files; None: UTF-8.
        self.encoding = given_encoding()
        self._form = "rgn" if text_only else form
        self._text_only = text_only
        self._also = [*also, UTF_16, UTF_32] if reports else also
        self._board_path = board_path
        #: Whether at least one file could be opened.
        self.is_read = False
        #: The number of records that were read.
        self.records = 0

    def declared(self) -> Files:
        """Return the files that the command reads, to which its outputs are added."""
        from ringfen.outputs import Files

        return Files([*self.files, *board_files(self._board_path)])

    def changed(self, name: str) -> Output:
        """Return one of the files as one that the command changes, so it is no board that the command reads."""
        from ringfen.outputs import Output

        return Output(name, inputs=board_files(self._board_path))

    def sources(self) -> Iterator[Source]:
        """Yield the files that can be opened. An error while one is read ends only that file."""
        for name in self.files:
            with self.reported(name), self.opened(name) as stream:
                self.is_read = True
                if self._text_only:
                    reject_json(name, stream)
                source = self.source(name, stream, partial(self._report, name))
                yield source
                self.records += source.records

    @contextmanager
    def opened(self, name: str) -> Iterator[Any]:
        """One of the files. A pipe is read if it was named, but not if it was found in a directory.

        :raises OSError: it cannot be read, or is a device that never ends.
        """
        if name in self._found:
            check_regular(name)
        with click.open_file(name, "rb") as stream:
            reject_endless(stream, name)
            content = unpacked(stream, name)
            if self.encoding is not None:
                content = decoded(content, self.encoding)
            self.check_kind(name, content)
            yield content

    def check_kind(self, name: str, stream: Any) -> None:
        """Reject a file that is evidently of a kind that the command does not read.

        :raises OSError: it is.
        """
        if self._form in (None, "rgn", "jsonl"):
            reject_others("<stdin>" if name == "-" else name, stream, RECORDS, *self._also)

    def is_as_stored(self, name: str) -> bool:
        """Return whether a file contains its text unchanged: it is regular, not compressed, and in UTF-8."""
        return name != "-" and os.path.isfile(name) and self.encoding is None and not is_packed(name)

    def source(self, name: str, stream: BinaryIO | IO[Any], failed: Callable[[OSError], None] | None = None) -> Source:
        """Return a stream as a source; ``failed``: see :class:`Source`."""
        return Source(name, stream, self._form, self._board_path, failed)  # type: ignore[arg-type, unused-ignore]

    @contextmanager
    def reported(self, name: str) -> Iterator[None]:
        """Report a system error about a file, and continue."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            if error.filename not in (None, name, "<stdin>"):
                raise  # it names an output, which stays broken for all files
            self._report(name, error)

    @property
    def has_failed(self) -> bool:
        """Whether a file could not be read and no record was: outputs then stay what they were."""
        return self.status == USAGE and not self.records

    def _report(self, name: str, error: OSError) -> None:
        print_os_error(error, "<stdin>" if name == "-" else name)
        self.status = worst(self.status, USAGE)

    def wrong(self) -> None:
        """Note that something checked is wrong."""
        self.status = worst(self.status, WRONG)


@contextmanager
def infrequent_collections() -> Iterator[None]:
    """Collect garbage less often: :func:`release_record` leaves few cycles, and a collection visits every node."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 100, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def release_record(record: Record) -> None:
    """Break the cycles of a main line, whose nodes know their line, so that its memory is freed at once."""
    record.main.nodes.clear()


def text_with_gap(source: Source, raw: RawRecord, record: Record) -> bytes | None:
    """Return the unchanged text of a valid record whose move numbers show that plies may be missing, and report it.

    Every command that writes records would renumber it and hide the gap. Returns None for other records.
    """
    if record.is_complete or not record.valid:
        return None
    show([one for one in record.diagnostics if one.code == "wrong-number"], err=True)
    return raw.data.rstrip() + b"\n\n"


def unchanged_text(source: Source, raw: RawRecord, record: Record) -> str | None:
    """Return the text of a record that no command formats: it is invalid, or plies may be missing; else None.

    "" if a text cannot have it: it is not UTF-8, or its end was not read.
    """
    if record.valid and record.is_complete:
        return None
    try:
        return "" if raw.too_long else raw.data.decode().rstrip() + "\n\n"
    except UnicodeDecodeError:
        return ""


#: The advice of diagnostics about an encoding.
_ENCODING = r"\bread it in (?:the encoding (\S+)|its encoding),"


def with_advice(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic that names ``--encoding`` if it advises an encoding."""
    if diagnostic.code != "bad-utf8":
        return diagnostic
    from dataclasses import replace

    option = re.sub(
        _ENCODING, lambda advice: f"read the file with --encoding {advice[1] or 'NAME'},", diagnostic.reason
    )
    return replace(diagnostic, reason=option)


#: There are few codes and many diagnostics.
_style = cache(click.style)


def show(diagnostics: Sequence[Diagnostic], *, err: bool, boards: bool = False) -> None:
    """Print diagnostics for people, each with its source line and a caret; with ``boards`` also the position."""
    if diagnostics:
        click.echo("\n".join(diagnostic_text(one, boards=boards) for one in diagnostics), err=err)


def diagnostic_text(diagnostic: Diagnostic, *, boards: bool = False) -> str:
    """Return what :func:`show` prints of a diagnostic."""
    diagnostic = with_advice(diagnostic)
    colour = "red" if diagnostic.is_error else "yellow"
    text = diagnostic.text(_style(diagnostic.code, fg=colour, bold=True))
    if diagnostic.suggest:
        text += f"\n  perhaps {' or '.join(map(printable, diagnostic.suggest))}"
    if boards and diagnostic.position is not None:
        text += f"\n\n{diagnostic.position.draw()}\n"
    return text


def warning_texts(name: str, before: int, clean: CleanRecords) -> list[str]:
    """Return what :func:`show` prints of the warnings of records that passed.

    :param name: what diagnostics call the file.
    :param before: the number of records before them in the file.
    """
    if not clean.warnings:
        return []
    from ringfen.notation.diagnostics import MOVETEXT_REASONS, WARNING_MARK, excerpt_text, line_text, quoted

    texts, name = [], printable(name)
    number, first_line = before + 1, clean.line + 1
    for record, line, excerpt, column, length, ply, code, expected in clean.warnings:
        place = f"{name}:{first_line + line}:{column + 1}"
        subject = quoted(excerpt[column : column + length])
        reason = f"{MOVETEXT_REASONS[code].format(expected)}{WARNING_MARK}"
        first = line_text(place, _style(code, fg="yellow", bold=True), subject, number + record, ply or None, reason)
        texts.append(f"{first}{excerpt_text(excerpt, column, length)}")
    return texts
