"""Answers depend only on the position and the options of the question, not on jobs, hash size, threads or processor.

``tests/golden/answers.jsonl`` contains the answers to fixed positions of all games, node counts included. Optimisations
and refactorings do not change it. A different search order changes node counts, and answers at the limit, but no value.
If that is intended, update the file and explain the change in the commit:

    python tests/core/solving/test_signature.py > tests/golden/answers.jsonl
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from ringfen import Limits, Position, Solution, SolveOptions, game_ids
from ringfen.batch import workers
from ringfen.batch.run import solve_all, solve_one

ROOT = Path(__file__).parents[3]
ANSWERS = ROOT / "tests" / "golden" / "answers.jsonl"
POSITIONS = ROOT / "examples" / "mixed-positions.txt"
#: No tables, wherever the tests run.
NO_TABLES = Path("/nonexistent/ringfen-tables")
LIMITS = Limits(nodes=30_000)
SOLVED = ("exact", "horizon")


#: Beyond the limit, with one, two and three knights without rings and with none.
UNSOLVED = """\
rings .1.k(1)./k(1)k1.1/k(1)K(111)k(5111).1/K(31)3.33/....1/K(1)..../.K(1).K(111). n 0+0 0
rings .k(1).../1...k/11.k(111)k(1)/K(3111)353k(311)/K(11).11K(11)/....K/.K(1)... n 0+0 0
rings k..k(1)./k(111111)..../.1.1./3.5k(331)K(31)/1.11k(111)/K(1)...1/K..K(1)K s 0+0 0
rings .k(1).1./1...k(1)/.K(1111)k(11)k(1)1/33533/1K(11)k(1).K(1)/....K(1)/.1.K(1). n 0+0 0
"""


def positions() -> list[Position]:
    lines = (POSITIONS.read_text(encoding="utf-8") + UNSOLVED).splitlines()
    return [Position(line) for line in lines if line and not line.startswith("#")]


def options(**other: Any) -> SolveOptions:
    return SolveOptions(**{"limits": LIMITS, "hash_mb": 16, "tables": NO_TABLES, **other})


def questions() -> list[tuple[Position, SolveOptions]]:
    """Each position with its options: in GRAN a horizon, with both models of the opponents."""
    found = []
    for position in positions():
        if position.game.value_kind == "chance":
            found.append((position, options(depth=5)))
            found += [(position, options(depth=8, model="paranoid", player=player)) for player in (1, 2, 3)]
        else:
            found.append((position, options()))
    return found


def answers() -> Iterator[Solution]:
    for position, chosen in questions():
        yield position.solve(chosen)


def fields(solution: Solution) -> dict[str, Any]:
    """The answer without null fields and what may differ between runs and versions."""
    found = solution.to_json().items()
    return {name: value for name, value in found if value is not None and name not in ("seconds", "version")}


def lines(solutions: Iterable[Solution]) -> list[str]:
    return [json.dumps(fields(solution), ensure_ascii=False) for solution in solutions]


def change(before: str, after: str) -> str:
    """The position of two different lines, its node counts, and the other fields that differ."""
    old, new = json.loads(before), json.loads(after)
    before_nodes, after_nodes = old.pop("nodes"), new.pop("nodes")
    limited = ", the limit" if after_nodes == LIMITS.nodes else ""
    nodes = [f"nodes {before_nodes} -> {after_nodes}{limited}"]
    others = [f"{name} {old.get(name)} -> {new.get(name)}" for name in new | old if old.get(name) != new.get(name)]
    return "\n  ".join([new["fen"], *nodes, *others])


@cache
def default_answers() -> tuple[Solution, ...]:
    return tuple(answers())


def test_the_answers_are_those_of_the_file() -> None:
    known = ANSWERS.read_text(encoding="utf-8").splitlines()
    found = lines(default_answers())
    if found != known:
        changed = [change(*pair) for pair in zip(known, found, strict=False) if pair[0] != pair[1]]
        update = "python tests/core/solving/test_signature.py > tests/golden/answers.jsonl"
        pytest.fail(
            "\n".join([f"{len(changed)} answers changed. If this is intended: {update}", *changed]), pytrace=False
        )


def test_the_positions_cover_the_games() -> None:
    kinds = {(answer.game, answer.status) for answer in default_answers()}
    assert kinds >= {(game, "exact") for game in game_ids()}
    assert kinds >= {("gran", "horizon"), ("gyges", "unknown"), ("siaius", "unknown"), ("rings", "bound")}
    assert {answer.model for answer in default_answers() if answer.game == "gran"} == {"maxn", "paranoid"}
    assert {answer.value for answer in default_answers() if answer.game in ("gyges", "siaius")} >= {
        "win",
        "loss",
        "draw",
    }


@pytest.mark.unsanitized
@pytest.mark.parametrize("jobs", [1, 3])
def test_any_number_of_jobs_gives_the_same_in_any_order(jobs: int) -> None:
    """With one job, all are solved again in this process."""
    found = {}
    for chosen in {chosen for _, chosen in questions()}:
        task = partial(solve_one, chosen)
        pool_for = partial(workers.processes, jobs, task, pytest.fail) if jobs > 1 else partial(workers.thread, task)
        asked = [position for position, its_options in reversed(questions()) if its_options == chosen]
        with pool_for() as pool:
            found.update({(position, chosen): result for position, result in solve_all(asked, pool)})
    for question, expected in zip(questions(), default_answers(), strict=True):
        result = found[question]
        assert isinstance(result, Solution)
        assert fields(result) == fields(expected)


@pytest.mark.unsanitized
@pytest.mark.parametrize("changed", [{"hash_mb": 1}, {"hash_mb": 64}, {"threads": 2, "limits": Limits(seconds=5.0)}])
def test_hash_and_threads_change_no_answer_that_is_reached(changed: dict[str, Any]) -> None:
    compared = 0
    for (position, chosen), expected in zip(questions(), default_answers(), strict=True):
        if expected.status not in SOLVED:
            continue
        other = position.solve(replace(chosen, **changed))
        if other.status in SOLVED:
            compared += 1
            assert (other.status, other.value, other.distance, other.open) == (
                expected.status,
                expected.value,
                expected.distance,
                expected.open,
            )
            # A limit after the value is known leaves `endless` open.
            assert other.endless == expected.endless or not (other.best_complete and expected.best_complete)
            if other.best_complete and expected.best_complete:
                assert other.best == expected.best
    assert compared >= 28


@pytest.mark.unsanitized
def test_the_plain_core_gives_the_same() -> None:
    """Without the instructions of newer processors."""
    found = subprocess.run(
        [sys.executable, __file__],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "RINGFEN_PLAIN": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert found.stdout.splitlines() == lines(default_answers())


if __name__ == "__main__":
    print("\n".join(lines(answers())))
