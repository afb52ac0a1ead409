"""Endgame tables of Gygès: against retrograde analysis and the rules; files, checkpoints, commands, and solving."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position, SolveOptions, Tablebase, TableError, solve
from ringfen._core import ffi, lib
from ringfen.cli.exit_status import LIMIT, OK, USAGE, WRONG
from ringfen.control import Progress
from ringfen.rules.gyges.tables import RULES
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables import build as building
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board, TableFile, TableInfo, read_info
from ringfen.tables.tablebase import Tables
from ringfen.win_value import DRAW

BOARD = Board("gyges", 6, 6, "")
MEMORY = 1 << 30
LONGEST = "gyges ....../2...../....../....../.3..../1..... s - 1+1"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of all materials with up to three rings."""
    path: Path = tmp_path_factory.mktemp("tables")
    build_tables(BOARD, 3, directory=path, threads=1)
    return path


@pytest.fixture(scope="module")
def tables(directory: Path) -> Tables:
    opened = Tables(BOARD, directory)
    opened.load()
    return opened


def placements(tables: Tables, name: str) -> Iterator[Position]:
    """The position of each entry."""
    material = RULES.class_of(name)
    for index in range(lib.rf_tablebase_entries(BOARD.cdata, 6, 6, material)):
        text = tables.text(material, index)
        assert text is not None
        yield Position(text)


def names(rings: int) -> list[str]:
    return sorted(RULES.name_of(material) for material in RULES.classes(rings))


# ---- values ----


@pytest.mark.parametrize("name", names(3))
def test_every_value_is_that_of_retrograde_analysis(tables: Tables, name: str) -> None:
    """Every placement, seen from either side, with its mirror image."""
    seen: set[bytes] = set()
    state, out = ffi.new("rf_state *"), tables._opened
    finished = 0
    for start in placements(tables, name):
        if bytes(ffi.buffer(start.state)) in seen:
            continue
        graph = ReachableGraph(start, MEMORY)._graph
        for node in range(lib.rf_graph_size(graph)):
            lib.rf_graph_state(graph, node, state)
            key = bytes(ffi.buffer(state))
            if key in seen:
                continue
            seen.add(key)
            finished += lib.rf_outcome(BOARD.cdata, ffi.NULL, state) != lib.RF_OUTCOME_NONE
            found = lib.rf_tablebase_probe(out.core, out.reading.reader, state)
            assert found.status == lib.RF_TB_FOUND
            expected = lib.rf_graph_winner(graph, node), lib.rf_graph_distance(graph, node)
            assert (found.winner, found.distance) == expected
    squares, placed = 36, 2
    for height in "123":
        for i in range(name.count(height)):
            placed = placed * (squares - i) // (i + 1)
        squares -= name.count(height)
    unseen = placed - (len(seen) - finished)
    # A placement that no ply leads to, with North to move or as a mirror image, is in no graph.
    assert 0 <= unseen < placed // 2


def test_known_figures_of_one_ring_of_each_height(tables: Tables) -> None:
    (info,) = (info for info in tables.infos if info.name == "123")
    stats = info.statistics
    assert (info.entries, stats.wins, stats.losses, stats.draws) == (21_420, 19_464, 7_842, 15_534)
    assert (stats.longest_win, stats.longest_loss) == (31, 32)
    counts = tables.counts(info)
    assert [counts.wins[distance] for distance in (1, 3, 5, 7, 31)] == [4_390, 5_622, 3_412, 1_702, 40]
    assert [counts.losses[distance] for distance in (2, 4, 6, 32)] == [1_162, 1_656, 1_768, 12]
    assert tables.text(info.material, stats.longest_win_at) == LONGEST


@pytest.mark.parametrize("name", names(3))
def test_every_value_agrees_with_its_successors(tables: Tables, name: str) -> None:
    (info,) = (info for info in tables.infos if info.name == name)
    assert tables.first_wrong(info) is None


