"""The game tree: records that a program makes, edits, writes and reads back."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringfen import IllegalPlyError, PlySyntaxError, Position, PositionSyntaxError, RecordError
from ringfen.notation import Node, Record, check_records, json_line, movetext, parse_record, read_records, write_records
from ringfen.notation import record as record_module
from ringfen.notation.json_form import json_records
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.results import result_of

pytestmark = pytest.mark.unsanitized  # the game tree is written in Python

SIAIUS = "siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0"
HEAD = '[Game "gyges"]\n[Event "?"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
GYGES_WIN = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"


def back(record: Record) -> Record:
    """The record after writing and reading."""
    return parse_record(str(record), board_path=record.board_path)


def test_a_record_as_the_page_makes_one() -> None:
    record = Record.new("gyges", South="Ada", North="Bob")
    node = record.play("321123", "321123", "a1-b3")
    assert (node.ply, node.number, node.opens, record.plies) == ("a1-b3", 2, True, 3)
    assert node.parent is record.main.nodes[1]
    assert node.position == Position("gyges").play(["321123", "321123", "a1-b3"])
    other = node.add_variation("a1-b3")
    assert other.parent is node.parent
    assert other.line is node.variations[0]
    node.comment = "a comment"
    node.nags = [1]
    other.nags.append(2)
    assert str(record) == (
        '[Game "gyges"]\n[South "Ada"]\n[North "Bob"]\n[Result "*"]\n\n'
        "1. 321123 321123 2. a1-b3 $1 {a comment} (2. a1-b3 $2) *\n"
    )
    assert back(record) == record
    assert [one.code for one in record.check()] == ["missing-tag"]


def test_walking() -> None:
    record = Record.new("rings")
    first, second = Position("rings").plies()[:2]
    node = record.play(first)
    reply = node.position.plies()[0]
    record.play(reply)
    node.add_variation(second)
    assert [one.ply for one in record.mainline()] == [first, reply]
    assert [one.ply for one in record.nodes()] == [first, second, reply]
    assert list(record.positions()) == [
        Position("rings"),
        Position("rings").apply(first),
        Position("rings").apply(first).apply(reply),
    ]
    assert [one.position for one in record.mainline()] == list(record.positions())[1:]
    assert node.before == Position("rings")


def test_play_after_a_node_that_has_a_next_ply_makes_a_variation_of_that() -> None:
    record = Record.new("gyges")
    setup = record.play("321123")
    record.play("321123")
    last = setup.play("123321")
    assert last.line is not record.main
    assert record.main.nodes[1].variations == [last.line]
    assert last.play(last.position.plies()[0]).parent is last
    assert back(record) == record


@pytest.mark.parametrize("bad", ["a1-a1x", "a1-a9", "321123 321123", ""])
def test_an_illegal_ply_raises_and_nothing_is_added(bad: str) -> None:
    record = Record.new("gyges")
    node = record.play("321123", "321123")
    before = str(record)
    for play in (record.play, node.play, node.add_variation):
        with pytest.raises((PlySyntaxError, IllegalPlyError)):
            play("a1-b3" if play != node.add_variation else "123321", bad)
        assert str(record) == before
        assert node.variations == []
        assert record.plies == 2


def test_wrong_types() -> None:
    record = Record.new("gyges")
    with pytest.raises(TypeError, match="a ply must be a str, not int"):
        record.play(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one ply"):
        record.play()
    with pytest.raises(TypeError, match="its id, a str, not int"):
        Record.new(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a path or a file, not int"):
        read_records(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="either a source or a text"):
        read_records()
    with pytest.raises(TypeError, match="text must be a str, not bytes"):
        read_records(text=b"")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name must be a str, not int"):
        read_records(text="", name=5)  # type: ignore[arg-type]
    for wrong, words in ((5, "not int"), ("boards", "not str"), (["boards"], "not of str")):
        for take in (
            lambda path: read_records(text="", board_path=path),
            lambda path: Record.new("rings", board_path=path),
        ):
            with pytest.raises(TypeError, match=f"board_path is a sequence of Paths, {words}"):
                take(wrong)
    with pytest.raises(TypeError, match="records must be an iterable of Records, not int"):
        write_records(5, io.StringIO())  # type: ignore[arg-type]
    record = Record.new("gyges")
    node = record.play("321123")
    with pytest.raises(TypeError, match="comments must be a list of str, not int"):
        node.comments = 5  # type: ignore[assignment]
    for nags, words in ((5, "NAGs must be a list of int, not int"), ("15", "NAGs must be a list of int, not str")):
        with pytest.raises(TypeError, match=words):
            node.nags = nags  # type: ignore[assignment]
    with pytest.raises(TypeError, match="tags must be a dict of str, not int"):
        record.tags = 5  # type: ignore[assignment]
    with pytest.raises(TypeError, match="expected a Record"):
        write_records([3], io.StringIO())  # type: ignore[list-item]
    with pytest.raises(PositionSyntaxError):
        Record.new("chess")
    with pytest.raises(ValueError, match="max_record is 1 to"):
        read_records(text="", max_record=0)


def test_starts() -> None:
    assert "FEN" not in Record.new("gyges", fen="gyges").tags
    assert Record.new("siaius", fen=SIAIUS).tags["FEN"] == SIAIUS
    with pytest.raises(RecordError, match="one of siaius, not of gyges"):
        Record.new("gyges", fen=SIAIUS)
    four = Record.new("gran", Player1="a", Player2="b", Player3="c", Player4="d")
    assert four.begin.players == 4
    assert back(four) == four
    with pytest.raises(RecordError, match="3 to 6 players, not 2"):
        Record.new("gran", Player1="a", Player2="b")
    with pytest.raises(RecordError, match="no tag Player2"):
        Record.new("gran", Player1="a", Player3="b")


@pytest.mark.parametrize(
    "fen",
    [
        "gran g8:1:-/c6:0:-/d6:2:- c7 i2,g5 1.0.4.6.6.4.2 1 fight",
        "gran g8:1:-/c6:0:-/d6:2:- c7 i2,g5 0.0.4.6.6.4.2 1 extra",
        "gran i8:1:-/a6:0:-/d6:2:- c7 i2,g5 0.0.4.6.6.4.2 2 stone",
        "gran f8:0:-/c2:2:-!/g1:0:- ? i9 1.0.3.5.6.4.1 2 ring",
        "gran f9:1:-/c6:0:-/d6:2:- c7 i2,e5 1.0.4.6.6.4.2 3 sword",
    ],
)
def test_a_start_in_the_middle_of_a_turn_has_the_numbers_that_reading_finds(fen: str) -> None:
    record = Record.new("gran", fen=fen)
    position = record.begin
    assert position.fen == fen
    for _ in range(12):
        position = record.play(position.plies()[-1]).position
    assert back(record) == record
    assert [one.code for one in record.check() if one.code != "missing-tag"] == []


def test_results() -> None:
    record = Record.new("gyges", Result="1-0")
    assert (record.result, record.tags["Result"]) == ("1-0", "1-0")
    record.result = "1/2-1/2"
    assert record.tags["Result"] == "1/2-1/2"
    for unknown in ("2-0", "", "0-1-0"):
        with pytest.raises(RecordError, match="a result here is"):
            record.result = unknown
        with pytest.raises(RecordError, match="a result here is"):
            Record.new("gyges", Result=unknown)
    with pytest.raises(TypeError, match="a result must be a str, not NoneType"):
        record.result = None  # type: ignore[assignment]
    won = Record.new("gyges", fen=GYGES_WIN)
    winning = next(ply for ply, position in won.begin.successors() if position.outcome == "s")
    won.play(winning)
    assert (won.result, won.tags["Result"], won.outcome) == ("1-0", "1-0", "s")
    with pytest.raises(RecordError, match="the last position says 1-0"):
        won.result = "*"
    with pytest.raises(IllegalPlyError):
        won.play("a1-a2")
    assert back(won) == won
    over = won.main.nodes[0].position.fen
    assert Record.new("gyges", fen=over).result == "1-0"
    assert Record.new("gyges", fen=over, Result="1-0").result == "1-0"
    for contradicting in ("0-1", "*"):
        with pytest.raises(RecordError, match="the last position says 1-0"):
            Record.new("gyges", fen=over, Result=contradicting)
    with pytest.raises(RecordError, match="a result here is"):
        Record.new("gyges", fen=over, Result="garbage")


def test_an_unfinished_game_implies_no_result() -> None:
    with pytest.raises(ValueError, match="not over"):
        result_of(Position("gyges"), None)


def _set_tag(name: str, value: str) -> Callable[[Record], None]:
    return lambda record: record.tags.__setitem__(name, value)


def _set_comment(comment: str) -> Callable[[Record], None]:
    return lambda record: setattr(record.main.nodes[0], "comment", comment)


def _set_nags(*nags: object) -> Callable[[Record], None]:
    return lambda record: record.main.nodes[0].nags.extend(nags)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "damage",
    [
        _set_tag("White Elo", "1"),
        _set_tag("", "1"),
        _set_tag("Größe", "1"),
        _set_tag("Event", "two\nlines"),
        _set_tag("Event", "two\rlines"),
        _set_tag("Event", "\ud800"),
        _set_tag("Game", "rings"),
        _set_tag("FEN", SIAIUS),
        _set_tag("Result", "1-0"),
        lambda record: record.tags.clear(),
        lambda record: setattr(record, "first_number", 3),
        _set_comment("} and\nmore"),
        _set_comment("half \udfff"),
    ],
)
def test_what_has_no_written_form_raises_and_writes_nothing(damage: Callable[[Record], None], tmp_path: Path) -> None:
    record = Record.new("gyges")
    record.play("321123")
    damage(record)
    path, out = tmp_path / "records.rgn", io.StringIO()
    path.write_text("as it was")
    for write in (
        lambda: str(record),
        record.to_json,
        lambda: json_line(record),
        lambda: write_records([Record.new("rings"), record], path),
        lambda: write_records([Record.new("rings"), record], out),
    ):
        with pytest.raises(RecordError):
            write()
    assert path.read_text() == "as it was"
    assert out.getvalue() == ""
    assert [one.code for one in record.check()] == ["no-written-form"]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda record: record.tags.__setitem__("Event", 3), "the tag Event must be a str, not int"),
        (lambda record: record.tags.__setitem__(3, "Event"), "the name of a tag must be a str, not int"),
        (lambda record: record.tags.update({"South": "A", "Event": 3}), "the tag Event must be a str, not int"),
        (lambda record: record.tags.setdefault("Event", 3), "the tag Event must be a str, not int"),
        (lambda record: record.tags.__ior__({"Event": None}), "the tag Event must be a str, not NoneType"),
        (lambda record: setattr(record, "tags", {"Game": 3}), "the tag Game must be a str, not int"),
        (lambda record: record.main.nodes[0].comments.append(5), "a comment must be a str, not int"),
        (lambda record: record.main.nodes[0].comments.append(None), "a comment must be a str, not NoneType"),
        (lambda record: record.comments.append(b"x"), "a comment must be a str, not bytes"),
        (_set_nags(True), "a NAG must be an int, not bool"),
        (_set_nags("1"), "a NAG must be an int, not str"),
    ],
)
def test_wrong_types_in_a_record_are_rejected_when_they_are_set(damage: Callable[[Record], None], words: str) -> None:
    record = Record.new("gyges")
    record.play("321123").nags.append(1)
    text = str(record)
    with pytest.raises(TypeError, match=words):
        damage(record)
    assert str(record) == text


def test_comments_are_texts() -> None:
    record = Record.new("gyges")
    node = record.play("321123")
    for owner in (record, node):
        for wrong in (5, None, b"x", ["x"]):
            with pytest.raises(TypeError, match="a comment must be a str, not"):
                owner.comment = wrong  # type: ignore[assignment]
            with pytest.raises(TypeError, match="a comment must be a str, not"):
                owner.comments = ["x", wrong]  # type: ignore[list-item]
        with pytest.raises(TypeError, match="a list of str, not one str"):
            owner.comments = "x"
        assert owner.comments == []
    with pytest.raises(TypeError, match="the tag South must be a str, not int"):
        Record.new("gyges", South=5)  # type: ignore[arg-type]


def test_a_brace_in_a_comment_is_written_after_a_semicolon() -> None:
    record = Record.new("gyges")
    record.play("321123").comment = "{so} it goes"
    assert "; {so} it goes\n" in str(record)
    assert back(record) == record
    assert back(record).main.nodes[0].comment == "{so} it goes"


def test_a_record_that_was_not_read_whole_is_not_written() -> None:
    record = parse_record('[Game "gyges"]\n\n1. 321123 321123 2. a1-a6 b1-b2 *\n')
    assert not record.valid
    with pytest.raises(RecordError, match=r"could not be read completely.*illegal-ply"):
        str(record)
    with pytest.raises(RecordError, match=r"could not be read completely.*illegal-ply"):
        movetext(record)
    assert [one.code for one in record.check()] == [one.code for one in record.diagnostics]
    wrong = parse_record('[Game "gyges"]\n[Result "1-0"]\n\n1. 321123 0-1\n')
    assert not wrong.valid
    wrong.result = "0-1"
    assert [one.code for one in wrong.check()] == ["missing-tag"]


def test_sources_and_files(tmp_path: Path) -> None:
    records = [Record.new("gyges", Event="Gygès"), Record.new("siaius", fen=SIAIUS)]
    path = tmp_path / "two.rgn"
    assert write_records(records, path) == 2
    raw = path.read_bytes()
    out, binary = io.StringIO(), io.BytesIO()
    write_records(iter(records), out)
    write_records(records, binary)
    assert out.getvalue().encode() == binary.getvalue() == raw
    with open(path, encoding="utf-8") as text, open(path, "rb") as data:
        for source in (path, str(path), text, data, io.StringIO(raw.decode()), io.BytesIO(raw)):
            assert list(read_records(source)) == records
    assert list(read_records(text=raw.decode())) == records
    with pytest.raises(RecordError, match="no record"):
        parse_record("")


def test_a_ply_cannot_be_exchanged() -> None:
    record = Record.new("gyges")
    node = record.play("321123")
    for name in ("ply", "short", "position"):
        with pytest.raises(AttributeError):
            setattr(node, name, "x")
    assert back(record) == record


def made_with(game: str, tags: dict[str, str]) -> str:
    if "FEN" not in tags:
        return str(Record.new(game, **tags))  # type: ignore[arg-type]
    record = Record.new(Position(tags["FEN"]).game, fen=tags["FEN"])
    record.tags |= tags
    return str(record)


@pytest.mark.parametrize(
    ("game", "tags", "code", "reason"),
    [
        ("gran", {"Player1": "a", "Player3": "b"}, "bad-players", "there is no tag Player2"),
        ("gran", {"Player1": "a", "Player2": "b"}, "bad-players", "GRAN has 3 to 6 players, not 2"),
        ("gyges", {"Result": "0-1-0"}, "bad-result", "a result here is 1-0, 0-1, 1/2-1/2 or *"),
        ("siaius", {"FEN": SIAIUS, "Game": "rings"}, "game-mismatch", "the FEN tag has a position of siaius"),
    ],
)
def test_tags_have_the_same_error_read_and_made(game: str, tags: dict[str, str], code: str, reason: str) -> None:
    head = "".join(f'[{name} "{value}"]\n' for name, value in ({"Game": game} | tags).items())
    found = [one for one in parse_record(f"{head}\n*\n").diagnostics if one.code == code]
    assert [one.reason for one in found] == [reason]
    with pytest.raises(RecordError) as caught:
        made_with(game, tags)
    assert caught.value.reason == code
    assert caught.value.message.endswith(f": {reason}")


def test_files_that_end_with_gz_are_compressed(tmp_path: Path) -> None:
    records = [Record.new("gyges", Event="Gygès"), Record.new("siaius", fen=SIAIUS)]
    plain, packed, again = tmp_path / "two.rgn", tmp_path / "two.rgn.gz", tmp_path / "again.rgn.gz"
    for path in (plain, packed, again):
        assert write_records(records, path) == 2
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    # Neither the time nor the name is kept: the same records give the same bytes.
    assert packed.read_bytes() == again.read_bytes()
    assert packed.read_bytes()[3:8] == bytes(5)
    assert list(read_records(packed)) == list(read_records(str(packed))) == records
    assert [report.valid for report in check_records(packed)] == [True, True]
    again.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(OSError, match="no whole gzip file"):
        list(read_records(again))
    with pytest.raises(TypeError):
        write_records([3], packed)  # type: ignore[list-item]
    assert list(read_records(packed)) == records


# ---- generated trees ----

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COMMENTS = TEXTS.filter(lambda text: not ("}" in text and ("\n" in text or "\r" in text))) | st.sampled_from(
    ["%", "a\n%b", "}", "{", "$1 (", "word " * 40, "% " * 50, ";", "*", "\ufeff"]
)
TAGS = st.dictionaries(
    st.from_regex(r"[A-Za-z0-9_]{1,9}", fullmatch=True).filter(
        lambda name: name not in ("Game", "FEN", "Result") and not name.startswith("Player")
    ),
    TEXTS.filter(lambda text: "\n" not in text and "\r" not in text),
    max_size=4,
)
STARTS = ("gyges", "rings", "siaius", "gran", GYGES_WIN, SIAIUS)


@st.composite
def trees(draw: st.DrawFn) -> Record:
    fen = draw(st.sampled_from(STARTS))
    tags: Any = draw(TAGS)
    record = Record.new(fen.split()[0], fen=fen, **tags)
    nodes: list[Node] = []
    for _ in range(draw(st.integers(0, 15))):
        what = draw(st.integers(0, 5))
        node = draw(st.sampled_from(nodes)) if nodes else None
        if node is None or what == 0:
            position = [*record.positions()][-1]
            play = record.play
        elif what <= 2:
            position, play = node.before, node.add_variation
        else:
            position, play = node.position, node.play
        plies = position.plies()
        if plies:
            nodes.append(play(draw(st.sampled_from(plies))))
            if draw(st.booleans()):
                nodes[-1].comments = draw(st.lists(COMMENTS, max_size=3))
                nodes[-1].nags = draw(st.lists(st.integers(0, 255), max_size=3))
                nodes[-1].line.after = draw(st.lists(COMMENTS, max_size=2)) if nodes[-1].line is not record.main else []
                nodes[-1].line.comments = draw(st.lists(COMMENTS, max_size=2))
    return record


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_generated_trees_come_back(record: Record) -> None:
    again = back(record)
    assert again.valid, again.diagnostics
    assert again == record
    assert str(again) == str(record)
    assert [one.code for one in again.diagnostics if one.code not in ("missing-tag", "null-move")] == []
    assert [(one.ply, one.short, one.number, one.opens) for one in again.nodes()] == [
        (one.ply, one.short, one.number, one.opens) for one in record.nodes()
    ]
    assert [one.position for one in again.nodes()] == [one.position for one in record.nodes()]
    line = json_line(record)
    assert json.loads(line) == record.to_json()
    raw = next(json_records(io.BytesIO(line.encode())))
    assert RecordReader("test").read(raw) == record


def test_deep_nests_and_long_games_come_back() -> None:
    deep, count = Record.new("gyges"), 6_000
    node = deep.play("321123")
    for _ in range(count // 60):
        node = node.add_variation("123321")
    text = str(deep)
    again = parse_record(text)
    assert again.valid
    assert str(again) == text
    again = parse_record('[Game "gyges"]\n\n1. 321123' + " (1. 123321" * count + ")" * count + " *")
    assert again.valid
    text = str(again)
    assert sum(1 for _ in again.nodes()) == count + 1
    assert str(parse_record(text)) == text
    last = again.main.nodes[0]
    while last.variations:
        last = last.variations[0].nodes[0]
    assert last.parent is None
    assert last.position == Position("gyges").apply("123321")
    ahead = last.play("321123")
    assert ahead.number == 1
    del deep, node, again, last, ahead

    chain = Record.new("siaius", fen="siaius 9c/10/10/10/10/10/10/10/10/C9 s - - 0")
    node = chain.play("a1-a2")
    replies = {"a1-a2": "j10-j9", "j10-j9": "a2-a1", "a2-a1": "j9-j10", "j9-j10": "a1-a2"}
    for _ in range(4_000):
        node = node.play(replies[node.ply])
    twin = parse_record(str(chain))
    assert twin == chain
    assert twin.main.nodes[-1].position == node.position


# ---- null plies and stated positions ----

SET_UP_RECORD = "1. 321123 321123 2. a1-a4"
STATED = "gyges 321123/....../....../..3.../....../.21123 n - 1+1"


def test_a_null_ply_gives_up_a_turn_in_a_variation() -> None:
    record = Record.new("gyges")
    node = record.play("321123", "321123", "a1-a4")
    before = node.before
    last = node.add_variation("--", "c6-c5", "a1-a4")
    assert [one.ply for one in record.nodes()] == ["321123", "321123", "a1-a4", "--", "c6-c5", "a1-a4"]
    assert last.line.nodes[0].position.fen == before.fen.replace(" s ", " n ")
    assert last.position == before.null_ply().play(["c6-c5", "a1-a4"])
    assert "(2. -- c6-c5 3. a1-a4)" in str(record)
    assert back(record) == record
    assert [one.position for one in back(record).nodes()] == [one.position for one in record.nodes()]
    line = json_line(record)
    assert '{"ply": "--"}' in line
    [raw] = json_records(io.BytesIO(line.encode()))
    assert RecordReader("x").read(raw) == record


@pytest.mark.parametrize(
    ("plies", "reason"),
    [
        (["--", "--"], "null-after-null"),
        (["a1-a4", "--", "--"], "null-after-null"),
    ],
)
def test_null_plies_do_not_follow_each_other(plies: list[str], reason: str) -> None:
    record = Record.new("gyges")
    node = record.play("321123", "321123", "a1-a4")
    with pytest.raises(IllegalPlyError) as raised:
        node.add_variation(*plies)
    assert raised.value.reason == reason
    with pytest.raises(IllegalPlyError) as raised:
        node.play("--")
    assert raised.value.reason == "null-in-main-line"
    assert node.variations == []
    text = f"{HEAD}{SET_UP_RECORD} (2. {' '.join(plies)}) *"
    assert [one.code for one in parse_record(text).diagnostics if one.is_error] == ["illegal-ply"]


@pytest.mark.parametrize(
    ("fen", "plies", "reason"),
    [
        ("gyges", [], "null-pending"),
        (GYGES_WIN, ["d2-N"], "game-over"),
        (GYGES_WIN.replace("1+1", "2+1"), ["d2-N"], "null-pending"),
        ("siaius 3m/S3/4/4 s - - 0", ["a3-a4"], "null-pending"),
        ("siaius 3m/S3/4/4 s - - 0", [], ""),
        ("gran g5:3:-/g2:3:-/b2:3:- c7 - 2.0.4.6.6.4.2 1 move", [], ""),
        ("gran g5:3:-!/g2:3:-/b2:3:- c7 - 2.0.4.6.6.4.2 1 move", [], ""),
    ],
)
def test_where_null_plies_are_legal(fen: str, plies: list[str], reason: str) -> None:
    position = Position(fen).play(plies)
    if reason:
        with pytest.raises(IllegalPlyError) as raised:
            position.null_ply()
        assert raised.value.reason == reason
    else:
        assert position.null_ply().player not in (position.player, None)


def test_a_null_ply_clears_what_siaius_players_missed_and_passed() -> None:
    position = Position("siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 s - - 0")
    after = position.play(["d7-d8"])
    assert after.fen.split()[3] == "d8"
    assert after.null_ply().fen == after.fen.replace(" n d8 - 0", " s - - 0")


def test_a_record_continues_from_a_stated_position() -> None:
    record = parse_record(f"{HEAD}{SET_UP_RECORD} {{lost [%position {STATED}]}} (2. b1-b3) 2... c6-c5 (2... d6-d5) *")
    assert [one.code for one in record.diagnostics] == ["gap"]
    node = record.main.nodes[2]
    assert node.reached == Position("gyges").play(["321123", "321123", "a1-a4"])
    assert node.position == Position(STATED)
    assert record.main.nodes[3].before == Position(STATED)
    assert record.main.nodes[3].position == Position(STATED).apply("c6-c5")
    assert node.variations[0].nodes[0].position == Position("gyges").play(["321123", "321123", "b1-b3"])
    assert record.main.nodes[3].variations[0].nodes[0].position == Position(STATED).apply("d6-d5")
    assert list(record.positions())[2:] == [node.before, Position(STATED), Position(STATED).apply("c6-c5")]
    assert back(record) == record
    assert [one.code for one in record.check()] == ["gap"]
    assert record.play("b1-b3").number == 3


def test_a_stated_position_at_the_beginning_after_a_variation_and_in_one() -> None:
    text = (
        f"{HEAD}{{[%position {STATED}]}} 1... c6-c5 (1... {{[%position {SIAIUS_LIKE}]}} d6-d5) "
        f"{{[%position {STATED}]}} 1... d6-d5 *"
    )
    record = parse_record(text)
    assert [one.code for one in record.diagnostics] == ["gap", "gap", "gap"]
    assert record.main.begin == Position(STATED)
    assert record.main.nodes[0].variations[0].begin == Position(SIAIUS_LIKE)
    assert record.main.nodes[0].position == Position(STATED)
    assert record.main.nodes[1].position == Position(STATED).apply("d6-d5")
    assert back(record) == record


def test_the_number_after_a_stated_position_may_skip_rounds() -> None:
    text = f"{HEAD}{SET_UP_RECORD} {{[%position {STATED}]}} 7... c6-c5 (7... d6-d5 8. b1-b3) 8. b1-b3 *"
    record = parse_record(text)
    assert [one.code for one in record.diagnostics] == ["gap"]
    assert [node.number for node in record.main.nodes] == [1, 1, 2, 7, 8]
    assert [node.number for node in record.main.nodes[3].variations[0].nodes] == [7, 8]
    assert "]} 7... c6-c5 (7... d6-d5 8. b1-b3) 8. b1-b3 *" in " ".join(str(record).split())
    assert back(record) == record
    assert record != parse_record(text.replace("7...", "6...").replace("8.", "7."))


@pytest.mark.parametrize(
    "movetext",
    [
        f"{{[%position {STATED}]}} 1... c6-c5",  # lower than the number of the plies before
        f"{{[%position {STATED}]}} c6-c5 7. b1-b3",  # not directly after the position
        f"{{[%position {STATED}]}} 7. c6-c5",  # the wrong side
        f"{{[%position {STATED}]}} (2. b1-b3 7... c6-c5) 2... c6-c5",  # the variation begins before the position
    ],
)
def test_other_numbers_after_a_stated_position_are_wrong(movetext: str) -> None:
    record = parse_record(f"{HEAD}{SET_UP_RECORD} {movetext} *")
    assert "wrong-number" in [one.code for one in record.diagnostics]


SIAIUS_LIKE = "gyges 321123/....../....../...3../....../.21123 n - 1+1"


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("gyges 3211/.. s", "bad-position"),
        ("rings", "bad-position"),
        (STATED.replace("n - 1+1", "n - 0+1"), "impossible-position"),
        ("x" * 5000, "bad-position"),
    ],
)
def test_a_stated_position_that_cannot_be_read(stated: str, code: str) -> None:
    record = parse_record(f"{HEAD}{SET_UP_RECORD} {{[%position {stated}]}} 2... c6-c5 *")
    assert [one.code for one in record.diagnostics] == [code]


def test_a_stated_position_that_is_reached_is_no_gap() -> None:
    fen = Position("gyges").play(["321123", "321123", "a1-a4"]).fen
    text = f"{HEAD}{SET_UP_RECORD} {{[%position {fen.replace(' ', chr(10))}]}} 2... c6-c5 *"
    record = parse_record(text)
    assert record.diagnostics == []
    assert back(record) == record


def test_a_stated_board_of_another_size_is_an_error() -> None:
    record = Record.new("rings")
    record.comment = "[%position rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0]"
    assert [one.code for one in record.check() if one.is_error] == ["bad-position"]
    assert record.main.begin == record.begin


def test_positions_of_nested_variations_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variations of first plies begin in the same position, each unless a comment states another one."""
    depth = 1000
    inner = "".join(f"(1... {{c}} {('d6-d5', 'c6-c5')[number % 2]} " for number in range(depth))
    stated = f"(1... {{[%position {STATED}]}} d6-d5 (1... c6-c5))"
    record = parse_record(f'{HEAD.strip()}\n[FEN "{SIAIUS_LIKE}"]\n\n1... c6-c5 {inner} {stated} {")" * depth} *')
    nodes = list(record.nodes())
    assert len(nodes) == depth + 3
    looks = 0

    def counted(comments: list[str], position: Position) -> Position:
        nonlocal looks
        looks += 1
        return original(comments, position)

    original = record_module._stated
    monkeypatch.setattr(record_module, "_stated", counted)
    assert [node.before.fen for node in reversed(nodes)] == [STATED, STATED, *[SIAIUS_LIKE] * (depth + 1)]
    assert nodes[-1].position == Position(STATED).apply("c6-c5")
    assert all(node.position == node.before.apply(node.ply) for node in nodes)
    for _ in range(depth):
        nodes[-1].add_variation("d6-d5")
    assert looks < 20 * depth
