"""Who tells the plies for a certificate (:mod:`ringfen.prove`): searches asked about one position after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits
from ringfen.errors import LimitReached
from ringfen.position import Position, limit_reached
from ringfen.retrograde import ReachableGraph, best_plies
from ringfen.solving import Solution, SolveOptions, solve

#: Tells the plies, best first, by which the player to move keeps what the position promises them.
Adviser = Callable[[Position], Sequence[str]]

#: A win that is so near is found again by forward search wherever one is in its proof.
_NEAR = 8


class NotSolved(Exception):
    """A position whose value could not be proven within the limits; there is nothing to certify."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"{solution.fen} is not solved within the limits: status {solution.status}")
        self.solution = solution


def adviser_for(position: Position, solution: Solution, options: SolveOptions, memory_mb: int) -> Adviser:
    """The adviser that fits a solved position of a game of two players."""
    if lib.rf_game_solver(position.game.cdata) != lib.RF_SOLVER_WIN:
        return solver_advice(options)
    if solution.distance is not None and solution.distance <= _NEAR:
        return forced_win_advice(position, solution.distance, options)
    try:
        return graph_advice(position, options, memory_mb)
    except (LimitReached, MemoryError):
        return solver_advice(options)


def solver_advice(options: SolveOptions) -> Adviser:
    """Solves every position on its own."""

    def advise(position: Position) -> Sequence[str]:
        solution = solve(position, options)
        if solution.status != "exact":
            raise NotSolved(solution)
        return solution.best

    return advise


def graph_advice(root: Position, options: SolveOptions, memory_mb: int) -> Adviser:
    """Knows all positions that can be reached.

    :raises ringfen.LimitReached: they are too many.
    :raises MemoryError: they are too many for the memory.
    """
    graph = ReachableGraph(root, memory_mb << 20, limits=options.limits)

    def advise(position: Position) -> Sequence[str]:
        return best_plies(position, graph.value)

    return advise


def forced_win_advice(root: Position, distance: int, options: SolveOptions) -> Adviser:
    """Forward search of forced wins, with one table for all positions.

    Among the plies that win as soon as possible, the first is one that leaves the opponent few replies.
    """
    return _ForcedWins(root, distance, options.limits, options.hash_mb).advise


class _ForcedWins:
    def __init__(self, root: Position, distance: int, limits: Limits, hash_mb: int) -> None:
        self._core = root.game.cdata
        self._most = distance
        self._limits = limits
        self._table = _owned(lib.rf_table_new(hash_mb << 20), lib.rf_table_free) if hash_mb > 0 else ffi.NULL
        self._search = _owned(lib.rf_win_new(self._core, root.context.cdata, self._table), lib.rf_win_free)

    def advise(self, position: Position) -> list[str]:
        control = Control(self._limits)
        lib.rf_control_start(control.cdata)
        player = int(lib.rf_player(self._core, position.context.cdata, position.state))
        plies = next((n for n in range(1, self._most + 1) if self._forces(position, player, n, control)), None)
        if plies is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown", decided=self._most))
        for ply, child in sorted(position.successors(), key=lambda successor: successor[1].count()):
            if self._forces(child, player, plies - 1, control):
                return [ply]
        raise AssertionError("a won position has a ply that wins")

    def _forces(self, position: Position, player: int, plies: int, control: Control) -> bool:
        answer = lib.rf_win_forces(self._search, position.state, player, plies, control.cdata)
        control.finish()
        if answer < 0:
            raise limit_reached(control) or LimitReached("a limit was reached")
        return bool(answer)


def _owned(pointer: Any, free: Any) -> Any:
    if pointer == ffi.NULL:
        raise MemoryError
    return ffi.gc(pointer, free)
