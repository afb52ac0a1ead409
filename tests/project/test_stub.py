"""The types of the core that mypy reads are those of the headers, and of the module that was built from them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from ringfen._core import lib

ROOT = Path(__file__).parents[2]
STUB = ROOT / "core_c" / "_core.pyi"
WRITER = "tests/tools/write_stub.py"


def test_the_stub_is_what_the_headers_say() -> None:
    written = subprocess.run([sys.executable, WRITER], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert STUB.read_text(encoding="utf-8") == written, f"renew it: python {WRITER} > core_c/_core.pyi"


def test_the_stub_names_all_of_the_library() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    (library,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "_Lib"]
    functions = {node.name for node in library.body if isinstance(node, ast.FunctionDef)}
    values = {node.target.id for node in library.body if isinstance(node, ast.AnnAssign) and hasattr(node.target, "id")}
    assert functions | values == set(dir(lib))
