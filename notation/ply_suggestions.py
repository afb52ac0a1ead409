"""The likely meaning of a ply that is malformed or illegal, and its kind of error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ringfen._core import ffi, lib
from ringfen.drawing.description import Description
from ringfen.errors import RingfenError
from ringfen.notation.characters import DIGIT_LIKE, plain_forms, strange_characters
from ringfen.notation.results import is_result_for
from ringfen.position import Position
from ringfen.text import printable

#: The most suggestions for one ply.
MOST: Final = 3
#: A longer word is not a mistyped ply.
_LONGEST: Final = 64
#: How many of the plies that follow are tried after each suggestion.
_AHEAD: Final = 6

#: How people write the value of a position after a ply, and the NAG with this meaning; the longest signs come first.
NAGS: Final = {
    **{"=/∞": 44, "+/-": 16, "-/+": 17, "+/=": 14, "=/+": 15},
    **{"+-": 18, "-+": 19, "+=": 14, "=+": 15, "=∞": 44},
    **{"±": 16, "∓": 17, "⩲": 14, "⩱": 15, "∞": 13, "=": 10, "□": 7},
    **{"‼": 3, "⁇": 4, "⁉": 5, "⁈": 6, "！": 1, "？": 2},
}
#: Signs of chess at the end of a ply, which say nothing here.
OF_CHESS: Final = re.compile(r"[+#†‡]{1,2}\Z")
#: Escapes of quoted-printable: a line end, a space, the sign itself, another character.
_ESCAPED: Final = re.compile(r"=(?:\Z|20|3D|09|[89A-F][0-9A-F])")
#: The beginning of an escape of HTML, which ends with a semicolon, or a mark.
_HTML: Final = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z]{2,8}[0-9]{0,2})\Z|</?[A-Za-z]+/?>")
#: What a sign of a value follows.
_VALUED: Final = re.compile(r".*[0-9NSns]")
#: How Git divides versions of a text that it cannot merge; 'fix' keeps these marks.
CONFLICT: Final = re.compile(r"<{7}|={7}|>{7}|[|]{7}")
_SQUARE: Final = re.compile(r"[a-z][0-9]+")
#: How most plies are written.
_PLY: Final = re.compile(r"[=@*+]?[a-z][0-9]+(?:[-x][a-z][0-9]+)*(?:-[NS])?")
#: A long form: the first square, those that it names between, and the rest.
_LONG_FORM: Final = re.compile(r"([a-z][0-9]+)((?:-[a-z][0-9]+)+?)(x[a-z][0-9]+-[a-z][0-9]+|-[a-z][0-9]+|-[NS])")
#: What is left of a move number after a space.
_DOTS: Final = re.compile(r"\.+|…")
#: No board has a file x.
_PARTS: Final = re.compile(r"[-x:@*=+]")
_SIGNS: Final = re.compile(r"[-x:]")
_TURNED: Final = str.maketrans("-x", "x-")
#: Characters that look alike in print and in handwriting.
_ALIKE: Final = str.maketrans("ilo|sbgqz", "110156992")
#: A move number with letters for digits, or with another sign than a dot.
_ODD_NUMBER: Final = re.compile(r"([0-9OoIl|]{1,4})[.,:)]+")
#: How people write a draw, with - for : between the halves.
_DRAW: Final = re.compile(r"(?:(?:½|1/2|0?[.,]5)-)?(?:½|1/2)|(?:½|1/2|0?[.,]5)-0?[.,]5|draw|remis")


def plain(text: str) -> str:
    """Return a word with hyphens, crosses and letters as the notation has them, if nothing else needs repair."""
    text = plain_forms(text)
    if text.isascii() and text.isdigit():
        return text
    head, north, tail = text.partition("-N") if text.endswith("-N") else text.partition("-S")
    return head.lower() + north + tail.lower() if north and not tail else text.lower()


def is_draw(text: str) -> bool:
    """Return whether a word is one of the ways in which people write a draw."""
    return _DRAW.fullmatch(plain(text).replace(":", "-")) is not None


def writing_error(position: Position | None, text: str) -> str | None:
    """Return the error in the writing of a word, in words; None if unknown."""
    shown = printable(text)
    if _DOTS.fullmatch(text):
        return f"{shown} is not a ply; it seems to belong to a move number, which is one word, such as 2..."
    strange = strange_characters(text)
    meant = plain(text)
    if text != "1/2-1/2" and is_draw(text) and (position is None or is_result_for("1/2-1/2", position)):
        return f"{shown} is not a ply; a draw is written 1/2-1/2"
    value = next((sign for sign in NAGS if text.endswith(sign)), None)
    if value is not None and (text == value or _VALUED.fullmatch(text.removesuffix(value))):
        where = "it follows a ply, and" if text == value else f"it ends with {value}, which"
        return f"{shown} is not a ply; {where} is written as the NAG ${NAGS[value]}"
    if strange is not None:
        return f"{shown} {strange}"
    of_chess = OF_CHESS.search(text)
    if of_chess and _SQUARE.search(text):
        return f"{shown} is not a ply; it ends with {of_chess[0]}, a chess sign that has no meaning here"
    if CONFLICT.fullmatch(text):
        return f"{shown} is not a ply; it is the mark of a conflict of versions: keep one of them"
    if not text.strip(">"):
        return f"{shown} is not a ply; it is the sign of a quotation in a mail"
    if _ESCAPED.search(text) and not (position is not None and can_be_read(position, meant)):
        return f"{shown} is not a ply; = is an escape of a mail here (quoted-printable)"
    html = _HTML.search(text)
    if html:
        return f"{shown} is not a ply; {printable(html[0])} belongs to HTML, which 'ringfen fix' decodes"
    if re.fullmatch(r"[0-9]{1,4}", text):
        row = _error_of_setup(position.plies(), text, shown) if position is not None and len(text) > 1 else None
        return row or f"{shown} is not a ply; a move number needs its dot, {text}."
    if meant != text and (can_be_read(position, meant) if position else _PLY.fullmatch(meant)):
        return f"{shown} contains capitals; squares and x are written in lower case, {printable(meant)}"
    number = _ODD_NUMBER.fullmatch(text)
    if number and any(map(str.isdigit, number[1])):
        digits = "".join(DIGIT_LIKE.get(c, c) for c in number[1])
        return f"{shown} is not a ply; a move number is digits with a dot, {digits}."
    if position is None:
        return None
    if ":" in meant and can_be_read(position, meant.replace(":", "x")):
        return f"{shown} contains : instead of x"
    if re.match(r"[a-z]{2}[0-9]", meant) and can_be_read(position, meant[1:]):
        return f"{shown} begins with {text[0]}; a ply names only squares, {meant[1:]}"
    glued = glued_plies(position, text)
    if glued is not None:
        return f"{shown} is two plies without a space between them, {glued[0]} and {glued[1]}"
    legal = position.plies()
    return (
        _error_of_setup(legal, text, shown)
        or _error_of_drop(position, legal, meant, shown)
        or _error_of_squares(position, legal, meant, shown)
        or _error_of_signs(position, legal, meant, shown)
    )


def can_be_read(position: Position, text: str) -> bool:
    """Return whether a word is written as plies of the game are, whether or not it is legal."""
    raw = text.encode("utf-8", "surrogatepass")
    parsed, error = ffi.new("rf_parsed_ply *"), ffi.new("rf_error *")
    game, context = position.game.cdata, position.context.cdata
    is_legal = lib.rf_parse_ply(game, context, position.state, raw, len(raw), parsed, error)
    return bool(is_legal or error.kind != lib.RF_SYNTAX)


def glued_plies(position: Position, text: str) -> tuple[str, str] | None:
    """Return the two legal plies that a word makes without a space between them; None if it has no such reading, or
    more than one."""
    meant = plain(text)
    if len(meant) > _LONGEST:
        return None
    parts = ((meant[:at], meant[at:]) for at in range(2, len(meant) - 1))
    found = [pair for pair in parts if position.is_legal(pair[0]) and position.apply(pair[0]).is_legal(pair[1])]
    return found[0] if len(found) == 1 else None


def _without_blanks(position: Position, text: str, following: Sequence[str]) -> str | None:
    """Return the legal ply that a word makes with the one or two after it."""
    joined = plain(text)
    for word in following[:2]:
        joined += plain(word)
        if len(joined) <= _LONGEST and position.is_legal(joined):
            return joined
    return None


def _error_of_setup(legal: Sequence[str], text: str, shown: str) -> str | None:
    """Return the error in a setup, for games in which plies are rows of digits."""
    if not (text.isascii() and text.isdigit() and legal and legal[0].isdigit()):
        return None
    size, digits = len(legal[0]), sorted(set("".join(legal)))
    if len(text) != size:
        return f"expected {size} digits, as in {legal[0]}, but {shown} has {len(text)}"
    wrong = next((digit for digit in text if digit not in digits), None)
    if wrong is not None:
        return f"{shown} contains {wrong}; the digits are {', '.join(digits)}, as in {legal[0]}"
    return None


def _reason(position: Position, ply: str) -> str:
    """Why a ply is not legal."""
    try:
        position.apply(ply)
    except RingfenError as error:
        return error.message
    return ""


def _error_of_drop(position: Position, legal: Sequence[str], meant: str, shown: str) -> str | None:
    """Return the error if a drop has more than its sign and a square."""
    written = re.fullmatch(r"\w+@([a-z][0-9]+)|([a-z][0-9]+)@\w*", meant)
    drop = written and f"@{written[1] or written[2]}"
    if drop is None or not can_be_read(position, drop):
        return None
    words = f"{shown} is not how a drop is written, which is {drop}"
    return words if drop in legal else f"{words}; {_reason(position, drop)}"


def _error_of_squares(position: Position, legal: Sequence[str], meant: str, shown: str) -> str | None:
    """Return the error if a square is missing, single, or incomplete."""
    board = Description(position)
    squares = _SQUARE.findall(meant)
    for square in squares:
        file, rank = ord(square[0]) - ord("a"), int(square[1:]) - 1
        if file >= board.files or not 0 <= rank < board.ranks:
            last = chr(ord("a") + board.files - 1)
            where = _as_written(square, meant, shown)
            return f"{where} is off the board, which has files a to {last} and ranks 1 to {board.ranks}"
    if _SQUARE.fullmatch(meant):
        signed = next((ply for ply in legal if ply[1:] == meant), None)
        if signed is not None:
            return f"{shown} is only a square; with its sign it is {signed}"
        longer = next((ply for ply in legal if len(_SQUARE.findall(ply)) > 1), None)
        if longer is not None:
            return f"{shown} is only a square; a ply here is written as in {longer}"
    if squares:
        for part in _PARTS.split(meant):
            words = _error_of_part(part)
            if words is not None:
                return f"{_as_written(part, meant, shown)} {words}"
    return None


def _as_written(part: str, meant: str, shown: str) -> str:
    """Return a part of a word as the record has it, and the word."""
    if part == meant:
        return shown
    at = meant.index(part)
    return f"{shown[at : at + len(part)] if len(shown) == len(meant) else part} in {shown}"


def _error_of_part(part: str) -> str | None:
    """Return the error in the text between two signs, which should be a square."""
    if re.fullmatch(r"(?:[a-z][0-9]+){2,}", part):
        first, second = _SQUARE.findall(part)[:2]
        return f"has no sign between {first} and {second} (expected a hyphen or x)"
    letter = re.fullmatch(r"[a-z][0-9]+([a-z])[a-z][0-9]+", part)
    if letter:
        return f"has {letter[1]} instead of a hyphen or x"
    if re.fullmatch(r"[a-z]{2,}[0-9]*", part):
        return "is not a square, which is one letter and a number"
    if re.fullmatch("[a-z]", part):
        return "is a file without its rank"
    return "is a rank without its file" if part.isascii() and part.isdigit() else None


def _error_of_signs(position: Position, legal: Sequence[str], meant: str, shown: str) -> str | None:
    """Return the error if there is a sign too many or too few, or nothing after it."""
    if "x" in meant and not meant.endswith("x"):
        turned = meant.translate(_TURNED)
        if position.is_legal(turned):
            return f"{shown} has its signs the wrong way round; a displacement is written {turned}"
        longer = next((ply for ply in legal if ply.startswith(f"{meant}-")), None)
        if longer is not None:
            return f"{shown} does not say where the displaced piece goes, as in {longer}"
        if can_be_read(position, f"{meant}-a1"):
            return f"{shown} does not say where the displaced piece goes"
    doubled = re.search(r"[-x:@=*]{2,}", meant)
    if doubled and _SQUARE.search(meant) and not any(doubled.group() in ply for ply in legal):
        return f"{shown} has the signs {doubled.group()} together (expected one)"
    if re.search(r"[0-9][-x:]$", meant):
        return f"{shown} ends with {meant[-1]} (expected a square after it)"
    return None


def suggestions(position: Position, text: str, following: Sequence[str] = ()) -> list[str]:
    """Return at most three legal plies that the word may mean, the most likely first.

    :param following: the words of the record after it.
    """
    if not text or len(text) > _LONGEST:
        return []
    candidates = list(_candidates(position, text, following))
    sure = [ply for ply, kind in candidates if kind == _SAME]
    if sure:
        return sure[:1]
    ranked: dict[str, tuple[int, int, int, int]] = {}
    for order, (ply, kind) in enumerate(candidates):
        if ply not in ranked:
            rest = [text, *following[1:]] if kind == _SWAPPED else following
            ranked[ply] = (kind == _ENDS, -_legal_ahead(position.apply(ply), rest), kind, order)
    return sorted(ranked, key=ranked.__getitem__)[:MOST]


#: Kinds of candidates, the most likely first.
_SAME, _SIGN, _LIKE, _TURNED_ROUND, _EDITED, _SWAPPED, _LONGER, _ENDS = range(8)


def _candidates(position: Position, text: str, following: Sequence[str]) -> Iterator[tuple[str, int]]:
    meant = plain(text)
    if position.is_legal(meant):
        yield meant, _SAME
    joined = _without_blanks(position, text, following)
    if joined is not None:
        yield joined, _SAME
    legal = position.plies()
    bare = _SIGNS.sub("", meant)
    same_squares = [ply for ply in legal if _SIGNS.sub("", ply) == bare]
    yield from ((ply, _SIGN) for ply in same_squares)
    alike = meant.translate(_ALIKE)
    yield from ((ply, _LIKE) for ply in legal if ply.lower().translate(_ALIKE) == alike)
    squares = _SQUARE.findall(meant)
    if len(squares) > 1:
        turned = [squares[1], squares[0], *squares[2:]]
        yield from ((ply, _TURNED_ROUND) for ply in legal if _SQUARE.findall(ply) == turned)
    yield from ((ply, _EDITED) for ply in legal if is_one_slip(meant, ply))
    yield from ((ply, _EDITED) for ply in _of_long_form(position, legal, meant))
    if following and position.is_legal(following[0]) and position.apply(following[0]).is_legal(text):
        yield following[0], _SWAPPED
    yield from ((ply, _LONGER) for ply in legal if ply.startswith(f"{meant}-") or ply[1:] == meant)
    if len(squares) == 2:  # the sign can be another one
        yield from ((ply, _LONGER) for ply in legal if _SIGNS.sub("", ply).startswith(bare) and "x" in ply)
    if len(squares) > 1:
        for ply in legal:
            others = _SQUARE.findall(ply)
            if len(others) > 1 and (others[0], others[-1]) == (squares[0], squares[-1]):
                yield ply, _ENDS


def _of_long_form(position: Position, legal: Sequence[str], meant: str) -> Iterator[str]:
    """Yield the legal plies that a long form with an error may mean: without the squares between if only these are
    wrong, otherwise with them."""
    written = _LONG_FORM.fullmatch(meant)
    if written is None:
        return
    for at in range(len(meant)):
        turned = meant[:at] + meant[at].translate(_TURNED) + meant[at + 1 :]
        if turned != meant and position.is_legal(turned):
            yield turned
    for ply in legal:
        first = _SQUARE.match(ply)
        whole = first and first[0] + written[2] + ply[first.end() :]
        if whole == meant:
            yield ply
        elif whole and is_one_slip(meant, whole) and position.is_legal(whole):
            yield whole


def squares_of(text: str) -> list[str]:
    """Return the squares that a ply names, in order."""
    return _SQUARE.findall(text)


def is_one_slip(a: str, b: str) -> bool:
    """Return whether one character was left out, added, exchanged, or two neighbours swapped."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, right = a[start : len(a) - end], b[start : len(b) - end]
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


def _legal_ahead(position: Position, words: Sequence[str]) -> int:
    """Return how many of the next words can be played in turn."""
    played = 0
    for word in words[:_AHEAD]:
        try:
            position = position.apply(word)
        except RingfenError:
            break
        played += 1
    return played
