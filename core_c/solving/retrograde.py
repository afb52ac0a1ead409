"""Exact values of every position that can be reached from one: win, loss or draw with a distance."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback, limit_reached
from ringfen.errors import TIME_LIMIT, LimitReached
from ringfen.position import Position
from ringfen.win_value import DRAW, WinValue

if TYPE_CHECKING:
    from ringfen._core import rf_graph


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
        started = time.monotonic()
        control = Control(limits, progress)
        core = lib.rf_graph_new(root.game.cdata, root.context.cdata, root.state, memory, control.cdata)
        #: Positions that were expanded.
        self.nodes = control.nodes
        self._check(control)
        self._graph: rf_graph = ffi.gc(core, lib.rf_graph_free)
        # The analysis visits no new positions, so only what is left of the time bounds it.
        left = Limits(seconds=None if limits is None else limits.seconds).after(0, time.monotonic() - started)
        if left is None:
            raise LimitReached(TIME_LIMIT, self.nodes)
        control = Control(left, progress)
        lib.rf_retrograde(self._graph, control.cdata)
        self._check(control)

    def _check(self, control: Control) -> None:
        control.finish()
        if control.stopped == lib.RF_STOPPED_MEMORY:
            raise TooManyPositions(self.nodes)
        error = limit_reached(control)
        if isinstance(error, LimitReached):
            error.nodes = self.nodes
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
