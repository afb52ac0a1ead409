"""Exact values of positions, one module for each method. Start with :func:`solve`; ``win.py`` chooses a method.

The import name of this package is ``ringfen.solving``.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Final

from ringfen.arguments import check_progress
from ringfen.control import Limits, ProgressCallback
from ringfen.options import (
    SolveKeywords,
    SolveOptions,
    check_options_used,
    chosen_options,
    takes_solve_keywords,
)
from ringfen.position import Position
from ringfen.solving.solution import JSON_FIELDS, PlyValue, Solution, Value, paranoid_player

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["JSON_FIELDS", "PlyValue", "Solution", "SolveOptions", "Value", "solve"]

#: The solver of each kind of value. It is imported when it is first used.
_SOLVERS: Final = {
    "win": "ringfen.solving.win:solve_win",
    "margin": "ringfen.solving.margin:solve_margin",
    "chance": "ringfen.solving.chance:solve_chance",
}


@takes_solve_keywords
def solve(
    position: Position | str,
    options: SolveOptions | None = None,
    *,
    progress: ProgressCallback | None = None,
    **chosen: Unpack[SolveKeywords],
) -> Solution:
    """Return the value of a position under best play.

    If a limit is reached, the solution contains the proven bounds; this is not an error. A file of endgame tables that
    cannot be used is skipped and listed in ``table_problems``. The keywords are those of :class:`SolveOptions`, with
    ``seconds`` and ``nodes`` for its limits.

    :param position: A position or its text.
    :param options: All keywords as one object. Options that do not apply to the game have no effect, so one object can
        be used for all games.
    :param seconds: Wall-clock time, above 0; None is no limit.
    :param nodes: Number of positions to visit, at least 1; None is no limit. Equal limits give equal answers.
    :param progress: A function that is called about 20 times per second.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds or does not apply to the game.
    :raises ringfen.RingfenError: A text is not a position.
    """
    found = chosen_options(options, chosen)
    check_progress(progress)
    start = Position.of(position)
    if options is None:
        check_options_used(found, [start.game])
    solution = _solved(start, found, progress)
    return _with_plies(start, found, progress, solution) if found.each else solution


def _solved(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    module, _, name = _SOLVERS[position.game.value_kind].partition(":")
    solution: Solution = getattr(import_module(module), name)(position, options, progress)
    return solution


def _with_plies(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, solution: Solution
) -> Solution:
    """Add the value after each ply, searched one ply less deep."""
    started = time.monotonic()
    child_options = _options_after(position, options)
    nodes, rows, problems = solution.nodes, [], list(solution.table_problems)
    for ply, after in position.successors():
        limits = options.limits.after(nodes, solution.seconds + time.monotonic() - started)
        if after.is_over:
            found = _solved(after, replace(child_options or options, limits=Limits()), progress)
        elif limits is None or child_options is None:
            rows.append(_value_without_search(position, options, solution, ply, after))
            continue
        else:
            found = _solved(after, replace(child_options, limits=limits), progress)
        nodes += found.nodes
        problems += [problem for problem in found.table_problems if str(problem) not in map(str, problems)]
        rows.append(PlyValue(ply, found.status, found.value, found.distance))
    seconds = solution.seconds + time.monotonic() - started
    return replace(solution, plies=tuple(rows), nodes=nodes, seconds=seconds, table_problems=tuple(problems))


def _options_after(position: Position, options: SolveOptions) -> SolveOptions | None:
    """Return the options for a position after a ply; None if no ply is left to search there."""
    if position.game.value_kind == "chance":
        if options.horizon == 1:
            return None
        player = paranoid_player(position, options) if options.model == "paranoid" else None
        return replace(options, player=player, depth=options.horizon - 1)
    if options.depth is None or position.game.value_kind == "margin":
        return options
    return None if options.depth == 1 else replace(options, depth=options.depth - 1)


def _value_without_search(
    position: Position, options: SolveOptions, solution: Solution, ply: str, after: Position
) -> PlyValue:
    """Return the value after a ply if no limit is left to search it.

    The value follows from the solution if the ply is a best ply.
    """
    value, distance = solution.value, solution.distance
    is_proven = solution.status == "exact" and ply in solution.best
    if is_proven and isinstance(value, int):
        return PlyValue(ply, "exact", value if after.player == position.player else -value)
    if is_proven and isinstance(value, str):
        kind = value if value == "draw" or after.player == position.player else {"win": "loss", "loss": "win"}[value]
        return PlyValue(ply, "exact", kind, None if distance is None else distance - 1)
    if solution.status == "horizon" and options.horizon == 1:
        return PlyValue(ply, "horizon", (Fraction(0),) * position.players)
    has_bounds = position.game.value_kind == "margin" or (options.model == "paranoid" and options.horizon == 1)
    # A margin always has bounds: no side can get more points than there are.
    return PlyValue(ply, "bound" if has_bounds else "unknown")
