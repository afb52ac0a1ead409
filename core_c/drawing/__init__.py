"""Boards and positions as text and as SVG: one module for each game that has drawings."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ringfen.position import Position


def _module(position: Position) -> Any:
    name = f"{__name__}.{position.game.id}"
    return None if find_spec(name) is None else import_module(name)


def draw(position: Position) -> str:
    """The position as text for people: several lines, without a last line end."""
    module = _module(position)
    return position.fen if module is None else str(module.draw(position.fen, position.context))


def svg(position: Position) -> str:
    """The position as an SVG document."""
    module = _module(position)
    if module is None:
        text = position.fen.replace("&", "&amp;").replace("<", "&lt;")
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 40"><text x="8" y="26">{text}</text></svg>'
    return str(module.svg(position.fen, position.context))
