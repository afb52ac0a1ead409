"""Solves many positions from Python and yields the solutions in the order of the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ringfen.arguments import check_flag, check_path
from ringfen.batch import workers
from ringfen.batch.run import AnswerFile, Work, solve_all, solve_one
from ringfen.batch.workers import Failure
from ringfen.control import checked_int
from ringfen.errors import BatchError
from ringfen.options import SolveKeywords, check_options_used, chosen_options, takes_solve_keywords
from ringfen.position import Position
from ringfen.solving import Solution, SolveOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MAX_JOBS = 1024


@takes_solve_keywords
def solve_many(
    positions: Iterable[Position | str],
    options: SolveOptions | None = None,
    *,
    jobs: int = 1,
    dask: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    **chosen: Unpack[SolveKeywords],
) -> Iterator[Solution]:
    """Solve many positions and yield their solutions in the order of the input. Equal positions are solved once.

    The call reads all positions before it returns, so an invalid position raises an error before any work begins. Each
    solution is yielded as soon as all earlier ones are available. Closing the iterator ends the workers. All other
    keywords are those of :func:`ringfen.solve` and apply to each position.

    :param positions: Positions or their texts.
    :param jobs: Number of positions to solve at the same time, each in its own process.
    :param dask: The address of a Dask scheduler whose workers solve the positions (needs ``ringfen[dask]``).
    :param out: A file to which each answer is appended as a line of JSON, as by ``ringfen solve --out``.
    :param resume: Keep the answers in ``out`` and solve only the other positions.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds or does not apply to a position.
    :raises ringfen.RingfenError: A text is not a position.
    :raises ringfen.BatchError: The workers or the file cannot be used, or a position has no answer, for example because
        memory ran out.
    """
    found = chosen_options(options, chosen)
    checked_int("jobs", jobs, 1, _MAX_JOBS)
    check_flag("resume", resume)
    if out is not None:
        check_path("out", out)
    if dask is not None and not isinstance(dask, str):
        raise TypeError(f"dask must be a str, not {type(dask).__name__}")
    if resume and out is None:
        raise ValueError("resume=True requires out=FILE")
    if isinstance(positions, str | Position):
        one = "text" if isinstance(positions, str) else "Position"
        raise TypeError(f"expected several positions, not one: give a list with the {one} in it")
    if isinstance(positions, bytes) or not isinstance(positions, Iterable):
        raise TypeError(f"expected several positions, for example in a list, not {type(positions).__name__}")
    work, order = Work(), []
    for number, item in enumerate(positions, 1):
        position = Position.of(item)
        work.add(number, position)
        order.append(position.fen)
    if options is None:
        check_options_used(found, (position.game for position in work.positions.values()))
    return _solutions(work, order, found, jobs, dask, out, resume)


def _solutions(
    work: Work,
    order: list[str],
    options: SolveOptions,
    jobs: int,
    dask: str | None,
    out: str | Path | None,
    resume: bool,
) -> Iterator[Solution]:
    if out is None:
        yield from _in_order(work, order, options, jobs, dask, None)
        return
    file = AnswerFile(out, work, options, resume=resume)
    try:
        yield from _in_order(work, order, options, jobs, dask, file)
    except BaseException:
        file.abandon()
        raise
    file.close()


def _in_order(
    work: Work, order: list[str], options: SolveOptions, jobs: int, dask: str | None, file: AnswerFile | None
) -> Iterator[Solution]:
    found = {} if file is None else {answer["fen"]: Solution.from_json(answer) for answer in file.found}
    unsolved = list(work.positions.values()) if file is None else file.unsolved()
    due = iter(order)
    fen = next(due, None)
    with workers.pool_for(partial(solve_one, options), jobs, dask) as pool:
        for position, result in solve_all(unsolved, pool, (lambda: None) if file is None else file.sync):
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
