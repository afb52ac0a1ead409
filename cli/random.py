"""``random``: random legal games, the same for the same seed on every machine."""

from __future__ import annotations

import click

from ringfen.cli.position_input import Positions
from ringfen.cli.quantities import WholeNumber
from ringfen.cli.shared_options import positions_from, seed_option


@click.command("random")
@positions_from()
@click.option("--games", type=WholeNumber(0), default=1, metavar="N", show_default=True, help="Number of records.")
@seed_option
@click.option(
    "--max-plies", type=WholeNumber(0), metavar="M", help="Maximum number of plies per game.  [default: 400; gran 5000]"
)
def random_games(positions: Positions, games: int, seed: int, max_plies: int | None) -> int:
    """Print records of random legal games from a position.

    Every legal ply is equally likely; cards and dice fall by their true weights. With several positions, --games are
    played from each.

    \b
    Example:
      ringfen random gyges --games 3 --seed 7
      ringfen random gran --games 100 > games.rgn
    """
    from ringfen.notation import random_game, write_record

    for _, position in positions:
        for number in range(1, games + 1):
            record = random_game(position, seed, number=number, plies=max_plies, board_path=positions.board_path)
            click.echo(write_record(record), nl=False)
    return positions.status
