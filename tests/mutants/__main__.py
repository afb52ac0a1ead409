"""Mutation testing of the C core: which changes of it would the tests not notice?

From the folder `tests`: ``python -m mutants --count 300 --seed 1 --jobs 2 --out results.jsonl``. A result is a JSON
line; the run resumes where a file of results ends. tests/mutants/README.md explains how to read and handle survivors.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

# Imported here once, not again for every mutant.
import hypothesis.strategies  # noqa: F401
import pytest

import mutants.order  # noqa: F401
from mutants.concerned import tests_of
from mutants.core import ROOT, SOURCES, CompileError, Core
from mutants.sites import Key, Mutant, mutants_of

#: Seconds for all tests of one mutant (mutants/order.py limits each test), and bytes of address space: a mutant that
#: needs more is caught.
TIME_LIMIT = 900
MEMORY_LIMIT = 6 << 30
#: Processor seconds of a file's own tests, before others are tried.
OWN_SECONDS = 10.0
#: Tests that caught mutants of the same file are tried first, at most this many.
KILLERS = 12
#: Exit status of a run that would not test the mutant.
WRONG_PACKAGE = 97
REASONS = Path(__file__).with_name("equivalent.jsonl")


def all_mutants(only: list[str], root: Path = ROOT) -> list[Mutant]:
    """The mutants of all source files whose name begins with one of `only`, or of a line ``NAME:LINE``; all mutants, if
    it is empty."""
    found = []
    for path in sorted((root / SOURCES).rglob("*")):
        name = path.relative_to(root / SOURCES).as_posix()
        if path.suffix in (".c", ".h", ".inc"):
            whole = not only or name.startswith(tuple(only))
            found += [one for one in mutants_of(path, name) if whole or f"{name}:{one.line}" in only]
    return found


def draw(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return `count` random mutants. A change of one file does not change the draw from the others."""

    def number(mutant: Mutant) -> bytes:
        return sha256(json.dumps([seed, *mutant.key()]).encode()).digest()

    return sorted(mutants, key=number)[:count]


def key_of(row: dict[str, Any]) -> Key:
    """`Mutant.key` of the mutant in a row of results or reasons."""
    return row["path"], row["source"], row["before"], row["after"], row.get("nth", 0)


def known_reasons() -> dict[Key, str]:
    """Why mutants that survive change nothing that a test could see."""
    rows = [json.loads(line) for line in REASONS.read_text(encoding="utf-8").splitlines()]
    return {key_of(row): row["reason"] for row in rows}


def judge(core: Core, mutant: Mutant, killers: list[str], seconds: float) -> tuple[str, str]:
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
        own, others = tests_of(mutant.path)
        core.passed.write_text("", encoding="utf-8")
        verdict, by = run_tests(core, own, killers, min(seconds, OWN_SECONDS))
        if verdict == "survived":
            verdict, by = run_tests(core, [*own, *others], [], seconds)
        return verdict, by
    finally:
        source.write_text(text, encoding="utf-8")
        core.restore(before)


def run_tests(core: Core, tests: list[str], first: list[str], seconds: float) -> tuple[str, str]:
    """Runs tests on the current core, up to the first that fails, in a separate process that does not have to import
    pytest and Hypothesis again."""
    # A named test may no longer exist; pytest would then run no test at all.
    tests = sorted({test for test in tests if (core.project / test).exists()})
    options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "mutants.order"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    settings = {"MUTANTS_FIRST": "\n".join(first), "MUTANTS_SECONDS": str(seconds)}
    with tempfile.TemporaryFile("w+") as output:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = _tests_of_child(core, [*options, *tests], settings, output.fileno())
            finally:
                os._exit(status)
        deadline = time.monotonic() + (math.inf if math.isinf(seconds) else TIME_LIMIT)
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "killed", "time limit"
            time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError):  # what a test started and did not end
            os.killpg(child, signal.SIGKILL)
        output.seek(0)
        lines = output.read().splitlines()
    status = os.waitstatus_to_exitcode(ended[1])
    if status == WRONG_PACKAGE:
        raise SystemExit("the tests would not import the mutant")
    if status == 0:
        return "survived", ""
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return "killed", failed[0].partition(" ")[2].split(" - ")[0] if failed else f"exit status {status}"


