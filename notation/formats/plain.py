"""Games as people write them in mails and on paper: plies in loose spelling, without tags (docs/formats/plain.md).

A game is read from its start, one ply after the other. What a text can mean depends on the position: only a reading
that the rules allow counts, and there has to be exactly one. Text with none or several is an error and ends the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from ringfen.notation.formats.building import Piece, RecordBuilder, whole_input
from ringfen.notation.formats.loose_plies import setups_of
from ringfen.notation.formats.plain_parser import Assumptions, GameParser
from ringfen.notation.formats.plain_text import DIVIDERS, PlainText
from ringfen.notation.record import Record, player_tags
from ringfen.position import Position
from ringfen.rules import game_ids

GAMES: Final = game_ids()

#: With at least this many plies after two setups, a game shows which setup is whose.
_EVIDENCE: Final = 4
#: How often the order of the setups can differ from that of play.
_ORDERS: Final = ((False, False), (True, False), (False, True), (True, True))
#: The names and the number of the players of a game.
_PLAYERS: Final = re.compile(
    r"\b(?:player|spieler|players:|p)[ \t]*([1-9])\b|\b([1-9])[ \t]*(?:players|spieler)\b", re.IGNORECASE
)
_MOST_HEAD: Final = 4000
_FIRST_PLY: Final = re.compile(r"[a-l][0-9]+[ \t]*[-x]|[1-9][1-9][ \t]*[-x:]", re.IGNORECASE)


def read(stream: BinaryIO, name: str, game: str, max_record: int, board_path: Sequence[Path]) -> Iterator[Record]:
    """Yield the games of a text."""
    piece = whole_input(stream, max_record)
    whole_text = RecordBuilder(name, 1, piece)
    if not whole_text.valid:
        yield whole_text.record
        return
    text = PlainText(whole_text.text, board_path)
    number = last = 0
    line, counted = piece.line, 0
    while (at := _next_content(text, last)) < len(text.text):
        parsed = _best_parse(text, at, last, game)
        end = max(parsed.end, at + 1)
        if parsed.is_game:
            number += 1
            begin = text.place(text.line_begin(at))
            line += _line_ends(text.original, counted, begin)
            counted = begin
            yield _record(
                text, parsed, Piece(text.original[begin : text.place(end)].encode(), line), begin, name, number
            )
        last = end
    content = re.search(r"\S", whole_text.text)
    if not number and content is not None:
        whole_text.error("bad-format", content.start(), 1, "this text contains no game")
        yield whole_text.record


def _line_ends(text: str, at: int, end: int) -> int:
    return len(re.findall(r"\r\n|\r|\n", text[at:end]))


def _next_content(text: PlainText, at: int) -> int:
    while at < len(text.text) and text.text[at] in DIVIDERS:
        at += 1
    return at


@lru_cache(maxsize=8)
def _starts(game: str) -> tuple[Position, ...]:
    """Return the usual start, and in games for more players that for each other number of players."""
    default = Record.new(game).begin
    numbers = range(default.game.players[0], default.game.players[1] + 1)
    others = [number for number in numbers if number != default.players]
    return (default, *(_new(game, _players(number)).begin for number in others))


def _new(game: str, tags: Mapping[str, str]) -> Record:
    return Record.new(game, **dict(tags))  # type: ignore[arg-type]


def _players(number: int) -> dict[str, str]:
    return {f"Player{player}": "?" for player in range(1, number + 1)}


def _stated_players(text: PlainText, at: int) -> int | None:
    """Return the number of players that a text states before the first ply."""
    first_ply = _FIRST_PLY.search(text.text, at, at + _MOST_HEAD)
    part = text.original[text.place(at) : text.place(first_ply.start() if first_ply else at + _MOST_HEAD)]
    numbers = [int(number or other) for number, other in _PLAYERS.findall(part)]
    return max(numbers, default=None)


def _best_parse(text: PlainText, at: int, before: int, game: str) -> GameParser:
    """Read a game in the usual way, or if that is impossible in the only other way that is.

    :param before: where the text before the game begins, which may state the number of players.
    """
    first = GameParser(text, at, Assumptions(_starts(game)[0]))
    first.run()
    if not first.has_notation:
        return first
    players = _stated_players(text, before) if len(_starts(game)) > 1 else None
    starts = [start for start in _starts(game) if start.players == players] or _starts(game)
    if starts[0] != first.assumed.start:
        first = GameParser(text, at, Assumptions(starts[0]))
        first.run()
    if first.error is None:
        return first
    parses = [first]
    for start in starts:
        # The order of the setups matters only to a game that has some.
        for swapped, mirrored in _ORDERS if first.has_setups else _ORDERS[:1]:
            if (start, swapped, mirrored) != (starts[0], False, False):
                other = GameParser(text, at, Assumptions(start, swapped, mirrored))
                other.run()
                parses.append(other)
    possible: dict[tuple[Position, tuple[str, ...]], GameParser] = {}
    for one in parses:
        if one.error is None:
            possible.setdefault((one.start, one.line), one)
    if len(possible) == 1:
        (only,) = possible.values()
        if not setups_of(only.assumed.start).number or only.after_setups >= _EVIDENCE:
            return only
    if possible:
        is_of_setups = setups_of(starts[0]).number > 0
        words = "the setups are exchanged" if is_of_setups else "the number of players is another"
        instead = "South: or North: before each setup" if is_of_setups else "the number, such as 4 players"
        more = f"; if {words}, the plies are legal: write {instead}"
        first.error = first.error._replace(more=more, words=first.error.words + ("" if first.error.form else more))
        return first
    return max(parses, key=lambda one: one.farthest)


def _record(text: PlainText, parsed: GameParser, piece: Piece, begin: int, name: str, number: int) -> Record:
    """Return the record of a game as far as it could be read."""
    builder = RecordBuilder(name, number, piece)
    game = parsed.start.game
    default = _starts(game.id)[0]
    tags = {} if parsed.start.players in (2, default.players) else _players(parsed.start.players)
    if parsed.names:
        tags = {tag: parsed.names.get(tag, "?") for tag in player_tags(game)[: parsed.start.players]}
    fen = None if _new(game.id, tags).begin == parsed.start else parsed.start
    builder.start(game.id, fen=fen, tags=tags)
    record = builder.record
    record.board_path = tuple(text.board_path)
    record.comments = parsed.comments
    for one in parsed.plies:
        at, end = text.place(one.read.at) - begin, text.place(one.read.end) - begin
        if not builder.play(one.read.ply, at, end - at):
            return record
        node = record.main.nodes[-1]
        node.nags, node.comments = one.nags, one.comments
    if parsed.result is not None:
        at, end = (text.place(place) - begin for place in parsed.result_at)
        builder.result(parsed.result, at, end - at)
    last = parsed.advised()
    for error in (*parsed.warnings, *([last] if last else [])):
        at, end = text.place(error.at) - begin, text.place(error.end) - begin
        ply = len(parsed.plies) + 1 if error.is_ply else None
        builder.error(error.code, at, end - at, error.words, ply=ply, suggest=error.suggest)
    return record
