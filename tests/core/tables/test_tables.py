"""Endgame tables: against retrograde analysis and the plain reference; files, damage, building, commands."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from cli_runner import json_lines, ringfen
from reference import siaius as plain
from siaius_random import random_position

from ringfen import Position, SolveOptions, TableError, solve
from ringfen._core import ffi, lib
from ringfen.cli.exit_status import INTERRUPTED, LIMIT, OK, USAGE, WRONG
from ringfen.control import Progress
from ringfen.rules import games_with_tables, table_rules
from ringfen.rules.siaius.tables import RULES
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables.build import Task, build_tables, tasks_for
from ringfen.tables.files import Board, Statistics, TableFile, decompressor, read_info, write_table
from ringfen.tables.tablebase import (
    Tables,
    board_of,
    board_of_folder,
    files_of,
    first_wrong_in_threads,
    new_core,
    tables_directory,
)
from ringfen.win_value import WinValue, value_after

HUFFS = ("turn", "stone", "off")
BEATS = ("", " beats=reverse")
MEMORY = 1 << 30
TO_SUNS = str.maketrans("MTmt", "SSss")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of 3x3 with up to 4 stones, 4x4 and 4x5 with up to 3, for each way of huffing."""
    path: Path = tmp_path_factory.mktemp("tables")
    for huff in HUFFS:
        build_tables(Board("siaius", 3, 3, huff), 4, directory=path, threads=1)
        build_tables(Board("siaius", 4, 4, huff), 3, directory=path, threads=1)
        build_tables(Board("siaius", 4, 5, huff), 3, directory=path, threads=2)
    return path


