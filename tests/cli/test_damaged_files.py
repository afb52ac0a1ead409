"""A file that cannot be read to its end is named, and the next one is read; what cannot be written is named too."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runner import ringfen

from ringfen.outputs import Output, naming

RECORD = '[Game "gyges"]\n[South "A"]\n\n1. 321123 321123 *\n\n'
WHOLE = gzip.compress(RECORD.encode() * 50)
DAMAGED = {
    "short": WHOLE[:-20],
    "checksum": WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
    "zip": b"PK\x03\x04",
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
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_damaged_file_is_not_reported_as_valid() -> None:
    Path("dd/a.rgn.gz").write_bytes(DAMAGED["short"])
    result = ringfen("validate", "dd", "--ignore", "missing-tag")
    assert (result.exit_code, result.stdout) == (2, "dd/z.rgn: 1 record, 2 plies: valid\n")


def test_a_damaged_input_is_not_the_output() -> None:
    Path("dd/a.rgn.gz").write_bytes(DAMAGED["more"])
    for option in ("--out", "--rejects"):
        result = ringfen("filter", "dd", option, "dd.out", "-q")
        assert result.exit_code == 2
        assert result.stderr.startswith("error: dd/a.rgn.gz: ")
        assert "dd.out" not in result.stderr.splitlines()[0]


def test_only_writing_names_the_output() -> None:
    reading = OSError(errno.EIO, "reading")
    with pytest.raises(OSError, match="reading") as raised, Output("out").open():
        raise reading
    assert raised.value.filename is None
    for filename, named in ((None, "out"), ("dir/.ringfen-1", "out"), ("other", "other")):
        with pytest.raises(OSError, match="No space") as raised, naming("out"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), filename)
        assert raised.value.filename == named
    with pytest.raises(OSError, match="Input") as raised, naming("out", {errno.ENOSPC}):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    assert raised.value.filename is None


WIN = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system without room, where one may be mounted."""
    place = tmp_path / "full"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    (place / "filler").write_bytes(bytes(4096))
    yield place
    subprocess.run(["umount", str(place)], check=True)


WRITING = {
    "perft": ("perft", "gyges", "-d", "2", "--out", "{}/out"),
    "filter --out-dir": ("filter", "dd/z.rgn", "--out-dir", "{}", "--by", "game"),
    "filter": ("filter", "dd/z.rgn", "--out", "{}/out"),
    "annotate": ("annotate", "dd/z.rgn", "--nodes", "1", "--out", "{}/out"),
    "solve": ("solve", WIN, "--out", "{}/out"),
    "view": ("view", "dd/z.rgn", "--out", "{}/out"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_named(name: str, full_disk: Path) -> None:
    result = ringfen(*(word.format(full_disk) for word in WRITING[name]))
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"error: {full_disk}/")
    assert last.endswith(": No space left on device")
    assert ".ringfen-" not in last


@pytest.mark.parametrize("name", WRITING)
def test_a_file_that_may_not_grow_is_named(name: str, tmp_path: Path) -> None:
    """The limit on the size of files stands for a full disk, which a test cannot always have."""
    words = " ".join(f"'{word.format(tmp_path)}'" for word in WRITING[name])
    shell = f"ulimit -f 0; exec '{sys.executable}' -m ringfen {words}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=False, text=True)
    assert done.returncode == 2, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"error: {tmp_path}/")
    assert last.endswith(": File too large")
    assert ".ringfen-" not in last
    assert "/tmp" not in last.removeprefix(f"error: {tmp_path}")
