"""``tablebase list``, ``stats`` and ``longest``: list the tables and count their values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import OK, WRONG, print_error
from ringfen.cli.output import print_json, print_table
from ringfen.cli.progress import ProgressBar
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import json_option, quiet_option
from ringfen.cli.table_problems import TableProblems
from ringfen.cli.tablebase.common import (
    chosen_classes,
    chosen_folders,
    class_fields,
    directory_option,
    materials_option,
    requested,
    status_after,
    table_board_options,
    table_fields,
)
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.tables.files import TableInfo
    from ringfen.tables.tablebase import Zugzwangs


@click.command("list")
@table_board_options(required=False)
@directory_option()
@json_option
def list_tables(
    game: str | None, size: tuple[int, int] | None, huff: str | None, directory: Path | None, as_json: bool
) -> int:
    """List the tables: wins, draws and losses of the side to move.

    Also prints the longest win and loss.

    \b
    Example:
      ringfen tablebase list
      ringfen tablebase list siaius --size 10x10 --json
    """
    from ringfen.errors import TableError
    from ringfen.tables.tablebase import infos, tables_directory

    status = OK
    rows = []
    for folder in chosen_folders(directory, game, size, huff):
        for info in infos(folder):
            if isinstance(info, TableError):
                print_error(f"{info.reason}: {info.message}")
                status = WRONG
            elif as_json:
                print_json({**table_fields(info), **_longest(info)})
            else:
                rows.append(_row(info))
    if not as_json:
        if rows:
            headers = (
                "game",
                "board",
                "huff",
                "material",
                "entries",
                "bytes",
                "wins",
                "draws",
                "losses",
                "longest win",
                "longest loss",
            )
            print_table(rows, headers, (*["left"] * 4, *["right"] * 7))
        else:
            click.echo(f"no tables in {printable(str(tables_directory(directory)))}; {requested(directory)}")
    return status


def _row(info: TableInfo) -> tuple[str, ...]:
    stats = info.statistics
    numbers = info.entries, info.bytes, stats.wins, stats.draws, stats.losses
    longest = (f"{distance:,}" if distance else "–" for distance in (stats.longest_win, stats.longest_loss))
    board = info.board
    names = board.game, f"{board.files}x{board.ranks}", board.variant or "–", info.name
    return *names, *(f"{number:,}" for number in numbers), *longest


def _longest(info: TableInfo) -> dict[str, str | None]:
    """Return the positions of the longest win and loss."""
    from ringfen.tables.tablebase import position_text

    stats = info.statistics
    return {
        "longest_win_fen": position_text(info, stats.longest_win_at) if stats.longest_win else None,
        "longest_loss_fen": position_text(info, stats.longest_loss_at) if stats.longest_loss else None,
    }


@click.command("stats")
@table_board_options(required=False)
@materials_option
@directory_option()
@json_option
@quiet_option
def stats(
    game: str | None,
    size: tuple[int, int] | None,
    huff: str | None,
    materials: Sequence[str],
    directory: Path | None,
    as_json: bool,
) -> int:
    """Count the wins, losses and draws of each class by distance.

    Also counts the mutual zugzwangs, in which each player loses if it is to move, and the half-point zugzwangs, in
    which only one player loses if it is to move and the game is otherwise drawn.

    \b
    Example:
      ringfen tablebase stats siaius --size 8x8 --material SMvT
      ringfen tablebase stats --json
    """
    from ringfen.errors import TableError

    is_any = False
    problems = TableProblems()
    for tables, info in chosen_classes(directory, game, size, huff, materials, problems):
        is_any = True
        zugzwangs = None
        with ProgressBar(f"counting {info.name}") as bar:
            try:
                counts = tables.counts(info, progress=bar)
                zugzwangs = tables.zugzwangs(info, progress=bar)
            except TableError as error:
                problems.report([error])
                if Path(error.text) == info.path:
                    continue
        wins, losses = counts.wins, counts.losses
        if as_json:
            values = {"wins": wins, "draws": counts.draws, "losses": losses}
            print_json({**class_fields(info), **values, **_zugzwang_fields(zugzwangs)})
            continue
        full, half = zugzwangs or (None, None)
        click.echo(
            f"{info.board.folder} {info.name}: {sum(wins.values()):,} wins, {counts.draws:,} draws, "
            f"{sum(losses.values()):,} losses" + _words(full, "mutual zugzwangs") + _words(half, "half-point zugzwangs")
        )
        for kind, each in (("mutual", full), ("half-point", half)):
            if each is not None and each.positions:
                click.echo(f"longest {kind} zugzwang: loss in {each.longest}  {each.fen}")
        rows = [
            (str(distance), f"{wins.get(distance, 0):,}", f"{losses.get(distance, 0):,}")
            for distance in sorted({*wins, *losses})
        ]
        if rows:
            print_table(rows, ("distance", "wins", "losses"), ("right",) * 3)
    return status_after(is_any, directory, problems)


def _words(zugzwangs: Zugzwangs | None, name: str) -> str:
    return "" if zugzwangs is None else f", {zugzwangs.positions:,} {name}"


def _zugzwang_fields(zugzwangs: tuple[Zugzwangs, Zugzwangs] | None) -> dict[str, Any]:
    """Return the JSON fields; all are None if the class with the other side to move has no table."""
    fields: dict[str, Any] = {}
    for name, each in zip(("zugzwang", "half_zugzwang"), zugzwangs or (None, None), strict=True):
        fields[f"{name}s"] = None if each is None else each.positions
        exists = each is not None and each.positions > 0
        fields[f"longest_{name}"] = {"fen": each.fen, "distance": each.longest} if each is not None and exists else None
    return fields


@click.command("longest")
@table_board_options(required=False)
@materials_option
@click.option(
    "--first",
    type=WholeNumber(1, 1 << 32),
    default=1,
    show_default=True,
    metavar="N",
    help="Print the first N positions of each class.",
)
@directory_option()
@json_option
@quiet_option
def longest(
    game: str | None,
    size: tuple[int, int] | None,
    huff: str | None,
    materials: Sequence[str],
    first: int,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Print positions of each class with the longest wins.

    \b
    Example:
      ringfen tablebase longest siaius --size 8x8 --material SMvT --first 5
    """
    from ringfen.errors import TableError

    is_any = False
    problems = TableProblems()
    for tables, info in chosen_classes(directory, game, size, huff, materials, problems):
        is_any = True
        try:
            with ProgressBar(f"reading {info.name}") as bar:
                found = list(tables.longest_wins(info, first, progress=bar))
        except TableError as error:
            problems.report([error])
            continue
        for at, distance in found:
            fen = tables.text(info.material, at)
            if as_json:
                print_json({"material": info.name, "fen": fen, "value": "win", "distance": distance})
            else:
                click.echo(f"{info.name}  win in {distance}  {fen}")
    return status_after(is_any, directory, problems)
