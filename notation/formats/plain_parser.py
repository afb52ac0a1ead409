"""Parses one game as people write it, from its start to its end or the first error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ringfen.errors import BoardError, RingfenError
from ringfen.notation.bulk_check import MAX_REPORTED
from ringfen.notation.formats.loose_plies import (
    Read,
    Square,
    chance_at,
    meanings,
    reason_of,
    run_at,
    setup_at,
    setups_of,
    silent_plies,
    spoken_at,
    text_of,
    unwritten,
)
from ringfen.notation.formats.plain_text import DIVIDERS, PlainText
from ringfen.notation.informal_results import sure_result
from ringfen.notation.mail import is_prose
from ringfen.notation.missing_plies import begins_round
from ringfen.notation.misspellings import possible_plies
from ringfen.notation.ply_errors import PlyDiagnosis, diagnose_ply
from ringfen.notation.ply_suggestions import is_one_slip
from ringfen.notation.results import result_of
from ringfen.position import Position
from ringfen.text import player_name, printable

_HEADLINE: Final = re.compile(
    r"[ \t#*=~-]*(?:game|partie|spiel|partita|partida)[ \t]*(?:no|nr|n°)?\.?[ \t]*#?[ \t]*[0-9]{1,6}\b[.:)*=~-]*"
    r"(?=[ \t]*(?:[-\n,:.;/|(\[]|\Z))",
    re.IGNORECASE,
)
_NUMBER_OF_PLAYERS: Final = re.compile(
    r"(?:[1-9] (?:players|spieler)|(?:players|spieler): ?[1-9])\b[:.]?", re.IGNORECASE
)
_NUMBER: Final = re.compile(
    r"(?:#[ \t]*)?([0-9]{1,4})[ \t]*(?:\.+(?:[ \t]*\.{2,})?\)?|\)|:(?=[ \t\na-zA-Z@*+]|\Z))"
    r"|(?:move|round|turn|zug|coup|ply)[ \t]+(?:no\.?[ \t]*)?(?:#[ \t]*)?([0-9]{1,4})\b[ \t]*[.:)]*",
    re.IGNORECASE,
)
_NUMBER_IN_PARENTHESES: Final = re.compile(r"\(([0-9]{1,4})\)")
_BARE_NUMBER: Final = re.compile(r"([0-9]{1,4})(?=[ \t|]+(?![-:/xX>]|=[ \t])\S)")
_RESULT: Final = re.compile(
    r"(?:1/2|½|0[.,]5|[01])(?:[ \t]*[-:][ \t]*(?:1/2|½|0[.,]5|[01]))+(?![\w/:=-])"
    r"|½(?!\w)|1/2(?![\w/-])|\*(?=\s|\Z)"
)
_SUFFIX: Final = re.compile(r"[!?]+")
_SUFFIXES: Final = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_VALUE: Final = re.compile(r"[ \t]*(\+/-|-/\+|\+/=|=/\+|\+-|-\+|\+=|=\+|±|∓|⩲|⩱|∞)(?=[\s,;|]|\Z)")
_VALUES: Final = {
    **{"+/-": 16, "-/+": 17, "+/=": 14, "=/+": 15, "+-": 18, "-+": 19, "+=": 14, "=+": 15},
    **{"±": 16, "∓": 17, "⩲": 14, "⩱": 15, "∞": 13},
}
_SETUP_WORD: Final = r"(?:set-?up|start|begin|rings|aufstellung|placement)"
_SIDE: Final = (
    r"(?:(?P<s>south|white|wei(?:ß|ss)|blancs?|süden|sud)|(?P<n>north|black|schwarz|noirs?|norden|nord)"
    r"|(?:player|spieler|p)[ \t]*(?P<k>[1-6]))"
)
_LABEL: Final = re.compile(
    rf"(?:{_SETUP_WORD}\W{{1,3}}(?:of[ \t]+)?)?(?:{_SIDE}|(?P<short>[snwb])(?=[ \t]*[:=]))(?:'s)?(?![^\W_])"
    rf"(?:[ \t]*\(?(?:{_SETUP_WORD}|sets[ \t]+up|plays|moves)\)?)?[ \t]*[:=]?[ \t]*|{_SETUP_WORD}[ \t]*:[ \t]*",
    re.IGNORECASE,
)
_DASH: Final = re.compile(r"-{1,3}[ \t]+")
_LONE_DASH: Final = re.compile(r"-{1,3}(?=[ \t]*(?:\||\n|\Z))")
_BETWEEN_SETUPS: Final = re.compile(r"[ \t]*[-/][ \t]*(?=[0-9A-Za-z])")
_BULLET: Final = re.compile(r"[-*+][ \t]+(?=\S)")
_UNTIL_BRACKET: Final = re.compile(r"[^\n({\[|]{0,60000}")
#: For each bracket, what opens or closes it or ends its paragraph.
_CLOSINGS: Final = {
    "(": re.compile(r"[()]|\n[ \t]*\n"),
    "[": re.compile(r"[\[\]]|\n[ \t]*\n"),
    "{": re.compile(r"[{}]"),
}
_WORD: Final = re.compile(r"[^\s,;|]+")
_TWO_SQUARES: Final = re.compile(r"[a-z][0-9]+[-x][a-z][0-9]", re.IGNORECASE)
#: Numbers with a sign between them, and words with letters and digits, which texts for people seldom contain.
_NO_PROSE: Final = re.compile(
    r"(?<![\w.:/-])[0-9]{1,2}[ \t]*[-x:=]{1,3}>?[ \t]*[0-9]{1,2}(?![\w.:/-])|(?<!\d)[1-3]{6}(?!\d)"
    r"|[^\W\d_][0-9]|(?<![0-9])(?![0-9]+(?:st|nd|rd|th)\b)[0-9]+[^\W\d_]"
)
_ADDRESS: Final = re.compile(r"(?<!\S)(?:[^\s@]{1,80}@[^\s@]{3,80}|(?:https?://|www\.)\S+)", re.IGNORECASE)
_RESIGNS: Final = re.compile(r"(?:i[ \t]+)?(?:resign|give[ \t]+up|concede|surrender|forfeit|lost|lose)", re.IGNORECASE)
_RESIGN: Final = re.compile(r"^(?:i[ \t]+)?(resign|give|concede|surrender|forfeit|lose)\b(.*)", re.IGNORECASE)
_COLOURS: Final = (
    (re.compile(r"\b(?:white|wei(?:ß|ss)|blancs?)\b", re.IGNORECASE), "South"),
    (re.compile(r"\b(?:black|schwarz|noirs?)\b", re.IGNORECASE), "North"),
)
_LONGEST_WORDS: Final = 200
#: Words of which a text for people seldom consists unless it gives a result.
_OF_RESULTS: Final = re.compile(
    r"\b(?:resign\w*|wins|won|loses|lost|draws?|drawn|tied?|remis|gives? up)\b", re.IGNORECASE
)


#: The letter and digit of a square; x is a sign.
_LETTERED: Final = re.compile(r"[a-wyz]\s?[0-9]", re.IGNORECASE)


class Error(NamedTuple):
    """An error or a warning: where it is in the text, and whether it concerns the next ply."""

    code: str
    at: int
    end: int
    words: str
    is_ply: bool = False
    suggest: tuple[str, ...] = ()
    #: The ply that the notation has for the text, and words after its diagnosis.
    form: str = ""
    more: str = ""


class _Number(NamedTuple):
    """A move number, where it ends, and whether it has no sign after it."""

    value: int
    end: int
    is_bare: bool


@dataclass
class Ply:
    """A ply that was read, with its NAGs and comments."""

    read: Read
    nags: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Assumptions:
    """What a parser assumes about a game because the text does not say it."""

    start: Position
    #: Whether the second setup is that of the first player, and whether the other player's is written from its side.
    swapped: bool = False
    mirrored: bool = False


class GameParser:
    """Parses one game from a place in the text."""

    def __init__(self, text: PlainText, at: int, assumed: Assumptions, *, is_part: bool = False) -> None:
        self.plain = text
        self.text = text.text
        self.assumed = assumed
        #: Whether the text is only a paragraph, which is tried.
        self._is_part = is_part
        self.begin = self.at = at
        self.start = self.position = assumed.start
        self._setups_of = setups_of(assumed.start)
        self.plies: list[Ply] = []
        self.comments: list[str] = []
        #: The names of players, by their tags.
        self.names: dict[str, str] = {}
        self.result: str | None = None
        self.result_at = (at, at)
        #: Whether the result is written after the plies, so that no ply can follow.
        self.is_ended = False
        self.error: Error | None = None
        #: Move numbers that no way of counting explains, and words that may give a result.
        self.warnings: list[Error] = []
        self.end = at
        self.headline = False
        #: The player whose name precedes the next ply, and where the name is.
        self._label: tuple[str | int, int, int] | None = None
        self._counts: set[tuple[str, int]] | None = None
        self._round = self._turn = 1
        self._setups: list[tuple[Read, str | int | None]] = []
        #: A text for people in a new paragraph may belong to the next game, if no ply of this one follows.
        self._tail: tuple[int, int] | None = None

    @property
    def is_game(self) -> bool:
        """Whether there is anything of a game."""
        return bool(self.plies or self.error or self.result or self.headline or self.comments)

    @property
    def farthest(self) -> tuple[int, bool]:
        """How far the parser gets; the usual assumptions are the best of equal ones."""
        return len(self.text) if self.error is None else self.error.at, self.assumed == Assumptions(self.assumed.start)

    @property
    def line(self) -> tuple[str, ...]:
        """The plies."""
        return tuple(ply.read.ply for ply in self.plies)

    @property
    def after_setups(self) -> int:
        """The number of plies that are no setups."""
        return sum(not ply.read.ply.isdigit() for ply in self.plies)

    @property
    def has_notation(self) -> bool:
        """Whether the text has more than comments and headlines."""
        return self.error is None or self.error.code != "bad-format" or bool(self.plies or self._setups)

    @property
    def has_setups(self) -> bool:
        """Whether the text has setups, legal or not in their order."""
        return bool(self._setups_of.number and (self.plies or self._setups))

    @property
    def _is_setup(self) -> bool:
        """Whether a player sets up."""
        return len(self.plies) < self._setups_of.number

    @property
    def is_over(self) -> bool:
        """Whether no ply can follow."""
        return self.position.is_over or self.is_ended

    # ---- the whole text ----

    def run(self) -> None:
        """Read to the end of the game, or to the first error."""
        while self.error is None:
            self.at = self._skipped(self.at)
            if self.at >= len(self.text) or self._is_next_game():
                break
            if not any(step() for step in self._steps()):
                self._unreadable()
        self.end = self.at
        if self.error is None and self._setups:
            self._play_setups()
        if self.error is None and not self.plies and self.result is None and not self._is_part:
            words = (
                "this is not a ply, and none follows in this game; only comments do"
                if self.comments
                else "no ply follows"
            )
            self._fail("bad-format", self.begin, self.plain.line_end(self.begin), words)
        if self.error is not None:
            self.end = self.at if self._is_part else max(self.at, self._resumed(self.error.at))
        elif self._tail is not None and self.at < len(self.text):
            self.end = self._tail[0]
            del self._last_comments()[self._tail[1] :]

    def _skipped(self, at: int) -> int:
        """Return the place after white space and dividers."""
        text = self.text
        while at < len(text) and (text[at] in DIVIDERS or (text[at] == "." and text[at + 1 : at + 2] != ".")):
            at += 1
        return at

    def _steps(self) -> Sequence[Callable[[], bool]]:
        """Return the ways to read what is at the current place, in the order in which they are tried."""
        return (
            self._read_headline,
            self._skip_bullet,
            self._read_chance,
            self._read_number,
            self._read_brackets,
            self._read_result,
            self._read_suffix,
            self._read_words_of_result,
            self._read_label,
            self._read_setup,
            self._read_position,
            self._read_spoken,
            self._read_run,
            self._read_word,
            self._read_dash,
            self._read_prose,
        )

    def _fail(self, code: str, at: int, end: int, words: str, **more: Any) -> bool:
        """End the game with an error."""
        self.error = Error(code, at, max(end, at + 1), words, **more)
        return True

    # ---- where games begin and end ----

    def _is_next_game(self) -> bool:
        """Return whether another game begins here."""
        at = self.at
        if not self.plain.begins_line(at) or self._is_part:
            return False
        begun = bool(self.plies or self.result or self._setups)
        if _HEADLINE.match(self.text, self.plain.line_begin(at)):
            return begun or self.headline
        if not begun:
            return False
        if self._setups_of.number and not self._is_setup:
            setup = setup_at(self._setups_of.size, self.text, self._after_label(at))
            if setup is not None and self.start.is_legal(setup.ply):
                return True
        number = self._number_at(at)
        if number is not None:
            is_first = number.value == 1 and self._begins_count()
            return is_first and (self.is_over or not self._explains(1))
        return self.plain.follows_blank_line(at) and self._begins_unnumbered(at)

    def _begins_count(self) -> bool:
        """Return whether a number 1 is not the first after the setups."""
        return not self.plies or not self.plies[-1].read.ply.isdigit() or self._is_setup

    def _begins_unnumbered(self, at: int) -> bool:
        """Return whether a paragraph without a number begins another game; if both are possible, that is an error."""
        if self._setups_of.number or not self._is_notation(at):
            return False
        other = self._tried(at, self.start)
        if other is None or self.is_over:
            return other is not None
        same = self._tried(at, self.position)
        if same is None or same <= self.position.players:
            return same is None
        words = "after a blank line, these plies can continue the game or begin another; write the number of the move"
        self._fail("bad-format", at, self.plain.line_end(at), f"{words} or a headline such as Game 2")
        return False

    def _tried(self, at: int, start: Position) -> int | None:
        """Return the number of plies of a paragraph, read from a position; None if it has an error or none."""
        paragraph = PlainText(self.text[at : self.plain.paragraph_end(at)], self.plain.board_path)
        other = GameParser(paragraph, 0, Assumptions(start), is_part=True)
        other.run()
        return len(other.plies) if other.error is None and other.plies else None

    def _is_notation(self, at: int) -> bool:
        """Return whether a place has plies, not a text for people."""
        return bool(len(run_at(self.text, at)) > 1 or spoken_at(self.position, self.text, at))

    def _resumed(self, at: int) -> int:
        """Return the place after an error where another game begins."""
        plain = self.plain
        at = plain.line_end(at) + 1
        while at < len(self.text):
            place = self._skipped(at)
            if plain.line_begin(place) != at:
                at = plain.line_begin(place)
                continue
            if _HEADLINE.match(self.text, at) or self._resumes_at(place):
                return place
            at = plain.line_end(at) + 1
        return len(self.text)

    def _resumes_at(self, at: int) -> bool:
        number = self._number_at(at)
        blank = self.plain.follows_blank_line(at)
        if number is not None:
            return number.value == 1 and (blank or self._counts is not None)
        if not blank:
            return False
        if self._setups_of.number:
            setup = setup_at(self._setups_of.size, self.text, self._after_label(at))
            return setup is not None and self.start.is_legal(setup.ply)
        if not self._is_notation(at):
            return False
        return self._tried(at, self.assumed.start) is not None

    # ---- headlines, numbers, names ----

    def _read_headline(self) -> bool:
        """A headline, or the number of players where it can differ; the caller reads that."""
        least, most = self.start.game.players
        players = _NUMBER_OF_PLAYERS.match(self.text, self.at) if least < most and not self.plies else None
        if players:
            self.at = players.end()
            return True
        headline = _HEADLINE.match(self.text, self.plain.line_begin(self.at))
        if headline is None or headline.end() <= self.at or not self.plain.begins_line(self.at):
            return False
        self.headline = True
        self.at = headline.end()
        return True

    def _skip_bullet(self) -> bool:
        bullet = _BULLET.match(self.text, self.at)
        if bullet is None or not self.plain.begins_line(self.at):
            return False
        if not run_at(self.text, bullet.end()) and self._number_at(bullet.end()) is None:
            return False
        self.at = bullet.end()
        return True

    def _number_at(self, at: int) -> _Number | None:
        """Return the move number at a place."""
        found = self._match_of_number(at)
        return (
            None if found is None else _Number(int(found[found.lastindex or 1]), found.end(), found.re is _BARE_NUMBER)
        )

    def _match_of_number(self, at: int) -> re.Match[str] | None:
        number = _NUMBER.match(self.text, at)
        if number and self._setups_of.number and setup_at(self._setups_of.size, self.text, self._skipped(number.end())):
            return number
        if _RESULT.match(self.text, at):
            return None
        is_chance = self.position.is_chance and not self.is_ended
        for pattern in (_NUMBER, _NUMBER_IN_PARENTHESES):
            number = pattern.match(self.text, at)
            if number and not (is_chance and chance_at(self.position, self.text, at)):
                return number
        bare = _BARE_NUMBER.match(self.text, at)
        if bare is None or is_chance or not self.plain.begins_line(at):
            return None
        if self._is_setup and setup_at(self._setups_of.size, self.text, at):
            return None
        after = self._skipped(bare.end())
        if not self._begins_notation(after) and not self._begins_notation(self._after_label(after)):
            return None
        return bare

    def _read_number(self) -> bool:
        number = self._number_at(self.at)
        if number is None:
            return False
        if number.is_bare and (run := run_at(self.text, self.at)) and meanings(self.position, run).plies:
            if not self._explains(number.value):
                return False
            words = f"{number.value} can be a move number or a square; write {number.value}. for the number"
            return self._fail("bad-number", self.at, number.end, words)
        self._count(number.value, self.at, number.end)
        self.at = number.end
        return True

    def _counted(self) -> dict[str, int]:
        """Return the number of the next ply, in the ways in which people count."""
        return {"rounds": self._round, "turns": self._turn, "plies": len(self.plies) + len(self._setups) + 1}

    def _explains(self, number: int) -> bool:
        """Return whether a way of counting gives a number here."""
        counts = self._possible_counts()
        return counts is None or any((unit, number - here) in counts for unit, here in self._counted().items())

    def _possible_counts(self) -> set[tuple[str, int]] | None:
        """Return the ways to count that agree with the numbers so far; None if every number can be right."""
        return self._first_counts() if self._counts is None and self.start == self.assumed.start else self._counts

    def _first_counts(self) -> set[tuple[str, int]]:
        """Return the ways to count from the start, with or without setups and from 0 or 1."""
        setups = self._setups_of.number
        return {
            ("rounds", 0),
            ("rounds", -1),
            *((unit, -less) for unit in ("turns", "plies") for less in (0, 1, setups)),
        }

    def _count(self, number: int, at: int, end: int) -> None:
        here = {(unit, number - count) for unit, count in self._counted().items()}
        before = self._possible_counts()
        if before is not None and not here & before and number == 1 and not self._begins_count():
            before = None
        if before is not None and not here & before:
            expected = max(count + self._counted()[unit] for unit, count in before)
            if number > expected:
                self._fail("bad-number", at, end, f"expected {expected}; plies before it may be missing")
            elif len(self.warnings) < MAX_REPORTED:
                self.warnings.append(Error("wrong-number", at, end, f"expected {expected}"))
            before = None
        self._counts = here if before is None else here & before

    def _begins_notation(self, at: int) -> bool:
        """Return whether a place has a ply, legal or not."""
        return bool(
            run_at(self.text, at)
            or spoken_at(self.position, self.text, at)
            or (self.position.is_chance and chance_at(self.position, self.text, at))
            or (self._setups_of.number and setup_at(self._setups_of.size, self.text, at))
        )

    def _after_label(self, at: int) -> int:
        label = _LABEL.match(self.text, at)
        return label.end() if label else at

    def _read_label(self) -> bool:
        label = _LABEL.match(self.text, self.at)
        if label is None or label.end() == self.at:
            return False
        after = self._skipped(label.end())
        if after > self.plain.line_end(self.at) + 1 or not self._begins_notation(after):
            return False
        player = _player(label, self.start)
        if player is not None:
            self._label = (player, label.start(), label.end())
        self.at = label.end()
        return True

    # ---- what is no ply ----

    def _last_comments(self) -> list[str]:
        return self.plies[-1].comments if self.plies else self.comments

    def _comment(self, at: int, end: int) -> None:
        comment = self.plain.written(at, end).strip()
        comments = self._last_comments()
        if self.plies and self._tail is None and self.plain.begins_line(at) and self.plain.follows_blank_line(at):
            self._tail = (at, len(comments))
        if comment:
            comments.append(comment)

    def _read_brackets(self) -> bool:
        begin = self.text[self.at]
        if begin not in _CLOSINGS:
            return False
        end = self._closing(self.at)
        if end is None:
            code, words = ("unclosed-comment", "brace") if begin == "{" else ("unclosed-variation", "parenthesis")
            return self._fail(code, self.at, self.at + 1, f"the {words} is not closed")
        inside = self.text[self.at + 1 : end]
        result = self._meant(inside)
        if result is not None and (self.plies or self._setups):
            self._set_result(result, self.at, end + 1)
            if _RESULT.fullmatch(inside.strip()):
                self.at = end + 1
                return True
        spoken = spoken_at(self.position, inside, 0)
        if spoken and spoken.end == len(inside) and not self.is_over and self.position.is_legal(spoken.ply):
            self._play([Read(spoken.ply, self.at, end + 1)])
        else:
            self._comment(self.at + 1, end)
        self.at = end + 1
        return True

    def _closing(self, at: int) -> int | None:
        """Return the place of the bracket that closes the one at a place, in the same paragraph."""
        begin, depth = self.text[at], 0
        for found in _CLOSINGS[begin].finditer(self.text, at):
            if found[0][0] == "\n":
                break
            depth += 1 if found[0] == begin else -1
            if depth == 0:
                return found.start()
        return None

    def _read_suffix(self) -> bool:
        suffix = _SUFFIX.match(self.text, self.at)
        value = _VALUE.match(self.text, self.at)
        if not self.plies or (suffix is None and value is None):
            return False
        if suffix is not None and suffix[0].startswith("?") and self.text[self.at - 1].isspace():
            return False
        if suffix is not None:
            nag = _SUFFIXES.get(suffix[0][:2] if len(set(suffix[0])) == 1 else suffix[0])
        else:
            nag = _VALUES[value[1]] if value else None
        if nag is None:
            return False
        if nag not in self.plies[-1].nags:
            self.plies[-1].nags.append(nag)
        self.at = (suffix or value).end()  # type: ignore[union-attr]
        return True

    def _read_dash(self) -> bool:
        """A dash before a comment or a result, or between plies; or one that stands for a ply without squares."""
        if self._setups and not self.plies and (between := _BETWEEN_SETUPS.match(self.text, self.at)):
            self.at = between.end()
            return True
        lone = _LONE_DASH.match(self.text, self.at)
        silent = silent_plies(self.position) if lone else []
        if lone and len(silent) == 1 and not self.is_over:
            self._play([Read(silent[0], self.at, lone.end())])
            self.at = lone.end()
            return True
        if lone and self.plies and self.plain.begins_line(self.at):
            after = self._skipped(lone.end())
            if after < len(self.text) and self._is_prose(after, self._prose_end(after)):
                self.at = after  # the line before a signature
                return True
        dash = _DASH.match(self.text, self.at)
        if dash is None or not self.plies:
            return False
        follows_ply = not self.text[self.plies[-1].read.end : self.at].strip()
        if follows_ply and run_at(self.text, dash.end()):
            self.at = dash.end()
            return True
        end = self._prose_end(dash.end())
        if self._meant(self.text[dash.end() : min(end, dash.end() + _LONGEST_WORDS)]) is not None:
            self.at = dash.end()
            return True
        return self._take_prose(dash.end(), end)

    def _read_prose(self) -> bool:
        line = self.plain.line_end(self.at)
        if self.text.count("(", self.at, line) == self.text.count(")", self.at, line) and self._take_prose(
            self.at, line
        ):
            return True
        return self._take_prose(self.at, self._prose_end(self.at))

    def _is_name(self, at: int, end: int) -> bool:
        """Return whether a line before the first ply gives the name of a player, which is kept as a tag."""
        label = _LABEL.match(self.text, at)
        player = _player(label, self.start) if label else None
        if self.plies or self._setups or label is None or player is None or ":" not in label[0]:
            return False
        name = self.plain.written(label.end(), end).strip(DIVIDERS)
        tag = {"s": "South", "n": "North"}.get(str(player), f"Player{player}")
        if not name or tag in self.names:
            return False
        self.names[tag] = name
        return True

    def _prose_end(self, at: int) -> int:
        """Return the place before the next bracket or line end."""
        found = _UNTIL_BRACKET.match(self.text, at)
        return found.end() if found else at

    def _take_prose(self, at: int, end: int) -> bool:
        if not self._is_prose(at, end):
            return False
        if not self._is_name(at, end):
            self._comment(at, end)
            if self.plies and self.result is None and _OF_RESULTS.search(self.text, at, end):
                words = "these words give no result that is certain; write, for example, South wins or 1-0"
                self.warnings.append(Error("missing-result", at, end, words))
        self.at = end
        return True

    def _is_prose(self, at: int, end: int) -> bool:
        """Return whether a part of a line is a text for people, which contains nothing that can be a ply."""
        text = _ADDRESS.sub("address", self.text[at:end])
        if not is_prose(text, [self.position]) or _NO_PROSE.search(text):
            return False
        if self.position.is_chance and not self.is_ended and any(map(str.isdigit, text)):
            return False
        words = [word for word in re.finditer(r"[^\W_]+", text) if word[0][0].isalpha()]
        if len(words) == 1 and any(_is_like(words[0][0], ply) for ply in silent_plies(self.position)):
            return False
        spoken = (spoken_at(self.position, text, word.start()) for word in words)
        return not any(read is not None and self.position.is_legal(read.ply) for read in spoken)

    # ---- results ----

    def _read_result(self) -> bool:
        found = _RESULT.match(self.text, self.at)
        if found is None or (self.text[self.at - 1 : self.at].isalnum() and self.at):
            return False
        result = "*" if found[0] == "*" else self._meant(found[0])
        if result is None:
            return self._fail("bad-result", self.at, found.end(), "this game has no such result")
        self._set_result(result, self.at, found.end())
        self.at = found.end()
        return True

    def _read_words_of_result(self) -> bool:
        if not self.text[self.at].isalpha() or _TWO_SQUARES.match(self.text, self.at):
            return False
        found = _UNTIL_BRACKET.match(self.text, self.at)
        text = found[0].rstrip() if found else ""
        result = self._meant(text) if len(text) < _LONGEST_WORDS else None
        if result is None:
            return False
        self._set_result(result, self.at, self.at + len(text))
        self.at += len(text)
        return True

    def _meant(self, text: str) -> str | None:
        """Return the result that words mean."""
        tags = dict(self.names)
        text = text.strip()
        if self.start.players == 2:
            for colour, side in _COLOURS:
                text = colour.sub(side, text)
            if _RESIGNS.match(text):
                text = _RESIGN.sub(r"\1s\2", text)
                tags["Result"] = "0-1" if self.position.player in ("s", 1) else "1-0"
        return sure_result(self.start, text, tags)

    def _set_result(self, result: str, at: int, end: int) -> None:
        if self._setups:
            self._play_setups()
        if self.error is not None:
            return
        if self.position.is_over and result != result_of(self.position, self.position.outcome):
            words = f"the game ends with {result_of(self.position, self.position.outcome)}"
            self._fail("result-mismatch", at, end, words)
        elif self.result not in (None, result):
            self._fail("result-mismatch", at, end, f"the text gives the result {self.result} before")
        else:
            self.result, self.result_at = result, (at, end)
            self.is_ended = self.is_ended or bool(self.plies)

    # ---- plies ----

    def _play(self, reads: Sequence[Read]) -> None:
        for read in reads:
            before = self.position
            self.position = before.apply(read.ply)
            self.plies.append(Ply(read))
            self._turn += self.position.player != before.player
            self._round += begins_round(self.position, before)
        self._label = self._tail = None

    def _check_end(self, end: int) -> bool:
        """Return whether the game has ended, so that a ply here is an error."""
        if self.position.is_over:
            self._fail("ply-after-end", self.at, end, "the game is over", is_ply=True)
        elif self.is_ended:
            self._fail("text-after-result", self.at, end, "only comments can follow the result of a game")
        return self.error is not None

    def _take(self, found: Sequence[Sequence[Read]], end: int, form: str) -> bool:
        """Play what a text means; an error is reported."""
        if len(found) > 1:
            plies = [" ".join(read.ply for read in reads) for reads in found]
            words = f"it can mean {' or '.join(plies[:3])}"
            return self._fail("bad-ply", self.at, end, words, is_ply=True, suggest=tuple(plies[:3]))
        if not found:
            return self._fail_ply(form, end)
        if self._label is not None and not self._is_label_right(found[0]):
            return True
        self._play(found[0])
        self.at = end
        return True

    def _is_label_right(self, reads: Sequence[Read]) -> bool:
        assert self._label is not None
        player, at, end = self._label
        position = self.position
        for read in reads:
            if position.player == player or read.at >= end:
                break
            position = position.apply(read.ply)
        if position.player != player:
            self._fail(
                "illegal-ply",
                at,
                end,
                f"{player_name(position.player)} is to move, not {player_name(player)}",
                is_ply=True,
            )
        return self.error is None

    def _fail_ply(self, form: str, end: int) -> bool:
        code, words = reason_of(self.position, form) or ("bad-ply", "it is not a ply")
        text = self.text[self.at : end]
        in_digits = _LETTERED.search(form) and not _LETTERED.search(text)
        more = f"; {printable(text)} stands for {form}" if in_digits else ""
        self._fail(code, self.at, end, words, is_ply=True, form=form, more=more)
        return True

    def advised(self) -> Error | None:
        """Return the error, with the likely meaning of the ply in its words."""
        error = self.error
        if error is None or not error.form:
            return error
        found = _advice(self.position, error.form, error.words, error.code == "illegal-ply")
        return error._replace(words=f"{found.words}{error.more}", suggest=tuple(found.plies))

    def _with_unwritten(self, plies: Sequence[str]) -> list[Read]:
        return [Read(ply, self.at, self.at) for ply in plies]

    def _read_chance(self) -> bool:
        if not self.position.is_chance:
            return False
        read = chance_at(self.position, self.text, self.at)
        if read is None:
            return False
        if not self._check_end(read.end):
            self._take([[read]] if self.position.is_legal(read.ply) else [], read.end, read.ply)
        return True

    def _read_setup(self) -> bool:
        if not self._is_setup:
            return False
        read = setup_at(self._setups_of.size, self.text, self.at)
        if read is None:
            return False
        if not self.start.is_legal(read.ply):
            return self._fail_ply(read.ply, read.end)
        self._setups.append((read, self._label[0] if self._label else None))
        self._label = None
        self.at = read.end
        self._turn += 1
        if len(self._setups) == 2:
            self._play_setups()
        return True

    def _play_setups(self) -> None:
        """Play the setups, each as the one of the player whose name precedes it, or in the order of the text."""
        setups, self._setups = self._setups, []
        first = self.start.player
        names = [name for _, name in setups]
        reads = [read for read, _ in setups]
        if len(names) == 2 and names[0] is not None and names[0] == names[1]:
            self._fail(
                "bad-ply",
                reads[1].at,
                reads[1].end,
                f"this is the second setup of {player_name(names[0])}",
                is_ply=True,
            )
            return
        labelled = any(names)
        if len(setups) == 2 and (
            names[0] not in (None, first) or names[1] == first or (not labelled and self.assumed.swapped)
        ):
            reads.reverse()
        elif len(setups) == 1 and names[0] not in (None, first):
            self._fail(
                "bad-ply", reads[0].at, reads[0].end, f"the setup of {player_name(first)} is missing", is_ply=True
            )
            return
        if self.assumed.mirrored and len(reads) == 2:
            reads[1] = reads[1]._replace(ply=reads[1].ply[::-1])
        self._turn = 1
        self._play(reads)

    def _read_position(self) -> bool:
        """A position at the beginning of a line, from which the game starts."""
        game = self.start.game.id
        if (
            self.plies
            or self._setups
            or not self.text.startswith(f"{game} ", self.at)
            or "/" not in self.text[self.at :]
        ):
            return False
        end = self.plain.line_end(self.at)
        text = self.plain.written(self.at, end)
        if "/" not in text:
            return False
        try:
            self.start = self.position = Position(text, board_path=self.plain.board_path)
            self._setups_of = setups_of(self.start)
        except RingfenError as error:
            code = "unknown-board" if isinstance(error, BoardError) else "bad-position"
            return self._fail(code, self.at, end, error.message)
        self.at = end
        return True

    def _read_spoken(self) -> bool:
        read = spoken_at(self.position, self.text, self.at)
        if read is None:
            return False
        is_legal = not self.is_over and self.position.is_legal(read.ply)
        after = self.text[read.end : min(read.end + 80, self.plain.line_end(self.at))].strip(DIVIDERS + ".!")
        if after[:1].isalpha() and not (run_at(after, 0) or spoken_at(self.position, after, 0) or _LABEL.match(after)):
            if not is_legal:
                return False
            words = "these words can be a ply or a comment; put comments in parentheses"
            return self._fail("bad-ply", self.at, self.plain.line_end(self.at), words, is_ply=True)
        if not self._check_end(read.end):
            self._take([[read]] if is_legal else self._after_unwritten(read), read.end, read.ply)
        return True

    def _after_unwritten(self, read: Read) -> list[list[Read]]:
        for plies, position in unwritten(self.position):
            if position.is_legal(read.ply):
                return [[*self._with_unwritten(plies), read]]
        return []

    def _read_run(self) -> bool:
        run = run_at(self.text, self.at)
        if not run or not self._is_run(run):
            return False
        if self._check_end(run[-1].end):
            return True
        found = meanings(self.position, run)
        if not found.plies and not self.position.is_chance:
            for plies, position in unwritten(self.position):
                later = meanings(position, run)
                if later.plies:
                    before = self._with_unwritten(plies)
                    return self._take([[*before, *reads] for reads in later.plies], later.end, "")
        if found.plies or not possible_plies(self.position, self._word()):
            self._take(found.plies, found.end, _first_text(run))
            return True
        return False

    def _is_run(self, run: Sequence[Square]) -> bool:
        """Return whether squares are meant as a ply, and do not occur in a text for people."""
        return len(run) > 1 or bool(run[0].prefix) or not self._is_prose(self.at, self._prose_end(self.at))

    def _word(self) -> str:
        word = _WORD.match(self.text, self.at)
        return word[0].rstrip(".!?") if word else ""

    def _read_word(self) -> bool:
        """A ply with other slips of spelling, such as a letter for a digit."""
        word = self._word()
        legal = possible_plies(self.position, word) if word and not self.position.is_over else []
        if not legal or self._check_end(self.at + len(word)):
            return False
        end = self.at + len(word)
        return self._take([[Read(ply, self.at, end)] for ply in legal], end, word)

    def _unreadable(self) -> None:
        """Report text that is neither notation nor a comment."""
        word = _WORD.match(self.text, self.at)
        end = word.end() if word else self.at + 1
        if self.is_ended and not self.position.is_over:
            self._fail("text-after-result", self.at, end, "only comments can follow the result of a game")
            return
        form = self.text[self.at : end]
        if form.strip("-"):
            more = "; put comments in parentheses" if form[0].isalpha() else ""
            reason = reason_of(self.position, form)
            words = reason[1] if reason else "it is not a ply"
            self._fail("bad-ply", self.at, end, words, is_ply=True, form=form, more=more)
        else:
            self._fail("bad-ply", self.at, end, "neither a comment nor a result follows this dash", is_ply=True)


@lru_cache(maxsize=64)
def _advice(position: Position, form: str, words: str, is_ply: bool) -> PlyDiagnosis:
    """As :func:`diagnose_ply`. Text that is no game often has the same error many times."""
    return diagnose_ply(position, form, words, is_ply=is_ply)


def _first_text(run: Sequence[Square]) -> str:
    """Return the first word of a run as the notation writes it."""
    end = next((index for index in range(1, len(run)) if run[index].sign == "" and run[index].spaced), len(run))
    return text_of([run[0], *run[1:end]]).replace("?", "N")


def _is_like(word: str, ply: str) -> bool:
    """Return whether a word is a ply in other letters."""
    return word.casefold() == ply or is_one_slip(word.casefold(), ply)


def _player(label: re.Match[str], start: Position) -> str | int | None:
    short = (label["short"] or "").lower()
    side = "s" if label["s"] or short in {"s", "w"} else "n" if label["n"] or short else None
    if label["k"]:
        return int(label["k"]) if isinstance(start.player, int) else {"1": "s", "2": "n"}.get(label["k"], label["k"])
    return side
