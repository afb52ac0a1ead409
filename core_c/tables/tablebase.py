"""Probes endgame tables for the values of positions with few stones (docs/tables.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import RLock, local
from typing import TYPE_CHECKING, Final

from ringfen._core import ffi, lib
from ringfen.control import Control, Progress, ProgressCallback, limit_reached
from ringfen.errors import TableError
from ringfen.memory import owned
from ringfen.position import Position
from ringfen.rules import games_with_tables, table_rules
from ringfen.tables.files import (
    SUFFIX,
    Board,
    TableFile,
    TableInfo,
    decompressor,
    read_info,
    table_error,
)
from ringfen.threads import Threads
from ringfen.win_value import DRAW, WinValue

if TYPE_CHECKING:
    from ringfen._core import Array, Bytes, CData, rf_description, rf_tablebase, rf_tb_reader

_ENTRIES_PER_PIECE: Final = 1 << 18
_SECONDS_BETWEEN_POLLS: Final = 0.1
#: The most blocks that a pass in no order keeps in memory: 256 MiB.
_BLOCKS_OF_A_PASS: Final = 1 << 18


def table_directories(chosen: str | Path | Sequence[Path] | None = None) -> list[Path]:
    """Return the directories of tables: ``chosen``, or the list in ``RINGFEN_TABLES``, or one in the user's data.

    The list has the format of ``PATH``. If two tables belong to the same class, the one in the earlier directory is
    used.
    """
    if chosen is not None:
        return [Path(chosen)] if isinstance(chosen, str | Path) else list(chosen)
    named = [Path(name) for name in os.environ.get("RINGFEN_TABLES", "").split(os.pathsep) if name]
    if named:
        return named
    from platformdirs import user_data_path

    return [user_data_path("ringfen", appauthor=False) / "tables"]


def tables_directory(chosen: str | Path | None = None) -> Path:
    """Return the first of :func:`table_directories`, where new tables are written."""
    return table_directories(chosen)[0]


def board_of(position: Position, max_stones: int | None = None) -> Board | None:
    """Return the board of the tables for a position; None if its game has no tables or it has too many stones.

    :param max_stones: The maximum number of stones; None is the maximum of a table.
    """
    rules = position.game.tables
    if rules is None:
        return None
    description = _described(position)
    if description.piece_count > (rules.max_stones if max_stones is None else max_stones):
        return None
    options = {ffi.string(option.name): option.value for option in description.options[0 : description.option_count]}
    option = options.get(rules.variant_option.encode("ascii"))
    variant = rules.variants[0] if option is None else ffi.string(option).decode("ascii")
    return Board(position.game.id, description.files, description.ranks, variant)


def class_of(position: Position) -> int | None:
    """Return the class whose table covers a position; None if no table can cover it."""
    board = board_of(position)
    if board is None:
        return None
    material = board.rules.class_of_position(_described(position))
    if material is None:
        return None
    entries = lib.rf_tablebase_entries(board.cdata, board.files, board.ranks, material)
    return material if 0 < entries <= board.rules.max_entries else None


def _described(position: Position) -> rf_description:
    description = ffi.new("rf_description *")
    lib.rf_describe(position.game.cdata, position.context.cdata, position.state, description)
    return description


def folders(directory: Path) -> Iterator[Path]:
    """Yield the folders with tables of a directory, in order."""
    if directory.is_dir():
        yield from sorted(path for path in directory.iterdir() if path.is_dir() and board_of_folder(path) is not None)


def board_of_folder(folder: Path) -> Board | None:
    """Return the board that the name of a folder means; None if it is not a folder of tables."""
    match = re.fullmatch(r"([a-z]+)-([1-9][0-9]?)x([1-9][0-9]?)(?:-([a-z]+))?", folder.name)
    if match is None or match[1] not in games_with_tables():
        return None
    variant = match[4] or ""
    return Board(match[1], int(match[2]), int(match[3]), variant) if variant in table_rules(match[1]).variants else None


def check_location(info: TableInfo, board: Board) -> None:
    """Check that a file has the name and folder of its class; otherwise probes would give wrong values.

    :raises TableError: It has the name or folder of another class.
    """
    if info.board != board or info.path.name != info.name + SUFFIX:
        found = f"{info.name} for {info.board.folder}"
        raise table_error(info.path, "foreign-table", f"this is the table {found}, which does not belong here")


def files_of(folder: Path) -> list[Path]:
    """Return the table files of a folder, small materials first."""
    return sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: (len(path.name), path.name))


class _Reading(local):
    """The reader of each thread."""

    def __init__(self) -> None:
        self.reader, self.context = _new_reader()


def _new_reader() -> tuple[rf_tb_reader, CData]:
    """Return a reader for one thread, and the memory that it uses."""
    decompress, new_context = decompressor()
    context = new_context()
    return owned(lib.rf_tb_reader_new(decompress, context), lib.rf_tb_reader_free), context


class _Opened:
    """Open files, and the values that are in memory. It never changes.

    The memory is released when no reference to this object and to ``core`` exists. So a call that has a reference can
    continue whatever other threads do, without locks.
    """

    def __init__(self, board: Board, files: Sequence[TableFile], values: Mapping[int, Bytes]) -> None:
        self.values = values
        self.candidates = files
        self.reading = _Reading()
        self.core = new_core(board, (files, values))
        #: The first file of each class.
        self.files = [file for file in files if self._add(file)]

    def _add(self, file: TableFile) -> bool:
        info = file.info
        if info.material in self.values:
            return lib.rf_tablebase_add_values(self.core, info.material, info.width, self.values[info.material])
        return lib.rf_tablebase_add_blocks(self.core, info.material, info.width, file.blocks)


class Tables:
    """All tables of one board and variant, open for probing by any thread.

    :meth:`close` may be called at any time. Running calls complete or raise ValueError; later calls raise ValueError,
    except :meth:`close`.

    :param skip_bad: Skip files that cannot be used and list them in :attr:`problems`, instead of raising an error.
    :raises TableError: A file cannot be used.
    :raises OSError: A file cannot be read.
    """

    def __init__(
        self, board: Board, directory: str | Path | Sequence[Path] | None = None, *, skip_bad: bool = False
    ) -> None:
        self.board = board
        #: The errors of the files that were skipped.
        self.problems: tuple[TableError, ...] = ()
        folders = [path / board.folder for path in table_directories(directory)]
        self.folder = next((folder for folder in folders if folder.is_dir()), folders[0])
        self._lock = RLock()
        files = []
        for path in [path for folder in folders for path in files_of(folder)]:
            try:
                file = TableFile(path)
                check_location(file.info, board)
            except (TableError, OSError) as error:
                if not skip_bad:
                    raise
                self.problems += (_as_table_error(path, error),)
            else:
                files.append(file)
        self._found: _Opened | None = _Opened(board, files, {})

    @property
    def _opened(self) -> _Opened:
        """The open files, for one call.

        :raises ValueError: The tables are closed.
        """
        opened = self._found
        if opened is None:
            raise closed()
        return opened

    def __len__(self) -> int:
        return len(self._opened.files)

    def close(self) -> None:
        """Close the files as soon as no call reads them."""
        with self._lock:
            self._found = None

    @property
    def infos(self) -> list[TableInfo]:
        """The heads of the files."""
        return [file.info for file in self._opened.files]

    def value(self, position: Position) -> WinValue | None:
        """Return the value of a position for its side to move, including huffs and bonuses; None if no table covers it.

        :raises TableError: A block that is needed is damaged.
        """
        opened = self._opened
        answer = lib.rf_tablebase_probe(opened.core, opened.reading.reader, position.state)
        if answer.status == lib.RF_TB_ABSENT:
            return None
        if answer.status == lib.RF_TB_DAMAGED:
            raise self.damaged(opened.reading.reader)
        if answer.winner == 0:
            return DRAW
        return "win" if answer.winner == position.player_number else "loss", int(answer.distance)

    def damaged(self, reader: rf_tb_reader) -> TableError:
        """Return the error for the last block that a reader found damaged."""
        material = lib.rf_tb_reader_damaged(reader)
        path = self.folder / (self.board.rules.name_of(material) + SUFFIX)
        found = (file.info.path for file in self._opened.files if file.info.material == material)
        return table_error(next(found, path), "damaged-table", "a block is damaged or cannot be read")

    def drop(self, error: TableError) -> bool:
        """Stop using the file that an error names. Return False if these tables never contained the file."""
        with self._lock:
            opened = self._opened
            kept = [file for file in opened.candidates if str(file.info.path) != error.text]
            if len(kept) < len(opened.candidates):
                self.problems += (_as_table_error(Path(error.text), error),)
                # Another directory may have a file of the same class, so values in memory are dropped too.
                self._found = _Opened(self.board, kept, {})
            return any(problem.text == error.text for problem in self.problems)

    def parts(self, names: Collection[str] | None = None) -> tuple[rf_tablebase, rf_tb_reader, CData]:
        """Return the tables and a separate reader, for a search in C that probes them itself.

        They stay valid as long as the caller keeps them, even if these tables are closed.

        :param names: Use only the tables with these names; None is all.
        """
        opened = self._opened
        reader, context = _new_reader()
        if names is None:
            return opened.core, reader, context
        named = [file for file in opened.files if file.info.name in names]
        return _Opened(self.board, named, {}).core, reader, context

    def checksum(self, name: str) -> str:
        """Return the SHA-256 of the file of a table, in hexadecimal.

        :raises ringfen.TableError: There is no table of this name.
        """
        for file in self._opened.files:
            if file.info.name == name:
                return file.checksum
        raise table_error(self.folder / f"{name}{SUFFIX}", "missing-table", "there is no such table")

    def text(self, material: int, index: int) -> str | None:
        """Return the position of an entry, South to move; None if the entry has two stones on one square."""
        return _text(self._opened.core, material, index)

    def load(self, materials: Container[int] | None = None) -> None:
        """Load values into memory and check every block. This makes probes and :meth:`first_wrong` much faster.

        :param materials: Load only these classes; None is all.
        :raises TableError: A block is damaged.
        """
        opened = self._opened
        values = {
            file.info.material: opened.values.get(file.info.material) or file.values()
            for file in opened.files
            if materials is None or file.info.material in materials
        }
        loaded = _Opened(self.board, opened.candidates, values)
        with self._lock:
            if self._found is None:
                raise closed()
            self._found = loaded

    def first_wrong(
        self,
        info: TableInfo,
        begin: int = 0,
        end: int | None = None,
        *,
        progress: ProgressCallback | None = None,
        cancel: Array[int] = ffi.NULL,
    ) -> int | None:
        """Return the first entry of a class whose value contradicts its successors' values; None if all are correct.

        The successors come from the rules of the game, not from the generator of the tables. Tables without a
        contradiction are correct: distances decrease towards the end of the game, and every draw has a ply to a draw.

        :raises ringfen.LimitReached: The call was cancelled.
        """
        opened = self._opened
        control = Control(None, progress, cancel)
        end = info.entries if end is None else end
        found = lib.rf_tablebase_verify(opened.core, opened.reading.reader, info.material, begin, end, control.cdata)
        control.finish()
        error = limit_reached(control)
        if error is not None:
            raise error
        return int(found) if found >= 0 else None

    def counts(self, info: TableInfo, *, progress: ProgressCallback | None = None) -> Counts:
        """Return the number of positions of a class with each value, counted over all entries.

        :param progress: Counts entries.
        :raises TableError: A block is damaged.
        """
        opened = self._opened
        counts = ffi.new("uint64_t[]", lib.RF_TB_VALUES)
        control = Control(None, progress)
        status = lib.rf_tablebase_count_values(
            opened.core, opened.reading.reader, info.material, 0, info.entries, counts, control.cdata
        )
        self._finish(control, status, opened.reading.reader)
        loss = int(lib.RF_TB_LOSS)
        return Counts(
            {value: int(counts[value]) for value in range(1, loss) if counts[value]},
            int(counts[0]),
            {value - loss: int(counts[value]) for value in range(loss, 2 * loss) if counts[value]},
        )

    def zugzwangs(
        self, info: TableInfo, *, progress: ProgressCallback | None = None
    ) -> tuple[Zugzwangs, Zugzwangs] | None:
        """Return the full-point and half-point zugzwangs of a class; None if the class with the other side to move has
        no table.

        The player to move loses. With the other player to move, that one loses too (full point), or the game is drawn
        (half point).

        :param progress: Counts entries.
        :raises TableError: A block of one of the two classes is damaged.
        """
        opened = self._opened
        found = ffi.new("rf_tb_zugzwangs[]", 2)
        control = Control(None, progress)
        reader, _context = _new_reader()
        lib.rf_tb_reader_resize(reader, min(2 * info.blocks, _BLOCKS_OF_A_PASS))  # without memory, it reads more often
        status = lib.rf_tablebase_zugzwangs(opened.core, reader, info.material, 0, info.entries, found, control.cdata)
        self._finish(control, status, reader)
        if status == lib.RF_TB_ABSENT:
            return None
        full, half = (
            Zugzwangs(int(each.positions), int(each.longest), self.text(info.material, each.longest_at))
            for each in (found[lib.RF_TB_FULL_POINT], found[lib.RF_TB_HALF_POINT])
        )
        return full, half

    def longest_wins(
        self, info: TableInfo, count: int, *, progress: ProgressCallback | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield the entries of a class with the longest wins for the side to move, each with its distance, longest
        first.

        :param count: The maximum number of entries.
        :param progress: Counts the entries of one pass; each distance needs a pass.
        :raises TableError: A block is damaged.
        """
        for distance in range(info.statistics.longest_win, 0, -1):
            at = 0
            while count > 0:
                found = self._find_value(info, distance, at, progress)
                if found == info.entries:
                    break
                yield found, distance
                at = found + 1
                count -= 1
            if count == 0:
                return

    def has_right_statistics(self, info: TableInfo) -> bool:
        """Return whether the statistics of a class are those of its entries.

        :raises TableError: A block is damaged.
        """
        counts, stated = self.counts(info), info.statistics
        win, loss = max(counts.wins, default=0), max(counts.losses, default=0)
        if (win, loss) != (stated.longest_win, stated.longest_loss):
            return False
        sums = sum(counts.wins.values()), counts.draws, sum(counts.losses.values())
        return sums == (stated.wins, stated.draws, stated.losses) and all(
            distance == 0 or self._find_value(info, distance + flag, at, None) == at
            for distance, flag, at in (
                (win, 0, stated.longest_win_at),
                (loss, int(lib.RF_TB_LOSS), stated.longest_loss_at),
            )
        )

    def _find_value(self, info: TableInfo, value: int, begin: int, progress: ProgressCallback | None) -> int:
        """Return the first entry from ``begin`` on that has a value and is a position, or the number of entries."""
        opened = self._opened
        found = ffi.new("uint64_t *")
        control = Control(None, progress)
        reader = opened.reading.reader
        status = lib.rf_tablebase_find_value(
            *(opened.core, reader, info.material, begin, info.entries, value, found, control.cdata)
        )
        self._finish(control, status, reader)
        return int(found[0])

    def _finish(self, control: Control, status: int, reader: rf_tb_reader) -> None:
        """Raise the error that ended a pass over a class, if there is one."""
        control.finish()
        error = limit_reached(control)
        if error is not None:
            raise error
        if status == lib.RF_TB_DAMAGED:
            raise self.damaged(reader)


