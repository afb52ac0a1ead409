/* The ways of one ring, in all lanes of a group together or in one.
 *
 * A search over the eleven rings finds the ways in all lanes together. A way stands in those lanes whose square it does
 * not pass (G5). Where it ends on the lane's own square, the ring has landed on the twelfth ring and may bounce (G6);
 * from there on that lane is searched alone. */
#include "gyges/lanes.h"

/* ---- what a ring can reach at most ---- */

/* The used connections (gy_edge) along ranks, as bits of their western squares, and across them, as bits of their
 * southern squares. */
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

/* Whether the ring `from` may reach one of the ends `wanted` with the connections `used` gone, bouncing on other rings
 * than those of `path`. True is a guess, for of the connections that the ring still uses only the last is known at each
 * step; false is sure, and then *asked gets the rings whose heights mattered. */
static bool gy_may_reach(const gy_rings *r, uint64_t from, unsigned height, uint64_t used, uint64_t path,
                         uint64_t wanted, uint64_t *asked)
{
    const uint64_t along = UINT64_C(0x003e3e3e3e3e3e00) & ~gy_used_along(used);
    const uint64_t across = UINT64_C(0x007e7e7e7e7e7e7e) & ~gy_used_across(used);
    const uint64_t free = gy_board & ~gy_all(r), rings = gy_all(r) & ~path;
    const uint64_t one = height == 1 ? from : 0, two = height == 2 ? from : 0, three = height == 3 ? from : 0;
    gy_front first = {one, one, one, one}, second = {two, two, two, two}, third = {three, three, three, three};
    gy_front landed = {0, 0, 0, 0};
    for (;;) {
        gy_front f = gy_within(gy_step_by(third, along, across), free);
        f = gy_within(gy_step_by(gy_join(f, second), along, across), free);
        f = gy_step_by(gy_join(f, first), along, across);
        if (gy_anywhere(f) & wanted)
            return true;
        gy_front news = {f.east & ~landed.east & rings, f.west & ~landed.west & rings, f.north & ~landed.north & rings,
                         f.south & ~landed.south & rings};
        if (gy_anywhere(news) == 0) {
            *asked |= gy_anywhere(landed);
            return false;
        }
        landed = gy_join(landed, news);
        first = gy_within(news, r->low & ~r->high);
        second = gy_within(news, r->high & ~r->low);
        third = gy_within(news, r->low & r->high);
    }
}

/* ---- legs that are free ---- */

void gy_start_lists(gy_leg_lists *lists, uint64_t rings, uint64_t lifted)
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

static inline const gy_free_legs *gy_legs_of(gy_leg_lists *lists, unsigned square, unsigned height)
{
    gy_free_legs *list = &lists->lists[height][square];
    if (RF_UNLIKELY(!(lists->filled[height] & gy_bit(square))))
        gy_fill_list(lists, list, square, height);
    return list;
}

/* Four legs at a time. Compilers leave a loop with one leg at a time as it is. */
typedef uint64_t gy_four __attribute__((vector_size(32), aligned(8), may_alias));

/* Where the legs end that pass none of the rings `occupied` and no connection used. */
static inline uint64_t gy_ends_of_legs(const gy_free_legs *list, uint64_t occupied, uint64_t used)
{
    gy_four ends = {0, 0, 0, 0};
    for (unsigned i = 0; i < list->count; i += 4) {
        gy_four edges = *(const gy_four *)(list->edges + i), through = *(const gy_four *)(list->through + i);
        ends |= (gy_four)(((edges & used) | (through & occupied)) == 0) & *(const gy_four *)(list->end + i);
    }
    return ends[0] | ends[1] | ends[2] | ends[3];
}

/* ---- one ring in all lanes ---- */

static void gy_add_bounce(gy_lane_search *w, unsigned square, uint64_t used, uint64_t path)
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
    if (count == GY_LANE_BOUNCES) {
        w->overfull |= gy_bit(square);
        return;
    }
    bounces[count] = (gy_bounce){used, path};
    w->bounce_count[square]++;
}

