"""Checks certificates using only the rules of the game (docs/certificates.md).

This module never calls a solver. :mod:`ringfen.certificates.prove` writes certificates.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from ringfen._core import ffi, lib
from ringfen.arguments import check_board_path, check_path, check_progress
from ringfen.certificates.boards import names_board, position_on
from ringfen.certificates.chance import verify_chance
from ringfen.certificates.claims import (
    DEFAULT_MEMORY_MB,
    TOO_FEW_POSITIONS,
    Claim,
    Proof,
    Verified,
    certificate_error,
    new_certificate,
    raise_if_stopped,
    reason_text,
)
from ringfen.certificates.file import DIGEST, MAGIC
from ringfen.certificates.problems import meaning
from ringfen.certificates.tables import leaves_of
from ringfen.control import MAX_HASH_MB, Control, Limits, ProgressCallback, checked_int
from ringfen.errors import CertificateError, RingfenError
from ringfen.inputs import seekable
from ringfen.position import Position
from ringfen.text import from_json

if TYPE_CHECKING:
    from ringfen._core import rf_certificate

_CHUNK = 1 << 16
_MAX_HEADER_BYTES = 1 << 20
_MAX_DIGITS = 18
_MAX_FRACTION_DIGITS = 4000
_FRACTION = re.compile(r"(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)
#: Margins and distances are far below this, and it fits the C core's numbers.
_MAX_NUMBER = 10**9
#: The lengths of the numbers grow with the horizon. Solvers use far smaller horizons.
_MAX_HORIZON = 10**4


def verify(
    path: str | Path,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
    board_path: Sequence[Path] = (),
    tables: str | Path | None = None,
) -> Verified:
    """Check a certificate using only the rules of the game, and return its claims.

    If the certificate names endgame tables, lines may end at positions in these tables, which are then probed.

    :param seconds: Wall-clock time for each claim; None is no limit.
    :param nodes: Number of positions to visit for each claim; None is no limit.
    :param memory_mb: Memory for the positions of a claim, in MiB.
    :param board_path: Directories to search for the board that the position names. If the board is found, the
        certificate must contain the same board. Otherwise the claims apply to the board in the certificate.
    :param tables: The directory of endgame tables; None is the default.
    :raises ringfen.CertificateError: The certificate is invalid; the message gives the reason.
    :raises ringfen.TableError: A table that it names is missing, different or damaged.
    :raises ringfen.LimitReached: A limit was reached before the check was complete.
    :raises OSError: The file cannot be read.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: A limit, or ``memory_mb``, is out of bounds.
    """
    check_path("path", path)
    limits = Limits(nodes, seconds)
    _check_options(memory_mb, progress, board_path, tables)
    with open(path, "rb") as stream, seekable(stream, path) as file:
        return verify_file(
            file, limits=limits, memory_mb=memory_mb, progress=progress, board_path=board_path, tables=tables
        )


def verify_file(
    file: BinaryIO,
    *,
    limits: Limits | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
    board_path: Sequence[Path] = (),
    tables: str | Path | None = None,
) -> Verified:
    """Check the certificate in an open, seekable file; see :func:`verify`."""
    _check_options(memory_mb, progress, board_path, tables)
    size = _check_digest(file)
    header = _read_header(file)
    position = _position(header, board_path)
    try:
        items = [_item(item, position) for item in header["claims"]]
        value, problem = meaning(position, [claim for claim, _, _ in items])
        if sum(length for _, _, length in items) != size - file.tell():
            raise CertificateError("the parts of the certificate are not as long as its header says")
        named = header.get("tables", {})
        leaves = leaves_of(position, named, tables) if "tables" in header else None
        for claim, positions, length in items:
            proof = Proof(position, claim, positions, _inflate(file, length), leaves, memory_mb, limits, progress)
            if claim.probability is None:
                _verify_positions(proof)
            else:
                verify_chance(proof)
    except CertificateError as error:
        error.fen = position.fen
        raise
    claims = [claim for claim, _, _ in items]
    return Verified(position.fen, value, claims, sum(count for _, count, _ in items), named, problem)


def _check_options(memory_mb: Any, progress: Any, board_path: Any, tables: Any) -> None:
    checked_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
    check_progress(progress)
    check_board_path(board_path)
    if tables is not None:
        check_path("tables", tables)


def subject_of(file: BinaryIO) -> tuple[str, bool]:
    """Return the position in the header of a certificate, and whether it is about a problem. Check nothing else.

    :raises ringfen.CertificateError: The header cannot be read.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise CertificateError("this is not a certificate of format 1")
    header = _read_header(file)
    if not isinstance(header["fen"], str):
        raise CertificateError("the position of the header is not a text")
    return header["fen"], any(isinstance(claim, dict) and "except" in claim for claim in header["claims"])


