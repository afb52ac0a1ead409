"""Drawings of GRAN boards, as text and as SVG, with or without the things that stand on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ringfen.rules.gran.board import FILES, REALMS, WHITE, Board


@dataclass(frozen=True)
class Things:
    """What stands on a board: figures by point (the player's number), obstacle stones, the ring, its carrier."""

    figures: Mapping[str, int] = field(default_factory=dict)
    stones: frozenset[str] = frozenset()
    ring: str | None = None
    carrier: int | None = None
    fettered: frozenset[int] = frozenset()


_EMPTY = Things()


# ---- text ----


def board_text(board: Board, things: Things = _EMPTY) -> str:
    """The board in text: for each point its realm in small letters (w white), its symbol, and what stands there.

    Figures are numbers, the ring alone is ``*``, a stone ``#``; lines are drawn between the points that they join.
    """
    lines = {frozenset(line) for line in board.lines}
    rows = []
    for rank in range(board.ranks, 0, -1):
        rows.append(f"{rank:>2}  " + _rank_text(board, rank, lines, things))
        if rank > 1:
            rows.append("    " + _between_text(board, rank, lines))
    rows.append("    " + "  ".join(f" {letter} " for letter in FILES[: board.files]))
    out = [row.rstrip() for row in rows]
    others = sorted(line for line in board.lines if not _is_drawn(line))
    if others:
        out.append("Also joined: " + ", ".join(f"{one} {two}" for one, two in others))
    return "\n".join(out)


def _is_drawn(line: tuple[str, str]) -> bool:
    (file, rank), (other_file, other_rank) = map(_square, line)
    return abs(file - other_file) <= 1 and abs(rank - other_rank) <= 1


def _square(point: str) -> tuple[int, int]:
    return FILES.index(point[0]), int(point[1:])


def _rank_text(board: Board, rank: int, lines: set[frozenset[str]], things: Things) -> str:
    cells = []
    for file in range(board.files):
        point = f"{FILES[file]}{rank}"
        cell = _cell_text(board, point, things) if point in board.points else "   "
        joined = file + 1 < board.files and frozenset((point, f"{FILES[file + 1]}{rank}")) in lines
        cells.append(cell + ("--" if joined else "  "))
    return "".join(cells)


def _cell_text(board: Board, point: str, things: Things) -> str:
    if point in things.figures:
        thing = str(things.figures[point])
    elif point == things.ring:
        thing = "*"
    else:
        thing = "#" if point in things.stones else " "
    return board.realm_of(point).lower() + board.symbol_of(point) + thing


def _between_text(board: Board, rank: int, lines: set[frozenset[str]]) -> str:
    cells = []
    for file in range(board.files):
        here, below = f"{FILES[file]}{rank}", f"{FILES[file]}{rank - 1}"
        cell = " | " if frozenset((here, below)) in lines else "   "
        if file + 1 < board.files:
            right = FILES[file + 1]
            falling = frozenset((here, f"{right}{rank - 1}")) in lines
            rising = frozenset((below, f"{right}{rank}")) in lines
            cell += "\\" if falling else " "
            cell += "/" if rising else " "
        cells.append(cell)
    return "".join(cells)


# ---- SVG ----

_UNIT = 56
_MARGIN = 44
_REALM_COLOURS = {"T": "#f6d9b8", "U": "#cfe3c2", "G": "#c5daf0", "E": "#ecccdd", "w": "#efefef"}
_PLAYER_COLOURS = ("#d62728", "#1f5fd0", "#e0a800", "#2a8f3c", "#7b3fa0", "#333333")
_SYMBOL_LABELS = {"D": "dragon", "Z": "magic stone", "X": "sword", "C": "city", "S": "start", "R": "ring's ball"}


def board_svg(board: Board, things: Things = _EMPTY, caption: str = "") -> str:
    """The board as an SVG document, with a legend of its symbols."""
    width = 2 * _MARGIN + (board.files - 1) * _UNIT
    height = 2 * _MARGIN + (board.ranks - 1) * _UNIT + 78
    width = max(width, 460)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for point in board.points:
        x, y = _place(board, point)
        half = _UNIT // 2
        colour = _REALM_COLOURS[board.realm_of(point)]
        out.append(f'<rect x="{x - half}" y="{y - half}" width="{_UNIT}" height="{_UNIT}" fill="{colour}"/>')
    for one, two in board.lines:
        (x1, y1), (x2, y2) = _place(board, one), _place(board, two)
        out.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#777" stroke-width="1.5"/>')
    for point in board.points:
        out += _point_svg(board, point, things)
    out += _edge_svg(board, height)
    out += _legend_svg(width, height)
    if caption:
        out.append(f'<text x="{width // 2}" y="{height - 8}" font-size="12">{_escaped(caption)}</text>')
    return "\n".join([*out, "</svg>"])


def _place(board: Board, point: str) -> tuple[int, int]:
    file, rank = _square(point)
    return _MARGIN + file * _UNIT, _MARGIN + (board.ranks - rank) * _UNIT


def _point_svg(board: Board, point: str, things: Things) -> list[str]:
    x, y = _place(board, point)
    symbol, realm = board.symbol_of(point), board.realm_of(point)
    if symbol == ".":
        fill = "#ffffff" if realm == WHITE else "#222222"
        out = [f'<circle cx="{x}" cy="{y}" r="6" fill="{fill}" stroke="#222" stroke-width="1.5"/>']
    else:
        out = _symbol_svg(symbol, x, y)
    if point in things.stones:
        out.append(f'<rect x="{x - 12}" y="{y - 12}" width="24" height="24" rx="4" fill="#8a8a8a" stroke="#333"/>')
    if point == things.ring:
        out.append(f'<circle cx="{x}" cy="{y}" r="16" fill="none" stroke="#d4a017" stroke-width="5"/>')
    if point in things.figures:
        out += _figure_svg(things.figures[point], x, y, things)
    return out


def _symbol_svg(symbol: str, x: int, y: int) -> list[str]:
    if symbol == "D":
        shape = f'<path d="M{x} {y - 15}L{x + 15} {y + 12}L{x - 15} {y + 12}Z" fill="#b5302a" stroke="#400"/>'
    elif symbol == "Z":
        shape = f'<path d="M{x} {y - 14}L{x + 12} {y}L{x} {y + 14}L{x - 12} {y}Z" fill="#3a8fb7" stroke="#134"/>'
    elif symbol == "X":
        line = 'stroke="#444" stroke-width="4" stroke-linecap="round"'
        shape = f'<path d="M{x} {y - 14}V{y + 14}M{x - 9} {y - 4}H{x + 9}" {line}/>'
    elif symbol == "C":
        shape = (
            f'<path d="M{x - 15} {y + 13}V{y - 11}H{x - 8}V{y - 4}H{x - 3}V{y - 11}H{x + 3}V{y - 4}H{x + 8}V{y - 11}'
            f'H{x + 15}V{y + 13}Z" fill="#f2d027" stroke="#543"/>'
        )
    else:
        fill = "#2c6fd6" if symbol == "S" else "#e8f4ff"
        shape = f'<circle cx="{x}" cy="{y}" r="12" fill="{fill}" stroke="#123" stroke-width="2"/>'
    return [shape]


def _figure_svg(player: int, x: int, y: int, things: Things) -> list[str]:
    edge = '#d4a017" stroke-width="5' if player == things.carrier else '#ffffff" stroke-width="2'
    out = [
        f'<circle cx="{x}" cy="{y}" r="14" fill="{_PLAYER_COLOURS[player - 1]}" stroke="{edge}"/>',
        f'<text x="{x}" y="{y + 5}" font-size="14" fill="#fff">{player}</text>',
    ]
    if player in things.fettered:
        out.append(f'<path d="M{x - 13} {y + 13}L{x + 13} {y - 13}" stroke="#000" stroke-width="4"/>')
    return out


def _edge_svg(board: Board, height: int) -> list[str]:
    out = []
    bottom = _MARGIN + (board.ranks - 1) * _UNIT + _UNIT // 2 + 14
    for file in range(board.files):
        out.append(f'<text x="{_MARGIN + file * _UNIT}" y="{bottom}" font-size="12">{FILES[file]}</text>')
    for rank in range(1, board.ranks + 1):
        y = _MARGIN + (board.ranks - rank) * _UNIT + 4
        out.append(f'<text x="9" y="{y}" font-size="12">{rank}</text>')
    return out


def _legend_svg(width: int, height: int) -> list[str]:
    out = []
    step = width // 6
    y = height - 62
    for index, (symbol, label) in enumerate(_SYMBOL_LABELS.items()):
        x = step // 2 + index * step
        out += _symbol_svg(symbol, x, y)
        out.append(f'<text x="{x}" y="{y + 27}" font-size="10">{label}</text>')
    step = width // 5
    for index, (letter, label) in enumerate([*REALMS.items(), (WHITE, "banishing points")]):
        x = step // 2 + index * step
        out.append(f'<rect x="{x - 44}" y="{y + 33}" width="88" height="13" fill="{_REALM_COLOURS[letter]}"/>')
        out.append(f'<text x="{x}" y="{y + 43}" font-size="10">{label}</text>')
    return out


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
