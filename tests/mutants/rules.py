"""Wrong games: each mutant is one of the plain implementations with one rule read or written wrongly by hand.

They are what a suite of positions is measured by: a position catches a mutant if their counts differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

REFERENCE = Path(__file__).parents[1] / "reference"


@dataclass(frozen=True)
class Mutant:
    """A mistake in a game: ``old`` stands once in its source and is replaced by ``new``."""

    game: str
    rule: str
    name: str
    old: str
    new: str

    def source(self) -> str:
        """The source of the wrong game."""
        text = (REFERENCE / f"{self.game}.py").read_text(encoding="utf-8")
        assert text.count(self.old) == 1, (self.game, self.name)
        return text.replace(self.old, self.new)

    def module(self) -> ModuleType:
        """The wrong game, ready to be asked."""
        return _module(self)


@cache
def _module(mutant: Mutant) -> ModuleType:
    import sys

    module = ModuleType(f"wrong_{mutant.game}_{mutant.name.replace(' ', '_')}")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    exec(compile(mutant.source(), module.__name__, "exec"), module.__dict__)
    return module


def mutants(game: str) -> list[Mutant]:
    """All mutants of a game."""
    return [Mutant(game, *row) for row in _ROWS[game]]


def mutant(game: str, name: str) -> Mutant:
    """The mutant of this name."""
    return next(found for found in mutants(game) if found.name == name)


_GYGES = [
    (
        "G3",
        "equal rings told apart in the setup",
        'found = {"".join(map(str, order)) for order in permutations(ONE_SET)}',
        'found = ["".join(map(str, order)) for order in permutations(ONE_SET)]',
    ),
    (
        "G4",
        "no ring moves if the active rank is blocked",
        "        if found:\n            return found\n",
        "        if any(square[1] == rank for square in board):\n            return found\n",
    ),
    (
        "G4",
        "every ring of one's half may move",
        "        if found:\n            return found\n",
        "        if found:\n            more = [square for square in board if square[1] in _ranks_from(side)[:3]]\n"
        "            return found.union(*(_moves_of_ring(board, square, side) for square in more))\n",
    ),
    (
        "G5",
        "rings on the way are passed",
        "elif neighbour not in THRONES and neighbour not in others:",
        "elif neighbour not in THRONES:",
    ),
    (
        "G5",
        "connections are free again after a bounce",
        "            if neighbour not in THRONES or neighbour == goal:\n                yield there",
        "            if neighbour not in THRONES or neighbour == goal:\n"
        "                yield (neighbour, frozenset()) if neighbour in others else there",
    ),
    (
        "G5",
        "a step back on the same connection",
        "there = (neighbour, used | {connection})",
        "there = (neighbour, used | {connection} if steps == 1 else used)",
    ),
    (
        "G5",
        "no field is entered twice",
        "        if connection in used:\n            continue\n        there = (neighbour, used | {connection})",
        "        if connection in used or frozenset({neighbour}) in used:\n            continue\n"
        "        there = (neighbour, used | {connection, frozenset({neighbour})})",
    ),
    (
        "G5",
        "no null move",
        "        if field not in others:\n            yield",
        "        if field == origin:\n            continue\n        if field not in others:\n            yield",
    ),
    (
        "G5",
        "the square left still stops the ring",
        "    todo = set(_legs(others, (origin, frozenset()), height, goal))\n    while todo:\n"
        "        arrival = todo.pop()\n        arrivals.add(arrival)\n        if arrival[0] in others:\n",
        "    others = {**others, origin: 0}\n"
        "    todo = set(_legs(others, (origin, frozenset()), height, goal))\n    while todo:\n"
        "        arrival = todo.pop()\n        arrivals.add(arrival)\n        if others.get(arrival[0]):\n",
    ),
    ("G6", "no bounces", "            todo |= bounces - arrivals\n", "            bounces.clear()\n"),
    (
        "G6",
        "at most one bounce",
        "        if arrival[0] in others:\n",
        "        if arrival[0] in others and len(arrival[1]) == height:\n",
    ),
    (
        "G6",
        "a bounce goes the ring's own height",
        "bounces = set(_legs(others, arrival, others[arrival[0]], goal))",
        "bounces = set(_legs(others, arrival, height, goal))",
    ),
    (
        "G7",
        "no displacing to the square just left",
        "            for square in _places(after, _other(side)):\n                yield",
        "            for square in _places({**after, origin: 0}, _other(side)):\n                yield",
    ),
    (
        "G7",
        "no displacing to the opponent's active rank",
        "ranks.index(square[1]) >= active]",
        "ranks.index(square[1]) > active]",
    ),
    ("G7", "displacing anywhere", " and ranks.index(square[1]) >= active]", "]"),
    (
        "G7",
        "displacing bounded by one's own rank",
        "            for square in _places(after, _other(side)):\n",
        "            for square in _places(after, side):\n",
    ),
    (
        "G7",
        "displacing bounded by the first rank that can move",
        "    active = min(ranks.index(square[1]) for square in board)\n",
        "    active = min(\n"
        "        ranks.index(square[1])\n"
        "        for square in board\n"
        "        if board[square]\n"
        "        and _landings({s: h for s, h in board.items() if s != square}, square, board[square], _goal(opponent))\n"
        "    )\n",
    ),
    (
        "G8",
        "a throne is passed",
        "        elif neighbour not in THRONES and neighbour not in others:",
        "        elif neighbour not in others:",
    ),
    (
        "G8",
        "one's own throne is entered",
        "            if neighbour not in THRONES or neighbour == goal:\n                yield there",
        "            yield there",
    ),
    (
        "G8",
        "no throne after a bounce",
        "    return {field for field, _ in arrivals}",
        "    return {field for field, used in arrivals if field not in THRONES or len(used) == height}",
    ),
    (
        "G8",
        "the game continues after a conquest",
        '    if state.goals[0] == 0:\n        return "s"\n    if state.goals[1] == 0:\n        return "n"\n    return None',
        "    return None",
    ),
    (
        "G9",
        "putting back is a whole turn",
        "return State(_heights(board), mover, 0, state.goals)",
        "return State(_heights(board), opponent, 0, state.goals)",
    ),
    (
        "G9",
        "put back behind the wrong rank",
        'found = {f"={square}" for square in _places(board, _other(state.side))}',
        'found = {f"={square}" for square in _places(board, state.side)}',
    ),
    (
        "G9",
        "put back anywhere",
        'found = {f"={square}" for square in _places(board, _other(state.side))}',
        'found = {f"={square}" for square in SQUARES if square not in board}',
    ),
    (
        "G9",
        "one conquest is always enough",
        'goals = (south - 1, north) if mover == "s" else (south, north - 1)',
        'goals = (0, north) if mover == "s" else (south, 0)',
    ),
]

_RINGS = [
    ("K4", "a direction is missing", "(1, -1), (1, 0), (1, 1))\nRANKS", "(1, -1), (1, 0))\nRANKS"),
    (
        "K4",
        "a bare knight takes no ring",
        'elif _is_ring(target) or (target == "." and rings == 0):',
        'elif (_is_ring(target) and rings > 0) or (target == "." and rings == 0):',
    ),
    (
        "K4",
        "a bare knight captures nothing",
        "if target[0] == _knight(_other(state.side)):",
        "if target[0] == _knight(_other(state.side)) and rings > 0:",
    ),
    (
        "K4",
        "a bare knight is not captured",
        "if target[0] == _knight(_other(state.side)):",
        "if target[0] == _knight(_other(state.side)) and _held(target):",
    ),
    (
        "K5",
        "a holder moves as a bare knight",
        "    rings = len(_held(state.cells[index]))\n",
        "    rings = min(1, len(_held(state.cells[index])))\n",
    ),
    (
        "K5",
        "a holder moves onto empty squares",
        '(target == "." and rings == 0)',
        'target == "."',
    ),
    (
        "K5",
        "a holder does not jump",
        "        target = state.cells[to]\n",
        "        target = state.cells[to]\n"
        "        step = rank_step * state.files + file_step\n"
        '        if any(state.cells[index + step * n] != "." for n in range(1, rings)):\n            continue\n',
    ),
    (
        "K5",
        "points count, not rings",
        "    rings = len(_held(state.cells[index]))\n",
        "    rings = sum(map(int, _held(state.cells[index])))\n",
    ),
    (
        "K5",
        "a holder of more rings than the board is long still moves",
        "    rings = len(_held(state.cells[index]))\n",
        "    rings = min(6, len(_held(state.cells[index])))\n",
    ),
    (
        "K5",
        "a holder does not capture",
        "if target[0] == _knight(_other(state.side)):",
        "if target[0] == _knight(_other(state.side)) and rings == 0:",
    ),
    (
        "K6",
        "a second ring is not taken",
        "rings = _held(cells[origin]) + (target if _is_ring(target) else _held(target))",
        "rings = _held(cells[origin]) + (_held(target) or target * (_is_ring(target) and not _held(cells[origin])))",
    ),
    (
        "K7",
        "a captor does not get the rings",
        "(target if _is_ring(target) else _held(target))",
        '(target if _is_ring(target) else "")',
    ),
    (
        "K7",
        "a captor keeps only the new rings",
        "rings = _held(cells[origin]) + (target if _is_ring(target) else _held(target))",
        "rings = _held(target) or _held(cells[origin]) + (target if _is_ring(target) else _held(target))",
    ),
    (
        "K7",
        "a captured bare knight comes to the hand",
        'if ply[2] == "x" and _held(target):',
        'if ply[2] == "x":',
    ),
    ("K7", "a captured holder is out of the game", "hands[opponent] += 1", "hands[opponent] += 0"),
    ("K7", "a captured holder changes sides", "hands[opponent] += 1", "hands[mover] += 1"),
    (
        "K8",
        "a drop onto a free square",
        "elif has_knights and _is_ring(cell):",
        'elif has_knights and cell[0] not in "Kk":',
    ),
    ("K8", "a drop leaves the knight in hand", "        hands[mover] -= 1\n", ""),
    ("K8", "a drop takes no ring", "        rings = cells[to]\n", '        rings = ""\n'),
    (
        "K8",
        "no drop with a move on the board",
        "elif has_knights and _is_ring(cell):",
        "elif has_knights and _is_ring(cell) and len(found) == 0:",
    ),
    (
        "K9",
        "a pass at any time",
        'return tuple(sorted(_moves_and_drops(state))) or ("pass",)',
        'return (*sorted(_moves_and_drops(state)), "pass")',
    ),
    ("K9", "one pass ends the game", "return state.passes == 2 or", "return state.passes >= 1 or"),
    (
        "K9",
        "passes are counted over the whole game",
        'return State(state.files, tuple(cells), opponent, (hands["s"], hands["n"]), 0)',
        'return State(state.files, tuple(cells), opponent, (hands["s"], hands["n"]), state.passes)',
    ),
    ("K9", "endless passing", "return state.passes == 2 or", "return"),
    ("K10", "South's last ring ends the game at once", 'no_free_ring and state.side == "s"', "no_free_ring"),
    ("K10", "South has a last turn too", 'no_free_ring and state.side == "s"', 'no_free_ring and state.side == "n"'),
    ("K10", "the game continues without rings", 'no_free_ring and state.side == "s"', "False"),
]

_SIAIUS = [
    ("S3", "a direction is missing", "(1, -1), (1, 0), (1, 1))\nPREY", "(1, -1), (1, 0))\nPREY"),
    ("S4", "reverse is forgotten", "PREY[state.beats]", 'PREY["normal"]'),
    (
        "S4",
        "every stone captures every enemy",
        '    if stone.upper() == "C":\n        return True\n',
        "    return True\n",
    ),
    (
        "S4",
        "like captures like",
        "return PREY[state.beats][stone.upper()] == victim.upper()",
        "return victim.upper() in (PREY[state.beats][stone.upper()], stone.upper())",
    ),
    (
        "S4",
        "a champion is captured by all",
        "return PREY[state.beats][stone.upper()] == victim.upper()",
        'return victim.upper() in (PREY[state.beats][stone.upper()], "C")',
    ),
    (
        "S5",
        "a stone becomes a champion only by capturing",
        'promoted = stone.upper() != "C" and',
        'promoted = stone.upper() != "C" and capture and',
    ),
    (
        "S5",
        "a champion that returns has a bonus",
        'promoted = stone.upper() != "C" and _xy(target)[1]',
        'promoted = state.bonus == "-" and _xy(target)[1]',
    ),
    ("S5", "the bonus cannot be declined", 'state.bonus), "stay"])', 'state.bonus), *["stay"][:0]])'),
    (
        "S5",
        "the bonus is lost after a capture",
        "    if promoted:\n        return",
        "    if promoted and not capture:\n        return",
    ),
    (
        "S5",
        "there is no bonus",
        "    if promoted:\n        return replace(after, bonus=target)\n",
        "",
    ),
    (
        "S5",
        "any stone makes the bonus ply",
        "*_move_texts(state, state.bonus)",
        "*(move for square in _stones(state, state.side) for move in _move_texts(state, square))",
    ),
    ("S6", "a champion moves one square", 'longest = 2 if stone.upper() == "C" else 1', "longest = 1"),
    (
        "S6",
        "a champion moves three squares",
        'longest = 2 if stone.upper() == "C" else 1',
        'longest = 3 if stone.upper() == "C" else 1',
    ),
    (
        "S6",
        "a champion jumps",
        "                found.append((_name(u, v), True))\n            break\n",
        "                found.append((_name(u, v), True))\n",
    ),
    (
        "S6",
        "a champion captures only adjacent stones",
        "            if _captures(state, stone, there):",
        "            if distance == 1 and _captures(state, stone, there):",
    ),
    (
        "S6",
        "a champion captures no champion",
        '    if stone.upper() == "C":\n        return True\n',
        '    if stone.upper() == "C":\n        return victim.upper() != "C"\n',
    ),
    (
        "S7",
        "nothing is huffed",
        '    huffs = [f"*{square}" for square in state.missed]\n',
        "    huffs: list[str] = []\n",
    ),
    (
        "S7",
        "capturing is compulsory",
        '    huffs = [f"*{square}" for square in state.missed]\n',
        '    huffs = [f"*{square}" for square in state.missed]\n    moves = [move for move in moves if "x" in move] or moves\n',
    ),
    (
        "S7",
        "a capture clears nothing",
        '    if capture and state.huff == "turn":\n        missed = set()\n    elif capture:',
        "    if capture:",
    ),
    ("S7", "huff=stone is huff=turn", 'if capture and state.huff == "turn":', "if capture:"),
    ("S7", "huff=off is forgotten", '    if state.huff == "off":\n        missed = set()\n', ""),
    ("S7", "a stone that moved away is safe", "missed = missed - {origin} | {target}", "missed = missed - {origin}"),
    (
        "S7",
        "declining the bonus forgives",
        'side=_other(state.side), bonus="-")',
        'side=_other(state.side), bonus="-", missed=())',
    ),
    (
        "S7",
        "a bonus ply forgives",
        "    missed = set(state.missed)\n",
        "    missed = set()\n",
    ),
    (
        "S7",
        "a capture with the bonus ply forgives nothing",
        'if capture and state.huff == "turn":',
        'if capture and state.huff == "turn" and state.bonus == "-":',
    ),
    (
        "S7",
        "the new champion cannot be huffed",
        "        missed.add(target)\n",
        "        pass\n",
    ),
    (
        "S7",
        "a champion that captured its way up can be huffed",
        "if promoted and not capture and _can_capture",
        "if promoted and _can_capture",
    ),
    (
        "S7",
        "several huffs in a turn",
        'rows=_put(state.rows, ply[1:], "."), missed=())',
        'rows=_put(state.rows, ply[1:], "."), missed=tuple(s for s in state.missed if s != ply[1:]))',
    ),
    (
        "S7",
        "a huff is a turn",
        'rows=_put(state.rows, ply[1:], "."), missed=())',
        'rows=_put(state.rows, ply[1:], "."), missed=(), side=_other(state.side))',
    ),
    (
        "S7",
        "only the stone that moved is huffed",
        "in _stones(state, state.side) if _can_capture(state, square)}",
        "in _stones(state, state.side) if _can_capture(state, square)} & {origin}",
    ),
    (
        "S8",
        "the game continues without stones",
        "        if not _stones(state, side):\n            return _other(side)\n",
        "        pass\n",
    ),
    (
        "S9",
        "a pass at any time",
        'return sorted(huffs + (moves or ["pass"]))',
        'return sorted([*huffs, *moves, "pass"])',
    ),
    (
        "S9",
        "no pass where a huff is possible",
        'return sorted(huffs + (moves or ["pass"]))',
        'return sorted(huffs + moves) or ["pass"]',
    ),
    (
        "S9",
        "one pass is a draw",
        'return "draw" if state.passes == 2 else None',
        'return "draw" if state.passes >= 1 else None',
    ),
    ("S9", "endless passing", 'return "draw" if state.passes == 2 else None', "return None"),
    (
        "S9",
        "a pass keeps what was missed",
        "side=_other(state.side), missed=(), passes=state.passes + 1)",
        "side=_other(state.side), passes=state.passes + 1)",
    ),
    ("S9", "passes are counted over the whole game", 'bonus="-", passes=0)', 'bonus="-")'),
]

_GRAN = [
    ("R2", "a first move begins anywhere", '    return state.board.start if point == "-" else point', '    return state.board.ring if point == "-" else point'),
    ("R3", "a move of one point only", "    for passed in lines[origin]:\n        if _may_pass", "    for passed in []:\n        if _may_pass"),
    ("R3", "a move of two points only", '    routes = [("", arrival) for arrival in lines[origin]]', "    routes: list[tuple[str, str]] = []"),
    ("R3", "back to the point it started from", "for arrival in lines[passed] if arrival != origin]", "for arrival in lines[passed]]"),
    ("R3", "a dragon is passed", 'return state.board.symbols[point] != "D" and not blocked', "return not blocked"),
    ("R3", "figures are passed", "blocked = point in state.stones or point in _figure_points(state)", "blocked = point in state.stones"),
    ("R3", "stones are passed", "blocked = point in state.stones or point in _figure_points(state)", "blocked = point in _figure_points(state)"),
    ("R3", "the ring's carrier is stopped", '    if _carries(state) or state.phase == "extra":\n', '    if state.phase == "extra":\n'),
    ("R3", "a stone is landed on", "        if arrival in state.stones:\n            continue\n", ""),
    ("R3", "a player may pass", '    return sorted(found) or ["pass"]', '    return sorted([*found, *["pass"][: state.phase == "move"]]) or ["pass"]'),
    ("R4", "a dragon is fought without an amulet", 'elif state.board.symbols[arrival] != "D" or _acting(state).amulets >= 1:', "else:"),
    ("R5", "no figure is attacked", "            for banished in _banishing_points(state, passed, arrival):", "            for banished in ():"),
    ("R5", "an attack without an amulet", '(2 if symbol == "D" else 1)', '(2 if symbol == "D" else 0)'),
    ("R5", "an attack at a dragon with one amulet", '(2 if symbol == "D" else 1)', "1"),
    ("R5", "an attack on a city", 'if symbol == "C" or _acting', "if _acting"),
    ("R5", "banishing to the ring's point", "and point not in state.stones and point != ring", "and point not in state.stones"),
    ("R5", "banishing onto a stone", 'realm == "w" and point not in taken and point not in state.stones and', 'realm == "w" and point not in taken and'),
    ("R5", "banishing onto a figure", 'realm == "w" and point not in taken and', 'realm == "w" and point != attacked and'),
    ("R5", "banishing to the other realms", 'if realm == "w" and point not in taken', 'if realm != state.board.realms[attacked] and point not in taken'),
    ("R5", "no banishing to where the attacker came from", "    taken = _figure_points(state) - {_acting(state).point}\n    ring =", "    taken = _figure_points(state)\n    ring ="),
    ("R5", "an attack costs nothing", "figure = figure._replace(amulets=figure.amulets - 1)", "figure = figure._replace(amulets=figure.amulets)"),
    ("R5", "an attack at a dragon costs two", "figure = figure._replace(amulets=figure.amulets - 1)", 'figure = figure._replace(amulets=figure.amulets - (2 if state.board.symbols[way.arrival] == "D" else 1))'),
    ("R5", "a banished figure keeps its fetter", "_replace(point=way.banished, fettered=False)", "_replace(point=way.banished)"),
    ("R5", "a banished figure misses a turn", "_replace(point=way.banished, fettered=False)", "_replace(point=way.banished, fettered=True)"),
    ("R5", "a banished figure keeps the ring", '        if state.ring == f"@{number}":\n            state = replace(state, ring=mine)\n', ""),
    ("R6", "the ring is not taken in passing", "    if state.ring in (way.passed, way.arrival):\n", "    if state.ring == way.arrival:\n"),
    ("R6", "the ring at a dragon is not taken in passing", "    if state.ring == point:\n", '    if state.ring == point and state.board.symbols[point] != "D":\n'),
    ("R6", "two ways are one ply, ring or not", 'return _long(way if way.passed == state.ring else way._replace(passed=""))', 'return _long(way._replace(passed=""))'),
    ("R7", "a city gives no amulet", "figure._replace(amulets=min(3, figure.amulets + 1))", "figure"),
    ("R7", "a city gives one amulet with the ring too", "min(3, figure.amulets + 2)", "min(3, figure.amulets + 1)"),
    ("R7", "the ring stays with its carrier", '        return replace(state, phase="over")\n    return replace(state, ring="?", phase="ring")', '        return replace(state, phase="over")\n    return _end_turn(state)'),
    ("R8", "the die must be higher", "if die >= card:", "if die > card:"),
    ("R8", "no extra move", '        return replace(state, phase="extra")', "        return _end_turn(state)"),
    ("R8", "an extra move is stopped on the way", '    if _carries(state) or state.phase == "extra":\n', "    if _carries(state):\n"),
    ("R8", "an extra move must be made", '[*{_short(state, way) for way in _ways(state)}, "stay"]', "[*{_short(state, way) for way in _ways(state)}]"),
    ("R8", "a lost fight costs nothing", "amulets=max(0, figure.amulets - 1), fettered=True", "fettered=True"),
    ("R8", "a lost fight brings no fetter", "amulets=max(0, figure.amulets - 1), fettered=True", "amulets=max(0, figure.amulets - 1)"),
    ("R8", "a loser keeps the ring", '    if _carries(state):\n        return replace(state, ring="?", phase="ring")\n', ""),
    ("R8", "cards are put back", "    deck[card] -= 1\n", ""),
    ("R8", "used up cards are not shuffled again", "return state.deck if sum(state.deck) > 0 else state.board.cards", "return state.deck"),
    ("R9", "a fetter costs no turn", '    elif _acting(state).fettered:\n        found = ["rest"]\n', ""),
    ("R9", "a fetter stays", "_with_figure(state, figure._replace(fettered=False))", "state"),
    ("R10", "stones on black points only", 'if symbol == "." and point not in state.stones', 'if symbol == "." and state.board.realms[point] != "w" and point not in state.stones'),
    ("R10", "stones on crystal balls", 'if symbol == "." and point not in state.stones', 'if symbol in ".SR" and point not in state.stones'),
    ("R10", "a stone on the ring's point", "and point not in _figure_points(state) and point != state.ring", "and point not in _figure_points(state)"),
    ("R10", "the ring may be cut off by placing", 'in _keeps_ring_in_reach(state, stones, points)', 'in points'),
    ("R10", "the ring may be cut off by moving a stone", "in _keeps_ring_in_reach(state, stones - {origin}, points)", "in points"),
    ("R10", "figures not entered do not count for reach", '{state.board.start if figure.point == "-" else figure.point for', '{figure.point for'),
    ("R10", "stones without end", "        if len(stones) >= state.board.stones:\n            return []\n", ""),
    ("R10", "a magic stone may be declined", '    if symbol in "ZX":\n', '    if symbol == "X":\n'),
    ("R10", "a sword does nothing", '    if symbol in "ZX":\n', '    if symbol == "Z":\n'),
    ("R11", "the ring is put in the same realm", 'if realm not in ("w", here)', 'if realm != "w"'),
    ("R11", "the ring is put on white points", 'if realm not in ("w", here)', "if realm != here"),
    ("R11", "the ring is not put on crystal balls", 'and board.symbols[point] in ".SR"', 'and board.symbols[point] == "."'),
    ("R11", "the ring is put on symbols", '        and board.symbols[point] in ".SR"\n', ""),
    ("R11", "the ring is put under a figure", "        and point not in _figure_points(state)\n    ]\n\n\ndef _stone_points", "    ]\n\n\ndef _stone_points"),
    ("R11", "the ring is put on a stone", "        and point not in state.stones\n        and point not in _figure_points(state)\n    ]\n\n\ndef _stone_points", "        and point not in _figure_points(state)\n    ]\n\n\ndef _stone_points"),
    ("R13", "three seals always", "if len(seals) >= state.seals:", "if len(seals) >= 3:"),
    ("R13", "the same seal counts again", "if len(seals) >= state.seals:", "if len(figure.seals) + 1 >= state.seals:"),
    ("R13", "the winner puts the ring first", '    if len(seals) >= state.seals:\n        return replace(state, phase="over")\n', ""),
]  # fmt: skip

_ROWS = {"gyges": _GYGES, "rings": _RINGS, "siaius": _SIAIUS, "gran": _GRAN}
