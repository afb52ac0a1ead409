/* perft of Gygès without playing its last two plies.
 *
 * Idea: the plies of a ring leave ten other rings unchanged. If it displaces a ring of another height, the moved ring
 * replaces that ring, and the displaced ring goes to a square that G7 allows. Otherwise the moved ring, or an equal one
 * that it displaces, goes to an empty square. So the plies of a ring form groups of positions (threats.h): eleven fixed
 * rings, and a twelfth on any square of a set. Each such square is a lane, and a group is counted as a whole: lanes.c
 * searches each ring that may reply (G4) in all lanes together. The number of replies of a ring in a lane is
 *     empty ends, including the throne, + rings landed on * squares for a displaced ring (G7, G10).
 * The last factor is the same in nearly all lanes, so lanes without bounces are counted by popcounts.
 * Invariant: the sum is exact; gy_count counts each position that the lanes cannot.
 * Example: `perft 2` lists the groups of each ring that may move, and adds gy_count_groups of each list. */
#include "gyges/lanes.h"

/* ---- groups ---- */

/* The number of plies that lead to these lanes. */
static inline uint64_t gy_count_plies_to(const gy_group *g, uint64_t lanes)
{
    return rf_popcount(lanes & g->single) + (g->times == 0 ? 0 : g->times * rf_popcount(lanes & g->multiple));
}

/* The positions after the ring on the throne is put back (G9). */
static gy_group gy_group_from_throne(const gy_position *p)
{
    uint64_t squares = gy_put_squares(1 - p->side, gy_occupied(&p->rings));
    return (gy_group){.fixed = p->rings, .single = squares, .height = p->throne};
}

/* ---- counts ---- */

/* Counts of separate lanes, by the height of the twelfth ring, for the other groups of the same list. */
typedef struct {
    uint64_t known[4];
    uint64_t dependencies[4][64]; /* rings whose heights the count depends on */
    uint32_t plies[4][64];
} gy_lane_cache;

/* The number of plies of w's ring in one lane of a group. */
static uint64_t gy_count_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, gy_lane_cache *memory)
{
    unsigned square = rf_lsb(lane), height = g->height;
    if ((memory->known[height] & lane) && !(memory->dependencies[height][square] & g->replaced))
        return memory->plies[height][square];
    uint64_t dependencies = w->dependencies, ends = gy_ends_in_lane(w, g, lane, &dependencies);
    uint64_t plies = gy_count_ring(w->side, gy_occupied(&w->rings) | lane, ends);
    if (!(dependencies & g->replaced)) {
        memory->known[height] |= lane;
        memory->dependencies[height][square] = dependencies;
        memory->plies[height][square] = (uint32_t)plies;
    }
    return plies;
}

/* The number of plies of w's ring, summed over all plies of the group. *movable gets the lanes in which it has a
 * ply. */
static uint64_t gy_count_ring_in_lanes(const gy_lane_search *w, const gy_group *g, uint64_t lanes,
                                       gy_lane_cache *memory, uint64_t *movable)
{
    const uint64_t others = gy_occupied(&w->rings);
    uint64_t total = 0, together = lanes & ~w->separate;
    if (together != 0) {
        uint64_t on_throne = 0, empty = 0, ring = 0;
        for (uint64_t rest = w->ends & gy_throne_steps[w->side]; rest != 0; rest &= rest - 1)
            on_throne |= w->reach[rf_lsb(rest)];
        uint64_t moved = on_throne;
        for (uint64_t rest = w->ends & gy_board; rest != 0; rest &= rest - 1) {
            uint64_t reach = w->reach[rf_lsb(rest)];
            moved |= reach;
            *(others & rest & -rest ? &ring : &empty) += gy_count_plies_to(g, reach & together);
        }
        *movable |= moved & together;
        total = empty + gy_count_plies_to(g, on_throne & together) + ring * w->drop_count;
    }
    for (uint64_t rest = lanes & w->separate; rest != 0; rest &= rest - 1) {
        uint64_t lane = rest & -rest, plies = gy_count_in_lane(w, g, lane, memory);
        *movable |= plies != 0 ? lane : 0;
        total += gy_count_plies_to(g, lane) * plies;
    }
    return total;
}

/* The number of plies of the twelfth ring in one lane. */
static uint64_t gy_count_twelfth(const gy_group *g, unsigned side, gy_leg_lists *lists, uint64_t lane)
{
    return gy_count_ring(side, gy_occupied(&g->fixed), gy_ends_by_lists(lists, &g->fixed, rf_lsb(lane), g->height,
                                                                        side));
}

