"""The rings on which a ply of Gygès bounces, for formats that name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ringfen.position import Position
from ringfen.rules.gyges.ugi import number_of, square_of

_FILES: Final = 6
_RANKS: Final = 6
_SQUARES: Final = _FILES * _RANKS
#: Bits of the connections: those to the right, those upwards, those to the thrones.
_UPWARDS: Final = _SQUARES
_TO_THRONES: Final = 2 * _SQUARES


def named_bounces(position: Position, ply: str) -> list[str]:
    """Return the squares of a legal ply in order: its start, its bounces, its end.

    A ply in short form has the shortest list of bounces that leads to its end.

    :param ply: a move, not a setup.
    """
    squares = re.split("[-x]", ply)
    if "x" in ply:
        squares.pop()
    if len(squares) > 2:
        return squares
    start, end = map(number_of, squares)
    rings = {
        square: int(ring)
        for square, ring in enumerate("".join(reversed(position.fen.split()[1].split("/"))))
        if ring != "."
    }
    height = rings.pop(start)  # G5: the starting square counts as empty.
    #: Where the ring has landed, with the connections that are used and the landings; fewest bounces first.
    landings: list[tuple[int, int, list[int]]] = [(start, 0, [start])]
    #: For each square, sets of used connections that leave at least as much as any that includes them.
    known: dict[int, list[int]] = {}
    for square, used, path in landings:
        for last, edges in _legs(rings, square, rings.get(square, height)):
            if edges & used:
                continue
            if last == end:
                return [square_of(one) for one in [*path, last]]
            sets = known.setdefault(last, [])
            if last in rings and not any(one & ~(used | edges) == 0 for one in sets):
                sets.append(used | edges)
                landings.append((last, used | edges, [*path, last]))
    raise ValueError(f"{ply} is not legal in {position.fen}")


def _legs(rings: dict[int, int], start: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of a leg of this many steps, each with the connections that it uses (G5)."""
    paths = [(start, 0)]
    for step in range(height):
        is_last = step == height - 1
        paths = [
            (end, edges | edge)
            for square, edges in paths
            for end, edge in _steps(square)
            if not edges & edge and (is_last or (end not in rings and end < _SQUARES))
        ]
    yield from paths


def _steps(square: int) -> Iterator[tuple[int, int]]:
    """Yield the fields that are connected to a square, each with the bit of the connection."""
    file, rank = square % _FILES, square // _FILES
    if file:
        yield square - 1, 1 << (square - 1)
    if file < _FILES - 1:
        yield square + 1, 1 << square
    if rank:
        yield square - _FILES, 1 << (_UPWARDS + square - _FILES)
    else:
        yield number_of("S"), 1 << (_TO_THRONES + file)
    if rank < _RANKS - 1:
        yield square + _FILES, 1 << (_UPWARDS + square)
    else:
        yield number_of("N"), 1 << (_TO_THRONES + _FILES + file)
