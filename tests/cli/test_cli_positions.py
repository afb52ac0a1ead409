"""games, rules, new, show, moves, play: through click's runner."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

import ringfen as package
from ringfen import Position, game_by_id, game_ids
from ringfen.notation import parse_record

SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"
NORTH_WINS = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"


def test_games_lists_all_games() -> None:
    result = ringfen("games")
    assert result.exit_code == 0
    for game_id in game_ids():
        assert game_id in result.stdout
        assert game_by_id(game_id).name in result.stdout


def test_games_json() -> None:
    rows = json_lines(ringfen("games", "--json"))
    assert [row["id"] for row in rows] == list(game_ids())
    for row in rows:
        assert row.keys() >= {"id", "name", "players", "options", "start"}
        assert Position(row["start"]) == Position(row["id"])


@pytest.mark.parametrize("game_id", game_ids())
def test_rules_are_numbered_and_mark_readings(game_id: str) -> None:
    result = ringfen("rules", game_id)
    assert result.exit_code == 0
    assert "Reading" in result.stdout


def test_rules_of_no_game() -> None:
    result = ringfen("rules", "chess")
    assert result.exit_code == 2
    assert "'chess' is not a game; the games are gyges" in result.stderr


@pytest.mark.parametrize("game_id", game_ids())
def test_new_is_the_usual_start(game_id: str) -> None:
    assert ringfen("new", game_id).stdout == f"{game_by_id(game_id).default_start}\n"
    assert json_lines(ringfen("new", game_id, "--json")) == [{"fen": game_by_id(game_id).default_start}]


def test_new_gyges_options() -> None:
    assert ringfen("new", "gyges", "--setup", "321123/321123").stdout == f"{SET_UP}\n"
    assert ringfen("new", "gyges", "--goals", "3+1").stdout.endswith(" s - 3+1\n")


def test_new_rejects_options_of_other_games() -> None:
    result = ringfen("new", "gyges", "--setup", "321123/321124")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: bad-setup: ")
    assert ringfen("new", "gyges", "--seals", "2").exit_code == 2


def test_show_draws_the_board() -> None:
    result = ringfen("show", SET_UP)
    assert result.exit_code == 0
    assert "3 2 1 1 2 3" in result.stdout
    assert "South to move" in result.stdout


@pytest.mark.parametrize("game_id", game_ids())
def test_show_svg(game_id: str, tmp_path: Path) -> None:
    drawing = tmp_path / "start.svg"
    result = ringfen("show", game_id, "--out", str(drawing))
    assert (result.exit_code, result.stdout) == (0, "")
    assert drawing.read_text(encoding="utf-8").startswith("<svg ")
    assert ringfen("show", game_id, "--out", "-").stdout == drawing.read_text(encoding="utf-8")


def test_show_draws_one_file_a_position(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "diagrams"
    result = ringfen("show", "-", "--out-dir", str(directory), stdin="gyges\n# a comment\nnonsense\nrings\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "<stdin>:3:1: unknown-game" in result.stderr
    assert {file.name for file in directory.iterdir()} == {"1.svg", "3.svg"}
    assert (directory / "3.svg").read_text(encoding="utf-8") == Position("rings").svg()
    assert ringfen("show", "gyges", "siaius", "--out-dir", str(directory)).exit_code == 0
    assert (directory / "2.svg").read_text(encoding="utf-8") == Position("siaius").svg()


def test_show_svg_takes_one_position_from_anywhere(tmp_path: Path) -> None:
    assert ringfen("show", "-", "--out", "-", stdin="\nrings\n").stdout == Position("rings").svg()
    for stdin, words in (("gyges\nrings\n", "there are more"), ("", "there is none")):
        result = ringfen("show", "-", "--out", str(tmp_path / "x.svg"), stdin=stdin)
        assert result.exit_code == 2
        assert words in result.stderr
    for name in ("x.png", "x", "x.svg.gz"):
        refused = ringfen("show", "gyges", "--out", str(tmp_path / name))
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "does not end with .svg" in refused.stderr
    assert ringfen("show", "gyges", "--out", "-", "--out-dir", str(tmp_path)).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_show_writes_the_stipulation_of_a_problem_below_the_board(tmp_path: Path) -> None:
    fen = "siaius 3t/M3/S3/4 s - - 0"
    long = {"fen": fen, "stipulation": "</text><b>", "source": "a # b", "solution": "x" * 100_000}
    problems = [{"fen": fen, "stipulation": "win in 2"}, long]
    lines = "# problems\n" + "".join(f"{json.dumps(problem)}\n" for problem in problems)
    result = ringfen("show", "-", "--out-dir", str(tmp_path), stdin=f"{lines}{fen}\n{{}}\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith('<stdin>:5:1: bad-json: the problem has no "fen"')
    first, second, plain = ((tmp_path / f"{number}.svg").read_text(encoding="utf-8") for number in (1, 2, 3))
    assert (">South to move</text>" in first, ">win in 2</text>" in first) == (True, True)
    assert ">&lt;/text&gt;&lt;b&gt;</text>" in second
    assert plain == Position(fen).svg()
    (tmp_path / "one.jsonl").write_text(json.dumps(problems[0]), encoding="utf-8")
    assert ringfen("show", "--file", str(tmp_path / "one.jsonl"), "--out", "-").stdout == first
    assert ringfen("show", "--file", str(tmp_path / "one.jsonl")).stdout == f"{Position(fen).draw()}\nwin in 2\n"
    assert "this is a file of problems" in ringfen("moves", "--file", str(tmp_path / "one.jsonl")).stderr


def test_show_turns_the_board() -> None:
    assert ringfen("show", SET_UP, "--side", "n").stdout == f"{Position(SET_UP).draw(side='n')}\n"
    assert ringfen("show", SET_UP, "--side", "n", "--out", "-").stdout == Position(SET_UP).svg(side="n")
    assert ringfen("show", SET_UP, "--side", "x").exit_code == 2


def test_moves_lists_plies_in_byte_order() -> None:
    result = ringfen("moves", NORTH_WINS)
    position = Position(NORTH_WINS)
    assert result.exit_code == 0
    for ply, after in position.successors():
        assert f"{ply} " in result.stdout
        assert after.fen in result.stdout
    assert "113 plies, North to move" in result.stdout


def test_moves_json() -> None:
    (row,) = json_lines(ringfen("moves", NORTH_WINS, "--json"))
    assert row["fen"] == NORTH_WINS
    assert row["plies"] == [{"ply": ply, "fen": after.fen} for ply, after in Position(NORTH_WINS).successors()]


def test_moves_of_a_finished_game() -> None:
    finished = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
    result = ringfen("moves", finished)
    assert result.exit_code == 0
    assert "The game is over: North has won." in result.stdout
    assert json_lines(ringfen("moves", finished, "--json")) == [{"fen": finished, "plies": []}]


def test_play() -> None:
    result = ringfen("play", "gyges", "321123", "321123")
    assert (result.exit_code, result.stdout) == (0, f"{SET_UP}\n")
    assert json_lines(ringfen("play", "gyges", "321123", "--json")) == [
        {"fen": "gyges ....../....../....../....../....../321123 n - 1+1", "outcome": None}
    ]


@pytest.mark.parametrize("plies", [["1. 321123 1... 321123", "2. a1-b3"], ["1.321123", "321123", "2.", "a1-b3"]])
def test_play_takes_plies_as_a_record_has_them(plies: list[str]) -> None:
    assert ringfen("play", "gyges", *plies).stdout == ringfen("play", "gyges", "321123", "321123", "a1-b3").stdout
    wrong = ringfen("play", "gyges", *plies, "2... a9-a8").stderr
    assert wrong.startswith("ply:4:1: ")
    assert "\n  a9-a8\n" in wrong


def test_play_to_the_end_says_who_has_won() -> None:
    plies = [ply for ply, after in Position(NORTH_WINS).successors() if after.is_over]
    result = ringfen("play", NORTH_WINS, plies[0])
    fen, comment = result.stdout.splitlines()
    assert Position(fen).outcome == "n"
    assert comment == "# North has won"
    for command in (("show",), ("moves",), ("play",), ("solve",), ("perft", "--depth", "1")):
        assert ringfen(*command, f"{fen}\n{comment}").exit_code == 0
        assert ringfen(*command, f"{fen}\n{fen}").exit_code == 2
    assert json_lines(ringfen("play", NORTH_WINS, plies[0], "--json"))[0]["outcome"] == "n"


def test_play_from_each_position_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"# two\n\ngyges\n{'gyges ....../....../....../....../....../...... s - 3+3'}\n", encoding="utf-8")
    result = ringfen("play", "--file", str(file), "321123")
    assert [line.split()[-1] for line in result.stdout.splitlines()] == ["1+1", "3+3"]
    assert ringfen("play", "-", "321123", stdin=file.read_text(encoding="utf-8")).stdout == result.stdout


def test_play_tells_which_ply_is_wrong_and_why() -> None:
    result = ringfen("play", "gyges", "321123", "321123", "a2-a3")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"ply:3:1: no-such-ring: no ring on a2 (South moves rank 1)\n  a2-a3\n  ^^\n  in {SET_UP}\n"
    )


@pytest.mark.parametrize("start", ["gyges", "rings", "siaius", "gran", SET_UP])
def test_play_shows_how_a_ply_is_written(start: str) -> None:
    example = Position(start).plies()[0]
    result = ringfen("play", start, "  ")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == (
        f"ply:1:1: bad-ply: expected a ply, but the text is empty; a ply here is written as in {example}"
    )
    result = ringfen("play", start, "hello")
    words = f"ply:1:1: bad-ply: hello is not a ply of this game; a ply here is written as in {example}"
    assert result.stderr.splitlines()[0] == words
    assert "a null ply is allowed in variations only" in ringfen("play", start, "--", "--").stderr


# ---- GRAN: chance, boards ----

FIGHT = "gran c2:3:-/a3:3:-/c1:0:- c7 - 2.0.4.6.0.4.2 1 fight"


def test_chance_has_weights() -> None:
    (row,) = json_lines(ringfen("moves", FIGHT, "--json"))
    weights = {entry["ply"]: entry["weight"] for entry in row["plies"]}
    assert weights == {
        f"{card}:{die}": count for card, count in enumerate((2, 0, 4, 6, 0, 4, 2)) for die in range(1, 7) if count > 0
    }
    assert ringfen("moves", FIGHT).stdout.splitlines()[1].split() == ["result", "weight", "leads", "to"]
    assert "30 plies, chance to move" in ringfen("moves", FIGHT).stdout


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The default board under another name."""
    file = tmp_path / "mine.board"
    file.write_bytes((Path(package.__file__).parent / "rules/gran/boards" / "default.board").read_bytes())
    return file


