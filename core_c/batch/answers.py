"""Reads the lines of answer files, compares answers and merges files."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, BinaryIO, Final

from ringfen.control import MAX_SECONDS
from ringfen.solving import Solution
from ringfen.text import from_json

#: An answer in a file: ``line``, the fields of ``Solution.to_json``, ``options`` and ``check``.
Answer = dict[str, Any]

#: The fields of an answer in a file that are not fields of ``Solution.to_json``.
OWN_FIELDS: Final = ("line", "options", "check")
_MAX_LINE: Final = 1 << 26
#: The digits of the smallest ``until`` fit.
_FRACTION: Final = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", re.ASCII)
#: From the worst to the best.
_STATUSES: Final = ("unknown", "horizon", "bound", "exact")


def answer_in(
    line: bytes,
    fields: Mapping[str, Callable[[Any], bool]] | None = None,
    invalid_field: Callable[[Answer], str] | None = None,
    *,
    is_bare: bool = False,
) -> Answer | None:
    """Return the answer in a line of an answer file; None if the line is incomplete or corrupt.

    :param fields: The fields of every answer, each with a check; by default those of ``solve``.
    :param invalid_field: Returns the name of another invalid field, or an empty string; by default checks the optional
        fields of ``solve``.
    :param is_bare: Accept a line without :data:`OWN_FIELDS` too.
    :raises ValueError: The line is complete but not an answer. The message continues "line 7".
    """
    try:
        text = line.decode("utf-8-sig")
        answer = from_json(text, surrogates=True, parse_constant=float)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        raise ValueError("is not an answer")
    if _has_lone_surrogate(text, answer):
        raise ValueError("has half of a surrogate pair, which is not a character")
    if is_bare and not answer.keys() & OWN_FIELDS:
        answer |= {"line": 1, "options": {}, "check": ""}
    elif not {"line", "check"} <= set(answer):
        raise ValueError("is not an answer")
    elif not line.endswith(b"\n") or answer["check"] != checksum(answer):
        return None
    for name, is_valid in (_FIELDS if fields is None else fields).items():
        if name not in answer or not is_valid(answer[name]):
            raise ValueError(f"has no valid {name}")
    name = (_invalid_optional_field if invalid_field is None else invalid_field)(answer)
    if name:
        raise ValueError(f"has no valid {name}")
    return answer


def _has_lone_surrogate(text: str, answer: Answer) -> bool:
    """Return whether JSON has an escape of half a surrogate pair, which cannot be written as UTF-8."""
    if "\\ud" not in text and "\\uD" not in text:
        return False
    try:
        json.dumps(answer, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _invalid_optional_field(answer: Answer) -> str:
    """Return the name of an optional field of ``solve`` that is invalid; empty if there is none."""
    for name, is_valid in _OPTIONAL_FIELDS.items():
        if answer.get(name) is not None and not is_valid(answer[name]):
            return name
    return "value" if answer["status"] in ("exact", "horizon") and answer["value"] is None else ""


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_SECONDS


def _is_fraction(value: Any) -> bool:
    return isinstance(value, str) and _FRACTION.fullmatch(value) is not None


def _is_value(value: Any) -> bool:
    """Return whether this is a value as ``Solution.to_json`` writes it."""
    if isinstance(value, list):
        return all(share is None or _is_fraction(share) for share in value)
    return value in ("win", "loss", "draw") if isinstance(value, str) else type(value) is int


def _is_bound(value: Any) -> bool:
    return type(value) is int or _is_fraction(value)


def _is_text(value: Any) -> bool:
    """Return whether this is text on one line that a terminal can show."""
    return isinstance(value, str) and value.isprintable()


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_ply_value(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"ply", "status", "value", "distance"}
        and _is_text(value["ply"])
        and value["status"] in _STATUSES
        and (value["value"] is None or _is_value(value["value"]))
        and (value["distance"] is None or _is_count(value["distance"]))
    )


#: The fields of the answers of every kind of batch, each with a check.
COMMON_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "line": lambda value: _is_count(value) and value > 0,
    "fen": _is_text,
    "nodes": _is_count,
    "seconds": _is_time,
    "options": lambda value: isinstance(value, dict),
    "check": lambda value: isinstance(value, str),
}
_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **COMMON_FIELDS,
    "game": _is_text,
    "status": lambda value: value in _STATUSES,
    "value": lambda value: value is None or _is_value(value),
}
#: Fields that an answer may lack. If one is null, it counts as missing.
_OPTIONAL_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "distance": _is_count,
    "best": _is_texts,
    "best_complete": lambda value: isinstance(value, bool),
    "pv": _is_texts,
    "pv_complete": lambda value: isinstance(value, bool),
    "lower": _is_bound,
    "upper": _is_bound,
    "decided": _is_count,
    "endless": lambda value: isinstance(value, bool),
    "model": _is_text,
    "horizon": _is_count,
    "player": _is_count,
    "until": _is_fraction,
    "open": _is_fraction,
    "note": _is_text,
    "version": _is_text,
    "plies": lambda value: isinstance(value, list) and all(_is_ply_value(row) for row in value),
}


def checksum(answer: Answer) -> str:
    """Return the checksum of all fields except the time, so that equal answers have equal checksums."""
    content = {name: value for name, value in answer.items() if name not in ("seconds", "check")}
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"


# ---- comparing and merging ----


def is_better(answer: Answer, other: Answer) -> bool:
    """Return whether an answer is better than another answer to the same question.

    The best are exact answers (with a distance before without, all best plies before some), then bounds (with a value
    before without, then the narrower), then values within a horizon, then unknown answers (decided for more plies
    first).
    """
    return _quality(answer) > _quality(other)


def _quality(answer: Answer) -> tuple[Any, ...]:
    status = answer["status"]
    return (
        _STATUSES.index(status),
        answer["value"] is not None,
        answer.get("distance") is not None,
        _narrowness(answer) if status == "bound" else (0, Fraction(0)),
        answer.get("decided") or 0,
        answer.get("best_complete") is True,
        answer.get("pv_complete") is True,
    )


def _narrowness(answer: Answer) -> tuple[int, Fraction]:
    """Return a key that is larger for more known bounds, then for narrower ones."""
    known = [Fraction(bound) for name in ("lower", "upper") if (bound := answer.get(name)) is not None]
    return len(known), known[0] - known[1] if len(known) == 2 else Fraction(0)


def question(answer: Answer) -> tuple[Any, ...]:
    """Return the question that an answer belongs to. Answers to equal questions can be compared.

    The question includes the checksum of the board, because several boards can have the same name.
    """
    options = answer.get("options")
    board = options.get("board") if isinstance(options, dict) else None
    return (
        *(answer.get(name) for name in ("fen", "model", "horizon", "player")),
        None if board is None else str(board),
    )


def merged(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield the best answer to each question, in the order of their first answers, numbered from 1.

    If several answers are equally good, the first is used. Each gets all current fields.
    """
    best: dict[tuple[Any, ...], Answer] = {}
    for answer in answers:
        key = question(answer)
        if key not in best or is_better(answer, best[key]):
            best[key] = answer
    for number, answer in enumerate(best.values(), 1):
        yield complete(answer, number)


def complete(answer: Answer, line: int) -> Answer:
    """Return the answer with all current fields and another line number."""
    solution = Solution.from_json(answer).to_json()
    whole = {"line": line, **solution, "options": answer.get("options", {})}
    return {**whole, "check": checksum(whole)}


def read_answers(file: BinaryIO) -> Iterator[tuple[int, Answer | str]]:
    """Yield each line number of a file with its answer, or with a message that continues "line 7".

    The output of ``solve --json`` is accepted too.
    """
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        if len(line) == _MAX_LINE and not line.endswith(b"\n"):
            while (rest := file.readline(_MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, "is too long"
        elif line.strip():
            try:
                # The checksum shows whether the last line is complete, so it needs no line end.
                answer = answer_in(line.rstrip(b"\n") + b"\n", is_bare=True)
            except ValueError as error:
                yield number, str(error)
            else:
                yield number, "is incomplete or corrupt" if answer is None else answer
