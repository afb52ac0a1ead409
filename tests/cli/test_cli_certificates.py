"""``prove`` and ``verify`` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from certificate_strategies import gyges_best
from cli_runner import json_lines, ringfen

from ringfen import Position
from ringfen.certificates.prove import certify
from ringfen.certificates.strategy import ListedPlies
from ringfen.cli.position_input import Positions

WON = "gyges ..2.../13..../1.2312/.3.2.1/.....3/...... n - 1+1"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.cert"
    certify(Position(WON), path, "win", ListedPlies(gyges_best))
    return path


@pytest.fixture
def bad(good: Path) -> Path:
    path = good.with_name("bad.cert")
    path.write_bytes(good.read_bytes().replace(b'"within": 1', b'"within": 0'))
    return path


def test_a_good_one(good: Path) -> None:
    result = ringfen("verify", str(good))
    assert result.exit_code == 0
    assert "ok: North wins within 1 ply, with 1 position" in result.stdout
    result = ringfen("verify", "--json", str(good))
    [line] = json_lines(result)
    assert (line["fen"], line["value"], line["ok"], line["positions"]) == (WON, "win", True, 1)


def test_a_bad_one(good: Path, bad: Path) -> None:
    result = ringfen("verify", str(bad), str(good))
    assert result.exit_code == 1
    assert "bad.cert: rejected: the checksum is wrong" in result.stdout
    assert "good.cert: ok" in result.stdout
    first, second = json_lines(ringfen("verify", "--json", str(bad), str(good)))
    assert (first["ok"], first["fen"], first["value"], first["positions"]) == (False, None, None, None)
    assert "checksum" in first["reason"]
    assert second["ok"]


def test_an_unreadable_file(good: Path, bad: Path) -> None:
    missing = good.with_name("missing.cert")
    result = ringfen("verify", str(missing), str(bad), str(good))
    assert result.exit_code == 2
    assert "missing.cert: No such file" in result.stderr
    assert "good.cert: ok" in result.stdout
    assert ringfen("verify", str(good.parent)).exit_code == 2
    assert ringfen("verify").exit_code == 2


def test_standard_input(good: Path) -> None:
    result = ringfen("verify", "--json", "-", stdin=good.read_bytes())
    assert result.exit_code == 0
    assert json_lines(result)[0]["file"] == "<stdin>"
    assert ringfen("verify", "-", stdin=b"").exit_code == 1


def test_prove_touches_no_other_file(tmp_path: Path) -> None:
    others = [tmp_path / name for name in ("one.cert.new", ".one.cert.new")]
    for other in others:
        other.write_text("mine", encoding="utf-8")
    out = tmp_path / "one.cert"
    for _ in range(2):
        result = ringfen("prove", WON, "--out", str(out), "--json")
        assert json_lines(result)[0]["ok"] is True
    assert [other.read_text(encoding="utf-8") for other in others] == ["mine", "mine"]
    assert sorted(tmp_path.iterdir()) == sorted([*others, out])
    nowhere = tmp_path / "none" / "one.cert"
    result = ringfen("prove", WON, "--out", str(nowhere))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"error: {nowhere}: No such file or directory"


def test_usage_errors_of_prove(tmp_path: Path) -> None:
    out = str(tmp_path / "new.cert")
    assert ringfen("prove", WON).exit_code == 2
    assert ringfen("prove", "--out", out).exit_code == 2
    assert ringfen("prove", WON, "--out", "-").exit_code == 2
    assert ringfen("prove", "gyges nonsense", "--out", out).exit_code == 2
    positions = tmp_path / "positions"
    positions.write_text(f"{WON}\n{WON}\n", encoding="utf-8")
    assert ringfen("prove", "--file", str(positions), "--out", out).exit_code == 2
    assert not Path(out).exists()


ENDINGS = ["siaius c2/3/3/2C/3 n - - 0", WON, "gyges", "gran b8:3:TU/a9:1:-/g9:0:T @1 - 2.0.4.6.6.4.2 1 over seals=2"]


def test_a_certificate_of_each_position(tmp_path: Path) -> None:
    positions, proofs = tmp_path / "positions.txt", tmp_path / "some" / "proofs"
    positions.write_text("# endings\n" + "\n".join(ENDINGS) + "\nnonsense\n", encoding="utf-8")
    args = ("prove", "--file", str(positions), "--out-dir", str(proofs), "--nodes", "5000", "--hash", "1")
    result = ringfen(*args, "--json")
    assert result.exit_code == 2  # the malformed line; 3 for the one that is not solved
    *rows, malformed = json_lines(result)
    assert malformed["line"] == len(ENDINGS) + 2
    assert [(row["fen"], row["ok"]) for row in rows] == [
        (Position(fen).fen, None if fen == "gyges" else True) for fen in ENDINGS
    ]
    assert "is not solved within the limits" in rows[2]["reason"]
    names = ["000002.cert", "000003.cert", "000005.cert"]
    assert sorted(path.name for path in proofs.iterdir()) == names
    assert ringfen("verify", *(str(proofs / name) for name in names)).exit_code == 0
    # Existing files stay; missing files are made.
    kept = {name: (proofs / name).stat().st_mtime_ns for name in names}
    (proofs / names[1]).unlink()
    assert "exists; --resume keeps it" in ringfen(*args).stderr
    result = ringfen(*args, "--resume")
    assert result.exit_code == 2
    assert names[1] in result.stdout
    assert f"{proofs / names[0]}: it exists\n" in result.stdout
    assert json_lines(ringfen(*args, "--resume", "--json"))[0] == {
        **{"line": 2, "file": str(proofs / names[0]), "fen": ENDINGS[0], "value": None, "ok": None, "positions": None},
        "reason": "it exists",
    }
    assert kept[names[0]] == (proofs / names[0]).stat().st_mtime_ns
    assert sorted(path.name for path in proofs.iterdir()) == names


def test_the_help_gives_the_name_of_a_certificate(tmp_path: Path) -> None:
    assert ringfen("prove", WON, "--out-dir", str(tmp_path)).exit_code == 0
    (proof,) = tmp_path.iterdir()
    assert f"to DIR, such as {proof.name} for line 1." in " ".join(ringfen("prove", "--help").stdout.split())


def test_another_certificate_stays_unchanged(tmp_path: Path) -> None:
    for content in (b"", b"ringfen certificate 1\n{}\n"):
        (tmp_path / "000001.cert").write_bytes(content)
        result = ringfen("prove", WON, "--out-dir", str(tmp_path), "--resume")
        assert result.exit_code == 2
        assert "is not a certificate of" in result.stderr
        assert (tmp_path / "000001.cert").read_bytes() == content


def test_one_file_or_a_directory(tmp_path: Path) -> None:
    for args in (
        ("prove", WON),
        ("prove", WON, "--out", "a", "--out-dir", "b"),
        ("prove", WON, "--out", "a", "--resume"),
        ("prove", WON, ENDINGS[0], "--out", str(tmp_path / "a")),
    ):
        assert ringfen(*args).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_errors_of_positions_in_a_file_name_the_line(tmp_path: Path) -> None:
    positions = tmp_path / "positions.txt"
    positions.write_text(f"{WON}\nrings\ngran\n{WON}\n")
    limits = ("--nodes", "1000", "--player", "6")
    result = ringfen("prove", "--file", str(positions), "--out-dir", str(tmp_path / "proofs"), *limits)
    assert result.exit_code == 2
    rings, gran = Position("rings").fen, Position("gran").fen
    assert result.stderr.splitlines() == [
        f"error: {positions}:2: no certificate: {rings} is not solved within the limits: status bound",
        f"error: {positions}:3: bad-option: {gran}: the player is 1 to 3, not 6",
    ]
    assert sorted(path.name for path in (tmp_path / "proofs").iterdir()) == ["000001.cert", "000004.cert"]


def test_progress_names_the_number_of_each_position(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("rings\n# comment\ngran\n")
    rings = Position("rings")
    name = Positions((), str(file), many=True).numbered("proving")
    assert [name(rings), name(rings)] == [f"proving {n} of 2: {rings.fen}" for n in (1, 2)]
    assert Positions(("rings",), None).numbered("solving")(rings) == f"solving {rings.fen}"
    assert Positions(("-",), None).numbered("solving")(rings) == f"solving {rings.fen}"


# ---- problems ----

PROBLEM = "siaius s3/m3/1S2 s - - 0"
COOKED = "siaius 3/1s1/1S1 n - - 0"
MARGIN = "rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0"


def test_a_problem_in_words(tmp_path: Path) -> None:
    path = str(tmp_path / "problem.cert")
    [key] = [ply for ply in Position(PROBLEM).plies() if Position(PROBLEM).apply(ply).solve().distance == 3]
    proven = f"win in 3; key {key}; every other ply fails, with 7 positions"
    assert ringfen("prove", "--problem", PROBLEM, "--out", path).stdout.startswith(f"{path}: {proven}, ")
    assert ringfen("verify", path).stdout == f"{path}: ok: {proven}\n  {PROBLEM}\n"
    [line] = json_lines(ringfen("verify", "--json", path))
    assert (line["value"], line["stipulation"], line["key"], line["gap"]) == ("win", "win in 3", key, None)
    assert line["claims"] == [
        {"player": 1, "at_least": 1, "within": 4},
        {"player": 2, "at_least": 0, "horizon": 3},
        {"player": 2, "at_least": 0, "horizon": 5, "except": key},
    ]


@pytest.mark.parametrize(("gap", "less"), [(None, "1 point"), ("1", "1 point"), ("3", "3 points")])
def test_a_gap(gap: str | None, less: str, tmp_path: Path) -> None:
    path, option = str(tmp_path / "problem.cert"), () if gap is None else ("--gap", gap)
    [line] = json_lines(ringfen("prove", "--problem", MARGIN, "--out", path, "--json", *option))
    assert (line["stipulation"], line["key"], line["gap"]) == ("best margin 7", "@d6", int(gap or 1))
    assert f"best margin 7; key @d6; every other ply gives at least {less} less" in ringfen("verify", path).stdout


def test_gaps_that_do_not_fit(tmp_path: Path) -> None:
    path = str(tmp_path / "problem.cert")
    for gap in ("0", "-1", "x", "1/0", "1/2", "0/3", "", "1" * 5000):
        result = ringfen("prove", "--problem", MARGIN, "--out", path, "--gap", gap)
        assert result.exit_code == 2, gap
    assert "--gap requires --problem" in ringfen("prove", MARGIN, "--out", path, "--gap", "1").stderr
    assert not Path(path).exists()
    result = ringfen("prove", "--problem", PROBLEM, "--out", path, "--gap", "1")
    assert (result.exit_code, result.stderr) == (0, "note: --gap has no effect on these positions\n")


def test_a_certificate_that_needs_too_much_memory_does_not_end_the_others(tmp_path: Path) -> None:
    """A certificate of GRAN has all positions of a layer in memory."""
    positions, proofs = tmp_path / "positions.txt", tmp_path / "proofs"
    large = "gran f7:0:-/h6:1:-/e6:1:- @3 a2,c4,e4,b5,e5,i5,b6,d7,a8,e8,c9,h9,i9 2.0.3.3.5.3.1 3 move seals=1"
    positions.write_text(f"{large}\n{WON}\n")
    result = ringfen("prove", "--file", str(positions), "--out-dir", str(proofs), "--depth", "8", "--memory", "1")
    assert result.exit_code == 3
    assert result.stderr == f"error: {positions}:1: no certificate: more than 1 MiB of memory are needed\n"
    assert [path.name for path in proofs.iterdir()] == ["000002.cert"]


def test_a_position_that_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "problem.cert"
    for fen, why in (
        (COOKED, "plies win in "),
        ("siaius c2/3/3/2C/3 n - - 0", "the side to move does not win"),
        ("siaius 3/3/S2 n - - 0", "the game is over"),
        (MARGIN, "plies give a margin of at least -"),
    ):
        gap = ("--gap", "40") if fen == MARGIN else ()
        result = ringfen("prove", "--problem", fen, "--out", str(path), *gap)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"error: no certificate: {fen} is not a sound problem: ")
        assert why in result.stderr
        assert not path.exists()


def test_a_certificate_of_each_problem(tmp_path: Path) -> None:
    """The reason is given for each position; the exit status is the highest."""
    positions, proofs = tmp_path / "positions.txt", tmp_path / "proofs"
    positions.write_text("\n".join([PROBLEM, COOKED, "gyges", MARGIN]))
    args = ("prove", "--problem", "--file", str(positions), "--out-dir", str(proofs), "--nodes", "5000", "--hash", "1")
    result = ringfen(*args, "--json")
    assert result.exit_code == 3
    assert [row["ok"] for row in json_lines(result)] == [True, False, None, True]
    assert "is not a sound problem: " in json_lines(result)[1]["reason"]
    names = ["000001.cert", "000004.cert"]
    assert sorted(path.name for path in proofs.iterdir()) == names
    positions.write_text("\n".join([PROBLEM, COOKED]))
    result = ringfen(*args, "--resume")
    assert (result.exit_code, result.stdout) == (1, f"{proofs / names[0]}: it exists\n")
    assert result.stderr.startswith(f"error: {positions}:2: no certificate: {COOKED} is not a sound problem: ")


def test_a_certificate_of_the_value_is_none_of_the_problem(tmp_path: Path) -> None:
    for options in ((), ("--problem",)):
        proofs = tmp_path / f"proofs{len(options)}"
        assert ringfen("prove", PROBLEM, "--out-dir", str(proofs), *options).exit_code == 0
        assert ringfen("prove", PROBLEM, "--out-dir", str(proofs), *options, "--resume").exit_code == 0
        others = ("--problem",) if not options else ()
        result = ringfen("prove", PROBLEM, "--out-dir", str(proofs), *others, "--resume")
        assert result.exit_code == 2
        assert "is not a certificate of the " in result.stderr
