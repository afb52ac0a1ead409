"""docs/ten-problems.md: its problems are in the collections, and its diagrams and solutions are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ringfen import Position, check_problem
from ringfen.notation import read_records

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ten-problems.md").read_text(encoding="utf-8")
PROBLEMS = re.findall(
    r"^### Problem (\d+)\n\n!\[Problem \1\]\((ten-problems/\1\.svg)\)\n\n"
    r"(\w+(?: \d)?) to move, \*\*(.*?)\*\*.*?^`(.*?)`$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
SOLUTIONS = dict(re.findall(r"^\*\*Problem (\d+):\*\* (.*)\.$", PAGE, re.MULTILINE))
SIDES = {"s": "South", "n": "North", 1: "Player 1", 2: "Player 2"}


def test_there_are_ten_of_all_games() -> None:
    assert [number for number, *_ in PROBLEMS] == [str(number) for number in range(1, 11)] == list(SOLUTIONS)
    assert len({fen.split()[0] for *_, fen in PROBLEMS}) == 4


@pytest.mark.parametrize(("number", "picture", "side", "stipulation", "fen"), PROBLEMS)
def test_problem(number: str, picture: str, side: str, stipulation: str, fen: str) -> None:
    position = Position(fen)
    assert (ROOT / "docs" / picture).read_text(encoding="utf-8") == position.svg()
    assert SIDES[position.player] == side
    collection = read_records(ROOT / "examples" / "problems" / f"{position.game.id}.rgn")
    (record,) = (record for record in collection if record.tags["FEN"] == fen)
    assert record.tags["Stipulation"] == stipulation
    plies = re.findall("`(.*?)`", SOLUTIONS[number])
    assert plies == [node.ply for node in record.mainline()][: len(plies)]
    assert check_problem(position, stipulation).key == plies[0]
