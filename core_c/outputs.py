"""Writing of files: every output of Ringfen is written by this module.

A regular file is replaced in one step: the old content, or no file, exists until the new content is complete and on the
disk. Links are followed, and a file keeps its mode. A pipe or device is written directly.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from ringfen.inputs import check_regular, is_standard_output

#: A path, or ``-`` for standard input.
Name = str | Path


class OutputRejectedError(OSError):
    """The output is an input of the same command, or another output of it."""


class Files:
    """The input and output files of one command. No file can be both, and no file is written twice.

    Files are compared by identity, not by name: a link is the file that it leads to.

    :param inputs: The files that the command reads.
    """

    def __init__(self, inputs: Iterable[Name] = ()) -> None:
        self._inputs = tuple(inputs)
        self._outputs: set[str | tuple[int, int]] = set()

    def output(self, name: Name) -> Output:
        """Return a file to write.

        :param name: The file; ``-`` is standard output.
        :raises OutputRejectedError: It is an input, or was declared before.
        :raises OSError: As :class:`Output`.
        """
        if name == "-":
            if name in self._outputs:
                raise OutputRejectedError(errno.EINVAL, "two outputs are standard output", name)
            self._outputs.add(name)
            return StandardOutput()
        output = Output(name, inputs=self._inputs)
        if output.is_replaced:
            self._declare(output)
        return output

    def companion(self, name: Name) -> None:
        """Declare an output whose name is derived from another. An existing file must be regular and not a link.

        :raises OutputRejectedError: It is an input, a link, or was declared before.
        :raises OSError: It is not a regular file, or cannot be written.
        """
        if os.path.islink(name):
            words = "this is a link, which only an output that was named may be"
            raise OutputRejectedError(errno.EINVAL, words, os.fspath(name))
        if os.path.lexists(name):
            check_regular(name)
            self.output(name)

    def _declare(self, output: Output) -> None:
        places = _identities(output.path)
        if not self._outputs.isdisjoint(places):
            raise OutputRejectedError(errno.EINVAL, "this output is another output too", output.name)
        self._outputs |= places


def _identities(path: Path) -> set[str | tuple[int, int]]:
    """Return the identity of a file: its path and, if it exists, the inode that its hard links share."""
    places: set[str | tuple[int, int]] = {os.path.realpath(path)}
    found = _status(os.fspath(path))
    if found is not None:
        places.add((found.st_dev, found.st_ino))
    return places


class Output:
    """An output. It is checked immediately, so no work is done for an output that cannot be written.

    :param name: The file; ``-`` is a file with that name, not standard output.
    :param inputs: Files that the same command reads.
    :raises OutputRejectedError: It is one of ``inputs``.
    :raises OSError: It has no name, is a directory, cannot be written, or its directory does not exist.
    """

    def __init__(self, name: Name, *, inputs: Iterable[Name] = ()) -> None:
        #: The name as the caller gave it.
        self.name = os.fspath(name)
        if not self.name:
            raise OSError(errno.EINVAL, "the name of an output is empty")
        #: The path with links resolved.
        self.path = Path(self.name)
        found = _status(self.name)
        if found is not None:
            if stat.S_ISDIR(found.st_mode):
                raise self._refusal(errno.EISDIR)
            _reject_inputs(self.name, found, inputs)
        self._own_stream = found is not None and is_standard_output(found)
        #: Whether the file is replaced in one step; otherwise content is written as it arrives.
        self.is_replaced = not self._own_stream and (found is None or stat.S_ISREG(found.st_mode))
        #: The mode of the file; None if it does not exist.
        self.mode = None if found is None else stat.S_IMODE(found.st_mode)
        if self.is_replaced:
            self.path = Path(os.path.realpath(self.name))
            if not self.path.parent.is_dir():
                raise self._refusal(errno.ENOENT)
            if not os.access(self.path.parent, os.W_OK | os.X_OK):
                raise self._refusal(errno.EACCES)
        if found is not None and not self._own_stream and not os.access(self.path, os.W_OK):
            raise self._refusal(errno.EACCES)

    def _refusal(self, number: int) -> OSError:
        return OSError(number, os.strerror(number), self.name)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the output for its content. If the block raises, a regular file keeps its old content.

        :raises OSError: For example, the disk is full; the error names the output. An error that the block raises about
            another file is unchanged.
        """
        with self._replacing() if self.is_replaced else self._direct() as file:
            yield file

    @contextmanager
    def open_packing(self) -> Iterator[IO[bytes]]:
        """Open the output as :meth:`open` does, but compress if the name ends with ``.gz`` or ``.zst``.

        The same content gives the same bytes.
        """
        with self.open() as file:
            if self.name.endswith(".gz"):
                from gzip import GzipFile

                with GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packing:
                    yield packing  # type: ignore[misc, unused-ignore]
            elif self.name.endswith(".zst"):
                from zstandard import ZstdCompressor

                with ZstdCompressor().stream_writer(file, closefd=False) as zipping:
                    yield zipping
            else:
                yield file

    def write(self, content: bytes) -> None:
        """Write the whole content; raise the errors of :meth:`open`."""
        with self.open() as file:
            file.write(content)

    @contextmanager
    def _direct(self) -> Iterator[BinaryIO]:
        with naming(self.name):
            if self._own_stream:
                sys.stdout.flush()
                descriptor = os.dup(sys.stdout.fileno())
            else:
                descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        with self._buffered(descriptor) as file:
            yield file

    def _buffered(self, descriptor: int) -> BinaryIO:
        return io.BufferedWriter(_Written(descriptor, self.name), _BUFFER)

    @contextmanager
    def _replacing(self) -> Iterator[BinaryIO]:
        with naming(self.name):
            descriptor, temporary = create_locked(self.path, self.mode)
        try:
            with self._buffered(descriptor) as file:
                yield file
                file.flush()
                with naming(self.name):
                    os.fsync(file.fileno())
                    os.replace(temporary, self.path)  # The temporary file is still locked here.
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_directory(self.path)


