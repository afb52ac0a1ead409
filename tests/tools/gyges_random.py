"""Random positions of Gygès for the tests."""

from __future__ import annotations

from random import Random


def random_fen(rnd: Random) -> str:
    """A position of a few rings or all, anywhere or close together, sometimes of the king's game."""
    low = rnd.choice([0, 0, 1, 2])
    heights = rnd.sample("111122223333", rnd.choice([12, 12, rnd.randint(1, 12)]))
    squares = rnd.sample(range(6 * low, 36 - 6 * rnd.choice([0, min(low, 1), low])), len(heights))
    board = ["."] * 36
    for square, height in zip(squares, heights, strict=True):
        board[square] = height
    throne = "-"
    side = rnd.choice("sn")
    goals = [rnd.choice([1, 1, 1, 2, 3]), rnd.choice([1, 1, 1, 2, 3])]
    if rnd.random() < 0.15:
        throne, board[squares[0]] = board[squares[0]], "."
        if rnd.random() < 0.2:
            goals[1 if side == "s" else 0] = 0
    ranks = ["".join(board[6 * rank : 6 * rank + 6]) for rank in range(6)]
    return f"gyges {'/'.join(reversed(ranks))} {side} {throne} {goals[0]}+{goals[1]}"
