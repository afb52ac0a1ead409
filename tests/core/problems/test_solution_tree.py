"""Solution trees: every ply and every dual, compared with exhaustive search in plain Python."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

import pytest
from gran_random import SMALL_BOARD, near_end_text, small_board
from gyges_random import random_fen
from reference import gran, gyges, rings, siaius
from rings_random import random_text
from siaius_random import random_position

import ringfen
from ringfen import (
    ImpossiblePositionError,
    LimitReached,
    NotSolved,
    Position,
    RingfenError,
    SolutionTree,
    TreeNode,
    solution_tree,
)

#: A ply, the value and distance of the position after it, its duals and its children.
Shape = tuple[str, Any, int | None, tuple[str, ...], tuple[Any, ...]]


def shape(node: TreeNode) -> Shape:
    assert node.expand() == () or node.children is node.children
    return node.ply, node.value, node.distance, node.duals, tuple(map(shape, node.children))


def others(plies: list[str], ply: str, is_solvers: bool) -> tuple[str, ...]:
    return tuple(other for other in plies if other != ply) if is_solvers else ()


# ---- wins and losses ----


class Wins:
    """Plain search for forced wins over the rules of the reference."""

    def __init__(self, game: ModuleType) -> None:
        self.game = game
        self.forces = cache(self._forces)

    def _forces(self, state: Any, winner: str, within: int) -> bool:
        outcome = self.game.outcome(state)
        if outcome is not None:
            return bool(outcome == winner)
        if within <= 0:
            return False
        after = (self.forces(self.game.apply(state, ply), winner, within - 1) for ply in self.game.plies(state))
        return any(after) if self.game.player(state) == winner else all(after)

    def solve(self, state: Any, within: int) -> tuple[str, int] | None:
        for distance in range(1, within + 1):
            for winner in "sn":
                if self.forces(state, winner, distance):
                    return winner, distance
        return None

    def children(self, state: Any, winner: str, distance: int, left: int, full: bool) -> tuple[Shape, ...]:
        """The expected children of a position that is won in this many plies, and has to be won within ``left``."""
        game = self.game
        if game.outcome(state) is not None:
            return ()
        after = {ply: game.apply(state, ply) for ply in game.plies(state)}
        wins = game.player(state) == winner
        if wins:
            kept = {
                ply: next(n for n in range(left) if self.forces(after[ply], winner, n))
                for ply in after
                if self.forces(after[ply], winner, left - 1)
            }
        else:
            lasts = {ply: next(n for n in range(distance) if self.forces(after[ply], winner, n)) for ply in after}
            kept = {ply: n for ply, n in lasts.items() if full or n == distance - 1}
        return tuple(
            (
                ply,
                "win" if game.player(after[ply]) == winner else "loss",
                last,
                others(list(kept), ply, wins),
                self.children(after[ply], winner, last, left - 1, full),
            )
            for ply, last in sorted(kept.items(), key=lambda item: (0 if wins else -item[1], item[0]))
        )

    def tries(self, state: Any, winner: str, distance: int) -> list[tuple[str, str]]:
        """The first plies that fail to exactly one reply of the other side."""
        game, found = self.game, []
        within = distance if distance % 2 else distance + 1
        if game.player(state) != winner:
            return []
        for ply in game.plies(state):
            after = game.apply(state, ply)
            if game.outcome(after) is None and game.player(after) != winner:
                replies = {reply: game.apply(after, reply) for reply in game.plies(after)}
                failing = [r for r in replies if within < 2 or not self.forces(replies[r], winner, within - 2)]
                if len(failing) == 1:
                    found.append((ply, failing[0]))
        return found


def check_wins(game: ModuleType, text: str, within: int, *, full: bool, **options: Any) -> Counter[str]:
    """Compare the tree of a position with plain search; count what was compared."""
    plain, state = Wins(game), game.parse(text)
    known = plain.solve(state, within)
    if known is None:
        return Counter()
    winner, distance = known
    tree = solution_tree(text, full=full, hash_mb=4, **options)
    # A win in n moves takes up to 2n - 1 plies.
    within = distance | 1 if game.player(state) == winner else distance
    children = plain.children(state, winner, distance, within, full)
    assert (tree.value, tree.distance) == ("win" if game.player(state) == winner else "loss", distance)
    assert tuple(map(shape, tree.children)) == children
    tries = [(node.ply, *(reply.ply for reply in node.children)) for node in tree.tries()]
    assert tries == plain.tries(state, winner, distance)
    return Counter({str(tree.value): 1, f"in {distance}": 1, "tries": len(tries), "duals": bool(children[0][3])})


@pytest.mark.parametrize("full", [False, True])
def test_gyges_as_plain_search(full: bool) -> None:
    rnd, seen = Random(f"tree {full}"), Counter[str]()
    while seen["win"] + seen["loss"] < 16:
        text = random_fen(rnd)
        position = Position(text)
        if sum(map(text.split()[1].count, "123")) <= 5 and not position.is_over and position.perft(2) < 400:
            seen += check_wins(gyges, position.fen, 3, full=full)
    assert min(seen["win"], seen["in 3"], seen["duals"]) > 2


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("depth", [None, 5], ids=["retrograde", "forward"])
def test_siaius_as_plain_search(full: bool, depth: int | None) -> None:
    rnd, seen = Random(f"tree {full}"), Counter[str]()
    while seen["win"] + seen["loss"] < 60:
        text = random_position(rnd, 3, rnd.choice([3, 4]), rnd.choice([2, 3]), "")
        seen += check_wins(siaius, text, 5, full=full, depth=depth)
    assert min(seen["win"], seen["loss"], seen["in 3"], seen["in 4"], seen["in 5"], seen["tries"], seen["duals"]) > 1


def drawn(state: Any, depth: int, graph: Any, solved: Any, mover: str) -> tuple[Shape, ...]:
    kept = [ply for ply in siaius.plies(state) if graph[state][ply] not in solved] if depth else []
    return tuple(
        (
            ply,
            "draw",
            None,
            others(kept, ply, siaius.player(state) == mover),
            drawn(graph[state][ply], depth - 1, graph, solved, mover),
        )
        for ply in kept
    )


@pytest.mark.parametrize("board", ["3/1mC/3/3 n", "3/1M1/3/c2 n", "3/C2/2c s"])
def test_draws_as_plain_retrograde_analysis(board: str) -> None:
    text = f"siaius {board} - - 0 huff=off"
    state = siaius.parse(text)
    graph, solved = siaius.values(state)
    tree = solution_tree(text, tree_depth=3)
    assert tree.value == "draw"
    assert tuple(map(shape, tree.children)) == drawn(state, 3, graph, solved, siaius.player(state)) != ()
    assert list(tree.tries()) == []


# ---- margins ----


@cache
def margin_of(state: Any) -> tuple[int, list[str]]:
    return rings.solve(state, 1000)[:2]


def margins(state: Any, depth: int, mover: str) -> tuple[Shape, ...]:
    margin, best = margin_of(state)
    found = []
    for ply in best if depth else []:
        after = rings.apply(state, ply)
        value = margin if rings.player(after) == rings.player(state) else -margin
        over = None if rings.outcome(after) is None else 0
        duals = others(best, ply, rings.player(state) == mover)
        found.append((ply, value, over, duals, margins(after, depth - 1, mover)))
    return tuple(found)


def tries_of_margin(state: Any) -> list[tuple[str, str]]:
    """The plies after which exactly one reply takes points away."""
    margin = margin_of(state)[0]
    found = []
    for ply in rings.plies(state):
        after = rings.apply(state, ply)
        if rings.outcome(after) is None and rings.player(after) != rings.player(state):
            replies = {reply: rings.apply(after, reply) for reply in rings.plies(after)}
            values = {reply: margin_of(at)[0] for reply, at in replies.items()}
            own = {
                reply: value if rings.player(replies[reply]) == rings.player(state) else -value
                for reply, value in values.items()
            }
            failing = [reply for reply, value in own.items() if value < margin]
            if len(failing) == 1:
                found.append((ply, failing[0]))
    return found


def test_margins_as_exhaustive_search() -> None:
    rnd, seen, tries = Random("trees of margins"), 0, 0
    while seen < 15 or not tries:
        text = random_text(rnd, rings=3, knights=2, bare=rnd.choice([0, 1]))
        try:
            state = rings.parse(text)
            margin_of(state)
            if Position(text).is_over:
                continue
        except (RingfenError, OverflowError, ValueError):
            continue
        seen += 1
        tree = solution_tree(text, tree_depth=3, hash_mb=1)
        assert tuple(map(shape, tree.children)) == margins(state, 3, rings.player(state))
        expected = tries_of_margin(state)
        assert [(node.ply, *(reply.ply for reply in node.children)) for node in tree.tries()] == expected
        tries += len(expected)


# ---- probabilities ----


def chances(state: Any, left: int, depth: int, player: int) -> tuple[tuple[Any, ...], ...]:
    if left == 0 or depth == 0 or gran.outcome(state) is not None:
        return ()
    _, _, best = gran.maxn(state, left)
    is_chance = gran.is_chance(state)
    kept = gran.plies(state) if is_chance else best
    found = []
    for ply in kept:
        after = gran.apply(state, ply)
        value = tuple(gran.maxn(after, left - 1)[0])
        over = None if gran.outcome(after) is None else 0
        weight = gran.weight(state, ply) if is_chance else None
        duals = others(kept, ply, not is_chance and gran.player(state) == player)
        found.append((ply, value, over, weight, duals, chances(after, left - 1, depth - 1, player)))
    return tuple(found)


def chance_shape(node: TreeNode) -> tuple[Any, ...]:
    return node.ply, node.value, node.distance, node.weight, node.duals, tuple(map(chance_shape, node.children))


def test_probabilities_as_plain_expectation() -> None:
    rnd, seen, events = Random("trees of chances"), 0, 0
    board, plain_board = small_board(), gran.Board.parse(SMALL_BOARD, "small")
    while seen < 15:
        text = near_end_text(rnd, board)
        try:
            position = Position.on_board(text, board)
        except ImpossiblePositionError:
            continue
        horizon = next((n for n in (4, 3, 2) if position.perft(n) < 300), None)
        if horizon is None or position.is_over:
            continue
        seen += 1
        state = gran.parse(text, plain_board)
        tree = solution_tree(position, depth=horizon, tree_depth=3)
        assert tree.value == tuple(gran.maxn(state, horizon)[0])
        expected = chances(state, horizon, 3, gran.player(state))
        assert tuple(map(chance_shape, tree.children)) == expected
        events += any(node.weight is not None for child in tree.children for node in (child, *child.children))
        check_paranoid(position, state, horizon)
    assert events > 1


def check_paranoid(position: Position, state: Any, horizon: int) -> None:
    player = gran.player(state)
    tree = solution_tree(position, depth=horizon, model="paranoid", tree_depth=3)
    is_exact = tree.solution.status == "exact"
    if is_exact:
        horizon = next(n for n in range(horizon + 1) if len(set(gran.paranoid(state, n, player)[:2])) == 1)
    value, _, best = gran.paranoid(state, horizon, player)
    assert tree.value == tuple(value if number == player else None for number in range(1, position.players + 1))
    if gran.is_chance(state):
        assert tree.stipulation is None
        return
    assert str(tree.stipulation) == f"best chance {value} paranoid {horizon}"
    if is_exact:
        assert [node.ply for node in tree.children] == best
        assert all(node.value[player - 1] == value for node in tree.children if isinstance(node.value, tuple))
        assert Fraction(value) == tree.solution.lower
    else:
        assert tuple(map(chance_shape, tree.children)) == paranoid_chances(state, horizon, 3, player)


def paranoid_chances(state: Any, left: int, depth: int, player: int) -> tuple[tuple[Any, ...], ...]:
    """The plies after which a player's probability stays the same if an unfinished game counts 0."""
    if left == 0 or depth == 0 or gran.outcome(state) is not None:
        return ()
    is_chance, here = gran.is_chance(state), gran.paranoid(state, left, player)[0]
    after = {ply: gran.apply(state, ply) for ply in gran.plies(state)}
    values = {ply: gran.paranoid(at, left - 1, player)[0] for ply, at in after.items()}
    kept = [ply for ply in after if is_chance or values[ply] == here]
    return tuple(
        (
            ply,
            tuple(values[ply] if number == player else None for number in range(1, 1 + len(state.figures))),
            None if gran.outcome(after[ply]) is None else 0,
            gran.weight(state, ply) if is_chance else None,
            others(kept, ply, not is_chance and gran.player(state) == player),
            paranoid_chances(after[ply], left - 1, depth - 1, player),
        )
        for ply in kept
    )


