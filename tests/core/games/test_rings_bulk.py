"""The King of Rings: perft in bulk (core_c/src/rings/bulk_count.c) against counting by lists of plies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from reference import rings as reference
from rings_random import random_text

from ringfen import Position, RingfenError
from ringfen._core import ffi, lib

SMALL = "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0"

#: Positions in which one special case of the sums decides the count, at depth 2 or 3; without ``rings``.
CASES = {
    "no ring left (K10)": "......./......./......./......./......./......./....... s 0+0 0",
    "North takes the last ring (K10)": "...../...1./...../...../...../...../..... s 0+1 0",
    "North takes the last ring at the second ply": "......./......./......./K..1.../......./..K..../....... s 0+1 0",
    "the first ply leaves North one ring": "...../K...k/...../...../...../.K.k(1)1/..... s 0+0 0",
    "a ring taken leaves one, in the second round": "..k../...../...../.K.../...../....3/..... n 1+1 0",
    "South takes the last ring": "...../...../...../...../...../...../k.1.. n 1+0 0",
    "North takes the last ring and not South": "......./..1..../......./....k(11)../......./......./...K... n 1+0 0",
    "North takes the last ring, no longer aimed at": "..k(51)../...../...../.K.../....3/..K(1)../..k(11).. n 0+0 0",
    "two passes (K9)": "...../...../...../...../1..../...../..... n 0+0 2",
    "a second pass in a row (K9)": "......./......./......./......./.....1./......./....... s 0+0 1",
    "both sides pass (K9)": "...../...../...../...../...../...../.1... n 0+0 0",
    "the mover passes, the other side may not move (K9)": "...../1..../...../...../...../...5./..... n 0+1 0",
    "the reply passes when its aim is gone": "....K.k(11)/......./..K..../......./......./1....../....... n 1+0 0",
    "the reply passes when its ring is taken": "......./......./.1...../.K(1)...../......./......./....... s 0+1 0",
    "the third ply passes after a capture": "...../1..../...../...../..k../...../K.... n 0+0 0",
    "the third ply passes when its aim is gone": "......1/......./......./...k.../.....K./......./...k(31)... n 1+0 0",
    "the third ply passes when a new aim is gone": "3k.1./...k./..K../...../...../...1./..... s 1+0 0",
    "the reply is a pass": "....k../......./......./.1...k(5)K(11)/......./.k...../....... n 0+0 1",
    "a holder aims at the knight that leaves": "......./..1.1../.k(1)...../......./......./......./....... s 1+0 0",
    "a ring taken costs a drop (K8)": "......1/...3.../......./......./......./......./....... s 1+1 0",
    "knights that capture each other": "......./......./......./.1...K./......./K(1)....../.k(1)....1 n 0+0 0",
    "a captured holder fills an empty hand (K7, K8)": "k..../...../...../...../.k(1)K(11)../...../1.... n 1+0 0",
    "a captured holder's rings are taken over (K7)": "...../...../...../.k.../.K(311)..1/...../..... n 0+0 0",
    "three knights beside a square": ".K.../3..K./.K.K./...../...../.k.../..... s 0+0 0",
    "four knights beside a square or aiming at it": "K(1).k../K(1).K(1)1./K(1)...k(31)/...1./...../.1..1/..3.. s 0+0 0",
    "two knights beside a ring": ".k11./...k1/...../...../..k../...../..... n 1+0 0",
    "a step to where both sides come": "..1..../......./..k.K../......k(11)/...k.../......./....... n 0+0 0",
    "a step to where a holder aims": "k....../.1kK.1./......./......./..1.kK./......./....... n 0+0 0",
    "a step beside an attacked bare knight": "K...K../.....k./......./1.K...k/......./......./....... n 1+0 0",
    "an attacked step": "K(311).1..k./......./..1..1./....K../..k..../....k(11)../...1... n 1+0 0",
    "a ring taken costs both sides a drop": "......./......./......./.....1K/..3..../......./31..... s 1+1 0",
    "a ring taken costs the reply a drop": "......./.....1./......./......./k....../.3.k.../....... n 1+0 0",
    "a ring taken costs the third ply a drop": "...../....K/...../.k.../..1../k..../.1... n 0+1 0",
    "a ring taken where own holders aim": "...../K1.K(11)./.1.../...../...../..3k1/..... s 0+0 0",
    "a ring taken is a square less for a captured holder": ".K(1)11./...../.1.../...../...../...../..... n 1+2 0",
    "the taker is captured and dropped again": "...../...../K..../1..k./...11/....K(1)/..... s 0+0 0",
    "the taker and a bare knight": "1...k../......./......./......./......./......K/......3 n 0+1 0",
    "the taker and a holder": ".K(3111)...3k/k(31)....../......./......./K1K..../K.1.K../......k(11) n 0+1 0",
    "many knights about": "k(11).1../.K(11)k(1)../k(511).1K(1)k(11)/.K(1)1../....k(31)/...3./...K(31). s 1+0 0",
}


def perft_by_lists(position: Position, depth: int) -> int:
    """The number of sequences of ``depth`` plies, each of them generated."""
    control = ffi.new("rf_control *")
    return int(lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, depth, ffi.NULL, control))


@pytest.mark.parametrize("fen", CASES.values(), ids=CASES)
def test_special_cases(fen: str) -> None:
    position, state = Position(f"rings {fen}"), reference.parse(f"rings {fen}")
    for depth in (2, 3):
        assert position.perft(depth) == reference.perft(state, depth)


def with_many_rings(text: str, random: Random) -> str:
    """The same with four to eight more silver rings on one holder, if there is one."""
    at = text.find(")", random.randrange(len(text)))
    return text if at < 0 else text[:at] + "1" * random.randint(4, 8) + text[at:]


def random_positions(random: Random, count: int) -> Iterator[Position]:
    """Positions of random games, any positions, and positions a few plies after those."""
    while count > 0:
        found: list[Position] = []
        if random.random() < 0.25:
            position = Position(random.choice(["rings", SMALL]))
            for _ in range(random.randrange(200)):
                if position.is_over:
                    break
                position = position.apply(random.choice(position.plies()))
            found.append(position)
        else:
            text = random_text(
                random,
                rings=random.choice((0, 1, 1, 2, 4, 8, 16)),
                knights=random.choice((1, 2, 3, 5)),
                bare=random.choice((0, 1, 2, 4)),
            )
            if random.random() < 0.2:
                text = with_many_rings(text, random)
            try:
                found.append(Position(text))
            except RingfenError:
                continue
            while len(found) < 3 and not found[-1].is_over:
                found.append(found[-1].apply(random.choice(found[-1].plies())))
        yield from found[:count]
        count -= len(found)


def free_rings(position: Position) -> int:
    """The number of rings that no knight holds."""
    return sum(map(re.sub(r"\(\d+\)", "", position.fen.split()[1]).count, "135"))


def kinds(position: Position) -> Iterator[str]:
    """What is special about a position."""
    _, ranks, side, hands, passes = position.fen.split()
    rings = free_rings(position)
    yield f"hands {hands[0] > '0'}{hands[2] > '0'}"
    yield f"passes {passes}"
    if rings == 0:
        yield f"no ring, {side} to move"
    if rings == 1:
        yield f"one ring, {side} to move"
    if re.search(r"\(\d{7,}\)", ranks):
        yield "a holder that never moves"
    if re.search(r"[Kk](?!\()", ranks):
        yield "a knight without rings"
    if position.is_over:
        yield "over"
    elif position.plies() == ["pass"]:
        yield "only a pass"


def check(random: Random, count: int) -> Counter[str]:
    """Compare the counts of random positions with lists; return how many of each kind there were."""
    seen: Counter[str] = Counter()
    for position in random_positions(random, count):
        seen.update(kinds(position))
        plies = position.count()
        depths = [2, 3] + [4] * (plies**4 < 20_000) + [5] * (plies**5 < 2_000)
        for depth in depths:
            assert position.perft(depth) == perft_by_lists(position, depth), (position.fen, depth)
            seen[f"depth {depth}"] += 1
    return seen


def test_counts_equal_those_by_lists() -> None:
    seen = check(Random(19), 4000)
    for kind in (
        *(f"hands {south}{north}" for south in (False, True) for north in (False, True)),
        *(f"passes {passes}" for passes in range(3)),
        *(f"{rings}, {side} to move" for rings in ("no ring", "one ring") for side in "sn"),
        "a holder that never moves",
        "a knight without rings",
        "over",
        "only a pass",
        "depth 4",
        "depth 5",
    ):
        assert seen[kind] >= 20, kind


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_those_by_lists_on_many_positions(seed: int) -> None:
    check(Random(seed), 20_000)


@pytest.mark.parametrize("fen", ["rings", SMALL])
def test_counts_with_a_table_and_threads(fen: str) -> None:
    """At depth 6 the table of the default grows."""
    position = Position(fen)
    for depth in (2, 3, 4, 5, 6):
        plain = position.perft(depth, hash_mb=0)
        assert position.perft(depth) == position.perft(depth, hash_mb=1) == plain
        assert position.perft(depth, threads=2) == plain


def test_endings_with_a_table() -> None:
    """Sequences that take different rings meet in positions with equal counts."""
    random = Random(23)
    compared = 0
    while compared < 60:
        position = Position(random.choice(["rings", SMALL]))
        while not position.is_over and free_rings(position) > 6:
            position = position.apply(random.choice(position.plies()))
        for depth in (4, 5, 6):
            if (plain := position.perft(depth, hash_mb=0)) > 0:
                compared += 1
                assert position.perft(depth, hash_mb=1) == plain == perft_by_lists(position, depth), position.fen
