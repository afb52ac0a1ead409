"""Certificates: proofs are accepted, by the plain reference checker too; all others are rejected."""

from __future__ import annotations

import json
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from certificate_mutants import MAGIC, assembled, mutants, taken_apart, with_checksum
from certificate_strategies import (
    Known,
    PlainChances,
    chance_holds,
    gyges_best,
    gyges_distance,
    holds_within,
    reference_of,
)
from reference import certificates as plain

from ringfen import LimitReached, Limits, Position, SolveOptions
from ringfen.certificates.claims import Verified
from ringfen.certificates.prove import certify, prove
from ringfen.certificates.prove_chance import certify_chance
from ringfen.certificates.strategy import ListedPlies
from ringfen.certificates.verify import verify, verify_file
from ringfen.errors import CertificateError

GYGES = {
    "gyges ..2.../13..../1.2312/.3.2.1/.....3/...... n - 1+1": "win",
    "gyges 2...../12..3./.13..3/.311../.....2/...... n 2 1+1": "win",
    "gyges .2..../32..../131331/....22/.....1/...... s - 1+1": "win",
    "gyges .....2/2..33./.22.1./31..../3..11./...... s - 1+3": "win",
    "gyges .2..../32..../131331/2...21/....../...... n - 1+1": "loss",
}
SIAIUS = {
    "siaius 4/1c2/4/3C s - - 0": "win",
    "siaius 4/4/S3/3c n - d1 0": "win",
    "siaius 5/1c3/2S2/5 s - - 0 huff=off": "loss",
    "siaius 4/2t1/3S/4 s - - 0 huff=stone": "loss",
    "siaius c2/3/3/2C/3 n - - 0": "draw",
}
RINGS = {
    "rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0": 7,
    "rings ....1/..k(11)../1k(3111)k(11)../...../....1/...3./.K... n 0+0 0": 14,
    "rings ......./...1.../..3...k(11)/......./.k(1)K(1)..../1.3..../....K(331).. s 2+1 0": 5,
    "rings ...../....1/...../...../...../k..3K/..... s 0+0 0": 0,
}
GRAN = {
    "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight": 3,
    "gran f3:3:UG/c3:0:UG/a5:3:U/d8:1:UE @2 d2,c5,b9,g9 1.0.1.4.4.0.0 4 move": 2,
    "gran d4:0:U/d7:2:E/a2:0:TU/e3:2:U/c5:0:UG @3 a1 0.0.0.0.1.0.0 2 move": 3,
}
#: Positions with exactly one key, and what it does.
PROBLEMS = {
    "gyges ...1../....../2..331/123.2./.23.../....1. n - 1+1": "win in 2",
    "siaius s3/m3/1S2 s - - 0": "win in 3",
    "siaius 1mt/2M/3 s - - 0": "win in 2",
    "rings ....k(111)/..k(11)../1..../...../....1/...3./.k(3111)... n 0+0 1": "best margin 11",
    "rings ......./..K(331)K(1).../......./......./......./1..k(1).../....k(1).K(11) n 1+2 0": "best margin -7",
    "gran a1:0:T/f3:1:-/b4:0:- @1 c3,e9 1.0.0.1.1.0.1 1 move seals=2": "best chance 1 paranoid 2",
}
WALKS: dict[str, Any] = {**GYGES, **SIAIUS, **RINGS}
FENS = [*WALKS, *GRAN, *PROBLEMS]


@cache
def known(fen: str) -> Known:
    return Known(fen)


@cache
def certificate(fen: str, folder: Path) -> bytes:
    """A certificate written with the plies of the reference games."""
    position = Position(fen)
    path = folder / "cert"
    if fen in PROBLEMS:
        prove(position, path, SolveOptions(depth=2 if fen.startswith("gran") else None, hash_mb=1), problem=True)
    elif fen in GRAN:
        assert isinstance(position.player, int)
        certify_chance(position, path, position.player, GRAN[fen], PlainChances())
    else:
        certify(position, path, WALKS[fen], ListedPlies(gyges_best if fen in GYGES else known(fen).best))
    return path.read_bytes()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


def checked(raw: bytes) -> Verified:
    return verify_file(BytesIO(raw))


