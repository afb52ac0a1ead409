"""GRAN: leaves a second, and how solving grows with the horizon."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Position, SolveOptions
from ringfen.solving import solve

EXAMPLES = Path(__file__).parent.parent / "examples" / "gran-endgames.txt"
#: The positions of the figures in docs/lab/index.md.
TWENTY = Path(__file__).parent / "data" / "gran-20.txt"


@pytest.mark.parametrize(("players", "depth", "leaves"), [(3, 6, 20_993_998), (3, 7, 351_836_122)])
def test_perft(benchmark: BenchmarkFixture, players: int, depth: int, leaves: int) -> None:
    benchmark.group = "perft"
    start = Position("gran " + "/".join(["-:3:-"] * players) + " c7 - 2.0.4.6.6.4.2 1 move")
    assert benchmark(start.perft, depth) == leaves


@pytest.mark.parametrize("model", ["maxn", "paranoid"])
@pytest.mark.parametrize("horizon", [6, 7, 8])
def test_solve(benchmark: BenchmarkFixture, model: str, horizon: int) -> None:
    benchmark.group = f"solve {model}"
    positions = [Position(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    options = SolveOptions(model=model, depth=horizon, hash_mb=16)
    benchmark(lambda: [solve(position, options) for position in positions])


@pytest.mark.parametrize(("model", "horizon"), [("maxn", 10), ("maxn", 12), ("paranoid", 8)])
def test_solve_twenty(benchmark: BenchmarkFixture, model: str, horizon: int) -> None:
    benchmark.group = f"twenty positions, {model}"
    positions = [Position(line) for line in TWENTY.read_text(encoding="utf-8").splitlines()]
    options = SolveOptions(model=model, depth=horizon, hash_mb=16)
    benchmark(lambda: [solve(position, options) for position in positions])
