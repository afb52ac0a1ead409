"""Draws positions as text and SVG from their descriptions. Start with :func:`draw` and :func:`svg`.

Each game has a module with the functions ``text``, ``words`` and ``picture``. Other games use
:mod:`ringfen.drawing.other`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ringfen.drawing.description import Description
from ringfen.drawing.picture import Picture, places_of
from ringfen.errors import IllegalPlyError
from ringfen.position import Position

_SIDES = ("s", "n")


def _module(position: Position) -> Any:
    name = f"{__name__}.{position.game.id}"
    return import_module(f"{__name__}.other" if find_spec(name) is None else name)


def _checked(side: str) -> str:
    if not isinstance(side, str):
        raise TypeError(f"side must be a str, not {type(side).__name__}")
    if side not in _SIDES:
        raise ValueError(f"side is 's' or 'n', not {side!r}")
    return side


def _check_ply(position: Position, ply: str) -> None:
    """Check that a text is a well-formed ply. It led to the position, so it need not be legal there."""
    with suppress(IllegalPlyError):
        position.short(ply)


def draw(position: Position, side: str = "s") -> str:
    """Return the position as text for people: several lines, without a final newline.

    :param side: The side at the bottom: ``"s"`` or ``"n"``.
    :raises ValueError: ``side`` is neither.
    """
    return str(_module(position).text(Description(position), _checked(side)))


@lru_cache(maxsize=1)
def _described(position: Position) -> Description:
    """Return the description of a position, cached because positions are often drawn from both sides."""
    return Description(position)


def picture(position: Position, side: str = "s", last: str | None = None) -> Picture:
    """Return the position as a drawing without its caption.

    :param side: The side at the bottom: ``"s"`` or ``"n"``.
    :param last: The ply that led to the position, to be marked.
    :raises ValueError: ``side`` is neither.
    """
    module, described = _module(position), _described(position)
    drawn: Picture = module.picture(described, _checked(side), places_of(last) if last is not None else [])
    drawn.caption = [*([] if last is None else [f"Last ply: {last}"]), *module.words(described)]
    return drawn


def svg(position: Position, side: str = "s", last: str | None = None, below: Iterable[str] = ()) -> str:
    """Return the position as an SVG document. Other parameters and errors are those of :func:`picture`.

    :param below: More lines below the board, such as a stipulation.
    :raises ringfen.PlySyntaxError: ``last`` is not a well-formed ply of the game.
    """
    if last is not None:
        _check_ply(position, last)
    drawn = picture(position, side, last)
    drawn.caption += below
    drawn.write_caption()
    return drawn.document(position.fen)
