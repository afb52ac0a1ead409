"""Positions of Gygès as text and as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ringfen.rules import Context

_SIDES: Final = {"s": "South", "n": "North"}
#: Distance of two squares in the SVG drawing.
_STEP: Final = 60


@dataclass(frozen=True)
class _Parts:
    """The fields of a position text."""

    ranks: list[str]
    side: str
    throne: str
    south_goals: int
    north_goals: int

    @classmethod
    def of(cls, fen: str) -> _Parts:
        _, ranks, side, throne, goals = fen.split()
        south, north = goals.split("+")
        return cls(ranks.split("/"), side, throne, int(south), int(north))

    def throne_ring(self, side: str) -> str:
        """What lies on this side's throne."""
        return self.throne if side == self.side and self.throne != "-" else "."

    def status(self) -> str:
        """Who is to do what, in words."""
        if self.south_goals == 0 or self.north_goals == 0:
            winner = "s" if self.south_goals == 0 else "n"
            return f"{_SIDES[winner]} has won"
        rings = sum(height != "." for rank in self.ranks for height in rank)
        if rings <= 6:
            return f"{_SIDES[self.side]} sets up six rings"
        if self.throne != "-":
            return f"{_SIDES[self.side]} puts the {self.throne}-ring back from its throne, then moves"
        return f"{_SIDES[self.side]} to move"

    def goals_words(self) -> str:
        """How many conquests are needed, in words; empty in the usual game."""
        if self.south_goals <= 1 and self.north_goals <= 1:
            return ""
        return f"conquests needed: South {self.south_goals}, North {self.north_goals}"


def draw(fen: str, context: Context) -> str:
    """The board with North at the top, and what is to be done."""
    parts = _Parts.of(fen)
    throne = " " * 9
    lines = [f"{throne}[{parts.throne_ring('n')}] N"]
    lines += [f"  {6 - index}  {' '.join(rank)}" for index, rank in enumerate(parts.ranks)]
    lines += [f"{throne}[{parts.throne_ring('s')}] S", "     a b c d e f", parts.status()]
    if parts.goals_words():
        lines.append(parts.goals_words())
    return "\n".join(lines)


def svg(fen: str, context: Context) -> str:
    """The board as SVG: connections, squares, thrones, rings as one to three circles."""
    parts = _Parts.of(fen)
    width, height = 7 * _STEP, 9 * _STEP + 30
    centre = width / 2
    north, south = _STEP, 8 * _STEP
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f"<title>{fen}</title>",
        f'<rect width="{width}" height="{height}" fill="#f4ead5"/>',
        '<g stroke="#8a6d3b" stroke-width="2">',
    ]
    for file in range(6):
        x = _x(file)
        out += [
            _line(centre, north, x, _y(0)),
            _line(x, _y(0), x, _y(5)),
            _line(x, _y(5), centre, south),
            _line(_x(0), _y(file), _x(5), _y(file)),
        ]
    out.append("</g>")
    out += _field(centre, north, parts.throne_ring("n")) + _field(centre, south, parts.throne_ring("s"))
    for row, rank in enumerate(parts.ranks):
        out.append(_label(_STEP * 0.35, _y(row), str(6 - row)))
        for file, ring in enumerate(rank):
            out += _field(_x(file), _y(row), ring)
    out += [_label(_x(file), south, name) for file, name in enumerate("abcdef")]
    words = ", ".join(word for word in (parts.status(), parts.goals_words()) if word)
    out += [_label(centre, height - 20, words), "</svg>"]
    return "\n".join(out) + "\n"


def _x(file: int) -> float:
    return (file + 1) * _STEP


def _y(row: int) -> float:
    return (row + 2) * _STEP


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def _label(x: float, y: float, words: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="16" text-anchor="middle" dominant-baseline="middle">{words}</text>'


def _field(x: float, y: float, ring: str) -> list[str]:
    """A field, and the ring on it: as many circles as it is high."""
    out = [f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="#8a6d3b"/>']
    if ring != ".":
        out.append(f'<circle cx="{x:g}" cy="{y:g}" r="22" fill="#fff" stroke="#333" stroke-width="3"/>')
        out += [
            f'<circle cx="{x:g}" cy="{y:g}" r="{22 - 6 * level}" fill="none" stroke="#333" stroke-width="3"/>'
            for level in range(1, int(ring))
        ]
        out.append(f'<text x="{x:g}" y="{y + 1:g}" font-size="11" text-anchor="middle" dy="3">{ring}</text>')
    return out
