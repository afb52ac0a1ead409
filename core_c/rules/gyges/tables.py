"""The materials of the endgame tables of Gygès (docs/tables.md)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi
from ringfen.rules.base import TableRules

if TYPE_CHECKING:
    from ringfen._core import rf_description

_HEIGHTS: Final = "123"
_MAX_OF_HEIGHT: Final = 4


class GygesTables(TableRules):
    """Rings of three heights, which never leave the game, so that no class depends on another."""

    magic = b"RNGFTG\r\n"
    files = 6, 6
    ranks = 6, 6
    size = 6, 6
    min_stones = 1
    max_stones = 12
    max_entries = (1 << 32) - 1
    covered = (
        "tables of Gygès cover positions after the setup with one conquest left for each player, and have fewer than"
        " 2^32 entries (at most eight rings)"
    )

    def name_of(self, material: int) -> str:
        """Return the name of a class, such as ``112233``: the heights of its rings."""
        return "".join(height * (material >> 4 * number & 15) for number, height in enumerate(_HEIGHTS))

    def class_of(self, name: str) -> int:
        """Return the class number of a name such as ``112233``.

        :raises ValueError: The name is invalid.
        """
        if not name or set(name) - set(_HEIGHTS):
            raise ValueError(f"{name!r} is not a material such as 112233: the heights of the rings")
        for height in _HEIGHTS:
            if name.count(height) > _MAX_OF_HEIGHT:
                raise ValueError(f"{name!r} has more than {_MAX_OF_HEIGHT} rings of height {height}")
        return sum(1 << 4 * _HEIGHTS.index(height) for height in name)

    def classes(self, stones: int) -> set[int]:
        """Return all classes with up to this number of rings."""
        return {
            self.class_of("".join(heights))
            for count in range(1, stones + 1)
            for heights in combinations_with_replacement(_HEIGHTS, count)
            if max(map(heights.count, _HEIGHTS)) <= _MAX_OF_HEIGHT
        }

    def class_of_position(self, described: rf_description) -> int | None:
        """Return the class of the rings; None during the setup, or if a player needs more than one conquest (G9)."""
        goals = (counter.number for counter in described.counters[0 : described.counter_count])
        if ffi.string(described.phase) == b"setup" or any(number != 1 for number in goals):
            return None
        return self.class_of("".join(str(ring.value) for ring in described.pieces[0 : described.piece_count]))


RULES: Final = GygesTables()
