"""Proof-number search with endgame tables at its leaves: win, loss or draw for positions with a few more stones.

If it reaches a limit or the memory is full, forward search uses the rest of the limits.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final

from ringfen.control import Limits, ProgressCallback
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.solving.core_answers import fits_in_memory, solve_in_core
from ringfen.solving.solution import Solution
from ringfen.solving.tables import solve_with_tables, tables_for, value_lookup
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.win_value import principal_line

#: Without limits, forward search and the search for the distance may visit at least this many nodes.
_MIN_NODES: Final = 200_000


def solve_by_proof_number(
    position: Position, options: SolveOptions, progress: ProgressCallback | None, started: float
) -> Solution | None:
    """Return the solution, or None if there are no tables for the board.

    :param started: When work on the position began, by :func:`time.monotonic`.
    :raises ringfen.TableError: A block that is needed is damaged.
    """
    searched = search_to_tables(position, options, progress)
    if searched is None or searched.solution is not None:
        return None if searched is None else searched.solution
    left = options.limits.after(searched.nodes, time.monotonic() - started)
    decided, nodes = 0, searched.nodes
    if left is not None:
        if left == Limits():
            left = Limits(max(searched.nodes, _MIN_NODES))
        rest = replace(options, limits=left)
        solution = solve_in_core(position, rest, progress, forward_only=True)
        nodes += solution.nodes
        if solution.status != "unknown":
            return replace(solution, nodes=nodes, seconds=time.monotonic() - started)
        decided = solution.decided or 0
    seconds = time.monotonic() - started
    fen, game = position.fen, position.game.id
    return Solution(fen, game, "unknown", nodes=nodes, seconds=seconds, decided=decided, note=searched.note)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a proof-number search. ``note`` states why there is no solution, unless a limit was reached."""

    solution: Solution | None
    nodes: int
    note: str | None = None


def search_to_tables(
    position: Position, options: SolveOptions, progress: ProgressCallback | None
) -> SearchResult | None:
    """Search a position; return None if there are no tables for the board.

    :raises ringfen.TableError: A block that is needed is damaged.
    """
    started = time.monotonic()
    search = _new_search(position, options)
    if search is None:
        return None
    if not search.solve(_limits_of_value(options), progress):
        note = None
        if search.is_full:
            note = f"the memory is full; more (hash_mb above {options.hash_mb}) might give an answer"
        return SearchResult(None, search.nodes, note)
    solution = _solution_of(position, options, search, started, progress)
    return SearchResult(replace(solution, nodes=search.nodes, seconds=time.monotonic() - started), search.nodes)


def search_beyond_tables(position: Position, options: SolveOptions) -> ProofNumberSearch | None:
    """Return a new search if this is the method that solves the position, otherwise None."""
    if position.is_over or options.depth is not None or fits_in_memory(position, options):
        return None
    if solve_with_tables(position, options) is not None:
        return None
    return _new_search(position, options)


def _new_search(position: Position, options: SolveOptions) -> ProofNumberSearch | None:
    """Return a new search, or None if the game has no such search, or no tables for the board."""
    rules = position.game.tables
    if rules is None or not rules.max_search_stones:
        return None
    tables = tables_for(position, options, rules.max_search_stones)
    if tables is None or not len(tables):
        return None
    threads = 1 if options.limits.nodes is not None else options.threads
    return ProofNumberSearch(tables, position, options.hash_mb << 20, threads)


