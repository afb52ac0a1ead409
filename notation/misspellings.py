"""Misspelt words of a movetext, and the legal plies and numbers that they can mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product, takewhile
from typing import Final, NamedTuple

from ringfen.notation.characters import DIGIT_LIKE, is_invisible, is_strange_space, plain_forms
from ringfen.notation.missing_plies import missing_plies
from ringfen.notation.ply_suggestions import CONFLICT, NAGS, OF_CHESS, glued_plies, plain
from ringfen.position import Position

_PARTS: Final = re.compile(r"[a-z][0-9]+|[nNsS]\Z")
_SIGNS: Final = re.compile(r"[-x:]")
#: More gaps between squares than any ply has.
_MAX_GAPS: Final = 8
#: Letters in a word that are tried as digits.
_MAX_DIGIT_LIKE: Final = 6
#: Words that are joined, and the longest word that they make.
_MAX_JOINED: Final = 6
_LONGEST: Final = 64
#: Arrows, runs of hyphens, and other signs between squares.
_ARROW: Final = re.compile(r"(?<=[0-9])(?:[-=]+>|--+|[=>~_[](?=[a-z]))")
_CROSS: Final = re.compile(r"(?<=[0-9])[:*](?=[a-z])")
#: Signs around a word that do not belong to it.
QUOTES: Final = "\"'`“”„‘’«»<>[]"
#: Signs that never stand for a lost ply, as a hyphen or dots can.
_DIVIDERS: Final = QUOTES + ",;|/\\·•、，؛；"
_SEPARATORS: Final = re.compile(r'[,;/|\\·•、،؛；.…"]+')
_NUMBER: Final = re.compile(r"([0-9]{1,9})\.+")
#: The rest of a ply of more than two squares.
_SIGN_AND_SQUARE: Final = re.compile(r"[-x:][a-z][0-9]+(?![-x:0-9])")
#: A letter for a piece before the first square, as in chess.
_PIECE: Final = re.compile(r"\A[A-Z](?=[a-z][0-9])")
#: The digits of a setup with signs between them.
_ROW: Final = re.compile(r"[0-9]+(?:[-,./:|_][0-9]+)+")
#: A square in parentheses after a ply.
_ENCLOSED: Final = re.compile(rb"[ \t]*\([ \t]*([A-Za-z][0-9]{1,2})[ \t]*\)([^ \t\r\n(){};$!?]*)")
#: White space between words that can belong to one ply; a word; the most words that are read, and the longest.
BLANKS: Final = re.compile(rb"[ \t\r\n]+(?!%)")
_WORD: Final = re.compile(rb"[^ \t\r\n(){};$!?]+")
_MOST_WORDS: Final = 8
_LONGEST_WORD: Final = 1 << 16
#: A number and dots that a space divides from it, and how the dots are written.
_DIVIDED_NUMBER: Final = re.compile(
    rb"0*([1-9][0-9]{0,8}(?=\.[ \t])|[1-9][0-9]{0,4})\.?[ \t]+(\.{1,3}|\xe2\x80\xa6)(?=[ \t\r\n])"
)
DOTS: Final = {".": b".", "..": b"...", "...": b"...", "…": b"..."}
#: Signs after an ordinal number.
_ORDINALS: Final = str.maketrans("ºª°", "...")


class Correction(NamedTuple):
    """The text in place of one or more words, and how many words it replaces."""

    text: str
    words: int


class Replacement(NamedTuple):
    """The text in place of some bytes of a record, and where these end."""

    text: str
    end: int


def meant_ply(position: Position, text: str) -> str | None:
    """Return the only legal ply that a misspelt word can mean; None if there is none, or more than one."""
    legal = possible_plies(position, text)
    return legal[0] if len(legal) == 1 else None


@lru_cache(maxsize=256)
def possible_plies(position: Position, text: str) -> Sequence[str]:
    """Return the legal plies that a misspelt word can mean.

    Look-alike characters and capitals are read as what they look like; then signs may be missing or exchanged.
    """
    if len(text) > _LONGEST:
        return ()
    if position.is_legal(text):
        return (text,)
    for forms_of in (_likely_forms, _digit_forms):
        forms = forms_of(text)
        legal = [form for form in forms if position.is_legal(form)]
        if not legal:
            legal = list(dict.fromkeys(ply for form in forms for ply in _with_signs(form) if position.is_legal(ply)))
        if legal:
            return tuple(legal)
    return ()


def same_ply(position: Position, text: str) -> str | None:
    """As :func:`meant_ply`, but no sign is added or exchanged: what the word says does not depend on the position."""
    meant = meant_ply(position, text)
    forms = [*_likely_forms(text), *_digit_forms(text)]
    return meant if meant is not None and (meant == text or meant in forms) else None


def _likely_forms(text: str) -> list[str]:
    meant = plain(_PIECE.sub("", text))
    if meant.endswith(("-n", "-s")):
        meant = meant[:-1] + meant[-1].upper()
    straight = _ARROW.sub("-", meant)
    row = ["".join(filter(str.isdigit, meant))] if _ROW.fullmatch(meant) else []
    return list(dict.fromkeys((meant, _CROSS.sub("x", straight), straight, *row)))


def _digit_forms(text: str) -> list[str]:
    """Return the readings of a word with letters for digits: ``l`` for 1, ``O`` for 0."""
    text = plain_forms(text)
    if sum(c in DIGIT_LIKE for c in text) > _MAX_DIGIT_LIKE:
        return []
    choices = [(c, DIGIT_LIKE[c]) if c in DIGIT_LIKE else (c,) for c in text]
    return list(dict.fromkeys(form for choice in product(*choices) for form in _likely_forms("".join(choice))))


def _with_signs(text: str) -> Sequence[str]:
    """Return the squares of a word with each choice of signs between them."""
    parts = _PARTS.findall(text)
    gaps = len(parts) - 1
    if not 0 < gaps <= _MAX_GAPS or "".join(parts) != _SIGNS.sub("", text):
        return ()
    if parts[-1] in "nNsS":
        parts[-1] = parts[-1].upper()
    return [
        parts[0] + "".join(sign + part for sign, part in zip(signs, parts[1:], strict=True))
        for signs in product("-x", repeat=gaps)
    ]


def correction(position: Position, words: Sequence[str]) -> Correction | None:
    """Return the one way to read the first words of a line of play, the first of which is no legal ply.

    :param words: the word, and those that only white space divides from it.
    """
    if CONFLICT.fullmatch(words[0]):
        return None
    found = dict.fromkeys(_corrections(position, words))
    if len(found) == 1:
        return next(iter(found))
    if not found and any(map(is_strange_space, words[0])):
        return Correction("".join(" " if is_strange_space(c) else c for c in words[0]), 1)
    return None


def _corrections(position: Position, words: Sequence[str]) -> Iterator[Correction]:
    word = words[0]
    signs = sum(1 for _ in takewhile(lambda one: not one.strip(">"), words))
    if signs:  # of a quotation
        yield Correction("", signs)
        return
    pieces = cleaned(word, "", " ").split()
    if len(pieces) > 1 and any(len(piece) + piece.count("…") > 1 and not piece.strip(".…") for piece in pieces):
        return  # The dots can stand for a lost ply.
    if len(pieces) > 1 and not pieces[-1].strip("-–—") and meant_ply(position, " ".join(pieces[:-1])) is not None:
        return  # The dash can stand for a lost ply.
    ply = meant_ply(position, word)
    if ply is not None:
        yield Correction(ply, 1)
    dash = not cleaned(word, "", "").strip(_DIVIDERS + "-–—.…")
    for count in range(2, min(_MAX_JOINED, len(words)) + 1):
        joined = "".join(words[:count])
        ply = (
            None
            if _NUMBER.match(joined) or ply or dash
            else meant_ply(position, cleaned(joined, "", "").strip(_DIVIDERS + "."))
        )
        if ply is not None and _SIGN_AND_SQUARE.match(plain("".join(words[count : count + 2]))) is None:
            yield Correction(ply, count)
    for form in dict.fromkeys(cleaned(word, *choice) for choice in (("", " "), (" ", " "), ("", ""))):
        text = _pieces(position, form.split())
        if text is not None and text != word:
            if not text and not _may_vanish(position, word, words[1:]):
                continue
            yield Correction(text, 1)


def cleaned(text: str, invisible: str, space: str) -> str:
    """Return the text with a plain character in place of each invisible one and each strange space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(invisible if is_invisible(c) else space if is_strange_space(c) else c for c in text)


