"""Help, the version and the man page."""

from __future__ import annotations

import re
import shlex
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

from ringfen.cli.commands import FIRST_STEPS, main

pytestmark = pytest.mark.unsanitized  # needs only texts

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


def test_a_group_without_a_command_shows_its_help() -> None:
    for words in [words for words, command in COMMANDS.items() if isinstance(command, click.Group)]:
        alone = ringfen(*words)
        if words != ("ugi",):  # which is a command too
            assert alone.output.splitlines() == ringfen(*words, "--help").output.splitlines()


def test_the_first_steps_fit_a_terminal_and_run_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = ringfen()
    assert (alone.exit_code, alone.stdout, alone.stderr) == (0, FIRST_STEPS, "")
    lines = FIRST_STEPS.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) < 80
    monkeypatch.chdir(tmp_path)
    examples = [line.strip() for line in lines if line.startswith("  ")]
    assert len(examples) == 5
    for example in examples:
        output: str | None = None
        for command in example.split(" | "):
            result = ringfen(*shlex.split(command)[1:], stdin=output)
            assert (result.exit_code, result.stderr) == (0, ""), command
            output = result.stdout


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("solve gyges --divide", "No such option '--divide'. perft has --divide."),
        ("solve gyges --divde", "No such option '--divde'. perft has --divide."),
        ("perft gyges --dpeth 2", "No such option '--dpeth'. Did you mean --depth?"),
        ("new rings --sise 5x7", "No such option '--sise'. Did you mean --size?"),
        ("moves rings --size 5x7", "No such option '--size'. new, tablebase build, tablebase checksums and other"),
        ("validate games.rgn --write", "No such option '--write'. fix and fmt have --write."),
        ("validate games.rgn -w", "No such option '-w'. fix and fmt have -w."),
        ("--divide perft gyges", "No such option '--divide'. perft has --divide."),
        ("tablebase build siaius --each", "No such option '--each'. solve has --each."),
        ("moves gyges --zzzzzz", "No such option '--zzzzzz'."),
        ("tablebase probes", "No such command 'probes'. Did you mean probe?"),
        ("board shows", "No such command 'shows'. Did you mean show?"),
        ("gyges", "No such command 'gyges'. That is a position: it follows a command"),
        ("games.rgn", "No such command 'games.rgn'. That is a file: it follows a command"),
        ("a1-b3", "No such command 'a1-b3'. That is a ply: 'ringfen play POSITION PLY' plays it."),
        ("solve games.rgn", "'games.rgn' is a file, not a position: --file reads positions"),
        ("solve gyges games.rgn", "'games.rgn' is a file, not a position: --file reads positions"),
        ("play games.rgn a1-b3", "'games.rgn' is a file, not a position: --file reads positions"),
        ("compare games.rgn true --depth 1", "'games.rgn' is a file, not a position: --file reads positions"),
        ("moves gyges a1-b3", "'a1-b3' is a ply, not a position: 'ringfen play POSITION PLY' plays it."),
        ("show *c4", "'*c4' is a ply, not a position"),
        ("perft 321123 --depth 1", "'321123' is a ply, not a position"),
        ("solve stay", "'stay' is a ply, not a position"),
        ("moves Gyges", "No game has the id 'Gyges'. Did you mean gyges?"),
        ("moves rigns", "No game has the id 'rigns'. Did you mean rings?"),
        ("validate gyges", "'gyges' is a position, not a file"),
        ("filter 'gyges x' --count", "'gyges x' is a position, not a file"),
        ("moves --file gyges", "'gyges' is a position, not a file"),
        ("verify siaius", "'siaius' is a position, not a file"),
        ("answers siaius", "'siaius' is a position, not a file"),
        ("suite gran", "'gran' is a position, not a file"),
    ],
)
def test_a_usage_error_names_what_was_meant(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.rgn").write_text('[Game "gyges"]\n\n*\n')
    result = ringfen(*shlex.split(arguments))
    lines = result.stderr.splitlines()
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in lines[-1]
    assert [line for line in lines if line.startswith("Try 'ringfen")] != []


def test_a_file_with_the_name_of_a_game_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gyges").write_text("siaius\n")
    assert ringfen("positions", "gyges").stderr.startswith("error: gyges: this is a file of positions")
    assert ringfen("random", "--file", "gyges", "--max-plies", "1").exit_code == 0


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


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_can_be_read() -> None:
    words = ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=100n", str(MAN_PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    text = re.sub(r".\x08|\x1b\[\d+m", "", done.stdout)
    assert "ringfen solve 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'" in text
    assert "Gygès" in text


def test_helps_of_options_have_one_style() -> None:
    helps = {
        option.help
        for command in COMMANDS.values()
        for option in command.params
        if isinstance(option, click.Option) and option.help
    }
    for text in helps:
        assert text[0].isupper(), text
        assert not re.match(r"(?:(?:GRAN|Gygès|Siaius|The King of Rings|maxn|paranoid)(?:, )?)+: [a-z]", text), text
        assert not re.match(r"(?:With|Without) [-a-z]+: ", text), text  # "With --resume, solve"
