"""What a certificate proves, and what its parts share: claims, their proofs, the words for faults."""

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
    from ringfen._core import rf_walk

#: MiB that a check may take by default.
USUAL_MEMORY = 1024

_FAULTS = {
    lib.RF_CERT_SHORT: "it ends before every position is treated",
    lib.RF_CERT_LONG: "something follows the last position",
    lib.RF_CERT_NUMBER: "a number is too long, or written in more bytes than it needs",
    lib.RF_CERT_PLY: "a chosen ply is not there",
    lib.RF_CERT_RANK: "a distance does not fall",
    lib.RF_CERT_RESULT: "a finished game falls short of the claim",
    lib.RF_CERT_TOO_MANY: "it has more positions than its header says",
    lib.RF_CERT_UNREAD: "the value of a position cannot be read from its table",
}

FEWER = "it has fewer positions than its header says"


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a certificate proves.

    Games of two players: ``player`` (1 South, 2 North) reaches at least ``at_least``, a margin from their view (1, 0,
    -1 where games are only won, drawn or lost); if ``at_least`` is above 0, within ``within`` plies. Games of chance:
    with ``horizon`` plies to play, ``player``'s winning probability against all others is at least ``probability``
    (``upper`` False, a game not over counting 0), or at most (``upper`` True, counting 1).
    """

    player: int
    at_least: int = 0
    within: int | None = None
    probability: Fraction | None = None
    horizon: int = 0
    upper: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the claim as a header contains it."""
        if self.probability is not None:
            bound = "most" if self.upper else "least"
            return {"player": self.player, "horizon": self.horizon, bound: str(self.probability)}
        out: dict[str, Any] = {"player": self.player, "at_least": self.at_least}
        if self.within is not None:
            out["within"] = self.within
        return out


@dataclass(frozen=True, slots=True)
class Part:
    """A claim with its proof, as it stands in a file: ``body`` is compressed."""

    claim: Claim
    positions: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Verified:
    """A certificate that holds: what it proves, and how many positions it took."""

    fen: str
    #: As in ``Solution.value``; None if the claims are bounds that differ.
    value: Any
    claims: Sequence[Claim]
    positions: int
    #: The endgame tables that the proof relies on, with the SHA-256 of their files.
    tables: Mapping[str, str] = field(default_factory=dict)

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
        }


@dataclass(frozen=True, slots=True)
class Proved:
    """A certificate that was written: what it proves, how many positions that took, and its size in bytes."""

    fen: str
    value: Any
    claims: Sequence[Claim]
    positions: int
    size: int
    #: As in :class:`Verified`.
    tables: Mapping[str, str] = field(default_factory=dict)
    #: The errors of files of endgame tables that were skipped.
    table_problems: tuple[TableError, ...] = field(default=(), compare=False)

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
        }


@dataclass(frozen=True, slots=True)
class Proof:
    """What a checker of one claim is given."""

    position: Position
    claim: Claim
    positions: int
    stream: Iterator[bytes]
    leaves: TableLeaves | None
    memory_mb: int
    limits: Limits | None
    progress: ProgressCallback | None


def player_number(position: Position) -> int:
    """Return who plays next, as claims name players."""
    player = position.player
    return player if isinstance(player, int) else "sn".index(player) + 1


def new_walk(
    position: Position, claim: Claim, leaves: TableLeaves | None, most: int, memory_mb: int, *, writing: bool
) -> rf_walk:
    """Return the C core's walk over the positions of a claim. It needs ``leaves`` to its end."""
    core, context, state = position.game.cdata, position.context.cdata, position.state
    within = claim.within or 0
    ends = ffi.NULL if leaves is None else leaves.cdata
    memory = memory_mb << 20
    walk = lib.rf_walk_new(
        core, context, state, claim.player, claim.at_least, within, ends, min(most, 2**32), memory, writing
    )
    return owned(walk, lib.rf_walk_free)


def raise_if_stopped(control: Control, memory_mb: int) -> None:
    """Raise what stopped a call into the core before its end, if anything did."""
    if control.stopped == lib.RF_STOPPED_MEMORY:
        raise LimitReached(f"more than {memory_mb} MiB of memory are needed")
    error = limit_reached(control)
    if error is not None:
        raise error


def fault_words(fault: int) -> str:
    """Return why the C core refuses a proof, in words."""
    return _FAULTS.get(fault, "memory ran out")


def fault_of(walk: rf_walk, leaves: TableLeaves | None) -> RingfenError:
    """Return the error for a walk that went wrong: a rejected proof, or a table that cannot be read."""
    fault = int(lib.rf_walk_fault(walk))
    if fault == lib.RF_CERT_UNREAD and leaves is not None:
        return leaves.damaged()
    return CertificateError(fault_words(fault))
