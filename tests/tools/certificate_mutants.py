"""Certificates taken apart, changed, and put together again with a new checksum."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from ringfen import Position, RingfenError

MAGIC = b"ringfen certificate 1\n"


@dataclass
class Parts:
    """A certificate: its header, and the numbers of each claim."""

    header: dict[str, Any]
    numbers: list[list[int]]

    def bytes(self) -> bytes:
        return assembled(self.header, [b"".join(map(leb128, numbers)) for numbers in self.numbers])


def assembled(header: dict[str, Any], bodies: list[bytes]) -> bytes:
    packed = [zlib.compress(body, 9) for body in bodies]
    header = deepcopy(header)
    for claim, body in zip(header["claims"], packed, strict=False):
        claim["bytes"] = len(body)
    return with_checksum(MAGIC + json.dumps(header).encode("ascii") + b"\n" + b"".join(packed))


def with_checksum(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def leb128(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def taken_apart(raw: bytes) -> Parts:
    assert raw.startswith(MAGIC)
    line, rest = raw[len(MAGIC) : -32].split(b"\n", 1)
    header = json.loads(line)
    numbers = []
    for claim in header["claims"]:
        numbers.append(list(_numbers(zlib.decompress(rest[: claim["bytes"]]))))
        rest = rest[claim["bytes"] :]
    return Parts(header, numbers)


def _numbers(data: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0


# ---- one change each ----


def _of_a_number(parts: Parts, random: Random) -> tuple[list[int], int]:
    numbers = random.choice([numbers for numbers in parts.numbers if numbers] or [[0]])
    return numbers, random.randrange(len(numbers))


def other_number(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    numbers[at] = max(0, numbers[at] + random.choice([-2, -1, 1, 2, 7]))


def small_number(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    numbers[at] = random.randrange(6)


def large_number(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    numbers[at] = random.choice([200, 1 << 14, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, 1 << 40])


def dropped_number(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    del numbers[at]


def doubled_number(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    numbers.insert(at, numbers[at])


def swapped_numbers(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    other = random.randrange(len(numbers))
    numbers[at], numbers[other] = numbers[other], numbers[at]


def cut(parts: Parts, random: Random) -> None:
    numbers, at = _of_a_number(parts, random)
    del numbers[at:]


def extended(parts: Parts, random: Random) -> None:
    numbers, _ = _of_a_number(parts, random)
    numbers += [random.randrange(3) for _ in range(random.randrange(1, 4))]


def other_count(parts: Parts, random: Random) -> None:
    claim = random.choice(parts.header["claims"])
    claim["positions"] = max(0, claim["positions"] + random.choice([-2, -1, 1, 2]))


def other_promise(parts: Parts, random: Random) -> None:
    """A higher or lower result, distance, horizon or probability, or another excluded ply."""
    claim = random.choice(parts.header["claims"])
    name = random.choice(sorted(set(claim) - {"player", "positions", "bytes"}))
    if name in ("least", "most"):
        changed = Fraction(claim[name]) + Fraction(random.choice([-1, 1]), random.choice([2, 3, 36, 1000]))
        claim[name] = str(min(max(changed, Fraction(0)), Fraction(1)))
    elif name == "except":
        claim[name] = random.choice([*_plies(parts.header["fen"]), "", claim[name].upper()])
    elif name == "at_least":
        claim[name] += random.choice([-2, -1, 1, 2])
        with_limit(claim, random)
    else:
        claim[name] = max(0, claim[name] + random.choice([-2, -1, 1, 2, 50]))


def both_raised(parts: Parts, random: Random) -> None:
    """A better value for one player, with claims that fit together."""
    step = random.choice([-1, 1])
    for claim, change in zip(parts.header["claims"], (step, -step), strict=False):
        if "at_least" in claim:
            claim["at_least"] += change
            with_limit(claim, random)


def other_limits(parts: Parts, random: Random) -> None:
    """More or fewer moves, with claims that fit together; or a limit less or more."""
    step = random.choice([-2, 2])
    for claim in parts.header["claims"]:
        if "horizon" in claim:
            claim["horizon"] = max(0, claim["horizon"] + step)
    claim = random.choice(parts.header["claims"])
    if random.random() < 0.3:
        claim.pop(random.choice(["horizon", "except"]), None)
    elif random.random() < 0.3 and claim.get("at_least", 1) <= 0:
        claim["horizon"] = random.randrange(6)


def _plies(fen: str) -> list[str]:
    try:
        return Position(fen).plies()
    except RingfenError:
        return []


def with_limit(claim: dict[str, Any], random: Random) -> None:
    """Give a claim a distance if and only if it forces an end."""
    claim.pop("within", None)
    if claim["at_least"] > 0:
        claim["within"] = random.choice([3, 100])
        claim.pop("horizon", None)


def other_player(parts: Parts, random: Random) -> None:
    for claim in parts.header["claims"]:
        claim["player"] = 3 - claim["player"] if claim["player"] < 3 else 1


def swapped_claims(parts: Parts, random: Random) -> None:
    parts.header["claims"].reverse()
    if random.random() < 0.5:
        parts.numbers.reverse()


def dropped_claim(parts: Parts, random: Random) -> None:
    if len(parts.numbers) > 1:
        at = random.randrange(len(parts.numbers))
        del parts.header["claims"][at], parts.numbers[at]


def doubled_claim(parts: Parts, random: Random) -> None:
    at = random.randrange(len(parts.numbers))
    parts.header["claims"] = [parts.header["claims"][at], dict(parts.header["claims"][at])]
    parts.numbers = [parts.numbers[at], parts.numbers[at]]


def other_side(parts: Parts, random: Random) -> None:
    """The other side is to play; players of GRAN are numbered."""
    words = parts.header["fen"].split(" ")
    for at, word in enumerate(words):
        if word in ("s", "n"):
            words[at] = "n" if word == "s" else "s"
            break
        if word in ("1", "2", "3"):
            words[at] = str(int(word) % 3 + 1)
            break
    parts.header["fen"] = " ".join(words)


def other_position(parts: Parts, random: Random) -> None:
    """A letter or digit of the position is swapped with another."""
    text = parts.header["fen"]
    at, other = (random.randrange(text.index(" ") + 1, len(text)) for _ in range(2))
    letters = list(text)
    letters[at], letters[other] = letters[other], letters[at]
    parts.header["fen"] = "".join(letters)


MUTATIONS: list[Callable[[Parts, Random], None]] = [
    other_number,
    other_number,
    other_number,
    small_number,
    small_number,
    large_number,
    dropped_number,
    doubled_number,
    swapped_numbers,
    cut,
    extended,
    other_count,
    other_promise,
    other_promise,
    both_raised,
    other_limits,
    other_player,
    swapped_claims,
    dropped_claim,
    doubled_claim,
    other_side,
    other_position,
]


def mutants(raw: bytes, number: int, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """``number`` changed certificates with good checksums, one in four of them with a second change."""
    random = Random(seed)
    for count in range(number):
        parts = taken_apart(raw)
        chosen = [MUTATIONS[count % len(MUTATIONS)]]
        if random.random() < 0.25:
            chosen.append(random.choice(MUTATIONS))
        for mutation in chosen:
            mutation(parts, random)
        changed = parts.bytes()
        if changed != raw:
            yield " + ".join(mutation.__name__ for mutation in chosen), changed
