"""The checker in Rust (tests/checker) accepts certificates, tables and values, and rejects changed ones."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest
from certificate_mutants import mutants, taken_apart
from known_data import rows
from siaius_random import random_position

from ringfen import CertificateError, NotSolved, Position, TableError, prove, verify
from ringfen._core import ffi
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board, TableFile, write_table
from ringfen.tables.tablebase import Tables

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "tests" / "checker"
GAMES = ("gran", "gyges", "rings", "siaius")
VALUES = {
    "gyges .2..../32..../131331/....22/.....1/...... s - 1+1": None,
    "gyges .....2/2..33./.22.1./31..../3..11./...... s - 1+3": None,
    "gyges .2..../32..../131331/2...21/....../...... n - 1+1": None,
    "siaius 4/1c2/4/3C s - - 0": None,
    "siaius 4/4/S3/3c n - d1 0": None,
    "siaius 4/2t1/3S/4 s - - 0 huff=stone": None,
    "siaius 5/1c3/2S2/5 s - - 0 beats=reverse huff=off": None,
    "siaius c2/3/3/2C/3 n - - 0": None,
    "rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0": None,
    "rings ......./...1.../..3...k(11)/......./.k(1)K(1)..../1.3..../....K(331).. s 2+1 0": None,
    "rings ...../....1/...../...../...../k..3K/..... s 0+0 0": None,
    "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight": 3,
    "gran f3:3:UG/c3:0:UG/a5:3:U/d8:1:UE @2 d2,c5,b9,g9 1.0.1.4.4.0.0 4 move": 2,
    "gran d4:0:U/d7:2:E/a2:0:TU/e3:2:U/c5:0:UG @3 a1 0.0.0.0.1.0.0 2 move": 3,
}
PROBLEMS = {
    "gyges ...1../....../2..331/123.2./.23.../....1. n - 1+1": None,
    "siaius s3/m3/1S2 s - - 0": None,
    "siaius 1mt/2M/3 s - - 0": None,
    "rings ....k(111)/..k(11)../1..../...../....1/...3./.k(3111)... n 0+0 1": None,
    "rings ......./..K(331)K(1).../......./......./......./1..k(1).../....k(1).K(11) n 1+2 0": None,
    "gran a1:0:T/f3:1:-/b4:0:- @1 c3,e9 1.0.0.1.1.0.1 1 move seals=2": 2,
}
ENDINGS = (
    "gran a3:3:-/c9:0:-/b4:0:- @3 a1,g1,d2,c4,b5,g6,d7,e8,i8 0.0.3.6.5.2.1 1 move seals=1",
    "gran d5:3:-/e5:2:-/g4:2:- c7 - 2.0.4.6.6.4.2 1 move seals=1",
    "gran i4:0:-/c1:0:-/b2:1:- @2 e1,g1,i2,d3,e4,h4,b5,d5,e5,f7,a8,e8,f8,i8,a9,c9 1.0.4.5.5.4.0 3 move seals=1",
    "gran c1:0:T/c2:2:T/c4:0:U/f7:0:G @3 a1,b1,e1,g1,d2,f2,e4,g4,b5,d5,e5,b6,g6,h6,e8,e9 2.0.3.5.5.3.2 2 move seals=2",
)
HUFFS = ("turn", "stone", "off")
BOARDS = {"gyges-6x6": Board("gyges", 6, 6, "")} | {f"siaius-4x4-{huff}": Board("siaius", 4, 4, huff) for huff in HUFFS}

pytestmark = pytest.mark.unsanitized


def cargo() -> str | None:
    """Cargo in the path, or in its usual place."""
    return shutil.which("cargo") or shutil.which("cargo", path=str(Path.home() / ".cargo" / "bin"))


@pytest.fixture(scope="session")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built outside of the source tree with few optimizations."""
    tool = cargo()
    if tool is None:
        pytest.skip("no cargo here")
    target = tmp_path_factory.mktemp("checker")
    source = target / "source"
    shutil.copytree(SOURCE, source)
    env = {**os.environ, "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1", "CARGO_INCREMENTAL": "0"}
    command = [tool, "build", "--release", "--offline", "--quiet", "--target-dir", str(target / "target")]
    done = subprocess.run(command, cwd=source, env=env, capture_output=True, text=True)
    if "cannot find -l" in done.stderr or "unable to find library" in done.stderr:
        pytest.skip("the libraries zlib and Zstandard are missing")
    assert done.returncode == 0, done.stderr
    return target / "target" / "release" / "checker"


