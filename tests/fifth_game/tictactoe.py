"""Tic-tac-toe: names and reasons. The rules are in src/tictactoe/."""

from __future__ import annotations

from collections.abc import Mapping

from ringfen.rules.base import Game


class TicTacToe(Game):
    """Three marks in a row on 3×3 squares."""

    id = "tictactoe"
    name = "Tic-tac-toe"
    sizes = "3×3"
    reasons: Mapping[str, str] = {
        "bad-ranks": "the board is 3 ranks of 3 squares, each x, o or ., with / between, which {0} breaks",
        "wrong-numbers": "{0} crosses and {1} noughts: it cannot be the turn of {2} (T2)",
        "row-before": "{0} had three in a row before the last ply, and the game was over (T3)",
        "taken": "{0} is taken (T2)",
    }


GAME = TicTacToe()
