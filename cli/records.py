"""``validate``, ``fmt``, ``convert``, ``positions``: files of game records."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ringfen.cli.common import (
    USAGE,
    complain,
    counted,
    csv_line,
    json_option,
    json_text,
    print_data,
    print_json,
    worst,
)
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.record_files import (
    Reading,
    Source,
    from_option,
    let_go,
    rare_collections,
    reading_options,
    show,
)
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.diagnostics import Diagnostic
    from ringfen.notation.record import Report
    from ringfen.position import Outcome
    from ringfen.rules import Game

_MEGABYTE = 1 << 20
#: A text that is formatted stays in memory up to this size.
_IN_MEMORY = 8 << 20


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
    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.diagnostics import CODES, WARNING

    if as_json and output == "github":
        raise click.UsageError("--format github prints no JSON: leave out --json.")
    for code in ignored:
        if CODES.get(code, ("", ""))[0] != WARNING:
            raise click.UsageError(f"--ignore takes codes of warnings, but {code[:40]!r} is not one.")
    reading = Reading(files, form, board_path, max_record)
    for source in reading.sources():
        with _Gathered(show_boards) as gathered:
            for raw in source.bulk_checked(each=as_json and not errors_only):
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
                else:
                    gathered.add(report.diagnostics)
        if source.invalid:
            reading.wrong()
        if not as_json and output == "text" and not (errors_only and not source.invalid):
            click.echo(_summary(source))
    return reading.status


class _Gathered:
    """Diagnostics on their way to the standard output, which are written many at a time unless somebody watches."""

    def __init__(self, boards: bool) -> None:
        self._boards = boards
        self._waiting: list[Diagnostic] = []
        watched = sys.stdout is not None and sys.stdout.isatty()
        self._most = 1 if watched else 100

    def __enter__(self) -> _Gathered:
        return self

    def add(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Takes up those of a record."""
        self._waiting += diagnostics
        if len(self._waiting) >= self._most:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        show(waiting, err=False, boards=self._boards)

    def __exit__(self, *_: object) -> None:
        self._write()


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
    lines = [
        json_text(_fields(source.name, number, record.game, True, record.plies, record.outcome, []))
        for number, record in enumerate(clean.records, source.records + 1)
    ]
    if lines:
        print_data("".join(lines))


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
    parts = [counted(source.records, "record"), counted(source.plies, "ply", "plies")]
    if source.errors:
        parts.append(counted(source.errors, "error"))
    if source.warnings:
        parts.append(counted(source.warnings, "warning"))
    verdict = f"{source.invalid} invalid" if source.invalid else "valid"
    return f"{source.name}: {', '.join(parts)}: {verdict}"


# ---- fmt ----


@click.command("fmt")
@reading_options
@click.option("--check", is_flag=True, help="Print nothing but the names of files that would change; status 1 if any.")
@click.option("--diff", is_flag=True, help="Print what would change.")
@click.option("--write", "-w", is_flag=True, help="Change the files themselves.")
@click.option("--short", "short_form", is_flag=True, help="Drop the bounces and passed points that plies name.")
@rare_collections()
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
        raise click.UsageError("--write changes files; --check and --diff do not. Give one of them.")
    if write and "-" in files:
        raise click.UsageError("--write needs files; standard input cannot be written.")
    reading = Reading(files, "rgn", board_path, max_record)
    for name in reading.files:
        if write and name.endswith(".gz"):
            complain(f"{name}: --write does not change compressed files")
            reading.status = worst(reading.status, USAGE)
            continue
        with reading.reported(name), spool() as original, spool() as formatted:
            stream = _rereadable(reading, name, original)
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


def _rereadable(reading: Reading, name: str, copy: BinaryIO) -> Any:
    """A stream that can be read twice."""
    if name != "-" and not name.endswith(".gz") and os.path.isfile(name):
        return open(name, "rb")
    with reading.opened(name) as stream:
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
        let_go(record)
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
@rare_collections()
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
            let_go(record)
    return reading.status


class _Writer:
    """Standard output for records in one of the forms."""

    def __init__(self, to: str) -> None:
        self._to = to
        if to == "csv":
            from ringfen.notation.csv_form import COLUMNS

            print_data(csv_line(COLUMNS))

    def write(self, record: Any) -> None:
        if self._to == "csv":
            from ringfen.notation.csv_form import record_to_row

            print_data(csv_line(record_to_row(record)))
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
    from ringfen.notation.record_reader import PliesWanted

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
                    lines.append(_position_line(fen, report, plies) if as_json else f"{fen}\n")
            if lines:
                print_data("".join(lines))
    return reading.status


def _position_line(fen: str, report: Report, plies: int) -> str:
    return json_text({"fen": fen, "file": report.source, "record": report.number, "ply": plies})


def _is_new(fen: str, seen: set[bytes]) -> bool:
    """Whether this position was not seen before. Kept as digests: a file may hold very many."""
    from hashlib import blake2b

    digest = blake2b(fen.encode(), digest_size=16).digest()
    if digest in seen:
        return False
    seen.add(digest)
    return True
