"""``prove`` and ``verify``: certificates of solved values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ringfen.cli.exit_status import LIMIT, OK, USAGE, WRONG, print_error, print_os_error, with_options, worst
from ringfen.cli.file_kinds import reject_others
from ringfen.cli.output import note_unused, print_json
from ringfen.cli.position_input import Line, Positions, print_answer
from ringfen.cli.progress import ProgressBar
from ringfen.cli.quantities import GAP
from ringfen.cli.shared_options import (
    board_option,
    json_option,
    memory_option,
    out_dir_option,
    out_option,
    paranoid_options,
    positions_from,
    quiet_option,
    resume_option,
    solver_options,
)
from ringfen.cli.solve import solve_options
from ringfen.cli.table_problems import TableProblems
from ringfen.cli.usage_hints import InputFile
from ringfen.errors import RingfenError
from ringfen.inputs import open_regular, reject_endless, seekable
from ringfen.outputs import directory
from ringfen.text import player_name, printable

if TYPE_CHECKING:
    from fractions import Fraction

    from ringfen.certificates.claims import Claim, Proved, Verified
    from ringfen.position import Position
    from ringfen.solving import SolveOptions

_memory_option = memory_option(1024, "Memory for the positions of a certificate in MiB.")


@click.command()
@positions_from(many=True)
@solver_options()
@paranoid_options
@out_option("Write the certificate of one position to FILE.")
@out_dir_option("Write one certificate per position to DIR, such as 000001.cert for line 1.")
@resume_option
@click.option("--expand", is_flag=True, help="Siaius: Follow every line to its end instead of citing tables.")
@click.option("--problem", is_flag=True, help="Prove that the position is a sound problem.")
@click.option(
    "--gap",
    type=GAP,
    metavar="G",
    help="With --problem, require every other ply to be worse by these points or probability.  [default: 1 point; any]",
)
@_memory_option
@json_option
@quiet_option
def prove(
    positions: Positions,
    as_json: bool,
    out: str | None,
    out_dir: str | None,
    resume: bool,
    expand: bool,
    problem: bool,
    gap: Fraction | None,
    memory: int,
    **chosen: Any,
) -> int:
    """Solve positions and write certificates of their values.

    A certificate contains the plies that reach the value against all replies; 'ringfen verify' checks it using only
    the rules. GRAN: the bounds of the model paranoid, for --player. Without a proven value, no certificate is written,
    and the exit status is 3.

    With --problem, also proves that exactly one first ply, the key, reaches the value. If the problem is unsound, the
    exit status is 1.

    \b
    Example:
      ringfen prove 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1' --out win.cert
      ringfen prove --file positions.txt --out-dir proofs --seconds 60
      ringfen prove --problem 'gyges ..2.../1..1.1/233.32/3..2../.1..../...... s - 1+1' --out problem.cert
      ringfen verify win.cert
    """
    if gap is not None and not problem:
        raise click.UsageError("--gap requires --problem.")
    if (out is None) == (out_dir is None):
        raise click.UsageError("Give --out FILE for one position, or --out-dir DIR for many.")
    if resume and out_dir is None:
        raise click.UsageError("--resume requires --out-dir DIR.")
    if out == "-":
        raise click.UsageError("A certificate is binary: give --out the name of a file.")
    task = _Task(solve_options(**chosen), expand, problem, gap, memory)
    if out_dir is not None:
        return _Certificates(Path(out_dir), task, as_json).prove_all(positions, resume)
    assert out is not None
    return _prove_one(positions, out, task, as_json)


@dataclass(frozen=True)
class _Task:
    """What to prove of each position."""

    options: SolveOptions
    expand: bool
    problem: bool
    gap: Fraction | None
    memory: int

    def note_unused(self, kinds: set[str]) -> None:
        """Name on standard error the options that had no effect; ``kinds``: the kinds of the values."""
        note_unused(self.options, kinds)
        if self.gap is not None and kinds == {"win"}:
            click.echo("note: --gap has no effect on these positions", err=True)


def _prove_one(positions: Positions, out: str, task: _Task, as_json: bool) -> int:
    """Write the certificate of the only position; return the exit status."""
    positions.declared().output(out)
    read = [position for _, position in positions]
    if positions.status != OK:
        return positions.status
    if not read:
        return _no_position(positions)
    if len(read) != 1:
        raise click.UsageError(f"--out is for one position, not {len(read)}: give --out-dir DIR.")
    problems = TableProblems()
    bar = ProgressBar(f"proving {read[0].fen}")
    try:
        proved, status, reason = _proved(read[0], Path(out), task, problems, bar)
    except _UnfitOptionsError as error:
        raise click.UsageError(str(error)) from error
    task.note_unused({read[0].game.value_kind})
    if proved is None:
        print_error(f"no certificate: {reason}")
        return status
    if as_json:
        print_json(proved.to_json())
    else:
        _print_proved(proved, out)
    return problems.status


def _no_position(positions: Positions) -> int:
    """Return the exit status for no positions; a file without any was noted."""
    positions.required()
    return USAGE


def _proved(
    position: Position, path: Path, task: _Task, problems: TableProblems, bar: ProgressBar
) -> tuple[Proved | None, int, str]:
    """Write the certificate of a position; return its claims, or None, with the exit status and the reason."""
    from ringfen.certificates.prove import prove as write_certificate
    from ringfen.errors import CertificateError, LimitReached, NotSolved, UnsoundProblem

    try:
        with bar:
            proved = write_certificate(
                position,
                path,
                task.options,
                expand=task.expand,
                problem=task.problem,
                gap=None if position.game.value_kind == "win" else task.gap,
                memory_mb=task.memory,
                progress=bar,
            )
        problems.report(proved.table_problems)
        return proved, OK, ""
    except UnsoundProblem as error:
        return None, WRONG, with_options(str(error))
    except (NotSolved, CertificateError, LimitReached) as error:
        if isinstance(error, NotSolved):
            problems.report(error.solution.table_problems)
        return None, LIMIT, with_options(str(error))
    except RingfenError:
        raise
    except ValueError as error:
        raise _UnfitOptionsError(str(error)) from error


class _UnfitOptionsError(Exception):
    """The options do not fit a position."""


def _print_proved(proved: Proved, name: str) -> None:
    proven = _proven(proved)
    size = _size(proved.positions, len(proved.tables))
    click.echo(f"{printable(name)}: {proven}{size}, {proved.size:,} bytes")


class _Certificates:
    """A directory with one certificate per position: ``NUMBER.cert``, with the number of the input line."""

    def __init__(self, directory: Path, task: _Task, as_json: bool) -> None:
        self._directory = directory
        self._task = task
        self._as_json = as_json
        self._problems = TableProblems()
        self._bar = ProgressBar("proving")

    def prove_all(self, positions: Positions, resume: bool) -> int:
        """Write the certificates; with ``resume``, keep existing ones. Return the exit status."""
        if positions.given > 1 and not positions.only_arguments:
            raise click.UsageError("With --out-dir, give the positions in one --file, or all as arguments.")
        status, kinds = OK, set[str]()
        with directory(self._directory):
            name = positions.numbered("proving")
            for line, position in positions:
                self._bar.restart(name(position))
                kinds.add(position.game.value_kind)
                path = self._directory / f"{line.number:06}.cert"
                if not path.exists():
                    try:
                        status = worst(status, self._prove(line, position, path))
                    except _UnfitOptionsError as error:
                        if not line.is_streamed:
                            raise click.UsageError(f"{position.fen}: {error}") from error
                        positions.fail(line, RingfenError(f"{position.fen}: {error}", reason="bad-option"))
                elif not resume:
                    print_error(f"{path} exists; --resume keeps it")
                    return USAGE
                elif not _is_certificate_of(position, path, self._task.problem):
                    kind = "a certificate of the problem" if self._task.problem else "a certificate of the value of"
                    print_error(f"{path} is not {kind} {position.fen}")
                    return USAGE
                else:
                    self._report_kept(line, position, path)
        if not kinds and positions.status == OK:
            return _no_position(positions)
        self._task.note_unused(kinds)
        return worst(status, self._problems.status, positions.status)

    def _prove(self, line: Line, position: Position, path: Path) -> int:
        proved, status, reason = _proved(position, path, self._task, self._problems, self._bar)
        if proved is not None:
            if self._as_json:
                print_answer(line, {"file": str(path), **proved.to_json()})
            else:
                _print_proved(proved, str(path))
            return OK
        if self._as_json:
            print_answer(line, _not_proved(None, position, reason, False if status == WRONG else None))
        else:
            place = f"{line.source}:{line.number}: " if line.is_streamed else ""
            print_error(f"{place}no certificate: {reason}")
        return status

    def _report_kept(self, line: Line, position: Position, path: Path) -> None:
        """Report that an existing certificate is kept. It is not checked, so its claims are not printed."""
        if self._as_json:
            print_answer(line, _not_proved(str(path), position, "it exists"))
        else:
            click.echo(f"{printable(str(path))}: it exists")


def _not_proved(file: str | None, position: Position, reason: str, ok: bool | None = None) -> dict[str, Any]:
    """Return the JSON fields of a position without a new certificate."""
    return {"file": file, "fen": position.fen, "value": None, "ok": ok, "positions": None, "reason": reason}


def _is_certificate_of(position: Position, path: Path, problem: bool) -> bool:
    """Return whether the header of a certificate names this position, and a problem or a value. Certificates are always
    complete.
    """
    from ringfen.certificates.verify import subject_of
    from ringfen.errors import CertificateError

    try:
        with open_regular(path) as file:
            return subject_of(file) == (position.fen, problem)
    except (CertificateError, OSError):
        return False


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=InputFile())
@board_option
@_memory_option
@json_option
@quiet_option
def verify(
    files: Sequence[str],
    as_json: bool,
    board_path: Sequence[Path],
    memory: int,
) -> int:
    """Check certificates using only the rules of the games.

    The exit status is 1 if a certificate proves nothing, and 3 if it needs more memory than --memory.

    \b
    Example:
      ringfen verify win.cert
      ringfen verify --json *.cert
    """
    return worst(OK, *(_verify_file(name, board_path, memory, as_json) for name in files))


def _verify_file(name: str, board_path: Sequence[Path], memory: int, as_json: bool) -> int:
    """Check one certificate, report the result and return the exit status."""
    from ringfen.certificates.verify import verify_file
    from ringfen.errors import CertificateError, LimitReached, TableError

    shown = "<stdin>" if name == "-" else name
    try:
        with _opened(name) as file, ProgressBar(f"checking {printable(shown)}") as bar:
            verified = verify_file(file, memory_mb=memory, progress=bar, board_path=board_path)
    except OSError as error:
        if as_json:
            _report_failure(as_json, shown, None, None, error.strerror or str(error))
        print_os_error(error, shown)
        return USAGE
    except CertificateError as error:
        _report_failure(as_json, shown, False, error.fen, str(error))
        return WRONG
    except TableError as error:
        _report_failure(as_json, shown, None, None, str(error))
        return USAGE
    except LimitReached as error:
        _report_failure(as_json, shown, None, None, str(error))
        return LIMIT
    except MemoryError:
        _report_failure(as_json, shown, None, None, "out of memory")
        return LIMIT
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A file that causes any other error is invalid; the next file is still checked.
        _report_failure(as_json, shown, False, None, f"it cannot be checked: {error}")
        return WRONG
    _report_success(as_json, shown, verified)
    return OK


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    with click.open_file(name, "rb") as stream:
        reject_endless(stream, name)
        with seekable(stream, name) as file:
            reject_others("<stdin>" if name == "-" else name, file, "certificate")
            yield file


# ---- answers ----


def _report_failure(as_json: bool, name: str, ok: bool | None, fen: str | None, reason: str) -> None:
    """Report a certificate that is rejected, or (``ok`` None) was not checked completely."""
    if as_json:
        print_json({"file": name, "fen": fen, "value": None, "ok": ok, "positions": None, "reason": reason})
    else:
        verdict = click.style("rejected", fg="red", bold=True) if ok is False else "not checked"
        click.echo(printable(f"{name}: ") + f"{verdict}: {printable(reason)}")


def _report_success(as_json: bool, name: str, verified: Verified) -> None:
    if as_json:
        print_json({"file": name, **verified.to_json()})
    else:
        verdict = click.style("ok", fg="green", bold=True)
        size = _size(verified.positions, len(verified.tables))
        click.echo(f"{printable(name)}: {verdict}: {_proven(verified)}{size}")
        click.echo(f"  {verified.fen}")


def _size(positions: int, tables: int) -> str:
    """Return the size of a proof in words; an empty text if the game is over."""
    if positions == 0:
        return ""
    size = ", with 1 position" if positions == 1 else f", with {positions:,} positions"
    if tables == 0:
        return size
    return f"{size} and {tables} endgame {'table' if tables == 1 else 'tables'}"


def _proven(proof: Proved | Verified) -> str:
    """Return what a certificate proves, in words."""
    from ringfen.rules import game_by_id

    margins = game_by_id(proof.fen.split(None, 1)[0]).value_kind == "margin"
    if proof.problem is not None:
        problem = proof.problem
        points = "" if not margins else "point " if problem.gap == 1 else "points "
        fails = "fails" if problem.gap is None else f"gives at least {problem.gap} {points}less"
        return f"{problem.stipulation}; key {problem.key}; every other ply {fails}"
    return "; ".join(_claim_words(claim, margins) for claim in proof.claims)


def _claim_words(claim: Claim, margins: bool) -> str:
    if claim.probability is not None:
        bound = "at most" if claim.upper else "at least"
        return f"player {claim.player} wins with a probability of {bound} {claim.probability} (horizon {claim.horizon})"
    name = player_name("sn"[claim.player - 1])
    within = "" if claim.within is None else f" within {claim.within} {'ply' if claim.within == 1 else 'plies'}"
    if margins:
        return f"{name} gets at least {claim.at_least:+d}{within}"
    if claim.within == 0:
        return f"{name} has won"
    return f"{name} wins{within}" if claim.at_least > 0 else f"{name} does not lose"
