/* The paths of one ring, in all lanes of a group together or in one lane (lanes.h has the idea and an example).
 *
 * gy_search_ring searches over the eleven fixed rings, breadth first, in all lanes together. gy_ends_in_lane completes
 * the result for a lane in which the moving ring lands on the twelfth ring.
 * Invariant: a path lands on each ring at most once. To land on a ring again reaches no new end: the path without the
 * circle uses fewer connections. */
#include "gyges/lanes.h"

/* ---- an upper bound of the ends in reach ---- */

/* Spread the used connections (gy_edge) over the board: those along a rank to their western squares, those along a file
 * to their southern squares. */
#if defined(__BMI2__)
static inline uint64_t gy_used_along(uint64_t used)
{
    return __builtin_ia32_pdep_di(used, UINT64_C(0x003e3e3e3e3e3e00));
}
static inline uint64_t gy_used_across(uint64_t used)
{
    return __builtin_ia32_pdep_di(used >> 30, UINT64_C(0x00007e7e7e7e7e00));
}
#else
static inline uint64_t gy_used_along(uint64_t used)
{
    return (used & 0x1f) << 9 | (used & 0x1f << 5) << 12 | (used & 0x1f << 10) << 15 | (used & 0x1f << 15) << 18 |
           (used & 0x1f << 20) << 21 | (used & 0x1f << 25) << 24;
}
static inline uint64_t gy_used_across(uint64_t used)
{
    used >>= 30;
    return (used & 0x3f) << 9 | (used & 0x3f << 6) << 11 | (used & 0x3f << 12) << 13 | (used & 0x3f << 18) << 15 |
           (used & 0x3f << 24) << 17;
}
#endif

/* Whether the ring on `from` may reach one of the `targets` without the connections `used` and without landing on
 * the `visited` rings. The test forgets all connections but the last one of each path, so only false is certain. Then
 * *dependencies gets the rings whose heights the answer depends on.
 *
 * Each round plays one leg of all rings that were landed on last, in all directions together. */
static bool gy_may_reach(const gy_rings *r, uint64_t from, unsigned height, uint64_t used, uint64_t visited,
                         uint64_t targets, uint64_t *dependencies)
{
    const uint64_t along = UINT64_C(0x003e3e3e3e3e3e00) & ~gy_used_along(used);
    const uint64_t across = UINT64_C(0x007e7e7e7e7e7e7e) & ~gy_used_across(used);
    const uint64_t free = gy_board & ~gy_occupied(r), rings = gy_occupied(r) & ~visited;
    const uint64_t one = height == 1 ? from : 0, two = height == 2 ? from : 0, three = height == 3 ? from : 0;
    gy_frontier first = {one, one, one, one}, second = {two, two, two, two}, third = {three, three, three, three};
    gy_frontier landed = {0, 0, 0, 0};
    for (;;) {
        /* 1. The last steps of the legs: three, two or one from here. */
        gy_frontier f = gy_restrict(gy_step(third, along, across), free);
        f = gy_restrict(gy_step(gy_unite(f, second), along, across), free);
        f = gy_step(gy_unite(f, first), along, across);
        if (gy_frontier_squares(f) & targets)
            return true;
        /* 2. New landings on rings, by direction. */
        gy_frontier added = {f.east & ~landed.east & rings, f.west & ~landed.west & rings,
                             f.north & ~landed.north & rings, f.south & ~landed.south & rings};
        if (gy_frontier_squares(added) == 0) {
            *dependencies |= gy_frontier_squares(landed);
            return false;
        }
        /* 3. Sort them by the height of the ring for the next round. */
        landed = gy_unite(landed, added);
        first = gy_restrict(added, gy_of_height(r, 1));
        second = gy_restrict(added, gy_of_height(r, 2));
        third = gy_restrict(added, gy_of_height(r, 3));
    }
}

/* ---- lists of free legs ---- */

void gy_init_leg_lists(gy_leg_lists *lists, uint64_t rings, uint64_t lifted)
{
    lists->rings = rings;
    lists->fixed = rings & ~lifted;
    memset(lists->filled, 0, sizeof lists->filled);
    lists->used = 0;
}

