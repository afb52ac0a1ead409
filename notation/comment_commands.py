"""Commands in comments, ``[%name value]``: how they are written and found, and their values in words.

docs/notation.md says what those that ``annotate`` writes mean (Values in records).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

#: What the first comment of a variation begins with that ``annotate`` added.
BEST: Final = "[%best]"

_COMMAND: Final = re.compile(r" ?\[%[A-Za-z]+(?: [^\[\]]*)?\]")
#: Those that ``annotate`` writes after a ply.
_OWN: Final = re.compile(r" ?\[%(?:value|mark)(?: [^\[\]]*)?\]")
_VALUE: Final = re.compile(r"\[%value ([^\[\]]*)\]")
_MARK: Final = re.compile(r"\[%mark ([24])\]")
_SIDES: Final = {"s": "South", "n": "North"}


def value_command(value: str) -> str:
    """Return the command for a value: ``s 5``, ``draw``, ``+7``, ``>=3``, ``7/18 11/18 0 maxn 8``."""
    return f"[%value {value}]"


def mark_command(mark: int) -> str:
    """Return the command that records a NAG as one of ``annotate``."""
    return f"[%mark {mark}]"


def values_in(comments: Iterable[str]) -> list[str]:
    """Return the values that comments give: one, or two bounds."""
    return [value for comment in comments for value in _VALUE.findall(comment)]


def marks_in(comments: Iterable[str]) -> list[int]:
    """Return the NAGs that comments record."""
    return [int(mark) for comment in comments for mark in _MARK.findall(comment)]


def has_own(comment: str) -> bool:
    """Return whether a comment has a command that ``annotate`` wrote after a ply."""
    return _OWN.search(comment) is not None


def without_own(comment: str) -> str:
    """Return a comment without the commands that ``annotate`` wrote after a ply."""
    return _OWN.sub("", comment).strip(" ")


def as_shown(comment: str) -> str:
    """Return a comment for people: without its commands, but a best line is named."""
    return _COMMAND.sub("", comment.replace(BEST, "best:")).strip()


def value_words(values: Sequence[str]) -> str:
    """What a value says: ``South wins in 5 plies``, ``a draw``, ``South's margin is +7``, ``chances: 1/2 1/2 0``.

    :param values: one value, or two bounds of South's margin.
    """
    first = values[0].split()
    if first[0] in _SIDES and len(first) <= 2:
        plies = "" if len(first) == 1 else f" in {first[1]} {'ply' if first[1] == '1' else 'plies'}"
        return f"{_SIDES[first[0]]} wins{plies}" if first[1:] != ["0"] else f"{_SIDES[first[0]]} has won"
    if list(values) == ["draw"]:
        return "a draw"
    if "maxn" in first:
        return f"chances: {' '.join(first[: first.index('maxn')])}"
    return f"South's margin is {' and '.join(values)}"