def verdicts(checker: Path, files: Iterable[Path], *options: str) -> list[bool]:
    """For each file, whether the program accepts it."""
    paths = [str(file) for file in files]
    done = subprocess.run([str(checker), *options, *paths], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.stderr == ""
    assert [line.startswith(f"{path}: ") for path, line in zip(paths, lines, strict=True)] == [True] * len(paths)
    found = [line.startswith(f"{path}: ok: ") for path, line in zip(paths, lines, strict=True)]
    assert done.returncode == (0 if all(found) else 1)
    return found


@cache
def certificate(fen: str, folder: Path) -> bytes:
    path = folder / "cert"
    depth = VALUES[fen] if fen in VALUES else PROBLEMS[fen]
    prove(fen, path, depth=depth, hash_mb=1, problem=fen in PROBLEMS)
    return path.read_bytes()


def accepted(path: Path, tables: Path | None) -> bool:
    try:
        verify(path, tables=tables)
    except (CertificateError, TableError):
        return False
    return True


# ---- rules ----


def compare_counts(checker: Path, game: str, most: int) -> None:
    for row in rows(f"data/{game}_perft.jsonl"):
        if row["count"] <= most:
            command = [str(checker), "perft", row["fen"], str(row["depth"])]
            done = subprocess.run(command, capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (f"{row['count']}\n", ""), row


@pytest.mark.parametrize("game", GAMES)
def test_counts_are_the_known_ones(checker: Path, game: str) -> None:
    compare_counts(checker, game, 5000)


def test_counts_with_more_than_fifteen_stones_of_a_kind(checker: Path) -> None:
    row = "S" * 10
    fen = f"siaius 10/{row.lower()}/{row.lower()}/10/10/10/10/10/10/{row}/{row}/10 s - - 0"
    done = subprocess.run([str(checker), "perft", fen, "2"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{56 * 56}\n", "")  # two rows of ten have 28 moves each


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_standard_output_is_an_error(checker: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(checker), "perft", next(iter(VALUES)), "1"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"standard output: ")


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_large_counts_are_the_known_ones(checker: Path, game: str) -> None:
    compare_counts(checker, game, 1 << 62)


# ---- certificates ----


@pytest.mark.parametrize("fen", [*VALUES, *PROBLEMS])
def test_certificates_are_judged_as_by_ringfen(checker: Path, tmp_path: Path, fen: str) -> None:
    assert judge(checker, tmp_path, certificate(fen, tmp_path), 50) > 25


def test_the_proven_claims_are_printed(checker: Path) -> None:
    done = subprocess.run([str(checker), ROOT / "examples" / "gyges-win-in-7.cert"], capture_output=True, text=True)
    claim = "gyges .2.2.1/..1.../.3..1./..2.3./....2./33..1. s - 1+1; at_least 1, player 1, within 7; 3640 positions, "
    assert f": ok: {claim}" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("fen", [*VALUES, *PROBLEMS])
def test_many_changed_certificates(checker: Path, tmp_path: Path, fen: str) -> None:
    assert judge(checker, tmp_path, certificate(fen, tmp_path), 3000) > 1500


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", ["", " beats=reverse"])
def test_certificates_that_end_in_tables(
    checker: Path, two_stones: Path, tmp_path: Path, beats: str, huff: str
) -> None:
    random = Random(huff + beats)
    options = beats + ("" if huff == "turn" else f" huff={huff}")
    proven = rejected = 0
    while proven < 4:
        fen = random_position(random, 4, 4, 3, options)
        try:
            prove(fen, tmp_path / "cert", hash_mb=1, tables=two_stones)
        except NotSolved:
            continue
        raw = (tmp_path / "cert").read_bytes()
        proven += bool(taken_apart(raw).header.get("tables"))
        rejected += judge(checker, tmp_path, raw, 20, two_stones)
    assert rejected > 20


def judge(checker: Path, tmp_path: Path, raw: bytes, number: int, tables: Path | None = None) -> int:
    """Compare the verdicts about a certificate and changed ones; return the number of rejected ones."""
    changed = [("unchanged", raw), *mutants(raw, number)]
    files = []
    for count, (_, data) in enumerate(changed):
        files.append(tmp_path / f"{count}.cert")
        files[-1].write_bytes(data)
    found = verdicts(checker, files, *(("--tables", str(tables)) if tables else ()))
    expected = [accepted(file, tables) for file in files]
    assert expected[0]
    names = [(number, what) for number, (what, _) in enumerate(changed)]
    assert list(zip(names, found, strict=True)) == list(zip(names, expected, strict=True))
    return expected.count(False)


def test_hostile_certificates_are_rejected(checker: Path, tmp_path: Path) -> None:
    """Files of the fuzzing corpus, and certificates with bytes changed or missing."""
    random = Random(1)
    raw = certificate(next(iter(PROBLEMS)), tmp_path)
    files = sorted((ROOT / "tests" / "fuzz" / "corpus" / "certificates").iterdir())
    for count in range(100):
        at = random.randrange(len(raw))
        changed = raw[:at] if count % 2 else raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1 :]
        files.append(tmp_path / f"{count}.cert")
        files[-1].write_bytes(changed)
    assert not any(verdicts(checker, files)[-100:])


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES[1:])
def test_certificates_of_the_problems_in_examples(checker: Path, tmp_path: Path, game: str) -> None:
    text = (ROOT / "examples" / "problems" / f"{game}.rgn").read_text(encoding="utf-8")
    files = []
    for number, fen in enumerate(re.findall(r'^\[FEN "([^"]*)"', text, re.MULTILINE)):
        files.append(tmp_path / f"{number}.cert")
        prove(fen, files[-1], problem=True)
    assert len(files) == 100
    assert all(verdicts(checker, files))


# ---- values of GRAN ----


def check_values(checker: Path, file: Path, lines: list[dict[str, str]]) -> tuple[int, list[str]]:
    """Exit status and output of the program for these lines."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = subprocess.run([str(checker), "endings", str(file)], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_values_of_gran_are_those_of_ringfen(checker: Path, tmp_path: Path) -> None:
    solved = runpy.run_path(str(ROOT / "benchmarks" / "gran_models.py"))["solved"]
    lines = [solved(number, Position(fen)) for number, fen in enumerate(ENDINGS)]
    status, (summary,) = check_values(checker, tmp_path / "right", lines)
    assert (status, summary.split(", ")[:2]) == (0, [f"{len(ENDINGS)} endings", "0 wrong"])

    fields = ("maxn", "attack", "other", "lower", "upper")
    changed = [line | {field: "1/97"} for line in lines for field in fields]
    status, output = check_values(checker, tmp_path / "changed", changed)
    assert (status, len(output)) == (1, len(changed) + 1)
    for count, line in enumerate(changed):
        field = fields[count % len(fields)]
        right = Fraction(lines[count // len(fields)][field])
        value = f"{right.numerator}/{right.denominator}"
        assert output[count] == f"line {count + 1}: {field} is 1/97 in the file, but {value} by the rules", line
    status, _ = check_values(checker, tmp_path / "empty", [])
    assert status == 1


# ---- tables ----


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("tables")
    for board in BOARDS.values():
        build_tables(board, 3, directory=path, threads=1)
    return path


@pytest.fixture(scope="session")
def two_stones(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("two-stones")
    for folder in BOARDS:
        shutil.copytree(
            tables / folder, path / folder, ignore=lambda _, names: [n for n in names if len(n) > len("SvS.rft")]
        )
    return path


def test_a_folder_without_tables_is_rejected(checker: Path, tmp_path: Path) -> None:
    done = subprocess.run([str(checker), str(tmp_path)], capture_output=True, text=True)
    message = f"{tmp_path}: there are no tables; state a folder such as gyges-6x6\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize("folder", BOARDS)
def test_tables_are_accepted(checker: Path, tables: Path, folder: str) -> None:
    assert all(verdicts(checker, sorted((tables / folder).iterdir())))


@pytest.mark.parametrize("folder", BOARDS)
def test_tables_with_a_wrong_value_are_rejected(checker: Path, tables: Path, tmp_path: Path, folder: str) -> None:
    random = Random(2)
    shutil.copytree(tables / folder, tmp_path / folder)
    opened = Tables(BOARDS[folder], tables)
    for path in sorted((tmp_path / folder).iterdir()):
        whole = path.read_bytes()
        file = TableFile(path)
        info = file.info
        values = file.values()
        index = random.randrange(info.entries)
        while opened.text(info.material, index) is None:  # the entry contains no position
            index = random.randrange(info.entries)
        at = index * info.width
        values[at] ^= 1 << random.randrange(8)
        buffer = ffi.buffer(values, info.entries * info.width)
        write_table(path.parent, info.board, info.material, info.width, buffer, info.statistics)
        assert verdicts(checker, [path]) == [False], (path.name, at)
        path.write_bytes(whole)


def test_the_longest_win_must_be_a_position(checker: Path, tables: Path, tmp_path: Path) -> None:
    folder = "siaius-4x4-turn"
    shutil.copytree(tables / folder, tmp_path / folder)
    opened, path = Tables(BOARDS[folder], tables), tmp_path / folder / "SMvS.rft"
    file = TableFile(path)
    info, values = file.info, file.values()
    index = next(index for index in range(info.entries) if opened.text(info.material, index) is None)
    values[index] = info.statistics.longest_win
    forged = replace(info.statistics, longest_win_at=index)
    write_table(path.parent, info.board, info.material, info.width, ffi.buffer(values, info.entries), forged)
    assert verdicts(checker, [path]) == [False]


def test_a_proof_is_not_unpacked_beyond_the_memory(checker: Path) -> None:
    command = [str(checker), "--memory", "0", str(ROOT / "examples" / "gyges-win-in-7.cert")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the proof could need more memory than --memory allows" in done.stdout


@pytest.mark.parametrize("folder", BOARDS)
def test_damaged_tables_are_rejected(checker: Path, tables: Path, tmp_path: Path, folder: str) -> None:
    random = Random(3)
    files = []
    for path in sorted((tables / folder).iterdir()):
        raw = path.read_bytes()
        at = random.randrange(len(raw))
        for name, data in (("cut", raw[:at]), ("flip", raw[:at] + bytes([raw[at] ^ 128]) + raw[at + 1 :])):
            files.append(tmp_path / name / folder / path.name)
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_bytes(data)
    files += sorted((ROOT / "tests" / "fuzz" / "corpus" / "tables").iterdir())
    assert not any(verdicts(checker, files)[: 2 * len(list((tables / folder).iterdir()))])


@pytest.mark.long
def test_all_placements_of_six_rings(checker: Path) -> None:
    """The table of docs/results/gyges-tables.md, if a folder of RINGFEN_TABLES has it."""
    folders = [Path(folder) for folder in os.environ.get("RINGFEN_TABLES", "").split(os.pathsep) if folder]
    files = [path for folder in folders for path in folder.glob("gyges-6x6/112233.rft")]
    if not files:
        pytest.skip("RINGFEN_TABLES has no gyges-6x6/112233.rft")
    assert all(verdicts(checker, files))
