"""Certificates from strangers: numbers as long as they like, within the memory and the time that were given."""

from __future__ import annotations

import tracemalloc
import zlib
from array import array
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen

from ringfen import LimitReached, Position, SolveOptions
from ringfen._core import lib
from ringfen.certificates.chance import Layer, Layers, backed_up_value, check_reached
from ringfen.certificates.claims import Claim, Part
from ringfen.certificates.file import write_file
from ringfen.certificates.prove import prove
from ringfen.errors import CertificateError

END = Layer(bytes([lib.RF_LAYER_WON, lib.RF_LAYER_LOST]), array("I"), array("I"), array("I"))
GRAN = "gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2"


def chance_layer(width: int, weights: Sequence[int], below: int) -> Layer:
    """This many chance events, each leading to the first positions below."""
    count = len(weights)
    first = array("I", [count * place for place in range(width + 1)])
    edges = array("I", [edge % below for edge in range(count)] * width)
    return Layer(bytes([lib.RF_LAYER_MEAN] * width), first, edges, array("I", list(weights) * width))


def test_the_sum_is_right() -> None:
    random = Random(1)
    for _ in range(200):
        a, b, c, d = (random.randint(1, 99) for _ in range(4))
        top = Layer(bytes([lib.RF_LAYER_MAX]), array("I", [0, 2]), array("I", [0, 1]), array("I", [1, 1]))
        middle = chance_layer(2, (a, b), 2)
        middle.weights[2], middle.weights[3] = c, d
        numerator, denominator = backed_up_value([END, middle, top], False, 1 << 20)
        assert Fraction(numerator, denominator) == max(Fraction(a, a + b), Fraction(c, c + d))


def test_numbers_of_many_thousand_digits_are_compared_and_put_into_words() -> None:
    """Python refuses to write an integer of more than 4,300 digits."""
    depth = 6000
    layers = [END, *(chance_layer(2 if left else 1, (97, 89), 2) for left in range(depth, -1, -1))]
    numerator, denominator = backed_up_value(layers, False, 1 << 24)
    assert denominator.bit_length() > 7 * depth
    claim = Claim(1, probability=Fraction(1), horizon=depth)
    with pytest.raises(CertificateError, match=r"^the strategy reaches about 0\.5215[0-9]*, not 1$"):
        check_reached(claim, numerator, denominator)
    check_reached(Claim(1, probability=Fraction(1, 2), horizon=depth), numerator, denominator)
    with pytest.raises(CertificateError, match="the strategy reaches about"):
        check_reached(Claim(1, probability=Fraction(1, 2), horizon=depth, upper=True), numerator, denominator)


def test_memory_is_bounded_by_what_was_given() -> None:
    room = 1 << 18
    layers = [END, *(chance_layer(400, (97, 89), 2) for _ in range(600))]
    layers += [chance_layer(1, (1,), 400)]
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError):
            backed_up_value(layers, False, room)
        assert tracemalloc.get_traced_memory()[1] < room + (1 << 18)
    finally:
        tracemalloc.stop()
    numerator, denominator = backed_up_value(layers, False, 64 << 20)
    assert 0 < numerator < denominator


def test_time_is_polled_while_numbers_are_long() -> None:
    class Enough(Exception):
        pass

    polls = 0

    def poll() -> None:
        nonlocal polls
        polls += 1
        if polls == 5:
            raise Enough

    layers = [END, *(chance_layer(2000, (97, 89), 2) for _ in range(600))]
    with pytest.raises(Enough):
        backed_up_value(layers, False, 1 << 30, poll)


def test_a_good_certificate_of_chances_still_holds(tmp_path: Path) -> None:
    path = tmp_path / "cert"
    prove(Position(GRAN), path, SolveOptions(depth=5, hash_mb=16))
    good = ringfen("verify", str(path), "--json", "--memory", "2")
    assert (good.exit_code, json_lines(good)[0]["ok"]) == (0, True)


def write_hostile(path: Path, horizon: int, width: int) -> None:
    """A certificate that follows this many positions of every layer, and claims a certain win."""
    position = Position(GRAN)
    parts = []
    for upper in (False, True):
        claim = Claim(4, probability=Fraction(1), horizon=horizon, upper=upper)
        layers = Layers(position, claim, 256)
        numbers = bytearray()
        for _ in range(horizon):
            followed = 0
            while lib.rf_layers_next_unexpanded(layers.cdata) < layers.size():
                number = int(followed < width)
                followed += 1
                assert lib.rf_layers_expand(layers.cdata, number)
                numbers.append(number)
            if not layers.descend():
                break
        parts.append(Part(claim, len(numbers), zlib.compress(bytes(numbers))))
    write_file(path, GRAN, None, parts)


def test_a_file_with_long_numbers_is_rejected_and_the_next_one_checked(tmp_path: Path) -> None:
    hostile, good = tmp_path / "hostile", tmp_path / "good"
    write_hostile(hostile, 6000, 3)
    assert hostile.stat().st_size < 4000
    prove(Position("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"), good)
    result = ringfen("verify", "--json", "--memory", "64", str(hostile), str(good))
    assert [line["ok"] for line in json_lines(result)] == [False, True]
    assert "the strategy reaches about" in json_lines(result)[0]["reason"]


def test_the_memory_limit_of_verify_holds_for_chances(tmp_path: Path) -> None:
    hostile = tmp_path / "hostile"
    write_hostile(hostile, 400, 200)
    result = ringfen("verify", "--json", "--memory", "8", str(hostile))
    assert (result.exit_code, json_lines(result)[0]["ok"]) == (3, None)


def test_any_error_in_a_file_is_that_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "good"
    prove(Position("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"), good)
    from ringfen.certificates import verify

    real = verify.verify_file
    errors = iter(
        [ValueError("odd"), OverflowError("big"), MemoryError(), RecursionError(), KeyError("x"), LimitReached()]
    )

    def failing(file: object, **rest: object) -> object:
        error = next(errors, None)
        if error is not None:
            raise error
        return real(file, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(verify, "verify_file", failing)
    result = ringfen("verify", "--json", *([str(good)] * 7))
    assert [line["ok"] for line in json_lines(result)] == [False, False, None, False, False, None, True]
    assert result.exit_code == 3
