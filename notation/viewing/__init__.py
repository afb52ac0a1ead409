"""Records and positions as a page for a browser: one HTML text with all it needs, that loads nothing and sends nothing.

The boards are those of :mod:`ringfen.drawing`. A page holds each thing that stands on some board once, and for each ply
which things come and go. What people wrote is data for the page's script, which shows it as text and never as markup;
a content security policy forbids everything except this script and this style.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from ringfen.drawing import picture
from ringfen.drawing.description import Description
from ringfen.drawing.picture import STYLE, Picture
from ringfen.errors import RecordError
from ringfen.notation.comment_commands import as_shown, value_words, values_in
from ringfen.notation.diagnostics import Diagnostic
from ringfen.notation.record import CLOSE, COMMENT, NAG, OPEN, Node, Record, mark_of, player_tags
from ringfen.notation.viewing.core import core_data, module
from ringfen.notation.writing import number_text, write_record
from ringfen.position import Position
from ringfen.rules import Context, games
from ringfen.solving.solution import JSON_FIELDS

#: The most records, or positions, of one page. A browser opens a page of this size in a few seconds.
MOST: Final = 10_000
#: Bytes of records that stay in memory until the page is written; more go to a temporary file.
_IN_MEMORY: Final = 8 << 20
_SUFFIXES: Final = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
#: The tokens for parentheses.
_OPENS: Final = 1
_CLOSES: Final = 0


#: The modules of the script, in the order of their definitions.
_MODULES: Final = (
    *("core", "solver", "board", "captions", "dom", "commands", "tree", "records", "answers"),
    *("movetext", "curve", "stage", "editing", "saving", "printing", "storing", "shelf"),
    *("sheet", "annotating", "analysis", "draft", "arranging", "putting", "writing", "page"),
)
#: Those of them that a worker runs, which solves a position.
_WORKER_MODULES: Final = ("core", "solver")


class PageFullError(ValueError):
    """A page has :data:`MOST` records or positions already."""


class _Texts:
    """Texts that wait to be written, in a temporary file if they are long."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY, mode="w+", encoding="utf-8", newline="")  # noqa: SIM115
        self.count = 0

    def __del__(self) -> None:
        self._file.close()

    def write(self, text: str) -> None:
        """Add a text at the end."""
        self._file.write(text)
        self.count += 1

    def read(self) -> Iterator[str]:
        """Return all texts in parts."""
        self._file.seek(0)
        while part := self._file.read(1 << 16):
            yield part


