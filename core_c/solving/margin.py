"""Exact margins, for games with a score. Each such game has its own solver in the C core."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ringfen._core import ffi, lib
from ringfen.control import Control, ProgressCallback
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import Solution
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import rf_margin, rf_margin_result


def solve_margin(position: Position, options: SolveOptions, progress: ProgressCallback | None = None) -> Solution:
    """Return the margin for the side to move under perfect play, every best ply and one line of best play.

    If ``options.threads`` is above 1, helper threads search the same questions and share the memory. With a node limit,
    which is exact and repeatable, only one thread is used.

    :raises MemoryError: There is not enough memory.
    """
    started = time.monotonic()
    helpers = 0 if options.limits.nodes is not None else options.threads - 1
    search = owned(lib.rf_margin_new(position.game.cdata, options.hash_mb << 20, helpers), lib.rf_margin_free)
    control = Control(options.limits, progress)
    result = ffi.new("rf_margin_result *")

    def solve() -> None:
        lib.rf_margin_solve(search, position.context.cdata, position.state, result, control.cdata)
        control.finish()

    if helpers == 0:
        solve()
    else:
        _with_helpers(search, helpers, solve)
    nodes = int(lib.rf_margin_helper_nodes(search)) + control.nodes
    return _solution(position, result, nodes, time.monotonic() - started)


def widest_margin(position: Position) -> int:
    """Return an upper bound of both sides' margins: in The King of Rings, the points of all rings."""
    return int(lib.rf_margin_widest(position.game.cdata, position.context.cdata, position.state))


def _with_helpers(search: rf_margin, helpers: int, solve: Callable[[], None]) -> None:
    """Call ``solve`` in this thread while helpers work on its questions. They have ended when this function returns."""
    with Threads[None, None](helpers) as pool:
        try:
            for helper in range(1, helpers + 1):
                pool.submit(None, partial(lib.rf_margin_help, search, helper))
            solve()
        finally:
            lib.rf_margin_stop_helpers(search)


def _solution(position: Position, result: rf_margin_result, nodes: int, seconds: float) -> Solution:
    sign = 1 if position.player == "s" else -1
    lower, upper = sorted((sign * result.lower, sign * result.upper))
    common: dict[str, Any] = {
        "fen": position.fen,
        "game": position.game.id,
        "nodes": nodes,
        "seconds": seconds,
    }
    if lower < upper:
        return Solution(status="bound", lower=lower, upper=upper, **common)
    best = tuple(sorted(position.ply_text(result.best[i]) for i in range(result.best_count)))
    return Solution(
        status="exact",
        value=lower,
        distance=0 if position.is_over else None,
        best=best,
        best_complete=bool(result.best_complete),
        pv=_line(position, result) or best[:1],
        pv_complete=bool(result.line_complete),
        endless=None if result.endless < 0 else bool(result.endless),
        **common,
    )


def _line(position: Position, result: rf_margin_result) -> tuple[str, ...]:
    plies = []
    for i in range(result.line_length):
        plies.append(position.ply_text(result.line[i]))
        position = position.apply(plies[-1])
    return tuple(plies)
