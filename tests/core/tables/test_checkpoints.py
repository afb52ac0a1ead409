"""A build of endgame tables that is interrupted in the middle of a class continues from there."""

from __future__ import annotations

import errno
import hashlib
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from batch_tools import run, wait_until

from ringfen.rules.siaius.tables import RULES
from ringfen.tables import build as building
from ringfen.tables.build import build_tables
from ringfen.tables.checkpoint import Checkpoint
from ringfen.tables.files import Board

if TYPE_CHECKING:
    from ringfen._core import rf_tb_build

BOARD = Board("siaius", 4, 3, "turn")
#: Two are paired with themselves: one with all kinds of steps, one with many levels.
MATERIALS = ("CCvCC", "SCvMC", "SMvSM")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of builds without an interruption."""
    path = tmp_path_factory.mktemp("whole")
    build(path)
    return contents(path)


def build(directory: Path, said: list[str] | None = None, name: str | None = None) -> None:
    names = MATERIALS if name is None else (name,)
    materials = [RULES.material_of(*name.split("v")) for name in names]
    say = (lambda message: None) if said is None else said.append
    build_tables(BOARD, 4, directory=directory, materials=materials, threads=1, say=say)


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / BOARD.folder).iterdir()}


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str, int], bool]:
    """Build a class, interrupted after this many pieces of its steps; return whether that was before its end."""
    monkeypatch.setattr("ringfen.tables.build._ROWS_PER_PIECE", 40)

    def interrupted(directory: Path, name: str, after: int) -> bool:
        left = after

        def count(self: Checkpoint, built: rf_tb_build, done: int) -> None:
            nonlocal left
            left -= self._name == name
            if left == 0:
                raise building._CancelledError

        with monkeypatch.context() as patched:
            patched.setattr(Checkpoint, "save_if_due", count)
            try:
                build(directory, name=name)
            except building._CancelledError:
                return True
        return False

    return interrupted


def head_of(path: Path) -> dict[str, object]:
    content = path.read_bytes()
    head: dict[str, object] = json.loads(content[12 : 12 + int.from_bytes(content[8:12], "little")])
    return head


@pytest.mark.parametrize(("name", "step"), [("CCvCC", 6), ("SCvMC", 24), ("SMvSM", 24)])
def test_interrupted_anywhere(
    name: str,
    step: int,
    interrupt: Callable[[Path, str, int], bool],
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """In the middle of each kind of step. The files are the same to the last byte, and no others are left. At most
    one level is done again."""
    phases = set()
    begun: list[int] = []
    rows = building._Builder._rows

    def noted(self: building._Builder, built: rf_tb_build, begin: int, end: int) -> None:
        begun.append(begin)
        rows(self, built, begin, end)

    monkeypatch.setattr(building._Builder, "_rows", noted)
    for after in range(2, 75, step):
        directory = tmp_path / str(after)
        if interrupt(directory, name, after):
            head = head_of(directory / BOARD.folder / f"{name}.checkpoint")
            assert head["material"] == name
            assert isinstance(head["mark"], list)
            phase, *_, done = head["mark"]
            phases.add(phase)
            begun.clear()
            said: list[str] = []
            build(directory, said, name)
            assert said == [f"{name} continues from its checkpoint"]
            assert begun[0] == (0 if phase == 4 else done)
            assert done > 0 or phase == 4
        found = contents(directory)
        assert found == {file: whole[file] for file in found}
    assert phases == {1, 2, 3, 4} if name == "CCvCC" else phases


def test_a_lost_checkpoint_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(self: Checkpoint, built: rf_tb_build, done: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def cancel(self: Checkpoint, built: rf_tb_build, done: int) -> None:
        raise building._CancelledError

    monkeypatch.setattr(Checkpoint, "save", full)
    monkeypatch.setattr(Checkpoint, "save_if_due", cancel)
    said: list[str] = []
    with pytest.raises(building._CancelledError):
        build(tmp_path, said, "CCvCC")
    (message,) = said
    assert message.endswith("No space left on device; the work on CvC since its last checkpoint is lost")


def test_interrupted_again_and_again(
    interrupt: Callable[[Path, str, int], bool], whole: dict[str, bytes], tmp_path: Path
) -> None:
    """Later each time, because a level begins again."""
    times = 0
    while interrupt(tmp_path, "CCvCC", 9 + times):
        times += 1
        assert times < 100
    assert times > 3
    found = contents(tmp_path)
    assert found == {file: whole[file] for file in found}


@pytest.mark.parametrize("after", [5, 40])
def test_a_damaged_checkpoint_is_set_aside(
    after: int, interrupt: Callable[[Path, str, int], bool], whole: dict[str, bytes], tmp_path: Path
) -> None:
    assert interrupt(tmp_path, "CCvCC", after)
    path = tmp_path / BOARD.folder / "CCvCC.checkpoint"
    good = path.read_bytes()
    flipped = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in (0, 9, 11, 40, len(good) // 2, -33, -1)]
    cut = [good[:length] for length in (0, 7, 12, 100, len(good) - 33, len(good) - 1)]
    for bad in (
        *flipped[:-2],
        good[:-33] + b"?" + good[-32:],
        good[:-1] + b"?",
        *cut,
        good + b"\0",
        b"SvM 1 2 3\n" * 99,
    ):
        path.write_bytes(bad)
        said: list[str] = []
        build(tmp_path, said, "CCvCC")
        (message,) = said
        assert message.startswith(f"{path}: ")
        assert message.endswith("renamed to CCvCC.checkpoint.refused, and CCvCC starts again")
        aside = path.with_name("CCvCC.checkpoint.refused")
        assert aside.read_bytes() == bad
        aside.unlink()
        found = contents(tmp_path)
        assert found == {file: whole[file] for file in found}
        (tmp_path / BOARD.folder / "CCvCC.rft").unlink()


def sealed(head: dict[str, object], rest: bytes) -> bytes:
    """A checkpoint with a good checksum."""
    text = json.dumps(head).encode()
    content = b"RNGFCP\r\n" + len(text).to_bytes(4, "little") + text + rest
    return content + hashlib.sha256(content).digest()


def test_a_foreign_checkpoint_is_set_aside(
    interrupt: Callable[[Path, str, int], bool], whole: dict[str, bytes], tmp_path: Path
) -> None:
    """A checkpoint of another class, version or lower tables; with an impossible state, or one that does not fit."""
    assert interrupt(tmp_path, "CCvCC", 40)
    path = tmp_path / BOARD.folder / "CCvCC.checkpoint"
    good, head = path.read_bytes(), head_of(path)
    rest = good[12 + len(json.dumps(head)) : -32]
    assert sealed(head, rest) == good
    marks: list[object] = [
        *(None, [], "123456", [1] * 7, [-1] * 6, [1 << 70] * 6, [0, 0, 0, 0, 0, 0], [5, 0, 1, 0, 0, 0]),
        *([4, 1, 9, 9, 0, 0], [4, 0, 9, 9, 10, 0], [1, 0, 0, 0, 0, 1 << 40], [1, 0, 0, 0, 0, 1], [2, 9, 0, 0, 0, 0]),
        *([4, 0, 30000, 0, 0, 0], [4, 0, 9, 30000, 0, 0]),
    ]
    others = ("format", "ringfen", "byteorder", "board", "material", "below")
    bad = [sealed({**head, "mark": mark}, rest) for mark in marks]
    bad += [sealed({**head, key: "other"}, rest) for key in others]
    bad += [sealed(head, rest[:-9]), sealed(head, b""), sealed(head, b"?" * 99)]
    for content in bad:
        path.write_bytes(content)
        said: list[str] = []
        build(tmp_path, said, "CCvCC")
        assert len(said) == 1
        path.with_name("CCvCC.checkpoint.refused").unlink()
        (tmp_path / BOARD.folder / "CCvCC.rft").unlink()
    assert {file: content for file, content in whole.items() if file in contents(tmp_path)} == contents(tmp_path)


#: A build that says, by a file, when it is in the middle of the class SCvMC, and then does no more until it is stopped.
HELD = """if True:
    import sys
    import time
    from pathlib import Path
    from ringfen.cli import main
    from ringfen.tables.build import _Builder

    mark = Path(sys.argv.pop(1))
    name = ""
    solve, rows = _Builder._solve, _Builder._rows

    def named(self, task, *rest):
        global name
        name = task.name
        solve(self, task, *rest)

    def held(self, build, begin, end):
        if name == "SCvMC" and begin > 0:
            mark.touch()
            while not self.cancel[0]:
                time.sleep(0.01)
        rows(self, build, begin, end)

    _Builder._solve, _Builder._rows = named, held
    main()
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables that the runs below build, without a signal."""
    path = tmp_path_factory.mktemp("undisturbed")
    board, material = Board("siaius", 6, 6, "turn"), RULES.material_of("SC", "MC")
    build_tables(board, 4, directory=path, materials=[material], threads=1)
    return path / board.folder


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.unsanitized
def test_a_signal_saves_the_class_in_work(how: int, undisturbed: Path, tmp_path: Path) -> None:
    """Ctrl-C, SIGTERM and SIGHUP save what is in progress; a kill loses what came after the last checkpoint."""
    words = ("tablebase", "build", "siaius", "--size", "6x6", "--material", "SCvMC", "-j", "1", "--directory")
    folder = tmp_path / "siaius-6x6-turn"
    with run(tmp_path / "mark", *words, tmp_path, script=HELD) as process:
        wait_until((tmp_path / "mark").exists)
        process.process.send_signal(how)
        status, _, errors = process.finish()
    assert "Traceback" not in errors
    if how != signal.SIGKILL:
        assert status == 130
        assert len(list(folder.glob("*.checkpoint"))) == 1
        assert errors.startswith("run the same command to resume\n")
    with run(*words, tmp_path) as process:
        assert process.finish()[0] == 0
    assert not list(folder.glob("*.checkpoint*"))
    for path in undisturbed.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_checkpoints_come_now_and_then(
    interrupt: Callable[[Path, str, int], bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A checkpoint is saved when it is due, and removed when the class is finished, or found to be."""
    saved = []
    save = Checkpoint.save

    def counted(self: Checkpoint, built: rf_tb_build, done: int) -> None:
        save(self, built, done)
        saved.append(self.path.exists())

    monkeypatch.setattr("ringfen.tables.checkpoint._SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("ringfen.tables.checkpoint._WAIT_FACTOR", 0)
    monkeypatch.setattr(Checkpoint, "save", counted)
    build(tmp_path, name="CCvCC")
    assert len(saved) > 20
    assert all(saved)
    assert not list(tmp_path.glob("*/*.checkpoint"))
    left = tmp_path / BOARD.folder / "CCvCC.checkpoint"
    left.write_bytes(b"")
    build(tmp_path, name="CCvCC")
    assert not left.exists()
