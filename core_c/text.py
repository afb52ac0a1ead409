"""Text from outside: types, display on a terminal, and JSON."""

from __future__ import annotations

from typing import Any, Final

#: The maximum nesting depth of JSON. Deeper nesting is never valid input and could exhaust the stack.
_MAX_DEPTH: Final = 100


def require_str(what: str, given: object) -> str:
    """Return a text that a caller gave.

    :param what: The name of the argument for the message.
    :raises TypeError: It is not a str.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} is a text (str), not {type(given).__name__}")
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


def from_json(text: str | bytes, **hooks: Any) -> Any:
    """Return the value of JSON from outside.

    :param hooks: Arguments of ``json.loads``.
    :raises ValueError: It is not JSON (``json.JSONDecodeError``), has too long a number, or is nested too deeply.
    """
    import json

    try:
        value = json.loads(text, **hooks)
    except RecursionError:
        raise _too_deep() from None
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [item for outer in level for item in _contents(outer) if isinstance(item, dict | list)]
        if not level:
            return value
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
