"""What each code means, with an example and its repair; what other keys of messages and of repairs mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ringfen.errors import COMMON_REASONS
from ringfen.rules import game_by_id, game_ids

_HEAD: Final = '[Game "gyges"]\n\n'
_FEN: Final = '[FEN "gyges 321123/....../....../....../....../321123 s - 1+1"]'


class Explanation(NamedTuple):
    """``wrong`` is a text about which the code is reported, ``right`` the same repaired, ``repair`` how that is done.

    Texts that cannot be shown are empty.
    """

    wrong: str
    right: str
    repair: str


def _movetext(wrong: str, right: str, repair: str) -> Explanation:
    return Explanation(f"{_HEAD}{wrong}", f"{_HEAD}{right}", repair)


EXPLANATIONS: Final[Mapping[str, Explanation]] = {
    "too-long": Explanation("", "", "Look for a brace that is not closed, or raise the limit."),
    "bad-utf8": Explanation("", "", "Save the text as UTF-8. 'ringfen fix' does that for UTF-16 and Windows-1252."),
    "bad-json": Explanation(
        '{"tags": {"Game": "gyges"}, "movetext": 7}',
        '{"tags": {"Game": "gyges"}, "movetext": [], "result": "*"}',
        "Write the object as docs/record-schema.json defines it.",
    ),
    "bad-format": Explanation("", "", "Compare the text with the example on the page of the format (docs/formats/)."),
    "bad-tag": Explanation(
        '[Game "gyges]\n\n321123 *', '[Game "gyges"]\n\n321123 *', 'A tag reads [Name "value"], on one line.'
    ),
    "duplicate-tag": Explanation(
        '[Game "gyges"]\n[Event "A"]\n[Event "A"]\n\n*', '[Game "gyges"]\n[Event "A"]\n\n*', "Remove one of them."
    ),
    "missing-game": Explanation(
        '[Event "A"]\n\n*', '[Event "A"]\n[Game "gyges"]\n\n*', "Name the game in a Game tag, or add a FEN tag."
    ),
    "unknown-game": Explanation(
        '[Game "Gygès"]\n\n*', '[Game "gyges"]\n\n*', "Write the id that 'ringfen games' lists."
    ),
    "game-mismatch": Explanation(
        f'[Game "rings"]\n{_FEN}\n\n*', f'[Game "gyges"]\n{_FEN}\n\n*', "Correct the tag that is wrong."
    ),
    "bad-players": Explanation(
        '[Game "gran"]\n[Player1 "A"]\n[Player3 "C"]\n\n*',
        '[Game "gran"]\n[Player1 "A"]\n[Player2 "B"]\n[Player3 "C"]\n\n*',
        "Name the players in order, as many as the game or the position has.",
    ),
    "bad-position": Explanation(
        f"{_FEN.replace(' s ', ' x ')}\n\n*",
        f"{_FEN}\n\n*",
        "Correct the text at the caret (docs/notation.md).",
    ),
    "impossible-position": Explanation(
        f"{_FEN.replace('321123 s', '321122 s')}\n\n*",
        f"{_FEN}\n\n*",
        "The rules exclude the position; compare it with the board.",
    ),
    "unknown-board": Explanation("", "", "Give the file of the board (on the command line, with --board)."),
    "bad-ply": _movetext(
        "321123 321123 b1b3 *", "321123 321123 b1-b3 *", "Write the ply as docs/notation.md defines it."
    ),
    "illegal-ply": _movetext("321123 321123 a1-b2 *", "321123 321123 a1-b3 *", "Put in the ply that was played."),
    "ply-after-end": Explanation(
        '[FEN "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"]\n\n1. d2-N a5-a4 1-0',
        '[FEN "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"]\n\n1. d2-N 1-0',
        "Remove the ply, or find the ply before that is wrong.",
    ),
    "bad-number": _movetext("1.. 321123 *", "1. 321123 *", "A number has one dot or three."),
    "bad-nag": _movetext("321123 $x *", "321123 $1 *", "A NAG is $ and a number from 0 to 255."),
    "bad-suffix": _movetext("321123!!! *", "321123!! *", "The suffixes are ! ? !! ?? !? and ?!"),
    "misplaced-nag": _movetext("$1 321123 *", "321123 $1 *", "Put the NAG after its ply."),
    "misplaced-variation": _movetext(
        "(123321) 321123 *", "321123 (123321) *", "Put the variation after the ply it replaces."
    ),
    "empty-variation": _movetext("321123 ({none}) *", "321123 {none} *", "Write a ply in it, or remove it."),
    "unclosed-variation": _movetext("321123 (123321 *", "321123 (123321) *", "Close the parenthesis."),
    "stray-parenthesis": _movetext("321123 ) *", "321123 *", "Remove the parenthesis, or open one before."),
    "unclosed-comment": _movetext("321123 {why *", "321123 {why} *", "Close the brace."),
    "stray-brace": _movetext("321123 why} *", "321123 {why} *", "Remove the brace, or open one before."),
    "bad-result": Explanation(
        '[Game "gran"]\n\n1-0', '[Game "gran"]\n\n1-0-0', "Write a result that the game has, or * if it is open."
    ),
    "misplaced-result": _movetext(
        "321123 (123321 1-0) *", "321123 (123321) 1-0", "Move the result to the end of the record."
    ),
    "result-mismatch": Explanation(
        '[Game "gyges"]\n[Result "1-0"]\n\n321123 0-1',
        '[Game "gyges"]\n[Result "0-1"]\n\n321123 0-1',
        "Make tag and movetext agree; the last position of a finished game decides.",
    ),
    "text-after-result": _movetext("321123 * 321123", "321123 321123 *", "Put the result at the end."),
    "no-written-form": Explanation("", "", "Change the text so that it can be written (docs/python.md)."),
    "wrong-number": _movetext(
        "1. 321123 321123 3. b1-b3 *",
        "1. 321123 321123 2. b1-b3 *",
        "Numbers count rounds from 1. If plies are missing, add them, or, if they are lost, state the position"
        " after them in a comment, {[%position …]}. Otherwise correct the number.",
    ),
    "missing-number": _movetext("321123 321123 *", "1. 321123 321123 *", "Write the number; 'ringfen fmt' does it."),
    "stray-number": _movetext("1. 321123 321123 2. *", "1. 321123 321123 *", "Remove the number."),
    "missing-line-end": Explanation(
        f'{_HEAD}*[Game "gyges"]\n\n*', f'{_HEAD}*\n\n[Game "gyges"]\n\n*', "Begin each record on a new line."
    ),
    "missing-tag": Explanation(
        '[Game "gyges"]\n\n*',
        '[Game "gyges"]\n[Event "?"]\n[Date "????.??.??"]\n[South "?"]\n[North "?"]\n[Result "*"]\n\n*',
        "Add the tags; write a question mark for an unknown value.",
    ),
    "bad-date": Explanation(
        '[Game "gyges"]\n[Date "12.3.1998"]\n\n*',
        '[Game "gyges"]\n[Date "1998.03.12"]\n\n*',
        "Write year, month and day as YYYY.MM.DD, with ? for each unknown digit.",
    ),
    "missing-result": _movetext("1. 321123", "1. 321123 *", "End with the result, or with * if there is none."),
    "null-move": _movetext(
        "1. 221313 123231 2. e1xc1-d2 f6-f6 *",
        "1. 221313 123231 2. e1xc1-d2 a6-a5 *",
        "Check whether the ply is a slip.",
    ),
    "gap": _movetext(
        "1. 321123 321123 {[%position gyges 321123/....../3...../....../....../.21123 n - 1+1]} *",
        "1. 321123 321123 2. a1-a4 {[%position gyges 321123/....../3...../....../....../.21123 n - 1+1]} *",
        "Put in the plies that are missing, or correct the position in the comment.",
    ),
    "omitted": Explanation("", "", "The page of the format (docs/formats/) lists the contents that are kept."),
    "not-shown": Explanation("", "", "Repair what is shown and validate again."),
}

#: What other keys mean: those of repairs, and those of errors whose messages the core does not write.
_KEYS: Final[Mapping[str, str]] = {
    "html": "a repair by 'fix': an escape such as &nbsp; or a mark such as <br> outside comments",
    "line-ends": "a repair by 'fix': line ends that are not LF",
    "quoted-mail": "a repair by 'fix': the sign of a quotation at the beginning of a line",
    "quoted-printable": "a repair by 'fix': escapes of mail, such as =3D",
    "bad-board": "a board that a position cannot use",
    "bad-cards": "a line cards: of a board file that is not seven numbers from 0 to 99, one of them above 0",
    "bad-header": "text after realms: or symbols: in its line of a board file",
    "bad-letter": "a letter that a block of a board file does not have",
    "bad-lines": "a line lines: of a board file that is neither orthogonal nor all",
    "bad-link": "a link: or unlink: of a board file that does not name two points, or changes nothing",
    "bad-material": "a text that names no material of the game",
    "bad-name": "the name of a board with other characters than letters, digits, - and _, or of another board",
    "bad-option": "an option that the game of the position does not have",
    "bad-stipulation": "a text that is not a stipulation of a problem",
    "bad-stones": "a line stones: of a board file that is not one number",
    "bad-suite": "a line that is not a row of known counts",
    "cannot-start": "the other program cannot be started",
    "damaged-table": "a file of an endgame table that does not match its checksum or form",
    "failed": "the other program ended with an error",
    "foreign-table": "a file that is not an endgame table, or not of the class in its name",
    "limit-reached": "a limit was reached before an answer was known",
    "missing": "a required line that a board file lacks",
    "missing-symbol": "a required symbol that a board lacks",
    "missing-table": "the file of an endgame table does not exist",
    "newer-table": "an endgame table of a newer version of Ringfen",
    "no-answer": "a worker ended without an answer for a position",
    "no-engine-notation": "a game without a notation of other programs",
    "no-form": "a record that the other format cannot express",
    "no-plies": "the other program printed no ply with a count",
    "no-record": "a text that contains no record",
    "no-start": "a record without a start position that can be read",
    "no-such-board": "no file of a board with this name was found",
    "no-such-point": "a point that the board does not have",
    "not-solved": "a position that is not solved within the limits",
    "other-game": "a format of another game",
    "other-shape": "realms: and symbols: of a board file have different shapes",
    "other-table": "an endgame table of other rules than the position has",
    "out-of-memory": "memory ran out",
    "overflow": "a number that is too large",
    "second-symbol": "a symbol that a board has only once appears twice",
    "symbol-on-white": "a symbol on a white point of a board",
    "timeout": "the other program gave no answer in time",
    "too-large": "a board with more than 12 ranks or files",
    "too-many-points": "a board with more than 128 points",
    "too-much": "the other program printed too much",
    "truncated-table": "a truncated file of an endgame table",
    "twice": "a line of a board file that appears twice",
    "ugi-digits": "a text that is not a board string of the Universal Gygès Interface",
    "ugi-move": "a text that is not a move of the Universal Gygès Interface, or a ply that has no such move",
    "ugi-setup": "the board string cannot express a position before the setup",
    "ugi-throne": "the board string cannot express a ring on a throne",
    "uneven-rows": "the rows of a block of a board file have different lengths",
    "unknown-line": "a line that a board file cannot have",
    "unreadable-table": "a file of an endgame table that cannot be read",
    "unread": "a record that could not be read completely",
    "unsound": "a problem that is not sound",
    "wrong-value": "an endgame table with a value that the rules contradict",
}


def meanings_of_key(key: str) -> list[str]:
    """Return what a key of an error or repair means that is no code of a diagnostic; none if there is no such key.

    Texts that depend on the position are shown as an ellipsis.
    """
    games = [game_by_id(name).reasons for name in game_ids()]
    found = [_KEYS.get(key), COMMON_REASONS.get(key), *(reasons.get(key) for reasons in games)]
    return list(dict.fromkeys(re.sub(r"\{[0-9]\}", "…", meaning) for meaning in found if meaning))


def keys() -> list[str]:
    """Return the keys that messages and JSON output contain, except the codes of diagnostics, in order."""
    found = {*_KEYS, *COMMON_REASONS, *(key for name in game_ids() for key in game_by_id(name).reasons)}
    return sorted(found - EXPLANATIONS.keys())
