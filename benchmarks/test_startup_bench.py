"""How long ``ringfen --version`` and a first answer take, beside Python's own start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

SCRIPT = str(Path(sys.executable).parent / "ringfen")
COMMANDS = {
    "only python": [sys.executable, "-c", "pass"],
    "python importing click": [sys.executable, "-c", "import click"],
    "version": [SCRIPT, "--version"],
    "help": [SCRIPT, "--help"],
    "perft 1": [SCRIPT, "perft", "gyges", "--depth", "1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_start(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark.group = "start-up"
    benchmark(subprocess.run, COMMANDS[name], check=True, stdout=subprocess.DEVNULL)
