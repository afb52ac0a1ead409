"""Winning probabilities: against known values and plain expectation with fractions, and what may not change them."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from gran_random import LINKED_BOARD, SMALL_BOARD, linked_board, near_end_text, random_text, small_board
from known_data import rows
from no_table import options_with
from reference import gran as reference

from ringfen import ImpossiblePositionError, Limits, Position, Solution, SolveOptions
from ringfen._core import ffi, lib
from ringfen.certificates.strategy import chance_strategy
from ringfen.control import Progress, stop_when
from ringfen.rules.gran.board import default_board, read_board
from ringfen.solving import core_answers, solve
from ringfen.solving.core_answers import chances_of, joined
from ringfen.version import __version__

if TYPE_CHECKING:
    from ringfen._core import rf_chance_table, rf_chances, rf_pool

BOARDS = {
    "": (default_board(), reference.DEFAULT),
    "small": (small_board(), reference.Board.parse(SMALL_BOARD, "small")),
    "linked": (linked_board(), reference.Board.parse(LINKED_BOARD, "linked")),
}


@pytest.mark.parametrize("row", rows("data/gran_values.jsonl"), ids=lambda row: row["fen"])
def test_known_values(row: dict[str, Any]) -> None:
    answer = solve(Position(row["fen"]), SolveOptions(model=row["model"], depth=row["horizon"])).to_json()
    assert (answer["value"], answer["open"]) == (row["value"], row["open"])
    assert answer["status"] == "horizon"


# ---- against the reference ----


def near_end(seed: str, count: int, most: int) -> list[tuple[Position, reference.State, int]]:
    """Positions near the end, on every board and with every number of players, with a horizon that has ``most`` leaves
    or fewer."""
    rnd = Random(seed)
    found: list[tuple[Position, reference.State, int]] = []
    while len(found) < count:
        name = rnd.choice(list(BOARDS))
        board, reference_board = BOARDS[name]
        text = near_end_text(rnd, board)
        try:
            position = Position.on_board(text, board)
        except ImpossiblePositionError:
            continue
        horizon = 0
        while horizon < 9 and position.perft(horizon + 1) <= most:
            horizon += 1
        if horizon >= 2:
            found.append((position, reference.parse(text, reference_board), rnd.randint(2, horizon)))
    return found


def check_against_reference(position: Position, state: reference.State, horizon: int, number: int) -> bool:
    """Both models, all against the one to act and all against another; says whether anybody can win in time."""
    hash_mb, other = number % 2, number % position.players + 1
    value, open_, best = reference.maxn(state, horizon)
    answer = solve(position, options_with(hash_mb, depth=horizon))
    assert isinstance(answer.value, tuple)
    assert (list(answer.value), answer.open) == (value, open_)
    assert (list(answer.best), answer.best_complete) == (best, True)
    check_line(position, answer)
    for player in {reference.player(state), other}:
        lower, upper, best = reference.paranoid(state, horizon, player)
        options = options_with(hash_mb, model="paranoid", depth=horizon, player=player)
        answer = solve(position, options)
        assert (answer.lower, answer.upper, answer.open) == (lower, upper, upper - lower)
        assert answer.status == ("exact" if lower == upper else "bound")
        assert (answer.value is None) == (answer.status == "bound")
        if answer.status == "exact" and answer.horizon == horizon:
            assert (list(answer.best), answer.best_complete) == (best, True)
        check_line(position, answer)
    return any(value)


def check_line(position: Position, answer: Solution) -> None:
    if answer.pv:
        assert answer.pv[0] == answer.best[0]
    position.play(answer.pv)


def test_against_plain_expectation() -> None:
    players, interesting = Counter[int](), 0
    for number, (position, state, horizon) in enumerate(near_end("near the end", 200, 200)):
        interesting += check_against_reference(position, state, horizon, number)
        players[position.players] += 1
    assert min(players[number] for number in (3, 4, 5, 6)) >= 20
    assert interesting >= 40


@pytest.mark.parametrize(
    ("text", "horizon"),
    [
        ("gran e2:2:TGE/d4:3:UGE/c1:0:TUG ? c2,a3,c3,c4 1.0.0.1.0.0.0 2 ring board=small seals=4", 4),
        ("gran e2:2:TGE/d4:3:UGE/c1:0:TUG ? c2,a3,c3,c4 1.0.0.1.0.0.0 2 ring board=small seals=4", 5),
        ("gran a1:3:TGE/b3:0:UGE/c4:0:TUE a1 c2,e2,a3,c3 1.0.0.0.1.0.0 1 move board=small seals=4", 5),
    ],
)
def test_the_first_of_equal_plies_in_byte_order_is_played(text: str, horizon: int) -> None:
    """What a player does who gains nothing by it decides what others get: some plies that are equal for them are not
    tried in byte order, and some lead to nothing for them at all."""
    board, reference_board = BOARDS["small"]
    value, open_, best = reference.maxn(reference.parse(text, reference_board), horizon)
    for hash_mb in (0, 1):
        answer = solve(Position.on_board(text, board), options_with(hash_mb, depth=horizon))
        assert (answer.value, answer.open, list(answer.best)) == (tuple(value), open_, best)


def ask_maxn(
    position: Position, horizon: int, player: int, least: rf_chances, table: rf_chance_table
) -> tuple[int, rf_chances]:
    """The answer of rf_chance_maxn, and its chances."""
    control, out = ffi.new("rf_control *"), ffi.new("rf_chances *")
    lib.rf_control_start(control)
    core, context = position.game.cdata, position.context.cdata
    found = lib.rf_chance_maxn(core, context, position.state, horizon, player, least, table, control, out)
    assert found != lib.RF_CHANCE_STOPPED
    return int(found), out


def maxn(position: Position, horizon: int, table: rf_chance_table) -> tuple[Fraction, ...]:
    _, chances = ask_maxn(position, horizon, 0, ffi.NULL, table)
    return tuple(Fraction(joined(chances.num[i]), joined(chances.den)) for i in range(position.players))


def test_the_first_of_equal_plies_with_stored_values_is_played() -> None:
    """Such a value comes whether it is high enough for the one who asks or not."""
    text, horizon = "gran -:3:-/a3:3:U/a2:1:U/b1:3:G b1 b2,c2,e2,c4 0.0.0.0.0.0.0 2 move board=small seals=2", 3
    position = Position.on_board(text, BOARDS["small"][0])
    table = ffi.gc(lib.rf_chance_table_new(position.game.cdata, position.players, 1 << 20), lib.rf_chance_table_free)
    values = [maxn(after, horizon - 1, table) for _, after in position.successors()]
    value = maxn(position, horizon, table)
    most = max(each[1] for each in values)
    equal = [each for each in values if each[1] == most]
    assert most > 0
    assert len(set(equal)) > 1
    assert value == equal[0]


def test_whether_a_player_reaches_as_much() -> None:
    """Chance events and decisions, with empty tables: exactly the value, and a little more."""
    events = 0
    for position, _, horizon in near_end("reaching", 600, 2000):
        if position.is_over:
            continue
        value = maxn(position, horizon, ffi.NULL)
        events += position.is_chance and 0 < max(value) < 1
        for player, share in enumerate(value, 1):
            more = share + Fraction(1, 10**6)
            for least, expected in ((share, lib.RF_CHANCE_FOUND), (more, lib.RF_CHANCE_BELOW)):
                found, _ = ask_maxn(position, horizon, player, chances_of(least), ffi.NULL)
                assert found == expected, (position.fen, horizon, player)
    assert events >= 20, events


def paranoid_says(position: Position, horizon: int, player: int, upper: bool, question: int, limit: Fraction) -> bool:
    """The answer of rf_chance_paranoid to a question about a limit."""
    control, out = ffi.new("rf_control *"), ffi.new("rf_chances *")
    lib.rf_control_start(control)
    core, context = position.game.cdata, position.context.cdata
    asked = (horizon, player, upper, question, chances_of(limit), ffi.NULL)
    found = lib.rf_chance_paranoid(core, context, position.state, *asked, control, out)
    assert found != lib.RF_CHANCE_STOPPED
    return bool(found == lib.RF_CHANCE_FOUND)


def test_whether_paranoid_reaches_or_exceeds_a_limit() -> None:
    """Exactly the value, and a little more and less; windows may include an end or not, also below chance events."""
    little, between = Fraction(1, 10**6), 0
    for number, (position, state, horizon) in enumerate(near_end("limits", 200, 2000)):
        if position.is_over:
            continue
        player = number % position.players + 1
        for upper, value in enumerate(reference.paranoid(state, horizon, player)[:2]):
            between += 0 < value < 1
            for limit in {max(value - little, Fraction(0)), value, min(value + little, Fraction(1))}:
                answers = {lib.RF_CHANCE_AT_LEAST: value >= limit, lib.RF_CHANCE_AT_MOST: value <= limit}
                for question, yes in answers.items():
                    said = paranoid_says(position, horizon, player, bool(upper), question, limit)
                    assert said == yes, (position.fen, horizon, player, upper, limit)
    assert between >= 10, between


@pytest.mark.long
def test_against_plain_expectation_longer() -> None:
    for number, (position, state, horizon) in enumerate(near_end("further from the end", 400, 8000)):
        check_against_reference(position, state, horizon, number)


def test_earliest_wins_is_never_too_late() -> None:
    """No player wins before the bound of the core (gr_earliest_wins), which cuts the search."""
    for position, _, horizon in near_end("soonest", 60, 3000):
        winners: dict[int, int] = {}
        layer = {position}
        for ply in range(1, horizon + 1):
            layer = {child for here in layer for _, child in here.successors()}
            for child in layer:
                if isinstance(child.outcome, int):
                    winners.setdefault(child.outcome, ply)
        out = ffi.new("uint8_t[]", 6)
        lib.gr_inspect_earliest_wins(position.context.cdata, position.state, out)
        for winner, ply in winners.items():
            assert out[winner - 1] <= ply, position.fen


def test_earliest_wins_falls_by_one_ply_a_ply() -> None:
    """The bound holds after every ply and is 0 for a player who has won, so no player can win before it."""
    rnd = Random("one ply per ply")
    out = ffi.new("uint8_t[]", 6)

    def earliest_wins(position: Position) -> list[int]:
        lib.gr_inspect_earliest_wins(position.context.cdata, position.state, out)
        return list(out)[: position.players]

    for number in range(600):
        board = [*BOARDS.values()][number % 3][0]
        try:
            position = Position.on_board((random_text, near_end_text)[number % 2](rnd, board), board)
        except ImpossiblePositionError:
            continue
        for _ in range(6):
            if isinstance(position.outcome, int):
                assert earliest_wins(position)[position.outcome - 1] == 0
                break
            children = [child for _, child in position.successors()]
            here = earliest_wins(position)
            for child in rnd.sample(children, min(len(children), 30)):
                assert all(before <= after + 1 for before, after in zip(here, earliest_wins(child), strict=True)), (
                    child.fen
                )
            position = rnd.choice(children)


# ---- what may not change an answer ----

DUEL = "gran d7:3:G/a8:0:G/f7:3:UG @3 f3,b4,g4,e5,f5,g6,e7,a9 2.0.3.4.2.3.2 3 move"


def plain(answer: Solution) -> dict[str, Any]:
    return {name: value for name, value in answer.to_json().items() if name not in ("nodes", "seconds")}


@pytest.mark.parametrize("model", ["maxn", "paranoid"])
def test_hash_size_changes_nothing(model: str) -> None:
    answers = [plain(solve(Position(DUEL), options_with(size, model=model, depth=8))) for size in (0, 1, 16, 64)]
    assert answers[1:] == answers[:1] * 3


# ---- threads ----

FOR_THREADS = (
    ("gran g7:2:G/c1:3:GE/e7:3:UE/b9:1:U @2 e2,f2,c3,c4,e5,d7 2.0.0.2.5.0.0 2 move", 13),
    ("gran i7:1:-/h4:2:UG/i5:1:GE/e2:2:-/h1:2:U @2 c3,f3,b4,c6,f8,h9 1.0.1.6.1.1.1 2 move", 13),
    ("gran i5:0:TG/i7:1:UG/g9:1:TU/h5:1:UE @3 e1,e2,h6,b9 2.0.1.1.5.2.0 3 move", 12),
    (DUEL, 8),
)
#: Which reaches 0.6 with 8 plies.
FOR_UNTIL = "gran f3:3:-/b4:3:GE/i5:2:UE/e7:1:GE @2 a2,c5,e5,f7,e9,g9 2.0.0.2.5.1.2 2 move"


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that start with every question, however short."""
    usual = core_answers.new_pool

    def eager_pool(helpers: int) -> rf_pool:
        pool = usual(helpers)
        lib.rf_pool_share_short_work(pool)
        return pool

    monkeypatch.setattr(core_answers, "new_pool", eager_pool)


