"""Check files of problems ply by ply: ``python tests/tools/check_problems.py [--gap G] FILE…``.

The plain references search exhaustively if they need at most LIMIT positions for a problem; otherwise the solver finds
the value after every ply (as ``solve --each`` does). Both are independent of the search that found the problems.
``tests/core/problems/test_collections.py`` checks the examples. For others:

    ringfen problems --random gyges --material 112233 --seed 11 --first 1000 --sound line --out gyges.rgn
    python tests/tools/check_problems.py gyges.rgn
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from ringfen import Position
from ringfen.notation import Record, read_records
from ringfen.problems.stipulation import Stipulation

#: The number of positions that a plain reference may visit for one problem.
LIMIT = 5_000
#: The number of plies of a solution that is not a win.
LINE_PLIES = 6


class TooManyPositions(Exception):
    """A plain reference needs more positions than LIMIT."""


@contextmanager
def limited(plain: ModuleType) -> Iterator[None]:
    """Make a plain reference raise TooManyPositions after LIMIT plies."""
    # GRAN's search plays legal plies without a check.
    name = "_play" if plain.__name__ == "reference.gran" else "apply"
    apply, left = getattr(plain, name), LIMIT

    def counted(*args: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooManyPositions
        return apply(*args)

    setattr(plain, name, counted)
    try:
        yield
    finally:
        setattr(plain, name, apply)


class PlainWins:
    """Whether a player forces a win within a number of plies, by exhaustive search with a plain reference."""

    def __init__(self, plain: ModuleType, winner: Any) -> None:
        self._plain, self._winner = plain, winner
        self._known: dict[tuple[Any, int], bool] = {}

    def forces(self, position: Position, plies: int) -> bool:
        """Return the answer for a position."""
        return self._forces(self._plain.parse(position.fen), plies)

    def _forces(self, state: Any, plies: int) -> bool:
        plain = self._plain
        if plain.outcome(state) is not None or plies <= 0:
            return bool(plain.outcome(state) == self._winner)
        key = (state, plies)
        if key not in self._known:
            after = (self._forces(plain.apply(state, ply), plies - 1) for ply in plain.plies(state))
            self._known[key] = any(after) if plain.player(state) == self._winner else all(after)
        return self._known[key]


class SolvedWins:
    """The same by the solver."""

    def __init__(self, winner: Any) -> None:
        self._winner = winner

    def forces(self, position: Position, plies: int) -> bool:
        """Return the answer for a position."""
        if position.is_over or plies <= 0:
            return position.is_over and position.outcome == self._winner
        solution = position.solve(depth=plies, hash_mb=1)
        wins = solution.value == ("win" if position.player == self._winner else "loss")
        return wins and solution.distance is not None and solution.distance <= plies


def check(record: Record, gap: Fraction | int | None = None) -> str:
    """Check a problem. Return ``"plain"`` or ``"solver"``: which of them could decide it.

    :raises AssertionError: It is not sound, or its main line is wrong or ends early.
    """
    assert record.start is not None
    plain = import_module(f"reference.{record.start.game.id}")
    stipulation = Stipulation.parse(record.tags["Stipulation"])
    assert next(record.mainline()).ply == record.tags["Key"]
    try:
        with limited(plain):
            _check(record, stipulation, gap, plain)
    except (TooManyPositions, OverflowError):
        _check(record, stipulation, gap, None)
        return "solver"
    return "plain"


def _check(record: Record, stipulation: Stipulation, gap: Fraction | int | None, plain: ModuleType | None) -> None:
    root, key = record.start, record.tags["Key"]
    assert root is not None
    if stipulation.kind == "win":
        search = SolvedWins(root.player) if plain is None else PlainWins(plain, root.player)
        plies = stipulation.plies
        assert plies == 1 or not search.forces(root, plies - 2), "there is a shorter win"
        wins = [ply for ply, after in root.successors() if search.forces(after, plies - 1)]
        for used, node in enumerate(record.mainline(), 1):
            assert search.forces(node.position, plies - used), f"{node.ply} does not win in time"
        assert node.position.is_over, "the main line does not end the game"
    else:
        values = _values(root, stipulation, plain)
        _check_line(record, stipulation, plain)
        wanted = stipulation.margin if stipulation.kind == "margin" else stipulation.chance
        assert max(values.values()) == wanted, "the value is another"
        least = gap or (1 if stipulation.kind == "margin" else 0)
        wins = [ply for ply, value in values.items() if value > wanted - least or value == wanted]
    assert wins == [key], f"these plies meet the stipulation: {wins}"


def _check_line(record: Record, stipulation: Stipulation, plain: ModuleType | None) -> None:
    """Check a main line without a win: its length, and that each of its positions has the margin of the problem."""
    root, *nodes = record.start, *record.mainline()
    assert root is not None
    last = nodes[-1].position
    if stipulation.kind == "margin":
        for node in nodes:
            assert _margin(node.position, root, plain) == stipulation.margin, f"{node.ply} does not keep the margin"
        can_continue = len(nodes) < LINE_PLIES
    else:
        left = stipulation.horizon - len(nodes)
        can_continue = left > 0 and len(nodes) < LINE_PLIES and _chance(last, left, root, plain) > 0
    assert last.is_over or not can_continue, "the main line ends early"


def _margin(position: Position, root: Position, plain: ModuleType | None) -> int:
    """Return the margin for the player to move at the root."""
    margin = position.solve(hash_mb=16).margin if plain is None else plain.solve(plain.parse(position.fen), 3000)[0]
    assert margin is not None
    return margin if position.player == root.player else -margin


def _chance(position: Position, left: int, root: Position, plain: ModuleType | None) -> Fraction:
    """Return the probability of the player to move at the root."""
    shares: Any
    if plain is not None:
        shares = plain.maxn(plain.parse(position.fen), left)[0]
    elif left and not position.is_over:
        shares = position.solve(depth=left, hash_mb=1).value
    else:
        return Fraction(position.is_over and position.outcome == root.player)
    share = shares[root.player_number - 1]
    assert isinstance(share, Fraction)
    return share


def _values(root: Position, stipulation: Stipulation, plain: ModuleType | None) -> dict[str, Any]:
    """Return the value for the side to move after every ply."""
    if stipulation.kind == "margin":
        return {ply: _margin(after, root, plain) for ply, after in root.successors()}
    return {ply: _chance(after, stipulation.horizon - 1, root, plain) for ply, after in root.successors()}


def main() -> None:
    """Check the files and print how many problems each method decided."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--gap", type=Fraction)
    args = parser.parse_args()
    for name in args.files:
        decided = Counter(check(record, args.gap) for record in read_records(name))
        print(f"{name}: {sum(decided.values())} problems are sound: {dict(decided)}")


if __name__ == "__main__":
    main()
