"""The shell blocks of the guides work, as far as the programs they use are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from batch_tools import PATIENCE
from cli_runner import ringfen

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
PAGE = "\n".join(path.read_text(encoding="utf-8") for path in GUIDES)
NEEDED = ("jq", "sqlite-utils")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipes")
    games = ringfen("random", "rings", "--games", "100", "--seed", "1").stdout
    (path / "games.rgn").write_text(games, encoding="utf-8")
    (path / "ringfen").write_text(f'#!/bin/sh\nexec {sys.executable} -m ringfen "$@"\n', encoding="utf-8")
    (path / "ringfen").chmod(0o755)
    return path


LINES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if not line.startswith("ringfen random rings")
]


@pytest.mark.parametrize("line", LINES)
def test_lines_for_the_shell(folder: Path, line: str) -> None:
    for program in NEEDED:
        if program in line and shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    path = f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["sh", "-ec", line],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    silent = ("--write", "--diff", ">", "--out", "insert", "select(")
    assert done.stdout or any(part in line for part in silent)


def test_the_hooks_are_yaml() -> None:
    for line in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").splitlines():
        value = line.split(": ", 1)[1]
        assert value[0] + value[-1] == '""' or ": " not in value, "a plain word of YAML holds no colon and space"


def test_hooks_run_commands_that_exist(tmp_path: Path) -> None:
    entries = re.findall(
        r"^  entry: ringfen (.*)$", (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"), re.M
    )
    assert len(entries) == 3
    for number, entry in enumerate(entries):
        file = tmp_path / f"{number}.rgn"
        file.write_text(ringfen("random", "rings").stdout, encoding="utf-8")
        assert ringfen(*entry.split(), str(file)).exit_code == 0
        file.write_text('[Game "rings"]\n\n1. zz *\n', encoding="utf-8")
        assert ringfen(*entry.split(), str(file)).exit_code == 1
