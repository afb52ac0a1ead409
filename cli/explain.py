"""``explain``: what a code of a diagnostic means."""

from __future__ import annotations

import click

from ringfen.cli.output import print_json
from ringfen.cli.shared_options import json_option


@click.command()
@click.argument("code")
@json_option
def explain(code: str, as_json: bool) -> None:
    """Say what a code of validate means and what repairs it.

    \b
    Example:
      ringfen explain wrong-number
    """
    from difflib import get_close_matches

    from ringfen.notation.diagnostics import CODES
    from ringfen.notation.explaining import EXPLANATIONS

    if code not in CODES:
        if _is_key(code):
            raise click.UsageError(
                f"{code} is no code of validate but a key of positions, plies and boards, whose message says it all: "
                "see docs/errors.md."
            )
        close = get_close_matches(code, CODES, n=1)
        hint = f" Did you mean {close[0]}?" if close else f" The codes are {', '.join(CODES)}."
        raise click.UsageError(f"No such code {code[:40]!r}.{hint}")
    severity, meaning = CODES[code]
    wrong, right, repair = EXPLANATIONS[code]
    if as_json:
        fields = {"code": code, "severity": severity, "meaning": meaning, "repair": repair}
        print_json({**fields, "example": wrong or None, "repaired": right or None})
        return
    click.echo(f"{code} ({severity}): {meaning}.")
    if wrong:
        click.echo(f"\nExample:\n\n{_indented(wrong)}\n\nRepaired:\n\n{_indented(right)}")
    click.echo(f"\n{repair}")


def _is_key(text: str) -> bool:
    """Whether it is a key of an error about a position, a ply or a board by itself."""
    from ringfen.errors import COMMON_REASONS
    from ringfen.rules import game_by_id, game_ids

    return text in COMMON_REASONS or any(text in game_by_id(name).reasons for name in game_ids())


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
