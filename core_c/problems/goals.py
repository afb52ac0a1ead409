"""Questions about a stipulation, answered exactly: can it still be met after these plies?

All answers about one position share one search, its table and its limits, so they do not depend on other positions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
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

#: The memory of a search in MiB. Problems are short, and a larger table takes longer to allocate.
_HASH_MB: Final = 16
#: The number of plies from the start of a problem in which the search for duals covers, if no player has a forced win.
_LINE_PLIES: Final = 6


class Successors:
    """The plies of a position in byte order, and the positions after them."""

    __slots__ = ("count", "plies", "position", "states")

    def __init__(self, position: Position) -> None:
        core, context, state = position.game.cdata, position.context.cdata, position.state
        room = lib.rf_count(core, context, state)
        self.position = position
        self.plies: Array[int] = ffi.new("rf_ply[]", room)
        #: An array of ``rf_state``.
        self.states: Any = ffi.new("rf_state[]", room)
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
    """What the player to move at the root of a problem, the solver, wants to reach.

    Every method with an answer raises :class:`ringfen.LimitReached` if a limit was reached before.
    """

    def __init__(self, root: Position, limits: Limits) -> None:
        self.root = root
        self.solver = root.player_number
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
    def keeps(self, successors: Successors, first: int, count: int, used: int) -> list[bool]:
        """Return whether the solver still meets the stipulation after each of ``count`` plies, ``used`` plies from the
        root. After the first ply, ``gap`` counts.
        """

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return by how much a first ply that :meth:`keeps` keeps misses the stipulation: less than the gap."""
        return Fraction(0)

    @abstractmethod
    def longest(self, successors: Successors, used: int) -> list[int]:
        """Return the indexes of the defences that hold out the longest, or that concede the least; in games of chance
        those of the ply that the player to move plays, or of the results.
        """

    @property
    @abstractmethod
    def depth(self) -> int:
        """The number of plies from the root after which no duals are looked for."""

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
    """A win within a number of plies, by endgame tables or forward search."""

    def __init__(self, root: Position, limits: Limits, tables: str | Path | None) -> None:
        super().__init__(root, limits)
        self._plies = 0
        options = SolveOptions(limits, hash_mb=_HASH_MB, tables=tables)
        found = tables_for(root, options)
        self._tables = found
        if self._value_in_tables(root) is None:
            self._tables = None
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

    def keeps(self, successors: Successors, first: int, count: int, used: int) -> list[bool]:
        """Return whether the solver wins within the plies that are left."""
        return self._forced(successors, range(first, first + count), self._plies - used)

    def longest(self, successors: Successors, used: int) -> list[int]:
        """Return the defences after which the win takes the most plies."""
        left = self._plies - used
        found = list(range(successors.count))
        while left > 1 and found:
            left -= 1
            wins = self._forced(successors, found, left)
            later = [index for index, is_forced in zip(found, wins, strict=True) if not is_forced]
            if later:
                return later
        return found

    def _root_wins(self, plies: int) -> bool:
        if self._tables is not None:
            value = self._in_tables(self.root, plies)
            if value is not None:
                return value
        return self._asked(self.root.state, 1, plies)[0]

    def _forced(self, successors: Successors, indexes: Sequence[int], plies: int) -> list[bool]:
        if self._tables is not None:
            answers = [self._in_tables(successors.after(index), plies) for index in indexes]
            if None not in answers:
                return [answer is True for answer in answers]
        if isinstance(indexes, range):
            return self._asked(successors.states + indexes.start, len(indexes), plies)
        states = ffi.new("rf_state[]", [successors.states[index] for index in indexes])
        return self._asked(states, len(indexes), plies)

    def _in_tables(self, position: Position, plies: int) -> bool | None:
        """Return the answer of the endgame tables, None if they do not cover the position."""
        found = self._value_in_tables(position)
        if found is None:
            return None
        value, distance = found
        wins = (value == "win") == (position.player_number == self.solver)
        return distance is not None and wins and distance <= plies

    def _value_in_tables(self, position: Position) -> WinValue | None:
        """Return the value of a position if the endgame tables cover it. Damaged files are skipped."""
        while self._tables is not None:
            try:
                return self._tables.value(position)
            except TableError as error:
                if not self._tables.drop(error):
                    raise
        return None

    def _asked(self, states: rf_state, count: int, plies: int) -> list[bool]:
        answers = ffi.new("int[]", count)
        stopped = lib.rf_forward_ask(self._search, states, count, self.solver, max(plies, 0), answers)
        self._check(stopped, lib.RF_NOT_KNOWN not in ffi.unpack(answers, count))
        return [answer == 1 for answer in answers]


# ---- margins ----


