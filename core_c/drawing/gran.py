"""Draws GRAN positions as text and SVG."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from ringfen.drawing.board import BoardContents, board_grid, board_picture, board_text, stone_cross
from ringfen.drawing.description import FETTER, HELD, ON_SQUARE, Description, Piece
from ringfen.drawing.picture import (
    EDGE,
    GOLD,
    GREY,
    NORTH_INK,
    PAPER,
    SOUTH_INK,
    Layer,
    Picture,
    centred,
    circle,
    last_marks,
    number,
    path,
    round_line,
)
from ringfen.rules.gran.board import REALMS, Board

_PHASE_WORDS: Final = {
    "move": "to move",
    "fight": "fights the dragon: a card and the die are next",
    "extra": "has beaten the dragon: an extra move or stay",
    "ring": "has to put the ring",
    "stone": "has to place an obstacle stone",
    "sword": "has to move an obstacle stone",
    "over": "has won",
}
#: Fill and ink of the figures by player.
_PLAYERS: Final = (
    ("#c65102", NORTH_INK),
    ("#0061a3", NORTH_INK),
    ("#f0b323", SOUTH_INK),
    ("#00795b", NORTH_INK),
    ("#e3a1c6", SOUTH_INK),
    ("#2d3035", NORTH_INK),
)


def _figures(d: Description) -> list[Piece]:
    return sorted((piece for piece in d.pieces if piece.kind == "figure"), key=lambda piece: piece.owner)


def _ring(d: Description) -> Piece:
    return next(piece for piece in d.pieces if piece.kind == "ring")


def _stones(d: Description) -> list[Piece]:
    return [piece for piece in d.pieces if piece.kind == "stone"]


def _carries(d: Description, figure: Piece) -> bool:
    ring = _ring(d)
    return ring.place == HELD and ring.of == figure.number


def _contents(d: Description) -> BoardContents:
    ring = _ring(d)
    return BoardContents(
        figures={figure.square: figure.owner for figure in _figures(d) if figure.place == ON_SQUARE},
        stones=frozenset(stone.square for stone in _stones(d)),
        ring=ring.square if ring.place == ON_SQUARE else None,
    )


def words(d: Description) -> list[str]:
    """Return the player to act and the pending event, one line per player, cards, stones, and seals to win."""
    return [_status(d), *_players(d), *_supply(d)]


def _players(d: Description) -> list[str]:
    lines = []
    for figure in _figures(d):
        held = d.held_by(figure)
        amulets = sum(piece.kind == "amulet" for piece in held)
        cities = ", ".join(REALMS[letter] for letter in REALMS if any(piece.value == ord(letter) for piece in held))
        where = f"on {figure.square}" if figure.place == ON_SQUARE else "not entered yet"
        more = ", fettered" * bool(figure.marks & FETTER) + ", carries the ring" * _carries(d, figure)
        lines.append(f"Player {figure.owner} {where}, amulets {amulets}, seals: {cities or 'none'}{more}")
    return lines


def _supply(d: Description) -> list[str]:
    cards = " ".join(str(d.count("cards", 0, value)) for value in range(7))
    return [
        f"Cards left of value 0 to 6: {cards}; stones on the board: {len(_stones(d))}",
        f"Seals needed to win: {d.options.get('seals', '3')}",
    ]


def _status(d: Description) -> str:
    if d.phase == "move" and _figures(d)[d.player - 1].marks & FETTER:
        return f"Player {d.player} takes off the fetter"
    return f"Player {d.player} {_PHASE_WORDS[d.phase]}"


def text(d: Description, side: str) -> str:
    """Return the board (see :func:`ringfen.drawing.board.board_text`), the players, the deck, and who is to act."""
    key = "t u g e w: realms, white   D dragon  Z magic stone  X sword  C city  S R crystal balls   * ring  # stone"
    return "\n".join([board_text(d.board, _contents(d), side), key, "", *_players(d), *_supply(d), _status(d)])


def picture(d: Description, side: str, last: list[str]) -> Picture:
    """Return the board with its legend. A figure shows its player's number, a second edge if it carries the ring, and a
    bar below if it is fettered.
    """
    board = _board(d.board, side)
    out = Picture(board.width, board.height, f"GRAN: {_status(d)}", board.board)
    places = board_grid(d.board, side).places()
    out.places = places
    out.add_each(Layer.MARK, last_marks(places, last, tinted=False))
    for piece in d.at(ON_SQUARE):
        x, y = places[piece.square]
        if piece.kind == "ring":
            ring = circle(x, y, fill="none", stroke=EDGE, r=19, width=8)
            out.add(Layer.PIECE, ring, round_line(x, y, 19, stroke=GOLD, width=5))
    for piece in d.at(ON_SQUARE):
        x, y = places[piece.square]
        if piece.kind == "stone":
            out.add(Layer.PIECE, _stone(x, y))
        elif piece.kind == "figure":
            out.add(Layer.PIECE, _figure(x, y, piece.owner, _carries(d, piece), bool(piece.marks & FETTER)))
    return out


@lru_cache(64)
def _board(board: Board, side: str) -> Picture:
    return board_picture(board, "", side)


@cache
def _stone(x: float, y: float) -> str:
    return circle(x, y, fill=GREY, r=14) + stone_cross(x, y)


@cache
def _figure(x: float, y: float, player: int, carries: bool, fettered: bool) -> str:
    fill, ink = _PLAYERS[player - 1]
    # A light line separates the figure from a symbol of the same colour.
    out = [round_line(x, y, 13, stroke=PAPER, width=5), circle(x, y, fill=fill, r=12)]
    if carries:
        out += [round_line(x, y, 16, stroke=EDGE, width=7), round_line(x, y, 16, stroke=GOLD, width=4)]
    if fettered:
        data = f"M{number(x - 16)} {number(y + 12)}h32"
        out += [path(data, stroke=EDGE, width=8), path(data, stroke=PAPER, width=4)]
    out.append(centred(x, y, str(player), size=13, fill=ink))
    return "".join(out)