# ---- limits and arguments ----

WIN = "gyges ...1../..2.1./..2.13/.23.../..3.2./.1.3.. n - 1+1"


def test_the_root() -> None:
    tree = solution_tree(WIN)
    assert isinstance(tree, SolutionTree)
    assert (tree.ply, tree.value, tree.distance, tree.duals, tree.ply_number) == ("", "win", 5, (), 0)
    assert [node.ply for node in tree.children] == list(tree.solution.best) == list(ringfen.solve(WIN).best)
    assert tree.children[0].duals == tuple(tree.solution.best[1:])
    assert tree.children[0].children[0].duals == ()


def test_a_finished_position_has_no_plies() -> None:
    over = Position("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1").apply("a5-S")
    assert solution_tree(over).children == ()


def test_tree_depth_limits_a_win() -> None:
    tree = solution_tree(WIN, tree_depth=2)
    assert [node.children for key in tree.children for node in key.children] == [()] * 4


def all_nodes(node: TreeNode) -> int:
    return 1 + sum(map(all_nodes, node.expand()))


def test_the_node_limit_covers_the_whole_tree() -> None:
    used = ringfen.solve(WIN).nodes
    with pytest.raises(NotSolved):
        solution_tree(WIN, nodes=3)
    tree = solution_tree(WIN, nodes=used + 20)
    assert tree.value == "win"
    with pytest.raises(LimitReached):
        all_nodes(tree)
    assert all_nodes(solution_tree(WIN, nodes=used + 100_000)) == all_nodes(solution_tree(WIN)) > 1000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wdl": True}, "a tree does not go with wdl"),
        ({"each": True}, "a tree does not go with each"),
        ({"tree_depth": 0}, "tree_depth is 1 to"),
        ({"model": "paranoid"}, "model is not an option of"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solution_tree(WIN, **options)


def test_tables_give_the_same_tree(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("tables")
    with ringfen.Tablebase(directory) as tables:
        tables.build("siaius", files=3, ranks=4, stones=2)
    text = "siaius 1m1/3/3/1S1 s - - 0"
    with_tables = solution_tree(text, tables=directory, full=True, tree_depth=4)
    without = solution_tree(text, full=True, tree_depth=4)
    assert tuple(map(shape, with_tables.children)) == tuple(map(shape, without.children)) != ()
    assert with_tables.solution.nodes == 0 < without.solution.nodes
    limited = solution_tree(text, tables=directory, full=True, nodes=50)
    assert limited.solution.status == "exact"
    with pytest.raises(LimitReached):
        all_nodes(limited)
