"""Random positions without end: those of random games, and pieces on random squares."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from ringfen.errors import ImpossiblePositionError, PositionSyntaxError
from ringfen.notation.random_play import Generator, random_ply
from ringfen.position import Position

#: Impossible placements in a row after which the rules probably exclude the pieces.
_MAX_IMPOSSIBLE: Final = 1000


def positions_of_random_games(start: Position, seed: int) -> Iterator[tuple[str, Position]]:
    """Yield the positions of the games of :func:`ringfen.random_game`, each with words for its place."""
    for number in count(1):
        generator, position = Generator(seed, number - 1), start
        for ply in range(start.game.default_max_plies + 1):
            yield f"seed {seed}, game {number}, ply {ply}", position
            if position.is_over:
                break
            _, position = random_ply(position, generator)


def random_placements(start: Position, material: str, seed: int) -> Iterator[tuple[str, Position]]:
    """Yield positions with these pieces on random squares, each with words for its place.

    :param start: A position with the same board and options.
    :raises ringfen.PositionSyntaxError: ``material`` does not have the form of the game.
    :raises ringfen.ImpossiblePositionError: The rules seem to exclude these pieces.
    """
    generator, impossible = Generator(seed), 0
    for number in count(1):
        text = start.game.place(start.fen, start.context, material, generator.below)
        try:
            state = start.game.parse(start.context, text)
        except (ImpossiblePositionError, PositionSyntaxError) as error:
            impossible += 1
            if impossible == _MAX_IMPOSSIBLE:
                message = f"{impossible} random placements of {material} are impossible; the last: {error.message}"
                raise ImpossiblePositionError(message, reason="bad-material", text=material) from None
            continue
        impossible = 0
        yield f"seed {seed}, placement {number}", Position.from_state(start.game, start.context, state)
