"""``validate``, ``fmt``, ``convert``, ``positions``: files of game records."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from ringfen.cli.common import (
    OK,
    USAGE,
    WRONG,
    board_options,
    complain,
    complain_of,
    json_option,
    print_data,
    print_json,
    quiet_option,
    worst,
)
from ringfen.cli.progress import Meter, short
from ringfen.cli.quantities import WholeNumber
from ringfen.outputs import refuse_endless
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.clean import CleanRecords
    from ringfen.notation.diagnostics import Diagnostic
    from ringfen.notation.reading import RecordReader
    from ringfen.notation.record import Record, Report
    from ringfen.notation.selecting import Facts
    from ringfen.notation.splitting import RawRecord
    from ringfen.position import Outcome
    from ringfen.rules import Game

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MEGABYTE = 1 << 20
#: How JSON lines begin, as far as there is anything to see: with an object whose first member is named. A brace alone
#: can be a comment too.
_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:"[^"\n]*(?:"\s*(?::|\Z)|\Z)|\Z)')
#: A text that is formatted stays in memory up to this size.
_IN_MEMORY = 8 << 20
#: Records between two readings of the clock.
_BETWEEN_NEWS = 64

files_argument = click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
from_option = click.option(
    "--from",
    "form",
    type=click.Choice(["rgn", "jsonl"]),
    help="What the files hold.  [default: jsonl if the name ends so or standard input begins like an object, else rgn]",
)
max_record_option = click.option(
    "--max-record",
    type=WholeNumber(1, 2047),
    default=64,
    show_default=True,
    metavar="MB",
    help="A longer record is the error too-long.",
)


class Source:
    """One file of records, open for reading.

    :param name: the path, or ``-`` for standard input.
    """

    def __init__(
        self, name: str, stream: BinaryIO, form: str | None, board_path: Sequence[Path], megabytes: int
    ) -> None:
        from ringfen.notation.reading import RecordReader

        self.name = "<stdin>" if name == "-" else printable(name)
        if name == "-" and form is None and not hasattr(stream, "peek"):
            stream = BufferedReader(stream)  # type: ignore[type-var, unused-ignore]
        self._stream = stream
        self._json = form == "jsonl" or (form is None and _looks_like_json(name, stream))
        self._max_record = megabytes * _MEGABYTE
        self._size = _size(stream)
        self.reader: RecordReader = RecordReader(self.name, board_path=board_path)
        self.records = 0
        self.plies = 0
        self.invalid = 0
        self.errors = 0
        self.warnings = 0

    def raw_records(self) -> Iterator[RawRecord]:
        """The records, still to be read, with progress on standard error."""
        from ringfen.notation.json_form import json_records
        from ringfen.notation.splitting import split_records

        return self._with_progress((json_records if self._json else split_records)(self._stream, self._max_record))

    def unclean_records(self, *, each: bool) -> Iterator[RawRecord | CleanRecords]:
        """The same, with those about which there is nothing to say passed over; ``each``: but told of."""
        if self._json:
            return self.raw_records()
        return self._with_progress(self.reader.unclean(self._stream, self._max_record, each=each))

    def facts(self, plies: int = 0) -> Iterator[Facts]:
        """What is known of each record, counted in :attr:`records` as they come.

        :param plies: how many plies of the main lines are wanted.
        """
        from ringfen.notation.clean import CleanRecords
        from ringfen.notation.selecting import Facts

        if plies:
            for raw in self.raw_records():
                report, line = self.reader.line(raw, plies)
                self.count(report)
                yield Facts(raw.data, report, line, whole=not raw.too_long)
            return
        reader = self.reader
        unclean = reader.unclean(self._stream, self._max_record, each=True, keep=True)
        for found in self._with_progress(self.raw_records() if self._json else unclean):
            if isinstance(found, CleanRecords):
                for record in found.records:
                    self.records += 1
                    self.plies += record.plies
                    yield Facts(record.data, record)
            else:
                report = reader.report(found)
                self.count(report)
                yield Facts(found.data, report, whole=not found.too_long)

    def _with_progress(self, records: Iterator[T]) -> Iterator[T]:
        news = _BETWEEN_NEWS
        with Meter(self.name) as meter:
            for record in records:
                yield record
                if self.records >= news:
                    news = self.records + _BETWEEN_NEWS
                    if meter.is_due():
                        meter.show(*self._progress(), f"{short(self.records)} records, {short(self.plies)} plies")

    def _progress(self) -> tuple[int, int]:
        """Megabytes read, and megabytes in total."""
        if not self._size:
            return 0, 0
        return self._stream.tell() // _MEGABYTE, max(1, self._size // _MEGABYTE)

    def count(self, report: Report, *, strict: bool = False) -> None:
        """Adds a record to the sums; ``strict``: warnings make it invalid."""
        self.records += 1
        self.plies += report.plies
        if report.diagnostics:
            errors = sum(diagnostic.is_error for diagnostic in report.diagnostics)
            self.errors += errors
            self.warnings += len(report.diagnostics) - errors
            self.invalid += errors > 0 or strict


def _size(stream: BinaryIO) -> int:
    """The length of a file that can be asked for it, else 0."""
    try:
        return os.fstat(stream.fileno()).st_size if stream.seekable() else 0
    except (OSError, AttributeError):
        return 0


def _looks_like_json(name: str, stream: BinaryIO) -> bool:
    if name != "-":
        return name.removesuffix(".gz").endswith((".jsonl", ".json"))
    begin: bytes = stream.peek(4096)  # type: ignore[attr-defined]
    return _OBJECT.match(begin) is not None


def _files_in(names: Sequence[str]) -> list[str]:
    """The files that are meant: of a directory its records, sorted."""
    files: list[str] = []
    for name in names:
        if name != "-" and os.path.isdir(name):
            files += sorted(str(path) for path in Path(name).iterdir() if path.name.endswith((".rgn", ".rgn.gz")))
        else:
            files.append(name)
    return files


@contextmanager
def opened(name: str) -> Iterator[Any]:
    """A file of records, unpacked if its name ends with ``.gz``."""
    if not name.endswith(".gz"):
        with click.open_file(name, "rb") as stream:
            yield stream
        return
    import gzip

    with gzip.open(name, "rb") as unpacked:
        yield _Unpacked(unpacked)


class _Unpacked:
    """A compressed file; one that is cut short or damaged is an error of the system."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.read = self._checked(stream.read)
        self.readline = self._checked(stream.readline)

    @staticmethod
    def _checked(read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        import zlib

        def checked(size: int = -1) -> bytes:
            try:
                return read(size)
            except (EOFError, zlib.error) as error:
                raise OSError(f"no whole gzip file: {error}") from error

        return checked

    def fileno(self) -> int:
        """The number of the compressed file."""
        return int(self._stream.fileno())

    def seekable(self) -> bool:
        """False: how much there is to read is not known."""
        return False


class Reading:
    """All the files of a command, one after the other; one that cannot be read is reported, and ``status`` is 2."""

    def __init__(self, files: Sequence[str], form: str | None, board_path: Sequence[Path], max_record: int) -> None:
        #: The files, those of directories one by one.
        self.files = _files_in(files)
        self._form = form
        self._board_path = board_path
        self._max_record = max_record
        self.status = OK
        #: Whether at least one file could be opened.
        self.is_read = False

    def sources(self) -> Iterator[Source]:
        """The files that can be opened. An error while one is read ends that file alone."""
        for name in self.files:
            with self.reported(name), opened(name) as stream:
                refuse_endless(stream, name)
                self.is_read = True
                yield self.source(name, stream)

    def source(self, name: str, stream: BinaryIO | IO[Any]) -> Source:
        """A stream as a source."""
        return Source(name, stream, self._form, self._board_path, self._max_record)  # type: ignore[arg-type, unused-ignore]

    @contextmanager
    def reported(self, name: str) -> Iterator[None]:
        """Reports a system error about a file, and continues."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            complain_of(error, name)
            self.status = worst(self.status, USAGE)

    def wrong(self) -> None:
        """Something checked is wrong."""
        self.status = worst(self.status, WRONG)


def reading_options(function: F) -> F:
    """FILE… and what every command that reads records takes."""
    return quiet_option(max_record_option(board_options(files_argument(function))))


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Looks for unreachable cycles less often: :func:`_let_go` leaves few, and millions of nodes take long to walk."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 100, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _let_go(record: Record) -> None:
    """Breaks the cycles of a main line, whose nodes know their line, so that it goes at once when it is not needed."""
    record.main.nodes.clear()


def show(diagnostics: Sequence[Diagnostic], *, err: bool, boards: bool = False) -> None:
    """Diagnostics for people, each with its source line and a caret; ``boards``: and the position before the ply."""
    for diagnostic in diagnostics:
        first, newline, rest = diagnostic.text().partition("\n")
        colour = "red" if diagnostic.is_error else "yellow"
        code = f": {diagnostic.code}: "
        place, _, words = first.partition(code)
        click.echo(f"{place}: {click.style(diagnostic.code, fg=colour, bold=True)}: {words}{newline}{rest}", err=err)
        if diagnostic.suggest:
            click.echo(f"  perhaps {' or '.join(map(printable, diagnostic.suggest))}", err=err)
        if boards and diagnostic.position is not None:
            click.echo(f"\n{diagnostic.position.draw()}\n", err=err)


# ---- validate ----


@click.command()
@reading_options
@from_option
@click.option("--show", "show_boards", is_flag=True, help="Draw the board before a ply at fault.")
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option("--errors-only", is_flag=True, help="Leave out warnings and valid records.")
@click.option("--ignore", "ignored", multiple=True, metavar="CODE", help="Leave out warnings with this code.")
@click.option(
    "--format", "output", type=click.Choice(["text", "github"]), default="text", help="Print GitHub workflow commands."
)
@json_option
def validate(
    files: Sequence[str],
    board_path: Sequence[Path],
    max_record: int,
    form: str | None,
    show_boards: bool,
    strict: bool,
    errors_only: bool,
    ignored: Sequence[str],
    output: str,
    as_json: bool,
) -> int:
    """Check game records: legal plies, numbers, results.

    Prints what is wrong, with its place and a stable code ('ringfen help errors.md'), and a line for each file. A
    record with an error is invalid and makes the exit status 1; warnings do not.

    \b
    Example:
      ringfen validate examples/gyges-2001.rgn
      ringfen validate --json games.rgn | jq -c 'select(.valid | not)'
    """
    from ringfen.notation.clean import CleanRecords
    from ringfen.notation.diagnostics import CODES, WARNING

    if as_json and output == "github":
        raise click.UsageError("--format github prints no JSON: leave out --json.")
    for code in ignored:
        if CODES.get(code, ("", ""))[0] != WARNING:
            raise click.UsageError(f"--ignore takes codes of warnings, but {code[:40]!r} is not one.")
    reading = Reading(files, form, board_path, max_record)
    for source in reading.sources():
        for raw in source.unclean_records(each=as_json and not errors_only):
            if isinstance(raw, CleanRecords):
                _print_clean(source, raw)
                source.records += raw.passed
                source.plies += raw.plies
                continue
            report = source.reader.report(raw)
            if ignored:
                report.diagnostics = [one for one in report.diagnostics if one.code not in ignored]
            source.count(report, strict=strict)
            valid = report.valid and not (strict and report.diagnostics)
            if errors_only:
                report.diagnostics = [one for one in report.diagnostics if one.is_error or strict]
                if valid:
                    continue
            if as_json:
                print_json(_report_fields(report, valid))
            elif output == "github":
                for diagnostic in report.diagnostics:
                    click.echo(_workflow_command(diagnostic))
            elif report.diagnostics:
                show(report.diagnostics, err=False, boards=show_boards)
        if source.invalid:
            reading.wrong()
        if not as_json and output == "text" and not (errors_only and not source.invalid):
            click.echo(_summary(source))
    return reading.status


def _workflow_command(diagnostic: Diagnostic) -> str:
    """An annotation as GitHub's workflows take it."""
    place = {"file": diagnostic.source, "line": diagnostic.line, "col": diagnostic.column, "title": diagnostic.code}
    properties = ",".join(
        f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}" for name, value in place.items()
    )
    message = diagnostic.message
    if diagnostic.suggest:
        message += f" (perhaps {' or '.join(diagnostic.suggest)})"
    return f"::{diagnostic.severity} {properties}::{_escaped(printable(message))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _print_clean(source: Source, clean: CleanRecords) -> None:
    """A JSON object for each of these records that is told of."""
    import json

    lines = []
    for number, record in enumerate(clean.records, source.records + 1):
        fields = _fields(source.name, number, record.game, True, record.plies, record.outcome, [])
        lines.append(json.dumps(fields, ensure_ascii=False))
    if lines:
        print_data("\n".join(lines) + "\n")


