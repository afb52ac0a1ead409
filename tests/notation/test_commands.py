"""Commands in comments: found, taken out, and put in words."""

from __future__ import annotations

import pytest

from ringfen.notation.comment_commands import as_shown, has_own, marks_in, value_words, values_in, without_own

pytestmark = pytest.mark.unsanitized  # commands are read in Python

COMMENTS = ["[%value >=-2] [%value <=4] [%mark 2] mine [%cal Ga1a2]", "plain", "[%mark 3] [%value draw]"]


def test_contents_of_comments() -> None:
    assert values_in(COMMENTS) == [">=-2", "<=4", "draw"]
    assert marks_in(COMMENTS) == [2]
    assert [has_own(comment) for comment in COMMENTS] == [True, False, True]
    assert [without_own(comment) for comment in COMMENTS] == ["mine [%cal Ga1a2]", "plain", ""]
    assert [as_shown(comment) for comment in COMMENTS] == ["mine", "plain", ""]
    assert as_shown("[%best] a line") == "best: a line"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["s"], "South wins"),
        (["n 1"], "North wins in 1 ply"),
        (["s 5"], "South wins in 5 plies"),
        (["n 0"], "North has won"),
        (["draw"], "a draw"),
        (["+7"], "South's margin is +7"),
        ([">=3", "<=9"], "South's margin is >=3 and <=9"),
        (["7/18 11/18 0 maxn 8"], "chances: 7/18 11/18 0"),
    ],
)
def test_values_in_words(values: list[str], words: str) -> None:
    assert value_words(values) == words
