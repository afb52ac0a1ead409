"""Random records with everything that movetext may hold, and what reading them must give."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from ringfen import Position

COMMENTS = (
    "",
    "good",
    "a b  c",
    "ü ⇒ 𝔸",
    "[%clk 1:00]",
    "%x first",
    "(1. no) $3 *",
    "quote \" \\ 'x'",
    "{ open",
    "# ; x",
)
LINE_COMMENTS = ("to the end", "} closing", "{both} %", "")


@dataclass
class MadeLine:
    """A line of play as it was made: comments before it, and plies with NAGs, comments, variations."""

    comments: list[str] = field(default_factory=list)
    plies: list[MadePly] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass
class MadePly:
    ply: str
    nags: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[MadeLine] = field(default_factory=list)


@dataclass
class Made:
    text: str
    main: MadeLine
    last: Position


class RecordMaker:
    """Writes a random record in an untidy but valid way, numbers right wherever it puts one."""

    def __init__(self, random: Random, start: Position, first_round: int = 1) -> None:
        self.random = random
        self.start = start
        self.first_round = first_round
        self.words: list[str] = []

    def make(self, plies: int, tags: list[tuple[str, str]]) -> Made:
        main = MadeLine()
        last = self.line(main, self.start, None, self.first_round - self.opens(self.start, None), plies, 2)
        result = _result(last)
        lines = [f'[{name} "{value}"]' for name, value in [*tags, ("Result", result)]]
        text = "\n".join(lines) + "\n\n" + "".join(self.words) + self.blank() + result + "\n"
        return Made(text, main, last)

    def opens(self, position: Position, mover: str | int | None) -> bool:
        """Whether the next ply begins a turn of South or player 1 (starts in mid-turn are not made)."""
        return position.player in ("s", 1) and position.player != mover

    def line(
        self, line: MadeLine, position: Position, mover: str | int | None, rounds: int, plies: int, depth: int
    ) -> Position:
        self.some_comments(line.comments, 0.1)
        for _ in range(plies):
            if position.is_over:
                break
            before = (position, mover, rounds)
            opens = self.opens(position, mover)
            rounds += opens
            if opens or self.random.random() < 0.2:
                self.words.append(f"{self.blank()}{rounds}{'.' if opens else '...'}{self.random.choice(('', ' '))}")
            else:
                self.words.append(self.blank())
            ply = self.random.choice(position.plies())
            self.words.append(ply)
            made = MadePly(ply)
            line.plies.append(made)
            self.some_nags(made)
            self.some_comments(made.comments, 0.15)
            mover, position = position.player, position.apply(ply)
            while depth and self.random.random() < 0.1:
                self.words.append(self.blank() + "(")
                variation = MadeLine()
                self.line(variation, *before, self.random.randint(1, 4), depth - 1)
                self.words.append(self.blank() + ")")
                made.variations.append(variation)
                self.some_comments(variation.after, 0.2)
        return position

    def blank(self) -> str:
        return self.random.choice((" ", " ", "\n", "\t ", "\r\n", "\n% skipped {(\n"))

    def some_nags(self, made: MadePly) -> None:
        if self.random.random() < 0.1:
            suffix, nag = self.random.choice((("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)))
            self.words.append(suffix)
            made.nags.append(nag)
        while self.random.random() < 0.1:
            made.nags.append(self.random.randint(0, 255))
            self.words.append(f"{self.random.choice(('', ' '))}${made.nags[-1]}")

    def some_comments(self, into: list[str], share: float) -> None:
        while self.random.random() < share:
            if self.random.random() < 0.2:
                comment = self.random.choice(LINE_COMMENTS)
                self.words.append(f" ;{comment}\n")
            else:
                comment = self.random.choice(COMMENTS)
                self.words.append("{" + comment + "}")
            into.append(" ".join(comment.split()))


def _result(last: Position) -> str:
    if last.outcome is None:
        return "*"
    if isinstance(last.outcome, int):
        return "-".join(str(int(player == last.outcome)) for player in range(1, last.players + 1))
    return {"s": "1-0", "n": "0-1", "draw": "1/2-1/2"}[last.outcome]
