"""Suggestions for wrong plies: always legal, and usually the intended ply."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random

import pytest

from ringfen import Position, game_ids
from ringfen.notation import Diagnostic, Record, check_records, parse_record, random_game
from ringfen.notation.located_check import check_with_places
from ringfen.notation.ply_suggestions import MOST, is_one_slip, squares_of, suggestions, writing_error
from ringfen.notation.record_reader import RecordReader
from ringfen.notation.splitting import split_records

KEYS = "abcdefgh123456-x"


def _typo(random: Random, ply: str) -> str:
    at = random.randrange(len(ply))
    return ply[:at] + random.choice(KEYS) + ply[at + 1 :]


def _missing(random: Random, ply: str) -> str:
    at = random.randrange(len(ply))
    return ply[:at] + ply[at + 1 :]


def _doubled(random: Random, ply: str) -> str:
    at = random.randrange(len(ply))
    return ply[: at + 1] + ply[at:]


def _signs(random: Random, ply: str) -> str:
    return ply.translate(str.maketrans("-x", "x-"))


def _capitals(random: Random, ply: str) -> str:
    return ply.upper()


def _dash(random: Random, ply: str) -> str:
    return ply.replace("-", "–")


DAMAGES: tuple[Callable[[Random, str], str], ...] = (_typo, _missing, _doubled, _signs, _capitals, _dash)


def random_plies(random: Random, game: str, most: int) -> list[str]:
    position = Position(game)
    plies: list[str] = []
    while len(plies) < most and not position.is_over:
        plies.append(random.choice(position.plies()))
        position = position.apply(plies[-1])
    return plies


def first_error(text: str) -> Diagnostic | None:
    (report,) = check_records(text=text)
    return next((one for one in report.diagnostics if one.is_error), None)


@pytest.mark.unsanitized
def test_suggestions_are_legal_and_mostly_right() -> None:
    random, right, asked, vague = Random(15), 0, 0, 0
    kinds: dict[int, tuple[int, int]] = {}
    for number in range(560):
        game = game_ids()[number % 4]
        plies = random_plies(random, game, 24)
        if len(plies) < 12:
            continue
        at = random.randrange(2 if game == "gyges" else 0, len(plies) - 6)
        kind = number // 4 % (len(DAMAGES) + 1)
        damaged = list(plies)
        if kind == len(DAMAGES):
            damaged[at], damaged[at + 1] = plies[at + 1], plies[at]
        else:
            damaged[at] = DAMAGES[kind](random, plies[at])
        if damaged == plies:
            continue
        found = first_error(f'[Game "{game}"]\n\n{" ".join(damaged)} *\n')
        if found is None or found.ply != at + 1 or found.code not in ("bad-ply", "illegal-ply"):
            continue  # it is another legal game, or another thing than a ply
        assert found.position is not None
        assert len(found.suggest) <= MOST
        assert all(map(found.position.is_legal, found.suggest))
        asked += 1
        vague += "is not a ply of this game" in found.reason
        hit = bool(found.suggest) and found.suggest[0] == plies[at]
        right += hit
        good, all_of_it = kinds.get(kind, (0, 0))
        kinds[kind] = (good + hit, all_of_it + 1)
    assert asked > 370
    assert right >= 0.9 * asked, (right, asked, kinds)
    assert vague <= 0.03 * asked, (vague, asked)


def test_slips() -> None:
    assert is_one_slip("a1-b3", "a1-b2")
    assert is_one_slip("a1b3", "a1-b3")
    assert is_one_slip("a1--b3", "a1-b3")
    assert is_one_slip("1a-b3", "a1-b3")
    assert not is_one_slip("a1-b3", "a1-b3")
    assert not is_one_slip("a1-b3", "b1-b2")
    assert not is_one_slip("", "ab")


@pytest.mark.parametrize(
    ("game", "plies", "text", "words"),
    [
        ("gyges", "321123 321123", "b1–b3", "– (U+2013 EN DASH) instead of -"),
        ("gyges", "321123 321123", "B1-b3", "contains capitals; squares and x are written in lower case, b1-b3"),
        ("gyges", "321123 321123", "b1b3", "has no sign between b1 and b3 (expected a hyphen or x)"),
        ("rings", "", "12", "a move number needs its dot, 12."),
        ("rings", "", "...", "... is not a ply; it seems to belong to a move number, which is one word, such as 2..."),
        ("rings", "", "…", "it seems to belong to a move number"),
        ("siaius", "", "½-½", "a draw is written 1/2-1/2"),
        ("gyges", "", "32112", "expected 6 digits, as in 112233, but 32112 has 5"),
        ("gyges", "321123", "321124", "321124 contains 4; the digits are 1, 2, 3, as in 112233"),
        ("gyges", "321123 321123", "b1-b9", "b9 in b1-b9 is off the board, which has files a to f and ranks 1 to 6"),
        ("rings", "", "a1-h2", "h2 in a1-h2 is off the board, which has files a to g and ranks 1 to 7"),
        ("gyges", "321123 321123", "b1", "b1 is only a square; a ply here is written as in a1-a4"),
        ("gyges", "321123 321123", "b-b3", "b in b-b3 is a file without its rank"),
        ("gyges", "321123 321123", "1-b3", "1 in 1-b3 is a rank without its file"),
        ("gyges", "321123 321123", "b1--b3", "b1--b3 has the signs -- together (expected one)"),
        ("gyges", "321123 321123", "c1-b1xa2", "the wrong way round; a displacement is written c1xb1-a2"),
        ("gyges", "321123 321123", "c1xd4", "c1xd4 does not say where the displaced piece goes"),
        ("gyges", "321123 321123", "c1b1-a2", "c1b1 in c1b1-a2 has no sign between c1 and b1 (expected a hyphen or x)"),
        ("rings", "", "a1ga2", "a1ga2 has g instead of a hyphen or x"),
        ("rings", "", "a1-aa2", "aa2 in a1-aa2 is not a square, which is one letter and a number"),
        ("siaius", "", "a3-a4-", "a3-a4- ends with - (expected a square after it)"),
        ("siaius", "", "a3:a4", "a3:a4 contains : instead of x"),
        ("siaius", "", "i3-iS", "iS in i3-iS is not a square, which is one letter and a number"),
        ("rings", "", "A1-Z9", "Z9 in A1-Z9 is off the board, which has files a to g and ranks 1 to 7"),
        ("rings", "", "Ka1-a2", "Ka1-a2 begins with K; a ply names only squares, a1-a2"),
        ("rings", "", "D4-D5", "D4-D5 contains capitals; squares and x are written in lower case, d4-d5"),
        ("gyges", "321123 321123", "b1\u200b-b3", "(U+200B ZERO WIDTH SPACE), which no ply contains"),
        ("siaius", "", "a\u0663-a\u0664", "contains \u0663 (U+0663 ARABIC-INDIC DIGIT THREE) instead of 3"),
        ("rings", "", "f2-e3=", "f2-e3= is not a ply; it ends with =, which is written as the NAG $10"),
        ("rings", "", "f2-=", "f2-= is not a ply; = is an escape of a mail here"),
        ("gran", "", "g3-f4+/-", "g3-f4+/- is not a ply; it ends with +/-, which is written as the NAG $16"),
        ("siaius", "a3-a4", "\u221e", "\u221e is not a ply; it follows a ply, and is written as the NAG $13"),
    ],
)
def test_errors_are_named(game: str, plies: str, text: str, words: str) -> None:
    record = parse_record(f'[Game "{game}"]\n\n{plies} {text} *\n')
    found = next(one for one in record.diagnostics if one.is_error and one.code != "missing-tag")
    assert found.code == "bad-ply"
    assert words in found.reason
    assert found.subject == text or not text.isprintable()


@pytest.mark.parametrize("mark", ["<<<<<<<", "=======", ">>>>>>>", "|||||||"])
def test_marks_of_merge_conflicts(mark: str) -> None:
    assert "the mark of a conflict of versions: keep one of them" in str(writing_error(None, mark))
    record = parse_record(f'[Game "gyges"]\n\n1. 321123\n{mark} HEAD\n321123 *\n')
    assert "conflict of versions" in next(one.reason for one in record.diagnostics if one.is_error)


def test_a_displacement_without_its_end_and_a_drop_without_its_sign() -> None:
    start = Position("gyges").play(["321123", "321123"])
    displacement = next(ply for ply in start.plies() if "x" in ply)
    assert "does not say where the displaced piece goes" in str(writing_error(start, displacement.rpartition("-")[0]))
    hand = Position("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1. s 1+0 0")
    assert writing_error(hand, "a5") == "a5 is only a square; with its sign it is @a5"
    assert suggestions(hand, "a5")[0] == "@a5"


@pytest.mark.parametrize("written", ["{0} {1} {2}", "{0}{1} {2}", "{0} {1}{2}"])
@pytest.mark.parametrize(("game", "plies"), [("gyges", "321123 321123"), ("rings", ""), ("siaius", ""), ("gran", "")])
def test_a_blank_inside_a_ply(game: str, plies: str, written: str) -> None:
    position = Position(game).play(plies.split())
    ply = next(ply for ply in position.plies() if len(ply) == 5 and "-" in ply)
    text = written.format(ply[:2], ply[2], ply[3:])
    record = parse_record(f'[Game "{game}"]\n\n{plies} {text} *\n')
    (found,) = (one for one in record.diagnostics if one.is_error)
    assert (found.subject, found.length) == (text, len(text))
    assert found.reason == f"{text} contains spaces; a ply is one word, {ply}"
    assert list(found.suggest) == [ply]


def test_drops_of_another_form() -> None:
    hand = Position("rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1. s 1+0 0")
    for text in ("K@a5", "a5@", "1@a5"):
        assert writing_error(hand, text) == f"{text} is not how a drop is written, which is @a5"


def test_one_wrong_number_is_one_warning() -> None:
    record = Record.new("rings")
    for _ in range(12):
        record.play([*record.positions()][-1].plies()[0])
    text = str(record)
    for number in range(6, 2, -1):
        text = text.replace(f" {number}. ", f" {number + 1}. ").replace(f"\n{number}. ", f"\n{number + 1}. ")
    wrong = [one for one in parse_record(text).diagnostics if one.code == "wrong-number"]
    assert [one.suggest for one in wrong] == [("3.",)]
    once = str(record).replace("3. ", "13. ")
    assert [one.code for one in parse_record(once).diagnostics].count("wrong-number") == 1


def test_the_message_names_what_is_not_a_record() -> None:
    (line,) = check_records(text="rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0\n")
    found = next(one for one in line.diagnostics if one.code == "missing-game")
    assert "this is a position" in found.reason
    assert found.suggest[0].startswith('[FEN "rings ')
    (white,) = check_records(text='[Game "rings"]\n[White "A"]\n[Black "B"]\n\n*\n')
    assert "not White and Black" in white.diagnostics[0].reason
    (game,) = check_records(text='[Game "Gygès"]\n\n*\n')
    assert next(one for one in game.diagnostics if one.code == "unknown-game").suggest == ("gyges",)
    (small,) = check_records(text='[game "rings"]\n\n*\n')
    assert small.diagnostics[0].suggest == ('[Game "rings"]',)


def _diagnosed(game: str, movetext: str) -> Diagnostic:
    record = parse_record(f'[Game "{game}"]\n\n{movetext} *')
    return next(one for one in record.diagnostics if one.is_error)


@pytest.mark.parametrize(
    ("game", "movetext", "words", "suggest"),
    [
        ("siaius", "1. a4-a3", "its squares are reversed: a3-a4 is legal", ["a3-a4"]),
        ("siaius", "1. a3-a4 a8-a7 2. c3-c4 (2. b4-b3)", "its squares are reversed: b3-b4 is legal", ["b3-b4"]),
        ("siaius", "1. a8-a7 a3-a4 2. b3-b4", "it and the next ply, a3-a4, are swapped", ["a3-a4"]),
        ("siaius", "1. a3-a4 b3-b4 2. b8-b7", "it and the next ply, b8-b7, are swapped", ["b8-b7"]),
        ("siaius", "1. a3-a4 b3-b4 b8-b7 c3-c4", "a ply of North is missing before it: with a8-a7", None),
        ("rings", "1. a1-a2 a7-a6 2. a3-a2", "its squares are reversed: a2-a3 is legal", ["a2-a3"]),
    ],
)
def test_messages_about_illegal_plies(game: str, movetext: str, words: str, suggest: list[str] | None) -> None:
    found = _diagnosed(game, movetext)
    assert words in found.message
    assert suggest is None or list(found.suggest)[: len(suggest)] == suggest
    assert found.position is not None
    assert all(found.position.is_legal(ply) for ply in found.suggest)


def test_another_ply_before_makes_the_rest_legal() -> None:
    start = Position("gyges").play(["321123", "321123"])
    random = Random(7)
    seen = 0
    while seen < 10:
        position, plies = start, list[str]()
        while len(plies) < 8 and not position.is_over:
            ply = random.choice(position.plies())
            plies.append(ply)
            position = position.apply(ply)
        if len(plies) < 8:
            continue
        before = start.play(plies[:3])
        slips = [
            ply for ply in before.plies() if is_one_slip(ply, plies[3]) and not before.apply(ply).is_legal(plies[4])
        ]
        if not slips:
            continue
        seen += 1
        words = " ".join([*plies[:3], slips[0], *plies[4:]])
        found = _diagnosed("gyges", f"1. 321123 321123 2. {words}")
        words = f"if 3... {slips[0]} were "
        assert words in found.message or "it and the" in found.message
        if words in found.message:
            named = found.message.partition(words)[2].partition(", the rest would be legal")[0].split(" or ")
            assert len(named) == MOST or plies[3] in named
            assert all(_rest_is_legal(before.apply(ply), plies[4:]) for ply in named)


@pytest.mark.parametrize("game", game_ids())
def test_the_own_ply_before_the_last_makes_the_rest_legal(game: str) -> None:
    """A ply goes to a wrong square, the next one is legal, and the one after it is not."""
    random, seen, named = Random(game), 0, 0
    for seed in range(60):
        plies = [node.ply for node in random_game(Position(game), seed, plies=24).main.nodes]
        at = random.randrange(4, 12)
        if len(plies) < 20:
            continue
        before = Position(game).play(plies[:at])
        same = [ply for ply in before.plies() if squares_of(ply)[:1] == squares_of(plies[at])[:1] != []]
        wrong = [
            ply
            for ply in same
            if before.apply(ply).is_legal(plies[at + 1])
            and not before.apply(ply).apply(plies[at + 1]).is_legal(plies[at + 2])
        ]
        if not wrong:
            continue
        words = [*plies[:at], random.choice(wrong), *plies[at + 1 :]]
        found = _diagnosed(game, " ".join(words))
        assert found.position is not None
        assert all(map(found.position.is_legal, found.suggest))
        seen += 1
        hint = found.message.partition(" were ")[2].partition(", the rest would be legal")[0]
        named += plies[at] in hint.split(" or ")
    assert seen > 2
    assert named >= 0.6 * seen


def _rest_is_legal(position: Position, plies: list[str]) -> bool:
    position.play(plies)
    return True


@pytest.mark.parametrize("text", ["١٢", "a١-b٣", "a1-b٣", "٣٢١١٢٣", "²", "a²"])
def test_digits_of_other_scripts_are_no_digits(text: str) -> None:
    start = Position("gyges")
    for position in (start, start.play(["321123", "321123"])):
        words = writing_error(position, text)
        assert words is None or "needs its dot" not in words
        assert words is None or "digits;" not in words
        assert squares_of(text) in ([], ["a1"])


@pytest.mark.parametrize(
    ("game", "text", "words", "result"),
    [
        ("gyges", "l-0", "l-0 is not a ply; the result is written 1-0", "1-0"),
        ("rings", "South wins!", "South wins! is not a ply; the result is written 1-0", "1-0"),
        ("rings", "O:1", "O:1 is not a ply; the result is written 0-1", "0-1"),
        ("siaius", "DRAW", "DRAW is not a ply; a draw is written 1/2-1/2", "1/2-1/2"),
        ("siaius", "1-О", "contains О (U+041E CYRILLIC CAPITAL LETTER O) instead of O", "1-0"),
        ("gran", "l-O-0", "l-O-0 is not a ply; the result is written 1-0-0", "1-0-0"),
        ("gran", "PLAYER 2 WINS", "PLAYER 2 WINS is not a ply; the result is written 0-1-0", "0-1-0"),
    ],
)
def test_results_in_another_form_get_a_hint(game: str, text: str, words: str, result: str) -> None:
    """In the movetext and in the tag."""
    found = parse_record(f'[Game "{game}"]\n\n{text}\n').diagnostics
    (first,) = (one for one in found if one.is_error)
    assert (first.code, first.subject) == ("bad-ply", text)
    assert words in first.reason
    assert first.suggest == (result,)
    found = parse_record(f'[Game "{game}"]\n[Result "{text}"]\n\n*\n').diagnostics
    assert [one.suggest for one in found if one.code == "bad-result"] == [(result,)]


@pytest.mark.parametrize(
    ("game", "begin", "phrase", "suggest"),
    [
        ("gyges", "321123 321123 ", "North resigns", "1-0"),
        ("gyges", "321123 321123 ", "1 - 0", "1-0"),
        ("gyges", "321123 321123 ", "½ - ½", "1/2-1/2"),
        ("gyges", "1. 321123 321123 ", "2. resigns", "0-1"),
        ("gyges", "321123 321123 ", "White resigns", "0-1 1-0"),
        ("gyges", "321123 321123 ", "I resign", "0-1 1-0"),
        ("gyges", "321123 321123 ", "South wins by forfeit", "1-0"),
        ("gyges", "321123 321123 ", "North time out", "1-0"),
        ("rings", "a1-a2 ", "black wins", "1-0 0-1"),
        ("rings", "a1-a2 ", "(draw agreed)", "1/2-1/2"),
        ("siaius", "a3-a4 ", "South\nresigns!!!", "0-1"),
        ("gran", "g3-g4 ", "1 - 0 - 0", "1-0-0"),
        ("gran", "g3-g4 ", "player 3 wins", "0-0-1"),
        ("gyges", "321123 321123 a1-b3 c6-c5 ", "b1xb3 (e4)", "b1xb3-e4"),
        ("gyges", "1. 321123 321123 ", "2 .", ""),
        ("gyges", "1. 321123 321123 2. a1-b3 ", "2 ...", ""),
        ("gyges", "321123 321123 ", "> >", ""),
    ],
)
def test_words_that_belong_together_are_reported_once(game: str, begin: str, phrase: str, suggest: str) -> None:
    text = f'[Game "{game}"]\n\n{begin}{phrase}\n'
    (found,) = (one for one in parse_record(text).diagnostics if one.is_error)
    assert (found.line, found.column, found.subject) == (3, 1 + len(begin), phrase.replace("\n", " "))
    assert " ".join(found.suggest) == suggest
    (raw,) = split_records(io.BytesIO(text.encode()))
    (other, place), *_ = (one for one in check_with_places(RecordReader(""), raw, 1).found if one[0].is_error)
    assert other.code == found.code
    assert place.at >= len(f'[Game "{game}"]\n\n{begin}')


@pytest.mark.parametrize(
    ("game", "text", "subjects"),
    [
        ("gyges", "321123 321123 and South wins", ["and", "South wins"]),
        ("gyges", "321123 321123 a1 {then} b3", ["a1", "b3"]),
        ("gyges", "321123 321123 a1 - b3 c6c5", ["a1 - b3", "c6c5"]),
        ("rings", "a1-a2 South wins now", ["South wins now"]),
        ("gyges", "321123 321123 What a strong\nplan, I think! a1-b3", ["What a strong plan, I think"]),
        ("gyges", "321123 321123 well played and North wins", ["well played and", "North wins"]),
        ("gyges", "321123 321123 a very a1-b3", ["a", "very"]),
        ("gyges", f"321123 321123 {'no ' * 150}", ["no " * 20 + "…"]),
        ("gyges", "xyz 321123 so it goes", ["xyz", "so it goes"]),
        ("gran", "g3-g4 draw agreed", ["draw", "agreed"]),
        ("gyges", "321123 321123 a1-b3 (b1-b3 North resigns 1-0)", ["North", "resigns", "1-0"]),
        ("gyges", "321123 321123 a1-b3 (b1-b3 South resigns (time", ["South", "resigns", "("]),
        ("gyges", "321123 321123 a1-b3 (b1-b3\n% )\nSouth resigns", ["(", "South", "resigns"]),
        ("gyges", "% (\n321123 321123 South resigns", ["South resigns"]),
    ],
)
def test_other_words_are_reported_one_by_one(game: str, text: str, subjects: list[str]) -> None:
    found = parse_record(f'[Game "{game}"]\n\n{text}\n').diagnostics
    assert [one.subject for one in found if one.is_error] == subjects


def test_a_finished_game_decides_what_words_mean() -> None:
    start = "gyges 321123/3...../....../....../3...../12..12 s - 1+1"
    end = next(ply for ply in Position(start).plies() if Position(start).apply(ply).is_over)
    (found,) = (one for one in parse_record(f'[FEN "{start}"]\n\n{end} South resigns\n').diagnostics if one.is_error)
    assert (found.subject, found.suggest) == ("South resigns", ("1-0",))


def test_words_that_are_not_reported_are_not_counted_as_such() -> None:
    text = '[Game "gyges"]\n\n321123 321123 a1-b3 c6-c5 ' + "(2... b6 c5) " * 200 + "*\n"
    *shown, last = (one for one in parse_record(text).diagnostics if one.code in ("bad-ply", "not-shown"))
    assert (len(shown), last.code) == (50, "not-shown")
    assert last.reason.startswith("up to 300 more errors")


def test_a_game_without_draws_suggests_none() -> None:
    found = parse_record('[Game "gran"]\n\ndraw\n').diagnostics
    assert "1/2-1/2" not in found[-1].reason + "".join(found[-1].suggest)


@pytest.mark.parametrize("game", game_ids())
def test_a_slip_many_plies_before_is_found(game: str) -> None:
    """One character of a ply is wrong; it is legal, and a later ply is not."""
    random, seen, first = Random(game), 0, 0
    for seed in range(60):
        plies = [node.ply for node in random_game(Position(game), seed, plies=30).main.nodes]
        at = random.randrange(2, 8)
        before = Position(game).play(plies[:at])
        slips = [ply for ply in before.plies() if is_one_slip(ply, plies[at]) and len(ply) == len(plies[at])]
        if not slips:
            continue
        slip = random.choice(slips)
        report = parse_record(f'[Game "{game}"]\n\n{" ".join([*plies[:at], slip, *plies[at + 1 :]])} *')
        found = next((one for one in report.diagnostics if one.is_error), None)
        if found is not None:
            seen += 1
            first += found.reason.rpartition(" were ")[2].startswith((f"{plies[at]},", f"{plies[at]} or "))
    assert seen > 20
    assert first >= 0.8 * seen


@pytest.mark.parametrize("game", ["siaius", "rings"])
def test_a_ply_of_the_next_player_shows_a_missing_ply(game: str) -> None:
    for seed in range(20):
        plies = [node.ply for node in random_game(Position(game), seed, plies=16).main.nodes]
        found = _diagnosed(game, " ".join([*plies[:6], *plies[7:]]))
        assert "ply of South is missing before it" in found.reason or "swapped" in found.reason


@pytest.mark.parametrize("game", game_ids())
def test_an_error_is_explained_although_the_rest_has_another(game: str) -> None:
    """Enough plies after the error are evidence, if the rest contains a second error."""
    plies = random_plies(Random(f"second {game}"), game, 30)
    doubled = next(
        at
        for at in range(8, 20)
        if ":" not in plies[at] and not Position(game).play(plies[: at + 1]).is_legal(plies[at])
    )
    text = [*plies[: doubled + 1], *plies[doubled:], "zz"]
    found = _diagnosed(game, " ".join(text))
    assert found.reason.endswith(
        f"; if {plies[doubled]} were written only once, the plies up to {plies[doubled + 6]} would be legal"
    )


@pytest.mark.parametrize(
    ("game", "plies", "again"),
    [
        ("siaius", "e3-e4 d8-c7 a3-a4 a3-a4 b8-a7", "a3-a4"),
        ("siaius", "e3-e4 d8-c7 e3-e4 d8-c7 a3-a4 b8-a7", "e3-e4 d8-c7"),
        ("gyges", "131223 332121 b1xc1-d4 b1xc1-d4 d6xe6-e3", "b1xc1-d4"),
    ],
)
def test_plies_that_are_written_twice(game: str, plies: str, again: str) -> None:
    assert _diagnosed(game, f"{plies} *").reason.endswith(
        f"; if {again} were written only once, the rest would be legal"
    )


@pytest.mark.parametrize("game", game_ids())
def test_a_line_that_is_written_twice(game: str) -> None:
    """The first plies of the second time can be legal."""
    seen = legal = 0
    for seed in range(30):
        plies = random_plies(Random(f"again {game} {seed}"), game, 24)
        found = first_error(f'[Game "{game}"]\n\n{" ".join([*plies[:16], *plies[6:]])} *\n')
        if found is not None and found.ply is not None and len(plies) == 24:
            seen += 1
            legal += found.ply > 17
            again = f"the plies from {plies[6]} to {plies[15]}"
            assert f"; if {again} were written only once, the rest would" in found.message
    assert seen > 20
    assert legal or game == "gran"  # where each figure moves from its place


@pytest.mark.parametrize("game", game_ids())
def test_plies_of_two_turns_that_are_swapped(game: str) -> None:
    seen = named = 0
    for seed in range(20):
        plies = random_plies(Random(f"far {game} {seed}"), game, 24)
        plies[12], plies[14] = plies[14], plies[12]
        found = first_error(f'[Game "{game}"]\n\n{" ".join(plies)} *\n')
        if len(plies) == 24 and found is not None and found.ply == 13:
            seen += 1
            named += found.message.endswith(f"; it and the later ply {plies[14]} are swapped")
    assert seen >= 3
    assert named >= 0.4 * seen


def test_a_line_with_the_game_that_is_no_tag() -> None:
    for line in ("Game: gran", 'game = "gran"', "Game gran]"):
        (report,) = check_records(text=f"{line}\n\n1. g3-f3 *\n")
        found = next(one for one in report.diagnostics if one.code == "missing-game")
        assert found.reason.endswith('; a tag reads [Game "gran"]')
        assert found.suggest == ('[Game "gran"]',)


def test_a_number_after_an_illegal_ply_shows_a_lost_line() -> None:
    plies = [node.ply for node in random_game(Position("rings"), 4, plies=40).main.nodes]
    rounds = [f"{at // 2 + 1}. {plies[at]} {plies[at + 1]}" for at in range(0, 40, 2)]
    lost = [*rounds[:5], plies[17], *rounds[9:]]
    found = _diagnosed("rings", " ".join(lost))
    assert found.reason.endswith("; plies seem to be missing, since the next number is 10.")
    assert not found.suggest
    near = [*rounds[:5], plies[17], *(one.replace(f"{n}. ", f"{n - 4}. ") for n, one in enumerate(rounds[9:], 10))]
    assert "seem to be missing" not in _diagnosed("rings", " ".join(near)).reason


def test_a_number_that_is_too_high_explains_the_illegal_ply_after_it() -> None:
    found = parse_record('[Game "gran"]\n\n1. g3-e3 g3-f2 g3-g4 4. a7-a8 *\n').diagnostics
    number, ply = (one for one in found if one.code in ("wrong-number", "illegal-ply"))
    assert number.reason == "expected 2., unless plies are missing before it"
    assert not number.suggest
    assert ply.reason.endswith("; plies seem to be missing before its number")


def test_a_number_far_ahead_names_the_first_lost_ply_and_invents_none() -> None:
    plies = [node.ply for node in random_game(Position("rings"), 4, plies=40).main.nodes]
    rounds = [f"{at // 2 + 1}. {plies[at]} {plies[at + 1]}" for at in range(0, 40, 2)]
    found = parse_record(f'[Game "rings"]\n\n{" ".join(rounds[:5] + rounds[9:])} *\n').diagnostics
    number, ply = (next(one for one in found if one.code == code) for code in ("wrong-number", "illegal-ply"))
    assert number.reason == "plies from 6. on are missing before 10."
    assert ply.reason.endswith("; plies from 6. on are missing before 10.")
    assert not number.suggest
    assert not ply.suggest


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("{lost a6-c5 2. e1-d2 {b} f6-d6 *", "illegal-ply"),
        ("{lost a6-c5 2. e1-d2 {b} 3... f6-d6 *", "illegal-ply"),
        ("{lost (1. e1-d2 {b} a6-c5) *", "stray-parenthesis"),
    ],
)
def test_a_comment_that_lost_its_brace(rest: str, code: str) -> None:
    fen = "gyges 321123/....../....../....../....../231123 s - 1+1"
    words = "the comment before it contains {, so a } may be missing in it"
    for text, is_lost in ((rest, True), (rest.replace("{b", "b"), False), (rest.replace("lost", "lost}"), False)):
        found = parse_record(f'[FEN "{fen}"]\n\n1. f1-e3 {text}\n').diagnostics
        assert any(one.code == code and one.reason.endswith(words) for one in found) == is_lost, text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("c1-d1-c2xe3-c3", "c1xe3-c3"),
        ("c1-d1-d2xe4-c3", "c1-d1-d2xe3-c3"),
        ("b1-d1-d2xe3-c3", "c1-d1-d2xe3-c3"),
        ("c1-d1-d2-e3-c3", "c1-d1-d2xe3-c3"),
        ("c1-d1-d2xe3-c9", "c1-d1-d2xe3-c3"),
    ],
)
def test_long_forms_with_an_error(written: str, meant: str) -> None:
    """A wrong bounce is left out; after another error the bounces stay."""
    begin = "1. 231123 321123 2. f1-e3 a6-c5 3. e1-d2 f6xe6-a2"
    found = _diagnosed("gyges", f"{begin} 4. {written} b6xc5-f3 5. d1-d2-e3xf3-c4 d6-d5 6. b1-c3xd5-d1 *")
    assert found.suggest[0] == meant


@pytest.mark.parametrize(("rest", "is_needless"), [("a3-a4 b8-a7", True), ("b8-a7 a3-a4", False), ("", False)])
def test_a_null_ply_without_which_the_rest_is_legal(rest: str, is_needless: bool) -> None:
    found = _diagnosed("siaius", f"e3-e4 d8-c7 -- {rest}")
    assert found.reason.endswith("; without it, the rest would be legal") == is_needless


def test_a_word_of_capitals_that_is_no_ply_in_lower_case() -> None:
    report = parse_record('[Game "siaius"]\n\n1. a3-a9 i3-iS A3-A4 *\n')
    assert [one.reason.partition(" ")[2] for one in report.diagnostics if one.code == "bad-ply"] == [
        "is not a ply of this game",
        "contains capitals; squares and x are written in lower case, a3-a4",
    ]


@pytest.mark.parametrize(
    ("game", "before", "text", "meant"),
    [
        ("siaius", "", "l3-h4", "i3-h4"),
        ("siaius", "", "i3-hA", "i3-h4"),
        ("gyges", "112332 211332 e1xd1-e2 c6xb6-b4 d1xc1-f5 d6xf5-d2 b1-b1 e6xb6-f3", "b1xa1-aS", "b1xa1-a5"),
        ("rings", "a1-a2", "97-f7", "g7-f7"),
        ("gran", "g3-f3 g3-g4", "g3-g4", "g3xg4-c5"),
    ],
)
def test_what_looks_alike_and_what_is_incomplete_is_suggested(game: str, before: str, text: str, meant: str) -> None:
    position = Position(game).play(before.split())
    found = suggestions(position, text)
    assert meant in found[: 3 if game == "gran" else 1]


def test_two_plies_without_a_space() -> None:
    found = _diagnosed("siaius", "e3-e4d8-c7 a3-a4 *")
    assert "is two plies without a space between them, e3-e4 and d8-c7" in found.reason
    assert found.suggest == ("e3-e4",)


def test_odd_numbers_are_named() -> None:
    for text, number in (("7,", "7."), ("1O.", "10."), ("l2:", "12.")):
        assert writing_error(None, text) == f"{text} is not a ply; a move number is digits with a dot, {number}"


def test_a_row_of_digits_is_no_move_number_where_a_ply_is_one() -> None:
    start = Position("gyges")
    assert writing_error(start, "3211") == "expected 6 digits, as in 112233, but 3211 has 4"
    assert writing_error(start, "1") == "1 is not a ply; a move number needs its dot, 1."
    assert writing_error(Position("rings"), "12") == "12 is not a ply; a move number needs its dot, 12."


def test_numbers_and_missing_plies() -> None:
    """A number that is too low shows no missing plies; one that is too high does, although its own ply is legal."""
    begin = '[Game "siaius"]\n\n1. a3-a4 a8-a7 2. d3-c4 a7-b6 3. j3-i4'
    low = {one.code: one for one in parse_record(f"{begin} b6-c6 3. c3-d5 a9-a8 *").diagnostics}
    assert low["wrong-number"].reason == "expected 4."
    lost = {one.code: one for one in parse_record(f"{begin} b6-c6 5. h3-g4 c5-b4 *").diagnostics}
    assert lost["wrong-number"].reason == "plies of South and North are missing before 5."
    for path in lost["wrong-number"].suggest:
        Position("siaius").play(f"a3-a4 a8-a7 d3-c4 a7-b6 j3-i4 b6-c6 {path} h3-g4 c5-b4".split())


def test_misspelt_names_of_tags_are_named() -> None:
    (found,) = parse_record(
        '[Game "rings"]\n[Event "?"]\n[Date "?"]\n[Sout "A"]\n[North "B"]\n[Resutl "*"]\n\n*\n'
    ).diagnostics
    words = "the tag Sout may be meant as South; the tag Resutl may be meant as Result"
    assert found.reason == f"usual tags are absent: South, Result; {words}"


@pytest.mark.parametrize("game", game_ids())
def test_plies_that_explain_the_error_are_suggested_first(game: str) -> None:
    """With a missing ply, the suggestions begin with the plies that the message names."""
    plies = random_plies(Random(f"first {game}"), game, 24)
    seen = 0
    for at in (at for at in range(6, 16) if ":" not in plies[at]):
        found = _diagnosed(game, " ".join([*plies[:at], *plies[at + 1 :]]))
        named = found.reason.partition(" is missing before it: with ")[2].partition(", the rest would be legal")[0]
        if named:
            seen += 1
            assert list(found.suggest)[: len(named.split(" or "))] == named.split(" or ")
    assert seen >= 3
