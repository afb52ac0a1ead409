"""What the core says of a position is all that its text says: the text can be written from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ringfen import Position, game_by_id, game_ids
from ringfen._core import ffi, lib
from ringfen.notation.random_play import Generator, random_plies

STARTS = [
    *(game_by_id(game_id).usual_start for game_id in game_ids()),
    "gyges 321123/....../....../....../....../321123 s - 3+2",
    "rings k1k1k/.1.1./11111/13531/11111/.1.1./K1K1K s 0+0 0",
    "siaius smt1c/5/5/5/SMT1C s - - 0",
    "siaius smts/4/4/SMTS s - - 0 beats=reverse huff=stone",
    "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=2",
]


@dataclass(frozen=True)
class Piece:
    """One piece of a description, with its number as the others name it."""

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
        return f"{chr(ord('a') + self.file)}{self.rank + 1}"


def word(cdata: Any) -> str:
    text: bytes = ffi.string(cdata)
    return text.decode("ascii")


class Description:
    """rf_description with Python values."""

    def __init__(self, position: Position) -> None:
        out = ffi.new("rf_description *")
        lib.rf_describe(position.game.cdata, position.context.cdata, position.state, out)
        self.files, self.ranks = out.files, out.ranks
        self.players, self.player, self.phase = out.players, out.player, word(out.phase)
        self.pieces = [
            Piece(i, word(p.kind), p.owner, p.value, p.place, p.of, p.file, p.rank, p.marks)
            for i, p in enumerate(out.pieces[0 : out.piece_count])
        ]
        counters = out.counters[0 : out.counter_count]
        self.counters = {(word(c.name), c.player, c.index): int(c.number) for c in counters}
        self.options = [f"{word(o.name)}={word(o.value)}" for o in out.options[0 : out.option_count]]

    def at(self, place: int) -> list[Piece]:
        return [piece for piece in self.pieces if piece.place == place]

    def held_by(self, piece: Piece) -> list[Piece]:
        return [held for held in self.at(lib.RF_HELD) if held.of == piece.number]

    def on_squares(self) -> dict[tuple[int, int], Piece]:
        return {(piece.rank, piece.file): piece for piece in self.at(lib.RF_ON_SQUARE)}

    def side(self) -> str:
        return "sn"[self.player - 1]

    def squares(self, mark: int) -> str:
        found = sorted((p.rank, p.file, p.square) for p in self.pieces if p.marks & mark)
        return ",".join(square for _, _, square in found) or "-"


def gyges(d: Description) -> str:
    board = d.on_squares()
    ranks = ["".join(str(board[r, f].value) if (r, f) in board else "." for f in range(6)) for r in reversed(range(6))]
    throne = "".join(str(piece.value) for piece in d.at(lib.RF_ON_THRONE) if piece.of == d.player) or "-"
    return f"gyges {'/'.join(ranks)} {d.side()} {throne} {d.counters['goals', 1, 0]}+{d.counters['goals', 2, 0]}"


def rings(d: Description) -> str:
    def cell(piece: Piece | None) -> str:
        if piece is None:
            return "."
        if piece.kind == "ring":
            return str(piece.value)
        held = "".join(sorted((str(ring.value) for ring in d.held_by(piece)), reverse=True))
        return " Kk"[piece.owner] + (f"({held})" if held else "")

    board = d.on_squares()
    ranks = ["".join(cell(board.get((r, f))) for f in range(d.files)) for r in reversed(range(d.ranks))]
    hands = f"{d.counters['hand', 1, 0]}+{d.counters['hand', 2, 0]}"
    return f"rings {'/'.join(ranks)} {d.side()} {hands} {d.counters['passes', 0, 0]}"


def siaius(d: Description) -> str:
    def row(rank: int) -> str:
        text, gap = "", 0
        for file in range(d.files):
            piece = board.get((rank, file))
            if piece is None:
                gap += 1
                continue
            letter = {"sun": "S", "moon": "M", "star": "T", "champion": "C"}[piece.kind]
            text += (str(gap) if gap else "") + (letter if piece.owner == 1 else letter.lower())
            gap = 0
        return text + (str(gap) if gap else "")

    board = d.on_squares()
    ranks = "/".join(row(rank) for rank in reversed(range(d.ranks)))
    pending = f"{d.squares(lib.RF_MARK_MISSED)} {d.squares(lib.RF_MARK_BONUS)} {d.counters['passes', 0, 0]}"
    return " ".join([f"siaius {ranks} {d.side()} {pending}", *d.options])


def gran(d: Description) -> str:
    def figure(piece: Piece) -> str:
        held = d.held_by(piece)
        point = piece.square if piece.place == lib.RF_ON_SQUARE else "-"
        seals = "".join(letter for letter in "TUGE" if any(p.value == ord(letter) for p in held)) or "-"
        fetter = "!" if piece.marks & lib.RF_MARK_FETTER else ""
        return f"{point}:{sum(p.kind == 'amulet' for p in held)}:{seals}{fetter}"

    figures = [piece for piece in d.pieces if piece.kind == "figure"]
    (ring,) = (piece for piece in d.pieces if piece.kind == "ring")
    carrier = f"@{d.pieces[ring.of].owner}" if ring.place == lib.RF_HELD else "?"
    stones = sorted((p.rank, p.file, p.square) for p in d.pieces if p.kind == "stone")
    fields = [
        "gran",
        "/".join(figure(piece) for piece in sorted(figures, key=lambda piece: piece.owner)),
        ring.square if ring.place == lib.RF_ON_SQUARE else carrier,
        ",".join(square for _, _, square in stones) or "-",
        ".".join(str(d.counters["cards", 0, value]) for value in range(7)),
        str(d.player),
        d.phase,
    ]
    assert len(figures) == d.players
    return " ".join(fields + d.options)


WRITERS = {"gyges": gyges, "rings": rings, "siaius": siaius, "gran": gran}


def test_every_game_is_written() -> None:
    assert set(WRITERS) == set(game_ids())


@given(st.sampled_from(STARTS), st.integers(0, 2**64 - 1), st.integers(0, 150))
def test_the_text_can_be_written_from_the_description(fen: str, seed: int, plies: int) -> None:
    position = random_plies(Position(fen), Generator(seed), plies)[1]
    description = Description(position)
    assert WRITERS[position.game.id](description) == position.fen
    assert (description.phase == "over") == position.is_over
