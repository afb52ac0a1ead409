"""What the commands share: exit status, positions as arguments and files, JSON lines, errors with a caret."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from io import TextIOWrapper
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, TypeVar

import click

from ringfen.cli.quantities import Seconds, WholeNumber
from ringfen.errors import RingfenError
from ringfen.text import printable, to_json, width

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from ringfen.outputs import Files, Output
    from ringfen.position import Position
    from ringfen.solving import SolveOptions

OK, WRONG, USAGE, LIMIT, INTERRUPTED = 0, 1, 2, 3, 130
#: What a shell reports of a program that SIGPIPE ended.
CLOSED_PIPE = 141

#: From the mildest to the worst: 2 comes before 3.
_BY_GRAVITY = (OK, WRONG, LIMIT, USAGE, INTERRUPTED)

#: What a file of answers is called where its spoilt lines go.
DROPPED = ".dropped"

#: A line of a position file may have this many characters; no position of any game comes near it.
MAX_LINE = 1 << 16
#: What errors of standard output name.
STDOUT = "<stdout>"
#: How much of a source line is shown above the caret.
_SHOWN = 100

F = TypeVar("F", bound=Callable[..., Any])


def complain(message: str) -> None:
    """Writes an error to standard error, if that can be written."""
    with suppress(OSError):
        click.echo(f"error: {printable(message)}", err=True)


def complain_of(error: OSError, name: str | None = None) -> None:
    """Reports a system error about a file: ``name``, or the one that the error names."""
    where = error.filename if name is None else name
    said = error.strerror or str(error)
    complain(said if where is None else f"{os.fsdecode(where) if isinstance(where, bytes) else where}: {said}")


@contextmanager
def printing() -> Iterator[None]:
    """What goes wrong is named after standard output, not after the file that was read for it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:  # --out has named its file
            error.filename = STDOUT
        raise


def worst(*statuses: int) -> int:
    """The exit status that takes precedence."""
    return max(statuses, key=_BY_GRAVITY.index)


# ---- options ----

_QUIET = "ringfen.quiet"


def _keep_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the running command was given ``-q``."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_keep_quiet,
    help="No progress on standard error.",
)


def out_option(help_: str = "Write to FILE instead of standard output ('-').") -> Callable[[F], F]:
    """Return ``--out``; commands that do not have their own get it from ``ringfen.cli.shared_options``."""
    return click.option("--out", "-o", metavar="FILE", type=click.Path(), help=help_)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")


threads_option = click.option(
    "--threads", "-t", type=WholeNumber(1, 1024), default=1, metavar="T", show_default=True, help="Threads."
)


