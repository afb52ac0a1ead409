"""Repairs of records that leave no doubt: the mistake has one checked, and what results is legal."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

from ringfen.errors import IllegalPlyError, PlySyntaxError
from ringfen.notation.bulk_check import MAX_REPORTED
from ringfen.notation.characters import is_invisible, is_strange_space, plain_forms
from ringfen.notation.diagnostics import Diagnostic, Places
from ringfen.notation.informal_dates import sure_date
from ringfen.notation.informal_results import ASIDE, UNKNOWN, ends_here, possible_results, sure_result, written_result
from ringfen.notation.located_check import LocatedCheck, check_with_places, end_before, is_number_slip_at
from ringfen.notation.mail import LONGEST as LONGEST_PROSE
from ringfen.notation.mail import as_comment, is_prose
from ringfen.notation.missing_plies import MoveNumber, begins_round, first_player_moves, next_ply, rest_of_line
from ringfen.notation.misspellings import (
    BLANKS,
    DOTS,
    correction,
    divided_number,
    meant_ply,
    possible_numbers,
    same_ply,
    with_enclosed_square,
    words_from,
)
from ringfen.notation.ply_suggestions import can_be_read, plain
from ringfen.notation.record import Report
from ringfen.notation.record_checker import RecordChecker
from ringfen.notation.results import is_result, is_result_for, result_of
from ringfen.notation.splitting import RawRecord
from ringfen.notation.tags import Place, read_tags
from ringfen.position import Position
from ringfen.rules import game_by_id, game_ids

if TYPE_CHECKING:
    from ringfen.notation.record_reader import RecordReader

#: The maximum number of bytes read again: a long record with very many errors is then left.
_MOST_READ: Final = 1 << 30
_EACH: Final = 1 << 14
#: The most errors and warnings of one check until these have no repair: a long record is read several times.
_FIRST_FOUND: Final = 8
#: The most of one check after many repairs.
_MOST_FOUND: Final = 1 << 15

#: The most plies that are repaired before the record is read again.
_MOST_AT_ONCE: Final = 1 << 20
#: A token of the movetext: white space or a NAG, a comment, a parenthesis, a word.
_WALKED: Final = re.compile(rb"[ \t\r\n]+|\$[0-9]+|[!?]+|(\{[^}]*\}|;[^\r\n]*)|([()])|([^ \t\r\n(){};$!?]+)")
_LINE_SKIPPED: Final = re.compile(rb"[\r\n](?:\xef\xbb\xbf)?%")
_NUMBER_OF_WORD: Final = re.compile(rb"[0-9]+\.+")
_MOVE_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}\.(?:\.\.)?")
#: A number in parentheses, and the word after it.
_ENCLOSED_NUMBER: Final = re.compile(rb"\(0*([1-9][0-9]{0,4})(\.\.\.|\.?)\)[ \t]*([^ \t\r\n(){};$!?]+)")
#: The digits of a setup with dots between them.
_DOTTED_ROW: Final = re.compile(rb"(?:[0-9]\.){2,}[0-9](?![^ \t\r\n(){};$!?])")
_NUMBER_AT_END: Final = re.compile(rb"(?<![^\s(])[1-9][0-9]{0,8}\.(?:\.\.)?\Z")
_DIGITS_OF_ROW: Final = b"0123456789."
#: A text in parentheses, and one that says how long a player thought.
_ENCLOSED: Final = re.compile(rb"\(([^(){};\r\n]{1,200})\)")
_CLOCK: Final = re.compile(r"[0-9]{1,3}(?::[0-9]{2}){1,2}(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)? ?(?:s|sec|m|min|h)\.?")
_OF_VARIATIONS: Final = frozenset({"bad-ply", "empty-variation", "misplaced-variation"})
_MOVE_NUMBER_AHEAD: Final = re.compile(r"[0-9]+\.")


_KNOWN_TAGS: Final = {
    name.lower(): name
    for name in (
        *("Game", "Event", "Site", "Date", "Round", "South", "North", "Result"),
        *(f"Player{number}" for number in range(1, 7)),
    )
} | {"fen": "FEN"}
_WHOLE_TAG: Final = re.compile(rb'\[[ \t]*(\w+)[ \t]+"([^"\\\r\n]*)"[ \t]*\][ \t]*\n')
#: A tag without the bracket before its name.
_WITHOUT_BRACKET: Final = re.compile(rb'^(\w+)[ \t]+"[^"\\\r\n]*"[ \t]*\](?=[ \t]*$)', re.MULTILINE)
_TAG_NAME: Final = re.compile(rb"\[[ \t]*(\w+)[ \t]+\"")
_STRANGE_BEGIN: Final = re.compile(rb"\A[^\t\n\r -~]+")
_STRANGE_IN_LINE: Final = re.compile(rb"[^\t\n\r -~]+")
_OF_GAME: Final = {b"game", b"fen"}
_TAG_LINE: Final = re.compile(rb'^[ \t]*\[[ \t]*(\w+)[ \t]+"', re.MULTILINE)
_DIGITS_AND_DOTS: Final = re.compile(r"[0-9]+\.+")
_BAD_NUMBER: Final = re.compile(rb"0*([1-9][0-9]{0,8})\.+")
#: A move number at the end, to be searched for in the few bytes before a place, and how dots after it are written.
#: A ply of this many digits with a dot, as in a list, is no move number.
_SHORTEST_SETUP: Final = 6
#: Before the first tag of quoted mail, which begins another record.
_QUOTE_MARKS: Final = re.compile(rb"\s*>[\s>]*")
#: Without a dot it is short: a setup of Gygès also has only digits.
_NUMBER_BEFORE: Final = re.compile(rb"(?<![^\s(])0*([1-9]\d{0,8}(?=\.)|[1-9]\d{0,4}(?=[ \t]))\.*[ \t]+\Z")
_FEW: Final = 64
#: A longer word is not repaired, only replaced by the outcome of the last position: it may be as long as the record.
_LONGEST: Final = 1 << 16
_WORD_AFTER_RESULT: Final = re.compile(rb"[^\s(){};]+")
#: Signs between words that mean nothing by themselves.
_NAG: Final = re.compile(r"\$[0-9]+")
_DIVIDING: Final = ".,:|\"'“”„"
_COMMENT: Final = re.compile(rb"\{[^}]*\}?|(;[^\r\n]*)")
_DIVIDING_PLIES: Final = re.compile(rb";|,(?=[ \t;]|\Z)")
_ATTACHED: Final = re.compile(rb"\S;\S")
_BRACKET: Final = re.compile(rb"[{}()\[\]]")
#: The line between two cells of a table.
_CELL: Final = re.compile(rb"[ \t]*\|(?=[ \t])")
#: The most lines of a text that are read as results.
_MOST_LINES: Final = 8
#: Signs between the squares of a ply.
_SIGNS_ALONE: Final = "xX×:-–—>→"
#: Errors in which the movetext can give another result.
_WITH_OTHER_RESULTS: Final = frozenset({"text-after-result", "bad-result", "misplaced-result", "bad-ply"})
#: The maximum number of bytes after a word that its repair looks at.
_AHEAD: Final = 1 << 13
_OF_NUMBERS: Final = frozenset({"wrong-number", "stray-number"})
#: Diagnostics of words from which a walk begins.
_OF_WORDS: Final = frozenset({"bad-ply", "illegal-ply", "bad-number"})
#: Diagnostics that concern the text at another place too.
_OF_ANOTHER_PLACE: Final = frozenset({"result-mismatch", "missing-number"})
_TYPED_QUOTES: Final = re.compile(r"\[([A-Za-z0-9_]+)\s*(?:[:=]\s*)?[“”„«»″\"'‘’‚`´](.*?)[“”„«»″\"'‘’`´]\s*\]?")
#: Quotes in a value, if no other tag can begin after one of them.
_INNER_QUOTES: Final = re.compile(
    r'\[(\w+)[ \t]+"([^"\\\[\]]*(?:"(?!"|[ \t]+\w+[ \t]+")[^"\\\[\]]*)+)"[ \t]*\]', re.ASCII
)
#: Without quotation marks; only for names that are known.
_NO_QUOTES: Final = re.compile(r"\[(\w+)(?:\s*[:=])?\s+([^\s\"\[\]]+(?:\s+[^\s\"\[\]]+)*)\s*\]")


class Repair(NamedTuple):
    """One change and its place in the original record: ``line`` and ``column`` from 1, and ``at`` in bytes from 0."""

    line: int
    column: int
    code: str
    before: str
    after: str
    at: int = 0


class Change(NamedTuple):
    """The place of a change in the text before and after it, and how many bytes it removes and adds there."""

    at: int
    after: int
    removed: int
    added: int


def place_before(changes: Sequence[Change], at: int) -> int:
    """Return the place before changes at increasing places of one text that corresponds to a place after them."""
    index = bisect_right(changes, at, key=lambda change: change.after) - 1
    if index < 0:
        return at
    last = changes[index]
    within = at - last.after
    return last.at if within < last.added else last.at + last.removed + within - last.added


class Repaired(NamedTuple):
    """A record after its repairs: its text, the repairs, the changes of each step, and a report on the result."""

    data: bytes
    repairs: list[Repair]
    changes: list[list[Change]]
    report: Report


NOTHING, ERRORS, ALL, PROGRESS, WHOLE = range(5)


class _Edit(NamedTuple):
    at: int
    length: int
    code: str
    after: bytes
    #: The diagnostics that the new text must not have; WHOLE: nor the text after it.
    check: int = ERRORS


def joined(raws: Iterable[RawRecord]) -> Iterator[tuple[RawRecord, list[int]]]:
    """Join records whose tags are divided by blank lines; return each record with the places where it was divided.

    Invisible characters before a tag belong to its record.
    """
    pending: RawRecord | None = None
    joins: list[int] = []
    last = b""  # the part of the pending record that was read last
    for raw in raws:
        if pending is not None and raw.column > 1:
            data, tail = _without_tail(pending.data)
            if tail and (not data or data.endswith(b"\n")):
                pending = pending._replace(data=data)
                last = last[: len(last) - len(tail)]
                raw = raw._replace(data=tail + raw.data, column=1)
        is_text = pending is not None and _is_text_before(pending, raw)
        if pending is not None and (is_text or _belong_together(pending, last, raw)):
            if raw.column == 1 and not is_text:
                joins.append(len(pending.data))
            pending = pending._replace(data=pending.data + raw.data)
        else:
            if pending is not None and pending.data:
                yield pending, joins
            pending, joins = raw, []
        last = raw.data
    if pending is not None:
        yield pending, joins


def _is_text_before(pending: RawRecord, raw: RawRecord) -> bool:
    """Return whether a text without tags precedes the first tag of a record."""
    if pending.too_long or raw.too_long or len(pending.data) > LONGEST_PROSE or not _TAG_LINE.match(raw.data):
        return False
    if _TAG_LINE.search(pending.data) is not None or raw.column > 1:
        return False
    return _prose_before_tags(pending.data, len(pending.data)) is not None


def _prose_before_tags(data: bytes, end: int) -> Place | None:
    """Return the place of a text between the comments at the beginning of a record and the first tag."""
    at = 0
    while at < end and (aside := ASIDE.match(data, at, end)) is not None:
        at = aside.end()
    text = data[at:end].rstrip()
    if _TAG_LINE.search(_WITHOUT_BRACKET.sub(_with_bracket, _STRANGE_IN_LINE.sub(b"", text))):
        return None  # Invisible characters before a tag hide it, or it has no bracket.
    prose = text and is_prose(text.decode("utf-8", "replace"), [Position(name) for name in game_ids()])
    return Place(at, len(text)) if prose else None


def _without_tail(data: bytes) -> tuple[bytes, bytes]:
    """Return a text without the invisible characters and strange spaces at its end, and these."""
    end = data[-_FEW:].decode("utf-8", "ignore")
    left = len(end)
    while left and (is_invisible(end[left - 1]) or is_strange_space(end[left - 1])):
        left -= 1
    tail = end[left:].encode()
    return data[: len(data) - len(tail)], tail


def _straight(data: bytes) -> bytes:
    """Return a text with straight quotation marks."""
    for mark in "“”„«»″":
        data = data.replace(mark.encode(), b'"')
    return data


def _with_bracket(line: re.Match[bytes]) -> bytes:
    """Return a usual tag with the bracket before its name, which a line does not have."""
    return b"[" + line[0] if line[1].decode().lower() in _KNOWN_TAGS else line[0]


def _belong_together(pending: RawRecord, last: bytes, raw: RawRecord) -> bool:
    """Return whether a record ends with a part that consists only of tags, none of which the next part repeats, and
    only one of them has its game.
    """
    if pending.too_long or raw.too_long or len(pending.data) > _LONGEST:
        return False
    last, tail = _without_tail(last)
    if raw.column > 1 and not tail:
        return False
    last = _WITHOUT_BRACKET.sub(_with_bracket, _straight(_STRANGE_BEGIN.sub(b"", last, 1)))
    tags = read_tags(last)
    if not tags.values or tags.problems or last[tags.movetext :].strip():
        return False
    others = read_tags(_straight(_STRANGE_BEGIN.sub(b"", raw.data[:_LONGEST], 1)))
    if not others.values or others.problems:
        return False
    whole = _WITHOUT_BRACKET.sub(_with_bracket, _straight(pending.data))
    names = {name.lower() for name in _TAG_NAME.findall(whole)}
    more = {name.lower() for name in others.values}
    return not names & more and not (names & _OF_GAME and more & _OF_GAME)


def repair(reader: RecordReader, raw: RawRecord, number: int, joins: Sequence[int] = ()) -> Repaired:
    """Repair one record as far as there is no doubt; comments, variations and other tags stay.

    A change is kept only if the record that results is read as it should be.

    :param number: the number of the record in its file.
    :param joins: the places where blank lines divide its tags.
    """
    changes = _Changes(Places(raw.data, raw.line, raw.column))
    divided = [(end_before(raw.data, join) + 1, join) for join in joins]
    blank_lines = [_Edit(begin, join - begin, "missing-game", b"") for begin, join in divided if begin < join]
    if blank_lines:
        changes.add(blank_lines, raw.data)
        raw = raw._replace(data=_applied(raw.data, blank_lines))
    repairs = _Repairs(reader, raw, number, changes)
    is_in_other_encoding = raw.data.count(0) > len(raw.data) // 4
    if not raw.too_long and not is_in_other_encoding:
        repairs.run()
    report = repairs.checked.report
    if repairs.checked.found:
        report = Report(reader.source, number, raw.line)
        RecordChecker(reader, repairs.raw, report).check()
    return Repaired(repairs.raw.data, changes.made, changes.steps, report)


class _Repairs:
    """The repairs of one record: each edit changes its text, which is checked again; edits that help are kept."""

    def __init__(self, reader: RecordReader, raw: RawRecord, number: int, changes: _Changes) -> None:
        self.raw = raw
        self._reader = reader
        self._number = number
        self._changes = changes
        self._tried: set[_Edit] = set()
        self._at_once = _MOST_AT_ONCE
        #: The most errors and warnings of one check.
        self._most = _FIRST_FOUND
        #: The number of bytes that have been checked.
        self._read = 0
        self.checked = self._check(raw)

    def run(self) -> None:
        """Try edits until none is left, or too many bytes have been checked."""
        while self._read <= _MOST_READ:
            data = self.raw.data
            new = (one for one in _edits(self.checked) if data[one.at : one.at + one.length] != one.after)
            edit = next((one for one in new if one not in self._tried), None)
            if edit is None and self._most >= MAX_REPORTED:
                return
            if edit is not None and self._at_once > 1 and self._apply_batch(edit):
                continue
            if edit is None or self._most > MAX_REPORTED:
                self._most = MAX_REPORTED
                self.checked = check_with_places(self._reader, self.raw, self._number, self._most)
            else:
                self._apply(edit)

    def _check(self, raw: RawRecord) -> LocatedCheck:
        """Check a text of the record."""
        self._read += len(raw.data) + _EACH
        return check_with_places(self._reader, raw, self._number, self._most)

    def _apply_batch(self, edit: _Edit) -> bool:
        """Apply an edit and others of its kind as far as they help; return whether there were at least two."""
        batch = _batch(self.checked, edit, self._tried, self._at_once)
        while len(batch.edits) > 1:
            after = self.raw._replace(data=_applied(self.raw.data, batch.edits))
            again = self._check(after)
            good = _good_edits(batch, self.checked, again, self._most)
            if good == len(batch.edits):
                break
            if self._most < _MOST_FOUND and len(again.found) >= self._most:
                self._most *= 8  # More can be confirmed.
                continue
            batch = batch._replace(edits=batch.edits[:good])
            self._at_once = max(1, good)
        if len(batch.edits) <= 1:
            self._at_once = min(self._at_once, 2)
            return False
        self._keep(batch.edits)
        if self._most < _MOST_FOUND and 2 * batch.starts >= self._most:
            self._most *= 8
            again = self._check(after)
        self.raw, self.checked = after, again
        self._at_once = min(2 * self._at_once, _MOST_AT_ONCE)
        return True

    def _apply(self, edit: _Edit) -> None:
        """Apply one edit if it helps."""
        self._at_once = max(2, self._at_once)
        after = self.raw._replace(data=_applied(self.raw.data, [edit]))
        again = self._check(after)
        if _helps(edit, self.checked, again):
            self._keep([edit])
            self.raw, self.checked = after, again
        else:
            self._tried.add(edit)

    def _keep(self, edits: Sequence[_Edit]) -> None:
        """Record edits that are kept. Edits near and after the first of them may be tried again."""
        self._tried = _still_tried(self._tried, edits[0].at)
        self._changes.add(edits, self.raw.data)


class _Changes:
    """The changes of one record in the order in which they are made, with their places in the original text."""

    def __init__(self, places: Places) -> None:
        self._places = places
        #: Each step consists of changes at increasing places of one text.
        self.steps: list[list[Change]] = []
        #: What is reported.
        self.made: list[Repair] = []
        #: For each step, the new texts by their places, with their index in ``made``.
        self._written: list[dict[int, tuple[bytes, int]]] = []

    def add(self, edits: Sequence[_Edit], data: bytes) -> None:
        """Add changes at increasing places of one text. If a change replaces exactly what an earlier one wrote, both
        are reported as one."""
        step = _changes(edits)
        written = {
            change.after: (edit.after, self._add(edit, data[edit.at : edit.at + edit.length]))
            for edit, change in zip(edits, step, strict=True)
        }
        self.steps.append(step)
        self._written.append(written)

    def _add(self, edit: _Edit, before: bytes) -> int:
        """Report one change; return its index, or that of the earlier change that it completes."""
        at, after = edit.at, edit.after.decode().rstrip()
        for step, written in zip(reversed(self.steps), reversed(self._written), strict=True):
            text, index = written.get(at, (b"", 0))
            if text == before != b"":
                self.made[index] = self.made[index]._replace(after=after)
                return index
            at = place_before(step, at)
        line, column = self._places.line_and_column(at)
        self.made.append(Repair(line, column, edit.code, before.decode("utf-8", "replace"), after, at))
        return len(self.made) - 1


def _changes(edits: Sequence[_Edit]) -> list[Change]:
    """Return changes at increasing places of one text with their places after all of them."""
    changes: list[Change] = []
    shift = 0
    for edit in edits:
        changes.append(Change(edit.at, edit.at + shift, edit.length, len(edit.after)))
        shift += len(edit.after) - edit.length
    return changes


def _helps(edit: _Edit, before: LocatedCheck, after: LocatedCheck) -> bool:
    """Return whether the text that a change puts in is read as it should be, and nothing before it is worse than it
    was.
    """
    end = len(after.data) if edit.check == WHOLE else max(edit.at + len(edit.after), edit.at + 1)
    if edit.check == PROGRESS and _first(after) <= _first(before) and len(after.found) >= len(before.found):
        return False
    errors = {(one.code, place.at) for one, place in before.found if one.is_error}
    for one, place in after.found:
        if one.code == "null-move":
            continue  # It is a legal ply.
        if not edit.after and place.at == edit.at and (one.code, edit.at + edit.length) in errors:
            continue  # It concerns the text after the change, as before.
        if edit.at <= place.at < end and (edit.check >= ALL or (one.is_error and one.code != "result-mismatch")):
            return edit.check == NOTHING
        if place.at < edit.at and one.is_error and (one.code, place.at) not in errors and edit.check != NOTHING:
            return False
    return True


def _applied(data: bytes, edits: Sequence[_Edit]) -> bytes:
    """Return a text after changes at increasing places."""
    parts: list[bytes] = []
    end = 0
    for edit in edits:
        parts += data[end : edit.at], edit.after
        end = edit.at + edit.length
    return b"".join((*parts, data[end:]))


class _Batch(NamedTuple):
    """Changes at increasing places of one text, the later ones of which are those after the earlier ones are made."""

    edits: list[_Edit]
    #: The number of diagnostics that lead to them.
    starts: int = 1
    #: The parts of the text that are then read without an error, each as its begin and end.
    parts: Sequence[tuple[int, int]] = ()
    #: The places of changes that are right only if the number before is.
    numbered: Collection[int] = ()


def _batch(checked: LocatedCheck, edit: _Edit, tried: set[_Edit], most: int) -> _Batch:
    """Return a change and later ones that can be made together with it, at most ``most``."""
    if edit.code not in _OF_WORDS:
        kind = _KINDS.get(edit.code)
        edits = _apart(islice((one for one in kind(checked) if one not in tried), most)) if kind else []
        first = edits.index(edit) if edit in edits else len(edits)
        return _Batch(edits[first:], len(edits))
    walk = _Walk(checked, tried, most)
    starts = 0
    for found, place in sorted(checked.found, key=lambda one: one[1].at):
        position = found.position or checked.at_numbers.get(place.at)
        if found.code in _OF_WORDS and position is not None:
            split = _split_number(checked, found, place)
            at = place.at if split is None else split.at
            if at >= walk.at:
                before = len(walk.edits)
                walk.run(found, position, at)
                starts += len(walk.edits) > before
    edits = walk.edits
    first = edits.index(edit) if edit in edits else len(edits)
    return _Batch(edits[first:], starts, walk.parts, walk.numbered)


def _apart(edits: Iterable[_Edit]) -> list[_Edit]:
    """Return the changes in the order of their places, without those that overlap the one before."""
    apart: list[_Edit] = []
    end = 0
    for edit in sorted(edits, key=lambda one: one.at):
        if edit.at >= end:
            apart.append(edit)
            end = edit.at + edit.length
    return apart


class _Walk:
    """The way through lines of play and the variations in them, in which each word that cannot be read is changed."""

    def __init__(self, checked: LocatedCheck, tried: set[_Edit], most: int) -> None:
        self._checked = checked
        self._tried = tried
        self._most = most
        self.edits: list[_Edit] = []
        self.parts: list[tuple[int, int]] = []
        self.numbered: set[int] = set()
        #: The place that is reached.
        self.at = 0

    def run(self, found: Diagnostic, position: Position, at: int) -> None:
        """Continue from the place of a diagnostic until a word has no repair."""
        data, begin = self._checked.data, at
        self._found, self._position, self.at = found, position, at
        self._before: Position | None = None
        self._number_end = -1
        around: list[tuple[Position, Position]] = []
        while len(self.edits) < self._most and (token := _WALKED.match(data, self.at)) is not None:
            aside, bracket, word = token.groups()
            if word is not None:
                if self._word(word):
                    continue
                end = _end_of_variation(data, self.at) if around else None
                if end is None:
                    break
                self.parts.append((begin, self.at))
                begin, bracket = end, b")"
            elif aside is not None and (b"[%position" in aside or _LINE_SKIPPED.search(aside)):
                break
            else:
                end = token.end()
            if bracket == b"(":
                if self._before is None:
                    break
                around.append((self._before, self._position))
                self._position, self._before = self._before, None
            elif bracket == b")":
                if not around:
                    break
                self._before, self._position = around.pop()
            self.at = end
        self.parts.append((begin, self.at))

    def _word(self, word: bytes) -> bool:
        """Pass a word, changed if it must be; return False if it has no repair."""
        data, at, position = self._checked.data, self.at, self._position
        split = divided_number(data, at)
        if split is not None:
            edit = _Edit(at, split.end - at, "bad-ply", split.text.encode(), NOTHING)
            return _fits(self._checked, edit, position) and self._change(edit, position, self._before)
        number = _NUMBER_OF_WORD.match(word)
        if number is not None:
            self._number_end = at + number.end()
            if _MOVE_NUMBER.fullmatch(number[0].decode()):
                self.at = self._number_end
                return True
            bad = _BAD_NUMBER.fullmatch(number[0])
            return bad is not None and self._change(
                _Edit(at, number.end(), "bad-number", bad[1] + b"."), position, self._before
            )
        text = word.decode("utf-8", "replace")
        if len(word) > _FEW or word[:1] == b"%" or is_result(text) or not text.strip(".…"):
            return False
        try:
            self._position = position.apply(text)
        except PlySyntaxError:
            code = "bad-ply"
        except IllegalPlyError:
            code = "illegal-ply"
        else:
            self._before = position
            self.at += len(word)
            return True
        if position.outcome is not None or word[:1] == b"*":  # The asterisk is read as a result.
            return False
        place = Place(at, len(word))
        readings = _words_instead(self._checked, replace(self._found, code=code, position=position), place, text)
        edits = [edit for edit in islice(readings, 2) if edit.at == at and edit.check in (ERRORS, ALL)]
        if not edits:
            return False
        opens = first_player_moves(position) and (self._before is None or not first_player_moves(self._before))
        edit = edits[-1] if edits[0].check == ALL and not opens else edits[0]
        end = end_before(data, at)
        if end == self._number_end and same_ply(position, text) != edit.after.decode():
            self.numbered.add(at)
        after = _after(position, self._before, edit.after.decode())
        return after is not None and self._change(edit, *after)

    def _change(self, edit: _Edit, position: Position, before: Position | None) -> bool:
        if edit in self._tried:
            return False
        self.edits.append(edit)
        self._position, self._before = position, before
        self.at = edit.at + edit.length
        if edit.after.endswith(b"."):
            self._number_end = self.at
        return True


def _end_of_variation(data: bytes, at: int) -> int | None:
    """Return the place after the parenthesis that closes the variation at a place; None if there is none."""
    depth = 1
    while depth and (token := _WALKED.match(data, at)) is not None:
        depth += {b"(": 1, b")": -1}.get(token[0], 0)
        at = token.end()
    return None if depth else at


def _after(position: Position, before: Position | None, text: str) -> tuple[Position, Position | None] | None:
    """Return the positions after and before the last ply of a text, which can have numbers and NAGs; None if a ply is
    not legal."""
    for word in text.split():
        if not _NAG.fullmatch(word) and not _MOVE_NUMBER.fullmatch(word) and word[0] != "{":
            if not position.is_legal(word):
                return None
            position, before = position.apply(word), position
    return position, before


def _good_edits(batch: _Batch, before: LocatedCheck, after: LocatedCheck, most: int) -> int:
    """Return how many of the first changes are read as they should be, and make nothing before them worse."""
    edits = batch.edits
    changes = _changes(edits)
    errors = {(one.code, place.at) for one, place in before.found if one.is_error}
    places = [edit.at for edit in edits]
    begins = [begin for begin, _ in batch.parts]
    good = len(edits)
    if sum(one.is_error for one, _ in after.found) >= most:
        seen = max(place.at for one, place in after.found if one.is_error)
        good = bisect_right(places, place_before(changes, seen))
    for one, place in after.found:
        at = place_before(changes, place.at)
        index = bisect_right(places, at) - 1
        if one.code in _OF_ANOTHER_PLACE or index >= good:
            continue
        if one.code == "wrong-number" and index + 1 < good and places[index + 1] in batch.numbered:
            good = index + 1
        if index < 0:
            if one.is_error and (one.code, place.at) not in errors:
                return 0
            continue
        if not changes[index].added and place.at == changes[index].after:
            continue  # It concerns the text after the change, which is read as before.
        if place.at < changes[index].after + max(changes[index].added, 1):
            strict = edits[index].check >= ALL or edits[index].code in _OF_NUMBERS
            if one.is_error or (strict and one.code in _OF_NUMBERS):
                good = index
        elif one.is_error and (part := bisect_right(begins, at)) and at < batch.parts[part - 1][1]:
            good = index + 1
    return good


def _still_tried(tried: set[_Edit], at: int) -> set[_Edit]:
    """Return the changes that were tried without success, and that a change at this place makes no better."""
    return {one for one in tried if one.at + one.length + _AHEAD < at}


def _first(checked: LocatedCheck) -> int:
    """Return where the first diagnostic of the movetext is."""
    places = (place.at for _, place in checked.found if place.at >= checked.tags.movetext)
    return min(places, default=len(checked.data))


def _edits(checked: LocatedCheck) -> Iterator[_Edit]:
    """Yield the next repairs, the one to make first."""
    if not checked.found:
        return
    if _QUOTE_MARKS.fullmatch(checked.data):
        yield _Edit(0, len(checked.data), checked.found[0][0].code, b"", NOTHING)
        return
    if checked.raw.column > 1 and not checked.data.startswith(b"\n"):
        yield _Edit(0, 0, "missing-line-end", b"\n\n", NOTHING)
    yield from _text_before_tags(checked)
    yield from _tag_lines(checked)
    yield from _repeated_tags(checked)
    yield from _tag_names(checked)
    yield from _split_numbers(checked)
    yield from _dotted_rows(checked)
    yield from _brackets_of_numbers(checked)
    yield from _semicolons(checked, are_attached=True)
    for found, place in sorted(checked.found, key=lambda one: one[1].at):
        word = checked.data[place.at : place.at + place.length] if place.length <= _LONGEST else b""
        text = word.decode("utf-8", "replace")
        for after in _instead(checked, found, place, text):
            if after != text:
                yield _Edit(place.at, place.length, found.code, after.encode())
        if found.code in ("bad-ply", "illegal-ply", "bad-number", "misplaced-result", "text-after-result"):
            yield from _words_instead(checked, found, place, text)
        if found.code == "unclosed-comment":
            yield from _closing_braces(checked, place.at)
    yield from _enclosed(checked)
    yield from _result_tag(checked)
    yield from _semicolons(checked, are_attached=False)
    # The plies come first: the plies after a number show whether it is only a slip.
    yield from _stray_numbers(checked)
    for place, _, position in checked.numbers:
        ply = checked.data[place.at : place.at + place.length].rstrip(b".")
        if len(ply) >= _SHORTEST_SETUP and position.is_legal(ply.decode()):
            yield _Edit(place.at, place.length, "bad-ply", ply)
    yield from _number_edits(checked)
    report = checked.report
    if report.start is not None and report.game is not None and b"Game" not in checked.tags.values:
        yield _Edit(
            checked.tags.head(checked.data).at, 0, "missing-game", f'[Game "{report.game.id}"]\n'.encode(), NOTHING
        )


def _text_before_tags(checked: LocatedCheck) -> Iterator[_Edit]:
    """A text before the first tag, as a comment."""
    data = checked.data
    first = None if checked.tags.values else _TAG_LINE.search(data)
    prose = first and _prose_before_tags(data, first.start())
    if prose:
        text = data[prose.at : prose.at + prose.length].decode("utf-8", "replace")
        yield _Edit(prose.at, prose.length, "missing-game", as_comment(text).encode(), NOTHING)


def _enclosed(checked: LocatedCheck) -> Iterator[_Edit]:
    """Move numbers in parentheses, if each is right and a legal ply follows it; and other texts in parentheses, which
    are comments."""
    data, start = checked.data, checked.report.start
    wrong = {place.at for found, place in checked.found if found.code in _OF_VARIATIONS}
    if start is None or not wrong:
        return
    for match in _ENCLOSED.finditer(data, checked.tags.movetext):
        if wrong.isdisjoint((match.start(), match.start(1))):
            continue
        number = _ENCLOSED_NUMBER.match(data, match.start())
        text = match[1].decode("utf-8", "replace")
        if number:
            after = number[1] + (number[2] or b".") + b" " + number[3]
            yield _Edit(number.start(), len(number[0]), "empty-variation", after, ALL)
        elif _CLOCK.fullmatch(text) or is_prose(text, [start]):
            yield _Edit(match.start(), len(match[0]), "empty-variation", b"{" + match[1] + b"}", ALL)


def _brackets_of_numbers(checked: LocatedCheck) -> Iterator[_Edit]:
    """Parentheses after the dots of move numbers, as in ``2.)``."""
    for found, place in checked.found:
        before = checked.data[max(0, place.at - _FEW) : place.at]
        if found.code == "stray-parenthesis" and _NUMBER_AT_END.search(before):
            yield _Edit(place.at, place.length, found.code, b"", NOTHING)


def _dotted_rows(checked: LocatedCheck) -> Iterator[_Edit]:
    """Setups with a dot after each digit, which are read as move numbers."""
    for place, _, position in checked.numbers:
        before = checked.data[max(checked.tags.movetext, place.at - _FEW) : place.at]
        row = _DOTTED_ROW.match(checked.data, place.at - len(before) + len(before.rstrip(_DIGITS_OF_ROW)))
        ply = meant_ply(position, row[0].decode()) if row else None
        if row and ply is not None:
            yield _Edit(row.start(), len(row[0]), "bad-ply", ply.encode())


def _closing_braces(checked: LocatedCheck, at: int) -> Iterator[_Edit]:
    """A brace after the text of a comment that is not closed, if plies or only the result follow the text."""
    data, start = checked.data, checked.report.start
    if start is None or len(data) - at > LONGEST_PROSE:
        return
    text = data[at + 1 :].decode("utf-8", "replace").rstrip()
    tag = checked.report.tags.get("Result")
    end, check = len(text), ERRORS
    for word in re.finditer(r"\S+", text):
        meant = plain(word[0])
        is_last = word.end() == len(text) and is_result_for(meant, start)
        if is_last and (meant == tag or "\n" in text[len(text[: word.start()].rstrip()) : word.start()]):
            end = word.start()
        elif any(map(str.isdigit, meant)) and (_MOVE_NUMBER_AHEAD.match(meant) or can_be_read(start, meant)):
            end, check = word.start(), WHOLE
            if not _MOVE_NUMBER_AHEAD.match(meant) and "\n" not in text[len(text[:end].rstrip()) : end]:
                return  # The comment can mention this ply.
            break
    if is_prose(text[:end], [start]):
        yield _Edit(at + 1 + len(text[:end].rstrip().encode()), 0, "unclosed-comment", b"}", check)


def _number_edits(checked: LocatedCheck) -> Iterator[_Edit]:
    """The changes of wrong move numbers, and of the numbers after them that count on from a wrong one."""
    if checked.numbers and (edits := _numbers_of_plies(checked)):
        yield from edits
        return
    wrong = {place.at: (place, expected, position) for place, expected, position in checked.numbers}
    behind, last = 0, 0  # how far numbers are behind the count, and the last of the right numbers
    around: list[tuple[int, int]] = []
    for token in _WALKED.finditer(checked.data, checked.tags.movetext) if wrong else ():
        _, bracket, word = token.groups()
        number = _NUMBER_OF_WORD.match(word or b"")
        if bracket == b"(":
            around.append((behind, last))
            last = max(0, last - 1)
        elif bracket is not None and around:
            behind, last = around.pop()
        if number is None or not _MOVE_NUMBER.fullmatch(number[0].decode()):
            continue
        found = MoveNumber.of(number[0].decode())
        expected = found
        if token.start() in wrong:
            place, expected, position = wrong[token.start()]
            if not is_number_slip_at(checked, place, expected, position):
                behind, last = 0, found.round
                continue
        if found.round != expected.round:
            behind = expected.round - found.round
        else:  # It is counted from the last wrong number, or right.
            round = min((one for one in (found.round, found.round + behind) if one >= last), default=found.round)
            expected = expected._replace(round=round)
        last = expected.round
        if expected != found:
            yield _Edit(token.start(), len(number[0]), "wrong-number", expected.text().encode(), NOTHING)


def _numbers_of_plies(checked: LocatedCheck) -> list[_Edit]:
    """Return the changes of move numbers that count the plies of a game, if each ply has its number and is legal."""
    position, before = checked.report.start, None
    if position is None or any(found.is_error for found, _ in checked.found):
        return []
    edits: list[_Edit] = []
    round = plies = 0
    for token in _WALKED.finditer(checked.data, checked.tags.movetext):
        _, bracket, word = token.groups()
        if bracket is not None:
            return []
        if word is None or is_result(word.decode("utf-8", "replace")):
            continue
        number = _NUMBER_OF_WORD.match(word)
        if number is not None:
            opens = first_player_moves(position) if before is None else begins_round(position, before)
            round += opens or before is None
            right = MoveNumber(round, opens).text().encode()
            if len(edits) != plies or number[0].rstrip(b".") != str(plies + 1).encode():
                return []
            edits.append(_Edit(token.start(), len(number[0]), "wrong-number", right, NOTHING))
            word = word[number.end() :]
        if word:
            plies += 1
            if plies != len(edits) or not position.is_legal(word.decode()):
                return []
            before, position = position, position.apply(word.decode())
    if plies != len(edits):
        return []
    return [edit for edit in edits if checked.data[edit.at : edit.at + edit.length] != edit.after]


def _stray_numbers(checked: LocatedCheck) -> Iterator[_Edit]:
    """Move numbers that are written twice, or that no missing ply explains, if no ply follows them."""
    data = checked.data
    wrong = {place.at: expected for place, expected, _ in checked.numbers}
    for found, place in checked.found:
        if found.code != "stray-number":
            continue
        end = place.at + place.length
        if words_from(data, end)[0]:
            continue  # It can be a part of the word.
        text = data[place.at : end].decode()
        if not _MOVE_NUMBER.fullmatch(text):
            continue  # It is an error too, which is repaired first.
        number = MoveNumber.of(text)
        following = next(rest_of_line(data, end), None)
        if following is None and (place.at not in wrong or wrong[place.at].opens):
            continue  # The last ply may be missing.
        if following == number or (place.at in wrong and not number.is_after(wrong[place.at])):
            begin = place.at
            if data[end : end + 1] == b" ":
                end += 1
            elif data[begin - 1 : begin] == b" ":
                begin -= 1
            yield _Edit(begin, end - begin, found.code, b"", NOTHING)


def _tag_lines(checked: LocatedCheck) -> Iterator[_Edit]:
    """Tags with the quotation marks of a word processor, with quotes in their value, or without their bracket."""
    data, at = checked.data, checked.tags.movetext
    at += len(data[at : at + _FEW]) - len(data[at : at + _FEW].lstrip(b" \t\r\n"))
    prefix = data[at : at + _FEW].decode("utf-8", "ignore").partition("[")[0].encode()
    if prefix and data[at + len(prefix) :].startswith(b"[") and not _without_tail(prefix)[0]:
        yield _Edit(at, len(prefix), "bad-tag", b"\n" if data[at - 1 : at] == b"]" else b"", NOTHING)
    line = _WITHOUT_BRACKET.match(data, at)
    if line and _with_bracket(line) != line[0] and line[1] not in checked.tags.values:
        yield _Edit(at, 0, "bad-tag", b"[", NOTHING)
    for found, place in checked.found:
        if found.code == "bad-tag":
            text = checked.data[place.at : place.at + place.length].decode("utf-8", "replace").rstrip()
            shown = "".join(c for c in text if not is_invisible(c))
            inner = _INNER_QUOTES.fullmatch(text)
            if inner:
                value = inner[2].replace('"', '\\"')
                yield _Edit(place.at, len(text.encode()), found.code, f'[{inner[1]} "{value}"]'.encode(), NOTHING)
            tag = _TYPED_QUOTES.fullmatch(shown) or _NO_QUOTES.fullmatch(shown)
            if tag and tag.re is _NO_QUOTES and tag[1].lower() not in _KNOWN_TAGS:
                continue
            if tag and '"' not in tag[2] and "\\" not in tag[2] and "&quot;" not in tag[2]:
                yield _Edit(place.at, len(text.encode()), found.code, f'[{tag[1]} "{tag[2]}"]'.encode(), NOTHING)


def _repeated_tags(checked: LocatedCheck) -> Iterator[_Edit]:
    """Tags that are given before with the same value."""
    for found, place in checked.found:
        line = _WHOLE_TAG.match(checked.data, place.at) if found.code == "duplicate-tag" else None
        if line and checked.tags.values.get(line[1]) == line[2]:
            yield _Edit(place.at, len(line[0]), found.code, b"", NOTHING)


def _tag_names(checked: LocatedCheck) -> Iterator[_Edit]:
    """Tags whose name is one of the usual ones in another case."""
    values = checked.tags.values
    for match in _TAG_LINE.finditer(checked.data, 0, checked.tags.movetext):
        name = match[1].decode("ascii", "replace")
        right = _KNOWN_TAGS.get(name.lower(), name)
        if right != name and right.encode() not in values and match[1] in values:
            code = "missing-game" if right == "Game" else "missing-tag"
            yield _Edit(match.start(1), len(match[1]), code, right.encode(), NOTHING)


#: The changes that can be made together, by the codes of their diagnostics.
_KINDS: Final[dict[str, Callable[[LocatedCheck], Iterator[_Edit]]]] = {
    "bad-tag": _tag_lines,
    "duplicate-tag": _repeated_tags,
    "empty-variation": _enclosed,
    "stray-parenthesis": _brackets_of_numbers,
    "missing-tag": _tag_names,
    "stray-number": _stray_numbers,
    "wrong-number": _number_edits,
}


def _split_numbers(checked: LocatedCheck) -> Iterator[_Edit]:
    """Move numbers that a space divides, as in ``2. ... c6-c5``; a separate number and dots mark a lost ply."""
    positions = {place.at: found.position for found, place in checked.found}
    for found, place in checked.found:
        edit = _split_number(checked, found, place)
        position = edit and (found.position or positions.get(edit.at))  # The number can be an error too.
        if edit and position and _fits(checked, edit, position):
            yield edit


def _split_number(checked: LocatedCheck, found: Diagnostic, place: Place) -> _Edit | None:
    """A number and the dots that a space divides from it, if a ply follows."""
    if found.code != "bad-ply" or place.length > 3:
        return None
    end = place.at + place.length
    dots = DOTS.get(checked.data[place.at : end].decode("utf-8", "replace"))
    begin = max(checked.tags.movetext, place.at - _FEW)
    number = _NUMBER_BEFORE.search(checked.data[begin : place.at])
    if dots is None or number is None or number[0].rstrip().endswith(b".."):
        return None
    if next_ply(checked.data, end) is None:
        return None
    at = begin + number.start()
    return _Edit(at, end - at, found.code, number[1] + dots, NOTHING)


def _fits(checked: LocatedCheck, edit: _Edit, position: Position) -> bool:
    """Whether the dots after a number do not stand for a lost ply: South (player 1) does not play next if there are
    three, and the ply after them can be played."""
    removed = checked.data[edit.at : edit.at + edit.length]
    if first_player_moves(position) and removed.endswith((b"...", "…".encode())):
        return False
    return _is_playable(position, next_ply(checked.data, edit.at + edit.length))


def _is_playable(position: Position, ply: str | None) -> bool:
    """Return whether a word can be read as a legal ply."""
    if ply is None or meant_ply(position, ply) is not None:
        return ply is not None
    sure = correction(position, [ply])
    return sure is not None and sure.text != ""


def _may_be_ply(position: Position, data: bytes, at: int) -> bool:
    """Return whether the words after a place, or after the next line between cells, can be a ply, legal or not."""
    cell = _CELL.match(data, at)
    at = cell.end() if cell else at
    word = next_ply(data, at)
    if word is None or can_be_read(position, plain(word)) or _is_playable(position, word):
        return word is not None
    blanks = BLANKS.match(data, at)
    words = words_from(data, blanks.end())[0] if blanks else []
    sure = correction(position, words) if words else None
    return sure is not None and sure.text != ""


def _instead(checked: LocatedCheck, found: Diagnostic, place: Place, text: str) -> Iterator[str]:
    """The texts that can be right at the place of a diagnostic; each is tried."""
    report, start = checked.report, checked.report.start
    if found.code == "bad-number":
        number = _BAD_NUMBER.fullmatch(text.encode())
        if number:
            yield f"{number[1].decode()}."
        if _DIGITS_AND_DOTS.fullmatch(text) and _is_legal_after(checked, place):
            yield "1."  # The wrong number that results is corrected then.
    elif found.code == "bad-date":
        date = sure_date(text)
        if date is not None:
            yield date
    elif found.code == "unknown-game":
        yield from (id for id in game_ids() if _letters(text) in (id, _letters(game_by_id(id).name)))
    elif found.code in ("bad-result", "result-mismatch") and start is not None:
        if checked.last is not None and place.at == checked.reader.summary.result_at and not text.isdigit():
            ply = meant_ply(checked.last, text)
            if ply is not None:
                yield ply
                return
        if report.complete and report.outcome is not None:
            yield result_of(start, report.outcome)
        elif found.code == "bad-result" and place.at < checked.tags.movetext and text.strip() in UNKNOWN:
            yield "*"
        elif found.code == "bad-result" and (result := sure_result(start, text, report.tags)):
            yield result


def _result_tag(checked: LocatedCheck) -> Iterator[_Edit]:
    """The tag ``Result`` if it says ``*`` and the movetext gives one result."""
    report, summary = checked.report, checked.reader.summary
    if checked.tags.values.get(b"Result") != b"*" or not summary.result_length:
        return
    codes = {found.code for found, _ in checked.found}
    if "result-mismatch" in codes and not codes & _WITH_OTHER_RESULTS and report.outcome is None:
        place = checked.tags.place(checked.data, "Result")
        token = checked.data[summary.result_at : summary.result_at + summary.result_length]
        yield _Edit(place.at, place.length, "result-mismatch", token)


def _is_legal_after(checked: LocatedCheck, place: Place) -> bool:
    """Return whether the ply after a number that is too high is legal, so that no ply is missing before it."""
    position = checked.at_numbers.get(place.at)
    ply = next_ply(checked.data, place.at + place.length)
    return position is not None and ply is not None and position.is_legal(ply)


def _letters(text: str) -> str:
    """Return the letters of a game's name, without accents, capitals and article."""
    plain = normalize("NFKD", plain_forms(text)).casefold()
    return "".join(re.findall(r"[a-z]", plain)).removeprefix("the")


