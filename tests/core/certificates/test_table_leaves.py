"""Certificates whose lines end at positions of endgame tables."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate_mutants import mutants, taken_apart
from cli_runner import json_lines, ringfen
from reference import certificates as plain
from reference import siaius
from siaius_random import random_position

from ringfen import CertificateError, NotSolved, Position, TableError, prove, verify
from ringfen.certificates.claims import Verified
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables

HUFFS = ("turn", "stone", "off")
WON = "siaius 4/m2M/1c2/4 n - - 0"
LOST = "siaius 1mm1/4/4/2S1 n - - 0"
DRAWN = "siaius s3/2s1/1S2/4 s - - 0"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of three stones, to compare with."""
    path: Path = tmp_path_factory.mktemp("large")
    for huff in HUFFS:
        build_tables(Board("siaius", 4, 4, huff), 3, directory=path, threads=1)
    return path


@pytest.fixture(scope="module")
def small(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of two stones, at which the proofs end."""
    path: Path = tmp_path_factory.mktemp("small")
    shutil.copytree(large, path, dirs_exist_ok=True)
    for file in path.glob("*/*.rft"):
        if len(file.stem) > len("SvS"):
            file.unlink()
    return path


def files_of(directory: Path, fen: str) -> dict[str, bytes]:
    huff = fen.partition("huff=")[2] or "turn"
    return {file.stem: file.read_bytes() for file in (directory / f"siaius-4x4-{huff}").glob("*.rft")}


def plainly_accepted(raw: bytes, tables: dict[str, bytes]) -> bool:
    try:
        plain.verify(raw, siaius, tables)
    except plain.Refused:
        return False
    return True


def written(fen: str, tables: Path, out: Path, *, expand: bool = False) -> Verified:
    prove(fen, out, hash_mb=1, tables=tables, expand=expand)
    return verify(out, tables=tables)


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", ["", " beats=reverse"])
def test_both_checkers_accept_true_claims(small: Path, large: Path, tmp_path: Path, beats: str, huff: str) -> None:
    rnd, known = Random(huff + beats), Tables(Board("siaius", 4, 4, huff), large)
    seen, relied = set(), 0
    for number in range(45):
        fen = random_position(rnd, 4, 4, 3, beats + ("" if huff == "turn" else f" huff={huff}"))
        value = known.value(Position(fen))
        assert value is not None
        out = tmp_path / f"{number}.cert"
        try:
            verified = written(fen, small, out)
        except NotSolved:
            continue
        assert verified.value == value[0]
        assert all(value[1] is None or (claim.within or 0) >= value[1] for claim in verified.claims)
        assert plain.verify(out.read_bytes(), siaius, files_of(small, fen)) == verified.positions
        seen.add(verified.value)
        relied += bool(verified.tables)
        if number < 4 and verified.tables:
            expanded = written(fen, small, out, expand=True)
            assert (expanded.value, expanded.tables) == (value[0], {})
            assert verify(out, tables=tmp_path).positions == plain.verify(out.read_bytes(), siaius)
            assert expanded.positions > verified.positions
    assert seen == {"win", "loss", "draw"}
    assert relied > 10


def without_a_table(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Positions of that table are no leaves then, so the numbers are those of other positions."""
    for name in taken_apart(raw).header["tables"]:
        parts = taken_apart(raw)
        del parts.header["tables"][name]
        yield f"without {name}", parts.bytes()


def test_changed_certificates_prove_nothing_false(small: Path, large: Path, tmp_path: Path) -> None:
    """Each change has a good checksum. Both checkers say the same, and what they accept is true."""
    known, out = Tables(Board("siaius", 4, 4, "turn"), large), tmp_path / "changed"
    accepted = refused = 0
    for fen in (WON, LOST, DRAWN):
        path = tmp_path / "good"
        assert written(fen, small, path).tables
        for what, raw in [*mutants(path.read_bytes(), 150), *without_a_table(path.read_bytes())]:
            out.write_bytes(raw)
            try:
                verified = verify(out, tables=small)
            except CertificateError:
                assert not plainly_accepted(raw, files_of(small, fen)), what
                refused += 1
                continue
            assert plainly_accepted(raw, files_of(small, fen)), what
            accepted += 1
            value = known.value(Position(verified.fen))
            assert value is not None
            assert verified.value == value[0], what
            assert all(value[1] is None or (claim.within or 0) >= value[1] for claim in verified.claims), what
    assert refused > 250
    assert accepted > 0


def first_changed(change: Callable[[dict[str, Any]], object], raw: bytes, out: Path) -> Path:
    parts = taken_apart(raw)
    change(parts.header)
    out.write_bytes(parts.bytes())
    return out


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "no list"),
        ([], "no list"),
        (None, "no list"),
        ({"SvS": 1}, "no checksum"),
        ({"SvS": "A" * 64}, "no checksum"),
        ({"SvS": "0" * 63}, "no checksum"),
        ({"../SvS": "0" * 64}, "impossible endgame table"),
        ({"SSSvSSSS": "0" * 64}, "impossible endgame table"),
        ({"MvM": "0" * 64}, "impossible endgame table"),
        ({"Sv": "0" * 64}, "impossible endgame table"),
        ({"CSvS": "0" * 64}, "impossible endgame table"),
        ({"": "0" * 64}, "impossible endgame table"),
        ({f"S{n}v": "0" * 64 for n in range(5000)}, "no list"),
    ],
)
def test_headers_without_tables_are_rejected(small: Path, tmp_path: Path, tables: Any, message: str) -> None:
    written(WON, small, tmp_path / "good")
    raw = (tmp_path / "good").read_bytes()
    path = first_changed(lambda header: header.update(tables=tables), raw, tmp_path / "bad")
    with pytest.raises(CertificateError, match=message):
        verify(path, tables=small)
    assert not plainly_accepted(path.read_bytes(), files_of(small, WON))