def _report_fields(report: Report, valid: bool) -> dict[str, Any]:
    found = [diagnostic.to_json() for diagnostic in report.diagnostics]
    return _fields(report.source, report.number, report.game, valid, report.plies, report.outcome, found)


def _fields(
    source: str,
    number: int,
    game: Game | None,
    valid: bool,
    plies: int,
    outcome: Outcome,
    diagnostics: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "file": source,
        "record": number,
        "game": game.id if game is not None else None,
        "valid": valid,
        "plies": plies,
        "outcome": outcome,
        "diagnostics": diagnostics,
    }


def _summary(source: Source) -> str:
    if not source.records:
        return f"{source.name}: it holds no records"
    parts = [_counted(source.records, "record"), _counted(source.plies, "ply", "plies")]
    if source.errors:
        parts.append(_counted(source.errors, "error"))
    if source.warnings:
        parts.append(_counted(source.warnings, "warning"))
    verdict = f"{source.invalid} invalid" if source.invalid else "valid"
    return f"{source.name}: {', '.join(parts)}: {verdict}"


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# ---- fmt ----


@click.command("fmt")
@reading_options
@click.option("--check", is_flag=True, help="Print nothing but the names of files that would change; status 1 if any.")
@click.option("--diff", is_flag=True, help="Print what would change.")
@click.option("--write", "-w", is_flag=True, help="Change the files themselves.")
@click.option("--short", "short_form", is_flag=True, help="Drop the bounces and passed points that plies name.")
@_rare_collections()
def fmt(
    files: Sequence[str],
    board_path: Sequence[Path],
    max_record: int,
    check: bool,
    diff: bool,
    write: bool,
    short_form: bool,
) -> int:
    """Print game records in canonical form.

    Comments, NAGs, variations and unknown tags stay.
    A file with an invalid record stays as it is: nothing is printed or written of it, the errors are reported, and
    the exit status is 1. Formatting twice changes nothing. Lines that begin with % are dropped.

    \b
    Example:
      ringfen fmt games.rgn > tidy.rgn
      ringfen fmt --write *.rgn
    """
    if write and (check or diff):
        raise click.UsageError("--write changes files; --check and --diff do not. One of them, please.")
    if write and "-" in files:
        raise click.UsageError("--write needs files; standard input cannot be written.")
    reading = Reading(files, "rgn", board_path, max_record)
    for name in reading.files:
        if write and name.endswith(".gz"):
            complain(f"{name}: --write does not change compressed files")
            reading.status = worst(reading.status, USAGE)
            continue
        with reading.reported(name), spool() as original, spool() as formatted:
            stream = _rereadable(name, original)
            with stream:
                if not _format(reading.source(name, stream), formatted, short_form):
                    reading.wrong()
                    continue
                changed = not streams_equal(stream, formatted)
                if check and changed:
                    reading.wrong()
                    if not diff:
                        click.echo(printable(name))
                if diff and changed:
                    print_diff(name, stream, formatted, "formatted")
                elif write and changed:
                    replace_file(name, formatted)
                elif not (check or diff or write):
                    sys.stdout.flush()
                    copy_stream(formatted, sys.stdout.buffer)
    return reading.status


