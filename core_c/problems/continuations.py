"""The plies of a solution: at each position those that keep the value, found by one search for the whole tree.

If a side wins, its plies win in time, and the loser's plies last longest. Otherwise both sides' plies keep the value.
A win in time takes no more plies than the distance, or, if the side to move at the root wins in *n* moves, than 2n - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

from ringfen._core import ffi, lib
from ringfen.control import Budget, Control, Limits, limit_reached, stop_asked
from ringfen.errors import CANCELLED, LimitReached, TableError
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.core_answers import chances_of, fits_in_memory, joined
from ringfen.solving.forward import ForwardSearch
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.solution import Solution, Value
from ringfen.solving.tables import tables_for, value_lookup
from ringfen.win_value import WinValue

if TYPE_CHECKING:
    from ringfen.tables.tablebase import Tables

T = TypeVar("T")

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


# ---- wins, losses, draws ----


class _Wins:
    """Continuations from endgame tables, from retrograde analysis, or from forward search, as ``solve`` chooses."""

    def __init__(
        self, root: Position, solution: Solution, options: SolveOptions, budget: Budget, *, full: bool
    ) -> None:
        self._root = root
        self._distance = solution.distance
        #: The number of plies within which a win is in time.
        self._within = solution.distance or 0
        self._winner = 0
        if solution.value != "draw":
            wins = solution.value == "win"
            self._within |= wins
            self._winner = root.player_number if wins else 3 - root.player_number
        self._options = replace(options, threads=1)
        self._budget = budget
        self._full = full
        self._forward: ForwardSearch | None = None
        self._tables: Tables | None = None
        self._value_of: Callable[[Position], WinValue] | None = None
        self._is_open = False

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the winner's plies that win in time, or the loser's that last longest (all if ``full``)."""
        if position.is_over:
            return []
        self._open()
        if value == "draw":
            plies = self._asked(lambda: self._drawing(position))
            return [self._continuation(position, ply, None) for ply in plies]
        assert distance is not None
        if value == "win":
            return self._winning(position, distance, self._within - ply_number)
        plies = self.plies(position, distance - 2, False)
        found = [self._continuation(position, ply, distance - 1) for ply in plies]
        if self._full:
            found += self._shorter(position, set(plies), distance - 2)
        return found

    def _winning(self, position: Position, distance: int, left: int) -> list[Continuation]:
        """Return the plies that keep the distance, and those that take one ply more if that is in time."""
        fastest = self.plies(position, distance - 1, True)
        plies = self.plies(position, distance, True) if left > distance else fastest
        known = set(fastest)
        return [self._continuation(position, ply, distance - (ply in known)) for ply in plies]

    def tries(self) -> Iterator[tuple[str, str]]:
        """Yield the first plies that would win in the same number of moves if it were not for exactly one reply."""
        if self._winner != self._root.player_number or self._distance is None or self._distance < 2:
            return
        self._open()
        within = self._within
        for ply, after in self._root.successors():
            if after.is_over or after.player_number == self._winner:
                continue
            refutations = self.plies(after, within - 2, False, most=2)
            if len(refutations) == 1:
                yield ply, refutations[0]

    def plies(self, position: Position, within: int, forced: bool, most: int | None = None) -> list[str]:
        """Return the plies after which the winner wins within ``within`` plies, or does not, in byte order.

        A negative number returns no ply that wins, and all plies that do not.
        """
        if within < 0:
            return [] if forced else position.plies()[:most]
        return self._asked(lambda: self._plies(position, within, forced, most))

    def _plies(self, position: Position, within: int, forced: bool, most: int | None) -> list[str]:
        if self._value_of is None:
            return self._searched().plies(position, self._winner, within, forced, most)
        found = []
        for ply, after in position.successors():
            self._budget.use(1)
            if self._wins_within(after, within) == forced:
                found.append(ply)
                if len(found) == most:
                    break
        return found

    def _wins_within(self, position: Position, within: int) -> bool:
        assert self._value_of is not None
        value, distance = self._value_of(position)
        if distance is None or (value == "win") != (position.player_number == self._winner):
            return False
        return distance <= within

    def _drawing(self, position: Position) -> list[str]:
        if self._value_of is None:
            raise LimitReached("the values of the other plies are not known", self._budget.used)
        value_of = self._value_of
        return [ply for ply, after in position.successors() if value_of(after)[0] == "draw"]

    def _shorter(self, position: Position, longest: set[str], within: int) -> list[Continuation]:
        """Return the defences that lose within ``within`` plies, those that last longer first."""
        left = [ply for ply in position.plies() if ply not in longest]
        found = []
        while left:
            later = set(self.plies(position, within - 1, False))
            now = [ply for ply in left if ply in later]
            found += [self._continuation(position, ply, within) for ply in now]
            left = [ply for ply in left if ply not in later]
            within -= 1
        return found

    def _continuation(self, position: Position, ply: str, distance: int | None) -> Continuation:
        after = position.apply(ply)
        value = "draw" if distance is None else "win" if after.player_number == self._winner else "loss"
        return Continuation(ply, after, value, distance)

    # ---- the source of the values ----

    def _open(self) -> None:
        """Count a position, and choose the source of the values."""
        _visit(self._budget)
        if self._is_open:
            return
        self._is_open = True
        options = self._options
        self._tables = tables_for(self._root, options)
        if self._tables is not None and self._asked(self._is_in_tables):
            self._value_of = value_lookup(self._tables)
        elif options.depth is None and not self._is_short() and fits_in_memory(self._root, options):
            self._value_of = self._from_graph()

    def _is_short(self) -> bool:
        """Return whether forward search is always faster than retrograde analysis."""
        return self._distance is not None and self._distance <= _SHORT

    def _is_in_tables(self) -> bool:
        return self._tables is not None and self._tables.value(self._root) is not None

    def _from_graph(self) -> Callable[[Position], WinValue] | None:
        """Return the values from retrograde analysis; None if it takes more than half of the rest of the limits."""
        left = self._budget.left()
        nodes = None if left.nodes is None or self._winner == 0 else max(1, left.nodes // 2)
        seconds = None if left.seconds is None or self._winner == 0 else left.seconds / 2
        try:
            graph = ReachableGraph(self._root, self._options.hash_mb << 20, limits=Limits(nodes, seconds))
        except TooManyPositions as error:
            self._budget.use(error.nodes)
        except LimitReached as error:
            self._budget.use(error.nodes)
            _visit(self._budget)
        else:
            self._budget.use(graph.nodes)
            return graph.value
        return None

    def _searched(self) -> ForwardSearch:
        if self._forward is None:
            self._forward = ForwardSearch(self._root, replace(self._options, limits=self._budget.left()), None)
        return self._forward

    def _asked(self, question: Callable[[], T]) -> T:
        """Return the answer to a question. If a table file is damaged, ask again without it; if a value is missing, ask
        forward search.
        """
        while True:
            try:
                return question()
            except KeyError:
                self._value_of = None
            except TableError as error:
                if self._tables is None or not self._tables.drop(error):
                    raise


# ---- margins ----


class _Margins:
    """Continuations from one margin search. All of them have the margin of the root."""

    def __init__(self, root: Position, solution: Solution, options: SolveOptions, budget: Budget) -> None:
        self._root = root
        margin = solution.margin
        assert margin is not None
        self._south = margin if root.player_number == 1 else -margin
        self._budget = budget
        self._core = root.game.cdata
        self._search = owned(lib.rf_margin_new(self._core, options.hash_mb << 20, 0), lib.rf_margin_free)

    def after(self, position: Position, value: Value, distance: int | None, ply_number: int) -> list[Continuation]:
        """Return the plies that keep the margin."""
        _visit(self._budget)
        if position.is_over:
            return []
        found = []
        with self._budget.control() as control:
            for ply, after in position.successors():
                if self._keeps(position, after, control):
                    margin = self._south if after.player_number == 1 else -self._south
                    found.append(Continuation(ply, after, margin, 0 if after.is_over else None))
        return found

    def tries(self) -> Iterator[tuple[str, str]]:
        """Yield the first plies that would keep the margin if it were not for exactly one reply."""
        mover = self._root.player_number
        for ply, after in self._root.successors():
            _visit(self._budget)
            if after.is_over or after.player_number == mover:
                continue
            refutations: list[str] = []
            with self._budget.control() as control:
                for reply, answer in after.successors():
                    if not self._keeps(self._root, answer, control):
                        refutations.append(reply)
                    if len(refutations) == 2:
                        break
            if len(refutations) == 1:
                yield ply, refutations[0]

    def _keeps(self, position: Position, after: Position, control: Control) -> bool:
        """Return whether the side to move in ``position`` has at least the margin of the root in a later position."""
        south = position.player_number == 1
        threshold = self._south if south else self._south + 1
        answer = lib.rf_margin_ask(self._search, after.context.cdata, after.state, threshold, control.cdata)
        control.finish()
        if answer < 0:
            raise limit_reached(control) or LimitReached
        return bool(answer) == south


# ---- probabilities ----


class _Chances:
    """Continuations with winning probabilities, up to the horizon of the solution."""

    def __init__(self, root: Position, solution: Solution, options: SolveOptions, budget: Budget) -> None:
        self._core = root.game.cdata
        self._players = root.players
        self._budget = budget
        self._horizon = solution.horizon or 0
        #: (paranoid) The player whose probability is computed; None computes the probabilities of all players.
        self._player = solution.player
        self._tables = {}
        for upper in (False,) if self._player is None else (False, True):
            size = options.hash_mb << (20 if self._player is None else 19)
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
        shares = value
        assert isinstance(shares, Sequence)
        share = shares[(self._player or mover) - 1]
        assert isinstance(share, Fraction)
        if self._player is None:
            return self._ask_maxn(after, left, mover, share, control)
        own = mover == self._player
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
