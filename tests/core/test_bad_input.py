"""Malformed positions and plies, each with the reason and the place that the error must give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from known_data import rows

from ringfen import (
    IllegalPlyError,
    ImpossiblePositionError,
    PlySyntaxError,
    Position,
    PositionSyntaxError,
    RingfenError,
    game_ids,
)

T = TypeVar("T")


POSITION_ERRORS = {"syntax": PositionSyntaxError, "impossible": ImpossiblePositionError}
PLY_ERRORS = {"syntax": PlySyntaxError, "illegal": IllegalPlyError}


def summary(error: RingfenError) -> tuple[type[RingfenError], str, int]:
    return type(error), error.reason, error.at


@pytest.mark.parametrize("row", rows("data/malformed_positions.jsonl"), ids=lambda row: row["fen"] or "empty")
def test_malformed_position(row: dict[str, Any]) -> None:
    with pytest.raises(RingfenError) as caught:
        Position(row["fen"])
    assert summary(caught.value) == (POSITION_ERRORS[row["error"]], row["reason"], row["at"])
    assert caught.value.at + caught.value.length <= len(row["fen"])
    assert "{" not in caught.value.message


@pytest.mark.parametrize("row", rows("data/malformed_plies.jsonl"), ids=lambda row: f"{row['ply']} in {row['fen']}")
def test_malformed_ply(row: dict[str, Any]) -> None:
    position = Position(row["fen"])
    with pytest.raises(RingfenError) as caught:
        position.apply(row["ply"])
    assert summary(caught.value) == (PLY_ERRORS[row["error"]], row["reason"], row["at"])
    assert caught.value.at + caught.value.length <= len(row["ply"])
    assert "{" not in caught.value.message


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("rings ......./......./......./......./......./......./K(3151)...... s 0+0 0", "5 does not follow 1"),
        ("gran g5:2:UT/g2:1:G!/-:3:- c7 - 2.0.4.6.6.4.2 1 move", "T does not follow U"),
    ],
)
def test_parts_out_of_order_are_named(fen: str, words: str) -> None:
    with pytest.raises(PositionSyntaxError, match=f"order.* so {words}$") as caught:
        Position(fen)
    assert fen[caught.value.at : caught.value.at + caught.value.length] == words[0]


def test_there_are_enough_of_each_game() -> None:
    for name, least in (("malformed_positions", 60), ("malformed_plies", 60)):
        games = [row["fen"].split(" ")[0] for row in rows(f"data/{name}.jsonl")]
        assert len(games) >= least
        assert set(game_ids()) <= set(games)


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    """A good text with a piece cut out, doubled or replaced."""
    text = draw(st.sampled_from(texts))
    first = draw(st.integers(0, len(text)))
    last = draw(st.integers(first, min(len(text), first + 8)))
    new = draw(st.one_of(st.text("./123sn-+KkSMTC()@!:,0 \t=x", max_size=6), st.text(max_size=6)))
    return text[:first] + new + text[last:]


def result_of(call: Callable[[str], T], text: str) -> T | RingfenError:
    try:
        return call(text)
    except RingfenError as error:
        return error


def has_a_place(error: RingfenError, text: str) -> bool:
    return bool(error.reason) and 0 <= error.at <= error.at + error.length <= max(len(text), len(error.text))


STARTS = [Position(game_id).fen for game_id in game_ids()]


@given(damaged(STARTS))
@example("gyges\x00")
@example("gyges \ud800")
def test_any_text_is_a_position_or_rejected(text: str) -> None:
    position = result_of(Position, text)
    if isinstance(position, RingfenError):
        assert has_a_place(position, text)
    else:
        assert Position(position.fen) == position
        assert Position(position.fen).fen == position.fen


@given(
    st.sampled_from(STARTS), damaged(["321123", "a1-b3", "a1-c2xb3-e5", "*c4", "@c3", "=d6", "+b4-c4", "4:5", "stay"])
)
def test_any_text_is_a_ply_or_rejected(fen: str, text: str) -> None:
    position = Position(fen)
    short = result_of(position.short, text)
    if isinstance(short, RingfenError):
        assert has_a_place(short, text)
        assert not position.is_legal(text)
    else:
        assert short in position.plies()
        assert position.apply(text) == position.apply(short)


@pytest.mark.parametrize("size", range(20, 30))
def test_words_are_cut_where_the_room_for_them_ends(size: int) -> None:
    """Under sanitizers also that nothing is written beyond it."""
    with pytest.raises(RingfenError) as caught:
        Position(f"siaius 3/1C1/3 {'x' * size}")
    assert str(caught.value).endswith(f" not {'x' * min(size, 23)}")


@pytest.mark.parametrize("game", game_ids())
def test_a_missing_field_is_named_with_what_to_append(game: str) -> None:
    words = Position(game).fen.split()
    for count in range(2, len(words)):
        with pytest.raises(PositionSyntaxError) as raised:
            Position(" ".join(words[:count]))
        assert raised.value.reason == "missing-field"
        rest = raised.value.message.partition("such as '")[2].rstrip("'")
        assert rest == " ".join(words[count:])


def test_a_rank_that_cannot_be_read_shows_what_a_rank_is() -> None:
    for text, ending in (
        ("gyges 6/6/6/6/6/6 s - 1+1", "3.1..2 or ......"),
        ("rings 7/7/7/7/7/7/7 s 0+0 0", "k1.3..K or ......."),
        ("siaius .../.../... s - - 0", "3S6 or 10"),
    ):
        with pytest.raises(PositionSyntaxError) as raised:
            Position(text)
        assert raised.value.message.endswith(f"as in {ending}")
