"""Every reason that the C core can give has words, and every word in them has something to stand for."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from ringfen import Position, PositionSyntaxError, game_by_id, game_ids
from ringfen.errors import COMMON_REASONS, formatted_reason

SOURCES = Path(__file__).parents[3] / "core_c" / "src"

#: A reason is recognised by its form.
KEY = re.compile(r'"([a-z]+(?:-[a-z0-9]+)+)"')


def keys_in(path: Path) -> set[str]:
    """The reasons in a C file: every string of their form, wherever it stands."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|#include[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(KEY.findall(text))


def sources_of(game_id: str) -> list[Path]:
    return sorted(path for path in (SOURCES / game_id).rglob("*") if path.suffix in (".c", ".inc", ".h"))


@pytest.mark.parametrize("game_id", game_ids())
def test_every_reason_in_the_source_has_words(game_id: str) -> None:
    game = game_by_id(game_id)
    keys = set().union(*map(keys_in, sources_of(game_id)))
    assert keys, f"no reasons found in the sources of {game_id}"
    assert keys <= set(game.reasons) | set(COMMON_REASONS)


@pytest.mark.parametrize("game_id", game_ids())
def test_no_words_without_a_reason(game_id: str) -> None:
    modules = [path for path in (SOURCES.parent / "rules").rglob("*.py") if game_id in (path.stem, path.parent.name)]
    given = set().union(*map(keys_in, sources_of(game_id)))
    for path in modules:
        given |= set(re.findall(r'reason="([a-z0-9-]+)"', path.read_text(encoding="utf-8")))
    assert set(game_by_id(game_id).reasons) <= given


def test_common_reasons_are_known() -> None:
    assert keys_in(SOURCES / "common" / "text.c") <= set(COMMON_REASONS)


@pytest.mark.parametrize("game_id", game_ids())
def test_words_have_at_most_four_gaps_and_take_any_text(game_id: str) -> None:
    reasons = {**COMMON_REASONS, **game_by_id(game_id).reasons}
    for reason, words in reasons.items():
        gaps = {name for _, name, _, _ in Formatter().parse(words) if name is not None}
        assert gaps <= {"0", "1", "2", "3"}, reason
        assert len(reason) < 40, "rf_error.reason holds 39 bytes"
        hostile = ["{0}", "{", "}", "{x!r}"]
        assert formatted_reason(reasons, reason, hostile).count("{") == sum(
            hostile[int(name)].count("{") for _, name, _, _ in Formatter().parse(words) if name
        )


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("gyges x21123/....../....../....../....../321123 s - 1+1", 1),
        ("  gyges 321123/....../....../..x.../....../321123 s - 1+1", 4),
        ("gyges 321123/....../....../....../....../32112 s - 1+1", 6),
        ("rings ......./......./...2.../......./......./......./....... s 0+0 0", 3),
        ("siaius 3/12/3 s - - 0", 2),
    ],
)
def test_the_rank_that_cannot_be_read_is_named(text: str, rank: int) -> None:
    with pytest.raises(PositionSyntaxError, match=f" in rank {rank} from the top; a rank has ") as caught:
        Position(text)
    assert caught.value.reason == "bad-ranks"
