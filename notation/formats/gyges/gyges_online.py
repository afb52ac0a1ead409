"""The move lists of gyges-online: moves as its panel shows them, or as its engine writes them.

docs/formats/gyges-online.md describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from ringfen.notation.formats.building import BEGIN, Piece, RecordBuilder, Written, lines, main_line, written
from ringfen.notation.formats.gyges.boards import board_of, check_goals, start_from_board
from ringfen.notation.formats.gyges.numbers import NumberedMoves
from ringfen.notation.record import Record

GAMES: Final = ("gyges",)

#: Also squares off the board, which an error then names.
_SQUARE: Final = "[a-z][0-9]"
_PLY: Final = re.compile(
    rf"""(?:(?P<number>[0-9]{{1,9}})\.\s*)?
    (?:(?P<player>P[12])(?!\*)\s*)?
    (?P<body>set\s*(?P<set>[0-9]+)
      |(?P<placed>[123](?:\|[123]){{5}})
      |(?P<from>{_SQUARE})\s*(?:×\s*(?P<taken>{_SQUARE})\s*→\s*(?P<drop>{_SQUARE})|→\s*(?P<to>{_SQUARE}|P[12]\*))
      |(?P<engine>[0-9]{{1,2}}\|[0-9]{{1,2}}(?:\|[0-9]{{1,2}})?))
    (?:\s*(?:—|[0-9]+(?:\.[0-9])?[smhd]))?
    (?=\s|\Z)""",
    re.VERBOSE,
)
_BOARD_LINE: Final = re.compile(rb"\s*[0-3/]{36,}\s*\Z")
_BOARD: Final = re.compile(r"[0-3/]{36,}(?=\s|\Z)")
_NEXT: Final = re.compile(r"\S")
#: What an error quotes: a line of the panel, or one word.
_UNREAD: Final = re.compile(r"(?:[0-9]+\.|P[12])[^\r\n]*(?<=\S)|\S+")
_NUMBERED: Final = re.compile(rb"\s*([0-9]+)\.")
_EXPECTED: Final = "a ply is written as in 1. P1 set 321123, 3. P1 d2 → d4, 4. P2 f5 × e5 → e6 or 12|18|24"
#: The setups of a list that has none.
_USUAL_SETUP: Final = "321123"
_THRONES: Final = {"P1*": "S", "P2*": "N"}
_PLAYERS: Final = {"s": "P1", "n": "P2"}


def read(stream: BinaryIO, name: str, game: str, max_record: int, board_path: Sequence[Path]) -> Iterator[Record]:
    """Yield the games of a stream."""
    for number, piece in enumerate(_pieces(stream, max_record), 1):
        builder = RecordBuilder(name, number, piece)
        if builder.valid:
            _read_game(builder, game)
        yield builder.record


def _pieces(stream: BinaryIO, most: int) -> Iterator[Piece]:
    """Yield the text of each game.

    A game begins with a board, with the number 1, or after an empty line with a ply that has no number.
    """
    text, first, last = bytearray(), 1, 0
    too_long = has_begun = False
    for line in lines(stream, most):
        number = _NUMBERED.match(line.data)
        is_board = _BOARD_LINE.match(line.data) is not None
        begins = is_board or (number[1] == b"1" if number else line.line > last + 1)
        if begins and has_begun:
            yield Piece(bytes(text[:BEGIN] if too_long else text), first, too_long)
            text, too_long = bytearray(), False
        if not text:
            first = last = line.line
        too_long = too_long or len(text) + line.line - last + len(line.data) > most
        if not (text and too_long):
            text += b"\n" * (line.line - last) + line.data
        has_begun = not is_board
        too_long = too_long or line.too_long
        last = line.line
    if last:
        yield Piece(bytes(text[:BEGIN] if too_long else text), first, too_long)


def _read_game(builder: RecordBuilder, game: str) -> None:
    text, at, ply = builder.text, _skip(builder.text, 0), 1
    board = _BOARD.match(text, at)
    if board is not None:
        first = _PLY.match(text, _skip(text, board.end()))
        if not start_from_board(builder, board[0], at, "n" if first is not None and first["player"] == "P2" else "s"):
            return
        at = _skip(text, board.end())
    elif not builder.start(game):
        return
    elif (first := _PLY.match(text, at)) is not None and (first["from"] or first["engine"]):
        for setup in (_USUAL_SETUP, _USUAL_SETUP):
            builder.play(setup, at, 1)
    moves = NumberedMoves()
    while at < len(text):
        found = _PLY.match(text, at)
        if found is None or not _play(builder, found, ply, moves):
            if found is None:
                length = len(_UNREAD.match(text, at)[0])  # type: ignore[index]
                builder.error("bad-ply", at, length, _EXPECTED, ply=ply)
            return
        at = _skip(text, found.end())
        ply += 1


def _play(builder: RecordBuilder, found: re.Match[str], ply: int, moves: NumberedMoves) -> bool:
    """Play a ply; an error is reported. Return whether there is none."""
    if found["number"] is not None and int(found["number"]) != ply:
        builder.error("bad-format", found.start("number"), len(found["number"]) + 1, f"expected {ply}.", ply=ply)
        return False
    player = _PLAYERS.get(str(builder.position.player))
    if found["player"] not in (None, player):
        builder.error("bad-format", found.start("player"), 2, f"it is the turn of {player}", ply=ply)
        return False
    if found["engine"] is not None:
        return moves.play(builder, found["engine"], found.start("engine"))
    begin, end = found.span("body")
    return builder.play(_ply_of(found), begin, end - begin)


def _ply_of(found: re.Match[str]) -> str:
    """Return the ply that is written as the panel shows it, legal or not."""
    if found["from"] is None:
        return str(found["set"] or found["placed"].replace("|", ""))
    if found["taken"] is not None:
        return f"{found['from']}x{found['taken']}-{found['drop']}"
    return f"{found['from']}-{_THRONES.get(found['to'], found['to'])}"


def _skip(text: str, at: int) -> int:
    """Return the place of the next character that is not white space."""
    found = _NEXT.search(text, at)
    return len(text) if found is None else found.start()


def write(record: Record) -> Written:
    """Return the move list of a game, as the panel shows it, with an empty line after it."""
    check_goals(record.begin, "gyges-online")
    list_ = [] if "FEN" not in record.tags else [board_of(record.begin)]
    for number, (position, node) in enumerate(main_line(record), 1):
        list_.append(f"{number}. {_PLAYERS[str(position.player)]} {_shown(node.short)}")
    return written(record, "".join(f"{line}\n" for line in list_) + "\n")


def _shown(ply: str) -> str:
    """Return a ply in short form as the panel shows it."""
    if ply.isdigit():
        return f"set {ply}"
    squares = [{"S": "P1*", "N": "P2*"}.get(square, square) for square in re.split("[-x]", ply)]
    return " → ".join(squares) if "x" not in ply else f"{squares[0]} × {squares[1]} → {squares[2]}"
