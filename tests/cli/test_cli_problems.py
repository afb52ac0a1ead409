"""``ringfen problems``: its output, its order, resuming, random positions and checks."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cli_runner import json_lines, ringfen
from gran_random import SMALL_BOARD

from ringfen import Position, RingfenError, TreeNode, check_problem, game_ids, solution_tree
from ringfen.notation import read_records
from ringfen.notation.random_positions import positions_of_random_games, random_placements
from ringfen.notation.record import Line
from ringfen.problems.file import ExaminedFile
from ringfen.problems.mining import Twins, examine, options_of
from ringfen.problems.stipulation import Stipulation
from ringfen.rules.gran.board import Board, read_board

EXAMPLES = Path(__file__).parents[2] / "examples" / "problems"
START = "gyges ....../...3../1.212./.31232/..3.../..1... s - 1+1"
COOKED = "gyges ...3../..1.../1.2221/33...1/....../3...2. n - 1+1"
MATERIALS = {
    "gyges": ("gyges", "1223"),
    "rings": ("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0", "13K(31)k(11)"),
    "siaius": ("siaius 4/s3/4/S3 s - - 0 huff=off", "SMvT"),
    "gran": ("gran", "TU/GT/-+3"),
}


def problem(fen: str, stipulation: str, plies: str = "") -> str:
    return f'[Game "{fen.split()[0]}"]\n[Result "*"]\n[FEN "{fen}"]\n[Stipulation "{stipulation}"]\n\n{plies} *\n\n'


def test_a_record_for_each_problem() -> None:
    result = ringfen("problems", "--random", START, "--first", "2", "--sound", "line", "--seed", "0")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        f"""\
