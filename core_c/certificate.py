"""Certificates: files that prove a value, checked with the rules alone (docs/certificates.md).

Nothing here calls a search. :mod:`ringfen.prove` writes certificates.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from ringfen._core import ffi, lib
from ringfen.control import Control, Limits, ProgressCallback
from ringfen.errors import RingfenError
from ringfen.position import Position, limit_reached

MAGIC = b"ringfen certificate 1\n"
_DIGEST = hashlib.sha256
_CHUNK = 1 << 16
_LONGEST_HEADER = 1 << 20

_FAULTS = {
    lib.RF_CERT_SHORT: "it ends before every position is treated",
    lib.RF_CERT_LONG: "something follows the last position",
    lib.RF_CERT_NUMBER: "a number is too long, or written in more bytes than it needs",
    lib.RF_CERT_PLY: "a chosen ply is not there",
    lib.RF_CERT_RANK: "a distance does not fall",
    lib.RF_CERT_RESULT: "a finished game falls short of the claim",
    lib.RF_CERT_TOO_MANY: "it needs more positions than allowed",
}


class CertificateError(ValueError):
    """A certificate that proves nothing: damaged, of another format, or with a claim that does not follow."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a certificate proves.

    Games of two players: ``player`` (1 South, 2 North) reaches at least ``at_least``, a margin from their view (1, 0,
    -1 where games are only won, drawn or lost); if ``at_least`` is above 0, within ``within`` plies.
    Games of chance: with ``horizon`` plies to play, ``player``'s winning probability against all others is at least
    ``probability`` (``upper`` False, a game not over counting 0), or at most (``upper`` True, counting 1).
    """

    player: int
    at_least: int | None = None
    within: int | None = None
    probability: Fraction | None = None
    horizon: int | None = None
    upper: bool = False

    def to_json(self) -> dict[str, Any]:
        """The claim as it stands in a file's header."""
        if self.probability is not None:
            return {
                "player": self.player,
                "horizon": self.horizon,
                "most" if self.upper else "least": str(self.probability),
            }
        out: dict[str, Any] = {"player": self.player, "at_least": self.at_least}
        if self.within is not None:
            out["within"] = self.within
        return out


@dataclass(frozen=True, slots=True)
class Verified:
    """A certificate that holds: what it proves, and how many positions it took."""

    fen: str
    value: Any
    claims: Sequence[Claim]
    positions: int

    def to_json(self) -> dict[str, Any]:
        """The fields that docs/cli.md names."""
        return {
            "fen": self.fen,
            "value": self.value,
            "ok": True,
            "positions": self.positions,
            "claims": [claim.to_json() for claim in self.claims],
        }


# ---- the file ----


def write_file(path: Path, fen: str, board: str | None, parts: Sequence[tuple[Claim, bytes]]) -> None:
    """Writes a certificate whole or not at all. A part's bytes are the walk of its claim, not yet compressed."""
    bodies = [zlib.compress(body, 9) for _, body in parts]
    header: dict[str, Any] = {
        "fen": fen,
        "claims": [{**claim.to_json(), "bytes": len(body)} for (claim, _), body in zip(parts, bodies, strict=True)],
    }
    if board is not None:
        header["board"] = board
    whole = MAGIC + json.dumps(header, ensure_ascii=True, sort_keys=True).encode() + b"\n" + b"".join(bodies)
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(whole + _DIGEST(whole).digest())
    temporary.replace(path)


