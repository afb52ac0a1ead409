"""Answers of the C core (``core_c/src/solving/``): its options, its helper threads, and its solutions as
:class:`Solution`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import lcm
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback, stop_asked
from ringfen.memory import owned
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.solution import PlyValue, Solution, Value
from ringfen.threads import Threads

if TYPE_CHECKING:
    from ringfen._core import (
        Array,
        CData,
        rf_answer,
        rf_chances,
        rf_pool,
        rf_probability,
        rf_solution,
        rf_solve_options,
        rf_state,
    )

_LOW_HALF: Final = (1 << 64) - 1
_STATUSES: Final = ("unknown", "bound", "horizon", "exact")
_RESULTS: Final = {int(lib.RF_VALUE_WIN): "win", int(lib.RF_VALUE_LOSS): "loss", int(lib.RF_VALUE_DRAW): "draw"}
_VALUES: Final = {word: number for number, word in _RESULTS.items()}
#: A probability with a longer denominator is rounded down to a multiple of 2 ** -100.
_SHARE_BITS: Final = 100

#: Solves the position after a ply.
SolveChild = Callable[[Position, SolveOptions], Solution]


def solve_in_core(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, *, forward_only: bool = False
) -> Solution:
    """Return the solution of the C core, which uses no endgame tables.

    With a node limit, which is exact and repeatable, only one thread is used.

    :param forward_only: Use forward search, without retrograde analysis (win, loss, draw).
    :raises MemoryError: There is not enough memory.
    """
    control = Control(None, progress)
    asked = core_options(position, options)
    asked.forward_only = forward_only
    found = ffi.new("rf_solution *")
    core, context = position.game.cdata, position.context.cdata

    def solve(pool: rf_pool) -> None:
        if not lib.rf_solve(core, context, position.state, asked, pool, control.cdata, found):
            control.finish()
            raise MemoryError

    try:
        with_helpers(0 if options.limits.nodes is not None else options.threads - 1, solve)
        control.finish()
        return _solution(position, options, found)
    finally:
        lib.rf_solution_clear(found)


def check_chance_options(position: Position, options: SolveOptions) -> None:
    """Reject options that do not fit the model or the number of players.

    :raises ValueError: There is such an option.
    """
    if options.model == "maxn":
        if options.player is not None or options.until is not None:
            raise ValueError("player and until belong to the model paranoid")
    elif options.player is not None and not 1 <= options.player <= position.players:
        raise ValueError(f"the player is 1 to {position.players}, not {options.player}")


def fits_in_memory(position: Position, options: SolveOptions) -> bool:
    """Return whether the reachable positions are likely to fit in the memory for retrograde analysis."""
    core, context = position.game.cdata, position.context.cdata
    return bool(lib.rf_fits_in_memory(core, context, position.state, options.hash_mb << 20))


def margin_bound(position: Position) -> int:
    """Return an upper bound of both sides' margins: in The King of Rings, the points of all rings."""
    return int(lib.rf_margin_bound(position.game.cdata, position.context.cdata, position.state))


def new_pool(helpers: int) -> rf_pool:
    """Return a pool of helper threads for calls of the core."""
    return owned(lib.rf_pool_new(helpers), lib.rf_pool_free)


def with_helpers(helpers: int, work: Callable[[rf_pool], None]) -> None:
    """Call ``work`` in this thread while helper threads work with it. They have ended when this function returns."""
    if helpers == 0:
        work(ffi.NULL)
        return
    pool = new_pool(helpers)
    with Threads[None, None](helpers) as threads:
        try:
            for helper in range(1, helpers + 1):
                threads.submit(None, partial(lib.rf_pool_help, pool, helper))
            work(pool)
        finally:
            lib.rf_pool_close(pool)


# ---- fractions ----


def joined(halves: Array[int]) -> int:
    """Return the 128-bit number of the C core in two halves, the lower half first."""
    return int(halves[1]) << 64 | int(halves[0])


def _split(number: int, halves: Array[int]) -> None:
    halves[0], halves[1] = number & _LOW_HALF, number >> 64


