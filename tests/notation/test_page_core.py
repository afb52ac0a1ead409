"""The core of the page gives the results of the package: positions, plies, errors and perft, run by Node."""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
import subprocess
from fractions import Fraction
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from siaius_random import random_position

from ringfen import Position, RingfenError, game_ids, solve
from ringfen.drawing import picture
from ringfen.notation import Record, parse_record, random_game, read_records, viewing
from ringfen.notation.record_checker import RecordChecker
from ringfen.notation.viewing.core import core_data
from ringfen.notation.writing import write_record

pytestmark = pytest.mark.unsanitized  # the page's core is built without them

FOLDER = Path(viewing.__file__).parent
SOURCES = Path(__file__).parents[2] / "notation" / "viewing"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")

SCRIPT = """
import {{ readFileSync }} from "node:fs";
const read = (name) => readFileSync({folder!r} + `/${{name}}.js`, "utf-8").replaceAll(/^import [^;]*;\\n/gm, "");
const parts = ["core", "board", "captions", "commands", "tree", "records"].map(read);
const source = Buffer.from(parts.join("")).toString("base64");
const module = await import("data:text/javascript;base64," + source);
const {{ Core, Records, captionOf, textOf, cut, promote, demote }} = module;
const {{ data, calls }} = JSON.parse(readFileSync(0, "utf-8"));
const core = await Core.load(readFileSync({folder!r} + "/core.wasm"), data);
const records = new Records(core, data);
core.records = (base64) =>
  records.read(Buffer.from(base64, "base64")).map(({{ text, valid, result, diagnostics }}) => {{
    return {{ text: valid ? text : null, valid, result, found: diagnostics.map((one) => one.text) }};
  }});
core.caption = (text, ply) => captionOf(core.position(text), ply);
core.edited = (text, ...edits) => {{
  let record = records.readOne(text);
  for (const [name, at] of edits) {{
    if ({{ cut, promote, demote }}[name](record.nodes, at) === false) return null;
    record = records.readOne(textOf(record));
  }}
  return record.text;
}};
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
def test_captions_are_those_of_the_drawings(game_id: str) -> None:
    found = positions(game_id, 600)
    if game_id == "siaius":
        found += [Position("siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0 huff=off")]
    if game_id == "gyges":
        found += [Position("gyges 321123/....../....../....../....../321123 s - 2+3")]
    calls = [["caption", one.fen, ""] for one in found] + [["caption", found[1].fen, "a1-a2"]]
    *captions, last = asked(calls)
    assert captions == [picture(one).caption for one in found]
    assert last == ["Last ply: a1-a2", *captions[1]]


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


#: Pieces of text that damage a record, or give it another form.
_PIECES = [
    *(
        b"",
        b"x",
        b"(",
        b")",
        b"{a}",
        b"{[%position x]}",
        b"}",
        b"; c } d\n",
        b"$4",
        b"!!",
        b"9.",
        b"\xff",
        b"\n\n",
        b'"',
    ),
    *(b'[Game "gyges"]', b" -- ", "é\u200b".encode(), b"\r\n", b"\n%x\n", b"*", b" 1-0 ", b'[Date "2026.02.30"]\n'),
]
#: Diagnostics that Python words with advice, which the page does not give.
_ADVISED = ("illegal-ply", "bad-ply", "wrong-number", "bad-utf8", "missing-game", "unknown-game")


def texts_of_records(game_id: str) -> list[bytes]:
    """Texts of records, most of them damaged."""
    chance = random.Random(f"{game_id} records")
    made = []
    for seed in range(8):
        text = str(random_game(game_id, seed, plies=40)).encode() + b"\n"
        made.append(text)
        for _ in range(30):
            at = chance.randrange(len(text))
            made.append(text[:at] + chance.choice(_PIECES) + text[at + chance.randrange(3) :])
    return made


def plain(line: str) -> str:
    """A diagnostic, or its place and code if Python adds advice to its words."""
    place, code, _ = line.split(": ", 2)
    return f"{place}: {code}" if code in _ADVISED else line


@needs_node
@pytest.mark.parametrize("game_id", game_ids())
def test_records_are_read_and_written_as_the_package_does(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordChecker, "_suggests", False)  # The page does not know which words belong together.
    texts = texts_of_records(game_id)
    calls = [["records", base64.b64encode(text).decode()] for text in texts]
    failed = 0
    for text, answer in zip(texts, asked(calls), strict=True):
        wanted = []
        for record in read_records(BytesIO(text), name="<text>"):
            failed += not record.valid
            found = [plain(diagnostic.one_line()) for diagnostic in record.diagnostics]
            written = write_record(record) if record.valid and not renumbered(found) else None
            wanted.append({"text": written, "valid": record.valid, "result": record.result, "found": found})
        for one in answer:
            one["found"] = [plain(line) for line in one["found"]]
            if renumbered(one["found"]):
                assert one["text"] is None or one["text"].rstrip().encode() in text, "unchanged"
                one["text"] = None
        assert answer == wanted, text
    assert failed > 40


def renumbered(found: list[str]) -> bool:
    """Whether writing the record would change its move numbers, which the page leaves to people."""
    return any(line.split(": ")[1] == "wrong-number" for line in found)


TREE = """[Game "rings"]

