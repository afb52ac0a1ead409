"""Values in records: the comments, the marks, and that nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_maker import RecordMaker
from reference import rings, siaius
from rings_random import random_text as random_rings
from siaius_random import random_position as random_siaius

from ringfen import Position, RingfenError, Solution, SolveOptions, solve
from ringfen.notation import Record, parse_record
from ringfen.notation.annotating import annotate_record, bounds_of, contradiction, positions_to_solve

VALUE = re.compile(r"\[%value (?:draw|[sn](?: \d+)?|[+-]\d+|[<>]=-?\d+)\]")
WON = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"


def solutions(positions: Iterable[Position], depth: int | None = None) -> dict[str, Solution]:
    return {position.fen: solve(position, SolveOptions(hash_mb=1, depth=depth)) for position in positions}


def annotated(record: Record, **options: bool) -> str:
    annotate_record(record, solutions(positions_to_solve(record)), **options)
    return str(record)


# ---- against the plain references ----


def siaius_values(fen: str) -> Callable[[Position], tuple[int, str]]:
    """South's value of each position that can be reached, and how a record says it."""
    values = siaius.values(siaius.parse(fen), 600)[1]

    def value(position: Position) -> tuple[int, str]:
        winner, distance = values.get(siaius.parse(position.fen), ("", 0))
        return (0, "draw") if not winner else (1 if winner == "s" else -1, f"{winner} {distance}")

    return value


def rings_values(fen: str) -> Callable[[Position], tuple[int, str]]:
    values = rings._values(rings._reachable(rings.parse(fen), 3000))

    def value(position: Position) -> tuple[int, str]:
        margin = values[rings.parse(position.fen)]
        return margin, f"{margin:+d}"

    return value


def endings(seed: int, game: str) -> tuple[Record, Callable[[Position], tuple[int, str]]]:
    """A short random game from an ending that plain Python can solve, and the values of its positions."""
    random = Random(f"{seed} {game}")
    while True:
        try:
            if game == "siaius":
                stones = random.choice((2, 2, 3))
                fen = random_siaius(random, 3, random.choice((3, 4)), stones, "" if stones == 2 else " huff=off")
                value = siaius_values(fen)
            else:
                fen = random_rings(random, rings=3, knights=3, bare=random.choice((0, 0, 1)))
                value = rings_values(fen)
            record = Record.new(game, fen=fen)
        except (RingfenError, ValueError, OverflowError):
            continue
        position = record.begin
        while record.plies < 8 and not position.is_over:
            position = record.play(random.choice(position.plies())).position
        if record.plies:
            return record, value


def check_ending(seed: int, game: str) -> list[int]:
    record, value = endings(seed, game)
    judgements = annotate_record(record, solutions(positions_to_solve(record)))
    before = value(record.begin)[0]
    marks = []
    for judgement in judgements:
        node = judgement.node
        after, words = value(node.position)
        sign = 1 if node.before.player == "s" else -1
        worse = sign * after < sign * before
        mark = None if not worse else 4 if sign * before > 0 > sign * after else 2
        text = f"[%value {words}]" + (f" [%mark {mark}]" if mark else "")
        assert (judgement.mark, node.nags, node.comments) == (mark, [mark] if mark else [], [text])
        before = after
        marks.append(mark or 0)
    text = str(record)
    assert parse_record(text).valid
    assert annotated(parse_record(text)) == text
    return marks


@pytest.mark.parametrize("game", ["siaius", "rings"])
def test_marks_are_those_of_the_plain_reference(game: str) -> None:
    marks = [mark for seed in range(8) for mark in check_ending(seed, game)]
    assert {0, 2, 4} <= set(marks)


@pytest.mark.long
@pytest.mark.parametrize("game", ["siaius", "rings"])
def test_marks_of_many_endings_are_those_of_the_plain_reference(game: str) -> None:
    for seed in range(8, 208):
        check_ending(seed, game)


# ---- nothing else changes ----


@given(st.integers(0, 2**32), st.sampled_from(["gyges", "rings"]), st.booleans())
def test_values_come_and_go_and_leave_nothing_behind(seed: int, game: str, variations: bool) -> None:
    random = Random(seed)
    made = RecordMaker(random, Position(game)).make(random.randint(0, 12), [("Game", game)])
    record = parse_record(made.text)
    assert record.valid
    before = str(record)
    found = {}
    for position in record.positions():
        if random.random() < 0.8:
            value = random.choice(("win", "loss", "draw")) if game == "gyges" else random.randint(-3, 3)
            pv = tuple(position.plies()[:1])
            found[position.fen] = exact(position.fen, value, 4 if value in ("win", "loss") else None, pv=pv)
    annotate_record(record, found, variations=variations)
    text = str(record)
    again = parse_record(text)
    assert again.valid
    assert again == record
    annotate_record(again, found, variations=variations)
    assert str(again) == text
    for wrapped in text.splitlines():
        assert wrapped.count("[%value") == len(VALUE.findall(wrapped))
    annotate_record(again, {})
    assert str(again) == before


# ---- comments ----


def exact(fen: str, value: str | int, distance: int | None = None, **more: object) -> Solution:
    return Solution(fen, fen.split()[0], "exact", value, distance, **more)  # type: ignore[arg-type]


def game_of(text: str) -> Record:
    record = parse_record(text)
    assert record.valid, record.diagnostics
    return record


RINGS = '[Game "rings"]\n\n1. a1-a2 {mine} a7-a6 $1 2. b2-a1 $2 {[%cal Ga1a2] it was bad} 2... b6-a7 *\n'


