"""docs/adding-a-game.md lists the files of the fifth game and the functions that every game needs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
GAME = ROOT / "tests" / "fifth_game"


def test_every_file_of_the_fifth_game_is_listed() -> None:
    files = {path.relative_to(GAME).as_posix() for path in GAME.rglob("*") if path.suffix in (".c", ".h", ".py", ".md")}
    assert set(re.findall(r"^\| `(tictactoe[^`]*)` \|", PAGE, re.MULTILINE)) == files


def test_the_functions_without_a_default_are_listed() -> None:
    """Those that games.c asks of every game; perft comes from the template."""
    check = (ROOT / "core_c" / "src" / "games.c").read_text(encoding="utf-8")
    listed = {
        name for row in re.findall(r"^ *\| (`.*`) \| [a-z]", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    final = check[check.index("    return g->parse != NULL") : check.index("const char *rf_init")]
    assert listed == set(re.findall(r"g->(\w+) != NULL", final)) - {"perft"}
