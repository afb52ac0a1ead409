"""Who wins Gygès with which rings on the two first ranks: the table of docs/results/gyges-tables.md.

python benchmarks/gyges_first_ranks.py MATERIAL [DIRECTORY]

Divides the rings of a material into two halves (of an odd number, one has one more), puts South's half on rank 1 and
North's on rank 6 in every order, and looks the placements up, South to move. DIRECTORY has the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path

from ringfen import Tablebase


def ranks(rings: str) -> list[str]:
    """Every rank with these rings."""
    return sorted({"".join(rank) for rank in permutations(rings.ljust(6, "."))})


def splits(material: str) -> Iterator[tuple[str, str]]:
    """South's and North's rings, each pair once."""
    halves = {len(material) // 2, len(material) - len(material) // 2}
    for south in sorted({"".join(part) for half in halves for part in combinations(material, half)}):
        north = Counter(material) - Counter(south)
        yield south, "".join(sorted(north.elements()))


def main(material: str, directory: Path | None = None) -> None:
    """Print one row for each split."""
    rows = ["| South's rings | North's rings | placements | South wins | drawn | North wins |"]
    rows.append("| --- | --- | --: | --: | --: | --: |")
    with Tablebase(directory) as tables:
        for south, north in splits("".join(sorted(material))):
            values: Counter[str] = Counter()
            for below in ranks(south):
                for above in ranks(north):
                    found = tables.probe(f"gyges {above}/....../....../....../....../{below} s - 1+1")
                    if found is None:
                        sys.exit(f"The table is missing: ringfen tablebase build gyges --material {material}")
                    values[found[0]] += 1
            counts = (values.total(), values["win"], values["draw"], values["loss"])
            rows.append(f"| `{south}` | `{north}` | {' | '.join(f'{count:,}' for count in counts)} |")
    print("\n".join(rows))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *map(Path, sys.argv[2:3]))