def test_values_of_four_rings_agree_with_the_rules(tmp_path: Path) -> None:
    rnd = Random("four rings")
    chosen = ("1123", "2233", "1333")
    build_tables(BOARD, 4, directory=tmp_path, materials=map(RULES.class_of, chosen), threads=2)
    opened = Tables(BOARD, tmp_path)
    opened.load()
    assert sorted(info.name for info in opened.infos) == sorted(chosen)
    for info in opened.infos:
        for _ in range(30):
            begin = rnd.randrange(info.entries - 500)
            assert opened.first_wrong(info, begin, begin + 500) is None


@pytest.mark.long
def test_values_of_six_rings_agree_with_the_rules(tmp_path: Path) -> None:
    rnd = Random("six rings")
    build_tables(BOARD, 6, directory=tmp_path, materials=[RULES.class_of("112233")])
    opened = Tables(BOARD, tmp_path)
    opened.load()
    (info,) = opened.infos
    stats = info.statistics
    assert (stats.wins, stats.losses, stats.draws) == (120_084_942, 49_560_655, 5_655_683)
    assert (stats.longest_win, stats.longest_loss) == (61, 62)
    for _ in range(200):
        begin = rnd.randrange(info.entries - 5_000)
        assert opened.first_wrong(info, begin, begin + 5_000) is None


def test_a_wrong_value_is_found(directory: Path) -> None:
    opened = Tables(BOARD, directory)
    opened.load()
    (info,) = (info for info in opened.infos if info.name == "123")
    values = opened._opened.values[info.material]
    rnd = Random(1)
    for _ in range(50):
        index = rnd.randrange(info.entries)
        right = values[index]
        values[index] = right + 1 if right else 5
        assert opened.first_wrong(info, index, index + 1) == index
        values[index] = right


@pytest.mark.parametrize("name", ["1", "33", "112", "123", "333"])
def test_numbers_of_placements(tables: Tables, name: str) -> None:
    """Entries are different placements, and with their mirror images all there are."""
    found = {mirrored(position.fen) for position in placements(tables, name)}
    entries = lib.rf_tablebase_entries(BOARD.cdata, 6, 6, RULES.class_of(name))
    assert len(found) == entries
    both = found | {position.fen for position in placements(tables, name)}
    counts = tables.counts(next(info for info in tables.infos if info.name == name))
    assert len(both) == sum(counts.wins.values()) + counts.draws + sum(counts.losses.values())


def mirrored(fen: str) -> str:
    game, ranks, rest = fen.split(" ", 2)
    return f"{game} {'/'.join(rank[::-1] for rank in ranks.split('/'))} {rest}"


@pytest.mark.parametrize("name", ["33", "112"])
def test_mutual_zugzwangs(directory: Path, name: str) -> None:
    """With values made up at random, because there are none with so few rings."""
    opened = Tables(BOARD, directory)
    opened.load()
    (info,) = (info for info in opened.infos if info.name == name)
    assert counts_of(opened, info) == [0, 0]
    values, rnd = opened._opened.values[info.material], Random(name)
    for index in range(info.entries):
        values[index] = rnd.choice((0, 0x01, 0x82))
    found: dict[str, set[str]] = {"loss": set(), "draw": set(), "win": set()}
    for position in placements(opened, name):
        sides = [Position(position.fen.replace(" s ", f" {side} ")) for side in "sn"]
        south, north = ((opened.value(side) or DRAW)[0] for side in sides)
        if south == "loss":
            found[north] |= {position.fen, mirrored(position.fen)} if is_unlike(position.fen) else {position.fen}
    assert counts_of(opened, info) == [len(found["loss"]), len(found["draw"])]
    assert min(counts_of(opened, info)) > 0


def counts_of(tables: Tables, info: TableInfo) -> list[int]:
    """The numbers of full-point and half-point zugzwangs."""
    return [kind.positions for kind in tables.zugzwangs(info) or ()]


def is_unlike(fen: str) -> bool:
    """Whether the rings of the lowest height are not their own mirror image."""
    first = min(re.findall("[123]", fen.split()[1]))
    only = re.sub(f"[^{first}/]", ".", fen.split()[1])
    return only != "/".join(rank[::-1] for rank in only.split("/"))


# ---- what tables cover ----


