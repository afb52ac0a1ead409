"""The King of Rings in plain Python, only from the rules (spec/rings.md): slow, and meant to be
obvious."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
RANKS = 7
MOST_KNIGHTS = {7: 7, 5: 5}
"""By the number of files (K1, K2)."""
MOST_RINGS = {7: {"1": 28, "3": 6, "5": 1}, 5: {"1": 20, "3": 4, "5": 1}}
"""By the number of files, then by points (K2)."""

START = "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0"


@dataclass(frozen=True)
class State:
    """A position.

    ``cells`` are the squares a1, b1, … as they are written: ``.``, a free ring ``1`` ``3`` ``5``,
    a knight ``K`` or ``k``, or a holder such as ``K(311)``. ``hands`` are South's and North's
    knights in hand, ``passes`` the passes made in a row.
    """

    files: int
    cells: tuple[str, ...]
    side: str
    hands: tuple[int, int]
    passes: int


def _other(side: str) -> str:
    return "n" if side == "s" else "s"


def _knight(side: str) -> str:
    return "K" if side == "s" else "k"


def _is_ring(cell: str) -> bool:
    return cell in ("1", "3", "5")


def _held(cell: str) -> str:
    """The rings that the knight on a square holds, as in ``311``; empty without any."""
    return cell[2:-1] if "(" in cell else ""


def _name(state: State, index: int) -> str:
    rank, file = divmod(index, state.files)
    return "abcdefg"[file] + str(rank + 1)


def _square(state: State, name: str) -> int:
    return (int(name[1]) - 1) * state.files + "abcdefg".index(name[0])


# Positions


def parse(text: str) -> State:
    """Read a position line.

    :raises ValueError: if it is not canonical, or listed under 'Positions that are rejected'
    """
    fields = re.split("[ \t]+", text)
    if len(fields) != 5:
        raise ValueError("expected: rings RANKS SIDE HANDS PASSES")
    game, ranks_text, side, hands, passes = fields
    if game != "rings":
        raise ValueError(f"game {game!r} is not rings")
    if side not in ("s", "n"):
        raise ValueError(f"SIDE {side!r} is neither s nor n")
    if not re.fullmatch("(0|[1-9][0-9]*)[+](0|[1-9][0-9]*)", hands):
        raise ValueError(f"HANDS {hands!r} are not two numbers with + between")
    if passes not in ("0", "1", "2"):
        raise ValueError(f"PASSES {passes!r} is not 0, 1 or 2")

    ranks = [_read_rank(rank) for rank in reversed(ranks_text.split("/"))]
    files = len(ranks[0])
    if len(ranks) != RANKS or files not in MOST_KNIGHTS or any(len(r) != files for r in ranks):
        raise ValueError("the board is neither 7 files by 7 ranks nor 5 files by 7 ranks")
    south, north = hands.split("+")
    state = State(
        files=files,
        cells=tuple(cell for rank in ranks for cell in rank),
        side=side,
        hands=(int(south), int(north)),
        passes=int(passes),
    )
    _check_pieces(state)
    _check_passes(state)
    return state


def _read_rank(rank: str) -> list[str]:
    cell = r"[.135]|[Kk](?:\(5*3*1*\))?"
    if not re.fullmatch(f"(?:{cell})+", rank) or "()" in rank:
        raise ValueError(f"rank {rank!r} cannot be read, or a holder's rings do not fall")
    return re.findall(cell, rank)


def _check_pieces(state: State) -> None:
    """K3: never more than the pieces of K2."""
    for side, hand in zip("sn", state.hands, strict=True):
        on_board = sum(cell.startswith(_knight(side)) for cell in state.cells)
        if on_board + hand > MOST_KNIGHTS[state.files]:
            raise ValueError(f"more knights of {side} than the game has")
    for points, most in MOST_RINGS[state.files].items():
        if sum(cell.count(points) for cell in state.cells) > most:
            raise ValueError(f"more rings of {points} than the game has")


def _check_passes(state: State) -> None:
    """K9: only a player without a move or a drop passes, and a pass changes nothing on the board."""
    passed = {0: "", 1: _other(state.side), 2: "sn"}[state.passes]
    for side in passed:
        if _moves_and_drops(replace(state, side=side)):
            raise ValueError(f"{side} has passed, but has a legal ply")


def text(state: State) -> str:
    """The canonical position line."""
    ranks = "/".join(
        "".join(state.cells[rank * state.files : (rank + 1) * state.files]) for rank in reversed(range(RANKS))
    )
    return f"rings {ranks} {state.side} {state.hands[0]}+{state.hands[1]} {state.passes}"


def player(state: State) -> str:
    """Who makes the next ply."""
    return state.side


def is_chance(state: State) -> bool:
    """Never: the game has no chance."""
    return False


def score(state: State) -> tuple[int, int]:
    """The points on South's and North's knights on the board (K10)."""
    south, north = (
        sum(int(ring) for cell in state.cells if cell[0] == knight for ring in _held(cell)) for knight in "Kk"
    )
    return south, north


def _is_over(state: State) -> bool:
    """K9: two passes; K10: no free ring and South to move."""
    no_free_ring = not any(map(_is_ring, state.cells))
    return state.passes == 2 or (no_free_ring and state.side == "s")


def outcome(state: State) -> str | None:
    """None while the game continues, else the side with the higher score, or ``draw`` (K10)."""
    if not _is_over(state):
        return None
    south, north = score(state)
    if south == north:
        return "draw"
    return "s" if south > north else "n"


# Plies


def plies(state: State) -> list[str]:
    """All legal plies in byte order, ``pass`` only if there is nothing else (K9)."""
    return list(_plies(state))


@lru_cache(maxsize=10_000)
def _plies(state: State) -> tuple[str, ...]:
    if _is_over(state):
        return ()
    return tuple(sorted(_moves_and_drops(state))) or ("pass",)


def _moves_and_drops(state: State) -> list[str]:
    """What the side to move can do on the board (K4 to K8), over or not."""
    found: list[str] = []
    own = _knight(state.side)
    has_knights = state.hands["sn".index(state.side)] > 0
    for index, cell in enumerate(state.cells):
        if cell[0] == own:
            found.extend(_moves_of_knight(state, index))
        elif has_knights and _is_ring(cell):
            found.append("@" + _name(state, index))
    return found


def _moves_of_knight(state: State, index: int) -> Iterator[str]:
    rings = len(_held(state.cells[index]))
    rank, file = divmod(index, state.files)
    for rank_step, file_step in DIRECTIONS:
        to_rank = rank + rank_step * max(rings, 1)
        to_file = file + file_step * max(rings, 1)
        if not (0 <= to_rank < RANKS and 0 <= to_file < state.files):
            continue
        to = to_rank * state.files + to_file
        target = state.cells[to]
        if target[0] == _knight(_other(state.side)):
            yield f"{_name(state, index)}x{_name(state, to)}"
        elif _is_ring(target) or (target == "." and rings == 0):
            yield f"{_name(state, index)}-{_name(state, to)}"


def apply(state: State, ply: str) -> State:
    """The position after a ply.

    :raises ValueError: if the ply is not legal
    """
    if ply not in _plies(state):
        raise ValueError(f"{ply!r} is not legal in {text(state)!r}")
    return _after(state, ply)


def null_ply(state: State) -> State | None:
    """The position after a null ply; None if the game is over."""
    return None if _is_over(state) else replace(state, side=_other(state.side), passes=0)


def _after(state: State, ply: str) -> State:
    """The position after a ply known to be legal."""
    mover, opponent = state.side, _other(state.side)
    if ply == "pass":
        return replace(state, side=opponent, passes=state.passes + 1)

    cells = list(state.cells)
    hands = dict(zip("sn", state.hands, strict=True))
    if ply[0] == "@":
        to = _square(state, ply[1:])
        rings = cells[to]
        hands[mover] -= 1
    else:
        origin, to = _square(state, ply[:2]), _square(state, ply[3:])
        target = cells[to]
        rings = _held(cells[origin]) + (target if _is_ring(target) else _held(target))
        if ply[2] == "x" and _held(target):
            hands[opponent] += 1  # K7: a knight without rings is out of the game
        cells[origin] = "."
    falling = "".join(sorted(rings, reverse=True))
    cells[to] = _knight(mover) + (f"({falling})" if falling else "")
    return State(state.files, tuple(cells), opponent, (hands["s"], hands["n"]), 0)


def accepts(state: State, ply: str) -> str | None:
    """The ply if it is legal, else None: the game has no longer forms."""
    return ply if ply in _plies(state) else None


# Searches


def perft(state: State, depth: int) -> int:
    """The number of sequences of ``depth`` plies."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(_plies(state))
    return sum(perft(_after(state, ply), depth - 1) for ply in _plies(state))


