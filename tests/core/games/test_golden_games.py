"""Games of the reference implementations, played again: the number of legal plies at every ply, the end, the record."""

from __future__ import annotations

from typing import Any

import pytest
from known_data import rows

from ringfen import Position
from ringfen.notation import parse_record, write_record

GAMES = rows("golden/games.jsonl")


def name(row: dict[str, Any]) -> str:
    return f"{row['game']}, {len(row['line'])} plies"


@pytest.mark.parametrize("row", GAMES, ids=name)
def test_plies_at_every_ply(row: dict[str, Any]) -> None:
    position = Position(row["start"])
    for number, (count, ply) in enumerate(row["line"], 1):
        assert (number, len(position.plies())) == (number, count)
        position = position.apply(ply)
    assert (position.fen, position.outcome) == (row["end"], row["outcome"])


@pytest.mark.parametrize("row", GAMES, ids=name)
def test_the_record_of_it(row: dict[str, Any]) -> None:
    plies = [ply for _, ply in row["line"]]
    record = parse_record(f'[FEN "{row["start"]}"]\n\n{" ".join(plies)}')
    assert record.valid
    assert (record.plies, record.outcome, [node.ply for node in record.mainline()]) == (
        len(plies),
        row["outcome"],
        plies,
    )
    again = parse_record(write_record(record))
    assert again == record
    assert {one.code for one in again.diagnostics} <= {"missing-tag", "null-move"}
