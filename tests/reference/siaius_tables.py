"""Reads endgame tables of Siaius as docs/tables.md describes them; imports nothing from the project."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from functools import cache
from math import comb

import zstandard

from reference import siaius

KINDS = "SMTC"
_RENAMED = str.maketrans("SMTsmt", "MTSmts")
_SUNS = str.maketrans("SMTsmt", "SSSsss")
_REVERSED = str.maketrans("MTmt", "TMtm")

#: What is seen from the side to move: letter (upper case its own), file and rank from 0, that side being South.
Stone = tuple[str, int, int]


class Table:
    """One class, from the bytes of its file."""

    def __init__(self, raw: bytes) -> None:
        assert raw[:8] == b"RNGFTB\r\n"
        assert zlib.crc32(raw[:124]) == int.from_bytes(raw[124:128], "little")
        self._raw = raw
        (self._data,) = struct.unpack_from("<Q", raw, 12)
        self.files, self.ranks, _, self._width, material = struct.unpack_from("<BBBBI", raw, 20)
        _, self._block_entries, self._blocks, _ = struct.unpack_from("<4Q", raw, 28)
        counts = [material >> shift & 15 for shift in range(28, -1, -4)]
        letters = [kind * count for kind, count in zip(KINDS + KINDS, counts, strict=True)]
        self.name = "".join(letters[:4]) + "v" + "".join(letters[4:])
        self._groups = [(kind, count) for kind, count in zip("SMTCsmtc", counts, strict=True) if count]
        leader = min(self._groups, key=lambda group: group[1])
        self._groups.remove(leader)
        self._groups.insert(0, leader)

    def value(self, stones: list[Stone]) -> tuple[int, int]:
        """1, 0 or -1 for the side to move, and in how many plies."""
        image, index = self._index(stones)
        if image:
            _, index = self._index([(kind, self.files - 1 - x, y) for kind, x, y in stones])
        block, place = divmod(index, self._block_entries)
        begin, end = struct.unpack_from("<2Q", self._raw, 128 + 8 * block)
        packed = self._raw[self._data + begin : self._data + end]
        (checksum,) = struct.unpack_from("<I", self._raw, 128 + 8 * (self._blocks + 1) + 4 * block)
        assert zlib.crc32(packed) == checksum
        values = zstandard.ZstdDecompressor().decompress(packed)
        entry = int.from_bytes(values[place * self._width : (place + 1) * self._width], "little")
        lost = 1 << (8 * self._width - 1)
        return (0, 0) if entry == 0 else (-1, entry - lost) if entry & lost else (1, entry)

    def _index(self, stones: list[Stone]) -> tuple[bool, int]:
        """Whether the leading group's set is the mirror image of another that counts, and the number of the entry."""
        index, image = 0, False
        for number, (kind, count) in enumerate(self._groups):
            squares = [y * self.files + x for letter, x, y in stones if letter == kind]
            first = self.files if kind in "smt" else 0
            places = self.files * self.ranks - (0 if kind in "Cc" else self.files)
            found = _set_number([square - first for square in squares])
            if number == 0:
                image, index = _leader(self.files, places, count)[found]
            else:
                index = index * comb(places, count) + found
        return image, index


def _set_number(squares: list[int]) -> int:
    return sum(comb(square, place) for place, square in enumerate(sorted(squares), start=1))


@cache
def _leader(files: int, places: int, count: int) -> list[tuple[bool, int]]:
    """By number of a set: whether it is the mirror image of an earlier one, and the place among those that are not.

    The first rank that is left out, if any, does not matter: mirror images stay on their rank.
    """
    found: list[tuple[bool, int]] = []
    kept = 0
    for number in range(comb(places, count)):
        squares = _set_of(number, count)
        mirror = _set_number([square - square % files + files - 1 - square % files for square in squares])
        if mirror < number:
            found.append((True, found[mirror][1]))
        else:
            found.append((False, kept))
            kept += 1
    return found


def _set_of(number: int, count: int) -> list[int]:
    squares = []
    for place in range(count, 0, -1):
        square = place - 1
        while comb(square + 1, place) <= number:
            square += 1
        squares.append(square)
        number -= comb(square, place)
    return squares


def value(state: siaius.State, tables: Mapping[str, Table]) -> tuple[int, int] | None:
    """1, 0 or -1 for the side to move, and in how many plies; None if these tables do not contain the position."""
    outcome = siaius.outcome(state)
    if outcome is not None:
        return (0 if outcome == "draw" else 1 if outcome == state.side else -1), 0
    found = _stored(state, tables)
    if found is None:
        return None
    pending = state.bonus != "-" or state.passes > 0
    values = [] if pending else [found]
    for ply in siaius.plies(state):
        if pending or ply.startswith("*"):
            after = siaius._play(state, ply)
            known = value(after, tables)
            if known is None:
                return None
            result, plies = known
            values.append((result if after.side == state.side else -result, plies + (result != 0)))
    return max(values, key=lambda one: one[0] * (10**6 - one[1]))


def _stored(state: siaius.State, tables: Mapping[str, Table]) -> tuple[int, int] | None:
    """The value without what is pending."""
    rows = state.rows if state.side == "s" else tuple(row.swapcase() for row in state.rows[::-1])
    stones = [(letter, x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "."]
    if state.beats == "reverse":
        stones = [(letter.translate(_REVERSED), x, y) for letter, x, y in stones]
    for _ in range(3):
        if _name_of(stones) in tables:
            return tables[_name_of(stones)].value(stones)
        stones = [(letter.translate(_RENAMED), x, y) for letter, x, y in stones]
    kinds = {letter for letter, _, _ in stones}
    if not kinds & set("SMT") or not kinds & set("smt"):
        stones = [(letter.translate(_SUNS), x, y) for letter, x, y in stones]
        if _name_of(stones) in tables:
            return tables[_name_of(stones)].value(stones)
    return None


def _name_of(stones: list[Stone]) -> str:
    """The table that holds these stones as they are."""
    letters = [letter for letter, _, _ in stones]
    own = "".join(sorted(filter(str.isupper, letters), key=KINDS.index))
    enemy = "".join(sorted((letter.upper() for letter in letters if letter.islower()), key=KINDS.index))
    return f"{own}v{enemy}"
