"""perft: counts of ply sequences, the standard check of a move generator."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback
from ringfen.position import Position, limit_reached

#: With fewer root plies for each thread than this, the second ply is split too.
_TASKS_PER_THREAD = 16


def perft(
    position: Position,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> int:
    """The number of different sequences of ``depth`` plies from ``position``.

    :param threads: how many threads count; the count does not depend on it.
    :param hash_mb: size of a table of counts, in MiB; 0 uses none.
    :raises ValueError: ``depth`` is negative or above 255.
    :raises ringfen.LimitReached: a limit was reached.
    :raises OverflowError: the count does not fit 64 bits.
    """
    if threads > 1 and depth >= 2:
        return sum(
            count
            for _, count in divide(position, depth, threads=threads, hash_mb=hash_mb, limits=limits, progress=progress)
        )
    return _count(position, depth, _table(hash_mb), limits, progress)


def divide(
    position: Position,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> list[tuple[str, int]]:
    """The count below each legal ply, in byte order of the plies. Raises as :func:`perft`; ``depth`` is at least 1."""
    _check_depth(depth, 1)
    table = _table(hash_mb)
    successors = position.successors()
    if threads <= 1:
        return [(ply, _count(child, depth - 1, table, limits, progress)) for ply, child in successors]
    tasks: list[tuple[int, Position, int]] = []
    for index, (_, child) in enumerate(successors):
        if len(successors) >= threads * _TASKS_PER_THREAD or depth < 3:
            tasks.append((index, child, depth - 1))
        else:
            tasks.extend((index, grandchild, depth - 2) for _, grandchild in child.successors())
    counts = [0] * len(successors)
    for (index, _, _), count in zip(tasks, _in_threads(tasks, table, threads, limits, progress), strict=True):
        counts[index] += count
    return [(ply, count) for (ply, _), count in zip(successors, counts, strict=True)]


def _check_depth(depth: int, least: int) -> None:
    if not least <= depth <= lib.RF_MAX_PERFT:
        raise ValueError(f"the depth is {least} to {lib.RF_MAX_PERFT}, not {depth}")


def _table(hash_mb: int) -> Any:
    if hash_mb <= 0:
        return ffi.NULL
    table = lib.rf_table_new(hash_mb << 20)
    if table == ffi.NULL:
        raise MemoryError
    return ffi.gc(table, lib.rf_table_free)


def _count(
    position: Position,
    depth: int,
    table: Any,
    limits: Limits | None,
    progress: ProgressCallback | None,
    cancel: Any = ffi.NULL,
) -> int:
    _check_depth(depth, 0)
    control = Control(limits, progress, cancel)
    total = int(lib.rf_perft(position.game.cdata, position.context.cdata, position.state, depth, table, control.cdata))
    control.finish()
    error = limit_reached(control)
    if error is not None:
        raise error
    return total


def _in_threads(
    tasks: Sequence[tuple[int, Position, int]],
    table: Any,
    threads: int,
    limits: Limits | None,
    progress: ProgressCallback | None,
) -> list[int]:
    """The counts of the tasks, in their order. Ctrl-C in the main thread cancels the threads."""
    cancel = ffi.new("int *", 0)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(_count, child, depth, table, limits, progress, cancel) for _, child, depth in tasks]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            return [future.result() for future in futures]
        except BaseException:
            cancel[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
