"""What mail and web pages add to records: quotation signs, escapes, marks of HTML, and text around the records."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from ringfen.notation.characters import is_strange_space, plain_forms
from ringfen.notation.encodings import QUOTES, is_western
from ringfen.notation.ply_suggestions import can_be_read, plain
from ringfen.notation.results import is_result
from ringfen.notation.splitting import MAX_RECORD
from ringfen.position import Position

#: A tag that continues in the next line, and the line that ends it.
_WRAPPED: Final = re.compile(
    rb"(?:[ \t]*>)*[ \t]*\[[ \t]*\w+"
    rb'(?:[ \t]+(?:"(?:[^"\\\r\n]|\\.)*|&(?:quot|#34);(?:(?!&(?:quot|#34);)[^"\r\n])*))?[ \t]*\n'
)
_WRAPPED_END: Final = re.compile(rb'(?:[ \t]*>)*[ \t]*(?!\[)"?(?:[^"\\\r\n]|\\.)*"[ \t]*\][ \t]*\n?')
#: The signs of a quotation before a tag, at the beginning of a line.
_QUOTED_TAG: Final = re.compile(rb"(?:[ \t]*>)+[ \t]*\[[ \t]*\w+[ \t]+\"")
#: The beginning of a tag, with any quotation marks: others are repaired later.
_TAG: Final = re.compile(
    rb"[ \t]*(?:>[ \t]*)*\[[ \t]*\w+[ \t]+(?:[\"'`]|&(?:quot|#34);|\xe2\x80[\x98-\x9f]|\xc2[\xab\xbb\xb4])"
)
_SIGN: Final = re.compile(rb"[ \t]*>")
#: Escapes of quoted-printable in a row: bytes, and line ends that are not part of the text.
_ESCAPES: Final = re.compile(rb"(?:=(?:[0-9A-F]{2}|[ \t]*\n))+")
_ESCAPE: Final = re.compile(rb"=(?:([0-9A-F]{2})|[ \t]*\n)")
#: Escapes that mail programs write and people do not. A short line that ends with = can also end with this sign.
_EVIDENCE: Final = re.compile(rb"=(?:20\n|3D|09)|^[^\n]{59,}=[ \t]*\n", re.MULTILINE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SIGNS_OF_MAIL: Final = re.compile(
    rb'(?:\A|\n)(?:[ \t]*>)+[ \t]*\[|=(?:[0-9A-F]{2}|[ \t]*\n)|(?:\A|\n)[ \t]*\[[ \t]*\w+(?:[ \t]+"[^"\r\n]*)?\n'
    rb"|&(?:#[0-9xX]|[A-Za-z]{2,8}[0-9]{0,2};)|</?[A-Za-z]"
)
#: A tag of the game, with any quotation marks: others are repaired later.
_TAG_OF_GAME: Final = re.compile(rb"^[> \t]*\[[ \t]*(?:Game|FEN)\b[^\w\n]+\w", re.MULTILINE | re.IGNORECASE)
#: A tag whose quotation marks are escapes of HTML.
_ESCAPED_TAG: Final = re.compile(rb"[ \t]*\[[ \t]*\w+[ \t]+&(?:quot|#34);.*")
#: A comment, an escape of HTML, a mark of HTML that divides words, or another one.
_HTML: Final = re.compile(
    rb"\{[^}]*\}?|(&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8}[0-9]{0,2});)|;[^\n]*"
    rb"|(</?(?:p|br|div|pre|td|th|tr|table|tbody|li|ul|ol|blockquote)(?:[ \t][^<>\n]*)?/?>)"
    rb"|</?(?:b|i|u|em|strong|tt|code|font|a|span|small|big|sub|sup)(?:[ \t][^<>\n]*)?/?>",
    re.IGNORECASE,
)
_HTML_ESCAPE: Final = re.compile(rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8}[0-9]{0,2});")
#: Characters that would change what the text around them is.
_STRUCTURE: Final = "{}();\r\n"
_OVERLAP: Final = 1 << 10
_CHUNK: Final = 1 << 16
_LONGEST_SIGN: Final = 64

_COMMENT: Final = re.compile(r"\{[^}]*\}|;[^\r\n]*")
_WORD: Final = re.compile(r"\S+")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_SQUARE: Final = re.compile(r"(?:^|[-x=@*+:])[a-z][0-9]{1,2}(?:$|[-x:])")
_PUNCTUATION: Final = ".,:;!?()<>\"'“”‘’[]{}"
#: A longer text is not looked at.
LONGEST: Final = 1 << 16


class Stream(Protocol):
    """A stream of bytes that is read in pieces."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``."""


