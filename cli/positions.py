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
from ringfen.cli.record_files import Reading, show
from ringfen.cli.rewriting import spool
from ringfen.cli.shared_options import json_option, reading_options
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.record import Report
    from ringfen.position import Position

#: Positions that are printed at a time.
_AT_A_TIME = 1000


@click.command()
@reading_options
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
    reading = Reading(files, board_path)
    any_printed = False
    for source in reading.sources():
        for raw in source.raw_records():
            with spool() as kept:  # there may be very many, and only the end of the record says whether it is valid
                report = source.reader.positions(raw, wanted, partial_of(_keep, kept))
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
                any_printed |= _print_positions(kept, report, seen, as_json)
        if only is not None and source.records < only:
            click.echo(f"note: {printable(source.name)}: there is no record {only} among {source.records:,}", err=True)
    if not any_printed and reading.is_read and reading.status == OK:
        click.echo(f"note: no positions were found{'' if ply is None else f' after {ply:,} plies'}", err=True)
    return reading.status


def _keep(kept: IO[bytes], plies: int, position: Position) -> None:
    kept.write(f"{plies} {position.fen}\n".encode())


def _print_positions(kept: IO[bytes], report: Report, seen: set[bytes] | None, as_json: bool) -> bool:
    """Prints what was kept of a record; whether that was anything."""
    kept.seek(0)
    lines, any_printed = [], False
    for line in kept:
        plies, _, fen = line.decode().rstrip("\n").partition(" ")
        if seen is None or _is_new(fen, seen):
            lines.append(_position_line(fen, report, int(plies)) if as_json else f"{fen}\n")
            any_printed = True
        if len(lines) == _AT_A_TIME:
            print_data("".join(lines))
            lines.clear()
    if lines:
        print_data("".join(lines))
    return any_printed


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
