"""Sphinx configuration: ``python -m sphinx -W docs build/docs`` builds the site.

It needs Ringfen with the extra ``docs``.
"""

from __future__ import annotations

import re
from pathlib import Path

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
