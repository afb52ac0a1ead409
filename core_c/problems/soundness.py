"""Whether a problem is sound: exactly one first ply meets its stipulation, and every other is proven not to.

Cheap tests come first, and each search stops as soon as the answer is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from ringfen._core import lib
from ringfen.control import Limits
from ringfen.errors import LimitReached
from ringfen.position import Position
from ringfen.problems.goals import Goal, Successors, goal_for
from ringfen.problems.stipulation import MAX_MOVES, Stipulation

#: The limit for each position, if none is chosen.
USUAL_NODES: Final = 1_000_000

#: The verdict on a problem.
Status = Literal["sound", "wrong key", "cooked", "not unique", "no solution", "shorter", "undecided"]

#: The number of plies of the first question. Each question has twice as many: the first answers often decide.
_FIRST_CHUNK: Final = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking a problem."""

    fen: str
    stipulation: str
    #: ``sound``; ``wrong key``: only another first ply than the intended one meets the stipulation; ``cooked``: several
    #: first plies meet it; ``not unique``: one does, but others are worse by less than the gap; ``no solution``: none
    #: does; ``shorter``: the win is forced in fewer moves; ``undecided``: a limit was reached.
    status: Status
    #: The only first ply that meets the stipulation; if there are several, the intended one if it is one of them.
    key: str | None = None
    #: The first plies that meet the stipulation besides the key, if there are several.
    cooks: tuple[str, ...] = ()
    #: The first plies that are worse by less than the gap, each with the difference: points or a probability.
    near: tuple[tuple[str, Fraction], ...] = ()
    #: The ply that the composer intends as the key.
    intended: str | None = None
    #: The stipulation that the position meets, if it is known. If the win takes longer, only one more move is tried.
    actual: str | None = None
    #: By how much the other first plies must be worse, if the caller chose it.
    gap: Fraction | None = None
    nodes: int = 0

    @property
    def is_unsound(self) -> bool:
        """Whether the problem is proven not to be sound."""
        return self.status not in ("sound", "undecided")

    def to_json(self) -> dict[str, Any]:
        """Return the fields that ``ringfen problems --check --json`` prints."""
        return {
            "fen": self.fen,
            "stipulation": self.stipulation,
            "status": self.status,
            "key": self.key,
            "cooks": list(self.cooks),
            "near": [{"ply": ply, "less": str(less)} for ply, less in self.near],
            "intended": self.intended,
            "actual": self.actual,
            "gap": None if self.gap is None else str(self.gap),
            "nodes": self.nodes,
        }


def check_problem(
    position: Position | str,
    stipulation: Stipulation | str,
    *,
    intended: str | None = None,
    gap: int | Fraction | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    tables: str | Path | None = None,
) -> Verdict:
    """Check that exactly one first ply of a position meets a stipulation.

    :param position: A position or its text.
    :param stipulation: ``"win in 2"``, ``"best margin 7"`` or ``"best chance 7/18 maxn 8"``.
    :param intended: The ply that the composer intends as the key; None: any.
    :param gap: By how much every other first ply must be worse: points, 1 by default; or a probability, by default any
        difference. It has no meaning for wins.
    :param nodes: Number of positions to visit, at least 1. Without ``seconds`` the default is 1,000,000.
    :param seconds: Wall-clock time, above 0.
    :param tables: The directory of endgame tables; None is the default directory.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds, or does not apply to the game.
    :raises ringfen.RingfenError: A text is not a position, not a stipulation or not a legal ply.
    """
    root = Position.of(position)
    wanted = Stipulation.parse(stipulation) if not isinstance(stipulation, Stipulation) else stipulation
    limits = limits_of(nodes, seconds)
    gap = checked_gap(gap, root.game.value_kind)
    intended = None if intended is None else root.short(intended)
    if wanted.kind != root.game.value_kind:
        raise ValueError(f"{str(wanted)!r} is not a stipulation of {root.game.id}")
    verdict = Verdict(root.fen, str(wanted), "no solution", intended=intended, gap=gap)
    if root.is_over or root.is_chance:
        return verdict
    goal = goal_for(root, limits, gap=gap, tables=tables)
    try:
        verdict = _judged(verdict, goal, wanted)
    except LimitReached:
        verdict = replace(verdict, status="undecided")
    return replace(verdict, nodes=goal.nodes)


