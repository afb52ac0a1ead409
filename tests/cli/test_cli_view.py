"""``view`` and what notebooks show, without a browser; tests/browser looks at the page itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from cli_runner import ringfen
from records_common import page_of

from ringfen import Position, Solution, game_ids
from ringfen.notation import Record, random_game, read_records, viewing

pytestmark = pytest.mark.unsanitized  # pages are written in Python

GAME = (
    '[Game "gyges"]\n[South "</script><script>x"]\n\n'
    "1. 321123 321123 {[%value s 5] [%mark 4] <!-- {} (1... 321132) *\n\n"
    '[Game "gyges"]\n\n1. a1-a2 *\n\n[Event "?"]\n\n1. a1-a2 *\n'
)


class Parts(HTMLParser):
    """The tags of a page, and the contents of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attrs = self.tags[-1] if self.tags else ("", {})
        if tag in ("script", "style") and data.strip():
            self.texts.append((tag, attrs, data))


def records_of(page: str) -> list[dict[str, Any]]:
    return [json.loads(text) for _, attrs, text in Parts(page).texts if attrs.get("class") == "record"]


def test_view_writes_one_page_that_needs_nothing(tmp_path: Path) -> None:
    source, out = tmp_path / "games.rgn", tmp_path / "games.html"
    source.write_text(GAME, encoding="utf-8")
    result = ringfen("view", str(source), "--out", str(out))
    note = "note: 2 records are invalid; the page shows the errors\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", note)
    assert ringfen("view", str(source), "--out", str(out), "-q").stderr == ""
    page = out.read_text(encoding="utf-8")
    parts = Parts(page)
    for tag, attrs in parts.tags:
        assert tag not in ("link", "img", "iframe", "object", "base")
        assert not {"src", "href", "style", "srcdoc"} & set(attrs)
        assert not [name for name in attrs if name.startswith("on")]
    assert "<title>games.rgn</title>" in page
    records = records_of(page)
    assert [[problem["severity"] for problem in record["problems"]].count("error") for record in records] == [0, 1, 1]
    assert records[0]["tags"][1] == ["South", "</script><script>x"]
    assert records[2]["board"] == -1


def test_the_policy_names_the_one_script_and_the_one_style(tmp_path: Path) -> None:
    page = page_of([random_game("gyges", 1, plies=3)], "x")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    run = [(tag, text) for tag, attrs, text in Parts(page).texts if attrs.get("type") != "application/json"]
    assert [tag for tag, _ in run] == ["style", "script"]
    for tag, text in run:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'; ")


def test_things_come_and_go_as_the_positions_say() -> None:
    games = [random_game(game_id, 3, plies=25) for game_id in game_ids()]
    page = page_of(games, "x")
    shapes = page.partition('<template id="shapes"><svg>')[2].partition("</svg></template>")[0]
    groups = re.findall(r"<g><g>(.*?)</g>(?:<g>(.*?)</g>)?</g>", shapes.replace("<g transform", "<i transform"))
    for game, record in zip(games, records_of(page), strict=True):
        standing = set(record["start"])
        for node, token in zip(game.mainline(), (t for t in record["tokens"] if isinstance(t, list)), strict=True):
            assert set(token[3]) <= standing
            assert not set(token[4]) & standing
            standing = standing - set(token[3]) | set(token[4])
            for side in "sn":
                svg = node.position.svg(side=side, last=node.before.path_of(node.ply))
                there = [groups[one][side == "n"] or groups[one][0] for one in standing]
                assert sum(one.count("<circle") for one in there) == svg.count("<circle")
                assert all(one in svg for one in there)
            assert token[6] == node.position.fen
            assert record["words"][token[5][0]] == f"Last ply: {node.ply}"


def test_values_become_curves(tmp_path: Path) -> None:
    source = tmp_path / "games.rgn"
    source.write_text(
        '[Game "rings"]\n\n1. a1-a2 {[%value >=-2] [%value <=4]} a7-a6 {[%value -7] bad} 2. b2-a1 {[%value ?]} *\n\n'
        '[Game "gyges"]\n\n1. 321123 {[%value n 4]} 321123 {[%value draw]} 2. a1-b3 {[%value s]} *\n',
        encoding="utf-8",
    )
    page = page_of(read_records(source), "x")
    values = [[token[7] for token in record["tokens"] if isinstance(token, list)] for record in records_of(page)]
    assert values == [
        [["South's margin is >=-2 and <=4", [1.0]], ["South's margin is -7", [-7.0]], None],
        [["North wins in 4 plies", [-1.0]], ["a draw", [0.0]], ["South wins", [1.0]]],
    ]
    assert [token for token in records_of(page)[0]["tokens"] if isinstance(token, str)] == ["bad"]