def accepted(raw: bytes) -> bool:
    try:
        checked(raw)
    except CertificateError:
        return False
    return True


def plainly_accepted(raw: bytes, fen: str) -> bool:
    try:
        plain.verify(raw, reference_of(fen))
    except plain.Refused:
        return False
    return True


def is_true(fen: str, claim: dict[str, Any]) -> bool:
    """Whether the reference solvers know a claim to be true."""
    game = reference_of(fen)
    if fen.startswith("gran"):
        return chance_holds(game.parse(fen), claim)
    if fen in PROBLEMS and not fen.startswith("rings"):
        return holds_within(game.parse(fen), claim)
    if fen in GYGES:
        distance, winner = gyges_distance(game.parse(fen))
        return winner == "sn"[claim["player"] - 1] and claim["at_least"] == 1 and claim["within"] >= distance
    claim_holds = known(fen).holds(claim)
    if fen in SIAIUS and claim["at_least"] > 0:
        return claim_holds and bool(claim["within"] >= known(fen).rank[known(fen).root])
    return claim_holds


# ---- proofs ----


@pytest.mark.parametrize("fen", FENS)
def test_both_checkers_accept_proven_values(fen: str, folder: Path) -> None:
    raw = certificate(fen, folder)
    verified = checked(raw)
    assert verified.fen == fen
    assert verified.positions == plain.verify(raw, reference_of(fen))
    if fen in WALKS:
        assert verified.value == WALKS[fen]
    assert (None if verified.problem is None else verified.problem.stipulation) == PROBLEMS.get(fen)
    header = taken_apart(raw).header
    assert all(is_true(fen, claim) for claim in header["claims"])


@pytest.mark.parametrize("fen", FENS)
def test_two_claims_may_be_in_either_order(fen: str, folder: Path) -> None:
    raw = certificate(fen, folder)
    parts = taken_apart(raw)
    parts.header["claims"].reverse()
    parts.numbers.reverse()
    turned, verified = checked(parts.bytes()), checked(raw)
    assert list(turned.claims) == list(verified.claims)[::-1]
    assert (turned.value, turned.positions) == (verified.value, verified.positions)
    assert turned.problem == verified.problem
    assert plain.verify(parts.bytes(), reference_of(fen)) == verified.positions


def test_all_claims_of_a_problem_are_needed(folder: Path) -> None:
    for fen in PROBLEMS:
        raw = certificate(fen, folder)
        for left in range(len(taken_apart(raw).numbers)):
            parts = taken_apart(raw)
            del parts.header["claims"][left], parts.numbers[left]
            # Without the excepted ply, the other claims prove a value, except for wins with a horizon.
            if "except" in taken_apart(raw).header["claims"][left] and fen.startswith("rings"):
                assert checked(parts.bytes()).problem is None
            else:
                assert not accepted(parts.bytes()), fen
                assert not plainly_accepted(parts.bytes(), fen), fen


@pytest.mark.parametrize("fen", PROBLEMS)
def test_only_the_key_may_be_excepted(fen: str, folder: Path) -> None:
    raw = certificate(fen, folder)
    problem = checked(raw).problem
    assert problem is not None
    for ply in Position(fen).plies():
        parts = taken_apart(raw)
        parts.header["claims"][-1]["except"] = ply
        assert accepted(parts.bytes()) == plainly_accepted(parts.bytes(), fen) == (ply == problem.key), ply


@pytest.mark.parametrize("kept", [[0], [1], [0, 0], [1, 1]])
def test_probabilities_need_one_bound_of_each_kind(kept: list[int], folder: Path) -> None:
    parts = taken_apart(certificate(next(iter(GRAN)), folder))
    parts.header["claims"] = [parts.header["claims"][i] for i in kept]
    parts.numbers = [parts.numbers[i] for i in kept]
    with pytest.raises(CertificateError, match="not a lower and an upper bound"):
        checked(parts.bytes())


#: Three knights without rings, solved for the squares of all three at once.
TRIPLES = [
    ("rings K(1)..../...K(3)./1..../...3./...../...k./k...k n 0+0 0", 6),
    ("rings ...../1..K(1)./....K/...../k(1)...K(1111)/..k../.k... n 0+0 0", 3),
]


