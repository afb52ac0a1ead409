"""Dependency masks of GRAN: rules D1 to D8 of ``core_c/src/gran/solver/masks.c``.

Every sentence is checked with all positions that differ only in unread parts: all ways to lay as many stones, and
several decks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest
from gran_random import near_end_text, random_text, small_board, square_order

from ringfen import ImpossiblePositionError, Position
from ringfen._core import ffi, lib
from ringfen.rules.gran.board import Board, read_board

if TYPE_CHECKING:
    from ringfen._core import rf_chance_table

#: Much room for stones, few ways for the ring.
MAZE_BOARD = """
lines: orthogonal
cards: 1 0 1 0 0 0 1
stones: 4
realms:
TTTUU
T_w_U
TTwUU
E_w_G
EEwGG

symbols:
C.X.C
._._.
Z..RD
._._.
CX.SC
"""

#: Points in a row, where any stone between a figure and the ring cuts it off, and points apart for other stones.
ROW_BOARD = """
lines: orthogonal
cards: 1 0 0 0 0 0 1
stones: 2
realms:
w_w_w_w_____
____________
TUGEEEEEwwwE

symbols:
._._._._____
____________
CCCCZSDX...R
"""

#: A corner where the carrier at a1 has one way past the city, and a ring that is put down lies before player 3.
CORNER_BOARD = """
lines: orthogonal
cards: 1 0 0 0 0 0 1
stones: 2
realms:
_________www
TTTTwwUUGETT

