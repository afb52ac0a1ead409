"""Results in informal notation: in words, with other signs, in parentheses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple
from unicodedata import normalize

from ringfen.notation.characters import DIGIT_LIKE, plain_forms
from ringfen.notation.mail import is_prose
from ringfen.notation.misspellings import QUOTES, cleaned
from ringfen.notation.ply_suggestions import CONFLICT, is_draw, plain
from ringfen.notation.results import is_result_for
from ringfen.position import Position

_LONGEST: Final = 80
_COUNTED: Final = re.compile(r"[01](?:[.,]0)?(?:-[01](?:[.,]0)?)+")
#: How a game ended.
_REASON: Final = (
    r"(?:by [0-9]+|(?:(?:on|in|over|by|auf|durch|nach|wegen|mit|par|au|sur) )?(?:[0-9]+ )?"
    r"(?:time|timeout|points?|resignation|forfeit|ff|default|agreement|agreed|repetition"
    r"|zeit|zeitüberschreitung|punkte?|aufgabe|vereinbarung|vereinbart"
    r"|temps|abandon|forfait|accord|accord mutuel))"
)
_HOW: Final = rf"(?: the game| das spiel| die partie| la partie)?(?:,? {_REASON})?"
_WON: Final = (
    r"(?:has won|wins|won|victory|victorious|is victorious|is the winner|is winner|win"
    r"|gewinnt|gewann|gewonnen|hat gewonnen|siegt|siegte|sieg|gagne|gagnent|a gagné|ont gagné|gagnant|l'emporte)"
)
_LOST: Final = (
    r"(?:(?:has )?(?:resigned|lost|forfeited|surrendered|conceded|given up|timed out)|resigns?|loses|forfeits"
    r"|surrenders|concedes|gives up|gave up|times? out|gibt auf|gab auf|(?:hat )?(?:aufgegeben|verloren)|verliert"
    r"|verlor|abandonne|abandonnent|a abandonné|ont abandonné|perd|perdent|a perdu|ont perdu)"
)
_ARTICLE: Final = r"(?:(?:the|der|die|das|le|la|les) )?"
#: The player's name may be missing.
_WINS: Final = re.compile(rf"{_ARTICLE}(.*?)(?: ?[:,])? ?{_WON}{_HOW}")
_WINS_NAMED_LAST: Final = re.compile(
    r"(?:a |the |der |le |la )?(?:win(?:s|ner)?|won|victory|sieg(?:er)?|gewinner|vainqueur|gagnant|victoire)(?: ?:)?"
    rf"(?: (?:for|of|by|is|goes to|von|für|ist|de|du|des|pour|est))? ?{_ARTICLE}(.+?){_HOW}"
)
_LOSES: Final = re.compile(rf"{_ARTICLE}(.*?)(?: ?[:,])? ?{_LOST}{_HOW}")
_DRAWN: Final = re.compile(
    r"(?:a |game |the game is |it'?s a |ended in a |(?:la )?partie |match )?(?:draw|drawn|tie|tied|remis|unentschieden"
    rf"|nul(?:le)?)(?: game)?(?:,? {_REASON})?|agreed (?:draw|drawn)"
)
_UNFINISHED: Final = frozenset(
    {"*", "unfinished", "adjourned", "undecided", "in progress", "not finished", "to be continued", "game unfinished"}
    | {"suspended", "unbeendet", "nicht beendet", "hängepartie", "vertagt", "ajournée", "inachevée", "en cours"}
    | {"non terminée", "partie ajournée", "partie inachevée"}
)
_HOW_ENDED: Final = re.compile(_REASON)
_LABEL: Final = re.compile(r"(?:final )?(?:result|score|ergebnis|resultat|résultat|stand) ?[:=]? ?")
#: Between two statements of a result.
_BETWEEN: Final = re.compile(r"[()\[\],]+| -+ |(?<=[-:–/][0-9½]) (?=[^\W\d])|(?<=[^\W\d]) (?=[01][-:–/]|½)")
_AROUND: Final = QUOTES + "() \t\r\n"
_PARENTHESES: Final = re.compile("[()]")
#: White space (that of Unicode, as UTF-8) or a comment.
ASIDE: Final = re.compile(
    rb"(?:[\s\x1c-\x1f]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
    rb"|\{[^}]*\}|;[^\r\n]*"
)
_WHITE_SPACE: Final = b" \t\r\n"
_BEFORE_RESULT: Final = _WHITE_SPACE + b"{};"
_UNTIL_COMMENT: Final = re.compile(rb"[^{};]{1,4000}")
#: What divides a result from a text after it: a blank line, or the line before the signature of a mail.
_END_OF_RESULT: Final = re.compile(rb"\n[ \t]*\n|\n(?=-- ?\n)")
_NUMBER_BEFORE: Final = re.compile(rb"(?<![^\s(])[1-9][0-9]{0,8}(\.\.\.|\.)[ \t\r\n]*\Z")
_LONGEST_WORD: Final = 64
#: Words that do not say by themselves which player they mean; only a tag decides.
_WHITE: Final = frozenset({"white", "weiss", "blanc", "blancs"})
_UNCLEAR: Final = frozenset({"", "i", "black", "schwarz", "noir", "noirs"}) | _WHITE
#: An unknown result, in a tag.
UNKNOWN: Final = frozenset({"", "?", "-", "unknown"})


class WrittenResult(NamedTuple):
    """A result in another form at the end of a record: its place in bytes, its text, and what it means."""

    at: int
    length: int
    text: str
    result: str


def written_result(
    data: bytes, movetext: int, at: int, start: Position, tags: Mapping[str, str]
) -> WrittenResult | None:
    """Return the result at a place of a record, if only comments follow it; None if it can have another meaning.

    :param movetext: the place where the movetext begins.
    :param at: a place in the first word of the result.
    """
    found = _text_at_end(data, movetext, at)
    if found is None:
        return None
    begin, text = found
    if any(CONFLICT.fullmatch(word) for word in text.decode("utf-8", "replace").split()):
        return None
    parts = _END_OF_RESULT.split(text, 1)
    if len(parts) > 1 and is_prose(parts[1].decode("utf-8", "replace"), [start]):
        text = parts[0]
    written = text.decode("utf-8", "replace")
    result = sure_result(start, written, tags)
    return None if result is None else WrittenResult(begin, len(text), written, result)


def _text_at_end(data: bytes, movetext: int, at: int) -> tuple[int, bytes] | None:
    """Return where the word at a place begins, and the text from there to the comments at the end of the record; None
    if more follows.
    """
    begin = at
    while begin > movetext and at - begin < _LONGEST_WORD and data[begin - 1] not in _BEFORE_RESULT:
        begin -= 1
    words = _UNTIL_COMMENT.match(data, begin)
    if words is None or not ends_here(data, words.end()):
        return None
    return begin, words[0].rstrip(_WHITE_SPACE)


class PossibleResults(NamedTuple):
    """Words at the end of a record that do not name the player: their place in bytes, and what they can mean."""

    at: int
    length: int
    results: list[str]


def possible_results(data: bytes, movetext: int, at: int, position: Position) -> PossibleResults | None:
    """Return the possible results of words such as "resigns" or "White wins" at the end of a record.

    If a player resigns after a move number, only the player to move can be meant; the number then belongs to the words.
    """
    found = _text_at_end(data, movetext, at)
    if found is None or position.players != 2 or len(found[1]) > _LONGEST or position.outcome is not None:
        return None
    begin, text = found
    spoken = " ".join(cleaned(text.decode("utf-8", "replace"), "", " ").strip(_AROUND + "!.,").casefold().split())
    loses = _LOSES.fullmatch(spoken)
    wins = _WINS.fullmatch(spoken) or _WINS_NAMED_LAST.fullmatch(spoken)
    named = loses or wins
    if named is None or named[1] not in _UNCLEAR:
        return None
    results = ["0-1", "1-0"] if position.player == "s" else ["1-0", "0-1"]
    if loses is None or loses[1]:
        return PossibleResults(begin, len(text), results)
    before = max(movetext, begin - _LONGEST_WORD)
    number = _NUMBER_BEFORE.search(data[before:begin])
    if number is None:
        return PossibleResults(begin, len(text), results)
    at = before + number.start()
    is_right = (number[1] == b".") == (position.player == "s")
    return PossibleResults(at, begin + len(text) - at, results[:1] if is_right else results)


def ends_here(data: bytes, at: int) -> bool:
    """Return whether only white space and comments follow."""
    while at < len(data):
        aside = ASIDE.match(data, at)
        if aside is None:
            return False
        at = aside.end()
    return True


def sure_result(position: Position, text: str, tags: Mapping[str, str] | None = None) -> str | None:
    """Return the result that is written in another way; None if the text can mean another one.

    :param tags: the tags of the record: the names of the players, and the result that words such as "resigns" mean.
    """
    if len(text) > _LONGEST:
        return None
    text = " ".join(cleaned(text, "", " ").rstrip(_AROUND + "!.,+#").lstrip(_AROUND).split())
    texts = dict.fromkeys((text, _PARENTHESES.sub("", text)))
    meant = next(filter(None, (_meant(position, one, tags or {}) for one in texts)), None)
    if meant is None:
        pieces = {piece.strip() for piece in _BETWEEN.split(text)} - {"", text}
        pieces = {piece for piece in pieces if not _HOW_ENDED.fullmatch(piece.casefold())}
        results = {_meant(position, piece, tags or {}) for piece in pieces}
        meant = results.pop() if len(results) == 1 else None
    return meant if meant is not None and is_result_for(meant, position) else None


def _meant(position: Position, text: str, tags: Mapping[str, str]) -> str | None:
    """Return the result that one statement gives."""
    spoken = " ".join(normalize("NFC", plain_forms(text)).replace("’", "'").casefold().split())
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


#: What people call the players of games for two.
_NAMES: Final = {
    "south": frozenset({"south", "s", "south player", "süd", "sued", "süden", "sud"}),
    "north": frozenset({"north", "n", "north player", "nord", "norden"}),
}


def _names(player: str) -> Collection[str]:
    """Return the words that people use for a player, by side or number."""
    number = player.removeprefix("player")
    return _NAMES.get(player) or [word + number for word in ("player", "player ", "p", "spieler ", "joueur ")]


def _result_of_player(position: Position, name: str, wins: bool, tags: Mapping[str, str]) -> str | None:
    """Return the result if the player with this name wins or loses; None if the name can mean another player."""
    two = position.players == 2 and position.game.players[1] <= 2
    players = ("south", "north") if two else tuple(f"player{number}" for number in range(1, position.players + 1))
    result = tags.get("Result", "*")
    if name in _UNCLEAR:
        fits = name in ("", "i") or (result == "1-0") == (wins == (name in _WHITE))
        return result if two and result in ("1-0", "0-1") and fits else None
    folded = {tag.casefold(): " ".join(value.casefold().split()) for tag, value in tags.items()}
    words = set(name.split())
    named = [
        number
        for number, player in enumerate(players)
        if name in _names(player) or words <= set(folded.get(player, "").split())
    ]
    if len(named) != 1 or not (wins or two):
        return None
    winner = named[0] if wins else 1 - named[0]
    return "-".join("1" if number == winner else "0" for number in range(position.players))
