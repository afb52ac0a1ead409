"""Checks one record: its tags, start position, movetext and result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from ringfen._core import ffi, lib
from ringfen.errors import BoardError, ImpossiblePositionError, RingfenError, formatted_reason
from ringfen.notation.bulk_check import MAX_REPORTED, default_start
from ringfen.notation.characters import strange_characters
from ringfen.notation.diagnostics import MOVETEXT_REASONS, Diagnostic, Places, quoted
from ringfen.notation.encodings import READ_IN_ITS_ENCODING, plausible_encoding
from ringfen.notation.informal_dates import possible_dates
from ringfen.notation.informal_results import possible_results, sure_result, written_result
from ringfen.notation.mail import LONGEST as LONGEST_PROSE
from ringfen.notation.mail import is_prose
from ringfen.notation.missing_plies import (
    MoveNumber,
    begins_round,
    first_player_moves,
    gap_before,
    is_again,
    line_before,
    next_ply,
    plies_of,
    rest_of_line,
)
from ringfen.notation.misspellings import BLANKS, divided_number, meant_ply, with_enclosed_square, words_from
from ringfen.notation.ply_errors import MAX_EARLIER, EarlierPly, diagnose_ply
from ringfen.notation.ply_suggestions import MOST, can_be_read, is_draw, is_one_slip, suggestions, writing_error
from ringfen.notation.record import Report, played, player_tags
from ringfen.notation.results import result_of
from ringfen.notation.splitting import RawRecord
from ringfen.notation.tag_errors import (
    NO_GAME,
    TagError,
    date_error,
    game_error,
    players_error,
    players_of,
    result_error,
)
from ringfen.notation.tags import Place, Tags, read_tags
from ringfen.position import Position, outcome_of
from ringfen.rules import Game, game_by_id, game_ids
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen._core import rf_diagnostic, rf_warning
    from ringfen.notation.bulk_check import Scanned
    from ringfen.notation.record_reader import RecordReader

#: Diagnostics that concern a ply in a position.
_OF_PLIES: Final = frozenset({"bad-ply", "illegal-ply", "ply-after-end", "null-move"})
_LONGEST_PLY: Final = 64
#: A word of a text for people; signs that begin or end a comment or a variation are in none.
_WORD_OF_PROSE: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_]))*[.,:!?]*")
_PUNCTUATION: Final = ".,:!?"
#: The fewest words in a row that are a text, and not misspelt plies.
_FEWEST_WORDS: Final = 3
#: The most words of such a text that are looked at.
_MOST_WORDS: Final = 200
_COMMENT: Final = re.compile(rb"\{[^}]*\}|;[^\r\n]*|(?<![^\r\n])%[^\r\n]*")
#: Illegal plies of a record for which other plies are tried in the place of the one before.
_MAX_LOOKED_BACK: Final = 10
#: Bytes of movetext before an illegal ply that are played again to look back further than one ply.
_MAX_REPLAYED: Final = 1 << 17
#: Bytes of a record without a game that are looked at.
_AFTER: Final = 400

#: A line that says the game, but is no tag.
_GAME_IN_WORDS: Final = re.compile(r"game\s*[:=]?\s*[\"']?(\w+)[\"']?\s*\]?\s*", re.IGNORECASE)

#: Absent ones are worth a warning; players' names come on top.
_USUAL_TAGS: Final = ("Event", "Date", "Result")

#: Errors that the loss of a closing brace can cause, and the bytes before them in which it is sought.
_AFTER_LOST_BRACE: Final = frozenset({"illegal-ply", "stray-parenthesis"})
_LOOKED_BACK_FOR_BRACE: Final = 4000


class _Gap(NamedTuple):
    """Plies that are missing before a move number: where the number ends, words about it, texts that fill it."""

    end: int
    words: str
    plies: Sequence[str]


class RecordChecker:
    """Checks one record: reads its tags, lets the C core play its movetext, and reports what is wrong."""

    #: Whether diagnostics suggest corrections; finding these takes far longer than finding the errors.
    _suggests = True
    #: The most errors, and the most warnings, of the movetext that are reported.
    _most = MAX_REPORTED

    def __init__(self, reader: RecordReader, raw: RawRecord, report: Report) -> None:
        self.reader = reader
        self.data = raw.data
        self.raw = raw
        self.report = report
        self.tags: Tags
        #: A warning that the fast check found, with its positions; None: the scanner has the positions.
        self._warning: rf_warning | None = None
        self._places: Places | None = None
        self._gap: _Gap | None = None
        #: The place of words that a diagnostic explains together: later errors there are not reported.
        self._explained = range(0)
        self._has_unreported = False
        #: Where the last number ends that is too high for a reason that is not known.
        self._ahead = -1
        #: Illegal plies for which other plies were tried in the place of the one before.
        self._replaced_before = 0
        #: Wrong numbers for which missing plies were sought.
        self._gaps_searched = 0

    # ---- the steps of a check ----

    def check(self) -> None:
        """Fill the report."""
        if self.raw.too_long:
            self._error("too-long", Place(0, 1), "", "the record is longer than the limit (by default 64 MB)")
            return
        if self.raw.json_problem:
            self._error("bad-json", Place(0, 1), "", self.raw.json_problem)
            return
        self._check_place()
        self.tags = read_tags(self.data, max(self._most, MAX_REPORTED))
        self.report.tags = _LazyTags(self.tags.values)
        for problem in self.tags.problems:
            self._error(problem.code, problem.place, self._text(problem.place), problem.reason)
        self._check_utf8()
        self._find_start()
        self._check_start_in_json()
        self._scan()
        summary = self.reader.summary
        result = Place(summary.result_at, summary.result_length)
        self._check_result(result, is_expected=not summary.errors and not self.tags.cut)
        self._check_tags()
        self._sort()

    def use_fast_check(self, scanned: Scanned) -> None:
        """Fill the report from the results of the fast check."""
        report = self.report
        self._check_place()
        report.tags = _UnreadTags(self.data[: scanned.movetext + 1])
        report.game, report.start = scanned.start.game, scanned.start
        for index in range(scanned.first_warning, scanned.first_warning + scanned.warned):
            self._warning = scanned.warnings[index]
            self._add_core_diagnostic(self._warning.found)
        report.plies, report.reached, report.outcome = scanned.plies, scanned.reached, scanned.outcome
        report.complete = True
        result = Place(scanned.result_at, scanned.result_length)
        if scanned.usual:
            report.found_result = self._text(result)
        else:
            self.tags = read_tags(self.data)
            self._check_result(result, is_expected=True)
            self._check_tags()
        self._sort()

    def _check_place(self) -> None:
        if self.raw.column > 1:
            self._error("missing-line-end", Place(0, 1), "", "a record begins on a new line")

    def _check_tags(self) -> None:
        self._check_missing_tags()
        date = date_error(self.report.tags)
        if date is not None:
            meant = possible_dates(self.report.tags[date.tag]) if self._suggests else ()
            self._tag_error(*date, suggest=meant[:MOST])

    def _sort(self) -> None:
        if len(self.report.diagnostics) > 1:
            self.report.diagnostics.sort(key=lambda found: (found.line, found.column))

    def _check_utf8(self) -> None:
        if self.data.isascii() and not 4 * self.data.count(0, 0, _AFTER) > min(len(self.data), _AFTER):
            return
        if self.data.isascii():
            self._error("bad-utf8", Place(self.data.index(0), 1), "byte 00", self._encoding_meant(0))
            return
        try:
            self.data.decode()
        except UnicodeDecodeError as error:
            shown = " ".join(f"{byte:02x}" for byte in self.data[error.start : error.end])
            meant = _half_character(self.data[error.start :]) or self._encoding_meant(error.start)
            self._error("bad-utf8", Place(error.start, 1), f"byte {shown}", meant)

    def _encoding_meant(self, at: int) -> str:
        encoding = plausible_encoding(self.data)
        if encoding is None:
            return f"it is not UTF-8; {READ_IN_ITS_ENCODING}"
        read = f"read it in the encoding {encoding}, or save it as UTF-8"
        if encoding.startswith("utf-16"):
            return f"it is not UTF-8; the text seems to be UTF-16: {read}"
        meant = self.data[at : at + 1].decode(encoding, "ignore")
        return f"it is not UTF-8; in {encoding} it would be {meant}: {read}" if meant else f"it is not UTF-8; {read}"

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
            self._error("missing-game", self.tags.head(self.data), "", *self._missing_game())
        if self.report.game is not None:
            self.report.start = self._default_start(self.report.game)

    def _missing_game(self) -> tuple[str, None, None, Sequence[str]]:
        """Return the message for a record without a game, and suggestions."""
        words = NO_GAME
        begin = self.data.lstrip()[:_AFTER].decode("utf-8", "replace").partition("\n")[0].strip()
        if begin.partition(" ")[0] in game_ids() and " " in begin and begin.isprintable():
            return f"{words}; this is a position, not a record", None, None, [f'[FEN "{begin}"]']
        named = _GAME_IN_WORDS.fullmatch(begin)
        if named and named[1].lower() in game_ids():
            tag = f'[Game "{named[1].lower()}"]'
            return f"{words}; a tag reads {tag}", None, None, [tag]
        if begin.startswith(">"):
            return f"{words}; the lines are quoted as in a mail, with >", None, None, []
        game = next((name for name in self.tags.values if name.lower() == b"game"), None)
        if game is not None:
            words += f"; it is written Game, not {game.decode('ascii', 'replace')}"
            value = self.tags.values[game].decode("utf-8", "replace").lower()
            if value in game_ids():
                return words, None, None, [f'[Game "{value}"]']
        elif not self.tags.values and is_prose(
            self.data[: LONGEST_PROSE // 2].decode("utf-8", "replace"), [Position(name) for name in game_ids()]
        ):
            words += "; a text outside records is written as a comment, {…}"
        return words, None, None, []

    def _check_start_in_json(self) -> None:
        stated, start = self.raw.start, self.report.start
        if stated is not None and start is not None and stated != start.fen:
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
            self._tag_error("bad-position", "FEN", "expected a whole position")
            return None
        if words[0] in game_ids():
            self.report.game = game_by_id(words[0])
            if named is not None and named is not self.report.game:
                self._report_tag(game_error(self.report.tags, self.report.game))
                return None
        try:
            start = Position(text, board_path=self.reader.board_path)
        except RingfenError as error:
            code = "impossible-position" if isinstance(error, ImpossiblePositionError) else "bad-position"
            at, length = error.at, error.length
            if isinstance(error, BoardError):
                code = "unknown-board"
                if error.line:  # the place is one in the board's file
                    at = length = 0
            self._tag_error(code, "FEN", error.message, at, length)
            return None
        self._report_tag(players_error(self.report.tags, start.game, start))
        least, most = start.game.players
        self._known_start(start.game, least if most > 2 else 0)
        return start

    def _report_tag(self, error: TagError | None) -> bool:
        """Report an error of a tag, if there is one; return whether there is."""
        if error is not None:
            self._tag_error(*error)
        return error is not None

    def _default_start(self, game: Game) -> Position | None:
        players = players_of(self.report.tags, game)
        if (
            self._report_tag(players_error(self.report.tags, game))
            and not game.players[0] <= players <= game.players[1]
        ):
            return None
        return self._known_start(game, players)

    def _known_start(self, game: Game, players: int) -> Position:
        """Return the usual start for as many players as tags name, which the fast check knows from now on."""
        starts = self.reader.default_starts
        key = (game.id, players)
        if key not in starts:
            starts[key] = default_start(game, players)
            if players or game.players[1] <= 2:
                self.reader.bulk_check.add(starts[key], players)
        return starts[key]

    # ---- the movetext ----

    def _scan(self) -> None:
        reader, start = self.reader, self.report.start
        game, context, state = ffi.NULL, ffi.NULL, ffi.NULL
        if start is not None:
            game, context, state = start.game.cdata, start.context.cdata, start.state
        job = reader.job
        data = ffi.from_buffer(self.data)
        job.text, job.length = data, len(self.data)
        job.at = self.tags.movetext
        job.first = self.raw.first_number or (0 if b"FEN" in self.tags.values else 1)
        job.max_reported = self._most
        lib.rf_scan_begin(reader.scanner, game, context, state, job)
        step = lib.RF_SCAN_MORE
        while step != lib.RF_SCAN_END:
            step = self._scan_more()
            if step == lib.RF_SCAN_MEMORY:
                raise MemoryError
            for index in range(reader.summary.diagnosed):
                self._add_core_diagnostic(reader.summary.diagnostics[index])
        summary = reader.summary
        report = self.report
        report.plies = summary.plies
        report.reached = summary.reached
        report.complete = start is not None and summary.complete
        if summary.complete and start is not None:
            report.outcome = outcome_of(start.game, summary.outcome)
        self._report_unshown()

    def _scan_more(self) -> int:
        """Let the C core scan more of the movetext; returns ``RF_SCAN_*``."""
        return int(lib.rf_scan(self.reader.scanner, ffi.NULL, 0))

    def _add_core_diagnostic(self, found: rf_diagnostic) -> None:
        code = ffi.string(found.code).decode("ascii")
        if found.at in self._explained:
            self._has_unreported = True
            return
        if code == "missing-number" and self.raw.from_json:
            return
        place = Place(found.at, max(1, found.length))
        reason = ffi.string(found.reason.reason).decode("ascii")
        game = self.report.game
        if reason and game is not None:
            args = [ffi.string(arg).decode("ascii") for arg in found.reason.args]
            words = formatted_reason(game.reasons, reason, args)
        else:
            words = MOVETEXT_REASONS[code].format(ffi.string(found.expected).decode("ascii"))
        position = self._position_of(code) if code in _OF_PLIES and found.ply else None
        meant: Sequence[str] = ()
        if self._suggests:
            words, meant, place = self._explanation(found, code, place, words, position)
            if place.at + place.length > found.at + found.length:
                self._explained = range(place.at, place.at + place.length)
        self._error(code, place, self._text(place), words, found.ply or None, position, meant)

    def _explanation(
        self, found: rf_diagnostic, code: str, place: Place, words: str, position: Position | None
    ) -> tuple[str, Sequence[str], Place]:
        """Return what to say about a diagnostic, what is meant, and the place of all words that it explains."""
        meant: Sequence[str] = ()
        if self._is_after_lost_brace(code, place):
            return f"{words}; the comment before it contains {{, so a }} may be missing in it", (), place
        if code in ("bad-ply", "illegal-ply"):
            words, meant, end = self._explanation_of_ply(found, code == "illegal-ply", place, words, position)
            place = Place(place.at, end - place.at)
        elif code == "wrong-number":
            words, meant = self._explanation_of_number(found, place, words)
        if code in ("bad-ply", "bad-number", "misplaced-result"):
            return self._as_written_result(place, words, meant)
        return words, meant, place

    def _explanation_of_ply(
        self, found: rf_diagnostic, is_ply: bool, place: Place, words: str, position: Position | None
    ) -> tuple[str, Sequence[str], int]:
        """Return what to say about a word that is not a legal ply, what is meant, and where the explained words end."""
        end = place.at + place.length
        text = self.data[place.at : place.at + min(place.length, 400)].decode("utf-8", "replace")
        gap = self._gap
        if is_ply and gap is not None and not self.data[gap.end : place.at].strip():
            return f"{words}; {gap.words}", gap.plies, end
        number = None if is_ply else divided_number(self.data, place.at)
        if number is not None:
            shown = quoted(self.data[place.at : number.end].decode())
            return f"{shown} is not a ply; a move number is one word, {number.text}", (), number.end
        prose = None if is_ply else self._end_of_prose(place.at, position or self.report.start)
        if prose is not None:
            return "these words are not plies; write a comment in braces { }", (), prose
        if position is None:
            return (not is_ply and len(text) <= _LONGEST_PLY and writing_error(None, text)) or words, (), end
        if is_ply and self._replaced_before == _MAX_LOOKED_BACK:
            return words, suggestions(position, text), end
        rest = list(rest_of_line(self.data, end))
        adjacent, ends = words_from(self.data, place.at)
        last = self._last_plies(found) if is_ply else []
        explained = diagnose_ply(
            position, text, words, is_ply=is_ply, following=list(plies_of(rest)), adjacent=adjacent[1:], last=last
        )
        enclosed = with_enclosed_square(position, text, self.data, end)
        if enclosed is not None:
            ply = enclosed.text.split()[0]
            words = f"{explained.words}; the square in parentheses belongs to the ply, which is written {ply}"
            return words, [ply], enclosed.end
        if is_ply and explained.words == words and (sign := self._sign_of_gap(place, found, rest)):
            return f"{words}; {sign}", (), end
        return explained.words, explained.plies, ends[explained.length - 1] if explained.length > 1 else end

    def _end_of_prose(self, at: int, position: Position | None) -> int | None:
        """Return where the text for people ends that begins at a place; None if its words are too few to be sure."""
        end, count = None, 0
        while position is not None and count < _MOST_WORDS:
            words, ends = words_from(self.data, at)
            if not words or not _WORD_OF_PROSE.fullmatch(words[0]):
                break
            if can_be_read(position, words[0].strip(_PUNCTUATION)):
                break
            if count and sure_result(position, " ".join(words), self.report.tags) is not None:
                break
            end, count = ends[0], count + 1
            blanks = BLANKS.match(self.data, end)
            if blanks is None:
                break
            at = blanks.end()
        return end if count >= _FEWEST_WORDS else None

    def _explanation_of_number(self, found: rf_diagnostic, place: Place, words: str) -> tuple[str, Sequence[str]]:
        meant: Sequence[str] = (ffi.string(found.expected).decode("ascii"),)
        expected = MoveNumber.of(meant[0])
        gap = self._gap_before(place, expected)
        if gap is not None:
            self._gap = gap
            return gap.words, gap.plies
        if MoveNumber.of(self._text(place)).is_after(expected):
            self._ahead = place.at + place.length
            return f"{words}, unless plies are missing before it", meant if self._is_legal_at(self._ahead) else ()
        if self._is_again(place):
            return f"{words}; this number and its ply occur before, as if a line were written twice", ()
        return words, meant

    def _is_after_lost_brace(self, code: str, place: Place) -> bool:
        """Return whether the comment before an error seems to have swallowed plies: it contains an opening brace."""
        if code not in _AFTER_LOST_BRACE or self.raw.from_json:
            return False
        text = self.data[max(self.tags.movetext, place.at - _LOOKED_BACK_FOR_BRACE) : place.at]
        comment, _, between = text.rpartition(b"}")
        if code != "stray-parenthesis" and between.strip(b" \t\r\n0123456789."):
            return False
        return comment[comment.rfind(b"}") + 1 :].count(b"{") > 1

    def _as_written_result(self, place: Place, words: str, meant: Sequence[str]) -> tuple[str, Sequence[str], Place]:
        """Return what to say about a result in another form, what is meant, and its place; else the arguments.

        :param place: the place of its first word.
        """
        start = self.report.start
        begin = self.tags.movetext
        written = start and written_result(self.data, begin, place.at, start, self.report.tags)
        position = self._current_position()
        if not written and position is not None:
            spoken = possible_results(self.data, begin, place.at, position)
            if spoken is not None and not self._is_in_variation(spoken.at):
                words = "these words do not name the player; South wins with 1-0, North with 0-1"
                return words, spoken.results, Place(spoken.at, spoken.length)
        if not written or self._text(place) == written.result or self._is_in_variation(written.at):
            return words, meant, place
        result = written.result
        if position is not None and position.outcome is not None:
            result = result_of(position, position.outcome)
        is_explained = written.length == place.length and strange_characters(written.text) is not None
        if not is_explained and not is_draw(written.text):
            words = f"{quoted(written.text)} is not a ply; the result is written {result}"
        return words, [result], Place(written.at, written.length)

    def _is_in_variation(self, at: int) -> bool:
        """Return whether a place is in a variation."""
        text = _COMMENT.sub(b"", self.data[self.tags.movetext : at])
        return text.count(b"(") > text.count(b")")

    def _last_plies(self, found: rf_diagnostic) -> list[EarlierPly]:
        """Return the plies before an illegal one, the last of them first, for the first illegal plies of a record."""
        start = self.report.start
        self._replaced_before += 1
        if start is None or not found.last_length:
            return []
        state = ffi.new("rf_state *", lib.rf_scan_state_before(self.reader.scanner)[0])
        before = Position.from_state(start.game, start.context, state)
        text = self.data[found.last_at : found.last_at + found.last_length].decode("ascii", "replace")
        number = MoveNumber(found.last_number, found.last_opens)
        last = [EarlierPly(text, f"{number.text()} {text}", before)]
        earlier = self._plies_before(found.last_at, before)
        for index, (text, position) in enumerate(earlier):
            first = index + 1 == len(earlier)
            opens = first_player_moves(position) if first else begins_round(position, earlier[index + 1][1])
            number = MoveNumber(number.round - number.opens, opens)
            last.append(EarlierPly(text, f"{number.text()} {text}", position))
        return last[:MAX_EARLIER]

    def _plies_before(self, at: int, reached: Position) -> list[tuple[str, Position]]:
        """Return the plies before a place, the last first, each with the position before it.

        :param reached: the position there; nothing is returned if the plies do not lead to it.
        """
        begin = self.tags.movetext
        if self.report.start is None or at - begin > _MAX_REPLAYED:
            return []
        position = self.report.start
        line: list[tuple[str, Position]] = []
        try:
            for ply in line_before(self.data, begin, at):
                line.append((ply, position))
                position = played(position, ply)
        except RingfenError:
            return []
        return line[: -MAX_EARLIER - 1 : -1] if position == reached else []

    def _gap_before(self, place: Place, expected: MoveNumber) -> _Gap | None:
        """Return the evidence that plies are missing before a wrong number."""
        position, end = self._current_position(), place.at + place.length
        number = self.data[place.at : end].decode()
        if position is None or self._gaps_searched == _MAX_LOOKED_BACK:
            return None
        self._gaps_searched += 1
        gap = gap_before(position, expected, MoveNumber.of(number), rest_of_line(self.data, end))
        return gap and _Gap(end, *gap)

    def _is_again(self, place: Place) -> bool:
        """Return whether a number and the ply after it seem to be written twice."""
        position = self._current_position()
        return position is not None and is_again(self.data, place.at, place.at + place.length, position)

    def _is_legal_at(self, at: int) -> bool:
        """Return whether the ply that follows a place directly is legal in the position in which the scan stands."""
        position, ply = self._current_position(), next_ply(self.data, at)
        return position is not None and ply is not None and position.is_legal(ply)

    def _sign_of_gap(self, place: Place, found: rf_diagnostic, rest: Sequence[str | MoveNumber]) -> str:
        """Return what the numbers around an illegal ply say about missing plies; empty if nothing."""
        if 0 <= self._ahead <= place.at and not self.data[self._ahead : place.at].strip():
            return "plies seem to be missing before its number"
        number = _number_of_later_round(found.last_number, rest) if found.last_length else None
        return f"plies seem to be missing, since the next number is {number.text()}" if number is not None else ""

    def _current_position(self) -> Position | None:
        """Return the position in which the scan stands."""
        start = self.report.start
        if start is None:
            return None
        state = lib.rf_scan_state(self.reader.scanner)[0] if self._warning is None else self._warning.state
        return Position.from_state(start.game, start.context, ffi.new("rf_state *", state))

    def _position_of(self, code: str) -> Position | None:
        """Return the position before the ply that a diagnostic is about: only a null move has been played."""
        start = self.report.start
        if start is None or code != "null-move":
            return self._current_position()
        scanner, warning = self.reader.scanner, self._warning
        state = lib.rf_scan_state_before(scanner)[0] if warning is None else warning.before
        return Position.from_state(start.game, start.context, ffi.new("rf_state *", state))

    def _report_unshown(self) -> None:
        if self.tags.cut:
            words = f"text after the first {max(self._most, MAX_REPORTED)} bad tags is not read"
            self._error("not-shown", Place(max(0, len(self.data) - 1), 1), "", words)
            return
        summary = self.reader.summary
        errors = max(0, summary.errors - self._most)
        warnings = max(0, summary.warnings - self._most)
        if errors or warnings:
            most = "up to " if self._has_unreported else ""
            words = f"{most}{errors} more errors and {warnings} more warnings in this record are not shown"
            self._error("not-shown", Place(max(0, len(self.data) - 1), 1), "", words)

    # ---- the result ----

    def _check_result(self, written: Place, *, is_expected: bool) -> None:
        """Check the result, which the movetext has at a place of length 0 if it has none."""
        report = self.report
        raw = self.tags.values.get(b"Result")
        tag = None if raw is None else raw.decode("utf-8", "replace")
        token: str | None = None
        place = Place(written.at, max(1, written.length))
        if written.length:
            token = self._text(place)
        elif is_expected:
            self._error("missing-result", Place(self._last_byte(), 1), "", "the movetext ends with a result, or with *")
        decided = None if report.outcome is None or report.start is None else result_of(report.start, report.outcome)
        report.found_result = decided or token or tag or "*"
        good = True
        if token is not None and (error := result_error(token, report.start, decided)):
            position = self._current_position() if error.code == "bad-result" and self._suggests else None
            ply = meant_ply(position, token) if position is not None else None
            meant = decided if error.code == "result-mismatch" else ply
            self._error(error.code, place, token, error.reason, suggest=[meant] if meant else ())
            good = False
        error = None if tag is None else result_error(tag, report.start, decided)
        if error is not None:
            start = report.start
            meant = decided or (sure_result(start, tag or "", report.tags) if start and self._suggests else None)
            self._tag_error(*error, suggest=[meant] if meant else ())
            good = False
        if good and token is not None and tag is not None and token != tag:
            self._error("result-mismatch", place, token, f"the tag Result says {quoted(tag)}")

    def _last_byte(self) -> int:
        return max(0, len(self.data.rstrip()) - 1)

    def _check_missing_tags(self) -> None:
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
            others = [name.decode() for name in values if name.decode() not in (*_USUAL_TAGS, *players)]
            for name in missing:
                words += "".join(f"; the tag {one} may be meant as {name}" for one in others if is_one_slip(one, name))
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
                self._places = Places(self.data, self.raw.line, self.raw.column)
            line, column, excerpt, excerpt_at, length = self._places.locate(*place)
        report.diagnostics.append(
            Diagnostic(
                code,
                line,
                column,
                ply,
                subject,
                printable(reason),  # it may hold words of the file
                report.source,
                report.number,
                excerpt,
                excerpt_at,
                length,
                position,
                tuple(suggest),
            )
        )


class _LazyTags(Mapping[str, str]):
    """Tags, decoded on access: plain checking needs few of them."""

    def __init__(self, values: dict[bytes, bytes]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.encode()].decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return (name.decode() for name in self._values)

    def __len__(self) -> int:
        return len(self._values)


class _UnreadTags(_LazyTags):
    """Tags that are read on access.

    :param head: The text of the record up to its movetext.
    """

    def __init__(self, head: bytes) -> None:
        self._head = head

    @cached_property
    def _values(self) -> dict[bytes, bytes]:  # type: ignore[override]
        return read_tags(self._head).values


def _number_of_later_round(last: int, rest: Sequence[str | MoveNumber]) -> MoveNumber | None:
    """Return the next number after an illegal ply, if more rounds have begun there than there are plies before it.

    :param last: the round of the ply before the illegal one.
    """
    plies = 1
    for word in rest:
        if isinstance(word, MoveNumber):
            return word if word.round > last + 1 + plies else None
        plies += 1
    return None


def _half_character(data: bytes) -> str:
    """Return words for the half of a surrogate pair with which invalid UTF-8 begins, which no encoding explains."""
    try:
        half = data[:3].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return ""
    return f"U+{ord(half):04X} is half of a surrogate pair, which is not a character; remove it"
