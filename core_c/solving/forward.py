"""Forward search for forced wins, for callers with their own questions (``core_c/src/solving/forward.c``)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from types import TracebackType

from ringfen._core import ffi, lib
from ringfen.control import Control, ProgressCallback, stop_error
from ringfen.errors import LimitReached
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.core_answers import core_options, new_pool
from ringfen.threads import Threads


class Stopped(Exception):
    """A limit was reached."""


class ForwardSearch:
    """The C search of the positions of one game, with its table, its limits and its threads, which end with the block.

    With a node limit, which is exact and repeatable, only one thread is used.
    """

    def __init__(self, position: Position, options: SolveOptions, progress: ProgressCallback | None) -> None:
        self._position = position
        self._started = time.monotonic()
        self._helpers = 0 if options.limits.nodes is not None else options.threads - 1
        self._team = ffi.NULL if self._helpers == 0 else new_pool(self._helpers)
        self._pool = Threads[None, None](self._helpers)
        self._control = Control(None, progress)
        core, context = position.game.cdata, position.context.cdata
        asked = core_options(position, options)
        search = lib.rf_forward_new(core, context, asked, self._team, self._control.cdata)
        self._search = owned(search, lib.rf_forward_free)

    def __enter__(self) -> ForwardSearch:
        for helper in range(1, self._helpers + 1):
            self._pool.submit(None, partial(lib.rf_pool_help, self._team, helper))
        return self

    def __exit__(
        self, exception: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._helpers > 0:
            lib.rf_pool_close(self._team)
        self._pool.close()

    @property
    def nodes(self) -> int:
        """The number of positions visited by all threads."""
        return int(lib.rf_forward_nodes(self._search))

    @property
    def seconds(self) -> float:
        """The time since the search was created."""
        return time.monotonic() - self._started

    def forces(self, position: Position, winner: int, plies: int) -> bool:
        """Return whether ``winner`` forces a win within ``plies`` plies.

        :raises Stopped: A limit was reached.
        """
        return self.forced([position], winner, plies)[0] is True

    def forced(
        self, positions: Sequence[Position], winner: int, plies: int, answers: list[bool | None] | None = None
    ) -> list[bool | None]:
        """Return the answers of :meth:`forces` for several positions.

        :param answers: A list with None for each position. The call fills it in until a limit is reached.
        :raises Stopped: A limit was reached.
        """
        states = ffi.new("rf_state[]", [position.state[0] for position in positions])
        found = ffi.new("int[]", len(positions))
        stopped = lib.rf_forward_forces_win(self._search, states, len(positions), winner, plies, found)
        known = [None if answer == lib.RF_NOT_KNOWN else bool(answer) for answer in found]
        if answers is None:
            answers = known
        else:
            answers[:] = known
        self._control.finish()
        if stopped == lib.RF_STOPPED_MEMORY:
            raise MemoryError
        if None in known:
            raise Stopped
        return answers

    def plies(self, position: Position, winner: int, plies: int, forced: bool, most: int | None = None) -> list[str]:
        """Return the plies after which ``winner`` forces a win within ``plies`` plies, or does not, in byte order.

        :param forced: True for the plies that win; False for the others.
        :param most: Stop after this many; None returns all.
        :raises ringfen.LimitReached: A limit was reached.
        """
        max_plies = lib.rf_game_max_plies(position.game.cdata)
        most = max_plies if most is None else min(most, max_plies)
        out = ffi.new("rf_ply[]", most)
        count = lib.rf_forward_plies(self._search, position.state, winner, plies, forced, most, out)
        self._control.finish()
        if count < 0:
            raise stop_error(lib.rf_forward_stopped(self._search), self.nodes) or LimitReached
        return [position.ply_text(out[i]) for i in range(count)]
