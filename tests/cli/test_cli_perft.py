"""perft: counts, divide, suites."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position

EMPTY = "gyges ....../....../....../....../....../...... s - 1+1"
SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"


def test_counts() -> None:
    result = ringfen("perft", SET_UP, "--depth", "2")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{SET_UP}\nperft 2: 57,374 (")


@pytest.mark.parametrize("more", [(), ("--threads", "2"), ("--hash", "4"), ("-t2", "--hash", "4", "--divide")])
def test_json(more: tuple[str, ...]) -> None:
    (row,) = json_lines(ringfen("perft", SET_UP, "-d", "2", "--json", *more))
    seconds, divided = row.pop("seconds"), row.pop("divide", None)
    assert row == {"fen": SET_UP, "depth": 2, "nodes": 57374, "threads": 2 if any("2" in word for word in more) else 1}
    assert seconds >= 0
    assert (divided is not None) == ("--divide" in more)
    if divided is not None:
        assert list(divided) == Position(SET_UP).plies()
        assert sum(divided.values()) == 57374


def test_divide_for_people() -> None:
    lines = ringfen("perft", "rings", "--depth", "2", "--divide").stdout.splitlines()
    assert lines[1].split() == ["ply", "nodes"]
    assert len([line for line in lines if line.endswith(" 28")]) == 28


def test_several_positions() -> None:
    result = ringfen("perft", "-", "--depth", "1", "--json", stdin=f"gyges\nnonsense\n{SET_UP}\n")
    first, error, last = json_lines(result)
    assert (first["line"], first["nodes"], last["line"], last["nodes"]) == (1, 90, 3, 224)
    assert (list(error), error["line"], error["error"]["reason"]) == (["line", "error"], 2, "unknown-game")
    assert result.exit_code == 2


def test_depth_zero_and_finished_games() -> None:
    finished = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
    assert json_lines(ringfen("perft", finished, "-d0", "--json"))[0]["nodes"] == 1
    assert json_lines(ringfen("perft", finished, "-d3", "--json"))[0]["nodes"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("perft", SET_UP),
        ("perft", "--depth", "3"),
        ("perft", SET_UP, "--depth", "-1"),
        ("perft", SET_UP, "--depth", "256"),
        ("perft", SET_UP, "--depth", "0", "--divide"),
        ("perft", SET_UP, "--depth", "1", "--threads", "0"),
        ("perft", SET_UP, "--depth", "1", "--jobs", "2", "--split", "2"),
        ("perft", SET_UP, "--depth", "1", "--jobs", "2", "--threads", "2"),
        ("perft", SET_UP, "--depth", "1", "--resume"),
        ("perft", SET_UP, "--depth", "1", "--split", "1"),
        ("suite", "--game", "chess"),
        ("suite", "--timeout", "9"),
        ("suite", "--against", "'"),
    ],
)
def test_usage_errors(words: tuple[str, ...]) -> None:
    assert ringfen(*words).exit_code == 2


def suite(tmp_path: Path, *rows: object) -> str:
    file = tmp_path / "suite.jsonl"
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(file)


def test_suite(tmp_path: Path) -> None:
    file = suite(
        tmp_path,
        {"fen": SET_UP, "depth": 1, "count": 224, "comment": "# not one"},
        {"fen": "gyges", "depth": 2, "count": 8100},
    )
    result = ringfen("suite", file)
    assert result.exit_code == 0
    assert result.stdout == f"ok     depth 1: 224  {SET_UP}\nok     depth 2: 8,100  {EMPTY}\n2 right, 0 wrong\n"
    assert [row["ok"] for row in json_lines(ringfen("suite", file, "--json"))] == [True, True]


def test_a_wrong_count_is_status_1(tmp_path: Path) -> None:
    file = suite(tmp_path, {"fen": SET_UP, "depth": 1, "count": 225}, {"fen": SET_UP, "depth": 1, "count": 224})
    result = ringfen("suite", file)
    assert result.exit_code == 1
    assert f"WRONG  depth 1: counted 224, the suite says 225: {SET_UP} ({file}:1)\n" in result.stdout
    named = suite(tmp_path, {"name": "the setup", "fen": SET_UP, "depth": 1, "count": 225})
    wrong = f"WRONG  depth 1: counted 224, the suite says 225: {SET_UP} (the setup, {named}:1)\n"
    assert ringfen("suite", named).stdout == f"{wrong}0 right, 1 wrong\n"
    assert json_lines(ringfen("suite", named, "--json"))[0]["name"] == "the setup"
    file = suite(tmp_path, {"fen": SET_UP, "depth": 1, "count": 225}, {"fen": SET_UP, "depth": 1, "count": 224})
    assert json_lines(ringfen("suite", file, "--json"))[0] == {
        "line": 1,
        "fen": SET_UP,
        "depth": 1,
        "count": 225,
        "nodes": 224,
        "ok": False,
    }


def test_malformed_lines_of_a_suite_are_status_2_and_do_not_stop_it(tmp_path: Path) -> None:
    file = suite(
        tmp_path,
        "{",
        "[" * 100_000,
        '{"fen": "gyges", "depth": ' + "9" * 5000 + ', "count": 1}',
        [],
        {"fen": "gyges", "depth": 1},
        {"fen": "gyges", "depth": True, "count": 1},
        {"fen": "gyges", "depth": 1.0, "count": 90},
        {"fen": "gyges", "depth": 256, "count": 0},
        {"fen": "gyges x", "depth": 1, "count": 90},
        {"fen": "gyges", "depth": 1, "count": 91},
        {"fen": "gyges", "depth": 1, "count": 90},
    )
    result = ringfen("suite", file)
    assert result.exit_code == 2
    assert result.stdout.endswith("1 right, 1 wrong, 9 lines could not be read\n")
    errors = [line for line in result.stderr.splitlines() if line.startswith(file)]
    assert [int(line[len(file) + 1 :].split(":")[0]) for line in errors] == list(range(1, 10))
    assert errors[0].startswith(f"{file}:1:2: bad-suite: not JSON: expected a name in double quotes")
    assert errors[8].startswith(f"{file}:9:16: bad-ranks: ")


def test_max_nodes_skips_larger_counts(tmp_path: Path) -> None:
    file = suite(tmp_path, {"fen": SET_UP, "depth": 1, "count": 224}, {"fen": SET_UP, "depth": 2, "count": 57374})
    rows = json_lines(ringfen("suite", file, "--max-nodes", "1k", "--json"))
    assert [row["ok"] for row in rows] == [True, None]
    assert rows[1] == {"line": 2, "fen": SET_UP, "depth": 2, "count": 57374, "nodes": None, "ok": None}
    assert ringfen("suite", file, "--max-nodes", "224").stdout.endswith("1 right, 0 wrong, 1 skipped\n")


def test_suites_as_other_programs_write_them(tmp_path: Path) -> None:
    """Lines of depths and counts, JSON, comments, a byte order mark and any line ends in one file."""
    file = tmp_path / "suite.epd"
    rows = (
        f"# counts\n\n{SET_UP} ;D1 224 ;D2 57,374;\ngyges;d1 90 # a comment\n"
        + '{"fen": "gyges", "depth": 2, "count": 8100}\n'
    )
    for encoding, text in (("utf-8", rows), ("utf-8-sig", rows.replace("\n", "\r\n"))):
        file.write_bytes(text.encode(encoding))
        result = ringfen("suite", str(file), "--json")
        found = [(row["line"], row["depth"], row["nodes"], row["ok"]) for row in json_lines(result)]
        assert (result.exit_code, found) == (
            0,
            [(3, 1, 224, True), (3, 2, 57374, True), (4, 1, 90, True), (5, 2, 8100, True)],
        )
    for wrong in (f"{SET_UP} ;D1", f"{SET_UP} ;D1 x", f"{SET_UP} ;D999 1", f"{SET_UP} ;D1 22,4"):
        result = ringfen("suite", "-", "--json", stdin=wrong)
        (row,) = json_lines(result)
        assert (result.exit_code, row["line"], row["error"]["reason"]) == (2, 1, "bad-suite")


def test_the_installed_suites_by_game() -> None:
    rows = json_lines(ringfen("suite", "--game", "siaius", "--max-nodes", "100", "--json"))
    assert {row["fen"].split()[0] for row in rows} == {"siaius"}
    assert {row["ok"] for row in rows} == {True, None}
    assert (
        json_lines(ringfen("suite", "-", "--game", "rings", "--json", stdin="gyges ;D1 90\nrings ;D1 28\n"))[0]["line"]
        == 2
    )


def test_a_suite_against_a_program() -> None:
    command = f"{shlex.quote(sys.executable)} -m ringfen perft {{fen}} --depth {{depth}} --divide"
    counts = f"gyges ;D0 1 ;D1 90 ;D2 8100\n{SET_UP} ;D1 223\n"
    checked = ringfen("suite", "-", "--against", command, "--json", stdin=counts)
    assert [(row["line"], row["nodes"], row["ok"]) for row in json_lines(checked)] == [
        (1, 1, True),
        (1, 90, True),
        (1, 8100, True),
        (2, 224, False),
    ]
    assert checked.exit_code == 1
    failed = ringfen("suite", "-", "--against", "false {fen}", "--json", stdin=counts)
    assert failed.exit_code == 2
    assert [row.get("error", {}).get("reason") for row in json_lines(failed)] == [None, "failed", "failed", "failed"]