def test_a_board_by_file_and_by_directory(board: Path) -> None:
    fen = ringfen("new", "gran", "--players", "4", "--seals", "2", "--board", str(board)).stdout.strip()
    assert fen == "gran -:3:-/-:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=mine seals=2"
    for option in (("--board", str(board)), ("--board", str(board.parent))):
        (row,) = json_lines(ringfen("moves", fen, "--json", *option))
        assert len(row["plies"]) == 9
        assert all(entry["fen"].endswith(" board=mine seals=2") for entry in row["plies"])
        assert ringfen("play", fen, "g3-g4", *option).exit_code == 0
        assert ringfen("show", fen, *option).exit_code == 0
        assert json_lines(ringfen("perft", fen, "--depth", "2", "--json", "-t2", *option))[0]["nodes"] > 9


def test_a_board_that_cannot_be_found(board: Path) -> None:
    fen = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=mine"
    result = ringfen("moves", fen)
    assert result.exit_code == 2
    assert "no-such-board: no board mine.board found" in result.stderr
    assert result.stderr.startswith(f"position:1:{fen.index('board=') + 1}: ")
    assert result.stderr.endswith(f"  {fen}\n  {' ' * fen.index('board=')}{'^' * len('board=mine')}\n")
    assert ringfen("moves", fen, "--board", str(board.with_name("none.board"))).exit_code == 2
    assert ringfen("moves", fen, "--board", f"{board}x").exit_code == 2


