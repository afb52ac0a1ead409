/* perft of Gygès without playing its last two plies.
 *
 * A ply of a ring leaves ten other rings as they are. If it displaces a ring of another height, the moved ring replaces
 * that one, and the displaced ring goes to one of the places that G7 allows; else the moved ring itself, or an equal
 * one that it displaces, comes to an empty square. So the plies of a ring fall into groups of positions: eleven rings
 * that stand still, and a twelfth of one height on any square of a set. A group is counted as a whole: each of these
 * squares is a lane, and a set of lanes is a bit board.
 *
 * For each ring m that may answer (G4), a search over the eleven rings finds the ways of m in all lanes together. A way
 * stands in those lanes whose square it does not pass (G5). Where it ends on the lane's own square, m has landed on the
 * twelfth ring and may bounce (G6); from there on that lane is searched alone. The plies of m in a lane are
 *     empty ends, the throne among them, + rings landed on * places for a displaced ring (G7, G10),
 * and the number of places is the same in nearly all lanes, so that lanes without bounces are counted by popcounts. */
#include "gyges/threats.h"

enum {
    GY_LANE_KEPT = 8,     /* landings that are kept for each ring, with their lanes */
    GY_LANE_BOUNCES = 24, /* landings on the twelfth ring that are kept for each lane */
    GY_LANE_QUEUE = 256,
    GY_LEG_WORDS = 3 * GY_LISTED_LEGS /* three for each */
};

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

/* Legs from one square for one height, in three arrays; at the end there may be legs that end nowhere, so that the
 * count is a multiple of four. The first `bounces` of them are all that end on a ring. */
typedef struct {
    const uint64_t *edges, *through, *end;
    uint32_t count, bounces;
} gy_free_legs;

/* The lists of one position, made as they are asked for. */
typedef struct {
    uint64_t rings; /* all, those included that may be lifted */
    uint64_t fixed; /* the others; no leg of a list passes them */
    uint64_t filled[4];
    uint32_t used;
    gy_free_legs lists[4][64];
    uint64_t words[GY_LEG_WORDS];
} gy_leg_lists;

static void gy_start_lists(gy_leg_lists *lists, uint64_t rings, uint64_t lifted)
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

/* ---- groups ---- */

/* How many plies lead to these lanes. */
static inline uint64_t gy_weight_of(const gy_group *g, uint64_t lanes)
{
    return rf_popcount(lanes & g->once) + (g->times == 0 ? 0 : g->times * rf_popcount(lanes & g->often));
}

/* The positions in which the ring on the throne has been put back (G9). */
static gy_group gy_group_from_throne(const gy_position *p)
{
    return (gy_group){.fixed = p->rings, .once = gy_drop_squares(1 - p->side, gy_all(&p->rings)), .height = p->throne};
}

/* ---- one ring in all lanes ---- */

/* A landing with more connections used than one before leads nowhere new in the lanes of that one. */
typedef struct {
    uint64_t used, lanes;
} gy_lane_landing;

typedef struct {
    uint64_t used, path; /* connections, and rings bounced on, the one under way included */
    uint64_t lanes;
    uint8_t square, height;
} gy_lane_way;

typedef struct {
    uint64_t used, path;
} gy_bounce;

typedef struct {
    gy_leg_lists *lists;
    unsigned side;      /* whose ply it is */
    unsigned from;      /* the ring that moves */
    unsigned height;
    gy_rings rings;     /* the other ten */
    bool searched;      /* the search has come to its end */
    uint64_t alone;     /* lanes that must be searched alone */
    uint64_t places;    /* for a displaced ring in the other lanes */
    uint64_t ends;      /* as they are stepped on */
    uint64_t reach[64]; /* by end, the lanes in which it is reached */
    uint64_t partial;   /* ends that are not reached in all lanes searched alone */
    uint64_t bounced;   /* lanes with landings on the twelfth ring, */
    uint64_t overfull;  /* and those with too many */
    uint64_t landed;    /* rings with landings */
    uint64_t asked;     /* rings whose heights mattered */
    uint8_t kept_count[64], bounce_count[64];
    gy_lane_landing kept[64][GY_LANE_KEPT];
    gy_bounce bounces[64][GY_LANE_BOUNCES];
    gy_lane_way queue[GY_LANE_QUEUE];
} gy_lane_search;

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

