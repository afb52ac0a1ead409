"""Records as they are read: tags, start position, tree of variations, result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ringfen.games import Game
from ringfen.notation.diagnostics import Diagnostic
from ringfen.position import Outcome, Position


class Node:
    """A ply of a record with what belongs to it.

    ``ply`` is its text as the record has it, ``short`` its short form. ``variations`` are lines that replace this
    ply. ``number`` is the round it is played in, the record's first being 1 (its text adds ``first_number`` - 1);
    ``opens`` says whether it begins a turn of South (player 1).
    """

    __slots__ = ("comments", "nags", "number", "opens", "ply", "short", "variations")

    def __init__(self, ply: str, short: str, number: int, opens: bool) -> None:
        self.ply = ply
        self.short = short
        self.number = number
        self.opens = opens
        # Most plies have none of these, and a record may have millions of plies: no empty lists.
        self.nags: Sequence[int] = ()
        self.comments: Sequence[str] = ()
        self.variations: Sequence[Line] = ()

    def __repr__(self) -> str:
        return f"Node({self.ply!r})"


class Line:
    """A line of play: the main line of a record, or a variation.

    ``comments`` stand before its first ply, ``after`` behind the parenthesis that closes it.
    """

    __slots__ = ("after", "comments", "nodes")

    def __init__(self) -> None:
        self.comments: Sequence[str] = ()
        self.nodes: list[Node] = []
        self.after: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"Line({' '.join(node.ply for node in self.nodes[:4])}{' …' if len(self.nodes) > 4 else ''})"


class Token(NamedTuple):
    """One piece of the movetext of a record; see :meth:`Record.tokens`."""

    kind: str
    text: str = ""
    nag: int = 0
    node: Node | None = None


PLY: Final = "ply"
NAG: Final = "nag"
COMMENT: Final = "comment"
OPEN: Final = "("
CLOSE: Final = ")"
_OPENING: Final = Token(OPEN)
_CLOSING: Final = Token(CLOSE)
#: Nothing is ever left of it.
_NO_LINES: Final[Iterator[Line]] = iter(())


def line_tokens(line: Line) -> Iterator[Token]:
    """A line and all its variations in the order of the text; no recursion, however deep they are."""
    #: The open variations, each with what is left of the line around it.
    around: list[tuple[Line, Iterator[Node], Iterator[Line]]] = []
    nodes, variations = iter(line.nodes), _NO_LINES
    for comment in line.comments:
        yield Token(COMMENT, comment)
    while True:
        if (variation := next(variations, None)) is not None:
            yield _OPENING
            for comment in variation.comments:
                yield Token(COMMENT, comment)
            around.append((variation, nodes, variations))
            nodes, variations = iter(variation.nodes), _NO_LINES
        elif (node := next(nodes, None)) is not None:
            yield Token(PLY, node.ply, node=node)
            for nag in node.nags:
                yield Token(NAG, nag=nag)
            for comment in node.comments:
                yield Token(COMMENT, comment)
            variations = iter(node.variations)
        elif around:
            variation, nodes, variations = around.pop()
            yield _CLOSING
            for comment in variation.after:
                yield Token(COMMENT, comment)
        else:
            return


@dataclass(slots=True)
class Report:
    """What was found out about one record.

    ``game`` and ``start`` are None if the tags do not give them; ``plies`` counts the legal plies of the main line,
    and ``outcome`` is how the game stands after it.
    """

    source: str
    number: int
    line: int
    tags: Mapping[str, str] = field(default_factory=dict)
    game: Game | None = None
    start: Position | None = None
    plies: int = 0
    outcome: Outcome = None
    #: ``1-0``, ``0-1``, ``1/2-1/2``, ``*``, in GRAN ``0-1-0``: what tag, movetext and last position agree on.
    result: str = "*"
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


@dataclass(slots=True, eq=False)
class Record(Report):
    """A record with its tree of variations.

    Two records are equal if their tags (with the order of those that have no fixed place), start positions, trees,
    comments, NAGs and results are. Where they come from and what is wrong with them does not count. An invalid
    record holds what could be read.
    """

    #: The round that the first ply belongs to.
    first_number: int = 1
    main: Line = field(default_factory=Line)

    def tokens(self) -> Iterator[Token]:
        """The movetext piece by piece, in the order of the canonical text, without numbers and result."""
        return line_tokens(self.main)

    def main_line(self) -> list[str]:
        """The plies of the main line."""
        return [node.ply for node in self.main.nodes]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (
            ordered_tags(self.tags, self.game) == ordered_tags(other.tags, other.game)
            and (self.start, self.result, self.first_number) == (other.start, other.result, other.first_number)
            and _same(self.tokens(), other.tokens())
        )

    __hash__ = None  # type: ignore[assignment]


def _same(a: Iterator[Token], b: Iterator[Token]) -> bool:
    end = Token("end")
    while True:
        left, right = next(a, end), next(b, end)
        if left[:3] != right[:3]:
            return False
        if left is end:
            return True


_FIRST_TAGS: Final = ("Game", "Event", "Site", "Date", "Round")
_TWO_PLAYERS: Final = ("South", "North")
_MANY_PLAYERS: Final = tuple(f"Player{number}" for number in range(1, 7))


def player_tags(game: Game | None) -> tuple[str, ...]:
    """The tags that name the players of this game, as many as can take part."""
    return _MANY_PLAYERS if game is not None and game.players[1] > 2 else _TWO_PLAYERS


def ordered_tags(tags: Mapping[str, str], game: Game | None) -> list[tuple[str, str]]:
    """The tags in the order of canonical writing; none is invented."""
    fixed = (*_FIRST_TAGS, *player_tags(game), "Result", "FEN")
    first = [(name, tags[name]) for name in fixed if name in tags]
    return first + [(name, value) for name, value in tags.items() if name not in fixed]
