"""Whether a problem is sound: exactly one first ply meets its stipulation, and every other is proven not to.

Cheap tests come first, and each search stops as soon as the answer is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from ringfen._core import lib
from ringfen.control import Limits
from ringfen.errors import LimitReached
from ringfen.position import Position
from ringfen.problems.goals import Goal, Successors, goal_for
from ringfen.problems.stipulation import Stipulation

#: The limit for each position, if none is chosen.
USUAL_NODES: Final = 1_000_000

#: The verdict on a problem.
Status = Literal["sound", "cooked", "no solution", "shorter", "undecided"]

#: The number of plies of the first question. Each question has twice as many: the first answers often decide.
_FIRST_CHUNK: Final = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking a problem."""

    fen: str
    stipulation: str
    #: ``sound``; ``cooked``: several first plies meet the stipulation; ``no solution``: none does; ``shorter``: the win
    #: is forced in fewer moves; ``undecided``: a limit was reached.
    status: Status
    #: The only first ply that meets the stipulation, if the problem is sound.
    key: str | None = None
    #: All first plies that meet the stipulation, if there are several.
    cooks: tuple[str, ...] = ()
    #: The stipulation that the position meets, if it is known.
    actual: str | None = None
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
            "actual": self.actual,
            "nodes": self.nodes,
        }


def check_problem(
    position: Position | str,
    stipulation: Stipulation | str,
    *,
    gap: int | Fraction | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    tables: str | Path | None = None,
) -> Verdict:
    """Check that exactly one first ply of a position meets a stipulation.

    :param position: A position or its text.
    :param stipulation: ``"win in 2"``, ``"best margin 7"`` or ``"best chance 7/18 maxn 8"``.
    :param gap: By how much every other first ply must be worse: points, 1 by default; or a probability, by default any
        difference. It has no meaning for wins.
    :param nodes: Number of positions to visit, at least 1. Without ``seconds`` the default is 1,000,000.
    :param seconds: Wall-clock time, above 0.
    :param tables: The directory of endgame tables; None is the default directory.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds, or does not apply to the game.
    :raises ringfen.RingfenError: A text is not a position or not a stipulation.
    """
    root = Position.of(position)
    wanted = Stipulation.parse(stipulation) if not isinstance(stipulation, Stipulation) else stipulation
    limits = limits_of(nodes, seconds)
    gap = checked_gap(gap, root.game.value_kind)
    if wanted.kind != root.game.value_kind:
        raise ValueError(f"{str(wanted)!r} is not a stipulation of {root.game.id}")
    if root.is_over or root.is_chance:
        return Verdict(root.fen, str(wanted), "no solution")
    goal = goal_for(root, limits, gap=gap, tables=tables)
    status: Status = "undecided"
    keys: list[str] = []
    actual: Stipulation | None = None
    try:
        judged, actual = goal.judge(wanted)
        if judged == "met":
            successors = Successors(root)
            kept = goal.keeps(successors, 0, successors.count, 1)
            keys = [successors.text(index) for index, is_kept in enumerate(kept) if is_kept]
            status = "sound" if len(keys) == 1 else "cooked"
        else:
            status = "shorter" if judged == "shorter" else "no solution"
    except LimitReached:
        status, keys = "undecided", []
    return Verdict(
        root.fen,
        str(wanted),
        status,
        key=keys[0] if status == "sound" else None,
        cooks=tuple(keys) if status == "cooked" else (),
        actual=None if actual is None else str(actual),
        nodes=goal.nodes,
    )


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
        raise TypeError(f"gap is an int or a Fraction, not {type(gap).__name__}")
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
        for offset, is_kept in enumerate(goal.keeps(successors, first, count, 1)):
            if is_kept and key is not None:
                return None
            if is_kept:
                key = first + offset
        first, size = first + count, 2 * size
    return key


def count_duals(goal: Goal, position: Position, used: int, most: int | None, *, full: bool) -> int:
    """Return the number of plies, besides the first, with which the solver also succeeds after a longest defence.

    :param used: The number of plies between the root and the position.
    :param most: The count stops when it exceeds this number.
    :param full: After any defence, not only the longest.
    """
    duals, open_ = 0, [(position, used)]
    while open_:
        position, used = open_.pop()
        if position.is_over or used >= goal.depth:
            continue
        successors = Successors(position)
        if position.is_chance or (position.player_number != goal.solver and full):
            indexes = list(range(successors.count))
        elif position.player_number != goal.solver:
            indexes = goal.longest(successors, used + 1)
        else:
            kept = goal.keeps(successors, 0, successors.count, used + 1)
            indexes = [index for index, is_kept in enumerate(kept) if is_kept]
            duals += max(0, len(indexes) - 1)
            if most is not None and duals > most:
                return duals
            indexes = indexes[:1]
        open_ += [(successors.after(index), used + 1) for index in reversed(indexes)]
    return duals


def count_tries(goal: Goal, successors: Successors, key: int) -> int:
    """Return the number of first plies that fail to exactly one reply."""
    return sum(_is_try(goal, successors.after(index)) for index in range(successors.count) if index != key)


def _is_try(goal: Goal, after: Position) -> bool:
    if not goal.has_tries or after.is_over or after.is_chance or after.player_number == goal.solver:
        return False
    replies, refutations = Successors(after), 0
    first, size = 0, 1
    while first < replies.count:
        count = min(size, replies.count - first)
        refutations += goal.keeps(replies, first, count, 2).count(False)
        if refutations > 1:
            return False
        first, size = first + count, 2 * size
    return refutations == 1


# ---- the solution ----


class Variation(NamedTuple):
    """Other plies from a position of the main line: a defence with the continuation, or one dual."""

    plies: tuple[str, ...]
    is_dual: bool


class Step(NamedTuple):
    """A ply of the main line, and the variations that begin instead of it."""

    ply: str
    variations: tuple[Variation, ...] = ()


def solution_steps(goal: Goal, key: str) -> tuple[Step, ...]:
    """Return the solution: the key, the first of the longest defences, and so on to the end of the win or, without a
    win, for a few plies.

    Every other longest defence against the main line is a variation with one continuation.
    """
    return (Step(key), *_steps(goal, goal.root.apply(key), 1, branches=True))


def _steps(goal: Goal, position: Position, used: int, *, branches: bool) -> list[Step]:
    steps: list[Step] = []
    while not position.is_over and used < goal.depth:
        successors = Successors(position)
        used += 1
        is_own = position.player_number == goal.solver and not position.is_chance
        if is_own:
            kept = goal.keeps(successors, 0, successors.count, used)
            indexes = [index for index, is_kept in enumerate(kept) if is_kept]
        else:
            indexes = list(range(successors.count)) if position.is_chance else goal.longest(successors, used)
        if not indexes:
            break
        variations = []
        for index in indexes[1:] if branches else ():
            rest = [] if is_own else _steps(goal, successors.after(index), used, branches=False)
            variations.append(Variation((successors.text(index), *(step.ply for step in rest)), is_own))
        steps.append(Step(successors.text(indexes[0]), tuple(variations)))
        position = successors.after(indexes[0])
    return steps
