"""Guesses of the encoding of a text that is not UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
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

#: Advice about a text in an unknown encoding.
READ_IN_ITS_ENCODING: Final = "read it in its encoding, or save it as UTF-8"


def plausible_encoding(text: bytes) -> str | None:
    """Return the encoding that a text most likely has, or None if none is plausible.

    :param text: A text that is not UTF-8, or a part of it.
    """
    begin = text[:400]
    if text[:2] in (b"\xff\xfe", b"\xfe\xff") or begin.count(0) > len(begin) // 4:
        return utf_16_of(begin) or "utf-16"
    runs = _FOREIGN_RUN.findall(text)
    in_runs = sum(map(len, runs))
    if in_runs * 2 <= len(_FOREIGN.findall(text)):
        return _latin_encoding(text)
    shares: dict[str, int] = {}
    for encoding, word, vowel in _ALPHABETS:
        try:
            words = [run.decode(encoding) for run in runs]
        except UnicodeDecodeError:
            continue
        if sum(len(one) for one in words if word.fullmatch(one)) * 4 >= in_runs * 3:
            shares[encoding] = sum(len(vowel.findall(one)) for one in words)
    return max(shares, key=shares.__getitem__, default=None)


def utf_16_of(begin: bytes) -> str:
    """Return the kind of UTF-16 that a text has, by its mark or by evident zeros; ``""`` if it has another encoding.

    :param begin: The beginning of the text.
    """
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    pairs = len(begin) // 2
    if pairs and begin[1::2].count(0) > 0.8 * pairs and not begin[::2].count(0):
        return "utf-16-le"
    if pairs and begin[::2].count(0) > 0.8 * pairs and not begin[1::2].count(0):
        return "utf-16-be"
    return ""


def _latin_encoding(text: bytes) -> str | None:
    """The encoding in which each word of a text fits the alphabet of a language in Latin letters."""
    for encoding, alphabets, other in (
        ("windows-1252", _WESTERN, None),
        ("iso-8859-2", _CENTRAL, "windows-1250"),
        ("windows-1250", _CENTRAL, None),
        ("windows-1254", _TURKISH, None),
    ):
        try:
            decoded = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _fits(decoded, alphabets):
            same = other is not None and decoded == text.decode(other, "replace")
            return other if same else encoding
    return None


#: The letters beyond ASCII of the languages that Windows-1252 is made for, one text per alphabet.
_WESTERN: Final = tuple(
    frozenset(letters)
    for letters in (
        *("äöüß", "àâæçéèêëîïôœùûüÿ", "áéíñóúüïçàèò", "ãõáàâçéêíóôúü"),
        *("àèéìíîòóù", "æøåéèêóòôäöü", "áðéíóúýþæö", "ëïöüéèêáíóú"),
    )
)
#: The same for Windows-1250.
_CENTRAL: Final = tuple(
    frozenset(letters)
    for letters in (
        *("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű"),
        *("čćđšž", "ăâîşţ", "äöüß"),
    )
)
#: The same for Windows-1254.
_TURKISH: Final = (frozenset("çğıöşüâîû\u0307"), frozenset("äöüß"))
_FOREIGN_WORD: Final = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
#: Signs in words, which are letters in another encoding, such as quotation marks for the umlauts of DOS.
_SIGN_FOR_LETTER: Final = re.compile(r"[^\W\d_][©®¾£‚„]|[©®¾£™][a-zß-ÿ]|[^\W\d_][“”][^\W\d_]")
#: Quotation marks that never stand inside a word.
QUOTES: Final = "‚„“”"
#: Signs that are no letters and are common in texts of word processors.
_SIGNS: Final = frozenset("‘’“”„‚–—…«»‹›°§©®™•·¿¡½¼¾×±€£\u00a0")


def is_western(text: str) -> bool:
    """Return whether a text decoded as Windows-1252 looks like one of the languages that this encoding is made for.

    Each word with letters beyond ASCII must fit one alphabet, have more ASCII letters than others, and have no capital
    after a small letter.
    """
    return _fits(text, _WESTERN)


def _fits(text: str, alphabets: Sequence[frozenset[str]]) -> bool:
    """Return whether each word of a text fits one of these alphabets."""
    if _SIGN_FOR_LETTER.search(text):
        return False
    text = "".join(" " if c in _SIGNS else c for c in text)
    if not _FOREIGN_WORD.sub("", text).isascii():
        return False
    words = _FOREIGN_WORD.findall(text)
    return any(len(word) > 1 for word in words) == bool(words) and all(_fits_word(word, alphabets) for word in words)


def _fits_word(word: str, alphabets: Sequence[frozenset[str]]) -> bool:
    foreign = {small for c in word if not c.isascii() for small in c.lower() if not small.isascii()}
    count = sum(not c.isascii() for c in word)
    small = word[1:] == word[1:].lower() or word == word.upper()
    return any(foreign <= alphabet for alphabet in alphabets) and small and 2 * count <= len(word) + 1
