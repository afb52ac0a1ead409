"""Random legal games: the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ringfen.control import MAX_NODES, checked_int
from ringfen.notation.reading import parse_record
from ringfen.notation.record import Record, player_tags
from ringfen.notation.results import result_of
from ringfen.position import Position
from ringfen.version import __version__

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Generator:
    """SplitMix64 (Steele, Lea, Flood 2014), in integers only: equal on every machine and Python version.

    :param seed: any integer; its lowest 64 bits count.
    :param stream: generators with one seed and different streams are independent.
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
        """Return a number from 0 to ``bound`` - 1, each equally likely; ``bound`` is at most 2**64."""
        # Numbers from an incomplete last round would make some results likelier than others.
        limit = (1 << 64) - (1 << 64) % bound
        while (number := self._next()) >= limit:
            pass
        return number % bound


def random_ply(position: Position, generator: Generator) -> tuple[str, Position]:
    """Return a random legal ply and the position after it: decisions evenly, chance by its weights."""
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
    """Return random plies up to the end of the game, ``most`` at most, and the position after them."""
    plies: list[str] = []
    while len(plies) < most and not position.is_over:
        ply, position = random_ply(position, generator)
        plies.append(ply)
    return plies, position


def random_game(
    position: Position | str,
    seed: int = 0,
    *,
    number: int = 1,
    plies: int | None = None,
    board_path: Sequence[Path] = (),
) -> Record:
    """Return the record of a random legal game; every legal ply is equally likely, cards and dice fall by their
    weights.

    :param seed: any integer, of which the lowest 64 bits count. Equal seeds and numbers give equal games everywhere.
    :param number: which of the seed's games, from 1 up; it becomes the tag ``Round``. The tags ``Seed`` and ``Ringfen``
        (the version) say how to repeat the game.
    :param plies: the maximum number of plies; None is the game's limit (400; GRAN 5000).
    :param board_path: directories to search for a board that the position names (GRAN).
    :raises TypeError: an argument has the wrong type.
    :raises ValueError: ``number`` or ``plies`` is out of bounds.
    :raises ringfen.RingfenError: a text is not that of a position.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed must be an int, not {type(seed).__name__}")
    checked_int("number", number, 1, MAX_NODES)
    if plies is not None:
        checked_int("plies", plies, 0, MAX_NODES)
    start = Position.of(position, board_path=board_path)
    most = start.game.default_max_plies if plies is None else plies
    played, last = random_plies(start, Generator(seed, number - 1), most)
    tags = {"Game": start.game.id, "Event": "Random game", "Site": "?", "Date": "????.??.??", "Round": str(number)}
    tags |= dict.fromkeys(player_tags(start.game)[: start.players], "?")
    tags["Result"] = result_of(last, last.outcome) if last.is_over else "*"
    if start.fen != start.game.default_start:
        tags["FEN"] = start.fen
    tags |= {"Seed": str(seed), "Ringfen": __version__}
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    record = parse_record(f"{head}\n{' '.join(played)} {tags['Result']}\n", board_path=board_path)
    assert record.valid, record.diagnostics
    return record
