"""A pytest plugin for mutants: the tests that are likely to notice run first, and none runs for ever.

`MUTANTS_TIMES` names a JSON file of seconds by test, which a run without a mutant writes (`MUTANTS_MEASURE`).
`MUTANTS_FIRST` names tests, one a line, that run before all others."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

#: A test may take so many times its seconds, and so many more: a mutant that goes round in circles ends the process.
SLOWER = 10
AT_LEAST = 10.0
#: Seconds of a test that was never measured.
UNKNOWN = 1.0

_times_file = Path(os.environ["MUTANTS_TIMES"])
_measuring = "MUTANTS_MEASURE" in os.environ
_times: dict[str, float] = json.loads(_times_file.read_text("utf-8")) if _times_file.exists() else {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = os.environ.get("MUTANTS_FIRST", "").splitlines()
    places = {name: place for place, name in enumerate(first)}
    items.sort(key=lambda item: (places.get(item.nodeid, len(first)), _times.get(item.nodeid, UNKNOWN)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if not _measuring:
        signal.setitimer(signal.ITIMER_REAL, AT_LEAST + SLOWER * _times.get(item.nodeid, UNKNOWN))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if _measuring:
        _times[report.nodeid] = _times.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    if _measuring:
        _times_file.write_text(json.dumps(_times), encoding="utf-8")
