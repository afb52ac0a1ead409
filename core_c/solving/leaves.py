"""Positions with a few more stones than tables have: a search with tables at its leaves, then forward search."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from ringfen.control import Limits, ProgressCallback
from ringfen.position import Position
from ringfen.solving.known import LeafSearch, from_leaves
from ringfen.solving.solution import Solution, SolveOptions
from ringfen.solving.win_search import WinSearcher, search_win

#: What forward search may take for a distance, however fast the value was found.
_FEWEST_NODES_BESIDE: Final = 200_000


def solve_with_leaves(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, started: float
) -> Solution | None:
    """The solution; None if there are no tables for the board.

    :param started: when work on the position began, by the clock of :func:`time.monotonic`.
    """
    searched = from_leaves(position, replace(options, limits=_most_of(options.limits)), progress)
    return None if searched is None else _beside(position, options, searched, started, progress)


def _beside(
    position: Position, options: SolveOptions, leaves: LeafSearch, started: float, progress: ProgressCallback | None
) -> Solution:
    """What a search with tables at its leaves has found, and what forward search adds: an exact distance, or more than
    nothing. For a distance, and without limits, it takes as many nodes as that search did, and at least a few."""
    found = leaves.solution
    if found is not None and found.status == "exact":
        return found
    left = options.limits.after(leaves.nodes, time.monotonic() - started)
    decided, nodes = 0, leaves.nodes
    if left is not None:
        if found is not None or left == Limits():
            most = max(leaves.nodes, _FEWEST_NODES_BESIDE)
            left = Limits(most if left.nodes is None else min(most, left.nodes), left.seconds)
        most_plies = found.upper if found is not None and isinstance(found.upper, int) else None
        asked = replace(options, limits=left, plies=most_plies)
        searcher = WinSearcher(position, asked, progress, leaves.nodes)
        solution = search_win(position, asked, searcher)
        decided, nodes = solution.decided or 0, solution.nodes
        if solution.status == "exact":
            return replace(solution, seconds=time.monotonic() - started)
    seconds = time.monotonic() - started
    if found is not None and decided + 1 == found.upper and leaves.exact_at_upper:
        best = leaves.exact_at_upper
        distance = decided + 1
        exact = replace(found, status="exact", distance=distance, best=best, pv=best[:1], lower=None, upper=None)
        return replace(exact, nodes=nodes, seconds=seconds)
    if found is not None:
        return replace(found, lower=decided + 1, nodes=nodes, seconds=seconds)
    fen, game = position.fen, position.game.id
    return Solution(fen, game, "unknown", nodes=nodes, seconds=seconds, decided=decided, note=leaves.note)


def _most_of(limits: Limits) -> Limits:
    """Three quarters of the limits; the rest is for forward search."""
    return Limits(
        None if limits.nodes is None else max(1, limits.nodes * 3 // 4),
        None if limits.seconds is None else limits.seconds * 3 / 4,
    )
