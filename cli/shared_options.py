"""The options that several commands have, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial, wraps
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from ringfen.cli.exit_status import USAGE
from ringfen.cli.position_input import Positions
from ringfen.cli.quantities import SECONDS, SHARE, WholeNumber
from ringfen.cli.usage_hints import InputFile
from ringfen.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.notation.aliases import Aliases

F = TypeVar("F", bound=Callable[..., Any])

#: The largest depth of a count.
MAX_DEPTH = 255
_MAX_JOBS = 1024
_MAX_MEGABYTES = 1 << 24
_QUIET = "ringfen.quiet"
_ENCODING = "ringfen.encoding"
_JOBS = "ringfen.jobs"
_MAX_RECORD = "ringfen.max_record"
#: The most megabytes of a record: notation.MAX_RECORD.
_DEFAULT_MAX_RECORD = 64
_OF_JOBS = "Work on J records or positions at a time."


def adding(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds options, in the order of the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# ---- output ----


def _keep_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Return whether the running command was given ``-q``."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


quiet_option = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    expose_value=False,
    callback=_keep_quiet,
    help="Show no progress on standard error.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
diff_option = click.option("--diff", is_flag=True, help="Print the changes instead of the file.")
write_option = click.option("--write", "-w", is_flag=True, help="Change the files themselves.")


def out_option(help_: str = "Write the output to FILE ('-': standard output).", **more: Any) -> Callable[[F], F]:
    """Return ``--out``. Commands without it get it from :func:`add_shared_options`."""
    return click.option("--out", "-o", **{"metavar": "FILE", "type": click.Path(), "help": help_, **more})


class _SvgFile(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The name of a file for a drawing; pipes and devices may have any name."""

    name = "svg"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        name = str(value)
        if (
            name not in ("", "-")
            and not name.lower().endswith(".svg")
            and (os.path.isfile(name) or not os.path.exists(name))
        ):
            self.fail(f"{printable(name)!r} does not end with .svg, but drawings are SVG.", param, ctx)
        return name


drawing_option = out_option(
    "Write one drawing (SVG) to FILE instead ('-': standard output).", metavar="FILE.svg", type=_SvgFile()
)


class OutputDirectory(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The name of a directory for several files; standard output cannot be one."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        if value in ("", "-"):
            self.fail(f"it needs the name of a directory, not {value!r} (./- is a directory of that name).", param, ctx)
        return str(value)


def out_dir_option(help_: str) -> Callable[[F], F]:
    """Return ``--out-dir``."""
    return click.option("--out-dir", metavar="DIR", type=OutputDirectory(), help=help_)


# ---- positions and boards ----


class _PositionType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A position text. Completion offers the ids of the games."""

    name = "position"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the ids of the games that begin with the incomplete word."""
        from click.shell_completion import CompletionItem

        from ringfen.rules import game_ids

        return [CompletionItem(name) for name in game_ids() if name.startswith(incomplete)]


POSITION = _PositionType()
file_option = click.option(
    "--file",
    "-f",
    metavar="FILE",
    type=InputFile(),
    help="Read positions from FILE, one per line; # starts a comment.",
)


def _paths(ctx: click.Context, param: click.Parameter, names: Sequence[str]) -> Sequence[Path]:
    if not names:
        return ()
    from pathlib import Path

    return tuple(map(Path, names))


board_option = click.option(
    "--board",
    "board_path",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True),
    callback=_paths,
    help="Look for GRAN boards in PATH: a board file, or a directory of NAME.board files. Repeatable.",
)


def positions_from(*, many: bool = False, boards: bool = True, problems: bool = False) -> Callable[[F], F]:
    """Return a decorator that adds POSITION, ``--file`` and ``--board``, passed as ``positions``.

    :param many: Whether several POSITION arguments are allowed.
    :param boards: Whether positions can name a GRAN board.
    :param problems: Whether the lines of files can also be problems, as ``problems --json`` prints them.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def command(position: Sequence[str], file: str | None, board_path: Sequence[Path] = (), **rest: Any) -> Any:
            as_json = bool(rest.get("as_json"))
            positions = Positions(position, file, board_path, many=many, as_json=as_json, problems=problems)
            positions.required()
            return function(positions=positions, **rest)

        options = [file_option, *([board_option] if boards else [])]
        name = "POSITION…" if many else "POSITION"
        return adding(click.argument("position", metavar=name, nargs=-1, type=POSITION), *options)(command)  # type: ignore[return-value]

    return decorate


# ---- files of records ----

files_argument = click.argument("files", metavar="FILE…", nargs=-1, required=True, type=InputFile())


def from_option_of(*forms: str) -> Callable[[F], F]:
    """Return ``--from`` for these formats besides Ringfen's own."""
    return click.option(
        "--from",
        "form",
        type=click.Choice(["rgn", "jsonl", *forms]),
        help="Format of the files.  [default: rgn or jsonl, by the name or the first byte]",
    )


