"""The Python API of positions, for every game."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringfen
from ringfen import (
    IllegalPlyError,
    ImpossiblePositionError,
    LimitReached,
    Limits,
    PlySyntaxError,
    Position,
    PositionSyntaxError,
    RingfenError,
    game_by_id,
    game_ids,
)
from ringfen._core import ffi, lib
from ringfen.control import Control
from ringfen.counting import divide, perft
from ringfen.notation.random_play import Generator, random_plies, random_ply

SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"
every_game = pytest.mark.parametrize("game_id", game_ids())


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A position of a random game."""
    start = Position(draw(st.sampled_from(game_ids())))
    return random_plies(start, Generator(draw(st.integers(0, 2**64 - 1))), draw(st.integers(0, 120)))[1]


def test_the_ids_and_their_order() -> None:
    known = ("gyges", "rings", "gran", "siaius")
    assert game_ids() == tuple(game_id for game_id in known if game_id in game_ids())
    assert game_by_id("gyges").name == "Gygès"


@every_game
def test_an_id_is_the_usual_start(game_id: str) -> None:
    game = game_by_id(game_id)
    assert Position(game_id).fen == game.default_start
    assert Position(game_id) == Position(game.default_start)
    assert Position(game_id).game is game
    assert not Position(game_id).is_over
    assert Position(game_id).outcome is None


@given(positions())
def test_text_and_back(position: Position) -> None:
    again = Position(position.fen)
    assert again == position
    assert hash(again) == hash(position)
    assert again.fen == position.fen == str(position)


@given(positions(), st.integers(0, 2**32))
def test_runs_of_blanks_and_tabs_are_one_blank(position: Position, seed: int) -> None:
    generator = Generator(seed)
    text = "".join(
        "".join(" \t"[generator.below(2)] for _ in range(1 + generator.below(3))) if c == " " else c
        for c in position.fen
    )
    assert Position(f"\t {text} \t") == position


