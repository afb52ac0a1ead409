/* Who reaches the throne now: the test that the search for forced wins rests on.
 *
 * Two ideas carry it. First, a closure by whole-board steps that ignores used connections tells in a few dozen
 * operations that there is no way, or along which rings to look for one. Second, the plies of a position fall into
 * groups: eleven rings that lie still and one of height k that can be put on any of the squares X. One way over the
 * eleven that reaches the throne settles every square of X that it does not pass, by one mask. */
#include "gyges/threats.h"

static inline uint64_t gy_around(uint64_t x) { return x << 1 | x >> 1 | x << 8 | x >> 8; }

/* ---- the closure backwards from a goal ---- */

/* One step on with no connection used. */
static inline gy_front gy_step_on(gy_front f) { return gy_step_by(f, ~UINT64_C(0), ~UINT64_C(0)); }

void gy_find_closure(const gy_rings *r, uint64_t free, uint64_t stops, uint64_t goal, uint64_t until,
                     gy_closure *closure)
{
    uint64_t ones = r->low & ~r->high & stops, twos = r->high & ~r->low & stops, threes = r->low & r->high & stops;
    const gy_front start = {goal, goal, goal, goal};
    gy_front reached = {0, 0, 0, 0};
    uint64_t news = 1;
    for (unsigned layer = 0; news != 0 && !(gy_anywhere(reached) & until);) {
        gy_front first = gy_step_on(gy_join(start, reached));
        gy_front second = gy_step_on(gy_within(first, free));
        gy_front third = gy_step_on(gy_within(second, free));
        gy_front found = gy_join(gy_within(first, ones), gy_join(gy_within(second, twos), gy_within(third, threes)));
        news = (found.east & ~reached.east) | (found.west & ~reached.west) |
               (found.north & ~reached.north) | (found.south & ~reached.south);
        reached = gy_join(reached, found);
        closure->layers[layer] = closure->good = gy_anywhere(reached);
        closure->from[1] = gy_anywhere(first);
        closure->from[2] = gy_anywhere(second);
        closure->from[3] = gy_anywhere(third);
        if (layer + 1 < GY_MAX_LAYERS) /* rings that are farther share the last layer */
            layer++;
    }
}

/* Rings and squares that the rings `from` could land on. The first leg cannot pass the square it begins on. */
static uint64_t gy_find_landings(const gy_rings *r, uint64_t from, uint64_t free, uint64_t stops)
{
    uint64_t landings = 0, open = from, pass = free & ~from;
    while (open != 0) {
        uint64_t three = open & r->low & r->high, two = open & r->high & ~r->low, one = open & r->low & ~r->high;
        two |= gy_around(three) & pass;
        one |= gy_around(two) & pass;
        uint64_t found = gy_around(one) & ~landings;
        landings |= found;
        open = found & stops;
        pass = free;
    }
    return landings;
}

/* ---- exact ways to a goal ---- */

typedef struct {
    const gy_rings *rings;
    const gy_closure *closure;
    uint64_t others, goal;
    uint64_t stops, through; /* of the way found */
    uint64_t landed;
    /* gy_used_sets in two arrays: with the counts side by side `solve` is faster by some 2 %. */
    uint8_t kept_count[64];
    uint64_t kept[64][GY_KEPT];
} gy_path_search;

static bool gy_is_new_landing(gy_path_search *q, unsigned square, uint64_t used)
{
    if (!(q->landed & gy_bit(square))) {
        q->landed |= gy_bit(square);
        q->kept_count[square] = 0;
    }
    for (unsigned i = 0; i < q->kept_count[square]; i++)
        if ((q->kept[square][i] & ~used) == 0)
            return false;
    if (q->kept_count[square] < GY_KEPT)
        q->kept[square][q->kept_count[square]++] = used;
    return true;
}

static unsigned gy_layer_of(const gy_closure *closure, uint64_t bit)
{
    unsigned layer = 0;
    while (!(closure->layers[layer] & bit) && layer + 1 < GY_MAX_LAYERS && closure->layers[layer] != closure->good)
        layer++;
    return layer;
}

static bool gy_search_path(gy_path_search *q, unsigned at, unsigned height, unsigned layer, uint64_t used);

/* Goes on by a leg to one of `ends`: goals, or rings to bounce on. */
static bool gy_search_path_by(gy_path_search *q, const gy_legs *list, uint64_t ends, bool is_goal, uint64_t used)
{
    for (uint64_t rest = ends & list->ends; rest != 0; rest &= rest - 1) {
        unsigned end = rf_lowest(rest);
        for (unsigned i = list->first[end]; i < list->first[end + 1]; i++) {
            const gy_leg *leg = &list->legs[i];
            if ((leg->through & q->others) || (leg->edges & used))
                continue;
            if (!is_goal) {
                if (!gy_is_new_landing(q, end, used | leg->edges) ||
                    !gy_search_path(q, end, gy_height(q->rings, end), gy_layer_of(q->closure, leg->end), used | leg->edges))
                    continue;
                q->stops |= leg->end;
            }
            q->through |= leg->through;
            return true;
        }
    }
    return false;
}

