/* Gygès: the rules (core_c/rules/gyges.md), as functions of struct rf_game.
 *
 * gyges.h describes the state. paths.c finds the ends of a ring; this file makes plies of them and plays them.
 * Example: the ring on b2 ends on e5, where another ring is. gy_list_ring_plies lists one displacement for each square
 * on which that ring may be put (G7). */
#include "common/text.h"
#include "gyges/endgame/endgame.h"
#include "gyges/threats.h"

/* ---- plies ---- */

static int gy_outcome(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    if (p->goals[0] == 0)
        return 1;
    return p->goals[1] == 0 ? 2 : RF_OUTCOME_NONE;
}

static size_t gy_list_ring_plies(const gy_position *p, unsigned from, uint64_t ends, rf_ply *out)
{
    uint64_t others = gy_occupied(&p->rings) & ~gy_bit(from);
    size_t count = 0;
    for (uint64_t rest = ends & ~others; rest != 0; rest &= rest - 1)
        out[count++] = gy_ply(GY_MOVE, from, rf_lsb(rest), 0);
    uint64_t targets = ends & others;
    if (targets == 0)
        return count;
    uint64_t squares = gy_drop_squares(1 - p->side, others);
    for (; targets != 0; targets &= targets - 1)
        for (uint64_t rest = squares; rest != 0; rest &= rest - 1)
            out[count++] = gy_ply(GY_DISPLACE, from, rf_lsb(targets), rf_lsb(rest));
    return count;
}

uint64_t gy_movers(const gy_position *p)
{
    uint64_t left = gy_occupied(&p->rings);
    while (left != 0) {
        uint64_t rank = left & gy_rank(gy_nearest_rank(p->side, left));
        for (uint64_t rest = rank; rest != 0; rest &= rest - 1)
            if (gy_can_move(p, rf_lsb(rest)))
                return rank;
        left &= ~rank;
    }
    return 0;
}

size_t gy_generate(const void *ctx, const rf_state *s, rf_ply *out)
{
    (void)ctx;
    const gy_position *p = (const gy_position *)s;
    size_t count = 0;
    if (gy_is_over(p))
        return 0;
    if (p->throne != 0) {
        for (uint64_t rest = gy_put_squares(1 - p->side, gy_occupied(&p->rings)); rest != 0; rest &= rest - 1)
            out[count++] = gy_ply(GY_PUT, 0, rf_lsb(rest), 0);
        return count;
    }
    if (gy_setting_up(p)) {
        for (; count < GY_SETUPS; count++)
            out[count] = gy_ply(GY_SETUP, 0, (unsigned)count, 0);
        return count;
    }
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        count += gy_list_ring_plies(p, from, gy_ends(p, from), out + count);
    }
    return count;
}

uint64_t gy_count(const void *ctx, const rf_state *s)
{
    (void)ctx;
    const gy_position *p = (const gy_position *)s;
    if (gy_is_over(p))
        return 0;
    if (p->throne != 0)
        return rf_popcount(gy_put_squares(1 - p->side, gy_occupied(&p->rings)));
    if (gy_setting_up(p))
        return GY_SETUPS;
    uint64_t count = 0;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        count += gy_count_ring(p->side, gy_occupied(&p->rings) & ~gy_bit(from), gy_ends(p, from));
    }
    return count;
}

static void gy_move_ring(gy_position *p, rf_ply ply)
{
    unsigned from = gy_from(ply), to = gy_to(ply), height = gy_height(&p->rings, from);
    gy_remove(&p->rings, gy_bit(from)); /* first, since a displaced ring can go there */
    if (gy_ply_kind(ply) == GY_DISPLACE) {
        gy_add(&p->rings, gy_bit(gy_drop(ply)), gy_height(&p->rings, to));
        gy_remove(&p->rings, gy_bit(to));
    }
    if (to == GY_THRONE) {
        p->throne = (uint8_t)height;
        p->goals[p->side]--;
    } else {
        gy_add(&p->rings, gy_bit(to), height);
    }
    p->side = 1 - p->side;
}

void gy_apply(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out)
{
    const gy_position *p = (const gy_position *)s;
    gy_position next = *p;
    unsigned to = gy_to(ply);
    (void)ctx;
    switch (gy_ply_kind(ply)) {
    case GY_PUT: /* the same player then moves (G9) */
        gy_add(&next.rings, gy_bit(to), p->throne);
        next.throne = 0;
        break;
    case GY_SETUP:
        for (unsigned file = 0; file < 6; file++)
            gy_add(&next.rings, gy_bit(gy_square(file, p->side == 0 ? 0 : 5)), gy_setups[to][file]);
        next.side = 1 - p->side;
        next.setups--;
        break;
    case GY_MOVE:
    case GY_DISPLACE:
        gy_move_ring(&next, ply);
        break;
    }
    *(gy_position *)out = next;
}

