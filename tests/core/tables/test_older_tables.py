"""Where one side has champions alone the kinds of the other's stones do not matter, and older tables, which tell them
apart, still serve."""

from __future__ import annotations

import shutil
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen
from click.testing import Result
from reference import certificates as plain
from reference import siaius

from ringfen import Position, TableError, prove, verify
from ringfen._core import ffi, lib
from ringfen.cli.common import OK, WRONG
from ringfen.rules.siaius.tables import RULES
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board, Statistics, write_table
from ringfen.tables.tablebase import Tables, files_of, new_core

HUFFS = ("turn", "stone", "off")
BOARD = Board("siaius", 3, 3, "turn")
MEMORY = 1 << 28
TO_SUNS = str.maketrans("MTmt", "SSss")


def older_names(stones: int) -> list[str]:
    """The classes of older tables with so many stones that are not classes any more."""
    names = {
        RULES.name_of(RULES.older_material_of(own, enemy))
        for champions in range(1, stones)
        for kinds in combinations_with_replacement("SMTC", stones - champions)
        for own, enemy in (("".join(kinds), "C" * champions), ("C" * champions, "".join(kinds)))
    }
    return sorted(name for name in names if RULES.name_of(RULES.material_of(*name.split("v"))) != name)


def write_older(tables: Tables, folder: Path, name: str) -> Path:
    """The table as an older version made it, from the values of the positions with their own kinds of stones."""
    board = tables.board
    material = RULES.older_material_of(*name.split("v"))
    assert RULES.name_of(material) == name
    values = bytearray(lib.si_tables_entries(board.files, board.ranks, material))
    counts, longest = {"win": 0, "draw": 0, "loss": 0}, {"win": (0, 0), "loss": (0, 0)}
    for index in range(len(values)):
        fen = tables.text(material, index)
        if fen is None:
            values[index] = values[index - 1]
            continue
        value = tables.value(Position(fen))
        assert value is not None
        kind, distance = value
        counts[kind] += 1
        if distance is not None:
            values[index] = distance + 0x80 * (kind == "loss")
            longest[kind] = max(longest[kind], (distance, -index))
    (win, win_at), (loss, loss_at) = longest["win"], longest["loss"]
    statistics = Statistics(counts["win"], counts["draw"], counts["loss"], win, loss, -win_at, -loss_at)
    path = write_table(folder, board, material, 1, bytes(values), statistics)
    assert path is not None
    return path


