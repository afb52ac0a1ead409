"""Problems as records: the solution with its variations, and tags that describe the problem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ringfen.notation.record import Node, Record, player_tags
from ringfen.position import Position
from ringfen.problems.mining import Problem

#: The comment at another ply with which the solver succeeds too.
DUAL: Final = "dual"


def problem_record(
    problem: Problem, source: str, position: Position, *, number: int = 1, board_path: Sequence[Path] = ()
) -> Record:
    """Return the record of a problem.

    :param source: Where the position comes from, for the tag ``Source``.
    :param position: The position of the problem.
    :param number: The number of the problem, for the tag ``Round``.
    :param board_path: Directories to search for the board of the position (GRAN).
    """
    tags = {"Event": "Problem", "Site": "?", "Date": "????.??.??", "Round": str(number)}
    tags |= dict.fromkeys(player_tags(position.game)[: position.players], "?")
    tags |= {
        "Stipulation": problem.stipulation,
        "Key": problem.key,
        "Legal": str(problem.legal),
        "Tries": str(problem.tries),
        "Duals": str(problem.duals),
        "Nodes": str(problem.nodes),
        "Source": source,
        "Ringfen": problem.version,
    }
    record = Record.new(position.game, fen=position, board_path=board_path, **tags)
    node: Node | None = None
    for step in problem.solution:
        node = record.play(step.ply) if node is None else node.play(step.ply)
        for variation in step.variations:
            last = node.add_variation(*variation.plies)
            if variation.is_dual:
                last.comment = DUAL
    record.main.nodes[0].nags.append(1)
    return record
