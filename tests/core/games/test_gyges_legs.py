"""Gygès: the arrays for legs are long enough for the legs of every board; a separate program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from game_build import COMPILER

ROOT = Path(__file__).parents[3]


@pytest.mark.unsanitized
def test_arrays_hold_all_legs(tmp_path: Path) -> None:
    if COMPILER is None:
        pytest.skip("no C compiler")
    program = tmp_path / "legs"
    sources = ["tests/tools/legs.c", "core_c/src/gyges/tables.c"]
    command = [COMPILER, "-std=c11", "-w", "-Icore_c/src", *sources, "-o", str(program)]
    subprocess.run(command, check=True, cwd=ROOT)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    most, room, listed, listed_room = map(int, done.stdout.split())
    assert most <= room
    assert listed == listed_room