@pytest.fixture(scope="module")
def present(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of 3x3 with up to 4 stones, for each way of huffing."""
    path: Path = tmp_path_factory.mktemp("present")
    for huff in HUFFS:
        build_tables(Board("siaius", 3, 3, huff), 4, directory=path, threads=1)
    return path


@pytest.fixture(scope="module")
def older(present: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the tables that an older version made besides."""
    path: Path = tmp_path_factory.mktemp("older")
    shutil.copytree(present, path, dirs_exist_ok=True)
    for huff in HUFFS:
        board = Board("siaius", 3, 3, huff)
        tables = Tables(board, present)
        for name in (*older_names(3), *older_names(4)):
            write_older(tables, path / board.folder, name)
    return path


def test_the_classes_that_are_one() -> None:
    assert older_names(2) == []
    assert older_names(3) == ["CvSM", "SMvC"]
    four = ["CCvSM", "CvSMC", "CvSMT", "CvSSM", "CvSST", "SMCvC", "SMTvC", "SMvCC", "SSMvC", "SSTvC"]
    assert older_names(4) == four


def placed(rnd: Random, stones: str) -> list[tuple[int, int]]:
    """Squares of 3x3 on which such stones may stand."""
    farthest = [2 if stone in "SMT" else 0 if stone in "smt" else None for stone in stones]
    while True:
        squares = rnd.sample([(x, y) for x in range(3) for y in range(3)], len(stones))
        if all(y != rank for (_, y), rank in zip(squares, farthest, strict=True)):
            return squares


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", ["", " beats=reverse"])
def test_kinds_do_not_matter_against_champions_alone(present: Path, beats: str, huff: str) -> None:
    """By retrograde analysis of what can be reached, which knows of no classes; so says the table of suns."""
    rnd = Random(beats + huff)
    tables = Tables(Board("siaius", 3, 3, huff), present)
    options = beats + ("" if huff == "turn" else f" huff={huff}")
    found = set()
    for own, enemy in [("SMT", "c"), ("MT", "cc"), ("TMC", "c"), ("C", "mst"), ("CC", "tm"), ("C", "smc")] * 2:
        squares = placed(rnd, own + enemy)
        values = set()
        for stones in (own + enemy, (own + enemy).translate(TO_SUNS)):
            at = dict(zip(squares, stones, strict=True))
            text = siaius._ranks_text(tuple("".join(at.get((x, y), ".") for x in range(3)) for y in range(3)))
            position = Position(f"siaius {text} s - - 0{options}")
            value = ReachableGraph(position, MEMORY).value(position)
            assert tables.value(position) == value, position.fen
            values.add(value)
        assert len(values) == 1, squares
        found |= {kind for kind, _ in values}
    assert len(found) > 1


@pytest.mark.parametrize("huff", HUFFS)
def test_every_value_of_older_tables_agrees_with_its_successors(older: Path, huff: str) -> None:
    """The values of suns are right for every kind: the rules say so of each stone as what it is."""
    tables = Tables(Board("siaius", 3, 3, huff), older)
    tables.load()
    infos = [info for info in tables.infos if info.same_as is not None]
    assert len(infos) == 12
    for info in infos:
        assert tables.first_wrong(info) is None, info.path


@pytest.mark.long
def test_every_value_of_older_tables_agrees_with_its_successors_on_five_by_five(tmp_path: Path) -> None:
    board = Board("siaius", 5, 5, "turn")
    build_tables(board, 4, directory=tmp_path, threads=1)
    tables = Tables(board, tmp_path)
    tables.load()
    for name in (*older_names(3), *older_names(4)):
        write_older(tables, tmp_path / board.folder, name)
    both = Tables(board, tmp_path)
    both.load()
    infos = [info for info in both.infos if info.same_as is not None]
    assert len(infos) == 12
    for info in infos:
        assert both.first_wrong(info) is None, info.path


def test_older_tables_alone_serve_their_own_positions(older: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    shutil.copytree(older / BOARD.folder, folder)
    (folder / "SSvC.rft").unlink()
    known, tables = Tables(BOARD, older), Tables(BOARD, tmp_path)
    mixed, alike = Position("siaius 3/2c/S1M s - - 0"), Position("siaius 3/2c/S1S s - - 0")
    assert tables.value(mixed) == known.value(mixed) == known.value(alike) is not None
    assert tables.value(alike) is None
    built = build_tables(BOARD, 4, directory=tmp_path)
    assert [info.name for info in built.built] == ["SSvC", "CvSS"]
    assert Tables(BOARD, tmp_path).value(alike) == known.value(alike)


def test_older_tables_come_first_in_any_order() -> None:
    """So that a certificate that names both relies on the one whose stones they are."""
    materials = [RULES.older_material_of(own, "C") for own in ("SM", "SS")]
    sizes = [int(lib.si_tables_entries(3, 3, material)) for material in materials]
    values = [
        ffi.new("unsigned char[]", bytes([distance]) * size) for distance, size in zip((5, 7), sizes, strict=True)
    ]
    for order in ((0, 1), (1, 0), (1,)):
        core = new_core(BOARD)
        for number in order:
            assert lib.si_tables_add_values(core, materials[number], 1, values[number])
            assert not lib.si_tables_add_values(core, materials[number], 1, values[number])
        for stones, distance in (("SM", 5 if 0 in order else 7), ("TM", 5 if 0 in order else 7), ("SS", 7), ("TT", 7)):
            position = Position(f"siaius 3/2c/{stones}1 s - - 0")
            answer = lib.si_tables_probe(core, ffi.NULL, position.game.cdata, position.state)
            assert (answer.status, answer.distance) == (lib.SI_TB_FOUND, distance), (order, stones)


def test_no_other_material_is_a_class() -> None:
    core, values = new_core(BOARD), ffi.new("unsigned char[]", 1 << 16)
    for own, enemy in (("M", "S"), ("SMM", "C"), ("MMM", "C"), ("C", "T")):
        assert not lib.si_tables_add_values(core, RULES._number(own, enemy), 1, values)


def test_commands_name_older_tables(older: Path, present: Path, tmp_path: Path) -> None:
    directory = ("siaius", "--huff", "turn", "-d", str(older))

    def run(command: str, *options: str) -> Result:
        return ringfen("tablebase", command, *directory, *options)

    listed = {line["material"]: line["same_as"] for line in json_lines(run("list", "--json"))}
    assert listed["SMTvC"] == listed["SSMvC"] == "SSSvC"
    assert listed["CvSMC"] == "CvSSC"
    assert listed["SSSvC"] is listed["SMvT"] is None
    assert "SMTvC" in run("list").stderr
    assert "can be removed" in run("list").stderr
    assert "note" not in ringfen("tablebase", "list", "-d", str(present)).stderr

    for spelling in ("SMTvC", "SSSvC", "TTSvC"):
        chosen = run("verify", "--full", "--material", spelling, "--json", "-q")
        assert chosen.exit_code == OK
        names = {Path(line["file"]).name for line in json_lines(chosen)}
        assert names == {"SMTvC.rft", "SSSvC.rft", "SSMvC.rft", "SSTvC.rft"}
        counted = json_lines(run("stats", "--material", spelling, "--json", "-q"))
        assert {line["material"] for line in counted} == {name.removesuffix(".rft") for name in names}

    published = tmp_path / "published"
    sums = ringfen("tablebase", "checksums", "siaius", "--huff", "turn", "-d", str(present))
    published.write_text(sums.stdout, encoding="ascii")
    checked = run("checksums", "--check", str(published))
    assert checked.exit_code == OK
    assert sum(line.startswith("older  ") for line in checked.stdout.splitlines()) == 12
    assert {line["ok"] for line in json_lines(run("checksums", "--check", str(published), "--json"))} == {True, None}
    again = ringfen("tablebase", "build", *directory, "--files", "3", "--ranks", "3", "--stones", "4")
    assert "0 made, 112 there before" in again.stdout
    assert "can be removed" in again.stderr


def test_commands_say_what_takes_the_place_of_older_tables(older: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    folder.mkdir()
    shutil.copy(older / BOARD.folder / "SMTvC.rft", folder)
    result = ringfen("tablebase", "list", "-d", str(tmp_path))
    assert "tablebase build --material SSSvC makes what takes their place" in result.stderr
    build = ("tablebase", "build", "siaius", "--files", "3", "--ranks", "3", "--material", "MTSvC", "-d", str(tmp_path))
    assert ringfen(*build, "-q").exit_code == OK
    assert "SSSvC.rft" in {path.name for path in files_of(folder)}
    assert "can be removed, for SSSvC" in ringfen("tablebase", "list", "-d", str(tmp_path)).stderr


def test_a_table_under_the_name_of_another_spelling_is_refused(older: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    folder.mkdir()
    shutil.copy(older / BOARD.folder / "SSSvC.rft", folder / "SMTvC.rft")
    with pytest.raises(TableError, match="this is the table SSSvC"):
        Tables(BOARD, tmp_path)
    assert ringfen("tablebase", "verify", "-d", str(tmp_path)).exit_code == WRONG


def test_certificates_name_the_tables_that_serve(older: Path, present: Path, tmp_path: Path) -> None:
    """With older tables there those are named, and both checkers accept it; so they do of the one table of suns."""
    for directory, name in ((older, "SMvC"), (present, "SSvC")):
        folder = tmp_path / name / BOARD.folder
        shutil.copytree(directory / BOARD.folder, folder)
        for path in files_of(folder):
            if len(path.stem) > len("SMvC"):
                path.unlink()
        out = tmp_path / "certificate"
        prove("siaius 2c/3/SMT s - - 0", out, hash_mb=1, tables=folder.parent)
        verified = verify(out, tables=folder.parent)
        assert set(verified.tables) == {name}
        files = {path.stem: path.read_bytes() for path in files_of(folder)}
        assert plain.verify(out.read_bytes(), siaius, files) == verified.positions
