"""The plies of a solution: at each position those that keep the value, found by one search for the whole tree.

If a side wins, its plies win in time, and the loser's plies last longest. Otherwise both sides' plies keep the value.
A win in time takes no more plies than the distance, or, if the side to move at the root wins in *n* moves, than 2n - 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from ringfen._core import ffi, lib
from ringfen.control import Budget, Control, Limits, limit_reached, stop_asked
from ringfen.errors import CANCELLED, LimitReached
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.problems.goals import MarginGoal, Successors, WinGoal, tables_with
from ringfen.solving.core_answers import chances_of, fits_in_memory, joined
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.solution import Solution, Value

G = TypeVar("G", WinGoal, MarginGoal)

#: The number of plies of wins and losses for which forward search is always faster than retrograde analysis.
_SHORT: Final = 3


class Continuation(NamedTuple):
    """A ply, the position after it, and that position's value for its side to move."""

    ply: str
    position: Position
    value: Value
    distance: int | None = None
    #: The weight of a chance result; None for a decision.
    weight: int | None = None


class Continuations(Protocol):
    """Finds the plies that continue a solution.

    Every method raises :class:`ringfen.LimitReached` if a limit was reached.
    """

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the plies that continue the solution from a position of it, in byte order.

        :param ply_number: The number of plies between the root and the position.
        """

    def tries(self) -> Iterator[tuple[str, str]]:
        """Yield the first plies that fail to exactly one reply, each with that reply."""


def continuations(
    root: Position, solution: Solution, options: SolveOptions, budget: Budget, *, full: bool
) -> Continuations:
    """Return the search for the continuations of a solved position.

    :param budget: The limits of all calls together.
    :param full: Also return defences that lose sooner.
    """
    if root.game.value_kind == "win":
        return _Wins(root, solution, options, budget, full=full)
    if root.game.value_kind == "margin":
        return _Margins(root, solution, options, budget)
    return _Chances(root, solution, options, budget)


def _visit(budget: Budget) -> None:
    """Count a position of the tree. Raise :class:`ringfen.LimitReached` if a limit was reached or Ctrl-C pressed."""
    if stop_asked():
        raise LimitReached(CANCELLED, budget.used)
    budget.left()
    budget.use(1)


class _FromGoal(ABC, Generic[G]):
    """Continuations from the goal that defines problems, so that duals and tries are the same there and here."""

    def __init__(self, root: Position, solution: Solution, options: SolveOptions, budget: Budget) -> None:
        self._root = root
        self._solution = solution
        self._options = options
        self._budget = budget
        self._goal: G | None = None
        self._counted = 0

    @abstractmethod
    def _new_goal(self) -> G:
        """Return the goal, with the rest of the limits."""

    def _visited(self) -> G:
        """Count a position of the tree, and what the goal has visited since the last call; return the goal."""
        _visit(self._budget)
        if self._goal is None:
            self._goal = self._new_goal()
        nodes = self._goal.nodes
        self._budget.use(nodes - self._counted)
        self._counted = nodes
        return self._goal

    def tries(self) -> Iterator[tuple[str, str]]:
        """Yield the tries, each with the reply that refutes it."""
        if self._solution.value in ("loss", "draw"):
            return
        for ply, after in self._root.successors():
            refutation = self._visited().refutation(after)
            if refutation is not None:
                yield ply, refutation


# ---- wins, losses, draws ----


class _Wins(_FromGoal[WinGoal]):
    """Continuations from endgame tables, from retrograde analysis, or from forward search, as ``solve`` chooses."""

    def __init__(
        self, root: Position, solution: Solution, options: SolveOptions, budget: Budget, *, full: bool
    ) -> None:
        super().__init__(root, solution, replace(options, threads=1), budget)
        self._full = full

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the winner's plies that win in time, or the loser's that last longest (all if ``full``)."""
        if position.is_over:
            return []
        goal, successors = self._visited(), Successors(position)
        if value == "draw":
            return [
                Continuation(successors.text(index), successors.after(index), "draw")
                for index in range(successors.count)
                if self._is_draw(goal, successors.after(index))
            ]
        assert distance is not None
        if value == "win":
            number = ply_number + 1
            in_time = goal.successes(successors, number)
            levels = list(goal.distances(successors, in_time, goal.depth - number, distance - 1))
            lasts = {index: plies for plies, indexes in levels for index in indexes}
            return [_won(goal, successors, index, lasts[index]) for index in in_time]
        found = []
        for plies, indexes in goal.distances(successors, range(successors.count), distance - 1):
            found += [_won(goal, successors, index, plies) for index in indexes]
            if not self._full:
                break
        return found

    def _is_draw(self, goal: WinGoal, position: Position) -> bool:
        known = goal.value(position)
        if known is None:
            raise LimitReached("the values of the other plies are not known", self._budget.used)
        return known[0] == "draw"

    def _new_goal(self) -> WinGoal:
        root, value, distance = self._root, self._solution.value, self._solution.distance
        known = tables_with(root, self._options) or self._graph()
        # A win in n moves takes up to 2n - 1 plies.
        plies = distance or 0
        plies += value == "win" and plies % 2 == 0
        solver = 3 - root.player_number if value == "loss" else root.player_number
        options = replace(self._options, limits=self._budget.left())
        return WinGoal(root, options, known, solver=solver, plies=plies)

    def _graph(self) -> ReachableGraph | None:
        """Return the values from retrograde analysis; None if they are not needed, do not fit in memory, or take more
        than half of the rest of the limits.
        """
        distance, options = self._solution.distance, self._options
        is_short = distance is not None and distance <= _SHORT
        if options.depth is not None or is_short or not fits_in_memory(self._root, options):
            return None
        left = self._budget.left()
        if distance is not None:
            nodes = None if left.nodes is None else max(1, left.nodes // 2)
            left = Limits(nodes, None if left.seconds is None else left.seconds / 2)
        try:
            graph = ReachableGraph(self._root, options.hash_mb << 20, limits=left)
        except TooManyPositions as error:
            self._budget.use(error.nodes)
        except LimitReached as error:
            self._budget.use(error.nodes)
            _visit(self._budget)
        else:
            self._budget.use(graph.nodes)
            return graph
        return None


def _won(goal: WinGoal, successors: Successors, index: int, distance: int) -> Continuation:
    after = successors.after(index)
    value = "win" if after.player_number == goal.solver else "loss"
    return Continuation(successors.text(index), after, value, distance)


# ---- margins ----


class _Margins(_FromGoal[MarginGoal]):
    """Continuations from one margin search. All of them have the margin of the root."""

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the plies that keep the margin."""
        goal = self._visited()
        if position.is_over:
            return []
        successors, number = Successors(position), ply_number + 1
        is_own = position.player_number == goal.solver
        indexes = (goal.successes if is_own else goal.defences)(successors, number)
        return [self._continuation(goal, successors.text(index), successors.after(index)) for index in indexes]

    def _continuation(self, goal: MarginGoal, ply: str, after: Position) -> Continuation:
        margin = self._solution.margin
        assert margin is not None
        own = margin if after.player_number == goal.solver else -margin
        return Continuation(ply, after, own, 0 if after.is_over else None)

    def _new_goal(self) -> MarginGoal:
        margin = self._solution.margin
        assert margin is not None
        return MarginGoal(self._root, replace(self._options, limits=self._budget.left()), margin=margin)


# ---- probabilities ----


class _Chances:
    """Continuations with winning probabilities, up to the horizon of the solution."""

    def __init__(self, root: Position, solution: Solution, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._players = root.players
        self._budget = budget
        self._horizon = solution.horizon or 0
        #: (paranoid) Whether an unfinished game counts 0, since it changes the probability.
        self._is_bound = solution.status == "bound"
        #: (paranoid) The player whose probability is computed; None computes the probabilities of all players.
        self._player = solution.player
        has_upper = self._player is not None and not self._is_bound
        self._tables = {}
        for upper in (False, True) if has_upper else (False,):
            size = options.hash_mb << (19 if has_upper else 20)
            table = lib.rf_chance_table_new(self._core, root.players, size)
            self._tables[upper] = owned(table, lib.rf_chance_table_free)
        self._out = ffi.new("rf_chances *")

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the plies that keep the probability of the player to act, or all results of a chance event."""
        _visit(self._budget)
        left = self._horizon - ply_number
        if position.is_over or left == 0:
            return []
        weights = position.weights()
        found = []
        with self._budget.control() as control:
            for ply, after in position.successors():
                if position.is_chance or self._keeps(position, value, after, left - 1, control):
                    shares = self._value(after, left - 1, control)
                    over = 0 if after.is_over else None
                    found.append(Continuation(ply, after, shares, over, weights.get(ply)))
        return found

    def tries(self) -> Iterator[tuple[str, str]]:
        """Yield nothing: in a game of chance no single reply refutes a ply."""
        return iter(())

    def _value(self, position: Position, left: int, control: Control) -> tuple[Fraction | None, ...]:
        if self._player is None:
            self._ask_maxn(position, left, 0, Fraction(0), control)
            return tuple(self._share(i) for i in range(self._players))
        self._ask_paranoid(position, left, False, lib.RF_CHANCE_VALUE, Fraction(0), control)
        return tuple(self._share(0) if i == self._player - 1 else None for i in range(self._players))

    def _keeps(self, position: Position, value: Value, after: Position, left: int, control: Control) -> bool:
        mover = position.player_number
        assert isinstance(value, Sequence)
        share = value[(self._player or mover) - 1]
        assert isinstance(share, Fraction)
        if self._player is None:
            return self._ask_maxn(after, left, mover, share, control)
        own = mover == self._player
        if not own and self._is_bound:
            return self._value(after, left, control)[self._player - 1] == share
        question = lib.RF_CHANCE_AT_LEAST if own else lib.RF_CHANCE_AT_MOST
        return self._ask_paranoid(after, left, not own, question, share, control)

    def _share(self, index: int) -> Fraction:
        return Fraction(joined(self._out.num[index]), joined(self._out.den))

    def _ask_maxn(self, position: Position, left: int, player: int, least: Fraction, control: Control) -> bool:
        limit = ffi.NULL if player == 0 else chances_of(least)
        answer = lib.rf_chance_maxn(
            self._core,
            position.context.cdata,
            position.state,
            left,
            player,
            limit,
            self._tables[False],
            control.cdata,
            self._out,
        )
        return self._answer(answer, control)

    def _ask_paranoid(
        self, position: Position, left: int, upper: bool, question: int, limit: Fraction, control: Control
    ) -> bool:
        assert self._player is not None
        answer = lib.rf_chance_paranoid(
            self._core,
            position.context.cdata,
            position.state,
            left,
            self._player,
            upper,
            question,
            chances_of(limit),
            self._tables[upper],
            control.cdata,
            self._out,
        )
        return self._answer(answer, control)

    def _answer(self, answer: int, control: Control) -> bool:
        control.finish()
        if answer == lib.RF_CHANCE_STOPPED:
            raise limit_reached(control) or LimitReached
        return bool(answer == lib.RF_CHANCE_FOUND)