def spool() -> Any:
    """A file for a text, in memory as long as it is not large."""
    from tempfile import SpooledTemporaryFile

    return SpooledTemporaryFile(max_size=_IN_MEMORY)


def _rereadable(name: str, copy: BinaryIO) -> Any:
    """A stream that can be read twice."""
    if name != "-" and not name.endswith(".gz") and os.path.isfile(name):
        return open(name, "rb")
    with opened(name) as stream:
        copy_stream(stream, copy)
    copy.seek(0)
    return copy


def copy_stream(source: Any, target: Any) -> None:
    """Copies a stream from its beginning, if it can be asked for that."""
    from shutil import copyfileobj

    # Python 3.10's SpooledTemporaryFile can seek but does not say so.
    if getattr(source, "seekable", lambda: True)():
        source.seek(0)
    copyfileobj(source, target, _MEGABYTE)
    target.flush()


def _format(source: Source, formatted: BinaryIO, short_form: bool) -> bool:
    """Writes the canonical text; False, with a report, if a record is invalid."""
    from ringfen.notation.writing import write_record

    valid = True
    for raw in source.raw_records():
        record = source.reader.record(raw)
        source.count(record)
        errors = [diagnostic for diagnostic in record.diagnostics if diagnostic.is_error]
        if errors:
            show(errors, err=True)
            valid = False
        elif valid:
            formatted.write(write_record(record, short=short_form).encode())
        _let_go(record)
    return valid


