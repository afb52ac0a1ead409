"""The formats of other programs: games go there and back, and damaged text gets diagnostics."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from cli_runner import ringfen

from ringfen.notation import Record, parse_record
from ringfen.notation.formats import READABLE, WRITABLE, games_of, read_format
from ringfen.notation.writing import write_record

pytestmark = pytest.mark.unsanitized  # the readers and writers are written in Python

ROOT = Path(__file__).parents[2]
BOTH = sorted(set(READABLE) & set(WRITABLE))
START = "321123" + "0" * 24 + "321123"


def read(form: str, text: str | bytes, game: str | None = None) -> list[Record]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_format(form, BytesIO(data), "file", game or games_of(form)[0], 1 << 20))


def diagnostics(form: str, text: str | bytes) -> list[str]:
    return [one.one_line() for record in read(form, text) for one in record.diagnostics]


def plies(text: str) -> list[str]:
    return [node.short for node in parse_record(text).mainline()]


def records_of(text: str) -> list[str]:
    return re.split(r"\n\n(?=\[)", text)


@pytest.mark.parametrize("form", READABLE)
def test_bytes_that_are_not_utf_8_have_a_place(form: str) -> None:
    found = diagnostics(form, b"321123 321123\n\xc3\xa9\xe2\x86\x92 a1-\xffb3\n")
    (one,) = (text for text in found if "bad-utf8" in text)
    assert re.match(r"file:2:7: bad-utf8: byte ff in record \d: it is not UTF-8", one)


@pytest.mark.parametrize("form", BOTH)
def test_random_games_there_and_back(form: str) -> None:
    games = ringfen("random", "gyges", "--games", "12", "--max-plies", "90", "--seed", "7").stdout
    there = ringfen("convert", "-", "--to", form, stdin=games)
    tags = "Seed, Ringfen" if form == "abstractplay" else "Event, Round, Seed, Ringfen"
    assert there.exit_code == 0
    assert there.stderr == f"warning: {form} has no place for these: tags {tags} (12 records); they are omitted\n"
    back = ringfen("convert", "-", "--from", form, "--to", "rgn", stdin=there.stdout)
    assert (back.exit_code, back.stderr) == (0, "")
    expected, found = records_of(games), records_of(back.stdout)
    assert len(expected) == len(found) == 12
    for one, other in zip(expected, found, strict=True):
        assert plies(one) == plies(other)
    again = ringfen("convert", "-", "--to", form, stdin=back.stdout)
    assert (again.stdout, again.stderr) == (there.stdout, "")


@pytest.mark.parametrize(
    ("name", "more", "is_noted"),
    [("a.txt", (), True), ("a.jsonl", (), True), ("a.txt", ("-q",), False), ("a.txt", ("--from", "rgn"), False)],
)
def test_a_file_of_another_format_needs_the_option(
    name: str, more: tuple[str, ...], is_noted: bool, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text('{"header": {"game": {"name": "Gyges"}}}\n')
    result = ringfen("convert", str(file), "--to", "rgn", *more)
    formats = "abstractplay, boardspace, gyges-online, plain, ugi"
    note = f"note: if another program wrote the file, choose its format with --from: {formats}\n"
    assert (result.exit_code, result.stderr.endswith(note)) == (1, is_noted)


@pytest.mark.parametrize("form", BOTH)
def test_what_cannot_be_expressed_is_reported(form: str) -> None:
    king = ringfen("new", "gyges", "--goals", "2+1").stdout.strip()
    text = f'[FEN "{king}"]\n\n1. 321123 321123 *\n\n[Game "rings"]\n\n*\n'
    result = ringfen("convert", "-", "--to", form, stdin=text)
    assert (result.exit_code, result.stdout) == (1, "")
    first, second, note = result.stderr.splitlines()
    assert first.startswith("error: <stdin>:1: record 1 is omitted: ")
    assert second == f"error: <stdin>:5: record 2 is omitted: {form} is a format of gyges, not of rings"
    assert note == "note: --to rgn writes every valid record"
    assert note not in ringfen("convert", "-", "--to", form, "-q", stdin=text).stderr


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize(
    ("head", "movetext", "expected"),
    [
        ("", "1. 321123 {a} 321123", ["comments"]),
        ("", "{a} 1. 321123 321123", ["comments"]),
        ("", "1. 321123 321123 2. a1-a4 $1", ["NAGs"]),
        ("", "1. 321123 321123 2. a1-a4 (2. b1-b3)", ["variations"]),
        ("", "1. 321123 321123 2. a1-a4 ({a} 2. b1-b3 $2)", ["comments", "NAGs", "variations"]),
        ("", "1. 321123 321123 2. c1-b1-b3", ["bounces"]),
        ('[Result "0-1"]\n', "1. 321123 321123 2. a1-a4 0-1", ["results of unfinished games"]),
        ('[ECO "x"]\n[Date "2026.??.??"]\n', "1. 321123 321123", ["tags ECO, Date"]),
        ('[Date "2026.11.21"]\n', "1. 321123 321123", ["tags Date"]),
        ('[South "?"]\n[Date "????.??.??"]\n[Round "-"]\n', "1. 321123 321123", []),
        (
            "".join(f'[T{n} "x"]\n' for n in range(9)),
            "1. 321123 321123",
            ["tags T0, T1, T2, T3, T4, T5, T6, T7 and others"],
        ),
    ],
)
def test_omitted_contents_are_counted(form: str, head: str, movetext: str, expected: list[str]) -> None:
    if form == "abstractplay":
        kept = ("bounces", "results of unfinished games", *(["tags Date"] if "11.21" in head else []))
        expected = [kind for kind in expected if kind not in kept]
    text = f'[Game "gyges"]\n{head}\n{movetext}\n\n'
    result = ringfen("convert", "-", "--to", form, stdin=text * 2)
    kinds = ", ".join(f"{kind} (2 records)" for kind in expected)
    words = f"warning: {form} has no place for these: {kinds}; they are omitted\n"
    assert (result.exit_code, result.stderr) == (0, words if expected else "")
    assert ringfen("convert", "-q", "-", "--to", form, stdin=text).stderr == ""


@pytest.mark.parametrize("form", BOTH)
def test_omitted_move_numbers_are_counted(form: str) -> None:
    text = '[FEN "gyges 321123/....../....../....../....../321123 s - 1+1"]\n\n17. a1-a4 *\n'
    result = ringfen("convert", "-", "--to", form, stdin=text)
    assert ("move numbers (1 record)" in result.stderr) == (form != "abstractplay")


@pytest.mark.parametrize("form", READABLE)
@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", bytes(range(256)), b"[" * 5000, b"(" * 5000, b"{" * 5000, b"0" * 5000, b"\xef\xbb\xbf1"]
)
def test_damaged_text_gets_diagnostics(form: str, data: bytes) -> None:
    records = read(form, data)
    assert records
    assert not any(record.valid for record in records)
    assert all(one.line >= 1 and one.column >= 1 for record in records for one in record.diagnostics)


@pytest.mark.parametrize("form", READABLE)
def test_a_game_that_is_too_long(form: str) -> None:
    (record,) = read_format(
        form, BytesIO((b"{" if form == "abstractplay" else b"(") + b"1" * 1000), "file", games_of(form)[0], 100
    )
    assert [one.code for one in record.diagnostics] == ["too-long"]


def test_options() -> None:
    def error(*args: str) -> str:
        result = ringfen("convert", "-", "--to", "rgn", *args, stdin="")
        assert result.exit_code == 2
        return result.stderr

    assert "ugi is a format of gyges, not of rings." in error("--from", "ugi", "--game", "rings")
    assert "--game is only for the formats of other programs" in error("--game", "gyges")
    assert ringfen("convert", "-", "--from", "ugi", "--game", "gyges", "--to", "rgn", stdin="").exit_code == 0


def test_other_outputs() -> None:
    result = ringfen("convert", "-", "--from", "ugi", "--to", "csv", stdin=f"{START} 0|18\n")
    assert result.exit_code == 0
    assert "1. 321123 321123 2. a1-a4 *" in result.stdout
    result = ringfen("convert", "-", "--from", "ugi", "--to", "jsonl", stdin=f"{START} 0|18\n")
    assert '{"ply": "a1-a4"}' in result.stdout


@pytest.mark.parametrize("name", READABLE)
def test_the_example_of_the_page(name: str) -> None:
    page = (ROOT / "docs" / "formats" / f"{name}.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert examples
    for example in examples:
        assert diagnostics(name, example) == []
        assert all(record.plies > 4 for record in read(name, example))
        if name in WRITABLE:
            text = ringfen("convert", "-", "--from", name, "--to", "rgn", stdin=example).stdout
            assert ringfen("convert", "-", "--from", name, "--to", name, stdin=example).exit_code == 0
            assert text


def test_ugi_reads_boards_and_places() -> None:
    (record,) = read("ugi", f"{START}00 0|18 35|34|9\n")
    assert [node.ply for node in record.mainline()] == ["321123", "321123", "a1-a4", "f6xe6-d2"]
    (record,) = read("ugi", "002130/300300/021100/002000/000200/030100 6|13")
    assert "FEN" in record.tags
    assert diagnostics("ugi", f"\n{START} 0|18 1|2\n") == [
        "file:2:43: illegal-ply: 1|2 in record 1, ply 4: the ring on b1 is not on the active rank (North moves rank 6)"
    ]
    assert diagnostics("ugi", f"{START} 0-18")[0].startswith("file:1:38: bad-ply: 0-18 in record 1, ply 3: a move is")
    assert diagnostics("ugi", "1" * 36)[0].startswith("file:1:1: impossible-position: ")
    assert diagnostics("ugi", "12x")[0].startswith("file:1:3: bad-position: x in record 1: ")


def test_ugi_reads_moves_counted_from_the_movers_side() -> None:
    (fixed,) = read("ugi", f"{START} 0|18 35|34|9 1|13 30|31|6")
    (turned,) = read("ugi", f"{START} 0|18 0|1|26 1|13 5|4|29")
    assert fixed.plies == 6
    assert [node.ply for node in turned.mainline()] == [node.ply for node in fixed.mainline()]
    assert diagnostics("ugi", f"{START} 0|18 0|1|26 1|13 30|31|6")[0].startswith("file:1:55: illegal-ply: 30|31|6 in")


def test_gyges_online_reads_what_a_browser_copies() -> None:
    text = "1. P1set 3211234s\n2.\nP2\nset 321123\n12s\n\n3.\nP1\na1 → a4\n—\n4. P2 f6 × e6 → d2 1.5h\n"
    (record,) = read("gyges-online", text)
    assert record.valid
    assert [node.ply for node in record.mainline()] == ["321123", "321123", "a1-a4", "f6xe6-d2"]


def test_gyges_online_starts_and_ends() -> None:
    won, open_game = read("gyges-online", f"{'0' * 12}1{'0' * 23}\n1. P1 a3 → a4\n001000/{'0' * 30}\n1. P2 c1 → P1*\n")[
        ::-1
    ]
    assert won.result == "0-1"
    assert won.begin.player == "n"
    assert open_game.begin.player == "s"
    text = ringfen("convert", "-", "--to", "gyges-online", stdin=str(won)).stdout
    assert read("gyges-online", text) == [won]


def test_gyges_online_lists_without_setups() -> None:
    for text in ("1. P1 a1 → a4\n2. P2 f6 × e6 → d2", "0|18 35|34|9"):
        (record,) = read("gyges-online", text)
        assert [node.ply for node in record.mainline()] == ["321123", "321123", "a1-a4", "f6xe6-d2"]


def test_gyges_online_separates_games() -> None:
    numbered = "1. P1 set 321123\n\n2. P2 set 321123\n"
    assert [record.plies for record in read("gyges-online", numbered * 2)] == [2, 2]
    plain = "3|2|1|1|2|3 3|2|1|1|2|3 0|18\n35|34|9\n\n3|2|1|1|2|3\n"
    assert [record.plies for record in read("gyges-online", plain)] == [4, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. P1 set 321123\n3. P2 set 321123", "file:2:1: bad-format: 3. in record 1, ply 2: expected 2."),
        ("1. P2 set 321123", "file:1:4: bad-format: P2 in record 1, ply 1: it is the turn of P1"),
        ("1. P1 set 321113", "file:1:7: illegal-ply: set 321113 in record 1, ply 1: "),
        ("1. P1 set 321123\n2. P1 a1", "file:2:1: bad-ply: 2. P1 a1 in record 1, ply 2: a ply is written as in 1. P1"),
        ("P1 set 321123\nP2 set 321124", "file:2:4: bad-ply: set 321124 in record 1, ply 2: 321124 contains 4; the"),
        ("P1 set 3211", "file:1:4: bad-ply: set 3211 in record 1, ply 1: expected 6 digits, as in 112233, but"),
        ("P1 a1 \u2192 z9 12s", "file:1:4: bad-ply: a1 \u2192 z9 in record 1, ply 3: z9 in a1-z9 is off the board"),
        ("P1 a1 -> b3  \n", "file:1:1: bad-ply: P1 a1 -> b3 in record 1, ply 1: a ply is written as in"),
        ("é 1. P1 set 321123", "file:1:1: bad-ply: é in record 1, ply 1: "),
    ],
)
def test_gyges_online_places(text: str, expected: str) -> None:
    assert diagnostics("gyges-online", text)[0].startswith(expected)


def abstractplay(moves: Sequence[Sequence[object]], **header: object) -> str:
    players = [{"name": "Ada", "result": 1}, {"name": "Bob", "result": 0}]
    about = {"game": {"name": "Gyges"}, "site": {"name": "Abstract Play"}, "players": players, **header}
    return json.dumps({"header": about, "moves": moves})


SETUPS = ["3a2,2b2,1c2,1d2,2e2,3f2", "3a7,2b7,1c7,1d7,2e7,3f7"]


def test_abstractplay_reads_tags_moves_and_results() -> None:
    text = abstractplay(
        [["3F2, 2e2,1d2,1c2,2b2,3a2", {"move": SETUPS[1], "result": "x"}], ["a2-a5", "f7-e7(d3)"], ["resign"]],
        **{"date-start": "2026-11-21T10:00:00.000Z", "event": "Cup"},
    )
    (record,) = read("abstractplay", text)
    assert record.valid
    assert [node.ply for node in record.mainline()] == ["321123", "321123", "a1-a4", "f6xe6-d2"]
    assert record.tags == {
        "Game": "gyges",
        "Event": "Cup",
        "Site": "Abstract Play",
        "Date": "2026.11.21",
        "South": "Ada",
        "North": "Bob",
        "Result": "1-0",
    }
    written = ringfen("convert", "-", "--to", "abstractplay", stdin=str(record)).stdout
    assert json.loads(written)["moves"] == [SETUPS, ["a2-a5", "f7-e7(d3)"], ["resign"]]
    assert read("abstractplay", written) == [record]


@pytest.mark.parametrize("ending", ["draw", "abandoned"])
def test_abstractplay_games_without_a_winner(ending: str) -> None:
    players = [{"name": "?", "result": 1}, {"name": "?", "result": 1}]
    (record,) = read("abstractplay", abstractplay([SETUPS, [ending]], players=players))
    assert record.result == {"draw": "1/2-1/2", "abandoned": "*"}[ending]


def test_abstractplay_names_bounces() -> None:
    text = '[Game "gyges"]\n\n1. 231123 232311 2. c1xa1-f3 f6-e6xd6-f6 *\n'
    written = ringfen("convert", "-", "--to", "abstractplay", stdin=text).stdout
    assert '["c2-b2-a2(f4)", "f7-e7-d7(f7)"]' in written
    (record,) = read("abstractplay", written)
    assert [node.ply for node in record.mainline()][2:] == ["c1-b1xa1-f3", "f6-e6xd6-f6"]


@pytest.mark.parametrize("text", ["[]", "[]\n", " [\n]\n[]\n"])
def test_abstractplay_without_a_game(text: str) -> None:
    (record,) = read("abstractplay", text)
    (found,) = record.diagnostics
    assert (found.code, found.line, found.column, found.reason) == ("bad-format", 1, 1, "the file has no game")


def test_abstractplay_array_that_is_not_closed() -> None:
    *_, record = read("abstractplay", f"[{abstractplay([SETUPS])},\n")
    assert [(found.line, found.reason) for found in record.diagnostics] == [(2, "the array of records is not closed")]


def test_abstractplay_continues_after_a_broken_record() -> None:
    good = abstractplay([SETUPS])
    assert [record.valid for record in read("abstractplay", f"[{good}, {good}]")] == [True, True]
    assert [record.valid for record in read("abstractplay", f"[{good}, {good}")] == [True, True, False]
    broken = f"{good}\n{good[:-30]}\n{good}\n{good.replace('f7', 'f')}\nx\n{good}"
    assert [record.valid for record in read("abstractplay", broken)] == [True, False, True, False, False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (abstractplay([SETUPS, ["a2-a6"]]), "a2-a6 in record 1, ply 3: the 3-ring on a1 has no path to a5"),
        (abstractplay([SETUPS, ["a1-a4"]]), "bad-ply: a1-a4 in record 1, ply 3: a move is written as in"),
        (abstractplay([SETUPS, ["-".join(["a2"] * 999)]]), "… in record 1, ply 3: a move is written as in"),
        (abstractplay([SETUPS[::-1]]), "bad-ply: 3a7,2b7,1c7,1d7,2e7,3f7 in record 1, ply 1: a setup puts one ring"),
        (abstractplay([["3a2,2b2"]]), "bad-ply: 3a2,2b2 in record 1, ply 1: a setup puts one ring"),
        (abstractplay([SETUPS, ["resign", "a2-a5"]]), "bad-format: a2-a5 in record 1: nothing follows resign"),
        (abstractplay([SETUPS], game={"name": "Chess"}), 'bad-format: "Chess" in record 1: the game in the header'),
        (abstractplay([["a", "b", "c"]]), 'bad-format: "c" in record 1: round 1 of moves has 3 moves'),
        (abstractplay([SETUPS, [7]]), "bad-format: { in record 1: round 2 of moves has an entry that is not a move"),
        (abstractplay([SETUPS], site="x"), 'bad-format: "x" in record 1: site in the header is not an object'),
        (abstractplay([SETUPS], site={"name": {}}), "bad-format: { in record 1: name in the header is not a text"),
        (abstractplay([SETUPS], event=True), "bad-format: { in record 1: event in the header is not a text"),
        (abstractplay([SETUPS], round=1.5), "bad-format: { in record 1: round in the header is not a text"),
        (abstractplay([SETUPS], **{"date-start": "x"}), 'bad-format: "x" in record 1: date-start in the header is not'),
        (abstractplay([SETUPS], startingPosition="a"), 'bad-format: "a" in record 1: Gyges has no startingPosition'),
        ('{"header": {}, "header": 1}', 'bad-format: " in record 1: not JSON: the name is given twice'),
        ("[1, 2]", "bad-ply: 1, in record 1, ply 1: a move is written as"),
        ("{}", "bad-format: { in record 1: a record is an object"),
        ("{" * 10, "bad-format: { in record 1: not JSON: expected a text in quotes"),
        ('{"a": ' * 101, "bad-format: { in record 1: not JSON: brackets are nested more than 100 deep"),
    ],
)
def test_abstractplay_errors(text: str, expected: str) -> None:
    assert expected in diagnostics("abstractplay", text)[0]


@pytest.mark.parametrize(("form", "game"), [(form, game) for form in READABLE for game in games_of(form)])
@pytest.mark.parametrize("text", ["[]", " [[[]]]", "[\n,]\n", ",", "''", "--\n", "|", ";", "{}", "()", "\x00"])
def test_a_text_without_a_game_is_an_error(form: str, game: str, text: str) -> None:
    record, *_ = read(form, text, game)
    assert not record.valid
    assert not list(read(form, " \n \n", game))


def test_abstractplay_reads_lists_of_moves() -> None:
    one, two, three, four = read(
        "abstractplay", "\n".join([*SETUPS, "a2-a5", "", *SETUPS, "resign", " ", "draw", "", "x"])
    )
    assert [node.ply for node in one.mainline()] == ["321123", "321123", "a1-a4"]
    assert (one.result, two.result, three.result) == ("*", "0-1", "1/2-1/2")
    assert four.diagnostics[0].one_line().startswith("file:11:1: bad-ply: x in record 4, ply 1: ")


def test_abstractplay_places() -> None:
    text = abstractplay([SETUPS, ["a2-a6"]]).replace('"moves"', '\n "moves"')
    column = text.splitlines()[1].index("a2-a6") + 1
    assert diagnostics("abstractplay", f" \n{text}")[0].startswith(f"file:3:{column}: illegal-ply: ")


def boardspace(*steps: str, head: str = "SU[gyges-advanced 1]", first: int = 0) -> str:
    """A game file: ``steps`` follow the setups, each with the number of its player, as in ``0 Pickb A 6``."""
    setups = [f"{first} Start P{first}"]
    for player in (first, 1 - first):
        places = zip((4, 2, 0, 1, 3, 5), "ABCDEF", strict=True)
        rank = 1 if player else 6
        setups += [f"{player} OnBoard {'FS'[player]} {place} {file} {rank}" for place, file in places]
        setups.append(f"{player} Done")
    nodes = (f"; P{step[0]}[{number} {step[2:]}]\n" for number, step in enumerate([*setups, *steps]))
    return f'(;\nGM[Gyges]VV[1]\n{head}\nP0[id "ada"]\nP1[id "bob"]\n{"".join(nodes)})\n'


@pytest.mark.parametrize(
    ("steps", "plies"),
    [
        (["0 Pickb F 6", "0 Dropb F 3", "0 Done"], ["a1-a4"]),
        (["0 Pickb F 6", "0 Dropb F 6", "0 Pickb F 6", "0 Dropb F 3", "0 Done"], ["a1-a4"]),
        (["0 Pickb F 6", "0 Dropb E 4", "0 Pickb E 4", "0 Dropb F 3", "0 Done"], ["a1-a4"]),
        (["0 Move F 6 F 3", "0 Done", "1 Move A 1 B 1", "1 Dropb_R C 5", "1 Done"], ["a1-a4", "f6xe6-d2"]),
        (["0 Move F 6 F 3", "0 Done", "1 Resign", "1 Done"], ["a1-a4"]),
        (["0 Move F 6 F 3", "0 Done", "1 Resign", "1 Resign"], ["a1-a4"]),
        (["0 Pickb D 6", "0 Dropb E 6", "0 Dropb E 4", "0 Done"], ["c1-b1-b3"]),
        (["0 Pickb D 6", "0 Dropb E 6", "0 Dropb E 6", "0 Dropb D 6", "0 Done"], ["c1xb1-c1"]),
        (
            ["0 Move F 6 E 6", "0 Dropb_R D 2", "0 Done", "1 Move E 1 E 1", "1 Done"],
            ["a1xb1-c5", "b6-b6"],
        ),
    ],
)
def test_boardspace_steps(steps: list[str], plies: list[str]) -> None:
    (record,) = read("boardspace", boardspace(*steps))
    assert [one.one_line() for one in record.diagnostics] == []
    assert [node.ply for node in record.mainline()] == ["321123", "321123", *plies]
    assert (record.tags["South"], record.tags["North"]) == ("ada", "bob")
    assert record.result == ("1-0" if steps[-1] == "1 Done" and "1 Resign" in steps else "*")


def test_boardspace_board_is_not_rotated_if_the_player_at_the_bottom_begins() -> None:
    (record,) = read("boardspace", boardspace("1 Pickb A 1", "1 Dropb A 4", "1 Done", first=1))
    assert [node.ply for node in record.mainline()] == ["321123", "321123", "a1-a4"]
    assert record.tags["South"] == "bob"


def test_boardspace_setup_by_hand() -> None:
    steps = ["Pick F 4", "Drop F 4", "Pick F 5", "Dropb A 6", "Pickb A 6", "Dropb B 6", "Pick F 4", "Dropb A 6"]
    steps += [
        step for place, file in zip("0123", "CDEF", strict=True) for step in (f"Pick F {place}", f"Dropb {file} 6")
    ]
    nodes = "".join(f";P0[{step}]" for step in ["Start P0", *steps, "Done"])
    (record,) = read("boardspace", f"(;GM[Gyges]{nodes})")
    assert [node.ply for node in record.mainline()] == ["221133"]


def test_boardspace_goals_draws_and_time() -> None:
    moves = ["0 Move F 6 F 3", "0 Done"]
    (drawn,) = read(
        "boardspace", boardspace(*moves, head="RE[Game over: a draw]DT[Sat Nov 21 18:00:00 CET 2026]GN[GY-1]")
    )
    assert (drawn.result, drawn.tags["Date"], drawn.tags["GameId"]) == ("1/2-1/2", "2026.11.21", "GY-1")
    (late,) = read("boardspace", boardspace(*moves, "1 Pickb A 1", "0 WinOnTime"))
    assert (late.result, late.plies) == ("1-0", 3)
    assert "illegal-ply: 14 Move F 6 G 1" not in diagnostics("boardspace", boardspace("0 Move F 6 G 1"))[0]
    assert "has no path to N" in diagnostics("boardspace", boardspace("0 Move F 6 G 1", "0 Done"))[0]
    assert "own throne, S" in diagnostics("boardspace", boardspace("0 Move F 6 G 0", "0 Done"))[0]


def test_boardspace_comments() -> None:
    game = boardspace("0 Pickb F 6", "0 Dropb F 3", "0 Done", head="C[ before\n play]")
    game = game.replace("Dropb F 3]", "Dropb F 3]C[a \\] b}]").replace("17 Done]", "17 Done]C[c]C[ ]")
    (record,) = read("boardspace", game)
    assert record.comments == ["before play"]
    assert [node.comments for node in record.mainline()] == [[], [], ["a ] b}", "c"]]
    assert record.diagnostics == []
    back = parse_record(write_record(record))
    assert back == record


def test_boardspace_variations_and_further_games() -> None:
    game = boardspace("0 Move F 6 F 3", "0 Done")
    with_variations = game[:-2] + "(;P1[Resign])(;C[a \\] (;b] (;P1[Edit]))\n)\n"
    records = read("boardspace", game + with_variations)
    assert [record.plies for record in records] == [3, 3]
    (warning,) = [one.one_line() for one in records[1].diagnostics]
    words = "only the first line of play is read, other variations are omitted (warning)"
    assert warning == f"file:46:14: omitted: ( in record 2: {words}"
    assert records[1].result == "1-0"
    assert [(record.valid, record.is_complete) for record in records] == [(True, True)] * 2
    records = read("boardspace", game + game[:-2] + game + "x" + game)
    assert [record.valid for record in records] == [True, False, True, False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (boardspace("1 Pickb A 1"), "bad-format: 15 Pickb A 1 in record 1: it is the turn of P0"),
        (boardspace("0 Pickb F 6"), "bad-format: 15 Pickb F 6 in record 1: the game ends within a turn"),
        (boardspace("0 Pickb F 6", "0 Done"), "bad-format: 16 Done in record 1: the move is not complete"),
        (boardspace("0 Dropb F 6"), "bad-format: 15 Dropb F 6 in record 1: no ring is picked up"),
        (boardspace("0 Pick F 0"), "bad-format: 15 Pick F 0 in record 1: the rings are set up"),
        (boardspace("0 Pickb G 6"), "bad-format: 15 Pickb G 6 in record 1: a square is written as A 1"),
        (boardspace("0 Edit"), "bad-format: 15 Edit in record 1: this step is not one of a game"),
        (boardspace("0 Move F 6 F 2", "0 Done"), "illegal-ply: 15 Move F 6 F 2 in record 1, ply 3: the 3-ring on a1"),
        (boardspace(head="SU[chess 1]"), "bad-format: chess 1 in record 1: the property SU does not begin with"),
        ("(;GM[Chess])", "bad-format: Chess in record 1: the property GM is not Gyges"),
        ("(;GM[Gyges];P0[Start P0];P0[Pick S 1])", "bad-format: Pick S 1 in record 1: the rack of this player"),
        ("(;GM[Gyges];P0[Done])", "bad-format: Done in record 1: the setup does not fill"),
        ("(;GM[Gyges", "bad-format: [ in record 1: not SGF: expected (;"),
        ("(;GM[Gyges]", "bad-format: ] in record 1: the game ends before its closing parenthesis"),
        ("()", "bad-format: ) in record 1: the game ends before"),
        ("[x]", "bad-format: [ in record 1: not SGF: expected (;"),
    ],
)
def test_boardspace_errors(text: str, expected: str) -> None:
    assert expected in diagnostics("boardspace", text)[0]


def test_files_are_read_like_other_records(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_bytes(gzip.compress(f"{START} 0|18\n{START} 9|9\n".encode()))
    (tmp_path / "utf16.txt").write_bytes("1. P1 set 321123\n2. P2 set 321123\n3. P1 a1 → a4\n".encode("utf-16"))
    out = tmp_path / "out.rgn"
    result = ringfen("convert", str(tmp_path / "games.txt"), "--from", "ugi", "--to", "rgn", "-o", str(out))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{tmp_path / 'games.txt'}:2:38: illegal-ply: 9|9 in record 2, ply 3: ")
    omitted = f"error: {tmp_path / 'games.txt'}:2: record 2 is omitted: it is invalid"
    assert result.stderr.splitlines()[1:] == [f"  {START} 9|9", " " * 39 + "^~~", omitted]
    assert plies(out.read_text()) == ["321123", "321123", "a1-a4"]
    args = ("--from", "gyges-online", "--to", "rgn", "--encoding", "utf-16")
    assert plies(ringfen("convert", str(tmp_path / "utf16.txt"), *args).stdout) == ["321123", "321123", "a1-a4"]
    missing = ringfen("convert", str(tmp_path / "none"), str(tmp_path / "games.txt"), "--from", "ugi", "--to", "jsonl")
    assert missing.exit_code == 2
    assert len(missing.stdout.splitlines()) == 1


@pytest.mark.parametrize("form", ["ugi", "gyges-online", "abstractplay", "jsonl"])
def test_files_with_byte_order_marks_may_follow_each_other(form: str) -> None:
    game = '[Game "gyges"]\n[Result "*"]\n\n1. 321123 321123 2. a1-b3 c6-c5 *\n'
    text = ringfen("convert", "-", "--to", form, stdin=game).stdout
    from_form = [] if form == "jsonl" else ["--from", form]
    twice = ringfen("convert", "-", *from_form, "--to", "rgn", stdin=f"\ufeff{text}\n\ufeff\ufeff{text}")
    assert (twice.exit_code, twice.stderr) == (0, "")
    assert twice.stdout.count("2. a1-b3 c6-c5 *\n") == 2
