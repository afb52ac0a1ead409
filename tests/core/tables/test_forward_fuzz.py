"""Search beyond tables on random boards, with tables missing at random, little memory and limits: never wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from siaius_random import random_position

from ringfen import Limits, Position
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.tables.tablebase import Tables

#: Small enough for retrograde analysis of all positions with three stones.
BOARDS = [(3, 3), (3, 5), (4, 3), (4, 4), (5, 4), (3, 7), (6, 3)]
HUFFS = ("turn", "stone", "off")


def some_tables(rnd: Random, full: Path, out: Path) -> Path:
    """Some of the tables of up to two stones, now and then some of three."""
    shutil.copytree(full, out)
    kept = rnd.choice((0.3, 0.8, 1.0))
    kept_of_three = rnd.choice((0.0, 0.0, 0.3))
    for file in sorted(out.glob("*/*.rft")):
        if rnd.random() >= (kept if len(file.stem) == len("SvS") else kept_of_three):
            file.unlink()
    return out


def limits_of(rnd: Random) -> Iterator[Limits]:
    """Search again from where a limit stopped it."""
    nodes = rnd.choice((1, 7, 100, 3000))
    for _ in range(rnd.choice((1, 3, 40))):
        yield Limits(nodes=nodes)
    if rnd.random() < 0.8:
        yield Limits(nodes=300_000)


def check(known: Tables, search: ProofNumberSearch, position: Position) -> int:
    """Query all positions within two plies; return the number of answers."""
    near = [position, *(after for _, after in position.successors())]
    near += [last for after in near[1:] for _, last in after.successors()]
    answers = 0
    for at in near:
        if at.is_over:
            continue
        right = known.value(at)
        assert right is not None
        for player in (1, 2):
            wins, upper = search.wins(at, player)
            if wins is None:
                continue
            answers += 1
            assert wins == (right[0] != "draw" and (right[0] == "win") == ("sn"[player - 1] == at.player)), at.fen
            assert upper is None or (wins and right[1] is not None and upper >= right[1]), at.fen
    return answers


def fuzz(rnd: Random, directory: Path, rounds: int) -> tuple[int, int, int]:
    """How many searches were solved, ran out of memory, gave answers."""
    solved = full = answers = 0
    for number in range(rounds):
        files, ranks = rnd.choice(BOARDS)
        huff = rnd.choice(HUFFS)
        board = Board("siaius", files, ranks, huff)
        build_tables(board, 3, directory=directory / "full", threads=1)
        leaves = Tables(board, some_tables(rnd, directory / "full", directory / str(number)))
        known = Tables(board, directory / "full")
        for _ in range(6):
            options = rnd.choice(("", " beats=reverse")) + ("" if huff == "turn" else f" huff={huff}")
            position = Position(random_position(rnd, files, ranks, 3, options))
            search = ProofNumberSearch(leaves, position, rnd.choice((0, 1 << 10, 1 << 16, 1 << 18, 1 << 20, 1 << 22)))
            found = any(search.solve(limits) for limits in limits_of(rnd))
            solved += found
            full += search.is_full
            assert not found or search.winner(position) is not None
            if found and rnd.random() < 0.7:
                search.measure(Limits(nodes=rnd.choice((1, 10**6))))
            answers += check(known, search, position) > 0
    return solved, full, answers


def test_it_is_never_wrong(tmp_path: Path) -> None:
    solved, full, answers = fuzz(Random(12), tmp_path, 12)
    assert solved > 30
    assert full > 0
    assert answers > 40


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_it_is_never_wrong_for_long(seed: int, tmp_path: Path) -> None:
    fuzz(Random(seed), tmp_path, 100)
