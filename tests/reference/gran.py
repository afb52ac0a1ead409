"""GRAN, written only from the rules (R1 to R14) as a second implementation for the tests.

Plain and slow on purpose. It shares no code with the C core.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

DEFAULT_BOARD = """\
lines: orthogonal
cards: 2 0 4 6 6 4 2
stones: 16

realms:
TTTTTUUUU
TTTTTUUUU
TTTTwUUUU
TTTTwUUUU
EEwwwwwUU
EEEEwGGGG
EEEEwGGGG
EEEEGGGGG
EEEEGGGGG

symbols:
...Z.Z...
.CD...DC.
.DR....D.
Z..X.X..Z
.........
Z..X.X..Z
.D....SD.
.CD...DC.
...Z.Z...
"""

FILES = "abcdefghijkl"
DIE = range(1, 7)
SEAL_ORDER = "TUGE"
PHASE_SYMBOLS = {
    "fight": "D",
    "extra": "D",
    "ring": "CD",
    "stone": "Z",
    "sword": "X",
    "over": "C",
}

Adjacency = Mapping[str, frozenset[str]]


def _point_key(point: str) -> tuple[int, int]:
    """Sorts points in the order a1, b1, ..., a2, ..."""
    return int(point[1:]), FILES.index(point[0])


def _number(text: str, highest: int, what: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", text) or int(text) > highest:
        raise ValueError(f"{what} is {text!r}, not a number from 0 to {highest}")
    return int(text)


# ---------------------------------------------------------------------------------------------
# Board


@dataclass(frozen=True, eq=False)
class Board:
    """A board (R1). Two boards are equal only if they are the same object."""

    name: str
    realms: Mapping[str, str]
    symbols: Mapping[str, str]
    lines: Adjacency
    cards: tuple[int, ...]
    stones: int
    start: str
    ring: str

    @staticmethod
    def parse(text: str, name: str = "") -> Board:
        """Read a board file; raises ValueError with line and reason if it is invalid."""
        return _BoardReader().read(text, name)


class _BoardReader:
    """Reads a board file line by line."""

    def __init__(self) -> None:
        self.lines = ""
        self.cards: tuple[int, ...] | None = None
        self.stones: int | None = None
        self.blocks: dict[str, list[str]] = {}
        self.headers: dict[str, int] = {}
        self.changes: list[tuple[int, str, str, str]] = []

    def read(self, text: str, name: str) -> Board:
        if name and not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ValueError(f"not a name for a board: {name!r}")
        block = ""
        for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
            line = raw.split("#")[0].rstrip(" \t")
            try:
                if not line:
                    # A line that holds only a comment is not an empty line.
                    block = block if "#" in raw else ""
                elif block:
                    self._row(block, line)
                else:
                    block = self._line(number, line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
        return self._finish(name)

    def _line(self, number: int, line: str) -> str:
        """Read a line outside of the blocks. Returns the block that it opens, or ""."""
        key, colon, value = line.partition(":")
        values = value.split()
        if not colon:
            raise ValueError(f"not understood: {line!r}")
        if key in ("link", "unlink"):
            if len(values) != 2:
                raise ValueError(f"{key} needs two points")
            self.changes.append((number, key, values[0], values[1]))
            return ""
        if key in self.headers:
            raise ValueError(f"{key} given twice")
        self.headers[key] = number
        if key in ("realms", "symbols"):
            if values:
                raise ValueError(f"nothing may follow {key}:")
            self.blocks[key] = []
            return key
        if key == "lines":
            if values not in (["orthogonal"], ["all"]):
                raise ValueError("lines must be orthogonal or all")
            self.lines = values[0]
        elif key == "cards":
            if len(values) != 7:
                raise ValueError("cards needs seven numbers")
            self.cards = tuple(_number(value, 99, "number of cards") for value in values)
            if sum(self.cards) == 0:
                raise ValueError("no cards")
        elif key == "stones":
            if len(values) != 1:
                raise ValueError("stones needs one number")
            self.stones = _number(values[0], 100, "number of stones")
        else:
            raise ValueError(f"unknown: {key!r}")
        return ""

    def _row(self, block: str, line: str) -> None:
        rows = self.blocks[block]
        unknown = set(line) - set("TUGEw_" if block == "realms" else ".DZXCSR_")
        if unknown:
            raise ValueError(f"not allowed in {block}: {min(unknown)!r}")
        if len(line) > 12 or len(rows) == 12:
            raise ValueError(f"{block} larger than 12x12")
        if rows and len(line) != len(rows[0]):
            raise ValueError(f"rows of different lengths in {block}")
        rows.append(line)

    def _finish(self, name: str) -> Board:
        for key in ("lines", "realms", "symbols"):
            if key not in self.headers:
                raise ValueError(f"no {key}:")
        realms = self._points("realms")
        symbols = self._points("symbols")
        at = f"line {self.headers['symbols']}"
        if list(realms) != list(symbols) or self._shape("realms") != self._shape("symbols"):
            raise ValueError(f"{at}: realms and symbols differ in shape")
        if len(realms) > 128:
            raise ValueError(f"line {self.headers['realms']}: more than 128 points")
        for point, symbol in symbols.items():
            if symbol != "." and realms[point] == "w":
                raise ValueError(f"{at}: a symbol on the white point {point}")
        for symbol in "SR":
            if list(symbols.values()).count(symbol) != 1:
                raise ValueError(f"{at}: not exactly one {symbol}")
        cities = sorted(realms[point] for point, symbol in symbols.items() if symbol == "C")
        if cities != sorted(SEAL_ORDER):
            raise ValueError(f"{at}: not exactly one city in each realm")
        return Board(
            name=name,
            realms=realms,
            symbols=symbols,
            lines=self._adjacency(realms),
            cards=self.cards if self.cards is not None else (2, 0, 4, 6, 6, 4, 2),
            stones=self.stones if self.stones is not None else 16,
            start=next(point for point, symbol in symbols.items() if symbol == "S"),
            ring=next(point for point, symbol in symbols.items() if symbol == "R"),
        )

    def _shape(self, block: str) -> list[int]:
        return [len(row) for row in self.blocks[block]]

    def _points(self, block: str) -> dict[str, str]:
        """The characters of a block by point, in square order, without the missing points."""
        return {
            f"{FILES[x]}{rank}": character
            for rank, row in enumerate(reversed(self.blocks[block]), 1)
            for x, character in enumerate(row)
            if character != "_"
        }

    def _adjacency(self, points: Iterable[str]) -> Adjacency:
        neighbours: dict[str, set[str]] = {point: set() for point in points}
        for one, near in neighbours.items():
            for two in neighbours:
                ranks = abs(_point_key(one)[0] - _point_key(two)[0])
                files = abs(_point_key(one)[1] - _point_key(two)[1])
                if ranks + files == 1 or (self.lines == "all" and ranks == files == 1):
                    near.add(two)
        for number, key, one, two in self.changes:
            for point in (one, two):
                if point not in neighbours:
                    raise ValueError(f"line {number}: no point {point!r}")
            if one == two:
                raise ValueError(f"line {number}: {key} of a point with itself")
            if key == "link":
                if two in neighbours[one]:
                    raise ValueError(f"line {number}: the line {one} {two} exists already")
                neighbours[one].add(two)
                neighbours[two].add(one)
            else:
                if two not in neighbours[one]:
                    raise ValueError(f"line {number}: no line {one} {two} to remove")
                neighbours[one].remove(two)
                neighbours[two].remove(one)
        return {point: frozenset(others) for point, others in neighbours.items()}


# ---------------------------------------------------------------------------------------------
# Positions


class Figure(NamedTuple):
    """A player's figure: its point ("-" before the first move), amulets, seals and fetter."""

    point: str
    amulets: int
    seals: str
    fettered: bool


