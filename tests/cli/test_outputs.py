"""Outputs harm nothing: every command that writes a file, against every kind of thing that can be in its place."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from batch_tools import PATIENCE
from cli_runner import ringfen

from ringfen import Position
from ringfen.batch.answers import checksum
from ringfen.inputs import reject_endless
from ringfen.outputs import Output, OutputRejectedError

WIN = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
RECORD = f'[Game "gyges"]\n[FEN "{WIN}"]\n\n1. a5-S   0-1\n'
#: With all usual tags, so that no warning is left once its capital is repaired.
REPAIRABLE = f"""[Event "?"]
[Date "????.??.??"]
[Game "gyges"]
[South "?"]
[North "?"]
[FEN "{WIN}"]
[Result "0-1"]

1... A5-S 0-1
"""
BOARD = (Path(__file__).parents[2] / "core_c" / "rules" / "gran" / "boards" / "default.board").read_text(
    encoding="utf-8"
)
ANSWER = {"line": 1, **Position(WIN).solve().to_json(), "options": {}}
ANSWERS = json.dumps({**ANSWER, "check": checksum(ANSWER)}) + "\n"
FULL = Path("/dev/full")
AS_ROOT = os.geteuid() == 0
#: prctl's number for leaving a capability out of what programs started from here can have, and those by which root
#: writes and reads files that no user may.
PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


@dataclass(frozen=True)
class Command:
    """A command that reads ``source`` and writes ``out``."""

    name: str
    args: tuple[str, ...]
    source: str
    #: Whether it changes its own input on purpose, and so has no other output.
    in_place: bool = False
    #: Whether it continues the existing file, and so overwrites nothing.
    appends: bool = False
    #: Whether it says on standard error what it has done.
    reports: bool = False
    #: A file that it leaves next to the output if it fails, to continue from; next to a device it cannot.
    leaves: str = ""


COMMANDS = [
    Command("prove", ("prove", "--file", "{source}", "--out", "{out}"), WIN),
    Command("solve", ("solve", "--file", "{source}", "--out", "{out}"), WIN, appends=True),
    Command("show", ("show", WIN, "--out", "{out}"), ""),
    Command("board show", ("board", "show", "{source}", "--out", "{out}"), BOARD),
    Command("fmt", ("fmt", "--write", "{out}"), RECORD, in_place=True),
    Command("fix", ("fix", "--write", "{out}"), REPAIRABLE, in_place=True, reports=True),
    Command("filter", ("filter", "{source}", "--out", "{out}"), RECORD, reports=True),
    Command("filter rejects", ("filter", "{source}", "--invalid", "--rejects", "{out}"), RECORD, reports=True),
    Command(
        "annotate", ("annotate", "{source}", "--out", "{out}"), RECORD, reports=True, leaves="out.svg.answers.jsonl"
    ),
    Command("answers", ("answers", "{source}", "--merge", "--out", "{out}"), ANSWERS),
    Command("view", ("view", "{source}", "--out", "{out}"), RECORD),
    Command("perft", ("perft", WIN, "--depth", "2", "--out", "{out}"), "", appends=True),
]
#: A board file cannot have the name of a drawing.
WITH_INPUT = [command for command in COMMANDS if "{source}" in command.args and command.name != "board show"]
REPLACING = [command for command in COMMANDS if not command.appends]
each = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
each_replacing = pytest.mark.parametrize("command", REPLACING, ids=lambda command: command.name)


def arguments(command: Command, source: Path, out: Path | str) -> list[str]:
    return [arg.format(source=source, out=out) if "{" in arg else arg for arg in command.args]


def run(
    command: Command, source: Path, out: Path | str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The command, run within this process; in another one if that has to do something ``before``."""
    args = arguments(command, source, out)
    if before is not None:
        return subprocess.run(
            [sys.executable, "-m", "ringfen", *args],
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            preexec_fn=before,
        )
    result = ringfen(*args)
    return subprocess.CompletedProcess(args, result.exit_code, result.stdout_bytes, result.stderr_bytes)


def as_anybody() -> None:
    """In a process that is about to become another program: root gives up being above permissions."""
    if AS_ROOT:
        library = ctypes.CDLL(None)
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            library.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.fixture
def permissions_count(tmp_path: Path) -> None:
    """Skips where even a process without its privileges writes everything."""
    locked = tmp_path / "locked"
    locked.touch(0o400)
    done = subprocess.run(["sh", "-c", f"echo >'{locked}'"], preexec_fn=as_anybody, capture_output=True, check=False)
    locked.unlink()
    if done.returncode == 0:
        pytest.skip("root keeps its privileges here")