@contextmanager
def directory(path: Name) -> Iterator[None]:
    """Make a directory for outputs, with its parents. At the end, remove the new ones that are empty.

    :raises OSError: It cannot be made.
    """
    new = [folder for folder in (Path(path), *Path(path).parents) if not folder.exists()]
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in new:
            with suppress(OSError):
                folder.rmdir()


class OutputGroup:
    """Regular output files that are replaced together at the end of the block: all of them or none.

    There may be more of them than files can be open: each is open only while a part of it is written.
    """

    def __init__(self) -> None:
        #: Outputs by their temporary files. A name is added before its file exists, so that every file is removed.
        self._outputs: dict[Path, Output] = {}
        #: Links to the former contents, to restore them.
        self._former: list[Path] = []

    def __enter__(self) -> OutputGroup:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._replace()
        finally:
            for path in (*self._outputs, *self._former):
                with suppress(OSError):
                    path.unlink()

    def begin(self, output: Output) -> Callable[[bytes], None]:
        """Add an output; return a function that appends to its new content."""
        temporary = _temporary_name(output.path)
        self._outputs[temporary] = output
        with naming(output.name):
            os.close(_create(temporary, output.mode, os.O_WRONLY))

        def append(data: bytes) -> None:
            with naming(output.name), open(temporary, "ab") as file:
                file.write(data)

        return append

    def _replace(self) -> None:
        for temporary, output in self._outputs.items():
            with naming(output.name), open(temporary, "rb") as file:
                os.fsync(file.fileno())
        new = {output.path for output in self._outputs.values() if output.mode is None}
        replaced: list[tuple[Path, Path | None]] = []
        try:
            for temporary, output in self._outputs.items():
                replaced.append((output.path, self._kept(output.path)))
                with naming(output.name):
                    os.replace(temporary, output.path)
        except BaseException:
            for path, former in replaced:
                with suppress(OSError):
                    if former is not None:
                        os.replace(former, path)
                    elif path in new:
                        path.unlink()
            raise
        for folder in {output.path.parent: output.path for output in self._outputs.values()}.values():
            sync_directory(folder)

    def _kept(self, path: Path) -> Path | None:
        """Return a link to the current content of a file; None if it does not exist or cannot be linked."""
        former = _temporary_name(path)
        self._former.append(former)
        try:
            os.link(path, former)
        except OSError:
            return None
        return former


class StandardOutput(Output):
    """Standard output, written as the content arrives."""

    def __init__(self) -> None:
        self.name = "-"
        self.path = Path(self.name)
        self.is_replaced = False

    @contextmanager
    def _direct(self) -> Iterator[BinaryIO]:
        sys.stdout.flush()
        with io.BufferedWriter(_StandardOutput(), _BUFFER) as file:
            yield file


