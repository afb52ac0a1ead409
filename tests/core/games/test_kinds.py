"""Kinds of plies that perft distinguishes, against the plain implementations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from known_data import rows
from reference import gran, gyges, rings, siaius
from siaius_random import placement

from ringfen import Position, game_by_id
from ringfen.counting import count_kinds, kinds_of_plies, perft

PLAIN: dict[str, Any] = {"gyges": gyges, "rings": rings, "siaius": siaius, "gran": gran}


def gyges_kinds(state: gyges.State, ply: str) -> Iterator[str]:
    if ply.isdigit():
        yield "setups"
    elif "x" in ply:
        yield "displacements"
    elif ply[-1] in "SN":
        yield "thrones"
    elif ply[0] == "=":
        yield "put_backs"


def rings_kinds(state: rings.State, ply: str) -> Iterator[str]:
    if ply == "pass":
        yield "passes"
        return
    if state.cells[rings._square(state, ply[-2:])] in ("1", "3", "5"):
        yield "rings"
    if "x" in ply:
        yield "captures"
    if "@" in ply:
        yield "drops"


def siaius_kinds(state: siaius.State, ply: str) -> Iterator[str]:
    if ply[0] != "*" and ply not in ("stay", "pass"):
        stone, _, to = ply.partition("x" if "x" in ply else "-")
        if "x" in ply:
            yield "captures"
        if siaius._at(state, stone) not in "Cc" and int(to[1:]) == (len(state.rows) if state.side == "s" else 1):
            yield "promotions"
        if state.bonus != "-":
            yield "bonus_moves"
        return
    yield {"stay": "stays", "pass": "passes"}.get(ply, "huffs")


def gran_kinds(state: gran.State, ply: str) -> Iterator[str]:
    words = {"=": "rings_put", "+": "stones"}
    names = {"stay": "stays", "rest": "rests", "pass": "passes"}
    if ply[0] in words or ply in names or ":" in ply:
        yield words.get(ply[0]) or names.get(ply, "chances")
        return
    if "x" in ply:
        yield "banishments"
    if state.ring != f"@{state.player}" and gran._play(state, ply).ring in ("?", f"@{state.player}"):
        yield "rings_taken"
    if state.phase == "extra":
        yield "extra_moves"


KINDS: dict[str, Callable[[Any, str], Iterator[str]]] = {
    "gyges": gyges_kinds,
    "rings": rings_kinds,
    "siaius": siaius_kinds,
    "gran": gran_kinds,
}


def positions(game: str) -> Iterator[str]:
    """Those of the golden games; of Siaius also some with huffs and bonus plies."""
    for row in rows("golden/games.jsonl"):
        if row["game"] == game:
            position = Position(row["start"])
            for _, ply in row["line"]:
                yield position.fen
                position = position.apply(ply)
    if game == "siaius":
        rnd = Random(7)
        yield from (placement(rnd).fen for _ in range(150))


@pytest.mark.parametrize("game", KINDS)
def test_kinds_of_every_ply(game: str) -> None:
    plain, seen = PLAIN[game], Counter[str]()
    for fen in positions(game):
        state = plain.parse(fen)
        plies = plain.plies(state)
        expected = Counter(kind for ply in plies for kind in KINDS[game](state, ply))
        nodes, found = count_kinds(fen, 1)
        assert (nodes, +Counter(found)) == (len(plies), expected), fen
        seen += expected
    rare = {"passes"} | ({"put_backs"} if game == "gyges" else set())
    assert set(seen) | rare >= set(kinds_of_plies(game_by_id(game))), "the positions show every kind"


@pytest.mark.parametrize(
    ("fen", "kind"),
    [
        ("gyges ....../112233/....../....../....../11223. s 3 2+1", "put_backs"),
        ("rings ......./......./......./......1/......./......./K(1)...... s 0+0 0", "passes"),
        ("siaius 3/sss/SSS s - - 0", "passes"),
        ("gran a1:0:-/e1:3:-/e5:3:- @2 b1,a2 2.0.4.6.6.4.2 1 move", "passes"),
    ],
)
def test_rare_kinds(fen: str, kind: str) -> None:
    plain = PLAIN[fen.split()[0]]
    state = plain.parse(fen)
    expected = Counter(kind for ply in plain.plies(state) for kind in KINDS[fen.split()[0]](state, ply))
    assert +Counter(count_kinds(fen, 1)[1]) == expected
    assert expected[kind] > 0


def test_deeper_and_in_threads() -> None:
    for game in KINDS:
        nodes, kinds = count_kinds(game, 3)
        assert nodes == perft(game, 3)
        assert count_kinds(game, 3, threads=2) == (nodes, kinds)
        below: Counter[str] = Counter()
        for _, child in Position(game).successors():
            below += Counter(count_kinds(child, 2)[1])
        assert below == +Counter(kinds)