class MarginGoal(Goal):
    """A margin under best play.

    :param gap: By how many points every other first ply must be worse, at least 1.
    """

    def __init__(self, root: Position, limits: Limits, gap: int) -> None:
        super().__init__(root, limits)
        self._gap = gap
        self._margin = 0
        self._search = owned(lib.rf_margin_new(self._core, _HASH_MB << 20, 0), lib.rf_margin_free)
        lib.rf_control_start(self._control.cdata)

    @property
    def nodes(self) -> int:
        """The number of positions visited so far."""
        return self._control.nodes

    @property
    def depth(self) -> int:
        """A fixed number of plies."""
        return _LINE_PLIES

    def find(self, shortest: int, longest: int) -> Stipulation | None:
        """Find the margin of the root if the number of pieces that are left fits."""
        if not shortest <= lib.rf_margin_left(self._core, self._context, self.root.state) <= longest:
            return None
        self._margin = self._margin_of_root()
        return Stipulation("margin", margin=self._margin)

    def judge(self, stipulation: Stipulation) -> tuple[str, Stipulation | None]:
        """Compare the margin of the root."""
        self._margin = stipulation.margin
        found = Stipulation("margin", margin=self._margin_of_root())
        return ("met" if found == stipulation else "no solution"), found

    def keeps(self, successors: Successors, first: int, count: int, used: int) -> list[bool]:
        """Return whether the solver has the margin, or after the first ply more than the margin minus the gap."""
        least = self._margin - self._gap + 1 if used == 1 else self._margin
        return [self._reaches(successors.states + index, least) for index in range(first, first + count)]

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return the points."""
        state = successors.states + index
        return Fraction(next(less for less in range(self._gap) if self._reaches(state, self._margin - less)))

    def longest(self, successors: Successors, used: int) -> list[int]:
        """Return the defences that concede only the margin."""
        indexes = range(successors.count)
        return [index for index in indexes if not self._reaches(successors.states + index, self._margin + 1)]

    def _margin_of_root(self) -> int:
        """Return the margin by bisection. Questions far from it are the easiest."""
        widest = int(lib.rf_margin_widest(self._core, self._context, self.root.state))
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
        answer = lib.rf_margin_ask(self._search, self._context, state, threshold, self._control.cdata)
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
        return min(_LINE_PLIES, self._horizon)

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

    def keeps(self, successors: Successors, first: int, count: int, used: int) -> list[bool]:
        """Return whether the solver has the probability, or after the first ply more than that minus the gap."""
        states = [successors.states + index for index in range(first, first + count)]
        left = self._horizon - used
        if used == 1:
            return [self._is_cook(state, left) for state in states]
        best = self._chance_of(successors.position.state, left + 1)
        return [best > 0 and self._reaches(state, left, best) for state in states]

    def shortfall(self, successors: Successors, index: int) -> Fraction:
        """Return the difference of the probabilities."""
        return self._chance - self._chance_of(successors.states + index, self._horizon - 1)

    def longest(self, successors: Successors, used: int) -> list[int]:
        """Return the ply that the player to move plays under the model, the first of its best, or all results of a
        chance event; nothing if the solver cannot win.
        """
        position, left = successors.position, self._horizon - used
        if self._chance_of(position.state, left + 1) == 0:
            return []
        indexes = list(range(successors.count))
        if position.is_chance:
            return indexes
        player = position.player_number
        best = self._chance_of(position.state, left + 1, player)
        return next([index] for index in indexes if self._reaches(successors.states + index, left, best, player))

    def _is_cook(self, state: rf_state, left: int) -> bool:
        least = self._chance - self._gap
        if self._gap == 0:
            return self._reaches(state, left, least)
        return self._chance_of(state, left) > least

    def _chance_of(self, state: rf_state, left: int, player: int | None = None) -> Fraction:
        """Return the probability of a player, by default the solver."""
        self._ask(state, left, 0, Fraction(0))
        index = 0 if self._is_paranoid else (player or self.solver) - 1
        return Fraction(joined(self._out.num[index]), joined(self._out.den))

    def _reaches(self, state: rf_state, left: int, least: Fraction, player: int | None = None) -> bool:
        return self._ask(state, left, player or self.solver, least)

    def _ask(self, state: rf_state, left: int, player: int, least: Fraction) -> bool:
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
    return int(lib.rf_margin_left(position.game.cdata, position.context.cdata, position.state))


def goal_for(
    root: Position, limits: Limits, *, gap: Fraction | None = None, tables: str | Path | None = None
) -> WinGoal | MarginGoal | ChanceGoal:
    """Return the goal of problems of this game.

    :param gap: None is the usual gap: 1 point, or any difference of a probability.
    """
    kind = root.game.value_kind
    if kind == "win":
        return WinGoal(root, limits, tables)
    if kind == "margin":
        return MarginGoal(root, limits, 1 if gap is None else int(gap))
    return ChanceGoal(root, limits, gap or Fraction(0))
