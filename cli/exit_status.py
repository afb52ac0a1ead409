"""Exit status, and error messages on standard error."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.solving import Solution

OK, WRONG, USAGE, LIMIT, INTERRUPTED = 0, 1, 2, 3, 130
#: The status that a shell reports for a program that SIGPIPE ended.
CLOSED_PIPE = 141
#: The name of standard output in error messages.
STDOUT = "standard output"

#: Increasing precedence: 2 takes precedence over 3.
_BY_PRECEDENCE = (OK, WRONG, LIMIT, USAGE, INTERRUPTED)


#: Ends of messages that advise parameters of Python, and the same with options. Whole ends are compared, because a name
#: of a file in a message may be the name of a parameter.
_ADVICE = (
    (r"\(hash_mb=(\d+)\) would be enough for an exact answer\Z", r"(--hash \1) would be enough for an exact answer"),
    (r"\(hash_mb above (\d+)\) might give (an answer|the distance)\Z", r"(--hash above \1) might give \2"),
    (r"a limit \(seconds or nodes\) may give it\Z", "a limit (--seconds or --nodes) may give it"),
    (r"continue it with resume=True, or remove it first\Z", "continue it with --resume, or remove it first"),
)


def with_options(message: str) -> str:
    """Return a message that names options of the command line instead of parameters of Python."""
    for advice, words in _ADVICE:
        message = re.sub(advice, words, message)
    return message


def in_options(solution: Solution) -> Solution:
    """Return a solution whose note names options of the command line instead of parameters of Python."""
    from dataclasses import replace

    return solution if solution.note is None else replace(solution, note=with_options(solution.note))


def worst(*statuses: int) -> int:
    """Return the exit status that takes precedence."""
    return max(statuses, key=_BY_PRECEDENCE.index)


def print_error(message: str) -> None:
    """Write an error to standard error, if that is possible."""
    with suppress(OSError):
        click.echo(f"error: {printable(with_options(message))}", err=True)


def print_os_error(error: OSError, name: str | None = None) -> None:
    """Report a system error about a file: ``name``, or the one that the error names."""
    where = error.filename if name is None else name
    reason = error.strerror or str(error)
    if error.errno == errno.EMFILE:
        reason += "; raise the limit of open files (ulimit -n)"
    print_error(reason if where is None else f"{os.fsdecode(where) if isinstance(where, bytes) else where}: {reason}")


@contextmanager
def printing() -> Iterator[None]:
    """Make errors name standard output instead of the input file that is being read."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:  # --out has named its file
            error.filename = STDOUT
        raise