@pytest.mark.long
@pytest.mark.parametrize(("fen", "margin"), TRIPLES)
def test_margins_with_three_knights_without_rings_are_accepted(fen: str, margin: int, tmp_path: Path) -> None:
    path = tmp_path / "margin.cert"
    prove(fen, path, hash_mb=16)
    verified = verify(path)
    assert (verified.fen, verified.value) == (fen, margin)
    assert verified.positions == plain.verify(path.read_bytes(), reference_of(fen))


@pytest.mark.parametrize("fen", [*GYGES, *SIAIUS])
def test_distances_are_exact_if_the_strategy_hurries(fen: str, folder: Path) -> None:
    [claim, *more] = checked(certificate(fen, folder)).claims
    if fen in GYGES:
        assert claim.within == gyges_distance(reference_of(fen).parse(fen))[0]
    elif not more:
        assert claim.within == known(fen).rank[known(fen).root]


def test_choices_that_go_round_in_circles_are_mended(tmp_path: Path) -> None:
    """A strategy keeps the value but makes no progress at first; the forced end is found among all its plies."""
    fen = "siaius 4/4/S3/3c n - d1 0"

    def slow(position: Position) -> list[str]:
        return known(fen).best(position)[::-1]

    certify(Position(fen), tmp_path / "cert", "win", ListedPlies(slow))
    raw = (tmp_path / "cert").read_bytes()
    assert checked(raw).value == "win"
    assert plainly_accepted(raw, fen)


def test_strategy_that_proves_nothing_is_no_certificate(tmp_path: Path) -> None:
    drawn = "siaius c2/3/3/2C/3 n - - 0"
    for value in ("win", "loss"):
        with pytest.raises(CertificateError, match="do not force an end"):
            certify(Position(drawn), tmp_path / "cert", value, ListedPlies(known(drawn).best))
    with pytest.raises(CertificateError, match="falls short"):
        certify(Position("siaius 4/1c2/4/3C s - - 0"), tmp_path / "cert", "loss", ListedPlies(Position.plies))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("siaius 3/3/S2 n - - 0", "loss"),
        ("rings K(31)..../...../...../...../...../...../....k s 0+0 0", 4),
        ("gyges 2...../12..3./.13..3/.311../.....2/...... n 2 0+1", "loss"),
    ],
)
def test_finished_games(fen: str, value: Any, tmp_path: Path) -> None:
    certify(Position(fen), tmp_path / "cert", value, ListedPlies(Position.plies))
    verified = verify(tmp_path / "cert")
    assert (verified.value, verified.positions) == (value, 0)
    assert plainly_accepted((tmp_path / "cert").read_bytes(), fen)


# ---- what is damaged ----


@pytest.mark.parametrize("fen", [next(iter(GYGES)), next(iter(GRAN))])
def test_a_changed_byte_is_rejected(fen: str, folder: Path) -> None:
    raw = certificate(fen, folder)
    for at in range(len(raw)):
        for change in (1, 0x80, 0xFF):
            changed = raw[:at] + bytes([raw[at] ^ change]) + raw[at + 1 :]
            assert not accepted(changed), (at, change)


def test_a_truncated_or_extended_file_is_rejected(folder: Path) -> None:
    raw = certificate(next(iter(GYGES)), folder)
    for size in range(len(raw)):
        assert not accepted(raw[:size]), size
    assert not accepted(raw + b"\0")
    assert not accepted(raw + raw)


# ---- what is changed, with a new checksum ----


def compare(fen: str, raw: bytes, number: int) -> None:
    """Both checkers agree on the mutants, and what they accept is true."""
    kept = 0
    for name, changed in mutants(raw, number):
        good = accepted(changed)
        assert good == plainly_accepted(changed, fen), name
        header = taken_apart(changed).header
        if good and header["fen"] == fen:
            kept += 1
            assert all(is_true(fen, claim) for claim in header["claims"]), name
    assert kept < number // 2


@pytest.mark.parametrize("fen", FENS)
def test_mutants_are_rejected_unless_they_prove_their_claims(fen: str, folder: Path) -> None:
    compare(fen, certificate(fen, folder), 200)