def _words_instead(checked: LocatedCheck, found: Diagnostic, place: Place, text: str) -> Iterator[_Edit]:
    """Readings of a word that is no legal ply, and of the words after it."""
    data, position = checked.data, found.position
    if found.code == "text-after-result":
        yield from _starred_square(checked, place)
        yield from _prose(checked, place)
        yield from _after_result(checked, place)
        return
    if found.code == "misplaced-result" and place.at in checked.at_numbers:
        ply = meant_ply(checked.at_numbers[place.at], text)
        if ply is not None:
            yield _Edit(place.at, place.length, found.code, ply.encode())
            return
    if found.code in ("bad-ply", "bad-number", "misplaced-result"):
        result = _result_at_end(checked, place, position)
        if result is not None:
            yield result
    if position is None or not text:
        return
    enclosed = with_enclosed_square(position, text, data, place.at + place.length)
    if enclosed is not None:
        yield _Edit(place.at, enclosed.end - place.at, found.code, enclosed.text.encode())
        return
    if ("wrong-number", end_before(data, place.at)) in checked.ends:
        # A ply may be missing before the number: only what the word says by itself is sure.
        ply = same_ply(position, text)
        if ply is not None:
            yield _Edit(place.at, place.length, found.code, ply.encode())
        return
    if found.code == "bad-ply":
        end = place.at + place.length
        bracket = data[end : end + 1] == b")"
        stray = ("stray-parenthesis", end) in checked.begins
        for reading_of_number in possible_numbers(position, text):
            is_before_ply = " " in reading_of_number or _may_be_ply(position, data, end + stray)
            if is_before_ply and (not bracket or stray):
                yield _Edit(place.at, place.length + stray, found.code, reading_of_number.encode(), ALL)
    words, ends = words_from(data, place.at)
    if words:
        sure = correction(position, words)
        # An illegal ply is the beginning of a longer one only if a sign by itself follows it, as in d1-d2 x e3-c3.
        if sure is not None and (found.code == "bad-ply" or sure.words == 1 or not words[1].strip(_SIGNS_ALONE)):
            end = ends[sure.words - 1]
            if not sure.text and data[end : end + 1] == b" ":
                end += 1
            yield _Edit(place.at, end - place.at, found.code, sure.text.encode())


