"""Files that are rewritten: the old text and the new one, compared, shown and exchanged."""

from __future__ import annotations

import errno
import os
from typing import IO, Any, BinaryIO

import click

from ringfen.cli.exit_status import printing
from ringfen.cli.record_files import InputRecords
from ringfen.inputs import is_packed, unpacked
from ringfen.outputs import Output
from ringfen.text import printable

_MEGABYTE = 1 << 20
#: A text that is formatted stays in memory up to this size.
_IN_MEMORY = 8 << 20


def spool() -> Any:
    """Return a file for a text, in memory as long as it is small."""
    from tempfile import SpooledTemporaryFile

    return SpooledTemporaryFile(max_size=_IN_MEMORY)


def rereadable(inputs: InputRecords, name: str, copy: BinaryIO) -> Any:
    """Return a stream that can be read twice."""
    if inputs.is_as_stored(name):
        stream = open(name, "rb")  # noqa: SIM115 - the caller closes it
        try:
            content = unpacked(stream, name)
            inputs.check_kind(name, content)
            return content
        except OSError:
            stream.close()
            raise
    with inputs.opened(name) as stream:
        copy_stream(stream, copy)
    copy.seek(0)
    return copy


def copy_stream(source: Any, target: Any) -> None:
    """Copy a stream from its beginning, if it can be rewound."""
    from shutil import copyfileobj

    # Python 3.10's SpooledTemporaryFile can seek but does not say so.
    if getattr(source, "seekable", lambda: True)():
        source.seek(0)
    copyfileobj(source, target, _MEGABYTE)
    target.flush()


def streams_equal(a: Any, b: Any) -> bool:
    """Return whether two streams that can be read again have the same content."""
    a.seek(0)
    b.seek(0)
    while True:
        left, right = a.read(_MEGABYTE), b.read(_MEGABYTE)
        if left != right:
            return False
        if not left:
            return True


def is_changed(inputs: InputRecords, name: str, text: Any, new: Any) -> bool:
    """Return whether a new text differs from the file, or the file has another encoding than UTF-8."""
    if inputs.encoding is None or name == "-" or not os.path.isfile(name) or is_packed(name):
        return not streams_equal(text, new)
    with open(name, "rb") as stored:
        return not streams_equal(stored, new)


def reject_packed(name: str) -> None:
    """Reject a compressed file, which is not changed.

    :raises OSError: the file is compressed.
    """
    if os.path.isfile(name) and is_packed(name):
        raise OSError(errno.EINVAL, "--write does not change compressed files", name)


def print_diff(name: str, original: Any, formatted: Any, what: str, out: IO[bytes] | None = None) -> None:
    """Print the difference between two texts to ``out``, or to standard output if that is None."""
    from difflib import unified_diff

    before, after = (_lines(stream) for stream in (original, formatted))
    with printing():
        for line in unified_diff(before, after, printable(name), f"{printable(name)} ({what})"):
            shown = _shown_line(line)
            click.echo(shown if out is None else shown.encode("utf-8", "backslashreplace"), file=out)


def _shown_line(line: str) -> str:
    """Return a line of a difference for a terminal: tabs stay, and other line ends become visible."""
    body = line.removesuffix("\n").replace("\r", "\u240d")
    return "\t".join(map(printable, body.split("\t")))


def _lines(stream: Any) -> list[str]:
    stream.seek(0)
    return [line.decode("utf-8", "replace") for line in stream]


def replace(target: Output, formatted: Any) -> None:
    """Replace the file by the new text."""
    with target.open() as file:
        copy_stream(formatted, file)