def small_positions(files: int, ranks: int, stones: int) -> Iterator[str]:
    """The rank fields of all positions with ``stones`` stones, both sides having some."""
    for places in combinations(range(files * ranks), stones):
        for kinds in product("SMTCsmtc", repeat=stones):
            if all(map(str.isupper, kinds)) or all(map(str.islower, kinds)):
                continue
            rows = [["."] * files for _ in range(ranks)]
            for place, kind in zip(places, kinds, strict=True):
                rows[place // files][place % files] = kind
            if not (set(rows[0]) & set("smt") or set(rows[-1]) & set("SMT")):
                yield plain._ranks_text(tuple(map("".join, rows)))


def options_of(beats: str, huff: str) -> str:
    return beats + ("" if huff == "turn" else f" huff={huff}")


# ---- values ----


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", BEATS)
def test_values_are_those_of_the_plain_reference(directory: Path, beats: str, huff: str) -> None:
    """Tables of three stones that a test of retrograde analysis does not check with the plain reference."""
    rnd = Random("tables" + beats + huff)
    for files, ranks, stones in ((3, 3, 2), (4, 4, 2), *([(3, 3, 3)] if not beats else [])):
        tables = Tables(Board("siaius", files, ranks, huff), directory)
        fen = random_position(rnd, files, ranks, stones, options_of(beats, huff))
        value, distance, _ = plain.solve(plain.parse(fen))
        assert tables.value(Position(fen)) == (value, distance), fen


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", BEATS)
@pytest.mark.parametrize(("files", "ranks", "stones"), [(3, 3, 4), (4, 4, 3), (4, 5, 3)])
def test_values_are_those_of_retrograde_analysis(
    directory: Path, files: int, ranks: int, stones: int, beats: str, huff: str
) -> None:
    """Every position that can be reached from some random ones, pending huffs, bonuses and passes included."""
    rnd = Random(f"{files}{ranks}{beats}{huff}")
    tables = Tables(Board("siaius", files, ranks, huff), directory)
    position = Position(random_position(rnd, files, ranks, stones, options_of(beats, huff)))
    graph = ReachableGraph(position, MEMORY)
    state = ffi.new("rf_state *")
    for node in rnd.sample(range(len(graph)), min(len(graph), 1500)):
        lib.rf_graph_state(graph._graph, node, state)
        reached = Position.from_state(position.game, position.context, state)
        assert tables.value(reached) == graph.value(reached), reached.fen


@pytest.mark.parametrize("huff", HUFFS)
def test_every_value_agrees_with_its_successors(directory: Path, huff: str) -> None:
    for files, ranks in ((3, 3), (4, 4)):
        tables = Tables(Board("siaius", files, ranks, huff), directory)
        tables.load()
        for info in tables.infos:
            assert tables.first_wrong(info) is None, info.path


def test_a_wrong_value_is_found(directory: Path) -> None:
    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    tables.load()
    info = next(info for info in tables.infos if info.name == "SMvT")
    values = tables._opened.values[info.material]
    rnd = Random(1)
    for _ in range(20):
        index = rnd.randrange(info.entries)
        if tables.text(info.material, index) is None:
            continue
        right = values[index]
        values[index] = right + 1 if right else 5
        assert tables.first_wrong(info, index, index + 1) == index
        values[index] = right


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize(("files", "ranks", "stones"), [(3, 3, 4), (4, 5, 3)])
def test_checking_looks_at_every_ply(directory: Path, files: int, ranks: int, stones: int, huff: str) -> None:
    """With values made up at random the right one is what :meth:`Tables.value` gives after each ply, at its best."""
    rnd = Random(f"made up {files} {huff}")
    tables = Tables(Board("siaius", files, ranks, huff), directory)
    tables.load()
    for info in tables.infos:
        assert info.width == 1
        values = tables._opened.values[info.material]
        for index in range(info.entries):
            values[index] = rnd.choice((0, rnd.randrange(1, 100), 0x80 + rnd.randrange(1, 100)))
    for info in tables.infos:
        values = tables._opened.values[info.material]
        for _ in range(60 if sum(map(str.isalpha, info.name)) == stones + 1 else 30):
            index = rnd.randrange(info.entries)
            fen = tables.text(info.material, index)
            if fen is None:
                continue
            position = Position(fen)
            kind, distance = max((at_best(position, after, tables) for _, after in position.successors()), key=rank)
            right = 0 if distance is None else distance + 0x80 * (kind == "loss")
            before = values[index]
            values[index] = right
            assert tables.first_wrong(info, index, index + 1) is None, fen
            values[index] = right + 1 if right else 5
            assert tables.first_wrong(info, index, index + 1) == index, fen
            values[index] = before


@pytest.mark.parametrize("huff", ["turn", "stone"])
@pytest.mark.parametrize("distances", [range(1, 300), (2, 5, 63, 128, 191, 256)], ids=["all", "few"])
def test_distances_of_hundreds_of_plies(directory: Path, tmp_path: Path, huff: str, distances: Sequence[int]) -> None:
    """Such as no small board has: the classes below get values made up at random, and every value of a class that is
    made from them agrees with its successors. (No file is its own mirror image.) Where few distances occur, nothing
    else makes the generator look at what a huff gives at the level of such a distance."""
    board, rnd = Board("siaius", 4, 4, huff), Random(f"hundreds {huff}")
    shutil.copytree(directory / board.folder, tmp_path / board.folder)
    for path in (tmp_path / board.folder).iterdir():
        info = read_info(path)
        kinds = (lambda: 0, lambda: rnd.choice(distances), lambda: 0x8000 + rnd.choice(distances))
        values = struct.pack(f"<{info.entries}H", *(rnd.choice(kinds)() for _ in range(info.entries)))
        write_table(path.parent, board, info.material, 2, values, info.statistics)
    made = ("SS", "MC"), ("SM", "TT")
    materials = [RULES.material_of(*sides) for sides in made]
    build_tables(board, 4, directory=tmp_path, threads=1, materials=materials)
    tables = Tables(board, tmp_path)
    tables.load()
    for info in tables.infos:
        if info.material in materials:
            assert max(info.statistics.longest_win, info.statistics.longest_loss) > 128, info.name
            assert tables.first_wrong(info) is None, info.name


def at_best(position: Position, after: Position, tables: Tables) -> WinValue:
    value = tables.value(after)
    assert value is not None
    return value_after(position, after, value)


def rank(value: WinValue) -> int:
    kind, distance = value
    return 0 if distance is None else 1000 - distance if kind == "win" else distance - 1000


def test_checking_needs_no_values_in_memory(directory: Path) -> None:
    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    info = next(info for info in tables.infos if info.name == "SSvC")
    assert tables.first_wrong(info) is None
    tables.load({info.material})
    assert list(tables._opened.values) == [info.material]
    assert tables.first_wrong(info) is None


def test_values_in_blocks_cannot_be_read_without_a_reader(directory: Path) -> None:
    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    position = Position("siaius 4/3t/1M2/S3 s - - 0")
    asked = tables._opened.core, ffi.NULL, position.state
    assert lib.rf_tablebase_probe(*asked).status == lib.RF_TB_DAMAGED
    tables.load()
    assert lib.rf_tablebase_probe(tables._opened.core, *asked[1:]).status == lib.RF_TB_FOUND


def test_checking_can_be_interrupted(directory: Path) -> None:
    class StopError(Exception):
        pass

    seen = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if progress.done > 0:
            raise StopError

    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    info = next(info for info in tables.infos if info.name == "SSvC")
    with pytest.raises(StopError):
        first_wrong_in_threads(tables, info, 2, stop)
    assert seen[-1].total == info.entries


def test_walled_in_stones_pass(directory: Path) -> None:
    """With four stones a stone in a corner may have no move (S9)."""
    tables = Tables(Board("siaius", 3, 3, "turn"), directory)
    for fen in ("siaius 3/ss1/Sc1 s - - 0", "siaius 3/ss1/Sc1 n - - 1", "siaius 3/ss1/Sc1 s b2 - 0"):
        position = Position(fen)
        assert tables.value(position) == ReachableGraph(position, MEMORY).value(position)


def _key(fen: str) -> plain.State:
    return plain.parse(fen)


@pytest.mark.long
@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", BEATS)
@pytest.mark.parametrize(("files", "ranks"), [(4, 4), (4, 5)])
def test_all_positions_with_two_and_three_stones(
    directory: Path, files: int, ranks: int, beats: str, huff: str
) -> None:
    """Every one against retrograde analysis in plain Python over the graph of the plain reference."""
    tables = Tables(Board("siaius", files, ranks, huff), directory)
    values: dict[plain.State, WinValue] = {}
    for stones in (2, 3):
        for ranks_text in small_positions(files, ranks, stones):
            for side in "sn":
                fen = f"siaius {ranks_text} {side} - - 0{options_of(beats, huff)}"
                state = plain.parse(fen)
                if state not in values:
                    values |= plain_values(state, values)
                assert tables.value(Position(fen)) == values[state], fen


def plain_values(root: plain.State, known: dict[plain.State, WinValue]) -> dict[plain.State, WinValue]:
    """As ``solve`` of the reference, for every reachable position that is not known yet."""
    graph: dict[plain.State, list[plain.State]] = {}
    before: dict[plain.State, list[plain.State]] = {root: []}
    todo = [root]
    while todo:
        here = todo.pop()
        if here in known:
            graph[here] = []
            continue
        graph[here] = [plain._play(here, ply) for ply in plain.plies(here)]
        for child in graph[here]:
            if child not in before:
                before[child] = []
                todo.append(child)
            before[child].append(here)
    levels: dict[int, list[tuple[plain.State, str]]] = {}
    for here in graph:
        winner = plain.outcome(here)
        if winner in ("s", "n"):
            levels.setdefault(0, []).append((here, winner))
        elif here in known and known[here][1] is not None:
            distance = known[here][1]
            assert distance is not None
            mover_wins = known[here][0] == "win"
            levels.setdefault(distance, []).append((here, here.side if mover_wins else plain._other(here.side)))
    solved: dict[plain.State, tuple[str, int]] = {}
    left = {here: len(children) for here, children in graph.items()}
    level = 0
    while any(at >= level for at in levels):
        for here, winner in levels.get(level, []):
            if here in solved:
                continue
            solved[here] = (winner, level)
            for parent in before[here]:
                left[parent] -= 1
                if parent not in solved and (winner == parent.side or left[parent] == 0):
                    levels.setdefault(level + 1, []).append((parent, winner))
        level += 1
    values: dict[plain.State, WinValue] = {}
    for here in graph:
        if here not in solved:
            values[here] = ("draw", None)
        else:
            winner, distance = solved[here]
            values[here] = ("win" if winner == here.side else "loss", distance)
    return values


# ---- what a table is for ----


def test_materials() -> None:
    assert RULES.name_of(RULES.material_of("M", "S")) == "SvT"
    assert RULES.material_of("ST", "M") == RULES.material_of("SM", "T") == RULES.material_of("MT", "S")
    assert (
        lib.si_material_swapped(RULES.material_of("S", "M"))
        == RULES.material_of("M", "S")
        == RULES.material_of("S", "T")
    )
    assert RULES.name_of(RULES.material_of("C", "TT")) == "CvSS"
    assert RULES.name_of(RULES.material_of("TMS", "C")) == RULES.name_of(RULES.material_of("TTT", "C")) == "SSSvC"
    assert RULES.name_of(RULES.material_of("CC", "MTC")) == "CCvSSC"
    assert RULES.name_of(RULES.material_of("SMC", "SC")) == "SMCvSC"
    assert RULES.class_of("MSvC") == RULES.class_of("SSvC") == RULES.material_of("SS", "C")
    for name in ("", "S", "Sv", "vS", "SvX", "SSSSvSSS", "svS"):
        with pytest.raises(ValueError, match=r"is not a material|has more than"):
            RULES.class_of(name)


def placed(rnd: Random, stones: str) -> list[tuple[int, int]]:
    """Squares of 3x3 on which such stones may stand."""
    farthest = [2 if stone in "SMT" else 0 if stone in "smt" else None for stone in stones]
    while True:
        squares = rnd.sample([(x, y) for x in range(3) for y in range(3)], len(stones))
        if all(y != rank for (_, y), rank in zip(squares, farthest, strict=True)):
            return squares


@pytest.mark.parametrize("huff", HUFFS)
@pytest.mark.parametrize("beats", BEATS)
def test_kinds_do_not_matter_against_only_champions(directory: Path, beats: str, huff: str) -> None:
    """Retrograde analysis, which knows no classes, finds the value that the table of suns has."""
    rnd = Random(beats + huff)
    tables = Tables(Board("siaius", 3, 3, huff), directory)
    options = beats + ("" if huff == "turn" else f" huff={huff}")
    found = set()
    for own, enemy in [("SMT", "c"), ("MT", "cc"), ("TMC", "c"), ("C", "mst"), ("CC", "tm"), ("C", "smc")] * 2:
        squares = placed(rnd, own + enemy)
        values = set()
        for stones in (own + enemy, (own + enemy).translate(TO_SUNS)):
            at = dict(zip(squares, stones, strict=True))
            text = plain._ranks_text(tuple("".join(at.get((x, y), ".") for x in range(3)) for y in range(3)))
            position = Position(f"siaius {text} s - - 0{options}")
            value = ReachableGraph(position, MEMORY).value(position)
            assert tables.value(position) == value, position.fen
            values.add(value)
        assert len(values) == 1, squares
        found |= {kind for kind, _ in values}
    assert len(found) > 1


def test_no_other_material_is_a_class() -> None:
    core, values = new_core(Board("siaius", 3, 3, "turn")), ffi.new("unsigned char[]", 1 << 16)
    for own, enemy in (("M", "S"), ("SMM", "C"), ("MMM", "C"), ("C", "T")):
        assert not lib.rf_tablebase_add_values(core, RULES._number(own, enemy), 1, values)


def test_a_build_has_every_class_once() -> None:
    tasks = tasks_for(Board("siaius", 4, 4, "turn"), 4)
    materials = [material for task in tasks for material in task.materials]
    assert len(materials) == len(set(materials))
    wanted = {
        RULES.material_of("".join(own), "".join(enemy))
        for own_count, enemy_count in ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
        for own in product("SMTC", repeat=own_count)
        for enemy in product("SMTC", repeat=enemy_count)
    }
    assert set(materials) == wanted
    assert [sum(len(RULES.name_of(material)) == stones + 1 for material in wanted) for stones in (2, 3, 4)] == [
        6,
        26,
        80,
    ]


def test_what_a_class_needs_comes_before_it() -> None:
    done: set[int] = set()
    stages: dict[tuple[int, ...], list[Task]] = {}
    for task in tasks_for(Board("siaius", 4, 4, "turn"), 4):
        stages.setdefault(task.stage, []).append(task)
    for stage in sorted(stages):
        for task in stages[stage]:
            assert task.below <= done
        done |= {material for task in stages[stage] for material in task.materials}


def test_a_class_without_those_below_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Task, "below", property(lambda _: set()))
    with pytest.raises(RuntimeError, match="a class below it is missing"):
        build_tables(Board("siaius", 3, 3, "turn"), 3, directory=tmp_path, threads=1)


