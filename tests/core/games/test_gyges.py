"""Gygès: the C core against known counts, lists and the plain Python reference; bounces, king's game, drawing."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from gyges_random import random_fen
from hypothesis import given
from hypothesis import strategies as st
from known_data import generated, rows
from reference import gyges as reference

from ringfen import IllegalPlyError, Position, RingfenError, game_by_id
from ringfen._core import ffi, lib

USUAL = "gyges 321123/....../....../....../....../321123 s - 1+1"
SQUARES = [file + rank for rank in "123456" for file in "abcdef"]
#: Counts above this are left to the long tests.
MOST_LEAVES = 20_000_000


def warning_of(position: Position, ply: str) -> str | None:
    parsed, error = ffi.new("rf_parsed_ply *"), ffi.new("rf_error *")
    raw = ply.encode()
    assert lib.rf_parse_ply(position.game.cdata, ffi.NULL, position.state, raw, len(raw), parsed, error)
    return None if parsed.warning == ffi.NULL else ffi.string(parsed.warning).decode()


# ---- known data ----


@pytest.mark.parametrize(
    "row",
    rows("data/gyges_perft.jsonl") + rows("data/gyges_scattered.jsonl"),
    ids=lambda row: f"{row['depth']}-{row['count']}",
)
def test_perft(row: dict[str, Any]) -> None:
    if row["count"] > MOST_LEAVES:
        pytest.skip("long")
    assert Position(row["fen"]).perft(row["depth"]) == row["count"]


@pytest.mark.long
def test_perft_4_from_the_usual_setup() -> None:
    assert Position(USUAL).perft(4) == 5_691_318_360


@pytest.mark.parametrize("row", rows("data/gyges_moves.jsonl"), ids=lambda row: row["fen"])
def test_moves(row: dict[str, Any]) -> None:
    position = Position(row["fen"])
    assert [[ply, after.fen] for ply, after in position.successors()] == row["plies"]


def test_lists_and_counts_agree_at_every_node() -> None:
    for row in rows("data/gyges_scattered.jsonl")[:2]:
        position = Position(row["fen"])
        control = ffi.new("rf_control *")
        assert lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, 3, ffi.NULL, control) == row["count"]


# ---- against the reference ----


def check_against_reference(fen: str, rnd: Random) -> Position:
    """Compares one position, and a few after it; returns one of those."""
    state = reference.parse(fen)
    position = Position(fen)
    plies = reference.plies(state)
    assert position.fen == fen == reference.text(state)
    assert position.plies() == plies
    assert sorted(generated(position)) == plies
    assert position.count() == len(plies)
    assert position.outcome == reference.outcome(state)
    assert position.player == reference.player(state)
    after = position
    for ply in rnd.sample(plies, min(10, len(plies))):
        after = position.apply(ply)
        assert after.fen == reference.text(reference.apply(state, ply))
        assert Position(after.fen) == after
        assert hash(Position(after.fen)) == hash(after)
        assert position.short(ply) == ply
        assert warning_of(position, ply) == ("null-move" if ply[:2] == ply[3:] else None)
    return after


@given(st.randoms(use_true_random=False))
def test_any_position(rnd: Random) -> None:
    check_against_reference(random_fen(rnd), rnd)


def test_six_rings_on_rank_1_may_be_set_up() -> None:
    board = "gyges ....../....../....../....../....../321123"
    setup, moves = Position(f"{board} n - 1+1"), Position(f"{board} n - 1+1 setup=done")
    assert setup.count() == 90
    assert moves.plies() == reference.plies(reference.parse(moves.fen))
    assert len({setup, moves, Position(f"{board} s - 1+1")}) == 3
    assert Position(f"{board} s - 1+1").apply("c1xd1-c1") == moves


def test_the_only_ring_leaves_every_square_free() -> None:
    position = Position("gyges ....../....../....../....../....../...... n 3 1+2")
    assert position.count() == 36


def test_a_full_first_rank_leaves_every_empty_square_free() -> None:
    """G7 leaves no square there: all ranks before North's active rank, rank 1, are nearer to North."""
    position = Position("gyges ....../....../....../....../....../312333 s 1 2+1")
    assert position.plies() == reference.plies(reference.parse(position.fen))
    assert position.count() == 30
    assert position.apply("=a2").player == "s"


@given(st.randoms(use_true_random=False))
def test_games(rnd: Random) -> None:
    position = Position(game_by_id("gyges").start(goals=rnd.choice(["1+1", "2+1", "1+3"])))
    for _ in range(12):
        if position.is_over:
            break
        position = check_against_reference(position.fen, rnd)


