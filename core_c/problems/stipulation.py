"""Stipulations: what the side to move of a problem must reach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ringfen.control import MAX_HORIZON, MAX_PLIES
from ringfen.errors import RingfenError
from ringfen.text import printable, require_str

#: The largest number of moves of a win: 2 * n - 1 plies can be searched.
MAX_MOVES: Final = (MAX_PLIES + 1) // 2
_FORM: Final = re.compile(
    r"win in (?P<moves>[1-9][0-9]{0,3})"
    r"|best margin (?P<margin>0|-?[1-9][0-9]{0,3})"
    r"|best chance (?P<chance>[01]|[1-9][0-9]{0,50}/[1-9][0-9]{0,50}) maxn (?P<horizon>[1-9][0-9]{0,3})"
)


@dataclass(frozen=True, slots=True)
class Stipulation:
    """What the side to move must reach: one of three kinds, by the kind of the game's values.

    ``win in 2``: a forced win within 2 moves, which are 3 plies, but not sooner. ``best margin 7``: the margin of best
    play. ``best chance 7/18 maxn 8``: the winning probability under the model ``maxn`` with a horizon of 8 plies.
    """

    kind: str
    #: (win) The number of moves.
    moves: int = 0
    #: (margin) Points, for the side to move.
    margin: int = 0
    #: (chance) The probability of the player to move, and the horizon in plies.
    chance: Fraction = Fraction(0)
    horizon: int = 0

    @classmethod
    def parse(cls, text: str) -> Stipulation:
        """Return the stipulation of a text.

        :raises TypeError: It is not a str.
        :raises ringfen.RingfenError: It is not a stipulation.
        """
        found = _FORM.fullmatch(" ".join(require_str("a stipulation", text).split()))
        if found is not None and found["moves"] and int(found["moves"]) <= MAX_MOVES:
            return cls("win", moves=int(found["moves"]))
        if found is not None and found["margin"]:
            return cls("margin", margin=int(found["margin"]))
        if found is not None and found["chance"] and int(found["horizon"]) <= MAX_HORIZON:
            chance = Fraction(found["chance"])
            if chance <= 1:
                return cls("chance", chance=chance, horizon=int(found["horizon"]))
        forms = "'win in 2', 'best margin 7' or 'best chance 7/18 maxn 8'"
        message = f"a stipulation is {forms}, not {printable(text[:60])!r}"
        raise RingfenError(message, reason="bad-stipulation", text=text, length=len(text))

    @property
    def plies(self) -> int:
        """(win) The number of plies within which the win is forced."""
        return 2 * self.moves - 1

    def __str__(self) -> str:
        if self.kind == "win":
            return f"win in {self.moves}"
        if self.kind == "margin":
            return f"best margin {self.margin}"
        return f"best chance {self.chance} maxn {self.horizon}"