def check_threads(position: Position, alone: Solution, options: SolveOptions) -> None:
    before = threading.active_count()
    for threads in (2, 3):
        assert plain(position.solve(replace(options, threads=threads))) == plain(alone), (position.fen, threads)
    assert threading.active_count() == before


@pytest.mark.parametrize(("text", "horizon"), FOR_THREADS)
def test_threads_change_nothing(eager: None, text: str, horizon: int) -> None:
    position = Position(text)
    asked = [SolveOptions(depth=horizon, hash_mb=16)]
    players = range(1, position.players + 1)
    asked += [SolveOptions(model="paranoid", depth=min(horizon, 9), player=player, hash_mb=16) for player in players]
    for options in asked:
        check_threads(position, position.solve(options), options)


def test_threads_change_nothing_with_until(eager: None) -> None:
    options = SolveOptions(model="paranoid", until=Fraction(3, 5), hash_mb=1)
    alone = Position(FOR_UNTIL).solve(options)
    assert alone.horizon == 8
    check_threads(Position(FOR_UNTIL), alone, options)


@pytest.mark.long
def test_threads_change_nothing_longer(eager: None) -> None:
    """Random endings that one thread solves in full, in both models."""
    rnd, compared = Random("threads"), Counter[str]()
    while min(compared["maxn"], compared["paranoid"]) < 200:
        board, _ = BOARDS[rnd.choice(list(BOARDS))]
        try:
            position = Position.on_board(near_end_text(rnd, board), board)
        except ImpossiblePositionError:
            continue
        model, player = rnd.choice(["maxn", "paranoid"]), rnd.randint(1, position.players)
        options = SolveOptions(
            model=model,
            depth=rnd.randint(6, 12),
            hash_mb=rnd.choice([1, 8]),
            player=player if model == "paranoid" else None,
        )
        few = position.solve(replace(options, limits=Limits(nodes=300_000)))
        if few.nodes < 2000 or few.nodes == 300_000 or few.note is not None:
            continue
        check_threads(position, position.solve(options), options)
        compared[model] += 1


