"""``fix``: a damaged record is repaired, or left and reported; it never becomes another valid record."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen
from record_damage import Damage, in_movetext

from ringfen import Position
from ringfen.notation import parse_record, random_game, repairing
from ringfen.notation.located_check import LocatedCheck
from ringfen.notation.misspellings import same_ply

GAMES = ("gyges", "rings", "siaius", "gran")
HEAD = '[Game "gyges"]\n[Event "?"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'


def most_memory(*args: str) -> int:
    """The most bytes that Python itself had in use during a command."""
    ringfen(*args)  # so that what is imported once does not count
    tracemalloc.start()
    try:
        ringfen(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fixed(text: str) -> str:
    return ringfen("fix", "-", stdin=text).stdout


NUMBER = "\nTel. 12-34"
PLY = r"(?<=[ \n])[=@*+]?[a-z]\d+\S*"
DAMAGES: dict[str, Damage] = {
    "dash": in_movetext(r"(?<=\d)-(?=[a-zN])", lambda place, random: random.choice("‐‑–—−")),
    "cross": in_movetext(r"(?<=\d)x(?=[a-z])", lambda place, random: random.choice("×X:✕ХхΧχ")),
    "capitals": in_movetext(PLY, lambda place, random: place[0].upper()),
    "look-alike": in_movetext(r"(?<=[ \n])[ace](?=\d)", lambda place, random: {"a": "а", "c": "с", "e": "е"}[place[0]]),
    "no hyphen": in_movetext(r"(?<=\d)-(?=[a-z])", lambda place, random: ""),
    "x for -": in_movetext(r"(?<=\d)-(?=[a-z])", lambda place, random: "x"),
    "- for x": in_movetext(r"(?<=\d)x(?=[a-z])", lambda place, random: "-"),
    "number": in_movetext(r"\d+(?=\.)", lambda place, random: str(int(place[0]) + random.randint(1, 9))),
    "dots": in_movetext(r"(?<=\d)\. ", lambda place, random: ".. "),
    "result": lambda text, random: re.sub(
        r"(\S+)\n+\Z", lambda end: end[1].replace("-", random.choice("–:")).replace("1/2", "½") + "\n", text
    ),
    "contradiction": lambda text, random: re.sub(
        r'(?<=Result ")[^"]*', lambda tag: random.choice((tag[0], "*", "1-0", "0-1")), text
    ),
    "tag name": in_movetext(r"(?!)", lambda place, random: ""),
    "line ends": lambda text, random: text.replace("\n", random.choice(("\r\n", "\r"))),
}


def damage_tag(text: str, random: Random) -> str:
    name = random.choice(re.findall(r"\[(\w+) ", text))
    return text.replace(f"[{name} ", f"[{random.choice((name.upper(), name.lower()))} ")


DAMAGES["tag name"] = damage_tag


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_damaged_record_comes_back_or_is_left(game: str, kind: str) -> None:
    random = Random(f"{game} {kind}")
    for seed in range(12):
        record = random_game(Position(game), seed, plies=random.choice((8, 40, None)) if game != "gran" else 60)
        text = str(record)
        assert fixed(text) == text
        damaged = DAMAGES[kind](text, random)
        found = parse_record(damaged)
        if not found.diagnostics and "\r" not in damaged:
            assert fixed(damaged) == damaged
            continue
        result = fixed(damaged)
        if result != text:
            # The damage can have made another legal ply, which then counts.
            left = parse_record(result)
            assert not left.valid or (found.valid and left == found), (damaged, result)
        assert fixed(result) == result


def test_what_comes_back_is_most(tmp_path: Path) -> None:
    """The kinds with one reading by themselves always come back."""
    random = Random(1)
    for kind in ("dash", "cross", "capitals", "look-alike", "number", "result", "line ends"):
        for seed in range(6):
            for game in GAMES:
                text = str(random_game(Position(game), seed, plies=30))
                assert fixed(DAMAGES[kind](text, random)) == text, (kind, game, seed)


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b""), ("cp1252", b"")]
)
def test_encodings(tmp_path: Path, encoding: str, mark: bytes) -> None:
    text = HEAD.replace("A", "André") + "1. 321123 321123 *\n\n"
    file = tmp_path / "a.rgn"
    file.write_bytes(mark + text.encode(encoding))
    lines = json_lines(ringfen("fix", "--write", "--json", str(file)))
    assert [line.get("code") for line in lines] == ["bad-utf8", None]
    assert lines[-1] == {"file": str(file), "repaired": 1, "left": 0}
    assert file.read_bytes() == text.encode()
    assert json_lines(ringfen("fix", "--json", str(file)))[0]["repaired"] == 0


@pytest.mark.parametrize("begin", [b"\xff\xfe", b"\xfe\xff", b""])
def test_utf_16_that_is_cut_short_is_left(tmp_path: Path, begin: bytes) -> None:
    cut, other = tmp_path / "cut.rgn", tmp_path / "other.rgn"
    data = begin + HEAD.encode("utf-16-be" if begin == b"\xfe\xff" else "utf-16-le") + b"*"
    cut.write_bytes(data)
    other.write_text(f"{HEAD}1. 321123 321123 draw\n", encoding="utf-8")
    result = ringfen("fix", "--write", str(cut), str(other))
    assert result.exit_code == 1
    assert cut.read_bytes() == data
    assert "321123 1/2-1/2" in other.read_text(encoding="utf-8"), "the next file is still repaired"


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf_32_is_rejected(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "games.rgn"
    data = ("\ufeff" + HEAD + "1. 321123 *\n").encode(encoding)
    path.write_bytes(data)
    for option in ((), ("--diff",), ("--write",), ("--json",)):
        result = ringfen("fix", str(path), *option)
        assert (result.exit_code, result.stdout, path.read_bytes()) == (2, "", data)
        assert result.stderr.startswith(f"error: {path}: nothing was changed: UTF-32 is not supported")


def test_an_edit_that_changes_nothing_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be found and kept again and again."""

    def same(checked: LocatedCheck) -> list[repairing._Edit]:
        return [repairing._Edit(0, 1, "bad-ply", checked.data[:1], repairing.NOTHING)]

    def fail(*_: object) -> None:
        raise AssertionError("the edit is applied")

    monkeypatch.setattr(repairing, "_edits", same)
    for name in ("_apply", "_apply_batch"):
        monkeypatch.setattr(repairing._Repairs, name, fail)
    text = '[Game "gyges"]\n\n1. 321123 x *\n'
    result = ringfen("fix", "-", stdin=text)
    assert result.stdout == text, result.stderr


