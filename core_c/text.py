"""Text from outside, as a terminal can show it."""

from __future__ import annotations


def wanted_text(what: str, given: object) -> str:
    """The text that was given for ``what``.

    :raises TypeError: it is not a text.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} is a text (str), not {type(given).__name__}")
    return given


def printable(text: str) -> str:
    """The text with what could disturb a terminal replaced, each character by one."""
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
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
