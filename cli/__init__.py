"""The command line: ``ringfen COMMAND …``."""

from __future__ import annotations

import sys


def main(prog_name: str | None = None) -> None:
    """Runs the command line and leaves with the exit status.

    What it needs is imported here, so that Ctrl-C ends that as cleanly as all that follows.
    """
    try:
        from ringfen.cli.commands import main as commands

        commands(prog_name=prog_name)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
