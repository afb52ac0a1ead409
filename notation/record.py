"""Records as they are read: tags, start position, tree of variations, result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from ringfen._core import lib
from ringfen.arguments import check_board_path
from ringfen.errors import COMMON_REASONS, IllegalPlyError, RecordError, RingfenError
from ringfen.notation.diagnostics import Diagnostic, quoted
from ringfen.notation.record_containers import Comments, Nags, tags_of
from ringfen.notation.results import result_of
from ringfen.notation.tag_errors import result_error
from ringfen.position import Outcome, Position
from ringfen.rules import Game, game_by_id

_WHITE_SPACE: Final = re.compile(r"[ \t\r\n]+")
#: White space inside a comment that is not kept unchanged.
_UNTIDY: Final = re.compile(r"[\t\r\n]|  ")


def tidy(comment: str) -> str:
    """Return a comment as it reads back: every run of spaces, tabs and line ends becomes one space, with none at its
    ends.

    :raises TypeError: it is not a text.
    """
    if not isinstance(comment, str):
        raise TypeError(f"a comment must be a str, not {type(comment).__name__}")
    if _UNTIDY.search(comment):
        if "}" in comment and ("\n" in comment or "\r" in comment):
            return comment  # it has no written form, which writing it reports
        comment = _WHITE_SPACE.sub(" ", comment)
    return comment.strip(" ")


#: The ply that gives up a turn; in variations only.
NULL_PLY: Final = "--"
_STATED: Final = re.compile(r"\[%position\s+([^\[\]]*)\]")


def played(position: Position, ply: str) -> Position:
    """Return the position after a ply or null ply; raise the errors of :meth:`ringfen.Position.apply`."""
    return position.null_ply() if ply == NULL_PLY else position.apply(ply)


def _stated(comments: Iterable[str], position: Position) -> Position:
    """Return where a record continues from after comments: the position reached, or another one that they state."""
    for comment in comments:
        if "[%position" in comment:
            for text in _STATED.findall(comment):
                with suppress(RingfenError):
                    state = position.game.parse(position.context, " ".join(text.split()))
                    if lib.rf_same_board(position.game.cdata, position.context.cdata, state, position.state):
                        position = Position.from_state(position.game, position.context, state)
    return position


def _comments(comments: Iterable[str]) -> list[str]:
    """Return comments that a user sets, checked.

    :raises TypeError: they are not texts, or are one text instead of several.
    """
    if isinstance(comments, str):
        raise TypeError("comments must be a list of str, not one str")
    if not isinstance(comments, Iterable):
        raise TypeError(f"comments must be a list of str, not {type(comments).__name__}")
    made = Comments()
    made.extend(comments)
    return made


def _set_first(comments: list[str], comment: str) -> None:
    comments[:1] = _comments([comment]) if comment != "" else []


class Node:
    """A ply of a record, with its comments, NAGs and variations.

    ``parent`` is the ply before it, None if the record begins with this one; ``line`` is the line of play around it.
    ``number`` is the round it is played in, the record's first being 1 (its text adds ``first_number`` - 1); ``opens``
    says whether it begins a turn of South (player 1).

    Nodes are made by :meth:`Record.play`, :meth:`play` and :meth:`add_variation`, and by reading.
    """

    __slots__ = (
        "_comments",
        "_index",
        "_line",
        "_nags",
        "_number",
        "_opens",
        "_parent",
        "_ply",
        "_reached",
        "_short",
        "_variations",
    )

    def __init__(self, line: Line, ply: str, short: str, number: int, opens: bool) -> None:
        nodes = line.nodes
        self._ply = ply
        self._short = short
        self._number = number
        self._opens = opens
        self._line = line
        self._index = len(nodes)
        self._parent: Node | None = nodes[-1] if nodes else line.parent
        # Most plies have none of these, and a record may have millions of plies: no empty lists.
        self._nags: list[int] | None = None
        self._comments: list[str] | None = None
        self._variations: list[Line] | None = None
        self._reached: Position | None = None
        nodes.append(self)

    @property
    def parent(self) -> Node | None:
        """The ply before it; None if the record begins with this one."""
        return self._parent

    @property
    def line(self) -> Line:
        """The line of play that contains it."""
        return self._line

    @property
    def index(self) -> int:
        """Its place in its line, from 0."""
        return self._index

    @property
    def number(self) -> int:
        """The round it is played in; the first of a record is 1."""
        return self._number

    @property
    def opens(self) -> bool:
        """Whether it begins a turn of South (player 1)."""
        return self._opens

    @property
    def ply(self) -> str:
        """Its text as the record has it."""
        return self._ply

    @property
    def short(self) -> str:
        """Its short form."""
        return self._short

    @property
    def comments(self) -> list[str]:
        """The comments after the ply; to be changed at will."""
        if self._comments is None:
            self._comments = Comments()
        return self._comments

    @comments.setter
    def comments(self, comments: Iterable[str]) -> None:
        self._comments = _comments(comments)

    @property
    def comment(self) -> str:
        """The first comment, ``""`` if there is none. Setting it replaces the first; ``""`` removes it."""
        return self._comments[0] if self._comments else ""

    @comment.setter
    def comment(self, comment: str) -> None:
        _set_first(self.comments, comment)

    @property
    def nags(self) -> list[int]:
        """The NAGs of the ply, numbers from 0 to 255; to be changed at will.

        Setting or adding another number raises :class:`ringfen.RecordError`, another type :class:`TypeError`.
        """
        if self._nags is None:
            self._nags = Nags()
        return self._nags

    @nags.setter
    def nags(self, nags: Iterable[int]) -> None:
        if isinstance(nags, str | bytes) or not isinstance(nags, Iterable):
            raise TypeError(f"NAGs must be a list of int, not {type(nags).__name__}")
        made = Nags()
        made.extend(nags)
        self._nags = made

    @property
    def variations(self) -> list[Line]:
        """The lines that replace this ply. They may be taken out or put in another order."""
        if self._variations is None:
            self._variations = []
        return self._variations

    @property
    def position(self) -> Position:
        """The position after the ply, or the one that a comment after it states (``[%position …]``)."""
        return self._continued(self.reached)

    @property
    def reached(self) -> Position:
        """The position after the ply, whatever comments state."""
        if self._reached is not None:
            return self._reached
        steps: list[Node] = []
        node: Node | None = self
        while node is not None and node._reached is None:
            steps.append(node)
            node = node._parent
        for step in reversed(steps):
            step._reached = played(step.before, step._ply)
        assert self._reached is not None
        return self._reached

    def _continued(self, reached: Position) -> Position:
        """Return the position that comments after the ply state, or else the one reached."""
        if self._comments:
            reached = _stated(self._comments, reached)
        for variation in self._variations or ():
            reached = _stated(variation.after, reached)
        return reached

    @property
    def before(self) -> Position:
        """The position that the ply is played in."""
        return self.line.nodes[self.index - 1].position if self.index else self.line.begin

    @property
    def follows(self) -> bool:
        """Whether its number is the one that counting gives. After a stated position it may be higher."""
        return self.number == (1 if self.parent is None else self.parent.number + self.opens)

    @property
    def next(self) -> Node | None:
        """The ply that follows in the same line; None at its end."""
        nodes = self.line.nodes
        return nodes[self.index + 1] if self.index + 1 < len(nodes) else None

    def play(self, *plies: str) -> Node:
        """Play plies after this one; return the last.

        If a ply already follows, they become a variation of it. If it raises, nothing is added.

        :raises ringfen.PlySyntaxError: a text is not a well-formed ply.
        :raises ringfen.IllegalPlyError: a ply is not legal there, and the message says why.
        :raises ringfen.RecordError: the record has no start position that could be read.
        :raises ValueError: no plies are given.
        :raises TypeError: a ply is not a text.
        """
        following = self.next
        if following is not None:
            return following.add_variation(*plies)
        return _extend(self.line, plies)

    def add_variation(self, *plies: str) -> Node:
        """Add an alternative to this ply, which begins in the position before it; return its last node.

        Raises as :meth:`play`.
        """
        variation = Line(self.line.record, self.parent, self)
        last = _extend(variation, plies)
        self.variations.append(variation)
        return last

    def _repr_svg_(self) -> str:
        """Return what notebooks show: the position after the ply, with the ply marked."""
        return self.position.svg(last=mark_of(self))

    def __repr__(self) -> str:
        return f"Node({self.ply!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        record = self.line.record
        for place, node in enumerate(record.nodes()):
            if node is self:
                return _node_at, (record, place)
        raise ValueError("the ply is no longer part of its record")


class Line:
    """A line of play: the main line of a record, or a variation.

    ``comments`` precede its first ply, ``after`` follow the parenthesis that closes it. ``parent`` is the ply
    before its first, None at the beginning of the record.
    """

    __slots__ = ("_before_first", "_parent", "_record", "_replaced", "after", "comments", "nodes")

    def __init__(self, record: Record, parent: Node | None = None, replaced: Node | None = None) -> None:
        self._record = record
        self._parent = parent
        #: The ply that a variation replaces.
        self._replaced = replaced
        #: The position before the first ply and the comments, if a line begins where the line around it does: records
        #: may have thousands of such lines in each other.
        self._before_first: Position | None = None
        self.comments: list[str] = Comments()
        self.nodes: list[Node] = []
        self.after: list[str] = Comments()

    @property
    def record(self) -> Record:
        """The record that it belongs to."""
        return self._record

    @property
    def parent(self) -> Node | None:
        """The ply before its first; None at the beginning of the record."""
        return self._parent

    @property
    def begin(self) -> Position:
        """The position before its first ply, or the one that a comment there states."""
        lines: list[Line] = [self]
        while lines[-1]._before_first is None and (outer := lines[-1]._line_with_equal_begin) is not None:
            lines.append(outer)
        position = lines[-1]._before_first
        if position is None:
            replaced = lines[-1]._replaced
            position = self.record.begin if replaced is None else replaced.line.nodes[replaced.index - 1].position
        for line in reversed(lines):
            if line._line_with_equal_begin is not None:
                line._before_first = position
            position = _stated(line.comments, position)
        return position

    @property
    def _line_with_equal_begin(self) -> Line | None:
        """The line the first ply of which this line replaces."""
        replaced = self._replaced
        return replaced.line if replaced is not None and not replaced.index else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _line_of, (self.nodes[0] if self is not self.record.main else None, self.record)

    def __repr__(self) -> str:
        return f"Line({' '.join(node.ply for node in self.nodes[:4])}{' …' if len(self.nodes) > 4 else ''})"


def _node_at(record: Record, place: int) -> Node:
    """Return the ply with this number, from 0, in the order of the text."""
    return next(node for number, node in enumerate(record.nodes()) if number == place)


def _line_of(node: Node | None, record: Record) -> Line:
    """Return the line of a ply; the main line for None."""
    return record.main if node is None else node.line


def mark_of(node: Node) -> str | None:
    """Return the ply that a drawing of a node's position marks; None for a null ply, or if a comment states the
    position.
    """
    return None if node.ply == NULL_PLY or node.position != node.reached else node.ply


def _check_null_ply(line: Line, before: str | None) -> None:
    """Check that a null ply may follow the ply ``before`` in a line."""
    reason = "null-in-main-line" if line is line.record.main else "null-after-null" if before == NULL_PLY else None
    if reason is not None:
        raise IllegalPlyError(COMMON_REASONS[reason], reason=reason, text=NULL_PLY, length=len(NULL_PLY))


def _extend(line: Line, plies: tuple[str, ...]) -> Node:
    """Play plies at the end of a line, all or none."""
    if not plies:
        raise ValueError("at least one ply is needed")
    last = line.nodes[-1] if line.nodes else line.parent
    position = line.nodes[-1].position if line.nodes else line.begin
    mover = None if last is None or last.reached != position else last.before.player
    previous = None if last is None else last.ply
    number = 1 if last is None else last.number
    first = last is None
    made: list[tuple[str, str, int, bool, Position]] = []
    for ply in plies:
        if not isinstance(ply, str):
            raise TypeError(f"a ply must be a str, not {type(ply).__name__}")
        if ply == NULL_PLY:
            _check_null_ply(line, previous)
        after = played(position, ply)
        short = ply if ply == NULL_PLY else position.short(ply)
        player = position.player
        opens = player in ("s", 1) and (not _in_mid_turn(position) if mover is None else player != mover)
        number += opens and not first
        first = False
        position = after
        mover = player
        previous = ply
        made.append((ply, short, number, opens, position))
    for ply, short, number, opens, position in made:
        Node(line, ply, short, number, opens)._reached = position
    if line is line.record.main:
        line.record._played_to(position)
    return line.nodes[-1]


def _in_mid_turn(position: Position) -> bool:
    return bool(lib.rf_mid_turn(position.game.cdata, position.context.cdata, position.state))


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
    """Yield a line and all its variations in the order of the text; no recursion, however deep they are."""
    #: The open variations, each with the rest of the line around it.
    around: list[tuple[Line, Iterator[Node], Iterator[Line]]] = []
    nodes, variations = iter(line.nodes), _NO_LINES
    for comment in line.comments:
        yield Token(COMMENT, tidy(comment))
    while True:
        if variations is not _NO_LINES and (variation := next(variations, None)) is not None:
            yield _OPENING
            for comment in variation.comments:
                yield Token(COMMENT, tidy(comment))
            around.append((variation, nodes, variations))
            nodes, variations = iter(variation.nodes), _NO_LINES
        elif (node := next(nodes, None)) is not None:
            yield Token(PLY, node._ply, 0, node)
            if node._nags:
                for nag in node._nags:
                    yield Token(NAG, nag=nag)
            if node._comments:
                for comment in node._comments:
                    yield Token(COMMENT, tidy(comment))
            variations = iter(node._variations) if node._variations else _NO_LINES
        elif around:
            variation, nodes, variations = around.pop()
            yield _CLOSING
            for comment in variation.after:
                yield Token(COMMENT, tidy(comment))
        else:
            return


@dataclass(slots=True)
class Report:
    """What was found out about one record.

    ``game`` and ``start`` are None if the tags do not give them; ``plies`` counts the legal plies of the main line,
    and ``outcome`` is the outcome after it.
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
    found_result: str = "*"
    #: Whether the main line could be played to its end, and whether it reaches a position that is searched for.
    complete: bool = False
    reached: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, ``*``, in GRAN ``0-1-0``: what tag, movetext and last position agree on."""
        return self.found_result

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


class Record(Report):
    """A record with its tree of variations.

    >>> record = Record.new("gyges", South="Ada", North="Bob")
    >>> node = record.play("321123", "321123", "a1-b3")
    >>> node.comment = "to the centre"
    >>> print(node.add_variation("b1-b3").position.player)
    n

    Two records are equal if their tags (with the order of those that have no fixed place), start positions, trees,
    comments, NAGs and results are. Where they come from and what is wrong with them does not count. An invalid
    record holds what could be read.
    """

    __slots__ = ("_tags", "board_path", "first_number", "is_complete", "main")

    #: The round that the first ply belongs to.
    first_number: int
    main: Line
    #: Directories that were searched for its boards.
    board_path: Sequence[Path]
    #: Whether nothing is missing: False if some text could not be read, or if move numbers show that plies are missing.
    #: Only a complete record can be written. Set it to True to write what was read, with new numbers.
    is_complete: bool

    def __init__(self, source: str, number: int, line: int, board_path: Sequence[Path] = ()) -> None:
        super().__init__(source, number, line)
        self.first_number = 1
        self.main = Line(self)
        self.board_path = board_path
        self.is_complete = True

    @classmethod
    def new(
        cls, game: str | Game, *, fen: str | Position | None = None, board_path: Sequence[Path] = (), **tags: str
    ) -> Record:
        """Return a record without plies. ``Result`` is ``*`` by default, or the result of a finished position.

        :param game: a game's id.
        :param fen: the position that it starts from or its text, if that is not the game's usual start.
        :param board_path: directories to search for a board that the position names (GRAN).
        :param tags: South, North, Event, Date and any others. In GRAN, Player1, Player2, … give the
            number of players.
        :raises ringfen.RingfenError: there is no such game, or the position is malformed or impossible.
        :raises ringfen.RecordError: a tag cannot be written, the position is one of another game, or the game has no
            such result or has ended with another.
        :raises TypeError: an argument has the wrong type.
        """
        from ringfen.notation.write_checks import check_tags, start_of

        if not isinstance(game, str | Game):
            raise TypeError(f"a game is given by its id, a str, not {type(game).__name__}")
        check_board_path(board_path)
        record = cls("<new>", 1, 1, tuple(board_path))
        record.game = game if isinstance(game, Game) else game_by_id(game)
        if fen is not None:
            record.start = fen if isinstance(fen, Position) else Position(fen, board_path=record.board_path)
            if record.start.game is not record.game:
                words = f"the position is one of {record.start.game.id}, not of {record.game.id}"
                raise RecordError(words, reason="game-mismatch", text=record.start.fen, length=len(record.start.fen))
        result = tags.pop("Result", None)
        record.tags = {"Game": record.game.id, **tags, "Result": "*"}
        if record.start is None:
            record.start = start_of(record.game, record.tags)
        elif record.start != start_of(record.game, record.tags):
            record.tags["FEN"] = record.start.fen
        record.outcome = record.start.outcome
        record._set_result("*" if record.outcome is None else result_of(record.start, record.outcome))
        if result is not None:
            record.result = result
        check_tags(record)
        return record

    @property
    def tags(self) -> dict[str, str]:
        """The tags; to be changed at will. A name or value that is not a text raises :class:`TypeError`."""
        return self._tags

    @tags.setter
    def tags(self, tags: Mapping[str, str]) -> None:
        self._tags = tags_of(tags)

    @property
    def begin(self) -> Position:
        """The start position.

        :raises ringfen.RecordError: it could not be read.
        """
        if self.start is None:
            raise RecordError("the record has no start position that could be read", reason="no-start")
        return self.start

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, ``*``, in GRAN ``0-1-0``. The tag ``Result``, if there is one, follows it.

        Setting it raises :class:`ringfen.RecordError` if the game has no such result, or has ended with another, and
        :class:`TypeError` if it is not a text.
        """
        return self.found_result

    @result.setter
    def result(self, result: str) -> None:
        begin = self.begin
        if not isinstance(result, str):
            raise TypeError(f"a result must be a str, not {type(result).__name__}")
        decided = None if self.outcome is None else result_of(begin, self.outcome)
        error = result_error(result, begin, decided)
        if error is not None:
            words = f"{quoted(result)}: {error.reason}"
            raise RecordError(words, reason=error.code, text=result, length=len(result))
        self._set_result(result)

    def _set_result(self, result: str) -> None:
        self.found_result = result
        if "Result" in self.tags:
            self.tags["Result"] = result

    def play(self, *plies: str) -> Node:
        """Play plies at the end of the main line; return the last. Raises as :meth:`Node.play`."""
        return _extend(self.main, plies)

    def _played_to(self, position: Position) -> None:
        """Note that the main line now ends with this position."""
        self.plies = len(self.main.nodes)
        self.outcome = position.outcome
        if self.outcome is not None:
            self._set_result(result_of(position, self.outcome))

    @property
    def comments(self) -> list[str]:
        """The comments before the first ply; to be changed at will."""
        return self.main.comments

    @comments.setter
    def comments(self, comments: Iterable[str]) -> None:
        self.main.comments = _comments(comments)

    @property
    def comment(self) -> str:
        """The first comment before the first ply, as :attr:`Node.comment`."""
        return self.main.comments[0] if self.main.comments else ""

    @comment.setter
    def comment(self, comment: str) -> None:
        _set_first(self.main.comments, comment)

    def tokens(self) -> Iterator[Token]:
        """Yield the movetext piece by piece, in the order of the canonical text, without numbers and result."""
        return line_tokens(self.main)

    def mainline(self) -> Iterator[Node]:
        """Yield the plies of the main line."""
        return iter(self.main.nodes)

    def nodes(self) -> Iterator[Node]:
        """Yield every ply, those of variations too, in the order of the text."""
        return (token.node for token in self.tokens() if token.node is not None)

    def positions(self) -> Iterator[Position]:
        """Yield the positions of the main line, the start included, as comments state them."""
        position = self.main.begin
        yield position
        for node in self.main.nodes:
            position = node._continued(played(position, node._ply) if node._reached is None else node._reached)
            yield position

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which ``docs/record-schema.json`` describes.

        :raises ringfen.RecordError: it has no written form, or :attr:`is_complete` is False.
        :raises TypeError: a tag, a comment or a NAG has the wrong type.
        """
        from ringfen.notation.json_form import record_to_json

        return record_to_json(self)

    def check(self) -> list[Diagnostic]:
        """Return the diagnostics of the current record; lines and columns refer to its canonical text.

        If the record could not be read completely, these are the diagnostics of reading it.
        """
        from ringfen.notation.reading import parse_record
        from ringfen.notation.writing import write_record

        if not self.is_complete:
            return list(self.diagnostics)
        try:
            text = write_record(self)
        except (RecordError, TypeError) as error:
            subject, words = (quoted(error.text), error.message) if isinstance(error, RecordError) else ("", str(error))
            return [Diagnostic("no-written-form", self.line, 1, None, subject, words, self.source, self.number)]
        return parse_record(text, name=self.source, board_path=self.board_path).diagnostics

    def _repr_html_(self) -> str:
        """Return what notebooks show: a page in a frame, to step through the record."""
        from ringfen.notation.viewing import frame_of

        return frame_of(self)

    def __str__(self) -> str:
        """The canonical text, which ends with a line end.

        :raises ringfen.RecordError: it has no written form, or :attr:`is_complete` is False.
        :raises TypeError: a tag, a comment or a NAG has the wrong type.
        """
        from ringfen.notation.writing import write_record

        return write_record(self).removesuffix("\n")

    def __repr__(self) -> str:
        return (
            f"<Record {self.number} of {self.source}: {self.game.id if self.game else 'no game'}, {self.plies} plies>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (
            ordered_tags(self.tags, self.game) == ordered_tags(other.tags, other.game)
            and (self.start, self.result, self.first_number) == (other.start, other.result, other.first_number)
            and _same(self.tokens(), other.tokens())
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> tuple[Any, ...]:
        from dataclasses import fields

        from ringfen.notation.copying import flat_tree

        values = {one.name: getattr(self, one.name) for one in fields(Report)}
        values |= {"tags": dict(self.tags), "diagnostics": list(self.diagnostics)}
        others = {name: getattr(self, name) for name in ("board_path", "first_number", "is_complete")}
        return {**values, **others}, list(self.main.comments), flat_tree(self.main)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        from ringfen.notation.copying import add_tree

        values, comments, tree = state
        for name, value in values.items():
            setattr(self, name, value)
        self.main = Line(self)
        self.main.comments = comments
        add_tree(self.main, tree)


def _same(a: Iterator[Token], b: Iterator[Token]) -> bool:
    end = Token("end")
    while True:
        left, right = next(a, end), next(b, end)
        if left[:3] != right[:3]:
            return False
        if left.node is not None and right.node is not None and left.node.number != right.node.number:
            return False
        if left is end:
            return True


FIRST_TAGS: Final = ("Game", "Event", "Site", "Date", "Round")
_TWO_PLAYERS: Final = ("South", "North")
_MANY_PLAYERS: Final = tuple(f"Player{number}" for number in range(1, 7))


def player_tags(game: Game | None) -> tuple[str, ...]:
    """Return the tags that name the players of this game, as many as can take part."""
    return _MANY_PLAYERS if game is not None and game.players[1] > 2 else _TWO_PLAYERS


def ordered_tags(tags: Mapping[str, str], game: Game | None) -> list[tuple[str, str]]:
    """Return the tags in the order of canonical writing; none is invented."""
    fixed = (*FIRST_TAGS, *player_tags(game), "Result", "FEN")
    first = [(name, tags[name]) for name in fixed if name in tags]
    return first + [(name, value) for name, value in tags.items() if name not in fixed]
