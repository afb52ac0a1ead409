"""Strategies: the plies that a certificate lists (:mod:`ringfen.certificates.prove`), found by searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Protocol

from ringfen._core import ffi, lib
from ringfen.certificates.claims import Claim
from ringfen.certificates.wins import ForcedWins
from ringfen.control import Budget, Control, Limits, limit_reached
from ringfen.errors import LimitReached, NotSolved
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions, solve
from ringfen.solving.core_answers import chances_of, joined
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.tables import tables_for
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.win_value import WinValue, best_plies

#: The minimum number of nodes of retrograde analysis if forward search finds the strategy too.
_MIN_NODES_OF_GRAPH: Final = 10_000


class Strategy(Protocol):
    """Finds plies with which the player of a claim, who is to move, keeps the claim.

    :raises ringfen.NotSolved: A limit was reached.
    """

    def preferred(self, position: Position, claim: Claim, known: Callable[[Position], bool]) -> str:
        """Return one such ply. ``known`` returns whether the proof contains a position."""

    def plies(self, position: Position, claim: Claim) -> Sequence[str]:
        """Return such plies. If the claim forces an end, some of them make progress towards it."""


class ListedPlies:
    """A strategy that has a list of good plies for each position, best first."""

    def __init__(self, listed: Callable[[Position], Sequence[str]]) -> None:
        self._listed = listed
        self._known: dict[Position, Sequence[str]] = {}

    def preferred(self, position: Position, claim: Claim, known: Callable[[Position], bool]) -> str:
        """Return the first ply; if the claim forces no end, prefer the first that leads back into the proof."""
        plies = self.plies(position, claim)
        if claim.at_least <= 0:
            for ply in plies:
                child = position.apply(ply)
                if child.is_over or known(child):
                    return ply
        return plies[0]

    def plies(self, position: Position, claim: Claim) -> Sequence[str]:
        """Return all listed plies."""
        if position not in self._known:
            self._known[position] = self._listed(position)
        return self._known[position]


class SearchedPlies:
    """The strategy of a search with tables at its leaves. Its bounds of the distance decrease with every ply."""

    def __init__(self, search: ProofNumberSearch) -> None:
        self._search = search

    def preferred(self, position: Position, claim: Claim, known: Callable[[Position], bool]) -> str:
        """Return the ply with the lowest bound of the distance to the win.

        If the claim forces no end, prefer a ply that leads back into the proof or to a leaf.
        """
        if claim.at_least > 0:
            return min(self._winning(position, claim))[1]
        keeping = None
        for ply, child in position.successors():
            if self._search.wins(child, 3 - claim.player)[0] is False:
                if child.is_over or known(child):
                    return ply
                keeping = keeping or ply
        if keeping is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown"))
        return keeping

    def plies(self, position: Position, claim: Claim) -> Sequence[str]:
        """Return only the preferred ply."""
        return [self.preferred(position, claim, lambda _: False)]

    def _winning(self, position: Position, claim: Claim) -> list[tuple[int, str]]:
        """Return the plies that are known to win, each with a bound of the distance after it."""
        won = "sn"[claim.player - 1]
        found = []
        for ply, child in position.successors():
            if child.is_over:
                if child.outcome == won:
                    found.append((0, ply))
                continue
            wins, upper = self._search.wins(child, claim.player)
            if wins and upper is not None:
                found.append((upper, ply))
        if not found:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown"))
        return found


def strategy_for(
    position: Position, solution: Solution, options: SolveOptions, memory_mb: int, budget: Budget
) -> Strategy:
    """Return the strategy that fits a solved position of a game of two players.

    :param budget: The limits for all calls of the strategy; those of ``options`` are ignored.
    """
    if lib.rf_game_solver(position.game.cdata) == lib.RF_SOLVER_MARGIN:
        return Margins(position, options, budget)
    value_of = known_values(position, solution, options, memory_mb, budget)
    if value_of is not None:
        return _best(value_of)
    if solution.distance is None:
        return from_solver(options, budget)
    return ListedPlies(ForcedWins(position, solution.distance, options, budget).plies)


def known_values(
    position: Position, solution: Solution, options: SolveOptions, memory_mb: int, budget: Budget
) -> Callable[[Position], WinValue] | None:
    """Return the values of a solved position and all that can be reached from it, from endgame tables or retrograde
    analysis; None if there are no tables and there are too many positions.
    """
    if lib.rf_estimate_reachable(position.game.cdata, position.context.cdata, position.state) == 0:
        return None
    value_of = _table_values(position, options)
    if value_of is not None:
        return value_of
    try:
        return _graph_values(position, memory_mb, _limits_of_graph(solution, budget), budget)
    except (LimitReached, TooManyPositions) as error:
        budget.use(error.nodes)
        return None


def _best(value_of: Callable[[Position], WinValue]) -> ListedPlies:
    return ListedPlies(lambda position: best_plies(position, value_of))


def from_solver(options: SolveOptions, budget: Budget) -> ListedPlies:
    """Return a strategy that solves every position separately."""

    def listed(position: Position) -> Sequence[str]:
        solution = solve(position, replace(options, limits=budget.left()))
        budget.use(solution.nodes)
        if solution.status != "exact":
            raise NotSolved(solution)
        return solution.best

    return ListedPlies(listed)


def _table_values(root: Position, options: SolveOptions) -> Callable[[Position], WinValue] | None:
    """Return values from endgame tables, or None if they do not cover the position."""
    tables = tables_for(root, options)
    if tables is None or tables.value(root) is None:
        return None

    def value_of(position: Position) -> WinValue:
        value = tables.value(position)
        if value is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown"))
        return value

    return value_of


def _limits_of_graph(solution: Solution, budget: Budget) -> Limits:
    """Return the limits of retrograde analysis for the strategy of a solved position.

    If a forced win is known, forward search finds the strategy too. The analysis then gets at most half of the limits,
    and as many nodes as the solution needed: it is slow if many more positions can be reached.
    """
    left = budget.left()
    if solution.distance is None:
        return left
    nodes = max(_MIN_NODES_OF_GRAPH, solution.nodes)
    return Limits(
        nodes if left.nodes is None else max(1, min(nodes, left.nodes // 2)),
        None if left.seconds is None else left.seconds / 2,
    )


def _graph_values(root: Position, memory_mb: int, limits: Limits, budget: Budget) -> Callable[[Position], WinValue]:
    """Return values from retrograde analysis of all reachable positions.

    :raises ringfen.LimitReached: A limit was reached.
    :raises ringfen.solving.retrograde.TooManyPositions: The positions do not fit in memory.
    """
    graph = ReachableGraph(root, memory_mb << 20, limits=limits)
    budget.use(graph.nodes)
    return graph.value


class Margins:
    """Margin search, with one hash table for all positions."""

    def __init__(self, root: Position, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._context = root.context.cdata
        self._budget = budget
        self._search = owned(lib.rf_margin_new(self._core, options.hash_mb << 20, 0), lib.rf_margin_free)
        self._listed: dict[tuple[Position, Claim], Sequence[str]] = {}

    def preferred(self, position: Position, claim: Claim, known: Callable[[Position], bool]) -> str:
        """Return a ply that makes progress; if the claim forces no end, prefer a ply that leads back into the proof."""

        def priority(successor: tuple[str, Position]) -> tuple[bool, bool]:
            ply, child = successor
            back = claim.at_least <= 0 and (child.is_over or known(child))
            return not back, not self._makes_progress(position, ply)

        with self._budget.control() as control:
            for ply, child in sorted(position.successors(), key=priority):
                if self._keeps(child, claim, control):
                    return ply
        raise AssertionError("some ply keeps the margin")

    def plies(self, position: Position, claim: Claim) -> Sequence[str]:
        """Return a ply that keeps the margin and makes progress; if there is none, all plies that keep the margin."""
        key = (position, claim)
        if key not in self._listed:
            with self._budget.control() as control:
                self._listed[key] = self._keeping(position, claim, control)
        return self._listed[key]

    def plies_with(self, position: Position, claim: Claim) -> list[str]:
        """Return all plies of the player of a claim, who is to move, that keep the claim."""
        with self._budget.control() as control:
            return [ply for ply, child in position.successors() if self._keeps(child, claim, control)]

    def _keeping(self, position: Position, claim: Claim, control: Control) -> Sequence[str]:
        keeping = []
        for ply, child in sorted(position.successors(), key=lambda at: not self._makes_progress(position, at[0])):
            if self._keeps(child, claim, control):
                keeping.append(ply)
                if self._makes_progress(position, ply):
                    break
        return keeping

    def _makes_progress(self, position: Position, ply: str) -> bool:
        return bool(lib.rf_makes_progress(self._core, self._context, position.state, position.core_ply(ply)))

    def _keeps(self, position: Position, claim: Claim, control: Control) -> bool:
        south = claim.player == 1
        threshold = claim.at_least if south else 1 - claim.at_least
        answer = lib.rf_margin_at_least(self._search, self._context, position.state, threshold, control.cdata)
        control.finish()
        if answer < 0:
            raise limit_reached(control) or LimitReached
        return bool(answer) == south


def chance_strategy(root: Position, options: SolveOptions, budget: Budget | None = None) -> _Chances:
    """Return the search for winning probabilities, with one hash table for all positions.

    :param budget: The limits for all calls; None uses those of ``options``.
    """
    return _Chances(root, options, budget or Budget(options.limits))


#: Few different probabilities occur, and equal ones are compared often.
_fraction: Final = lru_cache(maxsize=1 << 12)(Fraction)


class _Chances:
    def __init__(self, root: Position, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._budget = budget
        self._tables = {}
        for upper in (False, True):
            table = lib.rf_chance_table_new(self._core, root.players, options.hash_mb << 19)
            self._tables[upper] = owned(table, lib.rf_chance_table_free)
        capacity = lib.rf_game_max_plies(self._core)
        self._plies = ffi.new("rf_ply[]", capacity)
        self._states = ffi.new("rf_state[]", capacity)
        self._out: Any = ffi.new("rf_chances[]", capacity)

    def value(self, position: Position, plies: int, player: int, upper: bool) -> Fraction:
        self._ask(position, position.state, 1, plies, player, upper, lib.RF_CHANCE_VALUE, Fraction(0))
        return self._value(0)

    def values_after(self, position: Position, plies: int, player: int, upper: bool) -> list[Fraction]:
        count = self._list_successors(position)
        self._ask(position, self._states, count, plies, player, upper, lib.RF_CHANCE_VALUE, Fraction(0))
        return [self._value(index) for index in range(count)]

    def first_reaching(
        self, position: Position, plies: int, player: int, upper: bool, limit: Fraction, at_most: bool
    ) -> int | None:
        count = self._list_successors(position)
        question = lib.RF_CHANCE_AT_MOST if at_most else lib.RF_CHANCE_AT_LEAST
        index = self._ask(position, self._states, count, plies, player, upper, question, limit)
        return index if index < count else None

    def _list_successors(self, position: Position) -> int:
        count = lib.rf_successors(self._core, position.context.cdata, position.state, self._plies, self._states)
        if count < 0:
            raise MemoryError
        return int(count)

    def _value(self, index: int) -> Fraction:
        found = self._out[index]
        return _fraction(joined(found.num[0]), joined(found.den))

    def _ask(
        self,
        position: Position,
        states: Any,
        count: int,
        plies: int,
        player: int,
        upper: bool,
        question: int,
        limit: Fraction,
    ) -> int:
        """Ask for positions in order, until the answer to a question about the limit is yes; return the index."""
        with self._budget.control() as control:
            index = lib.rf_chance_paranoid_each(
                self._core,
                position.context.cdata,
                states,
                count,
                plies,
                player,
                upper,
                question,
                chances_of(limit),
                self._tables[upper],
                control.cdata,
                self._out,
            )
            control.finish()
            if index < 0:
                raise limit_reached(control) or LimitReached
            return int(index)
