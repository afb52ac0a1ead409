"""``tablebase``: endgame tables, built, probed, checked, listed and counted."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TextIO

import click

from ringfen.cli.common import (
    LIMIT,
    OK,
    WRONG,
    Positions,
    complain,
    json_option,
    positions_from,
    print_json,
    print_table,
    quiet_option,
    worst,
)
from ringfen.cli.progress import Meter, short
from ringfen.cli.quantities import WholeNumber
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.control import Progress
    from ringfen.errors import TableError
    from ringfen.position import Position
    from ringfen.rules import TableRules
    from ringfen.tables.build import Built
    from ringfen.tables.files import Board, TableInfo
    from ringfen.tables.tablebase import Tables
    from ringfen.win_value import WinValue

directory_option = click.option(
    "--directory",
    "-d",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the tables are; else what RINGFEN_TABLES names, else a place in the user's data directory.",
)


class _GameWithTables(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The id of a game that has endgame tables."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id."""
        from ringfen.rules import games_with_tables

        games = games_with_tables()
        if value not in games:
            self.fail(f"there are no endgame tables of {value!r}, only of {', '.join(games)}.", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The ids that begin so."""
        from click.shell_completion import CompletionItem

        from ringfen.rules import games_with_tables

        return [CompletionItem(name) for name in games_with_tables() if name.startswith(incomplete)]


def _board_options(*, required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """GAME, ``--files``, ``--ranks``, ``--huff``; without them every board is meant, if not ``required``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        help_end = "" if required else "; all if not said"
        for option in (
            click.option(
                "--huff",
                type=click.Choice(["turn", "stone", "off"]),
                default="turn" if required else None,
                show_default=required,
                help=f"The option huff of the game{help_end}.",
            ),
            click.option(
                "--ranks",
                type=WholeNumber(3, 12),
                default=10 if required else None,
                show_default=required,
                help=f"Ranks of the board{help_end}.",
            ),
            click.option(
                "--files",
                type=WholeNumber(3, 10),
                default=10 if required else None,
                show_default=required,
                help=f"Files of the board{help_end}.",
            ),
            click.argument("game", type=_GameWithTables(), required=required),
        ):
            function = option(function)
        return function

    return decorate


@click.group()
def tablebase() -> None:
    """Build, probe, check, list and count endgame tables of Siaius.

    A table holds the value of every position of a material on one board with one way of huffing. The tables of
    beats=reverse are those of the usual game, and solve uses tables wherever they cover a position.

    \b
    Example:
      ringfen tablebase build siaius --files 10 --ranks 10 --stones 3
    """


# ---- build ----


def _materials(game: str | None, names: Sequence[str]) -> set[int]:
    """The numbers of materials such as SMvT, of a game or of any that has tables."""
    from ringfen.rules import games_with_tables, table_rules

    return {
        _material(name, [table_rules(each) for each in ([game] if game else games_with_tables())]) for name in names
    }


def _material(name: str, games: Sequence[TableRules]) -> int:
    for rules in games:
        own, _, enemy = name.upper().replace("V", "v").partition("v")
        if not own or not enemy or set(own + enemy) - set(rules.kinds):
            problem = f"{name!r} is not a material such as SMvT: {rules.kind_words}."
        elif len(own + enemy) > rules.most_stones:
            problem = f"{name!r} has more than {rules.most_stones} stones, the most that tables can have."
        else:
            material = rules.material_of(own, enemy)
            if rules.name_of(material) != f"{own}v{enemy}":
                # The kinds of ordinary stones can be renamed in turn, and the order of stones says nothing.
                click.echo(f"note: {own}v{enemy} is another name of the class {rules.name_of(material)}", err=True)
            return material
    raise click.BadParameter(problem, param_hint="'--material'")


@tablebase.command()
@_board_options(required=True)
@click.option("--stones", type=WholeNumber(2, 6), default=3, show_default=True, help="Endings with up to N stones.")
@click.option(
    "--material",
    "materials",
    metavar="MATERIAL",
    multiple=True,
    help="Instead of all: this material, as in SMvT, and what it needs. Can be given several times.",
)
@click.option(
    "--memory",
    type=WholeNumber(1, 1 << 24),
    default=2048,
    show_default=True,
    metavar="MB",
    help="Memory to use at most; with --dask, for one class.",
)
@click.option(
    "--threads",
    "-t",
    type=WholeNumber(1, 1024),
    help="Threads; one for each processor by default, with --dask one for a class.",
)
@click.option("--dask", metavar="ADDRESS", help="Build on a Dask cluster that shares DIR (needs ringfen[dask]).")
@directory_option
@json_option
@quiet_option
def build(
    game: str,
    files: int,
    ranks: int,
    huff: str,
    stones: int,
    materials: Sequence[str],
    memory: int,
    threads: int | None,
    dask: str | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Make the tables with up to --stones stones that are missing.

    Interrupted, by Ctrl-C or SIGTERM, it saves what it was at and goes on from there when it is called again; killed,
    from what it saved last. Exit status 3 if a class needs more memory than it may use.

    \b
    Example:
      ringfen tablebase build siaius --files 10 --ranks 10 --stones 3
      ringfen tablebase build siaius --files 8 --ranks 8 --huff off --material CCvCC --memory 4000
      ringfen tablebase build siaius --stones 4 --directory /shared/tables --dask tcp://scheduler:8786
    """
    from ringfen.errors import BatchError
    from ringfen.tables.files import Board
    from ringfen.tables.tablebase import tables_directory

    started = perf_counter()
    board = Board(game, files, ranks, huff)
    builder = _builder(dask, threads)
    with Meter("building tables") as meter, _terminated_as_interrupted():

        def say(message: str) -> None:
            meter.clear()
            click.echo(printable(message), err=True)

        try:
            built = builder(
                board,
                stones,
                directory=directory,
                materials=_materials(game, materials) or None,
                memory=memory << 20,
                progress=meter,
                say=say,
            )
        except KeyboardInterrupt:
            say("what is finished or begun is kept: the same command goes on from there")
            raise
        except BatchError as error:
            raise click.ClickException(str(error)) from error
    seconds = perf_counter() - started
    _tell_older(tables_directory(directory) / board.folder)
    if as_json:
        for info in built.built:
            print_json(_fields(info))
        return OK
    click.echo(f"tables in {printable(str(tables_directory(directory) / board.folder))}")
    rate = f", {short(built.entries / seconds)} entries/s" if seconds > 0.01 else ""
    click.echo(
        f"{len(built.built)} made, {built.kept} there before; {built.entries:,} entries in {seconds:.1f} s{rate}"
    )
    return OK


def _tell_older(folder: Path) -> None:
    """Names the tables of a folder that are older than those that are built now."""
    from ringfen.errors import TableError
    from ringfen.tables.tablebase import infos

    found = [info for info in infos(folder) if not isinstance(info, TableError)]
    older = {info.name: info.same_as for info in found if info.same_as is not None}
    if not older:
        return
    instead = dict.fromkeys(older.values())
    missing = [name for name in instead if name not in {info.name for info in found}]
    advice = (
        f"tablebase build --material {' --material '.join(missing)} makes what takes their place"
        if missing
        else f"they can be removed, for {', '.join(instead)} hold the same values"
    )
    note = f"note: {folder.name}: {', '.join(older)}: older tables, which still serve; {advice}"
    click.echo(printable(note), err=True)


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Makes SIGTERM, which batch systems send, end a build as Ctrl-C does, which saves what is in work."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _builder(dask: str | None, threads: int | None) -> Callable[..., Built]:
    """What builds tables: a Dask cluster or this machine."""
    if dask is None:
        from ringfen.tables.build import build_tables

        return partial(build_tables, threads=threads)
    from ringfen.batch.tables import build_tables_on_dask

    return partial(build_tables_on_dask, address=dask, threads=threads or 1)


def _fields(info: TableInfo) -> dict[str, Any]:
    stats = info.statistics
    return {
        "file": str(info.path),
        "game": info.board.game,
        "files": info.board.files,
        "ranks": info.board.ranks,
        "huff": info.board.huff,
        "material": info.name,
        "entries": info.entries,
        "bytes": info.bytes,
        "wins": stats.wins,
        "draws": stats.draws,
        "losses": stats.losses,
        "longest_win": stats.longest_win,
        "longest_loss": stats.longest_loss,
    }


# ---- probe ----


@tablebase.command()
@positions_from(many=True)
@directory_option
@json_option
def probe(positions: Positions, directory: Path | None, as_json: bool) -> int:
    """Look positions up: value, distance, and the value of every ply.

    Exit status 3 if no table covers a position, 1 if a table is damaged.

    \b
    Example:
      ringfen tablebase probe 'siaius 10/10/4t5/10/10/3M6/10/5S4/10/10 s - - 0'
      ringfen tablebase probe --file positions.txt --json
    """
    status = OK
    opened: dict[Board, Tables] = {}
    for _, position in positions:
        value, plies = _probed(position, directory, opened)
        status = worst(status, LIMIT if value is None else OK)
        if as_json:
            print_json(_answer(position, value, plies))
        else:
            _print_answer(position, value, plies)
    return worst(status, positions.status)


def _probed(
    position: Position, directory: Path | None, opened: dict[Board, Tables]
) -> tuple[WinValue | None, dict[str, WinValue | None]]:
    """The value of a position and of its plies, each for the side to move in it."""
    from ringfen.tables.tablebase import Tables, board_of
    from ringfen.win_value import value_after

    board = board_of(position)
    if board is None:
        return None, {}
    if board not in opened:
        opened[board] = Tables(board, directory)
    value = opened[board].value(position)
    plies = {}
    for ply, after in position.successors() if value is not None else ():
        below = opened[board].value(after)
        plies[ply] = None if below is None else value_after(position, after, below)
    return value, plies


def _answer(position: Position, value: WinValue | None, plies: dict[str, WinValue | None]) -> dict[str, Any]:
    return {
        "fen": position.fen,
        "game": position.game.id,
        "status": "unknown" if value is None else "exact",
        "value": None if value is None else value[0],
        "distance": None if value is None else value[1],
        "best": [ply for ply, after in plies.items() if after == value],
        "plies": {ply: None if after is None else list(after) for ply, after in plies.items()},
    }


def _print_answer(position: Position, value: WinValue | None, plies: dict[str, WinValue | None]) -> None:
    click.echo(f"{position.fen}\n{_words(value)}")
    if plies:
        order = {"win": 0, "draw": 1, "loss": 2}

        def rank(item: tuple[str, WinValue | None]) -> tuple[int, int]:
            after = item[1]
            if after is None:
                return 3, 0
            distance = after[1] or 0
            return order[after[0]], distance if after[0] == "win" else -distance

        print_table([(ply, _words(after)) for ply, after in sorted(plies.items(), key=rank)], ("ply", "value"))


def _words(value: WinValue | None) -> str:
    if value is None:
        return "not covered by a table"
    kind, distance = value
    return kind if distance is None else f"{kind} in {distance}"


# ---- verify ----


@tablebase.command()
@_board_options(required=False)
@click.option("--full", is_flag=True, help="Check every value against those after its plies too.")
@click.option(
    "--material",
    "materials",
    metavar="MATERIAL",
    multiple=True,
    help="Check only this material, as in SMvT. Can be given several times.",
)
@click.option("--threads", "-t", type=WholeNumber(1, 1024), help="Threads; one for each processor by default.")
@directory_option
@json_option
@quiet_option
def verify(
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    full: bool,
    materials: Sequence[str],
    threads: int | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Check every checksum of the tables, with --full every value.

    Exit status 1 if one is damaged, cut short, of another kind, or wrong.

    \b
    Example:
      ringfen tablebase verify
      ringfen tablebase verify siaius --files 10 --ranks 10 --full
      ringfen tablebase verify siaius --files 10 --ranks 10 --full --material SMvT --material SMvM
    """
    status = None
    chosen = _materials(game, materials)
    for folder in _chosen(directory, game, files, ranks, huff):
        _tell_older(folder)
        for path, problem in _problems(folder, chosen, full, threads):
            status = worst(status or OK, WRONG if problem else OK)
            if as_json:
                print_json({"file": str(path), "ok": not problem, "message": problem or None})
            elif problem:
                click.echo(f"{click.style('BAD', fg='red')}  {printable(str(path))}: {printable(problem)}")
            else:
                click.echo(f"ok   {printable(str(path))}")
    return _no_tables(directory) if status is None else status


def _no_tables(directory: Path | None) -> int:
    """Says that there are none of those that were asked for; gives the exit status."""
    from ringfen.tables.tablebase import tables_directory

    complain(f"no such tables in {tables_directory(directory)}")
    return WRONG


def _chosen(
    directory: Path | None, game: str | None, files: int | None, ranks: int | None, huff: str | None
) -> Iterator[Path]:
    from ringfen.tables.tablebase import board_of_folder, folders, tables_directory

    for folder in folders(tables_directory(directory)):
        board = board_of_folder(folder)
        if board is not None and all(
            wanted in (None, found)
            for wanted, found in (
                (game, board.game),
                (files, board.files),
                (ranks, board.ranks),
                (huff, board.huff),
            )
        ):
            yield folder


def _problems(folder: Path, materials: set[int], full: bool, threads: int | None) -> Iterator[tuple[Path, str]]:
    """Every file of a folder with what is wrong with it; empty if nothing is."""
    from ringfen.tables.tablebase import board_of_folder, files_of

    board = board_of_folder(folder)
    assert board is not None
    paths = [path for path in files_of(folder) if not materials or board.rules.class_of(path.stem) in materials]
    good = True
    found = []
    with Meter("checking checksums") as meter:
        for number, path in enumerate(paths):
            meter.show(number, len(paths))
            problem = _checksum_problem(folder, path)
            good = good and not problem
            found.append((path, problem))
    if full and good:
        yield from _wrong_values(folder, materials, threads)
    else:
        yield from found


def _checksum_problem(folder: Path, path: Path) -> str:
    from ringfen.errors import TableError
    from ringfen.tables.files import TableFile
    from ringfen.tables.tablebase import board_of_folder, check_place

    try:
        file = TableFile(path)
        board = board_of_folder(folder)
        if board is not None:
            check_place(file.info, board)
        file.check()
    except TableError as error:
        return _without_name(error)
    return ""


def _without_name(error: TableError) -> str:
    return error.message.removeprefix(f"{error.text}: ")


def _wrong_values(folder: Path, materials: set[int], threads: int | None) -> Iterator[tuple[Path, str]]:
    from ringfen.tables.build import Task
    from ringfen.tables.tablebase import Tables, board_of_folder, first_wrong_in_threads

    board = board_of_folder(folder)
    assert board is not None
    tables = Tables(board, folder.parent)
    tasks = [(Task(board, info.current), info) for info in tables.infos if not materials or info.current in materials]
    tasks.sort(key=lambda item: (item[0].stage, sorted(item[0].materials)))  # what needs the same classes together
    total = sum(info.entries for _, info in tasks)
    done = 0
    meter = Meter("checking values")
    for task, info in tasks:
        with meter:
            needed = {*task.materials, *task.below}
            tables.load({each.material for each in tables.infos if each.current in needed})

            def show(progress: Progress, name: str = info.name, done: int = done) -> None:
                meter.show(done + progress.done, total, name)

            wrong = first_wrong_in_threads(tables, info, threads, show)
        done += info.entries
        if wrong is None:
            yield info.path, ""
        else:
            yield (
                info.path,
                f"entry {wrong} has a wrong value, or one that cannot be checked: {tables.text(info.material, wrong)}",
            )


# ---- list ----


@tablebase.command("list")
@_board_options(required=False)
@directory_option
@json_option
def list_tables(
    game: str | None, files: int | None, ranks: int | None, huff: str | None, directory: Path | None, as_json: bool
) -> int:
    """List the tables: wins, draws and losses of the side to move.

    The longest win and loss stand beside them. Exit status 1 if a file cannot be read as a table.

    \b
    Example:
      ringfen tablebase list
      ringfen tablebase list siaius --files 10 --ranks 10 --json
    """
    from ringfen.errors import TableError
    from ringfen.tables.tablebase import infos, tables_directory

    status = OK
    rows = []
    for folder in _chosen(directory, game, files, ranks, huff):
        _tell_older(folder)
        for info in infos(folder):
            if isinstance(info, TableError):
                complain(f"{info.reason}: {info.message}")
                status = WRONG
            elif as_json:
                print_json({**_fields(info), **_longest(info), "same_as": info.same_as})
            else:
                rows.append(_row(info))
    if not as_json:
        if rows:
            headers = (
                "board",
                "huff",
                "material",
                "entries",
                "bytes",
                "wins",
                "draws",
                "losses",
                "longest win",
                "loss",
            )
            print_table(rows, headers, ("left", "left", "left", *["right"] * 7))
        else:
            click.echo(f"no tables in {printable(str(tables_directory(directory)))}")
    return status


def _row(info: TableInfo) -> tuple[str, ...]:
    stats = info.statistics
    numbers = (info.entries, info.bytes, stats.wins, stats.draws, stats.losses, stats.longest_win, stats.longest_loss)
    board = info.board
    return f"{board.files}x{board.ranks}", board.huff, info.name, *(f"{number:,}" for number in numbers)


def _longest(info: TableInfo) -> dict[str, str | None]:
    """The positions of the longest win and loss."""
    from ringfen.tables.tablebase import position_text

    stats = info.statistics
    return {
        "longest_win_fen": position_text(info, stats.longest_win_at) if stats.longest_win else None,
        "longest_loss_fen": position_text(info, stats.longest_loss_at) if stats.longest_loss else None,
    }


# ---- stats, longest ----


def _materials_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--material``, of which any number can be said."""
    return click.option(
        "--material",
        "materials",
        metavar="MATERIAL",
        multiple=True,
        help="Only this material, as in SMvT. Can be given several times.",
    )(function)


def _classes(
    directory: Path | None,
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    materials: Sequence[str],
) -> Iterator[tuple[Tables, TableInfo]]:
    """The classes that the options choose, each with the tables of its board."""
    from ringfen.tables.tablebase import Tables, board_of_folder

    chosen = _materials(game, materials)
    for folder in _chosen(directory, game, files, ranks, huff):
        board = board_of_folder(folder)
        assert board is not None
        _tell_older(folder)
        tables = Tables(board, folder.parent)
        for info in tables.infos:
            if not chosen or info.current in chosen:
                yield tables, info
        tables.close()


def _class_fields(info: TableInfo) -> dict[str, Any]:
    board = info.board
    return {
        "game": board.game,
        "files": board.files,
        "ranks": board.ranks,
        "huff": board.huff,
        "material": info.name,
    }


@tablebase.command("stats")
@_board_options(required=False)
@_materials_option
@directory_option
@json_option
@quiet_option
def stats(
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    materials: Sequence[str],
    directory: Path | None,
    as_json: bool,
) -> int:
    """Count the wins, losses and draws of each class by distance.

    Every entry is read, a block at a time. Exit status 1 if a table is damaged.

    \b
    Example:
      ringfen tablebase stats siaius --files 8 --ranks 8 --material SMvT
      ringfen tablebase stats --json
    """
    status = None
    for tables, info in _classes(directory, game, files, ranks, huff, materials):
        status = OK
        with Meter(f"counting {info.name}") as meter:
            counts = tables.counts(info, progress=meter)
        wins, losses = counts.wins, counts.losses
        if as_json:
            print_json({**_class_fields(info), "wins": wins, "draws": counts.draws, "losses": losses})
            continue
        click.echo(
            f"{info.board.folder} {info.name}: {sum(wins.values()):,} wins, {counts.draws:,} draws, "
            f"{sum(losses.values()):,} losses"
        )
        rows = [
            (str(distance), f"{wins.get(distance, 0):,}", f"{losses.get(distance, 0):,}")
            for distance in sorted({*wins, *losses})
        ]
        if rows:
            print_table(rows, ("distance", "wins", "losses"), ("right",) * 3)
    return _no_tables(directory) if status is None else status


@tablebase.command("longest")
@_board_options(required=False)
@_materials_option
@click.option(
    "--count",
    "-n",
    type=WholeNumber(1, 1 << 32),
    default=1,
    show_default=True,
    metavar="N",
    help="Print N positions of each class.",
)
@directory_option
@json_option
@quiet_option
def longest(
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    materials: Sequence[str],
    count: int,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Print positions of each class with the longest wins.

    A class in which the side to move never wins has none. Exit status 1 if a table is damaged.

    \b
    Example:
      ringfen tablebase longest siaius --files 8 --ranks 8 --material SMvT --count 5
    """
    status = None
    for tables, info in _classes(directory, game, files, ranks, huff, materials):
        status = OK
        with Meter(f"reading {info.name}") as meter:
            found = list(tables.longest_wins(info, count, progress=meter))
        for at, distance in found:
            fen = tables.text(info.material, at)
            if as_json:
                print_json({"material": info.name, "fen": fen, "value": "win", "distance": distance})
            else:
                click.echo(f"{info.name}  win in {distance}  {fen}")
    return _no_tables(directory) if status is None else status


# ---- checksums ----


@tablebase.command("checksums")
@_board_options(required=False)
@_materials_option
@click.option("--check", type=click.File("r", encoding="ascii"), metavar="FILE", help="Compare with the list in FILE.")
@directory_option
@json_option
@quiet_option
def checksums(
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    materials: Sequence[str],
    check: TextIO | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Print the SHA-256 of the values of each table, or compare them.

    The checksum is of the entries before compression, so that it does not depend on the version of Zstandard. With
    --check a table that differs, or that the list lacks, gives exit status 1; so does a list without any of the tables.

    \b
    Example:
      ringfen tablebase checksums siaius --files 8 --ranks 8
      ringfen tablebase checksums --check siaius-tables.sha256
    """
    published = None if check is None else _published(check)
    status = None
    bad = False
    for _, info in _classes(directory, game, files, ranks, huff, materials):
        name = f"{info.board.folder}/{info.name}"
        found = _checksum(info)
        status = OK
        good = None if published is None or info.same_as is not None else published.get(name) == found
        bad = bad or good is False
        if as_json:
            print_json({**_class_fields(info), "sha256": found, "ok": good})
        elif published is None:
            click.echo(f"{found}  {name}")
        else:
            word = "older" if good is None else "ok" if good else "differs" if name in published else "not listed"
            click.echo(f"{word}  {name}")
    if status is None:
        return _no_tables(directory)
    return WRONG if bad else status


def _checksum(info: TableInfo) -> str:
    from ringfen.tables.files import TableFile

    file = TableFile(info.path)
    digest = file.sha256()
    file.close()
    return digest


def _published(lines: TextIO) -> dict[str, str]:
    """The checksums of a list by table, as ``siaius-8x8-turn/SMvT``."""
    found = {}
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S+)\n?", line)
        if match is None:
            raise click.BadParameter(f"line {number} is not a checksum and a table.", param_hint="'--check'")
        found[match[2]] = match[1]
    return found
