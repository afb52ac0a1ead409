"""The Python examples of docs/notation.md do what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")


def test_the_example_that_makes_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = re.search(r"Making one:\n\n```python\n(.*?)```\n\nIt prints\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(match[1], {})
    assert out.getvalue().strip() == match[2].strip()
    assert Path("games.rgn").read_text(encoding="utf-8").strip() == match[2].strip()
