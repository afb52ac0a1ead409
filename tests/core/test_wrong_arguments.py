"""Every argument of the public functions: the error for a wrong type or a number out of bounds names the argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

import ringfen
from ringfen import Game, Limits, Position, Solution, SolveOptions, Tablebase
from ringfen.options import SolveKeywords

FEN: Final = "siaius 3/s2/2M s - - 0"
HUGE: Final = (2**31, 2**44, 2**63, 2**64, 10**5000)

#: Not a text, nor a number, nor anything else that is ever wanted.
NOTHING: Final[tuple[Any, ...]] = (b"7", object(), {"a": 1}, 7j)
NO_TEXT: Final = (*NOTHING, 7, None, ["gyges"], True)
NO_NUMBER: Final = (*NOTHING, "7", [7])
NO_INTEGER: Final = (*NO_NUMBER, 1.5, True)
NO_PATH: Final = (*NOTHING, 5, True, ["x"])
NO_FUNCTION: Final = (*NOTHING, 3, "x")
NO_FLAG: Final = (*NOTHING, 0, 1, "x", None)

#: By kind of argument: what raises TypeError, what raises ValueError, and words that the message has.
KINDS: Final[dict[str, tuple[tuple[Any, ...], tuple[Any, ...], str]]] = {
    "position": (NO_TEXT, ("", "no game", "gyges 1", "\ud800", "gyges \0"), "position|game"),
    "text": (NO_TEXT, ("", "x", "\ud800"), ""),
    "path": ((*NO_PATH, None), (), "path|directory|out|tables"),
    "directory": (NO_PATH, (), "directory|out|tables"),
    "board_path": ((*NOTHING, 5, None, "boards", ["boards"], [5]), (), "board_path"),
    "count": (NO_INTEGER, (0, -1, *HUGE), ""),
    "index": ((*NO_INTEGER, None), (), "index"),
    "nodes": (NO_INTEGER, (0, -1, 2**63, 10**5000), "nodes"),
    "seconds": ((*NO_NUMBER, True), (0, -1, float("nan"), float("inf"), 10**400), "seconds"),
    "depth": ((*NO_INTEGER, None), (-1, 256, *HUGE), "depth"),
    "table": (NO_INTEGER, (-1, *HUGE), "hash_mb"),
    "until": ((*NO_NUMBER, True), (-1, 2, float("nan"), Fraction(3, 2)), "until"),
    "flag": (NO_FLAG, (), "True or False"),
    "progress": (NO_FUNCTION, (), "progress is a function"),
    "model": (NO_TEXT, ("", "minimax", "x" * 10**6), "model"),
    "limits": ((*NOTHING, 0, 7, [], ()), (), "limits is a Limits"),
    "options": ((*NOTHING, 0, 7, [], ()), (), "options is a SolveOptions"),
    "positions": ((*NOTHING[:2], 7, None, "gyges", Position("gyges"), [7], [None]), (["x"], [""]), "position"),
    "texts": ((b"x", object(), 7, None, "x", [7]), (["x"],), "pl"),
    "fields": ((b"x", object(), 7, None, "x", [7], [("fen", 7)]), ({}, {"fen": "gyges"}), "fields"),
    "variant": ((*NOTHING, 7, ["gyges"], True), ("", "no", "x" * 10**6), "variant|huff"),
    "dask": ((*NOTHING, 3), (), "dask must be a str"),
    "side": (NO_TEXT, ("", "x"), "side"),
}

SOLVE: Final = {
    "options": "options",
    "seconds": "seconds",
    "nodes": "nodes",
    "threads": "count",
    "hash_mb": "count",
    "depth": "count",
    "model": "model",
    "player": "count",
    "until": "until",
    "wdl": "flag",
    "each": "flag",
    "tables": "directory",
    "progress": "progress",
}
PERFT: Final = {
    "depth": "depth",
    "threads": "count",
    "hash_mb": "table",
    "seconds": "seconds",
    "nodes": "nodes",
    "limits": "limits",
    "progress": "progress",
}


def _without(names: dict[str, str], *left_out: str) -> dict[str, str]:
    return {name: kind for name, kind in names.items() if name not in left_out}


#: What is called with right arguments, and the kind of each argument.
Call = tuple[Callable[..., Any], dict[str, Any], dict[str, str]]


def calls(folder: Path) -> dict[str, Call]:
    start = Position(FEN)
    found = start.solve()
    tables = Tablebase(folder)
    proof, out = folder / "proof", folder / "other"
    ringfen.prove(FEN, proof)
    size = {"files": 3, "ranks": 3, "stones": 2}
    return {
        "Position": (Position, {"fen": FEN}, {"fen": "position", "board_path": "board_path"}),
        "Position.apply": (start.apply, {"ply": "c1-c2"}, {"ply": "text"}),
        "Position.short": (start.short, {"ply": "c1-c2"}, {"ply": "text"}),
        "Position.is_legal": (start.is_legal, {"ply": "c1-c2"}, {"ply": "words"}),
        "Position.play": (start.play, {"plies": []}, {"plies": "texts"}),
        "Position.nth": (start.nth, {"index": 0}, {"index": "index"}),
        "Position.perft": (start.perft, {"depth": 1}, PERFT),
        "Position.solve": (start.solve, {}, SOLVE),
        "Position.draw": (start.draw, {}, {"side": "side"}),
        "Position.svg": (start.svg, {}, {"side": "side", "last": "last"}),
        "solve": (ringfen.solve, {"position": FEN}, {"position": "position", **SOLVE}),
        "solve_many": (
            lambda positions=(FEN,), **more: list(ringfen.solve_many(positions, **more)),
            {},
            {"positions": "positions", **_without(SOLVE, "progress")}
            | {"jobs": "count", "dask": "dask", "out": "directory", "resume": "flag"},
        ),
        "perft": (ringfen.perft, {"position": FEN, "depth": 1}, {"position": "position", **PERFT}),
        "divide": (ringfen.divide, {"position": FEN, "depth": 1}, {"position": "position", **PERFT}),
        "prove": (
            ringfen.prove,
            {"position": FEN, "path": out},
            {"position": "position", "path": "path", **SOLVE}
            | {"expand": "flag", "problem": "flag", "gap": "gap", "memory_mb": "count"},
        ),
        "verify": (
            ringfen.verify,
            {"path": proof},
            {"path": "path", "seconds": "seconds", "nodes": "nodes", "memory_mb": "count", "progress": "progress"}
            | {"board_path": "board_path", "tables": "directory"},
        ),
        "Tablebase": (Tablebase, {}, {"directory": "directory"}),
        "Tablebase.probe": (tables.probe, {"position": FEN}, {"position": "position"}),
        "Tablebase.build": (
            tables.build,
            {"game": "siaius", **size},
            {"game": "text", **dict.fromkeys(size, "count"), "variant": "variant", "materials": "materials"}
            | {"memory_mb": "count", "threads": "count", "progress": "progress"},
        ),
        "Tablebase.verify": (tables.verify, {}, {"threads": "count", "progress": "progress"}),
        "Limits": (Limits, {}, {"nodes": "nodes", "seconds": "seconds"}),
        "SolveOptions": (
            SolveOptions,
            {},
            {**_without(SOLVE, "options", "progress", "seconds", "nodes"), "limits": "limits"},
        ),
        "Solution.from_json": (Solution.from_json, {"fields": found.to_json()}, {"fields": "fields"}),
        "game": (ringfen.game, {"game_id": "gyges"}, {"game_id": "text"}),
        "game_by_id": (ringfen.game_by_id, {"game_id": "gyges"}, {"game_id": "text"}),
    }


@pytest.fixture(scope="module")
def every_call(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    return calls(tmp_path_factory.mktemp("arguments"))


NAMES: Final = (
    *("Position", "Position.apply", "Position.short", "Position.play", "Position.nth", "Position.perft"),
    *("Position.solve", "Position.draw", "Position.svg", "solve", "solve_many", "perft", "divide", "prove", "verify"),
    *("Tablebase", "Tablebase.probe", "Tablebase.build", "Tablebase.verify", "Limits", "SolveOptions"),
    *("Solution.from_json", "game", "game_by_id", "Position.is_legal"),
)


def cases(kinds: dict[str, str], which: int) -> Iterator[tuple[str, Any, str]]:
    for argument, kind in kinds.items():
        if kind in KINDS:
            for wrong in KINDS[kind][which]:
                yield argument, wrong, KINDS[kind][2]


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_type_names_the_expected_one(every_call: dict[str, Call], name: str) -> None:
    call, right, kinds = every_call[name]
    call(**right)
    for argument, wrong, words in cases(kinds, 0):
        with pytest.raises(TypeError) as caught:
            call(**{**right, argument: wrong})
        message = str(caught.value)
        assert " not " in message or "give a list" in message, (argument, wrong, message)
        assert any(word in message for word in words.split("|")), (argument, wrong, message)
        assert "unhashable" not in message
        assert "not supported" not in message
        assert "iterable" not in message


@pytest.mark.parametrize("name", NAMES)
def test_a_value_out_of_bounds_is_reported(every_call: dict[str, Call], name: str) -> None:
    call, right, kinds = every_call[name]
    for argument, wrong, _ in cases(kinds, 1):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call(**{**right, argument: wrong})
        assert str(caught.value)
        assert len(str(caught.value)) < 400, (argument, str(caught.value)[:1000])


#: No functions, or of the core and for those who extend it; Record and random_game are of ``ringfen.notation``.
ELSEWHERE: Final = {
    # tests/core/problems tests these.
    "Problem",
    "SolutionTree",
    "TreeNode",
    "Verdict",
    "check_problem",
    "find_problems",
    "solution_tree",
    "Game",
    "Outcome",
    "PlyValue",
    "Progress",
    "random_game",
    "__version__",
    "games",
    "game_ids",
    "notation",
}


def test_every_argument_is_in_the_table(every_call: dict[str, Call]) -> None:
    offered = set(ringfen.__all__) - ELSEWHERE
    named = {name.partition(".")[0] for name in every_call}
    errors = {name for name in offered if isinstance(getattr(ringfen, name), type)}
    errors = {name for name in errors if issubclass(getattr(ringfen, name), Exception)}
    assert offered - errors == named
    for name, (_, _, kinds) in every_call.items():
        owner, _, method = name.partition(".")
        function = getattr(ringfen, owner)
        function = getattr(function, method) if method else function
        found = set(inspect.signature(function).parameters) - {"self"}
        if "chosen" in found:  # the keywords of Position.solve are those of solve
            found = found - {"chosen"} | set(SolveKeywords.__annotations__)
        assert found == set(kinds), name


@pytest.mark.parametrize("game", ringfen.games(), ids=lambda game: game.id)
def test_start_options(game: Game) -> None:
    name = game.start_options[0].name if game.start_options else "x"
    wrong: Any
    for wrong in (1.5, None, True, b"x", ["x"]):
        with pytest.raises(TypeError, match="must be a str or an int, not"):
            game.start(**{name: wrong})
    with pytest.raises(TypeError, match="has no start option"):
        game.start(no_such_option=1)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"fen": 7}, "fen must be a str, not int"),
        ({"nodes": True}, "nodes must be an int, not bool"),
        ({"seconds": "1"}, "seconds must be a number, not str"),
        ({"best": 5}, "best must be a list, not int"),
        ({"best": "c1-c2"}, "best must be a list, not str"),
        ({"pv": [5]}, "pv must be a list of str, not of int"),
        ({"best_complete": 1}, "best_complete must be True or False, not int"),
        ({"value": {}}, "value must be a str, an int or a list, not dict"),
        ({"value": [[]]}, "value must be a list of str, not of list"),
        ({"plies": [7]}, "the fields of a ply's value must be a mapping, not int"),
        ({"plies": [{"ply": 7, "status": "exact"}]}, "ply must be a str, not int"),
    ],
)
def test_fields_of_a_wrong_type(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=f"^{words}$"):
        Solution.from_json({**Position(FEN).solve().to_json(), **changed})


@pytest.mark.parametrize("value", ["x", "1/0", "1/", ["1/0"], "\ud800", "9" * 5000])
def test_values_that_are_none(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^value is not a value: "):
        Solution.from_json({"fen": FEN, "game": "siaius", "status": "exact", "value": value})
