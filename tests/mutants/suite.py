"""Find which hand-written errors (``mutants.rules``) each position of the built-in suite detects.

In the folder ``tests``: ``python -m mutants.suite`` computes this for all games in a few minutes, and writes
``tests/data/suite_catches.json`` and ``docs/suite.md``; ``--page`` writes only the page.
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
    """Return the lines of a game's suite."""
    return [json.loads(line) for line in game_by_id(game).suite().splitlines()]


def positions(game: str) -> dict[str, list[Row]]:
    """Return the lines of each position, by its name."""
    found: dict[str, list[Row]] = {}
    for row in rows(game):
        found.setdefault(row["name"], []).append(row)
    return found


def is_caught(mutant: Mutant, row: Row) -> bool:
    """Return whether an error changes the count. An exception counts; a rejected position does not."""
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
    """Return the errors that any line of a position finds."""
    own = positions(game)[name]
    return game, name, [mutant.name for mutant in mutants(game) if any(is_caught(mutant, row) for row in own)]


def all_catches(jobs: int) -> dict[str, dict[str, list[str]]]:
    """Return the errors that each position of each game finds."""
    found: dict[str, dict[str, list[str]]] = {}
    with Pool(jobs) as pool:
        for game in GAMES:
            found[game] = {name: names for _, name, names in pool.imap(partial(caught_by, game), positions(game))}
    return found


def is_right(row: Row) -> bool:
    """Return whether the plain implementation has this count."""
    plain = import_module(f"reference.{row['fen'].split()[0]}")
    return bool(plain.perft(plain.parse(row["fen"]), row["depth"]) == row["count"])


# ---- the page ----

HEAD = """\
# A suite of positions for move generators

`ringfen suite` checks a move generator on positions that were chosen to find errors, as Kiwipete is in chess. For
each way to misread or mistype a rule there are positions whose counts then differ; they are as small as possible,
and differ in little else if possible. The files of JSON lines in `core_c/rules/suites/` work with any program:

    {"name": "…", "rules": ["G7"], "fen": "…", "depth": 2, "count": 57374}

- `name` says what the position tests. If it names an error, a program with that error gets another count.
- `rules` are the numbers of the rules concerned (`ringfen rules GAME`).
- There is one line for each depth. `ringfen compare FEN --depth D COMMAND` finds where a program differs.

All counts come from two implementations that share no code: Ringfen's core and the plain Python games in
`tests/reference/`. The errors are those of `tests/mutants/rules.py`: each is the plain game with one rule changed.
The last column lists the errors that a position finds, by their numbers in the list above the table. `python -m
mutants.suite`, run in `tests/`, computes this page. [Perft counts](results/counts.md) has deep counts from the
start positions.
"""


def page(catches: dict[str, dict[str, list[str]]]) -> str:
    """Return the text of ``docs/suite.md``."""
    parts = [HEAD]
    for game in GAMES:
        parts += _section(game, catches[game])
    return "\n".join(parts)


def _section(game: str, catches: dict[str, list[str]]) -> Iterator[str]:
    found, names = positions(game), [mutant.name for mutant in mutants(game)]
    yield f"## {game_by_id(game).name}\n"
    yield f"{len(found)} positions, {len(rows(game))} counts, {len(names)} errors:\n"
    for number, mutant in enumerate(mutants(game), 1):
        times = sum(mutant.name in caught for caught in catches.values())
        yield f"{number}. {mutant.name} ({mutant.rule}): found by {times}"
    yield "\n| position | rules | counts from depth 1 | finds |\n| --- | --- | --- | --- |"
    for name, own in found.items():
        counts = ", ".join(f"{row['count']:,}" for row in own if row["depth"] > 0)
        numbers = " ".join(str(names.index(caught) + 1) for caught in catches[name]) or "–"
        yield f"| {name}: `{own[0]['fen']}` | {' '.join(own[0]['rules'])} | {counts} | {numbers} |"
    yield ""


def write_page() -> None:
    """Write the page."""
    PAGE.write_text(page(json.loads(CATCHES.read_text(encoding="utf-8"))), encoding="utf-8")


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
