"""Forced wins: the search against plain search, known answers, and itself under other limits, tables and threads."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gyges_random import random_fen
from hypothesis import given
from hypothesis import strategies as st
from known_data import rows
from no_table import options_with
from reference import gyges as reference
from siaius_random import random_position

from ringfen import LimitReached, Limits, Position, Solution, SolveOptions, perft
from ringfen._core import ffi, lib
from ringfen.control import stop_when
from ringfen.solving.core_answers import solve_in_core

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
USUAL = "gyges 321123/....../....../....../....../321123 s - 1+1"
#: Wins and losses of all distances up to 7, from random games.
EXAMPLES = [
    "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1",
    "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1",
    "gyges ....../1...../3.23../3.211./2.132./...... n - 1+1",
]


def solve(fen: str, **options: Any) -> Solution:
    return Position(fen).solve(SolveOptions(**{"hash_mb": 16, **options}))


def wins_within(fen: str, plies: int) -> bool:
    answer = solve(fen, depth=plies)
    return answer.value == "win"


def loses_within(fen: str, plies: int) -> bool:
    return solve(fen, depth=plies).value == "loss"


def facts(answer: Solution) -> tuple[Any, ...]:
    return answer.status, answer.value, answer.distance, answer.best, answer.best_complete, answer.pv, answer.decided


class PlainSearch:
    """Plain AND/OR search over the core's own lists of plies, to compare with in positions of many plies."""

    def __init__(self) -> None:
        self.known: dict[tuple[Position, str | int, int], bool] = {}

    def forces(self, position: Position, winner: str | int, plies: int) -> bool:
        if position.is_over:
            return position.outcome == winner
        if plies == 0:
            return False
        key = (position, winner, plies)
        if key not in self.known:
            each = (self.forces(child, winner, plies - 1) for _, child in position.successors())
            self.known[key] = any(each) if position.player == winner else all(each)
        return self.known[key]

    def best(self, position: Position, winner: str | int, distance: int) -> tuple[str, ...]:
        if position.player == winner:
            return tuple(ply for ply, child in position.successors() if self.forces(child, winner, distance - 1))
        return tuple(ply for ply, child in position.successors() if not self.forces(child, winner, distance - 2))


# ---- known answers ----


@pytest.mark.parametrize("row", rows("data/gyges_wins.jsonl"), ids=lambda row: row["fen"])
def test_known_wins(row: dict[str, Any]) -> None:
    for plies, wins in row["win_in"].items():
        assert wins_within(row["fen"], int(plies)) == wins


def test_positions_of_the_readme() -> None:
    assert facts(solve(EXAMPLES[0]))[:4] == ("exact", "win", 1, ("a5-S",))
    assert solve(EXAMPLES[1]).distance == 1
    assert solve(EXAMPLES[2]).value == "loss"
    assert not wins_within(EXAMPLES[2], 1)


def test_neither_side_wins_soon_from_the_usual_setup() -> None:
    answer = solve(USUAL, depth=6)
    assert (answer.status, answer.value, answer.decided, answer.best) == ("unknown", None, 6, ())


def test_a_finished_position() -> None:
    answer = Position(EXAMPLES[0]).apply("a5-S").solve()
    assert facts(answer) == ("exact", "loss", 0, (), True, (), None)


def test_setup_positions_are_searched_too() -> None:
    assert solve("gyges", depth=3).decided == 3


# ---- against plain search ----


@given(st.randoms(use_true_random=False))
def test_short_wins_and_losses(rnd: Random) -> None:
    fen = random_fen(rnd)
    state = reference.parse(fen)
    for plies in (1, 2) if Position(fen).count() <= 300 else (1,):
        answer = solve(fen, depth=plies)
        assert (answer.value == "win") == reference.win_within(state, plies)
        assert (answer.value == "loss") == reference.loss_within(state, plies)


