"""Standard output and error that cannot be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
    assert done.stderr == f"error: {'<stdout>: No space left on device' if how == 'full' else 'Bad file descriptor'}\n"


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
    assert "error: <stdout>: No space left on device\n" in done.stderr
    assert done.stderr.count("error") == 1
