"""Named pipes and directories in the place of files that the program finds by itself: nothing waits for them."""

from __future__ import annotations

import faulthandler
import gzip
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen
from click.testing import Result

BOARD = ("siaius", "--size", "3x3")
POSITION = "siaius 3/1t1/1M1 s - - 0"
ROOT = Path(__file__).parents[2]
RECORD = '[Game "rings"]\n\n*\n'


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    """Ends the process: nothing else ends one that waits for a pipe."""
    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """The folder of the board's tables, with all those of two stones."""
    assert build(tmp_path).exit_code == 0
    return tmp_path / "siaius-3x3-turn"


def build(directory: Path, *more: str) -> Result:
    return ringfen("tablebase", "build", *BOARD, "--stones", "2", "--directory", str(directory), "-q", *more)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_in_the_place_of_a_checkpoint(tables: Path, make: Callable[[Path], None]) -> None:
    """It is set aside as any checkpoint that cannot be used, also a second time."""
    for name in ("SvS.checkpoint.refused", "SvS.checkpoint.refused-2"):
        (tables / "SvS.rft").unlink()
        make(tables / "SvS.checkpoint")
        result = build(tables.parent)
        assert result.exit_code == 0
        assert "this is not a regular file" in result.stderr
        assert not (tables / "SvS.checkpoint").exists()
        if make is os.mkfifo:
            continue
        assert (tables / name).is_dir()


@pytest.mark.parametrize("target", ["nothing", "SvS.checkpoint"])
def test_a_link_to_nothing_or_itself_is_no_checkpoint(tables: Path, target: str) -> None:
    (tables / "SvS.rft").unlink()
    (tables / "SvS.checkpoint").symlink_to(target)
    result = build(tables.parent)
    assert result.exit_code == 0
    assert "renamed to SvS.checkpoint.refused" in result.stderr
    assert (tables / "SvS.checkpoint.refused").is_symlink()


def test_a_directory_is_no_checkpoint_of_an_existing_class(tables: Path) -> None:
    (tables / "SvS.checkpoint").mkdir()
    assert build(tables.parent).exit_code == 0


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_in_the_place_of_a_table(tables: Path, make: Callable[[Path], None]) -> None:
    table = tables / "SvS.rft"
    table.unlink()
    make(table)
    directory = ("--directory", str(tables.parent))
    verified = json_lines(ringfen("tablebase", "verify", "--json", *directory))
    assert [line["message"] for line in verified if not line["ok"]] == ["this is not a regular file"]
    listed = ringfen("tablebase", "list", "--json", *directory)
    assert (listed.exit_code, len(json_lines(listed))) == (1, len(verified) - 1)
    reason = f"{table}: this is not a regular file"
    for result in (build(tables.parent), ringfen("solve", POSITION, RINGFEN_TABLES=str(tables.parent))):
        assert result.exit_code == 1
        assert reason in result.stderr
        assert "\nmove or remove that file; run 'ringfen tablebase build' to build a table" in result.stderr


def test_a_link_to_a_table_is_one(tables: Path, tmp_path: Path) -> None:
    (tables / "SvS.rft").rename(tmp_path / "elsewhere")
    (tables / "SvS.rft").symlink_to(tmp_path / "elsewhere")
    assert ringfen("tablebase", "verify", "--directory", str(tmp_path)).exit_code == 0


@pytest.mark.parametrize("name", ["a.rgn", "a.rgn.gz"])
def test_among_records(tmp_path: Path, name: str) -> None:
    (tmp_path / "b.rgn").write_text(RECORD)
    os.mkfifo(tmp_path / name)
    for command in (["validate"], ["fix"], ["fmt"], ["stats"], ["filter"]):
        result = ringfen(*command, str(tmp_path))
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {tmp_path / name}: this is not a regular file\n")


