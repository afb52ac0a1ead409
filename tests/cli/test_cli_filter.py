"""``filter``: which records match, and that their text is unchanged."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen
from record_maker import RecordMaker

from ringfen import Position
from ringfen.notation import Record, random_game, read_records
from ringfen.notation.splitting import split_records

GAMES = ("gyges", "rings", "siaius", "gran")
CRLF = '[Game "rings"]\r\n[Date "2001.05.??"]\r\n\r\n1. c2-c3 {x}\r\n% skipped\r\n*'


def made_file() -> bytes:
    """Records of all games, tidy and untidy, valid and invalid."""
    random, texts = Random(15), []
    for number in range(60):
        game = GAMES[number % 4]
        many = game == "gran"
        players = [(f"Player{one}", f"P{one}") for one in (1, 2, 3)] if many else [("South", "Ada"), ("North", "Bo")]
        tags = [("Game", game), ("Event", f"E{number % 3}"), ("Date", f"20{number:02}.0{1 + number % 9}.1{number % 9}")]
        if number % 5 == 0:
            tags.append(("Annotator", 'a \\"b\\" [c]'))
        maker = RecordMaker(random, Position(game))
        text = maker.make(random.randint(0, 30), [*tags, *players]).text
        if number % 7 == 6:
            text = text.replace("1.", "1. zz", 1)
        texts.append(text + "\n")
    texts.append(CRLF.replace("\r\n", "\n") + "\n\n")
    return "".join(texts).encode()


DATA = made_file()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("filter") / "games.rgn"
    file.write_bytes(DATA)
    return str(file)


RECORDS = list(read_records(io.BytesIO(DATA)))
TEXTS = [raw.data for raw in split_records(io.BytesIO(DATA))]


def expected(holds: object) -> bytes:
    assert callable(holds)
    return b"".join(text for text, record in zip(TEXTS, RECORDS, strict=True) if holds(record))


def names(record: Record) -> list[str]:
    return [value for name, value in record.tags.items() if name in ("South", "North") or name.startswith("Player")]


CONDITIONS = [
    (["--game", "gyges"], lambda r: r.game.id == "gyges"),
    (["--game", "gyges", "--game", "gran"], lambda r: r.game.id in ("gyges", "gran")),
    (["--player", "ad"], lambda r: any("ad" in name.lower() for name in names(r))),
    (["--result", "*"], lambda r: r.result == "*"),
    (["--outcome", "null"], lambda r: r.outcome is None),
    (["--plies", "10..20"], lambda r: 10 <= r.plies <= 20),
    (["--plies", "..5", "--plies", "25.."], lambda r: r.plies <= 5 or r.plies >= 25),
    (["--date", "2010..2020.05"], lambda r: "2010" <= r.tags["Date"] < "2020.06" and "?" not in r.tags["Date"]),
    (["--date", "2000.02.29..2001.02.28"], lambda r: "2000.02.29" <= r.tags["Date"] <= "2001.02.28"),
    (["--date", "2001..2001"], lambda r: r.tags["Date"].startswith("2001.")),
    (["--tag", 'Annotator=A "?" *'], lambda r: "Annotator" in r.tags),
    (["--tag", "Event=e1", "--game", "rings"], lambda r: r.tags.get("Event") == "E1" and r.game.id == "rings"),
    (["--valid"], lambda r: r.valid),
    (["--invalid"], lambda r: not r.valid),
    (["--code", "bad-ply"], lambda r: any(one.code == "bad-ply" for one in r.diagnostics)),
    (["--invalid", "--not"], lambda r: r.valid),
    ([], lambda r: True),
]


def use_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads check few records at a time, and remember the facts of few records."""
    monkeypatch.setattr("ringfen.notation.parallel_check._BLOCK", 1000)
    monkeypatch.setattr("ringfen.notation.bulk_check._MOST_KINDS", 2)
    monkeypatch.setattr("ringfen.cli.record_files._MOST_SHARED", 2)
    monkeypatch.setattr("ringfen.cli.stats._MOST_FACTS", 2)


