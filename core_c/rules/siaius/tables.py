"""The materials of the endgame tables of Siaius (docs/tables.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.rules.base import TableRules

if TYPE_CHECKING:
    from ringfen._core import rf_description


class SiaiusTables(TableRules):
    """Materials of suns, moons, stars and champions, by board and value of ``huff``."""

    magic = b"RNGFTB\r\n"
    files = 3, 10
    ranks = 3, 12
    size = 10, 10
    variant_option = "huff"
    variants = "turn", "stone", "off"
    #: The letters of the kinds of stones.
    kinds = "SMTC"
    min_stones = 2
    max_stones = int(lib.SI_TB_STONES)
    max_search_stones = int(lib.SI_SOLVER_STONES)
    covered = f"tables of Siaius cover positions of at most {max_stones} stones"

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

    def name_of(self, material: int) -> str:
        """Return the name of a class, such as ``SMvT``: the side to move first."""
        return "v".join(self.stones_of(material))

    def class_of(self, name: str) -> int:
        """Return the class number of a name such as ``SMvT``.

        :raises ValueError: The name is invalid.
        """
        own, _, enemy = name.partition("v")
        if not own or not enemy or set(own + enemy) - set(self.kinds):
            words = "suns S, moons M, stars T, champions C"
            raise ValueError(f"{name!r} is not a material such as SMvT: {words}")
        if len(own + enemy) > self.max_stones:
            raise ValueError(f"{name!r} has more than {self.max_stones} stones, the most that tables can have")
        return self.material_of(own, enemy)

    def classes(self, stones: int) -> set[int]:
        """Return all classes with up to this number of stones."""
        return {
            self.material_of("".join(own), "".join(enemy))
            for total in range(2, stones + 1)
            for count in range(1, total)
            for own in combinations_with_replacement(self.kinds, count)
            for enemy in combinations_with_replacement(self.kinds, total - count)
        }

    def class_of_position(self, described: rf_description) -> int | None:
        """Return the class of the stones; None if the game is over.

        ``beats=reverse`` exchanges moons and stars (S4).
        """
        letters = _LETTERS
        if any(ffi.string(option.name) == b"beats" for option in described.options[0 : described.option_count]):
            letters = {**letters, b"moon": letters[b"star"], b"star": letters[b"moon"]}
        own = enemy = ""
        for stone in described.pieces[0 : described.piece_count]:
            if stone.owner == described.player:
                own += letters[ffi.string(stone.kind)]
            else:
                enemy += letters[ffi.string(stone.kind)]
        return self.material_of(own, enemy) if own and enemy else None

    def below(self, material: int) -> set[int]:
        """Return the classes that a turn of either side can lead to."""
        own, enemy = self.stones_of(material)
        after = self.after_turn(own, enemy) | self.after_turn(enemy, own)
        return {self.material_of(mover, other) for mover, other in after}

    def stage(self, material: int) -> tuple[int, ...]:
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
#: The letters of the kinds of stones, by their names in descriptions.
_LETTERS: Final = {b"sun": "S", b"moon": "M", b"star": "T", b"champion": _CHAMPION}


def _without(stones: str) -> Iterator[str]:
    for i in range(len(stones)):
        yield stones[:i] + stones[i + 1 :]


RULES: Final = SiaiusTables()
