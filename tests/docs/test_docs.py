"""The documentation keeps up with the code: every command and option is described, every help has an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import write_cli_page
from cli_runner import ringfen

from ringfen.cli.commands import main

ROOT = Path(__file__).parents[2]
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def commands(group: click.Group = main, names: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name; the commands of a subgroup as ``tablebase build``."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*names, name))
        else:
            yield " ".join((*names, name)), command


COMMANDS = dict(commands())


def test_the_page_is_what_the_help_says() -> None:
    assert write_cli_page.renewed(CLI_PAGE) == CLI_PAGE, "python tests/tools/write_cli_page.py"


def test_every_documented_command_exists() -> None:
    headings = set(re.findall(r"^### (.+)$", CLI_PAGE, re.MULTILINE))
    assert headings - {"ugi"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(name: str) -> None:
    result = ringfen(*name.split(), "--help")
    assert result.exit_code == 0
    assert re.search(rf"Example:\n +ringfen {name}\b", result.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    for param in command.get_params(click.Context(command)):
        if isinstance(param, click.Option):
            assert param.help, param.name


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


PARTS = ("cli", "notation", "core_c")
PAGES = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/README.md"), *ROOT.glob("*/README.md")}
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_pages_name_exist(page: Path) -> None:
    """Named from the top, from the C sources, from the page, or only by its name; ID and GAME are any game.

    The files of the fifth game are named by the places that they have in its copy of the project.
    """
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for name in re.findall(r"`([\w./]+\.(?:c|h|inc|py|pyi))`", text):
        real = re.sub(r"\b(ID|GAME)\b", "rings", name)
        places = [place / real for place in (ROOT, ROOT / "core_c" / "src", page.parent)]
        anywhere = [] if "/" in real else [path for part in PARTS for path in (ROOT / part).rglob(real)]
        if "tictactoe" in real:
            anywhere = list((ROOT / "tests" / "fifth_game").rglob(Path(real).name))
        assert anywhere or any(place.is_file() for place in places), name
