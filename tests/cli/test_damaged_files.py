"""A file that cannot be read to its end is named, and the next one is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from cli_runner import ringfen

RECORD = '[Game "gyges"]\n[South "A"]\n\n1. 321123 321123 *\n\n'
WHOLE = gzip.compress(RECORD.encode() * 50)
DAMAGED = {
    "short": WHOLE[:-20],
    "checksum": WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
    "none": RECORD.encode(),
    "more": WHOLE + b"more",
}
COMMANDS = {
    "validate": ("validate",),
    "filter": ("filter",),
    "stats": ("stats",),
    "convert": ("convert", "--to", "rgn"),
    "positions": ("positions",),
    "annotate": ("annotate", "--nodes", "1"),
    "view": ("view", "--out", "-"),
    "fmt": ("fmt",),
    "fix": ("fix",),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dd").mkdir()
    Path("dd/z.rgn").write_text(RECORD)


@pytest.mark.parametrize("how", DAMAGED)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_next_file_is_read(name: str, how: str) -> None:
    Path("dd/a.rgn.gz").write_bytes(DAMAGED[how])
    alone = ringfen(*COMMANDS[name], "dd/z.rgn")
    for files in (("dd/a.rgn.gz", "dd/z.rgn"), ("dd",)):
        result = ringfen(*COMMANDS[name], *files)
        assert result.exit_code == 2
        assert result.stderr.count("error: ") == 1
        assert "error: dd/a.rgn.gz: " in result.stderr
        if name in ("validate", "filter", "convert", "positions", "fmt", "fix"):
            assert result.stdout.endswith(alone.stdout)
        elif name != "annotate":
            assert result.stdout


def test_a_damaged_file_is_not_said_to_be_valid() -> None:
    Path("dd/a.rgn.gz").write_bytes(DAMAGED["short"])
    result = ringfen("validate", "dd", "--ignore", "missing-tag")
    assert (result.exit_code, result.stdout) == (2, "dd/z.rgn: 1 record, 2 plies: valid\n")


def test_a_damaged_input_is_not_the_output() -> None:
    Path("dd/a.rgn.gz").write_bytes(DAMAGED["more"])
    for option in ("--out", "--rejects"):
        result = ringfen("filter", "dd", option, "dd.out", "-q")
        assert result.exit_code == 2
        assert result.stderr.startswith("error: dd/a.rgn.gz: ")
        assert "dd.out" not in result.stderr