def test_a_mistake_in_the_file_of_a_board_is_shown_there(board: Path) -> None:
    text = board.read_text(encoding="utf-8")
    board.write_text(f"{text}nonsense\n", encoding="utf-8")
    fen = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=mine"
    result = ringfen("moves", fen, "--board", str(board))
    assert result.exit_code == 2
    assert result.stderr.startswith("position:1:1: ")
    assert f"{board}:{text.count(chr(10)) + 1}:1: " in result.stderr
    assert result.stderr.endswith("\n  nonsense\n  ^\n")
    record = f'[Game "gran"]\n[FEN "{fen}"]\n\n*\n'
    (row,) = json_lines(ringfen("validate", "-", "--json", "--board", str(board), stdin=record))
    (found,) = [one for one in row["diagnostics"] if one["code"] == "unknown-board"]
    assert (found["line"], found["column"]) == (2, len('[FEN "') + 1)


def test_new_of_the_other_games() -> None:
    assert (
        ringfen("new", "rings", "--size", "5x7").stdout == "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0\n"
    )
    assert ringfen("new", "siaius", "--size", "10x8", "--beats", "reverse", "--huff", "off").stdout == (
        "siaius smtsmtsmts/mtsmtsmtsm/tsmtsmtsmt/10/10/TSMTSMTSMT/MTSMTSMTSM/SMTSMTSMTS"
        " s - - 0 beats=reverse huff=off\n"
    )
    for words in (("rings", "--size", "6x7"), ("siaius", "--size", "11x10"), ("gran", "--players", "7")):
        assert ringfen("new", *words).exit_code == 2
    assert "rings has no option --players" in ringfen("new", "rings", "--players", "3").stderr


