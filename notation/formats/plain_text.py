"""Normalise the text of mails, web pages and paper without moving a character, and find what is not notation in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ringfen.notation.characters import is_invisible, is_strange_space, plain_forms

_BLANK_LINE: Final = re.compile(r"\n[ \t]*(?=\n)")
_QUOTE: Final = re.compile(r"^[ \t]*>[> \t]*", re.MULTILINE)
_ARROWS: Final = str.maketrans(dict.fromkeys("⇒⟹⇨➞➙➜▶►▸›", "-") | dict.fromkeys("│┃║¦", "|") | {"÷": "/"})
#: Lines that only divide, and lines of a mail or a table that contain no plies.
_RULE: Final = re.compile(r"^[ \t]*[-=_*~|:+#]{3}[-=_*~|:+# \t]*$", re.MULTILINE)
_SIDES: Final = (
    r"(?:white|wei(?:ß|ss)|blancs?|south|sud|süden|player[ \t]*1|p1)(?:(?:[^\w\n]|_)+"
    r"(?:player[ \t]*[2-6]|p[2-6]|black|schwarz|noirs?|north|nord|norden))+"
)
_TABLE_HEAD: Final = re.compile(
    rf"^[^\w\n]*(?:(?:no|nr|n°|moves?|turn|round|zug|coup|ply)\b[^\w\n]*)?{_SIDES}[ \t|:;,*_]*$",
    re.MULTILINE | re.IGNORECASE,
)
_MAIL_HEAD: Final = re.compile(
    r"^(?:from|to|cc|bcc|date|sent|subject|reply-to|message-id|von|an|datum|gesendet|betreff|de|à|objet)[ \t]*:[^\n]*$"
    r"|^[^\n]*\b(?:wrote|writes|schrieb|a écrit)[^\n]{0,40}:[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_NAMED_PLY: Final = re.compile(
    r"(?<![^\W_])[a-l](?:1[0-2]|[1-9])[ \t]*[-x:=][-=>]*[ \t]*[a-l](?:1[0-2]|[1-9])(?![^\W_])"
    r"|(?<![\d:/-])[1-9][1-9][ \t]*[-x=]>?[ \t]*[1-9][1-9](?![\d:/-])",
    re.IGNORECASE,
)

#: What divides plies and means nothing by itself.
DIVIDERS: Final = " \t\n,;|\"'`“”„‘’«»•·_\\"
_BEFORE_CONTENT: Final = frozenset(DIVIDERS + "#*-")


class PlainText:
    """A text with plain characters, without the signs of quotations, and the place of each character in it.

    Signs that only divide become commas, so that lines stay as blank as they are.
    """

    def __init__(self, original: str, board_path: Sequence[Path]) -> None:
        self.original = original
        #: Directories to search for the boards of positions in the text.
        self.board_path = board_path
        #: For each character of :attr:`text` its place in the original; None if the places are equal.
        self._places: list[int] | None = None
        text = original.translate(_ARROWS)
        if not text.isascii() or not text.isprintable():
            text = self._plain(text)
        text = text.replace("**", "  ")
        for pattern, sign in ((_QUOTE, " "), (_RULE, ","), (_TABLE_HEAD, ","), (_MAIL_HEAD, ",")):
            text = pattern.sub(lambda found, sign=sign: _emptied(found[0], sign), text)  # type: ignore[misc]
        self.text = text
        self._last_line = (0, -1, 0)

    def _plain(self, text: str) -> str:
        characters: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text):
            plain = _plain_character(text, place, character)
            characters.append(plain)
            places += [place] * len(plain)
        if any(len(plain) != 1 for plain in characters):
            self._places = places
        return "".join(characters)

    def place(self, at: int) -> int:
        """Return the place in the original of a place in the text."""
        if self._places is None:
            return at
        return self._places[at] if at < len(self._places) else len(self.original)

    def written(self, at: int, end: int) -> str:
        """Return a part of the original, by places in the text, as a comment of a record contains it."""
        part = _QUOTE.sub(" ", self.original[self.place(at) : self.place(end)])
        return " ".join("".join(c for c in part if c.isspace() or not is_invisible(c)).split())

    def line_begin(self, at: int) -> int:
        """Return where the line of a place begins."""
        return self._line(at)[0]

    def line_end(self, at: int) -> int:
        """Return where the line of a place ends."""
        return self._line(at)[1]

    def begins_line(self, at: int) -> bool:
        """Return whether only dividers precede a place in its line."""
        return at <= self._line(at)[2]

    def _line(self, at: int) -> tuple[int, int, int]:
        """The begin and the end of the line of a place, and where its first content is. Long lines are asked often."""
        begin, end, content = self._last_line
        if not begin <= at <= end:
            begin = self.text.rfind("\n", 0, at) + 1
            end = self.text.find("\n", at)
            end = len(self.text) if end < 0 else end
            content = begin
            while content < end and self.text[content] in _BEFORE_CONTENT:
                content += 1
            self._last_line = begin, end, content
        return begin, end, content

    def follows_blank_line(self, at: int) -> bool:
        """Return whether the line of a place is the first of a paragraph."""
        begin = self.line_begin(at)
        if not begin:
            return True
        return not self.text[self.line_begin(begin - 1) : begin - 1].strip(" \t")

    def paragraph_end(self, at: int) -> int:
        """Return where the next blank line after a place begins."""
        found = _BLANK_LINE.search(self.text, at)
        return found.start() if found else len(self.text)


def _plain_character(text: str, place: int, character: str) -> str:
    if character == "\r":
        return " " if text[place + 1 : place + 2] == "\n" else "\n"
    if (character.isascii() and character.isprintable()) or character in "\t\n":
        return character
    if is_strange_space(character):
        return " "
    return "" if is_invisible(character) else plain_forms(character)


def _emptied(found: str, sign: str) -> str:
    """A part of the text that is no notation; not if it names plies."""
    if sign == "," and _NAMED_PLY.search(found):
        return found
    return "".join("\n" if c == "\n" else " " if c.isspace() else sign for c in found)
