"""``--quiet`` and ``--out``: the options that every command has, added in one place when a command is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from functools import partial, wraps
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import click

from ringfen.cli.common import USAGE, out_option, quiet_option

#: The endings of files that commands read from a directory.
_READ_FROM_DIRECTORIES = (".rgn", ".rgn.gz", ".rgn.zst", ".board", ".rft")


def add_shared_options(command: click.Command) -> None:
    """Add ``--quiet`` to a command and to those below it, and ``--out`` to each that prints data and has none."""
    names = {name for param in command.params for name in param.opts}
    if "--quiet" not in names:
        quiet_option(command)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            add_shared_options(below)
    elif "--out" not in names and command.callback is not None:
        out_option()(command)
        command.callback = _with_out(command.callback)


def _with_out(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callback that has the option ``--out``."""

    @wraps(callback)
    def command(*args: Any, out: str | None = None, **rest: Any) -> Any:
        if out is None or out == "-":
            return callback(*args, **rest)
        if rest.get("write"):
            raise click.UsageError("--write changes the files themselves: omit --out.")
        from ringfen.outputs import Files

        output = Files(_inputs(rest.values(), out)).output(out)
        status = None
        with suppress(_NothingPrintedError), output.open_packing() as file:
            status = _printed_to(file, partial(callback, *args, **rest))
            if status == USAGE and output.is_replaced and file.tell() == 0:
                raise _NothingPrintedError  # an existing file stays as it is
        return status

    return command


class _NothingPrintedError(Exception):
    """A command could read none of its inputs."""


def _printed_to(file: IO[bytes], call: Callable[[], Any]) -> Any:
    """Call a function whose standard output goes to a file; text that is not Unicode is escaped, as on a terminal."""
    stream = TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    with redirect_stdout(stream):
        try:
            return call()
        finally:
            stream.flush()
            stream.detach()


def _inputs(values: Iterable[Any], out: str) -> list[str]:
    """Return the files that the arguments of a command name, as far as ``out`` could be one of them."""
    names: list[str] = []
    for value in values:
        if isinstance(value, str | Path):
            names.append(os.fspath(value))
        elif isinstance(value, tuple | list):
            names += _inputs(value, out)
    inside = [name for name in names if out.endswith(_READ_FROM_DIRECTORIES) and _is_inside(out, name)]
    return [*names, *([out] if inside else [])]


def _is_inside(name: str, directory: str) -> bool:
    """Return whether a name is in a directory, or in one below it."""
    return os.path.isdir(directory) and Path(os.path.realpath(directory)) in Path(os.path.realpath(name)).parents
