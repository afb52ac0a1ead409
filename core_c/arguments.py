"""Checks of arguments: a value of the wrong type raises a TypeError that states the expected type."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ringfen.control import MAX_THREADS, checked_int


def check_path(name: str, value: Any) -> None:
    """Check that a value is a path.

    :raises TypeError: It is not a str or a Path.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{name} must be a str or a Path, not {type(value).__name__}")


def check_board_path(value: Any) -> None:
    """Check that a value is a sequence of directories and files to search for boards.

    :raises TypeError: It is not a sequence of Paths.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"board_path is a sequence of Paths, not {type(value).__name__}")
    if not value:
        return
    from pathlib import Path

    for place in value:
        if not isinstance(place, Path):
            raise TypeError(f"board_path is a sequence of Paths, not of {type(place).__name__}")


def check_flag(name: str, value: Any) -> None:
    """Check that a value is True or False.

    :raises TypeError: It is neither.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")


def check_progress(value: Any) -> None:
    """Check that a value is None or a function that receives progress reports.

    :raises TypeError: It is neither.
    """
    if value is not None and not callable(value):
        raise TypeError(f"progress is a function, not {type(value).__name__}")


def check_threads(value: Any) -> None:
    """Check that a value is None or a number of threads.

    :raises TypeError: It is not an integer.
    :raises ValueError: It is out of bounds.
    """
    if value is not None:
        checked_int("threads", value, 1, MAX_THREADS)