@pytest.mark.parametrize("value", ["", " ", "1/3 1/3", "1/3 1/0 1/3", "1/2 1/2 maxn 8", "s 3", "x"])
@pytest.mark.parametrize(("game", "ply"), [("gran", "g3-e3"), ("gyges", "321123"), ("rings", "a1-a2")])
def test_unreadable_values_have_no_curve(game: str, ply: str, value: str) -> None:
    (record,) = read_records(text=f'[Game "{game}"]\n\n1. {ply} {{[%value {value}]}} *\n')
    (data,) = records_of(page_of([record], "x"))
    assert data["tokens"][0][7] == (["South wins in 3 plies", [1.0]] if value == "s 3" and game != "gran" else None)
    assert "<iframe" in record._repr_html_()


def test_usage_errors(tmp_path: Path) -> None:
    source = tmp_path / "games.rgn"
    source.write_text(GAME, encoding="utf-8")
    assert ringfen("view", str(source), "--out", "-", "--open").exit_code == 2
    assert ringfen("view", str(source), "--out", str(source)).exit_code == 2
    assert source.read_text(encoding="utf-8") == GAME
    assert ringfen("view", str(tmp_path / "gone.rgn"), "--out", "-").exit_code == 2
    result = ringfen("view", "-", "--out", "-", stdin="")
    assert (result.exit_code, "<title>records</title>" in result.stdout) == (0, True)
    strange = tmp_path / "A & <B>"
    strange.write_text(GAME, encoding="utf-8")
    assert "<title>A &amp; &lt;B&gt;</title>" in ringfen("view", str(strange), "--out", "-").stdout


def test_notebooks_show_records_nodes_and_solutions() -> None:
    record = Record.new("gyges", South='"><b>')
    node = record.play("321123")
    assert node._repr_svg_() == node.position.svg(last="321123")
    (frame,) = [attrs for tag, attrs in Parts(record._repr_html_()).tags if tag == "iframe"]
    page = viewing.Page("Record", playable=False)
    page.add(record)
    assert frame["srcdoc"] == page.html()
    assert frame["sandbox"] == "allow-scripts"
    solution = Position("siaius 1c1/3/C2 s - - 0 huff=off").solve()
    html = solution._repr_html_()
    assert html.startswith("<div><svg ")
    assert f"<td>{solution.value}</td>" in html
    lost = Solution("gran x board=<b>", "gran", "bound", lower=1, upper=None, note="a & b")
    assert "<svg" not in lost._repr_html_()
    assert "&lt;b&gt;" in lost._repr_html_()
    assert "<td>+1 to ?</td>" in lost._repr_html_()