def test_rings_that_are_put_back(tables: Tables) -> None:
    """After a conquest that did not win, if each player then needs one more (G9)."""
    rnd = Random("put back")
    found = set()
    for heights in (*["12", "13", "23", "33"] * 4, "123", "133", "222"):
        board = ["."] * 36
        for square, height in zip(rnd.sample(range(36), len(heights) - 1), heights[1:], strict=True):
            board[square] = height
        ranks = "/".join("".join(board[at : at + 6]) for at in range(0, 36, 6))
        position = Position(f"gyges {ranks} {rnd.choice('sn')} {heights[0]} 1+1")
        value = tables.value(position)
        assert value == ReachableGraph(position, MEMORY).value(position), position.fen
        found.add(value[0])
    assert found == {"win", "draw"}


def test_positions_without_tables_are_not_covered(tables: Tables) -> None:
    for fen in (
        "gyges",
        "gyges ....../2...../....../....../.3..../1..... s - 2+1",
        "gyges ....../2...../....../....../.3..../1..... n - 1+9",
        "gyges ....../2...../....../....../.3..../1..... n 1 1+2",
        "gyges ....../2...../....../....../.3..../11.... s - 1+1",
        "gyges 321123/....../....../....../....../321123 s - 1+1",
    ):
        assert tables.value(Position(fen)) is None, fen


def test_a_finished_position_needs_no_table(tables: Tables) -> None:
    over = Position("gyges ....../....../....../....../....../1..... n 2 0+1")
    assert over.outcome == "s"
    assert tables.value(over) == ("loss", 0)


# ---- solving ----


def test_solve_answers_from_tables(directory: Path) -> None:
    options = SolveOptions(tables=directory)
    solution = Position(LONGEST).solve(options)
    assert (solution.value, solution.distance, solution.nodes, solution.best) == ("win", 31, 0, ("a1-a2", "a1-b1"))
    assert len(solution.pv) == 31
    assert Position(LONGEST).play(solution.pv).outcome == "s"
    limited = Position(LONGEST).solve(SolveOptions(tables=directory, depth=30))
    assert (limited.status, limited.decided) == ("unknown", 30)


def test_solve_agrees_with_the_search_without_tables(directory: Path, tmp_path: Path, tables: Tables) -> None:
    rnd = Random("solve")
    kinds: dict[str, int] = {}
    for name in ("12", "33", "223"):
        for position in rnd.sample(list(placements(tables, name)), 4):
            with_tables = position.solve(SolveOptions(tables=directory))
            without = position.solve(SolveOptions(tables=tmp_path))
            assert with_tables.nodes == 0 < without.nodes
            for field in ("status", "value", "distance", "best", "best_complete"):
                assert getattr(with_tables, field) == getattr(without, field), (position.fen, field)
            kinds[str(with_tables.value)] = kinds.get(str(with_tables.value), 0) + 1
    assert len(kinds) > 1


def test_plies_that_keep_a_draw(directory: Path) -> None:
    position = Position("gyges ....../....../..2.../....../....../...... s - 1+1")
    solution = solve(position, SolveOptions(tables=directory))
    assert (solution.value, solution.distance) == ("draw", None)
    with Tablebase(directory) as tablebase:
        keeping = [ply for ply, after in position.successors() if tablebase.probe(after) == DRAW]
    assert list(solution.best) == keeping


def test_other_positions_are_solved_without_tables(directory: Path) -> None:
    position = Position("gyges ....../2...../....../....../.3..../1..... s - 2+1")
    solution = position.solve(SolveOptions(tables=directory, depth=3))
    assert solution.nodes > 0
    assert solution.table_problems == ()


# ---- building ----


def test_materials() -> None:
    assert RULES.name_of(RULES.class_of("321321")) == "112233"
    assert len(names(3)) == 19
    assert len(names(12)) == 5**3 - 1
    for name in ("", "0", "14", "11111", "S", "1v2"):
        with pytest.raises(ValueError, match=r"is not a material|more than 4 rings"):
            RULES.class_of(name)
    for material in (0, 5, 0x50, 0x1000, 0xFFFFFFFF):
        assert not lib.rf_is_class(BOARD.cdata, material)
        assert lib.rf_tablebase_entries(BOARD.cdata, 6, 6, material) == 0


