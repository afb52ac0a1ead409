"""Exact values of positions. The C core finds them (``core_answers.py``); ``win.py`` adds the methods with endgame
tables.

The import name of this package is ``ringfen.solving``.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Final

from ringfen.arguments import check_progress
from ringfen.control import ProgressCallback
from ringfen.options import (
    SolveKeywords,
    SolveOptions,
    check_options_used,
    chosen_options,
    takes_solve_keywords,
)
from ringfen.position import Position
from ringfen.solving.core_answers import check_chance_options, solve_in_core, with_plies
from ringfen.solving.solution import JSON_FIELDS, PlyValue, Solution, Value

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["JSON_FIELDS", "PlyValue", "Solution", "SolveOptions", "Value", "solve"]

#: The module for wins, losses and draws. It imports the endgame tables, so it is imported when it is first used.
_WIN_SOLVER: Final = "ringfen.solving.win"


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
    if position.game.value_kind == "win":
        solution: Solution = import_module(_WIN_SOLVER).solve_win(position, options, progress)
        return solution
    if position.game.value_kind == "chance":
        check_chance_options(position, options)
    return solve_in_core(position, options, progress)


def _with_plies(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, solution: Solution
) -> Solution:
    """Add the value after each ply, searched one ply less deep."""
    problems = list(solution.table_problems)

    def solve_child(after: Position, child_options: SolveOptions) -> Solution:
        found = _solved(after, child_options, progress)
        problems.extend(problem for problem in found.table_problems if str(problem) not in map(str, problems))
        return found

    return replace(with_plies(position, options, solution, solve_child), table_problems=tuple(problems))