def _semicolons(checked: LocatedCheck, *, are_attached: bool) -> Iterator[_Edit]:
    """Semicolons that divide plies, so that the rest of the line is not read; attached: with no space on either side.

    Attached ones come before the plies, since a later ply may be legal without those of the line.
    """
    if checked.report.start is None:
        return  # It can be a table of another kind.
    last = max(place.at + place.length for _, place in checked.found)
    for match in _COMMENT.finditer(checked.data, checked.tags.movetext):
        if match[1] is not None and match.start() <= last:
            is_attached = _ATTACHED.match(checked.data, match.start() - 1) is not None
            if are_attached and not is_attached:
                continue
            if not _BRACKET.search(match[1]):
                plies = _DIVIDING_PLIES.sub(b" ", match[1])
                yield _Edit(match.start(1), len(match[1]), "bad-ply", plies, ALL if are_attached else PROGRESS)
            if is_attached and re.search(rb"\d", match[1]):
                return  # The plies of later lines may follow plies of this one.


def _starred_square(checked: LocatedCheck, place: Place) -> Iterator[_Edit]:
    """A square that a space divides from its ``*``, which is no result then."""
    at = checked.reader.summary.result_at
    between = checked.data[at + 1 : place.at]
    square = checked.data[place.at : place.at + place.length].decode("utf-8", "replace")
    if checked.last is not None and not between.strip() and checked.last.is_legal(f"*{square}"):
        yield _Edit(at, place.at + place.length - at, "text-after-result", f"*{square}".encode())