@dataclass(frozen=True)
class State:
    """A position. `ring` is a point, "@2" if player 2 carries it, or "?"."""

    figures: tuple[Figure, ...]
    ring: str
    stones: tuple[str, ...]
    deck: tuple[int, ...]
    player: int
    phase: str
    seals: int
    board: Board


DEFAULT = Board.parse(DEFAULT_BOARD)


def start(players: int = 3, seals: int = 3, board: Board = DEFAULT) -> State:
    """The start of a game (R2)."""
    figures = (Figure("-", 3, "", False),) * players
    state = State(figures, board.ring, (), board.cards, 1, "move", seals, board)
    _check(state)
    return state


def _read_figure(text: str) -> Figure:
    match = re.fullmatch(r"([a-z0-9]+|-):([0-9]+):(-|[TUGE]+)(!?)", text)
    if not match:
        raise ValueError(f"not a player's `point:amulets:seals`: {text!r}")
    point, amulets, seals, fetter = match.groups()
    if seals == "-":
        seals = ""
    if seals != _seal_text(seals):
        raise ValueError(f"seals not in the order {SEAL_ORDER}: {seals}")
    return Figure(point, _number(amulets, 3, "amulets"), seals, fetter == "!")


def _seal_text(seals: str) -> str:
    return "".join(seal for seal in SEAL_ORDER if seal in seals)


