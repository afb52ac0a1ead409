"""Draws positions of games without a drawing module: a board of squares with a letter for each piece."""

from __future__ import annotations

from ringfen.drawing.description import HELD, OFF_BOARD, ON_SQUARE, Description, Piece
from ringfen.drawing.picture import (
    BELOW,
    NORTH,
    NORTH_INK,
    SOUTH,
    SOUTH_INK,
    Grid,
    Layer,
    Picture,
    centred,
    checkered,
    circle,
    last_marks,
)


def _sign(piece: Piece) -> str:
    return str(piece.value) if piece.value else piece.kind[0].upper() if piece.owner <= 1 else piece.kind[0]


def words(d: Description) -> list[str]:
    """Return the player to act, the pieces that are not on squares, and all counters and options."""
    who = ("South", "North")[d.player - 1] if d.players == 2 else f"Player {d.player}"
    lines = ["The game is over" if d.phase == "over" else f"{who} to move ({d.phase})"]
    for piece in d.pieces:
        if piece.place != ON_SQUARE:
            held = d.pieces[piece.of].square if piece.place == HELD else ""
            where = f"held on {held}" if held else "off the board" if piece.place == OFF_BOARD else "on a throne"
            lines.append(f"{piece.kind} {piece.value or ''} {where}".replace("  ", " "))
    for (name, player, index), count in d.counters.items():
        lines.append(f"{name}{f' of player {player}' if player else ''}{f' [{index}]' if index else ''}: {count}")
    return lines + [f"{name}={value}" for name, value in d.options.items()]


def text(d: Description, side: str) -> str:
    """Return the board with a letter or number for each piece, and everything else in words."""
    pieces = d.by_square()
    files, ranks = d.shown(side)
    lines = []
    for rank in ranks:
        cells = (_sign(pieces[file, rank]) if (file, rank) in pieces else "." for file in files)
        lines.append(f"{rank + 1:>3}  {' '.join(cells)}")
    return "\n".join([*lines, "     " + " ".join(chr(ord("a") + file) for file in files), *words(d)])


def picture(d: Description, side: str, last: list[str]) -> Picture:
    """Return the board with a letter or number on each piece."""
    grid = Grid(d.files, d.ranks, side)
    name = str(d.game.name)
    out = Picture(grid.width, grid.bottom + BELOW, name, checkered(grid))
    places = grid.places()
    out.places = places
    out.add_each(Layer.MARK, last_marks(places, last, tinted=True))
    for piece in d.at(ON_SQUARE):
        x, y = places[piece.square]
        fill, ink = (NORTH, NORTH_INK) if piece.owner == 2 else (SOUTH, SOUTH_INK)
        out.add(Layer.PIECE, circle(x, y, fill=fill), centred(x, y, _sign(piece), fill=ink))
    return out
