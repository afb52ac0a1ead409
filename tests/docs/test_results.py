"""What docs/results.md says that can be found again in seconds."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from ringfen import Position

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
SWINGS = re.findall(r"^\| (\d+) \| (-?\d+) \| (-?\d+) \| ([^|]*) \| `(\S+ [sn] [^`]*)` \|$", PAGE, re.MULTILINE)


def points(board: str, knight: str) -> int:
    """The points on the knights of a side."""
    return sum(int(ring) for rings in re.findall(rf"{knight}\((\d+)\)", board) for ring in rings)


def test_there_are_swings() -> None:
    assert len(SWINGS) == 7
    assert [int(row[0]) for row in SWINGS] == sorted((int(row[0]) for row in SWINGS), reverse=True)


@pytest.mark.parametrize("row", SWINGS)
def test_swings(row: tuple[str, str, str, str, str]) -> None:
    swing, lead, margin, best, fields = row
    solution = Position(f"rings {fields}").solve()
    board, side = fields.split()[:2]
    ahead = points(board, "K") - points(board, "k")
    assert solution.value == int(margin)
    assert int(lead) == (ahead if side == "s" else -ahead)
    assert int(swing) == abs(int(margin) - int(lead))
    first = re.split(", | and ", best)[0]
    assert first == solution.best[0]


def test_setups() -> None:
    setups = runpy.run_path(str(ROOT / "benchmarks" / "gyges_setups.py"))["positions"]()
    assert len(set(setups)) == len(setups) == 4068
    assert "4,068" in PAGE
    for text in setups[::400]:
        solution = Position(text).solve(plies=5, hash_mb=1)
        assert (solution.status, solution.decided) == ("unknown", 5)