static void gy_fill_list(gy_leg_lists *lists, gy_free_legs *out, unsigned square, unsigned height)
{
    const gy_legs *list = &gy_all_legs[square][height];
    uint8_t chosen[2][GY_MAX_LEGS];
    unsigned bounces = 0, others = 0;
    for (unsigned i = 0; i < list->count; i++) {
        bool free = !(list->legs[i].through & lists->fixed), bounce = (list->legs[i].end & lists->rings) != 0;
        chosen[0][bounces] = chosen[1][others] = (uint8_t)i;
        bounces += free && bounce;
        others += free && !bounce;
    }
    unsigned count = bounces + others, padded = (count + 3) & ~3u;
    uint64_t *edges = lists->words + lists->used, *through = edges + padded, *end = through + padded;
    for (unsigned i = 0; i < padded; i++) {
        gy_leg leg = {0, 0, 0};
        if (i < count)
            leg = list->legs[i < bounces ? chosen[0][i] : chosen[1][i - bounces]];
        edges[i] = leg.edges;
        through[i] = leg.through;
        end[i] = leg.end;
    }
    *out = (gy_free_legs){edges, through, end, padded, bounces};
    lists->used += 3 * padded;
    lists->filled[height] |= gy_bit(square);
}

static inline const gy_free_legs *gy_get_legs(gy_leg_lists *lists, unsigned square, unsigned height)
{
    gy_free_legs *list = &lists->lists[height][square];
    if (RF_UNLIKELY(!(lists->filled[height] & gy_bit(square))))
        gy_fill_list(lists, list, square, height);
    return list;
}

/* Four legs at a time. Compilers do not vectorize a loop over single legs. */
typedef uint64_t gy_vector4 __attribute__((vector_size(32), aligned(8), may_alias));

/* The ends of the legs that pass no square of `occupied` and use no connection of `used`. */
static inline uint64_t gy_ends_of_legs(const gy_free_legs *list, uint64_t occupied, uint64_t used)
{
    gy_vector4 ends = {0, 0, 0, 0};
    for (unsigned i = 0; i < list->count; i += 4) {
        gy_vector4 edges = *(const gy_vector4 *)(list->edges + i), through = *(const gy_vector4 *)(list->through + i);
        ends |= (gy_vector4)(((edges & used) | (through & occupied)) == 0) & *(const gy_vector4 *)(list->end + i);
    }
    return ends[0] | ends[1] | ends[2] | ends[3];
}

/* ---- one ring in all lanes ---- */

/* Stores a landing on the twelfth ring, unless a stored one uses a subset of its connections. */
static void gy_add_bounce(gy_lane_search *w, unsigned square, uint64_t used, uint64_t visited)
{
    gy_bounce *bounces = w->bounces[square];
    if (!(w->bounced & gy_bit(square))) {
        w->bounced |= gy_bit(square);
        w->bounce_count[square] = 0;
    }
    unsigned count = w->bounce_count[square];
    for (unsigned i = 0; i < count; i++)
        if ((bounces[i].used & ~used) == 0)
            return;
    if (count == GY_MAX_LANE_BOUNCES) {
        w->overflowed |= gy_bit(square);
        return;
    }
    bounces[count] = (gy_bounce){used, visited};
    w->bounce_count[square]++;
}

/* The lanes in which this landing may lead to a new end. Stores the landing. */
static uint64_t gy_new_lanes(gy_lane_search *w, unsigned square, uint64_t used, uint64_t lanes)
{
    gy_lane_landing *landings = w->landings[square];
    if (!(w->landed & gy_bit(square))) {
        w->landed |= gy_bit(square);
        w->landing_count[square] = 0;
    }
    unsigned count = w->landing_count[square];
    for (unsigned i = 0; i < count; i++)
        if ((landings[i].used & ~used) == 0)
            lanes &= ~landings[i].lanes;
    if (lanes != 0 && count < GY_MAX_LANE_LANDINGS) {
        landings[count] = (gy_lane_landing){used, lanes};
        w->landing_count[square]++;
    }
    return lanes;
}

