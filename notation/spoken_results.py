"""Results as people write them: in words, with other signs, in parentheses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ringfen.notation.characters import DIGIT_LIKE, plain_forms
from ringfen.notation.rereading import QUOTES, cleaned
from ringfen.notation.results import is_result_for
from ringfen.notation.suggesting import is_draw, plain
from ringfen.position import Position

_LONGEST: Final = 80
_COUNTED: Final = re.compile(r"[01](?:[.,]0)?(?:-[01](?:[.,]0)?)+")
#: What may follow: how the player won or lost.
_HOW: Final = (
    r"(?: the game)?(?:,? (?:(?:on|in|over) time|on points|by (?:[0-9]+|resignation|forfeit|default|agreement|timeout)"
    r"(?: points?)?))?"
)
_WON: Final = r"(?:has won|wins|won|victory|victorious|is victorious|is the winner|is winner|win)"
_LOST: Final = (
    r"(?:(?:has )?(?:resigned|lost|forfeited|surrendered|conceded|given up|timed out)|resigns|loses|forfeits|surrenders"
    r"|concedes|gives up|gave up|times out)"
)
#: The player's name may be missing.
_WINS: Final = re.compile(rf"(?:the )?(.*?)(?: ?[:,])? ?{_WON}{_HOW}")
_WINS_NAMED_LAST: Final = re.compile(
    rf"(?:a |the )?(?:win(?:s|ner)?|won|victory):?(?: (?:for|of|by|is|goes to))? (.+?){_HOW}"
)
_LOSES: Final = re.compile(rf"(?:the )?(.*?)(?: ?[:,])? ?{_LOST}{_HOW}")
_DRAWN: Final = re.compile(
    r"(?:a |game |the game is )?(?:draw|drawn|tie|tied|remis)(?: game)?(?: (?:agreed|by agreement|by repetition))?"
    r"|agreed (?:draw|drawn)"
)
_UNFINISHED: Final = frozenset(
    {"unfinished", "adjourned", "undecided", "in progress", "not finished", "to be continued", "game unfinished"}
)
_LABEL: Final = re.compile(r"(?:final )?(?:result|score) ?[:=]? ?")
#: Between two statements of a result.
_BETWEEN: Final = re.compile(r"[()\[\],]+| -+ |(?<=[-:–/][0-9½]) (?=[^\W\d])|(?<=[^\W\d]) (?=[01][-:–/]|½)")
_AROUND: Final = QUOTES + "() \t\r\n"
_PARENTHESES: Final = re.compile("[()]")
#: Words that do not say by themselves which player they mean; only a tag decides.
_UNCLEAR: Final = frozenset({"", "white", "black"})
#: An unknown result, in a tag.
UNKNOWN: Final = frozenset({"", "?", "-", "unknown"})


def sure_result(position: Position, text: str, tags: Mapping[str, str] | None = None) -> str | None:
    """Return the result that is written in another way; None if the text can mean another one.

    :param tags: the tags of the record: the names of the players, and the result that words such as "resigns" mean.
    """
    if len(text) > _LONGEST:
        return None
    text = " ".join(cleaned(text, "", " ").rstrip(_AROUND + "!.,").lstrip(_AROUND).split())
    meant = _meant(position, text, tags or {}) or _meant(position, _PARENTHESES.sub("", text), tags or {})
    if meant is None:
        pieces = {piece.strip() for piece in _BETWEEN.split(text)} - {""}
        results = {_meant(position, piece, tags or {}) for piece in pieces}
        meant = results.pop() if len(results) == 1 else None
    return meant if meant is not None and is_result_for(meant, position) else None


def _meant(position: Position, text: str, tags: Mapping[str, str]) -> str | None:
    """The result that one statement gives."""
    spoken = " ".join(plain_forms(text).casefold().split())
    label = _LABEL.match(spoken)
    if label and label.end() < len(spoken):
        text = spoken = spoken[label.end() :]
    word = "".join(DIGIT_LIKE.get(c, c) if c != "|" else c for c in plain("".join(text.split())))
    if is_draw("".join(text.split())) or is_draw(word) or _DRAWN.fullmatch(spoken):
        return "1/2-1/2"
    if spoken in _UNFINISHED:
        return "*"
    loses = _LOSES.fullmatch(spoken)
    if loses:
        return _result_of_player(position, loses[1], False, tags)
    wins = _WINS.fullmatch(spoken) or _WINS_NAMED_LAST.fullmatch(spoken)
    if wins:
        return _result_of_player(position, wins[1], True, tags)
    counted = word.replace(":", "-")
    return re.sub("[.,]0", "", counted) if _COUNTED.fullmatch(counted) else None


def _result_of_player(position: Position, name: str, wins: bool, tags: Mapping[str, str]) -> str | None:
    """Return the result if the player with this name wins or loses; None if the name can mean another player."""
    two = position.players == 2 and position.game.players[1] <= 2
    players = ("south", "north") if two else tuple(f"player{number}" for number in range(1, position.players + 1))
    said = tags.get("Result", "*")
    if name in _UNCLEAR:
        fits = name == "" or (said == "1-0") == (wins == (name == "white"))
        return said if two and said in ("1-0", "0-1") and fits else None
    folded = {tag.casefold(): " ".join(value.casefold().split()) for tag, value in tags.items()}
    words = set(name.split())
    named = [
        number
        for number, player in enumerate(players)
        if name in (player, player.replace("player", "player "), player[0] if two else player)
        or words <= set(folded.get(player, "").split())
    ]
    if len(named) != 1 or not (wins or two):
        return None
    winner = named[0] if wins else 1 - named[0]
    return "-".join("1" if number == winner else "0" for number in range(position.players))