def test_threads_and_limits() -> None:
    """A node limit is exact: one thread. Time, a requested stop and an error in the callback stop all threads."""
    position, before = Position(FOR_THREADS[0][0]), threading.active_count()
    options = SolveOptions(Limits(nodes=5000), depth=40, threads=3)
    two, one = position.solve(options), position.solve(replace(options, threads=1))
    assert replace(two, seconds=0.0) == replace(one, seconds=0.0)
    options = SolveOptions(depth=40, threads=3)
    assert position.solve(replace(options, limits=Limits(seconds=0.3))).status == "unknown"
    polls = iter([False] * 4)
    with stop_when(lambda: next(polls, True)):
        assert position.solve(options).status == "unknown"

    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        position.solve(options, progress=fail)
    assert threading.active_count() == before


def test_a_longer_horizon_narrows_the_bounds() -> None:
    lower, upper = Fraction(0), Fraction(1)
    for horizon in range(1, 9):
        answer = solve(Position(DUEL), SolveOptions(model="paranoid", depth=horizon))
        assert isinstance(answer.lower, Fraction)
        assert isinstance(answer.upper, Fraction)
        assert lower <= answer.lower <= answer.upper <= upper
        lower, upper = answer.lower, answer.upper


def test_until() -> None:
    options = SolveOptions(model="paranoid", until=Fraction(99, 100))
    answer = solve(Position("gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2"), options)
    assert answer.open is not None
    assert answer.open <= Fraction(99, 100)
    assert answer.horizon == 2


