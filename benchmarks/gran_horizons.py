"""How the time of GRAN grows with the horizon: the figures of docs/lab/index.md.

python benchmarks/gran_horizons.py [SECONDS]

One thread, 128 MB, only the value (for `paranoid`, both bounds), each horizon with an empty table. A position that
takes more than SECONDS of the clock (3) counts as not solved with this horizon and with longer ones.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from statistics import median

from ringfen import Limits, Position
from ringfen._core import ffi, lib
from ringfen.control import Control
from ringfen.solving.core_answers import chances_of

POSITIONS = Path(__file__).parent / "data" / "gran-20.txt"
HORIZONS = (6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 23, 28)


def ask(position: Position, model: str, horizon: int, seconds: float) -> float | None:
    """The CPU time of the question; None if it takes too long."""
    core, context, out = position.game.cdata, position.context.cdata, ffi.new("rf_chances *")
    table = ffi.gc(lib.rf_chance_table_new(core, position.players, 128 << 20), lib.rf_chance_table_free)
    control = Control(Limits(seconds=seconds))
    lib.rf_control_start(control.cdata)
    started = time.process_time()
    if model == "maxn":
        lib.rf_chance_maxn(core, context, position.state, horizon, 0, ffi.NULL, table, control.cdata, out)
    else:
        player, zero = position.player_number, chances_of(Fraction(0))
        for upper in (False, True):
            question = (horizon, player, upper, lib.RF_CHANCE_VALUE, zero, table, control.cdata, out)
            lib.rf_chance_paranoid(core, context, position.state, *question)
    control.finish()
    return None if control.stopped else time.process_time() - started


def times(model: str, seconds: float) -> Iterator[tuple[int, list[float]]]:
    """By horizon, the times of the positions that are solved."""
    left = [Position(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]
    for horizon in HORIZONS:
        found = [(position, ask(position, model, horizon, seconds)) for position in left]
        left = [position for position, took in found if took is not None]
        yield horizon, [took for _, took in found if took is not None]


def shown(took: float) -> str:
    return "" if took == float("inf") else f"{took:.2g} s" if took >= 0.1 else f"{1000 * took:.2g} ms"


def main(seconds: float) -> None:
    for model in ("maxn", "paranoid"):
        print(f"\n| horizon | `{model}` solved | median | 3 of 4 | largest |\n| --- | --- | --- | --- | --- |")
        for horizon, solved in times(model, seconds):
            every = sorted(solved) + [float("inf")] * (20 - len(solved))
            row = (median(every), every[14], every[-1])
            print(f"| {horizon} | {len(solved)} | {' | '.join(map(shown, row))} |", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
