"""Win, loss or draw from endgame tables, without any search."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import Solution
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables, board_of, table_directories
from ringfen.win_value import WinValue, best_plies, plies_that_keep_the_value, principal_line


def solve_with_tables(position: Position, options: SolveOptions) -> Solution | None:
    """Return the solution from endgame tables, or None if they do not cover the position.

    :raises ringfen.TableError: A block that is needed is damaged.
    """
    started = time.monotonic()
    tables = tables_for(position, options)
    if tables is None:
        return None
    try:
        return known_solution(position, options, value_lookup(tables), 0, started)
    except KeyError:
        return None


def tables_for(position: Position, options: SolveOptions, max_stones: int | None = None) -> Tables | None:
    """Return the open tables for the board of a position, or None if there is no folder for it.

    Files that cannot be used are skipped; :attr:`Tables.problems` lists them.

    :param max_stones: The maximum number of stones of the position, if it may exceed that of the tables.
    """
    board = board_of(position) if max_stones is None else board_of(position, max_stones)
    if board is None:
        return None
    return opened_tables(board, options.tables)


def opened_tables(board: Board, directory: str | Path | None) -> Tables | None:
    """Return the open tables of a board, or None if no directory has a folder for it."""
    changed = []
    for path in table_directories(directory):
        with suppress(OSError):
            changed.append((path, (path / board.folder).stat().st_mtime_ns))
    return _opened(board, directory, tuple(changed)) if changed else None


@lru_cache(maxsize=8)
def _opened(board: Board, directory: str | Path | None, changed: tuple[tuple[Path, int], ...]) -> Tables:
    """Return the tables of a board. ``changed``: when its folders changed, so that new files are found."""
    return Tables(board, directory, skip_bad=True)


def value_lookup(tables: Tables) -> Callable[[Position], WinValue]:
    """Return a function that reads the value of a position, and raises KeyError if the tables do not cover it."""

    def value_of(at: Position) -> WinValue:
        value = tables.value(at)
        if value is None:
            raise KeyError(at.fen)
        return value

    return value_of


def known_solution(
    position: Position, options: SolveOptions, value_of: Callable[[Position], WinValue], nodes: int, started: float
) -> Solution:
    """Return the solution of a position if the values of all its later positions are known."""
    fen, game = position.fen, position.game.id
    value, distance = value_of(position)
    if options.depth is not None and (distance is None or distance > options.depth):
        seconds = time.monotonic() - started
        return Solution(fen, game, "unknown", nodes=nodes, seconds=seconds, decided=options.depth)
    best = plies_that_keep_the_value(position, value_of) if options.wdl else best_plies(position, value_of)
    line = principal_line(position, value_of)
    return Solution(
        fen,
        game,
        "exact",
        value=value,
        distance=None if options.wdl and not position.is_over else distance,
        best=best,
        best_complete=True,
        pv=line,
        pv_complete=True,
        nodes=nodes,
        seconds=time.monotonic() - started,
    )
