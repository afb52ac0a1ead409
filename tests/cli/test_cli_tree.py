"""solve --tree: the same tree as text, JSON and record."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_runner import json_lines, ringfen

from ringfen import TreeNode, solution_tree
from ringfen.cli import solution_tree as printing
from ringfen.cli.solution_tree import TreeText
from ringfen.notation import parse_record
from ringfen.notation.tree_records import tree_record
from ringfen.problems import continuations

SIAIUS = "siaius t1s1/4/M3/4 n - - 0"
#: A win in 3 with three keys and more than a thousand plies.
GYGES = "gyges ...1../..2.1./..2.13/.23.../..3.2./.1.3.. n - 1+1"
RINGS = "rings 1..../...../....k/.1.../...K./...../..... s 0+0 0"
GRAN = "gran d4:2:-/e2:1:UE/d3:1:TG @2 e1,a2,f3,h5,i5,e7,g7,i7,d8,e8,i8,a9,b9,c9,e9,h9 0.0.3.1.1.1.0 2 move"
POSITIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    (SIAIUS, {}, []),
    (SIAIUS, {"full": True}, ["--tree-full"]),
    ("siaius 2m1/4/2S1/S3 n - - 0", {"full": True}, ["--tree-full"]),
    (GYGES, {}, []),
    (RINGS, {"tree_depth": 3}, ["--tree-depth", "3"]),
    (GRAN, {"depth": 3}, ["--depth", "3"]),
]

# ---- text ----


def test_a_win_with_tries() -> None:
    result = ringfen("solve", "--tree", "--tries", SIAIUS)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        SIAIUS,
        "North wins in 3 plies (win in 2)",
        "1. a4-b3!",
        "  1… a2-a1  2. *a1",
        "  1… a2-a3  2. *a3",
        "  1… a2-b1  2. *b1",
        "  1… a2-b2  2. *b2",
        "  1… a2xb3  2. c4xb3",
        "1. a4-a3?  1… a2xa3!",
    ]


#: A win in 2 with four defences that meet the same reply.
FOUR = "gyges ....../..1.../.1.3../133.22/2..1.2/..3... s - 1+1"


def test_plies_with_the_same_continuation_are_one_line() -> None:
    assert ringfen("solve", "--tree", "--tries", FOUR).stdout.splitlines()[2:] == [
        "1. c1xb3-f4!  1… c5-b5, c5-c4, c5-c6 … (4)  2. f2-N",
        "1. c1-c2?, c1-e2?, c1-f1? … (19 tries)  1… c5-d5!",
    ]


def test_keys_and_duals_are_marked() -> None:
    lines = ringfen("solve", "--tree", GYGES).stdout.splitlines()
    assert [line.split("  ")[0] for line in lines if line.startswith("1. ")] == [
        "1. d6-c6! (1 of 3 keys)",
        "1. d6-d5! (1 of 3 keys)",
        "1. d6-e6! (1 of 3 keys)",
    ]
    assert "    2. c6-a5 (dual)  2… b1-a1, b1-b2, b1-c1  3. d5-S, e5-S (duals)" in lines


def test_a_lost_position_begins_with_the_defences() -> None:
    lines = ringfen("solve", "--tree-full", POSITIONS[2][0]).stdout.splitlines()
    assert lines[1:4] == ["South wins in 4 plies", "1. c4-b4  1… c2-b3", "  2. b4-a3  2… b3xa3"]
    assert lines[-3:] == [f"1. c4-{square}3 (lasts 2 plies)  1… c2x{square}3" for square in "bcd"]


def test_a_finished_position() -> None:
    over = "gyges ....../.3.3../2.1221/3..21./.....1/...... s 3 1+0"
    result = ringfen("solve", "--tree", "--tries", over)
    assert (result.exit_code, result.stdout.splitlines()) == (0, [over, "North has won"])


def test_options_without_effect_are_named() -> None:
    result = ringfen("solve", "--tree-full", "--tries", "--tree-depth", "1", "--depth", "2", GRAN)
    note = "note: --{} has no effect on these positions"
    assert result.stderr.splitlines() == [note.format("tree-full"), note.format("tries")]
    assert ringfen("solve", "--tree-full", "--tries", SIAIUS).stderr == ""


# ---- groups: all plies of the tree are in them, except after a ply after which no player can win ----


def shape(node: TreeNode) -> tuple[Any, ...]:
    is_dead = isinstance(node.value, tuple) and not any(node.value)
    return () if is_dead else tuple((child.ply, shape(child)) for child in node.children)


def shape_of(groups: Any) -> tuple[Any, ...]:
    """The tree that groups stand for, in byte order."""
    return tuple(sorted((ply, shape_of(group.below)) for group in groups for ply in group.plies))


@pytest.mark.parametrize(("fen", "options", "_words"), POSITIONS)
def test_the_groups_contain_every_ply(fen: str, options: dict[str, Any], _words: list[str]) -> None:
    tree = solution_tree(fen, **options)
    groups, limit = TreeText(tree)._compared(tree, tree.children, printing._Turn(0, None))
    assert (shape_of(groups), limit) == (tuple(sorted(shape(tree))), None)


@pytest.mark.parametrize("fen", [SIAIUS, FOUR])
def test_large_trees_are_grouped_by_their_replies(fen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If trees are too large to be compared, a reply that ends the game still groups the defences."""
    tree = solution_tree(fen)
    whole = "\n".join(TreeText(tree).lines())
    monkeypatch.setattr(printing, "_COMPARED", 0)
    assert "\n".join(TreeText(tree).lines()).split() == whole.split()


