"""Solutions as records: a tree as a main line and variations.

The main line begins with the first key and continues with the first ply at each position. All other plies are
variations, in the order of the tree. Lines end as soon as no player can win within the horizon. The whole record is in
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from ringfen.errors import LimitReached
from ringfen.notation.comment_commands import value_command
from ringfen.notation.record import Node, Record, player_tags
from ringfen.problems.tree import SolutionTree, TreeNode

#: NAGs: a key or a refutation, and a try.
GOOD: Final = 1
MISTAKE: Final = 2
#: The comment before the first ply of a record that a limit cut short.
CUT_SHORT: Final = "the tree is cut short: a limit was reached"


def tree_record(
    tree: SolutionTree, *, tries: bool = False, board_path: Sequence[Path] = (), **tags: str
) -> tuple[Record, LimitReached | None]:
    """Return a solution as a record, and the limit that cut it short, if one did.

    Keys and refutations have the NAG ``$1``, tries ``$2``. Comments name cooks and duals, and in games of chance the
    values and the weights of results. ``Stipulation`` is set if the side to move at the root has something to reach.

    :param tries: Add the tries with their refutations as variations of the key.
    :param board_path: Directories to search for the board of the position (GRAN).
    :param tags: Further tags; they take precedence.
    """
    start = tree.position
    usual = {"Event": "Solution", "Site": "?", "Date": "????.??.??", "Round": "?"}
    usual |= dict.fromkeys(player_tags(start.game)[: start.players], "?")
    if tree.stipulation is not None:
        usual["Stipulation"] = str(tree.stipulation)
    record = Record.new(start.game, fen=start, board_path=board_path, **{**usual, **tags})
    builder = _Builder(record, tree)
    try:
        builder.add(tree, None)
        if tries:
            builder.add_tries(tree.tries())
    except LimitReached as limit:
        record.comments.insert(0, CUT_SHORT)
        return record, limit
    return record, None


class _Builder:
    """Adds the plies of a tree to a record."""

    def __init__(self, record: Record, tree: SolutionTree) -> None:
        self._record = record
        self._tree = tree

    def add(self, found: TreeNode, parent: Node | None) -> None:
        """Add the plies after a ply (None: at the beginning) and everything below them."""
        first: Node | None = None
        for child in () if found.is_hopeless and not self._tree.is_hopeless else found.expand():
            node = self._played(child.ply, parent) if first is None else first.add_variation(child.ply)
            first = first or node
            self._mark(node, child)
            self.add(child, node)

    def add_tries(self, tries: Iterable[TreeNode]) -> None:
        """Add first plies that fail as variations of the key."""
        for attempt in tries:
            first = self._record.main.nodes[0]
            node = first.add_variation(attempt.ply)
            node.nags.append(MISTAKE)
            for reply in attempt.children:
                node.play(reply.ply).nags.append(GOOD)

    def _played(self, ply: str, parent: Node | None) -> Node:
        return self._record.play(ply) if parent is None else parent.play(ply)

    def _mark(self, node: Node, found: TreeNode) -> None:
        words = []
        if self._tree.solution.model == "maxn":
            words.append(self._chances(found))
        if found.weight is not None:
            words.append(f"weight {found.weight}")
        if found.duals:
            words.append("cook" if found.is_key else "dual")
        if found.is_key:
            node.nags.append(GOOD)
        if words:
            node.comment = " ".join(words)

    def _chances(self, found: TreeNode) -> str:
        """Return the command for the probabilities after a ply; the horizon is the number of plies that are left."""
        horizon = self._tree.solution.horizon
        assert isinstance(found.value, tuple)
        assert horizon is not None
        return value_command(f"{' '.join(map(str, found.value))} maxn {horizon - found.ply_number}")
