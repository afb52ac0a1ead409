"""Numbers and times as people write them: one reading for the options of all commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fractions import Fraction

# Patterns are compiled on first use; most commands never need them.
#: The units of a number, as powers of ten.
_UNITS = {"": 0, "k": 3, "M": 6, "G": 9}
_COUNT = r"([0-9]{1,40})(?:e([0-9]{1,2})|([kMG]))?"
_SECONDS_OF = {"": 1, "s": 1, "m": 60, "h": 3600}
_TIME = r"([0-9]{1,20}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})([smh]?)"
#: Longer than a life, and within what the C core and every clock can hold.
_MAX_SECONDS = 1e9
#: The largest number that the C core can hold.
_MAX_COUNT = (1 << 63) - 1
_SHARE = r"[0-9]{1,60}/[0-9]{1,60}|(?:[0-9]{1,60}(?:\.[0-9]{1,60})?|\.[0-9]{1,60})(?:e-?[0-9]{1,2})?"
_SHOWN = 40


def count(text: str) -> int:
    """Return a whole number: ``90``, ``1e6``, ``500k``, ``10M``, ``2G`` (powers of 1000).

    :raises ValueError: it is written in another way.
    """
    match = re.fullmatch(_COUNT, text)
    if match is None:
        raise ValueError(f"{_shown(text)} is not a whole number such as 90, 500k, 10M, 2G or 1e6")
    digits, exponent, unit = match.groups()
    power = int(exponent) if exponent else _UNITS[unit or ""]
    return int(digits + "0" * power)


def seconds(text: str) -> float:
    """Return a time in seconds: ``90``, ``0.5``, ``90s``, ``10m``, ``2h``. It is above 0.

    :raises ValueError: it is written in another way, 0, or too long.
    """
    match = re.fullmatch(_TIME, text)
    if match is None:
        raise ValueError(f"{_shown(text)} is not a time such as 90, 90s, 10m or 2h")
    time = float(match[1]) * _SECONDS_OF[match[2]]
    if not 0 < time <= _MAX_SECONDS:
        raise ValueError(f"{_shown(text)} is not above 0 and at most {_MAX_SECONDS:.0f} s")
    return time


def share(text: str) -> Fraction:
    """Return a probability as an exact fraction: ``1/100``, ``0.01``, ``1e-2``.

    :raises ValueError: it is written in another way, or not from 0 to 1.
    """
    from fractions import Fraction

    if re.fullmatch(_SHARE, text) is None:
        raise ValueError(f"{_shown(text)} is not a number such as 1/100 or 0.01")
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{_shown(text)} is not a number such as 1/100 or 0.01") from None
    if not 0 <= value <= 1:
        raise ValueError(f"{_shown(text)} is not between 0 and 1")
    return value


def gap(text: str) -> Fraction:
    """Return a difference between two plies, above 0: points, or a probability as an exact fraction.

    :raises ValueError: it is written in another way, or 0.
    """
    from fractions import Fraction

    try:
        difference = Fraction(text) if re.fullmatch("[0-9]{1,9}", text) else share(text)
    except ValueError:
        difference = Fraction(0)
    if difference == 0:
        raise ValueError(f"{_shown(text)} is not a gap: points such as 2, or a probability such as 1/18")
    return difference


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


class WholeNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A :func:`count` within bounds that the C core can hold. (click's own would show them in every help.)"""

    name = "number"

    def __init__(self, least: int, most: int = _MAX_COUNT) -> None:
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            number = value if isinstance(value, int) else count(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        if not self._least <= number <= self._most:
            shown = number if number < 10**_SHOWN else "a longer number"
            if number < self._least and self._most == _MAX_COUNT:
                self.fail(f"{shown} is less than {self._least}.", param, ctx)
            self.fail(f"{shown} is not between {self._least} and {self._most}.", param, ctx)
        return number


class Quantity(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A value that ``read`` returns for a text; its ValueError is the message."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


SECONDS = Quantity("seconds", seconds)
SHARE = Quantity("P", share)
GAP = Quantity("gap", gap)


class Statuses(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Statuses of answers with commas between them."""

    name = "statuses"

    def __init__(self, *known: str) -> None:
        self._known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return each status once."""
        if not isinstance(value, str):
            return tuple(value)
        names = dict.fromkeys(name.strip() for name in value.split(","))
        for name in names:
            if name not in self._known:
                self.fail(f"{_shown(name)} is not one of {', '.join(self._known)}.", param, ctx)
        return tuple(names)
