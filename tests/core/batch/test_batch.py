"""The engine of batches, with solvers whose answers are known beforehand."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import batch_stub
import psutil  # type: ignore[import-untyped, unused-ignore]
import pytest
from batch_tools import by_line, some_positions
from hypothesis import given
from hypothesis import strategies as st

import ringfen.batch.run
from ringfen import Limits, Position, Solution, SolveOptions, control, solve_many
from ringfen.batch import workers
from ringfen.batch.answers import merged, question, read_answers
from ringfen.batch.run import OUT_OF_MEMORY, AnswerFile, Work, solve_all, solve_one
from ringfen.batch.workers import Failure, ProcessPool, Result, WorkerPool
from ringfen.errors import BatchError

# Processes and files, nothing of the core.
pytestmark = pytest.mark.unsanitized

USUAL = SolveOptions()


def work_on(*positions: Position) -> Work:
    work = Work()
    for line, position in enumerate(positions, 1):
        work.add(line, position)
    return work


def solution(position: Position) -> Solution:
    result = batch_stub.answer(position)
    assert isinstance(result, Solution)
    return result


def fill(path: Path, work: Work, options: SolveOptions = USUAL, *, resume: bool = False) -> AnswerFile:
    file = AnswerFile(path, work, options, resume=resume)
    for position in file.unsolved():
        file.add(solution(position))
    file.close()
    return file


# ---- the file of answers ----


def test_each_line_has_its_answer_once(tmp_path: Path) -> None:
    a, b = some_positions(2)
    work = work_on(a, b, a, a)
    out = tmp_path / "out"
    fill(out, work)
    answers = by_line(out)
    assert [answers[line]["fen"] for line in (1, 2, 3, 4)] == [a.fen, b.fen, a.fen, a.fen]
    assert answers[1] | {"line": 3, "check": 0} == answers[3] | {"check": 0}
    assert work.total == 4


def test_an_existing_file_stays_unchanged_without_resume(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("precious\n")
    with pytest.raises(BatchError, match="exists: continue it with resume=True"):
        AnswerFile(out, work_on(*some_positions(1)), USUAL, resume=False)
    with pytest.raises(BatchError, match="is not an answer file"):
        AnswerFile(out, work_on(*some_positions(1)), USUAL, resume=True)
    assert out.read_text() == "precious\n"


def test_an_empty_file_may_be_filled(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.touch()
    fill(out, work_on(*some_positions(3)))
    assert len(by_line(out)) == 3


def test_resume_without_a_file_begins(tmp_path: Path) -> None:
    fill(tmp_path / "out", work_on(*some_positions(3)), resume=True)
    assert len(by_line(tmp_path / "out")) == 3


def damages(whole: bytes) -> dict[str, bytes]:
    lines = whole.splitlines(keepends=True)
    corrupt = bytearray(whole)
    corrupt[len(lines[0]) + 30 : len(lines[0]) + 40] = b"x" * 10
    digit = whole.replace(b'"nodes": ', b'"nodes": 1', 1)
    return {
        "nothing": b"",
        "torn first line": lines[0][:5],
        "no line end": whole[:-1],
        "zeros only": b"\0" * 4096,
        "zeros at the end": lines[0] + b"\0" * 4096,
        "zeros in the middle": lines[0] + b"\0" * len(lines[1]) + b"".join(lines[2:]),
        "zeros in a line": lines[0] + b"\0" * 20 + lines[1][20:] + b"".join(lines[2:]),
        "garbage": lines[0] + bytes(range(256)) + b"\n" + b"".join(lines[1:]),
        "brackets": lines[0] + b"[" * 100_000 + b"\n" + b"".join(lines[1:]),
        "a corrupt text": bytes(corrupt),
        "a corrupt number": digit,
        "a lost line end": whole.replace(b"\n", b"", 1),
        "a line twice": lines[0] + whole,
        "a blank line": lines[0] + b"\n" + b"".join(lines[1:]),
        "nothing wrong": whole,
    }


@pytest.mark.parametrize("kind", damages(b'{"line": 1}\n' * 3))
def test_corrupt_answers_are_solved_again(kind: str, tmp_path: Path) -> None:
    a, b, c = some_positions(3)
    work = work_on(a, b, a, c, a, b)
    fill(tmp_path / "whole", work)
    out = tmp_path / "out"
    out.write_bytes(damages((tmp_path / "whole").read_bytes())[kind])
    fill(out, work, resume=True)
    assert by_line(out) == by_line(tmp_path / "whole")
    assert {path.name for path in tmp_path.iterdir()} <= {"whole", "out", "out.dropped"}
    # Every line that was there is in one of the two files.
    beside = tmp_path / "out.dropped"
    there = (out.read_bytes() + (beside.read_bytes() if beside.exists() else b"")).splitlines()
    damaged = damages((tmp_path / "whole").read_bytes())[kind].splitlines()
    assert set(filter(bytes.strip, damaged)) <= set(there)


def odd_answers(whole: bytes) -> dict[str, dict[str, Any]]:
    """Answers with a right checksum, each with something else that is not as it should be."""
    answer = json.loads(whole.splitlines()[0])
    odd = {
        "no fen": {name: value for name, value in answer.items() if name != "fen"},
        "no status": {name: value for name, value in answer.items() if name != "status"},
        "no options": {name: value for name, value in answer.items() if name != "options"},
        "line a text": answer | {"line": "1"},
        "line a list": answer | {"line": [1]},
        "line below 1": answer | {"line": 0},
        "line true": answer | {"line": True},
        "fen a number": answer | {"fen": 7},
        "another status": answer | {"status": "great"},
        "status a list": answer | {"status": []},
        "seconds a text": answer | {"seconds": "1"},
        "seconds not a number": answer | {"seconds": float("nan")},
        "nodes a list": answer | {"nodes": []},
        "value an object": answer | {"value": {}},
        "value missing": answer | {"status": "exact", "value": None},
        "open a word": answer | {"status": "bound", "open": "wide"},
        "open without end": answer | {"status": "bound", "open": "9" * 9999},
        "options a list": answer | {"options": []},
    }
    return {name: fields | {"check": batch_check(fields)} for name, fields in odd.items()}


def batch_check(answer: dict[str, Any]) -> str:
    content = {name: value for name, value in answer.items() if name not in ("seconds", "check")}
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"


def test_an_answer_with_a_right_checksum_and_odd_fields_gives_a_message(tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    fill(tmp_path / "whole", work)
    whole = (tmp_path / "whole").read_bytes()
    out = tmp_path / "out"
    for name, answer in odd_answers(whole).items():
        raw = json.dumps(answer).encode() + b"\n" + whole
        out.write_bytes(raw)
        with pytest.raises(BatchError, match=r"line 1 of .* has no valid .*; nothing was changed"):
            AnswerFile(out, work, USUAL, resume=True)
        assert out.read_bytes() == raw, name


def test_null_is_the_same_as_no_field(tmp_path: Path) -> None:
    """Fields of an answer that do not apply, or that it lacks, may be null."""
    positions = some_positions(2)
    work, out = work_on(*positions), tmp_path / "out"
    fill(out, work)
    needed = {"line", "fen", "game", "status", "value", "nodes", "seconds", "options", "check"}
    answers = []
    for line in out.read_bytes().splitlines():
        answer = json.loads(line)
        answer |= {name: None for name in (*answer, "plies") if name not in needed}
        answers.append(answer | {"check": batch_check(answer)})
    out.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    solutions = list(solve_many(positions, out=out, resume=True, nodes=USUAL.limits.nodes))
    assert [solution.fen for solution in solutions] == [position.fen for position in positions]
    for solution, whole in zip(solutions, merged(answers), strict=True):
        assert (solution.best, solution.pv, solution.best_complete, solution.plies) == ((), (), False, None)
        assert (whole["best"], whole["pv"], whole["best_complete"]) == ([], [], False)


@pytest.mark.parametrize("line", [rb'"fen": "\ud800"', rb'"note": "\uDFFF\uD800"', b'"fen": "\xed\xa0\x80"'])
def test_half_of_a_surrogate_pair_is_not_read(line: bytes) -> None:
    row = b'{"fen": "gyges", "game": "gyges", "status": "unknown", "value": null, "nodes": 1, "seconds": 0.1, ' + line
    ((number, found),) = read_answers(BytesIO(row + b"}\n"))
    assert number == 1
    assert found in ("has half of a surrogate pair, which is not a character", "is incomplete or corrupt")
    ((_, found),) = read_answers(BytesIO(row.replace(line, rb'"note": "\ud83d\ude00 \\ud800"') + b"}\n"))
    assert not isinstance(found, str)


def test_the_smallest_share_is_read_again(tmp_path: Path) -> None:
    fen = "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight"
    asked: dict[str, Any] = {"out": tmp_path / "out", "model": "paranoid", "nodes": 1000, "until": 5e-324}
    (first,) = solve_many([fen], **asked)
    (again,) = solve_many([fen], **asked, resume=True)
    assert again.until == first.until == Fraction(5e-324)


def test_a_time_that_no_clock_measures() -> None:
    row = '{"fen": "gyges", "game": "gyges", "status": "unknown", "value": null, "nodes": 1, "seconds": %s}\n'
    for seconds, words in ((10**400, "has no valid seconds"), ("1e400", "has no valid seconds")):
        ((_, found),) = read_answers(BytesIO((row % seconds).encode()))
        assert found == words


@pytest.mark.parametrize("foreign", [b'{"line": 2}', b"[]", b"7", b"null", b'{"line": 1, "fen": "gyges", "eval": 3}'])
def test_what_can_be_read_and_is_no_answer_is_never_dropped(foreign: bytes, tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    fill(tmp_path / "whole", work)
    whole = (tmp_path / "whole").read_bytes()
    out = tmp_path / "out"
    for raw in (foreign + b"\n", foreign + b"\n" + whole, whole + foreign, b'{"line": \n' + foreign):
        out.write_bytes(raw)
        with pytest.raises(BatchError, match=r"is not an answer; nothing was changed"):
            AnswerFile(out, work, USUAL, resume=True)
        assert out.read_bytes() == raw
    assert not (tmp_path / "out.dropped").exists()


@given(data=st.data())
def test_any_damage_is_made_good(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    work = work_on(*(position for position in some_positions(4) for _ in range(2)))
    directory = tmp_path_factory.mktemp("batch")
    fill(directory / "whole", work)
    raw = bytearray((directory / "whole").read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(raw)))
        size = data.draw(st.integers(0, 600))
        raw[at : at + size] = data.draw(st.sampled_from([b"", b"\0" * size, b"x", b"\n", b"1"]))
    out = directory / "out"
    damaged = b'{"line": ' + raw
    out.write_bytes(damaged)
    try:
        fill(out, work, resume=True)
    except BatchError:  # by chance a line is whole JSON
        assert out.read_bytes() == damaged
        return
    assert by_line(out) == by_line(directory / "whole")


def test_a_torn_end_is_made_good(tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    fill(tmp_path / "whole", work)
    whole = (tmp_path / "whole").read_bytes()
    out = tmp_path / "out"
    for size in range(0, len(whole), 23):
        out.write_bytes(whole[:size])
        fill(out, work, resume=True)
        assert by_line(out) == by_line(tmp_path / "whole")


def test_answers_that_are_there_are_not_asked_for(tmp_path: Path) -> None:
    a, b, c = some_positions(3)
    out = tmp_path / "out"
    fill(out, work_on(a, b))
    # The input has grown, by a position that is known too.
    file = AnswerFile(out, work_on(a, b, b, c), USUAL, resume=True)
    assert [answer["line"] for answer in file.found] == [1, 2, 3]
    assert file.unsolved() == [c]
    file.close()


def test_a_repaired_file_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    work = work_on(*some_positions(3))
    out = tmp_path / "out"
    fill(out, work)
    out.write_bytes(b'{"line": 1\n' + out.read_bytes())
    out.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(out)
    assert fill(link, work, resume=True).dropped == 1
    assert out.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert len(by_line(out)) == 3


def test_another_input_is_rejected(tmp_path: Path) -> None:
    a, b, c = some_positions(3)
    out = tmp_path / "out"
    fill(out, work_on(a, b))
    before = out.read_bytes()
    with pytest.raises(BatchError, match=r"belongs to another input: for line 2 it answers '.*', but the input has"):
        AnswerFile(out, work_on(a, c), USUAL, resume=True)
    with pytest.raises(BatchError, match="the input has no position there"):
        AnswerFile(out, work_on(a), USUAL, resume=True)
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (SolveOptions(Limits(nodes=9)), "no limits; now nodes 9"),
        (SolveOptions(Limits(seconds=0.5)), "now seconds 0.5"),
        (SolveOptions(depth=3), "now depth 3"),
        (SolveOptions(wdl=True, each=True), r"no limits; now wdl, each\)"),
        (SolveOptions(model="paranoid", depth=4), "now depth 4, model paranoid"),
    ],
)
def test_other_options_are_rejected(changed: SolveOptions, words: str, tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    out = tmp_path / "out"
    fill(out, work)
    with pytest.raises(BatchError, match=f"started with other options .*{words}"):
        AnswerFile(out, work, changed, resume=True)
    fill(tmp_path / "changed", work, changed)
    with pytest.raises(BatchError, match="now no limits"):
        AnswerFile(tmp_path / "changed", work, USUAL, resume=True)
    assert fill(tmp_path / "changed", work, changed, resume=True).answered == {1, 2}


def test_another_board_of_the_same_name_is_rejected(tmp_path: Path) -> None:
    fen = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=mine"
    board = tmp_path / "mine.board"
    text = (Path(ringfen.__file__).parent / "rules/gran/boards" / "default.board").read_text()
    works = []
    for stones in ("16", "15"):
        board.write_text(text.replace("stones: 16", f"stones: {stones}"))
        works.append(work_on(Position(fen, board_path=[board])))
    fill(tmp_path / "out", works[0])
    fill(tmp_path / "out", works[0], resume=True)
    with pytest.raises(BatchError, match=r"started with other options \(board mine .*; now board mine "):
        AnswerFile(tmp_path / "out", works[1], USUAL, resume=True)


def test_options_that_change_no_answer_may_differ(tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    fill(tmp_path / "out", work)
    options = SolveOptions(hash_mb=1, threads=3, tables=tmp_path)
    assert fill(tmp_path / "out", work, options, resume=True).answered == {1, 2}


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    work = work_on(*some_positions(2))
    first = AnswerFile(tmp_path / "out", work, USUAL, resume=True)
    with pytest.raises(BatchError, match="another process is writing"):
        AnswerFile(tmp_path / "out", work, USUAL, resume=True)
    first.close()
    fill(tmp_path / "out", work, resume=True)


@contextmanager
def _files_up_to(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    work = work_on(*some_positions(20))
    out = tmp_path / "out"
    file = AnswerFile(out, work, USUAL, resume=False)
    with _files_up_to(2500), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        deque(map(file.add, map(solution, file.unsolved())))
    file.close()
    assert 0 < len(by_line(out)) < 20
    fill(tmp_path / "whole", work)
    fill(out, work, resume=True)
    assert by_line(out) == by_line(tmp_path / "whole")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_that_is_full() -> None:
    work = work_on(*some_positions(1))
    file = AnswerFile(Path("/dev/full"), work, USUAL, resume=False)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        file.add(solution(next(iter(work.positions.values()))))
    file.close()


def test_a_pipe_takes_answers(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.extend(pipe.read_text().splitlines()))
    reader.start()
    fill(pipe, work_on(*some_positions(3)))
    reader.join()
    assert [json.loads(line)["line"] for line in read] == [1, 2, 3]


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=os.strerror(errno.EISDIR)):
        AnswerFile(tmp_path, work_on(*some_positions(1)), USUAL, resume=False)


# ---- workers ----


def results_of(pool: WorkerPool, positions: list[Position]) -> dict[str, Result]:
    results = [(position.fen, result) for position, result in solve_all(positions, pool)]
    assert len(dict(results)) == len(results)
    return dict(results)


def in_a_thread(task: workers.Task) -> Any:
    return workers.thread(task)


def in_processes(task: workers.Task) -> Any:
    return workers.processes(2, task, lambda message: None)


pools = pytest.mark.parametrize("pool_for", [in_a_thread, in_processes])
PoolFor = Callable[[workers.Task], Any]


@pools
def test_every_position_is_solved_once(pool_for: PoolFor) -> None:
    positions = some_positions(60)
    with pool_for(batch_stub.mixed) as pool:
        results = results_of(pool, positions)
    assert results == {position.fen: batch_stub.answer(position) for position in positions}


@pools
def test_errors_are_results(pool_for: PoolFor) -> None:
    positions = some_positions(30)
    with pool_for(partial(batch_stub.solve_stub, "exhausting", USUAL)) as pool:
        results = results_of(pool, positions)
    for position in positions:
        kind = batch_stub.number_of(position) % 3
        expected = [Failure(OUT_OF_MEMORY), Failure("there is no player 6", misuse=True), solution(position)][kind]
        assert results[position.fen] == expected


def test_no_error_of_one_position_ends_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(position: Position, options: SolveOptions) -> Solution:
        raise AssertionError("no such square")

    monkeypatch.setattr(ringfen.batch.run, "solve", broken)
    assert solve_one(USUAL, Position("gyges")) == Failure("AssertionError: no such square")


@pools
def test_each_position_is_submitted_once_and_slots_are_counted(pool_for: PoolFor) -> None:
    positions = some_positions(20)
    with pool_for(batch_stub.answer) as pool:
        assert not pool.busy
        assert pool.collect(0.0) == []
        room = pool.free_slots()
        assert room >= 1
        for number, position in enumerate(positions[:room]):
            pool.submit(position)
            assert pool.free_slots() == room - number - 1
        assert pool.busy
        finished = []
        while pool.busy:
            finished += pool.collect(1.0)
        assert {position.fen for position, _ in finished} == {position.fen for position in positions[:room]}
        assert pool.free_slots() == room


@pools
def test_closing_stops_running_work(pool_for: PoolFor) -> None:
    calls = 0

    def interrupt() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), pool_for(batch_stub.endless) as pool:
        for _ in solve_all(some_positions(20), pool, interrupt):
            pass
    assert not control.stop_asked()
    assert psutil.Process().children() == []


def test_running_positions_are_reported() -> None:
    hard = [position for position in some_positions(20) if batch_stub.number_of(position) % 4]
    with workers.processes(2, batch_stub.endless, pytest.fail) as pool:
        for position in hard[:2]:
            pool.submit(position)
        assert pool.collect(0.1) == []
        running = pool.running()
    assert [position for position, _ in running] == hard[:2]
    assert running[0][1] >= running[1][1] > 0


def test_a_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATCH_STUB", str(tmp_path))
    positions = some_positions(40)
    said: list[str] = []
    with workers.processes(2, batch_stub.deadly_once, said.append) as pool:
        results = results_of(pool, positions)
    assert results == {position.fen: batch_stub.answer(position) for position in positions}
    assert len(said) == len(list(tmp_path.iterdir())) > 3
    for message in said:
        assert "died of SIGKILL (is there enough memory?); trying again" in message


def test_a_position_that_kills_its_worker_twice_has_failed() -> None:
    positions = some_positions(20)
    deadly = [position for position in positions if batch_stub.number_of(position) % 5 == 0]
    with workers.processes(2, batch_stub.deadly, lambda message: None) as pool:
        results = results_of(pool, positions)
    failure = Failure("the worker process died 2 times, the last time of SIGKILL (is there enough memory?)")
    assert [position for position in positions if results[position.fen] == failure] == deadly
    assert all(results[position.fen] == solution(position) for position in positions if position not in deadly)


def test_idle_workers_may_die() -> None:
    positions = some_positions(6)
    with workers.processes(2, batch_stub.answer, pytest.fail) as pool:
        assert isinstance(pool, ProcessPool)
        results_of(pool, positions[:3])
        for worker in pool._workers:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
        pool.collect(0.1)
        assert len(results_of(pool, positions[3:])) == 3


def test_a_worker_that_cannot_be_started_ends_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("subprocess.Popen", too_many)
    with (
        workers.processes(2, batch_stub.answer, print) as pool,
        pytest.raises(BatchError, match=r"cannot start worker process 1 of 2: Too many open files; use fewer jobs"),
    ):
        list(solve_all(some_positions(2), pool))


def test_workers_that_all_die_end_the_batch() -> None:
    with (
        pytest.raises(BatchError, match="10 worker processes in a row died, the last with exit status 7"),
        workers.processes(2, batch_stub.fatal, lambda message: None) as pool,
    ):
        results_of(pool, some_positions(60))


def test_easy_positions_do_not_wait_behind_hard_ones() -> None:
    """One process sits on a hard position; the other one solves all the rest."""
    positions = some_positions(40)
    hard = next(position for position in positions if batch_stub.number_of(position) % 4)
    easy = [position for position in positions if batch_stub.number_of(position) % 4 == 0]
    with workers.processes(2, batch_stub.endless, pytest.fail) as pool:
        solved = solve_all([hard, *easy], pool)
        assert {next(solved)[0].fen for _ in easy} == {position.fen for position in easy}


def test_what_workers_print_does_no_harm(capfd: pytest.CaptureFixture[str]) -> None:
    with workers.processes(2, batch_stub.talkative, pytest.fail) as pool:
        assert len(results_of(pool, some_positions(4))) == 4
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("hello") == 4


def test_answers_on_two_boards_of_one_name_are_kept_apart() -> None:
    work = work_on(*some_positions(1))
    answer = solution(next(iter(work.positions.values()))).to_json()
    one, other = ({**answer, "options": {"board": f"foo {number}"}} for number in ("5169c4ba", "c0e7add4"))
    assert question(one) != question(other)
    assert len(list(merged([one, other, one, answer]))) == 3
    none: list[Any] = [{}, None, 5, [], {"board": None}]
    for nothing in none:
        assert question({**answer, "options": nothing}) == question(answer)
    hash(question({**answer, "options": {"board": [1]}}))
