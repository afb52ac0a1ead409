"""Usage errors that name the command, option or argument that was probably meant."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from ringfen.text import printable

#: Other words for commands, and the command that they mean.
_OTHER_WORDS = {"check": "validate", "count": "perft", "draw": "show", "format": "fmt", "repair": "fix"}
#: A text of this form is a ply and not a position.
_PLY = r"[*@=+]?[a-z][0-9]{1,2}([-x][a-z]?[0-9A-Z]{1,2})*|[0-9]{6}|[0-9]:[0-9]|pass|rest|stay"
#: The maximum number of commands that a hint names.
_MAX_NAMED = 3


class SuggestingGroup(click.Group):
    """A group of commands; the error for an unknown command suggests the one that was probably meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does."""
        word = args[0]
        names = self.list_commands(ctx)
        if word not in names and not word.startswith("-"):
            ctx.fail(f"No such command {printable(word)!r}.{_hint_for_command(word, names)}")
        return super().resolve_command(ctx, args)


def _hint_for_command(word: str, names: Sequence[str]) -> str:
    if is_position(word):
        return " That is a position: it follows a command, as in 'ringfen show POSITION'."
    if re.fullmatch(_PLY, word):
        return " That is a ply: 'ringfen play POSITION PLY' plays it."
    if os.path.exists(word):
        return " That is a file: it follows a command, as in 'ringfen validate FILE'."
    lower = word.lower()
    other = _OTHER_WORDS.get(lower)
    meant = other if other in names else _nearest(lower, names)
    return "" if meant is None else f" Did you mean {meant}?"


def _nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), list(known), n=1)), None)


def hint_for_code(code: str, known: Iterable[str]) -> str:
    """Return advice about a code that is not one of the known codes of diagnostics and keys of errors."""
    near = _nearest(code, known)
    return "Run 'ringfen explain' for a list." if near is None else f"Did you mean {near}?"


def unknown_option(error: click.NoSuchOption, main: click.Group) -> str:
    """Return the message for an unknown option: it names the commands that have the option, or a similar option."""
    name = error.option_name
    message = f"No such option {printable(name)!r}."
    own = set() if error.ctx is None else _options(error.ctx.command, error.ctx)
    others = dict(_commands_by_option(main))
    others.pop("--help", None)
    if name in others:
        return f"{message} {_have(name, others[name])}"
    if not name.startswith("--"):
        return message
    found = _nearest(name, sorted({*own, *others}))
    if found is None:
        return message
    return f"{message} " + (f"Did you mean {found}?" if found in own else _have(found, others[found]))


def _have(option: str, commands: Sequence[str]) -> str:
    """Return a sentence that names the commands that have an option."""
    if len(commands) == 1:
        return f"{commands[0]} has {option}."
    if len(commands) <= _MAX_NAMED:
        return f"{', '.join(commands[:-1])} and {commands[-1]} have {option}."
    return f"{', '.join(commands[:_MAX_NAMED])} and other commands have {option}."


def _commands_by_option(main: click.Group) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, command, ctx in _commands(main, click.Context(main)):
        for option in _options(command, ctx):
            found.setdefault(option, []).append(name)
    return found


def _commands(group: click.Group, ctx: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield each command below a group, with its words after ``ringfen``."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        below = click.Context(command, ctx, name)
        if isinstance(command, click.Group):
            for words, inner, inner_ctx in _commands(command, below):
                yield f"{name} {words}", inner, inner_ctx
        else:
            yield name, command, below


def _options(command: click.Command, ctx: click.Context) -> set[str]:
    return {name for param in command.get_params(ctx) if isinstance(param, click.Option) for name in param.opts}


# ---- positions, plies and files ----


def is_position(word: str) -> bool:
    """Return whether an argument is meant as a position: a game id, or a text that begins with one."""
    from ringfen.rules import game_ids

    return word.split(" ", 1)[0] in game_ids()


def check_position_arguments(words: Sequence[str]) -> None:
    """Raise a usage error if an argument in the place of a position is a file, a ply, or part of a position."""
    from ringfen.rules import game_ids

    if len(words) > 1 and words[0] in game_ids() and "/" in words[1]:
        raise _unquoted(words)
    for word in words:
        if word == "-" or is_position(word):
            continue
        if re.fullmatch(_PLY, word):
            raise click.UsageError(f"{word!r} is a ply, not a position: 'ringfen play POSITION PLY' plays it.")
        if os.path.exists(word):
            raise click.UsageError(
                f"{printable(word)!r} is a file, not a position: --file reads positions, and 'ringfen positions'"
                " prints those of records."
            )
        meant = _nearest(word, game_ids()) if word.isascii() and word.isprintable() else None
        if meant is not None:
            raise click.UsageError(f"No game has the id {printable(word)!r}. Did you mean {meant}?")
    if len(words) > 1 and not any(" " in word for word in words) and not all(map(_is_complete, words)):
        raise _unquoted(words)


def _unquoted(words: Iterable[str]) -> click.UsageError:
    return click.UsageError(f"A position is one argument: quote it, as in '{' '.join(words)}'.")


def _is_complete(word: str) -> bool:
    return word == "-" or is_position(word)


class InputFile(click.Path):
    """The name of a file that is read; a position in its place is a usage error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        if value == "":
            self.fail("it needs the name of a file, not ''.", param, ctx)
        if isinstance(value, str) and is_position(value) and not os.path.exists(value):
            self.fail(
                f"{printable(value)!r} is a position, not a file; show, moves, solve and perft take positions.",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)
