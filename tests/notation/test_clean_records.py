"""Passing over clean records in the C core gives what reading each record gives, byte for byte."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from cli_runner import json_lines, ringfen
from known_data import rows
from record_maker import RecordMaker
from records_common import GOOD

from ringfen import Position, game_ids
from ringfen.cli.record_files import diagnostic_text, warning_texts, with_advice
from ringfen.errors import RecordError
from ringfen.notation import (
    Record,
    Report,
    bulk_check,
    json_line,
    parallel_check,
    parse_record,
    splitting,
    write_record,
)
from ringfen.notation.bulk_check import JSON, SHORT, TEXT, CleanRecords
from ringfen.notation.random_play import random_game
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.tags import read_tags, texts_of_tags

#: Everything reported about a record: number, line, game, plies, outcome, complete diagnostics.
Found = tuple[int, int | None, str | None, int, object, list[Any]]


def found_one_by_one(data: bytes, max_record: int) -> list[Found]:
    reader = RecordReader("x.rgn")
    reports = map(reader.check, splitting.split_records(io.BytesIO(data), max_record))
    return [
        (one.number, one.line, one.game.id if one.game else None, one.plies, one.outcome, one.diagnostics)
        for one in reports
    ]


def found_in_bulk(data: bytes, max_record: int, jobs: int = 1) -> Iterator[Found]:
    reader, number = RecordReader("x.rgn"), 0
    reader.jobs = jobs
    for raw in reader.bulk_checked(io.BytesIO(data), max_record, each=True):
        if isinstance(raw, CleanRecords):
            assert raw.passed == len(raw.records) > 0
            assert raw.plies == sum(record.plies for record in raw.records)
            for record in raw.records:
                number += 1
                yield (number, None, record.game.id, record.plies, record.outcome, [])
        else:
            number += 1
            one = reader.check(raw)
            yield (one.number, one.line, one.game.id if one.game else None, one.plies, one.outcome, one.diagnostics)


#: What commands show of a record: start, plies, outcome, result, validity, codes, texts of the diagnostics.
Shown = tuple[Position | None, int, object, str, bool, list[str], list[str]]


def shown(report: Report) -> Shown:
    codes = list(dict.fromkeys(one.code for one in report.diagnostics))
    texts = [diagnostic_text(one) for one in report.diagnostics]
    return report.start, report.plies, report.outcome, report.result, report.valid, codes, texts


def shown_one_by_one(data: bytes, max_record: int) -> list[Shown]:
    reader = RecordReader("x.rgn")
    return [shown(reader.check(raw)) for raw in splitting.split_records(io.BytesIO(data), max_record)]


def shown_in_bulk(data: bytes, max_record: int, jobs: int = 1) -> tuple[list[Shown], int]:
    """Return the same of records of which those with warnings pass too, and the number of warnings of these."""
    reader, found = RecordReader("x.rgn"), list[Shown]()
    reader.jobs = jobs
    texts = located_texts(data, max_record, jobs)
    for raw in reader.bulk_checked(io.BytesIO(data), max_record, each=True, keep=True, last=True, locate=True):
        if isinstance(raw, CleanRecords):
            assert len(raw.records) == len(raw.ends) == len(raw.last) == raw.passed
            assert b"".join(raw.texts()) == raw.text
            for one, text, last in zip(raw.records, raw.texts(), raw.last, strict=True):
                start = parse_record(text.decode()).start
                assert start is not None
                assert (one.game, one.like.context.board) == (start.game, start.context.board)
                assert last.outcome == one.outcome or b"[%position" in text
                found.append((start, one.plies, one.outcome, one.result, True, list(one.codes), texts[len(found)]))
        else:
            assert not texts[len(found)]
            found.append(shown(reader.check(raw)))
    return found, sum(map(len, texts))


def located_texts(data: bytes, max_record: int, jobs: int) -> list[list[str]]:
    """Return the texts of the warnings that the core locates, for each record."""
    reader, found = RecordReader("x.rgn"), list[list[str]]()
    reader.jobs = jobs
    for raw in reader.bulk_checked(io.BytesIO(data), max_record, each=False, locate=True):
        if isinstance(raw, CleanRecords):
            texts = iter(warning_texts("x.rgn", len(found), raw))
            its_warnings = [[one for one in raw.warnings if one.record == index] for index in range(raw.passed)]
            found += [[next(texts) for _ in warnings] for warnings in its_warnings]
        else:
            reader.check(raw)  # The reader learns the starts of its game.
            found.append([])
    return found


def compare(data: bytes, max_record: int = splitting.MAX_RECORD) -> tuple[int, int]:
    """Compare all ways, also with threads; return how many records have no diagnostics and how many are passed over."""
    expected, expected_shown = found_one_by_one(data, max_record), shown_one_by_one(data, max_record)
    for block in (100, 5000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parallel_check, "_BLOCK", block)
            patch.setattr(splitting, "CHUNK", block)
            _compare(expected, list(found_in_bulk(data, max_record, jobs=3)))
            assert shown_in_bulk(data, max_record, jobs=3)[0] == expected_shown
    assert shown_in_bulk(data, max_record)[0] == expected_shown
    return _compare(expected, list(found_in_bulk(data, max_record)))


def _compare(expected: Sequence[Found], bulk: Sequence[Found]) -> tuple[int, int]:
    passed_over = [one[1] is None for one in bulk]
    for number, (one, other) in enumerate(zip(expected, bulk, strict=True)):
        assert other == ((one[0], None, *one[2:]) if passed_over[number] else one)
    return sum(not one[-1] for one in expected), sum(passed_over)


# ---- records ----


def games(random: Random, count: int) -> list[str]:
    """Records of random games, most of them cut short."""
    records: list[str] = []
    for _ in range(count):
        game = random.choice(game_ids())
        start = Position(game) if game != "gran" else _gran_start(random)
        plies = random.choice((0, 1, 5, 20, 60)) if game != "rings" or random.random() < 0.5 else 400
        records.append(write_record(random_game(start, random.randrange(2**32), plies=plies)))
    return records


def _gran_start(random: Random) -> Position:
    from ringfen.rules import game_by_id

    return Position(game_by_id("gran").start(players=str(random.choice((3, 4, 6)))))


def _line(text: str, random: Random) -> int:
    """Where some line begins."""
    return random.choice([0, *(found.end() for found in re.finditer("\n", text))])


def _byte_changed(text: str, random: Random) -> str:
    at = random.randrange(len(text))
    return text[:at] + random.choice('10x-ab(){};$!?%*.:\n "\\[]é') + text[at + random.choice((0, 1)) :]


def _line_dropped(text: str, random: Random) -> str:
    at = _line(text, random)
    return text[:at] + text[at:].partition("\n")[2]


def _line_doubled(text: str, random: Random) -> str:
    at = _line(text, random)
    return text[:at] + text[at:].partition("\n")[0] + "\n" + text[at:]


def _line_added(text: str, random: Random) -> str:
    lines = (
        '[Zed "é ⇒ 𝔸"]', '[Zed "\\""]', '[Player3 "?"]', '[Player9 "?"]', '[Result "*"]', '[Result "1-0-0"]',
        "% skipped", "", " ", "; x", "{ a [ b }", "{ }}", "(a1-b2)", '[Zed ""] [Yes "1"]', "[Zed]", '  [Zed " "]',
        '[Game "gyges"]', " " * 4100 + '[Zed "x"]', '[FEN "rings"]',
        '[FEN "gyges 321123/....../....../....../....../321123 s - 1+1"]',
    )  # fmt: skip
    at = _line(text, random)
    return text[:at] + random.choice(lines) + "\n" + text[at:]


def _results_changed(text: str, random: Random) -> str:
    results = ("1-0", "0-1", "1/2-1/2", "*", "0-1-0", "0-0-1", "1-0-0", "0-0-0", "1-1-0", "")
    both = random.choice(results)
    changed = random.choice((lambda _: random.choice(results), lambda _: both))
    return re.sub(r"(?<=\[Result \")[^\"]*|\S+\s*\Z", changed, text)


def _other_line_ends(text: str, random: Random) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r")))


def _tags_in_other_order(text: str, random: Random) -> str:
    tags, blank, rest = text.partition("\n\n")
    lines = tags.split("\n")
    random.shuffle(lines)
    return "\n".join(lines) + blank + rest


def _cut(text: str, random: Random) -> str:
    return text[: random.randrange(len(text))]


DAMAGE: tuple[Callable[[str, Random], str], ...] = (
    _byte_changed,
    _byte_changed,
    _line_dropped,
    _line_doubled,
    _line_added,
    _line_added,
    _results_changed,
    _other_line_ends,
    _tags_in_other_order,
    _cut,
)


def stream(random: Random, records: list[str], count: int) -> bytes:
    """This many records, clean and damaged, as one file."""
    made: list[bytes] = []
    for _ in range(count):
        text = random.choice(records)
        for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
            text = random.choice(DAMAGE)(text, random) or "\n"
        data = text.encode()
        if random.random() < 0.05:
            at = random.randrange(len(data))
            wrong = (
                b"\xff",
                b"\xc0\xaf",
                b"\xe0\x80\x80",
                b"\xed\xa0\x80",
                b"\xf4\x90\x80\x80",
                b"\xc3",
                b"\xf0\x9f\x98",
            )
            data = data[:at] + random.choice(wrong) + data[at:]
        made.append(data)
    return random.choice((b"", b"\xef\xbb\xbf")) + b"\n".join(made)


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    records = games(random, 30)
    monkeypatch.setattr(splitting, "CHUNK", (1 << 18, 4096, 500, 1 << 16)[seed])
    clean, passed_over = compare(stream(random, records, 450), (64 << 20, 64 << 20, 1200, 5000)[seed])
    assert passed_over > 100
    assert passed_over > 0.7 * clean or seed == 2


def test_random_games_are_passed_over() -> None:
    """All except the first of each usual start, from which the reader learns it, and the last of the file."""
    for game in ("rings", "siaius", "gran"):
        records = [write_record(random_game(game, seed, plies=60)) for seed in range(20)]
        clean, passed_over = compare("\n".join(records).encode())
        assert (clean, passed_over) == (20, 20)


@pytest.mark.parametrize("date", ["1998.05.31", "????.??.??", "2000.12.??", "?", "1998.06.30"])
def test_records_with_usual_dates_are_passed_over(date: str) -> None:
    assert passed_over_with(date) == (4, 4)


@pytest.mark.parametrize("date", ["2000.02.29", "19?8.05.01", "1998.05", "1998", "0000.??.??", ""])
def test_records_with_rare_dates_are_read(date: str) -> None:
    assert passed_over_with(date) == (3 if date == "0000.??.??" else 4, 3)


@pytest.mark.parametrize(
    "date",
    [
        "12.3.1998",
        "Frühjahr 1998",
        "1998.06.31",
        "1998.02.29",
        "1998.13.01",
        "1998.00.01",
        "1998-05-01",
        "1998.5.01",
        "199.05.011",
        "1998.05.0",
        "1998.0?.0:",
        "/998.05.01",
        "٢٠٠١",
        "1998.05.32",
        "2001.??.3?.",
        r"\"98.05.01",
    ],
)
def test_records_with_dates_of_another_form_are_read(date: str) -> None:
    assert passed_over_with(date) == (3, 3)


def passed_over_with(date: str) -> tuple[int, int]:
    """How many records of four have no diagnostics, and how many are passed over; the last but one has this date."""
    assert '[Date "?"]' in GOOD
    record = GOOD.replace('"?"]\n[South', f'"{date}"]\n[South')
    assert record != GOOD or date == "?"
    return compare(f"{GOOD}\n{GOOD}\n{record}\n{GOOD}".encode())


#: Those that no record before them can take in, since they begin with tags.
MALFORMED = [row for row in rows("data/malformed_records.jsonl") if row["text"].startswith("[Game")]


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["name"])
def test_no_malformed_record_is_passed_over(row: dict[str, Any]) -> None:
    good = GOOD.encode() + b"\n"
    data = 3 * good + row["text"].encode(row.get("encoding", "utf-8")) + b"\n" + good
    assert compare(data)[1] == 4
    read = [one for found in found_in_bulk(data, splitting.MAX_RECORD) for one in found[-1] if one.is_error]
    assert [one.code for one in read] == [error[0] for error in row["errors"]]


def test_validate_prints_the_same_for_records_passed_over(tmp_path: Path) -> None:
    random = Random(9)
    data = stream(random, games(random, 20), 120)
    (tmp_path / "a.rgn").write_bytes(data)
    expected = found_one_by_one(data, splitting.MAX_RECORD)
    printed = json_lines(ringfen("validate", "--json", str(tmp_path / "a.rgn")))
    for one, line in zip(expected, printed, strict=True):
        number, _, game, plies, outcome, diagnostics = one
        assert (line["record"], line["game"], line["plies"], line["outcome"]) == (number, game, plies, outcome)
        assert line["valid"] is not any(found.is_error for found in diagnostics)
        assert line["diagnostics"] == json.loads(json.dumps([with_advice(found).to_json() for found in diagnostics]))
    text = ringfen("validate", str(tmp_path / "a.rgn")).stdout
    assert f"{len(expected)} records, {sum(one[3] for one in expected):,} plies" in text


# ---- warnings ----


def _without(pattern: str) -> Callable[[str, str], str]:
    return lambda text, _: re.sub(pattern, "", text, count=1, flags=re.MULTILINE)


#: How a record of any game gets each warning; the second argument is its start position. Only Gygès has null
#: moves.
WARNED: Final[dict[str, Callable[[str, str], str]]] = {
    "wrong-number": lambda text, _: re.sub(r"\b2\.", "7.", text, count=1),
    "missing-number": _without(r"\b2\. "),
    "stray-number": lambda text, _: re.sub(r"(?=\S+\n*\Z)", "2. 3. ", text, count=1),
    "missing-line-end": lambda text, _: text.rstrip("\n"),
    "missing-tag": _without(r"^\[Event .*\n"),
    "bad-date": lambda text, _: re.sub(r'(?<=Date ")[^"]*', "1.2.3", text),
    "missing-result": _without(r"\S+(?=\n*\Z)"),
    "gap": lambda text, start: re.sub(r"(?=\S+\n*\Z)", f"{{[%position {start}]}} ", text, count=1),
    "null-move": lambda _, start: write_record(random_game(start, 1, plies=100)),
    "not-shown": lambda text, _: re.sub(r"(?=\S+\n*\Z)", "2. " * 110, text, count=1),
}


@pytest.mark.parametrize(
    ("game", "code"), [(game, code) for game in game_ids() for code in WARNED if code != "null-move" or game == "gyges"]
)
def test_warnings_are_found_by_the_fast_check(game: str, code: str) -> None:
    start = Position(game) if game != "gran" else _gran_start(Random(1))
    good = write_record(random_game(start, 1, plies=9))
    data = f"{good}\n{WARNED[code](good, start.fen)}{good}\n".encode()
    compare(data)
    found = list(found_one_by_one(data, splitting.MAX_RECORD))
    codes = [one.code for _, *_, diagnostics in found for one in diagnostics]
    assert code in codes
    reader = RecordReader("x.rgn")
    bulk = reader.bulk_checked(io.BytesIO(data), splitting.MAX_RECORD, each=False)
    (raw,) = (one for one in bulk if isinstance(one, splitting.RawRecord))
    assert (raw.scanned is None) is (code == "not-shown")
    # Positions of other games make the line too long.
    is_located = {*codes} <= {"missing-number", "stray-number", "null-move", "gap" if game == "gyges" else ""}
    assert (shown_in_bulk(data, splitting.MAX_RECORD)[1] > 0) is is_located


@pytest.mark.parametrize(
    ("line", "is_located"),
    [
        (f"3. {{{'x' * 115}}}", True),
        (f"3. {{{'x' * 116}}}", False),
        (f"{{{'x' * 60}}} 3. {{x}}", True),
        (f"{{{'x' * 60}}} 3. {{{'x' * 53}}}", False),
        ("{x}\n" * 70 + "3. 3. 3.", True),
        ("{x}\r{x}\r\n3.\r\n\r3.\r", True),
        ("3. {\u00e9}", False),
        ("{\u00e9}\n3.", True),
        ("{\ufeff}\n\ufeff3.", False),
        ("3.\t3.", False),
        ("3. {\x7f}", False),
        ("3. \x7f", False),
        ("3. 3. {  } 3.   ", True),
        ("{[%position gyges\n321123/....../....../....../....../321124 s - 1+1]} 3.", False),
        ("{[%position gyges 321123/....../....../....../....../213123 s - 1+1]} 3.", True),
        ("{[%position gyges\n321123/....../....../....../....../213123 s - 1+1]} 3.", False),
    ],
)
def test_lines_that_are_shown_whole(line: str, is_located: bool) -> None:
    """A warning is located if its line is printable ASCII and not clipped; a record before it has the same line."""
    record = GOOD.replace("*\n", f"\n{line}\n*\n")
    data = f"{GOOD}\n{record}\n{record}\n{GOOD}\n".encode()
    compare(data)
    assert (shown_in_bulk(data, splitting.MAX_RECORD)[1] > 0) is is_located


@pytest.mark.parametrize(
    "begin",
    [
        "{c}\n\n",
        "% skipped\n\n; c\n\n",
        "{not closed\n\n",
        "\n\n",
        "1. 321123 *\n\n",
        '{c}\n\n[Zed "z"]\n\n',
        '{c}\r\r[Zed "z"]\r\n\r\n',
        "{c}\n\n[Zed]\n\n",
    ],
)
def test_text_before_the_first_tag(begin: str) -> None:
    """No block ends between comments and the first tag, which belong to one record."""
    assert compare((begin + f"{GOOD}\n" * 4).encode())[1] >= 3


def test_many_records_with_warnings() -> None:
    """One call of the core returns the warnings of many records, up to 32 of each, and fills its room several times."""
    counts = [*range(34), *[1] * 300, *[0, 5] * 20, *[32] * 10]
    records = [GOOD.replace("*\n", "3. " * count + "*" + "\n" * (index % 7 > 0)) for index, count in enumerate(counts)]
    data = "\n".join(records).encode()
    assert compare(data) == (counts.count(0), counts.count(0))
    reader = RecordReader("x.rgn")
    bulk = list(reader.bulk_checked(io.BytesIO(data), splitting.MAX_RECORD, each=False))
    found = [one for one in bulk if isinstance(one, splitting.RawRecord)]
    assert [one.scanned is None for one in found] == [count > 32 for count in counts if count]


def test_records_with_equal_facts_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plies, results, warnings and players differ; what is remembered is dropped in between."""
    start = _gran_start(Random(1))
    texts = [
        GOOD,
        GOOD.replace("*\n", "3. *\n"),
        *(write_record(random_game(start, 1, plies=plies)) for plies in (2, 3)),
    ]
    data = "".join(f"{text}\n" for text in texts).encode()
    monkeypatch.setattr(splitting, "CHUNK", len(data))
    data *= 3
    assert compare(data)[1] == 9
    for most, different in ((8, 4), (0, 12)):
        monkeypatch.setattr(bulk_check, "_MOST_KINDS", most)
        reader = RecordReader("x.rgn")
        bulk = reader.bulk_checked(io.BytesIO(data), splitting.MAX_RECORD, each=True, locate=True)
        records = [one for found in bulk if isinstance(found, CleanRecords) for one in found.records]
        assert len(records) == 12
        assert len(set(records)) == different


