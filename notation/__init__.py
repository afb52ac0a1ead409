"""Records of games: reading, checking and writing (docs/notation.md)."""

from __future__ import annotations

from ringfen.notation.diagnostics import CODES, Diagnostic
from ringfen.notation.json_form import json_line, record_to_json
from ringfen.notation.random_play import random_game
from ringfen.notation.reading import check_records, parse_record, read_records
from ringfen.notation.record import Line, Node, Record, Report, Token
from ringfen.notation.splitting import MAX_RECORD
from ringfen.notation.writing import movetext, write_record, write_records

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
