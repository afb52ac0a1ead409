"""``fmt --set``, and ``--aliases`` of ``filter`` and ``stats``."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from cli_runner import json_lines, ringfen

from ringfen import game_ids
from ringfen.notation import read_records, write_record
from ringfen.notation.random_play import random_game

PLAYERS = ("J. Désgranges", "desgranges, jean", "Ada Lovelace", "B")
ALIASES = "# one player\n\nJ. Desgranges = Désgranges\nDésgranges = Jean Désgranges\nDesgranges, Jean=Jean Désgranges\n"


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of all games with different tags; a comment sends one past the C core."""
    rnd = Random(5)
    texts = []
    for number in range(40):
        record = random_game(game_ids()[number % 4], number, plies=rnd.randrange(9))
        names = [name for name in record.tags if name in ("South", "North") or name.startswith("Player")]
        record.tags |= {name: rnd.choice(PLAYERS) for name in names}
        if number % 3 == 0:
            record.tags |= {"Event": 'Club "A"', "Annotator": "me"}
        if number == 20:
            record.comments = ["[Event is no tag]"]
        texts.append(write_record(record))
    file = tmp_path_factory.mktemp("tags") / "games.rgn"
    file.write_text("".join(texts), encoding="utf-8")
    return file


@pytest.mark.parametrize("tags", [{"Event": "E"}, {"Event": ""}, {"Annotator": 'a "b" \\ c', "Site": "S"}, {"Zed": ""}])
def test_set_tags_are_those_of_each_record(games: Path, tags: dict[str, str]) -> None:
    arguments = [f"--set={name}={value}" for name, value in tags.items()]
    result = ringfen("fmt", str(games), *arguments)
    assert result.exit_code == 0
    expected = []
    for record in read_records(games):
        record.tags = {name: value for name, value in {**record.tags, **tags}.items() if value}
        expected.append(write_record(record))
    assert result.stdout == "".join(expected)


def test_a_result_is_set_in_tag_and_movetext(games: Path) -> None:
    result = ringfen("fmt", "-", "--set", "Result=0-1", stdin='[Game "rings"]\n[Result "*"]\n\n1. a1-a2 *\n')
    assert result.stdout == '[Game "rings"]\n[Result "0-1"]\n\n1. a1-a2 0-1\n\n'


@pytest.mark.parametrize("tag", ["FEN=siaius c2/3/3/2C/3 n - - 0", "Game=siaius", "Result=0-0-1"])
def test_tags_that_make_a_record_invalid_are_reported(tag: str) -> None:
    result = ringfen("fmt", "-", "--set", tag, stdin='[Game "rings"]\n[Result "*"]\n\n1. a1-a2 *\n')
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: <stdin>: record 1: --set makes the record invalid: ")


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("Date=2026-11-21", "a date is YYYY.MM.DD"),
        ("Date=2026.02.30", "the calendar has no such day"),
        ("Result=1/2", "not a result"),
        ("Game=chess", "the games are gyges, "),
        ("FEN=gyges", "expected a whole position"),
        ("FEN=rings x s 0+0 0", "ranks"),
    ],
)
def test_values_that_no_record_can_have_are_usage_errors(tag: str, reason: str, games: Path) -> None:
    result = ringfen("fmt", str(games), "--set", tag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--set: {tag.partition('=')[0]} " in result.stderr
    assert reason in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("Site", "expected NAME=VALUE, not 'Site'"),
        ("Fo-o=1", "the name of a tag has only letters from A to Z, digits and _, not 'Fo-o'"),
        ("=1", "the name of a tag has only letters from A to Z, digits and _, not ''"),
    ],
)
def test_texts_that_set_no_tag_are_usage_errors(tag: str, words: str, games: Path) -> None:
    result = ringfen("fmt", str(games), "--set", tag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--set: {words}." in " ".join(result.stderr.split())


def test_unknown_parts_of_a_date_can_be_set() -> None:
    result = ringfen("fmt", "-", "--set", "Date=1998.??.??", stdin='[Game "rings"]\n\n*\n')
    assert result.stdout == '[Game "rings"]\n[Date "1998.??.??"]\n\n*\n\n'


def test_records_on_a_board_file_are_checked_with_it(tmp_path: Path) -> None:
    board = tmp_path / "mine.board"
    board.write_bytes((Path(__file__).parents[1] / "checker" / "gran.board").read_bytes())
    fen = ringfen("new", "gran", "--board", str(board)).stdout.strip()
    result = ringfen("fmt", "-", "--set", "Player1=A", "--board", str(board), stdin=f'[FEN "{fen}"]\n\n*\n')
    assert (result.exit_code, result.stdout) == (0, f'[Player1 "A"]\n[FEN "{fen}"]\n\n*\n\n')


@pytest.mark.parametrize("tag", ["Event", "=x", "a b=c", "Event=a\nb", "É=x", "event=x", "Fen=x"])
def test_other_texts_are_usage_errors(tag: str, games: Path) -> None:
    result = ringfen("fmt", str(games), "--set", tag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--set" in result.stderr


def test_names_of_one_player_count_as_one(games: Path, tmp_path: Path) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text(ALIASES, encoding="utf-8")
    plain = {
        row["player"]: row["records"] for row in json_lines(ringfen("stats", str(games), "--by", "player", "--json"))
    }
    result = ringfen("stats", str(games), "--by", "player", "--json", "--aliases", str(aliases))
    joined = {row["player"]: row for row in json_lines(result)}
    assert set(joined) == {"Jean Désgranges", "Ada Lovelace", "B"}
    both = sum({"J. Désgranges", "desgranges, jean"} <= set(record.tags.values()) for record in read_records(games))
    assert joined["Jean Désgranges"]["records"] == plain["J. Désgranges"] + plain["desgranges, jean"] - both
    for name in ("jean d", "J. DES", "désgranges, j"):
        found = ringfen("filter", str(games), "--player", name, "--count", "--aliases", str(aliases))
        assert int(found.stdout) == joined["Jean Désgranges"]["records"]
    assert ringfen("filter", str(games), "--player", "jean d", "--count").stdout == "0\n"
    out = tmp_path / "by-player"
    ringfen("filter", str(games), "--out-dir", str(out), "--by", "player", "--aliases", str(aliases))
    assert len(list(out.iterdir())) == 3


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = b\na = c\n", 2), ("a = b\nb = c\nc = a\n", 3), ("\n# x\na b\n", 3), ("a =\n", 1), ("= b\n", 1)],
)
def test_wrong_aliases_name_their_line(text: str, line: int, games: Path, tmp_path: Path) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text(text)
    result = ringfen("stats", str(games), "--aliases", str(aliases))
    assert result.exit_code == 2
    assert f"{aliases}:{line}: " in result.stderr


def test_aliases_that_are_not_utf_8(games: Path, tmp_path: Path) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_bytes(b"\xff = b\n")
    result = ringfen("stats", str(games), "--aliases", str(aliases))
    assert (result.exit_code, "is not UTF-8" in result.stderr) == (2, True)
