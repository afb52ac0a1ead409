"""``board check`` and ``board show``: GRAN board files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import OK, USAGE, WRONG, print_error, print_os_error, worst
from ringfen.cli.output import print_json, write_text
from ringfen.cli.position_input import excerpt
from ringfen.cli.shared_options import drawing_option, json_option
from ringfen.cli.usage_hints import InputFile, SuggestingGroup
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.errors import BoardError
    from ringfen.rules.gran.board import Board


@click.group(cls=SuggestingGroup)
def board() -> None:
    """Check and draw GRAN board files.

    \b
    Example:
      ringfen board check myboard.board
      ringfen board show myboard.board --out myboard.svg
    """


@board.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=InputFile())
@json_option
def check(files: Sequence[str], as_json: bool) -> int:
    """Check board files, and show where and why one is invalid.

    \b
    Example:
      ringfen board check myboard.board
      ringfen board check boards/*.board --json
    """
    status = OK
    for name in files:
        status = worst(status, _check(name, as_json))
    return status


@board.command()
@click.argument("file", required=False, type=InputFile())
@drawing_option
def show(file: str | None, out: str | None) -> None:
    """Draw the board of FILE, or the default board.

    With --out, writes a drawing (SVG) instead.

    \b
    Example:
      ringfen board show
      ringfen board show myboard.board
      ringfen board show myboard.board --out myboard.svg
    """
    from ringfen.drawing.board import board_svg, board_text
    from ringfen.outputs import Files
    from ringfen.rules.gran.board import default_board, load_board

    output = None if out is None else Files(() if file is None else (file,)).output(out)
    drawn = default_board() if file is None else load_board(Path(file))
    if output is not None:
        write_text(output, board_svg(drawn))
    else:
        click.echo(board_text(drawn))
        click.echo()
        click.echo(_described(drawn))


def _check(name: str, as_json: bool) -> int:
    from ringfen.errors import BoardError
    from ringfen.rules.gran.board import load_board

    try:
        loaded = load_board(Path(name))
    except BoardError as error:
        _report(name, error, as_json)
        return WRONG
    except OSError as error:
        print_os_error(error, name)
        return USAGE
    if as_json:
        print_json(
            {
                "file": name,
                "ok": True,
                "name": loaded.name,
                "points": len(loaded.points),
                "lines": len(loaded.lines),
                "cards": list(loaded.cards),
                "stones": loaded.stones,
            }
        )
    else:
        click.echo(f"{printable(name)}: ok: {_described(loaded)}")
    return OK


def _report(name: str, error: BoardError, as_json: bool) -> None:
    if as_json:
        fields: dict[str, Any] = {
            "file": name,
            "ok": False,
            "reason": error.reason,
            "message": printable(error.message),
        }
        print_json({**fields, "line": error.line or None, "column": error.column or None})
        return
    print_error(f"{error.reason}: {error.message}")
    if error.line:
        shown, caret = excerpt(error.text, error.at, error.length)
        click.echo(f"    {shown}\n    {caret}", err=True)


def _described(loaded: Board) -> str:
    cards = " ".join(map(str, loaded.cards))
    counts = f"{len(loaded.points)} points, {len(loaded.lines)} lines, {loaded.realms.count('w')} banishing points"
    named = f"board {loaded.name}" if loaded.name else "the default board"
    return f"{named}, {counts}, {loaded.stones} stones, cards of value 0 to 6: {cards}"
