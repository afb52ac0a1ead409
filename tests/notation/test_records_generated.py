"""Generated records with everything in them, and damaged ones."""

from __future__ import annotations

import io
import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from record_maker import Made, MadeLine, RecordMaker
from records_common import GOOD, HARMLESS, HEAD, read

from ringfen import Position, game_ids
from ringfen.notation import Line, check_records, json_line, parse_record, write_record
from ringfen.notation.json_form import json_records
from ringfen.notation.record_reader import RecordReader


@st.composite
def made_records(draw: st.DrawFn) -> tuple[Made, Position]:
    random = Random(draw(st.integers(0, 2**32)))
    game = draw(st.sampled_from(game_ids()))
    start = Position(game)
    for _ in range(draw(st.integers(0, 6))):
        before, start = start, _step(start, random)
        if start.is_over or before.player == start.player:
            start = before
            break
    first = draw(st.integers(1, 300))
    tags = [("FEN", start.fen), ("Event", 'é \\\\ \\"'), ("Zed", "a  b"), ("Annotator", "")]
    return RecordMaker(random, start, first).make(draw(st.integers(0, 30)), tags), start


def _step(position: Position, random: Random) -> Position:
    return position.apply(random.choice(position.plies()))


def same(line: Line, made: MadeLine) -> bool:
    stack = [(line, made)]
    while stack:
        line, made = stack.pop()
        if (list(line.comments), list(line.after), len(line.nodes)) != (made.comments, made.after, len(made.plies)):
            return False
        for node, ply in zip(line.nodes, made.plies, strict=True):
            if (node.ply, list(node.nags), list(node.comments)) != (ply.ply, ply.nags, ply.comments):
                return False
            if len(node.variations) != len(ply.variations):
                return False
            stack.extend(zip(node.variations, ply.variations, strict=True))
    return True


@given(made_records())
def test_reading_gives_what_was_written(made_and_start: tuple[Made, Position]) -> None:
    made, start = made_and_start
    record = parse_record(made.text)
    assert [one.text() for one in record.diagnostics if one.code not in HARMLESS] == []
    assert record.start == start
    assert record.tags["Event"] == 'é \\ "'
    assert same(record.main, made.main)
    assert start.play(node.ply for node in record.mainline()) == made.last
    assert record.outcome == made.last.outcome


@given(made_records())
def test_the_canonical_text_is_a_fixed_point(made_and_start: tuple[Made, Position]) -> None:
    record = parse_record(made_and_start[0].text)
    text = write_record(record)
    again = parse_record(text)
    assert again == record
    assert write_record(again) == text
    assert [one.code for one in again.diagnostics if one.code not in HARMLESS] == []
    assert all(len(line) <= 79 or line.startswith((";", "[")) for line in text.splitlines())
    short = write_record(record, short=True)
    assert write_record(parse_record(short), short=True) == short


@given(made_records())
def test_json_is_a_fixed_point(made_and_start: tuple[Made, Position]) -> None:
    record = parse_record(made_and_start[0].text)
    line = json_line(record)
    (raw,) = json_records(io.BytesIO(line.encode()))
    again = RecordReader("x").read(raw)
    assert [one.code for one in again.diagnostics if one.code not in HARMLESS] == []
    assert again == record
    assert json_line(again) == line


@given(made_records(), st.integers(0, 2**32))
def test_damage_is_found_or_harmless(made_and_start: tuple[Made, Position], seed: int) -> None:
    """Whatever happens to the bytes: no crash, places that exist, and the same verdict from both ways of reading."""
    random = Random(seed)
    data = bytearray(made_and_start[0].text.encode() + b"\n" + GOOD.encode())
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data))
        what = random.randrange(4)
        if what == 0:
            data[at] = random.randrange(256)
        elif what == 1:
            del data[at : at + random.randint(1, 20)]
        elif what == 2:
            data[at:at] = random.choice(
                (b"{", b"}", b"(", b")", b"[", b'"', b"\n\n[", b"\0", b"\xff", b";", b"%", b"\r")
            )
        else:
            data[at:at] = data[at : at + random.randint(1, 40)]
    raw = bytes(data)
    records = read(raw)
    reports = list(check_records(io.BytesIO(raw), name="test.rgn"))
    assert [report.diagnostics for report in reports] == [record.diagnostics for record in records]
    lines = re.split(r"\r\n|\r|\n", raw.decode("utf-8", "replace").removeprefix("\ufeff"))
    for record in records:
        for one in record.diagnostics:
            assert 1 <= one.line <= len(lines)
            assert 1 <= one.column <= len(lines[one.line - 1]) + 1
            assert one.text()
        if record.valid and record.is_complete:  # A number can show that plies are missing.
            assert parse_record(write_record(record)) == record


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    for record in read(data):
        assert record.diagnostics or record.valid


@given(st.text(alphabet=st.sampled_from('[]"{}();$!?%*.1a-x \n\rGame'), max_size=80))
def test_any_text(text: str) -> None:
    for record in read(HEAD + text):
        for one in record.diagnostics:
            assert one.text()
