"""Sphinx configuration: ``python -m sphinx -W docs build/docs`` builds the site.

It needs Ringfen with the extra ``docs``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent

project = "Ringfen"
author = "The Ringfen maintainers"
copyright = author
release = re.search(r'^version = "(.*)"$', (_ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)[1]  # type: ignore[index]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
#: Console blocks show prompts and shortened output, which no lexer accepts in full.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Ringfen"
html_show_sphinx = False
html_copy_source = False


def _write_board(app: Any, exception: Exception | None) -> None:
    """Write the page of ``ringfen view`` with an example as board.html, which the first page links to."""
    if exception is None and app.builder.format == "html":
        from ringfen.notation import read_records
        from ringfen.notation.viewing import Page

        page = Page("Ringfen")
        for record in read_records(_ROOT / "examples" / "gyges-2001.rgn"):
            page.add(record)
        (Path(app.outdir) / "board.html").write_text(page.html(), encoding="utf-8")


def setup(app: Any) -> None:
    """Connect the functions above to the build."""
    app.connect("build-finished", _write_board)
