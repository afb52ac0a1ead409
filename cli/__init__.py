"""The command line: ``ringfen COMMAND …``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


def main(prog_name: str | None = None) -> None:
    """Runs the command line and leaves with the exit status.

    What it needs is imported here, so that Ctrl-C ends that as cleanly as all that follows.
    """
    try:
        _leave_out_current_directory()
        _interrupt_by_other_signals()
        from ringfen.cli.commands import main as commands

        commands(prog_name=prog_name)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _leave_out_current_directory() -> None:
    """Keeps files of the current directory, such as one called ``struct.py``, from being imported.

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
    """Makes SIGTERM and SIGHUP act as Ctrl-C: results are kept, and other programs that a command runs are ended.

    A signal that is ignored stays ignored, as ``nohup`` wants it.
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