static bool gy_null_ply(const void *ctx, const rf_state *s, rf_state *out, rf_error *error)
{
    const gy_position *p = (const gy_position *)s;
    gy_position *next = (gy_position *)out;
    (void)ctx;
    if (p->throne != 0)
        return rf_fail(error, RF_ILLEGAL, 0, 0, "null-pending", "a throne holds a ring", NULL);
    if (gy_setting_up(p))
        return rf_fail(error, RF_ILLEGAL, 0, 0, "null-pending", "a player sets up", NULL);
    *next = *p;
    next->side = 1 - p->side;
    return true;
}

static unsigned gy_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return ((const gy_position *)s)->side + 1u;
}

static uint64_t gy_hash(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    uint64_t rest = (uint64_t)(p->side | p->throne << 1 | p->goals[0] << 3 | p->goals[1] << 7 | p->setups << 11);
    return rf_mix(rf_mix(p->rings.low, p->rings.high), rest);
}

/* Each placement of at most five rings, with either side to move and the goals that may be left. Rings on a throne are
 * few and not counted. */
static uint64_t gy_reachable(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    unsigned count[4];
    (void)ctx;
    gy_count_heights(&p->rings, count);
    count[p->throne]++;
    if (gy_setting_up(p) || gy_is_over(p) || count[1] + count[2] + count[3] > 5)
        return 0;
    uint64_t positions = 2u * p->goals[0] * p->goals[1];
    unsigned squares = 36;
    for (unsigned height = 1; height <= 3; height++)
        for (unsigned i = 1; i <= count[height]; i++) /* equal rings do not differ */
            positions = positions * squares-- / i;
    return positions;
}

#define RF_PREFIX gy_
#define RF_BULK_PLIES 3
#define RF_BULK_IS_SLOW
#include "perft.inc"
#undef RF_BULK_PLIES
#undef RF_BULK_IS_SLOW
#undef RF_PREFIX

static const rf_win_part gy_win_part = {
    .hints_size = sizeof(gy_hints),
    .wins_now = gy_wins_now,
    .useful_plies = gy_useful_plies,
    .wins_soon = gy_wins_soon,
    .store_refutation = gy_store_refutation,
    .safe_plies = gy_safe_plies,
    .count_safe = gy_count_safe,
    .canonical = gy_canonical,
    .map_ply = gy_map_ply,
};

/* A table serves both sides. */
static rf_material gy_swapped(rf_material m) { return m; }

static const rf_tablebase_part gy_table_part = {
    .is_class = gy_is_material,
    .swapped = gy_swapped,
    .entries = gy_table_entries,
    .new_tables = gy_tables_new,
    .free_tables = gy_tables_free,
    .add = gy_add_table,
    .source = gy_source,
    .positions = gy_positions,
    .other_side = gy_other_side,
    .probe = gy_probe,
    .text = gy_entry_text,
    .verify = gy_verify,
    .build_memory = gy_build_memory,
    .new_build = gy_build_new,
    .next_step = gy_build_next_step,
    .do_rows = gy_build_rows,
    .checkpoint = gy_build_checkpoint,
    .checkpoint_part = gy_build_checkpoint_part,
    .resume = gy_build_resume,
    .longest = gy_build_longest,
    .write = gy_build_write,
    .free_build = gy_build_free,
};

const rf_game RF_EXPORT(rf_game_gyges) = {
    .id = "gyges",
    .start = "gyges ....../....../....../....../....../...... s - 1+1",
    .state_size = sizeof(gy_position),
    .max_plies = GY_MAX_PLIES,
    .max_text = GY_MAX_TEXT,
    .max_ply_text = GY_MAX_PLY_TEXT,
    .solver = RF_SOLVER_WIN,
    .needs_context = false,
    .init = gy_init,
    .parse = gy_parse,
    .format_field = gy_format_field,
    .format_square = gy_format_square,
    .describe = gy_describe,
    .parse_ply = gy_parse_ply,
    .format_ply = gy_format_ply,
    .format_path = gy_format_path,
    .generate = gy_generate,
    .count = gy_count,
    .apply = gy_apply,
    .null_ply = gy_null_ply,
    .outcome = gy_outcome,
    .player = gy_player,
    .hash = gy_hash,
    .reachable = gy_reachable,
    .image = gy_image,
    .perft = gy_perft,
    .wins = &gy_win_part,
    .kinds = &gy_ply_kind_part,
    .tables = RF_TABLES(gy_table_part),
};
