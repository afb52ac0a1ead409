/* Lists all positions that can be reached, breadth first, and the plies between them.
 *
 * Idea: nodes are numbered in the order in which they are found; the edges of node n are those from first[n] on, up to
 * first[n + 1].
 * Invariants: memory in use never exceeds the limit; every node below the current one has all its edges.
 * Example: the root is node 0; if its plies lead to two new positions and back to itself, its edges are 1, 2 and 0. */
#include "search/graph.h"

#include <stdlib.h>

#include "control.h"
#include "game.h"

enum { FIRST_EDGES = 1 << 13 };

bool rf_graph_resize(rf_graph *g, void *block, uint64_t before, uint64_t after)
{
    if (after > before && (after - before > g->memory || g->used > g->memory - (after - before)))
        return false;
    void *old;
    memcpy(&old, block, sizeof old);
    void *new = realloc(old, (size_t)after);
    if (new == NULL)
        return false;
    memcpy(block, &new, sizeof new);
    g->used = g->used - before + after;
    return true;
}

/* Doubles the capacity for nodes. */
static bool more_nodes(rf_graph *g)
{
    const uint64_t before = g->set.capacity, after = rf_position_set_next_capacity(&g->set);
    if (after >= RF_NO_NODE)
        return false;
    const uint64_t kept = before * g->set.state_size + 2 * before * sizeof *g->set.slots;
    const uint64_t needed = after * g->set.state_size + 2 * after * sizeof *g->set.slots;
    if (needed - kept > g->memory || g->used > g->memory - (needed - kept))
        return false;
    const uint64_t first_bytes = before == 0 ? 0 : (before + 1) * sizeof *g->first;
    if (!rf_graph_resize(g, &g->first, first_bytes, (after + 1) * sizeof *g->first))
        return false;
    if (g->used > g->memory - (needed - kept) || !rf_position_set_grow(&g->set))
        return false;
    g->used += needed - kept;
    return true;
}

static bool more_edges(rf_graph *g)
{
    const uint64_t before = g->edge_capacity, after = before == 0 ? FIRST_EDGES : before * 2;
    if (!rf_graph_resize(g, &g->next, before * sizeof *g->next, after * sizeof *g->next))
        return false;
    g->edge_capacity = after;
    return true;
}

/* The node of a position, which is added if it is new; RF_NO_NODE if the memory is full. */
static uint32_t node_of(rf_graph *g, const rf_state *s)
{
    if (g->set.count == g->set.capacity) {
        const uint32_t known = rf_position_set_find(&g->set, s);
        if (known != RF_NO_NUMBER || !more_nodes(g))
            return known;
    }
    return rf_position_set_add(&g->set, s);
}

static bool expand(rf_graph *g, uint64_t node, rf_ply *list)
{
    rf_state s, after;
    rf_graph_state(g, node, &s);
    memset(&after, 0, sizeof after);
    const size_t plies = g->game->generate(g->ctx, &s, list);
    for (size_t i = 0; i < plies; i++) {
        g->game->apply(g->ctx, &s, list[i], &after);
        uint32_t successor = node_of(g, &after);
        if (successor == RF_NO_NODE || (g->edges == g->edge_capacity && !more_edges(g)))
            return false;
        g->next[g->edges++] = successor;
    }
    g->first[node + 1] = g->edges;
    return true;
}

static void enumerate(rf_graph *g, const rf_state *root, rf_ply *list, rf_control *control)
{
    if (!more_nodes(g) || !more_edges(g) || node_of(g, root) == RF_NO_NODE) {
        control->stopped = RF_STOPPED_MEMORY;
        return;
    }
    g->first[0] = 0;
    for (uint64_t node = 0; node < g->set.count; node++) {
        control->done = node;
        if (rf_tick(control))
            return;
        if (!expand(g, node, list)) {
            control->stopped = RF_STOPPED_MEMORY;
            return;
        }
    }
}

rf_graph *rf_graph_new(const rf_game *game, const void *ctx, const rf_state *root, uint64_t memory, rf_control *control)
{
    rf_control_start(control);
    rf_graph *g = calloc(1, sizeof *g);
    rf_ply *list = malloc(game->max_plies * sizeof *list);
    if (g == NULL || list == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
    } else {
        g->game = game;
        rf_position_set_init(&g->set, game->state_size);
        g->ctx = ctx;
        g->memory = memory;
        enumerate(g, root, list, control);
    }
    free(list);
    if (control->stopped == RF_DONE)
        return g;
    rf_graph_free(g);
    return NULL;
}

void rf_graph_free(rf_graph *g)
{
    if (g == NULL)
        return;
    rf_position_set_free(&g->set);
    free(g->first);
    free(g->next);
    free(g->winner);
    free(g->distance);
    free(g);
}

uint64_t rf_graph_size(const rf_graph *g) { return g->set.count; }

int64_t rf_graph_find(const rf_graph *g, const rf_state *s)
{
    const uint32_t node = rf_position_set_find(&g->set, s);
    return node == RF_NO_NUMBER ? -1 : (int64_t)node;
}

void rf_graph_state(const rf_graph *g, uint64_t node, rf_state *out) { rf_position_set_get(&g->set, node, out); }
