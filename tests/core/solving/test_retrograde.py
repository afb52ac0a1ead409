"""Retrograde analysis over reachable positions, against the plain reference."""

from __future__ import annotations

import random

import pytest
from reference import siaius as plain

from ringfen import LimitReached, Limits, Position
from ringfen.solving.retrograde import ReachableGraph
from ringfen.win_value import best_plies, principal_line

OPTIONS = [f"{beats}{huff}" for beats in ("", " beats=reverse") for huff in ("", " huff=stone", " huff=off")]
MEMORY = 1 << 30


def random_position(rng: random.Random, files: int, ranks: int, stones: int, options: str) -> str:
    """Both sides have a stone; nothing is pending."""
    while True:
        squares = rng.sample(range(files * ranks), stones)
        rows = [["."] * files for _ in range(ranks)]
        for square in squares:
            rank, file = divmod(square, files)
            stone = rng.choice("SMTCsmtc")
            if rank == ranks - 1 and stone.isupper():
                stone = "C"
            if rank == 0 and stone.islower():
                stone = "c"
            rows[rank][file] = stone
        text = "".join(map("".join, rows))
        if any(map(str.isupper, text)) and any(map(str.islower, text)):
            break
    state = plain.State(tuple(map("".join, rows)), rng.choice("sn"), (), "-", 0)
    return plain.text(state) + options


@pytest.mark.parametrize("options", OPTIONS)
def test_values_and_best_plies_are_those_of_the_reference(options: str) -> None:
    rng = random.Random("retrograde" + options)
    for files, ranks, stones in ((3, 3, 3), (3, 4, 2), (4, 3, 2)):
        position = Position(random_position(rng, files, ranks, stones, options))
        graph = ReachableGraph(position, MEMORY)
        value, distance, best = plain.solve(plain.parse(position.fen))
        assert graph.value(position) == (value, distance), position.fen
        assert list(best_plies(position, graph.value)) == best, position.fen


def test_a_won_line_takes_as_many_plies_as_the_distance_says() -> None:
    position = Position("siaius 4/3t/1M2/S3 n - - 0 huff=stone")
    graph = ReachableGraph(position, MEMORY)
    assert graph.value(position) == ("win", 10)
    line = principal_line(position, graph.value)
    assert len(line) == 10
    assert position.play(line).outcome == "n"


def test_a_drawn_line_stops_at_the_first_repetition() -> None:
    position = Position("siaius c2/3/3/2C/3 n - - 0")
    graph = ReachableGraph(position, MEMORY)
    assert graph.value(position) == ("draw", None)
    end = position.play(principal_line(position, graph.value))
    assert not end.is_over
    assert graph.value(end) == ("draw", None)


def test_two_passes_draw() -> None:
    position = Position("siaius sss/sSs/SSS s - - 0")
    graph = ReachableGraph(position, MEMORY)
    assert graph.value(position) == ("draw", None)
    assert principal_line(position, graph.value) == ("pass", "pass")


def test_who_is_walled_in_passes() -> None:
    position = Position("siaius 3/ss1/Sc1 s - - 0")
    graph = ReachableGraph(position, MEMORY)
    assert graph.value(position) == ("loss", 2)
    assert best_plies(position, graph.value) == ("pass",)
    assert graph.value(position.apply("pass")) == ("win", 1)


def test_a_finished_position_is_decided_at_once() -> None:
    lost = Position("siaius 3/1C1/3 n - - 0")
    huffed = Position("siaius 3/1C1/3 s - - 0")
    assert ReachableGraph(lost, MEMORY).value(lost) == ("loss", 0)
    assert ReachableGraph(huffed, MEMORY).value(huffed) == ("win", 0)


def test_other_positions_are_not_in_the_graph() -> None:
    graph = ReachableGraph(Position("siaius 3/1C1/3 n - - 0"), MEMORY)
    assert len(graph) == 1
    with pytest.raises(KeyError):
        graph.value(Position("siaius"))


def test_memory_and_limits_hold() -> None:
    start = Position("siaius")
    with pytest.raises(MemoryError):
        ReachableGraph(start, 1 << 20)
    with pytest.raises(LimitReached):
        ReachableGraph(start, MEMORY, limits=Limits(nodes=1000))
    with pytest.raises(MemoryError):
        ReachableGraph(start, 0)
