"""``positions``: positions that records reach, ready for ``solve``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial as partial_of
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK
from ringfen.cli.output import json_text, print_data
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.record_files import InputRecords, show
from ringfen.cli.rewriting import spool
from ringfen.cli.shared_options import json_option, reading_options
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.cli.record_files import Source
    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.record import Report

#: The number of positions that are printed at once.
_AT_A_TIME = 1000


@click.command()
@reading_options
@click.option(
    "--record", "only", type=WholeNumber(1), metavar="N", help="Print only positions of record N of each file."
)
@click.option(
    "--ply", type=WholeNumber(0), metavar="N", help="Print the position after N plies; shorter games have none."
)
@click.option("--last", is_flag=True, help="Print the last position (the default).")
@click.option("--every", is_flag=True, help="Print every position, including the start and the last.")
@click.option("--unique", is_flag=True, help="Print each position once, even if several records reach it.")
@click.option("--partial", is_flag=True, help="Include invalid records, up to the first ply that cannot be played.")
@json_option
def positions(
    files: Sequence[str],
    board_path: Sequence[Path],
    only: int | None,
    ply: int | None,
    last: bool,
    every: bool,
    unique: bool,
    partial: bool,
    as_json: bool,
) -> int:
    """Print positions of records, one per line, ready for solve.

    Reads the main lines only. An invalid record is reported and skipped, and the exit status is 1.

    \b
    Example:
      ringfen positions games.rgn --ply 10 --unique
      ringfen positions games.rgn | ringfen solve -
    """
    from ringfen.notation.bulk_check import CleanRecords
    from ringfen.notation.record_reader import PlySelection

    wanted = PlySelection(ply, every, last or (ply is None and not every))
    is_plain = only is None and ply is None and not every
    seen: set[bytes] | None = set() if unique else None
    inputs = InputRecords(files, board_path)
    any_printed = False
    for source in inputs.sources():
        for raw in source.bulk_checked(each=True, last=True, locate=True) if is_plain else source.raw_records():
            if isinstance(raw, CleanRecords):
                any_printed |= _print_last(source, raw, seen, as_json)
                continue
            with spool() as kept:  # there may be very many, and only the end of the record says whether it is valid
                report = source.reader.visit_positions(raw, wanted, partial_of(_keep, kept))
                source.count(report)
                if only is not None and report.number != only:
                    if report.number > only:
                        break
                    continue
                if not report.valid:
                    show([diagnostic for diagnostic in report.diagnostics if diagnostic.is_error], err=True)
                    inputs.wrong()
                    if not partial:
                        continue
                any_printed |= _print_positions(kept, report, seen, as_json)
        if only is not None and source.records < only:
            words = f"there is no record {only}; the file has {source.records:,}"
            click.echo(f"note: {printable(source.name)}: {words}", err=True)
    if not any_printed and inputs.is_read and inputs.status == OK:
        click.echo(f"note: no positions were found{'' if ply is None else f' after {ply:,} plies'}", err=True)
    return inputs.status


def _keep(kept: IO[bytes], plies: int, fen: bytes) -> None:
    kept.write(b"%d %s\n" % (plies, fen))


def _print_last(source: Source, clean: CleanRecords, seen: set[bytes] | None, as_json: bool) -> bool:
    """Print the last positions of records without errors; return whether there were any."""
    lines = []
    for record, last in zip(clean.records, clean.last, strict=True):
        source.records += 1
        source.plies += record.plies
        fen = last.fen
        if seen is None or _is_new(fen, seen):
            lines.append(_position_line(fen, source.name, source.records, record.plies) if as_json else f"{fen}\n")
    if lines:
        print_data("".join(lines))
    return bool(lines)


def _print_positions(kept: IO[bytes], report: Report, seen: set[bytes] | None, as_json: bool) -> bool:
    """Print the positions of a record; return whether there were any."""
    kept.seek(0)
    lines, any_printed = [], False
    for line in kept:
        plies, _, fen = line.decode().rstrip("\n").partition(" ")
        if seen is None or _is_new(fen, seen):
            lines.append(_position_line(fen, report.source, report.number, int(plies)) if as_json else f"{fen}\n")
            any_printed = True
        if len(lines) == _AT_A_TIME:
            print_data("".join(lines))
            lines.clear()
    if lines:
        print_data("".join(lines))
    return any_printed


def _position_line(fen: str, file: str, record: int | None, plies: int) -> str:
    return json_text({"fen": fen, "file": file, "record": record, "ply": plies})


def _is_new(fen: str, seen: set[bytes]) -> bool:
    """Return whether a position is new. Digests save memory: a file may contain very many positions."""
    from hashlib import blake2b

    digest = blake2b(fen.encode(), digest_size=16).digest()
    if digest in seen:
        return False
    seen.add(digest)
    return True
