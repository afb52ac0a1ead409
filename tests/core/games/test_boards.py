"""GRAN board files: reading, errors and their places, finding, writing and drawing boards."""

from __future__ import annotations

import pickle
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from gran_random import LINKED_BOARD, SMALL_BOARD, linked_board, small_board
from hypothesis import given
from hypothesis import strategies as st
from reference import gran as reference

from ringfen import BoardError, Position
from ringfen.cli.board import board as command
from ringfen.drawing.board import board_svg, board_text
from ringfen.rules.gran.board import default_board, find_board, load_board, read_board

SOUND = """lines: orthogonal
cards: 2 0 4 6 6 4 2
stones: 16

realms:
TTwUU
TTwUU
EEwGG
EEwGG

symbols:
CR.DC
.Z.XD
D..S.
CZ.XC
"""


def table_error(text: str) -> BoardError:
    with pytest.raises(BoardError) as caught:
        read_board(text, "try", "try.board")
    return caught.value


# ---- reading ----


def test_default_board() -> None:
    board = default_board()
    assert (board.name, board.files, board.ranks, len(board.points), len(board.lines)) == ("", 9, 9, 81, 144)
    assert (board.start, board.ring) == ("g3", "c7")
    assert board.points == tuple(sorted(board.points)), "the order of names is the order of plies"
    assert board.realm_of("e5") == "w"
    assert board.symbol_of("b8") == "C"


@pytest.mark.parametrize(("text", "name"), [(SMALL_BOARD, "small"), (LINKED_BOARD, "linked"), (SOUND, "sound")])
def test_like_the_reference(text: str, name: str) -> None:
    board, expected = read_board(text, name), reference.Board.parse(text, name)
    assert {point: board.realm_of(point) for point in board.points} == expected.realms
    assert {point: board.symbol_of(point) for point in board.points} == expected.symbols
    near: dict[str, set[str]] = {point: set() for point in board.points}
    for one, two in board.lines:
        near[one].add(two)
        near[two].add(one)
    assert near == {point: set(others) for point, others in expected.lines.items()}
    assert (board.cards, board.stones) == (expected.cards, expected.stones)


def test_freedom_of_form() -> None:
    """Comments, spaces at line ends, line ends, order, a byte order mark, lines that may be missing."""
    sound = read_board(SOUND, "x")
    assert read_board(SOUND.replace("\n", "\r\n"), "x") == sound
    assert read_board(SOUND.replace("\n", " \t\n"), "x") == sound
    assert read_board(SOUND.replace("TTwUU\n", "TTwUU # a row\n# a comment is not an empty line\n", 1), "x") == sound
    assert read_board(SOUND.replace("cards: 2 0 4 6 6 4 2\nstones: 16\n", ""), "x") == sound
    assert read_board(SOUND.rstrip("\n"), "x") == sound
    first, _, last = SOUND.partition("realms:")
    assert read_board(f"realms:{last}\n{first}", "x") == sound
    assert read_board(SOUND + "\nlink: a1 c3\nunlink: a1 a2\n", "x").lines == tuple(
        sorted({*sound.lines, ("a1", "c3")} - {("a1", "a2")})
    )


