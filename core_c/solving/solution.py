"""The answer of a solver, and its form in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Final

from ringfen.errors import RingfenError, TableError
from ringfen.position import Position
from ringfen.version import __version__

if TYPE_CHECKING:
    from ringfen.options import SolveOptions

#: The fields of every answer in JSON, in this order.
JSON_FIELDS: Final = (
    *("fen", "game", "status", "value", "result", "margin", "probabilities", "distance", "best", "best_complete", "pv"),
    *("pv_complete", "nodes", "seconds", "lower", "upper", "decided", "endless", "model", "horizon", "player", "until"),
    *("open", "note", "version"),
)

#: A value: ``"win"``, ``"loss"`` or ``"draw"`` for the side to move; a margin for the side to move; or the winning
#: probability of each player (None if the model does not compute it). Bounds of a probability are single fractions.
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
    """The proven result for a position. docs/concepts.md explains what each status guarantees.

    ``status``: ``exact``; ``bound`` (``lower`` and ``upper`` are proven; ``value`` is None, except for wins and losses
    of which only the distance is unknown); ``horizon`` (chance, ``maxn``); ``unknown`` (a limit was reached; only
    ``decided`` is proven).
    """

    fen: str
    game: str
    status: str
    value: Value = None
    #: Plies to the end if the winner wins as soon as possible and the loser delays; None for draws and other values.
    distance: int | None = None
    #: Plies that keep the value (in a win or loss also the distance), in byte order.
    best: tuple[str, ...] = ()
    #: Whether ``best`` contains every such ply.
    best_complete: bool = False
    #: A line of best play to the end or to the first repetition; in a game of chance, to the next chance event or to
    #: the horizon.
    pv: tuple[str, ...] = ()
    #: False if ``pv`` ends early because of a limit, or no line is known.
    pv_complete: bool = False
    nodes: int = 0
    seconds: float = 0.0
    #: Bounds: (margin) of the value, in points for the side to move; (chance, ``paranoid``) of the probability; (win,
    #: loss) of the distance, in plies. None if nothing is proven.
    lower: Value = None
    upper: Value = None
    #: (win, loss, draw) Neither side has a forced win within this many plies.
    decided: int | None = None
    #: (margin) Whether best play never ends.
    endless: bool | None = None
    #: (chance) The model of the other players: ``maxn`` or ``paranoid``.
    model: str | None = None
    #: (chance) The number of plies after which a game is broken off.
    horizon: int | None = None
    #: (chance, ``paranoid``) The player whose probability is computed.
    player: int | None = None
    #: (chance, ``paranoid``) The requested maximum of ``open``.
    until: Fraction | None = None
    #: (chance) The probability that a game is not over at the horizon.
    open: Fraction | None = None
    #: Why there is no better answer, unless a requested limit was reached.
    note: str | None = None
    #: The version of Ringfen that computed the answer.
    version: str = __version__
    #: The values after all legal plies, in byte order; None without ``each``.
    plies: tuple[PlyValue, ...] | None = None
    #: The errors of files of endgame tables that were skipped. They are not part of the answer.
    table_problems: tuple[TableError, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        # Rounded as in JSON, so that a solution that is written and read again is equal.
        object.__setattr__(self, "seconds", round(self.seconds, 6))

    @property
    def result(self) -> str | None:
        """``"win"``, ``"loss"`` or ``"draw"`` for the side to move, if the value is one of these."""
        return self.value if isinstance(self.value, str) else None

    @property
    def margin(self) -> int | None:
        """The margin for the side to move, if the value is a margin."""
        return self.value if isinstance(self.value, int) else None

    @property
    def probabilities(self) -> tuple[Fraction | None, ...] | None:
        """Each player's winning probability, player 1 first, if the value is one; None for players without a value."""
        return tuple(self.value) if isinstance(self.value, tuple | list) else None

    def is_bounded(self, options: SolveOptions) -> bool:
        """Return whether the bounds of a probability (``paranoid``) answer the question, and no limit was reached."""
        if self.status != "bound" or self.model != "paranoid":
            return False
        if options.until is not None:
            return self.open is not None and self.open <= options.until
        return self.horizon == options.horizon

    def _repr_html_(self) -> str:
        """Return the view for notebooks: the board, if it can be drawn, and the result as a table."""
        try:
            drawing = Position(self.fen).svg()
        except RingfenError:  # the GRAN board cannot be found
            drawing = ""
        rows = [(name, str(value)) for name, value in self._rows() if value not in (None, "")]
        cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows)
        return f"<div>{drawing}<table>{cells}</table></div>"

    def _rows(self) -> list[tuple[str, object]]:
        """Return the rows of the view for notebooks."""
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
        """Return the solution from the fields that :meth:`to_json` returned.

        All fields except ``fen``, ``game`` and ``status`` may be missing or None. Unknown fields are ignored.

        :raises TypeError: A field has the wrong type.
        :raises ValueError: A field is missing, or a text is not a value.
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
        """Return the fields of :data:`JSON_FIELDS`: None if a field does not apply, and fractions as ``"3/8"``.

        With ``each``, ``plies`` follows them.
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


#: The types of the fields of a solution in JSON, with their names in messages. The items of lists are checked
#: separately.
_TEXT: Final = ("a str", (str,))
_COUNT: Final = ("an int", (int,))
_TRUTH: Final = ("True or False", (bool,))
_LIST: Final = ("a list", (list, tuple))
_VALUE: Final = ("a str, an int or a list", (str, int, Fraction, list, tuple))
_NUMBER: Final = ("a str or a number", (str, int, float, Fraction))
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
#: Fields that must not be missing.
_REQUIRED: Final = ("fen", "game", "ply", "status")


def _checked_fields(types: Mapping[str, tuple[str, tuple[type, ...]]], fields: Any, noun: str) -> dict[str, Any]:
    """Return the fields that are in ``types`` and are not None.

    :raises TypeError: A field has the wrong type.
    :raises ValueError: A required field is missing.
    """
    if not isinstance(fields, Mapping):
        raise TypeError(f"{noun} must be a mapping, not {type(fields).__name__}")
    known = {}
    for name, (words, allowed) in types.items():
        value = fields.get(name)
        if value is None:
            if name in _REQUIRED:
                raise ValueError(f"{noun} have no {name}")
            continue
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise TypeError(f"{name} must be {words}, not {type(value).__name__}")
        known[name] = value
    return known


def _texts(name: str, items: Iterable[Any]) -> tuple[str, ...]:
    for item in items:
        if not isinstance(item, str):
            raise TypeError(f"{name} must be a list of str, not of {type(item).__name__}")
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
                raise TypeError(f"{name} must be a list of str, not of {type(item).__name__}")
        return tuple(_read(name, item) for item in value)
    return value
