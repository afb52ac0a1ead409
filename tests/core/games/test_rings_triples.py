"""The King of Rings: the sets of three bare knights without a ply, and steps of sets, in a program of its own."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest
from game_build import COMPILER

ROOT = Path(__file__).parents[3]


@pytest.mark.unsanitized
def test_sets_of_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if COMPILER is None:
        pytest.skip("no C compiler")
    monkeypatch.chdir(ROOT)
    units = [str(path) for path in runpy.run_path("core_c/src/build_ffi.py")["units"]()]
    others = [path for path in units if not path.endswith("rings/hot.c")]
    assert len(others) == len(units) - 1
    program = tmp_path / "triples"
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-w", "-Icore_c/src"]
    libraries = ["-lm", "-lpthread"]
    subprocess.run([COMPILER, *flags, "tests/tools/triples.c", *others, *libraries, "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    without, captures, boards, stepping = map(int, re.findall(r"\d+", done.stdout))
    assert min(without, captures) > 1000, done.stdout
    assert stepping > 100_000, done.stdout
    assert boards > 100, done.stdout
