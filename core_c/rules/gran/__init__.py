"""GRAN: start options, messages and boards. core_c/src/gran/ implements the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

from ringfen.errors import BoardError
from ringfen.rules.base import (
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
from ringfen.rules.gran.board import board_named, default_board, find_board, load_board

_PHASES: Final = {
    "move": "a move",
    "fight": "a fight with the dragon",
    "extra": "an extra move",
    "ring": "putting the ring",
    "stone": "placing a stone",
    "sword": "moving a stone",
    "over": "nothing: the player has won",
}
_PLAYERS: Final = {str(player): f"player {player}" for player in range(1, 7)}
_CARRIED: Final = {f"@{player}": f"carried by player {player}" for player in range(1, 7)}
_CITIES: Final = {"T": "Tirad", "U": "Urgad", "G": "Galad", "E": "Elgad"}
_SEALS: Final = {
    "".join(letters) or "-": ", ".join(_CITIES[letter] for letter in letters) or "none"
    for count in range(5)
    for letters in combinations(_CITIES, count)
}


def _player_fields(player: int) -> list[EditorField]:
    """Return the fields of a player, without the place of the figure."""
    part, group = rf"^(?:[^/]*/){{{player - 1}}}[^/:]*:", f"Player {player}"
    return [
        EditorField("Amulets", name="PLAYERS", choices=numbers(0, 3), pattern=rf"{part}([^/:]*)", group=group),
        EditorField("Seals", name="PLAYERS", choices=_SEALS, pattern=rf"{part}[^/:]*:([^/:!]*)", group=group),
        EditorField(
            "Fetter", name="PLAYERS", choices={"": "no", "!": "yes"}, pattern=rf"{part}[^/:]*:[^/:!]*(!?)", group=group
        ),
    ]


class Gran(Game):
    """GRAN on its default board or one from a file, for three to six players."""

    id = "gran"
    name = "GRAN"
    sizes = "81 points, or a board from a file: up to 12×12, 128 points"
    players = (3, 6)
    start_options = (
        StartOption("players", "how many play", default="3", choices=("3", "4", "5", "6")),
        StartOption(
            "seals",
            "seals of different cities needed to win; 2 are recommended for a short game and with 5 or 6 players",
            default="3",
            choices=("1", "2", "3", "4"),
        ),
        StartOption("board", "a board file", metavar="PATH"),
    )
    default_max_plies = 5000
    fields = (
        ("PLAYERS", "the players", "-:3:-/-:3:-/-:3:-"),
        ("RING", "the place of the ring", "c7"),
        ("STONES", "the points of the obstacle stones", "-"),
        ("DECK", "the remaining cards of each value", "2.0.4.6.6.4.2"),
        ("PLAYER", "the player to act", "1"),
        ("PHASE", "the phase", "move"),
    )
    editor = PositionEditor(
        palette=[
            PalettePiece("ring", field="RING", gone="?", held="@"),
            PalettePiece("stone", field="STONES", is_list=True),
            *(PalettePiece("figure", player, field="PLAYERS", part=player - 1, holds="ring") for player in range(1, 7)),
        ],
        fields=[
            EditorField("Players", "count", "PLAYERS", numbers(3, 6)),
            EditorField("To act", name="PLAYER", choices=_PLAYERS, players={str(one): one for one in range(1, 7)}),
            EditorField("What is next", name="PHASE", choices=_PHASES),
            EditorField(
                "Ring",
                name="RING",
                choices={"?": "about to be put", **_CARRIED},
                players={f"@{one}": one for one in range(1, 7)},
            ),
            EditorField("Seals needed to win", "option", "seals", {"1": "1", "2": "2", "": "3", "4": "4"}),
            *(field for player in range(1, 7) for field in _player_fields(player)),
            *(
                EditorField(
                    str(value), name="DECK", pattern=rf"^(?:[^.]*\.){{{value}}}([^.]*)", group="Cards left by value"
                )
                for value in range(7)
            ),
        ],
    )
    spoken: Mapping[str, str] = {"ring": "=", "stone": "+", "stays": "stay", "rests": "rest", "passes": "pass"}
    reasons: Mapping[str, str] = {
        # positions that cannot be read
        "bad-players": "a player is point:amulets:seals and ! if fettered, with / between, as in g5:2:TU!, not {0}",
        "no-such-point": "there is no point {0} on this board",
        "bad-amulets": "amulets are a number from 0 to 3, not {0}",
        "bad-seals": "seals are - or some of the letters TUGE in this order, not {0}",
        "seals-order": "seals are listed once each in the order T, U, G, E, so {1} does not follow {0}",
        "bad-ring": "the ring is a point, @ with the number of its carrier, or ?, not {0}",
        "bad-stones": "the stones are - or points separated by commas, not {0}",
        "stones-order": "stones are listed once each in the order a1, b1, …, a2, …, so {1} does not follow {0}",
        "bad-deck": "the deck is seven numbers of cards separated by dots, as in 2.0.4.6.6.4.2, not {0}",
        "bad-player": "the player to act is a number, not {0}",
        "bad-phase": "the phase is move, fight, extra, ring, stone, sword or over, not {0}",
        "bad-option": "after the phase only board=NAME and then seals=1, 2 or 4 can follow, not {0}",
        "wrong-board": "the position is on a board {0}, which is not the board that was given",
        "named-default": "the default board is not named: a position on it has no board={0}",
        "unnamed-board": "the position names no board, but was to be read on the board {0}",
        # positions that the rules exclude
        "player-count": "three to six players can play (R2), not {0}",
        "no-such-player": "there is no player {0}, only players 1 to {1}",
        "too-many-amulets": "player {0} has {1} amulets, but no player has more than 3 (R2)",
        "too-many-cards": "the deck has {0} cards of value {1}, but the board has {2}",
        "white-points": "the board has {0} white points, but {1} players need one each",
        "not-entered": "player {0} has not entered, and so has 3 amulets and no seal (R2), not {1} and {2}",
        "two-figures": "players {0} and {1} both stand on {2}",
        "figure-on-stone": "player {0} stands on {1}, which has an obstacle stone",
        "stone-on-symbol": "there is an obstacle stone on {0}, which is a {1} and not a plain point (R10)",
        "too-many-stones": "there are {0} obstacle stones, but the board has {1}",
        "ring-on-stone": "the ring lies on {0}, which has an obstacle stone",
        "carrier-not-entered": "player {0} carries the ring, but is not on the board yet",
        "ring-not-due": "the ring has no place (?), but it is put only in the phase ring, not in the phase {0}",
        "ring-is-due": "in the phase {0} the ring is about to be put and has no place (?)",
        "phase-place": "in the phase {0} player {1} stands on {2}, not {3}",
        "over-no-winner": "the phase is over, but player {0} has {1} of {2} seals (R13)",
        "over-ring": "the game is over, so its winner carries the ring: @{0}",
        "winner-not-over": "player {0} has {1} seals and so has won (R13), but the phase is {2}, not over",
        # plies that cannot be read
        "bad-move": "a move goes from point to point, as in g3-g5 or g3xg4-e5, and does not continue with {0}",
        "no-banish-named": "an attack names where the other figure goes, as in g3xg4-e5, but there is {0}",
        "bad-ring-ply": "putting the ring is written =d6, with a point in place of {0}",
        "bad-stone-ply": "a stone is placed by +b4 and moved by +b4-c4, with a point in place of {0}",
        "bad-chance": "a chance ply is a card from 0 to 6, a colon and a die from 1 to 6, not {0}",
        "ply-goes-on": "the ply is complete before {0}",
        # plies that are not legal
        "wrong-phase": "{0} is not legal: in the phase {1}, player {2} plays {3}",
        "is-fettered": "{0} is not legal: player {1} is fettered and only takes the fetter off, written rest (R9)",
        "must-play": "player {1} cannot pass: there are {2} legal plies (R3)",
        "no-fetter": "player {1} has no fetter to take off",
        "card-not-in-deck": "{0} is not possible: no card {1} is left in the deck (R8)",
        "not-from-start": "{0} begins on {3}, but player {1} has not entered and starts from {2} (R2)",
        "wrong-origin": "{0} begins on {3}, but player {1} stands on {2}",
        "back-to-origin": "a move does not end on {1}, where it began (R3)",
        "stone-on-arrival": "no move can end on {1}, which has an obstacle stone (R3)",
        "figure-on-arrival": "player {2} stands on {1}; an attack is written with x and the banishing point (R5)",
        "no-figure-there": "there is no figure on {1} to attack",
        "attack-on-city": "{1} is a city, and figures on cities cannot be attacked (R5)",
        "attack-amulets": "an attack on {1} costs an amulet, and there is none (R5)",
        "attack-on-dragon-amulets": "{1} is a dragon: attacking there needs 2 amulets, not {2} (R5)",
        "nowhere-to-banish": "no banishing point is free, so {0} is not possible (R5)",
        "banish-not-white": "{1} is not a banishing point (R5)",
        "banish-taken": "{1} is not free for a banished figure (R5)",
        "fight-amulets": "{1} is a dragon, and without an amulet there is no fight (R4)",
        "no-line": "there is no line from {1} to {2}",
        "passed-dragon": "{1} is a dragon and cannot be passed over here (R3)",
        "passed-figure": "a figure stands on {1} and cannot be passed over here (R3)",
        "passed-stone": "there is an obstacle stone on {1}, which cannot be passed over here (R3)",
        "no-such-way": "{0} over {1} is not possible",
        "too-far": "{2} is not one or two points away from {1} (R3)",
        "only-over-ring": "the only path takes the ring on {1} in passing, so the ply names it (R6)",
        "all-ways-blocked": "every point between {1} and {2} is blocked (R3)",
        "put-on-white": "the ring cannot be put on a white point such as {1} (R11)",
        "put-in-same-realm": "the ring goes to another realm, but {1} is in the realm of {2} (R11)",
        "put-on-taken": "{1} is occupied, so the ring cannot be put there (R11)",
        "put-on-symbol": "{1} is a {2}; the ring goes to a black point or a crystal ball (R11)",
        "no-stone-there": "there is no obstacle stone on {1} to move (R10)",
        "no-stone-left": "all {1} obstacle stones are on the board (R10)",
        "stone-to-symbol": "{1} is a {2}; a stone goes to a plain point (R10)",
        "stone-to-taken": "{1} is not free for a stone (R10)",
        "ring-out-of-reach": "with a stone on {1} no player could reach the ring (R10)",
    }

    def place(self, start: str, context: Context, material: str, below: Callable[[int], int]) -> str:
        """Return a position with these players and stones, such as ``TU/G/-+5``: the seals of each player, and five
        stones. Any player moves. Stones are on plain points (R10); the ring is on a free black point or crystal ball
        (R11), or any player carries it.
        """
        found = re.fullmatch(r"((?:(?:-|[TUGE]{1,4})/){2,5}(?:-|[TUGE]{1,4}))(?:\+([0-9]{1,3}))?", material)
        if found is None:
            raise bad_material(material, "seals by player and stones are written as in TU/G/-+5")
        seals = ["".join(seal for seal in "TUGE-" if seal in own) for own in found[1].split("/")]
        board, count = context.board, int(found[2] or 0)
        plain = [point for point in board.points if board.symbol_of(point) == "."]
        if count > len(plain):
            raise bad_material(material, f"at most {len(plain)} obstacle stones fit on the board (R10)")
        # The stones come first: figures can stand on any other point.
        stones = [plain[place] for place in chosen_places(count, len(plain), below)]
        free = [point for point in board.points if point not in stones]
        figures = [free[place] for place in chosen_places(len(seals), len(free), below)]
        players = "/".join(f"{point}:3:{own}" for point, own in zip(figures, seals, strict=True))
        allowed = [point for point in free if point not in figures and board.takes_ring(point)]
        carrier = below(2 * len(seals)) if allowed else below(len(seals))
        ring = f"@{carrier + 1}" if carrier < len(seals) else allowed[below(len(allowed))]
        at = sorted(stones, key=lambda point: (int(point[1:]), point))
        deck = ".".join(map(str, context.board.cards))
        options = start.split()[7:]
        return " ".join(
            ["gran", players, ring, ",".join(at) or "-", deck, str(1 + below(len(seals))), "move", *options]
        )

    def _start(self, options: dict[str, str]) -> str:
        """Return the text of the start position of R2.

        The options are ``players`` (3 to 6), ``seals`` (1 to 4, by default 3; 2 are recommended for a short game and
        with five or six players, R13) and ``board`` (the name of a board file).

        :raises ringfen.BoardError: The file is not a board file.
        :raises OSError: The file cannot be read.
        """
        players, seals = options.pop("players", "3"), options.pop("seals", "3")
        file = options.pop("board", None)
        self._no_more(options)
        for name, value, choices in (("players", players, "3456"), ("seals", seals, "1234")):
            if len(value) != 1 or value not in choices:
                message = f"the {name} are {', '.join(choices[:-1])} or {choices[-1]}, not {value}"
                raise bad_start(f"bad-{name}", value, message)
        if file == "":
            raise bad_start("bad-option", file, "board is the name of a file, not ''")
        board = default_board() if file is None else load_board(Path(file))
        context = Context(board.cdata, board)
        return self.format(context, self.parse(context, board.start_text(int(players), int(seals))))

    def context(self, text: str, board_path: Sequence[Path] = ()) -> Context:
        """Return the board that the text names with ``board=NAME``, the default board if it names none."""
        named = board_named(text)
        try:
            board = default_board() if named is None else find_board(named[1], board_path)
        except BoardError as error:
            if named is not None and not error.line:  # otherwise the error is in the board file
                error.text, error.at, error.length = text, named.start(), len(named[0])
            raise
        return Context(board.cdata, board)


GAME = Gran()
