"""GRAN: the C core against known counts, lists and the plain Python reference; texts, plies, reasons, drawing."""

from __future__ import annotations

import pickle
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from gran_random import LINKED_BOARD, SMALL_BOARD, linked_board, random_text, small_board
from hypothesis import given
from hypothesis import strategies as st
from known_data import generated, rows
from reference import gran as reference

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
from ringfen.rules.gran.board import Board, default_board

START = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move"


BOARDS = {
    "": (default_board(), reference.DEFAULT),
    "small": (small_board(), reference.Board.parse(SMALL_BOARD, "small")),
    "linked": (linked_board(), reference.Board.parse(LINKED_BOARD, "linked")),
}


def on(text: str) -> Position:
    """A position on any of the boards of these tests."""
    name = next((word[6:] for word in text.split() if word.startswith("board=")), "")
    return Position.on_board(text, BOARDS[name][0])


# ---- known data ----


@pytest.mark.parametrize("row", rows("data/gran_perft.jsonl"), ids=lambda row: f"{row['depth']}-{row['count']}")
def test_perft(row: dict[str, object]) -> None:
    position = Position(str(row["fen"]))
    depth = int(str(row["depth"]))
    assert position.perft(depth) == row["count"]


@pytest.mark.parametrize("row", rows("data/gran_moves.jsonl"), ids=lambda row: row["fen"])
def test_moves(row: dict[str, object]) -> None:
    position = Position(str(row["fen"]))
    assert [[ply, after.fen] for ply, after in position.successors()] == row["plies"]


@pytest.mark.parametrize("row", rows("golden/gran.jsonl"), ids=lambda row: " ".join(str(row["start"]).split()[1::6]))
def test_golden_games(row: dict[str, Any]) -> None:
    """Games of three to six players to the end, with the number of plies in each position."""
    position = Position(str(row["start"]))
    for ply, count in zip(row["plies"], row["counts"], strict=True):
        assert position.count() == count
        position = position.apply(ply)
    assert (position.fen, position.outcome) == (row["end"], row["outcome"])


def test_start() -> None:
    game = game_by_id("gran")
    assert Position("gran").fen == START == game.start()
    assert game.start(players="5", seals="2") == "gran " + "/".join(["-:3:-"] * 5) + START[22:] + " seals=2"
    assert Position("gran").players == 3
    for options in ({"players": "2"}, {"players": "7"}, {"seals": "0"}, {"seals": "5"}, {"seals": "x"}):
        with pytest.raises(PositionSyntaxError):
            game.start(**options)


@pytest.mark.parametrize("seals", [1, 2, 3, 4])
def test_a_game_is_played_for_the_agreed_number_of_seals(seals: int) -> None:
    """R13: with one seal fewer than agreed, the next city wins; before that it does not."""
    game = game_by_id("gran")
    start = game.start(seals=str(seals))
    assert start == START + ("" if seals == 3 else f" seals={seals}")
    assert f"Seals needed to win: {seals}" in Position(start).draw()
    board = default_board()
    cities = {board.realm_of(point): point for point in board.points if board.symbol_of(point) == "C"}
    held = "TUGE"[: seals - 1]
    city = cities["TUGE"[seals - 1]]
    near = next(other for line in board.lines for other in line if city in line and other != city)
    option = "" if seals == 3 else f" seals={seals}"
    for has, wins in ((held, True), (held[1:], seals == 1)):
        text = f"gran {near}:1:{has or '-'}/-:3:-/-:3:- @1 - 2.0.4.6.6.4.2 1 move{option}"
        after = Position(text).apply(f"{near}-{city}")
        assert after.outcome == (1 if wins else None)
        check_against_reference(after.fen, Random(0))


# ---- against the reference ----