def test_null_moves_are_reported_and_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are legal, so a file with no other diagnostic needs no search for repairs."""
    text = ringfen("random", "gyges", "--games", "8", "--seed", "1", "--max-plies", "120").stdout
    damaged = text.replace("\n\n[", " 200.\n\n[", 1)
    monkeypatch.setattr("ringfen.cli.fix._is_correct", lambda *_: False)
    slow, of_damaged = ringfen("fix", "-", stdin=text), ringfen("fix", "-", stdin=damaged)
    monkeypatch.undo()
    assert (slow.stdout, slow.stderr.count("null-move"), of_damaged.stdout) == (text, 5, damaged)
    assert ringfen("fix", "-", stdin=damaged).stderr == of_damaged.stderr != slow.stderr
    monkeypatch.delattr(repairing, "repair")
    fast = ringfen("fix", "-", stdin=text)
    assert (fast.exit_code, fast.stdout, fast.stderr) == (slow.exit_code, text, slow.stderr)


def test_text_before_the_first_record_stays() -> None:
    before = "\n% " + "é" * 100_000 + "\n% again\n\n"
    text = f"{before}{HEAD}1. 321123 *\n"
    assert fixed(text) == text


def test_a_piece_letter_as_in_chess_is_removed_if_the_rest_is_legal() -> None:
    text = '[Game "rings"]\n\n1. Kg1-g2 Nc7d7 2. Kg2-g9 *\n'
    assert fixed(text) == text.replace("Kg1-g2 Nc7d7", "g1-g2 c7-d7")


@pytest.mark.parametrize(
    ("ranks", "meant"), [("1k1.1/11111/33533/11111/1k1K1", "a1xb2"), ("1k1k1/11111/33533/11111/1.1K1", None)]
)
def test_a_ply_with_a_piece_letter_is_read_as_without_it(ranks: str, meant: str | None) -> None:
    """A sign of a capture is not exchanged if only the word decides, as after a wrong number."""
    position = Position(f"rings k1k1k/{ranks}/K1K1K s 0+0 0")
    assert same_ply(position, "Ka1:b2") == same_ply(position, "a1:b2") == meant


@pytest.mark.parametrize("text", ["b1 x c3 - d5", "b1 - c3 -d5"])
def test_squares_after_a_ply_that_is_divided_by_spaces_may_belong_to_it(text: str) -> None:
    record = f'[Game "gyges"]\n\n1. 321123 321123 2. a1-b3 c6-c5 3. {text} *\n'
    assert fixed(record) == record


def test_spaces_around_the_sign_of_a_displacement() -> None:
    begin = "1. 231123 321123 2. f1-e3 a6-c5 3. e1-d2 f6xe6-a2"
    record = f'[Game "gyges"]\n\n{begin} 4. c1-d1-d2 x e3-c3 *\n'
    assert fixed(record) == record.replace(" x ", "x")


@pytest.mark.parametrize("lines", ["e1-d2 f6xe6-a2=\n4. c1-d1-d2xe3-c3", "e1-d2=\nf6xe6-a2"])
def test_a_sign_of_equality_at_the_end_of_a_line_is_not_quoted_printable(lines: str) -> None:
    record = f'[Game "gyges"]\n\n1. 231123 321123 2. f1-e3 a6-c5 3. {lines} *\n'
    assert fixed(record) == record.replace("=\n", " $10\n")


@pytest.mark.parametrize("tag", ["", '[Game "Gigess"]\n'])
def test_two_equal_setups_of_an_unknown_game_are_no_result(tag: str) -> None:
    text = f'{tag}[South "A"]\n[North "B"]\n\n1. 3-2-1-1-2-3 3-2-1-1-2-3 2. a1-a4 f6xe6-d2 *\n'
    assert fixed(text) == text


@pytest.mark.parametrize("behind", ["\u00a0", "\u2003\u3000", "\x1c", "{", ";}", "{}{;}\n;{", "x"])
def test_what_may_stand_behind_a_result(behind: str) -> None:
    """As far as the end, however long it is."""
    text = f"{HEAD}1. 321123 ½-½ {behind}"
    aside = re.fullmatch(r"(?:\s|\{[^}]*\}|;[^\r\n]*)*", behind) is not None
    assert ("1/2-1/2" in fixed(text)) == aside


def test_one_huge_word_needs_little_memory(tmp_path: Path) -> None:
    """In bytes: as many times the size of the record as reading needs. Repair once took thirty times."""
    path = tmp_path / "games.rgn"
    path.write_text(f"{HEAD}1. {'a1-' * 3_000_000} *\n")
    sizes = {command: most_memory(command, str(path)) for command in ("validate", "fix")}
    assert sizes["fix"] < sizes["validate"] + 4 * path.stat().st_size


def test_mixed_encodings_are_left() -> None:
    data = HEAD.replace("A", "Zoë").encode() + b"1. 321123 321123 * {caf\xe9}\n"
    result = ringfen("fix", "-", stdin=data)
    assert result.exit_code == 1
    assert result.stdout_bytes == data


def test_places_are_those_of_the_original(tmp_path: Path) -> None:
    text = '\n\n[game "gyges"]\n[Result "½-½"]\n\n1. 321123 321123 3. b1–b3 2... c6c5 zz ½-½\n'
    file = tmp_path / "a.rgn"
    file.write_text(text, encoding="utf-8")
    result = ringfen("fix", "--json", str(file))
    assert result.exit_code == 1
    *repairs, last = json_lines(result)
    assert last == {"file": str(file), "repaired": 6, "left": 1}
    for one in repairs:
        line = text.splitlines()[one["line"] - 1]
        assert line[one["column"] - 1 :].startswith(one["before"]), one
    assert file.read_text(encoding="utf-8") == text
    assert "+1. 321123 321123 2. b1-b3 2... c6-c5 zz" in ringfen("fix", "--diff", str(file)).stdout
    ringfen("fix", "--write", str(file))
    assert file.read_text(encoding="utf-8").startswith('\n\n[Game "gyges"]\n[Result "1/2-1/2"]\n')


def test_the_game_that_the_position_tells() -> None:
    fen = Position("siaius").fen
    assert fixed(f'[FEN "{fen}"]\n\n*\n') == f'[Game "siaius"]\n[FEN "{fen}"]\n\n*\n'


def test_more_than_one_reading_is_left() -> None:
    text = HEAD + "1. 321123 321123 2. a1a1 *\n"
    result = ringfen("fix", "-", stdin=text)
    assert (result.exit_code, result.stdout) == (1, text)


@pytest.mark.parametrize(
    ("behind", "repaired"),
    [
        ("; {", True),
        ("; a {b} ;;", True),
        ("{a} ; b", True),
        ("; a\n; b\n\n", True),
        ("; a\n{b} 321123 *", False),
        ("; {\n321123 }", False),
    ],
)
def test_a_result_is_one_where_only_comments_follow(behind: str, repaired: bool) -> None:
    text = fixed(f"{HEAD}1. 321123 321123 draw {behind}\n")
    assert ("321123 1/2-1/2 " in text) == repaired


def test_remaining_errors_have_lines_of_the_repaired_file() -> None:
    record = '[FEN "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"]\n\n1... a5-S zz *\n\n'
    result = ringfen("fix", "-", stdin=record * 3)
    added = [f"<stdin>:{line}:1: missing-game" for line in (1, 5, 9)]
    assert [line for line in result.stderr.splitlines() if line.startswith(tuple(added))] == [
        f'{place}: [Game "gyges"] is added' for place in added
    ]
    left = [line for line in result.stderr.splitlines() if ": bad-ply: " in line]
    there = ringfen("validate", "-", stdin=result.stdout).output.splitlines()
    assert left == [line.replace("<stdin>", "<stdin> (repaired)") for line in there if ": bad-ply: " in line]
    assert [line.split(":")[1] for line in left] == ["4", "9", "14"]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}1. 321123 32112q\n; {';' * 5000}\n{' ; ' * 5000}\n321123 *\n",
        f'[Game "gyges"]\n[Event{" " * 60_000}x\n\n*\n',
        f'[Game "gyges"]\n[Event x{" " * 60_000}y\n\n*\n',
        f'[Game "gyges"]\n[Event “{" " * 60_000}x\n\n*\n',
        f"{HEAD}1. 321123 321123 2. a1-b3 * {'x ' * 60_000}*\n",
        f"{HEAD}1. 321123 zz {'3.' * 1_000_000} *\n",
        f"{HEAD}1. 321123 ({'*' * 1_000_000}) *\n",
        f"{HEAD}1. 321123 321123 {'1' * 6000}. *\n",
    ],
    ids=[
        *("semicolons", "spaces after a name", "spaces in a tag", "spaces after a quotation mark", "after the result"),
        *("numbers without spaces", "asterisks", "digits of a number"),
    ],
)
def test_long_runs_are_left_within_a_minute(text: str) -> None:
    command = (sys.executable, "-m", "ringfen", "fix", "-")
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.decode()) == (1, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2. a1-b3 2. ... c6–b4 *", "2. a1-b3 2... c6-b4 *"),
        ("2. a1-b3 2 ... c6-b4 *", "2. a1-b3 2... c6-b4 *"),
        ("2. a1-b3 {2.} 1. … c6-b4 *", "2. a1-b3 {2.} 2... c6-b4 *"),
        ("2 . a1-b3 (2. .. a1-c2) *", "2. a1-b3 (2. a1-c2) *"),
        ("2. a1-b3 ... c6-b4 *", "2. a1-b3 ... c6-b4 *"),
        ("2. a1-b3 ; 2.\n... c6-b4 *", "2. a1-b3 ; 2.\n... c6-b4 *"),
        ("... 2. a1-b3 *", "... 2. a1-b3 *"),
    ],
)
def test_a_number_that_a_space_divides_becomes_one_word(before: str, after: str) -> None:
    begin = f"{HEAD}1. 321123 321123 "
    assert fixed(f"{begin}{before}\n") == f"{begin}{after}\n"
    assert fixed(f"{begin}{after}\n") == f"{begin}{after}\n"


def test_usage_errors(tmp_path: Path) -> None:
    file = tmp_path / "a.rgn.gz"
    file.write_bytes(gzip.compress(HEAD.encode() + b"*\n"))
    assert ringfen("fix", "--write", str(file)).exit_code == 2
    assert ringfen("fix", str(file)).stdout == HEAD + "*\n"
    for options in (("--write", "--diff"), ("--diff", "--json")):
        assert ringfen("fix", *options, str(file)).exit_code == 2
    assert ringfen("fix", "--write", "-").exit_code == 2


@pytest.mark.parametrize("inside", ["{}", "1. 321123 ({}) 321123"])
@pytest.mark.parametrize(
    ("movetext", "repaired"),
    [
        ("2. a1-b3 3. b1-c2 c6-c5", None),  # a ply of North is missing
        ("2. a1-b3 3. b1-c2 c6-c5 4. c1-d2", None),
        ("2. a1-b3 3. c6-c5 3. b1-c2", "2. a1-b3 2... c6-c5 3. b1-c2"),  # the next number agrees with the count
        ("2... a1-b3 c6-c5 3. b1-c2", "2. a1-b3 c6-c5 3. b1-c2"),
        ("3. a1-b3 c6-c5 4. b1-c2 d6-d4", None),  # a round is missing, or the numbers are wrong from here on
        ("4. a1-b3 c6-c5 3. b1-c2 d6-d4", "2. a1-b3 c6-c5 3. b1-c2 d6-d4"),
        ("1. a1-b3 c6-c5 2. b1-c2 d6-d4", "2. a1-b3 c6-c5 3. b1-c2 d6-d4"),  # no missing ply makes these right
        ("1. a1-b3 c6-c5 4. b1-c2", None),  # the round can be missing before either number
        ("3. a1-b3 c6-c5", None),  # no number decides
        ("2. a1-b3 c6-c5 9. b1-c2", None),
        ("3... a1-b3 c6-c5", None),
        ("2... a1-b3 c6-c5", "2. a1-b3 c6-c5"),  # no ply of South can be missing before these
        ("1. a1-b3 c6-c5", "2. a1-b3 c6-c5"),
        ("2. a1-b3 {so} 2. c6-c5 3. b1-c2", "2. a1-b3 {so} 2... c6-c5 3. b1-c2"),
    ],
)
def test_a_number_that_a_missing_ply_explains_stays(movetext: str, repaired: str | None, inside: str) -> None:
    text = HEAD + inside.format(f"1. 321123 321123 {movetext}") + " *\n"
    assert fixed(text) == (text if repaired is None else text.replace(movetext, repaired))


@pytest.mark.parametrize("game", GAMES)
def test_a_lost_ply_is_never_hidden(game: str) -> None:
    """A record without one of its plies keeps its numbers, as long as they show the loss."""
    random = Random(game)
    named = 0
    for seed in range(40):
        text = str(random_game(Position(game), seed, plies=30))
        begin = text.index("\n\n")
        places = [match for match in re.finditer(PLY, text) if match.start() > begin]
        place = random.choice(places)
        damaged = text[: place.start()] + text[place.end() :].replace(" \n", "\n").lstrip(" ")
        result = ringfen("fix", "-", stdin=damaged)
        numbers = re.findall(r"\d+\.+", text[begin:])
        kept = re.findall(r"\d+\.+", result.stdout[begin:])
        assert set(kept) <= set(numbers), (damaged, result.stdout)
        named += "missing before" in result.stderr
    assert named


def test_the_plies_that_fill_a_gap_are_suggested() -> None:
    text = f"{HEAD}1. 321123 321123 2. a1-b3 3. b1-c2 f6-f5 *\n"
    (report,) = json_lines(ringfen("validate", "--json", "-", stdin=text))
    number, ply = report["diagnostics"]
    assert (number["code"], ply["code"]) == ("wrong-number", "illegal-ply")
    assert number["message"] == "3.: a ply of North is missing before 3."
    assert ply["message"].endswith("; a ply of North is missing before 3.")
    assert number["suggest"] == ply["suggest"] != []
    for missing in ply["suggest"]:
        assert ringfen("fix", "-", stdin=text.replace("3.", f"{missing} 3.")).exit_code == 0


#: Plies as people write them, in each game: after these plies, the text and its repair.
TYPED = [
    ("gyges", "321123 321123", "A1–B3, c6.c5", "a1-b3 c6-c5"),
    ("gyges", "321123 321123", "2) al-b3 ± 2... с6 - с5 =", "2. a1-b3 $16 2... c6-c5 $10"),
    ("gyges", "321123 321123", "2 a1-b3\u200b\u00a0c6-c5", "2. a1-b3 c6-c5"),
    ("rings", "", "B2–B3, b6−b5+-", "b2-b3 b6-b5 $18"),
    ("rings", "", "1: b2-\u00adb3. b6 b5", "1. b2-b3 b6-b5"),
    ("siaius", "", "a3 - a4, ａ８－ａ７", "a3-a4 a8-a7"),
    ("siaius", "", "1 c3–d4\x07/ j8 j7", "1. c3-d4 j8-j7"),
    ("gran", "", "1 g3 – g5, Ｇ３-h4", "1. g3-g5 g3-h4"),
]


@pytest.mark.parametrize(("game", "plies", "typed", "right"), TYPED)
def test_plies_as_people_write_them(game: str, plies: str, typed: str, right: str) -> None:
    head = f'[Game "{game}"]\n\n{plies} '
    if not parse_record(f"{head}{right} *\n").valid:
        pytest.fail(parse_record(f"{head}{right} *\n").diagnostics[-1].one_line())
    assert fixed(f"{head}{typed} *\n") == f"{head}{right} *\n"


@pytest.mark.parametrize("name", ["Gygès", "GYGES", "gyges\u200b", " gyges"])
def test_names_of_games(name: str) -> None:
    assert fixed(HEAD.replace("gyges", name) + "*\n") == HEAD + "*\n"


@pytest.mark.parametrize(
    ("date", "right"),
    [
        ("12.3.1998", "1998.03.12"),
        ("1998-03-12", "1998.03.12"),
        ("13/3/1998", "1998.03.13"),
        ("3/13/1998", "1998.03.13"),
        ("3/12/1998", None),
        ("31.2.1998", None),
        ("March 12, 1998", "1998.03.12"),
        ("Frühjahr 1998", None),
    ],
)
def test_dates(date: str, right: str | None) -> None:
    text = HEAD.replace('Date "?"', f'Date "{date}"') + "*\n"
    assert fixed(text) == (text if right is None else text.replace(date, right))


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Иванов", "windows-1251"),
        ("Иванов", "koi8-r"),
        ("Παπαδόπουλος", "windows-1253"),
        ("Řehoř Dvořák", "windows-1250"),
        ("Jiří Šťastný", "windows-1250"),
        ("Šárka Žižková", "iso-8859-2"),
        ("Łukasz Wójcik", "windows-1250"),
        ("Şükrü Çağlar", "windows-1254"),
        ("René “Bär” Müller", "windows-1252"),
        ("Müller", "utf-16"),
        ("Müller", "utf-16-le"),
        ("Müller", "utf-16-be"),
        ("M\u00fcller", "cp437"),
        ("Möller", "cp437"),
        ("Jörg Jäger", "cp850"),
        ("André Réti", "cp437"),
        ("Österreich", "cp850"),
    ],
)
def test_the_encoding_to_read_is_named(name: str, encoding: str, tmp_path: Path) -> None:
    """By ``validate``, and every command reads the file with it."""
    text = f'[Game "gyges"]\n[South "{name}"]\n\n1. 321123 321123 *\n\n'
    path, page = tmp_path / "a.rgn", tmp_path / "page.html"
    path.write_bytes(text.encode(encoding))
    meant = "NAME" if encoding.startswith("cp") else encoding
    assert re.search(rf"bad-utf8: .*--encoding {meant},", ringfen("validate", str(path)).stdout)
    for command in (
        ("validate",),
        ("fmt",),
        ("fix",),
        ("filter", "--player", name),
        ("stats", "--by", "player"),
        ("convert", "--to", "rgn"),
        ("annotate", "--nodes", "10"),
        ("positions",),
        ("view", "--out", str(page)),
    ):
        result = ringfen(*command, "--encoding", encoding, str(path))
        assert result.exit_code == 0, (command, result.output)
        if command[0] not in ("validate", "positions", "view"):
            assert name in result.stdout, command
    assert json.dumps(name)[1:-1] in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["Иванов", "Пётр"])
def test_an_encoding_is_guessed_only_if_it_fits(name: str) -> None:
    data = f'[Game "gyges"]\n[South "{name}"]\n\n*\n'.encode("cp1251")
    result = ringfen("fix", "-", stdin=data)
    assert (result.exit_code, result.stdout_bytes) == (1, data)


def test_a_lost_line_end_and_a_comment_before_the_tags() -> None:
    record = f"{HEAD}1. 321123 321123 *"
    begin = "{about this file}\n\n"
    assert fixed(f"{begin}{record}{record}\n") == f"{begin}{record}\n\n{record}\n"


@pytest.mark.parametrize("text", ["(2... ... 3. b1-c2)", "2... ... 3. b1-c2", "2... - 3. b1-c2"])
def test_the_sign_of_a_lost_ply_stays(text: str) -> None:
    text = f"{HEAD}1. 321123 321123 2. a1-b3 {'c6-c5 ' if '(' in text else ''}{text} *\n"
    result = ringfen("fix", "-", stdin=text)
    assert (result.exit_code, result.stdout) == (1, text)


@pytest.mark.parametrize("command", ["fix", "filter", "annotate"])
def test_json_goes_to_standard_output_and_records_to_the_file(command: str, tmp_path: Path) -> None:
    source, plain, out = tmp_path / "a.rgn", tmp_path / "plain.rgn", tmp_path / "out.rgn"
    source.write_text(HEAD.replace('"*"', '"1-0"') + "1. 321123 321123 2. a1-b3 1-0\n")
    limits = ["--nodes", "100"] if command == "annotate" else []
    ringfen(command, str(source), *limits, "--out", str(plain))
    result = ringfen(command, str(source), *limits, "--json", "--out", str(out))
    assert json_lines(result) == json_lines(ringfen(command, str(source), *limits, "--json")) != []
    assert out.read_bytes() == plain.read_bytes() != b""
    clash = ringfen(command, str(source), *limits, "--json", "--out", "-")
    assert (clash.exit_code, clash.stdout) == (2, "")


def test_out_receives_the_difference_or_the_fixed_records(tmp_path: Path) -> None:
    source, out = tmp_path / "a.rgn", tmp_path / "out.rgn"
    source.write_text(HEAD + "1. 321123 321123 2. a1\N{EN DASH}b3 *\n", encoding="utf-8")
    for options in ((), ("--diff",)):
        expected = ringfen("fix", *options, str(source)).stdout
        result = ringfen("fix", *options, str(source), "--out", str(out))
        assert (result.stdout, out.read_text(encoding="utf-8")) == ("", expected)
    assert "a1-b3" in expected
    before = out.read_bytes()
    assert ringfen("fix", str(tmp_path / "none.rgn"), "--out", str(out)).exit_code == 2
    assert ringfen("fix", "--write", str(source), "--out", str(out)).exit_code == 2
    assert ringfen("fix", str(source), "--out", str(source)).exit_code == 2
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    "command", [("fmt",), ("fmt", "--short"), ("convert", "--to", "rgn"), ("annotate", "--nodes", "100"), ("fix",)]
)
@pytest.mark.parametrize("inside", ["{}", "1. 321123 ({}) 321123"])
def test_no_command_hides_a_gap(command: tuple[str, ...], inside: str) -> None:
    """Move numbers that show a missing round stay in every command that writes records."""
    movetext = inside.format("1. 321123 321123 3. a1-b3 c6-c5 4. b1-c2")
    tags = HEAD.replace('"?"', '"2001"')
    text = f"{tags}{movetext} *\n"
    result = ringfen(*command, "-", stdin=text)
    assert (result.exit_code, result.stdout.rstrip()) == (0, text.rstrip())
    assert "wrong-number: 3. in record 1, ply 3: expected 2." in result.stderr


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_form_without_move_numbers_omits_a_record_with_a_gap(form: str) -> None:
    """The record before it is converted, and the exit status is 1."""
    good, bad = (f"{HEAD}1. 321123 321123 {number}. a1-b3 c6-c5 {number + 1}. b1-c2 *\n\n" for number in (2, 3))
    result = ringfen("convert", "--to", form, "-", stdin=good + bad)
    assert (result.exit_code, result.stdout) == (1, ringfen("convert", "--to", form, "-", stdin=good).stdout)
    reason = f"record 2 is omitted: {form} has no place for move numbers that show a gap"
    omitted, note = result.stderr.splitlines()[-2:]
    assert re.fullmatch(f"error: <stdin>:[0-9]+: {reason}", omitted)
    assert note == "note: --to rgn writes every valid record"


@pytest.mark.parametrize("inside", ["{}", "1. 321123 ({}) 321123"])
@pytest.mark.parametrize(
    ("movetext", "repaired"),
    [
        ("1. 321123 321123 12345678901. a1-b3", "1. 321123 321123 2. a1-b3"),
        ("1. 321123 321123 0. a1-b3 99999999999999999999... c6-c5", "1. 321123 321123 2. a1-b3 2... c6-c5"),
        ("1. 321123 321123 12345678901. c6-c5", None),  # a ply of South is missing
        ("1. 321123 321123 2. 2. a1-b3", "1. 321123 321123 2. a1-b3"),
        ("1. 321123 321123 2. a1-b3 2... 2... c6-c5", "1. 321123 321123 2. a1-b3 2... c6-c5"),
        ("1. 321123 321123 2. a1-b3 2.", "1. 321123 321123 2. a1-b3"),
        ("1. 321123 321123 2. a1-b3 2...", None),  # a ply of North can be missing
        ("1. 321123 321123 2. a1-b3 3.", None),
        ("1. 321123 321123 2. 3. a1-b3", None),  # a round is missing between the numbers
        ("1. 321123 321123 2. 7. a1-b3 c6-c5", None),
    ],
)
def test_numbers_without_a_use(movetext: str, repaired: str | None, inside: str) -> None:
    text = HEAD + inside.format(movetext) + " *\n"
    assert fixed(text) == (text if repaired is None else text.replace(movetext, repaired))


@pytest.mark.parametrize(
    ("end", "repaired"),
    [
        ("* !", "* {!}"),
        ("*!?", "* {!?}"),
        ("* +-", "* {+-}"),
        ("* ± {so}", "* {±} {so}"),
        ("* $5", "* {$5}"),
        ("* x", "* {x}"),
        ("* . ,", "*"),
        ("*.", "*"),
        ("* *", "*"),
        ("* c6-c5", None),
        ("* 1-0", None),
        ("*\n> b1-c2 was better", None),
    ],
)
def test_signs_after_the_result(end: str, repaired: str | None) -> None:
    begin = f"{HEAD}1. 321123 321123 2. a1-b3 "
    assert fixed(f"{begin}{end}\n") == f"{begin}{end if repaired is None else repaired}\n"


def test_a_number_before_a_comment_and_a_word_stays() -> None:
    text = f"{HEAD}1. 321123 321123 2 {{so}} zz *\n"
    assert fixed(text) == text


def test_a_letter_after_a_star_can_belong_to_a_ply() -> None:
    """In Siaius, ``*`` begins a huff; in this position one is legal."""
    text = '[Game "siaius"]\n[FEN "siaius 4c5/10/10/3S6/4m5/10/10/10/10/10 n d7 - 0"]\n\n* d\n'
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("words", "said", "result"),
    [
        ("South wins", None, "1-0"),
        ("north won on time", None, "0-1"),
        ("S wins.", None, "1-0"),
        ("Win for North", None, "0-1"),
        ("South resigns", None, "0-1"),
        ("North loses", None, "1-0"),
        ("Ada Lovelace resigned", None, "0-1"),
        ("bob wins", None, "0-1"),
        ("Eve wins", None, None),
        ("1 - 0", None, "1-0"),
        ("0:1", None, "0-1"),
        ("draw agreed", None, "1/2-1/2"),
        ("no draw", None, None),
        ("Süd gewinnt", None, "1-0"),
        ("Nord gibt auf", None, "1-0"),
        ("Unentschieden", None, "1/2-1/2"),
        ("Remis vereinbart", None, "1/2-1/2"),
        ("Sieger: Nord", None, "0-1"),
        ("1:0 (Zeit)", None, "1-0"),
        ("partie nulle", None, "1/2-1/2"),
        ("Le sud abandonne", None, "0-1"),
        ("Bob a gagné", None, "0-1"),
        ("Vainqueur : Sud", None, "1-0"),
        ("les noirs abandonnent", "1-0", "1-0"),
        ("Weiß gewinnt", None, None),
        ("kein Remis", None, None),
        ("Aufgabe", None, None),
        ("Partie ajournée", None, "*"),
        ("unfinished", None, "*"),
        ("White wins", None, None),
        ("White wins", "1-0", "1-0"),
        ("White wins", "0-1", None),
        ("black resigns", "1-0", "1-0"),
        ("resigns", "0-1", "0-1"),
        ("resigns", "*", None),
        ("(resigns)", "0-1", "0-1"),
        ("(resigns)", None, None),
        ("2... resigns", None, "1-0"),
        ("2... c6-c5 3. resigned", None, "2... c6-c5 0-1"),
        ("2. resigns", None, None),
        ("½:½\n-- \nAda\nTel. 12-34", None, "1/2-1/2\n{-- \nAda\nTel. 12-34}"),
        (f"1:0\n\n-- {40 * NUMBER}", None, f"1-0\n\n{{-- {40 * NUMBER}}}"),
        ("South wins!", None, "1-0"),
        ("won by South", None, "1-0"),
        ("(North resigned)", None, "1-0"),
        ("Ada wins by 3 points.", None, "1-0"),
        ("winner: South", None, "1-0"),
        ("South has won the game", None, "1-0"),
        ("South wins (on time)", None, "1-0"),
        ("North surrenders, 1-0", None, "1-0"),
        ("South wins, 0-1", None, None),
        ("Result: 1-0", None, "1-0"),
        ("(1-0)", None, "1-0"),
        ("1.0-0.0", None, "1-0"),
        (".5-.5", None, "1/2-1/2"),
        ("1/2-½.", None, "1/2-1/2"),
        ("to be continued", None, "*"),
        ("South wins?", None, None),
        ("draw?", None, None),
        ("draw offered", None, None),
        ("no winner", None, None),
    ],
)
def test_results_in_words(words: str, said: str | None, result: str | None) -> None:
    """A word that does not name a player means the result of the tag."""
    tag = "" if said is None else f'[Result "{said}"]\n'
    begin = f'[Game "gyges"]\n[South "Ada Lovelace"]\n[North "Bob"]\n{tag}\n1. 321123 321123 2. a1-b3 '
    assert fixed(f"{begin}{words}\n") == f"{begin}{words if result is None else result}\n"


@pytest.mark.parametrize("game", GAMES)
def test_the_tag_follows_the_only_result(game: str) -> None:
    """If the tag says ``*`` and the movetext gives one result; two results stay unchanged."""
    first = str(random_game(Position(game), 1, plies=6)).replace('Result "*"', 'Result "{}"')
    text = first[: first.rindex("*")]
    won, lost = ("1-0-0", "0-1-0") if game == "gran" else ("1-0", "0-1")
    for words, tag, repaired in (
        (won, "*", (won, won)),
        (f"{won}.", "*", (won, won)),
        (won, "?", (won, won)),
        ("Player 1 wins!" if game == "gran" else "South wins!", "*", (won, won)),
        (won.replace("-", " : "), "*", (won, won)),
        (won, lost, (won, lost)),
        ("*", won, ("*", won)),
        (f"{won} {lost}", "*", (f"{won} {lost}", "*")),
        (f"Player 1 wins {lost}", "*", (f"Player 1 wins {lost}", "*")),
        (f"{won} :-)", "*", (f"{won} {{:-)}}", won)),
        ("Player 1 wins!\n\nBest wishes", "*", (f"{won}\n\n{{Best wishes}}", won)),
    ):
        end, said = repaired
        words = words if game == "gran" else words.replace("Player 1", "South")
        end = end if game == "gran" else end.replace("Player 1", "South")
        result = ringfen("fix", "-", stdin=f"{text.format(tag)}{words}\n")
        assert result.stdout == f"{text.format(said)}{end}\n"
        assert result.exit_code == (not end.startswith(said))


def test_a_player_with_the_name_of_the_other_side() -> None:
    begin = '[Game "gyges"]\n[South "North"]\n[North "Bob"]\n\n1. 321123 321123 2. a1-b3 '
    assert fixed(f"{begin}North wins\n") == f"{begin}North wins\n"


def test_results_in_words_of_three_players() -> None:
    begin = '[Game "gran"]\n[Player1 "A"]\n[Player2 "B"]\n[Player3 "C"]\n\n'
    for words, result in (
        ("B wins", "0-1-0"),
        ("player 3 won", "0-0-1"),
        ("B resigns", "B resigns"),
        ("resigns", "resigns"),
        ("1 : 0", "1 : 0"),
    ):
        assert fixed(f"{begin}{words}\n") == f"{begin}{result}\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_places_of_later_passes_are_those_of_the_original(end: str, encoding: str) -> None:
    """Repairs that only a second reading of the file finds have the places of the original file too."""
    text = (
        '\n\n[Event "ü"] [Game "gyges"]\n[Result "*"]\n\n1. 321123 321123 12345678901. a1–b3 c6c5 *\n'
        '[game "rings"]\n\n{é} 1. b2–b3 * .[Game "gyges"]\n\n321123 321123 2 a1–b3 *\n'
    )
    result = ringfen("fix", "--json", "-", stdin=text.replace("\n", end).encode(encoding))
    *repairs, last = json_lines(result)
    assert last["left"] == 0
    lines = text.split("\n")
    places = [one for one in repairs if one["code"] not in ("line-ends", "bad-utf8")]
    assert sum(one["before"] == "a1–b3" for one in places) == 2
    for one in places:
        assert lines[one["line"] - 1][one["column"] - 1 :].startswith(one["before"]), one


def mailed(game: str) -> str:
    """A record with an equals sign and a letter beyond ASCII."""
    return str(random_game(Position(game), 1, plies=12)).replace("]\n", ']\n[Annotator "Bó = b"]\n', 1)


@pytest.mark.parametrize("mark", [">", "> ", "> > ", ">> ", " > >> ", ">>>"])
@pytest.mark.parametrize("game", GAMES)
def test_quoted_mail(game: str, mark: str) -> None:
    """The signs are removed, and the text around the record stays as comments."""
    record = mailed(game)
    quoted = "".join(f"{mark}{line}\n" for line in record.splitlines())
    result = ringfen("fix", "-", stdin=quoted)
    assert (result.exit_code, result.stdout.rstrip()) == (0, record.rstrip())
    assert f"<stdin>:1:1: quoted-mail: {mark} removed" in result.stderr
    text = f"Ann wrote:\n> Hi!\n\n{quoted}{mark}\n{mark}regards, Ann\n\n-- \nBob\n"
    result = ringfen("fix", "-", stdin=text)
    begin, end = result.stdout.split(record.rstrip())
    assert (result.exit_code, begin.strip()) == (0, "{Ann wrote:\n> Hi!}")
    assert end.strip() == "{regards, Ann\n\n-- \nBob}"
    assert fixed(result.stdout) == result.stdout


@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize("game", GAMES)
def test_quoted_printable(game: str, mark: str) -> None:
    """Escapes are decoded if all of them are; also in quoted mail, and in Windows-1252."""
    record = mailed(game)
    lines = [f"{mark}{line}" for line in record.splitlines()]
    for encoding, escaped in (("utf-8", "=C3=B3"), ("cp1252", "=F3")):
        coded = "".join(f"{line.replace('=', '=3D').replace('ó', escaped)}=20\n" for line in lines)
        at = coded.rindex("-") + 1
        coded = f"{coded[:at]}=\n{coded[at:]}"
        result = ringfen("fix", "-", stdin=coded)
        assert (result.exit_code, re.sub(" +\n", "\n", result.stdout).rstrip()) == (0, record.rstrip()), encoding
        assert f"quoted-printable: {escaped} becomes ó" in result.stderr
    other = coded.replace("=20", " =x ", 1)
    assert f"{escaped}" in fixed(other), "not every = is an escape"


def test_quotation_marks_in_quoted_printable() -> None:
    """Windows-1252 contains them."""
    mail = '[Game "gyges"]\n[Event "=93Caf=E9=94 =84x=93"]\n\n321123=20\n321123 *\n'
    assert '[Event "“Café” „x“"]' in fixed(mail)


@pytest.mark.parametrize("inside", ['> [Game "x"]', '> > [Event "a"]\n> 1. b2-b3', "so =\nis =20 and =3D"])
def test_signs_of_mail_in_comments_stay(inside: str) -> None:
    text = f"{HEAD.replace('?', '2001')}1. 321123 321123 {{Bob wrote:\n{inside}}} *\n"
    assert fixed(text) == text


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("Hi Bob,\nour game:", "{Hi Bob,\nour game:}"),
        ("Sent from my iPhone", "{Sent from my iPhone}"),
        ("-- \nAnn Lee\nTel. 555-1234", "{-- \nAnn Lee\nTel. 555-1234}"),
        ("From: a@example.org\n\n\nso; {it", "{From: a@example.org\n\n\nso; {it}"),
        ("so {it} was }\n\nand so on", "; so {it} was }\n\n; and so on"),
        ("On 21.11.2026 at 10:42 Bob wrote", "{On 21.11.2026 at 10:42 Bob wrote}"),
        ("pass b2-b3", None),
        ("perhaps a3-a4 instead", None),
        ("player 3 won the other 0-0-1, or 0-1", None),
    ],
)
def test_text_around_records_becomes_a_comment(game: str, text: str, comment: str | None) -> None:
    record = mailed(game).rstrip() + "\n"
    for pattern in ("{0}\n\n{1}", "{1}\n{0}\n", "{1}{0}\n{1}"):
        damaged = pattern.format(text, record)
        result = ringfen("fix", "-", stdin=damaged)
        assert result.stdout == (damaged if comment is None else pattern.format(comment, record))
        assert result.exit_code == (comment is None)


@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize("game", GAMES)
def test_tags_in_two_lines_are_joined(game: str, mark: str) -> None:
    record = mailed(game).replace("]\n", ']\n[Site "a b"]\n', 1).rstrip() + "\n"
    lines = record.replace("a b", "a\n b").replace("[Annotator ", "[Annotator\n").splitlines()
    text = "".join(f"{mark}{line}\n" for line in lines)
    assert fixed(text).rstrip() == record.rstrip()
    inside = record.replace("\n\n", '\n\n{[Site "a\nb"]} zz ', 1)
    assert '{[Site "a\nb"]}' in fixed(inside)


def test_advice_if_no_player_is_named() -> None:
    result = ringfen("validate", "-", stdin=f"{HEAD}1. 321123 321123 2. a1-b3 resigns\n")
    assert "do not name the player" in result.stdout + result.stderr
    assert "perhaps 1-0 or 0-1" in result.stdout + result.stderr


def test_text_that_says_another_result_stays() -> None:
    begin = f"{HEAD.replace('*', '1-0')}1. 321123 321123 1-0 "
    assert fixed(f"{begin}North resigned\n") == f"{begin}{{North resigned}}\n"
    for text in ("South resigned", "(South resigned)", "0-1"):
        assert fixed(f"{begin}{text}\n") == f"{begin}{text}\n"


def test_a_text_without_a_record_stays() -> None:
    text = "Hi Bob,\nno game today.\n"
    result = ringfen("fix", "-", stdin=text)
    assert (result.exit_code, result.stdout) == (1, text)
    assert "a text outside records is written as a comment" in result.stderr


def test_a_dot_after_a_setup() -> None:
    head = '[Game "gyges"]\n[Result "*"]\n\n'
    assert fixed(f"{head}1. 321123, 321123. 2. a1-b3 c6-c5 *\n") == f"{head}1. 321123 321123 2. a1-b3 c6-c5 *\n"


@pytest.mark.parametrize("sign", ["#", "+", "++", "†"])
@pytest.mark.parametrize("game", GAMES)
def test_signs_of_chess_after_plies_become_comments(game: str, sign: str) -> None:
    text = str(random_game(Position(game), 3, plies=12))
    begin = text.index("\n\n")
    damaged = text[:begin] + re.sub(r"(?<=[ \n])(?:[=@*+]?[a-z]\d\S*)", rf"\g<0>{sign}", text[begin:])
    record = parse_record(fixed(damaged))
    assert record.valid
    assert [node.ply for node in record.main.nodes] == [node.ply for node in parse_record(text).main.nodes]
    assert record.main.nodes[-1].comments == [sign]


@pytest.mark.parametrize("form", ["({})", "({}.)", "({}) "])
@pytest.mark.parametrize("game", GAMES)
def test_move_numbers_in_parentheses(game: str, form: str) -> None:
    text = str(random_game(Position(game), 3, plies=12))
    begin = text.index("\n\n")
    damaged = text[:begin] + re.sub(r"(\d+)\.", lambda number: form.format(number[1]), text[begin:])
    assert re.sub(" +", " ", fixed(damaged)) == text


@pytest.mark.parametrize(
    "movetext",
    [
        "1. 321123 321123 2. a1-b3 (2) c6-c5 (4) 3. b1xb3-e4",  # can be minutes
        "1. 321123 321123 (2) a1-b3 (3) b1-c2 c6-c5",  # a ply of North can be missing
    ],
)
def test_numbers_in_parentheses_that_are_no_move_numbers_stay(movetext: str) -> None:
    text = f"{HEAD}{movetext} *\n"
    assert f"({movetext.partition('(3')[1][1:] or '2'})" in fixed(text)
    assert ringfen("fix", "-", stdin=text).exit_code == 1


@pytest.mark.parametrize(
    "ply",
    [
        *("b1xb3(e4)", "b1xb3 (e4)", "B1XB3(E4)", "b1:b3(e4)", "b1-b3(e4)", "b1×b3 ( e4 )", "b1xb3[e4]", "b1xb3=e4"),
        *("b1xb3>e4", "b1*b3-e4", "b1 x b3 = e4", "b1 × b3 → e4", "b1xb3.e4", "b1b3e4"),
    ],
)
def test_the_square_of_a_displaced_ring_in_another_form(ply: str) -> None:
    text = f"{HEAD}1. 321123 321123 2. a1-b3 c6-c5 3. {{}} {{{{why}}}} f6-f4 *\n"
    assert fixed(text.format(ply)) == text.format("b1xb3-e4")
    found = parse_record(text.format(ply)).diagnostics[0]
    assert "b1xb3-e4" in found.suggest


@pytest.mark.parametrize(
    "row", ["3-2-1-1-2-3", "3.2.1.1.2.3", "3,2,1,1,2,3", "3/2/1/1/2/3", "3 2 1 1 2 3", "321-123", "321 123", "‘321123’"]
)
@pytest.mark.parametrize("form", ["1. {} {} 2. a1-b3", "1. {} 1... {}", "1. {0} ({0}) 321123 2. a1-b3", "1. {}"])
def test_setups_with_signs_between_the_digits(row: str, form: str) -> None:
    assert fixed(f"{HEAD}{form.format(row, row)} *\n") == f"{HEAD}{form.format('321123', '321123')} *\n"


@pytest.mark.parametrize("row", ["3-2-1-1-2-2", "3.2.1.1.2.2", "1-0-0-0-0-0"])
def test_rows_that_are_no_setups_stay(row: str) -> None:
    text = f"{HEAD}1. {row} {row} 2. a1-b3 *\n"
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("movetext", "repaired"),
    [
        ("2. a1-b3 {good move", "2. a1-b3 {good move}"),
        ("2. a1-b3 {good move *", "2. a1-b3 {good move} *"),
        ("2. a1-b3 {good\nmove\n1-0", "2. a1-b3 {good\nmove}\n1-0"),
        ("2. a1-b3 {good move 2... c6-c5 *", "2. a1-b3 {good move} 2... c6-c5 *"),
        ("2. a1-b3 {good move\nc6-c5 $1 *", "2. a1-b3 {good move}\nc6-c5 $1 *"),
        ("2. a1-b3 {good move c6-c5 *", None),  # the comment can mention the ply
        ("2. a1-b3 {better than 2. a1-c2 *", None),
        ("2. a1-b3 {good move 1-0", None),  # the tag has another result
        ("2. a1-b3 {good move 2... zz *", None),
        ("2. a1-b3 {good move 3. b1-c2 c6-c5 *", None),  # a ply of North is missing
    ],
)
def test_a_comment_that_is_not_closed(movetext: str, repaired: str | None) -> None:
    begin = f"{HEAD}1. 321123 321123 "
    result = fixed(f"{begin}{movetext}\n").replace('[Result "1-0"]', '[Result "*"]')
    assert result == f"{begin}{movetext if repaired is None else repaired}\n"


@pytest.mark.parametrize("end", ["1-0+", "1-0#", "1:0++", "(1-0)+"])
def test_results_with_a_sign_of_chess(end: str) -> None:
    assert fixed(f"{HEAD}1. 321123 321123 {end}\n").endswith(" 321123 1-0\n")


def test_a_chance_ply_of_other_characters() -> None:
    text = str(random_game(Position("gran"), 5, plies=60))
    ply = re.search(r"(?<=[ \n])\d:\d(?=[ \n])", text)
    assert ply
    wide = "".join(chr(ord(c) + 0xFEE0) for c in ply[0])
    assert fixed(text[: ply.start()] + wide + text[ply.end() :]) == text


@pytest.mark.parametrize("game", ["gyges", "rings", "siaius"])
@pytest.mark.parametrize(
    "form",
    [
        "| {n} | {a} | {b} |",
        '"{n}","{a}","{b}"',
        "{n},{a},{b}",
        "{n};{a};{b}",
        "{n}\t{a}\t{b}",
        "{n}.) {a} {b}",
        "{m}. {a}\n{k}. {b}",
    ],
)
def test_rows_of_a_table(game: str, form: str) -> None:
    """Rows of cells; and rows that count plies."""
    record = random_game(Position(game), 4, plies=12)
    text = str(record)
    plies = [node.ply for node in record.main.nodes]
    rows = [
        form.format(n=at // 2 + 1, m=at + 1, k=at + 2, a=plies[at], b=plies[at + 1]) for at in range(0, len(plies), 2)
    ]
    again = parse_record(fixed(text[: text.index("\n\n") + 2] + "\n".join(rows) + "\n*\n"))
    assert not again.diagnostics
    assert [node.ply for node in again.main.nodes] == plies


@pytest.mark.parametrize(
    "movetext",
    [
        "1. 321123 2. 321123 3. a1-b3 5. b1-c2",  # a number is skipped
        "1. 321123 2. 321123 3. a1-b3 c6-c5",  # a ply has no number
        "1. 321123 2. 321123 3. a1-b3 4. b1-c2",  # a ply of North is missing
        "1. 321123 321123 2. a1-b3 3.",
    ],
)
def test_numbers_that_do_not_count_plies_stay(movetext: str) -> None:
    text = f"{HEAD}{movetext} *\n"
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("damaged", "repaired"),
    [
        ("(good)", "{good}"),
        ("(a good move)", "{a good move}"),
        ("(12:30)", "{12:30}"),
        ("(5 s)", "{5 s}"),
        ("(a1-c2 is better)", None),
        ("(?)", None),
        ("// good", None),
        ("(zz)", "{zz}"),
    ],
)
def test_texts_between_plies(damaged: str, repaired: str | None) -> None:
    text = f"{HEAD}1. 321123 321123 2. a1-b3 {{}} c6-c5 *\n"
    assert fixed(text.format(damaged)) == text.format(repaired or damaged)


def test_semicolons_in_every_line() -> None:
    text = f"{HEAD}1. 321123 321123\n2. a1-b3 c6-c5\n3. b1xb3-e4\n*\n"
    damaged = re.sub(r"(\d)\. (\S+)(?: (\S+))?", r"\1;\2;\3", text)
    assert re.sub(r"\s+", " ", fixed(damaged)) == re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(
    ("tag", "repaired"),
    [
        ('[South "Ann "Ace" Lee"]', r'[South "Ann \"Ace\" Lee"]'),
        ('[South "O"Neil"]', r'[South "O\"Neil"]'),
        ('[South "A" North "B"]', None),
        ('[South "A""]', None),
        ('[Süd "A"]', None),
    ],
)
def test_tags_with_quotes_and_names_with_accents(tag: str, repaired: str | None) -> None:
    text = f'[Game "gyges"]\n{tag}\n\n1. 321123 *\n'
    assert fixed(text) == text.replace(tag, repaired or tag)


@pytest.mark.parametrize("line", range(6))
def test_a_tag_without_the_bracket_before_its_name(line: int) -> None:
    """It does not divide a record, and a text that is no usual tag stays."""
    other = HEAD.replace('"A"', '"C"')
    text = f"{HEAD}1. 321123 321123 *\n\n{other}1. 321123 321123 *\n"
    lines = text.splitlines(keepends=True)
    lines[line] = lines[line][1:]
    assert fixed("".join(lines)) == text
    lines[line] = f"Annotator{lines[line][lines[line].index(' ') :]}"
    assert fixed("".join(lines)).count("[Annotator") == 0


def test_a_table_of_another_kind_stays() -> None:
    text = "South;North;Moves\nA;B;321123 321123\n"
    assert fixed(text) == text


@pytest.mark.parametrize("game", ["gyges", "rings", "siaius"])
def test_the_numbers_of_a_line_that_is_written_twice_stay(game: str) -> None:
    """They are the trace of it."""
    for seed in range(20):
        text = str(random_game(Position(game), seed, plies=30))
        first, second = (re.search(rf"\s{number}\.", text) for number in (3, 8))
        assert first
        assert second
        twice = text[: second.start()] + text[first.start() :]
        result = ringfen("fix", "-", stdin=twice)
        assert result.stdout == twice
        assert "expected 8.; this number and its ply occur before, as if a line were written twice" in result.stderr


def test_a_text_with_a_mark_and_escapes_that_stay() -> None:
    """The text before the first record, its byte order mark, is copied, even if signs of a mail were found."""
    text = '\ufeff[Game "gyges"]\n[Event "A &amp; B"]\n\n1. 321123 321123 2. a1–b3 *\n'
    result = ringfen("fix", "-", stdin=text)
    assert result.stdout == text.replace("–", "-")
    assert "<stdin>:4:21: bad-ply: a1–b3 becomes a1-b3" in result.stderr


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("escape", [False, True])
def test_mail_and_web_pages_with_byte_order_marks(game: str, escape: bool) -> None:
    record = mailed(game)
    shown = record.replace('"', "&quot;") if escape else "".join(f"> {line}\n" for line in record.splitlines())
    result = ringfen("fix", "-", stdin=f"\ufeff{shown}\n\ufeff{shown}")
    assert result.stdout.replace("\ufeff", "").split() == (record * 2).split()
    assert ringfen("fix", "-", stdin=result.stdout).stdout == result.stdout
    assert ringfen("validate", "-", stdin=result.stdout).exit_code == 0


@pytest.mark.parametrize("mark", ["\0", "\x01", "\u200b", "\u2060", "\u00a0", "\x01\u200b\u00a0"])
@pytest.mark.parametrize("line", [1, 2, 4, 10])
def test_invisible_characters_before_a_tag_do_not_hide_it(mark: str, line: int) -> None:
    tags = '[Game "gyges"]\n[Event "E"]\n[Date "2026.11.21"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
    text = f"{tags}1. 321123 321123 *\n\n" * 2
    lines = text.splitlines(keepends=True)
    lines[line - 1] = mark + lines[line - 1]
    result = ringfen("fix", "-", stdin="".join(lines))
    assert (result.exit_code, result.stdout) == (0, text)


@pytest.mark.parametrize("options", [[], ["--diff"], ["--json"], ["--write"]])
def test_the_text_with_the_remaining_errors_is_named(tmp_path: Path, options: list[str]) -> None:
    """Changes have their place in the original file, and errors that are left in the repaired text."""
    path = tmp_path / "a.rgn"
    path.write_text('[game "gyges"]\n\n\n[South "A"]\n\n1. 321123 321123 2. a1–b3 zz *\n', encoding="utf-8")
    result = ringfen("fix", str(path), *options)
    assert f"{path}{'' if options == ['--write'] else ' (repaired)'}:4:27: bad-ply: zz" in result.stderr
    changes = re.findall(r"rgn:(\d+:\d+): [a-z-]+: .* (?:becomes|removed)", result.stderr)
    assert changes == ([] if options == ["--json"] else ["2:1", "1:2", "6:21"])


def test_an_unchanged_text_is_named_as_the_file() -> None:
    result = ringfen("fix", "-", stdin=f"{HEAD}1. 321123 321123 2. zz *\n")
    assert "<stdin>:8:21: bad-ply: zz" in result.stderr
