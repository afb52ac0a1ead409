"""``solve --tree``: whole solutions as text, JSON or records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ringfen.cli.output import counted, print_data
from ringfen.cli.position_input import Line, Positions
from ringfen.control import Budget, Limits
from ringfen.errors import LimitReached
from ringfen.problems.tree import is_solved, tree_of
from ringfen.text import from_json, to_json

if TYPE_CHECKING:
    from ringfen.position import Position
    from ringfen.problems.tree import SolutionTree, TreeNode
    from ringfen.solving import Solution, SolveOptions

#: The maximum number of plies of a group that are listed.
_SHOWN = 3
#: A tree below a ply is compared with those of its siblings if all of them together have at most this many plies.
_COMPARED = 3_000
#: The width up to which a single continuation follows on the same line.
_WIDTH = 100
#: The fields of a position whose value is not proven.
NO_TREE: dict[str, Any] = {"tree": None, "tree_complete": False}


class TreeOptions(NamedTuple):
    """The options of a tree."""

    full: bool
    tries: bool
    depth: int | None
    rgn: bool
    as_json: bool


def answer_with_tree(
    position: Position, solution: Solution, options: SolveOptions, asked: TreeOptions
) -> dict[str, Any]:
    """Return the JSON fields of a solution and its tree."""
    if not is_solved(solution, options):
        return solution.to_json() | NO_TREE
    tree = tree_within(position, solution, options, asked)
    fields: dict[str, Any] = from_json("".join(json_pieces(tree, solution.to_json(), [], tries=asked.tries)))
    return fields


def tree_within(position: Position, solution: Solution, options: SolveOptions, asked: TreeOptions) -> SolutionTree:
    """Return the tree of a solution within the rest of the limits."""
    budget = Budget(options.limits)
    left = options.limits.after(solution.nodes, solution.seconds)
    if left is None:
        # Nothing is left, so the first question stops.
        budget = Budget(Limits(nodes=1))
        budget.used = 1
    elif left != options.limits:
        budget = Budget(left)
    return tree_of(
        position, solution, replace(options, limits=Limits()), budget, full=asked.full, tree_depth=asked.depth
    )


def print_tree(
    number: int, line: Line, tree: SolutionTree, words: str, asked: TreeOptions, positions: Positions
) -> LimitReached | None:
    """Print a tree; return the limit that cut it short, if one did.

    :param number: The number of the position, from 0.
    :param words: The value for people.
    """
    if asked.as_json:
        fields = {"line": line.number} if line.is_streamed else {}
        return _print_json(tree, fields | tree.solution.to_json(), asked)
    if asked.rgn:
        return _print_record(line, tree, asked, positions)
    if number > 0:
        click.echo()
    return _print_text(tree, words, asked)


def _print_json(tree: SolutionTree, fields: dict[str, Any], asked: TreeOptions) -> LimitReached | None:
    cut: list[LimitReached] = []
    for piece in json_pieces(tree, fields, cut, tries=asked.tries):
        print_data(piece)
    print_data("\n")
    return cut[0] if cut else None


def _print_record(line: Line, tree: SolutionTree, asked: TreeOptions, positions: Positions) -> LimitReached | None:
    from ringfen.notation import write_record
    from ringfen.notation.tree_records import tree_record

    record, limit = tree_record(tree, tries=asked.tries, board_path=positions.board_path)
    print_data(write_record(record))
    return limit


def _print_text(tree: SolutionTree, words: str, asked: TreeOptions) -> LimitReached | None:
    if tree.value == "win" and tree.stipulation is not None:
        words += f" ({tree.stipulation})"
    click.echo(f"{tree.position.fen}\n{words}")
    text = TreeText(tree)
    parts: list[Callable[[], Iterator[str]]] = [text.lines, *([text.try_lines] if asked.tries else [])]
    try:
        for lines in parts:
            for one in lines():
                click.echo(one)
    except LimitReached as limit:
        click.echo(f"… (cut short: {limit.message})")
        return limit
    return None


# ---- JSON ----


def json_pieces(tree: SolutionTree, fields: dict[str, Any], cut: list[LimitReached], *, tries: bool) -> Iterator[str]:
    """Yield the JSON object of a solution and its tree in pieces.

    A ply whose continuations were not found because of a limit has ``children`` null; ``tree_complete`` is then false.

    :param fields: The fields before the tree.
    :param cut: An empty list; receives the limit that was reached.
    """
    yield f'{to_json(fields)[:-1]}, "tree": '
    yield from _json_children(tree, cut)
    if tries:
        yield ', "tries": ['
        separator = ""
        try:
            for attempt in () if cut else tree.tries():
                yield separator
                yield from _json_node(attempt, cut)
                separator = ", "
        except LimitReached as limit:
            cut.append(limit)
        yield "]"
    yield f', "tree_complete": {"false" if cut else "true"}}}'


def _json_children(node: TreeNode, cut: list[LimitReached]) -> Iterator[str]:
    try:
        children = () if cut else node.expand()
    except LimitReached as limit:
        cut.append(limit)
    if cut:
        yield "null"
        return
    separator = "["
    for child in children:
        yield separator
        yield from _json_node(child, cut)
        separator = ", "
    yield "]" if children else "[]"


def _json_node(node: TreeNode, cut: list[LimitReached]) -> Iterator[str]:
    fields: dict[str, Any] = {"ply": node.ply, "value": _plain(node.value), "distance": node.distance}
    if node.weight is not None:
        fields["weight"] = node.weight
    fields["duals"] = list(node.duals)
    yield f'{to_json(fields)[:-1]}, "children": '
    yield from _json_children(node, cut)
    yield "}"


def _plain(value: Any) -> Any:
    return [None if share is None else str(share) for share in value] if isinstance(value, tuple | list) else value


# ---- text ----


class _Turn(NamedTuple):
    """The number of the current move, and the player of the last ply."""

    number: int
    player: str | int | None


class _Group(NamedTuple):
    """Plies with the same continuation: all of them, their words, and the groups of the continuation."""

    plies: tuple[str, ...]
    words: str
    below: tuple[_Group, ...]


class _TooLargeError(Exception):
    """A tree has more plies than are compared."""


class TreeText:
    """The lines of a tree, found depth first. Only the plies below one position are in memory, and only if few."""

    def __init__(self, tree: SolutionTree) -> None:
        self._tree = tree
        self._solver = tree.position.player
        #: The plies that may still be compared; None if no trees are compared.
        self._left: int | None = None

    def lines(self) -> Iterator[str]:
        """Yield the lines.

        :raises ringfen.LimitReached: A limit was reached; all lines that are known were yielded before.
        """
        return self._lines(self._tree, _Turn(0, None), 0)

    def try_lines(self) -> Iterator[str]:
        """Yield a line for the tries with the same refutation; raise the same errors."""
        found: dict[str, list[TreeNode]] = {}
        limit = None
        try:
            for attempt in self._tree.tries():
                found.setdefault(attempt.children[0].ply, []).append(attempt)
        except LimitReached as error:
            limit = error
        for reply, attempts in found.items():
            after = attempts[0].position
            plies = _listed([f"{attempt.ply}?" for attempt in attempts])
            count = f" ({len(attempts)} tries)" if len(attempts) > _SHOWN else ""
            yield f"1. {plies}{count}  {self._label(after, _Turn(1, after.player))} {reply}!"
        if limit is not None:
            raise limit

    def _lines(self, node: TreeNode, turn: _Turn, indent: int) -> Iterator[str]:
        """Yield the lines below a ply."""
        children = self._expand(node)
        groups, limit = self._compared(node, children, turn)
        if groups is not None:
            for group in groups:
                yield from _written(group, indent)
            if limit is not None:
                raise limit
            return
        now = self._turn(node.position, turn)
        for members in self._by_replies(children):
            first, words = members[0], self._words(node, members, children, now)
            replies = self._expand(first)
            if len(replies) == 1 and not first.is_solvers:
                later = self._turn(first.position, now)
                yield f"{'  ' * indent}{words}  {self._words(first, replies, replies, later)}"
                yield from self._lines(replies[0], later, indent + 1)
            else:
                yield f"{'  ' * indent}{words}"
                yield from self._lines(first, now, indent + 1)

    def _expand(self, node: TreeNode) -> Sequence[TreeNode]:
        """Return the continuations; none if no player can win within the horizon."""
        if node.is_hopeless:
            return ()
        children = node.expand()
        if self._left is not None:
            self._left -= len(children)
            if self._left < 0:
                raise _TooLargeError
        return children

    def _compared(
        self, node: TreeNode, children: Sequence[TreeNode], turn: _Turn
    ) -> tuple[list[_Group] | None, LimitReached | None]:
        """Return the groups of plies with the same continuations to the end; None if there are too many plies.

        If a limit was reached, the groups contain only the plies before it, and the limit is returned.
        """
        now, is_outermost = self._turn(node.position, turn), self._left is None
        found: dict[tuple[Any, ...], list[TreeNode]] = {}
        limit = None
        if is_outermost:
            self._left = _COMPARED
        try:
            for child in children:
                below = tuple(self._compared(child, self._expand(child), now)[0] or ())
                found.setdefault((self._kind(child), below), []).append(child)
        except _TooLargeError:
            if not is_outermost:
                raise
            return None, None
        except LimitReached as error:
            if not is_outermost:
                raise
            limit = error
        finally:
            if is_outermost:
                self._left = None
        groups = []
        for (_, below), members in found.items():
            plies = tuple(member.ply for member in members)
            groups.append(_Group(plies, self._words(node, members, children, now), below))
        return groups, limit

    def _by_replies(self, children: Sequence[TreeNode]) -> list[list[TreeNode]]:
        """Return groups of plies with the same replies, which lead to the same positions or end the game."""
        found: dict[tuple[Any, ...], list[TreeNode]] = {}
        for child in children:
            replies = tuple(
                (reply.ply, None if reply.position.is_over else reply.position) for reply in self._expand(child)
            )
            found.setdefault((self._kind(child), replies), []).append(child)
        return list(found.values())

    def _kind(self, node: TreeNode) -> tuple[Any, ...]:
        """Return what plies of one group have in common besides their continuations."""
        return node.distance, node.value

    # ---- words ----

    def _turn(self, position: Position, turn: _Turn) -> _Turn:
        """Return the turn of a ply that is played in a position."""
        player = position.player
        begins = player == self._solver and turn.player != player
        return _Turn(turn.number + begins, player)

    def _label(self, position: Position, turn: _Turn) -> str:
        number = f"{turn.number}{'.' if position.player == self._solver else '…'}"
        if position.is_chance:
            return f"{number} chance"
        return f"{number} P{position.player}" if position.players > 2 else number

    def _words(self, node: TreeNode, members: Sequence[TreeNode], siblings: Sequence[TreeNode], turn: _Turn) -> str:
        """Return a group of the children of a node, such as ``2… c1-c2, c1-d1, d1-d2 … (12)``."""
        first = members[0]
        mark = "!" if first.is_key else ""
        notes = [f"{len(members)}"] if len(members) > _SHOWN else []
        if first.is_solvers and len(siblings) > 1:
            noun = "key" if first.is_key else "dual"
            notes = [f"{len(members)} {noun}s" if len(members) > _SHOWN else noun + "s" * (len(members) > 1)]
            if first.is_key and len(members) < len(siblings):
                notes = [f"{len(members)} of {len(siblings)} keys"]
        if first.distance is not None and node.distance is not None and first.distance < node.distance - 1:
            notes.append(f"lasts {counted(first.distance + 1, 'ply', 'plies')}")
        if first.weight is not None:
            notes.append(f"weight {_weight(members)} of {_weight(siblings)}")
        words = f"{self._label(node.position, turn)} {_listed([member.ply + mark for member in members])}"
        if notes:
            words += f" ({', '.join(notes)})"
        if isinstance(first.value, tuple | list) and first.value != node.value:
            words += f" = {' '.join('-' if share is None else str(share) for share in first.value)}"
        return words


def _weight(results: Sequence[TreeNode]) -> int:
    return sum(result.weight or 0 for result in results)


def _listed(words: Sequence[str]) -> str:
    """Return the first words of a list."""
    return ", ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else "")


def _written(group: _Group, indent: int) -> Iterator[str]:
    """Yield the lines of a group. A single continuation follows on the same line if there is room."""
    _, words, below = group
    while len(below) == 1 and 2 * indent + len(words) + len(below[0].words) + 2 <= _WIDTH:
        words, below = f"{words}  {below[0].words}", below[0].below
    yield f"{'  ' * indent}{words}"
    for one in below:
        yield from _written(one, indent + 1)