@given(st.randoms(use_true_random=False))
def test_distance_and_best_plies(rnd: Random) -> None:
    """Up to three plies, by the core's lists; positions are thinned out so that plain search can follow."""
    tried = (Position(random_fen(rnd)) for _ in range(10))
    position = next((one for one in tried if one.count() <= 60 and one.perft(3) <= 80_000), None)
    if position is None:
        return
    plain = PlainSearch()
    answer = position.solve(SolveOptions(depth=3, hash_mb=1))
    for distance in range(4):
        for winner in "sn":
            if plain.forces(position, winner, distance):
                assert answer.status == "exact"
                assert answer.value == ("win" if winner == position.player else "loss")
                assert answer.distance == distance
                if distance > 0:
                    assert answer.best == plain.best(position, winner, distance)
                return
    assert (answer.status, answer.decided) == ("unknown", 3)


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("gyges .3..../312.1./21.2.3/.12.../....../3..... s - 2+1", "a1-N"),
        ("gyges ...2../3..1../.21.33/.2...1/.3..21/...... s - 2+1", "f2-N"),
        ("gyges 1...../.21..2/23.3../132.13/....../...... s - 2+1", "f3-N"),
    ],
)
def test_two_conquests(fen: str, best: str) -> None:
    """They take at least four plies: one, its reversal, the other side's, and another."""
    position = Position(fen)
    answer = position.solve(SolveOptions(hash_mb=4))
    assert (answer.value, answer.distance, answer.best) == ("win", 4, (best,))
    assert position.play(answer.pv).outcome == "s"
    assert answer.pv[1].startswith("=")
    pending = position.apply(best).solve(SolveOptions(hash_mb=4))
    assert (pending.value, pending.distance) == ("loss", 3)


def test_the_kings_game() -> None:
    rnd = Random(9)
    for _ in range(100):
        ranks, side, _, _ = random_fen(rnd).split()[1:]
        if sum(letter in "123" for letter in ranks) != 12:
            continue
        position = Position(f"gyges {ranks} {side} - 2+1")
        answer = position.solve(SolveOptions(depth=4, hash_mb=1))
        state = reference.parse(position.fen)
        assert reference.win_within(state, 1) == (answer.value == "win" and answer.distance == 1)
        if answer.status == "exact":
            winner = position.player if answer.value == "win" else "sn".replace(str(position.player), "")
            assert position.play(answer.pv).outcome == winner
            assert winner == "n" or answer.distance == 4


@pytest.mark.parametrize(
    "fen",
    [
        # The rings of the first rank cannot move, so one of the second wins.
        "gyges ....../...3../1..1../....../211222/.33.3. s - 1+1",
        "gyges .33.3./121223/....../...1../.....2/....1. n - 1+1",
        "gyges .32322/111312/....../....3./....../...... n - 1+1",
        # They will not be able to after any ply of the other side but some.
        "gyges .....1/.2..../.1..../....../122321/3.3.3. n - 1+1",
        "gyges 3.3.3./122112/....../...2.3/..1.../...... s - 1+1",
        "gyges .....2/.....2/1...../....../121213/3.3.3. n - 1+1",
        "gyges .3.33./112212/..2.../.3..../....../....1. s - 1+1",
    ],
)
def test_rings_that_cannot_move_make_way_for_the_next_rank(fen: str) -> None:
    """G4: the rank that is active if the nearest one is blocked."""
    state = reference.parse(fen)
    for plies in (1, 2):
        assert wins_within(fen, plies) == reference.win_within(state, plies)
        assert loses_within(fen, plies) == reference.loss_within(state, plies)
    assert reference.win_within(state, 1) or reference.loss_within(state, 2)


# ---- answers hang together ----


def solved_examples() -> list[tuple[Position, Solution]]:
    found = []
    for fen in (BENCHMARKS / "data" / "gyges_positions.txt").read_text().splitlines()[:60]:
        answer = solve(fen, depth=5)
        if answer.status == "exact":
            found.append((Position(fen), answer))
    return found


def test_lines_end_with_the_value_and_distances_fit() -> None:
    examples = solved_examples()
    assert {answer.value for _, answer in examples} == {"win", "loss"}
    assert {answer.distance for _, answer in examples} >= {2, 3, 4, 5}
    for position, answer in examples:
        winner = position.player if answer.value == "win" else "sn".replace(str(position.player), "")
        assert len(answer.pv) == answer.distance
        assert position.play(answer.pv).outcome == winner
        assert answer.best_complete
        assert answer.pv[0] == answer.best[0]
        assert list(answer.best) == sorted(answer.best)
        assert answer.distance is not None
        for ply in answer.best[:3]:
            after = position.apply(ply).solve(SolveOptions(hash_mb=1))
            assert after.distance == answer.distance - 1
            assert after.value != answer.value or position.apply(ply).player == position.player


@pytest.mark.parametrize("threads", [1, 3])
def test_the_table_does_not_change_answers(threads: int) -> None:
    fens = (BENCHMARKS / "data" / "gyges_positions.txt").read_text().splitlines()[:40]
    answers = [facts(solve(fen, depth=5)) for fen in fens]
    options = options_with(0, depth=5, threads=threads)
    assert [facts(solve_in_core(Position(fen), options, None)) for fen in fens] == answers


