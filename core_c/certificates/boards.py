"""Boards in certificates: a certificate contains the text of the board file that its position names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ringfen.errors import BoardError
from ringfen.position import Position
from ringfen.rules.gran.board import Board, board_name, find_board, read_board


def names_board(fen: str) -> bool:
    """Return whether a position text names a board that is not the default one."""
    return fen.startswith(f"{Board.game} ") and board_name(fen) is not None


def position_on(fen: str, text: str, board_path: Sequence[Path]) -> Position:
    """Return the position on the board that a certificate contains.

    :raises ringfen.RingfenError: The board or the position cannot be read, or ``board_path`` has a different board with
        the same name.
    """
    name = board_name(fen) or ""
    board = read_board(text, name, "the certificate's board")
    if board_path:
        try:
            found = find_board(name, board_path)
        except BoardError as error:
            if error.reason != "no-such-board":
                raise
        else:
            if found != board:
                message = f"the certificate belongs to another board {name} than the given one"
                raise BoardError(message, reason="other-board")
    return Position.on_board(fen, board)