def streams_equal(a: Any, b: Any) -> bool:
    """Whether two streams that can be read again hold the same."""
    a.seek(0)
    b.seek(0)
    while True:
        left, right = a.read(_MEGABYTE), b.read(_MEGABYTE)
        if left != right:
            return False
        if not left:
            return True


def print_diff(name: str, original: Any, formatted: Any, what: str) -> None:
    """Prints the difference between two texts."""
    from difflib import unified_diff

    before, after = (_lines(stream) for stream in (original, formatted))
    for line in unified_diff(before, after, printable(name), f"{printable(name)} ({what})"):
        click.echo(_shown_line(line))


def _shown_line(line: str) -> str:
    """A line of a difference as a terminal may show it: tabs stay, and what ends a line in another way is seen."""
    body = line.removesuffix("\n").replace("\r", "\N{SYMBOL FOR CARRIAGE RETURN}")
    return "\t".join(map(printable, body.split("\t")))


def _lines(stream: Any) -> list[str]:
    stream.seek(0)
    return [line.decode("utf-8", "replace") for line in stream]


def replace_file(name: str, formatted: Any) -> None:
    """Puts the new text in the place of the file."""
    from ringfen.outputs import Output

    with Output(name).open() as file:
        copy_stream(formatted, file)


# ---- convert ----


