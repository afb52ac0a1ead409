/* Finds out which side reaches the throne with the next ply: the test that the search for forced wins makes most
 * often.
 *
 * 1. gy_find_closure goes backwards from the throne by steps of the whole board and ignores used connections. In a few
 *    dozen operations it proves that there is no path, or names the rings that a path can use.
 * 2. gy_find_path searches an exact path over these rings, nearest first, and returns it as a pattern.
 * 3. gy_group_wins does this for all positions of a group (threats.h).
 * Invariant: GY_EXACT results are exact; the closure and the bounds err on their named side only.
 * Example: twelve rings, North to move. If no ring can land next to rank 1 at the right distance, the closure of
 * South's throne contains no ring of North's active rank, and North does not reach the throne. */
#include "gyges/threats.h"

static inline uint64_t gy_neighbours(uint64_t x) { return x << 1 | x >> 1 | x << 8 | x >> 8; }

/* ---- the closure backwards from a goal ---- */

/* One more step in every direction except back, by any connection. */
static inline gy_frontier gy_step_freely(gy_frontier f) { return gy_step(f, ~UINT64_C(0), ~UINT64_C(0)); }

void gy_find_closure(const gy_rings *r, uint64_t free, uint64_t stops, uint64_t goal, uint64_t until,
                     gy_closure *closure)
{
    uint64_t ones = gy_of_height(r, 1) & stops, twos = gy_of_height(r, 2) & stops, threes = gy_of_height(r, 3) & stops;
    const gy_frontier start = {goal, goal, goal, goal};
    gy_frontier reached = {0, 0, 0, 0};
    uint64_t added = 1;
    for (unsigned layer = 0; added != 0 && !(gy_frontier_squares(reached) & until);) {
        gy_frontier first = gy_step_freely(gy_unite(start, reached));
        gy_frontier second = gy_step_freely(gy_restrict(first, free));
        gy_frontier third = gy_step_freely(gy_restrict(second, free));
        gy_frontier found =
            gy_unite(gy_restrict(first, ones), gy_unite(gy_restrict(second, twos), gy_restrict(third, threes)));
        added = (found.east & ~reached.east) | (found.west & ~reached.west) |
               (found.north & ~reached.north) | (found.south & ~reached.south);
        reached = gy_unite(reached, found);
        closure->layers[layer] = closure->good = gy_frontier_squares(reached);
        closure->from[1] = gy_frontier_squares(first);
        closure->from[2] = gy_frontier_squares(second);
        closure->from[3] = gy_frontier_squares(third);
        if (layer + 1 < GY_MAX_LAYERS) /* rings that are farther away share the last layer */
            layer++;
    }
}

/* Rings and squares on which the rings `from` may land. The first leg cannot pass the square on which it begins. */
static uint64_t gy_find_landings(const gy_rings *r, uint64_t from, uint64_t free, uint64_t stops)
{
    uint64_t landings = 0, open = from, pass = free & ~from;
    while (open != 0) {
        uint64_t three = open & gy_of_height(r, 3), two = open & gy_of_height(r, 2), one = open & gy_of_height(r, 1);
        two |= gy_neighbours(three) & pass;
        one |= gy_neighbours(two) & pass;
        uint64_t found = gy_neighbours(one) & ~landings;
        landings |= found;
        open = found & stops;
        pass = free;
    }
    return landings;
}

