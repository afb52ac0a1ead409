"""Threads under ThreadSanitizer, in a program of its own: perft, forced wins and the building of tables."""

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


@pytest.mark.long
def test_three_threads_race_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    compiler = shutil.which("clang") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler")
    board, program = tmp_path / "board", tmp_path / "races"
    board.write_bytes(bytes(ffi.buffer(ffi.cast("rf_gran_board *", Position("gran").context.cdata))))
    units = [str(path) for path in runpy.run_path("core_c/src/build_ffi.py")["units"]()]
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-g", "-w", "-fsanitize=thread", "-Icore_c/src"]
    subprocess.run(
        [compiler, *flags, "tests/tools/races.c", *units, "-o", str(program), "-lm", "-lpthread"], check=True
    )
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run([str(program), str(board)], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 9