def test_a_material_brings_what_it_needs() -> None:
    tasks = tasks_for(Board("siaius", 4, 4, "turn"), 0, [RULES.material_of("SM", "T")])
    names = {RULES.name_of(material) for task in tasks for material in task.materials}
    assert {"SMvT", "SvMT", "SCvT", "CCvC", "CvC", "SvS"} - names == {"SvS"}


def test_positions_know_their_board() -> None:
    assert board_of(Position("siaius 10/10/4t5/10/10/3M6/10/5S4/10/10 s - - 0")) == Board("siaius", 10, 10, "turn")
    assert board_of(Position("siaius 2c/3/3/1C1 s - - 0 beats=reverse huff=off")) == Board("siaius", 3, 4, "off")
    assert board_of(Position("siaius")) is None
    assert board_of(Position("gyges")) == Board("gyges", 6, 6, "")
    assert board_of(Position("rings")) is None


def test_positions_without_tables_are_not_covered(directory: Path) -> None:
    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    for fen in (
        "siaius 4/1c2/4/1CC1/1C2 s - - 0",
        "siaius 4/1cc1/4/1CC1 s - - 0",
        "siaius 4/1c2/4/1C2 s - - 0 huff=off",
        "siaius",
    ):
        assert tables.value(Position(fen)) is None
    assert len(Tables(Board("siaius", 9, 9, "turn"), directory)) == 0


def test_a_finished_position_needs_no_table(directory: Path) -> None:
    tables = Tables(Board("siaius", 4, 4, "turn"), directory)
    assert tables.value(Position("siaius 4/1C2/4/4 n - - 0")) == ("loss", 0)


def test_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RINGFEN_TABLES", str(tmp_path))
    assert tables_directory() == tmp_path
    assert tables_directory(tmp_path / "chosen") == tmp_path / "chosen"
    monkeypatch.delenv("RINGFEN_TABLES")
    assert tables_directory().name == "tables"


def test_solve_answers_from_tables(directory: Path) -> None:
    position = Position("siaius 4/3t/1M2/S3 n - - 0 huff=stone")
    solution = position.solve(SolveOptions(tables=directory))
    assert (solution.value, solution.distance, solution.nodes) == ("win", 10, 0)
    assert position.play(solution.pv).outcome == "n"
    limited = position.solve(SolveOptions(tables=directory, depth=9))
    assert (limited.status, limited.decided) == ("unknown", 9)


