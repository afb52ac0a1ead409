"""The formats of other programs, which ``convert`` reads and writes (docs/formats/).

Each format is a module here, those of one game in the folder of the game, with these names:

- ``GAMES``: the ids of its games. If there are several, the caller names one.
- ``read(stream, name, game, max_record, board_path)``: yields the games of a binary stream in UTF-8 as records, valid
  or not. No content raises an error; the records have diagnostics. ``name`` is what diagnostics call the stream,
  ``board_path`` contains directories to search for boards (GRAN).
- ``write(record)``: the text of a valid record, which ends with a line end, and the contents that the format cannot
  express (:class:`Written`). Raises RecordError with the reason if it cannot express the start or the main line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ringfen.errors import RecordError

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.notation.formats.building import Written
    from ringfen.notation.record import Record

#: The module of each format that can be read.
_READ: Final = {
    "abstractplay": "gyges.abstractplay",
    "boardspace": "gyges.boardspace",
    "gyges-online": "gyges.gyges_online",
    "plain": "plain",
    "ugi": "gyges.ugi",
}
#: The module of each format that can be written.
_WRITTEN: Final = {
    "abstractplay": "gyges.abstractplay",
    "gyges-online": "gyges.gyges_online",
    "ugi": "gyges.ugi",
}
#: Their names.
READABLE: Final = tuple(_READ)
WRITABLE: Final = tuple(_WRITTEN)


def games_of(form: str) -> tuple[str, ...]:
    """Return the ids of the games of a format."""
    games: tuple[str, ...] = _module(form).GAMES
    return games


def read_format(
    form: str, stream: BinaryIO, name: str, game: str | None, max_record: int, board_path: Sequence[Path] = ()
) -> Iterator[Record]:
    """Yield the games of a stream as records, valid or not.

    :param form: one of :data:`READABLE`.
    :param name: what diagnostics call the stream.
    :param game: the id of the game; None for the only game of the format.
    :param max_record: the longest game in bytes; a longer one is the error ``too-long``.
    :param board_path: directories to search for boards, and board files (GRAN).
    """
    game = game or games_of(form)[0]
    records: Iterator[Record] = _module(form).read(stream, name, game, max_record, board_path)
    return records


def write_format(form: str, record: Record) -> Written:
    """Return the text of a valid record in a format, and what it omits.

    :param form: one of :data:`WRITABLE`.
    :raises ringfen.RecordError: the format cannot express the record; the message states why.
    """
    if record.game is None or record.game.id not in games_of(form):
        other = "" if record.game is None else f", not of {record.game.id}"
        raise RecordError(f"{form} is a format of {', '.join(games_of(form))}{other}", reason="other-game")
    written: Written = _module(form).write(record)
    return written


def _module(form: str) -> Any:
    return import_module(f"ringfen.notation.formats.{(_READ | _WRITTEN)[form]}")
