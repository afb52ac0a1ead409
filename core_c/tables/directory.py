"""The interface of endgame tables for Python programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import RLock
from types import TracebackType

from ringfen.arguments import check_path, check_progress, check_threads
from ringfen.control import MAX_HASH_MB, ProgressCallback, checked_int
from ringfen.errors import TableError
from ringfen.position import Position
from ringfen.rules import table_rules
from ringfen.tables.build import Built, build_tables
from ringfen.tables.files import Board
from ringfen.tables.tablebase import (
    Tables,
    board_of,
    board_of_folder,
    closed,
    first_wrong_in_threads,
    folders,
    table_directories,
    tables_directory,
)
from ringfen.text import require_str
from ringfen.win_value import WinValue

_MIB = 1 << 20


class Tablebase:
    """The endgame tables in a directory, which are opened when they are needed. Siaius and Gygès have tables
    (docs/tables.md).

    At the end of a ``with`` block, the files are closed.

    :param directory: The directory of the tables; None is the default (``RINGFEN_TABLES``, or the user's data
        directory).
    """

    def __init__(self, directory: str | Path | None = None) -> None:
        if directory is not None:
            check_path("directory", directory)
        self._chosen = directory
        self.directory = tables_directory(None if directory is None else Path(directory))
        #: Changes need the lock; reading does not.
        self._open: dict[Board, Tables] = {}
        self._closed = False
        self._lock = RLock()

    def __enter__(self) -> Tablebase:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; further calls raise ValueError.

        Running calls of other threads complete or raise ValueError.
        """
        with self._lock:
            self._closed = True
            opened, self._open = self._open, {}
        for tables in opened.values():
            tables.close()

    def _check_open(self) -> None:
        if self._closed:
            raise closed()

    def _tables(self, board: Board) -> Tables:
        tables = self._open.get(board)
        return self._newly_opened(board) if tables is None else tables

    def _newly_opened(self, board: Board) -> Tables:
        with self._lock:
            self._check_open()
            if board not in self._open:
                tables = Tables(board, self._chosen)
                self._check_open()  # a signal handler may have closed it meanwhile
                self._open[board] = tables
            return self._open[board]

    def probe(self, position: Position | str) -> WinValue | None:
        """Return the value for the side to move and the plies to the end, such as ``("win", 5)`` or ``("draw", None)``.

        The result is None if no table covers the position.

        :raises ringfen.TableError: A table that is needed cannot be used.
        """
        self._check_open()
        start = Position.of(position)
        board = board_of(start)
        return None if board is None else self._tables(board).value(start)

    def build(
        self,
        game: str,
        *,
        files: int | None = None,
        ranks: int | None = None,
        stones: int = 3,
        variant: str | None = None,
        materials: Sequence[str] = (),
        memory_mb: int = 2048,
        threads: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Built:
        """Build the missing tables of a board, including those that an interrupted call left unfinished.

        :param files: Number of files of the board; None is the game's usual number.
        :param ranks: Number of ranks of the board; None is the game's usual number.
        :param stones: The maximum number of stones or rings.
        :param variant: The value of the start option that has separate tables (Siaius: ``huff``); None is the default.
        :param materials: Build only these materials, such as ``"SMvT"`` or ``"112233"``, and those they need.
        :param memory_mb: The maximum memory in use at a time, in MiB.
        :param threads: Number of threads; None is the number of processors.
        :raises ValueError: The game has no tables, or none for such a board.
        :raises ringfen.TableError: An existing file cannot be used.
        :raises MemoryError: A table needs more than ``memory_mb``; the message names both.
        """
        rules = table_rules(require_str("the id of a game", game))
        files = checked_int("files", rules.size[0] if files is None else files, *rules.files)
        ranks = checked_int("ranks", rules.size[1] if ranks is None else ranks, *rules.ranks)
        checked_int("stones", stones, rules.min_stones, rules.max_stones)
        variant = rules.variants[0] if variant is None else require_str("variant", variant)
        checked_int("memory_mb", memory_mb, 1, MAX_HASH_MB)
        check_threads(threads)
        check_progress(progress)
        if variant not in rules.variants:
            choices = ", ".join(map(repr, rules.variants))
            raise ValueError(f"variant is one of {choices}, not {variant[:40]!r}")
        classes = {rules.class_of(require_str("a material", name)) for name in materials}
        board = Board(game, files, ranks, variant)
        self._check_open()
        built = build_tables(
            board,
            stones,
            directory=self.directory,
            materials=classes or None,
            memory=memory_mb * _MIB,
            threads=threads,
            progress=progress,
        )
        with self._lock:
            # The last call that reads the old tables closes them.
            self._open.pop(board, None)
        return built

    def verify(self, *, threads: int | None = None, progress: ProgressCallback | None = None) -> int:
        """Check every value of every table against the rules, and return the number of tables.

        :param threads: Number of threads; None is the number of processors.
        :raises ringfen.TableError: A table is damaged or contains a wrong value.
        """
        check_threads(threads)
        check_progress(progress)
        self._check_open()
        return sum(_checked(self._tables(board), threads, progress) for board in self._boards())

    def _boards(self) -> list[Board]:
        directories = table_directories(self._chosen)
        found = (board_of_folder(folder) for directory in directories for folder in folders(directory))
        return list(dict.fromkeys(board for board in found if board is not None))


def _checked(tables: Tables, threads: int | None, progress: ProgressCallback | None) -> int:
    tables.load()
    for info in tables.infos:
        wrong = first_wrong_in_threads(tables, info, threads, progress)
        if wrong is not None:
            message = f"entry {wrong} has a wrong value, or one that cannot be checked"
            raise TableError(f"{info.path}: {message}", reason="wrong-value", text=str(info.path))
    return len(tables)