def _tests_of_child(core: Core, arguments: list[str], settings: dict[str, str], output: int) -> int:
    os.setpgid(0, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(core.project)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    paths = [str(core.site), str(core.project / "tests")]
    os.environ |= {
        "PYTHONPATH": os.pathsep.join(paths),
        "RINGFEN_PLAIN": "1",
        "HYPOTHESIS_PROFILE": "mutants",
        "MUTANTS_TIMES": str(core.times),
        "MUTANTS_PASSED": str(core.passed),
        **settings,
    }
    sys.path[:0] = paths
    package = importlib.util.find_spec("ringfen")
    if package is None or package.origin is None or not Path(package.origin).is_relative_to(core.site):
        return WRONG_PACKAGE
    # What pytest rewrites of the tests is kept from one mutant to the next, outside of the source tree.
    sys.pycache_prefix = str(core.site.parent / "pycache")
    return int(pytest.main(arguments))


def digest_of(project: Path) -> str:
    """Return the digest of all files that the tests may depend on."""
    digest = sha256()
    for folder in ("core_c", "notation", "cli", "tests"):
        for path in sorted((project / folder).rglob("*")):
            if path.is_file() and path.suffix in (".c", ".h", ".inc", ".py", ".jsonl") and path.name != REASONS.name:
                digest.update(f"{path.relative_to(project)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def time_tests(core: Core, mutants: list[Mutant]) -> None:
    """Runs all tests of the mutants without any mutant, if that was not done before with this project: they must pass,
    and how long each takes is noted."""
    tests = {test for path in {one.path for one in mutants} for group in tests_of(path) for test in group}
    timed = core.times.with_suffix(".tests")
    state = digest_of(core.project)
    lines = timed.read_text("utf-8").splitlines() if timed.exists() else []
    before = set(lines[1:]) if lines[:1] == [state] else set()
    if tests <= before:
        return
    print("timing the tests without a mutant", flush=True)
    core.passed.write_text("", encoding="utf-8")
    verdict, by = run_tests(core, sorted(tests - before), [], math.inf)
    if verdict != "survived":
        raise SystemExit(f"the tests fail without any mutant: {by}")
    timed.write_text("\n".join([state, *sorted(tests | before)]), encoding="utf-8")


def row_of(mutant: Mutant, verdict: str, by: str) -> dict[str, Any]:
    """A result as it is kept."""
    return {
        "path": mutant.path, "line": mutant.line, "column": mutant.column, "kind": mutant.kind,
        "before": mutant.before, "after": mutant.after, "source": mutant.source, "nth": mutant.nth, "verdict": verdict,
        "by": by,
    }  # fmt: skip


def killers_of(rows: list[dict[str, Any]], path: str) -> list[str]:
    """The tests that caught mutants of a file, or of its folder, the most successful first."""
    found: Counter[str] = Counter()
    for row in rows:
        if "::" in row["by"] and row["path"].split("/")[0] == path.split("/")[0]:
            found[row["by"]] += 10 if row["path"] == path else 1
    return [name for name, _ in found.most_common(KILLERS)]


def read_rows(out: Path) -> list[dict[str, Any]]:
    """The results so far."""
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []


def work_off(core: Core, mutants: list[Mutant], out: Path, seconds: float) -> None:
    """One worker."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for mutant in mutants:
        began = time.monotonic()
        verdict, by = judge(core, mutant, killers_of(read_rows(out), mutant.path), seconds)
        line = json.dumps(row_of(mutant, verdict, by), ensure_ascii=False) + "\n"
        with out.open("ab", buffering=0) as file:
            file.write(line.encode())
        took = time.monotonic() - began
        print(
            f"{verdict:8} {took:5.1f}s {mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}  {by}", flush=True
        )


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
            reason = reasons.get(key_of(row))
            open_ones += reason is None
            print(f"survived {row['path']}:{row['line']}: {row['before']} -> {row['after']}: {reason or 'NO REASON'}")
    return open_ones


def main() -> int:
    """Exit status 1 if a mutant survives for which no reason is known."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="prefix of file names, or NAME:LINE")
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"), help="results, one per line")
    parser.add_argument("--seconds", type=float, default=60, help="processor time that the tests of a mutant may take")
    parser.add_argument("--again", action="store_true", help="run the tests of the survivors in --out again")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and the workers with it
    rows = read_rows(options.out)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        core = Core.build(Path(folder) / "0", options.jobs)
        core.times = options.out.resolve().with_suffix(".times.json")
        every = all_mutants(options.only, core.project)
        if options.again:
            survivors = {key_of(row) for row in rows if row["verdict"] == "survived"}
            chosen = [mutant for mutant in every if mutant.key() in survivors]
            rows = [row for row in rows if row["verdict"] != "survived"]
            options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
        else:
            done = {key_of(row) for row in rows}
            chosen = [one for one in draw(every, options.count, options.seed) if one.key() not in done]
        if chosen:
            time_tests(core, chosen)
        cores = [core, *(core.copy(Path(folder) / str(number)) for number in range(1, options.jobs))]
        workers = [
            multiprocessing.get_context("fork").Process(
                target=work_off, args=(one, chosen[number :: options.jobs], options.out, options.seconds), daemon=True
            )
            for number, one in enumerate(cores)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return 1 if report(read_rows(options.out)) else 0


if __name__ == "__main__":
    sys.exit(main())