def chances_of(value: Fraction) -> rf_chances:
    """Return a fraction as the C core's type."""
    out = ffi.new("rf_chances *")
    _split(value.denominator, out.den)
    _split(value.numerator, out.num[0])
    return out


def _share(share: rf_probability) -> Fraction:
    return Fraction(joined(share.num), joined(share.den))


# ---- options ----


def core_options(position: Position, options: SolveOptions) -> rf_solve_options:
    """Return the options as the C core's type."""
    out = ffi.new("rf_solve_options *")
    # In the core, 0 means no limit.
    out.nodes = options.limits.nodes or 0
    out.seconds = options.limits.seconds or 0.0
    out.table_bytes = options.hash_mb << 20
    has_horizon = position.game.value_kind == "chance" and options.until is None
    out.depth = options.horizon if has_horizon else options.depth or 0
    out.wdl = options.wdl
    out.model = lib.RF_MODEL_PARANOID if options.model == "paranoid" else lib.RF_MODEL_MAXN
    out.player = options.player or 0
    out.has_until = options.until is not None
    until = Fraction(options.until or 0)
    if until.denominator >> 128:
        until = Fraction(int(until * (1 << _SHARE_BITS)), 1 << _SHARE_BITS)
    _split(until.numerator, out.until.num)
    _split(until.denominator, out.until.den)
    return out


# ---- solutions ----


def _solution(position: Position, options: SolveOptions, found: rf_solution) -> Solution:
    is_chance = position.game.value_kind == "chance"
    lower: Value = None
    upper: Value = None
    if found.has_bounds:
        shares = (_share(found.lower_probability), _share(found.upper_probability)) if is_chance else None
        lower, upper = shares or (int(found.lower), int(found.upper))
    line = []
    at = position
    for ply in ffi.unpack(found.line, found.line_length) if found.line_length else ():
        line.append(at.ply_text(ply))
        at = at.apply(line[-1])
    paranoid = is_chance and options.model == "paranoid"
    return Solution(
        fen=position.fen,
        game=position.game.id,
        status=_STATUSES[found.answer.status],
        value=_value(found.answer, position.players),
        distance=None if found.answer.distance < 0 else int(found.answer.distance),
        best=tuple(position.ply_text(found.best[i]) for i in range(found.best_count)),
        best_complete=bool(found.best_complete),
        pv=tuple(line),
        pv_complete=bool(found.line_complete),
        nodes=int(found.nodes),
        seconds=float(found.seconds),
        lower=lower,
        upper=upper,
        decided=None if found.decided < 0 else int(found.decided),
        endless=None if found.endless < 0 else bool(found.endless),
        model=options.model if is_chance else None,
        horizon=int(found.horizon) if is_chance else None,
        player=int(found.player) if paranoid else None,
        until=Fraction(options.until) if paranoid and options.until is not None else None,
        open=_share(found.open) if found.has_open else None,
        note=_note(ffi.string(found.note).decode("ascii")),
    )


def _note(words: str) -> str | None:
    """Return a note of the core, with the name of the parameter for the memory that it names."""
    memory, of_memory, rest = words.partition(" MB of memory")
    return f"{memory}{of_memory} (hash_mb={memory}){rest}" if of_memory else words or None


def _value(answer: rf_answer, players: int) -> Value:
    if answer.value == lib.RF_VALUE_MARGIN:
        return int(answer.margin)
    if answer.value != lib.RF_VALUE_CHANCES:
        return _RESULTS.get(answer.value)
    chances = answer.chances
    denominator = joined(chances.den)
    return tuple(
        Fraction(joined(chances.num[i]), denominator) if answer.player in (0, i + 1) else None for i in range(players)
    )


