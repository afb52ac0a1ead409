"""Which tests concern which C files: the quickest first, for a mutant ends with the first that fails."""

from __future__ import annotations

_OF_FOLDER = {
    "gyges": [
        "tests/test_gyges.py",
        "tests/test_golden_games.py",
        "tests/test_win_search.py",
        "tests/test_signature.py",
    ],
    "rings": [
        "tests/test_rings.py",
        "tests/test_golden_games.py",
        "tests/test_margin_search.py",
        "tests/test_signature.py",
    ],
    "siaius": [
        "tests/test_siaius.py",
        "tests/test_golden_games.py",
        "tests/test_retrograde.py",
        "tests/test_win_search.py",
        "tests/test_tables.py",
        "tests/test_signature.py",
    ],
    "gran": [
        "tests/test_gran.py",
        "tests/test_boards.py",
        "tests/test_golden_games.py",
        "tests/test_chance_search.py",
        "tests/test_signature.py",
    ],
}
_EVERYTHING = ["tests"]


def tests_of(name: str) -> list[str]:
    """The tests to run for a file of the source folder."""
    return _OF_FOLDER.get(name.split("/")[0], _EVERYTHING)
