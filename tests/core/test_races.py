"""Threads under ThreadSanitizer, in a separate program: perft, the solvers and building tables."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from ringfen import Position
from ringfen._core import ffi

ROOT = Path(__file__).parents[2]


#: With plain stores in the shared table in place of atomic ones.
PLANTED_RACE = "-D__atomic_store_n(to,value,order)=(*(to)=(value))"


def run_threads(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Compiles and runs the program."""
    compiler = shutil.which("clang") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler")
    board, program = folder / "board", folder / "races"
    board.write_bytes(bytes(ffi.buffer(ffi.cast("rf_gran_board *", Position("gran").context.cdata))))
    units = [str(path) for path in runpy.run_path("core_c/src/build_ffi.py")["units"]()]
    usual = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-g", "-w", "-fsanitize=thread", "-Icore_c/src"]
    command = [compiler, *usual, *flags, "tests/tools/races.c", *units, "-o", str(program), "-lm", "-lpthread"]
    subprocess.run(command, check=True)
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}
    return subprocess.run([str(program), str(board)], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_three_threads_race_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = run_threads(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 18
    assert done.stdout.count("helpers helped") == 3


@pytest.mark.long
def test_a_planted_race_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = run_threads(tmp_path, PLANTED_RACE)
    assert done.returncode != 0
    assert "data race" in done.stderr
