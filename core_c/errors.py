"""The errors that Ringfen raises, and the messages for the C core's reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: What a :class:`LimitReached` says.
NODE_LIMIT: Final = "the limit of nodes was reached"
TIME_LIMIT: Final = "the limit of time was reached"
CANCELLED: Final = "the calculation was cancelled"


class RingfenError(ValueError):
    """The base of all errors of Ringfen.

    ``reason`` is a stable key such as ``"no-such-ring"``; ``text`` is what was read; ``at`` and ``length`` are the
    place in it, in characters. All are empty or 0 where an error is not about a text.
    """

    def __init__(self, message: str, *, reason: str = "", text: str = "", at: int = 0, length: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.text = text
        self.at = at
        self.length = length


class PositionSyntaxError(RingfenError):
    """A position text that is not well formed."""


class ImpossiblePositionError(RingfenError):
    """A well-formed position that the rules exclude."""


class PlySyntaxError(RingfenError):
    """A ply text that is not well formed."""


class IllegalPlyError(RingfenError):
    """A well-formed ply that is not legal in the position; the message says why."""


class BoardError(RingfenError):
    """A board file that cannot be read, or a board that cannot be found.

    ``source`` is the file, ``line`` and ``column`` the place in it from 1; line 0 if the error has no line. ``text`` is
    that line, ``at`` and ``length`` the place in it as in every error. The message begins with the place.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        source: str = "",
        line: int = 0,
        text: str = "",
        at: int = 0,
        length: int = 0,
    ) -> None:
        self.source = source
        self.line = line
        self.column = at + 1 if line else 0
        place = f"{source}:{line}:{self.column}" if line else source
        super().__init__(f"{place}: {message}" if place else message, reason=reason, text=text, at=at, length=length)


class TableError(RingfenError):
    """A file of an endgame table that cannot be used: damaged, cut short, of another kind or a newer format.

    ``text`` is the file's name. Such a file is never answered from.
    """


class RecordError(RingfenError):
    """A record that cannot be made or written as asked."""


class CertificateError(RingfenError):
    """A certificate that proves nothing: damaged, of another format, or with a claim that does not follow.

    ``fen`` is the position that it is about, if that could be read.
    """

    fen: str | None = None


class NotSolved(RingfenError):
    """A position whose value could not be proven within the limits, so that there is nothing to certify.

    ``solution`` is what the solver found instead.
    """

    def __init__(self, solution: Any) -> None:
        note = "" if solution.note is None else f"; {solution.note}"
        super().__init__(
            f"{solution.fen} is not solved within the limits: status {solution.status}{note}", reason="not-solved"
        )
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.solution,)


class BatchError(RingfenError):
    """A batch that cannot be run or resumed as asked; the message says why and what to do."""


class LimitReached(RingfenError):
    """A calculation that has no partial answer stopped at a limit or was cancelled; the message says which.

    ``nodes`` is how many positions were visited before, 0 where that is not known.
    """

    def __init__(self, message: str = NODE_LIMIT, nodes: int = 0) -> None:
        super().__init__(message, reason="limit-reached")
        self.nodes = nodes


#: Words for reasons that more than one game gives. Games add theirs (``Game.reasons``).
COMMON_REASONS: Mapping[str, str] = {
    "unknown-game": "no game with the id {0}",
    "missing-field": "the position ends where {0} is expected",
    "extra-field": "nothing is expected after the last field, but there is {0}",
    "bad-game": "the position does not begin with the id of the game",
    "bad-side": "the side to play is s or n, not {0}",
    "bad-ranks": "the ranks cannot be read at {0}",
    "game-over": "the game is over",
    "bad-ply": "{0} is not a ply of this game",
    "null-in-main-line": "a null ply is allowed in variations only",
    "null-after-null": "a null ply cannot follow another null ply",
    "null-at-chance": "a null ply cannot replace a chance event",
    "null-pending": "a null ply is not allowed here: {0}",
    "null-in-phase": "a null ply is allowed in the phase move only, not in the phase {0}",
    "no-null-ply": "this game has no null ply",
    "position-too-long": "it is longer than any position",
    "other-board": "the record has a board of another size, or another number of players",
}


def worded(reasons: Mapping[str, str], reason: str, args: list[str]) -> str:
    """Return the sentence for a reason of the C core.

    Braces in ``args`` are harmless: they are filled in, never read as a pattern.
    """
    pattern = reasons.get(reason) or COMMON_REASONS[reason]
    return pattern.format(*args)
