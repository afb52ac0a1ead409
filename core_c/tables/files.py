"""Files of endgame tables: one class per file, in compressed blocks that are read separately (docs/tables.md)."""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ringfen._core import ffi, lib
from ringfen.errors import TableError
from ringfen.inputs import NotRegularError, open_regular
from ringfen.outputs import Output
from ringfen.rules import TableRules, game_by_id, games_with_tables, table_rules

if TYPE_CHECKING:
    from ringfen._core import Bytes, CData, rf_game

#: The format that this version writes and reads.
VERSION: Final = 1
SUFFIX: Final = ".rft"

#: Size of a block. A probe reads one block: small blocks are faster, large blocks take less space on disk.
_BLOCK_BYTES: Final = 1024
_LEVEL: Final = 6
#: Number of bytes that are read at a time for a checksum.
_PIECE_BYTES: Final = 1 << 20

# Magic, version, size of header and index; files, ranks, variant, width; material; entries, entries per block, blocks,
# bytes of data; wins, draws, losses; longest win and loss, and their entries; CRC-32 of the index.
_HEADER: Final = struct.Struct("<8sIQBBBBIQQQQQQQIIQQI")
_CHECKSUM: Final = struct.Struct("<I")
HEADER_BYTES: Final = 128

#: The value that a decompressing function returns on failure.
_FAILED: Final = int(ffi.cast("size_t", -1))

assert _HEADER.size + _CHECKSUM.size <= HEADER_BYTES


