"""Who tells the plies for a certificate (:mod:`ringfen.prove`): searches asked about one position after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits
from ringfen.errors import LimitReached
from ringfen.position import Position, limit_reached
from ringfen.retrograde import ReachableGraph, TooManyPositions, WinValue, best_plies
from ringfen.solving import Solution, SolveOptions, solve
from ringfen.tables import Tables, board_of

#: Tells the plies, best first, by which the player to move keeps what the position promises them.
Adviser = Callable[[Position], Sequence[str]]


class NotSolved(Exception):
    """A position whose value could not be proven within the limits; there is nothing to certify."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"{solution.fen} is not solved within the limits: status {solution.status}")
        self.solution = solution


def adviser_for(position: Position, solution: Solution, options: SolveOptions, memory_mb: int) -> Adviser:
    """The adviser that fits a solved position of a game of two players."""
    if lib.rf_game_solver(position.game.cdata) != lib.RF_SOLVER_WIN:
        return solver_advice(options)
    if lib.rf_endgame_places(position.game.cdata, position.context.cdata, position.state) > 0:
        advise = tables_advice(position, options)
        if advise is not None:
            return advise
        try:
            return graph_advice(position, options, memory_mb)
        except (LimitReached, TooManyPositions):
            pass
    if solution.distance is None:
        return solver_advice(options)
    return forced_win_advice(position, solution.distance, options)


def tables_advice(root: Position, options: SolveOptions) -> Adviser | None:
    """What endgame tables say; None if they do not cover the position."""
    board = board_of(root)
    if board is None:
        return None
    try:
        tables = Tables(board, options.tables)
        if tables.value(root) is None:
            return None
    except OSError:
        return None

    def value_of(position: Position) -> WinValue:
        value = tables.value(position)
        if value is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown"))
        return value

    return lambda position: best_plies(position, value_of)


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


def chance_advice(root: Position, options: SolveOptions) -> _Chances:
    """The search of winning probabilities, with one table for all positions."""
    return _Chances(root, options)


class _Chances:
    def __init__(self, root: Position, options: SolveOptions) -> None:
        self._core = root.game.cdata
        self._limits = options.limits
        self._tables = {}
        for upper in (False, True):
            table = lib.rf_chance_table_new(self._core, root.players, options.hash_mb << 19)
            self._tables[upper] = _owned(table, lib.rf_chance_table_free)
        self._out = ffi.new("rf_chances *")

    def value(self, position: Position, plies: int, player: int, upper: bool) -> Fraction:
        self._ask(position, plies, player, upper, lib.RF_CHANCE_VALUE, Fraction(0))
        return Fraction(_joined(self._out.num[0]), _joined(self._out.den))

    def reaches(self, position: Position, plies: int, player: int, upper: bool, limit: Fraction) -> bool:
        question = lib.RF_CHANCE_AT_MOST if upper else lib.RF_CHANCE_AT_LEAST
        return self._ask(position, plies, player, upper, question, limit)

    def _ask(self, position: Position, plies: int, player: int, upper: bool, question: int, limit: Fraction) -> bool:
        control = Control(self._limits)
        lib.rf_control_start(control.cdata)
        asked = ffi.new("rf_chances *")
        for halves, number in ((asked.den, limit.denominator), (asked.num[0], limit.numerator)):
            halves[0], halves[1] = number & (1 << 64) - 1, number >> 64
        found = lib.rf_chance_paranoid(
            self._core,
            position.context.cdata,
            position.state,
            plies,
            player,
            upper,
            question,
            asked,
            self._tables[upper],
            control.cdata,
            self._out,
        )
        control.finish()
        if found == lib.RF_CHANCE_STOPPED:
            raise limit_reached(control) or LimitReached("a limit was reached")
        return bool(found == lib.RF_CHANCE_FOUND)


def _joined(halves: Any) -> int:
    return int(halves[1]) << 64 | int(halves[0])


def _owned(pointer: Any, free: Any) -> Any:
    if pointer == ffi.NULL:
        raise MemoryError
    return ffi.gc(pointer, free)
