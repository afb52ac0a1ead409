"""Move numbers, and the plies that are missing if they do not fit the line of play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, tee
from typing import Final, NamedTuple

from ringfen.errors import RingfenError
from ringfen.notation.record import played as position_after
from ringfen.notation.results import is_result
from ringfen.position import Position
from ringfen.text import player_name

#: The most candidates for one gap.
MOST: Final = 3
#: Bytes of a line of play that are read after a place.
_AHEAD: Final = 4000
#: Bytes before a number in which the same number is sought.
_LOOKED_BACK: Final = 8000
#: Plies that are played after each candidate.
_PLAYED: Final = 16
#: Positions that the search for one gap visits, and the most plies that it puts into the gap.
_BUDGET: Final = 1500
_MAX_DEPTH: Final = 3

_TOKEN: Final = re.compile(r"\{[^}]*\}?|;[^\r\n]*|\$[0-9]+|[!?]+|[()]|[^\s(){};$!?]+")
_SKIPPED_LINE: Final = re.compile(r"^%[^\r\n]*", re.MULTILINE)
#: No move number has more digits.
_NUMBER: Final = re.compile(r"([0-9]{1,10})(\.+)")


class MoveNumber(NamedTuple):
    """A move number: its round, and whether it says that the next ply begins a turn of South (player 1)."""

    round: int
    opens: bool

    @classmethod
    def of(cls, text: str) -> MoveNumber:
        """Return the number that a text such as ``2...`` is."""
        return cls(int(text.rstrip(".")), not text.endswith(".."))

    def text(self) -> str:
        """As records have it."""
        return f"{self.round}{'.' if self.opens else '...'}"

    def is_after(self, other: MoveNumber) -> bool:
        """Return whether it belongs to a later turn."""
        return (self.round, not self.opens) > (other.round, not other.opens)


def rest_of_line(data: bytes, at: int) -> Iterator[str | MoveNumber]:
    """Yield the plies and numbers that follow a place, to the end of this line of play or of the part that is read."""
    text = data[at : at + _AHEAD].decode("utf-8", "replace")
    cut = at + _AHEAD < len(data)
    depth = 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word in "()":
            depth += 1 if word == "(" else -1
            if depth < 0:
                break
        elif depth == 0 and word[0] not in "{;$!?":
            if cut and match.end() == len(text):
                break
            number = _NUMBER.match(word)
            if number:
                yield MoveNumber(int(number[1]), len(number[2]) < 2)
                word = word[number.end() :]
            if is_result(word):
                break
            if word:
                yield word


def line_before(data: bytes, begin: int, at: int) -> list[str]:
    """Return the plies of the line of play that leads from the start to a place, as far as the text shows them.

    :param begin: where the movetext begins.
    """
    text = _SKIPPED_LINE.sub("", data[begin:at].decode("utf-8", "replace"))
    line: list[str] = []
    around: list[list[str]] = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word == "(":
            around.append(line)
            line = line[:-1]
        elif word == ")":
            line = around.pop() if around else line
        elif word[0] not in "{;$!?":
            number = _NUMBER.match(word)
            if number:
                word = word[number.end() :]
            if word:
                line.append(word)
    return line


def plies_of(rest: Iterable[str | MoveNumber]) -> Iterator[str]:
    """Yield only the plies."""
    return (word for word in rest if isinstance(word, str))


def next_ply(data: bytes, at: int) -> str | None:
    """Return the ply that follows a place directly, without a number before it."""
    word = next(rest_of_line(data, at), None)
    return word if isinstance(word, str) else None


def is_again(data: bytes, at: int, end: int, position: Position) -> bool:
    """Return whether a line seems to be written twice: the number at a place occurs before with the same ply after it,
    and the plies after it are not all legal.

    :param end: where the number ends.
    :param position: the position there.
    """
    plies = list(islice(plies_of(rest_of_line(data, end)), _PLAYED))
    if not plies or count_legal(position, plies) == len(plies):
        return False
    both = re.escape(data[at:end]) + rb"\s*" + re.escape(plies[0].encode())
    again = re.compile(rb"(?<![0-9])" + both + rb"(?![^\s(){};$!?])")
    return again.search(data, max(0, at - _LOOKED_BACK), at) is not None


def missing_plies(
    position: Position, words: Sequence[str], opens: bool | None = None, deepest: int = _MAX_DEPTH
) -> list[list[str]]:
    """Return the shortest runs of plies before ``words`` that make the most words legal.

    :param words: the plies that follow; the first of them is legal after every answer.
    :param opens: whether the first word must begin a turn of South (player 1); None if that is not known.
    :param deepest: the most plies that are put into the gap.
    """
    return [list(path) for path in _missing_plies(position, tuple(words[:_PLAYED]), opens, deepest)]


@lru_cache(maxsize=256)
def _missing_plies(position: Position, words: tuple[str, ...], opens: bool | None, deepest: int) -> list[list[str]]:
    if not words:
        return []
    visited = 0
    level: list[tuple[list[str], Position]] = [([], position)]
    for _ in range(deepest):
        found: list[tuple[int, list[str]]] = []
        deeper: list[tuple[list[str], Position]] = []
        for path, before in level:
            for ply, after in before.successors():
                visited += 1
                if visited > _BUDGET:
                    return _best(found)
                deeper.append(([*path, ply], after))
                if opens is None or begins_round(after, before) == opens:
                    played = count_legal(after, words)
                    if played:
                        found.append((played, [*path, ply]))
        if found:
            return _best(found)
        level = deeper
    return []


def _best(found: list[tuple[int, list[str]]]) -> list[list[str]]:
    most = max((played for played, _ in found), default=0)
    return [path for played, path in found if played == most][:MOST]


def first_player_moves(position: Position) -> bool:
    """Return whether South (player 1) plays next."""
    return position.player in ("s", 1)


def begins_round(position: Position, before: Position) -> bool:
    """Return whether the next ply begins a turn of South (player 1); ``before``: the position before the last ply."""
    return first_player_moves(position) and not first_player_moves(before)


def count_legal(position: Position, words: Sequence[str]) -> int:
    """Return how many of the words are legal in turn."""
    for played, word in enumerate(words):
        try:
            position = position_after(position, word)
        except RingfenError:
            return played
    return len(words)


def gap_before(
    position: Position, expected: MoveNumber, number: MoveNumber, rest: Iterable[str | MoveNumber]
) -> tuple[str, list[str]] | None:
    """Return words about plies that are missing before a move number, and texts that would fill the gap, none if it is
    too long; None if nothing shows that any are: the number is too low, or as many plies after it are legal without
    them.

    :param position: the position that counting gives.
    :param expected: the number that counting gives.
    :param rest: the plies and numbers after it.
    """
    plies = list(islice(plies_of(rest), _PLAYED))
    if not plies or not number.is_after(expected):
        return None
    without = count_legal(position, plies)
    paths = missing_plies(position, plies, number.opens) if without < len(plies) else []
    if not paths or count_legal(position.play(paths[0]), plies) <= without:
        return None
    fitting = [path for path in paths if _number_after(path, position, expected) == number]
    if not fitting:
        return f"plies from {expected.text()} on are missing before {number.text()}", []
    players: list[str] = []
    for ply in fitting[0]:
        if str(position.player) not in players:
            players.append(str(position.player))
        position = position.apply(ply)
    names = " and ".join(map(player_name, players))
    what = f"a ply of {names} is" if len(fitting[0]) == 1 else f"plies of {names} are"
    return f"{what} missing before {number.text()}", [" ".join(path) for path in fitting]


def _number_after(plies: Iterable[str], position: Position, number: MoveNumber) -> MoveNumber:
    """Return the move number after legal plies, from the one before them."""
    for ply in plies:
        after = position.apply(ply)
        opens = begins_round(after, position)
        number = MoveNumber(number.round + opens, opens)
        position = after
    return number


def is_number_slip(
    position: Position, expected: MoveNumber, number: MoveNumber, rest: Iterable[str | MoveNumber]
) -> bool:
    """Return whether a move number is only a slip: nothing shows that plies are missing before it.

    The ply after it is legal without others before it, and the next number decides. A number that is too low is a slip
    unless the next one is higher than the count. A number that is too high is a slip only if the next one agrees with
    the count. If no number decides, wrong dots are a slip if no ply can be missing.

    :param position: the position that counting gives.
    :param expected: the number that counting gives.
    :param rest: the plies and numbers after it.
    """
    rest, again = tee(rest)
    plies = list(islice(plies_of(again), _PLAYED))
    if not plies or not position.is_legal(plies[0]):
        return False
    numbers = _numbers(position, expected, rest)
    if not number.is_after(expected):
        return not any(found.is_after(counted) for counted, found in islice(numbers, 1))
    ahead = number.round - expected.round
    for counted, found in numbers:
        if found == counted:
            return True
        if found.round - counted.round == ahead or number.opens != expected.opens:
            return False
    return ahead == 0 and not missing_plies(position, plies, number.opens)


def _numbers(
    position: Position, expected: MoveNumber, rest: Iterable[str | MoveNumber]
) -> Iterator[tuple[MoveNumber, MoveNumber]]:
    """Yield each number of a line of play, as far as it is legal, with the one that counting gives."""
    counted = expected
    for word in rest:
        if isinstance(word, MoveNumber):
            yield counted, word
            continue
        try:
            after = position.apply(word)
        except RingfenError:
            return
        opens = begins_round(after, position)
        counted = MoveNumber(counted.round + opens, opens)
        position = after
