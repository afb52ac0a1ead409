"""Builds the C core again and again, fast: only what a change concerns is compiled, and without much optimisation.

Everything is copied at the start. Who edits the project during a run does not disturb it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("core_c/src")
COMPILER = shlex.split(os.environ.get("CC", "gcc"))
FLAGS = ["-O1", "-w", "-std=c11", "-fPIC", "-DPy_LIMITED_API=0x030a0000", "-DNDEBUG"]

_DESCRIBE = """
import json, runpy
builder = runpy.run_path("core_c/src/build_ffi.py")["ffibuilder"]
builder.emit_c_code("core.c")
print(json.dumps(builder._assigned_source[3]["sources"]))
"""


class CompileError(Exception):
    """The compiler or the linker refused."""


class Core:
    """A copy of the sources in `work/tree`, which mutants change, and a package made of it in `work/site`."""

    def __init__(self, work: Path, project: Path) -> None:
        """Opens a folder that `build` or `copy` has filled."""
        #: The project as it was at the start, with the tests to run.
        self.project = project
        self.tree = work / "tree"
        self.site = work / "site"
        #: Seconds by test (mutants/order.py).
        self.times = work / "times.json"
        #: The tests that the current mutant has passed, one per line.
        self.passed = work / "passed.txt"
        self.units: list[str] = json.loads((work / "units.json").read_text(encoding="utf-8"))
        self.depends = {unit: self._depends(unit) for unit in self.units}

    @classmethod
    def build(cls, work: Path, jobs: int) -> Core:
        """Copies the project and compiles all of its sources."""
        project = work.parent / "project"
        shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".*", "*.so", "*.egg-info", "__pycache__"))
        shutil.copytree(project / SOURCES, work / "tree" / SOURCES)
        package = work / "site" / "ringfen"
        shutil.copytree(project / "core_c", package, ignore=shutil.ignore_patterns("src"))
        for name in ("notation", "cli"):
            shutil.copytree(project / name, package / name)
        described = subprocess.run(
            [sys.executable, "-c", _DESCRIBE], cwd=work / "tree", check=True, capture_output=True, text=True
        )
        units = ["core.c", *json.loads(described.stdout.splitlines()[-1])]
        (work / "units.json").write_text(json.dumps(units), encoding="utf-8")
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda unit: _compile(work / "tree", unit), units))
        core = cls(work, project)
        core.link()
        return core

    def copy(self, work: Path) -> Core:
        """Return a copy of this core for another worker."""
        shutil.copytree(self.tree.parent, work)
        core = Core(work, self.project)
        core.times = self.times
        return core

    def _depends(self, unit: str) -> set[str]:
        words = (self.tree / unit).with_suffix(".d").read_text(encoding="utf-8").replace("\\\n", " ").split()
        return {os.path.normpath(word) for word in words[1:] if not word.startswith("/")}

    def units_of(self, name: str) -> list[str]:
        """The units to compile again after a change of a file below the source folder. The files that are compiled
        again for faster processors do not change: the tests of a mutant run without them."""
        path = str(SOURCES / name)
        return [unit for unit in self.units if path in self.depends[unit] and not unit.endswith("x86_64_v3.c")]

    def source(self, name: str) -> Path:
        """The copy of a file of the source folder."""
        return self.tree / SOURCES / name

    def objects(self, name: str) -> dict[str, bytes]:
        """Return the objects of the units that depend on a file. Sources with equal objects are the same program."""
        return {unit: (self.tree / unit).with_suffix(".o").read_bytes() for unit in self.units_of(name)}

    def restore(self, objects: dict[str, bytes]) -> None:
        """Puts objects back, which is quicker than to compile them again."""
        for unit, content in objects.items():
            (self.tree / unit).with_suffix(".o").write_bytes(content)

    def compile(self, name: str) -> dict[str, bytes]:
        """Compiles what depends on a file and gives its objects."""
        for unit in self.units_of(name):
            _compile(self.tree, unit)
        return self.objects(name)

    def link(self) -> None:
        """Makes the extension module of the objects."""
        objects = [str(Path(unit).with_suffix(".o")) for unit in self.units]
        target = self.site / "ringfen" / "_core.abi3.so"
        _run([*COMPILER, "-shared", *objects, "-o", str(target.resolve()), "-lm", "-lpthread"], self.tree)


def _compile(tree: Path, unit: str) -> None:
    include = sysconfig.get_paths()["include"]
    target = str(Path(unit).with_suffix(".o"))
    _run([*COMPILER, *FLAGS, f"-I{SOURCES}", f"-I{include}", "-MMD", "-c", unit, "-o", target], tree)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise CompileError(done.stderr)
