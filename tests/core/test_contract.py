"""Every game keeps the contract of ``game.h``, sentence by sentence; a game that breaks one is found out."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from contract import (
    CHECKED,
    MARGIN_CHECKS,
    NOTHING_TO_CHECK,
    Case,
    CoreGame,
    Line,
    Margin,
    broken_promises,
    ffi,
    plain,
    play,
    sentences,
)
from game_build import COMPILER, GameBuilder, game_text

from ringfen import Position, game_by_id, game_ids
from ringfen import _core as core

#: Beside starts with random options: positions near an end, on boards of which little is reachable.
NEAR_THE_END = [
    "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1",
    "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+3",
    "gyges ....../....../..1.../21..31/.323../322.1. s - 1+1",
    "rings .k(1)..1/k...K/.K(11).1./...../..K../k..../..... s 0+0 0",
    "rings ...k(111).../......./..1..../...K(5311)k(3311111)K(3311)k(311)/...K(11111)..K(1)/......k(1)/"
    "..K(111111).K.. n 0+3 0",
    "siaius c3/4/4/3C s - - 0 huff=off",
    "siaius 4/t3/3C/S3 s - - 0",
    "siaius 4/2s1/t2C/S1M1 s - - 0 beats=reverse huff=stone",
    "gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2",
    "gran e3:2:E/a9:1:-/g9:0:T @1 - 2.0.4.6.6.4.2 1 move seals=2",
]
GAMES_PLAYED = 3
MAX_PLIES = 120
POSITIONS = 40


def address(cdata: Any) -> int:
    return int(core.ffi.cast("uintptr_t", cdata))


def case_of(position: Position) -> Case:
    game = CoreGame(address(position.game.cdata), address(position.context.cdata), keep=position)
    return game.at(bytes(core.ffi.buffer(position.state)))


def random_start(game_id: str, rng: random.Random) -> Position:
    """A start with random options, of those that have a list of values."""
    chosen = [option for option in game_by_id(game_id).start_options if option.choices and rng.random() < 0.5]
    return Position(game_by_id(game_id).start(**{option.name: rng.choice(option.choices) for option in chosen}))


def sample(lines: list[Line], rng: random.Random) -> list[Case]:
    """Some positions of the games, and the first and last ones of each."""
    cases = [case for line in lines for case in line.cases]
    ends = [case for line in lines for case in (*line.cases[:2], *line.cases[-3:])]
    return [*rng.sample(cases, min(POSITIONS, len(cases))), *ends]


@pytest.mark.parametrize("game_id", game_ids())
def test_every_game_keeps_its_contract(game_id: str) -> None:
    rng = random.Random(game_id)
    starts = [Position(game_id), *(random_start(game_id, rng) for _ in range(GAMES_PLAYED))]
    starts += [Position(fen) for fen in NEAR_THE_END if fen.startswith(f"{game_id} ")]
    # Positions are compared within one context.
    by_context: dict[int, list[Line]] = {}
    for start in starts:
        case = case_of(start)
        by_context.setdefault(address(start.context.cdata), []).append(play(case, rng, MAX_PLIES))
    for lines in by_context.values():
        assert broken_promises(lines, sample(lines, rng)) == {}


@pytest.mark.parametrize("fen", [fen for fen in NEAR_THE_END if fen.startswith("rings ")])
def test_every_margin_part_answers_rightly(fen: str) -> None:
    position = Position(fen)
    solution = position.solve(hash_mb=16)
    assert solution.status == "exact"
    assert isinstance(solution.value, int)
    sign = 1 if position.player == "s" else -1
    search = core.ffi.gc(core.lib.rf_margin_new(position.game.cdata, 1 << 24, 0), core.lib.rf_margin_free)
    known = Margin(
        case_of(position),
        ffi.cast("struct rf_margin *", address(search)),
        sign * solution.value,
    )
    for check in MARGIN_CHECKS:
        check(known)


def test_each_sentence_of_the_contract_has_its_check() -> None:
    assert Counter(sentences()) == Counter([*CHECKED, *map(plain, NOTHING_TO_CHECK)])


# ---- games that break it ----

LIST = "    return plies;\n}\n\nstatic void tt_apply"
PERFT = "#define RF_COUNT_BY_LIST\n"
APPLIED = "    s->marks[tt_side(s)] |= tt_bit(ply);\n"
LAST = "    .wins = &tt_win_part,\n"
CHANCES = (
    "static bool never(const void *c, const rf_state *s) { return c != s && c != NULL; }\n"
    "static uint32_t one(const void *c, const rf_state *s, rf_ply p) { return c != s || p < 9; }\n"
    "static const rf_chance_part parts = {.max_results = 1, .is_chance = never, .weight = one};\n"
    "const rf_game RF_EXPORT"
)
GAME = "const rf_game RF_EXPORT"


def function(body: str, kind: str = "uint64_t", rest: str = "") -> str:
    """A function of the usual form, before the game itself."""
    return f"static {kind} extra(const void *ctx, const rf_state *s{rest}) {{ (void)ctx, (void)s; {body} }}\n{GAME}"


#: Replacements in the source of the fifth game, and the check that must notice each.
MUTANTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a weight for a decision": (
        "chance_events_have_weights",
        [(GAME, CHANCES), (LAST, f"{LAST}.chances = &parts,\n")],
    ),
    "a hash of bytes that are not in use": (
        "different_positions_have_different_hashes",
        [(GAME, function("return rf_hash_bytes(s, 5) ^ (uintptr_t)s;")), (LAST, f"{LAST}.hash = extra,\n")],
    ),
    "a hash of half of the state": (
        "different_positions_have_different_hashes",
        [(GAME, function("return rf_hash_bytes(s, 2);")), (LAST, f"{LAST}.hash = extra,\n")],
    ),
    "a byte beyond the state": ("apply_writes_only_the_state", [(APPLIED, f"{APPLIED}    s[1].marks[0] = 0;\n")]),
    "a byte of the state from before": (
        "apply_writes_only_the_state",
        [
            (
                "    *s = *tt_read(state);\n    s->marks[tt_side(s)] |=",
                "    uint16_t old = s->marks[0] & 1;\n"
                "    *s = *tt_read(state);\n    s->marks[0] |= old;\n    s->marks[tt_side(s)] |=",
            )
        ],
    ),
    "a state that is too small": (
        "apply_writes_only_the_state",
        [(".state_size = sizeof(tt_state)", ".state_size = 3")],
    ),
    "a count off by one": (
        "count_is_the_length_of_generate",
        [(GAME, function("rf_ply out[9]; return tt_generate(ctx, s, out) + 1;")), (LAST, f"{LAST}.count = extra,\n")],
    ),
    "a ply twice": ("generate_lists_legal_plies", [(LIST, f"    if (plies == 4)\n        out[3] = out[0];\n{LIST}")]),
    "plies of a game that is over": (
        "generate_lists_legal_plies",
        [("    if (tt_outcome(ctx, state) != RF_OUTCOME_NONE)\n        return 0;\n", "    (void)ctx;\n")],
    ),
    "more room than max_plies": ("generate_lists_legal_plies", [(LIST, f"    out[9] = 1;\n{LIST}")]),
    "more plies than declared": ("declared_maxima_hold", [(".max_plies = TT_SQUARES", ".max_plies = 8")]),
    "a text longer than declared": (
        "declared_maxima_hold",
        [('.max_text = sizeof "tictactoe .../.../... s"', ".max_text = 20")],
    ),
    "a ply text longer than declared": ("declared_maxima_hold", [('.max_ply_text = sizeof "a1"', ".max_ply_text = 2")]),
    "a text of another position": (
        "parse_of_format_is_the_same",
        [("? 'x' : s->marks[1] & bit", "? 'x' : s->marks[1] & bit & 0xf")],
    ),
    "a field with a space": (
        "parse_of_format_is_the_same",
        [
            (
                "    return (size_t)(end - out);\n}\n\nstatic void tt_describe",
                "    *end++ = ' ';\n    return (size_t)(end - out);\n}\n\nstatic void tt_describe",
            )
        ],
    ),
    "a rank without end": (
        "squares_make_the_board",
        [("if (rank >= TT_SIDE || square >= TT_SIDE)", "if (rank >= TT_SIDE || square > TT_SIDE)")],
    ),
    "a parser that reads on": (
        "parse_stays_within_its_text",
        [
            (
                "rf_cursor cursor = rf_cursor_at(text, length), *c",
                "rf_cursor cursor = rf_cursor_at(text, length + (text[length] == '9')), *c",
            )
        ],
    ),
    "an error beyond the end of the text": (
        "parse_stays_within_its_text",
        [('RF_IMPOSSIBLE, side_at, 1, "wrong-numbers"', 'RF_IMPOSSIBLE, side_at, 9, "wrong-numbers"')],
    ),
    "a refusal of a wrong kind": (
        "parse_stays_within_its_text",
        [('RF_IMPOSSIBLE, side_at, 1, "wrong-numbers"', 'RF_ILLEGAL, side_at, 1, "wrong-numbers"')],
    ),
    "a ply that is read as another": (
        "plies_come_out_legal",
        [("out->ply = (rf_ply)(rank * TT_SIDE + file);", "out->ply = (rf_ply)(file * TT_SIDE + rank);")],
    ),
    "a taken square that may be taken": (
        "plies_come_out_legal",
        [("& tt_bit(out->ply))", "& tt_bit(out->ply) & 0xf)")],
    ),
    "a description that leaves out noughts": (
        "different_positions_have_different_descriptions",
        [("side < 2; side++)\n        for", "side < 1; side++)\n        for")],
    ),
    "a phase that never ends": ("outcome_agrees_with_plies", [('"move" : "over"', '"move" : "move"')]),
    "a player who does not exist": (
        "a_player_acts",
        [("return tt_side(tt_read(s)) + 1;", "return tt_side(tt_read(s));")],
    ),
    "perft of one ply too few": (
        "perft_counts_lines",
        [
            (
                '#include "perft.inc"',
                '#include "perft.inc"\n'
                "static uint64_t fewer(const void *c, const rf_state *s, unsigned d, rf_ply *l, struct rf_table *t,\n"
                "                      rf_control *k)\n"
                "{\n    return d == 2 ? tt_perft(c, s, 2, l, t, k) - 1 : tt_perft(c, s, d, l, t, k);\n}",
            ),
            (".perft = tt_perft", ".perft = fewer"),
        ],
    ),
    "a win that is not seen": (
        "wins_now_is_exact",
        [("    unsigned own = s->marks[tt_side(s)];", "    unsigned own = s->marks[!tt_side(s)];")],
    ),
    "a deferred win": (
        "short_wins_are_exact",
        [
            (GAME, function("(void)player; return plies == 0;", "unsigned", ", unsigned player, unsigned plies")),
            (".wins_now = tt_wins_now", ".wins_now = tt_wins_now, .useful_plies = extra"),
            (
                "static const rf_win_part tt_win_part",
                "static unsigned extra(const void *, const rf_state *, unsigned, unsigned);\n"
                "static const rf_win_part tt_win_part",
            ),
        ],
    ),
    "a reply that is left out": (
        "plies_that_lose_are_not_safe",
        [
            (
                GAME,
                function(
                    "memset(t, 0, 9); return tt_generate(ctx, s, out) - 1;", "size_t", ", rf_ply *out, uint8_t *t"
                ),
            ),
            (".wins_now = tt_wins_now", ".wins_now = tt_wins_now, .safe_plies = extra"),
            (
                "static const rf_win_part tt_win_part",
                "static size_t extra(const void *, const rf_state *, rf_ply *, uint8_t *);\n"
                "static const rf_win_part tt_win_part",
            ),
        ],
    ),
    "a turned board that is another": (
        "symmetries_change_nothing",
        [
            (
                GAME,
                function(
                    "tt_state t = *tt_read(s); t.marks[0] = 0; memcpy(out, &t, sizeof t); return 0;",
                    "unsigned",
                    ", rf_state *out",
                ),
            ),
            (".wins_now = tt_wins_now", ".wins_now = tt_wins_now, .canonical = extra, .map_ply = same"),
            (
                "static const rf_win_part tt_win_part",
                "static unsigned extra(const void *, const rf_state *, rf_state *);\n"
                "static rf_ply same(const void *c, rf_ply p, unsigned n) { (void)c, (void)n; return p; }\n"
                "static const rf_win_part tt_win_part",
            ),
        ],
    ),
    "an image with other plies": (
        "images_have_the_same_plies",
        [
            (
                GAME,
                function(
                    "if (n > 1) return false; tt_state t = *tt_read(s); t.marks[0] = 0; memcpy(out, &t, sizeof t);"
                    " return true;",
                    "bool",
                    ", unsigned n, rf_state *out",
                ),
            ),
            (LAST, f"{LAST}.image = extra,\n"),
        ],
    ),
    "far too few positions": (
        "reachable_is_a_sound_estimate",
        [("uint64_t fillings = 1;", "return s->marks[0] == 0;\n    uint64_t fillings = 1;")],
    ),
    "a turn that continues with the other player": (
        "the_rest_of_a_turn_has_the_same_player",
        [(GAME, function("return tt_read(s)->marks[0] != 0;", "bool")), (LAST, f"{LAST}.mid_turn = extra,\n")],
    ),
    "players who come and go": (
        "the_players_stay_the_same",
        [
            (GAME, function("return tt_read(s)->marks[0] != 0 ? 3 : 2;", "unsigned")),
            (LAST, f"{LAST}.players = extra,\n"),
        ],
    ),
    "a start that is written otherwise": (
        "the_start_is_a_position",
        [('.start = "tictactoe .', '.start = "tictactoe  .')],
    ),
}


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> GameBuilder:
    return GameBuilder(tmp_path_factory.mktemp("games"))


def promises_broken_by(library: Path) -> dict[str, str]:
    game = CoreGame.from_library(library, "rf_game_tictactoe_base")
    rng = random.Random(1)
    lines = [play(game.start(), rng, 9) for _ in range(12)]
    return broken_promises(lines, sample(lines, rng))


@pytest.mark.unsanitized
@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
def test_the_fifth_game_keeps_the_contract(builder: GameBuilder) -> None:
    assert promises_broken_by(builder.build(game_text())) == {}


@pytest.mark.unsanitized
@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_promise_is_noticed(builder: GameBuilder, mutant: str) -> None:
    noticed_by, changes = MUTANTS[mutant]
    text = game_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    assert noticed_by in promises_broken_by(builder.build(text))
