"""What the tests of the games share: rows of known data, and plies as the core makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ringfen import Position
from ringfen._core import ffi, lib

_TESTS = Path(__file__).parents[1]


def rows(path: str) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines below ``tests/``."""
    with (_TESTS / path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def generated(position: Position) -> list[str]:
    """The plies in the order in which the core makes them."""
    game, context = position.game.cdata, position.context.cdata
    out = ffi.new("rf_ply[]", lib.rf_game_max_plies(game))
    count = lib.rf_plies(game, context, position.state, out)
    text = ffi.new("char[]", lib.rf_game_max_ply_text(game))
    texts = []
    for ply in ffi.unpack(out, count):
        lib.rf_format_ply(game, context, position.state, ply, text)
        texts.append(ffi.string(text).decode())
    return texts
