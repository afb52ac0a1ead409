"""``--dask`` on a real cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import batch_stub
import pytest
from batch_tools import by_line, run, some_positions, wait_until, write_positions
from cli_runner import json_lines
from cli_runner import ringfen as command

import ringfen
from ringfen import SolveOptions
from ringfen.batch import workers
from ringfen.batch.run import AnswerFile, Work, solve_all
from ringfen.batch.tables import ClassBuilder, build_tables_on_dask
from ringfen.batch.workers import ExecutorPool, Failure
from ringfen.control import Progress
from ringfen.errors import BatchError
from ringfen.tables.build import tasks_for
from ringfen.tables.files import Board

# Processes and files, nothing of the core.
pytestmark = pytest.mark.unsanitized

SOUTH_WINS = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory in which workers with the stub ``endless`` create a file for each running position."""
    directory: Path = tmp_path_factory.mktemp("begun")
    return directory


@pytest.fixture(scope="module")
def cluster(begun: Path) -> Iterator[Any]:
    """A scheduler, and two workers of one thread each that come back when they are killed."""
    distributed = pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BATCH_STUB", str(begun))  # which the workers inherit
        patched.setenv("RINGFEN_TABLES", str(begun.with_name("tables")))
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster:
            yield cluster


def test_a_worker_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    work = Work()
    for line, position in enumerate(some_positions(120) * 2, 1):
        work.add(line, position)
    file = AnswerFile(tmp_path / "out", work, SolveOptions(), resume=False)
    with workers.dask(cluster.scheduler_address, batch_stub.mixed) as pool:
        for number, (position, result) in enumerate(solve_all(file.unsolved(), pool)):
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
    words = ("solve", "--file", str(file), "--nodes", "3000", "--hash", "1", "--quiet")
    here = command(*words, "--out", str(tmp_path / "here"))
    there = command(*words, "--out", str(tmp_path / "there"), "--dask", cluster.scheduler_address)
    assert there.exit_code == here.exit_code == 2
    assert by_line(tmp_path / "there") == by_line(tmp_path / "here")
    assert there.stdout.partition("slowest")[0] == here.stdout.partition("slowest")[0]
    assert there.stderr == here.stderr


def test_a_bad_table_of_the_workers_is_reported_once(cluster: Any, begun: Path, tmp_path: Path) -> None:
    folder = begun.with_name("tables") / "siaius-4x6-turn"
    folder.mkdir(parents=True)
    (folder / "SvT.rft").write_text("this is no table")
    file = tmp_path / "positions"
    file.write_text(f"siaius t3/4/4/4/4/3S s - - 0\n{SOUTH_WINS}\nsiaius t3/4/4/4/4/2S1 s - - 0\n")
    result = command("solve", "-f", str(file), "--dask", cluster.scheduler_address, "--json")
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: foreign-table: {folder / 'SvT.rft'}: this is not an endgame table; answers do not use this file\n"
        "move or remove that file; run 'ringfen tablebase build' to build a table that is missing\n"
    )
    values = [(answer["line"], answer["value"]) for answer in json_lines(result)]
    assert values == [(1, "loss"), (2, "win"), (3, "loss")]


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
def test_an_end_of_the_batch_ends_the_work_on_the_cluster(cluster: Any, how: int, begun: Path, tmp_path: Path) -> None:
    """Both workers have endless positions; then they are free for others."""
    file = write_positions(tmp_path / "positions", some_positions(20))
    for path in begun.iterdir():
        path.unlink()
    with run("solve", "-f", file, "-o", tmp_path / "out", "--dask", cluster.scheduler_address, stub="endless") as batch:
        wait_until(lambda: len(list(begun.iterdir())) == 2)
        batch.process.send_signal(how)
        status, _, errors = batch.finish()
    if how == signal.SIGINT:
        assert status == 130
        assert errors.endswith("interrupted\n")
        assert "Traceback" not in errors
    with workers.dask(cluster.scheduler_address, batch_stub.answer) as pool:
        assert len(list(solve_all(some_positions(10), pool))) == 10