def parse(text: str, board: Board = DEFAULT) -> State:
    """Read a position; ValueError for anything not canonical or not sensible."""
    fields = re.split(r"[ \t]+", text)
    if len(fields) < 7 or fields[0] != "gran":
        raise ValueError("not `gran PLAYERS RING STONES DECK PLAYER PHASE [options]`")
    _, players, ring, stones_text, deck_text, player_text, phase, *options = fields

    figures = tuple(_read_figure(figure) for figure in players.split("/"))
    if not re.fullmatch(r"[a-z0-9]+|@[1-6]|\?", ring):
        raise ValueError(f"not a ring: {ring!r}")
    stones = () if stones_text == "-" else tuple(stones_text.split(","))
    for point in stones:
        _need_point(board, point)
    if list(stones) != sorted(set(stones), key=_point_key):
        raise ValueError("stones out of order")
    deck = tuple(_number(count, 99, "number of cards") for count in deck_text.split("."))
    if len(deck) != 7:
        raise ValueError("the deck needs seven numbers")
    if not re.fullmatch(r"[1-6]", player_text):
        raise ValueError(f"not a player: {player_text!r}")
    if phase != "move" and phase not in PHASE_SYMBOLS:
        raise ValueError(f"not a phase: {phase!r}")

    name = ""
    if options and re.fullmatch(r"board=[A-Za-z0-9_-]+", options[0]):
        name = options.pop(0).removeprefix("board=")
    if name != board.name:
        raise ValueError(f"the position is on board {name!r}, not on {board.name!r}")
    seals = 3
    if options and re.fullmatch("seals=[124]", options[0]):
        seals = int(options.pop(0).removeprefix("seals="))
    if options:
        raise ValueError(f"unknown, default or misplaced option: {options[0]!r}")

    state = State(figures, ring, stones, deck, int(player_text), phase, seals, board)
    _check(state)
    return state


def _need_point(board: Board, point: str) -> None:
    if point not in board.realms:
        raise ValueError(f"no such point on the board: {point!r}")


