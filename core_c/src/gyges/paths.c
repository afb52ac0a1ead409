/* The squares, and whether the throne, on which a ring can end its ply (G5, G6, G8).
 *
 * Idea: a path is a sequence of legs. Each leg has as many steps as the ring that it starts on is high, and no
 * connection is used twice. gy_all_legs lists the legs. The search goes depth first from ring to ring.
 * Invariant: a landing on a ring that uses a superset of the connections of an earlier landing there reaches no new
 * end, so it is skipped. gy_used_sets stores a few of these sets; a set that is not stored only costs time.
 * Example: a ring of height 2 on a1 goes a1-a2-a3. A ring of height 1 on a3 bounces it to a4 or b3, but not to a2: the
 * connection a2-a3 is used. */
#include "gyges/gyges.h"

/* A leg whose passed squares are empty in the current position. */
typedef struct {
    uint64_t edges, end;
} gy_open_leg;

/* A ring that the search landed on. The first landing sorts its legs. Later landings look only at the legs to rings,
 * and at the legs to squares that used connections blocked before. */
typedef struct {
    uint8_t bounce_count, blocked_count;
    gy_open_leg legs[GY_MAX_LEGS]; /* from the front those to rings, from the back the blocked ones to squares */
    gy_used_sets used_sets;
} gy_landing;

typedef struct {
    const gy_position *position;
    uint64_t others; /* all rings but the moving one, whose square counts as empty (G5) */
    uint64_t landed; /* rings whose entry in `landings` is filled */
    uint64_t ends;   /* found so far, of legs */
    gy_landing landings[64];
} gy_end_search;

static void gy_first_landing(gy_end_search *w, gy_landing *landing, unsigned square, unsigned height, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[square][height];
    unsigned bounces = 0, blocked = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const gy_leg *leg = &list->legs[i];
        if (leg->through & w->others)
            continue;
        if (leg->end & w->others)
            landing->legs[bounces++] = (gy_open_leg){leg->edges, leg->end};
        else if (leg->edges & used)
            landing->legs[GY_MAX_LEGS - ++blocked] = (gy_open_leg){leg->edges, leg->end};
        else
            w->ends |= leg->end;
    }
    landing->bounce_count = (uint8_t)bounces;
    landing->blocked_count = (uint8_t)blocked;
    landing->used_sets.count = 0;
    w->landed |= gy_bit(square);
}

static bool gy_later_landing(gy_end_search *w, gy_landing *landing, uint64_t used)
{
    if (gy_is_dominated(&landing->used_sets, used))
        return false;
    for (unsigned i = GY_MAX_LEGS - landing->blocked_count; i < GY_MAX_LEGS; i++)
        if (!(landing->legs[i].edges & used))
            w->ends |= landing->legs[i].end;
    return true;
}

/* Adds all ends that are reached from this ring. Each leg uses at least one of 60 connections, so the recursion is at
 * most that deep. */
static void gy_search_ends(gy_end_search *w, unsigned square, unsigned height, uint64_t used)
{
    gy_landing *landing = &w->landings[square];
    if (!(w->landed & gy_bit(square)))
        gy_first_landing(w, landing, square, height, used);
    else if (!gy_later_landing(w, landing, used))
        return;
    gy_add_used_set(&landing->used_sets, used);
    for (unsigned i = 0; i < landing->bounce_count; i++) {
        if (landing->legs[i].edges & used)
            continue;
        w->ends |= landing->legs[i].end;
        unsigned end = rf_lsb(landing->legs[i].end);
        gy_search_ends(w, end, gy_height(&w->position->rings, end), used | landing->legs[i].edges);
    }
}

uint64_t gy_ends(const gy_position *p, unsigned from)
{
    gy_end_search w;
    w.position = p;
    w.others = gy_occupied(&p->rings) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    gy_search_ends(&w, from, gy_height(&p->rings, from), 0);
    return gy_allowed_ends(p->side, w.ends);
}

