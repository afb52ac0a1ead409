"""Reading of files: compressed files, and files whose names the user did not give.

A file whose name the user did not give can be anything. Opening a named pipe would block forever, and Ctrl-C would not
help.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader, RawIOBase
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

if TYPE_CHECKING:
    from pathlib import Path


class NotRegularError(OSError):
    """The file is not a regular file or a link to one."""


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading. The call never blocks.

    :raises NotRegularError: It is a directory, a pipe, a device or a socket.
    :raises OSError: It cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # It is a socket.
            raise _refusal(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refusal(path)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def check_regular(path: str | Path) -> None:
    """Check that an output is a regular file or does not exist.

    :raises NotRegularError: It is something else.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise _refusal(path)


def _refusal(path: str | Path) -> NotRegularError:
    return NotRegularError(errno.EINVAL, "this is not a regular file", os.fspath(path))


def reject_endless(file: BinaryIO | IO[Any], name: str) -> None:
    """Reject an endless input: a regular file that standard output is appended to, or a device such as ``/dev/zero``.

    :raises OSError: The input is one of these.
    """
    own, device = False, False
    with suppress(OSError, ValueError, AttributeError):
        status = os.fstat(file.fileno())
        own = stat.S_ISREG(status.st_mode) and status.st_size > 0 and is_standard_output(status)
        if stat.S_ISCHR(status.st_mode) and not os.isatty(file.fileno()):
            device = status.st_rdev != os.stat(os.devnull).st_rdev
    if own:
        raise OSError(errno.EINVAL, "this input is standard output too", name)
    if device:
        raise OSError(errno.EINVAL, "this device is not a file of text", name)


def is_standard_output(found: os.stat_result) -> bool:
    """Return whether a file with this status is standard output."""
    try:
        return os.path.samestat(found, os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError, AttributeError):
        return False


# ---- compressed files ----

_GZIP: Final = (b"\x1f\x8b",)
#: A Zstandard file may begin with a frame that decoders skip.
_ZSTANDARD: Final = (b"\x28\xb5\x2f\xfd", *(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60)))
#: The first bytes of files in other formats.
_FOREIGN: Final[Mapping[bytes, str]] = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x04\x22\x4d\x18": "an LZ4 file",
    b"%PDF-": "a PDF document",
    b"\xd0\xcf\x11\xe0": "a document of an office program",
    b"{\\rtf": "an RTF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"RIFF": "an image or a recording",
    b"SQLite format 3\x00": "an SQLite database",
    b"\x7fELF": "a program",
}
_ARCHIVES: Final = ("archive", "bzip2", "xz", "LZ4", "packed")
_BEGINNINGS: Final = (*_GZIP, *_ZSTANDARD, *_FOREIGN)
#: The offset of the magic of a tar archive.
_TAR_AT: Final = 257
#: Bytes of a Zstandard file that are unpacked at a time; they become at most 16 MiB.
_PIECE: Final = 512
_CHUNK: Final = 1 << 16


def unpacked(file: IO[bytes], name: str | os.PathLike[str]) -> BinaryIO:
    """Return the content of a stream, unpacked if its first bytes are those of gzip or Zstandard.

    The stream stays open. The function reads only the bytes that it needs to recognise the format, so lines of a pipe
    arrive as they are written.

    :raises OSError: The stream has another format, such as zip; or, while it is read, it is corrupt or truncated.
    """
    stream = cast(BinaryIO, file)
    begin = _beginning(stream)
    for foreign, words in _FOREIGN.items():
        if begin == foreign:
            raise _foreign(words, name)
    content = _joined(begin, stream)
    if begin in _GZIP:
        pieces = _gzip_pieces(content)
    elif begin in _ZSTANDARD:
        pieces = _zstandard_pieces(content)
    else:
        return content
    return BufferedReader(_Pieces(_of_text(pieces, name), stream), _CHUNK)


