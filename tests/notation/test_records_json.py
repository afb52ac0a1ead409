"""The JSON form of records."""

from __future__ import annotations

import io
import json

import pytest
from records_common import GOOD, ROOT, found

from ringfen._core import ffi
from ringfen.notation import Record, json_line, parse_record, read_records, record_to_json, write_record
from ringfen.notation.json_form import json_records
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.tree_builder import EVENT


def from_json(*lines: str) -> list[Record]:
    reader = RecordReader("test.jsonl")
    return [reader.read(raw) for raw in json_records(io.BytesIO("\n".join(lines).encode()))]


def test_a_long_record_is_written_piece_by_piece() -> None:
    # More plies, comments and variations than one piece and one batch of events hold, with NAGs between pieces.
    line = "(2. b1-c2 {a} $1 $2) {b} $3 " * 5000
    record = parse_record(f'[Game "gyges"]\n\n1. 321123 321123 2. a1-b3 {line}*')
    assert record.valid
    assert json_line(record) == json.dumps(record_to_json(record), ensure_ascii=False)
    assert from_json(json_line(record)) == [record]


def test_an_event_is_taken_as_it_is_laid_out() -> None:
    assert ffi.sizeof("rf_event") == EVENT.size
    fields = ("kind", "at", "length", "number", "index", "opens", "text")
    assert [ffi.offsetof("rf_event", field) for field in fields] == [0, 4, 8, 12, 16, 20, 21]


def test_the_schema_describes_the_json_form() -> None:
    schema = json.loads((ROOT / "docs" / "record-schema.json").read_text(encoding="utf-8"))
    (record,) = read_records(ROOT / "examples" / "gyges-2001.rgn")
    fields = json.loads(json_line(record))
    assert set(schema["required"]) <= set(fields) <= set(schema["properties"])
    ply, comment = schema["properties"]["movetext"]["items"]["oneOf"][1:]
    for item in fields["movetext"]:
        assert item in ("(", ")") or set(item) <= set(ply["properties"]) or set(item) == set(comment["properties"])


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "1",
        '{"tags": {"Game": "gyges"}, "movetext": []}',
        '{"tags": [], "movetext": [], "result": "*"}',
        '{"tags": {"Game": 1}, "movetext": [], "result": "*"}',
        '{"tags": {"Ga me": "gyges"}, "movetext": [], "result": "*"}',
        '{"tags": {"Game": "gyges", "Game": "rings"}, "movetext": [], "result": "*"}',
        '{"tags": {"Game": "gyges\\n"}, "movetext": [], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": "321123", "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": ["321123"], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "321123 321123"}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "1-0"}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "*"}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "1.321123"}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "321123", "nags": [256]}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "321123", "nags": [true]}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"comment": 1}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [{"comment": "\\ud800"}], "result": "*"}',
        '{"tags": {"Game": "gyges"}, "movetext": [], "result": "1"}',
        '{"tags": {"Game": "gyges"}, "movetext": [], "result": "*", "first_number": 2}',
        '{"tags": {"Game": "gyges"}, "movetext": [], "result": "*", "start": "gyges"}',
        '{"tags": {"Game": "gyges"}, "movetext": [], "result": "*", "more": 1}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"tags": {"Game": "gyges"}, "movetext": [], "first_number": ' + "9" * 5000 + "}",
    ],
    ids=lambda line: line[:100],
)
def test_malformed_json(line: str) -> None:
    good = json_line(parse_record(GOOD))
    first, second = from_json(line, good)
    assert [each for each in found(first) if each[0] != "missing-tag"] == [("bad-json", 1, 1)]
    assert (second.line, found(second)) == (2, [])


def test_an_illegal_ply_in_json() -> None:
    (record,) = from_json(
        '{"tags": {"Game": "gyges"}, "movetext": [{"ply": "321123"}, {"ply": "111111"}], "result": "*"}'
    )
    assert [(one.code, one.line, one.column, one.ply) for one in record.diagnostics if one.is_error] == [
        ("illegal-ply", 1, 1, 2)
    ]


def test_comments_from_json() -> None:
    (record,) = from_json(
        '{"tags": {"Game": "gyges"}, "movetext": '
        '[{"ply": "321123"}, {"comment": "a\\n\\nb } \\n%c"}, {"ply": "321123"},'
        ' {"comment": "x\\n%y\\n\\n[Game \\"z\\"]"}], "result": "*"}'
    )
    assert record.valid
    assert [node.comments for node in record.main.nodes] == [["a b } %c"], ['x %y [Game "z"]']]
    assert parse_record(write_record(record)) == record


def test_a_line_that_is_not_json_names_the_place() -> None:
    (record,) = json_records(io.BytesIO(b'{"tags": x}\n'))
    assert record.json_problem == "not JSON: expected a value (column 10)"


def test_a_number_that_skips_rounds_is_kept() -> None:
    stated = "gyges 321123/....../3...../....../....../.21123 n - 1+1"
    record = parse_record(f'[Game "gyges"]\n\n1. 321123 321123 {{[%position {stated}]}} 7... c6-c5 8. b1-b3 *')
    assert record_to_json(record)["movetext"][3:] == [{"ply": "c6-c5", "number": "7..."}, {"ply": "b1-b3"}]
    assert from_json(json_line(record)) == [record]


@pytest.mark.parametrize("number", [7, "7", "07.", "7..", "٧.", "7. "])
def test_a_number_is_digits_and_one_or_three_dots(number: object) -> None:
    fields = {"tags": {"Game": "gyges"}, "movetext": [{"ply": "321123", "number": number}], "result": "*"}
    (record,) = from_json(json.dumps(fields))
    assert found(record) == [("bad-json", 1, 1)]


@pytest.mark.parametrize("result", ["١-٠", "1-٠", "1-0-0\n"])
def test_a_result_has_ascii_digits(result: str) -> None:
    (record,) = from_json(json.dumps({"tags": {"Game": "gyges"}, "movetext": [], "result": result}))
    assert found(record) == [("bad-json", 1, 1)]
