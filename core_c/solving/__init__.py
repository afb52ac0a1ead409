"""Exact values of positions: one entry for every game, one result type."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Final

from ringfen.arguments import check_progress
from ringfen.control import Limits, ProgressCallback
from ringfen.position import Position
from ringfen.solving.solution import (
    JSON_FIELDS,
    PlyValue,
    Solution,
    SolveOptions,
    Value,
    asked_player,
    check_options_used,
    chosen_options,
)

__all__ = ["JSON_FIELDS", "PlyValue", "Solution", "SolveOptions", "Value", "chosen_options", "solve"]

#: Where each kind of value is solved. A solver is loaded when it is first used: no position needs all three.
_SOLVERS: Final = {
    "win": "ringfen.solving.win:solve_win",
    "margin": "ringfen.solving.margin:solve_margin",
    "chance": "ringfen.solving.chance:solve_chance",
}


def solve(
    position: Position | str,
    options: SolveOptions | None = None,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    threads: int = 1,
    hash_mb: int = 256,
    plies: int | None = None,
    model: str = "maxn",
    horizon: int = 8,
    player: int | None = None,
    until: Fraction | None = None,
    wdl: bool = False,
    each: bool = False,
    tables: str | Path | None = None,
    progress: ProgressCallback | None = None,
) -> Solution:
    """The value of a position under best play, as far as it can be proven within the limits.

    Reaching a limit is not an error: the solution says what is proven.

    :param seconds: wall-clock time for the position, above 0; None means no limit.
    :param nodes: positions to visit, 1 or more; None means no limit. Equal limits of nodes give equal answers.
    :param threads: threads to search with. An answer that is reached never depends on it.
    :param hash_mb: memory for tables of the search, in MiB, 1 or more.
    :param plies: (win, loss, draw) look this many plies ahead at most.
    :param model: (chance) ``"maxn"``, everyone plays for themselves, or ``"paranoid"``, all against ``player``.
    :param horizon: (chance) plies after which a game is broken off.
    :param player: (chance, paranoid) whose probability is asked for; None is the player to move.
    :param until: (chance, paranoid) deepen until the bounds are at most this far apart, 0 to 1.
    :param wdl: (win, loss, draw) ask for the value alone: ``distance`` is None, ``best`` holds the plies that are known
        to keep the value.
    :param each: also give what is proven of the position after every legal ply, as ``plies``, within the same limits.
    :param tables: (win, loss, draw) directory of endgame tables; None is the usual one.
    :param progress: called with news of the search about 20 times a second.
    :param options: all of these but ``progress`` as one object, in place of the keywords. Those that do not concern the
        game have no effect, so that one object serves positions of all games.
    :raises TypeError: an argument is of a wrong type.
    :raises ValueError: an argument is out of bounds or does not fit the game.
    :raises ringfen.RingfenError: a text is not that of a position, or a table is damaged.
    """
    chosen = chosen_options(
        options,
        seconds=seconds,
        nodes=nodes,
        threads=threads,
        hash_mb=hash_mb,
        plies=plies,
        model=model,
        horizon=horizon,
        player=player,
        until=until,
        wdl=wdl,
        each=each,
        tables=tables,
    )
    check_progress(progress)
    start = Position.of(position)
    if options is None:
        check_options_used(chosen, [start.game])
    solution = _solved(start, chosen, progress)
    return _with_plies(start, chosen, progress, solution) if chosen.each else solution


def _solved(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    module, _, name = _SOLVERS[position.game.value_kind].partition(":")
    solution: Solution = getattr(import_module(module), name)(position, options, progress)
    return solution


def _with_plies(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, solution: Solution
) -> Solution:
    """The solution with the value after each ply; one ply less is left to search there."""
    started = time.monotonic()
    asked, is_beyond = _options_after(position, options)
    nodes, rows = solution.nodes, []
    for ply, after in position.successors():
        limits = options.limits.after(nodes, solution.seconds + time.monotonic() - started)
        if after.is_over:
            limits = Limits()
        elif limits is None or is_beyond:
            rows.append(_value_without_search(position, solution, ply, after))
            continue
        found = _solved(after, replace(asked, limits=limits), progress)
        nodes += found.nodes
        rows.append(PlyValue(ply, found.status, found.value, found.distance))
    seconds = solution.seconds + time.monotonic() - started
    return replace(solution, plies=tuple(rows), nodes=nodes, seconds=seconds)


def _value_without_search(position: Position, solution: Solution, ply: str, after: Position) -> PlyValue:
    """The value of a position that no limit is left for: it follows from the solution if the ply is a best one."""
    value, distance = solution.value, solution.distance
    is_proven = solution.status == "exact" and ply in solution.best
    if is_proven and isinstance(value, int):
        return PlyValue(ply, "exact", value if after.player == position.player else -value)
    if is_proven and isinstance(value, str):
        kind = value if value == "draw" or after.player == position.player else {"win": "loss", "loss": "win"}[value]
        return PlyValue(ply, "exact", kind, None if distance is None else distance - 1)
    # A margin always has bounds: no side can get more points than there are.
    return PlyValue(ply, "bound" if position.game.value_kind == "margin" else "unknown")


def _options_after(position: Position, options: SolveOptions) -> tuple[SolveOptions, bool]:
    """What to ask after a ply, and whether nothing but a finished game can be told there."""
    if position.game.value_kind == "chance":
        player = asked_player(position, options) if options.model == "paranoid" else None
        return replace(options, player=player, horizon=max(options.horizon - 1, 0)), options.horizon == 0
    if options.plies is None:
        return options, False
    return replace(options, plies=max(options.plies - 1, 1)), options.plies == 1
