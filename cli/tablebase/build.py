"""``tablebase build``: make the missing tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK
from ringfen.cli.output import print_json
from ringfen.cli.progress import ProgressBar, short
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import dask_option, json_option, memory_option, quiet_option
from ringfen.cli.tablebase.common import (
    MEMORY_MB,
    directory_option,
    materials_from,
    materials_option,
    table_board_options,
    table_fields,
    table_jobs_option,
)
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.tables.build import Built
    from ringfen.tables.files import Board


_stones_option = click.option(
    "--stones",
    type=WholeNumber(1, 12),
    default=3,
    show_default=True,
    metavar="N",
    help="Without --material, build all classes of up to N stones or rings.",
)


@click.command()
@table_board_options(required=True)
@_stones_option
@materials_option
@memory_option(MEMORY_MB, "Use at most MB MiB of memory; with --dask, per class.")
@table_jobs_option
@dask_option
@directory_option(exists=False)
@json_option
@quiet_option
def build(
    game: str,
    size: tuple[int, int] | None,
    huff: str | None,
    stones: int,
    materials: Sequence[str],
    memory: int,
    jobs: int | None,
    dask: str | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Make the missing tables.

    Ctrl-C and SIGTERM save the current class; run the same command to resume. After a kill, it resumes from the last
    checkpoint. The exit status is 3 if a class needs more memory than --memory. A Dask cluster must share DIR.

    \b
    Example:
      ringfen tablebase build siaius --size 10x10 --stones 3
      ringfen tablebase build siaius --size 8x8 --huff off --material CCvCC --memory 4000
      ringfen tablebase build gyges --material 112233
      ringfen tablebase build siaius --stones 4 --directory /shared/tables --dask tcp://scheduler:8786
    """
    from ringfen.errors import BatchError
    from ringfen.tables.tablebase import tables_directory

    started = perf_counter()
    board = _board(game, size, huff)
    rules = board.rules
    if not materials and not rules.min_stones <= stones <= rules.max_stones:
        words = f"tables of {game} have {rules.min_stones} to {rules.max_stones} pieces, not {stones}."
        raise click.BadParameter(words, param_hint="'--stones'")
    builder = _builder(dask, jobs)
    with ProgressBar("building tables") as bar:
        try:
            built = builder(
                board,
                stones,
                directory=directory,
                materials=materials_from(game, materials).get(game),
                memory=memory << 20,
                progress=bar,
                say=bar.say,
            )
        except KeyboardInterrupt:
            bar.say("run the same command to resume")
            raise
        except BatchError as error:
            raise click.ClickException(str(error)) from error
    seconds = perf_counter() - started
    if as_json:
        for info in built.built:
            print_json(table_fields(info))
    else:
        _print_summary(built, tables_directory(directory) / board.folder, seconds)
    return OK


def _board(game: str, size: tuple[int, int] | None, huff: str | None) -> Board:
    from ringfen.rules import table_rules
    from ringfen.tables.files import Board

    rules = table_rules(game)
    if huff is not None and huff not in rules.variants:
        raise click.BadParameter(f"{game} has no such option.", param_hint="'--huff'")
    return Board(game, *(size or rules.size), rules.variants[0] if huff is None else huff)


def _print_summary(built: Built, folder: Path, seconds: float) -> None:
    click.echo(f"tables in {printable(str(folder))}")
    rate = f", {short(built.entries / seconds)} entries/s" if seconds > 0.01 else ""
    click.echo(
        f"{len(built.built)} made, {built.kept} there before; {built.entries:,} entries in {seconds:.1f} s{rate}"
    )


def _builder(dask: str | None, jobs: int | None) -> Callable[..., Built]:
    """Return the function that builds tables, on a Dask cluster or on this machine."""
    if dask is None:
        from ringfen.tables.build import build_tables

        return partial(build_tables, threads=jobs)
    from ringfen.batch.tables import build_tables_on_dask

    return partial(build_tables_on_dask, address=dask, threads=jobs or 1)
