"""Makes games.jsonl: random games of the plain reference implementations, with the number of legal plies at every ply.

Run it in tests/: ``python golden/make_games.py > golden/games.jsonl``. The core has no part in it.
"""

from __future__ import annotations

import json
from importlib import import_module
from random import Random
from typing import Any

#: Game, start (None: GRAN's default), seed, maximum number of plies.
GAMES = [
    ("gyges", "gyges ....../....../....../....../....../...... s - 1+1", 4, 150),
    ("gyges", "gyges 321123/....../....../....../....../321123 s - 3+1", 5, 150),
    ("rings", "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0", 1, 400),
    ("rings", "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0", 2, 400),
    (
        "siaius",
        "siaius smtsmtsmts/mtsmtsmtsm/tsmtsmtsmt/10/10/10/10/TSMTSMTSMT/MTSMTSMTSM/SMTSMTSMTS s - - 0",
        1,
        500,
    ),
    ("siaius", "siaius smt/3/3/3/3/SMT s - - 0 beats=reverse huff=stone", 2, 300),
    ("gran", None, 1, 500),
    ("gran", None, 2, 500),
]


def played(game: str, start: str | None, seed: int, most: int) -> dict[str, Any]:
    """One game: its start, each ply after the number of legal ones, its end and outcome."""
    rules, random = import_module(f"reference.{game}"), Random(seed)
    state = rules.start() if start is None else rules.parse(start)
    begin = rules.text(state)
    line: list[tuple[int, str]] = []
    while rules.outcome(state) is None and len(line) < most:
        plies = rules.plies(state)
        ply = random.choice(plies)
        line.append((len(plies), ply))
        state = rules.apply(state, ply)
    return {"game": game, "start": begin, "line": line, "end": rules.text(state), "outcome": rules.outcome(state)}


if __name__ == "__main__":
    for row in GAMES:
        print(json.dumps(played(*row)))
