"""Describes the extension module ``ringfen._core`` to cffi. Run by setup.py, from the project's root."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cffi import FFI

HERE = Path("core_c/src")

#: One C file a game, and what belongs to one game alone.
GAMES = [
    "gyges",
    "rings",
    "gran",
    "gran_board",
    "siaius",
    "siaius_tables_build",
    "siaius_tables_exits",
    "siaius_tables_index",
    "siaius_tables_probe",
    "siaius_tables_rows",
    "siaius_tables_verify",
    "siaius_tables_write",
]
#: What knows no game.
GENERIC = [
    "certificate",
    "certificate_layers",
    "chance_maxn",
    "chance_paranoid",
    "chance_search",
    "control",
    "games",
    "graph",
    "margin_search",
    "movetext",
    "perft",
    "position_set",
    "retrograde",
    "split",
    "table",
    "tags",
    "text",
    "win_search",
    "x86_64_v3",
]
#: Headers whose marked part Python sees.
PUBLIC_HEADERS = [
    "ringfen",
    "certificate",
    "certificate_layers",
    "chance_search",
    "gran_board",
    "graph",
    "margin_search",
    "movetext",
    "retrograde",
    "split",
    "siaius_tables",
    "tags",
    "win_search",
]

CALLBACKS = """
extern "Python" int rf_python_poll(rf_control *);
extern "Python" size_t rf_python_decompress(void *, void *, size_t, const void *, size_t);
"""

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wno-unused-parameter"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-wrapv", "-O1", "-g"]


def declarations(header: str) -> str:
    """The part of a header between its marker comments, as cffi's ``cdef`` takes it."""
    text = (HERE / f"{header}.h").read_text(encoding="utf-8")
    match = re.search(r"/\* cffi: begin \*/(.*)/\* cffi: end \*/", text, re.DOTALL)
    if match is None:
        raise ValueError(f"{header}.h has no part marked for cffi")
    return match[1]


def make() -> FFI:
    """The builder that setuptools' cffi_modules asks for."""
    compile_args = ["-O3", *WARNINGS]
    link_args: list[str] = []
    if os.environ.get("RINGFEN_SANITIZE"):
        compile_args += SANITIZE
        link_args += SANITIZE[:1]
    if os.environ.get("RINGFEN_WERROR"):
        compile_args.append("-Werror")
    ffi = FFI()
    for header in PUBLIC_HEADERS:
        ffi.cdef(declarations(header))
    ffi.cdef(CALLBACKS)
    ffi.set_source(
        "ringfen._core",
        "".join(f'#include "{header}.h"\n' for header in PUBLIC_HEADERS),
        sources=[str(HERE / f"{name}.c") for name in GENERIC + GAMES],
        depends=[str(path) for pattern in ("*.h", "*.inc", "*.c", "*.py") for path in sorted(HERE.glob(pattern))],
        include_dirs=[str(HERE)],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        py_limited_api=True,
    )
    return ffi


ffibuilder = make()