/* Each round plays one leg of all rings that were landed on last, in all directions together. */
uint64_t gy_ends_bound(const gy_position *p, unsigned from)
{
    const gy_rings *r = &p->rings;
    const uint64_t bit = gy_bit(from), rings = gy_occupied(r) & ~bit, free = gy_board & ~rings;
    const gy_frontier start = {bit, bit, bit, bit};
    gy_frontier first = gy_restrict(start, gy_of_height(r, 1)), second = gy_restrict(start, gy_of_height(r, 2)),
                third = gy_restrict(start, gy_of_height(r, 3)), landed = {0, 0, 0, 0};
    uint64_t ends = 0;
    for (;;) {
        gy_frontier f = gy_restrict(gy_step_freely(third), free);
        f = gy_restrict(gy_step_freely(gy_unite(f, second)), free);
        f = gy_step_freely(gy_unite(f, first));
        ends |= gy_frontier_squares(f);
        gy_frontier added = {f.east & ~landed.east & rings, f.west & ~landed.west & rings,
                             f.north & ~landed.north & rings, f.south & ~landed.south & rings};
        if (gy_frontier_squares(added) == 0)
            return gy_allowed_ends(p->side, ends);
        landed = gy_unite(landed, added);
        first = gy_restrict(added, gy_of_height(r, 1));
        second = gy_restrict(added, gy_of_height(r, 2));
        third = gy_restrict(added, gy_of_height(r, 3));
    }
}

/* ---- exact paths to a goal ---- */