@pytest.mark.parametrize(
    "args", [("solve", SOUTH_WINS), ("perft", "rings", "--depth", "3"), ("tablebase", "build", "siaius")]
)
def test_workers_of_another_version_are_rejected_before_any_work(
    cluster: Any, args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = ringfen.__version__
    monkeypatch.setattr("ringfen.version.__version__", "7.0")
    monkeypatch.setenv("RINGFEN_TABLES", str(tmp_path))
    out = ("--out", str(tmp_path / "out")) if args[0] != "tablebase" else ()
    result = command(*args, *out, "--dask", cluster.scheduler_address)
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()
    assert re.fullmatch(
        rf"error: the Dask workers have Ringfen {re.escape(there)} \(tcp://\S+( and 1 more)?\), this is 7\.0; "
        r"install Ringfen 7\.0 on every worker\n",
        result.stderr,
    )
    assert not list(tmp_path.glob("*/*.rft"))


def test_a_worker_without_ringfen_is_rejected_before_any_work(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringfen.version.__name__", "no_ringfen_here")
    result = command("solve", SOUTH_WINS, "--dask", cluster.scheduler_address)
    assert result.exit_code == 2
    assert "error: the Dask workers have no Ringfen (tcp://" in result.stderr


def test_a_worker_of_another_version_that_joins_later_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    task = workers.on_dask(batch_stub.answer)
    monkeypatch.setattr("ringfen.version.__version__", "7.0")
    with pytest.raises(BatchError, match=r"the Dask workers have Ringfen 7\.0 \(a new worker\), this is "):
        task(some_positions(1)[0])


def test_a_position_whose_workers_all_die_has_failed() -> None:
    class LostError(Exception):
        """As distributed.KilledWorker."""

    def task(position: ringfen.Position) -> workers.Result:
        if batch_stub.number_of(position) % 2:
            raise LostError("four workers died")
        return batch_stub.answer(position)

    positions = some_positions(20)
    with ThreadPoolExecutor(2) as executor:
        results = dict(solve_all(positions, ExecutorPool(executor, task, lambda: 2, (LostError,))))
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
        list(solve_all(some_positions(2), ExecutorPool(Lost(), batch_stub.answer, lambda: 2)))


def test_a_cluster_without_ringfen_is_reported() -> None:
    def task(position: ringfen.Position) -> workers.Result:
        raise ModuleNotFoundError("No module named 'ringfen'")

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(BatchError, match="is the same Ringfen installed there\\? ModuleNotFoundError: No module"),
    ):
        list(solve_all(some_positions(2), ExecutorPool(executor, task, lambda: 1)))


def test_no_scheduler() -> None:
    pytest.importorskip("distributed")
    result = command("solve", SOUTH_WINS, "--dask", "nonsense://here")
    assert result.exit_code == 2
    assert "no Dask scheduler answers at nonsense://here: " in result.stderr


def test_something_else_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "_CONNECT_TIMEOUT", 0.2)
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


# ---- endgame tables ----

BUILD = ("tablebase", "build", "siaius", "--size", "4x4", "--stones", "4")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the tables of :data:`BUILD`, without a cluster."""
    directory: Path = tmp_path_factory.mktemp("tables")
    assert command(*BUILD, "--directory", str(directory), "--jobs", "1", "-q").exit_code == 0
    return directory


def files_in(directory: Path) -> dict[str, bytes]:
    """Every table in a directory, which contains nothing else."""
    (folder,) = directory.iterdir()
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name.rpartition(".")[2] for name in found} == {"rft"}
    return found


def tables_there(directory: Path) -> int:
    return len(list(directory.glob("*/*.rft")))


def test_tables_of_a_cluster_are_the_same(cluster: Any, tables: Path, tmp_path: Path) -> None:
    words = (*BUILD, "--directory", str(tmp_path), "--dask", cluster.scheduler_address)
    result = command(*words)
    assert result.exit_code == 0, result.stderr
    assert "112 made, 0 there before" in result.stdout
    assert files_in(tmp_path) == files_in(tables)
    assert "0 made, 112 there before" in command(*words).stdout


def test_tables_when_a_worker_is_killed(cluster: Any, tables: Path, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if not killed and tables_there(tmp_path) > 40:
            killed.append(cluster.workers[0].pid)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

    built = build_tables_on_dask(
        Board("siaius", 4, 4, "turn"), 4, cluster.scheduler_address, directory=tmp_path, progress=kill
    )
    assert killed
    assert len(built.built) == 112
    remove_torn(tmp_path)
    assert files_in(tmp_path) == files_in(tables)


def remove_torn(directory: Path) -> None:
    """Removes what a killed worker was writing: at most one file for each of its threads."""
    torn = list(directory.glob("*/.ringfen-*"))
    assert len(torn) <= 2
    for path in torn:
        path.unlink()


def test_tables_after_a_kill(cluster: Any, tables: Path, tmp_path: Path) -> None:
    words = (*BUILD, "--directory", tmp_path, "--dask", cluster.scheduler_address)
    with run(*words) as build:
        wait_until(lambda: tables_there(tmp_path) > 40)
        build.kill()
    there = tables_there(tmp_path)
    assert there < 124
    with run(*words) as build:
        status, out, _ = build.finish()
    assert status == 0
    assert int(out.split(" there before")[0].split()[-1]) >= there - 2  # two are made together
    remove_torn(tmp_path)
    assert files_in(tmp_path) == files_in(tables)


def test_tables_that_cannot_be_made(
    cluster: Any, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors of a worker are reported as without a cluster."""
    words = ("tablebase", "build", "siaius", "--size", "4x4", "--stones", "3", "--directory", str(tmp_path))
    there = ("--dask", cluster.scheduler_address)
    command(*words, "-q")
    folder = next(tmp_path.iterdir())
    damaged = folder / "CvC.rft"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")  # its blocks are read by the worker only
    (folder / "CCvC.rft").unlink()
    result = command(*words, *there)
    assert result.exit_code == 1
    assert "damaged-table" in result.stderr
    assert "CvC.rft" in result.stderr
    result = command(*words, *there, "--memory", "1", "--size", "10x10")
    assert result.exit_code == 3
    assert "MB may be used" in result.stderr


def test_a_directory_that_is_not_shared_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringfen.batch.tables._SECONDS_UNTIL_VISIBLE", 0.0)
    board = Board("siaius", 4, 4, "turn")
    task = next(task for task in tasks_for(board, 3) if task.below)
    error = ClassBuilder(tmp_path, 1 << 30, 1)(task)
    assert isinstance(error, BatchError)
    assert re.search(r"a worker does not see .*\.rft; does the whole cluster share the directory", str(error))
