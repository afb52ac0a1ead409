"""The contract of a game (``game.h``): every sentence with the check that holds a game to it.

The functions of a game's table are called as the core calls them, through cffi's ABI mode. So whole states and what
lies around every buffer can be seen, and a game can come from any library.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from cffi import FFI

SOURCES = Path(__file__).parents[2] / "core_c" / "src"
HEADER = (SOURCES / "game.h").read_text(encoding="utf-8")
GUARD = 0xA5
#: Positions that a brute-force question may visit.
BUDGET = 1500


def _public(name: str) -> str:
    text = (SOURCES / name).read_text(encoding="utf-8")
    return "".join(re.findall(r"/\* cffi: begin \*/(.*?)/\* cffi: end \*/", text, re.DOTALL))


def interface() -> str:
    """The declarations of the parts of a game, with their comments."""
    begin = HEADER.index("/* ---- optional: the search for forced wins")
    return HEADER[begin : HEADER.index("/* ---- members with their defaults")]


def sentences() -> list[str]:
    """The sentences of the contract: those of all comments in the interface that are no headings."""
    found = []
    for comment in re.findall(r"/\*(.*?)\*/", interface(), re.DOTALL):
        text = " ".join(line.strip().lstrip("*").strip() for line in comment.split("\n")).strip()
        if not text.startswith("----"):
            found += [plain(sentence) for sentence in re.split(r"(?<=\.)\s+", text)]
    return found


def plain(sentence: str) -> str:
    """A sentence without what its place in a comment asks for."""
    return sentence.removesuffix(".").casefold()


ffi: Any = FFI()
ffi.cdef(_public("ringfen.h") + _public("common/searches.h") + interface())
#: The constants are those of the header, read from it here.
_LIMITS = {name: int(number) for name, number in re.findall(r"\b(RF_\w+) = (-?\d+)\b", _public("ringfen.h"))}
STATE_SIZE = _LIMITS["RF_STATE_SIZE"]


class Guarded:
    """A buffer between bytes that must not change; it starts with the same bytes."""

    def __init__(self, kind: str, count: int, fill: int = GUARD) -> None:
        self._fill = fill
        self.size = ffi.sizeof(kind) * count
        self._bytes = ffi.new("uint64_t[]", (self.size + 7) // 8 + 32)
        ffi.memmove(self._bytes, bytes([fill]) * ffi.sizeof(self._bytes), ffi.sizeof(self._bytes))
        self.at = ffi.cast(f"{kind} *", ffi.cast("char *", self._bytes) + 128)

    def content(self) -> bytes:
        return bytes(ffi.buffer(ffi.cast("char *", self.at), self.size))

    def clear(self) -> Guarded:
        ffi.memmove(ffi.cast("char *", self.at), bytes(self.size), self.size)
        return self

    def intact(self, used: int) -> bool:
        """Whether only the first bytes have been written."""
        everything = bytes(ffi.buffer(self._bytes))
        return set(everything[:128] + everything[128 + used :]) <= {self._fill}


class CoreGame:
    """A game as the core sees it: ``rf_game`` and a context."""

    def __init__(self, address: int, context: int = 0, keep: Any = None) -> None:
        self.c = ffi.cast("rf_game *", address)
        self.ctx = ffi.cast("void *", context)
        self._keep = keep

    @classmethod
    def from_library(cls, path: Path, symbol: str) -> CoreGame:
        library: Any = FFI()
        library.cdef(f"extern char {symbol};")
        opened = library.dlopen(str(path))
        return cls(int(library.cast("uintptr_t", library.addressof(opened, symbol))), keep=opened)

    @property
    def size(self) -> int:
        return int(self.c.state_size)

    def parse(self, text: bytes, beyond: bytes = b"9/9 s 9") -> tuple[bytes | None, Any, Guarded]:
        out, error = Guarded("char", STATE_SIZE), ffi.new("rf_error *")
        out.clear()
        # No NUL follows, but bytes that would continue most texts.
        raw = ffi.from_buffer(text + beyond)
        good = self.c.parse(self.ctx, raw, len(text), ffi.cast("rf_state *", out.at), error)
        return (out.content() if good else None), error, out

    def at(self, state: bytes) -> Case:
        return Case(self, state)

    def start(self) -> Case:
        state = self.parse(ffi.string(self.c.start), b" ")[0]
        assert state is not None
        return self.at(state)


class Case:
    """One position of a game."""

    def __init__(self, game: CoreGame, state: bytes) -> None:
        self.game, self.c, self.ctx = game, game.c, game.ctx
        self.raw = state
        self.key = state[: game.size]
        # The searches compare and hash states whose unused bytes are anything.
        self._memory = ffi.new("rf_state *")
        ffi.memmove(self._memory, self.key + b"\x5a" * (STATE_SIZE - game.size), STATE_SIZE)
        self.s = self._memory

    def call(self, member: str, *args: Any) -> Any:
        return getattr(self.c, member)(self.ctx, self.s, *args)

    def part(self, part: str, member: str, *args: Any) -> Any:
        return getattr(getattr(self.c, part), member)(self.ctx, self.s, *args)

    @cached_property
    def plies(self) -> list[int]:
        out = Guarded("rf_ply", _LIMITS["RF_MAX_PLIES"])
        return [int(ply) for ply in ffi.unpack(out.at, self.call("generate", out.at))]

    @cached_property
    def text(self) -> bytes:
        out = ffi.new("char[]", 4096)
        fields = [ffi.string(self.c.id)]
        while length := self.call("format_field", len(fields) - 1, out):
            fields.append(bytes(ffi.buffer(out, length)))
        return b" ".join(fields)

    def ply_text(self, ply: int) -> bytes:
        out = ffi.new("char[]", 256)
        return bytes(ffi.buffer(out, self.call("format_ply", ply, out)))

    def after(self, ply: int) -> Case:
        out = ffi.new("rf_state *")
        self.call("apply", ply, out)
        return Case(self.game, bytes(ffi.buffer(out)))

    @property
    def outcome(self) -> int:
        return int(self.call("outcome"))

    @property
    def player(self) -> int:
        return int(self.call("player"))

    @property
    def players(self) -> int:
        return int(self.call("players")) if self.c.players else 2

    @property
    def hash(self) -> int | None:
        return int(self.call("hash")) if self.c.hash else None

    @property
    def at_chance(self) -> bool:
        return bool(self.c.chances and self.part("chances", "is_chance"))

    def parse_ply(self, text: bytes) -> tuple[int | None, Any, Any]:
        out, error = ffi.new("rf_parsed_ply *"), ffi.new("rf_error *")
        good = self.call("parse_ply", ffi.from_buffer(text + b"x9"), len(text), out, error)
        return (int(out.ply) if good else None), error, out

    def description(self) -> Any:
        out = ffi.new("rf_description *")
        out.players, out.player = self.players, self.player
        self.call("describe", out)
        return out


@dataclass(frozen=True)
class Line:
    """One game played: its positions, the ply that leads on from each but the last."""

    cases: list[Case]
    plies: list[int]

    def __iter__(self) -> Iterator[tuple[Case, int, Case]]:
        return zip(self.cases, self.plies, self.cases[1:], strict=False)


def play(start: Case, rng: random.Random, most: int) -> Line:
    cases: list[Case] = [start]
    plies: list[int] = []
    while len(plies) < most and cases[-1].plies:
        ply = rng.choice(cases[-1].plies)
        plies.append(ply)
        cases.append(cases[-1].after(ply))
    return Line(cases, plies)


# ---- the checks ----

Check = Callable[[Any], None]
POSITION_CHECKS: list[Check] = []
LINE_CHECKS: list[Check] = []
GAME_CHECKS: list[Check] = []
#: Sentences, each time that a check is beside one.
CHECKED: list[str] = []


def _registers(checks: list[Check]) -> Callable[..., Callable[[Check], Check]]:
    def of(*promises: str) -> Callable[[Check], Check]:
        CHECKED.extend(map(plain, promises))

        def register(check: Check) -> Check:
            checks.append(check)
            return check

        return register

    return of


#: A check of one position, of one game as it was played, of all positions of a game together.
position_check, line_check, game_check = map(_registers, (POSITION_CHECKS, LINE_CHECKS, GAME_CHECKS))


def check_core_error(error: Any, kinds: tuple[str, ...], length: int) -> None:
    """Check an error of the core: it has one of the kinds, a reason, and a place in the text."""
    numbers = {"RF_SYNTAX": 1, "RF_IMPOSSIBLE": 2, "RF_ILLEGAL": 3}
    assert error.kind in [numbers[kind] for kind in kinds]
    assert re.fullmatch(rb"[a-z0-9]+(-[a-z0-9]+)*", ffi.string(error.reason))
    assert error.at + error.length <= length
    assert all(b"\0" in bytes(ffi.buffer(arg)) for arg in error.args)


def spoiled(text: bytes, rng: random.Random) -> bytes:
    """A text with a byte or two changed, left out or put in."""
    raw = bytearray(text)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(raw) + 1)
        raw[at : at + rng.randint(0, 1)] = bytes(
            rng.choice([*b" ./-+:@(0123579aksncSK", rng.randrange(256)]) for _ in range(rng.randint(0, 1))
        )
    return bytes(raw)


def random_for(case: Case) -> random.Random:
    return random.Random(case.key)


@game_check(
    'First field of a position, "gyges".',
    "Text of the usual start position.",
)
def the_start_is_a_position(lines: list[Line]) -> None:
    game = lines[0].cases[0].game
    start = ffi.string(game.c.start)
    assert start.split()[0] == ffi.string(game.c.id)
    state = game.parse(start)[0]
    assert state is not None
    assert game.at(state).text == start


@game_check(
    "Bytes of rf_state in use, at most RF_STATE_SIZE; two states are equal iff these are.",
    "No position has more plies; at most RF_MAX_PLIES.",
    "Longest canonical position text, with its NUL; at most RF_MAX_TEXT.",
    "Longest ply text (short form), with its NUL; at most RF_MAX_PLY_TEXT.",
    "RF_SOLVER_*: which kind of value the game has.",
    "The maximum number of runs of equal positions to which the plies of one chance event lead, in their order; at"
    " most RF_MAX_CHANCE_RESULTS.",
)
def declared_maxima_hold(lines: list[Line]) -> None:
    c = lines[0].cases[0].c
    assert 0 < c.state_size <= _LIMITS["RF_STATE_SIZE"]
    assert 0 < c.max_plies <= _LIMITS["RF_MAX_PLIES"]
    assert 0 < c.max_text <= _LIMITS["RF_MAX_TEXT"]
    assert 0 < c.max_ply_text <= _LIMITS["RF_MAX_PLY_TEXT"]
    assert c.solver in (_LIMITS["RF_SOLVER_WIN"], _LIMITS["RF_SOLVER_MARGIN"], _LIMITS["RF_SOLVER_CHANCE"])
    assert bool(c.margins) == (c.solver == _LIMITS["RF_SOLVER_MARGIN"])
    assert not c.margins or c.max_plies <= _LIMITS["RF_MARGIN_PLIES"]
    for line in lines:
        for case in line.cases:
            assert len(case.plies) <= c.max_plies
            assert len(case.text) < c.max_text
            assert all(len(case.ply_text(ply)) < c.max_ply_text for ply in case.plies)
            if case.at_chance:
                runs = [key for key, _ in groupby(case.after(ply).key for ply in case.plies)]
                assert len(runs) <= c.chances.max_results <= _LIMITS["RF_MAX_CHANCE_RESULTS"]


@game_check(
    "Equal for equal positions; different for different ones, except for rare collisions.",
    "Default: a hash of the bytes of the state.",
)
def different_positions_have_different_hashes(lines: list[Line]) -> None:
    hashes: dict[bytes, int | None] = {}
    for line in lines:
        for case in line.cases:
            again = case.game.parse(case.text)[0]
            assert again is not None
            assert case.game.at(again).hash == case.hash == hashes.setdefault(case.key, case.hash)
    if lines[0].cases[0].c.hash:
        assert len(set(hashes.values())) == len(hashes)


@game_check(
    "Adds everything in the position text to *out, which is zeroed except for `players` and `player`"
    " (common/describe.h)."
)
def different_positions_have_different_descriptions(lines: list[Line]) -> None:
    seen: dict[bytes, bytes] = {}
    for line in lines:
        for case in line.cases:
            d = case.description()
            assert (d.players, d.player) == (case.players, case.player)
            assert d.piece_count <= _LIMITS["RF_MAX_PIECES"]
            assert d.counter_count <= _LIMITS["RF_MAX_COUNTERS"]
            assert d.option_count <= _LIMITS["RF_MAX_OPTIONS"]
            for piece in d.pieces[0 : d.piece_count]:
                assert piece.owner <= d.players
                assert piece.place != 0 or (piece.file < d.files and piece.rank < d.ranks)
                assert piece.place != 2 or piece.of < d.piece_count
            # Words are equal by their address within one copy of the core.
            size = ffi.sizeof("rf_description")
            assert seen.setdefault(bytes(ffi.buffer(d, size)), case.text) == case.text


@position_check('The phase is "over" if and only if the position is.', "RF_OUTCOME_* or the winner's player number.")
def outcome_agrees_with_plies(case: Case) -> None:
    assert -1 <= case.outcome <= case.players
    assert (ffi.string(case.description().phase) == b"over") == (case.outcome != 0)


@position_check(
    "Reads a position.",
    "`text` need not end in NUL and may hold any bytes.",
    "*out is zeroed before the call.",
    "If it returns false, `*error` has kind RF_SYNTAX or RF_IMPOSSIBLE, a reason and an offset.",
    "Bytes beyond state_size are unchanged.",
)
def parse_stays_within_its_text(case: Case) -> None:
    state, _, out = case.game.parse(case.text)
    assert state is not None
    assert state[: case.game.size] == case.key
    assert not any(state[case.game.size :])
    assert out.intact(STATE_SIZE)
    rng = random_for(case)
    for _ in range(8):
        text = spoiled(case.text, rng)
        state, error, out = case.game.parse(text)
        assert out.intact(STATE_SIZE)
        assert not any(out.content()[case.game.size :])
        if state is None:
            check_core_error(error, ("RF_SYNTAX", "RF_IMPOSSIBLE"), len(text))
        else:
            read = case.game.at(state)
            assert read.game.parse(read.text)[0] == state


@position_check(
    "Writes a field of the canonical text, and no NUL, into `out` (max_text bytes); returns its length.",
    "`field` is 0 for the first field after the id.",
    "If the text has fewer fields, it returns 0.",
    "Parse reads the id and the fields, with one space between them, as `s`.",
)
def parse_of_format_is_the_same(case: Case) -> None:
    fields = case.text.split(b" ")[1:]
    assert len(case.text) < case.c.max_text
    for number, field in enumerate([*fields, b"", b""]):
        out = Guarded("char", case.c.max_text)
        assert case.call("format_field", number, out.at) == len(field)
        assert out.content()[: len(field)] == field
        assert out.intact(len(field))
    state = case.game.parse(case.text)[0]
    assert state is not None
    assert state[: case.game.size] == case.key


@position_check(
    "Writes what is on a square of the board, as field 0 shows it, and no NUL, into `out` (max_text bytes).",
    "Returns the length.",
    "`rank` and `square` count from 0, in the order of the text.",
    "Outside the board it returns 0.",
    "Default: field 0 is not a board.",
)
def squares_make_the_board(case: Case) -> None:
    if not case.c.format_square:
        return
    ranks = case.text.split(b" ")[1].split(b"/")
    for number, rank in enumerate(ranks):
        squares: list[bytes] = []
        out = Guarded("char", case.c.max_text)
        while length := case.call("format_square", number, len(squares), out.at):
            squares.append(bytes(out.content()[:length]))
            assert out.intact(length)
            out = Guarded("char", case.c.max_text)
        assert case.call("format_square", number, len(squares) + 1, out.at) == 0
        written = b"".join(squares)
        if case.c.has_runs:
            written = re.sub(rb"\.+", lambda run: b"%d" % len(run[0]), written)
        assert written == rank
    assert case.call("format_square", len(ranks), 0, Guarded("char", case.c.max_text).at) == 0


@position_check(
    "Reads a ply in short or long form and checks that it is legal in `s`.",
    "If it returns true, `*out` is a ply that `generate` lists for `s`.",
    "If it returns false, `*error` has kind RF_SYNTAX or RF_ILLEGAL and a reason.",
    "*out is zeroed before the call.",
    "Writes the short form and a NUL into `out` (max_ply_text bytes); returns its length.",
    "Parse_ply reads it as `ply`.",
)
def plies_come_out_legal(case: Case) -> None:
    rng = random_for(case)
    texts = [spoiled(b"a1-b2", rng)]
    for ply in rng.sample(case.plies, min(12, len(case.plies))):
        out = Guarded("char", case.c.max_ply_text)
        length = case.call("format_ply", ply, out.at)
        assert length < case.c.max_ply_text
        assert out.intact(length + 1)
        assert out.content()[: length + 1].index(0) == length
        text = out.content()[:length]
        parsed, _, words = case.parse_ply(text)
        assert parsed == ply
        assert words.long_form == 0
        texts += [spoiled(text, rng), *(near.ply_text(p) for near in [case.after(ply)] for p in near.plies[:3])]
    for text in texts:
        parsed, error, _ = case.parse_ply(text)
        if parsed is None:
            check_core_error(error, ("RF_SYNTAX", "RF_ILLEGAL"), len(text))
        else:
            assert parsed in case.plies


@position_check(
    "Writes a long form of a legal ply that names the places which it passes on a short path, and a NUL, into `out` "
    "(RF_MAX_PLY_TEXT bytes); returns its length.",
    "Default: the short form.",
)
def long_forms_are_the_same_plies(case: Case) -> None:
    if not case.c.format_path:
        return
    for ply in random_for(case).sample(case.plies, min(12, len(case.plies))):
        out = Guarded("char", _LIMITS["RF_MAX_PLY_TEXT"])
        length = case.call("format_path", ply, out.at)
        assert length < _LIMITS["RF_MAX_PLY_TEXT"]
        assert out.intact(length + 1)
        assert out.content()[: length + 1].index(0) == length
        assert case.parse_ply(out.content()[:length])[0] == ply


@position_check(
    "Writes all legal plies, each once, in any fixed order, into `out` (max_plies entries); returns their number.",
    "A position that is over has none; any other has at least one (a pass if the rules require it).",
    "Games of kind RF_SOLVER_CHANCE generate their plies in the byte order of the short forms.",
)
def generate_lists_legal_plies(case: Case) -> None:
    out = Guarded("rf_ply", case.c.max_plies)
    count = case.call("generate", out.at)
    assert count <= case.c.max_plies
    assert out.intact(out.size)
    plies = list(ffi.unpack(out.at, count))
    assert plies == case.plies
    assert len(set(plies)) == count
    assert (count == 0) == (case.outcome != 0)
    texts = [case.ply_text(ply) for ply in plies]
    assert len(set(texts)) == count
    assert case.c.solver != _LIMITS["RF_SOLVER_CHANCE"] or texts == sorted(texts)


@position_check("The number of plies that `generate` writes.", "Default: calls `generate`.")
def count_is_the_length_of_generate(case: Case) -> None:
    assert not case.c.count or case.call("count") == len(case.plies)


@position_check("The position after a legal ply.", "`out` is not `s`.", "Bytes beyond state_size are unchanged.")
def apply_writes_only_the_state(case: Case) -> None:
    before = bytes(ffi.buffer(case.s))
    for ply in random_for(case).sample(case.plies, min(12, len(case.plies))):
        results = set()
        for fill in (GUARD, 0, 0x3C):
            out = Guarded("char", STATE_SIZE, fill)
            case.call("apply", ply, ffi.cast("rf_state *", out.at))
            assert out.intact(case.game.size)
            results.add(out.content()[: case.game.size])
        assert len(results) == 1
        assert bytes(ffi.buffer(case.s)) == before


@position_check("The player that acts next, or for whom chance acts; a player number even if the position is over.")
def a_player_acts(case: Case) -> None:
    assert 1 <= case.player <= case.players


@line_check("The number of players, 1 to RF_MAX_PLAYERS.", "Default: 2.")
def the_players_stay_the_same(line: Line) -> None:
    assert {case.players for case in line.cases} == {line.cases[0].players}
    assert 1 <= line.cases[0].players <= _LIMITS["RF_MAX_PLAYERS"]


@position_check(
    "The number of ply sequences of this depth; perft.inc defines this function.",
    "`lists` has room for `depth` lists.",
)
def perft_counts_lines(case: Case) -> None:
    below = [case.after(ply) for ply in case.plies] if len(case.plies) <= 150 else []
    depths = [1, len(case.plies)] if not below else [1, len(case.plies), sum(len(next.plies) for next in below)]
    for depth, expected in enumerate(depths):
        lists, control = Guarded("rf_ply", max(depth, 1) * case.c.max_plies), ffi.new("rf_control *")
        assert case.call("perft", depth, lists.at, ffi.NULL, control) == expected
        assert lists.intact(lists.size)


@line_check(
    "Whether the position text shows that the player's turn has begun (notation.md, move numbers).",
    "Default: never.",
)
def the_rest_of_a_turn_has_the_same_player(line: Line) -> None:
    for before, _, after in line:
        if after.c.mid_turn and after.outcome == 0 and after.call("mid_turn"):
            assert before.player == after.player


@position_check(
    "Writes the position after a null ply of a record (docs/notation.md): the next player is to act.",
    "Called only if the position is neither over nor a chance event.",
    "Returns false, with `*error`, if a decision is pending.",
    "Default: the game has no null ply.",
)
def a_null_ply_passes_the_turn(case: Case) -> None:
    if not case.c.null_ply or case.outcome != 0 or case.at_chance:
        return
    out, error = Guarded("char", STATE_SIZE), ffi.new("rf_error *")
    out.clear()
    if case.call("null_ply", ffi.cast("rf_state *", out.at), error):
        after = Case(case.game, out.content())
        assert after.player == case.player % case.players + 1
        assert bool(after.plies) == (after.outcome == 0)
    else:
        check_core_error(error, ("RF_ILLEGAL",), 0)
    assert out.intact(STATE_SIZE)


@position_check(
    "Words for the kinds, at most RF_MAX_PLY_KINDS, and a NULL after the last.",
    "The kinds of a legal ply: bit i stands for names[i].",
    "The kinds that capture, displace or remove a piece; any other ply is quiet.",
)
def kinds_have_names(case: Case) -> None:
    kinds = case.c.kinds
    if not kinds:
        return
    words: list[bytes] = []
    while kinds.names[len(words)] != ffi.NULL:
        words.append(ffi.string(kinds.names[len(words)]))
        assert len(words) <= _LIMITS["RF_MAX_PLY_KINDS"]
    assert len(set(words)) == len(words)
    assert kinds.noisy < 1 << len(words)
    for ply in case.plies:
        assert case.part("kinds", "of_ply", ply) < 1 << len(words)


@position_check(
    "An estimate of the number of positions that can be reached; 0 if unknown, UINT64_MAX if too many.", "Default: 0."
)
def reachable_is_a_sound_estimate(case: Case) -> None:
    said = int(case.call("reachable")) if case.c.reachable else 0
    if said == 0:
        return
    seen, left = {case.key}, [case]
    while left and len(seen) <= 300:
        case = left.pop()
        for after in map(case.after, case.plies):
            if after.key not in seen:
                seen.add(after.key)
                left.append(after)
    # It counts placements, of which a blocked or a finished board reaches few: so it is too high rather than too low.
    assert said >= min(len(seen), 300) // 2


# ---- forced wins ----


class TooLong(Exception):
    """A brute-force question would visit too many positions."""


def forces(case: Case, player: int, plies: int, left: list[int]) -> bool:
    """By the rules only: whether a player wins within a number of plies, whatever the other does."""
    left[0] -= 1
    if left[0] < 0:
        raise TooLong
    if case.outcome != 0 or plies == 0:
        return case.outcome == player
    below = (forces(case.after(ply), player, plies - 1, left) for ply in case.plies)
    return any(below) if case.player == player else all(below)


@position_check(
    "Whether the player to move wins with the next ply.",
    "Exact; the position is not over.",
)
def wins_now_is_exact(case: Case) -> None:
    if case.c.wins and case.c.wins.wins_now and case.outcome == 0:
        assert case.players == 2
        won = any(case.after(ply).outcome == case.player for ply in case.plies)
        assert bool(case.part("wins", "wins_now")) == won


@position_check(
    "The largest n <= `plies` for which winning within n plies differs from winning within n - 1; 0 if `player`"
    " cannot win within `plies`.",
    "Whether `player` forces a win within `plies`: 1 or 0, exact; -1 if the answer needs a longer search.",
    "The caller has checked that useful_plies returns `plies` and wins_now is false.",
    "Size in bytes of the memory in which `wins_soon` and `store_refutation` may keep hints.",
    "It is zeroed before its first use; each search, and so each thread, has its own.",
    "It never changes an answer.",
    "Stores the hint that `ply` prevents another player from winning within `plies`.",
)
def short_wins_are_exact(case: Case) -> None:
    part = case.c.wins
    if not part or case.outcome != 0 or (part.wins_now and case.part("wins", "wins_now")):
        return
    hints = Guarded("char", part.hints_size).clear()
    for player in (1, 2):
        for plies in (1, 2, 3):
            try:
                truth = forces(case, player, plies, [BUDGET])
                useful = case.part("wins", "useful_plies", player, plies) if part.useful_plies else plies
                assert useful <= plies
                assert truth == (useful > 0 and forces(case, player, useful, [BUDGET]))
            except TooLong:
                break
            if part.wins_soon and useful == plies:
                fresh = Guarded("char", part.hints_size).clear()
                answers = {case.part("wins", "wins_soon", player, plies, memory.at) for memory in (fresh, hints)} - {-1}
                assert answers <= {int(truth)}
            if part.store_refutation and player != case.player and not truth:
                for ply in case.plies[:40]:
                    if not forces(case.after(ply), player, plies - 1, [BUDGET]):
                        case.part("wins", "store_refutation", plies, ply, hints.at)
                        break
    assert hints.intact(hints.size)


@position_check(
    "Writes legal plies into `out` (max_plies entries).",
    "It may skip plies after which another player wins with the next ply, and plies that lead to the same position"
    " as an earlier one.",
    "Threats[i] is 1 if the ply brings a win nearer; this is a hint for the order of plies.",
    "Returns the number of plies.",
    "Called only if the mover cannot win at once.",
    "An upper bound of the number of plies that safe_plies writes, or any number from `enough` up if the bound is at"
    " least `enough`; a hint.",
    "Needs safe_plies.",
)
def plies_that_lose_are_not_safe(case: Case) -> None:
    part = case.c.wins
    assert not part or not part.count_safe or part.safe_plies
    if not part or not part.safe_plies or case.outcome != 0:
        return
    if any(case.after(ply).outcome == case.player for ply in case.plies):
        return
    out, threats = Guarded("rf_ply", case.c.max_plies), Guarded("uint8_t", case.c.max_plies)
    count = case.part("wins", "safe_plies", out.at, threats.at)
    assert out.intact(out.size)
    assert threats.intact(threats.size)
    safe = list(ffi.unpack(out.at, count))
    assert len(set(safe)) == count
    assert set(safe) <= set(case.plies)
    assert set(ffi.unpack(threats.at, count)) <= {0, 1} if count else True
    kept = {case.after(ply).key for ply in safe}
    for after in (case.after(ply) for ply in case.plies if ply not in safe):
        assert after.key in kept or any(after.after(p).outcome not in (0, -1, case.player) for p in after.plies)
    if part.count_safe:
        for enough in {0, 1, count, count + 1}:
            number = case.part("wins", "count_safe", enough)
            assert number >= min(count, enough)


def image(case: Case) -> tuple[Case, int]:
    """The image of a position under a symmetry, and the number of that."""
    out = Guarded("char", STATE_SIZE)
    symmetry = case.part("wins", "canonical", ffi.cast("rf_state *", out.at))
    return Case(case.game, out.content()), symmetry


@position_check(
    "Needs map_ply.",
    "Writes the canonical image of `s` under a symmetry of the game, which symmetric positions usually share, and"
    " returns the number of the symmetry; 0 if `s` is its own image.",
    "A symmetry may exchange the players.",
    "For a canonical image it returns 0.",
    "The image of a ply under a symmetry: it leads from the image of a position to the image of the next position.",
    "Every symmetry is its own inverse.",
)
def symmetries_change_nothing(case: Case) -> None:
    part = case.c.wins
    if not part or not part.canonical:
        return
    assert part.map_ply
    other, symmetry = image(case)
    assert symmetry != 0 or other.key == case.key
    again, number = image(other)
    assert (again.key, number) == (other.key, 0)
    exchanged = {1: 2, 2: 1} if other.player != case.player else {}
    assert other.outcome == exchanged.get(case.outcome, case.outcome)
    there = {ply: part.map_ply(case.ctx, ply, symmetry) for ply in case.plies}
    assert sorted(there.values()) == sorted(other.plies)
    for ply, same in list(there.items())[:60]:
        assert part.map_ply(case.ctx, same, symmetry) == ply
        assert image(other.after(same))[0].key == image(case.after(ply))[0].key


def images(case: Case) -> list[Case]:
    """The images of a position under all symmetries of its game."""
    found: list[Case] = []
    while case.c.image:
        out = Guarded("char", STATE_SIZE)
        if not case.call("image", len(found) + 1, ffi.cast("rf_state *", out.at)):
            break
        assert out.intact(case.game.size)
        found.append(Case(case.game, out.content()))
    return found


@position_check(
    "Writes the image of `s` under a symmetry of the game: the plies of the image lead to the images of the next"
    " positions.",
    "Symmetries are numbered from 1; false if there are fewer.",
    "Bytes beyond state_size are unchanged.",
    "Default: no symmetry.",
)
def images_have_the_same_plies(case: Case) -> None:
    nexts = [case.after(ply) for ply in case.plies[:60]]
    for number, other in enumerate(images(case)):
        turned = (case.outcome - 1 + other.player - case.player) % case.players + 1
        assert other.outcome == (turned if case.outcome > 0 else case.outcome)
        assert len(other.plies) == len(case.plies)
        assert case.key in [one.key for one in images(other)], "another symmetry, or the same, leads back"
        reached = {other.after(ply).key for ply in other.plies}
        # A symmetry can end with a ply, as when a setup becomes a board.
        assert all(images(after)[number].key in reached for after in nexts if len(images(after)) > number)


# ---- margins ----


@line_check(
    "The number of pieces that no player has taken yet: how much is left to play for.",
    "It never increases.",
)
def the_number_left_never_increases(line: Line) -> None:
    if line.cases[0].c.margins:
        left = [case.part("margins", "pieces_left") for case in line.cases]
        assert left == sorted(left, reverse=True)


@line_check(
    "South's points now minus North's; the margin if the position is over.",
    "A bound of the absolute score of every end that can be reached; at most RF_MAX_MARGIN.",
)
def no_end_is_wider(line: Line) -> None:
    end = line.cases[-1]
    if not end.c.margins:
        return
    score = end.part("margins", "score")
    if end.outcome != 0:
        assert end.outcome == (1 if score > 0 else 2 if score < 0 else -1)
    for case in line.cases:
        widest = case.part("margins", "bound")
        assert 0 <= widest <= _LIMITS["RF_MAX_MARGIN"]
        assert end.outcome == 0 or abs(score) <= widest


@line_check(
    "Whether no position before the ply can recur after it.",
)
def progress_is_never_undone(line: Line) -> None:
    part = line.cases[0].c.margins
    if not part:
        return
    last: dict[bytes, int] = {case.key: i for i, case in enumerate(line.cases)}
    for i, (case, ply, _) in enumerate(line):
        if case.part("margins", "makes_progress", ply):
            assert all(last[before.key] <= i for before in line.cases[: i + 1])


# ---- chance ----


@position_check(
    "Whether the next ply is a chance event, not a decision.",
    "The weight of a chance event's ply, above 0; 0 for a decision.",
)
def chance_events_have_weights(case: Case) -> None:
    if case.c.chances:
        for ply in case.plies:
            assert (case.part("chances", "weight", ply) > 0) == case.at_chance
    elif case.plies:
        assert case.c.solver != _LIMITS["RF_SOLVER_CHANCE"]


@position_check("The solver: searches.h describes rf_chance_table_new and the functions after it.")
def the_solver_knows_who_wins_next(case: Case) -> None:
    """Compare the winning probabilities within one ply with all plies."""
    if not case.c.chances:
        return
    assert case.c.chances.maxn
    weights = [case.part("chances", "weight", ply) if case.at_chance else 1 for ply in case.plies]
    winners = [case.after(ply).outcome for ply in case.plies]
    wins = [sum(w for w, winner in zip(weights, winners, strict=True) if winner == i + 1) for i in range(case.players)]
    whole = sum(weights)
    if not case.at_chance:
        wins, whole = [int(number > 0) for number in wins], 1
    if case.outcome != 0:
        wins, whole = [int(case.outcome == i + 1) for i in range(case.players)], 1
    out = ffi.new("rf_chances *")
    assert case.c.chances.maxn(case.ctx, case.s, 1, 0, ffi.NULL, ffi.NULL, ffi.new("rf_control *"), out) == 1
    assert [out.num[i][0] * whole for i in range(case.players)] == [number * out.den[0] for number in wins]


@dataclass(frozen=True)
class Margin:
    """A position whose margin is known, and what the core searches it with."""

    case: Case
    search: Any
    margin: int


#: Checks of a position of known margin.
MARGIN_CHECKS: list[Check] = []
margin_check = _registers(MARGIN_CHECKS)


@margin_check("The solver: searches.h describes rf_margin_new and the functions after it.")
def the_solver_answers_each_threshold(known: Margin) -> None:
    assert known.case.outcome == 0
    for threshold in range(known.margin - 3, known.margin + 4):
        answer = known.case.c.margins.at_least(
            known.search, known.case.ctx, known.case.s, threshold, ffi.new("rf_control *")
        )
        assert answer == (known.margin >= threshold)


#: Sentences that ask nothing of a game, and why.
NOTHING_TO_CHECK = {
    "Fills the constant tables of the game; called once, before any other function.": "a promise to the game: rf_init",
    "Default: nothing to fill.": "said of a game that has no init",
    "A number in field 0 of the position text is a run of that many empty squares, each `.`.": (
        "test_cli_filter.py checks patterns"
    ),
    "tables/tables.h": "the place of the description",
}


def broken_promises(lines: list[Line], positions: list[Case]) -> dict[str, str]:
    """The checks that a game fails, each with its first symptom."""
    broken: dict[str, str] = {}

    def run(check: Check, given: Any, where: bytes) -> None:
        try:
            if check.__name__ not in broken:
                check(given)
        except AssertionError as error:
            broken[check.__name__] = f"{where.decode()}: {error}"

    start = lines[0].cases[0].game.c.start
    for check in GAME_CHECKS:
        run(check, lines, ffi.string(start))
    for check in LINE_CHECKS:
        for line in lines:
            run(check, line, line.cases[0].text)
    for case in positions:
        for check in POSITION_CHECKS:
            run(check, case, case.text)
    return broken
