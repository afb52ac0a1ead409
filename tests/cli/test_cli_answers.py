"""answers: what solve wrote, counted, as a table, chosen and joined; solve --retry."""

from __future__ import annotations

import csv
import json
from io import StringIO
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from cli_runner import json_lines, ringfen

from ringfen.batch.answers import checksum, is_better

FENS = [
    "siaius c2/3/3/2C/3 n - - 0",
    "siaius 5t4/10/10/10/10/S9/10/10/10/10 s - - 0",
    "rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0",
    "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight",
    "siaius c2/3/3/2C/3 n - - 0",
]


@pytest.fixture
def positions(tmp_path: Path) -> Path:
    path = tmp_path / "positions.txt"
    path.write_text("\n".join(FENS) + "\n", encoding="utf-8")
    return path


def solved(positions: Path, out: Path, *options: str) -> int:
    return ringfen("solve", "--file", str(positions), "--out", str(out), "-q", *options).exit_code


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_retry_keeps_exact_answers_and_improves_the_rest(positions: Path, tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    assert solved(positions, out, "--nodes", "20000") == 3
    before = {row["line"]: row for row in rows(out)}
    assert {row["status"] for row in before.values()} == {"exact", "unknown", "horizon"}
    assert solved(positions, out, "--resume", "--retry", "unknown,bound") == 0
    assert solved(positions, whole) == 0
    after, wanted = ({row["line"]: row for row in rows(path)} for path in (out, whole))
    assert sorted(after) == [1, 2, 3, 4, 5]
    for line, row in after.items():
        if before[line]["status"] == "unknown":
            assert row | {"seconds": 0} == wanted[line] | {"seconds": 0}
        else:
            assert row == before[line]
    # The file is complete with any of the limits that it contains; other limits are rejected.
    content = out.read_bytes()
    assert solved(positions, out, "--resume") == solved(positions, out, "--resume", "--nodes", "20000") == 0
    assert solved(positions, out, "--resume", "--nodes", "7") == 2
    assert out.read_bytes() == content
    assert solved(positions, out, "--resume", "--retry", "unknown", "--depth", "3") == 2
    assert not (tmp_path / "out.dropped").exists()


def test_a_retry_that_is_no_better_changes_nothing(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out, "--nodes", "20000")
    before = out.read_bytes()
    assert solved(positions, out, "--resume", "--retry", "unknown", "--nodes", "10") == 3
    assert out.read_bytes() == before


def test_the_summary_of_a_retry(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("solve", "--file", str(positions), "--out", str(out), "--json", "-q")
    (first,) = json_lines(ringfen(*arguments, "--nodes", "20000"))
    assert "retried" not in first
    (again,) = json_lines(ringfen(*arguments, "--resume", "--retry", "unknown", "--nodes", "10"))
    assert (again["retried"], again["improved"]) == (first["unknown"], 0)
    (better,) = json_lines(ringfen(*arguments, "--resume", "--retry", "unknown"))
    assert better["retried"] == better["improved"] == first["unknown"] > 0


def test_a_retry_that_was_killed_loses_nothing(positions: Path, tmp_path: Path) -> None:
    out, better = tmp_path / "out", tmp_path / "better"
    solved(positions, out, "--nodes", "20000")
    solved(positions, better)
    first, second = out.read_bytes(), better.read_bytes()
    # The better answer follows the one that it replaces until the file is closed or resumed.
    out.write_bytes(first + second[: len(second) - 5])
    assert solved(positions, out, "--resume", "--retry", "unknown") == 0
    assert sorted(row["line"] for row in rows(out)) == [1, 2, 3, 4, 5]
    assert {row["status"] for row in rows(out)} == {"exact", "horizon"}


def test_usage_errors(positions: Path, tmp_path: Path) -> None:
    for args in (
        ("solve", "--file", str(positions), "--retry", "unknown"),
        ("solve", "--file", str(positions), "--out", "x", "--resume", "--retry", "exact"),
        ("answers",),
        ("answers", "x", "--select", "great"),
        ("answers", "x", "--csv", "--json"),
        ("answers", "/dev/null", "--summary", "--merge"),
        ("answers", "/dev/null", "--csv", "--merge"),
        ("answers", "x", "--out", str(tmp_path / "y")),
        ("answers", str(tmp_path / "missing")),
    ):
        assert ringfen(*args).exit_code == 2


def test_another_file(positions: Path, tmp_path: Path) -> None:
    """One message names its kind and the commands that read it; the other files are read."""
    out, foreign = tmp_path / "out", tmp_path / "foreign"
    message = (
        f"error: {foreign}: this is a file of positions, not a file of answers; "
        "'ringfen show --file' and 'ringfen solve --file' read it\n"
    )
    solved(positions, out, "--nodes", "20000")
    for content in ("gyges\nrings\n", "rings\n" * 1000):
        foreign.write_text(content)
        result = ringfen("answers", str(foreign), str(out), "--json")
        assert (result.exit_code, result.stderr) == (2, message)
        assert json_lines(result)[0]["answers"] == 5
    kept = out.read_bytes()
    for form in ((), ("--json",), ("--csv",), ("--merge",), ("--merge", "--out", str(out))):
        alone = ringfen("answers", str(foreign), *form)
        assert (alone.exit_code, alone.stdout) == (2, "")
        assert alone.stderr == message
    assert out.read_bytes() == kept
    foreign.write_bytes(b"corrupt\n" + out.read_bytes())
    result = ringfen("answers", str(foreign), "--json")
    assert (result.exit_code, json_lines(result)[0]["corrupt"]) == (1, 1)
    assert result.stderr == f"error: line 1 of {foreign} is incomplete or corrupt\n"


def test_a_summary(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out, "--nodes", "20000")
    (row,) = json_lines(ringfen("answers", str(out), "--json"))
    slowest = row.pop("slowest")
    assert row == {
        **{"answers": 5, "different": 4, "solved": 4, "draw": 2, "margin above 0": 1, "probabilities": 1},
        **{"bounds": 0, "unknown": 1, "corrupt": 0},
    }
    assert len(slowest) == 3
    assert ["unknown", "1"] in [line.split() for line in ringfen("answers", str(out)).stdout.splitlines()]


def test_a_table(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out, "--nodes", "20000")
    result = ringfen("answers", str(out), "--csv")
    table = list(csv.DictReader(StringIO(result.stdout)))
    drops = sum(name in ("best", "pv") and cell[:1] in ("=", "@") for row in table for name, cell in row.items())
    assert ("may run as a formula" in result.stderr) == (drops > 0)
    for found, row in zip(table, rows(out), strict=True):
        for name, cell in found.items():
            value = row[name]
            if isinstance(value, list):
                assert cell == " ".join(value)
            elif isinstance(value, bool) or value is None:
                assert cell == {True: "true", False: "false", None: ""}[value]
            else:
                assert cell == str(value)


def test_positions_of_some_status_are_input_for_another_run(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out, "--nodes", "20000")
    result = ringfen("answers", str(out), "--select", "unknown,bound")
    assert result.stdout.splitlines() == [FENS[1]]
    assert json_lines(ringfen("answers", str(out), "--select", "unknown", "--json")) == [{"fen": FENS[1]}]
    again = tmp_path / "again"
    again.write_text(result.stdout, encoding="utf-8")
    assert solved(again, tmp_path / "more") == 0
    merged = tmp_path / "merged"
    assert ringfen("answers", str(out), str(tmp_path / "more"), "--merge", "--out", str(merged)).exit_code == 0
    assert [(row["line"], row["fen"]) for row in rows(merged)] == list(enumerate(FENS[:4], 1))
    assert {row["status"] for row in rows(merged)} == {"exact", "horizon"}
    # It is an answer file: what it answers is not solved again.
    fens = tmp_path / "fens"
    fens.write_text(ringfen("answers", str(merged), "--select", "exact,horizon").stdout, encoding="utf-8")
    content = merged.read_bytes()
    assert solved(fens, merged, "--resume") == 0
    assert merged.read_bytes() == content


def test_old_and_bare_lines_are_read_and_others_reported(tmp_path: Path) -> None:
    old = {
        "line": 3,
        "fen": FENS[0],
        "game": "siaius",
        "status": "exact",
        "value": "draw",
        "distance": None,
        "best": [],
    }
    old |= {"nodes": 1, "seconds": 0.5, "options": {}}
    old["check"] = checksum(old)
    bare = ringfen("solve", "--json", FENS[2]).stdout
    path = tmp_path / "old"
    path.write_text(json.dumps(old) + "\n" + bare + '{"line": 1}\n[' + json.dumps(old)[:50] + "\n", encoding="utf-8")
    result = ringfen("answers", str(path), "--merge")
    assert result.exit_code == 1
    assert [row["fen"] for row in json_lines(result)] == [FENS[0], FENS[2]]
    assert list(json_lines(result)[0])[1:-2] == list(json.loads(bare))
    assert f"line 3 of {path} is not an answer" in result.stderr
    assert f"line 4 of {path} is incomplete or corrupt" in result.stderr


@pytest.mark.parametrize("form", ["--summary", "--csv", "--merge", "--select"])
def test_a_text_that_cannot_be_written(form: str, tmp_path: Path) -> None:
    path = tmp_path / "half"
    row = '{"fen":"%s","game":"gyges","status":"unknown","value":null,"nodes":1,"seconds":0.1}\n'
    path.write_text(row % "\\ud800" + row % "gyges", encoding="ascii")
    result = ringfen("answers", str(path), *([form, "unknown"] if form == "--select" else [form]))
    assert result.exit_code == 1
    assert f"line 1 of {path} has half of a surrogate pair, which is not a character" in result.stderr
    assert "gyges" in result.stdout or form == "--summary"


def answer(status: str, value: object = None, **fields: Any) -> dict[str, Any]:
    return {"status": status, "value": value, **fields}


def test_the_order_of_answers() -> None:
    best_first = [
        answer("exact", "win", distance=7, best_complete=True),
        answer("exact", "win", distance=7, best_complete=False),
        answer("exact", "win", distance=None, best_complete=True),
        answer("bound", "win", lower=3, upper=9),
        answer("bound", "win", lower=3, upper=11),
        answer("bound", lower="1/3", upper="1/2"),
        answer("bound", lower=-3, upper=4),
        answer("bound", lower=None, upper=4),
        answer("bound"),
        answer("horizon", ["1/2", "0"]),
        answer("unknown", decided=7),
        answer("unknown", decided=3),
        answer("unknown"),
    ]
    for (i, one), (j, other) in permutations(enumerate(best_first), 2):
        assert is_better(one, other) == (i < j)
    assert not any(is_better(one, one) for one in best_first)


# ---- hostile lines ----

SHOWN_BADLY = ["rings\nsecond", "rings\x1b[31m", "rings\x07", "rings\x9b2J", "rings\u2028second", "rings\u202e"]


def an_answer(**fields: object) -> str:
    row = {"line": 1, "fen": "rings", "game": "rings", "status": "exact", "value": "win", "nodes": 1, "seconds": 0.5}
    row |= {"options": {}, **fields}
    return json.dumps(row | {"check": checksum(row)})


@pytest.mark.parametrize("text", SHOWN_BADLY)
@pytest.mark.parametrize("name", ["fen", "game", "note", "model", "version", "best", "pv"])
def test_text_that_a_terminal_cannot_show_is_not_an_answer(name: str, text: str, tmp_path: Path) -> None:
    """One line of output stands for one answer, and none controls the terminal."""
    file = tmp_path / "a.jsonl"
    file.write_text(an_answer(**{name: [text] if name in ("best", "pv") else text}) + "\n" + an_answer() + "\n")
    for options in ([], ["--csv"], ["--merge"], ["--select", "exact"], ["--select", "exact", "--json"]):
        result = ringfen("answers", str(file), *options)
        assert result.exit_code == 1
        assert result.stderr == f"error: line 1 of {file} has no valid {name}\n"
        assert all(line.isprintable() for line in result.stdout.split("\n"))


@pytest.mark.parametrize("form", ["--summary", "--csv", "--merge", "--json"])
def test_the_last_line_needs_no_line_end(form: str, tmp_path: Path) -> None:
    answers, cut = tmp_path / "a.jsonl", tmp_path / "cut.jsonl"
    answers.write_text(f"{an_answer()}\n")
    for length, status in ((-1, 0), (-2, 1)):
        cut.write_bytes(answers.read_bytes()[:length])
        result = ringfen("answers", str(cut), form)
        assert result.exit_code == status
        assert (result.stdout == ringfen("answers", str(answers), form).stdout) == (status == 0)


@pytest.mark.parametrize("depth", [100, 101, *range(940, 1000, 5), 100_000])
def test_brackets_within_brackets(depth: int, tmp_path: Path) -> None:
    """JSON that is nested deeply is an error as any other, however deep."""
    deep = "[" * depth + "]" * depth
    answers, suite, records = tmp_path / "a.jsonl", tmp_path / "s.jsonl", tmp_path / "r.jsonl"
    line = an_answer().replace('"options": {}', f'"options": {{"x": {deep}}}')
    answers.write_text(f"{an_answer()}\n{line}\n")
    suite.write_text(f'{{"fen": "rings", "depth": 1, "count": 28, "x": {deep}}}\n')
    records.write_text(f'{{"tags": {{"Game": "rings"}}, "movetext": [{deep}], "result": "*"}}\n')
    result = ringfen("answers", str(answers))
    assert result.exit_code == 1
    assert result.stderr == f"error: line 2 of {answers} is incomplete or corrupt\n"
    assert ringfen("solve", "rings", "--nodes", "1", "--out", str(answers), "--resume", "-q").exit_code == 2
    assert ringfen("perft", "rings", "--depth", "1", "--out", str(answers), "--resume", "-q").exit_code == 2
    assert ringfen("suite", str(suite)).exit_code == (0 if depth < 100 else 2)
    result = ringfen("validate", str(records))
    assert result.exit_code == 1
    assert "bad-json" in result.stdout + result.stderr


def test_an_answer_of_gran_in_which_every_game_is_open_is_not_solved(tmp_path: Path) -> None:
    file, out = tmp_path / "positions.txt", tmp_path / "out"
    file.write_text(f"gran\n{FENS[3]}\n{FENS[0]}\n")
    assert ringfen("solve", "--file", str(file), "--out", str(out), "-q", "--depth", "2").exit_code in (0, 3)
    assert rows(out)[0]["open"] == "1"
    (summary,) = json_lines(ringfen("answers", str(out), "--json"))
    assert summary["all open"] == 1
    assert summary["answers"] == summary["solved"] + summary["all open"] + summary["bounds"] + summary["unknown"] == 3


def test_a_summary_of_several_games_has_a_table_by_game(positions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out, "--nodes", "20000")
    text = ringfen("answers", str(out)).stdout
    table = [line.split() for line in text.partition("\n\n")[2].splitlines()]
    assert table[0][:3] == ["game", "answers", "solved"]
    assert [line[:3] for line in table[2:]] == [["gran", "1", "1"], ["rings", "1", "1"], ["siaius", "3", "2"]]
    only = tmp_path / "only"
    only.write_text("".join(line for line in out.read_text().splitlines(keepends=True) if '"siaius"' in line))
    assert "\n\n" not in ringfen("answers", str(only)).stdout


def test_no_warning_of_formulas_under_quiet(tmp_path: Path, positions: Path) -> None:
    out = tmp_path / "out"
    solved(positions, out)
    row = rows(out)[0] | {"note": "=1+1"}
    row["check"] = checksum(row)
    out.write_text(json.dumps(row) + "\n")
    assert "may run as a formula" in ringfen("answers", str(out), "--csv").stderr
    assert ringfen("answers", str(out), "--csv", "-q").stderr == ""


@pytest.mark.parametrize("name", ["link.jsonl", "./link.jsonl"])
def test_messages_about_an_answer_file_name_it_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    answers = tmp_path / "real" / "answers.jsonl"
    (tmp_path / "link.jsonl").symlink_to(answers)
    solve = ["solve", "siaius 2m/2C/3/3/3/2T/3 s - - 0 huff=off", "--depth", "1", "--out"]

    def error(*args: str) -> str:
        return ringfen(*args).stderr

    answers.write_text("no answer\n")
    assert error(*solve, name).startswith(f"error: {name} exists: ")
    assert error(*solve, name, "--resume") == f"error: {name} is not an answer file\n"
    answers.write_text('{"fen": 1}\n')
    assert error(*solve, name, "--resume").startswith(f"error: line 1 of {name} is not an answer;")
    answers.unlink()
    assert error(*solve, name).count("error") == 0
    assert error(*solve, name, "--resume", "--depth", "2").startswith(f"error: {name} was started with other options ")
    assert error("solve", "rings", "--out", name, "--resume").startswith(f"error: {name} belongs to another input: ")
    for shown, dropped in ((name, str(answers)), ("real/answers.jsonl", "real/answers.jsonl")):
        answers.write_bytes(answers.read_bytes() + b'{"half')
        words = f"1 incomplete or corrupt line of {shown} moved to {dropped}.dropped"
        assert words in error(*solve, shown, "--resume")
