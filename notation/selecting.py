"""What records are chosen and grouped by: conditions, and keys such as ``result`` or ``tag:Annotator``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from ringfen._core import lib
from ringfen.errors import ImpossiblePositionError, PlySyntaxError, PositionSyntaxError, RingfenError
from ringfen.notation.bulk_check import CleanRecord
from ringfen.notation.dates import Span, span_of
from ringfen.notation.ply_errors import diagnose_ply
from ringfen.notation.record import Report, player_tags
from ringfen.notation.tags import texts_of_tags
from ringfen.position import Outcome, Position
from ringfen.rules import Game, game_by_id, game_ids
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.aliases import Aliases

#: The keys that need no argument.
KEYS: Final = (
    "game",
    "result",
    "outcome",
    "event",
    "site",
    "date",
    "year",
    "round",
    "player",
    "valid",
    "code",
)
#: The possible outcomes after the main line.
OUTCOMES: Final = ("s", "n", "draw", "null", "1", "2", "3", "4", "5", "6")
#: More plies than any record can have.
WHOLE_LINE: Final = 1 << 31

_YEAR: Final = re.compile(r"[0-9]{4}(?![^.])")
_DATE_BOUND: Final = re.compile(r"[0-9]{4}(?:\.[0-9]{2}(?:\.[0-9]{2})?)?")
_OPENING: Final = re.compile(r"opening:([1-9][0-9]{0,6})")
_TAG: Final = re.compile(r"tag:[A-Za-z0-9_]+")
_NUMBER: Final = re.compile(r"[0-9]+\.+")

#: A value of a key; None where the record has none.
Value = str | bool | None


class Facts:
    """The facts about one record that conditions use, or about several if tags are not needed.

    :param data: its text; empty if tags are not needed.
    :param found: the result of checking it.
    :param line: the short forms of its first plies, as many as the conditions need.
    :param is_truncated: whether the record is longer than ``data``.
    """

    def __init__(
        self, data: bytes, found: Report | CleanRecord, line: Sequence[str] = (), *, is_truncated: bool = False
    ) -> None:
        self.data = data
        self.is_truncated = is_truncated
        self.found = found
        self.line = line

    @property
    def start(self) -> Position | None:
        """The start position; for a :class:`CleanRecord`, the usual start on its board."""
        return self.found.start if isinstance(self.found, Report) else self.found.like

    @property
    def game(self) -> str | None:
        """The game's id."""
        return None if self.found.game is None else self.found.game.id

    @property
    def plies(self) -> int:
        """The legal plies of the main line."""
        return self.found.plies

    @property
    def outcome(self) -> Outcome:
        """The outcome after the main line."""
        return self.found.outcome

    @property
    def reached(self) -> int:
        """Which searches of :meth:`RecordReader.seek` found a position in the main line: ``RF_REACHED_*``."""
        return self.found.reached

    @property
    def valid(self) -> bool:
        """Whether there is no error."""
        return not isinstance(self.found, Report) or self.found.valid

    @property
    def codes(self) -> Sequence[str]:
        """The codes of the diagnostics, each once, in the order of their places."""
        if not isinstance(self.found, Report):
            return self.found.codes
        return tuple(dict.fromkeys(one.code for one in self.found.diagnostics))

    @cached_property
    def tags(self) -> Mapping[str, str]:
        """The tags."""
        if isinstance(self.found, Report):
            return self.found.tags
        return texts_of_tags(self.data)

    @property
    def result(self) -> str:
        """The result on which tag, movetext and last position agree; if they differ, the most likely."""
        return self.found.result

    @property
    def players(self) -> list[str]:
        """The names of the players."""
        return [name for _, name in self.seats]

    @cached_property
    def seats(self) -> list[tuple[str, str]]:
        """The sides (``south``, ``north``, or numbers from ``1``) and who plays them."""
        names = player_tags(self.found.game)
        return [(name.removeprefix("Player").lower(), self.tags[name]) for name in names if name in self.tags]

    def score(self, side: str) -> str | None:
        """``wins``, ``draws`` or ``losses`` for a side; None if the record has no such result."""
        if self.result == "1/2-1/2":
            return "draws"
        points = self.result.split("-")
        at = {"south": 0, "north": 1}.get(side, -1) if side.isalpha() else int(side) - 1
        if "1" not in points or not at < len(points):
            return None
        return "wins" if points[at] == "1" else "losses"

    def same_game(self) -> bytes | None:
        """Return a digest of the start position and the complete main line.

        None if it could not be read, or for a :class:`CleanRecord`, which does not have its plies.
        """
        found = self.found
        if not isinstance(found, Report) or found.start is None or not found.complete:
            return None
        words = f"{found.start.fen}\n{' '.join(self.line)}"
        return blake2b(words.encode(), digest_size=16).digest()


