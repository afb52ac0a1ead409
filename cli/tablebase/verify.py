"""``tablebase verify`` and ``checksums``: check the files of tables, and print checksums."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringfen.cli.exit_status import OK, WRONG, worst
from ringfen.cli.output import counted, print_json
from ringfen.cli.progress import ProgressBar
from ringfen.cli.shared_options import is_quiet, json_option, quiet_option
from ringfen.cli.table_problems import TableProblems
from ringfen.cli.tablebase.common import (
    chosen_classes,
    chosen_folders,
    class_fields,
    directory_option,
    materials_from,
    materials_option,
    no_tables,
    note_missing,
    status_after,
    table_board_options,
    table_jobs_option,
)
from ringfen.cli.usage_hints import InputFile
from ringfen.inputs import reject_endless, unpacked
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.control import Progress
    from ringfen.errors import TableError
    from ringfen.tables.files import Board


@click.command()
@table_board_options(required=False)
@click.option("--full", is_flag=True, help="Also check every value against the values after its plies, and the counts.")
@materials_option
@table_jobs_option
@directory_option()
@json_option
@quiet_option
def verify(
    game: str | None,
    size: tuple[int, int] | None,
    huff: str | None,
    full: bool,
    materials: Sequence[str],
    jobs: int | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Check checksums; with --full, check every value.

    \b
    Example:
      ringfen tablebase verify
      ringfen tablebase verify siaius --size 10x10 --full
      ringfen tablebase verify siaius --size 10x10 --full --material SMvT --material SMvM
    """
    from ringfen.tables.tablebase import board_of_folder

    status = None
    chosen = materials_from(game, materials)
    missing = {(id_, material) for id_, each in chosen.items() for material in each}
    for folder in chosen_folders(directory, game, size, huff):
        board = board_of_folder(folder)
        assert board is not None
        for path, problem in _problems(folder, directory, chosen, full, jobs):
            missing -= {(board.game, _class_of(board, path))}
            status = worst(status or OK, WRONG if problem else OK)
            if as_json:
                print_json({"file": str(path), "ok": not problem, "message": problem or None})
            elif problem:
                click.echo(f"{click.style('BAD', fg='red')}  {printable(str(path))}: {printable(problem)}")
            else:
                click.echo(f"ok   {printable(str(path))}")
    if status is None:
        return no_tables(directory)
    note_missing(missing, directory)
    return status


def _problems(
    folder: Path, directory: Path | None, materials: dict[str, set[int]], full: bool, jobs: int | None
) -> Iterator[tuple[Path, str]]:
    """Yield each file of a folder with its problem; the problem is empty if there is none."""
    from ringfen.tables.files import read_info
    from ringfen.tables.tablebase import board_of_folder, files_of, table_directories

    board = board_of_folder(folder)
    assert board is not None
    chosen = materials.get(board.game, set())
    paths = [path for path in files_of(folder) if not materials or _class_of(board, path) in chosen]
    good = True
    found = []
    with ProgressBar("checking checksums") as bar:
        for number, path in enumerate(paths):
            bar.show(number, len(paths))
            problem = _checksum_problem(folder, path)
            good = good and not problem
            found.append((path, problem))
    if full and good:
        # A value can need tables in other directories; those of this folder come first.
        places = list(dict.fromkeys((folder.parent, *table_directories(directory))))
        yield from _wrong_values(folder, places, {info.material for info in map(read_info, paths)}, jobs)
    else:
        yield from found


def _class_of(board: Board, path: Path) -> int | None:
    """Return the class that the name of a file means, or None."""
    try:
        return board.rules.class_of(path.stem)
    except ValueError:
        return None


def _checksum_problem(folder: Path, path: Path) -> str:
    from ringfen.errors import TableError
    from ringfen.tables.files import TableFile
    from ringfen.tables.tablebase import board_of_folder, check_location

    try:
        file = TableFile(path)
        board = board_of_folder(folder)
        if board is not None:
            check_location(file.info, board)
        file.check()
    except TableError as error:
        return _without_name(error)
    return ""


def _without_name(error: TableError) -> str:
    return error.message.removeprefix(f"{error.text}: ")


