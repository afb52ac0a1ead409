"""Siaius, written only from the rules (S1 to S10) as a second implementation for the tests.

Plain and slow on purpose. It shares no code with the C core.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

START = "siaius smtsmtsmts/mtsmtsmtsm/tsmtsmtsmt/10/10/10/10/TSMTSMTSMT/MTSMTSMTSM/SMTSMTSMTS s - - 0"

FILES = "abcdefghij"
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
PREY = {
    "normal": {"S": "M", "M": "T", "T": "S"},
    "reverse": {"M": "S", "T": "M", "S": "T"},
}


@dataclass(frozen=True)
class State:
    """A position. `rows` begins with rank 1, "." is an empty square, "-" no bonus."""

    rows: tuple[str, ...]
    side: str
    missed: tuple[str, ...]
    bonus: str
    passes: int
    beats: str = "normal"
    huff: str = "turn"


# ---------------------------------------------------------------------------------------------
# Squares and stones


_NAMES = {(x, y): f"{file}{y + 1}" for x, file in enumerate(FILES) for y in range(12)}
_PLACES = {name: place for place, name in _NAMES.items()}


def _name(x: int, y: int) -> str:
    return _NAMES[x, y]


def _xy(square: str) -> tuple[int, int]:
    return _PLACES[square]


def _ordered(squares: Iterable[str]) -> tuple[str, ...]:
    """Squares in the order a1, b1, ..., a2, ..."""
    return tuple(sorted(squares, key=lambda square: _xy(square)[::-1]))


def _other(side: str) -> str:
    return "n" if side == "s" else "s"


def _owner(stone: str) -> str:
    return "s" if stone.isupper() else "n"


def _at(state: State, square: str) -> str:
    x, y = _xy(square)
    return state.rows[y][x]


def _put(rows: tuple[str, ...], square: str, content: str) -> tuple[str, ...]:
    x, y = _xy(square)
    row = rows[y][:x] + content + rows[y][x + 1 :]
    return (*rows[:y], row, *rows[y + 1 :])


def _stones(state: State, side: str) -> list[str]:
    """The squares with stones of that side."""
    own = "SMTC" if side == "s" else "smtc"
    return [_name(x, y) for y, row in enumerate(state.rows) for x, stone in enumerate(row) if stone in own]


def _farthest(state: State, side: str) -> int:
    return len(state.rows) - 1 if side == "s" else 0


# ---------------------------------------------------------------------------------------------
# Moving and capturing


def _captures(state: State, stone: str, victim: str) -> bool:
    """Whether the one may capture the other (S4, S6)."""
    if _owner(stone) == _owner(victim):
        return False
    if stone.upper() == "C":
        return True
    return PREY[state.beats][stone.upper()] == victim.upper()


def _targets(state: State, origin: str) -> list[tuple[str, bool]]:
    """Where the stone on `origin` can go, each with whether it captures there (S3, S4, S6)."""
    found: list[tuple[str, bool]] = []
    x, y = _xy(origin)
    stone = _at(state, origin)
    longest = 2 if stone.upper() == "C" else 1
    for dx, dy in DIRECTIONS:
        for distance in range(1, longest + 1):
            u, v = x + distance * dx, y + distance * dy
            if not (0 <= v < len(state.rows) and 0 <= u < len(state.rows[0])):
                break
            there = state.rows[v][u]
            if there == ".":
                found.append((_name(u, v), False))
                continue
            if _captures(state, stone, there):
                found.append((_name(u, v), True))
            break
    return found


def _can_move(state: State, side: str) -> bool:
    return any(_targets(state, square) for square in _stones(state, side))


def _can_capture(state: State, square: str) -> bool:
    return any(capture for _, capture in _targets(state, square))


def _move_texts(state: State, origin: str) -> list[str]:
    return [f"{origin}{'x' if capture else '-'}{target}" for target, capture in _targets(state, origin)]


# ---------------------------------------------------------------------------------------------
# Text


def _read_row(text: str) -> str:
    row = ""
    for token in re.findall(r"[0-9]+|.", text, re.DOTALL):
        if token in "SMTCsmtc":
            row += token
        elif re.fullmatch(r"[1-9]|10", token):
            row += "." * int(token)
        else:
            raise ValueError(f"not a stone or a number of empty squares: {token!r}")
    if not 3 <= len(row) <= 10:
        raise ValueError(f"a rank of {len(row)} squares (S1: 3 to 10)")
    return row


def _write_row(row: str) -> str:
    return re.sub(r"\.+", lambda match: str(len(match[0])), row)


def _read_square(text: str, rows: tuple[str, ...]) -> str:
    if not re.fullmatch(r"[a-j]([1-9]|1[0-2])", text):
        raise ValueError(f"not a square: {text!r}")
    x, y = _xy(text)
    if x >= len(rows[0]) or y >= len(rows):
        raise ValueError(f"{text} is not on the board")
    return text


def parse(text: str) -> State:
    """Read a position; ValueError for anything not canonical or not sensible."""
    fields = re.split(r"[ \t]+", text)
    if len(fields) < 6 or fields[0] != "siaius":
        raise ValueError("not `siaius RANKS SIDE MISSED BONUS PASSES [options]`")
    _, ranks, side, missed_text, bonus, passes_text, *options = fields

    rows = tuple(_read_row(rank) for rank in reversed(ranks.split("/")))
    if not 3 <= len(rows) <= 12:
        raise ValueError(f"{len(rows)} ranks (S1: 3 to 12)")
    if len({len(row) for row in rows}) != 1:
        raise ValueError("ranks of different lengths")
    if _ranks_text(rows) != ranks:
        raise ValueError("ranks not canonical")

    if side not in ("s", "n"):
        raise ValueError(f"not a side: {side!r}")
    missed: tuple[str, ...] = ()
    if missed_text != "-":
        missed = tuple(_read_square(square, rows) for square in missed_text.split(","))
        if missed != _ordered(set(missed)):
            raise ValueError("MISSED out of order")
    if bonus != "-":
        _read_square(bonus, rows)
    if passes_text not in ("0", "1", "2"):
        raise ValueError(f"PASSES is {passes_text!r}, not 0 to 2")

    beats, huff = "normal", "turn"
    if options[:1] == ["beats=reverse"]:
        beats = "reverse"
        del options[0]
    if options[:1] in (["huff=stone"], ["huff=off"]):
        huff = options[0].removeprefix("huff=")
        del options[0]
    if options:
        raise ValueError(f"unknown, default or misplaced option: {options[0]!r}")

    state = State(rows, side, missed, bonus, int(passes_text), beats, huff)
    _check(state)
    return state


def _check(state: State) -> None:
    """Reject what docs/notation.md lists under 'Positions that are rejected'."""
    for side in "sn":
        for square in _stones(state, side):
            on_farthest = _xy(square)[1] == _farthest(state, side)
            if on_farthest and _at(state, square).upper() != "C":
                raise ValueError(f"an ordinary stone on its farthest rank: {square}")

    stones = {side: _stones(state, side) for side in "sn"}
    if not stones["s"] and not stones["n"]:
        raise ValueError("no stones at all")
    pending = state.missed != () or state.bonus != "-"
    if (not stones["s"] or not stones["n"]) and (pending or state.passes > 0):
        raise ValueError("a finished position with MISSED, BONUS or PASSES")

    if state.missed and state.huff == "off":
        raise ValueError("MISSED with huff=off")
    owner = _other(state.side) if state.bonus == "-" else state.side
    for square in state.missed:
        if square not in stones[owner]:
            raise ValueError(f"MISSED without a stone of the right side: {square}")

    if state.bonus != "-":
        champion = "C" if state.side == "s" else "c"
        on_farthest = _xy(state.bonus)[1] == _farthest(state, state.side)
        if _at(state, state.bonus) != champion or not on_farthest:
            raise ValueError("BONUS is not a champion of SIDE on its farthest rank")

    if state.passes > 0 and pending:
        raise ValueError("PASSES together with MISSED or BONUS")
    if state.passes >= 1 and _can_move(state, _other(state.side)):
        raise ValueError("PASSES though the side that passed has a legal move")
    if state.passes == 2 and _can_move(state, state.side):
        raise ValueError("PASSES is 2 though a side has a legal move")


def _ranks_text(rows: tuple[str, ...]) -> str:
    return "/".join(_write_row(row) for row in reversed(rows))


def text(state: State) -> str:
    """The canonical text of a position."""
    fields = [
        "siaius",
        _ranks_text(state.rows),
        state.side,
        ",".join(state.missed) or "-",
        state.bonus,
        str(state.passes),
    ]
    if state.beats != "normal":
        fields.append(f"beats={state.beats}")
    if state.huff != "turn":
        fields.append(f"huff={state.huff}")
    return " ".join(fields)


# ---------------------------------------------------------------------------------------------
# Playing


def player(state: State) -> str:
    """The side to act."""
    return state.side


def is_chance(state: State) -> bool:
    """Siaius has no chance events."""
    return False


def weight(state: State, ply: str) -> int:
    """Siaius has no chance events, so every ply weighs the same."""
    return 1


def outcome(state: State) -> str | None:
    """The winner, "draw", or None while the game continues (S8, S9)."""
    for side in "sn":
        if not _stones(state, side):
            return _other(side)
    return "draw" if state.passes == 2 else None


def plies(state: State) -> list[str]:
    """All legal plies in byte order."""
    if outcome(state) is not None:
        return []
    if state.bonus != "-":
        return sorted([*_move_texts(state, state.bonus), "stay"])
    moves = [move for square in _stones(state, state.side) for move in _move_texts(state, square)]
    huffs = [f"*{square}" for square in state.missed]
    return sorted(huffs + (moves or ["pass"]))


def accepts(state: State, ply: str) -> str | None:
    """The ply if it is legal, else None. Siaius has no long forms."""
    return ply if ply in plies(state) else None


def apply(state: State, ply: str) -> State:
    """The position after a legal ply."""
    if ply not in plies(state):
        raise ValueError(f"illegal ply: {ply}")
    return _play(state, ply)


def null_ply(state: State) -> State | None:
    """The position after a null ply; None if none is legal: the game is over or a bonus is open."""
    if outcome(state) is not None or state.bonus != "-":
        return None
    return replace(state, side=_other(state.side), missed=(), passes=0)


def _play(state: State, ply: str) -> State:
    if ply == "pass":
        return replace(state, side=_other(state.side), missed=(), passes=state.passes + 1)
    if ply == "stay":
        return replace(state, side=_other(state.side), bonus="-")
    if ply.startswith("*"):
        # S7, S9: a huff is not a turn, so the same side continues.
        return replace(state, rows=_put(state.rows, ply[1:], "."), missed=())
    return _play_move(state, ply)


def _play_move(state: State, ply: str) -> State:
    capture = "x" in ply
    origin, target = ply.split("x" if capture else "-")
    stone = _at(state, origin)

    missed = set(state.missed)
    if state.bonus == "-":
        # The first move of the turn decides who misses a capture (S7). What stood in MISSED
        # was the opponent's, and the right to huff it is gone.
        missed = {square for square in _stones(state, state.side) if _can_capture(state, square)}
    if capture and state.huff == "turn":
        missed = set()
    elif capture:
        missed.discard(origin)
    elif origin in missed:
        missed = missed - {origin} | {target}

    promoted = stone.upper() != "C" and _xy(target)[1] == _farthest(state, state.side)
    if promoted:
        stone = "C" if state.side == "s" else "c"
    rows = _put(_put(state.rows, origin, "."), target, stone)
    after = replace(state, rows=rows, missed=(), bonus="-", passes=0)

    if outcome(after) is not None:
        return replace(after, side=_other(state.side))
    if promoted and not capture and _can_capture(after, target):
        missed.add(target)
    if state.huff == "off":
        missed = set()
    after = replace(after, missed=_ordered(missed))
    if promoted:
        return replace(after, bonus=target)
    return replace(after, side=_other(state.side))


def perft(state: State, depth: int) -> int:
    """The number of different sequences of `depth` plies."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(plies(state))
    return sum(perft(_play(state, ply), depth - 1) for ply in plies(state))


