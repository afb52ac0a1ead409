"""Text from outside: types, display on a terminal, and JSON."""

from __future__ import annotations

from typing import Any, Final

#: The maximum nesting depth of JSON. Deeper nesting is never valid input and could exhaust the stack.
_MAX_DEPTH: Final = 100
#: The maximum length of a number in JSON: Python reads no longer one.
_MAX_DIGITS: Final = 4000


def require_str(what: str, given: object) -> str:
    """Return a text that a caller gave.

    :param what: The name of the argument for the message.
    :raises TypeError: It is not a str.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} must be a str, not {type(given).__name__}")
    return given


def printable(text: str) -> str:
    """Return the text with characters that could disturb a terminal replaced, one for one."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\t\n\r" else "\ufffd" for c in text)


#: Names of control characters, which have none in Unicode.
_CONTROLS = {"\t": "TABULATION", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}


def invisible_character(text: str) -> tuple[int, str] | None:
    """Return the index and the name of the first invisible character; None if there is none."""
    if text.isascii() and text.isprintable():
        return None
    for at, character in enumerate(text):
        is_selector = "\ufe00" <= character <= "\ufe0f" or character in "\u034f\u2800\u3164\u115f\u1160"
        if character != " " and (is_selector or not character.isprintable()):
            from unicodedata import name

            words = _CONTROLS.get(character) or name(character, "CONTROL CHARACTER")
            return at, f"U+{ord(character):04X} ({words})"
    return None


def width(text: str) -> int:
    """Return the number of terminal columns of a text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def player_name(player: object) -> str:
    """Return a player (``"s"``, ``"n"`` or a number) for people: South, North, or player 3."""
    return {"s": "South", "n": "North"}.get(str(player), f"player {player}")


class NotJsonError(ValueError):
    """A text is not JSON; :attr:`at` is the index of the error in the text."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


#: The messages of the module ``json`` by their beginnings, in plain words.
_JSON_ERRORS: Final = {
    "Expecting value": "expected a value",
    "Expecting property name": "expected a name in double quotes",
    "Expecting ':'": "expected a colon",
    "Expecting ','": "expected a comma or a closing bracket",
    "Extra data": "text follows the value",
    "Unterminated string": "a text has no closing quote",
    "Invalid control character": "a text contains a control character",
    "Invalid \\": "an escape is invalid",
    "Illegal trailing comma": "a comma comes before a closing bracket",
}


def from_json(text: str | bytes, *, surrogates: bool = False, **hooks: Any) -> Any:
    """Return the value of JSON from outside. The messages of all errors are for the user.

    :param surrogates: Accept escapes of half a surrogate pair.
    :param hooks: Arguments of ``json.loads``.
    :raises NotJsonError: It is not JSON, or not UTF-8.
    :raises ValueError: It is JSON, but has a repeated name, half of a surrogate pair, NaN or too long a number, or is
        nested too deeply.
    """
    import json

    try:
        text = text.decode() if isinstance(text, bytes) else text
        text.encode()
    except UnicodeError as error:
        raise _not_utf8(error) from None
    text = text.removeprefix("\ufeff")
    try:
        value = json.loads(text, **(_HOOKS | hooks))
    except json.JSONDecodeError as error:
        found = (words for begin, words in _JSON_ERRORS.items() if error.msg.startswith(begin))
        words = next(found, "expected a value")
        raise NotJsonError(f"not JSON: {words} (column {error.pos + 1})", error.pos) from None
    except RecursionError:
        raise _too_deep() from None
    _check_depth(value)
    if not surrogates and ("\\ud" in text or "\\uD" in text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is not a character") from None
    return value


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in fields if names.count(name) > 1)
        raise ValueError(f'"{printable(twice[:40])}" is given twice')
    return fields


def _number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has more than {_MAX_DIGITS} digits")
    return int(digits)


_HOOKS: Final[dict[str, Any]] = {
    "object_pairs_hook": _object,
    "parse_constant": _reject_constant,
    "parse_int": _number,
}


def _not_utf8(error: UnicodeError) -> NotJsonError:
    """Return the error for bytes that are not UTF-8, which lines of text have as lone surrogates."""
    if isinstance(error, UnicodeDecodeError):
        return NotJsonError(f"byte {error.object[error.start]:02x} is not UTF-8", error.start)
    assert isinstance(error, UnicodeEncodeError)
    code = ord(error.object[error.start])
    is_byte = 0xDC80 <= code <= 0xDCFF
    words = f"byte {code - 0xDC00:02x} is not UTF-8" if is_byte else "half of a surrogate pair is not a character"
    return NotJsonError(words, error.start)


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [item for outer in level for item in _contents(outer) if isinstance(item, dict | list)]
        if not level:
            return
    raise _too_deep()


def _contents(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _too_deep() -> ValueError:
    return ValueError(f"brackets are nested more than {_MAX_DEPTH} deep")


def to_json(value: Any) -> str:
    """Return a value as JSON on one line; characters that a terminal cannot show are escaped."""
    import json

    return escape_unprintable(json.dumps(value, ensure_ascii=False))


def escape_unprintable(text: str) -> str:
    """Return JSON on one line with the characters escaped that a terminal cannot show."""
    if text.isprintable():
        return text
    # Bytes of file names that are not UTF-8 are lone surrogates such as "\udcff".
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    """Return the JSON escape of a character, in UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