@given(st.randoms(use_true_random=False))
def test_named_bounces(rnd: Random) -> None:
    fen = random_fen(rnd)
    state = reference.parse(fen)
    position = Position(fen)
    rings = [square for square, height in zip(SQUARES, state.heights, strict=True) if height] or SQUARES
    movers = sorted({ply[:2] for ply in position.plies() if ply[0] in "abcdef"}) or ["a1"]
    for _ in range(40):
        stops = [rnd.choice(movers), *(rnd.choice(rings) for _ in range(rnd.choice([1, 1, 2, 3])))]
        end = rnd.choice(["-" + rnd.choice([*SQUARES, "N", "S"]), f"x{rnd.choice(rings)}-{rnd.choice(SQUARES)}"])
        ply = "-".join(stops) + end
        short = reference.accepts(state, ply)
        if short is None:
            with pytest.raises(IllegalPlyError):
                position.short(ply)
        else:
            assert position.short(ply) == short
            assert position.apply(ply) == position.apply(short)


@given(st.randoms(use_true_random=False))
def test_bounces_that_happened_are_accepted(rnd: Random) -> None:
    """Ways made by following legs, so that nearly all are legal."""
    fen = random_fen(rnd)
    state = reference.parse(fen)
    position = Position(fen)
    if state.throne:
        return
    board = {square: height for square, height in zip(SQUARES, state.heights, strict=True) if height}
    movers = sorted({ply[:2] for ply in position.plies()})
    goal = "N" if state.side == "s" else "S"
    for _ in range(20):
        origin = rnd.choice(movers)
        others = {square: height for square, height in board.items() if square != origin}
        stops, arrival, height = [origin], (origin, frozenset[Any]()), board[origin]
        while True:
            arrivals = list(reference._legs(others, arrival, height, goal))
            if not arrivals:
                break
            arrival = rnd.choice(sorted(arrivals, key=lambda there: (there[0], sorted(map(sorted, there[1])))))
            stops.append(arrival[0])
            if arrival[0] not in others:
                ply = "-".join(stops)
                assert position.short(ply) == f"{origin}-{arrival[0]}"
                assert reference.accepts(state, ply) == f"{origin}-{arrival[0]}"
                break
            height = others[arrival[0]]


def ends_with_one_bounce_per_ring(others: dict[str, int], origin: str, height: int, goal: str) -> set[str]:
    """Where a ring can be after its own leg and bounces on different rings."""
    ends = set()
    none = frozenset[str]()
    todo = [((origin, frozenset[Any]()), none, height)]
    done = set(todo)
    while todo:
        here, bounced, steps = todo.pop()
        for there in reference._legs(others, here, steps, goal):
            ends.add(there[0])
            if there[0] in others and there[0] not in bounced:
                following = (there, bounced | {there[0]}, others[there[0]])
                todo += {following} - done
                done.add(following)
    return ends


def test_a_second_bounce_on_a_ring_adds_no_ply() -> None:
    """docs/ugi.md: Beck-Bjella/Gyges allows one bounce on each ring."""
    position = Position("gyges ....../.3.3.1/....../..3.2./2....2/...... s - 1+1")
    assert position.short("f2-e3-c3-b5-c3-d1") == position.short("f2-e3-c3-d1") == "f2-d1"
    rnd = Random(42)
    for number in range(150):
        heights = rnd.sample("111122223333", rnd.randint(2, 10))
        squares = rnd.sample(SQUARES[6 * (number % 3) : 36 - 6 * (number % 3)], len(heights))
        board = dict(zip(squares, map(int, heights), strict=True))
        for origin, height in board.items():
            others = {square: ring for square, ring in board.items() if square != origin}
            ends = reference._landings(others, origin, height, "N")
            assert ends_with_one_bounce_per_ring(others, origin, height, "N") == ends, board


# ---- rules by example ----


def test_a_ring_may_come_back() -> None:
    # G5: only the second use of a connection is forbidden, not a result
    position = Position("gyges 3....2/31.22./12...3/13..1./....../...... n - 1+1")
    assert position.apply("f6-f6").fen == position.fen.replace(" n ", " s ")
    assert warning_of(position, "f6-f6") == "null-move"


def test_the_second_rank_moves_only_if_the_first_is_blocked() -> None:
    # G4: rings of height 2 and 3 with neighbours all around
    position = Position("gyges ....../....../....../....../111123/323232 s - 1+1")
    assert {ply[1] for ply in position.plies()} == {"2"}
    with pytest.raises(IllegalPlyError) as caught:
        position.apply("a1-a4")
    assert caught.value.reason == "blocked-ring"


