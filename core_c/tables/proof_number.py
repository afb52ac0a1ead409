"""Proof-number search with endgame tables at its leaves, for positions with a few more stones than the tables have.

docs/solvers/proof-number.md explains the method and why its answers are exact.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.tables.tablebase import Tables
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import CData, rf_tb_reader

#: Cached blocks of tables take one part in 32 of the memory. The rest is for the stored graph: what limits a search is
#: mostly the memory of the graph, and a larger cache saves little time.
_MEMORY_SHARE_OF_BLOCKS: Final = 32
_BYTES_PER_BLOCK: Final = 1024


class ProofNumberSearch:
    """A search for the value of one unfinished position, in about ``memory`` bytes.

    Additional threads list successors in advance. Neither answers nor the number of nodes depend on them.

    :raises MemoryError: There is not enough memory.
    """

    def __init__(self, tables: Tables, position: Position, memory: int, threads: int = 1) -> None:
        #: The tables at the leaves.
        self.tables = tables
        blocks = memory // _MEMORY_SHARE_OF_BLOCKS
        self._core, self._reader, self._context = tables.parts()
        self._helpers: list[tuple[rf_tb_reader, CData]] = []
        for _ in range(threads - 1):
            _, reader, context = tables.parts()
            self._helpers.append((reader, context))
        for reader in (self._reader, *(reader for reader, _ in self._helpers)):
            if not lib.rf_tb_reader_resize(reader, blocks // threads // _BYTES_PER_BLOCK):
                raise MemoryError
        game = position.game.cdata
        solver = lib.si_solver_new(lib.si_tables_of(self._core), self._reader, game, position.state, memory - blocks)
        self._search = owned(solver, lib.si_solver_free)
        self._root = position
        #: The number of positions visited.
        self.nodes = 0
        #: The lower bound of the distance, in plies.
        self.lower = 1
        #: Whether the search ended because the memory was full.
        self.is_full = False

    def solve(self, limits: Limits | None = None, progress: ProgressCallback | None = None) -> bool:
        """Search until the value is known; return False if a limit was reached or the memory is full.

        Another call continues the search.

        :raises ringfen.TableError: A block of a table that is needed is damaged.
        """
        control = Control(limits, progress)
        status = self._solve_with_helpers(control) if self._helpers else self._solve(control)
        self.nodes += control.nodes
        control.finish()
        self.is_full = status == lib.SI_SOLVER_FULL
        self._check_tables(status)
        return bool(status == lib.SI_SOLVER_SOLVED)

    def _check_tables(self, status: int) -> None:
        if status == lib.SI_SOLVER_DAMAGED:
            raise self.tables.damaged(self._reader)

    def _solve(self, control: Control) -> int:
        return int(lib.si_solver_solve(self._search, control.cdata))

    def _solve_with_helpers(self, control: Control) -> int:
        """Search with helper threads. They have ended when this returns or raises."""
        if not lib.si_solver_start_helpers(self._search, len(self._helpers)):
            raise MemoryError
        with Threads[None, None](len(self._helpers)) as pool:
            try:
                for reader, _ in self._helpers:
                    pool.submit(None, partial(lib.si_solver_help, self._search, reader))
                return self._solve(control)
            finally:
                lib.si_solver_stop_helpers(self._search)

    def measure(self, limits: Limits | None = None, progress: ProgressCallback | None = None) -> bool:
        """After :meth:`solve` found a win or loss: bound its distance. Return False if a limit was reached first."""
        control = Control(limits, progress)
        measured = bool(lib.si_solver_bound_distance(self._search, control.cdata))
        control.finish()
        if control.stopped == lib.RF_STOPPED_MEMORY:
            raise MemoryError
        return measured

    def deepen(self, limits: Limits, progress: ProgressCallback | None = None) -> bool:
        """After :meth:`measure`: raise :attr:`lower` until it is the distance.

        :returns: False if a limit was reached or the memory was full first.
        """
        control = Control(limits, progress)
        lower = ffi.new("uint32_t *", self.lower)
        status = lib.si_solver_deepen(self._search, lower, control.cdata)
        self.lower = int(lower[0])
        self.nodes += control.nodes
        control.finish()
        self.is_full = status == lib.SI_SOLVER_FULL
        self._check_tables(status)
        return bool(status == lib.SI_SOLVER_SOLVED)

    def wins_within(self, position: Position, plies: int, limits: Limits | None) -> bool | None:
        """After :meth:`measure`: return whether the winner wins a later position within ``plies`` plies.

        :param limits: None uses only known results.
        :returns: None if a limit was reached or the memory was full first.
        """
        control = Control(limits, cancel=ffi.new("int *", limits is None))
        found = lib.si_solver_wins_within(self._search, position.state, plies, control.cdata)
        self.nodes += control.nodes
        control.finish()
        self._check_tables(found)
        return None if found == lib.SI_SOLVER_UNKNOWN else bool(found)

    def wins(self, position: Position, player: int) -> tuple[bool | None, int | None]:
        """Return whether a player wins a position (None: not known), and an upper bound of the distance of a win.

        :raises ringfen.TableError: A block of a table that is needed is damaged.
        """
        upper = ffi.new("uint32_t *")
        found = lib.si_solver_wins(self._search, position.state, player, upper)
        self._check_tables(found)
        if found == lib.SI_SOLVER_UNKNOWN:
            return None, None
        return bool(found), int(upper[0]) or None if found else None

    def winner(self, position: Position) -> int | None:
        """Return the number of the player that wins, 0 for a draw, or None if it is not known."""
        answers = [self.wins(position, player)[0] for player in (1, 2)]
        if True in answers:
            return answers.index(True) + 1
        return None if None in answers else 0
