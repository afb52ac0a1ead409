"""Gygès in plain Python, only from the rules (spec/gyges.md): slow, and meant to be obvious."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, repeat

FILES = "abcdef"
SQUARES = tuple(file + rank for rank in "123456" for file in FILES)
THRONES = ("S", "N")
ONE_SET = (1, 1, 2, 2, 3, 3)

START = "gyges ....../....../....../....../....../...... s - 1+1"


@dataclass(frozen=True)
class State:
    """A position.

    ``heights`` holds the ring on each of ``SQUARES``, 0 if it is empty. ``throne`` is the
    ring on the throne of ``side``, which the other side has just conquered, or 0. ``goals`` are
    the conquests that South and North still need. ``sets_up``: whether the next ply is a setup.
    """

    heights: tuple[int, ...]
    side: str
    throne: int
    goals: tuple[int, int]
    sets_up: bool = False


Connection = frozenset[str]
"""The two fields that it joins."""

Arrival = tuple[str, frozenset[Connection]]
"""A field, and the connections used on the way to it."""


def _connections() -> set[Connection]:
    """The 72 connections of G1."""
    found = set()
    for i, file in enumerate(FILES):
        for rank in range(1, 7):
            here = f"{file}{rank}"
            if i < 5:
                found.add(frozenset({here, f"{FILES[i + 1]}{rank}"}))
            if rank < 6:
                found.add(frozenset({here, f"{file}{rank + 1}"}))
        found.add(frozenset({"S", f"{file}1"}))
        found.add(frozenset({"N", f"{file}6"}))
    return found


NEIGHBOURS: dict[str, list[tuple[str, Connection]]] = {
    field: [(other, pair) for pair in _connections() if field in pair for other in pair - {field}]
    for field in SQUARES + THRONES
}


def _other(side: str) -> str:
    return "n" if side == "s" else "s"


def _index(side: str) -> int:
    return 0 if side == "s" else 1


def _goal(side: str) -> str:
    """The opponent's throne, the only one that ``side`` may enter (G8)."""
    return "N" if side == "s" else "S"


def _board(state: State) -> dict[str, int]:
    """The rings by square; empty squares are absent."""
    return {square: height for square, height in zip(SQUARES, state.heights, strict=True) if height}


def _heights(board: dict[str, int]) -> tuple[int, ...]:
    return tuple(map(board.get, SQUARES, repeat(0)))


# Positions


def parse(text: str) -> State:
    """Read a position line.

    :raises ValueError: if it is not canonical, or listed under 'Positions that are rejected'
    """
    fields = re.split("[ \t]+", text)
    is_set_up = fields[5:] == ["setup=done"]
    if len(fields) != 5 + is_set_up:
        raise ValueError("expected: gyges RANKS SIDE THRONE GOALS [setup=done]")
    game, ranks, side, throne, goals = fields[:5]
    if game != "gyges":
        raise ValueError(f"game {game!r} is not gyges")
    if not re.fullmatch("[.123]{6}(/[.123]{6}){5}", ranks):
        raise ValueError(f"RANKS {ranks!r} are not six ranks of six squares")
    if side not in ("s", "n"):
        raise ValueError(f"SIDE {side!r} is neither s nor n")
    if throne not in ("-", "1", "2", "3"):
        raise ValueError(f"THRONE {throne!r} is neither - nor a ring")
    if not re.fullmatch("[0-9][+][0-9]", goals):
        raise ValueError(f"GOALS {goals!r} are not two digits with + between")

    from_south = "".join(reversed(ranks.split("/")))
    state = State(
        heights=tuple(0 if char == "." else int(char) for char in from_south),
        side=side,
        throne=0 if throne == "-" else int(throne),
        goals=(int(goals[0]), int(goals[2])),
    )
    _check_rings(state)
    _check_goals(state)
    if is_set_up and not _looks_half_set_up(state):
        raise ValueError("setup=done is written only where it is needed")
    sets_up = not any((*state.heights, state.throne)) or (_looks_half_set_up(state) and not is_set_up)
    return replace(state, sets_up=sets_up)


def _looks_half_set_up(state: State) -> bool:
    """South's setup and nothing else, and North is to move."""
    rank_1, others = state.heights[:6], state.heights[6:]
    return sorted(rank_1) == list(ONE_SET) and not any((*others, state.throne)) and state.side == "n"