def _check(state: State) -> None:
    """Reject what docs/notation.md lists under 'Positions that are rejected'."""
    board = state.board
    count = len(state.figures)
    if not 3 <= count <= 6:
        raise ValueError(f"{count} players, not 3 to 6")
    if list(board.realms.values()).count("w") < count:
        raise ValueError("fewer white points than players")
    if state.player > count:
        raise ValueError(f"no player {state.player}")

    entered = [figure.point for figure in state.figures if figure.point != "-"]
    for point in entered:
        _need_point(board, point)
    if len(set(entered)) < len(entered):
        raise ValueError("two figures on a point")
    for figure in state.figures:
        if figure.point == "-" and (figure.amulets != 3 or figure.seals):
            raise ValueError("a figure not yet entered needs three amulets and no seal")

    if len(state.stones) > board.stones:
        raise ValueError("more stones than the board file has")
    for stone in state.stones:
        if board.symbols[stone] != ".":
            raise ValueError(f"a stone on a symbol: {stone}")
        if stone in entered:
            raise ValueError(f"a figure on a stone: {stone}")
        if stone == state.ring:
            raise ValueError(f"the ring on a stone: {stone}")
    for left, all_cards in zip(state.deck, board.cards, strict=True):
        if left > all_cards:
            raise ValueError("more cards of a value than the board file has")

    if state.ring.startswith("@"):
        carrier = int(state.ring[1:])
        if carrier > count or state.figures[carrier - 1].point == "-":
            raise ValueError("the carrier is not on the board")
    elif state.ring != "?":
        _need_point(board, state.ring)
    if (state.ring == "?") != (state.phase == "ring"):
        raise ValueError("the ring is `?` in the phase `ring` and only there")

    place = _acting(state).point
    if state.phase in PHASE_SYMBOLS and (place == "-" or board.symbols[place] not in PHASE_SYMBOLS[state.phase]):
        raise ValueError(f"no phase {state.phase} for a figure on {place}")
    if state.phase == "over":
        if len(_acting(state).seals) < state.seals:
            raise ValueError("over without a winner")
        if state.ring != f"@{state.player}":
            raise ValueError("over, but the winner has not the ring")
    elif any(len(figure.seals) >= state.seals for figure in state.figures):
        raise ValueError("a winner, but not over")


def text(state: State) -> str:
    """The canonical text of a position."""
    figures = [
        f"{figure.point}:{figure.amulets}:{figure.seals or '-'}{'!' if figure.fettered else ''}"
        for figure in state.figures
    ]
    fields = [
        "gran",
        "/".join(figures),
        state.ring,
        ",".join(state.stones) or "-",
        ".".join(str(count) for count in state.deck),
        str(state.player),
        state.phase,
    ]
    if state.board.name:
        fields.append(f"board={state.board.name}")
    if state.seals != 3:
        fields.append(f"seals={state.seals}")
    return " ".join(fields)


# ---------------------------------------------------------------------------------------------
# Asking a position


def player(state: State) -> int:
    """The player to act, or for whom chance acts."""
    return state.player


def is_chance(state: State) -> bool:
    """Whether the next ply is a card and a die (R8)."""
    return state.phase == "fight"


def outcome(state: State) -> int | None:
    """The winner's number, or None while the game continues (R13)."""
    return state.player if state.phase == "over" else None


def _acting(state: State) -> Figure:
    return state.figures[state.player - 1]


def _origin(state: State) -> str:
    """Where the acting figure moves from (R2)."""
    point = _acting(state).point
    return state.board.start if point == "-" else point


def _figure_points(state: State) -> set[str]:
    return {figure.point for figure in state.figures if figure.point != "-"}


def _carries(state: State) -> bool:
    return state.ring == f"@{state.player}"


START = text(start())


# ---------------------------------------------------------------------------------------------
# Moves


class Way(NamedTuple):
    """A move as it goes: the point passed over and where an attacked figure goes, or ""."""

    origin: str
    passed: str
    arrival: str
    banished: str


def _ways(state: State) -> list[Way]:
    """Every way of a move or extra move (R3 to R5, R8)."""
    origin = _origin(state)
    lines = state.board.lines
    routes = [("", arrival) for arrival in lines[origin]]
    for passed in lines[origin]:
        if _may_pass(state, passed):
            routes += [(passed, arrival) for arrival in lines[passed] if arrival != origin]

    ways = []
    others = _figure_points(state) - {_acting(state).point}
    for passed, arrival in routes:
        if arrival in state.stones:
            continue
        if arrival in others:
            for banished in _banishing_points(state, passed, arrival):
                ways.append(Way(origin, passed, arrival, banished))
        elif state.board.symbols[arrival] != "D" or _acting(state).amulets >= 1:
            ways.append(Way(origin, passed, arrival, ""))
    return ways


def _may_pass(state: State, point: str) -> bool:
    """Whether the acting figure may pass over this point (R3)."""
    if _carries(state) or state.phase == "extra":
        return True
    if state.ring == point:
        # R6: it takes the ring on entering the point, and so carries it when it continues.
        return True
    blocked = point in state.stones or point in _figure_points(state)
    return state.board.symbols[point] != "D" and not blocked