/* From a ring that needs `layer` legs before the last one: tries the goal, then rings that are nearer to it by legs,
 * then the others. */
static bool gy_search_path(gy_path_search *q, unsigned at, unsigned height, unsigned layer, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[at][height];
    uint64_t nearer = layer > 0 ? q->closure->layers[layer - 1] & q->others : 0;
    return gy_search_path_by(q, list, q->goal, true, used) || gy_search_path_by(q, list, nearer, false, used) ||
           gy_search_path_by(q, list, q->closure->good & q->others & ~nearer, false, used);
}

/* Rings on the active rank, those of a rank behind only if all before are blocked (G4). */
static uint64_t gy_active(const gy_rings *r, unsigned side)
{
    uint64_t rank = gy_all(r) & gy_rank(gy_nearest_rank(side, gy_all(r)));
    if (rank & r->low & ~r->high)
        return rank; /* a ring of height 1 can always move */
    const gy_position p = {.rings = *r, .side = (uint8_t)side};
    return gy_movers(&p);
}

bool gy_find_way(const gy_rings *r, unsigned square, uint64_t goal, const gy_closure *closure, gy_pattern *way)
{
    gy_path_search q;
    q.rings = r;
    q.closure = closure;
    q.goal = goal;
    q.others = gy_all(r) & ~gy_bit(square);
    q.stops = gy_bit(square);
    q.through = 0;
    q.landed = 0;
    if (!gy_search_path(&q, square, gy_height(r, square), gy_layer_of(closure, gy_bit(square)), 0))
        return false;
    way->mask = q.stops | q.through;
    way->low = r->low & q.stops;
    way->high = r->high & q.stops;
    return true;
}

/* Whether one of the rings `from` of one rank has a way to the throne. The way is worth keeping only if that rank is
 * the one nearest to the player. */
static bool gy_find_win(const gy_rings *r, unsigned side, uint64_t from, const gy_closure *closure, gy_pattern *way)
{
    uint64_t hopeful = from & ((r->low & ~r->high & closure->from[1]) | (r->high & ~r->low & closure->from[2]) |
                               (r->low & r->high & closure->from[3]));
    for (; hopeful != 0; hopeful &= hopeful - 1) {
        unsigned square = rf_lowest(hopeful);
        if (gy_find_way(r, square, gy_throne_steps[side], closure, way)) {
            way->mask |= gy_nearer(side, gy_rank_of(square));
            return true;
        }
    }
    return false;
}

void gy_keep(gy_known *known, const gy_pattern *way)
{
    known->ways[known->count++ % GY_KEPT_WAYS] = *way;
}

bool gy_reaches(const gy_rings *r, unsigned side, gy_pattern *way, bool *keep)
{
    uint64_t from = gy_active(r, side);
    uint64_t all = gy_all(r);
    gy_closure closure;
    *keep = gy_nearest_rank(side, from) == gy_nearest_rank(side, all);
    uint64_t free = (gy_board & ~all) | from;
    gy_find_closure(r, free, all, gy_throne_steps[side], from, &closure);
    if (!(closure.good & from))
        return false;
    if (gy_find_win(r, side, from, &closure, way))
        return true;
    gy_find_closure(r, free, all, gy_throne_steps[side], 0, &closure);
    return gy_find_win(r, side, from, &closure, way);
}

/* ---- groups of positions ---- */

/* Whether some ring of the active rank can move wherever a ring may be added. */
static bool gy_moves_anyhow(const gy_rings *r, uint64_t rank)
{
    uint64_t empty = gy_board & ~gy_all(r);
    if (rank & r->low & ~r->high)
        return true;
    for (uint64_t rest = rank & r->high & ~r->low; rest != 0; rest &= rest - 1)
        if (rf_popcount(gy_around(rest & -rest) & empty) >= 2)
            return true;
    return false;
}

/* What gy_group_wins works on. Its phases are inline: as calls they make `solve` slower by some 4 %. */
typedef struct {
    const gy_rings *fixed;
    unsigned height, side;
    gy_known *known;
    uint64_t left; /* squares still to be settled */
    uint64_t won;
} gy_group_search;