def test_the_kings_game_continues_after_a_conquest() -> None:
    # G9: the ring is put back by the conquered, who then moves
    position = Position("gyges ....../1...../3.23../3.211./2.132./...... s - 2+1")
    position = position.apply("d2-N")
    assert position.fen.endswith(" n 3 1+1")
    assert position.outcome is None
    assert all(ply.startswith("=") for ply in position.plies())
    back = position.apply(position.plies()[0])
    assert back.player == "n"
    assert " - 1+1" in back.fen
    last = Position("gyges ....../1...../3.23../3.211./2.132./...... s - 1+1").apply("d2-N")
    assert last.outcome == "s"
    assert last.plies() == []


def test_a_game_from_2001() -> None:
    plies = (
        "231123 321123 f1-e3 a6-c5 e1-d2 f6xe6-a2 c1-d1-d2xe3-c3 b6xc5-f3 d1-d2-e3xf3-c4 d6-d5 b1-c3xd5-d1 "
        "e6-e3xf3-d3 d1-d2-e3-f3-f6 c6-d6 a1-b2 d6-d5-e3-f3-S"
    )
    assert Position("gyges").play(plies.split()).outcome == "n"


@pytest.mark.parametrize(
    ("ply", "reason"),
    [
        ("a2-b3", "no-such-ring"),
        ("b6-b5", "inactive-ring"),
        ("a1-b1", "end-taken"),
        ("a1-S", "own-throne"),
        ("a1-b1-c3", "out-of-reach"),
        ("a1-b2-c3", "no-ring-to-bounce"),
        ("a1xb2-c3", "no-ring-to-displace"),
        ("a1xd1-a2", "out-of-reach"),
        ("=c3", "no-ring-on-throne"),
        ("321123", "already-set-up"),
        ("c1xb1-S", "put-on-throne"),
        ("c1xb1-d1", "place-taken"),
    ],
)
def test_reasons(ply: str, reason: str) -> None:
    with pytest.raises(IllegalPlyError) as caught:
        Position(USUAL).apply(ply)
    assert caught.value.reason == reason


def test_the_reason_names_the_ring_and_the_rank() -> None:
    with pytest.raises(IllegalPlyError, match=r"no ring on a1 \(South moves rank 2\)"):
        Position("gyges ..2.../2.3.1./..1.1./21.233/.....3/...... s - 1+1").apply("a1-b3")


# ---- start, drawing ----


def test_start() -> None:
    game = game_by_id("gyges")
    assert game.start() == Position("gyges").fen
    assert game.start(setup="321123/112233", goals="3+1") == USUAL.replace("gyges 321123", "gyges 112233").replace(
        "1+1", "3+1"
    )
    for options in (
        {"goals": "0+1"},
        {"goals": "10+1"},
        {"setup": "321123"},
        {"setup": "321122/321123"},
        {"setup": "/"},
    ):
        with pytest.raises(RingfenError):
            game.start(**options)


def test_drawing() -> None:
    drawn = Position("gyges ....../..32.1/2.2..1/...12./.3...3/..1... s 3 3+1").draw()
    assert "puts the 3-ring back" in drawn
    assert "[3] S" in drawn
    assert "  5  . . 3 2 . 1" in drawn.splitlines()
    assert "South 3, North 1" in drawn
    assert "South sets up" in Position("gyges").draw()
    assert "North has won" in Position("gyges ..2.../2.3.1./..1.1./21.233/....../...... s 3 1+0").draw()


@pytest.mark.parametrize("fen", ["gyges", USUAL, "gyges ....../..32.1/2.2..1/...12./.3...3/..1... s 3 3+1"])
def test_svg(fen: str) -> None:
    root = ElementTree.fromstring(Position(fen).svg())
    rings = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(rings) == sum(letter in "123" for letter in Position(fen).fen.split()[1]) + (" 3 3+1" in fen)


def test_paths_name_the_fewest_bounces() -> None:
    rnd = Random(40)
    longest = 0
    for _ in range(150):
        position = Position(random_fen(rnd))
        ranks = "".join(reversed(position.fen.split()[1].split("/")))
        rings = [square for square, ring in zip(SQUARES, ranks, strict=True) if ring != "."]
        plies = [ply for ply in position.plies() if ply[0] in "abcdef"]
        for ply in rnd.sample(plies, min(12, len(plies))):
            path = position.path_of(ply)
            assert position.short(path) == ply
            assert position.path_of(path) == path
            bounces = (len(path) - len(ply)) // 3
            longest = max(longest, bounces)
            if bounces > 1:
                assert not any(position.is_legal(f"{ply[:2]}-{ring}{ply[2:]}") for ring in rings), (position, path)
    assert longest >= 3
    position = Position("gyges .2113./..3.../....../....3./2..2../2311.. s - 1+1")
    assert position.path_of("b1-c3") == "b1-c3"
    assert position.path_of("b1-d4") == "b1-d2-d4"
    assert position.path_of("b1-d2-c3") == "b1-d2-c3"