def _as_table_error(path: Path, error: TableError | OSError) -> TableError:
    """Return an error for a file without a traceback, so that it can be stored and pickled."""
    if isinstance(error, TableError):
        return TableError(error.message, reason=error.reason, text=error.text)
    return table_error(path, "unreadable-table", error.strerror or str(error))


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of won and lost positions of a class by distance in plies, and the number of draws."""

    wins: dict[int, int]
    draws: int
    losses: dict[int, int]


@dataclass(frozen=True, slots=True)
class Zugzwangs:
    """The number of zugzwangs of one kind in a class, and the longest of their losses, with its position.

    If there are none, the loss and the position mean nothing.
    """

    positions: int
    longest: int
    fen: str | None


def new_core(board: Board, kept: object = None) -> rf_tablebase:
    """Return an empty ``rf_tablebase *``.

    :param kept: The objects that it points into. They are kept alive as long as it is.
    """
    free = partial(_free, kept)
    return owned(lib.rf_tablebase_new(board.cdata, board.files, board.ranks, board.variant_number), free)


def _free(kept: object, core: rf_tablebase) -> None:
    lib.rf_tablebase_free(core)


def closed() -> ValueError:
    """Return the error for tables that are closed."""
    return ValueError("the tablebase is closed")


def _text(core: rf_tablebase, material: int, index: int) -> str | None:
    out = ffi.new("char[]", 1024)
    if not lib.rf_tablebase_entry_text(core, material, index, out):
        return None
    return ffi.string(out).decode("ascii")


def position_text(info: TableInfo, index: int) -> str | None:
    """Return the position of an entry, South to move; None if the entry has two stones on one square."""
    return _text(new_core(info.board), info.material, index)


def first_wrong_in_threads(
    tables: Tables, info: TableInfo, threads: int | None, progress: ProgressCallback | None = None
) -> int | None:
    """Check a whole class with :meth:`Tables.first_wrong` in several threads. ``progress`` counts entries."""
    threads = threads or os.cpu_count() or 1
    pieces = max(threads, -(-info.entries // _ENTRIES_PER_PIECE))
    bounds = [info.entries * i // pieces for i in range(pieces + 1)]
    cancel = ffi.new("int *", 0)
    done = 0
    wrong: list[int] = []
    with Threads[int, int | None](threads) as pool:
        try:
            for begin, end in pairwise(bounds):
                pool.submit(end - begin, partial(tables.first_wrong, info, begin, end, cancel=cancel))
            while pool.pending:
                for entries, found in pool.finished(_SECONDS_BETWEEN_POLLS):
                    done += entries
                    if found is not None:
                        wrong.append(found)
                if progress is not None:
                    progress(Progress(done, 0, done, info.entries))
        except BaseException:
            cancel[0] = 1
            raise
    return min(wrong, default=None)


def infos(folder: Path) -> Iterator[TableInfo | TableError]:
    """Yield the head of each table file of a folder, or the error if it cannot be used."""
    board = board_of_folder(folder)
    for path in files_of(folder):
        try:
            info = read_info(path)
            if board is not None:
                check_location(info, board)
        except TableError as error:
            yield error
        else:
            yield info
