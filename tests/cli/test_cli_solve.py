"""solve: positions one at a time; tests/core/batch tests answer files and workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position, Solution, solve_many
from ringfen.cli.solve import described

NORTH_WINS = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
SOUTH_WINS = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"
NORTH_LOSES = SOUTH_WINS.replace(" s ", " n ")
OVER = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"


def test_for_people() -> None:
    result = ringfen("solve", NORTH_WINS)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:4] == [
        NORTH_WINS,
        "value   North wins in 1 ply",
        "best    a5-S",
        "line    a5-S",
    ]


@pytest.mark.parametrize(
    ("value", "lower", "upper", "note", "words"),
    [
        ("loss", 16, 22, None, "South wins in 16 to 22 plies (a limit was reached)"),
        ("win", 14, 35, "the memory is full", "North wins in 14 to 35 plies"),
        ("win", 1, None, None, "North wins in 1 ply or more (a limit was reached)"),
    ],
)
def test_a_distance_that_is_open(value: str, lower: int, upper: int | None, note: str | None, words: str) -> None:
    position = Position("siaius 2s1/1t2/4/3S/T3/3S n - - 0 beats=reverse")
    solution = Solution(position.fen, "siaius", "bound", value=value, lower=lower, upper=upper, note=note)
    assert described(position, solution).splitlines()[1].split(maxsplit=1) == ["value", words]
    assert f"{lower} to {upper or '?'} plies" in solution._repr_html_()


def test_bounds_of_a_margin() -> None:
    position = Position("rings")
    solution = Solution(position.fen, "rings", "bound", lower=-3, upper=51)
    assert "value   for South between -3 and +51 (a limit was reached)" in described(position, solution)
    assert "-3 to +51" in solution._repr_html_()


@pytest.mark.parametrize(
    ("fen", "value", "distance"), [(NORTH_WINS, "win", 1), (SOUTH_WINS, "win", 1), (NORTH_LOSES, "loss", 4)]
)
def test_json(fen: str, value: str, distance: int) -> None:
    (row,) = json_lines(ringfen("solve", fen, "--json"))
    assert row.keys() >= {"fen", "game", "status", "value", "distance", "best", "pv", "nodes", "seconds"}
    assert (row["fen"], row["game"], row["status"]) == (fen, "gyges", "exact")
    assert (row["value"], row["distance"]) == (value, distance)
    assert set(row["best"]) <= set(Position(fen).plies())
    assert len(row["pv"]) == distance
    assert Position(fen).play(row["pv"]).outcome == ("n" if fen == NORTH_WINS else "s")


def test_a_finished_position_is_solved() -> None:
    (row,) = json_lines(ringfen("solve", OVER, "--json"))
    assert (row["status"], row["value"], row["distance"], row["best"]) == ("exact", "loss", 0, [])
    assert "value   North has won" in ringfen("solve", OVER).stdout


@pytest.mark.parametrize("limit", [("--nodes", "10"), ("--seconds", "0.01"), ("--depth", "2")])
def test_a_limit_is_status_3(limit: tuple[str, str]) -> None:
    result = ringfen("solve", SET_UP, "--json", *limit)
    assert result.exit_code == 3
    (row,) = json_lines(result)
    assert (row["status"], row["value"], row["distance"]) == ("unknown", None, None)
    if limit[0] == "--depth":
        assert row["decided"] == 2
    assert "not known" in ringfen("solve", SET_UP, *limit).stdout


def test_answers_of_python_are_printed_with_options(tmp_path: Path) -> None:
    out = str(tmp_path / "answers")
    list(solve_many(["siaius c7/8/8/8/8/8/8/7C s - - 0"], out=out, hash_mb=1))
    for form in ("--csv", "--merge"):
        assert "(--hash 8)" in ringfen("answers", out, form).stdout


def test_the_command_line_names_its_options_in_notes(tmp_path: Path) -> None:
    fen, words = "siaius c7/8/8/8/8/8/8/7C s - - 0", "8 MB of memory (--hash 8) would be enough for an exact answer"
    result = ringfen("solve", fen, "--hash", "1")
    assert result.exit_code == 3
    assert f"\nnote    {words}\n" in result.stdout
    (row,) = json_lines(ringfen("solve", fen, "--hash", "1", "--json"))
    assert row["note"] == words
    out = str(tmp_path / "answers")
    assert ringfen("solve", fen, "--hash", "1", "--out", out).exit_code == 3
    assert json.loads(Path(out).read_text())["note"] == words
    assert ringfen("solve", fen, "--hash", "1", "--out", f"{out}.tree", "--tree").exit_code == 3
    assert json.loads(Path(f"{out}.tree").read_text())["note"] == words
    assert ringfen("prove", fen, "--hash", "1", "--out-dir", str(tmp_path), "--json").stdout.count("(--hash 8)") == 1
    assert "note" not in ringfen("solve", fen, "--hash", "8").stdout
    # The question is answered then, and only the question limits the answer.
    (row,) = json_lines(ringfen("solve", fen, "--hash", "1", "--depth", "3", "--json"))
    assert (row["decided"], row["note"]) == (3, None)


def test_an_open_position_names_the_command_that_builds_its_table(tmp_path: Path) -> None:
    fen, words = "siaius 3/1s1/3/TS1 s - - 0", ("tablebase", "build", "siaius", "--size", "3x4", "--material", "SMvM")
    env = {"RINGFEN_TABLES": str(tmp_path)}
    open_position = ringfen("solve", fen, "--depth", "1", **env)
    assert f"\nnote    run 'ringfen {' '.join(words)}' to build an endgame table\n" in open_position.stdout
    assert ringfen(*words, **env).exit_code == 0
    assert "\nnote" not in ringfen("solve", fen, "--depth", "1", **env).stdout
    large = "gyges 123.../....../....../....../....../321123 s - 1+1"  # its table would not fit
    assert "\nnote" not in ringfen("solve", large, "--depth", "1", **env).stdout


def test_no_proof_says_what_memory_would_be_enough(tmp_path: Path) -> None:
    result = ringfen("prove", "siaius c7/8/8/8/8/8/8/7C s - - 0", "--hash", "1", "--out", str(tmp_path / "proof"))
    assert result.exit_code == 3
    assert "status unknown; 8 MB of memory (--hash 8) would be enough" in result.stderr


def test_many_positions_in_order(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{NORTH_WINS}\n# comment\n{SOUTH_WINS}\n", encoding="utf-8")
    result = ringfen("solve", NORTH_LOSES, "--file", str(file), "--json")
    assert [row["fen"] for row in json_lines(result)] == [NORTH_LOSES, NORTH_WINS, SOUTH_WINS]
    assert result.exit_code == 0


def test_a_malformed_line_does_not_stop_the_rest_and_comes_before_limits() -> None:
    lines = f"{SET_UP}\nnonsense\n{NORTH_WINS}\n"
    result = ringfen("solve", "-", "--depth", "2", "--json", stdin=lines)
    rows = json_lines(result)
    assert [(row["line"], row.get("status")) for row in rows] == [(1, "unknown"), (2, None), (3, "exact")]
    batch = ringfen("solve", "-", "--depth", "2", "--json", "--jobs", "2", stdin=lines)
    assert [(row["line"], row.get("status")) for row in json_lines(batch)] == [(1, "unknown"), (2, None), (3, "exact")]
    assert "<stdin>:2:1: unknown-game: " in result.stderr
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "words",
    [
        (),
        (SET_UP, "--nodes", "0"),
        (SET_UP, "--seconds", "0"),
        (SET_UP, "--depth", "-1"),
        (SET_UP, "--until", "2"),
        (SET_UP, "--until", "x"),
        (SET_UP, "--model", "minimax"),
        (SET_UP, "--resume"),
    ],
)
def test_usage_errors(words: tuple[str, ...]) -> None:
    assert ringfen("solve", *words).exit_code == 2


@pytest.mark.parametrize("option", [("--player", "2"), ("--until", "1/3")])
def test_options_of_the_model_paranoid(option: tuple[str, str]) -> None:
    for more in ((), ("--jobs", "2")):
        result = ringfen("solve", "gran", *option, *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{option[0]} requires --model paranoid." in result.stderr


KEYS = [
    *("fen", "game", "status", "value", "result", "margin", "probabilities", "distance", "best", "best_complete", "pv"),
    *("pv_complete", "nodes", "seconds", "lower", "upper", "decided", "endless", "model", "horizon", "player", "until"),
    *("open", "note", "version"),
]


@pytest.mark.parametrize(
    "args",
    [
        (NORTH_WINS,),
        (OVER,),
        (SET_UP, "--nodes", "10"),
        ("siaius c2/3/3/2C/3 n - - 0",),
        ("rings", "--nodes", "1000"),
        ("rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0",),
        ("gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight", "--depth", "3"),
        ("gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight", "--model", "paranoid", "--until", "2/3"),
    ],
)
def test_every_answer_has_the_same_keys_in_the_same_order(args: tuple[str, ...]) -> None:
    (row,) = json_lines(ringfen("solve", "--json", *args))
    assert list(row) == KEYS
    solved = row["status"] in ("exact", "horizon")
    typed = [row[name] for name in ("result", "margin", "probabilities") if row[name] is not None]
    assert typed == ([row["value"]] if solved else [])


def test_paranoid_says_whose_probability_and_how_much_may_be_open() -> None:
    fen = "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight"
    (row,) = json_lines(
        ringfen("solve", "--json", fen, "--model", "paranoid", "--until", "0.7", "--player", "2", "--nodes", "100")
    )
    assert (row["model"], row["player"], row["until"]) == ("paranoid", 2, "7/10")
    (row,) = json_lines(ringfen("solve", "--json", fen, "--model", "paranoid"))
    assert (row["player"], row["until"]) == (1, None)


@pytest.mark.parametrize("fen", [NORTH_WINS, NORTH_LOSES, "siaius c2/3/3/2C/3 n - - 0", OVER])
def test_only_the_value(fen: str) -> None:
    (whole,) = json_lines(ringfen("solve", "--json", fen))
    (alone,) = json_lines(ringfen("solve", "--json", "--wdl", fen))
    assert (alone["status"], alone["value"]) == ("exact", whole["value"])
    assert alone["distance"] == (0 if fen == OVER else None)
    assert whole["distance"] is None or set(whole["best"]) >= set(alone["best"]) or whole["value"] == "loss"
    values = {ply: ringfen_value(Position(fen).apply(ply).fen) for ply in alone["best"]}
    mirrored = {"win": "loss", "loss": "win", "draw": "draw"}
    assert all(mirrored[value] == whole["value"] for value in values.values())
    if alone["best_complete"] and alone["best"]:
        rest = set(Position(fen).plies()) - set(alone["best"])
        assert all(mirrored[ringfen_value(Position(fen).apply(ply).fen)] != whole["value"] for ply in rest)


def ringfen_value(fen: str) -> str:
    value = Position(fen).solve().result
    assert value is not None
    return value


EACH = [
    ("siaius c2/3/3/2C/3 n - - 0", ()),
    ("rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0", ()),
    ("gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight", ("--depth", "4")),
    ("gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight", ("--depth", "4", "--model", "paranoid")),
]


@pytest.mark.parametrize(("fen", "options"), EACH)
def test_values_after_every_ply(fen: str, options: tuple[str, ...]) -> None:
    (row,) = json_lines(ringfen("solve", "--json", "--each", fen, *options))
    position = Position(fen)
    assert [entry["ply"] for entry in row["plies"]] == position.plies()
    below = [*options[:1], "3", *options[2:], "--player", "1"] if options else []
    if "paranoid" not in below:
        below = below[:2]
    for entry in row["plies"]:
        (after,) = json_lines(ringfen("solve", "--json", position.apply(entry["ply"]).fen, *below))
        assert entry == {"ply": entry["ply"], **{name: after[name] for name in ("status", "value", "distance")}}
        assert entry["ply"] + " " in ringfen("solve", "--each", fen, *options).stdout


def test_every_ply_stays_within_the_limits_of_the_position() -> None:
    (row,) = json_lines(ringfen("solve", "--json", "--each", "rings", "--nodes", "500"))
    assert row["nodes"] <= 500
    assert {entry["status"] for entry in row["plies"]} == {"bound"}
    (row,) = json_lines(ringfen("solve", "--json", "--each", NORTH_LOSES, "--depth", "1"))
    assert {(entry["status"], entry["value"]) for entry in row["plies"]} == {("unknown", None)}
    (row,) = json_lines(ringfen("solve", "--json", "--each", NORTH_WINS, "--depth", "1"))
    assert {"ply": "a5-S", "status": "exact", "value": "loss", "distance": 0} in row["plies"]


def test_options_that_concern_no_position_are_reported(tmp_path: Path) -> None:
    over = "siaius 3/s2/2M s - - 0"
    gran = "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight"
    note = "note: --{} has no effect on these positions\n"
    one = ringfen("solve", "--json", over, "--model", "paranoid")
    assert (one.exit_code, one.stderr) == (0, note.format("model"))
    both = ringfen("solve", "--json", over, gran, "--depth", "4", "--model", "paranoid", "--wdl")
    assert (both.exit_code, both.stderr) == (3, "")
    rings = ringfen("solve", "--json", "rings", "--wdl", "--depth", "3", "--nodes", "5")
    assert (rings.exit_code, rings.stderr) == (3, note.format("depth") + note.format("wdl"))
    batch = ringfen("solve", "-q", over, "--model", "paranoid", "--out", str(tmp_path / "out"))
    assert (batch.exit_code, batch.stderr) == (0, note.format("model"))
    proof = ringfen("prove", "-q", over, "--until", "1/2", "--out", str(tmp_path / "cert"))
    assert (proof.exit_code, proof.stderr) == (0, note.format("until"))