def _take_encoding(ctx: click.Context, param: click.Parameter, name: str | None) -> None:
    import codecs

    if name is None:
        return
    try:
        known = codecs.lookup(name)
        if not getattr(known, "_is_text_encoding", True):
            raise LookupError
        codecs.getincrementaldecoder(name)().decode(b"", True)
    except (LookupError, ValueError):
        raise click.BadParameter(f"{printable(name[:40])!r} is not an encoding such as windows-1252.") from None
    if known.name != "utf-8":
        ctx.meta[_ENCODING] = known.name


def given_encoding() -> str | None:
    """Return the encoding that the running command was given; None for UTF-8."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(_ENCODING)


encoding_option = click.option(
    "--encoding",
    metavar="NAME",
    expose_value=False,
    callback=_take_encoding,
    help="Encoding of the files, such as windows-1252.  [default: utf-8]",
)


def _read_aliases(ctx: click.Context, param: click.Parameter, name: str | None) -> Aliases:
    from ringfen.notation.aliases import Aliases

    if name is None:
        return Aliases()
    from ringfen.inputs import unpacked

    with click.open_file(name, "rb") as file:
        text = unpacked(file, name).read()
    try:
        return Aliases(text.decode().splitlines())
    except UnicodeDecodeError:
        raise click.BadParameter(f"{printable(name)} is not UTF-8.") from None
    except ValueError as error:
        raise click.BadParameter(f"{printable(name)}:{error}.") from None


aliases_option = click.option(
    "--aliases",
    metavar="FILE",
    type=InputFile(),
    callback=_read_aliases,
    help="Treat names as one player: FILE has lines NAME = CANONICAL NAME.",
)


def _take_jobs(ctx: click.Context, param: click.Parameter, jobs: int) -> None:
    ctx.meta[_JOBS] = jobs


def given_jobs() -> int:
    """Return the number of threads that check records in the running command."""
    ctx = click.get_current_context(silent=True)
    return 1 if ctx is None else int(ctx.meta.get(_JOBS, 1))


def _take_max_record(ctx: click.Context, param: click.Parameter, megabytes: int) -> None:
    ctx.meta[_MAX_RECORD] = megabytes


def given_max_record() -> int:
    """Return the number of megabytes that a record may have in the running command."""
    ctx = click.get_current_context(silent=True)
    return int(ctx.meta.get(_MAX_RECORD, _DEFAULT_MAX_RECORD)) if ctx else _DEFAULT_MAX_RECORD


max_record_option = click.option(
    "--max-record",
    type=WholeNumber(1, 2047),
    default=_DEFAULT_MAX_RECORD,
    show_default=True,
    metavar="MB",
    expose_value=False,
    callback=_take_max_record,
    help="Report the error too-long for records longer than MB.",
)

#: FILE… and the options of every command that reads records.
reading_options = adding(files_argument, board_option, encoding_option, max_record_option, quiet_option)


# ---- counting and solving ----


def counting_depth_option(least: int = 0) -> Callable[[F], F]:
    """Return ``--depth`` of counts."""
    return click.option(
        "--depth",
        "-d",
        type=WholeNumber(least, MAX_DEPTH),
        metavar="N",
        required=True,
        help=f"Count sequences of N plies, {least} to {MAX_DEPTH}.",
    )


def search_depth_option() -> Callable[[F], F]:
    """Return ``--depth`` of searches."""
    from ringfen.control import MAX_PLIES

    return click.option(
        "--depth",
        "-d",
        type=WholeNumber(1, MAX_PLIES),
        metavar="N",
        help=f"Search no deeper than N plies, 1 to {MAX_PLIES}; in GRAN the horizon.  [default: no limit; GRAN 8]",
    )


def nodes_option(default: str = "no limit") -> Callable[[F], F]:
    """Return ``--nodes``, a limit that gives the same result in every run."""
    words = f"Visit at most N nodes per position.  [default: {default}]"
    return click.option("--nodes", type=WholeNumber(1), metavar="N", help=words)


#: A limit in wall-clock time.
seconds_option = click.option("--seconds", type=SECONDS, metavar="S", help="Take at most S seconds per position.")


def hash_option(default: int | None) -> Callable[[F], F]:
    """Return ``--hash``; None is the table that the program chooses for a count, and allows 0, no table."""
    return click.option(
        "--hash",
        type=WholeNumber(0 if default is None else 1, _MAX_MEGABYTES),
        default=default,
        metavar="MB",
        show_default=default is not None,
        help="Size of the transposition table in MiB."
        + ("" if default else " 0 means no table.  [default: grows to 64; in a batch 0]"),
    )


threads_option = click.option(
    "--threads",
    "-t",
    type=WholeNumber(1, _MAX_JOBS),
    default=1,
    metavar="T",
    show_default=True,
    help="Use T threads for each position.",
)


def jobs_option(words: str = _OF_JOBS, default: int | None = 1) -> Callable[[F], F]:
    """Return ``--jobs``."""
    return click.option(
        "--jobs",
        "-j",
        type=WholeNumber(1, _MAX_JOBS),
        default=default,
        show_default=default is not None,
        metavar="J",
        help=words,
    )


#: ``--jobs`` of commands that read records.
record_jobs_option = click.option(
    "--jobs",
    "-j",
    type=WholeNumber(1, _MAX_JOBS),
    default=1,
    show_default=True,
    metavar="J",
    expose_value=False,
    callback=_take_jobs,
    help=_OF_JOBS,
)


dask_option = click.option("--dask", metavar="ADDRESS", help="Use the Dask cluster at ADDRESS (needs ringfen[dask]).")
resume_option = click.option("--resume", is_flag=True, help="Continue an unfinished run with the same output.")


def memory_option(default: int, words: str) -> Callable[[F], F]:
    """Return ``--memory``, in MiB."""
    return click.option(
        "--memory",
        type=WholeNumber(1, _MAX_MEGABYTES),
        default=default,
        show_default=True,
        metavar="MB",
        help=words,
    )


def solver_options(nodes: str = "no limit") -> Callable[[F], F]:
    """Return the options of ``solve``, ``prove`` and ``annotate`` for one position.

    :param nodes: The default of ``--nodes`` as its help shows it.
    """
    return adding(
        threads_option,
        hash_option(256),
        nodes_option(nodes),
        seconds_option,
        search_depth_option(),
    )


#: Options of the GRAN model paranoid.
paranoid_options = adding(
    click.option(
        "--player", type=WholeNumber(1, 6), metavar="K", help="GRAN, paranoid: Bound the chances of player K."
    ),
    click.option(
        "--until",
        type=SHARE,
        metavar="P",
        help="GRAN, paranoid: Deepen until at most P is open (at most --depth plies).",
    ),
)
seed_option = click.option(
    "--seed",
    type=WholeNumber(0, (1 << 64) - 1),
    default=0,
    metavar="S",
    show_default=True,
    help="Random seed; equal seeds give equal output.",
)

timeout_option = click.option(
    "--timeout",
    type=SECONDS,
    metavar="T",
    help="Limit the time of each answer of the other program.  [default: 60s]",
)


# ---- options that are added to every command ----

#: The endings of files that commands read from a directory.
_READ_FROM_DIRECTORIES = (".rgn", ".rgn.gz", ".rgn.zst", ".board", ".rft")


def add_shared_options(command: click.Command) -> None:
    """Add ``--quiet`` to a command and its subcommands, and ``--out`` to each that prints data and lacks it."""
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
        return print_to(out, _inputs(rest.values(), out), partial(callback, *args, **rest))

    return command


def print_to(out: str, inputs: Sequence[str], call: Callable[[], Any]) -> Any:
    """Call a function and write its standard output to a file; return its result.

    :param inputs: The files that the command reads.
    """
    from ringfen.outputs import Files

    output = Files(inputs).output(out)
    status = None
    with suppress(_NothingPrintedError), output.open_packing() as file:
        status = _printed_to(file, call)
        if status == USAGE and output.is_replaced and file.tell() == 0:
            raise _NothingPrintedError  # an existing file stays unchanged
    return status


class _NothingPrintedError(Exception):
    """A command could read none of its inputs."""


def _printed_to(file: IO[bytes], call: Callable[[], Any]) -> Any:
    """Call a function with its standard output in a file; text that is not Unicode is escaped, as on a terminal."""
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
        if isinstance(value, str | os.PathLike):
            names.append(os.fspath(value))
        elif isinstance(value, tuple | list):
            names += _inputs(value, out)
    inside = [name for name in names if out.lower().endswith(_READ_FROM_DIRECTORIES) and _is_inside(out, name)]
    return [*names, *([out] if inside else [])]


def _is_inside(name: str, directory: str) -> bool:
    """Return whether a name is in a directory, or in one below it."""
    from pathlib import Path

    return os.path.isdir(directory) and Path(os.path.realpath(directory)) in Path(os.path.realpath(name)).parents