def check_against_reference(text: str, rnd: Random) -> None:
    board, reference_board = BOARDS[next((word[6:] for word in text.split() if word.startswith("board=")), "")]
    try:
        state = reference.parse(text, reference_board)
    except ValueError:
        with pytest.raises(ImpossiblePositionError):
            Position.on_board(text, board)
        return
    position = Position.on_board(text, board)
    plies = reference.plies(state)
    assert position.fen == text
    assert position.plies() == plies
    assert generated(position) == plies
    assert position.count() == len(plies)
    assert position.player == reference.player(state)
    assert position.is_chance == reference.is_chance(state)
    assert position.outcome == reference.outcome(state)
    if position.is_chance:
        assert position.weights() == {ply: reference.weight(state, ply) for ply in plies}
    for ply in plies if len(plies) <= 20 else rnd.sample(plies, 20):
        after = position.apply(ply)
        assert after.fen == reference.text(reference.apply(state, ply))
        assert Position.on_board(after.fen, board) == after
    for ply in other_plies(state, rnd):
        short = reference.accepts(state, ply)
        if short is None:
            with pytest.raises(IllegalPlyError) as caught:
                position.short(ply)
            assert caught.value.message
        else:
            assert position.short(ply) == short


def other_plies(state: reference.State, rnd: Random) -> list[str]:
    """Long forms of the moves that the position would have, and plies that look likely."""
    points = list(state.board.realms)
    origin = "a1" if reference._acting(state).point == "-" else reference._acting(state).point
    if state.phase in ("move", "extra"):
        plies = [reference._long(way) for way in reference._ways(state)]
        origin = reference._origin(state)
    else:
        plies = []
    for _ in range(20):
        near = rnd.choice(sorted(state.board.lines[origin]) or points)
        far = rnd.choice(sorted(state.board.lines[near]) or points)
        any_point, stone = rnd.choice(points), rnd.choice(state.stones or points)
        plies += [f"{origin}-{near}-{far}", f"{origin}x{far}-{any_point}", f"{origin}-{near}x{far}-{any_point}"]
        plies += [f"{origin}-{far}", f"{any_point}-{near}", f"={any_point}", f"+{any_point}", f"+{stone}-{any_point}"]
    return [*plies, "stay", "rest", "pass", *(f"{card}:{rnd.randint(1, 6)}" for card in range(7))]


@pytest.mark.parametrize("name", BOARDS)
def test_random_positions(name: str) -> None:
    rnd = Random(f"positions {name}")
    for _ in range(80):
        check_against_reference(random_text(rnd, BOARDS[name][0]), rnd)


@pytest.mark.long
@given(seed=st.integers(0, 2**32))
def test_many_random_positions(seed: int) -> None:
    rnd = Random(seed)
    check_against_reference(random_text(rnd, rnd.choice(list(BOARDS.values()))[0]), rnd)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("name", BOARDS)
def test_random_games(players: int, name: str) -> None:
    board, reference_board = BOARDS[name]
    if board.realms.count("w") < players:
        pytest.skip("the board has fewer white points")
    rnd = Random(f"{players} {name}")
    state = reference.start(players, rnd.choice((1, 2, 3, 4)), reference_board)
    position = Position.on_board(reference.text(state), board)
    for _ in range(300):
        plies = reference.plies(state)
        assert position.plies() == plies
        assert position.count() == len(plies)
        if not plies:
            break
        ply = rnd.choice(plies)
        state, position = reference.apply(state, ply), position.apply(ply)
        assert position.fen == reference.text(state)


def test_bulk_counting_and_lists_agree() -> None:
    rnd = Random("perft")
    for name in ("", "small", "linked"):
        for _ in range(20):
            try:
                position = on(random_text(rnd, BOARDS[name][0]))
            except ImpossiblePositionError:
                continue
            control = ffi.new("rf_control *")
            counted = lib.rf_perft_kinds(
                position.game.cdata, position.context.cdata, position.state, 2, ffi.NULL, control
            )
            assert position.perft(2) == counted


# ---- texts ----

