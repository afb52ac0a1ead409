"""Records without errors, checked and written by the C core, many at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, repeat
from struct import iter_unpack, unpack
from typing import TYPE_CHECKING, Final, NamedTuple

from ringfen._core import ffi, lib
from ringfen.memory import owned
from ringfen.notation.splitting import RawRecord, Splitting
from ringfen.position import Outcome, Position, outcome_of
from ringfen.rules import Game, game_by_id, game_ids
from ringfen.text import escape_unprintable

if TYPE_CHECKING:
    from ringfen._core import Array, rf_clean_record, rf_scanned_record, rf_scanner, rf_state, rf_warning
    from ringfen.notation.splitting import Readable

#: The most warnings, and the most errors, that are reported of one record; the rest is counted.
MAX_REPORTED: Final = 100

#: The form of ``rf_located``.
_LOCATED: Final = "2QP6I0Q"

#: The form of ``rf_record_facts``.
_FACTS: Final = f"=2IiI{lib.RF_FACTS_RESULT}s"

#: The form of ``rf_clean_record`` as far as each record needs it: its facts and its end.
_CLEAN: Final = "={}s{}xQ{}x".format(
    ffi.sizeof("rf_record_facts"),
    ffi.offsetof("rf_clean_record", "end") - ffi.sizeof("rf_record_facts"),
    ffi.sizeof("rf_clean_record") - ffi.offsetof("rf_clean_record", "end") - 8,
)

#: The maximum number of distinct results to keep.
_MOST_KINDS: Final = 1 << 14

#: Records that the C core passes over at a time.
_MOST: Final = 1024

#: Forms in which the C core writes records: canonical text, with plies in their short form, JSON lines.
TEXT: Final = int(lib.RF_FORM_TEXT)
SHORT: Final = int(lib.RF_FORM_SHORT)
JSON: Final = int(lib.RF_FORM_JSON)


@cache
def default_start(game: Game, players: int) -> Position:
    """Return the usual start, for as many players as tags name; 0: they name none."""
    return Position(game.start(players=str(players)) if players else game.default_start)


@cache
def _constant(address: int) -> str:
    """Return a text that the C core contains."""
    return ffi.string(ffi.cast("char *", address)).decode()


class LocatedWarning(NamedTuple):
    """A warning of a record that passed.

    ``record`` is the index of the record, ``line`` the number of the line before it, ``excerpt`` its line in the file,
    and ``column`` and ``length`` the text concerned there. ``code`` and ``ply`` are those of :class:`Diagnostic`;
    ``expected`` is the expected number, or empty.
    """

    record: int
    line: int
    excerpt: str
    column: int
    length: int
    ply: int
    code: str
    expected: str


@dataclass(slots=True, frozen=True, eq=False)
class CleanRecord:
    """The results for records that passed; records with the same results share one object.

    ``like`` is a position of their game on their board, ``reached`` shows which searches found a position in their main
    lines (``RF_REACHED_*``), and ``codes`` which warnings they have, in the order of their places.
    """

    like: Position
    plies: int
    outcome: Outcome
    result: str
    reached: int
    codes: Sequence[str]

    @property
    def game(self) -> Game:
        """The game."""
        return self.like.game


#: The facts of a record as the C core has them, and the codes of its warnings.
_Kind = tuple[bytes, Sequence[str]]


class _Kinds(dict[_Kind, CleanRecord]):
    """The results for records by their facts and codes; ``starts``: the usual starts."""

    def __init__(self, starts: Sequence[Position]) -> None:
        self._starts = starts

    def __missing__(self, kind: _Kind) -> CleanRecord:
        facts, codes = kind
        start, plies, outcome, reached, result = unpack(_FACTS, facts)
        like = self._starts[start]
        text = result.rstrip(b"\0").decode()
        made = self[kind] = CleanRecord(like, plies, outcome_of(like.game, outcome), text, reached, codes)
        return made


class CleanRecords(NamedTuple):
    """Consecutive records without errors, and ``warnings`` with their places, whose lines count from ``line``.

    ``passed`` is their number, ``plies`` the total number of plies of their main lines, and ``records`` their results.
    ``text`` is their text, as it is or in the requested form, in UTF-8; ``ends`` says where each record ends in it, and
    ``last`` has their last positions, if these are requested.
    """

    passed: int
    plies: int
    records: list[CleanRecord]
    text: bytes = b""
    warnings: Sequence[LocatedWarning] = ()
    line: int = 0
    ends: Sequence[int] = ()
    last: Sequence[Position] = ()

    def texts(self) -> list[bytes]:
        """Return the text of each record."""
        return [self.text[begin:end] for begin, end in pairwise((0, *self.ends))]


class Scanned(NamedTuple):
    """The results for a record whose movetext has no errors, but which may have warnings.

    ``usual`` says that its tags and its result give no diagnostic; the warnings of its movetext are ``warned`` of
    ``warnings`` from ``first_warning`` on. A ``result_length`` of 0 means that the movetext has no result.
    """

    start: Position
    plies: int
    outcome: Outcome
    reached: int
    movetext: int
    result_at: int
    result_length: int
    usual: bool
    warnings: Array[rf_warning]
    first_warning: int
    warned: int
    last: Position | None


#: Bytes in which :meth:`BulkCheck.expect` looks for games.
_LOOKED_AT: Final = 1 << 13


class BulkCheck:
    """The usual starts of records so far: only records with one of them, or with a FEN of its game, are passed over.

    :param scanner: what reads the movetext.
    """

    def __init__(self, scanner: rf_scanner) -> None:
        self.scanner = scanner
        self.starts: list[Position] = []
        self._known: set[tuple[Game, int]] = set()
        self.table = ffi.new("rf_usual_start[]", 0)

    def expect(self, text: bytes | bytearray) -> None:
        """Add the usual starts of the games that the beginning of a text names in quotes."""
        begin = text[:_LOOKED_AT]
        for game_id in game_ids():
            if f'"{game_id}'.encode() in begin:
                least, most = game_by_id(game_id).players
                for players in range(least, most + 1) if most > 2 else (0,):
                    self.add(default_start(game_by_id(game_id), players), players)

    def add(self, start: Position, players: int) -> None:
        """Add a usual start; ``players`` is the number of players' tags that lead to it, 0 in games of two."""
        if (start.game, players) in self._known:
            return
        self._known.add((start.game, players))
        self.starts.append(start)
        before, self.table = self.table, ffi.new("rf_usual_start[]", len(self.starts))
        for index in range(len(before)):
            self.table[index] = before[index]
        new = self.table[len(before)]
        new.game, new.ctx, new.state, new.players = start.game.cdata, start.context.cdata, start.state, players