def test_moves_plain_is_one_ply_a_line() -> None:
    assert ringfen("moves", NORTH_WINS, "--plain").stdout.splitlines() == Position(NORTH_WINS).plies()
    assert ringfen("moves", "-", "--plain", stdin="rings\nsiaius\n").stdout.splitlines() == [
        *Position("rings").plies(),
        "",
        *Position("siaius").plies(),
        "",
    ]
    assert ringfen("moves", "rings", "--plain", "--json").exit_code == 2


def test_partial_prints_the_positions_before_the_error() -> None:
    head = '[Game "gyges"]\n\n'
    text = f"{head}1. 321123 321123 2. b1-b3 c6xc9 *\n\n{head}zz *\n\n{head}1. 321123 (123321 999) *\n\nnothing *\n"
    start = Position("gyges")
    lines = [start]
    for ply in ("321123", "321123", "b1-b3"):
        lines.append(lines[-1].apply(ply))
    assert ringfen("positions", "-", stdin=text).stdout == ""
    last = ringfen("positions", "-", "--partial", stdin=text)
    assert last.exit_code == 1
    assert last.stdout.splitlines() == [lines[3].fen, start.fen, lines[1].fen]
    one = ringfen("positions", "-", "--partial", "--record", "2", stdin=text)
    assert (one.exit_code, one.stdout) == (1, f"{start.fen}\n")
    every = ringfen("positions", "-", "--partial", "--every", stdin=text)
    assert every.stdout.splitlines() == [*(one.fen for one in lines), start.fen, start.fen, lines[1].fen]


@pytest.mark.parametrize("more", [(), ("--unique",), ("--json",)])
def test_every_position_of_a_long_game_takes_the_memory_of_its_text(tmp_path: Path, more: tuple[str, ...]) -> None:
    path = tmp_path / "long.rgn"
    path.write_text(ringfen("random", "siaius", "--seed", "3", "--max-plies", "20000").stdout)
    command = ("positions", "--every", *more, str(path))
    printed = len(ringfen(*command).stdout)
    sizes = []
    for args in (("positions", str(path)), command):
        tracemalloc.start()
        ringfen(*args)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] < sizes[0] + 5 * printed


def test_positions_that_are_not_there_are_named() -> None:
    for options, words in (
        (["--record", "9"], "note: <stdin>: there is no record 9; the file has 1\nnote: no positions were found\n"),
        (["--ply", "9999"], "note: no positions were found after 9,999 plies\n"),
        (["--ply", "2"], ""),
    ):
        result = ringfen("positions", "-", *options, stdin='[Game "gyges"]\n\n1. 321123 321123 *\n')
        assert (result.exit_code, result.stderr) == (0, words)
    assert ringfen("positions", "-", stdin="").stderr == "note: no positions were found\n"


@pytest.mark.parametrize(
    ("start", "plies"),
    [
        ("rings", ["b2b3"]),
        ("rings", ["N@a4"]),
        ("siaius", ["a4-a3"]),
        ("siaius", ["a8-a7", "a3-a4", "b3-b4"]),
        ("gyges", ["32112"]),
        ("gyges", ["321123", "321123", "a1-a4", "c6-c5", "b1-b4"]),
        ("gran", ["4:5"]),
    ],
)
def test_play_says_of_a_ply_what_validate_says(start: str, plies: list[str]) -> None:
    result = ringfen("play", start, *plies)
    assert result.exit_code == 2
    record = parse_record(f'[Game "{start}"]\n\n{" ".join(plies)} *')
    found = next(one for one in record.diagnostics if one.is_error)
    assert result.stderr.splitlines()[0].endswith(f": {found.reason}")
    perhaps = [line for line in result.stderr.splitlines() if line.startswith("  perhaps ")]
    assert perhaps == ([f"  perhaps {' or '.join(found.suggest)}"] if found.suggest else [])


@pytest.mark.parametrize("ply", ["32112x", "a1-b3"])
def test_a_json_error_of_play_has_the_column_in_the_ply(ply: str) -> None:
    result = ringfen("play", "-", ply, "--json", stdin="\n   gyges\n")
    assert result.exit_code == 2
    (answer,) = json_lines(result)
    place = f"ply:1:{answer['error']['column']}: "
    assert (answer["line"], result.stderr.startswith(place)) == (2, True)
