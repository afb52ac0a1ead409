"""An argument of a wrong type raises a TypeError that names the expected type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringfen import Position, Tablebase, game_by_id, random_game, solve_many
from ringfen.counting import divide, perft
from ringfen.notation import Record, json_line, movetext, read_records, write_record
from ringfen.solving import solve

WRONG: list[Any] = [7, None, b"gyges", 1.5, ["gyges"]]

CALLS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "Position": ("a position must be a str", lambda given: Position(given)),
    "apply": ("a ply must be a str", lambda given: Position("gyges").apply(given)),
    "is_legal": ("a ply must be a str", lambda given: Position("gyges").is_legal(given)),
    "short": ("a ply must be a str", lambda given: Position("gyges").short(given)),
    "core_ply": ("a ply must be a str", lambda given: Position("gyges").core_ply(given)),
    "solve": ("a position must be a str", lambda given: solve(given)),
    "perft": ("a position must be a str", lambda given: perft(given, 1)),
    "divide": ("a position must be a str", lambda given: divide(given, 1)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("given", WRONG, ids=str)
def test_invalid_texts(name: str, given: Any) -> None:
    words, call = CALLS[name]
    with pytest.raises(TypeError, match=rf"^{words}, not {type(given).__name__}$"):
        call(given)


@pytest.mark.parametrize("given", [7, None, b"gyges"], ids=str)
def test_invalid_ids(given: Any) -> None:
    with pytest.raises(TypeError, match=r"^the id of a game must be a str"):
        game_by_id(given)


@pytest.mark.parametrize("depth", ["1", 1.0, None, True])
def test_a_depth_of_a_wrong_type(depth: Any) -> None:
    with pytest.raises(TypeError, match="depth must be an int"):
        perft("gyges", depth)


@pytest.mark.parametrize("more", [{"depth": -1}, {"depth": 256}, {"threads": 0}, {"hash_mb": -1}])
def test_options_of_perft_out_of_bounds(more: dict[str, Any]) -> None:
    (name,) = more
    with pytest.raises(ValueError, match=f"^{name} is "):
        perft(Position("gyges"), **{"depth": 1, **more})


def test_a_text_is_taken_for_a_position() -> None:
    assert perft("gyges", 1) == 90
    assert solve("siaius 3/s2/2M s - - 0").status == "exact"


def test_options_of_another_type() -> None:
    options: Any = {"hash_mb": 1}
    with pytest.raises(TypeError, match="options is a SolveOptions, not dict"):
        solve(Position("gyges"), options)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve("gran", nodes=10, model=3), "model must be a str, not int"),  # type: ignore[arg-type]
        (lambda: solve("siaius", nodes=10, tables=3), "tables must be a str or a Path, not int"),  # type: ignore[arg-type]
        (lambda: solve("gyges", nodes=10, progress=3), "progress is a function, not int"),  # type: ignore[arg-type]
        (lambda: Position("gyges", board_path=3), "board_path is a sequence of Paths, not int"),  # type: ignore[arg-type]
        (
            lambda: Position("gran", board_path=["boards"]),  # type: ignore[list-item]
            "board_path is a sequence of Paths, not of str",
        ),
        (lambda: perft("gyges", 1, limits=0), "limits is a Limits or None, not int"),  # type: ignore[arg-type]
        (lambda: divide("gyges", 1, limits=[]), "limits is a Limits or None, not list"),  # type: ignore[arg-type]
        (lambda: write_record(None), "expected a Record, not NoneType"),  # type: ignore[arg-type]
        (lambda: json_line("*"), "expected a Record, not str"),  # type: ignore[arg-type]
        (lambda: movetext("*"), "expected a Record, not str"),  # type: ignore[arg-type]
        (lambda: movetext(Record.new("gyges"), width=7.5), "width must be an int, not float"),  # type: ignore[arg-type]
        (lambda: read_records(text="", max_record=True), "max_record must be an int, not bool"),
        (lambda: solve_many([], resume=0), "resume must be True or False, not int"),  # type: ignore[arg-type]
        (lambda: solve_many([], out=3), "out must be a str or a Path, not int"),  # type: ignore[arg-type]
        (lambda: solve_many([], dask=3), "dask must be a str, not int"),  # type: ignore[arg-type]
        (lambda: random_game("gyges", "3"), "seed must be an int, not str"),  # type: ignore[arg-type]
        (lambda: random_game("gyges", plies=1.5), "plies must be an int, not float"),  # type: ignore[arg-type]
    ],
)
def test_other_arguments(call: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=f"^{words}$"):
        call()


def test_a_width_that_no_line_has() -> None:
    for width in (0, -1, 1 << 63):
        with pytest.raises(ValueError, match=r"^width is 1 to "):
            movetext(Record.new("gyges"), width=width)
    assert movetext(Record.new("gyges"), width=1) == "*\n"


def test_closed_tables(tmp_path: Path) -> None:
    tables = Tablebase(tmp_path)
    with tables:
        assert tables.probe("siaius 3/1s1/1T1/3 s - - 0") is None
    tables.close()
    calls: list[Callable[[], object]] = [
        lambda: tables.probe("siaius 3/1s1/1T1/3 s - - 0"),
        lambda: tables.build("siaius", files=3, ranks=3, stones=2),
        tables.__enter__,
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^the tablebase is closed$"):
            call()
