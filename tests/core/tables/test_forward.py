"""Search over a stored graph with tables at its leaves: values and bounds against tables of one stone more."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from siaius_random import random_position

from ringfen import Limits, Position, SolveOptions, solve
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.forward import ForwardSearch
from ringfen.tables.tablebase import Tables

HUFFS = ("turn", "stone", "off")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("small")
    for huff in HUFFS:
        build_tables(Board("siaius", 4, 4, huff), 2, directory=path, threads=1)
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("large")
    for huff in HUFFS:
        build_tables(Board("siaius", 4, 4, huff), 3, directory=path, threads=1)
    return path


def value_of(position: Position, winner: int) -> str:
    return "draw" if winner == 0 else "win" if "sn"[winner - 1] == position.player else "loss"


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", ["", " beats=reverse"])
def test_values_are_those_of_tables_and_no_bound_is_too_low(small: Path, large: Path, beats: str, huff: str) -> None:
    rnd = Random(huff + beats)
    board = Board("siaius", 4, 4, huff)
    known, leaves = Tables(board, large), Tables(board, small)
    found = set()
    for _ in range(60):
        position = Position(random_position(rnd, 4, 4, 3, beats + ("" if huff == "turn" else f" huff={huff}")))
        search = ForwardSearch(leaves, position, 16 << 20)
        assert search.solve()
        value = known.value(position)
        assert value is not None
        winner = search.winner(position)
        assert winner is not None
        assert value_of(position, winner) == value[0], position.fen
        found.add(value[0])
        if winner != 0:
            assert search.measure()
            upper = search.wins(position, winner)[1]
            assert value[1] is not None
            assert upper is not None, position.fen
            assert upper >= value[1], position.fen
        for _, after in position.successors():
            said, right = search.winner(after), known.value(after)
            assert said is None or after.outcome or (right and value_of(after, said) == right[0]), after.fen
    assert found == {"win", "loss", "draw"}


def test_limits_and_answers_repeat(small: Path) -> None:
    position = Position("siaius s3/1t2/4/C2M s - - 0")
    options = SolveOptions(hash_mb=8, tables=small, wdl=True)
    first, again = solve(position, options), solve(position, options)
    assert (first.value, first.best, first.nodes) == (again.value, again.best, again.nodes)
    stopped = solve(position, SolveOptions(limits=Limits(nodes=3), hash_mb=8, tables=small))
    assert (stopped.status, stopped.value, stopped.nodes) == ("unknown", None, 3)
    assert first.status == "exact"


def test_distances_are_exact_where_forward_search_finds_them(small: Path, large: Path) -> None:
    known, rnd, statuses = Tables(Board("siaius", 4, 4, "turn"), large), Random(11), set()
    for _ in range(12):
        position = Position(random_position(rnd, 4, 4, 3, ""))
        value = known.value(position)
        assert value is not None
        for nodes in (None, 3, 600):
            found = solve(position, SolveOptions(limits=Limits(nodes=nodes), hash_mb=1, tables=small))
            assert nodes is None or found.nodes <= nodes
            statuses.add(found.status)
            if found.status == "exact":
                assert (found.value, found.distance) == value
            elif found.status == "bound":
                assert found.value == value[0]
                assert value[1] is not None
                assert isinstance(found.lower, int)
                assert found.lower <= value[1]
                assert found.upper is None or (isinstance(found.upper, int) and value[1] <= found.upper)
            else:
                assert found.decided is not None
                assert value[1] is None or value[1] > found.decided
    assert statuses == {"exact", "bound", "unknown"}
