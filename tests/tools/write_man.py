"""Prints ``docs/ringfen.1``, the man page, from the help of all commands.

``python tests/tools/write_man.py > docs/ringfen.1`` renews it after a change of a command or an option.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import version

import click

from ringfen import __version__
from ringfen.cli.commands import COMMANDS, main

HEAD = """\
.\\" Written by tests/tools/write_man.py from the help of the commands, with click {click}; do not edit.
.TH RINGFEN 1 "" "Ringfen {version}" "User Commands"
.SH NAME
ringfen \\- notation tool and exact solver for Gyg\\[`e]s, The King of Rings, GRAN and Siaius
"""
HELP = ".TP\n\\fB\\-h, \\-\\-help\\fR\nShow the help of a command and exit.\n"
#: Where help texts start a block that is not filled.
VERBATIM = "\b"


def escaped(text: str) -> str:
    """Text as roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith(".") else text


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text."""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in part.splitlines()]
        if lines[0] == VERBATIM:
            heading, *rest = part.splitlines()[1:]
            yield f".PP\n{escaped(heading.strip())}\n.PP\n.nf\n.RS\n"
            yield "".join(f"{escaped(line.strip())}\n" for line in rest)
            yield ".RE\n.fi\n"
        else:
            yield f".PP\n{escaped(' '.join(lines))}\n"


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Every option of the command with its description."""
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield f".TP\n\\fB{escaped(record[0])}\\fR\n{escaped(' '.join(record[1].split()))}\n"


def described(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """A command and those below it."""
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f".SS {escaped(usage)}\n"
    yield from paragraphs(command.help or "")
    yield from options(command, context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            inner = command.get_command(context, below)
            assert inner is not None
            yield from described(inner, below, context)


def click_version() -> str:
    """The release of click that words the help, ``8.3``: another may word it otherwise."""
    return ".".join(version("click").split(".")[:2])


def man_page() -> str:
    """The whole page."""
    context = click.Context(main, info_name="ringfen", **main.context_settings)
    parts = [
        HEAD.format(version=__version__, click=click_version()),
        ".SH SYNOPSIS\n\\fBringfen\\fR [OPTIONS] COMMAND [ARGS]...\n",
    ]
    parts += [".SH DESCRIPTION\n", *paragraphs(main.help or ""), ".SH OPTIONS\n", *options(main, context), HELP]
    for heading, names in COMMANDS.items():
        parts.append(f".SH {heading.upper()}\n")
        for name in names:
            command = main.get_command(context, name)
            assert command is not None
            parts += described(command, name, context)
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(man_page())
