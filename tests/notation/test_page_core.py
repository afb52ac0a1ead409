"""The core of the page gives the results of the package: positions, plies, errors and perft, run by Node."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ringfen import Position, RingfenError, game_ids
from ringfen.notation import viewing
from ringfen.notation.viewing.core import core_data

FOLDER = Path(viewing.__file__).parent
SOURCES = Path(__file__).parents[2] / "notation" / "viewing"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")

SCRIPT = """
import {{ readFileSync }} from "node:fs";
const source = readFileSync({folder!r} + "/core.js");
const {{ Core }} = await import("data:text/javascript;base64," + source.toString("base64"));
const {{ data, calls }} = JSON.parse(readFileSync(0, "utf-8"));
const core = await Core.load(readFileSync({folder!r} + "/core.wasm"), data);
const shown = (value) => typeof value === "bigint" ? String(value) : value;
const answers = calls.map(([name, ...args]) => {{
  try {{
    return shown(core[name](...args));
  }} catch (error) {{
    const {{ message, reason, at, length }} = error;
    return {{ message, reason, at, length }};
  }}
}});
process.stdout.write(JSON.stringify(answers));
"""


def asked(calls: list[list[Any]]) -> list[Any]:
    """The answers of the core to these calls: results, or the parts of errors."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", SCRIPT.format(folder=str(FOLDER))],
        input=json.dumps({"data": core_data(), "calls": calls}),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def error_of(fen: str, ply: str | None = None) -> dict[str, Any] | None:
    try:
        position = Position(fen)
        if ply is not None:
            position.apply(ply)
    except RingfenError as error:
        return {"message": error.message, "reason": error.reason, "at": error.at, "length": error.length}
    return None


def positions(game_id: str, count: int) -> list[Position]:
    """Positions of random games."""
    chance = random.Random(game_id)
    found: list[Position] = []
    position = Position(game_id)
    while len(found) < count:
        found.append(position)
        plies = position.core_plies()
        position = Position(game_id) if not plies else position.nth(chance.randrange(len(plies)))[1]
    return found


def damaged(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    put = chance.choice(["", "x", "9", "\u200b", "\t", " ", "é", "\U0001f600", "{0}", "\\", '"', "<b>", "s"])
    return text[:at] + put + text[at + chance.randrange(3) :] if chance.random() < 0.8 else text[:at]


def test_the_module_has_its_checksum() -> None:
    module = (FOLDER / "core.wasm").read_bytes()
    digest = (SOURCES / "core.wasm.sha256").read_text(encoding="ascii").split()[0]
    assert sha256(module).hexdigest() == digest
    assert len(module) < 400_000


@needs_node
@pytest.mark.parametrize("game_id", game_ids())
def test_positions_and_plies_are_those_of_the_package(game_id: str) -> None:
    found = positions(game_id, 300)
    calls = [[name, one.fen] for one in found for name in ("position", "plies")]
    answers = asked(calls)
    for one, described, plies in zip(found, answers[::2], answers[1::2], strict=True):
        assert described["fen"] == one.fen
        assert described["player"] == one.player_number
        assert described["players"] == one.players
        assert described["chance"] == one.is_chance
        assert (described["outcome"] != 0) == one.is_over
        weights = one.weights()
        wanted = [(ply, after.fen, weights.get(ply, 0)) for ply, after in one.successors()]
        assert [(ply["ply"], ply["fen"], ply["weight"]) for ply in plies] == wanted


@needs_node
@pytest.mark.parametrize("game_id", game_ids())
def test_errors_are_those_of_the_package(game_id: str) -> None:
    chance = random.Random(f"{game_id} errors")
    calls: list[list[Any]] = []
    found = positions(game_id, 200)
    for one in found:
        calls.append(["position", damaged(one.fen, chance)])
        plies = one.plies() or ["a1-a2"]
        calls.append(["play", one.fen, damaged(chance.choice(plies), chance)])
        calls.append(["play", one.fen, chance.choice(chance.choice(found).plies() or ["a1-b1"])])
    failed = 0
    for call, answer in zip(calls, asked(calls), strict=True):
        error = error_of(*call[1:])
        if error is None:
            position = Position(call[1])
            if call[0] == "play":
                assert answer["ply"] == position.short(call[2])
                assert answer["position"]["fen"] == position.apply(call[2]).fen
            else:
                assert answer["fen"] == position.fen
        else:
            failed += 1
            assert answer == error, call
    assert failed > 100


@needs_node
def test_other_texts_are_rejected_in_the_same_words() -> None:
    texts = ("", " ", "chess", "gyg\u200bes x", "it's 1", "a'\"b", "x" * 99, "\u00a0gyges", "gyges\n", "gyges\u3000x")
    assert asked([["position", text] for text in texts]) == [error_of(text) for text in texts]


@needs_node
@pytest.mark.parametrize("game_id", game_ids())
def test_perft_counts_as_the_package_does(game_id: str) -> None:
    found = positions(game_id, 40)[::10]
    calls = [["perft", one.fen, depth] for one in found for depth in (0, 1, 2)] + [["perft", game_id, 300]]
    *answers, too_deep = asked(calls)
    assert answers == [str(one.perft(depth)) for one in found for depth in (0, 1, 2)]
    assert too_deep["message"] == "depth is 0 to 255, not 300"
