"""No command writes what it reads, boards included, and none writes one file twice: told before any work is done."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_runner import ringfen

from ringfen.outputs import Files, OutputRejectedError

WIN = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
RECORD = f'[Game "gyges"]\n[FEN "{WIN}"]\n\n1. a5-S   0-1\n'
BOARD = (Path(__file__).parents[2] / "core_c" / "rules" / "gran" / "boards" / "default.board").read_bytes()
#: Commands that read {source} and boards, and write {out}.
COMMANDS = {
    "filter --out": ("filter", "{source}", "--out", "{out}"),
    "filter --rejects": ("filter", "{source}", "--rejects", "{out}"),
    "view": ("view", "{source}", "--out", "{out}"),
    "annotate": ("annotate", "{source}", "--out", "{out}"),
    "fmt": ("fmt", "--write", "{out}"),
    "fix": ("fix", "--write", "{out}"),
    "prove": ("prove", WIN, "--out", "{out}"),
    "solve": ("solve", WIN, "--out", "{out}", "--resume"),
    "perft": ("perft", WIN, "--depth", "1", "--out", "{out}", "--resume"),
    "show": ("show", WIN, "--out", "{out}"),
}


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.rgn").write_text(RECORD)
    Path("boards").mkdir()
    Path("boards/b.board").write_bytes(BOARD)


@pytest.mark.parametrize("options", [("--board", "boards/b.board"), ("--board", "boards")], ids=lambda o: o[1])
@pytest.mark.parametrize("out", ["boards/b.board", "link.svg", "hard.svg"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_board_is_an_input(name: str, out: str, options: tuple[str, ...]) -> None:
    Path("link.svg").symlink_to("boards/b.board")
    os.link("boards/b.board", "hard.svg")
    result = ringfen(*(word.format(source="in.rgn", out=out) for word in COMMANDS[name]), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert (name, out) == ("show", "boards/b.board") or result.stderr == f"error: {out}: this output is an input too\n"
    assert Path("boards/b.board").read_bytes() == BOARD


def same_name() -> str:
    return "one"


def a_link() -> str:
    Path("two").symlink_to("one")
    return "two"


def a_hard_link() -> str:
    Path("one").write_text("kept")
    os.link("one", "two")
    return "two"


@pytest.mark.parametrize("other", [same_name, a_link, a_hard_link, lambda: "boards/../one"])
def test_matches_and_others_are_two_files(other: Callable[[], str]) -> None:
    name = other()
    before = Path("one").read_bytes() if Path("one").exists() else None
    result = ringfen("filter", "in.rgn", "--out", "one", "--rejects", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {name}: this output is another output too\n"
    assert (Path("one").read_bytes() if Path("one").exists() else None) == before


@pytest.mark.parametrize("option", ["--out", "--rejects"])
def test_a_file_of_a_directory_is_not_another_output(option: str) -> None:
    result = ringfen("filter", "in.rgn", "--out-dir", "by", "--by", "game", option, "by/../by/gyges.rgn")
    assert result.exit_code == 2  # reached because BY does not exist yet
    Path("by").mkdir()
    result = ringfen("filter", "in.rgn", "--out-dir", "by", "--by", "game", option, "by/gyges.rgn")
    assert (result.exit_code, result.stderr) == (2, "error: by/gyges.rgn: this output could be one of --out-dir too\n")
    assert not list(Path("by").iterdir())
    assert ringfen("filter", "in.rgn", "--out-dir", "by", "--by", "game", option, "gyges.rgn").exit_code == 0


def test_two_values_with_one_file_lose_nothing() -> None:
    Path("in.rgn").write_text(RECORD + '\n[Game "rings"]\n\n*\n')
    Path("by").mkdir()
    Path("by/rings.rgn").write_text("kept")
    Path("by/gyges.rgn").symlink_to("rings.rgn")
    result = ringfen("filter", "in.rgn", "--out-dir", "by", "--by", "game")
    assert result.exit_code == 2
    assert "by/rings.rgn: this output is another output too" in result.stderr
    assert Path("by/rings.rgn").read_text() == "kept"


@pytest.mark.parametrize("command", [("solve", "--file"), ("perft", "--depth", "1", "--board")])
@pytest.mark.parametrize("link", [False, True])
def test_dropped_lines_do_not_overwrite_an_input(command: tuple[str, ...], link: bool) -> None:
    read = "source" if link else "out.dropped"
    content = BOARD.decode() if command[0] == "perft" else WIN
    Path(read).write_text(content)
    if link:
        Path("out.dropped").symlink_to(read)
    Path("out").write_text('{"line": torn\n')
    start = (WIN,) if command[0] == "perft" else ()
    result = ringfen(*command, read, *start, "--out", "out", "--resume")
    assert (result.exit_code, result.stdout) == (2, "")
    words = "this is a link, which only an output that was named may be" if link else "this output is an input too"
    assert result.stderr.endswith(f"out.dropped: {words}\n")
    assert (Path(read).read_text(), Path("out").read_text()) == (content, '{"line": torn\n')


def test_dropped_lines_do_not_follow_a_dangling_link() -> None:
    Path("out").write_text('{"line": torn\n')
    Path("out.dropped").symlink_to("elsewhere")
    assert ringfen("solve", WIN, "--out", "out", "--resume").exit_code == 2
    assert not Path("elsewhere").exists()


def test_answers_of_annotate_are_no_input() -> None:
    Path("out.answers.jsonl").write_text(RECORD)
    result = ringfen("annotate", "out.answers.jsonl", "--out", "out", "--resume")
    assert (result.exit_code, result.stderr) == (2, "error: out.answers.jsonl: this output is an input too\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_needs_a_name(name: str) -> None:
    if name in ("fmt", "fix"):
        pytest.skip("its output is its input")
    result = ringfen(*(word.format(source="in.rgn", out="") for word in COMMANDS[name]))
    assert (result.exit_code, result.stderr) == (2, "error: the name of an output is empty\n")


@pytest.mark.parametrize("name", ["solve", "perft", "prove", "filter --out"])
def test_a_file_is_not_a_directory(name: str) -> None:
    result = ringfen(*(word.format(source="in.rgn", out="in.rgn/f") for word in COMMANDS[name]))
    assert (result.exit_code, result.stderr) == (2, "error: in.rgn/f: Not a directory\n")


def test_devices_may_be_written_twice() -> None:
    assert ringfen("filter", "in.rgn", "--out", os.devnull, "--rejects", os.devnull).exit_code == 0


def test_the_module() -> None:
    files = Files(["in.rgn"])
    first = files.output("new")
    assert first.name == "new"
    with pytest.raises(OutputRejectedError, match="another output"):
        files.output("boards/../new")
    with pytest.raises(OutputRejectedError, match="an input"):
        files.output("in.rgn")
    Path("link").symlink_to("nothing")
    with pytest.raises(OutputRejectedError, match="a link"):
        files.companion("link")
    files.companion("x" * 300)  # no file can be called so, and none is made if nothing is dropped
