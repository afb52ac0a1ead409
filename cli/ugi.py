"""``ugi``: an engine for programs that speak the Universal Gygès Interface, and its boards (docs/ugi.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

import click

from ringfen.cli.compare import program_of
from ringfen.cli.exit_status import OK, USAGE, worst
from ringfen.cli.output import print_data
from ringfen.cli.position_input import Line, Positions, argument_lines, lines_of, print_answer, reject
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import file_option, json_option, positions_from, seed_option, timeout_option
from ringfen.cli.usage_hints import SuggestingGroup
from ringfen.control import MAX_PLIES, MAX_THREADS
from ringfen.errors import ImpossiblePositionError, RingfenError
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.position import Position
    from ringfen.rules.base import EngineNotation
    from ringfen.solving.engine import Choice

_GAME = "gyges"
_HASH_MB = 256
_USUAL_SECONDS = 5.0
#: The maximum number of bytes of a command; a position has about 50.
_MAX_LINE = 1 << 16
_SHOWN = 40
#: The options of the engine; their case does not matter.
_OPTIONS = ("maxPly", "maxTime", "maxNodes", "threads")


def _notation() -> EngineNotation:
    from ringfen.rules import game_by_id

    return game_by_id(_GAME).engine_notation


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@click.pass_context
def ugi(ctx: click.Context) -> int:
    """Play as a Gygès engine, or check other Gygès engines.

    The protocol is the Universal Gygès Interface.

    \b
    Example:
      printf 'setpos start\\nsetoption name maxTime value 2\\ngo\\nquit\\n' | ringfen ugi
    """
    if ctx.invoked_subcommand is None:
        Engine().run()
    return OK


@ugi.command()
@positions_from(boards=False)
@json_option
def encode(positions: Positions, as_json: bool) -> int:
    """Print Gygès positions as boards of the interface.

    A board is 38 digits, seen by the player to move.

    \b
    Example:
      ringfen ugi encode 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'
    """
    status = OK
    for line, position in positions:
        try:
            digits = position.game.engine_notation.encode(position.fen)
        except RingfenError as error:
            reject(line, error, as_json)
            status = USAGE
            continue
        if as_json:
            print_answer(line, {"fen": position.fen, "ugi": digits})
        else:
            print_data(f"{digits}\n")
    return worst(status, positions.status)


@ugi.command()
@click.argument("digits", metavar="DIGITS…", nargs=-1, required=True)
@json_option
def decode(digits: Sequence[str], as_json: bool) -> int:
    """Print the positions of boards of the interface.

    A board is 36 or 38 digits, or start, bench or test. South is to move.

    \b
    Example:
      ringfen ugi decode 202110000330000000000200000100030123
    """
    status = OK
    for line in _board_lines(digits):
        try:
            fen = _notation().decode(line.text)
        except RingfenError as error:
            reject(line, error, as_json)
            status = USAGE
            continue
        if as_json:
            print_answer(line, {"fen": fen, "ugi": _notation().encode(fen)})
        else:
            print_data(f"{fen}\n")
    return status


@ugi.command()
@click.argument("engine", metavar="COMMAND")
@file_option
@click.option("--games", metavar="N", type=WholeNumber(1), help="Number of games to play.  [default: 10]")
@seed_option
@click.option("--send", "lines", metavar="LINE", multiple=True, help="Send this line first, such as an option.")
@timeout_option
@json_option
def check(
    engine: str,
    file: str | None,
    games: int | None,
    seed: int,
    lines: Sequence[str],
    timeout: float | None,
    as_json: bool,
) -> int:
    """Check that every move of another engine is legal.

    The engine is started once. It plays both sides of games from random positions, or one move in each position of
    --file.

    \b
    Example:
      ringfen ugi check --games 20 --send 'setoption name maxPly value 3' 'ringfen ugi'
    """
    from ringfen.cli.ugi_check import EngineCheck
    from ringfen.position import Position

    if file is not None and games is not None:
        raise click.UsageError("--games and --file cannot be combined.")
    with program_of(engine, timeout) as program:
        checking = EngineCheck(program, lines, as_json=as_json)
        if file is None:
            return checking.play(Position(_GAME), games or 10, seed)
        return checking.positions(Positions((), file, (), as_json=as_json))


def _board_lines(words: Sequence[str]) -> Iterator[Line]:
    for line in argument_lines("board", words):
        if line.text == "-":
            yield from lines_of("-")
        else:
            yield line


class Engine:
    """Reads commands line by line and answers. Nothing that is read ends it but ``quit`` and the end of input.

    A search runs in a separate thread, so ``stop`` and ``isready`` are answered at once. Every other command
    waits for it: a client may send everything in one go.
    """

    def __init__(self) -> None:
        self._notation = _notation()
        self._position: Position | None = self._decoded("start")
        self._most_plies = MAX_PLIES
        self._seconds = _USUAL_SECONDS
        self._nodes: int | None = None
        self._threads = 1
        self._search: Thread | None = None
        self._failure: BaseException | None = None
        self._stop = Event()
        self._output = Lock()

    def run(self) -> None:
        """Answer until ``quit`` or the end of input, then wait for a running search."""
        try:
            for words in self._commands():
                self._command(words)
                if words[0] == "quit":
                    break
            self._wait()
        except BaseException:
            self._stop.set()
            raise

    def _commands(self) -> Iterator[list[str]]:
        """Yield the words of each line that has any."""
        while raw := sys.stdin.buffer.readline(_MAX_LINE):
            if len(raw) == _MAX_LINE and not raw.endswith(b"\n"):
                while raw and not raw.endswith(b"\n"):
                    raw = sys.stdin.buffer.readline(_MAX_LINE)
                self._complain(f"a line has more than {_MAX_LINE} bytes")
                continue
            words = raw.decode("utf-8", "replace").split()
            if words:
                yield words

    def _say(self, line: str) -> None:
        with self._output:
            print_data(f"{line}\n")
            sys.stdout.flush()

    def _complain(self, message: str) -> None:
        """Print an ``info string``. Clients read ``info`` lines in pairs of words, so there must be an even number."""
        words = printable(message).encode("ascii", "backslashreplace").decode("ascii").split()
        self._say(" ".join(["info", "string", *words, *(["."] if len(words) % 2 == 0 else [])]))

    def _wait(self) -> None:
        if self._search is not None:
            self._search.join()
            self._search = None
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _command(self, words: list[str]) -> None:
        name, rest = words[0], words[1:]
        if rest and name in ("ugi", "isready", "showpos", "go", "stop", "quit"):
            self._complain(f"ignored after {name}: {' '.join(rest)[:_SHOWN]}")
        if name == "quit":
            return  # run() ends
        if name == "ugi":
            self._introduce()
        elif name == "isready":
            self._say("readyok")
        elif name == "stop":
            self._stop.set()
            self._wait()
        elif name in ("setoption", "setpos", "showpos", "go"):
            self._wait()
            try:
                if name == "setoption":
                    self._setoption(rest)
                elif name == "setpos":
                    self._setpos(rest)
                elif name == "showpos":
                    self._showpos()
                else:
                    self._go()
            except RingfenError as error:
                self._complain(f"{error.reason}: {error.message}")
            except ValueError as error:
                self._complain(str(error))
        else:
            self._complain(f"unknown command {name[:_SHOWN]}")

    def _introduce(self) -> None:
        from ringfen import __version__

        self._say(f"id name Ringfen {__version__}")
        self._say("id author the Ringfen developers")
        self._say(f"option name maxPly type spin default {MAX_PLIES} min 1 max {MAX_PLIES}")
        self._say(f"option name maxTime type string default {_USUAL_SECONDS:g}")
        self._say("option name maxNodes type string default none")
        self._say(f"option name threads type spin default 1 min 1 max {MAX_THREADS}")
        self._say("ugiok")

    def _setoption(self, words: list[str]) -> None:
        # Clients differ: `setoption name maxTime value 3` and `setoption maxTime 3`.
        if [word.lower() for word in words[:1]] == ["name"]:
            words = words[1:]
        if not words or words[0].lower() == "value":
            raise ValueError(f"expected: setoption name NAME value NUMBER, with one of {', '.join(_OPTIONS)}")
        given, values = words[0], words[1:]
        if [word.lower() for word in values[:1]] == ["value"]:
            values = values[1:]
        name = {option.lower(): option for option in _OPTIONS}.get(given.lower())
        if name is None:
            self._complain(f"unknown option {given[:_SHOWN]}")
            return
        if len(values) != 1:
            raise ValueError(f"expected: setoption name {name} value NUMBER")
        if name == "maxPly":
            self._most_plies = int(_number(values[0], 1, MAX_PLIES))
        elif name == "maxTime":
            self._seconds = _number(values[0], 0.001, 1e9)
        elif name == "maxNodes":
            self._nodes = int(_number(values[0], 1, 2**62))
        else:
            self._threads = int(_number(values[0], 1, MAX_THREADS))

    def _setpos(self, words: list[str]) -> None:
        boards = self._notation.boards
        if len(words) == 1 and words[0] in boards:
            text = words[0]
        elif len(words) == 2 and words[0] == "data" and words[1] not in boards:
            text = words[1]
        else:
            raise ValueError(f"expected: setpos data DIGITS, or one of {', '.join(boards)}")
        try:
            self._position = self._decoded(text)
        except ImpossiblePositionError:
            self._position = None  # a finished game, for example: there is nothing to play on
            raise

    def _decoded(self, text: str) -> Position:
        from ringfen.position import Position

        return Position(self._notation.decode(text))

    def _showpos(self) -> None:
        for line in self._given().draw().splitlines():
            self._say(line)

    def _given(self) -> Position:
        if self._position is None:
            raise ValueError("there is no position to play on")
        return self._position

    def _go(self) -> None:
        self._stop.clear()
        self._search = Thread(target=self._choose, args=(self._given(),), daemon=True)
        self._search.start()

    def _choose(self, position: Position) -> None:
        from ringfen.control import Limits
        from ringfen.solving import SolveOptions
        from ringfen.solving.engine import choose

        limits = Limits(self._nodes, self._seconds)
        options = SolveOptions(limits, hash_mb=_HASH_MB, threads=self._threads, depth=self._most_plies)
        try:
            choice = choose(position, options, stop=self._stop.is_set, on_depth=self._tell)
            self._tell(choice)
            move = self._notation.move_of(position.fen, choice.ply)
            self._say(f"bestmove {move} score {choice.score:.3f} time {choice.seconds:.3f}")
        except (ValueError, MemoryError) as error:
            self._complain(str(error) or "out of memory")
        except BaseException as error:
            self._failure = error  # the output is closed, for example

    def _tell(self, choice: Choice) -> None:
        rate = choice.nodes / max(choice.seconds, 1e-3)
        self._say(
            f"info ply {choice.plies} score {choice.score:.3f} nodes {choice.nodes} nps {rate:.0f} "
            f"time {choice.seconds:.3f}"
        )


def _number(text: str, least: float, most: float) -> float:
    try:
        number = float(text) if text.isascii() else float("nan")
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise ValueError(f"expected a number from {least:g} to {most:g}, not {text[:_SHOWN]}")
    return number
