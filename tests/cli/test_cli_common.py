"""What holds for all commands: POSITION, files, errors, exit status, the installed script."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from batch_tools import PATIENCE, read_terminal
from cli_runner import json_lines, ringfen

import ringfen as package
from ringfen.cli.exit_status import INTERRUPTED, LIMIT, OK, USAGE, WRONG, worst
from ringfen.cli.position_input import excerpt
from ringfen.cli.progress import ProgressBar, fitted
from ringfen.control import Progress
from ringfen.text import printable

SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"
SCRIPT = Path(sys.executable).parent / "ringfen"
#: A wide terminal that can be drawn on.
TERMINAL = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}


def test_version() -> None:
    assert ringfen("--version").stdout == f"ringfen {package.__version__}\n"


def test_unknown_command_with_a_guess() -> None:
    result = ringfen("move", SET_UP)
    assert result.exit_code == 2
    assert "No such command 'move'. Did you mean moves?" in result.stderr


def test_worst_status() -> None:
    assert worst(OK) == OK
    assert worst(OK, WRONG) == WRONG
    assert worst(WRONG, LIMIT) == LIMIT
    assert worst(LIMIT, USAGE, WRONG) == USAGE
    assert worst(USAGE, INTERRUPTED) == INTERRUPTED


def test_a_malformed_position_is_shown_with_a_caret() -> None:
    result = ringfen("moves", SET_UP.replace(" s ", " x "))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "position:1:49: bad-side: the side to move is s or n, not x\n"
        "  gyges 321123/....../....../....../....../321123 x - 1+1\n"
        f"  {' ' * 48}^\n"
    )


def test_no_such_game() -> None:
    result = ringfen("moves", "chess")
    assert result.exit_code == 2
    assert result.stderr.startswith("position:1:1: unknown-game: no game with the id 'chess'; the games are gyges")


def test_missing_position() -> None:
    for command in ("show", "moves", "play", "random", "solve"):
        result = ringfen(command)
        assert result.exit_code == 2
        assert "Missing argument 'POSITION'" in result.stderr


def test_an_unquoted_position_is_explained() -> None:
    for command in ("show", "solve"):
        result = ringfen(command, *SET_UP.split())
        assert result.exit_code == 2
        assert f"A position is one argument: quote it, as in '{SET_UP}'." in result.stderr


def test_a_file_of_positions(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_bytes(
        b"\xef\xbb\xbf# a comment\r\n"
        b"\r\n"
        b"  gyges\r\n"
        b"gyges nonsense # another\n"
        b"gyges \xff\n"
        b"\t" + SET_UP.encode() + b"  # the usual setup"
    )
    result = ringfen("moves", "--json", "--file", str(file))
    assert result.exit_code == 2
    rows = json_lines(result)
    assert [row["line"] for row in rows] == [3, 4, 5, 6]
    assert [len(row["plies"]) for row in rows if "plies" in row] == [90, 224]
    assert [row["error"]["reason"] for row in rows if "error" in row] == ["bad-ranks", "bad-utf8"]
    errors = [line for line in result.stderr.splitlines() if line.startswith(str(file))]
    assert errors[0].startswith(f"{file}:4:7: ")
    assert errors[1].startswith(f"{file}:5:7: bad-utf8: byte 0xff is not UTF-8")
    assert len(errors) == 2
    assert ringfen("moves", "--json", "-", stdin=file.read_bytes()).stdout == result.stdout


def test_a_line_without_end() -> None:
    result = ringfen("moves", "-", stdin=b"x" * 1_000_000 + b"\ngyges\n")
    assert result.exit_code == 2
    assert "<stdin>:1:1: too-long: " in result.stderr
    assert "90 plies, South to move" in result.stdout
    assert len(result.stderr) < 1000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_ends(end: str, tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_bytes(f"\ufeffgyges{end}# none{end}{end}rings x".encode())
    for result in (
        ringfen("moves", "--json", "--file", str(file)),
        ringfen("moves", "--json", "-", stdin=file.read_bytes()),
    ):
        first, error = json_lines(result)
        assert (first["line"], first["fen"].split()[0], error["line"]) == (1, "gyges", 4)
        assert ":4:7: " in result.stderr


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for command in (("moves", "--file"), ("suite",), ("solve", "--file")):
        result = ringfen(*command, str(tmp_path / "none.txt"))
        assert result.exit_code == 2
        assert result.stderr == f"error: {tmp_path / 'none.txt'}: No such file or directory\n"
    # before the positions that are arguments
    result = ringfen("show", "gyges", "--file", str(tmp_path / "none.txt"))
    assert (result.exit_code, result.stdout) == (2, "")


def test_excerpt_of_a_long_line() -> None:
    shown, caret = excerpt("a" * 500 + "XYZ" + "b" * 500, 500, 3)
    assert len(shown) == 102
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "XYZ"


def test_excerpt_keeps_the_caret_below_wide_characters() -> None:
    assert excerpt("指輪 x", 3, 1) == ("指輪 x", "     ^")


def test_nothing_that_could_disturb_a_terminal_is_printed() -> None:
    assert printable("a\x1b[31m\tb\x00") == "a�[31m b�"
    result = ringfen("moves", "gyges \x1b[31m")
    assert "\x1b" not in result.stderr


# ---- the installed script ----


def run(*args: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(SCRIPT), *args], capture_output=True, check=False, timeout=PATIENCE, **options)  # type: ignore[call-overload, no-any-return]


def test_the_installed_script() -> None:
    assert run("--version").stdout.decode() == f"ringfen {package.__version__}\n"
    assert run("moves", "gyges").returncode == 0
    assert run("moves", "nothing").returncode == 2


def test_results_go_to_standard_output_only() -> None:
    done = run("perft", SET_UP, "--depth", "2")
    assert done.stderr == b""
    assert b"57,374" in done.stdout


@contextmanager
def started(*args: str, **popen: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start the command; kill it at the end of the block if it still runs."""
    with subprocess.Popen([str(SCRIPT), *args], **popen) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_reader_that_has_seen_enough() -> None:
    with started("random", "gyges", "--games", "100000", stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE) == 141


