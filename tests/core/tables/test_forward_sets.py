"""Sets of random positions with one stone more than tables have, against tables that cover them."""

from __future__ import annotations

import runpy
import shutil
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from ringfen import Position
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.tables.tablebase import Tables

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
SCRIPT = runpy.run_path(str(BENCHMARKS / "siaius_positions.py"))


def set_of(name: str) -> list[str]:
    lines = (BENCHMARKS / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("name", SCRIPT["SETS"])
def test_the_script_writes_the_sets(name: str) -> None:
    assert (BENCHMARKS / "data" / name).read_text(encoding="utf-8") == SCRIPT["text_of"](name)


def compare(board: Board, stones: int, directory: Path, fens: Iterable[str]) -> Counter[str]:
    """Compare the results for positions with this many stones, and for their successors, with tables that contain
    them; at the leaves are tables of one stone less. Counts the values."""
    small, large = directory / "small", directory / "large"
    build_tables(board, stones - 1, directory=small)
    shutil.copytree(small, large)
    build_tables(board, stones, directory=large)
    known, leaves = Tables(board, large), Tables(board, small)
    found: Counter[str] = Counter()
    for fen in fens:
        position = Position(fen)
        search = ProofNumberSearch(leaves, position, 256 << 20)
        assert search.solve(), fen
        winner = search.winner(position)
        assert winner is not None
        assert winner == 0 or search.measure()
        for at in (position, *(after for _, after in position.successors() if not after.is_over)):
            said, right = search.winner(at), known.value(at)
            assert right is not None
            if said is None:
                continue
            value = "draw" if said == 0 else "win" if "sn"[said - 1] == at.player else "loss"
            assert value == right[0], at.fen
            upper = search.wins(at, said)[1] if said else None
            assert upper is None or right[1] is None or upper >= right[1], at.fen
            if at is position:
                found[value] += 1
    return found


def test_four_stones_equal_their_tables(tmp_path: Path) -> None:
    positions = SCRIPT["random_positions"](4, 4, 4, 2)
    assert set(compare(Board("siaius", 4, 4, "turn"), 4, tmp_path, islice(positions, 60))) == {"win", "loss", "draw"}


@pytest.mark.long
def test_five_stones_equal_their_tables(tmp_path: Path) -> None:
    """About 5 minutes."""
    found = compare(Board("siaius", 5, 5, "turn"), 5, tmp_path, set_of("siaius-5x5-5.txt"))
    assert found.total() == 500
