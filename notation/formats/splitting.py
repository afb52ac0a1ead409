"""Cutting a stream into pieces that end with the bracket that opens them, such as JSON objects and games in SGF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from ringfen.notation.formats.building import BEGIN, Piece

_CHUNK: Final = 1 << 18
#: The maximum number of bytes of a mark that is recognised.
_LONGEST_MARK: Final = 40
_BOM: Final = b"\xef\xbb\xbf"


class Brackets:
    """The brackets of a format.

    :param opening: opens a piece, and ``closing`` closes it; both may be nested.
    :param quote: begins text in which brackets mean nothing, and ``unquote`` ends it; a backslash protects a character.
    :param restart: a pattern for the beginning of a line that begins a new piece, even if the one before is not closed.
    :param skipped: bytes that are skipped between pieces.
    """

    def __init__(self, opening: bytes, closing: bytes, quote: bytes, unquote: bytes, restart: bytes, skipped: bytes):
        self.opening = opening
        self.closing = closing
        self.quote = quote
        self.unquote = unquote
        self.skipped = skipped
        new = rb"(?P<new>\n(?=" + restart + b"))|"
        self.outside = re.compile(new + b"|".join(map(re.escape, (opening, closing, quote))))
        self.between = re.compile(re.escape(opening) + rb"|\n[ \t\r]*\n")
        self.inside = re.compile(new + rb"\\.|" + re.escape(unquote), re.DOTALL)


def pieces(stream: BinaryIO, most: int, brackets: Brackets) -> Iterator[Piece]:
    """Yield the pieces of a stream.

    An unfinished piece, and text between pieces up to each empty line, are also yielded. If an array around the pieces
    is not closed, or has no piece, the last piece is empty.

    :param most: the maximum number of bytes of a piece; a longer one is cut.
    """
    return _Pieces(stream, most, brackets).all()


class _Pieces:
    """A stream that is cut into pieces."""

    def __init__(self, stream: BinaryIO, most: int, brackets: Brackets) -> None:
        self._stream = stream
        self._most = most
        self._brackets = brackets
        #: The bytes that were read and not yet returned, and the line and column of the first.
        self._buffer = bytearray()
        self._line = self._column = 1
        #: The number of bytes of the buffer that were searched.
        self._at = 0
        #: Arrays around the pieces that are open.
        self._open = 0
        #: The beginning of a piece that is too long.
        self._head: Piece | None = None

    def all(self) -> Iterator[Piece]:
        """Yield the pieces."""
        has_pieces, is_blank = False, True
        while self._buffer or self._read():
            skipped = len(self._buffer) - len(self._buffer.lstrip(self._brackets.skipped))
            self._open += self._buffer.count(b"[", 0, skipped) - self._buffer.count(b"]", 0, skipped)
            is_blank = is_blank and not self._buffer[:skipped].strip()
            self._drop(skipped)
            if self._begins_with_mark():
                del self._buffer[: len(_BOM)]
            elif self._buffer:
                is_piece = self._buffer.startswith(self._brackets.opening)
                yield self._piece(self._end() if is_piece else self._end_between())
                has_pieces = True
        if self._open > 0:
            yield Piece(b"", self._line, column=self._column)
        elif not (has_pieces or is_blank):
            yield Piece(b"", 1)

    def _begins_with_mark(self) -> bool:
        """Return whether a byte order mark is next: files that have one may follow each other."""
        while len(self._buffer) < len(_BOM) and _BOM.startswith(self._buffer) and self._read():
            pass
        return self._buffer.startswith(_BOM)

    def _read(self) -> bool:
        """Read more. Return whether there is more."""
        chunk = self._stream.read(_CHUNK)
        self._buffer += chunk
        return bool(chunk)

    def _end_between(self) -> int:
        """Return the end in the buffer of the text that begins there: a piece or an empty line."""
        self._at = 0
        while (mark := self._brackets.between.search(self._buffer, self._at)) is None:
            if not self._search_on():
                return len(self._buffer)
        return mark.start()

    def _end(self) -> int:
        """Return the end in the buffer of the piece that begins there."""
        brackets, depth, is_quoted = self._brackets, 0, False
        self._at = 0
        while True:
            mark = (brackets.inside if is_quoted else brackets.outside).search(self._buffer, self._at)
            if mark is None:
                if not self._search_on():
                    return len(self._buffer)
                continue
            self._at = mark.end()
            if mark["new"] is not None:
                return mark.start()
            if is_quoted:
                is_quoted = mark[0] != brackets.unquote
            elif mark[0] == brackets.quote:
                is_quoted = True
            elif mark[0] == brackets.opening:
                depth += 1
            else:
                depth -= 1
                if not depth:
                    return mark.end()

    def _search_on(self) -> bool:
        """Read more, to continue a search for a mark. Return whether there is more.

        What was searched is dropped if the piece is too long.
        """
        # A mark of several bytes may continue in the next bytes.
        self._at = max(self._at, len(self._buffer) - _LONGEST_MARK)
        if self._head is None and len(self._buffer) > self._most:
            self._head = Piece(bytes(self._buffer[:BEGIN]), self._line, True, self._column)
        if self._head is not None:
            at = self._at
            self._drop(at)
            self._at -= at
        return self._read()

    def _piece(self, end: int) -> Piece:
        """Return the piece that ends there."""
        head, self._head = self._head, None
        piece = Piece(bytes(self._buffer[:end]), self._line, column=self._column)
        if head is None and end > self._most:
            head = piece._replace(data=piece.data[:BEGIN], too_long=True)
        self._drop(end)
        return head or piece

    def _drop(self, size: int) -> None:
        """Remove bytes at the beginning of the buffer."""
        dropped = self._buffer[:size]
        ends = dropped.count(b"\n")
        if ends:
            self._line += ends
            self._column = 1
            dropped = dropped[dropped.rfind(b"\n") + 1 :]
        self._column += len(dropped.decode("utf-8", "replace"))
        del self._buffer[:size]
