from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

# No profile has deadlines: the machines that run the tests are shared. ci is repeatable; expensive is for a night;
# mutants only wants to know whether an example fails.
settings.register_profile("default", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("expensive", settings.get_profile("default"), max_examples=5000)
settings.register_profile("mutants", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


#: A test that hangs ends the run after this many seconds, with the tracebacks of all threads.
LONGEST_TEST = 900
STANDARD_ERROR = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STANDARD_ERROR] = os.dup(2)  # Output is not captured yet.
    # In the background or under nohup, processes that tests start would ignore these signals too. A process does not
    # inherit handlers.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not item.get_closest_marker("long"):
        faulthandler.dump_traceback_later(LONGEST_TEST, exit=True, file=item.config.stash[STANDARD_ERROR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--browser", action="store_true", help="run the tests that need Chromium too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--browser"):
        return
    left_out = [item for item in items if item.get_closest_marker("browser")]
    items[:] = [item for item in items if not item.get_closest_marker("browser")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
