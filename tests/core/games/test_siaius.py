"""Siaius: the C core against known counts, lists and the plain Python reference; texts, reasons, drawing, solving."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_data import rows
from reference import siaius as plain

from ringfen import (
    IllegalPlyError,
    ImpossiblePositionError,
    PlySyntaxError,
    Position,
    PositionSyntaxError,
    RingfenError,
    SolveOptions,
    game_by_id,
)

START = "siaius smtsmtsmts/mtsmtsmtsm/tsmtsmtsmt/10/10/10/10/TSMTSMTSMT/MTSMTSMTSM/SMTSMTSMTS s - - 0"
LETTERS = "abcdefghij"


# ---- known data ----


@pytest.mark.parametrize("row", rows("data/siaius_perft.jsonl"), ids=lambda row: f"{row['depth']}-{row['count']}")
def test_perft(row: dict[str, object]) -> None:
    assert Position(str(row["fen"])).perft(int(str(row["depth"]))) == row["count"]


@pytest.mark.parametrize("row", rows("data/siaius_moves.jsonl"), ids=lambda row: row["fen"])
def test_moves(row: dict[str, object]) -> None:
    assert [[ply, after.fen] for ply, after in Position(str(row["fen"])).successors()] == row["plies"]


@pytest.mark.parametrize("row", rows("data/siaius_values.jsonl"), ids=lambda row: row["fen"])
def test_values(row: dict[str, object], tmp_path: Path) -> None:
    solution = Position(str(row["fen"])).solve(SolveOptions(tables=tmp_path))
    assert (solution.status, solution.value, solution.distance) == ("exact", row["value"], row["distance"])
    assert solution.best
    assert solution.best_complete
    if solution.distance is not None:
        assert len(solution.pv) == solution.distance


def test_start() -> None:
    assert Position("siaius").fen == START == game_by_id("siaius").start()
    assert [Position("siaius").perft(depth) for depth in range(5)] == [1, 28, 784, 26_432, 891_136]


@pytest.mark.long
def test_long_perft() -> None:
    assert Position("siaius").perft(5) == 33_846_780


# ---- against the reference ----


def random_text(rnd: Random, *, pending: bool = True) -> str:
    """The text of a position that is often, but not always, possible."""
    files, ranks = rnd.randint(3, 10), rnd.randint(3, 12)
    density = rnd.choice((0.05, 0.2, 0.5, 0.97))
    board = [["."] * files for _ in range(ranks)]
    for rank, row in enumerate(board):
        for file in range(files):
            if rnd.random() < density:
                stone = rnd.choice("SMTCsmtc")
                if (rank == ranks - 1 and stone.isupper()) or (rank == 0 and stone.islower()):
                    stone = "C" if stone.isupper() else "c"
                row[file] = stone
    text = plain._ranks_text(tuple("".join(row) for row in board))
    side, missed, bonus, passes = rnd.choice("sn"), "-", "-", "0"
    if pending:
        squares = [f"{LETTERS[file]}{rank + 1}" for rank in range(ranks) for file in range(files)]
        missed = ",".join(square for square in squares if rnd.random() < 0.05) or "-"
        if rnd.random() < 0.3:
            bonus = f"{rnd.choice(LETTERS[:files])}{ranks if side == 's' else 1}"
        passes = rnd.choice("00012")
    options = rnd.choice(("", " beats=reverse")) + rnd.choice(("", " huff=stone", " huff=off"))
    return f"siaius {text} {side} {missed} {bonus} {passes}{options}"


def check_against_reference(text: str, rnd: Random, plies: int) -> None:
    try:
        state = plain.parse(text)
    except ValueError:
        with pytest.raises(ImpossiblePositionError):
            Position(text)
        return
    position = Position(text)
    for _ in range(plies):
        legal = plain.plies(state)
        assert position.fen == plain.text(state)
        assert position.plies() == legal
        assert position.perft(1) == len(legal)
        assert position.outcome == plain.outcome(state)
        assert position.player == plain.player(state)
        again = Position(position.fen)
        assert again == position
        assert hash(again) == hash(position)
        if not legal:
            break
        check_other_plies(position, set(legal), rnd)
        ply = rnd.choice(legal)
        state, position = plain.apply(state, ply), position.apply(ply)


def check_other_plies(position: Position, legal: set[str], rnd: Random) -> None:
    """Plies of every form between any squares: legal ones are accepted, the others refused with words."""
    for _ in range(4):
        first, second = (f"{rnd.choice(LETTERS)}{rnd.randint(1, 12)}" for _ in range(2))
        for ply in (f"{first}-{second}", f"{first}x{second}", f"*{first}", "stay", "pass"):
            if ply in legal:
                assert position.short(ply) == ply
            else:
                with pytest.raises(IllegalPlyError) as caught:
                    position.short(ply)
                assert caught.value.message
                assert not position.is_legal(ply)


@given(st.randoms(use_true_random=False))
def test_positions_agree_with_the_reference(rnd: Random) -> None:
    check_against_reference(random_text(rnd), rnd, 4)


@given(st.randoms(use_true_random=False))
def test_games_agree_with_the_reference(rnd: Random) -> None:
    check_against_reference(random_text(rnd, pending=False), rnd, 12)


@given(st.randoms(use_true_random=False))
def test_turning_the_circle_is_exchanging_moons_and_stars(rnd: Random) -> None:
    text = random_text(rnd, pending=False).removesuffix(" beats=reverse").replace(" beats=reverse", "")
    game, ranks, rest = text.split(" ", 2)
    exchanged = ranks.translate(str.maketrans("MTmt", "TMtm"))
    options = rest.split(" ")
    options.insert(4, "beats=reverse")
    try:
        position = Position(text)
    except ImpossiblePositionError:
        return
    assert position.perft(2) == Position(f"{game} {exchanged} {' '.join(options)}").perft(2)


@pytest.mark.parametrize("row", rows("golden/siaius.jsonl"))
def test_golden_game(row: dict[str, Any]) -> None:
    """Games that were played once: the number of legal plies at every ply, and the last position, stay the same."""
    position = Position(str(row["fen"]))
    counts = []
    for ply in row["plies"]:
        counts.append(len(position.plies()))
        position = position.apply(str(ply))
    counts.append(len(position.plies()))
    assert counts == row["counts"]
    assert position.fen == row["last"]


# ---- rules, one by one ----


def after(fen: str, *plies: str) -> str:
    return Position(fen).play(plies).fen


def test_s4_ordinary_stones_do_not_capture_champions() -> None:
    assert "b2xb3" not in Position("siaius 3/1c1/1S1/3 s - - 0").plies()


def test_s5_only_a_new_champion_may_move_again() -> None:
    new = Position("siaius 3/S2/3/2c s - - 0").apply("a3-a4")
    assert new.fen == "siaius C2/3/3/2c s - a4 0"
    assert "stay" in new.plies()
    assert after("siaius 3/C2/3/1c1 s - - 0", "a3-a4").split()[2:5] == ["n", "-", "-"]


def test_s7_a_stone_that_missed_is_huffed_on_its_square() -> None:
    missed = Position("siaius 4/1m2/1S2/S2c s - - 0").apply("b2-c2")
    assert missed.fen == "siaius 4/1m2/2S1/S2c n c2 - 0"
    assert missed.apply("*c2").fen == "siaius 4/1m2/4/S2c n - - 0"


def test_s7_under_stone_others_are_huffed_after_a_capture() -> None:
    fen = "siaius 4/1mm1/1SS1/3c s - - 0"
    assert after(fen, "b2xb3").split()[3] == "-"
    assert after(f"{fen} huff=stone", "b2xb3").split()[3] == "c2"
    assert after(f"{fen} huff=off", "b2-a2").split()[3] == "-"


def test_s7_a_bonus_capture_clears_what_was_missed() -> None:
    fen = "siaius 2c1/S3/3m/4 s - - 0"
    promoted = Position(fen).apply("a3-a4")
    assert promoted.fen.split()[2:5] == ["s", "a4", "a4"]
    assert promoted.apply("stay").fen.split()[2:4] == ["n", "a4"]
    assert promoted.apply("a4xc4").fen.split()[2:4] == ["n", "-"]


def test_s8_huffing_the_last_stone_wins() -> None:
    huffed = Position("siaius 4/1mm1/1S2/3c s - - 0").play(["b2-a2", "*a2"])
    assert huffed.outcome == huffed.player == "n"
    assert huffed.plies() == []


def test_s9_two_passes_draw() -> None:
    over = Position("siaius sss/sSs/SSS s - - 0").play(["pass", "pass"])
    assert (over.fen.split()[-1], over.outcome, over.plies()) == ("2", "draw", [])


def test_s9_who_cannot_move_but_may_huff_can_do_either() -> None:
    position = Position("siaius 3/ss1/Sc1 s b2 - 0")
    assert position.plies() == ["*b2", "pass"]


# ---- texts ----


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("siaius 3/3/3", "missing-field"),
        ("siaius 3/3 s - - 0", "board-size"),
        ("siaius 2/2/2 s - - 0", "board-size"),
        ("siaius " + "/".join(["3"] * 13) + " s - - 0", "too-many-ranks"),
        ("siaius 10S/10/10 s - - 0", "rank-too-long"),
        ("siaius 3/4/3 s - - 0", "rank-length"),
        ("siaius 12/3/3 s - - 0", "bad-ranks"),
        ("siaius 03/3/3 s - - 0", "bad-ranks"),
        ("siaius 3/3/C1c x - - 0", "bad-side"),
        ("siaius 3/3/C1c s a9 - 0", "bad-missed"),
        ("siaius 3/3/C1c s c1,a1 - 0", "missed-order"),
        ("siaius 3/3/C1c s c1,c1 - 0", "missed-order"),
        ("siaius 3/3/C1c s - a4 0", "bad-bonus"),
        ("siaius 3/3/C1c s - - 3", "bad-passes"),
        ("siaius 3/3/C1c s - - 0 beats=normal", "default-option"),
        ("siaius 3/3/C1c s - - 0 huff=turn", "default-option"),
        ("siaius 3/3/C1c s - - 0 huff=off beats=reverse", "option-order"),
        ("siaius 3/3/C1c s - - 0 huff=off huff=off", "option-order"),
        ("siaius 3/3/C1c s - - 0 huff=no", "bad-option"),
        ("siaius 3/3/C1c s - - 0 x", "extra-field"),
    ],
)
def test_malformed_positions(text: str, reason: str) -> None:
    with pytest.raises(PositionSyntaxError) as caught:
        Position(text)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("siaius 3/3/3 s - - 0", "no-stones"),
        ("siaius S2/3/2c s - - 0", "not-promoted"),
        ("siaius C2/3/2s s - - 0", "not-promoted"),
        ("siaius 3/3/C1c s c1 - 0 huff=off", "missed-without-huff"),
        ("siaius 3/3/C1c s a1 - 0", "missed-not-enemy"),
        ("siaius C2/3/2c s c1 a3 0", "missed-not-own"),
        ("siaius 3/3/C1c s - a1 0", "bonus-no-champion"),
        ("siaius 3/3/C2 n a1 - 0", "pending-in-finished"),
        ("siaius 3/3/C2 n - - 1", "pending-in-finished"),
        ("siaius 3/ss1/Sc1 n a2 - 1", "missed-not-enemy"),
        ("siaius 3/ss1/Sc1 n a1 - 1", "passes-with-pending"),
        ("siaius 3/3/C1c s - - 1", "passed-with-move"),
        ("siaius 3/ss1/Sc1 n - - 2", "passed-with-move"),
    ],
)
def test_impossible_positions(text: str, reason: str) -> None:
    with pytest.raises(ImpossiblePositionError) as caught:
        Position(text)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("ply", "reason"),
    [
        ("pass", "pass-with-move"),
        ("stay", "no-bonus"),
        ("*a1", "not-missed"),
        ("a1-a2", "no-stone"),
        ("d2-d3", "enemy-stone"),
        ("a2-a2", "no-step"),
        ("a2-a4", "too-far"),
        ("d4-b3", "not-straight"),
        ("d4-d1", "too-far"),
        ("d4-d2", "capture-is-x"),
        ("b3-a2", "own-stone"),
        ("b3xb4", "nothing-to-capture"),
        ("b3xc2", "no-prey"),
        ("e1-e2", "off-board"),
        ("d4xd2", ""),
        ("*d2", ""),
    ],
)
def test_illegal_plies_are_explained(ply: str, reason: str) -> None:
    position = Position("siaius 3C/1M2/S1sc/2cC s c2,d2 - 0".replace("c2,d2", "d2"))
    if not reason:
        assert position.short(ply) == ply
        return
    with pytest.raises(IllegalPlyError) as caught:
        position.apply(ply)
    assert caught.value.reason == reason
    assert "{" not in caught.value.message


def test_more_illegal_plies_are_explained() -> None:
    bonus = Position("siaius 2C/3/S1c s - c3 0")
    for ply, reason in (("a1-a2", "not-the-bonus"), ("pass", "pass-in-bonus"), ("*c1", "huff-in-bonus")):
        with pytest.raises(IllegalPlyError) as caught:
            bonus.apply(ply)
        assert caught.value.reason == reason
    for fen, ply, reason in (
        ("siaius 3/3/C1c s - - 0", "*c1", "nothing-to-huff"),
        ("siaius 3/3/C1c s - - 0 huff=off", "*c1", "huff-off"),
        ("siaius 4/4/4/C1c1 s - - 0", "a1-a4", "too-far"),
        ("siaius 3/3/CSc s - - 0", "a1xc1", "way-blocked"),
        ("siaius 3/3/C2 n - - 0", "a1-a2", "game-over"),
    ):
        with pytest.raises(IllegalPlyError) as caught:
            Position(fen).apply(ply)
        assert caught.value.reason == reason


@given(st.text(alphabet="abcdj129-x*stypS ", max_size=9))
def test_any_text_is_a_ply_or_rejected(text: str) -> None:
    position = Position("siaius 3C/1M2/S2c/2cC s d2 - 0")
    if text in position.plies():
        assert position.short(text) == text
    else:
        with pytest.raises((PlySyntaxError, IllegalPlyError)):
            position.short(text)


# ---- start positions and drawing ----


def test_start_options() -> None:
    game = game_by_id("siaius")
    assert game.start(size="3x6") == "siaius smt/mts/tsm/TSM/MTS/SMT s - - 0"
    assert game.start(beats="reverse", huff="off").endswith(" s - - 0 beats=reverse huff=off")
    setup = "sss/mmm/ttt/TTT/MMM/SSS"
    assert game.start(size="3x7", setup=setup) == "siaius sss/mmm/ttt/3/TTT/MMM/SSS s - - 0"
    bad: list[dict[str, str]] = [
        {"size": "2x6"},
        {"size": "11x10"},
        {"size": "3x5"},
        {"size": "3x13"},
        {"size": "3"},
        {"size": "x"},
        {"size": "3x6x6"},
        {"size": "٣x6"},
        {"setup": setup},
        {"setup": "sss", "size": "3x6"},
        {"setup": setup.swapcase(), "size": "3x6"},
        {"huff": "no"},
        {"beats": "no"},
    ]
    for options in bad:
        with pytest.raises(RingfenError):
            game.start(**options)
    with pytest.raises(TypeError):
        game.start(goals="1+1")
    for files in range(3, 11):
        for ranks in range(6, 13):
            Position(game.start(size=f"{files}x{ranks}"))


def test_drawing_shows_pending_actions() -> None:
    drawn = Position("siaius 2st/2Sc/1M1S/1S1t/1c1S n b1,d2 b1 0").draw()
    assert "  1  . c* . S" in drawn.replace("c*.", "c* .")
    assert "b1, d2" in drawn
    assert "North may move the champion on b1 again, or stay" in drawn
    assert "drawn" in Position("siaius sss/sSs/SSS s - - 2").draw()
    assert "North has won" in Position("siaius 3/1c1/3 s - - 0").draw()
    assert "South has won" in Position("siaius 3/1C1/3 s - - 0").draw()


def test_svg_is_well_formed() -> None:
    for fen in (START, "siaius 2st/2Sc/1M1S/1S1t/1c1S n b1,d2 b1 0", "siaius 3/ss1/Sc1 n - - 1 huff=off"):
        ElementTree.fromstring(Position(fen).svg())


# ---- the three ways of solving ----


def test_many_stones_are_searched_forward() -> None:
    fen = "siaius 10/10/10/10/4t5/4S5/10/10/SSSSSSSSSS/10 n - - 0"
    solution = Position(fen).solve(SolveOptions(depth=1))
    assert (solution.status, solution.decided) == ("unknown", 1)
    lost = Position("siaius c9/C9/10/10/10/10/10/10/10/SMTCSMTC2 s - - 0").solve()
    assert (lost.value, lost.distance, lost.best) == ("win", 1, ("a9xa10",))


def test_a_blocked_board_is_analysed_however_many_stones_there_are() -> None:
    solution = Position("siaius sss/sSs/SSS s - - 0").solve()
    assert (solution.status, solution.value, solution.pv) == ("exact", "draw", ("pass", "pass"))


def test_ways_agree() -> None:
    """A forced win found by forward search is the one of retrograde analysis."""
    position = Position("siaius 4/3t/1M2/S3 n - - 0 huff=stone")
    backward, forward = position.solve(), position.solve(SolveOptions(depth=12))
    assert (backward.value, backward.distance, backward.best) == (forward.value, forward.distance, forward.best)
