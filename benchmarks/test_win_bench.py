"""CPU time to decide Gygès positions to a number of plies.

data/gyges_positions.txt holds 200 positions of random games (seed 20261121): random setups, 4 to 20 random plies, not
won at once. Run with ``pytest benchmarks/test_win_bench.py --benchmark-enable -s`` to see the distributions.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import Position
from ringfen._core import ffi, lib

POSITIONS = Path(__file__).parent / "data" / "gyges_positions.txt"
USUAL = "gyges 321123/....../....../....../....../321123 s - 1+1"
TABLE_BYTES = 64 << 20


def decide(position: Position, plies: int) -> tuple[int, float]:
    """The value (1 win, -1 loss, 0 unknown) and the CPU seconds, tables not counted."""
    table = ffi.gc(lib.rf_table_new(TABLE_BYTES), lib.rf_table_free)
    search = ffi.gc(lib.rf_win_new(position.game.cdata, position.context.cdata, table), lib.rf_win_free)
    control = ffi.new("rf_control *")
    result = ffi.new("rf_win_result *")
    lib.rf_control_start(control)
    started = time.process_time()
    lib.rf_win_solve(search, position.state, plies, result, control)
    return int(result.value), time.process_time() - started


def distribution(times: list[float]) -> dict[str, float]:
    """Milliseconds."""
    times = sorted(times)
    shares = {"median": 0.5, "p90": 0.9, "max": 1.0}
    return {
        name: round(1000 * times[min(int(len(times) * share), len(times) - 1)], 4) for name, share in shares.items()
    }


@pytest.mark.parametrize("plies", [3, 5, 7, pytest.param(9, marks=pytest.mark.long)])
def test_positions_of_random_games(benchmark: BenchmarkFixture, plies: int) -> None:
    positions = [Position(line) for line in POSITIONS.read_text().splitlines()]

    def decide_all() -> list[tuple[int, float]]:
        return [decide(position, plies) for position in positions]

    answers = benchmark.pedantic(decide_all, rounds=1)  # type: ignore[no-untyped-call, unused-ignore]
    values = [value for value, _ in answers]
    info: dict[str, Any] = distribution([seconds for _, seconds in answers])
    info |= {"wins": values.count(1), "losses": values.count(-1)}
    benchmark.extra_info.update(info)
    print(f"\nup to {plies} plies, ms: {info}")


@pytest.mark.parametrize("plies", [6, 7, 8, pytest.param(9, marks=pytest.mark.long)])
def test_usual_setup(benchmark: BenchmarkFixture, plies: int) -> None:
    value, _ = benchmark.pedantic(decide, (Position(USUAL), plies), rounds=1)  # type: ignore[no-untyped-call, unused-ignore]
    assert value == 0


def test_wins_at_once(benchmark: BenchmarkFixture) -> None:
    """'Can this side reach the throne now', for every position one ply after those of the set."""
    search = ffi.gc(lib.rf_win_new(Position(USUAL).game.cdata, ffi.NULL, ffi.NULL), lib.rf_win_free)
    states = [
        (child.state, int(lib.rf_player(child.game.cdata, ffi.NULL, child.state)))
        for line in POSITIONS.read_text().splitlines()[:20]
        for _, child in Position(line).successors()
    ]
    control = ffi.new("rf_control *")
    lib.rf_control_start(control)

    def ask() -> int:
        return sum(lib.rf_win_forces(search, state, player, 1, control) for state, player in states)

    wins = benchmark(ask)
    benchmark.extra_info.update({"positions": len(states), "wins": wins})
