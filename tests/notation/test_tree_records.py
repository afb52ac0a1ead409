"""Solutions as records: their variations are the tree."""

from __future__ import annotations

from typing import Any

import pytest
from gran_random import SMALL_BOARD

from ringfen import Position, TreeNode, solution_tree
from ringfen.notation import Record, parse_record
from ringfen.notation.record import Node
from ringfen.notation.tree_records import CUT_SHORT, tree_record

WIN = "siaius t1s1/4/M3/4 n - - 0"
#: A win with two keys.
COOKED = "siaius 3s/4/4/S3 s - - 0"
#: A draw that several first plies keep.
DRAW = "siaius 3/1M1/3/c2 n - - 0 huff=off"
#: A position of each game, with options for its tree.
POSITIONS: list[tuple[str, dict[str, Any]]] = [
    (WIN, {}),
    (WIN, {"full": True}),
    ("siaius 2m1/4/2S1/S3 n - - 0", {}),
    ("siaius 3/1s1/1C1/3 n - - 0", {"tree_depth": 2}),
    ("gyges ...1../..2.1./..2.13/.23.../..3.2./.1.3.. n - 1+1", {}),
    ("gyges ..2.../2.3.1./..1.1./21.233/....../...... n 3 1+1", {}),
    ("rings 1..../...../....k/.1.../...K./...../..... s 0+0 0", {"tree_depth": 3}),
]


def nodes_after(record: Record, node: Node | None) -> list[Node]:
    """The plies that a record shows after a ply: the next one, and its variations."""
    following = next(record.mainline(), None) if node is None else node.next
    return [] if following is None else [following, *(line.nodes[0] for line in following.variations)]


def check(record: Record, node: Node | None, children: tuple[TreeNode, ...]) -> None:
    shown = nodes_after(record, node)
    assert [one.ply for one in shown] == [child.ply for child in children]
    for one, child in zip(shown, children, strict=True):
        assert one.position == child.position
        assert bool(child.duals) == any(word in one.comment.split() for word in ("dual", "cook"))
        check(record, one, child.children)


@pytest.mark.parametrize(("fen", "options"), POSITIONS)
def test_the_variations_are_the_tree(fen: str, options: dict[str, Any]) -> None:
    tree = solution_tree(fen, **options)
    record, limit = tree_record(tree)
    read = parse_record(str(record))
    assert (limit, read.diagnostics, read == record, read.start) == (None, [], True, Position(fen))
    assert tree.children != ()
    check(read, None, tree.children)


@pytest.mark.parametrize(
    ("fen", "word", "stipulation"), [(COOKED, "cook", "win in 4"), (DRAW, "dual", None)], ids=["win", "draw"]
)
def test_only_plies_that_meet_a_stipulation_are_keys(fen: str, word: str, stipulation: str | None) -> None:
    """In a draw the first plies that keep it are duals, as ``solve --tree`` prints them."""
    tree = solution_tree(fen, tree_depth=1)
    record, _ = tree_record(tree)
    first = nodes_after(record, None)
    assert len(first) > 1
    assert {node.comment for node in first} == {word}
    assert record.tags.get("Stipulation") == stipulation
    is_key = stipulation is not None
    assert [child.is_key for child in tree.children] == [is_key for _ in first] == [bool(node.nags) for node in first]
    assert not any(attempt.is_key for attempt in tree.tries())


def test_probabilities_of_a_chance_event(tmp_path: Any) -> None:
    (tmp_path / "small.board").write_text(SMALL_BOARD)
    fen = "gran a2:3:TGE/b3:0:UGE/c4:0:TUE a1 c2,e2,a3,c3 1.0.0.0.1.0.0 1 fight board=small seals=4"
    tree = solution_tree(Position(fen, board_path=[tmp_path]), depth=3)
    record, _ = tree_record(tree, board_path=[tmp_path])
    read = parse_record(str(record), board_path=[tmp_path])
    assert (read.diagnostics, read.tags.get("Stipulation")) == ([], None)  # no player chooses the first ply
    check(read, None, tree.children)
    for node, child in zip(nodes_after(read, None), tree.children, strict=True):
        assert isinstance(child.value, tuple)
        assert node.comment == f"[%value {' '.join(map(str, child.value))} maxn 2] weight 1"
        assert node.nags == []


def test_lines_end_where_no_player_can_win() -> None:
    fen = "gran d4:2:-/e2:1:UE/d3:1:TG @2 e1,a2,f3,h5,i5,e7,g7,i7,d8,e8,i8,a9,b9,c9,e9,h9 0.0.3.1.1.1.0 2 move"
    tree = solution_tree(fen, depth=4, tree_depth=3)
    record, _ = tree_record(tree)
    (key,) = nodes_after(record, None)
    results = nodes_after(record, key)
    assert [node.ply for node in results] == [child.ply for child in tree.children[0].children]
    for node, child in zip(results, tree.children[0].children, strict=True):
        assert child.children
        assert [after.ply for after in nodes_after(record, node)] == ([] if child.is_hopeless else ["g2-h2"])


def test_tries_are_variations_of_the_key() -> None:
    tree = solution_tree(WIN)
    record, _ = tree_record(tree, tries=True, Event="Study")
    (key, attempt) = nodes_after(record, None)
    assert (key.ply, key.nags, attempt.ply, attempt.nags) == ("a4-b3", [1], "a4-a3", [2])
    assert [(node.ply, node.nags) for node in nodes_after(record, attempt)] == [("a2xa3", [1])]
    assert (record.tags["Stipulation"], record.tags["Event"], record.result) == ("win in 2", "Study", "0-1")
    assert [node.ply for node in record.mainline()] == ["a4-b3", "a2-a1", "*a1"]


def test_a_lost_position_has_no_stipulation() -> None:
    record, _ = tree_record(solution_tree(POSITIONS[2][0]))
    assert "Stipulation" not in record.tags
    assert record.main.nodes[0].nags == []


def test_a_limit_is_named_in_the_record() -> None:
    tree = solution_tree(POSITIONS[4][0], nodes=300)
    record, limit = tree_record(tree)
    assert limit is not None
    assert record.comments == [CUT_SHORT]
    assert parse_record(str(record)).diagnostics == []