/* The number of plies of `side` in all positions of the groups, whose eleven fixed rings are on the same squares. */
static uint64_t gy_count_groups(const gy_group *groups, unsigned count, unsigned side, gy_leg_lists *lists)
{
    const uint64_t all = gy_occupied(&groups[0].fixed);
    const uint64_t nearer = gy_nearer_than(side, all);
    const uint64_t rank = all == 0 ? 0 : gy_rank(gy_nearest_rank(side, all)), active = all & rank;
    uint64_t movable[GY_RING_GROUPS] = {0}, total = 0;
    uint64_t lanes = 0;
    gy_lane_search common, own;
    common.side = own.side = side;
    common.lists = own.lists = lists;
    /* 1. All lanes in which a ring of the nearest rank of the eleven may move. */
    for (unsigned i = 0; i < count; i++)
        lanes |= gy_group_squares(&groups[i]) & ~nearer;
    if (active & lists->fixed)
        gy_init_leg_lists(lists, lists->rings, (lists->rings & ~lists->fixed) | active);
    for (uint64_t rest = active; rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        /* 2. The groups differ in the height of one fixed ring. If it does not matter, one search serves all groups. */
        gy_lane_cache memory;
        memset(memory.known, 0, sizeof memory.known);
        gy_search_ring(&common, &groups[0], from, lanes);
        for (unsigned i = 0; i < count; i++) {
            const gy_group *g = &groups[i];
            const gy_lane_search *w = &common;
            if (common.dependencies & g->replaced) {
                gy_search_ring(&own, g, from, gy_group_squares(g) & ~nearer);
                w = &own;
            }
            total += gy_count_ring_in_lanes(w, g, gy_group_squares(g) & ~nearer, &memory, &movable[i]);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const gy_group *g = &groups[i];
        /* 3. A twelfth ring on the active rank may move too; one nearer to the player is the only ring that may
         *    (G4). If no ring of the nearest rank can move, rings of other ranks may: gy_count counts such a
         *    position. */
        uint64_t first = gy_group_squares(g) & (nearer | rank);
        for (uint64_t rest = gy_group_squares(g) & (first | ~movable[i]); rest != 0; rest &= rest - 1) {
            uint64_t lane = rest & -rest, plies = 0;
            if (lane & first)
                plies = gy_count_twelfth(g, side, lists, lane);
            if (plies == 0 && !(lane & movable[i])) {
                gy_position p = gy_group_position(g, lane, side);
                plies = gy_count(NULL, (const rf_state *)&p);
            }
            total += gy_count_plies_to(g, lane) * plies;
        }
    }
    return total;
}

static uint64_t gy_count_from(const gy_position *p, unsigned depth);

/* gy_count_from, summed over all plies of the groups. */
static uint64_t gy_count_below(const gy_position *before, const gy_group *groups, unsigned count, unsigned side,
                               unsigned depth, gy_leg_lists *lists)
{
    if (depth == 1)
        return gy_count_groups(groups, count, side, lists);
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++)
        for (uint64_t rest = gy_group_squares(&groups[i]); rest != 0; rest &= rest - 1) {
            gy_position p = gy_group_position(&groups[i], rest & -rest, side);
            memcpy(p.goals, before->goals, sizeof p.goals);
            total += gy_count_plies_to(&groups[i], rest & -rest) * gy_count_from(&p, depth);
        }
    return total;
}

/* perft of a position that is set up and not over, 2 or 3 plies deep. */
static uint64_t gy_count_from(const gy_position *p, unsigned depth)
{
    gy_group groups[GY_RING_GROUPS];
    gy_leg_lists lists;
    const unsigned side = p->side, other = 1 - side;
    if (p->throne != 0) { /* the same player then moves (G9) */
        groups[0] = gy_group_from_throne(p);
        gy_init_leg_lists(&lists, gy_occupied(&p->rings), 0);
        return gy_count_below(p, groups, 1, side, depth - 1, &lists);
    }
    uint64_t movers = gy_movers(p), all = gy_occupied(&p->rings), total = 0;
    gy_init_leg_lists(&lists, all, movers | (all & gy_rank(gy_nearest_rank(other, all))));
    for (uint64_t rest = movers; rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        gy_rings others = p->rings;
        gy_remove(&others, gy_bit(from));
        uint64_t ends = gy_ends_by_lists(&lists, &others, from, gy_height(&p->rings, from), side);
        if ((ends & gy_bit(GY_THRONE)) && p->goals[side] > 1) { /* not the last conquest (G9) */
            gy_position next;
            gy_apply(NULL, (const rf_state *)p, gy_ply(GY_MOVE, from, GY_THRONE, 0), (rf_state *)&next);
            total += depth == 2 ? gy_count(NULL, (const rf_state *)&next) : gy_count_from(&next, depth - 1);
        }
        unsigned count = gy_list_ring_groups(p, from, ends, groups);
        total += gy_count_below(p, groups, count, other, depth - 1, &lists);
    }
    return total;
}

uint64_t gy_count_bulk(const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists)
{
    const gy_position *p = (const gy_position *)s;
    if (gy_is_over(p))
        return 0;
    if (!gy_setting_up(p))
        return gy_count_from(p, depth);
    uint64_t total = 0;
    size_t plies = gy_generate(ctx, s, lists);
    for (size_t i = 0; i < plies; i++) {
        rf_state next;
        gy_apply(ctx, s, lists[i], &next);
        total += depth == 2 ? gy_count(ctx, &next) : gy_count_bulk(ctx, &next, depth - 1, lists + plies);
    }
    return total;
}
