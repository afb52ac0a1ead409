"""The group of all commands. Each command is in another module, which is imported when the command is used."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import BufferedReader, FileIO, TextIOWrapper
from typing import Any

import click

from ringfen import LimitReached, RingfenError, TableError, __version__
from ringfen.cli.exit_status import (
    CLOSED_PIPE,
    INTERRUPTED,
    LIMIT,
    OK,
    STDOUT,
    USAGE,
    WRONG,
    print_error,
    print_os_error,
)
from ringfen.cli.shared_options import add_shared_options, quiet_option
from ringfen.cli.usage_hints import SuggestingGroup, unknown_option

#: Every command by its heading in the help, with the module and name of its click object.
COMMANDS = {
    "Games and positions": {
        "games": "games:games",
        "rules": "games:rules",
        "new": "games:new",
        "show": "position:show",
        "moves": "position:moves",
        "play": "position:play",
        "random": "random:random_games",
        "board": "board:board",
    },
    "Records": {
        "validate": "validate:validate",
        "explain": "explain:explain",
        "filter": "filter:filter_records",
        "fix": "fix:fix",
        "fmt": "fmt:fmt",
        "convert": "convert:convert",
        "positions": "positions:positions",
        "stats": "stats:stats",
        "annotate": "annotate:annotate",
        "view": "view:view",
    },
    "Counting and solving": {
        "perft": "perft:perft",
        "suite": "suite:suite",
        "compare": "compare:compare",
        "solve": "solve:solve",
        "answers": "answers:answers",
        "problems": "problems:problems",
        "prove": "prove:prove",
        "verify": "prove:verify",
        "tablebase": "tablebase:tablebase",
    },
    "Engines": {"serve": "serve:serve", "ugi": "ugi:ugi"},
}
_LOCATIONS = {name: location for section in COMMANDS.values() for name, location in section.items()}

#: The errors of an output that cannot be written.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
#: The message of Python's error for a thread that the system does not start.
_NO_THREAD = "can't start new thread"

#: The exception that click raises to show the help of a group, from click 8.2 on.
_NO_ARGUMENTS = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Commands(SuggestingGroup):
    """The group of all commands: imports them late, and turns results and exceptions into an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(_LOCATIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of this name."""
        location = _LOCATIONS.get(cmd_name)
        if location is None:
            return None
        module, _, attribute = location.partition(":")
        command: click.Command = getattr(import_module(f"ringfen.cli.{module}"), attribute)
        add_shared_options(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands under their headings."""
        limit = formatter.width - 6 - max(map(len, _LOCATIONS))
        for heading, names in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self._loaded(ctx, name).get_short_help_str(limit)) for name in names])

    def _loaded(self, ctx: click.Context, name: str) -> click.Command:
        command = self.get_command(ctx, name)
        assert command is not None
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; ``help COMMAND`` is ``COMMAND --help``."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments as click does. Printing the help or the version can fail."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except OSError as error:
            raise click.exceptions.Exit(_status_of(error)) from None

    def invoke(self, ctx: click.Context) -> int:
        """Run a command. Commands return their exit status (None is 0); see ``ringfen.cli.exit_status``."""
        try:
            status: int = super().invoke(ctx) or OK
            sys.stdout.flush()
        except LimitReached as error:
            print_error(error.message)
            return LIMIT
        except RingfenError as error:
            print_error(f"{error.reason}: {error.message}")
            if not isinstance(error, TableError):
                return USAGE
            from ringfen.cli.table_problems import advise

            advise(error)
            return WRONG
        except OSError as error:
            return _status_of(error)
        except (MemoryError, OverflowError) as error:
            print_error(str(error) or f"out of memory{self._advice(ctx)}")
            return LIMIT
        except RuntimeError as error:
            if str(error) != _NO_THREAD:
                raise
            print_error(f"the system cannot start a thread{self._advice(ctx)}")
            return LIMIT
        return status

    def _advice(self, ctx: click.Context) -> str:
        """Return advice that names the options with which the command needs less of the system."""
        commands = [self._loaded(ctx, ctx.invoked_subcommand)] if ctx.invoked_subcommand else []
        for command in commands:
            if isinstance(command, click.Group):
                commands += command.commands.values()
        known = {name for command in commands for parameter in command.params for name in parameter.opts}
        names = [name for name in ("--hash", "--threads", "--jobs") if name in known]
        return f"; try again with less {' or '.join(names)}" if names else ""

    def main(  # type: ignore[override, unused-ignore]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and exit with its status."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        _open_closed_streams()
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra) or OK
        except click.Abort:
            _ignore_interrupts()
            with suppress(OSError):
                click.echo("interrupted", err=True)
            status = INTERRUPTED
        except click.UsageError as error:
            _show_usage(error)
            status = USAGE
        except click.ClickException as error:
            print_error(error.format_message())
            status = USAGE
        sys.exit(status)


