"""Siaius: messages and start positions. core_c/src/siaius/ implements the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ringfen.rules.base import (
    SIDE_FIELD,
    Context,
    EditorField,
    Game,
    PalettePiece,
    PositionEditor,
    StartOption,
    TableRules,
    bad_material,
    bad_start,
    board_size,
    chosen_places,
    numbers,
)
from ringfen.rules.siaius.tables import RULES

_LETTERS: Final = (("sun", "S"), ("moon", "M"), ("star", "T"), ("champion", "C"))


class Siaius(Game):
    """Suns, moons and stars that capture in a circle, and champions."""

    id = "siaius"
    name = "Siaius"
    sizes = "10×10, or any board from 3×3 to 10 files by 12 ranks"
    start_options = (
        StartOption("size", "files by ranks of the board, 3x6 to 10x12", "10x10", metavar="FxR"),
        StartOption(
            "beats",
            "order of capture: sun beats moon beats star beats sun (normal), or the other way round (reverse)",
            "normal",
            ("normal", "reverse"),
        ),
        StartOption(
            "huff",
            "what may be huffed: one stone of a turn without capture, any stone that missed, nothing",
            "turn",
            ("turn", "stone", "off"),
        ),
        StartOption("setup", "six ranks from the top with / between, three of North's and three of South's"),
    )
    fields = (
        ("RANKS", "the ranks from the top", "smt/3/3/3/3/SMT"),
        ("SIDE", "the side to move", "s"),
        ("MISSED", "the stones that missed a capture", "-"),
        ("BONUS", "the champion that may make its bonus ply", "-"),
        ("PASSES", "the passes in a row", "0"),
    )
    rank_form = "a rank has up to 10 squares: stones S M T C s m t c and numbers of empty squares, as in 3S6 or 10"
    editor = PositionEditor(
        palette=[
            *(PalettePiece(kind, 1, text=letter) for kind, letter in _LETTERS),
            *(PalettePiece(kind, 2, text=letter.lower()) for kind, letter in _LETTERS),
        ],
        fields=[
            SIDE_FIELD,
            EditorField("Files", "files", choices=numbers(3, 10)),
            EditorField("Ranks", "ranks", choices=numbers(3, 12)),
            EditorField("Missed a capture (none: -)", name="MISSED"),
            EditorField("Bonus ply for (none: -)", name="BONUS"),
            EditorField("Passes in a row", name="PASSES", choices=numbers(0, 2)),
            EditorField("Sun captures", "option", "beats", {"": "moon", "reverse": "star"}),
            EditorField(
                "Huffing",
                "option",
                "huff",
                {"": "if no stone captured", "stone": "each stone that missed", "off": "none"},
            ),
        ],
    )
    spoken: Mapping[str, str] = {
        **{"huff": "*", "huffs": "*", "huffed": "*"},
        **{"stays": "stay", "declines": "stay", "passes": "pass"},
    }
    reasons: Mapping[str, str] = {
        "rank-too-long": "a rank has at most {0} squares",
        "rank-length": "the number of squares is {0} in this rank, but {1} in the first",
        "too-many-ranks": "the board has at most {0} ranks, and there are more",
        "board-size": "a board has 3 to 10 files and 3 to 12 ranks, not {0} and {1}",
        "bad-missed": "MISSED is - or squares of the board such as c4,d7, not {0}",
        "missed-order": "MISSED lists squares once each in the order a1, b1, ..., a2, ..., which {0} breaks",
        "bad-bonus": "BONUS is - or a square of the board, not {0}",
        "bad-passes": "PASSES is 0, 1 or 2, not {0}",
        "bad-option": "the options are beats=reverse and huff=stone or huff=off, not {0}",
        "default-option": "{0} is the default and is not written",
        "option-order": "the options are listed once each in the order beats, huff, which {0} breaks",
        "no-stones": "there is no stone on the board",
        "not-promoted": "the stone on {0} has reached its farthest rank, so it must be a champion (S5)",
        "missed-without-huff": "MISSED names squares, but with huff=off nothing can be huffed",
        "missed-not-own": "while a bonus is open, MISSED names stones of the side to move; none is on {0}",
        "missed-not-enemy": "MISSED names stones of the side that does not move; none is on {0}",
        "bonus-no-champion": "BONUS is a champion of the side to move on its farthest rank; none is on {0}",
        "pending-in-finished": "the game is over, so MISSED and BONUS are - and PASSES is 0",
        "passes-with-pending": "after a pass nothing is left to huff and no bonus is open",
        "passed-with-move": "{0} cannot have passed, since it has a legal move (S9)",
        "off-board": "{0} is not on the board of {1} files and {2} ranks",
        "no-stone": "no stone on {0}",
        "enemy-stone": "the stone on {0} is {2}'s",
        "not-the-bonus": "only the champion on {1} can move now, or stay, not the stone on {0}",
        "no-step": "the stone on {0} must move to another square",
        "too-far": "the {2} on {0} cannot go as far as {1}: a champion moves one or two squares, other stones one",
        "not-straight": "the champion on {0} moves in a straight line, and {1} is not on one",
        "way-blocked": "the champion on {0} cannot pass {1}, which is occupied",
        "own-stone": "a stone of the same side is on {1}",
        "nothing-to-capture": "there is nothing to capture on {1}; a move is written {0}-{1}",
        "no-prey": "a {0} does not capture a {1} here",
        "capture-is-x": "an enemy stone is on {1}; a capture is written {0}x{1}",
        "huff-off": "*{0}: with huff=off nothing can be huffed",
        "huff-in-bonus": "*{0}: the turn continues with the champion on {1}; nothing can be huffed now",
        "nothing-to-huff": "*{0}: no stone missed a capture that may be huffed now",
        "not-missed": "the stone on {0} cannot be huffed; one that can is on {1}",
        "no-bonus": "stay declines a bonus, and none is open",
        "pass-in-bonus": "the bonus of the champion on {0} is declined with stay, not pass",
        "pass-with-move": "{2} has a legal move and cannot pass (S9)",
    }

    @property
    def tables(self) -> TableRules:
        """The rules of its endgame tables."""
        return RULES

    def place(self, start: str, context: Context, material: str, below: Callable[[int], int]) -> str:
        """Return a position with these stones: ``SMt`` with either side to move, or ``SMvT`` with South's stones, which
        move, before ``v``.
        """
        south, v, north = material.partition("v")
        stones = south + north.lower() if v else material
        if not re.fullmatch("[SMTC]+v[SMTC]+|[SMTCsmtc]+", material) or stones.isupper() or stones.islower():
            raise bad_material(material, "stones of both sides are written as in SMvT or SMt")
        _, ranks, _, _, _, _, *options = start.split()
        files = sum(int(run) if run.isdigit() else 1 for run in re.findall("[0-9]+|[A-Za-z]", ranks.split("/")[0]))
        squares = ["."] * (files * len(ranks.split("/")))
        for stone, place in zip(stones, chosen_places(len(stones), len(squares), below), strict=True):
            squares[place] = stone
        rows = ("".join(squares[first : first + files]) for first in range(0, len(squares), files))
        text = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
        return " ".join(["siaius", text, "s" if v else "sn"[below(2)], "-", "-", "0", *options])

    def _start(self, options: dict[str, str]) -> str:
        """Return a start position; ``size``, ``beats``, ``huff`` and ``setup`` have the form of the command line."""
        files, ranks = _size(options.pop("size", "10x10"))
        beats = options.pop("beats", "normal")
        huff = options.pop("huff", "turn")
        setup = options.pop("setup", None)
        self._no_more(options)
        if beats not in ("normal", "reverse"):
            raise bad_start("bad-option", beats, f"beats is normal or reverse, not {beats!r}")
        if huff not in ("turn", "stone", "off"):
            raise bad_start("bad-option", huff, f"huff is turn, stone or off, not {huff!r}")
        rows = _default_rows(files) if setup is None else _setup_rows(setup, files)
        fen = "siaius " + "/".join([*rows[:3], *[str(files)] * (ranks - 6), *rows[3:]]) + " s - - 0"
        if beats == "reverse":
            fen += " beats=reverse"
        return fen if huff == "turn" else f"{fen} huff={huff}"


def _size(text: str) -> tuple[int, int]:
    size = board_size(text)
    if size is None or not (3 <= size[0] <= 10 and 6 <= size[1] <= 12):
        message = f"the size of a start position is 3x6 to 10x12 (files by ranks), not {text!r}"
        raise bad_start("board-size", text, message)
    return size


def _default_rows(files: int) -> list[str]:
    rows = ["".join("smt"[(file + shift) % 3] for file in range(files)) for shift in (0, 1, 2)]
    return rows + [row.upper() for row in reversed(rows)]


def _setup_rows(setup: str, files: int) -> list[str]:
    rows = setup.split("/")
    good = len(rows) == 6 and all(
        re.fullmatch(pattern * files, row)
        for pattern, half in (("[smt]", rows[:3]), ("[SMT]", rows[3:]))
        for row in half
    )
    if not good:
        message = f"a setup is six ranks of {files} stones, three of s, m, t and three of S, M, T, not {setup!r}"
        raise bad_start("bad-setup", setup, message)
    return rows


GAME = Siaius()