def _prose(checked: LocatedCheck, place: Place) -> Iterator[_Edit]:
    """A text from a place to the end of the record, as a comment, unless it says another result."""
    data, start, summary = checked.data, checked.report.start, checked.reader.summary
    if start is None or len(data) - place.at > LONGEST_PROSE:
        return
    rest = data[place.at :].rstrip()
    text = rest.decode("utf-8", "replace")
    result = data[summary.result_at : summary.result_at + summary.result_length].decode("ascii", "replace")
    results = {sure_result(start, one, checked.report.tags) for one in (text, *text.splitlines()[:_MOST_LINES])}
    is_sign = not any(c.isalnum() or c in "{}*" for c in text) and not {"(", ")"}.isdisjoint(text)
    if results <= {None, result} and (is_sign or is_prose(text, [start], result)):
        space = b"" if data[place.at - 1 : place.at].isspace() else b" "
        yield _Edit(place.at, len(rest), "text-after-result", space + as_comment(text).encode())


def _after_result(checked: LocatedCheck, place: Place) -> Iterator[_Edit]:
    """The result again, or signs after it: they are removed if they only divide, and kept as a comment otherwise."""
    data, start, summary = checked.data, checked.report.start, checked.reader.summary
    result = data[summary.result_at : summary.result_at + summary.result_length].decode("ascii", "replace")
    if start is None or not is_result_for(result, start):
        return  # Without a game, a setup like 3-2-1-1-2-3 would pass for a result.
    begins_ply = result == "*" and (checked.last is None or any(ply[0] == "*" for ply in checked.last.plies()))
    end, is_kept = place.at, None
    for word in _words_after_result(data, place.at):
        stray = _is_worth_keeping(word[0].decode("utf-8", "replace"), result, begins_ply=begins_ply)
        if stray is None or is_kept not in (None, stray):
            break
        end, is_kept = word.end(), stray
    if is_kept and not ends_here(data, end):
        return  # The result can be a part of the text after it.
    if is_kept:
        text = data[place.at : end].decode("utf-8", "replace")
        space = b"" if data[place.at - 1 : place.at].isspace() else b" "
        yield _Edit(place.at, end - place.at, "text-after-result", space + f"{{{text}}}".encode())
    elif is_kept is not None:
        begin = len(data[: place.at].rstrip(b" \t"))
        yield _Edit(begin, end - begin, "text-after-result", b"")