@pytest.mark.parametrize(
    "head",
    [
        '[A "1"]\n[B "2"]\n\n',
        '[A "1"]\n[B "2"]\n',
        '[A "1"]\r\n[B "2"]\r\n\r\n',
        '{[A "1"]\n[C "1"]\n}[B "2"]\n\n',
        '{\n[A "1"]\n}\n[B "2"]\n\n',
        '\n\n[A "1"]\n[B "2"]\n\n',
        '% [A "1"]\n[B "2"]\n\n',
        ' [A  "1"]\n[B "2" ]\n\n',
        '[A "1"] [B "2"]\n\n',
        '[A "\\"1\\\\"]\n[B "é   ]"]\n\n',
        '[B ""]\n\n',
    ],
)
def test_texts_of_tags(head: str) -> None:
    data = f'{head}1. [X "3"]\n\n'.encode()
    expected = {name.decode(): value.decode() for name, value in read_tags(data).values.items()}
    assert "B" in expected
    assert texts_of_tags(data) == expected


def test_zeros_at_the_begin_are_reported() -> None:
    zeros = GOOD.replace("*\n", "{" + "\0" * 400 + "} *\n")
    assert compare(f"{GOOD}\n{zeros}\n{GOOD}".encode())[1] == 2


# ---- writing ----

