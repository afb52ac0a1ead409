"""Finds problems among positions.

Each position is examined separately, so the results do not depend on the number of workers, and a run can be resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from ringfen._core import ffi, lib
from ringfen.batch import workers
from ringfen.batch.run import OUT_OF_MEMORY, solve_all
from ringfen.batch.workers import Failure, WorkerPool
from ringfen.control import Limits, checked_int
from ringfen.errors import BatchError, LimitReached
from ringfen.position import Position
from ringfen.problems.goals import Goal, Successors, goal_for
from ringfen.problems.soundness import (
    SolutionPly,
    checked_gap,
    count_tries,
    limits_of,
    only_key,
    solution_plies,
)
from ringfen.problems.stipulation import MAX_MOVES
from ringfen.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ringfen.rules.base import Game

#: The values of ``sound``.
SOUND: Final = ("key", "line", "full")
_MAX_JOBS: Final = 1024
_MAX_PLIES: Final = int(lib.RF_MAX_PLIES)


class ProblemKeywords(TypedDict, total=False):
    """The keywords of :func:`find_problems`; see :class:`ProblemOptions`."""

    nodes: int | None
    seconds: float | None
    length: tuple[int, int]
    sound: str
    gap: int | Fraction | None
    min_tries: int
    quiet_key: bool
    min_legal: int
    keep_mirrored: bool
    tables: str | Path | None


@dataclass(frozen=True, slots=True)
class ProblemOptions:
    """Which problems to find.

    :param length: The least and the greatest number of moves of a win; of pieces left to take in a game of margins; of
        plies in a game of chance.
    :param sound: ``"key"``: one first ply meets the stipulation; ``"line"``: also, the solver has no choice after a
        defence that lasts longest; ``"full"``: after no defence.
    :param gap: By how much every other first ply must be worse; None: 1 point, or any difference of a probability.
    :param min_tries: The least number of tries.
    :param quiet_key: The key captures, displaces and removes nothing.
    :param min_legal: The least number of legal plies.
    :param keep_mirrored: Keep the symmetric twins of other problems.
    :param limits: The limits for each position.
    :param tables: The directory of endgame tables; None is the default directory.
    :raises TypeError: An option has the wrong type.
    :raises ValueError: An option is out of bounds.
    """

    length: tuple[int, int] = (2, 4)
    sound: str = "key"
    gap: int | Fraction | None = None
    min_tries: int = 0
    quiet_key: bool = False
    min_legal: int = 2
    keep_mirrored: bool = False
    limits: Limits = field(default_factory=lambda: limits_of(None, None))
    tables: str | Path | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.length, tuple) or len(self.length) != 2:
            raise TypeError("length is a pair of integers")
        for end in self.length:
            checked_int("length", end, 0, MAX_MOVES)
        if self.length[0] > self.length[1]:
            raise ValueError(f"length begins with the smaller number, not {self.length[0]}..{self.length[1]}")
        if self.sound not in SOUND:
            raise ValueError(f"sound is {', '.join(SOUND[:-1])} or {SOUND[-1]}, not {str(self.sound)[:40]!r}")
        checked_gap(self.gap, None)
        checked_int("min_tries", self.min_tries, 0, _MAX_PLIES)
        checked_int("min_legal", self.min_legal, 1, _MAX_PLIES)
        for name in ("quiet_key", "keep_mirrored"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {type(getattr(self, name)).__name__}")

    def gap_in(self, game: Game) -> Fraction | None:
        """Return the gap that applies to a game; None is the usual one.

        :raises ValueError: An option has no meaning in the game.
        """
        if self.min_tries > 0 and game.value_kind == "chance":
            raise ValueError(f"{game.id} has no tries, because no single reply refutes a ply")
        return None if game.value_kind == "win" else checked_gap(self.gap, game.value_kind)


@dataclass(frozen=True, slots=True)
class Problem:
    """A sound problem."""

    fen: str
    game: str
    #: Such as ``win in 2``, ``best margin 7`` or ``best chance 7/18 maxn 8``.
    stipulation: str
    #: The only first ply that meets it.
    key: str
    #: The number of legal plies.
    legal: int
    #: The number of first plies that fail to exactly one reply; None if a limit came before it was known. A ply after
    #: which the same side moves again has no reply.
    tries: int | None
    #: The number of other plies with which the solver also succeeds after a longest defence; None as for ``tries``.
    duals: int | None
    #: The effort: the number of positions that the search for the key, the duals and the tries visited. Endgame tables
    #: answer without a visit.
    nodes: int
    #: The least difference to the next best ply that was chosen: points or a probability; None: the usual one.
    gap: str | None = None
    #: The key and all plies of the solution after it; only the key if ``duals`` is None.
    solution: tuple[SolutionPly, ...] = ()
    #: The number of the position in the input, from 1.
    number: int = 0
    #: The version of Ringfen that found it.
    version: str = __version__

    def to_json(self) -> dict[str, Any]:
        """Return the fields as ``json.dumps`` accepts them."""
        names = [field_.name for field_ in fields(self) if field_.name != "solution"]
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of examining one position: a problem, or None."""

    fen: str
    problem: Problem | None
    nodes: int
    seconds: float
    #: Whether a limit was reached first.
    is_undecided: bool = False