# ---- files ----


@pytest.fixture
def one(directory: Path, tmp_path: Path) -> Path:
    """A copy of the tables of 4x4; the path of one of them."""
    shutil.copytree(directory / "siaius-4x4-turn", tmp_path / "siaius-4x4-turn")
    return tmp_path / "siaius-4x4-turn" / "SMvT.rft"


def test_every_flipped_byte_is_noticed(one: Path) -> None:
    whole = one.read_bytes()
    rnd = Random(3)
    for at in [*range(128), *rnd.sample(range(128, len(whole)), 200)]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rnd.randrange(8)
        one.write_bytes(damaged)
        with pytest.raises(TableError):
            TableFile(one).check()


def test_every_cut_is_noticed(one: Path) -> None:
    whole = one.read_bytes()
    for size in (0, 1, 7, 8, 100, 127, 128, 200, len(whole) - 1):
        one.write_bytes(whole[:size])
        with pytest.raises(TableError):
            TableFile(one)
    one.write_bytes(whole + b"x")
    with pytest.raises(TableError):
        TableFile(one)


CHANGED_MEANWHILE = """
import os, sys
from pathlib import Path
from ringfen import Position, TableError
from ringfen.tables.files import Board, TableFile
from ringfen.tables.tablebase import Tables, first_wrong_in_threads

one = Path(sys.argv[1])
board = Board("siaius", 4, 4, "turn")
tables, file = Tables(board, one.parent.parent), TableFile(one)
(info,) = (info for info in tables.infos if info.name == "SMvT")
position = Position("siaius 4/3t/1M2/S3 s - - 0")
exec(sys.argv[2])


def table_error(call):
    try:
        call()
    except TableError as error:
        return error.reason
    return "no error"


print(table_error(lambda: tables.value(position)))
print(table_error(lambda: tables.counts(info)))
print(table_error(lambda: list(tables.longest_wins(info, 3))))
print(table_error(tables.load))
print(table_error(file.values))
print(first_wrong_in_threads(tables, info, 2))
"""


@pytest.mark.parametrize(
    "change",
    [
        "os.truncate(one, 0)",
        "os.truncate(one, 200)",
        "os.truncate(one, one.stat().st_size - 40)",
        "one.write_bytes(bytes(one.stat().st_size))",
        "one.unlink()",
        "one.unlink(); one.mkdir()",
        "one.unlink(); os.mkfifo(one)",
    ],
)
def test_a_file_that_changes_while_it_is_open_is_rejected(one: Path, change: str) -> None:
    """In a separate process, which a signal such as SIGBUS would end."""
    words = [sys.executable, "-c", CHANGED_MEANWHILE, str(one), change]
    result = subprocess.run(words, capture_output=True, text=True)
    assert (result.stderr, result.returncode) == ("", 0)
    *reasons, wrong = result.stdout.split()
    assert set(reasons[-4:]) == {"damaged-table"}
    assert reasons[0] == "damaged-table" or "st_size - 40" in change
    assert int(wrong) >= 0