/* Finds all ends and bounces, breadth first. False if the queue is too short. */
static bool gy_search_lanes(gy_lane_search *w, uint64_t lanes)
{
    const uint64_t others = gy_occupied(&w->rings);
    unsigned queued = 1;
    memset(w->reach, 0, sizeof w->reach);
    w->ends = w->bounced = w->overflowed = w->landed = 0;
    w->queue[0] = (gy_lane_path){0, 0, lanes, (uint8_t)w->from, (uint8_t)w->height};
    for (unsigned next = 0; next < queued; next++) {
        const gy_lane_path path = w->queue[next];
        const gy_free_legs *list = gy_get_legs(w->lists, path.square, path.height);
        for (unsigned i = 0; i < list->count; i++) {
            uint64_t left = path.lanes & ~list->through[i], bit = list->end[i], used = path.used | list->edges[i];
            if ((list->edges[i] & path.used) | (list->through[i] & others) || left == 0 || bit == 0)
                continue;
            unsigned end = rf_lsb(bit);
            w->reach[end] |= left;
            w->ends |= bit;
            if (left & bit)
                gy_add_bounce(w, end, used, path.visited);
            if (!(bit & others & ~path.visited)) /* each ring once (see above) */
                continue;
            left = gy_new_lanes(w, end, used, left);
            if (left == 0)
                continue;
            if (queued == GY_LANE_QUEUE)
                return false;
            w->queue[queued++] =
                (gy_lane_path){used, path.visited | bit, left, (uint8_t)end, (uint8_t)gy_height(&w->rings, end)};
        }
    }
    return true;
}

void gy_search_ring(gy_lane_search *w, const gy_group *g, unsigned from, uint64_t lanes)
{
    w->from = from;
    w->height = gy_height(&g->fixed, from);
    w->rings = g->fixed;
    gy_remove(&w->rings, gy_bit(from));
    w->searched = gy_search_lanes(w, lanes);
    w->dependencies = gy_bit(from) | w->landed;
    if (!w->searched) {
        w->dependencies = ~UINT64_C(0);
        w->separate = lanes;
        return;
    }
    /* A displaced ring may not go nearer to the opponent than its active rank (G7). In a lane `before` all other
     * rings the ring of the lane sets that rank. In any other lane, the 36 squares minus that ring, the others and
     * those `before` remain. */
    const uint64_t before = gy_nearer_than(1 - w->side, gy_occupied(&w->rings));
    w->drop_count = before == gy_board ? 0 : 35 - rf_popcount(gy_occupied(&w->rings) | before);
    w->separate = lanes & (before | w->bounced);
    w->partial = w->ends & ~gy_board;
    for (uint64_t rest = w->ends & gy_board; rest != 0; rest &= rest - 1)
        w->partial |= w->separate & ~w->reach[rf_lsb(rest)] ? rest & -rest : 0;
}

/* ---- one ring in one lane, or in one position ---- */

typedef struct {
    gy_leg_lists *lists;
    const gy_lane_search *lanes; /* the search over all lanes, or NULL */
    uint64_t lane;               /* the square of the twelfth ring, or 0 */
    gy_rings rings;              /* all except the moving one */
    uint64_t throne;             /* fields that are steps onto the throne (G8) */
    uint64_t goals;              /* ends that count: the board and `throne` */
    uint64_t found;              /* ends */
    uint64_t landed;             /* rings with landings in `used_sets` */
    uint64_t dependencies;       /* as in gy_lane_search, without `landed` */
    gy_used_sets used_sets[64];
} gy_ring_search;

static void gy_init_ring_search(gy_ring_search *q, gy_leg_lists *lists, const gy_rings *rings, unsigned side)
{
    q->lists = lists;
    q->lanes = NULL;
    q->lane = 0;
    q->rings = *rings;
    q->throne = gy_throne_steps[side];
    q->goals = gy_board | q->throne;
    q->found = q->landed = q->dependencies = 0;
}

/* Whether an earlier landing on this ring used a subset of these connections. If not, stores this landing. */
static bool gy_is_known_landing(gy_ring_search *q, unsigned square, uint64_t used)
{
    if (q->lanes != NULL && (q->lanes->landed & gy_bit(square)))
        for (unsigned i = 0; i < q->lanes->landing_count[square]; i++)
            if ((q->lanes->landings[square][i].used & ~used) == 0 && (q->lanes->landings[square][i].lanes & q->lane))
                return true;
    if (!(q->landed & gy_bit(square))) {
        q->landed |= gy_bit(square);
        q->used_sets[square].count = 0;
    }
    if (gy_is_dominated(&q->used_sets[square], used))
        return true;
    gy_add_used_set(&q->used_sets[square], used);
    return false;
}

/* A throne has several fields but counts once: if one is found, none needs to be searched. */
static void gy_merge_throne(gy_ring_search *q) { q->found |= q->found & q->throne ? q->throne : 0; }

/* Adds all ends that are reached from this ring. The path lands neither here again nor on the `visited` rings, so the
 * recursion is at most as deep as there are rings. */