@click.command()
@reading_options
@from_option
@click.option("--to", "to", type=click.Choice(["rgn", "jsonl", "csv"]), required=True, help="The form to write.")
@_rare_collections()
def convert(files: Sequence[str], board_path: Sequence[Path], max_record: int, form: str | None, to: str) -> int:
    """Print the same records as text, JSON lines or CSV.

    An invalid record is reported and left out, and makes the exit status 1. rgn and jsonl hold the whole record and
    can be read back; csv is for spreadsheets.

    \b
    Example:
      ringfen convert games.rgn --to jsonl > games.jsonl
      ringfen convert games.jsonl --to rgn
    """
    reading = Reading(files, form, board_path, max_record)
    out = _Writer(to)
    for source in reading.sources():
        for raw in source.raw_records():
            record = source.reader.record(raw)
            source.count(record)
            if record.valid:
                out.write(record)
            else:
                show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
                reading.wrong()
            _let_go(record)
    return reading.status


class _Writer:
    """Standard output for records in one of the forms."""

    def __init__(self, to: str) -> None:
        self._to = to
        if to == "csv":
            from ringfen.notation.csv_form import COLUMNS

            self._row(COLUMNS)

    def _row(self, fields: Sequence[str]) -> None:
        import csv
        from io import StringIO

        line = StringIO()
        csv.writer(line, lineterminator="\n").writerow(fields)
        print_data(line.getvalue())

    def write(self, record: Any) -> None:
        if self._to == "csv":
            from ringfen.notation.csv_form import record_to_row

            self._row(record_to_row(record))
        elif self._to == "jsonl":
            from ringfen.notation.json_form import json_line

            print_data(f"{json_line(record)}\n")
        else:
            from ringfen.notation.writing import write_record

            print_data(write_record(record))


