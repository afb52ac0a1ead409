"""How the time of GRAN grows with the horizon: the figures of docs/lab/index.md.

python benchmarks/gran_horizons.py           20 positions (data/gran-20.txt), both models
python benchmarks/gran_horizons.py SEED...   48 unseen positions of each kind per seed, `paranoid`

One thread, 256 MB, only the value (for `paranoid`, both bounds), each horizon with an empty table. A position that
takes more than 3 s of CPU time counts as not solved with this horizon and with longer ones.

In an unseen position the player to move carries the ring and lacks one of three seals. `games` are the first such
positions of random games of three to six players; nearly all of their 16 stones are on the board. `scattered` are 5 to
12 stones and three to six figures on random points.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import median

from ringfen import Position, RingfenError, game, random_game
from ringfen._core import ffi, lib
from ringfen.control import Control, stop_when
from ringfen.rules.gran.board import default_board
from ringfen.solving.core_answers import chances_of

POSITIONS = Path(__file__).parent / "data" / "gran-20.txt"
HORIZONS = (6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 23, 28)
UNSEEN_HORIZONS = (14, 15)
SECONDS = 3.0
UNSEEN = 48


def ask(position: Position, model: str, horizon: int) -> float | None:
    """The CPU time of the question; None if it takes too long."""
    core, context, out = position.game.cdata, position.context.cdata, ffi.new("rf_chances *")
    table = ffi.gc(lib.rf_chance_table_new(core, position.players, 256 << 20), lib.rf_chance_table_free)
    started = time.process_time()
    with stop_when(lambda: time.process_time() - started > SECONDS):
        control = Control()
    lib.rf_control_start(control.cdata)
    if model == "maxn":
        lib.rf_chance_maxn(core, context, position.state, horizon, 0, ffi.NULL, table, control.cdata, out)
    else:
        player, zero = position.player_number, chances_of(Fraction(0))
        for upper in (False, True):
            question = (horizon, player, upper, lib.RF_CHANCE_VALUE, zero, table, control.cdata, out)
            lib.rf_chance_paranoid(core, context, position.state, *question)
    took = time.process_time() - started
    return None if control.cdata.stopped or took > SECONDS else took


def times(left: list[Position], model: str, horizons: tuple[int, ...]) -> Iterator[tuple[int, list[float]]]:
    """By horizon, the times of the positions that are solved."""
    for horizon in horizons:
        found = [(position, ask(position, model, horizon)) for position in left]
        left = [position for position, took in found if took is not None]
        yield horizon, [took for _, took in found if took is not None]


def lacks_one_seal_with_the_ring(position: Position) -> bool:
    """Whether this is so for the player to move."""
    _, figures, ring, _, _, player, phase, *_ = position.fen.split()
    seals = figures.split("/")[int(player) - 1].split(":")[2].rstrip("!-")
    return phase == "move" and ring == f"@{player}" and len(seals) == 2


def games(seed: int) -> Iterator[Position]:
    """Endless; the same on every machine."""
    for number in count(1):
        played = random_game(game("gran").start(players=3 + number % 4), seed, number=number).positions()
        yield from islice(filter(lacks_one_seal_with_the_ring, played), 1)


def scattered(seed: int) -> Iterator[Position]:
    """Endless; the same on every machine."""
    rnd, board = Random(seed), default_board()
    while True:
        players, free = rnd.randint(3, 6), set(board.points)
        player, figures = rnd.randint(1, players), rnd.sample(sorted(free), players)
        seals = [rnd.sample("TUGE", 2 if number == player else rnd.randint(0, 2)) for number in range(1, players + 1)]
        texts = [
            f"{point}:{rnd.randint(0, 3)}:{''.join(sorted(has, key='TUGE'.index)) or '-'}"
            for point, has in zip(figures, seals, strict=True)
        ]
        plain = [point for point in sorted(free) if board.symbol_of(point) == "." and point not in figures]
        stones = sorted(rnd.sample(plain, rnd.randint(5, 12)), key=lambda point: (int(point[1:]), point[0]))
        deck = ".".join(str(rnd.randint(0, cards)) for cards in board.cards)
        try:
            yield Position(f"gran {'/'.join(texts)} @{player} {','.join(stones)} {deck} {player} move")
        except RingfenError:
            continue


def shown(took: float) -> str:
    return "" if took == float("inf") else f"{took:.2g} s" if took >= 0.1 else f"{1000 * took:.2g} ms"


def known() -> None:
    """Print the tables of the 20 positions."""
    positions = [Position(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]
    for model in ("maxn", "paranoid"):
        print(f"\n| horizon | `{model}` solved | median | 3 of 4 | largest |\n| --- | --- | --- | --- | --- |")
        for horizon, solved in times(positions, model, HORIZONS):
            every = sorted(solved) + [float("inf")] * (20 - len(solved))
            row = (median(every), every[14], every[-1])
            print(f"| {horizon} | {len(solved)} | {' | '.join(map(shown, row))} |", flush=True)


def unseen(seed: int, kind: Callable[[int], Iterator[Position]]) -> None:
    """Print a row of how many of the unseen positions are solved."""
    positions = list(islice(kind(seed), UNSEEN))
    solved = [str(len(took)) for _, took in times(positions, "paranoid", UNSEEN_HORIZONS)]
    print(f"| {kind.__name__} | {seed} | {' | '.join(solved)} |", flush=True)


def main(seeds: list[int]) -> None:
    if not seeds:
        known()
        return
    head = ["positions", "seed", *(f"{plies} plies, of {UNSEEN}" for plies in UNSEEN_HORIZONS)]
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for kind in (games, scattered):
        for seed in seeds:
            unseen(seed, kind)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])
