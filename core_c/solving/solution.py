"""The answer of a solver, and its form in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any, Final

from ringfen._core import lib
from ringfen.errors import RingfenError, TableError
from ringfen.options import SolveOptions
from ringfen.position import Position
from ringfen.version import __version__

#: What every answer holds as JSON, in this order.
JSON_FIELDS: Final = (
    *("fen", "game", "status", "value", "result", "margin", "probabilities", "distance", "best", "best_complete", "pv"),
    *("pv_complete", "nodes", "seconds", "lower", "upper", "decided", "endless", "model", "horizon", "player", "until"),
    *("open", "note", "version"),
)

#: A value: ``"win"``, ``"loss"`` or ``"draw"`` for the side to move; a margin for the side to move; or the winning
#: probability of each player (None where the model gives none). Bounds of a probability are single fractions.
Value = str | int | Fraction | Sequence[Fraction | None] | None


@dataclass(frozen=True, slots=True)
class PlyValue:
    """The value of the position after a ply, for the side to move there, as in a :class:`Solution`."""

    ply: str
    status: str
    value: Value = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """The proven result for a position. docs/concepts.md says what each status promises.

    ``status``: ``exact``; ``bound`` (``lower`` and ``upper`` hold; ``value`` is None, but for wins and losses whose
    distance alone is open); ``horizon`` (chance, ``maxn``); ``unknown`` (a limit was reached; nothing is proven but
    ``decided``).
    """

    fen: str
    game: str
    status: str
    value: Value = None
    #: Plies to the end if the winner hurries and the loser delays; None for draws and other kinds of value.
    distance: int | None = None
    #: Plies that keep the value (of wins and losses: the distance), in byte order.
    best: tuple[str, ...] = ()
    #: Whether ``best`` holds every such ply.
    best_complete: bool = False
    #: A line of best play to the end, to the first repetition, or in a game of chance to the next chance event or the
    #: horizon.
    pv: tuple[str, ...] = ()
    #: False if a limit cut ``pv`` short, or no line is known.
    pv_complete: bool = False
    nodes: int = 0
    seconds: float = 0.0
    #: Bounds: (margin) of the value, in points for the side to move; (chance, ``paranoid``) of the probability; (win,
    #: loss, draw) of the distance, in plies, None where nothing is proven.
    lower: Value = None
    upper: Value = None
    #: (win, loss, draw) no forced win of either side within this many plies.
    decided: int | None = None
    #: (margin) whether best play never ends.
    endless: bool | None = None
    #: (chance) the model it was computed by.
    model: str | None = None
    #: (chance) plies after which a game is broken off.
    horizon: int | None = None
    #: (chance, ``paranoid``) whose probability it is.
    player: int | None = None
    #: (chance, ``paranoid``) what was asked to be ``open`` at most.
    until: Fraction | None = None
    #: (chance) the probability that a game is not over at the horizon.
    open: Fraction | None = None
    #: Why there is no better answer, if not because of a limit that was asked for.
    note: str | None = None
    #: The version of Ringfen that gave the answer.
    version: str = __version__
    #: What is proven after every legal ply, in byte order; None if that was not asked.
    plies: tuple[PlyValue, ...] | None = None
    #: The errors of files of endgame tables that were skipped. They are not part of the answer.
    table_problems: tuple[TableError, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        # To the microsecond, as it is written, so that what is read back is equal.
        object.__setattr__(self, "seconds", round(self.seconds, 6))

    @property
    def result(self) -> str | None:
        """``"win"``, ``"loss"`` or ``"draw"`` for the side to move, where the value is one of these."""
        return self.value if isinstance(self.value, str) else None

    @property
    def margin(self) -> int | None:
        """The margin for the side to move, where the value is one."""
        return self.value if isinstance(self.value, int) else None

    @property
    def probabilities(self) -> tuple[Fraction | None, ...] | None:
        """Each player's probability of winning, player 1 first, where the value is such; None for one not asked for."""
        return tuple(self.value) if isinstance(self.value, tuple | list) else None

    def _repr_html_(self) -> str:
        """Return the view for notebooks: the board, if it can be drawn, and the result as a table."""
        try:
            drawing = Position(self.fen).svg()
        except RingfenError:  # a board of GRAN that is not at hand
            drawing = ""
        rows = [(name, str(value)) for name, value in self._facts() if value not in (None, "")]
        cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows)
        return f"<div>{drawing}<table>{cells}</table></div>"

    def _facts(self) -> list[tuple[str, object]]:
        """Return the known results by name."""
        bounds = None if self.status != "bound" else f"{_words(self.lower)} to {_words(self.upper)}"
        if bounds is not None and self.result is not None:
            bounds = f"{self.lower} to {self.upper or '?'} plies"
        complete = "best" if self.best_complete else "best (some)"
        return [
            ("position", self.fen),
            ("status", self.status),
            ("value", None if self.value is None else _words(self.value)),
            ("bounds", bounds),
            ("plies to the end", self.distance),
            (complete, " ".join(self.best)),
            ("line" if self.pv_complete else "line (cut short)", " ".join(self.pv)),
            ("model", None if self.model is None else f"{self.model}, horizon {self.horizon}, {self.open} open"),
            ("note", self.note),
            ("effort", f"{self.nodes:,} nodes, {self.seconds:.2f} s"),
        ]

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Solution:
        """Return the solution that :meth:`to_json` gave these fields for.

        All but ``fen``, ``game`` and ``status`` may be missing or None. Others than those of a solution are ignored.

        :raises TypeError: A field has the wrong type.
        :raises ValueError: A field is missing, or a text is not that of a value.
        """
        known = _checked_fields(_FIELD_TYPES, fields, "the fields of a solution")
        for name in ("value", "lower", "upper", "until", "open"):
            if name in known:
                known[name] = _read(name, known[name])
        for name in ("best", "pv"):
            known[name] = _texts(name, known.get(name, ()))
        if "plies" in known:
            known["plies"] = tuple(map(_read_ply_value, known["plies"]))
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of :data:`JSON_FIELDS`, None where they do not apply, fractions as ``"3/8"``.

        ``plies`` comes after them if it was asked for.
        """
        out = {name: _plain(getattr(self, name)) for name in JSON_FIELDS}
        if self.plies is not None:
            out["plies"] = [
                {"ply": row.ply, "status": row.status, "value": _plain(row.value), "distance": row.distance}
                for row in self.plies
            ]
        return out


def _words(value: Value) -> str:
    if value is None:
        return "?"
    if isinstance(value, int):
        return f"{value:+d}"
    if isinstance(value, tuple | list):
        return " ".join("?" if share is None else str(share) for share in value)
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


#: What the fields of a solution are as JSON, in words and in types; of lists, what is in them is checked apart.
_TEXT: Final = ("a text", (str,))
_COUNT: Final = ("an integer", (int,))
_TRUTH: Final = ("True or False", (bool,))
_LIST: Final = ("a list", (list, tuple))
_VALUE: Final = ("a text, an integer or a list", (str, int, Fraction, list, tuple))
_NUMBER: Final = ("a text or a number", (str, int, float, Fraction))
_FIELD_TYPES: Final[Mapping[str, tuple[str, tuple[type, ...]]]] = {
    **dict.fromkeys(("fen", "game", "status", "model", "note", "version"), _TEXT),
    **dict.fromkeys(("distance", "nodes", "decided", "horizon", "player"), _COUNT),
    **dict.fromkeys(("best_complete", "pv_complete", "endless"), _TRUTH),
    **dict.fromkeys(("best", "pv", "plies"), _LIST),
    **dict.fromkeys(("value", "lower", "upper"), _VALUE),
    **dict.fromkeys(("until", "open"), _NUMBER),
    "seconds": ("a number", (int, float)),
}
_PLY_FIELD_TYPES: Final = {"ply": _TEXT, "status": _TEXT, "value": _VALUE, "distance": _COUNT}
#: What cannot be missing.
_NEEDED: Final = ("fen", "game", "ply", "status")


def _checked_fields(types: Mapping[str, tuple[str, tuple[type, ...]]], fields: Any, what: str) -> dict[str, Any]:
    """Return those fields that have a type here and are not None.

    :raises TypeError: One has the wrong type.
    :raises ValueError: One that is needed is missing.
    """
    if not isinstance(fields, Mapping):
        raise TypeError(f"{what} are a mapping, not {type(fields).__name__}")
    known = {}
    for name, (words, allowed) in types.items():
        value = fields.get(name)
        if value is None:
            if name in _NEEDED:
                raise ValueError(f"{what} have no {name}")
            continue
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise TypeError(f"{name} is {words}, not {type(value).__name__}")
        known[name] = value
    return known


def _texts(name: str, items: Iterable[Any]) -> tuple[str, ...]:
    for item in items:
        if not isinstance(item, str):
            raise TypeError(f"{name} is a list of texts, not of {type(item).__name__}")
    return tuple(items)


def _read_ply_value(row: Any) -> PlyValue:
    known = _checked_fields(_PLY_FIELD_TYPES, row, "the fields of a ply's value")
    return PlyValue(**{**known, "value": _read("value", known.get("value"))})


def _read(name: str, value: Any) -> Any:
    """Return a value as :func:`_plain` wrote it."""
    if isinstance(value, str) and value not in ("win", "loss", "draw"):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"{name} is not a value: {value[:40]!r}") from None
    if isinstance(value, list | tuple):
        for item in value:
            if item is not None and (isinstance(item, bool) or not isinstance(item, str | int | Fraction)):
                raise TypeError(f"{name} is a list of texts, not of {type(item).__name__}")
        return tuple(_read(name, item) for item in value)
    return value


def asked_player(position: Position, options: SolveOptions) -> int:
    """Return the player whose probability ``paranoid`` computes."""
    if options.player is not None:
        return options.player
    return int(lib.rf_player(position.game.cdata, position.context.cdata, position.state))
