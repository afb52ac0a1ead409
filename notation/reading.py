"""Reading and checking records: one way for checking alone, for formatting and for converting."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TextIO

from ringfen._core import ffi, lib
from ringfen.control import checked_int
from ringfen.errors import COMMON_REASONS, BoardError, ImpossiblePositionError, RecordError, RingfenError, worded
from ringfen.memory import owned
from ringfen.notation.clean import CheckedSplitting, CleanCheck, CleanRecords
from ringfen.notation.diagnostics import MOST_REPORTED, Diagnostic, Places, quoted
from ringfen.notation.record import Line, Node, Record, Report, player_tags, tidy
from ringfen.notation.results import is_result, is_result_for, result_of, results_for
from ringfen.notation.splitting import HIGHEST_MAX_RECORD, MAX_RECORD, RawRecord, split_records
from ringfen.notation.suggesting import fault, suggestions
from ringfen.notation.tags import Place, Tags, read_tags
from ringfen.position import Position, outcome_of
from ringfen.rules import Game, game_by_id, game_ids

if TYPE_CHECKING:
    from ringfen._core import Array, rf_diagnostic, rf_event

#: Events that the C core hands over at a time.
_EVENTS: Final = 4096
#: An ``rf_event`` (``movetext.h``): taken as one tuple it costs a fraction of what its fields cost one by one.
_EVENT: Final = struct.Struct("5I?24s0I")
_PLY, _COMMENT, _NAG, _OPEN = lib.RF_EVENT_PLY, lib.RF_EVENT_COMMENT, lib.RF_EVENT_NAG, lib.RF_EVENT_OPEN
_SKIPPED_LINE: Final = re.compile(r"(?<=[\r\n])%[^\r\n]*")

#: Bytes that Windows-1252 does not have.
_NOT_IN_1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")

#: Diagnostics that concern a ply in a position.
_OF_PLIES: Final = frozenset({"bad-ply", "illegal-ply", "ply-after-end", "null-move"})
_LONGEST_PLY: Final = 64
#: Bytes behind a ply at fault that are looked through for the plies that follow.
_AFTER: Final = 400
_ASIDE: Final = re.compile(r"\{[^}]*\}|;[^\r\n]*|\$\d+|[!?]+|(?<![^\s])\d+\.+")
_NESTED: Final = re.compile(r"\([^()]*\)")

#: Absent ones are worth a warning; players' names come on top.
_USUAL_TAGS: Final = ("Event", "Date", "Result")

#: Errors that leave nothing of the record unread: a program can put them right in what was read.
_MENDABLE: Final = frozenset({"result-mismatch", "bad-result"})

#: Words for what the C core finds wrong with movetext. ``{0}`` is what it expects.
_MOVETEXT_REASONS: Final[Mapping[str, str]] = {
    "bad-number": "a move number is written 12. or 12...",
    "bad-nag": "$ and a number from 0 to 255 are expected",
    "bad-suffix": "the suffixes are ! ? !! ?? !? and ?!",
    "misplaced-nag": "there is no ply before it that it could belong to",
    "misplaced-variation": "there is no ply before it that it could replace",
    "empty-variation": "a variation has at least one ply",
    "unclosed-variation": "this parenthesis is not closed before the record ends",
    "stray-parenthesis": "no parenthesis is open here",
    "unclosed-comment": "this brace is not closed before the record ends",
    "stray-brace": "no brace is open here",
    "misplaced-result": "a result stands at the end of the record, not in a variation",
    "text-after-result": "only comments may follow the result; a record begins with its tags",
    "bad-ply": "the word is too long for a ply",
    "wrong-number": "{0} is expected",
    "missing-number": "{0} is expected before it (the first missing number)",
    "stray-number": "no ply follows this number",
    "null-move": "the ring is moved back to where it was",
}


def read_records(
    source: str | PathLike[str] | BinaryIO | TextIO | None = None,
    *,
    text: str | None = None,
    name: str | None = None,
    board_path: Sequence[Path] = (),
    max_record: int = MAX_RECORD,
) -> Iterator[Record]:
    """The records of an ``.rgn`` file, one after the other, valid or not (:attr:`Record.valid`).

    >>> from ringfen.notation import read_records
    >>> for record in read_records("examples/gyges-2001.rgn"):
    ...     print(record.result, len(record.main.nodes))
    0-1 12

    Nothing that a file may hold raises an error; what is wrong stands in :attr:`Record.diagnostics`.

    :param source: a path, or a binary or text stream.
    :param text: the text itself, in place of ``source``.
    :param name: what diagnostics call the source; the path by default.
    :param board_path: directories to search for boards that positions name (GRAN).
    :param max_record: the longest record in bytes; a longer one is the error ``too-long``.
    :raises OSError: the file cannot be read.
    :raises TypeError: ``source`` is none of these.
    """
    records = _Source(source, text, name, max_record)
    reader = RecordReader(records.name, board_path=board_path)
    return (reader.record(raw) for raw in records.split())


def check_records(
    source: str | PathLike[str] | BinaryIO | TextIO | None = None,
    *,
    text: str | None = None,
    name: str | None = None,
    board_path: Sequence[Path] = (),
    max_record: int = MAX_RECORD,
) -> Iterator[Report]:
    """As :func:`read_records`, but checks only and keeps no tree: many times faster."""
    records = _Source(source, text, name, max_record)
    reader = RecordReader(records.name, board_path=board_path)
    return (reader.report(raw) for raw in records.split())


def parse_record(text: str, *, name: str = "<text>", board_path: Sequence[Path] = ()) -> Record:
    """The first record of a text.

    :raises ringfen.RecordError: the text holds no record.
    """
    for record in read_records(text=text, name=name, board_path=board_path):
        return record
    raise RecordError("the text holds no record", reason="no-record")


class _Source:
    """Where records come from, in any of the forms that :func:`read_records` takes."""

    def __init__(
        self,
        source: str | PathLike[str] | BinaryIO | TextIO | None,
        text: str | None,
        name: str | None,
        max_record: int,
    ) -> None:
        if (source is None) == (text is None):
            raise TypeError("either a source or a text is needed")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"text is a str, not {type(text).__name__}")
        if source is not None and not isinstance(source, str | PathLike) and not hasattr(source, "read"):
            raise TypeError(f"a source is a path or a file, not {type(source).__name__}")
        checked_int("max_record", max_record, 1, HIGHEST_MAX_RECORD)
        self._source = source
        self._text = text
        self._max = max_record
        self.name = name or ("<text>" if source is None else _name_of(source))

    def split(self) -> Iterator[RawRecord]:
        """The records, not yet read."""
        if self._text is not None:
            return split_records(BytesIO(self._text.encode("utf-8", "surrogatepass")), self._max)
        if isinstance(self._source, str | PathLike):
            return self._of_file(self._source)
        given: Any = self._source
        stream: Any = _Encoded(given) if isinstance(given.read(0), str) else given
        return split_records(stream, self._max)

    def _of_file(self, path: str | PathLike[str]) -> Iterator[RawRecord]:
        with open(path, "rb") as stream:
            yield from split_records(stream, self._max)


class _Encoded:
    """A text stream as a binary one: as much of it as reading records needs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        """The bytes of this many characters."""
        return self._stream.read(size).encode("utf-8", "surrogatepass")


