"""Leaves per second, next to those of full lists at every node in the same run.

Machines and their load differ; the ratios of one run do not. Times are CPU time of this process.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Position
from ringfen._core import ffi, lib
from ringfen.counting import perft

TESTS = Path(__file__).parent.parent / "tests" / "data"
STARTS = {
    "gyges": ("gyges 321123/....../....../....../....../321123 s - 1+1", 3),
    "siaius": ("siaius", 5),
}


def scattered() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TESTS / "gyges_scattered.jsonl").read_text().splitlines()]


def lists(position: Position, depth: int) -> int:
    control = ffi.new("rf_control *")
    return int(
        lib.rf_perft_kinds(position.game.cdata, position.context.cdata, position.state, depth, ffi.NULL, control)
    )


def per_second(benchmark: BenchmarkFixture, count: int) -> None:
    """Notes millions a second from the best round."""
    benchmark.extra_info["millions/s"] = round(count / benchmark.stats.stats.min / 1e6, 1)  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def group(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "perft"
    benchmark._timer = time.process_time


@pytest.mark.parametrize("game", STARTS)
def test_usual_start(benchmark: BenchmarkFixture, game: str) -> None:
    fen, depth = STARTS[game]
    count = benchmark(perft, Position(fen), depth)
    per_second(benchmark, count)


@pytest.mark.parametrize("game", STARTS)
def test_usual_start_with_lists(benchmark: BenchmarkFixture, game: str) -> None:
    fen, depth = STARTS[game]
    per_second(benchmark, benchmark(lists, Position(fen), depth))


def test_gyges_scattered(benchmark: BenchmarkFixture) -> None:
    rows = [(Position(row["fen"]), row["depth"], row["count"]) for row in scattered()]

    def count_all() -> int:
        return sum(perft(position, depth) for position, depth, _ in rows)

    total = benchmark(count_all)
    assert total == sum(count for _, _, count in rows)
    per_second(benchmark, total)


def test_gyges_scattered_with_lists(benchmark: BenchmarkFixture) -> None:
    rows = [(Position(row["fen"]), row["depth"]) for row in scattered()]
    per_second(benchmark, benchmark(lambda: sum(lists(position, depth) for position, depth in rows)))


@pytest.mark.parametrize("threads", [1, 2])
def test_gyges_threads(benchmark: BenchmarkFixture, threads: int) -> None:
    """Wall clock, since threads are what is measured: two free cores halve it."""
    benchmark.group = "perft in threads (wall clock)"
    benchmark._timer = time.perf_counter
    position = Position(scattered()[9]["fen"])
    per_second(benchmark, benchmark(perft, position, 3, threads=threads))
