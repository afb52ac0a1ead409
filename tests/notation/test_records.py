"""Records: reading, the tree, numbers and results, the canonical text."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from known_data import rows
from records_common import GOLDEN, GOOD, HEAD, ROOT, SET_UP, WIN, codes, found, gyges, read

from ringfen import Position, game_ids
from ringfen.notation import CODES, Record, check_records, json_line, parse_record, read_records, write_record
from ringfen.notation.diagnostics import Places
from ringfen.notation.splitting import split_records

# ---- the example ----


def test_the_game_of_2001() -> None:
    (record,) = read_records(ROOT / "examples" / "gyges-2001.rgn")
    assert record.valid
    assert record.diagnostics == []
    assert record.result == "0-1"
    assert record.outcome is None
    assert record.plies == 12
    last = record.main.nodes[-1]
    assert (last.ply, last.short, last.number, last.opens) == ("e6-e3xf3-d3", "e6xf3-d3", 6, False)
    assert last.comments == ["South resigns"]
    (variation,) = last.variations
    assert [node.ply for node in variation.nodes][-1] == "d6-d5-e3-f3-S"
    position = (
        Position("gyges").play([node.ply for node in record.mainline()][:-1]).play(node.ply for node in variation.nodes)
    )
    assert position.outcome == "n"


def test_golden_text() -> None:
    text = (GOLDEN / "gyges.rgn").read_text(encoding="utf-8")
    (record,) = read_records(ROOT / "examples" / "gyges-2001.rgn")
    assert write_record(record) == text
    assert write_record(parse_record(text)) == text


def test_the_example_of_the_notation_page() -> None:
    page = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"## Records\n\n```\n(.*?)```", page, re.DOTALL)
    record = parse_record(text)
    assert codes(record) == []
    assert write_record(record) == text + "\n"


# ---- malformed records ----

MALFORMED = rows("data/malformed_records.jsonl")


def errors(records: list[Any]) -> list[list[Any]]:
    return [[one.code, one.line, one.column, one.ply] for each in records for one in each.diagnostics if one.is_error]


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["name"])
def test_malformed_record(row: dict[str, Any]) -> None:
    raw = row["text"].encode(row.get("encoding", "utf-8"))
    assert errors(list(check_records(io.BytesIO(raw)))) == row["errors"]
    assert errors(read(raw)) == row["errors"]


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["name"])
def test_a_malformed_record_does_not_harm_the_next(row: dict[str, Any]) -> None:
    raw = row["text"].encode(row.get("encoding", "utf-8")) + b"\n" + GOOD.encode()
    *before, last = read(raw)
    assert errors(before) == row["errors"]
    assert found(last) == []
    assert last == parse_record(GOOD)


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["name"])
def test_a_diagnostic_reads_well(row: dict[str, Any]) -> None:
    raw = row["text"].encode(row.get("encoding", "utf-8"))
    for record in read(raw):
        for one in record.diagnostics:
            first, source, caret = one.text().split("\n")
            assert re.fullmatch(r"test\.rgn:\d+:\d+: [a-z0-9-]+: .*in record 1(, ply \d+)?: .+", first)
            assert first.isprintable()
            assert source.isprintable()
            assert re.fullmatch(r" *\^~*", caret)
            assert len(caret) <= max(len(source), 3)


def test_the_form_of_a_diagnostic() -> None:
    record = gyges("1. 321123 321123 2. a1-b2 *")
    assert [one.text() for one in record.diagnostics] == [
        "<text>:8:21: illegal-ply: a1-b2 in record 1, ply 3: the 3-ring on a1 has no path to b2; "
        "if 1. 321123 were 231123 or 312123, the rest would be legal\n"
        "  1. 321123 321123 2. a1-b2 *\n"
        "                      ^~~~~"
    ]


def test_long_lines_are_clipped() -> None:
    record = gyges("{" + "x " * 500 + "} 1. 321123 zz {" + "y " * 500 + "} *")
    (one,) = record.diagnostics
    assert (one.line, one.column) == (8, 1014)
    _, source, caret = one.text().split("\n")
    assert len(source) < 130
    assert source[caret.index("^")] == "z"


# ---- codes ----


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_every_code_is_documented(severity: str) -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    table = page.partition(f"| {severity}s of | codes |\n")[2].partition("\n\n")[0]
    documented = re.findall(r"`([a-z][a-z0-9-]*)`", table)
    assert sorted(documented) == sorted(code for code, (kind, _) in CODES.items() if kind == severity)


def test_every_code_in_the_sources_exists() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "core_c/src/records").glob("*.[ch]")]
    sources += [path.read_text(encoding="utf-8") for path in (ROOT / "notation").rglob("*.py")]
    calls = r'diagnose(?:_error)?\(s, "([a-z0-9-]+)"|_(?:tag_)?error\(\s*"([a-z0-9-]+)"'
    calls += r'|Tag(?:Problem|Error)\("([a-z0-9-]+)"'
    calls += r'|builder\.error\(\s*"([a-z0-9-]+)"|code = "([a-z0-9-]+)"|"([a-z0-9-]+)" if isinstance'
    calls += r'|Diagnostic\(\s*"([a-z0-9-]+)"'
    used = {code for source in sources for groups in re.findall(calls, source) for code in groups if code}
    used |= set(re.findall(r'else "(bad-position)"', "".join(sources)))
    used |= {key for name in game_ids() for key in _warnings_of(name)}
    assert used == set(CODES)


def _warnings_of(game: str) -> list[str]:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "core_c/src" / game).rglob("*.c"))
    return re.findall(r'warning = [^;]*"([a-z-]+)"', sources)


# ---- splitting ----


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, random: Random) -> None:
        self._data = data
        self._at = 0
        self._random = random

    def read(self, size: int = -1) -> bytes:
        size = min(size, self._random.choice((1, 1, 2, 7, 60)))
        piece = self._data[self._at : self._at + size]
        self._at += len(piece)
        return piece


@pytest.mark.parametrize("seed", range(5))
def test_chunks_make_no_difference(seed: int) -> None:
    texts = [row["text"].removeprefix("\ufeff").encode(row.get("encoding", "utf-8")) for row in MALFORMED]
    data = b"\xef\xbb\xbf" + b"\n".join(texts)
    whole = list(split_records(io.BytesIO(data)))
    assert list(split_records(Dribble(data, Random(seed)))) == whole  # type: ignore[arg-type]


def test_records_without_a_blank_line_between() -> None:
    records = read(GOOD + GOOD + GOOD)
    assert [(record.line, record.valid) for record in records] == [(1, True), (9, True), (17, True)]


def test_records_with_only_tags() -> None:
    records = read('[Game "gyges"]\n[Event "1"]\n\n[Game "gyges"]\n[Event "2"]\n')
    assert [record.tags["Event"] for record in records] == ["1", "2"]
    assert all(record.valid for record in records)


def test_blank_lines_in_movetext_end_nothing() -> None:
    (record,) = read(HEAD + "1. 321123\n\n\n321123\n \t\n *")
    assert (record.plies, codes(record)) == (2, [])


def test_braces_in_tags_open_no_comment() -> None:
    records = read('[Game "gyges"]\n[Event "{"]\n[Site "\\"{;"]\n\n*\n' + GOOD)
    assert [record.valid for record in records] == [True, True]


def test_a_comment_may_hold_what_looks_like_a_tag() -> None:
    (record,) = read(HEAD + '1. 321123 {see\n[Game "x"] or\n\n[this] and\n\n [Game "y"]} 321123 *')
    assert codes(record) == []
    assert record.main.nodes[0].comments == ['see [Game "x"] or [this] and [Game "y"]']


def test_a_line_comment_hides_braces() -> None:
    records = read(HEAD + "1. 321123 ; {\n321123 *\n" + GOOD)
    assert [record.valid for record in records] == [True, True]


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n", "\ufeff", "% only\n% this\n", "\ufeff%\r\r"])
def test_no_records(text: str) -> None:
    assert read(text) == []


def test_a_record_above_the_limit() -> None:
    long = HEAD + "1. 321123 {" + "x" * 3000 + "\n" * 50 + "} 321123 *\n"
    records = read(GOOD + long + GOOD, max_record=1000)
    assert [codes(record) for record in records] == [[], ["too-long"], []]
    assert [record.line for record in records] == [1, 9, 17 + 50]
    assert found(records[1]) == [("too-long", 9, 1)]


def test_the_limit_is_exact() -> None:
    size = len(GOOD)
    assert codes(read(GOOD, max_record=size)[0]) == []
    assert codes(read(GOOD, max_record=size - 1)[0]) == ["too-long"]


def test_memory_does_not_grow_with_the_file() -> None:
    import tracemalloc

    class Endless(io.RawIOBase):
        """Megabytes of records, made when they are read."""

        def __init__(self, megabytes: int) -> None:
            self.left = megabytes << 20

        def read(self, size: int = -1) -> bytes:
            record = GOOD.replace("c6", "{" + 2000 * "long " + "} c6").encode()
            data = record * (min(size, self.left) // len(record))
            self.left -= len(data)
            return data

    def peak(megabytes: int) -> int:
        tracemalloc.start()
        for report in check_records(Endless(megabytes)):  # type: ignore[arg-type]
            assert report.valid
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert peak(1) == pytest.approx(peak(3), rel=0.2)


# ---- tags ----


def test_tags_in_canonical_order() -> None:
    text = (
        '[Zeta "1"]\n[FEN "gyges  321123/....../....../....../....../321123\t s - 1+1"]\n[Result "*"]\n[North "n"]\n'
        '[Round "3"]\n[Alpha "2"]\n[Game "gyges"]\n[South "s"]\n[Player1 "no player here"]\n'
        '[Date "1998"]\n[Event "e"]\n\n*\n'
    )
    record = parse_record(text)
    assert codes(record) == []
    head = write_record(record).partition("\n\n")[0]
    assert head.splitlines() == [
        '[Game "gyges"]',
        '[Event "e"]',
        '[Date "1998"]',
        '[Round "3"]',
        '[South "s"]',
        '[North "n"]',
        '[Result "*"]',
        f'[FEN "{SET_UP}"]',
        '[Zeta "1"]',
        '[Alpha "2"]',
        '[Player1 "no player here"]',
    ]


def test_escapes_in_tags() -> None:
    record = gyges("*", Site=r"a \"b\" c:\\d")
    assert record.tags["Site"] == 'a "b" c:\\d'
    assert '[Site "a \\"b\\" c:\\\\d"]\n' in write_record(record)


def test_tags_laid_out_freely() -> None:
    record = parse_record(
        '% x\n  [ Game\t"gyges" ] [Event"e"]\n[Date "?"] [South ""]\n[North "x"][Result "*"] 1. 321123 *'
    )
    assert codes(record) == []
    assert list(record.tags) == ["Game", "Event", "Date", "South", "North", "Result"]
    assert record.plies == 1


def test_game_may_be_missing_with_a_position() -> None:
    record = parse_record(HEAD.replace('[Game "gyges"]', f'[FEN "{SET_UP}"]') + "1. a1-b3 *")
    assert codes(record) == []
    assert record.game is not None
    assert record.game.id == "gyges"
    assert "Game" not in write_record(record)


def test_usual_tags_that_are_absent() -> None:
    record = parse_record('[Game "gyges"]\n\n*')
    assert [(one.code, one.severity, one.line, one.column) for one in record.diagnostics] == [
        ("missing-tag", "warning", 1, 1)
    ]
    assert record.diagnostics[0].reason == "usual tags are absent: Event, Date, South, North, Result"
    assert record.valid


# ---- comments, NAGs, variations ----


def test_comments_are_kept_where_they_stand() -> None:
    record = gyges(
        "{start} 1. 321123 {a}{b} ( {before} 1. 123321 {in} ) {after} ;line\n 321123 ; end } here\n * {last}"
    )
    assert codes(record) == []
    first, second = record.main.nodes
    assert record.main.comments == ["start"]
    assert first.comments == ["a", "b"]
    assert first.variations[0].comments == ["before"]
    assert first.variations[0].nodes[0].comments == ["in"]
    assert first.variations[0].after == ["after", "line"]
    assert second.comments == ["end } here", "last"]
    assert write_record(record).partition("\n\n")[2] == (
        "{start} 1. 321123 {a} {b} ({before} 1. 123321 {in}) {after} {line} 1... 321123\n; end } here\n{last} *\n\n"
    )


def test_blanks_in_comments() -> None:
    record = gyges("1. 321123 { \t a\r\n\n b  c\n} {} {\n} *")
    assert record.main.nodes[0].comments == ["a b c", "", ""]
    assert "{a b c} {} {} *" in write_record(record)


def test_skipped_lines() -> None:
    record = gyges("1. 321123 {a\n% } no\nb} \n% 999. junk\n321123 %not-skipped\n *")
    assert record.main.nodes[0].comments == ["a b"]
    assert found(record) == [("bad-ply", 12, 8)]


def test_no_line_of_a_comment_begins_with_a_percent_sign() -> None:
    for length in range(60, 80):
        record = gyges("1. 321123 {" + "x" * length + " %y %z " + "v " * 40 + "} *")
        text = write_record(record)
        assert parse_record(text) == record
        assert not re.search(r"^%", text, re.MULTILINE)


@pytest.mark.parametrize("comment", ["a ( %% and )", "( %", "( ( %x", "%( %", "( %" + "x" * 90 + " % (", "(", ") %)"])
def test_words_of_comments_that_look_like_signs_are_kept(comment: str) -> None:
    for text in (
        f"1. 321123 {{{comment}}} *",
        f"1. 321123 ({{{comment}}} 1. 123321) *",
        f"{{{comment}}} 1. 321123 *",
    ):
        record = gyges(text)
        again = parse_record(write_record(record))
        assert again == record
        assert comment in [
            *again.main.comments,
            *again.main.nodes[0].comments,
            *(found for line in again.main.nodes[0].variations for found in line.comments),
        ]


def test_lines_have_79_columns() -> None:
    words = " ".join("word" * (i % 7 + 1) for i in range(300))
    record = gyges(f"1. 321123 {{{words}}} (1. 123321 {{{words}}}) 321123 *")
    lines = write_record(record).splitlines()[8:]
    assert max(map(len, lines)) <= 79
    for line, after in pairwise(lines):
        assert not after or len(line) + 1 + len(after.split(" ")[0]) > 79


def test_nags_and_suffixes() -> None:
    record = gyges("1. 321123! $0 ?! {c} $255 (1. 123321!?) !! 321123 ?? *")
    assert codes(record) == []
    assert [node.nags for node in record.main.nodes] == [[1, 0, 6, 255, 3], [4]]
    assert "1. 321123 $1 $0 $6 $255 $3 {c} (1. 123321 $5) 1... 321123 $4 *" in write_record(record)


def test_a_variation_in_the_middle_of_a_turn() -> None:
    start = Position("siaius t9/8S1/10/10/10/10/10/10/9m/10 s - - 0")
    text = f'[FEN "{start.fen}"]\n\n1. i9-i10 (1. i9-j10 1... j10-j9) 1... stay (1... i10-h9) *'
    record = parse_record(text)
    assert record.valid, [one.text() for one in record.diagnostics]
    assert [node.ply for node in record.main.nodes[1].variations[0].nodes] == ["i10-h9"]
    assert "wrong-number" not in codes(record)


@pytest.mark.parametrize("before", range(4))
def test_a_variation_instead_of_a_ply_that_is_illegal(before: int) -> None:
    """It begins where the ply would have been played."""
    position, words = Position("gyges"), []
    for number in range(before):
        ply = position.plies()[0]
        position = position.apply(ply)
        words.append(f"{1 + number // 2}{'...' if number % 2 else '.'} {ply}")
    instead = position.plies()[0]
    number_text = f"{1 + before // 2}{'...' if before % 2 else '.'}"
    for variation, wrong in ((instead, 1), ("c3-c4", 2)):
        text = f"{HEAD}{' '.join(words)} {number_text} c3-c4 ({number_text} {variation}) *\n"
        assert codes(parse_record(text)) == ["illegal-ply"] * wrong, text


def test_deep_variations() -> None:
    depth = 10_000
    text = HEAD + "1. 321123 " + "(1. 321123 " * depth + ")" * depth + " 321123 *\n"
    record = parse_record(text)
    assert codes(record) == []
    again = parse_record(write_record(record))
    assert again == record
    assert json_line(again) == json_line(record)
    line, level = record.main, 0
    while line.nodes[0].variations:
        line, level = line.nodes[0].variations[0], level + 1
    assert level == depth


def test_unbalanced_parentheses_in_masses() -> None:
    for movetext in ("(" * 100_000, ")" * 30_000, "1. 321123 " + "(" * 30_000 + " *", "1. 321123 (" * 30_000):
        record = gyges(movetext)
        assert not record.valid
        assert len(record.diagnostics) <= 203


def test_the_unread_rest_of_a_record_with_many_bad_tags_is_reported() -> None:
    record = gyges("[\n" * 5 + "1. 321123 *").diagnostics
    assert not any(one.code == "not-shown" for one in record)
    record = parse_record(HEAD.replace("\n\n", "\n" + "[\n" * 500 + "\n") + "1. 321123 *").diagnostics
    assert [one.code for one in record] == ["bad-tag"] * 100 + ["not-shown"]
    assert record[-1].reason == "text after the first 100 bad tags is not read"


def test_a_long_game() -> None:
    rounds = 50_000
    start = "siaius 9c/10/10/10/10/10/10/10/10/C9 s - - 0"
    record = parse_record(f'[FEN "{start}"]\n\n' + "a1-a2 j10-j9 a2-a1 j9-j10 " * (rounds // 2) + "*")
    assert record.valid
    assert record.plies == 2 * rounds
    assert record.main.nodes[-1].number == rounds
    assert parse_record(write_record(record)) == record


# ---- numbers ----


@pytest.mark.parametrize(
    ("movetext", "expected"),
    [
        ("1. 321123 321123 2. a1-b3 2... c6-c5 3. b1-c2 *", []),
        ("1.321123 1...321123 2.a1-b3 2...c6-c5 *", []),
        ("1. 321123 321123 3. a1-b3 *", [("wrong-number", 8, 18)]),
        ("1. 321123 2. 321123 *", [("wrong-number", 8, 11)]),
        ("1. 321123 1. 321123 *", [("wrong-number", 8, 11)]),
        ("1... 321123 *", [("wrong-number", 8, 1)]),
        ("2. 321123 *", [("wrong-number", 8, 1)]),
        ("321123 321123 a1-b3 *", [("missing-number", 8, 1)]),
        ("1. 321123 321123 a1-b3 c6-c5 b1-c2 *", [("missing-number", 8, 18)]),
        ("1. 321123 (1. 123321 123321 3. a1-a2) 321123 *", [("wrong-number", 8, 29)]),
        ("1. 321123 (2. 123321) 321123 *", [("wrong-number", 8, 12)]),
        ("1. 321123 321123 2. *", [("stray-number", 8, 18)]),
        ("1. 1. 321123 *", [("stray-number", 8, 1)]),
        ("1. 321123 (1. 123321 1...) 321123 *", [("stray-number", 8, 22)]),
        ("1. 321123 1... {comment} (1. 123321) 321123 *", []),
    ],
)
def test_numbers(movetext: str, expected: list[tuple[str, int, int]]) -> None:
    record = gyges(movetext)
    assert found(record) == expected
    assert record.valid


def test_numbers_after_a_mistake_have_their_plies() -> None:
    record = gyges("1. 321124 321123 2. a1-b3 (2. a1-a9 3. x) c6-c5 3. a1-b3 *")
    assert found(record) == [("bad-ply", 8, 4)]
    record = gyges("1. 321124 321123 2. *")
    assert found(record) == [("bad-ply", 8, 4), ("stray-number", 8, 18)]


def test_numbers_after_a_position() -> None:
    north = Position(SET_UP).apply("a1-b3")
    record = parse_record(HEAD.replace('[Game "gyges"]', f'[FEN "{north.fen}"]') + "7... c6-c5 8. b1-c2 *")
    assert codes(record) == []
    assert record.first_number == 7
    assert write_record(record).endswith("\n7... c6-c5 8. b1-c2 *\n\n")
    assert json.loads(json_line(record))["first_number"] == 7


def test_the_greatest_number() -> None:
    north = Position(SET_UP).apply("a1-b3")
    record = parse_record(HEAD.replace('[Game "gyges"]', f'[FEN "{north.fen}"]') + "999999999... c6-c5 *")
    assert codes(record) == []
    assert record.first_number == 999_999_999


def test_a_first_number_that_comes_late() -> None:
    record = parse_record(
        HEAD.replace('[Game "gyges"]', f'[FEN "{SET_UP}"]') + "a1-b3 (b1-c2 5... c6-c5) c6-c5 6. b1-c2 *"
    )
    assert codes(record) == ["missing-number"]
    assert record.first_number == 5
    assert "\n5. a1-b3 (5. b1-c2 c6-c5) 5... c6-c5 6. b1-c2 *\n" in write_record(record)


def test_a_round_begins_with_putting_back_by_south() -> None:
    start = Position("gyges 32112./....../....../....../....../321123 s 3 3+2")
    record = parse_record(f'[FEN "{start.fen}"]\n\n1. =f5 1... a1-b3 a6-b4 2. b1-c2 *')
    assert codes(record) == ["missing-tag"]
    assert "\n1. =f5 a1-b3 a6-b4 2. b1-c2 *\n" in write_record(record)


# ---- results ----


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
def test_an_unfinished_game_may_have_any_result(result: str) -> None:
    record = parse_record(HEAD.replace("*", result) + f"1. 321123 {result}")
    assert codes(record) == []
    assert record.result == result
    assert record.outcome is None


def test_a_finished_game_decides() -> None:
    head = HEAD.replace('[Game "gyges"]', f'[FEN "{WIN}"]')
    good = parse_record(head.replace('"*"', '"1-0"') + "1. d2-N 1-0")
    assert (codes(good), good.outcome, good.result) == ([], "s", "1-0")
    star = parse_record(head + "1. d2-N *")
    assert found(star) == [("result-mismatch", 6, 10), ("result-mismatch", 8, 9)]
    assert [one.suggest for one in star.diagnostics] == [("1-0",), ("1-0",)]
    silent = parse_record(head.replace('[Result "*"]\n', "") + "1. d2-N")
    assert codes(silent) == ["missing-tag", "missing-result"]
    assert silent.result == "1-0"


def test_a_missing_result() -> None:
    record = parse_record(HEAD.replace('"*"', '"0-1"') + "1. 321123 \n\n")
    assert found(record) == [("missing-result", 8, 9)]
    assert record.result == "0-1"
    assert parse_record(write_record(record)) == record


# ---- a null move, GRAN ----


def test_a_null_move_is_a_warning() -> None:
    record = gyges("1. 221313 123231 2. e1xc1-d2 f6-f6 *")
    assert found(record) == [("null-move", 8, 30)]
    assert record.diagnostics[0].one_line() == (
        "<text>:8:30: null-move: f6-f6 in record 1, ply 4: the ring is moved back to where it was (warning)"
    )
    assert record.valid
    before = Position("gyges").play(["221313", "123231", "e1xc1-d2"])
    assert record.diagnostics[0].position == before


def test_players_of_gran() -> None:
    def gran(players: int) -> Record:
        names = "".join(f'[Player{number} "x"]\n' for number in range(1, players + 1))
        result = "-".join(["1"] + ["0"] * (max(players, 3) - 1))
        return parse_record(f'[Game "gran"]\n[Event ""]\n[Date ""]\n{names}[Result "{result}"]\n\n1. g3-g4 {result}')

    for players in range(3, 7):
        record = gran(players)
        assert codes(record) == []
        assert record.start is not None
        assert record.start.players == players
    assert codes(gran(0)) == ["missing-tag"]


def test_lines_and_columns_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places far apart and backwards, in text that may be broken, against counting from the start each time."""
    monkeypatch.setattr("ringfen.notation.diagnostics._BETWEEN_MARKS", 8)
    pieces = [
        b"a",
        b"xyz",
        b"\n",
        b"\r",
        b"\r\n",
        "ä€😀".encode(),
        b"\x80" * 5,
        b"\xe2\x82",
        b"\xf0\x9f",
        b"\xed\xa0\x80",
    ]
    random = Random(3)
    for _ in range(500):
        data = b"x" + b"".join(random.choice(pieces) for _ in range(40))
        places = Places(data, 7)
        for _ in range(10):
            before = data[: random.randrange(len(data))]
            ends = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
            line = re.split(rb"[\r\n]", before)[-1].decode(errors="replace")
            assert places.line_and_column(len(before)) == (7 + ends, 1 + len(line))


