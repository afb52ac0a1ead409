"""docs/python.md shows what happens: its blocks are doctests.

docs/api.md shows the docstrings of every name that ringfen and ringfen.notation export.
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
def test_every_exported_name_has_a_docstring(module: ModuleType, name: str) -> None:
    """docs/api.md shows it."""
    thing = getattr(module, name)
    if name not in ("__version__", "Outcome", "CODES", "MAX_RECORD"):
        assert thing.__doc__, f"{name} has no docstring"


def test_the_page_names_every_error() -> None:
    """A caller has to know which errors to expect."""
    errors = {name for name, cls in CLASSES.items() if issubclass(cls, ringfen.RingfenError)}
    assert errors - set(re.findall(r"`(\w+)`", PAGE)) == set()


CLASSES = {name: getattr(module, name) for module, name in EXPORTED if isinstance(getattr(module, name), type)}


KINDS = (property, classmethod, staticmethod)


def members(cls: type) -> set[str]:
    """The public methods and properties of a class."""
    inherited = {name for base in (tuple, ValueError) if issubclass(cls, base) for name in dir(base)}
    found = {name for name in dir(cls) if not name.startswith("_")} - inherited
    return {name for name in found if callable(thing := inspect.getattr_static(cls, name)) or isinstance(thing, KINDS)}


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_of_a_class_has_a_docstring(name: str) -> None:
    """docs/api.md shows them."""
    for member in sorted(members(CLASSES[name])):
        assert inspect.getdoc(inspect.getattr_static(CLASSES[name], member)), f"{name}.{member} has no docstring"


def test_what_members_are() -> None:
    assert {"apply", "fen", "from_state"} <= members(ringfen.Position)
    assert {"probe", "verify"} <= members(ringfen.Tablebase)
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
