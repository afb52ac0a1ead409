"""Builds the C core for the page of ``view`` (docs/page.md): ``python tests/tools/write_wasm.py [--check]`` with pinned
tools (``pip install ziglang==0.17.1``).

The same sources give the same bytes, wherever they are.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "notation" / "viewing" / "core.wasm"
CHECKSUM = MODULE.with_name("core.wasm.sha256")
TOOLS = "0.17.1"
FLAGS = [
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-O3", "-msimd128", "-DNDEBUG"),
    *("-Wl,--strip-all", "-Wl,-z,stack-size=1048576"),
]


def sources() -> list[str]:
    """The C files of the extension module, and the entry points of the page."""
    units: list[Path] = run_path("core_c/src/build_ffi.py")["units"]()
    return [path.as_posix() for path in [*units, *sorted(Path("core_c/src/web").glob("*.c"))]]


def build() -> bytes:
    """The module."""
    found = metadata.version("ziglang")
    if found != TOOLS:
        raise SystemExit(f"ziglang {found} is installed; run pip install ziglang=={TOOLS}")
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "core.wasm"
        caches = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), f"{folder}/cache")
        compiler = [sys.executable, "-m", "ziglang", "cc", *FLAGS, "-Icore_c/src", *sources(), "-o", str(out)]
        subprocess.run(compiler, check=True, env={**caches, **os.environ})
        return out.read_bytes()


def main() -> None:
    module = build()
    checksum = f"{hashlib.sha256(module).hexdigest()}  {MODULE.name}\n"
    if "--check" in sys.argv[1:]:
        if MODULE.read_bytes() != module or CHECKSUM.read_text(encoding="ascii") != checksum:
            raise SystemExit("notation/viewing/core.wasm is not what the sources give: run tests/tools/write_wasm.py")
        print(f"{MODULE.name}: {len(module):,} bytes, as built from the sources")
    else:
        MODULE.write_bytes(module)
        CHECKSUM.write_text(checksum, encoding="ascii")
        print(f"{MODULE.name}: {len(module):,} bytes")


if __name__ == "__main__":
    main()
