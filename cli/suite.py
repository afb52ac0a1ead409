"""``suite``: checks known counts, from a file or those that are installed."""

from __future__ import annotations

import re
from collections import Counter as Counts
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

import click

from ringfen.cli.compare import program_of
from ringfen.cli.exit_status import OK, USAGE, WRONG, print_error, worst
from ringfen.cli.games import GAME
from ringfen.cli.output import counted
from ringfen.cli.perft import Counter
from ringfen.cli.position_input import Line, lines_of, parsed, print_answer, reject
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import (
    MAX_DEPTH,
    board_option,
    is_quiet,
    json_option,
    threads_option,
    timeout_option,
)
from ringfen.cli.usage_hints import InputFile
from ringfen.errors import ImpossiblePositionError, PositionSyntaxError, RingfenError
from ringfen.text import NotJsonError, from_json, printable

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.cli.comparison import Program
    from ringfen.position import Position
    from ringfen.rules import Game

#: Where the lines of the installed suites come from.
_BUILTIN = "builtin"
#: The most plies of a list that are printed.
_SHOWN_PLIES = 3


@click.command()
@click.argument("file", required=False, type=InputFile())
@click.option("--game", type=GAME, help="Check only positions of this game.")
@click.option("--max-nodes", type=WholeNumber(0), metavar="N", help="Skip larger counts.")
@click.option("--against", metavar="COMMAND", help="Check another program instead of Ringfen; see 'compare'.")
@timeout_option
@board_option
@threads_option
@json_option
def suite(
    file: str | None,
    game: Game | None,
    max_nodes: int | None,
    against: str | None,
    timeout: float | None,
    board_path: Sequence[Path],
    threads: int,
    as_json: bool,
) -> int:
    """Check known counts: those that are installed, or those of FILE.

    A line is a JSON object with "fen", "depth" and "count", or 'POSITION ;D1 28 ;D2 784'. With --against, the plies
    that the program prints for each position must also be the legal ones.

    \b
    Example:
      ringfen suite --game siaius --max-nodes 1e6
      ringfen suite counts.jsonl
      ringfen suite --game rings --max-nodes 1e6 --against './other divide {depth} "{fen}"'
    """
    if timeout is not None and against is None:
        raise click.UsageError("--timeout requires --against.")
    with ExitStack() as stack:
        program = None if against is None else stack.enter_context(program_of(against, timeout))
        counting = "counted" if program is None else "the program counted"
        run = _Run(_counting(program, Counter(threads)), counting, max_nodes, as_json, against)
        for line in _lines(file, game):
            run.check(line, game, board_path)
    if not run.is_empty:
        return run.finish()
    print_error(f"{file or _BUILTIN}: there are no counts {f'of {game.id} ' if game else ''}in it")
    return USAGE


class _Count(NamedTuple):
    """A count, and what is wrong with the plies that were counted."""

    nodes: int
    plies: str = ""


def _counting(program: Program | None, counter: Counter) -> Callable[[Position, int], _Count]:
    """Return the function that counts: Ringfen's, or that of another program."""
    if program is None:
        return lambda position, depth: _Count(counter.count(position, depth))
    return partial(_count_of, program)


def _count_of(program: Program, position: Position, depth: int) -> _Count:
    """Return the count of another program, and how its plies differ."""
    from ringfen.counting import divide

    if depth == 0:
        return _Count(1)
    found = program.divide(position, depth)
    legal = [ply for ply, _ in divide(position, 1)]
    printed = Counts(ply for ply, _ in found)
    lists = (("missing", [ply for ply in legal if ply not in printed]), ("extra", list(printed - Counts(legal))))
    words = [f"{name} {printable(_few(plies))}" for name, plies in lists if plies]
    return _Count(sum(nodes for _, nodes in found), ", ".join(words))


def _few(plies: Sequence[str]) -> str:
    more = f" and {len(plies) - _SHOWN_PLIES} more" if len(plies) > _SHOWN_PLIES else ""
    return " ".join(plies[:_SHOWN_PLIES]) + more