@pytest.mark.parametrize("options", [{"hash_mb": 1}, {"threads": 2}])
def test_tables_and_threads_do_not_change_answers(options: dict[str, int]) -> None:
    fens = (BENCHMARKS / "data" / "gyges_positions.txt").read_text().splitlines()
    for fen in fens[:40]:
        assert facts(solve(fen, depth=5, **options)) == facts(solve(fen, depth=5))


@pytest.mark.long
@pytest.mark.parametrize("options", [{"hash_mb": 1}, {"threads": 2}, {"threads": 5}])
def test_tables_and_threads_do_not_change_long_answers(options: dict[str, int]) -> None:
    fens = (BENCHMARKS / "data" / "gyges_positions.txt").read_text().splitlines()
    for fen in fens:
        assert facts(solve(fen, depth=7, **options)) == facts(solve(fen, depth=7))


def test_other_threads_continue_if_one_stops() -> None:
    assert facts(solve(USUAL, depth=7, threads=2)) == facts(solve(USUAL, depth=7))


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_find_the_same_long_wins(threads: int) -> None:
    """Decided beyond the depth that one thread searches by itself."""
    fens = [line for line in (BENCHMARKS / "data" / "siaius-8x8-5.txt").read_text().splitlines() if line[0] != "#"]
    found = [(fen, solve(fen, depth=11)) for fen in fens[:40]]
    decided = [(fen, answer) for fen, answer in found if answer.status == "exact" and (answer.distance or 0) > 6]
    assert {answer.value for _, answer in decided} == {"win", "loss"}
    for fen, answer in decided:
        assert facts(solve(fen, depth=11, threads=threads)) == facts(answer), fen


def test_a_shared_search_tells_the_ply_that_decided() -> None:
    """A question that another thread has also answered: its ply is in the table."""
    wins = ((at, answer) for at, answer in solved_examples() if answer.value == "win" and answer.distance == 5)
    position, answer = next(wins)
    number = "sn".index(str(position.player)) + 1
    table = ffi.gc(lib.rf_table_new(1 << 20), lib.rf_table_free)
    others = ffi.gc(lib.rf_in_progress_new(), lib.rf_in_progress_free)
    control, ply = ffi.new("rf_control *"), ffi.new("uint32_t *")
    plies = set()
    for _ in range(2):
        search = ffi.gc(lib.rf_win_new(position.game.cdata, ffi.NULL, table), lib.rf_win_free)
        lib.rf_win_share_work(search, others)
        assert not lib.rf_win_deciding_ply(search, ply)
        lib.rf_control_start(control)
        assert lib.rf_win_forces(search, position.state, number, 4, control) == 0
        assert not lib.rf_win_deciding_ply(search, ply)
        assert lib.rf_win_forces(search, position.state, number, 5, control) == 1
        assert lib.rf_win_deciding_ply(search, ply)
        plies.add(position.ply_text(ply[0]))
    assert len(plies) == 1
    assert plies <= set(answer.best)


# ---- limits ----


def test_node_limits_are_exact_and_repeatable() -> None:
    answers = [solve(USUAL, limits=Limits(nodes=2000)) for _ in range(2)]
    assert facts(answers[0]) == facts(answers[1])
    assert answers[0].nodes == answers[1].nodes == 2000
    assert answers[0].status == "unknown"
    assert answers[0].decided is not None
    assert 5 <= answers[0].decided <= 7


def test_a_limit_after_the_value_is_known_leaves_it_exact() -> None:
    fen = EXAMPLES[2]
    whole = solve(fen)
    for nodes in range(1, whole.nodes + 1, 5):
        part = solve(fen, limits=Limits(nodes=nodes))
        assert part.nodes <= nodes
        if part.status == "exact":
            assert (part.value, part.distance) == (whole.value, whole.distance)
            assert not part.best_complete or part.best == whole.best
        elif part.status == "bound":
            assert (part.value, part.lower, part.upper) == (whole.value, whole.distance, whole.distance)
        else:
            assert part.decided is not None
            assert part.decided < (whole.distance or 0)


def test_time_limit() -> None:
    answer = solve(USUAL, limits=Limits(seconds=0.2))
    assert answer.status == "unknown"
    assert answer.seconds >= 0.2


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_the_progress_callback_comes_out(threads: int) -> None:
    class Enough(Exception):
        pass

    def stop(_: object) -> None:
        raise Enough

    with pytest.raises(Enough):
        Position(USUAL).solve(SolveOptions(threads=threads, hash_mb=1), progress=stop)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_that_is_asked_for_reaches_every_thread(threads: int) -> None:
    asked = iter([False] * 4)
    with stop_when(lambda: next(asked, True)):
        found = Position(USUAL).solve(SolveOptions(threads=threads, hash_mb=1))
    assert found.status == "unknown"
    with stop_when(lambda: next(asked, True)), pytest.raises(LimitReached):
        perft(Position(USUAL), 12, threads=threads)