# ---- positions ----


@click.command()
@reading_options
@from_option
@click.option("--record", "only", type=WholeNumber(1), metavar="N", help="Of record N of each file alone.")
@click.option("--ply", type=WholeNumber(0), metavar="N", help="The position after N plies; shorter games have none.")
@click.option("--last", is_flag=True, help="The last position; what is printed unless something else is asked for.")
@click.option("--every", is_flag=True, help="Every position, the start and the last included.")
@click.option("--unique", is_flag=True, help="Each position once, however many records reach it.")
@click.option("--partial", is_flag=True, help="Positions of invalid records too, up to the fault.")
@json_option
def positions(
    files: Sequence[str],
    board_path: Sequence[Path],
    max_record: int,
    form: str | None,
    only: int | None,
    ply: int | None,
    last: bool,
    every: bool,
    unique: bool,
    partial: bool,
    as_json: bool,
) -> int:
    """Print positions of records, one a line, ready for solve.

    They are those of the main lines.
    An invalid record is reported and makes the exit status 1. It is left out, but with --partial its positions up to
    the first ply that cannot be played are printed.

    \b
    Example:
      ringfen positions games.rgn --ply 10 --unique
      ringfen positions games.rgn | ringfen solve -
    """
    from ringfen.notation.reading import PliesWanted

    wanted = PliesWanted(ply, every, last or (ply is None and not every))
    seen: set[bytes] | None = set() if unique else None
    reading = Reading(files, form, board_path, max_record)
    for source in reading.sources():
        for raw in source.raw_records():
            report, kept = source.reader.positions(raw, wanted)
            source.count(report)
            if only is not None and report.number != only:
                if report.number > only:
                    break
                continue
            if not report.valid:
                show([diagnostic for diagnostic in report.diagnostics if diagnostic.is_error], err=True)
                reading.wrong()
                if not partial:
                    continue
            lines = []
            for plies, position in kept:
                fen = position.fen
                if seen is None or _is_new(fen, seen):
                    lines.append(_position_line(fen, report, plies) if as_json else fen)
            if lines:
                click.echo("\n".join(lines))
    return reading.status


def _position_line(fen: str, report: Report, plies: int) -> str:
    import json

    fields = {"fen": fen, "file": report.source, "record": report.number, "ply": plies}
    return json.dumps(fields, ensure_ascii=False)


def _is_new(fen: str, seen: set[bytes]) -> bool:
    """Whether this position was not seen before. Kept as digests: a file may hold very many."""
    from hashlib import blake2b

    digest = blake2b(fen.encode(), digest_size=16).digest()
    if digest in seen:
        return False
    seen.add(digest)
    return True
