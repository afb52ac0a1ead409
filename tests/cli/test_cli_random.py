"""random: legal records, the same for the same seed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position, game_by_id, game_ids
from ringfen.notation.random_play import Generator, random_ply

SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"


@pytest.mark.parametrize("game_id", game_ids())
def test_the_same_seed_gives_the_same_games(game_id: str) -> None:
    first = ringfen("random", game_id, "--seed", "7", "--games", "2", "--max-plies", "50")
    assert first.exit_code == 0
    assert ringfen("random", game_id, "--seed", "7", "--games", "2", "--max-plies", "50").stdout == first.stdout
    assert ringfen("random", game_id, "--seed", "8", "--games", "2", "--max-plies", "50").stdout != first.stdout


@pytest.mark.parametrize("game_id", game_ids())
def test_records_are_valid_and_canonical(game_id: str, tmp_path: Path) -> None:
    file = tmp_path / "games.rgn"
    file.write_text(ringfen("random", game_id, "--games", "3").stdout, encoding="utf-8")
    reports = json_lines(ringfen("validate", str(file), "--json"))
    assert len(reports) == 3
    for report in reports:
        assert report["valid"]
        assert report["game"] == game_id
        assert {entry["code"] for entry in report["diagnostics"]} <= {"null-move"}
        assert report["outcome"] is not None or report["plies"] == game_by_id(game_id).default_max_plies
    assert ringfen("fmt", "--check", str(file)).exit_code == 0


def test_a_game_played_to_its_end_names_the_winner() -> None:
    for game_id in ("rings", "gran"):
        record = ringfen("random", game_id).stdout
        result = record.split()[-1]
        assert "1" in result
        assert f'[Result "{result}"]' in record


def test_more_games_begin_with_the_same_games() -> None:
    few = ringfen("random", "gyges", "--games", "3").stdout
    many = ringfen("random", "gyges", "--games", "5").stdout
    assert many.startswith(few)
    assert many.count("[Game ") == 5


def test_games_are_the_same_on_every_machine() -> None:
    """If this changes, seeds that people wrote down no longer mean what they meant."""
    plies: list[str] = []
    position, generator = Position("rings"), Generator(2026)
    while len(plies) < 40 and not position.is_over:
        ply, position = random_ply(position, generator)
        plies.append(ply)
    assert hashlib.sha256(" ".join(plies).encode()).hexdigest()[:16] == "18aa64ac8dc2b34b"


def test_no_games_and_no_plies() -> None:
    assert ringfen("random", "gyges", "--games", "0").stdout == ""
    assert ringfen("random", SET_UP, "--max-plies", "0").stdout.rstrip().endswith("*")


@pytest.mark.parametrize(("seed", "status"), [("0", 0), (str(2**64 - 1), 0), (str(2**64), 2), ("-1", 2), ("٣", 2)])
def test_seeds(seed: str, status: int) -> None:
    assert ringfen("random", "gyges", "--seed", seed, "--max-plies", "3").exit_code == status


def test_from_each_position() -> None:
    result = ringfen("random", "-", "--games", "2", stdin=f"gyges\nrings\nnothing\n{SET_UP}\n")
    assert result.exit_code == 2
    assert result.stdout.count('[Game "gyges"]') == 4
    assert result.stdout.count('[Game "rings"]') == 2
