/* Ways over the board (G5, G6): which squares, and whether the throne, a ring can end its ply on.
 *
 * A leg is as many steps as the ring underneath is high. All legs from every square are listed once, each with its
 * end, the squares it passes and the connections it uses. A connection to a throne is only ever a last step (G8), so
 * the 60 connections between squares are all that can be used up. */

enum {
    GY_MAX_LEGS = 36,
    GY_KEPT = 4
};

typedef struct {
    uint64_t edges;   /* connections used */
    uint64_t through; /* squares that must be empty */
    uint64_t end;     /* one bit, in the frame if it is a throne */
} gy_leg;

/* In the order of their ends; those that end on x are numbers first[x] to first[x + 1] - 1. */
typedef struct {
    uint64_t ends;
    uint32_t count;
    uint8_t first[65];
    gy_leg legs[GY_MAX_LEGS];
} gy_legs;

static gy_legs gy_all_legs[64][4]; /* by square and height */

/* The connection of two neighbours as a bit; those to thrones are never used up. */
static uint64_t gy_edge(unsigned a, unsigned b)
{
    unsigned low = a < b ? a : b, high = a < b ? b : a;
    unsigned file = gy_file_of(low), rank = gy_rank_of(low);
    if (!(gy_board & gy_bit(low)) || !(gy_board & gy_bit(high)))
        return 0;
    return gy_bit(high - low == 1 ? 5 * rank + file : 30 + 6 * rank + file);
}

static void gy_fill_legs(gy_legs *list, unsigned at, unsigned before, unsigned steps, gy_leg leg)
{
    const unsigned next[4] = {at - 1, at + 1, at - 8, at + 8};
    for (int i = 0; i < 4; i++) {
        uint64_t field = gy_bit(next[i]);
        gy_leg longer = {leg.edges | gy_edge(at, next[i]), leg.through, field};
        if (next[i] == before)
            continue;
        if (steps == 1 && (field & (gy_board | gy_throne_steps[0] | gy_throne_steps[1])))
            list->legs[list->count++] = longer;
        longer.through |= field;
        if (steps > 1 && (field & gy_board))
            gy_fill_legs(list, next[i], at, steps - 1, longer);
    }
}

static void gy_sort_legs(const gy_legs *unsorted, gy_legs *out)
{
    for (unsigned end = 0; end < 64; end++) {
        out->first[end] = (uint8_t)out->count;
        for (unsigned i = 0; i < unsorted->count; i++)
            if (unsorted->legs[i].end == gy_bit(end)) {
                out->legs[out->count++] = unsorted->legs[i];
                out->ends |= gy_bit(end);
            }
    }
    out->first[64] = (uint8_t)out->count;
}

static void gy_fill_ways(void)
{
    gy_legs unsorted;
    memset(gy_all_legs, 0, sizeof gy_all_legs);
    for (uint64_t rest = gy_board; rest != 0; rest &= rest - 1)
        for (unsigned height = 1; height <= 3; height++) {
            unsorted.count = 0;
            gy_fill_legs(&unsorted, rf_lowest(rest), 0, height, (gy_leg){0, 0, 0});
            gy_sort_legs(&unsorted, &gy_all_legs[rf_lowest(rest)][height]);
        }
}

/* ---- all ends of one ring ---- */

/* A leg that is free in the position at hand. */
typedef struct {
    uint64_t edges, end;
} gy_step;

/* What the search knows of a ring that was landed on. The first time its free legs are sorted out; later visits look
 * only at those that lead on to rings and those to squares that are not found yet. A landing with more connections
 * used up than one before leads nowhere new; the first few sets of used connections are kept for that. */
typedef struct {
    uint8_t hop_count, late_count, kept_count;
    gy_step hops[GY_MAX_LEGS];
    gy_step late[GY_MAX_LEGS];
    uint64_t kept[GY_KEPT];
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
            landing->hops[hops++] = (gy_step){leg->edges, leg->end};
        else if (leg->edges & used)
            landing->late[late++] = (gy_step){leg->edges, leg->end};
        else
            w->ends |= leg->end;
    }
    landing->hop_count = (uint8_t)hops;
    landing->late_count = (uint8_t)late;
    landing->kept_count = 0;
    w->landed |= gy_bit(square);
}