def _set_answer(solution: Solution, out: rf_answer) -> None:
    """Fill in the core's type for the value of a solution."""
    out.status = _STATUSES.index(solution.status)
    out.value = _VALUES.get(solution.result or "", int(lib.RF_VALUE_NONE))
    out.distance = -1 if solution.distance is None else solution.distance
    if solution.margin is not None:
        out.value, out.margin = lib.RF_VALUE_MARGIN, solution.margin
    if solution.probabilities is not None:
        out.value, out.player = lib.RF_VALUE_CHANCES, solution.player or 0
        denominator = lcm(*(share.denominator for share in solution.probabilities if share is not None))
        _split(denominator, out.chances.den)
        for i, share in enumerate(solution.probabilities):
            if share is not None:
                _split(int(share * denominator), out.chances.num[i])


# ---- the values after all plies ----


class _Children:
    """The values after the plies of a position, while the core asks for them."""

    def __init__(self, position: Position, options: SolveOptions, solve: SolveChild) -> None:
        self._position = position
        self._options = options
        self._solve = solve
        self.error: BaseException | None = None
        #: The control of the call; the core does not search any more after it has stopped.
        self.control = Control()
        lib.rf_control_start(self.control.cdata)
        self._check_stop()

    def _check_stop(self) -> None:
        if stop_asked():
            self.control.cdata.stopped = lib.RF_STOPPED_CANCEL

    def solve(self, state: rf_state, asked: rf_solve_options, answer: rf_answer, nodes: Array[int]) -> None:
        """Solve a position with the options that the core asks for."""
        position = self._position
        after = Position.from_state(position.game, position.context, ffi.new("rf_state *", state[0]))
        options = replace(
            self._options,
            limits=Limits(int(asked.nodes) or None, float(asked.seconds) or None),
            depth=int(asked.depth) or None,
            player=int(asked.player) or None,
        )
        solution = self._solve(after, options)
        _set_answer(solution, answer)
        nodes[0] = solution.nodes
        self._check_stop()


def with_plies(position: Position, options: SolveOptions, solution: Solution, solve: SolveChild) -> Solution:
    """Add the value after each ply to a solution.

    :param solve: Solves a position. Its exceptions are raised.
    :raises MemoryError: There is not enough memory.
    """
    started = time.monotonic()
    children = _Children(position, options, solve)
    handle = ffi.new_handle(children)
    found = ffi.new("rf_solution *")
    best = ffi.new("rf_ply[]", [position.core_ply(ply) for ply in solution.best])
    _set_answer(solution, found.answer)
    found.nodes, found.seconds = solution.nodes, solution.seconds
    found.best, found.best_count, found.best_complete = best, len(solution.best), solution.best_complete
    try:
        done = lib.rf_solve_each_ply(
            position.game.cdata,
            position.context.cdata,
            position.state,
            core_options(position, options),
            ffi.NULL,
            children.control.cdata,
            lib.rf_python_solve_child,
            handle,
            found,
        )
        if children.error is not None:
            raise children.error
        if not done:
            raise MemoryError
        rows = tuple(_ply_value(position, found.plies[i]) for i in range(found.ply_count))
        nodes = int(found.nodes)
    finally:
        found.best = ffi.NULL  # Python owns it.
        lib.rf_solution_clear(found)
    seconds = solution.seconds + time.monotonic() - started
    return replace(solution, plies=rows, nodes=nodes, seconds=seconds)


def _ply_value(position: Position, row: Any) -> PlyValue:
    answer = row.answer
    distance = None if answer.distance < 0 else int(answer.distance)
    return PlyValue(position.ply_text(row.ply), _STATUSES[answer.status], _value(answer, position.players), distance)


def _child_failed(exception: type[BaseException], error: BaseException | None, traceback: TracebackType | None) -> bool:
    # cffi passes the frame of rf_python_solve_child.
    if traceback is not None:
        ffi.from_handle(traceback.tb_frame.f_locals["handle"]).error = error
    return False


@ffi.def_extern(error=False, onerror=_child_failed)
def rf_python_solve_child(
    handle: CData, state: rf_state, options: rf_solve_options, answer: rf_answer, nodes: Array[int]
) -> bool:
    """Call :meth:`_Children.solve` from the core."""
    ffi.from_handle(handle).solve(state, options, answer, nodes)
    return True