def _name_of(source: Any) -> str:
    return str(source if isinstance(source, str | PathLike) else getattr(source, "name", "<stream>"))


class RecordReader:
    """Reads the records of one source, numbering them.

    :param source: what diagnostics call it.
    :param board_path: directories to search for boards.
    """

    def __init__(self, source: str, *, board_path: Sequence[Path] = ()) -> None:
        self.source = source
        self._board_path = board_path
        self._count = 0
        self._scanner = owned(lib.rf_scanner_new(), lib.rf_scanner_free)
        self._summary = lib.rf_scan_summary_of(self._scanner)
        self._events: Array[rf_event] = ffi.NULL
        self._usual_starts: dict[tuple[bytes | None, int], Position] = {}
        self._clean = CleanCheck(self._scanner)

    def unclean(
        self, stream: BinaryIO, max_record: int, *, each: bool, keep: bool = False
    ) -> Iterator[RawRecord | CleanRecords]:
        """The records of a stream that :meth:`report` has to check, in their order, and between them the others.

        :param each: tell of each of the others.
        :param keep: and keep its text.
        """
        for found in CheckedSplitting(stream, max_record, self._clean, each=each, keep=keep).checked():
            if isinstance(found, CleanRecords):
                self._count += found.passed
            yield found

    def seek(self, positions: Sequence[Position]) -> None:
        """Searches the main lines of the records from now on for any of these positions."""
        self._sought_states = [position.state for position in positions]
        self._sought = ffi.new("rf_sought[]", len(positions))
        for index, position in enumerate(positions):
            self._sought[index].game = position.game.cdata
            self._sought[index].state = self._sought_states[index]
        lib.rf_scan_seek(self._scanner, self._sought, len(positions))

    def line(self, raw: RawRecord, most: int) -> tuple[Report, list[str]]:
        """Checks one record and keeps the short forms of the first plies of its main line, ``most`` at most."""
        self._count += 1
        report = Report(self.source, self._count, raw.line)
        reading = _LineReading(self, raw, report, most)
        reading.run()
        return report, reading.plies

    def report(self, raw: RawRecord) -> Report:
        """Checks one record."""
        self._count += 1
        report = Report(self.source, self._count, raw.line)
        _Reading(self, raw, report).run()
        return report

    def record(self, raw: RawRecord) -> Record:
        """Reads one record with its tree."""
        self._count += 1
        record = Record(self.source, self._count, raw.line, self._board_path)
        reading = _TreeReading(self, raw, record)
        reading.run()
        return record

    def positions(self, raw: RawRecord, wanted: PliesWanted) -> tuple[Report, list[tuple[int, Position]]]:
        """Checks one record and keeps positions of its main line, with the number of plies before each."""
        self._count += 1
        report = Report(self.source, self._count, raw.line)
        reading = _PositionsReading(self, raw, report, wanted)
        reading.run()
        return report, reading.kept


