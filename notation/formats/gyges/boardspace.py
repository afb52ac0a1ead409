"""Games of boardspace.net: files in SGF, one node per step of a player (docs/formats/boardspace.md).

P0 has its first rank at the top of that board. The player that begins is South in a record, so the board is rotated if
P0 begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from ringfen.notation.formats.building import RecordBuilder
from ringfen.notation.formats.splitting import Brackets, pieces
from ringfen.notation.record import Record

GAMES: Final = ("gyges",)

_SGF: Final = Brackets(b"(", b")", b"[", b"]", restart=rb"\(;\s*GM\[", skipped=b" \t\r\n")
_TOKEN: Final = re.compile(r"\s+|([();])|([A-Za-z0-9]{1,30})\s*(?=\[)|\[([^\\\]]*(?:\\.[^\\\]]*)*)\]", re.DOTALL)
_GAME: Final = "gyges"
_TYPES: Final = ("gyges-beginner", "gyges-advanced")
_PLAYERS: Final = ("P0", "P1")
#: The racks of the rings that P0 and P1 have not placed yet.
_RACKS: Final = ("f", "s")
_INFORMATION: Final = ("id", "time", "ranking", "country")
_NAME: Final = re.compile(r'\s*id\s+"?([^"]*)"?\s*', re.IGNORECASE)
_DATE: Final = re.compile(r"(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2}) ([0-9]{1,2}) .*\b([0-9]{4})")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FILES: Final = "abcdef"
_RANKS: Final = "123456"
#: Steps that change nothing.
_IGNORED: Final = ("offerdraw", "declinedraw")


class _Property(NamedTuple):
    """A property of a node, and the place of its value."""

    name: str
    value: str
    at: int


class _StepError(ValueError):
    """A step that is not possible there."""


def read(stream: BinaryIO, name: str, game: str, max_record: int, board_path: Sequence[Path]) -> Iterator[Record]:
    """Yield the games of a stream."""
    for number, piece in enumerate(pieces(stream, max_record, _SGF), 1):
        builder = RecordBuilder(name, number, piece)
        if builder.valid:
            properties = _properties(builder)
            if builder.valid:
                _Reading(builder, game, properties).run()
        yield builder.record


def _properties(builder: RecordBuilder) -> list[_Property]:
    """Return the properties of the main line, which is the first of all variations; an error is reported."""
    text, at, depth, name = builder.text, 0, 0, ""
    is_main = True
    variation = -1
    found: list[_Property] = []
    while at < len(text):
        token = _TOKEN.match(text, at)
        mark = token and token[1]
        if token is None or (depth == 0 and mark not in ("(", None)) or (token[3] is not None and not name):
            builder.error("bad-format", at, 1, "not SGF: expected (; and properties such as GM[Gyges]")
            return []
        if mark == "(":
            depth += 1
            if not is_main and variation < 0:
                variation = at
        elif mark == ")":
            depth -= 1
            is_main = False
        elif token[2] is not None:
            name = token[2]
        elif token[3] is not None and is_main:
            found.append(_Property(name, re.sub(r"\\(.)", r"\1", token[3], flags=re.DOTALL), token.start(3)))
        at = token.end()
    if depth or not found:
        builder.error("bad-format", max(0, len(text.rstrip()) - 1), 1, "the game ends before its closing parenthesis")
    elif variation >= 0:
        builder.error("omitted", variation, 1, "only the first line of play is read, other variations are omitted")
    return found


class _Reading:
    """A game, step by step."""

    def __init__(self, builder: RecordBuilder, game: str, properties: Sequence[_Property]) -> None:
        self._builder = builder
        self._game = game
        self._properties = properties
        self._values = {one.name: one for one in reversed(properties)}
        #: The player that begins, and the one whose turn it is, as indices of _PLAYERS.
        self._first = self._player = 0
        self._setup = _Setup()
        self._move = _Move()
        self._result: str | None = None
        self._resigns = False
        #: Comments on the turn that is in progress.
        self._comments: list[str] = []
        #: The step that ends a ply.
        self._place = properties[0]
        self._steps: dict[str, Callable[[list[str]], None]] = {
            "pick": self._pick,
            "drop": self._drop,
            "pickb": self._pick_on_board,
            "dropb": self._drop_on_board,
            "dropb_r": self._drop_on_board,
            "onboard": self._put,
            "move": self._go,
        }

    def run(self) -> None:
        """Fill the record; errors are reported."""
        steps = [one for one in self._properties if one.name in _PLAYERS and _words(one)]
        if not self._check_head() or not self._begin(steps):
            return
        for one in self._properties:
            if one.name == "C":
                self._comment(one)
                continue
            words = _words(one) if one.name in _PLAYERS else []
            try:
                if words and not self._step(words, one):
                    return
            except _StepError as error:
                self._error(one, str(error))
                return
        self._keep_comments()
        if self._result is None and (self._setup.is_open or self._move.is_open) and not self._resigns:
            self._error(steps[-1], "the game ends within a turn")
        self._end()

    def _error(self, place: _Property, words: str) -> None:
        self._builder.error("bad-format", place.at, len(place.value), words)

    def _check_head(self) -> bool:
        """Check the game and its kind. Return whether there is no error."""
        kind, setup = self._values.get("GM"), self._values.get("SU")
        if kind is None or kind.value.strip().lower() != _GAME:
            self._error(kind or self._properties[0], "the property GM is not Gyges")
        elif setup is not None and setup.value.lower().split()[:1] not in ([name] for name in _TYPES):
            self._error(setup, f"the property SU does not begin with {' or '.join(_TYPES)}")
        return self._builder.valid

    def _begin(self, steps: Sequence[_Property]) -> bool:
        """Find the player that begins, and set the tags. Return whether there is no error."""
        words = _words(steps[0]) if steps else []
        if words[:1] == ["start"] and words[1:] in (["p0"], ["p1"]):
            self._first = self._player = int(words[1][1])
        players: dict[str, str] = {}
        for one in self._properties:
            name = _NAME.fullmatch(one.value) if one.name in _PLAYERS else None
            if name is not None:
                players["South" if one.name == _PLAYERS[self._first] else "North"] = name[1]
        tags = {
            "Site": "boardspace.net",
            "Date": _date(self._values["DT"].value) if "DT" in self._values else "",
            **players,
            "GameId": self._values["GN"].value if "GN" in self._values else "",
        }
        texts = {name: " ".join(value.split()) for name, value in tags.items()}
        return self._builder.start(self._game, tags={name: text for name, text in texts.items() if text})

    # ---- steps ----

    def _step(self, words: list[str], step: _Property) -> bool:
        """Do one step. Return whether to continue."""
        name = words[0]
        if self._result is not None:
            raise _StepError("the game is over")
        if name == "start":
            if words[1:] != [_PLAYERS[self._player].lower()] or self._setup.is_open or self._move.is_open:
                raise _StepError(f"it is the turn of {_PLAYERS[self._player]}")
            return True
        if name == "winontime":
            self._result = "1-0" if step.name == _PLAYERS[self._first] else "0-1"
            return True
        if name in _IGNORED:
            return True
        if step.name != _PLAYERS[self._player]:
            raise _StepError(f"it is the turn of {_PLAYERS[self._player]}")
        if name == "resign":
            self._resigns = not self._resigns
        elif name == "acceptdraw":
            self._result = "1/2-1/2"
        elif name == "done":
            return self._done(step)
        elif name in self._steps:
            self._steps[name](words[1:])
            self._place = step
        else:
            raise _StepError("this step is not one of a game of Gyges")
        return True

    def _done(self, step: _Property) -> bool:
        """End a turn. Return whether to continue."""
        if self._resigns:
            return True
        is_setup = len(self._builder.record.main.nodes) < 2
        ply = self._setup.ply(self._home()) if is_setup else self._move.ply()
        self._setup, self._move = _Setup(), _Move()
        self._player = 1 - self._player
        is_played = self._builder.play(ply, self._place.at, len(self._place.value))
        self._keep_comments()
        return is_played

    def _home(self) -> str:
        """Return the rank of the player's setup."""
        return "1" if self._player == self._first else "6"

    def _pick(self, words: list[str]) -> None:
        self._setup.pick(self._rack_place(words))

    def _drop(self, words: list[str]) -> None:
        self._setup.drop(self._rack_place(words))

    def _put(self, words: list[str]) -> None:
        self._setup.pick(self._rack_place(words[:2]))
        self._setup.put(self._square(words[2:]))

    def _pick_on_board(self, words: list[str]) -> None:
        square = self._square(words[:2])
        if len(self._builder.record.main.nodes) < 2:
            self._setup.take(square)
        else:
            self._move.pick(square)

    def _drop_on_board(self, words: list[str]) -> None:
        square = self._square(words)
        if len(self._builder.record.main.nodes) < 2:
            self._setup.put(square)
        else:
            self._move.drop(square, self._is_taken(square))

    def _go(self, words: list[str]) -> None:
        square = self._square(words[2:])
        self._move.go(self._square(words[:2]), square, self._is_taken(square))

    def _is_taken(self, square: str) -> bool:
        """Return whether a ring is on a square before the turn."""
        ranks = self._builder.position.fen.split()[1].split("/")
        return square not in ("S", "N") and ranks[6 - int(square[1])][_FILES.index(square[0])] != "."

    def _rack_place(self, words: list[str]) -> int:
        if len(self._builder.record.main.nodes) >= 2:
            raise _StepError("the rings are set up")
        if len(words) != 2 or words[0] != _RACKS[self._player] or words[1] not in tuple("012345"):
            raise _StepError(f"the rack of this player has the places {_RACKS[self._player].upper()} 0 to 5")
        return int(words[1])

    def _square(self, words: list[str]) -> str:
        """Return the name of a field in a record."""
        if len(words) == 2 and words[0] == "g" and words[1] in ("0", "1"):
            return "S" if int(words[1]) == self._first else "N"
        if len(words) != 2 or words[0] not in tuple(_FILES) or words[1] not in tuple(_RANKS):
            raise _StepError("a square is written as A 1, a goal as G 0 or G 1")
        if self._first == 1:
            return f"{words[0]}{words[1]}"
        return f"{_FILES[-1 - _FILES.index(words[0])]}{7 - int(words[1])}"

    # ---- comments ----

    def _comment(self, comment: _Property) -> None:
        """Keep a comment after the last ply, or after that of the turn that is in progress."""
        text = " ".join(comment.value.split())
        if text:
            self._comments.append(text)
            if not (self._setup.is_open or self._move.is_open):
                self._keep_comments()

    def _keep_comments(self) -> None:
        record = self._builder.record
        (record.main.nodes[-1] if record.main.nodes else record).comments.extend(self._comments)
        self._comments.clear()

    # ---- the end ----

    def _end(self) -> None:
        """Set the result."""
        place = self._values.get("RE", self._place)
        if self._resigns and self._result is None:
            self._result = "0-1" if self._player == self._first else "1-0"
        elif self._result is None and "RE" in self._values and "draw" in place.value.lower():
            self._result = "1/2-1/2"
        if self._result is not None and self._builder.valid:
            self._builder.result(self._result, place.at, len(place.value))