def _check_digest(file: BinaryIO) -> int:
    """Check the checksum, which is at the end of the file, and return its offset.

    The file position is then after the first line.
    """
    size = file.seek(0, 2) - DIGEST().digest_size
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise CertificateError("this is not a certificate of format 1")
    digest = DIGEST(MAGIC)
    left = size - len(MAGIC)
    while left > 0:
        chunk = file.read(min(_CHUNK, left))
        if not chunk:
            break
        digest.update(chunk)
        left -= len(chunk)
    if left != 0 or file.read(_CHUNK) != digest.digest():
        raise CertificateError("the checksum is wrong: the file is damaged or was changed")
    file.seek(len(MAGIC))
    return size


def _read_header(file: BinaryIO) -> dict[str, Any]:
    line = file.readline(_MAX_HEADER_BYTES)
    if not line.endswith(b"\n"):
        raise CertificateError("the header is too long or not complete")
    try:
        header = from_json(
            line.decode("ascii"),
            object_pairs_hook=_fields,
            parse_int=_small_number,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except ValueError as error:
        raise CertificateError(f"the header cannot be read: {error}") from error
    if not isinstance(header, dict) or set(header) - {"board", "tables"} != {"fen", "claims"}:
        raise CertificateError("the header does not have the expected fields")
    if not isinstance(header["claims"], list) or not 1 <= len(header["claims"]) <= 3:
        raise CertificateError("the header does not have one to three claims")
    return header


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _small_number(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError("a number that is not an integer")


def _position(header: dict[str, Any], board_path: Sequence[Path]) -> Position:
    fen = header["fen"]
    if not isinstance(fen, str):
        raise CertificateError("the position of the header is not a text")
    try:
        position = _on_board(fen, header.get("board"), board_path)
    except RingfenError as error:
        raise CertificateError(f"the position of the header cannot be read: {error}") from error
    if position.fen != fen:
        raise CertificateError("the position of the header is not in canonical form")
    return position


def _on_board(fen: str, board: Any, board_path: Sequence[Path]) -> Position:
    if not names_board(fen):
        if board is not None:
            raise CertificateError("the header has a board, but its position names none")
        return Position(fen)
    if not isinstance(board, str):
        raise CertificateError("the position of the header names a board, but there is none")
    return position_on(fen, board, board_path)


def _is_number(value: Any, minimum: int, maximum: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= maximum


def _item(item: Any, position: Position) -> tuple[Claim, int, int]:
    """Return a claim of the header, its number of positions, and the length of its proof."""
    if not isinstance(item, dict) or not {"player", "positions", "bytes"} <= set(item):
        raise CertificateError("a claim of the header does not have the expected fields")
    longest = 10**_MAX_DIGITS
    if not _is_number(item["positions"], 0, longest) or not _is_number(item["bytes"], 0, longest):
        raise CertificateError("a claim of the header has an invalid size")
    if not _is_number(item["player"], 1, position.players):
        raise CertificateError("a claim of the header names an invalid player")
    rest = {name: value for name, value in item.items() if name not in ("player", "positions", "bytes")}
    excluded = _excluded(position, rest.pop("except")) if "except" in rest else None
    if lib.rf_game_solver(position.game.cdata) == lib.RF_SOLVER_CHANCE:
        claim = _chance_claim(item["player"], rest)
    else:
        claim = _walk_claim(item["player"], rest)
    return replace(claim, excluded=excluded), item["positions"], item["bytes"]


def _excluded(position: Position, ply: Any) -> str:
    if not isinstance(ply, str) or not position.is_legal(ply) or position.short(ply) != ply:
        raise CertificateError("a claim of the header excepts a ply that is not the short form of a legal one")
    return ply


def _walk_claim(player: int, fields: dict[str, Any]) -> Claim:
    at_least: Any = fields.get("at_least")
    if not _is_number(at_least, -_MAX_NUMBER, _MAX_NUMBER):
        raise CertificateError("a claim of the header has no valid result")
    if set(fields) - {"horizon"} != ({"at_least", "within"} if at_least > 0 else {"at_least"}):
        raise CertificateError("a claim has a number of plies (within) if and only if it forces an end")
    if at_least > 0 and "horizon" in fields:
        raise CertificateError("a claim that forces an end has a horizon")
    for plies in set(fields) - {"at_least"}:
        if not _is_number(fields[plies], 0, _MAX_NUMBER):
            raise CertificateError("a claim of the header has an invalid distance or horizon")
    return Claim(player, at_least=at_least, within=fields.get("within"), horizon=fields.get("horizon"))


def _chance_claim(player: int, fields: dict[str, Any]) -> Claim:
    upper = "most" in fields
    ended = upper and "unfinished" in fields
    names = {"horizon", "most" if upper else "least"} | ({"unfinished"} if ended else set())
    if (
        set(fields) != names
        or (ended and not _is_number(fields["unfinished"], 0, 0))
        or not _is_number(fields["horizon"], 0, _MAX_HORIZON)
    ):
        raise CertificateError("a claim of the header is not a bound with a horizon")
    text = fields["most" if upper else "least"]
    if not isinstance(text, str) or len(text) > _MAX_FRACTION_DIGITS or not _FRACTION.fullmatch(text):
        raise CertificateError("a probability of the header cannot be read")
    probability = Fraction(text)
    if str(probability) != text or probability > 1:
        raise CertificateError("a probability of the header is above 1 or not in lowest terms")
    return Claim(player, probability=probability, horizon=fields["horizon"], upper=upper, ended=ended)


def _inflate(file: BinaryIO, length: int) -> Iterator[bytes]:
    """Yield the pieces of a compressed part of ``length`` bytes, which must be exactly one complete zlib stream."""
    unpack = zlib.decompressobj()
    while length > 0:
        chunk = file.read(min(_CHUNK, length))
        if not chunk:
            raise CertificateError("the file ends early")
        length -= len(chunk)
        try:
            while chunk:
                yield unpack.decompress(chunk, _CHUNK)
                chunk = unpack.unconsumed_tail
        except zlib.error as error:
            raise CertificateError(f"a part cannot be unpacked: {error}") from error
        if unpack.unused_data:
            break
    while not unpack.eof and (piece := unpack.decompress(b"", _CHUNK)):
        yield piece
    if not unpack.eof or unpack.unused_data or length > 0:
        raise CertificateError("a part ends early, or continues after its end")


# ---- games of two players ----


def _verify_positions(proof: Proof) -> None:
    certificate = new_certificate(
        proof.position, proof.claim, proof.leaves, proof.positions, proof.memory_mb, writing=False
    )
    control = Control(proof.limits, proof.progress)
    lib.rf_control_start(control.cdata)
    control.cdata.total = proof.positions
    rest = b""
    for piece in proof.stream:
        rest = _check_bytes(certificate, rest + piece, control, proof, last=False)
    _check_bytes(certificate, rest, control, proof, last=True)
    if not lib.rf_certificate_is_complete(certificate):
        raise CertificateError(reason_text(lib.RF_CERT_SHORT))
    if int(lib.rf_certificate_positions(certificate)) != proof.positions:
        raise CertificateError(TOO_FEW_POSITIONS)


def _check_bytes(certificate: rf_certificate, data: bytes, control: Control, proof: Proof, *, last: bool) -> bytes:
    used = int(lib.rf_certificate_check(certificate, ffi.from_buffer(data), len(data), last, control.cdata))
    control.finish()
    raise_if_stopped(control, proof.memory_mb)
    if used < 0:
        raise certificate_error(certificate, proof.leaves)
    return data[used:]