class PliesWanted:
    """After how many plies positions are wanted: after ``ply`` of them, all (``every``), or else the last."""

    def __init__(self, ply: int | None = None, every: bool = False, last: bool = False) -> None:
        self.ply = ply
        self.every = every
        self.last = last

    def next_after(self, plies: int) -> int | None:
        """The next count of plies, above ``plies``, where the scan has to pause."""
        if self.every:
            return plies + 1
        return self.ply if self.ply is not None and self.ply > plies else None


class _Reading:
    """One record on its way through the C core."""

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report) -> None:
        self.reader = reader
        self.data = raw.data
        self.raw = raw
        self.report = report
        self.tags: Tags
        self._places: Places | None = None

    # ---- the way through ----

    def run(self) -> None:
        """Fills the report."""
        if self.raw.too_long:
            self._error("too-long", Place(0, 1), "", "it is longer than a record may be (--max-record)")
            return
        if self.raw.json_problem:
            self._error("bad-json", Place(0, 1), "", self.raw.json_problem)
            return
        self.tags = read_tags(self.data)
        for problem in self.tags.problems:
            self._error(problem.code, problem.place, self._text(problem.place), problem.reason)
        self._check_utf8()
        self.report.tags = _LazyTags(self.tags.values)
        self._find_start()
        self._check_start_in_json()
        self._scan()
        self._check_result()
        self._check_usual_tags()
        if len(self.report.diagnostics) > 1:
            self.report.diagnostics.sort(key=lambda found: (found.line, found.column))

    def _check_utf8(self) -> None:
        if self.data.isascii():
            return
        try:
            self.data.decode()
        except UnicodeDecodeError as error:
            shown = " ".join(f"{byte:02x}" for byte in self.data[error.start : error.end])
            self._error("bad-utf8", Place(error.start, 1), f"byte {shown}", self._encoding_meant(error.start))

    def _encoding_meant(self, at: int) -> str:
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") or self.data.count(0, 0, 400) > len(self.data[:400]) // 4:
            return "it is not UTF-8; the text seems to be UTF-16, and has to be saved as UTF-8"
        if self.data[at] not in _NOT_IN_1252:
            meant = self.data[at : at + 1].decode("cp1252")
            return (
                f"it is not UTF-8; in Windows-1252 (Latin-1) it would be {meant}, and the text has to be saved as UTF-8"
            )
        return "it is not UTF-8"

    # ---- the start position ----

    def _find_start(self) -> None:
        values = self.tags.values
        game = values.get(b"Game")
        self.report.game = self._game(game)
        fen = values.get(b"FEN")
        if fen is not None:
            self.report.start = self._start_of_fen(fen)
            return
        if game is None:
            self._error("missing-game", self.tags.head(self.data), "", *self._what_is_there_instead())
        if self.report.game is not None:
            self.report.start = self._usual_start(self.report.game)

    def _what_is_there_instead(self) -> tuple[str, None, None, Sequence[str]]:
        """Words about a record without a game, and what to write."""
        words = "a Game tag, or a FEN tag, is needed"
        begin = self.data.lstrip()[:_AFTER].decode("utf-8", "replace").partition("\n")[0].strip()
        if begin.partition(" ")[0] in game_ids() and " " in begin:
            return f"{words}; this is a position, not a record", None, None, [f'[FEN "{begin}"]']
        game = next((name for name in self.tags.values if name.lower() == b"game"), None)
        if game is not None:
            words += f"; it is written Game, not {game.decode('ascii', 'replace')}"
            value = self.tags.values[game].decode("utf-8", "replace").lower()
            if value in game_ids():
                return words, None, None, [f'[Game "{value}"]']
        return words, None, None, []

    def _check_start_in_json(self) -> None:
        said, start = self.raw.start, self.report.start
        if said is not None and start is not None and said != start.fen:
            self._error("bad-json", Place(0, 1), "", f"start: by its tags the game starts from {start.fen}")

    def _game(self, name: bytes | None) -> Game | None:
        if name is None:
            return None
        text = name.decode("utf-8", "replace")
        if text in game_ids():
            return game_by_id(text)
        meant = get_close_matches(text.lower().replace("è", "e"), game_ids(), 1)
        self._tag_error("unknown-game", "Game", f"the games are {', '.join(game_ids())}", suggest=meant)
        return None

    def _start_of_fen(self, fen: bytes) -> Position | None:
        text = fen.decode("utf-8", "replace")
        words = text.split(None, 1)
        named = self.report.game
        if len(words) < 2:
            self._tag_error("bad-position", "FEN", "a whole position is expected")
            return None
        if words[0] in game_ids():
            self.report.game = game_by_id(words[0])
            if named is not None and named is not self.report.game:
                self._tag_error("game-mismatch", "Game", f"the FEN tag has a position of {words[0]}")
                return None
        try:
            start = Position(text, board_path=self.reader._board_path)
        except RingfenError as error:
            code = "impossible-position" if isinstance(error, ImpossiblePositionError) else "bad-position"
            if isinstance(error, BoardError):
                code = "unknown-board"
            self._tag_error(code, "FEN", error.message, error.at, error.length)
            return None
        self._check_players(start)
        return start

    def _check_players(self, start: Position) -> None:
        if start.game.players[1] <= 2:
            return
        players, whole = self._players()
        if whole and players > start.players:
            self._tag_error("bad-players", f"Player{start.players + 1}", f"the position has {start.players} players")

    def _players(self) -> tuple[int, bool]:
        """The highest number of a player's tag, and whether all before it are there; a gap is reported."""
        there = [number for number in range(1, 10) if b"Player%d" % number in self.tags.values]
        for expected, number in enumerate(there, 1):
            if number != expected:
                self._tag_error("bad-players", f"Player{number}", f"there is no tag Player{expected}")
                return there[-1], False
        return len(there), True

    def _usual_start(self, game: Game) -> Position | None:
        players = 0
        if game.players[1] > 2:
            players, whole = self._players()
            least, most = game.players
            if players and not least <= players <= most:
                if whole:
                    last = f"Player{players}"
                    self._tag_error("bad-players", last, f"{game.name} has {least} to {most} players, not {players}")
                return None
        starts = self.reader._usual_starts
        key = (self.tags.values.get(b"Game"), players)
        if key not in starts:
            starts[key] = Position(game.start(players=str(players)) if players else game.usual_start)
            if players or game.players[1] <= 2:
                self.reader._clean.add(starts[key], players)
        return starts[key]

    # ---- the movetext ----

    def _scan(self) -> None:
        reader, start = self.reader, self.report.start
        game, context, state = ffi.NULL, ffi.NULL, ffi.NULL
        if start is not None:
            game, context, state = start.game.cdata, start.context.cdata, start.state
        if self.raw.begun:
            lib.rf_scan_move(reader._scanner, self._pinned())
        else:
            lib.rf_scan_begin(
                reader._scanner,
                game,
                context,
                state,
                self._pinned(),
                len(self.data),
                self.tags.movetext,
                self.raw.first_number or (0 if b"FEN" in self.tags.values else 1),
                MOST_REPORTED,
            )
        self._take_diagnostics()
        step = lib.RF_SCAN_MORE
        while step != lib.RF_SCAN_END:
            step = self._next()
            if step == lib.RF_SCAN_MEMORY:
                raise MemoryError
            self._take_diagnostics()
        summary = reader._summary
        report = self.report
        report.plies = summary.plies
        report.reached = summary.reached
        report.complete = start is not None and summary.complete
        if summary.complete and start is not None:
            report.outcome = outcome_of(start.game, summary.outcome)
        self._say_what_is_not_shown()

    def _take_diagnostics(self) -> None:
        """Those of the scan's last call."""
        summary = self.reader._summary
        for index in range(summary.diagnosed):
            self._from_core(summary.diagnostics[index])

    def _pinned(self) -> Any:
        self._bytes = ffi.from_buffer(self.data)
        return self._bytes

    def _next(self) -> int:
        """Lets the core read on."""
        return int(lib.rf_scan(self.reader._scanner, ffi.NULL, 0))

    def _from_core(self, found: rf_diagnostic) -> None:
        code = ffi.string(found.code).decode("ascii")
        if code == "missing-number" and self.raw.from_json:
            return
        place = Place(found.at, max(1, found.length))
        reason = ffi.string(found.reason.reason).decode("ascii")
        game = self.report.game
        if reason and game is not None:
            args = [ffi.string(arg).decode("ascii") for arg in found.reason.args]
            words = worded({**COMMON_REASONS, **game.reasons}, reason, args)
        else:
            words = _MOVETEXT_REASONS[code].format(ffi.string(found.expected).decode("ascii"))
        position: Position | None = None
        meant: Sequence[str] = ()
        if code in _OF_PLIES:
            if found.ply:
                position = self._standing()
            text = self.data[place.at : place.at + min(place.length, 400)].decode("utf-8", "replace")
            if code == "bad-ply" and len(text) <= _LONGEST_PLY:
                words = fault(position, text, self._words_after(place)) or words
            if position is not None and found.is_error and code != "ply-after-end" and found.length <= _LONGEST_PLY:
                meant = suggestions(position, text, self._words_after(place))
        elif code == "wrong-number":
            meant = (ffi.string(found.expected).decode("ascii"),)
        self._error(code, place, self._text(place), words, found.ply or None, position, meant)

    def _standing(self) -> Position | None:
        """The position in which the scan stands."""
        start = self.report.start
        if start is None:
            return None
        state = ffi.new("rf_state *", lib.rf_scan_state(self.reader._scanner)[0])
        return Position.from_state(start.game, start.context, state)

    def _words_after(self, place: Place) -> list[str]:
        """The next plies after a place, to the end of this line of play."""
        end = place.at + place.length
        text = self.data[end : end + _AFTER].decode("utf-8", "replace")
        text = _NESTED.sub(" ", _ASIDE.sub(" ", text)).partition("(")[0].partition(")")[0]
        return [word for word in text.split() if not is_result(word)][:8]

    def _say_what_is_not_shown(self) -> None:
        if self.tags.cut:
            words = f"what stands after the first {MOST_REPORTED} bad tags is not read"
            self._error("not-shown", Place(max(0, len(self.data) - 1), 1), "", words)
            return
        summary = self.reader._summary
        errors = max(0, summary.errors - MOST_REPORTED)
        warnings = max(0, summary.warnings - MOST_REPORTED)
        if errors or warnings:
            words = f"{errors} more errors and {warnings} more warnings in this record are not shown"
            self._error("not-shown", Place(max(0, len(self.data) - 1), 1), "", words)

    # ---- the result ----

    def _check_result(self) -> None:
        summary, report = self.reader._summary, self.report
        raw = self.tags.values.get(b"Result")
        tag = None if raw is None else raw.decode("utf-8", "replace")
        token: str | None = None
        place = Place(summary.result_at, max(1, summary.result_length))
        if summary.result_length:
            token = self._text(place)
        elif not summary.errors and not self.tags.cut:
            self._error("missing-result", Place(self._last_byte(), 1), "", "the movetext ends with a result, or with *")
        decided = None if report.outcome is None or report.start is None else result_of(report.start, report.outcome)
        report.found_result = decided or token or tag or "*"
        good = True
        if token is not None:
            good = self._check_one_result(token, decided, lambda *found: self._error(found[0], place, token, found[1]))
        if tag is not None:
            good &= self._check_one_result(tag, decided, lambda *found: self._tag_error(found[0], "Result", found[1]))
        if good and token is not None and tag is not None and token != tag:
            self._error("result-mismatch", place, token, f"the tag Result says {quoted(tag)}")

    def _check_one_result(self, result: str, decided: str | None, say: Callable[[str, str], None]) -> bool:
        """Whether the tag or the token alone fits the game and how it stands; if not, says so."""
        start = self.report.start
        if start is not None and not is_result_for(result, start):
            say("bad-result", f"a result here is {results_for(start)}")
        elif start is None and not is_result(result):
            say("bad-result", "it is not a result of any game")
        elif decided is not None and result != decided:
            say("result-mismatch", f"the last position says {decided}")
        else:
            return True
        return False

    def _last_byte(self) -> int:
        return max(0, len(self.data.rstrip()) - 1)

    def _check_usual_tags(self) -> None:
        values, game = self.tags.values, self.report.game
        if game is None:
            return
        start = self.report.start
        players = player_tags(game)[: start.players if start is not None else game.players[0]]
        missing = [name for name in (*_USUAL_TAGS[:2], *players, *_USUAL_TAGS[2:]) if name.encode() not in values]
        if missing:
            words = f"usual tags are absent: {', '.join(missing)}"
            if "South" in missing and (b"White" in values or b"Black" in values):
                words += "; the players are South and North here, not White and Black"
            self._error("missing-tag", self.tags.head(self.data), "", words)

    # ---- diagnostics ----

    def _text(self, place: Place) -> str:
        return quoted(self.data[place.at : place.at + min(place.length, 400)].decode("utf-8", "replace"))

    def _tag_error(
        self, code: str, name: str, reason: str, at: int = 0, length: int = 0, suggest: Sequence[str] = ()
    ) -> None:
        place = self.tags.place(self.data, name)
        subject = self._text(place)
        within = Place(place.at + min(at, place.length - 1), max(1, length or place.length - at))
        self._error(code, within, f"{name} {subject}", reason, suggest=suggest)

    def _error(
        self,
        code: str,
        place: Place,
        subject: str,
        reason: str,
        ply: int | None = None,
        position: Position | None = None,
        suggest: Sequence[str] = (),
    ) -> None:
        report = self.report
        line, column, excerpt, excerpt_at, length = self.raw.line, 1, "", 0, 1
        if not self.raw.from_json:
            if self._places is None:
                self._places = Places(self.data, self.raw.line)
            line, column, excerpt, excerpt_at, length = self._places.locate(*place)
        report.diagnostics.append(
            Diagnostic(
                code,
                line,
                column,
                ply,
                subject,
                reason,
                report.source,
                report.number,
                excerpt,
                excerpt_at,
                length,
                position,
                tuple(suggest),
            )
        )