def test_other_games_have_no_tables(tmp_path: Path) -> None:
    fen = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
    prove(fen, tmp_path / "good")
    raw = (tmp_path / "good").read_bytes()
    path = first_changed(lambda header: header.update(tables={"SvS": "0" * 64}), raw, tmp_path / "bad")
    with pytest.raises(CertificateError, match="certificates of this game use none"):
        verify(path)


def test_tables_must_be_there_and_the_same(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, gyges = tmp_path / "good", tmp_path / "gyges"
    verified = written(WON, small, good)
    name, checksum = next(iter(verified.tables.items()))
    prove("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1", gyges)
    with pytest.raises(TableError, match=r"\.rft: the certificate needs this table, which does not exist"):
        verify(good, tables=tmp_path / "nowhere")
    others = tmp_path / "others"
    shutil.copytree(small, others)
    (others / "siaius-4x4-turn" / f"{name}.rft").unlink()
    with pytest.raises(TableError, match=rf"{name}\.rft: the certificate needs"):
        verify(good, tables=others)

    def other_checksum(header: dict[str, Any]) -> None:
        header["tables"][name] = checksum[::-1]

    other = first_changed(other_checksum, good.read_bytes(), tmp_path / "other")
    with pytest.raises(TableError, match="differs from the one that the certificate names"):
        verify(other, tables=small)
    # On the command line each is this file's, and the others are checked.
    monkeypatch.setenv("RINGFEN_TABLES", str(small))
    result = ringfen("verify", "--json", str(other), str(good), str(gyges))
    assert result.exit_code == 2
    rows = json_lines(result)
    assert [row["ok"] for row in rows] == [None, True, True]
    assert "differs from the one" in rows[0]["reason"]
    assert rows[1]["tables"] == dict(verified.tables)
    assert rows[2]["tables"] == {}
    assert f"with {verified.positions} position" in ringfen("verify", str(good)).stdout


def test_a_damaged_table_is_no_value(small: Path, tmp_path: Path) -> None:
    """The checksum in its header matches the damaged file; the checksum of the block does not."""
    verified = written(WON, small, tmp_path / "good")
    others = tmp_path / "others"
    shutil.copytree(small, others)
    sums = {}
    for name in verified.tables:
        path = others / "siaius-4x4-turn" / f"{name}.rft"
        damaged = bytearray(path.read_bytes())
        data = int.from_bytes(damaged[12:20], "little")
        damaged[data + 4 :] = bytes(len(damaged) - data - 4)
        path.write_bytes(damaged)
        sums[name] = hashlib.sha256(damaged).hexdigest()
    raw = (tmp_path / "good").read_bytes()
    path = first_changed(lambda header: header.update(tables=sums), raw, tmp_path / "bad")
    with pytest.raises(TableError, match="a block is damaged or cannot be read"):
        verify(path, tables=others)


def test_the_command_proves_with_tables_or_to_the_end(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RINGFEN_TABLES", str(small))
    out = tmp_path / "one.cert"
    [row] = json_lines(ringfen("prove", WON, "--hash", "1", "--out", str(out), "--json"))
    assert row["tables"]
    header = json.loads(out.read_bytes().splitlines()[1])
    assert header["tables"] == row["tables"]
    assert f"and {len(row['tables'])} endgame tables" in ringfen("verify", str(out)).stdout
    [row] = json_lines(ringfen("prove", WON, "--hash", "1", "--out", str(out), "--json", "--expand"))
    assert row["tables"] == {}
    assert "tables" not in json.loads(out.read_bytes().splitlines()[1])
    assert "endgame table" not in ringfen("verify", str(out)).stdout
