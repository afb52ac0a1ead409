"""Checks certificates with the plain reference games: nothing of the project is imported.

From the folder ``tests``: ``python -m reference.certificates FILE…``
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from reference import siaius_tables

MAGIC = b"ringfen certificate 1\n"
#: With at most this many plies left, positions are searched, not listed.
SEARCHED = 2


class Refused(Exception):
    """The certificate does not prove its claims."""


#: What a position is worth for the side to move and in how many plies, None if that is unknown.
Leaf = Callable[[Any], "tuple[int, int] | None"]


def verify(raw: bytes, game: ModuleType, tables: Mapping[str, bytes] | None = None) -> int:
    """Checks a certificate of this game's reference module and returns the number of positions.

    :param tables: the files of endgame tables by their names.
    """
    if not raw.startswith(MAGIC) or hashlib.sha256(raw[:-32]).digest() != raw[-32:]:
        raise Refused("checksum")
    line, rest = raw[len(MAGIC) : -32].split(b"\n", 1)
    header = json.loads(line)
    root = _root(header, game)
    _check_value(header, root, game)
    leaf = _leaves(header, tables or {})
    for claim in header["claims"]:
        body, rest = rest[: claim["bytes"]], rest[claim["bytes"] :]
        numbers = _numbers(_unpacked(body))
        if "at_least" not in claim:
            count = _chance(game, root, claim, numbers)
        elif "horizon" in claim:
            count = _bounded(game, root, claim, numbers)
        else:
            count = _walk(game, root, claim, numbers, leaf)
        if numbers:
            raise Refused("too long")
        if count != claim["positions"]:
            raise Refused("positions")
    if rest:
        raise Refused("too long")
    return sum(claim["positions"] for claim in header["claims"])


def _root(header: dict[str, Any], game: ModuleType) -> Any:
    fen = header["fen"]
    names = [word.removeprefix("board=") for word in fen.split(" ") if word.startswith("board=")]
    if ("board" in header) != bool(names):
        raise Refused("board")
    try:
        root = game.parse(fen, game.Board.parse(header["board"], names[0])) if names else game.parse(fen)
    except ValueError as error:
        raise Refused("position") from error
    if game.text(root) != fen:
        raise Refused("position")
    return root


def _leaves(header: dict[str, Any], files: Mapping[str, bytes]) -> Leaf:
    """Return a function that looks up the values of positions in the tables of the header."""
    if "tables" not in header:
        return lambda _: None
    named = header["tables"]
    if not named:
        raise Refused("tables")
    for name, checksum in named.items():
        if name not in files or hashlib.sha256(files[name]).hexdigest() != checksum:
            raise Refused("tables")
    tables = {name: siaius_tables.Table(files[name]) for name in named}
    if any(table.name != name for name, table in tables.items()):
        raise Refused("tables")
    return lambda state: siaius_tables.value(state, tables)


def _check_value(header: dict[str, Any], root: Any, game: ModuleType) -> None:
    """Whether the claims together say what the position is worth."""
    claims = header["claims"]
    limited = [claim for claim in claims if "except" in claim]
    plain = [claim for claim in claims if "except" not in claim]
    if len(limited) > 1 or len(claims) > 3:
        raise Refused("claims")
    for claim in limited:
        if claim["except"] not in game.plies(root):
            raise Refused("no such ply")
    if hasattr(root, "figures"):
        if any("horizon" not in claim or claim.get("unfinished", 0) != 0 for claim in claims):
            raise Refused("claims")
        _check_bounds(plain, root, ended=bool(limited))
        good = all(_is_worse_chance(game, root, claim, plain) for claim in limited)
    else:
        for claim in claims:
            if claim["player"] not in (1, 2) or ("within" in claim) != (claim["at_least"] > 0):
                raise Refused("claims")
            if "horizon" in claim and claim["at_least"] > 0:
                raise Refused("claims")
        good = _is_margin(plain, limited, root, game) if hasattr(game, "score") else _is_win(plain, limited, root, game)
    if not good:
        raise Refused("claims")


def _check_bounds(claims: list[dict[str, Any]], root: Any, *, ended: bool) -> None:
    if len(claims) != 2:
        raise Refused("claims")
    lower, upper = sorted(claims, key=lambda claim: "most" in claim)
    if lower["player"] != upper["player"] or lower["horizon"] != upper["horizon"]:
        raise Refused("claims")
    if not 1 <= lower["player"] <= len(root.figures) or "least" not in lower or "most" not in upper:
        raise Refused("claims")
    if ("unfinished" in upper) != ended or (ended and lower["least"] != upper["most"]):
        raise Refused("claims")


def _is_worse_chance(game: ModuleType, root: Any, claim: dict[str, Any], bounds: list[dict[str, Any]]) -> bool:
    """Whether the other plies of the player give less than the lower bound."""
    [least] = [Fraction(bound["least"]) for bound in bounds if "least" in bound]
    same = all(claim[name] == bounds[0][name] for name in ("player", "horizon"))
    chooses = not game.is_chance(root) and game.player(root) == claim["player"]
    return same and chooses and "unfinished" in claim and Fraction(claim["most"]) < least


def _is_margin(plain: list[dict[str, Any]], limited: list[dict[str, Any]], root: Any, game: ModuleType) -> bool:
    bounds = sorted((claim["player"], claim["at_least"]) for claim in plain)
    if len(bounds) != 2 or bounds != [(1, bounds[0][1]), (2, -bounds[0][1])]:
        return False
    other = 2 if game.player(root) == "s" else 1
    value = dict(bounds)[other]
    return not any("horizon" in claim for claim in [*plain, *limited]) and all(
        claim["player"] == other and claim["at_least"] > value for claim in limited
    )


def _is_win(plain: list[dict[str, Any]], limited: list[dict[str, Any]], root: Any, game: ModuleType) -> bool:
    bounds = sorted((claim["player"], claim["at_least"], claim.get("horizon")) for claim in plain)
    if not limited:
        return bounds in ([(1, 1, None)], [(2, 1, None)], [(1, 0, None), (2, 0, None)])
    mover, other = (1, 2) if game.player(root) == "s" else (2, 1)
    plies = limited[0].get("horizon", 0)
    expected = [(mover, 1, None)] + ([(other, 0, plies - 2)] if plies > 1 else [])
    return (
        plies % 2 == 1
        and bounds == sorted(expected)
        and (limited[0]["player"], limited[0]["at_least"]) == (other, 0)
        and all(claim.get("within", 0) <= plies for claim in plain)
    )


def _unpacked(body: bytes) -> bytes:
    unpack = zlib.decompressobj()
    try:
        data = unpack.decompress(body)
    except zlib.error as error:
        raise Refused("packing") from error
    if not unpack.eof or unpack.unused_data:
        raise Refused("packing")
    return data


def _numbers(data: bytes) -> list[int]:
    """The LEB128 numbers, the last one first, to be popped."""
    numbers = []
    at = 0
    while at < len(data):
        match = re.compile(rb"[\x80-\xff]*[\x00-\x7f]", re.DOTALL).match(data, at)
        if match is None or len(match[0]) > 5 or (len(match[0]) > 1 and match[0][-1] == 0):
            raise Refused("number")
        number = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(match[0]))
        if number >= 2**32 - 1:
            raise Refused("number")
        numbers.append(number)
        at = match.end()
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


def _leaf_result(game: ModuleType, state: Any, player: str, leaf: Leaf) -> tuple[int, int] | None:
    """What a player gets at a leaf and in how many plies; None: it is none."""
    found = leaf(state)
    return None if found is None else (found[0] if game.player(state) == player else -found[0], found[1])


def _walk(game: ModuleType, root: Any, claim: dict[str, Any], numbers: list[int], leaf: Leaf) -> int:
    player = "sn"[claim["player"] - 1]
    at_least = claim["at_least"]
    order: list[Any] = []
    #: The rank of a position that was treated, the highest that it may have of another.
    ranks: dict[Any, int] = {}
    places: dict[Any, int] = {}

    def follow(child: Any, rank: int, treated: int) -> None:
        """Add or check a position after one of this rank."""
        if game.outcome(child) is not None:
            if _result(game, child, player) < at_least:
                raise Refused("result")
            return
        ended = _leaf_result(game, child, player, leaf)
        if ended is not None:
            if ended[0] < at_least or (at_least > 0 and ended[1] >= rank):
                raise Refused("result")
            return
        if child not in places:
            places[child] = len(order)
            ranks[child] = rank - 1
            order.append(child)
        elif at_least <= 0:
            return
        elif places[child] > treated:
            ranks[child] = min(ranks[child], rank - 1)
        elif ranks[child] >= rank:
            raise Refused("rank")

    if "except" in claim:
        if claim.get("within", 1) < 1:
            raise Refused("rank")
        for child in _others(game, root, claim["except"]):
            follow(child, claim.get("within", 0), -1)
    else:
        follow(root, claim.get("within", 0) + 1, -1)
    for treated, state in enumerate(order):
        plies = _chosen(game, state, numbers) if game.player(state) == player else game.plies(state)
        if at_least > 0:
            ranks[state] -= _next(numbers)
            if ranks[state] < 1:
                raise Refused("rank")
        for ply in plies:
            follow(game.apply(state, ply), ranks[state], treated)
        if len(order) > claim["positions"]:
            raise Refused("positions")
    return len(order)


def _others(game: ModuleType, root: Any, excluded: str) -> list[Any]:
    """The positions after all plies but one."""
    return [game.apply(root, ply) for ply in game.plies(root) if ply != excluded]


def _bounded(game: ModuleType, root: Any, claim: dict[str, Any], numbers: list[int]) -> int:
    """Checks a claim with a horizon."""
    player = "sn"[claim["player"] - 1]
    at_least = claim["at_least"]
    #: The plies that are left in each position, in the order of the list.
    left: dict[Any, int] = {}
    order: list[Any] = []

    def is_good_end(state: Any) -> bool | None:
        return None if game.outcome(state) is None else _result(game, state, player) >= at_least

    def holds(state: Any, plies: int) -> bool:
        """Search this many plies."""
        ended = is_good_end(state)
        if ended is not None or plies == 0:
            return ended is not False
        some = any if game.player(state) == player else all
        return some(holds(game.apply(state, ply), plies - 1) for ply in game.plies(state))

    def follow(state: Any, plies: int) -> None:
        ended = is_good_end(state)
        if ended is not None or plies <= SEARCHED:
            if not (holds(state, plies) if ended is None else ended):
                raise Refused("result")
        elif state in left or (
            game.player(state) == player and any(is_good_end(game.apply(state, ply)) for ply in game.plies(state))
        ):
            return
        else:
            left[state] = plies
            order.append(state)

    if "except" not in claim:
        follow(root, claim["horizon"])
    elif claim["horizon"] > 0:
        for child in _others(game, root, claim["except"]):
            follow(child, claim["horizon"] - 1)
    for state in order:
        plies = _chosen(game, state, numbers) if game.player(state) == player else game.plies(state)
        for ply in plies:
            follow(game.apply(state, ply), left[state] - 1)
        if len(order) > claim["positions"]:
            raise Refused("positions")
    return len(order)


def _chance(game: ModuleType, root: Any, claim: dict[str, Any], numbers: list[int]) -> int:
    player = claim["player"]
    upper = "most" in claim
    layers: list[dict[Any, list[tuple[int, Any]]]] = [{root: []}]
    count = 0
    for _ in range(min(claim["horizon"], 10**4)):
        following: dict[Any, list[tuple[int, Any]]] = {}
        for state, children in layers[-1].items():
            if game.outcome(state) is not None:
                continue
            count += 1
            chance = game.is_chance(state)
            chooses = not chance and (game.player(state) == player) != upper
            plies = game.plies(state)
            number = _next(numbers)
            if number > (len(plies) if chooses else 1):
                raise Refused("no such ply")
            followed = [] if number == 0 else plies[number - 1 : number] if chooses else plies
            if len(layers) == 1 and "except" in claim:
                followed = [ply for ply in followed if ply != claim["except"]]
                if number > 0 and not followed:
                    return count  # there is no other ply
            for ply in followed:
                child = game.apply(state, ply)
                children.append((game.weight(state, ply) if chance else 1, child))
                following.setdefault(child, [])
            if count > claim["positions"]:
                raise Refused("positions")
        if not following:
            break
        layers.append(following)
    below: dict[Any, Fraction] = {}
    for depth, layer in reversed(list(enumerate(layers))):
        here: dict[Any, Fraction] = {}
        for state, children in layer.items():
            if game.outcome(state) is not None:
                here[state] = Fraction(int(game.outcome(state) == player))
            elif not children:
                ended = depth == claim["horizon"] and "unfinished" in claim
                here[state] = Fraction(int(upper and not ended))
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


def main(paths: Sequence[str]) -> None:
    """Check certificates that rely on no tables, and print what they prove.

    :raises SystemExit: One is wrong or cannot be read.
    """
    if not paths:
        raise SystemExit("usage: python -m reference.certificates FILE...")
    for path in paths:
        try:
            raw = Path(path).read_bytes()
            header = json.loads(raw[len(MAGIC) :].split(b"\n", 1)[0])
            game = import_module(f"reference.{header['fen'].split()[0]}")
            if "tables" in header:
                raise SystemExit(f"{path}: this program has no tables; use tests/checker")
            print(f"{path}: {verify(raw, game)} positions: {header['claims']}")
        except (OSError, ValueError, LookupError, ImportError, Refused) as error:
            raise SystemExit(f"{path}: rejected: {error}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
