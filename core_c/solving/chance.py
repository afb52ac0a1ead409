"""Winning probabilities as exact fractions, for games with chance. Each such game has its own solver in the C core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Progress, ProgressCallback
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import Solution, paranoid_player
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import Array, rf_chances, rf_control

#: Returns whether the ply that leads to a position keeps the value.
Keeps = Callable[[Position], bool]

_LOW_HALF: Final = (1 << 64) - 1
_OVERFLOW: Final = "a probability within this horizon needs more than 128 bits"
#: Helper threads start immediately if the previous question took at least this long.
_SECONDS_WORTH_HELP: Final = 0.01

#: A question to the C core without its last two arguments, the control and the output.
_Question = Callable[["rf_control", "rf_chances"], int]


class _Stopped(Exception):
    """A limit was reached, or a number did not fit in 128 bits."""


class _Helpers:
    """Threads that search the same question as the calling thread and share results with it through the hash table.

    They start if a question is not answered before the first poll, and stop when it is answered.
    """

    #: Whether they start immediately with the next question.
    _at_once = False

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = Threads[None, int](count)
        self._question: _Question | None = None
        self._cancel = ffi.new("int *", 0)
        #: Positions that helpers visited.
        self.nodes = 0

    @contextmanager
    def with_question(self, question: _Question) -> Iterator[None]:
        """Let the helpers search a question while the calling thread is in this block."""
        started = time.monotonic()
        self._question = question
        self._cancel[0] = 0
        if self._at_once:
            self.start()
        try:
            yield
        finally:
            self._question = None
            self._cancel[0] = 1
            while self._pool.pending:
                self.nodes += sum(nodes for _, nodes in self._pool.finished())
            self._at_once = time.monotonic() - started >= _SECONDS_WORTH_HELP

    def start(self) -> None:
        """Start the helpers for the current question unless they are running."""
        if self._question is None or self._pool.pending:
            return
        for _ in range(self._count):
            self._pool.submit(None, partial(self._help, self._question))

    def _help(self, question: _Question) -> int:
        """Run one helper thread and return its nodes. If it runs out of memory, the other threads continue."""
        control = Control(cancel=self._cancel)
        lib.rf_control_start(control.cdata)
        question(control.cdata, ffi.new("rf_chances *"))
        return control.nodes

    def close(self) -> None:
        """Wait for the end of the threads."""
        self._pool.close()


class ChanceSearch:
    """The C search of one position, with its table, limits and threads."""

    def __init__(self, position: Position, options: SolveOptions, progress: ProgressCallback | None) -> None:
        self._core = position.game.cdata
        self._context = position.context.cdata
        self._players = position.players
        self._started = time.monotonic()
        self._table = ffi.NULL
        # With several threads, node counts are not repeatable. Without a table, threads cannot share results.
        single_thread = options.threads == 1 or options.limits.nodes is not None or options.hash_mb == 0
        self._helpers = _Helpers(0 if single_thread else options.threads - 1)
        if options.hash_mb > 0:
            table = lib.rf_chance_table_new(self._core, self._players, options.hash_mb << 20)
            self._table = owned(table, lib.rf_chance_table_free)
            if not single_thread and not lib.rf_chance_table_share(self._table):
                raise MemoryError
        self._progress = progress
        self._control = Control(options.limits, progress if single_thread else self._poll)
        lib.rf_control_start(self._control.cdata)
        self._out = ffi.new("rf_chances *")

    def __enter__(self) -> ChanceSearch:
        return self

    def __exit__(
        self, exception: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._helpers.close()

    def _poll(self, progress: Progress) -> None:
        self._helpers.start()
        if self._progress is not None:
            self._progress(progress)

    @property
    def nodes(self) -> int:
        """Positions visited by all threads."""
        return self._control.nodes + self._helpers.nodes

    @property
    def seconds(self) -> float:
        """The time since the search was created."""
        return time.monotonic() - self._started

    @property
    def note(self) -> str | None:
        """Why the search stopped, unless a requested limit was reached."""
        return _OVERFLOW if self._control.stopped == lib.RF_STOPPED_OVERFLOW else None

    def report_depth(self, horizon: int) -> None:
        """Set the depth that progress reports show."""
        self._control.cdata.depth = horizon

    def maxn(self, position: Position, horizon: int) -> tuple[Fraction, ...]:
        """Return the winning probabilities by player.

        :raises _Stopped: A limit was reached.
        """
        self._ask_maxn(position, horizon, 0, ffi.NULL)
        denominator = joined(self._out.den)
        return tuple(Fraction(joined(self._out.num[i]), denominator) for i in range(self._players))

    def maxn_reaches(self, position: Position, horizon: int, player: int, threshold: Fraction) -> bool:
        """Return whether the player's probability is at least ``threshold``."""
        return self._ask_maxn(position, horizon, player, chances_of(threshold))

    def _ask_maxn(self, position: Position, horizon: int, player: int, threshold: rf_chances) -> bool:
        arguments = self._core, self._context, position.state, horizon, player, threshold, self._table
        return self._answer(partial(lib.rf_chance_maxn, *arguments))

    def paranoid(self, position: Position, horizon: int, player: int, upper: bool) -> Fraction:
        """Return the player's probability if all others play against it; an unfinished game counts 0, or 1 if
        ``upper``.
        """
        self._ask(position, horizon, player, upper, lib.RF_CHANCE_VALUE, Fraction(0))
        return Fraction(joined(self._out.num[0]), joined(self._out.den))

    def at_least(self, position: Position, horizon: int, player: int, upper: bool, limit: Fraction) -> bool:
        """Return whether the probability of :meth:`paranoid` is at least ``limit``."""
        return self._ask(position, horizon, player, upper, lib.RF_CHANCE_AT_LEAST, limit)

    def at_most(self, position: Position, horizon: int, player: int, upper: bool, limit: Fraction) -> bool:
        """Return whether the probability of :meth:`paranoid` is at most ``limit``."""
        return self._ask(position, horizon, player, upper, lib.RF_CHANCE_AT_MOST, limit)

    def _ask(self, position: Position, horizon: int, player: int, upper: bool, question: int, limit: Fraction) -> bool:
        arguments = self._core, self._context, position.state, horizon, player, upper
        return self._answer(partial(lib.rf_chance_paranoid, *arguments, question, chances_of(limit), self._table))

    def _answer(self, question: _Question) -> bool:
        with self._helpers.with_question(question):
            result = question(self._control.cdata, self._out)
        self._control.finish()
        if self._control.stopped == lib.RF_STOPPED_MEMORY:
            raise MemoryError
        if result == lib.RF_CHANCE_STOPPED:
            raise _Stopped
        return bool(result == lib.RF_CHANCE_FOUND)