#: Canonical writing in Python, for each form of the C core.
WRITE: Final[dict[int, Callable[[Record], str]]] = {
    TEXT: write_record,
    SHORT: lambda record: write_record(record, short=True),
    JSON: lambda record: f"{json_line(record)}\n",
}


def form_of(reader: RecordReader, raw: splitting.RawRecord, form: int) -> str:
    """Return a record as Python writes it, or its errors or the gap in it."""
    record = reader.read(raw)
    if record.valid:
        try:
            return WRITE[form](record)
        except RecordError as error:
            return f"{error}\n"
    return "".join(f"{one.one_line()}\n" for one in record.diagnostics if one.is_error)


def written_one_by_one(data: bytes, max_record: int, form: int) -> list[str]:
    reader = RecordReader("x.rgn")
    return [form_of(reader, raw, form) for raw in splitting.split_records(io.BytesIO(data), max_record)]


def written_in_bulk(data: bytes, max_record: int, form: int) -> tuple[str, int]:
    """Return all records in a form, and how many the C core wrote."""
    reader, texts, passed = RecordReader("x.rgn"), [], 0
    for found in reader.bulk_checked(io.BytesIO(data), max_record, each=False, form=form):
        if isinstance(found, CleanRecords):
            assert not found.records
            texts.append(found.text.decode())
            passed += found.passed
        else:
            texts.append(form_of(reader, found, form))
    return "".join(texts), passed


