"""Search over a stored graph with tables at its leaves: values and bounds against tables of one stone more."""

from __future__ import annotations

import os
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from siaius_random import random_position

from ringfen import Limits, Position, SolveOptions, TableError, solve
from ringfen.control import Progress
from ringfen.solving.proof_number import DistanceLimits, search_to_tables, solve_by_proof_number
from ringfen.solving.tables import value_lookup
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.tables.tablebase import Tables
from ringfen.win_value import DRAW, best_plies

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
        search = ProofNumberSearch(leaves, position, 16 << 20)
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


#: Nodes that 20 positions take. What changes the order of the search changes it: say in the commit why.
EFFORT = 20047


def test_the_effort(small: Path) -> None:
    rnd, leaves = Random("effort"), Tables(Board("siaius", 4, 4, "turn"), small)
    nodes = 0
    for _ in range(20):
        search = ProofNumberSearch(leaves, Position(random_position(rnd, 4, 4, 7, "")), 16 << 20)
        search.solve(Limits(nodes=50_000))
        nodes += search.nodes
    assert nodes == EFFORT


def test_nearly_all_of_the_memory_is_for_the_graph(small: Path) -> None:
    """The graph of this position takes more than seven eighths of the memory."""
    leaves = Tables(Board("siaius", 4, 4, "turn"), small)
    search = ProofNumberSearch(leaves, Position("siaius Cc1m/t2t/3T/M3 s - a4 0"), 590 << 10)
    assert search.solve()
    assert not search.is_full


def test_limits_and_answers_repeat(small: Path) -> None:
    position = Position("siaius s3/1t2/4/C2M s - - 0")
    options = SolveOptions(hash_mb=8, tables=small, wdl=True)
    first, again = solve(position, options), solve(position, options)
    assert (first.value, first.best, first.nodes) == (again.value, again.best, again.nodes)
    for nodes in (40, 700, 5000):
        limited = SolveOptions(limits=Limits(nodes=nodes), hash_mb=1, tables=small)
        found = [replace(solve("siaius 4/m2M/1c2/4 n - - 0", limited), seconds=0.0) for _ in range(2)]
        assert found[0] == found[1]
    stopped = solve(position, SolveOptions(limits=Limits(nodes=3), hash_mb=8, tables=small))
    assert (stopped.status, stopped.value, stopped.nodes) == ("unknown", None, 3)
    assert first.status == "exact"


@pytest.mark.parametrize(
    ("wdl", "nodes", "expected"), [(False, 10, 7), (True, 10, 9), (False, 160, 120), (True, 160, 150)]
)
def test_the_value_alone_gets_more_of_the_limits(
    small: Path, monkeypatch: pytest.MonkeyPatch, wdl: bool, nodes: int, expected: int
) -> None:
    asked = []

    def stop(self: ProofNumberSearch, limits: Limits, progress: object) -> bool:
        asked.append(limits)
        return False

    monkeypatch.setattr(ProofNumberSearch, "solve", stop)
    limits = Limits(nodes=nodes, seconds=float(nodes))
    solve("siaius s3/1t2/4/C2M s - - 0", SolveOptions(limits=limits, hash_mb=8, tables=small, wdl=wdl))
    (found,) = asked
    assert found.nodes == expected
    assert found.seconds == pytest.approx(nodes * (15 / 16 if wdl else 3 / 4), abs=0.5)


@pytest.mark.parametrize("huff", HUFFS)
def test_what_a_stopped_search_says_is_true(small: Path, large: Path, huff: str) -> None:
    """For every position that it has visited; and a continued search finds the right value."""
    rnd, board, open_ones = Random(huff), Board("siaius", 4, 4, huff), 0
    known, leaves = Tables(board, large), Tables(board, small)
    for _ in range(40):
        position = Position(random_position(rnd, 4, 4, 3, "" if huff == "turn" else f" huff={huff}"))
        search = ProofNumberSearch(leaves, position, 4 << 20)
        near = [position, *(after for _, after in position.successors() if after.outcome is None)]
        solved = False
        while not solved:
            solved = search.solve(Limits(nodes=30))
            for at in near:
                said, right = search.winner(at), known.value(at)
                assert said is None or (right and value_of(at, said) == right[0]), at.fen
                open_ones += (said is None) and not solved
        assert search.winner(position) is not None
    assert open_ones >= 30, open_ones


def played(position: Position, line: tuple[str, ...]) -> list[Position]:
    """The positions of a line, the first included."""
    met = [position]
    for ply in line:
        met.append(met[-1].apply(ply))
    return met