def interrupted(command: tuple[str, ...], until: bytes) -> bytes:
    """What a command prints that is interrupted once this stands on the terminal, which then says so."""
    ours, theirs = pty.openpty()
    with started(*command, stdout=-1, stderr=theirs, env=TERMINAL) as process:
        os.close(theirs)
        read_terminal(ours, until)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    shown = read_terminal(ours)
    os.close(ours)
    assert process.returncode == 130
    assert shown.rpartition(b"\r\x1b[K")[2].strip() == b"interrupted"
    return out


@pytest.mark.parametrize("command", [("perft", SET_UP, "--depth", "9"), ("perft", SET_UP, "--depth", "9", "-t2")])
def test_ctrl_c(command: tuple[str, ...]) -> None:
    """In the middle of a count, once the terminal shows progress."""
    assert interrupted(command, b"perft 9: ") == b""


@pytest.mark.parametrize(
    ("position", "status"), [(SET_UP, "unknown"), ("rings", "bound"), ("siaius smts/4/4/STMS s - - 0", "unknown")]
)
def test_ctrl_c_prints_the_proven_bounds(position: str, status: str) -> None:
    (answer,) = map(json.loads, interrupted(("solve", position, "gran", "--json"), b" nodes").splitlines())
    found = answer["fen"], answer["status"], answer["note"]
    assert found == (package.Position(position).fen, status, "interrupted")


@pytest.mark.parametrize(("position", "value"), [("rings", b"for South between "), ("gran", b"not known\n")])
def test_ctrl_c_is_the_reason_and_not_a_limit(position: str, value: bytes) -> None:
    out = interrupted(("solve", position, "--depth", "30") if position == "gran" else ("solve", position), b" nodes")
    assert value in out
    assert b"\nnote    interrupted\n" in out
    assert b"a limit was reached" not in out


@pytest.mark.parametrize("columns", [40, 60, 100, 200])
@pytest.mark.parametrize("text", ["37%, 12 s to go, 1.2 G nodes, 3.4 M/s, 20 s", "5 s", ""])
@pytest.mark.parametrize("bar", ["", "[" + "#" * 24 + "] "])
def test_a_line_of_progress_fits(columns: int, text: str, bar: str) -> None:
    label = f"solving {package.Position(SET_UP).fen}"
    line = fitted(label, bar, text, columns)
    assert len(line) <= columns
    assert line.startswith("solving")
    assert columns < 60 or line.endswith(text)


