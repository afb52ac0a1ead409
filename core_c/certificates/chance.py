"""Certificates of winning probabilities: layers of positions from the C core, and exact arithmetic over them.

The format is described in docs/certificates.md.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.certificates.claims import FEWER, Claim, Proof, fault_words, raise_if_stopped
from ringfen.control import Control, Limits
from ringfen.errors import CANCELLED, TIME_LIMIT, CertificateError, LimitReached
from ringfen.memory import owned
from ringfen.position import Position

if TYPE_CHECKING:
    from ringfen._core import Array

#: What a layer takes in memory beside its arrays, about.
_BYTES_A_LAYER: Final = 512

#: What an integer takes beside its digits, and its place in a list.
_BYTES_OF_A_NUMBER: Final = 32
_BYTES_BETWEEN_POLLS: Final = 1 << 20
#: Longer denominators are not shown.
_BITS_SHOWN: Final = 96

_LOST, _WON, _OPEN, _MEAN, _MOST, _LEAST = (
    lib.RF_LAYER_LOST,
    lib.RF_LAYER_WON,
    lib.RF_LAYER_OPEN,
    lib.RF_LAYER_MEAN,
    lib.RF_LAYER_MAX,
    lib.RF_LAYER_MIN,
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
        # Half is for the two layers in the C core, half for what is kept of those above and for probabilities.
        self._left = memory_mb << 19
        self._above: list[Layer] = []
        core, context, state = position.game.cdata, position.context.cdata, position.state
        layers = lib.rf_layers_new(core, context, state, claim.player, claim.upper, self._left)
        self.cdata = owned(layers, lib.rf_layers_free)

    def size(self) -> int:
        """Positions in the layer that is worked on."""
        return int(lib.rf_layers_size(self.cdata))

    def descend(self) -> bool:
        """Go to the next layer, if it is not empty.

        :raises ringfen.LimitReached: It takes too much memory.
        """
        layer = self._layer(with_edges=True)
        self._above.append(layer)
        self._left -= len(layer.kinds) * 5 + len(layer.edges) * 8 + _BYTES_A_LAYER
        if self._left < 0:
            raise self._too_little()
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

    def _too_little(self) -> LimitReached:
        return LimitReached(f"more than {self._memory_mb} MiB of memory are needed")

    def reached(self, upper: bool, poll: Callable[[], None] = lambda: None) -> tuple[int, int]:
        """Return the value of the choices, computed from the current layer, in which no plies are left, to the
        root: a numerator and a denominator, which can be very long and are not in lowest terms.

        :param poll: Called now and then; its exceptions pass through.
        :raises ringfen.LimitReached: It takes too much memory.
        """
        layers = (self._layer(with_edges=False), *reversed(self._above))
        try:
            return reckoned(layers, upper, self._left, poll)
        except MemoryError:
            raise self._too_little() from None

    def probability(self, upper: bool) -> Fraction:
        """Return what the choices reach; raises as :meth:`reached`."""
        return Fraction(*self.reached(upper))


def _numbers(pointer: Array[int], count: int) -> array[int]:
    numbers = array("I")
    if count > 0:
        numbers.frombytes(ffi.buffer(pointer, count * numbers.itemsize))
    return numbers


def reckoned(
    layers: Iterable[Layer], upper: bool, room: int, poll: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Return the value of the only position of the last layer, each layer leading into the one before.

    :param room: Bytes that the values of two layers may take.
    :param poll: Called now and then.
    :raises MemoryError: They take more.
    """
    work = _Work(poll)
    denominator, taken = 1, 0
    below: list[int] = []
    for layer in layers:
        share = _common_share(layer, work)
        whole = denominator * share
        # A number takes a word of 4 bytes for every 30 bits, and a head; most values are new numbers.
        size = (whole.bit_length() // 30 + 1) * 4 + _BYTES_OF_A_NUMBER
        values = len(layer.kinds) * 8 + sum(map(layer.kinds.count, (_MEAN, _MOST, _LEAST))) * size
        if taken + values > room:
            raise MemoryError
        below, denominator, taken = _values(layer, below, whole, share, upper, size, work), whole, values
    return below[0], denominator


class _Work:
    """Calls ``poll`` each time a certain amount of work is done."""

    def __init__(self, poll: Callable[[], None]) -> None:
        self._poll = poll
        self._done = 0

    def did(self, amount: int) -> None:
        """Count about this many bytes of the file as read."""
        self._done += amount
        if self._done >= _BYTES_BETWEEN_POLLS:
            self._done = 0
            self._poll()


def _common_share(layer: Layer, work: _Work) -> int:
    """Return a number that the weights of every chance event of the layer add up to a divisor of."""
    share = 1
    known: set[int] = set()
    for place, kind in enumerate(layer.kinds):
        if kind == _MEAN:
            known.add(_weight(layer, place))
            work.did(layer.first[place + 1] - layer.first[place])
    for weight in known:
        share = lcm(share, weight)
        work.did(share.bit_length())
    return share


def _weight(layer: Layer, place: int) -> int:
    return sum(layer.weights[layer.first[place] : layer.first[place + 1]])


def _values(
    layer: Layer, below: Sequence[int], whole: int, share: int, upper: bool, size: int, work: _Work
) -> list[int]:
    """Return the values of a layer, numerators of the denominator ``whole``, from those of the next."""
    fixed = {_LOST: 0, _WON: whole, _OPEN: whole if upper else 0}
    values = []
    for place, kind in enumerate(layer.kinds):
        if kind in fixed:
            values.append(fixed[kind])
            continue
        start, end = layer.first[place], layer.first[place + 1]
        if kind == _MEAN:
            total = sum(layer.weights[edge] * below[layer.edges[edge]] for edge in range(start, end))
            values.append(total * (share // _weight(layer, place)))
        else:
            best = max if kind == _MOST else min
            values.append(best([below[edge] for edge in layer.edges[start:end]]) * share)
        work.did((end - start + 1) * size)
    return values


def verify_chance(proof: Proof) -> None:
    """Check one claim.

    :raises ringfen.CertificateError: It is not proven.
    :raises ringfen.LimitReached: A limit was reached, or it takes too much memory.
    """
    claim = proof.claim
    layers = Layers(proof.position, claim, proof.memory_mb)
    reader = _Reader(proof, layers)
    for _ in range(claim.horizon):
        reader.read_layer()
        if not layers.descend():
            break
    reader.finish()
    check_reached(claim, *layers.reached(claim.upper, reader.poll))


def check_reached(claim: Claim, numerator: int, denominator: int) -> None:
    """Compare the value of a strategy with the claim, without the lowest terms of long numbers.

    :raises ringfen.certificates.verify.CertificateError: It is too little, or too much.
    """
    assert claim.probability is not None
    reached = numerator * claim.probability.denominator
    claimed = claim.probability.numerator * denominator
    if reached > claimed if claim.upper else reached < claimed:
        words = _short(claim.probability.numerator, claim.probability.denominator)
        raise CertificateError(f"the strategy reaches {_short(numerator, denominator)}, not {words}")


def _short(numerator: int, denominator: int) -> str:
    if denominator.bit_length() <= _BITS_SHOWN:
        return str(Fraction(numerator, denominator))
    return f"about {numerator / denominator:.12f}"


class _Reader:
    """Feeds the numbers of a proof to the layers."""

    def __init__(self, proof: Proof, layers: Layers) -> None:
        self._proof = proof
        self._layers = layers
        self._stream: Iterator[bytes] = proof.stream
        self._rest = b""
        self._ended = False
        self._control = Control(proof.limits, proof.progress)
        self._started = time.monotonic()
        lib.rf_control_start(self._control.cdata)
        self._control.cdata.total = proof.positions

    def poll(self) -> None:
        """For work outside of the core.

        :raises ringfen.LimitReached: There is no time left.
        """
        limits = self._proof.limits or Limits()
        stopped = bool(self._control.poll())
        if stopped:
            raise LimitReached(CANCELLED)
        if limits.after(0, time.monotonic() - self._started) is None:
            raise LimitReached(TIME_LIMIT)

    def read_layer(self) -> None:
        """Treat the positions of the present layer."""
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
        """Make sure that nothing is left."""
        while not self._ended and not self._rest:
            self._fill()
        if self._rest:
            raise CertificateError(fault_words(lib.RF_CERT_LONG))
        if int(self._control.cdata.done) != self._proof.positions:
            raise CertificateError(FEWER)


def value_of(position: Position, claims: Sequence[Claim]) -> Any:
    """Return the winning probabilities by player if the lower and the upper bound are equal, otherwise None.

    :param claims: The two bounds, in either order.
    :raises ringfen.CertificateError: The claims are not a lower and an upper bound of the same player and horizon.
    """
    if sorted(claim.upper for claim in claims) != [False, True]:
        raise CertificateError("the claims are not a lower and an upper bound")
    lower, upper = sorted(claims, key=lambda claim: claim.upper)
    if (lower.player, lower.horizon) != (upper.player, upper.horizon):
        raise CertificateError("the two bounds are of different players or horizons")
    if lower.probability != upper.probability:
        return None
    return [str(lower.probability) if player == lower.player else None for player in range(1, position.players + 1)]
