"""The speed of checking certificates, and their size: the extra info has positions and bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Position, SolveOptions
from ringfen.certificates.prove import prove
from ringfen.certificates.verify import verify

#: docs/lab/index.md has the figures of some.
POSITIONS = {
    "gyges, loss in 6": "gyges .13..3/....21/.1..3./32..../....../.12..2 s - 1+1",
    "gyges, win in 7": "gyges .2.2.1/..1.../.3..1./..2.3./....2./33..1. s - 1+1",
    "siaius, 3 stones, win in 14": "siaius 8/c7/5C2/7S/8/8/8/8 s - - 0",
    "siaius, 3 stones, loss in 16": "siaius C4C2/8/8/c7/8/8/8/8 n - - 0",
    "siaius, 2 champions, draw": "siaius 10/10/10/10/10/10/10/10/9C/5c4 s - - 0",
    "rings, 4 free": "rings .k(1).k(1).K(1)./..1...k(1)/.K(111111)...../k(33).K(311)k(531)..k(3)/...K(11111)1k(31)1/"
    ".K....K(11111)/K..1... s 0+0 0",
    "rings, 6 free": "rings .k(1).k(5111).k(1)./1k..K(311)../K(111)1....k(11)/k(333311).3..../..K(11)K(1).K(1111)./"
    "..K(11)...1/.1...1. n 1+1 0",
    "gran, horizon 8, 5 players": "gran d4:0:U/d7:2:E/a2:0:TU/e3:2:U/c5:0:UG @3 a1 0.0.0.0.1.0.0 2 move",
    "gran, horizon 8, 4 players": "gran f3:3:UG/c3:0:UG/a5:3:U/d8:1:UE @2 d2,c5,b9,g9 1.0.1.4.4.0.0 4 move",
}


@pytest.mark.parametrize("name", POSITIONS)
def test_verify(benchmark: BenchmarkFixture, name: str, tmp_path: Path) -> None:
    benchmark.group = "verify"
    fen = POSITIONS[name]
    proof = prove(Position(fen), tmp_path / "cert", SolveOptions(depth=8))
    benchmark.extra_info.update(value=str(proof.value), positions=proof.positions, bytes=proof.size)
    benchmark(verify, tmp_path / "cert")


@pytest.mark.parametrize("name", ["gyges, loss in 6", "siaius, 2 champions, draw", "rings, 4 free"])
def test_prove(benchmark: BenchmarkFixture, name: str, tmp_path: Path) -> None:
    benchmark.group = "prove"
    fen = POSITIONS[name]
    benchmark(prove, Position(fen), tmp_path / "cert")
