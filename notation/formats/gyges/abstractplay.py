"""Games of the AbstractPlay game library: records in JSON (docs/formats/abstractplay.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from ringfen.notation.formats.building import RecordBuilder, Written, cannot, main_line, written
from ringfen.notation.formats.gyges.boards import check_goals
from ringfen.notation.formats.gyges.bounces import named_bounces
from ringfen.notation.formats.placed_json import JsonError, PlacedText, placed_json
from ringfen.notation.formats.splitting import Brackets, pieces
from ringfen.notation.record import Record
from ringfen.position import Position
from ringfen.text import to_json

GAMES: Final = ("gyges",)

_JSON: Final = Brackets(b"{", b"}", b'"', b'"', restart=rb"\{", skipped=b" \t\r\n,[]")
_NAME: Final = "Gyges"
#: The rank of each player's setup; squares have ranks from 2 to 7, and the thrones are c1 and d8.
_SETUP_RANKS: Final = {"s": "2", "n": "7"}
_THRONES: Final = {"c1": "S", "d8": "N"}
_CELLS: Final = {"S": "c1", "N": "d8"}
_CELL: Final = "[a-f][2-7]"
_SETUP: Final = re.compile(r"[1-3][a-f][27](?:,[1-3][a-f][27])*")
_MOVE: Final = re.compile(rf"({_CELL}(?:-{_CELL})*)-({_CELL}|c1|d8)(?:\(({_CELL})\))?")
#: More characters than a move has, which uses no connection twice.
_LONGEST_MOVE: Final = 300
_RECORD: Final = "a record is an object with the members header and moves"
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")
#: The results of the two players.
_RESULTS: Final = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (1, 1), "*": (None, None)}
#: The tags that a record of that library contains, apart from Date.
_TAGS: Final = ("Event", "Site", "Round", "South", "North", "GameId")
#: The last entry of a game that did not end on a throne.
_ENDINGS: Final = ("resign", "timeout", "draw", "abandoned")


class _FormatError(ValueError):
    """A record that has not the form of the schema; ``text`` is the text that is meant, if it is known."""

    def __init__(self, message: str, text: Any = None) -> None:
        super().__init__(message)
        self.text = text if isinstance(text, PlacedText) else None


class _Entry(NamedTuple):
    """A move as it is written, and its place."""

    move: str
    at: int
    length: int


def read(stream: BinaryIO, name: str, game: str, max_record: int, board_path: Sequence[Path]) -> Iterator[Record]:
    """Yield the games of a stream: records in JSON, one after another or in an array, or lists of moves."""
    for number, piece in enumerate(pieces(stream, max_record, _JSON), 1):
        builder = RecordBuilder(name, number, piece)
        if builder.valid:
            try:
                if not builder.text:
                    raise _FormatError("the file has no game" if number == 1 else "the array of records is not closed")
                if builder.text.startswith("{"):
                    _read_record(builder, game, placed_json(builder.text))
                else:
                    _read_list(builder, game)
            except JsonError as error:
                builder.error("bad-format", error.at, 1, f"not JSON: {error}")
            except _FormatError as error:
                at, length = (0, 1) if error.text is None else (error.text.begin, error.text.length)
                builder.error("bad-format", at, length, str(error))
        yield builder.record


def _read_record(builder: RecordBuilder, game: str, value: Any) -> None:
    """Read a record in JSON."""
    if not isinstance(value, dict) or not isinstance(value.get("header"), dict):
        raise _FormatError(_RECORD)
    header = value["header"]
    about = header.get("game")
    if not isinstance(about, dict) or about.get("name") != _NAME:
        name = about.get("name") if isinstance(about, dict) else None
        raise _FormatError(f"the game in the header is not {_NAME}", name)
    if about.get("variants"):
        raise _FormatError(f"{_NAME} has no variants")
    if header.get("startingPosition"):
        raise _FormatError(f"{_NAME} has no startingPosition", header["startingPosition"])
    players = header.get("players")
    if not isinstance(players, list) or len(players) != 2 or not all(isinstance(one, dict) for one in players):
        raise _FormatError("the header has two players")
    if not builder.start(game, tags=_tags(header, players)):
        return
    ending = _play_all(builder, _entries(value.get("moves")))
    result = _result(players, ending)
    if result is not None and builder.valid:
        place = next((one["name"] for one in players if isinstance(one.get("name"), PlacedText)), None)
        at, length = (0, 1) if place is None else (place.begin, place.length)
        builder.result(result, at, length)


def _read_list(builder: RecordBuilder, game: str) -> None:
    """Read a list of moves without a header; move numbers are skipped."""
    words = (word for word in re.finditer(r"\S+", builder.text) if not re.fullmatch(r"[0-9]+\.", word[0]))
    builder.start(game)
    ending = _play_all(builder, (_Entry(word[0], word.start(), len(word[0])) for word in words))
    if ending in ("resign", "timeout") and builder.valid:
        builder.result("0-1" if builder.position.player == "s" else "1-0", 0, 1)
    elif ending == "draw":
        builder.result("1/2-1/2", 0, 1)


def _play_all(builder: RecordBuilder, entries: Iterable[_Entry]) -> str:
    """Play moves up to the first error, which is reported. Return the word that ends the game, if there is one."""
    ending = ""
    for entry in entries:
        if ending:
            builder.error("bad-format", entry.at, entry.length, f"nothing follows {ending}")
            break
        move = "".join(entry.move.lower().split())
        if move in _ENDINGS:
            ending = move
        elif not _play(builder, move, entry):
            break
    return ending


def _tags(header: dict[str, Any], players: list[Any]) -> dict[str, str]:
    """Return the tags for a header."""
    site = header.get("site") or {}
    if not isinstance(site, dict):
        raise _FormatError("site in the header is not an object", site)
    date = _text(header, "date-start")
    found = _DATE.match(date)
    if date and found is None:
        raise _FormatError("date-start in the header is not a date such as 2026-11-21", header["date-start"])
    texts = {
        "Event": _text(header, "event"),
        "Site": _text(site, "name"),
        "Date": ".".join(found.groups()) if found else "",
        "Round": _text(header, "round"),
        "South": _text(players[0], "name"),
        "North": _text(players[1], "name"),
        "GameId": _text(site, "gameid"),
    }
    return {name: text for name, text in texts.items() if text not in ("", "?")}


def _text(members: dict[str, Any], name: str) -> str:
    """Return a member that is a text or an integer; an empty text if there is none."""
    value = members.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        raise _FormatError(f"{name} in the header is not a text")
    return "" if value is None else " ".join(str(value).split())


def _entries(moves: Any) -> Iterator[_Entry]:
    """Yield the moves of all rounds."""
    if not isinstance(moves, list):
        raise _FormatError("moves is an array of rounds")
    for number, entries in enumerate(moves, 1):
        if not isinstance(entries, list):
            raise _FormatError(f"round {number} of moves is not an array")
        if len(entries) != 2 and not (len(entries) == 1 and number == len(moves)):
            raise _FormatError(f"round {number} of moves has {len(entries)} moves", *entries[2:3])
        for entry in entries:
            move = entry.get("move") if isinstance(entry, dict) else entry
            if not isinstance(move, PlacedText):
                raise _FormatError(f"round {number} of moves has an entry that is not a move")
            yield _Entry(move, move.begin + 1, move.length - 2)


def _play(builder: RecordBuilder, move: str, entry: _Entry) -> bool:
    """Play a move; an error is reported. Return whether there is none."""
    at, length = entry.at, entry.length
    number = len(builder.record.main.nodes) + 1
    found = _MOVE.fullmatch(move) if len(move) <= _LONGEST_MOVE else None
    if found is not None:
        path, last, drop = found[1].split("-"), found[2], found[3]
        if drop is not None and last in _THRONES:
            builder.error("bad-ply", at, length, "no ring is displaced on a throne", ply=number)
            return False
        squares = "-".join(map(_square, path))
        ply = f"{squares}-{_square(last)}" if drop is None else f"{squares}x{_square(last)}-{_square(drop)}"
        return builder.play(ply, at, length)
    if len(move) > _LONGEST_MOVE or _SETUP.fullmatch(move) is None:
        words = "a move is written as in 3a2,2b2,1c2,1d2,2e2,3f2 or a2-a5 or a2-b3-c4(d5)"
        builder.error("bad-ply", at, length, words, ply=number)
        return False
    rank = _SETUP_RANKS.get(str(builder.position.player), "")
    rings = {placed[1:]: placed[0] for placed in move.split(",")}
    if sorted(rings) != [f"{file}{rank}" for file in "abcdef"] or move.count(",") != len(rings) - 1:
        builder.error("bad-ply", at, length, f"a setup puts one ring on each square of rank {rank}", ply=number)
        return False
    return builder.play("".join(rings[cell] for cell in sorted(rings)), at, length)


def _square(cell: str) -> str:
    return _THRONES.get(cell) or f"{cell[0]}{int(cell[1]) - 1}"


def _result(players: list[Any], ending: str) -> str | None:
    """Return the result that the players' results show; None if they show none."""
    first, second = (player.get("result") for player in players)
    if ending == "abandoned" or (first is None and second is None):
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (first, second)):
        raise _FormatError("the result of a player is a number")
    return "1-0" if first > second else "0-1" if second > first else "1/2-1/2"


