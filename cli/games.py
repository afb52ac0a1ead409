"""``games``, ``rules``, ``new``: the games, their rules and their start positions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from ringfen.cli.output import print_json, print_table
from ringfen.cli.shared_options import json_option
from ringfen.errors import RingfenError
from ringfen.rules import Game, StartOption, game_by_id, game_ids


class _GameType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The id of a game."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        """Return the game of this id."""
        if isinstance(value, Game):
            return value
        if value not in game_ids():
            self.fail(f"{value!r} is not a game; the games are {', '.join(game_ids())}.", param, ctx)
        return game_by_id(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the ids with this beginning."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in game_ids() if name.startswith(incomplete)]


GAME = _GameType()


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the games, with sizes, players and start options.

    \b
    Example:
      ringfen games
      ringfen games --json
    """
    rows = []
    for game in map(game_by_id, game_ids()):
        least, most = game.players
        if as_json:
            options = [
                {"name": option.name, "default": option.default, "choices": list(option.choices), "help": option.help}
                for option in game.start_options
            ]
            print_json(
                {
                    "id": game.id,
                    "name": game.name,
                    "sizes": game.sizes,
                    "players": list(range(least, most + 1)),
                    "options": options,
                    "start": game.default_start,
                }
            )
        else:
            players = str(least) if least == most else f"{least} to {most}"
            options_text = " ".join(f"--{option.name}" for option in game.start_options)
            rows.append((game.id, game.name, game.sizes, players, options_text))
    if not as_json:
        print_table(rows, ("id", "name", "sizes", "players", "options of new"))


@click.command()
@click.argument("game", type=GAME)
def rules(game: Game) -> None:
    """Print the rules of a game, numbered.

    If a rule is unclear, a line marked Reading states how Ringfen applies it.

    \b
    Example:
      ringfen rules gyges
    """
    click.echo(game.rules().rstrip("\n"))


class _New(click.Command):
    """``new`` has the start options of all games; they are added when it is used."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, including the start options of the games."""
        if not any(isinstance(param, _StartOption) for param in self.params):
            self.params[1:1] = _start_options()
        return super().get_params(ctx)


class _StartOption(click.Option):
    """A start option of one or more games."""


def _start_options() -> list[_StartOption]:
    by_name: dict[str, list[tuple[str, StartOption]]] = {}
    for game in map(game_by_id, game_ids()):
        for option in game.start_options:
            by_name.setdefault(option.name, []).append((game.name, option))
    return [
        _StartOption(
            [f"--{name}", name.replace("-", "_")],
            help=" ".join(f"{game}: {option.help[0].upper()}{option.help[1:]}." for game, option in entries),
            metavar=_metavar([option for _, option in entries]),
        )
        for name, entries in by_name.items()
    ]


def _metavar(options: Sequence[StartOption]) -> str:
    choices = {option.choices for option in options}
    if len(choices) == 1 and options[0].choices:
        return "|".join(options[0].choices)
    return options[0].metavar


@click.command(cls=_New)
@click.argument("game", type=GAME)
@json_option
def new(game: Game, as_json: bool, **options: str | None) -> None:
    """Print a start position of a game.

    \b
    Example:
      ringfen new gyges --setup 321123/321123
      ringfen new gyges --goals 3+1
      ringfen new rings --size 5x7
      ringfen new siaius --size 10x8 --beats reverse
    """
    given = {name: value for name, value in options.items() if value is not None}
    understood = {option.name.replace("-", "_") for option in game.start_options}
    for name in given:
        if name not in understood:
            raise click.UsageError(f"{game.id} has no option --{name.replace('_', '-')}.")
    try:
        fen = game.start(**given)
    except RingfenError as error:
        invalid = _invalid_option(game, given)
        if invalid is None:
            raise
        raise RingfenError(f"--{invalid.replace('_', '-')}: {error.message}", reason=error.reason) from None
    if as_json:
        print_json({"fen": fen})
    else:
        click.echo(fen)


def _invalid_option(game: Game, given: dict[str, str]) -> str | None:
    """Return the option without which the others give a start position."""
    for name in given:
        with suppress(RingfenError):
            game.start(**{other: value for other, value in given.items() if other != name})
            return name
    return None
