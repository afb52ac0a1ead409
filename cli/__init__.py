"""The command line: ``ringfen COMMAND …``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


def main(prog_name: str | None = None) -> None:
    """Run the command line and exit with its status.

    The imports are inside the function, so that Ctrl-C during them ends the program cleanly too.
    """
    try:
        _remove_current_directory()
        _interrupt_by_other_signals()
        from ringfen.cli.commands import main as commands

        commands(prog_name=prog_name)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        # Python ends itself with SIGINT, not with this status, if Ctrl-C arrived inside exec, which makes dataclasses.
        exec("")
        sys.exit(130)
    finally:
        _ignore_ctrl_c()


def _ignore_ctrl_c() -> None:
    """Ignore Ctrl-C from now on: Python prints a traceback if it arrives while the interpreter ends."""
    import signal
    from contextlib import suppress

    with suppress(ValueError):  # another thread than the main one cannot handle signals
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _remove_current_directory() -> None:
    """Prevent the import of files from the current directory, such as ``struct.py``.

    ``python -m ringfen`` and ``python -c`` put that directory first. It stays if it contains Ringfen itself.
    """
    if getattr(sys.flags, "safe_path", False) or not sys.path:
        return
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        return
    if sys.path[0] in ("", here) and os.path.dirname(os.path.dirname(__file__)) != os.path.join(here, "ringfen"):
        del sys.path[0]


def _interrupt_by_other_signals() -> None:
    """Make SIGTERM and SIGHUP act as Ctrl-C: results are kept, and programs that a command started are ended.

    An ignored signal stays ignored, as ``nohup`` requires.
    """
    import signal
    from contextlib import suppress

    is_ctrl_c_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN

    def interrupt(number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        elif is_ctrl_c_ignored:
            raise KeyboardInterrupt

    with suppress(ValueError):  # another thread than the main one cannot handle signals
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, interrupt)
