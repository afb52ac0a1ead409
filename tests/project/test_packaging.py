"""What is shipped. RINGFEN_DIST names a directory with a built sdist and wheel, RINGFEN_DIST_AGAIN one with those of a
second build elsewhere, with the same SOURCE_DATE_EPOCH; without them the cheap parts run."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import ringfen
from ringfen import game_ids

ROOT = Path(__file__).parents[2]
DIST = os.environ.get("RINGFEN_DIST", "")
AGAIN = os.environ.get("RINGFEN_DIST_AGAIN", "")
built = pytest.mark.skipif(not DIST, reason="RINGFEN_DIST names no built packages")


def test_one_version_everywhere() -> None:
    version = ringfen.__version__
    assert metadata.version("ringfen") == version
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_type_hints_rules_and_boards_are_installed() -> None:
    package = Path(ringfen.__file__).parent
    assert (package / "py.typed").is_file()
    assert (package / "_core.pyi").is_file()
    for game_id in game_ids():
        assert (package / "rules" / f"{game_id}.md").is_file()


def test_every_module_says_what_it_is_for() -> None:
    for folder in ("core_c", "notation", "cli"):
        for module in sorted((ROOT / folder).rglob("*.py")):
            assert module.read_text(encoding="utf-8").startswith('"""'), module


def setup_messages(patch: str) -> str:
    """What the build would say on a machine that is changed by ``patch``."""
    code = (
        "import setuptools, sys; setuptools.setup = lambda **k: None\n"
        f"names = {{'__name__': 'setup'}}; exec(open('setup.py').read(), names)\n{patch}\n"
        "print(names['missing_tool']())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="says nothing on Windows")
def test_a_missing_compiler_or_header_is_reported() -> None:
    pytest.importorskip("setuptools")
    no_compiler = setup_messages("names['shutil'].which = lambda name: None")
    assert "no C compiler was found" in no_compiler
    assert "apt-get install gcc python3-dev python3-venv" in no_compiler
    no_headers = setup_messages(
        "names['shutil'].which = lambda name: name\nnames['sysconfig'].get_paths = lambda: {'include': '/nowhere'}"
    )
    assert "Python.h" in no_headers
    assert "apt-get install python3-dev" in no_headers


def test_a_build_leaves_nothing_in_the_temporary_directory(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    code = (
        "import setuptools; setuptools.setup = lambda **settings: print(settings['options']['build']['build_base']); "
        "exec(open('setup.py').read())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1].startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def make_repeatable() -> Callable[[Path, int], None]:
    """The function of setup.py, which is run without building."""
    setuptools = pytest.importorskip("setuptools")
    names: dict[str, Any] = {"__name__": "setup"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setuptools, "setup", lambda **_: None)
        exec((ROOT / "setup.py").read_text(encoding="utf-8"), names)
    found: Callable[[Path, int], None] = names["make_repeatable"]
    return found


def test_an_archive_depends_only_on_names_and_contents(tmp_path: Path) -> None:
    def pack(name: str, members: list[tuple[str, int]], owner: str, when: float) -> bytes:
        path = tmp_path / name
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for member, mode in members:
                information = tarfile.TarInfo(member)
                information.size, information.mode, information.mtime = len(member), mode, when  # type: ignore[assignment, unused-ignore]
                information.uname = owner
                archive.addfile(information, io.BytesIO(member.encode()))
        make_repeatable()(path, 1_700_000_000)
        return path.read_bytes()

    first = pack("one.tar.gz", [("b", 0o664), ("a", 0o700)], "she", 12.5)
    assert first == pack("two.tar.gz", [("a", 0o755), ("b", 0o600)], "he", 99.0)
    assert first != pack("three.tar.gz", [("a", 0o644), ("b", 0o600)], "he", 99.0)
    with tarfile.open(tmp_path / "one.tar.gz") as archive:
        assert [(member.name, member.mode, member.mtime) for member in archive] == [
            ("a", 0o755, 1_700_000_000),
            ("b", 0o644, 1_700_000_000),
        ]
        assert archive.extractfile("b").read() == b"b"  # type: ignore[union-attr]


@pytest.mark.parametrize("is_writable", [True, False])
def test_a_build_writes_nothing_into_a_source_that_is_read_only(
    is_writable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    setuptools = pytest.importorskip("setuptools")
    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.setattr(os, "access", lambda path, mode: is_writable)
    setup_file: dict[str, Any] = {"__name__": "setup"}
    exec((ROOT / "setup.py").read_text(encoding="utf-8"), setup_file)
    folder = given["options"]["egg_info"].get("egg_base")
    assert folder == (None if is_writable else setup_file["build_base"])


_INSTALLED = {".py", ".pyi", ".typed", ".md", ".board", ".jsonl", ".html", ".css", ".js", ".json", ".svg", ".wasm"}


def installed_files() -> Iterator[str]:
    """The files that the tree must install, except the compiled core."""
    for folder, package in (
        ("core_c", "ringfen"),
        ("notation", "ringfen/notation"),
        ("cli", "ringfen/cli"),
    ):
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT / folder)
            if path.suffix in _INSTALLED and inside.parts[0] != "src":
                yield f"{package}/{inside.as_posix()}"


def test_every_folder_of_modules_is_a_package_that_is_installed() -> None:
    tomllib = pytest.importorskip("tomllib")  # since Python 3.11
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {Path(file).parent for file in installed_files() if file.endswith(".py")}
    assert {folder.as_posix().replace("/", ".") for folder in folders} == set(settings["packages"])


@built
def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    (wheel,) = Path(DIST).glob("*.whl")
    assert "-cp310-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    project = f"ringfen-{ringfen.__version__}"
    assert tops == {"ringfen", f"{project}.dist-info", f"{project}.data"}
    assert [name for name in names if ".data/" in name] == [f"{project}.data/data/share/man/man1/ringfen.1"]
    assert not [name for name in names if name.endswith((".c", ".h", ".inc", ".o")) or "build_ffi" in name]
    found = {name for name in names if name.startswith("ringfen/") and not name.startswith("ringfen/_core.abi3")}
    assert found == set(installed_files())


@built
def test_the_sdist_holds_all_that_a_developer_needs() -> None:
    (sdist,) = Path(DIST).glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml", "setup.py", ".ci/run"}
    for folder in ("benchmarks", "core_c/src", "core_c", "cli", "docs", "examples", "notation", "tests"):
        needed |= {
            str(path.relative_to(ROOT))
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix in (".py", ".c", ".h", ".inc", ".md", ".rgn", ".jsonl", ".txt", ".board")
        }
    generated = {"core_c/_core.c"}
    assert needed - generated <= names


@built
@pytest.mark.skipif(not AGAIN, reason="RINGFEN_DIST_AGAIN names no second build")
def test_two_builds_are_equal_byte_for_byte() -> None:
    first, again = ({path.name: path.read_bytes() for path in Path(place).iterdir()} for place in (DIST, AGAIN))
    assert len(first) == 2
    assert first.keys() == again.keys()
    assert [name for name in first if first[name] != again[name]] == []
