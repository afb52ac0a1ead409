/* Ways over the board (G5, G6): which squares, and whether the throne, a ring can end its ply on. */
#include "gyges/gyges.h"

/* A leg that is free in the position at hand. */
typedef struct {
    uint64_t edges, end;
} gy_step;

/* What the search knows of a ring that was landed on. The first time its free legs are sorted out; later visits look
 * only at those that lead on to rings and those to squares that are not found yet. */
typedef struct {
    uint8_t hop_count, late_count;
    gy_step steps[GY_MAX_LEGS]; /* from the front those to rings, from the back those to squares */
    gy_used_sets kept;
} gy_landing;

typedef struct {
    const gy_position *position;
    uint64_t others; /* all rings but the moving one, whose square counts as empty (G5) */
    uint64_t landed; /* rings that `landings` knows of */
    uint64_t ends;   /* found so far */
    gy_landing landings[64];
} gy_ways;

static void gy_first_landing(gy_ways *w, gy_landing *landing, unsigned square, unsigned height, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[square][height];
    unsigned hops = 0, late = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const gy_leg *leg = &list->legs[i];
        if (leg->through & w->others)
            continue;
        if (leg->end & w->others)
            landing->steps[hops++] = (gy_step){leg->edges, leg->end};
        else if (leg->edges & used)
            landing->steps[GY_MAX_LEGS - ++late] = (gy_step){leg->edges, leg->end};
        else
            w->ends |= leg->end;
    }
    landing->hop_count = (uint8_t)hops;
    landing->late_count = (uint8_t)late;
    landing->kept.count = 0;
    w->landed |= gy_bit(square);
}

static bool gy_later_landing(gy_ways *w, gy_landing *landing, uint64_t used)
{
    if (gy_is_dominated(&landing->kept, used))
        return false;
    for (unsigned i = GY_MAX_LEGS - landing->late_count; i < GY_MAX_LEGS; i++)
        if (!(landing->steps[i].edges & used))
            w->ends |= landing->steps[i].end;
    return true;
}

/* Recursion is as deep as there are legs, each of which uses one of 60 connections. */
static void gy_follow(gy_ways *w, unsigned square, unsigned height, uint64_t used)
{
    gy_landing *landing = &w->landings[square];
    if (!(w->landed & gy_bit(square)))
        gy_first_landing(w, landing, square, height, used);
    else if (!gy_later_landing(w, landing, used))
        return;
    gy_keep_used(&landing->kept, used);
    for (unsigned i = 0; i < landing->hop_count; i++) {
        if (landing->steps[i].edges & used)
            continue;
        w->ends |= landing->steps[i].end;
        unsigned end = rf_lowest(landing->steps[i].end);
        gy_follow(w, end, gy_height(&w->position->rings, end), used | landing->steps[i].edges);
    }
}

uint64_t gy_ends(const gy_position *p, unsigned from)
{
    gy_ways w;
    w.position = p;
    w.others = gy_all(&p->rings) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    gy_follow(&w, from, gy_height(&p->rings, from), 0);
    return gy_allowed_ends(p->side, w.ends);
}

/* A leg to the square of `end` that passes none of the rings `others` and no connection used; NULL if there is none. */
static const gy_leg *gy_free_leg(const gy_legs *list, unsigned end, uint64_t others, uint64_t used)
{
    for (unsigned i = list->first[end]; i < list->first[end + 1]; i++)
        if (!(list->legs[i].through & others) && !(list->legs[i].edges & used))
            return &list->legs[i];
    return NULL;
}

/* Whether one of these legs leads to one of the `wanted` ends. */
static bool gy_leads_to(const gy_legs *list, uint64_t wanted, uint64_t others, uint64_t used)
{
    for (uint64_t rest = list->ends & wanted; rest != 0; rest &= rest - 1)
        if (gy_free_leg(list, rf_lowest(rest), others, used) != NULL)
            return true;
    return false;
}

/* Looks for a way to one of the `wanted` ends with but one way to each ring: true is sure, false is not. */
static bool gy_has_simple_way(const gy_position *p, unsigned from, uint64_t wanted)
{
    struct {
        uint64_t used;
        const gy_legs *list;
    } queue[GY_RINGS];
    const uint64_t others = gy_all(&p->rings) & ~gy_bit(from);
    uint64_t left = others;
    unsigned queued = 1;
    queue[0].used = 0;
    queue[0].list = &gy_all_legs[from][gy_height(&p->rings, from)];
    if (gy_leads_to(queue[0].list, wanted, others, 0))
        return true;
    for (unsigned next = 0; next < queued; next++) {
        const gy_legs *list = queue[next].list;
        for (uint64_t rest = list->ends & left; rest != 0; rest &= rest - 1) {
            unsigned ring = rf_lowest(rest);
            const gy_leg *leg = gy_free_leg(list, ring, others, queue[next].used);
            if (leg == NULL)
                continue;
            const gy_legs *onward = &gy_all_legs[ring][gy_height(&p->rings, ring)];
            const uint64_t used = queue[next].used | leg->edges;
            if (gy_leads_to(onward, wanted, others, used))
                return true;
            left &= ~leg->end;
            queue[queued].used = used;
            queue[queued++].list = onward;
        }
    }
    return false;
}

/* gy_follow for one end: looks at all ends of a ring's legs before it goes on, and stops as soon as one of the `wanted`
 * is found. One function for both makes the instructions of gy_follow 9 % more and `solve` some 2 % slower. */
static bool gy_find(gy_ways *w, unsigned square, unsigned height, uint64_t used, uint64_t wanted)
{
    gy_landing *landing = &w->landings[square];
    if (!(w->landed & gy_bit(square)))
        gy_first_landing(w, landing, square, height, used);
    else if (!gy_later_landing(w, landing, used))
        return false;
    for (unsigned i = 0; i < landing->hop_count; i++)
        if (!(landing->steps[i].edges & used))
            w->ends |= landing->steps[i].end;
    if (w->ends & wanted)
        return true;
    gy_keep_used(&landing->kept, used);
    for (unsigned i = 0; i < landing->hop_count; i++) {
        if (landing->steps[i].edges & used)
            continue;
        unsigned end = rf_lowest(landing->steps[i].end);
        if (gy_find(w, end, gy_height(&w->position->rings, end), used | landing->steps[i].edges, wanted))
            return true;
    }
    return false;
}

bool gy_can_end(const gy_position *p, unsigned from, unsigned to)
{
    const uint64_t wanted = to == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(to);
    if (gy_has_simple_way(p, from, wanted))
        return true;
    gy_ways w;
    w.position = p;
    w.others = gy_all(&p->rings) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    return gy_find(&w, from, gy_height(&p->rings, from), 0, wanted);
}

bool gy_can_move(const gy_position *p, unsigned from)
{
    uint64_t others = gy_all(&p->rings) & ~gy_bit(from);
    const gy_legs *list = &gy_all_legs[from][gy_height(&p->rings, from)];
    for (unsigned i = 0; i < list->count; i++)
        if (!(list->legs[i].through & others) && gy_allowed_ends(p->side, list->legs[i].end) != 0)
            return true;
    return false;
}