class _Setup:
    """The setup of a player that is in progress."""

    def __init__(self) -> None:
        self._rack: list[str] = list("112233")
        self._placed: dict[str, str] = {}
        self._hand = ""

    @property
    def is_open(self) -> bool:
        """Whether it has begun."""
        return bool(self._placed or self._hand)

    def pick(self, place: int) -> None:
        """Take a ring from the rack."""
        if self._hand or not self._rack[place]:
            raise _StepError("a ring is already picked up" if self._hand else "there is no ring in this place")
        self._hand, self._rack[place] = self._rack[place], ""

    def drop(self, place: int) -> None:
        """Put the ring back into the rack."""
        if not self._hand or self._rack[place]:
            raise _StepError("there is a ring in this place" if self._hand else "no ring is picked up")
        self._rack[place], self._hand = self._hand, ""

    def take(self, square: str) -> None:
        """Take a ring from the board."""
        if self._hand or square not in self._placed:
            raise _StepError("a ring is already picked up" if self._hand else "this player has no ring there")
        self._hand = self._placed.pop(square)

    def put(self, square: str) -> None:
        """Put the ring on the board."""
        if not self._hand or square in self._placed:
            raise _StepError("there is a ring on this square" if self._hand else "no ring is picked up")
        self._placed[square], self._hand = self._hand, ""

    def ply(self, rank: str) -> str:
        """Return the setup as a ply."""
        if sorted(self._placed) != [f"{file}{rank}" for file in _FILES]:
            raise _StepError("the setup does not fill the player's first rank")
        return "".join(self._placed[square] for square in sorted(self._placed))


