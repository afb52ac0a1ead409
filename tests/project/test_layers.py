"""Imports and includes go one way, also imports inside functions: each part uses only parts above it in the list
of layers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"core_c": "ringfen", "notation": "ringfen.notation", "cli": "ringfen.cli"}

#: From the bottom to the top; a package stands for all its modules, unless a longer name is listed.
LAYERS = [
    ("ringfen._core",),
    ("ringfen.version", "ringfen.errors", "ringfen.text", "ringfen.inputs", "ringfen.threads"),
    ("ringfen.outputs",),
    ("ringfen.control", "ringfen.memory"),
    ("ringfen.arguments",),
    ("ringfen.rules.base",),
    ("ringfen.rules.gyges", "ringfen.rules.rings", "ringfen.rules.gran", "ringfen.rules.siaius"),
    ("ringfen.rules",),
    ("ringfen.options",),
    ("ringfen.position",),
    ("ringfen.drawing", "ringfen.counting", "ringfen.win_value"),
    ("ringfen.tables",),
    ("ringfen.solving",),
    ("ringfen.batch", "ringfen.certificates"),
    ("ringfen.problems",),
    ("ringfen",),
    ("ringfen.notation",),
    ("ringfen.cli",),
    ("ringfen.__main__",),
]

#: Who may import from a higher layer, and only when called.
LATE = {
    "ringfen.position": "Position",
    "ringfen.notation.record": "Record",
    "ringfen.notation.record_reader": "RecordReader",
    "ringfen": "__getattr__",
}


def modules() -> dict[str, Path]:
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            inside = path.relative_to(ROOT / folder)
            if inside.parts[0] != "src":
                parts = inside.with_suffix("").parts
                found[".".join((package, *(part for part in parts if part != "__init__")))] = path
    return found


MODULES = modules()


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def nodes_of(module: str) -> list[ast.AST]:
    return list(ast.walk(tree_of(module)))


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(node: ast.AST, allowed_late: str = "") -> Iterator[str]:
    """The imports of Ringfen in the code below a node, except types for annotations and permitted late imports."""
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child) or getattr(child, "name", None) == allowed_late != "":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name.split(".")[0] == "ringfen")
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            if child.module is not None and child.module.split(".")[0] == "ringfen":
                for alias in child.names:
                    name = f"{child.module}.{alias.name}"
                    yield name if name in MODULES or name == "ringfen._core" else child.module
        yield from imports(child, allowed_late)


@cache
def imported_by(module: str) -> set[str]:
    return set(imports(tree_of(module), LATE.get(module, ""))) - {module}


def layer(module: str) -> int:
    names = {name: number for number, names in enumerate(LAYERS) for name in names}
    while module not in names:
        module = module.rpartition(".")[0]
    return names[module]


def test_every_layer_exists() -> None:
    assert {name for names in LAYERS for name in names} <= {*MODULES, "ringfen._core"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_from_layers_below(module: str) -> None:
    for imported in imported_by(module):
        assert layer(imported) <= layer(module), f"{module} imports {imported}"
        if layer(imported) == layer(module):
            same = [name for name in LAYERS[layer(module)] if f"{module}.".startswith(f"{name}.")]
            assert f"{imported}.".startswith(f"{same[-1]}."), f"{module} imports {imported}, which is in the same layer"


def test_there_are_no_cycles() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module in MODULES and module not in done:
            for imported in imported_by(module):
                visit(imported, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


@pytest.mark.parametrize("module", sorted(name for name in MODULES if name.startswith("ringfen.cli")))
def test_the_command_line_does_not_use_the_c_core(module: str) -> None:
    assert "ringfen._core" not in imported_by(module)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_library_imports_no_part_of_itself_in_a_function(module: str) -> None:
    if module.startswith("ringfen.cli"):
        return  # a command loads what it needs
    late = [node for node in tree_of(module).body if getattr(node, "name", None) == LATE.get(module, "")]
    exempt = {inside for node in late for inside in ast.walk(node)}
    for node in nodes_of(module):
        if isinstance(node, ast.FunctionDef) and node not in exempt:
            assert not list(imports(node)), f"{module}.{node.name}"


def test_no_module_assigns_to_another() -> None:
    """No other module assigns a variable of a module."""
    for module in MODULES:
        names = {
            alias.asname or alias.name
            for node in nodes_of(module)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" in MODULES
        }
        for node in nodes_of(module):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in [part for whole in targets for part in ast.walk(whole)]:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    assert target.value.id not in names, f"{module} sets {target.value.id}.{target.attr}"


# ---- the C core ----

SOURCES = ROOT / "core_c" / "src"
INCLUDES = {
    path.relative_to(SOURCES).as_posix(): re.findall(
        r'^#include "(.+)"', path.read_text(encoding="utf-8"), re.MULTILINE
    )
    for path in SOURCES.rglob("*")
    if path.suffix in (".c", ".h", ".inc")
}
GAMES = re.findall(r"\bX\((\w+)\)", (SOURCES / "games.h").read_text(encoding="utf-8"))

#: Folders, and files in none by their names without a suffix, from the bottom to the top.
PARTS = [
    ("ringfen", "unit"),
    ("common",),
    ("control",),
    ("game",),
    ("tables",),
    ("perft", "x86_64_v3"),
    ("search", "certificates", "records", "games", *GAMES),
    ("solving",),
    ("web",),
]

#: Interfaces that a game's tables implement.
ACROSS = {
    ("siaius/tables/tables.h", "certificates/leaves.h"),
}


def part(file: str) -> str:
    folder, slash, _ = file.partition("/")
    return folder if slash else folder.partition(".")[0]


def test_includes_go_one_way() -> None:
    number = {name: number for number, names in enumerate(PARTS) for name in names}
    assert set(map(part, INCLUDES)) <= set(number)
    across = {
        (file, included)
        for file, all_included in INCLUDES.items()
        for included in all_included
        if part(file) != part(included) and number[part(included)] >= number[part(file)]
    }
    assert across == ACROSS


#: A function that other files can call: its name at the beginning of a line, and its body.
FUNCTION = re.compile(
    r"^(?!static|typedef|enum|extern|return|else)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE
)


def calls_between_files() -> dict[str, set[str]]:
    """For each C file: the files that define the functions that it calls."""
    code = {
        path.relative_to(SOURCES).as_posix(): re.sub(
            r'/\*.*?\*/|"(?:\\.|[^"\\])*"', " ", path.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        for path in SOURCES.rglob("*.c")
    }
    owners: dict[str, str] = {}
    for file, text in code.items():
        owners.update(dict.fromkeys(FUNCTION.findall(text), file))
    assert len(owners) > 300
    return {
        file: {owners[name] for name in re.findall(r"\b(\w+)\s*\(", text) if name in owners} - {file}
        for file, text in code.items()
    }


def test_files_call_each_other_in_one_direction() -> None:
    calls = calls_between_files()
    reached = {file: set(called) for file, called in calls.items()}
    for middle in calls:
        for file in calls:
            if middle in reached[file]:
                reached[file] |= reached[middle]
    assert {file for file in calls if file in reached[file]} == set()


def test_there_are_no_cycles_of_includes() -> None:
    done: set[str] = set()

    def visit(file: str, path: tuple[str, ...]) -> None:
        assert file not in path, " -> ".join((*path, file))
        if file not in done:
            for included in INCLUDES[file]:
                visit(included, (*path, file))
            done.add(file)

    for file in INCLUDES:
        visit(file, ())


def test_a_game_uses_nothing_of_another() -> None:
    for file, all_included in INCLUDES.items():
        if part(file) in GAMES:
            assert not [name for name in all_included if part(name) in GAMES and part(name) != part(file)], file