def examine(position: Position, options: ProblemOptions) -> Examined:
    """Return whether a position is a problem that fits the options."""
    gap = options.gap_in(position.game)
    started = time.monotonic()
    nodes = 0
    problem: Problem | None = None
    is_undecided = False
    if not position.is_over and not position.is_chance and position.count() >= options.min_legal:
        goal = goal_for(position, options.limits, gap=gap, tables=options.tables)
        try:
            problem = _problem(goal, position, options)
        except LimitReached:
            is_undecided = True
        nodes = goal.nodes
    return Examined(position.fen, problem, nodes, round(time.monotonic() - started, 6), is_undecided)


def _problem(goal: Goal, position: Position, options: ProblemOptions) -> Problem | None:
    stipulation = goal.find(*options.length)
    if stipulation is None:
        return None
    successors = Successors(position)
    key = only_key(goal, successors)
    if key is None:
        return None
    if options.quiet_key and not lib.rf_is_quiet(
        position.game.cdata, position.context.cdata, position.state, successors.plies[key]
    ):
        return None
    solution: tuple[SolutionPly, ...] | None = (SolutionPly(1, successors.text(key)),)
    duals = tries = None
    try:
        solution = solution_plies(goal, successors, key, duals=options.sound == "key")
        if solution is None:
            return None
        if options.sound == "full" and solution_plies(goal, successors, key, duals=False, full=True) is None:
            return None
        duals = sum(ply.is_dual for ply in solution)
        tries = count_tries(goal, successors, key)
    except LimitReached:
        # The key is proven: only a condition on an unknown count leaves the problem undecided.
        if options.min_tries > 0 or (duals is None and options.sound != "key"):
            raise
    if tries is not None and tries < options.min_tries:
        return None
    assert solution is not None
    return Problem(
        fen=position.fen,
        game=position.game.id,
        stipulation=str(stipulation),
        key=successors.text(key),
        legal=successors.count,
        tries=tries,
        duals=duals,
        nodes=goal.nodes,
        gap=None if options.gap is None or position.game.value_kind == "win" else str(options.gap),
        solution=solution,
    )


def examine_one(options: ProblemOptions, position: Position) -> Examined | Failure:
    """Return the result for a position, or why it has none. The workers run this function."""
    try:
        return examine(position, options)
    except MemoryError:
        return Failure(OUT_OF_MEMORY)
    except ValueError as error:
        return Failure(str(error), misuse=True)
    except Exception as error:  # one bad position must not end a long batch
        return Failure(f"{type(error).__name__}: {error}")


class Twins:
    """Recognises positions that are equal to an earlier one, or symmetric to it under the rules of their game."""

    def __init__(self, *, keep_mirrored: bool) -> None:
        self._keep_mirrored = keep_mirrored
        self._seen: set[tuple[str, object, bytes]] = set()

    def is_new(self, position: Position) -> bool:
        """Return whether no earlier position is a twin of this one."""
        game, context = position.game, position.context
        state = position.state
        if not self._keep_mirrored:
            state = ffi.new("rf_state *")
            lib.rf_canonical(game.cdata, context.cdata, position.state, state)
        text = ffi.buffer(state, lib.rf_game_state_size(game.cdata))[:]
        key = (game.id, context.board, text)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


