"""Solving many positions from Python: solutions in the order of the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from pathlib import Path

from ringfen.arguments import check_flag, check_path
from ringfen.batch import workers
from ringfen.batch.run import AnswerFile, Work, solve_all, solve_one
from ringfen.batch.workers import Crew, Failure
from ringfen.control import checked_int
from ringfen.errors import BatchError
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions, chosen_options
from ringfen.solving.solution import check_options_used

_MOST_JOBS = 1024


def solve_many(
    positions: Iterable[Position | str],
    options: SolveOptions | None = None,
    *,
    jobs: int = 1,
    dask: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    seconds: float | None = None,
    nodes: int | None = None,
    threads: int = 1,
    hash_mb: int = 256,
    plies: int | None = None,
    model: str = "maxn",
    horizon: int = 8,
    player: int | None = None,
    until: Fraction | None = None,
    wdl: bool = False,
    each: bool = False,
    tables: str | Path | None = None,
) -> Iterator[Solution]:
    """Solves many positions, each different one once; gives their solutions in the order of the input.

    All positions are read before the call returns, so a wrong one is an error before any work. Each solution comes
    as soon as those before it are there. Leaving the iterator ends the workers.

    :param positions: positions or their texts.
    :param jobs: positions to solve at a time, each in a process of its own.
    :param dask: the address of a Dask scheduler whose workers are to solve them (needs ``ringfen[dask]``).
    :param out: a file to which every answer is appended as a line of JSON, as ``ringfen solve --out`` does.
    :param resume: go on with ``out`` if it is there; what it answers is not solved again.

    All other keywords are those of :func:`ringfen.solve`, for each position.

    :raises TypeError: an argument is of a wrong type.
    :raises ValueError: an argument is out of bounds or does not fit a position.
    :raises ringfen.RingfenError: a text is not that of a position.
    :raises ringfen.BatchError: the workers or the file cannot be used, or a position has no answer, for want of memory
        for example.
    """
    chosen = chosen_options(
        options,
        seconds=seconds,
        nodes=nodes,
        threads=threads,
        hash_mb=hash_mb,
        plies=plies,
        model=model,
        horizon=horizon,
        player=player,
        until=until,
        wdl=wdl,
        each=each,
        tables=tables,
    )
    checked_int("jobs", jobs, 1, _MOST_JOBS)
    check_flag("resume", resume)
    if out is not None:
        check_path("out", out)
    if dask is not None and not isinstance(dask, str):
        raise TypeError(f"dask is a str, not {type(dask).__name__}")
    if resume and out is None:
        raise ValueError("resume goes with out")
    if isinstance(positions, str | Position):
        one = "text" if isinstance(positions, str) else "Position"
        raise TypeError(f"positions are several: give a list with the {one} in it")
    if isinstance(positions, bytes) or not isinstance(positions, Iterable):
        raise TypeError(f"positions are several, in a list for example, not {type(positions).__name__}")
    work, order = Work(), []
    for number, item in enumerate(positions, 1):
        position = Position.of(item)
        work.add(number, position)
        order.append(position.fen)
    if options is None:
        check_options_used(chosen, (position.game for position in work.positions.values()))
    return _solutions(work, order, chosen, jobs, dask, None if out is None else Path(out), resume)


def _solutions(
    work: Work, order: list[str], options: SolveOptions, jobs: int, dask: str | None, out: Path | None, resume: bool
) -> Iterator[Solution]:
    if out is None:
        yield from _in_order(work, order, options, jobs, dask, None)
        return
    file = AnswerFile(out, work, options, resume=resume)
    try:
        yield from _in_order(work, order, options, jobs, dask, file)
    finally:
        file.close()


def _in_order(
    work: Work, order: list[str], options: SolveOptions, jobs: int, dask: str | None, file: AnswerFile | None
) -> Iterator[Solution]:
    found = {} if file is None else {answer["fen"]: Solution.from_json(answer) for answer in file.found}
    unsolved = list(work.positions.values()) if file is None else file.unsolved()
    due = iter(order)
    fen = next(due, None)
    with _crew(options, jobs, dask) as crew:
        for position, result in solve_all(unsolved, crew, _nothing if file is None else file.sync):
            if isinstance(result, Failure):
                message = f"{position.fen}: {result.message}"
                raise ValueError(message) if result.misuse else BatchError(message, reason="no-answer")
            if file is not None:
                file.add(result)
            found[position.fen] = result
            while fen is not None and fen in found:
                yield found[fen]
                fen = next(due, None)
    while fen is not None:
        yield found[fen]
        fen = next(due, None)


def _nothing() -> None:
    pass


def _crew(options: SolveOptions, jobs: int, dask: str | None) -> AbstractContextManager[Crew]:
    task = partial(solve_one, options)
    if dask is not None:
        return workers.dask(dask, task)
    return workers.processes(jobs, task, lambda message: None) if jobs > 1 else workers.thread(task)
