"""Trees of records as flat lists, which copying and pickling handle without recursion, however deep variations are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ringfen.notation.record import CLOSE, OPEN, PLY, Line, Node


def flat_tree(main: Line) -> list[tuple[Any, ...]]:
    """Return the plies and parentheses below a line in the order of the text, each with its NAGs and comments."""
    return list(_entries(main))


def _entries(main: Line) -> Iterator[tuple[Any, ...]]:
    around: list[tuple[Line, Iterator[Node], Iterator[Line]]] = []
    nodes: Iterator[Node] = iter(main.nodes)
    variations: Iterator[Line] = iter(())
    while True:
        if (variation := next(variations, None)) is not None:
            yield OPEN, list(variation.comments)
            around.append((variation, nodes, variations))
            nodes, variations = iter(variation.nodes), iter(())
        elif (node := next(nodes, None)) is not None:
            yield PLY, node.ply, node.short, node.number, node.opens, list(node.nags), list(node.comments)
            variations = iter(node.variations)
        elif around:
            variation, nodes, variations = around.pop()
            yield CLOSE, list(variation.after)
        else:
            return


def add_tree(main: Line, entries: Iterable[tuple[Any, ...]]) -> None:
    """Add plies and variations as :func:`flat_tree` returns them to an empty line."""
    line = main
    around: list[Line] = []
    for kind, *rest in entries:
        if kind == PLY:
            ply, short, number, opens, nags, comments = rest
            node = Node(line, ply, short, number, opens)
            if nags:
                node.nags = nags
            if comments:
                node.comments = comments
        elif kind == OPEN:
            replaced = line.nodes[-1]
            variation = Line(main.record, replaced.parent, replaced)
            variation.comments = rest[0]
            replaced.variations.append(variation)
            around.append(line)
            line = variation
        else:
            line.after = rest[0]
            line = around.pop()
