"""solve: positions one after the other; tests/core/batch has files of answers and workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position

NORTH_WINS = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
SOUTH_WINS = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"
NORTH_LOSES = SOUTH_WINS.replace(" s ", " n ")
OVER = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"


def test_for_people() -> None:
    result = ringfen("solve", NORTH_WINS)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:4] == [
        NORTH_WINS,
        "value   North wins in 1 ply",
        "best    a5-S",
        "line    a5-S",
    ]


@pytest.mark.parametrize(
    ("fen", "value", "distance"), [(NORTH_WINS, "win", 1), (SOUTH_WINS, "win", 1), (NORTH_LOSES, "loss", 4)]
)
def test_json(fen: str, value: str, distance: int) -> None:
    (row,) = json_lines(ringfen("solve", fen, "--json"))
    assert row.keys() >= {"fen", "game", "status", "value", "distance", "best", "pv", "nodes", "seconds"}
    assert (row["fen"], row["game"], row["status"]) == (fen, "gyges", "exact")
    assert (row["value"], row["distance"]) == (value, distance)
    assert set(row["best"]) <= set(Position(fen).plies())
    assert len(row["pv"]) == distance
    assert Position(fen).play(row["pv"]).outcome == ("n" if fen == NORTH_WINS else "s")


def test_a_finished_position_is_solved() -> None:
    (row,) = json_lines(ringfen("solve", OVER, "--json"))
    assert (row["status"], row["value"], row["distance"], row["best"]) == ("exact", "loss", 0, [])
    assert "value   North has won" in ringfen("solve", OVER).stdout


@pytest.mark.parametrize("limit", [("--nodes", "10"), ("--seconds", "0.01"), ("--plies", "2")])
def test_a_limit_is_status_3(limit: tuple[str, str]) -> None:
    result = ringfen("solve", SET_UP, "--json", *limit)
    assert result.exit_code == 3
    (row,) = json_lines(result)
    assert (row["status"], row["value"], row["distance"]) == ("unknown", None, None)
    if limit[0] == "--plies":
        assert row["decided"] == 2
    assert "not known" in ringfen("solve", SET_UP, *limit).stdout


def test_many_positions_in_order(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{NORTH_WINS}\n# comment\n{SOUTH_WINS}\n", encoding="utf-8")
    result = ringfen("solve", NORTH_LOSES, "--file", str(file), "--json")
    assert [row["fen"] for row in json_lines(result)] == [NORTH_LOSES, NORTH_WINS, SOUTH_WINS]
    assert result.exit_code == 0


def test_a_malformed_line_does_not_stop_the_rest_and_comes_before_limits() -> None:
    lines = f"{SET_UP}\nnonsense\n{NORTH_WINS}\n"
    result = ringfen("solve", "-", "--plies", "2", "--json", stdin=lines)
    assert [row["status"] for row in json_lines(result)] == ["unknown", "exact"]
    assert "<stdin>:2:1: unknown-game: " in result.stderr
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "words",
    [
        (),
        (SET_UP, "--nodes", "0"),
        (SET_UP, "--seconds", "0"),
        (SET_UP, "--plies", "-1"),
        (SET_UP, "--until", "2"),
        (SET_UP, "--until", "x"),
        (SET_UP, "--model", "minimax"),
        (SET_UP, "--resume"),
    ],
)
def test_wrong_use(words: tuple[str, ...]) -> None:
    assert ringfen("solve", *words).exit_code == 2
