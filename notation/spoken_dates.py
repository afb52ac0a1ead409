"""Dates as people write them: with other signs, names of months, ordinal numbers, times of day."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
#: A single x can also be October.
_UNKNOWN: Final = re.compile(r"\?{1,2}|xx")
_COMPACT: Final = re.compile(r"[0-9]{8}")


def sure_date(text: str) -> str | None:
    """Return a date of another form as tags have it; None if it can mean more than one day, month or year."""
    if len(text) > _LONGEST:
        return None
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
    found = {date for date in found if is_date(date) and "1000" <= date[:4] <= "2999"}
    return found.pop() if len(found) == 1 else None


def _plain(text: str) -> str:
    """A text in small letters without accents, with plain hyphens."""
    text = normalize("NFD", plain_forms(text).translate(str.maketrans("年月", "..", "日"))).casefold()
    return "".join(c for c in text if not "\u0300" <= c <= "\u036f")


def _readings(text: str) -> Iterator[str]:
    """The dates that a text of numbers and names of months can be, some of which no calendar has."""
    parts = re.sub(r"\b(?:of|de|d)\b[ ']*", "", text).strip(" .,")
    words = re.split(r"[-./, ]+", parts)
    signs = {sign.strip() for sign in re.findall(r"[-./, ]+", parts)}
    words = [re.sub(r"(?<=[0-9])(?:st|nd|rd|th|er)\Z", "", word) for word in words]
    years = [index for index, word in enumerate(words) if _YEAR.fullmatch(word)]
    if len(words) > 3 or len(years) != 1:
        return
    year, rest = words.pop(years[0]), words
    named = [index for index, word in enumerate(rest) if word.isalpha() and _month(word)]
    if not rest:
        yield f"{year}.??.??"
    elif len(rest) == 1:
        month = _month(rest[0]) or rest[0]
        yield _date(year, month, "??") if not _UNKNOWN.fullmatch(rest[0]) else _date(year, "??", "??")
    elif len(named) == 1:
        yield _date(year, _month(rest[named[0]]), rest[1 - named[0]])
    elif years[0] == 0:
        yield _date(year, *rest)
    elif years[0] == 2:
        yield _date(year, rest[1], rest[0])
        if signs != {"."}:  # Dates with dots begin with the day everywhere.
            yield _date(year, *rest)


def _date(year: str, month: str, day: str) -> str:
    """A date of the form of tags, if its parts are numbers or unknown."""
    parts = ["??" if _UNKNOWN.fullmatch(part) else part.zfill(2) for part in (month, day)]
    return ".".join((year, *parts))


def _month(word: str) -> str:
    """The number of the month that a word names, or an empty text."""
    if word in _ROMAN and word != "x":
        return str(_ROMAN.index(word) + 1)
    found = {
        number
        for number, names in enumerate(_MONTHS, 1)
        for name in names
        if name == word or (len(word) >= _SHORTEST_NAME and name.startswith(word))
    }
    return str(found.pop()) if len(found) == 1 else ""
