"""Siaius: perft, retrograde analysis, building and probing endgame tables."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Position
from ringfen.rules.siaius.tables import RULES
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables, position_text

PROBES = 10_000


def test_perft(benchmark: BenchmarkFixture) -> None:
    """33,846,780 leaves."""
    benchmark.group = "siaius"
    assert benchmark(Position("siaius").perft, 5) == 33_846_780


def test_retrograde(benchmark: BenchmarkFixture) -> None:
    """860,024 positions."""
    benchmark.group = "siaius"
    position = Position("siaius 6/2s3/6/6/3MT1/6 s - - 0")
    graph = benchmark.pedantic(ReachableGraph, (position, 4 << 30), rounds=3)  # type: ignore[no-untyped-call]
    assert len(graph) == 860_024


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def test_build(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """All endings with 2 and 3 stones on 10x10 in one thread: 8,775,500 entries, compressed and written."""
    benchmark.group = "siaius"
    rounds = iter(range(10))

    def build() -> int:
        return build_tables(
            Board("siaius", 10, 10, "turn"), 3, directory=tmp_path / str(next(rounds)), threads=1
        ).entries

    assert benchmark.pedantic(build, rounds=3) == 8_775_500  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("material", ["SvMC", "CvSC", "SSvM"])
def test_random_probes(benchmark: BenchmarkFixture, directory: Path, material: str) -> None:
    """Ten thousand random entries of one class, the file in the page cache."""
    benchmark.group = "siaius, 10,000 probes"
    board = Board("siaius", 10, 10, "turn")
    build_tables(board, 3, directory=directory)
    tables = Tables(board, directory)
    own, _, enemy = material.partition("v")
    info = next(info for info in tables.infos if info.material == RULES.material_of(own, enemy))
    choose = random.Random(1)
    texts = (position_text(info, choose.randrange(info.entries)) for _ in range(PROBES))
    positions = [Position(text) for text in texts if text is not None]

    benchmark(lambda: [tables.value(position) for position in positions])