def _may_vanish(position: Position, word: str, following: Sequence[str]) -> bool:
    """Return whether a word without letters and digits only divides plies, and stands for none."""
    left = "".join(c for c in word if not is_invisible(c) and not is_strange_space(c)).strip(_DIVIDERS)
    if not left:
        # Signs before a text can be those of a comment.
        shown = cleaned(word, "", "")
        return not shown or not following or any(c.isdigit() for c in following[0]) or not following[0][0].isalnum()
    if len(left) > 1 or left == "…" or not following or meant_ply(position, following[0]) is None:
        return False
    return not missing_plies(position, following, deepest=1)


def _pieces(position: Position, pieces: Sequence[str]) -> str | None:
    """Return the text of pieces that can be read one by one: plies, numbers, signs of a value."""
    out: list[str] = []
    for piece in pieces:
        read = _piece(position, piece)
        if read is None:
            return None
        text, position = read
        out += text
    return " ".join(out)


def _piece(position: Position, piece: str) -> tuple[list[str], Position] | None:
    """Return a piece between white space, which may still hold separators."""
    stripped = piece.strip(QUOTES)
    if stripped in NAGS:
        return [f"${NAGS[stripped]}"], position
    number = _NUMBER.match(plain_forms(stripped))
    if number and plain_forms(stripped) != number[0]:
        rest = _piece(position, plain_forms(stripped)[number.end() :])
        return None if rest is None else ([number[0], *rest[0]], rest[1])
    if number:
        return [number[0]], position
    ply = meant_ply(position, stripped)
    if ply is not None:
        return [ply], position.apply(ply)
    for sign, nag in NAGS.items():
        if stripped.endswith(sign):
            ply = meant_ply(position, stripped.removesuffix(sign))
            return None if ply is None else ([ply, f"${nag}"], position.apply(ply))
    of_chess = OF_CHESS.search(stripped)
    if of_chess:  # The sign is kept as a comment.
        ply = meant_ply(position, stripped[: of_chess.start()])
        return None if ply is None else ([ply, f"{{{of_chess[0]}}}"], position.apply(ply))
    glued = glued_plies(position, stripped)
    if glued is not None:
        return list(glued), position.play(glued)
    parts = [part for part in _SEPARATORS.split(stripped) if part]
    ply = meant_ply(position, "".join(parts)) if len(parts) > 1 else None
    if ply is not None:
        return [ply], position.apply(ply)
    if parts == [stripped]:
        return None if stripped.strip("-–—") else ([], position)
    out: list[str] = []
    for part in parts:
        ply = meant_ply(position, part)
        if ply is None:
            return None
        out.append(ply)
        position = position.apply(ply)
    return out, position