{a} 1. a1-a2 $1 {b} ({c} 1. b2-b3 $3 1... a7-a6 (1... g7-g6 {d}) {e}) {f} (1. c1-c2 $2) a7-a6 2. c1-c2 *
"""


@needs_node
def test_variations_move_and_nothing_else_changes() -> None:
    """The plies in the order of the text: 1 a1-a2, 2 b2-b3, 3 a7-a6, 4 g7-g6, 5 c1-c2, 6 a7-a6, 7 c1-c2."""
    text = write_record(parse_record(TREE))
    head = text.partition("{a}")[0]
    edits: list[list[Any]] = [
        [["promote", 5]],
        [["promote", 3]],
        [["promote", 4]],
        [["demote", 1]],
        [["demote", 5]],
        [["cut", 1]],
        [["cut", 3]],
        [["cut", 6]],
        [["promote", 1]],
        [["promote", 5], ["demote", 2]],
        [["promote", 2], ["demote", 1]],
        [["promote", 4], ["demote", 3]],
    ]
    found = asked([["edited", TREE, *edit] for edit in edits])
    moves = [None if one is None else " ".join(one.removeprefix(head).split()) for one in found]
    inner = "a7-a6 (1... g7-g6 {d}) {e}"
    assert moves == [
        f"{{a}} 1. a1-a2 $1 {{b}} (1. c1-c2 $2) {{f}} ({{c}} 1. b2-b3 $3 {inner}) 1... a7-a6 2. c1-c2 *",
        f"{{a}} 1. b2-b3 $3 {{c}} (1. a1-a2 $1 {{b}} 1... a7-a6 2. c1-c2) {{f}} (1. c1-c2 $2) 1... {inner} *",
        "{a} 1. a1-a2 $1 {b} ({c} 1. b2-b3 $3 g7-g6 {d} (1... a7-a6) {e}) {f} (1. c1-c2 $2) 1... a7-a6 2. c1-c2 *",
        f"{{a}} 1. b2-b3 $3 {{c}} (1. a1-a2 $1 {{b}} 1... a7-a6 2. c1-c2) {{f}} (1. c1-c2 $2) 1... {inner} *",
        None,
        f"{{a}} 1. b2-b3 $3 {{c}} (1. c1-c2 $2) 1... {inner} *",
        "{a} 1. a1-a2 $1 {b} ({c} 1. b2-b3 $3 g7-g6 {d}) {f} (1. c1-c2 $2) 1... a7-a6 2. c1-c2 *",
        f"{{a}} 1. a1-a2 $1 {{b}} ({{c}} 1. b2-b3 $3 {inner}) {{f}} (1. c1-c2 $2) *",
        None,
        " ".join(text.removeprefix(head).split()),
        " ".join(text.removeprefix(head).replace("{b} ({c} 1. b2-b3 $3", "{b} (1. b2-b3 $3 {c} 1...").split()),
        " ".join(text.removeprefix(head).split()),
    ]


@needs_node
def test_hostile_depth_is_read() -> None:
    deep = '[Game "gyges"]\n\n' + "1. 321123 (" * 5000 + "1. 321132" + ")" * 5000 + " *\n"
    assert asked([["edited", deep]]) == [write_record(parse_record(deep))]
    record = Record.new("gran", Player1="A", Player2="B", Player3="C", Player4="D")
    assert asked([["edited", str(record)]]) == [write_record(record)]


#: Options of `solve` by their long names, for each game: each is tried on a part of the positions.
SOLVE_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "gyges": [{}, {"each": True, "nodes": 300}, {"wdl": True}, {"depth": 3}],
    "rings": [{}, {"each": True}, {"nodes": 50}, {"nodes": 100_000}],
    "siaius": [{}, {"each": True}, {"wdl": True}, {"depth": 4, "each": True}],
    "gran": [
        *({}, {"depth": 4, "each": True}, {"model": "paranoid", "depth": 4, "each": True}),
        *({"model": "paranoid", "until": "1/3"}, {"model": "paranoid", "player": 2, "depth": 1, "each": True}),
    ],
}


def positions_to_solve(game_id: str) -> list[Position]:
    """200 positions of random games; in Siaius half of them on small boards."""
    chance = random.Random(f"{game_id} solve")
    found = chance.sample(positions(game_id, 2000), 200)
    if game_id == "siaius":
        small = [(3, 3, 3), (3, 4, 4), (4, 4, 5)]
        options = ["", " beats=reverse", " huff=stone", " huff=off"]
        found[::2] = [
            Position(random_position(chance, *small[number % 3], chance.choice(options))) for number in range(100)
        ]
    return found


@needs_node
@pytest.mark.parametrize("game_id", game_ids())
def test_solutions_are_those_of_the_package(game_id: str, tmp_path: Path) -> None:
    """Equal objects in the same order, with as many nodes; only the time differs."""
    choices = SOLVE_OPTIONS[game_id]
    calls: list[list[Any]] = [
        ["solve", one.fen, {"hash": 1, "nodes": 2000, **choices[number % len(choices)]}]
        for number, one in enumerate(positions_to_solve(game_id))
    ]
    statuses = set()
    for (_, fen, options), answer in zip(calls, asked(calls), strict=True):
        keywords = {"hash_mb" if name == "hash" else name: value for name, value in options.items()}
        if "until" in keywords:
            keywords["until"] = Fraction(keywords["until"])
        if game_id in ("gyges", "siaius"):
            keywords["tables"] = tmp_path
        wanted = solve(fen, **keywords).to_json()
        if wanted.get("note"):
            wanted["note"] = re.sub(r" \(hash_mb=[0-9]+\)", "", wanted["note"])  # the name of the parameter in Python
        assert wanted.pop("seconds") >= 0 <= answer.pop("seconds")
        assert list(answer.items()) == list(wanted.items()), (fen, options)
        statuses.add(wanted["status"])
    assert len(statuses) > 1


@needs_node
def test_bad_options_of_solve_are_rejected() -> None:
    calls: list[list[Any]] = [
        ["solve", "rings", {"nodes": 0}],
        ["solve", "rings", {"hash": 1.5}],
        ["solve", "rings", {"seconds": "1"}],
        ["solve", "gyges", {"depth": 201}],
        ["solve", "gran", {"model": "best"}],
        ["solve", "gran", {"player": 1}],
        ["solve", "gran", {"model": "paranoid", "player": 6}],
        ["solve", "gran", {"model": "paranoid", "until": "3/2"}],
        ["solve", "gran", {"model": "paranoid", "until": "x"}],
    ]
    players = Position("gran").players
    assert [answer["message"] for answer in asked(calls)] == [
        "nodes is 1 to 9007199254740991, not 0",
        "hash is 1 to 2048, not 1.5",
        "seconds is above 0 and at most 1000000000",
        "depth is 1 to 200, not 201",
        "the model is maxn or paranoid, not 'best'",
        "player and until belong to the model paranoid",
        f"the player is 1 to {players}, not 6",
        "until is a probability, 0 to 1",
        "until is a probability, 0 to 1",
    ]
