"""``ugi``: the engine, driven by a client that knows only the interface, and its boards."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from batch_tools import PATIENCE
from cli_runner import json_lines, ringfen
from gyges_random import random_fen
from known_data import rows
from reference import gyges as plain

from ringfen import Position, PositionSyntaxError, RingfenError, game
from ringfen.control import MAX_PLIES
from ringfen.errors import PlySyntaxError

UGI = game("gyges").engine_notation
START = "gyges 321123/....../....../....../....../321123 s - 1+1"
BENCH = "202110000330000000000200000100030123"
BESTMOVE = re.compile(r"bestmove (\d+\|\d+(?:\|\d+)?) score (-?\d+\.\d+) time (\d+\.\d+)")


def talk(*commands: str) -> list[str]:
    """What the engine answers if all commands come at once."""
    result = ringfen("ugi", stdin="".join(f"{command}\n" for command in commands))
    assert result.exit_code == 0
    for line in result.stdout.splitlines():
        words = line.split()
        if words[:1] == ["info"]:
            assert len(words[1:]) % 2 == 0, f"a client reads pairs: {line}"
    return result.stdout.splitlines()


def bestmoves(lines: list[str]) -> list[tuple[str, float]]:
    found = [BESTMOVE.fullmatch(line) for line in lines if line.startswith("bestmove")]
    assert all(found)
    return [(match[1], float(match[2])) for match in found if match]


def answer(fen: str, *options: str) -> tuple[str, float]:
    """The ply that the engine plays in a position, and its score."""
    lines = talk(*(f"setoption name {option}" for option in options), f"setpos data {UGI.encode(fen)}", "go", "quit")
    (found,) = bestmoves(lines)
    return UGI.ply_of(fen, found[0]), found[1]


# ---- boards and moves ----


def random_boards(count: int, seed: int) -> list[str]:
    rnd, found = Random(seed), list[str]()
    while len(found) < count:
        fen = random_fen(rnd)
        if fen.endswith(" - 1+1"):
            found.append(fen)
    return found


def test_boards_and_moves_of_both_sides() -> None:
    for fen in random_boards(60, 1):
        position = Position(fen)
        digits = UGI.encode(position.fen)
        seen_by_south = Position(UGI.decode(digits))
        assert seen_by_south.player == "s"
        assert UGI.encode(seen_by_south.fen) == digits
        assert UGI.decode("/".join(digits[start : start + 6] for start in range(0, 36, 6))) == seen_by_south.fen
        if position.player == "s":
            assert seen_by_south.fen == position.fen
        moves = {UGI.move_of(position.fen, ply): ply for ply in position.plies()}
        assert len(moves) == position.count()
        # North's plies are South's on the rotated board.
        assert sorted(moves) == sorted(UGI.move_of(seen_by_south.fen, ply) for ply in seen_by_south.plies())
        for move, ply in moves.items():
            assert UGI.ply_of(position.fen, move) == ply
            after, turned = position.apply(ply), seen_by_south.apply(UGI.ply_of(seen_by_south.fen, move))
            if not after.is_over:
                assert UGI.encode(after.fen) == UGI.encode(turned.fen)


def test_encode_and_decode() -> None:
    fen = Position(UGI.decode("bench")).fen
    assert fen == "gyges .3.123/...1../...2../....../...33./2.211. s - 1+1"
    assert ringfen("ugi", "encode", fen).stdout == f"{BENCH}00\n"
    assert json_lines(ringfen("ugi", "encode", fen, "--json")) == [{"fen": fen, "ugi": f"{BENCH}00"}]
    assert ringfen("ugi", "decode", BENCH).stdout == f"{fen}\n"
    assert json_lines(ringfen("ugi", "decode", "-", "start", "--json", stdin=f"{BENCH}\n")) == [
        {"line": 1, "fen": fen, "ugi": f"{BENCH}00"},
        {"fen": START, "ugi": UGI.encode(START)},
    ]


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("gyges", "ugi-setup"),
        ("gyges ....../....../....../....../....../321123 n - 1+1", "ugi-setup"),
        ("gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0", "ugi-throne"),
        (START.replace("1+1", "2+1"), "ugi-goals"),
        ("gyges x", "bad-ranks"),
    ],
)
def test_encode_rejects(fen: str, reason: str) -> None:
    result = ringfen("ugi", "encode", fen)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f": {reason}: " in result.stderr


@pytest.mark.parametrize(
    ("digits", "reason"),
    [
        ("12", "ugi-digits"),
        (BENCH + "0", "ugi-digits"),
        (BENCH.replace("2", "4", 1), "ugi-digits"),
        (BENCH.replace("2", "٢", 1), "ugi-digits"),
        (BENCH + "30", "ugi-throne"),
        (BENCH.replace("0", "1", 2), "too-many-rings"),
        ("0" * 36, "ugi-setup"),
        ("", "ugi-digits"),
    ],
)
def test_decode_rejects(digits: str, reason: str) -> None:
    result = ringfen("ugi", "decode", digits)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f": {reason}: " in result.stderr


def test_moves_that_are_none() -> None:
    for move in ("", "1", "1|2|3|4", "36|1", "1|36", "1|38", "1|2|36", "a|b", "99|1", "-1|2", "1|2 "):
        with pytest.raises(PlySyntaxError):
            UGI.ply_of(START, move)
    with pytest.raises(PlySyntaxError):
        UGI.move_of(START, "=c3")
    with pytest.raises(PositionSyntaxError):
        UGI.decode("bench2")
    with pytest.raises(RingfenError, match="no engine notation"):
        _ = game("rings").engine_notation


def test_a_position_of_another_game_does_not_end_the_others() -> None:
    result = ringfen("ugi", "encode", "--json", "-", stdin=f"{START}\nrings\n{START}\n")
    assert result.exit_code == 2
    first, second, third = json_lines(result)
    assert (first["ugi"], second["line"], second["error"]["reason"]) == (third["ugi"], 2, "no-engine-notation")


# ---- the engine ----


def test_introduction() -> None:
    lines = talk("ugi", "isready", "quit")
    assert lines[0].startswith("id name Ringfen ")
    assert lines[1].startswith("id author ")
    assert {line.split()[2] for line in lines if line.startswith("option")} == {
        "maxPly",
        "maxTime",
        "maxNodes",
        "threads",
    }
    assert lines[-2:] == ["ugiok", "readyok"]
    assert f"option name maxPly type spin default {MAX_PLIES} min 1 max {MAX_PLIES}" in lines


def test_everything_at_once_without_isready_or_quit() -> None:
    lines = talk("setpos bench", "setoption name maxNodes value 2000", "go", "setpos test", "go")
    first, second = bestmoves(lines)
    for (move, _), board in ((first, "bench"), (second, "test")):
        assert UGI.ply_of("x x s", move) in Position(UGI.decode(board)).plies()


def test_options_in_both_forms_in_any_case_and_of_other_engines() -> None:
    lines = talk(
        "setoption name hash value 64",
        "setoption ponder true",
        "setoption name Clear Hash",
        "setoption MAXPLY 1",
        "setoption Name maxtime Value 3",
        "setpos start",
        "go",
    )
    ignored = [line.removeprefix("info string unknown option") for line in lines if "string" in line]
    assert [line.removesuffix(" .").strip() for line in ignored] == ["hash", "ponder", "Clear"]
    assert [line for line in lines if line.startswith("info") and len(line.split()) % 2 == 0] == []
    assert lines[-2].startswith("info ply 1 ")
    assert len(bestmoves(lines)) == 1


@pytest.mark.parametrize("line", ["setoption", "setoption name", "setoption value 3", "setoption name value 3"])
def test_an_option_without_a_name_gets_the_form_and_the_names(line: str) -> None:
    (message,) = talk(line)
    assert "setoption name NAME value NUMBER" in message
    assert "maxPly, maxTime, maxNodes, threads" in message


BAD = [
    "nonsense",
    "setpos",
    "setpos data",
    "setpos data 123",
    "setpos data start",
    f"setpos data {BENCH} extra",
    "setoption name maxPly value 0",
    "setoption name maxPly value nan",
    "setoption name maxTime value -1",
    "setoption name maxTime value 1e99",
    "setoption name maxNodes value x",
    "setoption name threads value 0 0",
    "\x00\x01\ufffd\udc80",
    "ponder " * 3000,
    "x" * 200_000,
]


def test_bad_input_is_an_info_string_and_changes_nothing() -> None:
    raw = "".join(f"{line}\n" for line in BAD).encode("utf-8", "surrogateescape")
    script = b"setpos bench\nsetoption name maxNodes value 1000\n" + raw + b"go\n"
    lines = ringfen("ugi", stdin=script).stdout.splitlines()
    strings = [line for line in lines if line.startswith("info string ")]
    assert len(strings) == len(BAD)
    assert all(len(line.split()) % 2 == 1 for line in strings)
    assert bestmoves(lines) == bestmoves(talk("setoption name maxNodes value 1000", "setpos bench", "go"))


def test_unexpected_words_are_reported_and_the_command_runs() -> None:
    lines = talk("isready now", "setpos bench", "setoption maxNodes 1", "go depth 5", "quit at once", "isready")
    assert lines[:2] == ["info string ignored after isready: now .", "readyok"]
    assert lines[2] == "info string ignored after go: depth 5"
    assert "info string ignored after quit: at once" in lines
    assert len(bestmoves(lines)) == 1
    assert lines.count("readyok") == 1


def test_a_finished_board_has_no_bestmove() -> None:
    board = BENCH.replace("1", "0", 1)
    lines = talk("setpos bench", f"setpos data {board}10", "go", "setpos bench", "setoption maxPly 1", "go", "quit")
    assert len([line for line in lines if line.startswith("info string ")]) == 2
    assert len(bestmoves(lines)) == 1


def test_showpos() -> None:
    assert "\n".join(talk("setpos bench", "showpos")) == Position(UGI.decode("bench")).draw().rstrip("\n")


def test_it_plays_the_shortest_win_and_the_longest_loss() -> None:
    seen = set()
    for row in rows("data/gyges_wins.jsonl"):
        fen = row["fen"]
        if not fen.endswith("- 1+1"):
            continue
        solved = Position(fen).solve(depth=3)
        ply, score = answer(fen, "maxPly value 3")
        if solved.status != "exact":
            assert score == 0
            continue
        assert ply in solved.best
        sign = 1 if solved.value == "win" else -1
        assert solved.distance is not None
        assert score == sign * (1_000_000 - (solved.distance - 1))
        seen.add((solved.value, solved.distance))
    assert {("win", 1), ("win", 3)} <= seen


LOST_IN_TWO = "gyges ....../1...../3.23../3.211./2.132./...... n - 1+1"


def test_it_delays_a_loss() -> None:
    solved = Position(LOST_IN_TWO).solve(depth=4)
    assert (solved.value, solved.distance) == ("loss", 4)
    ply, score = answer(LOST_IN_TWO, "maxPly value 6")
    assert (ply in solved.best, score) == (True, -(1_000_000 - 3))


#: Random boards without a win at once, where the fewest safe plies are those of one ply or a few.
UNDECIDED = [
    "gyges ....../....2./123.../21.3../2131.3/...... n - 1+1",
    "gyges 2...1./....../...2.2/..3..3/.1.1../3321.. n - 1+1",
    "gyges 3..222/.3.1../3.1.../...11./....2./...3.. s - 1+1",
    "gyges 2...../.....1/.1..../.1..../23.1.2/3.3.23 n - 1+1",  # one of three plies loses at once
    "gyges ..23../.1..31/.23.../.3...1/1...../...22. s - 1+1",
    "gyges ....../.13.../.3.2../11...2/3.2.3./1...2. s - 1+1",
    "gyges 31..../1.2..1/22.2../.3.3../3...../.....1 n - 1+1",
    "gyges ....../.1..2./3.131./2.23../2...13/...... n - 1+1",
    "gyges 2....3/....../3133../1.1.../22..../1....2 s - 1+1",
]


@pytest.mark.parametrize("fen", UNDECIDED)
def test_otherwise_it_leaves_the_fewest_safe_plies(fen: str) -> None:
    """Within two plies: of the plies that do not lose at once, that after which the opponent has the fewest replies
    that do not let it win with the next ply."""
    state = plain.parse(fen)
    safe: dict[str, int] = {}
    for ply in plain.plies(state):
        after = plain.apply(state, ply)
        if plain.outcome(after) is not None or plain.win_within(after, 1):
            continue
        safe[ply] = sum(not plain.win_within(plain.apply(after, reply), 1) for reply in plain.plies(after))
    assert not plain.win_within(state, 1)
    assert max(safe.values()) > min(safe.values())
    ply, score = answer(fen, "maxPly value 2", "maxTime value 60")
    assert score == 0
    assert safe[ply] == min(safe.values())


def test_whole_games() -> None:
    """The engine against itself, one session per ply; the client knows the winner only from the moves."""
    rnd = Random(3)
    for _ in range(3):
        setup = "/".join("".join(rnd.sample("112233", 6)) for _ in "sn")
        fen = game("gyges").start(setup=setup)
        for _ in range(60):
            position = Position(fen)
            ply, score = answer(fen, "maxPly value 3", "maxNodes value 400")
            assert ply in position.plies()
            if any(found[-1] in "SN" for found in position.plies()):
                assert ply[-1] in "SN"
                assert score == 1_000_000
            after = position.apply(ply)
            if after.is_over:
                assert after.outcome == position.player
                break
            fen = after.fen


class Client:
    """An engine process that is written to and read from."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ringfen", "ugi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in = self.process.stdin
        self._out = io.TextIOWrapper(self.process.stdout)

    def send(self, *lines: str) -> None:
        self._in.write("".join(f"{line}\n" for line in lines).encode())
        self._in.flush()

    def wait_for(self, beginning: str) -> str:
        for line in self._out:
            if line.startswith(beginning):
                return line.strip()
        raise AssertionError(f"the engine ended without {beginning}")

    def end(self) -> int:
        self._in.close()
        self._out.close()
        return self.process.wait(PATIENCE)


