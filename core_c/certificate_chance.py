"""Certificates of winning probabilities: strategies over the positions of a few plies, reckoned with exact fractions.

A claim gives ``player`` at least (or at most) some probability with ``horizon`` plies to play. It is proven by the
choices of one party - the player for a lower bound, all others together for an upper bound - in every position that
can come up at each depth. Positions are not named: they are walked through depth by depth, each once, in the order in
which they come up (plies in byte order), and the certificate holds a LEB128 number for each position where that party
decides: the chosen ply's place in byte order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ringfen.certificate import CertificateError, Claim, Proof
from ringfen.position import Position

#: Chooses a ply: the position, the plies left, its successors in byte order; gives a place among them.
Chooser = Callable[[Position, int, Sequence[tuple[str, Position]]], int]


@dataclass(slots=True)
class _Node:
    """A position at one depth. ``children`` are places in the next layer, ``weights`` theirs at a chance event."""

    position: Position
    children: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)


def party_decides(position: Position, claim: Claim) -> bool:
    """Whether the party whose strategy proves the claim decides the next ply."""
    return not position.is_chance and (position.player == claim.player) != claim.upper


def walk(position: Position, claim: Claim, choose: Chooser, most: int) -> tuple[Fraction, int]:
    """The probability that the party's choices reach, and the number of positions.

    :raises ringfen.certificate.CertificateError: more than ``most`` positions come up.
    """
    horizon = claim.horizon
    layers: list[list[_Node]] = [[_Node(position)]]
    count = 0
    for depth in range(horizon):
        places: dict[Position, int] = {}
        following: list[_Node] = []
        for node in layers[depth]:
            if node.position.is_over:
                continue
            count += 1
            if count > most:
                raise CertificateError("it has more positions than its header says")
            successors = node.position.successors()
            if party_decides(node.position, claim):
                successors = [successors[choose(node.position, horizon - depth, successors)]]
            weights = node.position.weights()
            for ply, child in successors:
                place = places.setdefault(child, len(following))
                if place == len(following):
                    following.append(_Node(child))
                node.children.append(place)
                node.weights.append(weights.get(ply, 1))
        if not following:
            break
        layers.append(following)
    return _reckon(layers, claim), count


def _reckon(layers: Sequence[Sequence[_Node]], claim: Claim) -> Fraction:
    below: list[Fraction] = []
    for layer in reversed(layers):
        below = [_probability(node, claim, below) for node in layer]
    return below[0]


def _probability(node: _Node, claim: Claim, below: Sequence[Fraction]) -> Fraction:
    if node.position.is_over:
        return Fraction(int(node.position.outcome == claim.player))
    if not node.children:
        return Fraction(int(claim.upper))
    values = [below[place] for place in node.children]
    if node.position.is_chance:
        weighted = sum(weight * value for weight, value in zip(node.weights, values, strict=True))
        return Fraction(weighted) / sum(node.weights)
    return max(values) if node.position.player == claim.player else min(values)


def verify_chance(proof: Proof) -> None:
    """Checks one claim.

    :raises ringfen.certificate.CertificateError: it is not proven.
    """
    claim = proof.claim
    numbers = _numbers(proof.stream)

    def read(_position: Position, _left: int, successors: Sequence[tuple[str, Position]]) -> int:
        place = next(numbers, None)
        if place is None:
            raise CertificateError("it ends before every position is treated")
        if place >= len(successors):
            raise CertificateError("a chosen ply is not there")
        return place

    reached, count = walk(proof.position, claim, read, proof.positions)
    if next(numbers, None) is not None:
        raise CertificateError("something follows the last position")
    if count != proof.positions:
        raise CertificateError("it has fewer positions than its header says")
    assert claim.probability is not None
    if reached > claim.probability if claim.upper else reached < claim.probability:
        raise CertificateError(f"the strategy reaches {reached}, not {claim.probability}")


def _numbers(stream: Iterator[bytes]) -> Iterator[int]:
    number = shift = 0
    for chunk in stream:
        for byte in chunk:
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                if (byte == 0 and shift > 7) or shift > 35:
                    raise CertificateError("a number is too long, or written in more bytes than it needs")
                yield number
                number = shift = 0
            elif shift > 28:
                raise CertificateError("a number is too long, or written in more bytes than it needs")
    if shift:
        raise CertificateError("it ends before every position is treated")


def value_of(position: Position, claims: Sequence[Claim]) -> Any:
    """The value that a lower and an upper bound amount to: winning probabilities by player, or None while they differ.

    :raises ringfen.certificate.CertificateError: the claims are not such a pair.
    """
    if [claim.upper for claim in claims] != [False, True]:
        raise CertificateError("the claims are not a lower and an upper bound")
    lower, upper = claims
    if (lower.player, lower.horizon) != (upper.player, upper.horizon):
        raise CertificateError("the two bounds are of different players or horizons")
    if lower.probability != upper.probability:
        return None
    return [str(lower.probability) if player == lower.player else None for player in range(1, position.players + 1)]