/* gy_ends, from lists of legs. */
static uint64_t gy_ends_by_lists(const gy_position *p, unsigned from, gy_leg_lists *lists)
{
    gy_ring_search q;
    gy_rings others = p->rings;
    gy_remove(&others, gy_bit(from));
    gy_start_search(&q, lists, &others, p->side);
    gy_search_from(&q, from, gy_height(&p->rings, from), 0, 0);
    return gy_allowed_ends(p->side, q.found);
}

/* The ends of w's ring in one lane of a group. Adds the rings whose heights mattered to *asked. */
static uint64_t gy_ends_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, uint64_t *asked)
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

/* ---- counts ---- */

/* Searches the ways of one ring over the eleven of a group. */
static void gy_search_ring(gy_lane_search *w, const gy_group *g, unsigned from, uint64_t lanes)
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

/* What was found in lanes searched alone, by the height of the twelfth ring. */
typedef struct {
    uint64_t known[4];
    uint64_t asked[4][64]; /* rings whose heights mattered */
    uint32_t plies[4][64];
} gy_lane_memory;

/* The plies of w's ring in one lane of a group. */
static uint64_t gy_count_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, gy_lane_memory *memory)
{
    unsigned square = rf_lowest(lane), height = g->height;
    if ((memory->known[height] & lane) && !(memory->asked[height][square] & g->replaced))
        return memory->plies[height][square];
    uint64_t asked = w->asked, ends = gy_ends_in_lane(w, g, lane, &asked);
    uint64_t plies = gy_count_ring(w->side, gy_all(&w->rings) | lane, ends);
    if (!(asked & g->replaced)) {
        memory->known[height] |= lane;
        memory->asked[height][square] = asked;
        memory->plies[height][square] = (uint32_t)plies;
    }
    return plies;
}

/* The plies of w's ring, summed over all plies of the group. *movable gets the lanes in which it has any. */
static uint64_t gy_count_ring_in_lanes(const gy_lane_search *w, const gy_group *g, uint64_t lanes,
                                       gy_lane_memory *memory, uint64_t *movable)
{
    const uint64_t others = gy_all(&w->rings);
    uint64_t total = 0, together = lanes & ~w->alone;
    if (together != 0) {
        uint64_t on_throne = 0, empty = 0, ring = 0;
        for (uint64_t rest = w->ends & gy_throne_steps[w->side]; rest != 0; rest &= rest - 1)
            on_throne |= w->reach[rf_lowest(rest)];
        uint64_t moved = on_throne;
        for (uint64_t rest = w->ends & gy_board; rest != 0; rest &= rest - 1) {
            uint64_t reach = w->reach[rf_lowest(rest)];
            moved |= reach;
            *(others & rest & -rest ? &ring : &empty) += gy_weight_of(g, reach & together);
        }
        *movable |= moved & together;
        total = empty + gy_weight_of(g, on_throne & together) + ring * w->places;
    }
    for (uint64_t rest = lanes & w->alone; rest != 0; rest &= rest - 1) {
        uint64_t lane = rest & -rest, plies = gy_count_in_lane(w, g, lane, memory);
        *movable |= plies != 0 ? lane : 0;
        total += gy_weight_of(g, lane) * plies;
    }
    return total;
}

/* The plies of the twelfth ring in one lane. */
static uint64_t gy_count_twelfth(const gy_group *g, unsigned side, gy_leg_lists *lists, uint64_t lane)
{
    gy_ring_search q;
    gy_start_search(&q, lists, &g->fixed, side);
    gy_search_from(&q, rf_lowest(lane), g->height, 0, 0);
    return gy_count_ring(side, gy_all(&g->fixed), gy_allowed_ends(side, q.found));
}