@pytest.mark.parametrize("each", [False, True])
def test_until_searches_no_deeper_than_depth(each: bool) -> None:
    fight = Position("gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2")
    for depth in (1, 2, 3):
        limited = solve(fight, SolveOptions(model="paranoid", depth=depth, until=Fraction(0), each=each))
        plain_depth = solve(fight, SolveOptions(model="paranoid", depth=depth, each=each))
        assert (limited.horizon, limited.status) == (depth, "bound")
        assert (limited.lower, limited.upper, limited.plies) == (
            plain_depth.lower,
            plain_depth.upper,
            plain_depth.plies,
        )
    early = solve(fight, SolveOptions(model="paranoid", depth=9, until=Fraction(99, 100)))
    assert early.horizon == 2


# ---- ends, limits, misuse ----


def test_finished() -> None:
    over = Position("gran b8:3:TU/a9:1:-/g9:0:T @1 - 2.0.4.6.6.4.2 1 over seals=2")
    answer = solve(over)
    assert {name: value for name, value in plain(answer).items() if value is not None} == {
        "fen": over.fen,
        "game": "gran",
        "status": "exact",
        "value": ["1", "0", "0"],
        "probabilities": ["1", "0", "0"],
        "distance": 0,
        "best": [],
        "best_complete": True,
        "pv": [],
        "pv_complete": True,
        "model": "maxn",
        "horizon": 8,
        "open": "0",
        "version": __version__,
    }
    answer = solve(over, SolveOptions(model="paranoid", player=2))
    assert plain(answer)["value"] == [None, "0", None]
    assert (answer.status, answer.distance) == ("exact", 0)