@given(positions())
def test_plies_are_sorted_unique_legal_and_counted(position: Position) -> None:
    plies = position.plies()
    assert plies == sorted(set(plies), key=str.encode)
    assert position.count() == len(plies)
    assert bool(plies) != position.is_over
    for index in range(0, len(plies), 1 + len(plies) // 8):
        assert position.is_legal(plies[index])
        assert position.short(plies[index]) == plies[index]
        assert position.nth(index) == (plies[index], position.apply(plies[index]))
    with pytest.raises(IndexError):
        position.nth(len(plies))


@given(positions())
def test_successors_are_the_positions_after_the_plies(position: Position) -> None:
    assert list(position.children()) == [after for _, after in position.successors()]
    for ply, after in position.successors()[::7]:
        assert after == position.apply(ply)
        assert Position(after.fen) == after
        assert after.players == position.players


@given(positions())
def test_who_plays_and_how_it_ended(position: Position) -> None:
    assert position.is_over == (position.outcome is not None)
    if position.game.players == (2, 2):
        assert position.player in ("s", "n")
        assert position.outcome in (None, "s", "n", "draw")
        assert position.players == 2
    else:
        assert position.player in range(1, position.players + 1)
        assert position.outcome is None or position.outcome in range(1, position.players + 1)


@given(positions())
def test_only_chance_events_have_weights(position: Position) -> None:
    weights = position.weights()
    assert bool(weights) == position.is_chance
    if weights:
        assert list(weights) == position.plies()
        assert all(weight > 0 for weight in weights.values())


@given(positions())
def test_perft_of_one_ply_is_their_number(position: Position) -> None:
    assert position.perft(0) == 1
    assert position.perft(1) == position.count()
    if position.count() < 400:
        parts = divide(position, 2)
        assert [ply for ply, _ in parts] == position.plies()
        assert sum(count for _, count in parts) == perft(position, 2)


@given(positions())
def test_drawings(position: Position) -> None:
    assert position.draw() == position.draw().rstrip("\n")
    assert position.svg().startswith("<svg ")


@given(positions())
def test_pickle(position: Position) -> None:
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.fen == position.fen


def test_positions_do_not_change() -> None:
    position = Position(SET_UP)
    with pytest.raises(AttributeError):
        position.fen = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        position.more = 1
    before = position.fen
    position.apply("a1-b3")
    assert position.fen == before


def test_equality() -> None:
    position = Position(SET_UP)
    assert position != Position("gyges")
    assert position != Position("rings")
    assert position != SET_UP
    assert len({position, Position(SET_UP), position.apply("a1-b3")}) == 2
    assert repr(position) == f"Position({SET_UP!r})"
    assert eval(repr(position), {"Position": Position}) == position


def test_errors_are_value_errors_of_their_own_kinds() -> None:
    for kind in (PositionSyntaxError, ImpossiblePositionError, PlySyntaxError, IllegalPlyError):
        assert issubclass(kind, RingfenError)
    assert issubclass(RingfenError, ValueError)
    with pytest.raises(PositionSyntaxError):
        Position("gyges 321123")
    with pytest.raises(ImpossiblePositionError):
        Position(SET_UP.replace("321123", "321122"))
    with pytest.raises(PlySyntaxError):
        Position(SET_UP).apply("e2e4")
    with pytest.raises(IllegalPlyError, match="no ring on a2"):
        Position(SET_UP).apply("a2-a3")


def test_long_forms() -> None:
    position = Position(SET_UP)
    assert position.short("c1-b1-b3") == "c1-b3"
    assert position.apply("c1-b1-b3") == position.apply("c1-b3")
    assert not position.is_legal("c1-d1-b3")
    assert position.play(["a1-b3", "a6-b4"]) == position.apply("a1-b3").apply("a6-b4")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("hash_mb", [0, 1, 16])
@every_game
def test_threads_and_tables_do_not_change_counts(game_id: str, threads: int, hash_mb: int) -> None:
    start = Position(game_id)
    depth = 2 if start.count() > 50 else 3
    plain = perft(start, depth)
    assert perft(start, depth, threads=threads, hash_mb=hash_mb) == plain
    assert divide(start, depth, threads=threads, hash_mb=hash_mb) == divide(start, depth)


def test_perft_limits() -> None:
    with pytest.raises(ringfen.LimitReached):
        perft(Position(SET_UP), 5, limits=ringfen.Limits(nodes=10))
    with pytest.raises(ringfen.LimitReached):
        perft(Position(SET_UP), 5, limits=Limits(nodes=10), threads=2)
    for threads in (1, 2):
        # The limit holds for the whole count, not for each part of it, which takes a 224th of seconds.
        with pytest.raises(LimitReached):
            perft(Position(SET_UP), 4, threads=threads, limits=Limits(seconds=0.5))
    # So do nodes: each of the 224 parts, two plies deep, is one.
    for count in (perft, divide):
        assert count(Position(SET_UP), 3, threads=2, limits=Limits(nodes=300))
        with pytest.raises(LimitReached):
            count(Position(SET_UP), 3, threads=2, limits=Limits(nodes=200))
    with pytest.raises(ringfen.LimitReached):
        divide(Position(SET_UP), 3, limits=Limits(nodes=200))
    for depth in (-1, 256):
        with pytest.raises(ValueError, match="depth is"):
            perft(Position(SET_UP), depth)


def test_a_progress_callback_sees_nodes_and_may_stop_the_call() -> None:
    class Enough(Exception):
        pass

    def progress(news: ringfen.Progress) -> None:
        if news.nodes > 0:
            raise Enough

    for threads in (1, 2):
        with pytest.raises(Enough):
            perft(Position(SET_UP), 9 if threads == 1 else 5, threads=threads, progress=progress)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("start", "depth"), [("gyges", 3), ("rings", 4), ("siaius", 1), ("siaius 3/1c1/3 s - - 0", 2)])
