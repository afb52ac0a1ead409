"""Files that are read: compressed ones, other encodings, directories, odd names; the same in all commands."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tarfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard
from cli_runner import json_lines, ringfen

TAGS = '[Game "gyges"]\n[Event "{}"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
RECORD = TAGS.format("E") + "1. 321123 321123 *\n\n"
READERS = {
    "validate": ("validate", "--json"),
    "filter": ("filter",),
    "stats": ("stats", "--json"),
    "convert": ("convert", "--to", "jsonl"),
    "positions": ("positions",),
    "annotate": ("annotate", "--nodes", "1"),
    "view": ("view", "--out", "-"),
    "fmt": ("fmt",),
    "fix": ("fix",),
}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]),
    "zstandard": zstandard.compress,
    "frames": lambda data: b"\x5a\x2a\x4d\x18\2\0\0\0xx" + zstandard.compress(data[:9]) + zstandard.compress(data[9:]),
}
reading = pytest.mark.parametrize("command", READERS)


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def untitled(text: str) -> str:
    """Return what a command printed without the title of a page, which contains the names of the files."""
    return re.sub("<(title|h2)>.*?</(title|h2)>", "", text)


# ---- compressed files ----


@reading
@pytest.mark.parametrize("how", PACK)
def test_records_are_unpacked_by_their_first_bytes(command: str, how: str) -> None:
    Path("a.rgn").write_bytes(RECORD.encode() * 2)
    plain = ringfen(*READERS[command], "a.rgn")
    packed = PACK[how](RECORD.encode() * 2)
    Path("a.rgn").write_bytes(packed)
    assert ringfen(*READERS[command], "a.rgn").stdout == plain.stdout
    from_input = ringfen(*READERS[command], "-", stdin=packed)
    assert from_input.exit_code == 0
    assert untitled(from_input.stdout.replace("<stdin>", "a.rgn")) == untitled(plain.stdout)


@pytest.mark.parametrize("how", PACK)
def test_other_files_are_unpacked(how: str) -> None:
    pack = PACK[how]
    solved = "siaius 3/s2/2M s - - 0"
    Path("positions").write_bytes(pack(f"{solved}\n".encode()))
    Path("suite").write_bytes(pack(b'{"fen": "gyges", "depth": 1, "count": 90}\n'))
    assert ringfen("solve", "--file", "positions", "--out", "answers").exit_code == 0
    assert ringfen("perft", "-", "--depth", "1", stdin=pack(b"rings\n")).exit_code == 0
    assert ringfen("answers", "-", "--json", stdin=pack(Path("answers").read_bytes())).exit_code == 0
    Path("answers.zst").write_bytes(pack(Path("answers").read_bytes()))
    assert json_lines(ringfen("answers", "answers.zst", "--json"))[0]["answers"] == 1
    assert ringfen("prove", solved, "--out", "cert").exit_code == 0
    certificate = pack(Path("cert").read_bytes())
    Path("cert").write_bytes(certificate)
    assert ringfen("verify", "cert").exit_code == 0
    assert ringfen("verify", "-", stdin=certificate).exit_code == 0
    board = Path(__file__).parents[2] / "core_c/rules/gran/boards/default.board"
    Path("default.board").write_bytes(pack(board.read_bytes()))
    assert ringfen("moves", "gran", "--board", "default.board").exit_code == 0


@pytest.mark.parametrize("name", ["out.jsonl.gz", "out.jsonl.zst"])
def test_answers_are_not_written_compressed(name: str) -> None:
    result = ringfen("solve", "siaius 3/s2/2M s - - 0", "--out", name)
    assert (result.exit_code != 0, Path(name).exists()) == (True, False)
    assert "answers are not written compressed" in result.stderr


def test_compressed_answers_are_not_resumed() -> None:
    ringfen("solve", "siaius 3/s2/2M s - - 0", "--out", "answers")
    Path("answers").write_bytes(gzip.compress(Path("answers").read_bytes()))
    before = Path("answers").read_bytes()
    result = ringfen("solve", "siaius 3/s2/2M s - - 0", "--out", "answers", "--resume")
    assert "answers is compressed; unpack it to resume" in result.stderr
    assert (result.exit_code != 0, Path("answers").read_bytes()) == (True, before)


def test_an_output_is_compressed_as_its_name_says() -> None:
    Path("a.rgn").write_text(RECORD)
    ringfen("filter", "a.rgn", "--out", "b.rgn.zst")
    ringfen("filter", "a.rgn", "--out", "b.rgn.gz")
    assert zstandard.ZstdDecompressor().decompressobj().decompress(Path("b.rgn.zst").read_bytes()) == RECORD.encode()
    assert gzip.decompress(Path("b.rgn.gz").read_bytes()) == RECORD.encode()


@pytest.mark.parametrize("command", ["fmt", "fix"])
@pytest.mark.parametrize("how", PACK)
def test_compressed_files_are_not_rewritten(command: str, how: str) -> None:
    packed = PACK[how](TAGS.replace("?", "?").encode() + b"1. 321123   321123 *\n")
    Path("a.rgn").write_bytes(packed)
    result = ringfen(command, "--write", "a.rgn")
    assert (result.exit_code, Path("a.rgn").read_bytes()) == (2, packed)
    assert result.stderr == "error: a.rgn: --write does not change compressed files\n"


def tar() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    return data.getvalue()


FOREIGN = {
    b"PK\x03\x04xx": "a zip archive; unpack it first",
    b"BZh91AY": "a bzip2 file; unpack it first",
    b"\xfd7zXZ\x00": "an xz file; unpack it first",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it first",
    b"%PDF-1.7": "a PDF document; save the content as text",
    b"\x89PNG\r\n": "a PNG image; save the content as text",
    b"\xff\xd8\xff\xe0": "a JPEG image; save the content as text",
    gzip.compress(tar()): "a tar archive; unpack it first",
    gzip.compress(b"PK\x03\x04xx"): "a zip archive; unpack it first",
    zstandard.compress(gzip.compress(b"gyges\n")): "a file that was packed twice; unpack it first",
    zstandard.compress(b"PK\x03\x04" + b64encode(Random(1).randbytes(1 << 16))): "a zip archive; unpack it first",
}


@pytest.mark.parametrize("data", FOREIGN)
@pytest.mark.parametrize("command", [*READERS.values(), ("solve", "--file"), ("answers",), ("verify",)], ids=" ".join)
def test_other_formats_are_named_in_one_line(command: tuple[str, ...], data: bytes) -> None:
    Path("x").write_bytes(data)
    result = ringfen(*command, "x")
    assert result.exit_code == 2
    assert f"error: x: this is {FOREIGN[data]}\n" in result.stderr
    assert result.stderr.count("error: ") == 1


@pytest.mark.parametrize("data", [bytes(range(256)) * 20, bytes(300)], ids=["bytes", "zeros"])
@pytest.mark.parametrize(
    "command", [*READERS.values(), ("play", "--file"), ("prove", "--out-dir", "d", "--file"), ("answers",), ("verify",)]
)
def test_binary_files_are_named_in_one_line(command: tuple[str, ...], data: bytes) -> None:
    Path("x").write_bytes(data)
    result = ringfen(*command, "x")
    assert result.exit_code == 2
    assert "error: x: this is a binary file, not a" in result.stderr
    assert result.stderr.count("error: ") == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("command", ["show --file", "moves --file", "prove --out-dir d --file", "suite", "answers"])
def test_positions_in_other_encodings_are_named_in_one_line(command: str, encoding: str) -> None:
    Path("x").write_bytes("gyges\nrings\n".encode(encoding))
    result = ringfen(*command.split(), "x")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: x: this is text in {encoding[:6].upper()}, not a ")
    assert result.stderr.endswith("; save it as UTF-8\n")


def test_lines_of_a_pipe_are_read_as_they_come() -> None:
    from ringfen.inputs import unpacked

    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as stream, os.fdopen(writer, "wb", buffering=0) as feed:
        feed.write(b"P\n")
        lines = unpacked(stream, "pipe")
        assert lines.readline() == b"P\n"
        feed.write(b"\x28\n")
        assert lines.readline() == b"\x28\n"


def test_a_bomb_is_unpacked_piece_by_piece() -> None:
    import tracemalloc

    Path("bomb").write_bytes(zstandard.compress(b"a" * (1 << 28)))
    tracemalloc.start()
    result = ringfen("validate", "--max-record", "1", "bomb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.exit_code == 1
    assert peak < 1 << 26


# ---- encodings ----


@reading
@pytest.mark.parametrize(("encoding", "word"), [("windows-1251", "Иванов"), ("latin-1", "Désgranges"), ("utf-16", "Ł")])
def test_other_encodings(command: str, encoding: str, word: str) -> None:
    text = TAGS.format(word) + "1. 321123 321123 {" + word + "} 2. a1-b2 *\n\n"
    Path("a.rgn").write_text(text, encoding="utf-8")
    expected = ringfen(*READERS[command], "a.rgn")
    Path("a.rgn").write_text(text, encoding=encoding)
    result = ringfen(*READERS[command], "--encoding", encoding, "a.rgn")
    assert (result.exit_code, result.stdout) == (expected.exit_code, expected.stdout)
    if command != "fix":  # which also reports the change of the encoding
        assert result.stderr == expected.stderr
    stdin = ringfen(*READERS[command], "--encoding", encoding, "-", stdin=text.encode(encoding))
    assert untitled(stdin.stdout.replace("<stdin>", "a.rgn")) == untitled(expected.stdout)


@reading
@pytest.mark.parametrize("name", ["nonsense", "", "rot13", "hex", "a\0b", "undefined"])
def test_unknown_encodings(command: str, name: str) -> None:
    Path("a.rgn").write_text(RECORD)
    result = ringfen(*READERS[command], "--encoding", name, "a.rgn")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Invalid value" in result.stderr


@reading
def test_a_file_that_is_not_in_the_encoding(command: str) -> None:
    Path("a.rgn").write_bytes(RECORD.encode() + TAGS.format("x").encode() + b"{\x98} *\n")
    result = ringfen(*READERS[command], "--encoding", "windows-1251", "a.rgn")
    assert result.exit_code == 2
    assert "error: a.rgn: line 17 is not in the encoding cp1251\n" in result.stderr


@pytest.mark.parametrize("command", ["fmt", "fix"])
def test_a_file_that_is_written_is_utf_8(command: str) -> None:
    text = TAGS.format("Désgranges") + "1. 321123 321123 *\n\n"
    Path("a.rgn").write_text(text, encoding="latin-1")
    assert ringfen(command, "--write", "--encoding", "latin-1", "a.rgn").exit_code == 0
    assert Path("a.rgn").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("encoding", "word", "named"),
    [
        ("windows-1252", "Désgranges", "windows-1252"),
        ("windows-1251", "Иванов", "windows-1251"),
        ("koi8-r", "Иванов Пётр", "koi8-r"),
        ("windows-1253", "Παπαδόπουλος", "windows-1253"),
    ],
)
def test_the_diagnostic_names_a_plausible_encoding(encoding: str, word: str, named: str) -> None:
    Path("a.rgn").write_text(TAGS.format(word) + "*\n", encoding=encoding)
    (record,) = json_lines(ringfen("validate", "--json", "a.rgn"))
    (message,) = [one["message"] for one in record["diagnostics"] if one["code"] == "bad-utf8"]
    assert f"in {named} it would be {next(c for c in word if not c.isascii())}: read the file with" in message
    assert f"--encoding {named}, or save it as UTF-8" in message
    assert ringfen("validate", "--encoding", named, "a.rgn").exit_code == 0


# ---- directories ----


@reading
def test_directories_are_searched_recursively(command: str) -> None:
    for place in ("b/c/d", "b/.hidden", "a"):
        Path("dir", place).mkdir(parents=True)
    Path("dir/b/c/loop").symlink_to("..")
    Path("dir/a/self").symlink_to(".")
    Path("dir/b/c/d/deep.rgn").write_text(RECORD.replace('"E"', '"1"'))
    Path("dir/b/two.rgn.gz").write_bytes(gzip.compress(RECORD.replace('"E"', '"2"').encode()))
    Path("dir/z.rgn.zst").write_bytes(zstandard.compress(RECORD.replace('"E"', '"3"').encode()))
    Path("dir/b/other.txt").write_text("other")
    os.mkfifo("dir/a/pipe.rgn")
    files = ["dir/b/c/d/deep.rgn", "dir/b/two.rgn.gz", "dir/z.rgn.zst"]
    result = ringfen(*READERS[command], "dir")
    assert result.exit_code == 2
    assert "error: dir/a/pipe.rgn: this is not a regular file\n" in result.stderr
    Path("dir/a/pipe.rgn").unlink()
    result = ringfen(*READERS[command], "dir")
    expected = ringfen(*READERS[command], *files)
    assert (result.exit_code, result.stderr) == (0, expected.stderr)
    assert untitled(result.stdout) == untitled(expected.stdout)


# ---- names ----

NAMES = [
    b"new\nline.rgn",
    b"\xff\xfe.rgn",
    b"tab\t\x1b[31m.rgn",
    "\u202ea\x9b.rgn".encode(),
    "é.rgn".encode(),
    b"\\udcff.rgn",
]


@pytest.mark.parametrize("raw", NAMES)
@pytest.mark.parametrize(
    "command",
    [
        ("validate", "--json"),
        ("filter", "--json"),
        ("positions", "--json"),
        ("fix", "--json"),
        ("annotate", "--nodes", "1", "--json"),
        ("verify", "--json"),
        ("board", "check", "--json"),
    ],
    ids=" ".join,
)
def test_names_of_files_are_lossless_in_json(command: tuple[str, ...], raw: bytes) -> None:
    Path(os.fsdecode(raw)).write_text(RECORD)
    result = ringfen(*command, os.fsdecode(raw))
    lines = [json.loads(line) for line in result.stdout_bytes.splitlines()]
    assert lines
    assert {os.fsencode(line["file"]) for line in lines} == {raw}
    assert all(character.isprintable() for character in result.stdout.replace("\n", ""))


@reading
@pytest.mark.parametrize("raw", NAMES)
def test_names_of_files_are_printable_for_people(command: str, raw: bytes) -> None:
    Path(os.fsdecode(raw)).write_text(RECORD)
    result = ringfen(*READERS[command], os.fsdecode(raw))
    assert result.exit_code == 0
    assert all(character.isprintable() for character in result.stderr.replace("\n", ""))
