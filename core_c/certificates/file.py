"""Writes the file of a certificate: first line, header, parts and checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringfen.certificates.claims import Part
from ringfen.outputs import Output

MAGIC = b"ringfen certificate 1\n"
DIGEST = hashlib.sha256


def write_file(
    path: Path, fen: str, board: str | None, parts: Sequence[Part], tables: Mapping[str, str] | None = None
) -> int:
    """Write a certificate completely or not at all, and return its size in bytes.

    :param board: The text of the board file, for a position that names a board.
    :param tables: The endgame tables that the proof relies on, with the SHA-256 of their files.
    """
    header: dict[str, Any] = {
        "fen": fen,
        "claims": [{**part.claim.to_json(), "positions": part.positions, "bytes": len(part.body)} for part in parts],
    }
    if board is not None:
        header["board"] = board
    if tables:
        header["tables"] = dict(tables)
    line = json.dumps(header, sort_keys=True).encode("ascii") + b"\n"
    pieces = (MAGIC, line, *(part.body for part in parts))
    digest = DIGEST()
    with Output(path).open() as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())
    return sum(map(len, pieces)) + digest.digest_size
