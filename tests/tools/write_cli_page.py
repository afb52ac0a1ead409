"""Renew the generated parts of ``docs/cli.md`` from the help of the commands.

``python tests/tools/write_cli_page.py`` rewrites every block between ``<!-- help: COMMAND -->`` and ``<!-- end -->``;
the text outside is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from ringfen.cli.commands import main

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- help: ([a-z ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
#: Where help texts start a block that click does not wrap.
VERBATIM = "\b"
#: Options that mean the same everywhere: the page describes them once.
COMMON = ("--file", "--board", "--encoding", "--json", "--quiet")


def find(name: str) -> tuple[click.Command, click.Context]:
    """Return a command and its context by its full name, such as ``tablebase build``."""
    command: click.Command = main
    context = click.Context(main, info_name="ringfen", **main.context_settings)
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None, name
        command = found
        context = click.Context(command, info_name=word, parent=context)
    return command, context


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text as Markdown."""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in part.splitlines()]
        if lines[0] == VERBATIM:
            yield "\n".join(f"    {line}" for line in lines[1:] if line not in ("Example:", "Examples:"))
        else:
            yield " ".join(lines)


def cell(text: str) -> str:
    """Return a text as the content of a table cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("*", "\\*")


def described(name: str) -> str:
    """Return usage, help and options of a command."""
    command, context = find(name)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"`{usage}`", *paragraphs(command.help or "")]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    rows = []
    for option in options:
        record = option.get_help_record(context)
        if record is not None and not set(option.opts) & set(COMMON):
            rows.append(f"| `{cell(record[0])}` | {cell(record[1])} |")
    if rows:
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *rows]))
    common = [f"`{name}`" for name in COMMON if any(name in option.opts for option in options)]
    if common:
        parts.append(f"Common options: {', '.join(common)}.")
    return "\n\n".join(parts)


def renewed(page: str) -> str:
    """Return the page with all blocks written again."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{described(block[2])}\n\n{block[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