def prepared(command: Command, directory: Path, *, out: bytes | None = None) -> tuple[Path, Path]:
    """The input and the output; what changes its input finds it in the place of the output."""
    source, target = directory / "source", directory / "out.svg"
    source.write_text(command.source, encoding="utf-8")
    if command.in_place:
        target.write_text(command.source, encoding="utf-8")
    elif out is not None:
        target.write_bytes(out)
    return source, target


def assert_done(command: Command, done: subprocess.CompletedProcess[bytes]) -> None:
    assert done.returncode == 0, done.stderr
    assert done.stderr == b"" or command.reports


def assert_refused(command: Command, done: subprocess.CompletedProcess[bytes], message: str) -> None:
    """What changes its input may have said before what it would change."""
    assert done.stderr.decode() == message or (command.reports and done.stderr.decode().endswith(f"\n{message}"))


def is_written(path: Path) -> bool:
    content = path.read_bytes()
    begins = (b"ringfen certificate", b'{"line": ', b"<svg", b"<?xml", b"<!DOCTYPE html>", b"[Game ", b"[Event ")
    return content.startswith(begins) and b"A5-S" not in content


@each
def test_a_new_file(command: Command, tmp_path: Path) -> None:
    source, out = prepared(command, tmp_path)
    done = run(command, source, out)
    assert_done(command, done)
    assert is_written(out)
    assert {path.name for path in tmp_path.iterdir()} == {"source", "out.svg"}