def test_among_outputs_that_are_named_by_number(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.svg")
    assert ringfen("show", POSITION, "--out-dir", str(tmp_path)).exit_code == 2
    os.mkfifo(tmp_path / "000001.cert")
    for more in ((), ("--resume",)):
        assert ringfen("prove", POSITION, "--out-dir", str(tmp_path), *more).exit_code == 2
    (tmp_path / "b.rgn").write_text(RECORD)
    os.mkfifo(tmp_path / "rings.rgn")
    assert ringfen("filter", str(tmp_path / "b.rgn"), "--out-dir", str(tmp_path), "--by", "game").exit_code == 2


def test_beside_a_file_of_answers(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arguments = ("solve", POSITION, "--out", str(out), "--depth", "1")
    ringfen(*arguments)
    before = out.read_bytes() + b'{"line": '
    out.write_bytes(before)
    os.mkfifo(f"{out}.dropped")
    result = ringfen(*arguments, "--resume")
    assert (result.exit_code, out.read_bytes()) == (2, before)
    assert f"{out}.dropped: this is not a regular file" in result.stderr


@pytest.mark.parametrize("command", ["verify", "validate", "board check"])
def test_a_pipe_that_was_named_is_read(tmp_path: Path, command: str) -> None:
    content = {
        "verify": (ROOT / "examples" / "gyges-win-in-7.cert").read_bytes(),
        "validate": RECORD.encode(),
        "board check": (ROOT / "core_c" / "rules" / "gran" / "boards" / "default.board").read_bytes(),
    }[command]
    pipe = tmp_path / "named.board"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    result = ringfen(*command.split(), str(pipe))
    writer.join()
    assert result.exit_code == 0


def test_a_board_without_end() -> None:
    result = ringfen("board", "check", "/dev/zero")
    assert result.exit_code == 1
    assert "more than 1,048,576 bytes are too much for a board file" in result.stderr


@pytest.mark.parametrize(
    "command", [("filter", "--out"), ("filter", "--rejects"), ("annotate", "--nodes", "1", "--out"), ("view", "--out")]
)
def test_an_unreadable_file_is_omitted_from_the_output(command: tuple[str, ...], tmp_path: Path) -> None:
    cut, whole, out = tmp_path / "cut.rgn.gz", tmp_path / "whole.rgn", tmp_path / "out"
    cut.write_bytes(gzip.compress(RECORD.encode())[:5])
    whole.write_text(RECORD)
    more = ("--not", "--game", "gyges") if command[-1] == "--rejects" else ()
    out.write_text("old contents")
    result = ringfen(command[0], str(cut), *more, *command[1:], str(out))  # nothing is read: the output stays
    assert result.exit_code == 2
    assert f"error: {cut}: no whole gzip file" in result.stderr
    assert out.read_text() == "old contents"
    result = ringfen(command[0], str(whole), *more, *command[1:], str(out))
    assert result.exit_code == 0
    expected = out.read_text()
    for unreadable in (str(cut), str(tmp_path / "missing.rgn")):
        out.write_text("old contents")
        result = ringfen(command[0], unreadable, str(whole), *more, *command[1:], str(out))
        assert result.exit_code == 2
        assert f"error: {unreadable}: " in result.stderr
        assert out.read_text() == expected.replace("whole.rgn", f"{Path(unreadable).name}, whole.rgn")
    assert not list(tmp_path.glob(".ringfen-*"))


def test_files_of_records_in_a_directory_are_found_in_any_case(tmp_path: Path) -> None:
    for name in ("A.RGN", "b.Rgn", "c.rgn"):
        (tmp_path / name).write_text(RECORD)
    (tmp_path / "d.RGN.GZ").write_bytes(gzip.compress(RECORD.encode()))
    (tmp_path / "notes.txt").write_text("no records")
    result = ringfen("filter", str(tmp_path), "--count")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "4\n", "")


def test_compressed_files_in_a_directory_that_are_not_read_are_named_once(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "a.rgn").write_text(RECORD)
    skipped = [tmp_path / "a.ZIP", tmp_path / "below" / "b.rgn.bz2", tmp_path / "c.tar.gz"]
    for path in skipped:
        path.write_bytes(b"")
    for command in (("filter", "--count"), ("validate",), ("fix",), ("fmt",), ("stats",), ("annotate", "--nodes", "1")):
        result = ringfen(command[0], str(tmp_path), *command[1:], "-q")
        assert result.exit_code == 0
        words = ", ".join(map(str, skipped))
        note = f"note: skipped {words}: unpack archives, or compress records as .rgn.gz or .rgn.zst\n"
        assert result.stderr.startswith(note)
        assert result.stderr.count("skipped") == 1
