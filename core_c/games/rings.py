"""The King of Rings: names, reasons, drawing. The rules are in src/rings.c."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ringfen.games.base import Context, Game, StartOption, bad_start

_SMALL_START: Final = "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0"
_SIDES: Final = {"s": "South", "n": "North"}


class Rings(Game):
    """The King of Rings on 7×7 squares, or on 5×7 with five knights a side."""

    id = "rings"
    name = "The King of Rings"
    sizes = "7×7, or 5×7 with five knights"
    start_options = (
        StartOption("files", "files of the board; 5 is the game with five knights", default="7", choices=("5", "7")),
    )
    reasons: Mapping[str, str] = {
        "too-many-files": "a rank has 7 or 5 squares, and there is more at {0}",
        "bad-files": "the board has 7 or 5 files, but the first rank has {0} squares",
        "uneven-ranks": "this rank has {0} squares, but the first has {1}",
        "too-few-ranks": "the board has 7 ranks with / between, but another does not follow at {0}",
        "too-many-ranks": "the board has 7 ranks, but there is more: {0}",
        "bad-holder": "a holder's rings are 5, 3 and 1, closed by a parenthesis, not {0}",
        "holder-order": "a holder's rings are written in falling order, as in K(311), which {0} breaks",
        "empty-holder": "a knight without rings is written K or k, without parentheses",
        "bad-hands": "the knights in hand are two numbers such as 0+2, not {0}",
        "bad-passes": "the passes in a row are 0, 1 or 2, not {0}",
        "too-many-rings": "{1} rings of value {0}, but the game has {2}",
        "too-many-knights": "{0} has {1} knights on the board and in hand, but the game has {2} a side",
        "passed-needlessly": "{0} cannot have passed, since {1} is legal (K9)",
        "no-own-knight": "{0} has no knight on {1}",
        "holder-cannot-move": "the knight on {0} holds {1} rings, more than the board is long, and cannot move (K5)",
        "knight-step": "the knight on {0} holds no ring and moves one square in any direction (K4), not to {1}",
        "holder-distance": "the knight on {0} holds {1} and moves exactly so many squares in a line (K5), not to {2}",
        "own-knight-there": "{0} has a knight of its own on {1}",
        "holder-onto-empty": "the knight on {0} holds rings and moves onto rings and enemies only (K5); {1} is empty",
        "capture-sign": "there is an enemy knight on {0}, and a capture is written with x",
        "nothing-to-capture": "there is no enemy knight on {0}, and a move is written with -",
        "empty-hand": "{0} has no knight in hand to drop",
        "drop-without-ring": "a knight is dropped onto a free ring (K8), but there is none on {0}",
        "pass-with-plies": "{0} must not pass, since {1} is legal (K9)",
    }

    def start(self, **options: str) -> str:
        """The text of the start of K3; ``files`` is ``"7"`` or ``"5"``."""
        files = options.pop("files", "7")
        self._no_more(options)
        if files not in ("5", "7"):
            raise bad_start("bad-files", files, f"the board has 7 or 5 files, not {files}")
        return self.usual_start if files == "7" else _SMALL_START

    def draw(self, fen: str, context: Context) -> str:
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

    def svg(self, fen: str, context: Context) -> str:
        """The position as an SVG document: rings as circles, holders with their rings written below."""
        return _svg(_Board(fen))


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


def _small(cell: str) -> str:
    """A square in four columns: ``K``, or ``K3`` for a holder of three rings."""
    if len(cell) > 1:
        return f"{cell[0] + str(len(cell) - 3):^4}"
    return " .  " if cell == "." else f" {cell}  "


_UNIT: Final = 60
_MARGIN: Final = 24
_RING_COLOURS: Final = {"1": "#b8bcc4", "3": "#3f74d1", "5": "#1d3f94"}


def _svg(board: _Board) -> str:
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


GAME = Rings()
