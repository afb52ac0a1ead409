"""Values and good plies by the plain reference games, for writing small certificates without the solvers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from reference import gran, gyges, rings, siaius

from ringfen.position import Position

REFERENCE = {"gyges": gyges, "rings": rings, "siaius": siaius, "gran": gran}
Strategy = Callable[[Position], Sequence[str]]


def reference_of(fen: str) -> Any:
    return REFERENCE[fen.split()[0]]


class Known:
    """Values of a position and all that can be reached from it: the margin for South that each side can force.

    ``rank`` is the number of plies to that end where South's margin is not 0.
    """

    def __init__(self, fen: str) -> None:
        self.game = reference_of(fen)
        self.root = self.game.parse(fen)
        self.children = self._reachable()
        self.margin: dict[Any, int] = {}
        self.rank: dict[Any, int] = {}
        self._solve()

    def _reachable(self) -> dict[Any, dict[str, Any]]:
        children: dict[Any, dict[str, Any]] = {}
        todo = [self.root]
        while todo:
            here = todo.pop()
            if here not in children:
                children[here] = {ply: self.game.apply(here, ply) for ply in self.game.plies(here)}
                todo += children[here].values()
        return children

    def end_margin(self, state: Any) -> int:
        if hasattr(self.game, "score"):
            south, north = self.game.score(state)
            return int(south - north)
        return {"s": 1, "n": -1, "draw": 0}[self.game.outcome(state)]

    def _solve(self) -> None:
        parents: dict[Any, list[Any]] = {state: [] for state in self.children}
        for state, children in self.children.items():
            for child in children.values():
                parents[child].append(state)
        ends = {state: self.end_margin(state) for state, children in self.children.items() if not children}
        for winner, sign in (("s", 1), ("n", -1)):
            left = {state: len(children) for state, children in self.children.items()}
            for margin in sorted({m for m in ends.values() if m * sign > 0}, key=abs, reverse=True):
                todo = deque(state for state, end in ends.items() if end == margin)
                for state in todo:
                    self.margin[state], self.rank[state] = margin, 0
                while todo:
                    child = todo.popleft()
                    for parent in parents[child]:
                        left[parent] -= 1
                        if parent not in self.margin and (self.game.player(parent) == winner or left[parent] == 0):
                            self.margin[parent], self.rank[parent] = margin, self.rank[child] + 1
                            todo.append(parent)

    def value(self, state: Any = None) -> Any:
        """As in ``Solution.value``."""
        state = self.root if state is None else state
        margin = self.margin.get(state, 0) * (1 if self.game.player(state) == "s" else -1)
        if hasattr(self.game, "score"):
            return margin
        return {1: "win", 0: "draw", -1: "loss"}[margin]

    def best(self, position: Position) -> list[str]:
        """Plies that keep the value, where it is forced by an end those first that come nearest to it."""
        state = self.game.parse(position.fen)
        margin = self.margin.get(state, 0)
        good = [(ply, child) for ply, child in self.children[state].items() if self.margin.get(child, 0) == margin]
        return [ply for ply, child in sorted(good, key=lambda pair: self.rank.get(pair[1], 0))]

    def holds(self, claim: dict[str, Any]) -> bool:
        """Whether a claim about the root is true."""
        sign = 1 if claim["player"] == 1 else -1
        starts = [self.root]
        if "except" in claim:
            starts = [child for ply, child in self.children[self.root].items() if ply != claim["except"]]
        return all(self.margin.get(start, 0) * sign >= claim["at_least"] for start in starts)


def holds_within(state: Any, claim: dict[str, Any]) -> bool:
    """Whether a claim with a horizon, or with a distance, is true: a search of all plies."""
    game = REFERENCE[type(state).__module__.rsplit(".", 1)[-1]]
    player, at_least = "sn"[claim["player"] - 1], claim["at_least"]
    known: dict[tuple[Any, int], bool] = {}

    def holds(state: Any, plies: int) -> bool:
        outcome = game.outcome(state)
        if outcome is not None:
            return bool({player: 1, "draw": 0}.get(outcome, -1) >= at_least)
        if plies == 0:
            return bool(at_least <= 0)
        if (state, plies) not in known:
            some = any if game.player(state) == player else all
            known[state, plies] = some(holds(game.apply(state, ply), plies - 1) for ply in game.plies(state))
        return known[state, plies]

    plies: int = claim["horizon"] if "horizon" in claim else claim["within"]
    if "except" not in claim:
        return holds(state, plies)
    others = [game.apply(state, ply) for ply in game.plies(state) if ply != claim["except"]]
    return plies == 0 or all(holds(child, plies - 1) for child in others)


def gyges_distance(state: Any) -> tuple[int, str]:
    """The plies to the end and the winner, of a position that is decided soon."""
    for plies in range(4):
        for winner in "sn":
            if gyges._forces(state, winner, plies):
                return plies, winner
    raise AssertionError("not decided within 3 plies")


def gyges_best(position: Position) -> list[str]:
    """For the winner: the plies that win fastest."""
    state = gyges.parse(position.fen)
    plies, winner = gyges_distance(state)
    assert winner == state.side
    return [ply for ply in gyges.plies(state) if gyges._forces(gyges.apply(state, ply), winner, plies - 1)]


class PlainChances:
    """The plain reference solver's probabilities."""

    def __init__(self) -> None:
        self._known: dict[int, dict[Any, Any]] = {}

    def value(self, position: Position, plies: int, player: int, upper: bool) -> Fraction:
        known = self._known.setdefault(player, {})
        bounds: tuple[Fraction, Fraction] = gran._paranoid(gran.parse(position.fen), plies, player, known)
        return bounds[upper]

    def values_after(self, position: Position, plies: int, player: int, upper: bool) -> list[Fraction]:
        return [self.value(child, plies, player, upper) for child in position.children()]

    def first_reaching(
        self, position: Position, plies: int, player: int, upper: bool, limit: Fraction, at_most: bool
    ) -> int | None:
        values = self.values_after(position, plies, player, upper)
        reaching = (index for index, value in enumerate(values) if (value <= limit if at_most else value >= limit))
        return next(reaching, None)


#: The plain game computes probabilities up to this horizon.
_MAX_HORIZON = 3


def chance_holds(state: Any, claim: dict[str, Any]) -> bool:
    """Whether a claim is true. For a long horizon, whether it follows from the bounds of a shorter one."""
    starts, plies = [state], min(claim["horizon"], _MAX_HORIZON)
    if "except" in claim:
        starts, plies = [gran.apply(state, ply) for ply in gran.plies(state) if ply != claim["except"]], plies - 1
    bounds = [gran.paranoid(start, plies, claim["player"])[:2] for start in starts] if plies >= 0 else []
    if "least" in claim:
        return all(Fraction(claim["least"]) <= lower for lower, _ in bounds)
    ended = "unfinished" in claim and claim["horizon"] <= _MAX_HORIZON
    return all(Fraction(claim["most"]) >= (lower if ended else upper) for lower, upper in bounds)