def _judged(verdict: Verdict, goal: Goal, wanted: Stipulation) -> Verdict:
    """Return the verdict with the answers of a goal.

    :raises ringfen.LimitReached: The limit comes before the verdict.
    """
    judged, actual = goal.judge(wanted)
    if judged != "met":
        status: Status = "shorter" if judged == "shorter" else "no solution"
        found = actual if status == "shorter" else actual or _one_move_longer(goal, wanted)
        return replace(verdict, status=status, actual=None if found is None else str(found))
    successors = Successors(goal.root)
    less = [(successors.text(at), goal.shortfall(successors, at)) for at in goal.successes(successors, 1)]
    keys = [ply for ply, shortfall in less if shortfall == 0]
    near = tuple((ply, shortfall) for ply, shortfall in less if shortfall > 0)
    verdict = replace(verdict, near=near, actual=str(actual))
    if len(keys) > 1:
        key = verdict.intended if verdict.intended in keys else None
        return replace(verdict, status="cooked", key=key, cooks=tuple(ply for ply in keys if ply != key))
    verdict = replace(verdict, key=keys[0])
    if near:
        return replace(verdict, status="not unique")
    return replace(verdict, status="sound" if verdict.intended in (None, verdict.key) else "wrong key")


def _one_move_longer(goal: Goal, wanted: Stipulation) -> Stipulation | None:
    """Return the stipulation of a win that takes one move more; None if the rest of the limits does not find it."""
    if wanted.kind != "win" or wanted.moves == MAX_MOVES:
        return None
    try:
        return goal.find(wanted.moves + 1, wanted.moves + 1)
    except LimitReached:
        return None


def limits_of(nodes: int | None, seconds: float | None) -> Limits:
    """Return the limits for one position, with the usual number of nodes if nothing is chosen."""
    return Limits(USUAL_NODES if nodes is None and seconds is None else nodes, seconds)


def checked_gap(gap: object, kind: str | None) -> Fraction | None:
    """Return a gap that applies to this kind of values; None is any kind.

    :raises TypeError: It is not a number.
    :raises ValueError: It is not positive, too large, or does not apply.
    """
    if gap is None:
        return None
    if isinstance(gap, bool) or not isinstance(gap, int | Fraction):
        raise TypeError(f"gap must be an int or a Fraction, not {type(gap).__name__}")
    if kind == "win":
        raise ValueError("a win in a number of moves has no gap")
    if gap <= 0:
        raise ValueError(f"gap is above 0, not {gap}")
    if kind == "margin" and (gap != int(gap) or gap > lib.RF_MAX_MARGIN):
        raise ValueError(f"gap is 1 to {lib.RF_MAX_MARGIN} points, not {gap}")
    if kind == "chance" and gap > 1:
        raise ValueError(f"gap is a probability, at most 1, not {gap}")
    return Fraction(gap)


# ---- parts of the proof ----


def only_key(goal: Goal, successors: Successors) -> int | None:
    """Return the index of the only first ply that meets the stipulation of a goal; None if there are several."""
    key: int | None = None
    first, size = 0, _FIRST_CHUNK
    while first < successors.count:
        count = min(size, successors.count - first)
        for offset, is_met in enumerate(goal.meets(successors, first, count, 1)):
            if is_met and key is not None:
                return None
            if is_met:
                key = first + offset
        first, size = first + count, 2 * size
    return key


class SolutionPly(NamedTuple):
    """A ply of a solution. The plies after it follow it, before the next ply with its number or a smaller one."""

    #: The number of plies from the start of the problem, from 1.
    number: int
    ply: str
    #: Whether it is a dual; then no ply follows it.
    is_dual: bool = False


def solution_plies(
    goal: Goal, successors: Successors, key: int, *, duals: bool = True, full: bool = False
) -> tuple[SolutionPly, ...] | None:
    """Return the key and the plies after it: the solver's, with the duals, and every defence that lasts longest.

    The first ply at each position is the main line. Without a win, the solution ends after a few plies.

    :param successors: Those of the root.
    :param key: The index of the key.
    :param duals: If false, the result is None if there is a dual.
    :param full: Include every defence.
    """
    found: list[SolutionPly] = []
    open_ = [(SolutionPly(1, successors.text(key)), successors.after(key))]
    while open_:
        ply, position = open_.pop()
        found.append(ply)
        if ply.is_dual or position.is_over or ply.number >= goal.depth:
            continue
        successors, number = Successors(position), ply.number + 1
        is_own = position.player_number == goal.solver and not position.is_chance
        if is_own:
            indexes = goal.successes(successors, number)
            if len(indexes) > 1 and not duals:
                return None
        elif full:
            indexes = list(range(successors.count))
        else:
            indexes = goal.defences(successors, number)
        after = [
            (SolutionPly(number, successors.text(index), is_own and index != indexes[0]), successors.after(index))
            for index in indexes
        ]
        open_ += reversed(after)
    return tuple(found)


def count_tries(goal: Goal, successors: Successors, key: int) -> int:
    """Return the number of tries among the first plies."""
    others = (index for index in range(successors.count) if index != key)
    return sum(goal.refutation(successors.after(index)) is not None for index in others)
