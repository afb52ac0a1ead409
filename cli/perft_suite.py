"""``perft --suite``: checks known counts, from a file or those that are installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ringfen.cli.common import OK, USAGE, WRONG, Line, complain, lines_of, parsed, print_json, report, worst
from ringfen.cli.counter import Counter
from ringfen.errors import PositionSyntaxError, RingfenError

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.position import Position

#: The suites that are installed; ``./builtin`` is a file of that name.
BUILTIN = "builtin"


def check_suite(
    name: str, counter: Counter, board_path: Sequence[Path], as_json: bool, max_nodes: int | None = None
) -> int:
    """Checks every line of a suite; 1 if a count is wrong, 2 if a line cannot be read or there is none.

    :param max_nodes: rows with a larger count are skipped.
    """
    status, right, wrong, skipped = OK, 0, 0, 0
    is_empty = True
    for line in _lines(name):
        is_empty = False
        entry = _suite_entry(line, board_path)
        if entry is None:
            status = USAGE
            continue
        position, depth, count = entry
        if max_nodes is not None and count > max_nodes:
            skipped += 1
            if as_json:
                print_json({"fen": position.fen, "depth": depth, "count": count, "nodes": None, "ok": None})
            continue
        nodes = counter.count(position, depth)
        right, wrong = right + (nodes == count), wrong + (nodes != count)
        if as_json:
            print_json({"fen": position.fen, "depth": depth, "count": count, "nodes": nodes, "ok": nodes == count})
        elif nodes == count:
            click.echo(f"ok     {depth} {count:,} {position.fen}")
        else:
            click.echo(f"{click.style('WRONG', fg='red')}  {depth} {nodes:,}, not {count:,}: {position.fen}")
    if is_empty:
        complain(f"{name}: there are no counts in it")
        return USAGE
    if not as_json:
        more = "" if max_nodes is None else f", {skipped} skipped"
        click.echo(f"{right} right, {wrong} wrong{more}")
    return worst(status, WRONG if wrong else OK)


def _lines(name: str) -> Iterator[Line]:
    if name != BUILTIN and not name.startswith(f"{BUILTIN}:"):
        yield from lines_of(name, comments=False)
        return
    from ringfen.rules import game_by_id, game_ids

    chosen = name.removeprefix(BUILTIN).removeprefix(":")
    if ":" in name and chosen not in game_ids():
        raise click.UsageError(f"No game {chosen!r}; --suite {BUILTIN}:GAME takes one of {', '.join(game_ids())}.")
    for game_id in [chosen] if chosen else game_ids():
        for number, text in enumerate(game_by_id(game_id).suite().splitlines(), 1):
            yield Line(f"{BUILTIN}:{game_id}", number, text)


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
