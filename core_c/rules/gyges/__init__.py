"""Gygès: messages and start positions. core_c/src/gyges/ implements the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ringfen.rules.base import (
    SIDE_FIELD,
    Context,
    EditorField,
    EngineNotation,
    Game,
    PalettePiece,
    PositionEditor,
    StartOption,
    TableRules,
    bad_material,
    bad_start,
    chosen_places,
    numbers,
)
from ringfen.rules.gyges.tables import RULES
from ringfen.rules.gyges.ugi import UgiNotation


class Gyges(Game):
    """Twelve neutral rings of three heights, and a throne behind each player."""

    id = "gyges"
    name = "Gygès"
    sizes = "6×6 and two thrones"
    start_options = (
        StartOption("goals", "conquests that South and North need (king's game), as in 3+1", "1+1"),
        StartOption("setup", "South's and North's six rings, as in 321123/321123; none: the players set up"),
    )
    fields = (
        ("RANKS", "the six ranks from the top", "321123/....../....../....../....../321123"),
        ("SIDE", "the side to move", "s"),
        ("THRONE", "the ring on a throne", "-"),
        ("GOALS", "the conquests that South and North need", "1+1"),
    )
    rank_form = "a rank has six squares, each . or the height of a ring, as in 3.1..2 or ......"
    editor = PositionEditor(
        palette=[PalettePiece("ring", value=height, text=str(height)) for height in (1, 2, 3)],
        empty=".",
        throne="THRONE",
        fields=[
            SIDE_FIELD,
            EditorField("Ring on a throne", name="THRONE", choices={"-": "none", **numbers(1, 3)}),
            EditorField("Conquests that South needs", name="GOALS", choices=numbers(0, 9), pattern=r"^([^+]*)\+"),
            EditorField("Conquests that North needs", name="GOALS", choices=numbers(0, 9), pattern=r"\+(.*)$"),
            EditorField("Setups", "option", "setup", {"": "as the pieces show", "done": "both made"}),
        ],
    )
    reasons: Mapping[str, str] = {
        "bad-throne": "the ring on a throne is -, 1, 2 or 3, not {0}",
        "bad-goals": "the conquests needed are two digits as in 1+1, not {0}",
        "south-sets-up-first": "North is to move on an empty board, but South sets up first",
        "too-many-rings": "there are {0} rings of height {1}, but a game has at most 4 of each height",
        "bad-option": "the only option is setup=done, not {0}",
        "default-option": "{0} is written only if North is to move, with two rings of each height, all on rank 1",
        "winner-to-play": "{0} is to move, but needs no more conquests; in a finished game {1}, who lost, is named",
        "won-without-ring": "{0} needs no more conquests, but no ring lies on {1}'s throne",
        "no-conquest-yet": "{0} has just conquered {1}'s throne and cannot need 9 more, the most there are",
        "set-up-first": "{0} sets up first: six rings for the files a to f, as in 321123",
        "already-set-up": "the rings are set up already; {0} moves one",
        "setup-rings": "{0} is not a setup: it takes two rings of each height",
        "put-back-first": "{0} first puts the {1}-ring back from its throne, as in =c3",
        "no-ring-on-throne": "there is no ring on a throne to put back",
        "put-on-throne": "a ring is put on an empty square, not on a throne",
        "place-taken": "a ring cannot be put on {0}: a {1}-ring is on it",
        "place-too-near": "a ring cannot be put on {0}: {1}'s active rank is then {2}, and rank {3} is nearer to {1}",
        "no-such-ring": "no ring on {0} ({1} moves rank {2})",
        "inactive-ring": "the ring on {0} is not on the active rank ({1} moves rank {2})",
        "blocked-ring": "no ring on the rank of {0} can move, so {1} moves rank {2}",
        "own-throne": "{0} cannot enter its own throne, {1}",
        "end-taken": "a {1}-ring is on {0}: the ply can displace it (x{0}-...) or bounce there, not end there",
        "no-ring-to-displace": "there is no ring on {0} to displace",
        "no-ring-to-bounce": "there is no ring on {0} to bounce on",
        "out-of-reach": "the {1}-ring on {0} has no path to {2}",
        "no-such-way": "the {1}-ring on {0} has no path to {2} over the bounces that are named",
        "null-move": "the ring returns to its square: nothing changes but the turn",
    }

    @property
    def tables(self) -> TableRules:
        """The rules of its endgame tables."""
        return RULES

    @property
    def engine_notation(self) -> EngineNotation:
        """The Universal Gygès Interface."""
        return UgiNotation()

    def place(self, start: str, context: Context, material: str, below: Callable[[int], int]) -> str:
        """Return a position with these rings, such as ``112233``, and either side to move."""
        if not re.fullmatch("[123]{1,12}", material) or any(material.count(height) > 4 for height in "123"):
            raise bad_material(material, "rings are one to four of each height, as in 112233")
        squares = ["."] * 36
        for ring, place in zip(material, chosen_places(len(material), 36, below), strict=True):
            squares[place] = ring
        ranks = "/".join("".join(squares[first : first + 6]) for first in range(0, 36, 6))
        return f"gyges {ranks} {'sn'[below(2)]} - {start.split()[4]}"

    def _start(self, options: dict[str, str]) -> str:
        """Return the empty board, or one with a setup; ``goals`` and ``setup`` have the form of the command line."""
        goals = options.pop("goals", "1+1")
        setup = options.pop("setup", None)
        self._no_more(options)
        if not re.fullmatch(r"[1-9]\+[1-9]", goals):
            words = f"the conquests needed are two numbers from 1 to 9, as in 3+1, not {goals!r}"
            raise bad_start("bad-goals", goals, words)
        empty = "/".join(["......"] * 6)
        if setup is None:
            return f"gyges {empty} s - {goals}"
        rows = setup.split("/")
        if len(rows) != 2 or any(sorted(row) != list("112233") for row in rows):
            words = f"a setup is two rings of each height for South, then for North, as in 321123/321123, not {setup!r}"
            raise bad_start("bad-setup", setup, words)
        return "/".join(["gyges " + rows[1], *["......"] * 4, rows[0]]) + f" s - {goals}"


GAME = Gyges()