@pytest.mark.unsanitized
def test_stop_in_the_middle_and_isready_meanwhile() -> None:
    client = Client()
    client.send("setpos start", "setoption name maxTime value 3600", "go")
    client.wait_for("info ply 4 ")
    client.send("isready")
    client.wait_for("readyok")
    client.send("stop")
    assert BESTMOVE.fullmatch(client.wait_for("bestmove"))
    client.send("go", "stop")
    assert BESTMOVE.fullmatch(client.wait_for("bestmove"))
    client.send("stop", "setoption name maxTime value 0.2", "go", "quit")
    assert BESTMOVE.fullmatch(client.wait_for("bestmove"))
    assert client.end() == 0


@pytest.mark.unsanitized
def test_a_reader_that_goes_away_ends_it() -> None:
    client = Client()
    client.send("setpos start", "setoption name maxTime value 0.2", "go")
    client.wait_for("info")
    client._out.close()
    client.send("isready")
    client._in.close()
    assert client.process.wait(20) == 141


@pytest.mark.parametrize(
    "command", ["\x1b[31mgo", "position \x1b]0;x\x07", "setoption name \x1b[2J value 1", "go \x9b31m"]
)
def test_the_engine_prints_no_escape_sequences(command: str) -> None:
    result = ringfen("ugi", stdin=f"ugi\n{command}\nquit\n")
    assert result.exit_code == 0
    assert not set(result.stdout + result.stderr) & {"\x1b", "\x07", "\x9b"}


