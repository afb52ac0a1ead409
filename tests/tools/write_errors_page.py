"""Rewrite the examples of ``docs/errors.md`` from the texts that ``ringfen explain`` prints.

``python tests/tools/write_errors_page.py`` replaces everything between ``<!-- examples -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
from pathlib import Path

from ringfen.notation.explaining import EXPLANATIONS

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
BLOCK = re.compile(r"(<!-- examples -->\n).*?(<!-- end -->\n)", re.DOTALL)


def example(code: str) -> str:
    """Return the example of a code and its repair as Markdown."""
    wrong, right, repair = EXPLANATIONS[code]
    shown = f"```\n{wrong}\n```\n\nRepaired:\n\n```\n{right}\n```\n\n" if wrong else ""
    return f"### {code}\n\n{shown}{repair}\n\n"


def renewed(page: str) -> str:
    """Return the page with its examples rewritten."""
    examples = "".join(map(example, EXPLANATIONS))
    return BLOCK.sub(lambda match: f"{match[1]}\n{examples}{match[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
