"""The options of a solver: one definition for ``solve``, ``Position.solve``, ``solve_many``, ``prove`` and the
command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

from ringfen._core import lib
from ringfen.control import MAX_HASH_MB, MAX_PLIES, MAX_THREADS, Limits, checked_int

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from ringfen.rules import Game

#: How games of chance can be solved.
MODELS: Final = ("maxn", "paranoid")
#: Plies after which a game of chance ends if ``depth`` is None.
USUAL_HORIZON: Final = 8
#: The options that have an effect only for some kinds of value.
_OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "win": ("depth", "tables", "wdl"),
    "margin": (),
    "chance": ("depth", "model", "player", "until"),
}

_F = TypeVar("_F", bound=Callable[..., Any])


class SolveKeywords(TypedDict, total=False):
    """The keywords of the functions that solve; :class:`SolveOptions` documents them."""

    seconds: float | None
    nodes: int | None
    threads: int
    hash_mb: int
    depth: int | None
    model: str
    player: int | None
    until: Fraction | None
    wdl: bool
    each: bool
    tables: str | Path | None


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """The options of a solver. An option that does not apply to a game has no effect there.

    :param limits: The limits of each position: ``nodes`` and ``seconds``.
    :param threads: The number of threads per position. It never changes an answer unless a limit is reached.
    :param hash_mb: Memory for tables in MiB, 1 or more. It never changes an answer unless a limit is reached.
    :param depth: Maximum number of plies to search, 1 to 200. (win, loss, draw) None is no limit. (chance) The horizon,
        8 if None and ``until`` is None.
    :param model: (chance) ``"maxn"``: each player plays for themselves; ``"paranoid"``: all play against ``player``.
    :param player: (chance, ``paranoid``) The player whose probability is computed; None is the player to move.
    :param until: (chance, ``paranoid``) Search deeper until the bounds differ by at most this probability.
    :param wdl: (win, loss, draw) Find only the value, not the distance.
    :param each: Also solve the position after every legal ply, within the same limits.
    :param tables: (win, loss, draw) The directory of endgame tables; None is the default directory.
    :raises TypeError: An option has the wrong type.
    :raises ValueError: An option is out of bounds.
    """

    limits: Limits = field(default_factory=Limits)
    threads: int = 1
    hash_mb: int = 256
    depth: int | None = None
    model: str = "maxn"
    player: int | None = None
    until: Fraction | None = None
    wdl: bool = False
    each: bool = False
    tables: str | Path | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits is a Limits, not {type(self.limits).__name__}")
        checked_int("hash_mb", self.hash_mb, 1, MAX_HASH_MB)
        checked_int("threads", self.threads, 1, MAX_THREADS)
        if self.depth is not None:
            checked_int("depth", self.depth, 1, MAX_PLIES)
        if self.tables is not None:
            _check_tables(self.tables)
        if not isinstance(self.model, str):
            raise TypeError(f"model must be a str, not {type(self.model).__name__}")
        if self.model not in MODELS:
            raise ValueError(f"the model is {' or '.join(MODELS)}, not {self.model[:40]!r}")
        if self.player is not None:
            checked_int("player", self.player, 1, int(lib.RF_MAX_PLAYERS))
        if self.until is not None:
            _check_until(self.until)
        for name in ("wdl", "each"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {type(getattr(self, name)).__name__}")

    @property
    def horizon(self) -> int:
        """The number of plies after which a game of chance ends."""
        return USUAL_HORIZON if self.depth is None else self.depth


def _check_tables(value: Any) -> None:
    from pathlib import Path

    if not isinstance(value, str | Path):
        raise TypeError(f"tables must be a str or a Path, not {type(value).__name__}")


def _check_until(value: Any) -> None:
    from fractions import Fraction

    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise TypeError(f"until must be a number, not {type(value).__name__}")
    if not 0 <= value <= 1:
        raise ValueError("until is a probability, 0 to 1")


def takes_solve_keywords(function: _F) -> _F:
    """Show the keywords of :class:`SolveOptions` in the signature of a function that takes them as ``**chosen``."""
    shown = signature(function)
    parameters = [found for found in shown.parameters.values() if found.kind is not Parameter.VAR_KEYWORD]
    defaults: dict[str, Any] = {"seconds": None, "nodes": None}
    defaults |= {found.name: found.default for found in fields(SolveOptions) if found.name != "limits"}
    types = SolveKeywords.__annotations__
    parameters += [
        Parameter(
            name, Parameter.KEYWORD_ONLY, default=default, annotation=getattr(types[name], "__forward_arg__", Any)
        )
        for name, default in defaults.items()
    ]
    function.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def chosen_options(options: SolveOptions | None, chosen: Mapping[str, Any]) -> SolveOptions:
    """Return the options that a call was given, as one object or as keywords.

    :param chosen: Keywords of :class:`SolveKeywords`.
    :raises TypeError: Both were given, a keyword is unknown, or a value has the wrong type.
    :raises ValueError: A value is out of bounds.
    """
    for name in chosen:
        if name not in SolveKeywords.__annotations__:
            raise TypeError(f"unexpected keyword {name!r}: expected {', '.join(SolveKeywords.__annotations__)}")
    rest = dict(chosen)
    limits = Limits(rest.pop("nodes", None), rest.pop("seconds", None))
    found = SolveOptions(limits, **rest)
    if options is None:
        return found
    if not isinstance(options, SolveOptions):
        raise TypeError(f"options is a SolveOptions, not {type(options).__name__}")
    if found != SolveOptions():
        raise TypeError("give options, or keywords such as seconds, not both")
    return options


def unused_options(options: SolveOptions, kinds: Iterable[str]) -> list[str]:
    """Return the names of options that are set but have no effect for these kinds of value (``Game.value_kind``)."""
    used = {name for kind in kinds for name in _OF_KIND[kind]}
    usual = SolveOptions()
    unused = dict.fromkeys(name for names in _OF_KIND.values() for name in names if name not in used)
    return [name for name in unused if getattr(options, name) != getattr(usual, name)]


def check_options_used(options: SolveOptions, games: Iterable[Game]) -> None:
    """Reject options that have no effect in any of these games.

    :raises ValueError: There is such an option.
    """
    given = dict.fromkeys(games)
    unused = unused_options(options, {game.value_kind for game in given}) if given else []
    if unused:
        raise ValueError(f"{unused[0]} is not an option of {' or '.join(game.id for game in given)}")
