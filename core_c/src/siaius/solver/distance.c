/* The distance of a proven win: an upper bound from the stored graph, then iterative deepening for a shorter win.
 *
 * Idea: nodes are settled in the order of their distance, as in Dijkstra's algorithm with one list per distance: an OR
 * node by its shortest winning step, an AND node by its longest one. The stored graph need not contain the shortest
 * win, so the search then asks "is there a win within n plies?" for rising n.
 *
 * Invariants: `upper` and `lower` of a node are exact bounds, because a question is about a node and a number of plies,
 * not about a path. No node is over, so a win needs at least 1 ply.
 *
 * Example: the stored graph proves a win in 9 plies. There is none within 1, ..., 6 plies; a win within 7 exists:
 * `lower` of the root stops at 7, which is the distance. */
#include <stdlib.h>

#include "control.h"
#include "siaius/solver/internal.h"

enum {
    NODES_PER_CHECK = 1 << 15,
    MAX_PLIES = RF_WIN_MAX_PLIES, /* the limit of every forward search */
    MAX_DEPTH = 400                /* of the recursion: steps of 0 plies count too */
};

/* ---- upper bounds ---- */

static void unlink_node(si_graph *g, uint32_t *heads, uint32_t index)
{
    si_distance *d = &g->expanded[index].distance;
    if (d->previous != 0)
        g->expanded[d->previous - 1].distance.next = d->next;
    else
        heads[d->upper] = d->next;
    if (d->next != 0)
        g->expanded[d->next - 1].distance.previous = d->previous;
}

/* Moves a node to the list of a distance. */
static void set_distance(si_graph *g, uint32_t *heads, uint32_t index, uint32_t distance)
{
    si_distance *d = &g->expanded[index].distance;
    if (distance > SI_TB_LAST)
        return;
    if (d->upper != 0)
        unlink_node(g, heads, index);
    d->upper = distance;
    d->previous = 0;
    d->next = heads[distance];
    if (d->next != 0)
        g->expanded[d->next - 1].distance.previous = index + 1;
    heads[distance] = index + 1;
}

/* The longest resistance of the player to move at an AND node whose successors are settled. */
static uint32_t longest_resistance(const si_graph *g, uint32_t index)
{
    const si_expanded *node = &g->expanded[index];
    uint32_t longest = node->best_leaf == SI_TB_NO_SCORE ? 0 : (uint32_t)(SI_TB_LAST + node->best_leaf);
    for (uint32_t i = 0; i < node->edge_count; i++) {
        const uint32_t edge = g->edges[node->first_edge + i], child = g->expanded_id[edge >> SI_PLIES_BITS] - 1;
        const uint32_t plies = g->expanded[child].distance.upper + (edge & SI_PLIES_MASK);
        longest = plies > longest ? plies : longest;
    }
    return longest;
}

/* The distance of a node is final: updates its parents. */
static void settle(si_graph *g, uint32_t *heads, uint32_t index, unsigned q)
{
    const uint32_t distance = g->expanded[index].distance.upper;
    unlink_node(g, heads, index);
    g->expanded[index].distance.lower = 1;
    for (uint32_t i = g->first_parent[index]; i < g->first_parent[index + 1]; i++) {
        const uint32_t parent = g->parents[i] >> SI_PLIES_BITS;
        const si_distance *d = &g->expanded[parent].distance;
        if ((g->status[q][parent] & SI_PROVEN) == 0 || d->lower)
            continue;
        if (g->status[q][parent] & SI_OR_NODE) {
            const uint32_t plies = distance + (g->parents[i] & SI_PLIES_MASK);
            if (d->upper == 0 || plies < d->upper)
                set_distance(g, heads, parent, plies);
        } else if (--g->open_children[q][parent] == 0) {
            set_distance(g, heads, parent, longest_resistance(g, parent));
        }
    }
}

/* Clears all bounds, then sets the distances of nodes that are decided by their leaves. */
static void set_leaf_distances(si_graph *g, uint32_t *heads, unsigned q)
{
    for (uint32_t index = 0; index < g->expanded_count; index++) {
        g->expanded[index].distance = (si_distance){0, 0, 0, 0};
        g->open_children[q][index] = g->expanded[index].edge_count;
    }
    for (uint32_t index = 0; index < g->expanded_count; index++) {
        const si_expanded *node = &g->expanded[index];
        if ((g->status[q][index] & SI_PROVEN) == 0)
            continue;
        if ((g->status[q][index] & SI_OR_NODE) == 0 && node->edge_count == 0)
            set_distance(g, heads, index, longest_resistance(g, index));
        else if ((g->status[q][index] & SI_OR_NODE) != 0 && node->best_leaf > 0)
            set_distance(g, heads, index, (uint32_t)(SI_TB_LAST - node->best_leaf));
    }
}

