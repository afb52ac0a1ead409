"""Limits, progress and Ctrl-C for long calls into the C core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from ringfen._core import ffi, lib
from ringfen.errors import CANCELLED, NODE_LIMIT, TIME_LIMIT, LimitReached

if TYPE_CHECKING:
    from typing_extensions import Self

    from ringfen._core import Array, rf_control

#: The maximum depth of the search for forced wins, in plies.
MAX_PLIES = int(lib.RF_WIN_MAX_PLIES)
#: The maximum horizon of games of chance, in plies.
MAX_HORIZON = int(lib.RF_MAX_HORIZON)
#: The upper bounds of table memory (in MiB) and of threads.
MAX_HASH_MB = 1 << 24
MAX_THREADS = 1024
#: The largest number that fits in the core's counters.
MAX_NODES = (1 << 63) - 1
#: More than 30 years.
MAX_SECONDS = 1e9
_DONE = int(lib.RF_DONE)


def checked_int(name: str, value: Any, minimum: int, maximum: int) -> int:
    """Return the value if it is an integer within bounds.

    :raises TypeError: It is not an integer.
    :raises ValueError: It is out of bounds; both bounds are included.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not minimum <= value <= maximum:
        shown = value if abs(value) < 10**20 else "a longer number"
        raise ValueError(f"{name} is {minimum} to {maximum}, not {shown}")
    return value


class _Limits(NamedTuple):
    nodes: int | None
    seconds: float | None


class Limits(_Limits):
    """The limits of a calculation. Only None means no limit.

    :param nodes: Positions to visit, 1 or more. The same limit gives the same answer every time.
    :param seconds: Wall-clock time, above 0.
    :raises TypeError: A limit is not a number.
    :raises ValueError: A limit is not positive, or not finite.
    """

    __slots__ = ()

    def __new__(cls, nodes: int | None = None, seconds: float | None = None) -> Self:
        """Check and store the limits."""
        if nodes is not None:
            checked_int("nodes", nodes, 1, MAX_NODES)
        if seconds is not None:
            if isinstance(seconds, bool) or not isinstance(seconds, int | float):
                raise TypeError(f"seconds must be a number, not {type(seconds).__name__}")
            if not 0 < seconds <= MAX_SECONDS:
                raise ValueError(f"seconds is above 0 and at most {MAX_SECONDS:.0f}")
        return super().__new__(cls, nodes, seconds)

    def after(self, nodes: int, seconds: float) -> Limits | None:
        """Return the rest of the limits after this much was used; None if nothing is left."""
        left = None if self.nodes is None else self.nodes - nodes
        time_left = None if self.seconds is None else self.seconds - seconds
        if (left is not None and left <= 0) or (time_left is not None and time_left <= 0):
            return None
        return Limits(left, time_left)


class Progress(NamedTuple):
    """A progress report of a running calculation.

    ``nodes``: positions visited so far. ``depth``: the current iteration of a search, 0 if there is none. ``done`` of
    ``total``: the share that is finished; ``total`` is 0 if it is not known, and the units depend on the method.
    ``lower`` and ``upper``: proven bounds of the margin for the side to move, None if not known.
    """

    nodes: int
    depth: int
    done: int
    total: int
    lower: int | None = None
    upper: int | None = None


ProgressCallback = Callable[[Progress], None]


def _never() -> bool:
    return False


_stop: ContextVar[Callable[[], bool]] = ContextVar("ringfen_stop", default=_never)


@contextmanager
def stop_when(asked: Callable[[], bool]) -> Iterator[None]:
    """Stop every long call that begins inside the block, in this thread, at the first poll where ``asked()`` is
    true.
    """
    token = _stop.set(asked)
    try:
        yield
    finally:
        _stop.reset(token)


def stop_asked() -> bool:
    """Return whether a call that begins now should stop immediately; see :func:`stop_when`."""
    return _stop.get()()


