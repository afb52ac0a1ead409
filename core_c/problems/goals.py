"""Questions about a stipulation, answered exactly: can it still be met after these plies?

All answers about one position share one search, its table and its limits, so they do not depend on other positions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, stop_error
from ringfen.errors import LimitReached, TableError
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.problems.stipulation import Stipulation
from ringfen.solving.core_answers import chances_of, core_options, joined
from ringfen.solving.tables import tables_for
from ringfen.win_value import WinValue

if TYPE_CHECKING:
    from ringfen._core import Array, rf_state
    from ringfen.solving.retrograde import ReachableGraph
    from ringfen.tables.tablebase import Tables

#: The memory of a search in MiB. Problems are short, and a larger table takes longer to allocate.
_HASH_MB: Final = 16
#: The number of plies of a solution that is not a forced win, if none is chosen.
USUAL_DEPTH: Final = 6


class Successors:
    """The plies of a position in byte order, and the positions after them."""

    __slots__ = ("count", "plies", "position", "states")

    def __init__(self, position: Position) -> None:
        core, context, state = position.game.cdata, position.context.cdata, position.state
        capacity = lib.rf_count_plies(core, context, state)
        self.position = position
        self.plies: Array[int] = ffi.new("rf_ply[]", capacity)
        #: An array of ``rf_state``.
        self.states: Any = ffi.new("rf_state[]", capacity)
        self.count = int(lib.rf_successors(core, context, state, self.plies, self.states))
        if self.count < 0:
            raise MemoryError

    def after(self, index: int) -> Position:
        """Return the position after the ply with this index."""
        position = self.position
        return Position.from_state(position.game, position.context, ffi.new("rf_state *", self.states[index]))

    def text(self, index: int) -> str:
        """Return the ply with this index."""
        return self.position.ply_text(self.plies[index])


class Goal(ABC):
    """What a player, the solver, wants to reach: in a problem the player to move at the root.

    Two terms are defined only here. A *dual* is a choice of the solver among several plies after which the stipulation
    is still met (:meth:`meets`). A *try* is a first ply that fails to exactly one reply (:meth:`refutation`).

    Every method with an answer raises :class:`ringfen.LimitReached` if a limit was reached before.
    """

    def __init__(self, root: Position, limits: Limits, solver: int | None = None) -> None:
        self.root = root
        self.solver = solver or root.player_number
        self._core = root.game.cdata
        self._context = root.context.cdata
        self._limits = limits
        self._control = Control(limits)

    @property
    @abstractmethod
    def nodes(self) -> int:
        """The number of positions visited so far."""

    @abstractmethod
    def find(self, shortest: int, longest: int) -> Stipulation | None:
        """Set and return the stipulation that the root meets, if it has this length."""

    @abstractmethod
    def judge(self, stipulation: Stipulation) -> tuple[str, Stipulation | None]:
        """Set a stipulation. Return ``"met"``, ``"shorter"`` or ``"no solution"``, and the stipulation that the root
        meets, if it is known.
        """

    @abstractmethod
    def meets(self, successors: Successors, first: int, count: int, number: int) -> list[bool]:
        """Return whether the solver still meets the stipulation after each of ``count`` plies: wins within the plies
        that are left, counted from the root, or keeps the value. After the first ply, ``gap`` counts.

        :param number: The number of these plies, counted from the root: 1 for first plies.
        """

    def successes(self, successors: Successors, number: int) -> list[int]:
        """Return the indexes of the plies after which the solver still meets the stipulation; see :meth:`meets`."""
        return [index for index, is_met in enumerate(self.meets(successors, 0, successors.count, number)) if is_met]

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return by how much a first ply that passes :meth:`meets` misses the stipulation: less than the gap."""
        return Fraction(0)

    def refutation(self, after: Position) -> str | None:
        """Return the reply to a first ply that is a try, the only reply after which the solver fails; else None."""
        if not self.has_tries or after.is_over or after.is_chance or after.player_number == self.solver:
            return None
        replies, found = Successors(after), list[int]()
        first, size = 0, 1
        while first < replies.count and len(found) < 2:
            count = min(size, replies.count - first)
            found += [first + at for at, is_met in enumerate(self.meets(replies, first, count, 2)) if not is_met]
            first, size = first + count, 2 * size
        return replies.text(found[0]) if len(found) == 1 else None

    @abstractmethod
    def defences(self, successors: Successors, number: int) -> list[int]:
        """Return the indexes of the defences that last the longest, or that concede the least; in games of chance
        those of the ply that the player to move plays, or of the results.

        :param number: The number of these plies, counted from the root.
        """

    @property
    @abstractmethod
    def depth(self) -> int:
        """The maximum number of plies of a solution, counted from the root."""

    @property
    def has_tries(self) -> bool:
        """Whether a single reply can refute a ply."""
        return True

    def _check(self, stopped: int, is_answered: bool) -> None:
        self._control.finish()
        if not is_answered:
            raise stop_error(stopped, self.nodes) or LimitReached


