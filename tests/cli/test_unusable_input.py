"""Input of which nothing can be made: one message that says why, exit status 2, and nothing is left behind."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from cli_runner import ringfen

ZERO = Path("/dev/zero")


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_suite_without_counts(tmp_path: Path, content: str) -> None:
    suite = tmp_path / "suite.jsonl"
    suite.write_text(content)
    for more in ((), ("--json",)):
        result = ringfen("suite", str(suite), *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: {suite}: there are no counts in it\n"
    suite.write_text('{"fen": "gyges", "depth": 1, "count": 90}\n')
    result = ringfen("suite", str(suite), "--game", "rings")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {suite}: there are no counts of rings in it\n"


def test_nothing_to_prove(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("# only this\n")
    for more in (("--out", str(tmp_path / "proof.cert")), ("--out-dir", str(tmp_path / "proofs"))):
        result = ringfen("prove", "--file", str(empty), *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "note: there are no positions\n"
    assert list(tmp_path.iterdir()) == [empty]


@pytest.mark.parametrize("command", ["verify", "verify --json", "verify --full", "stats", "longest", "checksums"])
def test_no_tables(tmp_path: Path, command: str) -> None:
    result = ringfen("tablebase", *command.split(), "--directory", str(tmp_path))
    assert (result.exit_code, result.stdout) == (1, "")
    build = f"run 'ringfen tablebase build GAME --directory {tmp_path}' to build them"
    assert result.stderr == f"error: no tables that match in {tmp_path}; {build}\n"
    missing = tmp_path / "missing"
    options = ("--size", "5x4", "--huff", "off", *(() if command == "checksums" else ("--material", "SMvT")))
    result = ringfen("tablebase", *command.split(), "siaius", *options, RINGFEN_TABLES=str(missing))
    assert (result.exit_code, result.stdout) == (2, "")
    build = f"run 'ringfen tablebase build siaius {' '.join(options)}' to build them"
    assert result.stderr == f"error: there is no directory {missing}; {build}\n"
    if command == "longest":
        result = ringfen("tablebase", command, "--material", "112233", RINGFEN_TABLES=str(missing))
        assert "run 'ringfen tablebase build gyges --material 112233' to build them" in result.stderr


@pytest.mark.parametrize("command", ["list", "list --json", "verify", "stats", "longest", "checksums", "probe siaius"])
def test_a_directory_of_tables_that_is_not_there(tmp_path: Path, command: str) -> None:
    file = tmp_path / "file"
    file.touch()
    for directory in (tmp_path / "missing", file):
        result = ringfen("tablebase", *command.split(), "--directory", str(directory))
        assert (result.exit_code, result.stdout) == (2, "")
        assert str(directory) in result.stderr


@pytest.mark.parametrize("command", ["validate", "stats", "fmt", "filter"])
def test_a_directory_without_records(tmp_path: Path, command: str) -> None:
    result = ringfen(command, str(tmp_path))
    assert result.exit_code == 0
    assert result.stderr == f"note: {tmp_path} contains no files .rgn, .rgn.gz, .rgn.zst\n"


@pytest.mark.parametrize("command", ["show --out-dir", "prove --out-dir"])
def test_a_directory_is_made_for_a_position_that_was_read(tmp_path: Path, command: str) -> None:
    new = tmp_path / "new" / "er"
    name, option = command.split()
    result = ringfen(name, "nonsense", option, str(new))
    assert result.exit_code == 2
    assert "unknown-game" in result.stderr
    assert not new.parent.exists()
    assert ringfen(name, "siaius 3/s2/2M s - - 0", option, str(new)).exit_code == 0
    assert len(list(new.iterdir())) == 1


@pytest.mark.parametrize(
    "args",
    [
        ("show", "gyges", "--out-dir", ""),
        ("prove", "siaius 3/s2/2M s - - 0", "--out-dir", ""),
        ("filter", "games.rgn", "--by", "game", "--out-dir", ""),
        ("show", "gyges", "--out", ""),
        ("prove", "siaius 3/s2/2M s - - 0", "--out", ""),
        ("filter", "games.rgn", "--out", ""),
    ],
)
def test_outputs_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.rgn").write_text('[Game "rings"]\n\n*\n')
    result = ringfen(*args)
    assert result.exit_code == 2
    assert "needs the name of a directory" in result.stderr or "the name of an output is empty" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["games.rgn"]


@pytest.mark.parametrize(
    "args",
    [
        ("stats",),
        ("stats", "--json"),
        ("answers",),
        ("answers", "--json"),
        ("answers", "--csv"),
        ("answers", "--merge"),
    ],
)
def test_files_that_are_not_there(tmp_path: Path, args: tuple[str, ...]) -> None:
    missing = str(tmp_path / "missing")
    result = ringfen(*args, missing)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {missing}: No such file or directory\n"


def test_answers_that_cannot_be_read_replace_no_file(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    out.write_text("as before\n")
    assert ringfen("answers", str(tmp_path / "missing"), "--merge", "--out", str(out)).exit_code == 2
    assert out.read_text() == "as before\n"


@pytest.mark.skipif(not ZERO.exists(), reason="needs /dev/zero")
@pytest.mark.parametrize(
    "args",
    [
        ("answers", "/dev/zero"),
        ("validate", "/dev/zero"),
        ("fmt", "/dev/zero"),
        ("fmt", "--check", "/dev/zero"),
        ("fix", "/dev/zero"),
        ("fix", "--diff", "/dev/zero"),
        ("suite", "/dev/zero"),
        ("show", "-f", "/dev/zero"),
        ("tablebase", "checksums", "--check", "/dev/zero"),
    ],
)
def test_devices_that_never_end(args: tuple[str, ...]) -> None:
    result = ringfen(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: /dev/zero: this device is not a file of text\n"


def test_a_list_of_checksums_may_be_packed_but_not_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("tablebase", "checksums", "--directory", "tables")
    build = ("tablebase", "build", "siaius", "--size", "3x3", "--stones", "2", "--directory", "tables")
    assert ringfen(*build).exit_code == 0
    Path("sums.gz").write_bytes(gzip.compress(ringfen(*words).stdout.encode()))
    assert ringfen(*words, "--check", "sums.gz").exit_code == 0
    Path("long").write_bytes(bytes((16 << 20) + 1))
    result = ringfen(*words, "--check", "long")
    assert (result.exit_code, result.stderr) == (2, "error: long: a list of checksums has at most 16 MB\n")


@pytest.mark.parametrize("command", ["filter", "filter --opening 321123", "fix", "fix --write", "fmt", "fmt --write"])
def test_json_lines_where_only_text_is_read(tmp_path: Path, command: str) -> None:
    lines = ringfen("convert", "examples/gyges-2001.rgn", "--to", "jsonl").stdout
    file = tmp_path / "games.jsonl"
    file.write_text(lines)
    words = "JSON lines are not read here; 'ringfen convert --to rgn' makes records of them"
    result = ringfen(*command.split(), str(file))
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {file}: {words}\n")
    assert file.read_text() == lines
    if "--write" not in command:
        result = ringfen(*command.split(), "-", stdin=lines)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: <stdin>: {words}\n")
        # A single brace begins a comment.
        assert words not in ringfen(*command.split(), "-", stdin='{a} [Game "gyges"]\n\n*\n').stderr


def test_a_file_name_as_position(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("siaius\n")
    assert "is a file, not a position: --file reads positions" in ringfen("moves", str(file)).stderr
    assert "is a file" not in ringfen("moves", str(tmp_path / "none")).stderr


def test_no_positions_at_all(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("\n# none\n")
    result = ringfen("solve", "--file", str(file))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "note: there are no positions\n")


KINDS = {
    "records.rgn": '[Game "gyges"]\n\n1. 321123 *\n',
    "records.jsonl": '{"tags": {"Game": "gyges"}, "movetext": [], "result": "*"}\n',
    "positions.txt": "# two\ngyges\nsiaius 3/1s1/1T1/3 s\nrings k s\n",
    "answers.jsonl": '{"line": 1, "fen": "gyges", "game": "gyges", "status": "unknown"}\n',
    "suite.jsonl": '{"fen": "gyges", "depth": 1, "count": 90}\n',
    "suite.epd": "gyges ....../....../....../....../....../...... s - 1+1 ;D1 90 ;D2 8100\n",
    "win.cert": "ringfen certificate 1\n{}",
    "SvT.rft": "RNGFTB\r\nxxxx",
    "gran.board": "# a board\nlines: orthogonal\n",
    "page.html": "<!DOCTYPE html>\n<html>",
}
RECORDS = {"records.rgn", "records.jsonl"}
COMMANDS = [
    (["solve", "--nodes", "10", "-f"], {"positions.txt"}),
    (["perft", "--depth", "1", "-f"], {"positions.txt"}),
    (["moves", "-f"], {"positions.txt"}),
    (["show", "-f"], {"positions.txt"}),
    (["validate"], RECORDS),
    (["stats"], RECORDS),
    (["positions"], RECORDS),
    (["fix"], {"records.rgn"}),
    (["fmt"], {"records.rgn"}),
    (["filter"], {"records.rgn"}),
    (["view", "-o", "-"], {*RECORDS, "positions.txt", "answers.jsonl"}),
    (["suite"], {"suite.jsonl", "suite.epd"}),
    (["verify"], {"win.cert"}),
    (["answers"], {"answers.jsonl"}),
]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("command", "reads"), COMMANDS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_file_of_another_kind_is_rejected_in_one_line(
    command: list[str], reads: set[str], name: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(KINDS[name], encoding="utf-8", newline="")
    result = ringfen(*command, str(file))
    lines = [line for line in result.stderr.splitlines() if ": this is a" in line or "JSON lines are not" in line]
    if name in reads:
        assert lines == []
    else:
        assert (result.exit_code, result.stdout) == (2, "")
        assert len(lines) == 1
        assert len(result.stderr.splitlines()) == 1 or command[0] == "answers"


PLAIN = {
    "a mail": "Dear Bob,\n\nthe file a/b/c is lost,\nsorry!\n",
    "CSV": "name,score,date\nAnn,3,21/11/2026\nBob,4,2025\n",
    "plies": "1. 321123 321123\n2. a1-b3 c6-c5\n",
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("command", ["solve --file", "perft -d 1 --file", "moves --file", "play --file", "suite"])
def test_plain_text_instead_of_positions_is_rejected_in_one_line(command: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(text * 500)
    result = ringfen(*command.split(), str(file))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert result.stderr.startswith(f"error: {file}: this is plain text, not a ")


def test_positions_that_are_mistyped_are_named_each(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for line in ("Gyges", "gyegs 321123/....../....../....../....../321123 s - 1+1", "\ufeffrings k s"):
        file.write_text(f"{line}\nsome text\n", encoding="utf-8")
        assert "plain text" not in ringfen("moves", "--file", str(file)).stderr
    # Each line of a stream has an answer.
    assert ringfen("moves", "-", "--json", stdin="what\never\n").stdout.count('"unknown-game"') == 2


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_a_page_of_plain_text_is_rejected_in_one_line(text: str, tmp_path: Path) -> None:
    file, records, out = tmp_path / "file", tmp_path / "records.rgn", tmp_path / "out.html"
    file.write_text(text)
    records.write_text(KINDS["records.rgn"])
    result = ringfen("view", str(file), "--out", str(out))
    assert (result.exit_code, result.stdout, out.exists()) == (2, "", False)
    assert result.stderr == (
        f"error: {file}: this is plain text, not a file of game records; "
        "'ringfen convert --from plain' reads plies without tags\n"
    )
    assert ringfen("view", str(file), str(records), "--out", str(out)).exit_code == 2
    assert out.read_bytes().count(b"321123 *") == 1


def test_a_page_without_records_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "empty.rgn"
    file.write_text("\n")
    result = ringfen("view", str(file), "--out", str(tmp_path / "out.html"))
    assert (result.exit_code, result.stderr) == (0, f"note: {file} contains no records\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("command", ["view --out -", "stats", "filter"])
def test_records_in_other_encodings_are_named_where_no_record_is_reported(
    command: str, encoding: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(KINDS["records.rgn"].encode(encoding))
    result = ringfen(*command.split(), str(file))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert f"; read it with --encoding {encoding[:6]}, or save" in result.stderr
    assert ringfen(*command.split(), str(file), "--encoding", encoding).exit_code == 0
    file.write_bytes("gyges\nrings\n".encode(encoding))
    if command != "view --out -":
        assert "a file of positions" in ringfen(*command.split(), str(file), "--encoding", encoding).stderr


def test_the_kind_of_a_compressed_file_is_that_of_its_text(tmp_path: Path) -> None:
    for name, command in (("records.rgn", ["moves", "-f"]), ("positions.txt", ["validate"])):
        file = tmp_path / f"{name}.gz"
        file.write_bytes(gzip.compress(KINDS[name].encode()))
        result = ringfen(*command, str(file))
        assert result.exit_code == 2
        assert ": this is a file of" in result.stderr


@pytest.mark.parametrize("name", ["hash_mb=1", "resume=True", "(seconds or nodes)", "(hash_mb=8).rgn"])
def test_names_of_files_are_printed_unchanged(tmp_path: Path, name: str) -> None:
    result = ringfen("validate", str(tmp_path / name))
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path / name}: No such file or directory\n")


def test_a_page_with_records_says_how_to_take_them_out(tmp_path: Path) -> None:
    page = tmp_path / "games.html"
    page.write_text("<!doctype html><html><pre>[Game &quot;gyges&quot;]</pre></html>")
    for command in ("validate", "fix"):
        result = ringfen(command, str(page))
        assert result.exit_code == 2
        assert result.stderr.endswith("open it in a browser, and save the records in it as text\n")
