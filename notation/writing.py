"""The canonical text of records."""

from __future__ import annotations

from collections.abc import Iterable
from io import TextIOBase
from os import PathLike
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Final, TextIO

from ringfen.control import checked_int
from ringfen.errors import RecordError
from ringfen.notation.record import COMMENT, NAG, OPEN, Node, Record, ordered_tags
from ringfen.notation.record_containers import check_nag
from ringfen.notation.write_checks import check_comment, check_tags
from ringfen.outputs import Output

#: Columns of movetext, where the tokens allow it.
WIDTH: Final = 79

#: More than any line needs.
_MAX_WIDTH: Final = 1 << 62

#: A command in a comment that is longer may be broken between lines.
_LONGEST_COMMAND: Final = 60

#: Texts that wait to be written stay in memory up to this size.
_IN_MEMORY: Final = 8 << 20


def write_record(record: Record, *, short: bool = False) -> str:
    """Return the canonical text of a record, with the blank line after it.

    :param short: drop the bounces and passed points that plies name.
    :raises ringfen.RecordError: the record has no written form, could not be read completely, or its move numbers show
        that plies are missing (:attr:`Record.is_complete`).
    :raises TypeError: it is not a record, or a tag, a comment or a NAG has the wrong type.
    """
    check_complete(record)
    return f"{tags_text(record)}\n{movetext(record, short=short)}\n"


def write_records(
    records: Iterable[Record], file: str | PathLike[str] | TextIO | BinaryIO, *, short: bool = False
) -> int:
    """Write records in canonical form; return their number. Either all are written or none.

    :param file: a path (a file whose name ends with ``.gz`` is compressed), or a text or binary file that is open for
        writing.
    :param short: drop the bounces and passed points that plies name.
    :raises ringfen.RecordError: a record has no written form, could not be read completely, or its move numbers show
        that plies are missing: written with new numbers, it would hide that (:attr:`Record.is_complete`).
    :raises TypeError: an argument, or a tag, a comment or a NAG of a record has the wrong type.
    :raises OSError: the file cannot be written.
    """
    if not isinstance(records, Iterable):
        raise TypeError(f"records must be an iterable of Records, not {type(records).__name__}")
    if not isinstance(file, str | PathLike) and not hasattr(file, "write"):
        raise TypeError(f"the output must be a path or a file, not {type(file).__name__}")
    count = 0
    with SpooledTemporaryFile(max_size=_IN_MEMORY, mode="w+", encoding="utf-8", newline="") as texts:
        for record in records:
            texts.write(write_record(record, short=short))
            count += 1
        texts.seek(0)
        if isinstance(file, str | PathLike):
            with Output(str(file)).open_packing() as out:
                _copy_to(texts, out)
        elif isinstance(file, TextIOBase):
            copyfileobj(texts, file)
        else:
            _copy_to(texts, file)
    return count


def _copy_to(texts: Any, file: Any) -> None:
    """Copy to a file that may take texts or bytes."""
    while text := texts.read(1 << 16):
        try:
            file.write(text)
        except TypeError:
            file.write(text.encode())


def check_complete(record: Record) -> None:
    """Check that a record can be written without losing anything of it.

    :raises ringfen.RecordError: it cannot.
    :raises TypeError: it is not a record.
    """
    _check_read(record)
    check_tags(record)


def _check_read(record: Record) -> None:
    """Check that this is a record that was read completely."""
    if not isinstance(record, Record):
        raise TypeError(f"expected a Record, not {type(record).__name__}")
    if not record.is_complete:
        errors = (found for found in record.diagnostics if found.is_error)
        first = next(errors, None)
        if first is not None:
            raise RecordError(f"the record could not be read completely: {first.one_line()}", reason="unread")
        words = "writing it would hide that plies are missing, which its move numbers show"
        wrong = next((f": {found.one_line()}" for found in record.diagnostics if found.code == "wrong-number"), "")
        raise RecordError(f"{words}{wrong}", reason="gap")


def tags_text(record: Record) -> str:
    """Return the tags, one per line, in canonical order."""
    return "".join(f'[{name} "{escaped(value)}"]\n' for name, value in ordered_tags(record.tags, record.game))


