"""The core releases its memory: repeated calls do not make it grow."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from ringfen import Limits, Position, SolveOptions, prove, solve, verify
from ringfen.notation import parse_record
from ringfen.solving.retrograde import ReachableGraph
from ringfen.tables.build import build_tables
from ringfen.tables.files import Board
from ringfen.tables.proof_number import ProofNumberSearch
from ringfen.tables.tablebase import Tables

pytestmark = pytest.mark.unsanitized

#: The maximum number of rounds, and the calls of each. A leak grows in every round, Python's caches only in some.
ROUNDS, CALLS = 40, 3
SIAIUS = "siaius c3/4/4/3C s - - 0 huff=off"
GRAN = "gran c5:3:E/b9:3:TG/c6:1:- @2 c1,e1,a3,c3,e3,f5,e6,g6,a7,e8,a9 1.0.3.6.5.2.1 2 move"


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        *[(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks")],
        *[(name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")],
    ]


_MALLINFO = getattr(ctypes.CDLL(None), "mallinfo2", None)
if _MALLINFO is not None:
    _MALLINFO.restype = _Mallinfo


def memory_in_use() -> int:
    """Bytes that malloc has given out, by glibc's account."""
    assert _MALLINFO is not None
    gc.collect()
    info = _MALLINFO()
    return int(info.uordblks + info.hblkhd)


def solve_all(fen: str, nodes: int | None = None, depth: int | None = 4) -> None:
    options = SolveOptions(hash_mb=1, depth=depth, limits=Limits(nodes=nodes))
    solve(Position(fen), options)


JOBS: dict[str, Callable[[Path], object]] = {
    "graph": lambda _: ReachableGraph(Position(SIAIUS), 1 << 26),
    "forced wins": lambda _: solve_all("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1", depth=5),
    "margins": lambda _: solve_all("rings .1.../.K(11)..k(111)/...k(31)./.K..K(11)/33.../...../..... n 1+1 0", 3000),
    "chances": lambda _: solve_all(GRAN),
    "forward search": lambda path: forward(path),
    "table": lambda path: Tables(Board("siaius", 3, 3, "turn"), path).value(Position("siaius 3/1s1/M1S s - - 0")),
    "table checked": lambda path: checked(path),
    "table made": lambda path: made(path),
    "certificate": lambda path: certificate(path),
    "perft": lambda _: Position("gyges 321123/....../....../....../....../321123 s - 1+1").perft(3, hash_mb=1),
    "record": lambda _: parse_record('[Game "gyges"]\n\n1. 321123 ((((1. 123321) 1. 321123))) 123321 *\n'),
}


def forward(path: Path) -> None:
    search = ProofNumberSearch(
        Tables(Board("siaius", 3, 3, "turn"), path), Position("siaius s1s/3/S1S s - - 0"), 4 << 20
    )
    assert search.solve()
    search.measure()


def checked(path: Path) -> None:
    tables = Tables(Board("siaius", 3, 3, "turn"), path)
    tables.load()
    assert tables.first_wrong(tables.infos[0]) is None


def made(path: Path) -> None:
    board = Board("siaius", 3, 3, "turn")
    for file in (path / board.folder).glob("S*vS*"):
        file.unlink()
    build_tables(board, 3, directory=path, threads=1)


def certificate(path: Path) -> None:
    prove(Position(SIAIUS), path / "proof", hash_mb=1)
    assert verify(path / "proof")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("leaks")
    build_tables(Board("siaius", 3, 3, "turn"), 3, directory=path, threads=1)
    return path


@pytest.mark.skipif(_MALLINFO is None, reason="glibc 2.33 or later reports how much memory is in use")
@pytest.mark.parametrize("job", JOBS)
def test_memory_does_not_grow(job: str, directory: Path) -> None:
    grown: list[int] = []
    JOBS[job](directory)
    while sum(more <= 0 for more in grown) < 2:
        assert len(grown) < ROUNDS, grown
        before = memory_in_use()
        for _ in range(CALLS):
            JOBS[job](directory)
        grown.append(memory_in_use() - before)
