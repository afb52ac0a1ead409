"""Draws Gygès positions as text and SVG."""

from __future__ import annotations

from functools import cache
from typing import Final

from ringfen.drawing.description import ON_THRONE, Description, Piece
from ringfen.drawing.picture import (
    EDGE,
    FIELD,
    INK,
    LINES,
    RADIUS,
    SOUTH,
    SOUTH_INK,
    UNIT,
    Grid,
    Layer,
    Picture,
    box,
    centred,
    circle,
    last_marks,
    line,
    pending,
    round_line,
)

_SIDES: Final = ("South", "North")
#: Distance in rows from the middle of a throne to the nearest rank. The names of the files fit between them.
_THRONE_DISTANCE: Final = 1.4
#: Distance from the board to the names of the files, which are between the lines to the throne.
_NAMES: Final = 19


def _goals(d: Description) -> tuple[int, int]:
    return d.count("goals", 1), d.count("goals", 2)


def _throne_ring(d: Description, player: int) -> Piece | None:
    return next((piece for piece in d.at(ON_THRONE) if piece.of == player), None)


def _status(d: Description) -> str:
    mover = _SIDES[d.player - 1]
    if d.phase == "over":
        return f"{_SIDES[_goals(d).index(0)]} has won"
    if d.phase == "setup":
        return f"{mover} sets up six rings"
    if d.phase == "put":
        return f"{mover} puts the {d.at(ON_THRONE)[0].value}-ring back from its throne, then moves"
    return f"{mover} to move"


def words(d: Description) -> list[str]:
    """Return the player to act and the action, and in the king's game the conquests needed."""
    south, north = _goals(d)
    return [_status(d), *([f"conquests needed: South {south}, North {north}"] if max(south, north) > 1 else [])]


def text(d: Description, side: str) -> str:
    """Return the board with its thrones, and the pending action."""
    rings = d.by_square()
    files, ranks = d.shown(side)
    top, bottom = (2, 1) if side == "s" else (1, 2)
    lines = [_throne_text(d, top)]
    for rank in ranks:
        cells = (str(rings[file, rank].value) if (file, rank) in rings else "." for file in files)
        lines.append(f"  {rank + 1}  {' '.join(cells)}")
    lines += [_throne_text(d, bottom), "     " + " ".join("abcdef"[file] for file in files), *words(d)]
    return "\n".join(lines)


def _throne_text(d: Description, player: int) -> str:
    ring = _throne_ring(d, player)
    return f"{' ' * 9}[{ring.value if ring else '.'}] {'SN'[player - 1]}"


def picture(d: Description, side: str, last: list[str]) -> Picture:
    """Return the board with its connections. A ring of height 3 is drawn as three circles around a 3."""
    grid = Grid(d.files, d.ranks, side, above=_THRONE_DISTANCE, names=_NAMES)
    places = _places(grid)
    out = Picture(grid.width, grid.bottom, f"Gygès: {_status(d)}", _board(grid))
    out.places = places
    out.add_each(Layer.MARK, last_marks(places, last, tinted=False))
    for piece in d.pieces:
        on_throne = piece.place == ON_THRONE
        x, y = places["SN"[piece.of - 1]] if on_throne else places[piece.square]
        if on_throne and d.phase == "put":
            out.add(Layer.MARK, pending(x, y))
        out.add(Layer.PIECE, _ring(x, y, piece.value))
    return out


@cache
def _places(grid: Grid) -> dict[str, tuple[float, float]]:
    """Return the middle of each square and throne in the picture."""
    away = _THRONE_DISTANCE * (grid.y(0) - grid.y(1))
    middle = grid.width // 2
    thrones = {"S": (middle, grid.y(0) + away), "N": (middle, grid.y(grid.ranks - 1) - away)}
    return grid.places() | thrones


@cache
def _board(grid: Grid) -> tuple[str, ...]:
    (middle, south), (_, north) = _places(grid)["S"], _places(grid)["N"]
    top = grid.ranks - 1
    out = []
    for file in range(grid.files):
        x = grid.x(file)
        out += [line(middle, north, x, grid.y(top)), line(x, grid.y(top), x, grid.y(0))]
        out.append(line(x, grid.y(0), middle, south))
    out += [line(grid.x(0), grid.y(rank), grid.x(grid.files - 1), grid.y(rank)) for rank in range(grid.ranks)]
    out += [round_line(grid.x(file), grid.y(rank), 5, stroke=LINES, fill=LINES) for file, rank in grid.squares()]
    for name, y in (("S", south), ("N", north)):
        out.append(box(middle, y, UNIT - 12, fill=FIELD, stroke=EDGE))
        out.append(centred(middle - 40, y + (7 if y > grid.bottom // 2 else -7), name, size=14, fill=INK))
    return (*out, *grid.coordinates())


@cache
def _ring(x: float, y: float, height: int) -> str:
    inner = (round_line(x, y, RADIUS - 5 * level, stroke=SOUTH_INK) for level in range(1, height))
    stone = circle(x, y, fill=SOUTH, width=2.5)
    return stone + "".join(inner) + centred(x, y, str(height), fill=SOUTH_INK)