symbols:
_________...
.C.D...CCCSR
"""

BOARDS = (small_board(), small_board(), read_board(ROW_BOARD, "row"), read_board(MAZE_BOARD, "maze"))


class Parts(NamedTuple):
    base: bytes
    details: tuple[int, int, int]


def parts(position: Position) -> Parts:
    base, details = ffi.new("uint8_t[]", lib.RF_STATE_SIZE), ffi.new("uint64_t[3]")
    size = lib.gr_inspect_parts(position.context.cdata, position.state, base, details)
    return Parts(bytes(base)[:size], (details[0], details[1], details[2]))


def masked(details: tuple[int, int, int], mask: tuple[int, int, int]) -> tuple[int, int, int]:
    return (details[0] & mask[0], details[1] & mask[1], details[2] & mask[2])


def reads(position: Position, rests_on: int, ply: int, before: tuple[int, int, int]) -> tuple[int, int, int]:
    out = ffi.new("uint64_t[3]", before)
    lib.gr_inspect_mask(position.context.cdata, position.state, rests_on, ply, out)
    return (out[0], out[1], out[2])


def plies(position: Position) -> list[int]:
    """In the order of the core."""
    out = ffi.new("rf_ply[]", lib.rf_game_max_plies(position.game.cdata))
    return list(out[0 : lib.rf_plies(position.game.cdata, position.context.cdata, position.state, out)])


def after(position: Position, ply: int) -> Position:
    state = ffi.new("rf_state *")
    lib.rf_apply(position.game.cdata, position.context.cdata, position.state, ply, state)
    return Position.from_state(position.game, position.context, state)


def weighted_plies(position: Position) -> list[tuple[int, int]]:
    core, context, state = position.game.cdata, position.context.cdata, position.state
    return [(ply, lib.rf_weight(core, context, state, ply)) for ply in plies(position)]


def positions(seed: str, count: int) -> Iterator[tuple[Position, Board, Random]]:
    rnd = Random(seed)
    while count > 0:
        board = rnd.choice(BOARDS)
        text = rnd.choice((random_text, near_end_text))(rnd, board)
        try:
            position = Position.on_board(text, board)
        except ImpossiblePositionError:
            continue
        if position.is_over:
            continue
        count -= 1
        yield position, board, rnd


def likes(position: Position, board: Board, rnd: Random) -> Iterator[Position]:
    """All positions with the same base and deck; some of them again with another deck."""
    fields = position.fen.split()
    stones = [] if fields[3] == "-" else fields[3].split(",")
    taken = {figure.split(":")[0] for figure in fields[1].split("/")} | {fields[2]}
    plain = [point for point in board.points if board.symbol_of(point) == "." and point not in taken]
    for chosen in combinations(sorted(plain, key=square_order), len(stones)):
        fields[3] = ",".join(chosen) or "-"
        deck = fields[4]
        yield Position.on_board(" ".join(fields), board)
        if rnd.random() < 0.3:
            fields[4] = ".".join(str(rnd.randint(0, most)) for most in board.cards)
            yield Position.on_board(" ".join(fields), board)
            fields[4] = deck


def some_details(position: Position, rnd: Random) -> tuple[int, int, int]:
    """What the proof after the ply may have read."""
    share = rnd.choice((0, 0, 0.15, 0.5))
    points = sum(1 << i for i in range(128) if rnd.random() < share)
    return (points & (1 << 64) - 1, points >> 64, (1 << 64) - 1 if rnd.random() < 0.2 else 0)


def test_the_parts_make_the_whole() -> None:
    """Equal bases and details mean equal states, and who acts, the end and the earliest wins follow from the base."""
    for position, board, rnd in positions("parts", 60):
        first, soonest = parts(position), ffi.new("uint8_t[6]")
        lib.gr_inspect_earliest_wins(position.context.cdata, position.state, soonest)
        wins, seen = list(soonest), 0
        for other in likes(position, board, rnd):
            here = parts(other)
            assert here.base == first.base
            assert (here.details == first.details) == (other == position)
            seen += other == position
            lib.gr_inspect_earliest_wins(other.context.cdata, other.state, soonest)
            assert list(soonest) == wins
            assert (other.outcome, other.player, other.is_chance) == (
                position.outcome,
                position.player,
                position.is_chance,
            )
        assert seen >= 1
        for ply in plies(position):
            assert parts(after(position, ply)).base != first.base


def check_like(position: Position, other: Position, rests_on: int, ply: int, mask: tuple[int, int, int]) -> None:
    """The contract of ``gran/solver/masks.h`` for a state that agrees on the parts read; ``mask`` is D."""

    def leads_to(here: Position, by: int) -> tuple[bytes, tuple[int, int, int]]:
        base, details = parts(after(here, by))
        return base, masked(details, mask)

    there = [leads_to(other, by) for by in plies(other)]
    if rests_on == lib.GR_MASK_OF_PLY:
        assert leads_to(position, ply) in there, (position.fen, other.fen, position.ply_text(ply))
        return
    here = [leads_to(position, by) for by in plies(position)]
    assert set(here) == set(there), (position.fen, other.fen)
    if position.is_chance:
        assert weighted_plies(position) == weighted_plies(other), (position.fen, other.fen)
    if rests_on == lib.GR_MASK_OF_THROUGH:
        until = plies(position).index(ply) + 1
        assert plies(position)[:until] == plies(other)[:until], (position.fen, other.fen)
        assert here[:until] == there[:until], (position.fen, other.fen)


def check_masks(seed: str, count: int) -> Counter[tuple[str, int]]:
    """By phase and kind of question, the number of states that differ from the given one."""
    compared = Counter[tuple[str, int]]()
    for position, board, rnd in positions(seed, count):
        phase, mask, own = position.fen.split()[6], some_details(position, rnd), parts(position).details
        legal = plies(position)
        questions = [(lib.GR_MASK_OF_LIST, legal[0])]
        questions += [(lib.GR_MASK_OF_PLY, ply) for ply in rnd.sample(legal, min(len(legal), 5))]
        questions += [(lib.GR_MASK_OF_THROUGH, ply) for ply in rnd.sample(legal, min(len(legal), 2))]
        masks = [reads(position, rests_on, ply, mask) for rests_on, ply in questions]
        for other in likes(position, board, rnd):
            if other == position:
                continue
            details = parts(other).details
            for (rests_on, ply), read in zip(questions, masks, strict=True):
                if masked(details, read) == masked(own, read):
                    check_like(position, other, rests_on, ply, mask)
                    compared[phase, rests_on] += 1
    return compared


def test_every_rule_by_full_enumeration() -> None:
    compared = check_masks("rules", 200)
    for phase in ("move", "extra", "ring", "stone", "sword"):
        assert min(compared[phase, lib.GR_MASK_OF_PLY], compared[phase, lib.GR_MASK_OF_LIST]) >= 5, compared
    assert compared["stone", lib.GR_MASK_OF_THROUGH] >= 10, compared


@pytest.mark.parametrize(
    ("text", "ply", "before"),
    [
        # D4: a stone on k1 cuts the ring off, and no stone can be put; two on i1 and j1, and none can be moved.
        ("gran f1:0:-/j1:2:-/a1:0:- l1 a3 1.0.0.0.0.0.1 1 move board=row", "f1-e1", ""),
        ("gran g1:0:-/a1:0:-/b1:0:- l1 a3,c3 1.0.0.0.0.0.1 1 move board=row", "g1-h1", ""),
        # D6: a stone on b3 leaves the ring the long ways.
        ("gran a3:0:-/a4:0:-/a2:0:- c3 e2,e4 1.0.1.0.0.0.1 1 stone board=maze", "b3", "b3"),
        # D7: on k1 a stone cuts the ring off where it is read, and j1 or i1 may hold one.
        ("gran e1:0:-/j1:2:-/a1:0:- l1 a3 1.0.0.0.0.0.1 1 stone board=row", "c3", "k1"),
    ],
)
def test_rules_where_chance_rarely_gets(text: str, ply: str, before: str) -> None:
    board = next(board for board in BOARDS if text.endswith(f"={board.name}"))
    position = Position.on_board(text, board)
    details = (0, 0, 0)
    if before:
        fields = text.split()
        fields[3] = before
        details = (*parts(Position.on_board(" ".join(fields), board)).details[:2], 0)
    own, compared = parts(position).details, 0
    for rests_on in (lib.GR_MASK_OF_PLY, lib.GR_MASK_OF_LIST, lib.GR_MASK_OF_THROUGH):
        for number in plies(position):
            if position.ply_text(number) != ply and rests_on == lib.GR_MASK_OF_PLY:
                continue
            read = reads(position, rests_on, number, details)
            for other in likes(position, board, Random(ply)):
                if masked(parts(other).details, read) == masked(own, read):
                    check_like(position, other, rests_on, number, details)
                    compared += other != position
    assert compared > 0


@pytest.mark.long
def test_every_rule_by_full_enumeration_longer() -> None:
    check_masks("more rules", 15_000)


# ---- values ----


def values(
    position: Position, plies_left: int, hash_mb: int
) -> list[tuple[tuple[Fraction, ...], tuple[int, int, int]]]:
    """Under both models, for every player and both bounds, with the parts that the proof read."""
    core, context, out = position.game.cdata, position.context.cdata, ffi.new("rf_chances *")
    control = ffi.new("rf_control *")
    found = []

    def add(result: int, shares: int) -> None:
        assert result == lib.RF_CHANCE_FOUND
        whole = out.den[0] | out.den[1] << 64
        shared = tuple(Fraction(out.num[i][0] | out.num[i][1] << 64, whole) for i in range(shares))
        found.append((shared, (out.mask[0], out.mask[1], out.mask[2])))

    def table() -> rf_chance_table:
        if hash_mb == 0:
            none: rf_chance_table = ffi.NULL
            return none
        return ffi.gc(lib.rf_chance_table_new(core, position.players, hash_mb << 20), lib.rf_chance_table_free)

    lib.rf_control_start(control)
    memory = table()
    add(
        lib.rf_chance_maxn(core, context, position.state, plies_left, 0, ffi.NULL, memory, control, out),
        position.players,
    )
    memory = table()
    for player in range(1, position.players + 1):
        for upper in (False, True):
            result = lib.rf_chance_paranoid(
                core, context, position.state, plies_left, player, upper, 0, ffi.NULL, memory, control, out
            )
            add(result, 1)
    return found


def check_values(seed: str, count: int, most_plies: int) -> Counter[str]:
    seen = Counter[str]()
    for number, (position, board, rnd) in enumerate(positions(seed, count)):
        plies_left = rnd.randint(2, most_plies)
        found, own = values(position, plies_left, number % 2), parts(position).details
        for other in likes(position, board, rnd):
            details = parts(other).details
            agree = [masked(details, read) == masked(own, read) for _, read in found]
            if not any(agree) or other == position:
                continue
            there = values(other, plies_left, 0)
            for (here, _), (value, _), agrees in zip(found, there, agree, strict=True):
                if agrees:
                    assert value == here, (position.fen, other.fen, plies_left)
                    seen["compared"] += 1
                    seen["between"] += 0 < here[0] < 1
                else:
                    seen["different"] += value != here
    return seen


def test_values_hold_where_nothing_was_read() -> None:
    seen = check_values("values", 300, 5)
    assert seen["compared"] >= 1000, seen
    assert min(seen["between"], seen["different"]) >= 10, seen


@pytest.mark.long
def test_values_hold_where_nothing_was_read_longer() -> None:
    check_values("more values", 2000, 7)


# ---- certain wins ----


def forces(position: Position, player: int, plies_left: int, *, wins: bool) -> bool:
    """Whether the player can bring it about, whatever chance and the others do, that they win within these plies, or
    that no other player does: by looking at all plies."""
    if isinstance(position.outcome, int):
        return position.outcome == player
    if plies_left == 0:
        return not wins
    results = (forces(after(position, ply), player, plies_left - 1, wins=wins) for ply in plies(position))
    return any(results) if position.player == player and not position.is_chance else all(results)


def check_certain_wins(seed: str, count: int, most_plies: int) -> Counter[str]:
    seen = Counter[str]()
    for some, board, rnd in positions(seed, count):
        text = some.fen
        if rnd.random() < 0.7:  # without amulets, so that the others can do less
            text = re.sub(r"(?<!-):[0-3]:", ":0:", text)
        position = Position.on_board(text, board)
        context, state = position.context.cdata, position.state
        ring = position.fen.split()[2]
        if not ring.startswith("@") or position.perft(most_plies) > 300_000:
            continue
        plies_left, carrier = rnd.randint(1, most_plies), int(ring[1:])
        winner = lib.gr_inspect_certain_winner(context, state, plies_left)
        if winner != 0:
            assert forces(position, winner, plies_left, wins=True), (position.fen, plies_left)
            seen["later" if winner != position.player else "now"] += 1
        out = ffi.new("uint64_t[3]")
        if lib.gr_inspect_can_prevent_wins(context, state, carrier, plies_left, out):
            read, own = (out[0], out[1], out[2]), parts(position).details
            alike = [
                other
                for other in likes(position, board, rnd)
                if masked(parts(other).details, read) == masked(own, read)
            ]
            for other in rnd.sample(alike, min(len(alike), 3)):
                assert forces(other, carrier, plies_left, wins=False), (position.fen, other.fen, plies_left)
                seen["kept"] += 1
            seen["kept with stones"] += read != (0, 0, 0)
    return seen


def test_certain_wins_by_full_enumeration() -> None:
    seen = check_certain_wins("sure", 700, 3)
    assert min(seen["later"], seen["now"], seen["kept"], seen["kept with stones"]) >= 4, seen


@pytest.mark.long
def test_certain_wins_by_full_enumeration_longer() -> None:
    check_certain_wins("more sure wins", 20_000, 4)


def test_a_carrier_whose_only_way_is_filled_cannot_prevent_wins() -> None:
    """Player 1 wins the fight at d1 and moves to c1 (R8); the carrier must then take a seal at b1 and put the ring on
    g1 (R7, R11), where player 3 takes it in passing and wins on the city at h1."""
    board = read_board(CORNER_BOARD, "corner")
    seen = Counter[bool]()
    for amulets in range(4):
        for spot, phase in (("d1", "fight"), ("d1", "extra"), ("e1", "move"), ("c1", "move")):
            figures = f"{spot}:{amulets}:-/a1:0:-/f1:0:T/k2:0:-/l2:0:-"
            position = Position.on_board(f"gran {figures} @2 - 1.0.0.0.0.0.1 1 {phase} board=corner seals=2", board)
            context, state = position.context.cdata, position.state
            for plies_left in range(1, 6):
                kept = forces(position, 2, plies_left, wins=False)
                says = lib.gr_inspect_can_prevent_wins(context, state, 2, plies_left, ffi.new("uint64_t[3]"))
                assert kept or not says, (position.fen, plies_left)
                seen[kept] += 1
    assert seen[False] >= 4, seen