/* Settles the squares that the ways kept decide. Whether one of these ways needs no more than the eleven rings. */
static inline bool gy_use_kept_ways(gy_group_search *q)
{
    bool has_way = false;
    unsigned kept = q->known->count < GY_KEPT_WAYS ? q->known->count : GY_KEPT_WAYS;
    for (unsigned i = 0; i < kept && q->left != 0; i++) {
        const gy_pattern *way = &q->known->ways[i];
        uint64_t misfit = gy_misfit(way, q->fixed);
        if (misfit == 0) {
            q->won |= q->left & ~way->mask;
            q->left &= way->mask;
            has_way = true;
        } else if ((misfit & (misfit - 1)) == 0 && (misfit & q->left) &&
                   gy_height(&(gy_rings){way->low, way->high}, rf_lowest(misfit)) == q->height) {
            q->won |= misfit;
            q->left &= ~misfit;
        }
    }
    return has_way;
}

/* Looks for a way over the eleven rings. Without one, squares where the twelfth cannot help are lost. */
static inline void gy_search_eleven(gy_group_search *q)
{
    uint64_t all = gy_all(q->fixed), empty = gy_board & ~all;
    unsigned rank = gy_nearest_rank(q->side, all);
    uint64_t from = all & gy_rank(rank);
    gy_pattern way;
    gy_closure closure;
    if (!gy_moves_anyhow(q->fixed, from))
        return;
    gy_find_closure(q->fixed, empty | from, all, gy_throne_steps[q->side], 0, &closure);
    if (gy_find_win(q->fixed, q->side, from, &closure, &way)) {
        gy_keep(q->known, &way);
        q->won |= q->left & ~way.mask;
        q->left &= way.mask;
        return;
    }
    /* The twelfth ring has to be used: to begin with, or to land on. */
    q->left &= closure.from[q->height];
    if (q->left & ~(gy_nearer(q->side, rank) | gy_rank(rank)))
        q->left &= gy_nearer(q->side, rank) | gy_rank(rank) | gy_find_landings(q->fixed, from, empty | from, all);
}

/* Settles what is left, square by square. */
static inline void gy_search_squares(gy_group_search *q)
{
    while (q->left != 0) {
        uint64_t bit = q->left & -q->left;
        gy_rings whole = *q->fixed;
        gy_pattern way;
        bool keep;
        gy_add(&whole, bit, q->height);
        q->left &= ~bit;
        if (!gy_reaches(&whole, q->side, &way, &keep))
            continue;
        q->won |= bit;
        if (!keep)
            continue;
        gy_keep(q->known, &way);
        if (!(way.mask & bit)) {
            q->won |= q->left & ~way.mask;
            q->left &= way.mask;
        }
    }
}

uint64_t gy_group_wins(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side, gy_known *known,
                       gy_bound_kind kind)
{
    if (squares == 0)
        return 0;
    gy_group_search q = {.fixed = fixed, .height = height, .side = side, .known = known, .left = squares};
    bool has_way = gy_use_kept_ways(&q);
    if (q.left != 0 && !has_way)
        gy_search_eleven(&q);
    if (kind == GY_EXACT)
        gy_search_squares(&q);
    return kind == GY_UPPER_BOUND ? q.won | q.left : q.won;
}

unsigned gy_groups_of_ring(const gy_position *p, unsigned from, uint64_t ends, gy_group *out)
{
    gy_rings others = p->rings;
    unsigned height = gy_height(&p->rings, from), count = 1, equal = 0, times = 0;
    gy_remove(&others, gy_bit(from));
    uint64_t all = gy_all(&others), squares = gy_drop_squares(1 - p->side, all);
    for (uint64_t rest = ends & all; rest != 0; rest &= rest - 1) {
        unsigned target = rf_lowest(rest), displaced = gy_height(&others, target);
        if (displaced == height) {
            equal = target;
            times++;
            continue;
        }
        gy_group *g = &out[count++];
        *g = (gy_group){others, gy_bit(target), squares, 0, (uint8_t)displaced, 0, (uint8_t)from, (uint8_t)target};
        gy_remove(&g->fixed, gy_bit(target));
        gy_add(&g->fixed, gy_bit(target), height);
    }
    out[0] = (gy_group){others, 0, ends & gy_board & ~all, times == 0 ? 0 : squares, (uint8_t)height, (uint8_t)times,
                        (uint8_t)from, (uint8_t)equal};
    return count;
}

rf_ply gy_group_ply(const gy_group *g, unsigned square)
{
    if (g->replaced == 0 && (g->once & gy_bit(square)))
        return gy_ply(GY_MOVE, g->from, square, 0);
    return gy_ply(GY_DISPLACE, g->from, g->target, square);
}

unsigned gy_groups(const gy_position *p, gy_group *out, uint64_t *thrones)
{
    unsigned count = 0;
    *thrones = 0;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        uint64_t ends = gy_ends(p, from);
        if (ends & gy_bit(GY_THRONE))
            *thrones |= gy_bit(from);
        count += gy_groups_of_ring(p, from, ends, out + count);
    }
    return count;
}
