"""``ugi check``: are the moves of another Gygès engine legal?"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Final

import click

from ringfen.cli.comparison import ProgramError
from ringfen.cli.exit_status import OK, USAGE, WRONG, print_error, worst
from ringfen.cli.output import counted, print_json
from ringfen.cli.position_input import reject
from ringfen.errors import RingfenError
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.cli.comparison import Program
    from ringfen.cli.position_input import Positions
    from ringfen.position import Position

#: A game starts after the setups and at most this number of random plies, and is broken off after some plies.
_SETUPS: Final = 2
_MAX_RANDOM_PLIES: Final = 6
_MAX_PLIES: Final = 300


class EngineCheck:
    """Asks an engine for its move in many positions.

    :param lines: lines to send first.
    """

    def __init__(self, program: Program, lines: Sequence[str], *, as_json: bool) -> None:
        self._program = program
        self._settings = "".join(f"{line}\n" for line in lines)
        self._as_json = as_json
        self._asked = self._illegal = 0
        self._status = OK

    def play(self, start: Position, games: int, seed: int) -> int:
        """Let the engine play both sides of games from random positions, and return the exit status."""
        random = Random(seed)
        for _ in range(games):
            position = _random_start(start, random)
            for _ in range(_MAX_PLIES):
                if position.is_over:
                    break
                ply = self._legal_ply(position)
                if ply is None:
                    break
                position = position.apply(ply)
        return self._reported()

    def positions(self, positions: Positions) -> int:
        """Ask for one move in each position, and return the exit status."""
        for line, position in positions:
            try:
                position.game.engine_notation.encode(position.fen)
            except RingfenError as error:
                reject(line, error, self._as_json)
                self._status = USAGE
                continue
            if not position.is_over:
                self._legal_ply(position)
        return worst(self._reported(), positions.status)

    def _legal_ply(self, position: Position) -> str | None:
        """Return the engine's ply, or None if it is not legal or there is none."""
        notation = position.game.engine_notation
        board = notation.encode(position.fen)
        try:
            move = self._program.best_move(self._settings, f"setpos data {board}\ngo\n")
        except ProgramError as error:
            if error.reason == "cannot-start":
                raise
            print_error(f"{position.fen}: {error}")
            self._status = USAGE
            return None
        self._asked += 1
        reason, ply = "", None
        try:
            ply = position.short(notation.ply_of(position.fen, move))
        except RingfenError as error:
            reason = error.message
            self._illegal += 1
            self._status = worst(self._status, WRONG)
        if self._as_json:
            print_json({"fen": position.fen, "ugi": board, "move": move, "ply": ply, "ok": ply is not None})
        elif ply is None:
            click.echo(f"illegal move {printable(move) or '(none)'}: {reason}\n  {position.fen}\n  setpos data {board}")
        return ply

    def _reported(self) -> int:
        if not self._as_json:
            click.echo(f"{counted(self._asked, 'move')}, {self._illegal:,} illegal")
        return self._status


def _random_start(position: Position, random: Random) -> Position:
    for _ in range(_SETUPS + random.randint(0, _MAX_RANDOM_PLIES)):
        following = position.apply(random.choice(position.plies()))
        if following.is_over:
            break
        position = following
    return position
