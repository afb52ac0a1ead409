"""Chooses a ply to play, even if the value of the position cannot be proven. For engines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from ringfen.control import Limits, Progress, ProgressCallback
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.forward import ForwardSearch
from ringfen.solving.forward import Stopped as SearchStopped

#: The score of a win with the next ply; each ply more costs 1. A loss scores the negative.
WIN: Final = 1_000_000.0
#: The share of the limits for the search for forced wins. The rest orders the plies that do not lose by force.
_PROVING_SHARE: Final = 0.75


@dataclass(frozen=True, slots=True)
class Choice:
    """A ply and its proven score.

    ``score``, for the side to move: if the ply wins by force, :data:`WIN` minus the number of plies after it; if every
    ply loses by force and this one delays the loss the longest, the negative of that; otherwise 0. ``plies``: the depth
    that was searched in full.
    """

    ply: str
    score: float
    plies: int
    nodes: int
    seconds: float


class _StopNow(Exception):
    """The caller stopped the search."""


def choose(
    position: Position,
    options: SolveOptions,
    *,
    stop: Callable[[], bool] = lambda: False,
    on_depth: Callable[[Choice], None] | None = None,
) -> Choice:
    """Return the ply to play in a game of two players whose value is a win, a loss or a draw.

    In a won position the ply wins in the fewest plies; in a lost position it delays the loss the longest. Otherwise it
    is a ply after which the search found no forced win of the opponent; among these, the one that leaves the opponent
    the fewest safe plies. A ply is safe if the other side cannot win with the next ply.

    :param options: Only ``limits``, ``depth``, ``threads`` and ``hash_mb`` are used.
    :param stop: Called about 20 times per second; if it returns True, the search ends with the result so far.
    :param on_depth: Called with the current choice after every depth that was searched in full.
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
    with ForwardSearch(position, replace(options, limits=_part(limits, _PROVING_SHARE)), poll) as forward:
        search = _Deepening(position, options.depth, forward)
        try:
            found = search.deepen(on_depth)
        except (SearchStopped, _StopNow):
            found = None
    if found is not None:
        return found
    ply, nodes = search.candidates[0][0], 0
    if len(search.candidates) > 1 and not stop():
        rest = replace(options, limits=_part(limits, 1 - _PROVING_SHARE))
        ply, nodes = _most_restrictive(search.candidates, position, rest, poll)
    return replace(search.choice(ply, 0.0), nodes=search.nodes + nodes, seconds=monotonic() - started)


def _part(limits: Limits, share: float) -> Limits:
    nodes = None if limits.nodes is None else max(1, int(limits.nodes * share))
    return Limits(nodes, None if limits.seconds is None else limits.seconds * share)


class _Deepening:
    """Iterative deepening over the plies after which no forced win of the opponent is known."""

    def __init__(self, position: Position, max_plies: int | None, search: ForwardSearch) -> None:
        self._position = position
        self._max_plies = max_plies
        self._search = search
        self._plies = 0
        #: One ply for each different successor, in byte order.
        self.candidates: list[tuple[str, Position]] = []
        seen: set[Position] = set()
        for ply, child in position.successors():
            if child not in seen:
                seen.add(child)
                self.candidates.append((ply, child))
        self._mover = position.player_number

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return self._search.nodes

    def choice(self, ply: str, score: float) -> Choice:
        """Return the current answer."""
        return Choice(ply, score, self._plies, self._search.nodes, self._search.seconds)

    def deepen(self, on_depth: Callable[[Choice], None] | None) -> Choice | None:
        """Return the choice if the position is won or lost within the depth, otherwise None.

        :raises SearchStopped: A limit was reached.
        """
        opponent = 3 - self._mover
        plies = 0
        while self._max_plies is None or plies < self._max_plies:
            plies += 1
            if self._search.forces(self._position, self._mover, plies):
                self._plies = plies
                ply = next(ply for ply, child in self.candidates if self._search.forces(child, self._mover, plies - 1))
                return self.choice(ply, WIN - (plies - 1))
            if not self._drop_lost(opponent, plies - 1):
                self._plies = plies
                return self.choice(self.candidates[0][0], -(WIN - (plies - 1)))
            self._plies = plies
            if on_depth is not None:
                on_depth(self.choice(self.candidates[0][0], 0.0))
        return None

    def _drop_lost(self, opponent: int, plies: int) -> bool:
        """Drop the candidates after which the opponent wins within ``plies`` plies.

        :returns: False if all candidates lose; then all are kept.
        """
        answers: list[bool | None] = [None] * len(self.candidates)
        try:
            self._search.forced([child for _, child in self.candidates], opponent, plies, answers=answers)
        finally:
            # If a limit was reached, the candidates that were not searched stay.
            left = [found for found, lost in zip(self.candidates, answers, strict=True) if not lost]
            if left:
                self.candidates = left
        return bool(left)


def _most_restrictive(
    candidates: list[tuple[str, Position]], position: Position, options: SolveOptions, poll: ProgressCallback
) -> tuple[str, int]:
    """Return the first ply that leaves the opponent the fewest safe plies, and the number of positions visited.

    If a limit is reached, only the plies examined so far are compared.
    """
    mover = position.player_number
    fewest, best = None, candidates[0][0]
    with ForwardSearch(position, options, poll) as search, suppress(SearchStopped, _StopNow):
        for ply, child in candidates:
            safe = 0
            for reply in child.children():
                safe += not search.forces(reply, mover, 1)
                if fewest is not None and safe >= fewest:
                    break
            if fewest is None or safe < fewest:
                fewest, best = safe, ply
    return best, search.nodes
