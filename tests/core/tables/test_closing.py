"""Tables that are closed or replaced while others read them: their memory lives as long as it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ringfen import Position, Tablebase
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.tablebase import Tables

#: By board.
FENS = ("siaius 3/1s1/M1S s - - 0", "siaius 4/3t/1M2/S3 s - - 0", "siaius 3/1s1/M1S s - - 0 huff=off")

#: What every program below begins with.
BEGINNING = """
import sys
import threading
from pathlib import Path

from ringfen import Position, Tablebase
from ringfen._core import lib
from ringfen.tables.tablebase import Tables, board_of

directory, fens = Path(sys.argv[1]), sys.argv[2:]
positions = [Position(fen) for fen in fens]
with Tablebase(directory) as whole:
    right = [whole.probe(position) for position in positions]
assert None not in right
wrong = []

def called(call, *arguments):
    # The result or error of a call while another thread closes the tables, and of a second call.
    try:
        while True:
            call(*arguments)
    except ValueError as error:
        if str(error) != "the tablebase is closed":
            wrong.append(repr(error))
    except BaseException as error:
        wrong.append(repr(error))

def same(tables, number):
    if tables.probe(positions[number % len(positions)]) != right[number % len(positions)]:
        raise AssertionError("another value")

def in_threads(*jobs):
    threads = [threading.Thread(target=called, args=job, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return threads
"""

PROGRAMS = {
    "what a search holds": """
board = board_of(positions[0])
tables = Tables(board, directory)
core, reader, context = tables.parts()
names = {info.name for info in tables.infos}
named, named_reader, named_context = tables.parts(names)
tables.close()
for one, reads in ((core, reader), (named, named_reader)):
    found = lib.rf_tablebase_probe(one, reads, positions[0].state)
    assert found.status == lib.RF_TB_FOUND
""",
    "many probe": """
for turn in range(30):
    tables = Tablebase(directory)
    threads = in_threads(*((same, tables, number) for number in range(5)))
    if turn % 2:
        tables.probe(positions[0])
    closing = in_threads((lambda: tables.close() or tables.probe(positions[0]),))
    tables.close()
    for thread in threads + closing:
        thread.join()
""",
    "one verifies": """
for turn in range(10):
    tables = Tablebase(directory)
    threads = in_threads((tables.verify,), (lambda: tables.verify(threads=2),))
    threading.Event().wait(0.005 * turn)
    tables.close()
    for thread in threads:
        thread.join()
""",
    "the progress of verifying closes": """
tables = Tablebase(directory)
called(lambda: tables.verify(threads=2, progress=lambda news: tables.close()))
""",
    "one builds": """
tables = Tablebase(directory)
threads = in_threads(*((same, tables, number) for number in range(4)))
for turn in range(5):
    tables.build("siaius", files=3, ranks=3, stones=3)
    tables.build("siaius", files=4, ranks=4, stones=2)
assert all(thread.is_alive() for thread in threads), wrong
tables.close()
for thread in threads:
    thread.join()
""",
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of three boards."""
    path: Path = tmp_path_factory.mktemp("closing")
    build_tables(Board("siaius", 3, 3, "turn"), 3, directory=path, threads=1)
    build_tables(Board("siaius", 3, 3, "off"), 3, directory=path, threads=1)
    build_tables(Board("siaius", 4, 4, "turn"), 3, directory=path, threads=1)
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_closing_while_in_use(directory: Path, name: str) -> None:
    """In a separate program, which must not die from a signal."""
    program = f"{BEGINNING}\n{PROGRAMS[name]}\nassert not wrong, wrong\nprint('all is well')\n"
    done = subprocess.run(
        [sys.executable, "-c", program, str(directory), *FENS], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "all is well\n", "")


def test_closed_tables_say_so(directory: Path) -> None:
    tables = Tables(Board("siaius", 3, 3, "turn"), directory)
    info = tables.infos[0]
    longest = tables.longest_wins(info, 2)
    tables.close()
    tables.close()
    for call in (
        lambda: len(tables),
        lambda: tables.infos,
        lambda: tables.value(Position(FENS[0])),
        tables.parts,
        lambda: tables.checksum("SvS"),
        lambda: tables.text(info.material, 0),
        tables.load,
        lambda: tables.first_wrong(info),
        lambda: tables.counts(info),
        lambda: list(longest),
    ):
        with pytest.raises(ValueError, match=r"^the tablebase is closed$"):
            call()


@pytest.mark.parametrize("fen", [*FENS, "gyges", "siaius"])
def test_a_closed_directory_says_so(directory: Path, fen: str) -> None:
    tables = Tablebase(directory)
    tables.close()
    with pytest.raises(ValueError, match=r"^the tablebase is closed$"):
        tables.probe(fen)


def test_a_closed_directory_without_tables_verifies_nothing(tmp_path: Path) -> None:
    tables = Tablebase(tmp_path)
    assert tables.verify() == 0
    tables.close()
    with pytest.raises(ValueError, match=r"^the tablebase is closed$"):
        tables.verify()


def test_closing_closes_the_files(directory: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("the system does not show which files are open")
    tables = Tablebase(directory)
    assert tables.probe(FENS[0]) is not None
    assert open_below(directory)
    tables.close()
    assert not open_below(directory)


def open_below(directory: Path) -> list[str]:
    names = (os.path.realpath(entry) for entry in Path("/proc/self/fd").iterdir())
    return [name for name in names if name.startswith(str(directory))]
