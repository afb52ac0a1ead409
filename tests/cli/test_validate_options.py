"""The options of ``validate``, and directories and compressed files as input."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

HEAD = '[Game "gyges"]\n[Event "?"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
GOOD = HEAD + "1. 321123 321123 *\n\n"
WARNED = HEAD + "1. 321123 321123 3. a1-b3 *\n\n"
BAD = HEAD + "1. 321123 321123 2. b1–b3 *\n\n"


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.rgn"
    path.write_text(GOOD + WARNED + BAD, encoding="utf-8")
    return str(path)


def test_suggestions_and_boards(games: str) -> None:
    result = ringfen("validate", "--show", games)
    assert "b1–b3 contains – (U+2013 EN DASH) instead of -" in result.stdout
    assert "  perhaps b1-b3" in result.stdout
    assert ringfen("show", "gyges 321123/....../....../....../....../321123 s - 1+1").stdout.strip() in result.stdout
    found = json_lines(ringfen("validate", "--json", games))[2]["diagnostics"][0]
    assert found["fen"] == "gyges 321123/....../....../....../....../321123 s - 1+1"
    assert found["suggest"][0] == "b1-b3"


def test_strict_ignore_and_errors_only(games: str) -> None:
    def valid(*options: str) -> list[bool]:
        return [line["valid"] for line in json_lines(ringfen("validate", "--json", *options, games))]

    assert valid() == [True, True, False]
    assert valid("--strict") == [True, False, False]
    assert valid("--strict", "--ignore", "wrong-number") == [True, True, False]
    assert valid("--errors-only") == [False]
    assert ringfen("validate", "--ignore", "illegal-ply", games).exit_code == 2
    assert ringfen("validate", "--ignore", "nonsense", games).exit_code == 2


def test_workflow_commands(games: str) -> None:
    result = ringfen("validate", "--format", "github", games)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::warning", "::error"]
    assert "line=26,col=21,title=bad-ply::b1–b3: " in lines[1]
    assert ringfen("validate", "--format", "github", "--json", games).exit_code == 2


def test_directories_and_compressed_files(games: str) -> None:
    folder = Path(games).parent
    (folder / "a.rgn.gz").write_bytes(gzip.compress(GOOD.encode()))
    (folder / "notes.txt").write_text("no record")
    lines = json_lines(ringfen("validate", "--json", str(folder)))
    assert [Path(line["file"]).name for line in lines] == ["a.rgn.gz", *["games.rgn"] * 3]
    (folder / "b.rgn.gz").write_bytes(gzip.compress(GOOD.encode())[:-12])
    assert ringfen("validate", str(folder / "b.rgn.gz")).exit_code == 2


def test_fmt_takes_directories_and_compressed_files(games: str) -> None:
    folder = Path(games).parent
    Path(games).write_text(GOOD, encoding="utf-8")
    packed = folder / "z.rgn.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    assert ringfen("fmt", str(folder)).stdout == GOOD * 2
    assert ringfen("fmt", "--check", str(folder)).exit_code == 0
    assert ringfen("fmt", "--write", str(packed)).exit_code == 2
    assert gzip.decompress(packed.read_bytes()) == GOOD.encode()


def test_files_without_records_are_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.rgn"
    empty.write_bytes(b"")
    result = ringfen("validate", str(empty))
    assert (result.exit_code, result.stdout) == (0, f"{empty}: no records\n")
    result = ringfen("convert", "--to", "jsonl", str(empty))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"note: {empty} contains no records\n")
    position = "gyges 321123/....../....../....../....../321123 s - 1+1"
    result = ringfen("validate", "--json", "-", stdin=position)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "this is a file of positions, not a file of game records" in result.stderr
    utf_16 = HEAD.encode("utf-16") + "1. 321123 *".encode("utf-16-le")
    assert "seems to be UTF-16" in ringfen("validate", "-", stdin=utf_16).stdout
    latin = HEAD.replace('"A"', '"Andr\xe9"').encode("latin-1") + b"1. 321123 *"
    assert "in windows-1252 it would be \xe9" in ringfen("validate", "-", stdin=latin).stdout
    other = ringfen("validate", "-", stdin='[Game "gyges"]\n[White "A"]\n\n1. 321123 *').stdout
    assert "the players are South and North here, not White and Black" in other


def test_a_similar_code_is_suggested(games: str) -> None:
    for command, option in (("validate", "--ignore"), ("filter", "--code")):
        result = ringfen(command, option, "Wrong_number", games)
        assert result.exit_code == 2
        assert "'Wrong_number'" in result.stderr
        assert result.stderr.endswith(" Did you mean wrong-number?\n")
