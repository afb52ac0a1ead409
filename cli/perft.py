"""``perft``: counts of ply sequences."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.output import print_table
from ringfen.cli.position_input import Line, Positions, print_answer
from ringfen.cli.progress import ProgressBar, short
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import (
    MAX_DEPTH,
    counting_depth_option,
    dask_option,
    hash_option,
    jobs_option,
    json_option,
    out_option,
    positions_from,
    resume_option,
    threads_option,
)

if TYPE_CHECKING:
    from ringfen.position import Position


@click.command()
@positions_from()
@counting_depth_option()
@click.option("--divide", "divided", is_flag=True, help="Also print the count below each ply.")
@out_option("Count as a batch; write the counts to FILE.")
@resume_option
@jobs_option("Count as a batch, with J processes.", default=None)
@dask_option
@click.option("--split", type=WholeNumber(0, MAX_DEPTH), metavar="K", help="In a batch, merge positions after K plies.")
@threads_option
@hash_option(None)
@json_option
def perft(
    positions: Positions,
    depth: int,
    divided: bool,
    out: str | None,
    resume: bool,
    jobs: int | None,
    dask: str | None,
    split: int | None,
    threads: int,
    hash: int | None,
    as_json: bool,
) -> int:
    """Count the ply sequences of a given length (perft).

    A chance event counts as one ply with each of its possible results. --out, --jobs and --dask count as a batch of
    distinct positions, for depths that take hours.

    \b
    Example:
      ringfen perft 'gyges 321123/....../....../....../....../321123 s - 1+1' --depth 3
      ringfen perft rings --depth 2 --divide
      ringfen perft rings --depth 9 --out rings-9.jsonl --jobs 2 --hash 1000
    """
    in_batch = out is not None or jobs is not None or dask is not None
    _check_batch_options(depth, out, resume, split, in_batch, threads)
    if divided and (depth < 1 or in_batch):
        raise click.UsageError("--divide needs a depth of 1 or more, and excludes --out, --jobs and --dask.")
    if not in_batch:
        counter = Counter(threads, hash)
        for line, position in positions:
            _count(line, position, depth, divided, counter, as_json)
        return positions.status
    from ringfen.cli.perft_deep import count_deep

    if out == "-":
        out, as_json = None, True
        positions.as_json = True
    return count_deep(
        positions,
        depth,
        split=split,
        out=out,
        resume=resume,
        jobs=jobs or 1,
        dask=dask,
        hash_mb=hash or 0,
        as_json=as_json,
    )


def _check_batch_options(
    depth: int, out: str | None, resume: bool, split: int | None, in_batch: bool, threads: int
) -> None:
    """Reject options that contradict each other or have no effect.

    :raises click.UsageError: There are some.
    """
    if resume and out in (None, "-"):
        raise click.UsageError("--resume requires --out FILE.")
    if split is not None and not in_batch:
        raise click.UsageError("--split requires --out, --jobs or --dask.")
    if split is not None and split > depth:
        raise click.UsageError(f"--split {split} is more than --depth {depth}.")
    if in_batch and threads > 1:
        raise click.UsageError("--threads is for one count; a batch has --jobs.")


def _count(line: Line, position: Position, depth: int, divided: bool, counter: Counter, as_json: bool) -> None:
    """Count one position and print the result."""
    started = perf_counter()
    parts = counter.divide(position, depth) if divided else []
    nodes = sum(count for _, count in parts) if divided else counter.count(position, depth)
    seconds = perf_counter() - started
    if not as_json:
        click.echo(position.fen)
        if parts:
            print_table([(name, f"{count:,}") for name, count in parts], ("ply", "nodes"), ("left", "right"))
        rate = f", {short(nodes / seconds)} nodes/s" if seconds >= 0.001 else ""
        click.echo(f"perft {depth}: {nodes:,} ({seconds:.2f} s{rate})")
        return
    fields: dict[str, Any] = {
        "fen": position.fen,
        "depth": depth,
        "nodes": nodes,
        "seconds": round(seconds, 6),
        "threads": counter.threads,
    }
    if divided:
        fields["divide"] = dict(parts)
    print_answer(line, fields)


class Counter:
    """Counts with a given number of threads and a table of a given size, in MiB; None lets the program choose."""

    def __init__(self, threads: int = 1, hash_mb: int | None = None) -> None:
        self.threads = threads
        self.hash_mb = hash_mb

    def count(self, position: Position, depth: int) -> int:
        """Return the number of sequences of ``depth`` plies."""
        from ringfen.counting import perft

        with ProgressBar(f"perft {depth}") as bar:
            return perft(position, depth, threads=self.threads, hash_mb=self.hash_mb, progress=bar)

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        """Return the number below each ply."""
        from ringfen.counting import divide

        with ProgressBar(f"perft {depth}") as bar:
            return divide(position, depth, threads=self.threads, hash_mb=self.hash_mb, progress=bar)

    def kinds(self, position: Position, depth: int) -> tuple[int, dict[str, int]]:
        """Return the number of sequences, and how many end with a ply of each kind."""
        from ringfen.counting import count_kinds

        with ProgressBar(f"perft {depth}") as bar:
            return count_kinds(position, depth, threads=self.threads, progress=bar)
