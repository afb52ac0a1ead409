"""Margins of the King of Rings: known values, and exhaustive search in plain Python on small positions."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from random import Random

import pytest
from known_data import rows
from no_table import options_with
from reference import rings as reference
from rings_random import random_text

from ringfen import Limits, Position, Progress, RingfenError, Solution, SolveOptions
from ringfen._core import ffi, lib
from ringfen.memory import owned

SMALL = SolveOptions(hash_mb=1)


def check_line(position: Position, solution: Solution) -> None:
    """The line of best play is what docs/concepts.md promises."""
    assert isinstance(solution.value, int)
    seen = {position}
    for i, ply in enumerate(solution.pv):
        position = position.apply(ply)
        if position in seen:
            assert (solution.endless in (True, None), i) == (True, len(solution.pv) - 1)
        seen.add(position)
    if solution.endless in (True, None):
        assert not position.is_over
        assert all(margin_by_single_questions(at) == 0 for at in seen)
        return
    south, north = reference.score(reference.parse(position.fen))
    assert position.is_over
    assert (south - north) * (1 if solution.fen.split()[2] == "s" else -1) == solution.value


@lru_cache(maxsize=256)
def plainly_solved(text: str, most_positions: int = 3000) -> tuple[int, list[str], bool]:
    return reference.solve(reference.parse(text), most_positions)


def check(text: str, solution: Solution, most_positions: int = 3000) -> None:
    margin, best, endless = plainly_solved(text, most_positions)
    assert (solution.status, solution.value, solution.endless) == ("exact", margin, endless)
    assert (list(solution.best), solution.best_complete) == (best, True)
    check_line(Position(text), solution)


@pytest.mark.parametrize("row", rows("data/rings_values.jsonl"), ids=lambda row: str(row["fen"]))
def test_known_values(row: dict[str, object]) -> None:
    position = Position(str(row["fen"]))
    solution = position.solve(SMALL)
    assert (solution.status, solution.value) == ("exact", row["margin"])
    assert (list(solution.best), solution.best_complete) == (row["best"], True)
    assert solution.endless == row["endless"]
    check_line(position, solution)


@pytest.mark.parametrize(
    "text",
    [
        "rings ......./......./K....11/...1.../...k(11).../...k(1)K../...k(31)... n 0+0 0",
        "rings 1..../...../....k/.1.../...K./...../..... s 0+0 0",
        "rings ......./.k...../......./......./3....../......./K.3.... n 0+0 0",
        "rings ....1/...../...../3.k../...5./.K(11)K../..... n 0+0 0",
    ],
)
def test_best_play_of_two_knights_without_rings_that_ends(text: str) -> None:
    """A margin of 0 that both could keep forever, but best play can also end (K11)."""
    check(text, Position(text).solve(SMALL), 50_000)


def small_positions(seed: int, wanted: int, south: int, north: int, rings: int = 3) -> list[str]:
    """Random positions with a number of knights without rings a side that plain Python can solve."""
    random = Random(seed)
    found: list[str] = []
    while len(found) < wanted:
        text = random_text(random, rings=rings, knights=3, bare=south + north)
        try:
            position, state = Position(text), reference.parse(text)
            if [state.cells.count(letter) for letter in "Kk"] == [south, north] and not position.is_over:
                plainly_solved(text)
                found.append(text)
        except (RingfenError, OverflowError):
            continue
    return found


@pytest.mark.parametrize(
    ("seed", "wanted", "south", "north"),
    [(1, 160, 0, 0), (2, 45, 1, 0), (3, 45, 0, 1), (4, 30, 1, 1), (5, 15, 2, 0), (6, 10, 0, 2), (7, 5, 2, 1)],
)
def test_small_positions_as_exhaustive_search_solves_them(seed: int, wanted: int, south: int, north: int) -> None:
    for text in small_positions(seed, wanted, south, north, rings=1 if south + north > 1 else 3):
        check(text, Position(text).solve(SMALL))


#: Three knights and more without rings, too many for the game's special methods, in cycles: whether a
#: position fails depends on the way to it. Solved by `reference.solve` over up to 600,000 positions, in a minute each.
CIRCLES = [
    ("rings ...../...../...k(11)./k.K(11)../.1..K/K(511)..../...K. s 0+0 0", 10, ["a2xd5"], False),
    (
        "rings ...../.K.../..k(3311)../K.K(311)K(3111)./.k.../....1/..... s 0+1 0",
        2,
        ["a4-a5", "a4-b5", "a4xb3", "b6-b5"],
        False,
    ),
    (
        "rings ....1../..K(1)..k(11)k/.....K(31)./......K/......./......./...K(1)..k n 1+0 0",
        -1,
        ["g1-f1", "g1-f2", "g1-g2"],
        False,
    ),
    ("rings k(1)..../...../k(111)..k1/...../..K(3311)../...K./..K(1).k s 0+0 0", 0, ["d2xe1"], True),
    ("rings K..../....3/...../...../1k.../k.K(311)../...K(11). n 1+0 0", -1, ["a2-a3", "b3-b2", "b3-c3"], False),
]


@pytest.mark.parametrize(("text", "margin", "best", "endless"), CIRCLES)
@pytest.mark.parametrize("hash_mb", [0, 1])
def test_failures_that_depend_on_the_path_are_provisional(
    text: str, margin: int, best: list[str], endless: bool, hash_mb: int
) -> None:
    solution = Position(text).solve(options_with(hash_mb))
    assert (solution.status, solution.value, solution.endless) == ("exact", margin, endless)
    assert (list(solution.best), solution.best_complete) == (best, True)
    check_line(Position(text), solution)


@pytest.mark.parametrize("text", [text for text, *_ in CIRCLES])
def test_a_question_that_was_stopped_leaves_no_wrong_failure(text: str) -> None:
    """What hung on the path of a stopped search is void: the next one on the same table answers as a fresh one, about
    this position or one after it."""
    root, random = Position(text), Random(text)
    children = [child for _, child in root.successors() if not child.is_over]
    positions = [root, *random.sample(children, min(12, len(children)))]
    margins = [margin_by_single_questions(position) for position in positions]
    for _ in range(80):
        search = owned(lib.rf_margin_new(root.game.cdata, 1 << 18, 0), lib.rf_margin_free)
        for number in random.choices(range(len(positions)), k=12):
            threshold = random.randrange(margins[number] - 2, margins[number] + 4)
            control = ffi.new("rf_control *", {"node_limit": random.choice((3, 10, 30, 100, 300, 1000))})
            lib.rf_control_start(control)
            answer = lib.rf_margin_at_least(search, ffi.NULL, positions[number].state, threshold, control)
            expected = margins[number] >= threshold
            assert answer == expected or (answer == -1 and control.stopped), (positions[number], threshold)


def test_dropping_groups_never_changes_an_answer() -> None:
    """Only open path-dependent failures are still needed."""
    random = Random("groups")
    stopped = Counter[int]()
    for text, *_ in CIRCLES:
        position = Position(text)
        margin = margin_by_single_questions(position)
        for most in (*range(1, 100, 3), 1000):
            search = owned(lib.rf_margin_new(position.game.cdata, 1 << 18, 0), lib.rf_margin_free)
            lib.rf_margin_set_max_groups(search, most)
            for threshold in random.choices(range(margin - 2, margin + 4), k=5):
                control = ffi.new("rf_control *")
                lib.rf_control_start(control)
                answer = lib.rf_margin_at_least(search, ffi.NULL, position.state, threshold, control)
                assert answer == (margin >= threshold) or control.stopped == lib.RF_STOPPED_MEMORY, (text, most)
                stopped[most] += answer == -1
    assert stopped[1] > stopped[1000] == 0, stopped


@pytest.mark.parametrize("seed", range(2))
def test_a_question_that_one_node_answers_is_answered_rightly(seed: int) -> None:
    """Far thresholds, by a bound without a search (core_c/src/rings/solver/lead_bound.h), on positions of all kinds."""
    random, answered = Random(f"far {seed}"), Counter[tuple[bool, str]]()
    for _ in range(200):
        text = random_text(random, rings=3, knights=3)
        try:
            position = Position(text)
            value, _, _ = plainly_solved(text, 400)
        except (RingfenError, OverflowError):
            continue
        margin = value if position.player == "s" else -value
        search = owned(lib.rf_margin_new(position.game.cdata, 1 << 18, 0), lib.rf_margin_free)
        near = {margin + step for step in range(-12, 13)}
        for threshold in sorted(near) if not position.is_over else ():
            control = ffi.new("rf_control *", {"node_limit": 1})
            lib.rf_control_start(control)
            answer = lib.rf_margin_at_least(search, ffi.NULL, position.state, threshold, control)
            assert answer in (-1, margin >= threshold), (text, threshold)
            answered[threshold > 0, str(position.player)] += answer != -1
    assert min(answered[key] for key in [(True, "s"), (True, "n"), (False, "s"), (False, "n")]) > 50, answered


def test_the_last_ring_often_needs_no_search() -> None:
    """With two knights without rings, the side that can take the ring decides most questions (last_ring.c)."""
    answers = []
    for text in small_positions(5, 15, 2, 0, rings=1) + small_positions(6, 10, 0, 2, rings=1):
        value, _, _ = plainly_solved(text)
        position = Position(text)
        margin = value if position.player == "s" else -value
        search = owned(lib.rf_margin_new(position.game.cdata, 1 << 18, 0), lib.rf_margin_free)
        for threshold in (margin, margin + 1):
            control = ffi.new("rf_control *", {"node_limit": 1})
            lib.rf_control_start(control)
            answers.append(lib.rf_margin_at_least(search, ffi.NULL, position.state, threshold, control))
            assert answers[-1] in (-1, margin >= threshold), (text, threshold)
    assert answers.count(-1) < len(answers) / 5


@pytest.mark.parametrize("row", rows("data/rings_triples.jsonl"), ids=lambda row: str(row["fen"]))
def test_three_knights_without_rings_as_exhaustive_search_solves_them(row: dict[str, object]) -> None:
    """Values by `reference.solve`."""
    found = Position(str(row["fen"])).solve(SMALL)
    assert (found.value, list(found.best), found.endless) == (row["margin"], row["best"], row["endless"])


@pytest.mark.long
@pytest.mark.parametrize("row", rows("data/rings_triples.jsonl"), ids=lambda row: str(row["fen"]))
def test_the_values_with_three_knights_without_rings(row: dict[str, object]) -> None:
    margin, best, endless = reference.solve(reference.parse(str(row["fen"])), 50_000)
    assert (margin, sorted(best), endless) == (row["margin"], row["best"], row["endless"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_more_small_positions(seed: int) -> None:
    random = Random(f"long {seed}")
    solved = 0
    while solved < 100:
        text = random_text(random, rings=3, knights=3)
        try:
            position = Position(text)
            check(text, position.solve(SMALL), 100_000)
            solved += 1
        except (RingfenError, OverflowError):
            continue


MIDDLING = [
    "rings .k(1).k(5311).../..k(11).k(1).1/.k(11)...K(111)./.K(31)....3/.K(33111)..1.k(1111)/k(311).K(11)..../"
    ".K(1).1.K(1). n 1+0 0",
    "rings .k(1)...1./k(1).k(111)..../....k(311).K(3111111)/.....3./.k(111).1..1/..K(311)...K(3111)/KK(53111).K(1)... "
    "s 0+2 0",
    # Two knights without rings, one of each side and both of one.
    "rings .k(1)..kk(1)./..K(311)..../K(1111).1..k(111)K(31)/.335K(331111)../..K(1)..k(11)./......k(111111)/"
    ".K(11)..K.. s 0+1 0",
    "rings ...k(1)..K(1111)/K(11111)....../k(11)..k(111111).../K(3)..53k(33111)k(31)/1.1.k(311)../.K...KK(11)/....... "
    "n 1+0 0",
]


# Margin 0, with several lines of best play to an end.
TO_AN_END = [
    "rings .k(1)k..../k(11)....K(51)./.....K(111)k(111111)/.33.k(3311111)K(31)k(311)/..1...1/......K/"
    ".K(11).K(1).K(11). n 0+0 0",
]


def facts(solution: Solution) -> tuple[object, ...]:
    """All that neither the table nor threads must change."""
    return solution.status, solution.value, solution.best, solution.best_complete, solution.endless, solution.pv


@pytest.mark.parametrize("text", MIDDLING)
def test_the_table_never_changes_an_answer(text: str) -> None:
    first = Position(text).solve(options_with(0))
    assert first.status == "exact"
    for hash_mb in (1, 16):
        assert facts(Position(text).solve(SolveOptions(hash_mb=hash_mb))) == facts(first)
    again = Position(text).solve(options_with(0))
    assert (facts(again), again.nodes) == (facts(first), first.nodes)


@pytest.mark.unsanitized
@pytest.mark.parametrize("text", TO_AN_END)
def test_neither_the_table_nor_threads_change_a_line_to_an_end(text: str) -> None:
    first = Position(text).solve(SolveOptions(hash_mb=64))
    assert (first.value, first.endless) == (0, False)
    for hash_mb, threads in ((16, 1), (64, 3)):
        assert facts(Position(text).solve(SolveOptions(hash_mb=hash_mb, threads=threads))) == facts(first)


@pytest.mark.parametrize("text", MIDDLING)
def test_threads_change_no_answer(text: str) -> None:
    alone = Position(text).solve(SolveOptions(hash_mb=1))
    for threads in (2, 3):
        assert facts(Position(text).solve(SolveOptions(hash_mb=1, threads=threads))) == facts(alone)


def set_position(name: str, number: int) -> str:
    """A position of `benchmarks/data`, counted from 0."""
    path = Path(__file__).parents[3] / "benchmarks" / "data" / f"rings-{name}.txt"
    lines = [line for line in path.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    return lines[number]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "number", "endless"),
    [
        ("7x7-4", 8, True),  # three knights without rings
        ("5x7-6", 1, None),
    ],
)
def test_the_search_for_an_end_depends_only_on_the_position(name: str, number: int, endless: bool | None) -> None:
    text = set_position(name, number)
    alone = Position(text).solve(SolveOptions(hash_mb=256))
    assert (alone.value, alone.endless) == (0, endless)
    for threads, hash_mb in ((1, 32), (2, 256)):
        assert facts(Position(text).solve(SolveOptions(hash_mb=hash_mb, threads=threads))) == facts(alone)


@pytest.mark.long
@pytest.mark.parametrize("name", ["5x7-6", "7x7-4", "7x7-6", "5x7-8", "5x7-holders-8"])
def test_threads_change_no_answer_to_a_set(name: str) -> None:
    path = Path(__file__).parents[3] / "benchmarks" / "data" / f"rings-{name}.txt"
    compared = 0
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith("#") or not line:
            continue
        alone = Position(line).solve(SolveOptions(Limits(nodes=1_000_000)))
        if alone.status != "exact" or not alone.best_complete or alone.nodes > 500_000:
            continue
        compared += 1
        for threads, hash_mb in ((2, 256), (3, 2)):
            assert facts(Position(line).solve(SolveOptions(hash_mb=hash_mb, threads=threads))) == facts(alone)
    assert compared >= 8


def test_a_limit_stops_helpers_at_once() -> None:
    before = threading.active_count()
    solution = Position("rings").solve(SolveOptions(Limits(seconds=0.3), threads=3))
    assert (solution.status, threading.active_count()) == ("bound", before)


def test_a_margin_with_a_limit_of_nodes_takes_one_thread() -> None:
    limits = Limits(nodes=20_000)
    alone, both = (Position(OPEN[0]).solve(SolveOptions(limits, threads=threads)) for threads in (1, 2))
    assert replace(both, seconds=0.0) == replace(alone, seconds=0.0)


@pytest.mark.parametrize("text", MIDDLING)
def test_reported_bounds_narrow_and_contain_the_margin(text: str) -> None:
    seen: list[Progress] = []
    value = Position(text).solve(SMALL, progress=seen.append).value
    assert isinstance(value, int)
    pairs = [(news.lower, news.upper) for news in seen if news.lower is not None and news.upper is not None]
    assert len(pairs) == len(seen)
    assert all(lower <= value <= upper for lower, upper in pairs)
    assert [lower for lower, _ in pairs] == sorted(lower for lower, _ in pairs)
    assert [upper for _, upper in pairs] == sorted((upper for _, upper in pairs), reverse=True)


def test_an_error_from_progress_leaves_no_helper() -> None:
    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        Position("rings").solve(SolveOptions(threads=2), progress=fail)
    assert threading.active_count() == before


@pytest.mark.parametrize("text", MIDDLING)
def test_limits_give_bounds_that_hold_and_only_narrow(text: str) -> None:
    value = Position(text).solve(SMALL).value
    assert isinstance(value, int)
    statuses = set()
    lower, upper = -51, 51
    for exponent in count(3):
        solution = Position(text).solve(SolveOptions(hash_mb=1, limits=Limits(nodes=2**exponent)))
        statuses.add(solution.status)
        assert solution.nodes <= 2**exponent
        if solution.status == "exact":
            assert solution.value == value
            assert solution.best
            if solution.best_complete and solution.endless is not None:
                break
        else:
            assert isinstance(solution.lower, int)
            assert isinstance(solution.upper, int)
            assert lower <= solution.lower <= value <= solution.upper <= upper
            assert solution.lower < solution.upper
            lower, upper = solution.lower, solution.upper
    assert statuses == {"exact", "bound"}


#: Positions of benchmarks/data that take seconds or minutes, with two and three knights without rings.
OPEN = [
    "rings .....k(11)K(311)/.K(111)...../.k(1)..K(511111)1k(1)/.K(31)..33./..k(31111)1.../1.1..../"
    ".1.1.K(3111)K s 1+1 0",
    "rings .k(1).k(111)kk(1)./k(1)...1../K(1)...1../3K(531)3.333/..K(1)..k(11111)K(11)/K(11).k(11111).K(1)../"
    "...1.K(1). n 0+0 0",
    "rings k..K(11111).k(11)./k(11)....kk(1)/k(311111).1..../3.35K(31).3/k(1).....K(1)/....1KK(11111)/"
    ".K(1).K(311)... n 0+0 0",
]


@pytest.mark.parametrize("text", OPEN)
def test_both_bounds_narrow(text: str) -> None:
    points = sum(int(ring) for ring in text.split()[1] if ring in "135")
    found = [Position(text).solve(SolveOptions(hash_mb=16, limits=Limits(nodes=nodes))) for nodes in (1, 400_000)]
    assert [(solution.status, solution.value, solution.best) for solution in found] == 2 * [("bound", None, ())]
    assert (found[0].lower, found[0].upper) == (-points, points)
    lower, upper = found[1].lower, found[1].upper
    assert isinstance(lower, int)
    assert isinstance(upper, int)
    assert -points <= lower < upper <= points
    assert (lower, upper) != (-points, points)


def margin_by_single_questions(position: Position) -> int:
    """South's margin by one question after another, from the lowest threshold on."""
    search = owned(lib.rf_margin_new(position.game.cdata, 1 << 20, 0), lib.rf_margin_free)
    control = ffi.new("rf_control *")
    lib.rf_control_start(control)
    for threshold in count(-50):
        answer = lib.rf_margin_at_least(search, ffi.NULL, position.state, threshold, control)
        assert answer in (0, 1)
        if not answer:
            return threshold - 1
    raise AssertionError("no margin is so high")


