"""The whole solution of a position as a tree that is searched where it is read."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ringfen.arguments import check_flag, check_progress
from ringfen.control import MAX_PLIES, Budget, ProgressCallback, checked_int
from ringfen.errors import NotSolved
from ringfen.options import (
    SolveKeywords,
    SolveOptions,
    check_options_used,
    chosen_options,
    takes_solve_keywords,
)
from ringfen.position import Position
from ringfen.problems.continuations import Continuation, Continuations, continuations
from ringfen.problems.goals import USUAL_DEPTH
from ringfen.problems.stipulation import Stipulation
from ringfen.solving import solve
from ringfen.solving.solution import Solution

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TreeNode:
    """A ply of a solution, with the position and the value after it. The root of a tree has no ply.

    ``value`` and ``distance`` are for the side to move in ``position``, as in :class:`ringfen.PlyValue`; they are None
    in tries. ``weight`` is the number of cards of a chance result, None for a decision. ``ply_number`` counts the plies
    from the root, whose number is 0.
    """

    __slots__ = (
        "_children",
        "_is_solvers",
        "_siblings",
        "_tree",
        "distance",
        "ply",
        "ply_number",
        "position",
        "value",
        "weight",
    )

    def __init__(
        self,
        tree: SolutionTree | None,
        found: Continuation,
        ply_number: int,
        siblings: tuple[str, ...],
        *,
        is_solvers: bool,
        children: tuple[TreeNode, ...] | None = None,
    ) -> None:
        self._tree = tree
        self._siblings = siblings
        self._is_solvers = is_solvers
        self._children = children
        self.ply: str = found.ply
        self.position = found.position
        self.value = found.value
        self.distance = found.distance
        self.weight = found.weight
        self.ply_number = ply_number

    @property
    def is_solvers(self) -> bool:
        """Whether the winner plays this ply; without a winner, whether the player to move at the root does."""
        return self._is_solvers

    @property
    def is_key(self) -> bool:
        """Whether this is a first ply that meets the stipulation of the tree."""
        is_first = self._is_solvers and self.ply_number == 1
        return is_first and self._tree is not None and self._tree.stipulation is not None

    @property
    def duals(self) -> tuple[str, ...]:
        """The solver's other plies from the same position that are in the tree; empty if another player moves."""
        return tuple(ply for ply in self._siblings if ply != self.ply) if self._is_solvers else ()

    @property
    def is_hopeless(self) -> bool:
        """Whether no player can win within the horizon, so that every later ply keeps the value (GRAN)."""
        return isinstance(self.value, tuple) and not any(self.value)

    @property
    def children(self) -> tuple[TreeNode, ...]:
        """The plies that continue the solution, in byte order. They are searched when they are first read.

        :raises ringfen.LimitReached: A limit of the tree was reached.
        """
        if self._children is None:
            self._children = self.expand()
        return self._children

    def expand(self) -> tuple[TreeNode, ...]:
        """Return :attr:`children` without keeping them, so that a large tree needs little memory."""
        if self._children is not None:
            return self._children
        return () if self._tree is None else self._tree.continued(self)

    def __repr__(self) -> str:
        return f"TreeNode({self.ply!r}, {self.value!r}, {self.distance!r})"