SOUND = "gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 a1,b1,a2 2.0.4.6.6.4.2 1 move seals=2"


@pytest.mark.parametrize(
    ("text", "reason", "found"),
    [
        ("gran", "missing-field", ""),  # not only the id: see below
        ("gran -:3:-/-:3:-/-:3:-", "missing-field", ""),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1", "missing-field", ""),
        ("gran -:3:-/-:3:-/- c7 - 2.0.4.6.6.4.2 1 move", "bad-players", ""),
        ("gran -:3:-/-:3:-/-:3 c7 - 2.0.4.6.6.4.2 1 move", "bad-players", ""),
        ("gran -:3:-/-:3:-/-:3:-/ c7 - 2.0.4.6.6.4.2 1 move", "bad-players", ""),
        ("gran -:3:-/-:3:-/-:3:-? c7 - 2.0.4.6.6.4.2 1 move", "bad-players", "?"),
        ("gran -:3:-/-:3:-/z9:3:- c7 - 2.0.4.6.6.4.2 1 move", "no-such-point", "z9"),
        ("gran -:3:-/-:3:-/a12:3:- c7 - 2.0.4.6.6.4.2 1 move", "no-such-point", "a12"),
        ("gran -:3:-/-:3:-/a01:3:- c7 - 2.0.4.6.6.4.2 1 move", "bad-players", "a01:3:-"),
        ("gran -:3:-/-:03:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move", "bad-amulets", "03:-/-:3:-"),
        ("gran a1:3:ET/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move", "seals-order", "T"),
        ("gran a1:3:/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move", "bad-seals", "/-:3:-/-:3:-"),
        ("gran -:3:-/-:3:-/-:3:- x - 2.0.4.6.6.4.2 1 move", "bad-ring", "x"),
        ("gran -:3:-/-:3:-/-:3:- @ - 2.0.4.6.6.4.2 1 move", "bad-ring", ""),
        ("gran -:3:-/-:3:-/-:3:- c7x - 2.0.4.6.6.4.2 1 move", "bad-ring", "x"),
        ("gran -:3:-/-:3:-/-:3:- c7 a1, 2.0.4.6.6.4.2 1 move", "bad-stones", ""),
        ("gran -:3:-/-:3:-/-:3:- c7 a2,a1 2.0.4.6.6.4.2 1 move", "stones-order", "a1"),
        ("gran -:3:-/-:3:-/-:3:- c7 a1,a1 2.0.4.6.6.4.2 1 move", "stones-order", "a1"),
        ("gran -:3:-/-:3:-/-:3:- c7 -- 2.0.4.6.6.4.2 1 move", "bad-stones", "-"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4 1 move", "bad-deck", "2.0.4.6.6.4"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2.0 1 move", "bad-deck", "2.0.4.6.6.4.2.0"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 02.0.4.6.6.4.2 1 move", "bad-deck", "02.0.4.6.6.4.2"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 x move", "bad-player", "x"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 moves", "bad-phase", "moves"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=3", "bad-option", "seals=3"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=2 x", "extra-field", "x"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=2 seals=2", "bad-option", "seals=2"),
        ("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=default", "named-default", "default"),
    ],
)
def test_texts_that_cannot_be_read(text: str, reason: str, found: str) -> None:
    with pytest.raises(PositionSyntaxError) as caught:
        Position.on_board(text, default_board())
    assert caught.value.reason == reason
    assert text[caught.value.at : caught.value.at + caught.value.length] == found


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("c3:2:E/a9:1:-/g9:0:T/g8:2:G @4", "c3:2:E/a9:1:- @1", "player-count"),
        ("c3:2:E/", "c3:2:E/b4:1:-/b5:1:-/b6:1:-/", "player-count"),
        ("@4", "@5", "no-such-player"),
        ("@4", "@0", "no-such-player"),
        ("2 1 move", "2 5 move", "no-such-player"),
        ("2 1 move", "2 0 move", "no-such-player"),
        ("c3:2:E", "c3:4:E", "too-many-amulets"),
        ("2.0.4", "2.1.4", "too-many-cards"),
        ("c3:2:E", "-:2:-", "not-entered"),
        ("c3:2:E", "-:3:E", "not-entered"),
        ("c3:2:E", "a9:2:E", "two-figures"),
        ("c3:2:E", "a1:2:E", "figure-on-stone"),
        ("a1,b1,a2", "c7", "stone-on-symbol"),
        ("@4", "b1", "ring-on-stone"),
        ("g8:2:G", "-:3:-", "carrier-not-entered"),
        ("@4", "?", "ring-not-due"),
        ("1 move", "1 ring", "ring-is-due"),
        ("1 move", "1 fight", "phase-place"),
        ("1 move", "1 extra", "phase-place"),
        ("1 move", "1 stone", "phase-place"),
        ("1 move", "1 sword", "phase-place"),
        ("1 move", "1 over", "phase-place"),
        ("c3:2:E", "c3:2:UE", "winner-not-over"),
        ("a1,b1,a2", "a1,b1,c1,e1,g1,h1,i1,a2,e2,f2,i2,a3,d3,e3,f3,i3,b4", "too-many-stones"),
    ],
)
def test_impossible_positions(old: str, new: str, reason: str) -> None:
    assert Position(SOUND).fen == SOUND
    assert old in SOUND
    with pytest.raises(ImpossiblePositionError) as caught:
        Position(SOUND.replace(old, new, 1))
    assert caught.value.reason == reason
    assert "{" not in caught.value.message