class Edit(NamedTuple):
    """A change of a text: its place and length in bytes, its name, and the bytes that come there."""

    at: int
    length: int
    code: str
    after: bytes


def has_signs(stream: Stream) -> bool:
    """Return whether a text has lines or characters as mail programs write them."""
    last = b"\n"
    while chunk := stream.read(_CHUNK):
        if _SIGNS_OF_MAIL.search(last + chunk):
            return True
        last = (last + chunk)[-_OVERLAP:]
    return _SIGNS_OF_MAIL.search(last + b"\n") is not None


def records_of(stream: Stream) -> Iterator[tuple[bytes, bool]]:
    """Divide a text before the first tag of each record, even if signs of a quotation precede it.

    Yield each part with whether it begins with a tag outside comments.
    """
    part: list[bytes] = []
    size = 0
    is_record = False
    tags = in_comment = blank = False
    for line in _lines(stream):
        is_tag = _TAG.match(line) is not None and (not in_comment or blank)
        is_tag |= tags and _WRAPPED.fullmatch(line) is not None
        if is_tag and not tags and part:
            yield b"".join(part), is_record
            part, size, is_record = [], 0, True
        elif is_tag and not part:
            is_record = True
        if is_tag:
            tags, in_comment = True, False
        elif line.strip(b"> \t\n"):
            tags = tags and bool(part) and _continues(part[-1])
        if not tags:
            in_comment = _is_open_after(line, in_comment)
        blank = not line.strip()
        part.append(line)
        size += len(line)
        if size > MAX_RECORD:
            yield b"".join(part), False
            part, size, is_record = [], 0, False
    if part:
        yield b"".join(part), is_record


def _continues(line: bytes) -> bool:
    """Return whether a mail program has divided a line of tags at its end."""
    return line.rstrip().endswith(b"=") or _WRAPPED.fullmatch(line) is not None


def _lines(stream: Stream) -> Iterator[bytes]:
    """Yield the lines of a text, with their ends; a byte order mark before a line comes by itself, a very long line in
    pieces.
    """
    rest = b""
    while chunk := stream.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(BOM_UTF8):
                yield BOM_UTF8
            yield line.removeprefix(BOM_UTF8) + b"\n"
        if len(rest) > _CHUNK:
            yield rest
            rest = b""
    if rest:
        yield rest


def _is_open_after(line: bytes, is_open: bool) -> bool:
    """Return whether a comment in braces is open after a line of movetext."""
    at = 0
    while True:
        if is_open:
            at = line.find(b"}", at) + 1
            if not at:
                return True
            is_open = False
        begin, rest = line.find(b"{", at), line.find(b";", at)
        if begin < 0 or 0 <= rest < begin:
            return False
        at, is_open = begin + 1, True


def unquoted(part: bytes) -> list[Edit]:
    """Return the changes that remove the signs of a quotation from a record whose first tag has them."""
    if not _QUOTED_TAG.match(part):
        return []
    depth = part[: part.index(b"[")].count(b">")
    edits = []
    at = 0
    for line in part.split(b"\n"):
        length = 0
        for _ in range(depth):
            sign = _SIGN.match(line, length)
            if sign is None:
                break
            length = sign.end()
        if length:
            length += line[length : length + 1] == b" "
            edits.append(Edit(at, length, "quoted-mail", b""))
        at += len(line) + 1
    return edits


def unwrapped(part: bytes) -> list[Edit]:
    """Return the changes that join tags of which a mail program has divided the line."""
    edits: list[Edit] = []
    at = 0
    lines = part.split(b"\n")
    for line, following in pairwise(lines):
        if line.strip() and not line.lstrip().startswith(b"[") and not _WRAPPED_END.fullmatch(line):
            break
        if _WRAPPED.fullmatch(line + b"\n") and (end := _WRAPPED_END.fullmatch(following)):
            kept = len(line.rstrip())
            edits.append(Edit(at + kept, len(line) + 1 + len(end[0]) - len(end[0].lstrip()) - kept, "bad-tag", b" "))
        at += len(line) + 1
    return edits


