"""Win, loss or draw with a distance, for games of two players: four ways behind one answer.

Endgame tables if they cover the position; else retrograde analysis, if all that can be reached is likely to fit in
memory; else a search with tables at its leaves, if there are some for its board; else forward search, which finds wins
and losses (search/forced_wins.c).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from ringfen.control import Limits, ProgressCallback
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.known import Analysis, fits_in_memory, from_reachable, from_tables
from ringfen.solving.leaves import solve_with_leaves
from ringfen.solving.solution import Solution
from ringfen.solving.win_search import WinSearcher, search_win

#: Forward search ends after this many nodes at the latest where more memory would have given an answer.
_MOST_NODES_FOR_RETROGRADE: Final = 100_000_000


def solve_win(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    """Whether the side to move wins or loses, and in how many plies, or draws.

    Forward search never proves a draw: play without end has no last ply to look ahead to.
    """
    if position.is_over:
        return _finished(position)
    started = time.monotonic()
    known, tried = from_tables(position, options), Analysis(None)
    if known is None and options.depth is None and not fits_in_memory(position, options):
        searched = solve_with_leaves(position, options, progress, started)
        if searched is not None:
            return searched
    if known is None and options.depth is None:
        tried = from_reachable(position, options, progress)
        known = tried.solution
    if known is not None:
        return known
    left = _limits_of_search(options.limits, tried, time.monotonic() - started)
    if left is None:
        seconds = time.monotonic() - started
        fen, game = position.fen, position.game.id
        return Solution(fen, game, "unknown", nodes=tried.nodes, seconds=seconds, decided=0, note=_note(tried))
    searcher = WinSearcher(position, replace(options, limits=left), progress, tried.nodes)
    return search_win(position, options, searcher, _note(tried))


def _limits_of_search(limits: Limits, tried: Analysis, seconds: float) -> Limits | None:
    """What is left for forward search; None: nothing.

    It never proves a draw. So where nothing else limits it, and retrograde analysis would have had an answer, it ends
    after about as many nodes as that would have taken.
    """
    if tried.places is not None and limits == Limits():
        return Limits(nodes=min(tried.places, _MOST_NODES_FOR_RETROGRADE))
    return limits.after(tried.nodes, seconds)


def _note(tried: Analysis) -> str | None:
    if tried.enough_mb is None:
        return None
    return f"{tried.enough_mb} MB of memory (--hash {tried.enough_mb}) would be enough for an exact answer"


def _finished(position: Position) -> Solution:
    value = "draw" if position.outcome == "draw" else "win" if position.outcome == position.player else "loss"
    distance = None if value == "draw" else 0
    return Solution(
        position.fen, position.game.id, "exact", value=value, distance=distance, best_complete=True, pv_complete=True
    )