def adding(*options: Callable[[F], F]) -> Callable[[F], F]:
    """A decorator that adds options, in the order of the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def hash_option(default: int) -> Callable[[F], F]:
    """``--hash``, the size of a table."""
    help_ = "Memory for a table." if default == 0 else "Memory for tables."
    return click.option(
        "--hash",
        type=WholeNumber(min(default, 1), 1 << 24),
        default=default,
        metavar="MB",
        show_default=default > 0,
        help=help_,
    )


def nodes_option(words: str) -> Callable[[F], F]:
    """``--nodes``, a limit that is exact and repeatable."""
    return click.option("--nodes", type=WholeNumber(1), metavar="N", help=words)


def seconds_option(words: str) -> Callable[[F], F]:
    """``--seconds``, a limit in wall-clock time."""
    return click.option("--seconds", type=Seconds(), metavar="S", help=words)


def board_options(function: F) -> F:
    """``--board`` and ``--board-path``, handed on as ``board_path``: files and directories to look for boards in."""

    @click.option(
        "--board",
        "board",
        multiple=True,
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="A GRAN board that positions name.",
    )
    @click.option(
        "--board-path",
        "board_dirs",
        multiple=True,
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False),
        help="Where to look for GRAN boards.",
    )
    @wraps(function)
    def command(board: Sequence[str], board_dirs: Sequence[str], **rest: Any) -> Any:
        return function(board_path=_paths((*board, *board_dirs)), **rest)

    return command  # type: ignore[return-value]


def _paths(names: Sequence[str]) -> Sequence[Path]:
    if not names:
        return ()
    from pathlib import Path

    return tuple(Path(name) for name in names)


def board_files(board_path: Sequence[Path]) -> list[str]:
    """The files that boards may be read from: those given, and those that stand in the directories."""
    from ringfen.rules.base import BOARD_SUFFIX

    files: list[Path] = []
    for place in board_path:
        files += sorted(place.glob(f"*{BOARD_SUFFIX}")) if place.is_dir() else [place]
    return [str(file) for file in files]


def positions_from(*, many: bool = False, optional: bool = False) -> Callable[[F], F]:
    """POSITION, ``--file`` and the board options, handed on as ``positions``, a :class:`Positions`.

    :param many: whether more than one POSITION may be given.
    :param optional: whether there may be none; the command then calls :meth:`Positions.required` itself.
    """

    def decorate(function: F) -> F:
        @click.argument("position", metavar="POSITION…" if many else "POSITION", nargs=-1, type=POSITION)
        @file_option
        @board_options
        @wraps(function)
        def command(position: Sequence[str], file: str | None, board_path: Sequence[Path], **rest: Any) -> Any:
            positions = Positions(position, file, board_path, many=many, as_json=bool(rest.get("as_json")))
            if not optional:
                positions.required()
            return function(positions=positions, **rest)

        return command  # type: ignore[return-value]

    return decorate


file_option = click.option(
    "--file",
    "-f",
    "file",
    metavar="FILE",
    type=click.Path(),
    help="Read positions from FILE, one a line; # starts a comment.",
)


class _PositionType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A position text. Completion offers the ids of the games."""

    name = "position"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The ids of the games that begin so."""
        from click.shell_completion import CompletionItem

        from ringfen.rules import game_ids

        return [CompletionItem(name) for name in game_ids() if name.startswith(incomplete)]


POSITION = _PositionType()


# ---- lines of text and what is wrong with them ----


class Line:
    """A piece of one line of input, and where it stands: ``column`` counts characters from 1."""

    __slots__ = ("column", "is_streamed", "number", "source", "text", "too_long")

    def __init__(
        self,
        source: str,
        number: int,
        text: str,
        column: int = 1,
        too_long: bool = False,
        *,
        is_streamed: bool = True,
    ) -> None:
        self.source = source
        self.number = number
        self.text = text
        self.column = column
        self.too_long = too_long
        #: Whether it is from a file or standard input, so that its number is part of a JSON answer.
        self.is_streamed = is_streamed


def argument_lines(kind: str, words: Sequence[str]) -> Iterator[Line]:
    """Lines for arguments: the second ply is line 2 of ``ply``."""
    return (Line(kind, number, word, is_streamed=False) for number, word in enumerate(words, 1))


def report(line: Line, error: RingfenError) -> None:
    """Writes to standard error what is wrong with a line: the place, a stable key, the reason, and a caret."""
    text, at = line.text, error.at
    if getattr(error, "line", 0):  # in the file of a board that the line names: the message begins with the place there
        text, at = error.text, 0
    place = f"{line.source}:{line.number}:{line.column + at}"
    key = click.style(error.reason, fg="red", bold=True)
    click.echo(f"{printable(place)}: {key}: {printable(error.message)}", err=True)
    shown, caret = excerpt(text, error.at, error.length)
    click.echo(f"  {shown}\n  {caret}", err=True)
    hint = _hint(line, error)
    if hint is not None:
        click.echo(f"  {hint}", err=True)


def reject(line: Line, error: RingfenError, as_json: bool, *, in_text: bool = True) -> None:
    """Report that a line has no answer; as JSON also on standard output, in the place of the answer.

    :param in_text: Whether the error is in the text of the line.
    """
    if in_text:
        report(line, error)
    else:
        place = f"{line.source}:{line.number}: " if line.is_streamed else ""
        complain(f"{place}{error.reason}: {error.message}")
    if as_json and line.is_streamed:
        print_json(error_fields(line, error))


def error_fields(line: Line, error: RingfenError) -> dict[str, Any]:
    """Return what ``--json`` prints in the place of the answer to a line."""
    fields = {"reason": error.reason, "message": printable(error.message), "column": line.column + error.at}
    return {"line": line.number, "error": fields}


def print_answer(line: Line, fields: dict[str, Any]) -> None:
    """Print the answer to a line as JSON; it begins with the number of the line, unless that is an argument."""
    print_json({"line": line.number, **fields} if line.is_streamed else fields)


def _hint(line: Line, error: RingfenError) -> str | None:
    """What was probably meant by an argument of the wrong kind."""
    if line.source == "position" and error.reason == "unknown-game" and os.path.isfile(line.text):
        return "that is a file: --file reads positions, 'ringfen positions' prints those of records"
    if line.source == "ply" and error.reason == "bad-ply" and len(line.text.split()) > 1:
        return "each ply is an argument of its own"
    return None


def excerpt(text: str, at: int, length: int) -> tuple[str, str]:
    """The part of a line around a place, and a line of carets to stand below it."""
    first = max(0, min(at - _SHOWN // 2, len(text) - _SHOWN))
    before = ("…" if first > 0 else "") + printable(text[first:at])
    marked = printable(text[at : min(at + length, first + _SHOWN)])
    after = printable(text[at + len(marked) : first + _SHOWN]) + ("…" if first + _SHOWN < len(text) else "")
    return f"{before}{marked}{after}".rstrip(), " " * width(before) + "^" * max(1, width(marked))


# ---- positions ----


@contextmanager
def _opened_text(name: str, kind: str) -> Iterator[TextIO]:
    """A file (``-``: standard input) with any line ends. Bytes that are not UTF-8 come as lone surrogates."""
    from ringfen.cli.kinds import refuse_others
    from ringfen.inputs import unpacked
    from ringfen.outputs import refuse_endless

    with click.open_file(name, "rb") as file:
        refuse_endless(file, name)
        content = unpacked(file, name)
        refuse_others("<stdin>" if name == "-" else name, content, kind)
        text = TextIOWrapper(content, encoding="utf-8", errors="surrogateescape")  # type: ignore[type-var, unused-ignore]
        try:
            yield text
        finally:
            text.detach()


def lines_of(name: str, *, comments: bool = True, kind: str = "positions") -> Iterator[Line]:
    """The lines of a file (``-``: standard input), blank ones left out, comments (``#``) too if there are any.

    A file of another kind is refused. A line that is too long or not UTF-8 comes as far as it can be shown, and is
    not a position.
    """
    source = "<stdin>" if name == "-" else name
    with _opened_text(name, kind) as file:
        yield from _lines(file, source, comments)


def text_lines(stream: BinaryIO, source: str) -> Iterator[Line]:
    """The lines of a stream of positions, as :func:`lines_of` gives those of a file."""
    text = TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape")
    try:
        yield from _lines(text, source, True)
    finally:
        text.detach()


def _lines(file: TextIO, source: str, comments: bool) -> Iterator[Line]:
    number = 0
    while raw := file.readline(MAX_LINE + 1):
        number += 1
        too_long = len(raw) > MAX_LINE
        if too_long:
            rest = raw
            while rest and not rest.endswith("\n"):
                rest = file.readline(MAX_LINE)
        text = raw.removeprefix("\ufeff").rstrip()
        if comments:
            text = text.partition("#")[0].rstrip()
        stripped = text.lstrip()
        if stripped:
            yield Line(source, number, stripped, 1 + len(text) - len(stripped), too_long)


class Positions:
    """The positions that a command was given, as ``(line, position)``.

    A malformed one is reported, counted and left out; ``status`` then is 2.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        file: str | None,
        board_path: Sequence[Path] = (),
        *,
        many: bool = False,
        as_json: bool = False,
    ) -> None:
        self.status = OK
        self.malformed = 0
        self.board_path = board_path
        #: Whether malformed lines are printed as JSON too.
        self.as_json = as_json
        #: Malformed lines whose JSON the command prints itself, in the place of their answers; None: there are none.
        self.deferred: list[tuple[Line, RingfenError]] | None = None
        self._arguments = arguments
        self._file = file
        #: How many sources of positions there are: arguments and a file.
        self.given = len(arguments) + (file is not None)
        if len(arguments) > 1 and not any(" " in word for word in arguments) and not _are_ids(arguments):
            raise click.UsageError(f"A position is one argument: quote it, as in '{' '.join(arguments)}'.")
        if self.given > 1 and not many:
            raise click.UsageError("Give one POSITION or one --file.")

    def required(self) -> None:
        """Complains if there is neither POSITION nor ``--file``."""
        if self.given == 0:
            raise click.UsageError("Missing argument 'POSITION': a position (quoted), a game's id, or '-'.")

    @property
    def inputs(self) -> Sequence[str]:
        """The files that positions and boards are read from, ``-`` for standard input."""
        files = [] if self._file is None else [self._file]
        return [*files, *(word for word in self._arguments if word == "-"), *board_files(self.board_path)]

    def declared(self) -> Files:
        """The files of the command, as far as it reads them: what it writes is declared there."""
        from ringfen.outputs import Files

        return Files(self.inputs)

    @property
    def only_one(self) -> bool:
        """Whether there is a single position, given as an argument."""
        return self._file is None and len(self._arguments) == 1 and self._arguments[0] != "-"

    @property
    def only_arguments(self) -> bool:
        """Whether each position is an argument, so that line numbers are those of the arguments."""
        return self._file is None and "-" not in self._arguments

    def lines(self) -> Iterator[Line]:
        """The texts of the positions, in order, whether they are well formed or not."""
        sources: list[Iterable[Line]] = [
            lines_of("-") if line.text == "-" else (line,) for line in argument_lines("position", self._arguments)
        ]
        if self._file is not None:
            sources.append(lines_of(self._file))
        return chain.from_iterable(sources)

    def __iter__(self) -> Iterator[tuple[Line, Position]]:
        is_empty = True
        for line in self.lines():
            is_empty = False
            position = self.read(line)
            if position is not None:
                yield line, position
        if is_empty and self.given > 0:
            click.echo("note: there are no positions", err=True)

    def read(self, line: Line) -> Position | None:
        """The position of a line; None, with a report, if it is malformed."""
        try:
            return parsed(line, self.board_path)
        except RingfenError as error:
            reject(line, error, self.as_json and self.deferred is None)
            if self.deferred is not None:
                self.deferred.append((line, error))
            self.malformed += 1
            self.status = USAGE
            return None

    def fail(self, line: Line, error: RingfenError) -> None:
        """Report a well-formed line that has no answer."""
        reject(line, error, self.as_json, in_text=False)
        self.status = USAGE