@pytest.mark.parametrize(("model", "status", "value"), [("maxn", "horizon", (0, 0, 0)), ("paranoid", "bound", None)])
def test_values_after_the_last_ply_of_the_horizon(model: str, status: str, value: object) -> None:
    answer = solve(Position("gran"), depth=1, model=model, each=True)
    assert {(row.status, row.value) for row in answer.plies or ()} == {(status, value)}


def test_limits() -> None:
    answer = solve(Position(DUEL), SolveOptions(depth=12, limits=Limits(nodes=5)))
    assert (answer.status, answer.value, answer.nodes) == ("unknown", None, 5)
    answer = solve(Position(DUEL), SolveOptions(model="paranoid", depth=12, limits=Limits(nodes=1)))
    assert (answer.status, answer.value, answer.nodes) == ("unknown", None, 1)
    fight = Position("gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2")
    again = [plain(solve(fight, SolveOptions(model="paranoid", depth=12, limits=Limits(nodes=3000)))) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0]["status"] == "bound"


@pytest.mark.parametrize(
    "options",
    [
        {"model": "minimax"},
        {"depth": -1},
        {"depth": 256},
        {"player": 1},
        {"until": Fraction(1, 2)},
        {"model": "paranoid", "player": 4},
        {"model": "paranoid", "player": 0},
    ],
)
def test_misuse(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"model|depth|player"):
        solve(Position("gran"), SolveOptions(**options))


