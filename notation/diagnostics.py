"""What can be wrong with a record: codes, places, words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ringfen.position import Position
from ringfen.text import printable, width

ERROR: Final = "error"
WARNING: Final = "warning"

#: Every code, with its severity and what it means. Codes never change their meaning; docs/errors.md lists them.
CODES: Final[Mapping[str, tuple[str, str]]] = {
    "too-long": (ERROR, "the record is longer than the limit"),
    "bad-utf8": (ERROR, "bytes that are not UTF-8"),
    "bad-json": (ERROR, "the line is not a record in the JSON form"),
    "bad-format": (ERROR, "text that is not in the format of another program"),
    "bad-tag": (ERROR, "a line that begins like a tag but is not one"),
    "duplicate-tag": (ERROR, "a tag given twice"),
    "missing-game": (ERROR, "neither a Game tag nor a FEN tag"),
    "unknown-game": (ERROR, "a Game tag with an unknown game"),
    "game-mismatch": (ERROR, "Game and FEN tags of different games"),
    "bad-players": (ERROR, "player tags with a gap, too few or too many"),
    "bad-position": (ERROR, "a position that cannot be read, in a FEN tag or a comment"),
    "impossible-position": (ERROR, "a position that the rules exclude, in a FEN tag or a comment"),
    "unknown-board": (ERROR, "a board in a FEN tag that cannot be found or read"),
    "bad-ply": (ERROR, "a word that cannot be read as a ply"),
    "illegal-ply": (ERROR, "a ply that is not legal there"),
    "ply-after-end": (ERROR, "a ply after the end of the game"),
    "bad-number": (ERROR, "a move number that cannot be read"),
    "bad-nag": (ERROR, "a dollar sign without a number from 0 to 255"),
    "bad-suffix": (ERROR, "a run of ! and ? that is not a suffix"),
    "misplaced-nag": (ERROR, "a NAG or suffix with no ply before it"),
    "misplaced-variation": (ERROR, "a variation with no ply before it to replace"),
    "empty-variation": (ERROR, "a variation without a ply"),
    "unclosed-variation": (ERROR, "a parenthesis that is not closed"),
    "stray-parenthesis": (ERROR, "a closing parenthesis with none open"),
    "unclosed-comment": (ERROR, "a brace that is not closed"),
    "stray-brace": (ERROR, "a closing brace with none open"),
    "bad-result": (ERROR, "a result that this game does not have"),
    "misplaced-result": (ERROR, "a result in a variation"),
    "result-mismatch": (ERROR, "results that contradict each other or the last position"),
    "text-after-result": (ERROR, "text other than comments after the result"),
    "no-written-form": (ERROR, "a text that no record can contain, in records made by a program"),
    "wrong-number": (WARNING, "a move number other than the right one"),
    "missing-number": (WARNING, "no move number where a round begins; reported once per record"),
    "stray-number": (WARNING, "a move number that no ply follows"),
    "missing-line-end": (WARNING, "no line end between a record and the next"),
    "missing-tag": (WARNING, "usual tags that are absent"),
    "bad-date": (WARNING, "a date not in the form YYYY.MM.DD, or an impossible day"),
    "missing-result": (WARNING, "no result at the end of the movetext"),
    "null-move": (WARNING, "a ring moved back to where it was (Gygès)"),
    "gap": (WARNING, "a comment states another position than the one reached"),
    "omitted": (WARNING, "contents of another program's file that are not kept"),
    "not-shown": (WARNING, "more diagnostics of this record than are reported"),
}

#: Messages for the errors that the C core finds in movetext. ``{0}`` is the expected token.
MOVETEXT_REASONS: Final[Mapping[str, str]] = {
    "bad-number": "a move number is written 12. or 12...",
    "bad-nag": "expected $ and a number from 0 to 255",
    "bad-suffix": "the suffixes are ! ? !! ?? !? and ?!",
    "misplaced-nag": "there is no ply before it that it could belong to",
    "misplaced-variation": "there is no ply before it that it could replace",
    "empty-variation": "a variation has at least one ply",
    "unclosed-variation": "this parenthesis is not closed before the record ends",
    "stray-parenthesis": "no parenthesis is open here",
    "unclosed-comment": "this brace is not closed before the record ends",
    "stray-brace": "no brace is open here",
    "misplaced-result": "a result belongs at the end of the record, not in a variation",
    "text-after-result": "only comments may follow the result; a record begins with its tags",
    "bad-ply": "the word is too long for a ply",
    "wrong-number": "expected {0}",
    "missing-number": "expected {0} before it (the first missing number)",
    "stray-number": "no ply follows this number",
    "null-move": "the ring is moved back to where it was",
    "gap": "the plies before it lead to another position; the record continues from the stated one",
}

#: The end of the line of a warning.
WARNING_MARK: Final = " (warning)"

_QUOTED: Final = 60
_BOM: Final = b"\xef\xbb\xbf"
_SHOWN: Final = 120
#: Bytes from one mark of a long record to the next.
_BETWEEN_MARKS: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing wrong with a record.

    ``line`` and ``column`` count from 1, columns in code points; ``ply`` counts from the start of the game along the
    line of play concerned, and is None if no ply is concerned. ``subject`` is the text there, clipped; ``reason``
    states its error and what was expected.
    """

    code: str
    line: int
    column: int
    ply: int | None
    subject: str
    reason: str
    source: str
    record: int
    #: The source line (a part of it, if it is long), where in it the place is, and how many characters are meant.
    excerpt: str = ""
    excerpt_at: int = 0
    length: int = 1
    #: The position before the ply concerned, if known.
    position: Position | None = None
    #: Texts that would be right there, the most likely first; plies among them are legal.
    suggest: tuple[str, ...] = ()

    @property
    def severity(self) -> str:
        """``"error"`` or ``"warning"``."""
        return CODES[self.code][0]

    @property
    def is_error(self) -> bool:
        """Whether it makes the record invalid."""
        return self.severity == ERROR

    @property
    def message(self) -> str:
        """The text there, and its error."""
        return f"{self.subject}: {self.reason}" if self.subject else self.reason

    def one_line(self, code: str | None = None) -> str:
        """``game.rgn:12:18: illegal-ply: a1-b3 in record 3, ply 7: no ring on a1``.

        :param code: what to show as the code, such as the code in a color.
        """
        place = f"{printable(self.source)}:{self.line}:{self.column}"
        mark = "" if self.is_error else WARNING_MARK
        return line_text(place, code or self.code, self.subject, self.record, self.ply, f"{self.reason}{mark}")

    def text(self, code: str | None = None) -> str:
        """:meth:`one_line`, then the source line and a caret below the place."""
        return f"{self.one_line(code)}{excerpt_text(self.excerpt, self.excerpt_at, self.length)}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields that docs/cli.md names."""
        return {
            "severity": self.severity,
            "code": self.code,
            "line": self.line,
            "column": self.column,
            "ply": self.ply,
            "message": self.message,
            "fen": self.position.fen if self.position is not None else None,
            "suggest": list(self.suggest),
        }


