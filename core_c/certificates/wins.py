"""Forced wins within a number of plies: the plies that win, and those that prevent a win."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from ringfen._core import ffi, lib
from ringfen.control import Budget, Control, limit_reached
from ringfen.errors import CertificateError, LimitReached, NotSolved
from ringfen.memory import new_table, owned
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions
from ringfen.win_value import WinValue, best_plies, value_after

if TYPE_CHECKING:
    from ringfen._core import rf_state


class Wins(Protocol):
    """Finds out who wins within a number of plies.

    :raises ringfen.NotSolved: A limit was reached.
    """

    def plies(self, position: Position) -> Sequence[str]:
        """Return plies of the side to move, who wins, that win as fast as possible."""

    def winning(self, position: Position, plies: int) -> list[str]:
        """Return every ply with which the side to move wins within this many plies."""

    def preventing(self, position: Position, plies: int, known: Callable[[rf_state], bool]) -> str:
        """Return a ply that prevents the opponent from winning within this many plies, counted with this ply.

        Prefer a ply that leads back into the proof. ``known`` returns whether the proof contains a position.
        """


class KnownWins:
    """Wins according to the values of all positions."""

    def __init__(self, value_of: Callable[[Position], WinValue]) -> None:
        self._value_of = value_of

    def plies(self, position: Position) -> Sequence[str]:
        """Return the plies that win as fast as possible."""
        return best_plies(position, self._value_of)

    def winning(self, position: Position, plies: int) -> list[str]:
        """Return every winning ply."""
        return [ply for ply, _, value in self._values(position) if _within(value, "win", plies)]

    def preventing(self, position: Position, plies: int, known: Callable[[rf_state], bool]) -> str:
        """Return a ply that prevents a win."""
        found = [(ply, child) for ply, child, value in self._values(position) if not _within(value, "loss", plies)]
        return next((ply for ply, child in found if known(child.state)), found[0][0])

    def _values(self, position: Position) -> list[tuple[str, Position, WinValue]]:
        """Return every ply with the position after it and the value of the ply."""
        return [
            (ply, child, value_after(position, child, self._value_of(child))) for ply, child in position.successors()
        ]


def _within(value: WinValue, kind: str, plies: int) -> bool:
    return value[0] == kind and value[1] is not None and value[1] <= plies


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
        """Return a ply that prevents a win."""
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
            replies = [lib.rf_count_plies(self._core, context, child) for child in children]
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
