"""docs/python.md shows what happens: its blocks are doctests.

It uses every name that ringfen and ringfen.notation export, and describes the members of every class.
"""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import ringfen
from ringfen import notation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(BLOCKS, {}, "docs/python.md", "docs/python.md", 0)
    assert len(test.examples) > 20
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


EXPORTED = [(module, name) for module in (ringfen, notation) for name in module.__all__]


@pytest.mark.parametrize(("module", "name"), EXPORTED, ids=lambda item: getattr(item, "__name__", item))
def test_every_exported_name_is_there_and_used_as_the_page_shows_it(module: ModuleType, name: str) -> None:
    thing = getattr(module, name)
    short = module.__name__.rpartition(".")[2]
    assert re.search(rf"(?:`|\b{short}\.|import )(?:\w+, )*{re.escape(name)}\b", PAGE), (
        f"docs/python.md does not show {name}"
    )
    if not (isinstance(thing, type) and issubclass(thing, ringfen.RingfenError)):
        used = rf"\b{short}\.{name}\b|import {name}$"
        assert re.search(used, BLOCKS, re.MULTILINE), f"no example of docs/python.md uses {name}"
    if name not in ("__version__", "Outcome", "CODES", "MAX_RECORD"):
        assert thing.__doc__, f"{name} has no docstring"


#: Where the page describes the members of a class.
SECTIONS = {
    "Position": "Positions",
    "Game": "Games",
    "Limits": "Solving",
    "PlyValue": "Solving",
    "Progress": "Solving",
    "Solution": "Solving",
    "SolveOptions": "Solving",
    "Tablebase": "Endgame tables",
    **dict.fromkeys(("Diagnostic", "Line", "Node", "Record", "Report", "Token"), "Records"),
}
CLASSES = {name: getattr(module, name) for module, name in EXPORTED if isinstance(getattr(module, name), type)}


def members(cls: type) -> set[str]:
    """The public members of a class: methods, properties, fields, and what its objects are given when made."""
    inherited = {name for base in (tuple, ValueError) if issubclass(cls, base) for name in dir(base)}
    found = {name for name in dir(cls) if not name.startswith("_")} - inherited
    for base in cls.__mro__:
        if base.__module__.startswith("ringfen"):
            found |= {name for name in inspect.get_annotations(base) if not name.startswith("_")}
            found |= set(re.findall(r"^ +self\.([a-z]\w*)(?:: [^=\n]+)? = ", inspect.getsource(base), re.MULTILINE))
    return found


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_of_a_class_is_described_in_its_section(name: str) -> None:
    heading = SECTIONS.get(name, "Errors")
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", section[1], re.DOTALL))
    for member in sorted(members(CLASSES[name])):
        assert re.search(rf"\b{member}\b", code), f"docs/python.md does not describe {member} of {name} in {heading}"


def test_what_members_are() -> None:
    assert {"apply", "fen", "from_state"} <= members(ringfen.Position)
    assert {"directory", "probe"} <= members(ringfen.Tablebase)
    assert {"nodes", "at", "message"} <= members(ringfen.LimitReached)
    assert {"kind", "nag"} <= members(notation.Token)
    assert "index" not in members(notation.Token)


@pytest.mark.parametrize(
    "name", [name for name in ringfen.__all__ if isinstance(getattr(ringfen, name), type) and name.endswith("Error")]
)
def test_errors_are_one_family(name: str) -> None:
    assert issubclass(getattr(ringfen, name), ringfen.RingfenError)


def test_the_rest_of_the_family() -> None:
    assert issubclass(ringfen.LimitReached, ringfen.RingfenError)
    assert issubclass(ringfen.NotSolved, ringfen.RingfenError)
    assert issubclass(ringfen.RingfenError, ValueError)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        ringfen.no_such_name  # noqa: B018
    assert set(ringfen.__all__) <= set(dir(ringfen))
