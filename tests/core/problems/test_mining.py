"""Problems among positions: their order, their number, twins, and wrong arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from ringfen import Position, Problem, Tablebase, find_problems, game_ids
from ringfen.notation.random_play import Generator, random_ply
from ringfen.notation.random_positions import random_placements
from ringfen.problems.mining import ProblemOptions, Twins, examine

#: A win in 2, its mirror image, the same with the sides exchanged, and both.
TWINS = [
    "gyges ...3../..1.../1.2221/33..21/....../3..... n - 1+1",
    "gyges ..3.../...1../1222.1/12..33/....../.....3 n - 1+1",
    "gyges 3...../....../33..21/1.2221/..1.../...3.. s - 1+1",
    "gyges .....3/....../12..33/1222.1/...1../..3... s - 1+1",
]
#: Positions with twins: the image differs from the position.
WITH_TWINS = {
    "siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0": "siaius 10/10/10/10/10/4M5/3s6/10/10/4C5 n - - 0",
    "siaius 3c/s3/4/S3 s a3 - 0 huff=stone": "siaius 3s/4/3S/C3 n d2 - 0 huff=stone",
    "rings k...1/...../.K(31).../...../..3../...../....K s 0+1 0": (
        "rings 1...k/...../...K(31)./...../..3../...../K.... s 0+1 0"
    ),
    # The players have other numbers, in the same order of play.
    "gran g4:3:TU/e4:2:TG!/-:3:- @1 h4,a8,d8 2.0.4.6.6.4.2 1 move": (
        "gran -:3:-/g4:3:TU/e4:2:TG! @2 h4,a8,d8 2.0.4.6.6.4.2 2 move"
    ),
    "gran g4:3:TU/d7:2:TG/c4:1:-/a1:3:E b2 - 2.0.4.6.6.4.2 4 move": (
        "gran c4:1:-/a1:3:E/g4:3:TU/d7:2:TG b2 - 2.0.4.6.6.4.2 2 move"
    ),
}
#: Positions that resemble each other but are no twins: in The King of Rings the sides are not alike (K10).
NO_TWINS = [
    (
        "rings k...1/...../...../...../...../...../....K s 0+0 0",
        "rings k..../...../...../...../...../...../1...K n 0+0 0",
    ),
    (
        "gyges ...3../..1.../1.2221/33..21/....../3..... n - 1+2",
        "gyges 3...../....../33..21/1.2221/..1.../...3.. s - 1+2",
    ),
    ("siaius 4/2s1/4/S3 s - - 0", "siaius 4/1s2/4/S3 s - - 0"),
    # Another order of play.
    (
        "gran g4:3:TU/e4:3:TG/c4:3:- @1 h4,a8,d8 2.0.4.6.6.4.2 1 move",
        "gran g4:3:TU/c4:3:-/e4:3:TG @1 h4,a8,d8 2.0.4.6.6.4.2 1 move",
    ),
    # A half turn of the board changes the order of the texts of plies, which breaks ties of the model maxn.
    (
        "gran g4:3:TU/e4:3:TG/c4:3:- @1 - 2.0.4.6.6.4.2 1 move",
        "gran c6:3:GE/e6:3:TG/g6:3:- @1 - 2.0.4.6.6.4.2 1 move",
    ),
]


def game_positions(start: str, number: int = 0) -> Iterator[Position]:
    """The positions of random games."""
    for stream in count(number):
        position, generator = Position(start), Generator(1, stream)
        for _ in range(position.game.default_max_plies):
            if position.is_over:
                break
            yield position
            _, position = random_ply(position, generator)


def test_of_twins_one_is_kept() -> None:
    (only,) = find_problems(TWINS)
    assert (only.fen, only.number) == (TWINS[0], 1)
    assert [one.fen for one in find_problems(TWINS, keep_mirrored=True)] == TWINS
    assert [one.number for one in find_problems([*TWINS, *TWINS], keep_mirrored=True)] == [1, 2, 3, 4]


@pytest.mark.parametrize("fen", WITH_TWINS)
def test_twins_are_recognised(fen: str) -> None:
    twins, all_of_them = Twins(keep_mirrored=False), Twins(keep_mirrored=True)
    for recogniser, is_new in ((twins, False), (all_of_them, True)):
        assert recogniser.is_new(Position(fen))
        assert recogniser.is_new(Position(WITH_TWINS[fen])) == is_new
        assert not recogniser.is_new(Position(fen))


@pytest.mark.parametrize("fen", WITH_TWINS)
def test_twins_have_the_same_number_of_plies_and_the_same_problem(fen: str) -> None:
    first, second = Position(fen), Position(WITH_TWINS[fen])
    assert [first.perft(plies) for plies in (1, 2)] == [second.perft(plies) for plies in (1, 2)]
    options = ProblemOptions(length=(1, 3))
    found = [examine(position, options).problem for position in (first, second)]
    known = [one and (one.stipulation, one.legal, one.tries, one.duals) for one in found]
    assert known[0] == known[1]


@pytest.mark.parametrize(("first", "second"), NO_TWINS)
def test_other_positions_are_no_twins(first: str, second: str) -> None:
    twins = Twins(keep_mirrored=False)
    assert twins.is_new(Position(first))
    assert twins.is_new(Position(second))


@pytest.mark.parametrize("game_id", game_ids())
def test_every_position_of_a_start_is_new_once(game_id: str) -> None:
    twins = Twins(keep_mirrored=False)
    for position in islice(game_positions(game_id), 30):
        twins.is_new(position)
        assert not twins.is_new(position)


def test_the_problems_do_not_depend_on_the_jobs() -> None:
    positions = list(islice(game_positions("gyges ....../...3../1.212./.31232/..3.../..1... s - 1+1"), 40))
    one = list(find_problems(positions, length=(1, 2), nodes=10_000))
    assert len(one) >= 3
    assert [problem.number for problem in one] == sorted(problem.number for problem in one)
    assert list(find_problems(positions, length=(1, 2), nodes=10_000, jobs=2)) == one
    assert list(find_problems(positions, length=(1, 2), nodes=10_000, first=2)) == one[:2]


def test_endless_positions_are_read_as_far_as_needed() -> None:
    found = list(find_problems(game_positions("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0"), first=3))
    assert len(found) == 3
    assert all(problem.stipulation.startswith("best margin ") for problem in found)


def test_conditions() -> None:
    start = "gyges ....../...3../1.212./.31232/..3.../..1... s - 1+1"
    every = list(find_problems(islice(game_positions(start), 200), nodes=10_000))
    problems = [Position(one.fen) for one in every]

    def found(**options: Any) -> list[str]:
        return [one.fen for one in find_problems(problems, nodes=10_000, **options)]

    assert found(min_tries=1) == [one.fen for one in every if one.tries] != []
    assert found(min_legal=30) == [one.fen for one in every if one.legal >= 30] != []
    assert found(quiet_key=True) == [one.fen for one in every if "x" not in one.key] != []
    assert found(sound="line") == [one.fen for one in every if one.duals == 0] != []
    assert found(length=(2, 2)) == [one.fen for one in every if one.stipulation == "win in 2"] != []
    assert found() == [one.fen for one in every]
    for option in ({"min_tries": 1}, {"min_legal": 30}, {"quiet_key": True}, {"sound": "line"}, {"length": (2, 2)}):
        assert len(found(**option)) < len(every)


def test_json() -> None:
    (only,) = find_problems(TWINS[:1])
    assert only.to_json() == {
        "fen": TWINS[0],
        "game": "gyges",
        "stipulation": "win in 2",
        "key": "d6xe4-b2",
        "legal": 30,
        "tries": 0,
        "duals": 0,
        "nodes": only.nodes,
        "gap": None,
        "number": 1,
        "version": only.version,
    }
    assert isinstance(only, Problem)


def test_wrong_arguments_are_rejected() -> None:
    with pytest.raises(TypeError, match="expected several positions"):
        find_problems("gyges")
    with pytest.raises(TypeError, match="length is a pair of integers"):
        find_problems([], length=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"length begins with the smaller number, not 4\.\.2"):
        find_problems([], length=(4, 2))
    with pytest.raises(ValueError, match="sound is key, line or full, not 'half'"):
        find_problems([], sound="half")
    with pytest.raises(ValueError, match="nodes is 1 to"):
        find_problems([], nodes=0)
    with pytest.raises(ValueError, match="first is 1 to"):
        find_problems([], first=0)
    with pytest.raises(TypeError, match="quiet_key must be True or False"):
        find_problems([], quiet_key=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gap is 1 to 100 points"):
        list(find_problems(["rings"], length=(1, 100), gap=101))


def test_endgame_tables_change_no_problem(tmp_path: Path) -> None:
    with Tablebase(tmp_path) as tables:
        tables.build("siaius", files=3, ranks=4, stones=3)
    start = Position("siaius 3/s2/3/S2 s - - 0")
    positions = [position for _, position in islice(random_placements(start, "SMvT", 3), 100)]

    def found(directory: Path) -> list[Problem]:
        return [replace(one, nodes=0) for one in find_problems(positions, length=(2, 5), tables=directory)]

    with_tables = found(tmp_path)
    assert len(with_tables) >= 5
    assert with_tables == found(tmp_path / "none")
    assert all(one.nodes == 0 for one in find_problems(positions, length=(2, 5), tables=tmp_path))
    for file in tmp_path.rglob("*.rft"):
        file.write_bytes(file.read_bytes()[:-200] + bytes(200))
    assert found(tmp_path) == with_tables
