"""Shared parts of all drawings: measures, colours, coordinates, marks, captions and the SVG document.

Each shape is one SVG element in the coordinates of the picture. Each piece has exactly one ``<circle>``, at its centre;
everything else consists of other elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from ringfen.drawing.description import square_name

#: The size of a square, and the distance from the board to the edge of the picture.
UNIT: Final = 60
MARGIN: Final = 34
#: The radius of a piece.
RADIUS: Final = 22
#: The height of the coordinates below a board of squares.
BELOW: Final = 30
FONT: Final = 15
LINE: Final = 22
#: Half the height of a capital letter as a share of the font size. It moves the baseline of centred text.
_HALF_CAPITAL: Final = 0.36

# Colours, each with its replacement on a dark background. The hues are those of Okabe and Ito. Shapes, letters or
# numbers always show the same information as the colours.
PAPER: Final = "#fcfbf7"
INK: Final = "#20242a"
FAINT: Final = "#5d5a52"
LINES: Final = "#8c7a5c"
FIELD: Final = "#f3ead6"
FIELD_2: Final = "#e2d4b4"
EDGE: Final = "#15181c"
SOUTH: Final = "#ffffff"
SOUTH_INK: Final = "#101214"
NORTH: Final = "#33373d"
NORTH_INK: Final = "#fefefe"
LAST: Final = "#0072b2"
LAST_FIELD: Final = "#cfe3f0"
PENDING: Final = "#d55e00"
GREY: Final = "#7d828a"
BLUE: Final = "#0b6aa8"
VERMILION: Final = "#c65500"
GOLD: Final = "#b98300"
_DARK: Final = {
    PAPER: "#1b1d20",
    INK: "#e8e6e1",
    FAINT: "#b9b5aa",
    LINES: "#9b8b6b",
    FIELD: "#38352d",
    FIELD_2: "#4b4535",
    EDGE: "#dcdad4",
    SOUTH: "#f3f0e8",
    NORTH: "#0d0e10",
    LAST: "#6cc0f0",
    LAST_FIELD: "#25485c",
    PENDING: "#ff9a4d",
    GREY: "#a9aeb6",
    BLUE: "#62b6ec",
    VERMILION: "#ff9a4d",
    GOLD: "#e8b92e",
}
#: Additional colours of games.
_MORE_DARK: Final = {
    "#f6dfc4": "#4d3c28",
    "#d6e8cf": "#2c4230",
    "#cfe1f4": "#263d55",
    "#efd6e6": "#4b3046",
    "#eeeeec": "#383a3e",
}


def _dark_rules() -> str:
    pairs = {**_DARK, **_MORE_DARK}.items()
    return "".join(
        f'.ringfen [{name}="{light}"]{{{name}:{dark}}}' for light, dark in pairs for name in ("fill", "stroke")
    )


#: The colours on a dark background, as CSS.
STYLE: Final = f"@media screen and (prefers-color-scheme:dark){{{_dark_rules()}}}"


class Layer:
    """The layers of a drawing, from the lowest."""

    MARK: Final = 0
    PIECE: Final = 1
    TEXT: Final = 2


class Shape(NamedTuple):
    """A part of a position, such as a piece, as SVG elements, and its layer."""

    layer: int
    elements: str


@dataclass
class Picture:
    """A drawing: the board, which all positions share, and the shapes of one position.

    ``caption`` contains the lines of text below the board; :meth:`write_caption` adds them. Pictures of positions on
    the same board share the object ``board`` and all coordinates.
    """

    width: int
    height: int
    title: str
    board: tuple[str, ...]
    shapes: list[Shape] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    #: The centres of the squares and thrones by name.
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, layer: int, *elements: str) -> None:
        """Add one shape, made of these elements, to a layer."""
        self.shapes.append(Shape(layer, "".join(elements)))

    def add_each(self, layer: int, elements: Iterable[str]) -> None:
        """Add a shape for each element."""
        self.shapes += (Shape(layer, element) for element in elements)

    def write_caption(self) -> None:
        """Add the caption at the bottom, wrap its lines at the width of the picture, and increase the height."""
        for line in self.caption:
            for part in wrapped(line, self.width - MARGIN, FONT):
                self.add(Layer.TEXT, label(self.width / 2, self.height + FONT, part))
                self.height += LINE
        self.height += MARGIN // 4

    def document(self, description: str) -> str:
        """Return the SVG document."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ringfen" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" font-family="sans-serif" role="img">'
        )
        shapes = (shape.elements for layer in range(Layer.TEXT + 1) for shape in self.shapes if shape.layer == layer)
        return "\n".join(
            [
                head,
                f"<title>{escape(self.title)}</title>",
                f"<desc>{escape(description)}</desc>",
                f"<style>{STYLE}</style>",
                f'<rect width="100%" height="100%" fill="{PAPER}"/>',
                *self.board,
                *shapes,
                "</svg>\n",
            ]
        )


