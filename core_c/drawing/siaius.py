"""Draws Siaius positions as text and SVG."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import Final

from ringfen.drawing.description import BONUS, MISSED, Description, Piece
from ringfen.drawing.picture import (
    BELOW,
    NORTH,
    NORTH_INK,
    PENDING,
    RADIUS,
    SOUTH,
    SOUTH_INK,
    Grid,
    Layer,
    Picture,
    checkered,
    circle,
    last_marks,
    number,
    path,
    pending,
    round_line,
)

_SIDES: Final = ("South", "North")
_LETTERS: Final = {"sun": "S", "moon": "M", "star": "T", "champion": "C"}


def _status(d: Description) -> str:
    owners = {piece.owner for piece in d.pieces}
    if d.count("passes") == 2:
        return "drawn: neither side can move"
    if d.phase == "over":
        return f"{_SIDES[1 if 1 not in owners else 0]} has won"
    mover, other = _SIDES[d.player - 1], _SIDES[2 - d.player]
    if d.phase == "bonus":
        return f"{mover} may move the champion on {d.marked(BONUS)[0]} again, or stay"
    return f"{mover} to move; {other} had to pass" if d.count("passes") else f"{mover} to move"


def _missed(d: Description) -> list[str]:
    squares = d.marked(MISSED)
    if not squares:
        return []
    until = " unless the bonus ply captures" if d.phase == "bonus" else ""
    return [f"missed a capture and may be huffed{until}: {', '.join(squares)}"]


def words(d: Description) -> list[str]:
    """Return the player to act and the action, the stones that may be huffed, and the options of the game."""
    options = [f"{name}={value}" for name, value in d.options.items()]
    return [_status(d), *_missed(d), *(["options: " + ", ".join(options)] if options else [])]


def text(d: Description, side: str) -> str:
    """Return the board. A ``*`` follows a stone that may be huffed, a ``+`` a champion with a bonus."""
    stones = d.by_square()
    files, ranks = d.shown(side)
    lines = []
    for rank in ranks:
        cells = (_small(stones.get((file, rank))) for file in files)
        lines.append(f"{rank + 1:>3}  {''.join(cells)}".rstrip())
    return "\n".join([*lines, "     " + " ".join("abcdefghij"[file] for file in files), *words(d)])


def _small(stone: Piece | None) -> str:
    if stone is None:
        return ". "
    letter = _LETTERS[stone.kind] if stone.owner == 1 else _LETTERS[stone.kind].lower()
    return letter + ("*" if stone.marks & MISSED else "+" if stone.marks & BONUS else " ")


def picture(d: Description, side: str, last: list[str]) -> Picture:
    """Return the board: South's stones are light, North's dark with a second edge. A champion has no symbol.

    A stone that may be huffed has a dashed frame, and a champion with a bonus has a cross.
    """
    grid = Grid(d.files, d.ranks, side)
    out = Picture(grid.width, grid.bottom + BELOW, f"Siaius: {_status(d)}", checkered(grid))
    places = grid.places()
    out.places = places
    out.add_each(Layer.MARK, last_marks(places, last, tinted=True))
    for stone in d.pieces:
        x, y = places[stone.square]
        out.add(Layer.PIECE, _stone(x, y, stone.kind, stone.owner, stone.marks))
    return out


@cache
def _stone(x: float, y: float, kind: str, owner: int, marks: int) -> str:
    fill, ink = (SOUTH, SOUTH_INK) if owner == 1 else (NORTH, NORTH_INK)
    out = [pending(x, y, dashed=bool(marks & MISSED))] if marks else []
    out.append(circle(x, y, fill=fill, r=RADIUS - 2))
    if owner == 2:
        out.append(round_line(x, y, RADIUS - 5, stroke=ink, width=1.5))
    if marks & BONUS:
        out.append(path(f"M{number(x - 9)} {number(y)}h18m-9 -9v18", stroke=PENDING, width=4))
    if kind in _SIGNS:
        out.append(_SIGNS[kind](x, y, ink))
    return "".join(out)


# ---- signs ----


def _sun(x: float, y: float, ink: str) -> str:
    rays = "".join(
        f"M{number(x + 9 * cos(a))} {number(y + 9 * sin(a))}L{number(x + 13.5 * cos(a))} {number(y + 13.5 * sin(a))}"
        for a in (2 * pi * k / 8 for k in range(8))
    )
    arc = "a6.5 6.5 0 1 0"
    return path(f"M{number(x - 6.5)} {number(y)}{arc} 13 0{arc} -13 0z{rays}", fill=ink, stroke=ink)


def _moon(x: float, y: float, ink: str) -> str:
    return path(f"M{number(x + 4)} {number(y - 11)}a11.5 11.5 0 1 0 0 22a9 11.5 0 0 1 0 -22z", fill=ink)


def _star(x: float, y: float, ink: str) -> str:
    corners = ((13 if k % 2 == 0 else 5.2, pi * k / 5 - pi / 2) for k in range(10))
    points = "L".join(f"{number(x + r * cos(a))} {number(y + 1 + r * sin(a))}" for r, a in corners)
    return path(f"M{points}z", fill=ink)


_SIGNS: Final = {"sun": _sun, "moon": _moon, "star": _star}
