"""``show``, ``moves``, ``play``: one position, seen and played on."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from ringfen.cli.exit_status import OK, USAGE
from ringfen.cli.output import (
    outcome_words,
    print_data,
    print_json,
    print_table,
    write_text,
)
from ringfen.cli.position_input import Line, Positions, argument_lines, error_fields, print_answer, report
from ringfen.cli.shared_options import (
    POSITION,
    board_option,
    drawing_option,
    file_option,
    json_option,
    out_dir_option,
    positions_from,
)
from ringfen.errors import RingfenError
from ringfen.inputs import check_regular
from ringfen.text import player_name

if TYPE_CHECKING:
    from pathlib import Path

    from ringfen.position import Position

#: As in records, also without a space before the ply.
_MOVE_NUMBER: Final = re.compile(r"\A[1-9][0-9]{0,8}\.(?:\.\.)?")


@click.command()
@positions_from(many=True, problems=True)
@drawing_option
@out_dir_option("Write a drawing of each position to DIR: 1.svg, 2.svg, …")
@click.option(
    "--side",
    type=click.Choice(["s", "n"]),
    default="s",
    show_default=True,
    help="Draw the board as this side sees it.",
)
def show(positions: Positions, out: str | None, out_dir: str | None, side: str) -> int:
    """Show the board, who is to move and what is pending.

    With --out or --out-dir, writes drawings (SVG) instead. Files and standard input can also contain problems, with the
    stipulation below the board.

    \b
    Example:
      ringfen show 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'
      ringfen show rings --out start.svg
      ringfen positions games.rgn --last | ringfen show - --out-dir diagrams
      ringfen problems games.rgn --json | ringfen show - --out-dir problems
    """
    if out is not None and out_dir is not None:
        raise click.UsageError("Give one of --out and --out-dir.")
    if out is not None:
        return _draw_one(positions, out, side)
    if out_dir is not None:
        return _draw_all(positions, out_dir, side)
    first = True
    for line, position in positions:
        if not first:
            click.echo()
        first = False
        click.echo(position.draw(side=side))
        if line.stipulation:
            click.echo(line.stipulation)
    return positions.status


def _drawing(line: Line, position: Position, side: str) -> str:
    """Return the drawing of a position, with the stipulation if it is a problem."""
    from ringfen.drawing import svg

    return svg(position, side, below=[line.stipulation] if line.stipulation else [])


def _draw_one(positions: Positions, file: str, side: str) -> int:
    output = positions.declared().output(file)
    lines = list(islice(positions.lines(), 2))
    if len(lines) != 1:
        raise click.UsageError(
            f"--out draws a single position, but there {'are more: give --out-dir DIR' if lines else 'is none'}."
        )
    position = positions.read(lines[0])
    if position is not None:
        write_text(output, _drawing(lines[0], position, side))
    return positions.status


def _draw_all(positions: Positions, out_dir: str, side: str) -> int:
    from ringfen.outputs import directory

    files = positions.declared()
    with directory(out_dir):
        for number, line in enumerate(positions.lines(), 1):
            position = positions.read(line)
            if position is not None:
                file = os.path.join(out_dir, f"{number}.svg")
                check_regular(file)
                write_text(files.output(file), _drawing(line, position, side))
    return positions.status


@click.command()
@positions_from()
@click.option(
    "--plain",
    is_flag=True,
    help="Print one ply per line; an empty line separates positions, and on standard input ends each answer.",
)
@json_option
def moves(positions: Positions, plain: bool, as_json: bool) -> int:
    """List the legal plies and where each leads.

    A chance event lists its results, each with its weight: the number of cards it can come from.

    \b
    Example:
      ringfen moves 'gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1'
      ringfen moves siaius --json
      ringfen moves rings --plain
    """
    if plain and as_json:
        raise click.UsageError("--plain and --json cannot be combined.")
    if plain:
        return _print_plain(positions)
    for line, position in positions:
        successors = position.successors()
        weights = position.weights()
        if as_json:
            plies: list[dict[str, Any]] = [{"ply": ply, "fen": after.fen} for ply, after in successors]
            for entry in plies:
                if weights:
                    entry["weight"] = weights[entry["ply"]]
            print_answer(line, {"fen": position.fen, "plies": plies})
        else:
            _print_moves(position, [(ply, after.fen) for ply, after in successors], weights)
    return positions.status


def _print_plain(positions: Positions) -> int:
    """Print the plies of positions, one per line, with an empty line between positions.

    On standard input an empty line follows the answer to each line, malformed ones included, so that a client sees
    where the answer ends.
    """
    is_first = True
    for line in positions.noted_lines():
        is_input = line.source == "<stdin>"
        position = positions.read(line)
        if position is not None:
            between = "" if is_first or is_input else "\n"
            print_data(between + "".join(f"{ply}\n" for ply in position.plies()))
            is_first = is_input
        if is_input:
            print_data("\n")
    return positions.status


def _print_moves(position: Position, successors: Sequence[tuple[str, str]], weights: dict[str, int]) -> None:
    click.echo(position.fen)
    if position.is_over:
        click.echo(f"The game is over: {outcome_words(position.outcome)}.\n")
        return
    if weights:
        print_table([(ply, weights[ply], fen) for ply, fen in successors], ("result", "weight", "leads to"))
    else:
        print_table(successors, ("ply", "leads to"))
    count = f"{len(successors)} {'ply' if len(successors) == 1 else 'plies'}"
    click.echo(f"{count}, {'chance' if position.is_chance else player_name(position.player)} to move\n")


@click.command()
@click.argument("words", metavar="POSITION PLY…", nargs=-1, type=POSITION)
@file_option
@board_option
@json_option
def play(words: Sequence[str], file: str | None, board_path: Sequence[Path], as_json: bool) -> int:
    """Play plies from a position and print the position after them.

    With --file, or '-' as POSITION, plays the plies from each position. One argument may contain several plies; move
    numbers are ignored. Quote plies such as '*c4'.

    \b
    Example:
      ringfen play gyges 321123 321123 a1-b3
      ringfen play rings '1. a1-a2 a7-b7 2. c1-c2'
      ringfen play 'siaius 4/4/S3/3c n - d1 0' stay --json
    """
    count = 0 if file is not None else 1
    positions = Positions(words[:count], file, board_path, as_json=as_json)
    positions.required()
    plies = [ply for text in words[count:] for ply in _plies_of(text)]
    status = OK
    for source, position in positions:
        after = _played(source, position, plies, as_json)
        if after is None:
            status = USAGE
        elif as_json:
            print_answer(source, {"fen": after.fen, "outcome": after.outcome})
        else:
            click.echo(after.fen)
            if after.is_over:
                click.echo(f"# {outcome_words(after.outcome)}")
    return max(status, positions.status)


def _plies_of(text: str) -> list[str]:
    """Return the plies of an argument, an empty one as it is: both it and invisible characters are reported."""
    words = [_MOVE_NUMBER.sub("", word) for word in re.split("[ \t\n]+", text)]
    return [word for word in words if word] if text.strip() else [text]


def _played(source: Line, position: Position, plies: Sequence[str], as_json: bool) -> Position | None:
    """Return the position after the plies; None, with a report, if one of them cannot be played."""
    before = [position]
    for line in argument_lines("ply", plies):
        try:
            before.append(before[-1].apply(line.text))
        except RingfenError as error:
            _report_ply(line, error, before, plies)
            if as_json and source.is_streamed:
                fields = error_fields(line, error)  # the column is that of the ply
                print_json({**fields, "line": source.number})
            return None
    return before[-1]


def _report_ply(line: Line, error: RingfenError, before: Sequence[Position], plies: Sequence[str]) -> None:
    """Report a ply that cannot be played in the words of ``validate``, with suggestions."""
    from ringfen.notation.ply_errors import diagnose_played

    found = diagnose_played(error, before, plies)
    error.message = found.words
    report(line, error)
    if found.plies:
        click.echo(f"  perhaps {' or '.join(found.plies)}", err=True)
    click.echo(f"  in {before[-1].fen}", err=True)
