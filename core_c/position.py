"""Positions of all games, over the C core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.arguments import check_board_path
from ringfen.errors import IllegalPlyError, PlySyntaxError, PositionSyntaxError
from ringfen.rules import Context, Game, game_by_id
from ringfen.text import invisible_character, require_str

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

    from ringfen._core import rf_parsed_ply, rf_state
    from ringfen.control import Limits, ProgressCallback
    from ringfen.options import SolveKeywords, SolveOptions
    from ringfen.rules.gran.board import Board
    from ringfen.solving import Solution

#: The outcome of a finished game: ``"s"``, ``"n"``, ``"draw"``, in GRAN the winner's number; None while it continues.
Outcome = str | int | None

_SYNTAX: Final = int(lib.RF_SYNTAX)


def outcome_of(game: Game, core_outcome: int) -> Outcome:
    """Return the outcome for a number of the C core."""
    if core_outcome == lib.RF_OUTCOME_NONE:
        return None
    if core_outcome == lib.RF_OUTCOME_DRAW:
        return "draw"
    return core_outcome if game.players[1] > 2 else "sn"[core_outcome - 1]


def _game_of(fen: str, game_id: str) -> Game:
    """Return the game of a position text. The error for an unknown one names an invisible character."""
    try:
        return game_by_id(game_id)
    except PositionSyntaxError as error:
        found = invisible_character(fen)
        if found is not None:
            error.message = f"{error.message} (the text contains {found[1]})"
        raise


class Position:
    """A position: immutable, comparable, hashable and picklable.

    >>> start = Position("gyges")
    >>> len(start.plies())
    90
    >>> start.apply("321123").player
    'n'

    Plies are texts such as ``"a1-b3"`` (docs/notation.md).

    :param fen: A position text, or the id of a game for its usual start.
    :param board_path: Directories to search for a board that the text names (GRAN).
    :raises TypeError: ``fen`` is not a str.
    :raises ringfen.PositionSyntaxError: The text is not a well-formed position.
    :raises ringfen.ImpossiblePositionError: The rules exclude the position.
    :raises ringfen.BoardError: The text names a board that cannot be found or read.
    """

    __slots__ = ("_context", "_fen", "_game", "_state")

    _game: Game
    _context: Context
    _state: rf_state
    _fen: str | None

    def __init__(self, fen: str, *, board_path: Sequence[Path] = ()) -> None:
        check_board_path(board_path)
        words = require_str("a position", fen).replace("\t", " ").strip(" ").split(" ", 1)
        game = _game_of(fen, words[0])
        if len(words) == 1:
            fen = game.default_start
        context = game.context(fen, board_path)
        self._set(game, context, game.parse(context, fen))

    def _set(self, game: Game, context: Context, state: rf_state) -> None:
        object.__setattr__(self, "_game", game)
        object.__setattr__(self, "_context", context)
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "_fen", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Position does not change; apply() makes a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Position does not change; apply() makes a new one")

    @classmethod
    def on_board(cls, fen: str, board: Board) -> Position:
        """Return a GRAN position on a board that was read before (:mod:`ringfen.rules.gran.board`).

        The text must name this board. The errors are those of the constructor.
        """
        game, context = game_by_id(board.game), Context(board.cdata, board)
        return cls.from_state(game, context, game.parse(context, fen))

    @classmethod
    def of(cls, position: Position | str, *, board_path: Sequence[Path] = ()) -> Position:
        """Return the position of a text; a Position is returned unchanged. The errors are those of the constructor."""
        if isinstance(position, Position):
            if board_path != ():
                check_board_path(board_path)
            return position
        return cls(position, board_path=board_path)

    @classmethod
    def from_state(cls, game: Game, context: Context, state: rf_state) -> Position:
        """Return the position of an ``rf_state *`` of the C core, which must not change afterwards."""
        position = cls.__new__(cls)
        position._set(game, context, state)
        return position

    @property
    def game(self) -> Game:
        """The game of the position."""
        return self._game

    @property
    def context(self) -> Context:
        """The board of the position, if the game has boards."""
        return self._context

    @property
    def state(self) -> rf_state:
        """The ``rf_state *`` of the C core. Do not change it."""
        return self._state

    @property
    def fen(self) -> str:
        """The canonical text."""
        if self._fen is None:
            object.__setattr__(self, "_fen", self._game.format(self._context, self._state))
        assert self._fen is not None
        return self._fen

    @property
    def outcome(self) -> Outcome:
        """None, ``"s"``, ``"n"``, ``"draw"``, or in GRAN the winner's number."""
        return outcome_of(self._game, lib.rf_outcome(self._game.cdata, self._context.cdata, self._state))

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(lib.rf_outcome(self._game.cdata, self._context.cdata, self._state) != lib.RF_OUTCOME_NONE)

    @property
    def player(self) -> str | int:
        """The next player: ``"s"`` or ``"n"``, in GRAN 1 to 6."""
        return self.player_number if self._game.players[1] > 2 else "sn"[self.player_number - 1]

    @property
    def player_number(self) -> int:
        """The C core's number of the next player: 1 (South) or 2 (North), in GRAN 1 to 6."""
        return int(lib.rf_player(self._game.cdata, self._context.cdata, self._state))

    @property
    def players(self) -> int:
        """The number of players."""
        return int(lib.rf_players(self._game.cdata, self._context.cdata, self._state))

    @property
    def is_chance(self) -> bool:
        """Whether the next ply is a chance event."""
        return bool(lib.rf_is_chance(self._game.cdata, self._context.cdata, self._state))

    def plies(self) -> list[str]:
        """Return all legal plies in short form, in the byte order of their texts."""
        return [self.ply_text(ply) for ply in self.core_plies()]

    def count(self) -> int:
        """Return the number of legal plies. This is faster than listing them."""
        return int(lib.rf_count_plies(self._game.cdata, self._context.cdata, self._state))

    def nth(self, index: int) -> tuple[str, Position]:
        """Return the legal ply with this index in :meth:`plies`, and the position after it.

        :raises TypeError: ``index`` is not an integer.
        :raises IndexError: There are fewer plies.
        """
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"index must be an int, not {type(index).__name__}")
        ply = self.core_plies()[index]
        return self.ply_text(ply), self._after(ply)

    def core_plies(self) -> list[int]:
        """Return the C core's numbers for the legal plies, in the order of :meth:`plies`."""
        out = ffi.new("rf_ply[]", lib.rf_game_max_plies(self._game.cdata))
        count = lib.rf_sorted_plies(self._game.cdata, self._context.cdata, self._state, out)
        if count < 0:
            raise MemoryError
        return ffi.unpack(out, count)

    def ply_text(self, ply: int) -> str:
        """Return the short form of a legal ply, from the C core's number for it."""
        out = ffi.new("char[]", lib.rf_game_max_ply_text(self._game.cdata))
        size = lib.rf_format_ply(self._game.cdata, self._context.cdata, self._state, ply, out)
        return ffi.unpack(out, size).decode("ascii")

    def path_of(self, ply: str) -> str:
        """Return a legal ply with the places that it passes, such as bounces in Gygès, for drawings.

        Places that the text names stay; otherwise those of a short path are added.
        """
        parsed = self._parsed(ply)
        if parsed.long_form:
            return ply
        out = ffi.new("char[]", lib.RF_MAX_PLY_TEXT)
        size = lib.rf_format_path(self._game.cdata, self._context.cdata, self._state, parsed.ply, out)
        return ffi.unpack(out, size).decode("ascii")

    def _parsed(self, ply: str) -> rf_parsed_ply:
        raw = require_str("a ply", ply).encode("utf-8", "surrogatepass")
        parsed = ffi.new("rf_parsed_ply *")
        error = ffi.new("rf_error *")
        if not lib.rf_parse_ply(self._game.cdata, self._context.cdata, self._state, raw, len(raw), parsed, error):
            kind = PlySyntaxError if error.kind == _SYNTAX else IllegalPlyError
            raise self._game.error(kind, ply, raw, error)
        return parsed

    def core_ply(self, ply: str) -> int:
        """Return the C core's number for a legal ply; raise the errors of :meth:`apply`."""
        return int(self._parsed(ply).ply)

    def short(self, ply: str) -> str:
        """Return the short form of a legal ply in any form.

        :raises ringfen.PlySyntaxError: The text is not a well-formed ply.
        :raises ringfen.IllegalPlyError: The ply is not legal; the message states why.
        """
        return self.ply_text(self._parsed(ply).ply)

    def is_legal(self, ply: str) -> bool:
        """Return whether a text is a legal ply, in short or long form."""
        raw = require_str("a ply", ply).encode("utf-8", "surrogatepass")
        parsed, error = ffi.new("rf_parsed_ply *"), ffi.new("rf_error *")
        return bool(lib.rf_parse_ply(self._game.cdata, self._context.cdata, self._state, raw, len(raw), parsed, error))

    def apply(self, ply: str) -> Position:
        """Return the position after a ply (short or long form).

        :raises TypeError: ``ply`` is not a str.
        :raises ringfen.PlySyntaxError: The text is not a well-formed ply.
        :raises ringfen.IllegalPlyError: The ply is not legal; the message states why.
        """
        return self._after(self._parsed(ply).ply)

    def null_ply(self) -> Position:
        """Return the position after a null ply, in which the other side is to move. Variations of records may contain
        it.

        :raises ringfen.IllegalPlyError: The game is over, or another action is pending; the message states which.
        """
        state, error = ffi.new("rf_state *"), ffi.new("rf_error *")
        if not lib.rf_null_ply(self._game.cdata, self._context.cdata, self._state, state, error):
            raise self._game.error(IllegalPlyError, "--", b"--", error)
        return Position.from_state(self._game, self._context, state)

    def play(self, plies: Iterable[str]) -> Position:
        """Return the position after several plies; raise the errors of :meth:`apply`."""
        if isinstance(plies, str | bytes) or not isinstance(plies, Iterable):
            raise TypeError(f"expected several plies, for example in a list, not {type(plies).__name__}")
        position = self
        for ply in plies:
            position = position.apply(ply)
        return position

    def _after(self, ply: int) -> Position:
        state = ffi.new("rf_state *")
        lib.rf_apply(self._game.cdata, self._context.cdata, self._state, ply, state)
        return Position.from_state(self._game, self._context, state)

    def successors(self) -> list[tuple[str, Position]]:
        """Return every legal ply in byte order, with the position after it."""
        return [(self.ply_text(ply), self._after(ply)) for ply in self.core_plies()]

    def children(self) -> Iterator[Position]:
        """Return the positions of :meth:`successors`, one at a time and without the plies, which is faster."""
        return map(self._after, self.core_plies())

    def weights(self) -> dict[str, int]:
        """Return, for a chance event, the number of cards of each result; otherwise an empty dict."""
        if not self.is_chance:
            return {}
        core = self._game.cdata
        return {
            self.ply_text(ply): int(lib.rf_weight(core, self._context.cdata, self._state, ply))
            for ply in self.core_plies()
        }

    def perft(
        self,
        depth: int,
        *,
        threads: int = 1,
        hash_mb: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        limits: Limits | None = None,
        progress: ProgressCallback | None = None,
    ) -> int:
        """Return the number of different sequences of ``depth`` plies from here; see :func:`ringfen.perft`."""
        from ringfen.counting import perft

        return perft(
            self,
            depth,
            threads=threads,
            hash_mb=hash_mb,
            seconds=seconds,
            nodes=nodes,
            limits=limits,
            progress=progress,
        )

    def solve(
        self,
        options: SolveOptions | None = None,
        *,
        progress: ProgressCallback | None = None,
        **chosen: Unpack[SolveKeywords],
    ) -> Solution:
        """Return the value of this position; see :func:`ringfen.solve` for the keywords."""
        from ringfen.solving import solve

        return solve(self, options, progress=progress, **chosen)

    def draw(self, *, side: str = "s") -> str:
        """Return the board as text, with the next player and pending actions.

        :param side: The side at the bottom: ``"s"`` or ``"n"``.
        :raises ValueError: ``side`` is neither.
        """
        from ringfen.drawing import draw

        return draw(self, side)

    def svg(self, *, side: str = "s", last: str | None = None) -> str:
        """Return the board as an SVG document, with the next player and pending actions below it.

        :param side: The side at the bottom: ``"s"`` or ``"n"``.
        :param last: The last ply, to be marked. It is not checked whether it leads to this position.
        :raises ValueError: ``side`` is neither.
        :raises ringfen.PlySyntaxError: ``last`` is not a well-formed ply of the game.
        """
        from ringfen.drawing import svg

        return svg(self, side, last)

    def _repr_svg_(self) -> str:
        """Return the drawing that notebooks show."""
        return self.svg()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._game is other._game
            and self._context.board == other._context.board
            and bool(lib.rf_equal(self._game.cdata, self._state, other._state))
        )

    def __hash__(self) -> int:
        return int(lib.rf_hash(self._game.cdata, self._context.cdata, self._state))

    def __str__(self) -> str:
        return self.fen

    def __repr__(self) -> str:
        return f"Position({self.fen!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.fen, self._context.board)


def _unpickle(fen: str, board: Board | None) -> Position:
    return Position(fen) if board is None else Position.on_board(fen, board)