def test_over() -> None:
    over = "gran b8:3:TU/a9:1:-/g9:0:T @1 - 2.0.4.6.6.4.2 1 over seals=2"
    position = Position(over)
    assert position.outcome == 1
    assert position.plies() == []
    with pytest.raises(IllegalPlyError, match="over"):
        position.apply("b8-b9")
    for old, new, reason in (("@1", "@2", "over-ring"), (":TU", ":T", "over-no-winner"), ("b8", "b9", "phase-place")):
        with pytest.raises(ImpossiblePositionError) as caught:
            Position(over.replace(old, new))
        assert caught.value.reason == reason


def test_too_few_white_points() -> None:
    with pytest.raises(ImpossiblePositionError) as caught:
        Position.on_board(small_board().start_text(5), small_board())
    assert caught.value.reason == "white-points"


def test_blanks_are_free() -> None:
    assert Position(SOUND.replace(" ", " \t  ")).fen == SOUND


@given(st.text(max_size=80) | st.text(alphabet="granabc123:-/!TUGE@?.,= movefightseal+x", max_size=80))
def test_hostile_texts(text: str) -> None:
    for position_text in ("gran " + text, START[: len(text)] + text):
        try:
            position = Position.on_board(position_text, default_board())
        except RingfenError:
            continue
        assert Position(position.fen) == position
    with suppress(PlySyntaxError, IllegalPlyError):
        Position(SOUND).apply(text)


@given(st.data())
def test_damaged_texts(data: st.DataObject) -> None:
    """Parsing, writing and parsing is a fixed point, whatever was hit."""
    text = data.draw(st.sampled_from([START, SOUND]))
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    damaged = text[:at] + data.draw(st.text("abi19:-/!TU@?.,=2 x", max_size=3)) + text[at + cut :]
    try:
        position = Position.on_board(damaged, default_board())
    except RingfenError:
        return
    assert Position(position.fen).fen == position.fen


# ---- plies ----

CROWD = "gran f4:1:-/f5:3:-/g5:3:T/h1:2:- f3 e4 2.0.4.6.6.4.2 1 move"