@dataclass(frozen=True)
class Grid:
    """The coordinates of the squares of a board.

    :param side: The side at the bottom: ``s`` or ``n``.
    :param above: Number of rows between the upper edge and the board, and also below the board.
    :param names: Distance from the lowest rank to the baseline of the names of the files.
    """

    files: int
    ranks: int
    side: str
    above: float = 0
    names: int = 14

    @property
    def width(self) -> int:
        """The width of the picture."""
        return 2 * MARGIN + self.files * UNIT

    @property
    def bottom(self) -> int:
        """The y coordinate below all rows."""
        return MARGIN + round((self.ranks + 2 * self.above) * UNIT)

    def x(self, file: int) -> int:
        """Return the centre of a file, counted from 0."""
        return MARGIN + UNIT // 2 + UNIT * (file if self.side == "s" else self.files - 1 - file)

    def y(self, rank: int) -> int:
        """Return the centre of a rank, counted from 0."""
        return MARGIN + UNIT // 2 + round(UNIT * (self.above + (self.ranks - 1 - rank if self.side == "s" else rank)))

    def places(self) -> dict[str, tuple[float, float]]:
        """Return the centre of every square by name. Do not change the dict."""
        return _places(self)

    def squares(self) -> Iterator[tuple[int, int]]:
        """Return every file and rank."""
        return ((file, rank) for rank in range(self.ranks) for file in range(self.files))

    def coordinates(self) -> list[str]:
        """Return the names of the files and ranks, centred at the edge."""
        below = MARGIN + round((self.above + self.ranks) * UNIT) + self.names
        names = [label(self.x(file), below, chr(ord("a") + file), size=14, fill=FAINT) for file in range(self.files)]
        numbers = (str(rank + 1) for rank in range(self.ranks))
        return names + [
            centred(MARGIN // 2, self.y(rank), number, size=14, fill=FAINT) for rank, number in enumerate(numbers)
        ]

    def checkers(self) -> list[str]:
        """Return the squares in two shades; a1 is dark."""
        shades = ((file, rank, FIELD if (file + rank) % 2 else FIELD_2) for file, rank in self.squares())
        return [box(self.x(file), self.y(rank), UNIT, fill=shade) for file, rank, shade in shades]


@cache
def _places(grid: Grid) -> dict[str, tuple[float, float]]:
    return {square_name(file, rank): (grid.x(file), grid.y(rank)) for file, rank in grid.squares()}


@cache
def checkered(grid: Grid) -> tuple[str, ...]:
    """Return a board of squares with coordinates."""
    return (*grid.checkers(), *grid.coordinates())


# ---- elements ----


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{round(value, 1):g}"


def label(x: float, y: float, words: str, *, size: int = FONT, anchor: str = "middle", fill: str = INK) -> str:
    """Return a text with its baseline at ``y``."""
    where = f'x="{number(x)}" y="{number(y)}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {where} fill="{fill}">{escape(words, quote=False)}</text>'


def centred(x: float, y: float, words: str, *, size: int = FONT, fill: str = INK) -> str:
    """Return a text centred on a point. It contains only digits and letters without descenders."""
    return label(x, y + _HALF_CAPITAL * size, words, size=size, fill=fill)


def circle(x: float, y: float, *, fill: str, stroke: str = EDGE, r: float = RADIUS, width: float = 2) -> str:
    """Return a piece."""
    where = f'cx="{number(x)}" cy="{number(y)}" r="{number(r)}"'
    return f'<circle {where} fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"/>'


def round_line(x: float, y: float, r: float, *, stroke: str, width: float = 2, fill: str = "none") -> str:
    """Return a circular line that is not a piece."""
    arc = f"a{number(r)} {number(r)} 0 1 0"
    data = f"M{number(x - r)} {number(y)}{arc} {number(2 * r)} 0{arc} {number(-2 * r)} 0z"
    return f'<path d="{data}" fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"/>'


def box(x: float, y: float, size: float, *, fill: str, stroke: str = LINES) -> str:
    """Return a square centred on a point."""
    half = size / 2
    where = f'x="{number(x - half)}" y="{number(y - half)}" width="{number(size)}" height="{number(size)}"'
    return f'<rect {where} fill="{fill}" stroke="{stroke}"/>'


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = LINES, width: float = 2) -> str:
    """Return a straight line."""
    where = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line {where} stroke="{stroke}" stroke-width="{number(width)}"/>'


