"""Win, loss or draw where every value is at hand: from endgame tables, or from all positions that can be reached."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from ringfen._core import lib
from ringfen.control import Limits, ProgressCallback
from ringfen.errors import LimitReached
from ringfen.position import Position
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.solution import Solution, SolveOptions
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables, board_of, tables_directory
from ringfen.win_value import WinValue, best_plies, principal_line

#: About how many bytes a reachable position takes, successors and analysis included.
_BYTES_A_POSITION: Final = 250
#: For positions with so many stones that it can be expected to fail.
_BYTES_OF_A_SHORT_TRY: Final = 16 << 20


def from_tables(position: Position, options: SolveOptions) -> Solution | None:
    """The solution that endgame tables give; None if they do not cover the position.

    :raises ringfen.TableError: a table cannot be used, or a block that is needed is damaged.
    """
    started = time.monotonic()
    board = board_of(position)
    if board is None:
        return None
    directory = tables_directory(options.tables)
    try:
        changed = (directory / board.folder).stat().st_mtime_ns
    except OSError:
        return None
    tables = _opened(board, directory, changed)

    def value_of(at: Position) -> WinValue:
        value = tables.value(at)
        if value is None:
            raise KeyError(at.fen)
        return value

    try:
        return _solution(position, options, value_of, 0, started)
    except KeyError:
        return None


@lru_cache(maxsize=8)
def _opened(board: Board, directory: Path, changed: int) -> Tables:
    """The tables of a folder; ``changed`` is when files last came or went there."""
    return Tables(board, directory)


def from_reachable(
    position: Position, options: SolveOptions, progress: ProgressCallback | None
) -> tuple[Solution | None, int]:
    """The solution by retrograde analysis, None if that would not fit in the memory or the limits; and its nodes."""
    started = time.monotonic()
    memory = _memory_for(position, options.hash_mb << 20)
    if memory == 0:
        return None, 0
    try:
        graph = ReachableGraph(position, memory, limits=_half(options.limits), progress=progress)
    except (LimitReached, TooManyPositions) as error:
        return None, error.nodes
    return _solution(position, options, graph.value, graph.nodes, started), graph.nodes


def _memory_for(position: Position, memory: int) -> int:
    """How much of the memory a try may take: all if there are places enough in it for few stones, else a little.

    A full board or a blocked one can have few reachable positions, which the little is enough to find out.
    """
    places = int(lib.rf_endgame_places(position.game.cdata, position.context.cdata, position.state))
    if places == 0:
        return 0
    return memory if places * _BYTES_A_POSITION <= memory else min(memory, _BYTES_OF_A_SHORT_TRY)


def _half(limits: Limits) -> Limits:
    """Limits for a first try, which leaves as much for a second."""
    return Limits(
        None if limits.nodes is None else limits.nodes // 2, None if limits.seconds is None else limits.seconds / 2
    )


def _solution(
    position: Position, options: SolveOptions, value_of: Callable[[Position], WinValue], nodes: int, started: float
) -> Solution:
    value, distance = value_of(position)
    if options.plies is not None and (distance is None or distance > options.plies):
        seconds = time.monotonic() - started
        return Solution(position.fen, position.game.id, "unknown", nodes=nodes, seconds=seconds, decided=options.plies)
    best = best_plies(position, value_of)
    pv = principal_line(position, value_of)
    return Solution(
        position.fen,
        position.game.id,
        "exact",
        value=value,
        distance=distance,
        best=best,
        best_complete=True,
        pv=pv,
        nodes=nodes,
        seconds=time.monotonic() - started,
    )