@pytest.mark.parametrize(
    ("text", "ply", "reason"),
    [
        (CROWD, "g4-g5", "wrong-origin"),
        (CROWD, "f4-f5", "figure-on-arrival"),
        (CROWD, "f4xf3-e5", "no-figure-there"),
        (CROWD, "f4-f9", "too-far"),
        (CROWD, "f4-f4", "back-to-origin"),
        (CROWD, "f4-f5-f4", "back-to-origin"),
        (CROWD, "f4-e4", "stone-on-arrival"),
        (CROWD, "f4-d4", "passed-stone"),
        (CROWD, "f4-f6", "passed-figure"),
        (CROWD, "f4-f5-f6", "passed-figure"),
        (CROWD, "f4-f2", "only-over-ring"),
        (CROWD, "f4-g3-f2", "no-line"),
        (CROWD, "f4-a1-a2", "no-line"),
        (CROWD, "f4xf5-a1", "banish-not-white"),
        (CROWD, "rest", "no-fetter"),
        (CROWD, "stay", "wrong-phase"),
        (CROWD, "pass", "must-play"),
        (CROWD, "=a1", "wrong-phase"),
        (CROWD.replace("f4:1", "f4:0"), "f4xf5-e5", "attack-amulets"),
        (CROWD.replace("h1:2", "e5:2"), "f4xf5-e5", "banish-taken"),
        (CROWD.replace("f5:3", "g2:3").replace("f4", "f2"), "f2xg2-e5", "attack-on-dragon-amulets"),
        (CROWD.replace("f5:3", "b8:3").replace("f4", "b7"), "b7xb8-e5", "attack-on-city"),
        (CROWD.replace("f4:1", "c9:0"), "c9-c8", "fight-amulets"),
        (CROWD.replace("f4:1", "c9:1"), "c9-c7", "passed-dragon"),
        (CROWD.replace("f4:1:-", "f4:1:-!"), "f4-g4", "is-fettered"),
        (START, "c3-c4", "not-from-start"),
        ("gran c8:1:-/f5:3:-/g5:3:T @1 - 2.0.0.6.6.4.2 1 fight", "2:2", "card-not-in-deck"),
        ("gran c8:1:-/f5:3:-/g5:3:T ? a9 2.0.0.6.6.4.2 1 ring", "=b9", "put-in-same-realm"),
        ("gran c8:1:-/f5:3:-/g5:3:T ? a9 2.0.0.6.6.4.2 1 ring", "=f5", "put-on-white"),
        ("gran c8:1:-/f5:3:-/g5:3:T ? a9 2.0.0.6.6.4.2 1 ring", "=h3", "put-on-symbol"),
        ("gran c8:1:-/f5:3:-/g4:3:T ? a9 2.0.0.6.6.4.2 1 ring", "=g4", "put-on-taken"),
        ("gran a6:1:-/f5:3:-/g5:3:T a1 a9 2.0.0.6.6.4.2 1 stone", "+a9", "stone-to-taken"),
        ("gran a6:1:-/f5:3:-/g5:3:T a1 a9 2.0.0.6.6.4.2 1 stone", "+g3", "stone-to-symbol"),
        ("gran a6:1:-/f5:3:-/g5:3:T a1 a2 2.0.0.6.6.4.2 1 stone", "+b1", "ring-out-of-reach"),
        ("gran d6:1:-/f5:3:-/g5:3:T a1 a9 2.0.0.6.6.4.2 1 sword", "+b9-b7", "no-stone-there"),
        ("gran d6:1:-/f5:3:-/g5:3:T a1 a2,a9 2.0.0.6.6.4.2 1 sword", "+a9-b1", "ring-out-of-reach"),
    ],
)
def test_illegal_plies(text: str, ply: str, reason: str) -> None:
    with pytest.raises(IllegalPlyError) as caught:
        Position(text).apply(ply)
    assert caught.value.reason == reason
    assert "{" not in caught.value.message


