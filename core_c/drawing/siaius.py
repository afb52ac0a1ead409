"""Positions of Siaius as text and as SVG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ringfen.rules import Context

_SIDES: Final = {"s": "South", "n": "North"}
_FILES: Final = "abcdefghij"
#: Distance of two squares in the SVG drawing.
_STEP: Final = 50


@dataclass(frozen=True)
class _Parts:
    """The fields of a position text, the ranks from the top with ``.`` for an empty square."""

    ranks: list[str]
    side: str
    missed: frozenset[str]
    bonus: str
    passes: int
    options: list[str]

    @classmethod
    def of(cls, fen: str) -> _Parts:
        _, ranks, side, missed, bonus, passes, *options = fen.split()
        rows = [re.sub(r"\d+", lambda gap: "." * int(gap[0]), rank) for rank in ranks.split("/")]
        return cls(rows, side, frozenset(missed.split(",")) - {"-"}, bonus, int(passes), options)

    def square(self, row: int, file: int) -> str:
        """The name of a square; rows count from the top."""
        return f"{_FILES[file]}{len(self.ranks) - row}"

    def status(self) -> str:
        """Who is to do what, in words."""
        stones = "".join(self.ranks)
        if self.passes == 2:
            return "drawn: neither side can move"
        if not any(stone.isupper() for stone in stones):
            return "North has won"
        if not any(stone.islower() for stone in stones):
            return "South has won"
        player = _SIDES[self.side]
        if self.bonus != "-":
            return f"{player} may move the champion on {self.bonus} once more, or stay"
        if self.passes == 1:
            return f"{player} to move; {_SIDES['n' if self.side == 's' else 's']} had to pass"
        return f"{player} to move"

    def missed_words(self) -> str:
        """Which stones may be huffed, now or later; empty if none."""
        if not self.missed:
            return ""
        squares = ", ".join(sorted(self.missed, key=lambda square: (int(square[1:]), square)))
        if self.bonus != "-":
            return f"missed a capture and may be huffed unless the bonus ply captures: {squares}"
        return f"missed a capture and may be huffed: {squares}"


def draw(fen: str, context: Context) -> str:
    """The board with North at the top; ``*`` after a stone that may be huffed, ``+`` after one with a bonus."""
    parts = _Parts.of(fen)
    lines = []
    for row, rank in enumerate(parts.ranks):
        cells = (stone + _mark(parts, parts.square(row, file)) for file, stone in enumerate(rank))
        lines.append(f"{len(parts.ranks) - row:>3}  {''.join(cells)}".rstrip())
    lines.append("     " + " ".join(_FILES[: len(parts.ranks[0])]))
    lines.append(parts.status())
    if parts.missed:
        lines.append(parts.missed_words())
    if parts.options:
        lines.append("options: " + ", ".join(parts.options))
    return "\n".join(lines)


def svg(fen: str, context: Context) -> str:
    """The board as SVG: South's stones light, North's dark; a ring around what may be huffed or has its bonus."""
    parts = _Parts.of(fen)
    files, ranks = len(parts.ranks[0]), len(parts.ranks)
    width, height = (files + 1) * _STEP, (ranks + 1) * _STEP + 50
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f"<title>{fen}</title>",
        f'<rect width="{width}" height="{height}" fill="#f4ead5"/>',
    ]
    for row, rank in enumerate(parts.ranks):
        out.append(_label(_STEP * 0.5, _centre(row), str(ranks - row)))
        for file, stone in enumerate(rank):
            out += _field(file, row, stone, parts)
    out += [_label(_centre(file) + _STEP / 2, _centre(ranks), _FILES[file]) for file in range(files)]
    words = [parts.status(), parts.missed_words()]
    out += [_label(width / 2, (ranks + 1) * _STEP + 12 + 22 * line, word) for line, word in enumerate(words) if word]
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _mark(parts: _Parts, square: str) -> str:
    if square in parts.missed:
        return "*"
    return "+" if square == parts.bonus else " "


def _centre(index: int) -> float:
    return (index + 0.5) * _STEP


def _label(x: float, y: float, words: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="15" text-anchor="middle" dominant-baseline="middle">{words}</text>'


def _field(file: int, row: int, stone: str, parts: _Parts) -> list[str]:
    """A square and what is on it."""
    left, top = (file + 1) * _STEP, row * _STEP
    x, y = left + _STEP / 2, top + _STEP / 2
    out = [f'<rect x="{left}" y="{top}" width="{_STEP}" height="{_STEP}" fill="#fffaf0" stroke="#8a6d3b"/>']
    if stone == ".":
        return out
    fill, ink = ("#fff", "#222") if stone.isupper() else ("#333", "#fff")
    square = parts.square(row, file)
    if square in parts.missed or square == parts.bonus:
        colour = "#c0392b" if square in parts.missed else "#2e7d32"
        out.append(f'<circle cx="{x:g}" cy="{y:g}" r="22" fill="none" stroke="{colour}" stroke-width="3"/>')
    out.append(f'<circle cx="{x:g}" cy="{y:g}" r="18" fill="{fill}" stroke="#222" stroke-width="2"/>')
    out += _sign(x, y, stone.upper(), ink, fill)
    return out


def _sign(x: float, y: float, kind: str, ink: str, fill: str) -> list[str]:
    """What is drawn on a stone; a champion shows its blank side."""
    if kind == "S":
        return [f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="{ink}"/>']
    if kind == "M":
        return [
            f'<circle cx="{x:g}" cy="{y:g}" r="10" fill="{ink}"/>',
            f'<circle cx="{x + 5:g}" cy="{y:g}" r="9" fill="{fill}"/>',
        ]
    if kind == "T":
        return [
            f'<text x="{x:g}" y="{y + 1:g}" font-size="24" text-anchor="middle" dominant-baseline="middle" '
            f'fill="{ink}">★</text>'
        ]
    return []
