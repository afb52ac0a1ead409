"""Positions of GRAN as text and as SVG."""

from __future__ import annotations

from typing import Final

from ringfen.drawing.board import Things, board_svg, board_text
from ringfen.rules import Context
from ringfen.rules.gran.board import REALMS

_PHASE_WORDS: Final = {
    "move": "to move",
    "fight": "fights the dragon: a card and the die are next",
    "extra": "has beaten the dragon: an extra move or stay",
    "ring": "has to put the ring",
    "stone": "has to place an obstacle stone",
    "sword": "has to move an obstacle stone",
    "over": "has won",
}


def draw(fen: str, context: Context) -> str:
    """The board (see :func:`ringfen.drawing.board.board_text`), the players, the deck, and who is to act."""
    table = _Table(fen)
    key = "t u g e w: realms, white   D dragon  Z magic stone  X sword  C city  S R crystal balls   * ring  # stone"
    return "\n".join([board_text(context.board, table.things()), key, "", *table.words(), table.pending()])


def svg(fen: str, context: Context) -> str:
    """The position as an SVG document."""
    table = _Table(fen)
    return board_svg(context.board, table.things(), table.pending())


class _Table:
    """A position text taken apart; it is known to be canonical."""

    def __init__(self, fen: str) -> None:
        _, players, self.ring, stones, self.deck, player, self.phase, *self.options = fen.split()
        self.figures = [figure.split(":") for figure in players.split("/")]
        self.stones = [] if stones == "-" else stones.split(",")
        self.player = int(player)

    @property
    def carrier(self) -> int | None:
        return int(self.ring[1:]) if self.ring.startswith("@") else None

    def things(self) -> Things:
        """What stands on the board."""
        return Things(
            figures={point: number for number, (point, _, _) in enumerate(self.figures, 1) if point != "-"},
            stones=frozenset(self.stones),
            ring=None if self.ring[0] in "@?" else self.ring,
            carrier=self.carrier,
            fettered=frozenset(number for number, figure in enumerate(self.figures, 1) if figure[2].endswith("!")),
        )

    def words(self) -> list[str]:
        """One line a player, the ring, stones and deck."""
        lines = []
        for number, (point, amulets, seals) in enumerate(self.figures, 1):
            cities = ", ".join(REALMS[letter] for letter in seals.rstrip("!") if letter != "-") or "none"
            where = "not entered yet" if point == "-" else f"on {point}"
            more = ", fettered" * seals.endswith("!") + ", carries the ring" * (number == self.carrier)
            lines.append(f"Player {number} {where}, amulets {amulets}, seals: {cities}{more}")
        lines.append(f"Cards left of value 0 to 6: {' '.join(self.deck.split('.'))}; stones: {len(self.stones)}")
        needed = next((word.removeprefix("seals=") for word in self.options if word.startswith("seals=")), "3")
        lines.append(f"Seals needed to win: {needed}")
        return lines

    def pending(self) -> str:
        """Who is to act, and what is due."""
        if self.phase == "move" and self.figures[self.player - 1][2].endswith("!"):
            return f"Player {self.player} takes off the fetter"
        return f"Player {self.player} {_PHASE_WORDS[self.phase]}"
