"""Positions from arguments, files and standard input, and reports about malformed ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click

from ringfen.cli.exit_status import OK, USAGE, print_error, with_options
from ringfen.cli.output import print_json
from ringfen.cli.usage_hints import check_position_arguments, is_position
from ringfen.errors import RingfenError
from ringfen.text import printable, width

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.outputs import Files
    from ringfen.position import Position

#: The maximum length of a line in a file of positions; positions of all games are much shorter.
MAX_LINE = 1 << 16
#: The maximum length of a problem in JSON, which contains the solution.
_MAX_PROBLEM = 1 << 24
#: The number of characters of a source line that are shown above the caret.
_SHOWN = 100


class Line:
    """A piece of one line of input, and its place: ``column`` counts characters from 1."""

    __slots__ = ("column", "invalid", "is_streamed", "number", "source", "stipulation", "text", "too_long")

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
        #: The stipulation of a problem; "" for a position.
        self.stipulation = ""
        #: Why the line cannot be a position or a problem; "" if it can.
        self.invalid = ""


def argument_lines(kind: str, words: Sequence[str]) -> Iterator[Line]:
    """Yield a line for each argument: the second ply is line 2 of ``ply``."""
    return (Line(kind, number, word, is_streamed=False) for number, word in enumerate(words, 1))


def lines_of(name: str, *, comments: bool = True, kind: str = "positions", problems: bool = False) -> Iterator[Line]:
    """Yield the lines of a file (``-``: standard input) except blank lines and, by default, comments (``#``).

    A line that is too long or not UTF-8 is yielded as far as it can be shown; :func:`parsed` rejects it.

    :param problems: Whether the file can also contain problems: lines that ``problems --json`` prints, or records with
        the tag ``Stipulation``. They are yielded as positions with stipulations.
    :raises OSError: The file cannot be read, or is evidently of another kind.
    """
    from ringfen.cli.file_kinds import PROBLEMS, RECORDS, begin_of, kind_of

    source = "<stdin>" if name == "-" else name
    try:
        with _opened_text(name, kind, *([PROBLEMS, RECORDS] if problems else [])) as file:
            if problems and kind_of(begin_of(file.buffer)) == RECORDS:
                yield from _problem_records(file.buffer, source)
                return
            for line in _lines(file, source, comments, problems):
                yield _problem(line) if problems and line.text.startswith("{") else line
    except OSError as error:
        if error.filename in (None, "-"):
            error.filename = source
        raise


def _problem(line: Line) -> Line:
    """Return the position of a problem with its stipulation; a line that is not a problem with the reason."""
    from ringfen.notation.problem_records import problem_fields

    try:
        fields = problem_fields(line.text)
    except ValueError as error:
        line.invalid = str(error)
        return line
    found = Line(line.source, line.number, fields["fen"])
    found.stipulation = printable(fields["stipulation"])
    return found


def _problem_records(stream: BinaryIO, source: str) -> Iterator[Line]:
    """Yield the start positions of records with their stipulations.

    :raises OSError: A record has no stipulation.
    """
    import errno

    from ringfen.notation.splitting import split_records
    from ringfen.notation.tags import read_tags

    for number, raw in enumerate(split_records(stream), 1):
        tags = {name.decode(): value.decode("utf-8", "replace") for name, value in read_tags(raw.data).values.items()}
        if "Stipulation" not in tags:
            what = (
                "game records, not a file of positions" if number == 1 else f"problems, but record {number} is a game"
            )
            hint = "'ringfen positions' prints the positions of records"
            raise OSError(errno.EINVAL, f"this is a file of {what}; {hint}", source)
        line = Line(source, raw.line, tags.get("FEN") or tags.get("Game", ""))
        line.stipulation = printable(tags["Stipulation"])
        yield line


def text_lines(stream: BinaryIO, source: str, *, problems: bool = False) -> Iterator[Line]:
    """Yield the lines of an open file of positions, as :func:`lines_of` does.

    :param problems: Whether the lines can also be problems in JSON, which are yielded unchanged.
    """
    text = TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape")
    try:
        yield from _lines(text, source, True, problems)
    finally:
        text.detach()


@contextmanager
def _opened_text(name: str, *kinds: str) -> Iterator[TextIO]:
    """Open a file (``-``: standard input) with any line ends. Bytes that are not UTF-8 become lone surrogates."""
    from ringfen.cli.file_kinds import reject_others
    from ringfen.inputs import reject_endless, unpacked

    with click.open_file(name, "rb") as file:
        reject_endless(file, name)
        content = unpacked(file, name)
        reject_others("<stdin>" if name == "-" else name, content, *kinds)
        text = TextIOWrapper(content, encoding="utf-8", errors="surrogateescape")  # type: ignore[type-var, unused-ignore]
        try:
            yield text
        finally:
            text.detach()


def _lines(file: TextIO, source: str, comments: bool, problems: bool) -> Iterator[Line]:
    number = 0
    while raw := file.readline(MAX_LINE + 1):
        number += 1
        is_problem = problems and raw.lstrip("\ufeff \t").startswith("{")
        if is_problem and len(raw) > MAX_LINE and not raw.endswith("\n"):
            raw += file.readline(_MAX_PROBLEM)
        too_long = len(raw) > (_MAX_PROBLEM if is_problem else MAX_LINE)
        if too_long:
            rest = raw
            while rest and not rest.endswith("\n"):
                rest = file.readline(MAX_LINE)
        text = raw.lstrip("\ufeff").rstrip()
        if comments and not is_problem:
            text = text.partition("#")[0].rstrip()
        stripped = text.lstrip()
        if stripped:
            yield Line(source, number, stripped, 1 + len(text) - len(stripped), too_long)


class Positions:
    """The positions that a command was given, as ``(line, position)``.

    A malformed position is reported, counted and skipped; ``status`` is then 2.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        file: str | None,
        board_path: Sequence[Path] = (),
        *,
        many: bool = False,
        as_json: bool = False,
        problems: bool = False,
    ) -> None:
        self.status = OK
        self.malformed = 0
        self.board_path = board_path
        #: Whether errors of malformed lines are also printed as JSON.
        self.as_json = as_json
        #: Malformed lines whose JSON the command prints itself, in input order; None: it is printed at once.
        self.deferred: list[tuple[Line, RingfenError]] | None = None
        self._arguments = arguments
        self._file = file
        #: Whether the lines of files can also be problems.
        self._problems = problems
        #: The number of sources of positions: arguments and a file.
        self.given = len(arguments) + (file is not None)
        check_position_arguments(arguments)
        if self.given > 1 and not many:
            raise click.UsageError("Give one POSITION or one --file.")

    def required(self) -> None:
        """Raise a usage error if there is neither POSITION nor ``--file``."""
        if self.given == 0:
            raise click.UsageError("Missing argument 'POSITION': a position (quoted), a game id, or '-'.")

    @property
    def inputs(self) -> Sequence[str]:
        """The files that positions and boards are read from, ``-`` for standard input."""
        files = [] if self._file is None else [self._file]
        return [*files, *(word for word in self._arguments if word == "-"), *board_files(self.board_path)]

    def declared(self) -> Files:
        """Return the files of the command, with its inputs; outputs are declared there."""
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
        """Yield the texts of the positions in order, including malformed ones.

        :raises OSError: The file does not exist. The positions before it are not yielded then.
        """
        if self._file not in (None, "-"):
            os.stat(self._file)
        arguments = argument_lines("position", [_without_comment(word) for word in self._arguments])
        sources: list[Iterable[Line]] = [
            lines_of("-", problems=self._problems) if line.text == "-" else (line,) for line in arguments
        ]
        if self._file is not None:
            sources.append(lines_of(self._file, problems=self._problems))
        return chain.from_iterable(sources)

    def __iter__(self) -> Iterator[tuple[Line, Position]]:
        for line in self.noted_lines():
            position = self.read(line)
            if position is not None:
                yield line, position

    def noted_lines(self) -> Iterator[Line]:
        """Yield the lines; print a note if there are none."""
        is_empty = True
        for line in self.lines():
            is_empty = False
            yield line
        if is_empty and self.given > 0:
            click.echo("note: there are no positions", err=True)

    def numbered(self, verb: str) -> Callable[[Position], str]:
        """Return a function that names each position in turn for progress, such as ``solving 12 of 30: rings …``.

        The total is known only if all positions are arguments or in regular files.
        """
        total = 0
        if self.only_arguments or (self._file is not None and os.path.isfile(self._file) and not self._arguments):
            total = sum(1 for _ in self.lines())
        count = iter(range(1, total + 1))

        def name(position: Position) -> str:
            place = f" {next(count, total)} of {total}:" if total > 1 else ""
            return f"{verb}{place} {position.fen}"

        return name

    def read(self, line: Line) -> Position | None:
        """Return the position of a line; None, with a report, if it is malformed."""
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


