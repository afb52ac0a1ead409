"""The King of Rings: perft and margins on the position sets in benchmarks/data/.

Times are for one thread. ``ratio`` in the extra information is perft's leaves per second over those of full lists
at every node, both measured here, so that it can be followed on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Limits, Position, SolveOptions
from ringfen._core import ffi, lib

DATA = Path(__file__).parent / "data"


def positions(name: str) -> list[Position]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [Position(line) for line in lines if line and not line.startswith("#")]


def lists(position: Position, depth: int) -> int:
    control = ffi.new("rf_control *")
    return int(lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, depth, ffi.NULL, control))


@pytest.mark.parametrize("depth", [5, 6])
def test_perft(benchmark: BenchmarkFixture, depth: int) -> None:
    start = Position("rings")
    benchmark.group = "rings perft"
    slow = rate(lambda: lists(start, 5))
    fast: list[float] = []
    benchmark.pedantic(lambda: fast.append(rate(lambda: start.perft(depth))), rounds=3 if depth == 5 else 1)  # type: ignore[no-untyped-call]
    benchmark.extra_info.update(million_leaves_a_second=round(max(fast) / 1e6), ratio=round(max(fast) / slow, 1))


def rate(count: Callable[[], int]) -> float:
    """Leaves a second of CPU time."""
    started = time.process_time()
    leaves = count()
    return leaves / (time.process_time() - started)


SETS = [
    *((f"rings-7x7-holders-{rings}.txt", 10) for rings in (6, 8)),
    *((f"rings-7x7-holders-{rings}.txt", 20) for rings in (10, 12)),
    *((f"rings-5x7-holders-{rings}.txt", 10) for rings in (6, 8, 10)),
    ("rings-5x7-holders-12.txt", 20),
    *((f"rings-7x7-{rings}.txt", 10) for rings in (2, 4, 6, 8)),
    *((f"rings-5x7-{rings}.txt", 10) for rings in (4, 6, 8)),
]


@pytest.mark.parametrize(("name", "seconds"), SETS, ids=[name for name, _ in SETS])
def test_solve(benchmark: BenchmarkFixture, name: str, seconds: float) -> None:
    """Solves a set; the median time and the share solved within the limit are in the extra information."""
    times: list[float] = []

    def solve_all() -> None:
        for position in positions(name):
            solution = position.solve(SolveOptions(limits=Limits(seconds=seconds)))
            times.append(solution.seconds if solution.status == "exact" else float("inf"))

    benchmark.group = "rings margins"
    benchmark.pedantic(solve_all, rounds=1)  # type: ignore[no-untyped-call]
    solved = sum(seconds < float("inf") for seconds in times)
    benchmark.extra_info.update(
        median_ms=round(median(times) * 1e3, 2) if solved * 2 > len(times) else None, solved=f"{solved}/{len(times)}"
    )