def test_tables_stay_where_they_are_if_the_current_directory_changes(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(directory)
    tables = Tables(Board("siaius", 4, 4, "turn"), ".")
    monkeypatch.chdir(tmp_path)
    assert tables.value(Position("siaius 4/3t/1M2/S3 n - - 0")) is not None


def test_many_files_need_few_descriptors(directory: Path) -> None:
    """Each position is in another file; only 20 may be open."""
    code = """
import resource, sys
from ringfen import Position
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables

resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
tables = Tables(Board("siaius", 4, 4, "turn"), sys.argv[1])
for info in tables.infos:
    text = next(text for index in range(info.entries) if (text := tables.text(info.material, index)))
    assert tables.value(Position(text)) is not None
print(len(tables))
"""
    result = subprocess.run([sys.executable, "-c", code, str(directory)], capture_output=True, text=True)
    assert result.stderr == ""
    assert int(result.stdout) > 30


def with_head(whole: bytes, at: int, new: bytes) -> bytes:
    """A file with other bytes in its head, and a checksum that fits."""
    head = whole[:at] + new + whole[at + len(new) : 124]
    return head + zlib.crc32(head).to_bytes(4, "little") + whole[128:]


@pytest.mark.parametrize(
    ("at", "new", "reason"),
    [
        (8, b"\x02", "newer-table"),
        (8, b"\x00", "damaged-table"),
        (0, b"PK", "foreign-table"),
        (20, b"\x05", "damaged-table"),
        (22, b"\x03", "damaged-table"),
        (23, b"\x03", "damaged-table"),
    ],
)
def test_heads_that_cannot_be(one: Path, at: int, new: bytes, reason: str) -> None:
    one.write_bytes(with_head(one.read_bytes(), at, new))
    with pytest.raises(TableError) as caught:
        read_info(one)
    assert caught.value.reason == reason


def test_a_table_under_another_name_is_not_answered_from(one: Path) -> None:
    shutil.copy(one, one.with_name("SMvS.rft"))
    with pytest.raises(TableError) as caught:
        Tables(Board("siaius", 4, 4, "turn"), one.parent.parent)
    assert caught.value.reason == "foreign-table"


def test_a_damaged_block_is_not_answered_from(one: Path) -> None:
    one = one.with_name("SCvC.rft")
    whole = one.read_bytes()
    one.write_bytes(whole[:-20] + bytes(20))
    tables = Tables(Board("siaius", 4, 4, "turn"), one.parent.parent)
    info = next(info for info in tables.infos if info.path == one)
    answers = []
    for index in range(info.entries):
        text = tables.text(info.material, index)
        if text is not None:
            try:
                answers.append(tables.value(Position(text)))
            except TableError as error:
                answers.append(None)
                assert error.reason == "damaged-table"  # noqa: PT017
    assert None in answers
    assert any(answers)


@pytest.fixture(params=["no module", "another module"])
def without_the_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where the package zstandard has no cffi module, or one with other names."""
    zstandard_cffi = pytest.importorskip("zstandard._cffi")
    module = None if request.param == "no module" else SimpleNamespace(ffi=zstandard_cffi.ffi, lib=SimpleNamespace())
    assert decompressor()[0] != lib.rf_python_decompress
    monkeypatch.setitem(sys.modules, "zstandard._cffi", module)
    decompressor.cache_clear()
    yield
    monkeypatch.undo()
    decompressor.cache_clear()


@pytest.mark.usefixtures("without_the_library")
def test_python_decompresses_where_the_library_is_missing(
    directory: Path, one: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert decompressor()[0] == lib.rf_python_decompress
    tables = Tables(Board("siaius", 4, 5, "turn"), directory)
    rnd = Random("python")
    fens = [random_position(rnd, 4, 5, 3, "") for _ in range(50)]
    values = [tables.value(Position(fen)) for fen in fens]
    tables.load()
    assert [tables.value(Position(fen)) for fen in fens] == values
    assert len(set(values)) > 5
    decompressor.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "zstandard._cffi")
        usual = Tables(Board("siaius", 4, 5, "turn"), directory)
        assert decompressor()[0] != lib.rf_python_decompress
        assert [usual.value(Position(fen)) for fen in fens] == values
    decompressor.cache_clear()

    broken_frame(one)
    assert decompressor()[0] == lib.rf_python_decompress
    with pytest.raises(TableError, match="block 1 of"):
        TableFile(one).check()
    assert capfd.readouterr().err == ""


def broken_frame(path: Path) -> None:
    """Makes the first block no Zstandard frame, with checksums that fit."""
    data = bytearray(path.read_bytes())
    data_at = int.from_bytes(data[12:20], "little")
    blocks = read_info(path).blocks
    size = int.from_bytes(data[136:144], "little")
    data[data_at : data_at + size] = bytes(size)
    checksums = 128 + 8 * (blocks + 1)
    data[checksums : checksums + 4] = zlib.crc32(bytes(size)).to_bytes(4, "little")
    path.write_bytes(with_fitting_index(data))


def with_fitting_index(data: bytearray) -> bytes:
    """The file with the checksums of its index and head put right."""
    data_at = int.from_bytes(data[12:20], "little")
    data[108:112] = zlib.crc32(data[128:data_at]).to_bytes(4, "little")
    data[124:128] = zlib.crc32(data[:124]).to_bytes(4, "little")
    return bytes(data)


def test_a_block_that_is_no_frame_is_rejected(one: Path) -> None:
    broken_frame(one)
    with pytest.raises(TableError, match="block 1 of"):
        TableFile(one).check()


@pytest.mark.parametrize(("number", "offset"), [(1, 1 << 62), (0, 1 << 62), (0, 1 << 20)])
def test_a_block_at_another_offset_is_rejected(one: Path, number: int, offset: int) -> None:
    data = bytearray(one.read_bytes())
    data[128 + 8 * number : 136 + 8 * number] = offset.to_bytes(8, "little")
    one.write_bytes(with_fitting_index(data))
    with pytest.raises(TableError, match="block 1 of"):
        TableFile(one).check()


# ---- building ----


def test_a_build_resumes(directory: Path, tmp_path: Path) -> None:
    board = Board("siaius", 4, 4, "off")

    class StopError(Exception):
        pass

    def stop(progress: Progress) -> None:
        if files_of(tmp_path / board.folder):
            raise StopError

    with pytest.raises(StopError):
        build_tables(board, 3, directory=tmp_path, threads=1, progress=stop)
    left = files_of(tmp_path / board.folder)
    assert 0 < len(left) < len(files_of(directory / board.folder))
    first = left[0].stat().st_mtime_ns
    built = build_tables(board, 3, directory=tmp_path)
    assert built.kept >= len(left) - 1
    assert left[0].stat().st_mtime_ns == first
    assert not list((tmp_path / board.folder).glob(".*"))
    for path in files_of(directory / board.folder):
        assert path.read_bytes() == (tmp_path / board.folder / path.name).read_bytes()


def test_threads_share_a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are the same to the last byte, however the threads share the steps."""
    monkeypatch.setattr("ringfen.tables.build._ROWS_PER_PIECE", 7)
    board = Board("siaius", 4, 3, "turn")
    materials = [RULES.material_of("SC", "MC"), RULES.material_of("CC", "CC")]
    seen: list[Progress] = []
    for threads in (1, 3):
        build_tables(
            board, 4, directory=tmp_path / str(threads), materials=materials, threads=threads, progress=seen.append
        )
    assert {progress.total for progress in seen} == {seen[0].total}
    assert all(0 <= progress.done <= progress.total for progress in seen)
    files = files_of(tmp_path / "1" / board.folder)
    assert any(path.name == "CCvCC.rft" for path in files)
    for path in files:
        assert path.read_bytes() == (tmp_path / "3" / board.folder / path.name).read_bytes()


def test_memory_is_bounded(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match=r"needs \d+ MB, but 1 MB"):
        build_tables(Board("siaius", 10, 10, "turn"), 3, directory=tmp_path, memory=1 << 20)
    assert not list(tmp_path.iterdir())


def test_a_bad_file_stops_a_build(one: Path) -> None:
    one.write_bytes(b"nothing")
    with pytest.raises(TableError):
        build_tables(Board("siaius", 4, 4, "turn"), 3, directory=one.parent.parent)


# ---- commands ----


def test_commands(tmp_path: Path) -> None:
    env = {"RINGFEN_TABLES": str(tmp_path)}
    build = ("tablebase", "build", "siaius", "--size", "4x4")
    result = ringfen(*build, "--json", "-q", **env)
    assert result.exit_code == OK
    lines = json_lines(result)
    assert len(lines) == 32
    line = next(line for line in lines if line["material"] == "SMvT")
    assert line["wins"] + line["draws"] + line["losses"] <= line["entries"]
    assert "0 made, 32 there before" in ringfen(*build, **env).stdout

    probe = ringfen("tablebase", "probe", "siaius 4/3t/1M2/S3 n - - 0", "--json", **env)
    answer = json_lines(probe)[0]
    position = Position("siaius 4/3t/1M2/S3 n - - 0")
    assert (answer["value"], answer["distance"]) == ReachableGraph(position, MEMORY).value(position)
    assert sorted(answer["plies"]) == position.plies()
    assert "win in" in ringfen("tablebase", "probe", "siaius 4/3t/1M2/S3 n - - 0", **env).stdout
    assert ringfen("tablebase", "probe", "siaius", **env).exit_code == LIMIT
    assert ringfen("tablebase", "probe", "siaius 4/4", **env).exit_code == USAGE

    listed = json_lines(ringfen("tablebase", "list", "--json", **env))
    assert len(listed) == 32
    longest = next(line for line in listed if line["material"] == "SMvT")
    tables = Tables(Board("siaius", 4, 4, "turn"), tmp_path)
    assert tables.value(Position(longest["longest_win_fen"])) == ("win", longest["longest_win"])
    assert tables.value(Position(longest["longest_loss_fen"])) == ("loss", longest["longest_loss"])
    assert "SMvT" in ringfen("tablebase", "list", "siaius", "--size", "4x4", **env).stdout
    listed_none = ringfen("tablebase", "list", "siaius", "--size", "5x5", **env).stdout
    command = "run 'ringfen tablebase build siaius --size 5x5' to build them"
    assert listed_none == f"no tables in {tmp_path}; {command}\n"

    assert ringfen("tablebase", "verify", "--full", "-q", **env).exit_code == OK
    some = ringfen("tablebase", "verify", "--full", "--material", "MvS", "--material", "SvSM", "--json", **env)
    assert sorted(Path(line["file"]).name for line in json_lines(some)) == ["SvSM.rft", "SvT.rft"]
    path = tmp_path / "siaius-4x4-turn" / "SvSM.rft"
    stats = read_info(path).statistics
    for wrong in (
        {"wins": stats.wins + 1, "draws": stats.draws - 1},
        {"losses": stats.losses - 1},
        {"longest_win": stats.longest_win + 2},
        {"longest_win_at": stats.longest_win_at + 1},
        {"longest_loss_at": stats.longest_loss_at + 1},
    ):
        rewrite(path, replace(stats, **wrong))
        some = ringfen("tablebase", "verify", "--full", "--material", "SvSM", "--json", **env)
        assert some.exit_code == WRONG
        assert json_lines(some)[0]["message"].startswith("the numbers of wins, draws and losses")
    wrong_value(path)
    some = ringfen("tablebase", "verify", "--full", "--material", "SvSM", "--json", **env)
    assert some.exit_code == WRONG
    assert "has a wrong value" in json_lines(some)[0]["message"]


def wrong_value(path: Path) -> None:
    """Rewrite the table with another value for the position of its longest win."""
    file = TableFile(path)
    values = file.values()
    info = file.info
    values[info.statistics.longest_win_at] += 1
    buffer = ffi.buffer(values, info.entries * info.width)
    write_table(path.parent, info.board, info.material, info.width, buffer, info.statistics)


def rewrite(path: Path, statistics: Statistics) -> None:
    """Rewrite the table with other statistics."""
    file = TableFile(path)
    info = file.info
    buffer = ffi.buffer(file.values(), info.entries * info.width)
    write_table(path.parent, info.board, info.material, info.width, buffer, statistics)


def test_commands_reject_damaged_tables(one: Path) -> None:
    directory = str(one.parent.parent)
    whole = one.read_bytes()
    one.write_bytes(whole[:-20] + bytes(20))
    result = ringfen("tablebase", "verify", "--json", "--directory", directory)
    assert result.exit_code == WRONG
    assert [line["file"] for line in json_lines(result) if not line["ok"]] == [str(one)]
    one.write_bytes(with_head(whole, 8, b"\x09"))
    position = "siaius 4/3t/1M2/S3 s - - 0"
    for command in (
        ("tablebase", "probe", position, "--directory", directory),
        ("tablebase", "list", "--directory", directory),
        ("tablebase", "build", "siaius", "--size", "4x4", "--directory", directory),
    ):
        result = ringfen(*command)
        assert result.exit_code == WRONG
        assert "newer" in result.stderr
    result = ringfen("solve", position, RINGFEN_TABLES=directory)
    assert result.exit_code == WRONG
    assert "newer" in result.stderr


SOLVED = "siaius 4/3t/1M2/S3 s - - 0"
OF_ANOTHER_GAME = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"


def flip_every_block(path: Path) -> None:
    """Damage every block, not the head and the index."""
    whole = bytearray(path.read_bytes())
    data = int.from_bytes(whole[12:20], "little")
    whole[data:] = bytes(byte ^ 1 for byte in whole[data:])
    path.write_bytes(whole)


def replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


#: Makes a file of a table unusable: each a kind of damage, or another thing under its name.
DAMAGES: dict[str, Callable[[Path], object]] = {
    "directory": replace_by(Path.mkdir),
    "pipe": replace_by(os.mkfifo),
    "empty": replace_by(Path.touch),
    "dangling link": replace_by(lambda path: path.symlink_to("nothing")),
    "endless link": replace_by(lambda path: path.symlink_to(path)),
    "text": replace_by(lambda path: path.write_text("this is no table")),
    "newer format": lambda path: path.write_bytes(with_head(path.read_bytes(), 8, b"\x09")),
    "cut short": lambda path: os.truncate(path, path.stat().st_size - 9),
    "within the head": lambda path: os.truncate(path, 40),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "another board": lambda path: path.write_bytes(path.read_bytes()[:20] + b"\5" + path.read_bytes()[21:]),
    "a copy": lambda path: shutil.copy(path, path.with_name("SMvT (1).rft")),
    "blocks": flip_every_block,
}


BUILD = "run 'ringfen tablebase build siaius --size 4x4 --material SMvT' to build"
OF_DAMAGE = f"remove that file and {BUILD} it again"
_FOREIGN = "move or remove that file; run 'ringfen tablebase build' to build a table that is missing"
_UNREADABLE = f"make that file readable, or remove it and {BUILD} it again"
#: What the commands advise about a file that is not damaged.
ADVICE = {
    "newer format": "install a newer version of Ringfen to read that file",
    **dict.fromkeys(("directory", "pipe", "empty", "text", "a copy"), _FOREIGN),
    **dict.fromkeys(("dangling link", "endless link"), _UNREADABLE),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_table_is_reported_once_and_not_used(directory: Path, one: Path, tmp_path: Path, damage: str) -> None:
    damaged = str(one.parent.parent)
    lines = [SOLVED, OF_ANOTHER_GAME, "siaius 4/3t/1M2/3S s - - 0", SOLVED, "siaius 4/3t/4/S3 s - - 0"]
    file, out = tmp_path / "positions", tmp_path / "out"
    file.write_text("\n".join(lines))
    records = tmp_path / "a.rgn"
    records.write_text(f'[Game "siaius"]\n[FEN "{SOLVED}"]\n[Result "*"]\n\n1. {Position(SOLVED).plies()[0]} *\n')
    right = [
        (answer["fen"], answer["value"], answer["distance"])
        for answer in json_lines(ringfen("solve", "-f", str(file), "--json", RINGFEN_TABLES=str(directory)))
    ]
    assert len(right) == len(lines)
    DAMAGES[damage](one)
    bad = one.with_name("SMvT (1).rft") if damage == "a copy" else one
    runs: list[Sequence[str]] = [
        ("solve", SOLVED, "--json"),
        ("solve", "-f", str(file), "--out", str(out)),
        ("prove", SOLVED, "--out", str(tmp_path / "cert")),
    ]
    if damage in ("pipe", "blocks"):  # one found by its name, one while it is read
        runs += [
            ("solve", SOLVED, "--json", "--each"),
            ("solve", SOLVED, "--json", "--wdl"),
            ("solve", "-f", str(file), "--json"),
            ("solve", "-f", str(file), "--json", "--jobs", "2"),
            ("prove", "-f", str(file), "--out-dir", str(tmp_path / "certs")),
            ("annotate", str(records)),
        ]
    for arguments in runs:
        result = ringfen(*arguments, RINGFEN_TABLES=damaged)
        assert result.exit_code == WRONG, (arguments, result.stderr)
        assert result.stderr.count("error: ") == 1, (arguments, result.stderr)
        assert result.stderr.count(str(bad)) == 1, (arguments, result.stderr)
        assert result.stderr.count(f"\n{ADVICE.get(damage, OF_DAMAGE)}\n") == 1, (arguments, result.stderr)
        if "-f" in arguments and "--json" in arguments:
            answers = [(answer["fen"], answer["value"], answer["distance"]) for answer in json_lines(result)]
            assert answers == right, arguments
    saved = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted((answer["fen"], answer["value"], answer["distance"]) for answer in saved) == sorted(right)
    if ("annotate", str(records)) in runs:
        assert len(list((tmp_path / "certs").iterdir())) == len(lines)
    solution = solve(SOLVED, tables=damaged)
    assert [Path(problem.text) for problem in solution.table_problems] == [bad]
    assert (solution.value, solution.distance) == right[0][1:]
    assert [problem.text for problem in pickle.loads(pickle.dumps(solution)).table_problems] == [str(bad)]
    assert ringfen("verify", str(tmp_path / "cert"), RINGFEN_TABLES=damaged).exit_code == OK


def test_a_table_that_becomes_damaged_is_dropped(directory: Path, one: Path) -> None:
    tables, right = one.parent.parent, solve(SOLVED, tables=directory)
    assert solve("siaius 4/3c/1C2/S3 s - - 0", tables=tables).table_problems == ()
    flip_every_block(one)  # the folder does not change, so the tables stay open
    for _ in range(2):
        found = solve(SOLVED, tables=tables)
        assert [(problem.reason, problem.text) for problem in found.table_problems] == [("damaged-table", str(one))]
        assert (found.status, found.value, found.distance, found.best) == (
            *(right.status, right.value, right.distance, right.best),
        )


def test_a_table_in_a_later_directory_replaces_a_damaged_one(directory: Path, one: Path) -> None:
    flip_every_block(one)
    paths = f"{one.parent.parent}{os.pathsep}{directory}"
    result = ringfen("solve", SOLVED, "--json", RINGFEN_TABLES=paths)
    assert result.exit_code == WRONG
    assert json_lines(result)[0]["nodes"] == 0


def test_bad_use() -> None:
    for arguments in (
        ("build", "rings"),
        ("build", "siaius", "--stones", "7"),
        ("build", "siaius", "--material", "SvX"),
        ("build", "siaius", "--material", "SSSSvSSS"),
        ("build", "siaius", "--size", "11x10"),
        ("build", "siaius", "--size", "10x13"),
        ("build", "siaius", "--size", "2x5"),
    ):
        assert ringfen("tablebase", *arguments).exit_code == USAGE
    assert "no endgame tables of 'rings', only of gyges and siaius" in ringfen("tablebase", "build", "rings").stderr
    for command in ("verify", "list"):
        assert ringfen("tablebase", command, "gran").exit_code == USAGE
    assert ringfen("tablebase", "verify", "--material", "SvX").exit_code == USAGE
    assert INTERRUPTED == 130


def test_games_say_whether_they_have_tables() -> None:
    assert games_with_tables() == ("gyges", "siaius")
    assert table_rules("siaius") is RULES
    with pytest.raises(ValueError, match="rings has no endgame tables"):
        table_rules("rings")
    assert board_of(Position("gyges")) == Board("gyges", 6, 6, "")
    assert board_of(Position("rings")) is None
    for name in ("gyges-4x4-turn", "siaius-4x4-never", "siaius-4x4"):
        assert board_of_folder(Path(name)) is None
    assert board_of_folder(Path("siaius-4x12-off")) == Board("siaius", 4, 12, "off")


def test_too_little_memory_is_a_limit(tmp_path: Path) -> None:
    result = ringfen("tablebase", "build", "siaius", "--memory", "1", "--directory", str(tmp_path))
    assert result.exit_code == LIMIT
    assert "needs" in result.stderr


def test_json_of_a_build_is_what_the_files_say(one: Path) -> None:
    listed = ringfen("tablebase", "list", "--json", "--directory", str(one.parent.parent))
    line = next(json.loads(text) for text in listed.stdout.splitlines() if '"SMvT"' in text)
    info = read_info(one)
    assert (line["entries"], line["wins"], line["bytes"]) == (info.entries, info.statistics.wins, info.bytes)


def test_a_class_by_another_name(one: Path) -> None:
    """It is the class of the tables, and the message says so."""
    directory = one.parents[1]
    for name, note in (("TvM", "note: TvM is another name of the class SvT\n"), ("SvT", "")):
        result = ringfen("tablebase", "longest", "--material", name, "--directory", str(directory))
        assert (result.exit_code, result.stderr) == (0, note)
        assert result.stdout.startswith("SvT  win in ")


@pytest.mark.parametrize("damage", ["a byte", "the end", "a directory", "a pipe", "a device", "a loop", "a dead link"])
def test_a_bad_file_is_reported_once_and_skipped_by_every_command(damage: str, tmp_path: Path) -> None:
    words = ("--directory", str(tmp_path))
    assert ringfen("tablebase", "build", "siaius", "--size", "4x4", "--stones", "2", *words, "-q").exit_code == 0
    path = tmp_path / "siaius-4x4-turn" / "SvM.rft"
    content = path.read_bytes()
    path.unlink()
    if damage == "a byte":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "the end":
        path.write_bytes(content[:-1])
    elif damage == "a directory":
        path.mkdir()
    elif damage == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"a device": "/dev/zero", "a loop": str(path), "a dead link": "nowhere"}[damage])
    for command in ("stats", "longest", "checksums"):
        result = ringfen("tablebase", command, *words)
        assert result.exit_code == 1
        assert result.stderr.count(f"{path}: ") == result.stderr.count("error: ") == 1
        assert "SvT" in result.stdout  # without its zugzwangs, which need SvM
        assert "SvM" not in result.stdout
    position = "siaius 3m/4/S3/4 s - - 0"
    result = ringfen("tablebase", "probe", position, position, "siaius 3t/4/S3/4 s - - 0", "--json", *words)
    assert result.exit_code == 1
    assert [answer["value"] for answer in json_lines(result)] == [None, None, "win"]
    assert result.stderr.count(f"{path}: ") == result.stderr.count("error: ") == 1
    if damage != "a byte":  # `list` reads only the heads
        result = ringfen("tablebase", "list", *words)
        assert result.exit_code == 1
        assert result.stderr.count(f"{path}: ") == result.stderr.count("error: ") == 1
        assert "SvT" in result.stdout
    result = ringfen("tablebase", "verify", *words)
    assert result.exit_code == 1
    assert result.stdout.count("BAD") == 1


