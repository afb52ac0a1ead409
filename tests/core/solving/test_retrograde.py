"""Retrograde analysis over reachable positions, against the plain reference."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest
from reference import gyges as plain_gyges
from reference import siaius as plain

from ringfen import LimitReached, Limits, Position
from ringfen.solving.retrograde import ReachableGraph
from ringfen.win_value import WinValue, best_plies, principal_line

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


# ---- Gygès with few rings ----


def gyges_fen(rings: dict[int, str], side: str = "s") -> str:
    """The position with these rings by square; a1 is 0, f6 is 35."""
    board = "".join(rings.get(square, ".") for square in range(36))
    return f"gyges {'/'.join(board[start : start + 6] for start in range(30, -1, -6))} {side} - 1+1"


def plain_values(heights: str) -> dict[plain_gyges.State, tuple[str, int]]:
    """Won and lost positions with these rings, with their distances, by the reference; the others are drawn."""
    placements = [dict(zip(squares, heights, strict=True)) for squares in permutations(range(36), len(heights))]
    states = [plain_gyges.parse(gyges_fen(rings, side)) for rings in placements for side in "sn"]
    after = {
        state: {plain_gyges.apply(state, ply) for ply in plain_gyges.plies(state)} for state in dict.fromkeys(states)
    }
    known: dict[plain_gyges.State, tuple[str, int]] = {}
    left, plies = set(after), 0
    while True:
        plies += 1
        # An odd number of plies ends with a ply of the side to move, which wins; an even one loses.
        if plies % 2 == 1:
            found = {
                state
                for state in left
                if any(plain_gyges.outcome(child) or known.get(child) == ("loss", plies - 1) for child in after[state])
            }
        else:
            found = {state for state in left if all(child in known or child.throne for child in after[state])}
        if not found and plies > 2 and plies % 2 == 0:
            return known
        known.update(dict.fromkeys(found, ("win" if plies % 2 == 1 else "loss", plies)))
        left -= found


def reachable(root: Position) -> set[Position]:
    found, left = {root}, [root]
    while left:
        after = {child for _, child in left.pop().successors()} - found
        found |= after
        left += after
    return found


@pytest.mark.parametrize("heights", ["1", "2", "12", "33"])
def test_gyges_with_one_or_two_rings(heights: str) -> None:
    known = plain_values(heights)
    values: dict[Position, WinValue] = {}
    for squares in permutations(range(36), len(heights)):
        for side in "sn":
            position = Position(gyges_fen(dict(zip(squares, heights, strict=True)), side))
            if position not in values:
                graph = ReachableGraph(position, MEMORY)
                values |= {found: graph.value(found) for found in reachable(position)}
            assert values[position] == known.get(plain_gyges.parse(position.fen), ("draw", None)), position.fen


def test_gyges_with_one_ring_of_each_height() -> None:
    """The counts are those of a plain program that shares no code with this one."""
    graph = ReachableGraph(Position(gyges_fen({0: "1", 1: "2", 2: "3"})), MEMORY)
    placements = [dict(zip(squares, "123", strict=True)) for squares in permutations(range(36), 3)]
    values = [graph.value(Position(gyges_fen(rings))) for rings in placements]
    assert Counter(value[0] if isinstance(value, tuple) else value for value in values) == {
        "win": 19_464,
        "loss": 7_842,
        "draw": 15_534,
    }
    assert max(plies for result, plies in values if plies is not None) == 32


def test_solve_answers_draws_of_gyges() -> None:
    position = Position("gyges ....../....../.3..../...1../....../..2... s - 1+1")
    solution = position.solve()
    assert (solution.status, solution.value, solution.best_complete) == ("exact", "draw", True)
    assert not position.play(solution.pv).is_over