def _are_ids(words: Sequence[str]) -> bool:
    """Whether each word is a position by itself: a game's id or standard input."""
    from ringfen.rules import game_ids

    return all(word == "-" or word in game_ids() for word in words)


def read_position(line: Line, board_path: Sequence[Path] = ()) -> Position | None:
    """The position of a line; None, with a report, if it is malformed."""
    try:
        return parsed(line, board_path)
    except RingfenError as error:
        report(line, error)
        return None


def parsed(line: Line, board_path: Sequence[Path] = ()) -> Position:
    """The position of a line.

    :raises ringfen.RingfenError: there is none; the place is in the line's text.
    """
    from ringfen.errors import PositionSyntaxError
    from ringfen.position import Position

    if line.too_long:
        message = f"the line has more than {MAX_LINE} bytes, more than any position"
        raise PositionSyntaxError(message, reason="too-long", text=line.text)
    if not line.text.isascii():
        for at, character in enumerate(line.text):
            if "\udc80" <= character <= "\udcff":
                message = f"byte 0x{ord(character) - 0xDC00:02x} is not UTF-8"
                raise PositionSyntaxError(message, reason="bad-utf8", text=line.text, at=at, length=1)
    return Position(line.text, board_path=board_path)


# ---- output ----


def is_answered(status: str, undecided: Fraction | str | None, options: SolveOptions) -> bool:
    """Whether an answer is what was asked for, and no limit got in its way; ``undecided``: its ``open``."""
    if status == "bound" and options.until is not None and undecided is not None:
        from fractions import Fraction

        return Fraction(undecided) <= options.until
    return status in ("exact", "horizon")


