"""Retrograde analysis: win, loss or draw, with distances, of all positions that can be reached from one position."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback, limit_reached
from ringfen.errors import TIME_LIMIT, LimitReached
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import Solution
from ringfen.solving.tables import known_solution
from ringfen.win_value import DRAW, WinValue

if TYPE_CHECKING:
    from ringfen._core import rf_graph

#: Approximate memory of a reachable position, including its successors and the analysis.
_BYTES_PER_POSITION: Final = 250
#: Memory that is always enough for one placement of the stones: up to two positions (they differ in the stones that may
#: be huffed) with up to 30 successors each, and twice that while the graph grows.
_BYTES_PER_PLACEMENT: Final = 1024
#: The maximum number of positions of a graph.
_MAX_POSITIONS: Final = 1 << 31
#: Memory for an attempt with a number of stones that makes success unlikely.
_BYTES_OF_SHORT_ATTEMPT: Final = 16 << 20


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


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of an attempt at retrograde analysis.

    ``nodes``: the number of positions expanded. ``placements``: the number of placements of the stones if more memory
    would have given a solution, otherwise None.
    """

    solution: Solution | None
    nodes: int = 0
    placements: int | None = None

    @property
    def note(self) -> str | None:
        """A sentence that states how much memory is enough for a solution, or None."""
        if self.placements is None:
            return None
        enough = -(-self.placements * _BYTES_PER_PLACEMENT >> 20)
        return f"{enough} MB of memory (--hash {enough}) would be enough for an exact answer"


def solve_by_retrograde(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Attempt:
    """Try to solve a position within the memory and half of the limits."""
    started = time.monotonic()
    placements = _placements(position)
    limits = _half(options.limits)
    if placements == 0 or limits is None:
        return Attempt(None)
    memory = options.hash_mb << 20
    if not fits_in_memory(position, options):
        # A full or blocked board can have few reachable positions; a little memory is enough to find out.
        memory = min(memory, _BYTES_OF_SHORT_ATTEMPT)
    try:
        graph = ReachableGraph(position, memory, limits=limits, progress=progress)
    except LimitReached as error:
        return Attempt(None, error.nodes)
    except TooManyPositions as error:
        return Attempt(None, error.nodes, placements if placements <= _MAX_POSITIONS else None)
    return Attempt(known_solution(position, options, graph.value, graph.nodes, started), graph.nodes)


def fits_in_memory(position: Position, options: SolveOptions) -> bool:
    """Return whether the reachable positions are likely to fit in the memory for retrograde analysis."""
    placements = _placements(position)
    return placements != 0 and placements * _BYTES_PER_POSITION <= options.hash_mb << 20


def _placements(position: Position) -> int:
    """Return the number of placements of the stones on the board; 0 if it is not known."""
    return int(lib.rf_reachable(position.game.cdata, position.context.cdata, position.state))


def _half(limits: Limits) -> Limits | None:
    """Half of the limits; None if they cannot be halved."""
    if limits.nodes == 1:
        return None
    return Limits(
        None if limits.nodes is None else limits.nodes // 2, None if limits.seconds is None else limits.seconds / 2
    )
