"""Shared by the commands of ``tablebase``: boards, materials, classes, and the JSON fields of tables."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ringfen.cli.exit_status import USAGE, WRONG, print_error
from ringfen.cli.shared_options import F, OutputDirectory, adding, jobs_option

if TYPE_CHECKING:
    from ringfen.cli.table_problems import TableProblems
    from ringfen.rules import TableRules
    from ringfen.tables.files import Board, TableInfo
    from ringfen.tables.tablebase import Tables

#: The default of ``build --memory``.
MEMORY_MB: Final = 2048


class _NewDirectory(OutputDirectory):
    """The path of a directory that may not exist yet."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # type: ignore[override]
        """Return the path."""
        return Path(super().convert(value, param, ctx))


def directory_option(*, exists: bool = True) -> Callable[[F], F]:
    """Return ``--directory``; ``build`` makes a directory that does not exist."""
    return click.option(
        "--directory",
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path) if exists else _NewDirectory(),
        help="Use the tables in DIR.  [default: RINGFEN_TABLES, else a place in the user's data directory]",
    )


class _GameWithTables(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The id of a game that has endgame tables."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id."""
        from ringfen.rules import games_with_tables

        games = games_with_tables()
        if value not in games:
            self.fail(f"there are no endgame tables of {value!r}, only of {' and '.join(games)}.", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the ids with this beginning."""
        from click.shell_completion import CompletionItem

        from ringfen.rules import games_with_tables

        return [CompletionItem(name) for name in games_with_tables() if name.startswith(incomplete)]


class _Size(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A size of a board, such as ``8x8``: files by ranks."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the files and ranks."""
        from ringfen.rules import games_with_tables, table_rules
        from ringfen.rules.base import board_size

        if isinstance(value, tuple):
            return value
        size = board_size(value)
        game = None if ctx is None else ctx.params.get("game")
        limits = [table_rules(each) for each in ([game] if isinstance(game, str) else games_with_tables())]
        if size is None or not any(
            all(least <= n <= most for n, (least, most) in zip(size, (rules.files, rules.ranks), strict=True))
            for rules in limits
        ):
            self.fail(f"{value[:40]!r} is not a size from {_sizes(limits)} (files by ranks).", param, ctx)
        return size


def _sizes(limits: Sequence[TableRules]) -> str:
    """Return the smallest and the largest boards with tables in words."""
    ranges = {(f"{a.files[0]}x{a.ranks[0]}", f"{a.files[1]}x{a.ranks[1]}") for a in limits}
    return ", ".join(least if least == most else f"{least} to {most}" for least, most in sorted(ranges))


def table_board_options(*, required: bool) -> Callable[[F], F]:
    """Return GAME, ``--size`` and ``--huff``; unless ``required``, the default is every board."""
    default = "the game's usual" if required else "all"
    return adding(
        click.argument("game", type=_GameWithTables(), required=required, is_eager=True),
        click.option(
            "--size",
            type=_Size(),
            metavar="FxR",
            help=f"Size of the board, files by ranks.  [default: {default}]",
        ),
        click.option(
            "--huff",
            type=click.Choice(["turn", "stone", "off"]),
            help=f"Siaius: Value of the game option huff.  [default: {'turn' if required else 'all'}]",
        ),
    )


materials_option = click.option(
    "--material",
    "materials",
    metavar="MATERIAL",
    multiple=True,
    help="Use only this material, such as SMvT, or 112233 in Gygès. Repeatable.",
)
table_jobs_option = jobs_option("Use J threads.  [default: one per processor]", default=None)


def materials_from(game: str | None, names: Sequence[str]) -> dict[str, set[int]]:
    """Return the numbers of materials such as SMvT by game, of one game or of any game with tables."""
    from ringfen.rules import games_with_tables

    found: dict[str, set[int]] = {}
    for name in names:
        each, material = _material(name, [game] if game else games_with_tables())
        found.setdefault(each, set()).add(material)
    return found


def _material(name: str, games: Sequence[str]) -> tuple[str, int]:
    from ringfen.rules import table_rules

    problems = []
    spelled = name.upper().replace("V", "v")
    for game in games:
        rules = table_rules(game)
        try:
            material = rules.class_of(spelled)
        except ValueError as error:
            problems.append(str(error).replace(repr(spelled), repr(name)))
            continue
        if rules.name_of(material) != spelled:
            # Equal stones can be listed in any order, and a game may rename them.
            click.echo(f"note: {spelled} is another name of the class {rules.name_of(material)}", err=True)
        return game, material
    raise click.BadParameter(f"{'; '.join(problems)}.", param_hint="'--material'")


def building(board: Board, materials: Sequence[str], directory: Path | None) -> str:
    """Return advice to build tables of a board."""
    rules = board.rules
    words = [board.game]
    if rules.files[0] < rules.files[1]:
        words += ["--size", f"{board.files}x{board.ranks}"]
    if board.variant != rules.variants[0]:
        words += [f"--{rules.variant_option}", board.variant]
    return _building(words, materials, directory)


def _building(words: Sequence[str], materials: Sequence[str], directory: Path | None) -> str:
    place = [] if directory is None else ["--directory", shlex.quote(str(directory))]
    options = [word for name in materials for word in ("--material", name)]
    return f"run 'ringfen {' '.join(['tablebase build', *words, *options, *place])}' to build"


def no_tables(directory: Path | None) -> int:
    """Report that the requested tables do not exist; return the exit status."""
    from ringfen.tables.tablebase import tables_directory

    place = tables_directory(directory)
    advice = requested(directory)
    if not place.is_dir():
        print_error(f"there is no directory {place}; {advice}")
        return USAGE
    print_error(f"no tables that match in {place}; {advice}")
    return WRONG


def requested(directory: Path | None) -> str:
    """Return advice to build the tables that the options of the current command choose."""
    given = click.get_current_context().params
    chosen = materials_from(given["game"], given.get("materials", ())) or {given["game"] or "GAME": set()}
    return "; ".join(_building_all(game, materials, directory) for game, materials in chosen.items())


def _building_all(game: str, materials: Collection[int], directory: Path | None) -> str:
    """Return advice to build tables of a game, with the board that the options of the current command choose."""
    from ringfen.rules import table_rules

    given = click.get_current_context().params
    words = [game]
    if given["size"] is not None:
        words += ["--size", "{}x{}".format(*given["size"])]
    if given["huff"] is not None:
        words += ["--huff", given["huff"]]
    return f"{_building(words, sorted(map(table_rules(game).name_of, materials)) if materials else (), directory)} them"


def note_missing(missing: Collection[tuple[str, int]], directory: Path | None) -> None:
    """Report classes, each a game and a material, that have no table."""
    from ringfen.rules import table_rules

    for game in sorted({one for one, _ in missing}):
        materials = [material for one, material in missing if one == game]
        names = ", ".join(sorted(map(table_rules(game).name_of, materials)))
        advice = _building_all(game, materials, directory)
        click.echo(f"note: these tables of {game} are missing: {names}; {advice}", err=True)


def status_after(is_any: bool, directory: Path | None, problems: TableProblems) -> int:
    """Return the exit status of a command over classes; report it if there was none.

    :param is_any: Whether there was a class.
    """
    return problems.status if is_any or problems.status else no_tables(directory)


def chosen_folders(
    directory: Path | None, game: str | None, size: tuple[int, int] | None, huff: str | None
) -> Iterator[Path]:
    """Yield the folders of tables whose boards match the options."""
    from ringfen.tables.tablebase import board_of_folder, folders, table_directories

    for folder in (folder for place in table_directories(directory) for folder in folders(place)):
        board = board_of_folder(folder)
        if board is not None and all(
            wanted in (None, found)
            for wanted, found in (
                (game, board.game),
                (size, (board.files, board.ranks)),
                (huff, board.variant),
            )
        ):
            yield folder


def chosen_classes(
    directory: Path | None,
    game: str | None,
    size: tuple[int, int] | None,
    huff: str | None,
    materials: Sequence[str],
    problems: TableProblems,
) -> Iterator[tuple[Tables, TableInfo]]:
    """Yield the classes that match the options, each with the tables of its board.

    Files that cannot be used are reported to ``problems`` and skipped.
    """
    from ringfen.tables.tablebase import Tables, board_of_folder

    chosen = materials_from(game, materials)
    missing = {(id_, material) for id_, each in chosen.items() for material in each}
    total = len(missing)
    for folder in chosen_folders(directory, game, size, huff):
        board = board_of_folder(folder)
        assert board is not None
        tables = Tables(board, folder.parent, skip_bad=True)
        problems.report(tables.problems)
        for info in tables.infos:
            if not chosen or info.material in chosen.get(info.board.game, ()):
                missing.discard((info.board.game, info.material))
                yield tables, info
        tables.close()
    if 0 < len(missing) < total and not problems.status:  # otherwise a skipped file may be the missing one
        note_missing(missing, directory)


def table_fields(info: TableInfo) -> dict[str, Any]:
    """Return the JSON fields of a table."""
    stats = info.statistics
    return {
        "file": str(info.path),
        "game": info.board.game,
        "files": info.board.files,
        "ranks": info.board.ranks,
        "huff": info.board.variant or None,
        "material": info.name,
        "entries": info.entries,
        "bytes": info.bytes,
        "wins": stats.wins,
        "draws": stats.draws,
        "losses": stats.losses,
        "longest_win": stats.longest_win,
        "longest_loss": stats.longest_loss,
    }


def class_fields(info: TableInfo) -> dict[str, Any]:
    """Return the JSON fields of a class, without its counts."""
    board = info.board
    return {
        "game": board.game,
        "files": board.files,
        "ranks": board.ranks,
        "huff": board.variant or None,
        "material": info.name,
    }
