/* Siaius: the rules (core_c/rules/siaius.md). Part of siaius/hot.c.
 *
 * Idea: sets of squares are 120-bit numbers (siaius/board.h); a state has one set per kind and one for South's stones,
 * so a move is a few shifts and masks, for all stones of a kind at once.
 * Invariants: see siaius.h. Each function that makes a ply writes the whole state after it.
 * Example: a sun moves d1-d2 past a moon on e1 that it could have captured: it has missed a capture, so `missed`
 * becomes {d2} and North may huff it before its own ply. */
#include "common/text.h"
#include "siaius/endgame.h"
#include "siaius/solver/turns.h"

#define RF_PREFIX si_

/* The default, but with a size that the compiler knows: the search for forced wins hashes at every node. */
static uint64_t si_hash(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return rf_hash_bytes(state, sizeof(si_state));
}

static int si_outcome(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return si_result((const si_state *)state);
}

static unsigned si_player(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return ((const si_state *)state)->side + 1u;
}

static bool si_mid_turn(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return ((const si_state *)state)->bonus != SI_NO_SQUARE;
}

static inline rf_ply *si_put_moves(rf_ply *out, unsigned from, si_set targets)
{
    for (; targets != 0; targets &= targets - 1)
        *out++ = si_ply(SI_MOVE, from, si_lsb(targets));
    return out;
}

size_t si_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    (void)ctx;
    const si_state *s = (const si_state *)state;
    if (si_result(s) != RF_OUTCOME_NONE)
        return 0;
    const si_view v = si_view_of(s, s->side);
    rf_ply *end = out;
    if (s->bonus != SI_NO_SQUARE) {
        end = si_put_moves(end, s->bonus, si_champion_reach(si_bit(s->bonus), v.empty, v.empty | v.enemy_all));
        *end++ = si_ply(SI_STAY, 0, 0);
        return (size_t)(end - out);
    }
    for (si_set missed = s->missed; missed != 0; missed &= missed - 1)
        *end++ = si_ply(SI_HUFF, si_lsb(missed), 0);
    const rf_ply *moves = end;
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++)
        for (si_set left = v.own[kind]; left != 0; left &= left - 1) {
            unsigned from = si_lsb(left);
            end = si_put_moves(end, from, si_neighbours[from] & (v.empty | v.prey[kind]));
        }
    for (si_set left = v.own[SI_CHAMPION]; left != 0; left &= left - 1) {
        unsigned from = si_lsb(left);
        end = si_put_moves(end, from, si_champion_reach(si_bit(from), v.empty, v.empty | v.enemy_all));
    }
    if (end == moves)
        *end++ = si_ply(SI_PASS, 0, 0); /* S9 */
    return (size_t)(end - out);
}

static uint64_t si_count(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const si_state *s = (const si_state *)state;
    if (RF_UNLIKELY(si_result(s) != RF_OUTCOME_NONE))
        return 0;
    const si_view v = si_view_of(s, s->side);
    if (RF_UNLIKELY(s->bonus != SI_NO_SQUARE))
        return si_count_champions(&v, si_bit(s->bonus)) + 1;
    unsigned moves = si_count_moves(&v);
    return si_popcount(s->missed) + (moves != 0 ? moves : 1);
}

/* ---- playing a ply ---- */

static inline void si_remove(si_state *s, si_set bits)
{
    s->south &= ~bits;
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        s->kinds[kind] &= ~bits;
}

static inline void si_end_turn(si_state *s)
{
    s->side ^= 1;
    s->bonus = SI_NO_SQUARE;
}

/* S7: the stones that have missed a capture once a stone has gone from `from` to `to`. */
static inline si_set si_missed_after(unsigned huff, si_set capturers, si_set from, si_set to, bool captured)
{
    if (captured)
        return huff == SI_HUFF_STONE ? capturers & ~from : 0;
    return capturers & from ? (capturers & ~from) | to : capturers;
}

si_set si_capturers(const si_state *s, const si_view *v)
{
    if (s->huff == SI_HUFF_OFF)
        return 0;
    return s->bonus != SI_NO_SQUARE ? s->missed : si_could_capture(v);
}

void si_move(const si_state *before, const si_view *v, si_set capturers, unsigned from_square, unsigned to_square,
             si_state *s)
{
    const si_set from = si_bit(from_square), to = si_bit(to_square);
    const unsigned side = before->side;
    const unsigned kind = si_kind_on(before, from_square);
    const bool captured = (v->enemy_all & to) != 0;
    const bool promoted = kind != SI_CHAMPION && si_on_farthest_rank(before, to_square, side);
    si_set missed = si_missed_after(before->huff, capturers, from, to, captured);

    *s = *before;
    si_remove(s, from | to);
    if (side == SI_SOUTH)
        s->south |= to;
    s->kinds[promoted ? SI_CHAMPION : kind] |= to;
    s->passes = 0;
    if (RF_UNLIKELY(captured && v->enemy_all == to)) { /* S8: nothing is pending in a finished position */
        s->missed = 0;
        si_end_turn(s);
        return;
    }
    if (promoted) {
        const si_set empty = (v->empty | from) & ~to;
        if (s->huff != SI_HUFF_OFF && !captured && si_champion_reach(to, empty, v->enemy_all) != 0)
            missed |= to;
        s->bonus = (uint8_t)to_square;
    } else {
        si_end_turn(s);
    }
    s->missed = missed;
}