def _banishing_points(state: State, passed: str, attacked: str) -> list[str]:
    """Where an attacked figure can be put; none if there can be no attack (R5)."""
    symbol = state.board.symbols[attacked]
    if symbol == "C" or _acting(state).amulets < (2 if symbol == "D" else 1):
        return []
    taken = _figure_points(state) - {_acting(state).point}
    ring = "" if state.ring == passed else state.ring
    return [
        point
        for point, realm in state.board.realms.items()
        if realm == "w" and point not in taken and point not in state.stones and point != ring
    ]


def _short(state: State, way: Way) -> str:
    """The short form: the passed point only if the ring is taken there."""
    return _long(way if way.passed == state.ring else way._replace(passed=""))


def _long(way: Way) -> str:
    passed = f"-{way.passed}" if way.passed else ""
    if way.banished:
        return f"{way.origin}{passed}x{way.arrival}-{way.banished}"
    return f"{way.origin}{passed}-{way.arrival}"


# ---------------------------------------------------------------------------------------------
# Stones and ring


def _ring_points(state: State) -> list[str]:
    """Where the ring can be put (R11)."""
    board = state.board
    here = board.realms[_acting(state).point]
    return [
        point
        for point, realm in board.realms.items()
        if realm not in ("w", here)
        and board.symbols[point] in ".SR"
        and point not in state.stones
        and point not in _figure_points(state)
    ]


def _stone_points(state: State) -> list[str]:
    """Free plain points (R10), reach of the ring not yet asked."""
    return [
        point
        for point, symbol in state.board.symbols.items()
        if symbol == "." and point not in state.stones and point not in _figure_points(state) and point != state.ring
    ]


def _way_to_ring(state: State, stones: set[str]) -> set[str] | None:
    """The points of a way from some figure to the ring, given these stones (R10); None if there is none."""
    if state.ring.startswith("@"):
        return set()
    goals = {state.board.start if figure.point == "-" else figure.point for figure in state.figures}
    came_from = {state.ring: ""}
    todo = [state.ring]
    while todo:
        point = todo.pop()
        if point in goals:
            way = {point}
            while came_from[point]:
                point = came_from[point]
                way.add(point)
            return way
        for near in state.board.lines[point] - came_from.keys() - stones:
            came_from[near] = point
            todo.append(near)
    return None


def _keeps_ring_in_reach(state: State, stones: set[str], points: list[str]) -> list[str]:
    """The points on which another stone leaves some figure connected to the ring (R10)."""
    way = _way_to_ring(state, stones)
    if way is None:
        return []
    return [to for to in points if to not in way or _way_to_ring(state, stones | {to}) is not None]


def _stone_plies(state: State) -> list[str]:
    """The ways to place a stone, or to move one (R10)."""
    stones = set(state.stones)
    points = _stone_points(state)
    if state.phase == "stone":
        if len(stones) >= state.board.stones:
            return []
        return [f"+{to}" for to in _keeps_ring_in_reach(state, stones, points)]
    return [
        f"+{origin}-{to}" for origin in state.stones for to in _keeps_ring_in_reach(state, stones - {origin}, points)
    ]


# ---------------------------------------------------------------------------------------------
# Chance


def _drawn_from(state: State) -> tuple[int, ...]:
    """The cards that the next one is drawn from; used up cards are shuffled again (R8)."""
    return state.deck if sum(state.deck) > 0 else state.board.cards


def weight(state: State, ply: str) -> int:
    """The number of cards that a chance ply can come from; 1 for any other ply."""
    if not is_chance(state):
        return 1
    return _drawn_from(state)[int(ply.split(":")[0])]


# ---------------------------------------------------------------------------------------------
# Playing


def plies(state: State) -> list[str]:
    """All legal plies, results of chance too, in byte order and short form."""
    if state.phase == "over":
        return []
    if state.phase == "fight":
        cards = [value for value, count in enumerate(_drawn_from(state)) if count > 0]
        return sorted(f"{card}:{die}" for card in cards for die in DIE)
    if state.phase == "ring":
        found = [f"={point}" for point in _ring_points(state)]
    elif state.phase in ("stone", "sword"):
        found = _stone_plies(state)
    elif state.phase == "extra":
        found = [*{_short(state, way) for way in _ways(state)}, "stay"]
    elif _acting(state).fettered:
        found = ["rest"]
    else:
        found = list({_short(state, way) for way in _ways(state)})
    return sorted(found) or ["pass"]