/* False: stopped. */
static bool settle_all(si_graph *g, uint32_t *heads, unsigned q, rf_control *control)
{
    uint64_t settled = 0;
    for (uint32_t distance = 1; distance <= SI_TB_LAST; distance++)
        while (heads[distance] != 0) {
            if (++settled % NODES_PER_CHECK == 0)
                rf_control_check(control);
            if (control->stopped != RF_DONE)
                return false;
            settle(g, heads, heads[distance] - 1, q);
        }
    return true;
}

bool si_distance_bound(si_graph *g, rf_control *control)
{
    const unsigned q = (si_graph_status(g, 0, 1) & SI_PROVEN) != 0;
    if ((si_graph_status(g, 0, q) & SI_PROVEN) == 0)
        return true;
    uint32_t *heads = calloc(SI_TB_LAST + 1, sizeof *heads);
    if (heads == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
        return false;
    }
    if (!si_attractor_reverse_edges(g, true, control)) {
        free(heads);
        return false;
    }
    set_leaf_distances(g, heads, q);
    g->has_distances = settle_all(g, heads, q, control);
    g->inner_edges = 0; /* reverse edges are not needed any more */
    free(heads);
    return g->has_distances;
}

uint32_t si_distance_upper(const si_graph *g, si_node_key key)
{
    const uint32_t node = g->has_distances ? si_graph_find(g, key) : SI_NO_NODE;
    if (node == SI_NO_NODE || g->expanded_id[node] == 0)
        return 0;
    return g->expanded[g->expanded_id[node] - 1].distance.upper;
}

/* ---- iterative deepening ---- */

typedef enum { NO, YES, STOPPED } answer;

/* Whether the winner of the root wins a node within a number of plies. */
typedef struct {
    si_graph *g;
    rf_control *control;
    unsigned q;      /* whose win */
    int stop_reason; /* SI_SOLVER_* */
} distance_search;

static si_distance *distance_of(const distance_search *d, uint32_t node)
{
    return &d->g->expanded[d->g->expanded_id[node] - 1].distance;
}

static answer stop(distance_search *d, int reason)
{
    d->stop_reason = reason;
    return STOPPED;
}

/* Stores all successors of a node. */
static bool expand(distance_search *d, uint32_t node)
{
    si_graph *g = d->g;
    const bool is_new = g->expanded_id[node] == 0;
    if (!is_new && (si_graph_status(g, node, d->q) & SI_PARTIAL) == 0)
        return true;
    const int result = rf_tick(d->control) ? SI_SOLVER_STOPPED : si_graph_expand_completely(g, node);
    if (result != SI_SOLVER_SOLVED) {
        stop(d, result);
        return false;
    }
    if (is_new)
        *distance_of(d, node) = (si_distance){.lower = 1};
    return true;
}

/* The number of the i-th edge to search: first the edge that decided the last question. */
static uint32_t edge_number(uint32_t first, uint32_t i) { return i == 0 ? first : i <= first ? i - 1 : i; }

static answer wins_within(distance_search *d, uint32_t node, uint32_t plies, unsigned depth);

/* The answer of a successor. *lower: no win through it is shorter. */
static answer search_edge(distance_search *d, uint32_t edge, uint32_t plies, unsigned depth, uint32_t *lower)
{
    const uint32_t child = edge >> SI_PLIES_BITS, step = edge & SI_PLIES_MASK;
    *lower = plies + 1;
    if (plies <= step)
        return NO;
    const answer found = wins_within(d, child, plies - step, depth + 1);
    if (found == NO && d->g->expanded_id[child] != 0) {
        const bool never = (si_graph_status(d->g, child, d->q) & SI_DISPROVEN) != 0;
        const uint32_t bound = never ? SI_TB_LAST : distance_of(d, child)->lower + step;
        *lower = bound > *lower ? bound : *lower;
    }
    return found;
}

