"""Forward search for forced wins, with a hash table, limits and threads (search/forced_wins.c)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.control import MAX_PLIES, Control, Limits, ProgressCallback
from ringfen.memory import new_table, owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import Solution
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import rf_win_search

#: Iterations of fewer plies end before threads have started.
_MIN_PLIES_FOR_THREADS: Final = 6


@dataclass(frozen=True)
class ForwardResult:
    """The result of iterative deepening: the winner's player number and the distance; or 0 and the depth searched."""

    winner: int
    plies: int
    #: Plies that are known to keep the value and the distance.
    known: tuple[str, ...] = ()


class Stopped(Exception):
    """A limit was reached."""


class ForwardSearch:
    """The C search of one position with its table, its limits and its threads."""

    def __init__(
        self, position: Position, options: SolveOptions, progress: ProgressCallback | None, visited: int = 0
    ) -> None:
        self._position = position
        self._core = position.game.cdata
        self._options = options
        self._progress = progress
        self._started = time.monotonic()
        self._other_nodes = visited
        self._table = new_table(options.hash_mb)
        # A node limit is exact and repeatable, which several threads cannot be.
        self._threads = 1 if options.limits.nodes is not None else max(1, options.threads)
        self._search = self._new_search()
        self._control = Control(options.limits, progress)
        lib.rf_control_start(self._control.cdata)

    def _new_search(self) -> rf_win_search:
        return owned(lib.rf_win_new(self._core, self._position.context.cdata, self._table), lib.rf_win_free)

    @cached_property
    def _searches(self) -> list[rf_win_search]:
        """The searches of all threads."""
        searches = [self._search, *(self._new_search() for _ in range(self._threads - 1))]
        # The searches point to it, so it must live as long as this object.
        self._in_progress = owned(lib.rf_in_progress_new(), lib.rf_in_progress_free)
        for search in searches:
            lib.rf_win_share_work(search, self._in_progress)
        return searches

    @property
    def nodes(self) -> int:
        """The number of positions visited by all threads."""
        return self._control.nodes + self._other_nodes

    @property
    def seconds(self) -> float:
        """The time since the search was created."""
        return time.monotonic() - self._started

    def deepen(self) -> ForwardResult:
        """Search 1, 2, … plies deep until one side has a forced win or a limit is reached."""
        depth = MAX_PLIES if self._options.depth is None else self._options.depth
        first_depth = depth if self._threads == 1 else min(depth, _MIN_PLIES_FOR_THREADS - 1)
        found = ffi.new("rf_win_result *")
        finished = lib.rf_win_solve(self._search, self._position.state, first_depth, found, self._control.cdata)
        self._control.finish()
        _check_memory(self._control)
        if found.value != 0:
            mover = self._position.player_number
            winner = mover if found.value > 0 else 3 - mover
            known = (self._position.ply_text(found.ply),) if found.has_ply else ()
            return ForwardResult(winner, found.distance, known)
        if not finished or first_depth == depth:
            return ForwardResult(0, found.decided)
        return self._deepen_in_threads(first_depth, depth)

    def _deepen_in_threads(self, decided: int, depth: int) -> ForwardResult:
        mover = self._position.player_number
        delaying: tuple[str, ...] = ()
        for plies in range(decided + 1, depth + 1):
            self._control.cdata.depth = plies
            for winner in (1, 2):
                question = _Question([self._position], winner, plies)
                try:
                    self._ask_in_threads(question)
                except Stopped:
                    return ForwardResult(0, plies - 1)
                known = () if question.ply is None else (self._position.ply_text(question.ply),)
                if question.answers[0]:
                    return ForwardResult(winner, plies, known if winner == mover else delaying)
                if winner != mover:
                    delaying = known or delaying
        return ForwardResult(0, depth)

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
        question = _Question(positions, winner, max(plies, 0), answers)
        if self._threads > 1 and plies >= _MIN_PLIES_FOR_THREADS:
            self._ask_in_threads(question)
            return question.answers
        for index, position in enumerate(positions):
            answer = lib.rf_win_forces(self._search, position.state, winner, question.plies, self._control.cdata)
            self._control.finish()
            _check_memory(self._control)
            if answer < 0:
                raise Stopped
            question.answers[index] = bool(answer)
        return question.answers

    def _ask_in_threads(self, question: _Question) -> None:
        """Fill in the answers.

        :raises Stopped: A limit was reached.
        """
        from contextvars import copy_context

        with Threads[None, int](self._threads) as pool:
            try:
                for search in self._searches:
                    # The context contains the function that stops the search.
                    pool.submit(None, partial(copy_context().run, self._work, search, question))
                nodes = 0
                while pool.pending:
                    nodes += sum(count for _, count in pool.finished())
            except BaseException:
                question.cancel[0] = 1
                raise
        self._other_nodes += nodes
        if not question.is_answered:
            raise Stopped

    def _work(self, search: rf_win_search, question: _Question) -> int:
        """Run one thread: answer positions that no thread has begun, then help with the others. Return its nodes."""
        limits = Limits(seconds=self._options.limits.seconds).after(0, self.seconds)
        if limits is None:
            return 0
        control = Control(limits, self._progress, question.cancel)
        lib.rf_control_start(control.cdata)
        control.cdata.depth = self._control.cdata.depth
        everything = range(len(question.positions))
        for index in chain(question.left, everything):
            if question.answers[index] is not None:
                continue
            state = question.positions[index].state
            answer = lib.rf_win_forces(search, state, question.winner, question.plies, control.cdata)
            control.finish()
            _check_memory(control)
            if answer < 0:
                break
            question.put(index, bool(answer), search)
        return control.nodes