@pytest.mark.parametrize("jobs", ["1", "3"])
@pytest.mark.parametrize(("options", "holds"), CONDITIONS, ids=[" ".join(one[0]) for one in CONDITIONS])
def test_conditions(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], holds: object, jobs: str
) -> None:
    use_small_blocks(monkeypatch)
    rejects = tmp_path / "rest.rgn"
    result = ringfen("filter", path, *options, "--rejects", str(rejects), "--jobs", jobs)
    assert result.exit_code == 0
    assert result.stdout_bytes == expected(holds)
    assert sorted(split(result.stdout_bytes) + split(rejects.read_bytes())) == sorted(TEXTS)
    count = ringfen("filter", path, *options, "--count", "--jobs", jobs).stdout
    assert int(count) == len(split(result.stdout_bytes))
    numbers = [line["record"] for line in json_lines(ringfen("filter", path, *options, "--json", "--jobs", jobs))]
    assert [TEXTS[number - 1] for number in numbers] == split(result.stdout_bytes)


@pytest.mark.parametrize(
    ("date", "ranges", "others"),
    [
        ("2026.??.??", ["2026", "2026..", "..2026", "2025.12.31..2027"], ["2026.01", "2026.01.01..2026.12.30", "2027"]),
        ("1998.05", ["1998", "1998.05", "1998.05.01..1998.05.31"], ["1998.05.02..", "..1998.05.30", "1998.06"]),
        ("1998", ["1998", "1990..1999"], ["1998.02..", "1999"]),
        ("2001.02.??", ["2001.02.01..2001.02.28"], ["2001.02.01..2001.02.27"]),
        ("19??.??.??", ["1900..1999"], ["1901..1999", "1900..1998"]),
        ("????.??.??", ["0001..9999"], ["1000.."]),
        ("2001.5.31", [], ["0001..9999"]),
        ("2001.02.30", [], ["0001..9999"]),
        ("٢٠٠١.٠٥.٣١", [], ["0001..9999"]),
        ("?", [], ["0001.."]),
    ],
)
def test_partial_dates_match_if_they_are_certain(date: str, ranges: list[str], others: list[str]) -> None:
    text = f'[Game "gyges"]\n[Date "{date}"]\n\n*\n'
    for wanted in (*ranges, *others):
        found = ringfen("filter", "-", "--date", wanted, "--count", stdin=text)
        assert (wanted, found.stdout) == (wanted, "1\n" if wanted in ranges else "0\n")


def split(data: bytes) -> list[bytes]:
    return [raw.data for raw in split_records(io.BytesIO(data))]


def test_every_position_of_a_main_line_is_found_and_none_of_variations(tmp_path: Path) -> None:
    random = Random(4)
    records = [random_game(Position(GAMES[number % 4]), number, plies=12) for number in range(24)]
    for record in records:
        node = random.choice(list(record.mainline())[2:])
        others = [ply for ply in node.before.plies() if ply != node.ply]
        if others and not node.before.is_chance:
            node.add_variation(random.choice(others))
    file = tmp_path / "g.rgn"
    file.write_text("".join(f"{record}\n" for record in records), encoding="utf-8")
    lines = [list(record.positions()) for record in records]
    sought = [random.choice(line) for line in lines for _ in range(3)]
    sought += [node.position for record in records for node in record.nodes() if node.line is not record.main]
    for position in sought:
        found = [
            one["record"] for one in json_lines(ringfen("filter", str(file), "--position", position.fen, "--json"))
        ]
        assert found == [number for number, line in enumerate(lines, 1) if position in line]
    for record, line in zip(records, lines, strict=True):
        length = random.randint(1, len(line) - 1)
        plies = [node.ply for node in record.mainline()][:length]
        found = [
            one["record"] for one in json_lines(ringfen("filter", str(file), "--opening", " ".join(plies), "--json"))
        ]
        assert found == [
            number
            for number, other in enumerate(records, 1)
            if other.game is record.game and [node.short for node in other.mainline()][:length] == plies
        ]


# ---- patterns ----


def squares(rank: str, game: str) -> list[str]:
    """The squares of a rank of a position text, one by one."""
    tokens = re.findall(r"[0-9]+|." if game == "siaius" else r".(?:\([0-9]*\))?", rank)
    runs = game == "siaius"
    return [one for token in tokens for one in (["."] * int(token) if runs and token.isdigit() else [token])]


def masked(position: Position, random: Random) -> str:
    """A pattern that matches the position, and others."""
    name, board, *rest = position.fen.split()
    if name != "gran":
        ranks = []
        for rank in board.split("/"):
            row = [one if random.random() < 0.4 else "?" for one in squares(rank, name)]
            ranks.append("*" if random.random() < 0.5 else "".join(row))
        board = "/".join(ranks)
    else:
        board = "/".join("*" if random.random() < 0.7 else _with_holes(part, random) for part in board.split("/"))
    rest = ["*" if random.random() < 0.7 and "=" not in field else field for field in rest]
    while rest and rest[-1] == "*" and random.random() < 0.5:
        rest.pop()
    if len(rest) < len(position.fen.split()) - 2:
        rest.append("*")
    return " ".join([name, board, *rest])


