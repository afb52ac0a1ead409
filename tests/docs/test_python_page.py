"""docs/python.md shows what happens: its blocks are doctests, and it uses every name that ringfen exports."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import ringfen

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


@pytest.mark.parametrize("name", ringfen.__all__)
def test_every_exported_name_is_there_and_on_the_page(name: str) -> None:
    thing = getattr(ringfen, name)
    assert re.search(rf"(?:`|ringfen\.|import ){re.escape(name)}\b", PAGE), f"docs/python.md does not show {name}"
    if name not in ("__version__", "Outcome"):
        assert thing.__doc__, f"{name} has no docstring"


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
