"""Running the command line inside the test process."""

from __future__ import annotations

import json
import signal
from typing import Any

from click.testing import CliRunner, Result

from ringfen.cli.commands import main


def ringfen(*args: str, stdin: str | bytes | None = None, **env: str) -> Result:
    """Return the result of ``ringfen ARGS``; raise an exception that is not an exit."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        result = CliRunner().invoke(main, args, input=stdin, env=env)
    finally:
        for number, handler in handlers.items():  # an interrupted command leaves them ignored
            signal.signal(number, handler)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def json_lines(result: Result) -> list[Any]:
    """What was printed, line by line."""
    return [json.loads(line) for line in result.stdout.splitlines()]
