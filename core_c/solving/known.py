"""Win, loss or draw where every value is known: from endgame tables, or from all reachable positions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from ringfen._core import lib
from ringfen.control import Limits, ProgressCallback
from ringfen.errors import LimitReached
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.retrograde import ReachableGraph, TooManyPositions
from ringfen.solving.solution import Solution
from ringfen.tables.files import Board
from ringfen.tables.forward import MOST_STONES, ForwardSearch
from ringfen.tables.tablebase import Tables, board_of, tables_directory
from ringfen.win_value import WinValue, best_plies, plies_that_keep_the_value, principal_line

#: About how many bytes a reachable position takes, successors and analysis included.
_BYTES_A_POSITION: Final = 250
#: This many are enough for each place of the stones: up to two positions (what may be huffed tells them apart) with
#: up to 30 successors each, and room for twice as many while the graph grows.
_BYTES_ENOUGH_FOR_A_PLACE: Final = 1024
#: Positions that a graph can number.
_MOST_PLACES: Final = 1 << 31
#: What the distance of a win may take, however fast the value was found.
_FEWEST_NODES: Final = 200_000
#: For positions with too many stones for it to be likely to succeed.
_BYTES_OF_A_SHORT_TRY: Final = 16 << 20


def from_tables(position: Position, options: SolveOptions) -> Solution | None:
    """The solution that endgame tables give; None if they do not cover the position.

    :raises ringfen.TableError: a table cannot be used, or a block that is needed is damaged.
    """
    started = time.monotonic()
    board = board_of(position)
    if board is None:
        return None
    directory = tables_directory(options.tables)
    try:
        changed = (directory / board.folder).stat().st_mtime_ns
    except OSError:
        return None
    tables = opened(board, directory, changed)
    try:
        return _solution(position, options, _values_in(tables), 0, started)
    except KeyError:
        return None


def from_leaves(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> LeafSearch | None:
    """A search with endgame tables at its leaves; None if there are no tables for it.

    :raises ringfen.TableError: a table cannot be used, or a block that is needed is damaged.
    """
    started = time.monotonic()
    search = _leaf_search(position, options)
    if search is None:
        return None
    if not search.solve(_most_of(options.limits), progress):
        note = None
        if search.is_full:
            note = f"the memory is full; more (--hash above {options.hash_mb}) might give an answer"
        return LeafSearch(None, search.nodes, note)
    solution = _of_search(position, options, search, started, progress)
    return LeafSearch(replace(solution, nodes=search.nodes, seconds=time.monotonic() - started), search.nodes)


def _most_of(limits: Limits) -> Limits:
    """Three quarters of the limits; the rest is for the distance, or for forward search."""
    return Limits(
        None if limits.nodes is None else max(1, limits.nodes * 3 // 4),
        None if limits.seconds is None else limits.seconds * 3 / 4,
    )


def beyond_tables(position: Position, options: SolveOptions) -> ForwardSearch | None:
    """The search by which a position is solved that tables do not cover, if it is solved by :func:`from_leaves`."""
    if position.is_over or options.depth is not None or fits_in_memory(position, options):
        return None
    if from_tables(position, options) is not None:
        return None
    return _leaf_search(position, options)


def _leaf_search(position: Position, options: SolveOptions) -> ForwardSearch | None:
    """A search with tables at its leaves that has not begun; None if there are no tables for it."""
    board = board_of(position, MOST_STONES)
    if board is None:
        return None
    directory = tables_directory(options.tables)
    try:
        changed = (directory / board.folder).stat().st_mtime_ns
    except OSError:
        return None
    tables = opened(board, directory, changed)
    if not len(tables):
        return None
    threads = 1 if options.limits.nodes is not None else max(1, options.threads)
    return ForwardSearch(tables, position, options.hash_mb << 20, threads)


@dataclass(frozen=True, slots=True)
class LeafSearch:
    """A search that was tried. ``note`` says why there is no solution, if not because of a limit."""

    solution: Solution | None
    nodes: int
    note: str | None = None


def _of_search(
    position: Position, options: SolveOptions, search: ForwardSearch, started: float, progress: ProgressCallback | None
) -> Solution:
    """The value that a search has found, with a bound of its distance."""
    winner = search.winner(position)
    assert winner is not None
    player = _player(position)
    # The answer stands; a limit that comes only now leaves its distance without a bound.
    left = Limits(seconds=options.limits.seconds).after(0, time.monotonic() - started)
    measured = winner != 0 and left is not None and search.measure(left, progress)
    if measured and not options.wdl:
        exact = _with_distance(position, options, search, _LimitsOfDistance(options.limits, search, started), progress)
        if exact is not None:
            return exact
    best, complete = _keeping(position, search, winner)
    is_exact = winner == 0 or options.wdl
    line, is_whole = _line(position, search, winner) if measured or winner == 0 else (best[:1], False)
    return Solution(
        position.fen,
        position.game.id,
        "exact" if is_exact else "bound",
        value="draw" if winner == 0 else "win" if winner == player else "loss",
        best=best,
        best_complete=complete and is_exact,
        pv=line,
        pv_complete=is_whole,
        lower=None if is_exact else search.lower,
        upper=search.wins(position, winner)[1] if measured and not is_exact else None,
        note=None if is_exact else _note_on_distance(options, search),
    )


def _note_on_distance(options: SolveOptions, search: ForwardSearch) -> str | None:
    """Why the distance is not known, if that was not a limit."""
    if search.is_full:
        return f"the memory is full; more (--hash above {options.hash_mb}) might give the distance"
    if options.limits == Limits():
        return "without a limit the distance gets a part of the nodes alone; --seconds or --nodes may give more"
    return None


class _LimitsOfDistance:
    """What is left of limits for a distance; where there are none, a quarter of the nodes that the value took, or
    :data:`_FEWEST_NODES`."""

    def __init__(self, limits: Limits, search: ForwardSearch, started: float) -> None:
        if limits == Limits():
            limits = Limits(search.nodes + max(search.nodes // 4, _FEWEST_NODES))
        self._limits = limits
        self._search = search
        self._started = started

    def left(self) -> Limits | None:
        """None: nothing is."""
        return self._limits.after(self._search.nodes, time.monotonic() - self._started)


def _with_distance(
    position: Position,
    options: SolveOptions,
    search: ForwardSearch,
    limits: _LimitsOfDistance,
    progress: ProgressCallback | None,
) -> Solution | None:
    """The solution with its distance, if it is found within the limits and so is a ply that keeps it."""
    left = limits.left()
    if left is None or not search.deepen(left, progress):
        return None
    distance, winner = search.lower, search.winner(position)
    wins = winner == _player(position)
    answers = [(ply, _keeps(search, after, distance, wins, limits)) for ply, after in position.successors()]
    best = tuple(ply for ply, keeps in answers if keeps)
    if not best:
        return None
    line = _shortest_line(position, search, distance, winner, limits)
    return Solution(
        position.fen,
        position.game.id,
        "exact",
        value="win" if wins else "loss",
        distance=distance,
        best=best,
        best_complete=all(keeps is not None for _, keeps in answers),
        pv=line,
        pv_complete=len(line) == distance,
    )


def _keeps(
    search: ForwardSearch, after: Position, distance: int, winner_moves: bool, limits: _LimitsOfDistance
) -> bool | None:
    """Whether a ply from a position with this distance keeps it; None if a limit was reached."""
    if distance == 1 and not winner_moves:
        return True
    found = search.wins_within(after, distance - 1 if winner_moves else distance - 2, limits.left())
    return None if found is None else found is winner_moves


def _shortest_line(
    position: Position, search: ForwardSearch, distance: int, winner: int | None, limits: _LimitsOfDistance
) -> tuple[str, ...]:
    """The first ply that keeps the distance each time, to the end or a limit; in tables, best play."""
    line: list[str] = []
    while not position.is_over:
        if search.tables.value(position) is not None:
            return (*line, *principal_line(position, _values_in(search.tables)))
        wins = _player(position) == winner
        answers = ((pair, _keeps(search, pair[1], distance, wins, limits)) for pair in position.successors())
        found = next((pair for pair, keeps in answers if keeps), None)
        if found is None:
            break
        line.append(found[0])
        position, distance = found[1], distance - 1
    return tuple(line)


def _keeping(position: Position, search: ForwardSearch, winner: int) -> tuple[tuple[str, ...], bool]:
    """The plies that are known to keep the value of a position, and whether that is all there are.

    Of a draw these are the plies after which the other side does not win: neither does the side to move, as it cannot.
    """
    player = _player(position)
    asked, keeps = (player, True) if winner == player else (3 - player, winner != 0)
    answers = [(ply, search.wins(after, asked)[0]) for ply, after in position.successors()]
    if winner == 3 - player:
        return tuple(ply for ply, _ in answers), True
    return tuple(ply for ply, answer in answers if answer is keeps), all(answer is not None for _, answer in answers)


def _line(position: Position, search: ForwardSearch, winner: int) -> tuple[tuple[str, ...], bool]:
    """A line that keeps the value, to the end of the game or to the first repetition, and whether it gets there.

    Of a win, the stored strategy against the defence that it takes longest to beat, at most as many plies as its bound
    says: further down, narrower bounds may be known. In tables, best play.
    """
    line: list[str] = []
    seen = set[Position]()
    while not position.is_over and position not in seen:
        seen.add(position)
        if search.tables.value(position) is not None:
            return (*line, *principal_line(position, _values_in(search.tables))), True
        found = _next_stored(position, search, winner)
        if found is None:
            return tuple(line), False
        ply, position = found
        line.append(ply)
    return tuple(line), True


def _next_stored(position: Position, search: ForwardSearch, winner: int) -> tuple[str, Position] | None:
    """The ply with the best bound, or of a draw the first that keeps it, and where it leads; None if none is known."""
    if winner == 0:
        drawn = (pair for pair in position.successors() if search.winner(pair[1]) == 0)
        return next(drawn, None)
    bounds = [(search.wins(after, winner), ply, after) for ply, after in position.successors()]
    known = [(upper or 0, ply, after) for (wins, upper), ply, after in bounds if wins]
    if not known:
        return None
    best = (min if _player(position) == winner else max)(upper for upper, _, _ in known)
    return next((ply, after) for upper, ply, after in known if upper == best)


def _values_in(tables: Tables) -> Callable[[Position], WinValue]:
    """What tables say of a position that they cover.

    :raises KeyError: they do not.
    """

    def value_of(at: Position) -> WinValue:
        value = tables.value(at)
        if value is None:
            raise KeyError(at.fen)
        return value

    return value_of


def _player(position: Position) -> int:
    return int(lib.rf_player(position.game.cdata, position.context.cdata, position.state))


@lru_cache(maxsize=8)
def opened(board: Board, directory: Path, changed: int) -> Tables:
    """The tables of a folder; ``changed`` is when files last came or went there."""
    return Tables(board, directory)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A retrograde analysis that was tried.

    ``nodes``: positions expanded. ``places``: how many ways there are to place the stones, if more memory would have
    given an answer, else None.
    """

    solution: Solution | None
    nodes: int = 0
    places: int | None = None

    @property
    def enough_mb(self) -> int | None:
        """The memory that would have been enough, in MiB."""
        return None if self.places is None else -(-self.places * _BYTES_ENOUGH_FOR_A_PLACE >> 20)


