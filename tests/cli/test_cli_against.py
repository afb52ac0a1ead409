"""``compare``: wrong generators of every game, and programs that fail in every way."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore]
import pytest
from batch_tools import assert_gone, run, wait_until
from cli_runner import json_lines, ringfen
from mutants.rules import mutant
from reference import gran, gyges, rings, siaius

from ringfen import Position, divide
from ringfen.cli.comparison import Program

PLAIN: dict[str, Any] = {"gyges": gyges, "rings": rings, "siaius": siaius, "gran": gran}
SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"

#: Processes, nothing of the core.
pytestmark = pytest.mark.unsanitized

DIVIDE = """
import sys
state, depth = parse(sys.argv[1]), int(sys.argv[2])
for ply in plies(state):
    print(f"{ply}: {perft(apply(state, ply), depth - 1):,}")
"""


def program(tmp_path: Path, source: str, arguments: str = "{fen} {depth}") -> str:
    """The command that runs this program."""
    file = tmp_path / "the other one.py"
    file.write_text(source, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))} {arguments}"


def against(command: str, fen: str, depth: int, *more: str) -> tuple[int, dict[str, Any]]:
    result = ringfen("compare", fen, command, "--depth", str(depth), "--json", *more)
    (row,) = json_lines(result)
    return result.exit_code, row


#: A mistake in each game, where it is seen only after some plies, and those plies.
WRONG = [
    ("gyges", "at most one bounce", "gyges ....../....../232313/112.23/....../...... n 1 1+1", 2),
    (
        "rings",
        "a drop onto a free square",
        "rings ......./......./..1.k../...K.../.1.1.../....k(1)../......K n 1+0 0",
        2,
    ),
    ("siaius", "declining the bonus forgives", "siaius 4/4/Cs2/1ssT/4 n - - 0", 3),
    ("gran", "banishing to the ring's point", "gran d3:3:-/c2:3:-/f8:3:- e4 - 2.0.4.6.6.4.2 3 move", 2),
]


@pytest.mark.parametrize(("game", "name", "fen", "depth"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_rule_is_found(game: str, name: str, fen: str, depth: int, tmp_path: Path) -> None:
    command = program(tmp_path, mutant(game, name).source() + DIVIDE)
    status, row = against(command, fen, depth)
    assert (status, row["ok"], row["fen"], row["depth"]) == (1, False, fen, depth)
    assert row["path"], "the list of the first position is right"
    # The position at the end of the path is the first one whose lists differ, and differs as said.
    plain, wrong = PLAIN[game], mutant(game, name).module()
    position = Position(fen)
    for ply in row["path"]:
        assert set(wrong.plies(wrong.parse(position.fen))) == set(position.plies())
        position = position.apply(ply)
    assert row["at"] == position.fen
    right, theirs = plain.plies(plain.parse(position.fen)), wrong.plies(wrong.parse(position.fen))
    assert row["missing"] == [ply for ply in right if ply not in theirs]
    assert row["extra"] == [ply for ply in theirs if ply not in right]
    if game == "siaius":
        # The lists are equal while the texts of the positions are: the error is in the position after a ply.
        assert right == theirs
        assert list(row["different"]) == ["stay"]
        after = [text.text(text.apply(text.parse(position.fen), "stay")) for text in (plain, wrong)]
        assert after[0] != after[1]
    else:
        assert row["missing"] or row["extra"]


@pytest.mark.parametrize("game", PLAIN)
def test_a_right_generator_agrees(game: str, tmp_path: Path) -> None:
    source = (Path(__file__).parents[1] / "reference" / f"{game}.py").read_text(encoding="utf-8")
    status, row = against(program(tmp_path, source + DIVIDE), game, 2)
    assert status == 0
    assert row == {
        "fen": Position(game).fen,
        "depth": 2,
        "ok": True,
        "path": [],
        "at": Position(game).fen,
        "missing": [],
        "extra": [],
        "different": {},
    }


LIST = """
import os, sys, time
sys.path.insert(0, {path!r})
from reference import {game} as game
state, depth = game.parse(sys.argv[1]), int(sys.argv[2])
rows = [(ply, game.perft(game.apply(state, ply), depth - 1)) for ply in game.plies(state)]
"""


def listing(tmp_path: Path, code: str, game: str = "rings") -> str:
    """The command for a program that does ``code`` with the right rows."""
    return program(tmp_path, LIST.format(path=str(Path(__file__).parents[1]), game=game) + code)


def test_a_ply_twice_is_extra(tmp_path: Path) -> None:
    status, row = against(listing(tmp_path, "for row in [*rows, rows[3]]: print(*row)"), "rings", 1)
    ply = Position("rings").plies()[3]
    assert (status, row["extra"], row["missing"], row["different"]) == (1, [ply], [], {})


def test_lists_that_agree_with_counts_that_do_not(tmp_path: Path) -> None:
    code = "for ply, count in rows: print(ply, count + (depth == 3 and ply > 'f'))"
    status, row = against(listing(tmp_path, code), "rings", 3)
    assert (status, row["path"], row["missing"], row["extra"]) == (1, [], [], [])
    counts = dict(divide("rings", 3))
    assert row["different"] == {ply: [count, count + 1] for ply, count in counts.items() if ply > "f"}


def test_counts_that_are_wrong_to_the_end(tmp_path: Path) -> None:
    status, row = against(listing(tmp_path, "for ply, count in rows: print(ply, count + 1)"), "rings", 3)
    at = Position("rings")
    assert (status, row["path"]) == (1, [at.plies()[0], at.nth(0)[1].plies()[0]])
    assert row["different"] == {ply: [1, 2] for ply in Position(row["at"]).plies()}


def test_other_lines_are_skipped_and_separators_read(tmp_path: Path) -> None:
    code = (
        "print('Ringfen 9'); print(); print('Total: 28'); print('perft 3: 1 2')\n"
        "for ply, count in rows: print(f'  {ply}:   {count:,}  and more')\n"
        "print('28 plies')"
    )
    assert against(listing(tmp_path, code), "rings", 3)[0] == 0


FAILURES = [
    ("prints nonsense", "print('nonsense'); print('more of it 3'); print(1, 'a')", "no-plies"),
    ("prints nothing", "", "no-plies"),
    ("ends with a status", "print('a1-a2 1'); sys.exit(3)", "failed"),
    ("crashes", "os.abort()", "failed"),
    ("hangs", "print('a1-a2 1', flush=True); time.sleep(3600)", "timeout"),
    ("closes its output and hangs", "os.close(1); time.sleep(3600)", "timeout"),
    ("prints without end", "while True: print('x' * 1000)", "too-much"),
    ("leaves a child behind", "os.fork() or time.sleep(3600); sys.exit()", "no-plies"),
]


@pytest.mark.parametrize(("what", "code", "reason"), FAILURES, ids=[row[0] for row in FAILURES])
def test_programs_that_fail(what: str, code: str, reason: str, tmp_path: Path) -> None:
    command = program(tmp_path, f"import os, sys, time\n{code}\n")
    timeout = "0.5" if reason == "timeout" else "600"
    result = ringfen("compare", "rings", command, "-d", "2", "--timeout", timeout, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"error: {reason}: " in result.stderr
    assert f", at depth 2 of {Position('rings').fen}" in result.stderr


def test_a_child_of_the_program_is_not_waited_for(tmp_path: Path) -> None:
    counts = "".join(f"{ply} {count}\\n" for ply, count in divide("rings", 1))
    command = program(tmp_path, f"import os, sys, time\nprint('{counts}', flush=True)\nos.fork() or time.sleep(3600)\n")
    assert against(command, "rings", 1, "--timeout", "600")[1]["ok"] is True


ANSWERS = """
import subprocess, sys
open(sys.argv[1], "a").write("started\\n")
for line in sys.stdin:
    depth, fen = line.rstrip("\\n").split(" ", 1)
    words = [sys.executable, "-m", "ringfen", "perft", fen, "--depth", depth, "--divide"]
    print("depth", depth, "of", fen)
    print(subprocess.run(words, capture_output=True, text=True).stdout + "\\r\\n", end="", flush=True)
