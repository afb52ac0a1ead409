"""The faster code runs only where the processor has every instruction set that it was compiled for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "core_c" / "src"


def features(pattern: str, text: str) -> set[str]:
    (found,) = re.findall(pattern, text)
    return {feature for feature in found.split(",") if not feature.startswith("tune=")}


def test_every_feature_that_is_used_is_asked_for() -> None:
    enabling = (SOURCES / "x86_64_v3.inc").read_text(encoding="utf-8")
    clang = features(r'__attribute__\(\(target\("([^"]*)"\)\)\)', enabling)
    gcc = features(r'#pragma GCC target\("([^"]*)"\)', enabling)
    asking = (SOURCES / "games.c").read_text(encoding="utf-8")
    (body,) = re.findall(r"static bool has_v3\(void\)\n\{(.*?)\n\}", asking, re.DOTALL)
    asked = set(re.findall(r'__builtin_cpu_supports\("([^"]*)"\)', body)) | set(
        re.findall(r"has_([a-z0-9]+)\(\)", body)
    )
    assert clang == gcc == asked
    assert len(asked) >= 5


def test_no_other_file_enables_more() -> None:
    for path in [*SOURCES.rglob("*.c"), *SOURCES.rglob("*.h"), *SOURCES.rglob("*.inc")]:
        if path.name != "x86_64_v3.inc":
            assert not re.search(r"target\s*\(\s*\"", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("plain", ["1", ""])
def test_the_plain_code_can_be_asked_for(plain: str) -> None:
    code = "from ringfen._core import ffi, lib; print(ffi.string(lib.rf_instruction_set()).decode())"
    done = subprocess.run(
        [sys.executable, "-c", f"import ringfen; {code}"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"RINGFEN_PLAIN": plain},
    )
    assert done.stdout in (("baseline\n",) if plain else ("baseline\n", "x86-64-v3\n"))
