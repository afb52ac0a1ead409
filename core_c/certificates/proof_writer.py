"""Visits the positions of a proof in a game of two players, and writes the plies that prove a claim."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ringfen._core import ffi, lib
from ringfen.certificates.claims import Claim, Part, certificate_error, new_certificate, raise_if_stopped
from ringfen.certificates.strategy import Strategy
from ringfen.control import Control, Progress, ProgressCallback
from ringfen.errors import CertificateError
from ringfen.position import Position
from ringfen.tables.proof_leaves import TableLeaves

if TYPE_CHECKING:
    from ringfen._core import rf_certificate

_MAX_POSITIONS = 2**32 - 2


class ProofWriter:
    """Visits the positions that prove one claim.

    The first walk uses the ply that the strategy prefers in each position. If these plies repeat positions and the
    claim forces an end, retrograde analysis over all plies of the strategy finds the ones that make progress, and a
    second walk uses those.
    """

    def __init__(
        self,
        position: Position,
        claim: Claim,
        strategy: Strategy | None,
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
        """Return the complete claim with its proof.

        :raises ringfen.CertificateError: The strategy's plies do not prove the claim.
        :raises ringfen.LimitReached: The proof needs more memory.
        """
        part = self._write_with(self._preferred)
        if part is None and self._leaves is None:
            choices = self._forcing_choices()
            part = self._write_with(lambda _certificate, here: choices[here])
        if part is None:
            raise CertificateError("the plies of the strategy do not force an end")
        return part

    def part_with(self, choose: Callable[[rf_certificate, Position], str]) -> Part:
        """Return a claim that forces no end, with the plies of ``choose``, which gets the walk and a position."""
        part = self._write_with(choose)
        assert part is not None
        return part

    def _preferred(self, certificate: rf_certificate, here: Position) -> str:
        assert self._strategy is not None
        return self._strategy.preferred(
            here, self._claim, lambda child: bool(lib.rf_certificate_contains(certificate, child.state))
        )

    def _write_with(self, choose: Callable[[rf_certificate, Position], str]) -> Part | None:
        """Return the proof with the plies of ``choose``; None if they repeat positions and the claim forces an end."""
        certificate = new_certificate(
            self._position, self._claim, self._leaves, _MAX_POSITIONS, self._memory_mb, writing=True
        )
        control = Control()
        lib.rf_control_start(control.cdata)
        while True:
            state = ffi.new("rf_state *")
            due = lib.rf_certificate_next_decision(certificate, state, control.cdata)
            control.finish()
            raise_if_stopped(control, self._memory_mb)
            if due < 0:
                raise certificate_error(certificate, self._leaves)
            if due == 0:
                break
            here = Position.from_state(self._position.game, self._position.context, state)
            if not lib.rf_certificate_choose(certificate, here.core_ply(choose(certificate, here)), control.cdata):
                control.finish()
                raise_if_stopped(control, self._memory_mb)
                raise certificate_error(certificate, self._leaves)
            self._report(int(control.cdata.done), int(lib.rf_certificate_positions(certificate)))
        unranked = lib.rf_certificate_compute_ranks(certificate)
        if unranked < 0:
            raise MemoryError
        if unranked > 0:
            return None
        claim = self._claim
        if claim.at_least > 0:
            claim = replace(claim, within=int(lib.rf_certificate_root_rank(certificate)))
        return Part(claim, int(lib.rf_certificate_positions(certificate)), _compressed(certificate))

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
        if any(open_successors[start] > 0 for start in self._starts()):
            raise CertificateError("the plies of the strategy do not force an end")
        return chosen

    def _starts(self) -> list[Position]:
        """Return the unfinished positions with which the proof begins."""
        excluded = self._claim.excluded
        if excluded is None:
            return [self._position]
        return [child for ply, child in self._position.successors() if ply != excluded and not child.is_over]

    def _decides(self, here: Position) -> bool:
        return here.player_number == self._claim.player

    def _strategy_graph(self) -> dict[Position, list[tuple[str, Position]]]:
        """Return the positions after plies of the strategy and any plies of the opponent, with their successors."""
        assert self._strategy is not None
        graph: dict[Position, list[tuple[str, Position]]] = {}
        queue = self._starts()
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


def _compressed(certificate: rf_certificate) -> bytes:
    out = ffi.new("unsigned char[]", 1 << 16)
    index = ffi.new("uint64_t *", 0)
    pack = zlib.compressobj(9)
    pieces = []
    while size := lib.rf_certificate_write(certificate, index, out, len(out)):
        pieces.append(pack.compress(ffi.buffer(out, size)))
    return b"".join([*pieces, pack.flush()])
