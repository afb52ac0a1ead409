"""``perft --out``, ``--jobs``, ``--dask``: deep counts as a batch of positions."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import LIMIT, OK, worst
from ringfen.cli.output import answers_output
from ringfen.cli.position_input import Line, Positions, print_answer
from ringfen.cli.progress import ProgressBar
from ringfen.errors import BatchError
from ringfen.outputs import OF_WRITING, naming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ringfen.batch.counts import CountFile, DeepCount
    from ringfen.batch.workers import WorkerPool
    from ringfen.position import Position


def count_deep(
    positions: Positions,
    depth: int,
    *,
    split: int | None,
    out: str | None,
    resume: bool,
    jobs: int,
    dask: str | None,
    hash_mb: int,
    as_json: bool,
) -> int:
    """Count each position with several workers; return 3 if a part could not be counted."""
    from ringfen.cli.batch import interrupted_once

    status = OK
    if out is not None and not positions.only_one:
        raise click.UsageError("--out takes the counts of a single POSITION, given as an argument.")
    if out is not None:
        answers_output(out, positions.declared())
    for line, position in positions:
        run = _Run(line, position, depth, jobs, dask, hash_mb, as_json)
        try:
            with interrupted_once():
                run.split(split, out)
                run.count(out, resume, positions)
        except BatchError as error:
            raise click.ClickException(str(error)) from error
        status = worst(status, run.status)
    return worst(status, positions.status)


class _Run:
    """One deep count: its positions, progress and results."""

    def __init__(
        self, line: Line, position: Position, depth: int, jobs: int, dask: str | None, hash_mb: int, as_json: bool
    ) -> None:
        self._line = line
        self._position = position
        self._depth = depth
        self._jobs = jobs
        self._dask = dask
        self._hash_mb = hash_mb
        self._as_json = as_json
        self._started = perf_counter()
        self._nodes: dict[int, int] = {}
        self._deep: DeepCount
        self._bar = ProgressBar(f"perft {depth}")
        self.status = OK

    def split(self, split: int | None, out: str | None) -> None:
        """List the positions to count; positions that do not fit into memory go into files next to ``out``."""
        from ringfen.batch.counts import split_up

        directory = None if out is None else Path(out).parent
        with ProgressBar("merging positions") as bar, nullcontext() if out is None else naming(out, whatever=True):
            self._deep = split_up(self._position, self._depth, split, directory=directory, progress=bar)

    def count(self, out: str | None, resume: bool, positions: Positions) -> None:
        """Count the positions and print the sum."""
        from ringfen.batch.counts import pool_for
        from ringfen.batch.run import solve_all
        from ringfen.batch.workers import Failure

        with self._file(out, resume, positions) as file:
            begun = len(self._nodes)
            left = list(self._deep.work.positions.values()) if file is None else file.unsolved()
            with self._bar, pool_for(self._deep, self._jobs, self._dask, self._hash_mb, self._bar.say) as pool:

                def on_tick() -> None:
                    if file is not None:
                        file.sync()
                    self._progress(pool, begun)

                for position, result in solve_all(left, pool, on_tick):
                    (line,) = self._deep.work.lines_of[position.fen]
                    if isinstance(result, Failure):
                        self.status = LIMIT
                        self._bar.say(f"position {line}, {position.fen}: no count: {result.message}")
                    else:
                        self._nodes[line] = result.nodes
                        if file is not None:
                            file.add_count(result)
        if self.status == OK:
            self._print()

    @contextmanager
    def _file(self, out: str | None, resume: bool, positions: Positions) -> Iterator[CountFile | None]:
        """Open the file of counts and read its existing counts."""
        if out is None:
            yield None
            return
        from ringfen.batch.counts import CountFile
        from ringfen.cli.batch import resumable

        with naming(out, OF_WRITING):
            file = CountFile(Path(out), self._deep, resume=resume, inputs=positions.inputs)
        with resumable(file, out, self._deep.work.total, "counts", self._bar):
            self._nodes = {answer["line"]: answer["nodes"] for answer in file.found}
            yield file

    def _progress(self, pool: WorkerPool, begun: int) -> None:
        if self._bar.is_due():
            rate = (len(self._nodes) - begun) / max(self._bar.elapsed, 0.001)
            self._bar.show(len(self._nodes), self._deep.work.total, f"{rate:.1f} positions/s", begun=begun)

    def _print(self) -> None:
        deep, seconds = self._deep, perf_counter() - self._started
        nodes = deep.total(self._nodes)
        if self._as_json:
            fields: dict[str, Any] = {
                "fen": self._position.fen,
                "depth": self._depth,
                "nodes": nodes,
                "seconds": round(seconds, 6),
                "threads": 1,
                "distinct": deep.distinct,
                "split": deep.split,
                "growth": [
                    {"plies": plies, "sequences": sequences, "distinct": distinct}
                    for plies, (sequences, distinct) in enumerate(deep.growth, 1)
                ],
            }
            print_answer(self._line, fields)
            return
        click.echo(self._position.fen)
        for plies, (sequences, distinct) in enumerate(deep.growth, 1):
            click.echo(f"after {plies}: {sequences:,} sequences, {distinct:,} different positions")
        click.echo(f"perft {self._depth}: {nodes:,} ({seconds:.2f} s)")
