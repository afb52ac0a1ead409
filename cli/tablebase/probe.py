"""``tablebase probe``: look positions up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import LIMIT, OK, worst
from ringfen.cli.output import print_table
from ringfen.cli.position_input import Positions, print_answer
from ringfen.cli.shared_options import json_option, positions_from
from ringfen.cli.table_problems import TableProblems
from ringfen.cli.tablebase.common import building, directory_option
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.position import Position
    from ringfen.tables.files import Board
    from ringfen.tables.tablebase import Tables
    from ringfen.win_value import WinValue


@click.command()
@positions_from(many=True, boards=False)
@directory_option()
@json_option
def probe(positions: Positions, directory: Path | None, as_json: bool) -> int:
    """Look positions up: value, distance, and the value of every ply.

    All values are for the side to move. The distance after a ply includes the ply.

    If no table covers a position, names the table that is missing, and the exit status is 3.

    \b
    Example:
      ringfen tablebase probe 'siaius 10/10/4t5/10/10/3M6/10/5S4/10/10 s - - 0'
      ringfen tablebase probe --file positions.txt --json
    """
    status = OK
    opened: dict[Board, Tables] = {}
    problems = TableProblems()
    noted: set[str] = set()
    for line, position in positions:
        value, plies = probed(position, directory, opened, problems)
        if value is None and not problems.status:  # otherwise a skipped file may cover the position
            status = LIMIT
            note = _missing(position, directory, opened)
            if note not in noted:
                noted.add(note)
                click.echo(f"note: {note}", err=True)
        if as_json:
            print_answer(line, answer(position, value, plies))
        else:
            _print_answer(position, value, plies)
    return worst(status, positions.status, problems.status)


def probed(
    position: Position, directory: Path | None, opened: dict[Board, Tables], problems: TableProblems
) -> tuple[WinValue | None, dict[str, WinValue | None]]:
    """Return the value of a position and of its plies, each for the side to move there.

    Files that cannot be used are reported to ``problems`` and skipped.
    """
    from ringfen.errors import TableError
    from ringfen.tables.tablebase import Tables, board_of

    board = board_of(position)
    if board is None:
        return None, {}
    if board not in opened:
        opened[board] = Tables(board, directory, skip_bad=True)
        problems.report(opened[board].problems)
    while True:
        try:
            return _values(position, opened[board])
        except TableError as error:
            if not opened[board].drop(error):
                raise
            problems.report([error])


def _missing(position: Position, directory: Path | None, opened: dict[Board, Tables]) -> str:
    """Return which table a position lacks, and the command that builds it."""
    from ringfen.tables.tablebase import board_of, class_of

    rules = position.game.tables
    if rules is None:
        return f"there are no endgame tables of {position.game.id}"
    board, material = board_of(position), class_of(position)
    if board is None or material is None:
        return f"no table can cover such a position: {rules.covered}"
    name, tables = rules.name_of(material), opened[board]
    exists = any(info.material == material for info in tables.infos)
    missing = f"there are no tables that {name} needs" if exists else f"there is no table {name}"
    advice = f"{building(board, [name], directory)} {'them' if exists else 'it'}"
    return f"{missing} in {printable(str(tables.folder))}; {advice}"


def _values(position: Position, tables: Tables) -> tuple[WinValue | None, dict[str, WinValue | None]]:
    """Return the value of a position and of its plies, each for the side to move there.

    :raises TableError: A block that is needed is damaged.
    """
    from ringfen.win_value import value_after

    value = tables.value(position)
    plies = {}
    for ply, after in position.successors() if value is not None else ():
        below = tables.value(after)
        plies[ply] = None if below is None else value_after(position, after, below)
    return value, plies


def answer(position: Position, value: WinValue | None, plies: dict[str, WinValue | None]) -> dict[str, Any]:
    """Return the JSON fields for a position and its plies."""
    return {
        "fen": position.fen,
        "game": position.game.id,
        "status": "unknown" if value is None else "exact",
        "value": None if value is None else value[0],
        "distance": None if value is None else value[1],
        "best": [ply for ply, after in plies.items() if after == value],
        "plies": {ply: None if after is None else list(after) for ply, after in plies.items()},
    }


def _print_answer(position: Position, value: WinValue | None, plies: dict[str, WinValue | None]) -> None:
    click.echo(f"{position.fen}\n{_words(value)}")
    if plies:
        order = {"win": 0, "draw": 1, "loss": 2}

        def rank(item: tuple[str, WinValue | None]) -> tuple[int, int]:
            after = item[1]
            if after is None:
                return 3, 0
            distance = after[1] or 0
            return order[after[0]], distance if after[0] == "win" else -distance

        print_table([(ply, _words(after)) for ply, after in sorted(plies.items(), key=rank)], ("ply", "value"))


def _words(value: WinValue | None) -> str:
    if value is None:
        return "not covered by a table"
    kind, distance = value
    return kind if distance is None else f"{kind} in {distance}"