class _TreeReading(_Reading):
    """Reading that builds the tree of variations."""

    report: Record

    def __init__(self, reader: RecordReader, raw: RawRecord, record: Record) -> None:
        super().__init__(reader, raw, record)
        self._open: list[Line] = []
        self._line = record.main
        #: The variation that was just closed; comments now belong behind it.
        self._closed: Line | None = None

    def run(self) -> None:
        if self.reader._events == ffi.NULL:
            self.reader._events = ffi.new("rf_event[]", _EVENTS)
        super().run()
        record = self.report
        record.first_number = self.reader._summary.first_number or 1
        record.tags = dict(record.tags)
        if "FEN" in record.tags and record.start is not None:
            record.tags["FEN"] = record.start.fen
        record.whole = all(not found.is_error or found.code in _MENDABLE for found in record.diagnostics)

    def _next(self) -> int:
        events, summary = self.reader._events, self.reader._summary
        readable = summary.errors == 0 and self.report.start is not None
        step = int(lib.rf_scan(self.reader._scanner, events, _EVENTS))
        if readable:
            # Of a record with errors the tree holds what stands before the first.
            self._take(_EVENT.iter_unpack(ffi.buffer(events, summary.events * _EVENT.size)))
        return step

    def _take(self, events: Iterator[tuple[int, int, int, int, int, bool, bytes]]) -> None:
        data = self.data
        for kind, at, length, number, _, opens, text in events:
            if kind == _PLY:
                ply = data[at : at + length].decode("ascii", "replace")
                short = text.partition(b"\0")[0].decode("ascii") if text[0] else ply
                Node(self._line, ply, short, number, opens)
                self._closed = None
            elif kind == _COMMENT:
                self._take_comment(data[at : at + length])
            elif kind == _NAG:
                self._line.nodes[-1].nags.append(number)
            elif kind == _OPEN:
                node = self._line.nodes[-1]
                variation = Line(self.report, node.parent)
                node.variations.append(variation)
                self._open.append(self._line)
                self._line = variation
                self._closed = None
            else:
                self._closed = self._line
                self._line = self._open.pop()

    def _take_comment(self, raw: bytes) -> None:
        comment = comment_text(raw.decode("utf-8", "replace"))
        if self._closed is not None:
            self._closed.after.append(comment)
        elif self._line.nodes:
            self._line.nodes[-1].comments.append(comment)
        else:
            self._line.comments.append(comment)