def test_large_trees_are_printed_while_they_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    search = continuations._Wins.after

    def after(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        return search(*args)

    monkeypatch.setattr(printing, "_COMPARED", 20)
    monkeypatch.setattr(continuations._Wins, "after", after)
    lines = TreeText(solution_tree(GYGES)).lines()
    assert next(lines).startswith("1. d6-c6!")
    first = asked
    assert sum(1 for _ in lines) > 50
    assert first < 60 < 1000 < asked


# ---- JSON and records ----


def fields(node: TreeNode) -> list[dict[str, Any]]:
    found = []
    for child in node.children:
        value = [str(share) for share in child.value] if isinstance(child.value, tuple) else child.value
        weight = {} if child.weight is None else {"weight": child.weight}
        row = {"ply": child.ply, "value": value, "distance": child.distance, **weight}
        found.append({**row, "duals": list(child.duals), "children": fields(child)})
    return found


@pytest.mark.parametrize(("fen", "options", "words"), POSITIONS)
def test_json(fen: str, options: dict[str, Any], words: list[str]) -> None:
    result = ringfen("solve", "--tree", "--json", *words, fen)
    (row,) = json_lines(result)
    tree = solution_tree(fen, **options)
    assert (row["tree"], row["tree_complete"], result.exit_code) == (fields(tree), True, 0)
    usual = tree.solution.to_json()
    assert list(row) == [*usual, "tree", "tree_complete"]
    assert {name: row[name] for name in usual if name != "seconds"} == {
        name: value for name, value in usual.items() if name != "seconds"
    }


def test_json_of_tries() -> None:
    (row,) = json_lines(ringfen("solve", "--tries", "--json", SIAIUS))
    empty: dict[str, Any] = {"value": None, "distance": None, "duals": []}
    refutation = {"ply": "a2xa3", **empty, "children": []}
    assert row["tries"] == [{"ply": "a4-a3", **empty, "children": [refutation]}]


@pytest.mark.parametrize(("fen", "options", "words"), POSITIONS)
def test_records(fen: str, options: dict[str, Any], words: list[str]) -> None:
    result = ringfen("solve", "--rgn", *words, fen)
    assert result.exit_code == 0
    assert result.stdout == f"{tree_record(solution_tree(fen, **options))[0]}\n"
    assert parse_record(result.stdout).diagnostics == []


def test_several_positions(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text(f"{SIAIUS}\nnonsense\n{RINGS}\n")
    result = ringfen("solve", "--tree-depth", "2", "--json", "--file", str(file))
    assert [(row["line"], "tree" in row) for row in json_lines(result)] == [(1, True), (2, False), (3, True)]
    assert result.exit_code == 2
    out = tmp_path / "trees.rgn"
    assert ringfen("solve", "--rgn", "--out", str(out), SIAIUS, FOUR).stdout == ""
    assert out.read_text() == ringfen("solve", "--rgn", SIAIUS, FOUR).stdout


def test_a_file_of_trees_continues(tmp_path: Path) -> None:
    file, out = tmp_path / "positions.txt", tmp_path / "trees.jsonl"
    file.write_text(f"{SIAIUS}\n{FOUR}\n{SIAIUS}\n")
    args = ("solve", "--tree", "--tries", "--file", str(file), "--out", str(out))
    first = ringfen(*args)
    assert (first.exit_code, first.stdout) == (0, "")
    answers = sorted(map(json.loads, out.read_text().splitlines()), key=lambda answer: answer["line"])
    shown = json_lines(ringfen("solve", "--tries", "--json", "--file", str(file)))
    names = ("line", "fen", "value", "tree", "tries", "tree_complete")
    assert [{name: row[name] for name in names} for row in answers] == [
        {name: row[name] for name in names} for row in shown
    ]
    lines = out.read_text().splitlines(keepends=True)
    out.write_text(lines[0] + lines[1][:40])
    resumed = ringfen(*args, "--resume")
    assert resumed.exit_code == 0
    assert "1 incomplete or corrupt line" in resumed.stderr
    assert len(out.read_text().splitlines()) == 3
    assert "exists: continue it with --resume" in ringfen(*args).stderr
    assert "other options" in ringfen(*args, "--tree-full", "--resume").stderr
    assert ringfen("answers", str(out)).exit_code == 0
    small = tmp_path / "small.jsonl"
    limited = ("solve", "--tree", "--nodes", "3", GYGES, "--out", str(small))
    assert [ringfen(*limited).exit_code, ringfen(*limited, "--resume").exit_code] == [3, 3]


# ---- limits and errors ----


@pytest.mark.parametrize("form", [[], ["--json"], ["--rgn"]])
def test_a_position_that_is_not_solved(form: list[str]) -> None:
    result = ringfen("solve", "--tree", "--nodes", "3", GYGES, *form)
    assert result.exit_code == 3
    if form == ["--json"]:
        (row,) = json_lines(result)
        assert (row["status"], row["tree"], row["tree_complete"]) == ("unknown", None, False)
    else:
        assert "not known: no forced win" in result.output
        assert "value" in result.stdout or form == ["--rgn"]


def unknown_children(nodes: list[dict[str, Any]] | None) -> int:
    return 1 if nodes is None else sum(unknown_children(node["children"]) for node in nodes)


@pytest.mark.parametrize("form", [[], ["--json"], ["--rgn"]])
def test_a_tree_that_a_limit_cuts_short(form: list[str]) -> None:
    result = ringfen("solve", "--tries", "--nodes", "300", GYGES, *form)
    assert result.exit_code == 3
    assert "the tree is cut short: the limit of nodes was reached" in result.stderr
    if form == ["--json"]:
        (row,) = json_lines(result)
        assert (row["value"], row["tree_complete"]) == ("win", False)
        assert unknown_children(row["tree"]) > 0
    elif form == ["--rgn"]:
        assert parse_record(result.stdout).diagnostics == []
    else:
        assert result.stdout.splitlines()[-1] == "… (cut short: the limit of nodes was reached)"


@pytest.mark.parametrize(("question", "status"), [(["--depth", "3"], 3), (["--until", "1/3"], 0)])
def test_the_exit_status_of_bounds_is_the_same_with_out(tmp_path: Path, question: list[str], status: int) -> None:
    """The tree is complete, but the bounds of a probability answer only the question of ``--until``."""
    args = ("solve", "--tree", "--tree-depth", "1", "--model", "paranoid", *question, GRAN)
    out = str(tmp_path / "trees.jsonl")
    assert [ringfen(*args, *form).exit_code for form in ([], ["--json"], ["--rgn"])] == [status] * 3
    assert ringfen(*args, "--out", out).exit_code == status
    assert ringfen(*args, "--out", out, "--resume").exit_code == status
    (row,) = map(json.loads, Path(out).read_text().splitlines())
    assert (row["status"], row["open"], row["tree_complete"]) == ("bound", "1/3", True)


def test_ctrl_c_ends_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = TreeText.lines

    def interrupted(text: TreeText) -> Iterator[str]:
        signal.raise_signal(signal.SIGINT)
        return lines(text)

    monkeypatch.setattr(TreeText, "lines", interrupted)
    result = ringfen("solve", "--tree", SIAIUS)
    assert result.exit_code == 130
    assert result.stdout.splitlines()[2:] == ["… (cut short: the calculation was cancelled)"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tree", "--wdl"], "--tree and --wdl cannot be combined"),
        (["--tree-full", "--each"], "--tree and --each cannot be combined"),
        (["--tries", "--jobs", "2"], "--tree and --jobs cannot be combined"),
        (["--tree", "--dask", "local"], "--tree and --dask cannot be combined"),
        (["--rgn", "--out", "trees", "--resume"], "--rgn and --resume cannot be combined"),
        (["--tree", "--out", "trees", "--resume", "--retry", "unknown"], "--tree and --retry cannot be combined"),
        (["--rgn", "--json"], "--rgn and --json cannot be combined"),
        (["--tree-depth", "0"], "--tree-depth"),
    ],
)
def test_options_that_cannot_be_combined(words: list[str], message: str) -> None:
    result = ringfen("solve", *words, SIAIUS)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("trees").exists()
