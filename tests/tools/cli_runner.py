"""Running the command line inside the test process."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from ringfen.cli import main


def ringfen(*args: str, stdin: str | bytes | None = None, **env: str) -> Result:
    """The result of ``ringfen ARGS``; an exception that is not an exit is raised here."""
    result = CliRunner().invoke(main, args, input=stdin, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def json_lines(result: Result) -> list[Any]:
    """What was printed, line by line."""
    return [json.loads(line) for line in result.stdout.splitlines()]