@pytest.mark.parametrize("huff", HUFFS)
def test_lines_keep_the_value_to_the_end(small: Path, large: Path, huff: str) -> None:
    """Lines of wins and losses have as many plies as the bound; draws go to the end or to the first repetition."""
    known, rnd, lengths = Tables(Board("siaius", 4, 4, huff), large), Random(3), []
    for _ in range(40):
        position = Position(random_position(rnd, 4, 4, 3, "" if huff == "turn" else f" huff={huff}"))
        search = search_to_tables(position, SolveOptions(hash_mb=1, tables=small), None)
        assert search is not None
        assert search.solution is not None
        found = search.solution
        met = played(position, found.pv)
        won = None if found.value == "draw" else "sn"[(position.player == "s") != (found.value == "win")]
        for at in met:
            value = known.value(at)
            assert at.is_over or (value and (value[0] == "win") == (won == at.player)), at.fen
        if found.value == "draw":
            assert met[-1].outcome == "draw" or met[-1] in met[:-1]
        else:
            assert met[-1].outcome == won
            assert len(found.pv) == (found.distance if found.status == "exact" else found.upper)
        lengths.append(len(found.pv))
    assert max(lengths) > 8


@pytest.mark.parametrize("huff", HUFFS)
def test_distances_best_plies_and_lines_are_those_of_tables(small: Path, large: Path, huff: str) -> None:
    known, rnd, distances = Tables(Board("siaius", 4, 4, huff), large), Random(4), []
    for _ in range(60):
        position = Position(random_position(rnd, 4, 4, 3, "" if huff == "turn" else f" huff={huff}"))
        value = known.value(position)
        assert value is not None
        found = solve_by_proof_number(position, SolveOptions(hash_mb=8, tables=small), None, time.monotonic())
        assert found is not None
        assert found.status == "exact"
        assert (found.value, found.distance) == value, position.fen
        assert found.best == best_plies(position, lambda at: known.value(at) or DRAW) or found.value == "draw"
        if value[1] is not None:
            assert found.best_complete
            assert len(found.pv) == value[1]
            assert played(position, found.pv)[-1].outcome is not None
            distances.append(value[1])
    assert max(distances) > 6


@pytest.mark.parametrize("huff", HUFFS)
def test_early_bounds_of_distances_are_true(small: Path, large: Path, huff: str) -> None:
    """After few nodes, no win is shorter than the lower bound, for any position and number of plies."""
    known, rnd, rising = Tables(Board("siaius", 4, 4, huff), large), Random(5), 0
    for _ in range(25):
        position = Position(random_position(rnd, 4, 4, 3, "" if huff == "turn" else f" huff={huff}"))
        value = known.value(position)
        search = ProofNumberSearch(Tables(Board("siaius", 4, 4, huff), small), position, 16 << 20)
        assert search.solve()
        if value is None or value[1] is None:
            continue
        assert search.measure()
        while not search.deepen(Limits(nodes=3)):
            upper = search.wins(position, search.winner(position) or 0)[1]
            assert upper is not None
            assert 1 <= search.lower <= value[1] <= upper
            rising += search.lower > 1
        assert search.lower == value[1]
        for _, after in position.successors():
            right = known.value(after)
            if right is None or after.outcome is not None:
                continue
            wins = right[1] is not None and (
                (right[0] == "win") == (after.player == "sn"[(search.winner(position) or 0) - 1])
            )
            for plies in (2, 3, 5, 8, 13):
                assert search.wins_within(after, plies, Limits()) is (wins and (right[1] or 0) <= plies), after.fen
    assert rising > 10