def test_the_last_progress_of_a_count_is_its_end(start: str, depth: int, threads: int) -> None:
    for count in (perft, divide):
        seen: list[ringfen.Progress] = []
        count(start, depth, threads=threads, progress=seen.append)
        assert seen[-1].done == seen[-1].total > 0
        shares = [news.done / news.total for news in seen]
        assert shares == sorted(shares)


@pytest.mark.parametrize("start", ["gyges", "rings", "gran", "siaius"])
def test_a_count_reports_its_share(start: str) -> None:
    position = Position(SET_UP if start == "gyges" else start)
    seen: list[ringfen.Progress] = []

    class Enough(Exception):
        pass

    def progress(news: ringfen.Progress) -> None:
        seen.append(news)
        if len(seen) == 5:
            raise Enough

    with pytest.raises(Enough):
        divide(position, 30, hash_mb=0, progress=progress)
    shares = [news.done for news in seen]
    assert shares == sorted(shares)
    assert len({news.total for news in seen}) == 1
    assert all(0 <= news.done <= news.total > 0 for news in seen)


@pytest.mark.parametrize("depth", range(5))
@pytest.mark.parametrize("start", ["gyges", "rings", "gran", "siaius"])
def test_a_finished_count_has_done_all(start: str, depth: int) -> None:
    position = Position(start)
    control = Control()
    core = position.game.cdata
    count = lib.rf_perft(core, position.context.cdata, position.state, depth, ffi.NULL, control.cdata)
    assert (count, control.cdata.done) == (position.perft(depth), control.cdata.total)


def test_the_generator_is_the_published_one() -> None:
    """The first numbers of SplitMix64 from state 1234567, as its authors' program gives them."""
    generator = Generator(0)
    generator._state = 1234567
    assert [generator._next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_are_spread_evenly() -> None:
    generator = Generator(1)
    counts = [0] * 6
    for _ in range(6000):
        counts[generator.below(6)] += 1
    assert sum(counts) == 6000
    assert min(counts) > 850
    assert max(counts) < 1150


@every_game
def test_random_plies_are_legal_and_repeatable(game_id: str) -> None:
    start = Position(game_id)
    plies, last = random_plies(start, Generator(5), 60)
    assert (plies, last) == random_plies(start, Generator(5), 60)
    assert start.play(plies) == last
    assert random_ply(start, Generator(5))[0] == plies[0]
    assert random_plies(start, Generator(5, 1), 60) != (plies, last)


def test_python_code_is_documented() -> None:
    import doctest

    import ringfen.position

    assert doctest.testmod(ringfen.position).failed == 0


def test_rules_are_files_of_the_package() -> None:
    for game_id in game_ids():
        assert game_by_id(game_id).rules() == (Path(ringfen.__file__).parent / "rules" / f"{game_id}.md").read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize("game_id", game_ids())
def test_a_ply_that_is_read_is_the_one_that_is_listed(game_id: str) -> None:
    """From the start on, where positions for tests seldom begin."""
    position = Position(game_id)
    for _ in range(6):
        assert [position.core_ply(text) for text in position.plies()] == position.core_plies()
        position = position.nth(position.count() // 2)[1]


def test_a_position_loses_no_attribute() -> None:
    position = Position("gyges")
    with pytest.raises(AttributeError, match="does not change"):
        del position._fen
    assert repr(position.game) == "Game('gyges')"


def test_perft_chooses_a_table_and_takes_limits_as_keywords() -> None:
    assert perft("rings", 4) == perft("rings", 4, hash_mb=None) == perft("rings", 4, hash_mb=0)
    assert divide("rings", 4) == divide("rings", 4, hash_mb=0)
    with pytest.raises(ringfen.LimitReached):
        perft("rings", 4, nodes=10)
    with pytest.raises(TypeError, match="not both"):
        perft("rings", 4, nodes=10, limits=ringfen.Limits(nodes=10))