def known(record: Record, margins: list[tuple[int | None, int | None]]) -> dict[str, Solution]:
    """Solutions with these bounds for South, the start included."""
    found = {}
    for position, (low, high) in zip(record.positions(), margins, strict=True):
        sign = 1 if position.player == "s" else -1
        least, most = (low, high) if sign > 0 else tuple(None if b is None else -b for b in (high, low))
        if low is not None and low == high:
            found[position.fen] = exact(position.fen, sign * low)
        else:
            found[position.fen] = Solution(position.fen, "rings", "bound", lower=least, upper=most)
    return found


def test_bounds_and_marks() -> None:
    record = game_of(RINGS)
    margins = [(3, 3), (-2, -2), (None, 1), (None, None), (0, 5)]
    annotate_record(record, known(record, margins))
    assert [node.nags for node in record.mainline()] == [[4], [1], [2], []]
    assert [node.comments for node in record.mainline()] == [
        ["[%value -2] [%mark 4] mine"],
        # North moves at -2 and can lose by that; the position after it is worth no less to South.
        ["[%value >=-2] [%value <=1]"],
        # South does not get more than before its ply.
        ["[%value <=1] [%cal Ga1a2] it was bad"],
        ["[%value >=0] [%value <=5]"],
    ]
    assert str(game_of(str(record))) == str(record)


def test_a_persons_judgement_stays() -> None:
    record = game_of(RINGS)
    margins: list[tuple[int | None, int | None]] = [(0, 0), (0, 0), (9, 9), (1, 1), (1, 1)]
    judgements = annotate_record(record, known(record, margins))
    # Ply 2 cost North nine points and ply 3 South eight, but both have a NAG of 1 to 6 already.
    assert [judgement.mark for judgement in judgements] == [None] * 4
    assert [node.nags for node in record.mainline()] == [[], [1], [2], []]
    record = game_of(RINGS)
    annotate_record(record, {})
    assert str(record) == str(game_of(RINGS)), "nothing is known, so nothing changes"


def test_annotating_again_renews_and_changes_nothing_else() -> None:
    text = (
        '[Game "rings"]\n\n1. a1-a2 $2 $13 {[%value +3] [%mark 2] mine} (1. a1-b1 {[%value +9] stays}) '
        "({[%best] old} 1. g1-g2) {behind} 1... a7-a6 $2 {} {[%value draw]} {second} *\n"
    )
    record = game_of(text)
    assert annotated_with(record, {}) == (
        '[Game "rings"]\n\n1. a1-a2 $13 {mine} (1. a1-b1 {[%value +9] stays}) {behind} 1... a7-a6 $2 {}\n{second} *\n'
    )


def annotated_with(record: Record, found: dict[str, Solution]) -> str:
    annotate_record(record, found)
    return str(record)


def test_wins_without_a_distance_and_draws() -> None:
    record = Record.new("gyges", fen=WON)
    record.play(*record.begin.plies()[:1])
    before, after = record.positions()
    won, drawn = exact(before.fen, "win", 5, pv=tuple(before.plies()[3:4]), best=("x",)), exact(after.fen, "draw")
    (judgement,) = annotate_record(record, {before.fen: won, after.fen: drawn}, variations=True)
    node = next(record.mainline())
    assert (judgement.mark, judgement.better) == (2, ("x",))
    assert node.comment == "[%value draw] [%mark 2]"
    assert [(line.comments, [n.ply for n in line.nodes]) for line in node.variations] == [
        (["[%best]"], [before.plies()[3]])
    ]
    again = game_of(str(record))
    annotate_record(again, {after.fen: Solution(after.fen, "gyges", "bound", "win")})
    assert next(again.mainline()).comments == ["[%value s]"]
    assert next(again.mainline()).variations == []
    assert next(again.mainline()).nags == []


def test_chances_are_written_without_marks() -> None:
    record = Record.new("gran", fen="gran c8:1:TU/f5:1:TU/-:3:- g5 a1 2.0.4.6.6.4.2 1 move")
    position = record.begin
    random = Random(1)
    while record.plies < 3 and not position.is_over:
        position = record.play(random.choice(position.plies())).position
    wanted = positions_to_solve(record)
    assert [p.fen for p in wanted] == [p.fen for p in record.positions()][:0:-1]
    found = solutions(wanted, depth=2)
    judgements = annotate_record(record, found, variations=True)
    for judgement in judgements:
        solution = found[judgement.node.position.fen]
        assert solution.probabilities is not None
        chances = " ".join(map(str, solution.probabilities))
        assert judgement.node.comment == f"[%value {chances} maxn 2]"
        assert (judgement.mark, judgement.node.nags, judgement.node.variations) == (None, [], [])
    assert game_of(str(record)) == record


def test_a_resigned_win_is_reported() -> None:
    record = Record.new("gyges", fen=WON, Result="0-1")
    node = record.play(record.begin.plies()[-1])
    assert record.outcome is None
    record.result = "0-1"
    found = {node.position.fen: exact(node.position.fen, "win", 3)}
    (judgement,) = annotate_record(record, found)
    assert contradiction(record, judgement) == "the result is 0-1, but from the last position South wins in 3 plies"
    record.result = "1-0"
    assert contradiction(record, judgement) is None
    record.result = "1/2-1/2"
    assert contradiction(record, judgement) is not None


def test_bounds_are_souths() -> None:
    position = Position(WON)
    assert position.player == "n"
    bounds = bounds_of(position, exact(WON, "win", 3))
    assert (bounds.low, bounds.high) == (-1, -1)
    assert bounds_of(position, None).is_exact is False
