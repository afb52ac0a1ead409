"""Problems against the plain references, ply by ply, and problems with planted errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from random import Random
from types import ModuleType
from typing import Any

import pytest
import rings_random
from gran_random import SMALL_BOARD, near_end_text, small_board
from reference import gran as plain_gran
from reference import gyges as plain_gyges
from reference import rings as plain_rings
from reference import siaius as plain_siaius

from ringfen import ImpossiblePositionError, Limits, Position, RingfenError, TreeNode, solution_tree
from ringfen.problems.goals import Successors, goal_for
from ringfen.problems.mining import Problem, ProblemOptions, examine
from ringfen.problems.soundness import check_problem, only_key, solution_plies
from ringfen.problems.stipulation import Stipulation
from ringfen.rules.gran.board import default_board

#: A problem with duals: the only way to the ring ends on its dragon e3; then the extra move reaches two cities.
DUAL_IN_GRAN = "gran c3:1:TE/a2:3:-/d4:3:- e3 - 1.0.0.1.1.0.1 1 move board=small"


class PlainWins:
    """Wins by exhaustive search with a plain reference, straight from the definitions."""

    def __init__(self, plain: ModuleType, fen: str, longest: int) -> None:
        self.plain = plain
        self.root = plain.parse(fen)
        self.winner = plain.player(self.root)
        self.forces: Callable[[Any, int], bool] = lru_cache(None)(self._forces)
        self.moves = next((n for n in range(1, longest + 1) if self.forces(self.root, 2 * n - 1)), 0)
        self.within = 2 * self.moves - 1

    def _forces(self, state: Any, plies: int) -> bool:
        plain = self.plain
        if plain.outcome(state) is not None or plies <= 0:
            return bool(plain.outcome(state) == self.winner)
        after = (self.forces(plain.apply(state, ply), plies - 1) for ply in plain.plies(state))
        return any(after) if plain.player(state) == self.winner else all(after)

    def winning(self, state: Any, within: int) -> list[str]:
        return [ply for ply in self.plain.plies(state) if self.forces(self.plain.apply(state, ply), within - 1)]

    def distance(self, state: Any) -> int:
        return next(n for n in range(self.within + 1) if self.forces(state, n))

    def duals(self, state: Any, within: int, *, full: bool) -> int:
        """The number of other winning plies below a position; below a choice, only the first ply continues."""
        plain = self.plain
        if plain.outcome(state) is not None:
            return 0
        after = {ply: plain.apply(state, ply) for ply in plain.plies(state)}
        if plain.player(state) == self.winner:
            winning = self.winning(state, within)
            return len(winning) - 1 + self.duals(after[winning[0]], within - 1, full=full)
        last = max(self.distance(child) for child in after.values())
        return sum(
            self.duals(child, within - 1, full=full) for child in after.values() if full or self.distance(child) == last
        )

    def tries(self, key: str) -> int:
        plain, count = self.plain, 0
        for ply in plain.plies(self.root):
            after = plain.apply(self.root, ply)
            if ply == key or plain.outcome(after) is not None or plain.player(after) == self.winner:
                continue
            replies = [plain.apply(after, reply) for reply in plain.plies(after)]
            left = self.within - 2
            count += sum(left < 0 or not self.forces(reply, left) for reply in replies) == 1
        return count

    def problem(self) -> tuple[Any, ...] | None:
        """The stipulation, the key, and the numbers of plies, tries and duals."""
        keys = self.winning(self.root, self.within) if self.moves > 1 else []
        if len(keys) != 1 or len(self.plain.plies(self.root)) < 2:
            return None
        duals = self.duals(self.plain.apply(self.root, keys[0]), self.within - 1, full=False)
        legal = len(self.plain.plies(self.root))
        return f"win in {self.moves}", keys[0], legal, self.tries(keys[0]), duals

    def has_dual(self, key: str) -> bool:
        return self.duals(self.plain.apply(self.root, key), self.within - 1, full=True) > 0


def facts(problem: Problem | None) -> tuple[Any, ...] | None:
    if problem is None:
        return None
    return problem.stipulation, problem.key, problem.legal, problem.tries, problem.duals


def gyges_text(rnd: Random) -> str:
    squares = [list("......") for _ in range(6)]
    for height in rnd.choice(("123", "1123", "233", "1223")):
        rank, file = rnd.randrange(6), rnd.randrange(6)
        squares[rank][file] = height
    return f"gyges {'/'.join(map(''.join, squares))} {rnd.choice('sn')} - 1+1"


def siaius_text(rnd: Random) -> str:
    squares = [list("....") for _ in range(4)]
    for stone in rnd.choice(("SmT", "Cst", "SMt", "CCm", "Sc", "MTs")):
        squares[rnd.randrange(4)][rnd.randrange(4)] = stone
    ranks = ["".join(str(len(run)) if run[0] == "." else run for run in _runs(row)) for row in squares]
    return f"siaius {'/'.join(ranks)} {rnd.choice('sn')} - - 0"


def _runs(row: list[str]) -> list[str]:
    runs: list[str] = []
    for square in row:
        if square == "." and runs and runs[-1][0] == ".":
            runs[-1] += "."
        else:
            runs.append(square)
    return runs


def valid(text: Callable[[Random], str], seed: str, count: int) -> list[Position]:
    rnd, found = Random(seed), list[Position]()
    while len(found) < count:
        try:
            position = Position(text(rnd))
        except ImpossiblePositionError:
            continue
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize(
    ("text", "plain", "count", "longest"),
    [(gyges_text, plain_gyges, 40, 2), (siaius_text, plain_siaius, 100, 3)],
    ids=["gyges", "siaius"],
)
def test_wins_are_those_of_an_exhaustive_search(
    text: Callable[[Random], str], plain: ModuleType, count: int, longest: int
) -> None:
    found = 0
    for position in valid(text, f"problems {plain.__name__}", count):
        expected = PlainWins(plain, position.fen, longest)
        facts_of = {
            sound: facts(examine(position, ProblemOptions(length=(2, longest), sound=sound)).problem)
            for sound in ("key", "line", "full")
        }
        known = expected.problem()
        assert facts_of["key"] == known, position.fen
        assert facts_of["line"] == (known if known is not None and known[-1] == 0 else None), position.fen
        is_full = known is not None and known[-1] == 0 and not expected.has_dual(known[1])
        assert facts_of["full"] == (known if is_full else None), position.fen
        found += known is not None
    assert found >= 3


def test_margins_are_those_of_an_exhaustive_search() -> None:
    rnd, found, gaps = Random("problems rings"), 0, 0
    for _ in range(250):
        try:
            position = Position(rings_random.random_text(rnd, rings=3, knights=2, bare=0))
        except ImpossiblePositionError:
            continue
        if position.is_over or not re.search(r"[135]", re.sub(r"\(\d+\)", "", position.fen.split()[1])):
            continue
        state = plain_rings.parse(position.fen)
        try:
            values = {ply: -_margin(plain_rings.apply(state, ply), state.side) for ply in plain_rings.plies(state)}
        except OverflowError:
            continue
        best = -min(values.values())
        for gap in (1, 2):
            keys = [ply for ply, value in values.items() if -value > best - gap]
            problem = examine(position, ProblemOptions(length=(1, 3), gap=gap)).problem
            if len(keys) == 1 and len(values) > 1:
                assert problem is not None
                assert (problem.stipulation, problem.key) == (f"best margin {best}", keys[0])
                found += 1
                gaps += gap == 2
            else:
                assert problem is None, position.fen
    assert found > gaps >= 5


def _margin(state: plain_rings.State, side: str) -> int:
    margin = plain_rings.solve(state, 3000)[0]
    return margin if state.side == side else -margin


def test_chances_are_those_of_an_exhaustive_search() -> None:
    rnd, found, seen = Random("problems gran"), 0, 0
    while seen < 30:
        try:
            position = Position.on_board(near_end_text(rnd, default_board()), default_board())
        except ImpossiblePositionError:
            continue
        if position.is_over or position.is_chance:
            continue
        seen += 1
        state = plain_gran.parse(position.fen)
        expected = None
        for horizon in (1, 2):
            value, _, best = plain_gran.maxn(state, horizon)
            chance = value[state.player - 1]
            if chance > 0:
                if len(best) == 1 and len(plain_gran.plies(state)) > 1:
                    expected = f"best chance {chance} maxn {horizon}", best[0]
                break
        problem = examine(position, ProblemOptions(length=(1, 2))).problem
        assert (None if problem is None else (problem.stipulation, problem.key)) == expected, position.fen
        found += problem is not None
    assert found >= 2


def duals_in(tree: TreeNode, solver: int) -> int:
    """The number of other plies of the solver below a ply; below a choice, only the first ply continues."""
    children = tree.children
    if not children:
        return 0
    if tree.position.player_number == solver:
        return len(children) - 1 + duals_in(children[0], solver)
    return sum(duals_in(child, solver) for child in children)


def test_the_keys_and_duals_of_a_tree_are_those_of_a_problem() -> None:
    """A win in n takes up to 2n - 1 plies: if the fastest in Siaius takes one ply less, a slower ply is a cook too."""
    slower = 0
    for position in valid(siaius_text, "trees", 60):
        solution = position.solve(depth=5)
        if solution.value != "win" or not solution.distance:
            continue
        tree = solution_tree(position, depth=5)
        verdict = check_problem(position, str(tree.stipulation))
        assert [key.ply for key in tree.children] == list(verdict.cooks or [verdict.key]), position.fen
        slower += len(tree.children) > len(solution.best)
        problem = examine(position, ProblemOptions(length=(1, 3))).problem
        if problem is not None:
            assert duals_in(tree.children[0], position.player_number) == problem.duals
    assert slower > 2


def full_duals(position: Position, problem: Problem) -> tuple[int, int]:
    """The number of duals of a problem after all defences, as ``--sound full`` and as ``--tree-full`` count them."""
    stipulation = Stipulation.parse(problem.stipulation)
    goal = goal_for(position, Limits())
    assert goal.judge(stipulation)[0] == "met"
    successors = Successors(position)
    key = only_key(goal, successors)
    assert key is not None
    found = solution_plies(goal, successors, key, full=stipulation.kind == "win")
    assert found is not None
    tree = solution_tree(position, full=True, depth=stipulation.horizon or None)
    (root,) = [node for node in tree.children if node.ply == problem.key]
    return sum(ply.is_dual for ply in found), duals_after(root, position.player_number)


def duals_after(node: TreeNode, solver: int) -> int:
    """The duals below a ply; below a choice, and below a ply that the model chooses, only the first ply continues."""
    children, position = node.children, node.position
    if not children or node.is_hopeless:
        return 0
    if position.player_number == solver and not position.is_chance:
        return len(children) - 1 + duals_after(children[0], solver)
    is_model = position.game.value_kind == "chance" and not position.is_chance
    return sum(duals_after(child, solver) for child in (children[:1] if is_model else children))


@pytest.mark.parametrize(
    ("text", "plain", "count", "planted"),
    [
        (gyges_text, plain_gyges, 20, "gyges ....../....2./3...../...2../....../.1.... n - 1+1"),
        (siaius_text, plain_siaius, 100, "siaius 4/1t1s/3C/4 n - - 0"),
    ],
    ids=["gyges", "siaius"],
)
def test_duals_of_wins_after_shorter_defences_too(
    text: Callable[[Random], str], plain: ModuleType, count: int, planted: str
) -> None:
    """A slower win after a shorter defence is a dual as well: it is in time."""
    more = 0
    for position in [Position(planted), *valid(text, f"full duals {plain.__name__}", count)]:
        longest = 3 if position.fen == planted or plain is plain_siaius else 2
        problem = examine(position, ProblemOptions(length=(2, longest))).problem
        if problem is not None:
            expected = PlainWins(plain, position.fen, longest)
            after = plain.apply(expected.root, problem.key)
            duals = expected.duals(after, expected.within - 1, full=True)
            assert full_duals(position, problem) == (duals, duals), position.fen
            more += duals > (problem.duals or 0)
    assert more >= 1


def test_duals_of_margins() -> None:
    rnd, found = Random("duals rings"), 0
    texts = (rings_random.random_text(rnd, rings=2, knights=2, bare=0) for _ in range(150))
    for text in ("rings k..../...../....1/...../..K(11)../...k(1)./..... n 1+0 0", *texts):
        try:
            position = Position(text)
        except ImpossiblePositionError:
            continue
        problem = None if position.is_over else examine(position, ProblemOptions(length=(1, 3))).problem
        if problem is None:
            continue
        state = plain_rings.parse(position.fen)
        try:
            duals = margin_duals(plain_rings.apply(state, problem.key), state.side, 5)
        except OverflowError:
            continue
        assert (problem.duals, *full_duals(position, problem)) == (duals, duals, duals), position.fen
        found += duals > 0
    assert found >= 1


def margin_duals(state: plain_rings.State, side: str, left: int) -> int:
    if left == 0 or plain_rings.outcome(state) is not None:
        return 0
    margin = _margin(state, side)
    after = [plain_rings.apply(state, ply) for ply in plain_rings.plies(state)]
    kept = [child for child in after if _margin(child, side) == margin]
    if state.side == side:
        return len(kept) - 1 + margin_duals(kept[0], side, left - 1)
    return sum(margin_duals(child, side, left - 1) for child in kept)


def test_duals_of_chances() -> None:
    rnd, found, board = Random("duals gran"), 0, small_board()
    plain_board = plain_gran.Board.parse(SMALL_BOARD, "small")
    for text in (DUAL_IN_GRAN, *(near_end_text(rnd, board) for _ in range(150))):
        try:
            position = Position.on_board(text, board)
        except ImpossiblePositionError:
            continue
        problem = examine(position, ProblemOptions(length=(1, 3))).problem
        if problem is None:
            continue
        state = plain_gran.parse(text, plain_board)
        after = plain_gran.apply(state, problem.key)
        duals = chance_duals(after, state.player, Stipulation.parse(problem.stipulation).horizon - 1)
        assert (problem.duals, *full_duals(position, problem)) == (duals, duals, duals), position.fen
        found += duals > 0
    assert found >= 1


def chance_duals(state: plain_gran.State, solver: int, left: int) -> int:
    if left == 0 or plain_gran.outcome(state) is not None:
        return 0
    value, _, best = plain_gran.maxn(state, left)
    if plain_gran.is_chance(state):
        results = [plain_gran.apply(state, ply) for ply in plain_gran.plies(state)]
        return sum(chance_duals(result, solver, left - 1) for result in results)
    own = state.player == solver
    if value[solver - 1] == 0:
        return 0
    return (len(best) - 1 if own else 0) + chance_duals(plain_gran.apply(state, best[0]), solver, left - 1)


def test_tries_are_the_same_in_a_tree() -> None:
    """A first ply after which the same side moves again has no reply; in a win in 1 every reply refutes."""
    tries = {1: 0, 2: 0, 3: 0}
    for position in valid(siaius_text, "tries", 120):
        problem = examine(position, ProblemOptions(length=(1, 3))).problem
        if problem is not None:
            moves = Stipulation.parse(problem.stipulation).moves
            assert len(list(solution_tree(position).tries())) == problem.tries, position.fen
            assert PlainWins(plain_siaius, position.fen, 3).tries(problem.key) == problem.tries, position.fen
            tries[moves] += problem.tries
    assert min(tries[2], tries[3]) > 0


def test_a_limit_in_the_search_for_tries_keeps_a_proven_problem() -> None:
    """The key is proven, so the problem stays; the tries are not known, and a condition on them is undecided."""
    whole = examine(Position(SOUND), ProblemOptions())
    assert whole.problem is not None
    found = set()
    for nodes in range(whole.problem.nodes, 0, -max(1, whole.problem.nodes // 40)):
        limits = Limits(nodes=nodes)
        examined = examine(Position(SOUND), ProblemOptions(limits=limits))
        if examined.problem is not None:
            assert (examined.problem.key, examined.problem.stipulation) == (whole.problem.key, "win in 2")
            found.add((examined.problem.duals, examined.problem.tries))
            if examined.problem.tries is None:
                assert examine(Position(SOUND), ProblemOptions(min_tries=1, limits=limits)).is_undecided
            if examined.problem.duals is None:
                assert [ply.ply for ply in examined.problem.solution] == [whole.problem.key]
                assert examine(Position(SOUND), ProblemOptions(sound="line", limits=limits)).is_undecided
    assert {(whole.problem.duals, whole.problem.tries), (whole.problem.duals, None), (None, None)} >= found
    assert (whole.problem.duals, None) in found


def test_games_of_chance_have_no_tries() -> None:
    with pytest.raises(ValueError, match="gran has no tries"):
        examine(Position("gran"), ProblemOptions(min_tries=1))


# ---- planted errors ----

#: A win in 2 with the key d6xe4-b2.
SOUND = "gyges ...3../..1.../1.2221/33..21/....../3..... n - 1+1"
#: The same with one ring elsewhere.
COOKED = "gyges ...3../..1.../1.2221/33...1/....../3...2. n - 1+1"


def test_a_sound_problem() -> None:
    verdict = check_problem(SOUND, "win in 2")
    assert (verdict.status, verdict.key, verdict.cooks, verdict.actual) == ("sound", "d6xe4-b2", (), "win in 2")


def test_a_shorter_win_is_found() -> None:
    verdict = check_problem(SOUND, "win in 3")
    assert (verdict.status, verdict.key, verdict.actual) == ("shorter", None, "win in 2")
    assert verdict.is_unsound


def test_no_solution_is_found() -> None:
    verdict = check_problem(SOUND, "win in 1")
    assert (verdict.status, verdict.actual) == ("no solution", "win in 2")
    assert check_problem(SOUND, "win in 1", nodes=1).actual is None


def test_another_key_than_the_intended_one_is_unsound() -> None:
    assert check_problem(SOUND, "win in 2", intended="d6xe4-b2").status == "sound"
    verdict = check_problem(SOUND, "win in 2", intended="d6xe4-c2")
    assert (verdict.status, verdict.key, verdict.intended) == ("wrong key", "d6xe4-b2", "d6xe4-c2")
    assert verdict.is_unsound
    cooked = check_problem(COOKED, "win in 2", intended="d6xe4-b2")
    assert (cooked.status, cooked.key, cooked.cooks) == ("cooked", "d6xe4-b2", ("d6xf3-f5",))
    with pytest.raises(RingfenError, match="z9"):
        check_problem(SOUND, "win in 2", intended="z9-a1")


def test_all_cooks_are_found() -> None:
    """With another ring elsewhere, a second ply wins in two moves too."""
    verdict = check_problem(COOKED, "win in 2")
    wins = [ply for ply, after in Position(COOKED).successors() if after.solve(depth=2).distance == 2]
    assert len(wins) > 1
    assert (verdict.status, verdict.key, verdict.cooks) == ("cooked", None, tuple(wins))
    assert verdict.is_unsound


#: Positions with two keys, in each game.
TWO_KEYS = [
    ("gyges ....../..3.../..1.../....../...2.2/...1.. n - 1+1", "win in 3", ("c5-e4", "c5xc4-e2")),
    ("siaius 4/1t1M/4/2S1 s - - 0", "win in 2", ("c1-c2", "d3-c4")),
    ("rings ...../...1K(31)/..K../....3/.k.../k(11)..../..... s 0+0 0", "best margin 6", ("c5-d6", "e6-e4")),
    ("gran g4:3:TU/e4:3:TG/c4:3:- @1 h4,a8,d8 2.0.4.6.6.4.2 1 move", "best chance 7/12 maxn 3", ("g4-g2", "g4-h3")),
]


@pytest.mark.parametrize(("fen", "stipulation", "keys"), TWO_KEYS)
def test_a_planted_cook_is_found_in_each_game(fen: str, stipulation: str, keys: tuple[str, ...]) -> None:
    verdict = check_problem(fen, stipulation)
    assert (verdict.status, verdict.cooks) == ("cooked", keys)
    assert examine(Position(fen), ProblemOptions(length=(1, 3))).problem is None


#: Sound problems, and other stipulations with the verdicts on them.
OTHERS = [
    ("gyges ....../1...../3...../....../..22../..1... n - 1+1", "win in 2", "win in 3", "shorter"),
    ("siaius 2t1/4/4/M1S1 s - - 0", "win in 3", "win in 4", "shorter"),
    (
        "rings ...k(11)./...../.3..K/K(31)..../.k.../..1../..... s 0+0 0",
        "best margin -2",
        "best margin -3",
        "no solution",
    ),
]


@pytest.mark.parametrize(("fen", "stipulation", "other", "status"), OTHERS)
def test_another_value_and_a_dual_are_found(fen: str, stipulation: str, other: str, status: str) -> None:
    verdict = check_problem(fen, other)
    assert (verdict.status, verdict.actual) == (status, stipulation)
    assert check_problem(fen, stipulation).status == "sound"
    problem = examine(Position(fen), ProblemOptions(length=(1, 3))).problem
    assert problem is not None
    assert problem.duals
    assert examine(Position(fen), ProblemOptions(length=(1, 3), sound="line")).problem is None


def test_a_planted_dual_is_found_in_gran() -> None:
    """The only way to the ring ends on its dragon e3. After a won fight, the extra move reaches two cities."""
    for fen, duals in ((DUAL_IN_GRAN, True), (DUAL_IN_GRAN.replace(":TE", ":TU"), False)):
        position = Position.on_board(fen, small_board())
        problem = examine(position, ProblemOptions(length=(1, 3))).problem
        assert problem is not None
        assert (problem.key, bool(problem.duals)) == ("c3-e3", duals)
        verdict = check_problem(position, problem.stipulation)
        assert (verdict.status, verdict.key) == ("sound", "c3-e3")
        assert [ply.ply[:2] for ply in problem.solution if ply.is_dual] == ["e3"] * (problem.duals or 0)
        without = examine(position, ProblemOptions(length=(1, 3), sound="line")).problem
        assert (without is None) == duals


def test_a_limit_leaves_a_problem_undecided() -> None:
    verdict = check_problem(SOUND, "win in 2", nodes=20)
    assert (verdict.status, verdict.is_unsound, verdict.key) == ("undecided", False, None)
    examined = examine(Position(SOUND), ProblemOptions(limits=Limits(nodes=20)))
    assert examined.is_undecided
    assert examined.problem is None


@pytest.mark.parametrize(
    "text",
    ["", "win in 02", "win in -1", "best margin", "best margin +3", "best chance 1/2 max 4", "mate in 2"],
)
def test_a_malformed_stipulation_is_rejected(text: str) -> None:
    with pytest.raises(RingfenError, match="a stipulation is"):
        Stipulation.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("win in 0", "the number of moves is 1 to 100, not 0"),
        ("win in 101", "the number of moves is 1 to 100, not 101"),
        ("best margin -101", "a margin is -100 to 100, not -101"),
        ("best chance 3/2 maxn 4", "a probability is at most 1, not 3/2"),
        ("best chance 1/2 maxn 0", "the horizon is 1 to 255, not 0"),
        ("best chance 1/2 paranoid 256", "the horizon is 1 to 255, not 256"),
    ],
)
def test_a_number_that_is_out_of_range_is_named(text: str, message: str) -> None:
    with pytest.raises(RingfenError, match=f"^{message}$"):
        Stipulation.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "best chance 1/2 paranoid 4",
        "win in 2",
        "win in 100",
        "best margin 0",
        "best margin -7",
        "best chance 7/18 maxn 8",
        "best chance 1 maxn 1",
    ],
)
def test_a_stipulation_is_written_as_it_is_read(text: str) -> None:
    assert str(Stipulation.parse(text)) == text


def test_wrong_arguments_are_rejected() -> None:
    with pytest.raises(ValueError, match="'best margin 7' is not a stipulation of gyges"):
        check_problem(SOUND, "best margin 7")
    with pytest.raises(ValueError, match="has no gap"):
        check_problem(SOUND, "win in 2", gap=2)
    with pytest.raises(TypeError, match="gap must be an int or a Fraction"):
        check_problem("rings", "best margin 7", gap="2")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at most 1"):
        check_problem("gran", "best chance 1 maxn 2", gap=Fraction(3, 2))