def _with_holes(text: str, random: Random) -> str:
    return "".join("?" if random.random() < 0.3 else sign for sign in text)


def written(position: Position) -> str:
    """The position's text with a comma between squares."""
    name, board, *rest = position.fen.split()
    if name != "gran":
        board = "/".join(",".join(squares(rank, name)) for rank in board.split("/"))
    return " ".join([name, board, *rest])


def as_regular_expression(pattern: str) -> re.Pattern[str]:
    """What matches the same positions as the pattern, in the form of :func:`written`."""
    name, board, *rest = pattern.split()
    parts = []
    for rank in board.split("/"):
        if rank == "*":
            parts.append("[^/ ]*")
        elif name == "gran":
            parts.append("".join("[^/ ]" if sign == "?" else re.escape(sign) for sign in rank))
        else:
            parts.append(",".join("[^,/]+" if one == "?" else re.escape(one) for one in squares(rank, name)))
    form = " ".join([name, "/".join(parts)])
    for field in rest[:-1]:
        form += " " + ("[^ ]+" if field == "*" else re.escape(field))
    return re.compile(form + ("( .*)?" if rest[-1] == "*" else " " + re.escape(rest[-1])))


@pytest.mark.parametrize(
    "start",
    [
        *GAMES,
        "gyges ....../....../....../....../....../112233 n - 1+1 setup=done",
        "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0",
        "siaius smtsmtsm/8/8/8/8/8/8/SMTSMTSM s - - 0 beats=reverse huff=stone",
        "siaius smt2/5/5/5/2SMT s - - 0 huff=off",
        "gran -:3:-/-:3:-/-:3:-/-:3:- c7 d3,f7 2.0.4.5.6.4.2 1 move seals=2",
    ],
)
def test_patterns_match_as_regular_expressions_do(start: str, tmp_path: Path) -> None:
    random = Random(7)
    file = tmp_path / "games.rgn"
    records = [random_game(start, seed) for seed in range(15)]
    file.write_text("".join(map(str, records)))
    lines = [list(record.positions()) for record in records]
    texts = [list(map(written, line)) for line in lines]
    numbers = set()
    for _ in range(8):
        pattern = masked(random.choice(random.choice(lines)[:40]), random)
        fits = as_regular_expression(pattern).fullmatch
        expected = [number for number, line in enumerate(texts, 1) if any(map(fits, line))]
        result = ringfen("filter", "--json", str(file), "--pattern", pattern)
        assert [line["record"] for line in json_lines(result)] == expected, pattern
        assert expected
        numbers.add(len(expected))
    assert min(numbers) < len(records)


def test_a_pattern_and_a_position_must_both_match(path: str) -> None:
    start = Position("siaius").fen
    pattern = "siaius */*/*/*/*/*/*/*/*/?????????? n *"
    both = ringfen("filter", path, "--count", "--position", start, "--pattern", pattern)
    pattern_only = ringfen("filter", path, "--count", "--pattern", pattern)
    assert int(both.stdout) == int(pattern_only.stdout) > 0
    other = Position("rings").fen
    assert ringfen("filter", path, "--count", "--position", other, "--pattern", pattern).stdout.strip() == "0"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "is not a game"),
        ("chess * *", "is not a game"),
        ("gyges * s", "fields before its options"),
        ("gyges * s - 1+1 extra", "fields before its options"),
        ("gyges 3**/*/*/*/*/* s - 1+1", "whole rank or field"),
        ("gyges *//*/*/*/* s - 1+1", "whole rank or field"),
        ("rings \u2605 *", "ASCII"),
        ("gyges */*/*/????/*/* s *", "no position matches rank 4 from the top, ????: a rank has six squares"),
        ("gyges */?4????/*/*/*/* s *", "no position matches rank 2 from the top, ?4????: a rank has"),
        ("gyges */*/*/*/* s *", "no position of gyges has 5 ranks: a rank has six squares"),
        ("gyges ?????? *", "no position of gyges has 1 rank: a rank has six squares"),
        ("gyges * x *", "no position matches field 3: the side to move is s or n, not x"),
        ("rings ????????/*/*/*/*/*/* s *", "????????: a rank has 7 or 5 squares, and this one has more"),
        ("rings */K(?)??????/*/*/*/*/* *", "K(?)??????: a holder's rings are 5, 3 and 1, closed by a parenthesis, as"),
        ("rings */*/*/?Q?????/*/*/* *", "no position matches rank 4 from the top"),
        ("rings */*/* *", "no position of rings has 3 ranks: the board has 7 ranks"),
        ("rings ?????/?????/?????/?????/????? *", "no position of rings has 5 ranks: the board has 7 ranks"),
        ("rings */*/*/*/*/*/*/* *", "no position of rings has 8 ranks: the board has 7 ranks"),
        ("siaius ?????/????? *", "no position of siaius has 2 ranks: a board has 3 to 10 files"),
        ("siaius */*/11/*/* *", "no position matches rank 3 from the top"),
        ("siaius 4c5/????c/*/*/* *", "no position matches rank 2 from the top"),
        ("siaius */x9/*/*/* *", "no position matches rank 2 from the top"),
        ("siaius * s c44 *", "no position matches field 4"),
    ],
)
def test_patterns_that_match_nothing_are_rejected(pattern: str, words: str, path: str) -> None:
    result = ringfen("filter", path, "--pattern", pattern)
    assert result.exit_code == 2
    assert words in result.stderr


