"""Gygès: perft, which does not play its last plies, against lists of plies."""

from __future__ import annotations

from random import Random

import pytest
from gyges_random import random_fen

from ringfen import Position
from ringfen._core import ffi, lib
from ringfen.counting import perft

USUAL = "gyges 321123/....../....../....../....../321123 s - 1+1"


def by_lists(position: Position, depth: int) -> int:
    """perft with full lists at every node."""
    control = ffi.new("rf_control *")
    return int(lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, depth, ffi.NULL, control))


def check(position: Position, depth: int) -> None:
    assert position.perft(depth) == by_lists(position, depth), (position.fen, depth)


def sparse_fen(rnd: Random) -> str:
    """Each half of the board with one to three rings on the rank nearest to its player, which stands anywhere in it."""
    board = ["."] * 36
    heights = list("111122223333")
    rnd.shuffle(heights)
    first, last = rnd.randrange(3), rnd.randrange(3, 6)
    for rank in (first, last):
        for file in rnd.sample(range(6), rnd.choice([1, 1, 2, 3])):
            board[6 * rank + file] = heights.pop()
    inner = list(range(6 * first + 6, 6 * last))
    spare = inner if len(inner) >= len(heights) else [q for q in range(6 * first, 6 * last + 6) if board[q] == "."]
    for square in rnd.sample(spare, len(heights)):
        board[square] = heights.pop()
    ranks = ["".join(board[6 * rank : 6 * rank + 6]) for rank in range(6)]
    return f"gyges {'/'.join(reversed(ranks))} {rnd.choice('sn')} - {rnd.choice('112')}+{rnd.choice('112')}"


def after_random_plies(rnd: Random, fen: str, plies: int) -> Position:
    position = Position(fen)
    for _ in range(plies):
        if position.outcome is not None:
            break
        position = position.apply(rnd.choice(position.plies()))
    return position


def random_position(rnd: Random) -> Position:
    kind = rnd.randrange(4)
    if kind == 0:
        return Position(random_fen(rnd))
    if kind == 1:
        return Position(sparse_fen(rnd))
    if kind == 2:
        return after_random_plies(rnd, USUAL.replace("1+1", rnd.choice(["1+1", "2+3"])), rnd.randrange(12))
    return after_random_plies(rnd, "gyges", rnd.randrange(20))


@pytest.mark.parametrize("seed", range(10))
def test_two_plies(seed: int) -> None:
    rnd = Random(f"two {seed}")
    for _ in range(100):
        check(random_position(rnd), 2)


def test_three_plies() -> None:
    rnd = Random("three")
    for _ in range(6):
        check(random_position(rnd), 3)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_many_positions(seed: int) -> None:
    rnd = Random(f"many {seed}")
    for number in range(500):
        check(random_position(rnd), 3 if number % 20 == 0 else 2)


def test_set_up() -> None:
    assert Position("gyges").perft(2) == 8100
    half = Position("gyges").apply(Position("gyges").plies()[7])
    check(half, 2)


def test_a_table_and_threads_change_nothing() -> None:
    position = Position(USUAL)
    assert perft(position, 3, hash_mb=1) == perft(position, 3, threads=2) == 16_825_500


@pytest.mark.parametrize(
    "fen",
    [
        "gyges ....../.....3/....../....../11112./223323 n - 1+1",  # f5-f2 leaves nothing on rank 1 that can move
        "gyges ....../.....3/....../....../111123/22332. n - 1+1",  # f5xf2-f1 does, and the ring on f1 cannot either
        "gyges 322332/21111./....../....../3...../...... s - 1+1",
    ],
)
def test_blocked_active_rank(fen: str) -> None:
    """If no ring on the nearest rank can move, rings of the next rank move (G4)."""
    check(Position(fen), 2)
