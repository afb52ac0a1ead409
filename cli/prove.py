"""``prove`` and ``verify``: certificates of solved values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ringfen.cli.common import (
    LIMIT,
    OK,
    USAGE,
    WRONG,
    Positions,
    board_options,
    complain,
    complain_of,
    json_option,
    nodes_option,
    positions_from,
    print_json,
    quiet_option,
    seconds_option,
    side_name,
    worst,
)
from ringfen.cli.progress import Meter
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.solve import solve_options, solver_options
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.certificates.claims import Claim, Verified

_memory_option = click.option(
    "--memory",
    type=WholeNumber(1, 1 << 24),
    default=1024,
    show_default=True,
    metavar="MB",
    help="Memory for the positions of a certificate.",
)


@click.command()
@positions_from()
@solver_options
@click.option("--out", "-o", metavar="FILE", required=True, help="Write the certificate to FILE.")
@_memory_option
@json_option
@quiet_option
def prove(positions: Positions, as_json: bool, out: str, memory: int, **chosen: Any) -> int:
    """Solve a position and write a certificate of its value.

    A certificate holds the plies that reach the value against all replies, so that 'ringfen verify' can check it with
    the rules alone, without any search. GRAN: the bounds of the model paranoid, for --player. If the position is not
    solved within the limits nothing is written, and the exit status is 3.

    \b
    Example:
      ringfen prove 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1' --out win.cert
      ringfen verify win.cert
    """
    from ringfen.certificates.prove import prove as write_certificate
    from ringfen.errors import CertificateError, NotSolved, RingfenError
    from ringfen.outputs import Output

    read = [position for _, position in positions]
    if positions.status != OK:
        return positions.status
    if len(read) != 1:
        raise click.UsageError(f"A certificate is of one position, not {len(read)}.")
    if out == "-":
        raise click.UsageError("A certificate is binary: give --out the name of a file.")
    Output(out, inputs=positions.inputs)
    options = solve_options(**chosen)
    try:
        with Meter(f"proving {read[0].fen}") as meter:
            proved = write_certificate(read[0], Path(out), options, memory_mb=memory, progress=meter)
    except (NotSolved, CertificateError) as error:
        complain(f"no certificate: {error}")
        return LIMIT
    except RingfenError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        print_json(proved.to_json())
    else:
        proven = _proven(proved.fen, proved.claims)
        click.echo(f"{printable(out)}: {proven}, with {_size(proved.positions)}, {proved.size:,} bytes")
    return OK


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@board_options
@nodes_option("Visit N positions at most, for each claim.")
@seconds_option("Take S seconds at most, for each claim.")
@_memory_option
@json_option
@quiet_option
def verify(
    files: Sequence[str],
    as_json: bool,
    board_path: Sequence[Path],
    nodes: int | None,
    seconds: float | None,
    memory: int,
) -> int:
    """Check certificates with the rules of the games alone.

    Nothing is searched: what a certificate says is followed ply by ply. The exit status is 1 if one of them proves
    nothing, with the reason, 2 if a file cannot be read, 3 if a limit was reached before the end.

    \b
    Example:
      ringfen verify win.cert
      ringfen verify --json *.cert
    """
    from ringfen.certificates.verify import verify_file
    from ringfen.control import Limits
    from ringfen.errors import CertificateError, LimitReached

    status = OK
    for name in files:
        shown = "<stdin>" if name == "-" else name
        try:
            with _opened(name) as file, Meter(f"checking {printable(shown)}") as meter:
                verified = verify_file(
                    file, limits=Limits(nodes, seconds), memory_mb=memory, progress=meter, board_path=board_path
                )
        except OSError as error:
            complain_of(error, shown)
            status = worst(status, USAGE)
        except CertificateError as error:
            _tell(as_json, shown, False, error.fen, str(error))
            status = worst(status, WRONG)
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


def _opened(name: str) -> BinaryIO:
    """A file that can be sought; standard input is copied."""
    if name != "-":
        return Path(name).open("rb")
    import sys
    from shutil import copyfileobj
    from tempfile import TemporaryFile

    copy: Any = TemporaryFile()  # noqa: SIM115 - the caller closes it
    copyfileobj(sys.stdin.buffer, copy)
    return copy  # type: ignore[no-any-return]


# ---- answers ----


def _tell(as_json: bool, name: str, ok: bool | None, fen: str | None, reason: str) -> None:
    """A certificate that is refused, or (``ok`` None) was not checked to its end."""
    if as_json:
        print_json({"file": name, "fen": fen, "value": None, "ok": ok, "positions": None, "reason": reason})
    else:
        verdict = click.style("refused", fg="red", bold=True) if ok is False else "not checked"
        click.echo(f"{printable(name)}: {verdict}: {printable(reason)}")


def _tell_good(as_json: bool, name: str, verified: Verified) -> None:
    if as_json:
        print_json({"file": name, **verified.to_json()})
    else:
        verdict = click.style("ok", fg="green", bold=True)
        click.echo(
            f"{printable(name)}: {verdict}: {_proven(verified.fen, verified.claims)}, with {_size(verified.positions)}"
        )
        click.echo(f"  {verified.fen}")


def _size(positions: int) -> str:
    return "1 position" if positions == 1 else f"{positions:,} positions"


def _proven(fen: str, claims: Sequence[Claim]) -> str:
    """The claims in words."""
    from ringfen.rules import game_by_id

    margins = game_by_id(fen.split(None, 1)[0]).value_kind == "margin"
    return "; ".join(_claim_words(claim, margins) for claim in claims)


def _claim_words(claim: Claim, margins: bool) -> str:
    if claim.probability is not None:
        bound = "at most" if claim.upper else "at least"
        return f"player {claim.player} wins with {bound} {claim.probability} (horizon {claim.horizon})"
    name = side_name("sn"[claim.player - 1])
    within = "" if claim.within is None else f" within {claim.within} {'ply' if claim.within == 1 else 'plies'}"
    if margins:
        return f"{name} gets {claim.at_least:+d} at least{within}"
    return f"{name} wins{within}" if claim.at_least > 0 else f"{name} does not lose"
