"""A pytest plugin for mutants: the tests that are likely to notice run first, and none runs forever.

`MUTANTS_TIMES` names a JSON file of seconds by test, to which a run adds those of tests that are not in it; these have
no limit. `MUTANTS_FIRST` names tests, one per line, that run before all others; the rest run by time. `MUTANTS_SECONDS`
is how much processor time all tests may take: tests that would take more are skipped, the longest first.
`MUTANTS_PASSED` names a file of tests, one per line, that do not run again; tests that pass are added to it."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path

import pytest

#: A test may take its seconds of processor time times the first number, plus the second: an endless loop in a
#: mutant ends the process.
SLOWER = 10
AT_LEAST = 5.0


def processor_seconds() -> float:
    """Return the processor time of this process and of its child processes that have ended."""
    return time.process_time() + sum(os.times()[2:4])


class Order:
    def __init__(self) -> None:
        self.file = Path(os.environ["MUTANTS_TIMES"])
        self.times: dict[str, float] = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        self.left = float(os.environ["MUTANTS_SECONDS"])
        self.passed = Path(os.environ["MUTANTS_PASSED"])

    def seconds(self, item: pytest.Item) -> float:
        return self.times.get(item.nodeid, 0.0)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        first = os.environ.get("MUTANTS_FIRST", "").splitlines()
        places = {name: place for place, name in enumerate(first)}
        passed = set(self.passed.read_text("utf-8").splitlines())
        items.sort(key=lambda item: (places.get(item.nodeid, len(first)), self.seconds(item)))
        left_out = []
        for item in list(items):
            if item.nodeid not in passed:
                self.left -= self.seconds(item)
            if item.nodeid in passed or (self.left < 0 and item.nodeid not in places):
                items.remove(item)
                left_out.append(item)
        config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if item.nodeid in self.times:
            signal.setitimer(signal.ITIMER_PROF, AT_LEAST + SLOWER * self.seconds(item))
        before = processor_seconds()
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.times.setdefault(item.nodeid, round(processor_seconds() - before, 4))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with self.passed.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")

    def pytest_sessionfinish(self) -> None:
        fresh = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(self.times), encoding="utf-8")
        fresh.replace(self.file)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Order())
