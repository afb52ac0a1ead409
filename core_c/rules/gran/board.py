"""GRAN boards: reads board files (docs/boards.md) and finds boards by name.

A :class:`Board` is passed to the C core as tables (:attr:`Board.cdata`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ringfen._core import ffi, lib
from ringfen.errors import BoardError
from ringfen.inputs import unpacked
from ringfen.rules.base import BOARD_SUFFIX

if TYPE_CHECKING:
    from ringfen._core import rf_gran_board

FILES: Final = "abcdefghijkl"
SIDE: Final = 12
MAX_POINTS: Final = 128
MAX_CARDS: Final = 99
MAX_STONES: Final = 100
USUAL_CARDS: Final = (2, 0, 4, 6, 6, 4, 2)
USUAL_STONES: Final = 16
#: The name of the default board, which positions omit.
DEFAULT_NAME: Final = "default"

REALMS: Final = {"T": "Tirad", "U": "Urgad", "G": "Galad", "E": "Elgad"}
SYMBOLS: Final = {
    ".": "plain point",
    "D": "dragon",
    "Z": "magic stone",
    "X": "sword",
    "C": "city",
    "S": "start crystal ball",
    "R": "crystal ball of the ring",
}
WHITE: Final = "w"
#: The letters in the order of the C core's numbers (gran_board.h).
_REALM_ORDER: Final = "TUGEw"
_SYMBOL_ORDER: Final = ".DZXCSR"

_NAMED: Final = re.compile(r"(?<!\S)board=(\S*)")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,249}")
_MAX_FILE_BYTES: Final = 1 << 20


@dataclass(frozen=True)
class Board:
    """A GRAN board. Two boards are equal if their names and contents are equal.

    ``points`` is in byte order. ``realms`` and ``symbols`` contain one letter for each point, in the same order, and
    ``lines`` contains every line once. ``cards`` contains the numbers of dragon cards of value 0, 1, …, 6.
    """

    #: The id of the game.
    game: ClassVar[str] = "gran"

    name: str
    points: tuple[str, ...]
    realms: str
    symbols: str
    lines: tuple[tuple[str, str], ...]
    cards: tuple[int, ...] = USUAL_CARDS
    stones: int = USUAL_STONES

    @cached_property
    def start(self) -> str:
        """The start crystal ball."""
        return self.points[self.symbols.index("S")]

    @cached_property
    def ring(self) -> str:
        """The crystal ball on which the ring starts."""
        return self.points[self.symbols.index("R")]

    @cached_property
    def files(self) -> int:
        """The number of files from ``a`` to the last with a point."""
        return max(FILES.index(point[0]) for point in self.points) + 1

    @cached_property
    def ranks(self) -> int:
        """The number of ranks from 1 to the last with a point."""
        return max(int(point[1:]) for point in self.points)

    @cached_property
    def cdata(self) -> rf_gran_board:
        """The board as tables of the C core, created when it is first used."""
        return _compiled(self)

    @cached_property
    def text(self) -> str:
        """The text of a board file for this board, without comments. Equal boards have equal texts."""
        kinds = [(kind, _neighbours(set(self.points), kind)) for kind in ("orthogonal", "all")]
        kind, usual = min(kinds, key=lambda item: len(item[1] ^ set(self.lines)))
        lines = [f"lines: {kind}", f"cards: {' '.join(map(str, self.cards))}", f"stones: {self.stones}"]
        lines += [f"link: {one} {two}" for one, two in self.lines if (one, two) not in usual]
        lines += [f"unlink: {one} {two}" for one, two in sorted(usual - set(self.lines))]
        for block, letters in (("realms", self.realms), ("symbols", self.symbols)):
            by_point = dict(zip(self.points, letters, strict=True))
            lines += ["", f"{block}:"]
            for rank in range(self.ranks, 0, -1):
                lines.append("".join(by_point.get(f"{file}{rank}", "_") for file in FILES[: self.files]))
        return "\n".join(lines) + "\n"

    def realm_of(self, point: str) -> str:
        """Return the letter of the realm: ``T``, ``U``, ``G`` or ``E``; ``w`` for a banishing point."""
        return self.realms[self.points.index(point)]

    def symbol_of(self, point: str) -> str:
        """Return the letter of a point in the block ``symbols`` of a board file."""
        return self.symbols[self.points.index(point)]

    def takes_ring(self, point: str) -> bool:
        """Return whether a player can put the ring on a point if it is free: a black point or a crystal ball (R11)."""
        return self.symbol_of(point) in ".SR" and self.realm_of(point) != "w"

    def start_text(self, players: int = 3, seals: int = 3) -> str:
        """Return the text of the start position (R2) of a game for ``seals`` seals, 1 to 4 (R13)."""
        fields = [
            "gran",
            "/".join(["-:3:-"] * players),
            self.ring,
            "-",
            ".".join(map(str, self.cards)),
            "1",
            "move",
        ]
        if self.name:
            fields.append(f"board={self.name}")
        if seals != 3:
            fields.append(f"seals={seals}")
        return " ".join(fields)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("cdata", "text")}


def _compiled(board: Board) -> rf_gran_board:
    out = ffi.new("rf_gran_board *", {"name": board.name.encode("ascii")})
    out.files, out.ranks, out.points, out.stones = board.files, board.ranks, len(board.points), board.stones
    index = {point: number for number, point in enumerate(board.points)}
    out.start, out.ring = index[board.start], index[board.ring]
    out.cards[0:7] = board.cards
    near = [0] * len(board.points)
    for one, two in board.lines:
        near[index[one]] |= 1 << index[two]
        near[index[two]] |= 1 << index[one]
    for number, point in enumerate(board.points):
        out.file[number] = FILES.index(point[0])
        out.rank[number] = int(point[1:]) - 1
        out.realm[number] = _REALM_ORDER.index(board.realms[number])
        out.symbol[number] = _SYMBOL_ORDER.index(board.symbols[number])
        out.neighbours[number].low = near[number] & (1 << 64) - 1
        out.neighbours[number].high = near[number] >> 64
    wrong = lib.rf_gran_complete(out)
    if wrong != ffi.NULL:
        raise BoardError(ffi.string(wrong).decode("ascii"), reason="bad-board", source=board.name)
    return out


# ---- reading ----


def read_board(text: str, name: str = "", source: str = "board") -> Board:
    """Return the board that a board file describes.

    :param name: The name in positions (after ``board=``); empty for the default board.
    :param source: The name of the file in errors.
    :raises ringfen.BoardError: The text is not a board file; the error states line, column and reason.
    """
    return _Reader(text, source).board(name)


def load_board(path: Path) -> Board:
    """Return the board in a file. Its name is the name of the file without the suffix.

    :raises ringfen.BoardError: The file is not a board file, or its name is not a valid board name.
    :raises OSError: The file cannot be read.
    """
    status = path.stat()
    return _loaded(path.absolute(), str(path), status.st_mtime_ns, status.st_size)


@cache
def _loaded(path: Path, source: str, changed: int, size: int) -> Board:
    """Return the board in a file, cached by the file's time of change and size."""
    with path.open("rb") as file:
        raw = unpacked(file, path).read(_MAX_FILE_BYTES + 1)  # the size of a pipe is not known
    if len(raw) > _MAX_FILE_BYTES:
        raise BoardError(
            f"more than {_MAX_FILE_BYTES:,} bytes are too much for a board file", reason="too-long", source=source
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        lines = re.split(r"\r\n|\r|\n", before)
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise BoardError(
            message, reason="bad-utf8", source=source, line=len(lines), text=lines[-1], at=len(lines[-1]), length=1
        ) from None
    name = path.name.removesuffix(BOARD_SUFFIX)
    if not _NAME.fullmatch(name):
        message = (
            f"the name of a board file is NAME{BOARD_SUFFIX}, where NAME has only letters, digits, - and _, not "
            f"{path.name!r}"
        )
        raise BoardError(message, reason="bad-name", source=source)
    if name != DEFAULT_NAME:
        return read_board(text, name, source)
    if read_board(text, "", source) == default_board():
        return default_board()
    raise BoardError(f"the name {name} belongs to another board: rename the file", reason="bad-name", source=source)


@cache
def default_board() -> Board:
    """Return the board of positions without ``board=``."""
    path = Path(__file__).parent / "boards" / f"{DEFAULT_NAME}{BOARD_SUFFIX}"
    return read_board(path.read_text(encoding="utf-8"), "", path.name)


def board_named(text: str) -> re.Match[str] | None:
    """Return the match of ``board=NAME`` in a position text, with the name as the first group; None for the default
    board.

    The C core needs the board to read the rest of the text.
    """
    return next((named for named in _NAMED.finditer(text) if named[1] != DEFAULT_NAME), None)


def board_name(text: str) -> str | None:
    """Return the name of the board that a position text names; None for the default board."""
    named = board_named(text)
    return None if named is None else named[1]


def find_board(name: str, board_path: Sequence[Path] = ()) -> Board:
    """Return the board of this name.

    :param board_path: Board files, and directories with files ``NAME.board``, in the order of the search.
    :raises ringfen.BoardError: The board is not found, or its file is not a board file.
    :raises OSError: The file cannot be read.
    """
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= 40 else name[:40] + "…"
        raise BoardError(f"a board's name has letters, digits, - and _ only, not {shown!r}", reason="bad-name")
    for path in board_path:
        if path.is_dir():
            file = path / f"{name}{BOARD_SUFFIX}"
            if file.is_file():
                return load_board(file)
        elif path.name.removesuffix(BOARD_SUFFIX) == name:
            return load_board(path)
    searched = ", ".join(map(str, board_path)) or "nothing, because no board path is given"
    raise BoardError(f"no board {name}{BOARD_SUFFIX} found; searched: {searched}", reason="no-such-board")


@dataclass
class _Row:
    line: int
    text: str


class _Reader:
    """Reads a board file line by line, then checks the whole board."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.rows = re.split(r"\r\n|\r|\n", text)
        self.number = 0
        self.kind = ""
        self.headers: dict[str, int] = {}
        self.cards: tuple[int, ...] = USUAL_CARDS
        self.stones = USUAL_STONES
        self.blocks: dict[str, list[_Row]] = {"realms": [], "symbols": []}
        self.changes: list[tuple[int, str, list[re.Match[str]]]] = []

    def board(self, name: str) -> Board:
        block = ""
        for number, raw in enumerate(self.rows, 1):
            self.number = number
            line = raw.partition("#")[0].rstrip(" \t")
            if line:
                if block:
                    self._row(block, line)
                else:
                    block = self._single(line)
            elif "#" not in raw:
                block = ""
        return self._finish(name)

    def _fail(self, reason: str, message: str, *, line: int | None = None, at: int = 0, length: int = 0) -> BoardError:
        number = self.number if line is None else line
        text = self.rows[number - 1]
        return BoardError(
            message, reason=reason, source=self.source, line=number, text=text, at=at, length=length or len(text) - at
        )

    def _single(self, line: str) -> str:
        """Return a line outside of the blocks; returns the name of the block that it begins, if any."""
        key, colon, rest = line.partition(":")
        known = ("lines", "cards", "stones", "link", "unlink", "realms", "symbols")
        if not colon or key not in known:
            raise self._fail("unknown-line", f"a line begins with one of {', '.join(known)} and a colon, not {line!r}")
        words = list(re.finditer(r"[^ \t]+", " " * (len(key) + 1) + rest))
        if key in ("link", "unlink"):
            if len(words) != 2:
                raise self._fail("bad-link", f"{key}: takes two points, as in {key}: a1 c3, not {len(words)}")
            self.changes.append((self.number, key, words))
            return ""
        if key in self.headers:
            message = f"{key}: occurs twice, first in line {self.headers[key]}"
            raise self._fail("twice", message, length=len(key))
        self.headers[key] = self.number
        if key in self.blocks:
            if words:
                raise self._fail("bad-header", f"nothing follows {key}: in its line", at=words[0].start())
            return key
        self._value(key, words)
        return ""

    def _value(self, key: str, words: list[re.Match[str]]) -> None:
        texts = [word[0] for word in words]
        if key == "lines":
            if texts not in (["orthogonal"], ["all"]):
                raise self._fail("bad-lines", f"lines: is orthogonal or all, not {' '.join(texts)!r}")
            self.kind = texts[0]
        elif key == "cards":
            if len(words) != 7:
                raise self._fail("bad-cards", f"cards: takes seven numbers, for the values 0 to 6, not {len(words)}")
            self.cards = tuple(self._count(word, MAX_CARDS, "the number of cards of a value") for word in words)
            if not any(self.cards):
                raise self._fail("bad-cards", "there is no card at all, and at least one is needed")
        else:
            if len(words) != 1:
                raise self._fail("bad-stones", f"stones: takes one number, not {len(words)}")
            self.stones = self._count(words[0], MAX_STONES, "the number of stones")

    def _count(self, word: re.Match[str], maximum: int, noun: str) -> int:
        if not re.fullmatch(r"0|[1-9][0-9]{0,2}", word[0]) or int(word[0]) > maximum:
            message = f"{noun} is 0 to {maximum}, not {word[0]!r}"
            raise self._fail("bad-number", message, at=word.start(), length=len(word[0]))
        return int(word[0])

    def _row(self, block: str, line: str) -> None:
        allowed = "TUGEw_" if block == "realms" else ".DZXCSR_"
        for at, letter in enumerate(line):
            if letter not in allowed:
                message = f"a row of {block}: contains {' '.join(allowed)}, not {letter!r}"
                raise self._fail("bad-letter", message, at=at, length=1)
        rows = self.blocks[block]
        if len(line) > SIDE:
            raise self._fail("too-large", f"a row has at most {SIDE} points, not {len(line)}", at=SIDE)
        if len(rows) == SIDE:
            raise self._fail("too-large", f"a board has at most {SIDE} ranks")
        if rows and len(line) != len(rows[0].text):
            message = f"this row has {len(line)} points, but the first has {len(rows[0].text)}"
            raise self._fail("uneven-rows", message)
        rows.append(_Row(self.number, line))

    # ---- the whole ----

    def _finish(self, name: str) -> Board:
        for key in ("lines", "realms", "symbols"):
            if key not in self.headers:
                last = max(1, len(self.rows) - (self.rows[-1] == ""))
                raise self._fail("missing", f"the file ends without the line {key}:", line=last)
        self._same_shape()
        realms, symbols = self._letters("realms"), self._letters("symbols")
        if len(realms) > MAX_POINTS:
            message = f"a board has at most {MAX_POINTS} points, not {len(realms)}"
            raise self._fail("too-many-points", message, line=self.headers["realms"])
        self._check_symbols(realms, symbols)
        points = tuple(sorted(realms))
        return Board(
            name=name,
            points=points,
            realms="".join(realms[point] for point in points),
            symbols="".join(symbols[point] for point in points),
            lines=tuple(sorted(self._lines(realms))),
            cards=self.cards,
            stones=self.stones,
        )

    def _same_shape(self) -> None:
        realms, symbols = self.blocks["realms"], self.blocks["symbols"]
        if len(realms) != len(symbols):
            message = f"symbols: has {len(symbols)} ranks, but realms: has {len(realms)}"
            raise self._fail("other-shape", message, line=self.headers["symbols"])
        for one, two in zip(realms, symbols, strict=True):
            if len(one.text) != len(two.text):
                message = f"this row has {len(two.text)} points, but line {one.line} of realms: has {len(one.text)}"
                raise self._fail("other-shape", message, line=two.line)
            for at, (realm, symbol) in enumerate(zip(one.text, two.text, strict=True)):
                if (realm == "_") != (symbol == "_"):
                    message = f"{symbol!r} here, but {realm!r} in line {one.line}: both blocks have the same points"
                    raise self._fail("other-shape", message, line=two.line, at=at, length=1)

    def _placed(self, block: str) -> Iterator[tuple[str, str, int, int]]:
        """Yield the point, letter, line and column of all points of a block."""
        rows = self.blocks[block]
        for rank, row in zip(range(len(rows), 0, -1), rows, strict=True):
            for at, letter in enumerate(row.text):
                if letter != "_":
                    yield f"{FILES[at]}{rank}", letter, row.line, at

    def _letters(self, block: str) -> dict[str, str]:
        return {point: letter for point, letter, _, _ in self._placed(block)}

    def _check_symbols(self, realms: dict[str, str], symbols: dict[str, str]) -> None:
        seen: dict[str, str] = {}
        for point, letter, line, at in self._placed("symbols"):
            if letter == ".":
                continue
            if realms[point] == WHITE:
                message = f"a {SYMBOLS[letter]} on {point}, but white points have no symbols"
                raise self._fail("symbol-on-white", message, line=line, at=at, length=1)
            key = letter + realms[point] if letter == "C" else letter
            if letter in "CSR" and key in seen:
                where = f" of {REALMS[realms[point]]}" if letter == "C" else ""
                message = f"a second {SYMBOLS[letter]}{where} on {point}; there is one on {seen[key]}"
                raise self._fail("second-symbol", message, line=line, at=at, length=1)
            seen[key] = point
        for key in ("S", "R", "CT", "CU", "CG", "CE"):
            if key not in seen:
                where = f" in {REALMS[key[1]]}" if len(key) == 2 else ""
                message = f"there is no {SYMBOLS[key[0]]} ({key[0]}){where}, but a board has exactly one"
                raise self._fail("missing-symbol", message, line=self.headers["symbols"])

    def _lines(self, points: dict[str, str]) -> set[tuple[str, str]]:
        lines = _neighbours(set(points), self.kind)
        for number, key, words in self.changes:
            line = _line(*(self._point(number, word, points) for word in words))
            if line[0] == line[1]:
                raise self._fail("bad-link", f"a line leads to another point, not back to {line[0]}", line=number)
            if key == "link":
                if line in lines:
                    raise self._fail("bad-link", f"there is a line {line[0]} {line[1]} already", line=number)
                lines.add(line)
            else:
                if line not in lines:
                    raise self._fail("bad-link", f"there is no line {line[0]} {line[1]} to remove", line=number)
                lines.remove(line)
        return lines

    def _point(self, number: int, word: re.Match[str], points: dict[str, str]) -> str:
        if word[0] not in points:
            message = f"there is no point {word[0]!r} on this board"
            raise self._fail("no-such-point", message, line=number, at=word.start(), length=len(word[0]))
        return word[0]


def _neighbours(points: set[str], kind: str) -> set[tuple[str, str]]:
    """Return the lines between neighbouring points, with diagonals if ``kind`` is ``all``."""
    steps = [(0, 1), (1, 0)] + ([(1, 1), (1, -1)] if kind == "all" else [])
    lines = set()
    for point in points:
        file, rank = FILES.index(point[0]), int(point[1:])
        for right, up in steps:
            if file + right < SIDE and (other := f"{FILES[file + right]}{rank + up}") in points:
                lines.add(_line(point, other))
    return lines


def _line(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)