class CheckedSplitting(Splitting):
    """Cuts a stream into records, and passes over those without diagnostics.

    :param each: also yield one entry per record that is passed over, with the codes of its warnings. Where these are
        is then not reported.
    :param keep: keep the text of these records.
    :param last: keep their last positions.
    :param locate: also pass over records whose only diagnostics are warnings that the C core can locate.
    :param form: write these records in this form: :data:`TEXT`, :data:`SHORT` or :data:`JSON`. Records with warnings
        that do not affect their written form are also passed over.
    """

    def __init__(
        self,
        stream: Readable,
        max_record: int,
        check: BulkCheck,
        *,
        each: bool,
        keep: bool = False,
        last: bool = False,
        locate: bool = False,
        form: int | None = None,
    ) -> None:
        super().__init__(stream, max_record)
        self._form = form
        self._writer = ffi.NULL if form is None else owned(lib.rf_writer_new(form), lib.rf_writer_free)
        self._check = check
        self._each = each
        self._keep = keep
        self._last_positions = last
        self._part = ffi.new("rf_clean_part *")
        self._part.max_bytes = max_record
        self._part.locate = locate
        self._found = ffi.new("rf_clean_record[]", _MOST)
        self._kinds = _Kinds(check.starts)
        #: The last start of a FEN tag: the index of the usual start, its state, and the position.
        self._last_start: tuple[int, bytes, Position] | None = None

    def checked(self) -> Iterator[RawRecord | CleanRecords]:
        """Yield the records in their order, as far as they have to be read, and between them what was passed over."""
        return self._chunk_by_chunk(self._passing, self._passing_last)

    def checked_block(self, block: bytearray) -> Iterator[RawRecord | CleanRecords]:
        """The same for whole records that are not from the stream. The block belongs to this object from now on."""
        self._begin(0)
        self._check.expect(block)
        self._buffer = block
        yield from self._passing_buffer()
        self._tidy()
        if self._splitter.content:
            yield from self._passing_last()

    @property
    def lines(self) -> int:
        """The number of lines that were read."""
        return self._splitter.line

    def checked_rest(self, begin: bytes, line: int) -> Iterator[RawRecord | CleanRecords]:
        """Do the same for text before the rest of the stream; ``line``: the line that it begins in, from 0."""
        self._begin(line)
        yield from self._from_chunk(begin, self._passing, self._passing_last)

    def _begin(self, line: int) -> None:
        """Begin another text."""
        self._splitter = ffi.new("rf_splitter *")
        self._splitter.line = self._line = line
        self._buffer = bytearray()
        self._base = self._start = self._column = 0
        self._head = None
        self._part.final = False

    def _passing(self, chunk: bytes) -> Iterator[RawRecord | CleanRecords]:
        if self._base == 0 and not self._buffer:
            self._check.expect(chunk)
        if self._head is not None:
            yield from self._complete(chunk)
            return
        self._buffer += chunk
        yield from self._passing_buffer()

    def _passing_buffer(self) -> Iterator[RawRecord | CleanRecords]:
        part, splitter, how = self._part, self._splitter, lib.RF_CLEAN_FULL
        self._begin_part()
        while how != lib.RF_CLEAN_END:
            how = self._pass_over()
            yield from self._passed()
            if part.begin != self._start:
                self._next(part.begin, part.line, part.mid_line)
            if how == lib.RF_CLEAN_RECORD:
                yield self._record(part.end)
                self._next(part.end, splitter.boundary_line, splitter.mid_line)
                part.begin, part.line, part.mid_line = self._start, self._line, splitter.mid_line

    def _passing_last(self) -> Iterator[RawRecord | CleanRecords]:
        if self._head is not None:
            yield from self._last()
            return
        self._begin_part()
        self._part.final = True
        how = self._pass_over()
        yield from self._passed()
        if how == lib.RF_CLEAN_RECORD:
            yield self._record(len(self._buffer))

    def _passed(self) -> Iterator[RawRecord | CleanRecords]:
        """Yield the scanned records of the last call, and between them those that passed as clean."""
        part, begin, first, plies = self._part, self._start, 0, 0
        located = deque[LocatedWarning]() if self._each else self._located()
        codes = self._codes() if self._each else {}
        warnings = ffi.NULL
        if part.scanned:
            warnings = ffi.new("rf_warning[]", part.warned)
            ffi.memmove(warnings, part.warnings, ffi.sizeof(warnings))
        for index in range(part.scanned):
            one = part.scanned_records[index]
            if one.record > first:
                yield self._clean(first, one.record, begin, one.plies_before - plies, located, codes)
                begin = self._found[one.record - 1].end
            self._next(begin, one.line, one.mid_line)
            begin = self._found[one.record].end
            yield self._record(begin)._replace(scanned=self._scanned(one, warnings))
            first, plies = one.record + 1, one.plies_before
        if part.passed > first:
            yield self._clean(first, part.passed, begin, part.plies - plies, located, codes)

    def _located(self) -> deque[LocatedWarning]:
        """Return the warnings of the records that passed as clean in the last call."""
        part, buffer, found = self._part, self._buffer, deque[LocatedWarning]()
        for line, at, code, size, column, length, ply, record, index in self._located_rows():
            expected = ffi.string(part.warnings[index].found.expected).decode()
            excerpt = buffer[at : at + size].decode().rstrip()
            found.append(LocatedWarning(record, line, excerpt, column, length, ply, _constant(code), expected))
        return found

    def _codes(self) -> dict[int, Sequence[str]]:
        """Return the codes of the same warnings by the indices of the records, each once per record."""
        found: dict[int, dict[str, None]] = {}
        for _, _, code, _, _, _, _, record, _ in self._located_rows():
            found.setdefault(record, {})[_constant(code)] = None
        return {record: tuple(codes) for record, codes in found.items()}

    def _located_rows(self) -> Iterator[tuple[int, ...]]:
        """Yield the ``rf_located`` of the last call."""
        size = self._part.located * ffi.sizeof("rf_located")
        return iter_unpack(_LOCATED, ffi.buffer(self._part.located_warnings, size))

    def _scanned(self, one: rf_scanned_record, warnings: Array[rf_warning]) -> Scanned:
        """Return the results of the scan of a record."""
        found = self._found[one.record]
        start, facts = self._start_of(found), found.facts
        return Scanned(
            start,
            facts.plies,
            outcome_of(start.game, facts.outcome),
            facts.reached,
            one.movetext,
            found.result_at,
            found.result_length,
            one.usual,
            warnings,
            one.first_warning,
            one.warned,
            _position(start, found.last) if self._last_positions else None,
        )

    def _begin_part(self) -> None:
        part = self._part
        part.base, part.begin, part.line = self._base, self._start, self._line
        part.mid_line = self._column > 0

    def _pass_over(self) -> int:
        check, part = self._check, self._part
        with ffi.from_buffer(self._buffer) as text:
            part.text, part.length = text, len(self._buffer)
            return lib.rf_check_clean(
                part,
                self._splitter,
                check.scanner,
                check.table,
                len(check.starts),
                self._writer,
                self._found,
                _MOST,
            )

    def _clean(
        self,
        first: int,
        end: int,
        begin: int,
        plies: int,
        located: deque[LocatedWarning],
        codes: Mapping[int, Sequence[str]],
    ) -> CleanRecords:
        """Return these of the records that passed, which begin there, with the warnings that come first."""
        warnings = []
        while located and located[0].record < end:
            warnings.append(located.popleft())
        if first:
            warnings = [one._replace(record=one.record - first) for one in warnings]
        records, ends = self._each_clean(first, end, codes) if self._each else ([], ())
        text = bytes(memoryview(self._buffer)[begin : ends[-1]]) if self._keep else self._written()
        if self._keep:
            ends = [end - begin for end in ends]
        last = []
        if self._last_positions:
            last = [_position(self._usual(found), found.last) for found in self._found[first:end]]
        return CleanRecords(end - first, plies, records, text, warnings, ends=ends, last=last)

    def _each_clean(
        self, first: int, end: int, codes: Mapping[int, Sequence[str]]
    ) -> tuple[list[CleanRecord], Sequence[int]]:
        """Return the results for these records, and where they end in the buffer."""
        if len(self._kinds) > _MOST_KINDS:
            self._kinds.clear()
        size = ffi.sizeof("rf_clean_record")
        found = memoryview(ffi.buffer(self._found))[first * size : end * size]
        facts, ends = zip(*iter_unpack(_CLEAN, found), strict=True)
        kinds = zip(facts, map(codes.get, range(first, end), repeat(())), strict=True)
        return list(map(self._kinds.__getitem__, kinds)), ends

    def _usual(self, found: rf_clean_record) -> Position:
        """Return the usual start of a record: a position of its game on its board."""
        return self._check.starts[found.facts.start]

    def _start_of(self, found: rf_clean_record) -> Position:
        """Return the position that a record begins with: the usual one, or that of its FEN tag."""
        usual = self._usual(found)
        if not found.fen:
            return usual
        state = ffi.buffer(found.state.words)[:]
        if self._last_start is None or self._last_start[:2] != (found.facts.start, state):
            self._last_start = found.facts.start, state, _position(usual, found.state)
        return self._last_start[2]

    def _written(self) -> bytes:
        """Return the text that the C core has written of these records."""
        if self._form is None:
            return b""
        text = bytes(ffi.buffer(lib.rf_writer_text(self._writer), lib.rf_writer_length(self._writer)))
        if self._form != JSON or text.isascii():
            return text
        return "\n".join(map(escape_unprintable, text.decode().split("\n"))).encode()


def _position(like: Position, state: rf_state) -> Position:
    """Return the position with this state and the game and board of another."""
    return Position.from_state(like.game, like.context, ffi.new("rf_state *", state))