def accepts(state: State, ply: str) -> str | None:
    """The short form of a legal ply that may name a point passed over, else None."""
    if ply in plies(state):
        return ply
    if state.phase == "extra" or (state.phase == "move" and not _acting(state).fettered):
        for way in _ways(state):
            if ply == _long(way):
                return _short(state, way)
    return None


def apply(state: State, ply: str) -> State:
    """The position after a legal ply in short form."""
    if ply not in plies(state):
        raise ValueError(f"illegal ply: {ply}")
    return _play(state, ply)


def null_ply(state: State) -> State | None:
    """The position after a null ply; None unless the acting player is to move."""
    return _end_turn(state) if state.phase == "move" else None


def _play(state: State, ply: str) -> State:
    figure = _acting(state)
    if state.phase == "fight":
        card, die = ply.split(":")
        return _fight(state, int(card), int(die))
    if ply == "pass":
        if state.phase == "ring":
            state = replace(state, ring=f"@{state.player}")
        return _end_turn(state)
    if ply == "stay":
        return _end_turn(state)
    if ply == "rest":
        return _end_turn(_with_figure(state, figure._replace(fettered=False)))
    if ply.startswith("="):
        return _end_turn(replace(state, ring=ply[1:]))
    if ply.startswith("+"):
        *origin, to = ply[1:].split("-")
        stones = sorted(set(state.stones) - set(origin) | {to}, key=_point_key)
        return _end_turn(replace(state, stones=tuple(stones)))
    for way in _ways(state):
        if ply == _short(state, way):
            return _move(state, way)
    raise ValueError(f"illegal ply: {ply}")


def _with_figure(state: State, figure: Figure, number: int = 0) -> State:
    """The position with another figure for the acting or the given player."""
    index = (number or state.player) - 1
    figures = (*state.figures[:index], figure, *state.figures[index + 1 :])
    return replace(state, figures=figures)


def _end_turn(state: State) -> State:
    following = state.player % len(state.figures) + 1
    return replace(state, player=following, phase="move")


def _fight(state: State, card: int, die: int) -> State:
    """R8."""
    deck = list(_drawn_from(state))
    deck[card] -= 1
    state = replace(state, deck=tuple(deck))
    if die >= card:
        return replace(state, phase="extra")
    figure = _acting(state)
    loser = figure._replace(amulets=max(0, figure.amulets - 1), fettered=True)
    state = _with_figure(state, loser)
    if _carries(state):
        return replace(state, ring="?", phase="ring")
    return _end_turn(state)


def _move(state: State, way: Way) -> State:
    """R4 to R7."""
    mine = f"@{state.player}"
    if state.ring in (way.passed, way.arrival):
        state = replace(state, ring=mine)
    figure = _acting(state)._replace(point=way.arrival)
    if way.banished:
        figure = figure._replace(amulets=figure.amulets - 1)
        victims = [other.point for other in state.figures]
        number = victims.index(way.arrival) + 1
        victim = state.figures[number - 1]._replace(point=way.banished, fettered=False)
        state = _with_figure(state, victim, number)
        if state.ring == f"@{number}":
            state = replace(state, ring=mine)
    state = _with_figure(state, figure)

    symbol = state.board.symbols[way.arrival]
    if symbol == "C":
        return _enter_city(state)
    if symbol == "D":
        return replace(state, phase="fight")
    if symbol in "ZX":
        asked = replace(state, phase="stone" if symbol == "Z" else "sword")
        if _stone_plies(asked):
            return asked
    return _end_turn(state)