def test_openings_compare_short_forms_and_skip_numbers(tmp_path: Path) -> None:
    file = tmp_path / "g.rgn"
    file.write_text('[Game "gyges"]\n\n1. 321123 321123 2. a1-a2xa6-a3 *\n', encoding="utf-8")
    assert ringfen("filter", str(file), "--opening", "1. 321123 321123", "--count").stdout == "1\n"
    assert ringfen("filter", str(file), "--opening", "321123 123321", "--count").stdout == "0\n"
    assert ringfen("filter", str(file), "--opening", "1.").exit_code == 2


def test_a_malformed_position_is_shown_with_a_caret() -> None:
    result = ringfen("filter", "/nonexistent", "--position", "rings", "--position", "rings xx")
    assert result.exit_code == 2
    first, *rest = result.stderr.splitlines()
    assert first.startswith("--position:2:7: bad-ranks: the ranks cannot be read at xx in rank 1 from the top; a rank")
    assert rest == ["  rings xx", "        ^^"]


def test_an_opening_of_no_game_is_rejected() -> None:
    for ply in ("zz", "e4", "4:9", "c2-c3 c3x"):
        result = ringfen("filter", "/nonexistent", "--opening", ply)
        assert result.exit_code == 2
        assert f"'--opening': {ply.split()[-1]} is not a ply of any game" in result.stderr
    for ply in ("pass", "4:5", "+b13", "a12-a11", "a1-c2xb3-e5", "@c3", "1...stay", "rest"):
        assert "is no ply" not in ringfen("filter", "/nonexistent", "--opening", ply).stderr


def test_equal_games_are_kept_once(path: str, tmp_path: Path) -> None:
    rejects = tmp_path / "rest.rgn"
    result = ringfen("filter", path, path, "--valid", "--dedupe", "--rejects", str(rejects))
    kept, seen = [], set()
    for text, record in zip(TEXTS, RECORDS, strict=True):
        key = (record.start, *(node.short for node in record.mainline()))
        if record.valid and key not in seen:
            seen.add(key)
            kept.append(text)
    assert split(result.stdout_bytes) == kept
    assert len(split(rejects.read_bytes())) == 2 * len(TEXTS) - len(kept)


