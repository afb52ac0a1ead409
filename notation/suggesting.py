"""What was meant by a ply that cannot be read or is not legal, and which fault it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import name as character_name

from ringfen.errors import RingfenError
from ringfen.position import Position
from ringfen.text import printable

#: The most suggestions for one ply.
MOST: Final = 3
#: A longer word is not a mistyped ply.
_LONGEST: Final = 64
#: How many of the plies that follow are tried after each suggestion.
_AHEAD: Final = 6

#: Characters that word processors put in the place of others.
LOOK_ALIKES: Final = str.maketrans(
    dict.fromkeys("‐‑‒–—―−⁃﹣－", "-")
    | dict.fromkeys("×✕✖ХхХ", "x")
    | dict(zip("авсԁеһАВСЕ", "abcdehABCE", strict=True))
    | {"：": ":", "＝": "=", "＠": "@", "＊": "*", "＋": "+"}
)
_SQUARE: Final = re.compile(r"[a-z]\d+")
_SIGNS: Final = re.compile(r"[-x:]")
_HALF: Final = re.compile(r"½-½|½|1/2|0[.,]5-0[.,]5|draw|remis", re.IGNORECASE)


def plain(text: str) -> str:
    """A word with hyphens, crosses and letters as the notation has them, if that is all there is to mend."""
    text = text.translate(LOOK_ALIKES)
    if text.isdigit():
        return text
    head, north, tail = text.partition("-N") if text.endswith("-N") else text.partition("-S")
    return head.lower() + north + tail.lower() if north and not tail else text.lower()


def fault(position: Position | None, text: str) -> str | None:
    """Which fault of writing a word has, in words; None if nothing is known."""
    shown = printable(text)
    strange = next((character for character in text if not character.isascii()), None)
    meant = plain(text)
    if _HALF.fullmatch(text):
        return f"{shown} is not a ply; a draw is written 1/2-1/2"
    if strange is not None:
        code = f"U+{ord(strange):04X} {character_name(strange, 'CHARACTER')}"
        instead = strange.translate(LOOK_ALIKES)
        wanted = f"{instead} is expected" if instead != strange else "no ply holds it"
        return f"{shown} holds {printable(strange)} ({code}), where {wanted}"
    if re.fullmatch(r"\d{1,3}", text):
        return f"{shown} is not a ply; a move number needs its dot, {text}."
    if meant != text and (position is None or position.is_legal(meant)):
        return f"{shown} holds capitals; squares and x are written small, {meant}"
    if position is None:
        return None
    legal = position.plies()
    if _SQUARE.fullmatch(text):
        for ply in legal:
            if ply[1:] == text:
                return f"{shown} is a square alone; with its sign it is {ply}"
    if re.fullmatch(r"(?:[a-z]\d+){2,}", text):
        parts = _SQUARE.findall(text)
        return f"{shown} has no sign between {parts[0]} and {parts[1]}; a hyphen or x is expected"
    longer = next((ply for ply in legal if ply.startswith(f"{text}-")), None)
    if longer is not None and "x" in text:
        return f"{shown} does not say where what it displaces goes, as in {longer}"
    return None


def suggestions(position: Position, text: str, following: Sequence[str] = ()) -> list[str]:
    """Legal plies that the word can have meant, likeliest first; three at most.

    :param following: the words of the record behind it.
    """
    if not text or len(text) > _LONGEST:
        return []
    ranked: dict[str, tuple[int, int, int, int]] = {}
    for order, (ply, kind) in enumerate(_candidates(position, text, following)):
        if ply not in ranked:
            rest = [text, *following[1:]] if kind == _SWAPPED else following
            ranked[ply] = (kind > _FAR, -_legal_ahead(position.apply(ply), rest), kind, order)
    return sorted(ranked, key=ranked.__getitem__)[:MOST]


#: Kinds of candidates, the likeliest first.
_SAME, _SIGN, _EDITED, _SWAPPED, _LONGER, _FAR, _ENDS = range(7)


def _candidates(position: Position, text: str, following: Sequence[str]) -> Iterator[tuple[str, int]]:
    meant = plain(text)
    if position.is_legal(meant):
        yield meant, _SAME
    legal = position.plies()
    bare = _SIGNS.sub("", meant)
    same_squares = [ply for ply in legal if _SIGNS.sub("", ply) == bare]
    yield from ((ply, _SIGN) for ply in same_squares)
    yield from ((ply, _EDITED) for ply in legal if is_one_slip(meant, ply))
    if following and position.is_legal(following[0]) and position.apply(following[0]).is_legal(text):
        yield following[0], _SWAPPED
    yield from ((ply, _LONGER) for ply in legal if ply.startswith(f"{meant}-") or ply[1:] == meant)
    squares = _SQUARE.findall(meant)
    if len(squares) > 1:
        for ply in legal:
            others = _SQUARE.findall(ply)
            if len(others) > 1 and (others[0], others[-1]) == (squares[0], squares[-1]):
                yield ply, _ENDS


def is_one_slip(a: str, b: str) -> bool:
    """Whether one character was left out, added, exchanged, or two neighbours swapped."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, right = a[start : len(a) - end], b[start : len(b) - end]
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


def _legal_ahead(position: Position, words: Sequence[str]) -> int:
    """How many of the next words can be played one after the other."""
    played = 0
    for word in words[:_AHEAD]:
        try:
            position = position.apply(word)
        except RingfenError:
            break
        played += 1
    return played
