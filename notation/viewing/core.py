"""The C core for a page: the WebAssembly module, and the data of each game for the page's script."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import name

from ringfen._core import ffi
from ringfen.errors import COMMON_REASONS
from ringfen.notation.diagnostics import CODES, MOVETEXT_REASONS
from ringfen.notation.tag_errors import NO_GAME
from ringfen.notation.tags import TAG_REASONS
from ringfen.position import Position
from ringfen.rules import Context, Game, games
from ringfen.text import invisible_character
from ringfen.version import __version__


@cache
def module() -> str:
    """Return the WebAssembly module, compressed with gzip, in base64."""
    raw = (Path(__file__).parent / "core.wasm").read_bytes()
    return base64.b64encode(gzip.compress(raw, mtime=0)).decode("ascii")


def core_data(contexts: Iterable[Context] = ()) -> dict[str, Any]:
    """Return what ``core.js`` needs besides the module: games, sentences for errors, and boards.

    :param contexts: Boards that positions of the page name, besides those of the usual starts.
    """
    boards: dict[str, dict[str, str]] = {}
    for context in [*(Position(game.id).context for game in games()), *contexts]:
        if context.board is not None:
            raw = bytes(ffi.buffer(context.cdata))
            boards.setdefault(context.board.game, {})[context.board.name] = base64.b64encode(raw).decode("ascii")
    return {
        "games": [
            {
                "id": game.id,
                "name": game.name,
                "players": game.players,
                "chances": game.value_kind == "chance",
                "margins": game.value_kind == "margin",
                "starts": _starts(game),
                "reasons": {**COMMON_REASONS, **game.reasons},
                "fields": game.fields,
                "rankForm": game.rank_form,
                "editor": _editor(game),
                "boards": boards.get(game.id, {}),
            }
            for game in games()
        ],
        "invisible": _invisible_names(),
        "sentences": {"movetext": MOVETEXT_REASONS, "tags": TAG_REASONS, "noGame": NO_GAME},
        "severities": {code: severity for code, (severity, _) in CODES.items()},
        "version": __version__,
    }


def _editor(game: Game) -> dict[str, Any] | None:
    """Return how editors change the positions of a game."""
    editor = game.editor
    if editor is None:
        return None
    palette = [piece._asdict() for piece in editor.palette]
    fields = [
        {**field._asdict(), "choices": list(field.choices.items()), "players": dict(field.players)}
        for field in editor.fields
    ]
    return {"palette": palette, "empty": editor.empty, "throne": editor.throne, "fields": fields}


def _starts(game: Game) -> dict[str, str]:
    """Return the usual starts by the number of players or the size of the board, if a game has several."""
    least, most = game.players
    if most > 2:
        return {str(players): game.start(players=players) for players in range(least, most + 1)}
    sizes = next((option.choices for option in game.start_options if option.name == "size"), ())
    return {size.replace("x", "×"): game.start(size=size) for size in sizes}


@cache
def _invisible_names() -> dict[int, str]:
    """Return the names of the invisible characters that have one and are in the basic plane."""
    names = {}
    for number in range(0x10000):
        found = invisible_character(chr(number))
        words = "" if found is None else found[1].partition("(")[2].removesuffix(")")
        if words and (name(chr(number), "") or chr(number) in "\t\n\r"):
            names[number] = words
    return names