typedef struct {
    const gy_rings *rings;
    const gy_closure *closure;
    uint64_t others, goal;
    uint64_t stops, through; /* rings and passed squares of the path found */
    uint64_t landed;
    /* As gy_used_sets, but the counts are next to each other: that made `solve` about 2 % faster by trial. */
    uint8_t kept_count[64];
    uint64_t kept[64][GY_MAX_USED_SETS];
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
    if (q->kept_count[square] < GY_MAX_USED_SETS)
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

/* Continues by a leg to one of `ends`: goals, or rings to bounce on. */
static bool gy_search_path_by(gy_path_search *q, const gy_legs *list, uint64_t ends, bool is_goal, uint64_t used)
{
    for (uint64_t rest = ends & list->ends; rest != 0; rest &= rest - 1) {
        unsigned end = rf_lsb(rest);
        for (unsigned i = list->first[end]; i < list->first[end + 1]; i++) {
            const gy_leg *leg = &list->legs[i];
            if ((leg->through & q->others) || (leg->edges & used))
                continue;
            if (!is_goal) {
                const unsigned height = gy_height(q->rings, end), layer = gy_layer_of(q->closure, leg->end);
                if (!gy_is_new_landing(q, end, used | leg->edges) ||
                    !gy_search_path(q, end, height, layer, used | leg->edges))
                    continue;
                q->stops |= leg->end;
            }
            q->through |= leg->through;
            return true;
        }
    }
    return false;
}

/* Searches on from a ring that needs `layer` legs before the last one: tries the goal, then the rings that need fewer
 * legs, then the others. */
static bool gy_search_path(gy_path_search *q, unsigned at, unsigned height, unsigned layer, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[at][height];
    uint64_t nearer = layer > 0 ? q->closure->layers[layer - 1] & q->others : 0;
    return gy_search_path_by(q, list, q->goal, true, used) || gy_search_path_by(q, list, nearer, false, used) ||
           gy_search_path_by(q, list, q->closure->good & q->others & ~nearer, false, used);
}

/* The rings that may move: those of the first rank with a movable ring (G4). As gy_movers, without a position. */
static uint64_t gy_movers_of(const gy_rings *r, unsigned side)
{
    uint64_t rank = gy_occupied(r) & gy_rank(gy_nearest_rank(side, gy_occupied(r)));
    if (rank & gy_of_height(r, 1))
        return rank; /* a ring of height 1 can always move */
    const gy_position p = {.rings = *r, .side = (uint8_t)side};
    return gy_movers(&p);
}

bool gy_find_path(const gy_rings *r, unsigned square, uint64_t goal, const gy_closure *closure, gy_pattern *path)
{
    gy_path_search q;
    q.rings = r;
    q.closure = closure;
    q.goal = goal;
    q.others = gy_occupied(r) & ~gy_bit(square);
    q.stops = gy_bit(square);
    q.through = 0;
    q.landed = 0;
    if (!gy_search_path(&q, square, gy_height(r, square), gy_layer_of(closure, gy_bit(square)), 0))
        return false;
    path->mask = q.stops | q.through;
    path->low = r->low & q.stops;
    path->high = r->high & q.stops;
    return true;
}

/* As gy_find_throne_path, in a closure that is known. */
static bool gy_find_path_in(const gy_rings *r, unsigned side, uint64_t from, const gy_closure *closure, gy_pattern *path)
{
    uint64_t candidates = from & ((gy_of_height(r, 1) & closure->from[1]) | (gy_of_height(r, 2) & closure->from[2]) |
                               (gy_of_height(r, 3) & closure->from[3]));
    for (; candidates != 0; candidates &= candidates - 1) {
        unsigned square = rf_lsb(candidates);
        if (gy_find_path(r, square, gy_throne_steps[side], closure, path)) {
            path->mask |= gy_nearer(side, gy_rank_of(square));
            return true;
        }
    }
    return false;
}

/* Whether one of the rings `from` of one rank has a path to the throne; if not, *closure is the whole closure. The
 * pattern includes that no ring is nearer to the player (G4); if another rank is nearer, the caller drops the pattern.
 * Most paths are found in the closure up to the first of `from`. */
static bool gy_find_throne_path(const gy_rings *r, unsigned side, uint64_t from, gy_closure *closure, gy_pattern *path)
{
    uint64_t all = gy_occupied(r), free = (gy_board & ~all) | from;
    gy_find_closure(r, free, all, gy_throne_steps[side], from, closure);
    if (!(closure->good & from))
        return false;
    if (gy_find_path_in(r, side, from, closure, path))
        return true;
    gy_find_closure(r, free, all, gy_throne_steps[side], 0, closure);
    return gy_find_path_in(r, side, from, closure, path);
}

void gy_cache_path(gy_path_cache *known, const gy_pattern *path)
{
    known->paths[known->count++ % GY_CACHED_PATHS] = *path;
}

bool gy_find_winning_path(const gy_rings *r, unsigned side, gy_pattern *path, bool *keep)
{
    uint64_t from = gy_movers_of(r, side);
    gy_closure closure;
    *keep = gy_nearest_rank(side, from) == gy_nearest_rank(side, gy_occupied(r));
    return gy_find_throne_path(r, side, from, &closure, path);
}

/* ---- groups of positions ---- */

/* The squares on which one more ring may block the rings of a rank, so that the next rank moves (G4): those that every
 * free first leg passes. All squares if no ring of the rank can move. */
static uint64_t gy_blocking_squares(const gy_rings *r, unsigned side, uint64_t rank)
{
    uint64_t all = gy_occupied(r), blocking = ~UINT64_C(0);
    if (rank & gy_of_height(r, 1))
        return 0; /* a ring of height 1 can always move */
    for (uint64_t rest = rank; rest != 0; rest &= rest - 1) {
        const unsigned square = rf_lsb(rest);
        const gy_legs *list = &gy_all_legs[square][gy_height(r, square)];
        for (unsigned i = 0; i < list->count && blocking != 0; i++)
            if (!(list->legs[i].through & all & ~gy_bit(square)) && gy_allowed_ends(side, list->legs[i].end) != 0)
                blocking &= list->legs[i].through;
    }
    return blocking;
}

/* The state of gy_group_wins. Its phases are inline: as calls they made `solve` about 4 % slower by trial. */
typedef struct {
    const gy_rings *fixed;
    unsigned height, side;
    gy_path_cache *known;
    uint64_t left; /* squares without an answer */
    uint64_t won;
} gy_group_search;

/* 1. Answers the squares that the cached paths decide. Returns whether one of these paths uses the eleven fixed rings
 * only. */
static inline bool gy_apply_cached_paths(gy_group_search *q)
{
    bool has_path = false;
    unsigned kept = q->known->count < GY_CACHED_PATHS ? q->known->count : GY_CACHED_PATHS;
    for (unsigned i = 0; i < kept && q->left != 0; i++) {
        const gy_pattern *path = &q->known->paths[i];
        uint64_t mismatch = gy_mismatch(path, q->fixed);
        if (mismatch == 0) {
            q->won |= q->left & ~path->mask;
            q->left &= path->mask;
            has_path = true;
        } else if ((mismatch & (mismatch - 1)) == 0 && (mismatch & q->left) &&
                   gy_height(&(gy_rings){path->low, path->high}, rf_lsb(mismatch)) == q->height) {
            q->won |= mismatch;
            q->left &= ~mismatch;
        }
    }
    return has_path;
}

/* 2. Searches a path over the eleven fixed rings. If there is none, removes the squares on which the twelfth ring
 *    cannot help. */
static inline void gy_search_fixed_rings(gy_group_search *q)
{
    uint64_t all = gy_occupied(q->fixed), empty = gy_board & ~all;
    if (all == 0)
        return;
    unsigned rank = gy_nearest_rank(q->side, all);
    uint64_t from = all & gy_rank(rank);
    gy_pattern path;
    gy_closure closure;
    if (gy_find_throne_path(q->fixed, q->side, from, &closure, &path)) {
        gy_cache_path(q->known, &path);
        q->won |= q->left & ~path.mask;
        q->left &= path.mask;
        return;
    }
    /* A path must use the twelfth ring, as the moving ring or to land on it; or the twelfth ring must block the rank. */
    uint64_t useful = closure.from[q->height], blocking = q->left & gy_blocking_squares(q->fixed, q->side, from);
    if (q->left & useful & ~(gy_nearer(q->side, rank) | gy_rank(rank)))
        useful &= gy_nearer(q->side, rank) | gy_rank(rank) | gy_find_landings(q->fixed, from, empty | from, all);
    q->left &= useful | blocking;
}

/* 3. Answers the remaining squares, one at a time. */
static inline void gy_search_squares(gy_group_search *q, gy_bound_kind kind)
{
    while (q->left != 0) {
        uint64_t bit = q->left & -q->left;
        gy_rings twelve = *q->fixed;
        gy_pattern path;
        bool keep;
        gy_add(&twelve, bit, q->height);
        q->left &= ~bit;
        if (!gy_find_winning_path(&twelve, q->side, &path, &keep)) {
            if (kind == GY_SOME)
                return;
            continue;
        }
        q->won |= bit;
        if (!keep)
            continue;
        gy_cache_path(q->known, &path);
        if (!(path.mask & bit)) {
            q->won |= q->left & ~path.mask;
            q->left &= path.mask;
        }
    }
}

uint64_t gy_group_wins(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side, gy_path_cache *known,
                       gy_bound_kind kind)
{
    if (squares == 0)
        return 0;
    gy_group_search q = {.fixed = fixed, .height = height, .side = side, .known = known, .left = squares};
    bool has_path = gy_apply_cached_paths(&q);
    if (kind != GY_CACHED_ONLY && q.left != 0 && !has_path)
        gy_search_fixed_rings(&q);
    if (kind == GY_EXACT || (kind == GY_SOME && (q.won | q.left) == squares))
        gy_search_squares(&q, kind);
    return kind == GY_UPPER_BOUND || kind == GY_SOME ? q.won | q.left : q.won;
}

unsigned gy_list_ring_groups(const gy_position *p, unsigned from, uint64_t ends, gy_group *out)
{
    gy_rings others = p->rings;
    unsigned height = gy_height(&p->rings, from), count = 1, equal = 0, times = 0;
    gy_remove(&others, gy_bit(from));
    uint64_t all = gy_occupied(&others), squares = gy_drop_squares(1 - p->side, all);
    for (uint64_t rest = ends & all; rest != 0; rest &= rest - 1) {
        unsigned target = rf_lsb(rest), displaced = gy_height(&others, target);
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
    if (g->replaced == 0 && (g->single & gy_bit(square)))
        return gy_ply(GY_MOVE, g->from, square, 0);
    return gy_ply(GY_DISPLACE, g->from, g->target, square);
}

unsigned gy_list_groups(const gy_position *p, gy_group *out, uint64_t *thrones)
{
    unsigned count = 0;
    *thrones = 0;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        uint64_t ends = gy_ends(p, from);
        if (ends & gy_bit(GY_THRONE))
            *thrones |= gy_bit(from);
        count += gy_list_ring_groups(p, from, ends, out + count);
    }
    return count;
}