@pytest.mark.parametrize(
    ("position", "name", "options"),
    [
        ("siaius 3/2t/S2/1M1 n - - 0", "SvMT", "--size 3x4 --material SvMT"),
        ("siaius 3/2m/S2/3 s - - 0 beats=reverse huff=stone", "SvT", "--size 3x4 --huff stone --material SvT"),
        ("siaius 3/2c/S2/1M1 s - - 0", "SSvC", "--size 3x4 --material SSvC"),
    ],
)
def test_probe_names_the_missing_table(position: str, name: str, options: str, tmp_path: Path) -> None:
    result = ringfen("tablebase", "probe", position, position, RINGFEN_TABLES=str(tmp_path))
    assert (result.exit_code, result.stdout) == (LIMIT, 2 * f"{Position(position)}\nnot covered by a table\n")
    folder = f"siaius-3x4-{'stone' if 'stone' in options else 'turn'}"
    build = f"ringfen tablebase build siaius {options}"
    assert result.stderr == f"note: there is no table {name} in {tmp_path}/{folder}; run '{build}' to build it\n"
    directory = ("--directory", str(tmp_path))
    assert ringfen(*build.split()[1:], *directory, "-q").exit_code == OK
    assert (tmp_path / folder / f"{name}.rft").is_file()
    assert ringfen("tablebase", "probe", position, *directory).exit_code == OK


