"""Random GRAN positions for tests, most of them possible, on the default board or any other."""

from __future__ import annotations

from random import Random

from ringfen.rules.gran.board import Board, default_board, read_board

SMALL_BOARD = """
lines: all
cards: 1 0 0 1 1 0 1
stones: 4
realms:
TTwUU
TTwUU
EEwGG
EEwGG

symbols:
CR.DC
.Z.XD
D..S.
CZ.XC
"""


def small_board() -> Board:
    """Twenty points with diagonals: everything happens soon."""
    return read_board(SMALL_BOARD, "small")


def _linked_text() -> str:
    rows = ["TTT_UUUU", "TTTwUUUU", "TTTwwUUU", "TTTwwUUU"] + ["EEwwwGGG"] * 3 + ["EEEwGGGG"] * 5
    symbols = [list("." * 8) for _ in rows]
    symbols[0][3] = "_"
    places = {"C": [(1, 1), (1, 6), (9, 1), (9, 6)], "D": [(0, 1), (2, 5), (6, 0), (11, 1), (8, 7), (3, 7)]}
    places |= {"Z": [(0, 0), (5, 6), (11, 0)], "X": [(0, 5), (7, 1), (11, 7)], "S": [(8, 5)], "R": [(2, 1)]}
    for letter, squares in places.items():
        for row, file in squares:
            symbols[row][file] = letter
    text = "lines: orthogonal\nstones: 20\nlink: a1 a10\nlink: a10 h1\nlink: b1 b11\nlink: b1 b12\nunlink: e5 e6\n"
    return text + "realms:\n" + "\n".join(rows) + "\n\nsymbols:\n" + "\n".join(map("".join, symbols))


#: Twelve ranks, a hole, far lines and a removed one; names such as a1 and a10 are neighbours.
LINKED_BOARD = _linked_text()


def linked_board() -> Board:
    """The board of :data:`LINKED_BOARD`."""
    return read_board(LINKED_BOARD, "linked")


WHITE_BOARD = """
lines: orthogonal
cards: 0 0 0 1 0 1 0
stones: 12
realms:
TTUU_www
TTUUwwww
EEGGwwww
EEGG_www

symbols:
C..C_...
.ZR.....
.SX.....
CD.C_...
"""


def white_board() -> Board:
    """Thirty points, 14 of them to banish to; two dragon cards, of different values."""
    return read_board(WHITE_BOARD, "white")


CORRIDOR_BOARD = """
lines: orthogonal
cards: 1 0 0 0 0 0 0
stones: 2
realms:
TUGEEEwwwE

symbols:
CCCCZS...R
"""


def corridor_board() -> Board:
    """Ten points in a row: any stone between a figure and the ring cuts it off."""
    return read_board(CORRIDOR_BOARD, "corridor")


def square_order(point: str) -> tuple[int, str]:
    """The order in which texts list stones."""
    return int(point[1:]), point[0]