def joined(halves: Array[int]) -> int:
    """Return the 128-bit number of the C core in two halves, the lower half first."""
    return int(halves[1]) << 64 | int(halves[0])


def chances_of(value: Fraction) -> rf_chances:
    """Return a fraction as the C core's type."""
    out = ffi.new("rf_chances *")
    for halves, number in ((out.den, value.denominator), (out.num[0], value.numerator)):
        halves[0], halves[1] = number & _LOW_HALF, number >> 64
    return out


def solve_chance(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    """Return the winning probabilities in a game broken off after ``options.horizon`` plies.

    With ``maxn``, the solution has the probabilities of all players and the status ``horizon``, or ``unknown`` if a
    limit was reached. With ``paranoid``, the search raises the horizon ply by ply and narrows the bounds for
    ``options.player``. It ends if the bounds meet (``exact``), if the horizon or ``options.until`` is reached, or at a
    limit; then the bounds are those of the last complete horizon (``bound``).

    :raises ValueError: An option does not fit the model or the number of players.
    """
    if options.model == "maxn":
        if options.player is not None or options.until is not None:
            raise ValueError("player and until belong to the model paranoid")
        return _maxn(position, options, progress)
    player = paranoid_player(position, options)
    if not 1 <= player <= position.players:
        raise ValueError(f"the player is 1 to {position.players}, not {player}")
    return _paranoid(position, options, player, progress)


def _winner(position: Position) -> int | None:
    return position.outcome if isinstance(position.outcome, int) else None


# ---- maxn ----


def _maxn(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Solution:
    if position.is_over:
        value = tuple(Fraction(number == _winner(position)) for number in range(1, position.players + 1))
        return _solution(
            position, options, "exact", value=value, distance=0, best_complete=True, pv_complete=True, open=Fraction(0)
        )
    with ChanceSearch(position, options, progress) as searcher:
        return _searched_maxn(searcher, position, options)


def _searched_maxn(searcher: ChanceSearch, position: Position, options: SolveOptions) -> Solution:
    searcher.report_depth(options.horizon)
    try:
        value = searcher.maxn(position, options.horizon)
    except _Stopped:
        return _solution(position, options, "unknown", searcher)
    best, complete = _best(position, options.horizon, _keeps_maxn(searcher, position, options.horizon, value))
    if not best and not complete:
        return _solution(position, options, "unknown", searcher)

    def keeps_from(at: Position, left: int) -> Keeps:
        return _keeps_maxn(searcher, at, left, searcher.maxn(at, left))

    line, is_whole = _line(position, options.horizon, best, keeps_from)
    return _solution(
        position,
        options,
        "horizon",
        searcher,
        value=value,
        open=1 - sum(value, Fraction(0)),
        best=best,
        best_complete=complete,
        pv=line,
        pv_complete=is_whole,
    )


def _keeps_maxn(searcher: ChanceSearch, position: Position, horizon: int, value: tuple[Fraction, ...]) -> Keeps:
    """Return a function for the plies that give their player the probability in ``value``."""
    player = position.player_number
    return lambda child: searcher.maxn_reaches(child, horizon - 1, player, value[player - 1])


# ---- paranoid ----


def _paranoid(position: Position, options: SolveOptions, player: int, progress: ProgressCallback | None) -> Solution:
    if position.is_over:
        won = Fraction(player == _winner(position))
        return _bounded(
            position, options, player, options.horizon, won, won, None, distance=0, best_complete=True, pv_complete=True
        )
    with ChanceSearch(position, options, progress) as searcher:
        return _searched_paranoid(searcher, position, options, player)


def _searched_paranoid(searcher: ChanceSearch, position: Position, options: SolveOptions, player: int) -> Solution:
    lower, upper, reached = Fraction(0), Fraction(1), 0
    previous = lower, upper, reached
    horizon, stopped = 0, False
    max_horizon = options.horizon if options.until is None else int(lib.RF_MAX_HORIZON)
    try:
        while horizon < max_horizon and upper - lower > (options.until or 0):
            horizon += 1
            searcher.report_depth(horizon)
            low = searcher.paranoid(position, horizon, player, upper=False)
            high = searcher.paranoid(position, horizon, player, upper=True)
            previous = lower, upper, reached
            lower, upper, reached = low, high, horizon
    except _Stopped:
        stopped = True
    best: tuple[str, ...] = ()
    complete = False
    if lower == upper:
        best, complete = _best(position, reached, _keeps_paranoid(searcher, position, reached, player, lower))
        if not best and not complete:
            # The value is only reported with a ply that keeps it.
            stopped = True
            lower, upper, reached = previous
    if stopped and upper - lower == 1:
        return _solution(position, options, "unknown", searcher, horizon=reached)
    if lower < upper:
        return _bounded(position, options, player, reached, lower, upper, searcher)

    def keeps_from(at: Position, left: int) -> Keeps:
        return _keeps_paranoid(searcher, at, left, player, lower)

    line, is_whole = _line(position, reached, best, keeps_from)
    known = {"best": best, "best_complete": complete, "pv": line, "pv_complete": is_whole}
    return _bounded(position, options, player, reached, lower, upper, searcher, **known)


def _keeps_paranoid(searcher: ChanceSearch, position: Position, horizon: int, player: int, value: Fraction) -> Keeps:
    """Return a function for the plies that keep the value, because the bound of their player is not worse."""
    if position.player_number == player:
        return lambda child: searcher.at_least(child, horizon - 1, player, upper=False, limit=value)
    return lambda child: searcher.at_most(child, horizon - 1, player, upper=True, limit=value)


# ---- plies that keep a value ----


def _best(position: Position, horizon: int, keeps: Keeps) -> tuple[tuple[str, ...], bool]:
    """Return the plies that keep the value, and whether these are all such plies."""
    if horizon == 0 or position.is_chance:
        return (), True
    best: list[str] = []
    try:
        for ply, child in position.successors():
            if keeps(child):
                best.append(ply)
    except _Stopped:
        return tuple(best), False
    return tuple(best), True


def _line(
    position: Position, horizon: int, best: tuple[str, ...], keeps_from: Callable[[Position, int], Keeps]
) -> tuple[tuple[str, ...], bool]:
    """Return the first best plies up to a chance event, the end or the horizon, and whether the line is complete.

    The line is incomplete if a limit was reached.
    """
    line = list(best[:1])
    try:
        while line:
            position, horizon = position.apply(line[-1]), horizon - 1
            if horizon == 0 or position.is_over or position.is_chance:
                break
            keeps = keeps_from(position, horizon)
            line.append(next(ply for ply, child in position.successors() if keeps(child)))
    except _Stopped:
        return tuple(line), False
    return tuple(line), True


# ---- answers ----


def _bounded(
    position: Position,
    options: SolveOptions,
    player: int,
    horizon: int,
    lower: Fraction,
    upper: Fraction,
    searcher: ChanceSearch | None,
    **rest: Any,
) -> Solution:
    value = None
    if lower == upper:
        value = tuple(lower if number == player else None for number in range(1, position.players + 1))
    return _solution(
        position,
        options,
        "bound" if value is None else "exact",
        searcher,
        value=value,
        lower=lower,
        upper=upper,
        open=upper - lower,
        horizon=horizon,
        **rest,
    )


def _solution(
    position: Position, options: SolveOptions, status: str, searcher: ChanceSearch | None = None, **rest: Any
) -> Solution:
    rest.setdefault("horizon", options.horizon)
    if searcher is not None:
        rest |= {"nodes": searcher.nodes, "seconds": searcher.seconds, "note": searcher.note}
    if options.model == "paranoid":
        rest |= {
            "player": paranoid_player(position, options),
            "until": None if options.until is None else Fraction(options.until),
        }
    return Solution(position.fen, position.game.id, status, model=options.model, **rest)