def _enter_city(state: State) -> State:
    """R7, R13."""
    figure = _acting(state)
    if not _carries(state):
        return _end_turn(_with_figure(state, figure._replace(amulets=min(3, figure.amulets + 1))))
    seals = _seal_text(figure.seals + state.board.realms[figure.point])
    state = _with_figure(state, figure._replace(amulets=min(3, figure.amulets + 2), seals=seals))
    if len(seals) >= state.seals:
        return replace(state, phase="over")
    return replace(state, ring="?", phase="ring")


def perft(state: State, depth: int) -> int:
    """The number of different sequences of `depth` plies."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(plies(state))
    return sum(perft(_play(state, ply), depth - 1) for ply in plies(state))


# ---------------------------------------------------------------------------------------------
# Values


def _chances(state: State) -> list[tuple[Fraction, State]]:
    """The results of a chance event with their probabilities."""
    sides = len(DIE)
    cards = sum(_drawn_from(state))
    return [(Fraction(weight(state, ply), sides * cards), _play(state, ply)) for ply in plies(state)]


def maxn(state: State, horizon: int) -> tuple[list[Fraction], Fraction, list[str]]:
    """Winning probabilities by player if everyone maximises their own, what is left, best plies.

    Best is every ply with the highest probability for the player to act. The value is that of
    the first of them.
    """
    known: dict[tuple[State, int], tuple[Fraction, ...]] = {}
    value = _maxn(state, horizon, known)
    best = []
    if horizon > 0 and not is_chance(state):
        me = state.player - 1
        best = [ply for ply in plies(state) if _maxn(_play(state, ply), horizon - 1, known)[me] == value[me]]
    return list(value), 1 - sum(value, Fraction(0)), best


def _maxn(state: State, horizon: int, known: dict[tuple[State, int], tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
    count = len(state.figures)
    if horizon == 0 or outcome(state) is not None:
        return tuple(Fraction(number == outcome(state)) for number in range(1, count + 1))
    if (state, horizon) not in known:
        known[state, horizon] = _maxn_by_plies(state, horizon, known)
    return known[state, horizon]


def _maxn_by_plies(
    state: State, horizon: int, known: dict[tuple[State, int], tuple[Fraction, ...]]
) -> tuple[Fraction, ...]:
    if is_chance(state):
        total = [Fraction(0)] * len(state.figures)
        for chance, after in _chances(state):
            for index, won in enumerate(_maxn(after, horizon - 1, known)):
                total[index] += chance * won
        return tuple(total)
    values = [_maxn(_play(state, ply), horizon - 1, known) for ply in plies(state)]
    # The first of the highest: plies are in byte order, and max keeps the first.
    return max(values, key=lambda value: value[state.player - 1])


Bounds = tuple[Fraction, Fraction]


def paranoid(state: State, horizon: int, player: int) -> tuple[Fraction, Fraction, list[str]]:
    """Lower and upper bound of `player`'s probability with all others against, best plies.

    Best is every ply that keeps both bounds.
    """
    known: dict[tuple[State, int], Bounds] = {}
    bounds = _paranoid(state, horizon, player, known)
    best = []
    if horizon > 0 and not is_chance(state):
        best = [ply for ply in plies(state) if _paranoid(_play(state, ply), horizon - 1, player, known) == bounds]
    return *bounds, best


def _paranoid(state: State, horizon: int, player: int, known: dict[tuple[State, int], Bounds]) -> Bounds:
    winner = outcome(state)
    if winner is not None:
        return Fraction(winner == player), Fraction(winner == player)
    if horizon == 0:
        return Fraction(0), Fraction(1)
    if (state, horizon) not in known:
        known[state, horizon] = _paranoid_by_plies(state, horizon, player, known)
    return known[state, horizon]


def _paranoid_by_plies(state: State, horizon: int, player: int, known: dict[tuple[State, int], Bounds]) -> Bounds:
    if is_chance(state):
        low, high = Fraction(0), Fraction(0)
        for chance, after in _chances(state):
            bounds = _paranoid(after, horizon - 1, player, known)
            low += chance * bounds[0]
            high += chance * bounds[1]
        return low, high
    children = [_paranoid(_play(state, ply), horizon - 1, player, known) for ply in plies(state)]
    choose = max if state.player == player else min
    return choose(low for low, _ in children), choose(high for _, high in children)
