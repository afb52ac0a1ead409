"""Long random play with random options against the plain references, on both instruction sets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
SCRIPT = TESTS / "tools" / "random_against_reference.py"
#: Positions per game and instruction set; the environment may ask for fewer.
POSITIONS = int(os.environ.get("RINGFEN_RANDOM_POSITIONS", "100000"))


def play(game: str, plain: str, positions: int) -> str:
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "RINGFEN_PLAIN": plain, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, str(SCRIPT), game, str(positions), plain]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("game", ["gyges", "rings", "gran", "siaius"])
def test_some_random_play(game: str) -> None:
    assert play(game, "", 300).startswith(f"{game}: 300 positions")


@pytest.mark.long
@pytest.mark.parametrize("plain", ["1", ""])
@pytest.mark.parametrize("game", ["gyges", "rings", "gran", "siaius"])
def test_random_play_with_random_options(game: str, plain: str) -> None:
    assert play(game, plain, POSITIONS).startswith(f"{game}: {POSITIONS} positions")