"""


def test_a_program_without_placeholders_is_started_once(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = program(tmp_path, ANSWERS, shlex.quote(str(started)))
    result = ringfen("compare", "-", command, "-d", "2", "--json", stdin="gyges\nrings\nbad\nsiaius\n")
    assert [(row["line"], row.get("ok")) for row in json_lines(result)] == [(1, True), (2, True), (3, None), (4, True)]
    assert started.read_text() == "started\n"
    checked = ringfen("suite", "-", "--against", command, "--json", stdin="gyges ;D1 90 ;D2 8100\n")
    assert [row["ok"] for row in json_lines(checked)] == [True, True]
    checked = ringfen("suite", "-", "--against", command, stdin="gyges ;D1 91\n")
    assert checked.stdout.startswith("WRONG  depth 1: the program counted 90, the suite says 91: gyges ")


def test_a_program_that_reads_nothing_may_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(descriptor: int, data: bytes) -> int:
        raise BrokenPipeError

    with Program(["echo", "a3-a4 5"]) as other:
        monkeypatch.setattr("os.write", closed)
        found = other.divide(Position("siaius"), 2)
        monkeypatch.undo()
    assert found == [("a3-a4", 5)]


@pytest.mark.parametrize(
    ("code", "reason", "timeout"),
    [
        ("time.sleep(3600)", "timeout", "0.5"),
        ("input(); sys.exit(3)", "failed", "600"),
        ("input(); os.kill(os.getpid(), 9)", "failed", "600"),
        ("while input(): print(flush=True)", "no-plies", "600"),
    ],
)
def test_a_program_without_placeholders_that_fails(code: str, reason: str, timeout: str, tmp_path: Path) -> None:
    command = program(tmp_path, f"import os, sys, time\n{code}\n", "")
    result = ringfen("compare", "-", command, "-d", "1", "--timeout", timeout, "--json", stdin="gyges\nrings\n")
    assert result.exit_code == 2
    errors = [row["error"] for row in json_lines(result)]
    assert [error["reason"] for error in errors] == [reason, reason]
    assert [error["message"].partition(", at depth 1 of ")[2] for error in errors] == [
        Position("gyges").fen,
        Position("rings").fen,
    ]


def test_a_failure_below_the_given_position_is_named(tmp_path: Path) -> None:
    """The program has a wrong count below the start position, and ends when it gets that position."""
    code = "if ' n ' in sys.argv[1]: sys.exit(3)\nfor ply, count in rows: print(ply, count + (ply == 'b2-b1'))"
    result = ringfen("compare", "rings", "-d", "2", listing(tmp_path, code))
    assert result.exit_code == 2
    assert f"at depth 1 of {Position('rings').apply('b2-b1').fen}" in result.stderr


def test_the_only_legal_ply_is_missing(tmp_path: Path) -> None:
    """A program that does not know the pass prints nothing after b5xc6; it is asked there because of its count 0."""
    fen = "rings ...../..k../.K.../..1../...../...../..... s 0+0 0"
    code = "for ply, count in rows: ply == 'pass' or print(ply, count * (ply != 'b5xc6'))"
    status, row = against(listing(tmp_path, code), fen, 2)
    assert (status, row["path"], row["missing"]) == (1, ["b5xc6"], ["pass"])
    at = Position(fen).apply("b5xc6").fen
    result = ringfen("compare", at, "-d", "1", listing(tmp_path, code))
    assert (result.exit_code, "printed no ply with a count, but pass is legal" in result.stderr) == (2, True)


def test_commands_that_are_none(tmp_path: Path) -> None:
    for command, words in (("", "no command"), ("'", "quotation"), ("/no/such/program {fen}", "cannot-start")):
        result = ringfen("compare", "rings", "-d", "2", command)
        assert result.exit_code == 2
        assert words in result.stderr
    assert ringfen("compare", "rings", "-d", "0", "true").exit_code == 2
    # Without a shell nothing is expanded.
    result = ringfen("compare", "rings", "-d", "1", f"true > {tmp_path}/b")
    assert (result.exit_code, "no-plies" in result.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def test_several_positions_and_a_finished_one(tmp_path: Path) -> None:
    over = "rings ......./......./......./......./......./......./K...... s 0+0 0"
    code = "for ply, count in rows: print(ply, count + (state.side == 'n'))"
    stdin = f"{over}\nrings\nnonsense\n{Position('rings').apply('c1-c2').fen}\n"
    result = ringfen("compare", "-", "-d", "1", listing(tmp_path, code), "--json", stdin=stdin)
    rows = json_lines(result)
    assert [(row["line"], row.get("ok")) for row in rows] == [(1, True), (2, True), (3, None), (4, False)]
    assert len(rows[3]["different"]) == 28
    assert result.exit_code == 2


def test_for_people(tmp_path: Path) -> None:
    code = "for ply, count in rows: print('a7-a6' if ply == 'c1-c2' else ply, count)"
    out = ringfen("compare", "rings", "-d", "1", listing(tmp_path, code)).stdout
    assert "perft 1: DIFFERENT" in out
    assert "missing  c1-c2\n" in out
    assert "extra    a7-a6\n" in out


def test_a_ply_that_is_played_wrongly_is_named(tmp_path: Path) -> None:
    """All lists agree: the error is in the position that the program makes, not in its lists."""
    code = "for ply, count in rows: print(ply, count + (depth == 2 and ply == 'b2-b3'))"
    out = ringfen("compare", "rings", "-d", "2", listing(tmp_path, code)).stdout
    assert "the program seems to play b2-b3 wrong; the position after it:\n" in out
    assert f"\n{Position('rings').apply('b2-b3').fen}\n" in out
    assert "ply      Ringfen    program\n" in out


def test_a_suite_compares_the_names_of_plies(tmp_path: Path) -> None:
    command = listing(tmp_path, "for ply, count in rows: print('a7-a6' if ply == 'c1-c2' else ply, count)")
    checked = ringfen("suite", "-", "--against", command, stdin="rings ;D1 28\n")
    fen = Position("rings").fen
    assert checked.exit_code == 1
    assert checked.stdout.startswith(f"WRONG  depth 1: missing c1-c2, extra a7-a6: {fen} ")
    following = f"ringfen compare {shlex.quote(fen)} --depth 1 {shlex.quote(command)}\n"
    assert checked.stderr.endswith(f"to find the first difference, run: {following}")
    (row,) = json_lines(ringfen("suite", "-", "--against", command, "--json", stdin="rings ;D1 28\n"))
    assert (row["nodes"], row["ok"]) == (28, False)


UGI_DIVIDE = """
import sys
sys.path.insert(0, {path!r})
from reference import gyges
digits, depth = sys.argv[1], int(sys.argv[2])
rows = [digits[start:start + 6].replace('0', '.') for start in range(0, 36, 6)]
state = gyges.parse('gyges ' + '/'.join(reversed(rows)) + ' s - 1+1')
def number(name): return 37 if name == 'N' else 'abcdef'.index(name[0]) + 6 * int(name[1]) - 6
for ply in gyges.plies(state):
    fields = ply.replace('x', '-').split('-')
    print('|'.join(str(number(field)) for field in fields), gyges.perft(gyges.apply(state, ply), depth - 1) {more})
