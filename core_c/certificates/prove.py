"""Solves positions and writes certificates of their values (docs/certificates.md).

:mod:`ringfen.certificates.verify` checks them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ringfen._core import ffi, lib
from ringfen.arguments import check_flag, check_path, check_progress
from ringfen.certificates.claims import (
    DEFAULT_MEMORY_MB,
    Claim,
    Part,
    Proved,
    new_walk,
    raise_if_stopped,
    walk_error,
)
from ringfen.certificates.file import write_file
from ringfen.certificates.prove_chance import prove_chance
from ringfen.certificates.strategy import SearchedPlies, Strategy, strategy_for
from ringfen.control import MAX_HASH_MB, Budget, Control, Limits, Progress, ProgressCallback, checked_int
from ringfen.errors import TIME_LIMIT, CertificateError, LimitReached, NotSolved
from ringfen.options import SolveKeywords, check_options_used, chosen_options, takes_solve_keywords
from ringfen.outputs import Output
from ringfen.position import Position
from ringfen.solving import SolveOptions, Value, solve
from ringfen.solving.proof_number import search_beyond_tables
from ringfen.solving.win import table_problems, without_damaged_tables
from ringfen.tables.proof_leaves import TableLeaves

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ringfen._core import rf_walk

_MAX_POSITIONS = 2**32 - 2


@takes_solve_keywords
def prove(
    position: Position | str,
    path: str | Path,
    options: SolveOptions | None = None,
    *,
    expand: bool = False,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
    **chosen: Unpack[SolveKeywords],
) -> Proved:
    """Solve a position and write a certificate of its value to ``path``.

    The keywords are those of :func:`ringfen.solve`. The limits apply to the position and all positions of the proof
    together. Games of chance are always solved with the model ``paranoid``; ``wdl`` and ``each`` have no effect. If a
    file of endgame tables cannot be used, it is skipped and listed in ``table_problems``.

    :param expand: Follow every line to the end of the game. Otherwise a proof can end at positions of endgame tables
        (Siaius, with more stones than the tables have).
    :param memory_mb: Memory for the positions of a claim, in MiB.
    :raises OSError: ``path`` cannot be written.
    :raises ringfen.NotSolved: The value is not proven within the limits.
    :raises ringfen.LimitReached: The value is proven, but a limit was reached or the memory was full before the
        certificate was complete.
    :raises TypeError: An argument has the wrong type.
    :raises ValueError: An argument is out of bounds or does not apply to the game.
    """
    solve_options = replace(chosen_options(options, chosen), wdl=False, each=False)
    check_path("path", path)
    check_flag("expand", expand)
    check_progress(progress)
    checked_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
    start, out = Position.of(position), Path(path)
    if options is None:
        check_options_used(solve_options, [start.game])
    Output(out)  # raises before any work if it cannot be written
    if start.game.value_kind == "chance":
        return prove_chance(start, out, replace(solve_options, model="paranoid"), memory_mb, progress)

    def proved(limits: Limits) -> Proved:
        return _prove(start, out, replace(solve_options, limits=limits), expand, memory_mb, progress)

    certificate = without_damaged_tables(start, solve_options, proved)
    return replace(certificate, table_problems=table_problems(start, solve_options))


def _prove(
    position: Position,
    path: Path,
    options: SolveOptions,
    expand: bool,
    memory_mb: int,
    progress: ProgressCallback | None,
) -> Proved:
    """Prove a position of a game without chance.

    :raises ringfen.TableError: A block of a table that is needed is damaged.
    """
    budget = Budget(options.limits)
    searched = _by_proof_number(position, options, budget, progress)
    if searched is not None:
        value, strategy, leaves = searched
        ends = None if expand else leaves
        return certify(position, path, value, strategy, leaves=ends, memory_mb=memory_mb, progress=progress)
    solution = solve(position, options, progress=progress)
    if solution.status != "exact":
        raise NotSolved(solution)
    budget.use(solution.nodes)
    strategy = strategy_for(position, solution, options, memory_mb, budget)
    return certify(position, path, solution.value, strategy, memory_mb=memory_mb, progress=progress)


def _by_proof_number(
    position: Position, options: SolveOptions, budget: Budget, progress: ProgressCallback | None
) -> tuple[Value, Strategy, TableLeaves] | None:
    """Solve a position with more stones than the tables have. Return its value, strategy and leaves.

    :returns: None if there are no tables for it, or it is not solved.
    """
    search = search_beyond_tables(position, options)
    if search is None or not search.solve(options.limits, progress):
        return None
    winner = search.winner(position)
    if winner != 0:
        budget.use(search.nodes)
        if not search.measure(Limits(seconds=budget.left().seconds), progress):
            raise LimitReached(TIME_LIMIT, search.nodes)
    value = "draw" if winner == 0 else "win" if winner == position.player_number else "loss"
    return value, SearchedPlies(search), TableLeaves(search.tables, position)


def certify(
    position: Position,
    path: Path,
    value: Value,
    strategy: Strategy,
    *,
    leaves: TableLeaves | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: ProgressCallback | None = None,
) -> Proved:
    """Write a certificate of a known value with the plies of a strategy.

    :param leaves: Positions at which the proof ends.
    :raises ringfen.CertificateError: The strategy's plies do not prove the value.
    :raises ringfen.LimitReached: The certificate would need more memory.
    """
    parts = [
        _ProofWriter(position, claim, strategy, leaves, memory_mb, progress).part()
        for claim in _claims(position, value)
    ]
    tables = {} if leaves is None else leaves.used()
    size = write_file(path, position.fen, None, parts, tables)
    positions = sum(part.positions for part in parts)
    return Proved(position.fen, value, [part.claim for part in parts], positions, size, tables)


def _claims(position: Position, value: Value) -> list[Claim]:
    """Return the claims that prove a value. The walk fills in ``within``."""
    mover = position.player_number
    other = 3 - mover
    if value == "win":
        return [Claim(mover, at_least=1)]
    if value == "loss":
        return [Claim(other, at_least=1)]
    margin = 0 if value == "draw" else value
    assert isinstance(margin, int)
    return [Claim(mover, at_least=margin), Claim(other, at_least=-margin)]


class _ProofWriter:
    """Visits the positions that prove one claim.

    The first walk uses the ply that the strategy prefers in each position. If these plies repeat positions and the
    claim forces an end, retrograde analysis over all plies of the strategy finds the ones that make progress, and a
    second walk uses those.
    """

    def __init__(
        self,
        position: Position,
        claim: Claim,
        strategy: Strategy,
        leaves: TableLeaves | None,
        memory_mb: int,
        progress: ProgressCallback | None,
    ) -> None:
        self._position = position
        self._claim = claim
        self._strategy = strategy
        self._leaves = leaves
        self._memory_mb = memory_mb
        self._progress = progress

    def part(self) -> Part:
        """Return the complete claim with its proof."""
        part = self._walk_with(self._preferred)
        if part is None and self._leaves is None:
            choices = self._forcing_choices()
            part = self._walk_with(lambda _walk, here: choices[here])
        if part is None:
            raise CertificateError("the plies of the strategy do not force an end")
        return part

    def _preferred(self, walk: rf_walk, here: Position) -> str:
        return self._strategy.preferred(here, self._claim, lambda child: bool(lib.rf_walk_has(walk, child.state)))

    def _walk_with(self, choose: Callable[[rf_walk, Position], str]) -> Part | None:
        """Return the proof with the plies of ``choose``; None if they repeat positions and the claim forces an end."""
        walk = new_walk(self._position, self._claim, self._leaves, _MAX_POSITIONS, self._memory_mb, writing=True)
        control = Control()
        lib.rf_control_start(control.cdata)
        while True:
            state = ffi.new("rf_state *")
            due = lib.rf_walk_next(walk, state, control.cdata)
            control.finish()
            raise_if_stopped(control, self._memory_mb)
            if due < 0:
                raise walk_error(walk, self._leaves)
            if due == 0:
                break
            here = Position.from_state(self._position.game, self._position.context, state)
            if not lib.rf_walk_choose(walk, here.core_ply(choose(walk, here))):
                raise walk_error(walk, self._leaves)
            self._report(int(control.cdata.done), int(lib.rf_walk_positions(walk)))
        unranked = lib.rf_walk_rank(walk)
        if unranked < 0:
            raise MemoryError
        if unranked > 0:
            return None
        claim = self._claim
        if claim.at_least > 0:
            claim = replace(claim, within=int(lib.rf_walk_root_rank(walk)))
        return Part(claim, int(lib.rf_walk_positions(walk)), _compressed(walk))

    def _report(self, done: int, found: int = 0) -> None:
        if self._progress is not None:
            self._progress(Progress(0 if found else done, 0, done, found))

    def _forcing_choices(self) -> dict[Position, str]:
        """Return a ply that makes progress for each position of the player, found by retrograde analysis."""
        # 1. Count how many successors of each position must be settled, and settle those with a final ply.
        graph = self._strategy_graph()
        parents: dict[Position, list[tuple[str, Position]]] = {}
        open_successors: dict[Position, int] = {}
        chosen: dict[Position, str] = {}
        settled: list[Position] = []
        for here, successors in graph.items():
            decides = self._decides(here)
            unfinished = [(ply, child) for ply, child in successors if not child.is_over]
            open_successors[here] = 1 if decides else len(unfinished)
            if decides and len(unfinished) < len(successors):
                open_successors[here] = 0
                chosen[here] = next(ply for ply, child in successors if child.is_over)
            if open_successors[here] == 0:
                settled.append(here)
                continue
            for ply, child in unfinished:
                parents.setdefault(child, []).append((ply, here))
        # 2. Settle parents until nothing changes.
        for here in settled:
            for ply, parent in parents.get(here, ()):
                open_successors[parent] -= 1
                if open_successors[parent] == 0:
                    settled.append(parent)
                    chosen[parent] = ply
        if open_successors[self._position] > 0:
            raise CertificateError("the plies of the strategy do not force an end")
        return chosen

    def _decides(self, here: Position) -> bool:
        return here.player_number == self._claim.player

    def _strategy_graph(self) -> dict[Position, list[tuple[str, Position]]]:
        """Return the positions after plies of the strategy and any plies of the opponent, with their successors."""
        graph: dict[Position, list[tuple[str, Position]]] = {}
        queue = [self._position]
        for here in queue:
            if here in graph:
                continue
            successors = here.successors()
            if self._decides(here):
                chosen = frozenset(self._strategy.plies(here, self._claim))
                successors = [(ply, child) for ply, child in successors if ply in chosen]
            graph[here] = successors
            queue.extend(child for _, child in successors if not child.is_over and child not in graph)
            self._report(len(graph))
        return graph


def _compressed(walk: rf_walk) -> bytes:
    out = ffi.new("unsigned char[]", 1 << 16)
    index = ffi.new("uint64_t *", 0)
    pack = zlib.compressobj(9)
    pieces = []
    while size := lib.rf_walk_write(walk, index, out, len(out)):
        pieces.append(pack.compress(ffi.buffer(out, size)))
    return b"".join([*pieces, pack.flush()])