def _wrong_values(
    folder: Path, places: Sequence[Path], materials: set[int], jobs: int | None
) -> Iterator[tuple[Path, str]]:
    from ringfen.tables.build import Task
    from ringfen.tables.tablebase import Tables, board_of_folder, first_wrong_in_threads

    board = board_of_folder(folder)
    assert board is not None
    tables = Tables(board, places, skip_bad=True)
    tasks = [(Task(board, info.material), info) for info in tables.infos if info.material in materials]
    tasks.sort(
        key=lambda item: (item[0].stage, sorted(item[0].materials))
    )  # tasks that need the same classes are adjacent
    total = sum(info.entries for _, info in tasks)
    done = 0
    bar = ProgressBar("checking values")
    for task, info in tasks:
        with bar:
            needed = {*task.materials, *task.below}
            tables.load({each.material for each in tables.infos if each.material in needed})

            def show(progress: Progress, name: str = info.name, done: int = done) -> None:
                bar.show(done + progress.done, total, name)

            wrong = first_wrong_in_threads(tables, info, jobs, show)
        done += info.entries
        if wrong is not None:
            text = tables.text(info.material, wrong)
            yield info.path, f"entry {wrong} has a wrong value, or one that cannot be checked: {text}"
        elif not tables.has_right_statistics(info):
            yield info.path, "the numbers of wins, draws and losses, the longest distances, or their entries are wrong"
        else:
            yield info.path, ""


@click.command("checksums")
@table_board_options(required=False)
@click.option("--check", "listed", type=InputFile(), metavar="FILE", help="Compare with the list in FILE.")
@materials_option
@directory_option()
@json_option
@quiet_option
def checksums(
    game: str | None,
    size: tuple[int, int] | None,
    huff: str | None,
    listed: str | None,
    materials: Sequence[str],
    directory: Path | None,
    as_json: bool,
) -> int:
    """Print the SHA-256 of the values of each table, or compare them.

    The checksum covers the entries before compression, so it does not depend on the version of Zstandard. With --check,
    the exit status is 1 if a table differs or is not listed; a listed table that is not built is not an error.

    \b
    Example:
      ringfen tablebase checksums siaius --size 8x8
      ringfen tablebase checksums --check tables.sha256
    """
    from ringfen.errors import TableError
    from ringfen.tables.files import TableFile

    published = None if listed is None else _published(listed)
    is_any = False
    results: dict[str, str] = {}
    problems = TableProblems()
    for _, info in chosen_classes(directory, game, size, huff, materials, problems):
        is_any = True
        try:
            checksum = TableFile(info.path).sha256()
        except TableError as error:
            problems.report([error])
            continue
        name = f"{info.board.folder}/{info.name}"
        if published is not None:
            results[name] = _compared(checksum, published.get(name))
        if as_json:
            found = {"ok": results[name] == "ok"} if name in results else {}
            print_json({**class_fields(info), "sha256": checksum, **found})
        else:
            click.echo(f"{results.get(name, checksum)}  {name}")
    if published is not None and results and not is_quiet():
        _print_summary(results, published.keys() - results.keys() if not materials else ())
    is_good = all(result == "ok" for result in results.values())
    return worst(status_after(is_any, directory, problems), OK if is_good else WRONG)


def _compared(checksum: str, published: str | None) -> str:
    return "not listed" if published is None else "ok" if checksum == published else "differs"


def _print_summary(results: Mapping[str, str], others: Collection[str]) -> None:
    """Print how many tables have each result, and how many others of the same boards are in the list."""
    counts = Counter(results.values())
    folders = {name.split("/")[0] for name in results}
    missing = sum(name.split("/")[0] in folders for name in others)
    parts = [f"{counts[result]:,} {result}" for result in ("ok", "differs", "not listed") if counts[result]]
    more = f"; {missing:,} more in the list {'is' if missing == 1 else 'are'} not built here (not an error)"
    click.echo(f"checked {counted(len(results), 'table')}: {', '.join(parts)}{more if missing else ''}", err=True)


#: The maximum length of a list of checksums.
_MAX_LIST = 1 << 24
#: A line as sha256sum writes it, and as it does with --tag.
_LISTED = re.compile(
    r"(?P<sum>[0-9a-f]{64}) [ *](?P<name>\S+)|SHA256 \((?P<tagged>\S+)\) = (?P<last>[0-9a-f]{64})",
    re.ASCII | re.IGNORECASE,
)


def _published(name: str) -> dict[str, str]:
    """Return the checksums of a list by table, as ``siaius-8x8-turn/SMvT``.

    :raises OSError: The file cannot be read, or is longer than any list.
    """
    with click.open_file(name, "rb") as file:
        reject_endless(file, name)
        data = unpacked(file, name).read(_MAX_LIST + 1)
    if len(data) > _MAX_LIST:
        raise OSError(errno.EFBIG, f"a list of checksums has at most {_MAX_LIST >> 20} MB", name)
    text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig", "replace")
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LISTED.fullmatch(line.removeprefix("\ufeff").rstrip())
        if match is None:
            raise click.BadParameter(f"line {number} is not a checksum and a table.", param_hint="'--check'")
        name = match["name"] or match["tagged"]
        found[name.removeprefix("./")] = (match["sum"] or match["last"]).lower()
    return found
