"""``perft``: counts of ply sequences, of one position or against a file of known counts."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.common import (
    OK,
    USAGE,
    WRONG,
    Line,
    Positions,
    hash_option,
    json_option,
    lines_of,
    parsed,
    positions_from,
    print_json,
    print_table,
    quiet_option,
    report,
    threads_option,
    worst,
)
from ringfen.cli.progress import Meter, short
from ringfen.cli.quantities import WholeNumber
from ringfen.errors import PositionSyntaxError, RingfenError

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.position import Position


class _Counter:
    """perft with the options of the command line."""

    def __init__(self, threads: int, hash_mb: int) -> None:
        self.threads = threads
        self._hash_mb = hash_mb

    def count(self, position: Position, depth: int) -> int:
        from ringfen.counting import perft as count

        with Meter(f"perft {depth}") as meter:
            return count(position, depth, threads=self.threads, hash_mb=self._hash_mb, progress=meter)

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        from ringfen.counting import divide

        with Meter(f"perft {depth}") as meter:
            return divide(position, depth, threads=self.threads, hash_mb=self._hash_mb, progress=meter)


@click.command()
@positions_from(optional=True)
@click.option("--depth", "-d", type=WholeNumber(0, 255), metavar="D", help="How many plies, 0 to 255.")
@click.option("--divide", "divided", is_flag=True, help="Also the count below each ply.")
@click.option(
    "--suite", metavar="FILE", type=click.Path(), help='Check a file of JSON lines {"fen", "depth", "count"}.'
)
@threads_option
@hash_option(0)
@json_option
@quiet_option
def perft(
    positions: Positions,
    depth: int | None,
    divided: bool,
    suite: str | None,
    threads: int,
    hash: int,
    as_json: bool,
) -> int:
    """Count the sequences of plies of a length from a position.

    A chance event counts one ply with each of its possible results. --suite checks known counts instead; its exit
    status is 1 if one is wrong.

    \b
    Example:
      ringfen perft 'gyges 321123/....../....../....../....../321123 s - 1+1' --depth 3
      ringfen perft rings --depth 2 --divide
      ringfen perft --suite counts.jsonl --threads 2
    """
    counter = _Counter(threads, hash)
    if suite is not None:
        if positions.given or depth is not None or divided:
            raise click.UsageError("--suite has its own positions and depths.")
        return _check_suite(suite, counter, positions.board_path, as_json)
    if depth is None:
        raise click.UsageError("Missing option '--depth'.")
    positions.required()
    if divided and depth < 1:
        raise click.UsageError("--divide needs a depth of 1 or more.")
    for _, position in positions:
        started = perf_counter()
        parts = counter.divide(position, depth) if divided else []
        nodes = sum(count for _, count in parts) if divided else counter.count(position, depth)
        seconds = perf_counter() - started
        if as_json:
            fields: dict[str, Any] = {
                "fen": position.fen,
                "depth": depth,
                "nodes": nodes,
                "seconds": round(seconds, 6),
                "threads": threads,
            }
            if divided:
                fields["divide"] = dict(parts)
            print_json(fields)
        else:
            _print_counts(position, depth, parts, nodes, seconds)
    return positions.status


def _print_counts(position: Position, depth: int, parts: list[tuple[str, int]], nodes: int, seconds: float) -> None:
    click.echo(position.fen)
    if parts:
        print_table([(ply, f"{count:,}") for ply, count in parts], ("ply", "nodes"), ("left", "right"))
    rate = f", {short(nodes / seconds)} nodes/s" if seconds >= 0.001 else ""
    click.echo(f"perft {depth}: {nodes:,} ({seconds:.2f} s{rate})")


def _check_suite(name: str, counter: _Counter, board_path: Sequence[Path], as_json: bool) -> int:
    """Checks every line of a suite; 1 if a count is wrong, 2 if a line cannot be read."""
    status, right, wrong = OK, 0, 0
    for line in lines_of(name, comments=False):
        entry = _suite_entry(line, board_path)
        if entry is None:
            status = USAGE
            continue
        position, depth, count = entry
        nodes = counter.count(position, depth)
        right, wrong = right + (nodes == count), wrong + (nodes != count)
        if as_json:
            print_json({"fen": position.fen, "depth": depth, "count": count, "nodes": nodes, "ok": nodes == count})
        elif nodes == count:
            click.echo(f"ok     {depth} {count:,} {position.fen}")
        else:
            click.echo(f"{click.style('WRONG', fg='red')}  {depth} {nodes:,}, not {count:,}: {position.fen}")
    if not as_json:
        click.echo(f"{right} right, {wrong} wrong")
    return worst(status, WRONG if wrong else OK)


def _suite_entry(line: Line, board_path: Sequence[Path]) -> tuple[Position, int, int] | None:
    """The position, depth and count of a line; None, with a report, if it is malformed."""
    try:
        fen, depth, count = _suite_fields(line)
        # A mistake in the position is shown in the position.
        line = Line(line.source, line.number, fen, line.column + max(0, line.text.find(fen)))
        return parsed(line, board_path), depth, count
    except RingfenError as error:
        report(line, error)
        return None


def _suite_fields(line: Line) -> tuple[str, int, int]:
    import json

    def malformed(message: str, at: int = 0) -> PositionSyntaxError:
        return PositionSyntaxError(message, reason="bad-suite", text=line.text, at=at)

    try:
        entry = json.loads(line.text)
    except json.JSONDecodeError as error:
        raise malformed(f"no JSON: {error.msg}", error.pos) from None
    except (RecursionError, ValueError):
        raise malformed("no JSON that can be read: brackets or numbers without end") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("fen"), str):
        raise malformed('a line is an object with "fen", "depth" and "count"')
    depth, count = entry.get("depth"), entry.get("count")
    if type(depth) is not int or type(count) is not int or not 0 <= depth <= 255 or count < 0:
        raise malformed('"depth" is a number from 0 to 255, "count" one from 0')
    return entry["fen"], depth, count