RECORD = f"{HEAD}1. 321123 321123 *\n"


def test_a_record_may_begin_within_a_line() -> None:
    records = read((RECORD.rstrip("\n") + "\n".join((RECORD, RECORD))).encode())
    assert [record.valid for record in records] == [True, True, True]
    assert [[(one.code, one.line, one.column) for one in record.diagnostics] for record in records] == [
        [],
        [("missing-line-end", 8, 19)],
        [],
    ]
    broken = read((RECORD.rstrip("\n") + "  " + RECORD.replace("321123 *", "zz *")).encode())
    assert [record.valid for record in broken] == [True, False]
    assert [(one.code, one.line, one.column) for one in broken[1].diagnostics] == [
        ("missing-line-end", 8, 21),
        ("bad-ply", 15, 11),
    ]


@pytest.mark.parametrize("text", ['{[Game "gyges"]}', '; [Game "gyges"]\n', "{[%x y]}"])
def test_no_record_begins_within_a_comment(text: str) -> None:
    assert len(read(RECORD.replace(" *\n", f" {text} *\n").encode())) == 1


def test_a_line_may_begin_with_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + RECORD.encode()
    within = RECORD.replace("\n[", "\n\ufeff[").replace("\n1.", "\n\ufeff1.").replace(" 321123 *", "\n\ufeff321123 *")
    skipped = f"\ufeff% a\n{RECORD}".replace(" *\n", " {a\n\ufeff% }\n\ufeffb} *\n")
    records = read(data + data + within.encode() + skipped.encode())
    assert [one.one_line() for record in records for one in record.diagnostics] == []
    assert len(records) == 4
    assert records[3].main.nodes[-1].comments == ["a b"]
    (wrong,) = read(RECORD.replace("321123 *", "\n\ufeffzz *").encode())
    assert [(one.code, one.line, one.column) for one in wrong.diagnostics] == [("bad-ply", 9, 1)]


