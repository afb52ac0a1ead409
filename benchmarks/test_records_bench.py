"""Reading, checking and formatting records: plies per CPU second, and memory on files of different length.

``pytest benchmarks/test_records_bench.py --benchmark-only`` prints times for a file of each game, made by playing
random games; ``extra_info`` has the plies per CPU second. The memory test is not a benchmark and runs with ``-m long``.
"""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from functools import cache
from pathlib import Path
from time import process_time

import pytest
from click.testing import CliRunner
from pytest_benchmark.fixture import BenchmarkFixture

from ringfen import game_ids
from ringfen.cli.commands import main
from ringfen.notation import check_records, read_records, write_record

#: Different games in a file, and how often they are repeated. A reader learns nothing from a repetition.
GAMES = 100
REPEATED = 10

PEAK = """
import resource, sys
from ringfen.notation import check_records
assert all(report.valid for report in check_records(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@cache
def games(game: str) -> bytes:
    result = CliRunner().invoke(main, ["random", game, "--games", str(GAMES), "--seed", "1", "--max-plies", "400"])
    assert result.exit_code == 0
    return result.stdout.encode()


@pytest.fixture(params=game_ids())
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of records of one game."""
    path = tmp_path / f"{request.param}.rgn"
    path.write_bytes(games(request.param) * REPEATED)
    return path


def note_speed(benchmark: BenchmarkFixture, path: Path, seconds: float) -> None:
    plies = sum(report.plies for report in check_records(path))
    benchmark.extra_info["plies"] = plies
    benchmark.extra_info["million plies per CPU second"] = round(plies / seconds / 1e6, 3)


def test_check(benchmark: BenchmarkFixture, records: Path) -> None:
    benchmark.group = f"records: check, {records.stem}"
    times = []

    def check() -> None:
        started = process_time()
        deque(check_records(records), maxlen=0)
        times.append(process_time() - started)

    benchmark(check)
    note_speed(benchmark, records, min(times))


def test_read_and_write(benchmark: BenchmarkFixture, records: Path) -> None:
    benchmark.group = f"records: read and write, {records.stem}"
    times = []

    def read_and_write() -> None:
        started = process_time()
        for record in read_records(records):
            write_record(record)
        times.append(process_time() - started)

    benchmark(read_and_write)
    note_speed(benchmark, records, min(times))


def test_diagnostics_on_one_long_line(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A hundred errors from the middle of a line of ten million bytes on, the first reported last."""
    benchmark.group = "records: check, one long line"
    path = tmp_path / "long.rgn"
    comment = "{" + "ä" * 2_500_000 + "}"
    path.write_text(f'[Game "gyges"]\n\n1. 321123 {comment} {"(321123 " * 100}{"()" * 100} {comment} *\n', "utf-8")
    (report,) = benchmark(lambda: list(check_records(path)))
    assert len(report.diagnostics) > 100


@pytest.mark.long
def test_memory(tmp_path: Path) -> None:
    """A file twice, and eight times, as long takes no more memory."""
    peaks = []
    for times in (40, 80, 320):
        path = tmp_path / "games.rgn"
        with path.open("wb") as file:
            for _ in range(times):
                file.write(games("siaius"))
        done = subprocess.run([sys.executable, "-c", PEAK, str(path)], check=True, capture_output=True, text=True)
        peaks.append(int(done.stdout))
    assert max(peaks) < 1.1 * min(peaks)