def solve(state: State, max_positions: int = 200_000) -> tuple[int, list[str], bool]:
    """The margin for the side to move, the plies that keep it, and whether play is endless.

    A line that never ends counts as margin 0 (K11). Play is taken to be endless if the value is
    0 and no line of best play, in which every ply keeps the value for its player, reaches an end
    of the game: the 0 can only come from not ending.

    :raises OverflowError: if more than ``max_positions`` positions can be reached
    """
    children = _reachable(state, max_positions)
    values = _values(children)
    value = values[state]
    best = [ply for ply, child in children[state].items() if values[child] == value]
    margin = value if state.side == "s" else -value
    return margin, best, not _best_play_can_end(state, children, values)


Graph = dict[State, dict[str, State]]
"""For each position, where its plies lead."""


def _reachable(start: State, max_positions: int) -> Graph:
    children: Graph = {}
    known = {start: start}
    todo = [start]
    while todo:
        here = todo.pop()
        children[here] = {}
        for ply in _plies(here):
            there = _after(here, ply)
            if there not in known:
                known[there] = there
                todo.append(there)
                if len(known) > max_positions:
                    raise OverflowError(f"more than {max_positions} positions can be reached")
            children[here][ply] = known[there]
    return children


def _values(children: Graph) -> dict[State, int]:
    """South's margin under perfect play for every position of a graph.

    South has at least m > 0 exactly where it can force an end with at least m; so with m
    falling from the highest margin to 1, the positions from which South can force such an end
    for the first time have the value m. The same applies to North. All others have 0: neither side can
    force an end that is better for it than 0, so each can hold the other to 0, be it by an
    end with 0 or by never ending.
    """
    ends: dict[int, list[State]] = {}
    for state, out in children.items():
        if not out:
            south, north = score(state)
            ends.setdefault(south - north, []).append(state)
    parents: dict[State, list[State]] = {state: [] for state in children}
    for state, out in children.items():
        for child in set(out.values()):
            parents[child].append(state)

    values: dict[State, int] = {}
    for winner, sign in (("s", 1), ("n", -1)):
        # How many children the loser has left that do not lose.
        left = {state: len(set(out.values())) for state, out in children.items()}
        for margin in sorted((m for m in ends if m * sign > 0), key=abs, reverse=True):
            values.update(dict.fromkeys(ends[margin], margin))
            todo = deque(ends[margin])
            while todo:
                for parent in parents[todo.popleft()]:
                    left[parent] -= 1
                    if parent not in values and (parent.side == winner or left[parent] == 0):
                        values[parent] = margin
                        todo.append(parent)
    return {state: values.get(state, 0) for state in children}


def _best_play_can_end(state: State, children: Graph, values: dict[State, int]) -> bool:
    """Whether plies that keep the value lead from ``state`` to an end of the game.

    Where the value is not 0 they always do, since only an end has such a value (K11).
    """
    known = {state}
    todo = [state]
    while todo:
        here = todo.pop()
        if not children[here]:
            return True
        for child in children[here].values():
            if values[child] == values[state] and child not in known:
                known.add(child)
                todo.append(child)
    return False
