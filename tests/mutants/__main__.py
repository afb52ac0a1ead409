"""Mutation testing of the C core: which changes of it would the tests not notice?

From the folder `tests`: ``python -m mutants --count 300 --seed 1 --jobs 2 --out results.jsonl``. A result is a JSON
line; the run goes on where a file of results ends. tests/mutants/README.md tells how to read and mend what survives.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from mutants.concerned import tests_of
from mutants.core import ROOT, SOURCES, CompileError, Core
from mutants.sites import Mutant, mutants_of

#: Seconds for all tests of one mutant (mutants/order.py limits each test), and bytes of address space: a mutant that
#: needs more is caught.
TIME_LIMIT = 1800
MEMORY_LIMIT = 6 << 30
#: Tests that caught mutants of the same file are tried first, so many of them.
KILLERS = 12
REASONS = Path(__file__).with_name("equivalent.jsonl")


def all_mutants(only: list[str]) -> list[Mutant]:
    """The mutants of all source files whose name begins with one of `only` (all, if it is empty)."""
    found = []
    for path in sorted((ROOT / SOURCES).rglob("*")):
        name = path.relative_to(ROOT / SOURCES).as_posix()
        if path.suffix in (".c", ".h", ".inc") and (not only or name.startswith(tuple(only))):
            found += mutants_of(path, name)
    return found


def known_reasons() -> dict[tuple[str, ...], str]:
    """Why mutants that survive change nothing that a test could see."""
    rows = [json.loads(line) for line in REASONS.read_text(encoding="utf-8").splitlines()]
    return {(row["path"], row["source"], row["before"], row["after"]): row["reason"] for row in rows}


def judge(core: Core, mutant: Mutant, killers: list[str]) -> tuple[str, str]:
    """One of ``refused`` (does not compile), ``same`` (compiles to the same code), ``killed``, ``survived``; and the
    first test that noticed."""
    source = core.source(mutant.path)
    text = source.read_text(encoding="utf-8")
    before = core.objects(mutant.path)
    try:
        source.write_text(mutant.apply(text), encoding="utf-8")
        try:
            if core.compile(mutant.path) == before:
                return "same", ""
            core.link()
        except CompileError:
            return "refused", ""
        return run_tests(core, tests_of(mutant.path), {"MUTANTS_FIRST": "\n".join(killers)})
    finally:
        source.write_text(text, encoding="utf-8")
        core.restore(before)


def measure(core: Core, mutants: list[Mutant]) -> None:
    """Runs the tests of these mutants once on the core as it is, and notes how long each takes."""
    tests = sorted({test for mutant in mutants for test in tests_of(mutant.path)})
    verdict, by = run_tests(core, tests, {"MUTANTS_MEASURE": "1"})
    if verdict != "survived":
        raise SystemExit(f"the tests fail without any mutant: {by}")


def run_tests(core: Core, tests: list[str], settings: dict[str, str]) -> tuple[str, str]:
    """Runs tests on the core as it is, up to the first that fails."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(core.site), str(ROOT / "tests"))),
        "RINGFEN_PLAIN": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "true",
        "MUTANTS_TIMES": str(core.times),
        **settings,
    }
    tests = [test for test in tests if (ROOT / test).exists()]
    options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "mutants.order"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT)),
        )
    except subprocess.TimeoutExpired:
        return "killed", "time limit"
    if done.returncode == 0:
        return "survived", ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    name = failed[0].partition(" ")[2].split(" - ")[0] if failed else f"exit status {done.returncode}"
    return "killed", name


def row_of(mutant: Mutant, verdict: str, by: str) -> dict[str, Any]:
    """A result as it is kept."""
    return {
        "path": mutant.path, "line": mutant.line, "column": mutant.column, "kind": mutant.kind,
        "before": mutant.before, "after": mutant.after, "source": mutant.source, "verdict": verdict, "by": by,
    }  # fmt: skip


def killers_of(rows: list[dict[str, Any]], path: str) -> list[str]:
    """The tests that caught mutants of a file, or of its folder, the most successful first."""
    found: Counter[str] = Counter()
    for row in rows:
        if "::" in row["by"] and row["path"].split("/")[0] == path.split("/")[0]:
            found[row["by"]] += 10 if row["path"] == path else 1
    return [name for name, _ in found.most_common(KILLERS)]


def work_off(core: Core, queue: SimpleQueue[Mutant], out: Path, rows: list[dict[str, Any]], lock: Lock) -> None:
    """One worker: takes mutants until there are none."""
    while True:
        try:
            mutant = queue.get_nowait()
        except Empty:
            return
        with lock:
            killers = killers_of(rows, mutant.path)
        verdict, by = judge(core, mutant, killers)
        with lock, out.open("a", encoding="utf-8") as file:
            rows.append(row_of(mutant, verdict, by))
            file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
            print(f"{verdict:8} {mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}  {by}", flush=True)


def report(rows: list[dict[str, Any]]) -> int:
    """Prints how many of each verdict there are in each folder, and the survivors; how many of these have no reason."""
    reasons = known_reasons()
    verdicts = Counter((row["path"].split("/")[0], row["verdict"]) for row in rows)
    for folder in sorted({folder for folder, _ in verdicts}):
        counts = [f"{verdicts[folder, verdict]} {verdict}" for verdict in ("killed", "same", "refused", "survived")]
        print(f"{folder}: {', '.join(counts)}")
    open_ones = 0
    for row in rows:
        if row["verdict"] == "survived":
            reason = reasons.get((row["path"], row["source"], row["before"], row["after"]))
            open_ones += reason is None
            print(f"survived {row['path']}:{row['line']}: {row['before']} -> {row['after']}: {reason or 'NO REASON'}")
    return open_ones


def main() -> int:
    """Exit status 1 if a mutant survives for which no reason is known."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="files whose name below the sources begins so")
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"), help="results, one a line")
    parser.add_argument("--again", action="store_true", help="run the tests of the survivors in --out again")
    options = parser.parse_args()
    every = all_mutants(options.only)
    rows = [json.loads(line) for line in options.out.read_text("utf-8").splitlines()] if options.out.exists() else []
    if options.again:
        survivors = {
            (row["path"], row["source"], row["before"], row["after"]) for row in rows if row["verdict"] == "survived"
        }
        chosen = [mutant for mutant in every if mutant.key() in survivors]
        rows = [row for row in rows if row["verdict"] != "survived"]
        options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    else:
        done = {(row["path"], row["line"], row["column"], row["after"]) for row in rows}
        drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
        chosen = [one for one in drawn if (one.path, one.line, one.column, one.after) not in done]
    queue: SimpleQueue[Mutant] = SimpleQueue()
    for mutant in chosen:
        queue.put(mutant)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        first = Core.build(Path(folder) / "0")
        first.times = options.out.resolve().with_suffix(".times.json")
        if not first.times.exists():
            measure(first, chosen)
        cores = [first, *(first.copy(Path(folder) / str(number)) for number in range(1, options.jobs))]
        lock = Lock()
        workers = [Thread(target=work_off, args=(core, queue, options.out, rows, lock)) for core in cores]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return 1 if report([json.loads(line) for line in options.out.read_text("utf-8").splitlines()]) else 0


if __name__ == "__main__":
    sys.exit(main())
