"""Retrograde analysis: win, loss or draw, with distances, of all positions that can be reached from one position."""

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
    """The reachable positions do not fit in memory; ``nodes`` is the number of positions expanded before that."""

    def __init__(self, nodes: int) -> None:
        super().__init__("more positions can be reached than fit in memory")
        self.nodes = nodes


class ReachableGraph:
    """All positions reachable from ``root`` with their values, in at most ``memory`` bytes.

    It works for games of two players without chance. A line that never ends is a draw.

    :raises ringfen.LimitReached: A limit was reached.
    :raises TooManyPositions: The positions do not fit in ``memory`` bytes.
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
        #: The number of positions that were expanded.
        self.nodes = control.nodes
        self._check(control)
        self._graph: rf_graph = ffi.gc(core, lib.rf_graph_free)
        # The analysis visits no new positions, so only the rest of the time limits it.
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
        """Return the value of a position of the graph for its side to move.

        :raises KeyError: The position is not in the graph.
        """
        node = lib.rf_graph_find(self._graph, position.state)
        if node < 0:
            raise KeyError(position.fen)
        winner = lib.rf_graph_winner(self._graph, node)
        if winner == 0:
            return DRAW
        return "win" if winner == position.player_number else "loss", int(lib.rf_graph_distance(self._graph, node))