class Page:
    """A page of records and a sheet of positions; :meth:`add` them, then write its :meth:`parts` or take :meth:`html`.

    :param title: The title of the page.
    :param playable: Whether the page contains the core, so that people can enter plies and positions.
    """

    def __init__(self, title: str, *, playable: bool = True) -> None:
        self._title = title
        self._playable = playable
        self._contexts: dict[str, Context] = {}
        self._rows: list[str] = []
        self._records = _Texts()
        #: The diagrams of the sheet, as JSON.
        self._diagrams: list[str] = []
        #: The diagrams of the records that are problems, as JSON. They are a sheet if all records are problems.
        self._problems: list[str] = []
        #: The digest of all records: pages with other records keep their changes elsewhere.
        self._digest = hashlib.sha256()
        #: The things that stand on boards, as seen by South and North, by their number.
        self._shapes: dict[tuple[str, str], int] = {}
        self._layers: list[int] = []
        #: By the identity of South's and the game: the board's number. The pictures are kept, so that identities are
        #: not used again.
        self._boards: dict[tuple[int, str], tuple[int, Picture, Picture]] = {}
        #: The game, the numbers of files and ranks, and the name of each board.
        self._sizes: list[tuple[str, int, int, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, record: Record, text: str | None = None) -> None:
        """Add a record, valid or not.

        :param text: The text that the page saves, if it is not the canonical one. An invalid record needs it.
        :raises PageFullError: The page has :data:`MOST` records already.
        """
        check_page_size(len(self), "records")
        data = _RecordData(self, record).fields()
        if self._playable:
            data["text"] = _shown(_text_of(record) if text is None else text)
        written = _json(data)
        self._records.write(f'<script type="application/json" class="record">{written}</script>\n')
        self._digest.update(written.encode())
        players = [name for name in player_tags(record.game) if name in record.tags]
        names = [name if record.tags[name] in ("", "?") else _shown(record.tags[name]) for name in players]
        stipulation = _shown(record.tags.get("Stipulation", ""))
        if stipulation and names == players:
            names = [stipulation]
        words = (_shown(record.tags.get(name, "")) for name in ("Event", "Site", "Date", "Round"))
        row = {
            "title": " – ".join(names) or f"Record {record.number}",
            "about": ", ".join(word for word in words if word and set(word) - set("?.")),
            "game": record.game.name if record.game is not None else "unknown game",
            "result": "" if stipulation else record.result,
            "valid": record.valid,
        }
        self._rows.append(_json(row))
        if "Stipulation" in record.tags and "fen" in data:
            number = len(self)
            problem = {"number": number, "fen": data["fen"], "record": number, "stipulation": stipulation}
            author = _shown(record.tags.get("Author", ""))
            self._problems.append(_json(problem | ({"author": author} if author else {})))

    def add_position(self, position: Position, number: int, answer: Mapping[str, Any] | None = None) -> None:
        """Add a diagram to the sheet of the page.

        :param number: The number that the sheet shows.
        :param answer: The answer of a solver to show below the diagram, as ``Solution.to_json`` returns it.
        :raises PageFullError: The sheet has :data:`MOST` diagrams already.
        """
        check_page_size(len(self._diagrams), "positions")
        self.board_of(position, picture(position), picture(position, "n"))
        solution = None if answer is None else {name: answer.get(name) for name in JSON_FIELDS}
        written = _json({"number": number, "fen": position.fen, "solution": solution})
        self._diagrams.append(written)
        self._digest.update(written.encode())

    def shapes_of(self, south: Picture, north: Picture) -> list[int]:
        """Return the indexes of the two pictures of each thing on a board."""
        numbers = []
        for seen, turned in zip(south.shapes, north.shapes, strict=True):
            pair = seen.elements, turned.elements
            number = self._shapes.get(pair)
            if number is None:
                number = self._shapes[pair] = len(self._shapes)
                self._layers.append(seen.layer)
            numbers.append(number)
        return numbers

    def board_of(self, position: Position, south: Picture, north: Picture) -> int:
        """Return the number of the empty board of a position, the two pictures of which are given."""
        key = id(south.board), position.game.id
        if key not in self._boards:
            described, board = Description(position), position.context.board
            name = "" if board is None else board.name
            self._boards[key] = len(self._boards), south, north
            self._sizes.append((position.game.id, described.files, described.ranks, name))
            if board is not None:
                self._contexts[name] = position.context
        return self._boards[key][0]

    def html(self) -> str:
        """Return the page."""
        return "".join(self.parts())

    def parts(self) -> Iterator[str]:
        """Return the page in parts, to be written one at a time."""
        folder = Path(__file__).parent
        style = f"{(folder / 'page.css').read_text(encoding='utf-8')}{STYLE}"
        script = _script(folder)
        core = ""
        if self._playable:
            for game in games():
                start = Position(game.id)
                self.board_of(start, picture(start), picture(start, "n"))
            code = _joined(folder, _WORKER_MODULES)
            known = {**core_data(self._contexts.values()), "module": module(), "code": code}
            core = f'<script type="application/json" id="core">{_json(known)}</script>'
        allowed, workers = (" 'wasm-unsafe-eval'", " worker-src blob:;") if core else ("", "")
        policy = (
            f"default-src 'none'; script-src '{_hash(script)}'{allowed};{workers} style-src '{_hash(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        are_problems = self._playable and not self._diagrams and len(self._problems) == len(self)
        rows, diagrams = ",".join(self._rows), ",".join(self._problems if are_problems else self._diagrams)
        boards = [(south, north) for _, south, north in self._boards.values()]
        layers = "".join(map(str, self._layers))
        sizes = [[south.width, south.height] for south, _ in boards]
        places = [[south.places, north.places] for south, north in boards]
        body = (folder / "page.html").read_text(encoding="utf-8")
        parts = {
            "policy": policy,
            "title": escape(_shown(self._title)),
            "style": style,
            "boards": _groups(("".join(south.board), "".join(north.board)) for south, north in boards),
            "shapes": _groups(self._shapes),
            "data": f'{{"rows":[{rows}],"diagrams":[{diagrams}],"layers":{_json(layers)},"sizes":{_json(sizes)},'
            f'"places":{_json(places)},"boards":{_json(self._sizes)},"style":{_json(STYLE)},'
            f'"id":"{self._digest.hexdigest()[:16]}"}}',
            "core": core,
            "script": script,
        }
        for text, name in re.findall(r"(.*?)(?:\{\{([a-z]+)\}\}|\Z)", body, re.DOTALL):
            yield text
            if name == "records":
                yield from self._records.read()
            elif name:
                yield parts[name]


def check_page_size(count: int, noun: str) -> None:
    """Check that a page with this number of records or positions has room for another one.

    :raises PageFullError: It has :data:`MOST`.
    """
    if count == MOST:
        raise PageFullError(f"a page has at most {MOST:,} {noun}: choose some, for example with filter")


def _text_of(record: Record) -> str:
    """Return the canonical text of a record; "" if it has none."""
    try:
        return write_record(record)
    except RecordError:
        return ""


def _script(folder: Path) -> str:
    """Return the script of the page, made of its modules."""
    return f'"use strict";\n{{\n{_joined(folder, _MODULES)}}}\n'


def _joined(folder: Path, names: Iterable[str]) -> str:
    """Return modules as one text, without ``import`` and ``export``."""
    modules = ((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return "".join(re.sub(r"^export |^import [^;]*;\n", "", text, flags=re.MULTILINE) for text in modules)


def _json(data: Any) -> str:
    """Return data as JSON for a script element, which ``</script>`` must not end."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def frame_of(record: Record) -> str:
    """Return a record to step through, as HTML for a notebook: a separate page in a frame."""
    page = Page("Record", playable=False)
    page.add(record)
    return (
        f'<iframe sandbox="allow-scripts" title="A game record" width="100%" height="720" style="border:0" '
        f'srcdoc="{escape(page.html())}"></iframe>'
    )


def _shown(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _groups(pairs: Iterable[tuple[str, str]]) -> str:
    """SVG groups of two views each, or of one if both are equal."""
    return "".join(
        f"<g><g>{south}</g></g>" if south == north else f"<g><g>{south}</g><g>{north}</g></g>" for south, north in pairs
    )


class _RecordData:
    """The data of one record for the page's script."""

    def __init__(self, page: Page, record: Record) -> None:
        self._page = page
        self._record = record
        self._words: dict[str, int] = {}
        #: The pieces on the board after each ply.
        self._standing: dict[Node | None, list[int]] = {}

    def fields(self) -> dict[str, Any]:
        record = self._record
        tags = [[_shown(name), _shown(value)] for name, value in record.tags.items()]
        data: dict[str, Any] = {"tags": tags, "result": record.result, "tokens": [], "board": -1}
        if record.start is not None:
            begin = record.main.begin
            south, north = picture(begin), picture(begin, "n")
            data["board"] = self._page.board_of(begin, south, north)
            self._standing[None] = data["start"] = self._page.shapes_of(south, north)
            data["caption"] = self._caption(south)
            data["fen"] = begin.fen
            data["tokens"] = self._tokens()
        data["problems"] = [self._diagnostic_fields(diagnostic) for diagnostic in record.diagnostics]
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
        mark = mark_of(node)
        path = None if mark is None else node.before.path_of(mark)
        south, north = (picture(node.position, side, path) for side in "sn")
        standing = self._standing[node] = self._page.shapes_of(south, north)
        before = self._standing[node.parent]
        gone, new = set(before) - set(standing), set(standing) - set(before)
        if mark is not None:
            south.caption[0] = f"Last ply: {mark}"
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

    def _diagnostic_fields(self, diagnostic: Diagnostic) -> dict[str, Any]:
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
                "board": self._page.board_of(position, south, north),
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
