"""Which hand-written mistakes (``mutants.rules``) does each position of the installed suite catch?

From the folder ``tests``: ``python -m mutants.suite`` computes it for all games, which takes some minutes, and writes
``tests/data/suite_catches.json``, ``docs/suite.md`` and ``examples/suite-GAME.jsonl``; ``--page`` leaves out the first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from mutants.rules import Mutant, mutants
from ringfen import game_by_id

ROOT = Path(__file__).parents[2]
CATCHES = ROOT / "tests" / "data" / "suite_catches.json"
PAGE = ROOT / "docs" / "suite.md"
GAMES = ("gyges", "rings", "siaius", "gran")

Row = dict[str, Any]


def rows(game: str) -> list[Row]:
    """The lines of a game's suite."""
    return [json.loads(line) for line in game_by_id(game).suite().splitlines()]


def positions(game: str) -> dict[str, list[Row]]:
    """The lines of each position, by its name."""
    found: dict[str, list[Row]] = {}
    for row in rows(game):
        found.setdefault(row["name"], []).append(row)
    return found


def is_caught(mutant: Mutant, row: Row) -> bool:
    """Whether a mistake gives another count. A program that does not take the position is not caught by it; one that
    breaks down is."""
    wrong = mutant.module()
    try:
        state = wrong.parse(row["fen"])
    except ValueError:
        return False
    try:
        return bool(wrong.perft(state, row["depth"]) != row["count"])
    except Exception:
        return True


def caught_by(game: str, name: str) -> tuple[str, str, list[str]]:
    """The mistakes that a position catches with any of its lines."""
    own = positions(game)[name]
    return game, name, [mutant.name for mutant in mutants(game) if any(is_caught(mutant, row) for row in own)]


def all_catches(jobs: int) -> dict[str, dict[str, list[str]]]:
    """The mistakes that each position of each game catches."""
    found: dict[str, dict[str, list[str]]] = {}
    with Pool(jobs) as pool:
        for game in GAMES:
            found[game] = {name: names for _, name, names in pool.imap(partial(caught_by, game), positions(game))}
    return found


def is_right(row: Row) -> bool:
    """Whether the plain implementation gives this count."""
    plain = import_module(f"reference.{row['fen'].split()[0]}")
    return bool(plain.perft(plain.parse(row["fen"]), row["depth"]) == row["count"])


# ---- the page ----

HEAD = """\
# A suite of positions for move generators

`ringfen suite` checks a move generator on positions that were chosen to find mistakes, as Kiwipete was
in chess: for each way to misread or mistype a rule, positions whose counts then differ, as small as possible and, where
there are any, such that little else differs. The suites are files of JSON lines, for any program:
{files}.

    {{"name": "…", "rules": ["G7"], "fen": "…", "depth": 2, "count": 57374}}

- `name` is what the position tests; where it names a mistake, a program with that mistake gets another count.
- `rules` are the numbers of the rules concerned (`ringfen rules GAME`).
- A position has a line for each depth. `ringfen compare FEN COMMAND --depth D` shows where a program differs.

All counts are those of two implementations that share no code: Ringfen's core and the plain Python games in
`tests/reference/`. The mistakes are those of `tests/mutants/rules.py`: each is the plain game with one rule changed by
hand. The last column lists the mistakes that any count of a position shows, by their numbers in the list above the
table. `python -m mutants.suite`, run in `tests/`, computes this page. Deep counts of the usual starts:
[perft counts](results/counts.md).
"""


def page(catches: dict[str, dict[str, list[str]]]) -> str:
    """The text of ``docs/suite.md``."""
    files = ", ".join(f"[examples/suite-{game}.jsonl](../examples/suite-{game}.jsonl)" for game in GAMES)
    parts = [HEAD.format(files=files)]
    for game in GAMES:
        parts += _section(game, catches[game])
    return "\n".join(parts)


def _section(game: str, catches: dict[str, list[str]]) -> Iterator[str]:
    found, names = positions(game), [mutant.name for mutant in mutants(game)]
    yield f"## {game_by_id(game).name}\n"
    yield f"{len(found)} positions, {len(rows(game))} counts, {len(names)} mistakes:\n"
    for number, mutant in enumerate(mutants(game), 1):
        times = sum(mutant.name in caught for caught in catches.values())
        yield f"{number}. {mutant.name} ({mutant.rule}): caught by {times}"
    yield "\n| position | rules | counts from depth 1 | catches |\n| --- | --- | --- | --- |"
    for name, own in found.items():
        counts = ", ".join(f"{row['count']:,}" for row in own if row["depth"] > 0)
        numbers = " ".join(str(names.index(caught) + 1) for caught in catches[name]) or "–"
        yield f"| {name}: `{own[0]['fen']}` | {' '.join(own[0]['rules'])} | {counts} | {numbers} |"
    yield ""


def write_page() -> None:
    """Writes the page and the examples."""
    PAGE.write_text(page(json.loads(CATCHES.read_text(encoding="utf-8"))), encoding="utf-8")
    for game in GAMES:
        (ROOT / "examples" / f"suite-{game}.jsonl").write_text(game_by_id(game).suite(), encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", action="store_true", help="write the page from the catches that are known")
    arguments = parser.parse_args()
    if not arguments.page:
        text = json.dumps(all_catches(arguments.jobs), indent=1, ensure_ascii=False)
        CATCHES.write_text(f"{text}\n", encoding="utf-8")
    write_page()


if __name__ == "__main__":
    main()
