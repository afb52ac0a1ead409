"""Helpers for the readers of all formats: bounded reading, and records with the places of their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import BinaryIO, Final, NamedTuple

from ringfen.errors import IllegalPlyError, ImpossiblePositionError, RecordError, RingfenError
from ringfen.notation.diagnostics import CODES, WARNING, Diagnostic, Places, quoted
from ringfen.notation.encodings import READ_IN_ITS_ENCODING
from ringfen.notation.ply_suggestions import writing_error
from ringfen.notation.record import COMMENT, NAG, OPEN, Node, Record
from ringfen.notation.writing import check_complete
from ringfen.position import Position
from ringfen.text import printable

#: Bytes of a piece that is too long, to show where it begins.
BEGIN: Final = 80
_BOM: Final = b"\xef\xbb\xbf"
#: Tags that the text of another format expresses in its own way.
_EXPRESSED: Final = ("Game", "FEN", "Result")


class Piece(NamedTuple):
    """Some text of a stream: a line, a game, or all of it. ``line`` and ``column`` are where it begins, from 1."""

    data: bytes
    line: int
    too_long: bool = False
    column: int = 1


def lines(stream: BinaryIO, most: int) -> Iterator[Piece]:
    """Yield the lines of a stream that are not blank, without their ends.

    :param most: the maximum number of bytes of a line; a longer one is cut.
    """
    number = 0
    while data := stream.readline(most + 1):
        number += 1
        too_long = len(data) > most and not data.endswith(b"\n")
        if too_long:
            rest = data
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(1 << 20)
            data = data[:BEGIN]
        while data.startswith(_BOM):  # Files that have one may follow each other.
            data = data.removeprefix(_BOM)
        if data.strip():
            yield Piece(data.rstrip(b"\r\n"), number, too_long)


def whole_input(stream: BinaryIO, most: int) -> Piece:
    """Return all of a stream; if it is longer than ``most``, only its beginning."""
    data = bytearray()
    while len(data) <= most and (chunk := stream.read(1 << 18)):
        data += chunk
    if len(data) > most:
        return Piece(bytes(data[:BEGIN]), 1, True)
    return Piece(bytes(data).removeprefix(_BOM), 1)


class Written(NamedTuple):
    """The text of a record in another format. ``omitted``: the contents that it lacks, and ``tags``: their names."""

    text: str
    omitted: tuple[str, ...]
    tags: tuple[str, ...]


class RecordBuilder:
    """A record that is made from text of another format.

    :param source: what diagnostics call the stream.
    :param number: the number of the record in it.
    :param piece: the text in which places are counted, in characters.
    :param line: the line in which the record begins; the first line of the text by default.
    """

    def __init__(self, source: str, number: int, piece: Piece, line: int | None = None) -> None:
        self.record = Record(source, number, line or piece.line)
        self._piece = piece
        self._places: Places | None = None
        #: The text, up to the first byte that is not UTF-8.
        self.text = ""
        if piece.too_long:
            self.error("too-long", 0, 1, "the record is longer than the limit (by default 64 MB)", subject="")
            return
        try:
            self.text = piece.data.decode()
        except UnicodeDecodeError as error:
            self.text = piece.data[: error.start].decode()
            shown = f"byte {piece.data[error.start]:02x}"
            self.error("bad-utf8", len(self.text), 1, f"it is not UTF-8; {READ_IN_ITS_ENCODING}", subject=shown)

    @property
    def valid(self) -> bool:
        """Whether no error has been reported."""
        return self.record.valid

    @property
    def position(self) -> Position:
        """The position at the end of the main line."""
        nodes = self.record.main.nodes
        return nodes[-1].reached if nodes else self.record.begin

    def start(
        self,
        game: str,
        at: int = 0,
        length: int = 1,
        *,
        fen: str | Position | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> bool:
        """Set the start and the tags of the record; an error is reported. Return whether there is none.

        :param at: the place of the position in the text.
        :param fen: the start position, if it is not the game's usual start.
        """
        try:
            new = Record.new(game, fen=fen, **dict(tags or {}))  # type: ignore[arg-type]
        except RingfenError as error:
            code = "impossible-position" if isinstance(error, ImpossiblePositionError) else "bad-position"
            self.error(code, at, length, error.message)
            return False
        record = self.record
        record.game, record.start, record.tags = new.game, new.start, new.tags
        record.outcome, record.found_result = new.outcome, new.found_result
        return True

    def is_legal(self, ply: str) -> bool:
        """Return whether a ply is legal at the end of the main line."""
        try:
            self.position.apply(ply)
        except RingfenError:
            return False
        return True

    def play(self, ply: str, at: int, length: int) -> bool:
        """Play a ply at the end of the main line; an error is reported. Return whether there is none.

        :param at: the place of the ply in the text, and ``length`` its length there.
        """
        record, position = self.record, self.position
        number = len(record.main.nodes) + 1
        if position.outcome is not None:
            self.error("ply-after-end", at, length, "the game is over", ply=number)
            return False
        try:
            record.play(ply)
        except RingfenError as error:
            if isinstance(error, IllegalPlyError):
                self.error("illegal-ply", at, length, error.message, ply=number)
            else:
                words = writing_error(position, ply) or error.message
                self.error("bad-ply", at, length, words, ply=number)
            return False
        return True

    def result(self, result: str, at: int, length: int) -> bool:
        """Set the result; an error is reported. Return whether there is none."""
        try:
            self.record.result = result
        except RingfenError as error:
            self.error(error.reason, at, length, error.message.partition(": ")[2])
            return False
        return True

    def error(
        self,
        code: str,
        at: int,
        length: int,
        reason: str,
        *,
        ply: int | None = None,
        subject: str | None = None,
        suggest: Sequence[str] = (),
    ) -> None:
        """Report an error or a warning.

        :param at: its place in the text, and ``length`` the number of characters that are meant.
        :param ply: the number of the ply that is concerned.
        :param subject: the text that is meant; the text at the place by default.
        :param suggest: texts that would be right there.
        """
        if subject is None:
            subject = quoted(self.text[at : at + length])
        record = self.record
        record.is_complete = record.is_complete and CODES[code][0] == WARNING
        if self._places is None:
            self._places = Places(self._piece.data, self._piece.line, self._piece.column)
        at_byte, bytes_meant = len(self.text[:at].encode()), len(self.text[at : at + length].encode())
        line, column, excerpt, excerpt_at, marked = self._places.locate(at_byte, max(1, bytes_meant))
        position = self.position if ply is not None else None
        record.diagnostics.append(
            Diagnostic(
                code,
                line,
                column,
                ply,
                subject,
                printable(reason),
                record.source,
                record.number,
                excerpt,
                excerpt_at,
                marked,
                position,
                tuple(suggest),
            )
        )


def cannot(reason: str) -> RecordError:
    """Return the error of a format that cannot express a record."""
    return RecordError(reason, reason="no-form")


def written(
    record: Record,
    text: str,
    *,
    keeps_tag: Callable[[str, str], bool] = lambda name, value: False,
    keeps_result: bool = False,
    keeps_bounces: bool = False,
) -> Written:
    """Return the text of a record in another format, with the names of the contents that it lacks.

    :param keeps_tag: whether the text contains a tag with this name and value.
    :param keeps_result: whether the format has a place for the result of an unfinished game.
    :param keeps_bounces: whether the text contains the bounces that the record names.
    """
    kinds = {token.kind for token in record.tokens()}
    tags = tuple(
        name
        for name, value in record.tags.items()
        if name not in _EXPRESSED and value.strip("?.- ") and not keeps_tag(name, value)
    )
    is_omitted = {
        "comments": COMMENT in kinds,
        "NAGs": NAG in kinds,
        "variations": OPEN in kinds,
        "bounces": not keeps_bounces and any(node.ply != node.short for node in record.mainline()),
        "move numbers": record.first_number != 1,
        "results of unfinished games": not keeps_result and record.outcome is None and record.result != "*",
        "tags": bool(tags),
    }
    return Written(text, tuple(name for name, value in is_omitted.items() if value), tags)


def main_line(record: Record) -> Iterator[tuple[Position, Node]]:
    """Yield the plies of the main line, each with the position before it.

    :raises ringfen.RecordError: a comment states another position than the one reached, or the record is not whole.
    """
    check_complete(record)
    position = record.begin
    for node in record.mainline():
        if node.before != position:
            raise cannot(f"a comment before ply {node.index + 1} states another position than the one reached")
        yield position, node
        position = node.reached