class _Run:
    """The rows of a suite that are checked so far.

    :param counting: Words for who counted.
    :param against: The command of another program that counts.
    """

    def __init__(
        self,
        count: Callable[[Position, int], _Count],
        counting: str,
        max_nodes: int | None,
        as_json: bool,
        against: str | None,
    ) -> None:
        self.is_empty = True
        self._count = count
        self._counting = counting
        self._max_nodes = max_nodes
        self._as_json = as_json
        self._against = against
        #: The command that finds the first difference of the first wrong row.
        self._next = ""
        self._status = OK
        self._right = self._wrong = self._skipped = self._failed = self._unread = 0

    def check(self, line: Line, game: Game | None, board_path: Sequence[Path]) -> None:
        """Check the counts of a line; report the line if it is malformed."""
        try:
            name, fen, counts = _entry(line)
            # The caret of a message about the position points into the position.
            line = Line(line.source, line.number, fen, line.column + max(0, line.text.find(fen)))
            position = parsed(line, board_path)
        except RingfenError as error:
            reject(line, error, self._as_json)
            self.is_empty = False
            self._unread += 1
            self._status = worst(self._status, USAGE)
            return
        if game is not None and position.game is not game:
            return
        self.is_empty = False
        for depth, count in counts:
            self._check(line, position, name, depth, count)

    def _check(self, line: Line, position: Position, name: str, depth: int, count: int) -> None:
        nodes, plies = None, ""
        if self._max_nodes is not None and count > self._max_nodes:
            self._skipped += 1
        else:
            try:
                nodes, plies = self._count(position, depth)
            except RingfenError as error:
                if error.reason == "no-engine-notation":  # in every row of the game
                    raise click.UsageError(f"{error.message}; choose another game with --game.") from error
                if not isinstance(error, ImpossiblePositionError):
                    reject(line, error, self._as_json, in_text=False)
                    self._failed += 1
                    self._status = worst(self._status, USAGE)
                    return
                self._skipped += 1  # the program's notation has no such position
        is_right = None if nodes is None else nodes == count and not plies
        self._right += is_right is True
        self._wrong += is_right is False
        if self._as_json:
            fields = {"fen": position.fen, "depth": depth, "count": count, "nodes": nodes, "ok": is_right}
            print_answer(line, {**fields, "name": name} if name else fields)
        elif is_right:
            click.echo(f"ok     depth {depth}: {count:,}  {position.fen}")
        elif nodes is not None:
            place = ", ".join(filter(None, (printable(name), f"{printable(line.source)}:{line.number}")))
            counts = plies or f"{self._counting} {nodes:,}, the suite says {count:,}"
            click.echo(f"{click.style('WRONG', fg='red')}  depth {depth}: {counts}: {position.fen} ({place})")
            if self._against is not None and not self._next:
                self._next = f"ringfen compare {quote(position.fen)} --depth {depth} {quote(self._against)}"

    def finish(self) -> int:
        """Print the sums, and return the exit status."""
        if not self._as_json:
            words = [f"{self._right:,} right", f"{self._wrong:,} wrong"]
            if self._skipped or self._max_nodes is not None:
                words.append(f"{self._skipped:,} skipped")
            if self._failed:
                words.append(f"{self._failed:,} not answered")
            if self._unread:
                words.append(f"{counted(self._unread, 'line')} could not be read")
            click.echo(", ".join(words))
            if self._next and not is_quiet():
                click.echo(f"to find the first difference, run: {self._next}", err=True)
        return worst(self._status, WRONG if self._wrong else OK)


def _lines(file: str | None, game: Game | None) -> Iterator[Line]:
    if file is not None:
        for line in lines_of(file, comments=False, kind="suite"):
            if not line.text.startswith("#"):
                yield line
        return
    from ringfen.rules import game_by_id, game_ids

    for each in map(game_by_id, game_ids()) if game is None else (game,):
        for number, text in enumerate(each.suite().splitlines(), 1):
            yield Line(f"{_BUILTIN}:{each.id}", number, text, is_streamed=False)


class _Malformed(NamedTuple):
    """Makes the errors of a line."""

    text: str

    def error(self, message: str, at: int = 0) -> PositionSyntaxError:
        """Return the error for a place in the line."""
        return PositionSyntaxError(message, reason="bad-suite", text=self.text, at=at)


def _entry(line: Line) -> tuple[str, str, list[tuple[int, int]]]:
    """Return the name of a line (empty if it has none), its position, and the depths with their counts."""
    if line.text.startswith(("{", "[")):
        return _json_entry(line.text)
    fen, *parts = line.text.partition("#")[0].split(";")
    counts = []
    for part in filter(str.strip, parts):
        match = re.fullmatch(r"\s*[Dd]([0-9]{1,3})[\s=:]\s*([0-9]{1,40}|[0-9]{1,3}(?:[,_'][0-9]{3}){1,13})\s*", part)
        if match is None or int(match[1]) > MAX_DEPTH:
            message = f"expected a depth and a count, as in D2 784, not {part.strip()[:40]!r}"
            raise _Malformed(line.text).error(message, line.text.find(part))
        counts.append((int(match[1]), int(re.sub("[,_']", "", match[2]))))
    if not counts:
        raise _Malformed(line.text).error("expected JSON, or a position and counts, as in 'POSITION ;D1 28 ;D2 784'")
    return "", fen.strip(), counts


def _json_entry(text: str) -> tuple[str, str, list[tuple[int, int]]]:
    malformed = _Malformed(text).error
    try:
        entry = from_json(text)
    except NotJsonError as error:
        raise malformed(str(error), error.at) from None
    except ValueError as error:
        raise malformed(str(error)) from None
    if not isinstance(entry, dict) or not isinstance(entry.get("fen"), str):
        raise malformed('a line is an object with "fen", "depth" and "count"')
    depth, count = entry.get("depth"), entry.get("count")
    if type(depth) is not int or type(count) is not int or not 0 <= depth <= MAX_DEPTH or count < 0:
        raise malformed('"depth" is a number from 0 to 255, "count" one from 0')
    name = entry.get("name")
    return name if isinstance(name, str) else "", entry["fen"], [(depth, count)]
