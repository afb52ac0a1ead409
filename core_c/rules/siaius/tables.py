"""The materials of the endgame tables of Siaius (docs/tables.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ringfen._core import lib
from ringfen.rules.base import TableRules


class SiaiusTables(TableRules):
    """Materials of suns, moons, stars and champions, by board and value of ``huff``."""

    magic = b"RNGFTB\r\n"
    files = 3, 10
    ranks = 3, 12
    variant_option = "huff"
    variants = "turn", "stone", "off"
    kinds = "SMTC"
    kind_words = "suns S, moons M, stars T, champions C"
    max_stones = int(lib.SI_TB_STONES)

    def material_of(self, own: str, enemy: str) -> int:
        """Return the number of the material that has a table for these stones.

        The kinds are rotated along the circle of capturing (S4). If one side has only champions, all ordinary stones of
        the other side count as suns.
        """
        return int(lib.si_material_canonical(self._number(own, enemy)))

    def _number(self, own: str, enemy: str) -> int:
        return sum(
            1 << (shift - 4 * self.kinds.index(stone)) for shift, stones in ((28, own), (12, enemy)) for stone in stones
        )

    def stones_of(self, material: int) -> tuple[str, str]:
        """Return the letters of a material, the side to move first."""
        own, enemy = (
            "".join(letter * (material >> (shift - 4 * kind) & 15) for kind, letter in enumerate(self.kinds))
            for shift in (28, 12)
        )
        return own, enemy

    def stage(self, material: int) -> tuple[int, int]:
        """Return the stage: fewer stones come first, then more champions (S5)."""
        stones = "".join(self.stones_of(material))
        return len(stones), -stones.count(_CHAMPION)

    def after_turn(self, mover: str, other: str) -> set[tuple[str, str]]:
        """Return the materials after one promotion, up to two captures and one huff."""
        movers = {mover} | {mover.replace(kind, _CHAMPION, 1) for kind in _ORDINARY if kind in mover}
        movers |= {fewer for stones in movers for fewer in _without(stones)}
        others = {other}
        for _ in range(2):
            others |= {fewer for stones in others for fewer in _without(stones)}
        return {(theirs, ours) for theirs in others for ours in movers if theirs and ours}


_ORDINARY: Final = "SMT"
_CHAMPION: Final = "C"


def _without(stones: str) -> Iterator[str]:
    for i in range(len(stones)):
        yield stones[:i] + stones[i + 1 :]


RULES: Final = SiaiusTables()
