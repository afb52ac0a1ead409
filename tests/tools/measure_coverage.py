"""Lines and branches of the C core and of the Python code that the default tests reach.

    python tests/tools/measure_coverage.py FOLDER [ARGUMENT OF PYTEST ...]

builds the core with Clang's counters in a copy of the project below FOLDER, runs the tests there, and prints tables by
folder of the sources. FOLDER/unreached.txt lists the lines of the core that were not reached. Needs clang, llvm-cov,
llvm-profdata and the package coverage. Python that runs in processes which tests start is not counted; code that is
compiled for two instruction sets has its branches counted twice.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tabulate import tabulate

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "*.so", "*.egg-info", "__pycache__", "build")
COUNTERS = "-fprofile-instr-generate"


def run(command: Iterable[str | Path], **environment: str) -> None:
    """Runs a command, and stops if it fails."""
    subprocess.run([str(word) for word in command], check=True, env={**os.environ, **environment})


def measure(folder: Path, arguments: Iterable[str]) -> tuple[Path, Path]:
    """Runs the tests in a copy; the core's profile and the report of coverage.py."""
    copy, site, profile, python = (folder / name for name in ("project", "site", "core.prof", "python.json"))
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    os.chdir(copy)
    flags = {"CFLAGS": f"{COUNTERS} -fcoverage-mapping -O1", "LDSHARED": f"clang -shared {COUNTERS}", "CC": "clang"}
    run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, "."], **flags)
    data = f"--data-file={folder / 'python.data'}"
    tests = ["run", "--branch", "--source=ringfen", data, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # Eight files, which processes add their counts to.
    path = os.pathsep.join((str(site), os.environ.get("PYTHONPATH", "")))
    counts = str(folder / "counts-%8m.profraw")
    run([sys.executable, "-m", "coverage", *tests], PYTHONPATH=path, LLVM_PROFILE_FILE=counts)
    run(["llvm-profdata", "merge", "-o", profile, *folder.glob("*.profraw")])
    run([sys.executable, "-m", "coverage", "json", "-q", data, "-o", python])
    return profile, python


def of_core(folder: Path, profile: Path) -> Iterator[tuple[str, int, int, int, int]]:
    """Name, lines, lines reached, branches and branches reached of each source file; one compiled twice is one file."""
    core = next(folder.glob("site/ringfen/_core*.so"))
    command = ["llvm-cov", "export", str(core), f"-instr-profile={profile}", "-format=lcov"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for record in text.split("end_of_record"):
        name = record.partition("SF:")[2].partition("\n")[0].partition("core_c/src/")[2]
        lines = [line.rpartition(",") for line in record.splitlines() if line.startswith("DA:")]
        branches = [line.rpartition(",")[2] for line in record.splitlines() if line.startswith("BRDA:")]
        if name:
            reached = sum(int(count) > 0 for _, _, count in lines)
            taken = sum(count not in ("-", "0") for count in branches)
            yield f"core_c/src/{name}", len(lines), reached, len(branches), taken
            with open(profile.with_name("unreached.txt"), "a", encoding="utf-8") as out:
                source = (ROOT / "core_c/src" / name).read_text(encoding="utf-8").splitlines()
                for number in (int(before[3:]) for before, _, count in lines if int(count) == 0):
                    out.write(f"{name}:{number}: {source[number - 1].strip()}\n")


def of_python(report: Path) -> Iterator[tuple[str, int, int, int, int]]:
    """The same of each module."""
    files: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["files"]
    for name, found in files.items():
        sums = found["summary"]
        yield (
            name.partition("site/")[2],
            sums["num_statements"],
            sums["covered_lines"],
            sums["num_branches"],
            sums["covered_branches"],
        )


def table(files: Iterable[tuple[str, int, int, int, int]]) -> str:
    """Sums by folder, and over all."""
    sums: dict[str, Counter[int]] = {}
    for name, *numbers in files:
        for folder in (str(Path(name).parent), "all"):
            sums.setdefault(folder, Counter()).update(dict(enumerate(numbers)))
    rows = [
        (name, found[0], f"{100 * found[1] / max(1, found[0]):.1f} %", f"{100 * found[3] / max(1, found[2]):.1f} %")
        for name, found in sorted(sums.items(), key=lambda row: (row[0] == "all", row[0]))
    ]
    return tabulate(rows, ("folder", "lines", "reached", "branches reached"))


def main() -> int:
    """The command line."""
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True)
    profile, python = measure(folder, sys.argv[2:])
    print(table(of_core(folder, profile)), "", table(of_python(python)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
