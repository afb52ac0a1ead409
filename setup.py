"""The part of the build that pyproject.toml cannot say: the C extension and the abi3 wheel."""

from __future__ import annotations

import atexit
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext


def missing_tool() -> str | None:
    """What the machine lacks to compile an extension, in words; None if it has all."""
    if sys.platform != "win32":
        compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
        if not any(shutil.which(name) for name in (compiler, "cc", "gcc", "clang")):
            return (
                "Ringfen's core is written in C and no C compiler was found.\n"
                "Install one, e.g. on Debian or Ubuntu:  apt-get install gcc python3-dev python3-venv\n"
                "on Fedora:  dnf install gcc python3-devel    on macOS:  xcode-select --install"
            )
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        return (
            "Ringfen's core is written in C and Python's headers (Python.h) were not found.\n"
            "Install them, e.g. on Debian or Ubuntu:  apt-get install python3-dev\n"
            "on Fedora:  dnf install python3-devel"
        )
    return None


class BuildCore(build_ext):
    """Compiles the core, if the machine has what that takes."""

    def run(self) -> None:
        """Compiles, or stops and says what to install."""
        message = missing_tool()
        if message is not None:
            raise SystemExit(f"\nerror: {message}\n")
        super().run()


# setuptools reuses old objects when only the compiler's flags change, so each build has its own folder.
build_base = tempfile.mkdtemp(prefix="ringfen-build-")
atexit.register(shutil.rmtree, build_base, ignore_errors=True)

setup(
    cffi_modules=["core_c/src/build_ffi.py:ffibuilder"],
    cmdclass={"build_ext": BuildCore},
    options={
        "build": {"build_base": build_base},
        "bdist_wheel": {"py_limited_api": "cp310"},
    },
)
