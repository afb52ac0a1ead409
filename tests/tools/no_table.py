"""Searches without a table, which callers cannot ask for: what answers with tables must be equal to."""

from __future__ import annotations

from typing import Any

from ringfen import SolveOptions


def options_with(hash_mb: int, **others: Any) -> SolveOptions:
    """Options with a table of this size; 0 is none."""
    options = SolveOptions(hash_mb=max(hash_mb, 1), **others)
    object.__setattr__(options, "hash_mb", hash_mb)
    return options
