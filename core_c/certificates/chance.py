"""Checks certificates of winning probabilities: layers of positions from the C core, and exact arithmetic.

docs/certificates.md describes the format.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Final

from ringfen._core import ffi, lib
from ringfen.certificates.claims import TOO_FEW_POSITIONS, Claim, Proof, raise_if_stopped, reason_text
from ringfen.control import Control, Limits
from ringfen.errors import CANCELLED, TIME_LIMIT, CertificateError, LimitReached
from ringfen.memory import owned
from ringfen.position import Position

if TYPE_CHECKING:
    from ringfen._core import Array

#: Approximate memory of a layer without its arrays.
_BYTES_PER_LAYER: Final = 512

#: Memory of an integer without its digits, including its slot in a list.
_BYTES_PER_NUMBER: Final = 32
_BYTES_BETWEEN_POLLS: Final = 1 << 20
#: The maximum length of a denominator in messages.
_BITS_SHOWN: Final = 96

_LOST, _WON, _OPEN, _MEAN, _MAX, _MIN = (
    lib.RF_LAYER_LOST,
    lib.RF_LAYER_WON,
    lib.RF_LAYER_OPEN,
    lib.RF_LAYER_MEAN,
    lib.RF_LAYER_MAX,
    lib.RF_LAYER_MIN,
)


@dataclass(frozen=True, slots=True)
class Layer:
    """The positions after a number of plies: the kind of each, and its successors in the next layer."""

    kinds: bytes
    first: array[int]
    edges: array[int]
    weights: array[int]


class Layers:
    """All layers of a claim from the root. The C core contains the current layer, which is the last."""

    def __init__(self, position: Position, claim: Claim, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        # Half is for the two layers in the C core, half for the layers above and for probabilities.
        self._left = memory_mb << 19
        self._above: list[Layer] = []
        core, context, state = position.game.cdata, position.context.cdata, position.state
        excludes = claim.excluded is not None
        excluded = 0 if claim.excluded is None else position.core_ply(claim.excluded)
        layers = lib.rf_layers_new(core, context, state, claim.player, claim.upper, excludes, excluded, self._left)
        self.cdata = owned(layers, lib.rf_layers_free)

    def size(self) -> int:
        """Return the number of positions in the current layer."""
        return int(lib.rf_layers_size(self.cdata))

    def descend(self) -> bool:
        """Go to the next layer. Return False if it is empty.

        :raises ringfen.LimitReached: The layer needs too much memory.
        """
        layer = self._layer(with_edges=True)
        self._above.append(layer)
        self._left -= len(layer.kinds) * 5 + len(layer.edges) * 8 + _BYTES_PER_LAYER
        if self._left < 0 or not lib.rf_layers_advance(self.cdata):
            raise self.too_little()
        return self.size() > 0

    def _layer(self, *, with_edges: bool) -> Layer:
        size = self.size()
        kinds = bytes(ffi.buffer(lib.rf_layers_kinds(self.cdata), size))
        if not with_edges:
            return Layer(kinds, array("I"), array("I"), array("I"))
        first = _numbers(lib.rf_layers_first_edges(self.cdata), size + 1)
        edges = first[size]
        return Layer(
            kinds,
            first,
            _numbers(lib.rf_layers_edges(self.cdata), edges),
            _numbers(lib.rf_layers_weights(self.cdata), edges),
        )

    def too_little(self) -> LimitReached:
        """Return the error if the memory is not enough."""
        return LimitReached(f"more than {self._memory_mb} MiB of memory are needed")

    def reached(self, claim: Claim, poll: Callable[[], None] = lambda: None) -> tuple[int, int]:
        """Return the value of the root, backed up from the current layer, in which no plies are left.

        The result is a numerator and a denominator, which can be very long and are not in lowest terms.

        :param poll: Called regularly; it may raise an exception to stop.
        :raises ringfen.LimitReached: The computation needs too much memory.
        """
        last = self._layer(with_edges=False)
        if claim.ended:
            last = replace(last, kinds=last.kinds.replace(bytes([_OPEN]), bytes([_LOST])))
        try:
            return backed_up_value((last, *reversed(self._above)), claim.upper, self._left, poll)
        except MemoryError:
            raise self.too_little() from None

    def probability(self, claim: Claim) -> Fraction:
        """Return the result of :meth:`reached` as a fraction; raise the same errors."""
        return Fraction(*self.reached(claim))


def _numbers(pointer: Array[int], count: int) -> array[int]:
    numbers = array("I")
    if count > 0:
        numbers.frombytes(ffi.buffer(pointer, count * numbers.itemsize))
    return numbers


def backed_up_value(
    layers: Iterable[Layer], upper: bool, max_bytes: int, poll: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Return the value of the only position of the last layer. The successors of a layer are in the one before it.

    :param max_bytes: The maximum memory for the values of two layers.
    :param poll: Called regularly.
    :raises MemoryError: The values need more memory.
    """
    work = _Work(poll)
    denominator, taken = 1, 0
    below: list[int] = []
    for layer in layers:
        share = _common_share(layer, work)
        whole = denominator * share
        # A number takes 4 bytes for every 30 bits, and a head. Most values are different numbers.
        size = (whole.bit_length() // 30 + 1) * 4 + _BYTES_PER_NUMBER
        values = len(layer.kinds) * 8 + sum(map(layer.kinds.count, (_MEAN, _MAX, _MIN))) * size
        if taken + values > max_bytes:
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
    """Return a common multiple of the total weights of all chance events of the layer."""
    share = 1
    weights: set[int] = set()
    for index, kind in enumerate(layer.kinds):
        if kind == _MEAN:
            weights.add(_weight(layer, index))
            work.did(layer.first[index + 1] - layer.first[index])
    for weight in weights:
        share = lcm(share, weight)
        work.did(share.bit_length())
    return share


def _weight(layer: Layer, index: int) -> int:
    return sum(layer.weights[layer.first[index] : layer.first[index + 1]])


def _values(
    layer: Layer, below: Sequence[int], whole: int, share: int, upper: bool, size: int, work: _Work
) -> list[int]:
    """Return the values of a layer, as numerators of the denominator ``whole``, from the values of the next layer."""
    fixed = {_LOST: 0, _WON: whole, _OPEN: whole if upper else 0}
    values = []
    for index, kind in enumerate(layer.kinds):
        if kind in fixed:
            values.append(fixed[kind])
            continue
        start, end = layer.first[index], layer.first[index + 1]
        if kind == _MEAN:
            total = sum(layer.weights[edge] * below[layer.edges[edge]] for edge in range(start, end))
            values.append(total * (share // _weight(layer, index)))
        else:
            best = max if kind == _MAX else min
            values.append(best([below[edge] for edge in layer.edges[start:end]]) * share)
        work.did((end - start + 1) * size)
    return values


def verify_chance(proof: Proof) -> None:
    """Check one claim.

    :raises ringfen.CertificateError: The claim is not proven.
    :raises ringfen.LimitReached: A limit was reached, or the check needs too much memory.
    """
    claim = proof.claim
    layers = Layers(proof.position, claim, proof.memory_mb)
    reader = _Reader(proof, layers)
    for _ in range(claim.horizon or 0):
        reader.read_layer()
        if not layers.descend():
            break
    reader.finish()
    check_reached(claim, *layers.reached(claim, reader.poll))


def check_reached(claim: Claim, numerator: int, denominator: int) -> None:
    """Compare the value of a strategy with the claim. Long numbers are not reduced to lowest terms.

    :raises ringfen.CertificateError: The value does not reach the claimed bound.
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
    """Reads the numbers of a proof into the layers."""

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
        """Check the limits during work outside the core.

        :raises ringfen.LimitReached: The time limit was reached, or the call was cancelled.
        """
        limits = self._proof.limits or Limits()
        stopped = bool(self._control.poll())
        if stopped:
            raise LimitReached(CANCELLED)
        if limits.after(0, time.monotonic() - self._started) is None:
            raise LimitReached(TIME_LIMIT)

    def read_layer(self) -> None:
        """Read the choices for all positions of the current layer."""
        core = self._layers.cdata
        while True:
            used = lib.rf_layers_check(
                core, ffi.from_buffer(self._rest), len(self._rest), self._ended, self._control.cdata
            )
            self._control.finish()
            raise_if_stopped(self._control, self._proof.memory_mb)
            if used < 0:
                raise CertificateError(reason_text(lib.rf_layers_error(core)))
            self._rest = self._rest[used:]
            if int(self._control.cdata.done) > self._proof.positions:
                raise CertificateError(reason_text(lib.RF_CERT_TOO_MANY))
            if lib.rf_layers_next_unexpanded(core) == self._layers.size():
                return
            self._fill()

    def _fill(self) -> None:
        piece = next(self._stream, None)
        if piece is None:
            self._ended = True
        else:
            self._rest += piece

    def finish(self) -> None:
        """Check that the proof ends here and has the claimed number of positions."""
        while not self._ended and not self._rest:
            self._fill()
        if self._rest:
            raise CertificateError(reason_text(lib.RF_CERT_LONG))
        if int(self._control.cdata.done) != self._proof.positions:
            raise CertificateError(TOO_FEW_POSITIONS)


def value_of(position: Position, claims: Sequence[Claim]) -> Any:
    """Return the winning probabilities by player if the lower and the upper bound are equal, otherwise None.

    :param claims: The two bounds, in either order.
    :raises ringfen.CertificateError: The claims are not a lower and an upper bound of the same player and horizon.
    """
    if sorted(claim.upper for claim in claims) != [False, True] or any(claim.ended for claim in claims):
        raise CertificateError("the claims are not a lower and an upper bound")
    lower, upper = sorted(claims, key=lambda claim: claim.upper)
    if (lower.player, lower.horizon) != (upper.player, upper.horizon):
        raise CertificateError("the two bounds are of different players or horizons")
    if lower.probability != upper.probability:
        return None
    return [str(lower.probability) if player == lower.player else None for player in range(1, position.players + 1)]
