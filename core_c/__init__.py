"""Positions, plies and exact values for four board games: Gygès, The King of Rings, GRAN and Siaius."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib

# Initialize the C core before anything uses it.
if (_unsound := lib.rf_init(os.environ.get("RINGFEN_PLAIN", "") not in ("", "0"))) != ffi.NULL:
    raise ImportError(f"{ffi.string(_unsound).decode('ascii')} does not keep the limits of the core's interface")

from ringfen.errors import (
    BatchError,
    BoardError,
    CertificateError,
    IllegalPlyError,
    ImpossiblePositionError,
    LimitReached,
    NotSolved,
    PlySyntaxError,
    PositionSyntaxError,
    RecordError,
    RingfenError,
    TableError,
    UnsoundProblem,
)
from ringfen.version import __version__

if TYPE_CHECKING:
    from ringfen import notation
    from ringfen.batch.many import solve_many
    from ringfen.certificates.prove import prove
    from ringfen.certificates.verify import verify
    from ringfen.control import Limits, Progress
    from ringfen.counting import divide, perft
    from ringfen.notation.random_play import random_game
    from ringfen.options import SolveOptions
    from ringfen.position import Outcome, Position
    from ringfen.problems.mining import Problem, find_problems
    from ringfen.problems.soundness import Verdict, check_problem
    from ringfen.problems.tree import SolutionTree, TreeNode, solution_tree
    from ringfen.rules import Game, game, game_by_id, game_ids, games
    from ringfen.solving import PlyValue, Solution, solve
    from ringfen.tables.directory import Tablebase

#: The module of each name that is loaded when it is first used, so that ``import ringfen`` is fast.
_LATE: Final = {
    "Game": "ringfen.rules",
    "Limits": "ringfen.control",
    "Outcome": "ringfen.position",
    "PlyValue": "ringfen.solving",
    "Position": "ringfen.position",
    "Problem": "ringfen.problems.mining",
    "Progress": "ringfen.control",
    "Solution": "ringfen.solving",
    "SolutionTree": "ringfen.problems.tree",
    "SolveOptions": "ringfen.options",
    "Tablebase": "ringfen.tables.directory",
    "TreeNode": "ringfen.problems.tree",
    "Verdict": "ringfen.problems.soundness",
    "check_problem": "ringfen.problems.soundness",
    "divide": "ringfen.counting",
    "find_problems": "ringfen.problems.mining",
    "game": "ringfen.rules",
    "game_by_id": "ringfen.rules",
    "game_ids": "ringfen.rules",
    "games": "ringfen.rules",
    "perft": "ringfen.counting",
    "prove": "ringfen.certificates.prove",
    "random_game": "ringfen.notation.random_play",
    "solution_tree": "ringfen.problems.tree",
    "solve": "ringfen.solving",
    "solve_many": "ringfen.batch.many",
    "verify": "ringfen.certificates.verify",
}

__all__ = [
    "BatchError",
    "BoardError",
    "CertificateError",
    "Game",
    "IllegalPlyError",
    "ImpossiblePositionError",
    "LimitReached",
    "Limits",
    "NotSolved",
    "Outcome",
    "PlySyntaxError",
    "PlyValue",
    "Position",
    "PositionSyntaxError",
    "Problem",
    "Progress",
    "RecordError",
    "RingfenError",
    "Solution",
    "SolutionTree",
    "SolveOptions",
    "TableError",
    "Tablebase",
    "TreeNode",
    "UnsoundProblem",
    "Verdict",
    "__version__",
    "check_problem",
    "divide",
    "find_problems",
    "game",
    "game_by_id",
    "game_ids",
    "games",
    "notation",
    "perft",
    "prove",
    "random_game",
    "solution_tree",
    "solve",
    "solve_many",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(import_module(_LATE[name]), name)
        return value
    if name == "notation":
        return import_module("ringfen.notation")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
