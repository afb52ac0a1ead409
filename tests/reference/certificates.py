"""Checks certificates with the plain reference games: nothing of the project is imported."""

from __future__ import annotations

import hashlib
import json
import zlib
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

MAGIC = b"ringfen certificate 1\n"


class Refused(Exception):
    """The certificate does not prove its claims."""


def verify(path: Path, game: ModuleType) -> int:
    """Checks a certificate of this game's reference module; gives the number of positions."""
    raw = path.read_bytes()
    if not raw.startswith(MAGIC) or hashlib.sha256(raw[:-32]).digest() != raw[-32:]:
        raise Refused("checksum")
    line, rest = raw[len(MAGIC) : -32].split(b"\n", 1)
    header = json.loads(line)
    root = game.parse(header["fen"])
    count = 0
    for claim in header["claims"]:
        numbers = _numbers(zlib.decompress(rest[: claim["bytes"]]))
        rest = rest[claim["bytes"] :]
        count += _chance(game, root, claim, numbers) if "horizon" in claim else _walk(game, root, claim, numbers)
        if numbers:
            raise Refused("too long")
    if rest:
        raise Refused("too long")
    return count


def _numbers(data: bytes) -> list[int]:
    """The LEB128 numbers, the last one first, to be popped."""
    numbers = []
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    if shift:
        raise Refused("cut")
    return numbers[::-1]


def _next(numbers: list[int]) -> int:
    if not numbers:
        raise Refused("too short")
    return numbers.pop()


def _chosen(game: ModuleType, state: Any, numbers: list[int]) -> list[str]:
    plies: list[str] = game.plies(state)
    place = _next(numbers)
    if place >= len(plies):
        raise Refused("no such ply")
    return [plies[place]]


def _result(game: ModuleType, state: Any, player: str) -> int:
    if hasattr(game, "score"):
        south, north = game.score(state)
        return int(south - north if player == "s" else north - south)
    outcome = game.outcome(state)
    return 0 if outcome == "draw" else 1 if outcome == player else -1


def _walk(game: ModuleType, root: Any, claim: dict[str, Any], numbers: list[int]) -> int:
    player = "sn"[claim["player"] - 1]
    at_least = claim["at_least"]
    order = [root]
    seen = {root}
    ranks: dict[Any, int] = {}
    edges: list[tuple[Any, Any]] = []
    if game.outcome(root) is not None:
        if _result(game, root, player) < at_least or claim.get("within", 0) != 0:
            raise Refused("result")
        return 0
    for state in order:
        plies = _chosen(game, state, numbers) if game.player(state) == player else game.plies(state)
        if at_least > 0:
            ranks[state] = _next(numbers)
        for ply in plies:
            child = game.apply(state, ply)
            if game.outcome(child) is not None:
                if _result(game, child, player) < at_least:
                    raise Refused("result")
                continue
            edges.append((state, child))
            if child not in seen:
                seen.add(child)
                order.append(child)
    if at_least > 0:
        if any(ranks[child] >= ranks[state] for state, child in edges) or min(ranks.values()) < 1:
            raise Refused("rank")
        if ranks[root] != claim["within"]:
            raise Refused("within")
    return len(order)


def _chance(game: ModuleType, root: Any, claim: dict[str, Any], numbers: list[int]) -> int:
    player = claim["player"]
    upper = "most" in claim
    layers: list[dict[Any, list[tuple[int, Any]]]] = [{root: []}]
    count = 0
    for _ in range(claim["horizon"]):
        following: dict[Any, list[tuple[int, Any]]] = {}
        for state, children in layers[-1].items():
            if game.outcome(state) is not None:
                continue
            count += 1
            chance = game.is_chance(state)
            chooses = not chance and (game.player(state) == player) != upper
            for ply in _chosen(game, state, numbers) if chooses else game.plies(state):
                child = game.apply(state, ply)
                children.append((game.weight(state, ply) if chance else 1, child))
                following.setdefault(child, [])
        layers.append(following)
    below: dict[Any, Fraction] = {}
    for layer in reversed(layers):
        here: dict[Any, Fraction] = {}
        for state, children in layer.items():
            if game.outcome(state) is not None:
                here[state] = Fraction(int(game.outcome(state) == player))
            elif not children:
                here[state] = Fraction(int(upper))
            elif game.is_chance(state):
                weights = sum(weight for weight, _ in children)
                here[state] = sum((weight * below[child] for weight, child in children), Fraction(0)) / weights
            else:
                values = [below[child] for _, child in children]
                here[state] = max(values) if game.player(state) == player else min(values)
        below = here
    if (below[root] > Fraction(claim["most"])) if upper else (below[root] < Fraction(claim["least"])):
        raise Refused("probability")
    return count