def tell_unused(options: SolveOptions, kinds: Collection[str]) -> None:
    """Says on standard error which options concerned no position; ``kinds``: of the values that were asked for."""
    from ringfen.options import unused_options

    for name in unused_options(options, kinds) if kinds else ():
        click.echo(f"note: --{name} has no effect in the games of these positions", err=True)


def json_text(fields: dict[str, Any]) -> str:
    """One JSON object on its own line, with the line end."""
    return f"{to_json(fields)}\n"


def print_json(fields: dict[str, Any]) -> None:
    """One JSON object on its own line."""
    print_data(json_text(fields))


def print_data(text: str) -> None:
    """Prints what other programs read: it is UTF-8, whatever the terminal's encoding, and ? for half a character."""
    with printing():
        click.echo(text.encode("utf-8", "replace"), nl=False)


def csv_line(cells: Sequence[str]) -> str:
    """A row of a CSV table, with the line end."""
    import csv
    from io import StringIO

    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def named_file(out: str | None, as_json: bool) -> str | None:
    """Return the name of an output file; None, standard output, for ``-``.

    :raises click.UsageError: standard output contains JSON.
    """
    if out == "-" and as_json:
        raise click.UsageError("--json and --out - both print to standard output: write to a file.")
    return None if out == "-" else out


class OutputDirectory(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The name of a directory to write to, which standard output cannot be."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        if value in ("", "-"):
            self.fail(f"{value!r} is not a directory (./- is a directory of that name).", param, ctx)
        return str(value)


def answers_output(name: str, files: Files) -> None:
    """Declares a file of answers, which is written line by line, and the one beside it."""
    output = files.output(name)
    if output.is_replaced:
        files.beside(f"{output.path}{DROPPED}")


def write_text(output: Output, text: str) -> None:
    """Write a text to an output."""
    output.write(text.encode("utf-8", "replace"))


def print_table(rows: Sequence[Sequence[Any]], headers: Sequence[str], align: Sequence[str] | None = None) -> None:
    """A table for people. Cells are printed as they are, never taken for numbers."""
    from tabulate import tabulate

    click.echo(tabulate(rows, headers, tablefmt="simple", disable_numparse=True, colalign=align))


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what it counts: 1 record, 1,200 records; ``many`` where the plural is not ``one`` and an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def on_terminal() -> bool:
    """Whether standard error is a terminal that can be drawn on."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def side_name(player: object) -> str:
    """A player for people: South, North, or player 3."""
    return {"s": "South", "n": "North"}.get(str(player), f"player {player}")


def outcome_words(outcome: object) -> str:
    """An outcome for people."""
    if outcome is None:
        return "not over"
    return "a draw" if outcome == "draw" else f"{side_name(outcome)} has won"
