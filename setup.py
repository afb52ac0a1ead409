"""Build the C extension, the abi3 wheel and the repeatable sdist: the part that pyproject.toml cannot express."""

from __future__ import annotations

import atexit
import gzip
import os
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist


def missing_tool() -> str | None:
    """Return a message about the missing compiler or headers, or None if both exist."""
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
    """Compile the core if a compiler and Python's headers exist."""

    def run(self) -> None:
        """Compile, or exit with a message that says what to install."""
        message = missing_tool()
        if message is not None:
            raise SystemExit(f"\nerror: {message}\n")
        super().run()

    def build_extension(self, ext: Any) -> None:
        """Compile the files on all processors. Debug information names them relative to the project's root."""
        for folder, name in ((build_base, "build"), (os.getcwd(), ".")):
            ext.extra_compile_args.append(f"-ffile-prefix-map={folder}={name}")
        compile_in_turn = self.compiler.compile

        def compile_in_threads(sources: list[str], *args: Any, **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = pool.map(lambda source: compile_in_turn([source], *args, **options), sources)
                return list(chain.from_iterable(objects))

        self.compiler.compile = compile_in_threads
        super().build_extension(ext)


def make_repeatable(archive: Path, seconds: int) -> None:
    """Pack a .tar.gz again so that it depends only on the names and contents of its files.

    The members are sorted by name. All have the same time (seconds since 1970), owner 0, and the permissions that git
    keeps.
    """
    with tarfile.open(archive) as packed:
        members = sorted(packed.getmembers(), key=lambda member: member.name)
        contents = [packed.extractfile(member) if member.isfile() else None for member in members]
        with (
            tempfile.TemporaryFile() as file,
            gzip.GzipFile("", "wb", 9, file, mtime=seconds) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as out,
        ):
            for member, content in zip(members, contents, strict=True):
                member.mtime, member.pax_headers = seconds, {}
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
                out.addfile(member, content)
            out.close()
            compressed.close()
            file.seek(0)
            archive.write_bytes(file.read())


class PackSources(sdist):
    """Make the sdist. If SOURCE_DATE_EPOCH is set, two sdists of the same files have the same bytes."""

    def make_archive(self, base_name: str, format: str, *args: Any, **options: Any) -> str:
        """Pack the files, and make the archive repeatable if SOURCE_DATE_EPOCH is set."""
        archive: str = super().make_archive(base_name, format, *args, **options)
        if format == "gztar" and "SOURCE_DATE_EPOCH" in os.environ:
            make_repeatable(Path(archive), int(os.environ["SOURCE_DATE_EPOCH"]))
        return archive


# setuptools reuses old objects when only the compiler's flags change, so each build has its own folder.
build_base = tempfile.mkdtemp(prefix="ringfen-build-")
atexit.register(shutil.rmtree, build_base, ignore_errors=True)

setup(
    data_files=[("share/man/man1", ["docs/ringfen.1"])],
    cffi_modules=["core_c/src/build_ffi.py:ffibuilder"],
    cmdclass={"build_ext": BuildCore, "sdist": PackSources},
    options={
        "build": {"build_base": build_base},
        "bdist_wheel": {"py_limited_api": "cp310"},
        # setuptools writes this folder into the source, which another user may own.
        "egg_info": {} if os.access(".", os.W_OK) else {"egg_base": build_base},
    },
)
