"""The collections in examples/problems: every problem is checked ply by ply, and proved by a certificate."""

from __future__ import annotations

from pathlib import Path

import pytest
from certificate_strategies import reference_of
from check_problems import check
from reference import certificates as plain

from ringfen import game_ids, prove, verify
from ringfen.notation import Record, read_records
from ringfen.problems.mining import Twins
from ringfen.problems.stipulation import Stipulation

EXAMPLES = Path(__file__).parents[3] / "examples" / "problems"
#: The gaps of the collections.
GAPS = {"rings": 2}


def records_of(game_id: str) -> list[Record]:
    return list(read_records(EXAMPLES / f"{game_id}.rgn"))


@pytest.mark.parametrize("game_id", game_ids())
def test_a_collection_is_sorted_and_has_no_twins(game_id: str) -> None:
    records, twins = records_of(game_id), Twins(keep_mirrored=False)
    assert len(records) == 100
    assert [record.tags["Round"] for record in records] == [str(number) for number in range(1, 101)]
    nodes = [int(record.tags["Nodes"]) for record in records]
    assert nodes == sorted(nodes)
    assert all(record.start is not None and twins.is_new(record.start) for record in records)


@pytest.mark.parametrize("game_id", game_ids())
def test_the_easiest_problem(game_id: str, tmp_path: Path) -> None:
    record = records_of(game_id)[0]
    check(record, GAPS.get(game_id))
    prove_and_verify(record, tmp_path / "problem.cert")


@pytest.mark.long
@pytest.mark.parametrize("game_id", game_ids())
def test_every_ply_of_every_problem(game_id: str) -> None:
    for record in records_of(game_id):
        check(record, GAPS.get(game_id))


@pytest.mark.long
@pytest.mark.parametrize("game_id", game_ids())
def test_every_problem_has_a_certificate(game_id: str, tmp_path: Path) -> None:
    for record in records_of(game_id):
        prove_and_verify(record, tmp_path / "problem.cert")


def prove_and_verify(record: Record, path: Path) -> None:
    """Both checkers accept the certificate of a problem. In GRAN it proves the same chance under ``paranoid``."""
    fen, stipulation = record.tags["FEN"], Stipulation.parse(record.tags["Stipulation"])
    depth = stipulation.horizon or None
    proved = prove(fen, path, problem=True, depth=depth, gap=GAPS.get(fen.split()[0]))
    assert proved.problem is not None
    assert proved.problem.stipulation == str(stipulation).replace("maxn", "paranoid")
    assert proved.problem.key == record.tags["Key"]
    verified = verify(path)
    assert verified.problem == proved.problem
    assert plain.verify(path.read_bytes(), reference_of(fen)) == verified.positions
    path.unlink()
