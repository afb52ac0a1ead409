"""Which ply to play: for engines, where a solver would only say that nothing is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from ringfen._core import lib
from ringfen.control import Limits, Progress, ProgressCallback
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.forward import ForwardSearch
from ringfen.solving.forward import Stopped as SearchStopped

#: The score of a win with the next ply; each ply more costs 1. A loss scores the negative.
WIN: Final = 1_000_000.0
#: The part of the limits that looks for forced wins; the rest orders the plies against which none was found.
_PROVING: Final = 0.75


@dataclass(frozen=True, slots=True)
class Choice:
    """A ply and what is proven of it.

    ``score``: for the side to move, :data:`WIN` less the plies to come after this one if it wins by force, the negative
    if every ply loses by force and this one delays the most, else 0. ``plies``: the depth that was searched in full.
    """

    ply: str
    score: float
    plies: int
    nodes: int
    seconds: float


class _StopNow(Exception):
    """The caller asked for an answer now."""


def choose(
    position: Position,
    options: SolveOptions,
    *,
    stop: Callable[[], bool] = lambda: False,
    news: Callable[[Choice], None] | None = None,
) -> Choice:
    """Return the ply to play in a game of two players whose value is a win, a loss or a draw.

    A proven win is played by the shortest way, a lost position by the longest. Otherwise the ply is one after which no
    forced win of the opponent was found within the limits; of these, the one that leaves the opponent the fewest safe
    plies. A ply is safe if the other side does not win with the next one.

    :param options: ``limits``, ``plies``, ``threads`` and ``hash_mb`` count.
    :param stop: Called about 20 times per second; true ends the search with the proven result.
    :param news: Told of every depth that was searched in full.
    :raises ValueError: The position is over, there is no limit, or the game has no such values.
    """
    if position.is_over:
        raise ValueError("a position that is over has no ply to choose")
    if position.game.value_kind != "win":
        raise ValueError(f"a position of {position.game.id} is not won or lost")
    limits = options.limits
    if limits == Limits() and options.depth is None:
        raise ValueError("a choice needs a limit: nodes, seconds or plies")

    def poll(progress: Progress) -> None:
        if stop():
            raise _StopNow

    started = monotonic()
    search = _Deepening(position, replace(options, limits=_part(limits, _PROVING)), poll)
    try:
        found = search.deepen(news)
    except (SearchStopped, _StopNow):
        found = None
    if found is not None:
        return found
    ply, nodes = search.candidates[0][0], 0
    if len(search.candidates) > 1 and not stop():
        rest = replace(options, limits=_part(limits, 1 - _PROVING))
        ply, nodes = _most_restrictive(search.candidates, position, rest, poll)
    return replace(search.choice(ply, 0.0), nodes=search.nodes + nodes, seconds=monotonic() - started)


def _part(limits: Limits, share: float) -> Limits:
    nodes = None if limits.nodes is None else max(1, int(limits.nodes * share))
    return Limits(nodes, None if limits.seconds is None else limits.seconds * share)


def _player(position: Position) -> int:
    return int(lib.rf_player(position.game.cdata, position.context.cdata, position.state))


class _Deepening:
    """Looks further ply by ply, with a list of the plies after which the opponent has no forced win as far as known."""

    def __init__(self, position: Position, options: SolveOptions, poll: ProgressCallback) -> None:
        self._position = position
        self._most = options.depth
        self._search = ForwardSearch(position, options, poll)
        self._plies = 0
        #: One ply for each different position that can be reached, in byte order.
        self.candidates: list[tuple[str, Position]] = []
        seen: set[Position] = set()
        for ply, child in position.successors():
            if child not in seen:
                seen.add(child)
                self.candidates.append((ply, child))
        self._mover = _player(position)

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return self._search.nodes

    def choice(self, ply: str, score: float) -> Choice:
        """Return the current answer."""
        return Choice(ply, score, self._plies, self._search.nodes, self._search.seconds)

    def deepen(self, news: Callable[[Choice], None] | None) -> Choice | None:
        """Return the choice if the position is won or lost within the depth, else None.

        :raises _Stopped: A limit was reached.
        """
        opponent = 3 - self._mover
        plies = 0
        while self._most is None or plies < self._most:
            plies += 1
            if self._search.forces(self._position, self._mover, plies):
                self._plies = plies
                ply = next(ply for ply, child in self.candidates if self._search.forces(child, self._mover, plies - 1))
                return self.choice(ply, WIN - (plies - 1))
            if not self._drop_lost(opponent, plies - 1):
                self._plies = plies
                return self.choice(self.candidates[0][0], -(WIN - (plies - 1)))
            self._plies = plies
            if news is not None:
                news(self.choice(self.candidates[0][0], 0.0))
        return None

    def _drop_lost(self, opponent: int, plies: int) -> bool:
        """Drop the plies after which the opponent wins within ``plies``; false, with nothing dropped, if all do."""
        answers: list[bool | None] = [None] * len(self.candidates)
        try:
            self._search.forced([child for _, child in self.candidates], opponent, plies, answers=answers)
        finally:
            # Where a limit was met, what has not been looked at stays.
            left = [found for found, lost in zip(self.candidates, answers, strict=True) if not lost]
            if left:
                self.candidates = left
        return bool(left)


def _most_restrictive(
    candidates: list[tuple[str, Position]], position: Position, options: SolveOptions, poll: ProgressCallback
) -> tuple[str, int]:
    """Return the ply that leaves the opponent the fewest safe plies, of equally good ones the first, as far as
    limits allow; and the positions visited.
    """
    search = ForwardSearch(position, options, poll)
    mover = _player(position)
    fewest, best = None, candidates[0][0]
    try:
        for ply, child in candidates:
            safe = 0
            for reply in child.children():
                safe += not search.forces(reply, mover, 1)
                if fewest is not None and safe >= fewest:
                    break
            if fewest is None or safe < fewest:
                fewest, best = safe, ply
    except (SearchStopped, _StopNow):
        pass
    return best, search.nodes
