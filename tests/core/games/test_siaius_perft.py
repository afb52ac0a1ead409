"""Siaius: the last two plies are counted without playing them; full lists say whether the counts are right."""

from __future__ import annotations

from random import Random

import pytest
from siaius_random import game, placement

from ringfen import Position
from ringfen._core import ffi, lib
from ringfen.counting import perft


def agree(position: Position, depth: int) -> None:
    control = ffi.new("rf_control *")
    counted = lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, depth, ffi.NULL, control)
    assert position.perft(depth) == counted, (position.fen, depth)


def agree_on_random(rnd: Random, placements: int, games: int, share: float) -> None:
    for _ in range(placements):
        position = placement(rnd)
        agree(position, 2)
        if rnd.random() < share:
            agree(position, 3)
        if position.count() < 6:
            agree(position, 4)
    for _ in range(games):
        for position in game(rnd):
            if rnd.random() < share:
                agree(position, 2)
                if rnd.random() < share:
                    agree(position, 3)


#: What each is for.
SPECIAL = {
    "no neighbours": "5/2m2/5/5/2S2/5 s - - 0",
    "enemies beside both squares of a move": "5/1mts1/1SM2/1TSM1/5/5 s - - 0",
    "an enemy champion continues over a square just left": "6/6/1cSS2/2M3/6/6/6 s - - 0",
    "an enemy champion cannot continue": "6/1c4/6/2S3/6/6/6 s - - 0",
    "an enemy champion beside the board's edge": "4/1c2/S3/4/4 s - - 0",
    "a champion captures a champion that could continue over it": "6/6/1cC3/6/6/6 s - - 0",
    "a champion takes from afar, with more enemies near": "6/1mct2/6/2C3/6/c5 s - - 0",
    "a capturer that can be captured": "6/1ms3/1St3/2c3/6/6 s - - 0",
    "the opponent's only move is taken away": "c2/MS1/3/3 s - - 0",
    "the opponent passes after any move": "sC3/CC3/5/5/4S s - - 0",
    "the opponent passes after a capture and after none": "sC3/CC3/5/3m1/4C s - - 0",
    "the mover passes": "3/cc1/Sc1 s - - 0",
    "both pass": "sss/SsS/SSS s - - 0",
    "the mover passes for the second time": "sss/SsS/SSS s - - 1",
    "the mover may huff or pass": "3/cc1/Sc1 s b1,a2,b2 - 0",
    "the mover passes after a huff": "4/cc2/Sc1c s d1 - 0",
    "a huff lets a champion continue": "5/3c1/2m2/1C3/5/5 s c4 - 0",
    "promotions beside champions": "1c1t1/SMTS1/5/5/2c2 s - - 0",
    "huffs open the way for all kinds": "5/1mcs1/1SMT1/1CC2/5 s b4,c4,d4 - 0",
    "a huff takes the last stone": "3/1s1/1M1/3 s b3 - 0",
    "a capture takes the last stone": "4/4/1s2/1T2/4 s - - 0",
    "a promotion takes the last stone": "1s2/1T2/4/4 s - - 0",
    "North promotes": "5/2T2/5/smt1s/C1C2 n - - 0",
    "a bonus ply with stones missed": "C2m1/1m3/1M3/2s2/5 s b3,a5 a5 0",
    "a bonus ply takes the last stone": "Cm1/3/1M1 s - a3 0",
    "a bonus ply with huff=stone": "C2m1/1m3/1M3/2s2/5 s b3,a5 a5 0 huff=stone",
    "captures with huff=stone": "5/1msm1/1SMT1/5/5 s - - 0 huff=stone",
    "captures with huff=off": "5/1msm1/1SMT1/5/5 s - - 0 huff=off",
    "the cycle reversed": "5/1msm1/1SMT1/5/5 s - - 0 beats=reverse",
}


@pytest.mark.parametrize("text", SPECIAL.values(), ids=SPECIAL)
def test_special_cases(text: str) -> None:
    for depth in (2, 3, 4):
        agree(Position(f"siaius {text}"), depth)


def test_random_positions() -> None:
    agree_on_random(Random("bulk"), 1200, 12, 0.15)


@pytest.mark.long
def test_many_random_positions() -> None:
    agree_on_random(Random("many"), 40_000, 400, 0.3)


def test_a_table_and_threads_change_nothing() -> None:
    rnd = Random("threads")
    for _ in range(10):
        position = placement(rnd)
        control = ffi.new("rf_control *")
        counted = lib.rf_perft_kinds(position.game.cdata, ffi.NULL, position.state, 3, ffi.NULL, control)
        assert perft(position, 3, threads=2, hash_mb=1) == perft(position, 3, hash_mb=1) == counted
