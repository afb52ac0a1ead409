"""Characters that word processors, scanners and mail programs put in the place of others."""

from __future__ import annotations

from typing import Final
from unicodedata import category, decimal, normalize
from unicodedata import name as character_name

from ringfen.text import printable

#: Characters that look like those of the notation; full-width and mathematical forms come on top (:func:`plain_forms`).
LOOK_ALIKES: Final = str.maketrans(
    dict.fromkeys("‐‑‒–—―−⁃﹣－→⟶➔➝˗", "-")
    | dict.fromkeys("×✕✖⨯ХхΧχ", "x")
    | dict(zip("авсԁеһіјорАВСЕНІЈОРΑΒΕΗΙΟΡαοѕЅΝЗз", "abcdehijopABCEHIJOPABEHIOPaosSN33", strict=True))
    | {"∶": ":", "∗": "*", "✱": "*", "⁄": "/", "∕": "/", "…": "...", "‥": "..", "。": ".", "ϲ": "c", "Ϲ": "C"}
)
#: Letters that are read as digits if no other reading is possible.
DIGIT_LIKE: Final = {"O": "0", "o": "0", "I": "1", "l": "1", "i": "1", "|": "1"}
#: Most strange characters that one message names.
_MOST_NAMED: Final = 3


def plain_forms(text: str) -> str:
    """Return the text with the plain form of each character that looks like one of the notation."""
    if text.isascii():
        return text
    return "".join(map(_plain_form, text))


def _plain_form(character: str) -> str:
    if character.isascii():
        return character
    looks = character.translate(LOOK_ALIKES)
    if looks != character:
        return looks
    if character.isdecimal():
        return str(decimal(character))
    form = normalize("NFKC", character)
    return form if len(form) == 1 and form.isascii() and form.isprintable() else character


def is_strange_space(character: str) -> bool:
    """Return whether this is white space that the notation does not know."""
    return (character.isspace() and character not in " \t\r\n") or character in "\u2800\u3164"


def is_invisible(character: str) -> bool:
    """Return whether this is a character without a shape, such as a control character or a zero-width space."""
    if character.isascii():
        return not character.isprintable() and character not in "\t\r\n" and not character.isspace()
    if is_strange_space(character):
        return False
    return category(character) in ("Cc", "Cf") or "\ufe00" <= character <= "\ufe0f" or character == "\u034f"


def strange_characters(text: str) -> str | None:
    """Return words about characters in a ply that are not those of the notation; None if there are none."""
    strange = [c for c in dict.fromkeys(text) if not c.isascii() or is_invisible(c) or is_strange_space(c)]
    if not strange:
        return None
    words = ", and ".join(map(_named, strange[:_MOST_NAMED]))
    return f"contains {words}" + (", and others" if len(strange) > _MOST_NAMED else "")


def _named(character: str) -> str:
    code = f"U+{ord(character):04X} {character_name(character, 'CONTROL CHARACTER')}"
    instead = "a plain space" if is_strange_space(character) else plain_forms(character)
    hint = ", which no ply contains" if instead == character else f" instead of {instead}"
    return f"{printable(character)} ({code}){hint}"
