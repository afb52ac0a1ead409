"""``validate``: report the errors of records."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import print_error
from ringfen.cli.output import counted, json_text, print_data, print_json
from ringfen.cli.record_files import InputRecords, Source, diagnostic_text, warning_texts, with_advice
from ringfen.cli.shared_options import json_option, reading_options, record_jobs_option
from ringfen.cli.usage_hints import hint_for_code
from ringfen.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.diagnostics import Diagnostic
    from ringfen.notation.record import Report
    from ringfen.position import Outcome
    from ringfen.rules import Game


@click.command()
@reading_options
@record_jobs_option
@click.option("--show", "show_boards", is_flag=True, help="Draw the board before each invalid ply.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--errors-only", is_flag=True, help="Hide warnings and valid records.")
@click.option("--ignore", "ignored", multiple=True, metavar="CODE", help="Hide warnings with this code. Repeatable.")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "github"]),
    default="text",
    help="Print text, or GitHub workflow commands.  [default: text]",
)
@json_option
def validate(
    files: Sequence[str],
    board_path: Sequence[Path],
    show_boards: bool,
    strict: bool,
    errors_only: bool,
    ignored: Sequence[str],
    output: str,
    as_json: bool,
) -> int:
    """Check game records: legal plies, numbers, results.

    Prints each error with its place and its code (see 'ringfen explain'), and a line for each file. The exit status is
    1 if a record has an error.

    \b
    Example:
      ringfen validate examples/gyges-2001.rgn
      ringfen validate --json games.rgn | jq -c 'select(.valid | not)'
    """
    if as_json and output == "github":
        raise click.UsageError("--format github prints no JSON: omit --json.")
    _check_ignored(ignored)
    run = _Run(show_boards, strict, errors_only, ignored, output, as_json)
    inputs = InputRecords(files, board_path)
    for source in inputs.sources():
        run.check(source)
        if source.invalid or (strict and source.is_readable and not source.records):
            inputs.wrong()
    if strict and not inputs.files:
        inputs.wrong()
    run.print_totals()
    return inputs.status


def _check_ignored(codes: Sequence[str]) -> None:
    """Raise a usage error if one of the codes of ``--ignore`` is not that of a warning."""
    if not codes:
        return
    from ringfen.notation.diagnostics import CODES, WARNING

    warnings = [code for code, (severity, _) in CODES.items() if severity == WARNING]
    for code in codes:
        if code not in warnings:
            hint = "" if code in CODES else f" {hint_for_code(code, warnings)}"
            raise click.UsageError(f"--ignore takes codes of warnings, but {code[:40]!r} is not one.{hint}")


class _Run:
    """One run of ``validate`` with its options."""

    def __init__(
        self, boards: bool, strict: bool, errors_only: bool, ignored: Sequence[str], output: str, as_json: bool
    ) -> None:
        self.boards = boards
        self.strict = strict
        self.errors_only = errors_only
        self.ignored = ignored
        self.output = output
        self.as_json = as_json
        self._totals = _Totals()

    def check(self, source: Source) -> None:
        """Check the records of a file and print the reports and the summary."""
        from ringfen.notation.bulk_check import CleanRecords

        each = self.as_json and not self.errors_only
        # Warnings that make records invalid, or that are shown in another form than text, need the full check.
        needs_all = each or self.strict or self.boards or (self.output == "github" and not self.errors_only)
        with _printer(self.as_json, self.output, self.boards) as (print_report, print_clean):
            for raw in source.bulk_checked(each=each, locate=not needs_all):
                if isinstance(raw, CleanRecords):
                    if self.ignored:
                        raw = raw._replace(warnings=[one for one in raw.warnings if one.code not in self.ignored])
                    if not self.errors_only:
                        print_clean(source, raw)
                    source.records += raw.passed
                    source.plies += raw.plies
                    source.warnings += len(raw.warnings)
                else:
                    self._check_record(source, source.reader.check(raw), print_report)
        if self.strict and source.is_readable and not source.records:
            self._report_no_records(source)
        if source.is_readable and not self.as_json and self.output == "text":
            self._totals.add(source)
            if source.invalid or not self.errors_only:
                click.echo(_summary(printable(source.name), source))

    def print_totals(self) -> None:
        """Print the sums of several files."""
        if self._totals.files > 1 and (self._totals.invalid or not self.errors_only):
            click.echo(_summary(f"{self._totals.files:,} files", self._totals))

    def _check_record(self, source: Source, report: Report, print_report: Callable[[Report, bool], None]) -> None:
        if self.ignored:
            report.diagnostics = [one for one in report.diagnostics if one.code not in self.ignored]
        valid = source.count(report, strict=self.strict)
        if self.errors_only:
            report.diagnostics = [one for one in report.diagnostics if one.is_error or self.strict]
        if not (self.errors_only and valid):
            print_report(report, valid)

    def _report_no_records(self, source: Source) -> None:
        if self.output == "github":
            click.echo(f"::error file={_property(source.name)}::{_NO_RECORDS}")
        else:
            print_error(f"{source.name}: {_NO_RECORDS}")


#: The error for a file without records under --strict.
_NO_RECORDS = "the file contains no records, which --strict does not accept"


@contextmanager
def _printer(
    as_json: bool, output: str, boards: bool
) -> Iterator[tuple[Callable[[Report, bool], None], Callable[[Source, CleanRecords], None]]]:
    """Yield the functions that print the report of a record, and records that passed, in the chosen format."""
    if as_json:
        yield _print_json, _print_clean
    elif output == "github":
        yield _print_workflow_commands, lambda _source, _clean: None
    else:
        with _TextBuffer() as buffer:
            yield (
                lambda report, _: buffer.add([diagnostic_text(one, boards=boards) for one in report.diagnostics]),
                lambda source, clean: buffer.add(warning_texts(source.name, source.records, clean)),
            )


def _print_json(report: Report, valid: bool) -> None:
    report.diagnostics = [with_advice(one) for one in report.diagnostics]
    print_json(report_fields(report, valid))


def _print_workflow_commands(report: Report, _valid: bool) -> None:
    for diagnostic in map(with_advice, report.diagnostics):
        click.echo(_workflow_command(diagnostic))


class _TextBuffer:
    """Collects the texts of diagnostics and prints many at a time; on a terminal, prints each at once."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._most = 1 if sys.stdout.isatty() else 100

    def __enter__(self) -> _TextBuffer:
        return self

    def add(self, texts: Sequence[str]) -> None:
        """Add the texts of one or more records."""
        self._waiting += texts
        if len(self._waiting) >= self._most:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            click.echo("\n".join(waiting))

    def __exit__(self, *_: object) -> None:
        self._write()