@pytest.mark.parametrize(
    "before", ["{about this file}\n\n", "{about\nthis file}", "; about this file\n", "% x\n{about this file} "]
)
def test_a_comment_before_the_first_tags_belongs_to_the_record(before: str) -> None:
    (record,) = read((before + RECORD).encode())
    assert record.diagnostics == []
    assert record.main.comments == ["about this file"]
    text = write_record(record)
    assert text.endswith("\n\n{about this file} 1. 321123 321123 *\n\n")
    assert parse_record(text) == record


def test_other_text_before_the_first_tags_is_a_record() -> None:
    for before in ("{never closed\n\n", "hello\n\n", "{a} b\n\n"):
        assert [record.valid for record in read((before + RECORD).encode())] == [False, True]


def test_the_count_of_rounds_can_be_written_and_read() -> None:
    text = '[FEN "gyges 321123/....../....../....../....../321123 s - 1+1"]\n\n{}. a1-b3 c6-c5 b1-c2 *\n'
    record = parse_record(text.replace("{}", "999999999"))
    assert record.valid
    again = parse_record(write_record(record))
    assert again == record
    assert "1000000000. b1-c2" in write_record(again)
    for wrong in ("1000000000", "4294967295", "99999999999999999999"):
        assert [one.code for one in parse_record(text.replace("{}", wrong)).diagnostics if one.is_error] == [
            "bad-number"
        ]
