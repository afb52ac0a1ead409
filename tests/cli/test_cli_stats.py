"""``stats``: counts agree with those made from the records one by one."""

from __future__ import annotations

import importlib
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from cli_runner import json_lines, ringfen
from test_cli_filter import DATA, names, use_small_blocks

from ringfen.notation import Record, read_records
from ringfen.notation.selecting import Facts

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


@pytest.mark.parametrize("jobs", ["1", "3"])
@pytest.mark.parametrize("key", KEYS)
def test_groups(path: str, monkeypatch: pytest.MonkeyPatch, key: str, jobs: str) -> None:
    use_small_blocks(monkeypatch)
    groups: dict[object, list[Record]] = {}
    for record in RECORDS:
        for value in KEYS[key](record):
            groups.setdefault(value, []).append(record)
    found = {line[key]: line for line in json_lines(ringfen("stats", path, "--by", key, "--json", "--jobs", jobs))}
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


def game(tags: str, result: str) -> str:
    return f'[Game "gyges"]\n{tags}\n[Result "{result}"]\n\n{result}\n\n'


def test_results_of_each_player_by_side() -> None:
    records = [
        game('[South "Désgranges"]\n[North "Bo"]', "1-0"),
        game('[South "DESGRANGES"]\n[North "Bo"]', "0-1"),
        game('[South "Désgranges"]\n[North "bo"]', "1/2-1/2"),
        game('[South "Bo"]\n[North "desgranges"]', "*"),
        game('[South "bo"]\n[North "BO"]', "1-0"),
        game('[Player1 "Bo"]\n[Player2 "Cy"]\n[Player3 "Di"]', "0-1-0").replace("gyges", "gran"),
        game('[Player1 "Cy"]\n[Player2 "Di"]\n[Player3 "Bo"]', "0-0-1").replace("gyges", "gran"),
        '[Game "gyges"]\n\n*\n',
    ]
    lines = {
        line["player"]: line
        for line in json_lines(ringfen("stats", "-", "--by", "player", "--json", stdin="".join(records)))
    }

    def sides(**scores: tuple[int, int, int]) -> dict[str, dict[str, int]]:
        return {
            side.lstrip("p"): dict(zip(("wins", "draws", "losses"), score, strict=True))
            for side, score in scores.items()
        }

    assert {name: (line["records"], line["sides"]) for name, line in lines.items()} == {
        "Bo": (7, sides(south=(1, 0, 0), north=(1, 1, 2), p1=(0, 0, 1), p3=(1, 0, 0))),
        "Cy": (2, sides(p1=(0, 0, 1), p2=(1, 0, 0))),
        "Di": (2, sides(p2=(0, 0, 1), p3=(0, 0, 1))),
        "Désgranges": (4, sides(south=(1, 1, 1), north=(0, 0, 0))),
        None: (1, {}),
    }
    table = ringfen("stats", "-", "--by", "game,player", stdin="".join(records)).stdout
    assert "south +1 =1 -1, north +0 =0 -0" in table


@pytest.mark.parametrize("key", ["event", "site", "tag:Annotator"])
def test_the_most_frequent_spelling_is_shown(key: str) -> None:
    name = key.removeprefix("tag:").capitalize()
    texts = [game(f'[{name} "{value}"]', "*") for value in ("elan", "Élan", "Élan", "ELAN", "other")]
    lines = json_lines(ringfen("stats", "-", "--by", key, "--json", stdin="".join(texts)))
    assert [(line[key], line["records"]) for line in lines] == [("other", 1), ("Élan", 4)]


def test_names_that_differ_in_spaces_only_are_one_player() -> None:
    names = ("Lee, Ann", " lee,  ann", "Lee, Ann", "LÉE,\u00a0ANN ")
    text = "".join(f'[Game "gyges"]\n[South "{name}"]\n\n*\n\n' for name in names)
    (line,) = json_lines(ringfen("stats", "--by", "player", "--json", "-", stdin=text))
    assert (line["player"], line["records"]) == ("Lee, Ann", 4)


@pytest.mark.parametrize("options", [(), ("--by", "opening:2")])
def test_the_text_of_at_most_one_record_is_kept(
    path: str, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    module = importlib.import_module("ringfen.cli.stats")
    count, kept = module._count, []

    def counted(counts: Counter[Facts], *rest: Any) -> None:
        kept.append(sum(facts.data != b"" for facts in counts))
        count(counts, *rest)

    monkeypatch.setattr(module, "_count", counted)
    assert ringfen("stats", path, *options).exit_code == 0
    assert kept.count(1) > 1
    assert max(kept) == 1
