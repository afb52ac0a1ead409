"""``tablebase stats`` and ``longest``: against probes of every position, and retrograde analysis of some."""

from __future__ import annotations

import os
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position
from ringfen._core import ffi
from ringfen.cli.exit_status import OK, USAGE, WRONG
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board, TableFile, TableInfo
from ringfen.tables.tablebase import Tables

BOARD = Board("siaius", 3, 4, "turn")
MEMORY = 1 << 30


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("tables")
    build_tables(BOARD, 3, directory=path, threads=1)
    return path


def zugzwangs(tables: Tables, info: TableInfo) -> list[tuple[str, int, str]]:
    """The value with North to move, the distance and the position of each entry in which South loses."""
    found: list[tuple[str, int, str]] = []
    for index in range(info.entries):
        fen = tables.text(info.material, index)
        south = None if fen is None else tables.value(Position(fen))
        if fen is not None and south is not None and south[0] == "loss":
            north = tables.value(Position(fen.replace(" s ", " n ")))
            assert north is not None
            assert south[1] is not None
            found.append((north[0], south[1], fen))
    return found


def test_counts_and_longest_wins_are_those_of_single_probes(directory: Path) -> None:
    env = {"RINGFEN_TABLES": str(directory)}
    counted = {line["material"]: line for line in json_lines(ringfen("tablebase", "stats", "--json", "-q", **env))}
    found = [
        json_lines(ringfen("tablebase", "longest", "siaius", "--first", count, "--json", "-q", **env))
        for count in ("1", "20", "1000000")
    ]
    with_loss = 0
    counted_zugzwangs: Counter[str] = Counter()
    tables = Tables(BOARD, directory)
    assert set(counted) == {info.name for info in tables.infos}
    for info in tables.infos:
        wins: Counter[int] = Counter()
        losses: Counter[int] = Counter()
        draws = 0
        won: list[tuple[int, str]] = []
        for index in range(info.entries):
            fen = tables.text(info.material, index)
            if fen is None:
                continue
            position = Position(fen)
            answer = tables.value(position)
            if len(info.name) == len("SvM"):
                assert answer == ReachableGraph(position, MEMORY).value(position)
            assert answer is not None
            value, distance = answer
            if value == "win":
                assert distance is not None
                wins[distance] += 1
                won.append((distance, fen))
            elif value == "loss":
                assert distance is not None
                losses[distance] += 1
            else:
                draws += 1
        line = counted[info.name]
        assert line["wins"] == {str(distance): wins[distance] for distance in sorted(wins)}
        assert line["losses"] == {str(distance): losses[distance] for distance in sorted(losses)}
        assert line["draws"] == draws
        lost = zugzwangs(tables, info)
        for name, value in (("zugzwang", "loss"), ("half_zugzwang", "draw")):
            found_fens = [(distance, fen) for north, distance, fen in lost if north == value]
            assert line[f"{name}s"] == len(found_fens)
            longest = max(found_fens, key=lambda item: item[0], default=None)  # the first of equal ones
            assert line[f"longest_{name}"] == (longest and {"fen": longest[1], "distance": longest[0]})
            counted_zugzwangs[name] += len(found_fens)
        won.sort(key=lambda item: -item[0])
        for count, lines in zip((1, 20, 1000000), found, strict=True):
            of_class = [(each["distance"], each["fen"]) for each in lines if each["material"] == info.name]
            assert of_class == won[:count]
        with_loss += bool(losses)
    assert with_loss > 5
    assert counted_zugzwangs["half_zugzwang"] > 0


def test_text_and_options(directory: Path) -> None:
    env = {"RINGFEN_TABLES": str(directory)}
    options = ("--material", "SMvT", "-q")
    text = ringfen("tablebase", "stats", *options, **env)
    assert text.exit_code == OK
    assert text.stdout.startswith("siaius-3x4-turn SMvT: ")
    line = json_lines(ringfen("tablebase", "stats", *options, "--json", **env))[0]
    assert f"{sum(line['wins'].values()):,} wins, {line['draws']:,} draws" in text.stdout
    text = ringfen("tablebase", "longest", *options, **env)
    assert text.stdout.startswith(f"SMvT  win in {max(map(int, line['wins']))}  siaius ")
    assert ringfen("tablebase", "longest", "--size", "5x5", **env).stdout == ""
    assert ringfen("tablebase", "longest", "--first", "0", **env).exit_code == USAGE
    assert ringfen("tablebase", "stats", "--material", "XvY", **env).exit_code == USAGE