def test_threads_build_the_same_tables(directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringfen.tables.build._ROWS_PER_PIECE", 1)
    built = build_tables(BOARD, 3, directory=tmp_path, threads=4)
    for info in built.built:
        assert info.path.read_bytes() == (directory / BOARD.folder / info.path.name).read_bytes()


def test_a_build_resumes_after_any_interruption(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringfen.tables.build._ROWS_PER_PIECE", 5)
    monkeypatch.setattr("ringfen.tables.checkpoint._SECONDS_BETWEEN", 0)
    rows = building._Builder._rows
    for after in (1, 2, 5, 6, 30, 100):
        left = after

        def stop(self: building._Builder, build: object, begin: int, end: int) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise building._CancelledError
            rows(self, build, begin, end)  # type: ignore[arg-type]

        target = tmp_path / str(after)
        said: list[str] = []
        with monkeypatch.context() as patched:
            patched.setattr(building._Builder, "_rows", stop)
            with pytest.raises(building._CancelledError):
                build_tables(BOARD, 3, directory=target, materials=[RULES.class_of("123")], threads=2)
        build_tables(BOARD, 3, directory=target, materials=[RULES.class_of("123")], threads=1, say=said.append)
        assert said == ["123 continues from its checkpoint"]
        (path,) = (target / BOARD.folder).iterdir()
        assert path.read_bytes() == (directory / BOARD.folder / "123.rft").read_bytes()


@pytest.mark.parametrize(
    ("phase", "plies", "done"),
    [(0, 0, 0), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 2, 0), (4, 2, 0), (2, 200, 0), (2, 2, 1), (1, 1, 1)],
)
def test_impossible_marks_are_rejected(phase: int, plies: int, done: int) -> None:
    tables = lib.rf_tablebase_new(BOARD.cdata, 6, 6, 0)
    build = lib.rf_tb_build_new(tables, RULES.class_of("12"))
    mark = ffi.new("rf_tb_checkpoint *", {"phase": phase, "plies": plies, "done": done})
    assert not lib.rf_tb_build_resume(build, mark)
    lib.rf_tb_build_free(build)
    lib.rf_tablebase_free(tables)


def test_memory_is_stated_before_a_build(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match=r"^112233 needs \d+ MB, but 100 MB may be used$"):
        build_tables(BOARD, 6, directory=tmp_path, materials=[RULES.class_of("112233")], memory=100 << 20)
    with pytest.raises(MemoryError, match=r"^11223333 has [\d,]+ entries; tables have at most 4,294,967,295$"):
        build_tables(BOARD, 8, directory=tmp_path, materials=[RULES.class_of("11223333")], memory=100 << 20)
    assert not list(tmp_path.iterdir())


def test_tablebase_builds_materials(tmp_path: Path) -> None:
    with Tablebase(tmp_path) as tablebase:
        seen: list[Progress] = []
        built = tablebase.build("gyges", materials=["321"], progress=seen.append)
        assert [info.name for info in built.built] == ["123"]
        assert seen[-1].total == 21_420
        assert tablebase.probe(LONGEST) == ("win", 31)
        assert tablebase.verify() == 1
        with pytest.raises(ValueError, match="variant is one of '', not 'turn'"):
            tablebase.build("gyges", variant="turn")
        with pytest.raises(ValueError, match="is not a material"):
            tablebase.build("gyges", materials=["SvM"])


# ---- files ----


def test_every_flipped_byte_is_noticed(directory: Path, tmp_path: Path) -> None:
    whole = (directory / BOARD.folder / "123.rft").read_bytes()
    one = tmp_path / "123.rft"
    rnd = Random(3)
    for at in [*range(128), *rnd.sample(range(128, len(whole)), 200)]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rnd.randrange(8)
        one.write_bytes(damaged)
        with pytest.raises(TableError):
            TableFile(one).check()
    for size in (0, 1, 7, 8, 100, 127, 128, 200, len(whole) - 1):
        one.write_bytes(whole[:size])
        with pytest.raises(TableError):
            TableFile(one)


def test_a_table_of_another_game_or_material_is_not_used(directory: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    folder.mkdir()
    (folder / "12.rft").write_bytes((directory / BOARD.folder / "13.rft").read_bytes())
    with pytest.raises(TableError) as caught:
        Tables(BOARD, tmp_path)
    assert caught.value.reason == "foreign-table"
    other = tmp_path / "siaius-6x6-turn"
    other.mkdir()
    (other / "13.rft").write_bytes((directory / BOARD.folder / "13.rft").read_bytes())
    with pytest.raises(TableError) as caught:
        Tables(Board("siaius", 6, 6, "turn"), tmp_path)
    assert caught.value.reason == "foreign-table"


def test_a_damaged_file_is_skipped(directory: Path, tmp_path: Path) -> None:
    folder = tmp_path / BOARD.folder
    folder.mkdir()
    whole = (directory / BOARD.folder / "12.rft").read_bytes()
    (folder / "12.rft").write_bytes(whole[:-20] + bytes(20))
    position = Position("gyges 2...../....../....../....../....../1..... s - 1+1")
    solution = position.solve(SolveOptions(tables=tmp_path))
    assert solution.value == position.solve(SolveOptions(tables=directory)).value
    assert [problem.reason for problem in solution.table_problems] == ["damaged-table"]


# ---- commands ----


def test_commands(directory: Path, tmp_path: Path) -> None:
    env = {"RINGFEN_TABLES": str(tmp_path)}
    assert ringfen("tablebase", "build", "gyges", "--material", "123", "-q", **env).exit_code == OK
    assert read_info(tmp_path / BOARD.folder / "123.rft").name == "123"
    (listed,) = json_lines(ringfen("tablebase", "list", "gyges", "--json", **env))
    assert (listed["game"], listed["huff"], listed["material"], listed["longest_win"]) == ("gyges", None, "123", 31)
    assert listed["longest_win_fen"] == LONGEST
    (stats,) = json_lines(ringfen("tablebase", "stats", "--material", "321", "--json", "-q", **env))
    assert (sum(stats["wins"].values()), stats["draws"], sum(stats["losses"].values())) == (19_464, 15_534, 7_842)
    (longest,) = json_lines(ringfen("tablebase", "longest", "gyges", "--json", "-q", **env))
    assert longest == {"material": "123", "fen": LONGEST, "value": "win", "distance": 31}
    probed = ringfen("tablebase", "probe", LONGEST, **env)
    assert (probed.exit_code, probed.stdout.splitlines()[1]) == (OK, "win in 31")
    full = "gyges 321123/....../....../....../....../321123 s - 1+1"
    for position in ("gyges", full, LONGEST.replace("1+1", "2+1")):
        result = ringfen("tablebase", "probe", position, **env)
        assert result.exit_code == LIMIT
        assert result.stderr.startswith("note: no table can cover such a position: tables of Gygès cover positions ")
    result = ringfen("tablebase", "probe", LONGEST.replace("1", "2", 1), "--json", **env)
    assert result.exit_code == LIMIT
    missing = f"there is no table 223 in {tmp_path}/gyges-6x6; run 'ringfen tablebase build gyges --material 223' to"
    assert result.stderr == f"note: {missing} build it\n"
    checked = ringfen("tablebase", "verify", "gyges", "--full", "--size", "6x6", "-q", **env)
    assert (checked.exit_code, checked.stdout.split()[0]) == (OK, "ok")
    checksums = ringfen("tablebase", "checksums", "gyges", "-q", **env).stdout
    assert (
        checksums == ringfen("tablebase", "checksums", "--material", "123", "--directory", str(directory), "-q").stdout
    )
    assert re.fullmatch(r"[0-9a-f]{64}  gyges-6x6/123\n", checksums)
    assert ringfen("solve", LONGEST, **env).exit_code == OK
    assert ringfen("tablebase", "stats", "siaius", "-q", **env).exit_code == WRONG


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--size", "8x8"), "is not a size"),
        (("--huff", "turn"), "gyges has no such option"),
        (("--material", "11111"), "more than 4 rings of height 1"),
        (("--material", "SvM"), "is not a material such as 112233"),
        (("--stones", "13"), "13"),
    ],
)
def test_options_of_other_games_are_rejected(options: tuple[str, ...], words: str) -> None:
    result = ringfen("tablebase", "build", "gyges", *options)
    assert result.exit_code == USAGE
    assert words in result.stderr