def words_from(data: bytes, at: int) -> tuple[list[str], list[int]]:
    """Return the words from a place on that only white space divides, and where each ends."""
    words: list[str] = []
    ends: list[int] = []
    while len(words) < _MOST_WORDS:
        word = _WORD.match(data, at)
        if word is None or len(word[0]) > _LONGEST_WORD:
            break
        words.append(word[0].decode("utf-8", "replace"))
        ends.append(word.end())
        blanks = BLANKS.match(data, word.end())
        if blanks is None:
            break
        at = blanks.end()
    return words, ends


def divided_number(data: bytes, at: int) -> Replacement | None:
    """Return the move number that a number and dots with a space between them make, and where the dots end."""
    split = _DIVIDED_NUMBER.match(data, at)
    return split and Replacement((split[1] + DOTS[split[2].decode()]).decode(), split.end())


def with_enclosed_square(position: Position, text: str, data: bytes, at: int) -> Replacement | None:
    """Return the legal ply that a word and the square of the displaced piece in parentheses make, as in ``b1xb3(e4)``.

    :param at: where the word ends in the text of the record.
    :return: the ply, and where the parentheses end.
    """
    enclosed = _ENCLOSED.match(data, at)
    if enclosed is None or len(text) > _LONGEST:
        return None
    meant = _CROSS.sub("x", plain(text))
    head, sign, last = meant.rpartition("x" if "x" in meant else "-")
    square, rest = (part.decode("utf-8", "replace") for part in enclosed.groups())
    read = _piece(position, f"{head}x{last}-{square}{rest}") if sign else None
    return None if read is None else Replacement(" ".join(read[0]), enclosed.end())


def possible_numbers(position: Position, word: str) -> list[str]:
    """Return the move numbers, and a ply after them, that a word without the dot of its number can be."""
    meant = plain_forms(word.translate(_ORDINALS)).lstrip(QUOTES)
    first = re.match(r"([0-9OoIl|]{1,5})([.,:)\"\-–]*)(.*)\Z", meant, re.DOTALL)
    if first is None or not first[1]:
        return []
    digits = "".join(DIGIT_LIKE.get(c, c) for c in first[1])
    if not digits.isdecimal() or digits.startswith("0") or not first[1].strip("|"):
        return []
    plies = _piece(position, first[3]) if first[3] else ([], position)
    if plies is None:
        return []
    return [" ".join([f"{digits}{dots}", *plies[0]]) for dots in (".", "...")]