def _of_text(pieces: Iterator[bytes], name: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the pieces of an unpacked file, unless it is an archive or packed again."""
    is_first = True
    for piece in filter(None, pieces):
        if is_first:
            is_first = False
            packed = "a file that was packed twice" if piece.startswith((*_GZIP, *_ZSTANDARD)) else None
            foreign = next((words for magic, words in _FOREIGN.items() if piece.startswith(magic)), packed)
            if piece[_TAR_AT : _TAR_AT + 5] == b"ustar":
                foreign = "a tar archive"
            if foreign is not None:
                raise _foreign(foreign, name)
        yield piece


@contextmanager
def seekable(stream: IO[bytes], name: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield the unpacked content of a stream, readable in any order. Compressed content and pipes are copied to a file.

    :raises OSError: As for :func:`unpacked`.
    """
    from shutil import copyfileobj
    from tempfile import TemporaryFile, gettempdir

    content = unpacked(stream, name)
    if content.seekable():
        yield content
        return
    with TemporaryFile() as copy:
        try:
            copyfileobj(content, copy)
        except OSError as error:
            if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                error.filename = gettempdir()
            raise
        copy.seek(0)
        yield copy  # type: ignore[misc, unused-ignore]


def decoded(stream: BinaryIO, encoding: str) -> BinaryIO:
    """Return the text of a stream as UTF-8.

    :raises OSError: While it is read, the stream is not in this encoding.
    """
    return BufferedReader(_Pieces(_decoded_pieces(stream, encoding), stream), _CHUNK)


def _decoded_pieces(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)()
    read = getattr(stream, "read1", stream.read)
    line = 1
    while True:
        piece = read(_CHUNK)
        try:
            text = decoder.decode(piece, not piece).encode()
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                line += error.object[: error.start].count(b"\n")
            raise OSError(errno.EILSEQ, f"line {line} is not in the encoding {encoding}") from error
        yield text
        if not piece:
            return
        line += text.count(b"\n")


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Return whether the first bytes of a file are those of gzip or Zstandard."""
    with open(path, "rb") as stream:
        return _beginning(stream) in (*_GZIP, *_ZSTANDARD)


def _foreign(words: str, name: str | os.PathLike[str]) -> OSError:
    advice = "unpack it first" if any(one in words for one in _ARCHIVES) else "save the content as text"
    return OSError(errno.EINVAL, f"this is {words}; {advice}", os.fspath(name))


def _beginning(stream: BinaryIO) -> bytes:
    """Return the magic that the stream begins with, or the bytes up to the first that matches no magic."""
    if hasattr(stream, "peek"):
        head = stream.peek(1)
        if not any(one.startswith(head[: len(one)]) for one in _BEGINNINGS):
            return b""
    begin = b""
    while begin not in _BEGINNINGS and any(one.startswith(begin) for one in _BEGINNINGS):
        byte = stream.read(1)
        if not byte:
            break
        begin += byte
    return begin


def _joined(begin: bytes, stream: BinaryIO) -> BinaryIO:
    """Return the stream from its beginning, of which these bytes have been read."""
    if not begin:
        return stream
    # In Python 3.10, SpooledTemporaryFile can seek but has no method seekable.
    if getattr(stream, "seekable", lambda: True)():
        stream.seek(-len(begin), os.SEEK_CUR)
        return stream
    read = getattr(stream, "read1", stream.read)
    return BufferedReader(_Pieces(chain((begin,), iter(lambda: read(_CHUNK), b"")), stream), _CHUNK)


class _Pieces(RawIOBase):
    """A stream of pieces of bytes."""

    def __init__(self, pieces: Iterator[bytes], source: BinaryIO) -> None:
        self._pieces = pieces
        self._source = source
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next piece or a part of it."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def fileno(self) -> int:
        """Return the descriptor of the source file."""
        return self._source.fileno()


def _gzip_pieces(stream: BinaryIO) -> Iterator[bytes]:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=stream, mode="rb") as file:
            while piece := file.read(_CHUNK):
                yield piece
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise OSError(errno.EINVAL, f"no whole gzip file: {error}") from error


def _zstandard_pieces(stream: BinaryIO) -> Iterator[bytes]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor()
    frame = unpacker.decompressobj()
    piece = b""
    try:
        while piece := piece or stream.read(_PIECE):
            if frame.eof:
                frame = unpacker.decompressobj()
            yield frame.decompress(piece)
            piece = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        raise OSError(errno.EINVAL, f"no whole Zstandard file: {error}") from error
    if not frame.eof:
        raise OSError(errno.EINVAL, "no whole Zstandard file: it ends too early")
