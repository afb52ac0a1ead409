"""Solves positions and writes certificates of their values (docs/certificates.md).

:mod:`ringfen.certificates.verify` checks them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringfen.arguments import check_flag, check_path, check_progress
from ringfen.certificates.claims import DEFAULT_MEMORY_MB, Claim, Proved
from ringfen.certificates.file import write_file
from ringfen.certificates.proof_writer import ProofWriter
from ringfen.certificates.prove_chance import prove_chance
from ringfen.certificates.prove_problem import prove_problem
from ringfen.certificates.strategy import SearchedPlies, Strategy, strategy_for
from ringfen.control import MAX_HASH_MB, Budget, Limits, ProgressCallback, checked_int
from ringfen.errors import TIME_LIMIT, LimitReached, NotSolved
from ringfen.options import SolveKeywords, check_options_used, chosen_options, takes_solve_keywords
from ringfen.outputs import Output
from ringfen.position import Position
from ringfen.solving import SolveOptions, Value, solve
from ringfen.solving.proof_number import search_beyond_tables
from ringfen.solving.win import table_problems, without_damaged_tables
from ringfen.tables.proof_leaves import TableLeaves

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_solve_keywords
def prove(
    position: Position | str,
    path: str | Path,
    options: SolveOptions | None = None,
    *,
    expand: bool = False,
    problem: bool = False,
    gap: int | Fraction | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
    **chosen: Unpack[SolveKeywords],
) -> Proved:
    """Solve a position and write a certificate of its value to ``path``.

    The keywords are those of :func:`ringfen.solve`. The limits apply to the position and all positions of the proof
    together. Games of chance are always solved with the model ``paranoid``; ``wdl`` and ``each`` have no effect. If a
    file of endgame tables cannot be used, it is skipped and listed in ``table_problems``.

    :param expand: Follow every line to the end of the game. Otherwise a proof can end at positions of endgame tables
        (Siaius, with more stones than the tables have).
    :param problem: Prove that the position is a sound problem: exactly one first ply reaches the value, for a win
        within the smallest number of moves. The certificate cites no tables.
    :param gap: With ``problem``, the least difference between the key and every other ply: points, at least 1 (the
        default), or a probability above 0 (by default any). Wins have no gap.
    :param memory_mb: Memory for the positions of a claim, in MiB.
    :raises OSError: ``path`` cannot be written.
    :raises ringfen.UnsoundProblem: With ``problem``: there is not exactly one key.
    :raises ringfen.NotSolved: The value is not proven within the limits.
    :raises ringfen.LimitReached: The value is proven, but a limit was reached or the memory was full before the
        certificate was complete.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds or does not apply to the game.
    """
    solve_options = replace(chosen_options(options, chosen), wdl=False, each=False)
    check_path("path", path)
    check_flag("expand", expand)
    check_flag("problem", problem)
    check_progress(progress)
    checked_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
    start, out = Position.of(position), Path(path)
    by_chance = start.game.value_kind == "chance"
    if options is None:
        check_options_used(solve_options, [start.game])
    Output(out)  # raises before any work if it cannot be written
    if gap is not None:
        _check_gap(gap, start, problem)
    if by_chance:
        solve_options = replace(solve_options, model="paranoid")

    def proved(limits: Limits) -> Proved:
        limited = replace(solve_options, limits=limits)
        if problem:
            return prove_problem(start, out, limited, gap, memory_mb, progress)
        return _prove(start, out, limited, expand, memory_mb, progress)

    if by_chance:
        limits = solve_options.limits
        return proved(limits) if problem else prove_chance(start, out, solve_options, memory_mb, progress)
    certificate = without_damaged_tables(start, solve_options, proved)
    return replace(certificate, table_problems=table_problems(start, solve_options))


def _check_gap(gap: Any, position: Position, problem: bool) -> None:
    if not problem:
        raise ValueError("gap requires problem=True")
    if isinstance(gap, bool) or not isinstance(gap, int | Fraction):
        raise TypeError(f"gap must be an int or a Fraction, not {type(gap).__name__}")
    kind = position.game.value_kind
    if kind not in ("margin", "chance"):
        raise ValueError(f"{position.game.name} has no gap: its problems are wins")
    if gap <= 0 or (kind == "margin" and gap != int(gap)) or (kind == "chance" and gap > 1):
        raise ValueError("gap is a whole number of points, at least 1, or a probability above 0 and at most 1")


def _prove(
    position: Position,
    path: Path,
    options: SolveOptions,
    expand: bool,
    memory_mb: int,
    progress: ProgressCallback | None,
) -> Proved:
    """Prove a position of a game without chance.

    :raises ringfen.TableError: A block of a table that is needed is damaged.
    """
    budget = Budget(options.limits)
    searched = _by_proof_number(position, options, budget, progress)
    if searched is not None:
        value, strategy, leaves = searched
        ends = None if expand else leaves
        return certify(position, path, value, strategy, leaves=ends, memory_mb=memory_mb, progress=progress)
    solution = solve(position, options, progress=progress)
    if solution.status != "exact":
        raise NotSolved(solution)
    budget.use(solution.nodes)
    strategy = strategy_for(position, solution, options, memory_mb, budget)
    return certify(position, path, solution.value, strategy, memory_mb=memory_mb, progress=progress)


def _by_proof_number(
    position: Position, options: SolveOptions, budget: Budget, progress: ProgressCallback | None
) -> tuple[Value, Strategy, TableLeaves] | None:
    """Solve a position with more stones than the tables have. Return its value, strategy and leaves.

    :returns: None if there are no tables for it, or it is not solved.
    """
    search = search_beyond_tables(position, options)
    if search is None or not search.solve(options.limits, progress):
        return None
    winner = search.winner(position)
    if winner != 0:
        budget.use(search.nodes)
        if not search.measure(Limits(seconds=budget.left().seconds), progress):
            raise LimitReached(TIME_LIMIT, search.nodes)
    value = "draw" if winner == 0 else "win" if winner == position.player_number else "loss"
    return value, SearchedPlies(search), TableLeaves(search.tables, position)


def certify(
    position: Position,
    path: Path,
    value: Value,
    strategy: Strategy,
    *,
    leaves: TableLeaves | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
) -> Proved:
    """Write a certificate of a known value with the plies of a strategy.

    :param leaves: Positions at which the proof ends.
    :raises ringfen.CertificateError: The strategy's plies do not prove the value.
    :raises ringfen.LimitReached: The certificate would need more memory.
    """
    parts = [
        ProofWriter(position, claim, strategy, leaves, memory_mb, progress).part() for claim in _claims(position, value)
    ]
    tables = {} if leaves is None else leaves.used()
    size = write_file(path, position.fen, None, parts, tables)
    positions = sum(part.positions for part in parts)
    return Proved(position.fen, value, [part.claim for part in parts], positions, size, tables)


def _claims(position: Position, value: Value) -> list[Claim]:
    """Return the claims that prove a value. The walk fills in ``within``."""
    mover = position.player_number
    other = 3 - mover
    if value == "win":
        return [Claim(mover, at_least=1)]
    if value == "loss":
        return [Claim(other, at_least=1)]
    margin = 0 if value == "draw" else value
    assert isinstance(margin, int)
    return [Claim(mover, at_least=margin), Claim(other, at_least=-margin)]
