"""Win, loss or draw with a distance, for games of two players: the choice of the method if there are endgame tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ringfen.control import Limits, ProgressCallback
from ringfen.errors import TableError
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.core_answers import fits_in_memory, solve_in_core
from ringfen.solving.proof_number import solve_by_proof_number
from ringfen.solving.solution import Solution
from ringfen.solving.tables import solve_with_tables, tables_for

T = TypeVar("T")


def solve_win(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    """Solve a position.

    Use endgame tables if they cover it; otherwise proof-number search if the reachable positions do not fit in memory
    and there are tables for its leaves; otherwise the methods of the C core. With a depth, only tables and forward
    search are used.
    """
    if position.is_over:
        return solve_in_core(position, options, progress)

    def solved(limits: Limits) -> Solution:
        return _solve(position, replace(options, limits=limits), progress)

    solution = without_damaged_tables(position, options, solved)
    return replace(solution, table_problems=table_problems(position, options))


def _solve(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    started = time.monotonic()
    solution = solve_with_tables(position, options)
    if solution is None and options.depth is None and not fits_in_memory(position, options):
        solution = solve_by_proof_number(position, options, progress, started)
    return solve_in_core(position, options, progress) if solution is None else solution


def table_problems(position: Position, options: SolveOptions) -> tuple[TableError, ...]:
    """Return the errors of the table files that were skipped when a position was solved."""
    if position.is_over:
        return ()
    searches = options.depth is None and not fits_in_memory(position, options)
    tables = tables_for(position, options, _most_stones(position) if searches else None)
    return () if tables is None else tables.problems


def _most_stones(position: Position) -> int:
    """Return the maximum number of stones for which tables of the game are read."""
    rules = position.game.tables
    return 0 if rules is None else max(rules.max_stones, rules.max_search_stones)


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
            tables = tables_for(position, options, _most_stones(position))
            if tables is None or not tables.drop(error):
                raise
        # A call without any time left still returns the proven result.
        limits = options.limits.after(0, time.monotonic() - started) or Limits(nodes=1)