Condition = Callable[[Facts], bool]


class SharedFacts(dict[CleanRecord, Facts]):
    """The facts of records without their tags: records with the same results share them."""

    def __missing__(self, record: CleanRecord) -> Facts:
        made = self[record] = Facts(b"", record)
        return made


class Batch(NamedTuple):
    """Records in a row, of which the first has this number in its file.

    ``text`` is their text, if it is needed, and ``ends`` says where each ends in it. Records with the same facts may
    share one object.
    """

    number: int
    facts: Sequence[Facts]
    text: bytes
    ends: Sequence[int]

    def text_of(self, first: int, end: int) -> bytes:
        """Return the text of these records."""
        return self.text[self.ends[first - 1] if first else 0 : self.ends[end - 1]]


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that one of these conditions matches."""
    return conditions[0] if len(conditions) == 1 else lambda facts: any(one(facts) for one in conditions)


def of_player(name: str, aliases: Aliases) -> Condition:
    """Return the condition that a player's name contains a text; case and accents are ignored.

    :raises ValueError: The part is empty.
    """
    part = folded(name)
    if not part.strip():
        raise ValueError(f"expected a part of a name, not {name[:40]!r}")
    return lambda facts: any(part in one for player in facts.players for one in aliases.names(player))


def of_tag(name: str, pattern: str) -> Condition:
    """Return the condition that the value of a tag matches a glob; case and accents are ignored."""
    wanted = folded(pattern)
    return lambda facts: name in facts.tags and fnmatchcase(folded(facts.tags[name]), wanted)


#: Letters that are others with a stroke, or two of them, but that Unicode does not decompose.
_LETTERS: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ĸ": "k"}
)


@lru_cache(maxsize=1 << 14)
def folded(text: str) -> str:
    """Return a text without accents, in lower case, for comparing."""
    if text.isascii():
        return text.lower()
    from unicodedata import combining, normalize

    text = normalize("NFKD", normalize("NFKD", text).casefold())
    return "".join(character for character in text if not combining(character)).translate(_LETTERS)


def of_plies(text: str) -> Condition:
    """Main lines whose number of plies is in a range: ``20..40``, ``20..``, ``..40``, ``20``.

    :raises ValueError: this is no range of numbers.
    """
    low, high = _range(text, re.compile(r"[0-9]{1,9}"), "numbers, such as 20..40")
    least, most = int(low or 0), int(high or WHOLE_LINE)
    if least > most:
        raise ValueError(f"{text[:40]!r} is an empty range: {least} is more than {most}")
    return lambda facts: least <= facts.plies <= most


def of_date(text: str) -> Condition:
    """Return the condition that the date is in a range such as ``2001.05..2001.08``.

    A date with unknown parts matches if every day that it can mean does.

    :raises ValueError: this is no range of dates.
    """
    low, high = _range(text, _DATE_BOUND, "dates, such as 2001.05..2001.08.15")
    first = _days_of(low, text).first if low else ""
    last = _days_of(high, text).last if high else "9999.12.31"
    if first > last:
        raise ValueError(f"{text[:40]!r} contains no date: {low} is after {high}")

    def holds(facts: Facts) -> bool:
        days = span_of(facts.tags.get("Date", ""))
        return days is not None and first <= days.first and days.last <= last

    return holds


def _days_of(bound: str, text: str) -> Span:
    days = span_of(bound)
    if days is None:
        raise ValueError(f"{bound} in {text[:40]!r} is not a date of the calendar")
    return days


def _range(text: str, form: re.Pattern[str], what: str) -> tuple[str, str]:
    low, dots, high = text.partition("..")
    if not dots:
        high = low
    for end in (low, high):
        if end and not form.fullmatch(end):
            raise ValueError(f"{text[:40]!r} is not a range of {what}; either end may be open")
    if not text or not (low or high):
        raise ValueError(f"a range has at least one end: {what}")
    return low, high


def of_outcome(text: str) -> Condition:
    """Return the condition on the last outcome: ``s``, ``n``, ``draw``, a player's number, or ``null``."""
    return lambda facts: ("null" if facts.outcome is None else str(facts.outcome)) == text


def reaching(positions: Sequence[Position]) -> Condition:
    """Main lines that reach one of the positions; the reader has to search for them (:meth:`RecordReader.seek`)."""
    boards = {position.context.board for position in positions}
    bit = int(lib.RF_REACHED_POSITION)
    return lambda facts: bool(facts.reached & bit) and facts.start is not None and facts.start.context.board in boards


