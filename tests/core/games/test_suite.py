"""The installed suite: counts of two implementations, every rule, and the mistakes that it catches."""

from __future__ import annotations

import json
import re

import pytest
from cli_runner import json_lines, ringfen
from mutants import suite
from mutants.rules import mutants

from ringfen import Position, game_by_id, perft

CATCHES: dict[str, dict[str, list[str]]] = json.loads(suite.CATCHES.read_text(encoding="utf-8"))
games = pytest.mark.parametrize("game", suite.GAMES)

#: Rules that no count can show: that a game may be endless.
NOT_COUNTED = {"gyges": {"G11"}, "rings": {"K11"}, "siaius": {"S10"}, "gran": set[str]()}
#: Counts up to this are made again by the plain implementation in every run.
_SMALL = 150
#: What a larger count catches, the long tests try.
_MOST = 20_000


@games
def test_there_are_enough_positions_and_every_rule_is_exercised(game: str) -> None:
    found = suite.positions(game)
    assert len(found) >= 60
    # Equal names would hide a position; equal positions would count twice.
    fens = {name: {row["fen"] for row in rows} for name, rows in found.items()}
    assert all(len(own) == 1 for own in fens.values())
    assert len(set.union(*fens.values())) == len(found)
    rules = set(re.findall(r"^\*\*([A-Z]\d+)\b", game_by_id(game).rules(), re.MULTILINE))
    assert rules
    assert {rule for rows in found.values() for row in rows for rule in row["rules"]} == rules - NOT_COUNTED[game]


@games
def test_the_core_gives_these_counts(game: str) -> None:
    for row in suite.rows(game):
        position = Position(row["fen"])
        assert position.fen == row["fen"]
        assert perft(position, row["depth"]) == row["count"], row


@games
def test_the_plain_implementation_gives_the_small_counts(game: str) -> None:
    small = [row for row in suite.rows(game) if row["count"] <= _SMALL]
    assert len({row["name"] for row in small}) > 50
    assert [row for row in small if not suite.is_right(row)] == []


@games
def test_every_mistake_is_caught(game: str) -> None:
    """With the cheapest of the positions that are listed as catching it."""
    found = suite.positions(game)
    assert set(CATCHES[game]) == set(found)
    for mutant in mutants(game):
        names = [name for name, caught in CATCHES[game].items() if mutant.name in caught]
        assert names, mutant
        rows = min((found[name] for name in names), key=lambda rows: sum(row["count"] for row in rows))
        if rows[-1]["count"] <= _MOST:
            assert any(suite.is_caught(mutant, row) for row in rows), (mutant, rows[0]["name"])


def test_a_position_with_the_name_of_a_mistake_catches_it() -> None:
    for game in suite.GAMES:
        names = {mutant.name for mutant in mutants(game)}
        for position, caught in CATCHES[game].items():
            mistake = re.sub(r" \(\d+\)$", "", position)
            assert mistake not in names or mistake in caught, position


def test_the_page_is_that_of_the_suite() -> None:
    assert suite.PAGE.read_text(encoding="utf-8") == suite.page(CATCHES)


def test_the_command() -> None:
    result = ringfen("suite", "--game", "rings", "--json")
    assert result.exit_code == 0
    assert len(json_lines(result)) == len(suite.rows("rings"))
    every = ringfen("suite", "--max-nodes", "1")
    total = sum(len(suite.rows(game)) for game in suite.GAMES)
    right, skipped = (int(number) for number in re.findall(r"(\d+) (?:right|skipped)", every.stdout))
    assert (right + skipped, every.exit_code) == (total, 0)


@pytest.mark.long
@games
def test_the_plain_implementation_gives_all_counts(game: str) -> None:
    assert [row for row in suite.rows(game) if not suite.is_right(row)] == []


@pytest.mark.long
def test_all_catches() -> None:
    assert suite.all_catches(2) == CATCHES
