"""``prove`` and ``verify``: certificates of solved values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ringfen.cli.exit_status import LIMIT, OK, USAGE, WRONG, complain, complain_of, worst
from ringfen.cli.kinds import refuse_others
from ringfen.cli.output import note_unused, print_json, side_name
from ringfen.cli.position_input import Line, Positions, print_answer
from ringfen.cli.progress import Meter
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
from ringfen.inputs import open_regular, seekable
from ringfen.outputs import refuse_endless
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.certificates.claims import Claim, Proved, Verified
    from ringfen.position import Position
    from ringfen.solving import SolveOptions

_NO_POSITION = "There is no position to prove."

_memory_option = memory_option(1024, "Memory for the positions of a certificate in MiB.")


@click.command()
@positions_from(many=True)
@solver_options()
@paranoid_options
@out_option("Write the certificate of one position to FILE.")
@out_dir_option("Write one certificate per position to DIR.")
@resume_option("--out-dir DIR")
@click.option(
    "--expand", is_flag=True, help="Siaius: Follow every line to the end of the game instead of naming tables."
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
    memory: int,
    **chosen: Any,
) -> int:
    """Solve positions and write certificates of their values.

    A certificate holds the plies that reach the value against all replies, so that 'ringfen verify' can check it with
    the rules alone, without any search. GRAN: the bounds of the model paranoid, for --player. For a position that is
    not solved within the limits nothing is written, and the exit status is 3. The limits hold for each POSITION with
    all those on the way.

    \b
    Example:
      ringfen prove 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1' --out win.cert
      ringfen prove --file positions.txt --out-dir proofs --seconds 60
      ringfen verify win.cert
    """
    if (out is None) == (out_dir is None):
        raise click.UsageError("Give --out FILE for one position, or --out-dir DIR for many.")
    if resume and out_dir is None:
        raise click.UsageError("--resume goes with --out-dir DIR.")
    if out == "-":
        raise click.UsageError("A certificate is binary: give --out the name of a file.")
    options = solve_options(**chosen)
    if out_dir is not None:
        return _Certificates(Path(out_dir), options, memory, expand, as_json).prove_all(positions, resume)
    assert out is not None
    positions.declared().output(out)
    read = [position for _, position in positions]
    if positions.status != OK:
        return positions.status
    if not read:
        raise click.UsageError(_NO_POSITION)
    if len(read) != 1:
        raise click.UsageError(f"--out is for one position, not {len(read)}: give --out-dir DIR.")
    problems = TableProblems()
    proved, reason = _proved(read[0], Path(out), options, memory, expand, problems)
    note_unused(options, {read[0].game.value_kind})
    if proved is None:
        complain(f"no certificate: {reason}")
        return LIMIT
    if as_json:
        print_json(proved.to_json())
    else:
        _say_proved(proved, out)
    return problems.status


def _proved(
    position: Position, path: Path, options: SolveOptions, memory: int, expand: bool, problems: TableProblems
) -> tuple[Proved | None, str]:
    """What was proven and written; None, and why, if nothing was."""
    from ringfen.certificates.prove import prove as write_certificate
    from ringfen.errors import CertificateError, LimitReached, NotSolved, RingfenError

    try:
        with Meter(f"proving {position.fen}") as meter:
            proved = write_certificate(position, path, options, expand=expand, memory_mb=memory, progress=meter)
        problems.report(proved.table_problems)
        return proved, ""
    except (NotSolved, CertificateError, LimitReached) as error:
        if isinstance(error, NotSolved):
            problems.report(error.solution.table_problems)
        return None, str(error)
    except RingfenError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _say_proved(proved: Proved, name: str) -> None:
    proven = _proven(proved.fen, proved.claims)
    size = _size(proved.positions, len(proved.tables))
    click.echo(f"{printable(name)}: {proven}{size}, {proved.size:,} bytes")


class _Certificates:
    """A directory with a certificate of each position, ``NUMBER.cert`` by the number of its input line."""

    def __init__(self, directory: Path, options: SolveOptions, memory: int, expand: bool, as_json: bool) -> None:
        self._directory = directory
        self._options = options
        self._memory = memory
        self._expand = expand
        self._as_json = as_json
        self._problems = TableProblems()

    def prove_all(self, positions: Positions, resume: bool) -> int:
        """Writes the certificates; those that are there stay if ``resume``. Gives the exit status."""
        if positions.given > 1 and not positions.only_arguments:
            raise click.UsageError("Positions come from one --file, or all as arguments.")
        status, kinds = OK, set[str]()
        for line, position in positions:
            if not kinds:
                self._directory.mkdir(parents=True, exist_ok=True)
            kinds.add(position.game.value_kind)
            path = self._directory / f"{line.number:06}.cert"
            if not path.exists():
                status = worst(status, self._prove(line, position, path))
            elif not resume:
                complain(f"{path} exists; --resume leaves it as it is")
                return USAGE
            elif not _is_certificate_of(position, path):
                complain(f"{path} is not a certificate of {position.fen}")
                return USAGE
            else:
                self._tell_there(line, position, path)
        if not kinds and positions.status == OK:
            raise click.UsageError(_NO_POSITION)
        note_unused(self._options, kinds)
        return worst(status, self._problems.status, positions.status)

    def _prove(self, line: Line, position: Position, path: Path) -> int:
        proved, reason = _proved(position, path, self._options, self._memory, self._expand, self._problems)
        if proved is not None:
            if self._as_json:
                print_answer(line, {"file": str(path), **proved.to_json()})
            else:
                _say_proved(proved, str(path))
            return OK
        if self._as_json:
            print_answer(line, _not_proved(None, position, reason))
        else:
            complain(f"no certificate: {reason}")
        return LIMIT

    def _tell_there(self, line: Line, position: Position, path: Path) -> None:
        """Says that a certificate stays. It is not checked, so nothing is said of what it proves."""
        if self._as_json:
            print_answer(line, _not_proved(str(path), position, "there already"))
        else:
            click.echo(f"{printable(str(path))}: there already")


def _not_proved(file: str | None, position: Position, reason: str) -> dict[str, Any]:
    """What ``--json`` says of a position that nothing was proven of."""
    return {"file": file, "fen": position.fen, "value": None, "ok": None, "positions": None, "reason": reason}


def _is_certificate_of(position: Position, path: Path) -> bool:
    """Whether the header of a certificate names this position. Certificates are written whole or not at all."""
    from ringfen.certificates.verify import position_of
    from ringfen.errors import CertificateError

    try:
        with open_regular(path) as file:
            return position_of(file) == position.fen
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
    """Check certificates with the rules of the games alone.

    Nothing is searched: what a certificate says is followed ply by ply. The exit status is 1 if one of them proves
    nothing, with the reason, 2 if a file cannot be read, 3 if it needs more memory than --memory.

    \b
    Example:
      ringfen verify win.cert
      ringfen verify --json *.cert
    """
    from ringfen.certificates.verify import verify_file
    from ringfen.errors import CertificateError, LimitReached, TableError

    status = OK
    for name in files:
        shown = "<stdin>" if name == "-" else name
        try:
            with _opened(name) as file, Meter(f"checking {printable(shown)}") as meter:
                verified = verify_file(file, memory_mb=memory, progress=meter, board_path=board_path)
        except OSError as error:
            if as_json:
                _tell(as_json, shown, None, None, error.strerror or str(error))
            complain_of(error, shown)
            status = worst(status, USAGE)
        except CertificateError as error:
            _tell(as_json, shown, False, error.fen, str(error))
            status = worst(status, WRONG)
        except TableError as error:
            _tell(as_json, shown, None, None, str(error))
            status = worst(status, USAGE)
        except LimitReached as error:
            _tell(as_json, shown, None, None, str(error))
            status = worst(status, LIMIT)
        except MemoryError:
            _tell(as_json, shown, None, None, "memory ran out")
            status = worst(status, LIMIT)
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            # Whatever a file can bring about is this file's fault, and the next one is checked.
            _tell(as_json, shown, False, None, f"it cannot be checked: {error}")
            status = worst(status, WRONG)
        else:
            _tell_good(as_json, shown, verified)
    return status


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    with click.open_file(name, "rb") as stream:
        refuse_endless(stream, name)
        with seekable(stream, name) as file:
            refuse_others("<stdin>" if name == "-" else name, file, "certificate")
            yield file


# ---- answers ----


def _tell(as_json: bool, name: str, ok: bool | None, fen: str | None, reason: str) -> None:
    """Report a certificate that is rejected, or (``ok`` None) was not checked completely."""
    if as_json:
        print_json({"file": name, "fen": fen, "value": None, "ok": ok, "positions": None, "reason": reason})
    else:
        verdict = click.style("refused", fg="red", bold=True) if ok is False else "not checked"
        click.echo(printable(f"{name}: ") + f"{verdict}: {printable(reason)}")


def _tell_good(as_json: bool, name: str, verified: Verified) -> None:
    if as_json:
        print_json({"file": name, **verified.to_json()})
    else:
        verdict = click.style("ok", fg="green", bold=True)
        size = _size(verified.positions, len(verified.tables))
        click.echo(f"{printable(name)}: {verdict}: {_proven(verified.fen, verified.claims)}{size}")
        click.echo(f"  {verified.fen}")


def _size(positions: int, tables: int) -> str:
    """What a proof has, to stand after what it proves; nothing of a game that is over."""
    if positions == 0:
        return ""
    size = ", with 1 position" if positions == 1 else f", with {positions:,} positions"
    if tables == 0:
        return size
    return f"{size} and {tables} endgame {'table' if tables == 1 else 'tables'}"


def _proven(fen: str, claims: Sequence[Claim]) -> str:
    """The claims in words."""
    from ringfen.rules import game_by_id

    margins = game_by_id(fen.split(None, 1)[0]).value_kind == "margin"
    return "; ".join(_claim_words(claim, margins) for claim in claims)


def _claim_words(claim: Claim, margins: bool) -> str:
    if claim.probability is not None:
        bound = "at most" if claim.upper else "at least"
        return f"player {claim.player} wins with a probability of {bound} {claim.probability} (horizon {claim.horizon})"
    name = side_name("sn"[claim.player - 1])
    within = "" if claim.within is None else f" within {claim.within} {'ply' if claim.within == 1 else 'plies'}"
    if margins:
        return f"{name} gets {claim.at_least:+d} at least{within}"
    if claim.within == 0:
        return f"{name} has won"
    return f"{name} wins{within}" if claim.at_least > 0 else f"{name} does not lose"
