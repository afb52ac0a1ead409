"""Damaged records: ``fix`` keeps the meaning of every ply, and the traces of plies that are lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations
from random import Random
from typing import Any

import pytest
from cli_runner import ringfen
from record_damage import DAMAGES

from ringfen import Position, game_ids
from ringfen.notation import Record, located_check, parse_record, random_game, read_records, repairing
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.splitting import RawRecord

#: Damage after which plies may be lost.
LOSSES = {"lost ply", "lost plies", "illegible ply"}
#: Damage after which a ply can be another legal one.
OTHERS = {"other sign", "swapped characters"}


def plies(record: Record) -> list[str]:
    return [node.ply for node in record.main.nodes]


def only_a_low_number_shows_a_loss(text: str) -> bool:
    """Whether the last move number is not higher than the one before it, and nothing is wrong without it."""
    numbers = list(re.finditer(r"(\d+)\.+\s*", text.partition("\n\n")[2]))
    if len(numbers) < 2 or int(numbers[-1][1]) > int(numbers[-2][1]):
        return False
    head = len(text) - len(text.partition("\n\n")[2])
    without = text[: head + numbers[-1].start()] + text[head + numbers[-1].end() :]
    return {one.code for one in parse_record(without).diagnostics} <= {"missing-number"}


def check(game: str, kinds: tuple[str, ...], seed: int) -> None:
    random = Random(f"{game} {kinds} {seed}")
    record = random_game(Position(game), seed, plies=random.choice((6, 12, 30)))
    damaged = lossy = str(record)
    for kind in sorted(kinds, key=lambda kind: (kind not in LOSSES, kind == "line ends")):
        damaged = DAMAGES[kind](damaged, random)
        if kind in LOSSES:
            lossy = damaged
        hidden = parse_record(damaged)
        if not hidden.diagnostics and plies(hidden) != plies(record):
            return  # Nothing can show that a comment contains plies.
    before = list(read_records(text=damaged))
    result = ringfen("fix", "-", stdin=damaged)
    fixed = result.stdout
    where = (kinds, damaged, fixed, result.stderr)
    assert ringfen("fix", "-", stdin=fixed).stdout == fixed, where
    after = list(read_records(text=fixed))
    if "\r" not in damaged and not any(one.diagnostics for one in before):
        assert fixed == damaged, where
    if len(before) == len(after) == 1 and before[0].valid and not {"no space", "semicolons"} & set(kinds):
        # What could be read keeps its meaning.
        assert plies(after[0])[: len(plies(before[0]))] == plies(before[0]), where
    if not after or fixed == damaged or {"doubled ply", "conflict"} & set(kinds):
        return
    if after[0].valid and not (LOSSES | OTHERS) & set(kinds):
        length = min(len(plies(after[0])), len(plies(record)))
        assert plies(after[0])[:length] == plies(record)[:length], where
    elif "low number" in kinds and only_a_low_number_shows_a_loss(damaged):
        return  # It is changed: a number that is too low does not show how many plies are lost.
    elif LOSSES & set(kinds) and parse_record(lossy).diagnostics and any(one.diagnostics for one in before):
        # A loss that shows is not hidden.
        assert any(one.diagnostics for one in after) or plies(after[0]) == plies(record), where


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("game", game_ids())
def test_one_kind_of_damage(game: str, kind: str) -> None:
    for seed in range(3):
        check(game, (kind,), seed)


@pytest.mark.parametrize(
    ("game", "kinds", "seed"),
    [
        # Escapes are decoded in a record whose tags are repaired.
        ("gyges", ("tag form", "escape"), 303000932),
        # A ply that is legal without a line of plies does not hide that the line is a comment.
        ("siaius", ("semicolons", "capitals"), 303000931),
        # Escapes are decoded after tags of another form are repaired.
        ("siaius", ("escape", "tag form"), 8813577),
        ("siaius", ("tag form", "escaped page"), 8813798),
        # A byte order mark hides no tag with escapes.
        ("rings", ("escaped page", "byte order mark"), 7720584),
        # Plies of a later line are not read if those of the lines before it cannot be.
        ("rings", ("semicolons", "spaces within"), 71009417),
        ("siaius", ("semicolons", "low number"), 71009451),
        ("siaius", ("dots", "semicolons"), 17747605),
        # A number that is written twice is written once.
        ("siaius", ("lost plies", "low number"), 55514036),
        # A null move is a legal ply.
        ("gyges", ("no space", "hyphenated line"), 55513701),
        # A last number without a ply shows that one is missing, even if the number is wrong.
        ("gran", ("lost ply", "low number"), 82003942),
        # Dots stand for a huff, after which the same player moves.
        ("siaius", ("illegible ply", "other sign"), 104004323),
        # Dots after a strange space stand for a ply.
        ("siaius", ("illegible ply", "strange space"), 38427363),
        # Without the last number nothing shows the loss.
        ("rings", ("lost plies", "lost number"), 883056),
    ],
)
def test_damage_that_was_repaired_wrongly(game: str, kinds: tuple[str, str], seed: int) -> None:
    check(game, kinds, seed)


def test_a_comment_that_can_hide_plies_explains_a_number() -> None:
    text = '[Game "rings"]\n[Result "*"]\n\n1. f2-f1;f6-e6 2. b2-b1-\ne7-f7 3. d2-d1 c7-d7 *\n'
    assert ringfen("fix", "-", stdin=text).stdout == text


@pytest.mark.long
@pytest.mark.parametrize("game", game_ids())
def test_two_kinds_of_damage(game: str) -> None:
    for seed, kinds in enumerate(permutations(DAMAGES, 2)):
        check(game, kinds, seed)


def counted_repair(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int, int]:
    """The text of a record after its repairs, and how many repairs and readings these are."""
    readings = []
    read = located_check.check_with_places

    def counted(*args: Any) -> Any:
        readings.append(args)
        return read(*args)

    monkeypatch.setattr(repairing, "check_with_places", counted)
    repaired = repairing.repair(RecordReader("-"), RawRecord(text.encode(), 1), 1)
    return repaired.data.decode(), len(repaired.repairs), len(readings)


@pytest.mark.parametrize("game", game_ids())
def test_readings_do_not_grow_with_repairs(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = str(random_game(Position(game), 1, plies=60))
    begin = record.index("\n\n")
    last = record.rindex(" ")
    damaged = record[:begin] + record[begin:last].replace("-", "–") + record[last:]
    text, repairs, readings = counted_repair(damaged, monkeypatch)
    assert text == record
    assert repairs > 10
    assert readings <= 5


@pytest.mark.parametrize(
    ("damaged", "right"),
    [
        ("2. b1–c2", "2. b1-c2"),
        ("2. b1xc2", "2. b1-c2"),
        ("2 b1-c2", "2. b1-c2"),
        ("2 . b1-c2", "2. b1-c2"),
        ("2.. b1-c2", "2. b1-c2"),
        ("2. 2. b1-c2", "2. b1-c2"),
        ("7. b1-c2 2... c6-c5", "2. b1-c2 2... c6-c5"),
        ("2. b1-c2 +-", "2. b1-c2 $18"),
        ("2. b1-c2, c6-c5", "2. b1-c2 c6-c5"),
        ("2. b1–c2 zz", "2. b1-c2 zz"),
    ],
)
def test_readings_do_not_grow_with_repairs_in_variations(
    damaged: str, right: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = '[Game "gyges"]\n\n1. 321123 321123 2. a1-b3 '
    text, repairs, readings = counted_repair(f"{begin}{f'({damaged}) ' * 60}*\n", monkeypatch)
    assert text == f"{begin}{f'({right}) ' * 60}*\n"
    assert (repairs, readings <= 8) == (60, True)


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.parametrize(
    ("pattern", "damaged"),
    [
        (r"(\d+)\. ", r"\1 . "),
        (r"(?<=\d) (?=[a-z]\d)", " +- "),
        (r"(\d+)\. ", r"\1.. "),
        (r"(\d+)\. ", r"\1 "),
        (r"([a-z]\d+)-(\S+)", r"\1–\2 {[%x 1]} $1"),
        (r"(\d+)\. ([a-z]\S+)", r"\1 . \2 +- (\1 . \2+-)"),
    ],
)
def test_readings_do_not_grow_with_repairs_in_one_line(
    game: str, pattern: str, damaged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = str(random_game(Position(game), 1, plies=60))
    begin = record.index("\n\n")
    text, repairs, readings = counted_repair(record[:begin] + re.sub(pattern, damaged, record[begin:]), monkeypatch)
    assert parse_record(text).valid
    assert plies(parse_record(text)) == plies(parse_record(record))
    assert repairs >= 10
    assert readings <= 10


@pytest.mark.parametrize("every", [1, 3])
def test_readings_do_not_grow_with_errors_that_stay(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    line = " ".join(f"{2 * number}. a1-b2 c6-c5" for number in range(1, 60))
    begin = '[Game "gyges"]\n\n1. 321123 321123 2. a1–b3 '
    variations = "".join(f"(2. a1–{'b2' if index % every else 'b3'}) " for index in range(60))
    text, repairs, readings = counted_repair(f"{begin}{variations}{line} *\n", monkeypatch)
    assert (repairs, "a1–b3" in text, readings <= 20) == (1 + 60 // every, False, True)


@pytest.mark.parametrize(
    "number",
    [
        lambda index: "1.",
        lambda index: f"{index * 7 % 50 + 1}.",
        lambda index: f"{index // 2 % 10 + 1}{'...' if index % 2 else '.'}",
        lambda index: "" if index % 2 else f"{index // 2 + 1 if index < 20 else index // 2 - 9}.",
    ],
    ids=["always 1", "random", "again from 1", "counted on from a low number"],
)
def test_readings_do_not_grow_with_wrong_numbers(number: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    fen = "siaius 10/10/1C8/10/10/10/10/8c1/10/10 s - - 0 huff=off"
    line = ("b8-b7", "i3-i4", "b7-b8", "i4-i3") * 60
    damaged = " ".join(f"{number(index)} {ply}".strip() for index, ply in enumerate(line))
    text, repairs, readings = counted_repair(f'[Game "siaius"]\n[FEN "{fen}"]\n\n{damaged} *\n', monkeypatch)
    record = parse_record(text)
    assert {one.code for one in record.diagnostics} == {"missing-tag"}
    assert plies(record) == list(line)
    assert (repairs >= 100, readings <= 30) == (True, True)


@pytest.mark.parametrize("game", game_ids())
def test_words_of_invisible_characters_before_every_ply(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = str(random_game(Position(game), 2, plies=30))
    begin = record.index("\n\n")
    damaged = record[:begin] + re.sub(r"(?<=[ \n])(?=[=@*+]?[a-z]\d)", "\u200b ", record[begin:])
    text, repairs, readings = counted_repair(damaged, monkeypatch)
    assert text == record
    assert (repairs >= 20, readings <= 8) == (True, True)


def test_semicolons_between_rounds_with_commas_between_plies() -> None:
    begin = '[Game "rings"]\n\n'
    text = "1. f2-e3, d6-d5; 2. b2-a3, b6-b7; 3. e3-f3, a7-a6 *\n"
    fixed = ringfen("fix", "-", stdin=begin + text).stdout
    assert fixed.split() == (begin + text.replace(",", "").replace(";", "")).split()
    comment = begin + "1. f2-e3, d6-d5 ; b2-a3, if North sleeps\n2. b2-a3 b6-b7 *\n"
    assert ringfen("fix", "-", stdin=comment).stdout == comment.replace("e3,", "e3")


@pytest.mark.parametrize("mark", ["<<<<<<<", "=======", ">>>>>>>", "|||||||"])
@pytest.mark.parametrize("text", ["{}\n*", "{} *", "{}\n2. a1-b3 *", "2. a1-b3 {} c6-c5 *", "{} 1-0"])
def test_marks_of_merge_conflicts_stay(text: str, mark: str) -> None:
    record = f'[Game "gyges"]\n\n1. 321123 321123\n{text.format(mark)}\n'
    assert ringfen("fix", "-", stdin=record).stdout == record


def test_a_sign_is_not_added_after_a_lost_ply() -> None:
    """The ply after the dots is that of player 2, and would be legal for player 1."""
    begin = f'{str(random_game(Position("gran"), 1, plies=0)).partition("[Result")[0]}[Result "*"]\n\n'
    text = f"{begin}1. ... g3g5 g3xg5-c5 *\n"
    assert ringfen("fix", "-", stdin=text).stdout == text


@pytest.mark.parametrize("lost", ["...", "…", "..", "-", "–"])
def test_signs_for_a_lost_ply_after_a_strange_space_stay(lost: str) -> None:
    text = f'[Game "siaius"]\n\n1. e3-d4\u3000{lost} 2. f2-e3 *\n'
    assert f" {lost} " in ringfen("fix", "-", stdin=text).stdout.replace("\u3000", " ")


def test_a_lost_ply_among_divided_numbers_stays() -> None:
    """The dots of the second number stand for a ply."""
    text = '[Game "gyges"]\n\n1. 321123 321123 2 . a1-b3 3. … b1-c2 *\n'
    fixed = ringfen("fix", "-", stdin=text).stdout
    assert fixed == text.replace("2 .", "2.")


@pytest.mark.parametrize(
    "damaged",
    [
        f'[Game "gyges"]\n\n1. 321123 321123 {"2. " * 200}a1-b3 *\n',
        f'[Game "gyges"]\n\n1. 321123 321123 1-0 {"1-0 " * 200}\n',
        f'[Game "gyges"]\n\n1. 321123 321123 * {"! " * 200}\n',
        f'[Game "gyges"]\n\n1. 321123 321123 {"| " * 200}a1-b3 *\n',
        '[Game "gyges"]\n' + "".join(f"[Tag{index} “x”]\n" for index in range(200)) + "\n*\n",
        '[Game "gyges"]\n' + '[Event "x"]\n' * 200 + "\n*\n",
        '[Game "gyges"]\n' + '[EVENT "x"]\n' * 200 + "\n*\n",
    ],
)
def test_readings_do_not_grow_with_repeated_damage(damaged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, repairs, readings = counted_repair(damaged, monkeypatch)
    assert not any(one.is_error or one.code == "stray-number" for one in parse_record(text).diagnostics)
    assert (repairs > 0, readings <= 12) == (True, True)


@pytest.mark.parametrize(
    ("damaged", "right"),
    [
        ("2. a1-b3&nbsp;c6-c5", "2. a1-b3 c6-c5"),
        ("2. a1&#8211;b3 c6&ndash;c5", "2. a1-b3 c6-c5"),
        ("2. <b>a1&#x2212;b3</b><br>c6-c5<br/>", "2. a1-b3 c6-c5"),
        ("2. a1-b3 | c6-c5", "2. a1-b3 c6-c5"),
        ("2. a1-b3 {&nbsp;<b>} c6-c5", "2. a1-b3 {&nbsp;<b>} c6-c5"),
        ("2. a1-b3 &none; c6-c5", "2. a1-b3 &none; c6-c5"),
        ("2. a1-b3 &#123;x&#125; c6-c5", "2. a1-b3 &#123;x&#125; c6-c5"),
        ("2. a1-b3 /* why */ c6-c5", "2. a1-b3 /* why */ c6-c5"),
    ],
)
def test_marks_of_web_pages(damaged: str, right: str) -> None:
    begin = '[Game "gyges"]\n\n1. 321123 | 321123 '
    fixed = ringfen("fix", "-", stdin=f"{begin}{damaged} *\n").stdout
    assert fixed == f"{begin.replace(' |', '')}{right} *\n"


def test_tags_with_escapes_of_html() -> None:
    text = '[Game "gyges"]\n[South "O\'Neill & Co"]\n\n1. 321123 321123 *\n'
    escaped = text.replace("&", "&amp;").replace('"', "&quot;").replace("'", "&#39;")
    assert ringfen("fix", "-", stdin=escaped).stdout == text