@pytest.mark.long
@pytest.mark.parametrize("fen", FENS)
def test_many_mutants(fen: str, folder: Path) -> None:
    compare(fen, certificate(fen, folder), 5000)


@pytest.mark.parametrize("fen", FENS)
def test_mutants_of_unpacked_bytes(fen: str, folder: Path) -> None:
    """Each byte of the numbers changed: long forms, numbers cut in two and joined."""
    parts = taken_apart(certificate(fen, folder))
    packed = certificate(fen, folder).split(b"\n", 2)[2][:-32]
    bodies = []
    for claim in parts.header["claims"]:
        bodies.append(zlib.decompress(packed[: claim["bytes"]]))
        packed = packed[claim["bytes"] :]
    for part, body in enumerate(bodies):
        for at in range(0, len(body), max(1, len(body) // 14)):
            for change in (0x01, 0x80, 0xFF):
                changed = list(bodies)
                changed[part] = body[:at] + bytes([body[at] ^ change]) + body[at + 1 :]
                raw = assembled(parts.header, changed)
                assert accepted(raw) == plainly_accepted(raw, fen)


@pytest.mark.parametrize("fen", [next(iter(games)) for games in (GYGES, SIAIUS, RINGS, GRAN, PROBLEMS)])
def test_changed_bytes_with_a_new_checksum(fen: str, folder: Path) -> None:
    """Damage anywhere, in the header or in the packed part: an accepted claim is true."""
    content = certificate(fen, folder)[:-32]
    for at in range(len(content)):
        for change in (0x01, 0x02, 0x10, 0x80):
            raw = with_checksum(content[:at] + bytes([content[at] ^ change]) + content[at + 1 :])
            if accepted(raw):
                header = json.loads(raw.split(b"\n", 2)[1])
                assert header["fen"] != fen or all(is_true(fen, claim) for claim in header["claims"]), (at, change)


# ---- hostile headers ----

GOOD: dict[str, Any] = {
    "fen": "siaius 4/1c2/4/3C s - - 0",
    "claims": [{"player": 1, "at_least": 1, "within": 1, "positions": 1, "bytes": 9}],
}
DEEP = "[" * 300_000
HEADERS = [
    "",
    "null",
    "[]",
    "{}",
    '"text"',
    "nonsense",
    DEEP,
    '{"a":' * 100_000,
    '{"fen": ' + DEEP + ', "claims": []}',
    "1" * 500_000,
    '{"fen": "siaius 4/1c2/4/3C s - - 0", "claims": NaN}',
    '{"fen": "siaius 4/1c2/4/3C s - - 0", "fen": "rings", "claims": []}',
    json.dumps({**GOOD, "fen": "ä"}, ensure_ascii=False),
    json.dumps({**GOOD, "fen": 7}),
    json.dumps({**GOOD, "fen": ""}),
    json.dumps({**GOOD, "fen": "gyges"}),
    json.dumps({**GOOD, "fen": "chess"}),
    json.dumps({**GOOD, "fen": "\ud800"}),
    json.dumps({**GOOD, "fen": "siaius  4/1c2/4/3C s - - 0"}),
    json.dumps({**GOOD, "fen": "gyges " + "/" * 900_000}),
    json.dumps({**GOOD, "fen": "gran -:3:-/-:3:-/-:3:- f7 - 2.0.4.6.6.4.2 1 move board=nowhere"}),
    json.dumps({**GOOD, "board": "lines: all\n"}),
    json.dumps({**GOOD, "more": 1}),
    json.dumps({**GOOD, "claims": {}}),
    json.dumps({**GOOD, "claims": []}),
    json.dumps({**GOOD, "claims": [1]}),
    json.dumps({**GOOD, "claims": [[]]}),
    json.dumps({**GOOD, "claims": GOOD["claims"] * 3}),
    json.dumps({**GOOD, "claims": GOOD["claims"] * 2}),
]
STRANGE: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    2,
    3,
    7,
    10**9,
    10**9 + 1,
    2**31,
    2**32,
    2**63,
    2**64,
    10**300,
    1.0,
    1e999,
    "1",
    [],
    {},
]


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_hostile_headers(header: str) -> None:
    content = MAGIC + header.encode("utf-8", "surrogatepass") + b"\n" + zlib.compress(b"\0\0")
    with pytest.raises(CertificateError):
        checked(with_checksum(content))
    with pytest.raises(CertificateError):
        checked(with_checksum(content.replace(b"\n" + zlib.compress(b"\0\0"), b"")))


@pytest.mark.parametrize("fen", [next(iter(games)) for games in (GYGES, SIAIUS, RINGS, GRAN, PROBLEMS)])
def test_strange_fields(fen: str, folder: Path) -> None:
    """Every field of a good header with every strange content, or missing, or with an extra field."""
    original = taken_apart(certificate(fen, folder))
    good = json.dumps(original.header)
    packed = certificate(fen, folder).split(b"\n", 2)[2][:-32]

    def table_error(header: dict[str, Any]) -> None:
        raw = with_checksum(MAGIC + json.dumps(header).encode() + b"\n" + packed)
        if json.dumps(header) != good:
            assert not accepted(raw) or plainly_accepted(raw, fen), header

    for claim in range(len(original.header["claims"])):
        for name in (*original.header["claims"][claim], "within", "horizon", "except", "other"):
            for strange in STRANGE:
                header = json.loads(good)
                header["claims"][claim][name] = strange
                table_error(header)
            header = json.loads(good)
            header["claims"][claim].pop(name, None)
            table_error(header)


@pytest.mark.parametrize(
    "text", ["1e999999999", "1/0", "2/4", "3/2", "-1/2", "0.5", "01", "1/1", "nan", " 1", "9" * 5000, "٣"]
)
def test_strange_probabilities(text: str, folder: Path) -> None:
    parts = taken_apart(certificate(next(iter(GRAN)), folder))
    parts.header["claims"][0]["least"] = text
    with pytest.raises(CertificateError, match="probability"):
        checked(parts.bytes())


def test_bodies_that_unpack_to_much_or_nothing(folder: Path) -> None:
    fen = "rings ...../....1/...../...../...../k..3K/..... s 0+0 0"
    parts = taken_apart(certificate(fen, folder))
    header = parts.header
    bomb = zlib.compress(b"\0" * 50_000_000, 9)
    for first in (bomb, b"", b"x", bomb[:-1], bomb + b"x", zlib.compress(b"")):
        for claim in header["claims"]:
            claim["bytes"] = 0
        header["claims"][0]["bytes"] = len(first)
        raw = with_checksum(MAGIC + json.dumps(header).encode() + b"\n" + first)
        with pytest.raises(CertificateError):
            checked(raw)


# ---- limits ----


def test_limits(folder: Path) -> None:
    fen = "rings ...../....1/...../...../...../k..3K/..... s 0+0 0"
    raw = certificate(fen, folder)
    with pytest.raises(LimitReached):
        verify_file(BytesIO(raw), limits=Limits(nodes=10))
    huge = taken_apart(raw)
    huge.header["claims"][0]["positions"] = 10**17
    with pytest.raises(CertificateError, match="fewer positions"):
        checked(huge.bytes())


def test_memory_is_bounded(tmp_path: Path) -> None:
    """A file of a few bytes that asks for a walk over all of a game."""
    endless: dict[str, Any] = {"fen": Position("rings").fen, "claims": []}
    for player, at_least in ((1, -51), (2, 51)):
        claim = {"player": player, "at_least": at_least, "positions": 10**9, "bytes": 0}
        endless["claims"].append(claim | ({"within": 500} if at_least > 0 else {}))
    raw = assembled(endless, [b"\0" * 3_000_000] * 2)
    with pytest.raises(LimitReached, match="8 MiB"):
        verify_file(BytesIO(raw), memory_mb=8)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "no" / "cert"
    with pytest.raises(FileNotFoundError):
        certify(Position("siaius 3/3/S2 n - - 0"), path, "loss", ListedPlies(Position.plies))
    (tmp_path / "cert").mkdir()
    with pytest.raises(OSError, match="irectory"):
        certify(Position("siaius 3/3/S2 n - - 0"), tmp_path / "cert", "loss", ListedPlies(Position.plies))
    assert [item.name for item in tmp_path.iterdir()] == ["cert"]
