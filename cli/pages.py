"""The pages of the manual, which are installed with the package: ``ringfen help cli.md``."""

from __future__ import annotations

from importlib.resources import files

import click

_SUFFIXES = (".md", ".json")


def page_names() -> list[str]:
    """The names of all pages, sorted."""
    return sorted(page.name for page in files("ringfen.docs").iterdir() if page.name.endswith(_SUFFIXES))


def show_page(name: str) -> None:
    """Prints a page, on a terminal through its pager.

    :raises click.UsageError: there is no such page.
    """
    names = page_names()
    if name not in names:
        raise click.UsageError(f"No such page {name[:40]!r}. The pages are {', '.join(names)}.")
    click.echo_via_pager((files("ringfen.docs") / name).read_text(encoding="utf-8"))