static bool gy_later_landing(gy_ways *w, gy_landing *landing, uint64_t used)
{
    for (unsigned i = 0; i < landing->kept_count; i++)
        if ((landing->kept[i] & ~used) == 0)
            return false;
    for (unsigned i = 0; i < landing->late_count; i++)
        if (!(landing->late[i].edges & used))
            w->ends |= landing->late[i].end;
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
    if (landing->kept_count < GY_KEPT)
        landing->kept[landing->kept_count++] = used;
    for (unsigned i = 0; i < landing->hop_count; i++) {
        if (landing->hops[i].edges & used)
            continue;
        w->ends |= landing->hops[i].end;
        unsigned end = rf_lowest(landing->hops[i].end);
        gy_follow(w, end, gy_height(w->position, end), used | landing->hops[i].edges);
    }
}

/* Ends as they are stepped on, to squares and GY_THRONE: South's throne is no end for South, nor North's for North. */
static inline uint64_t gy_allowed_ends(unsigned side, uint64_t ends)
{
    return (ends & gy_board) | (uint64_t)((ends & gy_throne_steps[side]) != 0) << GY_THRONE;
}

/* Where the ring on `from` can end its ply. */
static uint64_t gy_ends(const gy_position *p, unsigned from)
{
    gy_ways w;
    w.position = p;
    w.others = gy_occupied(p) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    gy_follow(&w, from, gy_height(p, from), 0);
    return gy_allowed_ends(p->side, w.ends);
}

/* gy_follow for one end: stops as soon as one of the `wanted` ends is found. */
static bool gy_find(gy_ways *w, unsigned square, unsigned height, uint64_t used, uint64_t wanted)
{
    gy_landing *landing = &w->landings[square];
    if (!(w->landed & gy_bit(square)))
        gy_first_landing(w, landing, square, height, used);
    else if (!gy_later_landing(w, landing, used))
        return false;
    for (unsigned i = 0; i < landing->hop_count; i++)
        if (!(landing->hops[i].edges & used))
            w->ends |= landing->hops[i].end;
    if (w->ends & wanted)
        return true;
    if (landing->kept_count < GY_KEPT)
        landing->kept[landing->kept_count++] = used;
    for (unsigned i = 0; i < landing->hop_count; i++) {
        if (landing->hops[i].edges & used)
            continue;
        unsigned end = rf_lowest(landing->hops[i].end);
        if (gy_find(w, end, gy_height(w->position, end), used | landing->hops[i].edges, wanted))
            return true;
    }
    return false;
}

/* Whether the ring on `from` can end its ply on this square or the throne: gy_ends for one end, and faster. */
static bool gy_can_end(const gy_position *p, unsigned from, unsigned to)
{
    gy_ways w;
    w.position = p;
    w.others = gy_occupied(p) & ~gy_bit(from);
    w.landed = 0;
    w.ends = 0;
    return gy_find(&w, from, gy_height(p, from), 0, to == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(to));
}

/* Whether the ring can end its first leg, and so has a ply. */
static bool gy_can_move(const gy_position *p, unsigned from)
{
    uint64_t others = gy_occupied(p) & ~gy_bit(from);
    const gy_legs *list = &gy_all_legs[from][gy_height(p, from)];
    for (unsigned i = 0; i < list->count; i++)
        if (!(list->legs[i].through & others) && gy_allowed_ends(p->side, list->legs[i].end) != 0)
            return true;
    return false;
}

/* Whether the ring on `stops[0]` can make exactly these landings, one leg each; if not, *failed is the number of the
 * first stop that no way reaches. Between two stops there are at most three legs, and a square is landed on at most
 * twice, so plain recursion does. */
static bool gy_way_exists(const gy_position *p, const uint8_t *stops, unsigned count, unsigned at, uint64_t used,
                          unsigned *failed)
{
    if (at + 1 == count)
        return true;
    uint64_t others = gy_occupied(p) & ~gy_bit(stops[0]);
    const gy_legs *list = &gy_all_legs[stops[at]][gy_height(p, stops[at])];
    uint64_t wanted = stops[at + 1] == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(stops[at + 1]);
    if (*failed < at + 1)
        *failed = at + 1;
    for (unsigned i = 0; i < list->count; i++) {
        const gy_leg *leg = &list->legs[i];
        if ((leg->end & wanted) && !(leg->through & others) && !(leg->edges & used) &&
            gy_way_exists(p, stops, count, at + 1, used | leg->edges, failed))
            return true;
    }
    return false;
}
