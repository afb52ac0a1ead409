"""``solve`` for many positions: workers, a file of answers that survives being killed, a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ringfen.batch import Answer, AnswerFile, BatchError, News, Work, dask_executor, local_executor, run
from ringfen.cli.common import LIMIT, OK, Positions, print_json, worst
from ringfen.cli.progress import Meter

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from ringfen.solving import SolveOptions

#: Positions that each worker is given beforehand, so that none waits for the next.
_IN_FLIGHT = 2
_SLOWEST = 3


def solve_batch(
    positions: Positions, options: SolveOptions, *, out: Path | None, resume: bool, jobs: int, dask: str | None
) -> int:
    """Solves all positions; answers go to ``out``, or in input order to standard output as JSON lines."""
    work = Work()
    for line, position in positions:
        work.add(line.number, position.fen)
    malformed = positions.malformed
    try:
        with _executor(jobs, dask) as (executor, workers):
            if out is None:
                status = _to_standard_output(work, options, executor, workers, positions.board_path)
            else:
                job = {"options": _as_json(options), "format": 1}
                file = AnswerFile(out, work, job, resume=resume)
                status = _to_file(file, work, options, executor, workers, positions.board_path, malformed)
    except BatchError as error:
        raise click.ClickException(str(error)) from error
    return worst(status, positions.status)


def _as_json(options: SolveOptions) -> dict[str, Any]:
    """What answers depend on."""
    fields = asdict(options)
    for name in ("hash_mb", "threads"):
        del fields[name]
    return {name: value if isinstance(value, dict | int) else str(value) for name, value in fields.items() if value}


@contextmanager
def _executor(jobs: int, dask: str | None) -> Iterator[tuple[Executor, int]]:
    """Who does the work, and how many at a time."""
    if dask is not None:
        with dask_executor(dask) as (executor, workers):
            yield executor, workers
    else:
        with local_executor(jobs) as executor:
            yield executor, jobs


def _shower(meter: Meter) -> Any:
    def show(news: News) -> None:
        shown = ", ".join(map(str, news.working_on[:4])) + (", …" if len(news.working_on) > 4 else "")
        rate = f"{news.done / news.seconds:.1f}/s" if news.seconds > 0 else ""
        meter.show(news.done, news.total, f"{rate}, working on line {shown}" if shown else rate)

    return show


def _in_flight(workers: int) -> int:
    return 1 if workers <= 1 else workers * _IN_FLIGHT


def _to_standard_output(
    work: Work, options: SolveOptions, executor: Executor, workers: int, board_path: Sequence[Path]
) -> int:
    status = OK
    order = iter(sorted(line for lines in work.lines_of.values() for line in lines))
    due = next(order, None)
    early: dict[int, Answer] = {}
    with Meter("solving") as meter:
        answers = run(
            work, options, executor, in_flight=_in_flight(workers), board_path=board_path, news=_shower(meter)
        )
        for answer in answers:
            status = worst(status, _status(answer, options))
            early[answer["line"]] = answer
            while due in early:
                meter.clear()
                print_json(early.pop(due))
                due = next(order, None)
    return status


def _to_file(
    file: AnswerFile,
    work: Work,
    options: SolveOptions,
    executor: Executor,
    workers: int,
    board_path: Sequence[Path],
    malformed: int,
) -> int:
    answers = list(file.taken_up)
    finished = False
    try:
        with Meter("solving") as meter:
            for answer in run(
                work,
                options,
                executor,
                in_flight=_in_flight(workers),
                known=file.known,
                answered=file.answered,
                board_path=board_path,
                news=_shower(meter),
            ):
                file.write(answer)
                answers.append(_kept(answer))
        finished = True
    except BaseException:
        click.echo(
            f"{len(file.answered)} of {work.total} answers are in {file.path}; "
            "the same command with --resume goes on from there",
            err=True,
        )
        raise
    finally:
        file.close(finished=finished)
    _summarise(work, answers, malformed)
    return worst(OK, *(_status(answer, options) for answer in answers))


def _kept(answer: Answer) -> Answer:
    """What the summary and the exit status need of an answer."""
    return {name: answer.get(name) for name in ("line", "status", "value", "open", "seconds", "fen")}


def _status(answer: Answer, options: SolveOptions) -> int:
    if answer["status"] == "bound" and options.until is not None and answer.get("open") is not None:
        from fractions import Fraction

        return OK if Fraction(answer["open"]) <= options.until else LIMIT
    return OK if answer["status"] in ("exact", "horizon") else LIMIT


def _summarise(work: Work, answers: Sequence[Answer], malformed: int) -> None:
    from tabulate import tabulate

    def count(status: str) -> int:
        return sum(answer["status"] == status for answer in answers)

    rows: list[tuple[str, object]] = [("positions", work.total), ("different", len(work.lines_of))]
    rows.append(("solved", count("exact") + count("horizon")))
    for value in ("win", "loss", "draw"):
        number = sum(answer["value"] == value for answer in answers)
        if number:
            rows.append((f"  {value}", number))
    margins = [answer["value"] for answer in answers if isinstance(answer["value"], int)]
    if margins:
        for name, number in (
            ("margin above 0", sum(margin > 0 for margin in margins)),
            ("margin 0", margins.count(0)),
            ("margin below 0", sum(margin < 0 for margin in margins)),
        ):
            rows.append((f"  {name}", number))
    chances = sum(isinstance(answer["value"], list) for answer in answers)
    if chances:
        rows.append(("  probabilities", chances))
    rows += [("bounds", count("bound")), ("unknown", count("unknown")), ("malformed", malformed)]
    for place, answer in enumerate(sorted(answers, key=lambda answer: -answer["seconds"])[:_SLOWEST]):
        rows.append(("slowest" if place == 0 else "", f"line {answer['line']}, {answer['seconds']:.2f} s"))
    click.echo(tabulate([(name, str(value)) for name, value in rows], tablefmt="plain", disable_numparse=True))