def compare_writing(data: bytes, max_record: int = splitting.MAX_RECORD) -> int:
    """Compare both ways to write records in all forms; return how many records the C core wrote as text."""
    for form in (JSON, SHORT, TEXT):
        one_by_one = written_one_by_one(data, max_record, form)
        bulk, passed = written_in_bulk(data, max_record, form)
        assert bulk == "".join(one_by_one)
    return passed


def _words(random: Random) -> str:
    """Return a comment with words and commands of any width, so that lines end everywhere."""
    words = (
        "a", "of", "the", "plies", "[%value s 5]", "[%x", "long] command", "%", "%%x", "]", "é⇒", "𝔸𝔸",
        "e\u0301", '"', "\\", "\x01", "\x7f", "\x0c", "\u200b", "[%position", "[%cmd ", "x" * 78, "ä" * 90,
        "[%y " + "z" * 50 + " w]", "\n% skipped }{\n", "\n\ufeff", "\n\ufeff% skipped\n", "\r\n", "\t",
    )  # fmt: skip
    return " ".join(random.choice(words) for _ in range(random.choice((0, 1, 2, 8, 40))))


def _tags(random: Random, start: Position, stated: bool) -> list[tuple[str, str]]:
    """Return tags in any order, sometimes without one; GRAN's players are all named."""
    tags = [("Event", 'é \\\\ \\"'), ("Date", random.choice(("?", "2001.02.03", "1.2.3"))), ("Zed", "a  b\t\x7f\x01")]
    tags += [("Site", ""), ("Round", "1"), ("South", "S"), ("North", "Ñ\u202e")][: random.randint(2, 4)]
    tags += [(f"Player{number}", str(number)) for number in range(1, 1 + start.players) if start.players > 2]
    if not (stated and random.random() < 0.3):
        tags.append(("Game", start.game.id))
    if stated:
        tags.append(("FEN", start.fen if random.random() < 0.8 else start.fen.replace(" ", "  ")))
    random.shuffle(tags)
    return tags if random.random() < 0.8 else [tag for tag in tags if tag[0] != "Event"]


