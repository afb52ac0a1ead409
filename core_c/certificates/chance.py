"""Certificates of winning probabilities: layers of positions from the C core, and exact arithmetic over them.

The format is described in docs/certificates.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Final

from ringfen._core import ffi, lib
from ringfen.certificates.claims import FEWER, Claim, Proof, fault_words, raise_if_stopped
from ringfen.control import Control
from ringfen.errors import CertificateError, LimitReached
from ringfen.position import Position

#: What a probability takes in memory, about.
_BYTES_A_VALUE: Final = 48

_LOST, _WON, _OPEN, _MEAN, _MOST = (
    lib.RF_LAYER_LOST,
    lib.RF_LAYER_WON,
    lib.RF_LAYER_OPEN,
    lib.RF_LAYER_MEAN,
    lib.RF_LAYER_MOST,
)


@dataclass(frozen=True, slots=True)
class Layer:
    """The positions after a number of plies: what each is, and where it leads in the next layer."""

    kinds: bytes
    first: array[int]
    edges: array[int]
    weights: array[int]


class Layers:
    """All layers of a claim, from the root on, the last one being worked on in the C core."""

    def __init__(self, position: Position, claim: Claim, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        self._left = memory_mb << 20
        self._above: list[Layer] = []
        core, context, state = position.game.cdata, position.context.cdata, position.state
        layers = lib.rf_layers_new(core, context, state, claim.player, claim.upper, self._left)
        if layers == ffi.NULL:
            raise MemoryError
        self.cdata = ffi.gc(layers, lib.rf_layers_free)

    def size(self) -> int:
        """Positions in the layer that is worked on."""
        return int(lib.rf_layers_size(self.cdata))

    def descend(self) -> bool:
        """Goes to the next layer, if it is not empty.

        :raises ringfen.LimitReached: it takes too much memory.
        """
        layer = self._layer(with_edges=True)
        self._above.append(layer)
        self._left -= len(layer.kinds) * (5 + _BYTES_A_VALUE) + len(layer.edges) * 8
        if self._left < 0:
            raise LimitReached(f"more than {self._memory_mb} MiB of memory are needed")
        if not lib.rf_layers_descend(self.cdata):
            raise MemoryError
        return self.size() > 0

    def _layer(self, *, with_edges: bool) -> Layer:
        size = self.size()
        kinds = bytes(ffi.buffer(lib.rf_layers_kinds(self.cdata), size))
        if not with_edges:
            return Layer(kinds, array("I"), array("I"), array("I"))
        first = _numbers(lib.rf_layers_first(self.cdata), size + 1)
        edges = first[size]
        return Layer(
            kinds,
            first,
            _numbers(lib.rf_layers_edges(self.cdata), edges),
            _numbers(lib.rf_layers_weights(self.cdata), edges),
        )

    def probability(self, upper: bool) -> Fraction:
        """What the choices reach, reckoned from the layer that is worked on, where no plies are left, to the root."""
        # Values of a layer are numerators of one denominator.
        denominator = 1
        below: list[int] = []
        for layer in (self._layer(with_edges=False), *reversed(self._above)):
            below, denominator = _reckoned(layer, below, denominator, upper)
        return Fraction(below[0], denominator)


def _numbers(pointer: Any, count: int) -> array[int]:
    numbers = array("I")
    if count > 0:
        numbers.frombytes(ffi.buffer(pointer, count * numbers.itemsize))
    return numbers


def _reckoned(layer: Layer, below: Sequence[int], denominator: int, upper: bool) -> tuple[list[int], int]:
    """The values of a layer from those of the next, and their denominator."""
    sums = {}
    for place, kind in enumerate(layer.kinds):
        if kind == _MEAN:
            sums[place] = sum(layer.weights[layer.first[place] : layer.first[place + 1]])
    share = lcm(*set(sums.values()))
    whole = denominator * share
    fixed = {_LOST: 0, _WON: whole, _OPEN: whole if upper else 0}
    values = []
    for place, kind in enumerate(layer.kinds):
        if kind in fixed:
            values.append(fixed[kind])
            continue
        start, end = layer.first[place], layer.first[place + 1]
        if kind == _MEAN:
            total = sum(layer.weights[edge] * below[layer.edges[edge]] for edge in range(start, end))
            values.append(total * (share // sums[place]))
        else:
            best = max if kind == _MOST else min
            values.append(best([below[edge] for edge in layer.edges[start:end]]) * share)
    return values, whole


def verify_chance(proof: Proof) -> None:
    """Checks one claim.

    :raises ringfen.CertificateError: it is not proven.
    """
    claim = proof.claim
    layers = Layers(proof.position, claim, proof.memory_mb)
    reader = _Reader(proof, layers)
    for _ in range(claim.horizon):
        reader.read_layer()
        if not layers.descend():
            break
    reader.finish()
    reached = layers.probability(claim.upper)
    assert claim.probability is not None
    if reached > claim.probability if claim.upper else reached < claim.probability:
        raise CertificateError(f"the strategy reaches {_short(reached)}, not {_short(claim.probability)}")


def _short(probability: Fraction) -> str:
    text = str(probability)
    return text if len(text) <= 60 else f"about {float(probability):.12f}"


class _Reader:
    """Feeds the numbers of a proof to the layers."""

    def __init__(self, proof: Proof, layers: Layers) -> None:
        self._proof = proof
        self._layers = layers
        self._stream: Iterator[bytes] = proof.stream
        self._rest = b""
        self._ended = False
        self._control = Control(proof.limits, proof.progress)
        lib.rf_control_start(self._control.cdata)
        self._control.cdata.total = proof.positions

    def read_layer(self) -> None:
        """Treats the positions of the present layer."""
        core = self._layers.cdata
        while True:
            used = lib.rf_layers_feed(
                core, ffi.from_buffer(self._rest), len(self._rest), self._ended, self._control.cdata
            )
            self._control.finish()
            raise_if_stopped(self._control, self._proof.memory_mb)
            if used < 0:
                raise CertificateError(fault_words(lib.rf_layers_fault(core)))
            self._rest = self._rest[used:]
            if int(self._control.cdata.done) > self._proof.positions:
                raise CertificateError(fault_words(lib.RF_CERT_TOO_MANY))
            if lib.rf_layers_due(core) == self._layers.size():
                return
            self._fill()

    def _fill(self) -> None:
        piece = next(self._stream, None)
        if piece is None:
            self._ended = True
        else:
            self._rest += piece

    def finish(self) -> None:
        """Makes sure that nothing is left."""
        while not self._ended and not self._rest:
            self._fill()
        if self._rest:
            raise CertificateError(fault_words(lib.RF_CERT_LONG))
        if int(self._control.cdata.done) != self._proof.positions:
            raise CertificateError(FEWER)


def value_of(position: Position, claims: Sequence[Claim]) -> Any:
    """The value that a lower and an upper bound amount to: winning probabilities by player, or None while they differ.

    :raises ringfen.CertificateError: the claims are not such a pair.
    """
    if [claim.upper for claim in claims] != [False, True]:
        raise CertificateError("the claims are not a lower and an upper bound")
    lower, upper = claims
    if (lower.player, lower.horizon) != (upper.player, upper.horizon):
        raise CertificateError("the two bounds are of different players or horizons")
    if lower.probability != upper.probability:
        return None
    return [str(lower.probability) if player == lower.player else None for player in range(1, position.players + 1)]
