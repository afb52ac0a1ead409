/* Endgame tables of Gygès: the placements before a ply.
 *
 * Idea: a path is searched from its end. A leg that ends on x starts either on a ring, whose height is its length, or on
 * the original square of the moving ring. Legs can be walked in both directions, so gy_all_legs of x and this length
 * lists it. The landing on a ring depends on the connections used after it, as in paths.c.
 * Invariants: the moving ring is off the board during the search (G5); each placement that is visited has the ply: the
 * ring is on the rank that moves (G4) and the displaced ring on a square that G7 allows.
 * Example: a 2 on b2 came from a1, b1 with a bounce on the 1 on b3, or displaced the ring that is now on e4. */
#include "gyges/endgame/endgame.h"

typedef struct {
    const gy_rings *others; /* all rings but the moving one, before the ply */
    uint64_t occupied;
    unsigned height;        /* of the moving ring */
    uint64_t candidates;        /* squares from which it may come */
    uint64_t found;
    uint64_t landed;
    gy_used_sets used_sets[64];
} gy_start_search;

/* The candidate squares from which legs lead to `square`, if each connection could be used again. */
static uint64_t gy_possible_starts(const gy_start_search *w, unsigned square)
{
    uint64_t starts = gy_all_legs[square][w->height].ends, left = w->occupied, queue = gy_bit(square);
    while (queue != 0 && (w->candidates & ~starts) != 0) {
        const unsigned at = rf_lsb(queue);
        queue &= queue - 1;
        for (uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const unsigned ring = rf_lsb(rest);
            if (gy_all_legs[at][gy_height(w->others, ring)].ends & gy_bit(ring)) {
                left &= ~gy_bit(ring);
                queue |= gy_bit(ring);
                starts |= gy_all_legs[ring][w->height].ends;
            }
        }
    }
    return starts & w->candidates;
}

/* Adds the starts of paths that end on `square` without the connections `used`. Each leg uses at least one of 60
 * connections, so the recursion is at most that deep. */
static void gy_search_starts(gy_start_search *w, unsigned square, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[square][w->height];
    for (uint64_t rest = list->ends & w->candidates & ~w->found; rest != 0; rest &= rest - 1) {
        const unsigned start = rf_lsb(rest);
        for (unsigned i = list->first[start]; i < list->first[start + 1]; i++)
            if (!(list->legs[i].through & w->occupied) && !(list->legs[i].edges & used)) {
                w->found |= gy_bit(start);
                break;
            }
    }
    if (w->found == w->candidates)
        return;
    for (uint64_t rest = w->occupied; rest != 0; rest &= rest - 1) {
        const unsigned ring = rf_lsb(rest);
        const gy_legs *legs = &gy_all_legs[square][gy_height(w->others, ring)];
        for (unsigned i = legs->first[ring]; i < legs->first[ring + 1]; i++) {
            const uint64_t more = used | legs->legs[i].edges;
            if ((legs->legs[i].through & w->occupied) || (legs->legs[i].edges & used))
                continue;
            gy_used_sets *sets = &w->used_sets[ring];
            if (!(w->landed & gy_bit(ring))) {
                w->landed |= gy_bit(ring);
                sets->count = 0;
            } else if (gy_is_dominated(sets, more)) {
                continue;
            }
            gy_add_used_set(sets, more);
            gy_search_starts(w, ring, more);
        }
    }
}

/* Whether a ring nearer to South than the square of `bit` can move. */
static bool gy_nearer_can_move(const gy_rings *r, uint64_t bit)
{
    const gy_position p = {.rings = *r, .side = 0, .goals = {1, 1}};
    for (uint64_t rest = gy_occupied(r) & gy_nearer(0, gy_rank_of(rf_lsb(bit))); rest != 0; rest &= rest - 1)
        if (gy_can_move(&p, rf_lsb(rest)))
            return true;
    return false;
}

/* Visits the placements in which a ring of this height had a ply to `to`. */
static void gy_visit_starts(const gy_rings *others, unsigned height, unsigned to, gy_visit visit, void *context)
{
    gy_start_search w;
    w.others = others;
    w.occupied = gy_occupied(others);
    w.height = height;
    w.found = 0;
    w.landed = 0;
    const uint64_t first = gy_board & (w.occupied == 0 ? ~UINT64_C(0) : ~gy_nearer(1, gy_nearest_rank(0, w.occupied)));
    /* A ring of height 1 can always move. */
    const bool is_first_free = (w.occupied & first & others->low & ~others->high) != 0;
    w.candidates = (is_first_free ? first : gy_board) & ~w.occupied;
    w.candidates = gy_possible_starts(&w, to);
    gy_search_starts(&w, to, 0);
    for (uint64_t rest = w.found; rest != 0; rest &= rest - 1) {
        const uint64_t bit = rest & (~rest + 1);
        gy_rings before = *others;
        gy_add(&before, bit, height);
        if ((bit & first) || !gy_nearer_can_move(&before, bit))
            visit(context, &before);
    }
}

void gy_visit_before(const gy_rings *r, gy_visit visit, void *context)
{
    const uint64_t all = gy_occupied(r);
    for (uint64_t rest = all; rest != 0; rest &= rest - 1) {
        const uint64_t to = rest & (~rest + 1);
        const unsigned height = gy_height(r, rf_lsb(to));
        gy_rings others = *r;
        gy_remove(&others, to);
        gy_visit_starts(&others, height, rf_lsb(to), visit, context);
        for (uint64_t rings = all & ~to; rings != 0; rings &= rings - 1) {
            const uint64_t drop = rings & (~rings + 1);
            if (!(gy_drop_squares(1, all & ~drop) & drop))
                continue;
            gy_rings before = others;
            gy_remove(&before, drop);
            gy_add(&before, to, gy_height(r, rf_lsb(drop)));
            gy_visit_starts(&before, height, rf_lsb(to), visit, context);
        }
    }
}
