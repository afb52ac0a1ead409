"""Games as people write them: random spellings of plies, move numbers and layouts for the format ``plain``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Final

from ringfen import Position

_SQUARE: Final = re.compile(r"[a-l][0-9]+")
_DASHES: Final = ("-", "–", "—", "->", "→", " - ", " – ", " → ", "--", "\u2212", "-\n")
_CROSSES: Final = ("x", "X", "×", ":", " x ", "х")
_NUMBERS: Final = ("", "{}.", "{}. ", "{}) ", "{}: ", "{} ", "Move {}: ", "({}) ", "plies")
_LAYOUTS: Final = ("line", "round", "ply", "tabs", "bars", "quoted")


class Speller:
    """Writes plies of one game in the style of one person."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._digits = random.random() < 0.5
        self._odd = random.choice((0, 0.3, 1))
        self._layout = random.choice(_LAYOUTS)
        self._number = random.choice(_NUMBERS if self._layout != "line" else _NUMBERS[:4])

    def game(self, start: Position, plies: Sequence[str]) -> str:
        """Return the text of a game."""
        lines: list[list[str]] = [[]]
        position, mover, rounds = start, None, 0
        for count, ply in enumerate(plies, 1):
            opens = position.player in ("s", 1) and position.player != mover
            rounds += opens
            if lines[-1] and (self._layout == "ply" or (opens and self._layout != "line")):
                lines.append([])
            lines[-1].append(self._numbered(count, rounds, opens) + self.ply(position, ply))
            mover, position = position.player, position.apply(ply)
        between = {"tabs": "\t", "bars": " | "}.get(self._layout) or self._random.choice((" ", "  ", ", ", "; "))
        begin = {"bars": "| ", "quoted": "> "}.get(self._layout, "")
        return "".join(f"{begin}{between.join(line)}\n" for line in lines)

    def _numbered(self, count: int, rounds: int, opens: bool) -> str:
        if self._number == "plies":
            return f"{count}. "
        return self._number.format(rounds) if opens else ""

    def ply(self, position: Position, ply: str) -> str:
        """Return one of the spellings of a ply."""
        choice = self._random.choice
        if ply.isalpha():
            return choice((ply, ply.upper(), ply.capitalize()))
        if position.is_chance:
            card, die = ply.split(":")
            forms = ("{0}:{1}", "{0}/{1}", "card {0}, die {1}", "{0} : {1}", "({0}:{1})", "die {1} card {0}")
            return choice(forms).format(card, die)
        if ply.isdigit():
            return choice((ply, ",".join(ply), "-".join(ply), " ".join(ply), f"{ply[:3]} {ply[3:]}"))
        squares = _SQUARE.findall(ply)
        if self._digits and all(len(square) == 2 and square < "j" for square in squares):
            ply = _SQUARE.sub(lambda square: f"{ord(square[0][0]) - 96}{square[0][1:]}", ply)
        return self._with_signs(ply)

    def _with_signs(self, ply: str) -> str:
        choice, odd = self._random.choice, self._random.random
        if ply.endswith(("-N", "-S")):
            ply = ply[:-1] + choice(("g", "G", ply[-1], ply[-1].lower(), "♔", "goal"))
        elif "-" in ply.rpartition("x")[2] and "x" in ply and odd() < 0.6:
            begin, _, end = ply.rpartition("-")
            ply = choice((f"{begin}={end}", f"{begin} = {end}", f"{begin}({end})"))
        if odd() < self._odd:
            head, rest = ply[0], ply[1:].replace("-", choice(_DASHES)).replace("x", choice(_CROSSES))
            ply = head + rest
            if odd() < 0.3 and not ply.endswith(("♔", "goal", "n", "s")):
                ply = ply.upper()
        return ply
