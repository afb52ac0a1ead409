"""The results in docs/results/ that can be reproduced in seconds."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ringfen import Position

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
REPRODUCE = runpy.run_path(str(RESULTS / "reproduce.py"))


@pytest.mark.parametrize(("name", "number", "part"), REPRODUCE["PARTS"])
def test_the_smallest_results_can_be_reproduced(name: str, number: int, part: Any) -> None:
    assert REPRODUCE["differences"](part, number) == []


def test_a_wrong_number_is_found(tmp_path: Path) -> None:
    shutil.copytree(RESULTS, tmp_path / "docs" / "results")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    page = tmp_path / "docs" / "results" / "gyges-tables.md"
    page.write_text(page.read_text(encoding="utf-8").replace("| 19,464 |", "| 19,465 |"), encoding="utf-8")
    script = runpy.run_path(str(tmp_path / "docs" / "results" / "reproduce.py"))
    (difference,) = script["differences"](script["gyges_tables"], 38)
    assert "123 | 19,465 |" in difference
    assert "123 | 19,464 |" in difference


def test_setups() -> None:
    setups = runpy.run_path(str(ROOT / "benchmarks" / "gyges_setups.py"))["positions"]()
    assert len(set(setups)) == len(setups) == 4068
    assert "4,068" in (RESULTS / "gyges.md").read_text(encoding="utf-8")
    for text in setups[::400]:
        solution = Position(text).solve(depth=5, hash_mb=1)
        assert (solution.status, solution.decided) == ("unknown", 5)


def test_answers_to_11_plies() -> None:
    """The stored answers are those of the sample."""
    script = runpy.run_path(str(ROOT / "benchmarks" / "gyges_setups.py"))
    lines = (ROOT / "benchmarks" / "data" / "gyges-11-plies.txt").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(f"{fen} unknown 11" for fen in Random(20261128).sample(script["positions"](), 100))


def test_setups_with_one_table(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "gyges_setups.py"))
    answers = tmp_path / "answers.txt"
    # Two are known, one of them with a value that the search would not find; a third is incomplete.
    first, second, third = script["positions"]()[:3]
    known = [f"{first} unknown 3", f"{second} win 2", f"{third} unknown 2"]
    answers.write_text("\n".join(known) + "\n", encoding="utf-8")
    script["main"](3, answers, threads=2, table_mb=1)
    lines = answers.read_text(encoding="utf-8").splitlines()
    assert lines[:3] == known
    assert sorted(line.rsplit(" ", 2)[0] for line in lines) == sorted([third, *script["positions"]()])
    assert {line.rsplit(" ", 2)[1] + line[-2:] for line in lines[3:]} == {"unknown 3"}


#: A row per figure of the endings of The King of Rings: a word, and the number for 4, 6 and 8 free rings.
RINGS = re.findall(
    r"^\| ([a-z][^|]*) \| ([\d.]+)[^|]* \| ([\d.]+)[^|]* \| ([\d.]+)[^|]* \|$",
    (RESULTS / "king-of-rings.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)[-9:]


@pytest.mark.long
@pytest.mark.parametrize(("column", "rings"), [(1, "4"), (2, "6"), (3, "8")])
def test_endings_of_the_king_of_rings(column: int, rings: str, tmp_path: Path) -> None:
    known, zero, endless, decided, behind, ahead, far, far_behind, change = (row[column] for row in RINGS)
    script = ROOT / "benchmarks" / "rings_endings.py"
    command = [sys.executable, str(script), rings, "1000", "1", str(tmp_path / "endings.jsonl")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"1000 endings, {known} solved, {endless} endless, {zero} with margin 0\n" in printed
    assert f"margin is 0: {decided}; it wins {ahead}, the other side {behind}, neither {zero}\n" in printed
    assert f"lead 10 or more: {far}, the other side wins {far_behind}\n" in printed
    assert f"{float(re.findall('mean change of the lead ([0-9.]+)', printed)[0]):.1f}" == change


def page(name: str) -> str:
    """The text of a page of results."""
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def test_sums_of_zugzwangs() -> None:
    _, small, large = page("siaius-zugzwangs").partition("## Checks")[0].split("\n## ")
    totals = []
    for section in (small, large):
        total, sums = re.findall(r"^([\d,]+) mutual and ([\d,]+) half-point", section, re.MULTILINE)[0], [0, 0]
        for full, half in re.findall(
            r"^\| `\w+` \| [\d,]+ \| ([\d,]+) \|[^|]*\|[^|]*\| ([\d,]+) \|", section, re.MULTILINE
        ):
            sums = [sums[0] + int(full.replace(",", "")), sums[1] + int(half.replace(",", ""))]
        assert [f"{one:,}" for one in sums] == list(total)
        totals += total
    assert "on 8×8: {} mutual and {} half-point zugzwangs".format(*totals) in page("paper")
    assert "on 10×10: {} mutual and {} half-point zugzwangs".format(*totals[2:]) in page("paper")


def test_the_paper_agrees_with_the_pages() -> None:
    for name, wins, draws, losses, longest, _, zugzwangs, _ in ENDINGS:
        if name in ("112233", "1112233"):
            counts = (
                f"{wins} won, {losses} lost, {draws} drawn; longest win {longest} plies; {zugzwangs} mutual zugzwangs"
            )
            assert counts in page("paper")
        elif name == "123":
            assert f"{wins} won, {losses} lost, {draws} drawn; longest win {longest} plies" in page("paper")
    ((total, wins, losses),) = re.findall(
        r"^\| `123` \| `123` \| (\S+) \| (\S+) \| \S+ \| (\S+) \|$", page("gyges-tables"), re.MULTILINE
    )
    assert f"the first player wins {wins} of {total} placements, the second {losses}" in page("paper")
    _, zero, endless, known, behind, ahead, *_ = (row[1] for row in RINGS)
    assert (
        f"in {known} the winner is known or the margin is 0; the side that is behind wins {behind} of these, the "
        f"leader {ahead}; {zero} have margin 0, of which {endless} are proven endless"
    ) in page("paper")
    greater = re.findall(r"^\| `maxn` is greater \| (\d+) \|$", page("gran"), re.MULTILINE)[0]
    assert f"exceeds the lower bound of `paranoid` in {greater};" in page("paper")


#: Class, wins, draws, losses, longest win and loss, zugzwangs, and a longest win.
ENDINGS = re.findall(
    r"^\| `(\d+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| (\d+) \| (\d+|–) \| ([\d,]+) \| `(\S+)` \|$",
    (RESULTS / "gyges-tables.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_figures_are_those_of_the_tables() -> None:
    script = runpy.run_path(str(RESULTS / "figures.py"))
    rows = {row[0]: [int(number.replace(",", "")) for number in row[1:4]] for row in ENDINGS}
    for name, (title, heading) in script["FIGURES"].items():
        counts = script["distances"](heading)
        wins, _, losses = rows[name.removeprefix("gyges-").removesuffix(".svg")]
        assert sum(counts[plies] for plies in counts if plies % 2) == wins
        assert sum(counts[plies] for plies in counts if plies % 2 == 0) == losses
        assert (RESULTS / name).read_text(encoding="utf-8") == script["drawing"](title, counts)
