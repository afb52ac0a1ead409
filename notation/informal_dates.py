"""Dates in informal notation: with other signs, names of months, ordinal numbers, times of day."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final
from unicodedata import normalize

from ringfen.notation.characters import DIGIT_LIKE, is_invisible, is_strange_space, plain_forms
from ringfen.notation.dates import is_date

_LONGEST: Final = 80
#: The months in English, German and French, without accents; a name can be cut after three letters if it stays unique.
_MONTHS: Final = (
    ("january", "januar", "janner", "janvier"),
    ("february", "februar", "feber", "fevrier"),
    ("march", "marz", "maerz", "mars", "mrz"),
    ("april", "avril"),
    ("may", "mai"),
    ("june", "juni", "juin"),
    ("july", "juli", "juillet"),
    ("august", "aout"),
    ("september", "septembre"),
    ("october", "oktober", "octobre"),
    ("november", "novembre"),
    ("december", "dezember", "decembre"),
)
_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_SHORTEST_NAME: Final = 3
_WEEKDAY: Final = re.compile(
    r"(?:(?:mon|tues?|wednes|wed|thurs?|thu|fri|satur|sat|sun)(?:day)?"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so)"
    r"|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))\b[.,]* *"
)
#: Words before a date.
_PRECEDING: Final = re.compile(r"(?:on|the|am|den|der|vom|le|du)\b *")
_TIME: Final = re.compile(
    r"[t ,]+(?:at |um |a )?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r" ?(?:[ap]m|uhr)? ?(?:z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})?\Z"
)
_NUMBER: Final = re.compile(r"(?<![^\W\d])[0-9oil|]*[0-9][0-9oil|]*(?![^\W\d])")
_YEAR: Final = re.compile(r"[0-9]{4}")
#: A year without its century, which an apostrophe can replace.
_SHORT_YEAR: Final = re.compile("['’`´]?([0-9]{2})")
#: The games are so young that only these years are played in: the first of the last century, the last of this one.
_SHORT_YEARS: Final = (80, 49)
#: A single x can also be October.
_UNKNOWN: Final = re.compile(r"\?{1,2}|xx")
_COMPACT: Final = re.compile(r"[0-9]{8}")


def sure_date(text: str) -> str | None:
    """Return a date of another form as tags have it; None if it can mean more than one day, month or year."""
    found = possible_dates(text)
    return found[0] if len(found) == 1 else None


def possible_dates(text: str) -> list[str]:
    """Return the dates that a date of another form can mean, as tags have them, in their order."""
    if len(text) > _LONGEST:
        return []
    shown = "".join(" " if is_strange_space(c) else c for c in text if not is_invisible(c))
    spoken = " ".join(_plain(shown).split())
    spoken = _TIME.sub("", spoken)
    spoken = _PRECEDING.sub("", _WEEKDAY.sub("", spoken, count=1), count=1)
    spoken = _NUMBER.sub(lambda number: "".join(DIGIT_LIKE.get(c, c) for c in number[0]), spoken)
    if _COMPACT.fullmatch(spoken):
        found = {f"{spoken[:4]}.{spoken[4:6]}.{spoken[6:]}", f"{spoken[4:]}.{spoken[2:4]}.{spoken[:2]}"}
        found |= {f"{spoken[4:]}.{spoken[:2]}.{spoken[2:4]}"}
    else:
        found = set(_readings(spoken))
    return sorted(date for date in found if is_date(date) and "1000" <= date[:4] <= "2999")


def _plain(text: str) -> str:
    """Return a text in small letters without accents, with plain hyphens."""
    text = normalize("NFD", plain_forms(text).translate(str.maketrans("年月", "..", "日"))).casefold()
    return "".join(c for c in text if not "\u0300" <= c <= "\u036f")


def _readings(text: str) -> Iterator[str]:
    """Yield the dates that a text of numbers and names of months can be, some of which no calendar has."""
    parts = re.sub(r"\b(?:of|de|d)\b[ ']*", "", text).strip(" .,")
    words = re.split(r"[-./, ]+", parts)
    signs = {sign.strip() for sign in re.findall(r"[-./, ]+", parts)}
    words = [re.sub(r"(?<=[0-9])(?:st|nd|rd|th|er)\Z", "", word) for word in words]
    if len(words) > 3:
        return
    years = [index for index, word in enumerate(words) if _YEAR.fullmatch(word)]
    if len(years) == 1:
        yield from _with_year(words, years[0], signs)
    elif not years:
        for index, year in _short_years(words):
            yield from _with_year([*words[:index], year, *words[index + 1 :]], index, signs)


def _short_years(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the words that can be a year without its century, each with this year: the first and the last of three, and
    one that cannot be a day.
    """
    marked = [index for index, word in enumerate(words) if not word[:1].isalnum() and _SHORT_YEAR.fullmatch(word)]
    for index in marked or sorted({0, len(words) - 1}):
        year = _SHORT_YEAR.fullmatch(words[index])
        if year and (marked or len(words) == 3 or (len(words) == 2 and int(year[1]) > 31)):
            if int(year[1]) >= _SHORT_YEARS[0]:
                yield index, f"19{year[1]}"
            elif int(year[1]) <= _SHORT_YEARS[1]:
                yield index, f"20{year[1]}"


def _with_year(words: Sequence[str], at: int, signs: Collection[str]) -> Iterator[str]:
    """Yield the dates that words can be, one of which is the year."""
    year, rest = words[at], [*words[:at], *words[at + 1 :]]
    named = [index for index, word in enumerate(rest) if word.isalpha() and _month(word)]
    if not rest:
        yield f"{year}.??.??"
    elif len(rest) == 1:
        month = _month(rest[0]) or rest[0]
        yield _date(year, month, "??") if not _UNKNOWN.fullmatch(rest[0]) else _date(year, "??", "??")
    elif len(named) == 1:
        yield _date(year, _month(rest[named[0]]), rest[1 - named[0]])
    elif at == 0:
        yield _date(year, *rest)
    elif at == 2:
        yield _date(year, rest[1], rest[0])
        if signs != {"."}:  # Dates with dots begin with the day everywhere.
            yield _date(year, *rest)


def _date(year: str, month: str, day: str) -> str:
    """Return a date of the form of tags, if its parts are numbers or unknown."""
    parts = ["??" if _UNKNOWN.fullmatch(part) else part.zfill(2) for part in (month, day)]
    return ".".join((year, *parts))


def _month(word: str) -> str:
    """Return the number of the month that a word names, or an empty text."""
    if word in _ROMAN and word != "x":
        return str(_ROMAN.index(word) + 1)
    found = {
        number
        for number, names in enumerate(_MONTHS, 1)
        for name in names
        if name == word or (len(word) >= _SHORTEST_NAME and name.startswith(word))
    }
    return str(found.pop()) if len(found) == 1 else ""
