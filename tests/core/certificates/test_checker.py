"""The checker in Rust (tests/checker) accepts certificates and tables, and rejects changed ones, as Ringfen does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from certificate_mutants import mutants
from known_data import rows

from ringfen import Position, SolveOptions
from ringfen._core import ffi
from ringfen.certificates.prove import prove
from ringfen.certificates.verify import verify_file
from ringfen.errors import CertificateError
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board, TableFile, write_table

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "tests" / "checker"
GAMES = ("gyges",)
VALUES = {
    "gyges .2..../32..../131331/....22/.....1/...... s - 1+1": None,
    "gyges .....2/2..33./.22.1./31..../3..11./...... s - 1+3": None,
    "gyges .2..../32..../131331/2...21/....../...... n - 1+1": None,
}
PROBLEMS = {
    "gyges ...1../....../2..331/123.2./.23.../....1. n - 1+1": None,
}
BOARDS = {"gyges-6x6": Board("gyges", 6, 6, "")}

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
    prove(Position(fen), path, SolveOptions(depth=depth, hash_mb=1), problem=fen in PROBLEMS)
    return path.read_bytes()


def accepted(raw: bytes) -> bool:
    try:
        verify_file(BytesIO(raw))
    except CertificateError:
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


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_large_counts_are_the_known_ones(checker: Path, game: str) -> None:
    compare_counts(checker, game, 1 << 62)


# ---- certificates ----


@pytest.mark.parametrize("fen", [*VALUES, *PROBLEMS])
def test_certificates_are_judged_as_by_ringfen(checker: Path, tmp_path: Path, fen: str) -> None:
    judge_mutants(checker, tmp_path, fen, 60)


@pytest.mark.long
@pytest.mark.parametrize("fen", [*VALUES, *PROBLEMS])
def test_many_changed_certificates(checker: Path, tmp_path: Path, fen: str) -> None:
    judge_mutants(checker, tmp_path, fen, 3000)


def judge_mutants(checker: Path, tmp_path: Path, fen: str, number: int) -> None:
    raw = certificate(fen, tmp_path)
    changed = [("unchanged", raw), *mutants(raw, number)]
    files = []
    for count, (_, data) in enumerate(changed):
        files.append(tmp_path / f"{count}.cert")
        files[-1].write_bytes(data)
    found = verdicts(checker, files)
    expected = [accepted(data) for _, data in changed]
    assert expected[0]
    assert not all(expected)
    assert [(what, here) for (what, _), here in zip(changed, found, strict=True)] == [
        (what, here) for (what, _), here in zip(changed, expected, strict=True)
    ]


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


# ---- tables ----


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("tables")
    for board in BOARDS.values():
        build_tables(board, 3, directory=path, threads=1)
    return path


@pytest.mark.parametrize("folder", BOARDS)
def test_tables_are_accepted(checker: Path, tables: Path, folder: str) -> None:
    assert all(verdicts(checker, sorted((tables / folder).iterdir())))


@pytest.mark.parametrize("folder", BOARDS)
def test_tables_with_a_wrong_value_are_rejected(checker: Path, tables: Path, tmp_path: Path, folder: str) -> None:
    random = Random(2)
    shutil.copytree(tables / folder, tmp_path / folder)
    for path in sorted((tmp_path / folder).iterdir()):
        whole = path.read_bytes()
        file = TableFile(path)
        info = file.info
        values = file.values()
        at = random.randrange(info.entries * info.width)
        values[at] ^= 1 << random.randrange(8)
        buffer = ffi.buffer(values, info.entries * info.width)
        write_table(path.parent, info.board, info.material, info.width, buffer, info.statistics)
        assert verdicts(checker, [path]) == [False], (path.name, at)
        path.write_bytes(whole)


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
