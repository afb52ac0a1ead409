"""Dates of records: ``2001.05.31``, with ``?`` for each unknown digit; unknown parts at the end may be absent."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_DATE: Final = re.compile(r"([0-9?]{4})(?:\.([0-9?]{2})(?:\.([0-9?]{2}))?)?")
_LEAP_YEAR: Final = 2000


class Span(NamedTuple):
    """The first and the last day that a date can mean, both as ``2001.05.31``."""

    first: str
    last: str


@lru_cache(maxsize=1 << 12)
def span_of(date: str) -> Span | None:
    """Return the days that a date can mean, or None if it has another form or the calendar has no such day."""
    match = _DATE.fullmatch(date)
    if match is None:
        return None
    year, month, day = (part or "??" for part in match.groups())
    if not any(_days(_LEAP_YEAR, month, day)):
        return None
    years = [number for number in range(1, 10_000) if _fits(number, year, 4)] if "?" in year else [int(year)]
    first = next((text for number in years if number for text in _days(number, month, day)), None)
    if first is None:
        return None
    last = next(text for number in reversed(years) for text in _days(number, month, day, backwards=True))
    return Span(first, last)


def has_form(text: str) -> bool:
    """Return whether a text is written as a date is, even if the calendar has no such day."""
    return _DATE.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether a tag contains a date of this form, or says that the date is unknown (``?`` or nothing)."""
    return text in ("", "?") or span_of(text) is not None


def _days(year: int, month: str, day: str, *, backwards: bool = False) -> Iterator[str]:
    """Yield the days of a year that fit, in order."""
    step = -1 if backwards else 1
    for of_year in range(1, 13)[::step]:
        if _fits(of_year, month, 2):
            for of_month in range(1, monthrange(year, of_year)[1] + 1)[::step]:
                if _fits(of_month, day, 2):
                    yield f"{year:04}.{of_year:02}.{of_month:02}"


def _fits(number: int, pattern: str, digits: int) -> bool:
    return all(expected in ("?", digit) for digit, expected in zip(f"{number:0{digits}}", pattern, strict=True))
