"""All setups of Gygès up to the mirror that swaps files a and f, one position a line, South to move.

python benchmarks/gyges_setups.py > setups.txt
"""

from __future__ import annotations

from itertools import permutations


def setups() -> list[str]:
    """The 90 ranks of two rings of each height."""
    return sorted({"".join(rank) for rank in permutations("112233")})


def positions() -> list[str]:
    """The first of each position and its mirror image, in byte order."""
    pairs = ((south, north) for south in setups() for north in setups())
    chosen = [(south, north) for south, north in pairs if (south, north) <= (south[::-1], north[::-1])]
    return [f"gyges {north}/....../....../....../....../{south} s - 1+1" for south, north in chosen]


if __name__ == "__main__":
    print("\n".join(positions()))
