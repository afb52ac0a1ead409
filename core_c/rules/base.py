"""The interface of a game in Python: names, start options, texts and messages. The C core implements the rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from ringfen._core import ffi, lib
from ringfen.errors import ImpossiblePositionError, PositionSyntaxError, RingfenError, formatted_reason
from ringfen.text import invisible_character

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen._core import CData, rf_description, rf_error, rf_game, rf_state


#: The suffix of a board file after the name of the board.
BOARD_SUFFIX: Final = ".board"


class StartOption(NamedTuple):
    """One option of a start position, such as ``ringfen new siaius --size 10x8``."""

    name: str
    help: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    #: The name of the value in the help, if there are no choices.
    metavar: str = "VALUE"


class PalettePiece(NamedTuple):
    """A piece that editors of positions offer. ``kind``, ``owner`` and ``value`` are those of its description."""

    kind: str
    owner: int = 0
    value: int = 0
    #: Its text on a square of RANKS; empty if a field names its place.
    text: str = ""
    #: The kind of pieces that it can hold. Their texts follow its own, in parentheses, in falling order; or ``held``
    #: names the holder.
    holds: str = ""
    #: The name of the field that names its place.
    field: str = ""
    #: Whether that field lists the places of all such pieces.
    is_list: bool = False
    #: The number of the part of that field, if it has parts with / between; the place ends at the first colon.
    part: int = -1
    #: The text of the field, or of the part, for a piece that has no place.
    gone: str = "-"
    #: The text of the field before the number of the player whose piece holds it.
    held: str = ""


class EditorField(NamedTuple):
    """A field that editors of positions offer beside the pieces."""

    label: str
    #: What it changes: a field of the position text, an option after the fields, the size of the board, or the
    #: number of parts with / between them that a field has. New parts are like the first one of the example.
    kind: Literal["field", "option", "files", "ranks", "count"] = "field"
    #: The name of that field or option.
    name: str = ""
    #: The values with their words; empty: any text. An option without a value is not written.
    choices: Mapping[str, str] = MappingProxyType({})
    #: A regular expression. Its first group is the part that changes; if it does not match, the part does not exist.
    pattern: str = ""
    #: The heading of consecutive fields that belong together.
    group: str = ""
    #: The players of the choices that name one; the choice of a player who does not take part is not offered.
    players: Mapping[str, int] = MappingProxyType({})


def numbers(first: int, last: int) -> dict[str, str]:
    """Return the choices of a field that is a number."""
    return {str(number): str(number) for number in range(first, last + 1)}


#: The side to move in games for two.
SIDE_FIELD: Final = EditorField("To move", name="SIDE", choices={"s": "South", "n": "North"})


class PositionEditor(NamedTuple):
    """How editors change a position text; the core checks the result."""

    palette: Sequence[PalettePiece]
    #: The text of an empty square; empty if numbers count the empty squares.
    empty: str = ""
    #: The name of the field with the text of the piece on a throne.
    throne: str = ""
    fields: Sequence[EditorField] = ()


def board_size(text: str) -> tuple[int, int] | None:
    """Return the files and ranks of a size such as ``5x7``; None if the text is not a size."""
    files, x, ranks = text.partition("x")
    if not x or not all(word.isascii() and word.isdigit() and len(word) <= 2 for word in (files, ranks)):
        return None
    return int(files), int(ranks)


def bad_start(reason: str, value: str, message: str) -> PositionSyntaxError:
    """Return the error for a start option with a value that the game does not allow."""
    return PositionSyntaxError(message, reason=reason, text=value, length=len(value))


def bad_material(material: str, form: str) -> PositionSyntaxError:
    """Return the error for pieces that do not have the form of the game."""
    message = f"{form}, not {material[:60]!r}"
    return PositionSyntaxError(message, reason="bad-material", text=material, length=len(material))


def chosen_places(count: int, places: int, below: Callable[[int], int]) -> list[int]:
    """Return ``count`` different numbers below ``places``, each choice equally likely.

    :raises ringfen.PositionSyntaxError: There are too few places.
    """
    if count > places:
        raise bad_start("too-many-pieces", str(count), f"{count} pieces do not fit on {places} squares")
    left = list(range(places))
    return [left.pop(below(len(left))) for _ in range(count)]


class Context(NamedTuple):
    """The context of a position text: nothing, or a GRAN board. ``cdata`` is passed to the C core."""

    cdata: CData = ffi.NULL
    board: Any = None


class TableRules(ABC):
    """The materials and files of the endgame tables of a game. The game's C files compute the values."""

    #: The first bytes of its files.
    magic: bytes
    #: The smallest and the largest board, and the usual one.
    files: tuple[int, int]
    ranks: tuple[int, int]
    size: tuple[int, int]
    #: The start option whose values have separate tables, and these values by their number in files and in the C
    #: core; the first is the default. A game without such an option has the one value "".
    variant_option: str = ""
    variants: Sequence[str] = ("",)
    #: The minimum and maximum number of stones of a material.
    min_stones: int
    max_stones: int
    #: The maximum number of entries of a table.
    max_entries: int = 1 << 63
    #: The maximum number of stones of a position that a search with tables at its leaves can solve; 0 if there is no
    #: such search.
    max_search_stones: int = 0
    #: The positions that tables can cover, in words.
    covered: str

    @abstractmethod
    def name_of(self, material: int) -> str:
        """Return the name of a class."""

    @abstractmethod
    def class_of(self, name: str) -> int:
        """Return the class number of a name, whose letters may be in any order.

        :raises ValueError: The name is invalid; the message states why.
        """

    @abstractmethod
    def classes(self, stones: int) -> set[int]:
        """Return all classes with up to this number of stones."""

    @abstractmethod
    def class_of_position(self, described: rf_description) -> int | None:
        """Return the class of a position with at most ``max_stones`` stones; None if no class contains it."""

    def stage(self, material: int) -> tuple[int, ...]:
        """Return the stage of a class: it depends only on classes of lower stages."""
        return ()

    def below(self, material: int) -> set[int]:
        """Return the classes that a turn of either side can lead to."""
        return set()


