"""``explain``: what a code of a diagnostic, or a key of another error, means."""

from __future__ import annotations

from typing import Any

import click

from ringfen.cli.output import print_json
from ringfen.cli.shared_options import json_option
from ringfen.cli.usage_hints import hint_for_code


@click.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, as_json: bool) -> None:
    """Explain a code or key of a message, and how to fix the error.

    Without CODE, lists all codes and keys.

    \b
    Example:
      ringfen explain wrong-number
    """
    from ringfen.notation.diagnostics import CODES
    from ringfen.notation.explaining import keys, meanings_of_key

    if code is None:
        if as_json:
            for one in (*CODES, *keys()):
                print_json(_fields(one))
            return
        for heading, codes in (
            ("Errors and warnings in records", CODES),
            ("\nOther errors, and repairs by 'fix'", keys()),
        ):
            click.echo(f"{heading}:\n")
            for one in codes:
                click.echo(f"{one}: {_fields(one)['meaning']}")
        return
    if code not in CODES and not meanings_of_key(code):
        raise click.UsageError(f"No such code {code[:40]!r}. {hint_for_code(code, (*CODES, *keys()))}")
    fields = _fields(code)
    if as_json:
        print_json(fields)
        return
    click.echo(f"{code} ({fields['severity']}): {fields['meaning']}.")
    if fields["example"]:
        click.echo(f"\nExample:\n\n{_indented(fields['example'])}\n\nRepaired:\n\n{_indented(fields['repaired'])}")
    if fields["repair"]:
        click.echo(f"\n{fields['repair']}")


def _fields(code: str) -> dict[str, Any]:
    """Return the fields of a code or key in JSON."""
    from ringfen.notation.diagnostics import CODES
    from ringfen.notation.explaining import EXPLANATIONS, meanings_of_key

    if code not in CODES:
        fields = {"code": code, "severity": "error", "meaning": "; or ".join(meanings_of_key(code))}
        return {**fields, "repair": None, "example": None, "repaired": None}
    severity, meaning = CODES[code]
    wrong, right, repair = EXPLANATIONS[code]
    fields = {"code": code, "severity": severity, "meaning": meaning, "repair": repair}
    return {**fields, "example": wrong or None, "repaired": right or None}


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
