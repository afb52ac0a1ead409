"""Positions with a few more stones than tables have: a search with tables at its leaves, then forward search."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from ringfen.control import Limits, ProgressCallback
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.known import from_leaves
from ringfen.solving.solution import Solution
from ringfen.solving.win_search import WinSearcher, search_win

#: What forward search may take where nothing limits it.
_FEWEST_NODES: Final = 200_000


def solve_with_leaves(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, started: float
) -> Solution | None:
    """The solution; None if there are no tables for the board.

    :param started: when work on the position began, by the clock of :func:`time.monotonic`.
    """
    searched = from_leaves(position, options, progress)
    if searched is None or searched.solution is not None:
        return None if searched is None else searched.solution
    left = options.limits.after(searched.nodes, time.monotonic() - started)
    decided, nodes = 0, searched.nodes
    if left is not None:
        if left == Limits():
            left = Limits(max(searched.nodes, _FEWEST_NODES))
        asked = replace(options, limits=left)
        solution = search_win(position, asked, WinSearcher(position, asked, progress, searched.nodes))
        if solution.status != "unknown":
            return replace(solution, seconds=time.monotonic() - started)
        decided, nodes = solution.decided or 0, solution.nodes
    seconds = time.monotonic() - started
    fen, game = position.fen, position.game.id
    return Solution(fen, game, "unknown", nodes=nodes, seconds=seconds, decided=decided, note=searched.note)