def _status_of(error: OSError) -> int:
    """Report a system error on standard error and return the exit status."""
    if isinstance(error, BrokenPipeError):
        _drop_output()  # the reader closed the pipe
        return CLOSED_PIPE
    if error.filename is None and error.errno in _UNWRITABLE:
        error.filename = STDOUT  # Errors of every other output name it.
    print_os_error(error)
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    return USAGE


def _show_usage(error: click.UsageError) -> None:
    """Print a usage error as click does, with the prefix of all error messages."""
    with suppress(OSError):
        if isinstance(error, _NO_ARGUMENTS):
            error.show()
            return
        if error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
            click.echo(f"Try '{error.ctx.command_path} --help' for help.\n", err=True)
    print_error(unknown_option(error, main) if isinstance(error, click.NoSuchOption) else error.format_message())


def _drop_output() -> None:
    """Discard what Python writes to standard output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Replace each closed standard stream by a file on which reading or writing fails.

    Otherwise a file that is opened later could get its number.
    """
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(_ClosedInput(os.devnull, "r")), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


class _ClosedInput(FileIO):
    """Standard input that was closed. Its errors name it."""

    def readinto(self, buffer: object) -> int:
        """Raise the error of a closed file."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "<stdin>")


def _ignore_interrupts() -> None:
    """Ignore further Ctrl-C, SIGTERM and SIGHUP while the program exits."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


#: What ``ringfen`` prints without a command: one example for each common task.
FIRST_STEPS = """\
Ringfen checks, plays and solves games of Gygès (gyges), The King of Rings
(rings), Siaius (siaius) and GRAN (gran).

Check game records, here of a random game:
  ringfen random rings | ringfen validate -

Count the sequences of plies from a position (perft):
  ringfen perft rings --depth 3 --divide

Solve a position:
  ringfen solve 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'

Replay a game in a browser:
  ringfen random rings | ringfen view - --out game.html

Start a game and play plies:
  ringfen play gyges 321123 321123 a1-b3

'ringfen --help' lists all commands.
'ringfen COMMAND --help' shows the options of a command.
"""


@click.group(
    "ringfen",
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="ringfen", message="%(prog)s %(version)s")
@quiet_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """Notation tool and exact solver for four board games: Gygès, The King of Rings, Siaius and GRAN.

    'ringfen help COMMAND' shows all options of a command, with an example. Options take counts such as 500k, 10M, 2G
    or 1e6 (powers of 1000), and times such as 90s, 10m or 2h.

    A position is one argument, so quote it: '*c4' and 'k(311)' have a meaning in the shell. A game id is the usual
    start of that game; '-' reads positions from standard input, one per line.

    \b
    Example:
      ringfen solve 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'

    Exit status: 0 success; 1 a check failed; 2 usage error, unreadable file or malformed position; 3 a limit was
    reached before a position was solved; 130 interrupted.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    if sys.stdout.errors == "strict":
        # Text that the terminal cannot show is escaped. Data is written as bytes.
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if ctx.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False)