/* The plies of `side` in all positions of the groups, whose eleven rings stand on the same squares. */
static uint64_t gy_count_groups(const gy_group *groups, unsigned count, unsigned side, gy_leg_lists *lists)
{
    const uint64_t all = gy_all(&groups[0].fixed);
    const unsigned rank = gy_nearest_rank(side, all);
    const uint64_t nearer = gy_nearer(side, rank), active = all & gy_rank(rank);
    uint64_t movable[GY_RING_GROUPS] = {0}, total = 0;
    uint64_t lanes = 0;
    gy_lane_search common, own;
    common.side = own.side = side;
    common.lists = own.lists = lists;
    for (unsigned i = 0; i < count; i++)
        lanes |= gy_squares_of(&groups[i]) & ~nearer;
    if (active & lists->fixed)
        gy_start_lists(lists, lists->rings, (lists->rings & ~lists->fixed) | active);
    for (uint64_t rest = active; rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        /* The groups differ in the height of one ring of the eleven. Where it does not matter, one search serves all. */
        gy_lane_memory memory;
        memset(memory.known, 0, sizeof memory.known);
        gy_search_ring(&common, &groups[0], from, lanes);
        for (unsigned i = 0; i < count; i++) {
            const gy_group *g = &groups[i];
            const gy_lane_search *w = &common;
            if (common.asked & g->replaced) {
                gy_search_ring(&own, g, from, gy_squares_of(g) & ~nearer);
                w = &own;
            }
            total += gy_count_ring_in_lanes(w, g, gy_squares_of(g) & ~nearer, &memory, &movable[i]);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const gy_group *g = &groups[i];
        /* A twelfth ring on the active rank may move too, and before it it alone (G4). If nothing of the nearest rank
         * can move, other ranks may: such a position is counted by itself. */
        uint64_t first = gy_squares_of(g) & (nearer | gy_rank(rank));
        for (uint64_t rest = gy_squares_of(g) & (first | ~movable[i]); rest != 0; rest &= rest - 1) {
            uint64_t lane = rest & -rest, plies = 0;
            if (lane & first)
                plies = gy_count_twelfth(g, side, lists, lane);
            if (plies == 0 && !(lane & movable[i])) {
                gy_position p = gy_group_position(g, lane, side);
                plies = gy_count(NULL, (const rf_state *)&p);
            }
            total += gy_weight_of(g, lane) * plies;
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
        for (uint64_t rest = gy_squares_of(&groups[i]); rest != 0; rest &= rest - 1) {
            gy_position p = gy_group_position(&groups[i], rest & -rest, side);
            memcpy(p.goals, before->goals, sizeof p.goals);
            total += gy_weight_of(&groups[i], rest & -rest) * gy_count_from(&p, depth);
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
        gy_start_lists(&lists, gy_all(&p->rings), 0);
        return gy_count_below(p, groups, 1, side, depth - 1, &lists);
    }
    uint64_t movers = gy_movers(p), all = gy_all(&p->rings), total = 0;
    gy_start_lists(&lists, all, movers | (all & gy_rank(gy_nearest_rank(other, all))));
    for (uint64_t rest = movers; rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        uint64_t ends = gy_ends_by_lists(p, from, &lists);
        if ((ends & gy_bit(GY_THRONE)) && p->goals[side] > 1) { /* not the last conquest (G9) */
            gy_position next;
            gy_apply(NULL, (const rf_state *)p, gy_ply(GY_MOVE, from, GY_THRONE, 0), (rf_state *)&next);
            total += depth == 2 ? gy_count(NULL, (const rf_state *)&next) : gy_count_from(&next, depth - 1);
        }
        unsigned count = gy_groups_of_ring(p, from, ends, groups);
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