def test_searches_in_several_threads_of_the_caller() -> None:
    answers: dict[int, tuple[Any, ...]] = {}
    workers = [threading.Thread(target=lambda i=i: answers.__setitem__(i, facts(solve(EXAMPLES[2])))) for i in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(answers.values()) == {facts(solve(EXAMPLES[2]))}


# ---- what the search needs from the game ----


def test_safe_plies_and_short_answers_agree_with_lists() -> None:
    """The core's own question 'within n plies' for every n up to 4, with hints kept from position to position."""
    rnd = Random(4)
    game = Position("gyges").game.cdata
    search = ffi.gc(lib.rf_win_new(game, ffi.NULL, ffi.NULL), lib.rf_win_free)
    control = ffi.new("rf_control *")
    lib.rf_control_start(control)
    plain = PlainSearch()
    tried = 0
    while tried < 12:
        position = Position(random_fen(rnd))
        if position.count() > 30 or position.is_over or position.perft(3) > 300_000:
            continue
        tried += 1
        for plies in (1, 2, 3):
            for number, winner in enumerate("sn", start=1):
                expected = plain.forces(position, winner, plies)
                assert lib.rf_win_forces(search, position.state, number, plies, control) == expected
        plain.known.clear()


def test_what_siaius_tells_agrees_with_lists() -> None:
    """Small boards, huffs and bonuses pending, every option: wins of up to three stones in up to five plies."""
    rnd = Random(6)
    search = ffi.gc(lib.rf_win_new(Position("siaius").game.cdata, ffi.NULL, ffi.NULL), lib.rf_win_free)
    control = ffi.new("rf_control *")
    lib.rf_control_start(control)
    wins = []
    for number in range(400):
        files, ranks = rnd.choice(((3, 3), (3, 4), (4, 3), (4, 4)))
        options = rnd.choice(("", " beats=reverse")) + rnd.choice(("", " huff=stone", " huff=off"))
        position = Position(random_position(rnd, files, ranks, rnd.randrange(2, 7), options))
        plain = PlainSearch()
        for plies in range(1, 6 if number % 8 == 0 else 5):
            for player, winner in enumerate("sn", start=1):
                expected = plain.forces(position, winner, plies)
                assert lib.rf_win_forces(search, position.state, player, plies, control) == expected, position.fen
                if expected:
                    wins.append((plies, position.fen.split()[1], winner))
    taken = {
        (plies, sum(map(str.islower if winner == "s" else str.isupper, ranks_text)))
        for plies, ranks_text, winner in wins
    }
    assert taken >= {(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2)}


@pytest.mark.parametrize(("entries_bytes", "count"), [(1 << 14, 60), (1 << 20, 25)])
def test_one_table_answers_questions_in_any_order(entries_bytes: int, count: int) -> None:
    """A table of 1024 entries for thousands of positions, and a large one: earlier questions, of this
    position or another, by more plies or fewer, changes no answer."""
    rnd = Random(8)
    game = Position("siaius").game.cdata
    table = ffi.gc(lib.rf_table_new(entries_bytes), lib.rf_table_free)
    search = ffi.gc(lib.rf_win_new(game, ffi.NULL, table), lib.rf_win_free)
    control = ffi.new("rf_control *")
    lib.rf_control_start(control)
    plain = PlainSearch()
    asked = []
    for _ in range(count):
        files, ranks = rnd.choice(((3, 3), (3, 4), (4, 3), (4, 4)))
        position = Position(random_position(rnd, files, ranks, rnd.randrange(2, 6), rnd.choice(("", " huff=off"))))
        questions = [(position, player, plies) for player in (1, 2) for plies in range(1, 6)]
        rnd.shuffle(questions)
        asked += questions
    # Some of them again, long after others.
    for position, player, plies in asked + rnd.sample(asked, len(asked) // 4):
        expected = plain.forces(position, "sn"[player - 1], plies)
        assert lib.rf_win_forces(search, position.state, player, plies, control) == expected, position.fen
    assert any(plain.known.values())


def test_a_turn_of_siaius_takes_three_stones_at_most() -> None:
    """One by a huff, one with the move, one with the bonus ply."""
    position = Position("siaius 1m1s/1S2/m3/4 s a2 - 0")
    for plies, ply in ((3, "*a2"), (2, "b3xb4"), (1, "b4xd4")):
        answer = position.solve(SolveOptions(depth=5, tables=Path("/nonexistent/ringfen-tables")))
        assert (answer.value, answer.distance, answer.best) == ("win", plies, (ply,))
        position = position.apply(ply)
    assert position.is_over
