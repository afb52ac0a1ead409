"""Standard output and error that cannot be written."""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import ringfen

FULL = Path("/dev/full")


@pytest.mark.parametrize("args", ["--help", "--version", "-V", "help", "solve --help", "games", "rules gyges"])
@pytest.mark.parametrize("how", ["full", "closed"])
def test_standard_output_that_cannot_be_written_gives_a_message(args: str, how: str) -> None:
    if how == "full" and not FULL.exists():
        pytest.skip("there is no /dev/full here")
    redirect = ">/dev/full" if how == "full" else ">&-"
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m ringfen {args} {redirect}', sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    reason = "No space left on device" if how == "full" else "Bad file descriptor"
    assert done.stderr == f"error: standard output: {reason}\n"


@pytest.mark.parametrize("args", ["--help", "solve --help", "games"])
def test_standard_error_that_cannot_be_written_changes_no_status(args: str) -> None:
    if not FULL.exists():
        pytest.skip("there is no /dev/full here")
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m ringfen {args} 2>/dev/full', sys.executable], capture_output=True, check=False
    )
    assert done.returncode == 0
    done = subprocess.run(
        ["sh", "-c", '"$0" -m ringfen moves 2>/dev/full', sys.executable], capture_output=True, check=False
    )
    assert done.returncode == 2


@pytest.mark.parametrize(
    "args",
    [
        "fmt {records}",
        "fmt --diff {records}",
        "fix {records}",
        "annotate --nodes 10 {records}",
        "annotate --nodes 10 --json --out {out} {records}",
    ],
)
def test_standard_output_that_cannot_be_written_is_not_taken_for_a_file(args: str, tmp_path: Path) -> None:
    if not FULL.exists():
        pytest.skip("there is no /dev/full here")
    records = tmp_path / "games.rgn"
    records.write_text('[Game "siaius"]\n\n1.   a3-a4 *\n')
    command = args.format(records=records, out=tmp_path / "out.rgn")
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m ringfen {command} --quiet >/dev/full', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "error: standard output: No space left on device\n" in done.stderr
    assert done.stderr.count("error") == 1


@pytest.mark.parametrize("args", ["fmt {records}", "fix {records}", "convert --to csv {records}", "filter {records}"])
def test_an_output_that_cannot_be_written_is_named_once(args: str, tmp_path: Path) -> None:
    if not FULL.exists():
        pytest.skip("there is no /dev/full here")
    records = tmp_path / "games.rgn"
    records.write_text('[Game "siaius"]\n\n1. a3-a4 *\n')
    result = ringfen(*args.format(records=records).split(), "-q", "--out", str(FULL))
    assert result.exit_code == 2
    assert [line for line in result.stderr.splitlines() if line.startswith("error")] == [
        f"error: {FULL}: No space left on device"
    ]


@pytest.mark.parametrize("args", ["show -", "solve -", "validate -", "answers -", "suite -", "view -", "ugi"])
def test_standard_input_that_cannot_be_read_is_named(args: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m ringfen {args} <&-', sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "error: <stdin>: Bad file descriptor\n"


@pytest.mark.parametrize("args", ["show -f", "solve -f", "answers", "suite", "validate"])
def test_a_compressed_input_that_is_cut_short_is_named(args: str, tmp_path: Path) -> None:
    file = tmp_path / "cut.gz"
    file.write_bytes(gzip.compress(b"rings\n" * 9)[:-9])
    result = ringfen(*args.split(), str(file))
    assert result.exit_code == 2
    assert f"error: {file}: no whole gzip file: " in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        "filter {records} --out-dir {out} --by game",
        "show nonsense --out-dir {out}",
        "prove rings --nodes 1 --out-dir {out}",
        "solve rings --dask nonsense://here --out {out}",
        "perft rings --depth 2 --dask nonsense://here --out {out}",
    ],
)
def test_a_command_that_fails_leaves_no_empty_output(
    args: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if "--dask" in args:
        pytest.importorskip("distributed")
    records = tmp_path / "games.rgn"
    records.write_text('[Game "siaius"]\n\n1. a3-a4 *\n')
    if args.startswith("filter"):
        monkeypatch.setattr("os.replace", fail)
    out = tmp_path / "new" / "out" if "--out-dir" in args else tmp_path / "out"
    result = ringfen(*args.format(records=records, out=out).split())
    assert result.exit_code in (2, 3)
    assert "--resume" not in result.stderr
    assert list(tmp_path.iterdir()) == [records]


@pytest.mark.parametrize(
    "args",
    [
        "solve rings --nodes 1 --out {out}",
        "solve rings --nodes 1 --tree --out {out}",
        "perft rings --depth 4 --out {out}",
        "annotate {records} --nodes 1 --out {out}",
        "problems {records} --nodes 1 --out {out}",
    ],
)
def test_ctrl_c_before_the_first_result_leaves_no_file(
    args: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    records = tmp_path / "games.rgn"
    records.write_text('[Game "siaius"]\n\n1. a3-a4 *\n')
    monkeypatch.setattr("ringfen.batch.workers.pool_for", interrupt)
    monkeypatch.setattr("ringfen.position.Position.solve", interrupt)
    result = ringfen(*args.format(records=records, out=tmp_path / "out").split())
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (130, "interrupted")
    assert "--resume" not in result.stderr
    assert list(tmp_path.iterdir()) == [records]


@pytest.mark.parametrize(
    "command",
    [
        ("moves", "-", "--json"),
        ("play", "-", "--json"),
        ("perft", "-", "--depth", "2", "--json"),
        ("solve", "-", "--nodes", "100", "--json"),
    ],
    ids=lambda command: command[0],
)
def test_each_line_is_answered_as_it_arrives(command: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ringfen", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, line in enumerate(("rings", "gyges x", "siaius"), 1):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["line"] == number
            assert ("error" in answer) == (line == "gyges x")
        process.stdin.close()
        assert process.wait(60) == 2


@pytest.mark.parametrize(
    "command",
    [("moves", "-"), ("play", "-"), ("perft", "-", "--depth", "2"), ("solve", "-", "--nodes", "100"), ("show", "-")],
    ids=lambda command: command[0],
)
def test_each_line_is_answered_in_words_as_it_arrives(command: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ringfen", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in ("rings", "gyges x", "siaius"):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            if line == "gyges x":
                assert process.stderr.readline().startswith("<stdin>:2:7: bad-ranks: ")
            else:
                assert process.stdout.readline()
        process.stdin.close()
        assert process.wait(60) == 2


def test_an_empty_line_ends_each_answer_on_standard_input(tmp_path: Path) -> None:
    lines = ("rings", "gyges x", "siaius", "gyges ....../....../....../....../....../...... n 3 0+1")
    text = "".join(f"{line}\n" for line in lines)
    answers = [ringfen("moves", line, "--plain").stdout for line in lines]
    assert [len(answer.split()) > 0 for answer in answers] == [True, False, True, False]
    assert ringfen("moves", "-", "--plain", stdin=text).stdout == "".join(f"{answer}\n" for answer in answers)
    file = tmp_path / "positions.txt"
    file.write_text("rings\ngyges x\nsiaius\n")
    assert ringfen("moves", "-f", str(file), "--plain").stdout == f"{answers[0]}\n{answers[2]}"