def _check_rings(state: State) -> None:
    """G2 and G3: one to four rings of each height, or none before South's setup."""
    rings = [height for height in (*state.heights, state.throne) if height]
    if not rings and state.side != "s":
        raise ValueError("on the empty board South is to set up")
    if any(rings.count(height) > 4 for height in (1, 2, 3)):
        raise ValueError("there are more than four rings of a height")


def _check_goals(state: State) -> None:
    """G9: 1 to 9 conquests, fewer for the side that has just made one, 0 for the winner."""
    own = state.goals[_index(state.side)]
    opposing = state.goals[_index(_other(state.side))]
    if own == 0:
        raise ValueError("a finished position has the loser as SIDE")
    if opposing == 0 and not state.throne:
        raise ValueError("a 0 in GOALS without a ring on THRONE")
    if opposing == 9 and state.throne:
        raise ValueError("9 in GOALS for the side that has just conquered")


def text(state: State) -> str:
    """The canonical position line."""
    chars = "".join(str(height) if height else "." for height in state.heights)
    ranks = "/".join(chars[6 * rank : 6 * rank + 6] for rank in reversed(range(6)))
    throne = str(state.throne) if state.throne else "-"
    option = " setup=done" if _looks_half_set_up(state) and not state.sets_up else ""
    return f"gyges {ranks} {state.side} {throne} {state.goals[0]}+{state.goals[1]}{option}"


def player(state: State) -> str:
    """Who makes the next ply."""
    return state.side


def is_chance(state: State) -> bool:
    """Never: the game has no chance."""
    return False


def outcome(state: State) -> str | None:
    """The winner, or None (G8, G9). There are no draws (G11)."""
    if state.goals[0] == 0:
        return "s"
    if state.goals[1] == 0:
        return "n"
    return None


# Plies


def plies(state: State) -> list[str]:
    """All legal plies, in the short form and in byte order."""
    return list(_plies(state))


@lru_cache(maxsize=10_000)
def _plies(state: State) -> tuple[str, ...]:
    if outcome(state) is not None:
        return ()
    board = _board(state)
    if state.sets_up:
        found = {"".join(map(str, order)) for order in permutations(ONE_SET)}
    elif state.throne:
        found = {f"={square}" for square in _places(board, _other(state.side))}
        if not found:  # the other rings fill the first rank of this side
            found = {f"={square}" for square in SQUARES if square not in board}
    else:
        found = _moves(board, state.side)
    return tuple(sorted(found))


def _moves(board: dict[str, int], side: str) -> set[str]:
    """The moves with a ring of the first rank that has any (G4)."""
    for rank in _ranks_from(side):
        found = {ply for square in board if square[1] == rank for ply in _moves_of_ring(board, square, side)}
        if found:
            return found
    raise AssertionError("G4: there always is a legal move")


def _ranks_from(side: str) -> str:
    """The ranks, that nearest to ``side`` first."""
    return "123456" if side == "s" else "654321"


def _moves_of_ring(board: dict[str, int], origin: str, side: str) -> Iterator[str]:
    others = {square: height for square, height in board.items() if square != origin}
    for field in _landings(others, origin, board[origin], _goal(side)):
        if field not in others:
            yield f"{origin}-{field}"
        else:
            after = {**others, field: board[origin]}
            for square in _places(after, _other(side)):
                yield f"{origin}x{field}-{square}"


def _landings(others: dict[str, int], origin: str, height: int, goal: str) -> set[str]:
    """Where the ring can be after its own leg and any number of bounces (G6).

    ``others`` is the board without the moving ring, since what it left counts as empty (G5).
    """
    arrivals: set[Arrival] = set()
    todo = set(_legs(others, (origin, frozenset()), height, goal))
    while todo:
        arrival = todo.pop()
        arrivals.add(arrival)
        if arrival[0] in others:
            bounces = set(_legs(others, arrival, others[arrival[0]], goal))
            todo |= bounces - arrivals
    return {field for field, _ in arrivals}


def _legs(others: dict[str, int], start: Arrival, steps: int, goal: str) -> Iterator[Arrival]:
    """Every way to continue by ``steps`` steps (G5), a throne coming last if at all (G8)."""
    field, used = start
    for neighbour, connection in NEIGHBOURS[field]:
        if connection in used:
            continue
        there = (neighbour, used | {connection})
        if steps == 1:
            if neighbour not in THRONES or neighbour == goal:
                yield there
        elif neighbour not in THRONES and neighbour not in others:
            yield from _legs(others, there, steps - 1, goal)


