"""Who wins endings of random games of The King of Rings: docs/results/king-of-rings.md.

python benchmarks/rings_endings.py RINGS ENDINGS SEED OUT

An ending is the first position with RINGS free rings of a random game on 7×7 (`rings_positions.py`). Each is solved
with at most NODES nodes. OUT gets one JSON line per ending; a second call continues it. Then the script prints the
summary.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from rings_positions import positions

from ringfen import Position, solve

NODES = 200_000


def lead(position: Position) -> int:
    """The points on the knights of the side to move, minus those of the other side."""
    _, board, side, *_ = position.fen.split()
    south, north = (sum(map(int, "".join(re.findall(rf"{knight}\((\d+)\)", board)))) for knight in "Kk")
    return south - north if side == "s" else north - south


def solved(position: Position) -> dict[str, Any]:
    """The answer for an ending: bounds of the margin, equal if it is known, and whether play is endless."""
    found = solve(position, nodes=NODES)
    lower, upper = (found.value, found.value) if found.value is not None else (found.lower, found.upper)
    return {
        "fen": position.fen,
        "lead": lead(position),
        "lower": lower,
        "upper": upper,
        "endless": found.endless,
    }


def summary(lines: list[dict[str, Any]]) -> None:
    """Print the figures of docs/results/king-of-rings.md."""
    known = [line for line in lines if line["lower"] is not None and line["lower"] == line["upper"]]
    print(
        f"{len(lines)} endings, {len(known)} solved, {sum(line['endless'] is True for line in known)} endless, "
        f"{sum(line['lower'] == 0 for line in known)} with margin 0"
    )
    signed = [(line["lead"], result(line)) for line in lines if line["lead"] and result(line) is not None]
    wins = sum(winner * ahead > 0 for ahead, winner in signed if winner)
    losses = sum(winner * ahead < 0 for ahead, winner in signed if winner)
    print(
        f"a side leads, and the winner is known or the margin is 0: {len(signed)}; it wins {wins}, "
        f"the other side {losses}, neither {len(signed) - wins - losses}"
    )
    for least in (1, 5, 10):
        near = [(ahead, winner) for ahead, winner in signed if abs(ahead) >= least]
        print(f"  lead {least} or more: {len(near)}, the other side wins {sum(a * w < 0 for a, w in near)}")
    movers = [winner for ahead, winner in signed if ahead < 0]
    print(f"  the side to move is behind: {len(movers)}, it wins {movers.count(1)}")
    changes = [abs(line["lower"] - line["lead"]) for line in known]
    print(f"mean change of the lead {sum(changes) / max(1, len(changes)):.2f}, largest {max(changes, default=0)}")


def result(line: dict[str, Any]) -> int | None:
    """1 if the side to move wins, -1 if it loses, 0 if neither does, None if that is open."""
    lower, upper = line["lower"], line["upper"]
    if lower is None or upper is None:
        return None
    return 1 if lower > 0 else -1 if upper < 0 else 0 if lower == upper == 0 else None


def main(rings: int, count: int, seed: int, out: Path) -> None:
    """Solve the endings that OUT does not have yet."""
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    with out.open("a", encoding="utf-8") as file:
        for position in islice(positions(7, rings, seed), len(lines), count):
            lines.append(solved(position))
            print(json.dumps(lines[-1]), file=file, flush=True)
    summary(lines)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