static answer search_or_node(distance_search *d, uint32_t node, uint32_t plies, unsigned depth)
{
    si_graph *g = d->g;
    const si_expanded at = g->expanded[g->expanded_id[node] - 1];
    const uint32_t first = at.distance.next < at.edge_count ? at.distance.next : 0;
    uint32_t lower = at.best_leaf > 0 ? (uint32_t)(SI_TB_LAST - at.best_leaf) : SI_TB_LAST;
    answer found = lower <= plies ? YES : NO;
    for (uint32_t i = 0; i < at.edge_count && found == NO; i++) {
        uint32_t bound;
        const uint32_t number = edge_number(first, i);
        found = search_edge(d, g->edges[at.first_edge + number], plies, depth, &bound);
        lower = bound < lower ? bound : lower;
        if (found == YES)
            distance_of(d, node)->next = number;
    }
    if (found == NO)
        distance_of(d, node)->lower = lower;
    return found;
}

/* No leaf saves the loser, because the node is not disproven. */
static answer search_and_node(distance_search *d, uint32_t node, uint32_t plies, unsigned depth)
{
    si_graph *g = d->g;
    const si_expanded at = g->expanded[g->expanded_id[node] - 1];
    const uint32_t first = at.distance.next < at.edge_count ? at.distance.next : 0;
    uint32_t lower = at.best_leaf == SI_TB_NO_SCORE ? 0 : (uint32_t)(SI_TB_LAST + at.best_leaf);
    answer found = lower <= plies ? YES : NO;
    for (uint32_t i = 0; i < at.edge_count && found == YES; i++) {
        const uint32_t number = edge_number(first, i);
        found = search_edge(d, g->edges[at.first_edge + number], plies, depth, &lower);
        if (found == NO)
            distance_of(d, node)->next = number;
    }
    if (found == NO)
        distance_of(d, node)->lower = lower;
    return found;
}

static answer wins_within(distance_search *d, uint32_t node, uint32_t plies, unsigned depth)
{
    si_graph *g = d->g;
    /* 1. Known bounds. */
    if (g->expanded_id[node] != 0) {
        const si_distance *known = distance_of(d, node);
        if ((si_graph_status(g, node, d->q) & SI_DISPROVEN) != 0 || known->lower > plies)
            return NO;
        if (known->upper != 0 && known->upper <= plies)
            return YES;
    }
    /* 2. Too many stones to take (S8). */
    if (!g->source->rules->may_win_within(g->source, g->keys[node], d->q + 1, plies))
        return NO;
    /* 3. Search. */
    if (depth == MAX_DEPTH)
        return stop(d, SI_SOLVER_STOPPED);
    if (!expand(d, node))
        return STOPPED;
    const unsigned status = si_graph_status(g, node, d->q);
    if (status & SI_DISPROVEN)
        return NO;
    const answer found =
        status & SI_OR_NODE ? search_or_node(d, node, plies, depth) : search_and_node(d, node, plies, depth);
    if (found == YES)
        distance_of(d, node)->upper = plies;
    return found;
}

/* False: neither player is known to win the root, or si_distance_bound has not been called. */
static bool begin_search(si_graph *g, rf_control *control, distance_search *out)
{
    const unsigned q = (si_graph_status(g, 0, 1) & SI_PROVEN) != 0;
    *out = (distance_search){.g = g, .control = control, .q = q, .stop_reason = SI_SOLVER_STOPPED};
    return g->has_distances && (si_graph_status(g, 0, q) & SI_PROVEN) != 0;
}

int si_distance_deepen(si_graph *g, uint32_t *lower, rf_control *control)
{
    distance_search d;
    if (!begin_search(g, control, &d))
        return SI_SOLVER_STOPPED;
    if (*lower == 0)
        *lower = 1;
    while (*lower < distance_of(&d, 0)->upper) {
        const answer found = *lower > MAX_PLIES ? STOPPED : wins_within(&d, 0, *lower, 0);
        if (found == STOPPED)
            return d.stop_reason;
        if (found == NO)
            *lower = distance_of(&d, 0)->lower > *lower ? distance_of(&d, 0)->lower : *lower + 1;
    }
    return SI_SOLVER_SOLVED;
}

int si_distance_wins_within(si_graph *g, si_node_key key, uint32_t plies, rf_control *control)
{
    distance_search d;
    const uint32_t node = begin_search(g, control, &d) ? si_graph_add(g, key) : SI_NO_NODE;
    const answer found = node == SI_NO_NODE || plies > MAX_PLIES ? STOPPED : wins_within(&d, node, plies, 0);
    if (found == STOPPED)
        return d.stop_reason == SI_SOLVER_DAMAGED ? SI_SOLVER_DAMAGED : SI_SOLVER_UNKNOWN;
    return found == YES;
}