def _places(board: dict[str, int], opponent: str) -> list[str]:
    """The squares for a ring off the board (G7): empty ones, not before the active rank of
    ``opponent``, which is the first rank on its side that holds a ring."""
    ranks = _ranks_from(opponent)
    if not board:
        return list(SQUARES)
    active = min(ranks.index(square[1]) for square in board)
    return [square for square in SQUARES if square not in board and ranks.index(square[1]) >= active]


def apply(state: State, ply: str) -> State:
    """The position after a ply in the short form.

    :raises ValueError: if the ply is not legal
    """
    if ply not in _plies(state):
        raise ValueError(f"{ply!r} is not legal in {text(state)!r}")
    return _after(state, ply)


def null_ply(state: State) -> State | None:
    """The position after a null ply; None at the end, before a ring is put back, and in the setup."""
    ready = plies(state) and not state.throne and not plies(state)[0].isdigit()
    return State(state.heights, _other(state.side), 0, state.goals) if ready else None


def _after(state: State, ply: str) -> State:
    """The position after a ply known to be legal."""
    board = _board(state)
    mover, opponent = state.side, _other(state.side)

    if ply.isdigit():
        rank = "1" if mover == "s" else "6"
        board.update({file + rank: int(height) for file, height in zip(FILES, ply, strict=True)})
        return State(_heights(board), opponent, state.throne, state.goals, sets_up=mover == "s")

    if ply.startswith("="):
        board[ply[1:]] = state.throne
        return State(_heights(board), mover, 0, state.goals)

    origin, target, *displaced_to = re.split("[-x]", ply)
    ring = board.pop(origin)
    if target in THRONES:
        south, north = state.goals
        goals = (south - 1, north) if mover == "s" else (south, north - 1)
        return State(_heights(board), opponent, ring, goals)
    if displaced_to:
        board[displaced_to[0]] = board[target]
    board[target] = ring
    return State(_heights(board), opponent, state.throne, state.goals)


def accepts(state: State, ply: str) -> str | None:
    """The short form of a ply that may name its bounces, or None if it is not legal.

    If any bounce is named, all must be, in their order (notation.md, Plies).
    """
    if ply in _plies(state):
        return ply
    square = "[a-f][1-6]"
    match = re.fullmatch(f"({square})((?:-{square})+)(-[SN]|-{square}|x{square}-{square})", ply)
    if not match:
        return None
    origin, bounces, end = match[1], match[2][1:].split("-"), match[3]
    short = origin + end
    if short not in _plies(state):
        return None
    return short if _way_exists(state, origin, [*bounces, re.split("[-x]", end)[1]]) else None


def _way_exists(state: State, origin: str, stops: list[str]) -> bool:
    """Whether a way from ``origin`` makes exactly these stops, the last one being its end."""
    others = _board(state)
    steps = others.pop(origin)
    arrivals: set[Arrival] = {(origin, frozenset())}
    for number, stop in enumerate(stops):
        arrivals = {
            there for here in arrivals for there in _legs(others, here, steps, _goal(state.side)) if there[0] == stop
        }
        if number < len(stops) - 1:
            if stop not in others:
                return False
            steps = others[stop]
    return bool(arrivals)


# Searches


def perft(state: State, depth: int) -> int:
    """The number of sequences of ``depth`` plies."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(_plies(state))
    return sum(perft(_after(state, ply), depth - 1) for ply in _plies(state))


def win_within(state: State, n: int) -> bool:
    """Whether the side to move forces a win within ``n`` plies, where every ply counts as 1."""
    return _forces(state, state.side, n)


def loss_within(state: State, n: int) -> bool:
    """Whether the opponent of the side to move forces a win within ``n`` plies."""
    return _forces(state, _other(state.side), n)


def _forces(state: State, winner: str, n: int) -> bool:
    if outcome(state) is not None:
        return outcome(state) == winner
    # Between two conquests lie the ply that puts the ring back and a move of the other side.
    if n < 3 * state.goals[_index(winner)] - 2:
        return False
    if n == 1:
        # The last ply of a game is one onto a throne (G8), and the mover wins by it.
        if state.side != winner:
            return False
        return any(outcome(_after(state, ply)) == winner for ply in _plies(state) if ply[-1] in THRONES)
    results = (_forces(_after(state, ply), winner, n - 1) for ply in _plies(state))
    return any(results) if state.side == winner else all(results)
