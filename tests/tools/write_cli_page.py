"""Renew the generated parts of ``docs/cli.md`` from the help of the commands.

``python tests/tools/write_cli_page.py`` rewrites every block from a heading ``### COMMAND``, or ``## Shared options``,
to the next heading or ``<!-- end -->``; the text outside is written by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from ringfen.cli.commands import main

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"(^##+ ([a-z ]+|Shared options)\n).*?(?=^<!-- end -->\n|^##|\Z)", re.DOTALL | re.MULTILINE)
#: Where help texts start a block that click does not wrap.
VERBATIM = "\b"
#: The name of the block with the options that several commands share.
SHARED = "Shared options"
SHARED_INTRODUCTION = (
    "Several commands have these options; `ringfen COMMAND --help` shows which. Every command has `--help`, `--quiet` "
    "and `--out`."
)


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
    """Yield the paragraphs of a help text as Markdown, with its first example only."""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in part.splitlines()]
        if lines[0] == VERBATIM:
            yield f"    {lines[2]}"
        else:
            yield " ".join(lines)


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def option_rows(name: str) -> dict[str, tuple[str, str]]:
    """Return the first spelling of each option of a command, with its spellings and its help."""
    command, context = find(name)
    rows = {}
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            rows[max(option.opts, key=len)] = (one_line(record[0]), one_line(record[1]).replace("*", "\\*"))
    return rows


def shared_options(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the options that at least two commands have, with their most frequent help."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for name in names:
        for option, row in option_rows(name).items():
            counts.setdefault(option, Counter())[row] += 1
    best = {option: counter.most_common(1)[0] for option, counter in sorted(counts.items())}
    return {option: row for option, (row, count) in best.items() if count > 1}


def listed(rows: Iterable[tuple[str, str]]) -> str:
    """Return options as a Markdown list."""
    return "\n".join(f"- `{option}`: {meaning}" for option, meaning in rows)


def described(name: str, shared: Mapping[str, tuple[str, str]]) -> str:
    """Return usage, help, example and options of a command, without the options that others share."""
    command, context = find(name)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)]).replace(" [OPTIONS]", "", 1)
    parts = [f"`{usage}`", *(part for part in paragraphs(command.help or "") if part.strip() != usage)]
    own = [row for option, row in option_rows(name).items() if shared.get(option) != row]
    if own:
        parts.append(listed(own))
    return "\n\n".join(parts)


def renewed(page: str) -> str:
    """Return the page with all blocks written again."""
    names = [block[1] for block in BLOCK.findall(page) if block[1] != SHARED]
    shared = shared_options(names)

    def text(block: re.Match[str]) -> str:
        if block[2] == SHARED:
            content = f"{SHARED_INTRODUCTION}\n\n{listed(shared.values())}"
        else:
            content = described(block[2], shared)
        return f"{block[1]}\n{content}\n\n"

    return BLOCK.sub(text, page).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
