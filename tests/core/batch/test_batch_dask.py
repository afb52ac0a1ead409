"""``solve --dask`` on a real cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import batch_stub
import pytest
from batch_tools import by_line, run, some_positions, wait_until, write_positions
from cli_runner import ringfen as command

import ringfen
from ringfen import SolveOptions
from ringfen.batch import workers
from ringfen.batch.run import AnswerFile, Work, solve_all
from ringfen.batch.workers import ExecutorCrew, Failure
from ringfen.errors import BatchError

# Processes and files, nothing of the core.
pytestmark = pytest.mark.unsanitized

SOUTH_WINS = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler, and two workers of one thread each that come back when they are killed."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


def test_a_worker_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    work = Work()
    for line, position in enumerate(some_positions(120) * 2, 1):
        work.add(line, position)
    file = AnswerFile(tmp_path / "out", work, SolveOptions(), resume=False)
    with workers.dask(cluster.scheduler_address, batch_stub.mixed) as crew:
        for number, (position, result) in enumerate(solve_all(file.unsolved(), crew)):
            assert result == batch_stub.answer(position)
            assert isinstance(result, ringfen.Solution)
            file.add(result)
            if number == 30:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
    file.close()
    assert set(by_line(tmp_path / "out")) == set(range(1, 241))


def test_the_command_line_gives_the_same_answers(cluster: Any, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "positions", some_positions(60, games=("gyges",)))
    file.write_text(file.read_text() + f"nonsense\n{SOUTH_WINS}\n{SOUTH_WINS}\n")
    words = ("solve", "--file", str(file), "--nodes", "3000", "--hash", "1")
    here = command(*words, "--out", str(tmp_path / "here"))
    there = command(*words, "--out", str(tmp_path / "there"), "--dask", cluster.scheduler_address)
    assert there.exit_code == here.exit_code == 2
    assert by_line(tmp_path / "there") == by_line(tmp_path / "here")
    assert there.stdout.partition("slowest")[0] == here.stdout.partition("slowest")[0]
    assert there.stderr == here.stderr


def test_resumed_after_a_kill(cluster: Any, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "positions", some_positions(100))
    out = tmp_path / "out"
    words = ("solve", "-f", file, "-o", out, "--dask", cluster.scheduler_address, "--resume")
    with run(*words, stub="mixed") as batch:
        wait_until(lambda: out.exists() and len(out.read_bytes().splitlines()) > 20)
        batch.kill()
    assert len(out.read_bytes().splitlines()) < 100
    with run(*words, stub="mixed") as batch:
        assert batch.finish()[0] == 0
    with run("solve", "-f", file, "-o", tmp_path / "whole", stub="answer") as batch:
        assert batch.finish()[0] == 0
    assert by_line(out) == by_line(tmp_path / "whole")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_end_of_the_batch_ends_the_work_on_the_cluster(cluster: Any, how: int, tmp_path: Path) -> None:
    """Both workers sit on positions that take for ever; then they are free for others."""
    file = write_positions(tmp_path / "positions", some_positions(20))
    with run("solve", "-f", file, "-o", tmp_path / "out", "--dask", cluster.scheduler_address, stub="endless") as batch:
        wait_until((tmp_path / "out").exists)
        time.sleep(1.0)
        batch.process.send_signal(how)
        status, _, errors = batch.finish()
    if how == signal.SIGINT:
        assert status == 130
        assert "the same command with --resume continues from there" in errors
        assert "Traceback" not in errors
    with workers.dask(cluster.scheduler_address, batch_stub.answer) as crew:
        assert len(list(solve_all(some_positions(10), crew))) == 10


def test_workers_of_another_version_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    there = ringfen.__version__
    monkeypatch.setattr("ringfen.version.__version__", "7.0")
    with (
        workers.dask(cluster.scheduler_address, batch_stub.answer) as crew,
        pytest.raises(BatchError, match=rf"the Dask workers have Ringfen {there}, this is 7\.0"),
    ):
        list(solve_all(some_positions(3), crew))


def test_a_position_whose_workers_all_die_has_failed() -> None:
    class LostError(Exception):
        """As distributed.KilledWorker."""

    def task(position: ringfen.Position) -> workers.Result:
        if batch_stub.number_of(position) % 2:
            raise LostError("four workers died")
        return batch_stub.answer(position)

    positions = some_positions(20)
    with ThreadPoolExecutor(2) as executor:
        results = dict(solve_all(positions, ExecutorCrew(executor, task, lambda: 2, (LostError,))))
    for position in positions:
        odd = batch_stub.number_of(position) % 2
        assert results[position] == (Failure("four workers died") if odd else batch_stub.answer(position))


def test_a_lost_scheduler_ends_the_batch() -> None:
    class Lost(Executor):
        def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(BatchError, match="the connection to the workers was lost"):
        list(solve_all(some_positions(2), ExecutorCrew(Lost(), batch_stub.answer, lambda: 2)))


def test_a_cluster_without_ringfen_is_told_of() -> None:
    def task(position: ringfen.Position) -> workers.Result:
        raise ModuleNotFoundError("No module named 'ringfen'")

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(BatchError, match="is the same Ringfen installed there\\? ModuleNotFoundError: No module"),
    ):
        list(solve_all(some_positions(2), ExecutorCrew(executor, task, lambda: 1)))


def test_no_scheduler() -> None:
    pytest.importorskip("distributed")
    result = command("solve", SOUTH_WINS, "--dask", "nonsense://here")
    assert result.exit_code == 2
    assert "no Dask scheduler answers at nonsense://here: " in result.stderr


def test_something_else_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "_TO_CONNECT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        result = command("solve", SOUTH_WINS, "--dask", address)
    assert result.exit_code == 2
    assert re.fullmatch(f"error: no Dask scheduler answers at {address}: .+\n", result.stderr)


def test_without_distributed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = command("solve", SOUTH_WINS, "--dask", "tcp://localhost:8786")
    assert result.exit_code == 2
    assert "pip install 'ringfen[dask]'" in result.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_nothing_of_dask_is_imported_otherwise(jobs: str, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from ringfen.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    assert not {name.partition('.')[0] for name in sys.modules} & {'dask', 'distributed', 'tornado'}\n"
    )
    words = ["solve", SOUTH_WINS, SOUTH_WINS.replace(" s ", " n "), "--jobs", jobs, "--out", str(tmp_path / "out")]
    subprocess.run([sys.executable, "-c", program, *words], check=True, stdout=subprocess.DEVNULL)


def test_deep_counts(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "counts"
    words = ("perft", "rings", "-d", "4", "--split", "1", "--dask", cluster.scheduler_address, "--out", str(out))
    result = command(*words)
    assert result.exit_code == 0
    assert "perft 4: 603,729 (" in result.stdout
    assert set(by_line(out)) == set(range(1, 29))
