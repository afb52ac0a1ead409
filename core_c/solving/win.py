"""Win, loss or draw with a distance, for games of two players: the choice of the method."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from ringfen.control import Limits, ProgressCallback
from ringfen.errors import TableError
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.forward import ForwardSearch, solve_by_forward_search
from ringfen.solving.proof_number import solve_by_proof_number
from ringfen.solving.retrograde import Attempt, fits_in_memory, solve_by_retrograde
from ringfen.solving.solution import Solution
from ringfen.solving.tables import solve_with_tables, tables_for
from ringfen.tables.proof_number import MAX_STONES

#: The maximum number of nodes of forward search if more memory for retrograde analysis would have given a solution.
_MAX_NODES_AFTER_RETROGRADE: Final = 100_000_000


T = TypeVar("T")


def solve_win(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    """Solve a position.

    Use endgame tables if they cover it; otherwise proof-number search if the reachable positions do not fit in memory
    and there are tables for its leaves; otherwise retrograde analysis; if that has no solution, forward search, which
    finds wins and losses but never proves a draw. With a depth, only tables and forward search are used.
    """
    if position.is_over:
        return _finished(position)

    def solved(limits: Limits) -> Solution:
        return _solve(position, replace(options, limits=limits), progress)

    solution = without_damaged_tables(position, options, solved)
    return replace(solution, table_problems=table_problems(position, options))


def _solve(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    started = time.monotonic()
    solution = solve_with_tables(position, options)
    attempt = Attempt(None)
    if solution is None and options.depth is None:
        if not fits_in_memory(position, options):
            solution = solve_by_proof_number(position, options, progress, started)
        if solution is None:
            attempt = solve_by_retrograde(position, options, progress)
            solution = attempt.solution
    if solution is None:
        solution = _solve_forward(position, options, progress, attempt, started)
    return solution


def table_problems(position: Position, options: SolveOptions) -> tuple[TableError, ...]:
    """Return the errors of the table files that were skipped when a position was solved."""
    if position.is_over:
        return ()
    searches = options.depth is None and not fits_in_memory(position, options)
    tables = tables_for(position, options, MAX_STONES if searches else None)
    return () if tables is None else tables.problems


def without_damaged_tables(position: Position, options: SolveOptions, work: Callable[[Limits], T]) -> T:
    """Return the result of ``work``. If it meets a damaged table, call it again without that file.

    :param work: A function of the limits that are left.
    """
    started = time.monotonic()
    limits = options.limits
    while True:
        try:
            return work(limits)
        except TableError as error:
            tables = tables_for(position, options, MAX_STONES)
            if tables is None or not tables.drop(error):
                raise
        # A call without any time left still returns the proven result.
        limits = options.limits.after(0, time.monotonic() - started) or Limits(nodes=1)


def _solve_forward(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, attempt: Attempt, started: float
) -> Solution:
    """Use forward search with the limits that retrograde analysis has left."""
    if attempt.placements is not None and options.limits == Limits():
        # Forward search never proves a draw, so it stops after about as many nodes as the analysis would have expanded.
        left: Limits | None = Limits(nodes=min(attempt.placements, _MAX_NODES_AFTER_RETROGRADE))
    else:
        left = options.limits.after(attempt.nodes, time.monotonic() - started)
    if left is None:
        seconds = time.monotonic() - started
        fen, game = position.fen, position.game.id
        return Solution(fen, game, "unknown", nodes=attempt.nodes, seconds=seconds, decided=0, note=attempt.note)
    search = ForwardSearch(position, replace(options, limits=left), progress, attempt.nodes)
    return solve_by_forward_search(position, options, search, attempt.note)


def _finished(position: Position) -> Solution:
    value = "draw" if position.outcome == "draw" else "win" if position.outcome == position.player else "loss"
    distance = None if value == "draw" else 0
    fen, game = position.fen, position.game.id
    return Solution(fen, game, "exact", value=value, distance=distance, best_complete=True, pv_complete=True)
