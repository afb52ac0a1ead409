"""Stipulations: what the side to move of a problem must reach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ringfen._core import lib
from ringfen.control import MAX_HORIZON, MAX_PLIES
from ringfen.errors import RingfenError
from ringfen.text import printable, require_str

#: The largest number of moves of a win: 2 * n - 1 plies can be searched.
MAX_MOVES: Final = (MAX_PLIES + 1) // 2
_NUMBER: Final = r"0|[1-9][0-9]*"
_FORM: Final = re.compile(
    rf"win in (?P<moves>{_NUMBER})"
    rf"|best margin (?P<margin>0|-?[1-9][0-9]*)"
    rf"|best chance (?P<chance>(?:{_NUMBER})(?:/[1-9][0-9]*)?) (?P<model>maxn|paranoid) (?P<horizon>{_NUMBER})",
    re.ASCII,
)
#: The maximum number of digits of the numerator and the denominator of a probability.
_MAX_DIGITS: Final = 51


@dataclass(frozen=True, slots=True)
class Stipulation:
    """What the side to move must reach: one of three kinds, by the kind of the game's values.

    ``win in 2``: a forced win within 2 moves, which are 3 plies, but not sooner. ``best margin 7``: the margin of best
    play. ``best chance 7/18 maxn 8``: the winning probability under the model ``maxn`` with a horizon of 8 plies; or
    under ``paranoid``, where an unfinished game counts 0.
    """

    kind: str
    #: (win) The number of moves.
    moves: int = 0
    #: (margin) Points, for the side to move.
    margin: int = 0
    #: (chance) The probability of the player to move, and the horizon in plies.
    chance: Fraction = Fraction(0)
    horizon: int = 0
    model: str = "maxn"

    @classmethod
    def parse(cls, text: str) -> Stipulation:
        """Return the stipulation of a text.

        :raises TypeError: It is not a str.
        :raises ringfen.RingfenError: It is not a stipulation, or a number is out of range.
        """
        words = " ".join(require_str("a stipulation", text).split())
        found = _FORM.fullmatch(words)
        if found is None:
            forms = "'win in 2', 'best margin 7' or 'best chance 7/18 maxn 8' (or paranoid for maxn)"
            raise _bad(f"a stipulation is {forms}, not {printable(text[:60])!r}", text)
        if found["moves"]:
            return cls("win", moves=_number("the number of moves", found["moves"], 1, MAX_MOVES, text))
        if found["margin"]:
            return cls(
                "margin", margin=_number("a margin", found["margin"], -lib.RF_MAX_MARGIN, lib.RF_MAX_MARGIN, text)
            )
        if max(map(len, found["chance"].split("/"))) > _MAX_DIGITS:
            raise _bad(f"a probability has numbers of at most {_MAX_DIGITS} digits", text)
        chance, horizon = Fraction(found["chance"]), found["horizon"]
        if chance > 1:
            raise _bad(f"a probability is at most 1, not {found['chance']}", text)
        plies = _number("the horizon", horizon, 1, MAX_HORIZON, text)
        return cls("chance", chance=chance, horizon=plies, model=found["model"])

    @property
    def plies(self) -> int:
        """(win) The number of plies within which the win is forced."""
        return 2 * self.moves - 1

    def __str__(self) -> str:
        if self.kind == "win":
            return f"win in {self.moves}"
        if self.kind == "margin":
            return f"best margin {self.margin}"
        return f"best chance {self.chance} {self.model} {self.horizon}"


def _number(name: str, digits: str, least: int, most: int, text: str) -> int:
    if len(digits) > _MAX_DIGITS or not least <= int(digits) <= most:
        raise _bad(f"{name} is {least} to {most}, not {digits if len(digits) < 20 else f'{digits[:20]}…'}", text)
    return int(digits)


def _bad(message: str, text: str) -> RingfenError:
    return RingfenError(message, reason="bad-stipulation", text=text, length=len(text))
