"""A fifth game, added by its own files and one word in a list, does all that a game does."""

from __future__ import annotations

import difflib
import json
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from game_build import (
    COMPILER,
    FIFTH_GAME,
    HAS_HEADERS,
    ROOT,
    build_variant,
    build_with_fifth_game,
    game_text,
    run_ringfen,
)

pytestmark = [
    pytest.mark.unsanitized,
    pytest.mark.skipif(COMPILER is None or not HAS_HEADERS, reason="no C compiler or no Python.h here"),
]
START = "tictactoe .../.../... s"
#: South has two ways to three in a row after b1: a well-known trap.
WON = "tictactoe o../.../x.. s"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_with_fifth_game(tmp_path_factory.mktemp("fifth"))


@pytest.fixture(scope="module")
def ringfen(packages: Path) -> Any:
    return partial(run_ringfen, packages)


def test_one_line_differs_from_the_project(packages: Path) -> None:
    copy = packages.parent / "source"
    added = []
    for path in (
        path for path in copy.rglob("*") if path.is_file() and path.suffix in (".py", ".c", ".h", ".inc", ".md")
    ):
        original = ROOT / path.relative_to(copy)
        if path.name == "_core.c" or "tictactoe" in path.relative_to(copy).as_posix():
            continue
        old, new = (file.read_text(encoding="utf-8").splitlines() for file in (original, path))
        if old != new:
            added += [line for line in difflib.ndiff(old, new) if line[0] == "+"]
    assert len(added) == 1
    assert "X(tictactoe)" in added[0]


def test_it_compiles_without_warnings(packages: Path) -> None:
    sources = packages.parent / "source" / "core_c" / "src"
    flags = (sources / "compile_flags.txt").read_text(encoding="utf-8").split()
    for path in sorted((sources / "tictactoe").iterdir()):
        command = [str(COMPILER), *flags, "-Werror", "-fsyntax-only", path.relative_to(sources).as_posix()]
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_it_is_a_game_like_the_others(ringfen: Any) -> None:
    games = [json.loads(line) for line in ringfen("games", "--json").stdout.splitlines()]
    assert games[-1] == {
        "id": "tictactoe",
        "name": "Tic-tac-toe",
        "sizes": "3×3",
        "players": [2],
        "options": [],
        "start": START,
    }
    assert ringfen("rules", "tictactoe").stdout == (FIFTH_GAME / "tictactoe.md").read_text(encoding="utf-8")
    assert ringfen("new", "tictactoe").stdout == f"{START}\n"
    assert ringfen("show", "tictactoe").stdout.splitlines()[-1] == "South to move (move)"


def test_it_plays(ringfen: Any) -> None:
    assert ringfen("play", "tictactoe", "b2", "a1").stdout.split() == ["tictactoe", ".../.x./o..", "s"]
    taken = ringfen("play", "tictactoe", "b2", "b2")
    assert taken.returncode == 2
    assert "ply:2:1: taken: b2 is taken (T2)" in taken.stderr
    wrong = ringfen("show", "tictactoe xx./.../... s")
    assert wrong.returncode == 2
    assert "wrong-numbers: 2 crosses and 0 noughts: it cannot be the turn of South (T2)" in wrong.stderr


@pytest.mark.parametrize("plain", ["", "1"])
def test_it_counts(packages: Path, plain: str) -> None:
    """The numbers of games of tic-tac-toe that last so long, as they are generally known."""
    counts = []
    for depth, options in [(5, []), (6, ["--threads", "2"]), (9, ["--hash", "1"])]:
        done = run_ringfen(
            packages, "perft", "tictactoe", "--depth", str(depth), "--json", *options, RINGFEN_PLAIN=plain
        )
        counts.append(json.loads(done.stdout)["nodes"])
    assert counts == [15120, 54720, 127872]


def test_it_solves(ringfen: Any) -> None:
    won = json.loads(ringfen("solve", WON, "--json").stdout)
    assert (won["status"], won["value"], won["distance"]) == ("exact", "win", 5)
    drawn = json.loads(ringfen("solve", START, "--json").stdout)
    assert (drawn["status"], drawn["value"]) == ("exact", "draw")


def test_its_wins_are_certified(ringfen: Any, tmp_path: Path) -> None:
    certificate = str(tmp_path / "won.cert")
    assert ringfen("prove", WON, "--out", certificate).returncode == 0
    checked = ringfen("verify", certificate)
    assert checked.returncode == 0
    assert "South wins within 5 plies" in checked.stdout


def test_its_records_are_validated(ringfen: Any, tmp_path: Path) -> None:
    records = ringfen("random", "tictactoe", "--games", "20", "--seed", "3").stdout
    path = tmp_path / "games.rgn"
    path.write_text(records, encoding="utf-8")
    assert "20 records" in ringfen("validate", str(path)).stdout
    path.write_text(records.replace(" 2. ", " 2. d4 ", 1), encoding="utf-8")
    wrong = ringfen("validate", str(path))
    assert wrong.returncode == 1
    assert "bad-ply" in wrong.stdout + wrong.stderr


WITHOUT_WINS = ("    .wins = &tt_win_part,\n", "")


def variant(packages: Path, folder: Path, *changes: tuple[str, str]) -> Path:
    text = game_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return build_variant(packages, folder, text)


def test_it_solves_without_optional_members(packages: Path, tmp_path: Path) -> None:
    unused = ("static const rf_win_part", "RF_UNUSED static const rf_win_part")
    bare = variant(packages, tmp_path, WITHOUT_WINS, unused, ("    .reachable = tt_reachable,\n", ""))
    won = json.loads(run_ringfen(bare, "solve", WON, "--json").stdout)
    assert (won["status"], won["value"], won["distance"]) == ("exact", "win", 5)
    assert json.loads(run_ringfen(bare, "solve", START, "--depth", "9", "--json").stdout)["status"] == "unknown"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".state_size = sizeof(tt_state)", ".state_size = RF_STATE_SIZE + 1"),
        (".state_size = sizeof(tt_state)", ".state_size = 0"),
        (".max_plies = TT_SQUARES", ".max_plies = RF_MAX_PLIES + 1"),
        (".solver = RF_SOLVER_WIN", ".solver = RF_SOLVER_MARGIN"),
        (".solver = RF_SOLVER_WIN", ".solver = RF_SOLVER_CHANCE"),
        ("    .apply = tt_apply,\n", ""),
        ("    .wins = &tt_win_part,\n", "    .wins = &(const rf_win_part){.canonical = (void *)tt_player},\n"),
        (
            ".solver = RF_SOLVER_WIN",
            ".solver = RF_SOLVER_CHANCE, .chances = &(const rf_chance_part){.is_chance = (void *)tt_player,"
            " .weight = (void *)tt_player}",
        ),
    ],
)
def test_a_game_beyond_the_limits_is_rejected_at_import(packages: Path, tmp_path: Path, old: str, new: str) -> None:
    done = run_ringfen(variant(packages, tmp_path, (old, new)), "games")
    assert done.returncode != 0
    assert "ImportError: tictactoe does not keep the limits of the core's interface" in done.stderr
