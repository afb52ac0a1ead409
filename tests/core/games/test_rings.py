"""The King of Rings: the C core against known counts, lists, golden games and the plain Python reference."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_data import rows
from reference import rings as reference
from rings_random import random_text

from ringfen import (
    IllegalPlyError,
    ImpossiblePositionError,
    PlySyntaxError,
    Position,
    PositionSyntaxError,
    RingfenError,
    game_by_id,
)
from ringfen._core import ffi, lib

SMALL = "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0"


@pytest.mark.parametrize("row", rows("data/rings_perft.jsonl"), ids=lambda row: f"{row['fen']}-{row['depth']}")
def test_perft(row: dict[str, object]) -> None:
    assert Position(str(row["fen"])).perft(int(str(row["depth"]))) == row["count"]


@pytest.mark.long
def test_perft_6() -> None:
    assert Position("rings").perft(6) == 452_609_274


@pytest.mark.parametrize("row", rows("data/rings_moves.jsonl"), ids=lambda row: str(row["fen"]))
def test_moves(row: dict[str, object]) -> None:
    position = Position(str(row["fen"]))
    assert position.fen == row["fen"]
    assert [[ply, after.fen] for ply, after in position.successors()] == row["plies"]


@pytest.mark.parametrize("row", rows("golden/rings.jsonl"), ids=lambda row: f"{row['seed']}")
def test_golden_games(row: dict[str, Any]) -> None:
    position = Position(str(row["start"]))
    for ply, count in zip(row["plies"], row["counts"], strict=True):
        assert position.count() == count
        position = position.apply(ply)
    assert (position.fen, position.outcome) == (row["end"], row["outcome"])


@given(seed=st.integers(0, 2**32), games=st.just(3))
def test_random_games_as_the_reference_plays_them(seed: int, games: int) -> None:
    random = Random(seed)
    for _ in range(games):
        position = Position(random.choice(["rings", SMALL]))
        for _ in range(random.randrange(150)):
            state = reference.parse(position.fen)
            assert position.plies() == reference.plies(state)
            assert position.outcome == reference.outcome(state)
            assert position.player == reference.player(state)
            if position.is_over:
                break
            ply = random.choice(position.plies())
            position = position.apply(ply)
            assert position.fen == reference.text(reference.apply(state, ply))


@given(seed=st.integers(0, 2**32))
def test_any_position_as_the_reference_has_it(seed: int) -> None:
    text = random_text(Random(seed), rings=8, knights=7)
    try:
        state = reference.parse(text)
    except ValueError:
        with pytest.raises(RingfenError):
            Position(text)
        return
    position = Position(text)
    assert position.fen == reference.text(state) == text
    assert position.outcome == reference.outcome(state)
    assert [(ply, after.fen) for ply, after in position.successors()] == [
        (ply, reference.text(reference.apply(state, ply))) for ply in reference.plies(state)
    ]
    assert position.count() == len(position.plies())
    assert lib.rf_perft_kinds(
        position.game.cdata, ffi.NULL, position.state, 2, ffi.NULL, ffi.new("rf_control *")
    ) == position.perft(2)


@given(seed=st.integers(0, 2**32))
def test_plies_are_legal_exactly_if_they_are_listed(seed: int) -> None:
    random = Random(seed)
    text = random_text(random, rings=8, knights=7)
    try:
        position = Position(text)
    except RingfenError:
        return
    plies = set(position.plies())
    squares = [file + str(rank) for file in "abcdefg" for rank in range(1, 8)]
    tried = [f"{a}{sign}{b}" for sign in "-x" for a, b in (random.sample(squares, 2) for _ in range(200))]
    tried += [f"@{square}" for square in squares] + ["pass", *plies]
    for ply in tried:
        assert position.is_legal(ply) == (ply in plies)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rings", None),
        ("rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K", "missing-field"),
        ("rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1 s 0+0 0", "too-few-ranks"),
        ("rings ....../......./......./......./......./......./....... s 0+0 0", "bad-files"),
        ("rings /....... s 0+0 0", "bad-files"),
        ("rings ......../......./ s 0+0 0", "too-many-files"),
        ("rings ......./...../......./......./......./......./....... s 0+0 0", "uneven-ranks"),
        ("rings ......./......./......./......./......./......./......./....... s 0+0 0", "too-many-ranks"),
        ("rings ...2.../......./......./......./......./......./....... s 0+0 0", "bad-ranks"),
        ("rings ...K()./......./......./......./......./......./....... s 0+0 0", "empty-holder"),
        ("rings ..K(13)./......./......./......./......./......./....... s 0+0 0", "holder-order"),
        ("rings ..K(1/......./......./......./......./......./....... s 0+0 0", "bad-holder"),
        ("rings ...1.../......./......./......./......./......./....... w 0+0 0", "bad-side"),
        ("rings ...1.../......./......./......./......./......./....... s 0 0", "bad-hands"),
        ("rings ...1.../......./......./......./......./......./....... s 00+0 0", "bad-hands"),
        ("rings ...1.../......./......./......./......./......./....... s 0+0 3", "bad-passes"),
        ("rings ...1.../......./......./......./......./......./....... s 0+0 0 0", "extra-field"),
        ("rings ..55.../......./......./......./......./......./....... s 0+0 0", "too-many-rings"),
        ("rings ..33./33.../3..../...../...../...../..... s 0+0 0", "too-many-rings"),
        ("rings KKKK.../KKK..../......./......./......./......./...1... s 1+0 0", "too-many-knights"),
        ("rings K..../...../...../...../...../...../1.... s 5+0 0", "too-many-knights"),
        ("rings K....../......./......./......./......./......./1...... n 0+0 1", "passed-needlessly"),
        ("rings ......./......./......./......./......./......./1...... s 0+1 2", "passed-needlessly"),
    ],
)
def test_malformed_positions(text: str, reason: str | None) -> None:
    if reason is None:
        assert Position(text).fen == game_by_id("rings").default_start
        return
    with pytest.raises((PositionSyntaxError, ImpossiblePositionError)) as caught:
        Position(text)
    assert caught.value.reason == reason


ILLEGAL = "rings .1...../..K(11)..../.K.k.../......./3..K(1111111)..1/......./...k(1).1. s 0+1 0"


@pytest.mark.parametrize(
    ("ply", "reason"),
    [
        ("d5-d4", "no-own-knight"),
        ("d3-d4", "holder-cannot-move"),
        ("b5-b7", "knight-step"),
        ("c6-c5", "holder-distance"),
        ("c6-e6", "holder-onto-empty"),
        ("b5-c6", "own-knight-there"),
        ("b5xb6", "nothing-to-capture"),
        ("@b7", "empty-hand"),
        ("pass", "pass-with-plies"),
    ],
)
def test_illegal_plies(ply: str, reason: str) -> None:
    with pytest.raises(IllegalPlyError) as caught:
        Position(ILLEGAL).apply(ply)
    assert caught.value.reason == reason


def test_more_illegal_plies() -> None:
    position = Position(ILLEGAL).apply("b5-b4")
    for ply, reason in (("@c4", "drop-without-ring"), ("d5-d4", None), ("d5-c6", "capture-sign")):
        if reason is None:
            assert position.is_legal(ply)
            continue
        with pytest.raises(IllegalPlyError) as caught:
            position.apply(ply)
        assert caught.value.reason == reason
    over = Position("rings K....../......./......./......./......./......./k...... s 0+0 0")
    with pytest.raises(IllegalPlyError) as caught:
        over.apply("a7-a6")
    assert caught.value.reason == "game-over"


@pytest.mark.parametrize("ply", ["", "a1", "a1-", "a1-h1", "a1-a8", "a1xb2-c3", "@", "@a0", "passe", "a1-b2 ", "A1-b2"])
def test_malformed_plies(ply: str) -> None:
    with pytest.raises(PlySyntaxError) as caught:
        Position("rings").apply(ply)
    assert caught.value.reason == "bad-ply"


def test_the_smaller_board_has_no_files_f_and_g() -> None:
    assert game_by_id("rings").start(size="5x7") == SMALL
    with pytest.raises(PlySyntaxError):
        Position(SMALL).apply("a1-f1")
    with pytest.raises(RingfenError):
        game_by_id("rings").start(size="6x7")


def test_drawings_show_the_player_and_pending_actions() -> None:
    position = Position("rings ..K(53).k/...../..1../...../...../...../k(1).... n 2+0 0")
    drawing = position.draw()
    assert "K2" in drawing
    assert "South holds c7: 53" in drawing
    assert "South has 2 knights in hand" in drawing
    assert drawing.endswith("North to move")
    assert Position("rings K(1)..../...../...../...../...../...../k.... n 0+0 0").draw().endswith("(the last turn)")
    assert Position("rings K(1)..../...../...../...../...../...../k.... s 0+0 0").draw().endswith("The game is over")
    svg = position.svg()
    assert svg.startswith("<svg")
    assert svg.count("<circle") == 4


def test_passes_in_a_row() -> None:
    position = Position("rings K(11)....../......./......./......./......./......./......1 s 0+0 0")
    assert position.plies() == ["pass"]
    once = position.apply("pass")
    assert once.fen.endswith("n 0+0 1")
    assert once.plies() == ["pass"]
    assert "South has passed" in once.draw()
    twice = once.apply("pass")
    assert twice.fen.endswith("s 0+0 2")
    assert (twice.plies(), twice.outcome) == ([], "s")
