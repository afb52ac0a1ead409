/* The King of Rings: the rules (K1 to K11 in core_c/rules/rings.md), as functions of struct rf_game.
 *
 * Idea: kr_targets (describe.c) has the targets of a knight for each square and number of rings it holds; masked by the
 * free squares and the enemy, it gives the plies.
 * Invariants: kr_count returns the number of plies that kr_generate writes; rings.h describes the state.
 * Example: a knight that holds two rings moves two squares in a straight line (K4, K5): kr_targets[square][2]. */
#include "rings/rings.h"
#include "rings/solver/solver.h"

#define RF_PREFIX kr_

/* ---- plies ---- */

static inline uint64_t kr_count_moves(const kr_state *s, unsigned side)
{
    uint64_t free = kr_free(s);
    uint64_t total = s->hands[side] > 0 ? rf_popcount(free) : 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        total += rf_popcount(kr_reach(s, side, free, rf_lsb(left)));
    return total;
}

static uint64_t kr_count(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_state_of(state);
    if (kr_is_over(s))
        return 0;
    uint64_t moves = kr_count_moves(s, s->side);
    return moves > 0 ? moves : 1;
}

static size_t kr_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    (void)ctx;
    const kr_state *s = kr_state_of(state);
    return kr_is_over(s) ? 0 : kr_legal_plies(s, out);
}

static void kr_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    (void)ctx;
    kr_state *s = (kr_state *)out;
    *s = *kr_state_of(state);
    kr_play(s, ply);
}

/* The passes are cleared: a player that passed may have a move once the other has given up its turn. */
static bool kr_null_ply(const void *ctx, const rf_state *state, rf_state *out, rf_error *error)
{
    (void)ctx;
    (void)error;
    kr_state *s = (kr_state *)out;
    *s = *kr_state_of(state);
    s->side = !s->side;
    s->passes = 0;
    return true;
}

/* ---- outcome ---- */

static int kr_outcome(const void *ctx, const rf_state *state)
{
    (void)ctx;
    if (!kr_is_over(kr_state_of(state)))
        return RF_OUTCOME_NONE;
    int score = kr_balance(kr_state_of(state));
    return score == 0 ? RF_OUTCOME_DRAW : score > 0 ? 1 : 2;
}

static unsigned kr_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_state_of(s)->side + 1u;
}

static uint64_t kr_hash(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_hash_state(kr_state_of(s));
}

/* Counts depend on how many rings a knight holds, not on which. A sum of products with random numbers differs for
 * different holders as surely as any hash of 64 bits. */
static uint64_t kr_count_hash(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_state_of(state);
    uint64_t held = 0;
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1) {
        unsigned square = rf_lsb(left);
        held += kr_rings(s, square) * kr_random[square];
    }
    int rest = s->hands[KR_SOUTH] | s->hands[KR_NORTH] << 8 | s->side << 16 | s->passes << 17 | s->files << 19;
    return rf_mix(rf_mix(kr_free(s), held), rf_mix(s->knights[KR_SOUTH], s->knights[KR_NORTH]) ^ (unsigned)rest);
}

#define RF_COUNT_HASH
#define RF_BULK_PLIES 3
#include "perft.inc"

const rf_game RF_EXPORT(rf_game_rings) = {
    .id = "rings",
    .start = "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0",
    .state_size = sizeof(kr_state),
    .max_plies = KR_MAX_PLIES,
    .max_text = 192,
    .max_ply_text = 8,
    .solver = RF_SOLVER_MARGIN,
    .needs_context = false,
    .init = kr_init,
    .parse = kr_parse,
    .format_field = kr_format_field,
    .format_square = kr_format_square,
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
    .image = kr_image,
    .perft = kr_perft,
    .margins = &RF_EXPORT(kr_margin_part),
    .kinds = &kr_ply_kind_part,
};

#undef RF_BULK_PLIES
#undef RF_COUNT_HASH
#undef RF_PREFIX
