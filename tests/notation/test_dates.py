"""Dates of records: which days they can mean."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest

from ringfen.notation import check_records
from ringfen.notation.dates import Span, is_date, span_of
from ringfen.notation.informal_dates import possible_dates, sure_date

pytestmark = pytest.mark.unsanitized  # dates are read in Python


def test_spans_are_the_first_and_the_last_day_that_fit() -> None:
    days = [f"{date(1896, 1, 1) + timedelta(number):%Y.%m.%d}" for number in range(4017)]
    random = Random(3)
    for _ in range(100):
        known = random.choice(days)
        pattern = "".join(
            "?" if one != "." and at > 4 and random.random() < 0.4 else one for at, one in enumerate(known)
        )
        fitting = [day for day in days if all(one in ("?", other) for one, other in zip(pattern, day, strict=True))]
        assert span_of(pattern) == Span(fitting[0], fitting[-1]), pattern


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1998", "1998.01.01", "1998.12.31"),
        ("1998.02", "1998.02.01", "1998.02.28"),
        ("????", "0001.01.01", "9999.12.31"),
        ("????.02.29", "0004.02.29", "9996.02.29"),
        ("19??.02.29", "1904.02.29", "1996.02.29"),
        ("2001.?2.3?", "2001.12.30", "2001.12.31"),
    ],
)
def test_partial_dates(text: str, first: str, last: str) -> None:
    assert span_of(text) == Span(first, last)
    assert is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "12.3.1998",
        "1998.5.1",
        "1998-05-01",
        "1998.02.30",
        "1900.02.29",
        "190?.02.31",
        "1998.13",
        "1998.00",
        "0000",
        "98",
        "1998.",
        "1998.05.",
        "1998.05.01.",
        " 1998",
        "1998.05.01 ",
        "٢٠٠١",
        "Frühjahr 1998",
        "1998.05.01\n",
        "-",
    ],
)
def test_other_forms(text: str) -> None:
    assert span_of(text) is None
    assert not is_date(text)


@pytest.mark.parametrize("text", ["", "?"])
def test_unknown_dates(text: str) -> None:
    assert span_of(text) is None
    assert is_date(text)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("12. März 1998", "1998.03.12"),
        ("Samstag, 21. November 2026", "2026.11.21"),
        ("le 1er août 2001", "2001.08.01"),
        ("12 de\u0301c. 1998", "1998.12.12"),
        ("12th of March, 1998", "1998.03.12"),
        ("Nov-21-2026", "2026.11.21"),
        ("12.III.1998", "1998.03.12"),
        ("2026-11-21T12:30:00Z", "2026.11.21"),
        ("2026-11-21 12:30", "2026.11.21"),
        ("1998–03–12", "1998.03.12"),
        ("2001. 05. 31.", "2001.05.31"),
        ("O1.05.2OO1", "2001.05.01"),
        ("13-03-1998", "1998.03.13"),
        ("March 1998", "1998.03.??"),
        ("3/1998", "1998.03.??"),
        ("1998-??-??", "1998.??.??"),
        ("??.??.1998", "1998.??.??"),
        ("1998.xx.xx", "1998.??.??"),
        ("19980312", "1998.03.12"),
        ("12-03-1998", None),
        ("12/3/1998", None),
        ("20122011", "2011.12.20"),
        ("10122011", None),
        ("12.x.1998", None),
        ("30.2.1998", None),
        ("12.3.98", "1998.03.12"),
        ("98.05.12", "1998.05.12"),
        ("31/12/98", "1998.12.31"),
        ("05.05.05", "2005.05.05"),
        ("Mai ’05", "2005.05.??"),
        ("3/98", "1998.03.??"),
        ("'98", "1998.??.??"),
        ("12/3/98", None),
        ("21.11.26", None),
        ("12 May 05", None),
        ("Nov-26", None),
        ("12.3.65", None),
        ("98", None),
        ("1998?", None),
        ("circa 1998", None),
        ("Frühjahr 1998", None),
    ],
)
def test_dates_of_another_form_are_read_if_they_are_sure(text: str, date: str | None) -> None:
    assert sure_date(text) == date


def test_dates_that_can_mean_several_days() -> None:
    assert possible_dates("21.11.26") == ["2021.11.26", "2026.11.21"]
    (report,) = check_records(text='[Game "gyges"]\n[Date "12/3/98"]\n\n1. 321123 321123 *\n')
    found = next(one for one in report.diagnostics if one.code == "bad-date")
    assert list(found.suggest) == ["1998.03.12", "1998.12.03"]
