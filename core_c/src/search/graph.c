#include "search/graph.h"

#include <stdlib.h>

#include "control.h"

enum { FIRST_NODES = 1 << 10, FIRST_EDGES = 1 << 13 };

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

static const unsigned char *state_of(const rf_graph *g, uint64_t node)
{
    return g->states + node * g->game->state_size;
}

/* The slot that holds this position, or the free one where it belongs. */
static uint64_t slot_of(const rf_graph *g, const void *state)
{
    const size_t size = g->game->state_size;
    uint64_t at = rf_hash_bytes(state, size) & g->slot_mask;
    while (g->slots[at] != RF_NO_NODE && memcmp(state_of(g, g->slots[at]), state, size) != 0)
        at = (at + 1) & g->slot_mask;
    return at;
}

/* Makes the set of slots for twice as many nodes as there is room for now. */
static bool rehash(rf_graph *g, uint64_t slots)
{
    uint64_t before = g->slots == NULL ? 0 : (g->slot_mask + 1) * sizeof *g->slots;
    if (!rf_graph_resize(g, &g->slots, before, slots * sizeof *g->slots))
        return false;
    memset(g->slots, 0xff, slots * sizeof *g->slots);
    g->slot_mask = slots - 1;
    for (uint64_t node = 0; node < g->nodes; node++)
        g->slots[slot_of(g, state_of(g, node))] = (uint32_t)node;
    return true;
}

/* Room for twice as many nodes, with slots at most half full. */
static bool more_nodes(rf_graph *g)
{
    const uint64_t before = g->node_room, after = before == 0 ? FIRST_NODES : before * 2, size = g->game->state_size;
    if (after >= RF_NO_NODE)
        return false;
    if (!rf_graph_resize(g, &g->states, before * size, after * size))
        return false;
    uint64_t old = before == 0 ? 0 : (before + 1) * sizeof *g->first;
    if (!rf_graph_resize(g, &g->first, old, (after + 1) * sizeof *g->first))
        return false;
    g->node_room = after;
    return rehash(g, after * 2);
}

static bool more_edges(rf_graph *g)
{
    const uint64_t before = g->edge_room, after = before == 0 ? FIRST_EDGES : before * 2;
    if (!rf_graph_resize(g, &g->next, before * sizeof *g->next, after * sizeof *g->next))
        return false;
    g->edge_room = after;
    return true;
}

/* The node of a position, made if it is new; RF_NO_NODE if memory is at an end. */
static uint32_t node_of(rf_graph *g, const rf_state *s)
{
    uint64_t at = slot_of(g, s);
    if (g->slots[at] != RF_NO_NODE)
        return g->slots[at];
    if (g->nodes == g->node_room) {
        if (!more_nodes(g))
            return RF_NO_NODE;
        at = slot_of(g, s);
    }
    memcpy(g->states + g->nodes * g->game->state_size, s, g->game->state_size);
    g->slots[at] = (uint32_t)g->nodes;
    return (uint32_t)g->nodes++;
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
        if (successor == RF_NO_NODE || (g->edges == g->edge_room && !more_edges(g)))
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
    for (uint64_t node = 0; node < g->nodes; node++) {
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
    free(g->states);
    free(g->first);
    free(g->next);
    free(g->slots);
    free(g->winner);
    free(g->distance);
    free(g);
}

uint64_t rf_graph_size(const rf_graph *g) { return g->nodes; }
uint64_t rf_graph_edges(const rf_graph *g) { return g->edges; }

int64_t rf_graph_find(const rf_graph *g, const rf_state *s)
{
    uint64_t at = slot_of(g, s);
    return g->slots[at] == RF_NO_NODE ? -1 : (int64_t)g->slots[at];
}

void rf_graph_state(const rf_graph *g, uint64_t node, rf_state *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out, state_of(g, node), g->game->state_size);
}
