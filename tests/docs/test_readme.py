"""Every console block of the README and of the pages is run; every Python block of the README is a doctest."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from batch_tools import PATIENCE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [README, *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))]
#: A file that the reader of a page saves: its name follows the language of the block.
SAVED = re.compile(r"^```text (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Every command of the console blocks with the output that stands below it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", "\n".join(PAGES), re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = f"{command}\n{more}"
            found.append((command, output))
    return found


def matches(shown: str, real: str) -> bool:
    """Whether the outputs agree. In the README, … means any text within a line."""
    pattern = "[^\n]*".join(map(re.escape, shown.split("…")))
    return re.fullmatch(pattern, real) is not None


def without_progress(real: str) -> str:
    """The output without the lines of progress that slow commands print."""
    return re.sub(r"^\S[^:\n]*: (?:[^\n]*, )?\d+ s\n", "", real, flags=re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(examples()) > 3


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory in which the reader types the commands in turn."""
    path = tmp_path_factory.mktemp("readme")
    (path / "examples").symlink_to(ROOT / "examples")
    for name, text in SAVED.findall("\n".join(PAGES)):
        (path / name).write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("command", "output"), examples(), ids=lambda text: text.split("\n")[0][:60])
def test_console_example(command: str, output: str, directory: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=directory,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    real = without_progress(done.stdout)
    assert matches(output, real), f"README:\n{output}\nreally:\n{done.stdout}"


def test_progress_of_a_busy_machine_is_no_part_of_an_example() -> None:
    shown = "annotating: 3 of 13, 39 s to go, positions, 12 s\n1 record, 12 plies\n"
    assert without_progress(shown) == "1 record, 12 plies\n"


def test_python_examples() -> None:
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)):
        test = doctest.DocTestParser().get_doctest(block, {}, f"README block {number}", "README.md", 0)
        assert (
            doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS).run(test).failed == 0
        )


def test_the_commands_of_a_newcomer() -> None:
    """Two commands, each complete; .ci/run runs the second one unchanged."""
    commands = re.findall(r"^    (python3 -m venv .*)$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("pip install . && .venv/bin/ringfen view --open")
    assert commands[1].endswith(".venv/bin/python -m pytest")
