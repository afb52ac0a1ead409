"""``perft``: counts of ply sequences, of positions, against a file of known counts or against another program."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ringfen.cli.common import (
    Positions,
    hash_option,
    json_option,
    positions_from,
    print_json,
    print_table,
    quiet_option,
    threads_option,
)
from ringfen.cli.counter import Counter
from ringfen.cli.progress import short
from ringfen.cli.quantities import Seconds, WholeNumber

if TYPE_CHECKING:
    from ringfen.position import Position

_USUAL_TIMEOUT = 60.0


@click.command()
@positions_from(optional=True)
@click.option("--depth", "-d", type=WholeNumber(0, 255), metavar="D", help="How many plies, 0 to 255.")
@click.option("--divide", "divided", is_flag=True, help="Also the count below each ply.")
@click.option("--kinds", is_flag=True, help="Also how many sequences end with a capture, a drop, …")
@click.option(
    "--suite",
    metavar="FILE",
    type=click.Path(),
    help='Check a file of JSON lines {"fen", "depth", "count"}; builtin or builtin:GAME: the installed ones.',
)
@click.option("--max-nodes", type=WholeNumber(0), metavar="N", help="With --suite: skip larger counts.")
@click.option(
    "--against", metavar="COMMAND", help="Find where another program's plies differ; see 'ringfen help cli.md'."
)
@click.option("--timeout", type=Seconds(), metavar="T", help="With --against: for each run.  [default: 60s]")
@click.option("--out", "-o", metavar="FILE", type=click.Path(), help="Count as a batch; write its counts to FILE.")
@click.option("--resume", is_flag=True, help="Go on with an --out FILE that is not finished.")
@click.option("--jobs", "-j", type=WholeNumber(1, 1024), metavar="J", help="Count as a batch, with J processes.")
@click.option("--dask", metavar="ADDRESS", help="Count as a batch on a Dask cluster (needs ringfen[dask]).")
@click.option("--split", type=WholeNumber(0, 255), metavar="K", help="In a batch: merge positions after K plies.")
@threads_option
@hash_option(0)
@json_option
@quiet_option
def perft(
    positions: Positions,
    depth: int | None,
    divided: bool,
    kinds: bool,
    suite: str | None,
    max_nodes: int | None,
    against: str | None,
    timeout: float | None,
    out: str | None,
    resume: bool,
    jobs: int | None,
    dask: str | None,
    split: int | None,
    threads: int,
    hash: int,
    as_json: bool,
) -> int:
    """Count the sequences of plies of a length from a position.

    A chance event counts one ply with each of its possible results. --suite checks known counts instead; its exit
    status is 1 if one is wrong. --against COMMAND runs another program for the position ({fen}, {depth} and {ugi} in it
    are replaced), and follows counts that differ to the position where the lists of plies do. --out, --jobs and --dask
    count as a batch of different positions, for depths that take hours; a kill costs little with --out and --resume.

    \b
    Example:
      ringfen perft 'gyges 321123/....../....../....../....../321123 s - 1+1' --depth 3
      ringfen perft rings --depth 2 --divide
      ringfen perft --suite builtin:siaius --max-nodes 1e6
      ringfen perft rings --depth 9 --out rings-9.jsonl --jobs 2 --hash 1000
      ringfen perft rings --depth 3 --against './other divide {depth} "{fen}"'
    """
    asked = _Asked(depth, divided, kinds, suite, max_nodes, against, timeout, out, resume, jobs, dask, split, threads)
    _check_options(asked, positions)
    if out == "-":
        out, as_json = None, True
    counter = Counter(threads, hash)
    if suite is not None:
        from ringfen.cli.perft_suite import check_suite

        return check_suite(suite, counter, positions.board_path, as_json, max_nodes)
    assert depth is not None
    if against is not None:
        from ringfen.cli.perft_against import compare_all

        return compare_all(positions, depth, against, timeout or _USUAL_TIMEOUT, counter, as_json)
    if asked.in_batch:
        from ringfen.cli.perft_deep import count_deep

        return count_deep(
            positions,
            depth,
            split=split,
            out=out,
            resume=resume,
            jobs=jobs or 1,
            dask=dask,
            hash_mb=hash,
            as_json=as_json,
        )
    for _, position in positions:
        _count(position, depth, divided, kinds, counter, as_json)
    return positions.status


class _Asked(NamedTuple):
    """The options that go together, or do not."""

    depth: int | None
    divided: bool
    kinds: bool
    suite: str | None
    max_nodes: int | None
    against: str | None
    timeout: float | None
    out: str | None
    resume: bool
    jobs: int | None
    dask: str | None
    split: int | None
    threads: int

    @property
    def in_batch(self) -> bool:
        """Whether an option selects a batch."""
        return self.out is not None or self.jobs is not None or self.dask is not None


def _check_options(asked: _Asked, positions: Positions) -> None:
    """Refuses options that contradict each other, or have no effect.

    :raises click.UsageError: there are some, or one is missing.
    """
    compared = asked.against is not None
    if asked.suite is not None:
        if positions.given or asked.depth is not None or asked.divided or asked.kinds or compared or asked.in_batch:
            raise click.UsageError("--suite has its own positions and depths.")
        return
    if asked.max_nodes is not None:
        raise click.UsageError("--max-nodes goes with --suite.")
    if asked.depth is None:
        raise click.UsageError("Missing option '--depth'.")
    positions.required()
    if (asked.divided or asked.kinds or compared) and asked.depth < 1:
        raise click.UsageError("--divide, --kinds and --against need a depth of 1 or more.")
    if asked.divided + asked.kinds + compared + asked.in_batch > 1:
        raise click.UsageError("--divide, --kinds, --against and --out, --jobs or --dask exclude each other.")
    if asked.timeout is not None and not compared:
        raise click.UsageError("--timeout goes with --against.")
    if asked.resume and asked.out in (None, "-"):
        raise click.UsageError("--resume goes with --out FILE.")
    if asked.split is not None and not asked.in_batch:
        raise click.UsageError("--split goes with --out, --jobs or --dask.")
    if asked.split is not None and asked.split > asked.depth:
        raise click.UsageError(f"--split {asked.split} is more than --depth {asked.depth}.")
    if asked.in_batch and asked.threads > 1:
        raise click.UsageError("--threads is for one count; a batch has --jobs.")


def _count(position: Position, depth: int, divided: bool, kinds: bool, counter: Counter, as_json: bool) -> None:
    """Counts one position and prints what was found."""
    started = perf_counter()
    parts = counter.divide(position, depth) if divided else []
    by_kind: dict[str, int] = {}
    if kinds:
        nodes, by_kind = counter.kinds(position, depth)
    else:
        nodes = sum(count for _, count in parts) if divided else counter.count(position, depth)
    seconds = perf_counter() - started
    if not as_json:
        click.echo(position.fen)
        counts = parts or list(by_kind.items())
        if counts:
            rows = [(name, f"{count:,}") for name, count in counts]
            print_table(rows, ("kind" if kinds else "ply", "nodes"), ("left", "right"))
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
    if kinds:
        fields["kinds"] = by_kind
    print_json(fields)
