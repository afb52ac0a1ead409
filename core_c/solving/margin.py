"""Exact margins, for games with a score. The search is in the C core (search/margins.c, search/threshold.inc)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ringfen._core import ffi, lib
from ringfen.control import Control, ProgressCallback
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.solving.solution import Solution, SolveOptions

if TYPE_CHECKING:
    from ringfen._core import rf_margin_result


def solve_margin(position: Position, options: SolveOptions, progress: ProgressCallback | None = None) -> Solution:
    """The margin for the side to move under perfect play, every best ply and one line of best play.

    One thread does the work whatever ``options.threads`` says.

    :raises MemoryError: there is not enough memory.
    """
    started = time.monotonic()
    core = position.game.cdata
    search = owned(lib.rf_margin_new(core, options.hash_mb << 20), lib.rf_margin_free)
    control = Control(options.limits, progress)
    result = ffi.new("rf_margin_result *")
    lib.rf_margin_solve(search, position.context.cdata, position.state, result, control.cdata)
    control.finish()
    return _solution(position, result, control.nodes, time.monotonic() - started)


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
    best = tuple(sorted(_text(position, result.best[i]) for i in range(result.best_count)))
    return Solution(
        status="exact",
        value=lower,
        distance=0 if position.is_over else None,
        best=best,
        best_complete=bool(result.best_complete),
        pv=_line(position, result) or best[:1],
        endless=None if result.endless < 0 else bool(result.endless),
        **common,
    )


def _line(position: Position, result: rf_margin_result) -> tuple[str, ...]:
    plies = []
    for i in range(result.line_length):
        plies.append(_text(position, result.line[i]))
        position = position.apply(plies[-1])
    return tuple(plies)


def _text(position: Position, ply: int) -> str:
    out = ffi.new("char[]", lib.rf_game_max_ply_text(position.game.cdata))
    size = lib.rf_format_ply(position.game.cdata, position.context.cdata, position.state, ply, out)
    return ffi.unpack(out, size).decode("ascii")