def test_a_table_damaged_during_a_run_is_reported(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(small, folder)
    position = Position("siaius 4/1mCM/2C1/4 s - - 0")
    search = ProofNumberSearch(Tables(Board("siaius", 4, 4, "turn"), folder), position, 16 << 20)
    assert search.solve()
    assert search.measure()
    for path in folder.rglob("*.rft"):
        os.truncate(path, 100)
    with pytest.raises(TableError) as error:
        any(search.wins_within(after, 9, Limits()) is None for _, after in position.successors())
    assert error.value.reason == "damaged-table"


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
                assert len(found.pv) <= (found.upper or 1)
                assert found.note is not None or nodes is not None
            else:
                assert found.decided is not None
                assert value[1] is None or value[1] > found.decided
    assert statuses == {"exact", "bound", "unknown"}


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_some_tables_give_the_values_of_all(large: Path, tmp_path: Path, share: float) -> None:
    """A position can have a value while a successor, such as one with a huff, needs a table that is missing."""
    known, rnd, decided = Tables(Board("siaius", 4, 4, "turn"), large), Random(str(share)), 0
    folder = tmp_path / "siaius-4x4-turn"
    folder.mkdir()
    for path in sorted((large / folder.name).glob("*.rft")):
        if rnd.random() < share:
            shutil.copy(path, folder)
    for _ in range(60):
        position = Position(random_position(rnd, 4, 4, 3, ""))
        options = SolveOptions(limits=Limits(nodes=rnd.choice((5, 100, 2000))), hash_mb=1, tables=tmp_path)
        found = solve(position, replace(options, wdl=rnd.random() < 0.3))
        value = known.value(position)
        assert value is not None
        if found.value is not None:
            decided += 1
            assert found.value == value[0]
            assert found.distance in (None, value[1])
            assert not found.best_complete or set(best_plies(position, value_lookup(known))) <= set(found.best)
        line = position
        for ply in found.pv:
            line = line.apply(ply)
        assert line.is_over or value[0] == "draw" or not found.pv_complete
    assert decided > 20


def test_a_distance_gets_the_rest_of_the_limits_or_a_part_of_the_nodes(small: Path) -> None:
    board = Board("siaius", 4, 4, "turn")
    search = ProofNumberSearch(Tables(board, small), Position("siaius 4/1mCM/2C1/4 s - - 0"), 16 << 20)
    assert search.solve()
    begun = time.monotonic()
    of_nodes = DistanceLimits(Limits(nodes=9_000_000), search, begun).left()
    assert of_nodes == Limits(nodes=9_000_000 - search.nodes)
    of_time = DistanceLimits(Limits(seconds=900), search, begun).left()
    assert of_time is not None
    assert of_time.nodes is None
    assert of_time.seconds is not None
    assert 800 < of_time.seconds <= 900
    assert DistanceLimits(Limits(), search, begun).left() == Limits(nodes=200_000)
    assert DistanceLimits(Limits(nodes=search.nodes), search, begun).left() is None


@pytest.mark.parametrize("huff", HUFFS)
def test_helpers_change_nothing(small: Path, huff: str) -> None:
    """Answers, bounds and lines of complete searches and of stopped and continued ones."""
    rnd, leaves = Random(huff), Tables(Board("siaius", 4, 4, huff), small)
    for _ in range(6):
        position = Position(random_position(rnd, 4, 4, 6, "" if huff == "turn" else f" huff={huff}"))
        said = []
        for threads in (1, 3):
            search = ProofNumberSearch(leaves, position, 16 << 20, threads)
            stopped = [search.solve(Limits(nodes=nodes)) for nodes in (100, 3_000, 30_000)]
            near = [position, *(after for _, after in position.successors() if after.outcome is None)]
            known = [search.wins(at, player)[0] for at in near for player in (1, 2)]
            measured = search.measure() if stopped[-1] else None
            said.append((stopped, search.nodes, known, measured, search.wins(position, 1), search.wins(position, 2)))
        assert said[0] == said[1], position.fen
    position = Position(f"siaius s3/1t2/4/C2M s - - 0{'' if huff == 'turn' else f' huff={huff}'}")
    one, two = (solve(position, SolveOptions(hash_mb=8, tables=small, wdl=True, threads=threads)) for threads in (1, 2))
    assert replace(one, seconds=0.0) == replace(two, seconds=0.0)


def test_helpers_end_with_a_search_that_is_stopped(small: Path) -> None:
    def refuse(progress: Progress) -> None:
        raise KeyboardInterrupt

    search = ProofNumberSearch(
        Tables(Board("siaius", 4, 4, "turn"), small), Position("siaius smts/4/4/STMS s - - 0"), 64 << 20, 3
    )
    with pytest.raises(KeyboardInterrupt):
        search.solve(Limits(seconds=20), refuse)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]
    assert not search.solve(Limits(nodes=100))


def test_a_full_memory_stops_helpers_too(small: Path) -> None:
    found = []
    for threads in (1, 2):
        search = ProofNumberSearch(
            Tables(Board("siaius", 4, 4, "turn"), small), Position("siaius smtc/4/4/CTMS s - - 0"), 1, threads
        )
        found.append((search.solve(), search.is_full, search.nodes))
    assert found[0] == found[1]
    assert found[0][:2] == (False, True)