@pytest.mark.parametrize(("things", "source"), [("records", GAME), ("positions", "gyges\nrings\ngran\n")])
def test_a_page_has_a_limit(things: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").write_text(source, encoding="utf-8")
    out = tmp_path / "out.html"
    monkeypatch.setattr(viewing, "MOST", 3)
    assert ringfen("view", str(tmp_path / "in"), "--out", str(out)).exit_code == 0
    out.unlink()
    monkeypatch.setattr(viewing, "MOST", 2)
    for name in ("add", "add_position"):  # the input is counted before anything is drawn
        monkeypatch.setattr(viewing.Page, name, None)
    result = ringfen("view", str(tmp_path / "in"), "--out", str(out))
    assert (result.exit_code, result.stdout, result.stderr) == (
        2,
        "",
        f"error: a page has at most 2 {things}: choose some, for example with filter\n",
    )
    assert not out.exists()


def diagrams_of(page: str) -> list[dict[str, Any]]:
    (data,) = (json.loads(text) for _, attrs, text in Parts(page).texts if attrs.get("id") == "data")
    diagrams: list[dict[str, Any]] = data["diagrams"]
    return diagrams


def test_positions_and_answers_become_a_sheet(tmp_path: Path) -> None:
    positions, answers = tmp_path / "positions.txt", tmp_path / "answers.jsonl"
    small = Position("siaius 1c1/3/C2 s - - 0 huff=off")
    positions.write_text(f"# a comment\n\ngyges # the start\n{small.fen}\nrings x\n", encoding="utf-8")
    result = ringfen("view", str(positions))
    assert (result.exit_code, "positions.txt:5:7: " in result.stderr) == (2, True)
    assert diagrams_of(result.stdout) == [
        {"number": 3, "fen": Position("gyges").fen, "solution": None},
        {"number": 4, "fen": small.fen, "solution": None},
    ]
    assert records_of(result.stdout) == []
    positions.write_text(f"{small.fen}\n", encoding="utf-8")
    assert ringfen("solve", "--file", str(positions), "--out", str(answers)).exit_code == 0
    with answers.open("a", encoding="utf-8") as file:
        file.write("[]\n")
    result = ringfen("view", str(answers), str(positions))
    assert (result.exit_code, result.stderr) == (2, f"error: line 2 of {answers} is not an answer\n")
    (row, plain) = diagrams_of(result.stdout)
    assert (row["number"], row["fen"], row["solution"]["value"]) == (1, small.fen, "draw")
    assert row["solution"]["pv"] == list(Solution.from_json(row["solution"]).pv) != []
    assert plain == {"number": 1, "fen": small.fen, "solution": None}
    source = tmp_path / "games.rgn"
    source.write_text(GAME, encoding="utf-8")
    assert "not both" in ringfen("view", str(answers), str(source)).stderr


def test_records_that_are_all_problems_become_a_sheet(tmp_path: Path) -> None:
    problem = '[FEN "siaius 3t/M3/S3/4 s - - 0"]\n[Stipulation "{}"]\n\n1. a3-b4 *\n\n'
    source = tmp_path / "problems.rgn"
    source.write_text(problem.format("win in 2") + problem.format("</script><b>"), encoding="utf-8")
    page = ringfen("view", str(source)).stdout
    assert diagrams_of(page) == [
        {"number": number, "fen": "siaius 3t/M3/S3/4 s - - 0", "record": number, "stipulation": words}
        for number, words in enumerate(["win in 2", "</script><b>"], 1)
    ]
    assert len(records_of(page)) == 2
    with source.open("a", encoding="utf-8") as file:
        file.write('[Game "gyges"]\n\n*\n')
    page = ringfen("view", str(source)).stdout
    assert (diagrams_of(page), len(records_of(page))) == ([], 3)
    (record, *_) = read_records(source)
    assert "Stipulation" in record.tags
    assert "&quot;diagrams&quot;:[]" in record._repr_html_(), "a notebook shows the record"


def test_the_help_gives_the_limit_of_a_page() -> None:
    assert f"at most {viewing.MOST:,} records" in " ".join(ringfen("view", "--help").stdout.split())


def test_without_files_the_page_is_an_empty_board() -> None:
    result = ringfen("view")
    assert (result.exit_code, result.stderr) == (0, "")
    assert records_of(result.stdout) == []
    (core,) = (json.loads(text) for _, attrs, text in Parts(result.stdout).texts if attrs.get("id") == "core")
    assert [game["id"] for game in core["games"]] == list(game_ids())


def test_open_writes_a_cache_file_and_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def keep(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", keep)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path)
    assert ringfen("view", "--open").exit_code == 0
    assert opened == [(tmp_path / "page.html").as_uri()]
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    source, out = tmp_path / "games.rgn", tmp_path / "games.html"
    source.write_text(GAME, encoding="utf-8")
    assert ringfen("view", str(source), "--out", str(out), "--open").exit_code == 0
    assert opened[1:] == [out.as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert ringfen("view", "--open").stderr == f"note: no browser was found; open {(tmp_path / 'page.html').as_uri()}\n"


def test_json_lines_of_problems_become_a_sheet(tmp_path: Path) -> None:
    lines = tmp_path / "problems.jsonl"
    found = ringfen("problems", "-", "--length", "2", "--json", stdin="siaius 3t/M3/S3/4 s - - 0\n").stdout
    lines.write_text(
        found
        + '{"fen": "gyges", "stipulation": "win in 2", "tries": null}\n'
        + '{"fen": 3, "stipulation": ""}\n{"fen": "rings"}\n'
    )
    result = ringfen("view", str(lines))
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f'error: {lines}:3: "fen" is not a text',
        f'error: {lines}:4: the problem has no "stipulation"',
    ]
    first, second = diagrams_of(result.stdout)
    assert (first["stipulation"], first["record"], second["fen"]) == ("win in 2", 1, Position("gyges").fen)
    solved, bare = (record["text"] for record in records_of(result.stdout))
    assert solved.endswith("\n\n1. a3-b4 $1 b4xd4 1-0\n\n")
    assert '[Key "a3-b4"]' in solved
    assert bare.endswith("\n\n*\n\n")
    assert '[Tries "?"]' in bare