def _workflow_command(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as a GitHub workflow command."""
    place = {"file": diagnostic.source, "line": diagnostic.line, "col": diagnostic.column, "title": diagnostic.code}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in place.items())
    message = diagnostic.message
    if diagnostic.suggest:
        message += f" (perhaps {' or '.join(diagnostic.suggest)})"
    return f"::{diagnostic.severity} {properties}::{_escaped(printable(message))}"


def _property(text: str) -> str:
    return printable(_escaped(text)).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _print_clean(source: Source, clean: CleanRecords) -> None:
    """Print a JSON object for each of these records."""
    lines = [
        json_text(_fields(source.name, number, record.game, True, record.plies, record.outcome, []))
        for number, record in enumerate(clean.records, source.records + 1)
    ]
    if lines:
        print_data("".join(lines))


def report_fields(report: Report, valid: bool) -> dict[str, Any]:
    """Return the JSON fields for a record."""
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


class _Totals:
    """The sums of the files whose summary is printed."""

    def __init__(self) -> None:
        self.files = self.records = self.plies = self.invalid = self.errors = self.warnings = 0

    def add(self, source: Source) -> None:
        """Add the sums of a file."""
        self.files += 1
        self.records += source.records
        self.plies += source.plies
        self.invalid += source.invalid
        self.errors += source.errors
        self.warnings += source.warnings


def _summary(name: str, source: Source | _Totals) -> str:
    if not source.records:
        return f"{name}: no records"
    parts = [counted(source.records, "record"), counted(source.plies, "ply", "plies")]
    if source.errors:
        parts.append(counted(source.errors, "error"))
    if source.warnings:
        parts.append(counted(source.warnings, "warning"))
    verdict = f"{source.invalid} invalid" if source.invalid else "valid"
    return f"{name}: {', '.join(parts)}: {verdict}"
