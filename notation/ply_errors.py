"""Explains plies that are not legal: what is wrong, what was probably meant, which plies would be legal.

Every command and page that reads plies uses :func:`diagnose_ply`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile, zip_longest
from typing import Final, NamedTuple

from ringfen.errors import COMMON_REASONS, IllegalPlyError, PlySyntaxError, RingfenError
from ringfen.notation.missing_plies import count_legal, missing_plies
from ringfen.notation.misspellings import correction
from ringfen.notation.ply_suggestions import MOST, can_be_read, is_one_slip, squares_of, suggestions, writing_error
from ringfen.notation.record import NULL_PLY
from ringfen.position import Position
from ringfen.text import player_name, printable

#: A longer word is not a mistyped ply.
LONGEST: Final = 64
#: The most plies in the place of the last one that are tried.
_TRIED: Final = 1500
#: The most following plies that are played.
_AHEAD: Final = 200
#: Following words that can belong to a ply with spaces in it.
_JOINED: Final = 5
#: The most plies before an illegal one that are kept.
MAX_EARLIER: Final = 32
#: The most following plies with which an illegal one may be exchanged.
_FAR: Final = 6
#: With at least this many plies, the illegal one included, a ply that makes them all legal needs no similarity.
_EVIDENCE: Final = 3


#: That many following plies that are legal explain an error, if the rest contains another one.
_ENOUGH: Final = 6


class EarlierPly(NamedTuple):
    """A ply before an illegal one: its text, its name (``6. a1-b3`` or ``ply 11``), and the position before it."""

    text: str
    name: str
    before: Position


class PlyDiagnosis(NamedTuple):
    """What is wrong with a ply, in words, and legal plies that may be meant, the most likely first.

    ``length`` is the number of words that make one ply: more than one if spaces divide it.
    """

    words: str
    plies: Sequence[str]
    length: int = 1


def diagnose_ply(
    position: Position,
    text: str,
    reason: str,
    *,
    is_ply: bool,
    following: Sequence[str] = (),
    adjacent: Sequence[str] | None = None,
    last: Sequence[EarlierPly] = (),
) -> PlyDiagnosis:
    """Explain why a word is not a legal ply.

    :param reason: what the core says is wrong.
    :param is_ply: whether the word is a well-formed ply.
    :param following: the words after it in its line of play.
    :param adjacent: the words after it that only white space divides from it; by default, the same as ``following``.
    :param last: the plies before it in its line of play, the last of them first.
    """
    if text == NULL_PLY:
        words = reason if is_ply else COMMON_REASONS["null-in-main-line"]
        is_needless = following and _are_legal(position, following[:_AHEAD])
        return PlyDiagnosis(f"{words}; without it, the rest would be legal" if is_needless else words, ())
    if len(text) > LONGEST or position.is_over:
        return PlyDiagnosis(reason, ())
    message = reason if text.strip() else "expected a ply, but the text is empty"
    with_example = f"{message}; a ply here is written as in {position.plies()[0]}"
    if not text.strip():
        return PlyDiagnosis(with_example, ())
    following = following[:_AHEAD]
    plies = suggestions(position, text, following)
    if not is_ply:
        parts = [text, *(following if adjacent is None else adjacent)[:_JOINED]]
        sure = correction(position, parts)
        meant = [word for word in sure.text.split() if position.is_legal(word)] if sure else []
        if sure is not None and sure.words > 1 and meant:
            divided = printable(" ".join(parts[: sure.words]))
            return PlyDiagnosis(f"{divided} contains spaces; a ply is one word, {sure.text}", meant, sure.words)
        reason = writing_error(position, text) or with_example
        return PlyDiagnosis(reason, meant[:1] or plies, sure.words if sure else 1)
    hint, more = next(_hints(position, text, following, last, plies), (None, ()))
    near = list(takewhile(partial(can_be_read, position), following[:_ENOUGH]))
    if hint is None and near != following:  # There may be a second error.
        hint, more = next(_hints(position, text, near, last, plies), (None, ()))
        hint = hint and hint.replace("the rest", f"the plies up to {near[-1]}" if near else "it")
    return PlyDiagnosis(reason if hint is None else f"{reason}; {hint}", list(dict.fromkeys([*more, *plies]))[:MOST])


def diagnose_played(error: RingfenError, before: Sequence[Position], plies: Sequence[str]) -> PlyDiagnosis:
    """Explain why one of the plies that are played in turn is not legal.

    :param error: what the core says is wrong.
    :param before: the positions before the plies, up to that before the illegal one.
    """
    number = len(before)
    earlier = range(number - 1, max(0, number - 1 - MAX_EARLIER), -1)
    last = [EarlierPly(plies[one - 1], f"ply {one}", before[one - 1]) for one in earlier]
    is_ply = not isinstance(error, PlySyntaxError)
    following = plies[number:]
    return diagnose_ply(before[-1], plies[number - 1], error.message, is_ply=is_ply, following=following, last=last)


def _hints(
    position: Position, text: str, following: Sequence[str], last: Sequence[EarlierPly], plies: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield explanations of an illegal ply, the most likely first, with plies to suggest."""
    rest = [text, *following]
    again = _again(position, last, rest)
    if again:
        what = " ".join(again) if len(again) < _EVIDENCE else f"the plies from {again[0]} to {again[-1]}"
        yield f"if {what} were written only once, the rest would be legal", ()
    turned = next((ply for ply in plies if is_turned(text, ply)), None)
    words = f"its squares are reversed: {turned} is legal"
    if turned is not None and _are_legal(position.apply(turned), following):
        yield words, ()
    if following and _are_legal(position, [following[0], text, *following[1:]]):
        yield f"it and the next ply, {following[0]}, are swapped", [following[0]]
    if last and last[0].text != NULL_PLY and _are_legal(last[0].before, [text, last[0].text, *following]):
        yield f"it and the ply before it, {last[0].text}, are swapped", ()
    if _is_of_next(position, text):
        yield from _missing_hint(position, rest)
    changed = _changed(position, last, rest)
    if changed is not None:
        yield f"if {changed[0].name} were {' or '.join(changed[1])}, the rest would be legal", ()
    for at, later in enumerate(following[1:-1][: _FAR - 1], 1):
        if _are_legal(position, [later, *following[:at], text, *following[at + 1 :]]):
            yield f"it and the later ply {later} are swapped", [later]
    if turned is not None:
        yield words, ()
    if not _is_explained(position, plies, following):
        yield from _missing_hint(position, rest)


