"""Siaius: words, start positions and drawing. The rules are in the C core (siaius.c)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ringfen.games.base import Context, Game, StartOption, TableRules, bad_start

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


class Siaius(Game):
    """Suns, moons and stars that capture in a circle, and champions."""

    id = "siaius"
    name = "Siaius"
    sizes = "10×10, or any board from 3×3 to 10 files by 12 ranks"
    start_options = (
        StartOption("files", "files of the board, 3 to 10", "10"),
        StartOption("ranks", "ranks of the board, 6 to 12", "10"),
        StartOption(
            "beats",
            "normal: sun beats moon beats star beats sun; reverse: the other way round",
            "normal",
            ("normal", "reverse"),
        ),
        StartOption(
            "huff",
            "what may be huffed: one stone of a turn without capture, any stone that missed, nothing",
            "turn",
            ("turn", "stone", "off"),
        ),
        StartOption("setup", "six ranks from the top with / between, three of North's and three of South's"),
    )
    reasons: Mapping[str, str] = {
        "rank-too-long": "a rank has at most {0} squares",
        "rank-length": "this rank has {0} squares, but the first has {1}",
        "too-many-ranks": "the board has at most {0} ranks, and there are more",
        "board-size": "the board has {0} files and {1} ranks; it is 3 to 10 files by 3 to 12 ranks",
        "bad-missed": "MISSED is - or squares of the board such as c4,d7, not {0}",
        "missed-order": "the squares of MISSED stand in the order a1, b1, ..., a2, ..., each once, which {0} breaks",
        "bad-bonus": "BONUS is - or a square of the board, not {0}",
        "bad-passes": "the passes in a row are 0, 1 or 2, not {0}",
        "bad-option": "the options are beats=reverse and huff=stone or huff=off, not {0}",
        "default-option": "{0} is the default and is not written",
        "option-order": "the options stand in the order beats, huff, each once, which {0} breaks",
        "no-stones": "there is no stone on the board",
        "not-promoted": "the stone on {0} has reached its farthest rank, so it must be a champion (S5)",
        "missed-without-huff": "MISSED names squares, but with huff=off nothing can be huffed",
        "missed-not-own": "while a bonus is open, MISSED names stones of the side to move; none is on {0}",
        "missed-not-enemy": "MISSED names stones of the side that does not move; none is on {0}",
        "bonus-no-champion": "BONUS is a champion of the side to move on its farthest rank; none is on {0}",
        "pending-in-finished": "the game is over, so MISSED and BONUS are - and PASSES is 0",
        "passes-with-pending": "after a pass nothing is left to huff and no bonus is open",
        "passed-with-move": "{0} cannot have passed, since it has a legal move (S9)",
        "off-board": "{0} is not on the board of {1} files and {2} ranks",
        "no-stone": "no stone on {0}",
        "enemy-stone": "the stone on {0} is {2}'s",
        "not-the-bonus": "only the champion on {1} can move now, or stay, not the stone on {0}",
        "no-step": "the stone on {0} has to go to another square",
        "too-far": "the {2} on {0} cannot go as far as {1}: a champion moves one or two squares, other stones one",
        "not-straight": "the champion on {0} moves in a straight line, and {1} is not on one",
        "way-blocked": "the champion on {0} cannot pass {1}, which is taken",
        "own-stone": "a stone of the same side is on {1}",
        "nothing-to-capture": "there is nothing to capture on {1}; a move is written {0}-{1}",
        "no-prey": "a {0} does not capture a {1} here",
        "capture-is-x": "an enemy stone is on {1}; a capture is written {0}x{1}",
        "huff-off": "*{0}: with huff=off nothing can be huffed",
        "huff-in-bonus": "*{0}: the turn goes on with the champion on {1}; nothing can be huffed in it now",
        "nothing-to-huff": "*{0}: no stone missed a capture that may be huffed now",
        "not-missed": "the stone on {0} cannot be huffed; one that can is on {1}",
        "no-bonus": "stay declines a bonus, and none is open",
        "pass-in-bonus": "the bonus of the champion on {0} is declined with stay, not pass",
        "pass-with-move": "{2} has a legal move and cannot pass (S9)",
    }

    @property
    def tables(self) -> TableRules:
        """Materials of up to six stones."""
        from ringfen.games.siaius.tables import RULES

        return RULES

    def start(self, **options: str) -> str:
        """A start position; ``files``, ``ranks``, ``beats``, ``huff`` and ``setup`` as the command line takes them."""
        files = _size(options.pop("files", "10"), "files", 3, 10)
        ranks = _size(options.pop("ranks", "10"), "ranks", 6, 12)
        beats = options.pop("beats", "normal")
        huff = options.pop("huff", "turn")
        setup = options.pop("setup", "")
        self._no_more(options)
        if beats not in ("normal", "reverse"):
            raise bad_start("bad-option", beats, f"beats is normal or reverse, not {beats!r}")
        if huff not in ("turn", "stone", "off"):
            raise bad_start("bad-option", huff, f"huff is turn, stone or off, not {huff!r}")
        rows = setup.split("/") if setup else _usual_rows(files)
        _check_setup(setup, rows, files)
        fen = "siaius " + "/".join([*rows[:3], *[str(files)] * (ranks - 6), *rows[3:]]) + " s - - 0"
        if beats == "reverse":
            fen += " beats=reverse"
        return fen if huff == "turn" else f"{fen} huff={huff}"

    def draw(self, fen: str, context: Context) -> str:
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

    def svg(self, fen: str, context: Context) -> str:
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
        out += [
            _label(width / 2, (ranks + 1) * _STEP + 12 + 22 * line, word) for line, word in enumerate(words) if word
        ]
        out.append("</svg>")
        return "\n".join(out) + "\n"


def _size(text: str, what: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[1-9][0-9]?", text) or not least <= int(text) <= most:
        raise bad_start("board-size", text, f"a start position has {least} to {most} {what}, not {text!r}")
    return int(text)


def _usual_rows(files: int) -> list[str]:
    rows = ["".join("smt"[(file + shift) % 3] for file in range(files)) for shift in (0, 1, 2)]
    return rows + [row.upper() for row in reversed(rows)]


def _check_setup(setup: str, rows: list[str], files: int) -> None:
    good = len(rows) == 6 and all(
        re.fullmatch(pattern * files, row)
        for pattern, half in (("[smt]", rows[:3]), ("[SMT]", rows[3:]))
        for row in half
    )
    if not good:
        message = f"a setup is six ranks of {files} stones, three of s, m, t and three of S, M, T, not {setup!r}"
        raise bad_start("bad-setup", setup, message)


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


GAME = Siaius()
