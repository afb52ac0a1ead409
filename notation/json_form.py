"""Records as JSON, one per line: the same content as the text. The schema is docs/record-schema.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, Final

from ringfen.notation.diagnostics import quoted
from ringfen.notation.record import COMMENT, NAG, PLY, Record, ordered_tags
from ringfen.notation.record_containers import check_nag
from ringfen.notation.splitting import MAX_RECORD, RawRecord
from ringfen.notation.write_checks import LINE_END, TAG_NAME, check_comment
from ringfen.notation.writing import check_complete, escaped, number_text
from ringfen.text import from_json, to_json

#: What can stand as one word of movetext and is neither a move number nor a result.
_PLY: Final = re.compile(r"(?![0-9]+\.)(?![0-9]+-[0-9])(?!\*(?![a-z][0-9]))[^ \t\r\n(){};$!?]+")
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_RESULT: Final = re.compile(r"\*|[0-9]+(-[0-9]+)+|1/2-1/2")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}(?:\.|\.\.\.)")
_MEMBERS: Final = frozenset({"tags", "start", "first_number", "movetext", "result"})
#: Items of movetext that are turned into text at a time.
_PIECE: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"


def record_to_json(record: Record) -> dict[str, Any]:
    """Return the JSON form of a record; see docs/record-schema.json.

    :raises ringfen.RecordError: the record has no written form, could not be read completely, or its move numbers show
        that plies are missing (:attr:`Record.is_complete`).
    """
    check_complete(record)
    return {**_before_movetext(record), "movetext": list(_movetext(record)), "result": record.result}


def _before_movetext(record: Record) -> dict[str, Any]:
    out: dict[str, Any] = {
        "tags": dict(ordered_tags(record.tags, record.game)),
        "start": record.begin.fen,
    }
    if record.first_number != 1:
        out["first_number"] = record.first_number
    return out


def _movetext(record: Record) -> Iterator[dict[str, Any] | str]:
    ply: dict[str, Any] | None = None
    for token in record.tokens():
        if token.kind == NAG and ply is not None:
            check_nag(token.nag)
            ply.setdefault("nags", []).append(token.nag)
            continue
        if ply is not None:
            yield ply
            ply = None
        if token.kind == PLY:
            ply = {"ply": token.text}
            if token.node is not None and not token.node.follows:
                ply["number"] = number_text(token.node, record.first_number)
        elif token.kind == COMMENT:
            check_comment(token.text)
            yield {"comment": token.text}
        else:
            yield token.kind
    if ply is not None:
        yield ply


def json_line(record: Record) -> str:
    """Return the JSON form on one line, without the line end; raises as :func:`record_to_json`."""
    check_complete(record)
    # Piece by piece: the movetext as one list of objects takes ten times the memory of its text.
    begin = to_json(_before_movetext(record)).removesuffix("}")
    items = _movetext(record)
    pieces = []
    while some := list(islice(items, _PIECE)):
        pieces.append(to_json(some)[1:-1])
    return f'{begin}, "movetext": [{", ".join(pieces)}], "result": {to_json(record.result)}}}'


class _Problem(ValueError):
    """The reason why a line is not a record."""


def json_records(stream: BinaryIO, max_record: int = MAX_RECORD) -> Iterator[RawRecord]:
    """Yield the records of JSON lines, as text to be read like any other; blank lines are skipped."""
    number = 0
    while line := stream.readline(max_record + 1):
        number += 1
        while line.startswith(_BOM):
            line = line.removeprefix(_BOM)
        if len(line) > max_record and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(1 << 20)
            yield RawRecord(b"", number, True, from_json=True)
        elif line.strip():
            yield _raw(line, number)


def _raw(line: bytes, number: int) -> RawRecord:
    try:
        fields = from_json(line)
        text, first = _text_of(fields)
        return RawRecord(text.encode(), number, from_json=True, first_number=first, start=fields.get("start"))
    except ValueError as error:
        return RawRecord(b"", number, from_json=True, json_problem=str(error))


def _text_of(fields: Any) -> tuple[str, int]:
    """Return the text of a record in JSON form, and the round it begins in."""
    if not isinstance(fields, Mapping):
        raise _Problem("a record is an object")
    unknown = sorted(set(fields) - _MEMBERS)
    if unknown:
        raise _Problem(f"a record has no {quoted(unknown[0])}, only {', '.join(sorted(_MEMBERS))}")
    tags = fields.get("tags")
    if not isinstance(tags, Mapping):
        raise _Problem("tags: expected an object of names and texts")
    result = fields.get("result")
    if not isinstance(result, str) or not _RESULT.fullmatch(result):
        raise _Problem("result: expected 1-0, 0-1, 1/2-1/2, * or numbers joined by hyphens")
    first = fields.get("first_number", 1)
    if not isinstance(first, int) or isinstance(first, bool) or not 1 <= first < 10**9:
        raise _Problem("first_number: expected a number from 1 to 999999999")
    if first != 1 and "FEN" not in tags:
        raise _Problem("first_number: without a FEN tag it is 1")
    if not isinstance(fields.get("start", ""), str):
        raise _Problem("start: expected the text of a position")
    movetext = fields.get("movetext")
    if not isinstance(movetext, list):
        raise _Problem("movetext: expected an array")
    words = "".join(_word_of(item) for item in movetext)
    return f"{_tags_of(tags)}\n{words} {result}\n", first


def _tags_of(tags: Mapping[str, Any]) -> str:
    lines = []
    for name, value in tags.items():
        if not TAG_NAME.fullmatch(name):
            raise _Problem(f"tags: {quoted(name)} is not a name of letters, digits and _")
        if not isinstance(value, str) or LINE_END.search(value):
            raise _Problem(f"tags: {name} is not a text of one line")
        lines.append(f'[{name} "{escaped(value)}"]\n')
    return "".join(lines)


def _word_of(item: Any) -> str:
    """Return one entry of the movetext, with the separator before it."""
    if item in ("(", ")"):
        return f" {item}"
    if isinstance(item, Mapping):
        if set(item) == {"comment"} and isinstance(item["comment"], str):
            text = _BLANKS.sub(" ", item["comment"])
            return f" ;{text}\n" if "}" in text else f" {{{text}}}"
        if isinstance(item.get("ply"), str) and set(item) <= {"ply", "nags", "number"} and _PLY.fullmatch(item["ply"]):
            return f" {_number_of(item)}{item['ply']}{_nags_of(item.get('nags', []))}"
    shown = quoted(json.dumps(item, ensure_ascii=True))
    raise _Problem(f'movetext: expected a ply, a comment, "(" or ")", not {shown}')


def _number_of(item: Mapping[str, Any]) -> str:
    """Return the move number of a ply with a space after it, or nothing."""
    if "number" not in item:
        return ""
    if not isinstance(item["number"], str) or not _NUMBER.fullmatch(item["number"]):
        raise _Problem('number: expected a move number such as "12." or "12..."')
    return f"{item['number']} "


def _nags_of(nags: Any) -> str:
    if not isinstance(nags, list) or not all(type(nag) is int and 0 <= nag <= 255 for nag in nags):
        raise _Problem("nags: expected an array of numbers from 0 to 255")
    return "".join(f" ${nag}" for nag in nags)