def test_a_bar_is_erased_in_a_terminal_that_became_narrower(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr("ringfen.cli.progress._FIRST_AFTER", -1)
        for columns, expected in ((60, b"\r\x1b[K"), (20, b"\x1b[2A\r\x1b[J")):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
            meter = ProgressBar("counting the positions of a long list of games")
            meter.show(123, 1000, as_percent=True)
            drawn = os.read(ours, 1000)
            assert b"12.3%" in drawn
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            meter.clear()
            assert os.read(ours, 1000) == expected
    os.close(ours)


def test_the_time_to_go_of_a_resumed_job(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    monkeypatch.setattr("ringfen.cli.progress.monotonic", lambda: now[0])
    meter = ProgressBar("building")
    meter(Progress(nodes=0, depth=0, done=400, total=1000))
    now[0] = 20.0
    meter(Progress(nodes=0, depth=0, done=500, total=1000))
    assert "building: 50.0%, 100 s to go, 20 s" in capsys.readouterr().err


def test_ctrl_c_while_positions_are_read() -> None:
    ours, theirs = pty.openpty()
    with started("solve", "-", "--json", stdin=theirs, stdout=-1, stderr=-1, env=TERMINAL) as process:
        os.write(ours, b"gran\n")
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["game"] == "gran"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    os.close(theirs)
    os.close(ours)
    assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")


@pytest.mark.parametrize("how", ["raise KeyboardInterrupt", "exec('raise KeyboardInterrupt')"])
def test_ctrl_c_while_the_program_is_loaded(how: str, tmp_path: Path) -> None:
    script = f"""if True:
        import sys
        class Interrupted:
            def find_spec(self, name, *rest):
                if name == "click":
                    {how}
        sys.meta_path.insert(0, Interrupted())
        from ringfen.cli import main
        main()
    """
    (tmp_path / "begin.py").write_text(script)
    done = subprocess.run([sys.executable, "-m", "begin"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


def test_ctrl_c_while_the_program_ends() -> None:
    script = """if True:
        import atexit, os, signal
        atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
        from ringfen.cli import main
        main()
    """
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "closed"),
    [
        ("validate -", "<&-"),
        ("perft - --depth 1", "<&-"),
        ("games", ">&- 2>&-"),
    ],
)
def test_a_standard_stream_that_cannot_be_used(command: str, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{SCRIPT} {command} {closed}"],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ") or "2>&-" in closed
    assert len(done.stderr.splitlines()) <= 1


def test_colour_only_on_a_terminal_and_never_under_no_color() -> None:
    outputs = []
    for more in ({}, {"NO_COLOR": "1"}):
        main_end, terminal = pty.openpty()
        subprocess.run(
            [str(SCRIPT), "moves", "chess"],
            stderr=terminal,
            check=False,
            env={key: value for key, value in os.environ.items() if key != "NO_COLOR"} | more,
            timeout=PATIENCE,
        )
        os.close(terminal)
        outputs.append(os.read(main_end, 10_000))
        os.close(main_end)
    assert b"\x1b[31m" in outputs[0]
    assert b"\x1b" not in outputs[1]
    assert b"\x1b" not in run("moves", "chess").stderr


# ---- completion ----


def completions(*words: str) -> list[str]:
    """What bash is offered for the last word, each with its kind."""
    done = run(
        env=os.environ
        | {
            "_RINGFEN_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(("ringfen", *words)),
            "COMP_CWORD": str(len(words)),
        }
    )
    return done.stdout.decode().split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("pos",), ["plain,positions"]),
        (("moves", "gy"), ["plain,gyges"]),
        (("new", "r"), ["plain,rings"]),
        (("rules", "gr"), ["plain,gran"]),
        (("new", "siaius", "--hu"), ["plain,--huff"]),
        (("solve", "--model", "p"), ["plain,paranoid"]),
        (("validate", "exam"), ["file,exam"]),
        (("show", "--file", "exam"), ["file,exam"]),
    ],
)
def test_completion(words: tuple[str, ...], expected: list[str]) -> None:
    assert completions(*words) == expected