def made(random: Random) -> str:
    """Return an untidy record with everything that movetext may contain."""
    game = random.choice(game_ids())
    start = Position(game) if game != "gran" else _gran_start(random)
    stated = random.random() < 0.5
    for _ in range(random.randint(0, 8) if stated else 0):
        before, start = start, start.apply(random.choice(start.plies()))
        if start.is_over or before.player == start.player:
            start = before
            break
    maker = RecordMaker(random, start, random.choice((1, 7, 998)) if stated else 1)
    text = maker.make(random.choice((0, 1, 10, 30)), _tags(random, start, stated)).text
    text = re.sub(r"\{good\}", lambda _: "{" + _words(random).replace("}", "|") + "}", text)
    return re.sub(r"(?<=;)to the end", lambda _: re.sub(r"[\r\n]", "", _words(random)) + "}", text)


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_write_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(100 + seed)
    records = games(random, 10) + [made(random) for _ in range(50)]
    monkeypatch.setattr(splitting, "CHUNK", (1 << 18, 4096, 500, 1 << 16)[seed])
    passed = compare_writing(stream(random, records, 75), (64 << 20, 64 << 20, 64 << 20, 3000)[seed])
    assert passed > 15


def test_made_records_are_written_in_bulk() -> None:
    """Comments, variations, NAGs and FEN tags do not need Python, except for the first records of each start."""
    random = Random(5)
    records = [made(random) for _ in range(120)]
    assert compare_writing("\n".join(records).encode()) > 95


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a1-b3", "a1-b3 {c} $1"),  # a NAG after a comment
        ("a1-b3", "a1-b3 (b1-b2) $2 {c}"),  # a NAG after a variation
        ("[Game", "{before the tags}\n[Game"),
        ("[Game", "% line\n[Game"),
        ("2. a1-b3", "9. a1-b3"),
        ("2. a1-b3", "a1-b3"),
        ("2. a1-b3", "2. 2. a1-b3"),
        ('[Date "?"]', ""),
        ('[Result "*"]', ""),
        ("*\n", "\n"),
        ("*\n", "* {after the result}\n"),
    ],
)
def test_special_records_are_written_the_same(old: str, new: str) -> None:
    record = GOOD.replace(old, new, 1)
    assert record != GOOD
    compare_writing(f"{GOOD}\n{GOOD}\n{record}\n{GOOD}".encode())