def random_text(rnd: Random, board: Board | None = None) -> str:
    """A position that is possible except in rare cases and that play hardly reaches."""
    board = board or default_board()
    by_symbol = {letter: [p for p in board.points if board.symbol_of(p) == letter] for letter in "DZXC"}
    players, seals = rnd.randint(3, 6), rnd.choice((1, 2, 3, 4))
    player = rnd.randint(1, players)
    phase = rnd.choice(("move", "move", "move", "fight", "extra", "extra", "ring", "stone", "sword"))
    figures = rnd.sample(board.points, players)
    symbol = {"fight": "D", "extra": "D", "ring": "DC", "stone": "Z", "sword": "X"}.get(phase)
    if symbol is not None:
        figures[player - 1] = rnd.choice([p for letter in symbol for p in by_symbol[letter]])
    elif rnd.random() < 0.5:
        # Crowd the others around the one to move.
        near = [other for line in board.lines for other in line if figures[player - 1] in line]
        spots = [p for p in dict.fromkeys(near) if p != figures[player - 1]]
        for i in range(players):
            if i != player - 1 and spots and rnd.random() < 0.5:
                figures[i] = spots.pop(rnd.randrange(len(spots)))
    texts = []
    for number, point in enumerate(figures, 1):
        if rnd.random() < 0.1 and not (number == player and symbol is not None):
            texts.append("-:3:-")
            figures[number - 1] = "-"
            continue
        has = "".join(sorted(rnd.sample("TUGE", rnd.randint(0, seals - 1)), key="TUGE".index)) or "-"
        texts.append(f"{point}:{rnd.randint(0, 3)}:{has}{'!' * (rnd.random() < 0.1)}")
    plain = [p for p in board.points if board.symbol_of(p) == "." and p not in figures]
    stones = rnd.sample(plain, min(rnd.choice((0, 3, board.stones, board.stones)), len(plain)))
    ring = "?"
    if phase != "ring":
        on_board = [number for number, point in enumerate(figures, 1) if point != "-"]
        near_me = [other for line in board.lines for other in line if figures[player - 1] in line]
        free = [p for p in board.points if p not in stones and p not in figures]
        ring = rnd.choice((rnd.choice(free), rnd.choice(near_me or free), f"@{rnd.choice(on_board or [1])}"))
    deck = [rnd.randint(0, count) for count in board.cards] if rnd.random() < 0.7 else [0] * 7
    text = f"gran {'/'.join(texts)} {ring} {','.join(sorted(stones, key=square_order)) or '-'}"
    text += f" {'.'.join(map(str, deck))} {player} {phase}"
    text += f" board={board.name}" if board.name else ""
    return text + (f" seals={seals}" if seals != 3 else "")


def near_end_text(rnd: Random, board: Board | None = None) -> str:
    """A position in which most players lack one seal, and often the one to act carries the ring close to a city."""
    board = board or default_board()
    _, players, ring, stones, deck, player, phase, *rest = random_text(rnd, board).split()
    seals = next((int(word[-1]) for word in rest if word.startswith("seals=")), 3)
    figures = [figure.rstrip("!").split(":") for figure in players.split("/")]
    for number, figure in enumerate(figures, 1):
        if figure[0] != "-" and (number == int(player) or rnd.random() < 0.7):
            figure[2] = "".join(sorted(rnd.sample("TUGE", seals - 1), key="TUGE".index)) or "-"
    acting = figures[int(player) - 1]
    if phase == "move" and acting[0] != "-" and rnd.random() < 0.8:
        near = {point for point in board.points if board.symbol_of(point) == "C"}
        for _ in range(rnd.choice((1, 2, 2, 3))):
            near |= {end for line in board.lines for end in line if near & set(line)}
        taken = {figure[0] for figure in figures} | set(stones.split(","))
        acting[0] = rnd.choice(sorted(near - taken) or [acting[0]])
    if acting[0] != "-" and ring != "?" and rnd.random() < 0.7:
        ring = f"@{player}"
    players = "/".join(":".join(figure) for figure in figures)
    return " ".join(["gran", players, ring, stones, deck, player, phase, *rest])


def crowded_text(rnd: Random, board: Board | None = None) -> str:
    """A position before a move, in which stones, figures or the ring are around the player after the one to act."""
    board = board or default_board()
    phase = ""
    while phase != "move":
        _, players, ring, stones, deck, player, phase, *rest = random_text(rnd, board).split()
    figures = [figure.split(":") for figure in players.split("/")]
    origin = figures[int(player) - 1][0]
    if origin != "-":
        beside = [end for line in board.lines for end in line if origin in line and end != origin]
        beyond = [end for line in board.lines for end in line if set(beside) & set(line)]
        if rnd.random() < 0.6:
            ring = rnd.choice(beside or [origin])
        if rnd.random() < 0.7:
            figures[int(player) - 1][1] = "0"
        taken = {figure[0] for figure in figures} | {ring}
        near = [
            point for point in dict.fromkeys(beside + beyond) if board.symbol_of(point) == "." and point not in taken
        ]
        near = [point for point in near if rnd.random() < 0.7]
        others = [point for point in stones.split(",") if point not in {*near, ring, "-"}]
        stones = ",".join(sorted((near + others)[: board.stones], key=square_order)) or "-"
    before = str((int(player) - 2) % len(figures) + 1)
    return " ".join(["gran", "/".join(map(":".join, figures)), ring, stones, deck, before, phase, *rest])