def unescaped(part: bytes) -> list[Edit]:
    """Return the changes that decode a text in quoted-printable; none if it can be another text."""
    runs = list(_ESCAPES.finditer(part))
    if sum(run[0].count(b"=") for run in runs) != part.count(b"="):
        return []
    decoded = [b"".join(bytes.fromhex(code.decode()) for code in _ESCAPE.findall(run[0])) for run in runs]
    text = _decoded(decoded, _EVIDENCE.search(part) is not None)
    if text is None:
        return []
    return [
        Edit(run.start(), len(run[0]), "quoted-printable", after.replace("\r\n", "\n").encode())
        for run, after in zip(runs, text, strict=True)
    ]


def _decoded(runs: Sequence[bytes], is_mail: bool) -> list[str] | None:
    """Return the text of escapes; None if they are not evidently those of a mail."""
    try:
        texts = [run.decode() for run in runs]
    except UnicodeDecodeError:
        try:
            texts = [run.decode("windows-1252") for run in runs]
        except UnicodeDecodeError:
            return None
        if not is_mail or not all(is_western(f"e{text.strip(QUOTES)}e") for text in texts):
            return None
    is_mail = is_mail or any(not text.isascii() for text in texts)
    return texts if is_mail and not any(_CONTROL.search(text.replace("\r\n", "\n")) for text in texts) else None


def without_html(part: bytes) -> list[Edit]:
    """Return the changes that decode escapes of HTML outside comments in a record with its game, and remove marks."""
    if not _TAG_OF_GAME.search(part):
        return []
    edits: list[Edit] = []
    at = 0
    while (end := part.find(b"\n", at)) >= 0 and (_TAG.match(part, at) or not part[at:end].strip(b"> \t")):
        if _ESCAPED_TAG.fullmatch(part, at, end):
            edits += (_decoded_html(match) for match in _HTML_ESCAPE.finditer(part, at, end))
        at = end + 1
    for match in _HTML.finditer(part, at):
        if match[1] is not None:
            edits.append(_decoded_html(match))
        elif match[0][:1] == b"<":
            divides = match[2] is not None and not (
                part[match.start() - 1 : match.start()].isspace() or part[match.end() : match.end() + 1].isspace()
            )
            edits.append(Edit(match.start(), len(match[0]), "html", b" " if divides else b""))
    return [edit for edit in edits if part[edit.at : edit.at + edit.length] != edit.after]


def _decoded_html(escape: re.Match[bytes]) -> Edit:
    """The change of one escape of HTML; it stays if it is none, or if its character would change what is around it."""
    text = unescape(escape[0].decode())
    character = " " if is_strange_space(text[:1]) else plain_forms(text)
    if len(text) != 1 or character in _STRUCTURE:
        character = escape[0].decode()
    return Edit(escape.start(), len(escape[0]), "html", character.encode())


#: The steps that turn mail into records, in their order.
STEPS: Final[Sequence[Callable[[bytes], list[Edit]]]] = (unescaped, without_html, unquoted, unwrapped)


def is_prose(text: str, positions: Sequence[Position], result: str | None = None) -> bool:
    """Return whether a text is one for people: it has words, and neither plies nor another result.

    :param positions: positions of the games that it can belong to.
    :param result: a result that it may repeat.
    """
    if len(text) > LONGEST:
        return False
    words = [word.strip(_PUNCTUATION) for word in _WORD.findall(text)]
    closed, brace, rest = text.rpartition("}")
    if not any(_LETTERS.search(word) for word in (_COMMENT.sub(" ", closed + brace) + rest).split()):
        return False
    forms = [plain(word) for word in words if len(word) <= _LONGEST_SIGN]
    if any((is_result(form) and form != result) or _SQUARE.search(form) for form in forms):
        return False
    numbered = [form for form in forms if any(c.isdigit() for c in form)]
    if any(can_be_read(position, form) for form in numbered for position in positions):
        return False
    return not all(any(can_be_read(position, form) for position in positions) for form in forms)


def as_comment(text: str) -> str:
    """Return a text as a comment, or as several if it contains a brace that would end the first."""
    if "}" not in text:
        return f"{{{text}}}"
    return "\n".join(f"; {line}" if line.strip() else line for line in text.splitlines())
