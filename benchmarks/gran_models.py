"""How far the models of GRAN differ in endings of random games, and when attacking pays: docs/results/gran.md.

python benchmarks/gran_models.py ENDINGS SEED OUT

An ending is the last position, 8 to 20 plies before the end of a random game of three players for one seal, in which
the player to move can attack and can also do something else. The games have the seeds SEED, SEED + 1, …; those without
such a position are skipped. Each ending is solved with the horizon 8: by `maxn` with the value after every ply, and by
`paranoid` for the player to move. OUT gets one JSON line per ending; a second call continues it. Then the script prints
the summary.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from ringfen import Position, game, random_game, solve

PLIES, EARLIEST = 8, 20


def ending(seed: int) -> Position | None:
    """The ending of the game with this seed, if it has one."""
    positions = list(random_game(game("gran").start(players=3, seals=1), seed).positions())
    for position in positions[-PLIES - 1 : -EARLIEST - 2 : -1]:
        if position.fen.split()[6] == "move" and {"x" in ply for ply in position.plies()} == {False, True}:
            return position
    return None


def solved(seed: int, position: Position) -> dict[str, Any]:
    """The answers for an ending, fractions as text."""
    player = position.player_number
    each: Any = solve(position, depth=PLIES, each=True)
    bounds = solve(position, depth=PLIES, model="paranoid", player=player)
    plies = {ply.ply: str(ply.value[player - 1]) for ply in each.plies}
    return {
        "seed": seed,
        "fen": position.fen,
        "maxn": str(each.value[player - 1]),
        "lower": str(bounds.lower),
        "upper": str(bounds.upper),
        "attack": best(plies, attacks=True),
        "other": best(plies, attacks=False),
    }


def best(plies: dict[str, str], *, attacks: bool) -> str:
    """The greatest value of the attacks or of the other plies."""
    return max((value for ply, value in plies.items() if ("x" in ply) == attacks), key=Fraction)


def carrier(line: dict[str, Any]) -> str:
    """Who carries the ring: the player to move, another player, or no player."""
    _, _, ring, _, _, player, *_ = line["fen"].split()
    return "no player" if ring[0] != "@" else "the player to move" if ring[1:] == player else "another player"


def summary(lines: list[dict[str, Any]]) -> None:
    """Print the figures of docs/results/gran.md."""
    gaps = [Fraction(line["maxn"]) - Fraction(line["lower"]) for line in lines]
    signs = Counter("equal" if gap == 0 else "greater" if gap > 0 else "less" for gap in gaps)
    print(f"{len(lines)} endings; exact under paranoid: {sum(line['lower'] == line['upper'] for line in lines)}")
    print(f"maxn against the lower bound of paranoid: {dict(signs)}; greater by 1: {gaps.count(Fraction(1))}")
    print(f"mean maxn {mean(lines, 'maxn')}, lower {mean(lines, 'lower')}, upper {mean(lines, 'upper')}")
    for who in ("the player to move", "another player", "no player"):
        found = [line for line in lines if carrier(line) == who]
        gains = [Fraction(line["attack"]) - Fraction(line["other"]) for line in found]
        better, worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        print(f"ring with {who}: {len(found)}; attack better {better}, equal {gains.count(Fraction(0))}, worse {worse}")
        print(f"  mean of the best attack {mean(found, 'attack')}, of the best other ply {mean(found, 'other')}")


def mean(lines: list[dict[str, Any]], field: str) -> str:
    """The mean of a field of fractions."""
    return f"{float(sum(Fraction(line[field]) for line in lines) / max(1, len(lines))):.4f}"


def main(count: int, seed: int, out: Path) -> None:
    """Solve endings until there are enough."""
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    number = lines[-1]["seed"] + 1 if lines else seed
    with out.open("a", encoding="utf-8") as file:
        while len(lines) < count:
            position = ending(number)
            if position is not None:
                lines.append(solved(number, position))
                print(json.dumps(lines[-1]), file=file, flush=True)
            number += 1
    summary(lines)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
