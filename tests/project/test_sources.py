"""Every C file compiles by itself, with only the source folder as include path."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "core_c" / "src"
FLAGS = (SOURCES / "compile_flags.txt").read_text(encoding="utf-8").split()
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def test_the_flags_for_editors_are_those_of_the_build() -> None:
    pytest.importorskip("cffi")
    text = (SOURCES / "build_ffi.py").read_text(encoding="utf-8")
    warnings = re.search(r"^WARNINGS = \[(.*)\]$", text, re.MULTILINE)
    assert warnings
    assert [*re.findall(r'"([^"]+)"', warnings[1]), "-I."] == FLAGS


@pytest.mark.unsanitized
@pytest.mark.skipif(not COMPILERS, reason="no gcc or clang here")
@pytest.mark.parametrize(
    "compiler", [*COMPILERS[:1], *(pytest.param(one, marks=pytest.mark.long) for one in COMPILERS[1:])]
)
def test_every_file_compiles_alone(compiler: str) -> None:
    files = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.[ch]"))
    assert files
    for file in files:
        done = subprocess.run(
            [compiler, *FLAGS, "-Werror", "-fsyntax-only", "-x", "c", "-"],
            cwd=SOURCES,
            input=f'#include "{file}"\n',
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{file}:\n{done.stderr}"


def test_few_files_lie_outside_the_folders() -> None:
    assert len([path for path in SOURCES.iterdir() if path.is_file()]) <= 12
    assert len(list(SOURCES.rglob("*.inc"))) <= 4
