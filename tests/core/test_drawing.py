"""Drawings show everything in the position text, in its place, and other programs can read them."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfen import PlySyntaxError, Position, game_ids
from ringfen.drawing import other, picture
from ringfen.drawing.description import ON_SQUARE, ON_THRONE, Description
from ringfen.drawing.picture import MARGIN, UNIT, places_of, text_width, wrapped
from ringfen.notation.random_play import Generator, random_plies
from ringfen.rules.gran.board import default_board

pytestmark = pytest.mark.unsanitized  # drawings are made in Python

SVG = "{http://www.w3.org/2000/svg}"
STARTS = [
    *game_ids(),
    "gyges 321123/....../....../....../....../321123 s - 3+2",
    "rings k1k1k/.1.1./11111/13531/11111/.1.1./K1K1K s 0+0 0",
    "siaius smt1c/5/5/5/SMT1C s - - 0 huff=stone",
]


def drawn(position: Position, side: str = "s", last: str | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(position.svg(side=side, last=last))


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def centre(position: Position, square: str, side: str) -> tuple[float, float]:
    """Where a square has to be: from the edges that all drawings share, Gygès with room for the thrones."""
    d = Description(position)
    file, rank = ord(square[0]) - ord("a"), int(square[1:]) - 1
    column, row = (file, d.ranks - 1 - rank) if side == "s" else (d.files - 1 - file, rank)
    above = 84 if position.game.id == "gyges" else 0
    return MARGIN + UNIT * (column + 0.5), above + MARGIN + UNIT * (row + 0.5)


@given(st.sampled_from(STARTS), st.integers(0, 2**64 - 1), st.integers(0, 150), st.sampled_from("sn"))
def test_each_piece_is_one_circle_in_its_place(fen: str, seed: int, count: int, side: str) -> None:
    plies, position = random_plies(Position(fen), Generator(seed), count)
    root = drawn(position, side, plies[-1] if plies else None)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    found = sorted((float(c.get("cx", "")), float(c.get("cy", ""))) for c in root.iter(f"{SVG}circle"))
    pieces = Description(position).at(ON_SQUARE)
    wanted = sorted(centre(position, piece.square, side) for piece in pieces)
    on_thrones = [c for c in found if position.game.id == "gyges" and not 84 < c[1] < 84 + 6 * UNIT + MARGIN]
    assert len(on_thrones) == len(Description(position).at(ON_THRONE))
    assert [c for c in found if c not in on_thrones] == wanted


@given(st.sampled_from(STARTS), st.integers(0, 2**64 - 1), st.integers(0, 150), st.sampled_from("sn"))
def test_texts_say_where_they_are(fen: str, seed: int, count: int, side: str) -> None:
    position = random_plies(Position(fen), Generator(seed), count)[1]
    root = drawn(position, side)
    for element in root.iter(f"{SVG}text"):
        assert {"x", "y", "font-size", "text-anchor"} <= set(element.keys())
        assert element.get("dominant-baseline") is None
        assert not list(element)
    width = float(root.get("width", ""))
    d = Description(position)
    labels = {e.text: e for e in root.iter(f"{SVG}text") if e.get("font-size") == "14"}
    for file in range(d.files):
        name = chr(ord("a") + file)
        assert float(labels[name].get("x", "")) == centre(position, f"{name}1", side)[0]
    for rank in range(1, d.ranks + 1):
        element = labels[str(rank)]
        middle = float(element.get("y", "")) - 0.36 * 14
        assert abs(middle - centre(position, f"a{rank}", side)[1]) < 0.1
        assert 0 < float(element.get("x", "")) < MARGIN
    captions = [e for e in root.iter(f"{SVG}text") if e.get("font-size") == "15" and e.get("x") == f"{width / 2:g}"]
    assert captions


def test_all_that_gran_says_is_seen() -> None:
    said = " ".join(
        texts(drawn(Position("gran c8:1:TU/f5:3:-!/-:3:- @1 a1 2.0.4.6.6.4.1 1 extra seals=4"), last="1:3"))
    )
    for words in (
        "Last ply: 1:3",
        "Player 1 has beaten the dragon: an extra move or stay",
        "Player 1 on c8, amulets 1, seals: Tirad, Urgad, carries the ring",
        "Player 2 on f5, amulets 3, seals: none, fettered",
        "Cards left of value 0 to 6: 2 0 4 6 6 4 1; stones on the board: 1",
        "Seals needed to win: 4",
        "dragon",
        "T: Tirad",
    ):
        assert words in said, words


def reach(data: str, x: float, y: float) -> float:
    """Return how far the path of a drawing goes from a point, at the ends of its lines."""
    at_x = at_y = far = 0.0
    for command, numbers in re.findall(r"([Mlhvmaz])([^Mlhvmaz]*)", data):
        values = [float(one) for one in re.findall(r"-?[0-9.]+", numbers)]
        if command == "z":
            continue
        step = {"h": [(one, 0.0) for one in values], "v": [(0.0, one) for one in values]}
        count = 7 if command == "a" else 2
        pairs = [(values[at - 2], values[at - 1]) for at in range(count, len(values) + 1, count)]
        for step_x, step_y in step.get(command, pairs):
            at_x, at_y = (0.0, 0.0) if command == "M" else (at_x, at_y)
            at_x, at_y = at_x + step_x, at_y + step_y
            far = max(far, math.hypot(at_x - x, at_y - y))
    return far


def test_a_figure_does_not_hide_the_symbol_below_it() -> None:
    """The symbol of a point is larger than a figure, even one that carries the ring."""
    for point, symbol in (("b3", "D"), ("a6", "Z"), ("d4", "X"), ("b2", "C"), ("g3", "S"), ("c7", "R")):
        assert default_board().symbol_of(point) == symbol
        bare = drawn(Position("gran -:3:-/-:3:-/-:3:- a1 - 2.0.4.6.6.4.2 1 move"))
        held = drawn(Position(f"gran {point}:3:-/-:3:-/-:3:- @1 - 2.0.4.6.6.4.2 1 move"))
        x, y = centre(Position("gran"), point, "s")
        symbols, pieces = (
            [e for e in root.iter(f"{SVG}path") if reach(e.get("d", ""), x, y) < 0.55 * UNIT] for root in (bare, held)
        )
        ring = [e for e in pieces if e.get("d") not in {e.get("d") for e in symbols}]
        assert ring
        size = max(reach(e.get("d", ""), x, y) + float(e.get("stroke-width", "0")) / 2 for e in ring)
        assert max(reach(e.get("d", ""), x, y) for e in symbols) > size, symbol


def test_all_that_the_king_of_rings_says_is_seen() -> None:
    fen = "rings k(53)1k(1)1k1k/1k1.1k1/.11111./..3.33./1K(33111)1..1./..1K1K1/K...1.. n 2+0 0"
    said = texts(drawn(Position(fen)))
    assert {"53", "33111", "8", "9", "South has 9 points, North 9", "South has 2 knights in hand"} <= set(said)


def test_all_that_gyges_says_is_seen() -> None:
    position = Position("gyges ....../..32.1/2.2..1/...12./.3...3/..1... s 3 3+1")
    said = texts(drawn(position, last="f2-S"))
    assert {"conquests needed: South 3, North 1", "S", "N", "Last ply: f2-S"} <= set(said)
    assert said.count("3") == 4 + 1  # four rings of height 3, one of them on the throne, and a rank


def test_all_that_siaius_says_is_seen() -> None:
    position = Position("siaius 2st/2Sc/1M1S/1S1t/1c1S n b1,d2 b1 0 huff=stone")
    said = " ".join(texts(drawn(position)))
    assert "North may move the champion on b1 again, or stay" in said
    assert "missed a capture and may be huffed unless the bonus ply captures: b1, d2" in said
    assert "huff=stone" in said
    marks = [e for e in drawn(position).iter(f"{SVG}path") if e.get("stroke-dasharray")]
    assert len(marks) == 2


def test_the_last_ply_is_marked() -> None:
    position = Position("gyges 321123/....../....../....../....../321123 s - 1+1").apply("a1xb1-d3")
    plain, marked = position.svg(), position.svg(last="a1xb1-d3")
    assert "Last ply: a1xb1-d3" in marked
    assert marked.count("<path") - plain.count("<path") == 3 + 2  # three squares, two arrows
    assert places_of("a1-c2-d4xe5-f6") == ["a1", "c2", "d4", "e5", "f6"]
    assert places_of("a5-N") == ["a5", "N"]
    assert [places_of(ply) for ply in ("321123", "stay", "rest", "pass", "4:5")] == [[], [], [], [], []]


@pytest.mark.parametrize("game_id", game_ids())
def test_the_board_is_turned(game_id: str) -> None:
    position = random_plies(Position(game_id), Generator(1), 30)[1]
    south, north = position.draw().splitlines(), position.draw(side="n").splitlines()
    assert south != north
    assert south[-1] == north[-1]
    assert sorted("".join(south)) == sorted("".join(north))
    assert position.svg() != position.svg(side="n")
    for wrong in ("S", "x", ""):
        with pytest.raises(ValueError, match="side"):
            position.svg(side=wrong)
        with pytest.raises(ValueError, match="side"):
            position.draw(side=wrong)


def test_each_colour_has_one_for_dark_ground() -> None:
    for game_id in game_ids():
        plies, position = random_plies(Position(game_id), Generator(2), 60)
        svg = position.svg(last=plies[-1])
        style, _, body = svg.partition("</style>")
        colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', body))
        # Letters on a coloured piece, and the pieces of GRAN, keep their colour.
        kept = {"#101214", "#fefefe", "#f2d027", "#c65102", "#0061a3", "#f0b323", "#00795b", "#e3a1c6", "#2d3035"}
        assert colours - kept <= set(re.findall(r'="(#[0-9a-f]{6})"', style))


def test_lines_are_broken_where_the_picture_ends() -> None:
    words = "South may move the champion on a10 again, or stay"
    parts = wrapped(words, 200, 15)
    assert " ".join(parts) == words
    assert len(parts) > 2
    assert all(text_width(part, 15) <= 200 for part in parts)
    assert wrapped("unbreakable", 1, 15) == ["unbreakable"]


@pytest.mark.parametrize("game_id", game_ids())
def test_a_game_without_a_drawing_module_is_drawn(game_id: str) -> None:
    position = random_plies(Position(game_id), Generator(4), 40)[1]
    d = Description(position)
    out = other.picture(d, "s", ["a1", "b2", "N", "z9"])
    out.caption = other.words(d)
    out.write_caption()
    root = ElementTree.fromstring(out.document(position.fen))
    assert len(list(root.iter(f"{SVG}circle"))) == len(d.at(ON_SQUARE))
    assert len(other.text(d, "s").splitlines()) == d.ranks + 1 + len(out.caption)
    assert other.text(d, "s") != other.text(d, "n")


def test_names_that_are_no_squares_are_not_marked() -> None:
    for game_id in game_ids():
        plain = picture(Position(game_id))
        assert len(picture(Position(game_id), last="z9-S77").shapes) >= len(plain.shapes)


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("last", ["", "\0", "x<y", "\ud800", "ring", "stop it"])
def test_only_a_ply_is_marked_as_the_last(game_id: str, last: str) -> None:
    with pytest.raises(PlySyntaxError):
        Position(game_id).svg(last=last)


def test_drawings_are_texts() -> None:
    with pytest.raises(TypeError, match=r"^a ply must be a str, not int$"):
        Position("gyges").svg(last=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^side must be a str, not int$"):
        Position("gyges").draw(side=3)  # type: ignore[arg-type]