def escaped(value: str) -> str:
    """Return a tag's value as written between the quotes."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def movetext(record: Record, *, short: bool = False, width: int = WIDTH) -> str:
    """Return the movetext in canonical form: whole lines, the result at the end.

    :param short: drop the bounces and passed points that plies name.
    :param width: columns of a line, 1 or more; longer words have a separate line.
    :raises ringfen.RecordError: a comment or a NAG has no written form, or the record could not be read completely.
    :raises TypeError: an argument, a comment or a NAG has the wrong type.
    :raises ValueError: ``width`` is out of bounds.
    """
    _check_read(record)
    wrapped = _Wrapped(checked_int("width", width, 1, _MAX_WIDTH))
    numbered = False
    opening = ""
    first = True
    for token in record.tokens():
        if token.node is not None:
            node = token.node
            ply = node.short if short else node.ply
            if node.opens or first or not numbered:
                wrapped.put([opening + number_text(node, record.first_number), ply])
            else:
                wrapped.put_one(opening + ply)
            numbered, first, opening = True, False, ""
        elif token.kind == NAG:
            check_nag(token.nag)
            wrapped.put([f"${token.nag}"])
        elif token.kind == COMMENT:
            check_comment(token.text)
            _put_comment(wrapped, token.text, opening)
            numbered, opening = False, ""
        elif token.kind == OPEN:
            numbered, opening = False, "("
        else:
            wrapped.close()
            numbered = False
    wrapped.put([record.result])
    return wrapped.text()


def number_text(node: Node, first: int) -> str:
    """Return the move number before a ply of a record whose first round is ``first``."""
    return f"{node.number + first - 1}{'.' if node.opens else '...'}"


def _put_comment(wrapped: _Wrapped, text: str, opening: str) -> None:
    if "}" in text:
        if opening:
            wrapped.put([opening])
        wrapped.rest_of_line(f"; {text}")
        return
    first, *words = _comment_words(f"{{{text}}}")
    together = [opening + first]
    for word in words:
        # A line that begins with % would be skipped by every reader.
        if word.startswith("%"):
            together.append(word)
        else:
            wrapped.put(together)
            together = [word]
    wrapped.put(together)


def _comment_words(comment: str) -> list[str]:
    """What a line of a comment may begin with: words, and commands such as ``[%value s 5]`` in one piece."""
    words: list[str] = []
    for word in comment.split(" "):
        last = words[-1] if words else ""
        if last.rfind("[%") > last.rfind("]") and len(last) + len(word) < _LONGEST_COMMAND:
            words[-1] = f"{last} {word}"
        else:
            words.append(word)
    return words


class _Wrapped:
    """Words put into lines. A word, or words that stay together, move to the next line when they do not fit.

    Words that are put together stay together if a line can hold them.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[str] = []
        #: The line that is being filled, in pieces: one text would be copied for every word of a long line.
        self._line: list[str] = []
        self._length = 0
        #: The last words put; they are not in the line yet, since parentheses may still close after them.
        self._held = ""

    def put_one(self, word: str) -> None:
        """:meth:`put` for one word, in less time."""
        if self._held:
            self._place()
        self._held = word

    def put(self, words: list[str]) -> None:
        self._place()
        held = " ".join(words)
        if len(held) > self._width and not any(word.startswith("%") for word in words):
            for word in words[:-1]:
                self._held = word
                self._place()
            held = words[-1]
        self._held = held

    def close(self) -> None:
        if len(self._held) >= self._width:
            self._place()
            self._held = ""
        self._held += ")"

    def rest_of_line(self, words: str) -> None:
        self._place()
        self._held = words
        self._place()
        self._end_line()

    def text(self) -> str:
        self._place()
        self._end_line()
        return "".join(f"{line}\n" for line in self._lines)

    def _place(self) -> None:
        """Put the held words at the end of the line, or on the next."""
        held = self._held
        if not held:
            return
        if self._line and self._length + 1 + len(held) > self._width:
            self._end_line()
        self._length += len(held) + bool(self._line)
        self._line.append(held)
        self._held = ""

    def _end_line(self) -> None:
        if self._line:
            self._lines.append(" ".join(self._line))
        self._line = []
        self._length = 0