@pytest.mark.parametrize(
    ("old", "new", "reason", "line", "column"),
    [
        ("lines: orthogonal\n", "", "missing", 14, 1),
        ("lines: orthogonal", "lines: square", "bad-lines", 1, 1),
        ("lines: orthogonal", "lines:", "bad-lines", 1, 1),
        ("lines: orthogonal", "lines: all all", "bad-lines", 1, 1),
        ("lines: orthogonal", "lines: all\nlines: all", "twice", 2, 1),
        ("lines: orthogonal", " lines: all", "unknown-line", 1, 1),
        ("lines: orthogonal", "lines", "unknown-line", 1, 1),
        ("lines: orthogonal", "colour: red", "unknown-line", 1, 1),
        ("2 0 4 6 6 4 2", "2 0 4 6 6 4", "bad-cards", 2, 1),
        ("2 0 4 6 6 4 2", "2 0 4 6 6 4 2 1", "bad-cards", 2, 1),
        ("2 0 4 6 6 4 2", "0 0 0 0 0 0 0", "bad-cards", 2, 1),
        ("2 0 4 6 6 4 2", "2 0 4 100 6 4 2", "bad-number", 2, 14),
        ("2 0 4 6 6 4 2", "2 0 4 -1 6 4 2", "bad-number", 2, 14),
        ("2 0 4 6 6 4 2", "2 0 4 06 6 4 2", "bad-number", 2, 14),
        ("stones: 16", "stones: 101", "bad-number", 3, 9),
        ("stones: 16", "stones: many", "bad-number", 3, 9),
        ("stones: 16", "stones: 1 2", "bad-stones", 3, 1),
        ("stones: 16", "stones: 1\nlink: a1", "bad-link", 4, 1),
        ("stones: 16", "stones: 1\nlink: a1 z1", "no-such-point", 4, 10),
        ("stones: 16", "stones: 1\nlink: a1 a01", "no-such-point", 4, 10),
        ("stones: 16", "stones: 1\nlink: a1 a1", "bad-link", 4, 1),
        ("stones: 16", "stones: 1\nlink: a1 a2", "bad-link", 4, 1),
        ("stones: 16", "stones: 1\nunlink: a1 b2", "bad-link", 4, 1),
        ("stones: 16", "stones: 1\nunlink: a1 a2\nunlink: a2 a1", "bad-link", 5, 1),
        ("realms:\n", "realms: here\n", "bad-header", 5, 9),
        ("TTwUU\nTT", "TTwUX\nTT", "bad-letter", 6, 5),
        ("TTwUU\nTT", "TTwUU\nT ", "bad-letter", 7, 2),
        ("EEwGG\n\n", "EEwG\n\n", "uneven-rows", 9, 1),
        ("TTwUU\nTT", "TTwUUUUUUUUUU\nTT", "too-large", 6, 13),
        ("EEwGG\n\n", "EEwGG\n" * 10 + "\n", "too-large", 18, 1),
        ("EEwGG\n\n", "\n", "other-shape", 10, 1),
        ("CZ.XC", "CZ_XC", "other-shape", 15, 3),
        ("CZ.XC", "CZDXC", "symbol-on-white", 15, 3),
        ("CZ.XC", "CZ.RC", "second-symbol", 15, 4),
        ("CZ.XC", "CS.XC", "second-symbol", 15, 2),
        ("CZ.XC", "CC.XC", "second-symbol", 15, 2),
        ("CZ.XC", ".Z.XC", "missing-symbol", 11, 1),
        ("CR.DC", "C..DC", "missing-symbol", 11, 1),
        ("D..S.", "D....", "missing-symbol", 11, 1),
        ("symbols:\nCR.DC", "symbols:\n\nCR.DC", "unknown-line", 13, 1),
    ],
)
def test_rejected(old: str, new: str, reason: str, line: int, column: int) -> None:
    assert old in SOUND
    error = table_error(SOUND.replace(old, new, 1))
    assert (error.reason, error.line, error.column) == (reason, line, column)
    assert error.message.startswith(f"try.board:{line}:{column}: ")


@pytest.mark.parametrize(("cards", "stones"), [("99 99 99 99 99 99 99", 100), ("0 0 0 1 0 0 0", 0)])
def test_as_many_as_allowed(cards: str, stones: int) -> None:
    text = SOUND.replace("cards: 2 0 4 6 6 4 2", f"cards: {cards}").replace("stones: 16", f"stones: {stones}")
    board = read_board(text, "sound")
    assert board.stones == stones
    assert Position.on_board(board.start_text(3), board).successors()


def test_too_many_points() -> None:
    realms = ["T" * 12] * 3 + ["U" * 12] * 3 + ["G" * 12] * 3 + ["E" * 12] * 3
    symbols = [["."] * 12 for _ in realms]
    for row in (0, 3, 6, 9):
        symbols[row][0] = "C"
    symbols[0][1], symbols[0][2] = "S", "R"
    text = "lines: all\nrealms:\n" + "\n".join(realms) + "\n\nsymbols:\n" + "\n".join(map("".join, symbols))
    error = table_error(text)
    assert (error.reason, error.line) == ("too-many-points", 2)


def test_128_points() -> None:
    realms = ["T" * 12] * 3 + ["U" * 12] * 3 + ["G" * 12] * 2 + ["E" * 12] * 2 + ["wwwwwwww____"]
    symbols = [["."] * 12 for _ in realms[:-1]] + [list("........____")]
    for row in (0, 3, 6, 8):
        symbols[row][0] = "C"
    symbols[0][1], symbols[0][2] = "S", "R"
    text = "lines: all\nrealms:\n" + "\n".join(realms) + "\n\nsymbols:\n" + "\n".join(map("".join, symbols))
    board = read_board(text, "large")
    assert len(board.points) == 128
    start = board.start_text(6)
    position = Position.on_board(start, board)
    assert position.perft(2) == reference.perft(reference.parse(start, reference.Board.parse(text, "large")), 2)


def error_of(text: str) -> BoardError | None:
    try:
        assert read_board(text, "hostile").cdata
    except BoardError as error:
        return error
    return None


@given(st.text(alphabet="TUGEw_.DZXCSR\n:0123 linescardotu#kaz", max_size=200))
def test_hostile_files(text: str) -> None:
    for file in (text, SOUND[: len(text)] + text):
        error = error_of(file)
        if error is not None:
            lines = file.split("\n")
            assert 1 <= error.line <= len(lines)
            assert error.column <= len(lines[error.line - 1]) + 1


# ---- writing ----


@pytest.mark.parametrize("board", [default_board(), small_board(), linked_board()], ids=lambda board: board.name)
def test_text_is_a_board_file(board: object) -> None:
    assert hasattr(board, "text")
    assert hasattr(board, "name")
    again = read_board(board.text, board.name)
    assert again == board
    assert again.text == board.text
    assert pickle.loads(pickle.dumps(board)) == board


