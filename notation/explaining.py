"""What each code means, with an example and its repair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

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
    "too-long": Explanation("", "", "Look for a brace that is not closed. In Python, max_record raises the limit."),
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
    "unknown-board": Explanation("", "", "Give the file of the board with --board PATH."),
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
        "1. 321123 321123 3. b1-b3 *", "1. 321123 321123 2. b1-b3 *", "Numbers count rounds from 1."
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
    "not-shown": Explanation("", "", "Repair what is shown and validate again."),
}
