/* GRAN: the points on which obstacle stones may be put (R10).
 *
 * Idea: a stone may not separate the ring from all figures. A point that would separate them is on every shortest path
 * from the ring to a figure, so breadth-first search finds the few candidates (gr_find_cuts).
 * Example: all paths from the ring on a1 to the only figure go over b1, so no stone may be put on b1. */
#include "gran/stones.h"

gr_set gr_ring_goals(const rf_gran_board *b, const gr_state *s)
{
    gr_set goals = gr_figures(s);
    for (unsigned i = 0; i < s->players; i++)
        if (s->point[i] == GR_NOWHERE)
            goals |= gr_bit(b->start);
    return goals;
}

/* Whether a goal can be reached from the points of `layer` over points that are not in `*seen`. Adds to `*seen` all
 * points that are no further away than the nearest goal. */
static bool gr_reaches(const rf_gran_board *b, gr_set layer, gr_set *seen, gr_set goals)
{
    *seen |= layer;
    while (layer != 0) {
        if ((layer & goals) != 0)
            return true;
        layer = gr_neighbours_of_set(b, layer) & ~*seen;
        *seen |= layer;
    }
    return false;
}

bool gr_find_cuts(const rf_gran_board *b, unsigned ring, gr_set goals, gr_set stones, gr_set *cuts)
{
    gr_set layers[RF_GRAN_POINTS], seen[RF_GRAN_POINTS]; /* by distance from the ring; seen at this distance or less */
    unsigned last = 0;
    *cuts = 0;
    layers[0] = gr_bit(ring);
    seen[0] = layers[0] | stones;
    while ((layers[last] & goals) == 0) {
        gr_set next = gr_neighbours_of_set(b, layers[last]) & ~seen[last];
        if (next == 0)
            return false;
        last++;
        layers[last] = next;
        seen[last] = seen[last - 1] | next;
    }
    /* A point that cuts is on every shortest path, so no other point at its distance is on one. */
    gr_set on_paths = last > 0 ? layers[last] & goals : 0;
    while (last-- > 1) {
        on_paths = gr_neighbours_of_set(b, on_paths) & layers[last];
        if ((on_paths & (on_paths - 1)) == 0 && !gr_reaches(b, layers[last] & ~on_paths, &seen[last], goals))
            *cuts |= on_paths;
    }
    return true;
}

/* The subset of these points on which one more stone leaves the ring connected with a figure (R10). */
static gr_set gr_keep_reach(const rf_gran_board *b, const gr_state *s, gr_set stones, gr_set points)
{
    gr_set cuts;
    if (!gr_on_board(s->ring))
        return points;
    return gr_find_cuts(b, s->ring, gr_ring_goals(b, s), stones, &cuts) ? points & ~cuts : 0;
}

gr_set gr_place_targets(const rf_gran_board *b, const gr_state *s)
{
    gr_set stones = gr_set_of(s->stones);
    return gr_popcount(stones) < b->stones ? gr_keep_reach(b, s, stones, gr_free_points(b, s)) : 0;
}

/* The stones between the points that are reached from the two sets while `stones` block. */
static gr_set gr_stones_between(const rf_gran_board *b, gr_set ring, gr_set goals, gr_set stones)
{
    gr_set seen = stones, other = stones;
    gr_reaches(b, ring, &seen, 0);
    gr_reaches(b, goals, &other, 0);
    return gr_neighbours_of_set(b, seen & ~stones) & gr_neighbours_of_set(b, other & ~stones);
}

void gr_find_shifts(const rf_gran_board *b, const gr_state *s, gr_shifts *out)
{
    gr_set ring = gr_ring_point(s), goals;
    out->stones = gr_set_of(s->stones);
    out->targets = gr_free_points(b, s);
    out->cuts = 0;
    out->reopening = 0;
    out->one_by_one = false;
    if (ring == 0 || out->targets == 0 || out->stones == 0)
        return;
    goals = gr_ring_goals(b, s);
    if (!gr_find_cuts(b, s->ring, goals, out->stones, &out->cuts)) {
        out->one_by_one = true;
        out->reopening = out->stones & gr_stones_between(b, ring, goals, out->stones);
        out->targets = 0;
        return;
    }
    out->cuts &= out->targets;
    out->targets &= ~out->cuts;
    unsigned i = 0;
    for (gr_set rest = out->cuts; rest != 0; i++)
        out->reconnecting[i] =
            out->stones & gr_stones_between(b, ring, goals, out->stones | gr_bit(gr_pop_lsb(&rest)));
}

gr_set gr_shift_targets(const rf_gran_board *b, const gr_state *s, const gr_shifts *shifts, unsigned from)
{
    if (shifts->one_by_one)
        return gr_has(shifts->reopening, from)
                   ? gr_keep_reach(b, s, shifts->stones & ~gr_bit(from), gr_free_points(b, s))
                   : 0;
    gr_set targets = shifts->targets;
    unsigned i = 0;
    for (gr_set cuts = shifts->cuts; cuts != 0; i++) {
        unsigned cut = gr_pop_lsb(&cuts);
        if (gr_has(shifts->reconnecting[i], from))
            targets |= gr_bit(cut);
    }
    return targets;
}

uint64_t gr_count_shifts(const rf_gran_board *b, const gr_state *s)
{
    gr_shifts shifts;
    gr_find_shifts(b, s, &shifts);
    if ((shifts.cuts | shifts.reopening) == 0)
        return (uint64_t)gr_popcount(shifts.stones) * gr_popcount(shifts.targets);
    uint64_t total = 0;
    for (gr_set stones = shifts.stones; stones != 0;)
        total += gr_popcount(gr_shift_targets(b, s, &shifts, gr_pop_lsb(&stones)));
    return total;
}

bool gr_stone_is_due(const rf_gran_board *b, const gr_state *s, unsigned symbol)
{
    bool places = symbol == RF_GRAN_MAGIC_STONE;
    gr_set stones = gr_set_of(s->stones), free = gr_free_points(b, s), seen = stones;
    if (free == 0 || (places ? gr_popcount(stones) >= b->stones : stones == 0))
        return false;
    if (!gr_on_board(s->ring))
        return true;
    /* Nothing further away than the nearest figure is on a shortest path, also not with one stone less. */
    if (gr_reaches(b, gr_bit(s->ring), &seen, gr_ring_goals(b, s)) && (free & ~seen) != 0)
        return true;
    return (places ? gr_popcount(gr_place_targets(b, s)) : gr_count_shifts(b, s)) != 0;
}
