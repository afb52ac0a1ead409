"""Recognises the kind of a file by its first bytes, and rejects a file of another kind in one line."""

from __future__ import annotations

import codecs
import errno
import re
from typing import Any, Final

#: How much of a file is looked at.
_LOOKED_AT: Final = 4096

RECORDS: Final = "records"
POSITIONS: Final = "positions"
ANSWERS: Final = "answers"
SUITE: Final = "suite"
PROBLEMS: Final = "problems"
UTF_16: Final = "utf-16"
UTF_32: Final = "utf-32"
PLAIN: Final = "plain"

#: The kinds, in words, and the commands that read them.
_WORDS: Final = {
    RECORDS: ("a file of game records", "'ringfen positions' prints the positions of records"),
    POSITIONS: ("a file of positions", "'ringfen show --file' and 'ringfen solve --file' read it"),
    ANSWERS: ("a file of answers", "'ringfen answers' reads it; with --select it prints the positions"),
    SUITE: ("a suite of known counts", "'ringfen suite' reads it"),
    PROBLEMS: ("a file of problems", "'ringfen problems --check' checks it and 'ringfen view' shows it"),
    "counts": ("a file of counts", "'ringfen perft --out --resume' continues it"),
    "certificate": ("a certificate", "'ringfen verify' reads it"),
    "table": ("an endgame table", "'ringfen tablebase' reads it"),
    "board": ("a GRAN board", "--board reads it"),
    "page": ("a page for a browser", "open it in a browser"),
    "drawing": ("a drawing", "open it in a browser"),
    UTF_16: ("text in UTF-16", "save it as UTF-8"),
    UTF_32: ("text in UTF-32", "save it as UTF-8"),
    PLAIN: ("plain text", "a position begins with the id of a game, as 'ringfen new' prints it"),
    "binary": ("a binary file", "no command reads it"),
}
#: Control characters that texts seldom contain.
_CONTROLS: Final = bytes(range(8)) + bytes(range(14, 27))
#: The hint of commands that check or change records.
_OF_RECORDS: Final = "'ringfen validate' reads it, 'ringfen positions' prints its positions"
#: The hints of commands that read records, for kinds of text.
_FOR_RECORDS: Final = {
    UTF_16: "read it with --encoding utf-16, or save it as UTF-8",
    UTF_32: "read it with --encoding utf-32, or save it as UTF-8",
    PLAIN: "'ringfen convert --from plain' reads plies without tags",
    "page": "open it in a browser, and save the records in it as text",
}

_BOARD: Final = r"(?:lines|cards|stones):"
#: Dates and addresses have no more in a word; the ranks of a position have.
_MOST_SLASHES: Final = 3
#: A count in a suite as other programs write it.
_COUNT: Final = r";\s*[Dd][0-9]"
_TAG: Final = re.compile(r'\[[A-Za-z0-9_]+[ \t]+"')


def begin_of(stream: Any) -> bytes:
    """Return the first bytes of an open file; nothing if it cannot be read twice."""
    if hasattr(stream, "peek"):
        begin: bytes = stream.peek(_LOOKED_AT)
        return begin[:_LOOKED_AT]
    if hasattr(stream, "seek") and stream.seekable():
        at = stream.tell()
        begin = stream.read(_LOOKED_AT)
        stream.seek(at)
        return begin
    return b""


def kind_of(begin: bytes) -> str | None:
    """Return the kind of a file from its first bytes, or None if it is unknown."""
    text = begin.decode("utf-8", "replace").lstrip("\ufeff")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("#", "%"))]
    # The last line may be incomplete. The first members of an object show its kind.
    if len(begin) >= _LOOKED_AT and len(lines) > 1 and not lines[-1].startswith("{"):
        del lines[-1]
    if lines and _TAG.match(lines[0]):
        return RECORDS
    if (kind := _kind_of_magic(begin)) is not None or not lines:
        return kind
    first = lines[0]
    kinds = (_kind_of_object(line) for line in lines if line.startswith("{"))
    if (kind := next(filter(None, kinds), None)) is not None:
        return kind
    if first.lower().startswith(("<!doctype html", "<html")):
        return "page"
    if first.startswith(("<svg", "<?xml")):
        return "drawing"
    if any(_TAG.match(line) for line in lines):
        return RECORDS
    if re.match(_BOARD, first):
        return "board"
    positions = [line for line in lines if _is_position(line)]
    if any(re.search(_COUNT, line) for line in positions):
        return SUITE
    if 2 * len(positions) >= len(lines):
        return POSITIONS
    return _kind_of_bytes(begin)


