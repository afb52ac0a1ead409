"""validate, fmt, convert, positions: output, exit status, files."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from cli_runner import json_lines, ringfen
from known_data import rows

from ringfen import Position, game_ids
from ringfen.notation import read_records

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "gyges-2001.rgn")
GOLDEN = (ROOT / "tests" / "golden" / "gyges.rgn").read_text(encoding="utf-8")

HEAD = '[Game "gyges"]\n[Event "?"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
GOOD = HEAD + "1. 321123 321123 2. a1-b3 c6-c5 *\n\n"
BAD = HEAD + "1. 321123 321123 2. a1-b2 *\n\n"
MALFORMED = rows("data/malformed_records.jsonl")


def file(folder: Path, text: str, name: str = "games.rgn") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


# ---- validate ----


def test_validate_the_example() -> None:
    result = ringfen("validate", EXAMPLE)
    assert (result.exit_code, result.stdout) == (0, f"{EXAMPLE}: 1 record, 12 plies: valid\n")
    assert json_lines(ringfen("validate", "--json", EXAMPLE)) == [
        {
            "file": EXAMPLE,
            "record": 1,
            "game": "gyges",
            "valid": True,
            "plies": 12,
            "outcome": None,
            "diagnostics": [],
        }
    ]


def test_validate_reports(tmp_path: Path) -> None:
    name = file(tmp_path, GOOD + BAD + GOOD.replace("2. a1", "3. a1"))
    result = ringfen("validate", name)
    assert result.exit_code == 1
    assert result.stdout == (
        f"{name}:17:21: illegal-ply: a1-b2 in record 2, ply 3: the 3-ring on a1 has no path to b2; "
        "if 1. 321123 were 231123 or 312123, the rest would be legal\n"
        "  1. 321123 321123 2. a1-b2 *\n"
        "                      ^~~~~\n"
        "  perhaps a1-b3 or a1-c2 or a1xb1-b2\n"
        f"{name}:26:18: wrong-number: 3. in record 3, ply 3: expected 2., "
        "unless plies are missing before it (warning)\n"
        "  1. 321123 321123 3. a1-b3 c6-c5 *\n"
        "                   ^~\n"
        "  perhaps 2.\n"
        f"{name}: 3 records, 10 plies, 1 error, 1 warning: 1 invalid\n"
    )


def test_validate_json(tmp_path: Path) -> None:
    result = ringfen("validate", "--json", file(tmp_path, GOOD + BAD))
    good, bad = json_lines(result)
    assert result.exit_code == 1
    assert (good["record"], good["valid"], good["plies"]) == (1, True, 4)
    assert (bad["record"], bad["valid"], bad["plies"]) == (2, False, 2)
    assert bad["diagnostics"] == [
        {
            "severity": "error",
            "code": "illegal-ply",
            "line": 17,
            "column": 21,
            "ply": 3,
            "message": "a1-b2: the 3-ring on a1 has no path to b2; "
            "if 1. 321123 were 231123 or 312123, the rest would be legal",
            "fen": "gyges 321123/....../....../....../....../321123 s - 1+1",
            "suggest": ["a1-b3", "a1-c2", "a1xb1-b2"],
        }
    ]


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["name"])
def test_validate_malformed_records(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "bad.rgn"
    path.write_bytes(row["text"].encode(row.get("encoding", "utf-8")))
    result = ringfen("validate", "--json", str(path))
    assert result.exit_code == 1
    found = [
        [one["code"], one["line"], one["column"], one["ply"]]
        for record in json_lines(result)
        for one in record["diagnostics"]
        if one["severity"] == "error"
    ]
    assert found == row["errors"]
    assert ringfen("validate", str(path)).exit_code == 1


def test_validate_standard_input() -> None:
    result = ringfen("validate", "-", stdin=GOOD)
    assert (result.exit_code, result.stdout) == (0, "<stdin>: 1 record, 4 plies: valid\n")


def test_validate_an_empty_file(tmp_path: Path) -> None:
    name = file(tmp_path, "")
    assert ringfen("validate", name).stdout == f"{name}: no records\n"
    words = "the file contains no records, which --strict does not accept"
    for options in ((), ("--json",), ("--errors-only",)):
        result = ringfen("validate", "--strict", *options, name)
        assert (result.exit_code, result.stderr) == (1, f"error: {name}: {words}\n")
    assert ringfen("validate", "--strict", str(tmp_path / "none")).exit_code == 2
    result = ringfen("validate", "--strict", "--format", "github", name)
    assert (result.exit_code, result.stdout.startswith(f"::error file={name}::{words}")) == (1, True)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing, good = str(tmp_path / "missing.rgn"), file(tmp_path, GOOD)
    for command in (["validate"], ["fmt"], ["convert", "--to", "rgn"], ["positions"]):
        result = ringfen(*command, missing, good)
        assert result.exit_code == 2
        assert result.stderr == f"error: {missing}: No such file or directory\n"
        assert result.stdout
    assert ringfen("validate", missing, file(tmp_path, BAD)).exit_code == 2
    assert ringfen("validate", str(tmp_path)).exit_code == 1  # a directory stands for its records


def test_usage() -> None:
    for args in (["validate"], ["fmt"], ["convert", EXAMPLE], ["positions"], ["fmt", "--write", "--check", EXAMPLE]):
        assert ringfen(*args).exit_code == 2
    assert ringfen("fmt", "--write", "-", stdin=GOOD).exit_code == 2


def test_too_long(tmp_path: Path) -> None:
    name = file(tmp_path, GOOD + HEAD + "{" + "long " * 300_000 + "} *\n\n" + GOOD)
    assert ringfen("validate", name).exit_code == 0
    result = ringfen("validate", "--json", "--max-record", "1", name)
    assert [[one["code"] for one in record["diagnostics"]] for record in json_lines(result)] == [[], ["too-long"], []]
    assert result.exit_code == 1


# ---- fmt ----


def test_fmt_the_example() -> None:
    assert ringfen("fmt", EXAMPLE).stdout == GOLDEN
    assert ringfen("fmt", "-", stdin=GOLDEN).stdout == GOLDEN


def test_fmt_keeps_and_drops_bounces(tmp_path: Path) -> None:
    assert "4. c1-d1-d2xe3-c3 b6xc5-f3" in GOLDEN
    short = ringfen("fmt", "--short", EXAMPLE)
    assert short.exit_code == 0
    assert "4. c1xe3-c3 b6xc5-f3" in short.stdout
    assert "d6-S) 0-1" in short.stdout
    assert ringfen("fmt", "--short", "-", stdin=short.stdout).stdout == short.stdout


def test_fmt_check_and_diff(tmp_path: Path) -> None:
    tidy, untidy = file(tmp_path, GOOD), file(tmp_path, GOOD + "\n", "untidy.rgn")
    assert (ringfen("fmt", "--check", tidy).exit_code, ringfen("fmt", "--check", tidy).stdout) == (0, "")
    result = ringfen("fmt", "--check", tidy, untidy)
    assert (result.exit_code, result.stdout) == (1, f"{untidy}\n")
    result = ringfen("fmt", "--diff", tidy, untidy)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"--- {untidy}\n+++ {untidy} (formatted)\n@@ ")
    assert result.stdout.endswith("-\n")
    assert ringfen("fmt", "--diff", "--check", untidy).exit_code == 1
    assert Path(untidy).read_text() == GOOD + "\n"


def test_fmt_write(tmp_path: Path) -> None:
    name = file(tmp_path, "\ufeff% dropped\r\n" + GOOD.replace("\n", "\r\n").replace("1. ", ""))
    os.chmod(name, 0o640)
    link = tmp_path / "link.rgn"
    link.symlink_to(name)
    result = ringfen("fmt", "--write", str(link))
    assert (result.exit_code, result.output) == (0, "")
    assert Path(name).read_bytes() == GOOD.encode()
    assert link.is_symlink()
    assert stat.S_IMODE(os.stat(name).st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.rgn", "link.rgn"]
    before = os.stat(name).st_mtime_ns
    assert ringfen("fmt", "--write", name).exit_code == 0
    assert os.stat(name).st_mtime_ns == before


def test_fmt_keeps_numbers_that_show_a_lost_round() -> None:
    lost = HEAD + "1. 321123 321123\n3. a1-b3 c6-c5 4. b1-c2 d6-d5 *\n\n"
    slip = HEAD + "1. 321123 321123\n4. a1-b3 c6-c5 3. b1-c2 d6-d5 *\n\n"
    result = ringfen("fmt", "-", stdin=lost.rstrip() + "\n\n\n" + slip)
    tidy = HEAD + "1. 321123 321123 2. a1-b3 c6-c5 3. b1-c2 d6-d5 *\n\n"
    assert (result.exit_code, result.stdout) == (0, lost + tidy)
    assert "<stdin>:9:1: wrong-number: 3. in record 1, ply 3:" in result.stderr
    assert "record 2" not in result.stderr
    assert ringfen("fmt", "-", stdin=result.stdout).stdout == result.stdout


def test_fmt_does_not_change_a_file_with_an_invalid_record(tmp_path: Path) -> None:
    text = GOOD.replace("1. ", "") + BAD
    bad, good = file(tmp_path, text), file(tmp_path, GOOD.replace("1. ", ""), "good.rgn")
    result = ringfen("fmt", bad, good)
    assert (result.exit_code, result.stdout) == (1, GOOD)
    assert f"{bad}:17:21: illegal-ply: a1-b2 in record 2, ply 3:" in result.stderr
    assert ringfen("fmt", "--write", bad, good).exit_code == 1
    assert Path(bad).read_text() == text
    assert Path(good).read_text() == GOOD


# ---- convert ----


def test_convert_there_and_back(tmp_path: Path) -> None:
    as_json = ringfen("convert", EXAMPLE, "--to", "jsonl").stdout
    name = file(tmp_path, as_json, "games.jsonl")
    assert ringfen("convert", name, "--to", "rgn").stdout == GOLDEN
    assert ringfen("convert", "-", "--to", "rgn", stdin=as_json).stdout == GOLDEN
    assert ringfen("convert", name, "--to", "jsonl").stdout == as_json
    assert json_lines(ringfen("validate", "--json", name))[0]["plies"] == 12


@pytest.mark.parametrize("begin", ["", "\ufeff", "\n  \t", '{"tags": 1}\n', '\t{ "x"\t: 1}\n'])
def test_standard_input_that_begins_like_an_object_is_json(begin: str) -> None:
    as_json = ringfen("convert", EXAMPLE, "--to", "jsonl").stdout
    rows = json_lines(ringfen("validate", "--json", "-", stdin=begin + as_json))
    diagnostics = [diagnostic for row in rows for diagnostic in row["diagnostics"]]
    found = [diagnostic["code"] for diagnostic in diagnostics if diagnostic["severity"] == "error"]
    bad = int("{" in begin)
    assert (len(rows), found) == (1 + bad, ["bad-json"] * bad)


@pytest.mark.parametrize("comment", ["{by A}", "{}", '{"A" against B}', '{"A", "B": both}', '{say "A": B}', "{\n(1)}"])
def test_standard_input_that_begins_with_a_comment_is_text(comment: str) -> None:
    """A comment before the first tags belongs to the record after it."""
    rows = json_lines(ringfen("validate", "--json", "-", stdin=f"{comment}\n{GOOD}"))
    assert [row["valid"] for row in rows] == [True]


@pytest.mark.parametrize(
    ("cell", "is_formula"),
    [
        *((cell, True) for cell in ("=1+1", "@sum", "+a1", "-a1", "\t=1")),
        *((cell, False) for cell in ("-", "-1", "+2.5", "1-0", "", "A=1")),
    ],
)
def test_csv_warns_of_formulas_and_keeps_them(cell: str, *, is_formula: bool) -> None:
    record = GOOD.replace("[", f'[Round "{cell}"]\n[', 1)
    result = ringfen("convert", "-", "--to", "csv", stdin=record)
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert (result.exit_code, row["round"]) == (0, cell)
    warning = "warning: 1 cell may run as a formula in a spreadsheet: import them as text\n"
    assert result.stderr == (warning if is_formula else "")


def test_convert_to_csv() -> None:
    result = ringfen("convert", EXAMPLE, "-", "--to", "csv", stdin=GOOD)
    first, second = csv.DictReader(io.StringIO(result.stdout))
    assert (first["south"], first["north"]) == tuple(first["players"].split(" / "))
    assert (first["player1"], first["player6"]) == ("", "")
    many = '[Game "gran"]\n[Player1 "A"]\n[Player2 "B"]\n[Player3 "C, D"]\n\n*\n'
    (row,) = csv.DictReader(io.StringIO(ringfen("convert", "-", "--to", "csv", stdin=many).stdout))
    assert [row[f"player{number}"] for number in range(1, 7)] == ["A", "B", "C, D", "", "", ""]
    assert first["file"] == EXAMPLE
    assert (first["game"], first["date"], first["result"], first["plies"]) == ("gyges", "2001.04.18", "0-1", "12")
    assert first["start"] == Position("gyges").fen
    assert json.loads(first["tags"])["Source"].startswith("J. Zago")
    assert (second["players"], second["movetext"]) == ("A / B", "1. 321123 321123 2. a1-b3 c6-c5 *")


def test_convert_omits_invalid_records(tmp_path: Path) -> None:
    result = ringfen("convert", file(tmp_path, GOOD + BAD + GOOD), "--to", "rgn")
    assert (result.exit_code, result.stdout) == (1, GOOD + GOOD)
    assert "illegal-ply" in result.stderr


# ---- positions ----


def test_positions(tmp_path: Path) -> None:
    name = file(tmp_path, GOOD + BAD + GOOD)
    fens = [Position("gyges").fen]
    for ply in ("321123", "321123", "a1-b3", "c6-c5"):
        fens.append(Position(fens[-1]).apply(ply).fen)

    def lines(*options: str) -> list[str]:
        result = ringfen("positions", name, *options)
        assert result.exit_code == 1
        assert "illegal-ply" in result.stderr
        return result.stdout.splitlines()

    assert lines() == [fens[4]] * 2
    assert lines("--last", "--unique") == [fens[4]]
    assert lines("--every") == fens * 2
    assert lines("--every", "--unique") == fens
    assert lines("--ply", "0") == [fens[0]] * 2
    assert lines("--ply", "3", "--last", "--unique") == [fens[3], fens[4]]
    assert lines("--ply", "5") == []
    result = ringfen("positions", "--json", "--ply", "1", name)
    assert json_lines(result) == [
        {"fen": fens[1], "file": name, "record": 1, "ply": 1},
        {"fen": fens[1], "file": name, "record": 3, "ply": 1},
    ]


# ---- random games of every game ----


@pytest.mark.parametrize("game", game_ids())
def test_random_games_go_all_the_way(game: str, tmp_path: Path) -> None:
    games = ringfen("random", game, "--games", "5", "--seed", "11", "--max-plies", "80").stdout
    name = file(tmp_path, games)
    assert ringfen("validate", name).exit_code == 0
    tidy = ringfen("fmt", name).stdout
    path = file(tmp_path, tidy, "tidy.rgn")
    assert ringfen("fmt", "--check", path).exit_code == 0
    codes = {one.code for record in read_records(path) for one in record.diagnostics}
    assert codes <= {"null-move"}
    assert list(read_records(path)) == list(read_records(name))
    as_json = ringfen("convert", path, "--to", "jsonl").stdout
    assert ringfen("convert", "-", "--to", "rgn", stdin=as_json).stdout == tidy
    for line in ringfen("positions", "--every", path).stdout.splitlines():
        assert Position(line).fen == line


@pytest.mark.parametrize(
    ("date", "words"),
    [
        *((date, "a date is YYYY.MM.DD, such as") for date in ("12.3.1998", "Frühjahr 1998", "1998-02-30")),
        *((date, "the calendar has no such day") for date in ("1998.02.30", "2026.13.14", "2026.13", "0000.01.01")),
    ],
)
def test_validate_warns_of_dates_of_another_form_and_of_impossible_ones(date: str, words: str) -> None:
    tags = f'[Game "gyges"]\n[Event "?"]\n[Date "{date}"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n*\n'
    (record,) = json_lines(ringfen("validate", "--json", "-", stdin=tags))
    (found,) = record["diagnostics"]
    assert record["valid"] is True
    assert [found[name] for name in ("code", "severity", "line", "column")] == ["bad-date", "warning", 3, 8]
    assert found["message"].startswith(f"Date {date}: {words}")


def test_several_files_have_totals(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.rgn", tmp_path / "bad.rgn"
    good.write_text('[Game "siaius"]\n[Result "*"]\n\n1. a3-a4 *\n' * 2)
    bad.write_text('[Game "siaius"]\n[Result "*"]\n\n1. a3-a9 *\n')
    ignored = [word for code in ("missing-tag",) for word in ("--ignore", code)]
    assert ringfen("validate", str(good), *ignored).stdout.count("\n") == 1
    result = ringfen("validate", str(good), str(bad), str(good), *ignored)
    assert result.exit_code == 1
    assert result.stdout.endswith("3 files: 5 records, 4 plies, 1 error: 1 invalid\n")
    assert "files:" not in ringfen("validate", str(good), str(good), "--errors-only").stdout
    assert "files:" not in ringfen("validate", str(good), str(good), "--json").stdout