@pytest.mark.parametrize("command", [("convert", "--to", "rgn"), ("convert", "--to", "jsonl"), ("fmt",)])
def test_data_is_utf8_on_every_terminal(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "game.rgn"
    path.write_text('[Game "gyges"]\n[South "山田"]\n[Result "*"]\n\n*\n\n', encoding="utf-8")
    result = run(*command, str(path), env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert (result.returncode, result.stderr) == (0, b"")
    assert "山田" in result.stdout.decode()


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
@pytest.mark.parametrize(
    "command",
    [("filter", "--json"), ("positions", "--json"), ("validate", "--json"), ("stats", "--json", "--by", "player")],
    ids=" ".join,
)
def test_json_is_utf8_on_every_terminal(tmp_path: Path, command: tuple[str, ...], encoding: str) -> None:
    path = tmp_path / "é.rgn"
    path.write_text('[Game "gyges"]\n[South "é"]\n[North "B"]\n[Result "*"]\n\n*\n\n', encoding="utf-8")
    result = run(*command, str(path), env={**os.environ, "PYTHONIOENCODING": encoding})
    assert result.returncode == 0
    row = json.loads(result.stdout.decode("utf-8").splitlines()[0])
    assert row.get("file", str(path)) == str(path)
    assert "é" in result.stdout.decode("utf-8")


def test_text_that_a_terminal_cannot_show_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "game.rgn"
    path.write_text('[Game "gyges"]\n[Result "*"]\n\n{山田} x *\n', encoding="utf-8")
    result = run("validate", str(path), env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert result.returncode == 1
    assert b"{\\u5c71\\u7530} x *" in result.stdout


def test_carets_of_records_stand_below_wide_characters() -> None:
    result = ringfen("validate", "-", stdin='[Game "gyges"]\n[South "日本"] x\n\n*\n')
    lines = result.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if ":2:14: " in line)
    assert lines[place + 1 : place + 3] == ['  [South "日本"] x', " " * 17 + "^"]


def test_carets_of_records_count_characters() -> None:
    result = ringfen("validate", "-", stdin='[Game "gyges"]\n\n1. 321123 é½é *\n')
    lines = result.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if ":3:11: " in line)
    assert "bad-ply: é½é in record 1, ply 2: é½é contains é (U+00E9 " in lines[place]
    assert lines[place + 1 : place + 3] == ["  1. 321123 é½é *", " " * 12 + "^~~"]


@pytest.mark.parametrize("character", ["\r", "\u00a0", "\u200b", "\ufe0f", "\x07", "\u2028"])
def test_an_invisible_character_in_an_argument_is_named(character: str) -> None:
    code = f"U+{ord(character):04X}"
    for fen in (SET_UP, "rings", "siaius 3/3/3/S2 s - - 0", "gran 1/2"):
        ends = (f"{fen}{character}", f"{character}{fen}")
        for text in (*ends, f"{fen}{character}x", f"{fen[:3]}{character}{fen[3:]}", f"{fen} {character} x"):
            for command in (("show",), ("moves",), ("perft", "--depth", "1"), ("solve",)):
                refused = ringfen(*command, text)
                assert refused.exit_code == 2
                assert code in refused.stderr
    played = ringfen("play", "gyges", f"321123{character}")
    assert (played.exit_code, code in played.stderr) == (2, True)
    assert code in ringfen("show", f"{SET_UP}{character}").stderr


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        (("perft", "rings", "--depth", "2", "--threads", "2"), "--hash or --threads or --jobs"),
        (("tablebase", "build", "siaius", "--size", "3x3", "--stones", "2"), "--jobs"),
    ],
)
def test_a_thread_that_cannot_be_started_is_reported(
    args: tuple[str, ...], advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("_thread.start_new_thread", refuse)
    result = ringfen(*args, RINGFEN_TABLES=str(tmp_path))
    assert result.exit_code == 3
    assert result.stderr == f"error: the system cannot start a thread; try again with less {advice}\n"


def test_too_many_open_files_are_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), "games.rgn")

    assert ringfen("games").exit_code == 0, "the command is loaded, with the options that all commands have"
    monkeypatch.setattr("ringfen.cli.games.games.callback", refuse)
    result = ringfen("games")
    assert result.exit_code == 2
    assert result.stderr == "error: games.rgn: Too many open files; raise the limit of open files (ulimit -n)\n"
