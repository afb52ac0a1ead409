"""Records of games: reading, checking and writing (docs/notation.md)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ringfen.notation.diagnostics import CODES, Diagnostic
    from ringfen.notation.json_form import json_line, record_to_json
    from ringfen.notation.random_play import random_game
    from ringfen.notation.reading import check_records, parse_record, read_records
    from ringfen.notation.record import Line, Node, Record, Report, Token
    from ringfen.notation.splitting import MAX_RECORD
    from ringfen.notation.writing import movetext, write_record, write_records

#: The module of each name, which is loaded when the name is first used.
_LATE: Final = {
    "CODES": "diagnostics",
    "Diagnostic": "diagnostics",
    "Line": "record",
    "MAX_RECORD": "splitting",
    "Node": "record",
    "Record": "record",
    "Report": "record",
    "Token": "record",
    "check_records": "reading",
    "json_line": "json_form",
    "movetext": "writing",
    "parse_record": "reading",
    "random_game": "random_play",
    "read_records": "reading",
    "record_to_json": "json_form",
    "write_record": "writing",
    "write_records": "writing",
}

__all__ = [
    "CODES",
    "MAX_RECORD",
    "Diagnostic",
    "Line",
    "Node",
    "Record",
    "Report",
    "Token",
    "check_records",
    "json_line",
    "movetext",
    "parse_record",
    "random_game",
    "read_records",
    "record_to_json",
    "write_record",
    "write_records",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(import_module(f"ringfen.notation.{_LATE[name]}"), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
