"""Draws positions of The King of Rings as text and SVG."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from ringfen.drawing.description import ON_SQUARE, Description, Piece
from ringfen.drawing.picture import (
    BELOW,
    BLUE,
    GREY,
    NORTH,
    NORTH_INK,
    PAPER,
    RADIUS,
    SOUTH,
    SOUTH_INK,
    UNIT,
    Grid,
    Layer,
    Picture,
    centred,
    checkered,
    circle,
    label,
    last_marks,
    round_line,
)

_SIDES: Final = ("South", "North")
#: Colour and line width of a free ring, by its points.
_RINGS: Final = {1: (GREY, 3), 3: (BLUE, 5), 5: (BLUE, 8)}
_SMALL: Final = 11
#: The most rings that have space in one line below their holder, at this size.
_MOST_BELOW: Final = 8


def _held(d: Description, knight: Piece) -> list[int]:
    """Return the points of the rings that a knight holds, in descending order."""
    return sorted((ring.value for ring in d.held_by(knight)), reverse=True)


def _knights(d: Description, player: int) -> list[Piece]:
    """Return the knights of a player, from the top rank down and from left to right."""
    found = [piece for piece in d.at(ON_SQUARE) if piece.owner == player]
    return sorted(found, key=lambda piece: (-piece.rank, piece.file))


def _holders(d: Description) -> list[str]:
    """Return one line per side with holders: their squares and rings."""
    lines = []
    for player, name in enumerate(_SIDES, 1):
        holders = [(knight.square, _held(d, knight)) for knight in _knights(d, player)]
        held = [f"{square}: {''.join(map(str, rings))}" for square, rings in holders if rings]
        if held:
            lines.append(f"{name} holds {', '.join(held)}")
    return lines


def words(d: Description) -> list[str]:
    """Return the score, the knights in hand and the player to move."""
    south, north = (sum(sum(_held(d, knight)) for knight in _knights(d, player)) for player in (1, 2))
    lines = [f"South has {south} {'point' if south == 1 else 'points'}, North {north}"]
    for player, name in enumerate(_SIDES, 1):
        hand = d.count("hand", player)
        if hand:
            lines.append(f"{name} has {hand} knight{'s' if hand > 1 else ''} in hand")
    return [*lines, _status(d)]


def _status(d: Description) -> str:
    if d.phase == "over":
        return "The game is over"
    passed = f"{_SIDES[2 - d.player]} has passed; " if d.count("passes") else ""
    free = any(piece.kind == "ring" for piece in d.at(ON_SQUARE))
    return f"{passed}{_SIDES[d.player - 1]} to move{'' if free else ' (the last turn)'}"


def text(d: Description, side: str) -> str:
    """Return the board, the holders, the score and the player to move. A free ring is shown by its points, a holder by
    K and its number of rings.
    """
    pieces = d.by_square()
    files, ranks = d.shown(side)
    rule = "  +" + "----+" * d.files
    lines = [rule]
    for rank in ranks:
        cells = (_small(d, pieces.get((file, rank))) for file in files)
        lines += [f"{rank + 1} |" + "|".join(cells) + "|", rule]
    lines.append("   " + " ".join(f" {'abcdefg'[file]}  " for file in files).rstrip())
    return "\n".join([*lines, "", *_holders(d), *words(d)])


def _small(d: Description, piece: Piece | None) -> str:
    """Return a square in four characters: ``K``, or ``K3`` for a holder of three rings."""
    if piece is None:
        return " .  "
    if piece.kind == "ring":
        return f" {piece.value}  "
    letter, held = " Kk"[piece.owner], _held(d, piece)
    return f"{letter + str(len(held)):^4}" if held else f" {letter}  "


def picture(d: Description, side: str, last: list[str]) -> Picture:
    """Return the board. A holder shows its points, with its rings below it."""
    grid = Grid(d.files, d.ranks, side)
    title = f"The King of Rings: {_status(d)}"
    out = Picture(grid.width, grid.bottom + BELOW, title, checkered(grid))
    places = grid.places()
    out.places = places
    out.add_each(Layer.MARK, last_marks(places, last, tinted=True))
    for piece in d.at(ON_SQUARE):
        x, y = places[piece.square]
        is_ring = piece.kind == "ring"
        drawn = _ring(x, y, piece.value) if is_ring else _knight(x, y, piece.owner, tuple(_held(d, piece)))
        out.add(Layer.PIECE, drawn)
    return out


@cache
def _ring(x: float, y: float, points: int) -> str:
    colour, width = _RINGS[points]
    ring = circle(x, y, r=RADIUS - 3 - width / 2, fill=PAPER, stroke=colour, width=width)
    return ring + centred(x, y, str(points))


@lru_cache(1 << 14)
def _knight(x: float, y: float, owner: int, held: tuple[int, ...]) -> str:
    fill, ink = (SOUTH, SOUTH_INK) if owner == 1 else (NORTH, NORTH_INK)
    radius = RADIUS - 7 if held else RADIUS - 2
    out = [circle(x, y, r=radius, fill=fill)]
    if owner == 2:
        out.append(round_line(x, y, radius - 3, stroke=ink, width=1.5))
    out.append(centred(x, y, str(sum(held)) if held else " Kk"[owner], size=13 if held else 16, fill=ink))
    if held:
        rings = "".join(map(str, held))
        below = len(rings) if len(rings) <= _MOST_BELOW else (len(rings) + 1) // 2
        size = min(_SMALL, _SMALL * _MOST_BELOW // below)
        out.append(label(x, y + UNIT / 2 - 3, rings[-below:], size=size))
        if below < len(rings):
            out.append(label(x, y - 19, rings[:-below], size=size))
    return "".join(out)
