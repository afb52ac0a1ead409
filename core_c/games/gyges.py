"""Gygès: words, start positions and drawing. The rules are in the C core (gyges.c)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ringfen.games.base import Context, Game, StartOption, bad_start

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


class Gyges(Game):
    """Twelve rings of three heights that belong to nobody, and a throne behind each player."""

    id = "gyges"
    name = "Gygès"
    sizes = "6×6 and two thrones"
    start_options = (
        StartOption("goals", "conquests that South and North need (king's game), as in 3+1", "1+1"),
        StartOption("setup", "South's and North's six rings, as in 321123/321123; none: the players set up"),
    )
    reasons: Mapping[str, str] = {
        "bad-throne": "the ring on a throne is -, 1, 2 or 3, not {0}",
        "bad-goals": "the conquests needed are two digits as in 1+1, not {0}",
        "south-sets-up-first": "North is to play on an empty board, but South sets up first",
        "north-sets-up": "South is to play, but it has set up and North sets up next",
        "half-setup": "there are six rings, but they are not South's setup: two of each height on rank 1",
        "wrong-rings": "there are {0} rings of height 1, {1} of height 2 and {2} of height 3, not four of each",
        "winner-to-play": "{0} is to play, but needs no more conquests; in a finished game {1}, who lost, is named",
        "won-without-ring": "{0} needs no more conquests, but no ring lies on {1}'s throne",
        "no-conquest-yet": "{0} has just conquered {1}'s throne and cannot need 9 more, the most there are",
        "set-up-first": "{0} is to set up: six rings for the files a to f, as in 321123",
        "already-set-up": "the rings are set up; {0} is to move one",
        "setup-rings": "{0} is no setup: it takes two rings of each height",
        "put-back-first": "{0} first puts the {1}-ring back from its throne, as in =c3",
        "no-ring-on-throne": "there is no ring on a throne to put back",
        "put-on-throne": "a ring is put on an empty square, not on a throne",
        "place-taken": "a ring cannot be put on {0}: a {1}-ring is there",
        "place-too-near": "a ring cannot be put on {0}: {1}'s active rank is then {2}, and rank {3} is nearer to {1}",
        "no-such-ring": "no ring on {0} ({1} moves rank {2})",
        "inactive-ring": "the ring on {0} is not on the active rank ({1} moves rank {2})",
        "blocked-ring": "no ring on the rank of {0} can move, so {1} moves rank {2}",
        "own-throne": "{0} cannot enter its own throne, {1}",
        "end-taken": "a {1}-ring is on {0}: the ply can displace it (x{0}-...) or bounce there, not end there",
        "no-ring-to-displace": "there is no ring on {0} to displace",
        "no-ring-to-bounce": "there is no ring on {0} to bounce on",
        "out-of-reach": "the {1}-ring on {0} has no way to {2}",
        "no-such-way": "the {1}-ring on {0} has no way to {2} over the bounces that are named",
        "null-move": "the ring comes back to its square: nothing changes but the turn",
    }

    def start(self, **options: str) -> str:
        """The empty board, or one that is set up; ``goals`` and ``setup`` as the command line takes them."""
        goals = options.pop("goals", "1+1")
        setup = options.pop("setup", "")
        self._no_more(options)
        if not re.fullmatch(r"[1-9]\+[1-9]", goals):
            words = f"the conquests needed are two numbers from 1 to 9, as in 3+1, not {goals!r}"
            raise bad_start("bad-goals", goals, words)
        empty = "/".join(["......"] * 6)
        if not setup:
            return f"gyges {empty} s - {goals}"
        rows = setup.split("/")
        if len(rows) != 2 or any(sorted(row) != list("112233") for row in rows):
            words = f"a setup is two rings of each height for South, then for North, as in 321123/321123, not {setup!r}"
            raise bad_start("bad-setup", setup, words)
        return "/".join(["gyges " + rows[1], *["......"] * 4, rows[0]]) + f" s - {goals}"

    def draw(self, fen: str, context: Context) -> str:
        """The board with North at the top, and what is to be done."""
        parts = _Parts.of(fen)
        throne = " " * 9
        lines = [f"{throne}[{parts.throne_ring('n')}] N"]
        lines += [f"  {6 - index}  {' '.join(rank)}" for index, rank in enumerate(parts.ranks)]
        lines += [f"{throne}[{parts.throne_ring('s')}] S", "     a b c d e f", parts.status()]
        if parts.goals_words():
            lines.append(parts.goals_words())
        return "\n".join(lines)

    def svg(self, fen: str, context: Context) -> str:
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


GAME = Gyges()
