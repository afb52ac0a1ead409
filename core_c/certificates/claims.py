"""Claims of certificates, results of proving and verifying, and the messages for invalid proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback, limit_reached
from ringfen.errors import CertificateError, LimitReached, RingfenError, TableError
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.tables.proof_leaves import TableLeaves

if TYPE_CHECKING:
    from ringfen._core import rf_certificate

#: The default memory of a check.
DEFAULT_MEMORY_MB = 1024

_REASONS = {
    lib.RF_CERT_SHORT: "it ends before the last position",
    lib.RF_CERT_LONG: "it continues after the last position",
    lib.RF_CERT_NUMBER: "a number is too long, or written in more bytes than it needs",
    lib.RF_CERT_PLY: "a chosen ply does not exist",
    lib.RF_CERT_RANK: "a distance does not decrease",
    lib.RF_CERT_RESULT: "a finished game falls short of the claim",
    lib.RF_CERT_TOO_MANY: "it has more positions than its header says",
    lib.RF_CERT_UNREAD: "the value of a position cannot be read from its table",
}

TOO_FEW_POSITIONS = "it has fewer positions than its header says"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that a certificate proves.

    In games of two players, ``player`` (1 South, 2 North) reaches a margin of at least ``at_least`` (1, 0 or -1 in
    games that are only won, drawn or lost); if ``at_least`` is above 0, within ``within`` plies. With ``horizon``, a
    game that is not over after that many plies counts 0. In games of chance with ``horizon`` plies to play, the
    winning probability of ``player`` against all others is at least ``probability`` if an unfinished game counts 0
    (``upper`` is False), or at most ``probability`` if it counts 1 (``upper`` is True), or 0 (``ended`` is also True).

    If there is a ply ``excluded``, the claim applies if another player begins with any other ply.
    """

    player: int
    at_least: int = 0
    within: int | None = None
    probability: Fraction | None = None
    horizon: int | None = None
    upper: bool = False
    ended: bool = False
    excluded: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the claim as a header contains it."""
        out: dict[str, Any] = {"player": self.player}
        if self.probability is not None:
            out |= {"horizon": self.horizon, "most" if self.upper else "least": str(self.probability)}
            out |= {"unfinished": 0} if self.ended else {}
        else:
            out["at_least"] = self.at_least
            out |= {} if self.within is None else {"within": self.within}
            out |= {} if self.horizon is None else {"horizon": self.horizon}
        return out if self.excluded is None else {**out, "except": self.excluded}


@dataclass(frozen=True, slots=True)
class Problem:
    """A stipulation (``"win in 2"``, ``"best margin 7"``, ``"best chance 3/8 paranoid 8"``) and its key, the only first
    ply that meets it. Every other ply gives at least ``gap`` less; ``gap`` is None for wins.
    """

    stipulation: str
    key: str
    gap: Fraction | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields that docs/cli.md names."""
        gap = self.gap
        shown = gap if gap is None else int(gap) if gap.denominator == 1 else str(gap)
        return {"stipulation": self.stipulation, "key": self.key, "gap": shown}


#: The JSON fields of a certificate that is not about a problem.
NO_PROBLEM: dict[str, Any] = {"stipulation": None, "key": None, "gap": None}


@dataclass(frozen=True, slots=True)
class Part:
    """A claim with its compressed proof, ``body``."""

    claim: Claim
    positions: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Verified:
    """A valid certificate: its position, value and claims, and the number of positions of its proof."""

    fen: str
    #: The value as in ``Solution.value``; None if the claims are different bounds.
    value: Any
    claims: Sequence[Claim]
    positions: int
    #: The endgame tables that the proof relies on, with the SHA-256 of their files.
    tables: Mapping[str, str] = field(default_factory=dict)
    #: The problem that the claims prove to be sound, if any.
    problem: Problem | None = None

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def to_json(self) -> dict[str, Any]:
        """Return the fields that docs/cli.md names."""
        claims = [claim.to_json() for claim in self.claims]
        return {
            "fen": self.fen,
            "value": self.value,
            "ok": True,
            "positions": self.positions,
            "claims": claims,
            "tables": dict(self.tables),
            **(NO_PROBLEM if self.problem is None else self.problem.to_json()),
        }


@dataclass(frozen=True, slots=True)
class Proved:
    """A written certificate: its position, value and claims, the number of positions, and its size in bytes."""

    fen: str
    value: Any
    claims: Sequence[Claim]
    positions: int
    size: int
    #: As in :class:`Verified`.
    tables: Mapping[str, str] = field(default_factory=dict)
    #: The errors of files of endgame tables that were skipped.
    table_problems: tuple[TableError, ...] = field(default=(), compare=False)
    #: As in :class:`Verified`.
    problem: Problem | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields that docs/cli.md names."""
        claims = [claim.to_json() for claim in self.claims]
        return {
            "fen": self.fen,
            "value": self.value,
            "ok": True,
            "claims": claims,
            "positions": self.positions,
            "bytes": self.size,
            "tables": dict(self.tables),
            **(NO_PROBLEM if self.problem is None else self.problem.to_json()),
        }


@dataclass(frozen=True, slots=True)
class Proof:
    """The input for checking one claim."""

    position: Position
    claim: Claim
    positions: int
    stream: Iterator[bytes]
    leaves: TableLeaves | None
    memory_mb: int
    limits: Limits | None
    progress: ProgressCallback | None


def new_certificate(
    position: Position, claim: Claim, leaves: TableLeaves | None, max_positions: int, memory_mb: int, *, writing: bool
) -> rf_certificate:
    """Return the C core's walk over the positions of a claim. ``leaves`` must live as long as the walk."""
    core, context, state = position.game.cdata, position.context.cdata, position.state
    stated = ffi.new("rf_claim *")
    stated.player, stated.at_least, stated.within = claim.player, claim.at_least, claim.within or 0
    stated.horizon = -1 if claim.horizon is None else claim.horizon
    if claim.excluded is not None:
        stated.excludes, stated.excluded = True, position.core_ply(claim.excluded)
    ends = ffi.NULL if leaves is None else leaves.cdata
    memory = memory_mb << 20
    certificate = lib.rf_certificate_new(core, context, state, stated, ends, min(max_positions, 2**32), memory, writing)
    return owned(certificate, lib.rf_certificate_free)


def raise_if_stopped(control: Control, memory_mb: int) -> None:
    """Raise the error that stopped a call of the core, if there is one."""
    if control.stopped == lib.RF_STOPPED_MEMORY:
        raise LimitReached(f"more than {memory_mb} MiB of memory are needed")
    error = limit_reached(control)
    if error is not None:
        raise error


def reason_text(reason: int) -> str:
    """Return the message for the C core's reason to reject a proof."""
    return _REASONS.get(reason, "memory ran out")


def certificate_error(certificate: rf_certificate, leaves: TableLeaves | None) -> RingfenError:
    """Return the error for a failed certificate: an invalid proof, or a table that cannot be read."""
    reason = int(lib.rf_certificate_error(certificate))
    if reason == lib.RF_CERT_UNREAD and leaves is not None:
        return leaves.damaged()
    return CertificateError(reason_text(reason))
