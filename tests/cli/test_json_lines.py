"""``--json`` in every command and game: each line is one object, with the fields of the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from cli_runner import ringfen

from ringfen import game_ids
from ringfen.cli.commands import main

#: A position with few plies to the end, for each game.
SMALL = {
    "gyges": "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1",
    "rings": "rings 1K(5)..k../......./......./......./......./......./......k s 6+4 0",
    "gran": "gran a1:3:-/b2:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move",
    "siaius": "siaius t1s1/4/M3/4 n - - 0",
}
PLIES = {"gyges": "a1-b3", "rings": "a1-b2", "gran": "g3-g5", "siaius": "a3-a4"}
SOLUTION = (
    "fen game status value result margin probabilities distance best best_complete pv pv_complete nodes seconds lower"
    " upper decided endless model horizon player until open note version"
)
#: The fields of the lines that each command prints; "or" separates kinds of lines.
COMMANDS = {
    "games": "id name players options start",
    "new GAME": "fen",
    "moves GAME": "fen plies",
    "moves SMALL": "fen plies",
    "moves --file pos": "line fen plies",
    "play GAME": "fen outcome",
    "play --file pos": "line fen outcome",
    "positions games.rgn --every": "fen file record ply",
    "perft GAME --depth 1": "fen depth nodes seconds threads",
    "perft SMALL --depth 1 --divide": "fen depth nodes seconds threads divide",
    "perft SMALL --depth 2 --split 1 --out counts": "fen depth nodes seconds threads distinct",
    "perft --file pos --depth 1": "line fen depth nodes seconds threads",
    "compare SMALL --depth 1 OTHER": "fen depth ok path missing extra different",
    "compare --file pos --depth 1 OTHER": "line fen depth ok path missing extra different",
    "suite --game GAME --max-nodes 1000": "fen depth count nodes ok",
    "validate games.rgn bad.rgn": "file record game valid plies outcome diagnostics",
    "fix games.rgn bad.rgn": "file record line column code before after or file repaired left",
    "filter games.rgn": "file record",
    "stats games.rgn": "records valid plies results",
    "stats games.rgn --by game,player": "game player records valid plies results sides",
    "annotate games.rgn --nodes 20": "file record ply text status value best mark",
    "solve SMALL --nodes 100": SOLUTION,
    "solve GAME --nodes 100": SOLUTION,
    "solve --file pos --nodes 100": f"line {SOLUTION}",
    "solve SMALL --nodes 100 --each": f"{SOLUTION} plies",
    "solve SMALL --nodes 100 --tree": SOLUTION,
    "solve --file pos --nodes 100 --out answers.jsonl": "positions",
    "answers answers.jsonl": "answers",
    "problems PROBLEMS --length 1..9 --first 1": "fen stipulation key legal tries duals nodes source ringfen",
    "problems PROBLEMS --check": "file record fen",
    "prove SMALL --nodes 10k --depth 3 --out some.cert": "fen value ok positions",
    "verify some.cert": "fen value ok positions",
    "explain gap": "code",
}
OF_GAME = {
    "gyges": {"ugi encode SMALL": "fen ugi", "ugi decode start": "fen ugi"},
    "siaius": {
        "tablebase build siaius --size 3x3 --stones 2 --directory t": "",
        "tablebase longest siaius --size 3x3 --directory t": "material fen value distance",
        "tablebase probe SMALL --directory t": "fen value",
        "tablebase list siaius --size 3x3 --directory t": "",
        "tablebase stats siaius --size 3x3 --directory t": "",
        "tablebase verify siaius --size 3x3 --directory t": "",
        "tablebase checksums siaius --size 3x3 --directory t": "",
    },
}
#: Fields of objects in lists or objects.
PARTS = {
    "plies": {"ply", "fen"},
    "diagnostics": {"severity", "code", "line", "column", "ply", "message", "fen", "suggest"},
}


def lines_of(args: list[str]) -> list[dict[str, Any]]:
    result = ringfen(*args, "--json")
    assert result.exit_code in (0, 1, 2, 3), args
    text = result.stdout_bytes.decode("utf-8")
    assert text == "" or text.endswith("\n"), args
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    assert all(isinstance(line, dict) for line in lines), args
    return lines


def is_complete(line: dict[str, Any], fields: str) -> bool:
    kinds = [set(kind.split()) for kind in fields.split(" or ")]
    has_parts = all(
        parts <= set(part)
        for name, parts in PARTS.items()
        if isinstance(line.get(name), list) and "status" not in line
        for part in line[name]
    )
    in_order = SOLUTION not in fields or " ".join(name for name in line if name in fields.split()) == fields
    return has_parts and in_order and any(kind <= set(line) for kind in kinds)


@pytest.mark.parametrize("game", game_ids())
def test_every_line_has_the_fields_of_its_command(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records = ringfen("random", game, "--max-plies", "6").stdout
    Path("games.rgn").write_text(records, encoding="utf-8")
    Path("bad.rgn").write_text(records.replace("\n1. ", "\n7. "), encoding="utf-8")
    Path("pos").write_text(f"{game}\n{SMALL[game]}\n", encoding="utf-8")
    examples = Path(__file__).parents[2] / "examples" / "problems" / f"{game}.rgn"
    first = examples.read_text(encoding="utf-8").split("\n\n[")[0]
    Path("problem.rgn").write_text(f"{first}\n", encoding="utf-8")
    words = {"GAME": game, "SMALL": SMALL[game], "PROBLEMS": "problem.rgn", "OTHER": f"echo {PLIES[game]} {{depth}}"}
    for command, fields in {**COMMANDS, **OF_GAME.get(game, {})}.items():
        lines = lines_of([words.get(word, word) for word in command.split()])
        assert lines, command
        for line in lines:
            assert is_complete(line, fields), (command, line)


def test_every_command_with_json_is_tried() -> None:
    tried = {command.split()[0] for command in COMMANDS} | {"ugi", "tablebase", "board"}
    with click.Context(main) as ctx:
        for name in main.list_commands(ctx):
            command = main.get_command(ctx, name)
            assert command is not None
            has_json = any("--json" in param.opts for param in command.params)
            assert name in tried or not has_json, name