class Pattern:
    """Main lines that reach a position of a pattern; the reader has to search for it (:meth:`RecordReader.seek`).

    A pattern is a position text with ``?`` for any square and ``*`` for any field or rank; a ``*`` at the end stands
    for all fields that follow.

    :raises ValueError: No position can match.
    """

    def __init__(self, text: str) -> None:
        fields = text.split()
        game_id = fields[0] if fields else ""
        if game_id not in game_ids():
            raise ValueError(
                f"{printable(game_id[:40])!r} is not a game; a pattern begins with {', '.join(game_ids())}"
            )
        given = sum("=" not in field for field in fields)
        needed = len(game_by_id(game_id).default_start.split())
        if given > needed or (given < needed and fields[-1] != "*"):
            raise ValueError(
                f"a position of {game_id} has {needed} fields before its options, this pattern {given}; "
                "a * at the end stands for all fields that follow"
            )
        parts = [part for field in fields for part in field.split("/")]
        if "" in parts or any("*" in part and part != "*" for part in parts):
            raise ValueError("* stands for a whole rank or field, ? for one square, and no rank is empty")
        if not text.isascii():
            raise ValueError("position texts have only ASCII characters")
        _check_fields(game_by_id(game_id), fields)
        self.game = game_by_id(game_id)
        #: The pattern with single spaces.
        self.text = " ".join(fields)

    def __call__(self, facts: Facts) -> bool:
        """Whether the main line of a record does."""
        return bool(facts.reached & lib.RF_REACHED_PATTERN)


def _check_fields(game: Game, fields: Sequence[str]) -> None:
    """Raise an error if no position has these ranks and fields.

    The pattern becomes a position: an empty square for each ``?``, and ranks and fields of the usual start or empty
    ranks for each ``*``. Options are not checked, nor games in which a board decides about the form.
    """
    if lib.rf_game_needs_context(game.cdata):
        return
    start = game.default_start.split()
    given = [field for field in fields if "=" not in field]
    given += ["*"] * (len(start) - len(given))
    if given[1] != "*":
        _check_number_of_ranks(game, given[1].count("/") + 1)
    errors = []
    for runs, usual in product((False, True), (start[1].split("/")[0], "")):
        position = [ours if field == "*" else field for ours, field in zip(start, given, strict=True)]
        if given[1] != "*":
            position[1] = _board(given[1].split("/"), usual, runs)
        try:
            Position(" ".join(position))
            return
        except PositionSyntaxError as error:
            errors.append(error)
        except ImpossiblePositionError:
            return
    furthest = max(errors, key=_place)
    field, rank = _place(furthest)
    if field != 2:
        raise ValueError(f"no position matches field {field}: {furthest.message}")
    shown = printable(given[1].split("/")[rank - 1])
    raise ValueError(f"no position matches rank {rank} from the top, {shown}: {_without_quote(furthest)}")


def _check_number_of_ranks(game: Game, count: int) -> None:
    """Raise an error if no position of the game has this number of ranks."""
    start = game.default_start.split()
    start[1] = "/".join([start[1].split("/")[0]] * count)
    try:
        Position(" ".join(start))
    except PositionSyntaxError as error:
        ranks = "1 rank" if count == 1 else f"{count} ranks"
        raise ValueError(f"no position of {game.id} has {ranks}: {_without_quote(error)}") from None
    except ImpossiblePositionError:
        pass


def _without_quote(error: PositionSyntaxError) -> str:
    """Return the message about ranks without its first half, which quotes the position that stands for the pattern."""
    return error.message.rpartition("; ")[2]


def _place(error: PositionSyntaxError) -> tuple[int, int]:
    """Return the number of the field and of the rank in which an error is."""
    before = error.text[: error.at]
    return before.count(" ") + 1, before.count("/") + 1


def _board(ranks: Sequence[str], usual: str, runs: bool) -> str:
    """Return the ranks of a pattern with empty squares for each ``?``; ``runs``: a number is a run of empty squares.

    ``usual`` stands for each ``*``, or an empty rank as wide as the first rank that is not ``*``.
    """
    squares = [None if rank == "*" else _squares(rank, runs) for rank in ranks]
    width = next((len(row) for row in squares if row is not None), 0)
    rows = [usual or "." * width if row is None else "".join(row) for row in squares]
    return "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) if runs else row for row in rows)


