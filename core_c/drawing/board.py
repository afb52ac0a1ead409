"""Draws GRAN boards as text and SVG, with or without pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ringfen.drawing.picture import (
    BELOW,
    BLUE,
    EDGE,
    FAINT,
    GOLD,
    GREY,
    INK,
    LINES,
    MARGIN,
    PAPER,
    UNIT,
    VERMILION,
    Grid,
    Picture,
    box,
    label,
    line,
    number,
    path,
    round_line,
)
from ringfen.rules.gran.board import FILES, REALMS, WHITE, Board


@dataclass(frozen=True)
class BoardContents:
    """The pieces on a board for its drawing as text: player numbers by point, stones and the ring."""

    figures: Mapping[str, int] = field(default_factory=dict)
    stones: frozenset[str] = frozenset()
    ring: str | None = None


_EMPTY = BoardContents()


def square_of(point: str) -> tuple[int, int]:
    """Return the file and rank of a point, counted from 0."""
    return FILES.index(point[0]), int(point[1:]) - 1


def _is_drawn(joined: tuple[str, str]) -> bool:
    (file, rank), (other_file, other_rank) = map(square_of, joined)
    return abs(file - other_file) <= 1 and abs(rank - other_rank) <= 1


# ---- text ----


def board_text(board: Board, contents: BoardContents = _EMPTY, side: str = "s") -> str:
    """Return the board as text: for each point its realm in lower case (w white), its symbol and its piece.

    Figures are numbers, the ring without a carrier is ``*``, and a stone is ``#``. Lines are drawn between neighbours.
    """
    joined = {frozenset(pair) for pair in board.lines}
    files = FILES[: board.files] if side == "s" else FILES[: board.files][::-1]
    ranks = list(range(board.ranks, 0, -1) if side == "s" else range(1, board.ranks + 1))
    rows = []
    for index, rank in enumerate(ranks):
        rows.append(f"{rank:>2}  " + _rank_text(board, rank, files, joined, contents))
        if index + 1 < len(ranks):
            rows.append("    " + _between_text(rank, ranks[index + 1], files, joined))
    rows.append("    " + "  ".join(f" {letter} " for letter in files))
    out = [row.rstrip() for row in rows]
    others = sorted(pair for pair in board.lines if not _is_drawn(pair))
    if others:
        out.append("Also joined: " + ", ".join(f"{one} {two}" for one, two in others))
    return "\n".join(out)


def _rank_text(board: Board, rank: int, files: str, joined: set[frozenset[str]], contents: BoardContents) -> str:
    cells = []
    for index, file in enumerate(files):
        point = f"{file}{rank}"
        cell = _cell_text(board, point, contents) if point in board.points else "   "
        linked = index + 1 < len(files) and frozenset((point, f"{files[index + 1]}{rank}")) in joined
        cells.append(cell + ("--" if linked else "  "))
    return "".join(cells)


def _cell_text(board: Board, point: str, contents: BoardContents) -> str:
    if point in contents.figures:
        piece = str(contents.figures[point])
    elif point == contents.ring:
        piece = "*"
    else:
        piece = "#" if point in contents.stones else " "
    return board.realm_of(point).lower() + board.symbol_of(point) + piece


def _between_text(upper: int, lower: int, files: str, joined: set[frozenset[str]]) -> str:
    cells = []
    for index, file in enumerate(files):
        cell = " | " if frozenset((f"{file}{upper}", f"{file}{lower}")) in joined else "   "
        if index + 1 < len(files):
            right = files[index + 1]
            falling = frozenset((f"{file}{upper}", f"{right}{lower}")) in joined
            rising = frozenset((f"{file}{lower}", f"{right}{upper}")) in joined
            cell += "\\" if falling else " "
            cell += "/" if rising else " "
        cells.append(cell)
    return "".join(cells)


# ---- SVG ----

_REALM_COLOURS: Final = {"T": "#f6dfc4", "U": "#d6e8cf", "G": "#cfe1f4", "E": "#efd6e6", "w": "#eeeeec"}
_SYMBOLS: Final = {"D": "dragon", "Z": "magic stone", "X": "sword", "C": "city", "S": "start", "R": "crystal ball"}
#: The pieces of the legend. Figures have numbers instead.
_PIECES: Final = {"*": "ring", "#": "obstacle stone"}
#: The width of an entry of the legend, and the height of a row.
_ENTRY: Final = 112
_ROW: Final = 28


def board_svg(board: Board, side: str = "s") -> str:
    """Return the board as an SVG document, with a legend of its symbols and of the pieces."""
    name = f"the board {board.name}" if board.name else "the default board"
    return board_picture(board, f"GRAN: {name}", side).document(name)


def board_picture(board: Board, title: str, side: str = "s") -> Picture:
    """Return the board as a drawing without pieces."""
    grid = board_grid(board, side)
    width = max(grid.width, 2 * _ENTRY + MARGIN)
    legend, height = _legend(width, grid.bottom + BELOW)
    return Picture(width, height, title, (*_drawn(board, grid), *legend))


def _drawn(board: Board, grid: Grid) -> list[str]:
    """Return the points, lines and coordinates."""
    out: list[str] = []
    centres = {point: _centre(grid, point) for point in board.points}
    for point, (x, y) in centres.items():
        colour = _REALM_COLOURS[board.realm_of(point)]
        out.append(box(x, y, UNIT, fill=colour, stroke=colour))
    for one, two in board.lines:
        out.append(line(*centres[one], *centres[two]))
    for point, (x, y) in centres.items():
        out += _point(board.symbol_of(point), x, y)
        realm = board.realm_of(point)
        if realm != WHITE:
            out.append(label(x - 22, y - 19, realm, size=10, fill=FAINT))
    return out + grid.coordinates()


def board_grid(board: Board, side: str) -> Grid:
    """Return the grid for the coordinates of points in a drawing."""
    return Grid(board.files, board.ranks, side)


def _centre(grid: Grid, point: str) -> tuple[int, int]:
    file, rank = square_of(point)
    return grid.x(file), grid.y(rank)


def _point(symbol: str, x: float, y: float) -> list[str]:
    if symbol == ".":
        return [round_line(x, y, 4, stroke=LINES, fill=PAPER)]
    return [_symbol(symbol, x, y)]


def _symbol(symbol: str, x: float, y: float) -> str:
    """Return the symbol of a point. It is larger than a figure with the ring, so that it is seen below one."""
    left = number(x)
    if symbol == "D":
        return path(f"M{left} {number(y - 25)}l25 43h-50z", fill=VERMILION, stroke=EDGE, width=1.5)
    if symbol == "Z":
        return path(f"M{left} {number(y - 26)}l21 26l-21 26l-21 -26z", fill=BLUE, stroke=EDGE, width=1.5)
    if symbol == "X":
        return path(f"M{left} {number(y - 26)}v52M{number(x - 14)} {number(y - 15)}h28", stroke=INK, width=6)
    if symbol == "C":
        data = f"M{number(x - 20)} {number(y + 19)}v-36h9v8h6v-8h10v8h6v-8h9v36z"
        return path(data, fill="#f2d027", stroke=EDGE, width=1.5)
    ball = round_line(x, y, 22, stroke=EDGE, fill=PAPER)
    if symbol == "S":
        return ball + path(f"M{number(x - 10)} {number(y - 17)}l30 17l-30 17z", fill=INK)
    return ball + round_line(x, y, 17, stroke=INK, width=3)


def stone_cross(x: float, y: float) -> str:
    """Return the cross of an obstacle stone."""
    return path(f"M{number(x - 7)} {number(y - 7)}l14 14m0 -14l-14 14", stroke=PAPER, width=3)


def _piece(letter: str) -> str:
    """Return a piece of the legend around 0, 0."""
    if letter == "*":
        return round_line(0, 0, 15, stroke=EDGE, width=8) + round_line(0, 0, 15, stroke=GOLD, width=5)
    return round_line(0, 0, 14, stroke=EDGE, fill=GREY) + stone_cross(0, 0)


def _legend(width: int, top: int) -> tuple[list[str], int]:
    """Return the legend of symbols, realms and pieces in rows, and the y coordinate below it."""
    out = []
    entries: Sequence[tuple[str, str]] = [
        *_SYMBOLS.items(),
        *REALMS.items(),
        (WHITE, "white"),
        *_PIECES.items(),
    ]
    columns = max(1, (width - MARGIN // 2) // _ENTRY)
    left = (width - columns * _ENTRY) / 2
    for index, (letter, words) in enumerate(entries):
        x, y = left + index % columns * _ENTRY + 18, top + index // columns * _ROW + _ROW / 2
        if letter in _SYMBOLS or letter in _PIECES:
            shape, scale = (_piece(letter), ".7") if letter in _PIECES else (_symbol(letter, 0, 0), ".45")
            out.append(f'<g transform="translate({number(x)} {number(y)}) scale({scale})">{shape}</g>')
        else:
            out.append(box(x, y, 20, fill=_REALM_COLOURS[letter], stroke=EDGE))
            words = words if letter == WHITE else f"{letter}: {words}"
        out.append(label(x + 16, y + 4, words, size=11, anchor="start"))
    return out, top + (len(entries) + columns - 1) // columns * _ROW + MARGIN // 4
