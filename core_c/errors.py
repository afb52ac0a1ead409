"""The errors that Ringfen raises, and the messages for the reasons of the C core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

#: Messages of :class:`LimitReached`.
NODE_LIMIT: Final = "the limit of nodes was reached"
TIME_LIMIT: Final = "the limit of time was reached"
CANCELLED: Final = "the calculation was cancelled"


class RingfenError(ValueError):
    """The base class of all errors of Ringfen.

    ``reason`` is a stable key such as ``"no-such-ring"``; ``text`` is the text that was read; ``at`` and ``length`` are
    the range in it, in characters. They are empty or 0 if an error does not concern a text.
    """

    def __init__(self, message: str, *, reason: str = "", text: str = "", at: int = 0, length: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.text = text
        self.at = at
        self.length = length


class PositionSyntaxError(RingfenError):
    """The text is not a well-formed position."""


class ImpossiblePositionError(RingfenError):
    """The position is well formed, but the rules exclude it."""


class PlySyntaxError(RingfenError):
    """The text is not a well-formed ply."""


class IllegalPlyError(RingfenError):
    """The ply is well formed, but not legal in the position; the message states why."""


class BoardError(RingfenError):
    """A board file cannot be read, or a board cannot be found.

    ``source`` is the file; ``line`` and ``column`` count from 1; ``line`` is 0 if the error has no line. ``text`` is
    that line, and ``at`` and ``length`` are the range in it. The message begins with file, line and column.
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
    """A file of an endgame table cannot be used: it is damaged, truncated, of another kind or in a newer format.

    ``text`` is the name of the file. The program never uses values from such a file.
    """


class RecordError(RingfenError):
    """A record cannot be created or written."""


class CertificateError(RingfenError):
    """A certificate proves nothing: it is damaged, has another format, or a claim does not follow.

    ``fen`` is the position of the certificate, if that could be read.
    """

    fen: str | None = None


class NotSolved(RingfenError):
    """The value of a position could not be proven within the limits, so there is nothing to certify.

    ``solution`` is the solver's result.
    """

    def __init__(self, solution: Any) -> None:
        note = "" if solution.note is None else f"; {solution.note}"
        super().__init__(
            f"{solution.fen} is not solved within the limits: status {solution.status}{note}", reason="not-solved"
        )
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.solution,)


class UnsoundProblem(RingfenError):
    """A position is no sound problem: no ply meets a stipulation, or several do.

    ``fen`` is the position; ``keys`` are the plies that meet the stipulation, if there are several.
    """

    def __init__(self, fen: str, why: str, keys: Sequence[str] = ()) -> None:
        super().__init__(f"{fen} is not a sound problem: {why}", reason="unsound")
        self.fen = fen
        self.why = why
        self.keys = tuple(keys)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.fen, self.why, self.keys)


class BatchError(RingfenError):
    """A batch cannot be run or resumed; the message states why and what to do."""


class LimitReached(RingfenError):
    """A calculation without partial answers reached a limit or was cancelled; the message states which.

    ``nodes`` is the number of positions visited before that, 0 if it is not known.
    """

    def __init__(self, message: str = NODE_LIMIT, nodes: int = 0) -> None:
        super().__init__(message, reason="limit-reached")
        self.nodes = nodes


#: Messages for reasons that several games share. ``Game.reasons`` adds those of a game.
COMMON_REASONS: Mapping[str, str] = {
    "unknown-game": "no game with the id {0}",
    "missing-field": "expected {0}, but the position ends",
    "extra-field": "unexpected {0} after the last field",
    "bad-game": "the position does not begin with the id of the game",
    "bad-side": "the side to move is s or n, not {0}",
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


def formatted_reason(reasons: Mapping[str, str], reason: str, args: list[str]) -> str:
    """Return the sentence for a reason of the C core.

    ``args`` may contain braces: they are inserted, never interpreted.
    """
    pattern = reasons.get(reason) or COMMON_REASONS[reason]
    return pattern.format(*args)
