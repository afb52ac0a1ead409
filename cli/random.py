"""``random``: random legal games, the same for the same seed on every machine."""

from __future__ import annotations

import click

from ringfen.cli.common import Positions, positions_from
from ringfen.position import Position

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


def record_text(position: Position, plies: list[str], last: Position) -> str:
    """The game as a record."""
    result = {None: "*", "s": "1-0", "n": "0-1", "draw": "1/2-1/2"}.get(str(last.outcome), "*")
    return f'[Game "{position.game.id}"]\n[FEN "{position.fen}"]\n\n{" ".join(plies)} {result}\n'


@click.command("random")
@positions_from()
@click.option("--games", type=click.IntRange(0), default=1, show_default=True, help="How many records.")
@click.option("--seed", type=int, default=0, show_default=True, help="Equal seeds give equal games.")
@click.option("--max-plies", type=click.IntRange(0), help="A game's plies at most.  [default: 400; gran 5000]")
def random_games(positions: Positions, games: int, seed: int, max_plies: int | None) -> int:
    """Play random legal games from a position and print their records.

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
            click.echo(record_text(position, plies, last))
    return positions.status
