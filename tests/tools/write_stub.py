"""Prints ``core_c/_core.pyi``, the types of the extension module, from the declarations for Python in the headers.

``python tests/tools/write_stub.py > core_c/_core.pyi`` renews it after a change of the headers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from cffi import FFI

sys.path.insert(0, str(Path(__file__).parents[2] / "core_c" / "src"))
import build_ffi  # type: ignore[import-not-found, unused-ignore]

HEAD = '''\
"""Types of the C core, as mypy sees them. Written by tests/tools/write_stub.py from the headers; do not edit.

A struct and a pointer to it have one type here, since cffi reads their fields alike. A pointer may be ``ffi.NULL``.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Literal, TypeVar, overload

from typing_extensions import Buffer, Self

_T = TypeVar("_T")
_C = TypeVar("_C", bound=CData)
_F = TypeVar("_F", bound=Callable[..., Any])

class CData:
    """Any value of C that is not a plain number."""

    def __bool__(self) -> bool: ...

class Array(CData, Generic[_T]):
    """An array of C, or a pointer to the first of several values."""

    @overload
    def __getitem__(self, index: int, /) -> _T: ...
    @overload
    def __getitem__(self, part: slice[int, int, None], /) -> Array[_T]: ...
    @overload
    def __setitem__(self, index: int, value: _T, /) -> None: ...
    @overload
    def __setitem__(self, part: slice[int, int, None], values: Iterable[_T], /) -> None: ...
    def __add__(self, places: int, /) -> Self: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __len__(self) -> int: ...

class Chars(CData):
    """An array of ``char``, or a pointer to a text that ends with a NUL."""

    def __add__(self, places: int, /) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *raised: object) -> None: ...
    def __len__(self) -> int: ...

class Bytes(Array[int]):
    """An array of ``unsigned char``."""

class _Buffer:
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, part: slice, /) -> bytes: ...
    def __len__(self) -> int: ...

