"""``annotate``: values in files of records, resumed, in parallel, twice."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen import Position, Solution, SolveOptions, solve
from ringfen.batch import run
from ringfen.cli.annotate import _words
from ringfen.notation import Record, json_line, parse_record, read_records
from ringfen.notation.annotating import Judgement

GYGES = Path(__file__).parents[2] / "examples" / "gyges-2001.rgn"
RECORDS = """[Game "siaius"]
[FEN "siaius 1c1/3/C2 s - - 0 huff=off"]

1. a1-a2 b3-c2 {a person's words} *

[Game "gyges"]

1. 321123 a1-b9 *

[Game "siaius"]
[FEN "siaius 1c1/3/C2 n - - 0 huff=off"]

1... b3-a3 *
"""


@pytest.fixture
def records(tmp_path: Path) -> Path:
    file = tmp_path / "games.rgn"
    file.write_text(RECORDS, encoding="utf-8")
    return file


def test_an_output_that_ends_with_gz_is_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.rgn", tmp_path / "packed.rgn.gz"
    for out in (plain, packed):
        assert ringfen("annotate", "examples/gyges-2001.rgn", "--nodes", "10", "--out", str(out)).exit_code == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_the_game_of_2001(tmp_path: Path) -> None:
    """South resigned a position that is won in 3 plies; the ply before had turned a win of North into a loss."""
    out = tmp_path / "out.rgn"
    result = ringfen("annotate", str(GYGES), "--nodes", "14k", "--variations", "--out", str(out))
    assert (result.exit_code, result.stdout) == (0, "")
    assert "ply 12: e6-e3xf3-d3: a blunder, value now s 3; better: c6xc5-c2, c6xc5-d6" in result.stderr
    assert "the result is 0-1, but from the last position South wins in 3 plies" in result.stderr
    (record,) = read_records(out)
    values = [node.comment.partition("]")[0] for node in record.mainline()]
    assert values[:6] == [""] * 6
    assert values[6:] == [f"[%value {value}" for value in ("n 7", "n 6", "n 5", "n 10", "n 7", "s 3")]
    last = list(record.mainline())[-1]
    assert (last.nags, last.comment) == ([4], "[%value s 3] [%mark 4] South resigns")
    assert [line.comments[:1] for line in last.variations] == [[], ["[%best]"]]
    assert record.valid


def test_few_better_plies_are_named() -> None:
    record = Record.new("rings")
    plies = record.begin.plies()[:5]
    node = record.play(plies[0])
    for count, words in ((1, plies[0]), (3, ", ".join(plies[:3])), (5, f"{plies[0]}, {plies[1]} and 3 more")):
        line = _words(record, Judgement(node, 1, None, (">=-2", "<=1"), 2, tuple(plies[:count])))
        assert line == f"<new>: record 1, ply 1: {plies[0]}: a mistake, value now >=-2 and <=1; better: {words}"


def test_records_go_out_and_the_report_beside(records: Path) -> None:
    result = ringfen("annotate", str(records), "--depth", "20")
    assert result.exit_code == 1
    assert ":8:11: bad-ply: " in result.stderr
    assert "2 records, 3 plies" in result.stderr
    assert "1 invalid record left unchanged" in result.stderr
    first, second, third = result.stdout.split("\n\n[Game")
    assert "a1-a2 {[%value " in first
    assert " a person's words}" in first
    assert '"gyges"]\n\n1. 321123 a1-b9 *' in second, "an invalid record stays"
    assert "{[%value " in third
    again = ringfen("annotate", "-", "--depth", "20", stdin=result.stdout)
    assert again.stdout == result.stdout, "annotating twice changes nothing"


def test_json_holds_one_line_a_ply(records: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.rgn"
    result = ringfen("annotate", str(records), "--json", "--out", str(out))
    lines = json_lines(result)
    assert [set(line) for line in lines] == [{"file", "record", "ply", "text", "status", "value", "best", "mark"}] * 3
    assert [(line["record"], line["ply"], line["text"]) for line in lines] == [
        (1, 1, "a1-a2"),
        (1, 2, "b3-c2"),
        (3, 1, "b3-a3"),
    ]
    assert {line["status"] for line in lines} == {"exact"}
    texts = out.read_text(encoding="utf-8").split("\n\n[Game")
    positions = [node.position for node in parse_record(texts[0]).mainline()]
    assert lines[0]["best"] == list(positions[0].solve().best)
    assert ringfen("annotate", str(records), "--json").stdout == result.stdout, "no records among the JSON"
    assert not (tmp_path / "out.rgn.answers.jsonl").exists()


def test_jobs_change_nothing(records: Path) -> None:
    one = ringfen("annotate", str(records))
    assert ringfen("annotate", str(records), "--jobs", "2").stdout == one.stdout


def test_an_interrupted_run_resumes(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.rgn"
    solved: list[str] = []

    def living(position: Position, options: SolveOptions) -> Solution:
        solved.append(position.fen)
        return solve(position, options)

    def dying(position: Position, options: SolveOptions) -> Solution:
        if len(solved) == 2:
            raise KeyboardInterrupt
        return living(position, options)

    monkeypatch.setattr(run, "solve", dying)
    assert ringfen("annotate", str(records), "--out", str(out), "-q").exit_code == 130
    answers = tmp_path / "out.rgn.answers.jsonl"
    assert not out.exists()
    found = [json.loads(line)["fen"] for line in answers.read_text(encoding="utf-8").splitlines()]
    assert found == solved[: len(found)] != []
    before = len(solved)
    assert ringfen("annotate", str(records), "--out", str(out)).exit_code == 2, "the answers are not thrown away"
    monkeypatch.setattr(run, "solve", living)
    assert ringfen("annotate", str(records), "--out", str(out), "--resume").exit_code == 1
    assert not set(solved[before:]) & set(found), "what is answered is not solved again"
    assert not answers.exists()
    monkeypatch.undo()
    assert out.read_text(encoding="utf-8") == ringfen("annotate", str(records)).stdout


def test_usage_errors(records: Path, tmp_path: Path) -> None:
    for words in (["--resume"], ["--nodes", "0"], ["--depth", "201"], ["--out", str(records)]):
        assert ringfen("annotate", str(records), *words).exit_code == 2, words
    assert records.read_text(encoding="utf-8") == RECORDS
    assert ringfen("annotate", str(tmp_path / "gone.rgn")).exit_code == 2
    assert ringfen("annotate", "-", stdin="").exit_code == 0


LONG = '[Game "gyges"]\n\n{' + "x" * (1 << 20) + "} *\n\n"
SHORT = '[Game "gyges"]\n\n1. 321123 *\n\n'


@pytest.mark.parametrize("name", ["long.rgn", "bad.jsonl", "long.jsonl"])
def test_a_record_that_cannot_be_written_is_named_and_skipped(tmp_path: Path, name: str) -> None:
    file, out = tmp_path / name, tmp_path / "out.rgn"
    if name == "long.rgn":
        file.write_text(SHORT + LONG + SHORT)
    else:
        good = json_line(parse_record(SHORT))
        file.write_text(f"{good}\n{'nonsense' if name == 'bad.jsonl' else json_line(parse_record(LONG))}\n{good}\n")
    result = ringfen("annotate", str(file), "--nodes", "1", "--max-record", "1", "--out", str(out))
    assert result.exit_code == 2
    reason = "could not be read" if name == "bad.jsonl" else "is longer than 1 MB"
    assert f"error: {file}: record 2 {reason} and was skipped" in result.stderr
    assert result.stderr.endswith("2 records, 2 plies, 0 with a proven value, 0 marked, 1 record skipped\n")
    assert out.read_text(encoding="utf-8") == SHORT * 2


def test_the_summary(records: Path) -> None:
    one = '[Game "gyges"]\n\n1. 321123 *\n\n'
    result = ringfen("annotate", "-", "--nodes", "1", stdin=one)
    assert result.stderr == "1 record, 1 ply, 0 with a proven value, 0 marked\n"
    assert ringfen("annotate", "-", "--nodes", "1", "-q", stdin=one).stderr == ""
    two = ringfen("annotate", str(records), str(records), "--depth", "20")
    assert "2 invalid records left unchanged" in two.stderr


def test_a_limit_is_not_an_error(tmp_path: Path) -> None:
    text = '[Game "gyges"]\n\n1. 321123 321123 2. a1-b3 *\n\n'
    result = ringfen("annotate", "-", "--nodes", "1", stdin=text)
    assert (result.exit_code, result.stdout) == (0, text)
    assert "1 record, 3 plies, 0 with a proven value, 0 marked" in result.stderr


def test_the_points_of_all_rings_are_no_bound() -> None:
    text = '[Game "rings"]\n\n1. g1-g2 c7-d7 *\n\n'
    result = ringfen("annotate", "-", "--nodes", "1", stdin=text)
    assert (result.exit_code, result.stdout) == (0, text)
    assert result.stderr == "1 record, 2 plies, 0 with a proven value, 0 marked\n"


def test_bounds_are_counted_apart() -> None:
    """Only the lower one is written: the upper one is the points of all rings."""
    fen = (
        "rings ...k(1).k(11)./k(11)....k(31111)1/1K(111)....k(1)/K(3111)33K(5)K(311).3/....k(111111)../1....../.1K.... "
        "s 2+0 0"
    )
    text = f'[Game "rings"]\n[FEN "{fen}"]\n\n1. c1-b1 *\n\n'
    result = ringfen("annotate", "-", "--nodes", "1000", stdin=text)
    assert "1. c1-b1 {[%value >=3]} *" in result.stdout
    assert result.stderr == "1 record, 1 ply, 0 with a proven value, 1 with bounds, 0 marked\n"


def missed(tmp_path: Path, *texts: str) -> tuple[list[Record], str]:
    """The problems that ``--problems`` writes, and the report."""
    games, out = tmp_path / "games.rgn", tmp_path / "missed.rgn"
    games.write_text("\n".join(texts), encoding="utf-8")
    result = ringfen("annotate", str(games), "--nodes", "50k", "--problems", str(out))
    assert result.exit_code == 0
    return list(read_records(out)), result.stderr


def test_missed_wins_become_problems(tmp_path: Path) -> None:
    """A position becomes a problem once, and only if the ply gave the lead away."""
    ranks = ".k(1).K(3111).../....1k./k(11)K(31111).k(33111)..1/......./.k(1)..K(31).1/.....K(5111)K(11)"
    south = f"rings {ranks}/Kk(311111)..... s 0+0 0"
    position, solution = Position(south), solve(south, nodes=50_000)
    (key,) = solution.best
    lost = next(ply for ply in position.plies() if solve(position.apply(ply), nodes=50_000).value in range(1, 99))
    found, report = missed(tmp_path, *(f'[FEN "{south}"]\n\n1. {ply} *\n' for ply in (key, lost, lost)))
    tags = [(record.tags["FEN"], record.tags["Stipulation"], record.tags["Key"]) for record in found]
    assert tags == [(south, f"best margin {solution.value}", key)]
    assert found[0].tags["Source"].endswith("games.rgn, record 2, ply 1")
    assert all(record.valid for record in found)
    assert "1 problem" in report


def test_the_last_turn_of_the_king_of_rings_becomes_a_problem(tmp_path: Path) -> None:
    fen = "rings .k(1).../K(1111111)..k./..k(111)K(11)./...K(53331)k(3)/k(1111)..../...../.K(1).K(1). n 0+0 0"
    (found,), _ = missed(tmp_path, f'[FEN "{fen}"]\n\n1... e4xd5 1-0\n')
    assert (found.tags["FEN"], found.tags["Stipulation"], found.tags["Key"]) == (fen, "best margin 15", "e4xd4")


def test_a_record_without_missed_wins_gives_an_empty_file(tmp_path: Path) -> None:
    assert missed(tmp_path, '[Game "gran"]\n\n*\n')[0] == []
