"""Which tests concern which C files: the quickest first, for a mutant ends with the first that fails."""

from __future__ import annotations

_GAMES = "tests/core/games/"
_SOLVING = "tests/core/solving/"
_WINS = [f"{_SOLVING}test_win_search.py"]
_TABLES = [f"{_SOLVING}test_retrograde.py", "tests/core/tables"]
_SIGNATURE = [f"{_SOLVING}test_signature.py"]
_RECORDS = ["tests/notation", "tests/cli/test_cli_validate.py"]
_CERTIFICATES = ["tests/core/certificates", "tests/core/test_hostile_certificates.py"]
_OTHERS = [f"tests/core/test_{name}.py" for name in ("position", "bad_input", "limits", "describe", "wrong_types")]


def _game(name: str) -> list[str]:
    own = [f"{_GAMES}test_{name}.py", f"{_GAMES}test_{name}_bulk.py", f"{_GAMES}test_{name}_counting.py"]
    own += [f"{_GAMES}test_{name}_perft.py"]
    return [*own, f"{_GAMES}test_golden_games.py", f"{_GAMES}test_reasons.py", "tests/core/test_describe.py"]


_OF_FOLDER = {
    "gyges": [*_game("gyges"), *_WINS, *_SIGNATURE],
    "rings": [*_game("rings"), f"{_SOLVING}test_margin_search.py", *_SIGNATURE],
    "siaius": [*_game("siaius"), *_WINS, *_TABLES, *_SIGNATURE],
    "gran": [*_game("gran"), f"{_GAMES}test_boards.py", f"{_SOLVING}test_chance_search.py", *_SIGNATURE],
    "search": [_SOLVING, *_CERTIFICATES],
    "certificates": _CERTIFICATES,
    "records": _RECORDS,
}
#: Not `tests/core/batch`: it starts many processes and concerns Python alone.
_EVERYTHING = [_GAMES, _SOLVING, *_CERTIFICATES, "tests/core/tables", *_OTHERS, "tests/notation"]


def tests_of(name: str) -> list[str]:
    """The tests to run for a file of the source folder; those that there are not are left out by the caller."""
    return _OF_FOLDER.get(name.split("/")[0], _EVERYTHING)