def _without_comment(text: str) -> str:
    """Return a position without the comment in a second line, which ``play`` prints after the end of a game."""
    fen, newline, comment = text.partition("\n")
    return fen if newline and comment.startswith("#") and "\n" not in comment else text


def read_position(line: Line, board_path: Sequence[Path] = ()) -> Position | None:
    """Return the position of a line; None, with a report, if it is malformed."""
    try:
        return parsed(line, board_path)
    except RingfenError as error:
        report(line, error)
        return None


def parsed(line: Line, board_path: Sequence[Path] = ()) -> Position:
    """Return the position of a line.

    :raises ringfen.RingfenError: The text is not a position; the error has the place in the text of the line.
    """
    from ringfen.errors import PositionSyntaxError
    from ringfen.position import Position

    if line.too_long:
        message = f"the line has more than {MAX_LINE} bytes, more than any position"
        raise PositionSyntaxError(message, reason="too-long", text=line.text)
    if line.invalid:
        raise PositionSyntaxError(line.invalid, reason="bad-json", text=line.text)
    if not line.text.isascii():
        for at, character in enumerate(line.text):
            if "\udc80" <= character <= "\udcff":
                message = f"byte 0x{ord(character) - 0xDC00:02x} is not UTF-8"
                raise PositionSyntaxError(message, reason="bad-utf8", text=line.text, at=at, length=1)
    return Position(line.text, board_path=board_path)