def test_files_by_key(path: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "by"
    result = ringfen("filter", path, "--out-dir", str(folder), "--by", "result")
    assert result.exit_code == 0
    assert not result.stdout
    assert "%2A.rgn" in {file.name for file in folder.iterdir()}
    assert sorted(text for file in folder.iterdir() for text in split(file.read_bytes())) == sorted(TEXTS)
    ringfen("filter", path, "--out-dir", str(folder), "--by", "tag:Annotator")
    assert {"a%20%22b%22%20%5Bc%5D.rgn", "-.rgn"} < {file.name for file in folder.iterdir()}
    assert "to DIR: VALUE.rgn, or -.rgn for records without one" in " ".join(ringfen("filter", "--help").stdout.split())
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


def test_outputs_that_end_with_gz_are_compressed(path: str, tmp_path: Path) -> None:
    plain, packed, rejects = tmp_path / "plain.rgn", tmp_path / "packed.rgn.gz", tmp_path / "rejects.rgn.gz"
    ringfen("filter", path, "--game", "gyges", "--out", str(plain))
    ringfen("filter", path, "--game", "gyges", "--out", str(packed), "--rejects", str(rejects))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    others = ringfen("filter", path, "--game", "gyges", "--not", "--count").stdout
    assert ringfen("filter", str(rejects), "--count").stdout == others


def test_records_of_several_files_stay_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "1.rgn", tmp_path / "2.rgn"
    first.write_bytes(CRLF.encode())
    second.write_bytes(b"\xef\xbb\xbf" + CRLF.encode())
    result = ringfen("filter", str(first), str(second), str(first))
    assert result.stdout_bytes == b"\r\n\r\n".join([CRLF.encode()] * 3)


def test_usage_errors(path: str, tmp_path: Path) -> None:
    for options in (
        ["--game", "chess"],
        ["--code", "none"],
        ["--plies", "a..b"],
        ["--plies", ".."],
        ["--plies", "40..20"],
        ["--date", "2001..xx"],
        ["--date", "٢٠٠١"],
        ["--plies", "٣..٥"],
        ["--date", "1999.13"],
        ["--date", "1999.00.."],
        ["--date", "2001.02.30"],
        ["--date", "..1900.02.29"],
        ["--date", "2001.08..2001.07.31"],
        ["--date", "2002..2001.12"],
        ["--outcome", "South"],
        ["--outcome", "7"],
        ["--outcome", ""],
        ["--player", ""],
        ["--player", " "],
        ["--player", "\u0301"],
        ["--result", "1:0"],
        ["--result", "South"],
        ["--tag", "Event"],
        ["--position", "gyges x"],
        ["--out-dir", str(tmp_path)],
        ["--by", "year"],
        ["--out-dir", str(tmp_path), "--by", "colour"],
        ["--count", "--json"],
    ):
        assert ringfen("filter", path, *options).exit_code == 2, options
    assert ringfen("filter", path, "--out", path).exit_code == 2
    for option in ("--count", "--json"):
        assert f"{option} and --out - both print" in ringfen("filter", path, option, "--out", "-").stderr
    assert Path(path).read_bytes() == DATA
    assert ringfen("filter", str(tmp_path / "none.rgn")).exit_code == 2


def test_a_record_that_is_too_long_is_named_and_skipped(path: str, tmp_path: Path) -> None:
    long = tmp_path / "long.rgn"
    long.write_bytes(b'[Game "gyges"]\n\n{' + b"x" * (1 << 20) + b"} *\n\n" + CRLF.encode())
    result = ringfen("filter", "--max-record", "1", str(long))
    assert result.exit_code == 2
    assert result.stdout_bytes == CRLF.encode()
    assert "record 1 is longer than 1 MB" in result.stderr


# ---- names ----

PEOPLE = ["Désgranges", "DESGRANGES", "Øyvind Łoś", "Straße", "Ísafjörður", "Τσίπρας", "ｆｕｌｌ", "İnci"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("desgranges", [1, 2]),
        ("De\u0301sgr", [1, 2]),
        ("oyvind los", [3]),
        ("STRASSE", [4]),
        ("isafjordur", [5]),
        ("τσιπρας", [6]),
        ("ΤΣΊΠΡΑΣ", [6]),
        ("full", [7]),
        ("inci", [8]),
    ],
)
@pytest.mark.parametrize("option", ["--player", "--tag"])
def test_case_and_accents_are_ignored(name: str, found: list[int], option: str) -> None:
    text = "".join(f'[Game "gyges"]\n[South "{one}"]\n\n*\n\n' for one in PEOPLE)
    wanted = name if option == "--player" else f"South=*{name}*"
    lines = json_lines(ringfen("filter", "-", "--json", option, wanted, stdin=text))
    assert [line["record"] for line in lines] == found


# ---- unchanged bytes ----