def write(record: Record) -> Written:
    """Return a record as JSON on one line."""
    check_goals(record.begin, "abstractplay")
    if "FEN" in record.tags:
        raise cannot("a game in abstractplay begins with the setups, but the record has another start")
    moves = [_written(position, node.ply) for position, node in main_line(record)]
    if record.result != "*" and record.outcome is None:
        moves.append("draw" if record.result == "1/2-1/2" else "resign")
    tags = record.tags
    results = zip(("South", "North"), _RESULTS[record.result], strict=True)
    players = [{"name": tags.get(name, "?"), "result": result} for name, result in results]
    header: dict[str, Any] = {"game": {"name": _NAME, "variants": []}}
    header |= {name: tags[name.capitalize()] for name in ("event", "round") if _is_known(tags.get(name.capitalize()))}
    header["site"] = {"name": tags.get("Site", "?")}
    if "GameId" in tags:
        header["site"]["gameid"] = tags["GameId"]
    if _keeps_tag("Date", tags.get("Date", "")):
        date = f"{tags['Date'].replace('.', '-')}T00:00:00.000Z"
        header |= {"date-start": date, "date-end": date, "date-generated": date}
    header["players"] = players
    rounds = [moves[first : first + 2] for first in range(0, len(moves), 2)]
    text = f"{to_json({'header': header, 'moves': rounds})}\n"
    return written(record, text, keeps_tag=_keeps_tag, keeps_result=True, keeps_bounces=True)


def _keeps_tag(name: str, value: str) -> bool:
    return name in _TAGS if name != "Date" else re.fullmatch(r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}", value) is not None


def _is_known(value: str | None) -> bool:
    return value not in (None, "", "?")


def _written(position: Position, ply: str) -> str:
    """Return a ply as the library writes it."""
    if ply.isdigit():
        rank = _SETUP_RANKS[str(position.player)]
        return ",".join(f"{ring}{file}{rank}" for file, ring in zip("abcdef", ply, strict=True))
    path = "-".join(map(_cell, named_bounces(position, ply)))
    return f"{path}({_cell(ply[-2:])})" if "x" in ply else path


def _cell(square: str) -> str:
    return _CELLS.get(square) or f"{square[0]}{int(square[1]) + 1}"