"""


@pytest.mark.parametrize("side", "sn")
def test_a_program_that_speaks_ugi(side: str, tmp_path: Path) -> None:
    path = str(Path(__file__).parents[1])
    fen = f"gyges 3.1..2/....2./.1..../..3.../2.1.../33.21. {side} - 1+1"
    right = program(tmp_path, UGI_DIVIDE.format(path=path, more=""), "{ugi} {depth}")
    assert against(right, fen, 2)[0] == 0
    wrong = program(
        tmp_path, UGI_DIVIDE.format(path=path, more="+ (len(fields) == 3 and fields[-1] == 'c4')"), "{ugi} {depth}"
    )
    status, row = against(wrong, fen, 2)
    assert (status, row["missing"], row["extra"]) == (1, [], [])
    assert row["different"]
    assert all(ply.endswith("c4" if row["at"].split()[2] == "s" else "d3") for ply in row["different"])
    refused = ringfen("compare", fen.replace("1+1", "2+1"), "-d", "1", right)
    assert (refused.exit_code, "ugi-goals" in refused.stderr) == (2, True)
    assert ringfen("compare", "rings", "-d", "1", right).exit_code == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_other_program_and_what_it_started(number: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"""
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
Path({str(mark) + "~"!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
os.rename({str(mark) + "~"!r}, {str(mark)!r})
time.sleep(3600)
"""
    source = f"import os, subprocess, sys, time\nfrom pathlib import Path\n{code}"
    with run("compare", "rings", "--depth", "1", program(tmp_path, source)) as process:
        wait_until(mark.exists)
        started = [psutil.Process(int(word)) for word in mark.read_text().split()]
        process.process.send_signal(number)
        status, _, errors = process.finish()
    assert (status, errors) == (130, "\ninterrupted\n")
    assert_gone(started)


@pytest.mark.parametrize("name", ["Depth", "FEN", "Ugi", "dept", "position"])
def test_words_in_braces_that_are_not_replaced_are_rejected(name: str) -> None:
    for args in (("compare", SET_UP, f"cat {{{name}}}", "--depth", "1"), ("suite", "--against", f"cat x{{{name}}}")):
        result = ringfen(*args)
        assert result.exit_code == 2
        assert f"{{{name}}} is not replaced; {{fen}}, {{depth}} and {{ugi}} are." in result.stderr
