"""Strategies: the plies that a certificate lists (:mod:`ringfen.certificates.prove`), found by searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Protocol

from ringfen._core import ffi, lib
from ringfen.certificates.claims import Claim
from ringfen.control import Budget, Control, Limits, limit_reached
from ringfen.errors import CertificateError, LimitReached, NotSolved
from ringfen.memory import new_table, owned
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions, solve
from ringfen.solving.core_answers import chances_of, joined
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.tables import tables_for
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.win_value import WinValue, best_plies

if TYPE_CHECKING:
    from ringfen._core import rf_state


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
    if lib.rf_reachable(position.game.cdata, position.context.cdata, position.state) > 0:
        tables = from_tables(position, options)
        if tables is not None:
            return tables
        try:
            return from_graph(position, memory_mb, _limits_of_graph(solution, budget), budget)
        except (LimitReached, TooManyPositions) as error:
            budget.use(error.nodes)
    if solution.distance is None:
        return from_solver(options, budget)
    return ListedPlies(ForcedWins(position, solution.distance, options, budget).plies)


def from_solver(options: SolveOptions, budget: Budget) -> ListedPlies:
    """Return a strategy that solves every position separately."""

    def listed(position: Position) -> Sequence[str]:
        solution = solve(position, replace(options, limits=budget.left()))
        budget.use(solution.nodes)
        if solution.status != "exact":
            raise NotSolved(solution)
        return solution.best

    return ListedPlies(listed)


def from_tables(root: Position, options: SolveOptions) -> ListedPlies | None:
    """Return a strategy from endgame tables, or None if they do not cover the position."""
    tables = tables_for(root, options)
    if tables is None or tables.value(root) is None:
        return None

    def value_of(position: Position) -> WinValue:
        value = tables.value(position)
        if value is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown"))
        return value

    return ListedPlies(lambda position: best_plies(position, value_of))


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


def from_graph(root: Position, memory_mb: int, limits: Limits, budget: Budget) -> ListedPlies:
    """Return a strategy from retrograde analysis of all reachable positions.

    :raises ringfen.LimitReached: A limit was reached.
    :raises ringfen.solving.retrograde.TooManyPositions: The positions do not fit in memory.
    """
    graph = ReachableGraph(root, memory_mb << 20, limits=limits)
    budget.use(graph.nodes)
    return ListedPlies(lambda position: best_plies(position, graph.value))


class ForcedWins:
    """Forward search for forced wins within ``distance`` plies, with one hash table for all positions."""

    def __init__(self, root: Position, distance: int, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._max_plies = distance
        self._budget = budget
        self._table = new_table(options.hash_mb)
        self._search = owned(lib.rf_win_new(self._core, root.context.cdata, self._table), lib.rf_win_free)

    def plies(self, position: Position) -> list[str]:
        """Return a ply that wins in the fewest plies; among these, the one that leaves the opponent the fewest
        replies.
        """
        with self._budget.control() as control:
            return [self._ply(position, control)]

    def distance(self, position: Position) -> int:
        """Return an odd number of plies within which the side to move wins, but not within two plies fewer."""
        with self._budget.control() as control:
            for plies in range(1, self._max_plies + 1, 2):
                if self._forces(position.state, position.player_number, plies, control):
                    return plies
        raise NotSolved(Solution(position.fen, position.game.id, "unknown", decided=self._max_plies))

    def winning(self, position: Position, plies: int) -> list[str]:
        """Return every ply with which the side to move wins within this many plies."""
        player, legal = position.player_number, position.core_plies()
        with self._budget.control() as control:
            return [
                position.ply_text(ply)
                for ply, child in zip(legal, self._children(position, legal), strict=True)
                if self._forces(child, player, plies - 1, control)
            ]

    def preventing(self, position: Position, plies: int, known: Callable[[rf_state], bool]) -> str:
        """Return a ply that prevents the opponent from winning within this many plies, counted with this ply.

        Prefer a ply that leads back into the proof. ``known`` returns whether the proof contains a position.
        """
        other, legal = 3 - position.player_number, position.core_plies()
        deciding = ffi.new("rf_ply[]", 1)
        with self._budget.control() as control:
            if not self._forces(position.state, other, plies, control):
                children = self._children(position, legal)
                order = sorted(range(len(legal)), key=lambda index: not known(children[index]))
                if lib.rf_win_deciding_ply(self._search, deciding) and not known(children[order[0]]):
                    order.insert(0, legal.index(deciding[0]))
                for index in order:
                    if not self._forces(children[index], other, plies - 1, control):
                        return position.ply_text(legal[index])
        raise CertificateError("the search contradicts itself")

    def _ply(self, position: Position, control: Control) -> str:
        player = position.player_number
        depths = range(1, self._max_plies + 1)
        plies = next((n for n in depths if self._forces(position.state, player, n, control)), None)
        if plies is None:
            raise NotSolved(Solution(position.fen, position.game.id, "unknown", decided=self._max_plies))
        legal = position.core_plies()
        children = self._children(position, legal)
        order: Sequence[int] = range(len(legal))
        if plies > 1:
            context = position.context.cdata
            replies = [lib.rf_count(self._core, context, child) for child in children]
            order = sorted(order, key=replies.__getitem__)
        for index in order:
            if self._forces(children[index], player, plies - 1, control):
                return position.ply_text(legal[index])
        raise AssertionError("every won position has a winning ply")

    def _children(self, position: Position, legal: Sequence[int]) -> list[rf_state]:
        """Return the states after the plies. Creating a Position for each of them would be too slow."""
        children = []
        for ply in legal:
            child = ffi.new("rf_state *")
            lib.rf_apply(self._core, position.context.cdata, position.state, ply, child)
            children.append(child)
        return children

    def _forces(self, state: rf_state, player: int, plies: int, control: Control) -> bool:
        answer = lib.rf_win_forces(self._search, state, player, plies, control.cdata)
        control.finish()
        if answer < 0:
            raise limit_reached(control) or LimitReached
        return bool(answer)


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
        answer = lib.rf_margin_ask(self._search, self._context, position.state, threshold, control.cdata)
        control.finish()
        if answer < 0:
            raise limit_reached(control) or LimitReached
        return bool(answer) == south


def chance_strategy(root: Position, options: SolveOptions, budget: Budget | None = None) -> _Chances:
    """Return the search for winning probabilities, with one hash table for all positions.

    :param budget: The limits for all calls; None uses those of ``options``.
    """
    return _Chances(root, options, budget or Budget(options.limits))


class _Chances:
    def __init__(self, root: Position, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._budget = budget
        self._tables = {}
        for upper in (False, True):
            table = lib.rf_chance_table_new(self._core, root.players, options.hash_mb << 19)
            self._tables[upper] = owned(table, lib.rf_chance_table_free)
        self._out = ffi.new("rf_chances *")

    def value(self, position: Position, plies: int, player: int, upper: bool) -> Fraction:
        self._ask(position, plies, player, upper, lib.RF_CHANCE_VALUE, Fraction(0))
        return Fraction(joined(self._out.num[0]), joined(self._out.den))

    def reaches(self, position: Position, plies: int, player: int, upper: bool, limit: Fraction) -> bool:
        question = lib.RF_CHANCE_AT_MOST if upper else lib.RF_CHANCE_AT_LEAST
        return self._ask(position, plies, player, upper, question, limit)

    def _ask(self, position: Position, plies: int, player: int, upper: bool, question: int, limit: Fraction) -> bool:
        with self._budget.control() as control:
            return self._answer(position, plies, player, upper, question, limit, control)

    def _answer(
        self,
        position: Position,
        plies: int,
        player: int,
        upper: bool,
        question: int,
        limit: Fraction,
        control: Control,
    ) -> bool:
        found = lib.rf_chance_paranoid(
            self._core,
            position.context.cdata,
            position.state,
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
        if found == lib.RF_CHANCE_STOPPED:
            raise limit_reached(control) or LimitReached
        return bool(found == lib.RF_CHANCE_FOUND)