@dataclass(frozen=True, slots=True)
class Board:
    """The key of a folder of tables: a game, a board and the value of the game's variant option."""

    game: str
    files: int
    ranks: int
    variant: str

    @property
    def folder(self) -> str:
        """The name of the folder with the tables."""
        name = f"{self.game}-{self.files}x{self.ranks}"
        return f"{name}-{self.variant}" if self.variant else name

    @property
    def rules(self) -> TableRules:
        """The table rules of the game."""
        return table_rules(self.game)

    @property
    def cdata(self) -> rf_game:
        """The game in the C core."""
        return game_by_id(self.game).cdata

    @property
    def variant_number(self) -> int:
        """The number of the variant in files and in the C core."""
        return list(self.rules.variants).index(self.variant)


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers of won, drawn and lost positions of a class for the side to move, and the longest distances.

    ``*_at`` is the number of the first entry with that distance.
    """

    wins: int
    draws: int
    losses: int
    longest_win: int
    longest_loss: int
    longest_win_at: int
    longest_loss_at: int


@dataclass(frozen=True, slots=True)
class TableInfo:
    """The head of a file."""

    path: Path
    board: Board
    material: int
    entries: int
    width: int
    block_entries: int
    blocks: int
    bytes: int
    statistics: Statistics

    @property
    def name(self) -> str:
        """The material, as in ``SMvT`` or ``112233``."""
        return self.board.rules.name_of(self.material)


def table_error(path: Path, reason: str, message: str) -> TableError:
    """Return the error for a file that cannot be used."""
    return TableError(f"{path}: {message}", reason=reason, text=str(path))


def _opened(path: Path) -> BinaryIO:
    """Return a file of a directory of tables.

    :raises TableError: It is not a regular file, or it cannot be opened.
    """
    try:
        return open_regular(path)
    except NotRegularError as error:
        raise table_error(path, "foreign-table", str(error.strerror)) from error
    except OSError as error:
        raise table_error(path, "unreadable-table", error.strerror or str(error)) from error


# ---- compression ----


@cache
def decompressor() -> tuple[CData, Callable[[], CData]]:
    """``ZSTD_decompressDCtx`` for the C core, and a function that makes the context each thread needs for it.

    The cffi module of the package zstandard contains the library, but is not part of its interface. If it is missing or
    different, the core calls Python for each block, which is slower but gives the same result.
    """
    try:
        from zstandard._cffi import ffi as zstd_ffi  # type: ignore[import-not-found, import-untyped, unused-ignore]
        from zstandard._cffi import lib as zstd

        make, free = zstd.ZSTD_createDCtx, zstd.ZSTD_freeDCtx
        address = int(zstd_ffi.cast("uintptr_t", zstd_ffi.addressof(zstd, "ZSTD_decompressDCtx")))
    except (ImportError, AttributeError):
        return lib.rf_python_decompress, lambda: ffi.NULL

    def new_context() -> CData:
        # A function of C frees it: Python ignores a Ctrl-C that arrives while a destructor in Python runs.
        pointer: CData = ffi.cast("void *", int(zstd_ffi.cast("uintptr_t", make())))
        return ffi.gc(pointer, free)

    return ffi.cast("rf_decompress", address), new_context


@ffi.def_extern(error=_FAILED, onerror=lambda *_: None)
def rf_python_decompress(context: CData, out: CData, capacity: int, data: CData, size: int) -> int:
    """Decompress a block in Python if :func:`decompressor` does not find the library."""
    import zstandard

    values = zstandard.ZstdDecompressor().decompress(bytes(ffi.buffer(data, size)), max_output_size=capacity)
    if len(values) > capacity:
        return _FAILED
    ffi.memmove(out, values, len(values))
    return len(values)


def _compressed(values: Any, block_bytes: int, stopped: Callable[[], bool]) -> tuple[list[bytes], bool]:
    import zstandard

    parameters = zstandard.ZstdCompressionParameters.from_level(_LEVEL, source_size=block_bytes)
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    view = memoryview(values)
    blocks: list[bytes] = []
    for begin in range(0, len(view), block_bytes):
        if stopped():
            return blocks, False
        blocks.append(compressor.compress(view[begin : begin + block_bytes]))
    return blocks, True


# ---- writing ----


def write_table(
    folder: Path,
    board: Board,
    material: int,
    width: int,
    values: Any,
    statistics: Statistics,
    stopped: Callable[[], bool] = lambda: False,
) -> Path | None:
    """Write the file of a class completely or not at all, and return its path.

    :param values: A buffer with the entries.
    :param stopped: If it returns True before the file is complete, the result is None.
    """
    blocks, whole = _compressed(values, _BLOCK_BYTES, stopped)
    if not whole:
        return None
    offsets = [0]
    for block in blocks:
        offsets.append(offsets[-1] + len(block))
    index = struct.pack(f"<{len(offsets)}Q", *offsets)
    index += struct.pack(f"<{len(blocks)}I", *map(zlib.crc32, blocks))
    index += b"\0" * (-len(index) % 8)
    stats = statistics
    head = _HEADER.pack(
        *(board.rules.magic, VERSION, HEADER_BYTES + len(index)),
        *(board.files, board.ranks, board.variant_number, width, material),
        *(len(memoryview(values)) // width, _BLOCK_BYTES // width, len(blocks), offsets[-1]),
        *(stats.wins, stats.draws, stats.losses, stats.longest_win, stats.longest_loss),
        *(stats.longest_win_at, stats.longest_loss_at, zlib.crc32(index)),
    ).ljust(HEADER_BYTES - _CHECKSUM.size, b"\0")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (board.rules.name_of(material) + SUFFIX)
    with Output(path).open() as file:
        file.write(head + _CHECKSUM.pack(zlib.crc32(head)) + index)
        file.writelines(blocks)
    return path


# ---- reading ----


def read_info(path: Path) -> TableInfo:
    """Return the head of a file, checked against the size and the checksum.

    :raises TableError: The file is not a table that this version can read.
    :raises OSError: The file cannot be read.
    """
    with _opened(path) as file:
        head = file.read(HEADER_BYTES)
        size = os.fstat(file.fileno()).st_size
    return _checked(path, head, size)[0]


def _game_of(head: bytes) -> str | None:
    """Return the game whose files begin with these bytes."""
    for game in games_with_tables():
        magic = table_rules(game).magic
        if head and head[: len(magic)] == magic[: len(head)]:
            return game
    return None


def _checked(path: Path, head: bytes, size: int) -> tuple[TableInfo, int, int]:
    """Return the contents of the head, the offset of the data, and the checksum of the index."""
    game = _game_of(head)
    if game is None:
        raise table_error(path, "foreign-table", "this is not an endgame table")
    if len(head) < HEADER_BYTES:
        raise table_error(path, "truncated-table", f"the file ends after {size} bytes, within its head")
    version = int.from_bytes(head[8:12], "little")
    if version > VERSION:
        words = f"format {version} is newer than {VERSION}, which this version of ringfen reads"
        raise table_error(path, "newer-table", words)
    (checksum,) = _CHECKSUM.unpack(head[-_CHECKSUM.size :])
    if zlib.crc32(head[: -_CHECKSUM.size]) != checksum or version != VERSION:
        raise table_error(path, "damaged-table", "the head is damaged")
    fields = _HEADER.unpack(head[: _HEADER.size])
    _, _, data_at, files, ranks, variant, width, material, entries, block_entries, blocks, data_bytes, *rest = fields
    *numbers, index_checksum = rest
    rules, core = table_rules(game), game_by_id(game).cdata
    if not (
        rules.files[0] <= files <= rules.files[1]
        and rules.ranks[0] <= ranks <= rules.ranks[1]
        and variant < len(rules.variants)
        and width in (1, 2)
        and lib.rf_is_class(core, material)
        and entries == lib.rf_tablebase_entries(core, files, ranks, material)
        and block_entries > 0
        and blocks == -(-entries // block_entries)
        and 0 <= data_at - (HEADER_BYTES + 12 * blocks + 8) < 8
    ):
        raise table_error(path, "damaged-table", "the head contradicts itself")
    if size < data_at + data_bytes:
        raise table_error(path, "truncated-table", f"the file has {size} bytes, not {data_at + data_bytes}")
    if size > data_at + data_bytes:
        raise table_error(path, "damaged-table", f"the file has {size} bytes, not {data_at + data_bytes}")
    board = Board(game, files, ranks, rules.variants[variant])
    info = TableInfo(path, board, material, entries, width, block_entries, blocks, size, Statistics(*numbers))
    return info, data_at, index_checksum


class TableFile:
    """A file for probing. Head and index are checked when it is opened; blocks when they are read.

    :raises TableError: The file is not a table that this version can read.
    :raises OSError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            self.info, data_at, index_checksum = _checked(path, file.read(HEADER_BYTES), size)
            index = file.read(data_at - HEADER_BYTES)
        if zlib.crc32(index) != index_checksum:
            raise table_error(path, "damaged-table", "the index of the blocks is damaged")
        #: The memory that `blocks` points to.
        self._kept = ffi.new("char[]", os.fsencode(os.path.abspath(path))), ffi.from_buffer("unsigned char[]", index)
        blocks = self.blocks = ffi.new("rf_tb_blocks *")
        blocks.path, blocks.offsets = self._kept
        blocks.checksums = blocks.offsets + 8 * (self.info.blocks + 1)
        blocks.blocks = self.info.blocks
        blocks.block_entries = self.info.block_entries
        blocks.data_at = data_at
        blocks.data_size = size - data_at

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of the file, in hexadecimal.

        :raises OSError: The file cannot be read.
        """
        digest = hashlib.sha256()
        with _opened(self.info.path) as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
        return digest.hexdigest()

    def damaged(self, block: int | None = None) -> TableError:
        """Return the error for a block with a wrong checksum."""
        where = "a block" if block is None else f"block {block + 1} of {self.info.blocks}"
        return table_error(self.info.path, "damaged-table", f"{where} is damaged or cannot be read")

    def values(self) -> Bytes:
        """Return all entries, as a C array.

        :raises TableError: A block is damaged.
        """
        decompress, new_context = decompressor()
        out = ffi.new("unsigned char[]", max(1, self.info.entries * self.info.width))
        bad = lib.rf_tb_unpack(self.blocks, self.info.entries, self.info.width, decompress, new_context(), out)
        if bad >= 0:
            raise self.damaged(bad)
        return out

    def sha256(self) -> str:
        """Return the SHA-256 of all entries in hexadecimal. It does not depend on the version of the compression
        library.

        :raises TableError: A block is damaged.
        """
        return hashlib.sha256(ffi.buffer(self.values(), self.info.entries * self.info.width)).hexdigest()

    def check(self) -> None:
        """Check every block.

        :raises TableError: A block is damaged.
        """
        self.values()
