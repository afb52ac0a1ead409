"""The core's description of a position is complete: the text can be written from it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ringfen import Position, game_by_id, game_ids
from ringfen.drawing.description import (
    BONUS,
    FETTER,
    HELD,
    MISSED,
    ON_SQUARE,
    ON_THRONE,
    Description,
    Piece,
)
from ringfen.notation.random_play import Generator, random_plies

STARTS = [
    *(game_by_id(game_id).default_start for game_id in game_ids()),
    "gyges 321123/....../....../....../....../321123 s - 3+2",
    "rings k1k1k/.1.1./11111/13531/11111/.1.1./K1K1K s 0+0 0",
    "siaius smt1c/5/5/5/SMT1C s - - 0",
    "siaius smts/4/4/SMTS s - - 0 beats=reverse huff=stone",
    "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move seals=2",
]


def side(d: Description) -> str:
    return "sn"[d.player - 1]


def squares(d: Description, mark: int) -> str:
    return ",".join(d.marked(mark)) or "-"


def options(d: Description) -> list[str]:
    return [f"{name}={value}" for name, value in d.options.items()]


def gyges(d: Description) -> str:
    board = d.by_square()
    ranks = ["".join(str(board[f, r].value) if (f, r) in board else "." for f in range(6)) for r in reversed(range(6))]
    throne = "".join(str(piece.value) for piece in d.at(ON_THRONE) if piece.of == d.player) or "-"
    return f"gyges {'/'.join(ranks)} {side(d)} {throne} {d.counters['goals', 1, 0]}+{d.counters['goals', 2, 0]}"


def rings(d: Description) -> str:
    def cell(piece: Piece | None) -> str:
        if piece is None:
            return "."
        if piece.kind == "ring":
            return str(piece.value)
        held = "".join(sorted((str(ring.value) for ring in d.held_by(piece)), reverse=True))
        return " Kk"[piece.owner] + (f"({held})" if held else "")

    board = d.by_square()
    ranks = ["".join(cell(board.get((f, r))) for f in range(d.files)) for r in reversed(range(d.ranks))]
    hands = f"{d.counters['hand', 1, 0]}+{d.counters['hand', 2, 0]}"
    return f"rings {'/'.join(ranks)} {side(d)} {hands} {d.counters['passes', 0, 0]}"


def siaius(d: Description) -> str:
    def row(rank: int) -> str:
        text, gap = "", 0
        for file in range(d.files):
            piece = board.get((file, rank))
            if piece is None:
                gap += 1
                continue
            letter = {"sun": "S", "moon": "M", "star": "T", "champion": "C"}[piece.kind]
            text += (str(gap) if gap else "") + (letter if piece.owner == 1 else letter.lower())
            gap = 0
        return text + (str(gap) if gap else "")

    board = d.by_square()
    ranks = "/".join(row(rank) for rank in reversed(range(d.ranks)))
    pending = f"{squares(d, MISSED)} {squares(d, BONUS)} {d.counters['passes', 0, 0]}"
    return " ".join([f"siaius {ranks} {side(d)} {pending}", *options(d)])


def gran(d: Description) -> str:
    def figure(piece: Piece) -> str:
        held = d.held_by(piece)
        point = piece.square if piece.place == ON_SQUARE else "-"
        seals = "".join(letter for letter in "TUGE" if any(p.value == ord(letter) for p in held)) or "-"
        fetter = "!" if piece.marks & FETTER else ""
        return f"{point}:{sum(p.kind == 'amulet' for p in held)}:{seals}{fetter}"

    figures = [piece for piece in d.pieces if piece.kind == "figure"]
    (ring,) = (piece for piece in d.pieces if piece.kind == "ring")
    assert not any(piece.owner for piece in d.pieces if piece.kind == "stone" or piece is ring)
    carrier = f"@{d.pieces[ring.of].owner}" if ring.place == HELD else "?"
    stones = sorted((p.rank, p.file, p.square) for p in d.pieces if p.kind == "stone")
    fields = [
        "gran",
        "/".join(figure(piece) for piece in sorted(figures, key=lambda piece: piece.owner)),
        ring.square if ring.place == ON_SQUARE else carrier,
        ",".join(square for _, _, square in stones) or "-",
        ".".join(str(d.counters["cards", 0, value]) for value in range(7)),
        str(d.player),
        d.phase,
    ]
    assert len(figures) == d.players
    return " ".join(fields + options(d))


WRITERS = {"gyges": gyges, "rings": rings, "siaius": siaius, "gran": gran}


def test_every_game_is_written() -> None:
    assert set(WRITERS) == set(game_ids())


@given(st.sampled_from(STARTS), st.integers(0, 2**64 - 1), st.integers(0, 150))
def test_the_text_can_be_written_from_the_description(fen: str, seed: int, plies: int) -> None:
    position = random_plies(Position(fen), Generator(seed), plies)[1]
    description = Description(position)
    assert WRITERS[position.game.id](description) == position.fen
    assert (description.phase == "over") == position.is_over


@given(st.sampled_from(STARTS), st.integers(0, 2**32), st.integers(0, 60))
def test_editors_offer_every_piece_on_a_square(fen: str, seed: int, count: int) -> None:
    position = random_plies(Position(fen), Generator(seed), count)[1]
    editor = position.game.editor
    assert editor is not None
    offered = {(piece.kind, piece.owner, piece.value): piece for piece in editor.palette}
    fields = dict(zip((name for name, _, _ in position.game.fields), position.fen.split()[1:], strict=False))
    for piece in Description(position).pieces:
        if piece.place != ON_SQUARE:
            continue
        known = offered[piece.kind, piece.owner, piece.value]
        if known.text:
            assert known.text in fields["RANKS"]
        elif known.part >= 0:
            assert fields[known.field].split("/")[known.part].partition(":")[0] == piece.square
        else:
            assert piece.square in fields[known.field].split(",")
    options = dict(word.split("=") for word in position.fen.split()[1 + len(fields) :])
    for field in editor.fields:
        text = options.get(field.name, "") if field.kind == "option" else fields.get(field.name, "")
        found = re.search(field.pattern, text)
        if field.kind in ("field", "option") and field.choices and found is not None:
            value = found[1] if field.pattern else text
            assert value in field.choices or re.fullmatch(r"[a-i]\d", value), (field.label, value)
