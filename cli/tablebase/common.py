"""What the commands of ``tablebase`` share: boards, materials, classes, and what is said of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.common import USAGE, WRONG, F, adding, complain
from ringfen.cli.quantities import WholeNumber

if TYPE_CHECKING:
    from ringfen.rules import TableRules
    from ringfen.tables.files import TableInfo
    from ringfen.tables.tablebase import Tables


def _directory_option(*, exists: bool) -> Callable[[F], F]:
    return click.option(
        "--directory",
        "-d",
        metavar="DIR",
        type=click.Path(exists=exists, file_okay=not exists, path_type=Path),
        help="Where the tables are; else the list in RINGFEN_TABLES, else a place in the user's data directory.",
    )


directory_option = _directory_option(exists=True)
#: Of ``build``, which makes the directory if it is missing.
new_directory_option = _directory_option(exists=False)


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


def table_board_options(*, required: bool) -> Callable[[F], F]:
    """GAME, ``--files``, ``--ranks``, ``--huff``; without them every board is meant, if not ``required``."""
    help_end = "" if required else "; all if not said"
    return adding(
        click.argument("game", type=_GameWithTables(), required=required),
        click.option(
            "--files",
            type=WholeNumber(3, 10),
            default=10 if required else None,
            show_default=required,
            help=f"Files of the board{help_end}.",
        ),
        click.option(
            "--ranks",
            type=WholeNumber(3, 12),
            default=10 if required else None,
            show_default=required,
            help=f"Ranks of the board{help_end}.",
        ),
        click.option(
            "--huff",
            type=click.Choice(["turn", "stone", "off"]),
            default="turn" if required else None,
            show_default=required,
            help=f"The option huff of the game{help_end}.",
        ),
    )


def materials_option(help_: str = "Only this material, as in SMvT. Can be given several times.") -> Callable[[F], F]:
    """``--material``, of which any number can be said."""
    return click.option("--material", "materials", metavar="MATERIAL", multiple=True, help=help_)


def materials_from(game: str | None, names: Sequence[str]) -> set[int]:
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


def no_tables(directory: Path | None) -> int:
    """Says that there are none of those that were asked for; gives the exit status."""
    from ringfen.tables.tablebase import tables_directory

    place = tables_directory(directory)
    if not place.is_dir():
        complain(f"there is no directory {place}")
        return USAGE
    complain(f"no such tables in {place}")
    return WRONG


def chosen_folders(
    directory: Path | None, game: str | None, files: int | None, ranks: int | None, huff: str | None
) -> Iterator[Path]:
    """The folders of tables whose boards agree with the options that are given."""
    from ringfen.tables.tablebase import board_of_folder, folders, table_directories

    for folder in (folder for place in table_directories(directory) for folder in folders(place)):
        board = board_of_folder(folder)
        if board is not None and all(
            wanted in (None, found)
            for wanted, found in (
                (game, board.game),
                (files, board.files),
                (ranks, board.ranks),
                (huff, board.variant),
            )
        ):
            yield folder


def chosen_classes(
    directory: Path | None,
    game: str | None,
    files: int | None,
    ranks: int | None,
    huff: str | None,
    materials: Sequence[str],
) -> Iterator[tuple[Tables, TableInfo]]:
    """The classes that the options choose, each with the tables of its board."""
    from ringfen.tables.tablebase import Tables, board_of_folder

    chosen = materials_from(game, materials)
    for folder in chosen_folders(directory, game, files, ranks, huff):
        board = board_of_folder(folder)
        assert board is not None
        tables = Tables(board, folder.parent)
        for info in tables.infos:
            if not chosen or info.material in chosen:
                yield tables, info
        tables.close()


def table_fields(info: TableInfo) -> dict[str, Any]:
    """What ``--json`` says of a table."""
    stats = info.statistics
    return {
        "file": str(info.path),
        "game": info.board.game,
        "files": info.board.files,
        "ranks": info.board.ranks,
        "huff": info.board.variant,
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
    """What ``--json`` says of a class beside its numbers."""
    board = info.board
    return {
        "game": board.game,
        "files": board.files,
        "ranks": board.ranks,
        "huff": board.variant,
        "material": info.name,
    }
