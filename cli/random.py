"""``random``: random legal games, the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ringfen.cli.common import Positions, positions_from
from ringfen.cli.quantities import WholeNumber
from ringfen.position import Position

if TYPE_CHECKING:
    from pathlib import Path

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Generator:
    """SplitMix64 (Steele, Lea, Flood 2014), in whole numbers alone: equal on every machine and Python version.

    :param seed: any integer; its lowest 64 bits count.
    :param stream: generators of one seed and different streams are independent of one another.
    """

    def __init__(self, seed: int, stream: int = 0) -> None:
        self._state = seed & _MASK
        self._state = self._next() ^ stream

    def _next(self) -> int:
        self._state = (self._state + _GOLDEN) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1, each equally likely; ``bound`` is at most 2**64."""
        # Numbers from an incomplete last round would make some results likelier than others.
        limit = (1 << 64) - (1 << 64) % bound
        while (number := self._next()) >= limit:
            pass
        return number % bound


def random_ply(position: Position, generator: Generator) -> tuple[str, Position]:
    """A random legal ply and the position after it: decisions evenly, chance by its weights."""
    weights = position.weights()
    if not weights:
        return position.nth(generator.below(position.count()))
    number = generator.below(sum(weights.values()))
    for ply, weight in weights.items():
        number -= weight
        if number < 0:
            return ply, position.apply(ply)
    raise AssertionError("weights add up to their sum")


def random_plies(position: Position, generator: Generator, most: int) -> tuple[list[str], Position]:
    """Random plies up to the end of the game, ``most`` at most, and the position after them."""
    plies: list[str] = []
    while len(plies) < most and not position.is_over:
        ply, position = random_ply(position, generator)
        plies.append(ply)
    return plies, position


def record_text(
    start: Position, plies: Sequence[str], last: Position, number: int, board_path: Sequence[Path] = ()
) -> str:
    """The canonical record of the game with this number."""
    from ringfen.notation import parse_record, write_record
    from ringfen.notation.record import player_tags

    tags = {"Game": start.game.id, "Event": "Random game", "Site": "?", "Date": "????.??.??", "Round": str(number)}
    tags |= dict.fromkeys(player_tags(start.game)[: start.players], "?")
    tags["Result"] = result_token(last)
    if start.fen != start.game.usual_start:
        tags["FEN"] = start.fen
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    record = parse_record(f"{head}\n{' '.join(plies)} {tags['Result']}\n", board_path=board_path)
    assert record.valid, record.diagnostics
    return write_record(record)


def result_token(position: Position) -> str:
    """The result of a record that ends so."""
    outcome = position.outcome
    if isinstance(outcome, int):
        return "-".join("1" if player == outcome else "0" for player in range(1, position.players + 1))
    return {None: "*", "s": "1-0", "n": "0-1", "draw": "1/2-1/2"}[outcome]


@click.command("random")
@positions_from()
@click.option("--games", type=WholeNumber(0), default=1, metavar="N", show_default=True, help="How many records.")
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Equal seeds give equal games.")
@click.option(
    "--max-plies", type=WholeNumber(0), metavar="M", help="A game's plies at most.  [default: 400; gran 5000]"
)
def random_games(positions: Positions, games: int, seed: int, max_plies: int | None) -> int:
    """Print records of random legal games from a position.

    Every legal ply is equally likely; cards and dice fall by their true weights. The games of a seed are the same on
    every machine, and the first ten of --games 100 are those of --games 10. With several positions, --games are
    played from each.

    \b
    Example:
      ringfen random gyges --games 3 --seed 7
      ringfen random gran --games 100 > games.rgn
    """
    for _, position in positions:
        most = position.game.usual_plies if max_plies is None else max_plies
        for number in range(games):
            plies, last = random_plies(position, Generator(seed, number), most)
            click.echo(record_text(position, plies, last, number + 1, positions.board_path), nl=False)
    return positions.status