@each_replacing
def test_a_file_keeps_its_mode(command: Command, tmp_path: Path) -> None:
    source, out = prepared(command, tmp_path, out=b"old")
    out.chmod(0o640)
    assert run(command, source, out).returncode == 0
    assert is_written(out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


@each
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_followed(command: Command, dangling: bool, tmp_path: Path) -> None:
    if dangling and command.in_place:
        pytest.skip("there is nothing to change")
    there = tmp_path / "there"
    there.mkdir()
    source, out = prepared(command, there, out=None if dangling or command.appends else b"old")
    link = tmp_path / "link.svg"
    link.symlink_to(Path("there") / "out.svg")
    done = run(command, source, link)
    assert_done(command, done)
    assert link.is_symlink()
    assert is_written(out)
    assert {path.name for path in there.iterdir()} == {"source", "out.svg"}


@each
def test_a_link_to_itself_is_an_error(command: Command, tmp_path: Path) -> None:
    source, _ = prepared(command, tmp_path)
    link = tmp_path / "link.svg"
    link.symlink_to("link.svg")
    done = run(command, source, link)
    assert done.returncode == 2
    assert done.stderr == f"error: {link}: Too many levels of symbolic links\n".encode()
    assert link.is_symlink()


@each
def test_a_pipe_is_written_into(command: Command, tmp_path: Path) -> None:
    if command.in_place:
        pytest.skip("a pipe cannot be read twice")
    source, _ = prepared(command, tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = run(command, source, pipe)
    reader.join(PATIENCE)
    assert_done(command, done)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "read").write_bytes(found[0])
    assert is_written(tmp_path / "read")


@each
def test_a_device_stays_one(command: Command, tmp_path: Path) -> None:
    if command.in_place or command.leaves:
        pytest.skip("there is nothing to format, or no place for another file")
    source, _ = prepared(command, tmp_path)
    assert run(command, source, "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@each
def test_a_full_device_is_reported(command: Command, tmp_path: Path) -> None:
    if command.in_place or command.leaves or not FULL.exists():
        pytest.skip("there is no /dev/full here, nothing to format, or no place for another file")
    source, _ = prepared(command, tmp_path)
    done = run(command, source, FULL)
    assert done.returncode == 2
    assert done.stderr.endswith(b"error: /dev/full: No space left on device\n")
    assert b"Traceback" not in done.stderr


@each
def test_a_directory_is_rejected(command: Command, tmp_path: Path) -> None:
    source, _ = prepared(command, tmp_path)
    directory = tmp_path / "directory"
    directory.mkdir()
    done = run(command, source, directory)
    if not command.in_place:  # whose input it is: the records in a directory, of which there are none
        assert done.returncode == 2
        assert done.stderr == f"error: {directory}: Is a directory\n".encode()
    assert list(directory.iterdir()) == []


@each
def test_a_missing_directory_is_reported(command: Command, tmp_path: Path) -> None:
    source, _ = prepared(command, tmp_path)
    nowhere = tmp_path / "nowhere" / "out.svg"
    done = run(command, source, nowhere)
    assert done.returncode == 2
    assert done.stderr == f"error: {nowhere}: No such file or directory\n".encode()


@pytest.mark.parametrize("command", WITH_INPUT, ids=lambda command: command.name)
@pytest.mark.parametrize("how", ["name", "link", "hard link", "other name"])
def test_an_input_is_never_overwritten(command: Command, how: str, tmp_path: Path) -> None:
    source, out = prepared(command, tmp_path)
    before = source.read_bytes()
    if how == "link":
        out.symlink_to(source)
    elif how == "hard link":
        out.hardlink_to(source)
    else:
        out = source if how == "name" else tmp_path / "." / ".." / tmp_path.name / "source"
    done = run(command, source, out)
    assert done.returncode == 2
    assert done.stderr == f"error: {out}: this output is an input too\n".encode()
    assert source.read_bytes() == before


@pytest.mark.parametrize("there", ["input", "link", "hard link", "directory", "pipe"])
def test_files_by_key_harm_nothing(there: str, tmp_path: Path) -> None:
    """If one of many files cannot be written, none is written."""
    source, into = tmp_path / "source.rgn", tmp_path / "into"
    into.mkdir()
    out = into / "gyges.rgn"
    if there == "input":
        source = out
    source.write_text('[Game "siaius"]\n\n*\n\n' + RECORD)
    if there == "link":
        out.symlink_to(source)
    elif there == "hard link":
        out.hardlink_to(source)
    elif there == "directory":
        out.mkdir()
    elif there == "pipe":
        os.mkfifo(out)
    before = source.read_bytes()
    result = ringfen("filter", str(source), "--out-dir", str(into), "--by", "game")
    assert result.exit_code == 2
    why = "this is not a regular file" if there in ("directory", "pipe") else "this output is an input too"
    assert result.stderr == f"error: {out}: {why}\n"
    assert source.read_bytes() == before
    assert list(into.iterdir()) == [out]


def test_redirected_standard_input_is_an_input(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text(WIN)
    for args in (("prove", "-", "--out", str(source)), ("solve", "-", "--resume", "--out", str(source))):
        with source.open("rb") as stdin:
            done = subprocess.run(
                [sys.executable, "-m", "ringfen", *args], stdin=stdin, capture_output=True, check=False
            )
        assert done.returncode == 2
        assert done.stderr == f"error: {source}: this output is an input too\n".encode()
    assert source.read_text() == WIN


@each
@pytest.mark.usefixtures("permissions_count")
def test_a_read_only_file_is_rejected(command: Command, tmp_path: Path) -> None:
    source, out = prepared(command, tmp_path, out=b"old")
    before = out.read_bytes()
    out.chmod(0o440)
    done = run(command, source, out, as_anybody)
    assert done.returncode == 2
    assert_refused(command, done, f"error: {out}: Permission denied\n")
    assert out.read_bytes() == before


@each
@pytest.mark.usefixtures("permissions_count")
def test_a_read_only_directory_is_rejected(command: Command, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    source, out = prepared(command, there)
    there.chmod(0o550)
    try:
        done = run(command, source, out, as_anybody)
    finally:
        there.chmod(0o750)
    assert done.returncode == 2
    assert_refused(command, done, f"error: {out}: Permission denied\n")


@each
def test_a_file_system_that_is_full_keeps_what_was_there(command: Command, tmp_path: Path) -> None:
    """The limit on the size of files stands for a full disk, which a test cannot always have."""
    source, out = prepared(command, tmp_path, out=None if command.appends else b"old")
    before = out.read_bytes() if out.exists() else None
    shell = " ".join(f"'{arg}'" for arg in arguments(command, source, out))
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 0; exec '{sys.executable}' -m ringfen {shell}"], capture_output=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert b"File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    assert (out.read_bytes() if out.exists() else None) in (before, b"")
    assert {path.name for path in tmp_path.iterdir()} <= {"source", "out.svg", command.leaves}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 KiB, where one may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    if not AS_ROOT or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@each
def test_a_disk_that_is_full_keeps_what_was_there(command: Command, small_disk: Path) -> None:
    source, out = prepared(command, small_disk, out=None if command.appends else b"old")
    before = out.read_bytes() if out.exists() else None
    with (small_disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while filler.write(bytes(512)):
            pass
    done = run(command, source, out)
    assert done.returncode == 2, done.stderr
    assert done.stderr.endswith(b": No space left on device\n")
    assert b"Traceback" not in done.stderr
    assert (out.read_bytes() if out.exists() else None) in (before, b"")
    assert {path.name for path in small_disk.iterdir()} <= {"source", "out.svg", "filler", command.leaves}


@each
def test_the_output_may_be_standard_output(command: Command, tmp_path: Path) -> None:
    if command.in_place or command.leaves or not os.path.exists("/dev/stdout"):
        pytest.skip("there is no /dev/stdout here, nothing to format, or no place for another file")
    source, _ = prepared(command, tmp_path)
    args = arguments(command, source, "/dev/stdout")
    piped = subprocess.run([sys.executable, "-m", "ringfen", *args], capture_output=True, check=False, timeout=PATIENCE)
    assert piped.returncode == 0
    (tmp_path / "piped").write_bytes(piped.stdout)
    assert is_written(tmp_path / "piped")


@each
def test_standard_output_that_is_closed_keeps_the_file_whole(command: Command, tmp_path: Path) -> None:
    source, out = prepared(command, tmp_path)
    shell = " ".join(f"'{arg.format(source=source, out=out) if '{' in arg else arg}'" for arg in command.args)
    done = subprocess.run(["sh", "-c", f"'{sys.executable}' -m ringfen {shell} >&-"], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)
    assert is_written(out)


def test_a_command_does_not_read_what_it_appends_to(tmp_path: Path) -> None:
    games = tmp_path / "games.rgn"
    games.write_text(RECORD)
    for command in ("convert --to rgn", "positions", "validate"):  # fmt has read all before it writes
        done = subprocess.run(
            ["sh", "-c", f"'{sys.executable}' -m ringfen {command} '{games}' >> '{games}'"],
            capture_output=True,
            check=False,
        )
        assert done.returncode == 2, command
        assert done.stderr.endswith(f"error: {games}: this input is standard output too\n".encode())
        assert games.read_text().startswith(RECORD)


# ---- the module ----


def interrupted_write(out: Path) -> None:
    with Output(out).open() as file:
        file.write(b"new")
        file.flush()
        raise KeyboardInterrupt


def test_an_unfinished_output_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for before in (None, b"old"):
        if before is not None:
            out.write_bytes(before)
        with pytest.raises(KeyboardInterrupt):
            interrupted_write(out)
        assert (out.read_bytes() if out.exists() else None) == before
        assert [path.name for path in tmp_path.iterdir()] == (["out"] if before else [])


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """Only by one that writes the same file; what a run that lives writes, and what others put there, stays."""
    script = """if True:
        import os
        from ringfen.outputs import Output
        with Output("out").open():
            os.kill(os.getpid(), 9)
    """
    for _ in range(2):
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
        assert len(list(tmp_path.iterdir())) == 1
    left = next(tmp_path.iterdir())
    Output(tmp_path / "other").write(b"")
    assert left.exists()
    with Output(tmp_path / "out").open() as outer:
        Output(tmp_path / "out").write(b"inner")
        outer.write(b"outer")
    assert {path.name for path in tmp_path.iterdir()} == {"other", "out"}
    assert (tmp_path / "out").read_bytes() == b"outer"
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    left.symlink_to(precious)
    Output(tmp_path / "out").write(b"new")
    assert (left.is_symlink(), precious.read_bytes()) == (True, b"precious")
    left.unlink()
    os.mkfifo(left)
    Output(tmp_path / "out").write(b"newer")
    assert left.is_fifo()


def test_the_content_appears_in_one_step(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Output(out).write(b"old")
    with Output(out).open() as file:
        file.write(b"new")
        file.flush()
        assert out.read_bytes() == b"old"
    assert out.read_bytes() == b"new"


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    out = tmp_path / ("x" * 255)
    Output(out).write(b"content")
    assert out.read_bytes() == b"content"


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    Output(tmp_path / "out").write(b"")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_input_is_rejected_before_the_command_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    checks: list[Callable[[], object]] = [lambda: Output(out, inputs=[tmp_path / "other", str(out)])]
    for check in checks:
        with pytest.raises(OutputRejectedError, match="this output is an input too"):
            check()
    with out.open("rb") as file:
        reject_endless(file, "out")  # it is not


def test_all_of_the_program_writes_in_this_one_way() -> None:
    """Other ways to make, replace or truncate a file occur only in this module, and where answers are appended."""
    root = Path(__file__).parents[2]
    words = (
        "os.replace",
        ".replace(self",
        "os.rename",
        '"wb")',
        '"xb")',
        '"w")',
        '"w", ',
        "write_text(",
        "write_bytes(",
    )
    found = {
        (path.name, word)
        for folder in ("core_c", "notation", "cli")
        for path in (root / folder).rglob("*.py")
        for word in words
        if word in path.read_text(encoding="utf-8")
    }
    ours = {("outputs.py", "os.replace"), ("outputs.py", '"wb")'), ("run.py", ".replace(self")}
    # write_text of the command line calls the module; workers talk by a pipe; closed streams are opened again.
    ours |= {
        ("output.py", "write_text("),
        ("position.py", "write_text("),
        ("board.py", "write_text("),
        ("view.py", "write_text("),
    }
    ours |= {("filter.py", "os.replace")}  # many files at a time, each made beside its place and moved there at the end
    ours |= {("checkpoint.py", "os.replace"), ("checkpoint.py", ".replace(self")}  # what cannot be used is set aside
    ours |= {("workers.py", '"wb")'), ("commands.py", '"w", ')}
    assert found <= ours