def test_a_damaged_block_is_not_counted(directory: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    folder.mkdir()
    whole = bytearray((directory / BOARD.folder / "SMvT.rft").read_bytes())
    whole[-1] ^= 1
    (folder / "SMvT.rft").write_bytes(whole)
    env = {"RINGFEN_TABLES": str(tmp_path)}
    assert ringfen("tablebase", "stats", "-q", **env).exit_code == WRONG
    assert ringfen("tablebase", "longest", "--first", "1000000", "-q", **env).exit_code == WRONG


def test_checksums_are_of_the_values(directory: Path) -> None:
    env = {"RINGFEN_TABLES": str(directory)}
    listed = ringfen("tablebase", "checksums", "-q", **env).stdout
    lines = {line[66:]: line[:64] for line in listed.splitlines()}
    tables = Tables(BOARD, directory)
    assert len(lines) == len(tables)
    file = TableFile(directory / BOARD.folder / "SMvT.rft")
    values = bytes(ffi.buffer(file.values(), file.info.entries * file.info.width))
    assert lines["siaius-3x4-turn/SMvT"] == sha256(values).hexdigest()


def test_checksums_are_compared_with_a_list(directory: Path, tmp_path: Path) -> None:
    env = {"RINGFEN_TABLES": str(directory)}
    listed = ringfen("tablebase", "checksums", "-q", **env).stdout
    lines = {line[66:]: line[:64] for line in listed.splitlines()}
    published = tmp_path / "list"
    published.write_text(listed)
    check = ("tablebase", "checksums", "--check", str(published), "-q")
    good = ringfen(*check, **env)
    assert (good.exit_code, good.stdout) == (OK, "".join(f"ok  {name}\n" for name in lines))
    published.write_text(f"{listed}{'0' * 64}  siaius-3x4-turn/SSSvSSS\n{'0' * 64}  siaius-9x9-turn/SvS\n")
    partly = ringfen(*check[:-1], **env)
    summary = f"checked {len(lines)} tables: {len(lines)} ok; 1 more in the list is not built here (not an error)\n"
    assert (partly.exit_code, partly.stdout, partly.stderr) == (OK, good.stdout, summary)
    some = ringfen(*check[:-1], "--material", "SMvT", **env)
    assert (some.exit_code, some.stderr) == (OK, "checked 1 table: 1 ok\n")
    wrong = lines["siaius-3x4-turn/SMvT"]
    published.write_text(listed.replace(wrong, "0" * 64))
    bad = ringfen(*check, "--json", **env)
    assert bad.exit_code == WRONG
    assert [line["material"] for line in json_lines(bad) if not line["ok"]] == ["SMvT"]
    published.write_text(listed.replace(f"{wrong}  siaius-3x4-turn/SMvT\n", ""))
    bad = ringfen(*check[:-1], **env)
    assert bad.exit_code == WRONG
    assert "not listed  siaius-3x4-turn/SMvT\n" in bad.stdout
    assert bad.stderr == f"checked {len(lines)} tables: {len(lines) - 1} ok, 1 not listed\n"
    assert ringfen(*check, "--directory", str(tmp_path), **env).exit_code == WRONG  # nothing to compare
    binary = "".join(f"{checksum.upper()} *./{name}\r\n" for name, checksum in lines.items())
    tagged = "".join(f"SHA256 ({name}) = {checksum}\n" for name, checksum in lines.items())
    for text, encoding in ((binary, "utf-8-sig"), (binary, "utf-16"), (f"# tables\n\n{tagged}", "utf-8")):
        published.write_bytes(text.encode(encoding))
        checked = ringfen(*check, **env)
        assert (checked.exit_code, checked.stdout) == (OK, good.stdout)


@pytest.mark.parametrize("content", [b"no list\n", b"caf\xe9\n", "caf\u00e9\n".encode(), b"\xff\xfe\n"])
def test_a_list_of_checksums_that_is_none(directory: Path, tmp_path: Path, content: bytes) -> None:
    published = tmp_path / "list"
    published.write_bytes(content)
    result = ringfen("tablebase", "checksums", "--check", str(published), RINGFEN_TABLES=str(directory))
    assert (result.exit_code, result.stdout) == (USAGE, "")
    assert "line 1 is not a checksum and a table" in result.stderr


def test_several_directories_are_a_list(directory: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / name / BOARD.folder for name in ("a", "b"))
    first.mkdir(parents=True)
    second.mkdir(parents=True)
    names = sorted(path.name for path in (directory / BOARD.folder).glob("*.rft"))
    for number, name in enumerate(names):
        ((first, second)[number % 2] / name).write_bytes((directory / BOARD.folder / name).read_bytes())
    env = {"RINGFEN_TABLES": os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "missing"), str(tmp_path / "b")])}
    listed = json_lines(ringfen("tablebase", "list", "--json", **env))
    assert sorted(Path(row["file"]).name for row in listed) == names
    fen = Tables(BOARD, directory).text(Tables(BOARD, directory).infos[0].material, 0)
    assert fen is None or ringfen("tablebase", "probe", fen, **env).exit_code == OK
    checked = ringfen("tablebase", "verify", "--full", **env)
    assert (checked.exit_code, checked.stdout.count("ok "), checked.stderr) == (OK, len(names), "")
