"""``fmt``: print records in canonical form."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ringfen.cli.exit_status import print_error, printing
from ringfen.cli.record_files import (
    InputRecords,
    Source,
    infrequent_collections,
    reject_json,
    release_record,
    show,
    text_with_gap,
)
from ringfen.cli.rewriting import (
    copy_stream,
    is_changed,
    print_diff,
    reject_packed,
    replace,
    rereadable,
    spool,
)
from ringfen.cli.shared_options import diff_option, reading_options, record_jobs_option, write_option
from ringfen.errors import RingfenError
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.setting_tags import TagSetter


@click.command("fmt")
@reading_options
@record_jobs_option
@click.option(
    "--check",
    is_flag=True,
    help="Print the names of files that would change; if there are any, the exit status is 1.",
)
@diff_option
@write_option
@click.option("--short", "short_form", is_flag=True, help="Drop the bounces and passed points that plies name.")
@click.option(
    "--set",
    "tags",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a tag in every record; an empty VALUE removes it. Repeatable.",
)
@infrequent_collections()
def fmt(
    files: Sequence[str],
    board_path: Sequence[Path],
    check: bool,
    diff: bool,
    write: bool,
    short_form: bool,
    tags: Sequence[str],
) -> int:
    """Print game records in canonical form.

    Comments, NAGs, variations and unknown tags stay; lines that begin with % are dropped. If a record is invalid, its
    file is neither printed nor written, and the exit status is 1. A record in which plies may be missing stays
    unchanged.

    \b
    Example:
      ringfen fmt games.rgn > tidy.rgn
      ringfen fmt --write *.rgn
    """
    if write and (check or diff):
        raise click.UsageError("--write changes files; --check and --diff do not. Give one of them.")
    if write and "-" in files:
        raise click.UsageError("--write needs files; standard input cannot be written.")
    setter = _tag_setter(tags, board_path)
    inputs = InputRecords(files, board_path, "rgn")
    for name in inputs.files:
        with inputs.reported(name), spool() as original, spool() as formatted:
            if write:
                reject_packed(name)
            target = inputs.changed(name) if write else None
            stream = rereadable(inputs, name, original)
            with stream:
                reject_json(name, stream)
                if not _format(inputs.source(name, stream), formatted, short_form, setter):
                    inputs.wrong()
                    continue
                changed = (check or diff or write) and is_changed(inputs, name, stream, formatted)
                if check and changed:
                    inputs.wrong()
                    if not diff:
                        click.echo(printable(name))
                if diff and changed:
                    print_diff(name, stream, formatted, "formatted")
                elif target is not None and changed:
                    replace(target, formatted)
                elif not (check or diff or write):
                    with printing():
                        sys.stdout.flush()
                        copy_stream(formatted, sys.stdout.buffer)
    return inputs.status


def _tag_setter(tags: Sequence[str], board_path: Sequence[Path]) -> TagSetter:
    from ringfen.notation.setting_tags import TagSetter

    try:
        return TagSetter(tags, board_path)
    except ValueError as error:
        raise click.UsageError(f"--set: {error}.") from None


def _format(source: Source, formatted: BinaryIO, short_form: bool, setter: TagSetter) -> bool:
    """Write the canonical text; report an invalid record and return False."""
    from ringfen.notation.bulk_check import SHORT, TEXT

    valid = True
    written = source.raw_records() if setter.needs_check else source.written(SHORT if short_form else TEXT)
    for raw in written:
        if isinstance(raw, bytes):
            if valid:
                formatted.write(setter.in_text(raw))
            continue
        record = source.reader.read(raw)
        source.count(record)
        errors = [diagnostic for diagnostic in record.diagnostics if diagnostic.is_error]
        if errors:
            show(errors, err=True)
            valid = False
        elif valid:
            text = text_with_gap(source, raw, record)
            try:
                formatted.write(setter.in_record(record, short=short_form).encode() if text is None else text)
            except RingfenError as error:
                print_error(error.message)
                valid = False
        release_record(record)
    return valid
