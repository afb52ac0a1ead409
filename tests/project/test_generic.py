"""What works for every game names none: no id, no function and no notion of one game in code outside its own files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ringfen import game_ids

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "core_c" / "src"
#: Files and folders that belong to one game, as docs/architecture.md says.
OF_ONE_GAME = {
    "core_c/rules": "each game's own",
    "core_c/drawing": "each game's own",
    "core_c/tables/proof_leaves.py": "Siaius",
    "core_c/tables/proof_number.py": "Siaius",
    "cli/tablebase": "Siaius",
    "core_c/certificates/boards.py": "GRAN",
    "cli/board.py": "GRAN",
    "cli/ugi.py": "Gygès",
    "notation/formats/gyges": "Gygès",
}
#: What only the rules of one game know, in names.
NOTIONS = ("huff", "huffs", "champion", "amulet", "seal", "seals", "knight")
PREFIXES = ("gy", "kr", "gr", "si")


def foreign_words(name: str) -> set[str]:
    """The parts of a name, such as ``si_huff_number``, that belong to one game."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
    return {part for part in parts if part in (*game_ids(), *NOTIONS)} | {
        part for part in parts[:1] if part in PREFIXES
    }


def python_files() -> list[Path]:
    found = [path for folder in ("core_c", "notation", "cli") for path in (ROOT / folder).rglob("*.py")]
    return [path for path in found if not is_of_one_game(path) and SOURCES not in path.parents]


def is_of_one_game(path: Path) -> bool:
    return any(path == ROOT / name or ROOT / name in path.parents for name in OF_ONE_GAME)


def names_in(node: ast.AST) -> Iterator[str]:
    """All names below a node, and strings that are an id or begin a position; types of annotations are left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        for field in ("id", "attr", "arg", "name", "asname"):
            if isinstance(name := getattr(child, field, None), str):
                yield from name.split(".")
        if isinstance(child, ast.ImportFrom) and child.module:
            yield from child.module.split(".")
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from child.value.split(" ")[:1]
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        yield from () if is_docstring else names_in(child)


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_generic_python_names_no_game(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert {name: words for name in names_in(tree) if (words := foreign_words(name))} == {}


def test_generic_c_names_no_game() -> None:
    files = [path for path in SOURCES.rglob("*") if path.suffix in (".c", ".h", ".inc")]
    generic = [path for path in files if path.relative_to(SOURCES).parts[0] not in game_ids()]
    assert len(generic) > 20
    for path in generic:
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if path.name == "games.h":
            code = re.sub(r"^#define RF_GAMES.*$", "", code, flags=re.MULTILINE)
        found = {name: words for name in re.findall(r"\w+", code) if (words := foreign_words(name))}
        assert found == {}, path


def test_files_of_one_game_exist_and_are_documented() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name, game in OF_ONE_GAME.items():
        assert (ROOT / name).exists()
        assert game.startswith("each") or re.search(rf"`{re.escape(name)}/?`", page), name


def test_messages_of_the_package_name_no_options_of_the_command_line() -> None:
    """Python and the page have no options; the command line translates names of parameters."""
    option = re.compile(r"(?<![\w-])--[a-z]")
    for path in [path for path in (ROOT / "core_c").rglob("*.py") if SOURCES not in path.parents]:
        tree = ast.parse(path.read_text())
        described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, described) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                assert not option.search(node.value), f"{path}:{node.lineno}: {node.value}"
    for path in SOURCES.rglob("*.[ch]"):
        for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', path.read_text()):
            assert not option.search(text), f"{path}: {text}"


def test_no_object_of_the_core_is_freed_in_python() -> None:
    """Python ignores a Ctrl-C that arrives while a destructor in Python runs."""
    for path in [path for path in (ROOT / "core_c").rglob("*.py") if SOURCES not in path.parents]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gc":
                assert not any(isinstance(argument, ast.Lambda) for argument in node.args), f"{path}:{node.lineno}"