class EngineNotation(ABC):
    """The notation of other programs for the positions and plies of a game."""

    #: The name of the notation for ``compare``.
    id: str
    #: Named positions of the notation.
    boards: ClassVar[Mapping[str, str]]

    @abstractmethod
    def encode(self, fen: str) -> str:
        """Return the text of a position.

        :param fen: The position in canonical form.
        :raises ringfen.ImpossiblePositionError: The notation cannot express the position.
        """

    @abstractmethod
    def decode(self, text: str) -> str:
        """Return the position of a text or of a name in :attr:`boards`.

        :raises ringfen.PositionSyntaxError: The text does not have this form.
        :raises ringfen.ImpossiblePositionError: The rules exclude such a position.
        """

    @abstractmethod
    def move_of(self, fen: str, ply: str) -> str:
        """Return the text of a legal ply of the position ``fen``, given in short form.

        :raises ringfen.PlySyntaxError: The notation cannot express the ply.
        """

    @abstractmethod
    def ply_of(self, fen: str, move: str) -> str:
        """Return the ply that a text means in the position ``fen``. It need not be legal.

        :raises ringfen.PlySyntaxError: The text does not have this form.
        """


class Game(ABC):
    """A game. Its module contains one instance, ``GAME``."""

    id: str
    name: str
    #: The sizes in words, such as "7×7, or 5×7 with five knights".
    sizes: str
    players: tuple[int, int] = (2, 2)
    start_options: Sequence[StartOption] = ()
    #: The messages for the error keys of the game's C files.
    reasons: Mapping[str, str]
    #: The fields of a position text after the id: name, meaning and an example.
    fields: Sequence[tuple[str, str, str]] = ()
    #: The form of a rank of a position text, with an example; empty if the game's messages contain it.
    rank_form: str = ""
    #: How editors change the pieces; None: only as text.
    editor: PositionEditor | None = None
    #: Words that people write for a ply, or for its sign.
    spoken: Mapping[str, str] = MappingProxyType({})
    #: The default maximum number of plies of ``random``.
    default_max_plies: int = 400

    def __repr__(self) -> str:
        return f"Game({self.id!r})"

    @property
    def tables(self) -> TableRules | None:
        """The rules of its endgame tables; None if the game has none."""
        return None

    @property
    def engine_notation(self) -> EngineNotation:
        """The notation of other programs for this game.

        :raises ringfen.RingfenError: There is no such notation.
        """
        raise RingfenError(f"{self.id} has no engine notation", reason="no-engine-notation")

    @property
    def value_kind(self) -> Literal["win", "margin", "chance"]:
        """The kind of the game's values: win, loss or draw; margins; or probabilities."""
        solver = lib.rf_game_solver(self.cdata)
        return "win" if solver == lib.RF_SOLVER_WIN else "margin" if solver == lib.RF_SOLVER_MARGIN else "chance"

    @property
    def cdata(self) -> rf_game:
        """The game's table of functions in the C core."""
        return core_games()[self.id]

    @property
    def default_start(self) -> str:
        """The text of the default start position."""
        return ffi.string(lib.rf_game_start(self.cdata)).decode("ascii")

    def start(self, **options: str | int) -> str:
        """Return the text of a start position with these options (names from ``start_options``).

        :raises TypeError: The game has no option of this name, or a value is neither a text nor a number.
        :raises ringfen.RingfenError: An option has a value that the game does not allow.
        """
        for name, value in options.items():
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise TypeError(f"the start option {name} must be a str or an int, not {type(value).__name__}")
        return self._start({name: str(value) for name, value in options.items()})

    def _start(self, options: dict[str, str]) -> str:
        """Return the result of :meth:`start`. Remove the known options from ``options``, and reject the others."""
        self._no_more(options)
        return self.default_start

    def _no_more(self, options: Mapping[str, str]) -> None:
        """Reject start options that the game does not have."""
        for name in options:
            raise TypeError(f"{self.id} has no start option {name}")

    def place(self, start: str, context: Context, material: str, below: Callable[[int], int]) -> str:
        """Return the text of a position with certain pieces on random squares. The rules may exclude the position.

        :param start: The canonical text of a position with the same board and options.
        :param material: The pieces, in the form that ``material_form`` describes.
        :param below: Returns a random number from 0 to below its argument.
        :raises ringfen.PositionSyntaxError: ``material`` does not have this form.
        """
        raise bad_material(material, "this game has no form for pieces")

    def context(self, text: str, board_path: Sequence[Path] = ()) -> Context:
        """Return the context of a position text. Boards are searched for in the directories of ``board_path``.

        :raises ringfen.BoardError: The text names a board that cannot be found or read.
        """
        return Context()

    def parse(self, context: Context, fen: str) -> rf_state:
        """Return the ``rf_state *`` of a position text.

        :raises ringfen.PositionSyntaxError: The text is not a well-formed position.
        :raises ringfen.ImpossiblePositionError: The rules exclude such a position.
        """
        raw = fen.encode("utf-8", "surrogatepass")
        state = ffi.new("rf_state *")
        error = ffi.new("rf_error *")
        if not lib.rf_parse(self.cdata, context.cdata, raw, len(raw), state, error):
            kind = PositionSyntaxError if error.kind == lib.RF_SYNTAX else ImpossiblePositionError
            raise self.error(kind, fen, raw, error)
        return state

    def format(self, context: Context, state: rf_state) -> str:
        """Return the canonical text of an ``rf_state *``."""
        out = ffi.new("char[]", lib.rf_game_max_text(self.cdata))
        size = lib.rf_format(self.cdata, context.cdata, state, out)
        return ffi.unpack(out, size).decode("ascii")

    def error(self, kind: type[RingfenError], text: str, raw: bytes, error: rf_error) -> RingfenError:
        """Return the Python error for an ``rf_error``; its byte offsets in ``raw`` become characters of ``text``."""
        at = _characters(raw[: error.at])
        length = _characters(raw[: error.at + error.length]) - at
        reason = ffi.string(error.reason).decode("ascii")
        args = [ffi.string(arg).decode("ascii") for arg in error.args]
        message = formatted_reason(self.reasons, reason, args)
        if error.kind == lib.RF_SYNTAX and (found := invisible_character(text)) is not None:
            at, length = found[0], 1
            message = f"the invisible character {found[1]} does not belong here"
        elif reason == "missing-field":
            message = self._missing_field(text) or message
        elif reason == "bad-ranks" and self.rank_form:
            rank = 1 + text[:at].split()[-1].count("/")
            message = f"{message} in rank {rank} from the top; {self.rank_form}"
        return kind(message, reason=reason, text=text, at=at, length=length)

    def _missing_field(self, text: str) -> str | None:
        """Return the message for a position text that ends too early; None if no field is missing."""
        missing = self.fields[max(0, len(text.split()) - 1) :]
        if not missing:
            return None
        names, values = " ".join(one[0] for one in missing), " ".join(one[2] for one in missing)
        return f"{missing[0][0]}, {missing[0][1]}, is missing; append {names}, such as '{values}'"

    def rules(self) -> str:
        """Return the rules in English (Markdown), numbered, with every interpretation marked."""
        from pathlib import Path

        return (Path(__file__).parent / f"{self.id}.md").read_text(encoding="utf-8")

    def suite(self) -> str:
        """Return positions with known perft counts that find errors in move generators, as JSON lines (docs/suite.md).

        The text is empty for a game without a suite.
        """
        from pathlib import Path

        path = Path(__file__).parent / "suites" / f"{self.id}.jsonl"
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def _characters(raw: bytes) -> int:
    """Return the number of characters that begin in these bytes of UTF-8."""
    return len(raw) if raw.isascii() else sum(byte & 0xC0 != 0x80 for byte in raw)


@cache
def core_games() -> dict[str, rf_game]:
    """Return the games of the C core by id, in their order there."""
    games: dict[str, rf_game] = {}
    index = 0
    while (game := lib.rf_game_at(index)) != ffi.NULL:
        games[ffi.string(lib.rf_game_id(game)).decode("ascii")] = game
        index += 1
    return games
