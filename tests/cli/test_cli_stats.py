"""``stats``: counts agree with those made from the records one by one."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from cli_runner import json_lines, ringfen
from test_cli_filter import DATA, names

from ringfen.notation import Record, read_records

RECORDS = list(read_records(io.BytesIO(DATA)))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("stats") / "games.rgn"
    file.write_bytes(DATA)
    return str(file)


def tag(name: str) -> Callable[[Record], list[object]]:
    return lambda record: [record.tags.get(name)]


KEYS: dict[str, Callable[[Record], list[object]]] = {
    "game": lambda record: [record.game.id if record.game else None],
    "result": lambda record: [record.result],
    "outcome": lambda record: [None if record.outcome is None else str(record.outcome)],
    "event": tag("Event"),
    "site": tag("Site"),
    "date": tag("Date"),
    "round": tag("Round"),
    "tag:Annotator": tag("Annotator"),
    "year": lambda record: [record.tags["Date"][:4]],
    "valid": lambda record: [record.valid],
    "player": lambda record: [*dict.fromkeys(names(record))] or [None],
    "code": lambda record: [*dict.fromkeys(one.code for one in record.diagnostics)] or [None],
}


@pytest.mark.parametrize("key", KEYS)
def test_groups(path: str, key: str) -> None:
    groups: dict[object, list[Record]] = {}
    for record in RECORDS:
        for value in KEYS[key](record):
            groups.setdefault(value, []).append(record)
    found = {line[key]: line for line in json_lines(ringfen("stats", path, "--by", key, "--json"))}
    assert set(found) == set(groups)
    for value, records in groups.items():
        check(
            {**found[value], "valid": found[value]["valid"] * len(records)} if key == "valid" else found[value], records
        )


def check(line: dict[str, object], records: list[Record]) -> None:
    plies = [record.plies for record in records]
    results = [record.result for record in records]
    assert line["records"] == len(records)
    assert line["valid"] == sum(record.valid for record in records)
    assert line["plies"] == {"total": sum(plies), "min": min(plies), "median": median(plies), "max": max(plies)}
    assert line["results"] == {result: results.count(result) for result in results}


def test_all_records_and_two_keys(path: str) -> None:
    (line,) = json_lines(ringfen("stats", path, "--json"))
    check(line, RECORDS)
    lines = json_lines(ringfen("stats", path, "--by", "game,valid", "--json"))
    assert [(line["game"], line["valid"]) for line in lines] == sorted((line["game"], line["valid"]) for line in lines)


def test_openings_are_short_forms(path: str) -> None:
    lines = json_lines(ringfen("stats", path, "--by", "opening:2", "--json"))
    valid = [record for record in RECORDS if record.valid]
    for record in valid:
        opening = " ".join(node.short for node in list(record.mainline())[:2]) or None
        assert any(line["opening:2"] == opening for line in lines)
    assert sum(line["records"] for line in lines) == len(RECORDS)


def test_a_table_for_people(path: str, tmp_path: Path) -> None:
    result = ringfen("stats", path, "--by", "game")
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == ["gran", "gyges", "rings", "siaius"]
    empty = tmp_path / "empty.rgn"
    empty.write_bytes(b"")
    assert ringfen("stats", str(empty), "--json").stdout == ""


@pytest.mark.parametrize("by", ["", "colour", "tag:", "opening:0", "game,game"])
def test_wrong_keys(path: str, by: str) -> None:
    assert ringfen("stats", path, "--by", by).exit_code == 2