static void gy_search_from(gy_ring_search *q, unsigned square, unsigned height, uint64_t used, uint64_t visited)
{
    /* 1. The ends of one leg. */
    const gy_free_legs *list = gy_get_legs(q->lists, square, height);
    uint64_t all = gy_occupied(&q->rings), ends = gy_ends_of_legs(list, all, used);
    visited |= gy_bit(square);
    q->found |= ends;
    gy_merge_throne(q);
    uint64_t bounces = ends & all & ~visited, targets = q->goals & ~q->found;
    if (bounces == 0 || targets == 0)
        return;
    /* 2. The landings that are new. */
    struct {
        uint64_t used;
        unsigned square;
    } next[GY_MAX_LEGS];
    unsigned count = 0, last = bounces & q->lane ? list->count : list->bounces;
    for (unsigned i = 0; i < last; i++) {
        if ((list->edges[i] & used) | (list->through[i] & all) || !(list->end[i] & bounces))
            continue;
        next[count].used = used | list->edges[i];
        next[count].square = rf_lsb(list->end[i]);
        count += !gy_is_known_landing(q, next[count].square, next[count].used);
    }
    /* 3. Stop if no target is in reach. A single landing repeats the test itself after step 1. */
    if (count == 0)
        return;
    if (count > 1 && !gy_may_reach(&q->rings, gy_bit(square), height, used, visited, targets, &q->dependencies))
        return;
    for (unsigned i = 0; i < count; i++)
        gy_search_from(q, next[i].square, gy_height(&q->rings, next[i].square), next[i].used, visited);
}

uint64_t gy_ends_by_lists(gy_leg_lists *lists, const gy_rings *others, unsigned from, unsigned height, unsigned side)
{
    gy_ring_search q;
    gy_init_ring_search(&q, lists, others, side);
    gy_search_from(&q, from, height, 0, 0);
    return gy_allowed_ends(side, q.found);
}

/* The ends that the search over all lanes found in this one. */
static uint64_t gy_common_ends(const gy_lane_search *w, uint64_t lane)
{
    uint64_t ends = w->ends & ~w->partial;
    for (uint64_t rest = w->partial; rest != 0; rest &= rest - 1)
        ends |= w->reach[rf_lsb(rest)] & lane ? rest & -rest : 0;
    return ends;
}

/* Continues the search from the twelfth ring, on which the search over all lanes landed with these `bounces`. */
static void gy_search_from_twelfth(gy_ring_search *q, unsigned height, const gy_bounce *bounces, unsigned count)
{
    const unsigned square = rf_lsb(q->lane);
    /* 1. The ends of a single leg, of all bounces together. If no further end is in reach even of the connections that
     * at least one bounce leaves, they are all. */
    if (count > 1) {
        const gy_free_legs *list = gy_get_legs(q->lists, square, height);
        const uint64_t all = gy_occupied(&q->rings);
        uint64_t always_used = ~UINT64_C(0);
        for (unsigned i = 0; i < count; i++) {
            always_used &= bounces[i].used;
            q->found |= gy_ends_of_legs(list, all, bounces[i].used);
        }
        gy_merge_throne(q);
        if (!gy_may_reach(&q->rings, q->lane, height, always_used, q->lane, q->goals & ~q->found, &q->dependencies))
            return;
    }
    /* 2. Search each bounce. */
    for (unsigned i = 0; i < count; i++)
        gy_search_from(q, square, height, bounces[i].used, bounces[i].visited);
}

uint64_t gy_ends_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, uint64_t *dependencies)
{
    const unsigned square = rf_lsb(lane);
    gy_rings others = g->fixed;
    gy_remove(&others, gy_bit(w->from));
    gy_add(&others, lane, g->height);
    gy_ring_search q;
    gy_init_ring_search(&q, w->lists, &others, w->side);
    q.lane = lane;
    if (!w->searched || (w->overflowed & lane)) {
        /* Some landings are not stored: search the lane from the beginning. */
        gy_search_from(&q, w->from, gy_height(&g->fixed, w->from), 0, 0);
    } else {
        q.lanes = w;
        q.found = gy_common_ends(w, lane);
        gy_merge_throne(&q);
        if (w->bounced & lane)
            gy_search_from_twelfth(&q, g->height, w->bounces[square], w->bounce_count[square]);
    }
    *dependencies |= q.dependencies | q.landed;
    return gy_allowed_ends(w->side, q.found);
}