class _PositionsReading(_Reading):
    """Reading that keeps positions of the main line."""

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report, wanted: PliesWanted) -> None:
        super().__init__(reader, raw, report)
        self._wanted = wanted
        self.kept: list[tuple[int, Position]] = []

    def _scan(self) -> None:
        start, wanted = self.report.start, self._wanted
        if start is not None and (wanted.every or wanted.ply == 0):
            self.kept.append((0, start))
        self._begun = False
        super()._scan()
        plies = self.report.plies
        if wanted.last and start is not None and not (self.kept and self.kept[-1][0] == plies):
            self._keep()

    def _next(self) -> int:
        if not self._begun:
            self._begun = True
            self._pause_after(0)
        step = super()._next()
        if step == lib.RF_SCAN_PAUSE:
            self._keep()
            self._pause_after(self.reader._summary.plies)
        return step

    def _pause_after(self, plies: int) -> None:
        pause_at = self._wanted.next_after(plies)
        if pause_at is not None:
            lib.rf_scan_pause_at(self.reader._scanner, pause_at)

    def _keep(self) -> None:
        start = self.report.start
        if start is None:
            return
        state = ffi.new("rf_state *", lib.rf_scan_state(self.reader._scanner)[0])
        self.kept.append((self.reader._summary.plies, Position.from_state(start.game, start.context, state)))


