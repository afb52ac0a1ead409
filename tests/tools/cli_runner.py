"""Running the command line inside the test process."""

from __future__ import annotations

import json
import signal
from typing import Any

from click.testing import CliRunner, Result

from ringfen.cli.commands import main


def ringfen(*args: str, stdin: str | bytes | None = None, **env: str) -> Result:
    """The result of ``ringfen ARGS``; an exception that is not an exit is raised here."""
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        result = CliRunner().invoke(main, args, input=stdin, env=env)
    finally:
        signal.signal(signal.SIGINT, interrupted)  # which an interrupted command leaves ignored
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def json_lines(result: Result) -> list[Any]:
    """What was printed, line by line."""
    return [json.loads(line) for line in result.stdout.splitlines()]
