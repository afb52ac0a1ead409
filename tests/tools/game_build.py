"""A copy of Ringfen with one more game, and single games built on their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SOURCES = ROOT / "core_c" / "src"
FIFTH_GAME = TESTS / "fifth_game"
COMPILER = next((name for name in ("gcc", "clang", "cc") if shutil.which(name)), None)
HAS_HEADERS = (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file()

#: What the description of the extension module provides for a build without setuptools.
_DESCRIBE = """
import json, sys
sys.path.insert(0, "core_c/src")
import build_ffi
build_ffi.make().emit_c_code("_core.c")
print(json.dumps([path.as_posix() for path in build_ffi.units()]))
"""
#: Nothing of the process that runs the tests: no path of its packages, no library loaded first.
_CLEAN = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PYTHONPATH")}


def _run(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=_CLEAN, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def add_to_list(sources: Path, game_id: str) -> None:
    """The one line that a new game changes in existing files."""
    path = sources / "games.h"
    text = path.read_text(encoding="utf-8")
    line = re.search(r"^#define RF_GAMES\(X\).*$", text, re.MULTILINE)
    assert line
    path.write_text(text.replace(line[0], f"{line[0]} X({game_id})"), encoding="utf-8")


def _compile_flags() -> list[str]:
    flags = [str(COMPILER), "-std=c11", "-O0", "-fPIC", "-DPy_LIMITED_API=0x030a0000", "-Icore_c/src"]
    return flags + [f"-I{sysconfig.get_paths()[name]}" for name in ("include", "platinclude")]


def _link(objects: Path, packages: Path) -> None:
    link = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    made = [str(path) for path in sorted(objects.iterdir())]
    _run([str(COMPILER), *link, *made, "-o", str(packages / "ringfen" / "_core.abi3.so")])


def _compile(target: Path, file: str) -> None:
    """One file of the copy below ``target`` to an object."""
    out = target / "objects" / f"{file.replace('/', '-')}.o"
    _run([*_compile_flags(), "-c", file, "-o", str(out)], target / "source")


def build_with_fifth_game(target: Path) -> Path:
    """A directory to import a Ringfen with five games from; built below ``target``, without optimisation."""
    copy, packages = target / "source", target / "packages"
    no_build = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    for name in ("core_c", "notation", "cli"):
        shutil.copytree(ROOT / name, copy / name, ignore=no_build)
    rules = copy / "core_c" / "rules"
    shutil.copytree(FIFTH_GAME / "tictactoe", copy / "core_c" / "src" / "tictactoe")
    shutil.copy(FIFTH_GAME / "tictactoe.py", rules)
    shutil.copy(FIFTH_GAME / "tictactoe.md", rules)
    add_to_list(copy / "core_c" / "src", "tictactoe")

    units = json.loads(_run([sys.executable, "-c", _DESCRIBE], copy).splitlines()[-1])
    (target / "objects").mkdir()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(partial(_compile, target), [*units, "_core.c"]))
    shutil.copytree(copy / "core_c", packages / "ringfen", ignore=shutil.ignore_patterns("src"))
    shutil.copytree(copy / "notation", packages / "ringfen" / "notation")
    shutil.copytree(copy / "cli", packages / "ringfen" / "cli")
    _link(target / "objects", packages)
    return packages


def build_variant(packages: Path, target: Path, text: str) -> Path:
    """The same with another C text of the fifth game; compiles only that text again."""
    shutil.copytree(packages.parent / "source", target / "source")
    shutil.copytree(packages.parent / "objects", target / "objects")
    shutil.copytree(packages, target / "packages", ignore=shutil.ignore_patterns("*.so"))
    (target / "source" / "core_c" / "src" / "tictactoe" / "tictactoe.c").write_text(text, encoding="utf-8")
    for name in ("tictactoe.c", "x86_64_v3.c"):
        _compile(target, f"core_c/src/tictactoe/{name}")
    _link(target / "objects", target / "packages")
    return target / "packages"


class GameBuilder:
    """Builds the fifth game, or a changed one, as a separate library: its one file and the code that it calls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._common: list[str] = []
        for name in ("control.c", "common/text.c", "common/table.c"):
            out = str(folder / f"{Path(name).stem}.o")
            _run([*self._compile(), "-c", str(SOURCES / name), "-o", out])
            self._common.append(out)

    def _compile(self) -> list[str]:
        return [str(COMPILER), "-std=c11", "-O0", "-fPIC", f"-I{SOURCES}", f"-I{FIFTH_GAME}"]

    def build(self, text: str) -> Path:
        """The library of a game with this C text."""
        self._made += 1
        source, out = self._folder / f"game{self._made}.c", self._folder / f"game{self._made}.so"
        source.write_text(text, encoding="utf-8")
        _run([*self._compile(), "-shared", str(source), *self._common, "-o", str(out)])
        return out


def game_text() -> str:
    """The C file of the fifth game."""
    return (FIFTH_GAME / "tictactoe" / "tictactoe.c").read_text(encoding="utf-8")


def run_ringfen(packages: Path, *args: str, **env: str) -> Any:
    """Run ``ringfen ARGS`` of another build in a separate process and return the result."""
    return subprocess.run(
        [sys.executable, "-m", "ringfen", *args],
        cwd=packages,
        env={**_CLEAN, "PYTHONPATH": str(packages), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