# ---- large numbers ----

#: A corridor of dragons to the city of Tirad. All other points are isolated, so a player there passes.
CORRIDOR = """
lines: orthogonal
cards: 0 0 0 0 0 97 89
realms:
U_G_E_G_U_w_
____________
w_w_w_w_____
____________
____________
TTTTTTTTTTTT
T___________
TTTTTTTTTTTT
___________T
TTTTTTTTTTTT
T___________
TTTTTTTTTTTT

symbols:
C_C_C_S_R_._
____________
._._._._____
____________
____________
DDDDDDDDDDDC
D___________
DDDDDDDDDDDD
___________D
DDDDDDDDDDDD
D___________
DDDDDDDDDDDD
"""


def in_corridor(point: str) -> tuple[Position, reference.State]:
    text = f"gran {point}:1:UG/a10:0:-/c10:0:- @1 - 0.0.0.0.0.97.89 1 move board=corridor"
    board = read_board(CORRIDOR, "corridor")
    return Position.on_board(text, board), reference.parse(text, reference.Board.parse(CORRIDOR, "corridor"))


def test_numbers_of_more_than_64_bits() -> None:
    position, state = in_corridor("j5")
    value, open_, best = reference.maxn(state, 21)
    assert value[0].denominator > 1 << 64
    answer = solve(position, SolveOptions(depth=21))
    assert (answer.value, answer.open, list(answer.best)) == (tuple(value), open_, best)


@pytest.mark.parametrize(("point", "horizon"), [("j5", 21), ("j5", 25), ("l3", 27)])
def test_bounds_of_more_than_64_bits(point: str, horizon: int) -> None:
    """No player can hinder the one in the corridor, so it makes no difference whether the others want to. Either table
    keeps no number that it has no room for: neither a lower bound nor, from l3, an upper one."""
    position, _ = in_corridor(point)
    bound = solve(position, SolveOptions(model="paranoid", depth=horizon))
    answer = solve(position, SolveOptions(depth=horizon))
    assert isinstance(bound.lower, Fraction)
    assert isinstance(answer.value, tuple)
    assert (bound.lower, bound.horizon, bound.note) == (answer.value[0], horizon, None)
    assert bound.lower.denominator > 1 << 64


def test_overflow_is_reported() -> None:
    position, _ = in_corridor("l1")
    answer = solve(position, SolveOptions(depth=49))
    assert (answer.status, answer.value) == ("unknown", None)
    assert answer.note is not None
    assert "128 bits" in answer.note


@pytest.mark.parametrize("upper", [False, True])
def test_limits_of_more_than_64_bits(upper: bool) -> None:
    """The first ply whose probability reaches a limit is found, however close the limit is."""
    position = Position("gran f3:3:UG/c3:0:UG/a5:3:U/d8:1:UE @2 d2,c5,b9,g9 1.0.1.4.4.0.0 4 move")
    player, left = 1 if upper else 2, 4
    strategy = chance_strategy(position, SolveOptions(hash_mb=1))
    after = strategy.values_after(position, left, player, upper)
    assert after == [strategy.value(child, left, player, upper) for child in position.children()]
    between = {value for value in after if 0 < value < 1}
    assert len(between) == 2
    for power in range(41, 60):
        little = Fraction(1, 3**power)
        for value in between:
            for limit in (value - little, value, value + little):
                found = strategy.first_reaching(position, left, player, upper, limit, upper)
                reaching = (index for index, one in enumerate(after) if (one <= limit if upper else one >= limit))
                assert found == next(reaching, None), limit