# ---------------------------------------------------------------------------------------------
# Solving


def solve(state: State, max_positions: int = 200_000) -> tuple[str, int | None, list[str]]:
    """Value for the side to move, distance in plies and best plies; raises as ``values``."""
    graph, solved = values(state, max_positions)
    if state not in solved:
        return "draw", None, [ply for ply in plies(state) if graph[state][ply] not in solved]
    winner, distance = solved[state]
    best = [ply for ply in plies(state) if solved.get(graph[state][ply]) == (winner, distance - 1)]
    return ("win" if winner == state.side else "loss"), distance, best


def values(
    state: State, max_positions: int = 200_000
) -> tuple[dict[State, dict[str, State]], dict[State, tuple[str, int]]]:
    """Where the plies of every position that can be reached lead, and who wins in how many plies.

    Every position that can be reached is listed; results then go backwards from the finished
    ones. What no result reaches is a draw (S10). OverflowError if there are too many.
    """
    graph: dict[State, dict[str, State]] = {}
    before: dict[State, list[State]] = {state: []}
    todo = [state]
    while todo:
        here = todo.pop()
        graph[here] = {ply: _play(here, ply) for ply in plies(here)}
        for after in graph[here].values():
            if after not in before:
                if len(before) >= max_positions:
                    raise OverflowError(f"more than {max_positions} positions")
                before[after] = []
                todo.append(after)
            before[after].append(here)

    # Who wins and in how many plies. The queue holds them in order of distance, so a position
    # gets the shortest way if it is won, and the longest if it is lost.
    solved: dict[State, tuple[str, int]] = {}
    undecided = {here: len(after) for here, after in graph.items()}
    queue: deque[State] = deque()
    for here in graph:
        winner = outcome(here)
        if winner in ("s", "n"):
            solved[here] = (winner, 0)
            queue.append(here)
    while queue:
        after = queue.popleft()
        winner, distance = solved[after]
        for here in before[after]:
            undecided[here] -= 1
            if here not in solved and (winner == here.side or undecided[here] == 0):
                solved[here] = (winner, distance + 1)
                queue.append(here)
    return graph, solved