def in_order(
    positions: Iterable[Position],
    pool: WorkerPool,
    poll: Callable[[], None] = lambda: None,
    known: Mapping[int, Examined] | None = None,
) -> Iterator[tuple[int, Position, Examined | Failure]]:
    """Yield the number of each position from 1, the position and its result, in the order of the input.

    No position occurs twice.

    :param known: Results of an earlier run, by number.
    """
    numbers: dict[Position, int] = {}
    waiting: dict[int, tuple[Position, Examined | Failure]] = {}

    def unknown() -> Iterator[Position]:
        for number, position in enumerate(positions, 1):
            if known is not None and number in known:
                waiting[number] = position, known[number]
            else:
                numbers[position] = number
                yield position

    due = 1
    for position, result in chain(solve_all(unknown(), pool, poll), [(None, None)]):
        if position is not None:
            waiting[numbers.pop(position)] = position, result
        while due in waiting:
            yield due, *waiting.pop(due)
            due += 1


def options_of(**chosen: Unpack[ProblemKeywords]) -> ProblemOptions:
    """Return the options of keywords.

    :raises TypeError: A keyword is unknown, or a value has the wrong type.
    :raises ValueError: A value is out of bounds.
    """
    for name in chosen:
        if name not in ProblemKeywords.__annotations__:
            raise TypeError(f"unexpected keyword {name!r}: expected {', '.join(ProblemKeywords.__annotations__)}")
    rest: dict[str, Any] = dict(chosen)
    limits = limits_of(rest.pop("nodes", None), rest.pop("seconds", None))
    return ProblemOptions(limits=limits, **rest)


def find_problems(
    positions: Iterable[Position | str],
    options: ProblemOptions | None = None,
    *,
    first: int | None = None,
    jobs: int = 1,
    dask: str | None = None,
    **chosen: Unpack[ProblemKeywords],
) -> Iterator[Problem]:
    """Yield the problems among positions, in the order of the input.

    The positions are read as they are needed, so they may be endless. If positions are equal or symmetric, only
    the first is used. A position that is not decided within the limits is no problem. The other keywords are those of
    :class:`ringfen.problems.mining.ProblemOptions`, with ``nodes`` (1,000,000 by default) and ``seconds`` for its
    limits.

    :param positions: Positions or their texts.
    :param options: All keywords as one object.
    :param first: Stop after this many problems.
    :param jobs: Number of positions to examine at the same time, each in its own process.
    :param dask: The address of a Dask scheduler whose workers examine the positions (needs ``ringfen[dask]``).
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds.
    :raises ringfen.RingfenError: A text is not a position.
    :raises ringfen.BatchError: The workers cannot be used, or a position has no result, for example because memory ran
        out.
    """
    checked_int("jobs", jobs, 1, _MAX_JOBS)
    if first is not None:
        checked_int("first", first, 1, (1 << 63) - 1)
    if dask is not None and not isinstance(dask, str):
        raise TypeError(f"dask must be a str, not {type(dask).__name__}")
    if isinstance(positions, str | bytes | Position) or not isinstance(positions, Iterable):
        raise TypeError(f"expected several positions, for example in a list, not {type(positions).__name__}")
    if options is None:
        options = options_of(**chosen)
    elif chosen:
        raise TypeError("give options, or keywords such as sound, not both")
    elif not isinstance(options, ProblemOptions):
        raise TypeError(f"options is a ProblemOptions, not {type(options).__name__}")
    return _problems(positions, options, first, jobs, dask)


def _problems(
    positions: Iterable[Position | str], options: ProblemOptions, first: int | None, jobs: int, dask: str | None
) -> Iterator[Problem]:
    twins = Twins(keep_mirrored=options.keep_mirrored)
    numbers: list[int] = []

    def new() -> Iterator[Position]:
        for number, item in enumerate(positions, 1):
            position = Position.of(item)
            if twins.is_new(position):
                numbers.append(number)
                yield position

    found = 0
    with workers.pool_for(partial(examine_one, options), jobs, dask) as pool:
        for number, position, result in in_order(new(), pool):
            if isinstance(result, Failure):
                message = f"{position.fen}: {result.message}"
                raise ValueError(message) if result.misuse else BatchError(message, reason="no-answer")
            if result.problem is not None:
                yield replace(result.problem, number=numbers[number - 1])
                found += 1
                if found == first:
                    return
