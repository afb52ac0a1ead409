"""No control character from outside reaches a terminal, and no half character ends a command: not from names of files,
nor from what is in them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runner import ringfen

#: Escape sequences, bell, backspace, carriage return, delete, an override of direction, a line separator.
HOSTILE = "\x1b[31m\x1b]0;title\x07\x08\r\x7f\x9b2J\u202e\u2028"
#: A name of a file that is not UTF-8.
LONE_BYTE = "\udcff"
#: What may be printed: any visible character, tabs, line ends.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]")

CONTENTS = {
    "games.rgn": f'[Game "gyges"]\n[White "{HOSTILE}"]\n\n1. 321123{HOSTILE} {{{HOSTILE}}} 321123 *\n',
    "fine.rgn": f'[Game   "gyges"]\n[South "{HOSTILE}"]\n\n1. 321123 {{ a\tb{HOSTILE} }} *\n',
    "words.rgn": f'[Game "gyges"]\n\n1. A{HOSTILE} *\n',
    # After the first of these words there is no position, so that only how the second is written can be judged.
    "lost.rgn": '[Game "gyges"]\n\n1. zz A\x1b[31mred\x07 *\n',
    "tag.rgn": f'[Game "gyges"]\n[South {HOSTILE}\n[{HOSTILE} "x"]\n\n1. {HOSTILE} *\n',
    "position.rgn": f"gyges 321123 {HOSTILE} s\n\n",
    "problem.rgn": f'[FEN "siaius t1s1/4/M3/4 n - - 0"]\n[Stipulation "win in 3{HOSTILE}"]\n[Key "{HOSTILE}"]\n\n*\n',
    "problems.jsonl": f'{{"fen": "rings", "stipulation": "{HOSTILE}"}}\n{{"fen": "{HOSTILE}", "stipulation": 1}}\n',
    "mail.txt": f"Subject: {HOSTILE}\n\n1. 321123 {HOSTILE} 321123 2. a1-b3{HOSTILE} zz{HOSTILE}\n",
    "game.sgf": f"(;GM[Gyges]P0[id {HOSTILE!r}]SU[{HOSTILE}];P0[1 {HOSTILE}]C[{HOSTILE}])\n",
    "some.board": f"lines: orthogonal {HOSTILE}\n{HOSTILE}: 7\n",
    "positions.txt": f"gyges{HOSTILE}\n{HOSTILE}\nchess {HOSTILE}\n",
    "suite.jsonl": f'{{"fen": "{HOSTILE}", "depth": 1, "count": 1}}\n{HOSTILE}\n',
    "some.cert": f"ringfen certificate 1\n{HOSTILE}\n",
    "games.jsonl": f'{{"game": "{HOSTILE}"}}\n',
    "answers.jsonl": f'{{"fen": "{HOSTILE}", "status": "exact"}}\n{HOSTILE}\n',
}
FORMATS = ("abstractplay", "boardspace", "gyges-online", "plain", "ugi")
COMMANDS = [
    ("validate", "games.rgn"),
    ("validate", "fine.rgn"),
    ("validate", "games.jsonl"),
    ("fmt", "--diff", "fine.rgn"),
    ("fmt", "--diff", "games.rgn"),
    ("fmt", "--check", "fine.rgn"),
    ("convert", "--to", "csv", "games.rgn"),
    ("positions", "games.rgn"),
    ("board", "check", "some.board"),
    ("board", "show", "some.board"),
    ("show", "--file", "positions.txt"),
    ("moves", "--file", "positions.txt"),
    ("solve", "--file", "positions.txt"),
    ("suite", "suite.jsonl"),
    ("perft", "--depth", "1", "--file", "positions.txt"),
    ("verify", "some.cert"),
    ("prove", "--file", "positions.txt", "--out", "out"),
    ("fix", "--diff", "games.rgn"),
    ("fix", "--diff", "fine.rgn"),
    ("filter", "--invalid", "--count", "games.rgn"),
    ("stats", "--by", "player,tag:White,code", "fine.rgn", "games.rgn"),
    ("annotate", "--json", "games.rgn"),
    ("view", "--out", "-", "games.rgn", "fine.rgn"),
    ("answers", "answers.jsonl"),
    ("answers", "--csv", "answers.jsonl"),
    ("validate", "lost.rgn", "words.rgn", "tag.rgn", "position.rgn"),
    ("validate", "--show", "lost.rgn", "words.rgn", "tag.rgn", "position.rgn"),
    ("validate", "--format", "github", "lost.rgn", "words.rgn", "tag.rgn", "position.rgn"),
    ("validate", "--json", "lost.rgn", "words.rgn", "tag.rgn", "position.rgn"),
    ("fix", "lost.rgn", "words.rgn", "tag.rgn", "position.rgn", "--json"),
    ("fix", "--diff", "lost.rgn", "words.rgn", "tag.rgn"),
    ("fmt", "--diff", "lost.rgn", "words.rgn", "tag.rgn"),
    ("convert", "--to", "jsonl", "lost.rgn", "words.rgn", "tag.rgn"),
    ("positions", "--partial", "lost.rgn", "words.rgn", "tag.rgn"),
    ("stats", "--by", "tag:South,opening:2,code", "lost.rgn", "words.rgn", "tag.rgn", "fine.rgn"),
    ("annotate", "--json", "lost.rgn", "words.rgn", "tag.rgn"),
    ("filter", "--json", "lost.rgn", "words.rgn", "tag.rgn"),
    ("filter", "--out-dir", "by", "--by", "tag:South", "lost.rgn", "words.rgn", "tag.rgn", "fine.rgn"),
    ("answers", "--select", "exact", "answers.jsonl"),
    ("answers", "--merge", "answers.jsonl"),
    ("problems", "fine.rgn", "games.rgn", "positions.txt"),
    ("problems", "--json", "fine.rgn", "lost.rgn", "positions.txt"),
    ("problems", "--check", "problem.rgn", "problems.jsonl"),
    ("problems", "--check", "--json", "problem.rgn", "problems.jsonl"),
    ("annotate", "--json", "--problems", "-", "fine.rgn"),
    ("show", "problem.rgn", "fine.rgn", "--file", "problems.jsonl"),
    ("show", "--out-dir", "drawings", "--file", "problems.jsonl"),
    ("view", "--out", "-", "problem.rgn", "positions.txt"),
    ("solve", "--tree", "--file", "positions.txt"),
    ("solve", "--tree", "--rgn", "--file", "positions.txt"),
    ("tablebase", "probe", "--file", "positions.txt"),
    ("ugi", "encode", "--file", "positions.txt"),
    *(("convert", "--from", form, "--game", "gyges", "--to", "rgn", "mail.txt") for form in FORMATS),
    *(("convert", "--from", form, "--game", "gyges", "--to", "rgn", "game.sgf") for form in FORMATS),
    ("compare", "--depth", "1", "rings", f"printf %s '{HOSTILE} 1'"),
    ("compare", "--depth", "1", "rings", f"sh -c 'printf %s \"{HOSTILE}\" >&2; exit 1'"),
]
JSON_COMMANDS = [
    ("validate", "games.rgn"),
    ("validate", "games.jsonl"),
    ("positions", "fine.rgn"),
    ("fix", "games.rgn"),
    ("filter", "fine.rgn"),
    ("stats", "--by", "player", "fine.rgn"),
    ("annotate", "fine.rgn"),
    ("answers", "answers.jsonl"),
    ("board", "check", "some.board"),
    ("verify", "some.cert"),
    ("solve", "--file", "positions.txt"),
    ("prove", "--file", "positions.txt", "--out", "out"),
]


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*args: str) -> str:
    result = ringfen(*args)
    return (result.stdout_bytes + result.stderr_bytes).decode("utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_hostile_text_in_files(command: tuple[str, ...], tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    printed = run(*command)
    assert printed
    assert not FORBIDDEN.search(printed), ascii(printed)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("there", [False, True])
def test_names_of_files(command: tuple[str, ...], there: bool, tmp_path: Path) -> None:
    """Files that cannot be read and files that can, with names that would disturb a terminal."""
    hostile = {name: f"{HOSTILE}{name}" for name in CONTENTS}
    for name, content in CONTENTS.items() if there else ():
        (tmp_path / hostile[name]).write_text(content, encoding="utf-8", newline="")
    printed = run(*(hostile.get(word, word) for word in command))
    assert printed
    assert not FORBIDDEN.search(printed), ascii(printed)


@pytest.mark.parametrize("command", JSON_COMMANDS, ids=" ".join)
@pytest.mark.parametrize("there", [False, True])
def test_names_of_files_that_are_not_utf8(command: tuple[str, ...], there: bool, tmp_path: Path) -> None:
    strange = {name: f"{LONE_BYTE}{name}" for name in CONTENTS}
    for name, content in CONTENTS.items() if there else ():
        (tmp_path / strange[name]).write_text(content, encoding="utf-8", newline="")
    result = ringfen(*(strange.get(word, word) for word in command), "--json")
    assert (result.stdout_bytes + result.stderr_bytes).decode("utf-8")
    assert all(json.loads(line) for line in result.stdout_bytes.decode("utf-8").split("\n") if line)


@pytest.mark.parametrize(
    "args",
    [
        ("moves", HOSTILE),
        ("moves", f"gyges {HOSTILE}"),
        ("play", "gyges", HOSTILE),
        ("rules", HOSTILE),
        ("new", "gyges", "--setup", HOSTILE),
        ("new", "gran", "--board", HOSTILE),
        ("solve", "gyges", "--nodes", HOSTILE),
        ("solve", "gyges", "--out", f"{HOSTILE}/out"),
        ("show", "gyges", "--out", f"{HOSTILE}/out.svg"),
        ("tablebase", "list", "--directory", HOSTILE),
        (HOSTILE,),
        (f"--{HOSTILE}",),
        ("convert", "--to", "csv", "--from", HOSTILE, "x"),
        ("show", "gran", "--board", HOSTILE),
        ("explain", HOSTILE),
        ("help", HOSTILE),
        ("compare", "rings", "--depth", "1", HOSTILE),
        ("filter", "--result", HOSTILE, "x"),
        ("filter", "--tag", HOSTILE, "x"),
        ("filter", "--date", HOSTILE, "x"),
        ("filter", "--code", HOSTILE, "x"),
        ("filter", "--opening", HOSTILE, "x"),
        ("filter", "--position", HOSTILE, "x"),
        ("filter", "--by", HOSTILE, "--out-dir", "d", "x"),
        ("stats", "--by", HOSTILE, "x"),
        ("validate", "--ignore", HOSTILE, "x"),
        ("problems", "--random", HOSTILE, "--first", "1"),
        ("problems", "--random", "gyges", "--material", HOSTILE, "--first", "1"),
        ("problems", "x", "--length", HOSTILE),
        ("prove", "gyges", "--out", "x", "--problem", "--gap", HOSTILE),
        ("tablebase", "build", "siaius", "--size", "3x3", "--material", HOSTILE),
        ("tablebase", "longest", "siaius", "--size", "3x3", "--material", HOSTILE, "--directory", HOSTILE),
        ("ugi", "decode", HOSTILE),
        ("ugi", "encode", HOSTILE),
        ("ugi", "check", "--games", "1", HOSTILE),
        ("ugi", "check", "--games", "1", f"printf %s '{HOSTILE}'"),
        ("fmt", "--set", HOSTILE, "x"),
        ("fmt", "--set", f"A={HOSTILE}", "x"),
    ],
    ids=lambda args: ascii(" ".join(args))[:40],
)
def test_arguments(args: tuple[str, ...]) -> None:
    printed = run(*args)
    assert printed
    assert not FORBIDDEN.search(printed), ascii(printed)
