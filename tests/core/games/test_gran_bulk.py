"""Perft of GRAN, which does not play the last plies but counts them in bulk, against full lists at every node."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from gran_random import (
    corridor_board,
    crowded_text,
    linked_board,
    near_end_text,
    random_text,
    small_board,
    white_board,
)
from hypothesis import given
from hypothesis import strategies as st
from known_data import rows

from ringfen import ImpossiblePositionError, Position
from ringfen._core import ffi, lib
from ringfen.counting import perft
from ringfen.rules.gran.board import Board, default_board

BOARDS = {board.name: board for board in (default_board(), small_board(), linked_board(), white_board())}
GAMES = [(name, players) for name in BOARDS for players in range(3, 7) if BOARDS[name].realms.count("w") >= players]


def lists(position: Position, depth: int) -> int:
    """The count with a list of plies at every node, the last ones included."""
    control = ffi.new("rf_control *")
    return int(
        lib.rf_perft_kinds(position.game.cdata, position.context.cdata, position.state, depth, ffi.NULL, control)
    )


def check(position: Position, leaves: int = 150) -> None:
    """Compares the counts of depth 2, and of depth 3 below a node with few."""
    two = lists(position, 2)
    assert perft(position, 2) == two, position.fen
    if two <= leaves:
        assert perft(position, 3) == lists(position, 3), position.fen


def random_positions(rnd: Random, board: Board) -> Iterator[Position]:
    """Positions of all phases, most of them unreachable or close to the end."""
    while True:
        text = rnd.choice((random_text, near_end_text, crowded_text))(rnd, board)
        try:
            yield Position.on_board(text, board)
        except ImpossiblePositionError:
            continue


def random_game(rnd: Random, board: Board, players: int, plies: int) -> Iterator[Position]:
    """The positions of a game of random plies, with their chance plies."""
    text = f"gran {'/'.join(['-:3:-'] * players)} {board.ring} - {'.'.join(map(str, board.cards))} 1 move"
    text += f" board={board.name}" if board.name else ""
    position = Position.on_board(text + rnd.choice(("", " seals=1", " seals=2", " seals=4")), board)
    for _ in range(plies):
        yield position
        choices = position.plies()
        if not choices:
            break
        position = position.apply(rnd.choice(choices))


@pytest.mark.parametrize("row", rows("data/gran_bulk.jsonl"), ids=lambda row: row["case"])
def test_special_cases(row: dict[str, Any]) -> None:
    """What the sums must not forget, a rule at a time."""
    words = str(row["fen"]).split()
    name = next((word[6:] for word in words if word.startswith("board=")), "")
    position = Position.on_board(str(row["fen"]), BOARDS.get(name) or corridor_board())
    assert perft(position, int(row["depth"])) == row["count"] == lists(position, int(row["depth"]))


@pytest.mark.parametrize("name", BOARDS)
def test_random_positions(name: str) -> None:
    rnd = Random(f"bulk {name}")
    for _, position in zip(range(800), random_positions(rnd, BOARDS[name]), strict=False):
        check(position)


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_random_games(name: str, players: int) -> None:
    rnd = Random(f"bulk {name} {players}")
    for _ in range(4):
        for position in random_game(rnd, BOARDS[name], players, 150):
            check(position)


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_deeper(name: str, players: int) -> None:
    """Depth 4, also in threads and with a table, which may hold counts of other positions."""
    rnd = Random(f"deeper {name} {players}")
    game = [position for position in random_game(rnd, BOARDS[name], players, 80) if position.perft(3) < 3000]
    for position in rnd.sample(game, min(6, len(game))):
        four = lists(position, 4)
        assert perft(position, 4) == four, position.fen
        assert perft(position, 4, threads=2, hash_mb=1) == four, position.fen


@pytest.mark.long
@given(seed=st.integers(0, 2**32))
def test_many_positions(seed: int) -> None:
    """About 200 positions per example, to depth 3 or 4."""
    rnd = Random(seed)
    name, players = rnd.choice(GAMES)
    for _, position in zip(range(100), random_positions(rnd, BOARDS[name]), strict=False):
        check(position, 2000)
    for position in random_game(rnd, BOARDS[name], players, 100):
        check(position, 2000)
        if position.perft(3) < 2000:
            assert perft(position, 4) == lists(position, 4), position.fen
