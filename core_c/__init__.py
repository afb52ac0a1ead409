"""Positions, plies and exact values for four board games: Gygès, The King of Rings, GRAN and Siaius."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ringfen._core import lib

lib.rf_init(os.environ.get("RINGFEN_PLAIN", "") not in ("", "0"))

from ringfen.control import Limits, Progress  # noqa: E402 - the core is made ready before anything uses it
from ringfen.errors import (  # noqa: E402
    BoardError,
    IllegalPlyError,
    ImpossiblePositionError,
    LimitReached,
    PlySyntaxError,
    PositionSyntaxError,
    RingfenError,
    TableError,
)
from ringfen.games import Game, game_by_id, game_ids  # noqa: E402
from ringfen.position import Outcome, Position  # noqa: E402
from ringfen.version import __version__  # noqa: E402

if TYPE_CHECKING:
    from ringfen.solving import Solution, SolveOptions

__all__ = [
    "BoardError",
    "Game",
    "IllegalPlyError",
    "ImpossiblePositionError",
    "LimitReached",
    "Limits",
    "Outcome",
    "PlySyntaxError",
    "Position",
    "PositionSyntaxError",
    "Progress",
    "RingfenError",
    "Solution",
    "SolveOptions",
    "TableError",
    "__version__",
    "game_by_id",
    "game_ids",
]


def __getattr__(name: str) -> Any:
    # Loading it takes as long as all the rest of the package, and most commands solve nothing.
    if name in ("Solution", "SolveOptions"):
        from ringfen import solving

        return getattr(solving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