'''

FFI_CLASS = """\
class _Ffi:
    NULL: Any
    def string(self, text: Chars, maxlen: int = -1) -> bytes: ...
    @overload
    def unpack(self, data: Chars, length: int) -> bytes: ...
    @overload
    def unpack(self, data: Array[_T], length: int) -> list[_T]: ...
    def gc(self, data: _C, destructor: Callable[[_C], object], size: int = 0) -> _C: ...
    def buffer(self, data: CData, size: int = -1) -> _Buffer: ...
    @overload
    def from_buffer(self, ctype: Literal["unsigned char[]"], data: Buffer, /) -> Bytes: ...
    @overload
    def from_buffer(self, data: Buffer, /) -> Chars: ...
    def memmove(self, to: CData, data: CData | Buffer, size: int) -> None: ...
    def new_handle(self, value: object) -> CData: ...
    def from_handle(self, handle: CData) -> Any: ...
    def cast(self, ctype: str, value: object) -> Any: ...
    def sizeof(self, ctype: str | CData) -> int: ...
    def offsetof(self, ctype: str, *fields: str | int) -> int: ...
    def addressof(self, data: CData, *fields: str | int) -> Any: ...
    def release(self, data: CData) -> None: ...
    def def_extern(
        self, name: str = ..., error: Any = None, onerror: Callable[..., Any] | None = None
    ) -> Callable[[_F], _F]: ...
"""

#: What is made singly or as an array of plain values; structs come from the headers.
NEW = {
    "char[]": "Chars",
    "unsigned char[]": "Bytes",
    "uint8_t[]": "Bytes",
    "rf_ply[]": "Array[int]",
    "rf_state[]": "rf_state",
    "rf_chances[]": "rf_chances",
    "int[]": "Array[int]",
    "int *": "Array[int]",
    "uint32_t *": "Array[int]",
    "uint64_t *": "Array[int]",
    "uint64_t[]": "Array[int]",
    "uint64_t[3]": "Array[int]",
    "uint8_t[6]": "Bytes",
    "uint16_t[]": "Array[int]",
}

#: Structs that functions take many of.
ARRAYS = {"rf_clean_record", "rf_event", "rf_search_target", "rf_tb_zugzwangs", "rf_usual_start", "rf_warning"}

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ENUM = re.compile(r"enum\s*\{(.*?)\}", re.DOTALL)
STRUCT = re.compile(r"typedef struct \w+(?:\s*\{.*?\n\})? (\w+);", re.DOTALL)
FUNCTION = re.compile(r"^(?!typedef|extern|enum)([\w ]+?[ *]+)(\w+)\(([^;{]*)\);", re.MULTILINE)
PARAMETER = re.compile(r"(\w+)(?:\[\w*\])?$")
#: Names of parameters that Python reserves.
RESERVED = {"from": "first", "in": "source"}


def python_type(ctype: Any, *, given: bool = False) -> str:
    """What mypy knows a type of C by; ``given``: as the parameter of a function."""
    if ctype.kind == "void":
        return "None"
    if ctype.kind == "primitive":
        return {"_Bool": "bool", "double": "float", "char": "bytes"}.get(ctype.cname, "int")
    if ctype.kind == "enum":
        return "int"
    if ctype.kind == "struct":
        return str(ctype.cname.removeprefix("struct "))
    if ctype.kind == "function":
        return "CData"
    item = ctype.item
    if item.kind == "void":
        return "CData"
    if item.kind == "primitive" and item.cname == "char":
        return "bytes | Chars" if given else "Chars"
    if item.kind == "primitive" and item.cname == "unsigned char" and given:
        return "bytes | CData"
    if item.kind == "struct" and ctype.kind == "pointer" and not (given and item.cname in ARRAYS):
        return python_type(item)
    return f"Array[{python_type(item)}]"


def struct_lines(name: str, ctype: Any) -> list[str]:
    """The class of a struct."""
    lines = [f"class {name}(CData):", f"    def __getitem__(self, index: int, /) -> {name}: ..."]
    return lines + [f"    {field}: {python_type(kind.type)}" for field, kind in ctype.fields]


def function_line(ffi: FFI, result: str, name: str, parameters: str) -> str:
    """A function as a method of the library."""
    ctype = ffi.typeof(f"{result}(*)({parameters})")
    names = [match[1] for part in parameters.split(",") if (match := PARAMETER.search(part.strip()))]
    given = [
        f"{RESERVED.get(parameter, parameter)}: {python_type(kind, given=True)}"
        for parameter, kind in zip(names, ctype.args, strict=False)
    ]
    given = ["self", *given, "/"] if given else ["self"]
    returned = python_type(ctype.result)
    line = f"    def {name}({', '.join(given)}) -> {returned}: ..."
    if len(line) <= 120:
        return line
    inner = f"        {', '.join(given)}"
    if len(inner) > 120:
        inner = "\n".join(f"        {part}," for part in given)
    return f"    def {name}(\n{inner}\n    ) -> {returned}: ..."


def stub() -> str:
    """The whole file."""
    source = COMMENT.sub(
        "", "".join("".join(build_ffi.CDEF.findall(build_ffi.read(header))) for header in build_ffi.public_headers())
    )
    ffi: FFI = FFI()
    ffi.cdef(source + build_ffi.CALLBACKS)
    structs = {name: ffi.typeof(name) for name in STRUCT.findall(source)}
    new = NEW | {f"{name} *": name for name, ctype in structs.items() if ctype.fields}
    new |= {f"{name}[]": f"Array[{name}]" for name in sorted(ARRAYS)}
    constants = [
        item.split("=")[0].strip() for body in ENUM.findall(source) for item in body.split(",") if item.strip()
    ]
    opaque = [name for name, ctype in structs.items() if not ctype.fields]
    lines = [line for name, ctype in structs.items() if ctype.fields for line in [*struct_lines(name, ctype), ""]]
    lines += [f"class {name}(CData): ..." for name in opaque] + [""]
    lines += FFI_CLASS.splitlines()
    for text, made in new.items():
        lines += ["    @overload", f'    def new(self, ctype: Literal["{text}"], init: Any = None) -> {made}: ...']
    lines += ["", "class _Lib:"]
    lines += [f"    {name}: int" for name in constants]
    lines += [function_line(ffi, *parts) for parts in FUNCTION.findall(source)]
    lines += [f"    {name}: CData" for name in re.findall(r"(rf_python_\w+)\(", build_ffi.CALLBACKS)]
    return HEAD + "\n".join([*lines, "", "ffi: _Ffi", "lib: _Lib", ""])


if __name__ == "__main__":
    print(stub(), end="")
