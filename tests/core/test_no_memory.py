"""Every allocation of the core fails once, under sanitizers, in a separate program."""

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
FLAGS = "-std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -w -fsanitize=address,undefined -fno-sanitize-recover=undefined"
WRAPPED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"


@pytest.mark.long
def test_every_allocation_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    board, program = tmp_path / "board", tmp_path / "no-memory"
    board.write_bytes(bytes(ffi.buffer(ffi.cast("rf_gran_board *", Position("gran").context.cdata))))
    units = [str(path) for path in runpy.run_path("core_c/src/build_ffi.py")["units"]()]
    sources = ["-Icore_c/src", "tests/tools/no_memory.c", *units]
    subprocess.run([compiler, *FLAGS.split(), *sources, WRAPPED, "-o", str(program), "-lm"], check=True)
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}
    done = subprocess.run([str(program), str(board)], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 15
