"""The format ``plain``: games as people write them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from cli_runner import ringfen
from plain_speller import Speller

from ringfen import Position
from ringfen.notation import Record, read_records
from ringfen.notation.formats.plain import read
from ringfen.notation.formats.plain_parser import GameParser
from ringfen.notation.random_play import Generator, random_plies

pytestmark = pytest.mark.unsanitized  # the reader is written in Python

ROOT = Path(__file__).parents[2]
GAMES = ("gyges", "rings", "siaius", "gran")


def games(text: str | bytes, game: str) -> list[Record]:
    data = text.encode() if isinstance(text, str) else text
    return list(read(BytesIO(data), "mail.txt", game, 1 << 20, ()))


def plies(record: Record) -> list[str]:
    return [node.ply for node in record.mainline()]


def line(text: str, game: str) -> str:
    """The plies and the result of the only game of a text, which has no diagnostics."""
    (record,) = games(text, game)
    assert not record.diagnostics, [one.text() for one in record.diagnostics]
    return " ".join([*plies(record), record.result])


def error(text: str, game: str) -> str:
    """The code and the place of the only error of the only game of a text."""
    (record,) = games(text, game)
    (found,) = record.diagnostics
    return f"{found.code}:{found.line}:{found.column}"


def start_of(game: str, random: Random) -> Position:
    players = random.randint(3, 6)
    tags = {f"Player{number}": "?" for number in range(1, players + 1)} if game == "gran" else {}
    return Record.new(game, **tags).begin  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(15))
def test_a_game_in_any_spelling_is_read_back(game: str, seed: int) -> None:
    random = Random(seed)
    start = start_of(game, random)
    played, _ = random_plies(start, Generator(seed), random.choice((8, 20, 60)))
    text = ("" if start.players == 2 else f"{start.players} players\n") + Speller(random).game(start, played)
    (record,) = games(text, game)
    assert not record.diagnostics, f"{text}\n{record.diagnostics[0].text()}"
    assert plies(record) == played, text
    assert record.start == start


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_games_in_one_text_are_separated(game: str, seed: int) -> None:
    random = Random(seed)
    start = Position(game)
    lines = [random_plies(start, Generator(seed, number), random.choice((5, 9, 20)))[0] for number in range(3)]
    texts = [Speller(random).game(start, played) for played in lines]
    headed = "\n".join(f"Game {number}: Ada against Bob\n\n{text}" for number, text in enumerate(texts, 1))
    assert [plies(record) for record in games(headed, game)] == lines, headed
    ended = "\n".join(f"{text}*\n" for text in texts)
    assert [plies(record) for record in games(ended, game)] == lines, ended


def test_the_game_of_2001_as_it_was_printed() -> None:
    (expected,) = read_records(ROOT / "examples" / "gyges-2001.rgn")
    text = """1. 231123 321123  2. 61-53 16-35  3. 51-42 66x56=12  4. 31-41-42x53=33 26x35=63