# ---- wins ----


class WinGoal(Goal):
    """A win within a number of plies, by known values or forward search.

    :param known: Endgame tables, or retrograde analysis of the root; None if there are none.
    :param solver: None: the player to move at the root.
    :param plies: The number of plies, if it is known.
    """

    def __init__(
        self,
        root: Position,
        options: SolveOptions,
        known: Tables | ReachableGraph | None,
        *,
        solver: int | None = None,
        plies: int = 0,
    ) -> None:
        super().__init__(root, options.limits, solver)
        self._plies = plies
        self._known = known
        asked = core_options(root, options)
        search = lib.rf_forward_new(self._core, self._context, asked, ffi.NULL, self._control.cdata)
        self._search = owned(search, lib.rf_forward_free)

    @property
    def nodes(self) -> int:
        """The number of positions visited so far."""
        return int(lib.rf_forward_nodes(self._search))

    @property
    def depth(self) -> int:
        """The number of plies of the win."""
        return self._plies

    def find(self, shortest: int, longest: int) -> Stipulation | None:
        """Search 1 move deep, then 2, and so on."""
        for moves in range(1, longest + 1):
            if self._root_wins(2 * moves - 1):
                if moves < shortest:
                    return None
                stipulation = Stipulation("win", moves=moves)
                self._plies = stipulation.plies
                return stipulation
        return None

    def judge(self, stipulation: Stipulation) -> tuple[str, Stipulation | None]:
        """Search one move less deep, then as deep as stipulated."""
        self._plies = stipulation.plies
        for moves in range(1, stipulation.moves):
            if self._root_wins(2 * moves - 1):
                return "shorter", Stipulation("win", moves=moves)
        return ("met", stipulation) if self._root_wins(stipulation.plies) else ("no solution", None)

    def meets(self, successors: Successors, first: int, count: int, number: int) -> list[bool]:
        """Return whether the solver wins within the plies that are left."""
        return self._forced(successors, range(first, first + count), self._plies - number)

    def defences(self, successors: Successors, number: int) -> list[int]:
        """Return the defences after which the win takes the most plies."""
        return next(self.distances(successors, range(successors.count), self._plies - number))[1]

    def distances(
        self, successors: Successors, indexes: Sequence[int], most: int, least: int = 0
    ) -> Iterator[tuple[int, list[int]]]:
        """Yield the numbers of plies that the win takes after these plies, the greatest first, each with their indexes.

        :param most: No win takes more plies.
        :param least: No win takes fewer plies.
        """
        left = list(indexes)
        for distance in range(most, least - 1, -1):
            if not left:
                return
            sooner = self._forced(successors, left, distance - 1) if distance > least else [False] * len(left)
            found = [index for index, is_sooner in zip(left, sooner, strict=True) if not is_sooner]
            if found:
                yield distance, found
            left = [index for index, is_sooner in zip(left, sooner, strict=True) if is_sooner]

    def value(self, position: Position) -> WinValue | None:
        """Return the value of a position if it is known without a search."""
        return known_value(self._known, position)

    def _root_wins(self, plies: int) -> bool:
        known = self._known_win(self.root, plies)
        return self._searched(self.root.state, 1, plies)[0] if known is None else known

    def _forced(self, successors: Successors, indexes: Sequence[int], plies: int) -> list[bool]:
        if plies < 0:
            return [False] * len(indexes)
        if self._known is not None:
            answers = [self._known_win(successors.after(index), plies) for index in indexes]
            if None not in answers:
                return [answer is True for answer in answers]
        if isinstance(indexes, range):
            return self._searched(successors.states + indexes.start, len(indexes), plies)
        states = ffi.new("rf_state[]", [successors.states[index] for index in indexes])
        return self._searched(states, len(indexes), plies)

    def _known_win(self, position: Position, plies: int) -> bool | None:
        """Return whether the solver wins, None if the value is not known without a search."""
        found = self.value(position)
        if found is None:
            return None
        value, distance = found
        wins = (value == "win") == (position.player_number == self.solver)
        return distance is not None and wins and distance <= plies

    def _searched(self, states: rf_state, count: int, plies: int) -> list[bool]:
        answers = ffi.new("int[]", count)
        stopped = lib.rf_forward_forces_win(self._search, states, count, self.solver, plies, answers)
        self._check(stopped, lib.RF_NOT_KNOWN not in ffi.unpack(answers, count))
        return [answer == 1 for answer in answers]


