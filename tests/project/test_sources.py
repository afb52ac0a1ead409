"""Every C file compiles by itself, with only the source folder as include path."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
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
def test_every_file_compiles_by_itself(compiler: str) -> None:
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


@pytest.mark.unsanitized
@pytest.mark.skipif(not COMPILERS, reason="no gcc or clang here")
def test_a_c_program_lists_plies_counts_and_solves(tmp_path: Path) -> None:
    """The commands of docs/embedding.md, without optimization."""
    page = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    build, archive, link = (line for line in page.splitlines() if line.startswith(("cc ", "ar ")))
    command = f"{build.replace('-O3', '-O0')} && {archive} && {link}"
    for name in ("ringfen.o", "libringfen.a", "embed "):
        command = command.replace(f" {name}", f" {tmp_path}/{name}")
    command = command.replace("cc ", f"{COMPILERS[0]} ").replace("python3", sys.executable)
    subprocess.run(["sh", "-ec", command], cwd=ROOT, check=True)
    # The program needs only the public headers.
    for name in ("ringfen.h", "solving/solving.h", "solving/pool.h"):
        (tmp_path / "include" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "core_c" / "src" / name, tmp_path / "include" / name)
    check = [COMPILERS[0], "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}/include", "-fsyntax-only"]
    subprocess.run([*check, "examples/embed.c"], cwd=ROOT, check=True)
    position = "rings .k.../...../k.K../...../..1../...../..... s 0+0 0"
    done = subprocess.run([str(tmp_path / "embed"), position], capture_output=True, text=True, check=True)
    assert f"$ ./embed '{position}'\n{done.stdout}```" in page
    done = subprocess.run([str(tmp_path / "embed"), "rings x"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "bad-ranks at byte 6\n")
    done = subprocess.run([str(tmp_path / "embed")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "usage: embed POSITION\n")