# ---- checking another engine ----


def engine(tmp_path: Path, code: str) -> str:
    """The command of an engine whose answer to ``go`` is what this code prints; ``board`` is the board."""
    file = tmp_path / "engine.py"
    body = "\n".join(f"        {line}" for line in code.splitlines())
    file.write_text(
        "import sys\nfor line in sys.stdin:\n    words = line.split()\n    if words[0] == 'setpos': board = words[-1]\n"
        f"    if words[0] == 'go':\n{body}\n        sys.stdout.flush()\n"
    )
    return shlex.join([sys.executable, str(file)])


def test_whole_games_of_an_engine_that_plays_by_the_rules() -> None:
    command = shlex.join([sys.executable, "-m", "ringfen", "ugi"])
    result = ringfen("ugi", "check", "--json", "--games", "2", "--send", "setoption maxPly 1", command)
    assert result.exit_code == 0
    found = json_lines(result)
    assert all(one["ok"] and UGI.ply_of(one["fen"], one["move"]) == one["ply"] for one in found)
    assert sum(Position(one["fen"]).apply(one["ply"]).is_over for one in found) == 2


@pytest.mark.parametrize("move", ["0|0", "0|36|3", "x", "null", ""])
def test_an_illegal_move_is_named_with_its_board(move: str, tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{START}\n")
    result = ringfen(
        "ugi", "check", "--file", str(file), engine(tmp_path, f"print('info x y'); print('bestmove {move}')")
    )
    assert result.exit_code == 1
    assert START in result.stdout
    assert f"setpos data {UGI.encode(START)}" in result.stdout
    assert result.stdout.endswith("1 move, 1 illegal\n")


def test_the_answer_of_an_engine_that_has_no_move(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{START}\n")
    result = ringfen("ugi", "check", "--file", str(file), engine(tmp_path, "print('bestmove 100|100|100 score -inf')"))
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "illegal move 100|100|100: no move; Beck-Bjella/Gyges answers this if it finds that "
    )


@pytest.mark.parametrize(
    ("code", "timeout", "words"),
    [("sys.exit(3)", "30", "exit status 3"), ("board", "0.5", "no answer within 0.5 s")],
)
def test_an_engine_that_fails(code: str, timeout: str, words: str, tmp_path: Path) -> None:
    result = ringfen("ugi", "check", "--games", "1", "--timeout", timeout, engine(tmp_path, code))
    assert result.exit_code == 2
    assert words in result.stderr


def test_positions_that_the_interface_lacks_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"gyges\nrings\n{START}\n")
    command = shlex.join([sys.executable, "-m", "ringfen", "ugi"])
    result = ringfen("ugi", "check", "--file", str(file), "--send", "setoption maxPly 1", command)
    assert result.exit_code == 2
    assert result.stdout == "1 move, 0 illegal\n"


@pytest.mark.parametrize("end", ["", "\\n"])
def test_an_engine_that_never_stops_printing_reaches_the_time_limit(end: str, tmp_path: Path) -> None:
    command = engine(tmp_path, f"while True: print('info string x', end='{end}', flush=True)")
    result = ringfen("ugi", "check", "--games", "1", "--timeout", "0.5", command)
    assert result.exit_code == 2
    assert "no answer within 0.5 s" in result.stderr


def test_a_suite_of_a_game_without_the_interface_is_a_usage_error() -> None:
    result = ringfen("suite", "--game", "rings", "--max-nodes", "10", "--against", "echo {ugi}")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "error: rings has no engine notation; choose another game with --game."
