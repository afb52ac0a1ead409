"""Where a C file can be mutated, and how: operators, constants, conditions, statements, players."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

#: Comments, literals and preprocessor lines: what a mutant must not touch.
_OPAQUE = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|_Static_assert\([^;]*;"
    r"|__attribute__\(\([^;{]*?\)\)",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(
    r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\w*|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^=<>!~]=?|\S"
)
#: Each operator's mutants: the neighbour at the boundary first, then the opposite.
_OPERATORS = {
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
    "|=": ["&=", "="],
    "&=": ["|="],
    "+=": ["-="],
    "-=": ["+="],
    "<<": [">>"],
    ">>": ["<<"],
    "++": ["--"],
    "--": ["++"],
    "^": ["&"],
    "|": ["&"],
}
#: `a - b`, not `-b`, and so for the others: only between two operands.
_BINARY = {"+": ["-"], "-": ["+"], "*": ["+"], "&": ["|"], "%": ["/"], "/": ["*"]}
_WORDS = {"true": "false", "false": "true", "SOUTH": "NORTH", "NORTH": "SOUTH", "south": "north", "north": "south"}
_STATEMENT = re.compile(r"^[ \t]+((?:[A-Za-z_][\w.>\[\]\-]*\s*(?:[-+|&^*]?=|<<=|>>=)[^=;{}][^;{}]*|\w+\([^;{}]*\)"
                        r"|continue|break|[\w.>\[\]\-]+(?:\+\+|--)));[ \t]*$", re.MULTILINE)  # fmt: skip
_CONDITION = re.compile(r"\b(?:if|while) \(")


Key: TypeAlias = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class Mutant:
    """One change of one file. `line` and `column` count from 1; the text `before` at that point becomes `after`."""

    path: str
    line: int
    column: int
    kind: str
    before: str
    after: str
    source: str
    #: The index, from 0, among the mutants of the file that differ only in their position.
    nth: int = 0

    def key(self) -> Key:
        """What names the mutant as long as its line keeps its text, wherever the line stands."""
        return self.path, self.source, self.before, self.after, self.nth

    def apply(self, text: str) -> str:
        """The file's text with the change made."""
        start = _line_starts(text)[self.line - 1] + self.column - 1
        if text[start : start + len(self.before)] != self.before:
            raise ValueError(f"{self.path}:{self.line}:{self.column}: {self.before!r} does not stand here")
        return text[:start] + self.after + text[start + len(self.before) :]


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _blanked(text: str) -> str:
    """The text with everything opaque replaced by spaces; all other text keeps its position."""
    return _OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _matching(text: str, start: int) -> int:
    """The place of the parenthesis that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("unbalanced parentheses")


def _changes(code: str) -> Iterator[tuple[int, str, str, str]]:
    """Place, kind, before, after of every change in code without comments and literals."""
    previous = ""
    declares = False
    for match in _TOKEN.finditer(code):
        token, place = match[0], match.start()
        line_start = code.rfind("\n", 0, place) + 1
        if code[line_start:place].strip() == "":
            declares = re.match(r"\s*(?:enum|typedef|extern|struct)\b", code[line_start:]) is not None
        operand = re.match(r"[\w)\]]", previous) is not None and previous not in ("return", "case", "sizeof")
        if token in _WORDS:
            yield place, "word", token, _WORDS[token]
        elif re.search(r"_(SOUTH|NORTH)$", token) and not declares:
            swapped = token[:-5] + ("NORTH" if token.endswith("SOUTH") else "SOUTH")
            yield place, "player", token, swapped
        elif re.fullmatch(r"\d+[uUlL]*", token) and not declares and previous not in ("[",):
            suffix = token.lstrip("0123456789")
            number = int(token.removesuffix(suffix))
            yield place, "constant", token, f"{number + 1}{suffix}"
            if number > 0:
                yield place, "constant", token, f"{number - 1}{suffix}"
        elif token in _OPERATORS and not (token in ("|", "^", "<<", ">>") and not operand):
            for after in _OPERATORS[token]:
                yield place, "operator", token, after
        elif token in _BINARY and operand:
            following = code[match.end() : match.end() + 1]
            # `rf_state *out` declares; `(void *)` casts; `a * b` has spaces on both sides.
            if following == " " and code[place - 1] == " ":
                for after in _BINARY[token]:
                    yield place, "operator", token, after
        previous = token
    for match in _CONDITION.finditer(code):
        start = match.end()
        inside = code[start : _matching(code, start - 1)]
        if "\n" not in inside:
            yield start, "condition", inside, f"!({inside})"
    for match in _STATEMENT.finditer(code):
        if "\n" not in match[1]:
            yield match.start(1), "statement", match[1] + ";", ";"


def mutants_of(path: Path, name: str) -> list[Mutant]:
    """All mutants of a file, in the order of their places; `name` is the file's name in reports."""
    text = path.read_text(encoding="utf-8")
    starts = _line_starts(text)
    lines = text.split("\n")
    found = []
    seen: Counter[tuple[str, str, str]] = Counter()
    line = 0
    for place, kind, before, after in sorted(set(_changes(_blanked(text)))):
        while line + 1 < len(starts) and starts[line + 1] <= place:
            line += 1
        # The searched text has spaces instead of literals; the changed text keeps the literals.
        original = text[place : place + len(before)]
        changed = f"!({original})" if kind == "condition" else after
        source = lines[line].strip()
        nth = seen[source, original, changed]
        seen[source, original, changed] += 1
        found.append(Mutant(name, line + 1, place - starts[line] + 1, kind, original, changed, source, nth))
    return found