5. 41-42-53x63=34 46-45  6. 21-33x45=41 56-53x63=43 (South resigns)"""
    (record,) = games(text, "gyges")
    assert not record.diagnostics
    assert plies(record) == plies(expected)
    assert record.result == expected.result
    # The setups in the other order, with names and without; North's from the side of North; another way to count.
    moves = text.partition("321123  ")[2]
    for setups in ("North: 321123, South: 231123", "321123\n231123\n", "N=321123 S=231123\n", "231123 / 321123\n"):
        (other,) = games(f"{setups} {moves}", "gyges")
        assert plies(other) == plies(expected), setups
    for number in range(2, 7):
        moves = moves.replace(f"{number}. ", f"{number - 1}. ")
    assert line(f"231123 321123\n{moves}", "gyges") == " ".join([*plies(expected), "0-1"])
    played = " ".join(plies(expected))
    win = "7. 41-42-53-63-66 36-46 8. 11-22 46-45-53-63-g"
    text = text.replace("(South resigns)", win)
    assert line(text, "gyges") == f"{played} d1-d2-e3-f3-f6 c6-d6 a1-b2 d6-d5-e3-f3-S 0-1"


@pytest.mark.parametrize("seed", range(4))
def test_setups_without_names_are_found_in_any_order(seed: int) -> None:
    start = Position("gyges")
    played, _ = random_plies(start, Generator(seed, 5), 30)
    south, north, *rest = played
    for first, second in ((south, north), (north, south), (south, north[::-1]), (north[::-1], south)):
        assert line(f"{first}\n{second}\n{' '.join(rest)}", "gyges") == " ".join([*played, "*"])


BEGIN = "231123 321123"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("F1–E3, A6→C5", "f1-e3 a6-c5 *"),
        ("61->53  16 - 35", "f1-e3 a6-c5 *"),
        ("f1 e3 a6 c5", "f1-e3 a6-c5 *"),
        ("f1-e3! (good) a6-c5?? 1:0", "f1-e3 a6-c5 1-0"),
        ("f1-e3 - a6-c5 - ½-½", "f1-e3 a6-c5 1/2-1/2"),
        ("f1-e3 | a6-c5 | White resigns", "f1-e3 a6-c5 0-1"),
        ("f1-e3 a6-c5 I resign", "f1-e3 a6-c5 0-1"),
        ("- f1-e3 a6-c5 - I give up!", "f1-e3 a6-c5 0-1"),
        ("f1-e3 resigns", "f1-e3 1-0"),
        ("f1-e3 a6-c5 {ü – 1-0} (2. d1-c2 d6-d5) *", "f1-e3 a6-c5 *"),
        ("f1-e3 a6-c5 e1-d2 f6xe6(a2)", "f1-e3 a6-c5 e1-d2 f6xe6-a2 *"),
        ("f1-e3 a6-c5 e1-d2 f6 : e6 =\n a2", "f1-e3 a6-c5 e1-d2 f6xe6-a2 *"),
        ("f1-e3 a6-c5 e1-d2 66-56=12", "f1-e3 a6-c5 e1-d2 f6xe6-a2 *"),
        ("South f1-e3 North a6-c5", "f1-e3 a6-c5 *"),
        ("South plays f1-e3. North plays a6-c5.", "f1-e3 a6-c5 *"),
        ("1.f1-e3 1...a6-c5 2.e1-d2 2. ... f6:e6/a2", "f1-e3 a6-c5 e1-d2 f6xe6-a2 *"),
        ("1)f1-e3 a6-c5 (1-0)", "f1-e3 a6-c5 1-0"),
        ("\nRound 1\nf1-e3 a6-c5\nRound 2\ne1-d2", "f1-e3 a6-c5 e1-d2 *"),
        ("f1-e3 a6-c5 1 : 0", "f1-e3 a6-c5 1-0"),
        ("\n#\tWhite\tBlack\n1\tf1-e3\ta6-c5\n2\te1-d2", "f1-e3 a6-c5 e1-d2 *"),
        ("1. f1-e3 2. a6-c5 3. e1-d2", "f1-e3 a6-c5 e1-d2 *"),
        ("3. f1-e3 4. a6-c5 5. e1-d2", "f1-e3 a6-c5 e1-d2 *"),
        ("White: f1-e3\nBlack: a6-c5", "f1-e3 a6-c5 *"),
        ("\n- f1-e3\n- a6-c5", "f1-e3 a6-c5 *"),
        ("**f1-e3** `a6-c5`", "f1-e3 a6-c5 *"),
        ("\n\nf1-e3\n\na6-c5\n\nDraw agreed.", "f1-e3 a6-c5 1/2-1/2"),
    ],
)
def test_spellings(text: str, rest: str) -> None:
    assert line(f"{BEGIN} {text}", "gyges") == f"{BEGIN} {rest}"


DROP = "rings k1...../......./......./...5.../......./......./K.....K s 1+0 0"
HUFF = "siaius 3/1m1/1S1/3/2t/S2 s - - 0"
BONUS = "siaius 3/1S1/3/3/m2/3 s - - 0"
THRONE = "gyges 1...../....../....../....../....../...... s - 2+1"


@pytest.mark.parametrize(
    ("game", "text", "expected"),
    [
        ("rings", f"{DROP}\n@44", "@d4"),
        ("rings", f"{DROP}\nN@d4", "@d4"),
        ("rings", f"{DROP}\n1. drops D4", "@d4"),
        ("siaius", f"{HUFF}\n1. b4-a4 huff A4 32-22", "b4-a4 *a4 c2-b2"),
        ("siaius", f"{HUFF}\n1. 24-14 *14", "b4-a4 *a4"),
        ("siaius", f"{HUFF}\n1. 24:25", "b4xb5"),
        ("siaius", f"{BONUS}\n1. b5-b6-b4 a2-b2", "b5-b6 b6-b4 a2-b2"),
        ("siaius", f"{BONUS}\n1. b5-b6 b6-b4 a2-b2", "b5-b6 b6-b4 a2-b2"),
        ("siaius", f"{BONUS}\n1. b5-b6 stays a2-b2", "b5-b6 stay a2-b2"),
        ("siaius", f"{BONUS}\n1. b5-b6 a2-b2", "b5-b6 stay a2-b2"),
        ("gyges", f"{THRONE}\n16-g =33", "a6-N =c3"),
        ("gyges", f"{THRONE}\nA6 → ♔ 33", "a6-N =c3"),
        ("gyges", f"{THRONE}\na6-n c3 c3-c2", "a6-N =c3 c3-c2"),
    ],
)
def test_spellings_of_other_games(game: str, text: str, expected: str) -> None:
    (record,) = games(text, game)
    assert " ".join(plies(record)) == expected, [one.text() for one in record.diagnostics]


@pytest.mark.parametrize(
    ("game", "text", "expected"),
    [
        ("gyges", f"{BEGIN} f1-e4", "illegal-ply:1:15"),
        ("gyges", f"{BEGIN}\nf1-e3 a6-c5\n61-62 ", "illegal-ply:3:1"),
        ("gyges", f"{BEGIN} c1d1d2", "bad-ply:1:15"),  # a bounce, or a displacement
        ("gyges", f"{BEGIN} f1-e3 a6-c5 e1-d2 f6xe6", "bad-ply:1:33"),
        ("gyges", f"{BEGIN} f1-e3 perhaps a6-c5", "bad-ply:1:21"),
        ("gyges", f"{BEGIN} f1-e3 then 16-35", "bad-ply:1:21"),
        ("gyges", f"{BEGIN} f1-e3 (a6-c5", "unclosed-variation:1:21"),
        ("gyges", f"{BEGIN} f1-e3 ... a6-c5", "bad-ply:1:21"),
        ("gyges", f"{BEGIN} f1-e3 ? e1-d2", "bad-ply:1:21"),
        ("gyges", f"{BEGIN} f1-e3 %%", "bad-ply:1:21"),
        ("gyges", f"> > {BEGIN}\n> > f1–e3 16–34", "illegal-ply:2:11"),
        ("gyges", f"{BEGIN} 1-0 f1-e3", "text-after-result:1:19"),
        ("gyges", f"{BEGIN} f1-e3 1-0 0-1", "result-mismatch:1:25"),
        ("gyges", f"{BEGIN} North f1-e3", "illegal-ply:1:15"),
        ("gyges", "231124 321123", "bad-ply:1:1"),
        ("gyges", "S: 231123 S: 321123", "bad-ply:1:14"),
        ("gyges", "North: 231123", "bad-ply:1:8"),
        ("gyges", "321123 231123 f1-e3 a6-c5 a1-b2", "illegal-ply:1:21"),  # too short to show that they are exchanged
        ("gyges", f"1. {BEGIN} 2. f1-e3 a6-c5 4. e1-d2", "bad-number:1:33"),
        ("gyges", f"{BEGIN} 4. f1-e3 a6-c5", "bad-number:1:15"),
        ("gyges", f"{BEGIN}\nf1-e3\n...\ne1-d2", "bad-ply:3:1"),
        ("gyges", f"{BEGIN}\nf1-e3 20resigns", "bad-ply:2:7"),
        ("rings", "42-32 46--35\nSouth – 13 37--46", "bad-ply:2:1"),
        ("gyges", "the game was lost", "bad-format:1:1"),
        ("gyges", "gyges 321123/x s", "bad-position:1:1"),
        ("rings", "c1-c2 pass", "illegal-ply:1:7"),
        ("siaius", "1. d3-d4 d8-d7 2. *d4", "illegal-ply:1:19"),
        ("siaius", "1. d3-d4 1-0-0", "bad-result:1:10"),
        ("siaius", f"{BONUS}\nb5-b6 stay in a corner", "bad-ply:2:7"),
        ("gran", "g3-g4 g3xg4=e5 0-1", "bad-result:1:16"),
        ("gran", "g3-g4 g3xg4=e5 g3xg4=f5 g3-f3", "illegal-ply:1:25"),  # four, five or six players
        ("gran", "g3-h3 die 6 *card 5", "bad-ply:1:7"),
        ("gran", "3 players\ng3-g4 g3xg4=e5 g3xg4-f5 g3-f3", "illegal-ply:2:25"),
    ],
)
def test_errors_have_their_place(game: str, text: str, expected: str) -> None:
    assert error(text, game) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("99", "i9 is off the board, which has files a to f and ranks 1 to 6; 99 stands for i9"),
        ("61-79", "g9 in f1-g9 is off the board, which has files a to f and ranks 1 to 6; 61-79 stands for f1-g9"),
        ("F1-G9", "g9 in f1-g9 is off the board, which has files a to f and ranks 1 to 6"),
    ],
)
def test_errors_name_the_squares_of_digits(text: str, words: str) -> None:
    (record,) = games(f"{BEGIN} {text}", "gyges")
    assert record.diagnostics[0].reason == words


def test_the_number_of_players() -> None:
    played = ["g3-g4", "g3xg4-e5", "g3xg4-f5", "g3-f3"]
    for text in (
        "4 players: g3-g4 g3xg4=e5 g3xg4=f5 g3-f3",
        "| Player 1 | Player 2 | Player 3 | Player 4 |\n|---|\n| g3-g4 | g3xg4=e5 | g3xg4=f5 | g3-f3 |\n",
        "Player 1: Ada\nPlayer 4: Dan\n\ng3-g4 g3xg4=e5 g3xg4=f5 g3-f3",
    ):
        (record,) = games(text, "gran")
        assert not record.diagnostics, record.diagnostics[0].text()
        assert plies(record) == played
        assert record.begin.players == 4


def test_mails_are_read() -> None:
    text = f"""From: ada1@example.org
