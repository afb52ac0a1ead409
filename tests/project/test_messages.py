"""Messages state expectations in one form: ``expected X``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["core_c", "notation", "cli"])
def test_messages_say_expected_first(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".c", ".h", ".inc")]
    assert files
    for path in files:
        found = re.search(r".*\b(?:is|are) expected\b.*", path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found[0]}"