def line_text(place: str, code: str, subject: str, record: int, ply: int | None, reason: str) -> str:
    """Return the line of :meth:`Diagnostic.one_line`; ``place``: file, line and column."""
    words = f"{subject} in record {record}" if subject else f"in record {record}"
    return f"{place}: {code}: {words}: {reason}" if ply is None else f"{place}: {code}: {words}, ply {ply}: {reason}"


def excerpt_text(excerpt: str, at: int, length: int) -> str:
    """Return the lines after it: the source line, and below it a caret at the place; nothing without an excerpt."""
    if not excerpt:
        return ""
    before, marked = width(excerpt[:at]), width(excerpt[at : at + length])
    return f"\n  {excerpt}\n  {' ' * before}^{'~' * (marked - 1)}"


def quoted(text: str) -> str:
    """Return text from a file as a message shows it: printable, not too long."""
    return printable(text if len(text) <= _QUOTED else text[:_QUOTED] + "…")


class _Mark(NamedTuple):
    """A byte offset, the number of lines before it, the start of its line, and the code points between the two."""

    at: int
    lines: int
    line_start: int
    column: int


class Located(NamedTuple):
    """A place in a record for people: the fields of :class:`Diagnostic` for the place and the text there."""

    line: int
    column: int
    excerpt: str
    excerpt_at: int
    length: int


