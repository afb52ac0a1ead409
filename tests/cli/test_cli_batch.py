"""``solve`` with --out, --resume and --jobs, as separate processes that are interrupted and killed."""

from __future__ import annotations

import os
import pty
import random
import resource
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import batch_stub
import pytest
from batch_tools import (
    PATIENCE,
    Run,
    assert_gone,
    by_line,
    read_terminal,
    run,
    some_positions,
    wait_until,
    write_positions,
)
from cli_runner import json_lines, ringfen

from ringfen import Position
from ringfen.batch.run import OUT_OF_MEMORY

SOUTH_WINS = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"
NORTH_LOSES = SOUTH_WINS.replace(" s ", " n ")
OVER = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
OPEN = "gyges 321123/....../....../....../....../321123 s - 1+1"

# Processes and files, nothing of the core.
pytestmark = pytest.mark.unsanitized

jobs = pytest.mark.parametrize("jobs", ["1", "2"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Forty positions of all games."""
    return write_positions(tmp_path / "positions.txt", some_positions(40))


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in which the stubs ``endless`` and ``real`` create a file for each running position."""
    directory = tmp_path / "begun"
    directory.mkdir()
    monkeypatch.setenv("BATCH_STUB", str(directory))
    return directory


# ---- answers and summary ----


@pytest.mark.parametrize("start", [["-m", "ringfen"], ["-c", "from ringfen.cli import main; main()"]])
def test_nothing_of_the_current_directory_is_imported(start: list[str], file: Path, tmp_path: Path) -> None:
    """Neither by the command nor by its worker processes."""
    here, mark = tmp_path / "here", tmp_path / "imported"
    here.mkdir()
    for module in ("click", "hashlib", "json", "pickle", "queue", "selectors", "signal", "struct", "subprocess"):
        (here / f"{module}.py").write_text(f"open({str(mark)!r}, 'a').write('{module} ')\n")
    words = ["solve", "--file", str(file), "--jobs", "2", "--nodes", "1", "-q"]
    result = subprocess.run([sys.executable, *start, *words], cwd=here, capture_output=True, text=True)
    assert (result.stderr, result.returncode) == ("", 3)
    assert not mark.exists()


def test_workers_have_what_pythonpath_names(file: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"open({str(tmp_path / 'started')!r}, 'a').write('x')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = ["-m", "ringfen", "solve", "--file", str(file), "--jobs", "2", "--nodes", "1", "-q"]
    subprocess.run([sys.executable, *words], env=environment, capture_output=True)
    assert (tmp_path / "started").read_text() == "xxx"


MIXED = f"""
{SOUTH_WINS}
# a comment
nonsense
{OVER}   # over
{SOUTH_WINS.replace(" ", "  ")}
{OPEN}
gyges ....../1...../3.23../3.211./2.132./...... x - 1+1
{NORTH_LOSES}
"""


@jobs
def test_answers_bounds_and_malformed_lines(jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = ringfen("solve", "-", "--depth", "4", "--jobs", jobs, "--out", str(out), stdin=MIXED)
    assert result.exit_code == 2
    answers = by_line(out)
    assert {line: (a["status"], a["value"], a["distance"]) for line, a in answers.items()} == {
        2: ("exact", "win", 1),
        5: ("exact", "loss", 0),
        6: ("exact", "win", 1),
        7: ("unknown", None, None),
        9: ("exact", "loss", 4),
    }
    assert answers[7]["decided"] == 4
    assert "<stdin>:4:1: unknown-game: " in result.stderr
    assert "<stdin>:8:" in result.stderr
    words = [line.split() for line in result.stdout.splitlines()]
    assert words[:8] == [
        ["positions", "5"],
        ["different", "4"],
        ["solved", "4"],
        ["win", "2"],
        ["loss", "2"],
        ["bounds", "0"],
        ["unknown", "1"],
        ["malformed", "2"],
    ]
    assert words[8][:2] == ["slowest", "line"]
    assert len(words) == 11


def test_the_slowest_positions_are_different_ones(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{OPEN}\n" * 3 + "siaius\n")
    (summary,) = json_lines(ringfen("solve", "-f", str(file), "--nodes", "500", "-o", str(tmp_path / "out"), "--json"))
    assert sorted(slow["line"] for slow in summary["slowest"]) == [1, 4]


def test_the_summary_as_json(tmp_path: Path) -> None:
    (summary,) = json_lines(ringfen("solve", "-", "--depth", "4", "-o", str(tmp_path / "out"), "--json", stdin=MIXED))
    assert summary.pop("slowest")[0].keys() == {"line", "seconds"}
    assert summary == {
        "positions": 5,
        "different": 4,
        "solved": 4,
        "win": 2,
        "loss": 2,
        "bounds": 0,
        "unknown": 1,
        "malformed": 2,
    }


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_several_jobs_print_what_one_prints(options: tuple[str, ...]) -> None:
    def printed(*more: str) -> list[str]:
        result = ringfen("solve", "-", "--depth", "4", *options, *more, stdin=MIXED)
        assert result.exit_code == 2
        lines = [line for line in result.stdout.splitlines() if not line.startswith("effort")]
        return [line.partition('"seconds"')[0] for line in lines]

    assert printed("--jobs", "2") == printed()


@jobs
def test_positions_as_arguments(jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert ringfen("solve", SOUTH_WINS, NORTH_LOSES, "--jobs", jobs, "-o", str(out)).exit_code == 0
    assert {line: answer["value"] for line, answer in by_line(out).items()} == {1: "win", 2: "loss"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", SOUTH_WINS, "--resume"), "--resume requires --out"),
        (("solve", SOUTH_WINS, "-", "--jobs", "2"), "A batch reads its positions"),
        (("solve", SOUTH_WINS, "--out", "/nowhere/out"), "/nowhere"),
        (("solve", SOUTH_WINS, "--out", "."), "directory"),
    ],
)
def test_usage_errors(words: tuple[str, ...], message: str) -> None:
    result = ringfen(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_rejected_files_are_named_and_stay_unchanged(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert ringfen("solve", SOUTH_WINS, "-o", str(out)).exit_code == 0
    before = out.read_bytes()
    for words, message in [
        ((SOUTH_WINS,), "exists: continue it with --resume"),
        ((NORTH_LOSES, "--resume"), "belongs to another input"),
        ((SOUTH_WINS, "--resume", "--nodes", "5"), "started with other options (no limits; now nodes 5)"),
    ]:
        result = ringfen("solve", *words, "-o", str(out))
        assert result.exit_code == 2
        assert f"error: {out}" in result.stderr
        assert message in result.stderr
    assert out.read_bytes() == before
    assert ringfen("solve", SOUTH_WINS, "--resume", "--hash", "1", "-o", str(out)).exit_code == 0
    assert out.read_bytes() == before


@jobs
def test_failures_are_reported_and_solved_by_resume(jobs: str, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with run("solve", "-f", file, "-j", jobs, "-o", out, stub="exhausting") as batch:
        status, summary, errors = batch.finish()
    assert status == 2
    kinds = [batch_stub.number_of(position) % 3 for position in some_positions(40)]
    assert set(by_line(out)) == {line for line, kind in enumerate(kinds, 1) if kind == 2}
    for line, kind in enumerate(kinds, 1):
        reason = (OUT_OF_MEMORY, "there is no player 6", "")[kind]
        assert (f"line {line}: no answer: {reason}\n" in errors) == (kind < 2)
    assert f"failed     {sum(kind < 2 for kind in kinds)}\n" in summary
    with run("solve", "-f", file, "-j", jobs, "-o", out, "--resume", stub="answer") as batch:
        assert batch.finish()[0] == 0
    assert len(by_line(out)) == 40


def test_dead_workers_are_reported(tmp_path: Path) -> None:
    positions = some_positions(15)
    file, out = write_positions(tmp_path / "positions", positions), tmp_path / "out"
    with run("solve", "-f", file, "-j", "2", "-o", out, stub="deadly") as batch:
        status, _, errors = batch.finish()
    deadly = {line for line, p in enumerate(positions, 1) if batch_stub.number_of(p) % 5 == 0}
    assert status == 3
    assert deadly
    assert set(by_line(out)) == set(range(1, 16)) - deadly
    for line in deadly:
        assert f"line {line}: no answer: the worker process died 2 times, the last time of SIGKILL" in errors


# ---- interrupted ----


@jobs
@pytest.mark.parametrize("whom", ["group", "program"])
def test_interrupted(jobs: str, whom: str, file: Path, begun: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with run("solve", "-f", file, "-j", jobs, "-o", out, stub="endless") as batch:
        wait_until(lambda: len(list(begun.iterdir())) == int(jobs))
        workers = batch.workers()
        assert len(workers) == (0 if jobs == "1" else int(jobs))
        for _ in range(3):
            os.kill(-batch.process.pid if whom == "group" else batch.process.pid, signal.SIGINT)
        status, _, errors = batch.finish()
        assert status == 130
        assert_gone(workers)
    assert "Traceback" not in errors
    assert "--resume" not in errors
    assert errors.endswith("interrupted\n")
    assert not out.exists()


@jobs
def test_interrupted_at_any_moment(jobs: str, file: Path, tmp_path: Path) -> None:
    choose = random.Random(2)
    for number in range(6):
        with run("solve", "-f", file, "-j", jobs, "-o", tmp_path / str(number), stub="mixed") as batch:
            wait_until((tmp_path / str(number)).exists)
            time.sleep(choose.random() * 0.4)
            workers = batch.workers()
            batch.interrupt()
            status, _, errors = batch.finish()
            assert_gone(workers)
        assert "Traceback" not in errors
        assert status in (0, 130)
        if (tmp_path / str(number)).exists():  # it had an answer
            by_line(tmp_path / str(number))


def test_interrupted_without_a_file(file: Path, begun: Path) -> None:
    with run("solve", "-f", file, "-j", "2", stub="endless") as batch:
        wait_until(lambda: len(list(begun.iterdir())) == 2)
        batch.interrupt()
        status, _, errors = batch.finish()
    assert status == 130
    assert errors.endswith("interrupted\n")
    assert "Traceback" not in errors


@jobs
def test_an_interrupted_search_ends_too(jobs: str, begun: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with run("solve", OPEN, NORTH_LOSES, "-j", jobs, "-o", out, stub="real") as batch:
        wait_until((begun / str(batch_stub.number_of(Position(OPEN)))).exists)
        workers = batch.workers()
        batch.interrupt()
        status, _, errors = batch.finish()
        assert_gone(workers)
    assert (status, "Traceback" in errors) == (130, False)


# ---- killed ----


def test_killed_twelve_times(tmp_path: Path) -> None:
    """The answers are those of an undisturbed run, and no worker outlives the program. Every third run has workers."""
    positions = some_positions(300, seed=3)
    lines = positions + random.Random(4).choices(positions, k=100)
    file = write_positions(tmp_path / "positions.txt", lines)
    undisturbed, out = tmp_path / "undisturbed", tmp_path / "out"
    words = ("solve", "-f", file, "--nodes", "1000", "--depth", "4", "--hash", "4", "-o")
    with run(*words, undisturbed) as batch:
        assert batch.finish()[0] == 3
    out.touch()
    choose = random.Random(5)
    for kill in range(1, 13):
        with run(*words, out, "-j", "1" if kill % 3 else "2", "--resume") as batch:
            if kill % 4:
                wait_until(partial(_has_grown, batch, out, out.stat().st_size + choose.randrange(3000)))
                time.sleep(choose.random() * 0.02)
            else:
                time.sleep(choose.random() * 0.5)
            batch.kill()
        if kill % 5 == 0 or out.stat().st_size > undisturbed.stat().st_size / 2:
            _lose_power(out, choose)
    # On a fast machine all may be answered by now: something must be left to resume.
    os.truncate(out, min(out.stat().st_size, undisturbed.stat().st_size * 3 // 4))
    with run(*words, out, "-j", "2", "--resume") as batch:
        assert batch.finish()[0] == 3
    assert by_line(out) == by_line(undisturbed)
    assert set(by_line(out)) == set(range(1, 401))


def _has_grown(batch: Run, out: Path, size: int) -> bool:
    return out.stat().st_size > size or batch.process.poll() is not None


def _lose_power(path: Path, choose: random.Random) -> None:
    """The last bytes of the file are lost, torn or zeros."""
    raw = path.read_bytes()
    kept = raw[: choose.randrange(len(raw) // 2, len(raw) + 1)]
    path.write_bytes(kept + b"\0" * choose.choice([0, len(raw) - len(kept)]))


@jobs
def test_a_full_disk(jobs: str, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))

    with run("solve", "-f", file, "-j", jobs, "-o", out, stub="answer", preexec_fn=small_disk) as batch:
        status, _, errors = batch.finish()
    held = len(by_line(out))
    assert 0 < held < 40
    assert status == 2
    assert f"{held} of 40 answers are in {out}; the same command with --resume continues from there" in errors
    assert "error: " in errors
    assert "Traceback" not in errors
    with run("solve", "-f", file, "-j", jobs, "-o", out, "--resume", stub="answer") as batch:
        assert batch.finish()[0] == 0
    assert len(by_line(out)) == 40


# ---- progress ----


@jobs
def test_a_bar_on_a_terminal(jobs: str, file: Path, tmp_path: Path) -> None:
    shown = _on_a_terminal("solve", "-f", file, "-j", jobs, "-o", tmp_path / "out", until=b" s)")
    assert "\r\x1b[K" in shown
    bars = [line for line in shown.replace("\r\x1b[K", "\n").splitlines() if "[" in line]
    assert all(line.startswith("solving: [") for line in bars)
    assert "of 40, " in bars[-1]
    assert "/s, line " in bars[-1]


def test_a_quiet_terminal_stays_empty(file: Path, tmp_path: Path) -> None:
    assert _on_a_terminal("solve", "-f", file, "-q", "-o", tmp_path / "out", stub="answer") == ""


def _on_a_terminal(*args: str | Path, stub: str = "endless", until: bytes = b"") -> str:
    """What is shown on standard error if that is a terminal, until something is shown there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with run(*args, stub=stub, stderr=theirs, env=environment) as batch:
        os.close(theirs)
        shown = read_terminal(ours, until or None)
        if until:
            batch.interrupt()
        batch.process.wait(timeout=PATIENCE)
    os.close(ours)
    return shown.decode()


def test_a_short_run_prints_no_progress_to_a_file(file: Path, tmp_path: Path) -> None:
    with run("solve", "-f", file, "-o", tmp_path / "out", stub="answer") as batch:
        assert batch.finish()[2] == ""
