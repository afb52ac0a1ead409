"""Exact values of every position that can be reached from one: win, loss or draw with a distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback
from ringfen.errors import LimitReached
from ringfen.position import Position, limit_reached

#: Value for the side to move, and the plies to the end (None for a draw).
WinValue = tuple[Literal["win", "loss", "draw"], int | None]

DRAW: WinValue = ("draw", None)


class TooManyPositions(MemoryError):
    """More positions can be reached than fit in the memory that may be used; ``nodes`` were expanded before."""

    def __init__(self, nodes: int) -> None:
        super().__init__("more positions can be reached than fit in memory")
        self.nodes = nodes


class ReachableGraph:
    """All positions reachable from ``root``, each with its value, in at most ``memory`` bytes.

    Works for games of two players without chance. A line that never ends is a draw.

    :raises ringfen.LimitReached: a limit was reached.
    :raises TooManyPositions: they do not fit in ``memory`` bytes.
    """

    def __init__(
        self,
        root: Position,
        memory: int,
        *,
        limits: Limits | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        self._root = root
        control = Control(limits, progress)
        core = lib.rf_graph_new(root.game.cdata, root.context.cdata, root.state, memory, control.cdata)
        self._check(control)
        self._graph: Any = ffi.gc(core, lib.rf_graph_free)
        #: Positions that were expanded.
        self.nodes = control.nodes
        seconds = None if limits is None else limits.seconds
        control = Control(Limits(seconds=seconds), progress)
        lib.rf_retrograde(self._graph, control.cdata)
        self._check(control)

    def _check(self, control: Control) -> None:
        control.finish()
        if control.stopped == lib.RF_STOPPED_MEMORY:
            raise TooManyPositions(control.nodes)
        error = limit_reached(control)
        if isinstance(error, LimitReached):
            error.nodes = control.nodes
        if error is not None:
            raise error

    def __len__(self) -> int:
        return int(lib.rf_graph_size(self._graph))

    def value(self, position: Position) -> WinValue:
        """The value of a position of the graph for its side to move.

        :raises KeyError: the position is not in the graph.
        """
        node = lib.rf_graph_find(self._graph, position.state)
        if node < 0:
            raise KeyError(position.fen)
        winner = lib.rf_graph_winner(self._graph, node)
        if winner == 0:
            return DRAW
        mover = lib.rf_player(position.game.cdata, position.context.cdata, position.state)
        return "win" if winner == mover else "loss", int(lib.rf_graph_distance(self._graph, node))


def value_after(position: Position, after: Position, value: WinValue) -> WinValue:
    """The value of a ply for the side to move in ``position``, from the value of the position after it."""
    kind, distance = value
    if kind == "draw" or distance is None:
        return DRAW
    same_side = after.player == position.player
    return "win" if (kind == "win") == same_side else "loss", distance + 1


def best_plies(position: Position, value_of: Callable[[Position], WinValue]) -> tuple[str, ...]:
    """Every ply that keeps the value of a position, and of wins and losses the distance, in byte order."""
    value = value_of(position)
    return tuple(ply for ply, after in position.successors() if value_after(position, after, value_of(after)) == value)


def principal_line(position: Position, value_of: Callable[[Position], WinValue]) -> tuple[str, ...]:
    """A line of best play: to the end, or where play is endless up to the first repetition."""
    line: list[str] = []
    seen = {position}
    while not position.is_over:
        ply = best_plies(position, value_of)[0]
        line.append(ply)
        position = position.apply(ply)
        if position in seen:
            break
        seen.add(position)
    return tuple(line)
