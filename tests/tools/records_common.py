"""What the tests of records share: texts of records, and what is found in them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ringfen.notation import Record, parse_record, read_records
from ringfen.notation.viewing import Page

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
GOLDEN = ROOT / "tests" / "golden"

HEAD = '[Game "gyges"]\n[Event "?"]\n[Date "?"]\n[South "A"]\n[North "B"]\n[Result "*"]\n\n'
HARMLESS = ("missing-tag", "null-move")
GOOD = HEAD + "1. 321123 321123 2. a1-b3 c6-c5 *\n"
SET_UP = "gyges 321123/....../....../....../....../321123 s - 1+1"
WIN = "gyges ....../1...../3.23../3.211./2.132./...... s - 1+1"


def gyges(movetext: str, **tags: str) -> Record:
    text = HEAD.replace('[Game "gyges"]\n', "") if "Game" in tags else HEAD
    more = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return parse_record(more + text + movetext)


def found(record: Record) -> list[tuple[str, int, int]]:
    return [(one.code, one.line, one.column) for one in record.diagnostics]


def codes(record: Record) -> list[str]:
    return [one.code for one in record.diagnostics]


def read(data: bytes | str, **options: Any) -> list[Record]:
    raw = data if isinstance(data, bytes) else data.encode()
    return list(read_records(io.BytesIO(raw), name="test.rgn", **options))


def page_of(records: Iterable[Record], title: str) -> str:
    """Return a page with these records."""
    page = Page(title)
    for record in records:
        page.add(record)
    return page.html()
