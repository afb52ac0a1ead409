"""Certificates of problems: written if and only if there is exactly one key."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate_strategies import Known, reference_of
from reference import certificates as plain
from reference import siaius

from ringfen import LimitReached, NotSolved, Position, UnsoundProblem, check_problem, prove, verify

WIN_IN_2 = "gyges ...1../....../2..331/123.2./.23.../....1. n - 1+1"
WIN_IN_3 = "gyges ....3./3.3.2./11...2/1.1.../...22./3..... s - 1+1"
WIN_IN_4 = "gyges ..2.../1..1.1/233.32/3..2../.1..../...... s - 1+1"
MARGIN = "rings ....k(111)/..k(11)../1..../...../....1/...3./.k(3111)... n 0+0 1"


@cache
def wins(state: Any, player: str, plies: int) -> bool:
    outcome = siaius.outcome(state)
    if outcome is not None or plies == 0:
        return bool(outcome == player)
    some = any if siaius.player(state) == player else all
    return some(wins(siaius.apply(state, ply), player, plies - 1) for ply in siaius.plies(state))


def winning(state: Any, plies: int) -> list[str]:
    """The plies that win within this many plies."""
    player = siaius.player(state)
    return [ply for ply in siaius.plies(state) if wins(siaius.apply(state, ply), player, plies - 1)]


def positions(stones: str) -> list[str]:
    """Positions with these stones on 3 x 3 squares: all with two stones, some with more."""
    fens = []
    for squares in permutations(range(9), len(stones)):
        cells = "".join(stones[squares.index(at)] if at in squares else "1" for at in range(9))
        rows = [cells[at : at + 3].replace("111", "3").replace("11", "2") for at in (0, 3, 6)]
        fens += [f"siaius {'/'.join(rows)} {side} - - 0" for side in "sn"]
    return list(filter(is_playable, fens if len(stones) == 2 else Random(stones).sample(fens, 100)))


def is_playable(fen: str) -> bool:
    try:
        return siaius.outcome(siaius.parse(fen)) is None
    except ValueError:
        return False


@pytest.mark.parametrize("stones", ["Mt", "Cm", "Smt"])
def test_wins(stones: str, tmp_path: Path) -> None:
    """A plain search of all plies finds the shortest win and its keys."""
    path, seen = tmp_path / "cert", Counter[str]()
    for fen in positions(stones):
        state = siaius.parse(fen)
        moves = next((moves for moves in range(1, 7) if winning(state, 2 * moves - 1)), None)
        keys = winning(state, 2 * moves - 1) if moves is not None else []
        if len(keys) != 1:
            with pytest.raises(UnsoundProblem) as raised:
                prove(fen, path, hash_mb=1, problem=True)
            assert list(raised.value.keys) == keys
            seen["no win" if moves is None else "keys"] += 1
            continue
        proved = prove(fen, path, hash_mb=1, problem=True)
        assert proved.problem is not None
        assert (proved.problem.stipulation, proved.problem.key) == (f"win in {moves}", keys[0])
        verified = verify(path)
        assert (verified.problem, verified.value) == (proved.problem, "win")
        assert plain.verify(path.read_bytes(), siaius) == verified.positions == proved.positions
        seen[proved.problem.stipulation] += 1
    assert seen["win in 2"] > 3
    assert seen["keys"] > 3


def margins() -> list[str]:
    """Positions of The King of Rings near the end."""
    starts = (MARGIN, "rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0")
    fens = dict.fromkeys(starts)
    for start in starts:
        for child in Position(start).children():
            fens |= dict.fromkeys(one.fen for one in [child, *child.children()] if not one.is_over)
    return list(fens)[:60]


@pytest.mark.parametrize("gap", [1, 4])
def test_margins(gap: int, tmp_path: Path) -> None:
    """Retrograde analysis of the plain game finds the margins after all plies."""
    path, sound = tmp_path / "cert", 0
    for fen in margins():
        known = Known(fen)
        sign = 1 if known.game.player(known.root) == "s" else -1
        after = {ply: known.margin.get(child, 0) * sign for ply, child in known.children[known.root].items()}
        keys = [ply for ply, margin in after.items() if margin > known.value() - gap]
        if len(keys) != 1:
            with pytest.raises(UnsoundProblem) as raised:
                prove(fen, path, hash_mb=1, problem=True, gap=gap)
            assert sorted(raised.value.keys) == sorted(keys)
            continue
        sound += 1
        proved = prove(fen, path, hash_mb=1, problem=True, gap=gap)
        assert proved.problem is not None
        assert (proved.problem.stipulation, proved.problem.key) == (f"best margin {known.value()}", keys[0])
        assert proved.problem.gap == gap
        assert verify(path).problem == proved.problem
        assert plain.verify(path.read_bytes(), reference_of(fen)) == proved.positions
    assert 3 < sound < len(margins())


@pytest.mark.parametrize(("fen", "moves", "key"), [(WIN_IN_2, 2, ""), (WIN_IN_3, 3, "a1-c2"), (WIN_IN_4, 4, "b2-b3")])
def test_wins_in_gyges(fen: str, moves: int, key: str, tmp_path: Path) -> None:
    proved = prove(fen, tmp_path / "cert", hash_mb=1, problem=True)
    assert proved.problem is not None
    assert proved.problem.stipulation == f"win in {moves}"
    assert proved.problem.key == key or not key
    verified = verify(tmp_path / "cert")
    assert verified.claims == proved.claims
    horizons = [claim.horizon for claim in verified.claims]
    assert horizons == [None, 2 * moves - 3, 2 * moves - 1]
    assert (verified.claims[0].within, verified.claims[2].excluded) == (2 * moves - 1, proved.problem.key)


CHANCES = [
    ("gran d1:2:TG/c8:0:UE!/b5:0:- @1 h1 0.0.0.0.1.0.0 1 move", 3, "best chance 1/2 paranoid 3", "d1-c2"),
    ("gran d5:0:UE/b4:0:G/f1:2:TE @3 b1,c9 0.0.2.5.4.1.0 3 move", 3, "best chance 11/18 paranoid 3", "f1-g2"),
]


@pytest.mark.parametrize(("fen", "depth", "stipulation", "key"), CHANCES)
def test_chances(fen: str, depth: int, stipulation: str, key: str, tmp_path: Path) -> None:
    """The bounds of the plain game after all plies: an unfinished game counts 0."""
    game, state, path = reference_of(fen), reference_of(fen).parse(fen), tmp_path / "cert"
    player = game.player(state)
    after = {ply: game.paranoid(game.apply(state, ply), depth - 1, player)[0] for ply in game.plies(state)}
    best = max(after.values())
    others = max(chance for ply, chance in after.items() if ply != key)
    proved = prove(fen, path, hash_mb=1, depth=depth, problem=True)
    assert proved.problem is not None
    assert (proved.problem.stipulation, proved.problem.key) == (stipulation, key)
    assert (proved.problem.stipulation, proved.problem.gap) == (f"best chance {best} paranoid {depth}", best - others)
    assert after[key] == best > others
    verdict = check_problem(fen, stipulation, gap=best - others)
    assert (verdict.status, verdict.key) == ("sound", key)
    assert check_problem(fen, stipulation.replace(f" {best} ", " 1 ")).actual == stipulation
    assert verify(path).problem == proved.problem
    assert plain.verify(path.read_bytes(), game) == proved.positions


def test_chances_without_a_key(tmp_path: Path) -> None:
    fen = CHANCES[0][0]
    with pytest.raises(
        UnsoundProblem, match="under paranoid, player 1 wins with a probability of at most 1/2 within 3"
    ):
        prove(fen, tmp_path / "cert", hash_mb=1, depth=3, problem=True, gap=Fraction(51, 100))
    assert prove(fen, tmp_path / "cert", hash_mb=1, depth=3, problem=True, gap=Fraction(1, 2)).problem is not None
    cooked = "gran c2:0:UE/c6:0:G/f3:2:TE @3 c9 0.0.2.5.4.1.0 3 move"
    with pytest.raises(UnsoundProblem, match="2 plies give the highest probability within the horizon of 3") as raised:
        prove(cooked, tmp_path / "cert", hash_mb=1, depth=3, problem=True)
    assert raised.value.keys == ("f3-g2", "f3-h3")


def test_gaps_that_do_not_apply(tmp_path: Path) -> None:
    for fen, gap, error in (
        (MARGIN, 0, ValueError),
        (MARGIN, Fraction(1, 2), ValueError),
        (MARGIN, 1.5, TypeError),
        (MARGIN, True, TypeError),
        (CHANCES[0][0], Fraction(3, 2), ValueError),
        (WIN_IN_2, 1, ValueError),
    ):
        with pytest.raises(error, match="gap"):
            prove(fen, tmp_path / "cert", problem=True, gap=gap)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gap requires problem=True"):
        prove(MARGIN, tmp_path / "cert", gap=1)


def test_limits(tmp_path: Path) -> None:
    with pytest.raises((LimitReached, NotSolved)):
        prove(WIN_IN_4, tmp_path / "cert", hash_mb=1, problem=True, nodes=100)
    prove(WIN_IN_4, tmp_path / "cert", hash_mb=1, problem=True)
    with pytest.raises(LimitReached):
        verify(tmp_path / "cert", nodes=50)