def test_the_order_of_questions_never_changes_a_margin() -> None:
    random = Random("order")
    solved = 0
    while solved < 400:
        try:
            position = Position(random_text(random, rings=4, knights=3, bare=random.randint(0, 2)))
        except RingfenError:
            continue
        if position.is_over:
            continue
        solved += 1
        margin = margin_by_single_questions(position)
        solution = position.solve(SMALL)
        assert (solution.status, solution.value) == ("exact", margin if position.player == "s" else -margin)


@pytest.mark.parametrize("text", MIDDLING[1:])
def test_the_margin_is_reported_before_the_best_plies(text: str) -> None:
    """With a limit between the two the margin is exact, with a ply that keeps it."""
    whole = Position(text).solve(SMALL)
    between = [
        solution
        for nodes in range(0, whole.nodes, max(1, whole.nodes // 50))
        if (solution := Position(text).solve(SolveOptions(hash_mb=1, limits=Limits(nodes=nodes + 1)))).status == "exact"
        and not solution.best_complete
    ]
    assert between
    for solution in between:
        assert solution.value == whole.value
        assert solution.best
        assert set(solution.best) <= set(whole.best)


def test_a_finished_position_is_solved() -> None:
    solution = Position("rings K(31)..../...../...../...../...../...../k(1).... s 0+0 0").solve(SMALL)
    assert (solution.status, solution.value, solution.distance, solution.best) == ("exact", 3, 0, ())
    north = Position("rings K(31)..../...../...../...../...../...../k(1).... n 0+0 0").solve(SMALL)
    assert (north.status, north.value, north.best) == ("exact", -3, ("pass",))


@pytest.mark.parametrize(
    "text",
    [
        "rings K(111)..k(11)./...K(31)./k..../.1..k/.k(11).../...../..... n 1+0 0",
        "rings k(311).k../..1../K(1)..../k(11)..../...../..K(5311).k/k(1).... n 0+0 0",
        "rings k(33)..1.../.....K(31)./.k(11)...K./..K(3)k(11).../......./.K(5111).K(1)..k(31)/.K.K(111)... s 0+0 0",
        "rings ....3../......./......./....k(11)K./....K(1111)K(111)./..k(3311)..K./....... s 0+1 0",
        "rings k(1)..1.../..K(5)..../.KK..k(1)K(1)/.K(1111)...../......./.K(1)...../k(1).k(11).k(3111).K(1) s 0+1 0",
        "rings ...k(3)./..K(311)../...../K...k(11)/K(11)...1/.K.../.K(1111)... s 0+1 0",
    ],
)
def test_what_threatens_one_taker_of_the_last_ring_does_not_threaten_the_next(text: str) -> None:
    """Two knights without rings of one side, each beside another knight that could take the last ring."""
    check(text, Position(text).solve(SMALL), 100_000)


@pytest.mark.parametrize(
    ("text", "endless"),
    [
        ("rings ...../k(11)K.../.K(11)..3/..k(11)../...../...../...k(1)K n 0+0 0", False),
        ("rings ...../...../....k(11)/.k(1).../KK(1)..K/...../1.... s 0+0 0", True),
        ("rings ....k(11).K/......./.....3./.K...../......1/......1/....... n 1+1 0", True),
    ],
)
def test_ends_after_one_of_two_knights_without_rings_is_captured(text: str, endless: bool) -> None:
    solution = Position(text).solve(SMALL)
    assert (solution.value, solution.endless) == (0, endless)
    check(text, solution, 100_000)


@pytest.mark.parametrize(
    ("text", "endless"),
    [
        ("rings ...k(1)./..k(1)k1/k(1111)K(1)..k(1)/3K(3311111)5.3/...../1K..K(1)/.1.K(11). n 0+0 0", False),
        ("rings ...k(1)k/...../k(1)K(1111)11./.k(3311)k(511)3./.11.1/K(311)..K./.K(11).K(1). s 0+0 0", False),
        (
            "rings .k(11)...1./K(11)....../.k(1).k.K(3111)./.3...K(531)K(3311111)/.K(1)k(1111)...k(111)/"
            "k(311).....1/.K(1).1... s 1+0 0",
            True,
        ),
    ],
)
def test_whether_best_play_of_margin_0_ends(text: str, endless: bool) -> None:
    """An end with equal scores is one with both sides stuck (K9), many boards away from the first one."""
    solution = Position(text).solve(SolveOptions(hash_mb=64))
    assert (solution.status, solution.value, solution.best_complete) == ("exact", 0, True)
    assert solution.endless is endless
    assert solution.pv
    check_line(Position(text), solution)


@pytest.mark.parametrize(
    "text",
    [
        "rings ...k(1).../....1.k(11)/..k(111).1../k(311)K(531)3.k(331111)k(31)./"
        "K(11)...1k(11111)K(1)/......./...K(111).KK s 1+0 0",
        "rings .k(1)...k(1)./......./K(111)..k(1).K(1)./k(3)3k(31)5K(31111)33/"
        ".k(11111111)...K(111)k(111)/K(11)....../K....K. s 0+0 0",
    ],
)
def test_odd_points_show_early_that_best_play_never_ends(text: str) -> None:
    """Equal scores need two passes (K9). A search that also visits positions from which no such end can come runs into
    its limit of positions and leaves `endless` open."""
    solution = Position(text).solve(SolveOptions(hash_mb=16))
    assert (solution.status, solution.value, solution.best_complete) == ("exact", 0, True)
    assert solution.endless is True


@pytest.mark.parametrize(
    "text",
    [
        "rings ......./......./..K(311)..../......K/..1..../.k...../....... s 0+1 0",
        "rings ......./......./......./.3....K/......k/....1../....... n 1+0 0",
        "rings ..K(1)..../K(311)....../......./.K.k..1/.....k(1)./......k(11)/....... s 0+0 0",
        "rings .....k(111)./......./..3..../.....K(11)./kK...../......./...k(1).k(11). s 1+0 0",
        "rings ...../...../...../...../...../.K3../...k1 s 0+0 0",
    ],
)
def test_every_ply_of_a_line_without_an_end_keeps_the_margin(text: str) -> None:
    """There are plies of both sides here that change the board as little and lose the margin."""
    solution = Position(text).solve(SMALL)
    assert (solution.value, solution.endless) == (0, True)
    check_line(Position(text), solution)


def test_an_end_with_nothing_in_it_is_not_endless() -> None:
    draw = Position("rings K(1)..../...../...../...../...../...../k(1).... n 0+0 0").solve(SMALL)
    assert (draw.value, draw.endless, draw.pv) == (0, False, ("pass",))
