"""Values of positions in a record: what ``annotate`` writes after the plies of a main line, and removes again.

docs/notation.md says what the commands in comments mean (Values in records).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ringfen.notation.comment_commands import (
    BEST,
    has_own,
    mark_command,
    marks_in,
    value_command,
    value_words,
    without_own,
)
from ringfen.notation.record import Line, Node, Record
from ringfen.position import Position
from ringfen.solving import Solution
from ringfen.solving.core_answers import margin_bound

MISTAKE: Final = 2
BLUNDER: Final = 4

#: NAGs that judge a ply: who has put one there has judged it.
_JUDGING: Final = range(1, 7)
#: Beyond every margin.
_ENDLESS: Final = 1 << 30
#: The values that go with a result.
_RESULTS: Final = {"1-0": (1, _ENDLESS), "0-1": (-_ENDLESS, -1), "1/2-1/2": (0, 0)}


@dataclass(frozen=True, slots=True)
class Bounds:
    """The proven bounds of a position: the lowest and the highest value for South. Wins are 1, losses -1."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Judgement:
    """The results for one ply: the position it led to, and whether it lost value.

    ``values`` are those of the comments: one, two bounds, or none if nothing is proven; ``mark`` is 2, 4, or None,
    even if the ply already has a mark; ``better`` are plies that are known to keep the value; ``missed`` is whether the
    ply provably gave a win or a lead away.
    """

    node: Node
    #: Which ply of the main line, from 1.
    ply: int
    solution: Solution | None
    values: tuple[str, ...]
    mark: int | None
    better: tuple[str, ...] = ()
    missed: bool = False

    @property
    def value(self) -> str | None:
        """The values as one text; None if nothing is proven."""
        return " and ".join(self.values) or None

    @property
    def is_bounded(self) -> bool:
        """Whether only bounds are proven."""
        return self.values != () and self.values[0][0] in "<>"


def positions_to_solve(record: Record) -> list[Position]:
    """Return the positions whose values concern the main line, the last first.

    The start of the game is among them where the first ply is judged by it.
    """
    if not record.plies or record.game is None:
        return []
    steps = _steps(record)
    if record.game.value_kind == "chance":
        return [reached for _, _, reached in reversed(steps)]
    found: list[Position] = []
    for _, before, reached in reversed(steps):
        found += [reached, before] if not found or found[-1] != reached else [before]
    return found


def _steps(record: Record) -> list[tuple[Node, Position, Position]]:
    """Return the plies of the main line, each with the positions before and after it."""
    return [(node, node.before, node.reached) for node in record.mainline()]


def annotate_record(record: Record, solutions: Mapping[str, Solution], *, variations: bool = False) -> list[Judgement]:
    """Write values and marks into a record, in place of those that an earlier run wrote.

    :param solutions: the solutions by position text; positions may be missing.
    :param variations: add the best line where a mark is set.
    :return: what was found out about each ply of the main line.
    """
    steps = _steps(record)
    judged = record.game is not None and record.game.value_kind != "chance"
    bounds = _tightened(steps, solutions) if judged else []
    judgements = []
    for index, (node, start, reached) in enumerate(steps):
        solution, before = solutions.get(reached.fen), solutions.get(start.fen)
        _clear(node)
        mark: int | None = None
        missed = False
        better: tuple[str, ...] = ()
        if judged:
            values = values_of(reached, solution, bounds[index][1])
            missed = _has_missed(start, *bounds[index])
            if not any(nag in _JUDGING for nag in node.nags):
                mark = _mark_of(start, *bounds[index])
        else:
            values = values_of(reached, solution, None)
        if mark is not None and before is not None:
            better = before.best
        _write(node, values, mark)
        if mark is not None and variations and before is not None:
            _add_best(node, before)
        judgements.append(Judgement(node, index + 1, solution, values, mark, better, missed))
    return judgements


def contradiction(record: Record, last: Judgement) -> str | None:
    """A comment if the result of an unfinished game differs from the value of its last position; for example, a player
    resigned a won position."""
    continued = last.node.position != last.node.reached
    if record.outcome is not None or record.result not in _RESULTS or not last.values or continued:
        return None
    bounds = bounds_of(last.node.reached, last.solution)
    least, most = _RESULTS[record.result]
    if least <= bounds.high and bounds.low <= most:
        return None
    words = value_words(last.values)
    return (
        f"the result is {record.result}, but from the last position "
        f"{f'best play is {words}' if last.values == ('draw',) else words}"
    )


# ---- bounds ----


def bounds_of(position: Position, solution: Solution | None) -> Bounds:
    """Return the bounds that a solution proves, from South's point of view."""
    wins = position.game.value_kind == "win"
    worst, best = (-1, 1) if wins else (-_ENDLESS, _ENDLESS)
    if solution is None:
        return Bounds(worst, best)
    low, high = worst, best
    if wins and isinstance(solution.value, str):
        low = high = {"win": 1, "loss": -1, "draw": 0}[solution.value]
    elif isinstance(solution.value, int):
        low = high = solution.value
    elif not wins and solution.status == "bound":
        widest = margin_bound(position)
        low = solution.lower if isinstance(solution.lower, int) and solution.lower > -widest else worst
        high = solution.upper if isinstance(solution.upper, int) and solution.upper < widest else best
    return Bounds(low, high) if position.player == "s" else Bounds(-high, -low)