def _again(position: Position, last: Sequence[EarlierPly], rest: Sequence[str]) -> list[str]:
    """Return the plies that are written twice in a row, if the rest is legal without the second time; else none.

    Some plies of the second time can be legal.
    """
    earlier = [one.text for one in reversed(last)]
    words = [*earlier, *rest]
    for begin in range(len(earlier), 0, -1):
        before = position if begin == len(earlier) else last[len(earlier) - begin - 1].before
        for length in range(max(1, len(earlier) - begin + 1), begin + 1):
            again = words[begin : begin + length]
            if again == words[begin - length : begin] and _are_legal(before, words[begin + length :]):
                return again
    return []


def _missing_hint(position: Position, rest: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield plies that are missing before the rest of a line of play."""
    paths = _missing(position, rest)
    if paths:
        runs = " or ".join(" ".join(path) for path in paths)
        what = f"a ply of {player_name(position.player)} is" if len(paths[0]) == 1 else "plies are"
        yield f"{what} missing before it: with {runs}, the rest would be legal", [path[0] for path in paths]


def _are_legal(position: Position, words: Sequence[str]) -> bool:
    return count_legal(position, words) == len(words)


def _is_explained(position: Position, plies: Sequence[str], following: Sequence[str]) -> bool:
    """Return whether one of the suggested plies makes the plies that follow legal, so that none needs to be missing."""
    return len(following) > 0 and any(_are_legal(position.apply(ply), following) for ply in plies)


def _missing(position: Position, rest: Sequence[str]) -> list[list[str]]:
    """Return plies that make the rest legal, if there is evidence that plies are missing: enough plies that follow, or
    an illegal ply that is one of the next player.
    """
    if len(rest) < _EVIDENCE and not _is_of_next(position, rest[0]):
        return []
    found = missing_plies(position, rest)
    return [path for path in found if _are_legal(position.play(path), rest)]


def _is_of_next(position: Position, text: str) -> bool:
    """Return whether a ply is legal for the next player."""
    try:
        return position.null_ply().is_legal(text)
    except IllegalPlyError:
        return False


def is_turned(text: str, ply: str) -> bool:
    """Return whether a ply goes from the second square of a text to its first, and is the same otherwise."""
    squares, others = squares_of(text), squares_of(ply)
    return len(squares) > 1 and squares[0] != squares[1] and others == [squares[1], squares[0], *squares[2:]]


# ---- another ply before ----


def _changed(
    position: Position, last: Sequence[EarlierPly], rest: Sequence[str]
) -> tuple[EarlierPly, list[str]] | None:
    """Return the earlier ply that is most likely wrong, with the plies in its place that make the rest legal.

    A slip of the pen is most likely; else it is the last ply, the one before it, or the player's own last one.
    """
    own = next((back for back, ply in enumerate(last) if ply.before.player == position.player), 0)
    found: list[tuple[int, int, list[str]]] = []
    for back, ply in enumerate(last):
        between = [one.text for one in reversed(last[:back])]
        if ply.text != NULL_PLY:
            worst = 0 if back not in (0, 1, own) else 4 if back + len(rest) >= _EVIDENCE else 2
            unlike, plies = _instead_of(ply, [*between, *rest], worst)
            if plies:
                found.append((unlike, back, plies))
    if not found:
        return None
    _, back, plies = min(found, key=lambda one: (one[0] > 0, one[1]))
    return last[back], plies


def _instead_of(last: EarlierPly, rest: Sequence[str], worst: int) -> tuple[int, list[str]]:
    """Return the plies most like the last one that make the rest legal, with their unlikeness; none if many do and they
    are not much like it.
    """
    short = last.before.short(last.text)
    others = (ply for ply in last.before.plies() if ply != short and (worst or _is_slip(short, ply)))
    ranked = sorted((_unlikeness(short, ply), _differences(short, ply), ply) for ply in others)
    found: list[str] = []
    rank = 0
    for unlike, _, ply in ranked[:_TRIED]:
        if unlike > worst or (found and unlike > rank):
            break
        if _are_legal(last.before.apply(ply), rest):
            rank = unlike
            found.append(ply)
            if len(found) > MOST:
                return rank, [] if rank > 1 else found[:MOST]
    return rank, found


def _differences(a: str, b: str) -> int:
    """In how many places two texts differ."""
    return sum(x != y for x, y in zip_longest(a, b))


def _is_slip(a: str, b: str) -> bool:
    """Return whether a slip of the pen explains one ply in the place of another."""
    return is_one_slip(a, b) or is_turned(a, b)


def _unlikeness(a: str, b: str) -> int:
    """Return how little a slip of the pen explains one ply in the place of another."""
    squares, others = squares_of(a), squares_of(b)
    if _is_slip(a, b):
        return 0
    if not squares or not others:
        return 3 if re.sub(r"[0-9]", "", a) == re.sub(r"[0-9]", "", b) else 4
    if squares[:2] == others[:2] or sorted(squares) == sorted(others):
        return 1
    return 2 if squares[0] == others[0] else 3 if squares[-1] == others[-1] else 4