class _Question:
    """The question whether ``winner`` forces a win within ``plies`` plies, for several positions and threads."""

    def __init__(
        self, positions: Sequence[Position], winner: int, plies: int, answers: list[bool | None] | None = None
    ) -> None:
        self.positions = positions
        self.winner = winner
        self.plies = plies
        self.answers: list[bool | None] = [None] * len(positions) if answers is None else answers
        #: The positions that no thread has begun.
        self.left = iter(range(len(positions)))
        #: The threads stop if this is not 0.
        self.cancel = ffi.new("int *", 0)
        #: The ply that decided the last answer, if there is a single one.
        self.ply: int | None = None

    @property
    def is_answered(self) -> bool:
        """Whether all answers are known."""
        return None not in self.answers

    def put(self, index: int, answer: bool, search: rf_win_search) -> None:
        """Store an answer that this search has found. The last answer stops all threads."""
        ply = ffi.new("uint32_t *")
        self.ply = int(ply[0]) if lib.rf_win_deciding_ply(search, ply) else None
        self.answers[index] = answer
        if self.is_answered:
            self.cancel[0] = 1


def _check_memory(control: Control) -> None:
    if control.stopped == lib.RF_STOPPED_MEMORY:
        raise MemoryError


# ---- answers ----


def solve_by_forward_search(
    position: Position, options: SolveOptions, search: ForwardSearch, note: str | None = None
) -> Solution:
    """Return the solution of forward search.

    :param note: The note of the solution if the value is unknown.
    """
    result = search.deepen()
    if result.winner == 0:
        return _unknown(position, search, result.plies, note)
    wins = result.winner == position.player_number
    value = "win" if wins else "loss"
    best, complete = (_value_plies if options.wdl else _best_plies)(search, position, result)
    if not best:
        return _without_best(search, position, result, value)
    pv = _line(search, position, result, best[0], is_shortest=not options.wdl)
    return Solution(
        position.fen,
        position.game.id,
        "exact",
        value=value,
        distance=None if options.wdl else result.plies,
        best=best,
        best_complete=complete,
        pv=pv,
        pv_complete=position.play(pv).is_over,
        nodes=search.nodes,
        seconds=search.seconds,
    )


def _unknown(position: Position, search: ForwardSearch, decided: int, note: str | None) -> Solution:
    nodes, seconds = search.nodes, search.seconds
    fen, game = position.fen, position.game.id
    return Solution(fen, game, "unknown", nodes=nodes, seconds=seconds, decided=decided, note=note)


def _without_best(search: ForwardSearch, position: Position, result: ForwardResult, value: str) -> Solution:
    """Return the answer if a limit was reached before a best ply was known. In a lost position every ply loses."""
    return Solution(
        position.fen,
        position.game.id,
        "bound",
        value=value,
        best=tuple(position.plies()) if value == "loss" else (),
        lower=result.plies,
        upper=result.plies,
        nodes=search.nodes,
        seconds=search.seconds,
    )


def _value_plies(search: ForwardSearch, position: Position, result: ForwardResult) -> tuple[tuple[str, ...], bool]:
    """Return the plies that are known to keep the value, and whether these are all such plies.

    In a lost position every ply loses. In a won position one ply is enough; other plies may win later.
    """
    if position.player_number != result.winner:
        return tuple(position.plies()), True
    if result.known:
        return result.known, False
    try:
        ply, _ = _next_best(search, position, result.winner, result.plies)
    except Stopped:
        return (), False
    return (ply,), False


def _best_plies(search: ForwardSearch, position: Position, result: ForwardResult) -> tuple[tuple[str, ...], bool]:
    """Return the plies that are known to keep the value and the distance, and whether these are all such plies."""
    successors = position.successors()
    wins = position.player_number == result.winner
    if result.plies == 1 or (result.plies == 2 and not wins):
        won = "sn"[result.winner - 1]
        return tuple(ply for ply, child in successors if (child.outcome == won) == (result.plies == 1)), True
    answers: list[bool | None] = [None] * len(successors)
    complete = True
    try:
        plies = result.plies - (1 if wins else 2)
        search.forced([child for _, child in successors], result.winner, plies, answers=answers)
    except Stopped:
        complete = False
    keep = {ply for (ply, _), answer in zip(successors, answers, strict=True) if answer == wins}
    return tuple(ply for ply, _ in successors if ply in keep or (not complete and ply in result.known)), complete


def _line(
    search: ForwardSearch, position: Position, result: ForwardResult, first: str, *, is_shortest: bool
) -> tuple[str, ...]:
    """Return a line of best play that begins with this ply, to the end of the game or until a limit is reached.

    Among equally good plies the first in byte order is chosen.

    :param is_shortest: Every ply keeps the distance; otherwise the loser plays any ply.
    """
    line = [first]
    position = position.apply(first)
    left = result.plies - 1
    try:
        while not position.is_over:
            if is_shortest or position.player_number == result.winner:
                ply, position = _next_best(search, position, result.winner, left)
            else:
                ply, position = position.nth(0)
            line.append(ply)
            left -= 1
    except Stopped:
        pass
    return tuple(line)


def _next_best(search: ForwardSearch, position: Position, winner: int, plies: int) -> tuple[str, Position]:
    """Return the first ply that keeps a distance of ``plies``, and the position after it."""
    wins = position.player_number == winner
    for ply, child in position.successors():
        if search.forces(child, winner, plies - 1 if wins else plies - 2) == wins:
            return ply, child
    raise AssertionError("every won position has a winning ply, and every lost position has one that delays")
