/* The King of Rings (rules K1 to K11 in core_c/rules/rings.md). */
#include "rings/questions.h"

#define RF_PREFIX kr_

/* ---- plies ---- */

static inline uint64_t kr_count_moves(const kr_state *s, unsigned side)
{
    uint64_t free = kr_free(s);
    uint64_t total = s->hands[side] > 0 ? rf_popcount(free) : 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        total += rf_popcount(kr_reach(s, side, free, rf_lowest(left)));
    return total;
}

static uint64_t kr_count(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (kr_is_over(s))
        return 0;
    uint64_t moves = kr_count_moves(s, s->side);
    return moves > 0 ? moves : 1;
}

static size_t kr_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (kr_is_over(s))
        return 0;
    size_t plies = kr_list_moves(s, s->side, out);
    if (plies == 0)
        out[plies++] = kr_pass;
    return plies;
}

static void kr_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    (void)ctx;
    kr_state *s = (kr_state *)out;
    *s = *kr_read(state);
    kr_play(s, ply);
}

/* The passes are cleared: a player that passed may have a move once the other has given up its turn. */
static bool kr_null_ply(const void *ctx, const rf_state *state, rf_state *out, rf_error *error)
{
    (void)ctx;
    (void)error;
    kr_state *s = (kr_state *)out;
    *s = *kr_read(state);
    s->side = !s->side;
    s->passes = 0;
    return true;
}

/* ---- outcome ---- */

int kr_balance(const kr_state *s)
{
    int score = 0;
    for (uint64_t left = s->knights[KR_SOUTH]; left != 0; left &= left - 1)
        score += (int)kr_points_held(s, rf_lowest(left));
    for (uint64_t left = s->knights[KR_NORTH]; left != 0; left &= left - 1)
        score -= (int)kr_points_held(s, rf_lowest(left));
    return score;
}

static int kr_score(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return kr_balance(kr_read(state));
}

static int kr_outcome(const void *ctx, const rf_state *state)
{
    if (!kr_is_over(kr_read(state)))
        return RF_OUTCOME_NONE;
    (void)ctx;
    int score = kr_balance(kr_read(state));
    return score == 0 ? RF_OUTCOME_DRAW : score > 0 ? 1 : 2;
}

static unsigned kr_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_read(s)->side + 1u;
}

static uint64_t kr_hash(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_hash_state(kr_read(s));
}

#define RF_BULK_PLIES 3
#include "perft.inc"

/* ---- margins ---- */

/* The points of all rings that are there. */
static int kr_widest_margin(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    unsigned points = rf_popcount(s->ring[0]) + 3 * rf_popcount(s->ring[1]) + 5 * rf_popcount(s->ring[2]);
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1)
        points += kr_points_held(s, rf_lowest(left));
    return (int)points;
}

/* Anything but steps of knights without rings and passes (K11). */
static bool kr_margin_progress(const void *ctx, const rf_state *state, rf_ply ply)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (ply == kr_pass)
        return false;
    return kr_from(ply) == KR_FROM_HAND || ((kr_free(s) | s->knights[!s->side]) & kr_bit(kr_to(ply))) != 0;
}

#include "search/threshold.inc"

static const rf_margin_part kr_margin_part = {
    .score = kr_score,
    .widest = kr_widest_margin,
    .progress = kr_margin_progress,
    .attack = kr_margin_attack,
    .bounds = kr_margin_bounds,
    .endless = kr_margin_endless,
    .board = kr_margin_board,
};

const rf_game RF_EXPORT(rf_game_rings) = {
    .id = "rings",
    .start = "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0",
    .state_size = sizeof(kr_state),
    .max_plies = KR_MOST_PLIES,
    .max_text = 192,
    .max_ply_text = 8,
    .solver = RF_SOLVER_MARGIN,
    .needs_context = false,
    .init = kr_init,
    .parse = kr_parse,
    .format = kr_format,
    .describe = kr_describe,
    .parse_ply = kr_parse_ply,
    .format_ply = kr_format_ply,
    .generate = kr_generate,
    .count = kr_count,
    .apply = kr_apply,
    .null_ply = kr_null_ply,
    .outcome = kr_outcome,
    .player = kr_player,
    .hash = kr_hash,
    .perft = kr_perft,
    .margins = &kr_margin_part,
    .kinds = &kr_kind_part,
};

#undef RF_BULK_PLIES
#undef RF_PREFIX