def _limits_of_value(options: SolveOptions) -> Limits:
    """Return the limits for finding the value. The rest is for forward search and, without ``wdl``, the distance."""
    nodes, seconds = options.limits.nodes, options.limits.seconds
    parts = 16 if options.wdl else 4
    return Limits(
        None if nodes is None else max(1, nodes * (parts - 1) // parts),
        None if seconds is None else seconds * (parts - 1) / parts,
    )


def _solution_of(
    position: Position,
    options: SolveOptions,
    search: ProofNumberSearch,
    started: float,
    progress: ProgressCallback | None,
) -> Solution:
    """Return the solution after a search has found the value, with bounds of the distance."""
    winner = search.winner(position)
    assert winner is not None
    player = position.player_number
    # If a limit is reached from here on, the value is still proven, but the distance has no upper bound.
    left = Limits(seconds=options.limits.seconds).after(0, time.monotonic() - started)
    measured = winner != 0 and left is not None and search.measure(left, progress)
    if measured and not options.wdl:
        exact = _with_distance(position, options, search, DistanceLimits(options.limits, search, started), progress)
        if exact is not None:
            return exact
    best, complete = _plies_that_keep(position, search, winner)
    is_exact = winner == 0 or options.wdl
    line, is_whole = _stored_line(position, search, winner) if measured or winner == 0 else (best[:1], False)
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


def _note_on_distance(options: SolveOptions, search: ProofNumberSearch) -> str | None:
    """Return the reason why the distance is not known, unless a limit was reached."""
    if search.is_full:
        return f"the memory is full; more (hash_mb above {options.hash_mb}) might give the distance"
    if options.limits == Limits():
        return "without a limit the search for the distance visits few nodes; a limit (seconds or nodes) may give it"
    return None


class DistanceLimits:
    """The limits for finding the distance.

    Without limits they are a quarter of the nodes that the value took, or :data:`_MIN_NODES` if that is more.
    """

    def __init__(self, limits: Limits, search: ProofNumberSearch, started: float) -> None:
        if limits == Limits():
            limits = Limits(search.nodes + max(search.nodes // 4, _MIN_NODES))
        self._limits = limits
        self._search = search
        self._started = started

    def left(self) -> Limits | None:
        """Return the rest of the limits; None if nothing is left."""
        return self._limits.after(self._search.nodes, time.monotonic() - self._started)


def _with_distance(
    position: Position,
    options: SolveOptions,
    search: ProofNumberSearch,
    limits: DistanceLimits,
    progress: ProgressCallback | None,
) -> Solution | None:
    """Return the solution with its distance, or None if a limit is reached before a best ply is known."""
    left = limits.left()
    if left is None or not search.deepen(left, progress):
        return None
    distance, winner = search.lower, search.winner(position)
    wins = winner == position.player_number
    answers = [(ply, _keeps_distance(search, after, distance, wins, limits)) for ply, after in position.successors()]
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


def _keeps_distance(
    search: ProofNumberSearch, after: Position, distance: int, winner_moves: bool, limits: DistanceLimits
) -> bool | None:
    """Return whether a ply from a position with this distance keeps it; None if a limit was reached."""
    if distance == 1 and not winner_moves:
        return True
    found = search.wins_within(after, distance - 1 if winner_moves else distance - 2, limits.left())
    return None if found is None else found is winner_moves


def _shortest_line(
    position: Position, search: ProofNumberSearch, distance: int, winner: int | None, limits: DistanceLimits
) -> tuple[str, ...]:
    """Return a line of first best plies to the end of the game, or until a limit is reached."""
    line: list[str] = []
    while not position.is_over:
        known = _line_in_tables(position, search)
        if known is not None:
            return (*line, *known)
        wins = position.player_number == winner
        answers = ((pair, _keeps_distance(search, pair[1], distance, wins, limits)) for pair in position.successors())
        found = next((pair for pair, keeps in answers if keeps), None)
        if found is None:
            break
        line.append(found[0])
        position, distance = found[1], distance - 1
    return tuple(line)


def _line_in_tables(position: Position, search: ProofNumberSearch) -> tuple[str, ...] | None:
    """Return a line of best play to the end; None if a table that it needs is missing."""
    try:
        return principal_line(position, value_lookup(search.tables))
    except KeyError:
        return None


def _plies_that_keep(position: Position, search: ProofNumberSearch, winner: int) -> tuple[tuple[str, ...], bool]:
    """Return the plies that are known to keep the value of a position, and whether these are all such plies.

    In a drawn position these are the plies after which the other side does not win.
    """
    player = position.player_number
    side, keeps = (player, True) if winner == player else (3 - player, winner != 0)
    answers = [(ply, search.wins(after, side)[0]) for ply, after in position.successors()]
    if winner == 3 - player:
        return tuple(ply for ply, _ in answers), True
    return tuple(ply for ply, answer in answers if answer is keeps), all(answer is not None for _, answer in answers)


def _stored_line(position: Position, search: ProofNumberSearch, winner: int) -> tuple[tuple[str, ...], bool]:
    """Return a line that keeps the value to the end of the game or to the first repetition, and whether it is complete.

    If the position is won, the line follows the stored strategy against the longest defence, up to the tables. It can
    be shorter than the upper bound of the distance, because later positions can have narrower bounds.
    """
    line: list[str] = []
    seen = set[Position]()
    while not position.is_over and position not in seen:
        seen.add(position)
        known = _line_in_tables(position, search)
        if known is not None:
            return (*line, *known), True
        found = _next_stored(position, search, winner)
        if found is None:
            return tuple(line), False
        ply, position = found
        line.append(ply)
    return tuple(line), True


def _next_stored(position: Position, search: ProofNumberSearch, winner: int) -> tuple[str, Position] | None:
    """Return the ply with the best bound (in a drawn position the first that keeps the draw) and the position after it.

    None: no such ply is known.
    """
    if winner == 0:
        drawn = (pair for pair in position.successors() if search.winner(pair[1]) == 0)
        return next(drawn, None)
    bounds = [(search.wins(after, winner), ply, after) for ply, after in position.successors()]
    known = [(upper or 0, ply, after) for (wins, upper), ply, after in bounds if wins]
    if not known:
        return None
    best = (min if position.player_number == winner else max)(upper for upper, _, _ in known)
    return next((ply, after) for upper, ply, after in known if upper == best)