def _squares(rank: str, runs: bool) -> list[str]:
    found = re.findall(r"[0-9]+|.(?:\([^)]*\))?" if runs else r".(?:\([^)]*\))?", rank)
    return [
        square
        for one in found
        for square in ("." * int(one[:3]) if runs and one.isdigit() else [one.replace("?", ".")])
    ]


class Opening:
    """Main lines that begin with these plies.

    :param text: the plies, with or without move numbers.
    :raises ValueError: there are none, or one that is no ply of any game.
    """

    def __init__(self, text: str) -> None:
        self.plies = [word for word in (_NUMBER.sub("", word, count=1) for word in text.split()) if word]
        if not self.plies:
            raise ValueError("an opening has at least one ply")
        starts = [Position(name) for name in game_ids()]
        for number, ply in enumerate(self.plies):
            if all(_is_malformed(start, ply) for start in starts):
                raise ValueError(_advice_on(starts, self.plies, number))
        #: The short forms from each start; None where they cannot be played.
        self._short: dict[Position, list[str] | None] = {}

    def __call__(self, facts: Facts) -> bool:
        """Whether the main line of a record does."""
        start = facts.start
        if start is None:
            return False
        if start not in self._short:
            if len(self._short) > _STARTS:
                self._short.clear()
            self._short[start] = _short_forms(start, self.plies)
        wanted = self._short[start]
        return wanted is not None and list(facts.line[: len(wanted)]) == wanted


def _is_malformed(position: Position, ply: str) -> bool:
    """Return whether no position of the game can have the ply, on any board."""
    try:
        position.apply(ply)
    except PlySyntaxError as error:
        return error.reason.startswith("bad-")
    except RingfenError:
        pass
    return False


def _advice_on(starts: Sequence[Position], plies: Sequence[str], number: int) -> str:
    """Return an explanation of a malformed ply, from the game in which the plies before it are legal."""
    ply = plies[number]
    reason = f"{printable(ply[:40])} is not a ply of any game"
    for start in starts:
        try:
            position = start.play(plies[:number])
        except RingfenError:
            continue
        if number or len(starts) == 1:
            found = diagnose_ply(position, ply, reason, is_ply=False, following=plies[number + 1 :])
            return f"{found.words}; perhaps {' or '.join(found.plies)}" if found.plies else found.words
    return reason


#: Starts whose opening is remembered.
_STARTS: Final = 1000


def _short_forms(position: Position, plies: Sequence[str]) -> list[str] | None:
    forms = []
    try:
        for ply in plies:
            forms.append(position.short(ply))
            position = position.apply(ply)
    except RingfenError:
        return None
    return forms


# ---- keys ----


def check_key(key: str) -> str:
    """Return the key, if it is one.

    :raises ValueError: it is not.
    """
    if key in KEYS or _OPENING.fullmatch(key) or _TAG.fullmatch(key):
        return key
    raise ValueError(f"{key[:40]!r} is not a key; the keys are {', '.join(KEYS)}, opening:N and tag:NAME")


def plies_of_key(key: str) -> int:
    """Return the number of plies of the main line that a key needs."""
    opening = _OPENING.fullmatch(key)
    return int(opening[1]) if opening else 0


def needs_tags(key: str) -> bool:
    """Return whether a key depends on the tags of a record."""
    return key not in ("game", "result", "outcome", "valid", "code") and not key.startswith("opening:")


def values_of(facts: Facts, key: str, aliases: Aliases) -> Sequence[Value]:
    """Return the values of a record: one, or several for ``player`` and ``code``; only None if it has none."""
    if key == "player":
        return tuple(dict.fromkeys(map(aliases.canonical, facts.players))) or (None,)
    if key == "code":
        return facts.codes or (None,)
    return (_value_of(facts, key),)


@lru_cache(maxsize=1 << 14)
def group_of(value: Value, key: str) -> Value:
    """What values of one group have in common: case, accents and spacing of names and other words do not matter."""
    if isinstance(value, str) and (key in ("event", "site", "player") or key.startswith("tag:")):
        return folded(" ".join(value.split()))
    return value


def _value_of(facts: Facts, key: str) -> Value:
    if key == "game":
        return facts.game
    if key == "result":
        return facts.result
    if key == "outcome":
        return None if facts.outcome is None else str(facts.outcome)
    if key == "valid":
        return facts.valid
    if key == "year":
        year = _YEAR.match(facts.tags.get("Date", ""))
        return year[0] if year else None
    if key.startswith("opening:"):
        return " ".join(facts.line[: plies_of_key(key)]) or None
    return facts.tags.get(key[4:] if key.startswith("tag:") else key.capitalize())