@pytest.mark.parametrize(
    ("ply", "reason"),
    [
        ("", "bad-ply"),
        ("foo", "bad-ply"),
        ("f4", "bad-move"),
        ("f4-", "bad-move"),
        ("f4-f5-", "bad-move"),
        ("f4xf5", "no-banish-named"),
        ("f4xf5-", "bad-move"),
        ("f4-f3xf2", "no-banish-named"),
        ("f4-g4!", "ply-goes-on"),
        ("f4-g4-g5-g6", "ply-goes-on"),
        ("=", "bad-ring-ply"),
        ("+", "bad-stone-ply"),
        ("+a1-", "bad-stone-ply"),
        ("7:1", "bad-chance"),
        ("4:7", "bad-chance"),
        ("4:0", "bad-chance"),
        ("4", "bad-chance"),
        ("stay here", "ply-goes-on"),
        ("f4-j4", "no-such-point"),
    ],
)
def test_plies_that_cannot_be_read(ply: str, reason: str) -> None:
    with pytest.raises(PlySyntaxError) as caught:
        Position(CROWD).apply(ply)
    assert caught.value.reason == reason


def test_a_city_can_be_passed_over() -> None:
    assert Position(CROWD.replace("f4:1", "b9:1")).is_legal("b9-b8-b7")


def test_nowhere_to_banish() -> None:
    stones = "e4,c5,d5,e5,f5,g5,e6,e7"
    text = f"gran h9:3:-/i9:3:-/a1:3:- a9 e3,{stones} 2.0.4.6.6.4.2 1 move"
    assert not any("x" in ply for ply in Position(text).plies())
    with pytest.raises(IllegalPlyError) as caught:
        Position(text).apply("h9xi9-e3")
    assert caught.value.reason == "nowhere-to-banish"


def test_short_and_long_forms() -> None:
    position = Position(CROWD)
    assert position.short("f4-g4-g3") == "f4-g3"
    assert position.apply("f4-g4-g3") == position.apply("f4-g3")
    assert position.apply("f4-g4-g3").fen.split()[2] == "f3"
    assert position.short("f4-f3-f2") == "f4-f3-f2"
    assert position.apply("f4-f3-f2").fen.split()[2] == "@1"


# ---- the rest of the interface ----


def test_chance_weights() -> None:
    position = Position("gran c8:1:-/f5:3:-/g5:3:T @1 - 0.0.0.0.0.0.0 1 fight")
    weights = position.weights()
    assert {ply: weights[ply] for ply in ("0:1", "2:1", "3:6", "6:6")} == {"0:1": 2, "2:1": 4, "3:6": 6, "6:6": 2}
    assert position.apply("3:6").fen.split()[4] == "2.0.4.5.6.4.2", "used up cards are shuffled again at the next draw"


def test_pickle() -> None:
    for text in (START, SOUND, small_board().start_text(4)):
        position = on(text)
        copy = pickle.loads(pickle.dumps(position))
        assert copy == position
        assert copy.plies() == position.plies()


def test_boards_tell_positions_apart() -> None:
    other = Board("small", *(getattr(small_board(), name) for name in ("points", "realms", "symbols", "lines")))
    text = "gran -:3:-/-:3:-/-:3:- b4 - 0.0.0.0.0.0.0 1 move board=small"
    assert Position.on_board(text, small_board()) == Position.on_board(text, small_board())
    assert Position.on_board(text, small_board()) != Position.on_board(text, other)


def test_drawing() -> None:
    position = Position("gran c8:1:-/f5:3:-!/-:3:- @1 a1 2.0.4.6.6.4.2 1 extra")
    drawn = position.draw()
    assert "tD1" in drawn
    assert "e.#" in drawn
    assert "Player 2 on f5, amulets 3, seals: none, fettered" in drawn
    assert drawn.endswith("Player 1 has beaten the dragon: an extra move or stay")
    assert position.svg().startswith("<svg")
    assert "takes off the fetter" in Position(CROWD.replace("f4:1:-", "f4:1:-!")).draw()
    assert "Also joined: a1 a10" in on(linked_board().start_text()).draw()