def path(data: str, *, fill: str = "none", stroke: str = "none", width: float = 2, dashes: str = "") -> str:
    """Return a path."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{data}" fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"{dashed}/>'


def pending(x: float, y: float, *, dashed: bool = False) -> str:
    """Return the mark of a pending event: a frame, dashed if a piece may be taken."""
    half = UNIT / 2 - 4
    data = f"M{number(x - half)} {number(y - half)}h{number(2 * half)}v{number(2 * half)}h{number(-2 * half)}z"
    return path(data, stroke=PENDING, width=3, dashes="7 5" if dashed else "")


# ---- the last ply ----

_PLACE: Final = re.compile(r"[a-z][0-9]+|[NS]")


def places_of(ply: str) -> list[str]:
    """Return the squares and thrones that a ply names, in their order."""
    return _PLACE.findall(ply)


def last_marks(places: Mapping[str, tuple[float, float]], last: Sequence[str], *, tinted: bool) -> Iterator[str]:
    """Yield the marks of a ply: corners around each square that it names, and an arrow from each to the next.

    :param places: The centre of each square. Other names are ignored.
    :param tinted: Whether to tint the squares too.
    """
    points = [places[name] for name in last if name in places]
    for point in dict.fromkeys(points):
        yield _corners(*point, tinted)
    for one, two in pairwise(points):
        if one != two:
            yield _arrow(*one, *two)


@cache
def _corners(x: float, y: float, tinted: bool) -> str:
    half, corner = UNIT / 2 - 3, 11
    data = "".join(
        f"M{number(x + sx * (half - corner))} {number(y + sy * half)}"
        f"H{number(x + sx * half)}V{number(y + sy * (half - corner))}"
        for sx in (-1, 1)
        for sy in (-1, 1)
    )
    tint = box(x, y, UNIT - 2, fill=LAST_FIELD, stroke="none") if tinted else ""
    return tint + path(data, stroke=LAST, width=3)


@cache
def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    tip_x, tip_y = x2 - dx * (RADIUS + 2), y2 - dy * (RADIUS + 2)
    back_x, back_y = tip_x - 9 * dx, tip_y - 9 * dy
    head = (
        f"M{number(tip_x)} {number(tip_y)}L{number(back_x - 5 * dy)} {number(back_y + 5 * dx)}"
        f"L{number(back_x + 5 * dy)} {number(back_y - 5 * dx)}z"
    )
    return path(f"M{number(x1)} {number(y1)}L{number(back_x)} {number(back_y)}{head}", stroke=LAST, fill=LAST, width=3)


# ---- words ----


def text_width(words: str, size: float) -> float:
    """Return an upper estimate of the width of a text, for the widest of the common sans-serif fonts."""
    return size * sum(_letter_width(letter) for letter in words)


def _letter_width(letter: str) -> float:
    if letter in "ijl.,:;'|!":
        return 0.41
    if letter in " frt()-/":
        return 0.44
    return 0.98 if letter in "mwMW@" or not letter.isascii() else 0.79 if letter.isupper() else 0.66


def wrapped(words: str, width: float, size: float) -> list[str]:
    """Return the text in lines of at most this width."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
