"""The description of a position from the C core (``rf_describe``) as Python values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ringfen._core import ffi, lib
from ringfen.position import Position

ON_SQUARE: Final = int(lib.RF_ON_SQUARE)
ON_THRONE: Final = int(lib.RF_ON_THRONE)
HELD: Final = int(lib.RF_HELD)
OFF_BOARD: Final = int(lib.RF_OFF_BOARD)
MISSED: Final = int(lib.RF_MARK_REMOVABLE)
BONUS: Final = int(lib.RF_MARK_EXTRA_PLY)
FETTER: Final = int(lib.RF_MARK_RESTING)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece. ``of`` is the number of its carrier or owner of its throne; ``file`` and ``rank`` count from 0."""

    number: int
    kind: str
    owner: int
    value: int
    place: int
    of: int
    file: int
    rank: int
    marks: int

    @property
    def square(self) -> str:
        """The name of its square, if it is on one."""
        return square_name(self.file, self.rank)


class Description:
    """The contents of a position text."""

    def __init__(self, position: Position) -> None:
        out = ffi.new("rf_description *")
        lib.rf_describe(position.game.cdata, position.context.cdata, position.state, out)
        self.game = position.game
        self.board = position.context.board
        self.files, self.ranks = int(out.files), int(out.ranks)
        self.players, self.player, self.phase = int(out.players), int(out.player), _word(out.phase)
        self.pieces: Sequence[Piece] = [
            Piece(i, _word(p.kind), p.owner, p.value, p.place, p.of, p.file, p.rank, p.marks)
            for i, p in enumerate(out.pieces[0 : out.piece_count])
        ]
        self._held: dict[int, list[Piece]] = {}
        for piece in self.pieces:
            if piece.place == HELD:
                self._held.setdefault(piece.of, []).append(piece)
        counters = out.counters[0 : out.counter_count]
        #: Numbers by name, player (0 if they belong to no player) and index.
        self.counters = {(_word(c.name), int(c.player), int(c.index)): int(c.number) for c in counters}
        self.options = {_word(o.name): _word(o.value) for o in out.options[0 : out.option_count]}

    def at(self, place: int) -> list[Piece]:
        """Return the pieces at one kind of place, such as :data:`ON_SQUARE`."""
        return [piece for piece in self.pieces if piece.place == place]

    def held_by(self, piece: Piece) -> Sequence[Piece]:
        """Return the pieces that a piece carries."""
        return self._held.get(piece.number, [])

    def by_square(self) -> dict[tuple[int, int], Piece]:
        """Return the pieces on squares by file and rank."""
        return {(piece.file, piece.rank): piece for piece in self.pieces if piece.place == ON_SQUARE}

    def marked(self, mark: int) -> list[str]:
        """Return the squares of the pieces with this mark: a1, b1, …, a2, …"""
        found = sorted((piece.rank, piece.file) for piece in self.pieces if piece.marks & mark)
        return [square_name(file, rank) for rank, file in found]

    def count(self, name: str, player: int = 0, index: int = 0) -> int:
        """Return a counter of the position text."""
        return self.counters[name, player, index]

    def to_json(self) -> dict[str, Any]:
        """Return the contents for other programs.

        ``pieces``: each with its ``kind``, ``owner`` (0: no player), ``value``, ``place`` (``square``, ``throne``,
        ``held`` or ``off``), ``square`` (None if it is on none), ``of`` (the index of its carrier, or the number of
        the player whose throne it is on; otherwise None) and ``marks``. ``phase``: what is pending. ``points``: each
        point of a GRAN board with its realm and symbol.
        """
        out: dict[str, Any] = {
            "game": self.game.id,
            "files": self.files,
            "ranks": self.ranks,
            "players": self.players,
            "player": self.player,
            "phase": self.phase,
            "pieces": [_piece_json(piece) for piece in self.pieces],
            "counters": [
                {"name": name, "player": player, "index": index, "number": number}
                for (name, player, index), number in self.counters.items()
            ],
            "options": self.options,
        }
        if self.board is None:
            out["squares"] = [square_name(file, rank) for rank in range(self.ranks) for file in range(self.files)]
        else:
            board = self.board
            out["squares"] = list(board.points)
            out["points"] = [
                {"square": point, "realm": realm, "symbol": symbol}
                for point, realm, symbol in zip(board.points, board.realms, board.symbols, strict=True)
            ]
            out["lines"] = [list(line) for line in board.lines]
        return out

    def shown(self, side: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the files from the left and the ranks from the top, with ``side`` at the bottom."""
        files, ranks = range(self.files), range(self.ranks)
        return (files, ranks[::-1]) if side == "s" else (files[::-1], ranks)


_PLACES: Final = {ON_SQUARE: "square", ON_THRONE: "throne", HELD: "held", OFF_BOARD: "off"}
_MARKS: Final = {MISSED: "missed", BONUS: "bonus", FETTER: "fetter"}


def _piece_json(piece: Piece) -> dict[str, Any]:
    return {
        "kind": piece.kind,
        "owner": piece.owner,
        "value": piece.value,
        "place": _PLACES[piece.place],
        "square": piece.square if piece.place == ON_SQUARE else None,
        "of": piece.of if piece.place in (ON_THRONE, HELD) else None,
        "marks": [name for bit, name in _MARKS.items() if piece.marks & bit],
    }


@cache
def square_name(file: int, rank: int) -> str:
    """Return the name of a square, such as ``e4``; file and rank count from 0."""
    return f"{chr(ord('a') + file)}{rank + 1}"


def _word(cdata: Any) -> str:
    text: bytes = ffi.string(cdata)
    return text.decode("ascii")
