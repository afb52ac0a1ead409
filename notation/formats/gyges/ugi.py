"""Games in the Universal Gygès Interface: a board and the moves of both players on one line (docs/formats/ugi.md).

The interface has no form for games. As in the lines of play that its engine prints, squares are counted from the side
of the player who begins, also in moves of the other player.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from ringfen.errors import ImpossiblePositionError, PositionSyntaxError, RingfenError
from ringfen.notation.formats.building import RecordBuilder, cannot, lines, main_line
from ringfen.notation.formats.gyges.numbers import BAD_MOVE, move_of, ply_of
from ringfen.notation.record import Record
from ringfen.rules import game_by_id

GAMES: Final = ("gyges",)

_WORD: Final = re.compile(r"[^ \t]+")
_SETUP: Final = list("112233")


def read(stream: BinaryIO, name: str, game: str, max_record: int) -> Iterator[Record]:
    """Yield the games of a stream, one per line."""
    for number, line in enumerate(lines(stream, max_record), 1):
        builder = RecordBuilder(name, number, line)
        if builder.valid:
            _read_line(builder, game)
        yield builder.record


def _read_line(builder: RecordBuilder, game: str) -> None:
    words = _WORD.finditer(builder.text)
    board = next(words)
    try:
        fen = game_by_id(game).engine_notation.decode(board[0])
    except RingfenError as error:
        code = "bad-position" if isinstance(error, PositionSyntaxError) else "impossible-position"
        builder.error(code, board.start() + error.at, error.length or len(board[0]), error.message)
        return
    setups = _setups(fen)
    if not builder.start(game, board.start(), len(board[0]), fen=None if setups else fen):
        return
    for setup in setups:
        builder.play(setup, board.start(), len(board[0]))
    #: Whether the second player's moves are counted from that player's side; the player's first move decides.
    turned: bool | None = None
    for word in words:
        ply = ply_of(word[0])
        if ply is None:
            number = len(builder.record.main.nodes) + 1
            builder.error("bad-ply", word.start(), len(word[0]), BAD_MOVE, ply=number)
            return
        if builder.position.player == "n":
            other = ply_of(word[0], turned=True)
            if turned is None:
                turned = not builder.is_legal(ply) and other is not None and builder.is_legal(other)
            if turned and other is not None:
                ply = other
        if not builder.play(ply, word.start(), len(word[0])):
            return


def write(record: Record) -> str:
    """Return the line of a game; its board is the one after the setups."""
    notation = game_by_id(GAMES[0]).engine_notation
    first, moves = record.begin, []
    for before, ply in main_line(record):
        if ply.isdigit():
            first = before.apply(ply)
        else:
            moves.append(move_of(ply))
    try:
        board = notation.encode(first.fen)
    except ImpossiblePositionError as error:
        raise cannot(error.message) from error
    if first.player != "s":
        raise cannot("North begins, but in a line of the Universal Gygès Interface player one, South, does")
    return f"{' '.join([board, *moves])}\n"


def _setups(fen: str) -> list[str]:
    """Return the setups of South and North that lead to a position; none if other plies are needed."""
    rows = fen.split()[1].split("/")
    ends = [rows[-1], rows[0]]
    if all(row == "......" for row in rows[1:-1]) and all(sorted(row) == _SETUP for row in ends):
        return ends
    return []
