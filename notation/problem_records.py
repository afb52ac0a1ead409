"""Problems as records: the solution with its variations, and tags that describe the problem."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ringfen.notation.reading import parse_record
from ringfen.notation.record import Node, Record, player_tags
from ringfen.notation.writing import write_record
from ringfen.position import Position
from ringfen.problems.mining import Problem
from ringfen.text import from_json

#: The comment at another ply with which the solver succeeds too.
DUAL: Final = "dual"
#: The fields of a problem in JSON that are texts, and those that are numbers.
_TEXTS: Final = ("fen", "stipulation", "key", "solution", "gap", "source", "ringfen")
_COUNTS: Final = ("legal", "tries", "duals", "nodes")
#: The token at the end of a movetext.
_RESULT: Final = r"\*|1/2-1/2|[01](?:-[01])+"


def problem_record(
    problem: Problem, source: str, position: Position, *, number: int = 1, board_path: Sequence[Path] = ()
) -> Record:
    """Return the record of a problem.

    :param source: Where the position comes from, for the tag ``Source``.
    :param position: The position of the problem.
    :param number: The number of the problem, for the tag ``Round``.
    :param board_path: Directories to search for the board of the position (GRAN).
    """
    tags = _usual_tags(position, number) | {
        "Stipulation": problem.stipulation,
        "Key": problem.key,
        "Legal": str(problem.legal),
        "Tries": "?" if problem.tries is None else str(problem.tries),
        "Duals": "?" if problem.duals is None else str(problem.duals),
        "Nodes": str(problem.nodes),
        **({} if problem.gap is None else {"Gap": problem.gap}),
        "Source": source,
        "Ringfen": problem.version,
    }
    record = Record.new(position.game, fen=position, board_path=board_path, **tags)
    # For each number of a ply up to the last one: the first ply of its position, and the ply before the next number.
    first: list[Node] = []
    path: list[Node] = []
    for found in problem.solution:
        before = found.number - 1
        if before < len(first):
            node = first[before].add_variation(found.ply)
            del first[found.number :], path[before:]
        else:
            node = path[-1].play(found.ply) if path else record.play(found.ply)
            first.append(node)
        path.append(node)
        if found.is_dual:
            node.comment = DUAL
    record.main.nodes[0].nags.append(1)
    return record


def problem_fields(text: str) -> dict[str, Any]:
    """Return the fields of a problem in JSON, as ``ringfen problems --json`` prints it. ``fen`` and ``stipulation`` are
    required; a text that is null is omitted, and a number that is null is unknown.

    :raises ValueError: The text is not such an object. The message is for the user.
    """
    fields = from_json(text)
    if not isinstance(fields, dict):
        raise ValueError('a problem is an object with "fen" and "stipulation"')
    fields = {name: value for name, value in fields.items() if value is not None or name in _COUNTS}
    for name in ("fen", "stipulation"):
        if name not in fields:
            raise ValueError(f'the problem has no "{name}"')
    for name in _TEXTS:
        value = fields.get(name, "?")
        if not isinstance(value, str):
            raise ValueError(f'"{name}" is not a text')
        if not value.strip():
            raise ValueError(f'"{name}" is empty')
    for name in _COUNTS:
        value = fields.get(name, 0)
        if value is not None and (type(value) is not int or value < 0):
            raise ValueError(f'"{name}" is not a number from 0')
    return fields


def record_of_json(
    fields: Mapping[str, Any], position: Position, *, number: int = 1, board_path: Sequence[Path] = ()
) -> Record:
    """Return the record of a problem as ``ringfen problems --json`` prints it; it is invalid if the solution is.

    :param fields: The fields, as :func:`problem_fields` returns them.
    :param position: The position of the problem.
    :raises ringfen.RecordError: The solution is no movetext.
    """
    tags = _usual_tags(position, number)
    for name in (*_TEXTS[1:], *_COUNTS):
        if name in fields and name != "solution":
            value = fields[name]
            tags[name.capitalize()] = "?" if value is None else " ".join(str(value).split())
    solution = " ".join(fields.get("solution", "*").split())
    result = solution.rpartition(" ")[2]
    if not re.fullmatch(_RESULT, result):
        solution, result = f"{solution} *", "*"
    record = Record.new(position.game, fen=position, board_path=board_path, **(tags | {"Result": result}))
    head = write_record(record).partition("\n\n")[0]
    return parse_record(f"{head}\n\n{solution}\n", board_path=board_path)


def _usual_tags(position: Position, number: int) -> dict[str, str]:
    tags = {"Event": "Problem", "Site": "?", "Date": "????.??.??", "Round": str(number)}
    return tags | dict.fromkeys(player_tags(position.game)[: position.players], "?")
