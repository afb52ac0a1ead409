"""Which tests concern which C files: those of the file itself, and all that may notice a change of it."""

from __future__ import annotations

_GAMES = "tests/core/games/"
_SOLVING = "tests/core/solving/"
_MARGINS = [f"{_SOLVING}test_margin_search.py"]
_WINS = [f"{_SOLVING}test_win_search.py"]
_CHANCES = [f"{_SOLVING}test_chance_search.py", f"{_SOLVING}test_dependency_masks.py"]
_GRAPHS = [f"{_SOLVING}test_retrograde.py"]
_TABLES = ["tests/core/tables"]
_SIGNATURE = [f"{_SOLVING}test_signature.py"]
_SOLVE = ["tests/cli/test_cli_solve.py", "tests/core/test_limits.py", "tests/core/test_leaks.py"]
_RECORDS = ["tests/notation"]
_CERTIFICATES = ["tests/core/certificates", "tests/core/test_hostile_certificates.py"]
_TEXTS = [f"{_GAMES}test_reasons.py", f"{_GAMES}test_kinds.py", "tests/core/test_describe.py"]
_TEXTS += [f"tests/core/test_{name}.py" for name in ("position", "bad_input", "wrong_types")]
_COUNTS = [f"{_GAMES}test_suite.py", "tests/cli/test_cli_perft.py"]
_OTHERS = [*_TEXTS, *_COUNTS, *_SOLVE, "tests/core/test_contract.py"]
# Not the rest of tests/core/batch: it starts many processes and concerns only Python.
_DEEP_COUNTS = ["tests/core/batch/test_counts.py"]
_EVERYTHING = [_GAMES, _SOLVING, *_CERTIFICATES, *_TABLES, *_RECORDS, *_OTHERS]

#: The tests of each game's rules, and those that the solvers of its kind of value have.
_PLIES = {
    name: [f"{_GAMES}test_{name}{part}.py" for part in ("", "_bulk", "_counting", "_perft")]
    for name in ("gyges", "rings", "siaius", "gran")
}
_VALUES = {
    "gyges": [*_WINS, *_CERTIFICATES],
    "rings": _MARGINS,
    "siaius": [*_WINS, *_GRAPHS, *_TABLES, *_CERTIFICATES],
    "gran": [f"{_GAMES}test_boards.py", *_CHANCES],
}

#: By the beginning of the file's name: its own tests, and others. The longest beginning counts.
_CONCERNED: dict[str, tuple[list[str], list[str]]] = {
    "": (_OTHERS, _EVERYTHING),
    **{
        f"{name}/": ([*plies, f"{_GAMES}test_golden_games.py"], [*_VALUES[name], *_SIGNATURE, *_OTHERS])
        for name, plies in _PLIES.items()
    },
    **{
        f"{name}/bulk_count": ([*plies, f"{_GAMES}test_suite.py"], [*_COUNTS, *_SIGNATURE])
        for name, plies in _PLIES.items()
    },
    "rings/solver": (_MARGINS, [*_PLIES["rings"], *_SIGNATURE, *_OTHERS]),
    "gran/solver": (_CHANCES, [*_PLIES["gran"], *_CERTIFICATES, *_SIGNATURE, *_OTHERS]),
    "gyges/lanes": ([*_PLIES["gyges"], f"{_GAMES}test_suite.py"], [*_COUNTS, *_SIGNATURE]),
    **{f"gyges/{name}": (_WINS, [*_PLIES["gyges"], *_SIGNATURE, *_CERTIFICATES]) for name in ("threats", "wins")},
    "siaius/endgame": ([*_TABLES, *_WINS], [*_PLIES["siaius"], *_SIGNATURE, *_CERTIFICATES]),
    "siaius/tables": (_TABLES, [*_GRAPHS, *_WINS, *_CERTIFICATES, *_SOLVE]),
    "search/forced_wins": (_WINS, [*_CERTIFICATES, *_SIGNATURE, *_SOLVE]),
    "search/frontier": (_DEEP_COUNTS, _EVERYTHING),
    **{f"search/{name}": (_GRAPHS, [*_CERTIFICATES, *_TABLES, *_SOLVE]) for name in ("graph", "retrograde")},
    "siaius/solver/": (["tests/core/tables/test_forward.py"], [*_TABLES, *_SOLVE]),
    "certificates/": (_CERTIFICATES, _SOLVE),
    "records/": (_RECORDS, ["tests/cli/test_cli_validate.py", "tests/cli/test_cli_filter.py"]),
    "common/fraction": (_CHANCES, _CERTIFICATES),
    "common/position_set": ([*_GRAPHS, *_DEEP_COUNTS], _EVERYTHING),
    "common/table": (_WINS, _EVERYTHING),
}


def tests_of(name: str) -> tuple[list[str], list[str]]:
    """The tests of a file of the source folder, and the others to run if these pass. The caller leaves out those that
    there are not."""
    return _CONCERNED[max((start for start in _CONCERNED if name.startswith(start)), key=len)]
