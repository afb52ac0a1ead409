"""Certificates of solved values, from solving to checking."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from certificate_mutants import mutants, taken_apart
from certificate_strategies import reference_of
from cli_runner import json_lines, ringfen
from gran_random import LINKED_BOARD, SMALL_BOARD
from known_data import rows
from reference import certificates as plain

from ringfen import LimitReached, Limits, Position, SolveOptions
from ringfen.certificates.claims import Proved
from ringfen.certificates.prove import prove
from ringfen.certificates.verify import verify, verify_file
from ringfen.control import Progress
from ringfen.errors import CertificateError, NotSolved
from ringfen.rules.gran.board import default_board, read_board
from ringfen.solving import solve
from ringfen.solving.retrograde import ReachableGraph

EXAMPLES = Path(__file__).parents[3] / "examples"
#: The plain checker looks at certificates of at most this many positions.
SMALL = 500

GYGES = [
    "gyges ..2.../13..../1.2312/.3.2.1/.....3/...... n - 1+1",
    "gyges .....2/2..33./.22.1./31..../3..11./...... s - 1+3",
    "gyges 2.2.11/....../....../..3323/....31/12.... n - 1+1",
    "gyges 2..1../..1.2./...3../...1../..321./32...3 n - 1+1",
    "gyges ....../.1..../3...../1.2.32/3232.1/...1.. n - 1+1",
]
GYGES_ONE_PLY = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"
SIAIUS = [
    "siaius 4/4/S3/3c n - d1 0",
    "siaius c2/3/3/2C/3 n - - 0",
    "siaius 4/3t/1M2/S3 n - - 0 huff=stone",
    "siaius 5/1c1t1/5/3S1 s d3 - 0",
    "siaius 2CC/4/c3/4 n c4 - 0",
    "siaius 4/sT1M/4/4 s - - 0 beats=reverse",
    "siaius 6/6/6/6/2c1S1/6 s - - 0",
    "siaius 3/3/3 s - - 0".replace("3/3/3", "c2/3/2C"),
]
RINGS = [row["fen"] for row in rows("data/rings_values.jsonl")]
GRAN = [row["fen"] for row in rows("data/gran_values.jsonl")]
OPTIONS = SolveOptions(hash_mb=16)
CHANCE_OPTIONS = SolveOptions(hash_mb=16, model="paranoid", depth=5)


def proved(fen: str, path: Path) -> Proved:
    proof = prove(Position(fen), path, CHANCE_OPTIONS if fen.startswith("gran") else OPTIONS)
    verified = verify(path)
    assert (verified.fen, verified.positions, list(verified.claims)) == (fen, proof.positions, list(proof.claims))
    assert verified.value == proof.value
    assert path.stat().st_size == proof.size
    if verified.positions <= SMALL:
        assert plain.verify(path.read_bytes(), reference_of(fen)) == verified.positions
    return proof


@pytest.mark.parametrize("fen", GYGES + SIAIUS + RINGS)
def test_values_of_two_players(fen: str, tmp_path: Path) -> None:
    proof = proved(fen, tmp_path / "cert")
    solution = solve(Position(fen), OPTIONS)
    assert proof.value == solution.value
    if solution.distance is not None:
        assert proof.claims[0].within == solution.distance


@pytest.mark.parametrize("fen", GRAN)
def test_winning_probabilities(fen: str, tmp_path: Path) -> None:
    proof = proved(fen, tmp_path / "cert")
    solution = solve(Position(fen), CHANCE_OPTIONS)
    assert [claim.probability for claim in proof.claims] == [solution.lower, solution.upper]
    assert [claim.horizon for claim in proof.claims] == [solution.horizon] * 2


def test_mutants_of_a_deeper_proof(tmp_path: Path) -> None:
    fen = "gyges 2..1../..1.2./...3../...1../..321./32...3 n - 1+1"
    proved(fen, tmp_path / "cert")
    for name, changed in mutants((tmp_path / "cert").read_bytes(), 300):
        try:
            verify_file(BytesIO(changed))
            good = True
        except CertificateError:
            good = False
        try:
            plain.verify(changed, reference_of(fen))
            plainly_good = True
        except plain.Refused:
            plainly_good = False
        assert good == plainly_good, name


def test_nothing_is_written_if_it_is_not_solved(tmp_path: Path) -> None:
    for fen in (Position("gyges").fen, Position("rings").fen, Position("siaius").fen):
        with pytest.raises((NotSolved, LimitReached)):
            prove(Position(fen), tmp_path / "cert", SolveOptions(Limits(nodes=500), hash_mb=1))
    with pytest.raises(LimitReached, match="1 MiB"):
        prove(Position(RINGS[0]), tmp_path / "cert", OPTIONS, memory_mb=1)
    assert list(tmp_path.iterdir()) == []


def test_the_example() -> None:
    """Certificates stay readable: this file was written by the first version of the format."""
    verified = verify(EXAMPLES / "gyges-win-in-7.cert")
    assert (verified.value, verified.claims[0].within, verified.positions) == ("win", 7, 3640)


# ---- boards ----

ON_BOARD = "gran e3:1:T/a3:1:-/c3:1:- @1 - 1.0.0.1.1.0.1 1 fight board=small seals=2"


def test_a_certificate_carries_its_board(tmp_path: Path) -> None:
    board = read_board(SMALL_BOARD, "small")
    position = Position.on_board(ON_BOARD, board)
    path = tmp_path / "cert"
    proof = prove(position, path, SolveOptions(depth=4, hash_mb=4))
    raw = path.read_bytes()
    assert verify(path).claims == proof.claims
    assert plain.verify(raw, reference_of(ON_BOARD)) == proof.positions
    (tmp_path / "small.board").write_text(SMALL_BOARD, encoding="utf-8")
    assert verify(path, board_path=[tmp_path]).claims == proof.claims
    (tmp_path / "small.board").write_text(SMALL_BOARD.replace("stones: 4", "stones: 5"), encoding="utf-8")
    with pytest.raises(CertificateError, match="another board"):
        verify(path, board_path=[tmp_path])
    assert ringfen("verify", str(path)).exit_code == 0
    assert ringfen("verify", str(path), "--board", str(tmp_path / "small.board")).exit_code == 1


def test_changed_boards(tmp_path: Path) -> None:
    position = Position.on_board(ON_BOARD, read_board(SMALL_BOARD, "small"))
    prove(position, tmp_path / "cert", SolveOptions(depth=4, hash_mb=4))
    raw = (tmp_path / "cert").read_bytes()
    text = taken_apart(raw).header["board"]
    changes = [text[:at] + letter + text[at + 1 :] for at in range(0, len(text), 7) for letter in "#w.TD1\n"]
    for changed in [*changes, "", text * 2, "lines: all", "\0", None]:
        parts = taken_apart(raw)
        parts.header["board"] = changed
        if changed is None:
            del parts.header["board"]
        try:
            verify_file(BytesIO(parts.bytes()))
            good = True
        except CertificateError:
            good = False
        try:
            plain.verify(parts.bytes(), reference_of(ON_BOARD))
            plainly_good = True
        except plain.Refused:
            plainly_good = False
        assert good == plainly_good, changed


def test_boards_as_text() -> None:
    for board in (default_board(), read_board(SMALL_BOARD, "small"), read_board(LINKED_BOARD, "linked")):
        assert read_board(board.text, board.name) == board


# ---- the command line ----


def test_prove_and_verify(tmp_path: Path) -> None:
    path = str(tmp_path / "a.cert")
    result = ringfen("prove", GYGES[0], "--out", path)
    assert result.exit_code == 0
    assert "North wins within 1 ply, with 1 position, 215 bytes" in result.stdout
    [line] = json_lines(ringfen("prove", RINGS[1], "--out", path, "--json"))
    assert (line["fen"], line["value"], line["bytes"]) == (RINGS[1], 7, Path(path).stat().st_size)
    result = ringfen("verify", path)
    assert "North gets at least +7 within 5 plies; South gets at least -7" in result.stdout


def test_prove_of_a_position_that_is_too_hard(tmp_path: Path) -> None:
    path = tmp_path / "a.cert"
    result = ringfen("prove", "gyges", "--nodes", "100", "--out", str(path))
    assert result.exit_code == 3
    assert "not solved within the limits" in result.stderr
    assert not path.exists()


def test_wrong_players_and_limits_in_gran(tmp_path: Path) -> None:
    path = tmp_path / "a.cert"
    result = ringfen("prove", GRAN[0], "--player", "6", "--out", str(path))
    assert result.exit_code == 2
    assert "the player is 1 to 3, not 6" in result.stderr
    assert ringfen("prove", GRAN[2], "--nodes", "300", "--depth", "20", "--out", str(path)).exit_code == 3
    assert not path.exists()


def test_the_memory_limit_of_verify(tmp_path: Path) -> None:
    path = str(tmp_path / "a.cert")
    assert ringfen("prove", RINGS[0], "--out", path).exit_code == 0
    result = ringfen("verify", "--json", "--memory", "1", path)
    assert result.exit_code == 3
    assert json_lines(result)[0]["ok"] is None


def test_what_a_certificate_proves_in_words(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    over = Position(GYGES_ONE_PLY).apply("a5-S")
    assert ringfen("prove", over.fen, "--out", str(path)).stdout.startswith(f"{path}: North has won, ")
    assert ringfen("verify", str(path)).stdout.startswith(f"{path}: ok: North has won\n")
    ringfen(
        "prove",
        "gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2",
        "--out",
        str(path),
        "--depth",
        "2",
    )
    assert "player 4 wins with a probability of at least " in ringfen("verify", str(path)).stdout


def test_limits_hold_for_all_of_a_proof(tmp_path: Path) -> None:
    """Each position on the way is solved with far fewer nodes than all of them take."""
    win = "gyges ..2.33/...212/.3...2/.13.../...11./...... n - 1+1"
    margin = "rings .k(1)..1/k...K/.K(11).1./...../..K../k..../..... s 0+0 0"
    for fen, nodes in ((win, 10_000), (margin, 3 * Position(margin).solve().nodes // 2)):
        assert Position(fen).solve(nodes=nodes).status == "exact"
        with pytest.raises(LimitReached, match="the limit of nodes was reached") as raised:
            prove(fen, tmp_path / "proof", nodes=nodes)
        assert nodes / 2 < raised.value.nodes <= nodes
    assert list(tmp_path.iterdir()) == []
    result = ringfen("prove", win, "--out", str(tmp_path / "proof"), "--nodes", "10000")
    assert (result.exit_code, result.stderr) == (3, "error: no certificate: the limit of nodes was reached\n")


def test_progress_comes_with_every_position(tmp_path: Path) -> None:
    """It counts those that are done, of those found so far, and never goes back."""
    news: list[Progress] = []
    proved = prove("gyges ..2.33/...212/.3...2/.13.../...11./...... n - 1+1", tmp_path / "proof", progress=news.append)
    walked = [(one.done, one.total) for one in news if one.total]
    assert walked == sorted(walked)
    assert len({done for done, _ in walked}) > proved.positions / 4
    assert walked[-1][1] <= proved.positions


def test_a_proof_of_a_forced_win_analyses_only_its_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retrograde analysis of all reachable positions takes a thousand times as long as the solution."""
    position = Position("siaius 4c/5/2S2/1m3/5/C4 s - - 0")
    limits = []

    class Graph(ReachableGraph):
        def __init__(self, *args: Any, **keywords: Any) -> None:
            limits.append(keywords["limits"].nodes)
            super().__init__(*args, **keywords)

    monkeypatch.setattr("ringfen.certificates.strategy.ReachableGraph", Graph)
    proof = prove(position, tmp_path / "proof", OPTIONS)
    assert (proof.positions, proof.value, proof.claims[0].within) == (121, "win", 7)
    solution = solve(position, OPTIONS)
    assert limits == [solution.nodes]
    assert verify(tmp_path / "proof").positions == 121