/* A leg to `end` that passes no ring of `others` and uses no connection of `used`; NULL if there is none. */
static const gy_leg *gy_free_leg(const gy_legs *list, unsigned end, uint64_t others, uint64_t used)
{
    for (unsigned i = list->first[end]; i < list->first[end + 1]; i++)
        if (!(list->legs[i].through & others) && !(list->legs[i].edges & used))
            return &list->legs[i];
    return NULL;
}

/* Whether a free leg leads to one of `targets`. */
static bool gy_has_leg_to(const gy_legs *list, uint64_t targets, uint64_t others, uint64_t used)
{
    for (uint64_t rest = list->ends & targets; rest != 0; rest &= rest - 1)
        if (gy_free_leg(list, rf_lsb(rest), others, used) != NULL)
            return true;
    return false;
}

/* Searches a path to one of `targets` breadth first, with one path to each ring only. True is certain, false is not. */
static bool gy_has_simple_path(const gy_position *p, unsigned from, uint64_t targets)
{
    struct {
        uint64_t used;
        const gy_legs *list;
    } queue[GY_RINGS];
    const uint64_t others = gy_occupied(&p->rings) & ~gy_bit(from);
    uint64_t left = others;
    unsigned queued = 1;
    queue[0].used = 0;
    queue[0].list = &gy_all_legs[from][gy_height(&p->rings, from)];
    if (gy_has_leg_to(queue[0].list, targets, others, 0))
        return true;
    for (unsigned next = 0; next < queued; next++) {
        const gy_legs *list = queue[next].list;
        for (uint64_t rest = list->ends & left; rest != 0; rest &= rest - 1) {
            unsigned ring = rf_lsb(rest);
            const gy_leg *leg = gy_free_leg(list, ring, others, queue[next].used);
            if (leg == NULL)
                continue;
            const gy_legs *onward = &gy_all_legs[ring][gy_height(&p->rings, ring)];
            const uint64_t used = queue[next].used | leg->edges;
            if (gy_has_leg_to(onward, targets, others, used))
                return true;
            left &= ~leg->end;
            queue[queued].used = used;
            queue[queued++].list = onward;
        }
    }
    return false;
}

/* As gy_search_ends, but stops when one of `targets` is found, and looks at all ends of a ring before the next ring.
 * It is a separate function because a common one made gy_search_ends 9 % and `solve` about 2 % slower by trial. */
static bool gy_search_for(gy_end_search *w, unsigned square, unsigned height, uint64_t used, uint64_t targets)
{
    gy_landing *landing = &w->landings[square];
    if (!(w->landed & gy_bit(square)))
        gy_first_landing(w, landing, square, height, used);
    else if (!gy_later_landing(w, landing, used))
        return false;
    for (unsigned i = 0; i < landing->bounce_count; i++)
        if (!(landing->legs[i].edges & used))
            w->ends |= landing->legs[i].end;
    if (w->ends & targets)
        return true;
    gy_add_used_set(&landing->used_sets, used);
    for (unsigned i = 0; i < landing->bounce_count; i++) {
        if (landing->legs[i].edges & used)
            continue;
        unsigned end = rf_lsb(landing->legs[i].end);
        if (gy_search_for(w, end, gy_height(&w->position->rings, end), used | landing->legs[i].edges, targets))
            return true;
    }
    return false;
}

bool gy_can_end_on(const gy_position *p, unsigned from, uint64_t targets)
{
    if (gy_has_simple_path(p, from, targets))
        return true;
    gy_end_search w;
    w.position = p;
    w.others = gy_occupied(&p->rings) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    return gy_search_for(&w, from, gy_height(&p->rings, from), 0, targets);
}

bool gy_can_end(const gy_position *p, unsigned from, unsigned to)
{
    return gy_can_end_on(p, from, to == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(to));
}

bool gy_can_move(const gy_position *p, unsigned from)
{
    uint64_t others = gy_occupied(&p->rings) & ~gy_bit(from);
    const gy_legs *list = &gy_all_legs[from][gy_height(&p->rings, from)];
    for (unsigned i = 0; i < list->count; i++)
        if (!(list->legs[i].through & others) && gy_allowed_ends(p->side, list->legs[i].end) != 0)
            return true;
    return false;
}