/* Those of the lanes in which this landing may lead to something new. */
static uint64_t gy_new_lanes(gy_lane_search *w, unsigned square, uint64_t used, uint64_t lanes)
{
    gy_lane_landing *kept = w->kept[square];
    if (!(w->landed & gy_bit(square))) {
        w->landed |= gy_bit(square);
        w->kept_count[square] = 0;
    }
    unsigned count = w->kept_count[square];
    for (unsigned i = 0; i < count; i++)
        if ((kept[i].used & ~used) == 0)
            lanes &= ~kept[i].lanes;
    if (lanes != 0 && count < GY_LANE_KEPT) {
        kept[count] = (gy_lane_landing){used, lanes};
        w->kept_count[square]++;
    }
    return lanes;
}

/* Finds all ends and bounces, breadth first. False if the queue is too short. */
static bool gy_search_lanes(gy_lane_search *w, uint64_t lanes)
{
    const uint64_t others = gy_all(&w->rings);
    unsigned queued = 1;
    memset(w->reach, 0, sizeof w->reach);
    w->ends = w->bounced = w->overfull = w->landed = 0;
    w->queue[0] = (gy_lane_way){0, 0, lanes, (uint8_t)w->from, (uint8_t)w->height};
    for (unsigned next = 0; next < queued; next++) {
        const gy_lane_way way = w->queue[next];
        const gy_free_legs *list = gy_legs_of(w->lists, way.square, way.height);
        for (unsigned i = 0; i < list->count; i++) {
            uint64_t left = way.lanes & ~list->through[i], bit = list->end[i], used = way.used | list->edges[i];
            if ((list->edges[i] & way.used) | (list->through[i] & others) || left == 0 || bit == 0)
                continue;
            unsigned end = rf_lowest(bit);
            w->reach[end] |= left;
            w->ends |= bit;
            if (left & bit)
                gy_add_bounce(w, end, used, way.path);
            if (!(bit & others & ~way.path)) /* to land on a ring again leads nowhere new */
                continue;
            left = gy_new_lanes(w, end, used, left);
            if (left == 0)
                continue;
            if (queued == GY_LANE_QUEUE)
                return false;
            w->queue[queued++] =
                (gy_lane_way){used, way.path | bit, left, (uint8_t)end, (uint8_t)gy_height(&w->rings, end)};
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
    w->asked = gy_bit(from) | w->landed;
    if (!w->searched) {
        w->asked = ~UINT64_C(0);
        w->alone = lanes;
        return;
    }
    /* In a lane before all other rings the twelfth ring determines the places for a displaced ring (G7). In all others
     * they are the squares but those of the eleven rings and those `before`. */
    const uint64_t before = gy_nearer(1 - w->side, gy_nearest_rank(1 - w->side, gy_all(&w->rings)));
    w->places = 25 - rf_popcount(before);
    w->alone = lanes & (before | w->bounced);
    w->partial = w->ends & ~gy_board;
    for (uint64_t rest = w->ends & gy_board; rest != 0; rest &= rest - 1)
        w->partial |= w->alone & ~w->reach[rf_lowest(rest)] ? rest & -rest : 0;
}

/* ---- one ring in one lane, or in one position ---- */

typedef struct {
    gy_leg_lists *lists;
    const gy_lane_search *lanes; /* what has been searched already in all lanes, or NULL */
    uint64_t lane;
    gy_rings rings; /* but the moving one */
    uint64_t goals; /* ends that count */
    uint64_t throne;
    uint64_t found;
    uint64_t landed;
    uint64_t asked; /* rings whose heights mattered */
    gy_used_sets kept[64];
} gy_ring_search;

static void gy_start_search(gy_ring_search *q, gy_leg_lists *lists, const gy_rings *rings, unsigned side)
{
    q->lists = lists;
    q->lanes = NULL;
    q->lane = 0;
    q->rings = *rings;
    q->throne = gy_throne_steps[side];
    q->goals = gy_board | q->throne;
    q->found = q->landed = q->asked = 0;
}

/* Whether an earlier landing on this ring, with no other connections used, is known; if not, this one is from now on. */
static bool gy_is_known(gy_ring_search *q, unsigned square, uint64_t used)
{
    if (q->lanes != NULL && (q->lanes->landed & gy_bit(square)))
        for (unsigned i = 0; i < q->lanes->kept_count[square]; i++)
            if ((q->lanes->kept[square][i].used & ~used) == 0 && (q->lanes->kept[square][i].lanes & q->lane))
                return true;
    if (!(q->landed & gy_bit(square))) {
        q->landed |= gy_bit(square);
        q->kept[square].count = 0;
    }
    if (gy_is_dominated(&q->kept[square], used))
        return true;
    gy_keep_used(&q->kept[square], used);
    return false;
}

/* Finds all ends of the ways that go on from this ring. It is not landed on again, and neither are those of `path`, so
 * recursion is no deeper than there are rings. */
static void gy_search_from(gy_ring_search *q, unsigned square, unsigned height, uint64_t used, uint64_t path)
{
    const gy_free_legs *list = gy_legs_of(q->lists, square, height);
    uint64_t all = gy_all(&q->rings), ends = gy_ends_of_legs(list, all, used);
    path |= gy_bit(square);
    q->found |= ends | (ends & q->throne ? q->throne : 0);
    uint64_t bounces = ends & all & ~path, wanted = q->goals & ~q->found;
    if (bounces == 0 || wanted == 0)
        return;
    struct {
        uint64_t used;
        unsigned square;
    } next[GY_MAX_LEGS];
    unsigned count = 0, last = bounces & q->lane ? list->count : list->bounces;
    for (unsigned i = 0; i < last; i++) {
        if ((list->edges[i] & used) | (list->through[i] & all) || !(list->end[i] & bounces))
            continue;
        next[count].used = used | list->edges[i];
        next[count].square = rf_lowest(list->end[i]);
        count += !gy_is_known(q, next[count].square, next[count].used);
    }
    /* A single landing asks the same question itself, once its ends are found. */
    if (count == 0 || (count > 1 && !gy_may_reach(&q->rings, gy_bit(square), height, used, path, wanted, &q->asked)))
        return;
    for (unsigned i = 0; i < count; i++)
        gy_search_from(q, next[i].square, gy_height(&q->rings, next[i].square), next[i].used, path);
}

uint64_t gy_ends_by_lists(gy_leg_lists *lists, const gy_rings *others, unsigned from, unsigned height, unsigned side)
{
    gy_ring_search q;
    gy_start_search(&q, lists, others, side);
    gy_search_from(&q, from, height, 0, 0);
    return gy_allowed_ends(side, q.found);
}

uint64_t gy_ends_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, uint64_t *asked)
{
    unsigned square = rf_lowest(lane), count = w->bounced & lane ? w->bounce_count[square] : 0;
    gy_ring_search q;
    gy_rings others = g->fixed;
    gy_remove(&others, gy_bit(w->from));
    gy_add(&others, lane, g->height);
    gy_start_search(&q, w->lists, &others, w->side);
    q.lane = lane;
    if (!w->searched || (w->overfull & lane)) {
        gy_search_from(&q, w->from, gy_height(&g->fixed, w->from), 0, 0);
        *asked |= q.asked | q.landed;
        return gy_allowed_ends(w->side, q.found);
    }
    q.lanes = w;
    q.found = w->ends & ~w->partial;
    for (uint64_t rest = w->partial; rest != 0; rest &= rest - 1)
        q.found |= w->reach[rf_lowest(rest)] & lane ? rest & -rest : 0;
    q.found |= q.found & q.throne ? q.throne : 0;
    if (count > 1) { /* One question for all bounces often settles them. */
        const gy_free_legs *list = gy_legs_of(w->lists, square, g->height);
        const uint64_t all = gy_all(&q.rings);
        uint64_t used = ~UINT64_C(0);
        for (unsigned i = 0; i < count; i++) {
            used &= w->bounces[square][i].used;
            q.found |= gy_ends_of_legs(list, all, w->bounces[square][i].used);
        }
        q.found |= q.found & q.throne ? q.throne : 0;
        if (!gy_may_reach(&q.rings, lane, g->height, used, lane, q.goals & ~q.found, &q.asked))
            count = 0;
    }
    for (unsigned i = 0; i < count; i++)
        gy_search_from(&q, square, g->height, w->bounces[square][i].used, w->bounces[square][i].path);
    *asked |= q.asked | q.landed;
    return gy_allowed_ends(w->side, q.found);
}