class _Move:
    """A move that is in progress."""

    def __init__(self) -> None:
        self._start = ""
        self._bounces: list[str] = []
        #: Whether the last bounce is a displacement.
        self._displaces = False
        self._end = ""

    @property
    def is_open(self) -> bool:
        """Whether it has begun."""
        return bool(self._start)

    def pick(self, square: str) -> None:
        """Pick up the ring to move, or take back the last drop."""
        if self._end == square:
            self._end = ""
        elif self._start:
            raise _StepError("a ring is already picked up")
        else:
            self._start = square

    def drop(self, square: str, is_taken: bool) -> None:
        """Drop the ring, or the displaced one.

        :param is_taken: whether a ring is on the square before the move.
        """
        if not self._start or self._end:
            raise _StepError("no ring is picked up")
        if self._displaces or not (is_taken or square == self._start):
            self._end = square
        elif square == self._start and not self._bounces:
            self._start = ""
        elif self._bounces[-1:] == [square]:
            self._displaces = True
        elif square == self._start or square in self._bounces:
            raise _StepError("the ring was dropped there before")
        else:
            self._bounces.append(square)

    def go(self, start: str, square: str, is_taken: bool) -> None:
        """Move a ring at once: it displaces a ring, or ends on a free square, which can be its start (G6).

        :param is_taken: whether a ring is on the square before the move.
        """
        self.pick(start)
        if is_taken and square != start:
            self._bounces.append(square)
            self._displaces = True
        else:
            self._end = square

    def ply(self) -> str:
        """Return the move as a ply."""
        if not self._end:
            raise _StepError("the move is not complete")
        if self._displaces:
            return f"{'-'.join([self._start, *self._bounces[:-1]])}x{self._bounces[-1]}-{self._end}"
        return "-".join([self._start, *self._bounces, self._end])


def _words(one: _Property) -> list[str]:
    """Return the words of a step in small letters, without its number; none if it is information on the player."""
    words = one.value.lower().split()
    if words and words[0].isdecimal():
        del words[0]
    return [] if words[:1] and words[0] in _INFORMATION else words


def _date(text: str) -> str:
    """Return a date as in a tag; empty if it cannot be read."""
    found = _DATE.match(text.strip())
    if found is None or found[1] not in _MONTHS:
        return ""
    return f"{found[3]}.{_MONTHS.index(found[1]) + 1:02}.{int(found[2]):02}"
