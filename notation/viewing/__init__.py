"""Records as a page for a browser: one HTML text with all it needs, that loads nothing and sends nothing.

The boards are those of :mod:`ringfen.drawing`. A page holds each thing that stands on some board once, and for each ply
which things come and go. What people wrote is data for the page's script, which shows it as text and never as markup;
a content security policy forbids everything but this one script and this one style.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any, Final

from ringfen.drawing import picture
from ringfen.drawing.picture import STYLE, Picture
from ringfen.notation.commands import as_shown, value_words, values_in
from ringfen.notation.diagnostics import Diagnostic
from ringfen.notation.record import CLOSE, COMMENT, NAG, OPEN, Node, Record, mark_of, player_tags
from ringfen.notation.writing import number_text
from ringfen.position import Position

_SUFFIXES: Final = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
#: What stands for parentheses among the tokens of a record.
_OPENS: Final = 1
_CLOSES: Final = 0


#: The style of a sheet of diagrams.
_SHEET_STYLE: Final = (
    "body{font:16px sans-serif;display:flex;flex-wrap:wrap;gap:16px}h1{flex-basis:100%}"
    "figure{margin:0;width:300px;break-inside:avoid}img{width:100%}figcaption{overflow-wrap:anywhere}"
)


class Page:
    """A page of records; :meth:`add` them, then take :meth:`html`.

    :param title: what the page is called.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._rows: list[dict[str, Any]] = []
        self._records: list[str] = []
        #: The things that stand on boards, as seen by South and North, by their number.
        self._shapes: dict[tuple[str, str], int] = {}
        self._layers: list[int] = []
        #: By the identity of South's: the board's number. The pictures are kept, so that identities are not used again.
        self._boards: dict[int, tuple[int, Picture, Picture]] = {}

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: Record) -> None:
        """Adds a record, valid or not."""
        data = _RecordData(self, record).fields()
        self._records.append(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
        names = [
            name if record.tags[name] in ("", "?") else _shown(record.tags[name])
            for name in player_tags(record.game)
            if name in record.tags
        ]
        words = (_shown(record.tags.get(name, "")) for name in ("Event", "Site", "Date", "Round"))
        self._rows.append(
            {
                "title": " – ".join(names) or f"Record {record.number}",
                "about": ", ".join(word for word in words if word and set(word) - set("?.")),
                "game": record.game.name if record.game is not None else "unknown game",
                "result": record.result,
                "valid": record.valid,
            }
        )

    def shapes_of(self, south: Picture, north: Picture) -> list[int]:
        """The numbers of what stands on a board, the two pictures of which are given."""
        numbers = []
        for seen, turned in zip(south.shapes, north.shapes, strict=True):
            pair = seen.elements, turned.elements
            number = self._shapes.get(pair)
            if number is None:
                number = self._shapes[pair] = len(self._shapes)
                self._layers.append(seen.layer)
            numbers.append(number)
        return numbers

    def board_of(self, south: Picture, north: Picture) -> int:
        """The number of an empty board."""
        key = id(south.board)
        if key not in self._boards:
            self._boards[key] = len(self._boards), south, north
        return self._boards[key][0]

    def html(self) -> str:
        """The page."""
        folder = Path(__file__).parent
        style = f"{(folder / 'page.css').read_text(encoding='utf-8')}{STYLE}"
        script = (folder / "page.js").read_text(encoding="utf-8")
        policy = (
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; "
            "form-action 'none'"
        )
        boards = [(south, north) for _, south, north in self._boards.values()]
        data = {
            "rows": self._rows,
            "layers": "".join(map(str, self._layers)),
            "sizes": [[south.width, south.height] for south, _ in boards],
        }
        body = (folder / "page.html").read_text(encoding="utf-8")
        parts = {
            "policy": policy,
            "title": escape(_shown(self._title)),
            "style": style,
            "boards": _groups(("".join(south.board), "".join(north.board)) for south, north in boards),
            "shapes": _groups(self._shapes),
            "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
            "records": "\n".join(
                f'<script type="application/json" class="record">{record}</script>' for record in self._records
            ),
            "script": script,
        }
        return re.sub(r"\{\{([a-z]+)\}\}", lambda match: parts[match[1]], body)


class Sheet:
    """A page with diagrams of positions, each with its number and its text.

    :param title: what the page is called.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._figures: list[str] = []

    def __len__(self) -> int:
        return len(self._figures)

    def add(self, position: Position, number: int) -> None:
        """Adds a diagram."""
        image = base64.b64encode(position.svg().encode()).decode()
        fen = escape(position.fen)
        self._figures.append(
            f'<figure><img alt="{fen}" src="data:image/svg+xml;base64,{image}">'
            f"<figcaption>{number}. <code>{fen}</code></figcaption></figure>"
        )

    def html(self) -> str:
        """The page."""
        title = escape(_shown(self._title))
        policy = f"default-src 'none'; img-src data:; style-src '{_hash(_SHEET_STYLE)}'"
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>{_SHEET_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
            + "\n".join(self._figures)
            + "\n</body>\n</html>\n"
        )


def page_of(records: Iterable[Record], title: str) -> str:
    """A page with these records."""
    page = Page(title)
    for record in records:
        page.add(record)
    return page.html()


def frame_of(record: Record) -> str:
    """A record to step through, as HTML for a notebook: a page of its own in a frame."""
    page = page_of([record], "Record")
    return (
        f'<iframe sandbox="allow-scripts" title="A game record" width="100%" height="720" style="border:0" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def _shown(text: str) -> str:
    """A text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _groups(pairs: Iterable[tuple[str, str]]) -> str:
    """SVG groups of two views each; of one if they are the same."""
    return "".join(
        f"<g><g>{south}</g></g>" if south == north else f"<g><g>{south}</g><g>{north}</g></g>" for south, north in pairs
    )


class _RecordData:
    """What the page's script is told of one record."""

    def __init__(self, page: Page, record: Record) -> None:
        self._page = page
        self._record = record
        self._words: dict[str, int] = {}
        #: What stands on the board after each ply.
        self._standing: dict[Node | None, list[int]] = {}

    def fields(self) -> dict[str, Any]:
        record = self._record
        tags = [[_shown(name), _shown(value)] for name, value in record.tags.items()]
        data: dict[str, Any] = {"tags": tags, "result": record.result, "tokens": [], "board": -1}
        if record.start is not None:
            begin = record.main.begin
            south, north = picture(begin), picture(begin, "n")
            data["board"] = self._page.board_of(south, north)
            self._standing[None] = data["start"] = self._page.shapes_of(south, north)
            data["caption"] = self._caption(south)
            data["fen"] = begin.fen
            data["tokens"] = self._tokens()
        data["faults"] = [self._fault(diagnostic) for diagnostic in record.diagnostics]
        data["words"] = list(self._words)
        return data

    def _caption(self, drawn: Picture) -> list[int]:
        return [self._words.setdefault(line, len(self._words)) for line in drawn.caption]

    def _tokens(self) -> list[Any]:
        tokens: list[Any] = []
        first = True
        numbered = False
        for token in self._record.tokens():
            if token.node is not None:
                number = ""
                if token.node.opens or first or not numbered:
                    number = number_text(token.node, self._record.first_number)
                tokens.append(self._ply(token.node, number))
                first, numbered = False, True
            elif token.kind == NAG:
                tokens[-1][2] += _SUFFIXES.get(token.nag, f" ${token.nag}")
            elif token.kind == COMMENT:
                words = _shown(as_shown(token.text))
                if words:
                    tokens.append(words)
                    numbered = False
            elif token.kind in (OPEN, CLOSE):
                tokens.append(_OPENS if token.kind == OPEN else _CLOSES)
                numbered = False
        return tokens

    def _ply(self, node: Node, number: str) -> list[Any]:
        south, north = (picture(node.position, side, mark_of(node)) for side in "sn")
        standing = self._standing[node] = self._page.shapes_of(south, north)
        before = self._standing[node.parent]
        gone, new = set(before) - set(standing), set(standing) - set(before)
        return [
            node.ply,
            number,
            "",
            sorted(gone),
            sorted(new),
            self._caption(south),
            node.position.fen,
            _value(node),
        ]

    def _fault(self, diagnostic: Diagnostic) -> dict[str, Any]:
        data: dict[str, Any] = {
            "severity": diagnostic.severity,
            "code": diagnostic.code,
            "place": f"{diagnostic.line}:{diagnostic.column}",
            "message": _shown(diagnostic.message),
            "suggest": [_shown(text) for text in diagnostic.suggest],
        }
        position = diagnostic.position
        if position is not None:
            south, north = picture(position), picture(position, "n")
            data |= {
                "board": self._page.board_of(south, north),
                "standing": self._page.shapes_of(south, north),
                "caption": self._caption(south),
                "fen": position.fen,
            }
        return data


def _value(node: Node) -> list[Any] | None:
    """The value that ``annotate`` wrote: in words, and as heights of curves, one for each player in GRAN."""
    found = values_in(node.comments)
    if not found:
        return None
    heights = _heights(found, node.position)
    return None if heights is None else [value_words(found), heights]


def _heights(found: list[str], position: Position) -> list[float] | None:
    try:
        if position.game.value_kind == "chance":
            chances = found[0].split()[: position.players]
            return [_share(chance) for chance in chances] if len(chances) == position.players else None
        if found[0] == "draw":
            return [0.0]
        if found[0][0] in "sn":
            return [1.0 if found[0][0] == "s" else -1.0]
        bounds = [int(text.lstrip("<>=")) for text in found]
        return [float(sum(bounds)) / len(bounds)]
    except (ValueError, ZeroDivisionError, IndexError, OverflowError):
        return None


def _share(text: str) -> float:
    over, _, under = text.partition("/")
    return int(over) / int(under or 1)
