"""What endgame tables need to know of Siaius (docs/tables.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ringfen._core import lib
from ringfen.rules.base import TableRules


class SiaiusTables(TableRules):
    """Materials of suns, moons, stars and champions, by board and way of huffing."""

    magic = b"RNGFTB\r\n"
    files = 3, 10
    ranks = 3, 12
    huffs = "turn", "stone", "off"
    kinds = "SMTC"
    kind_words = "suns S, moons M, stars T, champions C"
    most_stones = int(lib.SI_TB_STONES)

    def material_of(self, own: str, enemy: str) -> int:
        """The number of a material in the form that has a table.

        The kinds are renamed along the circle of capturing; where one side has champions alone, the other's ordinary
        stones are suns.
        """
        return int(lib.si_material_canonical(self._number(own, enemy)))

    def older_material_of(self, own: str, enemy: str) -> int:
        """The same of tables that tell kinds apart against champions alone, as in ``SMTvC``."""
        return int(lib.si_material_apart(self._number(own, enemy)))

    def _number(self, own: str, enemy: str) -> int:
        return sum(
            1 << (shift - 4 * self.kinds.index(stone)) for shift, stones in ((28, own), (12, enemy)) for stone in stones
        )

    def stones_of(self, material: int) -> tuple[str, str]:
        """The letters of a material, the side to move first."""
        own, enemy = (
            "".join(letter * (material >> (shift - 4 * kind) & 15) for kind, letter in enumerate(self.kinds))
            for shift in (28, 12)
        )
        return own, enemy

    def stage(self, material: int) -> tuple[int, int]:
        """Fewer stones come first, then more champions (S5)."""
        stones = "".join(self.stones_of(material))
        return len(stones), -stones.count(_CHAMPION)

    def after_turn(self, mover: str, other: str) -> set[tuple[str, str]]:
        """One promotion, up to two captures, one stone huffed."""
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