# ---- finding ----


def test_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.board").write_text(SOUND, encoding="utf-8")
    for place in (tmp_path, tmp_path / "mine.board"):
        board = find_board("mine", [tmp_path / "elsewhere", place])
        assert board == read_board(SOUND, "mine")
        position = Position("gran -:3:-/-:3:-/-:3:- b4 - 2.0.4.6.6.4.2 1 move board=mine", board_path=[place])
        assert position.context.board == board
        assert position.apply(position.plies()[0]).fen.endswith("board=mine")


def test_not_found(tmp_path: Path) -> None:
    text = "gran -:3:-/-:3:-/-:3:- b4 - 2.0.4.6.6.4.2 1 move board=mine"
    with pytest.raises(BoardError, match=r"no board mine\.board found") as caught:
        Position(text)
    assert caught.value.reason == "no-such-board"
    assert (caught.value.text, caught.value.at, caught.value.length) == (text, text.index("board="), len("board=mine"))
    with pytest.raises(BoardError, match=re.escape(str(tmp_path))):
        Position(text, board_path=[tmp_path])
    with pytest.raises(BoardError) as caught:
        Position(text.replace("mine", "../mine"), board_path=[tmp_path])
    assert (caught.value.reason, caught.value.at) == ("bad-name", text.index("board="))
    with pytest.raises(BoardError) as caught:
        Position(text.replace("gran ", "gran  xboard=a "))
    assert caught.value.at == text.index("board=") + len(" xboard=a ")
    with pytest.raises(FileNotFoundError):
        find_board("gone", [tmp_path / "gone.board"])


def test_files_that_are_no_boards(tmp_path: Path) -> None:
    path = tmp_path / "bad.board"
    path.write_bytes(SOUND.encode() + b"# \xff\n")
    with pytest.raises(BoardError) as caught:
        load_board(path)
    assert (caught.value.reason, caught.value.line, caught.value.column) == ("bad-utf8", 16, 3)
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(BoardError) as caught:
        load_board(path)
    assert caught.value.reason == "too-long"
    path = tmp_path / "my board.board"
    path.write_text(SOUND, encoding="utf-8")
    with pytest.raises(BoardError) as caught:
        load_board(path)
    assert caught.value.reason == "bad-name"


def test_the_name_of_the_default_board_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "default.board"
    path.write_text("\ufeff" + default_board().text, encoding="utf-8")
    assert load_board(path) is default_board()
    path.write_text(SOUND, encoding="utf-8")
    with pytest.raises(BoardError, match="rename"):
        load_board(path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.board"
    path.write_text(SOUND, encoding="utf-8")
    before = load_board(path)
    path.write_text(SOUND.replace("stones: 16", "stones: 5"), encoding="utf-8")
    assert (before.stones, load_board(path).stones) == (16, 5)


# ---- drawing, command line ----


def test_drawings() -> None:
    for board in (default_board(), small_board(), linked_board()):
        drawn = board_text(board)
        assert drawn.splitlines()[-1].split()[0] in ("a", "Also")
        root = ET.fromstring(board_svg(board))
        assert root.tag.endswith("svg")
        assert len(root.findall("{http://www.w3.org/2000/svg}line")) == len(board.lines)


def run(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, args, standalone_mode=False)
    assert result.exception is None
    return result.return_value or 0, result.output


def test_commands(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.board", tmp_path / "bad.board"
    good.write_text(SOUND, encoding="utf-8")
    bad.write_text(SOUND.replace("TTwUU", "TTwQU", 1), encoding="utf-8")
    status, output = run("check", str(good))
    assert status == 0
    assert output.startswith(f"{good}: ok: board good, 20 points, 31 lines, 4 banishing points, 16 stones")
    status, output = run("check", str(good), str(bad))
    assert status == 1
    assert f"error: bad-letter: {bad}:6:4: " in output
    assert "    TTwQU\n       ^\n" in output
    assert run("check", str(tmp_path / "gone.board"), str(bad))[0] == 2
    status, output = run("check", "--json", str(good), str(bad))
    assert '"ok": true' in output
    assert '"line": 6, "column": 4' in output
    assert run("show")[1] == run("show", str(Path(load_default_path())))[1]
    picture = tmp_path / "board.svg"
    assert run("show", str(good), "--out", str(picture)) == (0, "")
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def load_default_path() -> str:
    from ringfen.rules.gran import board

    return str(Path(board.__file__).parent / "boards" / "default.board")


def test_picture_in_the_documentation() -> None:
    docs = Path(__file__).parents[3] / "docs"
    assert (docs / "default-board.svg").read_text(encoding="utf-8") == board_svg(default_board())
    example = (docs / "boards.md").read_text(encoding="utf-8").split("```text myboard.board\n")[1].split("```")[0]
    board = read_board(example, "example")
    assert Random(0).choice(Position.on_board(board.start_text(), board).plies())
