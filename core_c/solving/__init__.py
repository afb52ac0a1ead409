"""Exact values of positions: one entry for every game, one result type."""

from __future__ import annotations

from ringfen._core import lib
from ringfen.control import ProgressCallback
from ringfen.position import Position, as_position
from ringfen.solving.chance import solve_chance
from ringfen.solving.margin import solve_margin
from ringfen.solving.solution import Solution, SolveOptions, Value
from ringfen.solving.win import solve_win

__all__ = ["Solution", "SolveOptions", "Value", "solve"]


def solve(
    position: Position | str, options: SolveOptions | None = None, *, progress: ProgressCallback | None = None
) -> Solution:
    """The value of a position, as far as it can be proven within the limits.

    A limit that is reached is no error: the solution says what is proven.

    :param position: a position or its text.
    :raises TypeError: ``position`` or ``options`` is of another type.
    :raises ValueError: an option does not fit the game or the position.
    """
    position = as_position(position)
    options = SolveOptions() if options is None else options
    if not isinstance(options, SolveOptions):
        raise TypeError(f"options is a SolveOptions, not {type(options).__name__}")
    solver = lib.rf_game_solver(position.game.cdata)
    if solver == lib.RF_SOLVER_WIN:
        return solve_win(position, options, progress)
    if solver == lib.RF_SOLVER_MARGIN:
        return solve_margin(position, options, progress)
    return solve_chance(position, options, progress)
