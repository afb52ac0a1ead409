"""Builds and runs the fuzz harnesses: ``python tests/fuzz/run.py --seconds 20``; README.md here says more.

From the project's root, with Ringfen installed. Needs clang with libFuzzer; without it only `records` runs."""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ringfen import Position
from ringfen._core import ffi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGETS = ["positions", "plies", "movetext", "splitting", "writing", "boards", "certificates", "tables"]
FLAGS = ["-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined", "-w"]
#: Reports of each comparison cost most of the time in loops over points and plies, and find no more.
FLAGS += ["-fno-sanitize-coverage=trace-cmp"]
#: In the order of games.h.
GAMES = ["gyges", "rings", "gran", "siaius"]


def build(folder: Path) -> Path | None:
    """The program with all harnesses; None if there is no clang with libFuzzer."""
    clang = shutil.which("clang")
    probe = folder / "probe.c"
    probe.write_text("int LLVMFuzzerTestOneInput(const void *d, unsigned long n) { return d == 0 && n > 1; }\n")
    if (
        clang is None
        or subprocess.run([clang, *FLAGS, str(probe), "-o", str(folder / "probe")], capture_output=True).returncode
    ):
        return None
    os.chdir(ROOT)
    units = runpy.run_path("core_c/src/build_ffi.py")["units"]()
    program = folder / "fuzz"
    command = [
        clang,
        *FLAGS,
        "-Icore_c/src",
        "tests/fuzz/fuzz.c",
        *map(str, units),
        "-o",
        str(program),
        "-lm",
        "-lpthread",
    ]
    subprocess.run(command, check=True)
    return program


def seeds(target: str, folder: Path) -> None:
    """Inputs to begin with, from the data of the tests."""
    made: list[bytes] = []
    for number, game in enumerate(GAMES):
        head = bytes([number])
        rows = [json.loads(line) for line in (ROOT / f"tests/data/{game}_moves.jsonl").read_text("utf-8").splitlines()]
        if target == "positions":
            made += [head + row["fen"].encode() for row in rows[:40]]
        elif target == "plies":
            made += [head + "\n".join(map(str, Position(game).plies()[:20])).encode()]
        elif target == "certificates":
            made += [bytes([number, kind, 9, 3, ending]) + bytes(range(40)) for kind in range(8) for ending in range(8)]
    for line in (ROOT / "tests/golden/games.jsonl").read_text("utf-8").splitlines()[:40]:
        game = json.loads(line)
        plies = " ".join(str(ply) for _, ply in game["line"][:60])
        if target == "movetext":
            made.append(bytes([GAMES.index(game["game"]), 0x13]) + plies.encode())
    if target in ("splitting", "writing"):
        made += [
            bytes([size]) + path.read_bytes()[:2000] for size, path in enumerate(sorted(ROOT.glob("examples/*.rgn")))
        ]
    if target == "tables":
        made += [bytes([flags]) + bytes(160) for flags in range(16)]
    for number, content in enumerate(made):
        (folder / f"seed{number}").write_bytes(content)


def fuzz(program: Path, target: str, seconds: int, work: Path) -> bool:
    """Runs one harness; whether nothing was found. What was found is left in the current folder."""
    corpus = work / target
    corpus.mkdir()
    seeds(target, corpus)
    kept = HERE / "corpus" / target
    command = [str(program), f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=20", "-rss_limit_mb=2048"]
    command += ["-max_len=4096", f"-artifact_prefix={target}-", str(corpus), *([str(kept)] if kept.is_dir() else [])]
    environment = {**os.environ, "RINGFEN_FUZZ": target, "RINGFEN_FUZZ_BOARD": str(work / "board")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
    executed = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
    print(
        f"{target}: {executed[1] if executed else '?'} inputs, {'nothing found' if done.returncode == 0 else 'FOUND'}"
    )
    if done.returncode != 0:
        print(done.stderr[-6000:])
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=20, help="for each harness")
    parser.add_argument("--only", action="append", choices=[*TARGETS, "records"])
    options = parser.parse_args()
    wanted = options.only or [*TARGETS, "records"]
    well = True
    with tempfile.TemporaryDirectory(prefix="ringfen-fuzz-") as name:
        work = Path(name)
        (work / "board").write_bytes(bytes(ffi.buffer(ffi.cast("rf_gran_board *", Position("gran").context.cdata))))
        program = build(work) if set(wanted) & set(TARGETS) else None
        if program is None and set(wanted) & set(TARGETS):
            print("no clang with libFuzzer: the harnesses in C are left out")
        for target in wanted:
            if target == "records":
                command = [sys.executable, str(HERE / "records.py"), "--seconds", str(options.seconds)]
                well = subprocess.run(command).returncode == 0 and well
            elif program is not None:
                well = fuzz(program, target, options.seconds, work) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
