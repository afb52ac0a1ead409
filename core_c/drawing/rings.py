"""Positions of The King of Rings as text and as SVG."""

from __future__ import annotations

import re
from typing import Final

from ringfen.rules import Context

_SIDES: Final = {"s": "South", "n": "North"}


class _Board:
    """A position text taken apart; it is known to be canonical."""

    def __init__(self, fen: str) -> None:
        _, ranks, self.side, hands, passes = fen.split()
        self.ranks = [re.findall(r"[.135]|[Kk](?:\(\d+\))?", rank) for rank in ranks.split("/")]
        self.hands = [int(hand) for hand in hands.split("+")]
        self.passes = int(passes)

    def squares(self) -> list[tuple[int, int, str]]:
        """File (from 0), rank (from 7 down to 1) and cell of every square."""
        return [(file, 7 - row, cell) for row, cells in enumerate(self.ranks) for file, cell in enumerate(cells)]

    def points(self, letter: str) -> int:
        """The points on the knights with this letter."""
        return sum(sum(map(int, cell[2:-1])) for _, _, cell in self.squares() if cell[0] == letter)

    def holders(self) -> list[str]:
        """One line a side that has holders: where they are and what they hold."""
        lines = []
        for name, letter in (("South", "K"), ("North", "k")):
            held = [
                f"{'abcdefg'[file]}{rank}: {cell[2:-1]}"
                for file, rank, cell in self.squares()
                if cell[0] == letter and len(cell) > 1
            ]
            if held:
                lines.append(f"{name} holds {', '.join(held)}")
        return lines

    def over(self) -> bool:
        """K9, K10."""
        free = any(cell in "135" for _, _, cell in self.squares())
        return self.passes == 2 or (not free and self.side == "s")

    def words(self) -> list[str]:
        """Score, hands, and who is to play."""
        lines = [f"South has {self.points('K')} points, North {self.points('k')}"]
        for name, hand in zip(("South", "North"), self.hands, strict=True):
            if hand:
                lines.append(f"{name} has {hand} knight{'s' if hand > 1 else ''} in hand")
        if self.over():
            return [*lines, "The game is over"]
        passed = f"{_SIDES['sn'['sn'.index(self.side) - 1]]} has passed; " if self.passes else ""
        last = " (the last turn)" if not any(cell in "135" for _, _, cell in self.squares()) else ""
        return [*lines, f"{passed}{_SIDES[self.side]} to play{last}"]


def draw(fen: str, context: Context) -> str:
    """The board with free rings as their points and holders as points over number of rings, and who is to play."""
    board = _Board(fen)
    files = len(board.ranks[0])
    line = "  +" + "----+" * files
    lines = [line]
    for rank, cells in zip(range(7, 0, -1), board.ranks, strict=True):
        lines += [f"{rank} |" + "|".join(_small(cell) for cell in cells) + "|", line]
    lines.append("   " + " ".join(f" {'abcdefg'[file]}  " for file in range(files)).rstrip())
    lines += ["", *board.holders(), *board.words()]
    return "\n".join(lines)


def _small(cell: str) -> str:
    """A square in four columns: ``K``, or ``K3`` for a holder of three rings."""
    if len(cell) > 1:
        return f"{cell[0] + str(len(cell) - 3):^4}"
    return " .  " if cell == "." else f" {cell}  "


_UNIT: Final = 60
_MARGIN: Final = 24
_RING_COLOURS: Final = {"1": "#b8bcc4", "3": "#3f74d1", "5": "#1d3f94"}


def svg(fen: str, context: Context) -> str:
    """The position as an SVG document: rings as circles, holders with their rings written below."""
    board = _Board(fen)
    files = len(board.ranks[0])
    width, height = 2 * _MARGIN + files * _UNIT, 2 * _MARGIN + 7 * _UNIT + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for file, rank, cell in board.squares():
        x, y = _MARGIN + file * _UNIT, _MARGIN + (7 - rank) * _UNIT
        colour = "#d9e4f5" if (file + rank) % 2 else "#f6f1e4"
        out.append(f'<rect x="{x}" y="{y}" width="{_UNIT}" height="{_UNIT}" fill="{colour}" stroke="#555"/>')
        out += _svg_cell(cell, x + _UNIT // 2, y + _UNIT // 2)
    for file in range(files):
        x = _MARGIN + file * _UNIT + _UNIT // 2
        out.append(f'<text x="{x}" y="{_MARGIN + 7 * _UNIT + 16}" font-size="13">{"abcdefg"[file]}</text>')
    for rank in range(1, 8):
        y = _MARGIN + (7 - rank) * _UNIT + _UNIT // 2 + 5
        out.append(f'<text x="{_MARGIN // 2}" y="{y}" font-size="13">{rank}</text>')
    out.append(f'<text x="{width // 2}" y="{height - 8}" font-size="12">{"; ".join(board.words())}</text>')
    return "\n".join([*out, "</svg>"])


def _svg_cell(cell: str, x: int, y: int) -> list[str]:
    if cell == ".":
        return []
    if cell in _RING_COLOURS:
        radius = 20 if cell == "5" else 15
        ring = f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{_RING_COLOURS[cell]}" stroke-width="6"/>'
        return [ring, f'<text x="{x}" y="{y + 5}" font-size="13">{cell}</text>']
    fill, ink = ("#ffffff", "#000000") if cell[0] == "K" else ("#333333", "#ffffff")
    held = cell[2:-1]
    out = [
        f'<circle cx="{x}" cy="{y - 5}" r="18" fill="{fill}" stroke="#000"/>',
        f'<text x="{x}" y="{y}" font-size="14" fill="{ink}">{len(held) if held else cell[0]}</text>',
    ]
    if held:
        out.append(f'<text x="{x}" y="{y + 26}" font-size="9">{held}</text>')
    return out