def _kind_of_bytes(begin: bytes) -> str | None:
    """Return the kind of a file whose bytes are not UTF-8 text; None if they can be."""
    from ringfen.notation.encodings import utf_16_of

    if begin.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return UTF_32
    if utf_16_of(begin):
        return UTF_16
    controls = len(begin) - len(begin.translate(None, _CONTROLS))
    return "binary" if controls > len(begin) // 16 else None


def _kind_of_magic(begin: bytes) -> str | None:
    """Return the kind of a file that begins with the magic of its kind."""
    from ringfen.certificates.file import MAGIC
    from ringfen.rules import games_with_tables, table_rules

    if begin.startswith(MAGIC.split(b" ")[0] + b" certificate"):
        return "certificate"
    if any(begin.startswith(table_rules(game).magic) for game in games_with_tables()):
        return "table"
    return None


def _kind_of_object(line: str) -> str | None:
    """Return the kind of JSON lines, by the members of the first."""
    import json

    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        names = set(re.findall(r'"(tags|movetext|fen|status|stipulation|depth|count|nodes)"\s*:', line))
    else:
        names = set(fields) if isinstance(fields, dict) else set()
    if {"tags", "movetext"} & names:
        return RECORDS
    if {"fen", "stipulation"} <= names:
        return PROBLEMS
    if {"fen", "status"} <= names:
        return ANSWERS
    if {"fen", "depth", "count"} <= names:
        return SUITE
    return "counts" if {"fen", "depth", "nodes"} <= names else None


def _is_position(line: str) -> bool:
    """Return whether a line is the text of a position, valid or not, or the id of a game."""
    from ringfen.rules import game_ids

    words = line.partition("#")[0].split()
    return words[0] in game_ids() and (len(words) == 1 or "/" in words[1])


def _is_plain(begin: bytes) -> bool:
    """Return whether a file begins with at least two lines, none of which is meant as a position or as JSON."""
    from ringfen.rules import game_ids

    def may_be_meant(words: list[str]) -> bool:
        is_named = words[0].lower() in game_ids() or words[0][0] in "{["
        return is_named or any(word.count("/") > _MOST_SLASHES for word in words)

    text = begin.decode("utf-8", "replace").replace("\ufeff", "")
    lines = [words for line in text.splitlines() if (words := line.partition("#")[0].split())]
    return len(lines) > 1 and not any(map(may_be_meant, lines))


def reject_others(name: str, stream: Any, wanted: str, *also: str) -> None:
    """Reject a file that evidently has another kind.

    :param wanted: the kind that is read, and ``also`` others.
    :raises OSError: The file has another kind; the message names it and the command that reads it.
    """
    begin = begin_of(stream)
    kind = kind_of(begin)
    # Another program may send lines to standard input, each of which has an answer.
    if kind is None and wanted in (POSITIONS, SUITE) and name != "<stdin>" and _is_plain(begin):
        kind = PLAIN
    if kind is not None and kind != wanted and kind not in also:
        raise other_kind(name, kind, wanted)


def other_kind(name: str, kind: str, wanted: str) -> OSError:
    """Return the error that a file has another kind than the one that is read."""
    words, commands = _WORDS[kind]
    if wanted == RECORDS:
        commands = _FOR_RECORDS.get(kind, commands)
    elif kind == RECORDS and wanted != POSITIONS:
        commands = _OF_RECORDS
    return OSError(errno.EINVAL, f"this is {words}, not {_WORDS[wanted][0]}; {commands}", name)