class _StandardOutput(io.RawIOBase):
    """Standard output; its errors name it, and closing this object leaves it open."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write everything and flush."""
        with naming("standard output"):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        return len(data)


class _Written(io.FileIO):
    """A file whose errors name the output."""

    def __init__(self, descriptor: int, called: str) -> None:
        super().__init__(descriptor, "wb")
        self._called = called

    def write(self, data: Any) -> int:
        """Write to the file; errors name the output."""
        with naming(self._called):
            return super().write(data)


@contextmanager
def naming(name: Name, numbers: Collection[int] = (), *, whatever: bool = False) -> Iterator[None]:
    """Put the name of an output into errors that have no name or that of its temporary file.

    :param numbers: Change only errors with these numbers (``errno``); by default all.
    :param whatever: Also replace the name of any other file, because all of them are temporary.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        ours = whatever or error.filename is None or Path(os.fsdecode(error.filename)).name.startswith(_PREFIX)
        if ours and (not numbers or error.errno in numbers):
            error.filename = os.fspath(name)
        raise


#: Errors that occur almost only when writing.
OF_WRITING: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})


_PREFIX = ".ringfen-"
_BUFFER = 1 << 16
#: The maximum number of processes that write the same file, so that a temporary file of a killed process is found.
_MAX_WRITERS = 8


def create_temporary(path: Path, mode: int | None, flags: int = os.O_WRONLY) -> tuple[int, Path]:
    """Create a file in the directory of ``path``, to be renamed to it; return its descriptor and its name.

    :param mode: The mode; None is that of any new file.
    """
    while True:
        temporary = _temporary_name(path)
        with suppress(FileExistsError):
            return _create(temporary, mode, flags), temporary


def _temporary_name(path: Path) -> Path:
    return path.with_name(f"{_PREFIX}{os.urandom(6).hex()}")


def create_locked(path: Path, mode: int | None, flags: int = os.O_WRONLY) -> tuple[int, Path]:
    """Create a file as :func:`create_temporary` does, locked while it is open; remove one that a killed process left.

    The name is derived from that of ``path``, so that such a file is found. If the file system has no locks, it stays.
    """
    from hashlib import sha256

    for number in range(_MAX_WRITERS):
        digest = sha256(f"{number}/{path.name}".encode("utf-8", "surrogateescape")).hexdigest()
        temporary = path.with_name(f"{_PREFIX}{digest[:12]}")
        with suppress(FileNotFoundError):
            _remove_unlocked(temporary)
        try:
            descriptor = _create(temporary, mode, flags)
        except FileExistsError:
            continue
        if _is_kept(descriptor, temporary):
            return descriptor, temporary
        os.close(descriptor)
    return create_temporary(path, mode, flags)


def _create(path: Path, mode: int | None, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    if mode is not None:
        with suppress(OSError):
            os.fchmod(descriptor, mode)
    return descriptor


def _is_kept(descriptor: int, path: Path) -> bool:
    """Lock a new file; return False if another process removed it as a leftover before it was locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # Without locks, no process removes it.
    return _is_same(descriptor, path)


def _remove_unlocked(path: Path) -> None:
    """Remove a file that no process has locked.

    :raises FileNotFoundError: It does not exist.
    """
    try:
        # Locks on network file systems need a file that is open for writing.
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:
        return
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISREG(os.fstat(descriptor).st_mode) and _is_same(descriptor, path):
                os.unlink(path)
    finally:
        os.close(descriptor)


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def sync_directory(path: Path) -> None:
    """Write the entry of a new file to the disk, if the file system can, so that it survives a power failure."""
    with suppress(OSError):
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _status(name: str) -> os.stat_result | None:
    """Return the status of a file, with links followed; None if it does not exist."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _reject_inputs(name: str, found: os.stat_result, inputs: Iterable[Name]) -> None:
    if not stat.S_ISREG(found.st_mode):
        return
    for read in inputs:
        same = False
        with suppress(OSError, ValueError, AttributeError):
            other = os.fstat(sys.stdin.fileno()) if os.fspath(read) == "-" else os.stat(read)
            same = os.path.samestat(found, other)
        if same:
            raise OutputRejectedError(errno.EINVAL, "this output is an input too", name)
