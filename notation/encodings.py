"""Guesses of the encoding of a text that is not UTF-8."""

from __future__ import annotations

import re
from typing import Final

#: Letters in a row that are not ASCII. Words in Latin letters have few of them, words in other alphabets only these.
_FOREIGN_RUN: Final = re.compile(rb"[\x80-\xff]{3,}")
_FOREIGN: Final = re.compile(rb"[\x80-\xff]")
#: The encodings of other alphabets, the words that each has (lower case, perhaps after one capital), and its vowels.
_ALPHABETS: Final = (
    ("windows-1251", re.compile("[Ѐ-Я]?[а-џґ]+|[Ѐ-Я]+"), re.compile("[аеёиоуыэюяієї]", re.IGNORECASE)),
    ("koi8-r", re.compile("[А-ЯЁ]?[а-яё]+|[А-ЯЁ]+"), re.compile("[аеёиоуыэюя]", re.IGNORECASE)),
    ("windows-1253", re.compile("[Ά-Ϋ]?[ά-ώ]+|[Ά-Ϋ]+"), re.compile("[αεηιουωάέήίόύώ]", re.IGNORECASE)),
)
_LATIN: Final = re.compile(r"[^\W\d_]")


def plausible_encoding(text: bytes) -> str | None:
    """Return the encoding that a text most likely has, or None if none is plausible.

    :param text: A text that is not UTF-8, or a part of it.
    """
    begin = text[:400]
    if text[:2] in (b"\xff\xfe", b"\xfe\xff") or begin.count(0) > len(begin) // 4:
        return "utf-16"
    runs = _FOREIGN_RUN.findall(text)
    in_runs = sum(map(len, runs))
    if in_runs * 2 <= len(_FOREIGN.findall(text)):
        return "windows-1252" if _is_latin(text) else None
    shares: dict[str, int] = {}
    for encoding, word, vowel in _ALPHABETS:
        try:
            words = [run.decode(encoding) for run in runs]
        except UnicodeDecodeError:
            continue
        if sum(len(one) for one in words if word.fullmatch(one)) * 4 >= in_runs * 3:
            shares[encoding] = sum(len(vowel.findall(one)) for one in words)
    return max(shares, key=shares.__getitem__, default=None)


def _is_latin(text: bytes) -> bool:
    """Whether every byte is a character of Windows-1252, and at least half of those beyond ASCII are letters."""
    try:
        foreign = b"".join(_FOREIGN.findall(text)).decode("windows-1252")
    except UnicodeDecodeError:
        return False
    return 2 * len(_LATIN.findall(foreign)) >= len(foreign)


#: The letters beyond ASCII of the languages that Windows-1252 is made for, one text per alphabet.
_WESTERN: Final = tuple(
    frozenset(letters)
    for letters in (
        *("äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúüïçàèò", "ãõáàâçéêíóôúü"),
        *("àèéìíîòóù", "æøåéèêóòôäöü", "áðéíóúýþæö", "ëïöüéèêáíóú"),
    )
)
_FOREIGN_WORD: Final = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
#: Signs that are no letters and are common in texts of word processors.
_SIGNS: Final = frozenset("‘’“”„‚–—…«»‹›°§©®™•·¿¡½¼¾×±€£\u00a0")


def is_western(text: str) -> bool:
    """Return whether a text decoded as Windows-1252 looks like one of the languages that this encoding is made for.

    Each word with letters beyond ASCII must fit one alphabet, have more ASCII letters than others, and have no capital
    after a small letter.
    """
    text = "".join(" " if c in _SIGNS else c for c in text)
    if not _FOREIGN_WORD.sub("", text).isascii():
        return False
    words = _FOREIGN_WORD.findall(text)
    return any(len(word) > 1 for word in words) == bool(words) and all(map(_is_western_word, words))


def _is_western_word(word: str) -> bool:
    foreign = {c.lower() for c in word if not c.isascii()}
    count = sum(not c.isascii() for c in word)
    small = word[1:] == word[1:].lower() or word == word.upper()
    fits = any(foreign <= alphabet for alphabet in _WESTERN)
    return fits and small and 2 * count <= len(word) + 1
