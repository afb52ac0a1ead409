"""What programs may set in a record, what is read-only, and copies of records."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringfen import Position, RecordError
from ringfen.notation import Record, json_line, movetext, parse_record, random_game, read_records, write_records

pytestmark = pytest.mark.unsanitized  # records are objects of Python

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]


def made() -> Record:
    record = Record.new("gyges", South="A", North="B")
    record.play("321123", "321123", "a1-b3")
    return record


@pytest.mark.parametrize(
    "name", ["parent", "line", "index", "number", "opens", "ply", "short", "position", "reached", "before", "next"]
)
def test_the_place_of_a_ply_is_read_only(name: str) -> None:
    node = made().main.nodes[-1]
    with pytest.raises(AttributeError):
        setattr(node, name, getattr(node, name))


@pytest.mark.parametrize("name", ["parent", "record", "begin"])
def test_the_place_of_a_line_is_read_only(name: str) -> None:
    node = made().main.nodes[-1]
    line = node.add_variation("b1-b3").line
    with pytest.raises(AttributeError):
        setattr(line, name, getattr(line, name))


@pytest.mark.parametrize(
    ("nags", "error"),
    [
        ([1, 256], RecordError),
        ([-1], RecordError),
        (["1"], TypeError),
        ([True], TypeError),
        ([1.0], TypeError),
        ("1", TypeError),
        (1, TypeError),
    ],
)
def test_a_wrong_nag_is_rejected_when_it_is_set(nags: Any, error: type[Exception]) -> None:
    node = made().main.nodes[-1]
    node.nags = [2, 255]
    with pytest.raises(error):
        node.nags = nags
    assert node.nags == [2, 255]
    if not isinstance(nags, list):
        return
    for add in (
        lambda: node.nags.append(nags[-1]),
        lambda: node.nags.insert(0, nags[-1]),
        lambda: node.nags.extend(nags),
        lambda: node.nags.__iadd__(nags),
        lambda: node.nags.__setitem__(0, nags[-1]),
        lambda: node.nags.__setitem__(slice(0, 1), nags),
    ):
        with pytest.raises(error):
            add()
        assert node.nags == [2, 255]


@pytest.mark.parametrize("game", ["gyges", "rings", "siaius", "gran"])
def test_a_position_is_as_good_as_its_text(game: str) -> None:
    position = Position(game).apply(Position(game).plies()[0])
    assert Record.new(game, fen=position) == Record.new(game, fen=position.fen)
    other = "rings" if game == "gyges" else "gyges"
    with pytest.raises(RecordError, match=f"one of {game}, not of {other}"):
        Record.new(other, fen=position)


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_is_equal_and_separate(copied: Callable[[Any], Any]) -> None:
    text = (
        '[Game "gyges"]\n[Round "3"]\n[South "A"]\n[Result "*"]\n\n{before} 1. 321123 (1. {in} 112233 {x} 1... 321123 '
        "(1... 112233) {after}) {behind} 1... 321123 $3 {late} 2. a1-b3 *\n"
    )
    record = parse_record(text)
    other = copied(record)
    assert other == record
    assert (str(other), other.diagnostics, other.plies) == (str(record), record.diagnostics, record.plies)
    assert all(node.line.record is other for node in other.nodes())
    other.tags["South"] = "C"
    other.main.nodes[0].comments.append("new")
    other.play("c6-c5")
    assert str(record) == str(parse_record(text))


@pytest.mark.parametrize("copied", COPIES[1:])
def test_copies_of_deep_variations_and_of_their_parts(copied: Callable[[Any], Any]) -> None:
    record = parse_record('[Game "rings"]\n\n1. b2-b3' + " (1. b2-b3" * 1500 + ")" * 1500 + " *")
    node = record.main.nodes[0]
    while node.variations:
        node = node.variations[0].nodes[0]
    assert copied(record) == record
    other = copied(node)
    assert (other.ply, other.position) == (node.ply, node.position)
    assert other.line.record == record
    assert copied(node.line).record == copied(record.main).record == record


def test_a_page_of_a_record_without_its_game_tag() -> None:
    record = made()
    record.tags = {}
    assert "<iframe" in record._repr_html_()


def with_gap(game: str) -> tuple[str, str]:
    """A record, and the same with its last rounds numbered as if one were missing."""
    if game == "variation":
        text = '[Game "gyges"]\n\n1. 321123 (1. 321123 321123 {}. a1-b3 c6-c5 {}. b1-c2) 1... 321123 *\n'
        return text.format(2, 3), text.format(3, 4)
    text = str(random_game(Position(game), 1, plies=20))
    *_, last, end = re.finditer(r"(?<=[ \n])[0-9]+(?=\.)", text)
    return text, (
        f"{text[: last.start()]}{int(last[0]) + 1}{text[last.end() : end.start()]}{int(end[0]) + 1}{text[end.end() :]}"
    )


@pytest.mark.parametrize("game", ["gyges", "rings", "siaius", "gran", "variation"])
def test_a_record_with_a_gap_is_not_written(game: str, tmp_path: Path) -> None:
    """Its new numbers would hide that plies are missing; setting ``whole`` writes it nevertheless."""
    text, damaged = with_gap(game)
    record = parse_record(damaged)
    assert record.valid
    path = tmp_path / "out.rgn"
    for write in (
        lambda: str(record),
        record.to_json,
        lambda: json_line(record),
        lambda: movetext(record),
        lambda: write_records([made(), record], path),
    ):
        with pytest.raises(RecordError, match="would hide that plies are missing") as error:
            write()
        assert error.value.reason == "gap"
    assert not path.exists()
    assert "wrong-number" in [one.code for one in record.check()]
    assert "<iframe" in record._repr_html_()
    record.is_complete = True
    assert str(record) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'[Event "D\xe9s"]\n\n*\n', "in windows-1252 it would be \xe9: read it in the encoding windows-1252"),
        (b'[Event "\x81\x8f"]\n\n*\n', "it is not UTF-8; read it in its encoding"),
        ('[Event "x"]\n\n*\n'.encode("utf-16"), "read it in the encoding utf-16"),
    ],
)
def test_advice_about_encodings_names_no_option(text: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "--encoding NAME.rgn"
    file.write_bytes(text)
    (record,) = read_records(file)
    (message,) = [one.message for one in record.diagnostics if one.code == "bad-utf8"]
    assert f"{words}, or save it as UTF-8" in message.replace("utf-16-le", "utf-16")