def test_probe_names_the_table_whose_successors_are_missing(tmp_path: Path) -> None:
    words = ("--directory", str(tmp_path))
    build = ("tablebase", "build", "siaius", "--size", "3x4", "--material", "CvSS", *words)
    position = "siaius Ct1/3/2t/3 s - a4 0"
    assert ringfen(*build, "-q").exit_code == OK
    assert ringfen("tablebase", "probe", position, *words).exit_code == OK
    for name in ("CvS", "SvC"):
        (tmp_path / "siaius-3x4-turn" / f"{name}.rft").unlink()
    result = ringfen("tablebase", "probe", position, *words)
    missing = f"note: there are no tables that CvSS needs in {tmp_path}/siaius-3x4-turn; "
    assert (result.exit_code, result.stderr) == (LIMIT, f"{missing}run 'ringfen {' '.join(build)}' to build them\n")
    assert ringfen(*build, "-q").exit_code == OK
    assert ringfen("tablebase", "probe", position, *words).exit_code == OK


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("siaius", "no table can cover such a position: tables of Siaius cover positions of at most 6 stones"),
        ("rings", "there are no endgame tables of rings"),
    ],
)
def test_probe_explains_positions_that_no_table_covers(game: str, reason: str, tmp_path: Path) -> None:
    result = ringfen("tablebase", "probe", game, RINGFEN_TABLES=str(tmp_path))
    assert (result.exit_code, result.stderr) == (LIMIT, f"note: {reason}\n")