ONE = b'[Game "gyges"]\n[South "A"]\n\n1. 321123 321123 *'
SAME = {
    "mark": b"\xef\xbb\xbf" + ONE + b"\n\n" + ONE + b"\n",
    "crlf": (ONE + b"\n\n" + ONE + b"\n").replace(b"\n", b"\r\n"),
    "cr": (ONE + b"\n\n" + ONE + b"\n").replace(b"\n", b"\r"),
    "no end": ONE + b"\n\n" + ONE,
    "one line end": ONE + b"\n" + ONE + b"\n",
    "no line end": ONE + ONE,
    "mark inside": ONE + b"\n\n\xef\xbb\xbf" + ONE,
    "blank lines": b"\n\n  \n% skipped\n" + ONE + b"\n\n\n\n\n" + ONE + b"\n \n\t\n",
    "junk": b"junk before\n\n" + ONE + b"\n\njunk between\n\n" + ONE + b"\n\njunk after",
    "comment": b"{about}\n\n" + ONE + b"\n",
    "bytes": ONE + b"\n{\xff\x00}\n\n" + ONE,
}


@pytest.mark.parametrize("how", SAME)
@pytest.mark.parametrize("options", [(), ("--not", "--plies", "9..")], ids=" ".join)
def test_records_that_all_match_stay_as_they_are(how: str, options: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "a.rgn"
    file.write_bytes(SAME[how])
    assert ringfen("filter", str(file), *options).stdout_bytes == SAME[how]
    assert ringfen("filter", "-", *options, stdin=SAME[how]).stdout_bytes == SAME[how]
    ringfen("filter", str(file), *options, "--out", str(tmp_path / "b"))
    assert (tmp_path / "b").read_bytes() == SAME[how]


# ---- a file for each value ----


def events(*names: str) -> str:
    return "".join(f'[Game "gyges"]\n[Event "{name}"]\n\n*\n\n' for name in names)


def test_files_keep_modes_and_links(tmp_path: Path) -> None:
    into, other = tmp_path / "by", tmp_path / "other"
    into.mkdir()
    other.mkdir()
    (into / "a.rgn").write_text("old")
    (into / "a.rgn").chmod(0o600)
    (other / "target").write_text("old")
    (into / "b.rgn").symlink_to("../other/target")
    assert ringfen("filter", "-", "--out-dir", str(into), "--by", "event", stdin=events("a", "b")).exit_code == 0
    assert (into / "a.rgn").stat().st_mode & 0o777 == 0o600
    assert (into / "b.rgn").is_symlink()
    assert (other / "target").read_text() == events("b")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.rgn", "b.rgn", "by", "other", "target"]


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_files_are_replaced_together_or_not_at_all(tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.rgn").write_text("old")
    (tmp_path / "c.rgn").write_text("old")
    original, calls = getattr(os, call), []

    def failing(*args: object) -> None:
        calls.append(args)
        if len(calls) == 3:
            raise OSError(errno.EIO, "failed")
        original(*args)

    monkeypatch.setattr(os, call, failing)
    result = ringfen("filter", "-", "--out-dir", str(tmp_path), "--by", "event", stdin=events("a", "b", "c"))
    assert result.exit_code == 2
    assert "failed" in result.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.rgn": "old", "c.rgn": "old"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_directory_unchanged(tmp_path: Path, number: int) -> None:
    (tmp_path / "a.rgn").write_text("old")
    command = [sys.executable, "-m", "ringfen", "filter", "-", "--out-dir", str(tmp_path), "--by", "event"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    text = events(*(f"{number}" for number in range(50)), "a").encode()
    process.stdin.write(text * (400_000 // len(text)))
    process.stdin.flush()
    while len(list(tmp_path.glob(".ringfen-*"))) < 51:
        assert process.poll() is None
    # A signal that arrives just before the program waits for input is handled only after the next one.
    for _ in range(300):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            break
    else:
        process.kill()
    assert process.wait() == 130
    process.stdin.close()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.rgn": "old"}


def test_more_files_than_can_be_open(tmp_path: Path) -> None:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))

    command = [sys.executable, "-m", "ringfen", "filter", "-", "--out-dir", str(tmp_path), "--by", "event", "-q"]
    text = events(*(f"{number}" for number in range(200)))
    done = subprocess.run(command, input=text.encode(), preexec_fn=few, check=False)
    assert done.returncode == 0
    assert len(list(tmp_path.iterdir())) == 200


def test_files_of_names_with_other_accents_are_one(tmp_path: Path) -> None:
    ringfen("filter", "-", "--out-dir", str(tmp_path), "--by", "event", stdin=events("Élan", "elan", ""))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["%C3%89lan.rgn", "-.rgn"]
    assert (tmp_path / "%C3%89lan.rgn").read_text() == events("Élan", "elan")
