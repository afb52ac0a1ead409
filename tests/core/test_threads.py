"""The pool of threads that a signal handler may interrupt anywhere."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from ringfen.threads import Threads


def test_every_result_is_returned_once_with_its_key() -> None:
    with Threads[int, int](3) as pool:
        for key in range(100):
            pool.submit(key, partial(pow, key, 2))
        found: list[tuple[int, int]] = []
        while pool.pending:
            found += pool.finished()
    assert sorted(found) == [(key, key**2) for key in range(100)]


def test_no_more_threads_than_asked_for() -> None:
    names: set[int] = set()
    with Threads[None, None](2) as pool:
        for _ in range(20):
            pool.submit(None, lambda: names.add(threading.get_ident()))
        while pool.pending:
            pool.finished()
    assert 1 <= len(names) <= 2


def test_an_error_of_a_job_is_raised_where_results_are_collected() -> None:
    with Threads[None, int](1) as pool:
        pool.submit(None, partial(divmod, 1, 0))
        with pytest.raises(ZeroDivisionError):
            pool.finished()
        assert pool.pending == 0


def test_nothing_is_returned_while_nothing_has_ended() -> None:
    gate = threading.Event()
    with Threads[str, bool](1) as pool:
        pool.submit("late", gate.wait)
        assert pool.finished(0.01) == []
        gate.set()
        assert pool.finished() == [("late", True)]


def test_leaving_drops_jobs_that_have_not_begun_and_waits_for_the_others() -> None:
    done: list[str] = []
    began, gate = threading.Event(), threading.Event()

    def first() -> None:
        began.set()
        gate.wait()
        done.append("first")

    with Threads[None, None](1) as pool:
        pool.submit(None, first)
        pool.submit(None, partial(done.append, "second"))
        began.wait()
        pool._is_closing = True  # As in the first step of leaving.
        gate.set()
    assert done == ["first"]


class Interruption(BaseException):
    """As KeyboardInterrupt, which would end the tests if one escaped."""


def interrupted_at(step: int, call: Callable[[], None]) -> bool:
    """Call a function, and interrupt it after this many bytecodes. Return False if it ended earlier."""
    left = step

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        if event == "opcode":
            if left == 0:
                left = -1
                raise Interruption
            left -= 1
        return trace

    before = sys.gettrace()
    gc.disable()  # Other code of this process may have callbacks there, which would be interrupted too.
    sys.settrace(trace)
    try:
        call()
    except Interruption:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
    return False


def test_an_interruption_anywhere_does_not_hang() -> None:
    """Every bytecode is interrupted once."""

    def call() -> None:
        with Threads[None, int](2) as pool:
            for number in range(3):
                pool.submit(None, partial(abs, number))
            while pool.pending:
                pool.finished()

    step = 0
    while interrupted_at(step, call):
        step += 1
    assert step > 50
