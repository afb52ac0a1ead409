"""Describe the extension module ``ringfen._core`` to cffi. Run by setup.py, from the project's root.

As a program, print the C files to compile, for builds of the core without Python (docs/embedding.md).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cffi import FFI

HERE = Path("core_c/src")
#: Folders that know no game. A game's folder has its name in games.h.
COMMON_FOLDERS = ["common", "search", "certificates", "records", "solving", "tables"]

CALLBACKS = """
extern "Python" int rf_python_poll(rf_control *);
extern "Python" bool rf_python_solve_child(void *, const rf_state *, const rf_solve_options *, rf_answer *, uint64_t *);
extern "Python" size_t rf_python_decompress(void *, void *, size_t, const void *, size_t);
"""

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow"]
DEBUG = ["-O0", "-g3"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-wrapv", "-O1", "-g"]

CDEF = re.compile(r"/\* cffi: begin \*/(.*)/\* cffi: end \*/", re.DOTALL)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def read(path: Path) -> str:
    """Return the text of a source file."""
    return path.read_text(encoding="utf-8")


def games() -> list[str]:
    """Return the games that games.h lists, which are the names of their folders."""
    return re.findall(r"\bX\((\w+)\)", read(HERE / "games.h"))


def files(suffix: str) -> list[Path]:
    """Return all source files with this suffix: those directly in the source folder, then folder by folder."""
    folders = [HERE / name for name in COMMON_FOLDERS + games()]
    return sorted(HERE.glob(f"*{suffix}")) + [path for folder in folders for path in sorted(folder.rglob(f"*{suffix}"))]


def units() -> list[Path]:
    """Return the C files to compile: all except those that another file includes."""
    sources = files(".c")
    included = {HERE / name for path in sources for name in INCLUDE.findall(read(path))}
    return [path for path in sources if path not in included]


def public_headers() -> list[Path]:
    """Return the headers with a part for cffi, each after those that it includes."""
    found: dict[Path, bool] = {}

    def add(path: Path) -> None:
        if path not in found:
            found[path] = False
            text = read(path)
            for name in INCLUDE.findall(text):
                add(HERE / name)
            del found[path]
            found[path] = CDEF.search(text) is not None

    for path in files(".h"):
        add(path)
    return [path for path, public in found.items() if public]


def make() -> FFI:
    """Return the builder for setuptools' cffi_modules."""
    from cffi import FFI

    # Python's own flags ask for debug information, a fifth of the time to compile.
    compile_args = ["-O3", "-g0", *WARNINGS]
    link_args: list[str] = []
    if os.environ.get("RINGFEN_DEBUG"):
        compile_args += DEBUG
    if os.environ.get("RINGFEN_SANITIZE"):
        compile_args += SANITIZE
        link_args += SANITIZE[:1]
    if os.environ.get("RINGFEN_WERROR"):
        compile_args.append("-Werror")
    ffi = FFI()
    headers = public_headers()
    for header in headers:
        ffi.cdef("".join(CDEF.findall(read(header))))
    ffi.cdef(CALLBACKS)
    ffi.set_source(
        "ringfen._core",
        "".join(f'#include "{header.relative_to(HERE).as_posix()}"\n' for header in headers),
        sources=[path.as_posix() for path in units()],
        depends=[path.as_posix() for suffix in (".h", ".inc", ".c", ".py") for path in files(suffix)],
        include_dirs=[HERE.as_posix()],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        py_limited_api=True,
    )
    return ffi


if __name__ == "__main__":
    print(*units())
else:
    ffibuilder = make()
