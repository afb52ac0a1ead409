"""Text from outside, as a terminal can show it."""

from __future__ import annotations

from typing import Any, Final

#: JSON with lists and objects within each other this deep is no input of ours, and its recursion might not end well.
_DEEPEST: Final = 100


def wanted_text(what: str, given: object) -> str:
    """Return the text that was given for ``what``.

    :raises TypeError: It is not a text.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} is a text (str), not {type(given).__name__}")
    return given


def printable(text: str) -> str:
    """Return the text with what could disturb a terminal replaced, each character by one."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" for c in text)


#: Control characters have no name in Unicode.
_CONTROLS = {"\t": "TABULATION", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}


def invisible_character(text: str) -> tuple[int, str] | None:
    """Return the place of the first character that cannot be seen, and words that name it; None if there is none."""
    for at, character in enumerate(text):
        is_selector = "\ufe00" <= character <= "\ufe0f" or character in "\u034f\u2800\u3164\u115f\u1160"
        if character != " " and (is_selector or not character.isprintable()):
            from unicodedata import name

            words = _CONTROLS.get(character) or name(character, "CONTROL CHARACTER")
            return at, f"U+{ord(character):04X} ({words})"
    return None


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def from_json(text: str | bytes, **hooks: Any) -> Any:
    """Return the value of JSON from outside.

    :param hooks: As for ``json.loads``.
    :raises ValueError: It is not JSON (``json.JSONDecodeError``), has too long a number, or is nested too deeply.
    """
    import json

    try:
        value = json.loads(text, **hooks)
    except RecursionError:
        raise _too_deep() from None
    level = [value]
    for _ in range(_DEEPEST):
        level = [item for outer in level for item in _contents(outer) if isinstance(item, dict | list)]
        if not level:
            return value
    raise _too_deep()


def _contents(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _too_deep() -> ValueError:
    return ValueError(f"brackets are nested more than {_DEEPEST} deep")


def to_json(value: Any) -> str:
    """Return a value as JSON on one line; characters that a terminal cannot show are escaped."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        # Bytes of file names that are not UTF-8 are lone surrogates: "\udcff".
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return text


def _escape(character: str) -> str:
    """Return a character as JSON escapes it, in UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