def from_reachable(position: Position, options: SolveOptions, progress: ProgressCallback | None) -> Analysis:
    """The solution by retrograde analysis; there is none if that does not fit in the memory or half of the limits."""
    started = time.monotonic()
    places = int(lib.rf_reachable(position.game.cdata, position.context.cdata, position.state))
    limits = _half(options.limits)
    if places == 0 or limits is None:
        return Analysis(None)
    memory = _memory_for(places, options.hash_mb << 20)
    try:
        graph = ReachableGraph(position, memory, limits=limits, progress=progress)
    except LimitReached as error:
        return Analysis(None, error.nodes)
    except TooManyPositions as error:
        return Analysis(None, error.nodes, places if places <= _MOST_PLACES else None)
    return Analysis(_solution(position, options, graph.value, graph.nodes, started), graph.nodes)


def fits_in_memory(position: Position, options: SolveOptions) -> bool:
    """Whether the positions that can be reached are likely to fit in the memory for retrograde analysis."""
    places = int(lib.rf_reachable(position.game.cdata, position.context.cdata, position.state))
    return places != 0 and places * _BYTES_A_POSITION <= options.hash_mb << 20


def _memory_for(places: int, memory: int) -> int:
    """How much of the memory a try may take: all if there are places enough in it for few stones, else a little.

    A full board or a blocked one can have few reachable positions, which the little is enough to find out.
    """
    return memory if places * _BYTES_A_POSITION <= memory else min(memory, _BYTES_OF_A_SHORT_TRY)


def _half(limits: Limits) -> Limits | None:
    """Limits for a first try, which leaves as much for a second; None if there is nothing to halve."""
    if limits.nodes == 1:
        return None
    return Limits(
        None if limits.nodes is None else limits.nodes // 2, None if limits.seconds is None else limits.seconds / 2
    )


def _solution(
    position: Position, options: SolveOptions, value_of: Callable[[Position], WinValue], nodes: int, started: float
) -> Solution:
    value, distance = value_of(position)
    if options.depth is not None and (distance is None or distance > options.depth):
        seconds = time.monotonic() - started
        return Solution(position.fen, position.game.id, "unknown", nodes=nodes, seconds=seconds, decided=options.depth)
    best = plies_that_keep_the_value(position, value_of) if options.wdl else best_plies(position, value_of)
    pv = principal_line(position, value_of)
    return Solution(
        position.fen,
        position.game.id,
        "exact",
        value=value,
        distance=None if options.wdl and not position.is_over else distance,
        best=best,
        best_complete=True,
        pv=pv,
        pv_complete=True,
        nodes=nodes,
        seconds=time.monotonic() - started,
    )