class Control:
    """The C side of limits and polling, for one call.

    The call runs in the calling thread without the GIL. About 20 times per second it calls Python, which runs signal
    handlers, so Ctrl-C stops the call and :meth:`finish` raises :class:`KeyboardInterrupt`.
    """

    def __init__(
        self, limits: Limits | None = None, progress: ProgressCallback | None = None, cancel: Array[int] = ffi.NULL
    ) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function, not {type(progress).__name__}")
        self._progress = progress
        self._error: BaseException | None = None
        self._stop = _stop.get()
        self._handle = ffi.new_handle(self)
        self.cdata = cdata = ffi.new("rf_control *")  # All zeros: no limits.
        if limits is not None:
            cdata.node_limit = limits.nodes or 0
            cdata.seconds = limits.seconds or 0.0
        cdata.poll = lib.rf_python_poll
        cdata.handle = self._handle
        self._cancel = cancel  # The core reads it, so it must live as long as this object.
        cdata.cancel = cancel

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self.cdata.nodes)

    @property
    def stopped(self) -> int:
        """``RF_DONE``, or the reason why the call stopped."""
        return int(self.cdata.stopped)

    def finish(self) -> None:
        """Raise the exception that a signal handler or the progress callback raised during the call, if any."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def poll(self) -> int:
        """Report progress; return 0 if the call should continue. The core calls this."""
        if self._progress is not None:
            c = self.cdata
            bounds = (int(c.lower), int(c.upper)) if c.lower <= c.upper else (None, None)
            self._progress(Progress(int(c.nodes), int(c.depth), int(c.done), int(c.total), *bounds))
        return int(self._stop())

    def failed(self, error: BaseException | None) -> None:
        """Store an exception from :meth:`poll` until the call returns."""
        self._error = error


def _poll_failed(exception: type[BaseException], error: BaseException | None, traceback: TracebackType | None) -> int:
    # cffi passes the frame of rf_python_poll, whose argument refers to the Control.
    if traceback is not None:
        control = ffi.from_handle(traceback.tb_frame.f_locals["control"].handle)
        control.failed(error)
    return 1


@ffi.def_extern(onerror=_poll_failed)
def rf_python_poll(control: rf_control) -> int:
    """Call :meth:`Control.poll` from the core."""
    result: int = ffi.from_handle(control.handle).poll()
    return result


class Budget:
    """Limits that several calls share. The time starts when this object is created."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._ends = None if limits.seconds is None else monotonic() + limits.seconds
        #: Positions visited by the calls that have ended.
        self.used = 0

    def left(self) -> Limits:
        """Return the limits for the next call.

        :raises ringfen.LimitReached: Nothing is left.
        """
        nodes, seconds = self._limits.nodes, None
        if nodes is not None:
            nodes -= self.used
        if self._ends is not None:
            seconds = self._ends - monotonic()
        if nodes is not None and nodes <= 0:
            raise LimitReached(NODE_LIMIT, self.used)
        if seconds is not None and seconds <= 0:
            raise LimitReached(TIME_LIMIT, self.used)
        return Limits(nodes, seconds)

    def use(self, nodes: int) -> None:
        """Add visited positions.

        :raises ringfen.LimitReached: They exceed the limit.
        """
        self.used += nodes
        if self._limits.nodes is not None and self.used > self._limits.nodes:
            raise LimitReached(NODE_LIMIT, self.used)

    @contextmanager
    def control(self) -> Iterator[Control]:
        """Yield a control for calls that share one search: it has the rest of the limits, and its nodes are counted.

        :raises ringfen.LimitReached: Nothing is left.
        """
        control = Control(self.left())
        lib.rf_control_start(control.cdata)
        try:
            yield control
        except LimitReached as error:
            error.nodes = self.used + control.nodes
            raise
        self.use(control.nodes)


def limit_reached(control: Control) -> Exception | None:
    """Return the error for a call that stopped without an answer; None if the call finished."""
    stopped = control.stopped
    return None if stopped == _DONE else stop_error(stopped, control.nodes)


def stop_error(stopped: int, nodes: int) -> Exception | None:
    """Return the error for ``RF_STOPPED_*``, with the positions visited so far; None for ``RF_DONE``."""
    if stopped == _DONE:
        return None
    if stopped == lib.RF_STOPPED_MEMORY:
        return MemoryError()
    if stopped == lib.RF_STOPPED_OVERFLOW:
        return OverflowError("the count does not fit 64 bits")
    messages = {lib.RF_STOPPED_NODES: NODE_LIMIT, lib.RF_STOPPED_TIME: TIME_LIMIT}
    return LimitReached(messages.get(stopped, CANCELLED), nodes)