class _LineReading(_Reading):
    """Reading that keeps the first plies of the main line."""

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report, most: int) -> None:
        super().__init__(reader, raw, report)
        self._most = most
        self._depth = 0
        self.plies: list[str] = []

    def _next(self) -> int:
        if len(self.plies) >= self._most:
            return super()._next()
        reader = self.reader
        if reader._events == ffi.NULL:
            reader._events = ffi.new("rf_event[]", _EVENTS)
        step = int(lib.rf_scan(reader._scanner, reader._events, min(_EVENTS, self._most)))
        for kind, at, length, _, _, _, text in _EVENT.iter_unpack(
            ffi.buffer(reader._events, reader._summary.events * _EVENT.size)
        ):
            if kind == _OPEN:
                self._depth += 1
            elif kind == lib.RF_EVENT_CLOSE:
                self._depth -= 1
            elif kind == _PLY and not self._depth and len(self.plies) < self._most:
                short = text.partition(b"\0")[0] or self.data[at : at + length]
                self.plies.append(short.decode("ascii", "replace"))
        return step


class _LazyTags(Mapping[str, str]):
    """Tags, decoded when they are asked for: plain checking asks for few."""

    def __init__(self, values: dict[bytes, bytes]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.encode()].decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return (name.decode() for name in self._values)

    def __len__(self) -> int:
        return len(self._values)


def comment_text(text: str) -> str:
    """A comment as records keep it: without skipped lines, every run of blanks and line ends one blank."""
    return tidy(_SKIPPED_LINE.sub("", text) if "%" in text else text)