@pytest.mark.parametrize("first", ["", "7. ", "7... "])
def test_first_numbers_after_a_fen(first: str) -> None:
    """North moves first, without a number or with one; the next number decides the first round."""
    fen = "gyges 321123/....../....../....../....../321123 n - 1+1"
    record = f'[Game "gyges"]\n[FEN "{fen}"]\n\n{first}a6-b4 8. a1-b3 b6-b5 *\n'
    assert parse_record(record).valid
    compare_writing("\n".join([record] * 4).encode())


def test_a_record_with_many_plies_or_a_long_comment_is_written_the_same() -> None:
    long = write_record(random_game("rings", 1, plies=400))
    plies = "1. 321123 321123 2. a1-b3 c6-c5 " + "(2... d6-d5) " * 22_000
    record = GOOD.replace(GOOD.partition("\n\n")[2], f"{plies}*\n")
    comment = GOOD.replace("a1-b3", "a1-b3 {" + "word " * 200_000 + "}")
    assert compare_writing("\n".join([GOOD, record, comment, GOOD, long]).encode()) == 3


def test_records_with_a_fen_are_passed_over() -> None:
    """Validate passes over them too; the text names the game."""
    fen = "rings .k.../...../k.K../...../..1../...../..... s 0+0 0"
    records = [write_record(random_game(Position(fen), seed, plies=9)) for seed in range(5)]
    assert compare("\n".join(records).encode()) == (5, 5)


@pytest.mark.parametrize(
    "command", [("validate",), ("validate", "--json"), ("fmt",), ("stats",), ("fix",), ("filter", "--valid")]
)
def test_output_is_the_same_with_several_jobs(command: tuple[str, ...], tmp_path: Path) -> None:
    random = Random(11)
    data = stream(random, games(random, 30), 1500)
    file = tmp_path / "games.rgn"
    for content in (data, "\n".join(games(random, 300)).encode()):
        file.write_bytes(content)
        one, three = ringfen(*command, "-q", str(file)), ringfen(*command, "-q", "--jobs", "3", str(file))
        assert (one.exit_code, one.stdout, one.stderr) == (three.exit_code, three.stdout, three.stderr)