class SolutionTree(TreeNode):
    """The root of the tree of a solution: ``ply`` is empty, and ``children`` are the keys."""

    __slots__ = ("_continuations", "_depth", "_solver", "solution")

    def __init__(self, position: Position, solution: Solution, found: Continuations, depth: int | None) -> None:
        value = solution.value
        if value is None and isinstance(solution.lower, Fraction):
            # An unfinished game counts 0.
            players = range(1, position.players + 1)
            value = tuple(solution.lower if player == solution.player else None for player in players)
        root = Continuation("", position, value, solution.distance)
        super().__init__(None, root, 0, (), is_solvers=False)
        self._tree = self
        self._continuations = found
        self._depth = depth
        self._solver = position.player_number if solution.value != "loss" else 3 - position.player_number
        #: The answer of :func:`ringfen.solve`.
        self.solution = solution

    @property
    def stipulation(self) -> Stipulation | None:
        """What the side to move reaches: a win, or the best margin or probability; None for other values."""
        if self.value == "win" and self.distance:
            return Stipulation("win", moves=self.distance // 2 + 1)
        if isinstance(self.value, int):
            return Stipulation("margin", margin=self.value)
        if isinstance(self.value, tuple) and not self.position.is_chance:
            share, solution = self.value[self.position.player_number - 1], self.solution
            if share is not None and solution.horizon:
                assert solution.model is not None
                return Stipulation("chance", chance=share, horizon=solution.horizon, model=solution.model)
        return None

    def continued(self, node: TreeNode) -> tuple[TreeNode, ...]:
        """Return the nodes after a node of this tree; use :attr:`TreeNode.children`."""
        if node.ply_number == self._depth:
            return ()
        found = self._continuations.after(node.position, node.value, node.distance, node.ply_number)
        siblings = tuple(one.ply for one in found)
        own = node.position.player_number == self._solver and not node.position.is_chance
        return tuple(TreeNode(self, one, node.ply_number + 1, siblings, is_solvers=own) for one in found)

    def tries(self) -> Iterator[TreeNode]:
        """Yield the tries: first plies that fail to exactly one reply, which is their only child.

        :raises ringfen.LimitReached: A limit of the tree was reached.
        """
        for ply, reply in self._continuations.tries():
            after = self.position.apply(ply)
            refutation = TreeNode(None, Continuation(reply, after.apply(reply), None), 2, (reply,), is_solvers=False)
            yield TreeNode(None, Continuation(ply, after, None), 1, (ply,), is_solvers=True, children=(refutation,))


@takes_solve_keywords
def solution_tree(
    position: Position | str,
    options: SolveOptions | None = None,
    *,
    full: bool = False,
    tree_depth: int | None = None,
    progress: ProgressCallback | None = None,
    **chosen: Unpack[SolveKeywords],
) -> SolutionTree:
    """Solve a position and return the tree of its whole solution, which is searched where it is read.

    In a won or lost position the tree contains every ply of the winner that wins in time (counted from the root: within
    2n - 1 plies for a win in n moves, within the distance for a loss), and every ply of the loser that lasts the
    longest. Otherwise it contains the plies of both sides that keep the value, and all results of chance events; under
    ``paranoid`` an unfinished game counts 0. The other keywords are those of :func:`ringfen.solve`. The limits apply to
    the position and the whole tree together.

    :param full: Also include defences that lose sooner.
    :param tree_depth: Maximum number of plies of the tree. None is 6 plies, or in a won or lost position no limit.
    :raises ringfen.NotSolved: A limit was reached before the value was proven; ``.solution`` is the answer found.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds or does not apply to the game, or ``wdl`` or ``each`` is set.
    :raises ringfen.RingfenError: A text is not a position.
    """
    known = chosen_options(options, chosen)
    check_flag("full", full)
    check_progress(progress)
    if tree_depth is not None:
        checked_int("tree_depth", tree_depth, 1, MAX_PLIES)
    start = Position.of(position)
    if options is None:
        check_options_used(known, [start.game])
    if known.wdl or known.each:
        raise ValueError(f"a tree does not go with {'wdl' if known.wdl else 'each'}")
    budget = Budget(known.limits)
    solution = solve(start, known, progress=progress)
    if not is_solved(solution, known):
        raise NotSolved(solution)
    budget.used = solution.nodes
    return tree_of(start, solution, known, budget, full=full, tree_depth=tree_depth)


def is_solved(solution: Solution, options: SolveOptions) -> bool:
    """Return whether a solution has a tree: its value is proven, and in a won or lost position also the distance.

    Under ``paranoid`` the lower bound at the horizon is the value: an unfinished game counts 0.
    """
    return solution.status in ("exact", "horizon") or solution.is_bounded(options)


def tree_of(
    position: Position,
    solution: Solution,
    options: SolveOptions,
    budget: Budget,
    *,
    full: bool = False,
    tree_depth: int | None = None,
) -> SolutionTree:
    """Return the tree of a solved position.

    :param budget: What is left of the limits, for the whole tree.
    """
    depth = USUAL_DEPTH if tree_depth is None and solution.value not in ("win", "loss") else tree_depth
    return SolutionTree(position, solution, continuations(position, solution, options, budget, full=full), depth)
