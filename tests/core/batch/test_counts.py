"""Deep counts: positions after some plies, equal ones merged, each counted to the rest by a worker."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from batch_tools import Run, answers_in, run, wait_until
from cli_runner import json_lines, ringfen

from ringfen import BatchError, Position, game_ids, perft
from ringfen.batch.counts import Count, CountFile, pool_for, split_up
from ringfen.batch.frontier import Frontier
from ringfen.batch.run import solve_all

DEPTHS = {"gyges": 3, "rings": 4, "siaius": 4, "gran": 4}
#: Two bare knights in long cycles: few positions, many sequences.
WANDERING = "rings 1..../k..../...../...../...../...../....K s 0+0 0"


def counted(start: Position, plies: int) -> Counter[Position]:
    """The positions after a number of plies, each with its number of sequences, in plain Python."""
    layer = Counter({start: 1})
    for _ in range(plies):
        following: Counter[Position] = Counter()
        for position, ways in layer.items():
            for _, child in position.successors():
                following[child] += ways
        layer = following
    return layer


def deep_count(start: Position | str, depth: int, split: int | None = None, hash_mb: int = 0) -> int:
    """The count of a deep count with one worker."""
    deep = split_up(start, depth, split)
    nodes = {}
    with pool_for(deep, 1, None, hash_mb) as pool:
        for position, count in solve_all(deep.work.positions.values(), pool):
            assert isinstance(count, Count)
            nodes[deep.work.lines_of[position.fen][0]] = count.nodes
    return deep.total(nodes)


@pytest.mark.parametrize("game", game_ids())
def test_merged_positions(game: str) -> None:
    start = Position(game)
    plies = 2 if game == "gyges" else 3
    with Frontier.start(start) as frontier:
        for number in range(1, plies + 1):
            frontier = frontier.next()
            expected = counted(start, number)
            assert dict(frontier) == expected
            assert (len(frontier), frontier.sequences) == (len(expected), expected.total())
            assert frontier.sequences == perft(start, number)


def test_merged_positions_reached_in_many_ways() -> None:
    start, plies = Position(WANDERING), 11
    frontier = Frontier.start(start)
    for _ in range(plies):
        frontier = frontier.next()
    expected = counted(start, plies)
    assert max(expected.values()) >> 16
    assert dict(frontier) == expected


def test_what_does_not_fit_memory_goes_to_files(tmp_path: Path) -> None:
    frontier = Frontier.start(Position("rings"))
    for _ in range(3):
        frontier = frontier.next(memory_mb=1)
    enough, little = frontier.next(), frontier.next(memory_mb=1, directory=tmp_path)
    assert len(enough) > 100_000
    assert enough.sequences == little.sequences
    assert list(little._chunks()) == list(enough._chunks()), "the order is the same too"
    assert list(tmp_path.iterdir()) == [], "the files have no names"
    with pytest.raises(MemoryError):
        frontier.next(memory_mb=0)
    with pytest.raises(FileNotFoundError):
        frontier.next(directory=tmp_path / "none")


@pytest.mark.parametrize("game", game_ids())
def test_every_split_gives_the_same_count(game: str) -> None:
    depth = DEPTHS[game]
    nodes = perft(game, depth)
    splits = [None, 0, 1, 2] + [depth] * (game != "gyges")
    assert [deep_count(game, depth, split=split, hash_mb=split or 0) for split in splits] == [nodes] * len(splits)


def test_counts_beyond_64_bits() -> None:
    start, depth = Position(WANDERING), 30
    expected = counted(start, depth).total()
    assert expected >> 64
    for split in (0, 1, 3):
        assert deep_count(start, depth, split=split, hash_mb=8) == expected
    (row,) = json_lines(ringfen("perft", WANDERING, "-d", str(depth), "--split", "2", "-j1", "--hash", "8", "--json"))
    assert row["nodes"] == expected
    with pytest.raises(OverflowError):
        perft(start, depth, hash_mb=8)


def test_finished_positions_end_their_lines() -> None:
    start = "rings ....k/...../...../...../...../...../K.1.. s 0+0 0"
    for depth in range(7):
        assert deep_count(start, depth, split=min(depth, 4)) == perft(start, depth)
    over = "rings ......./......./......./......./......./......./K...... s 0+0 0"
    assert (deep_count(over, 3, split=2), deep_count(over, 0)) == (0, 1)


def test_automatic_splits() -> None:
    deep = split_up("rings", 7)  # after three plies each would take less time than to hand it out
    assert (deep.split, deep.growth) == (2, [(28, 28), (784, 784)])
    deep = split_up("rings", 8)
    assert (deep.split, deep.growth) == (3, [(28, 28), (784, 784), (21756, 12768)])
    assert split_up("rings", 4).split == 2
    assert split_up("rings", 1).split == 0
    with pytest.raises(ValueError, match="split is 0 to 3"):
        split_up("rings", 3, 4)
    with pytest.raises(ValueError, match="depth"):
        split_up("rings", 256)


def test_processes() -> None:
    (row,) = json_lines(ringfen("perft", "gran", "-d", "5", "-j", "2", "--split", "2", "--hash", "4", "--json"))
    assert (row["nodes"], row["split"], row["distinct"]) == (1_188_136, 2, 135)


def test_the_command(tmp_path: Path) -> None:
    out, more = tmp_path / "counts", ("--jobs", "1", "--split", "3")
    (row,) = json_lines(ringfen("perft", "gran", "-d", "5", *more, "--json"))
    assert (row["nodes"], row["depth"], row["fen"]) == (1_188_136, 5, Position("gran").fen)
    assert (row["split"], row["distinct"]) == (3, 2236)
    assert row["growth"] == [
        {"plies": 1, "sequences": 9, "distinct": 9},
        {"plies": 2, "sequences": 185, "distinct": 135},
        {"plies": 3, "sequences": 3344, "distinct": 2236},
    ]
    assert (
        ringfen("perft", "gran", "-d", "5", *more, "-o", str(out))
        .stdout.splitlines()[-1]
        .startswith("perft 5: 1,188,136 (")
    )
    answers = answers_in(out)
    assert len(answers) == 2236
    assert sum(answer["ways"] * answer["nodes"] for answer in answers) == 1_188_136
    assert {answer["line"] for answer in answers} == set(range(1, 2237))
    assert all(answer["nodes"] == perft(answer["fen"], 2) for answer in answers[::100])


def test_resume_and_rejected_options(tmp_path: Path) -> None:
    out = tmp_path / "counts"
    words = ("perft", "rings", "-d", "4", "-j", "1", "-o", str(out))
    assert ringfen(*words).exit_code == 0
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    # A torn line and a damaged one are counted again; the others stay.
    spoilt = lines[3].replace(b'"nodes": ', b'"nodes": 9')
    out.write_bytes(b"".join([*lines[:3], spoilt, *lines[4:600], lines[600][:40]]))
    result = ringfen(*words, "--resume", "--json")
    assert json_lines(result)[0]["nodes"] == 603_729
    assert "2 incomplete or corrupt lines" in result.stderr
    assert sorted(answer["line"] for answer in answers_in(out)) == list(range(1, 785))
    for other, message in [
        (("perft", "rings", "-d", "4", "-j", "1"), "continue it with --resume"),
        (("perft", "rings", "-d", "5", "--split", "2", "--resume"), "started with other options"),
        (("perft", "rings", "-d", "4", "--split", "1", "--resume"), "belongs to another input"),
        (("perft", "gran", "-d", "4", "--resume"), "belongs to another input"),
    ]:
        result = ringfen(*other, "-o", str(out))
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    # A whole line with other ways is no answer of this count.
    row = json.loads(lines[0])
    out.write_bytes(_line(row | {"ways": row["ways"] + 1}))
    with pytest.raises(BatchError, match="no valid ways"):
        CountFile(out, split_up("rings", 4), resume=True)


def _line(row: dict[str, object]) -> bytes:
    from ringfen.batch.answers import checksum

    del row["check"]
    return json.dumps(row | {"check": checksum(row)}).encode() + b"\n"


@pytest.mark.parametrize(
    "words",
    [
        ("rings", "-d", "3", "--split", "1"),
        ("rings", "-d", "3", "--split", "4", "-j1"),
        ("rings", "-d", "3", "--resume", "-j1"),
        ("rings", "-d", "3", "-j1", "--divide"),
        ("rings", "-d", "3", "-j1", "-t2"),
        ("-", "-d", "3", "-o", "x"),
        ("rings", "-d", "3", "-o", "/nowhere/x"),
        ("rings", "-d", "3", "-j0"),
    ],
)
def test_usage_errors(words: tuple[str, ...]) -> None:
    assert ringfen("perft", *words, stdin="rings\n").exit_code == 2


def test_several_positions_without_a_file() -> None:
    result = ringfen("perft", "-", "-d", "3", "-j", "1", "--json", stdin="rings\nnonsense\ngran\n")
    assert [row.get("nodes") for row in json_lines(result)] == [21756, None, 3344]
    assert result.exit_code == 2


def _wait_for(out: Path, size: int, batch: Run) -> None:
    """Until the file is longer than this, or the batch has ended."""
    wait_until(lambda: batch.process.poll() is not None or (out.exists() and out.stat().st_size > size))


@pytest.mark.unsanitized
def test_killed_again_and_again(tmp_path: Path) -> None:
    """What is counted stays, and the count is that of an undisturbed run."""
    out, choose = tmp_path / "counts", random.Random(5)
    words = ("perft", "gran", "-d", "5", "--split", "3", "-o", out, "-j", "2", "--resume", "--json", "-q")
    for _ in range(3):
        with run(*words) as batch:
            size = (out.stat().st_size if out.exists() else 0) + choose.randrange(1, 100_000)
            _wait_for(out, size, batch)
            batch.kill()
        raw = out.read_bytes()
        out.write_bytes(raw[: len(raw) - choose.choice([0, 0, 50])])
    with run(*words) as batch:
        status, output, _ = batch.finish()
    assert status == 0
    row = json.loads(output)
    assert (row["nodes"], row["distinct"]) == (1_188_136, 2236)
    assert sorted(answer["line"] for answer in answers_in(out)) == list(range(1, 2237))


@pytest.mark.unsanitized
def test_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "counts"
    with run("perft", "gyges", "-d", "5", "--split", "2", "-o", out, "-j", "2", "-q") as batch:
        wait_until(lambda: out.exists() and out.stat().st_size > 0)
        batch.interrupt()
        status, _, errors = batch.finish()
    assert status == 130
    assert f"of 8100 counts are in {out}; the same command with --resume continues from there" in errors
    assert "Traceback" not in errors
