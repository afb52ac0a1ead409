"""Help, the version and the man page."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import click
import pytest
import write_man
from cli_runner import ringfen

from ringfen.cli.commands import main

ROOT = Path(__file__).parents[2]
MAN_PAGE = ROOT / "docs" / "ringfen.1"


def commands(group: click.Group, context: click.Context) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words, groups too."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (name,), command
        if isinstance(command, click.Group):
            for words, below in commands(command, click.Context(command, context, name)):
                yield (name, *words), below


COMMANDS = dict(commands(main, click.Context(main)))


def test_the_list_of_commands_cuts_nothing_short() -> None:
    groups = [(), *(words for words, command in COMMANDS.items() if isinstance(command, click.Group))]
    lists = [ringfen(*words, "--help").stdout for words in groups]
    assert [line for text in lists for line in text.splitlines()[1:] if line.endswith("...")] == []


def test_a_group_alone_shows_its_help() -> None:
    for words in [(), *(words for words, command in COMMANDS.items() if isinstance(command, click.Group))]:
        alone = ringfen(*words)
        if words != ("ugi",):  # which is a command too
            assert alone.output.splitlines() == ringfen(*words, "--help").output.splitlines()


def test_help_command_is_the_help_of_the_command() -> None:
    assert ringfen("help").stdout == ringfen("--help").stdout
    assert ringfen("help", "tablebase", "build").stdout == ringfen("tablebase", "build", "--help").stdout
    for words in COMMANDS:
        assert ringfen("help", *words).stdout == ringfen(*words, "--help").stdout
    nothing = ringfen("help", "nothing")
    assert (nothing.exit_code, nothing.stderr.splitlines()[-1]) == (2, "error: No such command 'nothing'.")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("check", "validate"),
        ("count", "perft"),
        ("draw", "show"),
        ("format", "fmt"),
        ("Repair", "fix"),
        ("shows", "show"),
    ],
)
def test_an_unknown_command_suggests_the_one_that_is_meant(word: str, meant: str) -> None:
    result = ringfen(word, "gyges")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == f"error: No such command '{word}'. Did you mean {meant}?"


def test_the_version_in_three_ways() -> None:
    version = ringfen("--version").stdout
    assert ringfen("-V").stdout == version
    done = subprocess.run([sys.executable, "-m", "ringfen", "-V"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (version, "")


def test_the_man_page_is_what_the_help_says() -> None:
    installed = MAN_PAGE.read_text(encoding="utf-8")
    if f"with click {write_man.click_version()};" not in installed:
        pytest.skip("another release of click words some help otherwise")
    changes = unified_diff(installed.splitlines(), write_man.man_page().splitlines(), lineterm="")
    assert "\n".join(changes) == "", "python tests/tools/write_man.py > docs/ringfen.1"


@pytest.mark.unsanitized  # of no interest there, and the preloaded library upsets groff
@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_can_be_read() -> None:
    words = ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=100n", str(MAN_PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    text = re.sub(r".\x08|\x1b\[\d+m", "", done.stdout)
    assert "ringfen solve 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'" in text
    assert "Gygès" in text
