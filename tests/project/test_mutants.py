from __future__ import annotations

import json
from pathlib import Path

import pytest
from mutants import concerned
from mutants.__main__ import REASONS, all_mutants, draw, key_of, known_reasons
from mutants.core import ROOT, SOURCES
from mutants.sites import mutants_of

CODE = """\
/* x < y */
#define LESS(a, b) ((a) < (b))
static int least(const int *values, int count)
{
    int found = values[0]; // a + b
    for (int i = 1; i < count; i++)
        if (values[i] < found && side == SI_SOUTH)
            found = values[i];
    puts("a < b");
    return found - 1;
}
"""


@pytest.fixture
def mutants(tmp_path: Path) -> set[tuple[int, str, str]]:
    path = tmp_path / "least.c"
    path.write_text(CODE)
    return {(one.line, one.before, one.after) for one in mutants_of(path, "least.c")}


def test_the_kinds_of_mutants(mutants: set[tuple[int, str, str]]) -> None:
    assert mutants == {
        (6, "1", "2"),
        (6, "1", "0"),
        (6, "<", "<="),
        (6, "<", ">="),
        (6, "++", "--"),
        (7, "<", "<="),
        (7, "<", ">="),
        (7, "&&", "||"),
        (7, "==", "!="),
        (7, "SI_SOUTH", "SI_NORTH"),
        (7, "values[i] < found && side == SI_SOUTH", "!(values[i] < found && side == SI_SOUTH)"),
        (8, "found = values[i];", ";"),
        (9, 'puts("a < b");', ";"),
        (10, "-", "+"),
        (10, "1", "2"),
        (10, "1", "0"),
    }


def test_every_mutant_of_the_core_changes_one_line() -> None:
    texts: dict[str, str] = {}
    mutants = all_mutants([])
    assert {one.path.split("/")[0] for one in mutants} >= {"gyges", "rings", "siaius", "gran", "search"}
    for mutant in mutants[::9]:
        text = texts.setdefault(mutant.path, (ROOT / SOURCES / mutant.path).read_text(encoding="utf-8"))
        after = mutant.apply(text)
        line = text.splitlines()[mutant.line - 1]
        assert after != text
        assert len(after) - len(text) == len(mutant.after) - len(mutant.before)
        assert line.strip() == mutant.source


def test_reasons_concern_existing_code() -> None:
    keys = {mutant.key() for mutant in all_mutants([])}
    rows = [json.loads(line) for line in REASONS.read_text(encoding="utf-8").splitlines()]
    assert [row for row in rows if key_of(row) not in keys] == []
    assert all(known_reasons().values())


def test_mutants_with_equal_text_are_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "twice.c"
    path.write_text("    a = b < c || c < d;\n    x = y;\n    a = b < c || c < d;\n")
    mutants = mutants_of(path, "twice.c")
    assert len({one.key() for one in mutants}) == len(mutants)
    assert sorted(one.nth for one in mutants if one.after == ">=") == [0, 1, 2, 3]


def test_a_change_of_one_file_leaves_the_draw_from_others() -> None:
    mutants = all_mutants(["common/", "control.c"])
    without = [one for one in mutants if one.path != "control.c"]
    drawn = draw(mutants, 100, 1)
    assert [one for one in drawn if one in without] == draw(without, 100, 1)[: sum(one in without for one in drawn)]
    assert draw(mutants, 100, 2) != drawn


def test_every_source_has_its_tests() -> None:
    """A list may name files that a game does not have, if at least one exists."""
    for path in {one.path for one in all_mutants([])}:
        own, others = concerned.tests_of(path)
        assert any((ROOT / test).exists() for test in own), path
        assert any((ROOT / test).exists() for test in others), path