def verify(
    path: Path,
    *,
    limits: Limits | None = None,
    most: int = 200_000_000,
    progress: ProgressCallback | None = None,
    board_path: Sequence[Path] = (),
) -> Verified:
    """Checks a certificate.

    :param most: the most positions a claim may need.
    :raises ringfen.certificate.CertificateError: it proves nothing; the message says why.
    :raises ringfen.LimitReached: a limit was reached before it was checked.
    :raises OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        size = _check_digest(file)
        file.seek(0)
        header = _read_header(file)
        bodies = size - file.tell()
        position = _position(header, board_path)
        claims = [_claim(item, position) for item in header["claims"]]
        lengths = [item["bytes"] for item in header["claims"]]
        if sum(lengths) != bodies:
            raise CertificateError("the parts of the certificate are not as long as its header says")
        value = _value(position, claims)
        positions = 0
        for claim, length in zip(claims, lengths, strict=True):
            stream = _inflate(file, length)
            if claim.probability is None:
                positions += _verify_walk(position, claim, stream, most, limits, progress)
            else:
                from ringfen.certificate_chance import verify_chance

                positions += verify_chance(position, claim, stream, most)
        return Verified(position.fen, value, claims, positions)


def _check_digest(file: BinaryIO) -> int:
    """Where the checksum begins, which must be that of all before it."""
    size = file.seek(0, 2) - _DIGEST().digest_size
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise CertificateError("this is no certificate of format 1")
    digest = _DIGEST(MAGIC)
    left = size - len(MAGIC)
    while left > 0:
        chunk = file.read(min(_CHUNK, left))
        digest.update(chunk)
        left -= len(chunk)
    if left < 0 or file.read() != digest.digest():
        raise CertificateError("the checksum is wrong: the file is damaged or was changed")
    return size


def _read_header(file: BinaryIO) -> dict[str, Any]:
    file.seek(len(MAGIC))
    line = file.readline(_LONGEST_HEADER)
    try:
        header = json.loads(line)
    except ValueError as error:
        raise CertificateError(f"the header cannot be read: {error}") from error
    if not line.endswith(b"\n") or not isinstance(header, dict) or not {"fen", "claims"} <= set(header):
        raise CertificateError("the header is not complete")
    if not set(header) <= {"fen", "claims", "board"} or not isinstance(header["claims"], list) or not header["claims"]:
        raise CertificateError("the header has not the fields that it should have")
    return header


def _position(header: dict[str, Any], board_path: Sequence[Path]) -> Position:
    if not isinstance(header["fen"], str):
        raise CertificateError("the position of the header is no text")
    try:
        return _on_board(header, board_path)
    except RingfenError as error:
        raise CertificateError(f"the position of the header cannot be read: {error}") from error


def _on_board(header: dict[str, Any], board_path: Sequence[Path]) -> Position:
    fen = header["fen"]
    position = Position(fen, board_path=board_path)
    if position.fen != fen:
        raise CertificateError("the position of the header is not canonical")
    return position


def _natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _claim(item: Any, position: Position) -> Claim:
    if not isinstance(item, dict) or not _natural(item.get("bytes")) or not _natural(item.get("player")):
        raise CertificateError("a claim of the header cannot be read")
    fields = set(item) - {"bytes", "player"}
    player = item["player"]
    if not 1 <= player <= position.players:
        raise CertificateError(f"there is no player {player}")
    if lib.rf_game_solver(position.game.cdata) == lib.RF_SOLVER_CHANCE:
        if fields not in ({"horizon", "least"}, {"horizon", "most"}) or not _natural(item["horizon"]):
            raise CertificateError("a claim of the header cannot be read")
        text = item.get("least", item.get("most"))
        try:
            probability = Fraction(text) if isinstance(text, str) else None
        except (ValueError, ZeroDivisionError):
            probability = None
        if probability is None or str(probability) != text:
            raise CertificateError("a probability of the header cannot be read")
        return Claim(player, probability=probability, horizon=item["horizon"], upper="most" in item)
    at_least = item.get("at_least")
    if not fields <= {"at_least", "within"} or not isinstance(at_least, int) or isinstance(at_least, bool):
        raise CertificateError("a claim of the header cannot be read")
    within = item.get("within")
    if (at_least > 0) != ("within" in item) or (within is not None and not _natural(within)):
        raise CertificateError("a claim says within how many plies if and only if it forces an end")
    return Claim(player, at_least=at_least, within=within)


def _value(position: Position, claims: Sequence[Claim]) -> Any:
    """The value that the claims amount to together, for the side to move.

    :raises CertificateError: they leave it open.
    """
    if claims[0].probability is not None:
        from ringfen.certificate_chance import value_of

        return value_of(position, claims)
    mover = _player_number(position)
    bounds = {claim.player: claim.at_least for claim in claims}
    lower = bounds.get(mover)
    worst = bounds.get(3 - mover)
    upper = None if worst is None else -worst
    if lib.rf_game_solver(position.game.cdata) == lib.RF_SOLVER_WIN:
        if lower == 1 and len(claims) == 1:
            return "win"
        if upper == -1 and len(claims) == 1:
            return "loss"
        if lower == 0 and upper == 0 and len(claims) == 2:
            return "draw"
    elif lower is not None and lower == upper and len(claims) == 2:
        return lower
    raise CertificateError("the claims do not amount to a value")


def _player_number(position: Position) -> int:
    player = position.player
    return player if isinstance(player, int) else "sn".index(player) + 1


def _inflate(file: BinaryIO, length: int) -> Iterator[bytes]:
    """The chunks of a compressed part of ``length`` bytes, at most a few hundred times the chunk size each."""
    unpack = zlib.decompressobj()
    while length > 0:
        chunk = file.read(min(_CHUNK, length))
        length -= len(chunk)
        try:
            while chunk:
                yield unpack.decompress(chunk, _CHUNK)
                chunk = unpack.unconsumed_tail
        except zlib.error as error:
            raise CertificateError(f"a part cannot be unpacked: {error}") from error
    if not unpack.eof or unpack.unused_data:
        raise CertificateError("a part cannot be unpacked to its end")


# ---- games of two players ----


def _verify_walk(
    position: Position,
    claim: Claim,
    stream: Iterator[bytes],
    most: int,
    limits: Limits | None,
    progress: ProgressCallback | None,
) -> int:
    """Checks one claim; gives the number of positions."""
    walk = new_walk(position, claim, most, writing=False)
    control = Control(limits, progress)
    lib.rf_control_start(control.cdata)
    rest = b""
    for chunk in stream:
        rest = _feed(walk, rest + chunk, control, last=False)
    rest = _feed(walk, rest, control, last=True)
    if not lib.rf_walk_complete(walk):
        raise CertificateError(_FAULTS[lib.RF_CERT_SHORT])
    if claim.within is not None and int(lib.rf_walk_root_rank(walk)) != claim.within:
        raise CertificateError(f"it does not prove an end within {claim.within} plies")
    return int(lib.rf_walk_positions(walk))


def new_walk(position: Position, claim: Claim, most: int, *, writing: bool) -> Any:
    """The C core's walk over the positions of a claim."""
    walk = lib.rf_walk_new(
        position.game.cdata, position.context.cdata, position.state, claim.player, claim.at_least, most, writing
    )
    if walk == ffi.NULL:
        raise MemoryError
    return ffi.gc(walk, lib.rf_walk_free)


def _feed(walk: Any, data: bytes, control: Control, *, last: bool) -> bytes:
    used = int(lib.rf_walk_feed(walk, ffi.from_buffer(data), len(data), last, control.cdata))
    control.finish()
    error = limit_reached(control)
    if error is not None:
        raise error
    if used < 0:
        raise CertificateError(_FAULTS[lib.rf_walk_fault(walk)])
    return data[used:]


def walk_fault(walk: Any) -> str:
    """Why a walk cannot go on, in words."""
    return _FAULTS.get(lib.rf_walk_fault(walk), "")