@pytest.mark.parametrize("command", ["stats", "longest", "checksums", "verify"])
def test_a_chosen_table_that_is_missing_is_named(command: str, tmp_path: Path) -> None:
    words = ("--directory", str(tmp_path))
    ringfen("tablebase", "build", "siaius", "--size", "3x3", "--material", "SvS", *words, "-q")
    chosen = ("siaius", "--material", "SMvT", "--material", "SvS")
    result = ringfen("tablebase", command, *chosen, *words, "-q")
    build = f"ringfen tablebase build {' '.join((*chosen[:3], *words))}"
    assert result.stderr == f"note: these tables of siaius are missing: SMvT; run '{build}' to build them\n"
    assert ("SvS" in result.stdout, "SMvT" in result.stdout, result.exit_code) == (True, False, OK)
    assert ringfen("tablebase", command, *chosen[:1], *chosen[3:], *words, "-q").stderr == ""


def test_list_shows_a_dash_if_a_class_has_no_win(tmp_path: Path) -> None:
    words = ("--directory", str(tmp_path))
    ringfen("tablebase", "build", "siaius", "--size", "3x3", "--material", "SvSS", *words, "-q")
    listed = json_lines(ringfen("tablebase", "list", "--json", *words))
    rows = ringfen("tablebase", "list", *words).stdout.splitlines()[2:]
    longest = [[str(line[name] or "–") for name in ("longest_win", "longest_loss")] for line in listed]
    assert [row.split()[-2:] for row in rows] == longest
    assert {"–"} < {text for row in longest for text in row}


def test_list_reports_a_table_of_another_board(tmp_path: Path) -> None:
    words = ("--directory", str(tmp_path))
    for size in ("3x3", "4x4"):
        ringfen("tablebase", "build", "siaius", "--size", size, "--stones", "2", *words, "-q")
    path = tmp_path / "siaius-4x4-turn" / "SvM.rft"
    path.write_bytes((tmp_path / "siaius-3x3-turn" / "SvM.rft").read_bytes())
    result = ringfen("tablebase", "list", *words)
    assert result.exit_code == 1
    assert f"{path}: this is the table SvM for siaius-3x3-turn, which does not belong here" in result.stderr