Date: Thu, 26 Apr 2001 12:34:56 +0200
Subject: Re: our game

On 25 Apr 2001 at 12:34, Bob <b4@example.org> wrote:
> {BEGIN}
> 1. 61-53
1. ... 16-35

--
Ada, see https://example.org/a1-b2 or write to ada1@example.org
"""
    (record,) = games(text, "gyges")
    assert not record.diagnostics, record.diagnostics[0].text()
    assert plies(record) == [*BEGIN.split(), "f1-e3", "a6-c5"]
    first, second = games(f"Subject: 61-53\n\n{BEGIN}", "gyges")
    assert ([one.code for one in first.diagnostics], plies(second)) == (["bad-ply"], BEGIN.split())


def test_names_become_tags_and_decide_results() -> None:
    text = f"South: Ada L.\nNorth: Bob\n\n{BEGIN} f1-e3\nBob wins\n\nWhite: Bob\n\n{BEGIN} f1-e3\nBob resigns"
    first, second = games(text, "gyges")
    assert (first.tags["South"], first.tags["North"], first.result) == ("Ada L.", "Bob", "0-1")
    assert (second.tags["South"], second.tags["North"], second.result) == ("Bob", "?", "0-1")


def test_words_that_may_give_a_result_are_a_warning() -> None:
    (record,) = games(f"{BEGIN} f1-e3\nAda wins", "gyges")
    assert [one.code for one in record.diagnostics] == ["missing-result"]
    assert (record.valid, record.result) == (True, "*")


def test_the_command() -> None:
    text = f"{BEGIN}\n61-53\n1. ... a6-c4\n\n1. {BEGIN}\n2. f1-e3 16-35\n2. e1-d2 66x56=12"
    result = ringfen("convert", "-", "--from", "plain", "--game", "gyges", "--to", "rgn", stdin=text)
    assert result.exit_code == 1
    assert result.stdout.endswith("\n1. 231123 321123 2. f1-e3 a6-c5 3. e1-d2 f6xe6-a2 *\n\n")
    assert result.stderr.startswith("<stdin>:3:8: illegal-ply: a6-c4 in record 1, ply 4: ")
    assert "\n  1. ... a6-c4\n         ^~~~~\n" in result.stderr
    assert "<stdin>:7:1: wrong-number: 2. in record 2: expected 3 (warning)\n" in result.stderr
    result = ringfen("convert", "-", "--from", "plain", "--to", "rgn", stdin=text)
    assert result.exit_code == 2
    assert ringfen("convert", "-", "--from", "plain", "--game", "gyges", "--to", "ugi", stdin=f"{BEGIN} 61-53").stdout
    assert "--from plain requires --game: gyges, rings, gran, siaius." in result.stderr


def test_a_wrong_number_that_is_too_low_is_a_warning() -> None:
    (record,) = games(f"1. {BEGIN} 2. f1-e3 a6-c5 2. e1-d2", "gyges")
    assert [one.code for one in record.diagnostics] == ["wrong-number"]
    assert record.valid
    assert record.is_complete


def test_a_paragraph_continues_the_game_or_begins_another() -> None:
    assert [plies(record) for record in games("c1-c2 c7-c6\n\nc1-c2 c7-c6 b2-a3", "rings")] == [
        ["c1-c2", "c7-c6"],
        ["c1-c2", "c7-c6", "b2-a3"],
    ]
    assert line("c1-c2 c7-c6\n\nc2-b1 c6-b7", "rings") == "c1-c2 c7-c6 c2-b1 c6-b7 *"
    assert error("c1-c2 c7-c6\n\nf2-g3 f6-g5 e1-f2", "rings").startswith("bad-format:3:1")


def test_plies_before_an_error_are_kept_and_the_next_game_is_read() -> None:
    text = f"1. {BEGIN}\n2. f1-e3 a6-c4\n3. e1-d2 f6xe6-a2\n\n1. {BEGIN}\n2. f1-e3 a6-c5\n"
    first, second = games(text, "gyges")
    assert (plies(first), first.valid, first.line) == ([*BEGIN.split(), "f1-e3"], False, 1)
    assert (plies(second), second.valid, second.line) == ([*BEGIN.split(), "f1-e3", "a6-c5"], True, 5)


def test_comments_are_kept() -> None:
    (record,) = games(f"Ada (South) – Bob (North)\nGame 1 of 3\n{BEGIN} f1-e3", "gyges")
    assert record.comments == ["Ada (South) – Bob (North)", "Game 1 of 3"]
    text = f"Hi Bob,\n> our game:\n\n{BEGIN}\nf1-e3 – “ein Zug” (2. d1-c2 is – I think – bad) a6-c5\nGood luck!\n"
    (record,) = games(text, "gyges")
    assert not record.diagnostics
    assert record.comments == ["Hi Bob,", "our game:"]
    assert [node.comments for node in record.mainline()] == [
        [],
        [],
        ["“ein Zug”", "2. d1-c2 is – I think – bad"],
        ["Good luck!"],
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(12))
def test_damage_is_reported_with_its_place(game: str, seed: int) -> None:
    random = Random(seed)
    start = Position(game)
    played, _ = random_plies(start, Generator(seed), 24)
    text = Speller(random).game(start, played)
    for _ in range(4):
        at = random.randrange(len(text))
        damaged = text[:at] + random.choice(("", "?", "z9", "(", "\n\n", "1. ", "=", "\x00", "77")) + text[at + 1 :]
        records = games(damaged, game)
        for record in records:
            for found in record.diagnostics:
                shown = damaged.splitlines()[found.line - 1] if damaged.strip() else ""
                assert 1 <= found.column <= len(shown) + 1, found.text()
        if len(records) == 1 and len(plies(records[0])) < len(played):
            assert records[0].diagnostics or plies(records[0]) == played[: len(plies(records[0]))]


@pytest.mark.parametrize("game", GAMES)
def test_no_text_raises(game: str) -> None:
    random = Random(game)
    words = ["a1", "b2-c3", "x", "-", "=", "(", ")", "1.", "1", "11", "231123", "*", "?", "\n", "\n\n", "Game 2", "4:5"]
    words += ["South", "N:", "pass", "stay", "1-0", "draw", ">", "|", "\t", "é", "\u2028", "…", "—", "huff", f"{game} "]
    for _ in range(60):
        games(" ".join(random.choices(words, k=random.randint(1, 12))), game)
        games("".join(random.choices("".join(words), k=random.randint(1, 30))), game)


@pytest.mark.parametrize("text", ["1. " * 3000, "3 2 1 1 2 3 3,2,1,1,2,3," * 500, "321 " * 3000, "x" * 300_000])
def test_one_long_line_of_noise_is_one_error(text: str) -> None:
    assert all(not record.valid for record in games(text, "gyges"))


def test_the_digits_of_both_setups_may_be_separated_in_two_ways() -> None:
    assert line("3 2 1 1 2 3 3,2,1,1,2,3", "gyges") == "321123 321123 *"


def test_a_game_on_another_board(tmp_path: Path) -> None:
    usual = ROOT / "core_c" / "rules" / "gran" / "boards" / "default.board"
    board = tmp_path / "other.board"
    board.write_bytes(usual.read_bytes())
    start = ringfen("new", "gran", "--board", str(board)).stdout
    ply = Position("gran").plies()[0]
    text = f"{start}1. {ply}\n"
    args = ("convert", "-", "--from", "plain", "--game", "gran", "--to", "rgn")
    result = ringfen(*args, "--board", str(board), stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    assert f'[FEN "{start.strip()}"]' in result.stdout
    assert f"1. {ply} *" in result.stdout
    without = ringfen(*args, stdin=text)
    assert (without.exit_code, without.stdout) == (1, "")
    assert without.stderr.startswith("<stdin>:1:1: unknown-board: ")
    assert "no board other.board found" in without.stderr


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("gyges", "a line of words\n" * 20),
        ("gran", "a line of words\n" * 20),
        ("gran", "Game 1\n" * 20),
        ("gyges", "1. a1-b3 words\n\n" * 20),
    ],
)
def test_text_without_setups_or_plies_is_read_once(game: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other orders of the setups, and other numbers of players, cannot make a game of it."""
    begins: list[tuple[int, Position]] = []

    def run(parser: GameParser) -> None:
        begins.append((parser.begin, parser.assumed.start))
        original(parser)

    original = GameParser.run
    monkeypatch.setattr(GameParser, "run", run)
    assert not any(record.valid for record in games(text, game))
    assert len(begins) == len(set(begins)) > 0
    if game == "gran":
        assert {start.players for _, start in begins} == {3}


def test_a_paragraph_that_cannot_begin_a_game_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []

    def run(parser: GameParser) -> None:
        runs.append(1)
        whole(parser)

    whole = GameParser.run
    monkeypatch.setattr(GameParser, "run", run)
    made = random_plies(Position("gran"), Generator(4), 60)[0]
    paragraphs = [" ".join(made[at : at + 6]) for at in range(0, 60, 6)]
    (record,) = games("\n\n".join(paragraphs), "gran")
    assert plies(record) == made
    assert len(runs) <= len(paragraphs)