def board_files(board_path: Sequence[Path]) -> list[str]:
    """Return the files that boards may be read from: those given, and those in the directories."""
    from ringfen.rules.base import BOARD_SUFFIX

    files: list[Path] = []
    for place in board_path:
        files += sorted(place.glob(f"*{BOARD_SUFFIX}")) if place.is_dir() else [place]
    return [str(file) for file in files]


# ---- answers and errors ----


def print_answer(line: Line, fields: dict[str, Any]) -> None:
    """Print the answer to a line as JSON; it begins with the number of the line, unless that is an argument."""
    print_json({"line": line.number, **fields} if line.is_streamed else fields)


def error_fields(line: Line, error: RingfenError) -> dict[str, Any]:
    """Return the JSON fields that replace the answer to a malformed line."""
    fields = {
        "reason": error.reason,
        "message": printable(with_options(error.message)),
        "column": line.column + error.at,
    }
    return {"line": line.number, "error": fields}


def reject(line: Line, error: RingfenError, as_json: bool, *, in_text: bool = True) -> None:
    """Report that a line has no answer; as JSON also on standard output, in place of the answer.

    :param in_text: Whether the error is in the text of the line.
    """
    if in_text:
        report(line, error)
    else:
        place = f"{line.source}:{line.number}: " if line.is_streamed else ""
        print_error(f"{place}{error.reason}: {error.message}")
    if as_json and line.is_streamed:
        print_json(error_fields(line, error))


def report(line: Line, error: RingfenError) -> None:
    """Report an error in a line on standard error: the place, a stable key, the reason, and a caret."""
    text, at = line.text, error.at
    if getattr(error, "line", 0):  # in the file of a board that the line names: the message begins with the place there
        text, at = error.text, 0
    place = f"{line.source}:{line.number}:{line.column + at}"
    key = click.style(error.reason, fg="red", bold=True)
    click.echo(f"{printable(place)}: {key}: {printable(with_options(error.message))}", err=True)
    shown, caret = excerpt(text, error.at, error.length)
    click.echo(f"  {shown}\n  {caret}", err=True)
    hint = _hint(line, error)
    if hint is not None:
        click.echo(f"  {hint}", err=True)


def _hint(line: Line, error: RingfenError) -> str | None:
    """Return what an argument of the wrong kind was probably meant to be."""
    if line.source != "ply" or error.reason != "bad-ply":
        return None
    return "that is a position: it comes before the plies" if is_position(line.text) else None


def excerpt(text: str, at: int, length: int) -> tuple[str, str]:
    """Return the part of a line around a place, and a line of carets to print below it."""
    first = max(0, min(at - _SHOWN // 2, len(text) - _SHOWN))
    before = ("…" if first > 0 else "") + printable(text[first:at])
    marked = printable(text[at : min(at + length, first + _SHOWN)])
    after = printable(text[at + len(marked) : first + _SHOWN]) + ("…" if first + _SHOWN < len(text) else "")
    return f"{before}{marked}{after}".rstrip(), " " * width(before) + "^" * max(1, width(marked))