[Game "gyges"]
[Event "Problem"]
[Site "?"]
[Date "????.??.??"]
[Round "1"]
[South "?"]
[North "?"]
[Result "1-0"]
[FEN "{START}"]
[Stipulation "win in 2"]
[Key "c1xc2-b5"]
[Legal "45"]
[Tries "1"]
[Duals "0"]
"""
    )
    first, second = read_records(text=result.stdout)
    assert first.valid
    assert second.valid
    assert first.tags["Source"] == "seed 0, game 1, ply 0"
    assert [node.ply for node in first.mainline()] == ["c1xc2-b5", "b5-a5", "c2-N"]


def test_json_has_the_same_fields_in_lower_case() -> None:
    args = ("problems", "--random", START, "--first", "2")
    records = list(read_records(text=ringfen(*args).stdout))
    for found, record in zip(json_lines(ringfen(*args, "--json")), records, strict=True):
        names = ("FEN", "Game", "Stipulation", "Key", "Legal", "Tries", "Duals", "Nodes", "Source", "Ringfen")
        assert {name.lower(): record.tags[name] for name in names} == {
            name.lower(): str(found[name.lower()]) for name in names
        }
        assert set(found) == {*(name.lower() for name in names), "solution"}


def test_records_and_positions_in_the_order_of_the_input(tmp_path: Path) -> None:
    games, lines = tmp_path / "games.rgn", tmp_path / "lines.txt"
    other = "gyges 2...../....1./3.312./.13123/....2./...... n - 1+1"
    games.write_text(ringfen("random", other, "--games", "2", "--seed", "1", "--max-plies", "8").stdout)
    lines.write_text(f"# a comment\n{COOKED}\n{START}\n{START.replace(' s ', ' n ')}\n")
    args = ("problems", str(lines), str(games), "--nodes", "10k", "--json")
    one = ringfen(*args)
    assert one.exit_code == 0
    found = json_lines(one)
    assert len(found) >= 2
    assert found[0]["source"] == f"{lines}, line 3"
    assert any(row["source"].startswith(f"{games}, record 1, ply ") for row in found)
    assert all(check_problem(row["fen"], row["stipulation"]).key == row["key"] for row in found)
    assert ringfen(*args, "--jobs", "2").stdout == one.stdout
    assert json_lines(ringfen(*args, "--first", "1")) == found[:1]


def test_an_interrupted_search_continues(tmp_path: Path) -> None:
    """The results of the first positions are in the file, and the last line is incomplete."""
    args = ("problems", "--random", START, "--first", "3", "--nodes", "10k", "--seed", "2")
    whole = ringfen(*args).stdout
    out = tmp_path / "out.rgn"
    twins, options = Twins(keep_mirrored=False), options_of(nodes=10_000)
    positions = (position for _, position in positions_of_random_games(Position(START), 2) if twins.is_new(position))
    results = Path(f"{out}.results.jsonl")
    file = ExaminedFile(results, positions, options, resume=False)
    for position in islice(file.positions, 20):
        file.add_examined(examine(position, options))
    file.close()
    with results.open("a") as more:
        more.write('{"line": 21, "fen":')
    assert "exists" in ringfen(*args, "--out", str(out)).stderr
    other = ringfen(*args, "--out", str(out), "--resume", "--quiet-key")
    assert other.exit_code == 2
    first, last = "length 2..4, sound key, min-tries 0, ", "min-legal 2, nodes 10000"
    assert f"({first}{last}; now {first}quiet-key, {last})" in other.stderr
    resumed = ringfen(*args, "--out", str(out), "--resume")
    assert resumed.exit_code == 0
    assert out.read_text() == whole
    assert "1 incomplete or corrupt line" in resumed.stderr
    assert not results.exists()


def test_a_position_that_is_not_decided_is_no_problem(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text(START)
    result = ringfen("problems", str(lines), "--nodes", "20")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("0 problems, 1 position, 1 undecided\n")


@pytest.mark.parametrize("game_id", game_ids())
def test_random_placements(game_id: str) -> None:
    start, material = MATERIALS[game_id]
    found = list(islice(random_placements(Position(start), material, 5), 20))
    assert [fen for fen, _ in found] == [fen for fen, _ in islice(random_placements(Position(start), material, 5), 20)]
    pieces = {tuple(sorted(_pieces(position.fen))) for _, position in found}
    assert len(pieces) == 1
    assert len({position.fen for _, position in found}) == 20
    result = ringfen(
        "problems", "--random", start, "--material", material, "--first", "1", "--length", "1..5", "--json"
    )
    assert result.exit_code == 0
    assert len(json_lines(result)) == 1


@pytest.mark.parametrize("material", ["TU/GT/-+16", "-/-/-/-/-/TUG+16"])
def test_many_stones_are_placed_where_the_rules_allow(material: str) -> None:
    start = Position("gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=4")
    board, on_board = start.context.board, 0
    assert isinstance(board, Board)
    for _, position in islice(random_placements(start, material, 1), 200):
        _, players, ring, stones, *_ = position.fen.split()
        at = stones.split(",")
        assert len(at) == 16
        assert all(board.symbol_of(point) == "." for point in at)
        if not ring.startswith("@"):
            assert ring not in {*at, *(figure.split(":")[0] for figure in players.split("/"))}
            assert board.takes_ring(ring)
            on_board += 1
    assert 50 < on_board < 150


@pytest.mark.parametrize(
    ("stones", "material", "message"),
    [(7, "-/-/-+7", None), (9, "-/-/-+8", "at most 7 obstacle stones fit"), (6, "-/-/-+7", "but the board has 6"),
     (7, "TUG/-/-", "so has won")],
)  # fmt: skip
def test_only_placements_that_the_rules_exclude_are_impossible(stones: int, material: str, message: str | None) -> None:
    """The small board has 7 plain points. If all of them hold stones, the figures are on symbols."""
    board = read_board(SMALL_BOARD.replace("stones: 4", f"stones: {stones}"), "full")
    start = Position.on_board(board.start_text(), board)
    if message is None:
        found = [position for _, position in islice(random_placements(start, material, 1), 100)]
        assert all(len(position.fen.split()[3].split(",")) == stones for position in found)
    else:
        with pytest.raises(RingfenError, match=re.escape(message)):
            next(random_placements(start, material, 1))


def _pieces(fen: str) -> str:
    board = fen.split()[1]
    if fen.startswith("gran"):
        return "".join(figure.split(":")[2] for figure in board.split("/")) + "+" * len(fen.split()[3].split(","))
    digits = "0123456789" if fen.startswith("siaius") else ""
    return "".join(character for character in board if character not in f"./{digits}")


@pytest.mark.parametrize(
    ("start", "material"),
    [("gyges", "11111"), ("gyges", "4"), ("rings", "K("), ("rings", "2"), ("rings", "113"), ("siaius", "SvX"),
     ("siaius", "S" * 100 + "s"), ("siaius", "SMT"), ("siaius", "smt"), ("gran", "113"), ("gran", "T/U"),
     ("gran", "-/-/-+99"), ("gyges", "")],
)  # fmt: skip
def test_malformed_material(start: str, material: str) -> None:
    result = ringfen("problems", "--random", start, "--material", material, "--first", "1")
    assert result.exit_code == 2
    assert result.stdout == ""


def test_without_a_number_random_positions_end_with_the_last_problem() -> None:
    args = ("problems", "--random", "siaius 3/1s1/3/1S1 s - - 0 huff=off", "--material", "Ss", "--length", "1..3")
    endless, limited = ringfen(*args), ringfen(*args, "--first", "1000000")
    assert (endless.exit_code, endless.stdout) == (0, limited.stdout)
    assert endless.stdout.count("[Stipulation ") > 1


def test_the_search_ends_without_new_positions() -> None:
    start = "siaius 3/1s1/3/1S1 s - - 0 huff=off"
    result = ringfen("problems", "--random", start, "--material", "Ss", "--first", "1000000", "--length", "1")
    assert result.exit_code == 0
    assert "there are no more new positions" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Give FILE… or --random POSITION."),
        (("--random", "gyges", "--out", "problems.rgn"), "--random with --out requires --first N"),
        (("--random", "rings", "--material", "Kk", "--first", "1"), "has 0 free rings, which is not in --length 2..4"),
        (("--random", "rings", "--material", "11111k"), "has 5 free rings, which is not in --length 2..4"),
        (("--random", "gyges", "--first", "1", "--check"), "--check requires FILE"),
        (("-", "--material", "112"), "--material requires --random"),
        (("-", "--resume"), "--resume requires --out FILE"),
        (("-", "--check", "--min-tries", "9"), "--min-tries selects problems: omit it with --check"),
        (("mine.rgn", "--random", "gyges", "--check"), "--check requires FILE… without --random"),
        (("mine.rgn", "--random", "gyges"), "--random and FILE… cannot be combined"),
        (("-", "--seed", "7"), "--seed requires --random"),
        (("-", "--check", "--seed", "7"), "--seed is for random positions: omit it with --check"),
        (("-", "--check", "--jobs", "2"), "--jobs is for searches: omit it with --check"),
        (("-", "--check", "--dask", "local"), "--dask is for searches: omit it with --check"),
        (("-", "--check", "--out", "verdicts", "--resume"), "--resume is for searches: omit it with --check"),
        (("-", "--length", "2-4"), "is not a range of numbers"),
        (("-", "--length", "0..3"), "0..3 is not in the range 1..100"),
        (("-", "--length", "101"), "101 is not in the range 1..100"),
        (("-", "--length", "4..2"), "does not begin with the smaller number"),
        (("-", "--gap", "0"), "'0' is not a gap"),
        (("-", "--sound", "half"), "is not one of"),
        (("--random", MATERIALS["rings"][0], "--first", "1", "--gap", "1/6", "--length", "1..100"), "1 to 100 points"),
    ],
)
def test_usage_errors(args: tuple[str, ...], message: str) -> None:
    result = ringfen("problems", *args, stdin="")
    assert result.exit_code == 2
    assert message in result.stderr


# ---- --check ----


def test_check(tmp_path: Path) -> None:
    file = tmp_path / "mine.rgn"
    file.write_text(
        problem(START, "win in 2", "1. c1xc2-b5")
        + problem(START, "win in 3")
        + problem(START, "win in 1")
        + problem(COOKED, "win in 2", "1... d6xe4-b2")
        + problem(COOKED, "win in 2")
        + '[Game "gyges"]\n[Result "*"]\n\n*\n'
    )
    result = ringfen("problems", str(file), "--check")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{file}: record 1: win in 2: sound; the key is c1xc2-b5",
        f"{file}: record 2: win in 3: shorter; it is win in 2",
        f"{file}: record 3: win in 1: no solution in 1; wins in 2",
        f"{file}: record 4: win in 2: cooked by d6xf3-f5",
        f"{file}: record 5: win in 2: cooked by d6xe4-b2, d6xf3-f5",
    ]
    assert "record 6 has no tag Stipulation and was not checked" in result.stderr
    rows = json_lines(ringfen("problems", str(file), "--check", "--json"))
    assert [(row["record"], row["status"], row["cooks"]) for row in rows] == [
        (1, "sound", []),
        (2, "shorter", []),
        (3, "no solution", []),
        (4, "cooked", ["d6xf3-f5"]),
        (5, "cooked", ["d6xe4-b2", "d6xf3-f5"]),
    ]


@pytest.mark.parametrize("more", [(), ("-q",), ("--json",)])
def test_check_of_records_without_a_stipulation(more: tuple[str, ...]) -> None:
    record = problem(START, "win in 2", "1. c1xc2-b5")
    result = ringfen("problems", "-", "--check", *more, stdin=record.replace("Stipulation", "Puzzle"))
    assert (result.exit_code, result.stdout) == (2, "")
    note, error = result.stderr.splitlines()
    assert note == "note: <stdin>: record 1 has no tag Stipulation and was not checked"
    assert error.startswith("error: no problems were checked: a problem is a record with a tag such as [Stipulation ")


def test_check_of_the_intended_key(tmp_path: Path) -> None:
    """Another key than the intended one is unsound, be that a ply, a tag or a field."""
    file = tmp_path / "mine.rgn"
    wrong = problem(START, "win in 2").replace("[Stipulation", '[Key "c1xc2-b4"]\n[Stipulation')
    right = wrong.replace("c2-b4", "c2-b5")
    no_ply = wrong.replace("c1xc2-b4", "c1-z9")
    file.write_text(
        problem(START, "win in 2", "1. c1xc2-b4")
        + wrong
        + right
        + right.replace("\n\n *", "\n\n1. c1xc2-b4 *")
        + no_ply
        + problem(COOKED, "win in 2", "1... d6xe4-c2")
    )
    result = ringfen("problems", str(file), "--check")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{file}: record 1: win in 2: wrong key; the key is c1xc2-b5, not c1xc2-b4",
        f"{file}: record 2: win in 2: wrong key; the key is c1xc2-b5, not c1xc2-b4",
        f"{file}: record 3: win in 2: sound; the key is c1xc2-b5",
        f"{file}: record 6: win in 2: cooked by d6xe4-b2, d6xf3-f5; the intended key d6xe4-c2 does not meet it",
    ]
    assert "record 4: the tag Key is c1xc2-b5, but the record begins with c1xc2-b4" in result.stderr
    assert "record 5: tag Key: " in result.stderr
    for text, status in ((wrong, 1), (problem(START, "win in 2", "1. c1xc2-b4"), 1), (right, 0)):
        file.write_text(text)
        result = ringfen("problems", str(file), "--check", "--json")
        assert result.exit_code == status
        (row,) = json_lines(result)
        assert (row["status"], row["key"]) == ("wrong key" if status else "sound", "c1xc2-b5")
        assert row["intended"] == ("c1xc2-b4" if status else "c1xc2-b5")
    result = ringfen("problems", "-", "--check", stdin=json_problem(key="c1xc2-b4"))
    assert (result.exit_code, result.stdout) == (
        1,
        "<stdin>:1: win in 2: wrong key; the key is c1xc2-b5, not c1xc2-b4\n",
    )


def test_plies_to_the_same_position_as_the_key_are_cooks() -> None:
    fen = "gyges 3....1/....../232.1./.22331/.1..../...... n - 1+1"
    key, other = "a6-d6", "a6xb4-d6"
    assert Position(fen).play([key]) == Position(fen).play([other])
    result = ringfen("problems", "-", "--check", stdin=problem(fen, "win in 2", f"1... {key}"))
    assert result.stdout == f"<stdin>: record 1: win in 2: cooked by {other}\n"


def test_check_names_plies_within_the_gap() -> None:
    """A ply that is worse by less than the gap is no cook."""
    rings, gran = (read_records(EXAMPLES / f"{game_id}.rgn") for game_id in ("rings", "gran"))
    for records, gap, words in (
        (rings, "5", r"the key is \S+, but \S+ gives only [1-4] points? less; the gap is 5"),
        (gran, "1/2", r"the key is \S+, but \S+(, \S+)* gives? only 1/\d+ less.*; the gap is 1/2"),
    ):
        text = "".join(problem(record.tags["FEN"], record.tags["Stipulation"]) for record in islice(records, 60))
        result = ringfen("problems", "-", "--check", "--gap", gap, stdin=text)
        assert result.exit_code == 1
        assert "cooked" not in result.stdout
        assert re.search(rf"^<stdin>: record \d+: best \w+ \S+( maxn \d)?: not unique; {words}$", result.stdout, re.M)
        rows = json_lines(ringfen("problems", "-", "--check", "--gap", gap, "--json", stdin=text))
        unsound = [row for row in rows if row["status"] != "sound"]
        assert unsound
        for row in unsound:
            assert (row["status"], row["cooks"], row["gap"]) == ("not unique", [], gap)
            assert all(0 < Fraction(near["less"]) < Fraction(gap) for near in row["near"])
            assert row["key"] not in (near["ply"] for near in row["near"])


def json_problem(**fields: Any) -> str:
    return json.dumps({"fen": START, "stipulation": "win in 2", **fields}) + "\n"


#: Lines that are not problems, and the message for each.
HOSTILE = [
    ("[1,2]", 'a problem is an object with "fen" and "stipulation"'),
    ('"fen"', 'a problem is an object with "fen" and "stipulation"'),
    ("null", 'a problem is an object with "fen" and "stipulation"'),
    ("{}", 'the problem has no "fen"'),
    ('{"fen": "gyges"}', 'the problem has no "stipulation"'),
    ("9" * 5000, "a number has more than 4000 digits"),
    ('{"legal": ' + "9" * 5000 + "}", "a number has more than 4000 digits"),
    (json_problem(key=""), '"key" is empty'),
    (json_problem(key=5), '"key" is not a text'),
    (json_problem(legal=-1), '"legal" is not a number from 0'),
    ('{"fen": "\\ud800", "stipulation": "win in 2"}', "half of a surrogate pair is not a character"),
    ("[" * 100_000, "brackets are nested more than 100 deep"),
    ('{"fen": ' * 101 + "1" + "}" * 101, "brackets are nested more than 100 deep"),
    ('{"fen": NaN, "stipulation": "win in 2"}', "NaN is not a number in JSON"),
    ('{"fen": "gyges", "fen": "rings"}', '"fen" is given twice'),
    ('{"fen" "gyges"}', "not JSON: expected a colon (column 8)"),
    ('{"fen": "gyges"', "not JSON: expected a comma or a closing bracket (column 16)"),
    ("garbage", "not JSON: expected a value (column 1)"),
    ('"abc', "not JSON: a text has no closing quote (column 1)"),
    ("true false", "not JSON: text follows the value (column 6)"),
]


@pytest.mark.parametrize(("line", "message"), HOSTILE)
@pytest.mark.parametrize("place", [1, 2])
def test_a_malformed_line_of_json_does_not_hide_the_others(line: str, message: str, place: int, tmp_path: Path) -> None:
    file = tmp_path / "problems.jsonl"
    lines = [json_problem(), json_problem(key="c1xc2-b5")]
    lines.insert(place - 1, f"{line.rstrip()}\n")
    file.write_text("".join(lines))
    for name, shown, text in ((str(file), str(file), None), ("-", "<stdin>", file.read_text())):
        result = ringfen("problems", name, "--check", "-q", stdin=text or "")
        assert (result.exit_code, result.stderr) == (1, f"error: {shown}:{place}: {message}\n")
        assert result.stdout.count("sound; the key is c1xc2-b5") == 2
        result = ringfen("view", name, stdin=text or "")
        assert (result.exit_code, result.stderr) == (2, f"error: {shown}:{place}: {message}\n")
        assert len(re.findall(r'Stipulation \\+"win in 2', result.stdout)) == 2


def test_a_malformed_position_does_not_hide_the_others(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"gygess {START[6:]}\n{START}\n")
    result = ringfen("problems", str(file), "--json", "-q")
    assert result.exit_code == 2
    assert f"{file}:1:1: unknown-game" in result.stderr
    assert json_lines(result)[0]["key"] == "c1xc2-b5"


def test_check_of_long_lines_and_of_lines_with_a_number_sign(tmp_path: Path) -> None:
    file = tmp_path / "problems.jsonl"
    row = {"fen": START, "stipulation": "win in 2", "source": "a # b", "solution": "x" * 100_000}
    file.write_text(f"{json.dumps(row)}\n")
    result = ringfen("problems", str(file), "--check")
    assert (result.exit_code, result.stdout) == (0, f"{file}:1: win in 2: sound; the key is c1xc2-b5\n")


def test_check_of_sound_and_undecided_problems(tmp_path: Path) -> None:
    file = tmp_path / "mine.rgn"
    file.write_text(problem(START, "win in 2"))
    sound = ringfen("problems", str(file), "--check", "--json")
    assert (sound.exit_code, json_lines(sound)[0]["key"]) == (0, "c1xc2-b5")
    undecided = ringfen("problems", str(file), "--check", "--json", "--nodes", "20")
    assert (undecided.exit_code, json_lines(undecided)[0]["status"]) == (3, "undecided")
    file.write_text(problem(START, "win in 2") + problem(START, "win in 1"))
    assert ringfen("problems", str(file), "--check", "--nodes", "20").exit_code == 1


@pytest.mark.parametrize("game_id", game_ids())
def test_found_problems_are_sound(game_id: str, tmp_path: Path) -> None:
    start, material = MATERIALS[game_id]
    args = ("problems", "--random", start, "--material", material, "--first", "2", "--length", "1..4")
    records, lines = tmp_path / "records.rgn", tmp_path / "lines.jsonl"
    records.write_text(ringfen(*args).stdout)
    lines.write_text(ringfen(*args, "--json").stdout)
    for file in (records, lines):
        result = ringfen("problems", str(file), "--check", "--json")
        assert result.exit_code == 0
        assert [row["status"] for row in json_lines(result)] == ["sound", "sound"]


# ---- the solution ----

#: Starts with solutions of several plies.
SOLVED = MATERIALS | {"rings": (MATERIALS["rings"][0], "113K(31)kk")}


def continuations_in_tree(node: TreeNode, solver: int) -> list[Any]:
    """The plies after a node of the tree, each with all that follows. No ply follows a dual. In games of chance, the
    other players play the first of their best plies, and the text ends where the solver cannot win.
    """
    children = node.children
    if isinstance(node.value, tuple):
        if not node.value[solver - 1]:
            return []
        if node.position.player_number != solver and not node.position.is_chance:
            children = children[:1]
    return [
        (child.ply, False, continuations_in_tree(child, solver)) if child is children[0] or not child.duals
        else (child.ply, True, []) for child in children
    ]  # fmt: skip


def continuations_in_record(line: Line, at: int = 0) -> list[Any]:
    if at == len(line.nodes):
        return []
    node = line.nodes[at]
    first = (node.ply, node.comment == "dual", continuations_in_record(line, at + 1))
    return [first, *(one for variation in node.variations for one in continuations_in_record(variation))]


def depth_of_variations(line: Line) -> int:
    return max((1 + depth_of_variations(one) for node in line.nodes for one in node.variations), default=0)


@pytest.mark.parametrize(
    ("gap", "record", "words"),
    [("2", 2, "gap is a probability, at most 1, not 2"), ("1/6", 1, "gap is 1 to 100 points, not 1/6")],
)
def test_a_gap_applies_to_all_games(gap: str, record: int, words: str) -> None:
    rings = "rings .k(1).../K(1111111)..k./..k(111)1K(1)/...K(53331)3/k(1111)..../...../.K(1).K(1). n 0+1 0"
    gran = "gran d4:2:-/e2:1:UE/d3:1:TG @2 e1,a2,f3,h5,i5,e7,g7,i7,d8,e8,i8,a9,b9,c9,e9,h9 0.0.3.1.1.1.0 2 move"
    text = problem(rings, "best margin 15") + problem(gran, "best chance 2/3 maxn 3")
    result = ringfen("problems", "-", "--check", "--gap", gap, stdin=text)
    assert result.exit_code == 2
    assert f"record {record}: {words}; check each game with its own --gap" in result.stderr


def test_a_chosen_gap_is_written_and_used_by_check(tmp_path: Path) -> None:
    """The best ply of the rings problem is 2 points better than the next, so the problem has the gap 2 but not 3."""
    start, material = MATERIALS["rings"]
    args = ("problems", "--random", start, "--material", material, "--first", "3", "--gap", "2")
    text = ringfen(*args).stdout
    assert text.count('[Gap "2"]\n') == 3
    assert all(fields["gap"] == "2" for fields in json_lines(ringfen(*args, "--json")))
    assert "Gap" not in ringfen(*args[:-2]).stdout
    for stated in (text, ringfen(*args, "--json").stdout):
        assert ringfen("problems", "-", "--check", stdin=stated).exit_code == 0
        large = stated.replace('[Gap "2"]', '[Gap "99"]').replace('"gap": "2"', '"gap": "99"')
        result = ringfen("problems", "-", "--check", stdin=large)
        assert result.exit_code == 1
        assert result.stdout.count("the gap is 99") == 3
        assert ringfen("problems", "-", "--check", "--gap", "2", stdin=large).exit_code == 0
        bad = stated.replace('[Gap "2"]', '[Gap "x"]').replace('"gap": "2"', '"gap": "x"')
        result = ringfen("problems", "-", "--check", stdin=bad)
        assert result.exit_code == 1
        assert result.stderr.count("'x' is not a gap") == 3


def test_the_tag_gap_has_no_meaning_for_wins() -> None:
    text = (EXAMPLES / "gyges.rgn").read_text().partition("\n\n[")[0].replace("[Key", '[Gap "x"]\n[Key')
    assert '[Gap "x"]' in text
    result = ringfen("problems", "-", "--check", "--json", stdin=f"{text}\n")
    assert (result.exit_code, json_lines(result)[0]["gap"], result.stderr) == (0, None, "1 sound\n")


def test_unknown_tries_are_written_and_read() -> None:
    """A limit after the proof of the key leaves the tries unknown; the problem stays, and --check reads it."""
    fen = "gyges ...3../..1.../1.2221/33..21/....../3..... n - 1+1"
    args = ("problems", "-", "--nodes", "800")
    record, fields = ringfen(*args, stdin=f"{fen}\n").stdout, ringfen(*args, "--json", stdin=f"{fen}\n")
    assert '[Tries "?"]\n[Duals "0"]\n' in record
    (row,) = json_lines(fields)
    assert (row["tries"], row["duals"]) == (None, 0)
    for text in (record, fields.stdout):
        assert "sound; the key is d6xe4-b2" in ringfen("problems", "-", "--check", stdin=text).stdout


def test_games_of_chance_have_no_tries() -> None:
    result = ringfen("problems", "--random", "gran", "--min-tries", "1", "--first", "1")
    assert result.exit_code == 2
    assert "gran has no tries, because no single reply refutes a ply" in result.stderr


def test_a_tree_of_the_chance_that_a_certificate_proves() -> None:
    """Under ``paranoid`` with a depth, an unfinished game counts 0: the tree goes as far as the certificate."""
    record = next(read_records(EXAMPLES / "gran.rgn"))
    chance, _, horizon = record.tags["Stipulation"].split()[2:]
    args = ("solve", "--tree", "--model", "paranoid", "-d", horizon, record.tags["FEN"])
    assert f"1. P2 {record.tags['Key']}!\n" in ringfen(*args).stdout
    (fields,) = json_lines(ringfen(*args, "--json"))
    (key,) = fields["tree"]
    assert (key["ply"], key["value"], fields["tree_complete"]) == (record.tags["Key"], [None, chance, None], True)
    assert len(key["children"]) == 24
    assert f'[Stipulation "best chance {chance} paranoid {horizon}"]' in ringfen(*args, "--rgn").stdout


@pytest.mark.parametrize("game_id", game_ids())
def test_the_solution_has_the_plies_of_the_tree(game_id: str) -> None:
    start, material = SOLVED[game_id]
    args = ("problems", "--random", start, "--material", material, "--first", "9", "--seed", "0")
    deepest = duals = 0
    for record in read_records(text=ringfen(*args).stdout):
        assert record.valid
        assert record.start is not None
        stipulation = Stipulation.parse(record.tags["Stipulation"])
        tree = solution_tree(record.start, depth=stipulation.horizon or None)
        found = continuations_in_record(record.main)
        assert found == continuations_in_tree(tree, record.start.player_number), record.tags["FEN"]
        assert found[0][0] == record.tags["Key"]
        assert sum(node.comment == "dual" for node in record.nodes()) == int(record.tags["Duals"])
        duals += int(record.tags["Duals"])
        deepest = max(deepest, depth_of_variations(record.main))
    assert deepest >= (1 if game_id == "gran" else 2)
    assert duals > 3 or game_id not in ("gyges", "rings")


@pytest.mark.parametrize(
    "text", [problem(START, "mate in 2"), problem(START, "best margin 3"), '{"fen": "gyges", "stipulation": 3}\n']
)
def test_check_of_a_malformed_stipulation(text: str) -> None:
    result = ringfen("problems", "-", "--check", stdin=text)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "stipulation" in result.stderr


@pytest.mark.parametrize(
    ("stipulation", "message"),
    [
        ("win in 101", "the number of moves is 1 to 100, not 101"),
        ("win in 0", "the number of moves is 1 to 100, not 0"),
        (f"win in {'9' * 5000}", f"the number of moves is 1 to 100, not {'9' * 20}…"),
        ("best margin -12345678901", "a margin is -100 to 100, not -12345678901"),
        ("best chance 1/2 maxn 1000000000", "the horizon is 1 to 255, not 1000000000"),
        ("best chance 3/2 maxn 2", "a probability is at most 1, not 3/2"),
        (f"best chance 1/{'9' * 60} maxn 2", "a probability has numbers of at most 51 digits"),
        ("best chance 1/2 2", "or 'best chance 7/18 maxn 8' (or paranoid for maxn)"),
    ],
)
def test_a_number_out_of_range_names_the_range(stipulation: str, message: str) -> None:
    result = ringfen("problems", "-", "--check", stdin=problem(START, stipulation))
    assert result.exit_code == 1
    assert message in result.stderr


def test_check_of_positions_is_rejected(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text(START)
    assert ringfen("problems", str(lines), "--check").exit_code == 2
    assert json.loads(ringfen("problems", str(lines), "--json").stdout)["key"] == "c1xc2-b5"


# ---- examples/problems ----


@pytest.mark.parametrize("game_id", game_ids())
def test_the_examples_are_sound_sorted_and_without_twins(game_id: str) -> None:
    records = list(read_records(EXAMPLES / f"{game_id}.rgn"))
    assert len(records) == 100
    assert all(record.valid for record in records)
    nodes = [int(record.tags["Nodes"]) for record in records]
    assert nodes == sorted(nodes)
    twins = Twins(keep_mirrored=False)
    for record in records:
        assert record.start is not None
        assert twins.is_new(record.start)
        assert next(iter(record.mainline())).ply == record.tags["Key"]
    gap = 2 if game_id == "rings" else None
    for record in records[:30:6]:
        assert record.start is not None
        verdict = check_problem(record.start, record.tags["Stipulation"], gap=gap)
        assert (verdict.status, verdict.key) == ("sound", record.tags["Key"])


def test_show_writes_the_stipulations_of_records(tmp_path: Path) -> None:
    text = problem(START, "win in 2") + problem(Position(START).fen, "best <margin> 7")
    result = ringfen("show", "-", "--out-dir", str(tmp_path / "diagrams"), stdin=text)
    assert result.exit_code == 0
    first, second = (file.read_text() for file in sorted((tmp_path / "diagrams").iterdir()))
    assert "win in 2" in first
    assert "best &lt;margin&gt; 7" in second
    other = ringfen("show", "-", stdin=text + '[Game "rings"]\n\n*\n')
    assert other.exit_code == 2
    assert "a file of problems, but record 3 is a game" in other.stderr
