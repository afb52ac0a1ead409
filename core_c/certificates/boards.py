"""How a certificate carries the board that its position names: as the text of a board file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ringfen.errors import BoardError
from ringfen.position import Position
from ringfen.rules.gran.board import FILES, SIDE, Board, board_name, find_board, read_board


def board_text(board: Board) -> str:
    """Return a board file of this board.

    >>> from ringfen.rules.gran.board import default_board
    >>> read_board(board_text(default_board())) == default_board()
    True
    """
    rows = [f"lines: orthogonal\ncards: {' '.join(map(str, board.cards))}\nstones: {board.stones}"]
    lines = set(board.lines)
    orthogonal = set(_orthogonal(board))
    rows += [f"unlink: {one} {two}" for one, two in sorted(orthogonal - lines)]
    rows += [f"link: {one} {two}" for one, two in sorted(lines - orthogonal)]
    for name, letters in (("realms", board.realms), ("symbols", board.symbols)):
        at = dict(zip(board.points, letters, strict=True))
        rows.append(f"\n{name}:")
        for rank in range(SIDE, 0, -1):
            rows.append("".join(at.get(f"{file}{rank}", "_") for file in FILES))
    return "\n".join(rows) + "\n"


def _orthogonal(board: Board) -> list[tuple[str, str]]:
    """Return the lines between neighbours."""
    points = set(board.points)
    found = []
    for point in points:
        file, rank = FILES.index(point[0]), int(point[1:])
        for other_file, other_rank in ((file + 1, rank), (file, rank + 1)):
            if other_file < SIDE and (other := f"{FILES[other_file]}{other_rank}") in points:
                found.append((min(point, other), max(point, other)))
    return found


def names_board(fen: str) -> bool:
    """Return whether a position text names a board that is not the default one."""
    return fen.startswith(f"{Board.game} ") and board_name(fen) is not None


def position_on(fen: str, text: str, board_path: Sequence[Path]) -> Position:
    """Return the position on the board that a certificate carries.

    :raises ringfen.RingfenError: Board or position cannot be read, or a board of this name that is found on
        ``board_path`` is another one.
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
                message = f"the certificate is of another board {name} than the one that was given"
                raise BoardError(message, reason="other-board")
    return Position.on_board(fen, board)
