"""Random play against the plain references: ``PYTHONPATH=tests python tests/tools/random_against_reference.py GAME
POSITIONS SEED``. Run with RINGFEN_PLAIN=1 or without, for the instruction set is chosen when Ringfen is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from gran_random import LINKED_BOARD, SMALL_BOARD, linked_board, near_end_text, random_text, small_board
from gyges_random import random_fen
from reference import gran, gyges, rings, siaius
from rings_random import random_text as random_rings
from siaius_random import OPTIONS, random_position

from ringfen import IllegalPlyError, Position, RingfenError
from ringfen.rules.gran.board import default_board

BOARDS = [
    (default_board(), gran.DEFAULT),
    (small_board(), gran.Board.parse(SMALL_BOARD, "small")),
    (linked_board(), gran.Board.parse(LINKED_BOARD, "linked")),
]
MODULES: dict[str, Any] = {"gyges": gyges, "rings": rings, "gran": gran, "siaius": siaius}
#: Plies from one random position on.
LONGEST = 30


def starts(game: str, random: Random) -> Iterator[tuple[Position, Any]]:
    """Random positions, with every option of the game, as the core and as the reference have them."""
    while True:
        if game == "gran":
            board, plain = random.choice(BOARDS)
            try:
                text = random.choice((random_text, near_end_text))(random, board)
                yield Position.on_board(text, board), gran.parse(text, plain)
            except (RingfenError, IndexError):
                continue
        elif game == "siaius":
            files, ranks = random.randint(3, 10), random.randint(3, 12)
            stones = random.randint(2, min(24, files * ranks - 1))
            text = random_position(random, files, ranks, stones, random.choice(OPTIONS))
            yield Position(text), siaius.parse(text)
        else:
            text = random_fen(random) if game == "gyges" else random_rings(random, rings=8, knights=6)
            try:
                position = Position(text)
            except RingfenError:
                continue
            yield position, MODULES[game].parse(text)


def check(game: str, position: Position, state: Any) -> list[str]:
    """Compares one position; its plies."""
    plain = MODULES[game]
    plies: list[str] = plain.plies(state)
    assert position.fen == plain.text(state)
    assert position.plies() == plies, position.fen
    assert position.count() == len(plies), position.fen
    assert position.outcome == plain.outcome(state), position.fen
    assert plies == [] or position.player == plain.player(state), position.fen
    assert position.is_chance == plain.is_chance(state), position.fen
    if position.is_chance:
        assert position.weights() == {ply: gran.weight(state, ply) for ply in plies}, position.fen
    null = plain.null_ply(state)
    assert null_ply(position) == (null and plain.text(null)), position.fen
    return plies


def null_ply(position: Position) -> str | None:
    """The position after a null ply, which reads back as it is; None if none is legal."""
    try:
        after = position.null_ply()
    except IllegalPlyError:
        return None
    board = position.context.board
    assert after == (Position(after.fen) if board is None else Position.on_board(after.fen, board))
    return after.fen


def main(game: str, positions: int, seed: str) -> None:
    random = Random(f"{game} {seed}")
    done = plies_seen = 0
    for position, state in starts(game, random):
        for _ in range(LONGEST):
            plies = check(game, position, state)
            done += 1
            plies_seen += len(plies)
            if not plies or done == positions:
                break
            ply = random.choice(plies)
            position, state = position.apply(ply), MODULES[game].apply(state, ply)
        if done == positions:
            break
    print(f"{game}: {done} positions, {plies_seen} plies")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