class Places:
    """Lines and columns of byte offsets in one record.

    :param data: the record.
    :param first_line: the number of its first line.
    :param first_column: the column in which it begins.
    """

    def __init__(self, data: bytes, first_line: int, first_column: int = 1) -> None:
        self._data = data
        self._first_line = first_line
        self._first_column = first_column
        #: Known places, so close to each other that any place is near one of them.
        self._marks = [_Mark(0, 0, 0, 0)]
        #: The last result: places are usually looked up in order.
        self._last = self._marks[0]
        self._has_returns = b"\r" in data

    def line_and_column(self, at: int) -> tuple[int, int]:
        """Return the line and column of this byte, both from 1; columns count code points."""
        found = self._find(at)
        return self._first_line + found.lines, self._column(found)

    def locate(self, at: int, length: int) -> Located:
        """Where this byte is, and what can be shown of it and the ``length`` bytes from it on."""
        found = self._find(at)
        data, reach = self._data, at + 4 * _SHOWN
        end = data.find(b"\n", at, reach)
        if self._has_returns:
            end = min((end for end in (end, data.find(b"\r", at, reach)) if end >= 0), default=-1)
        before = self._decoded(max(found.line_start, at - 4 * _SHOWN), at)
        after = self._decoded(at, end if end >= 0 else reach)
        room_before = max(_SHOWN // 2, _SHOWN - len(after))
        clipped = "…" if len(before) > room_before else ""
        shown = before[-room_before:] if clipped else before
        rest = after if len(after) <= _SHOWN - len(shown) else after[: _SHOWN - len(shown)] + "…"
        marked = max(1, len(self._decoded(at, at + min(length, 4 * _SHOWN))))
        return Located(
            self._first_line + found.lines,
            self._column(found),
            printable(clipped + shown + rest).rstrip(),
            len(clipped) + len(shown),
            marked,
        )

    def _column(self, mark: _Mark) -> int:
        """Return the column; a byte order mark at the start of the line has none."""
        if mark.lines == 0 and self._first_column > 1:
            return self._first_column + mark.column
        marked = mark.at > mark.line_start and self._data.startswith(_BOM, mark.line_start)
        return 1 + mark.column - marked

    def _find(self, at: int) -> _Mark:
        last = self._last
        if not 0 <= at - last.at <= _BETWEEN_MARKS:
            last = self._mark_before(at)
        # The last place may lie within a character or a line end, from which there is no way on.
        found = self._further(last, at)
        if self._is_boundary(at):
            self._last = found
        return found

    def _mark_before(self, at: int) -> _Mark:
        marks = self._marks
        while at - marks[-1].at > 2 * _BETWEEN_MARKS:
            marks.append(self._further(marks[-1], self._boundary(marks[-1].at + _BETWEEN_MARKS)))
        return marks[bisect_right(marks, at, key=lambda mark: mark.at) - 1]

    def _is_boundary(self, at: int) -> bool:
        """Return whether this place is neither within a character nor within a line end."""
        return not 0x80 <= self._data[at : at + 1].ljust(1)[0] < 0xC0 and self._data[at - 1 : at + 1] != b"\r\n"

    def _boundary(self, at: int) -> int:
        """Return this place, or the next that is neither within a character nor within a line end."""
        longest = at + 3
        while at < longest and 0x80 <= self._data[at] < 0xC0:
            at += 1
        return at + (self._data[at - 1 : at + 1] == b"\r\n")

    def _further(self, mark: _Mark, at: int) -> _Mark:
        data, start = self._data, mark.at
        ends = data.count(b"\n", start, at)
        last = data.rfind(b"\n", start, at) if ends else -1
        if self._has_returns:
            ends += data.count(b"\r", start, at) - data.count(b"\r\n", start, at)
            last = max(last, data.rfind(b"\r", start, at))
        if not ends:
            return _Mark(at, mark.lines, mark.line_start, mark.column + len(self._decoded(start, at)))
        line_start = 1 + last
        return _Mark(at, mark.lines + ends, line_start, len(self._decoded(line_start, at)))

    def _decoded(self, start: int, end: int) -> str:
        return self._data[start:end].decode("utf-8", "replace")