void si_huff(const si_state *before, unsigned square, si_state *s)
{
    *s = *before;
    si_remove(s, si_bit(square));
    s->missed = 0;
}

void si_stay(const si_state *before, si_state *s)
{
    *s = *before;
    si_end_turn(s);
}

/* A side that cannot move could not capture either. */
void si_pass(const si_state *before, si_state *s)
{
    *s = *before;
    s->passes++;
    s->missed = 0;
    si_end_turn(s);
}

static bool si_null_ply(const void *ctx, const rf_state *state, rf_state *out, rf_error *error)
{
    (void)ctx;
    const si_state *before = (const si_state *)state;
    si_state *s = (si_state *)out;
    if (before->bonus != SI_NO_SQUARE)
        return rf_fail(error, RF_ILLEGAL, 0, 0, "null-pending", "a bonus is open", NULL);
    *s = *before;
    s->missed = 0;
    s->passes = 0;
    si_end_turn(s);
    return true;
}

static void si_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    (void)ctx;
    const si_state *before = (const si_state *)state;
    si_state *s = (si_state *)out;
    si_view v;
    switch (si_ply_kind(ply)) {
    case SI_MOVE:
        v = si_view_of(before, before->side);
        si_move(before, &v, si_capturers(before, &v), si_from(ply), si_to(ply), s);
        return;
    case SI_HUFF:
        si_huff(before, si_from(ply), s);
        return;
    case SI_STAY:
        si_stay(before, s);
        return;
    default:
        si_pass(before, s);
    }
}

/* ---- what the search for forced wins asks: a ply takes at most one stone, so few stones bring the end (S8) near
 * ---- */

bool si_wins_now(const void *ctx, const rf_state *state)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    const si_set enemies = si_stones_of(s, s->side ^ 1u);
    if ((enemies & (enemies - 1)) != 0)
        return false;
    const si_view v = si_view_of(s, s->side);
    if (s->bonus != SI_NO_SQUARE)
        return si_champion_reach(si_bit(s->bonus), v.empty, enemies) != 0;
    return s->missed != 0 || si_could_capture(&v) != 0;
}

unsigned si_useful_plies(const void *ctx, const rf_state *state, unsigned player, unsigned plies)
{
    const si_state *s = (const si_state *)state;
    const unsigned winner = player - 1;
    (void)ctx;
    const si_set own = si_stones_of(s, winner);
    const unsigned enemies = si_popcount(si_occupied(s) & ~own);
    if (enemies > plies)
        return 0;
    unsigned promotions = si_popcount(own & ~s->kinds[SI_CHAMPION]), first = 0;
    if (s->side == winner && s->bonus != SI_NO_SQUARE) {
        first = 1;
    } else if (s->side == winner) {
        first = (s->missed != 0) + 1u + (promotions > 0);
        promotions -= promotions > 0;
    }
    const unsigned left = enemies > first ? enemies - first : 0, a_turn = 1u + (s->huff != SI_HUFF_OFF);
    unsigned turns = (left + a_turn) / (a_turn + 1); /* with a promotion in each */
    if (turns > promotions)
        turns = (left - promotions + a_turn - 1) / a_turn;
    return plies < enemies + turns ? 0 : plies;
}

size_t si_safe_plies(const void *ctx, const rf_state *state, rf_ply *out, uint8_t *threats)
{
    const si_state *s = (const si_state *)state;
    const si_set enemies = si_stones_of(s, s->side ^ 1u);
    const size_t count = si_generate(ctx, state, out);
    for (size_t i = 0; i < count; i++) {
        const unsigned what = si_ply_kind(out[i]);
        threats[i] = what == SI_HUFF || (what == SI_MOVE && (enemies & si_bit(si_to(out[i]))) != 0);
    }
    return count;
}

#define RF_BULK_PLIES 2
#include "perft.inc"

static const rf_win_part si_win_part = {
    .wins_now = si_wins_now,
    .useful_plies = si_useful_plies,
    .safe_plies = si_safe_plies,
};

const si_endgame_rules RF_EXPORT(si_rules) = {
    .from_state = si_endgame_of,
    .to_state = si_state_of,
    .plies = si_endgame_plies,
    .turns = &RF_EXPORT(si_turns),
};

const rf_game RF_EXPORT(rf_game_siaius) = {
    .id = "siaius",
    .start = "siaius smtsmtsmts/mtsmtsmtsm/tsmtsmtsmt/10/10/10/10/TSMTSMTSMT/MTSMTSMTSM/SMTSMTSMTS s - - 0",
    .state_size = sizeof(si_state),
    .max_plies = SI_MAX_PLIES,
    .max_text = 768, /* 120 stones, 119 of them missed with up to four bytes each, and the other fields */
    .max_ply_text = 8,
    .solver = RF_SOLVER_WIN,
    .needs_context = false,
    .has_runs = true,
    .init = si_init,
    .parse = si_parse,
    .format_field = si_format_field,
    .format_square = si_format_square,
    .describe = si_describe,
    .parse_ply = si_parse_ply,
    .format_ply = si_format_ply,
    .generate = si_generate,
    .count = si_count,
    .apply = si_apply,
    .null_ply = si_null_ply,
    .outcome = si_outcome,
    .player = si_player,
    .mid_turn = si_mid_turn,
    .perft = si_perft,
    .hash = si_hash,
    .reachable = si_reachable,
    .image = si_image,
    .wins = &si_win_part,
    .kinds = &si_ply_kind_part,
    .tables = RF_TABLES(si_table_part),
};

#undef RF_PREFIX
