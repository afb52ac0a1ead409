"""Read plies as people write them (other signs, digits as squares, spaces, words) and list what they can mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import Final, NamedTuple

from ringfen.errors import RingfenError
from ringfen.notation.misspellings import possible_plies
from ringfen.notation.ply_suggestions import can_be_read, squares_of
from ringfen.position import Position

#: The squares of a ply, and a throne in place of the last one.
_LETTERED: Final = re.compile(r"[a-lA-L](?:1[0-2]|[1-9])(?![0-9])")
_PAIRS: Final = re.compile(r"(?:[1-9][1-9])+(?![0-9])")
_GOAL: Final = re.compile(
    r"(?:(goal|g|throne|thron|trone|trône|[♔♕♚♛👑])|(north|nord|n)|(south|süd|sud|s))(?![^\W_])", re.I
)
_BLANKS: Final = r"[ \t]*(?:\n[ \t]*)?"
_SIGN: Final = re.compile(rf"({_BLANKS})(-+>|=+>|-{{1,3}}|[xX:=/])({_BLANKS})")
_GAP: Final = re.compile(r"[ \t]+")
_IN_PARENTHESES: Final = re.compile(rf"{_BLANKS}\([ \t]*({_LETTERED.pattern}|[1-9][1-9])[ \t]*\)")
_PREFIX: Final = re.compile(r"(?:[a-zA-Z](?=@))?([=@*+])[ \t]*(?=[a-zA-Z0-9])")
_PREFIXES: Final = "=@*+"

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_TO: Final = re.compile(r"[ \t]*(?:on|at|to|:|=)?[ \t]*")

_CARD: Final = r"(?:card|karte|dragon|drache)\s*(?:no\.?\s*)?[:=]?\s*"
_DIE: Final = r"(?:die|dice|roll(?:s|ed)?|throws?|w(?:ü|u)rfel)\s*[:=]?\s*"
_AND: Final = r"(?:\s*[:/,;&+-]\s*|\s+(?:and|und)\s+|\s+)"
_CHANCE: Final = re.compile(rf"\(?\s*(?:{_CARD})?([0-9]){_AND}(?:{_DIE})?([0-9])\s*\)?(?![\w:/-])", re.I)
_CHANCE_DIE_FIRST: Final = re.compile(rf"\(?\s*{_DIE}([0-9]){_AND}{_CARD}([0-9])\s*\)?(?![\w:/-])", re.I)

_LONGEST_ROW: Final = 200
#: Rows of digits that may follow one another without a gap.
_MAX_ROWS: Final = 8
#: Digits with the same sign between any two, or none.
_DIGITS: Final = re.compile(r"\d([ \t]*[-,./|]?[ \t]*)\d(?:\1\d){3,}(?!\w)")

#: The most spaced signs at which a run can be divided, and the most words that are joined.
_MOST_BREAKS: Final = 6
_MOST_JOINED: Final = 6
#: More squares than any ply names.
_MOST_SQUARES: Final = 40

#: Signs: a move, a capture, the new square of a displaced piece, the same in parentheses, the same or a division.
_MOVE, _TAKE, _PUT, _ASIDE, _SLASH, _NONE = "-", "x", "=", "(", "/", ""


class Square(NamedTuple):
    """A square of a run, ``N``, ``S`` or ``?`` for a throne, and where it is in the text."""

    name: str
    at: int
    end: int
    #: The sign before it, and whether white space separates it from the square before it.
    sign: str = _NONE
    spaced: bool = False
    #: The sign before the first square of all.
    prefix: str = ""


class Read(NamedTuple):
    """A ply that is read, and where it is in the text."""

    ply: str
    at: int
    end: int


class Meanings(NamedTuple):
    """What a part of the text can mean: none, one or more sequences of plies; and where the part ends."""

    plies: Sequence[Sequence[Read]]
    end: int


def run_at(text: str, at: int) -> list[Square]:
    """Return the squares that follow each other at a place, with the signs between them."""
    prefix = _PREFIX.match(text, at)
    run: list[Square] = []
    place = prefix.end() if prefix else at
    sign, spaced = _NONE, False
    words = 1
    while len(run) < _MOST_SQUARES and words <= _MOST_JOINED:
        found = _squares(text, place)
        if not found and run and sign and (goal := _GOAL.match(text, place)) is not None:
            name = "?" if goal[1] else "N" if goal[2] else "S"
            run.append(Square(name, place, goal.end(), sign, spaced))
            break
        if not found:
            break
        first = Square(found[0][0], found[0][1], found[0][2], sign, spaced, prefix[1] if prefix and not run else "")
        run += [first, *(Square(*one) for one in found[1:])]
        place = run[-1].end
        inside = _IN_PARENTHESES.match(text, place)
        if inside:
            run.append(Square(_name(inside[1]), inside.start(), inside.end(), _ASIDE, False))
            break
        sign_found = _SIGN.match(text, place)
        if sign_found and not _squares(text, sign_found.end()) and not _GOAL.match(text, sign_found.end()):
            break
        if sign_found:
            sign, spaced = _kind(sign_found[2]), bool(sign_found[1] or sign_found[3])
            place = sign_found.end()
        else:
            gap = _GAP.match(text, place)
            sign, spaced = _NONE, gap is not None
            words += spaced
            place = gap.end() if gap else place
    return run


def _kind(sign: str) -> str:
    if sign in "xX:":
        return _TAKE
    return sign if sign in "=/" else _MOVE


def _squares(text: str, at: int) -> list[tuple[str, int, int]]:
    """Return one square with a letter, or squares as pairs of digits."""
    lettered = _LETTERED.match(text, at)
    if lettered:
        return [(lettered[0].lower(), at, lettered.end())]
    pairs = _PAIRS.match(text, at)
    if not pairs:
        return []
    return [(_name(text[place : place + 2]), place, place + 2) for place in range(at, pairs.end(), 2)]


def _name(square: str) -> str:
    """Return the name of a square that may be written as two digits, its column and its row."""
    return f"{chr(ord('a') + int(square[0]) - 1)}{square[1]}" if square.isdigit() else square.lower()


def text_of(squares: Sequence[Square]) -> str:
    """Return squares as the notation writes a ply, legal or not."""
    signs = [_MOVE if square.sign not in (_MOVE, _TAKE) else square.sign for square in squares]
    for index, square in enumerate(squares[2:], 2):
        if square.sign in (_PUT, _ASIDE, _SLASH):
            signs[index - 1] = _TAKE
    rest = "".join(sign + square.name for sign, square in zip(signs[1:], squares[1:], strict=True))
    return squares[0].prefix + squares[0].name + rest


def _legal_forms(position: Position, squares: Sequence[Square]) -> Sequence[str]:
    """Return the legal plies that squares and signs can be."""
    if squares[-1].name == "?":
        forms = (_legal_forms(position, [*squares[:-1], squares[-1]._replace(name=throne)]) for throne in "NS")
        return [form for found in forms for form in found]
    text = text_of(squares)
    if squares[0].prefix and not can_be_read(position, text):
        return [form for form in (sign + text[1:] for sign in _PREFIXES) if position.is_legal(form)]
    if len(squares) == 1 and not squares[0].prefix:
        return _with_prefix(position, text)
    if any(square.sign == _NONE for square in squares[1:]):
        text = text.replace(_MOVE, "").replace(_TAKE, "")
    legal = possible_plies(position, text)
    if any(square.sign in (_PUT, _ASIDE) for square in squares):
        kept = f"x{squares[-2].name}-{squares[-1].name}"
        is_last = len(squares) > 2 and all(square.sign not in (_PUT, _ASIDE) for square in squares[:-1])
        return [form for form in legal if is_last and form.endswith(kept)]
    return legal


def _with_prefix(position: Position, square: str) -> list[str]:
    """Return the legal plies that a square without a sign can be, if every legal ply names only one square."""
    legal = [sign + square for sign in _PREFIXES if position.is_legal(sign + square)]
    return legal if legal and all(len(squares_of(ply)) == 1 for ply in position.plies()) else []


def meanings(position: Position, run: Sequence[Square]) -> Meanings:
    """Return the meanings of the beginning of a run: its first word, or that word with others after it."""
    ends = [index for index in range(1, len(run)) if run[index].sign == _NONE and run[index].spaced]
    first = run[: ends[0]] if ends else run
    found = list(_sequences(position, first))
    if not found and first[-1].name in ("N", "S", "?"):
        first = first[:-1]
        found = list(_sequences(position, first))
    if not found and first[-1].sign == _ASIDE:
        first = first[:-1]  # A square in parentheses after a complete ply belongs to a comment.
        found = list(_sequences(position, first))
    if found:
        return Meanings(list(dict.fromkeys(map(tuple, found))), first[-1].end)
    for end in [*ends[1:_MOST_JOINED], len(run)] if ends else []:
        legal = _legal_forms(position, run[:end])
        if legal:
            return Meanings([(Read(ply, run[0].at, run[end - 1].end),) for ply in legal], run[end - 1].end)
    return Meanings([], first[-1].end)


def _sequences(position: Position, squares: Sequence[Square]) -> Iterator[Sequence[Read]]:
    """Yield the ways to read squares as one ply, or as several if spaced signs or slashes can separate plies."""
    breaks = [
        index
        for index, square in enumerate(squares)
        if index and ((square.spaced and square.sign in (_MOVE, _PUT)) or square.sign == _SLASH)
    ]
    found = False
    for taken in product((False, True), repeat=min(len(breaks), _MOST_BREAKS)):
        at = [0, *(index for index, taken_here in zip(breaks, taken, strict=False) if taken_here), len(squares)]
        for reading in _in_turn(position, [squares[a:b] for a, b in pairwise(at)]):
            found = True
            yield reading
    if not found and len(squares) > 2:
        yield from _chained(position, squares)


def _in_turn(position: Position, pieces: Sequence[Sequence[Square]]) -> Iterator[Sequence[Read]]:
    """Yield the ways to read pieces as one ply each."""
    for ply in _legal_forms(position, _first(pieces[0])):
        read = Read(ply, pieces[0][0].at, pieces[0][-1].end)
        if len(pieces) == 1:
            yield (read,)
            continue
        for rest in _in_turn(position.apply(ply), pieces[1:]):
            yield (read, *rest)


def _first(squares: Sequence[Square]) -> list[Square]:
    prefix = _PUT if squares[0].sign == _PUT else squares[0].prefix
    return [squares[0]._replace(sign=_NONE, prefix=prefix), *squares[1:]]


def _chained(position: Position, squares: Sequence[Square]) -> Iterator[Sequence[Read]]:
    """Yield several plies of one player that continue each other, as in ``a9-a10-a8``."""
    player = position.player
    reads: list[Read] = []
    for before, square in pairwise(squares):
        if position.player != player or position.is_over:
            return
        legal = _legal_forms(position, [before._replace(sign=_NONE), square])
        if len(legal) != 1:
            return
        reads.append(Read(legal[0], before.at if not reads else square.at, square.end))
        position = position.apply(legal[0])
    yield tuple(reads)


def silent_plies(position: Position) -> list[str]:
    """Return the legal plies without squares and digits, such as ``pass``."""
    if position.is_over or position.is_chance:
        return []
    words = dict.fromkeys(["pass", *(word for word in position.game.spoken.values() if word.isalpha())])
    return [word for word in words if position.is_legal(word)]


def unwritten(position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
    """Yield plies without squares that people leave unwritten, each run of them with the position after it."""
    plies: tuple[str, ...] = ()
    for _ in range(position.players + 1):
        silent = silent_plies(position)
        if len(silent) != 1:
            return
        plies += (silent[0],)
        position = position.apply(silent[0])
        yield plies, position


def chance_at(position: Position, text: str, at: int) -> Read | None:
    """Return the chance event at a place, legal or not."""
    found = _CHANCE.match(text, at)
    if found:
        return Read(f"{found[1]}:{found[2]}", at, found.end())
    found = _CHANCE_DIE_FIRST.match(text, at)
    return Read(f"{found[2]}:{found[1]}", at, found.end()) if found else None


def spoken_at(position: Position, text: str, at: int) -> Read | None:
    """Return the ply that a word at a place means, with a square after it if there is one; legal or not."""
    word = _LETTERS.match(text, at)
    if word is None:
        return None
    meant = position.game.spoken.get(word[0].casefold(), word[0].casefold() if word[0].isascii() else "")
    if meant.isalpha():
        return Read(meant, at, word.end()) if can_be_read(position, meant) else None
    if meant not in _PREFIXES or not meant:
        return None
    place = _TO.match(text, word.end())
    squares = _squares(text, place.end()) if place else []
    if squares:
        return Read(f"{meant}{squares[0][0]}", at, squares[0][2])
    legal = [ply for ply in position.plies() if ply.startswith(meant)]
    return Read(legal[0], at, word.end()) if len(legal) == 1 else None


class Setups(NamedTuple):
    """How a game begins: the number of plies that are rows of digits, and the digits of each."""

    number: int
    size: int


@lru_cache(maxsize=16)
def setups_of(start: Position) -> Setups:
    """Return how many setups begin a game from a position."""
    count = size = 0
    while not start.is_over and not start.is_chance and (ply := start.nth(0)[0]).isdigit():
        count, size, start = count + 1, len(ply), start.apply(ply)
    return Setups(count, size)


def setup_at(size: int, text: str, at: int) -> Read | None:
    """Return the row of digits at a place, legal or not; equal signs or white space may separate all its digits.

    Digits that are left over must begin another row, but a text with many rows in one is no setup.
    """
    first, rest = _row_at(size, text, at)
    for _ in range(_MAX_ROWS):
        if rest is None:
            return first
        row, rest = _row_at(size, text, rest)
        if row is None:
            break
    return None


def _row_at(size: int, text: str, at: int) -> tuple[Read | None, int | None]:
    """Return the row of digits at a place, and the place of the digits that are left over."""
    row = _DIGITS.match(text, at, at + _LONGEST_ROW)
    if row is None:
        halves = re.compile(rf"\d{{{size // 2}}}[ -]\d{{{size // 2}}}(?!\w)").match(text, at)
        return (Read(halves[0].translate({32: None, 45: None}), at, halves.end()) if halves else None), None
    if row.end() + len(row[1]) + 1 > at + _LONGEST_ROW:  # it is cut off
        return None, None
    places = [place for place in range(at, row.end()) if text[place].isdigit()]
    if len(places) < size:
        return None, None
    rest = len(places) % size
    read = Read("".join(text[place] for place in places[:size]), at, places[size - 1] + 1)
    return read, places[-rest] if rest else None


def reason_of(position: Position, ply: str) -> tuple[str, str] | None:
    """Return the code and the words of the error of a ply; None if it is legal."""
    try:
        position.apply(ply)
    except RingfenError as error:
        return ("bad-ply" if not can_be_read(position, ply) else "illegal-ply"), error.message
    return None