def _tightened(
    steps: Sequence[tuple[Node, Position, Position]], solutions: Mapping[str, Solution]
) -> list[tuple[Bounds, Bounds]]:
    """Return the bounds before and after each ply of a line, tightened by those of the neighbouring positions: the
    player of a ply chose it, so the position before is worth at least as much for that player as the one after.
    """
    bounds = [
        (bounds_of(start, solutions.get(start.fen)), bounds_of(reached, solutions.get(reached.fen)))
        for _, start, reached in steps
    ]
    # Where the position is stated, the line breaks: neither side of the gap says anything of the other.
    joined = [one[2] == next_[1] for one, next_ in pairwise(steps)]
    for index in range(len(bounds) - 1, -1, -1):
        before, after = bounds[index]
        if index < len(joined) and joined[index]:
            after = bounds[index + 1][0]
        if steps[index][1].player == "s":
            before = Bounds(max(before.low, after.low), before.high)
        else:
            before = Bounds(before.low, min(before.high, after.high))
        bounds[index] = before, after
    for index in range(len(bounds)):
        before, after = bounds[index]
        if index > 0 and joined[index - 1]:
            before = bounds[index - 1][1]
        if steps[index][1].player == "s":
            after = Bounds(after.low, min(after.high, before.high))
        else:
            after = Bounds(max(after.low, before.low), after.high)
        bounds[index] = before, after
    return bounds


def _for_mover(position: Position, before: Bounds, after: Bounds) -> tuple[Bounds, Bounds]:
    if position.player == "n":
        return Bounds(-before.high, -before.low), Bounds(-after.high, -after.low)
    return before, after


def _has_missed(position: Position, before: Bounds, after: Bounds) -> bool:
    """Return whether a ply from one position to the next provably gave a win or a lead away."""
    before, after = _for_mover(position, before, after)
    return before.low > 0 >= after.high


def _mark_of(position: Position, before: Bounds, after: Bounds) -> int | None:
    """Return the mark of a ply from one position to the next that provably cost its player something; else None."""
    before, after = _for_mover(position, before, after)
    if after.high >= before.low:
        return None
    return BLUNDER if before.low > 0 > after.high else MISTAKE


# ---- commands ----


def values_of(position: Position, solution: Solution | None, bounds: Bounds | None) -> tuple[str, ...]:
    """Return the content of ``[%value …]``: one value, two bounds, or nothing if nothing is proven.

    :param bounds: None in a game of chance.
    """
    if bounds is None:
        return () if solution is None else _chances(solution)
    if position.game.value_kind == "margin":
        return _margins(bounds)
    if not bounds.is_exact:
        return ()
    if bounds.low == 0:
        return ("draw",)
    distance = None if solution is None else solution.distance
    return (f"{'s' if bounds.low > 0 else 'n'}{'' if distance is None else f' {distance}'}",)


def _margins(bounds: Bounds) -> tuple[str, ...]:
    if bounds.is_exact:
        return (f"{bounds.low:+d}",)
    least, most = bounds.low > -_ENDLESS, bounds.high < _ENDLESS
    return (f">={bounds.low}",) * least + (f"<={bounds.high}",) * most


def _chances(solution: Solution) -> tuple[str, ...]:
    if solution.model != "maxn" or solution.probabilities is None or None in solution.probabilities:
        return ()
    chances = " ".join(str(chance) for chance in solution.probabilities)
    return (f"{chances} maxn {solution.horizon}",)


def _clear(node: Node) -> None:
    """Remove the values and marks of an earlier run."""
    for mark in marks_in(node.comments):
        if mark in node.nags:
            node.nags.remove(mark)
    if any(map(has_own, node.comments)):
        cleared = ((comment, without_own(comment)) for comment in node.comments)
        node.comments = [after for before, after in cleared if after or not before]
    kept: list[Line] = []
    for variation in node.variations:
        if variation.comments and variation.comments[0].startswith(BEST):
            # What somebody wrote after it follows what is left.
            (kept[-1].after if kept else node.comments).extend(variation.after)
        else:
            kept.append(variation)
    if len(kept) < len(node.variations):
        node.variations[:] = kept


def _write(node: Node, values: Sequence[str], mark: int | None) -> None:
    words = [value_command(value) for value in values]
    if mark is not None:
        words.append(mark_command(mark))
        node.nags.insert(0, mark)
    if words:
        if node.comment:
            node.comment = " ".join([*words, node.comment])
        else:
            node.comments.insert(0, " ".join(words))


def _add_best(node: Node, before: Solution) -> None:
    plies = before.pv or before.best[:1]
    if plies:
        last = node.add_variation(*plies)
        last.line.comments.append(BEST)