def known_value(known: Tables | ReachableGraph | None, position: Position) -> WinValue | None:
    """Return the value of a position if it is known. Damaged files of endgame tables are skipped."""
    while known is not None:
        try:
            return known.value(position)
        except TableError as error:
            if not known.drop(error):  # type: ignore[union-attr]
                raise
    return None


def tables_with(root: Position, options: SolveOptions) -> Tables | None:
    """Return the endgame tables that cover a position; None if there are none."""
    tables = tables_for(root, options)
    return None if known_value(tables, root) is None else tables


# ---- margins ----


class MarginGoal(Goal):
    """A margin under best play.

    :param gap: By how many points every other first ply must be worse, at least 1.
    :param margin: The margin, if it is known.
    """

    def __init__(self, root: Position, options: SolveOptions, gap: int = 1, *, margin: int = 0) -> None:
        super().__init__(root, options.limits)
        self._gap = gap
        self._margin = margin
        self._search = owned(lib.rf_margin_new(self._core, options.hash_mb << 20, 0), lib.rf_margin_free)
        lib.rf_control_start(self._control.cdata)

    @property
    def nodes(self) -> int:
        """The number of positions visited so far."""
        return self._control.nodes

    @property
    def depth(self) -> int:
        """A fixed number of plies."""
        return USUAL_DEPTH

    def find(self, shortest: int, longest: int) -> Stipulation | None:
        """Find the margin of the root if the number of pieces that are left fits."""
        if not shortest <= lib.rf_margin_pieces_left(self._core, self._context, self.root.state) <= longest:
            return None
        self._margin = self._margin_of_root()
        return Stipulation("margin", margin=self._margin)

    def judge(self, stipulation: Stipulation) -> tuple[str, Stipulation | None]:
        """Compare the margin of the root."""
        self._margin = stipulation.margin
        found = Stipulation("margin", margin=self._margin_of_root())
        return ("met" if found == stipulation else "no solution"), found

    def meets(self, successors: Successors, first: int, count: int, number: int) -> list[bool]:
        """Return whether the solver has the margin, or after the first ply more than the margin minus the gap."""
        least = self._margin - self._gap + 1 if number == 1 else self._margin
        return [self._reaches(successors.states + index, least) for index in range(first, first + count)]

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return the points."""
        state = successors.states + index
        return Fraction(next(less for less in range(self._gap) if self._reaches(state, self._margin - less)))

    def defences(self, successors: Successors, number: int) -> list[int]:
        """Return the defences that concede only the margin."""
        indexes = range(successors.count)
        return [index for index in indexes if not self._reaches(successors.states + index, self._margin + 1)]

    def _margin_of_root(self) -> int:
        """Return the margin by bisection. Questions far from it are the easiest."""
        widest = int(lib.rf_margin_bound(self._core, self._context, self.root.state))
        lower, upper = -widest, widest
        while lower < upper:
            middle = (lower + upper + 1) // 2
            if self._reaches(self.root.state, middle):
                lower = middle
            else:
                upper = middle - 1
        return lower

    def _reaches(self, state: rf_state, least: int) -> bool:
        """Return whether the solver has at least this margin."""
        is_south = self.solver == 1
        threshold = least if is_south else 1 - least
        answer = lib.rf_margin_at_least(self._search, self._context, state, threshold, self._control.cdata)
        self._check(self._control.stopped, answer >= 0)
        return bool(answer) == is_south


# ---- probabilities ----


class ChanceGoal(Goal):
    """A winning probability under the model ``maxn``, or under ``paranoid`` if a stipulation names it.

    :param gap: By how much every other first ply must be worse; 0: by any amount.
    """

    def __init__(self, root: Position, limits: Limits, gap: Fraction) -> None:
        super().__init__(root, limits)
        self._gap = gap
        self._chance = Fraction(0)
        self._horizon = 0
        self._is_paranoid = False
        table = lib.rf_chance_table_new(self._core, root.players, _HASH_MB << 20)
        self._table = owned(table, lib.rf_chance_table_free)
        self._out = ffi.new("rf_chances *")
        lib.rf_control_start(self._control.cdata)

    @property
    def nodes(self) -> int:
        """The number of positions visited so far."""
        return self._control.nodes

    @property
    def depth(self) -> int:
        """A fixed number of plies, or the horizon."""
        return min(USUAL_DEPTH, self._horizon)

    @property
    def has_tries(self) -> bool:
        """No single reply refutes a ply: the other players do not play against the solver."""
        return False

    def find(self, shortest: int, longest: int) -> Stipulation | None:
        """Return the probability within the first horizon in which the solver can win."""
        for horizon in range(1, longest + 1):
            chance = self._chance_of(self.root.state, horizon)
            if chance > 0:
                if horizon < shortest:
                    return None
                self._chance, self._horizon = chance, horizon
                return Stipulation("chance", chance=chance, horizon=horizon)
        return None

    def judge(self, stipulation: Stipulation) -> tuple[str, Stipulation | None]:
        """Compare the probability within the same horizon. Under ``paranoid`` an unfinished game counts 0."""
        self._chance, self._horizon = stipulation.chance, stipulation.horizon
        self._is_paranoid = stipulation.model == "paranoid"
        chance = self._chance_of(self.root.state, self._horizon)
        found = Stipulation("chance", chance=chance, horizon=self._horizon, model=stipulation.model)
        return ("met" if found == stipulation else "no solution"), found

    def meets(self, successors: Successors, first: int, count: int, number: int) -> list[bool]:
        """Return whether the solver has the probability, or after the first ply more than that minus the gap."""
        states = [successors.states + index for index in range(first, first + count)]
        left = self._horizon - number
        if number == 1:
            return [self._is_within_gap(state, left) for state in states]
        best = self._chance_of(successors.position.state, left + 1)
        return [best > 0 and self._reaches(state, left, best) for state in states]

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return the difference of the probabilities."""
        return self._chance - self._chance_of(successors.states + index, self._horizon - 1)

    def defences(self, successors: Successors, number: int) -> list[int]:
        """Return the ply that the player to move plays under the model, the first of its best, or all results of a
        chance event; nothing if the solver cannot win.
        """
        position, left = successors.position, self._horizon - number
        if self._chance_of(position.state, left + 1) == 0:
            return []
        indexes = list(range(successors.count))
        if position.is_chance:
            return indexes
        player = position.player_number
        best = self._chance_of(position.state, left + 1, player)
        return next([index] for index in indexes if self._reaches(successors.states + index, left, best, player))

    def _is_within_gap(self, state: rf_state, left: int) -> bool:
        least = self._chance - self._gap
        if self._gap == 0:
            return self._reaches(state, left, least)
        return self._chance_of(state, left) > least

    def _chance_of(self, state: rf_state, left: int, player: int | None = None) -> Fraction:
        """Return the probability of a player, by default the solver."""
        self._compute(state, left, 0, Fraction(0))
        index = 0 if self._is_paranoid else (player or self.solver) - 1
        return Fraction(joined(self._out.num[index]), joined(self._out.den))

    def _reaches(self, state: rf_state, left: int, least: Fraction, player: int | None = None) -> bool:
        return self._compute(state, left, player or self.solver, least)

    def _compute(self, state: rf_state, left: int, player: int, least: Fraction) -> bool:
        if self._is_paranoid:
            question = lib.RF_CHANCE_VALUE if player == 0 else lib.RF_CHANCE_AT_LEAST
            answer = lib.rf_chance_paranoid(
                self._core,
                self._context,
                state,
                left,
                self.solver,
                False,
                question,
                chances_of(least),
                self._table,
                self._control.cdata,
                self._out,
            )
        else:
            limit = ffi.NULL if player == 0 else chances_of(least)
            answer = lib.rf_chance_maxn(
                self._core, self._context, state, left, player, limit, self._table, self._control.cdata, self._out
            )
        self._check(self._control.stopped, answer != lib.RF_CHANCE_STOPPED)
        return bool(answer == lib.RF_CHANCE_FOUND)


def pieces_left(position: Position) -> int | None:
    """Return the number of pieces left to take, which is the length of a problem in games of margins; else None."""
    if position.game.value_kind != "margin":
        return None
    return int(lib.rf_margin_pieces_left(position.game.cdata, position.context.cdata, position.state))


def goal_for(root: Position, limits: Limits, *, gap: Fraction | None = None, tables: str | Path | None = None) -> Goal:
    """Return the goal of problems of this game.

    :param gap: None is the usual gap: 1 point, or any difference of a probability.
    """
    kind = root.game.value_kind
    options = SolveOptions(limits, hash_mb=_HASH_MB, tables=tables)
    if kind == "win":
        return WinGoal(root, options, tables_with(root, options))
    if kind == "margin":
        return MarginGoal(root, options, 1 if gap is None else int(gap))
    return ChanceGoal(root, limits, gap or Fraction(0))
