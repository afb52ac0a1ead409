"""Games in the Universal Gygès Interface: a board and the moves of both players on one line (docs/formats/ugi.md).

The interface has no form for games. As in the lines of play that its engine prints, squares are counted from the side
of the player who begins, also in moves of the other player.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from ringfen.notation.formats.building import RecordBuilder, Written, cannot, lines, main_line, written
from ringfen.notation.formats.gyges.boards import board_of, check_goals, start_from_board
from ringfen.notation.formats.gyges.numbers import NumberedMoves, move_of
from ringfen.notation.record import Record

GAMES: Final = ("gyges",)

_WORD: Final = re.compile(r"[^ \t]+")


def read(stream: BinaryIO, name: str, game: str, max_record: int, board_path: Sequence[Path]) -> Iterator[Record]:
    """Yield the games of a stream, one per line."""
    for number, line in enumerate(lines(stream, max_record), 1):
        builder = RecordBuilder(name, number, line)
        if builder.valid:
            words = _WORD.finditer(builder.text)
            board, moves = next(words), NumberedMoves()
            if start_from_board(builder, board[0], board.start(), set_up=True):
                all(moves.play(builder, word[0], word.start()) for word in words)
        yield builder.record


def write(record: Record) -> Written:
    """Return the line of a game; its board is the one after the setups."""
    check_goals(record.begin, "ugi")
    first, moves = record.begin, []
    for position, node in main_line(record):
        if node.ply.isdigit():
            first = position.apply(node.ply)
        else:
            moves.append(move_of(node.short))
    if first.player != "s":
        raise cannot("in ugi player one, South, moves first, but North does here")
    return written(record, f"{' '.join([board_of(first), *moves])}\n")