def _words_after_result(data: bytes, at: int) -> Iterator[re.Match[bytes]]:
    """Yield the short words from a place on that only white space divides."""
    while (word := _WORD_AFTER_RESULT.match(data, at)) is not None and len(word[0]) <= _FEW:
        yield word
        blanks = BLANKS.match(data, word.end())
        at = blanks.end() if blanks else len(data)


def _is_worth_keeping(text: str, result: str, *, begins_ply: bool) -> bool | None:
    """Return whether a word after the result is worth keeping; None if it can be part of a ply or of another result.

    :param begins_ply: whether the result is a sign with which a ply can begin, so that a letter can be the rest of one.
    """
    signs = "".join(c for c in text if not is_invisible(c) and not is_strange_space(c)).strip(_DIVIDING)
    if signs in ("", result):
        return False
    if ">" in signs:  # of a quotation
        return None
    if _NAG.fullmatch(signs) or not any(c.isalnum() or c == "*" for c in signs):
        return True
    return True if len(signs) == 1 and signs != "*" and not begins_ply else None


def _result_at_end(checked: LocatedCheck, place: Place, position: Position | None) -> _Edit | None:
    """A result in words or other signs, if only comments follow it."""
    data, start = checked.data, checked.report.start
    written = start and written_result(data, checked.tags.movetext, place.at, start, checked.report.tags)
    if not written:
        spoken = position and possible_results(data, checked.tags.movetext, place.at, position)
        if spoken and len(spoken.results) == 1:
            return _Edit(spoken.at, spoken.length, "bad-ply", spoken.results[0].encode())
        return None
    has_words = any(len(word) > 1 and word.isalpha() for word in written.text.split())
    if has_words and ("bad-ply", end_before(data, written.at)) in checked.ends:
        return None  # The word before it can change its meaning, as in "no draw".
    return _Edit(written.at, written.length, "bad-ply", written.result.encode())
