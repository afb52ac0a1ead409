"""Progress on standard error: a bar on a terminal, a line now and then otherwise, nothing under ``-q``."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

import click

from ringfen.cli.output import on_terminal
from ringfen.cli.shared_options import is_quiet
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.control import Progress

#: Seconds before the first bar, so that short calls show nothing.
_FIRST_AFTER = 0.5
_BETWEEN_DRAWINGS = 0.1
_BETWEEN_LINES = 10.0
_BAR = 24
_SHORTEST_LABEL = 12


class ProgressBar:
    """A context manager that shows the progress of one long job; call it, or :meth:`show`, with the progress.

    :param label: The name of the job.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self._quiet = is_quiet()
        self._drawing = not self._quiet and on_terminal()
        self._started = monotonic()
        #: The first progress of a call into the core: above 0 if the call resumed a job.
        self._begun: int | None = None
        self._next = self._started + (_FIRST_AFTER if self._drawing else _BETWEEN_LINES)
        #: The number of characters of the bar on the terminal.
        self._drawn = 0

    def __enter__(self) -> ProgressBar:
        return self

    def restart(self, label: str) -> None:
        """Begin the next of several jobs, which share the time between two reports."""
        self.label = label
        self._started = monotonic()
        self._begun = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()

    def __call__(self, progress: Progress) -> None:
        """Show the progress of a call into the core."""
        if self._begun is None:
            self._begun = progress.done
        if self.is_due():
            parts = []
            if progress.depth:
                parts.append(f"depth {progress.depth}")
            if progress.lower is not None and progress.upper is not None:
                parts.append(bounds(progress.lower, progress.upper))
            if progress.nodes:
                parts.append(f"{short(progress.nodes)} nodes")
                parts.append(f"{short(progress.nodes / max(self.elapsed, 0.001))}/s")
            self.show(progress.done, progress.total, ", ".join(parts), begun=self._begun, as_percent=True)

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self._started

    def is_due(self) -> bool:
        """Return whether the next progress is due."""
        return not self._quiet and monotonic() >= self._next

    def show(self, done: int, total: int, more: str = "", *, begun: int = 0, as_percent: bool = False) -> None:
        """Show the progress, if it is due.

        :param total: 0 if unknown.
        :param begun: The part of ``done`` from an earlier run.
        :param as_percent: Show the share done, not the numbers.
        """
        if not self.is_due():
            return
        self._next = monotonic() + (_BETWEEN_DRAWINGS if self._drawing else max(_BETWEEN_LINES, self.elapsed / 30))
        share = self._share(done, total, begun, as_percent)
        text = ", ".join(part for part in (share, more, f"{self.elapsed:.0f} s") if part)
        if self._drawing:
            bar = self._bar(done, total)
            line = fitted(self.label, bar, text, self._columns())
            sys.stderr.write(f"{self._erasure()}{line}")
            self._drawn = len(line)
        else:
            sys.stderr.write(f"{self.label}: {text}\n")
        sys.stderr.flush()

    @staticmethod
    def _bar(done: int, total: int) -> str:
        filled = _BAR * done // total if total > 0 else 0
        return f"[{'#' * filled}{'-' * (_BAR - filled)}] " if total > 0 else ""

    def _share(self, done: int, total: int, begun: int, as_percent: bool) -> str:
        if total <= 0:
            return ""
        left = self.elapsed * (total - done) / (done - begun) if done > begun else 0.0
        share = f"{100 * done / total:.1f}%" if as_percent else f"{done:,} of {total:,}"
        return share + (f", {left:.0f} s to go" if left >= 1 else "")

    @staticmethod
    def _columns() -> int:
        """Return the columns of a line: those that the terminal has now, or those of ``COLUMNS``."""
        from shutil import get_terminal_size

        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError, AttributeError):
            columns = 0
        return (columns or get_terminal_size().columns) - 1

    def say(self, message: str) -> None:
        """Print a line on standard error in place of the bar."""
        self.clear()
        click.echo(printable(message), err=True)

    def clear(self) -> None:
        """Remove the bar from the terminal, so that results can be printed."""
        if self._drawn:
            sys.stderr.write(self._erasure())
            sys.stderr.flush()
            self._drawn = 0

    def _erasure(self) -> str:
        """Return the text that erases the bar. In a terminal that became narrower, the bar takes several rows."""
        rows = max(0, self._drawn - 1) // (self._columns() + 1)
        return f"\x1b[{rows}A\r\x1b[J" if rows else "\r\x1b[K"


def short(number: float) -> str:
    """Return a number for people: 12,345 or 12.3 M."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:,.0f}"


def bounds(lower: int, upper: int) -> str:
    """Proven bounds of a margin, or the margin if they are equal."""
    return f"{lower:+d}" if lower == upper else f"{lower:+d} to {upper:+d}"


def fitted(label: str, bar: str, text: str, columns: int) -> str:
    """Return a line of at most ``columns`` characters: the label is shortened first, then the bar and the last parts of
    the text are dropped.
    """
    shortest = min(len(label), _SHORTEST_LABEL)
    if shortest + 2 + len(bar) + len(text) > columns:
        bar = ""
    parts = text.split(", ")
    while len(parts) > 1 and shortest + 2 + len(", ".join(parts)) > columns:
        parts.pop()
    text = ", ".join(parts)
    available = max(shortest, columns - 2 - len(bar) - len(text))
    if len(label) > available:
        label = label[: available - 3] + "..."
    return f"{label}: {bar}{text}"[:columns]
