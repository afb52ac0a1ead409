"""The rules pages mark each reading."""

from __future__ import annotations

import re

import pytest

from ringfen import game_by_id

pytestmark = pytest.mark.unsanitized  # needs only texts


def rules_with_readings(game_id: str) -> list[str]:
    """The numbers of the rules that a ``**Reading**`` stands under."""
    found: list[str] = []
    number = ""
    for line in game_by_id(game_id).rules().splitlines():
        if rule := re.match(r"\*\*([GKSR][0-9]+) ", line):
            number = rule[1]
        if "**Reading" in line and number and number not in found:
            found.append(number)
    return found


@pytest.mark.parametrize(
    ("game_id", "rules"),
    [
        ("gyges", "G3 G4 G5 G8 G9"),
        ("rings", "K3 K5 K7"),
        ("siaius", "S1 S4 S6 S7 S8 S9"),
        ("gran", "R1 R2 R5 R6 R7 R8 R9 R11"),
    ],
)
def test_what_the_original_texts_leave_open_is_marked(game_id: str, rules: str) -> None:
    assert set(rules.split()) <= set(rules_with_readings(game_id))


def test_help_of_new_recommends_the_number_of_seals() -> None:
    """R13."""
    (seals,) = (option for option in game_by_id("gran").start_options if option.name == "seals")
    assert seals.choices == ("1", "2", "3", "4")
    assert "5 or 6 players" in seals.help
    assert "five and six players" in game_by_id("gran").rules()
