"""``solve``: exact values of positions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import LIMIT, OK, in_options, print_error, worst
from ringfen.cli.output import is_answered, note_unused
from ringfen.cli.position_input import Line, Positions, print_answer
from ringfen.cli.progress import ProgressBar, short
from ringfen.cli.quantities import Statuses, WholeNumber
from ringfen.cli.shared_options import (
    adding,
    dask_option,
    jobs_option,
    json_option,
    out_option,
    paranoid_options,
    positions_from,
    print_to,
    quiet_option,
    resume_option,
    solver_options,
)
from ringfen.cli.table_problems import TableProblems
from ringfen.control import MAX_PLIES, stop_when
from ringfen.errors import LimitReached, RingfenError, TableError
from ringfen.text import player_name

if TYPE_CHECKING:
    from fractions import Fraction

    from ringfen.cli.solution_tree import TreeOptions
    from ringfen.position import Position
    from ringfen.solving import PlyValue, Solution, SolveOptions, Value

#: The maximum number of plies of best play that are shown to people.
_SHOWN_PLIES = 24


_solve_only_options = adding(
    click.option(
        "--model",
        type=click.Choice(["maxn", "paranoid"]),
        default="maxn",
        show_default=True,
        help="GRAN: Each player for themselves (maxn), or all against --player (paranoid).",
    ),
    click.option("--wdl", is_flag=True, help="Gygès, Siaius: Find the value only, not the distance."),
    click.option("--each", is_flag=True, help="Add the value after every legal ply."),
    out_option("Write the answers to FILE as JSON lines."),
    resume_option,
    click.option(
        "--retry",
        type=Statuses("unknown", "bound"),
        metavar="STATUS,…",
        help="With --resume, solve unknown or bound positions again.",
    ),
    jobs_option(),
    dask_option,
)

_tree_options = adding(
    click.option(
        "--tree",
        is_flag=True,
        help="Print the whole solution; the next four options imply it.",
    ),
    click.option("--tree-full", is_flag=True, help="Gygès, Siaius: Also print defences that lose sooner."),
    click.option("--tries", is_flag=True, help="Also print first plies that fail to exactly one reply."),
    click.option(
        "--tree-depth",
        type=WholeNumber(1, MAX_PLIES),
        metavar="N",
        help="Print N plies of the solution.  [default: 6; wins and losses to the end]",
    ),
    click.option("--rgn", is_flag=True, help="Print the solution as a record with variations."),
)


@click.command()
@positions_from(many=True)
@solver_options()
@paranoid_options
@_solve_only_options
@_tree_options
@json_option
@quiet_option
def solve(
    positions: Positions,
    as_json: bool,
    out: str | None,
    resume: bool,
    retry: Collection[str] | None,
    jobs: int,
    dask: str | None,
    tree: bool,
    tree_full: bool,
    tries: bool,
    tree_depth: int | None,
    rgn: bool,
    **chosen: Any,
) -> int:
    """Find the exact value of positions under best play.

    Gygès, Siaius: win, loss or draw for the side to move, and in how many plies. The King of Rings: the margin for
    the side to move. GRAN: each player's probability of winning within the horizon. If a limit is reached, prints the
    proven bounds, and the exit status is 3.

    \b
    Example:
      ringfen solve 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'
      ringfen solve --file positions.txt --seconds 10 --json
      ringfen random rings | ringfen positions - --last | ringfen solve -
      ringfen solve --file positions.txt --out answers.jsonl --jobs 4 --nodes 10M
      ringfen solve --tree --tries 'siaius t1s1/4/M3/4 n - - 0'
    """
    options = solve_options(**chosen)
    _check_options(options, out, resume=resume, retry=retry)
    if tree or tree_full or tries or tree_depth is not None or rgn:
        _check_tree_options(options, resume=resume, retry=retry, jobs=jobs, dask=dask, rgn=rgn, as_json=as_json)
        from ringfen.cli.solution_tree import TreeOptions

        asked = TreeOptions(full=tree_full, tries=tries, depth=tree_depth, rgn=rgn, as_json=as_json)
        return _print_or_write_trees(positions, options, asked, out, resume=resume)
    if out == "-":
        out, as_json = None, True
        positions.as_json = True
    show = partial(_show, as_json)
    if out is None and jobs == 1 and dask is None:
        return _solve_each(positions, options, show)
    from ringfen.cli.batch import solve_batch

    if positions.given > 1 and not positions.only_arguments:
        raise click.UsageError("A batch reads its positions from one --file, or all from arguments.")
    return solve_batch(
        positions,
        options,
        out=out,
        resume=resume,
        retry=retry or (),
        jobs=jobs,
        dask=dask,
        as_json=as_json,
        show=show,
    )


def _print_or_write_trees(
    positions: Positions, options: SolveOptions, asked: TreeOptions, out: str | None, *, resume: bool
) -> int:
    """Write trees to an output that can be resumed, or print them; return the exit status."""
    if not asked.rgn and out is not None and out != "-":
        from ringfen.cli.tree_file import write_trees

        return write_trees(positions, options, asked, out, resume=resume)
    call = partial(_solve_trees, positions, options, asked)
    return call() if out in (None, "-") else print_to(out, positions.inputs, call)


def _check_options(options: SolveOptions, out: str | None, *, resume: bool, retry: Collection[str] | None) -> None:
    """Reject options that have no effect without another option."""
    if options.model == "maxn":
        for name in ("player", "until"):
            if getattr(options, name) is not None:
                raise click.UsageError(f"--{name} requires --model paranoid.")
    if resume and out in (None, "-"):
        raise click.UsageError("--resume requires --out FILE.")
    if retry and not resume:
        raise click.UsageError("--retry requires --resume.")


def _check_tree_options(
    options: SolveOptions,
    *,
    resume: bool,
    retry: Collection[str] | None,
    jobs: int,
    dask: str | None,
    rgn: bool,
    as_json: bool,
) -> None:
    """Reject options that make no sense with a tree."""
    others = {
        "wdl": options.wdl,
        "each": options.each,
        "retry": bool(retry),
        "resume": rgn and resume,
        "jobs": jobs > 1,
        "dask": dask is not None,
        "json": rgn and as_json,
    }
    for name, is_given in others.items():
        if is_given:
            first = "rgn" if name in ("json", "resume") else "tree"
            raise click.UsageError(f"--{first} and --{name} cannot be combined.")


def _solve_each(
    positions: Positions, options: SolveOptions, show: Callable[[int, Line, Position, Solution], None]
) -> int:
    """Solve and show the positions one at a time; return the exit status."""
    status = OK
    kinds = set()
    problems = TableProblems()
    for number, (line, position, solution) in enumerate(solved(positions, options)):
        kinds.add(position.game.value_kind)
        problems.report(solution.table_problems)
        status = worst(status, OK if is_answered(solution.status, solution.open, options) else LIMIT)
        show(number, line, position, solution)
    note_unused(options, kinds)
    return worst(status, problems.status, positions.status)


def _solve_trees(positions: Positions, options: SolveOptions, asked: TreeOptions) -> int:
    """Solve positions and print their trees one at a time; return the exit status."""
    from ringfen.cli.solution_tree import print_tree, tree_within
    from ringfen.problems.tree import is_solved

    status, kinds, problems = OK, set(), TableProblems()
    for number, (line, position, solution) in enumerate(solved(positions, options)):
        kinds.add(position.game.value_kind)
        problems.report(solution.table_problems)
        words = _value_words(position, solution)
        status = worst(status, OK if is_answered(solution.status, solution.open, options) else LIMIT)
        if not is_solved(solution, options):
            _show_unsolved(number, line, position, solution, asked)
            continue
        with _interrupts_that_stop() as interrupted:
            tree = tree_within(position, solution, options, asked)
            limit = print_tree(number, line, tree, words, asked, positions)
            if limit is not None:
                print_error(f"{position.fen}: the tree is cut short: {limit.message}")
                status = worst(status, LIMIT)
            if interrupted():
                raise KeyboardInterrupt
    note_unused(options, kinds)
    unused = {"tree-full": asked.full and "win" not in kinds, "tries": asked.tries and kinds == {"chance"}}
    for name, is_unused in unused.items():
        if kinds and is_unused:
            click.echo(f"note: --{name} has no effect on these positions", err=True)
    return worst(status, problems.status, positions.status)


def _show_unsolved(number: int, line: Line, position: Position, solution: Solution, asked: TreeOptions) -> None:
    """Print the proven bounds of a position that has no tree."""
    from ringfen.cli.solution_tree import NO_TREE

    if asked.as_json:
        print_answer(line, solution.to_json() | NO_TREE)
    elif asked.rgn:
        print_error(f"{position.fen}: {_value_words(position, solution)}")
    else:
        _show(False, number, line, position, solution)


@contextmanager
def _interrupts_that_stop() -> Iterator[Callable[[], bool]]:
    """Make Ctrl-C end a search as a limit does, so that its bounds are printed; a second one ends the program.

    Yields a function that returns whether Ctrl-C was pressed.
    """
    is_interrupted = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal is_interrupted
        if is_interrupted:
            raise KeyboardInterrupt
        is_interrupted = True

    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        with stop_when(lambda: is_interrupted):
            yield lambda: is_interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _show(as_json: bool, number: int, line: Line, position: Position, solution: Solution) -> None:
    """Print a solution; the number counts from 0."""
    if as_json:
        print_answer(line, solution.to_json())
    else:
        if number > 0:
            click.echo()
        click.echo(described(position, solution))


def solve_options(*, nodes: int | None, seconds: float | None, hash: int, **rest: Any) -> SolveOptions:
    """Return the options of a solver, from those of :func:`~ringfen.cli.shared_options.solver_options`."""
    from ringfen.control import Limits
    from ringfen.solving import SolveOptions

    return SolveOptions(Limits(nodes, seconds), hash_mb=hash, **rest)


def solved(positions: Positions, options: SolveOptions) -> Iterator[tuple[Line, Position, Solution]]:
    """Yield each position with its solution; solve them one at a time in this process.

    Ctrl-C ends the current search; its solution is yielded before the exception.
    """
    name = positions.numbered("solving")
    bar = ProgressBar("solving")
    for line, position in positions:
        bar.restart(name(position))
        with bar, _interrupts_that_stop() as interrupted:
            try:
                solution = in_options(position.solve(options, progress=bar))
            except (TableError, LimitReached):
                if interrupted():
                    raise KeyboardInterrupt from None
                raise
            except ValueError as error:
                if not line.is_streamed:
                    raise click.UsageError(f"{position.fen}: {error}") from error
                positions.fail(line, RingfenError(f"{position.fen}: {error}", reason="bad-option"))
                continue
        if interrupted() and solution.note is None and solution.status != "exact":
            solution = replace(solution, note="interrupted")
        yield line, position, solution
        if interrupted():
            raise KeyboardInterrupt


# ---- for people ----


def described(position: Position, solution: Solution) -> str:
    """Return a solution in words, as a block of lines."""
    rows = [("value", _value_words(position, solution))]
    if solution.best:
        rows.append(("best" if solution.best_complete else "best (some)", " ".join(solution.best)))
    if solution.pv:
        more = f" … ({len(solution.pv)} plies)" if len(solution.pv) > _SHOWN_PLIES else ""
        more += "" if solution.pv_complete else " (cut short)"
        rows.append(("line", " ".join(solution.pv[:_SHOWN_PLIES]) + more))
    nodes = "1 node" if solution.nodes == 1 else f"{short(solution.nodes)} nodes"
    rows += _ply_rows(position, solution)
    if solution.note is not None:
        rows.append(("note", solution.note))
    if solution.status == "unknown" and (advice := _table_advice(position)) is not None:
        rows.append(("note", advice))
    rows.append(("effort", f"{nodes}, {solution.seconds:.2f} s"))
    width = max(len(name) for name, _ in rows)
    return "\n".join([solution.fen, *(f"{name:<{width}}  {words}" for name, words in rows)])


def _table_advice(position: Position) -> str | None:
    """Return advice to build the endgame table of a position, if it is missing and the default memory suffices."""
    from ringfen.cli.tablebase.common import MEMORY_MB, building
    from ringfen.solving.tables import opened_tables
    from ringfen.tables.build import tasks_for
    from ringfen.tables.tablebase import board_of, class_of

    board, material = board_of(position), class_of(position)
    if board is None or material is None:
        return None
    tables = opened_tables(board, None)
    if tables is not None and any(info.material == material for info in tables.infos):
        return None
    if any(task.memory > MEMORY_MB << 20 for task in tasks_for(board, 0, [material])):
        return None
    return f"{building(board, [board.rules.name_of(material)], None)} an endgame table"


def _ply_rows(position: Position, solution: Solution) -> list[tuple[str, str]]:
    """Return one row per ply with its value, if the options requested it."""
    return [(row.ply, _ply_words(position.apply(row.ply), row)) for row in solution.plies or ()]


def _ply_words(after: Position, row: PlyValue) -> str:
    if row.value is None:
        return "not known"
    if isinstance(row.value, tuple | list):
        return _shares_words(row.value)
    return _win_or_margin_words(player_name(after.player), after, row.value, row.distance)


def _value_words(position: Position, solution: Solution) -> str:
    mover = player_name(position.player)
    if solution.status == "unknown":
        return _undecided_words(solution)
    if solution.model is not None:
        return _chances_words(solution)
    if solution.status == "bound":
        return _bound_words(mover, position, solution) + ("" if solution.note else " (a limit was reached)")
    words = _win_or_margin_words(mover, position, solution.value, solution.distance)
    return f"{words}, in endless play" if solution.endless and solution.margin is not None else words


def _bound_words(mover: str, position: Position, solution: Solution) -> str:
    """Return the bounds of a margin or a probability, or the winner with the bounds of the distance."""
    lower, upper = solution.lower, solution.upper
    if not isinstance(solution.value, str):
        between = f"between {_signed(lower)} and {_signed(upper)}"
        return f"for {mover} {between}" if isinstance(lower, int) else between
    words = _win_or_margin_words(mover, position, solution.value, None)
    if not isinstance(lower, int):
        return words
    if upper is None:
        return f"{words} in {_plies(lower)} or more"
    return f"{words} in {_plies(lower) if lower == upper else f'{lower} to {upper} plies'}"


def _win_or_margin_words(mover: str, position: Position, value: Value, distance: int | None) -> str:
    if value == "draw":
        return "draw"
    if not isinstance(value, str):
        return f"{_signed(value)} for {mover}"
    winner = mover if value == "win" else player_name({"s": "n", "n": "s"}.get(str(position.player)))
    if distance == 0:
        return f"{winner} has won"
    return f"{winner} wins" + ("" if distance is None else f" in {_plies(distance)}")


def _undecided_words(solution: Solution) -> str:
    if solution.decided is None:
        return "not known" + ("" if solution.note else " (a limit was reached)")
    return f"not known: no forced win of either side within {_plies(solution.decided)}"


def _plies(number: int | None) -> str:
    return "1 ply" if number == 1 else f"{number} plies"


def _signed(value: object) -> str:
    return f"{value:+d}" if isinstance(value, int) else str(value)


def _chances_words(solution: Solution) -> str:
    if isinstance(solution.value, tuple | list):
        text = _shares_words(solution.value)
    else:
        text = f"between {solution.lower} and {solution.upper}"
    return f"{text} ({solution.model}, horizon {solution.horizon}, {solution.open} open)"


def _shares_words(shares: Sequence[Fraction | None]) -> str:
    return ", ".join(_chance_words(number, share) for number, share in enumerate(shares, 1) if share is not None)


def _chance_words(player: int, chance: Fraction) -> str:
    return f"player {player}: {chance}" + (f" ≈ {float(chance):.4f}" if chance.denominator > 1 else "")
