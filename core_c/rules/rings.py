"""The King of Rings: start options and messages. core_c/src/rings/ implements the rules."""

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
    bad_material,
    bad_start,
    chosen_places,
    numbers,
)

_SMALL_START: Final = "rings k1k1k/1k1k1/11111/33533/11111/1K1K1/K1K1K s 0+0 0"


class Rings(Game):
    """The King of Rings on 7×7 squares, or on 5×7 with five knights per side."""

    id = "rings"
    name = "The King of Rings"
    sizes = "7×7, or 5×7 with five knights"
    start_options = (
        StartOption(
            "size",
            "files by ranks of the board; 5x7 is the game with five knights",
            "7x7",
            ("7x7", "5x7"),
            metavar="FxR",
        ),
    )
    fields = (
        ("RANKS", "the seven ranks from the top", "k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K"),
        ("SIDE", "the side to move", "s"),
        ("HANDS", "the knights in hand of South and North", "0+0"),
        ("PASSES", "the passes in a row", "0"),
    )
    rank_form = "a rank has 7 or 5 squares, each ., a ring 1 3 5, or a knight K k K(311), as in k1.3..K or ......."
    editor = PositionEditor(
        palette=[
            *(PalettePiece("ring", value=points, text=str(points)) for points in (1, 3, 5)),
            *(PalettePiece("knight", owner, text="Kk"[owner - 1], holds="ring") for owner in (1, 2)),
        ],
        empty=".",
        fields=[
            SIDE_FIELD,
            EditorField("Board", "files", choices={"7": "7×7", "5": "5×7"}),
            EditorField("South's knights in hand", name="HANDS", choices=numbers(0, 7), pattern=r"^([^+]*)\+"),
            EditorField("North's knights in hand", name="HANDS", choices=numbers(0, 7), pattern=r"\+(.*)$"),
            EditorField("Passes in a row", name="PASSES", choices=numbers(0, 2)),
        ],
    )
    spoken: Mapping[str, str] = {"drop": "@", "drops": "@", "passes": "pass"}
    reasons: Mapping[str, str] = {
        "too-many-files": "a rank has 7 or 5 squares, and this one has more",
        "bad-files": "the board has 7 or 5 files, but the number of squares in the first rank is {0}",
        "uneven-ranks": "the number of squares is {0} in this rank, but {1} in the first",
        "too-few-ranks": "the board has 7 ranks separated by /, and there are fewer",
        "too-many-ranks": "the board has 7 ranks separated by /, and there are more",
        "bad-holder": "a holder's rings are 5, 3 and 1, closed by a parenthesis, as in K(311)",
        "holder-order": "a holder's rings are written in descending order, as in K(311), so {1} does not follow {0}",
        "empty-holder": "a knight without rings is written K or k, without parentheses",
        "bad-hands": "the knights in hand are two numbers such as 0+2, not {0}",
        "bad-passes": "PASSES is 0, 1 or 2, not {0}",
        "too-many-rings": "{1} rings of value {0}, but the game has {2}",
        "too-many-knights": "{0} has {1} knights on the board and in hand, but the game has {2} a side",
        "passed-needlessly": "{0} cannot have passed, since {1} is legal (K9)",
        "no-own-knight": "{0} has no knight on {1}",
        "holder-cannot-move": "the knight on {0} holds {1} rings, more than the board is long, and cannot move (K5)",
        "knight-step": "the knight on {0} holds no ring and moves one square in any direction (K4), not to {1}",
        "holder-distance": "the knight on {0} holds {1} and moves exactly that many squares in a line (K5), not to {2}",
        "own-knight-there": "{0}'s own knight is on {1}",
        "holder-onto-empty": "the knight on {0} holds rings and moves onto rings and enemies only (K5); {1} is empty",
        "capture-sign": "there is an enemy knight on {0}; a capture is written with x",
        "nothing-to-capture": "there is no enemy knight on {0}; a move is written with -",
        "empty-hand": "{0} has no knight in hand to drop",
        "drop-without-ring": "a knight is dropped onto a free ring (K8), but there is none on {0}",
        "pass-with-plies": "{0} cannot pass: {1} is legal (K9)",
    }

    def place(self, start: str, context: Context, material: str, below: Callable[[int], int]) -> str:
        """Return a position with these free rings and knights, such as ``113KK(31)kk(1)``, and either side to move."""
        pieces = re.findall(r"[135]|[Kk](?:\([135]+\))?", material)
        if "".join(pieces) != material or not set("Kk") & set(material):
            raise bad_material(material, "free rings and at least one knight are written as in 113KK(31)kk(1)")
        _, ranks, _, hands, *_ = start.split()
        files = len(re.sub(r"\([135]+\)", "", ranks).split("/")[0])
        squares = ["."] * (7 * files)
        for piece, place in zip(pieces, chosen_places(len(pieces), len(squares), below), strict=True):
            squares[place] = _ordered(piece)
        text = "/".join("".join(squares[first : first + files]) for first in range(0, len(squares), files))
        return f"rings {text} {'sn'[below(2)]} {hands} 0"

    def _start(self, options: dict[str, str]) -> str:
        """Return the start of K3; ``size`` is ``"7x7"`` or ``"5x7"``."""
        size = options.pop("size", "7x7")
        self._no_more(options)
        if size not in ("7x7", "5x7"):
            raise bad_start("bad-files", size, f"the size is 7x7 or 5x7, not {size!r}")
        return self.default_start if size == "7x7" else _SMALL_START


def _ordered(piece: str) -> str:
    """Return a piece with its rings in descending order."""
    return piece if "(" not in piece else f"{piece[0]}({''.join(sorted(piece[2:-1], reverse=True))})"


GAME = Rings()
